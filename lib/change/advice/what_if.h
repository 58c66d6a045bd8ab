/* SPDX-License-Identifier: Apache-2.0
 *
 * What would be left of a plan if some of its causes were gone.
 */
#ifndef NPART_ADVICE_WHAT_IF_H
#define NPART_ADVICE_WHAT_IF_H

#include "advice/advice.h"

/* A mark for each node that a plan's session has, copies after the file's nodes. All that advice marks by node is made
 * and read here, so that ids of one graph do not meet an array of another. */
struct npart__marks {
    uint32_t count;
    bool of[];
};

/* None is marked. NULL when out of memory. */
struct npart__marks *npart__marks_new(const struct npart__plan *plan, struct npart__arena *arena);

/* NULL: nothing is marked. */
static inline bool npart__is_marked(const struct npart__marks *marks, uint32_t node)
{
    NPART__ASSERT(!marks || node < marks->count, "node %u of %u", node, marks->count);
    return marks && marks->of[node];
}

static inline void npart__mark(struct npart__marks *marks, uint32_t node)
{
    NPART__ASSERT(node < marks->count, "node %u of %u", node, marks->count);
    marks->of[node] = true;
}

/* What is taken to be done. Causes belong to groups, which are by row of the table. */
struct npart__what_if {
    const struct npart__plan *plan;
    const uint32_t *row_of; /* by cause of the plan: the row by which it would go */
    const bool *is_done;    /* by row */
    uint32_t and_row;       /* one more row; NPART_NONE: none */
    const struct npart__marks *tail; /* nodes that are left to the CPU whatever else is done; NULL: none */
    /* A model that does not load has no verdict but that. */
    bool is_loaded;         /* the runtime loads the model */
};

/* Partitions again. `accepted` (may be NULL) gets by node whether it is taken then, in `arena`; costs are estimated
 * only on request. */
npart_status npart__what_if(const struct npart__what_if *request, bool wants_cost, struct npart__arena *arena,
                            struct npart__after *out, bool **accepted, struct npart_error *error);

/* A cut is worth telling where it gives up no more than this share of the work that the NPU does. Nodes that the
 * NPU takes but that are outside of the cut run on the CPU then. */
#define NPART__MOST_GIVEN_UP 0.05
/* More multiply-accumulates or bytes than any real node or tensor has: what is more counts as not known. */
#define NPART__MOST_WEIGHED (UINT64_C(1) << 40)

/* By node whether it is `root` or depends on what that makes, in the main graph; and the values on which that stands,
 * at most NPART__LIMIT_CUT_TENSORS. NULL with NPART_OK: there is no such cut. Names of tensors are told, so there
 * is a limit. */
struct npart__tail {
    const struct npart__marks *is_in; /* nodes that are left to the CPU */
    uint32_t tensors[NPART__LIMIT_CUT_TENSORS];
    uint32_t tensor_count; /* of npart__find_tail 1 at least: what needs no cut is no tail */
};
npart_status npart__find_tail(const struct npart__plan *plan, const bool *is_root, struct npart__arena *arena,
                              struct npart__tail **out, struct npart_error *error);

/* table.c: the first format of the plan that is native on this variant (NPART_NONE: on any) and not on the plan's own;
 * NULL: there is none. */
const struct npart__precision *npart__foreign_format(const struct npart__plan *plan, uint32_t variant);

/* ---- replan.c ---------------------------------------------------------------------------------------------- */

/* The same plan of another target text; NULL with NPART_OK: it cannot be planned. */
npart_status npart__replan_target(const struct npart__plan *plan, const char *target, struct npart__arena *arena,
                                  struct npart__plan **out, struct npart_error *error);
/* The plan of the same model with element type `to` in the place of `from`; NULL with NPART_OK: the runtime would not
 * load it so. */
npart_status npart__replan_converted(const struct npart__plan *plan, int from, int to, struct npart__arena *arena,
                                     struct npart__plan **out, struct npart_error *error);
/* The plan of the same model with another opset. Nodes have it that mean the same with it, or only those of `is_own`
 * (by node of the model's graph; NULL: all), which have it in any case. `*is_import_only`: no node needs more than the
 * import. NULL with NPART_OK: the model cannot be inferred so. */
npart_status npart__replan_opset(const struct npart__plan *plan, int64_t opset, const bool *is_own, bool only_own,
                                 struct npart__arena *arena, struct npart__plan **out, bool *is_import_only,
                                 struct npart_error *error);

#endif
