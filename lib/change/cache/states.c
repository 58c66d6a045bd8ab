/* SPDX-License-Identifier: Apache-2.0
 *
 * States that do not grow, beside caches that do: of a convolution its last inputs, of a recurrence what it has made of
 * all tokens so far. Each run is given them, and makes the next ones, of the same type and dims.
 *
 * Which output is the next of which input: a later layer depends on the states of all layers before it, an earlier one
 * on none after it. So of outputs of one form the one that depends on the fewest inputs of that form comes first, and
 * depends on one alone that is not taken yet: its own. Where there are several nothing is told of it.
 */
#include "cache/internal.h"

/* More than the largest model has layers, twice. */
#define LIMIT_STATES 1024u

struct search {
    struct npart__work *work;
    const struct npart__inference *inference; /* at the sizes of the request */
    struct npart__arena *scratch;
    uint32_t words;      /* by value as many bits as there are candidates */
    uint64_t *bits;      /* by value: the candidates that it depends on */
    uint32_t *inputs;    /* candidates, as indices of the work's inputs */
    uint32_t input_count;
    uint32_t *outputs;   /* values */
    uint32_t output_count;
};

static bool is_state_like(const struct npart__fact *fact)
{
    return npart__is_static(fact) && fact->rank >= 2 && npart__type_is_float(fact->element_type);
}

static bool is_same_form(const struct npart__fact *a, const struct npart__fact *b)
{
    return a->element_type == b->element_type && a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

static bool list_candidates(struct search *search)
{
    const struct npart__work *work = search->work;
    const struct npart__scope *scope = npart__scope_at(work->graph, 0);
    search->inputs = npart__arena_zeroed(search->scratch, work->inputs.count + (size_t)1, sizeof *search->inputs);
    search->outputs = npart__arena_zeroed(search->scratch, scope->output_count + (size_t)1, sizeof *search->outputs);
    if (!search->inputs || !search->outputs)
        return false;
    for (uint32_t i = 0; i < work->inputs.count; i++)
        if (work->inputs.items[i].role == NPART_PORT_OTHER && search->input_count < LIMIT_STATES &&
            is_state_like(npart__fact_of(search->inference, work->inputs.items[i].value)))
            search->inputs[search->input_count++] = i;
    for (uint32_t i = 0; i < scope->output_count; i++) {
        uint32_t output = work->graph->operands.items[scope->first_output + i];
        uint32_t source = work->source[output];
        if (!npart__cache_is_present(work, output) && search->output_count < LIMIT_STATES &&
            npart__value_at(work->graph, source)->kind != NPART__VALUE_INPUT &&
            is_state_like(npart__fact_of(search->inference, output)))
            search->outputs[search->output_count++] = output;
    }
    return true;
}

static uint64_t *bits_of(const struct search *search, uint32_t value)
{
    return search->bits + (size_t)npart__value_at(search->work->graph, value)->alias * search->words;
}

/* What each value depends on. Linear in the graph's operands, for each 64 candidates. */
static bool mark(struct search *search)
{
    const struct npart__graph *graph = search->work->graph;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    search->words = (search->input_count + 63) / 64;
    search->bits = npart__arena_zeroed(search->scratch, graph->values.count + (size_t)1,
                                       search->words * sizeof *search->bits);
    if (!search->bits)
        return false;
    for (uint32_t i = 0; i < search->input_count; i++)
        bits_of(search, search->work->inputs.items[search->inputs[i]].value)[i / 64] |= (uint64_t)1 << i % 64;
    for (uint32_t i = 0; i < scope->order_count; i++) {
        const struct npart__node *node = npart__node_at(graph, graph->order[scope->first_order + i]);
        for (uint32_t k = 0; k < node->output_count; k++) {
            uint32_t result = npart__node_output(graph, node, k);
            for (uint32_t m = 0; result != NPART_NONE && m < node->input_count + node->capture_count; m++) {
                uint32_t operand = npart__node_use(graph, node, m);
                for (uint32_t w = 0; operand != NPART_NONE && w < search->words; w++)
                    bits_of(search, result)[w] |= bits_of(search, operand)[w];
            }
        }
    }
    return true;
}

/* How many inputs of its form the output depends on that are not taken; `own`: one of them. `all`: also those that
 * are. */
static uint32_t count_own(const struct search *search, uint32_t output, bool all, uint32_t *own)
{
    const struct npart__fact *fact = npart__fact_of(search->inference, output);
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->input_count; i++) {
        const struct npart__cache_input *at = &search->work->inputs.items[search->inputs[i]];
        bool counts = bits_of(search, output)[i / 64] >> i % 64 & 1 && (all || at->role == NPART_PORT_OTHER) &&
                      is_same_form(npart__fact_of(search->inference, at->value), fact);
        if (counts)
            *own = search->inputs[i];
        count += counts;
    }
    return count;
}

static bool match(struct search *search)
{
    struct npart__work *work = search->work;
    uint32_t *counts = npart__arena_zeroed(search->scratch, search->output_count + (size_t)1, sizeof *counts);
    uint32_t own = 0;
    if (!counts)
        return false;
    for (uint32_t i = 0; i < search->output_count; i++)
        counts[i] = count_own(search, search->outputs[i], true, &own);
    for (uint32_t wanted = 1; wanted <= search->input_count; wanted++)
        for (uint32_t i = 0; i < search->output_count; i++) {
            if (counts[i] != wanted || count_own(search, search->outputs[i], false, &own) != 1)
                continue;
            struct npart__state state = {work->inputs.items[own].value, search->outputs[i]};
            work->inputs.items[own].role = NPART_PORT_STATE;
            if (!NPART__PUSH(work->arena, &work->states, state))
                return false;
        }
    return true;
}

bool npart__cache_find_states(struct npart__work *work, const struct npart__inference *inference)
{
    struct npart__arena scratch;
    struct search search = {.work = work, .inference = inference, .scratch = &scratch};
    npart__arena_init(&scratch, &work->arena->allocator);
    bool is_done = list_candidates(&search);
    if (is_done && search.input_count && search.output_count)
        is_done = mark(&search) && match(&search);
    npart__arena_clear(&scratch);
    return is_done;
}
