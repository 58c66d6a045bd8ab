/* SPDX-License-Identifier: Apache-2.0
 *
 * onnxruntime: what ONNX Runtime does by itself with a model. What it refuses to load is valid.h's, what it knows of
 * sizes view.h's; its sessions are made of passes (passes.h), and once it knows which nodes a provider takes, it
 * changes the graph again. Whatever the target is, sessions are made here: of one without a runtime
 * (NPART__RELEASE_OWN) only what any tool does is folded.
 */
#ifndef NPART_ONNXRUNTIME_H
#define NPART_ONNXRUNTIME_H

#include "onnxruntime/valid.h"
#include "plan/plan.h"

/* Operators whose bodies hold others of that kind; the standard's go three deep. Past it what is left stays as it
 * is, on the CPU. */
#define NPART__LIMIT_ROUNDS 8u

/* Nodes that a plan has inlined. */
struct npart__expansions {
    struct NPART__ARRAY(struct npart__expansion) items;
};

/* Decides for every node of the inference's graph. What is rewritten is what sessions of that release rewrite
 * (rewrites.def). `arena` holds the result. */
npart_status npart__session_make(struct npart__inference *inference, enum npart_level level,
                                 enum npart__release release, struct npart__arena *arena,
                                 struct npart__session *out, struct npart_error *error);

/* branches.c: the same; where it `settles`, takes the branches of Ifs whose conditions are known, and infers and
 * decides again, until no more are. The session's inference is another then. */
npart_status npart__session_settle(struct npart__inference *inference, enum npart_level level,
                                   enum npart__release release, bool settles, struct npart__arena *arena,
                                   struct npart__session *session, struct npart_error *error);

/* function_calls.c: for a list that says `functions by-name`, leaves the calls that it takes as they are in
 * plan->inference. */
npart__pass npart__settle_calls;
/* standard_functions.c, for a list that says `functions standard`. In a model with functions of its own: puts the
 * bodies of operators that neither side has in their places, before anything is judged. */
npart__pass npart__inline_ahead;
/* Of what has been judged: inlines such operators that were not taken, and judges what they hold, in rounds. */
npart__pass npart__inline_refused;
/* matmul_reshapes.c: of what has been judged, puts the Reshapes into the graph that a runtime makes round products
 * that were refused. */
npart__pass npart__reshape_products;
/* layout_transposes.c, for a list that says `layout` and `moved`: of what has been judged, puts Transposes into the
 * graph that the runtime makes round operators whose layout changes, and that come to rest beside nodes on the CPU. */
npart__pass npart__lay_transposes;
/* model_transposes.c, for a list that says `moved`: of what has been judged, puts Transposes that the runtime moves
 * past nodes on the CPU after these, and takes away those that meet. */
npart__pass npart__move_transposes;
/* missing_kernels.c: what neither side can run. */
npart__pass npart__find_kernels;
/* known_sizes.c: whether the target's runtime loads the model. */
bool npart__session_is_loaded(const struct npart__plan *plan);
/* plan->inference becomes what the target's runtime knows of it. */
npart__pass npart__plan_see;

/* Whether the runtime's provider has refused a live node for certain; a later stage may be another's. */
bool npart__is_refused(const struct npart__plan *plan, uint32_t node);

#endif
