/* SPDX-License-Identifier: Apache-2.0
 *
 * Losses (NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss), and of ai.onnx.preview.training the optimizers and
 * Gradient.
 */
#include "infer/families.h"

/* A scalar, or without reduction one number for each target: scores [8,10], targets [8] -> [] or [8]. A second output
 * (log_prob) is shaped like the scores. */
void npart__infer_loss(struct npart__call *call)
{
    npart__set_shape_like(call, 1, npart__in(call, 0));
    if (strcmp(npart__string_attribute(call, "reduction", "mean"), "none") == 0)
        npart__set_shape_like(call, 0, npart__in(call, 1));
    else
        npart__set_rank(call, 0, 0);
}

/* The type too, since the schema lets each tensor have its own. */
static void set_like(struct npart__call *call, uint32_t output, uint32_t input)
{
    const struct npart__fact *in = npart__in(call, input);
    npart__set_shape_like(call, output, in);
    npart__set_element_type(call, output, in->element_type);
}

/* Each output is like the input of the same place: a Gradient like what it is the gradient to. */
void npart__infer_each_like_its_input(struct npart__call *call)
{
    for (uint32_t i = 0; i < call->node->output_count; i++)
        set_like(call, i, i);
}

/* Inputs: two scalars (rate, count), then blocks of as many tensors as are trained: the tensors, their gradients, and
 * what the optimizer remembers of them. Outputs: the same blocks without the gradients. The parameter counts input
 * blocks: with Adagrad's 3 and tensors x, y, inputs R T x y dx dy hx hy give outputs x y hx hy. */
void npart__infer_optimizer(struct npart__call *call)
{
    uint32_t blocks = (uint32_t)call->row->parameter;
    if (call->node->input_count < 2 + blocks)
        return;
    /* At least 1, by the line above. */
    uint32_t trained = (call->node->input_count - 2) / blocks;
    for (uint32_t i = 0; i < call->node->output_count && i / trained < blocks - 1; i++) {
        uint32_t block = i / trained;
        set_like(call, i, 2 + (block ? block + 1 : 0) * trained + i % trained);
    }
}
