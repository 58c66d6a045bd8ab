/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the weights of a model and their bytes, and has each measured once.
 */
#include <math.h>

#include "onnx/onnx.h"
#include "weights/internal.h"
#include "wire/files.h"

#define LEAST_DIMS 2u /* vectors are biases and scales */

enum layout { ROWS, STATES, COLUMNS, LEFT, TURNED, MIDDLE, PACKED };

static const struct {
    const char *op;
    uint32_t operand;
    uint8_t layout; /* enum layout */
} rows[] = {
#define CHANNELS(op, operand, layout) {op, operand, layout},
#include "operator_channels.def"
};

struct reading {
    struct npart__arena *arena;
    const struct npart__graph *graph;
    struct npart__weight_list *out;
    const char *path;
    bool *is_met; /* by value: its weight was measured */
    int descriptor; /* of the file that was opened last; -1: none */
    const char *open_file;
    struct npart_error *error;
};

/* ---- where it is ------------------------------------------------------------------------------------------------- */

/* From a place in the file on; NULL: it is in none. */
static npart_status find_in_file(struct reading *reading, const char *path, const char *weight, uint64_t offset,
                                 struct npart__weight_bytes *out)
{
    if (path && (!reading->open_file || strcmp(reading->open_file, path) != 0)) {
        if (reading->descriptor >= 0)
            npart__file_close(reading->descriptor);
        reading->descriptor = npart__file_open(path);
        reading->open_file = reading->descriptor < 0 ? NULL : path;
    }
    out->file = path;
    out->offset = offset;
    out->descriptor = reading->descriptor;
    return path && reading->descriptor >= 0 ? NPART_OK
                                            : npart__fail(reading->error, NPART_ERROR_READ, path ? path : "-",
                                                          "the file of weight %s is not there", weight);
}

static npart_status find_external(struct reading *reading, const struct npart__external *at, const char *weight,
                                  struct npart__weight_bytes *out)
{
    npart_status status = npart__check_location(at->location, reading->error);
    if (status != NPART_OK)
        return status;
    const char *folder = reading->graph->folder && *reading->graph->folder ? reading->graph->folder : ".";
    const char *path = npart__arena_format(reading->arena, "%s/%s", folder, at->location);
    return path ? find_in_file(reading, path, weight, at->offset, out) : npart__fail_memory(reading->error);
}

/* Numbers of typed fields, which stand in the skeleton. */
static npart_status find_typed(struct reading *reading, const struct npart__tensor *tensor,
                               struct npart__weight_bytes *out)
{
    float *numbers = npart__arena_allocate(reading->arena, (size_t)tensor->elements * sizeof *numbers);
    double *wide = npart__arena_allocate(reading->arena, (size_t)tensor->elements * sizeof *wide);
    if (!numbers || !wide)
        return npart__fail_memory(reading->error);
    bool is_read = npart__tensor_doubles(tensor, wide, tensor->elements);
    for (uint64_t i = 0; is_read && i < tensor->elements; i++)
        numbers[i] = (float)wide[i];
    npart__arena_release(reading->arena, wide);
    out->data = (const uint8_t *)numbers;
    out->type = NPART__FLOAT;
    out->is_native = true;
    return NPART_OK;
}

static npart_status find_bytes(struct reading *reading, const struct npart__tensor *tensor, const char *name,
                               struct npart__weight_bytes *out)
{
    const Onnx__TensorProto *proto = tensor->data;
    struct npart__external external;
    struct npart__elided elided;
    *out = (struct npart__weight_bytes){.file = reading->path, .type = tensor->element_type};
    if (npart__tensor_external(tensor, &external))
        return find_external(reading, &external, name, out);
    for (unsigned i = 0; tensor->place == NPART__TENSOR_ELIDED && npart__onnx_elided(&proto->base, i, &elided); i++)
        if (elided.bytes == tensor->bytes)
            return find_in_file(reading, reading->path, name, elided.offset, out);
    if (tensor->place != NPART__TENSOR_INLINE)
        return npart__fail(reading->error, NPART_ERROR_MALFORMED, name,
                           "the weight's data does not fit its dims and type");
    out->data = proto->raw_data.data;
    return proto->has_raw_data ? NPART_OK : find_typed(reading, tensor, out);
}

/* The constant of an operand that has elements, by its own name or a Constant's result; NULL: it is none. */
static const struct npart__tensor *constant_of(const struct reading *reading, const struct npart__node *node,
                                               uint32_t operand)
{
    const struct npart__graph *graph = reading->graph;
    uint32_t value = npart__node_input(graph, node, operand), maker = npart__producer(graph, value);
    const struct npart__tensor *tensor = value == NPART_NONE ? NULL : npart__value_at(graph, value)->tensor;
    if (maker != NPART_NONE && npart__plays(graph, maker, NPART__ROLE_CONSTANT)) {
        const struct npart__attribute *given = npart__node_attribute(graph, npart__node_at(graph, maker), "value");
        tensor = given && given->type == NPART_ATTRIBUTE_TENSOR ? given->u.tensor : NULL;
    }
    return tensor && !tensor->is_sparse && tensor->elements ? tensor : NULL;
}

