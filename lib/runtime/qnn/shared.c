/* SPDX-License-Identifier: Apache-2.0
 *
 * Constants that the runtime lays out by nodes of its own. It moves a layout op (of the policy's line) past an
 * element-wise op, and turns the op's constant operand around with it; where another node uses that constant too, or
 * one that the runtime holds to be equal, nodes of the runtime's own turn it back. The target takes these. They fail as
 * a partition of constants only, where nothing else can be in it: all that the target takes waits for the other node,
 * which is on the CPU.
 */
#include "qnn/qnn.h"

/* All arrays are scratch of one policy line; is_behind is written anew for each node that is tried. */
struct search {
    struct npart__hand_back *to;
    const struct npart__graph *graph;
    const struct npart__session *session;
    const struct npart__policy *policy;
    struct npart__layout_lines lines;
    bool *is_behind;   /* by node: it waits for the node at hand */
    bool *is_turned;   /* by node: a layout op reaches it */
    uint32_t *turned_by; /* by the first of equal values: the node that has it turned around, plus one; 0: none */
};

static bool is_live(const struct search *search, uint32_t node)
{
    return npart__is_live(search->session, node);
}

static bool is_layout_op(const struct search *search, const struct npart__node *node)
{
    return npart__is_among(node, search->to->ops + search->policy->first_op, search->policy->op_count);
}

/* What such an op makes is then turned around, too. */
static bool goes_through(const struct search *search, const struct npart__node *node)
{
    return npart__goes_through(&search->lines, node);
}

/* The live node that makes operand `index`, or NPART_NONE. */
static uint32_t maker_of(const struct search *search, const struct npart__node *node, uint32_t index)
{
    return npart__producer(search->graph, npart__live_operand(search->session, node, index));
}

/* A layout op that the runtime moves whatever it costs, or a node that it puts one after. The target's own layout
 * ops are wrapped in such nodes by the runtime (`layout` lines), but only where the target takes them. A Transpose
 * by [0,2,1,3], for instance, moves no channels, and is not asked about here. */
static bool turns_its_result(const struct search *search, uint32_t id)
{
    const struct npart__node *node = npart__node_at(search->graph, id);
    int64_t order[NPART__LIMIT_RANK];
    uint32_t rank;
    if (is_layout_op(search, node))
        return npart__order_left(search->session, id, order, &rank) && npart__moves_channels(order, rank);
    return npart__is_wrapped(search->to, &search->lines, id);
}

/* In the order of execution: after a layout op, past ops that work in either layout; nothing is turned in later
 * rounds. False where there are none. Linear in operands: what a node takes has been marked before it. */
static bool find_turned(struct search *search)
{
    const struct npart__graph *graph = search->graph;
    bool is_any = false;
    for (uint32_t i = 0; i < graph->order_count; i++) {
        const struct npart__node *node = npart__node_at(graph, graph->order[i]);
        if (!is_live(search, graph->order[i]) || search->session->round[graph->order[i]] || !goes_through(search, node))
            continue;
        for (uint32_t k = 0; k < node->input_count; k++) {
            uint32_t maker = maker_of(search, node, k);
            if (maker != NPART_NONE && (turns_its_result(search, maker) || search->is_turned[maker]))
                search->is_turned[graph->order[i]] = is_any = true;
        }
    }
    return is_any;
}

/* Whether all of the first partition waits for the node. One walk over the graph for each node asked, hence
 * NPART__LIMIT_SHARED_TRIALS. */
static bool holds_all_up(const struct search *search, const struct npart__partitioning *partitioning, uint32_t at)
{
    const struct npart__graph *graph = search->graph;
    const struct npart__partition *first = &partitioning->partitions.items[0];
    /* By node and in the order of the graph: whatever waits for a node comes after it. */
    memset(search->is_behind, 0, graph->nodes.count * sizeof *search->is_behind);
    search->is_behind[at] = true;
    for (uint32_t i = 0; i < graph->order_count; i++) {
        const struct npart__node *node = npart__node_at(graph, graph->order[i]);
        for (uint32_t k = 0; is_live(search, graph->order[i]) && k < node->input_count + node->capture_count; k++) {
            uint32_t maker = maker_of(search, node, k);
            search->is_behind[graph->order[i]] |= maker != NPART_NONE && search->is_behind[maker];
        }
    }
    for (uint32_t i = 0; i < first->member_count; i++)
        if (!search->is_behind[partitioning->lists.items[first->first_member + i]])
            return false;
    return first->region == 0;
}

/* Whether the result reaches a layout op that the first optimizer joins with the one before, after which constants are
 * folded once more. Recursive, and at most NPART__LIMIT_LAYOUT_STEPS deep; it goes on only where a value has one
 * user, so it visits no node twice. */
static bool is_turned_back(const struct search *search, uint32_t id, unsigned depth)
{
    const struct npart__graph *graph = search->graph;
    uint32_t value = npart__node_output(graph, npart__node_at(graph, id), 0);
    uint32_t users = npart__user_count(search->session, value);
    for (uint32_t i = 0; depth < NPART__LIMIT_LAYOUT_STEPS && i < users; i++) {
        uint32_t user = npart__user(search->session, value, i);
        const struct npart__node *node = npart__node_at(graph, user);
        if (is_layout_op(search, node))
            return true;
        if (users == 1 && goes_through(search, node))
            return is_turned_back(search, user, depth + 1);
    }
    return false;
}

