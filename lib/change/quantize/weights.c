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

/* A graph, and those round it. */
struct level {
    const struct level *outer;
    Onnx__GraphProto *graph;
};

/* By name, the innermost first. */
static const Onnx__TensorProto *find_tensor(const struct level *level, const char *name)
{
    for (; level; level = level->outer)
        for (size_t i = 0; i < level->graph->n_initializer; i++)
            if (level->graph->initializer[i]->name && strcmp(level->graph->initializer[i]->name, name) == 0)
                return level->graph->initializer[i];
    return NULL;
}

static int64_t dim_of(const struct npart__quantized *weight, size_t from_last)
{
    return weight->initializer->dims[weight->initializer->n_dims - 1 - from_last];
}

/* Two dims; more, all of 1, where the file says that the other operand has as many (_get_static_rank): else the
 * quantizer puts a Reshape after the product, which is left out here. */
static bool is_plane(const struct npart__quantizer *quantizer, const Onnx__TensorProto *tensor,
                     const struct npart__quantized *operand)
{
    size_t rank = tensor->n_dims;
    if (rank < 2 || (rank > 2 && (is_bnb4(quantizer) || !operand || operand->declared_rank < rank)))
        return false;
    for (size_t i = 0; i + 2 < rank; i++)
        if (tensor->dims[i] != 1)
            return false;
    return tensor->dims[rank - 2] > 0 && tensor->dims[rank - 1] > 0;
}

/* What the node has for its constant matrix, [K, N]; false: it has none. Those of the main graph are known by name. */
static bool find_matrix(struct npart__quantizer *quantizer, const Onnx__NodeProto *node, const struct level *level,
                        struct npart__quantized *out)
{
    if (!node->op_type || strcmp(node->op_type, "MatMul") != 0 || (node->domain && *node->domain) ||
        node->n_input != 2 || node->n_output != 1)
        return false;
    const struct npart__quantized *of_main = level->outer ? NULL : npart__quantized_at(quantizer, node->input[1]);
    const Onnx__TensorProto *tensor = level->outer ? find_tensor(level, node->input[1])
                                      : of_main    ? of_main->initializer
                                                   : NULL;
    if (!tensor || !is_plane(quantizer, tensor, npart__quantized_at(quantizer, node->input[0])))
        return false;
    *out = of_main ? *of_main : (struct npart__quantized){.element_type = (uint8_t)tensor->data_type};
    out->initializer = (Onnx__TensorProto *)(uintptr_t)tensor;
    return npart__is_quantizable(out);
}

/* [N, blocks, bytes of a block], a scale a block, and zero points in as many bits as weights. */
static void add_blocks(struct npart__quantizer *quantizer, const struct npart__quantized *weight, const char *names[3])
{
    int64_t rows = dim_of(weight, 1), columns = dim_of(weight, 0);
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
static void add_bnb4(struct npart__quantizer *quantizer, const struct npart__quantized *weight, const char *names[3])
{
    int64_t elements = dim_of(weight, 1) * dim_of(weight, 0), packed = (elements + 1) / 2;
    int64_t blocks = (elements + quantizer->format->block - 1) / quantizer->format->block;
    names[0] = npart__quantizer_name(quantizer, weight->initializer->name, "_Bnb4");
    names[1] = npart__quantizer_name(quantizer, weight->initializer->name, "_absmax");
    if (quantizer->failed)
        return;
    npart__quantizer_tensor(quantizer, names[0], NPART__UINT8, &packed, 1, 0, true);
    npart__quantizer_tensor(quantizer, names[1], weight->element_type, &blocks, 1, 1.0 / 64, true);
}

/* Tensors of a body's product stand in the main graph, where the body finds them as well. The name of the first. */
static const char *replace(struct npart__quantizer *quantizer, Onnx__NodeProto *node,
                           const struct npart__quantized *weight)
{
    const char *names[3] = {NULL};
    bool bnb4 = is_bnb4(quantizer);
    unsigned bits = bits_of(quantizer, weight);
    if (bnb4)
        add_bnb4(quantizer, weight, names);
    else
        add_blocks(quantizer, weight, names);
    if (quantizer->failed)
        return NULL;
    const char *const operands[] = {node->input[0], names[0], names[1], names[2], NULL};
    const char *suffix = bnb4 ? "_Bnb4" : bits == 4 ? "_Q4" : "_Q8";
    bool has_name = node->name && *node->name;
    const char *name = has_name ? npart__arena_format(quantizer->arena, "%s%s", node->name, suffix) : "";
    Onnx__NodeProto *made = npart__quantizer_node(quantizer, bnb4 ? "MatMulBnb4" : "MatMulNBits", "com.microsoft", name,
                                                  operands, node->output[0]);
    npart__quantizer_int(quantizer, made, "K", dim_of(weight, 1));
    npart__quantizer_int(quantizer, made, "N", dim_of(weight, 0));
    npart__quantizer_int(quantizer, made, "block_size", quantizer->format->block);
    npart__quantizer_int(quantizer, made, bnb4 ? "quant_type" : "bits", bnb4 ? NF4 : bits);
    if (!made)
        return NULL;
    /* It stands where the product stood. */
    made->metadata_props = node->metadata_props;
    made->n_metadata_props = node->n_metadata_props;
    *node = *made;
    quantizer->nodes.count--;
    return names[0];
}

/* Bodies first, as the quantizer goes through them (_process_subgraph); a body is a message within the main graph's, so
 * the depth of the scan is that of this recursion. */
static void replace_all(struct npart__quantizer *quantizer, const struct level *level)
{
    for (size_t i = 0; i < level->graph->n_node && !quantizer->failed; i++) {
        Onnx__NodeProto *node = level->graph->node[i];
        for (size_t k = 0; k < node->n_attribute; k++) {
            Onnx__AttributeProto *attribute = node->attribute[k];
            if (attribute->g)
                replace_all(quantizer, &(struct level){level, attribute->g});
            for (size_t n = 0; n < attribute->n_graphs; n++)
                replace_all(quantizer, &(struct level){level, attribute->graphs[n]});
        }
        struct npart__quantized matrix;
        if ((!level->outer && quantizer->is_kept[i]) || !find_matrix(quantizer, node, level, &matrix))
            continue;
        struct npart__quantized *of_main = level->outer ? NULL : npart__quantized_at(quantizer, node->input[1]);
        const char *name = replace(quantizer, node, &matrix);
        if (of_main && --of_main->uses == 0)
            of_main->reads = name;
    }
}

npart_status npart__quantize_weights(struct npart__quantizer *quantizer, struct npart_error *error)
{
    replace_all(quantizer, &(struct level){NULL, quantizer->main});
    quantizer->failed |= !npart__edit_import(quantizer->model, "com.microsoft", 1, quantizer->arena);
    return quantizer->failed ? npart__fail_memory(error) : NPART_OK;
}
