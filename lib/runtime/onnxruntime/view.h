/* SPDX-License-Identifier: Apache-2.0
 *
 * view: what runtimes know of a graph, which may be less than can be known, as policies for inference.
 *
 * What a function of the standard gives up on is taken away after our own has found it, so that there is one
 * implementation of shape inference and not one for each runtime.
 */
#ifndef NPART_VIEW_H
#define NPART_VIEW_H

#include "infer/infer.h"

/* What ONNX's own inference says of the file as it is, without propagating elements; and the same as those see it who
 * take a tensor of unknown rank for a scalar. */
extern const struct npart__infer_policy npart__policy_inferred, npart__policy_onnx;
/* What ONNX Runtime knows where it changes nothing, as when it loads a model. */
extern const struct npart__infer_policy npart__policy_unfolded;
/* By release: where what is computed from constants, or is a static shape, is folded. */
extern const struct npart__infer_policy npart__policy_folding[NPART__RELEASES];

/* Whether ONNX Runtime's CPU provider has a kernel for a node in that release, so that it is computed where its
 * operands are constant. The graph is the node's: the inference's, or a session's copy of it. */
bool npart__can_compute(const struct npart__inference *inference, const struct npart__graph *graph,
                        const struct npart__node *node, enum npart__release release);

/* Whether a release computes ahead only what it can measure before. */
bool npart__measures(enum npart__release release);

/* ---- between the files of this stage ----------------------------------------------------------------------- */

/* Where the tables of view.c and typed.c speak of an operator, in `policy_rows` of its calls: a run of rows, and
 * single ones plus one, of those that are asked the first; 0: nowhere. Looked up by text once for each operator,
 * and not at each of its nodes. */
enum {
    NPART__ROW_FIRST_NEED,
    NPART__ROW_END_NEED,
    NPART__ROW_SPECIAL,
    NPART__ROW_PROPAGATION,
    NPART__ROW_ASKED
};

/* view.c: whether it names a result of which the standard infers nothing, as of the further ones of an old
 * BatchNormalization. ONNX Runtime computes such a node of constants only when the model runs (probe: onnxruntime
 * 1.31.1, versions 9 to 15). The node has a schema. */
bool npart__names_unknown_results(const struct npart__graph *graph, const struct npart__node *node);
/* typed.c: whether ONNX's own inference says anything of a node's results, which it does where the operands that it
 * begins with have a type. */
bool npart__is_typed(const struct npart__call *call);
uint8_t npart__find_asked(const char *op);
/* fuse.c: before a Reshape is inferred, its target as the runtime's fusion would write it. */
void npart__fuse_reshape(const struct npart__call *call);
/* common_subexpression.c: fills in `first_equal` and `equal_uses`; false when out of memory. */
bool npart__find_common_subexpressions(struct npart__inference *inference);

#endif