static const char *operand_name(const struct reading *reading, const struct npart__node *node, uint32_t operand)
{
    return npart__value_name(reading->graph, npart__node_input(reading->graph, node, operand));
}

/* Of a type whose losses are measured. */
static bool is_wide_float(const struct npart__tensor *tensor)
{
    return npart__type_is_float(tensor->element_type) && npart__type_bits(tensor->element_type) >= 16;
}

/* ---- how it lies ------------------------------------------------------------------------------------------------- */

static uint64_t product(const int64_t *dims, uint32_t count)
{
    uint64_t all;
    (void)npart__dims_elements(dims, count, &all);
    return all;
}

static struct npart__weight_shape shape_of(const struct npart__graph *graph, const struct npart__node *node,
                                           uint8_t layout, const struct npart__tensor *tensor)
{
    const int64_t *dims = tensor->dims;
    uint32_t rank = tensor->rank;
    if (layout == TURNED)
        layout = npart__node_int(graph, node, "transB", 0) ? ROWS : COLUMNS;
    if (layout == COLUMNS)
        return (struct npart__weight_shape){product(dims, rank - 2), (uint64_t)dims[rank - 2],
                                            (uint64_t)dims[rank - 1], 1};
    if (layout == MIDDLE)
        return (struct npart__weight_shape){1, (uint64_t)dims[0], (uint64_t)dims[1], product(dims + 2, rank - 2)};
    uint32_t first = layout == LEFT ? rank - 1 : layout == STATES ? 2 : 1;
    return (struct npart__weight_shape){1, 1, product(dims, first), product(dims + first, rank - first)};
}

/* ---- each once --------------------------------------------------------------------------------------------------- */

/* Whether it is the first time that the operand is met. */
static bool is_first(struct reading *reading, const struct npart__node *node, uint32_t operand)
{
    bool *is_met = &reading->is_met[npart__node_input(reading->graph, node, operand)], was_met = *is_met;
    *is_met = true;
    return !was_met;
}

static npart_status measure(struct reading *reading, const struct npart__node *node, uint32_t operand,
                            struct npart_weight_loss weight, const struct npart__weight_shape *shape,
                            const struct npart__weight_bytes *bytes)
{
    weight.size = sizeof weight;
    weight.two_of_four = -1;
    weight.name = operand_name(reading, node, operand);
    weight.node = node->name;
    weight.op = npart__node_op(reading->graph, node);
    npart_status status = npart__weight_measure(&weight, shape, bytes, reading->arena, reading->error);
    reading->out->bytes += weight.bytes;
    if (status == NPART_OK && !NPART__PUSH(reading->arena, &reading->out->items, weight))
        status = npart__fail_memory(reading->error);
    return status;
}

static npart_status read_operand(struct reading *reading, const struct npart__node *node, uint32_t operand,
                                 uint8_t layout)
{
    const struct npart__tensor *tensor = constant_of(reading, node, operand);
    if (!tensor || !is_wide_float(tensor) || tensor->rank < (layout == STATES ? 3 : LEAST_DIMS) ||
        !is_first(reading, node, operand))
        return NPART_OK;
    struct npart_weight_loss weight = {.dims = tensor->dims, .rank = tensor->rank, .elements = tensor->elements,
                                       .bytes = tensor->bytes};
    struct npart__weight_shape shape = shape_of(reading->graph, node, layout, tensor);
    struct npart__weight_bytes bytes;
    npart_status status = find_bytes(reading, tensor, operand_name(reading, node, operand), &bytes);
    return status == NPART_OK ? measure(reading, node, operand, weight, &shape, &bytes) : status;
}

/* A matrix in blocks, whose numbers are what it stands for. Not one whose zeros are no integers, whose rows have an
 * order of their own, or whose parts lie in several files. */
