/* SPDX-License-Identifier: Apache-2.0
 *
 * Frontiers of a graph: between what is before the model, the model, and what is after it.
 */
#include "fix/frontier.h"

#include "fix/fix.h"

/* Of the work of a graph so much may go to the CPU with what is not taken; where a node fails to compile there is no
 * run without, so that more may. */
#define MOST_GIVEN_UP 0.05
#define MOST_GIVEN_UP_TO_LOAD 0.5
/* A size that is not known: more than any real tensor has, and little enough for sums. */
#define UNKNOWN_BYTES (UINT64_C(1) << 40)

enum side { BETWEEN, BEFORE, AFTER };

/* Arrays are by node of session->graph, copies included, or by its values. */
struct finder {
    const struct npart__plan *plan;
    const struct npart__graph *graph;
    struct npart__arena *arena; /* of the search alone */
    uint64_t *macs;             /* by node, 0 where not known */
    uint64_t all_macs;
    uint8_t *side;              /* enum side */
    bool *is_seed;              /* not taken, of those that are looked at */
    bool *is_needed;            /* by node: for what is between */
    uint32_t *uses;             /* by value: operands of nodes after the end */
    uint32_t *moved;            /* nodes that the end moved past, in that order */
};

static uint32_t use_count(const struct npart__node *node)
{
    return node->input_count + node->capture_count;
}

static uint32_t maker(const struct finder *at, const struct npart__node *node, uint32_t index)
{
    return npart__producer(at->graph, npart__live_operand(&at->plan->session, node, index));
}

/* A body goes where its holder goes, and nothing is asked of it by itself. */
static bool is_there(const struct finder *at, uint32_t id)
{
    return npart__is_live(&at->plan->session, id) && npart__node_region(at->graph, id) == 0;
}

/* ---- sides ------------------------------------------------------------------------------------------------------- */

/* Seeds from a place in the order on, with all that depends on them. The work that goes with them. */
static uint64_t take_tail(struct finder *at, uint32_t from)
{
    uint64_t macs = 0;
    for (uint32_t i = 0; i < at->graph->order_count; i++) {
        uint32_t id = at->graph->order[i];
        if (!is_there(at, id))
            continue;
        const struct npart__node *node = npart__node_at(at->graph, id);
        bool is_after = at->is_seed[id] && i >= from;
        for (uint32_t k = 0; k < use_count(node) && !is_after; k++) {
            uint32_t from_node = maker(at, node, k);
            is_after = from_node != NPART_NONE && at->side[from_node] == AFTER;
        }
        at->side[id] = is_after ? AFTER : BETWEEN;
        macs += is_after ? at->macs[id] : 0;
    }
    return macs;
}

/* Seeds up to a place in the order that are not in the tail, with all that they depend on. */
static uint64_t take_head(struct finder *at, uint32_t to)
{
    uint64_t macs = 0;
    for (uint32_t i = 0; i < at->graph->nodes.count; i++)
        at->side[i] = at->side[i] == BEFORE ? BETWEEN : at->side[i];
    for (uint32_t i = at->graph->order_count; i-- > 0;) {
        uint32_t id = at->graph->order[i];
        if (!is_there(at, id) || at->side[id] == AFTER)
            continue;
        if (at->is_seed[id] && i < to)
            at->side[id] = BEFORE;
        if (at->side[id] != BEFORE)
            continue;
        const struct npart__node *node = npart__node_at(at->graph, id);
        macs += at->macs[id];
        for (uint32_t k = 0; k < use_count(node); k++)
            if (maker(at, node, k) != NPART_NONE)
                at->side[maker(at, node, k)] = BEFORE;
    }
    return macs;
}

/* The more seeds, the more work goes with them, so the place is found by halving. */
static void place_tail(struct finder *at, double share)
{
    uint32_t low = 0, high = at->graph->order_count; /* from `high` on no more goes than may */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        bool is_little = (double)take_tail(at, middle) <= share * (double)at->all_macs;
        high = is_little ? middle : high;
        low = is_little ? low : middle + 1;
    }
    (void)take_tail(at, high);
}

static void place_head(struct finder *at, double share)
{
    double gone = 0;
    for (uint32_t i = 0; i < at->graph->nodes.count; i++)
        gone += at->side[i] == AFTER ? (double)at->macs[i] : 0;
    uint32_t low = 0, high = at->graph->order_count; /* up to `low` no more goes than may */
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        bool is_little = (double)take_head(at, middle) + gone <= share * (double)at->all_macs;
        low = is_little ? middle : low;
        high = is_little ? high : middle - 1;
    }
    (void)take_head(at, low);
}

/* What of the head only what is after the model needs can wait until then. */
static void drop_idle_head(struct finder *at)
{
    bool *is_needed = at->is_needed;
    memset(is_needed, 0, at->graph->nodes.count * sizeof *is_needed);
    for (uint32_t i = at->graph->order_count; i-- > 0;) {
        uint32_t id = at->graph->order[i];
        if (!is_there(at, id))
            continue;
        const struct npart__node *node = npart__node_at(at->graph, id);
        is_needed[id] |= at->side[id] == BETWEEN;
        if (at->side[id] == BEFORE && !is_needed[id])
            at->side[id] = AFTER;
        for (uint32_t k = 0; k < use_count(node); k++)
            if (is_needed[id] && maker(at, node, k) != NPART_NONE)
                is_needed[maker(at, node, k)] = true;
    }
}

