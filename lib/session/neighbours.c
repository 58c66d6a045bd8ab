/* SPDX-License-Identifier: Apache-2.0
 *
 * What goes because of what stands beside it: two Transposes that cancel or become one, a Reshape with the Reshapes,
 * Squeezes and Unsqueezes after it, and shape arithmetic that a Reshape no longer needs (lib/view/fuse.c).
 *
 * Modelled on onnxruntime/core/optimizer: transpose_optimization, and reshape_fusion.cc with its contiguous reshapes.
 */
#include "session/passes.h"

/* Rows of JOIN and CANCEL. `newest` is there for 1.24, whose reshape fusion knows Reshape up to version 14 only. */
struct row {
    const char *op;
    int newest; /* version of it; 0: any */
    struct npart__applies applies;
};

static const struct row joined[] = {
#define JOIN(op, newest, ...) {op, newest, NPART__APPLIES(__VA_ARGS__)},
#include "runtime/rewrites.def"
};
static const struct row cancelled[] = {
#define CANCEL(op, ...) {op, 0, NPART__APPLIES(__VA_ARGS__)},
#include "runtime/rewrites.def"
};

struct neighbours {
    const struct npart__inference *inference;
    const struct npart__graph *graph;
    struct npart__session *session;
    enum npart__release release;
    uint32_t *uses; /* by value: how many are left */
    uint32_t *next; /* by node: the one that continues its chain of reshapes; NPART_NONE */
};

/* Paths are halved on the way, so that long chains of nodes that hand on are not walked again and again. Both
 * directions of the walk change `stands_for`, so until the last loop of the pass a value may be several steps away
 * from the end. */
static uint32_t resolve(const struct neighbours *at, uint32_t value)
{
    uint32_t *stands_for = at->session->stands_for;
    while (value != NPART_NONE && stands_for[value] != value) {
        stands_for[value] = stands_for[stands_for[value]];
        value = stands_for[value];
    }
    return value;
}

/* Of an op, and able to give way to its first operand. */
static bool is_live(const struct neighbours *at, uint32_t id, const char *op)
{
    const struct npart__node *node = &at->graph->nodes.items[id];
    return npart__is_live(at->session, id) && node->callee == NPART_NONE &&
           npart__is_onnx_op(at->graph, node, op) && npart__has_one_result(at->graph, node) &&
           npart__node_input(at->graph, node, 0) != NPART_NONE;
}

/* Of a row's op and version, at this release. Letters are compared first: this is asked of every node, and most
 * begin with another. */
static bool is_of(const struct neighbours *at, uint32_t id, const struct row *rows, size_t count)
{
    const struct npart__node *node = &at->graph->nodes.items[id];
    const char *op = npart__node_op(at->graph, node);
    for (size_t i = 0; i < count; i++)
        if (*op == *rows[i].op && npart__is_on(rows[i].applies, NPART__LEVEL_BASIC, at->release) &&
            is_live(at, id, rows[i].op) &&
            (rows[i].newest == 0 || (node->schema && node->schema->since <= rows[i].newest)))
            return true;
    return false;
}

/* The node of the same region that makes what a node's first input stands for. What a body captures is another
 * region's: the runtime's optimizers take one graph at a time, so nothing is joined across its edge. NPART_NONE
 * for an input of the graph and for an initializer. */
static uint32_t before(const struct neighbours *at, uint32_t id)
{
    uint32_t value = resolve(at, npart__node_input(at->graph, &at->graph->nodes.items[id], 0));
    uint32_t producer = npart__producer(at->graph, value);
    if (producer == NPART_NONE || npart__node_region(at->graph, producer) != npart__node_region(at->graph, id))
        return NPART_NONE;
    return producer;
}

static uint32_t input_of(const struct neighbours *at, uint32_t id)
{
    return resolve(at, npart__node_input(at->graph, &at->graph->nodes.items[id], 0));
}

static uint32_t result_of(const struct neighbours *at, uint32_t id)
{
    return npart__node_output(at->graph, &at->graph->nodes.items[id], 0);
}

/* Used once, and not by the world outside. Uses of the file: a user that was folded counts, which errs on the side
 * of leaving two nodes as they are. */
static bool is_private(const struct neighbours *at, uint32_t value)
{
    const struct npart__value *of = &at->graph->values.items[value];
    return of->consumer_count == 1 && !of->is_graph_output;
}

/* The node changes nothing: its operand is used in the place of its result. */
static void bypass(struct neighbours *at, uint32_t id)
{
    at->session->fates[id] = NPART__FATE_NO_OP;
    at->session->stands_for[result_of(at, id)] = input_of(at, id);
}

/* ---- Transposes ------------------------------------------------------------------------------------------- */

/* Without the attribute a Transpose turns the axes round, which needs the rank: [0,1,2] becomes [2,1,0]. The
 * attribute comes from the file: its length may be anything, its numbers out of range, its type no list. Then the
 * order is not known, and no array is indexed by it. An axis may stand twice; who looks for a cancelling pair
 * finds none. */
