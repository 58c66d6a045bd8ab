/* SPDX-License-Identifier: Apache-2.0
 *
 * New nodes and tensors of a quantized model, and the order of its nodes.
 */
#include <math.h>
#include <stdlib.h>

#include "quantize/internal.h"

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
    const Onnx__AttributeProto__AttributeType type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
    Onnx__AttributeProto *made = node ? npart__edit_attribute(quantizer->arena, node, attribute, type) : NULL;
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

Onnx__TensorProto *npart__add_tensor(struct npart__quantizer *quantizer, const char *name, int element_type,
                                     const int64_t *dims, size_t rank, const double *numbers, double number)
{
    Onnx__TensorProto *tensor =
        quantizer->arena->failed ? NULL : npart__edit_new_tensor(quantizer->arena, element_type, dims, rank);
    uint64_t elements;
    if (!tensor)
        return NULL;
    tensor->name = copy(quantizer, name);
    (void)NPART__PUSH(quantizer->arena, &quantizer->initializers, tensor);
    elements = npart__dims_elements(dims, rank, &elements) ? elements : 0;
    uint64_t bytes = npart__type_bytes(element_type, elements);
    /* A scan keeps as many FLOAT ones. */
    if ((!numbers && isnan(number)) || elements > NPART__KEEP_BYTES / 4) {
        leave_out(quantizer, tensor, elements, bytes);
    } else {
        tensor->has_raw_data = 1;
        tensor->raw_data.len = (size_t)bytes;
        tensor->raw_data.data = npart__arena_zeroed(quantizer->arena, (size_t)bytes + 1, 1);
    }
    for (uint64_t i = 0; tensor->raw_data.data && i < elements; i++)
        npart__edit_put_number(tensor, i, numbers ? numbers[i] : number);
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

/* Of a name: a node that needs it, and the user after this one. */
struct user {
    uint32_t node, next;
};

#define ABSENT UINT32_MAX

struct sorting {
    struct npart__quantizer *quantizer;
    Onnx__NodeProto **nodes, **sorted;
    uint32_t sorted_count;
    uint32_t *waits; /* by node: operands that are not made yet; ABSENT: it is gone */
    uint32_t *first; /* by name: the first user, in `users` from 1 on; ABSENT: nothing makes it */
    struct NPART__ARRAY(struct user) users;
};

/* NULL for a name that stands for nothing. */
static uint32_t *first_user(const struct sorting *sorting, const char *name)
{
    uint32_t id = *name ? npart__strings_find_text(&sorting->quantizer->names, name) : NPART_NONE;
    return id == NPART_NONE ? NULL : &sorting->first[id];
}

/* Users come from the last one on. */
static void wait_for(struct sorting *sorting, uint32_t node, const char *name)
{
    uint32_t *first = first_user(sorting, name);
    if (!first || *first == ABSENT)
        return;
    struct user user = {node, *first};
    (void)NPART__PUSH(sorting->quantizer->arena, &sorting->users, user);
    *first = sorting->users.count;
    sorting->waits[node]++;
}

/* A name is made: its users, in their order, wait for one less. */
static void release(struct sorting *sorting, const char *name)
{
    uint32_t *first = first_user(sorting, name);
    for (uint32_t at = first ? *first : 0, node; at; at = sorting->users.items[at - 1].next)
        if (--sorting->waits[node = sorting->users.items[at - 1].node] == 0)
            sorting->sorted[sorting->sorted_count++] = sorting->nodes[node];
    if (first)
        *first = 0;
}

static int compare_results(const void *left, const void *right)
{
    return strcmp((*(Onnx__NodeProto *const *)left)->output[0], (*(Onnx__NodeProto *const *)right)->output[0]);
}

/* Initializers and inputs by their names, as nodes that need nothing; then the file's and new ones. */
static uint32_t list_nodes(struct sorting *sorting, uint32_t *given)
{
    const struct npart__quantizer *quantizer = sorting->quantizer;
    const Onnx__GraphProto *graph = quantizer->main;
    size_t constants = graph->n_initializer;
    Onnx__NodeProto *made = npart__arena_zeroed(quantizer->arena, constants + graph->n_input + 1, sizeof *made);
    for (size_t i = *given = 0; made && i < constants + graph->n_input; i++) {
        made[i].output = i < constants ? &graph->initializer[i]->name : &graph->input[i - constants]->name;
        made[i].n_output = 1;
        if (made[i].output[0])
            sorting->nodes[(*given)++] = &made[i];
    }
    qsort(sorting->nodes, *given, sizeof *sorting->nodes, compare_results);
    for (size_t i = 0; i < graph->n_node; i++) {
        sorting->waits[*given + i] = quantizer->is_removed[i] ? ABSENT : 0;
        sorting->nodes[*given + i] = graph->node[i];
    }
    for (uint32_t i = 0; i < quantizer->nodes.count; i++)
        sorting->nodes[*given + graph->n_node + i] = quantizer->nodes.items[i];
    return made ? *given + (uint32_t)graph->n_node + quantizer->nodes.count : 0;
}

/* From what needs nothing on, then wave by wave, as the quantizer's own writer sorts (onnx_model.py,
 * topological_sort). Of what waits for each other nothing is sorted. */
static void sort(struct sorting *sorting, uint32_t given, uint32_t count)
{
    const struct npart__quantizer *quantizer = sorting->quantizer;
    const struct npart__graph *graph = quantizer->graph;
    uint32_t *first;
    for (uint32_t i = 0; i < count; i++)
        for (size_t k = 0; !sorting->waits[i] && k < sorting->nodes[i]->n_output; k++)
            if ((first = first_user(sorting, sorting->nodes[i]->output[k])))
                *first = 0;
    for (uint32_t i = count; i-- > given;) {
        const struct npart__node *at = i - given < quantizer->main->n_node ? npart__node_at(graph, i - given) : NULL;
        bool is_there = !sorting->waits[i];
        for (size_t k = 0; is_there && k < sorting->nodes[i]->n_input; k++)
            wait_for(sorting, i, sorting->nodes[i]->input[k]);
        for (uint32_t k = 0; is_there && at && k < at->capture_count; k++)
            wait_for(sorting, i, npart__value_name(graph, graph->operands.items[at->first_capture + k]));
    }
    for (uint32_t i = 0; i < count; i++)
        if (!sorting->waits[i])
            sorting->sorted[sorting->sorted_count++] = sorting->nodes[i];
    for (uint32_t i = 0; i < sorting->sorted_count && !quantizer->arena->failed; i++)
        for (size_t k = 0; k < sorting->sorted[i]->n_output; k++)
            release(sorting, sorting->sorted[i]->output[k]);
}

static bool place_nodes(struct npart__quantizer *quantizer)
{
    Onnx__GraphProto *graph = quantizer->main;
    size_t most = graph->n_initializer + graph->n_input + graph->n_node + quantizer->nodes.count + 1;
    size_t names = quantizer->names.texts.count;
    struct sorting sorting = {.quantizer = quantizer};
    uint32_t given, gone = 0;
    sorting.nodes = npart__arena_zeroed(quantizer->arena, 2 * most, sizeof(Onnx__NodeProto *));
    sorting.waits = npart__arena_zeroed(quantizer->arena, most + names, sizeof *sorting.waits);
    if (!sorting.nodes || !sorting.waits)
        return false;
    sorting.sorted = sorting.nodes + most;
    sorting.first = sorting.waits + most;
    memset(sorting.first, 0xff, names * sizeof *sorting.first);
    uint32_t count = list_nodes(&sorting, &given);
    sort(&sorting, given, count);
    for (size_t i = 0; i < graph->n_node; i++)
        gone += quantizer->is_removed[i];
    graph->node = sorting.sorted + given;
    graph->n_node = sorting.sorted_count - given;
    return count && sorting.sorted_count + gone == count && !quantizer->arena->failed;
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
