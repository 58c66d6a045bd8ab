/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens a version: its protobuf objects, and which of them are the graph's nodes and scopes. Sites come and go here.
 */
#include "edit/edit_internal.h"

/* ---- which object is which --------------------------------------------------------------------------------------- */

/* The nodes of a scope, as a list of the file. A scope whose list is not as long as the graph has it stays
 * unknown. Its nodes then have no object, so nothing in it is offered to a rewrite. */
static void map_nodes(struct npart__editor *editor, uint32_t scope, Onnx__NodeProto **nodes, size_t count)
{
    const struct npart__scope *at = npart__scope_at(editor->graph, scope);
    if (count == at->node_count)
        for (uint32_t i = 0; i < at->node_count; i++)
            editor->protos[at->first_node + i] = nodes[i];
}

/* The attribute of a node that the body at hand is of, and which of its bodies is the first there. */
struct body_place {
    uint32_t holder, first;
    size_t attribute;
};

/* The body of a node's graph attribute that is the scope: bodies are numbered in the order of attributes, and come one
 * after the other. */
static Onnx__GraphProto *find_body(const struct npart__editor *editor, uint32_t scope, struct body_place *place)
{
    uint32_t holder = npart__scope_at(editor->graph, scope)->node;
    Onnx__NodeProto *proto = editor->protos[holder];
    uint32_t index = scope - npart__node_at(editor->graph, holder)->first_body;
    if (place->holder != holder || index < place->first)
        *place = (struct body_place){.holder = holder};
    for (; proto && place->attribute < proto->n_attribute; place->attribute++) {
        size_t count;
        Onnx__GraphProto **bodies = npart__edit_bodies(proto->attribute[place->attribute], &count);
        if (index - place->first < count)
            return bodies[index - place->first];
        place->first += (uint32_t)count;
    }
    return NULL;
}

/* Scopes come after the nodes that hold them. Bodies inside a call are of its function, and not the site's to
 * change: they have nodes, and no graph. The graph numbers scopes, nodes and bodies in the order of the file, so
 * both are walked side by side. Functions are found by hashing, not by a search for each call. */
static bool map_scopes(struct npart__editor *editor)
{
    const struct npart__graph *graph = editor->graph;
    struct npart__functions functions;
    struct body_place place = {.holder = NPART_NONE};
    if (!npart__functions_list(&functions, editor->model, editor->arena, NULL))
        return false;
    editor->graphs[0] = editor->model->graph;
    map_nodes(editor, 0, editor->model->graph->node, editor->model->graph->n_node);
    for (uint32_t scope = 1; scope < graph->scopes.count; scope++) {
        const struct npart__scope *at = npart__scope_at(graph, scope);
        if (at->kind == NPART_GRAPH_BODY) {
            Onnx__GraphProto *body = find_body(editor, scope, &place);
            if (body)
                map_nodes(editor, scope, body->node, body->n_node);
            editor->graphs[scope] = editor->graphs[at->parent] ? body : NULL;
        } else {
            const Onnx__NodeProto *call = editor->protos[at->node];
            uint32_t called = NPART_NONE;
            if (call && !npart__functions_find(&functions, call, &called))
                return false;
            Onnx__FunctionProto *function = called == NPART_NONE ? NULL : editor->model->functions[called];
            if (function)
                map_nodes(editor, scope, function->node, function->n_node);
            editor->functions[scope] = function;
        }
    }
    return true;
}

npart_status npart__version_read(struct npart__source *source, const struct npart__wire_options *options,
                                 struct npart__arena *arena, struct npart__version *out, struct npart_error *error)
{
    struct npart__wire_options whole = *options;
    struct npart__skeleton skeleton;
    whole.keeps_all = true;
    npart_status status = npart__wire_scan(source, &whole, arena, &skeleton, error);
    if (status == NPART_OK)
        *out = npart__version_of(&skeleton);
    return status;
}

