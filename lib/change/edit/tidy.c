/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph after edits: nodes whose results are unused go, and with them what only they used; the others are put in
 * order where they are not; unused initializers and types of values that are gone go, too. Bodies come first,
 * since what they use from outside is used by their node.
 */
#include "edit/edit_internal.h"

/* By id of the editor's names, the number that the graph at hand gives one; 0: none. Graphs of one depth of bodies have
 * it one after the other, and each leaves it as it was. */
struct numbered {
    uint32_t *items, count, capacity;
    struct numbered *inner; /* of bodies; NULL: none was there yet */
};

struct tidy {
    struct npart__editor *editor;
    Onnx__GraphProto *graph;
    struct numbered *numbered;
    struct NPART__ARRAY(uint32_t) names;  /* of this graph alone, by number: ids of the editor's; 0 is no name */
    struct NPART__ARRAY(uint32_t) makers; /* by name: node + 1; 0: none */
    struct NPART__ARRAY(uint32_t) counts; /* by name: how often it is used */
    struct NPART__ARRAY(bool) is_input;   /* by name */
    struct NPART__ARRAY(uint32_t) uses;   /* names that nodes use, bodies and all, node by node */
    uint32_t *first_use;                  /* by node, and one more */
    bool *is_dead; /* by node; nothing uses its results */
    uint32_t *order; /* nodes, operands before their users */
};

/* The texts that a graph uses from outside. To the node that has the body these are uses like its operands. They
 * live as long as the names of the body, which are of the editor's arena. */
struct outside {
    struct NPART__ARRAY(const char *) names;
};

static npart_status tidy_graph(struct npart__editor *editor, Onnx__GraphProto *graph, struct numbered **numbered,
                               struct outside *out, struct npart_error *error);

/* A name that the graph has so far; 0: it has none of the name, which may be "" or NULL. */
static uint32_t find(const struct tidy *tidy, const char *name)
{
    uint32_t id = name ? npart__strings_find_text(&tidy->editor->names, name) : NPART_NONE;
    return id < tidy->numbered->count ? tidy->numbered->items[id] : 0;
}

/* The number of an id that the graph has not had yet. Arrays by name grow all together, so that a number is valid in
 * each. */
static uint32_t new_number(struct tidy *tidy, uint32_t id)
{
    struct npart__arena *arena = tidy->editor->arena;
    struct numbered *numbered = tidy->numbered;
    uint32_t number = tidy->names.count;
    if (id >= numbered->count) {
        if (!NPART__RESERVE(arena, numbered, (size_t)id + 1 - numbered->count))
            return NPART_NONE;
        memset(numbered->items + numbered->count, 0, (id + 1 - numbered->count) * sizeof *numbered->items);
        numbered->count = id + 1;
    }
    if (!NPART__PUSH(arena, &tidy->names, id) || !NPART__PUSH(arena, &tidy->makers, 0) ||
        !NPART__PUSH(arena, &tidy->counts, 0) || !NPART__PUSH(arena, &tidy->is_input, false))
        return NPART_NONE;
    numbered->items[id] = number;
    return number;
}

/* Names are texts of the objects, which outlive the editor's: nothing is copied. */
static uint32_t id_of(struct tidy *tidy, const char *name)
{
    uint32_t id = npart__intern_text(&tidy->editor->names, name);
    if (!id || id == NPART_NONE)
        return id;
    uint32_t number = id < tidy->numbered->count ? tidy->numbered->items[id] : 0;
    return number ? number : new_number(tidy, id);
}

/* As often as it is used, so that what goes can be counted down. The empty name of an operand that is left out is no
 * use. */
static bool use(struct tidy *tidy, const char *name)
{
    if (!name || !*name)
        return true;
    uint32_t id = id_of(tidy, name);
    if (id == NPART_NONE || !NPART__PUSH(tidy->editor->arena, &tidy->uses, id))
        return false;
    tidy->counts.items[id]++;
    return true;
}

/* ---- uses -------------------------------------------------------------------------------------------------------- */

