/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts what sites have made into the protobuf objects, and these into the next version.
 */
#include <stdlib.h>

#include "edit/edit_internal.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* An object of the file may lack a name; then it is none that is looked for. */
static bool is_text(const char *a, const char *b)
{
    return a && strcmp(a, b) == 0;
}

/* ---- results that are made by others ----------------------------------------------------------------------------- */

/* Where results of replaced nodes stand in the lists of their nodes in the file: by value, counted from 1. NULL when
 * out of memory. */
static uint32_t *list_places(const struct npart__editor *editor)
{
    const struct npart__graph *graph = editor->graph;
    uint32_t *places = npart__arena_zeroed(editor->arena, graph->values.count + (size_t)1, sizeof *places);
    bool *is_listed = npart__arena_zeroed(editor->arena, graph->nodes.count + (size_t)1, sizeof *is_listed);
    for (uint32_t i = 0; places && is_listed && i < editor->kept_rebound; i++) {
        uint32_t producer = editor->rebound.items[i].producer;
        if (producer == NPART_NONE || is_listed[producer])
            continue;
        is_listed[producer] = true;
        const struct npart__node *node = npart__node_at(graph, producer);
        for (uint32_t k = 0; k < node->output_count && k < editor->protos[producer]->n_output; k++) {
            uint32_t value = npart__edit_own_result(editor, producer, k);
            if (value != NPART_NONE && !places[value])
                places[value] = k + 1;
        }
    }
    return is_listed ? places : NULL;
}

/* A node that still makes other results keeps this one under an unused name, since the standard may demand it;
 * others are gone with it. A result that a node lists twice, by mistake, has been given its name before. */
static bool take_result(struct npart__editor *editor, const struct npart__rebound *rebound, uint32_t place)
{
    const char *name = npart__value_name(editor->graph, rebound->value);
    if (rebound->producer == NPART_NONE || !place)
        return true;
    Onnx__NodeProto *node = editor->protos[rebound->producer];
    if (!is_text(node->output[place - 1], name))
        return true;
    char *wanted = npart__arena_format(editor->arena, "%s/unused", name);
    node->output[place - 1] = wanted ? npart__edit_new_name(editor, wanted) : NULL;
    return node->output[place - 1] != NULL;
}

static bool take_results(struct npart__editor *editor)
{
    const uint32_t *places = list_places(editor);
    bool is_done = places != NULL;
    for (uint32_t i = 0; is_done && i < editor->kept_rebound; i++)
        is_done = take_result(editor, &editor->rebound.items[i], places[editor->rebound.items[i].value]);
    return is_done;
}

/* ---- new nodes and constants ------------------------------------------------------------------------------------- */

/* Where a new node goes: before node `anchor` of the scope, as the file has it. */
struct placed {
    uint32_t scope, anchor, index; /* in the order in which they were made */
};

/* The index comes last, so nodes of one site stand in the order in which they were made, and the sort is the same on
 * every machine. */
static int compare_placed(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    if (a->anchor != b->anchor)
        return a->anchor < b->anchor ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Whether everything that is used of a node is made by others: then it goes, also where it is a call, of which it is
 * not known what else it does. Without this a call would stay beside what replaced it, since lib/change/edit/tidy.c
 * keeps operators of domains that it does not know. */
static bool is_replaced(const struct npart__editor *editor, uint32_t id)
{
    const struct npart__graph *graph = editor->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    bool is_replaced = false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__edit_own_result(editor, id, i);
        if (value == NPART_NONE)
            continue;
        const struct npart__value *at = npart__value_at(graph, value);
        if (!editor->is_finished[value] && (at->consumer_count || at->is_graph_output || at->alias != value))
            return false;
        is_replaced |= editor->is_finished[value];
    }
    return is_replaced;
}

/* New nodes stand before the node that they were made for, each list made anew once. Order within the list is kept
 * but for these; tidy.c sorts where a rewrite took operands from further down. */