struct npart__version npart__version_of(const struct npart__skeleton *skeleton)
{
    return (struct npart__version){.data = skeleton->data,
                                   .bytes = skeleton->bytes,
                                   .input_bytes = skeleton->input_bytes,
                                   .limits = skeleton->limits};
}

/* One byte more, so that an empty version is no request for nothing. */
bool npart__version_copy(const struct npart__version *version, struct npart__arena *arena, struct npart__version *out)
{
    uint8_t *data = npart__arena_allocate(arena, version->bytes + 1);
    *out = (struct npart__version){
        .data = data, .bytes = version->bytes, .input_bytes = version->input_bytes, .limits = version->limits};
    if (data)
        memcpy(data, version->data, version->bytes);
    return data != NULL;
}

/* The bytes are lent, as the version is needed again to be edited. */
npart_status npart__version_graph(const struct npart__version *version, struct npart__arena *arena,
                                  struct npart__graph *out, struct npart_error *error)
{
    struct npart__skeleton skeleton = {.data = version->data,
                                       .bytes = version->bytes,
                                       .input_bytes = version->input_bytes,
                                       .limits = version->limits,
                                       .is_lent = true,
                                       .objects = version->made ? version->made->objects : NULL,
                                       .names = version->made ? version->made->names : NULL};
    return npart__graph_build(&skeleton, arena, out, error);
}

/* ---- results of calls -------------------------------------------------------------------------------------------- */

/* What of a value in whose place the graph has another is looked up: its scope, its name, and that other. Ids are
 * counted from 1; of several values of one id the first counts. */
static bool list_handed(struct npart__editor *editor)
{
    const struct npart__graph *graph = editor->graph;
    bool is_done = npart__strings_init(&editor->handed, editor->arena);
    for (uint32_t i = 0; i < graph->values.count && is_done; i++) {
        const struct npart__value *value = npart__value_at(graph, i);
        if (value->alias == i)
            continue;
        const uint32_t key[] = {value->scope, value->name, value->alias};
        uint32_t id = npart__intern(&editor->handed, (const char *)key, sizeof key, true);
        is_done = id != NPART_NONE &&
                  (id <= editor->handed_values.count || NPART__PUSH(editor->arena, &editor->handed_values, i));
    }
    return is_done;
}

/* The graph gives such a call the operand's value as its result; in the file the result has a name of its own, which
 * users have. */
uint32_t npart__edit_own_result(const struct npart__editor *editor, uint32_t node, uint32_t index)
{
    const struct npart__graph *graph = editor->graph;
    const Onnx__NodeProto *proto = editor->protos[node];
    uint32_t scope = npart__node_at(graph, node)->scope;
    uint32_t value = npart__node_output(graph, npart__node_at(graph, node), index);
    if (value == NPART_NONE || npart__node_at(graph, node)->callee == NPART_NONE || index >= proto->n_output ||
        strcmp(npart__value_name(graph, value), proto->output[index]) == 0)
        return value;
    const uint32_t key[] = {scope, npart__edit_name_id(editor, proto->output[index]), value};
    uint32_t id = npart__strings_find(&editor->handed, (const char *)key, sizeof key);
    return id == NPART_NONE ? value : editor->handed_values.items[id - 1];
}

/* ---- versions ---------------------------------------------------------------------------------------------------- */

/* What the graph was built from is copied as far as an edit may change it. */
static npart_status take_objects(struct npart__editor *editor, const struct npart__version *version,
                                 struct npart_error *error)
{
    const Onnx__ModelProto *objects = version->objects;
    struct npart__skeleton skeleton = {.data = version->data, .bytes = version->bytes};
    if (!objects)
        return npart__onnx_unpack(&skeleton, editor->arena, &editor->model, error);
    editor->shares_types = true;
    editor->model = npart__onnx_copy_nodes(objects, editor->arena);
    return editor->model ? NPART_OK : npart__fail_memory(error);
}

