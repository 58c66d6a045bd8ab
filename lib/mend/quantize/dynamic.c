/* SPDX-License-Identifier: Apache-2.0
 *
 * Activations quantized while the model runs: MatMul with a constant matrix becomes MatMulInteger, Conv ConvInteger,
 * with DynamicQuantizeLinear before and a Cast and two Mul after (onnxruntime/quantization: quantize_dynamic,
 * operators/matmul.py, conv.py); a Gather of a constant reads it quantized (gather.py).
 */
#include "quantize/internal.h"

static void name_parts(struct npart__quantizer *quantizer, struct npart__quantized *tensor, const char *name)
{
    tensor->quantized_name = npart__quantizer_name(quantizer, name, "_quantized");
    npart__name_scales(quantizer, tensor, name);
}

/* What DynamicQuantizeLinear makes of an activation, once for all its users. */
struct operand {
    const char *value, *scale, *zero;
};

static struct operand quantize_activation(struct npart__quantizer *quantizer, const char *name)
{
    struct npart__quantized *tensor = npart__quantized_at(quantizer, name);
    struct operand made = {NULL, NULL, NULL};
    if (!tensor)
        return made;
    if (!tensor->scale_name) {
        const char *node_name = npart__quantizer_name(quantizer, name, "_QuantizeLinear");
        name_parts(quantizer, tensor, name);
        const char *const operands[] = {name, NULL};
        if (!quantizer->failed)
            npart__quantizer_results(quantizer,
                                     npart__quantizer_node(quantizer, "DynamicQuantizeLinear", "", node_name, operands,
                                                           tensor->quantized_name),
                                     tensor->scale_name, tensor->zero_name);
    }
    return (struct operand){tensor->quantized_name, tensor->scale_name, tensor->zero_name};
}

/* One scale; a weight that several nodes have is quantized once. */
static struct operand quantize_weight(struct npart__quantizer *quantizer, struct npart__quantized *tensor,
                                      int element_type, bool is_transposed)
{
    const Onnx__TensorProto *own = tensor->initializer;
    const int64_t turned[2] = {own->n_dims == 2 ? own->dims[1] : 0, own->n_dims == 2 ? own->dims[0] : 0};
    const int64_t *dims = is_transposed && own->n_dims == 2 ? turned : own->dims;
    if (!tensor->scale_name) {
        name_parts(quantizer, tensor, own->name);
        if (!quantizer->failed) {
            npart__quantizer_tensor(quantizer, tensor->quantized_name, element_type, dims, own->n_dims, 0, true);
            npart__quantizer_tensor(quantizer, tensor->scale_name, tensor->element_type, NULL, 0, 1.0 / 64, false);
            npart__quantizer_tensor(quantizer, tensor->zero_name, element_type, NULL, 0, 0, false);
        }
    }
    if (--tensor->uses == 0)
        tensor->reads = tensor->quantized_name;
    return (struct operand){tensor->quantized_name, tensor->scale_name, tensor->zero_name};
}

/* name + suffix of a node, or of its result where it has no name. */
static const char *name_after(struct npart__quantizer *quantizer, const Onnx__NodeProto *node, const char *suffix)
{
    return npart__quantizer_name(quantizer, node->name && *node->name ? node->name : node->output[0], suffix);
}

/* Integers to floats: their type, times both scales. `result`: what the last Mul makes. */
static void scale_back(struct npart__quantizer *quantizer, const Onnx__NodeProto *node, const char *integers,
                       const struct operand *a, const struct operand *b, int element_type, const char *result)
{
    const char *cast = npart__quantizer_name(quantizer, integers, "_cast_output");
    const char *cast_name = npart__quantizer_name(quantizer, integers, "_cast");
    const char *scales_name = name_after(quantizer, node, "_quant_scales_mul");
    const char *scales = npart__quantizer_name(quantizer, scales_name, ":0");
    const char *last_name = name_after(quantizer, node, "_quant_output_scale_mul");
    if (quantizer->failed)
        return;
    const char *const to_cast[] = {integers, NULL}, *const both[] = {a->scale, b->scale, NULL};
    const char *const last[] = {cast, scales, NULL};
    npart__quantizer_int(quantizer, npart__quantizer_node(quantizer, "Cast", "", cast_name, to_cast, cast), "to",
                         element_type);
    (void)npart__quantizer_node(quantizer, "Mul", "", scales_name, both, scales);
    (void)npart__quantizer_node(quantizer, "Mul", "", last_name, last, result);
}

