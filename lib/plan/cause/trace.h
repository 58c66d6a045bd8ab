/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of cause: what an unknown size goes back to. Two inferences are compared: what can be known of
 * sizes at all, and what the runtime knows, which is what rules were asked about.
 */
#ifndef NPART_CAUSE_TRACE_H
#define NPART_CAUSE_TRACE_H

#include "session/session.h"

/* What it goes back to that a runtime does not know a size: 0, it is known; then each node, at which it is lost; then
 * each symbol, a dim of an input; then each value, an input of which the file does not even say the rank. With 10
 * nodes and 3 symbols: 1 to 10 are nodes, 11 to 13 symbols, and from 14 on values. */
typedef uint32_t npart__root;

struct npart__trace {
    const struct npart__session *session;
    const struct npart__graph *graph; /* the session's */
    bool folds;             /* what is computed from constants and static shapes is gone */
    uint32_t *input_of;     /* by symbol: value + 1 of the first graph input whose shape has it */
    npart__root *elements;  /* by value: why it is there in a run, though nothing but sizes goes into it */
    npart__root *lost;      /* by node: why it cannot tell the shapes of its results */
};

/* One pass over the graph. False when out of memory. Linear in operands. */
bool npart__trace_roots(const struct npart__session *session, bool folds, struct npart__arena *arena,
                        struct npart__trace *out);
void npart__trace_free(struct npart__trace *trace, struct npart__arena *arena);

/* Why the runtime does not know the shape of a value. */
npart__root npart__shape_root(const struct npart__trace *trace, uint32_t value);

static inline npart__root npart__root_of_symbol(const struct npart__trace *trace, uint32_t symbol)
{
    return trace->graph->nodes.count + symbol + 1;
}

static inline bool npart__is_root_node(const struct npart__trace *trace, npart__root root)
{
    return root != 0 && root <= trace->graph->nodes.count;
}

static inline bool npart__is_root_symbol(const struct npart__trace *trace, npart__root root)
{
    return root > trace->graph->nodes.count &&
           root - trace->graph->nodes.count <= trace->session->known->expressions.symbols.count;
}

/* The symbol, or the value, of a root that is one. */
static inline uint32_t npart__symbol_of_root(const struct npart__trace *trace, npart__root root)
{
    NPART__ASSERT(npart__is_root_symbol(trace, root), "root %u", (unsigned)root);
    return root - trace->graph->nodes.count - 1;
}
static inline uint32_t npart__value_of_root(const struct npart__trace *trace, npart__root root)
{
    NPART__ASSERT(root > trace->graph->nodes.count + trace->session->known->expressions.symbols.count, "root %u",
                  (unsigned)root);
    return root - trace->graph->nodes.count - trace->session->known->expressions.symbols.count - 1;
}

#endif
