/* SPDX-License-Identifier: Apache-2.0
 *
 * Activations quantized while the model runs: MatMul with a constant matrix becomes MatMulInteger, Conv ConvInteger,
 * with DynamicQuantizeLinear before and a Cast and two Mul after (onnxruntime/quantization: quantize_dynamic,
 * operators/matmul.py, conv.py); a Gather of a constant reads it quantized, and a Transpose moves what is quantized
 * (gather.py, direct_q8.py); LSTM and Attention become operators of com.microsoft (lstm.py, attention.py).
 */
#include "quantize/internal.h"

static void name_parts(struct npart__quantizer *quantizer, struct npart__quantized *tensor, const char *name)
{
    tensor->quantized_name = npart__new_name(quantizer, name, "_quantized");
    npart__name_scales(quantizer, tensor, name);
}

/* What DynamicQuantizeLinear makes of an activation, once for all its users. */
static const struct npart__quantized *quantize_activation(struct npart__quantizer *quantizer, const char *name)
{
    static const struct npart__quantized none;
    struct npart__quantized *tensor = npart__quantized_at(quantizer, name);
    if (!tensor || tensor->scale_name)
        return tensor ? tensor : &none;
    const char *node_name = npart__new_name(quantizer, name, "_QuantizeLinear");
    name_parts(quantizer, tensor, name);
    Onnx__NodeProto *node =
        NPART__ADD_NODE(quantizer, "DynamicQuantizeLinear", node_name, tensor->quantized_name, name);
    if (node) {
        node->output = (char **)(uintptr_t)tensor->parts;
        node->n_output = 3;
    }
    return tensor;
}

/* One scale, or one for each of the first dims; a weight that several nodes have is quantized once. */
static const struct npart__quantized *quantize_weight(struct npart__quantizer *quantizer,
                                                      struct npart__quantized *tensor, int element_type,
                                                      bool is_transposed, size_t scale_rank)
{
    const Onnx__TensorProto *own = tensor->initializer;
    int64_t turned[NPART__LIMIT_RANK] = {0};
    const int64_t *dims = is_transposed && own->n_dims >= 2 ? turned : own->dims;
    for (size_t i = 0; i < own->n_dims; i++)
        turned[i] = own->dims[i + 2 < own->n_dims ? i : i + 2 == own->n_dims ? i + 1 : i - 1];
    if (!tensor->scale_name) {
        name_parts(quantizer, tensor, own->name);
        npart__add_tensor(quantizer, tensor->quantized_name, element_type, dims, own->n_dims, NULL, NPART__ABSENT);
        npart__add_tensor(quantizer, tensor->scale_name, tensor->element_type, own->dims, scale_rank, NULL,
                          npart__stand_in(quantizer, tensor));
        npart__add_tensor(quantizer, tensor->zero_name, element_type, own->dims, scale_rank, NULL, 0);
    }
    if (--tensor->uses == 0)
        tensor->reads = tensor->quantized_name;
    return tensor;
}

/* name + suffix of a node, or of its result where it has no name. */
static const char *name_after(struct npart__quantizer *quantizer, const Onnx__NodeProto *node, const char *suffix)
{
    return npart__new_name(quantizer, node->name && *node->name ? node->name : node->output[0], suffix);
}

/* Integers to floats: their type, times both scales. `result`: what the last Mul makes. */
static void scale_back(struct npart__quantizer *quantizer, const Onnx__NodeProto *node, const char *integers,
                       const struct npart__quantized *a, const struct npart__quantized *b, const char *result)
{
    const char *cast = npart__new_name(quantizer, integers, "_cast_output");
    const char *scales_name = name_after(quantizer, node, "_quant_scales_mul");
    const char *scales = npart__new_name(quantizer, scales_name, ":0");
    const char *name = npart__new_name(quantizer, integers, "_cast");
    npart__set_int(quantizer, NPART__ADD_NODE(quantizer, "Cast", name, cast, integers), "to", b->element_type);
    NPART__ADD_NODE(quantizer, "Mul", scales_name, scales, a->scale_name, b->scale_name);
    NPART__ADD_NODE(quantizer, "Mul", name_after(quantizer, node, "_quant_output_scale_mul"), result, cast, scales);
}

