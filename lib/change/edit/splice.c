/* SPDX-License-Identifier: Apache-2.0
 *
 * The nodes of a body or a function, copied into the list of the site. Whatever they define gets a new name, also in
 * graphs within them: so no name can be one of the list's, or of another copy. A body's other names are those of
 * the graph round it and stay; a function has no others.
 */
#include "edit/edit_internal.h"

/* What a name is from here on; `before` is put back at the end of the graph that defines it. NULL there: the name
 * meant nothing then. */
struct undo {
    uint32_t id;
    char *before;
};

/* One copy of one scope under way. */
struct splice {
    struct npart__site *site;
    struct npart__editor *editor;
    const Onnx__NodeProto *call;         /* of a function, else NULL */
    const Onnx__FunctionProto *function;
    const char *prefix;                  /* of new names */
    struct npart__strings names;         /* of the body */
    struct NPART__ARRAY(char *) now;     /* by name; NULL: no name of the body */
    struct NPART__ARRAY(struct undo) undo;
    struct npart__strings attributes;    /* of the function, by name; */
    struct NPART__ARRAY(const Onnx__AttributeProto *) given; /* what each is; NULL for id 0, which is no name */
    bool failed;                         /* out of memory */
};

static bool copy_graph(struct splice *splice, Onnx__GraphProto *graph);

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* What the name stood for outside is noted, so that leaving a graph within the body puts it back. */
static bool define_as(struct splice *splice, const char *name, const char *now)
{
    uint32_t id = npart__intern_text(&splice->names, name);
    while (id != NPART_NONE && splice->now.count <= id)
        if (!NPART__PUSH(splice->editor->arena, &splice->now, NULL))
            id = NPART_NONE;
    if (id == NPART_NONE || !now ||
        !NPART__PUSH(splice->editor->arena, &splice->undo, ((struct undo){id, splice->now.items[id]}))) {
        splice->failed = true;
        return false;
    }
    splice->now.items[id] = (char *)(uintptr_t)now;
    return true;
}

/* "y/unroll/h" of the name h, where the prefix is "y/unroll"; with a number after it where that is taken. */
static char *new_name(struct splice *splice, const char *name)
{
    const char *wanted = npart__arena_format(splice->editor->arena, "%s/%s", splice->prefix, name);
    return wanted ? npart__edit_new_name(splice->editor, wanted) : NULL;
}

/* A result without a name is none. A node may leave a result out by an empty name. */
static bool define(struct splice *splice, const char *name)
{
    return !name || !*name || define_as(splice, name, new_name(splice, name));
}

/* In reverse order, so that a name which was defined twice has its oldest meaning in the end. */
static void forget_to(struct splice *splice, uint32_t count)
{
    while (splice->undo.count > count) {
        struct undo undo = splice->undo.items[--splice->undo.count];
        splice->now.items[undo.id] = undo.before;
    }
}

/* What a use of a name is; NULL for one that a function does not define. A function sees nothing of the graph
 * round its call, so such a name makes the file invalid, and the copy impossible. */
static char *name_now(struct splice *splice, char *name)
{
    if (!name || !*name)
        return name;
    uint32_t id = npart__strings_find_text(&splice->names, name);
    char *now = id < splice->now.count ? splice->now.items[id] : NULL;
    return now ? now : splice->function ? NULL : name;
}

/* A result that is not wanted has no name, and keeps none. */
static bool rename_all(struct splice *splice, char **names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *now = name_now(splice, names[i]);
        if (!now && names[i])
            return false;
        names[i] = now;
    }
    return true;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static bool list_given(struct splice *splice, Onnx__AttributeProto *const *attributes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = attributes[i]->name ? attributes[i]->name : "";
        uint32_t id = npart__intern_text(&splice->attributes, name);
        if (id == NPART_NONE ||
            (id == splice->given.count && !NPART__PUSH(splice->site->arena, &splice->given, attributes[i]))) {
            splice->failed = true;
            return false;
        }
    }
    return true;
}

