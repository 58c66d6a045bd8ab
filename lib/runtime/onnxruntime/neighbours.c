/* SPDX-License-Identifier: Apache-2.0
 *
 * What goes because of what stands beside it: two Transposes that cancel or become one, a Reshape with the Reshapes,
 * Squeezes and Unsqueezes after it, and shape arithmetic that a Reshape no longer needs (view_fuse.c).
 *
 * Modelled on onnxruntime/core/optimizer: transpose_optimization, and reshape_fusion.cc with its contiguous reshapes.
 */
#include "onnxruntime/passes.h"

/* Rows of JOIN and CANCEL. `newest` is there for 1.24, whose reshape fusion knows Reshape up to version 14 only. */
struct row {
    const char *op;
    int newest; /* version of it; 0: any */
    bool takes_zeros; /* with `allowzero`, too */
    struct npart__applies applies;
};

static const struct row joined[] = {
#define JOIN(op, newest, zeros, ...) {op, newest, zeros, NPART__APPLIES(__VA_ARGS__)},
#include "onnxruntime/rewrites.def"
};
static const struct row cancelled[] = {
#define CANCEL(op, ...) {op, 0, true, NPART__APPLIES(__VA_ARGS__)},
#include "onnxruntime/rewrites.def"
};

struct neighbours {
    const struct npart__inference *inference;
    const struct npart__graph *graph;
    struct npart__session *session;
    enum npart__release release;
    uint32_t *uses; /* by value of the file: how many are left, those of nodes that are gone among them */
    uint32_t *equal_uses; /* by the first of equal values: `uses` of all; NULL: it is not known which are */
    uint32_t *next; /* by node: the one that continues its chain of reshapes; NPART_NONE */
    /* By value that is left: how often live nodes and the world outside use it, or what stands for it; and whether the
     * world outside or a body does. */
    uint32_t *users;
    bool *is_outer;
    uint32_t *reads; /* by Transpose: in the place of its operand; NPART_NONE */
    struct npart__arena *arena, *scratch; /* for what is left, and for what only this pass needs */
    bool failed; /* out of memory */
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
    const struct npart__node *node = npart__node_at(at->graph, id);
    return npart__is_live(at->session, id) && node->callee == NPART_NONE &&
           npart__is_onnx_op(at->graph, node, op) && npart__has_one_result(at->graph, node) &&
           npart__node_input(at->graph, node, 0) != NPART_NONE;
}

/* A Reshape to whose target a 0 is a size. */
static bool allows_zero(const struct neighbours *at, uint32_t id)
{
    return npart__node_int(at->graph, npart__node_at(at->graph, id), "allowzero", 0) != 0;
}

/* Of a row's op and version, at this release. Letters are compared first: this is asked of every node, and most
 * begin with another. */
static bool is_of(const struct neighbours *at, uint32_t id, const struct row *rows, size_t count)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    const char *op = npart__node_op(at->graph, node);
    for (size_t i = 0; i < count; i++)
        if (*op == *rows[i].op && npart__is_on(rows[i].applies, NPART_LEVEL_BASIC, at->release) &&
            is_live(at, id, rows[i].op) && (rows[i].takes_zeros || !allows_zero(at, id)) &&
            (rows[i].newest == 0 || (node->schema && node->schema->since <= rows[i].newest)))
            return true;
    return false;
}

/* What a node reads first, by what is left. */
static uint32_t input_of(const struct neighbours *at, uint32_t id)
{
    bool is_own = at->reads[id] == NPART_NONE;
    return resolve(at, is_own ? npart__node_input(at->graph, npart__node_at(at->graph, id), 0) : at->reads[id]);
}

/* The node of the same region that makes what a node's first input stands for. What a body captures is another
 * region's: the runtime's optimizers take one graph at a time, so nothing is joined across its edge. NPART_NONE
 * for an input of the graph and for an initializer. */
static uint32_t before(const struct neighbours *at, uint32_t id)
{
    uint32_t producer = npart__producer(at->graph, input_of(at, id));
    if (producer == NPART_NONE || npart__node_region(at->graph, producer) != npart__node_region(at->graph, id))
        return NPART_NONE;
    return producer;
}

static uint32_t result_of(const struct neighbours *at, uint32_t id)
{
    return npart__node_output(at->graph, npart__node_at(at->graph, id), 0);
}

