/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree of modules, and the module of each node. Modules are numbered as they are met; those that are within others
 * after these.
 */
#include "module/module.h"

/* Of a node: not told yet. NPART_NONE is told: the model itself. */
#define UNTOLD (NPART_NONE - 1)

struct tree {
    const struct npart__graph *graph;
    struct npart__arena *arena;
    struct npart__modules *out;
    struct npart__strings paths; /* a module's id is that of its path, less one: 0 is "" */
    uint32_t *depth_of;          /* by module, which there are at most NPART__LIMIT_MODULES of */
    uint32_t *root_of;           /* by scope: the module that paths in it begin in */
    uint32_t *own;               /* by node: told by itself, else UNTOLD */
    bool is_rooted;              /* names of the model begin with a slash */
    char path[NPART__LIMIT_MODULE_PATH_BYTES + 1]; /* of the module that is gone into; not terminated */
    struct npart__module_path last; /* most nodes are in the module of the node before */
    uint32_t last_root, last_module;
};

/* ---- modules ----------------------------------------------------------------------------------------------- */

/* The module of the first `bytes` of at->path, which is made where it is not there yet; `parent` past the limit
 * of modules. False when out of memory. The path has all steps from the outermost, so two modules of one name in
 * different places are two. */
static bool enter(struct tree *at, size_t bytes, uint32_t *module)
{
    uint32_t parent = *module, id = npart__strings_find(&at->paths, at->path, bytes);
    struct npart_module made = {.size = sizeof made, .parent = parent};
    if (id == NPART_NONE && at->out->items.count >= NPART__MOST(at->graph->limits, MODULES))
        return true;
    if (id == NPART_NONE) {
        id = npart__intern(&at->paths, at->path, bytes, true);
        if (id == NPART_NONE)
            return false;
        made.path = npart__text(&at->paths, id);
        at->depth_of[id - 1] = parent == NPART_NONE ? 1 : at->depth_of[parent] + 1;
        if (!NPART__PUSH(at->arena, &at->out->items, made))
            return false;
    }
    *module = id - 1;
    return true;
}

/* The length of the step at `text`, up to the next separator or the end. 0 as the separator: a slash or a dot
 * ends it. */
static size_t step_length(const char *text, size_t bytes, char separator)
{
    size_t length = 0;
    while (length < bytes && text[length] != separator && (separator || (text[length] != '/' && text[length] != '.')))
        length++;
    return length;
}

/* In "features/features.0/features.0.2" each step says again all of the step before: what of `text` is no news.
 * So the steps are features, 0 and 2, and the path is "features.0.2". A dot must follow what is repeated:
 * "layer10" is no "layer1" with more. */
static size_t repeated(const char *text, size_t length, const char *before, size_t before_length)
{
    bool is_repeated = before_length && length > before_length && text[before_length] == '.' &&
                       memcmp(text, before, before_length) == 0;
    return is_repeated ? before_length + 1 : 0;
}

/* Appends a step to the path, which has `*size` bytes, and goes into its module. False where nothing deeper is to be
 * told: past a limit, or out of memory, which `failed` says. */
static bool go_into(struct tree *at, const char *step, size_t length, char separator, size_t *size, uint32_t *module,
                    bool *failed)
{
    uint32_t depth = *module == NPART_NONE ? 0 : at->depth_of[*module];
    uint32_t before = *module;
    if (length + (*size > 0) > NPART__LIMIT_MODULE_PATH_BYTES - *size ||
        depth >= NPART__MOST(at->graph->limits, MODULE_DEPTH))
        return false;
    if (*size > 0)
        at->path[(*size)++] = separator;
    memcpy(at->path + *size, step, length);
    *size += length;
    *failed = !enter(at, *size, module);
    return !*failed && *module != before;
}

/* Steps between slashes, each taken apart at its dots; the other styles have one separator for both. Rooted,
 * "encoder/layers.3/fc1" goes through encoder, layers, 3 and fc1. Empty steps are passed over, as of two
 * slashes. A root is the module that a function's call makes: paths of its nodes begin there. */
