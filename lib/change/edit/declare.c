/* SPDX-License-Identifier: Apache-2.0
 *
 * What a graph declares of its values: inputs that become constants, and types that say what is known now.
 */
#include <math.h>
#include <stdio.h>

#include "edit/edit_internal.h"

/* ---- inputs that are given --------------------------------------------------------------------------------------- */

/* The value of an input of the main graph; NPART_NONE where there is none. Names come from the user, and are few. */
static uint32_t find_input(const struct npart__editor *editor, const char *name)
{
    const struct npart__scope *scope = npart__scope_at(editor->graph, 0);
    for (uint32_t i = 0; i < scope->input_count; i++) {
        uint32_t value = editor->graph->operands.items[scope->first_input + i];
        if (strcmp(npart__value_name(editor->graph, value), name) == 0)
            return value;
    }
    return NPART_NONE;
}

/* A name that the file lists twice goes twice. */
static void drop_input(Onnx__GraphProto *graph, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < graph->n_input; i++)
        if (!graph->input[i]->name || strcmp(graph->input[i]->name, name) != 0)
            graph->input[kept++] = graph->input[i];
    graph->n_input = kept;
    kept = 0;
    for (size_t i = 0; i < graph->n_initializer; i++) /* the default that it had */
        if (!graph->initializer[i]->name || strcmp(graph->initializer[i]->name, name) != 0)
            graph->initializer[kept++] = graph->initializer[i];
    graph->n_initializer = kept;
}

/* Whether an element of the type can be the number, fractions of whole ones dropped: 300 is no uint8, NaN no
 * integer. Floating point types have infinity for what is too large. Of int8 that leaves what is between -129 and
 * 128, both excluded. */
static bool can_be(int element_type, double number)
{
    unsigned bits = (unsigned)npart__type_bits(element_type);
    if (!npart__type_is_integer(element_type))
        return true;
    bool is_unsigned = npart__type_name(element_type)[0] == 'u';
    double most = ldexp(1, (int)(is_unsigned ? bits : bits - 1));
    return trunc(number) < most && trunc(number) >= (is_unsigned ? 0 : -most);
}

/* So the model has one input less, and what only served its other values may go: branches of an If, masks that are
 * folded. */
