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

struct npart__quantized *npart__quantized_at(const struct npart__quantizer *quantizer, const char *name)
{
    uint32_t id = name && *name ? npart__strings_find_text(&quantizer->names, name) : NPART_NONE;
    return id < quantizer->tensor_count ? &quantizer->tensors[id] : NULL;
}

const char *npart__new_name(struct npart__quantizer *quantizer, const char *name, const char *suffix)
{
    const char *wanted = name ? npart__arena_format(quantizer->arena, "%s%s", name, suffix) : NULL;
    const char *made = wanted;
    for (uint32_t i = 2; made && npart__strings_find_text(&quantizer->names, made) != NPART_NONE; i++)
        made = npart__arena_format(quantizer->arena, "%s_%u", wanted, i);
    return made && npart__intern_text(&quantizer->names, made) != NPART_NONE ? made : NULL;
}

static char *copy(struct npart__quantizer *quantizer, const char *text)
{
    return text ? npart__arena_copy_text(quantizer->arena, text, strlen(text)) : NULL;
}

Onnx__NodeProto *npart__add_node(struct npart__quantizer *quantizer, const char *op, const char *name,
                                 const char *result, const char *const *operands)
{
    size_t count = 0;
    while (operands[count])
        count++;
    Onnx__NodeProto *node = quantizer->arena->failed ? NULL : npart__edit_new_node(quantizer->arena, op, count, 1);
    if (!node)
        return NULL;
    node->name = copy(quantizer, name);
    for (size_t i = 0; i < count; i++)
        node->input[i] = copy(quantizer, operands[i]);
    node->output[0] = copy(quantizer, result);
    (void)NPART__PUSH(quantizer->arena, &quantizer->nodes, node);
    return quantizer->arena->failed ? NULL : node;
}

