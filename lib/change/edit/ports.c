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
    if (!info || !shape || !NPART__EDIT_APPEND(editor->arena, graph->input, graph->n_input, info))
        return NULL;
    for (uint32_t i = 0; i < rank; i++) {
        shape->dim[i]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        shape->dim[i]->dim_value = dims[i];
    }
    info->type->tensor_type->shape = shape;
    return info->name;
}

/* Declarations by the id of their name, the first of each; NULL when out of memory. Names made later have none. */
static Onnx__ValueInfoProto **by_name(const struct npart__editor *editor, Onnx__ValueInfoProto **infos, size_t count)
{
    Onnx__ValueInfoProto **list = npart__arena_zeroed(editor->arena, editor->names.texts.count, sizeof *list);
    for (size_t i = count; list && i-- > 0;) {
        uint32_t id = npart__edit_name_id(editor, infos[i]->name);
        if (id != NPART_NONE)
            list[id] = infos[i];
    }
    return list;
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

bool npart__editor_set_input_sizes(struct npart__editor *editor, const struct npart__new_size *list, uint32_t count)
{
    const Onnx__GraphProto *graph = editor->model->graph;
    Onnx__ValueInfoProto **inputs =
        npart__edit_own_types(editor) ? by_name(editor, graph->input, graph->n_input) : NULL;
    for (uint32_t i = 0; inputs && i < count; i++)
        declare_size(inputs[npart__value_at(editor->graph, list[i].input)->name], list[i].axis, list[i].size);
    return inputs != NULL;
}

/* A name that the file lists twice goes twice. */
static void drop_infos(const struct npart__editor *editor, const bool *is_dropped, Onnx__ValueInfoProto **infos,
                       size_t *count)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        uint32_t id = npart__edit_name_id(editor, infos[i]->name);
        if (id == NPART_NONE || !is_dropped[id])
            infos[kept++] = infos[i];
    }
    *count = kept;
}

bool npart__editor_drop_ports(struct npart__editor *editor, const uint32_t *inputs, uint32_t input_count,
                              const uint32_t *outputs, uint32_t output_count)
{
    Onnx__GraphProto *graph = editor->model->graph;
    bool *is_dropped = npart__arena_zeroed(editor->arena, editor->names.texts.count, sizeof *is_dropped);
    if (!is_dropped)
        return false;
    for (uint32_t i = 0; i < output_count; i++)
        is_dropped[npart__value_at(editor->graph, outputs[i])->name] = true;
    drop_infos(editor, is_dropped, graph->output, &graph->n_output);
    memset(is_dropped, 0, editor->names.texts.count * sizeof *is_dropped);
    for (uint32_t i = 0; i < input_count; i++)
        is_dropped[npart__value_at(editor->graph, inputs[i])->name] = true;
    drop_infos(editor, is_dropped, graph->input, &graph->n_input);
    return true;
}

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

