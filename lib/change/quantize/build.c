/* SPDX-License-Identifier: Apache-2.0
 *
 * New nodes and tensors of a quantized model, and the order of its nodes.
 */
#include <math.h>
#include <stdlib.h>

#include "quantize/internal.h"

/* Elements of a tensor whose numbers stand in the skeleton: what a scan keeps of FLOAT ones. */
#define MOST_NUMBERS (NPART__KEEP_BYTES / 4)

/* ---- names and nodes --------------------------------------------------------------------------------------------- */

uint32_t npart__quantizer_id(const struct npart__quantizer *quantizer, const char *name)
{
    uint32_t id = name && *name ? npart__strings_find_text(&quantizer->names, name) : NPART_NONE;
    return id < quantizer->tensor_count ? id : NPART_NONE;
}

const char *npart__quantizer_name(struct npart__quantizer *quantizer, const char *name, const char *suffix)
{
    const char *wanted = name ? npart__arena_format(quantizer->arena, "%s%s", name, suffix) : NULL;
    const char *made = wanted;
    for (uint32_t i = 2; made && npart__strings_find_text(&quantizer->names, made) != NPART_NONE; i++)
        made = npart__arena_format(quantizer->arena, "%s_%u", wanted, i);
    if (!made || npart__intern_text(&quantizer->names, made) == NPART_NONE)
        quantizer->failed = true;
    return quantizer->failed ? NULL : made;
}

static char *copy(struct npart__quantizer *quantizer, const char *text)
{
    char *made = text ? npart__arena_copy_text(quantizer->arena, text, strlen(text)) : NULL;
    quantizer->failed |= !made;
    return made;
}

Onnx__NodeProto *npart__quantizer_node(struct npart__quantizer *quantizer, const char *op, const char *domain,
                                       const char *name, const char *const *operands, const char *result)
{
    const char *whole = *domain ? npart__arena_format(quantizer->arena, "%s:%s", domain, op) : op;
    size_t count = 0;
    while (operands[count])
        count++;
    Onnx__NodeProto *node = whole ? npart__edit_new_node(quantizer->arena, whole, count, 1) : NULL;
    if (!node) {
        quantizer->failed = true;
        return NULL;
    }
    node->name = copy(quantizer, name);
    for (size_t i = 0; i < count; i++)
        node->input[i] = copy(quantizer, operands[i]);
    node->output[0] = copy(quantizer, result);
    quantizer->failed |= !NPART__PUSH(quantizer->arena, &quantizer->nodes, node);
    return quantizer->failed ? NULL : node;
}

void npart__quantizer_results(struct npart__quantizer *quantizer, Onnx__NodeProto *node, const char *second,
                              const char *third)
{
    char **results = npart__arena_zeroed(quantizer->arena, 3, sizeof *results);
    quantizer->failed |= !results;
    if (!node || !results)
        return;
    results[0] = node->output[0];
    results[1] = copy(quantizer, second);
    results[2] = copy(quantizer, third);
    node->output = results;
    node->n_output = 3;
}