static bool follow(struct tree *at, const struct npart__module_path *path, uint32_t root, uint32_t *module)
{
    char slash = path->separator ? path->separator : '/', written = path->separator ? path->separator : '.';
    const char *before = NULL;
    size_t size = 0, before_length = 0;
    bool failed = false;
    *module = root;
    if (root != NPART_NONE) {
        size = strlen(at->out->items.items[root].path);
        memcpy(at->path, at->out->items.items[root].path, size);
    }
    for (size_t i = 0; i < path->bytes;) {
        const char *step = path->text + i;
        size_t length = step_length(step, path->bytes - i, slash);
        size_t from = path->separator ? 0 : repeated(step, length, before, before_length);
        for (size_t k = from; k < length;) {
            size_t part = step_length(step + k, length - k, path->separator);
            if (part && !go_into(at, step + k, part, written, &size, module, &failed))
                return !failed;
            k += part + 1;
        }
        before = step;
        before_length = length;
        i += length + 1;
    }
    return true;
}

/* Nodes of one module mostly follow one another, so this saves most walks. Texts of metadata are others at each
 * node, so contents are compared, too. */
static bool same_path(const struct npart__module_path *a, const struct npart__module_path *b)
{
    return a->text && a->bytes == b->bytes && a->separator == b->separator &&
           (a->text == b->text || memcmp(a->text, b->text, a->bytes) == 0);
}

/* Of the path of a node that stands in `root`. False when out of memory. */
static bool module_of(struct tree *at, const struct npart__module_path *path, uint32_t root, uint32_t *module)
{
    if (at->last_root == root && same_path(&at->last, path)) {
        *module = at->last_module;
        return true;
    }
    if (!follow(at, path, root, module))
        return false;
    at->last = *path;
    at->last_root = root;
    at->last_module = *module;
    return true;
}

/* ---- nodes that tell by themselves --------------------------------------------------------------------------- */

/* The graph is of a function of the model, and not what the standard or a runtime defines an operator by. */
static bool is_function(const struct npart__graph *graph, const struct npart__scope *scope)
{
    return scope->kind == NPART_GRAPH_CALL && !npart__node_at(graph, scope->node)->schema;
}

/* By metadata, by its name, or as one of a function's nodes; UNTOLD: nothing of these tells. */
static bool place_by_itself(struct tree *at, uint32_t id, uint32_t *module)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    struct npart__module_path path;
    *module = at->root_of[node->scope] == NPART_NONE ? UNTOLD : at->root_of[node->scope];
    if (!npart__module_of_metadata(node, &path) && !npart__module_of_name(node->name, at->is_rooted, &path))
        return true;
    return module_of(at, &path, at->root_of[node->scope], module);
}

/* The call is in the module that it makes, which is called by the last step of the call's name or, where it has
 * none, as its graph is. Two calls of one function are two modules, as their names differ; without names their
 * places do: "12:Block". */
static bool place_call(struct tree *at, uint32_t id, const char *label, uint32_t *module)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    uint32_t holder;
    const char *last = npart__after_last(node->name, '/');
    struct npart__buffer step = {.arena = at->arena};
    if (*last)
        npart__append_text(&step, last);
    else
        npart__append_format(&step, "%u:%s", node->index, label);
    const char *text = npart__made_text(&step);
    if (!text || !place_by_itself(at, id, &holder))
        return false;
    holder = holder == UNTOLD ? NPART_NONE : holder;
    struct npart__module_path path = {.text = text, .bytes = strlen(text), .separator = '/'};
    return follow(at, &path, holder, module);
}

/* Scopes come after those that hold them. So the root of a scope is known when one inside it is asked. */
static bool place_scopes(struct tree *at)
{
    const struct npart__graph *graph = at->graph;
    for (uint32_t s = 0; s < graph->scopes.count; s++) {
        const struct npart__scope *scope = npart__scope_at(graph, s);
        at->root_of[s] = scope->parent == NPART_NONE ? NPART_NONE : at->root_of[scope->parent];
        if (is_function(graph, scope)) {
            if (!place_call(at, scope->node, scope->label, &at->root_of[s]))
                return false;
            at->own[scope->node] = at->root_of[s];
        }
    }
    return true;
}

static bool place_nodes(struct tree *at)
{
    for (uint32_t i = 0; i < at->graph->nodes.count; i++)
        if (at->own[i] == UNTOLD && !place_by_itself(at, i, &at->own[i]))
            return false;
    return true;
}

/* ---- nodes that do not ----------------------------------------------------------------------------------------- */

/* The innermost module that has both. */
static uint32_t common(const struct tree *at, uint32_t a, uint32_t b)
{
    while (a != b && a != NPART_NONE && b != NPART_NONE) {
        if (at->depth_of[a] >= at->depth_of[b])
            a = at->out->items.items[a].parent;
        else
            b = at->out->items.items[b].parent;
    }
    return a == b ? a : NPART_NONE;
}

