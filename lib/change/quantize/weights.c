/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights alone: a MatMul with a constant matrix becomes MatMulNBits or MatMulBnb4 of com.microsoft, in its place
 * (onnxruntime/quantization: matmul_nbits_quantizer.py, matmul_bnb4_quantizer.py).
 */
#include "quantize/internal.h"

#define NF4 1 /* quant_type of MatMulBnb4 */

static bool is_bnb4(const struct npart__quantizer *quantizer)
{
    return quantizer->format->weight_type == NPART__UINT8; /* nf4 alone has it (formats.def) */
}

static unsigned bits_of(const struct npart__quantizer *quantizer, const struct npart__quantized *weight)
{
    return weight->is_wide ? 8 : npart__type_bits(quantizer->format->weight_type);
}

/* [K, N]; leading dims of 1 are no hindrance to MatMulNBits where the other operand has as many dims. */
static bool is_matrix(struct npart__quantizer *quantizer, const Onnx__NodeProto *node, int64_t *rows, int64_t *columns)
{
    const struct npart__quantized *weight =
        node->n_input == 2 && node->n_output == 1 ? npart__quantized_at(quantizer, node->input[1]) : NULL;
    const Onnx__TensorProto *tensor = weight ? weight->initializer : NULL;
    if (strcmp(node->op_type, "MatMul") != 0 || (node->domain && *node->domain) || !tensor || tensor->n_dims != 2 ||
        tensor->dims[0] <= 0 || tensor->dims[1] <= 0 || !npart__is_quantizable(weight))
        return false;
    *rows = tensor->dims[0];
    *columns = tensor->dims[1];
    return true;
}

/* [N, blocks, bytes of a block], a scale a block, and zero points in as many bits as weights. */
static void add_blocks(struct npart__quantizer *quantizer, struct npart__quantized *weight, int64_t rows,
                       int64_t columns, const char *names[3])
{
    unsigned bits = bits_of(quantizer, weight);
    int64_t block = quantizer->format->block, blocks = (rows + block - 1) / block;
    int64_t packed[3] = {columns, blocks, block * bits / 8}, scales[2] = {columns, blocks};
    int64_t zeros[2] = {columns, (blocks * bits + 7) / 8};
    const char *name = weight->initializer->name;
    names[0] = npart__quantizer_name(quantizer, name, bits == 4 ? "_Q4" : "_Q8");
    names[1] = npart__quantizer_name(quantizer, name, "_scales");
    names[2] = npart__quantizer_name(quantizer, name, "_zero_points");
    if (quantizer->failed)
        return;
    npart__quantizer_tensor(quantizer, names[0], NPART__UINT8, packed, 3, 0, true);
    npart__quantizer_tensor(quantizer, names[1], weight->element_type, scales, 2, 1.0 / 64, true);
    npart__quantizer_tensor(quantizer, names[2], NPART__UINT8, zeros, 2, 0, true);
}

/* The flattened weight in nibbles, and the largest number of each block. */
static void add_bnb4(struct npart__quantizer *quantizer, struct npart__quantized *weight, int64_t rows,
                     int64_t columns, const char *names[3])
{
    int64_t elements = rows * columns, packed = (elements + 1) / 2;
    int64_t blocks = (elements + quantizer->format->block - 1) / quantizer->format->block;
    names[0] = npart__quantizer_name(quantizer, weight->initializer->name, "_Bnb4");
    names[1] = npart__quantizer_name(quantizer, weight->initializer->name, "_absmax");
    if (quantizer->failed)
        return;
    npart__quantizer_tensor(quantizer, names[0], NPART__UINT8, &packed, 1, 0, true);
    npart__quantizer_tensor(quantizer, names[1], weight->element_type, &blocks, 1, 1.0 / 64, true);
}

static void replace(struct npart__quantizer *quantizer, Onnx__NodeProto *node, int64_t rows, int64_t columns)
{
    struct npart__quantized *weight = npart__quantized_at(quantizer, node->input[1]);
    const char *names[3] = {NULL};
    bool bnb4 = is_bnb4(quantizer);
    unsigned bits = bits_of(quantizer, weight);
    if (bnb4)
        add_bnb4(quantizer, weight, rows, columns, names);
    else
        add_blocks(quantizer, weight, rows, columns, names);
    if (quantizer->failed)
        return;
    const char *const operands[] = {node->input[0], names[0], names[1], names[2], NULL};
    const char *suffix = bnb4 ? "_Bnb4" : bits == 4 ? "_Q4" : "_Q8";
    bool has_name = node->name && *node->name;
    const char *name = has_name ? npart__arena_format(quantizer->arena, "%s%s", node->name, suffix) : "";
    Onnx__NodeProto *made = npart__quantizer_node(quantizer, bnb4 ? "MatMulBnb4" : "MatMulNBits", "com.microsoft", name,
                                                  operands, node->output[0]);
    npart__quantizer_int(quantizer, made, "K", rows);
    npart__quantizer_int(quantizer, made, "N", columns);
    npart__quantizer_int(quantizer, made, "block_size", quantizer->format->block);
    npart__quantizer_int(quantizer, made, bnb4 ? "quant_type" : "bits", bnb4 ? NF4 : bits);
    if (!made)
        return;
    /* It stands where the product stood. */
    made->metadata_props = node->metadata_props;
    made->n_metadata_props = node->n_metadata_props;
    *node = *made;
    quantizer->nodes.count--;
    if (--weight->uses == 0)
        weight->reads = names[0];
}

npart_status npart__quantize_weights(struct npart__quantizer *quantizer, struct npart_error *error)
{
    for (size_t i = 0; i < quantizer->main->n_node && !quantizer->failed; i++) {
        int64_t rows, columns;
        if (quantizer->is_kept[i] || !is_matrix(quantizer, quantizer->main->node[i], &rows, &columns))
            continue;
        replace(quantizer, quantizer->main->node[i], rows, columns);
    }
    quantizer->failed |= !npart__edit_import(quantizer->model, "com.microsoft", 1, quantizer->arena);
    return quantizer->failed ? npart__fail_memory(error) : NPART_OK;
}
