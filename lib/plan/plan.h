/* SPDX-License-Identifier: Apache-2.0
 *
 * plan: the stages from session to cost for one inference and one target, kept together for reports.
 */
#ifndef NPART_PLAN_H
#define NPART_PLAN_H

#include "cause/cause.h"
#include "cost/cost.h"
#include "memory/memory.h"
#include "partition/product.h"
#include "plan/framework_decides.h"
#include "precision/precision.h"

/* What is the same for every target that looks at a graph in the same way: made when first asked for. */
struct npart__shared {
    struct npart__arena *arena;
    struct npart__shared_view *views; /* private; NULL at first */
    struct npart__other_opset *opsets; /* of lib/change/advice alone; NULL at first */
};

struct npart__plan_request {
    const char *model_name;
    struct npart__inference *inference;
    struct npart__shared *shared; /* goes with the inference and outlives the plan */
    const struct npart__product *products; /* asked at each moment of the plan */
    const struct npart__oplist *oplist;
    const char *target;      /* the text after the list's name; "" for defaults */
    const char *partitioner; /* NULL: the target's */
    const char *stages;       /* "provider,compiler": the stages to ask; NULL: all */
    enum npart_level level;
    const struct npart_assumption *assumed;
    uint32_t assumed_count;
    const char *const *cuts; /* names of tensors or nodes after which the user cuts */
    uint32_t cut_count;      /* 0: nowhere */
    const char *invoker;     /* through what partitions are started; NULL: the target's own */
    bool is_sustained;       /* as a device does that has run for minutes */
    uint64_t ram_bytes;      /* there is so much for all of it; 0: not asked */
    const struct npart__device_class *device; /* likewise; NULL: not asked */
    uint32_t prompt_tokens;  /* see npart_plan_options */
    bool is_trial;           /* what it takes of memory is not asked for */
    bool is_step;            /* of a trial: neither are causes and precisions, but what it comes to alone */
    uint32_t release;        /* 1 + the release to plan for, among the list's; 0: as `target` says */
};

struct npart__plan {
    struct npart__arena *arena;
    struct npart__plan_request request; /* that it was made by; what it points to lives as long */
    struct npart__inference *inference; /* as the target sees it; as the caller does: request.inference */
    const struct npart__graph *graph;
    struct npart__target target;
    enum npart__release release; /* whose sessions rewrite the graph */
    enum npart_level level;
    const struct npart__partitioner *partitioner;
    enum npart__invoker invoker, own_invoker; /* what starts partitions, and what does by itself */
    struct npart__shared *shared;
    struct npart__session session;
    struct npart__session unmoved; /* the same before Transposes have moved */
    const struct npart__graph *judged; /* the session's when it was judged last: Transposes may have moved since */
    const uint32_t *equivalent; /* of that, see npart__find_equivalent */
    uint8_t *assumed; /* by node of `graph`: enum npart__assume; NULL: nothing */
    struct npart__mask mask;
    bool *accepted; /* by node */
    struct npart__works works; /* of live nodes, by all that is known of sizes */
    bool *is_cut;   /* by value: the user cuts after it; NULL: nowhere */
    struct npart__inference *seen; /* what the runtime knows, where a product asks for it; or NULL */
    struct npart__partitioning partitioning;
    struct npart__causes causes;
    struct npart__decided decided; /* of what is taken, what is surely not run by the NPU */
    struct npart__node_costs *node_costs; /* of each node on either side, whatever the partitions are */
    struct npart__cost cost;
    struct npart__memory memory;
    struct npart__precisions precisions; /* formats of weights, and what the target makes of them */
    struct npart__sides sides; /* the same graph all on the CPU, and all on the NPU */
    double *cause_ms; /* by cause: what its affected nodes take on the CPU; negative: not known */
    struct npart_summary summary;
    bool *lacks_kernel; /* by node: the provider does not take it, and the CPU has no kernel for it */
    struct NPART__ARRAY(struct npart_finding) findings; /* `invalid`, of such nodes */
    const struct npart_dim_binding *bindings; /* sizes chosen for dynamic dims */
    uint32_t binding_count;
};

/* What is asked for that does not depend on the model: the target, its stages, partitioner, and what starts
 * partitions. */
npart_status npart__plan_choose(const struct npart__plan_request *request, struct npart__arena *arena,
                                struct npart__plan *out, struct npart_error *error);
/* invariants.c: of the debug build. */
void npart__check_plan(const struct npart__plan *plan);

npart_status npart__plan_make(const struct npart__plan_request *request, struct npart__arena *arena,
                              struct npart__plan *out, struct npart_error *error);

/* newer_toolchain.c: what a newer release of the toolchain takes of the file's nodes that the plan leaves to the
 * CPU. */
struct npart__newer {
    const char *toolchain; /* the first that takes most; "": none takes more */
    uint32_t node_count;
    const char **ops; /* of these nodes, in the file's order */
    uint32_t op_count;
};
/* Makes plans for newer releases, which take their memory from `scratch`. */
npart_status npart__find_newer(const struct npart__plan *plan, struct npart__arena *arena,
                               struct npart__arena *scratch, struct npart__newer *out, struct npart_error *error);

/* The same plan with what it takes of memory, where a trial has left that out; arrays are shared with it. False when
 * out of memory. */
bool npart__plan_find_memory(const struct npart__plan *trial, struct npart__arena *arena, struct npart__plan *out);

/* Whether the CPU has a kernel for all that is left to it, once these nodes (by id) are taken. */
bool npart__plan_has_kernels(const struct npart__plan *plan, const bool *accepted);

/* Whether the target's runtime loads the model at all, whatever its nodes are, and sizes in it do not contradict each
 * other, so that it could run. */
bool npart__plan_is_loaded(const struct npart__plan *plan);
/* "whole", "edge", ... of these counts, once these nodes (by id) are taken. */
enum npart_plan_verdict npart__plan_verdict(const struct npart__plan *plan, const struct npart_summary *summary,
                                const bool *accepted, bool is_loaded);

/* That of the plan's session and target, with these nodes (by id) accepted; without a mask. */
struct npart__partition_request npart__partition_request_of(const struct npart__plan *plan, bool *accepted);

/* Judges the nodes of plan->session, with plan->equivalent as it is. */
npart_status npart__plan_judge(struct npart__plan *plan, struct npart_error *error);

/* judge_again.c: views of graphs that go with the plan are its own from here on. */
npart_status npart__own_views(struct npart__plan *plan, struct npart_error *error);
/* The graph of the inference, which has bodies in the place of nodes, is the plan's from here on. */
npart_status npart__take_expanded(struct npart__plan *plan, struct npart__inference *inference,
                                  struct npart_error *error);
/* Judges the nodes of plan->session, which is another than before. */
npart_status npart__judge_anew(struct npart__plan *plan, struct npart_error *error);
/* All three, once a product has changed plan->session. Of nodes that were there before stays what was decided, but for
 * those that are `asked` (NULL: none); of `before` NULL nothing does. */
npart_status npart__judge_changed(struct npart__plan *plan, const struct npart__mask *before, const bool *asked,
                                  struct npart_error *error);

#endif