/* Bodies are tidied on the way: what only their dead nodes used is no use to the outside. */
static npart_status list_uses(struct tidy *tidy, const Onnx__NodeProto *node, struct npart_error *error)
{
    for (size_t i = 0; i < node->n_input; i++)
        if (!use(tidy, node->input[i]))
            return npart__fail_memory(error);
    for (size_t i = 0; i < node->n_attribute; i++) {
        size_t count;
        Onnx__GraphProto **bodies = npart__edit_bodies(node->attribute[i], &count);
        for (size_t k = 0; k < count; k++) {
            struct outside outside = {{NULL, 0, 0}};
            npart_status status = tidy_graph(tidy->editor, bodies[k], &tidy->numbered->inner, &outside, error);
            if (status != NPART_OK)
                return status;
            for (uint32_t n = 0; n < outside.names.count; n++)
                if (!use(tidy, outside.names.items[n]))
                    return npart__fail_memory(error);
        }
    }
    return NPART_OK;
}

/* Of results with one name the last node counts as the maker; ONNX forbids two. */
static npart_status list_all_uses(struct tidy *tidy, struct npart_error *error)
{
    Onnx__GraphProto *graph = tidy->graph;
    for (size_t i = 0; i < graph->n_input; i++) {
        uint32_t id = id_of(tidy, graph->input[i]->name ? graph->input[i]->name : "");
        if (id == NPART_NONE)
            return npart__fail_memory(error);
        tidy->is_input.items[id] = true;
    }
    for (size_t i = 0; i < graph->n_node; i++)
        for (size_t k = 0; k < graph->node[i]->n_output; k++) {
            const char *name = graph->node[i]->output[k];
            uint32_t id = name && *name ? id_of(tidy, name) : 0;
            if (id == NPART_NONE)
                return npart__fail_memory(error);
            /* 0 is the name "", which nothing makes. */
            if (id)
                tidy->makers.items[id] = (uint32_t)i + 1;
        }
    npart_status status = NPART_OK;
    for (size_t i = 0; i < graph->n_node && status == NPART_OK; i++) {
        tidy->first_use[i] = tidy->uses.count;
        status = list_uses(tidy, graph->node[i], error);
    }
    tidy->first_use[graph->n_node] = tidy->uses.count;
    /* Results of the graph are used by the world outside, and keep their makers. */
    for (size_t i = 0; i < graph->n_output && status == NPART_OK; i++)
        if (!use(tidy, graph->output[i]->name))
            status = npart__fail_memory(error);
    return status;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* NPART_NONE for 0: an input, an initializer, or a name from outside. */
static uint32_t maker_of(const struct tidy *tidy, uint32_t use)
{
    return tidy->makers.items[tidy->uses.items[use]] - 1u;
}

/* Most edits keep the order, and then the file's is left as it is: a diff of two versions stays small. */
static bool is_in_order(const struct tidy *tidy)
{
    for (uint32_t i = 0; i < tidy->graph->n_node; i++)
        for (uint32_t k = tidy->first_use[i]; k < tidy->first_use[i + 1]; k++) {
            uint32_t maker = maker_of(tidy, k);
            if (maker != NPART_NONE && maker >= i)
                return false;
        }
    return true;
}

/* Each node as soon as what it uses is there, and what it uses right before it where that is late: depth first, with a
 * stack of its own, since chains are as long as graphs. False for a cycle. `next` is by node the use to look at
 * next, so each use is looked at once. */
static bool sort_nodes(struct tidy *tidy, uint32_t *stack, uint32_t *next)
{
    uint32_t count = (uint32_t)tidy->graph->n_node, placed = 0;
    bool *is_placed = tidy->is_dead; /* not needed yet, and all false */
    memcpy(next, tidy->first_use, count * sizeof *next);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t depth = 0;
        if (!is_placed[i])
            stack[depth++] = i;
        while (depth) {
            uint32_t node = stack[depth - 1], wanted = NPART_NONE;
            while (wanted == NPART_NONE && next[node] < tidy->first_use[node + 1]) {
                uint32_t maker = maker_of(tidy, next[node]++);
                if (maker != NPART_NONE && !is_placed[maker])
                    wanted = maker;
            }
            if (wanted == NPART_NONE) {
                is_placed[node] = true;
                tidy->order[placed++] = node;
                depth--;
            } else if (depth == count || next[wanted] > tidy->first_use[wanted]) {
                return false; /* it waits already */
            } else {
                stack[depth++] = wanted;
            }
        }
    }
    memset(is_placed, 0, count * sizeof *is_placed);
    return true;
}

