/* SPDX-License-Identifier: Apache-2.0
 *
 * Cut points: where a graph is to be cut so that what is between is one partition, and the little that is before and
 * after it runs on the CPU.
 *
 * Round a partition that does much of the work: nodes that fall back and depend on it are the end, with all that
 * depends on them; the others that fall back are the beginning, with all that they depend on. What is left is taken
 * whole. At the end the cut then moves back past nodes without multiply-accumulates where fewer bytes cross.
 */
#include "advice/way.h"
#include "fix/frontier.h"

/* Partitions to start from, those of most work first; each costs three walks over the graph. */
#define CORES_TRIED 4u
/* A cut over what is not known is taken only where no other is there. It is more than any real tensor, and so
 * small that a sum over all values of a graph stays within 64 bits. */
#define UNKNOWN_BYTES NPART__MOST_WEIGHED

enum side { SIDE_BETWEEN, SIDE_BEFORE, SIDE_AFTER };

/* Arrays are of session->graph, copies included, for as long as one search takes. */
struct finder {
    const struct npart__plan *plan;
    const struct npart__graph *graph;
    const bool *accepted;  /* by node */
    const uint64_t *macs;  /* by node; 0 where it is not known */
    bool *follows;         /* by node: it is of the core, or depends on it */
    uint8_t *side_of;      /* by node: enum side */
    uint32_t *uses;        /* by value: operands of nodes after the cut */
    struct npart__arena *scratch;
};

/* The node that makes operand `index`, in the same graph; NPART_NONE: none does. */
static uint32_t maker(const struct finder *at, const struct npart__node *node, uint32_t index)
{
    return npart__producer(at->graph, npart__live_operand(&at->plan->session, node, index));
}

/* Captured values are operands, too: what a body takes crosses with its holder. Captures come after the inputs in
 * the numbers that operands are asked by. */
static uint32_t uses_of(const struct npart__node *node)
{
    return node->input_count + node->capture_count;
}

/* Folded and fused nodes are neither before nor after anything. */
static bool is_there(const struct finder *at, uint32_t id)
{
    return npart__is_live(&at->plan->session, id);
}

/* ---- around a partition ------------------------------------------------------------------------------------ */

/* What runs after the core: what falls back and depends on it, and all that depends on that. A body goes where its
 * holder goes. One walk, as the order has operands first. `follows` is kept beside the side: a node that falls
 * back beside the core is not after it. The result of a detector's head, say: a NonMaxSuppression on the CPU, and
 * the Gather after it though the NPU takes that. */
static void look_forward(struct finder *at, uint32_t core)
{
    for (uint32_t i = 0; i < at->graph->order_count; i++) { /* the main graph comes first, so holders before bodies */
        uint32_t id = at->graph->order[i], region = npart__node_region(at->graph, id);
        const struct npart__node *node = npart__node_at(at->graph, id);
        uint32_t holder = region ? npart__scope_at(at->graph, region)->node : NPART_NONE;
        bool is_after = holder != NPART_NONE && at->side_of[holder] == SIDE_AFTER;
        at->follows[id] = at->plan->partitioning.partition_of[id] == core;
        /* A value that no node makes (inputs, weights) is there on either side. */
        for (uint32_t k = 0; k < uses_of(node); k++) {
            uint32_t producer = maker(at, node, k);
            if (producer == NPART_NONE)
                continue;
            at->follows[id] |= at->follows[producer];
            is_after |= at->side_of[producer] == SIDE_AFTER;
        }
        if (is_there(at, id) && !at->accepted[id] && at->follows[id])
            is_after = true;
        at->side_of[id] = is_after ? SIDE_AFTER : SIDE_BETWEEN;
    }
}

/* What falls back before the core, with all that it depends on; where the core does not need it, it can wait.
 * Backwards, as what a node needs is known once all its users were seen. */