void *npart__editor_give_objects(struct npart__editor *editor)
{
    void *const large[] = {editor->protos, editor->is_finished, (void *)editor->made_by, editor->names.slots,
                           (void *)editor->names.texts.items, editor->names.keys.items, editor->is_replaced,
                           editor->renamed.items, editor->numbers.items};
    for (size_t i = 0; i < NPART__COUNT(large); i++)
        npart__arena_release(editor->arena, large[i]);
    return editor->model;
}

/* Names are a copy of the graph's, to which new ones are added. */
npart_status npart__editor_open(const struct npart__version *version, const struct npart__graph *graph,
                                struct npart__inference *inference, const bool *is_constant,
                                struct npart__arena *arena, struct npart__editor **out, struct npart_error *error)
{
    struct npart__editor *editor = npart__arena_zeroed(arena, 1, sizeof *editor);
    if (!editor)
        return npart__fail_memory(error);
    editor->arena = arena;
    editor->graph = graph;
    editor->inference = inference;
    editor->is_constant = is_constant;
    editor->input_bytes = version->input_bytes;
    npart_status status = take_objects(editor, version, error);
    if (status != NPART_OK)
        return status;
    editor->graphs = npart__arena_zeroed(arena, graph->scopes.count, sizeof *editor->graphs);
    editor->functions = npart__arena_zeroed(arena, graph->scopes.count, sizeof *editor->functions);
    editor->protos = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *editor->protos);
    editor->is_finished = npart__arena_zeroed(arena, graph->values.count + (size_t)1, sizeof *editor->is_finished);
    editor->made_by = npart__arena_zeroed(arena, graph->values.count + (size_t)1, sizeof *editor->made_by);
    if (!editor->graphs || !editor->functions || !editor->protos || !editor->is_finished || !editor->made_by ||
        !npart__strings_copy(&graph->strings, arena, &editor->names) || !map_scopes(editor) ||
        !list_handed(editor))
        return npart__fail_memory(error);
    *out = editor;
    return NPART_OK;
}

/* ---- sites ------------------------------------------------------------------------------------------------------- */

/* `graphs` is NULL for what stands in a call. An object is missing where the list of the file is not as long as that
 * of the graph. */
bool npart__site_begin(struct npart__editor *editor, uint32_t node, const char *rewrite, uint8_t equality,
                       struct npart__site *out)
{
    const struct npart__node *at = npart__node_at(editor->graph, node);
    editor->kept_names = editor->names.texts.count;
    *out = (struct npart__site){
        .editor = editor,
        .graph = editor->graph,
        .inference = editor->inference,
        .is_constant = editor->is_constant,
        .id = node,
        .node = at,
        .rewrite = rewrite,
        .equality = equality,
        .arena = editor->arena,
    };
    return editor->graphs[at->scope] && editor->protos[node];
}

/* What was allocated stays in the arena; what counts is cut back to what earlier sites made. Names, too: what a name is
 * follows from the version and what is kept of it, and not from all that was tried before. */
void npart__site_drop(struct npart__site *site)
{
    struct npart__editor *editor = site->editor;
    if (editor->names.texts.count > editor->kept_names)
        editor->numbers.count = 0;
    npart__strings_cut(&editor->names, editor->kept_names);
    editor->nodes.count = editor->kept_nodes;
    editor->constants.count = editor->kept_constants;
    editor->rebound.count = editor->kept_rebound;
}

/* What the site makes under a name: the first that it says of it. Names are compared by address, as each that was made
 * at this site is one text. NULL where it says nothing. */
static const struct npart__rebound *first_of(const struct npart__editor *editor, const char *name)
{
    uint32_t id = npart__edit_name_id(editor, name);
    uint32_t at = id < editor->renamed.count ? editor->renamed.items[id].rebound : 0;
    return at && editor->rebound.items[at - 1].name == name ? &editor->rebound.items[at - 1] : NULL;
}