npart_status npart__editor_bind_value(struct npart__editor *editor, const char *name, const double *numbers,
                                      uint32_t count, struct npart_error *error)
{
    Onnx__GraphProto *graph = editor->model->graph;
    uint32_t value = find_input(editor, name);
    if (value == NPART_NONE)
        return npart__fail(error, NPART_ERROR_ARGUMENT, name, "the model has no such input");
    /* All dims must be known, as the constant is written with all its elements. */
    const struct npart__fact *fact = npart__fact_of(editor->inference, value);
    uint64_t elements;
    if (fact->kind != NPART__TYPE_TENSOR || !npart__static_elements(fact, &elements))
        return npart__fail(error, NPART_ERROR_ARGUMENT, name, "the input must have a fixed shape to be given a value");
    if (count != 1 && count != elements)
        return npart__fail(error, NPART_ERROR_ARGUMENT, name, "the input has %llu elements, not %u",
                           (unsigned long long)elements, count);
    for (uint32_t i = 0; i < count; i++)
        if (!can_be(fact->element_type, numbers[i]))
            return npart__fail(error, NPART_ERROR_ARGUMENT, name, "number %u cannot be of type %s", i + 1,
                               npart__type_name(fact->element_type));
    bool is_impossible = false;
    Onnx__TensorProto *tensor =
        npart__edit_tensor(editor, fact->element_type, fact->dims, fact->rank, &elements, &is_impossible);
    if (is_impossible)
        return npart__fail(error, NPART_ERROR_ARGUMENT, name, "an input of %s cannot be given a value",
                           npart__type_name(fact->element_type));
    if (!tensor || !(tensor->name = npart__edit_text(editor, name)))
        return npart__fail_memory(error);
    for (uint64_t i = 0; i < elements; i++)
        npart__edit_put_number(tensor, i, numbers[count == 1 ? 0 : i]);
    /* The input goes first: the constant has its name. */
    drop_input(graph, name);
    struct npart__new_constant made = {.scope = 0, .tensor = tensor};
    if (!NPART__PUSH(editor->arena, &editor->constants, made))
        return npart__fail_memory(error);
    editor->kept_constants = editor->constants.count; /* no site can drop it */
    return NPART_OK;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static bool own_infos(Onnx__ValueInfoProto **infos, size_t count, struct npart__arena *arena)
{
    for (size_t i = 0; i < count; i++)
        if (!(infos[i] = (Onnx__ValueInfoProto *)npart__onnx_copy(&infos[i]->base, arena)))
            return false;
    return true;
}

/* As deep as graphs nest. */
static bool own_types(Onnx__GraphProto *graph, struct npart__arena *arena)
{
    bool is_done = own_infos(graph->input, graph->n_input, arena) && own_infos(graph->output, graph->n_output, arena) &&
                   own_infos(graph->value_info, graph->n_value_info, arena);
    for (size_t i = 0; i < graph->n_node && is_done; i++)
        for (size_t k = 0; k < graph->node[i]->n_attribute && is_done; k++) {
            size_t count;
            Onnx__GraphProto **bodies = npart__edit_bodies(graph->node[i]->attribute[k], &count);
            for (size_t n = 0; n < count && is_done; n++)
                is_done = own_types(bodies[n], arena);
        }
    return is_done;
}

/* Most edits declare nothing. */
bool npart__edit_own_types(struct npart__editor *editor)
{
    bool is_done = !editor->shares_types || own_types(editor->model->graph, editor->arena);
    editor->shares_types = false;
    return is_done;
}

/* Names are looked up scope by scope, as bodies may use a name again; `by_name` is cleared after each, which is
 * linear in all. */
struct declaring {
    struct npart__editor *editor;
    const struct npart__inference *inference;
    uint32_t *by_scope;    /* values, sorted by scope */
    uint32_t *first;       /* by scope, and one more */
    uint32_t *by_name;     /* of the scope at hand: value + 1 */
    bool *is_declared;     /* by value */
    enum npart__declared_values adds;
    uint32_t symbols; /* made so far */
    bool changed; /* whether anything is declared otherwise than before */
};

/* A counting sort, so that what is done for each scope costs as much as that has values. */
static bool sort_by_scope(struct declaring *declaring)
{
    const struct npart__graph *graph = declaring->editor->graph;
    struct npart__arena *arena = declaring->editor->arena;
    declaring->by_scope = npart__arena_zeroed(arena, graph->values.count + (size_t)1, sizeof *declaring->by_scope);
    declaring->first = npart__arena_zeroed(arena, graph->scopes.count + (size_t)2, sizeof *declaring->first);
    declaring->by_name = npart__arena_zeroed(arena, graph->strings.texts.count + (size_t)1, sizeof *declaring->by_name);
    declaring->is_declared =
        npart__arena_zeroed(arena, graph->values.count + (size_t)1, sizeof *declaring->is_declared);
    if (!declaring->by_scope || !declaring->first || !declaring->by_name || !declaring->is_declared)
        return false;
    uint32_t *next = declaring->first + 1; /* after counting and filling, each scope's end: the next one's beginning */
    for (uint32_t i = 0; i < graph->values.count; i++)
        next[npart__value_at(graph, i)->scope + 1]++;
    for (uint32_t i = 1; i < graph->scopes.count; i++)
        next[i] += next[i - 1];
    for (uint32_t i = 0; i < graph->values.count; i++)
        declaring->by_scope[next[npart__value_at(graph, i)->scope]++] = i;
    return true;
}

/* A dim that is a number says so; any other stays as it is declared, or open. A shape of another rank than
 * inference found cannot be: it is written anew. Symbols stay, so a dynamic dimension keeps its name. */
static bool declare_dims(struct declaring *declaring, Onnx__TypeProto__Tensor *type, const struct npart__fact *fact)
{
    Onnx__TensorShapeProto *shape = type->shape;
    if (!shape || shape->n_dim != fact->rank) {
        if (!(shape = npart__onnx_shape(fact->rank, declaring->editor->arena)))
            return false;
        type->shape = shape;
        declaring->changed = true;
    }
    for (uint32_t i = 0; i < fact->rank; i++) {
        Onnx__TensorShapeProto__Dimension *dim = shape->dim[i];
        bool is_said = dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        if (!npart__is_number(fact->dims[i]) || (is_said && dim->dim_value == fact->dims[i]))
            continue;
        dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        dim->dim_value = fact->dims[i];
        declaring->changed = true;
    }
    return true;
}

/* Types that are no tensors (sequences, optionals) are left as they are. A name that is declared twice is looked at
 * twice. */
static bool declare_all(struct declaring *declaring, Onnx__ValueInfoProto **infos, size_t count)
{
    const struct npart__editor *editor = declaring->editor;
    for (size_t i = 0; i < count; i++) {
        const char *name = infos[i]->name ? infos[i]->name : "";
        uint32_t id = npart__strings_find_text(&editor->graph->strings, name);
        uint32_t value = id == NPART_NONE ? 0 : declaring->by_name[id];
        /* 0 says that the scope has no value of that name. */
        if (!value--)
            continue;
        declaring->is_declared[value] = true;
        const struct npart__fact *fact = npart__fact_of(declaring->inference, value);
        Onnx__TypeProto *type = infos[i]->type;
        bool is_tensor = type && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE && type->tensor_type;
        if (is_tensor && fact->kind == NPART__TYPE_TENSOR && fact->has_rank &&
            !declare_dims(declaring, type->tensor_type, fact))
            return false;
    }
    return true;
}

/* A name that ONNX's inference gives to a size that it does not know; NULL when out of memory. */
static char *unknown_symbol(struct declaring *declaring)
{
    const struct npart__strings *names = &declaring->editor->graph->strings;
    char text[16];
    do
        (void)snprintf(text, sizeof text, "unk__%u", declaring->symbols++);
    while (npart__strings_find_text(names, text) != NPART_NONE);
    return npart__edit_text(declaring->editor, text);
}

/* Sizes that are a symbol's alone have its name, others a new one. */
static bool declare_symbols(struct declaring *declaring, const Onnx__TensorShapeProto *shape,
                            const struct npart__fact *fact)
{
    const struct npart__expressions *pool = &declaring->inference->expressions;
    for (uint32_t i = 0; i < fact->rank; i++) {
        Onnx__TensorShapeProto__Dimension *dim = shape->dim[i];
        uint32_t symbol = npart__lone_symbol(pool, fact->dims[i]);
        const char *name = symbol == NPART_NONE ? NULL : pool->symbols.items[symbol].name;
        if (dim->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE__NOT_SET)
            continue;
        dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
        dim->dim_param = name ? npart__edit_text(declaring->editor, name) : unknown_symbol(declaring);
        if (!dim->dim_param)
            return false;
    }
    return true;
}

/* NULL when out of memory. */
static Onnx__ValueInfoProto *new_info(struct declaring *declaring, uint32_t value)
{
    struct npart__editor *editor = declaring->editor;
    const struct npart__fact *fact = npart__fact_of(declaring->inference, value);
    char *name = npart__edit_text(editor, npart__value_name(editor->graph, value));
    Onnx__ValueInfoProto *info = npart__onnx_declaration(name, fact->element_type, editor->arena);
    return info && declare_dims(declaring, info->type->tensor_type, fact) &&
                   (declaring->adds != NPART__DECLARE_INFERRED ||
                    declare_symbols(declaring, info->type->tensor_type->shape, fact))
               ? info
               : NULL;
}

/* Of what nodes make: all that is static, or all that has a rank. A shape that is known in part does not help a
 * compiler, and might be read as a promise. Some builders ask for a declared shape (`declared` in op lists), and get it
 * by this. */
static bool add_infos(struct declaring *declaring, uint32_t scope, Onnx__GraphProto *graph)
{
    struct npart__editor *editor = declaring->editor;
    /* At most one more for each value of the scope: the list is made anew once. */
    size_t most = declaring->first[scope + 1] - declaring->first[scope] + graph->n_value_info;
    Onnx__ValueInfoProto **longer = npart__arena_zeroed(editor->arena, most + 1, sizeof *longer);
    if (!longer)
        return false;
    if (graph->n_value_info)
        memcpy(longer, graph->value_info, graph->n_value_info * sizeof *longer);
    graph->value_info = longer;
    for (uint32_t i = declaring->first[scope]; i < declaring->first[scope + 1]; i++) {
        uint32_t value = declaring->by_scope[i];
        const struct npart__value *at = npart__value_at(editor->graph, value);
        const struct npart__fact *fact = npart__fact_of(declaring->inference, value);
        bool is_wanted = declaring->adds == NPART__DECLARE_INFERRED
                             ? fact->kind == NPART__TYPE_TENSOR && fact->has_rank : npart__is_static(fact);
        if (at->kind != NPART__VALUE_OUTPUT || declaring->is_declared[value] || !fact->element_type || !is_wanted)
            continue;
        if (!(longer[graph->n_value_info] = new_info(declaring, value)))
            return false;
        graph->n_value_info++;
        declaring->changed = true;
    }
    return true;
}

/* Adding is for the main graph: values of bodies have their sizes from the node that holds them, run by run. */
bool npart__editor_declare(struct npart__editor *editor, const struct npart__inference *inference,
                           enum npart__declared_values adds, bool *changed)
{
    struct declaring declaring = {.editor = editor, .inference = inference, .adds = adds};
    bool is_done = npart__edit_own_types(editor) && sort_by_scope(&declaring);
    for (uint32_t scope = 0; is_done && scope < editor->graph->scopes.count; scope++) {
        Onnx__GraphProto *graph = editor->graphs[scope];
        const uint32_t *values = declaring.by_scope + declaring.first[scope];
        uint32_t count = declaring.first[scope + 1] - declaring.first[scope];
        for (uint32_t i = 0; i < count; i++)
            declaring.by_name[npart__value_at(editor->graph, values[i])->name] = values[i] + 1;
        is_done = !graph || (declare_all(&declaring, graph->input, graph->n_input) &&
                             declare_all(&declaring, graph->output, graph->n_output) &&
                             declare_all(&declaring, graph->value_info, graph->n_value_info) &&
                             (!adds || scope || add_infos(&declaring, scope, graph)));
        for (uint32_t i = 0; i < count; i++)
            declaring.by_name[npart__value_at(editor->graph, values[i])->name] = 0;
    }
    *changed = declaring.changed;
    return is_done;
}

void npart__editor_set_ir_version(struct npart__editor *editor, int64_t ir_version)
{
    editor->model->ir_version = ir_version;
}

void npart__editor_keep_name(struct npart__editor *editor, uint32_t value, const char *op, const char *name)
{
    const char *own = npart__value_name(editor->graph, value);
    bool is_found = false;
    for (uint32_t i = editor->nodes.count; name && i-- > 0;) {
        Onnx__NodeProto *node = editor->nodes.items[i].node;
        for (size_t k = 0; k < node->n_output; k++)
            is_found |= strcmp(node->output[k], own) == 0;
        if (!is_found)
            continue;
        bool is_same = strcmp(node->op_type, op) == 0;
        if (!is_same || *name)
            node->name = (char *)(uintptr_t)(is_same ? name : "");
        if (is_same)
            return;
    }
}

static void set_opset(Onnx__OperatorSetIdProto **imports, size_t count, int64_t opset)
{
    for (size_t i = 0; i < count; i++)
        if (!*npart__plain_domain(imports[i]->domain))
            imports[i]->version = opset;
}

void npart__editor_set_opset(struct npart__editor *editor, int64_t opset)
{
    Onnx__ModelProto *model = editor->model;
    set_opset(model->opset_import, model->n_opset_import, opset);
    for (size_t i = 0; i < model->n_functions; i++)
        set_opset(model->functions[i]->opset_import, model->functions[i]->n_opset_import, opset);
}