void npart__quantizer_int(struct npart__quantizer *quantizer, Onnx__NodeProto *node, const char *attribute,
                          int64_t value)
{
    Onnx__AttributeProto *made = node ? npart__edit_attribute(quantizer->arena, node, attribute,
                                                              ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT)
                                      : NULL;
    quantizer->failed |= node && !made;
    if (!made)
        return;
    made->has_i = 1;
    made->i = value;
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

static Onnx__TensorProto *new_tensor(struct npart__quantizer *quantizer, const char *name, int element_type,
                                     const int64_t *dims, size_t rank)
{
    Onnx__TensorProto *tensor = npart__arena_allocate(quantizer->arena, sizeof *tensor);
    int64_t *own = npart__arena_allocate(quantizer->arena, (rank + 1) * sizeof *own);
    if (!tensor || !own) {
        quantizer->failed = true;
        return NULL;
    }
    onnx__tensor_proto__init(tensor);
    if (rank)
        memcpy(own, dims, rank * sizeof *own);
    tensor->dims = own;
    tensor->n_dims = rank;
    tensor->name = copy(quantizer, name);
    tensor->has_data_type = 1;
    tensor->data_type = element_type;
    quantizer->failed |= !NPART__PUSH(quantizer->arena, &quantizer->initializers, tensor);
    return quantizer->failed ? NULL : tensor;
}

/* The record that a scan would have left of a payload. Nothing of it is in any file, so the place is 0. */
static void leave_out(struct npart__quantizer *quantizer, Onnx__TensorProto *tensor, uint64_t elements, uint64_t bytes)
{
    struct npart__elided elided = {.bytes = bytes, .elements = elements, .field = 9};
    ProtobufCMessageUnknownField *field = npart__arena_allocate(quantizer->arena, sizeof *field);
    uint8_t *data = npart__arena_allocate(quantizer->arena, 1 + sizeof elided);
    if (!field || !data) {
        quantizer->failed = true;
        return;
    }
    data[0] = (uint8_t)sizeof elided;
    memcpy(data + 1, &elided, sizeof elided);
    *field = (ProtobufCMessageUnknownField){NPART__ELIDED_FIELD, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED,
                                            1 + sizeof elided, data};
    tensor->base.unknown_fields = field;
    tensor->base.n_unknown_fields = 1;
}

/* Of 4 bits two stand in a byte. */
void npart__quantizer_put(Onnx__TensorProto *tensor, uint64_t index, double number)
{
    if (npart__type_bits(tensor->data_type) >= 8)
        npart__edit_put_number(tensor, index, number);
    else
        tensor->raw_data.data[index / 2] |= (uint8_t)(((unsigned)(int)number & 0xF) << index % 2 * 4);
}

static void fill(struct npart__quantizer *quantizer, Onnx__TensorProto *tensor, bool is_absent, const double *numbers,
                 double number)
{
    uint64_t elements = 1;
    for (size_t i = 0; i < tensor->n_dims; i++)
        if (tensor->dims[i] < 0 || !npart__multiply_uint64(elements, (uint64_t)tensor->dims[i], &elements))
            elements = 0;
    uint64_t bytes = npart__type_bytes(tensor->data_type, elements);
    if (is_absent || elements > MOST_NUMBERS) {
        leave_out(quantizer, tensor, elements, bytes);
        return;
    }
    tensor->has_raw_data = 1;
    tensor->raw_data.len = (size_t)bytes;
    tensor->raw_data.data = npart__arena_zeroed(quantizer->arena, (size_t)bytes + 1, 1);
    quantizer->failed |= !tensor->raw_data.data;
    for (uint64_t i = 0; tensor->raw_data.data && i < elements; i++)
        npart__quantizer_put(tensor, i, numbers ? numbers[i] : number);
}

void npart__quantizer_tensor(struct npart__quantizer *quantizer, const char *name, int element_type,
                             const int64_t *dims, size_t rank, double number, bool is_absent)
{
    Onnx__TensorProto *tensor = new_tensor(quantizer, name, element_type, dims, rank);
    if (tensor)
        fill(quantizer, tensor, is_absent || isnan(number), NULL, number);
}

void npart__quantizer_numbers(struct npart__quantizer *quantizer, const char *name, int element_type,
                              const int64_t *dims, size_t rank, const double *numbers)
{
    Onnx__TensorProto *tensor = new_tensor(quantizer, name, element_type, dims, rank);
    if (tensor)
        fill(quantizer, tensor, false, numbers, 0);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Users of the file's own nodes read what stands in a tensor's place. */
static void rewire(struct npart__quantizer *quantizer)
{
    Onnx__GraphProto *graph = quantizer->main;
    for (size_t i = 0; i < graph->n_node; i++)
        for (size_t k = 0; k < graph->node[i]->n_input; k++) {
            const struct npart__quantized *tensor = npart__quantized_at(quantizer, graph->node[i]->input[k]);
            if (tensor && tensor->reads)
                graph->node[i]->input[k] = (char *)(uintptr_t)tensor->reads;
        }
}

/* What is an initializer no more is no input with a default either (onnx_model.py, remove_initializer). */
static void drop_inputs(struct npart__quantizer *quantizer)
{
    Onnx__GraphProto *graph = quantizer->main;
    size_t count = 0;
    for (size_t i = 0; i < graph->n_input; i++) {
        const struct npart__quantized *tensor = npart__quantized_at(quantizer, graph->input[i]->name);
        if (!tensor || !tensor->initializer || tensor->is_listed)
            graph->input[count++] = graph->input[i];
    }
    graph->n_input = count;
}

/* Initializers that something else stands for go, but where a body or an output still names them. */
static bool place_initializers(struct npart__quantizer *quantizer)
{
    Onnx__GraphProto *graph = quantizer->main;
    Onnx__TensorProto **list = npart__arena_zeroed(
        quantizer->arena, graph->n_initializer + quantizer->initializers.count + 1, sizeof(Onnx__TensorProto *));
    size_t count = 0;
    for (size_t i = 0; list && i < graph->n_initializer; i++) {
        struct npart__quantized *tensor = npart__quantized_at(quantizer, graph->initializer[i]->name);
        bool is_replaced = tensor && tensor->reads && !tensor->is_captured && !tensor->is_output;
        if (!is_replaced)
            list[count++] = graph->initializer[i];
        if (tensor)
            tensor->is_listed = !is_replaced;
    }
    for (uint32_t i = 0; list && i < quantizer->initializers.count; i++)
        list[count++] = quantizer->initializers.items[i];
    graph->initializer = list;
    graph->n_initializer = count;
    return list != NULL;
}

/* What makes a name, by its id from here on. */
struct sorting {
    struct npart__quantizer *quantizer;
    Onnx__NodeProto **nodes;
    const uint32_t *places; /* by node: in the file's list; NPART_NONE: it is new */
    uint32_t count;
    uint32_t *waits; /* by node: operands that are not made yet */
    uint32_t *first, *next; /* users of a name, and the next after one: by operand, counted from 1 */
    uint32_t *user;  /* by operand */
};

/* The names that a node needs: its operands, and what its bodies capture. NULL past the last. */
static const char *needed_name(const struct sorting *sorting, uint32_t node, size_t index)
{
    const struct npart__graph *graph = sorting->quantizer->graph;
    const Onnx__NodeProto *proto = sorting->nodes[node];
    if (index < proto->n_input)
        return proto->input[index];
    if (sorting->places[node] == NPART_NONE)
        return NULL;
    const struct npart__node *at = npart__node_at(graph, sorting->places[node]);
    index -= proto->n_input;
    if (index >= at->capture_count)
        return NULL;
    return npart__value_name(graph, graph->operands.items[at->first_capture + index]);
}

static uint32_t count_needed(const struct sorting *sorting)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sorting->count; i++)
        for (size_t k = 0; needed_name(sorting, i, k); k++)
            count++;
    return count;
}

