/* SPDX-License-Identifier: Apache-2.0
 *
 * Quantizing and dequantizing, of ai.onnx and com.microsoft. Shapes stay; what has to be found out is the element type,
 * which may stand in an attribute, in the zero point, in the scale, or nowhere.
 */
#include "infer/families.h"

/* QuantizeLinear: the type is the zero point's, else that of output_dtype (opset 21), else uint8. Set from the weakest
 * to the strongest, each of which changes nothing where it is absent. */
void npart__infer_quantize(struct npart__call *call)
{
    npart__set_shape_like(call, 0, npart__in(call, 0));
    npart__set_element_type(call, 0, NPART__UINT8);
    npart__set_known_type(call, 0, npart__int_attribute(call, "output_dtype", 0));
    npart__set_type_like(call, 0, 2);
}

/* DequantizeLinear: the type is the attribute's (output_dtype, opset 23), else the scale's (opset 19), else float32. */
void npart__infer_dequantize(struct npart__call *call)
{
    int64_t type = npart__int_attribute(call, "output_dtype", 0);
    npart__set_shape_like(call, 0, npart__in(call, 0));
    npart__set_element_type(call, 0, NPART__FLOAT);
    /* A scale of unknown type leaves float32. */
    npart__set_known_type(call, 0, type ? type : npart__in(call, 1)->element_type);
}

/* Sums and products of bytes, where the schema leaves the type open, are of 32 bits. */
void npart__widen_type(const struct npart__call *call)
{
    int type = npart__in(call, 0)->element_type;
    if (!npart__out(call, 0)->element_type && (type == NPART__UINT8 || type == NPART__INT8))
        npart__set_element_type(call, 0, type == NPART__UINT8 ? NPART__UINT32 : NPART__INT32);
}

/* com.microsoft's quantized elementwise operators, whose operands stand between scales and zero points: the parameter
 * has a bit for each input that broadcasts. QLinearAdd(A, A_scale, A_zero_point, B, ...) has bits 0 and 3. */
void npart__infer_broadcast_of(struct npart__call *call)
{
    const struct npart__fact *facts[32];
    uint32_t rank, count = 0;
    int64_t *dims;
    /* The parameter has no more bits than there are facts. */
    for (uint32_t i = 0; i < NPART__COUNT(facts); i++)
        if ((uint32_t)call->row->parameter >> i & 1)
            facts[count++] = npart__in(call, i);
    npart__widen_type(call);
    if (npart__broadcast(call, facts, count, &rank, &dims))
        npart__set_dims(call, 0, rank, dims);
}

/* com.microsoft.DequantizeBFP: the shape is the numbers of input 1, which the parameter names. */
void npart__infer_shape_from_input(struct npart__call *call)
{
    uint32_t rank, shape = (uint32_t)call->row->parameter;
    const int64_t *sizes = npart__in_ints(call, shape, &rank);
    npart__set_known_type(call, 0, npart__int_attribute(call, "dtype", NPART__FLOAT));
    if (sizes)
        npart__set_sizes(call, 0, rank, sizes);
}

/* com.microsoft.GatherBlockQuantized: like Gather, with the result dequantized to the scales' type. Data of 4 bits
 * in uint8 holds two elements a byte along the quantized axis, which is the last. */
void npart__infer_gather_block_quantized(struct npart__call *call)
{
    const struct npart__fact *data = npart__in(call, 0), *indices = npart__in(call, 1);
    uint32_t axis, quantized;
    npart__set_type_like(call, 0, 2);
    if (!data->has_rank || !indices->has_rank || data->rank == 0 ||
        !npart__normalize_axis(npart__int_attribute(call, "gather_axis", 0), data->rank, &axis) ||
        !npart__normalize_axis(npart__int_attribute(call, "quantize_axis", 1), data->rank, &quantized))
        return;
    int64_t *dims = npart__splice_dims(call, data, axis, 1, indices->dims, indices->rank);
    int64_t bits = npart__int_attribute(call, "bits", 4);
    int64_t packed = data->element_type == NPART__UINT8 && bits > 0 && bits < 8 ? 8 / bits : 1;
    uint32_t place = quantized < axis ? quantized : quantized - 1 + indices->rank; /* in the result */
    if (dims && quantized != axis)
        dims[place] = npart__product(call->pool, dims[place], packed);
    npart__set_dims(call, 0, data->rank - 1u + indices->rank, dims);
}