static void look_back(struct finder *at, bool *is_needed)
{
    for (uint32_t i = at->graph->order_count; i-- > 0;) {
        uint32_t id = at->graph->order[i], region = npart__node_region(at->graph, id);
        const struct npart__node *node = npart__node_at(at->graph, id);
        if (!is_there(at, id) || at->side_of[id] == SIDE_AFTER)
            continue;
        if (!at->accepted[id] && at->side_of[id] == SIDE_BETWEEN)
            at->side_of[id] = SIDE_BEFORE;
        is_needed[id] |= at->side_of[id] == SIDE_BETWEEN;
        /* A body cannot be apart from its holder: if a node of it is before, the holder is. */
        if (region && npart__scope_at(at->graph, region)->node != NPART_NONE && at->side_of[id] == SIDE_BEFORE)
            at->side_of[npart__scope_at(at->graph, region)->node] = SIDE_BEFORE;
        for (uint32_t k = 0; k < uses_of(node); k++) {
            uint32_t producer = maker(at, node, k);
            if (producer == NPART_NONE)
                continue;
            is_needed[producer] |= is_needed[id];
            if (at->side_of[id] == SIDE_BEFORE)
                at->side_of[producer] = SIDE_BEFORE;
        }
    }
    /* `is_needed` of a node on the near side: something between the cuts depends on it. What only feeds the end may
     * run there just as well, and then does not cross twice. */
    for (uint32_t i = 0; i < at->graph->nodes.count; i++)
        if (at->side_of[i] == SIDE_BEFORE && !is_needed[i])
            at->side_of[i] = SIDE_AFTER;
}

/* Of what the NPU takes: work between the cuts, and all of it; nodes, where none has multiply-accumulates. Work
 * before nodes: one convolution outweighs a hundred additions. Where 3.9 of 4 G multiply-accumulates that the
 * NPU takes stand between the cuts, 2.5 % are given up. */
static void weigh(const struct finder *at, uint64_t *kept, uint64_t *all)
{
    uint64_t macs[2] = {0, 0}, nodes[2] = {0, 0};
    for (uint32_t i = 0; i < at->graph->nodes.count; i++) {
        if (!is_there(at, i) || !at->accepted[i])
            continue;
        bool is_kept = at->side_of[i] == SIDE_BETWEEN;
        macs[0] += is_kept ? at->macs[i] : 0;
        macs[1] += at->macs[i];
        nodes[0] += is_kept;
        nodes[1]++;
    }
    *kept = macs[1] ? macs[0] : nodes[0];
    *all = macs[1] ? macs[1] : nodes[1];
}

/* Arrays anew for each core, since those of the best so far are kept. */
static bool surround(struct finder *at, uint32_t core)
{
    size_t nodes = at->graph->nodes.count + (size_t)1;
    bool *is_needed = npart__arena_zeroed(at->scratch, nodes, sizeof *is_needed);
    at->follows = npart__arena_zeroed(at->scratch, nodes, sizeof *at->follows);
    at->side_of = npart__arena_zeroed(at->scratch, nodes, sizeof *at->side_of);
    if (!is_needed || !at->follows || !at->side_of)
        return false;
    look_forward(at, core);
    look_back(at, is_needed);
    return true;
}

/* ---- what crosses ------------------------------------------------------------------------------------------ */

/* Bytes of the tensor as it crosses, whole. One of unknown size counts so much that a cut there loses to any other. */
static uint64_t bytes_of(const struct finder *at, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(at->plan->session.known, value);
    uint64_t elements, bytes;
    /* A type that is not known has no width. */
    if (!fact->element_type || !npart__static_elements(fact, &elements))
        return UNKNOWN_BYTES;
    bytes = npart__type_bytes(fact->element_type, elements);
    return bytes < UNKNOWN_BYTES ? bytes : UNKNOWN_BYTES;
}

/* Values that cross: into what is between the cuts, and out of it. `before.is_in` has the nodes outside. Both
 * borders are of tensors of the file, by which a user can cut. */
struct cut {
    struct npart__tail before, after;
    uint64_t bytes;
};

/* Of the cut at the end alone, as it stands while it moves. */
struct border {
    uint64_t bytes;
    uint32_t tensors;
};

/* Counts the operands of a node that is after the cut: those that come from before it cross. `uses` counts
 * operands of nodes after the cut, so a tensor is weighed at its first one, and can_move sees whether all its
 * users are after it. */
static void add_operands(struct finder *at, uint32_t id, struct border *border)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    for (uint32_t k = 0; k < uses_of(node); k++) {
        uint32_t value = npart__live_operand(&at->plan->session, node, k), producer = maker(at, node, k);
        if (producer == NPART_NONE || at->side_of[producer] == SIDE_AFTER || at->uses[value]++)
            continue;
        border->bytes += bytes_of(at, value);
        border->tensors++;
    }
}