/* ---- what passes ------------------------------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct finder *at, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(at->plan->session.known, value);
    uint64_t elements;
    if (!fact->element_type || !npart__static_elements(fact, &elements))
        return UNKNOWN_BYTES;
    uint64_t bytes = npart__type_bytes(fact->element_type, elements);
    return bytes < UNKNOWN_BYTES ? bytes : UNKNOWN_BYTES;
}

/* Bytes that nodes after the end take from before it, each tensor once. */
static void add_operands(struct finder *at, uint32_t id, uint64_t *bytes)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    for (uint32_t k = 0; k < use_count(node); k++) {
        uint32_t value = npart__live_operand(&at->plan->session, node, k), producer = maker(at, node, k);
        if (producer != NPART_NONE && at->side[producer] != AFTER && !at->uses[value]++)
            *bytes += bytes_of(at, value);
    }
}

bool npart__has_these_users(const struct npart__session *session, const struct npart__node *node, const uint32_t *uses)
{
    uint32_t users = 0;
    for (uint32_t k = 0; k < node->output_count; k++) {
        uint32_t value = npart__node_output(session->graph, node, k);
        if (value == NPART_NONE)
            continue;
        if (npart__value_at(session->graph, value)->is_graph_output || uses[value] != npart__user_count(session, value))
            return false;
        users += uses[value];
    }
    return users > 0;
}

/* A node between the borders without work, which only nodes after the end use. */
static bool can_move(const struct finder *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    return is_there(at, id) && at->side[id] == BETWEEN && !at->macs[id] &&
           npart__has_these_users(&at->plan->session, node, at->uses);
}

static void move(struct finder *at, uint32_t id, uint64_t *bytes)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    for (uint32_t k = 0; k < node->output_count; k++) {
        uint32_t value = npart__node_output(at->graph, node, k);
        if (value != NPART_NONE && at->uses[value])
            *bytes -= bytes_of(at, value);
    }
    at->side[id] = AFTER;
    add_operands(at, id, bytes);
}

/* ---- borders as names -------------------------------------------------------------------------------------------- */

/* Once; false where there is no more room, or a name that the command line would divide. */
static bool add_name(const struct finder *at, uint32_t value, const char **names, uint32_t *count, uint64_t *bytes)
{
    const char *name = npart__value_name(at->graph, value);
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    if (*count == NPART__MOST_BORDER || !*name || strchr(name, ','))
        return false;
    names[(*count)++] = name;
    *bytes += bytes_of(at, value);
    return true;
}

/* Tensors of the file, as a copy's result is none. What the model makes of the whole's outputs is an end, too, as the
 * rest would make it otherwise. */
static bool list_border(const struct finder *at, struct npart__frontier *out)
{
    const struct npart__session *session = &at->plan->session;
    bool is_good = true;
    for (uint32_t i = 0; i < session->file->nodes.count && is_good; i++) {
        const struct npart__node *node = npart__node_at(at->graph, i);
        if (!is_there(at, i))
            continue;
        for (uint32_t k = 0; k < use_count(node) && is_good; k++) {
            uint32_t value = npart__operand_past_copies(session, node, k);
            uint32_t producer = npart__producer(at->graph, value);
            uint8_t from = producer == NPART_NONE ? at->side[i] : at->side[producer];
            if (from == BETWEEN && at->side[i] == AFTER)
                is_good = add_name(at, value, out->end, &out->end_count, &out->bytes);
            else if (from == BEFORE && at->side[i] == BETWEEN)
                is_good = add_name(at, value, out->begin, &out->begin_count, &out->bytes);
        }
    }
    for (uint32_t i = 0; i < session->file->nodes.count && is_good && out->end_count; i++) {
        const struct npart__node *node = npart__node_at(at->graph, i);
        for (uint32_t k = 0; k < node->output_count && is_good && is_there(at, i) && at->side[i] == BETWEEN; k++) {
            uint32_t value = npart__node_output(at->graph, node, k);
            if (value != NPART_NONE && npart__value_at(at->graph, value)->is_graph_output)
                is_good = add_name(at, value, out->end, &out->end_count, &out->bytes);
        }
    }
    return is_good && out->begin_count + out->end_count;
}

static bool is_same(const struct npart__frontier *a, const struct npart__frontier *b)
{
    bool is_found = a->begin_count == b->begin_count && a->end_count == b->end_count;
    for (uint32_t i = 0; i < a->begin_count && is_found; i++)
        is_found = strcmp(a->begin[i], b->begin[i]) == 0;
    for (uint32_t i = 0; i < a->end_count && is_found; i++)
        is_found = strcmp(a->end[i], b->end[i]) == 0;
    return is_found;
}