/* What the call gives is listed before the function's defaults: the first of a name counts. */
static bool list_attributes(struct splice *splice)
{
    const Onnx__FunctionProto *function = splice->function;
    splice->failed |= !npart__strings_init(&splice->attributes, splice->site->arena) ||
                      !NPART__PUSH(splice->site->arena, &splice->given, NULL);
    return !splice->failed && list_given(splice, splice->call->attribute, splice->call->n_attribute) &&
           list_given(splice, function->attribute_proto, function->n_attribute_proto);
}

/* Whether it holds bodies: these would have to be copied with names of their own. */
static bool has_graphs(const Onnx__AttributeProto *attribute)
{
    return attribute->g || attribute->n_graphs;
}

/* An attribute of a function is what the call gives, else the function's default, else it is left out. Graphs that a
 * call gives would see the caller's names, so these are not followed. */
static bool bind_attribute(struct splice *splice, const Onnx__AttributeProto *reference, Onnx__AttributeProto **out)
{
    /* Attributes that refer to others stand in functions only. */
    uint32_t id = splice->function ? npart__strings_find(&splice->attributes, reference->ref_attr_name,
                                                         strlen(reference->ref_attr_name))
                                   : NPART_NONE;
    const Onnx__AttributeProto *value = id == NPART_NONE ? NULL : splice->given.items[id];
    *out = NULL;
    if (!value)
        return splice->function != NULL;
    if (has_graphs(value) || (value->ref_attr_name && *value->ref_attr_name))
        return false;
    *out = npart__arena_allocate(splice->editor->arena, sizeof **out);
    if (!*out) {
        splice->failed = true;
        return false;
    }
    **out = *value; /* contents are not changed in place, so they are shared */
    (*out)->name = reference->name;
    return true;
}

/* Of the node's own copy, so lists and bodies are changed in place. */
static bool copy_attributes(struct splice *splice, Onnx__NodeProto *node)
{
    size_t kept = 0;
    for (size_t i = 0; i < node->n_attribute; i++) {
        Onnx__AttributeProto *attribute = node->attribute[i];
        size_t count;
        Onnx__GraphProto **bodies = npart__edit_bodies(attribute, &count);
        if (attribute->ref_attr_name && *attribute->ref_attr_name) {
            if (!bind_attribute(splice, attribute, &attribute))
                return false;
            if (attribute)
                node->attribute[kept++] = attribute;
            continue;
        }
        for (size_t k = 0; k < count; k++)
            if (!copy_graph(splice, bodies[k]))
                return false;
        node->attribute[kept++] = attribute;
    }
    node->n_attribute = kept;
    return true;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* ONNX Runtime runs a function's nodes at the model's versions whatever it imports, the checker refuses other
 * ones. An older version of an operator may mean something else, so such a function is left as a call. */
static bool is_same_version(const struct splice *splice, const char *domain)
{
    const Onnx__ModelProto *model = splice->editor->model;
    const Onnx__FunctionProto *function = splice->function;
    if (!function || !function->n_opset_import)
        return true;
    int64_t own = npart__imported_opset(function->opset_import, function->n_opset_import, domain);
    int64_t version = npart__imported_opset(model->opset_import, model->n_opset_import, domain);
    return own && own == (version ? version : 1); /* a domain that the model lacks is imported with the new nodes */
}

/* Of an own copy: its names and attributes, and what is within it. Names of nodes are renewed like those of
 * values, since ONNX Runtime wants them to be different, too. */
static bool convert_node(struct splice *splice, Onnx__NodeProto *node)
{
    if (!is_same_version(splice, node->domain) || !rename_all(splice, node->input, node->n_input) ||
        !rename_all(splice, node->output, node->n_output))
        return false;
    while (splice->function && node->n_input && !*node->input[node->n_input - 1])
        node->n_input--; /* the call leaves it out */
    if (node->name && *node->name) {
        node->name = new_name(splice, node->name);
        splice->failed |= !node->name;
    }
    return !splice->failed && copy_attributes(splice, node);
}

/* Of all nodes before any is converted: a list that is not sorted uses names above the node that makes them. */
static bool define_results(struct splice *splice, Onnx__NodeProto *const *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < nodes[i]->n_output; k++)
            if (!define(splice, nodes[i]->output[k]))
                return false;
    return true;
}

/* A graph within the body, an own copy: what it defines holds for itself and what is within it. Sparse
 * initializers and quantization annotations name values in further places, which nothing here renames. */
