/* SPDX-License-Identifier: Apache-2.0
 *
 * What an unknown size goes back to: from each node to those before it, once for the whole graph. A size that only the
 * runtime does not know goes back past nodes whose shapes it would know if it knew those before; and a node that only
 * computes sizes is there in a run since one of them is not known.
 *
 * Where Reshape(x, Gather(Shape(x), 0)) takes x of [batch,128] and `batch` is unknown, the Gather computes a size
 * that is not known, so it runs though it would be folded; its root is `batch`, as is that of all nodes whose shapes
 * come from the Reshape.
 * Linear in operands: nodes come in order, and each takes the root of those before it.
 */
#include "cause/trace.h"
#include "cause/cause.h"

/* The symbol that the first dim comes from that is no number; NPART_NONE when there is none. One dim speaks for
 * the shape: when that is fixed, the next is found by asking again. */
static uint32_t symbol_behind(const struct npart__inference *inference, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(inference, value);
    uint32_t root = NPART_NONE;
    for (uint32_t i = 0; fact->has_rank && i < fact->rank && root == NPART_NONE; i++)
        if (!npart__is_number(fact->dims[i]))
            root = npart__root_symbol(&inference->expressions, fact->dims[i]);
    return root;
}

static const struct npart__symbol *symbol_at(const struct npart__inference *inference, uint32_t symbol)
{
    return &inference->expressions.symbols.items[symbol];
}

/* The node at which an inference lost what shape a value has. A symbol that inference made itself says at which
 * node; an unknown rank is noted by value. */
static uint32_t lost_at(const struct npart__inference *inference, uint32_t value)
{
    uint32_t symbol = symbol_behind(inference, value);
    return symbol == NPART_NONE ? npart__rank_lost_at(inference, value) : symbol_at(inference, symbol)->node;
}

/* What is known of all sizes decides: a dim of an input first, then the node that lost it there, then the one that
 * only the runtime loses it at. An input without a rank is its own root. */
npart__root npart__shape_root(const struct npart__trace *trace, uint32_t value)
{
    const struct npart__inference *known = trace->session->known, *seen = trace->session->inference;
    if (npart__is_static(npart__fact_of(seen, value)))
        return 0;
    uint32_t producer = npart__producer(trace->graph, value), symbol = symbol_behind(known, value);
    if (symbol != NPART_NONE && (symbol_at(known, symbol)->node == NPART_NONE || trace->input_of[symbol]))
        return npart__root_of_symbol(trace, symbol);
    /* Static by all that is known: then it is the runtime alone that lost it. */
    uint32_t node = lost_at(npart__is_static(npart__fact_of(known, value)) ? seen : known, value);
    /* The file does not even say its rank: the third range of roots. */
    if (node == NPART_NONE && producer == NPART_NONE)
        return trace->graph->nodes.count + known->expressions.symbols.count + value + 1;
    if (node == NPART_NONE) /* an operator that infers nothing, and notes nothing */
        node = producer;
    node = npart__original(trace->session->graph, node);
    /* One step: `lost` of an earlier node is the end of its own chain. */
    return trace->lost[node] ? trace->lost[node] : node + 1;
}

/* Versions come in their order, so the first after the node's own that has inference is the least that helps.
 * GreaterOrEqual-12 has none and version 16 has: `*since` is 16. */
bool npart__lacks_shapes(const struct npart__node *node, int64_t *since)
{
    *since = 0;
    if (!node->schema || !(npart__operator_flags(node->schema) & NPART__OPERATOR_UNSHAPED))
        return false;
    /* Operators that the standard never gave inference have none to wait for. */
    size_t count;
    const struct npart__operator *versions =
        npart__operator_versions(node->schema->domain, node->schema->name, &count);
    for (size_t i = 0; i < count && !*since; i++)
        if (versions[i].since > node->schema->since &&
            !(npart__operator_flags(&versions[i]) & NPART__OPERATOR_UNSHAPED))
            *since = versions[i].since;
    return true;
}

/* The operands of a live node as it is run, of another as the file has it. A node that was folded has no operands
 * in the session's graph. */
static const struct npart__graph *graph_of(const struct npart__trace *trace, uint32_t node)
{
    return npart__is_live(trace->session, node) ? trace->graph : trace->session->file;
}

/* Whether all that is known does not say a result's rank either, or a size that is lost at this node. */
static bool is_lost_for_all(const struct npart__trace *trace, uint32_t id)
{
    const struct npart__inference *known = trace->session->known;
    const struct npart__node *node = npart__node_at(trace->graph, id);
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(trace->graph, node, i);
        uint32_t symbol = NPART_NONE;
        if (value != NPART_NONE && !npart__fact_of(known, value)->has_rank)
            return true;
        if (value != NPART_NONE)
            symbol = symbol_behind(known, value);
        if (symbol != NPART_NONE && symbol_at(known, symbol)->node == id)
            return true;
    }
    return false;
}

/* Why a node cannot tell the shapes of its results, where it cannot: sizes that it makes them of come first. Where
 * nothing that is known says them, a dim of an input is not why: they depend on what the data is. An operator
 * without inference is its own root, whatever goes into it. */