bool npart__editor_set_outputs(struct npart__editor *editor, const struct npart__new_output *list, uint32_t count)
{
    struct npart__new_output *copy = npart__arena_zeroed(editor->arena, count + (size_t)1, sizeof *copy);
    if (!copy || !npart__edit_own_types(editor))
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

/* What names of the main graph's list are from here on is the editor's to know. Those of outputs become others, those
 * of their sources the outputs'. All arrays are by name. */
struct renaming {
    struct npart__editor *editor;
    uint32_t count; /* names; those that are made later stay */
    bool *is_source, *is_made; /* is_made: by a node of the list */
};

static char *text_of(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* What is an output needs no other declaration. */
static void rename_infos(const struct renaming *renaming, Onnx__GraphProto *graph)
{
    size_t kept = 0;
    for (size_t i = 0; i < graph->n_value_info; i++) {
        uint32_t id = npart__edit_name_id(renaming->editor, graph->value_info[i]->name);
        if (id < renaming->count && renaming->is_source[id])
            continue;
        graph->value_info[i]->name = npart__edit_name_now(renaming->editor, graph->value_info[i]->name);
        graph->value_info[kept++] = graph->value_info[i];
    }
    graph->n_value_info = kept;
}

/* A source that has to keep its name: one that is an input, a constant, or another output. There is room for it. */
static bool add_identity(struct npart__editor *editor, const char *source, const char *output)
{
    Onnx__GraphProto *graph = editor->model->graph;
    Onnx__NodeProto *node = npart__edit_new_identity(editor, source, output);
    if (!node)
        return false;
    graph->node[graph->n_node++] = node;
    return true;
}

static bool open_renaming(struct renaming *renaming, struct npart__editor *editor)
{
    const Onnx__GraphProto *graph = editor->model->graph;
    size_t count = renaming->count = editor->names.texts.count;
    renaming->editor = editor;
    renaming->is_source = npart__arena_zeroed(editor->arena, count, sizeof *renaming->is_source);
    renaming->is_made = npart__arena_zeroed(editor->arena, count, sizeof *renaming->is_made);
    if (!renaming->is_source || !renaming->is_made)
        return false;
    for (size_t i = 0; i < graph->n_node; i++)
        for (size_t k = 0; k < graph->node[i]->n_output; k++) {
            uint32_t id = npart__edit_name_id(editor, graph->node[i]->output[k]);
            if (id != NPART_NONE)
                renaming->is_made[id] = true;
        }
    return true;
}

/* What outputs were goes on under other names. NULL when out of memory. */
static Onnx__ValueInfoProto **rename_outputs(struct renaming *renaming)
{
    struct npart__editor *editor = renaming->editor;
    const Onnx__GraphProto *graph = editor->model->graph;
    Onnx__ValueInfoProto **outputs = by_name(editor, graph->output, graph->n_output);
    for (uint32_t i = 0; i < editor->output_count && outputs; i++) {
        const struct npart__new_output *at = &editor->outputs[i];
        const char *wanted = npart__arena_format(editor->arena, "%s/all", at->output);
        uint32_t id = npart__edit_name_id(editor, at->output);
        char *other = wanted ? npart__edit_new_name(editor, wanted) : NULL;
        if (!other || !npart__edit_rename(editor, id, other))
            return NULL;
        declare_size(outputs[id], at->axis, at->size);
    }
    return outputs;
}

/* Sources get the names of their outputs, where they are made by a node, and under no name that others know. Which do
 * not, and how many; NULL when out of memory. */
static bool *rename_sources(struct renaming *renaming, Onnx__ValueInfoProto *const *outputs, uint32_t *count)
{
    struct npart__editor *editor = renaming->editor;
    bool *needs_node = npart__arena_zeroed(editor->arena, editor->output_count, sizeof *needs_node);
    *count = 0;
    for (uint32_t i = 0; i < editor->output_count && needs_node; i++) {
        uint32_t id = npart__edit_name_id(editor, editor->outputs[i].source);
        bool is_free = id < renaming->count && renaming->is_made[id] && !outputs[id] && !renaming->is_source[id];
        needs_node[i] = !is_free;
        *count += !is_free;
        if (is_free && !npart__edit_rename(editor, id, text_of(editor->outputs[i].output)))
            return NULL;
        if (is_free)
            renaming->is_source[id] = true;
    }
    return needs_node;
}

bool npart__edit_change_outputs(struct npart__editor *editor)
{
    Onnx__GraphProto *graph = editor->model->graph;
    struct renaming renaming;
    uint32_t more;
    if (!editor->output_count)
        return true;
    Onnx__ValueInfoProto **outputs = open_renaming(&renaming, editor) ? rename_outputs(&renaming) : NULL;
    bool *needs_node = outputs ? rename_sources(&renaming, outputs, &more) : NULL;
    Onnx__NodeProto **nodes =
        needs_node ? npart__arena_zeroed(editor->arena, graph->n_node + more + 1, sizeof *nodes) : NULL;
    if (!nodes)
        return false;
    for (size_t i = 0; i < graph->n_node; i++) {
        nodes[i] = graph->node[i];
        npart__edit_rename_uses(editor, nodes[i]);
        for (size_t k = 0; k < nodes[i]->n_output; k++)
            nodes[i]->output[k] = npart__edit_name_now(editor, nodes[i]->output[k]);
    }
    graph->node = nodes;
    rename_infos(&renaming, graph);
    bool is_done = true;
    for (uint32_t i = 0; i < editor->output_count && is_done; i++)
        if (needs_node[i])
            is_done = add_identity(editor, npart__edit_name_now(editor, text_of(editor->outputs[i].source)),
                                   editor->outputs[i].output);
    return is_done;
}