/* The node changes nothing: its operand is used in the place of its result. */
static void bypass(struct neighbours *at, uint32_t id)
{
    at->session->fates[id] = NPART_FATE_NO_OP;
    at->session->stands_for[result_of(at, id)] = input_of(at, id);
}

/* ---- Transposes ------------------------------------------------------------------------------------------- */

/* The graph's result can take its name from what stands before both, which other nodes may use by that name, too; but
 * not where that has a name that must remain, as an input or another result, nor where a body knows it by its own. */
static bool can_hand_on(const struct neighbours *at, uint32_t first, uint32_t result)
{
    uint32_t from = input_of(at, first);
    return !npart__value_at(at->graph, result)->is_graph_output ||
           (npart__value_at(at->graph, from)->kind == NPART__VALUE_OUTPUT && !at->is_outer[from]);
}

/* The second no longer reads what the first makes, but what that reads. */
static void read_past(struct neighbours *at, uint32_t first, uint32_t second, bool cancels)
{
    uint32_t between = result_of(at, first), from = input_of(at, first), result = result_of(at, second);
    at->users[between]--;
    if (cancels) {
        at->uses[npart__node_input(at->graph, npart__node_at(at->graph, second), 0)]--;
        at->session->fates[second] = NPART_FATE_NO_OP;
        at->session->stands_for[result] = from;
        at->users[from] += at->users[result];
        at->is_outer[from] |= at->is_outer[result];
    } else {
        at->reads[second] = from;
        at->users[from]++;
    }
    if (at->users[between] == 0) {
        bypass(at, first);
        at->users[from]--;
    }
}

/* The node before, where it has this role and one scale, and nothing else uses what it makes; else NPART_NONE. */
static uint32_t only_before(const struct neighbours *at, uint32_t id, enum npart__role role)
{
    uint32_t producer = before(at, id);
    const struct npart__node *node = producer == NPART_NONE ? NULL : npart__node_at(at->graph, producer);
    uint64_t scales;
    bool fits = node && npart__is_live(at->session, producer) && node->domain == 0 && node->input_count > 1 &&
                npart__node_input(at->graph, node, 1) != NPART_NONE && npart__node_plays(at->graph, node, role) &&
                npart__static_elements(npart__fact_of(at->inference, npart__node_input(at->graph, node, 1)), &scales) &&
                scales == 1 && at->users[result_of(at, producer)] == 1 && !at->is_outer[result_of(at, producer)];
    return fits ? producer : NPART_NONE;
}

/* In Transpose -> QuantizeLinear -> DequantizeLinear -> Transpose the first goes on to the second: it is gone, and they
 * are as they were. One of integers may stand between the two as well. */
static uint32_t before_pair(const struct neighbours *at, uint32_t second)
{
    uint32_t dequantizer = only_before(at, second, NPART__ROLE_DEQUANTIZES);
    uint32_t quantizer = only_before(at, dequantizer == NPART_NONE ? second : dequantizer, NPART__ROLE_QUANTIZES);
    uint32_t first = quantizer == NPART_NONE ? quantizer : before(at, quantizer);
    bool is_used_once = first != NPART_NONE && is_of(at, first, cancelled, NPART__COUNT(cancelled)) &&
                        at->users[result_of(at, first)] == 1 && !at->is_outer[result_of(at, first)];
    return is_used_once ? first : NPART_NONE;
}

/* Both are at the second's place now. */
static void move_past_pair(struct neighbours *at, uint32_t first, uint32_t second, bool cancels)
{
    uint32_t read = input_of(at, second), result = result_of(at, second);
    bypass(at, first);
    if (!cancels)
        return;
    bypass(at, second);
    at->users[read] += at->users[result] - 1;
    at->is_outer[read] |= at->is_outer[result];
}

/* Transpose by [0,2,3,1] and then by [0,3,1,2] is none at all: the second goes. Two that do not cancel become one: the
 * second does the work of both. The first goes once nothing else uses it. */