bool npart__order_of_axes(const struct npart__inference *inference, uint32_t id, int64_t *order, uint32_t *rank)
{
    const struct npart__node *node = &inference->graph->nodes.items[id];
    const struct npart__attribute *attribute = npart__node_attribute(inference->graph, node, "perm");
    uint32_t result = npart__node_output(inference->graph, node, 0);
    if (result == NPART_NONE)
        return false;
    const struct npart__fact *out = npart__fact_of(inference, result);
    /* With the attribute the rank is its length, also where inference knows no shape. */
    *rank = attribute ? attribute->count : out->rank;
    if (attribute ? attribute->type != 7 || attribute->is_elided : !out->has_rank)
        return false;
    for (uint32_t i = 0; i < *rank && *rank <= NPART__LIMIT_RANK; i++) {
        order[i] = attribute ? attribute->u.ints[i] : (int64_t)(*rank - 1 - i);
        if (order[i] < 0 || order[i] >= (int64_t)*rank)
            return false;
    }
    return *rank <= NPART__LIMIT_RANK;
}

/* [0,3,1,2] (NHWC to NCHW) and [0,2,3,1] (back), for a rank of 4. The axis of the batch stays first. Of rank 3
 * there is one order for both, [0,2,1]; below that there are no channels beside an axis of space. */
bool npart__moves_channels(const int64_t *order, uint32_t rank)
{
    bool is_first_to_last = rank > 2 && order[0] == 0, is_last_to_first = is_first_to_last;
    for (uint32_t i = 1; i < rank; i++) {
        is_first_to_last = is_first_to_last && order[i] == (int64_t)(i + 1 < rank ? i + 1 : 1);
        is_last_to_first = is_last_to_first && order[i] == (int64_t)(i == 1 ? rank - 1 : i - 1);
    }
    return is_first_to_last || is_last_to_first;
}

/* The graph's result can take its name from what stands before both. The same condition as in fold.c, after the
 * Transposes. */
static bool can_hand_on(const struct neighbours *at, uint32_t first, uint32_t result)
{
    uint32_t from = input_of(at, first);
    const struct npart__value *value = &at->graph->values.items[from];
    return !at->graph->values.items[result].is_graph_output ||
           (value->kind == NPART__VALUE_OUTPUT && is_private(at, from));
}

/* Transpose by [0,2,3,1] and then by [0,3,1,2] is none at all: both go, the first only if nobody else uses it. Two
 * that do not cancel become one: the first goes, and the second does the work of both. */
static void join_transposes(struct neighbours *at, uint32_t second)
{
    int64_t inner[NPART__LIMIT_RANK], outer[NPART__LIMIT_RANK];
    uint32_t first = before(at, second), rank, outer_rank;
    if (first == NPART_NONE || !is_of(at, first, cancelled, NPART__COUNT(cancelled)) ||
        !npart__order_of_axes(at->inference, first, inner, &rank) ||
        !npart__order_of_axes(at->inference, second, outer, &outer_rank) || rank != outer_rank)
        return;
    /* Axis i of the result is axis outer[i] of the value between, which is axis inner[outer[i]] of the first
     * operand. */
    bool cancels = true;
    for (uint32_t i = 0; i < rank; i++)
        cancels = cancels && inner[outer[i]] == (int64_t)i;
    if (cancels && can_hand_on(at, first, result_of(at, second))) {
        uint32_t between = result_of(at, first);
        at->session->fates[second] = NPART__FATE_NO_OP;
        at->session->stands_for[result_of(at, second)] = input_of(at, first);
        at->uses[between]--; /* the second no longer reads it */
        if (at->uses[between] == 0 && !at->graph->values.items[between].is_graph_output)
            bypass(at, first);
    } else if (!cancels && is_private(at, result_of(at, first))) {
        bypass(at, first);
    }
}

/* ---- Reshapes --------------------------------------------------------------------------------------------- */

/* next[n] == n marks the last of a chain so far; next[n] == NPART_NONE is in none. An example: Reshape a ->
 * Unsqueeze b -> Reshape c. With b, next[a] and next[b] become b; with c, next[b] and next[c] become c, and
 * next[a] still says b until fold_chain walks backwards. */
static void chain_reshapes(struct neighbours *at, uint32_t id)
{
    uint32_t first = is_of(at, id, joined, NPART__COUNT(joined)) ? before(at, id) : NPART_NONE;
    /* A chain begins with a Reshape; what continues one already has been marked by its own predecessor. Of other nodes
     * nothing is known, not even that they have a first result. */
    if (first == NPART_NONE || !(is_live(at, first, "Reshape") || at->next[first] == first))
        return;
    if (is_private(at, result_of(at, first)))
        at->next[first] = at->next[id] = id;
}

/* All but the last go, if what they make has a known size. Nodes come in reverse order, so what is next by now knows
 * the last of its chain. The fusion writes the last shape as a constant, which it can only where all dims are
 * numbers. */
