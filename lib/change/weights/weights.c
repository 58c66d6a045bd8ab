/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the weights of a model and their bytes, and has each measured once.
 */
#include <math.h>

#include "release/release.h"
#include "weights/internal.h"
#include "wire/files.h"

#define MOST_RANK 64u
#define LEAST_DIMS 2u      /* vectors are biases and scales */
#define MOST_MIDDLE 524288u /* numbers of a channel that is put together (measure.c) */

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
    struct npart__weight_list *out;
    const char *path, *folder;
    struct npart__strings names; /* of weights that were measured: with the graph that they are of */
    int descriptor; /* of the file that was opened last; -1: none */
    const char *open_file;
    struct npart_error *error;
};

/* A graph, and the one round it, whose initializers it sees. */
struct graph_at {
    const Onnx__GraphProto *graph;
    const struct graph_at *outer;
    struct npart__strings names; /* of its constants */
    struct NPART__ARRAY(const Onnx__TensorProto *) tensors; /* by name; id 0 is "" */
};

/* ---- what is constant -------------------------------------------------------------------------------------------- */

static bool add_constant(struct reading *reading, struct graph_at *at, const char *name,
                         const Onnx__TensorProto *tensor)
{
    uint32_t id = name && *name ? npart__intern_text(&at->names, name) : 0;
    while (id != NPART_NONE && at->tensors.count <= id)
        if (!NPART__PUSH(reading->arena, &at->tensors, NULL))
            return false;
    if (id != NPART_NONE && id)
        at->tensors.items[id] = tensor;
    return id != NPART_NONE;
}

static bool list_constants(struct reading *reading, struct graph_at *at)
{
    const Onnx__GraphProto *graph = at->graph;
    bool is_done = npart__strings_init(&at->names, reading->arena);
    for (size_t i = 0; is_done && i < graph->n_initializer; i++)
        is_done = add_constant(reading, at, graph->initializer[i]->name, graph->initializer[i]);
    for (size_t i = 0; is_done && i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        bool is_constant = node->op_type && node->n_output == 1 && npart__op_plays(node->op_type, NPART__ROLE_CONSTANT);
        for (size_t k = 0; is_done && is_constant && k < node->n_attribute; k++)
            if (node->attribute[k]->t)
                is_done = add_constant(reading, at, node->output[0], node->attribute[k]->t);
    }
    return is_done;
}

static const Onnx__TensorProto *find_constant(const struct graph_at *at, const char *name, const struct graph_at **of)
{
    for (; at && name && *name; at = at->outer) {
        uint32_t id = npart__strings_find_text(&at->names, name);
        if (id != NPART_NONE && id < at->tensors.count && at->tensors.items[id]) {
            *of = at;
            return at->tensors.items[id];
        }
    }
    return NULL;
}

/* ---- where it is ------------------------------------------------------------------------------------------------- */

static npart_status fail_absent(struct reading *reading, const char *file, const char *weight)
{
    return npart__fail(reading->error, NPART_ERROR_READ, file, "the file of weight %s is not there", weight);
}

static npart_status open_file(struct reading *reading, const char *path, const char *weight, int *out)
{
    if (reading->open_file && strcmp(reading->open_file, path) == 0) {
        *out = reading->descriptor;
        return NPART_OK;
    }
    if (reading->descriptor >= 0)
        npart__file_close(reading->descriptor);
    reading->open_file = NULL;
    reading->descriptor = npart__file_open(path);
    if (reading->descriptor < 0)
        return fail_absent(reading, path, weight);
    reading->open_file = path;
    *out = reading->descriptor;
    return NPART_OK;
}

static npart_status find_external(struct reading *reading, const Onnx__TensorProto *tensor, const char *name,
                                  struct npart__weight_bytes *out)
{
    const char *location = NULL;
    uint64_t offset = 0;
    for (size_t i = 0; i < tensor->n_external_data; i++) {
        const char *key = tensor->external_data[i]->key, *value = tensor->external_data[i]->value;
        if (key && value && strcmp(key, "location") == 0)
            location = value;
        for (size_t k = 0; key && value && strcmp(key, "offset") == 0 && value[k] >= '0' && value[k] <= '9'; k++)
            offset = offset > UINT64_MAX / 10 - 9 ? UINT64_MAX : offset * 10 + (uint64_t)(value[k] - '0');
    }
    if (!location)
        return npart__fail(reading->error, NPART_ERROR_MALFORMED, name, "the weight names no external file");
    npart_status status = npart__check_location(location, reading->error);
    if (status != NPART_OK)
        return status;
    const char *path = reading->folder ? npart__arena_format(reading->arena, "%s/%s", reading->folder, location) : NULL;
    if (!path)
        return reading->folder ? npart__fail_memory(reading->error) : fail_absent(reading, location, name);
    *out = (struct npart__weight_bytes){.offset = offset, .file = path};
    return open_file(reading, path, name, &out->descriptor);
}

