/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs that are added to the main graph, and outputs that become something else.
 */
#include "edit/edit_internal.h"

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

const char *npart__editor_add_input(struct npart__editor *editor, const char *wanted, int element_type,
                                    const int64_t *dims, uint32_t rank)
{
    Onnx__GraphProto *graph = editor->model->graph;
    char *name = npart__edit_new_name(editor, wanted);
    Onnx__ValueInfoProto *info = npart__onnx_declaration(name, element_type, editor->arena);
    Onnx__TensorShapeProto *shape = npart__onnx_shape(rank, editor->arena);
    if (!info || !shape || !NPART__EDIT_APPEND(editor, graph->input, graph->n_input, info))
        return NULL;
    for (uint32_t i = 0; i < rank; i++) {
        shape->dim[i]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        shape->dim[i]->dim_value = dims[i];
    }
    info->type->tensor_type->shape = shape;
    return info->name;
}

static Onnx__ValueInfoProto *find_info(Onnx__ValueInfoProto **infos, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (infos[i]->name && strcmp(infos[i]->name, name) == 0)
            return infos[i];
    return NULL;
}

/* Nothing where no shape is declared, or there is no such axis. */
static void declare_size(const Onnx__ValueInfoProto *info, uint32_t axis, int64_t size)
{
    const Onnx__TypeProto *type = info ? info->type : NULL;
    bool is_tensor = type && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE && type->tensor_type;
    Onnx__TensorShapeProto *shape = is_tensor ? type->tensor_type->shape : NULL;
    if (!shape || axis >= shape->n_dim)
        return;
    shape->dim[axis]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
    shape->dim[axis]->dim_value = size;
}

void npart__editor_set_input_size(struct npart__editor *editor, const char *name, uint32_t axis, int64_t size)
{
    const Onnx__GraphProto *graph = editor->model->graph;
    declare_size(find_info(graph->input, graph->n_input, name), axis, size);
}

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

bool npart__editor_set_outputs(struct npart__editor *editor, const struct npart__new_output *list, uint32_t count)
{
    struct npart__new_output *copy = npart__arena_zeroed(editor->arena, count + (size_t)1, sizeof *copy);
    if (!copy)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = list[i];
        copy[i].output = npart__edit_text(editor, list[i].output);
        copy[i].source = npart__edit_text(editor, list[i].source);
        if (!copy[i].output || !copy[i].source)
            return false;
    }
    editor->outputs = copy;
    editor->output_count = count;
    return true;
}

void npart__editor_drop_output(struct npart__editor *editor, const char *name)
{
    Onnx__GraphProto *graph = editor->model->graph;
    size_t kept = 0;
    for (size_t i = 0; i < graph->n_output; i++)
        if (!graph->output[i]->name || strcmp(graph->output[i]->name, name) != 0)
            graph->output[kept++] = graph->output[i];
    graph->n_output = kept;
}

/* Names of the main graph's list and what they are from here on. Those of outputs become others, those of their sources
 * the outputs'. */
struct renaming {
    struct npart__editor *editor;
    struct npart__strings names;
    struct NPART__ARRAY(char *) now; /* by name */
    struct NPART__ARRAY(bool) is_source; /* by name */
};

static char *text_of(const char *text)
{
    return (char *)(uintptr_t)text;
}

static bool rename_to(struct renaming *renaming, const char *name, const char *now, bool is_source)
{
    uint32_t id = npart__intern(&renaming->names, name, strlen(name), false);
    while (id != NPART_NONE && renaming->now.count <= id)
        if (!NPART__PUSH(renaming->editor->arena, &renaming->now, NULL) ||
            !NPART__PUSH(renaming->editor->arena, &renaming->is_source, false))
            return false;
    if (id == NPART_NONE)
        return false;
    renaming->now.items[id] = text_of(now);
    renaming->is_source.items[id] = is_source;
    return true;
}

/* NULL: it stays. */
static char *name_now(const struct renaming *renaming, const char *name, bool *is_source)
{
    uint32_t id = name && *name ? npart__strings_find(&renaming->names, name, strlen(name)) : NPART_NONE;
    if (id == NPART_NONE || id >= renaming->now.count)
        return NULL;
    *is_source = renaming->is_source.items[id];
    return renaming->now.items[id];
}

static void rename_all(const struct renaming *renaming, char **names, size_t count)
{
    bool is_source;
    for (size_t i = 0; i < count; i++) {
        char *now = name_now(renaming, names[i], &is_source);
        if (now)
            names[i] = now;
    }
}