void npart__set_int(struct npart__quantizer *quantizer, Onnx__NodeProto *node, const char *attribute, int64_t value)
{
    Onnx__AttributeProto *made = node ? npart__edit_attribute(quantizer->arena, node, attribute,
                                                              ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT)
                                      : NULL;
    if (!made)
        return;
    made->has_i = 1;
    made->i = value;
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

/* The record that a scan would have left of a payload. Nothing of it is in any file, so the place is 0. */
static void leave_out(struct npart__quantizer *quantizer, Onnx__TensorProto *tensor, uint64_t elements, uint64_t bytes)
{
    struct npart__elided elided = {.bytes = bytes, .elements = elements, .field = 9};
    ProtobufCMessageUnknownField *field = npart__arena_allocate(quantizer->arena, sizeof *field);
    uint8_t *data = npart__arena_allocate(quantizer->arena, 1 + sizeof elided);
    if (!field || !data)
        return;
    data[0] = (uint8_t)sizeof elided;
    memcpy(data + 1, &elided, sizeof elided);
    *field = (ProtobufCMessageUnknownField){NPART__ELIDED_FIELD, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED,
                                            1 + sizeof elided, data};
    tensor->base.unknown_fields = field;
    tensor->base.n_unknown_fields = 1;
}

static void fill(struct npart__quantizer *quantizer, Onnx__TensorProto *tensor, const double *numbers, double number)
{
    uint64_t elements;
    if (!npart__dims_elements(tensor->dims, tensor->n_dims, &elements))
        elements = 0;
    uint64_t bytes = npart__type_bytes(tensor->data_type, elements);
    if ((!numbers && isnan(number)) || elements > MOST_NUMBERS) {
        leave_out(quantizer, tensor, elements, bytes);
        return;
    }
    tensor->has_raw_data = 1;
    tensor->raw_data.len = (size_t)bytes;
    tensor->raw_data.data = npart__arena_zeroed(quantizer->arena, (size_t)bytes + 1, 1);
    for (uint64_t i = 0; tensor->raw_data.data && i < elements; i++)
        npart__edit_put_number(tensor, i, numbers ? numbers[i] : number);
}

Onnx__TensorProto *npart__add_tensor(struct npart__quantizer *quantizer, const char *name, int element_type,
                                     const int64_t *dims, size_t rank, const double *numbers, double number)
{
    Onnx__TensorProto *tensor =
        quantizer->arena->failed ? NULL : npart__edit_new_tensor(quantizer->arena, element_type, dims, rank);
    if (!tensor)
        return NULL;
    tensor->name = copy(quantizer, name);
    fill(quantizer, tensor, numbers, number);
    (void)NPART__PUSH(quantizer->arena, &quantizer->initializers, tensor);
    return quantizer->arena->failed ? NULL : tensor;
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

/* Initializers that something else stands for go, but where a body or an output still names them; biases that a node
 * makes from now on, too. */
static bool place_initializers(struct npart__quantizer *quantizer)
{
    Onnx__GraphProto *graph = quantizer->main;
    Onnx__TensorProto **list = npart__arena_zeroed(
        quantizer->arena, graph->n_initializer + quantizer->initializers.count + 1, sizeof(Onnx__TensorProto *));
    size_t count = 0;
    for (size_t i = 0; list && i < graph->n_initializer; i++) {
        struct npart__quantized *tensor = npart__quantized_at(quantizer, graph->initializer[i]->name);
        bool is_replaced = tensor && ((tensor->reads && !tensor->is_captured && !tensor->is_output) ||
                                      (tensor->is_bias && tensor->is_done && !tensor->role));
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

/* Of a name: a node, and the user after this one. */
struct user {
    uint32_t node, next;
};

/* Nodes, and who waits for which name. */
struct sorting {
    struct npart__quantizer *quantizer;
    Onnx__NodeProto **nodes;
    uint32_t count, ready_count;
    uint32_t *waits; /* by node: operands that are not made yet */
    uint32_t *ready; /* nodes that wait for none, in the order in which they came to */
    uint32_t *first; /* by name: the first user, in `users` from 1 on */
    bool *is_there;  /* by name: something makes it */
    struct NPART__ARRAY(struct user) users;
};

/* Users come from the last one on. */
static void wait_for(struct sorting *sorting, uint32_t node, const char *name)
{
    uint32_t id = npart__strings_find_text(&sorting->quantizer->names, name);
    if (id == NPART_NONE || !sorting->is_there[id])
        return;
    struct user user = {node, sorting->first[id]};
    (void)NPART__PUSH(sorting->quantizer->arena, &sorting->users, user);
    sorting->first[id] = sorting->users.count;
    sorting->waits[node]++;
}

/* By its name what is made; NPART_NONE for a result that is left out. */
static uint32_t made_id(const struct sorting *sorting, const char *name)
{
    return *name ? npart__strings_find_text(&sorting->quantizer->names, name) : NPART_NONE;
}

/* A name is made: its users, in their order, wait for one less. */
static void release(struct sorting *sorting, const char *name)
{
    uint32_t id = made_id(sorting, name), at = id == NPART_NONE ? 0 : sorting->first[id];
    for (; at; at = sorting->users.items[at - 1].next)
        if (--sorting->waits[sorting->users.items[at - 1].node] == 0)
            sorting->ready[sorting->ready_count++] = sorting->users.items[at - 1].node;
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Initializers and inputs of the graph by their names; NULL when out of memory. */
static const char **list_given(struct npart__quantizer *quantizer, size_t *count)
{
    const Onnx__GraphProto *graph = quantizer->main;
    size_t most = graph->n_initializer + graph->n_input + 1;
    const char **names = npart__arena_zeroed(quantizer->arena, most, sizeof *names);
    *count = 0;
    for (size_t i = 0; names && i < graph->n_initializer; i++)
        names[(*count)++] = graph->initializer[i]->name;
    for (size_t i = 0; names && i < graph->n_input; i++)
        if (graph->input[i]->name)
            names[(*count)++] = graph->input[i]->name;
    if (names)
        qsort(names, *count, sizeof *names, compare_texts);
    return names;
}

/* From what needs nothing on, by the names of what is given, then wave by wave, as the quantizer's own writer sorts
 * (onnx_model.py, topological_sort). `sorted` has fewer where nodes wait for each other. */
static uint32_t sort(struct sorting *sorting, const uint32_t *places, const char *const *given, size_t given_count,
                     Onnx__NodeProto **sorted)
{
    const struct npart__graph *graph = sorting->quantizer->graph;
    uint32_t made = 0, id;
    for (uint32_t i = 0; i < sorting->count; i++)
        for (size_t k = 0; k < sorting->nodes[i]->n_output; k++)
            if ((id = made_id(sorting, sorting->nodes[i]->output[k])) != NPART_NONE)
                sorting->is_there[id] = true;
    for (size_t i = 0; i < given_count; i++)
        if ((id = made_id(sorting, given[i])) != NPART_NONE)
            sorting->is_there[id] = true;
    for (uint32_t i = sorting->count; i-- > 0;) {
        const struct npart__node *at = places[i] == NPART_NONE ? NULL : npart__node_at(graph, places[i]);
        for (size_t k = 0; k < sorting->nodes[i]->n_input; k++)
            wait_for(sorting, i, sorting->nodes[i]->input[k]);
        for (uint32_t k = 0; at && k < at->capture_count; k++)
            wait_for(sorting, i, npart__value_name(graph, graph->operands.items[at->first_capture + k]));
    }
    for (uint32_t i = 0; i < sorting->count; i++)
        if (!sorting->waits[i])
            sorting->ready[sorting->ready_count++] = i;
    for (size_t i = 0; i < given_count && !sorting->quantizer->arena->failed; i++)
        if (!i || strcmp(given[i], given[i - 1]) != 0)
            release(sorting, given[i]);
    for (; made < sorting->ready_count && !sorting->quantizer->arena->failed; made++) {
        const Onnx__NodeProto *node = sorted[made] = sorting->nodes[sorting->ready[made]];
        for (size_t k = 0; k < node->n_output; k++)
            release(sorting, node->output[k]);
    }
    return made;
}

static bool place_nodes(struct npart__quantizer *quantizer)
{
    struct npart__arena *arena = quantizer->arena;
    Onnx__GraphProto *graph = quantizer->main;
    size_t most = graph->n_node + quantizer->nodes.count + 1, names = quantizer->names.texts.count + (size_t)1;
    size_t given_count;
    const char **given = list_given(quantizer, &given_count);
    Onnx__NodeProto **list = npart__arena_zeroed(arena, 2 * most, sizeof(Onnx__NodeProto *));
    uint32_t *numbers = npart__arena_zeroed(arena, 3 * most + names, sizeof *numbers);
    struct sorting sorting = {.quantizer = quantizer, .nodes = list};
    sorting.is_there = npart__arena_zeroed(arena, names, sizeof(bool));
    if (!list || !numbers || !given || !sorting.is_there)
        return false;
    uint32_t *places = numbers; /* by node: in the file's list; NPART_NONE: it is new */
    sorting.waits = numbers + most;
    sorting.ready = numbers + 2 * most;
    sorting.first = numbers + 3 * most;
    for (uint32_t i = 0; i < graph->n_node; i++)
        if (!quantizer->is_removed[i]) {
            places[sorting.count] = i;
            list[sorting.count++] = graph->node[i];
        }
    for (uint32_t i = 0; i < quantizer->nodes.count; i++) {
        places[sorting.count] = NPART_NONE;
        list[sorting.count++] = quantizer->nodes.items[i];
    }
    graph->node = list + most;
    graph->n_node = sort(&sorting, places, given, given_count, graph->node);
    return graph->n_node == sorting.count && !quantizer->arena->failed;
}

bool npart__quantizer_finish(struct npart__quantizer *quantizer)
{
    if (quantizer->arena->failed)
        return false;
    rewire(quantizer);
    if (!place_initializers(quantizer))
        return false;
    drop_inputs(quantizer);
    return place_nodes(quantizer);
}