/* A new constant or result of this name gets the value's own, so users of the result need no change. */
static const struct npart__rebound *take_over(struct npart__editor *editor, char **name)
{
    const struct npart__rebound *rebound = first_of(editor, *name);
    if (rebound) {
        editor->renamed.items[npart__edit_name_id(editor, *name)].to = rebound->own;
        *name = rebound->own;
    }
    return rebound;
}

/* All that was made at the site, and then what uses it, once for all of its results. What is there already, or was
 * given away, has no new maker. */
static void take_all_over(struct npart__editor *editor)
{
    for (uint32_t i = editor->kept_constants; i < editor->constants.count; i++)
        (void)take_over(editor, &editor->constants.items[i].tensor->name);
    for (uint32_t i = editor->kept_nodes; i < editor->nodes.count; i++) {
        Onnx__NodeProto *node = editor->nodes.items[i].node;
        for (size_t k = 0; k < node->n_output; k++) {
            const struct npart__rebound *rebound = take_over(editor, &node->output[k]);
            if (rebound)
                editor->made_by[rebound->value] = node;
        }
    }
    for (uint32_t i = editor->kept_nodes; i < editor->nodes.count; i++)
        npart__edit_rename_uses(editor, editor->nodes.items[i].node);
}

/* The node that makes the site's first result goes on under the name of the site's node, which is gone then. Tools
 * that look a node up by its name find what took its place. With several results it may not be gone. */
static void pass_name_on(struct npart__site *site, const char *result)
{
    struct npart__editor *editor = site->editor;
    const char *name = editor->protos[site->id]->name;
    bool is_gone = name && *name && site->node->output_count == 1;
    for (uint32_t i = editor->kept_nodes; is_gone && i < editor->nodes.count; i++) {
        Onnx__NodeProto *node = editor->nodes.items[i].node;
        if (node->n_output && node->output[0] == result)
            node->name = (char *)(uintptr_t)name;
    }
}

/* An Identity where the result is a value that is there already: two names for one value have to be made by
 * something, and runtimes drop it. Two results may be given one name: the first takes over what was made under it, or
 * is an Identity, and the second is an Identity of the first. */
static bool rebind(struct npart__site *site, const struct npart__rebound *rebound)
{
    struct npart__editor *editor = site->editor;
    const struct npart__rebound *first = first_of(editor, rebound->name);
    uint32_t id = npart__edit_name_id(editor, rebound->name);
    bool is_made = first == rebound && editor->renamed.items[id].to;
    if (!is_made) {
        const char *from = first && first != rebound ? first->own : rebound->name;
        Onnx__NodeProto *identity = npart__edit_new_identity(editor, from, rebound->own);
        if (!identity || !npart__edit_add_node(site, identity))
            return false;
    }
    if (rebound->value == npart__result(site, 0))
        pass_name_on(site, rebound->own);
    return true;
}

/* Values under their own names, in place of those under which the site made them. */
static bool rebind_all(struct npart__site *site)
{
    struct npart__editor *editor = site->editor;
    bool is_done = true;
    for (uint32_t i = editor->kept_rebound; is_done && i < editor->rebound.count; i++) {
        struct npart__rebound *rebound = &editor->rebound.items[i];
        uint32_t id = npart__edit_name_id(editor, rebound->name);
        rebound->own = (char *)(uintptr_t)npart__value_name(editor->graph, rebound->value);
        is_done = id == NPART_NONE || npart__edit_rename(editor, id, NULL);
        if (is_done && id != NPART_NONE && !editor->renamed.items[id].rebound)
            editor->renamed.items[id].rebound = i + 1;
    }
    if (is_done)
        take_all_over(editor);
    for (uint32_t i = editor->kept_rebound; is_done && i < editor->rebound.count; i++)
        is_done = rebind(site, &editor->rebound.items[i]);
    for (uint32_t i = editor->kept_rebound; i < editor->rebound.count; i++) {
        uint32_t id = npart__edit_name_id(editor, editor->rebound.items[i].name);
        if (id < editor->renamed.count)
            editor->renamed.items[id] = (struct npart__renamed){0};
    }
    return is_done;
}