static bool define_contents(struct splice *splice, Onnx__GraphProto *graph)
{
    bool is_done = !graph->n_sparse_initializer && !graph->n_quantization_annotation;
    struct npart__strings inputs;
    splice->failed |= is_done && !npart__strings_init(&inputs, splice->site->arena);
    for (size_t i = 0; is_done && !splice->failed && i < graph->n_input; i++) {
        const char *name = graph->input[i]->name ? graph->input[i]->name : "";
        splice->failed |= npart__intern_text(&inputs, name) == NPART_NONE;
        is_done = define(splice, name);
    }
    for (size_t i = 0; is_done && !splice->failed && i < graph->n_initializer; i++) {
        const char *name = graph->initializer[i]->name ? graph->initializer[i]->name : "";
        /* An initializer that is an input has the input's name, which is defined already. */
        is_done = npart__strings_find_text(&inputs, name) != NPART_NONE || define(splice, name);
    }
    is_done = is_done && !splice->failed;
    return is_done && define_results(splice, graph->node, graph->n_node);
}

/* Types of inputs and outputs go with their names; a body must declare them. */
static bool rename_infos(struct splice *splice, Onnx__ValueInfoProto **infos, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!rename_all(splice, &infos[i]->name, 1))
            return false;
    return true;
}

/* An output that the body does not define is a captured value and keeps its name; one without a name is malformed. */
static bool copy_graph(struct splice *splice, Onnx__GraphProto *graph)
{
    uint32_t before = splice->undo.count;
    bool is_done = define_contents(splice, graph);
    for (size_t i = 0; is_done && i < graph->n_node; i++)
        is_done = convert_node(splice, graph->node[i]);
    for (size_t i = 0; is_done && i < graph->n_initializer; i++)
        is_done = rename_all(splice, &graph->initializer[i]->name, 1);
    for (size_t i = 0; is_done && i < graph->n_output; i++) {
        const char *name = name_now(splice, graph->output[i]->name);
        is_done = name && *name;
    }
    is_done = is_done && rename_infos(splice, graph->input, graph->n_input) &&
              rename_infos(splice, graph->output, graph->n_output);
    /* Types of names that are no longer, or never were, are litter. */
    size_t kept = 0;
    for (size_t i = 0; is_done && i < graph->n_value_info; i++)
        if (rename_all(splice, &graph->value_info[i]->name, 1))
            graph->value_info[kept++] = graph->value_info[i];
    graph->n_value_info = kept;
    forget_to(splice, before);
    return is_done;
}

/* Each is cloned before it is changed: the body stays, and may be copied again. Metadata is not: it is shared. */
static bool add_nodes(struct splice *splice, Onnx__NodeProto *const *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        Onnx__NodeProto bare = *nodes[i];
        bare.n_metadata_props = 0;
        Onnx__NodeProto *node = (Onnx__NodeProto *)npart__onnx_copy(&bare.base, splice->editor->arena);
        splice->failed |= !node;
        if (!node || !convert_node(splice, node))
            return false;
        if (!npart__edit_add_copy(splice->site, node, nodes[i])) {
            splice->failed = true;
            return false;
        }
    }
    return true;
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/* Whether the body has given the name a meaning so far. */
static bool is_defined(const struct splice *splice, const char *name)
{
    uint32_t id = npart__strings_find_text(&splice->names, name);
    return id < splice->now.count && splice->now.items[id];
}

/* The place of the constant that another copy at this site has made of a body's initializer; NPART_NONE where there is
 * none. */
static uint32_t find_constant(const struct npart__editor *editor, const Onnx__TensorProto *from)
{
    for (uint32_t i = editor->kept_constants; i < editor->constants.count; i++)
        if (editor->constants.items[i].from == from)
            return i;
    return NPART_NONE;
}

/* The tensor's contents are shared with the body's, record of its place in the file included; only the name is
 * another. */
static bool add_constant(struct splice *splice, const Onnx__TensorProto *from)
{
    Onnx__TensorProto *copy = npart__arena_allocate(splice->editor->arena, sizeof *copy);
    if (copy) {
        *copy = *from;
        copy->name = new_name(splice, from->name);
    }
    if (!copy || !copy->name || !npart__edit_add_constant(splice->site, copy)) {
        splice->failed = true;
        return false;
    }
    splice->editor->constants.items[splice->editor->constants.count - 1].from = from;
    return define_as(splice, from->name, copy->name);
}