static void add_frontier(const struct finder *at, struct npart__frontier *out, uint32_t *count)
{
    struct npart__frontier made = {.begin_count = 0};
    if (*count == NPART__MOST_FRONTIERS || !list_border(at, &made))
        return;
    for (uint32_t i = 0; i < *count; i++)
        if (is_same(&out[i], &made))
            return;
    out[(*count)++] = made;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Places of one tail that are told, beside the first. */
#define MOST_MINIMA 5u

/* The end moves back as far as it goes; told are the last places at each of which fewer bytes pass than before. */
static void add_places(struct finder *at, struct npart__frontier *out, uint32_t *count)
{
    uint32_t minima[MOST_MINIMA], found = 0, moves = 0;
    uint64_t bytes = 0, least;
    memset(at->uses, 0, (at->graph->values.count + (size_t)1) * sizeof *at->uses);
    for (uint32_t i = 0; i < at->graph->nodes.count; i++)
        if (is_there(at, i) && at->side[i] == AFTER)
            add_operands(at, i, &bytes);
    least = bytes;
    for (uint32_t i = at->graph->order_count; i-- > 0;) {
        uint32_t id = at->graph->order[i];
        if (!can_move(at, id))
            continue;
        move(at, id, &bytes);
        at->moved[moves++] = id;
        if (bytes < least) {
            least = bytes;
            minima[found++ % MOST_MINIMA] = moves;
        }
    }
    for (uint32_t i = 0; i < MOST_MINIMA && i < found; i++) {
        uint32_t kept = minima[(found - 1 - i) % MOST_MINIMA];
        while (moves > kept)
            at->side[at->moved[--moves]] = BETWEEN;
        add_frontier(at, out, count);
    }
    while (moves)
        at->side[at->moved[--moves]] = BETWEEN;
    add_frontier(at, out, count);
}

/* Whether a seed is left in the midst: then no more is won by ending there. */
static bool has_seeds(const struct finder *at)
{
    bool is_found = false;
    for (uint32_t i = 0; i < at->graph->nodes.count && !is_found; i++)
        is_found = at->is_seed[i] && at->side[i] == BETWEEN;
    return is_found;
}

/* Not for its own sake: a policy may leave to the CPU what is beside, or after, nodes that are not taken. */
static bool is_refused(const struct finder *at, uint32_t id, bool fails_only)
{
    uint8_t verdict = at->plan->mask.verdicts[id];
    return is_there(at, id) && (fails_only ? verdict == NPART_VERDICT_FAIL : verdict != NPART_VERDICT_NPU) &&
           at->plan->partitioning.handed_back[id] == NPART_NONE;
}

/* Nodes that are not taken, or those alone that fail; the end alone where that is enough, and else with the head. */
static void add_of_seeds(struct finder *at, bool fails_only, double share, struct npart__frontier *out,
                         uint32_t *count)
{
    for (uint32_t i = 0; i < at->graph->nodes.count; i++)
        at->is_seed[i] = is_refused(at, i, fails_only);
    place_tail(at, share);
    if (!has_seeds(at)) {
        add_places(at, out, count);
        return;
    }
    place_head(at, share);
    drop_idle_head(at);
    if (!has_seeds(at))
        add_places(at, out, count);
}

static bool open(struct finder *at)
{
    size_t nodes = at->graph->nodes.count + (size_t)1;
    at->macs = npart__arena_zeroed(at->arena, nodes, sizeof *at->macs);
    at->side = npart__arena_zeroed(at->arena, nodes, sizeof *at->side);
    at->is_seed = npart__arena_zeroed(at->arena, nodes, sizeof *at->is_seed);
    at->is_needed = npart__arena_zeroed(at->arena, nodes, sizeof *at->is_needed);
    at->moved = npart__arena_zeroed(at->arena, nodes, sizeof *at->moved);
    at->uses = npart__arena_zeroed(at->arena, at->graph->values.count + (size_t)1, sizeof *at->uses);
    if (!at->macs || !at->side || !at->is_seed || !at->is_needed || !at->moved || !at->uses)
        return false;
    for (uint32_t i = 0; i < at->plan->session.file->nodes.count; i++) {
        uint64_t macs = npart__is_live(&at->plan->session, i) ? at->plan->works.items[i].macs : 0;
        uint32_t holder = npart__holder_of(at->graph, i); /* of a body's, once, however often that runs */
        if (macs >= UNKNOWN_BYTES || !is_there(at, holder))
            continue;
        at->macs[holder] += macs;
        at->all_macs += macs;
    }
    return true;
}

bool npart__find_frontiers(const struct npart__plan *plan, struct npart__arena *arena,
                           struct npart__frontier *out, uint32_t *count)
{
    struct npart__arena scratch;
    struct finder at = {.plan = plan, .graph = plan->session.graph, .arena = &scratch};
    *count = 0;
    npart__arena_init(&scratch, &arena->allocator);
    bool is_open = open(&at);
    if (is_open && at.all_macs) {
        add_of_seeds(&at, false, plan->summary.failed ? MOST_GIVEN_UP_TO_LOAD : MOST_GIVEN_UP, out, count);
        if (plan->summary.failed)
            add_of_seeds(&at, true, MOST_GIVEN_UP_TO_LOAD, out, count);
    }
    npart__arena_clear(&scratch);
    return is_open;
}