/* The bias of a Conv, with a dim for each of the result's. */
static void add_bias(struct npart__quantizer *quantizer, const Onnx__NodeProto *node, size_t rank, const char *sum)
{
    double shape[NPART__LIMIT_RANK];
    int64_t count = (int64_t)rank;
    const char *dims = npart__new_name(quantizer, node->output[0], "_bias_reshape_shape");
    const char *bias = npart__new_name(quantizer, node->output[0], "_bias_reshape_output");
    for (size_t i = 0; i < rank; i++)
        shape[i] = i == 1 ? -1 : 1;
    npart__add_tensor(quantizer, dims, NPART__INT64, &count, 1, shape, 0);
    NPART__ADD_NODE(quantizer, "Reshape", "", bias, node->input[2], dims);
    NPART__ADD_NODE(quantizer, "Add", npart__new_name(quantizer, node->output[0], "_bias_add"), node->output[0], sum,
                    bias);
}

/* What takes a node's place has its attributes, but for one that says how operands lie, and what is noted of it;
 * `result` NULL: and its results. `operands`: each `.` and the number of one of the node's; or `a` or `b`, and which
 * part. */
static void replace(struct npart__quantizer *quantizer, const Onnx__NodeProto *node, uint32_t place, const char *op,
                    const char *name, const char *result, const char *operands, const struct npart__quantized *a,
                    const struct npart__quantized *b)
{
    const char *list[16] = {NULL};
    for (size_t i = 0; *operands; operands += operands[2] ? 3 : 2) {
        size_t number = (size_t)(operands[1] - '0');
        const struct npart__quantized *part = *operands == 'a' ? a : *operands == 'b' ? b : NULL;
        list[i++] = part ? part->parts[number] : number < node->n_input ? node->input[number] : "";
    }
    Onnx__NodeProto *made = npart__add_node(quantizer, op, name, result ? result : node->output[0], list);
    quantizer->is_removed[place] = true;
    if (!made)
        return;
    made->output = result ? made->output : node->output;
    made->n_output = result ? 1 : node->n_output;
    made->attribute = npart__arena_zeroed(quantizer->arena, node->n_attribute + 1, sizeof(Onnx__AttributeProto *));
    for (size_t i = 0; made->attribute && i < node->n_attribute; i++)
        if (!node->attribute[i]->name || strcmp(node->attribute[i]->name, "layout") != 0)
            made->attribute[made->n_attribute++] = node->attribute[i];
    made->metadata_props = node->metadata_props;
    made->n_metadata_props = node->n_metadata_props;
}

static void quantize_product(struct npart__quantizer *quantizer, Onnx__NodeProto *node, uint32_t place, bool is_conv,
                             bool is_transposed)
{
    struct npart__quantized *weight = npart__quantized_at(quantizer, node->input[1]);
    size_t rank = weight->initializer ? weight->initializer->n_dims : 0;
    /* Quantized for another node the other way round: this one stays. */
    if (weight->initializer && weight->scale_name && weight->axis != is_transposed)
        return;
    weight->axis = weight->initializer ? is_transposed : weight->axis;
    bool has_bias = is_conv && node->n_input > 2 && *node->input[2];
    const struct npart__quantized *a = quantize_activation(quantizer, node->input[0]);
    const struct npart__quantized *b =
        weight->initializer ? quantize_weight(quantizer, weight, quantizer->format->weight_type, is_transposed, 0)
                            : quantize_activation(quantizer, node->input[1]);
    const char *integers = npart__new_name(quantizer, node->output[0], "_output_quantized");
    const char *result =
        has_bias ? npart__new_name(quantizer, node->output[0], "_quant_scaled_output") : node->output[0];
    replace(quantizer, node, place, is_conv ? "ConvInteger" : "MatMulInteger", name_after(quantizer, node, "_quant"),
            integers, "a0 b0 a2 b2", a, b);
    scale_back(quantizer, node, integers, a, b, result);
    if (has_bias)
        add_bias(quantizer, node, rank, result);
}

/* A Gemm that is a product and a sum is made these two before (onnx_model.py, replace_gemm_with_matmul): as MatMul and
 * Add have names of their own then, so has what is made of them. */