/* A Loop of known length is copied as often as it runs, and no weight is written twice: constants of the first copy
 * are those of all. They stand in a row, in the order of the body's initializers, so only the first is looked for. A
 * default of an input is of no use, as the operand is always given: the name is defined already. */
static bool add_constants(struct splice *splice, const Onnx__GraphProto *graph)
{
    uint32_t at = NPART_NONE;
    bool is_first = true;
    for (size_t i = 0; i < graph->n_initializer; i++) {
        const Onnx__TensorProto *from = graph->initializer[i];
        if (!from->name)
            return false;
        if (is_defined(splice, from->name))
            continue;
        if (is_first)
            at = find_constant(splice->editor, from);
        is_first = false;
        if (at == NPART_NONE) {
            if (!add_constant(splice, from))
                return false;
            continue;
        }
        const struct npart__new_constant *made = &splice->editor->constants.items[at++];
        NPART__ASSERT(made->from == from, "%s", from->name);
        if (!define_as(splice, from->name, made->tensor->name))
            return false;
    }
    return true;
}

static bool splice_body(struct splice *splice, const Onnx__GraphProto *graph, const char *const *operands,
                        const char **results)
{
    bool is_done = !graph->n_sparse_initializer && !graph->n_quantization_annotation;
    for (size_t i = 0; is_done && i < graph->n_input; i++)
        is_done = define_as(splice, graph->input[i]->name ? graph->input[i]->name : "", operands[i]);
    is_done = is_done && add_constants(splice, graph) && define_results(splice, graph->node, graph->n_node) &&
              add_nodes(splice, graph->node, graph->n_node);
    for (size_t i = 0; is_done && i < graph->n_output; i++) {
        results[i] = name_now(splice, graph->output[i]->name);
        is_done = results[i] && *results[i];
    }
    return is_done;
}

/* An operand that the call leaves out is "" wherever the function uses it. A result that the call wants must have a
 * name. A call may have fewer operands and results than its function, never more. */
static bool splice_call(struct splice *splice, const char *const *operands, const char **results)
{
    const Onnx__FunctionProto *function = splice->function;
    const size_t given = splice->call->n_input, wanted = splice->call->n_output;
    bool is_done = given <= function->n_input && wanted <= function->n_output &&
                   list_attributes(splice);
    for (size_t i = 0; is_done && i < function->n_input; i++)
        is_done = define_as(splice, function->input[i], i < given ? operands[i] : "");
    is_done = is_done && define_results(splice, function->node, function->n_node) &&
              add_nodes(splice, function->node, function->n_node);
    for (size_t i = 0; is_done && i < wanted; i++) {
        results[i] = name_now(splice, function->output[i]);
        is_done = results[i] && (*results[i] || !*splice->call->output[i]);
    }
    return is_done;
}

/* Each copy has a prefix of its own, so two copies of one body never share a name. */
bool npart__splice(struct npart__site *site, uint32_t scope, const char *const *operands, const char **results)
{
    struct npart__editor *editor = site->editor;
    const struct npart__scope *at = npart__scope_at(editor->graph, scope);
    struct splice splice = {.site = site, .editor = editor};
    const char *wanted =
        npart__arena_format(site->arena, "%s/%s", npart__site_name(site, npart__result(site, 0)), site->rewrite);
    splice.prefix = wanted ? npart__edit_new_name(editor, wanted) : NULL;
    if (!splice.prefix || !npart__strings_init(&splice.names, site->arena)) {
        site->failed = true;
        return false;
    }
    bool is_done = false;
    if (at->kind == NPART_GRAPH_CALL && editor->functions[scope]) {
        splice.function = editor->functions[scope];
        splice.call = editor->protos[at->node];
        is_done = splice_call(&splice, operands, results);
    } else if (editor->graphs[scope]) {
        is_done = splice_body(&splice, editor->graphs[scope], operands, results);
    }
    site->failed |= splice.failed;
    return is_done && !site->failed;
}