/* The bias of a Conv, with a dim for each of the result's. */
static void add_bias(struct npart__quantizer *quantizer, const Onnx__NodeProto *node, size_t rank, const char *sum)
{
    double shape[NPART__LIMIT_RANK];
    int64_t count = (int64_t)rank;
    const char *dims = npart__quantizer_name(quantizer, node->output[0], "_bias_reshape_shape");
    const char *bias = npart__quantizer_name(quantizer, node->output[0], "_bias_reshape_output");
    const char *name = npart__quantizer_name(quantizer, node->output[0], "_bias_add");
    if (quantizer->failed)
        return;
    for (size_t i = 0; i < rank; i++)
        shape[i] = i == 1 ? -1 : 1;
    npart__quantizer_numbers(quantizer, dims, NPART__INT64, &count, 1, shape);
    const char *const to_reshape[] = {node->input[2], dims, NULL}, *const to_add[] = {sum, bias, NULL};
    (void)npart__quantizer_node(quantizer, "Reshape", "", "", to_reshape, bias);
    (void)npart__quantizer_node(quantizer, "Add", "", name, to_add, node->output[0]);
}

static void quantize_product(struct npart__quantizer *quantizer, Onnx__NodeProto *node, uint32_t place, bool is_conv,
                             bool is_transposed)
{
    struct npart__quantized *weight = npart__quantized_at(quantizer, node->input[1]);
    size_t rank = weight->initializer->n_dims;
    /* Quantized for another node the other way round: this one stays. */
    if (weight->scale_name && weight->axis != is_transposed)
        return;
    weight->axis = is_transposed;
    bool has_bias = is_conv && node->n_input > 2 && *node->input[2];
    struct operand a = quantize_activation(quantizer, node->input[0]);
    struct operand b = quantize_weight(quantizer, weight, quantizer->format->weight_type, is_transposed);
    const char *integers = npart__quantizer_name(quantizer, node->output[0], "_output_quantized");
    const char *name = name_after(quantizer, node, "_quant");
    const char *result = has_bias ? npart__quantizer_name(quantizer, node->output[0], "_quant_scaled_output")
                                  : node->output[0];
    if (quantizer->failed)
        return;
    const char *const operands[] = {a.value, b.value, a.zero, b.zero, NULL};
    Onnx__NodeProto *made =
        npart__quantizer_node(quantizer, is_conv ? "ConvInteger" : "MatMulInteger", "", name, operands, integers);
    if (made) {
        made->attribute = node->attribute;
        made->n_attribute = node->n_attribute;
        made->metadata_props = node->metadata_props;
        made->n_metadata_props = node->n_metadata_props;
    }
    scale_back(quantizer, node, integers, &a, &b, weight->element_type, result);
    if (has_bias)
        add_bias(quantizer, node, rank, result);
    quantizer->is_removed[place] = true;
}

/* A Gemm that is a product and a sum is made these two before (onnx_model.py, replace_gemm_with_matmul): as MatMul and
 * Add have names of their own then, so has what is made of them. */
