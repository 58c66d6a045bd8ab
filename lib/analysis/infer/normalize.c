/* SPDX-License-Identifier: Apache-2.0
 *
 * Normalizations: the first output is shaped like the input, the others hold statistics. Those without statistics
 * (InstanceNormalization, GroupNormalization, LRN, RMSNormalization) are rows of npart__infer_same.
 */
#include "infer/families.h"

/* Outputs after the first hold one number a channel, shaped like the scale: running mean and variance in training, and
 * in old versions the saved ones too. */
void npart__infer_batch_normalization(struct npart__call *call)
{
    npart__set_shape_like(call, 0, npart__in(call, 0));
    for (uint32_t i = 1; i < call->node->output_count; i++)
        npart__set_shape_like(call, i, npart__in(call, 1));
}

/* Mean and inverse deviation keep the dims before `axis` and have 1 for the others: [2,128,768] with axis -1 has
 * statistics [2,128,1]. */
static void set_statistics(struct npart__call *call, uint32_t output, const struct npart__fact *in, uint32_t axis)
{
    int64_t *dims = npart__new_dims(call, in->rank);
    for (uint32_t i = 0; dims && i < in->rank; i++)
        dims[i] = i < axis ? in->dims[i] : 1;
    npart__set_dims(call, output, in->rank, dims);
}

/* LayerNormalization (opset 17): Y, Mean, InvStdDev. The statistics are of the type that stash_type names, float32
 * unless it says otherwise, whatever the input's is. */
void npart__infer_layer_normalization(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t axis;
    npart__set_shape_like(call, 0, in);
    if (!call->node->schema) /* ONNX Runtime has it before opset 17 */
        npart__set_type_like(call, 0, 0);
    int64_t stash = npart__int_attribute(call, "stash_type", NPART__FLOAT);
    for (uint32_t i = 1; i < call->node->output_count; i++) {
        npart__set_element_type(call, i, stash > 0 && stash <= UINT8_MAX ? (int)stash : NPART__FLOAT);
        if (in->has_rank && npart__normalize_axis(npart__int_attribute(call, "axis", -1), in->rank, &axis))
            set_statistics(call, i, in, axis);
    }
}

/* com.microsoft: output, mean, inv_std_var, input_skip_bias_sum. It normalizes the last axis; the sum, output 3, is
 * what went into the normalization. */
void npart__infer_skip_layer_normalization(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    npart__set_shape_like(call, 0, in);
    npart__set_shape_like(call, 3, in);
    if (in->element_type)
        npart__set_element_type(call, 3, in->element_type);
    for (uint32_t i = 1; i < 3; i++) {
        npart__set_element_type(call, i, NPART__FLOAT);
        if (in->has_rank && in->rank)
            set_statistics(call, i, in, in->rank - 1u);
    }
}