static void split_gemm(struct npart__quantizer *quantizer, Onnx__NodeProto *node, uint32_t place)
{
    bool has_sum = node->n_input > 2 && *node->input[2];
    const char *base = node->name && *node->name ? node->name : node->output[0];
    const char *product = has_sum ? npart__new_name(quantizer, node->output[0], "_MatMul") : node->output[0];
    Onnx__NodeProto like = *node;
    like.n_input = 2;
    like.n_attribute = 0;
    like.name = npart__arena_format(quantizer->arena, "%s_MatMul", base);
    like.output = (char *[]){(char *)(uintptr_t)product};
    const char *sum_name = npart__arena_format(quantizer->arena, "%s_Add", base);
    if (quantizer->arena->failed)
        return;
    quantize_product(quantizer, &like, place, false, npart__onnx_int(node, "transB") != 0);
    if (has_sum && quantizer->is_removed[place])
        NPART__ADD_NODE(quantizer, "Add", sum_name, node->output[0], product, node->input[2]);
}

/* The result is there as integers alone; who needs it otherwise gets it in the end. */
static void make_integers(struct npart__quantizer *quantizer, Onnx__NodeProto *node, const struct npart__quantized *of)
{
    struct npart__quantized *result = npart__quantized_at(quantizer, node->output[0]);
    const char *integers = npart__new_name(quantizer, node->output[0], "_quantized");
    if (quantizer->arena->failed || !result)
        return;
    result->quantized_name = integers;
    result->scale_name = of->scale_name;
    result->zero_name = of->zero_name;
    result->role = NPART__ROLE_ACTIVATION;
    node->input[0] = (char *)(uintptr_t)of->quantized_name;
    node->output[0] = (char *)(uintptr_t)integers;
}

static void dequantize(struct npart__quantizer *quantizer, const char *name)
{
    struct npart__quantized *tensor = npart__quantized_at(quantizer, name);
    if (!tensor || !tensor->role || tensor->is_done)
        return;
    tensor->is_done = true;
    NPART__ADD_NODE(quantizer, "DequantizeLinear", npart__new_name(quantizer, name, "_DequantizeLinear"), name,
                    tensor->quantized_name, tensor->scale_name, tensor->zero_name);
}

static void dequantize_where_needed(struct npart__quantizer *quantizer)
{
    Onnx__GraphProto *graph = quantizer->main;
    for (size_t i = 0; i < graph->n_node; i++)
        for (size_t k = 0; !quantizer->is_removed[i] && k < graph->node[i]->n_input; k++)
            dequantize(quantizer, graph->node[i]->input[k]);
    for (uint32_t i = 0; i < quantizer->nodes.count; i++)
        for (size_t k = 0; k < quantizer->nodes.items[i]->n_input; k++)
            dequantize(quantizer, quantizer->nodes.items[i]->input[k]);
    for (uint32_t i = 0; i < quantizer->tensor_count; i++)
        if (quantizer->tensors[i].is_output || quantizer->tensors[i].is_captured)
            dequantize(quantizer, quantizer->tensors[i].name);
}

/* One of com.microsoft. */
static void replace_alike(struct npart__quantizer *quantizer, const Onnx__NodeProto *node, uint32_t place,
                          const char *op, const char *operands, const struct npart__quantized *a,
                          const struct npart__quantized *b)
{
    const char *name = node->name && *node->name ? npart__new_name(quantizer, node->name, "_quant") : "";
    replace(quantizer, node, place, op, name, NULL, operands, a, b);
    (void)npart__edit_import(quantizer->model, "com.microsoft", 1, quantizer->arena);
}

/* Weights as [directions, input, gates], with a scale for each direction. */
static void quantize_lstm(struct npart__quantizer *quantizer, const Onnx__NodeProto *node, uint32_t place)
{
    struct npart__quantized *w = npart__quantized_at(quantizer, node->input[1]);
    struct npart__quantized *r = npart__quantized_at(quantizer, node->input[2]);
    if (w->initializer->n_dims != 3 || r->initializer->n_dims != 3)
        return;
    const struct npart__quantized *a = quantize_weight(quantizer, w, NPART__INT8, true, 1);
    replace_alike(quantizer, node, place, "com.microsoft:DynamicQuantizeLSTM", ".0 a0 b0 .3 .4 .5 .6 .7 a1 a2 b1 b2", a,
                  quantize_weight(quantizer, r, NPART__INT8, true, 1));
}