static void list_users(struct sorting *sorting, const bool *is_there)
{
    const struct npart__strings *names = &sorting->quantizer->names;
    uint32_t at = 0;
    for (uint32_t i = 0; i < sorting->count; i++) {
        const char *name;
        for (size_t k = 0; (name = needed_name(sorting, i, k)); k++) {
            uint32_t id = npart__strings_find_text(names, name);
            if (id == NPART_NONE || !is_there[id])
                continue;
            sorting->user[at] = i;
            sorting->next[at] = sorting->first[id];
            sorting->first[id] = ++at;
            sorting->waits[i]++;
        }
    }
}

/* A result's users once it is made; the lists were put together from their ends. */
static void release_users(struct sorting *sorting, uint32_t id, uint32_t *ready, uint32_t *end)
{
    uint32_t begin = *end;
    for (uint32_t at = sorting->first[id]; at; at = sorting->next[at - 1])
        if (--sorting->waits[sorting->user[at - 1]] == 0)
            ready[(*end)++] = sorting->user[at - 1];
    for (uint32_t i = begin, k = *end; i + 1 < k; i++) {
        uint32_t swapped = ready[i];
        ready[i] = ready[--k];
        ready[k] = swapped;
    }
}

/* The ids of what a node makes, one after the other; NPART_NONE for a result that is left out. */
static uint32_t made_id(const struct sorting *sorting, uint32_t node, size_t index)
{
    const char *name = sorting->nodes[node]->output[index];
    return *name ? npart__strings_find_text(&sorting->quantizer->names, name) : NPART_NONE;
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Initializers and inputs of the graph by their names, each once; NULL when out of memory. */
static const char **list_given(struct npart__quantizer *quantizer, size_t *count)
{
    const Onnx__GraphProto *graph = quantizer->main;
    size_t all = 0, most = graph->n_initializer + graph->n_input + 1;
    const char **names = npart__arena_zeroed(quantizer->arena, most, sizeof *names);
    *count = 0;
    for (size_t i = 0; names && i < graph->n_initializer; i++)
        names[all++] = graph->initializer[i]->name;
    for (size_t i = 0; names && i < graph->n_input; i++)
        if (graph->input[i]->name)
            names[all++] = graph->input[i]->name;
    if (names)
        qsort(names, all, sizeof *names, compare_texts);
    for (size_t i = 0; i < all; i++)
        if (*count == 0 || strcmp(names[i], names[*count - 1]) != 0)
            names[(*count)++] = names[i];
    return names;
}

/* False where nodes wait for each other. */
static bool sort(struct sorting *sorting, const char *const *given, size_t given_count, bool *is_there,
                 uint32_t *ready, Onnx__NodeProto **sorted)
{
    const struct npart__strings *names = &sorting->quantizer->names;
    uint32_t end = 0, made = 0;
    for (uint32_t i = 0; i < sorting->count; i++)
        for (size_t k = 0; k < sorting->nodes[i]->n_output; k++)
            if (made_id(sorting, i, k) != NPART_NONE)
                is_there[made_id(sorting, i, k)] = true;
    for (size_t i = 0; i < given_count; i++) {
        uint32_t id = npart__strings_find_text(names, given[i]);
        if (id != NPART_NONE)
            is_there[id] = true;
    }
    list_users(sorting, is_there);
    for (uint32_t i = 0; i < sorting->count; i++)
        if (!sorting->waits[i])
            ready[end++] = i;
    for (size_t i = 0; i < given_count; i++) {
        uint32_t id = npart__strings_find_text(names, given[i]);
        if (id != NPART_NONE)
            release_users(sorting, id, ready, &end);
    }
    while (made < end) {
        uint32_t node = ready[made];
        sorted[made++] = sorting->nodes[node];
        for (size_t k = 0; k < sorting->nodes[node]->n_output; k++)
            if (made_id(sorting, node, k) != NPART_NONE)
                release_users(sorting, made_id(sorting, node, k), ready, &end);
    }
    return made == sorting->count;
}

/* From what needs nothing on, by the names of what is given, then wave by wave, as the quantizer's own writer sorts
 * (onnx_model.py, topological_sort). */
static bool sort_nodes(struct npart__quantizer *quantizer, Onnx__NodeProto **nodes, const uint32_t *places,
                       uint32_t count)
{
    struct npart__arena *arena = quantizer->arena;
    uint32_t names = quantizer->names.texts.count;
    struct sorting sorting = {.quantizer = quantizer, .nodes = nodes, .places = places, .count = count};
    uint32_t needed = count_needed(&sorting);
    sorting.waits = npart__arena_zeroed(arena, count + (size_t)1, sizeof(uint32_t));
    sorting.first = npart__arena_zeroed(arena, names + (size_t)1, sizeof(uint32_t));
    sorting.next = npart__arena_zeroed(arena, needed + (size_t)1, sizeof(uint32_t));
    sorting.user = npart__arena_zeroed(arena, needed + (size_t)1, sizeof(uint32_t));
    bool *is_there = npart__arena_zeroed(arena, names + (size_t)1, sizeof *is_there);
    size_t given_count;
    const char **given = list_given(quantizer, &given_count);
    uint32_t *ready = npart__arena_zeroed(arena, count + (size_t)1, sizeof *ready);
    Onnx__NodeProto **sorted = npart__arena_zeroed(arena, count + (size_t)1, sizeof(Onnx__NodeProto *));
    if (!sorting.waits || !sorting.first || !sorting.next || !sorting.user || !is_there || !given || !ready ||
        !sorted || !sort(&sorting, given, given_count, is_there, ready, sorted))
        return false;
    quantizer->main->node = sorted;
    quantizer->main->n_node = count;
    return true;
}

static bool place_nodes(struct npart__quantizer *quantizer)
{
    Onnx__GraphProto *graph = quantizer->main;
    size_t most = graph->n_node + quantizer->nodes.count + 1;
    Onnx__NodeProto **list = npart__arena_zeroed(quantizer->arena, most, sizeof(Onnx__NodeProto *));
    uint32_t *places = npart__arena_zeroed(quantizer->arena, most, sizeof *places);
    uint32_t count = 0;
    if (!list || !places)
        return false;
    for (uint32_t i = 0; i < graph->n_node; i++)
        if (!quantizer->is_removed[i]) {
            places[count] = i;
            list[count++] = graph->node[i];
        }
    for (uint32_t i = 0; i < quantizer->nodes.count; i++) {
        places[count] = NPART_NONE;
        list[count++] = quantizer->nodes.items[i];
    }
    return sort_nodes(quantizer, list, places, count);
}

bool npart__quantizer_finish(struct npart__quantizer *quantizer)
{
    if (quantizer->failed)
        return false;
    rewire(quantizer);
    if (!place_initializers(quantizer))
        return false;
    drop_inputs(quantizer);
    return place_nodes(quantizer);
}