/* Whether a node between the cuts does no arithmetic to speak of, and only nodes after the cut use it. Moving what
 * does arithmetic would give work to the CPU to save a transfer, which settle does not weigh. */
static bool can_move(const struct finder *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    /* A body's nodes go with their holder. */
    return is_there(at, id) && at->side_of[id] == SIDE_BETWEEN && !at->macs[id] &&
           npart__node_region(at->graph, id) == 0 && npart__has_these_users(&at->plan->session, node, at->uses);
}

/* What the node makes crosses no longer, what it takes does. */
static void move(struct finder *at, uint32_t id, struct border *border)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    for (uint32_t k = 0; k < node->output_count; k++) {
        uint32_t value = npart__node_output(at->graph, node, k);
        if (value == NPART_NONE || at->uses[value] == 0)
            continue;
        border->bytes -= bytes_of(at, value);
        border->tensors--;
    }
    at->side_of[id] = SIDE_AFTER;
    add_operands(at, id, border);
}

/* Moves the cut back to where the fewest bytes cross in few tensors, if that is worth it. False where it cannot
 * be. One walk backwards: a node is looked at after all its users, so whatever can move then has its chance.
 * "Worth it" is half of the bytes, as each move takes a node from the NPU. */
static bool settle(struct finder *at, bool *is_found)
{
    uint32_t *moved = npart__arena_allocate(at->scratch, (at->graph->order_count + (size_t)1) * sizeof *moved);
    struct border border = {0, 0};
    at->uses = npart__arena_zeroed(at->scratch, at->graph->values.count + (size_t)1, sizeof *at->uses);
    if (!moved || !at->uses)
        return false;
    for (uint32_t i = 0; i < at->graph->nodes.count; i++)
        if (is_there(at, i) && at->side_of[i] == SIDE_AFTER)
            add_operands(at, i, &border);
    /* `moved` is in the order of moves, so that the first `best` of them are what the best place needs. */
    uint32_t count = 0, best = 0;
    /* More tensors than can be named are no cut as it stands; moving back may still find one. */
    *is_found = border.tensors <= NPART__LIMIT_CUT_TENSORS;
    uint64_t most = *is_found ? border.bytes / 2 : UINT64_MAX;
    for (uint32_t i = at->graph->order_count; i-- > 0;) {
        uint32_t id = at->graph->order[i];
        if (!can_move(at, id))
            continue;
        move(at, id, &border);
        moved[count++] = id;
        if (border.tensors > NPART__LIMIT_CUT_TENSORS || border.bytes >= most)
            continue;
        best = count;
        most = border.bytes;
        *is_found = true;
    }
    for (uint32_t i = best; i < count; i++) /* what moved beyond the best place goes back */
        at->side_of[moved[i]] = SIDE_BETWEEN;
    return true;
}

/* Every value of the file that nodes of one side take from another, once. False where there are too many. Copies
 * are looked through, since a user can name tensors of the file only. Looked up one by one, of eight at most. */