static bool place_in_scope(struct npart__editor *editor, const struct placed *placed, uint32_t count)
{
    Onnx__GraphProto *graph = editor->graphs[placed[0].scope];
    Onnx__NodeProto **nodes = npart__arena_zeroed(editor->arena, graph->n_node + count + 1, sizeof *nodes);
    size_t made = 0;
    uint32_t at = 0;
    for (size_t i = 0; nodes && i < graph->n_node; i++) {
        while (at < count && placed[at].anchor == i)
            nodes[made++] = editor->nodes.items[placed[at++].index].node;
        if (!editor->is_replaced[npart__scope_at(editor->graph, placed[0].scope)->first_node + i])
            nodes[made++] = graph->node[i];
    }
    if (!nodes)
        return false;
    graph->node = nodes;
    graph->n_node = made;
    return true;
}

/* Sorted once, then scope by scope: linear in nodes, however many sites there were. */
static bool place_nodes(struct npart__editor *editor)
{
    uint32_t count = editor->kept_nodes;
    struct placed *placed = npart__arena_zeroed(editor->arena, count + (size_t)1, sizeof *placed);
    if (!placed)
        return false;
    for (uint32_t i = 0; i < count; i++)
        placed[i] = (struct placed){editor->nodes.items[i].scope, editor->nodes.items[i].anchor, i};
    qsort(placed, count, sizeof *placed, compare_placed);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && placed[end].scope == placed[i].scope;)
            end++;
        if (!place_in_scope(editor, placed + i, end - i))
            return false;
    }
    return true;
}

/* Before IR version 4 an initializer had to be an input, which a new one is not. The model's IR version stays what
 * it was, so that whoever could load the file before can load it now. The nodes stand first in their list, before
 * all that may use them. Looks through all constants for each scope that gets some. */
static bool place_constant_nodes(struct npart__editor *editor, const uint32_t *counts)
{
    for (uint32_t scope = 0; scope < editor->graph->scopes.count; scope++) {
        Onnx__GraphProto *graph = editor->graphs[scope];
        if (!counts[scope])
            continue;
        Onnx__NodeProto **nodes =
            npart__arena_zeroed(editor->arena, graph->n_node + counts[scope] + 1, sizeof *nodes);
        size_t made = 0;
        for (uint32_t i = 0; nodes && i < editor->kept_constants; i++)
            if (editor->constants.items[i].scope == scope) {
                nodes[made] = npart__onnx_constant(editor->constants.items[i].tensor, editor->arena);
                if (!nodes[made++])
                    return false;
            }
        if (!nodes)
            return false;
        if (graph->n_node)
            memcpy(nodes + made, graph->node, graph->n_node * sizeof *nodes);
        graph->node = nodes;
        graph->n_node += made;
    }
    return true;
}

/* A constant that only replaced nodes used is gone again with them. Lists are made anew once a scope, with room
 * for all of its constants. */
static bool place_constants(struct npart__editor *editor)
{
    struct npart__arena *arena = editor->arena;
    uint32_t *counts = npart__arena_zeroed(arena, editor->graph->scopes.count, sizeof *counts);
    if (!counts)
        return false;
    for (uint32_t i = 0; i < editor->kept_constants; i++)
        counts[editor->constants.items[i].scope]++;
    /* A missing version reads as 0, and is old. */
    if (editor->model->ir_version < 4)
        return place_constant_nodes(editor, counts);
    for (uint32_t scope = 0; scope < editor->graph->scopes.count; scope++) {
        Onnx__GraphProto *graph = editor->graphs[scope];
        if (!counts[scope])
            continue;
        Onnx__TensorProto **longer =
            npart__arena_zeroed(arena, graph->n_initializer + counts[scope], sizeof *longer);
        if (!longer)
            return false;
        if (graph->n_initializer)
            memcpy(longer, graph->initializer, graph->n_initializer * sizeof *longer);
        graph->initializer = longer;
    }
    for (uint32_t i = 0; i < editor->kept_constants; i++) {
        Onnx__GraphProto *graph = editor->graphs[editor->constants.items[i].scope];
        graph->initializer[graph->n_initializer++] = editor->constants.items[i].tensor;
    }
    return true;
}