static void join_transposes(struct neighbours *at, uint32_t second)
{
    int64_t inner[NPART__LIMIT_RANK], outer[NPART__LIMIT_RANK];
    uint32_t first = before(at, second), rank, outer_rank, past = before_pair(at, second);
    if (past != NPART_NONE)
        first = past;
    if (first == NPART_NONE || !is_of(at, first, cancelled, NPART__COUNT(cancelled)) ||
        !npart__order_left(at->session, first, inner, &rank) ||
        !npart__order_left(at->session, second, outer, &outer_rank) || rank != outer_rank)
        return;
    bool cancels = npart__orders_cancel(inner, outer, rank);
    if (cancels && !can_hand_on(at, past == NPART_NONE ? first : second, result_of(at, second)))
        return;
    if (!cancels) {
        int64_t *order = npart__arena_allocate(at->arena, (rank + (size_t)1) * sizeof *order);
        struct npart__altered *altered = npart__alter(at->session, second, at->arena);
        at->failed |= !order || !altered;
        if (at->failed)
            return;
        for (uint32_t i = 0; i < rank; i++)
            order[i] = inner[outer[i]];
        altered->order = order;
    }
    if (past == NPART_NONE)
        read_past(at, first, second, cancels);
    else
        move_past_pair(at, first, second, cancels);
}

/* ---- Reshapes --------------------------------------------------------------------------------------------- */

/* next[n] == n marks the last of a chain so far; next[n] == NPART_NONE is in none. Of
 * Reshape a -> Unsqueeze b -> Reshape c: with b, next[a] and next[b] become b; with c, next[b] and next[c]
 * become c, and next[a] still says b until fold_chain walks backwards. */
static void chain_reshapes(struct neighbours *at, uint32_t id)
{
    uint32_t first = is_of(at, id, joined, NPART__COUNT(joined)) ? before(at, id) : NPART_NONE;
    /* A chain begins with a Reshape without `allowzero`; what continues one already has been marked by its own
     * predecessor. Of other nodes nothing is known, not even that they have a first result. */
    if (first == NPART_NONE ||
        !((is_live(at, first, npart__role_op(NPART__ROLE_RESHAPES)) && !allows_zero(at, first)) ||
          at->next[first] == first))
        return;
    if (at->users[result_of(at, first)] == 1)
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

/* The node is gone, and with it its uses; what has become unused is met later, as the walk is from the end. */
static void drop_inputs(struct neighbours *at, const struct npart__node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(at->graph, node, i);
        if (value == NPART_NONE || !at->uses[value])
            continue;
        at->uses[value]--;
        if (at->equal_uses)
            at->equal_uses[at->inference->first_equal[value]]--;
    }
}

/* The Concat of sizes that a Reshape was written anew without (view_fuse.c). Its operands are not
 * constant, which tells it from a Concat that was computed ahead. */
static bool is_fused(const struct neighbours *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    bool is_computed = false;
    if (at->session->fates[id] != NPART_FATE_SHAPE || !npart__comes_from(node, NPART__WAY(CONCAT)))
        return false;
    for (uint32_t i = 0; i < node->input_count && !is_computed; i++) {
        uint32_t value = npart__node_input(at->graph, node, i);
        is_computed = value != NPART_NONE && !at->session->is_constant[value];
    }
    return is_computed;
}

/* A Shape that was computed ahead, of an operand that need not be constant: what made that operand for nothing else
 * goes, too (constant_folding.cc, RemoveNodesWithOneOutputBottomUp). */
static bool is_measured(const struct neighbours *at, uint32_t id)
{
    return at->session->fates[id] == NPART_FATE_SHAPE &&
           npart__comes_from(npart__node_at(at->graph, id), NPART__WAY(SHAPE));
}

/* The runtime keeps the first of equal values, for the users of all (view.c). */
static bool serves_equal_ones(const struct neighbours *at, uint32_t value)
{
    return at->equal_uses && at->inference->first_equal[value] == value && at->equal_uses[value];
}

/* A node that never had a user stays: none of the passes that are modelled here removes it. */
static bool is_unused(const struct neighbours *at, const struct npart__node *node)
{
    bool was_used = false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(at->graph, node, i);
        if (value == NPART_NONE)
            continue;
        if (at->uses[value] || npart__value_at(at->graph, value)->is_graph_output || serves_equal_ones(at, value))
            return false;
        was_used = was_used || npart__value_at(at->graph, value)->consumer_count;
    }
    return was_used && node->body_count == 0;
}

/* Shape -> Gather -> Unsqueeze -> Concat -> Reshape, where the Reshape does without: the Concat is dropped, then the
 * Unsqueeze is unused, and so on up to the Shape. In reverse order one walk does all of them. A Transpose that has
 * been joined to another already gave up its uses. */
