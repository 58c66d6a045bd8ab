/* SPDX-License-Identifier: Apache-2.0
 *
 * What holds for every session; the debug build looks when one is handed on.
 */
#include "session/session.h"

#ifdef NPART_DEBUG

/* Each node of the file is live, or fused into a node that is live, or gone; chains of fused nodes end. What is live
 * stands in a region, so that a partition can hold it. This holds after every step, so it is checked wherever a
 * session is handed on, not only in the end. */
static void check_fates(const struct npart__session *session)
{
    uint32_t live = 0, fused = 0, nodes = session->file->nodes.count;
    for (uint32_t n = 0; n < nodes; n++) {
        const uint8_t fate = session->fates[n];
        live += fate == NPART_FATE_LIVE;
        fused += fate == NPART_FATE_FUSED; /* also counted as folded */
        NPART__ASSERT(fate < NPART__FATES && session->place[n] < nodes, "node %u", n);
        NPART__ASSERT(fate != NPART_FATE_LIVE || (session->graph->nodes.items[n].callee == NPART_NONE &&
                                                   npart__node_region(session->graph, n) != NPART_NONE),
                      "node %u is run, and stands nowhere", n);
        uint32_t into = session->into[n];
        NPART__ASSERT((fate == NPART_FATE_FUSED) == (into != NPART_NONE), "node %u is fused into nothing", n);
        NPART__ASSERT(session->round[n] <= session->round_count, "node %u is of round %u", n, session->round[n]);
        NPART__ASSERT(session->remade[n] <= NPART__REMADE_RESHAPE, "node %u", n);
        /* A circle of nodes that are fused into each other would never end; more steps than nodes are one. */
        for (uint32_t steps = 0; into != NPART_NONE && session->into[into] != NPART_NONE; steps++) {
            NPART__ASSERT(steps < nodes, "node %u is fused into itself", n);
            into = session->into[into];
        }
        NPART__ASSERT(into == NPART_NONE || fate != NPART_FATE_LIVE, "node %u is run, and fused", n);
        NPART__ASSERT(into == NPART_NONE || npart__is_live(session, into), "node %u is fused into node %u", n, into);
    }
    NPART__ASSERT(live == session->live_count && fused == session->fused_count && live + session->folded_count == nodes,
                  "%u nodes are run, not %u", live, session->live_count);
}

/* `stands_for` is resolved to its end, a result of the file's graph is still one, a copy's result has exactly its
 * one user, and no live node uses what a node made that is gone. A producer that is gone is allowed for a constant
 * only: its value is an initializer by then. */
static void check_values(const struct npart__session *session)
{
    const struct npart__graph *graph = session->graph, *file = session->file;
    for (uint32_t v = 0; v < graph->values.count; v++) {
        uint32_t stands = session->stands_for[v];
        NPART__ASSERT(npart__fact_of(session->inference, v)->kind <= NPART__TYPE_OPAQUE, "value %u", v);
        NPART__ASSERT(session->stands_for[v] == v || v < file->values.count, "value %u of a copy is gone", v);
        NPART__ASSERT(stands < graph->values.count && session->stands_for[stands] == stands, "value %u", v);
        NPART__ASSERT(v >= file->values.count || !file->values.items[v].is_graph_output ||
                          graph->values.items[stands].is_graph_output,
                      "value %u is a result", v);
        NPART__ASSERT(v < file->values.count || npart__user_count(session, v) == 1, "value %u of a copy", v);
    }
    for (uint32_t n = 0; n < graph->nodes.count; n++) {
        const struct npart__node *node = &graph->nodes.items[n];
        for (uint32_t k = 0; npart__is_live(session, n) && k < node->input_count + node->capture_count; k++) {
            uint32_t value = npart__node_use(graph, node, k);
            uint32_t producer = npart__producer(graph, value);
            NPART__ASSERT(producer == NPART_NONE || npart__is_live(session, producer) || session->is_constant[value],
                          "node %u uses what node %u made, which is gone", n, producer);
        }
    }
}

/* Nothing else is a result of the graph: each of the file's is stood for by one that is marked, and only by that.
 * Without memory for the marks nothing is checked. */
static void check_results(const struct npart__session *session, struct npart__arena *scratch)
{
    const struct npart__graph *graph = session->graph, *file = session->file;
    bool *is_result = npart__arena_zeroed(scratch, graph->values.count + (size_t)1, sizeof *is_result);
    for (uint32_t v = 0; is_result && v < file->values.count; v++)
        if (file->values.items[v].is_graph_output)
            is_result[session->stands_for[v]] = true;
    for (uint32_t v = 0; is_result && v < graph->values.count; v++)
        NPART__ASSERT(is_result[v] == graph->values.items[v].is_graph_output, "value %u is %s result", v,
                      is_result[v] ? "a" : "no");
}

void npart__check_session(const struct npart__session *session)
{
    NPART__ASSERT(session->file->nodes.count <= session->graph->nodes.count, "%u nodes are left",
                  session->graph->nodes.count);
    NPART__ASSERT(session->made_from->graph == session->file, "a session of another graph");
    NPART__ASSERT(session->inference->fact_count == session->graph->values.count, "%u facts",
                  session->inference->fact_count);
    NPART__ASSERT(!session->known || session->known->fact_count == session->graph->values.count, "%u facts",
                  session->known->fact_count);
    struct npart__arena scratch;
    npart__arena_init(&scratch, NULL);
    bool *is_run = npart__arena_zeroed(&scratch, session->graph->nodes.count + (size_t)1, sizeof *is_run);
    check_fates(session);
    check_values(session);
    check_results(session, &scratch);
    for (uint32_t n = 0; is_run && n < session->graph->nodes.count; n++)
        is_run[n] = npart__is_live(session, n);
    if (is_run)
        npart__check_graph(session->graph, is_run);
    npart__arena_clear(&scratch);
}

#endif