bool npart__edit_import(Onnx__ModelProto *model, const char *domain, int64_t version, struct npart__arena *arena)
{
    for (size_t i = 0; i < model->n_opset_import; i++)
        if (is_text(model->opset_import[i]->domain, domain))
            return true;
    Onnx__OperatorSetIdProto *import = npart__arena_allocate(arena, sizeof *import);
    if (!import)
        return false;
    onnx__operator_set_id_proto__init(import);
    import->domain = (char *)(uintptr_t)domain;
    import->has_version = 1;
    import->version = version;
    return NPART__EDIT_APPEND(arena, model->opset_import, model->n_opset_import, import);
}

/* Operators of a domain that the model did not import: version 1 is the only one that com.microsoft has. The
 * standard's own domain is imported by every model. */
static bool import_domains(struct npart__editor *editor)
{
    bool is_done = true;
    for (uint32_t i = 0; is_done && i < editor->kept_nodes; i++) {
        const char *domain = editor->nodes.items[i].node->domain;
        is_done = !domain || !*domain || npart__edit_import(editor->model, domain, 1, editor->arena);
    }
    return is_done;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* Names without their domains: a node that merely has the name of a function keeps all functions, which costs bytes
 * and never an operator. */
static bool list_ops(const Onnx__GraphProto *graph, struct npart__strings *ops)
{
    for (size_t i = 0; i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        const char *op = node->op_type ? node->op_type : "";
        if (npart__intern_text(ops, op) == NPART_NONE)
            return false;
        for (size_t k = 0; k < node->n_attribute; k++) {
            size_t count;
            Onnx__GraphProto **bodies = npart__edit_bodies(node->attribute[k], &count);
            for (size_t n = 0; n < count; n++)
                if (!list_ops(bodies[n], ops))
                    return false;
        }
    }
    return true;
}

/* The functions go once no node has the name of one: their bodies would be checked, and may name unknown
 * operators. Calls among functions are not followed. False when out of memory. So a model whose calls have all
 * been inlined is one without functions, which runtimes that know no functions can load. */
static bool drop_functions(struct npart__editor *editor)
{
    struct npart__strings ops;
    Onnx__ModelProto *model = editor->model;
    if (!model->n_functions)
        return true;
    if (!npart__strings_init(&ops, editor->arena) || !list_ops(model->graph, &ops))
        return false;
    for (size_t i = 0; i < model->n_functions; i++) {
        const char *name = model->functions[i]->name ? model->functions[i]->name : "";
        if (npart__strings_find_text(&ops, name) != NPART_NONE)
            return true;
    }
    model->n_functions = 0;
    return true;
}

npart_status npart__edit_pack(const struct npart__editor *editor, struct npart__arena *arena,
                              struct npart__version *out, struct npart_error *error)
{
    out->input_bytes = editor->input_bytes;
    return npart__onnx_pack(editor->model, arena, &out->data, &out->bytes, error);
}

/* Replaced nodes are told before names are given away, since both ask by the file's own names; unused nodes and
 * initializers go last, when nothing more is added. */
npart_status npart__editor_pack(struct npart__editor *editor, struct npart__arena *arena, struct npart__version *out,
                                struct npart_error *error)
{
    editor->is_replaced = npart__arena_zeroed(arena, editor->graph->nodes.count + (size_t)1, sizeof(bool));
    if (!editor->is_replaced)
        return npart__fail_memory(error);
    for (uint32_t i = 0; i < editor->graph->nodes.count; i++)
        editor->is_replaced[i] = editor->protos[i] && is_replaced(editor, i);
    if (!take_results(editor) || !place_nodes(editor) || !place_constants(editor) || !import_domains(editor) ||
        !npart__edit_change_outputs(editor))
        return npart__fail_memory(error);
    /* From here on ids of the graph mean nothing: lists have other lengths. */
    npart_status status = npart__edit_tidy(editor, editor->model->graph, error);
    if (status != NPART_OK)
        return status;
    if (!drop_functions(editor))
        return npart__fail_memory(error);
    out->limits = editor->graph->limits;
    out->objects = NULL;
    out->made = NULL;
    return npart__edit_pack(editor, arena, out, error);
}