/* A neighbour in another graph (what a body captures, what a function is given) is of another place in the
 * source. A neighbour that is in no module itself makes the common one none: NPART_NONE is an answer, UNTOLD is
 * not. */
static void meet(const struct tree *at, uint32_t node, uint32_t neighbour, const uint32_t *of, uint32_t *all)
{
    const struct npart__node *nodes = at->graph->nodes.items;
    uint32_t module = neighbour == NPART_NONE ? UNTOLD : of[neighbour];
    if (module != UNTOLD && nodes[node].scope == nodes[neighbour].scope)
        *all = *all == UNTOLD ? module : common(at, *all, module);
}

/* Of the neighbours of a node, where `of` tells: the module that has them all, or with `is_first` that of the
 * first. Users before producers. */
static uint32_t of_neighbours(const struct tree *at, uint32_t id, const uint32_t *of, bool is_first)
{
    const struct npart__graph *graph = at->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    uint32_t all = UNTOLD;
    for (uint32_t k = 0; k < node->output_count && !(is_first && all != UNTOLD); k++) {
        uint32_t result = npart__node_output(graph, node, k);
        if (result == NPART_NONE)
            continue;
        const struct npart__value *value = npart__value_at(graph, result);
        for (uint32_t u = 0; u < value->consumer_count && !(is_first && all != UNTOLD); u++)
            meet(at, id, graph->consumers[value->first_consumer + u], of, &all);
    }
    for (uint32_t k = 0; k < node->input_count + node->capture_count && !(is_first && all != UNTOLD); k++)
        meet(at, id, npart__producer(graph, npart__node_use(graph, node, k)), of, &all);
    return all;
}

/* Twice, each time by what was told before: no further is a name carried. Both times from a copy, so that the
 * order of nodes does not matter: who is told now tells no other. */
static void place_by_neighbours(struct tree *at)
{
    const struct npart__graph *graph = at->graph;
    uint32_t *once = at->out->of_node;
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        once[i] = at->own[i] != UNTOLD ? at->own[i] : of_neighbours(at, i, at->own, false);
    memcpy(at->own, once, graph->nodes.count * sizeof *once);
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        if (at->own[i] == UNTOLD)
            once[i] = of_neighbours(at, i, at->own, true);
}

/* What is in the place of an operator, or in a body and untold, is where its holder is; these come first. A
 * scope's holder stands in a scope with a smaller number, so it has been placed. */
static void place_by_holder(struct tree *at)
{
    const struct npart__graph *graph = at->graph;
    uint32_t *of = at->out->of_node;
    for (uint32_t s = 0; s < graph->scopes.count; s++) {
        const struct npart__scope *scope = npart__scope_at(graph, s);
        bool is_replaced = scope->kind == NPART_GRAPH_CALL && !is_function(graph, scope);
        uint32_t holder = scope->kind == NPART_GRAPH_MAIN  ? NPART_NONE
                          : scope->kind == NPART_GRAPH_BODY || is_replaced ? of[scope->node]
                                                                            : at->root_of[s];
        for (uint32_t i = scope->first_node; i < scope->first_node + scope->node_count; i++)
            if (is_replaced || of[i] == UNTOLD)
                of[i] = holder;
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* What is not told in the end is the model's own, as its main graph is in no module. Arrays that are not handed
 * out lie in the same arena, which is the caller's scratch. */
bool npart__module_tree(const struct npart__graph *graph, struct npart__arena *arena, struct npart__modules *out)
{
    struct tree *at = npart__arena_zeroed(arena, 1, sizeof *at);
    if (!at)
        return false;
    *at = (struct tree){.graph = graph, .arena = arena, .out = out};
    size_t nodes = graph->nodes.count + (size_t)1;
    out->of_node = npart__arena_allocate(arena, nodes * sizeof *out->of_node);
    at->own = npart__arena_allocate(arena, nodes * sizeof *at->own);
    at->depth_of = npart__arena_allocate(arena, NPART__LIMIT_MODULES * sizeof *at->depth_of);
    at->root_of = npart__arena_allocate(arena, (graph->scopes.count + (size_t)1) * sizeof *at->root_of);
    if (!out->of_node || !at->own || !at->depth_of || !at->root_of || !npart__strings_init(&at->paths, arena))
        return false;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        at->own[i] = UNTOLD;
        const char *name = npart__node_at(graph, i)->name;
        at->is_rooted |= *name == '/' && strchr(name + 1, '/');
    }
    if (!place_scopes(at) || !place_nodes(at))
        return false;
    place_by_neighbours(at);
    place_by_holder(at);
    return true;
}