static void split_gemm(struct npart__quantizer *quantizer, Onnx__NodeProto *node, uint32_t place)
{
    bool has_sum = node->n_input > 2 && *node->input[2];
    const char *base = node->name && *node->name ? node->name : node->output[0];
    const char *product = has_sum ? npart__quantizer_name(quantizer, node->output[0], "_MatMul") : node->output[0];
    Onnx__NodeProto like = *node;
    like.n_input = 2;
    like.n_attribute = 0;
    like.name = npart__arena_format(quantizer->arena, "%s_MatMul", base);
    like.output = npart__arena_zeroed(quantizer->arena, 1, sizeof *like.output);
    const char *sum_name = npart__arena_format(quantizer->arena, "%s_Add", base);
    quantizer->failed |= !like.name || !like.output || !sum_name || !product;
    if (quantizer->failed)
        return;
    like.output[0] = (char *)(uintptr_t)product;
    quantize_product(quantizer, &like, place, false, npart__onnx_int(node, "transB") != 0);
    const char *const operands[] = {product, has_sum ? node->input[2] : NULL, NULL};
    if (has_sum && quantizer->is_removed[place] && !quantizer->failed)
        (void)npart__quantizer_node(quantizer, "Add", "", sum_name, operands, node->output[0]);
}

static void quantize_lookup(struct npart__quantizer *quantizer, Onnx__NodeProto *node)
{
    struct npart__quantized *weight = npart__quantized_at(quantizer, node->input[0]);
    struct operand table = quantize_weight(quantizer, weight, quantizer->format->activation_type, false);
    const char *integers = npart__quantizer_name(quantizer, node->output[0], "_quantized");
    const char *name = npart__quantizer_name(quantizer, node->output[0], "_DequantizeLinear");
    if (quantizer->failed)
        return;
    const char *const operands[] = {integers, table.scale, table.zero, NULL};
    (void)npart__quantizer_node(quantizer, "DequantizeLinear", "", name, operands, node->output[0]);
    node->input[0] = (char *)(uintptr_t)table.value;
    node->output[0] = (char *)(uintptr_t)integers;
}

static bool is_float_weight(struct npart__quantizer *quantizer, const char *name)
{
    const struct npart__quantized *tensor = npart__quantized_at(quantizer, name);
    return npart__is_quantizable(tensor) && tensor->initializer && tensor->initializer->n_dims <= NPART__LIMIT_RANK;
}

/* alpha and beta are 1, and the first operand stands as it is. */
static bool is_plain_gemm(struct npart__quantizer *quantizer, const Onnx__NodeProto *node)
{
    bool is_plain = strcmp(node->op_type, "Gemm") == 0 && is_float_weight(quantizer, node->input[1]) &&
                    !is_float_weight(quantizer, node->input[0]);
    for (size_t i = 0; is_plain && i < node->n_attribute; i++) {
        const Onnx__AttributeProto *attribute = node->attribute[i];
        const char *name = attribute->name ? attribute->name : "";
        is_plain = !((strcmp(name, "alpha") == 0 || strcmp(name, "beta") == 0) && attribute->f != 1) &&
                   !(strcmp(name, "transA") == 0 && attribute->i);
    }
    return is_plain;
}

npart_status npart__quantize_dynamic(struct npart__quantizer *quantizer, struct npart_error *error)
{
    for (uint32_t i = 0; i < quantizer->main->n_node && !quantizer->failed; i++) {
        Onnx__NodeProto *node = quantizer->main->node[i];
        bool is_conv = strcmp(node->op_type, "Conv") == 0, is_known = node->n_input >= 2 && node->n_output == 1;
        bool is_product = is_conv || strcmp(node->op_type, "MatMul") == 0;
        if (is_known && is_product && is_float_weight(quantizer, node->input[1]) &&
            !is_float_weight(quantizer, node->input[0]))
            quantize_product(quantizer, node, i, is_conv, false);
        else if (is_known && is_plain_gemm(quantizer, node))
            split_gemm(quantizer, node, i);
        else if (is_known && strcmp(node->op_type, "Gather") == 0 && is_float_weight(quantizer, node->input[0]))
            quantize_lookup(quantizer, node);
    }
    return quantizer->failed ? npart__fail_memory(error) : NPART_OK;
}
