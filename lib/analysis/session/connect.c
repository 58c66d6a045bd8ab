/* SPDX-License-Identifier: Apache-2.0
 *
 * The graph that is left once nodes are gone: a result that is handed on by nodes between is an operand of those after
 * them, and used by them alone.
 *
 * In x -> Identity -> y -> Relu the fate of the Identity is IDENTITY, and y stands for x. Here the Relu's operand
 * becomes x, x has the Relu for its user, and y has none. Linear in operands.
 */
#include "session/passes.h"

/* What repeats a node that has been taken away, or has got a body in its place, since: its results are made by what
 * makes those of that node now. Whether there is any. */
static bool settle_fused(struct npart__session *session)
{
    bool is_any = false;
    for (uint32_t n = 0; n < session->file->nodes.count; n++) {
        bool repeats = session->fates[n] == NPART_FATE_FUSED && npart__repeats(session, n);
        if (!repeats || npart__is_live(session, npart__fused_into(session, n)))
            continue;
        session->fates[n] = NPART_FATE_NO_OP;
        session->into[n] = NPART_NONE;
        is_any = true;
    }
    return is_any;
}

/* Of the file's nodes alone: reports give these numbers, and a reader counts nodes in the file. */
static void count_fates(struct npart__session *session)
{
    session->live_count = session->folded_count = session->fused_count = 0;
    for (uint32_t n = 0; n < session->file->nodes.count; n++) {
        session->live_count += npart__is_live(session, n);
        session->folded_count += !npart__is_live(session, n);
        session->fused_count += session->fates[n] == NPART_FATE_FUSED;
    }
}

/* For a run of operands; one that is left out stays so. `stands_for` is resolved to its end by now, so one step is
 * enough. */
static void resolve(const struct npart__session *session, struct npart__graph *graph, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        if (graph->operands.items[i] != NPART_NONE)
            graph->operands.items[i] = session->stands_for[graph->operands.items[i]];
}

/* Captures are operands of the node that has the body, so they are resolved like them. A result of the graph is
 * marked where it is made now: where an Identity before it is gone, that is the value before the Identity.
 * Operands of nodes that are gone stay as the file has them. */
static void resolve_operands(const struct npart__session *session, struct npart__graph *graph)
{
    for (uint32_t n = 0; n < graph->nodes.count; n++) {
        const struct npart__node *node = &graph->nodes.items[n];
        if (!npart__is_live(session, n))
            continue;
        resolve(session, graph, node->first_input, node->input_count);
        resolve(session, graph, node->first_capture, node->capture_count);
    }
    for (uint32_t v = 0; v < graph->values.count; v++)
        graph->values.items[v].is_graph_output = false;
    for (uint32_t v = 0; v < graph->values.count; v++)
        if (session->file->values.items[v].is_graph_output)
            graph->values.items[session->stands_for[v]].is_graph_output = true;
}

/* Whether the node is gone for an equal one, which makes what is used in the place of its results (equal.c). */
static bool is_repeated(const struct npart__session *session, uint32_t id)
{
    uint32_t equal = session->fates[id] == NPART_FATE_FUSED ? session->into[id] : NPART_NONE;
    if (equal == NPART_NONE)
        return false;
    const struct npart__node *node = npart__node_at(session->file, id), *other = npart__node_at(session->file, equal);
    for (uint32_t i = 0; i < node->output_count && i < other->output_count; i++) {
        uint32_t value = npart__node_output(session->file, node, i);
        if (value != NPART_NONE && session->stands_for[value] == npart__node_output(session->file, other, i))
            return node->op_type == other->op_type;
    }
    return false;
}

/* What is made of it, before it: of live nodes of one region, by the operands that are left. Depth first, each node
 * once; a node that has all it uses keeps its place. `stack` has room for all operands and twice all nodes. */
static uint32_t put_after_producers(const struct npart__graph *graph, const uint8_t *fates, uint32_t id, bool *is_met,
                                    uint32_t *stack, uint32_t *order)
{
    uint32_t depth = 0, made = 0;
    for (stack[depth++] = id << 1; depth > 0;) {
        uint32_t top = stack[--depth], node = top >> 1;
        const struct npart__node *at = npart__node_at(graph, node);
        if (top & 1)
            order[made++] = node;
        if (top & 1 || is_met[node])
            continue;
        is_met[node] = true;
        stack[depth++] = top | 1;
        for (uint32_t k = 0; fates[node] == NPART_FATE_LIVE && k < at->input_count + at->capture_count; k++) {
            uint32_t value = npart__node_use(graph, at, k);
            uint32_t producer = value == NPART_NONE ? NPART_NONE : npart__producer(graph, value);
            if (producer != NPART_NONE && !is_met[producer] &&
                npart__node_region(graph, producer) == npart__node_region(graph, node))
                stack[depth++] = producer << 1;
        }
    }
    return made;
}

/* A node that stays for equal ones may stand after what uses these in the file: then it is put before that, with what
 * it uses. `is_any`: something may, also where no node repeats another any more. False when out of memory. */
static bool place_equal(const struct npart__session *session, struct npart__graph *graph, bool is_any,
                        struct npart__arena *arena)
{
    const uint32_t *before = graph->order;
    size_t nodes = graph->nodes.count + (size_t)1, made = 0;
    for (uint32_t i = 0; !is_any && i < graph->order_count; i++)
        is_any = is_repeated(session, before[i]);
    if (!is_any)
        return true;
    uint32_t *order = npart__arena_allocate(arena, (graph->order_count + (size_t)1) * sizeof *order);
    uint32_t *stack = npart__arena_allocate(arena, (graph->operands.count + 2 * nodes) * sizeof *stack);
    bool *is_met = npart__arena_zeroed(arena, nodes, sizeof *is_met);
    if (!order || !stack || !is_met)
        return false;
    for (uint32_t i = 0; i < graph->order_count; i++)
        made += put_after_producers(graph, session->fates, before[i], is_met, stack, order + made);
    graph->order = order;
    return true;
}

/* Begins from the file's graph each time, and makes the copies again: passes may be run and connected more than
 * once, and what was copied for an earlier connection must not be copied twice. Arrays of an earlier connection
 * stay in the arena until the handle is freed; a session is connected a few times at most. */
bool npart__session_connect(struct npart__session *session, struct npart__arena *arena)
{
    const struct npart__graph *file = session->file;
    struct npart__graph *graph = npart__longer(arena, file, sizeof *graph, 1, 1);
    if (!graph)
        return false;
    /* nodes, attributes and scopes are not written to */
    graph->operands.items =
        npart__longer(arena, file->operands.items, sizeof(uint32_t), file->operands.count, file->operands.count);
    graph->values.items =
        npart__longer(arena, file->values.items, sizeof *file->values.items, file->values.count, file->values.count);
    if (!graph->operands.items || !graph->values.items)
        return false;
    session->graph = graph;
    session->inference = session->made_from;
    bool has_settled = settle_fused(session);
    count_fates(session);
    resolve_operands(session, graph);
    return place_equal(session, graph, has_settled, arena) && npart__list_users(graph, session->fates, arena) &&
           npart__session_copy(session, arena);
}

const char *npart__fate_sentence(enum npart_fate reason)
{
    static const char *const sentences[] = {
        "runs",
        "is constant-folded",
        "is shape arithmetic over static shapes, constant-folded",
        "is a call or If that is inlined",
        "is in a branch that is never taken",
        "passes its input on unchanged",
        "does nothing at inference",
        "is fused into another node",
        "changes nothing",
    };
    return sentences[reason];
}