static void quantize_attention(struct npart__quantizer *quantizer, const Onnx__NodeProto *node, uint32_t place)
{
    if (npart__onnx_attribute(node, "qkv_hidden_sizes"))
        return;
    struct npart__quantized *weight = npart__quantized_at(quantizer, node->input[1]);
    const struct npart__quantized *a = quantize_activation(quantizer, node->input[0]);
    replace_alike(quantizer, node, place, "com.microsoft:QAttention", "a0 b0 .2 a1 b1 .3 a2 b2 .4", a,
                  quantize_weight(quantizer, weight, quantizer->format->weight_type, false, 0));
}

static bool is_float_weight(struct npart__quantizer *quantizer, const char *name)
{
    const struct npart__quantized *tensor = npart__quantized_at(quantizer, name);
    return npart__is_quantizable(tensor) && tensor->initializer && tensor->initializer->n_dims <= NPART__LIMIT_RANK;
}

/* alpha and beta are 1, and the first operand stands as it is. */
static bool is_plain_gemm(struct npart__quantizer *quantizer, const Onnx__NodeProto *node)
{
    const Onnx__AttributeProto *alpha = npart__onnx_attribute(node, "alpha");
    const Onnx__AttributeProto *beta = npart__onnx_attribute(node, "beta");
    return strcmp(node->op_type, "Gemm") == 0 && is_float_weight(quantizer, node->input[1]) &&
           !is_float_weight(quantizer, node->input[0]) && (!alpha || alpha->f == 1) && (!beta || beta->f == 1) &&
           !npart__onnx_int(node, "transA");
}

/* A Conv quantizes a weight that is none, too, as an activation; one with a bias it then refuses (conv.py). */
static bool is_quantized_conv(struct npart__quantizer *quantizer, const Onnx__NodeProto *node)
{
    const struct npart__quantized *weight = npart__quantized_at(quantizer, node->input[1]);
    if (strcmp(node->op_type, "Conv") != 0 || is_float_weight(quantizer, node->input[0]))
        return false;
    return is_float_weight(quantizer, node->input[1]) ||
           (node->n_input == 2 && weight && !weight->initializer && weight->element_type == NPART__FLOAT);
}

static void quantize_node(struct npart__quantizer *quantizer, Onnx__NodeProto *node, uint32_t place)
{
    const char *op = node->op_type;
    bool has_weight = node->n_input >= 2 && is_float_weight(quantizer, node->input[1]);
    bool is_one = node->n_output == 1 && node->n_input >= 2;
    struct npart__quantized *first = node->n_input ? npart__quantized_at(quantizer, node->input[0]) : NULL;
    if (is_one && is_quantized_conv(quantizer, node))
        quantize_product(quantizer, node, place, true, false);
    else if (is_one && has_weight && strcmp(op, "MatMul") == 0 && !is_float_weight(quantizer, node->input[0]))
        quantize_product(quantizer, node, place, false, false);
    else if (is_one && is_plain_gemm(quantizer, node))
        split_gemm(quantizer, node, place);
    else if (is_one && strcmp(op, "Gather") == 0 && is_float_weight(quantizer, node->input[0]))
        make_integers(quantizer, node, quantize_weight(quantizer, first, quantizer->format->activation_type, false, 0));
    else if (strcmp(op, "Transpose") == 0 && node->n_output == 1 && first && first->quantized_name)
        make_integers(quantizer, node, first);
    else if (strcmp(op, "LSTM") == 0 && has_weight && node->n_input > 2 && is_float_weight(quantizer, node->input[2]))
        quantize_lstm(quantizer, node, place);
    else if (strcmp(op, "Attention") == 0 && has_weight && node->n_input > 2)
        quantize_attention(quantizer, node, place);
}

void npart__quantize_dynamic(struct npart__quantizer *quantizer)
{
    for (uint32_t i = 0; i < quantizer->main->n_node && !quantizer->arena->failed; i++)
        if (!quantizer->is_kept[i])
            quantize_node(quantizer, quantizer->main->node[i], i);
    if (!quantizer->arena->failed)
        dequantize_where_needed(quantizer);
}