static void drop_unused(struct neighbours *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    uint8_t *reason = &at->session->fates[id];
    bool is_transpose = npart__node_plays(at->graph, node, NPART__ROLE_REORDERS_AXES);
    /* What was computed from constants has only constants before it, so nothing that is live can become unused by
     * it. */
    if (*reason == NPART_FATE_CONSTANT || (*reason == NPART_FATE_NO_OP && is_transpose))
        return;
    if (is_fused(at, id) || is_measured(at, id)) {
        drop_inputs(at, node);
    } else if (*reason != NPART_FATE_SHAPE && is_unused(at, node)) {
        if (*reason == NPART_FATE_LIVE)
            *reason = NPART_FATE_SHAPE;
        drop_inputs(at, node);
    }
}

/* ---- the passes -------------------------------------------------------------------------------------------- */

/* What is left by now uses, each value by what stands for it: nodes that are gone use nothing, and through them their
 * users use what is before. */
static void count_users(struct neighbours *at)
{
    const struct npart__graph *graph = at->graph;
    for (uint32_t i = 0; i < graph->order_count; i++) {
        const struct npart__node *node = npart__node_at(graph, graph->order[i]);
        if (!npart__is_live(at->session, graph->order[i]))
            continue;
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t value = resolve(at, npart__node_use(graph, node, k));
            if (value == NPART_NONE)
                continue;
            at->users[value]++;
            at->is_outer[value] |= k >= node->input_count;
        }
    }
    for (uint32_t i = 0; i < graph->values.count; i++)
        if (npart__value_at(graph, i)->is_graph_output) {
            at->users[resolve(at, i)]++;
            at->is_outer[resolve(at, i)] = true;
        }
}

/* One more element each, so that a graph without nodes or values has arrays that are not empty. */
static bool begin(struct neighbours *at)
{
    const struct npart__graph *graph = at->graph;
    size_t nodes = graph->nodes.count + (size_t)1, values = graph->values.count + (size_t)1;
    at->uses = npart__arena_zeroed(at->scratch, values, sizeof *at->uses);
    at->users = npart__arena_zeroed(at->scratch, values, sizeof *at->users);
    at->is_outer = npart__arena_zeroed(at->scratch, values, sizeof *at->is_outer);
    at->reads = npart__arena_allocate(at->scratch, nodes * sizeof *at->reads);
    at->next = npart__arena_allocate(at->scratch, nodes * sizeof *at->next);
    if (!at->uses || !at->users || !at->is_outer || !at->reads || !at->next)
        return false;
    memset(at->next, 0xff, nodes * sizeof *at->next); /* NPART_NONE */
    memset(at->reads, 0xff, nodes * sizeof *at->reads);
    const uint32_t *first_equal = at->inference->first_equal;
    at->equal_uses = first_equal ? npart__arena_zeroed(at->scratch, values, sizeof *at->equal_uses) : NULL;
    if (first_equal && !at->equal_uses)
        return false;
    for (uint32_t i = 0; i < graph->values.count; i++) {
        at->uses[i] = npart__value_at(graph, i)->consumer_count;
        if (first_equal)
            at->equal_uses[first_equal[i]] += at->uses[i];
    }
    count_users(at);
    return true;
}

/* Forwards for pairs, where the first of a pair must have been decided; backwards for chains and for what is unused,
 * where the last must have been. Each walk is linear. `uses` begins with the file's counts and goes down as users
 * go; a value whose count reaches 0 makes its producer unused. */
bool npart__fold_neighbours(struct npart__session *session, enum npart__release release, struct npart__arena *arena)
{
    const struct npart__inference *inference = session->inference;
    const struct npart__graph *graph = inference->graph;
    struct npart__arena scratch;
    npart__arena_init(&scratch, &arena->allocator);
    struct neighbours at = {
        .inference = inference, .graph = graph, .session = session, .release = release, .arena = arena,
        .scratch = &scratch};
    bool is_begun = begin(&at);
    for (uint32_t i = 0; is_begun && i < graph->order_count; i++) {
        if (is_of(&at, graph->order[i], cancelled, NPART__COUNT(cancelled)))
            join_transposes(&at, graph->order[i]);
        chain_reshapes(&at, graph->order[i]);
    }
    for (uint32_t i = graph->order_count; is_begun && i-- > 0;) {
        fold_chain(&at, graph->order[i]);
        drop_unused(&at, graph->order[i]);
    }
    for (uint32_t i = 0; is_begun && i < graph->values.count; i++)
        session->stands_for[i] = resolve(&at, i);
    npart__arena_clear(&scratch);
    return is_begun && !at.failed;
}
