/* SPDX-License-Identifier: Apache-2.0
 *
 * diff: what became another between two plans: of two versions of a model, or of one model on two targets. Both sides
 * are records (struct npart_side), as a plan or a saved report tells them; the models are not needed.
 *
 *   structure.c  where a node stands in its graph, as four numbers without names
 *   match.c      which node of one side is which of the other
 *   roots.c      which cause is which
 *   figures.c    which figures are worse, better, or only different
 *   compare.c    all of it together, with copies of what is told
 */
#ifndef NPART_DIFF_H
#define NPART_DIFF_H

#include "infer/infer.h"
#include "npu_partition/compare.h"

/* ---- structure --------------------------------------------------------------------------------------------- */

/* See struct npart_structure. The numbers are written to files that others read years later: they depend on nothing but
 * the model, and the functions that make them never change (docs/diff.md). */
struct npart__structure {
    /* Of the operators before it and after it, through the whole graph; of those within two steps; of its own operator,
     * attributes, types and constants. */
    uint32_t up, down, around, itself;
};

/* By node of the inference's graph; NULL when out of memory. */
struct npart__structure *npart__find_structures(const struct npart__inference *inference, struct npart__arena *arena);
/* Of a node that is not the model's: the `index`-th of those that stand for another one. It differs from the
 * owner's and from that of each other node in the owner's place, so that they match one by one where both sides
 * replace the same operator. */
struct npart__structure npart__added_structure(struct npart__structure owner, uint32_t index, const char *op);
/* Of a name; 0 for "". A name whose hash is 0 by chance gets 1. */
uint32_t npart__name_hash(const char *name);

/* ---- matching ---------------------------------------------------------------------------------------------- */

enum npart__side_number { NPART__BEFORE, NPART__AFTER, NPART__SIDES };

/* What a node was recognized by. */
enum npart__matched_by {
    NPART__BY_NOTHING,
    NPART__BY_STRUCTURE,
    NPART__BY_NAME,
    NPART__BY_PLACE /* another operator between the same neighbours, or of the same name */
};

struct npart__matches {
    uint32_t *other[NPART__SIDES]; /* by node its match on the other side, or NPART_NONE */
    uint8_t *by;                   /* of the nodes before: enum npart__matched_by */
};

/* Where one side lists only what is not on the NPU, only such nodes of the other one are looked at. False when out of
 * memory. */
bool npart__match_sides(const struct npart_side *const sides[NPART__SIDES], struct npart__arena *arena,
                        struct npart__matches *out);
/* Live, and not on the NPU. */
static inline bool npart__is_left(const struct npart_side_node *node)
{
    return node->verdict == NPART_VERDICT_CPU || node->verdict == NPART_VERDICT_FAIL ||
           node->verdict == NPART_VERDICT_UNKNOWN;
}
/* Texts of a side may be NULL. */
static inline const char *npart__text_of(const char *text)
{
    return text ? text : "";
}

/* ---- comparison -------------------------------------------------------------------------------------------- */

struct npart__figures NPART__ARRAY(struct npart_diff_figure);
struct npart__roots NPART__ARRAY(struct npart_diff_cause);
struct npart__changed_nodes NPART__ARRAY(struct npart_diff_node);

struct npart__comparison {
    const struct npart_side *sides[NPART__SIDES]; /* the caller's; not to be read once npart__compare is over */
    struct npart_diff_options options; /* tolerances filled in */
    struct npart__arena *arena;
    struct npart__matches matches;
    uint32_t before_count; /* nodes */
    struct npart__figures figures;
    struct npart__roots roots;
    uint32_t *root_of[NPART__SIDES]; /* by cause of that side its place in `roots` */
    struct npart__changed_nodes nodes;
    struct npart_diff_info info;
};

/* Each is false when out of memory. */
bool npart__compare_figures(struct npart__comparison *comparison);
bool npart__compare_causes(struct npart__comparison *comparison);
/* All of it. What is told is in `arena`; nothing else of the sides is needed afterwards. */
npart_status npart__compare(const struct npart_side *before, const struct npart_side *after,
                            const struct npart_diff_options *options, struct npart__arena *arena,
                            struct npart__comparison *out, struct npart_error *error);

#endif