/* The constant operand of an element-wise op, where the other one is turned. One of the same rank stays as it is
 * if it has one element; another is given the axes that it lacks. Only of two operands: one that is turned, and
 * the constant beside it. Add of float32[1,64,56,56] and a bias float32[64,1,1] gives the bias; a factor
 * float32[1,1,1,1] beside the same operand gives none. */
static uint32_t turned_constant(const struct search *search, uint32_t id)
{
    const struct npart__node *node = npart__node_at(search->graph, id);
    const struct npart__inference *inference = search->to->request->session->inference;
    if (!is_live(search, id) || !search->is_turned[id] || node->input_count != 2 || node->output_count != 1)
        return NPART_NONE;
    uint32_t result = npart__node_output(search->graph, node, 0);
    if (result == NPART_NONE)
        return NPART_NONE;
    uint32_t rank = npart__fact_of(inference, result)->rank;
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t value = npart__node_input(search->graph, node, k);
        if (value == NPART_NONE || !search->session->is_constant[value])
            continue;
        const struct npart__fact *fact = npart__fact_of(inference, value);
        uint64_t elements;
        /* One number is the same in every layout. */
        bool is_alone = fact->rank == rank && npart__static_elements(fact, &elements) && elements == 1;
        if (fact->has_rank && fact->rank >= 1 && fact->rank <= rank && !is_alone)
            return value;
    }
    return NPART_NONE;
}

/* The first of the values that are one to the runtime; a runtime that rewrites nothing merges none. Its constant
 * sharing makes one of equal initializers of at most eight elements (constant_sharing.cc). */
static uint32_t first_equal(const struct search *search, uint32_t value)
{
    const uint32_t *first = search->session->inference->first_equal;
    return first ? first[value] : value;
}

/* The node whose turned constant is an operand of `id` too, as it is; NPART_NONE: there is none. Only what is on
 * the CPU asks for it as it is: what is in a partition gets it turned by the partition's own nodes. */
static uint32_t turning_node(const struct search *search, const struct npart__partitioning *partitioning, uint32_t id)
{
    const struct npart__node *node = npart__node_at(search->graph, id);
    bool is_on_cpu = is_live(search, id) && partitioning->partition_of[id] == NPART_NONE && !search->is_turned[id];
    for (uint32_t k = 0; is_on_cpu && npart__node_region(search->graph, id) == 0 && k < node->input_count; k++) {
        uint32_t value = npart__node_input(search->graph, node, k);
        uint32_t turning = value == NPART_NONE ? 0 : search->turned_by[first_equal(search, value)];
        if (turning)
            return turning - 1;
    }
    return NPART_NONE;
}

bool npart__find_layout_lines(const struct npart__hand_back *to, struct npart__layout_lines *out)
{
    const struct npart__oplist *oplist = to->request->target->oplist;
    struct npart__op_id *ops =
        npart__find_ops(to->graph, oplist->through_ops.items, oplist->through_ops.count, to->arena);
    /* So that most nodes are compared with a few ops and not with all of the list's. */
    out->through_count = 0;
    for (uint32_t i = 0; ops && i < oplist->through_ops.count; i++)
        if (ops[i].op_type != NPART_NONE) /* few of the list's ops are in one graph */
            ops[out->through_count++] = ops[i];
    out->through = ops;
    out->layout_count = oplist->layout_ops.count;
    out->layout = npart__find_ops(to->graph, oplist->layout_ops.items, out->layout_count, to->arena);
    return out->through && out->layout;
}

/* False when out of memory. */
static bool allocate(struct search *search)
{
    struct npart__arena *arena = search->to->arena;
    size_t nodes = search->graph->nodes.count + (size_t)1, values = search->graph->values.count + (size_t)1;
    search->is_behind = npart__arena_zeroed(arena, nodes, sizeof *search->is_behind);
    search->is_turned = npart__arena_zeroed(arena, nodes, sizeof *search->is_turned);
    search->turned_by = npart__arena_zeroed(arena, values, sizeof *search->turned_by);
    return npart__find_layout_lines(search->to, &search->lines) && search->is_behind && search->is_turned &&
           search->turned_by;
}

/* A rare case: most graphs have no such op before an element-wise one, and are done at find_turned(), before
 * anything is looked at by node. Node after node in the file's order; the first whose constant stands alone is
 * told, and its turning node is what falls back. */
bool npart__apply_shared(struct npart__hand_back *to, const struct npart__partitioning *partitioning,
                         const struct npart__policy *policy, bool *changed)
{
    struct search search = {.to = to, .graph = to->graph, .session = to->request->session, .policy = policy};
    uint32_t trials = 0;
    if (partitioning->partitions.count == 0)
        return true;
    if (!allocate(&search))
        return false;
    if (!find_turned(&search))
        return true;
    for (uint32_t id = 0; id < to->graph->nodes.count; id++) {
        uint32_t constant = turned_constant(&search, id);
        if (constant != NPART_NONE && !is_turned_back(&search, id, 0))
            search.turned_by[first_equal(&search, constant)] = id + 1;
    }
    for (uint32_t id = 0; id < to->graph->nodes.count && trials < NPART__LIMIT_SHARED_TRIALS; id++) {
        uint32_t turning = turning_node(&search, partitioning, id);
        if (turning == NPART_NONE)
            continue;
        trials++;
        if (!holds_all_up(&search, partitioning, id))
            continue;
        *changed |= to->request->accepted[turning];
        npart__hand_back_node(to, turning, policy->rule);
        /* Also where it was not accepted: this is what keeps the session from being created. */
        to->rules[turning] = policy->rule;
        break; /* one reason is enough */
    }
    return true;
}