/* Numbers of float_data or double_data. False when out of memory. */
static bool find_typed(struct reading *reading, const Onnx__TensorProto *tensor, struct npart__weight_bytes *out)
{
    bool is_double = tensor->data_type == NPART__DOUBLE;
    size_t count = is_double ? tensor->n_double_data : tensor->n_float_data;
    size_t each = is_double ? 8 : 4;
    uint8_t *data = npart__arena_allocate(reading->arena, count * each + 1);
    for (size_t i = 0; data && i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, each == 8 ? (const void *)&tensor->double_data[i] : (const void *)&tensor->float_data[i], each);
        if (each == 4) {
            uint32_t word;
            memcpy(&word, &tensor->float_data[i], sizeof word);
            bits = word;
        }
        for (size_t k = 0; k < each; k++)
            data[i * each + k] = (uint8_t)(bits >> 8 * k);
    }
    *out = (struct npart__weight_bytes){.data = data, .file = reading->path};
    return data != NULL;
}

static npart_status find_bytes(struct reading *reading, const Onnx__TensorProto *tensor, const char *name,
                               uint64_t bytes, struct npart__weight_bytes *out)
{
    bool is_float = tensor->data_type == NPART__FLOAT;
    bool is_double = tensor->data_type == NPART__DOUBLE;
    struct npart__elided elided;
    if (tensor->has_data_location && tensor->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
        return find_external(reading, tensor, name, out);
    if (tensor->has_raw_data && tensor->raw_data.len == bytes) {
        *out = (struct npart__weight_bytes){.data = tensor->raw_data.data, .file = reading->path};
        return NPART_OK;
    }
    for (unsigned i = 0; npart__onnx_elided(&tensor->base, i, &elided); i++) {
        bool is_plain = elided.field == 9 || (elided.field == 4 && is_float) ||
                        (elided.field == 10 && is_double);
        if (!is_plain || elided.bytes != bytes)
            continue;
        if (!reading->path)
            return fail_absent(reading, "-", name);
        *out = (struct npart__weight_bytes){.offset = elided.offset, .file = reading->path};
        return open_file(reading, reading->path, name, &out->descriptor);
    }
    size_t here = is_double ? tensor->n_double_data * 8 : tensor->n_float_data * 4;
    if (here == bytes)
        return find_typed(reading, tensor, out) ? NPART_OK : npart__fail_memory(reading->error);
    return npart__fail(reading->error, NPART_ERROR_MALFORMED, name, "the weight's data does not fit its dims and type");
}

/* ---- how it lies ------------------------------------------------------------------------------------------------- */

static uint64_t product(const int64_t *dims, uint32_t from, uint32_t to)
{
    uint64_t all = 1;
    for (uint32_t i = from; i < to; i++)
        all *= (uint64_t)dims[i];
    return all;
}

static struct npart__weight_shape shape_of(const Onnx__NodeProto *node, uint8_t layout, const int64_t *dims,
                                           uint32_t rank)
{
    if (layout == TURNED)
        layout = npart__onnx_int(node, "transB") ? ROWS : COLUMNS;
    if (layout == COLUMNS)
        return (struct npart__weight_shape){NPART__WEIGHT_COLUMNS, product(dims, 0, rank - 2), (uint64_t)dims[rank - 2],
                                            (uint64_t)dims[rank - 1], 1};
    if (layout == MIDDLE && product(dims, 2, rank) == 1)
        return (struct npart__weight_shape){NPART__WEIGHT_COLUMNS, 1, (uint64_t)dims[0], (uint64_t)dims[1], 1};
    if (layout == MIDDLE)
        return (struct npart__weight_shape){NPART__WEIGHT_MIDDLE, 1, (uint64_t)dims[0], (uint64_t)dims[1],
                                            product(dims, 2, rank)};
    uint32_t first = layout == LEFT ? rank - 1 : layout == STATES ? 2 : 1;
    return (struct npart__weight_shape){NPART__WEIGHT_ROWS, 1, product(dims, first, rank), product(dims, 0, first), 1};
}

/* A channel of the middle that is too long is not put together: then groups are not known. */
static void forget_groups(struct npart__weight *weight)
{
    for (unsigned i = 0; i < NPART__ROUNDINGS; i++)
        if (i != NPART__ROUND_INT8_TENSOR && i != NPART__ROUND_FP8 && i != NPART__ROUND_FLOAT16)
            weight->errors[i] = -1;
    weight->groups_of_four = weight->two_of_four = 0;
}

static npart_status measure(struct reading *reading, const Onnx__NodeProto *node, uint8_t layout,
                            struct npart__weight *weight, const struct npart__weight_bytes *bytes)
{
    struct npart__weight_shape shape = shape_of(node, layout, weight->dims, weight->rank);
    bool is_long = shape.layout == NPART__WEIGHT_MIDDLE && shape.contracted * shape.inner > MOST_MIDDLE;
    if (is_long)
        shape = (struct npart__weight_shape){NPART__WEIGHT_ROWS, 1, weight->elements, 1, 1};
    npart_status status = npart__weight_measure(weight, &shape, bytes, reading->arena, reading->error);
    if (is_long)
        forget_groups(weight);
    return status;
}

/* ---- each once --------------------------------------------------------------------------------------------------- */

/* Elements of a tensor of floats that has any, and whose bytes can be counted; else 0. */
static uint64_t count_elements(const Onnx__TensorProto *tensor)
{
    static const int types[] = {NPART__FLOAT, NPART__FLOAT16, NPART__DOUBLE,
                                NPART__BFLOAT16};
    uint64_t elements = 1;
    bool is_float = false;
    for (size_t i = 0; i < NPART__COUNT(types); i++)
        is_float |= tensor->data_type == types[i];
    for (size_t i = 0; i < tensor->n_dims; i++)
        if (tensor->dims[i] <= 0 || !npart__multiply_uint64(elements, (uint64_t)tensor->dims[i], &elements))
            return 0;
    return is_float && tensor->n_dims <= MOST_RANK && elements <= UINT64_MAX / 8 ? elements : 0;
}

/* Whether it is the first time that the weight of this graph is met; NPART_NONE of `*id`: out of memory. */
static bool is_first(struct reading *reading, const struct graph_at *of, const char *name, bool *has_failed)
{
    const char *key = npart__arena_format(reading->arena, "%p %s", (const void *)of->graph, name);
    bool is_new = key && npart__strings_find_text(&reading->names, key) == NPART_NONE;
    *has_failed = !key || (is_new && npart__intern_text(&reading->names, key) == NPART_NONE);
    return is_new;
}

static npart_status read_operand(struct reading *reading, const struct graph_at *at, const Onnx__NodeProto *node,
                                 uint32_t operand, uint8_t layout)
{
    const struct graph_at *of = NULL;
    const char *name = node->input[operand];
    const Onnx__TensorProto *tensor = find_constant(at, name, &of);
    uint64_t elements = tensor && tensor->n_dims >= LEAST_DIMS ? count_elements(tensor) : 0;
    bool has_failed = false;
    if (!elements || (layout == STATES && tensor->n_dims < 3) || !is_first(reading, of, name, &has_failed))
        return has_failed ? npart__fail_memory(reading->error) : NPART_OK;
    struct npart__weight weight = {.name = name, .node = node->name ? node->name : "", .op = node->op_type,
                                   .dims = tensor->dims, .rank = (uint32_t)tensor->n_dims,
                                   .element_type = (uint8_t)tensor->data_type, .elements = elements};
    struct npart__weight_bytes bytes;
    weight.bytes = elements * (npart__type_bits(tensor->data_type) / 8);
    npart_status status = find_bytes(reading, tensor, name, weight.bytes, &bytes);
    if (status == NPART_OK)
        status = measure(reading, node, layout, &weight, &bytes);
    reading->out->bytes += weight.bytes;
    if (status == NPART_OK && !NPART__PUSH(reading->arena, &reading->out->items, weight))
        status = npart__fail_memory(reading->error);
    return status;
}

/* Bytes of an operand of so many numbers and this type at most; *is_there is false where it is none. */
static npart_status find_operand(struct reading *reading, const struct graph_at *at, const Onnx__NodeProto *node,
                                 size_t operand, uint64_t elements, uint8_t *type, struct npart__weight_bytes *out,
                                 bool *is_there)
{
    const struct graph_at *of = NULL;
    const char *name = operand < node->n_input ? node->input[operand] : "";
    const Onnx__TensorProto *tensor = find_constant(at, name, &of);
    uint64_t found = tensor ? 1 : 0;
    for (size_t i = 0; tensor && i < tensor->n_dims; i++)
        if (tensor->dims[i] <= 0 || !npart__multiply_uint64(found, (uint64_t)tensor->dims[i], &found))
            found = 0;
    *is_there = found == elements && elements && elements <= UINT64_MAX / 8;
    if (!*is_there)
        return NPART_OK;
    *type = (uint8_t)tensor->data_type;
    return find_bytes(reading, tensor, name, elements * (npart__type_bits(tensor->data_type) / 8), out);
}

/* A matrix in blocks, whose numbers are what it stands for. Not one whose zeros are no integers, whose rows have an
 * order of their own, or whose parts lie in several files. */
static npart_status read_packed(struct reading *reading, const struct graph_at *at, const Onnx__NodeProto *node)
{
    uint64_t channels = (uint64_t)npart__onnx_int(node, "N"), columns = (uint64_t)npart__onnx_int(node, "K");
    struct npart__packed_weight packed = {.bits = (unsigned)npart__onnx_int(node, "bits"),
                                          .block = (uint64_t)npart__onnx_int(node, "block_size")};
    packed.bits = packed.bits ? packed.bits : 4;
    bool is_known = (packed.bits == 4 || packed.bits == 8) && packed.block >= 16 && packed.block <= 65536 &&
                    !(packed.block & (packed.block - 1)) && channels && columns && channels <= UINT32_MAX &&
                    columns <= UINT32_MAX && node->n_input >= 3 && !(node->n_input > 4 && *node->input[4]);
    const struct graph_at *of = NULL;
    bool has_failed = false, is_there = true;
    if (!is_known || !find_constant(at, node->input[1], &of) || !is_first(reading, of, node->input[1], &has_failed))
        return has_failed ? npart__fail_memory(reading->error) : NPART_OK;
    packed.blocks = (columns + packed.block - 1) / packed.block;
    uint64_t bytes = channels * packed.blocks * packed.block * packed.bits / 8;
    struct npart__weight_bytes found = {.packed = NULL};
    uint8_t type = 0, zero_type = 0;
    npart_status status = find_operand(reading, at, node, 1, bytes, &type, &found, &is_there);
    is_known = is_there;
    if (status == NPART_OK && is_known)
        status = find_operand(reading, at, node, 2, channels * packed.blocks, &packed.scale_type, &packed.scales,
                              &is_there);
    is_known = is_known && is_there && (packed.scale_type == NPART__FLOAT ||
                                        packed.scale_type == NPART__FLOAT16 ||
                                        packed.scale_type == NPART__BFLOAT16);
    packed.has_zeros = node->n_input > 3 && *node->input[3];
    if (status == NPART_OK && is_known && packed.has_zeros)
        status = find_operand(reading, at, node, 3, channels * ((packed.blocks * packed.bits + 7) / 8), &zero_type,
                              &packed.zeros, &is_there);
    is_known = is_known && is_there && type == NPART__UINT8 &&
               (!packed.has_zeros || zero_type == NPART__UINT8);
    const struct npart__weight_bytes *parts[] = {&found, &packed.scales, &packed.zeros};
    for (size_t i = 0; i < NPART__COUNT(parts); i++)
        is_known = is_known && (parts[i]->data || !parts[i]->file ||
                                (reading->open_file && strcmp(parts[i]->file, reading->open_file) == 0));
    if (status != NPART_OK || !is_known)
        return status;
    int64_t *dims = npart__arena_allocate(reading->arena, 2 * sizeof *dims);
    struct npart__weight weight = {.name = node->input[1], .node = node->name ? node->name : "", .op = node->op_type,
                                   .dims = dims, .rank = 2, .element_type = type, .elements = channels * columns,
                                   .bytes = bytes};
    struct npart__weight_shape shape = {NPART__WEIGHT_ROWS, 1, columns, channels, 1};
    if (!dims)
        return npart__fail_memory(reading->error);
    dims[0] = (int64_t)channels;
    dims[1] = (int64_t)columns;
    found.packed = &packed;
    status = npart__weight_measure(&weight, &shape, &found, reading->arena, reading->error);
    reading->out->bytes += bytes;
    if (status == NPART_OK && !NPART__PUSH(reading->arena, &reading->out->items, weight))
        status = npart__fail_memory(reading->error);
    return status;
}

static npart_status read_node(struct reading *reading, const struct graph_at *at, const Onnx__NodeProto *node)
{
    npart_status status = NPART_OK;
    for (size_t i = 0; node->op_type && i < NPART__COUNT(rows) && status == NPART_OK; i++)
        if (rows[i].operand < node->n_input && strcmp(rows[i].op, node->op_type) == 0)
            status = rows[i].layout == PACKED ? read_packed(reading, at, node)
                                              : read_operand(reading, at, node, rows[i].operand, rows[i].layout);
    return status;
}

/* Of what stands sparse in the file the zeros are counted; what it would lose is not known. */
static npart_status list_sparse(struct reading *reading, const Onnx__GraphProto *graph)
{
    for (size_t i = 0; i < graph->n_sparse_initializer; i++) {
        const Onnx__SparseTensorProto *sparse = graph->sparse_initializer[i];
        const Onnx__TensorProto *values = sparse->values;
        Onnx__TensorProto dense = values ? *values : (Onnx__TensorProto){.n_dims = 0};
        uint64_t there = values && values->n_dims == 1 && values->dims[0] > 0 ? (uint64_t)values->dims[0] : 0;
        dense.dims = sparse->dims;
        dense.n_dims = sparse->n_dims;
        uint64_t elements = count_elements(&dense);
        struct npart__weight weight = {.name = values && values->name ? values->name : "", .node = "", .op = "",
                                       .dims = sparse->dims, .rank = (uint32_t)sparse->n_dims, .abs_max = NAN,
                                       .element_type = (uint8_t)dense.data_type, .elements = elements,
                                       .zeros = there < elements ? elements - there : 0};
        for (unsigned k = 0; k < NPART__ROUNDINGS; k++)
            weight.errors[k] = -1;
        if (elements && !NPART__PUSH(reading->arena, &reading->out->items, weight))
            return npart__fail_memory(reading->error);
    }
    return NPART_OK;
}

/* Bodies are messages within messages, so the depth of the scan is that of this recursion. */
static npart_status read_graph(struct reading *reading, const Onnx__GraphProto *graph, const struct graph_at *outer)
{
    struct graph_at at = {.graph = graph, .outer = outer};
    npart_status status = list_constants(reading, &at) ? list_sparse(reading, graph)
                                                       : npart__fail_memory(reading->error);
    for (size_t i = 0; i < graph->n_node && status == NPART_OK; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        status = read_node(reading, &at, node);
        for (size_t k = 0; k < node->n_attribute && status == NPART_OK; k++) {
            if (node->attribute[k]->g)
                status = read_graph(reading, node->attribute[k]->g, &at);
            for (size_t b = 0; b < node->attribute[k]->n_graphs && status == NPART_OK; b++)
                status = read_graph(reading, node->attribute[k]->graphs[b], &at);
        }
    }
    return status;
}

npart_status npart__weights_read(const struct npart__skeleton *skeleton, const char *path, const char *folder,
                                 struct npart__arena *arena, struct npart__weight_list *out, struct npart_error *error)
{
    struct npart__skeleton lent = {.data = skeleton->data, .bytes = skeleton->bytes, .is_lent = true};
    struct reading reading = {.arena = arena, .out = out, .path = path, .folder = folder, .descriptor = -1,
                              .error = error};
    Onnx__ModelProto *model;
    *out = (struct npart__weight_list){.bytes = 0};
    npart_status status = npart__onnx_unpack(&lent, arena, &model, error);
    if (status == NPART_OK && !npart__strings_init(&reading.names, arena))
        status = npart__fail_memory(error);
    if (status == NPART_OK && model->graph)
        status = read_graph(&reading, model->graph, NULL);
    if (reading.descriptor >= 0)
        npart__file_close(reading.descriptor);
    return status;
}

/* ---- what comes out ---------------------------------------------------------------------------------------------- */

double npart__weight_decibels(const struct npart__weight *weight, enum npart__rounding rounding, bool *is_known)
{
    double error = weight->errors[rounding];
    *is_known = error > 0 && weight->square > 0;
    return *is_known ? 10 * log10(weight->square / error) : 0;
}

bool npart__weight_keeps(const struct npart__weight *weight, enum npart__rounding rounding, double decibels)
{
    bool is_known;
    double left = npart__weight_decibels(weight, rounding, &is_known);
    return is_known ? left >= decibels : weight->errors[rounding] >= 0;
}

const char *npart__rounding_name(enum npart__rounding rounding)
{
    static const char *const names[] = {
#define NPART__ROUNDING(id, name, limit, block) name,
#include "weights/roundings.def"
#undef NPART__ROUNDING
    };
    return names[rounding];
}