/* A cycle can come from a file that had one, or from a rewrite that made one; neither is written. */
static npart_status find_order(struct tidy *tidy, struct npart_error *error)
{
    struct npart__arena *arena = tidy->editor->arena;
    uint32_t count = (uint32_t)tidy->graph->n_node;
    for (uint32_t i = 0; i < count; i++)
        tidy->order[i] = i;
    if (is_in_order(tidy))
        return NPART_OK;
    uint32_t *stack = npart__arena_zeroed(arena, count + (size_t)1, sizeof *stack);
    uint32_t *next = npart__arena_zeroed(arena, count + (size_t)1, sizeof *next);
    if (!stack || !next)
        return npart__fail_memory(error);
    bool is_sorted = sort_nodes(tidy, stack, next);
    npart__arena_release(arena, next);
    npart__arena_release(arena, stack);
    return is_sorted ? NPART_OK : npart__fail(error, NPART_ERROR_MALFORMED, "", "edited nodes form a cycle");
}

/* ---- what goes --------------------------------------------------------------------------------------------------- */

/* A node of an unknown domain may do something besides what it returns. A custom operator may write a file or
 * print; those of the domains named here do not. */
static bool may_go(const Onnx__NodeProto *node)
{
    static const char *const domains[] = {"", "ai.onnx", "ai.onnx.ml", "com.microsoft"};
    const char *domain = node->domain ? node->domain : "";
    for (size_t i = 0; i < NPART__COUNT(domains); i++)
        if (strcmp(domain, domains[i]) == 0)
            return true;
    return false;
}

/* From the last to the first, so that each node comes after all that use it. So one walk finds whole chains: a
 * node that goes takes its uses off before its producers are looked at. */
static void find_dead(struct tidy *tidy)
{
    for (uint32_t at = (uint32_t)tidy->graph->n_node; at-- > 0;) {
        uint32_t i = tidy->order[at];
        const Onnx__NodeProto *node = tidy->graph->node[i];
        bool is_used = !may_go(node);
        for (size_t k = 0; k < node->n_output && !is_used; k++)
            is_used = tidy->counts.items[find(tidy, node->output[k])];
        tidy->is_dead[i] = !is_used;
        for (uint32_t k = tidy->first_use[i]; !is_used && k < tidy->first_use[i + 1]; k++)
            tidy->counts.items[tidy->uses.items[k]]--;
    }
}

/* After find_dead: by a node that stays, a body of one, or as a result of the graph. */
static bool is_used(const struct tidy *tidy, const char *name)
{
    return tidy->counts.items[find(tidy, name)];
}

static bool is_input(const struct tidy *tidy, const char *name)
{
    return tidy->is_input.items[find(tidy, name)];
}

/* Of an initializer that is an input too the caller may give another. The fewer weights are written, the smaller
 * is the file: this is what makes folded weights go. */
static void drop_constants(struct tidy *tidy)
{
    Onnx__GraphProto *graph = tidy->graph;
    size_t kept = 0;
    for (size_t i = 0; i < graph->n_initializer; i++)
        if (is_used(tidy, graph->initializer[i]->name) || is_input(tidy, graph->initializer[i]->name))
            graph->initializer[kept++] = graph->initializer[i];
    graph->n_initializer = kept;
    kept = 0;
    for (size_t i = 0; i < graph->n_sparse_initializer; i++) {
        const Onnx__TensorProto *values = graph->sparse_initializer[i]->values;
        if (!values || is_used(tidy, values->name))
            graph->sparse_initializer[kept++] = graph->sparse_initializer[i];
    }
    graph->n_sparse_initializer = kept;
}

/* Types of values that are made no more; those of initializers and inputs may stand there, too, and stay. A type
 * of a value that is gone would be declared for a name that nothing makes. */
static void drop_types(struct tidy *tidy)
{
    Onnx__GraphProto *graph = tidy->graph;
    size_t kept = 0;
    for (size_t i = 0; i < graph->n_value_info; i++) {
        const char *name = graph->value_info[i]->name;
        uint32_t maker = tidy->makers.items[find(tidy, name)];
        if (maker ? !tidy->is_dead[maker - 1] : is_used(tidy, name) || is_input(tidy, name))
            graph->value_info[kept++] = graph->value_info[i];
    }
    graph->n_value_info = kept;
    kept = 0;
    for (size_t i = 0; i < graph->n_quantization_annotation; i++)
        if (is_used(tidy, graph->quantization_annotation[i]->tensor_name))
            graph->quantization_annotation[kept++] = graph->quantization_annotation[i];
    graph->n_quantization_annotation = kept;
}