/* A result that another site has replaced is another value by now, so what this site found out may no longer be true.
 * First all is looked at, then done, so a site is kept whole or not at all. */
bool npart__site_keep(struct npart__site *site)
{
    struct npart__editor *editor = site->editor;
    bool is_free = !site->failed;
    for (uint32_t i = editor->kept_rebound; i < editor->rebound.count; i++)
        is_free &= editor->rebound.items[i].name && !editor->is_finished[editor->rebound.items[i].value];
    if (is_free && !rebind_all(site)) {
        site->failed = true;
        is_free = false;
    }
    if (!is_free) {
        npart__site_drop(site);
        return false;
    }
    for (uint32_t i = editor->kept_rebound; i < editor->rebound.count; i++)
        editor->is_finished[editor->rebound.items[i].value] = true;
    editor->last_nodes = editor->kept_nodes;
    editor->kept_nodes = editor->nodes.count;
    editor->kept_constants = editor->constants.count;
    editor->kept_rebound = editor->rebound.count;
    return true;
}

/* Copies, as the editor's memory goes with its version. */
const char *const *npart__kept_results(const struct npart__site *site, struct npart__arena *arena)
{
    const struct npart__editor *editor = site->editor;
    uint32_t count = editor->kept_nodes - editor->last_nodes;
    const char **names = npart__arena_zeroed(arena, count + (size_t)1, sizeof *names);
    for (uint32_t i = 0; names && i < count; i++) {
        const Onnx__NodeProto *node = editor->nodes.items[editor->last_nodes + i].node;
        const char *name = node->n_output ? node->output[0] : "";
        names[i] = npart__arena_copy_text(arena, name, strlen(name));
        if (!names[i])
            return NULL;
    }
    return names;
}

/* What makes a value inside of a call is the call's to the graph round it. Walks out of scopes until it is in the
 * site's list. */
static uint32_t maker_in(const struct npart__graph *graph, uint32_t node, uint32_t scope)
{
    while (node != NPART_NONE && npart__node_at(graph, node)->scope != scope) {
        const struct npart__scope *at = npart__scope_at(graph, npart__node_at(graph, node)->scope);
        node = at->parent == NPART_NONE ? NPART_NONE : at->node;
    }
    return node;
}

const char *npart__made_from(const struct npart__site *site, uint32_t value, uint64_t ways)
{
    const Onnx__NodeProto *made = value == NPART_NONE ? NULL : site->editor->made_by[value];
    if (!made || !site->editor->is_finished[value] || !made->n_input)
        return NULL;
    const struct npart__traits *traits = npart__operator_traits(made->domain ? made->domain : "", made->op_type);
    return ways >> traits->elements & 1 ? made->input[0] : NULL;
}

/* A NULL name is one that could not be made, and fails the site. Nothing is changed yet: npart__site_keep does that,
 * or npart__site_drop forgets it. */
static void finish(struct npart__site *site, uint32_t value, uint32_t producer, const char *name)
{
    struct npart__rebound rebound = {.value = value, .producer = producer, .name = name};
    if (!name || !NPART__PUSH(site->arena, &site->editor->rebound, rebound))
        site->failed = true;
}

void npart__finish_value(struct npart__site *site, uint32_t value, const char *name)
{
    finish(site, value, maker_in(site->graph, npart__producer(site->graph, value), site->node->scope), name);
}

/* A result that the node leaves out needs nothing in its place. */
void npart__finish(struct npart__site *site, uint32_t result, const char *name)
{
    uint32_t value = npart__edit_own_result(site->editor, site->id, result);
    if (value != NPART_NONE)
        finish(site, value, site->id, name);
}
