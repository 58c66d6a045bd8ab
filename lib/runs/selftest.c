/* SPDX-License-Identifier: Apache-2.0
 *
 * The models of `selftest`: a few nodes, written as the wire format.
 */
#include <stdio.h>

#include "runs/runs.h"

/* In the order in which they are tried. */
enum selftest_kind {
    SELFTEST_CONV,       /* Conv and Relu, of float32 */
    SELFTEST_CONVS,      /* two Conv, which need no activation to be fused */
    SELFTEST_CONV_INT8,  /* the same between QuantizeLinear and DequantizeLinear, int8 in and out */
    SELFTEST_CONV_UINT8, /* ... uint8 */
    SELFTEST_CONV_EDGES, /* ... float32 in and out */
    SELFTEST_CONVS_INT8, /* two Conv, int8 in and out */
    SELFTEST_GEMM,       /* Gemm and Relu, of float32 */
    SELFTEST_ONE,        /* a Conv alone, for what takes one node at a time */
    SELFTEST_KINDS
};
_Static_assert(SELFTEST_KINDS == NPART_SELFTEST_MODELS, "as the header says");

/* TensorProto.DataType. */
enum type { FLOAT = 1, UINT8 = 2, INT8 = 3, INT32 = 6 };

/* Channels, kernel and size of the image; small, and multiples of what compilers tile by. */
#define IN 8
#define OUT 16
#define KERNEL 3
#define SIDE 16

/* ---- the wire format --------------------------------------------------------------------------------------------- */

static void put_varint(struct npart__buffer *to, uint64_t value)
{
    do {
        uint8_t byte = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        npart__append(to, (const char *)&byte, 1);
        value >>= 7;
    } while (value);
}

static void put_number(struct npart__buffer *to, unsigned field, uint64_t value)
{
    put_varint(to, field << 3);
    put_varint(to, value);
}

static void put_field(struct npart__buffer *to, unsigned field, const void *data, size_t size)
{
    put_varint(to, field << 3 | 2);
    put_varint(to, size);
    if (size)
        npart__append(to, data, size);
}

static void put_text(struct npart__buffer *to, unsigned field, const char *text)
{
    put_field(to, field, text, strlen(text));
}

static void put_message(struct npart__buffer *to, unsigned field, const struct npart__buffer *message)
{
    put_field(to, field, message->data, message->size);
}

/* ---- parts of a graph -------------------------------------------------------------------------------------------- */

static void put_value(struct npart__buffer *graph, unsigned field, const char *name, enum type type,
                      const int64_t *dims, size_t rank)
{
    const struct npart__buffer none = {.arena = graph->arena};
    struct npart__buffer shape = none, tensor = none, of = none, value = none;
    for (size_t i = 0; i < rank; i++) {
        struct npart__buffer dim = none;
        put_number(&dim, 1, (uint64_t)dims[i]);
        put_message(&shape, 1, &dim);
    }
    put_number(&tensor, 1, type);
    put_message(&tensor, 2, &shape);
    put_message(&of, 1, &tensor);
    put_text(&value, 1, name);
    put_message(&value, 2, &of);
    put_message(graph, field, &value);
}

static void put_tensor(struct npart__buffer *graph, const char *name, enum type type, const int64_t *dims, size_t rank,
                       const void *data, size_t size)
{
    struct npart__buffer tensor = {.arena = graph->arena};
    for (size_t i = 0; i < rank; i++)
        put_number(&tensor, 1, (uint64_t)dims[i]);
    put_number(&tensor, 2, type);
    put_text(&tensor, 8, name);
    put_field(&tensor, 9, data, size);
    put_message(graph, 5, &tensor);
}

/* Inputs up to an empty name; the node is called as its result. */
static struct npart__buffer begin_node(const struct npart__buffer *graph, const char *op, const char *const *inputs,
                               const char *output)
{
    struct npart__buffer node = {.arena = graph->arena};
    for (; *inputs; inputs++)
        put_text(&node, 1, *inputs);
    put_text(&node, 2, output);
    put_text(&node, 3, output);
    put_text(&node, 4, op);
    return node;
}

static void put_node(struct npart__buffer *graph, const char *op, const char *const *inputs, const char *output)
{
    struct npart__buffer node = begin_node(graph, op, inputs, output);
    put_message(graph, 1, &node);
}

static void put_ints(struct npart__buffer *node, const char *name, const int64_t *values, size_t count)
{
    struct npart__buffer attribute = {.arena = node->arena};
    put_text(&attribute, 1, name);
    for (size_t i = 0; i < count; i++)
        put_number(&attribute, 8, (uint64_t)values[i]);
    put_number(&attribute, 20, 7);
    put_message(node, 5, &attribute);
}