static npart_status read_packed(struct reading *reading, const struct npart__node *node)
{
    const struct npart__graph *graph = reading->graph;
    uint64_t channels = (uint64_t)npart__node_int(graph, node, "N", 0);
    uint64_t columns = (uint64_t)npart__node_int(graph, node, "K", 0);
    struct npart__packed_weight packed = {.bits = (unsigned)npart__node_int(graph, node, "bits", 4),
                                          .block = (uint64_t)npart__node_int(graph, node, "block_size", 0),
                                          .has_zeros = npart__node_input(graph, node, 3) != NPART_NONE};
    struct npart__weight_bytes bytes, *const parts[] = {&bytes, &packed.scales, &packed.zeros};
    bool is_known = (packed.bits == 4 || packed.bits == 8) && packed.block >= 16 && packed.block <= 65536 &&
                    !(packed.block & (packed.block - 1)) && channels && columns && channels <= UINT32_MAX &&
                    columns <= UINT32_MAX && npart__node_input(graph, node, 4) == NPART_NONE;
    if (!is_known || !constant_of(reading, node, 1) || !is_first(reading, node, 1))
        return NPART_OK;
    packed.blocks = (columns + packed.block - 1) / packed.block;
    const uint64_t numbers[] = {channels * packed.blocks * packed.block * packed.bits / 8, channels * packed.blocks,
                                channels * ((packed.blocks * packed.bits + 7) / 8)};
    npart_status status = NPART_OK;
    for (uint32_t i = 0; is_known && status == NPART_OK && i < 2u + packed.has_zeros; i++) {
        const struct npart__tensor *tensor = constant_of(reading, node, i + 1);
        is_known = tensor && tensor->elements == numbers[i];
        if (is_known)
            status = find_bytes(reading, tensor, operand_name(reading, node, i + 1), parts[i]);
    }
    for (uint32_t i = 0; is_known && status == NPART_OK && i < 2u + packed.has_zeros; i++) {
        uint8_t type = parts[i]->type;
        is_known = (i == 1 ? type == NPART__FLOAT || type == NPART__FLOAT16 || type == NPART__BFLOAT16
                           : type == NPART__UINT8) &&
                   (parts[i]->data || (reading->open_file && strcmp(parts[i]->file, reading->open_file) == 0));
    }
    int64_t *dims = npart__arena_zeroed(reading->arena, 2, sizeof *dims);
    if (status != NPART_OK || !is_known || !dims)
        return status == NPART_OK && is_known ? npart__fail_memory(reading->error) : status;
    dims[0] = (int64_t)channels;
    dims[1] = (int64_t)columns;
    bytes.packed = &packed;
    return measure(reading, node, 1,
                   (struct npart_weight_loss){.rank = 2, .dims = dims, .elements = channels * columns,
                                              .bytes = numbers[0]},
                   &(struct npart__weight_shape){1, 1, channels, columns}, &bytes);
}

static npart_status read_node(struct reading *reading, const struct npart__node *node)
{
    npart_status status = NPART_OK;
    for (size_t i = 0; i < NPART__COUNT(rows) && status == NPART_OK; i++)
        if (strcmp(rows[i].op, npart__node_op(reading->graph, node)) == 0)
            status = rows[i].layout == PACKED ? read_packed(reading, node)
                                              : read_operand(reading, node, rows[i].operand, rows[i].layout);
    return status;
}

/* Of what stands sparse in the file the zeros are counted; what it would lose is not known. */
static npart_status list_sparse(struct reading *reading, uint32_t scope)
{
    static const double none[NPART__ROUNDINGS];
    static const bool unknown[NPART__ROUNDINGS];
    for (uint32_t i = 0; i < reading->graph->values.count; i++) {
        const struct npart__value *value = npart__value_at(reading->graph, i);
        const struct npart__tensor *tensor = value->scope == scope ? value->tensor : NULL;
        if (!tensor || !tensor->is_sparse || !tensor->elements || !is_wide_float(tensor))
            continue;
        const Onnx__TensorProto *values = tensor->data;
        uint64_t there = values->n_dims == 1 && values->dims[0] > 0 ? (uint64_t)values->dims[0] : 0;
        struct npart_weight_loss weight = {sizeof weight, tensor->name, "", "", .dims = tensor->dims,
                                           .rank = tensor->rank, .abs_max = (double)NAN, .two_of_four = -1,
                                           .elements = tensor->elements, .decibels = none, .is_known = unknown,
                                           .zeros = there < tensor->elements ? tensor->elements - there : 0};
        if (!NPART__PUSH(reading->arena, &reading->out->items, weight))
            return npart__fail_memory(reading->error);
    }
    return NPART_OK;
}

/* A body's weights after those of its node. Bodies are messages within messages, so the depth of the scan is that of
 * this recursion. */
static npart_status read_scope(struct reading *reading, uint32_t scope)
{
    const struct npart__scope *at = npart__scope_at(reading->graph, scope);
    npart_status status = list_sparse(reading, scope);
    for (uint32_t i = 0; i < at->node_count && status == NPART_OK; i++) {
        const struct npart__node *node = npart__node_at(reading->graph, at->first_node + i);
        status = read_node(reading, node);
        for (uint32_t k = 0; k < node->body_count && status == NPART_OK; k++)
            status = read_scope(reading, node->first_body + k);
    }
    return status;
}

npart_status npart__weights_read(const struct npart__graph *graph, const char *path, struct npart__arena *arena,
                                 struct npart__weight_list *out, struct npart_error *error)
{
    struct reading reading = {.arena = arena, .graph = graph, .out = out, .path = path, .descriptor = -1,
                              .error = error};
    *out = (struct npart__weight_list){.bytes = 0};
    reading.is_met = npart__arena_zeroed(arena, graph->values.count + (size_t)1, sizeof(bool));
    npart_status status = reading.is_met ? read_scope(&reading, 0) : npart__fail_memory(error);
    if (reading.descriptor >= 0)
        npart__file_close(reading.descriptor);
    return status;
}