static void fold_chain(struct neighbours *at, uint32_t id)
{
    uint32_t last = at->next[id];
    if (last == NPART_NONE || last == id)
        return;
    /* One step is enough: the next one was visited before, and points to the end already. */
    last = at->next[last];
    at->next[id] = last;
    if (!npart__is_static(npart__fact_of(at->inference, result_of(at, last))))
        return;
    bypass(at, id);
    at->session->remade[last] = NPART__REMADE_RESHAPE;
}

/* ---- shape arithmetic -------------------------------------------------------------------------------------- */

/* The node is gone, and with it its uses; what nobody uses any more is met later, as the walk is from the end. */
static void drop_inputs(struct neighbours *at, const struct npart__node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(at->graph, node, i);
        if (value != NPART_NONE && at->uses[value])
            at->uses[value]--;
    }
}

/* The Concat of sizes that a Reshape was written anew without (lib/view/fuse.c). Its operands are not constant,
 * which tells it from a Concat that was computed ahead. */
static bool is_fused(const struct neighbours *at, uint32_t id)
{
    const struct npart__node *node = &at->graph->nodes.items[id];
    bool is_computed = false;
    if (at->session->fates[id] != NPART__FATE_SHAPE || strcmp(npart__node_op(at->graph, node), "Concat") != 0)
        return false;
    for (uint32_t i = 0; i < node->input_count && !is_computed; i++) {
        uint32_t value = npart__node_input(at->graph, node, i);
        is_computed = value != NPART_NONE && !at->session->is_constant[value];
    }
    return is_computed;
}

/* Whoever never had a user stays: a node whose results nobody reads from the beginning is removed by no pass that is
 * modelled here. */
static bool is_unused(const struct neighbours *at, const struct npart__node *node)
{
    bool was_used = false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(at->graph, node, i);
        if (value == NPART_NONE)
            continue;
        if (at->uses[value] || at->graph->values.items[value].is_graph_output)
            return false;
        was_used = was_used || at->graph->values.items[value].consumer_count;
    }
    return was_used && node->body_count == 0;
}

/* Shape -> Gather -> Unsqueeze -> Concat -> Reshape, where the Reshape does without: the Concat is dropped, then
 * nobody uses the Unsqueeze, and so on up to the Shape. In reverse order one walk does all of them. A Transpose that
 * has been joined to another already gave up its uses. */
static void drop_unused(struct neighbours *at, uint32_t id)
{
    const struct npart__node *node = &at->graph->nodes.items[id];
    uint8_t *reason = &at->session->fates[id];
    bool is_transpose = npart__node_plays(at->graph, node, NPART__ROLE_REORDERS_AXES);
    /* What was computed from constants has only constants before it, so nothing that is live can become unused by
     * it. */
    if (*reason == NPART__FATE_CONSTANT || (*reason == NPART__FATE_NO_OP && is_transpose))
        return;
    if (is_fused(at, id)) {
        drop_inputs(at, node);
    } else if (*reason != NPART__FATE_SHAPE && is_unused(at, node)) {
        if (*reason == NPART__FATE_LIVE)
            *reason = NPART__FATE_SHAPE;
        drop_inputs(at, node);
    }
}

/* ---- the passes -------------------------------------------------------------------------------------------- */

/* Forwards for pairs, where the first of a pair must have been decided; backwards for chains and for what is unused,
 * where the last must have been. Each walk is linear. `uses` begins with the file's counts and goes down as users
 * go; a value whose count reaches 0 makes its producer unused. */
bool npart__fold_neighbours(struct npart__session *session, enum npart__release release, struct npart__arena *arena)
{
    const struct npart__inference *inference = session->inference;
    const struct npart__graph *graph = inference->graph;
    struct npart__arena scratch;
    npart__arena_init(&scratch, &arena->allocator);
    struct neighbours at = {.inference = inference, .graph = graph, .session = session, .release = release};
    at.uses = npart__arena_zeroed(&scratch, graph->values.count + (size_t)1, sizeof *at.uses);
    at.next = npart__arena_zeroed(&scratch, graph->nodes.count + (size_t)1, sizeof *at.next);
    for (uint32_t i = 0; at.uses && i < graph->values.count; i++)
        at.uses[i] = graph->values.items[i].consumer_count;
    for (uint32_t i = 0; at.next && i < graph->nodes.count; i++)
        at.next[i] = NPART_NONE;
    for (uint32_t i = 0; at.uses && at.next && i < graph->order_count; i++) {
        if (is_of(&at, graph->order[i], cancelled, NPART__COUNT(cancelled)))
            join_transposes(&at, graph->order[i]);
        chain_reshapes(&at, graph->order[i]);
    }
    for (uint32_t i = graph->order_count; at.uses && at.next && i-- > 0;) {
        fold_chain(&at, graph->order[i]);
        drop_unused(&at, graph->order[i]);
    }
    for (uint32_t i = 0; at.uses && at.next && i < graph->values.count; i++)
        session->stands_for[i] = resolve(&at, i);
    bool is_done = at.uses && at.next;
    npart__arena_clear(&scratch);
    return is_done;
}