/* A new list, as the old one is read while the new one is filled. `order` may bring a node forward, to a place of
 * the old list that was not read yet. */
static bool place_nodes(struct tidy *tidy)
{
    Onnx__GraphProto *graph = tidy->graph;
    size_t kept = 0;
    Onnx__NodeProto **nodes = npart__arena_zeroed(tidy->editor->arena, graph->n_node + 1, sizeof *nodes);
    if (!nodes)
        return false;
    for (size_t at = 0; at < graph->n_node; at++)
        if (!tidy->is_dead[tidy->order[at]])
            nodes[kept++] = graph->node[tidy->order[at]];
    graph->node = nodes;
    graph->n_node = kept;
    return true;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Names that are used and neither made nor given here. After dead nodes have been counted out, so a body that no
 * longer uses a value does not keep it alive. */
static bool list_outside(struct tidy *tidy, struct outside *out)
{
    struct npart__arena *arena = tidy->editor->arena;
    const Onnx__GraphProto *graph = tidy->graph;
    bool *is_own = npart__arena_zeroed(arena, tidy->names.count + (size_t)1, sizeof *is_own);
    if (!is_own)
        return false;
    for (size_t i = 0; i < graph->n_input + graph->n_initializer + graph->n_sparse_initializer; i++) {
        size_t k = i - graph->n_input, s = k - graph->n_initializer;
        const char *name = i < graph->n_input         ? graph->input[i]->name
                           : k < graph->n_initializer ? graph->initializer[k]->name
                           : graph->sparse_initializer[s]->values ? graph->sparse_initializer[s]->values->name
                                                                  : NULL;
        is_own[find(tidy, name)] = true;
    }
    for (uint32_t id = 1; id < tidy->counts.count; id++)
        if (tidy->counts.items[id] && !tidy->makers.items[id] && !is_own[id] &&
            !NPART__PUSH(arena, &out->names, npart__text(&tidy->editor->names, tidy->names.items[id])))
            return false;
    npart__arena_release(arena, is_own);
    return true;
}

/* Recursion is as deep as graphs nest, which the scan limits. */
static npart_status tidy_graph(struct npart__editor *editor, Onnx__GraphProto *graph, struct numbered **numbered,
                               struct outside *out, struct npart_error *error)
{
    struct npart__arena *arena = editor->arena;
    struct tidy *tidy = npart__arena_zeroed(arena, 1, sizeof *tidy);
    if (!*numbered)
        *numbered = npart__arena_zeroed(arena, 1, sizeof **numbered);
    if (!tidy || !*numbered)
        return npart__fail_memory(error);
    tidy->editor = editor;
    tidy->graph = graph;
    tidy->numbered = *numbered;
    tidy->first_use = npart__arena_zeroed(arena, graph->n_node + 1, sizeof *tidy->first_use);
    tidy->is_dead = npart__arena_zeroed(arena, graph->n_node + 1, sizeof *tidy->is_dead);
    tidy->order = npart__arena_zeroed(arena, graph->n_node + 1, sizeof *tidy->order);
    /* The name "" has the id 0 and gets the number 0, which stands for no name. */
    if (!tidy->first_use || !tidy->is_dead || !tidy->order || new_number(tidy, 0) == NPART_NONE)
        return npart__fail_memory(error);
    npart_status status = list_all_uses(tidy, error);
    if (status == NPART_OK)
        status = find_order(tidy, error);
    if (status != NPART_OK)
        return status;
    /* Nodes last, as the others ask by number in the old list. */
    find_dead(tidy);
    drop_types(tidy);
    drop_constants(tidy);
    if (!list_outside(tidy, out) || !place_nodes(tidy))
        return npart__fail_memory(error);
    for (uint32_t i = 0; i < tidy->names.count; i++)
        tidy->numbered->items[tidy->names.items[i]] = 0;
    return NPART_OK;
}

npart_status npart__edit_tidy(struct npart__editor *editor, Onnx__GraphProto *graph, struct npart_error *error)
{
    struct outside outside = {{NULL, 0, 0}};
    struct numbered *numbered = NULL;
    return tidy_graph(editor, graph, &numbered, &outside, error);
}