static bool has_body(const Onnx__NodeProto *node)
{
    size_t count, sum = 0;
    for (size_t i = 0; i < node->n_attribute; i++) {
        (void)npart__edit_bodies(node->attribute[i], &count);
        sum += count;
    }
    return sum > 0;
}

/* A body may use any of the names, so each is looked for in it: the outputs' first, as sources get these. */
static void rename_in_bodies(const struct renaming *renaming, Onnx__NodeProto *node)
{
    for (int sources = 0; sources < 2; sources++)
        for (uint32_t id = 0; id < renaming->now.count; id++)
            if (renaming->now.items[id] && renaming->is_source.items[id] == (sources == 1))
                npart__edit_rename_uses(node, npart__text(&renaming->names, id), renaming->now.items[id]);
}

static Onnx__ValueInfoProto *find_output(const Onnx__GraphProto *graph, const char *name)
{
    return find_info(graph->output, graph->n_output, name);
}

/* Made by a node of the list, and under no name that others know. */
static bool can_be_renamed(const Onnx__GraphProto *graph, const char *name)
{
    if (find_output(graph, name))
        return false;
    for (size_t i = 0; i < graph->n_node; i++)
        for (size_t k = 0; k < graph->node[i]->n_output; k++)
            if (graph->node[i]->output[k] && strcmp(graph->node[i]->output[k], name) == 0)
                return true;
    return false;
}

/* What is an output needs no other declaration. */
static void rename_infos(const struct renaming *renaming, Onnx__GraphProto *graph)
{
    size_t kept = 0;
    for (size_t i = 0; i < graph->n_value_info; i++) {
        bool is_source = false;
        char *now = name_now(renaming, graph->value_info[i]->name, &is_source);
        if (now && is_source)
            continue;
        if (now)
            graph->value_info[i]->name = now;
        graph->value_info[kept++] = graph->value_info[i];
    }
    graph->n_value_info = kept;
}

/* A source that has to keep its name: one that is an input, a constant, or another output. */
static bool add_identity(struct npart__editor *editor, const char *source, const char *output)
{
    Onnx__GraphProto *graph = editor->model->graph;
    Onnx__NodeProto *node = npart__edit_new_node(editor, "Identity", 1, 1);
    if (!node)
        return false;
    node->input[0] = text_of(source);
    node->output[0] = text_of(output);
    return NPART__EDIT_APPEND(editor, graph->node, graph->n_node, node);
}

bool npart__edit_change_outputs(struct npart__editor *editor)
{
    Onnx__GraphProto *graph = editor->model->graph;
    struct renaming renaming = {.editor = editor};
    bool is_done = !editor->output_count || npart__strings_init(&renaming.names, editor->arena), is_source;
    if (!editor->output_count)
        return true;
    for (uint32_t i = 0; i < editor->output_count && is_done; i++) {
        const char *wanted = npart__arena_format(editor->arena, "%s/all", editor->outputs[i].output);
        const char *inner = wanted ? npart__edit_new_name(editor, wanted) : NULL;
        is_done = inner && rename_to(&renaming, editor->outputs[i].output, inner, false);
        declare_size(find_output(graph, editor->outputs[i].output), editor->outputs[i].axis, editor->outputs[i].size);
    }
    bool *needs_node = npart__arena_zeroed(editor->arena, editor->output_count, sizeof *needs_node);
    for (uint32_t i = 0; i < editor->output_count && is_done && needs_node; i++) {
        const char *source = editor->outputs[i].source;
        needs_node[i] = !can_be_renamed(graph, source) || name_now(&renaming, source, &is_source);
        is_done = needs_node[i] || rename_to(&renaming, source, editor->outputs[i].output, true);
    }
    is_done &= needs_node != NULL;
    for (size_t i = 0; i < graph->n_node && is_done; i++) {
        Onnx__NodeProto *node = graph->node[i];
        if (has_body(node))
            rename_in_bodies(&renaming, node);
        else
            rename_all(&renaming, node->input, node->n_input);
        rename_all(&renaming, node->output, node->n_output);
    }
    rename_infos(&renaming, graph);
    for (uint32_t i = 0; i < editor->output_count && is_done; i++) {
        char *now = needs_node[i] ? name_now(&renaming, editor->outputs[i].source, &is_source) : NULL;
        if (needs_node[i])
            is_done = add_identity(editor, now ? now : editor->outputs[i].source, editor->outputs[i].output);
    }
    return is_done;
}
