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

/* The constant matrix of a node, [K, N]; NULL: it has none. Of two dims; or more, all others 1, where the file says
 * that the other operand has as many (_get_static_rank): else the quantizer puts a Reshape after the product, which is
 * left out here. */
static const struct npart__tensor *find_matrix(const struct npart__quantizer *quantizer, const Onnx__NodeProto *node,
                                               const struct npart__node *at)
{
    const struct npart__graph *graph = quantizer->graph;
    if (!node->op_type || strcmp(node->op_type, "MatMul") != 0 || (node->domain && *node->domain) ||
        node->n_input != 2 || node->n_output != 1 || npart__node_input(graph, at, 1) == NPART_NONE)
        return NULL;
    const struct npart__quantized *operand = npart__quantized_at(quantizer, node->input[0]);
    const struct npart__tensor *tensor = npart__value_at(graph, npart__node_input(graph, at, 1))->tensor;
    uint32_t rank = tensor ? tensor->rank : 0;
    if (rank < 2 || (rank > 2 && (is_bnb4(quantizer) || !operand || operand->declared_rank < rank)))
        return NULL;
    for (uint32_t i = 0; i + 2 < rank; i++)
        if (tensor->dims[i] != 1)
            return NULL;
    return tensor->elements && npart__is_quantizable_type(tensor->element_type) ? tensor : NULL;
}

/* A tensor of what a matrix becomes, whose numbers are nowhere; its name. */
static const char *add_part(struct npart__quantizer *quantizer, const struct npart__tensor *matrix, const char *suffix,
                            int element_type, const int64_t *dims, size_t rank)
{
    const char *name = npart__new_name(quantizer, matrix->name, suffix);
    npart__add_tensor(quantizer, name, element_type, dims, rank, NULL, NPART__ABSENT);
    return name;
}

/* Of MatMulNBits [N, blocks, bytes of a block], a scale a block, and zero points in as many bits as weights; of
 * MatMulBnb4 the flattened weight in nibbles, and the largest number of each block. Those of a body's product stand in
 * the main graph, where the body finds them as well. The name of the first. */
static const char *replace(struct npart__quantizer *quantizer, Onnx__NodeProto *node,
                           const struct npart__tensor *matrix, bool is_wide)
{
    bool bnb4 = is_bnb4(quantizer), has_name = node->name && *node->name;
    unsigned bits = is_wide ? 8 : npart__type_bits(quantizer->format->weight_type);
    int64_t rows = matrix->dims[matrix->rank - 2], columns = matrix->dims[matrix->rank - 1];
    int64_t block = quantizer->format->block, blocks = (rows + block - 1) / block;
    int64_t numbers[3] = {columns, blocks, block * bits / 8}, zeros[2] = {columns, (blocks * bits + 7) / 8};
    int64_t flat = (rows * columns + 1) / 2, flat_blocks = (rows * columns + block - 1) / block;
    const char *suffix = bnb4 ? "_Bnb4" : bits == 4 ? "_Q4" : "_Q8";
    const char *name = has_name ? npart__arena_format(quantizer->arena, "%s%s", node->name, suffix) : "";
    const char *first = bnb4 ? add_part(quantizer, matrix, suffix, NPART__UINT8, &flat, 1)
                             : add_part(quantizer, matrix, suffix, NPART__UINT8, numbers, 3);
    const char *scales = bnb4 ? add_part(quantizer, matrix, "_absmax", matrix->element_type, &flat_blocks, 1)
                              : add_part(quantizer, matrix, "_scales", matrix->element_type, numbers, 2);
    const char *middle = bnb4 ? NULL : add_part(quantizer, matrix, "_zero_points", NPART__UINT8, zeros, 2);
    Onnx__NodeProto *made =
        NPART__ADD_NODE(quantizer, bnb4 ? "com.microsoft:MatMulBnb4" : "com.microsoft:MatMulNBits", name,
                        node->output[0], node->input[0], first, scales, middle);
    npart__set_int(quantizer, made, "K", rows);
    npart__set_int(quantizer, made, "N", columns);
    npart__set_int(quantizer, made, "block_size", block);
    npart__set_int(quantizer, made, bnb4 ? "quant_type" : "bits", bnb4 ? NF4 : bits);
    if (!made)
        return NULL;
    /* It stands where the product stood. */
    made->metadata_props = node->metadata_props;
    made->n_metadata_props = node->n_metadata_props;
    *node = *made;
    quantizer->nodes.count--;
    return first;
}

/* Bodies first, as the quantizer goes through them (_process_subgraph); a body is a message within the main graph's, so
 * the depth of the scan is that of this recursion. */
static void replace_all(struct npart__quantizer *quantizer, Onnx__GraphProto *of, uint32_t scope)
{
    const struct npart__graph *graph = quantizer->graph;
    const struct npart__scope *nodes = npart__scope_at(graph, scope);
    for (uint32_t i = 0; i < of->n_node && i < nodes->node_count && !quantizer->arena->failed; i++) {
        Onnx__NodeProto *node = of->node[i];
        const struct npart__node *at = npart__node_at(graph, nodes->first_node + i);
        for (size_t k = 0, body = 0, count; k < node->n_attribute; k++) {
            Onnx__GraphProto **bodies = npart__edit_bodies(node->attribute[k], &count);
            for (size_t n = 0; n < count && body < at->body_count; n++)
                replace_all(quantizer, bodies[n], at->first_body + (uint32_t)body++);
        }
        const struct npart__tensor *matrix = find_matrix(quantizer, node, at);
        if (!matrix || (!scope && quantizer->is_kept[i]))
            continue;
        struct npart__quantized *of_main = scope ? NULL : npart__quantized_at(quantizer, node->input[1]);
        const char *name = replace(quantizer, node, matrix, of_main && of_main->is_wide);
        if (of_main && --of_main->uses == 0)
            of_main->reads = name;
    }
}

void npart__quantize_weights(struct npart__quantizer *quantizer)
{
    replace_all(quantizer, quantizer->main, 0);
    (void)npart__edit_import(quantizer->model, "com.microsoft", 1, quantizer->arena);
}