static npart__root lost_by(const struct npart__trace *trace, uint32_t id)
{
    const struct npart__graph *graph = graph_of(trace, id);
    const struct npart__node *node = npart__node_at(graph, id);
    int64_t since;
    if (node->body_count || npart__lacks_shapes(node, &since))
        return id + 1;
    /* A Reshape, for instance, whose new shape is computed from an unknown dim. */
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(graph, node, i);
        if (value != NPART_NONE && trace->elements[value])
            return trace->elements[value];
    }
    /* Then the operands' shapes. Where the loss is here whatever is known, a dim of an input is passed over: with
     * it fixed the result's shape would still be lost. */
    bool is_lost = is_lost_for_all(trace, id);
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(graph, node, i);
        npart__root root = value == NPART_NONE ? 0 : npart__shape_root(trace, value);
        if (root && (!is_lost || !npart__is_root_symbol(trace, root)))
            return root;
    }
    return id + 1;
}

/* Why a node runs that nothing but sizes goes into; 0 where more does. Not of random numbers, which are never
 * folded, nor of what the CPU has no kernel for: such nodes run whatever is fixed. All that goes into it has to be
 * a constant or a size: one operand of data, and the node has a reason of its own to run. */
static npart__root computed_by(const struct npart__trace *trace, uint32_t id)
{
    const struct npart__graph *graph = graph_of(trace, id);
    const struct npart__node *node = npart__node_at(graph, id);
    npart__root root = 0;
    int64_t since;
    uint32_t first = npart__node_input(graph, node, 0);
    /* Where nothing is folded (level off) every node runs, whatever is fixed. */
    if (!trace->folds || node->body_count || first == NPART_NONE || !node->schema ||
        npart__operator_flags(node->schema) & NPART__OPERATOR_RANDOM)
        return 0;
    /* Shape reads no data: what it computes is known as soon as the shape is. */
    if (npart__comes_from(node, NPART__WAY(SHAPE)))
        return npart__shape_root(trace, first);
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(graph, node, i);
        if (value == NPART_NONE || trace->session->is_constant[value])
            continue;
        if (!trace->elements[value])
            return 0;
        root = root ? root : trace->elements[value];
    }
    /* Elements would be there if inference told the shape. */
    if (npart__lacks_shapes(node, &since))
        return id + 1;
    /* RELEASE_NEWEST: the newest runtime's kernels, as what an older one lacks is no matter of sizes. */
    return root && trace->session->computes(trace->session->inference, graph, node, NPART__RELEASE_NEWEST) ? root : 0;
}

/* Two questions: at which root its results lose their shapes, and, of a node that runs, which root keeps it from
 * being folded. Values that are folded have no root of the second kind. */
static void trace_node(struct npart__trace *trace, uint32_t id)
{
    const struct npart__node *node = npart__node_at(trace->graph, id);
    bool is_lost = false;
    for (uint32_t i = 0; i < node->output_count && !is_lost; i++) {
        uint32_t value = npart__node_output(trace->graph, node, i);
        is_lost = value != NPART_NONE && !npart__is_static(npart__fact_of(trace->session->inference, value));
    }
    /* By the runtime's view, since that is what rules were asked about. */
    if (is_lost)
        trace->lost[id] = lost_by(trace, id);
    if (!npart__is_live(trace->session, id))
        return;
    npart__root root = computed_by(trace, id);
    for (uint32_t i = 0; root && i < node->output_count; i++) {
        uint32_t value = npart__node_output(trace->graph, node, i);
        if (value != NPART_NONE)
            trace->elements[value] = root;
    }
}

/* The first input that has a symbol speaks for it. Users know a dim by the input that has it. */
static void note_inputs(struct npart__trace *trace)
{
    /* Scope 0 is the main graph: inputs of bodies are fed by their nodes, and no user fixes them. */
    const struct npart__inference *known = trace->session->known;
    const struct npart__scope *scope = npart__scope_at(trace->graph, 0);
    for (uint32_t i = 0; i < scope->input_count; i++) {
        uint32_t value = trace->graph->operands.items[scope->first_input + i];
        const struct npart__fact *fact = npart__fact_of(known, value);
        for (uint32_t k = 0; k < fact->rank; k++) {
            uint32_t symbol = npart__root_symbol(&known->expressions, fact->dims[k]);
            if (symbol != NPART_NONE && trace->input_of[symbol] == 0)
                trace->input_of[symbol] = value + 1;
        }
    }
}

/* In the graph's order, so that roots of operands are there before their users ask. Copies count where they are
 * live. */
bool npart__trace_roots(const struct npart__session *session, bool folds, struct npart__arena *arena,
                        struct npart__trace *out)
{
    const struct npart__graph *graph = session->graph;
    size_t symbols = session->known->expressions.symbols.count + (size_t)1;
    *out = (struct npart__trace){.session = session, .graph = graph, .folds = folds};
    out->input_of = npart__arena_zeroed(arena, symbols, sizeof *out->input_of);
    out->elements = npart__arena_zeroed(arena, graph->values.count + (size_t)1, sizeof *out->elements);
    out->lost = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *out->lost);
    if (!out->input_of || !out->elements || !out->lost)
        return false;
    note_inputs(out);
    for (uint32_t i = 0; i < graph->order_count; i++)
        if (!npart__is_copy(graph, graph->order[i]) || npart__is_live(session, graph->order[i]))
            trace_node(out, graph->order[i]);
    return true;
}

void npart__trace_free(struct npart__trace *trace, struct npart__arena *arena)
{
    npart__arena_release(arena, trace->input_of);
    npart__arena_release(arena, trace->elements);
    npart__arena_release(arena, trace->lost);
}