static void put_conv(struct npart__buffer *graph, const char *const *inputs, const char *output)
{
    static const int64_t pads[] = {1, 1, 1, 1}, kernel[] = {KERNEL, KERNEL};
    struct npart__buffer node = begin_node(graph, "Conv", inputs, output);
    put_ints(&node, "kernel_shape", kernel, 2);
    put_ints(&node, "pads", pads, 4);
    put_message(graph, 1, &node);
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

/* The same everywhere, with either sign, none of them zero alone. */
static int8_t weight_at(size_t index)
{
    return (int8_t)((int)(index * 37 + 11) % 61 - 30);
}

#define WEIGHT_SCALE 0.01f
#define DATA_SCALE 0.05f

static void put_float_weights(struct npart__buffer *graph, const char *name, const int64_t *dims, size_t rank)
{
    float values[OUT * OUT * KERNEL * KERNEL];
    size_t count = 1;
    for (size_t i = 0; i < rank; i++)
        count *= (size_t)dims[i];
    for (size_t i = 0; i < count; i++)
        values[i] = WEIGHT_SCALE * (float)weight_at(i);
    put_tensor(graph, name, FLOAT, dims, rank, values, count * sizeof *values);
}

static void put_scale(struct npart__buffer *graph, const char *name, float scale)
{
    put_tensor(graph, name, FLOAT, NULL, 0, &scale, sizeof scale);
}

/* A weight or bias with DequantizeLinear after it: NAME_q, NAME_scale, NAME_zero and the node NAME. */
static void put_quantized(struct npart__buffer *graph, const char *name, enum type type, const int64_t *dims,
                          size_t rank, float scale)
{
    char stored[16], scale_name[16], zero_name[16];
    int8_t bytes[OUT * OUT * KERNEL * KERNEL];
    int32_t numbers[OUT] = {0}, zero = 0;
    size_t count = 1;
    (void)snprintf(stored, sizeof stored, "%s_q", name);
    (void)snprintf(scale_name, sizeof scale_name, "%s_scale", name);
    (void)snprintf(zero_name, sizeof zero_name, "%s_zero", name);
    for (size_t i = 0; i < rank; i++)
        count *= (size_t)dims[i];
    for (size_t i = 0; i < count; i++)
        if (type == INT32)
            numbers[i] = 16 * weight_at(i);
        else
            bytes[i] = weight_at(i);
    bool is_wide = type == INT32;
    put_tensor(graph, stored, type, dims, rank, is_wide ? (const void *)numbers : bytes, is_wide ? count * 4 : count);
    put_scale(graph, scale_name, scale);
    put_tensor(graph, zero_name, type, NULL, 0, &zero, is_wide ? 4 : 1);
    const char *inputs[] = {stored, scale_name, zero_name, NULL};
    put_node(graph, "DequantizeLinear", inputs, name);
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

static const int64_t image[] = {1, IN, SIDE, SIDE}, result[] = {1, OUT, SIDE, SIDE};
static const int64_t filter[] = {OUT, IN, KERNEL, KERNEL}, second[] = {OUT, OUT, KERNEL, KERNEL};
static const int64_t bias[] = {OUT};

static void add_conv(struct npart__buffer *graph)
{
    static const char *const conv[] = {"x", "w", "b", NULL}, *const relu[] = {"conv", NULL};
    put_conv(graph, conv, "conv");
    put_node(graph, "Relu", relu, "y");
    put_float_weights(graph, "w", filter, 4);
    put_float_weights(graph, "b", bias, 1);
    put_value(graph, 11, "x", FLOAT, image, 4);
    put_value(graph, 12, "y", FLOAT, result, 4);
}

static void add_convs(struct npart__buffer *graph, bool has_second)
{
    static const char *const one[] = {"x", "w", "b", NULL}, *const two[] = {"conv", "w2", "b2", NULL};
    put_conv(graph, one, has_second ? "conv" : "y");
    put_float_weights(graph, "w", filter, 4);
    put_float_weights(graph, "b", bias, 1);
    if (has_second) {
        put_conv(graph, two, "y");
        put_float_weights(graph, "w2", second, 4);
        put_float_weights(graph, "b2", bias, 1);
    }
    put_value(graph, 11, "x", FLOAT, image, 4);
    put_value(graph, 12, "y", FLOAT, result, 4);
}

static void add_gemm(struct npart__buffer *graph)
{
    static const int64_t row[] = {1, IN}, matrix[] = {IN, OUT}, out[] = {1, OUT};
    static const char *const gemm[] = {"x", "w", "b", NULL}, *const relu[] = {"gemm", NULL};
    put_node(graph, "Gemm", gemm, "gemm");
    put_node(graph, "Relu", relu, "y");
    put_float_weights(graph, "w", matrix, 2);
    put_float_weights(graph, "b", bias, 1);
    put_value(graph, 11, "x", FLOAT, row, 2);
    put_value(graph, 12, "y", FLOAT, out, 2);
}

/* One scale for all activations: Relu of symmetric integers needs no other. Without edges the graph begins at the
 * DequantizeLinear and ends at the QuantizeLinear. */
static void add_quantized(struct npart__buffer *graph, enum type type, bool has_edges, bool has_second)
{
    static const char *const conv[] = {"x_float", "w", "b", NULL}, *const relu[] = {"conv_float", NULL};
    static const char *const two[] = {"conv_float", "w2", "b2", NULL};
    const char *in[] = {has_edges ? "x_in" : "x", "x_scale", "x_zero", NULL};
    const char *between[] = {"conv", "x_scale", "x_zero", NULL}, *after[] = {"conv_int", "x_scale", "x_zero", NULL};
    const char *last[] = {has_second ? "conv2" : "relu", "x_scale", "x_zero", NULL};
    const char *out[] = {"y_int", "x_scale", "x_zero", NULL};
    uint8_t zero = type == UINT8 ? 128 : 0;
    if (has_edges) {
        const char *first[] = {"x", "x_scale", "x_zero", NULL};
        put_node(graph, "QuantizeLinear", first, "x_in");
    }
    put_node(graph, "DequantizeLinear", in, "x_float");
    put_quantized(graph, "w", INT8, filter, 4, WEIGHT_SCALE);
    put_quantized(graph, "b", INT32, bias, 1, WEIGHT_SCALE * DATA_SCALE);
    put_conv(graph, conv, "conv");
    put_node(graph, "QuantizeLinear", between, "conv_int");
    put_node(graph, "DequantizeLinear", after, "conv_float");
    if (has_second) {
        put_quantized(graph, "w2", INT8, second, 4, WEIGHT_SCALE);
        put_quantized(graph, "b2", INT32, bias, 1, WEIGHT_SCALE * DATA_SCALE);
        put_conv(graph, two, "conv2");
    } else {
        put_node(graph, "Relu", relu, "relu");
    }
    put_node(graph, "QuantizeLinear", last, has_edges ? "y_int" : "y");
    if (has_edges)
        put_node(graph, "DequantizeLinear", out, "y");
    put_scale(graph, "x_scale", DATA_SCALE);
    put_tensor(graph, "x_zero", type, NULL, 0, &zero, 1);
    put_value(graph, 11, "x", has_edges ? FLOAT : type, image, 4);
    put_value(graph, 12, "y", has_edges ? FLOAT : type, result, 4);
}

static void add_graph(struct npart__buffer *graph, enum selftest_kind kind)
{
    put_text(graph, 2, "selftest");
    if (kind == SELFTEST_CONV)
        add_conv(graph);
    else if (kind == SELFTEST_CONVS || kind == SELFTEST_ONE)
        add_convs(graph, kind == SELFTEST_CONVS);
    else if (kind == SELFTEST_GEMM)
        add_gemm(graph);
    else
        add_quantized(graph, kind == SELFTEST_CONV_UINT8 ? UINT8 : INT8, kind == SELFTEST_CONV_EDGES,
                      kind == SELFTEST_CONVS_INT8);
}

/* Opset 13 has per-channel quantization and is old enough for every converter; IR version 7 is that of its release. */
npart_status npart_selftest_model(uint32_t index, struct npart_selftest_model *out, npart_write_callback write,
                                  void *payload, struct npart_error *error)
{
    static const char *const ops[] = {
        [SELFTEST_CONV] = "Conv, Relu",
        [SELFTEST_CONVS] = "Conv, Conv",
        [SELFTEST_CONV_INT8] = "Conv, Relu, quantized",
        [SELFTEST_CONV_UINT8] = "Conv, Relu, quantized",
        [SELFTEST_CONV_EDGES] = "Conv, Relu, quantized",
        [SELFTEST_CONVS_INT8] = "Conv, Conv, quantized",
        [SELFTEST_GEMM] = "Gemm, Relu",
        [SELFTEST_ONE] = "Conv",
    };
    struct npart__arena arena;
    if (!write || !NPART__HAS_ROOM(out))
        return npart__fail_null(!write ? "write" : "out", error);
    if (index >= SELFTEST_KINDS)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there are %d models", SELFTEST_KINDS);
    struct npart__buffer model, graph, opset;
    npart__buffer_open(&model, &arena, NULL, NULL, NULL);
    graph = opset = model;
    bool is_int8 = index == SELFTEST_CONV_INT8 || index == SELFTEST_CONVS_INT8;
    *out = (struct npart_selftest_model){
        .size = sizeof *out,
        .ops = ops[index],
        .input_type = is_int8 ? "int8" : index == SELFTEST_CONV_UINT8 ? "uint8" : "float32"};
    add_graph(&graph, (enum selftest_kind)index);
    put_number(&model, 1, 7);
    put_text(&model, 2, "npu-partition selftest");
    put_message(&model, 7, &graph);
    put_number(&opset, 2, 13);
    put_message(&model, 8, &opset);
    return npart__buffer_end(&model, write, payload, NPART_OK, error);
}