static bool list_border(const struct finder *at, enum side from, enum side to, struct npart__tail *out, uint64_t *bytes)
{
    for (uint32_t i = 0; i < at->plan->session.file->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(at->graph, i);
        if (!is_there(at, i) || at->side_of[i] != to)
            continue;
        for (uint32_t k = 0; k < uses_of(node); k++) {
            uint32_t value = npart__operand_past_copies(&at->plan->session, node, k), n = 0;
            uint32_t producer = npart__producer(at->graph, value);
            if (producer == NPART_NONE || at->side_of[producer] != from)
                continue;
            while (n < out->tensor_count && out->tensors[n] != value)
                n++;
            if (n == NPART__LIMIT_CUT_TENSORS)
                return false;
            if (n < out->tensor_count)
                continue;
            out->tensors[out->tensor_count++] = value;
            *bytes += bytes_of(at, value);
        }
    }
    return true;
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

/* The next partition of most work, then of most nodes, that is not among those tried. Of the main graph only: a
 * cut inside a body is no place at which a model can be parted. */
static uint32_t next_core(const struct npart__plan *plan, const uint32_t *tried, uint32_t count)
{
    uint32_t best = NPART_NONE;
    for (uint32_t p = 0; p < plan->partitioning.partitions.count; p++) {
        const struct npart__partition *at = &plan->partitioning.partitions.items[p], *than;
        /* Region 0 is the main graph. */
        bool is_tried = at->region != 0;
        for (uint32_t i = 0; i < count; i++)
            is_tried |= tried[i] == p;
        if (is_tried)
            continue;
        than = best == NPART_NONE ? NULL : &plan->partitioning.partitions.items[best];
        if (!than || at->macs > than->macs || (at->macs == than->macs && at->member_count > than->member_count))
            best = p;
    }
    return best;
}

/* NULL when out of memory. By node of the session's graph; copies have none of their own. */
static uint64_t *node_macs(const struct npart__plan *plan, struct npart__arena *scratch)
{
    const struct npart__graph *graph = plan->session.file;
    uint64_t *macs = npart__arena_zeroed(scratch, plan->session.graph->nodes.count + (size_t)1, sizeof *macs);
    for (uint32_t i = 0; macs && i < graph->nodes.count; i++) {
        uint64_t own = plan->works.items[i].macs; /* in a body, which may run any number of times: once */
        macs[i] = own < UNKNOWN_BYTES ? own : 0; /* sums stay in 64 bits */
    }
    return macs;
}

/* The sides of the partition that keeps most work; at->side_of is NULL where each gives up too much. Less than 5 %
 * of what the NPU does may be lost; between two that qualify the one that keeps more wins. */
static bool find_sides(struct finder *at)
{
    uint32_t tried[CORES_TRIED];
    uint8_t *best = NULL;
    uint64_t most = 0;
    /* Not the largest partition alone: round it the cut may give up too much where round the second it does not. */
    for (uint32_t i = 0; i < CORES_TRIED; i++) {
        uint64_t kept, all;
        tried[i] = next_core(at->plan, tried, i);
        if (tried[i] == NPART_NONE)
            break;
        if (!surround(at, tried[i]))
            return false;
        weigh(at, &kept, &all);
        if (kept <= most || (double)(all - kept) > NPART__MOST_GIVEN_UP * (double)all)
            continue;
        most = kept;
        best = at->side_of;
    }
    at->side_of = best;
    return true;
}

/* NULL with NPART_OK: there is no cut that is worth telling. */
static npart_status find_cut(const struct npart__plan *plan, const bool *accepted, struct npart__arena *arena,
                             struct cut **out, struct npart_error *error)
{
    struct finder at = {.plan = plan, .graph = plan->session.graph, .accepted = accepted, .scratch = arena};
    struct cut *cut = npart__arena_zeroed(arena, 1, sizeof *cut);
    bool is_found = false;
    struct npart__marks *is_in = npart__marks_new(plan, arena);
    *out = NULL;
    at.macs = node_macs(plan, arena);
    if (!cut || !is_in || !at.macs || !find_sides(&at))
        return npart__fail_memory(error);
    if (!at.side_of)
        return NPART_OK;
    if (!settle(&at, &is_found))
        return npart__fail_memory(error);
    /* What runs before may also feed what runs after; those tensors stay on the CPU, and are no cut. */
    if (!is_found || !list_border(&at, SIDE_BEFORE, SIDE_BETWEEN, &cut->before, &cut->bytes) ||
        !list_border(&at, SIDE_BETWEEN, SIDE_AFTER, &cut->after, &cut->bytes) ||
        cut->before.tensor_count + cut->after.tensor_count == 0)
        return NPART_OK;
    /* The trial (what_if) wants what is left to the CPU: both sides in one. */
    for (uint32_t i = 0; i < is_in->count; i++)
        if (at.side_of[i] != SIDE_BETWEEN)
            npart__mark(is_in, i);
    cut->before.is_in = is_in;
    *out = cut;
    return NPART_OK;
}

static void append_tensors(const struct npart__plan *plan, const struct npart__tail *border, struct npart__buffer *out)
{
    for (uint32_t i = 0; i < border->tensor_count; i++)
        npart__append_format(out, "%s`%s`", i == 0 ? "" : i + 1 < border->tensor_count ? ", " : " and ",
                             npart__value_name(plan->graph, border->tensors[i]));
}

/* Decimal units, as data sheets and transfer rates have them. "(1.3 MB)", "(512 B)". */
static void append_bytes(uint64_t bytes, struct npart__buffer *out)
{
    static const char *const units[] = {" B", " kB", " MB", " GB", " TB"};
    double scaled = (double)bytes;
    size_t unit = 0;
    for (; scaled >= 999.5 && unit + 1 < NPART__COUNT(units); unit++)
        scaled /= 1000;
    npart__append_text(out, " (");
    npart__append_fixed(out, scaled, unit ? 1 : 0);
    npart__append_text(out, units[unit]);
    npart__append_text(out, ")");
}

/* "Cut after `boxes` and `scores` (1.3 MB), and run the rest on the CPU" */
static const char *text_of(struct npart__way *way, const struct cut *cut)
{
    struct npart__buffer text;
    npart__buffer_init(&text, way->arena);
    npart__append_text(&text, "Cut after ");
    append_tensors(way->plan, &cut->before, &text);
    if (cut->before.tensor_count && cut->after.tensor_count)
        npart__append_text(&text, ", and after ");
    append_tensors(way->plan, &cut->after, &text);
    /* One tensor of unknown size makes the sum unknown, and nothing is said of it. */
    if (cut->bytes < UNKNOWN_BYTES)
        append_bytes(cut->bytes, &text);
    if (cut->before.tensor_count && cut->after.tensor_count)
        npart__append_format(&text, ", and run only what is between %s", way->plan->target.oplist->on_unit);
    else
        npart__append_text(&text, !cut->before.tensor_count      ? ", and run the rest on the CPU"
                                  : cut->before.tensor_count > 1 ? ", and run what makes them on the CPU"
                                                                 : ", and run what makes it on the CPU");
    return npart__made_text(&text);
}

/* Causes of which every node is outside. Those with a node between the cuts would still be there. A plan that was
 * made again may have fewer nodes than the one that was asked about; what it lacks counts as inside. They are not
 * marked as told: their nodes are still left to the CPU, only elsewhere than between the cuts. */
static bool list_causes(struct npart__way *way, const struct cut *cut, struct npart__action *action)
{
    const struct npart__causes *causes = &way->open->causes;
    bool *is_left = npart__arena_zeroed(&way->scratch, causes->items.count + (size_t)1, sizeof *is_left);
    action->first_cause = way->out->lists.count;
    if (!is_left)
        return false;
    for (uint32_t i = 0; i < way->open->graph->nodes.count; i++)
        if (causes->cause_of[i] != NPART_NONE &&
            (i >= way->plan->graph->nodes.count || !npart__is_marked(cut->before.is_in, i)))
            is_left[causes->cause_of[i]] = true;
    for (uint32_t c = 0; c < causes->items.count; c++) {
        if (is_left[c] || causes->items.items[c].cut_value != NPART_NONE)
            continue;
        if (!NPART__PUSH(way->arena, &way->out->lists, c))
            return false;
        action->cause_count++;
    }
    return npart__list_needs(way, way->steps, action);
}

/* Asked for before the first step that cuts may replace, and again at the end; looked for once, as each search
 * costs several walks over the graph. */
npart_status npart__way_cut(struct npart__way *way, bool is_step)
{
    struct cut *cut = NULL;
    struct npart__after after;
    bool *accepted;
    /* One partition needs no cut, and none has nothing to be cut round. */
    if (way->has_cut || way->now.partitions < 2)
        return NPART_OK;
    way->has_cut = true;
    npart_status status = find_cut(way->plan, way->accepted, &way->scratch, &cut, way->error);
    if (status != NPART_OK || !cut)
        return status;
    const struct npart__what_if request = {way->plan,      way->row_of,        way->is_done, NPART_NONE,
                                           cut->before.is_in, way->is_loaded};
    status = npart__what_if(&request, true, &way->scratch, &after, &accepted, way->error);
    /* A cut that leaves as many partitions, or lets a node fail, is none. */
    if (status != NPART_OK || after.partitions == 0 || after.partitions >= way->now.partitions ||
        after.failed > way->now.failed)
        return status;
    struct npart__action action = {.kind = npart__kind_word(NPART__KIND_CUT),
                                   .text = text_of(way, cut),
                                   .rewrites = "",
                                   .equality = "bits", /* the parts compute what the whole does */
                                   .instead_of = is_step ? NPART_NONE : way->steps,
                                   .after = after};
    bool is_made = action.text && list_causes(way, cut, &action);
    is_made = is_made && (is_step ? NPART__PUSH(way->arena, &way->out->items, action)
                                  : NPART__PUSH(&way->scratch, &way->others, action));
    if (!is_made)
        return npart__fail_memory(way->error);
    if (is_step)
        way->steps++;
    return NPART_OK;
}
