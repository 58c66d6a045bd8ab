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

/* NPART_NONE: no value or node has the name. */
static uint32_t id_of(const struct npart__editor *editor, const char *name)
{
    return name ? npart__strings_find(&editor->names, name, strlen(name)) : NPART_NONE;
}

/* Declarations by the id of their name, the first of each; NULL when out of memory. Names made later have none. */
static Onnx__ValueInfoProto **by_name(const struct npart__editor *editor, Onnx__ValueInfoProto **infos, size_t count)
{
    Onnx__ValueInfoProto **list = npart__arena_zeroed(editor->arena, editor->names.texts.count, sizeof *list);
    for (size_t i = count; list && i-- > 0;) {
        uint32_t id = id_of(editor, infos[i]->name);
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
    Onnx__ValueInfoProto **inputs = by_name(editor, graph->input, graph->n_input);
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
        uint32_t id = id_of(editor, infos[i]->name);
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

/* What names of the main graph's list are from here on. Those of outputs become others, those of their sources the
 * outputs'. All arrays are by name. */
struct renaming {
    struct npart__editor *editor;
    uint32_t count; /* names; those that are made later stay */
    char **now;     /* NULL: it stays */
    bool *is_source, *is_made; /* is_made: by a node of the list */
    uint32_t *hidden; /* bodies around the node at hand in which the name means something else */
};

static char *text_of(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* NPART_NONE for a name that stays. */
static uint32_t renamed_id(const struct renaming *renaming, const char *name)
{
    uint32_t id = id_of(renaming->editor, name);
    return id == NPART_NONE || id >= renaming->count || !renaming->now[id] ? NPART_NONE : id;
}

static char *name_now(const struct renaming *renaming, char *name)
{
    uint32_t id = renamed_id(renaming, name);
    return id == NPART_NONE || renaming->hidden[id] ? name : renaming->now[id];
}

/* Names that a body gives to what is its own are none of the list's there, and in all bodies within it. */
static void hide(struct renaming *renaming, const char *name, bool is_hidden)
{
    uint32_t id = renamed_id(renaming, name);
    if (id != NPART_NONE)
        renaming->hidden[id] += is_hidden ? 1u : UINT32_MAX;
}

static void hide_own(struct renaming *renaming, const Onnx__GraphProto *body, bool is_hidden)
{
    for (size_t i = 0; i < body->n_input; i++)
        hide(renaming, body->input[i]->name, is_hidden);
    for (size_t i = 0; i < body->n_initializer; i++)
        hide(renaming, body->initializer[i]->name, is_hidden);
    for (size_t i = 0; i < body->n_node; i++)
        for (size_t k = 0; k < body->node[i]->n_output; k++)
            hide(renaming, body->node[i]->output[k], is_hidden);
}

/* Recursive as deep as bodies nest. Outputs of a body may be captured values. */
static void rename_uses(struct renaming *renaming, Onnx__NodeProto *node)
{
    for (size_t i = 0; i < node->n_input; i++)
        node->input[i] = name_now(renaming, node->input[i]);
    for (size_t i = 0; i < node->n_attribute; i++) {
        size_t count;
        Onnx__GraphProto **bodies = npart__edit_bodies(node->attribute[i], &count);
        for (size_t k = 0; k < count; k++) {
            hide_own(renaming, bodies[k], true);
            for (size_t n = 0; n < bodies[k]->n_node; n++)
                rename_uses(renaming, bodies[k]->node[n]);
            for (size_t n = 0; n < bodies[k]->n_output; n++)
                bodies[k]->output[n]->name = name_now(renaming, bodies[k]->output[n]->name);
            hide_own(renaming, bodies[k], false);
        }
    }
}

/* What is an output needs no other declaration. */
static void rename_infos(const struct renaming *renaming, Onnx__GraphProto *graph)
{
    size_t kept = 0;
    for (size_t i = 0; i < graph->n_value_info; i++) {
        uint32_t id = renamed_id(renaming, graph->value_info[i]->name);
        if (id != NPART_NONE && renaming->is_source[id])
            continue;
        graph->value_info[i]->name = name_now(renaming, graph->value_info[i]->name);
        graph->value_info[kept++] = graph->value_info[i];
    }
    graph->n_value_info = kept;
}

/* A source that has to keep its name: one that is an input, a constant, or another output. There is room for it. */
static bool add_identity(struct npart__editor *editor, const char *source, const char *output)
{
    Onnx__GraphProto *graph = editor->model->graph;
    Onnx__NodeProto *node = npart__edit_new_node(editor, "Identity", 1, 1);
    if (!node)
        return false;
    node->input[0] = text_of(source);
    node->output[0] = text_of(output);
    graph->node[graph->n_node++] = node;
    return true;
}

static bool open_renaming(struct renaming *renaming, struct npart__editor *editor)
{
    const Onnx__GraphProto *graph = editor->model->graph;
    size_t count = renaming->count = editor->names.texts.count;
    renaming->editor = editor;
    renaming->now = npart__arena_zeroed(editor->arena, count, sizeof *renaming->now);
    renaming->is_source = npart__arena_zeroed(editor->arena, count, sizeof *renaming->is_source);
    renaming->is_made = npart__arena_zeroed(editor->arena, count, sizeof *renaming->is_made);
    renaming->hidden = npart__arena_zeroed(editor->arena, count, sizeof *renaming->hidden);
    if (!renaming->now || !renaming->is_source || !renaming->is_made || !renaming->hidden)
        return false;
    for (size_t i = 0; i < graph->n_node; i++)
        for (size_t k = 0; k < graph->node[i]->n_output; k++) {
            uint32_t id = id_of(editor, graph->node[i]->output[k]);
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
        uint32_t id = id_of(editor, at->output);
        renaming->now[id] = wanted ? npart__edit_new_name(editor, wanted) : NULL;
        if (!renaming->now[id])
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
        uint32_t id = id_of(editor, editor->outputs[i].source);
        bool is_free = id < renaming->count && renaming->is_made[id] && !outputs[id] && !renaming->now[id];
        needs_node[i] = !is_free;
        *count += !is_free;
        if (is_free) {
            renaming->now[id] = text_of(editor->outputs[i].output);
            renaming->is_source[id] = true;
        }
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
        rename_uses(&renaming, nodes[i]);
        for (size_t k = 0; k < nodes[i]->n_output; k++)
            nodes[i]->output[k] = name_now(&renaming, nodes[i]->output[k]);
    }
    graph->node = nodes;
    rename_infos(&renaming, graph);
    bool is_done = true;
    for (uint32_t i = 0; i < editor->output_count && is_done; i++)
        if (needs_node[i])
            is_done = add_identity(editor, name_now(&renaming, text_of(editor->outputs[i].source)),
                                   editor->outputs[i].output);
    return is_done;
}
