/* SPDX-License-Identifier: Apache-2.0
 *
 * A proposal for the sizes of the inputs that are still open.
 */
#include <stdlib.h>

#include "infer/driver.h"
#include "infer/expression_internal.h"

static bool is_batch(const char *name)
{
    static const char *const words[] = {"batch", "Batch", "BATCH"};
    if (strcmp(name, "N") == 0 || strcmp(name, "n") == 0 || strcmp(name, "bs") == 0)
        return true;
    for (size_t i = 0; i < NPART__COUNT(words); i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

/* Sizes that must be equal for the model to work: a lone symbol follows the other side, once all symbols of that have
 * a size. One side of an assumption is a *rule*; it is looked at again only when the symbol that it waits for has got
 * its size. Rules are followed in their order, again and again. */
struct proposal {
    struct npart__inference *inference;
    struct npart__arena scratch;
    struct npart__expressions sizes;  /* a pool in which all that is requested is bound */
    struct npart__strings names;      /* requested */
    struct NPART__ARRAY(struct npart__binding_request) requests;
    uint32_t *input_place;            /* by symbol: its place among the symbols of inputs */
    uint32_t *first_waiting;          /* by symbol: a rule plus one */
    uint32_t *next_waiting;           /* by rule: another one that waits for the same symbol */
    uint32_t *heap;                   /* rules to look at, the first on top */
    uint32_t *later;                  /* rules that the next pass looks at */
    uint32_t heap_count, later_count;
    int64_t at;                       /* the rule at hand; -1: none */
    struct NPART__ARRAY(uint32_t) symbols; /* gathered from an expression */
    bool cannot_bind;
};

static bool has_request(const struct proposal *proposal, const char *name)
{
    return npart__strings_find(&proposal->names, name, strlen(name)) != NPART_NONE;
}

static const char *symbol_name(const struct npart__inference *inference, int64_t dim)
{
    uint32_t root = npart__root_symbol(&inference->expressions, dim);
    return root == NPART_NONE ? NULL : inference->expressions.symbols.items[root].name;
}

/* ---- rules that wait -------------------------------------------------------------------------------------- */

static void heap_push(struct proposal *proposal, uint32_t rule)
{
    uint32_t at = proposal->heap_count++, *heap = proposal->heap;
    for (; at > 0 && heap[(at - 1) / 2] > rule; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = rule;
}

static uint32_t heap_pop(struct proposal *proposal)
{
    uint32_t *heap = proposal->heap, top = heap[0], last = heap[--proposal->heap_count], at = 0;
    for (uint32_t child = 1; child < proposal->heap_count; child = 2 * at + 1) {
        child += child + 1 < proposal->heap_count && heap[child + 1] < heap[child];
        if (heap[child] >= last)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

/* Those before the rule at hand have had their turn. */
static void wake(struct proposal *proposal, const char *name)
{
    const struct npart__expressions *pool = &proposal->inference->expressions;
    uint32_t id = npart__strings_find(&pool->names, name, strlen(name));
    if (id == NPART_NONE || id >= pool->symbol_by_name.count || pool->symbol_by_name.items[id] == 0)
        return;
    uint32_t *first = &proposal->first_waiting[pool->symbol_by_name.items[id] - 1];
    while (*first) {
        uint32_t rule = *first - 1;
        *first = proposal->next_waiting[rule];
        if ((int64_t)rule > proposal->at)
            heap_push(proposal, rule);
        else
            proposal->later[proposal->later_count++] = rule;
    }
}

static bool request(struct proposal *proposal, const char *name, int64_t value)
{
    struct npart__binding_request made = {.name = name, .value = value};
    const char *problem;
    if (!name)
        return false;
    if (has_request(proposal, name))
        return true;
    if (!NPART__PUSH(proposal->inference->arena, &proposal->requests, made) ||
        npart__intern(&proposal->names, name, strlen(name), false) == NPART_NONE)
        return false;
    proposal->cannot_bind |= !npart__bind_text(&proposal->sizes, name, value, &problem);
    wake(proposal, name);
    return !proposal->sizes.failed;
}

/* ---- expressions ------------------------------------------------------------------------------------------- */

/* Gathers the symbols of an expression, as often as they are there; false when out of memory. Nesting is bounded by
 * NPART__LIMIT_ATOM_SIZE. */
static bool gather_symbols(struct proposal *proposal, int64_t dim)
{
    const struct npart__expressions *pool = &proposal->inference->expressions;
    if (npart__is_number(dim) || dim == NPART__UNKNOWN)
        return true;
    const struct npart__sum *sum = npart__sum_at(pool, dim);
    for (uint32_t i = 0; i < sum->count; i++) {
        const struct npart__product *product = npart__product_at(pool, sum->terms[i].product);
        for (uint32_t k = 0; k < product->count; k++) {
            const struct npart__atom *atom = npart__atom_at(pool, product->factors[k].atom);
            bool ok = atom->kind == NPART__ATOM_SYMBOL
                          ? NPART__PUSH(&proposal->scratch, &proposal->symbols, (uint32_t)atom->left)
                          : gather_symbols(proposal, atom->left) && gather_symbols(proposal, atom->right);
            if (!ok)
                return false;
        }
    }
    return true;
}

/* A symbol of the expression that has no size yet, or NPART_NONE. */
static uint32_t first_open(struct proposal *proposal, int64_t dim, bool *ok)
{
    const struct npart__expressions *pool = &proposal->inference->expressions;
    proposal->symbols.count = 0;
    *ok = gather_symbols(proposal, dim);
    for (uint32_t i = 0; *ok && i < proposal->symbols.count; i++) {
        const char *name = pool->symbols.items[proposal->symbols.items[i]].name;
        if (!name || !has_request(proposal, name))
            return proposal->symbols.items[i];
    }
    return NPART_NONE;
}

/* The value of an expression under the requests so far. */
static bool evaluate(struct proposal *proposal, int64_t dim, int64_t *out)
{
    struct npart__buffer text;
    *out = dim;
    if (npart__is_number(dim))
        return dim > 0;
    npart__buffer_init(&text, &proposal->scratch);
    npart__append_dim(&text, &proposal->inference->expressions, dim);
    *out = npart__parse_dim(&proposal->sizes, npart__buffer_text(&text));
    return !proposal->cannot_bind && npart__is_number(*out) && *out > 0;
}

/* Whether `dim` is nothing but one named symbol that no request covers yet. */
static bool is_open_symbol(struct proposal *proposal, int64_t dim)
{
    const char *name = symbol_name(proposal->inference, dim);
    if (!name || npart__is_number(dim) || has_request(proposal, name))
        return false;
    return npart__same(dim, npart__symbol(&proposal->inference->expressions, name, strlen(name)));
}

/* ---- following --------------------------------------------------------------------------------------------- */

/* The symbol that a rule gives a size, and what it is to equal. */
static int64_t sides_of(const struct proposal *proposal, uint32_t rule, int64_t *other)
{
    const struct npart__assumption *assumption = &proposal->inference->assumptions.items[rule / 2];
    *other = rule % 2 ? assumption->left : assumption->right;
    return rule % 2 ? assumption->right : assumption->left;
}

static bool follow_rule(struct proposal *proposal, uint32_t rule)
{
    int64_t other, symbol = sides_of(proposal, rule, &other), value;
    bool ok;
    if (!is_open_symbol(proposal, symbol))
        return true;
    uint32_t open = first_open(proposal, other, &ok);
    if (ok && open != NPART_NONE) {
        proposal->next_waiting[rule] = proposal->first_waiting[open];
        proposal->first_waiting[open] = rule + 1;
    } else if (ok && evaluate(proposal, other, &value)) {
        ok = request(proposal, symbol_name(proposal->inference, symbol), value);
    }
    return ok;
}

static bool follow_assumptions(struct proposal *proposal)
{
    bool ok = true;
    while (ok && proposal->heap_count > 0) {
        uint32_t rule = heap_pop(proposal);
        proposal->at = rule;
        ok = follow_rule(proposal, rule);
    }
    proposal->at = -1;
    while (proposal->later_count > 0)
        heap_push(proposal, proposal->later[--proposal->later_count]);
    return ok;
}

static bool open_proposal(struct proposal *proposal)
{
    struct npart__inference *inference = proposal->inference;
    const struct npart__expressions *pool = &inference->expressions;
    size_t symbols = pool->symbols.count + (size_t)1, rules = 2 * (size_t)inference->assumptions.count + 1;
    npart__arena_init(&proposal->scratch, &inference->arena->allocator);
    proposal->input_place = npart__arena_zeroed(&proposal->scratch, symbols, sizeof *proposal->input_place);
    proposal->first_waiting = npart__arena_zeroed(&proposal->scratch, symbols, sizeof *proposal->first_waiting);
    proposal->next_waiting = npart__arena_zeroed(&proposal->scratch, rules, sizeof *proposal->next_waiting);
    proposal->heap = npart__arena_zeroed(&proposal->scratch, rules, sizeof *proposal->heap);
    proposal->later = npart__arena_zeroed(&proposal->scratch, rules, sizeof *proposal->later);
    if (!proposal->input_place || !proposal->first_waiting || !proposal->next_waiting || !proposal->heap ||
        !proposal->later || !npart__expressions_init(&proposal->sizes, &proposal->scratch) ||
        !npart__strings_init(&proposal->names, &proposal->scratch))
        return false;
    for (uint32_t i = 0; i < pool->input_symbols.count; i++)
        proposal->input_place[pool->input_symbols.items[i]] = i + 1;
    for (uint32_t rule = 0; rule < 2 * inference->assumptions.count; rule++) {
        int64_t other, symbol = sides_of(proposal, rule, &other);
        if (npart__is_named(pool, other) && !npart__is_number(symbol) && symbol_name(inference, symbol))
            heap_push(proposal, rule);
    }
    return true;
}

/* ---- dims of inputs ---------------------------------------------------------------------------------------- */

/* The size to try for a dim or symbol that is no greater than `most`. */
static int64_t sensible(int64_t size, bool batch, int64_t most)
{
    int64_t wanted = batch ? 1 : size;
    return wanted < most ? wanted : most;
}

static int compare_places(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* The symbols of a formula, each with a size of its own, as the inputs have them. */
static bool propose_parts(struct proposal *proposal, int64_t dim, int64_t size)
{
    const struct npart__expressions *pool = &proposal->inference->expressions;
    proposal->symbols.count = 0;
    if (!gather_symbols(proposal, dim))
        return false;
    uint32_t count = proposal->symbols.count;
    uint32_t *places = npart__arena_allocate(&proposal->scratch, (count + (size_t)1) * sizeof *places);
    for (uint32_t i = 0; places && i < count; i++)
        places[i] = proposal->input_place[proposal->symbols.items[i]];
    if (places && count)
        qsort(places, count, sizeof *places, compare_places);
    for (uint32_t i = 0; places && i < count; i++) {
        if (places[i] == 0) /* of no input */
            continue;
        const struct npart__symbol *symbol = &pool->symbols.items[pool->input_symbols.items[places[i] - 1]];
        if (!symbol->is_bound && !has_request(proposal, symbol->name) &&
            (!request(proposal, symbol->name, sensible(size, is_batch(symbol->name), symbol->most)) ||
             !follow_assumptions(proposal)))
            return false;
    }
    return places != NULL;
}

/* One dim of an input. Batches are proposed first, as others may follow them. */
static bool propose_dim(struct proposal *proposal, uint32_t value, uint32_t axis, int64_t size, bool batch_only)
{
    struct npart__inference *inference = proposal->inference;
    const struct npart__fact *fact = &inference->facts[value];
    int64_t dim = fact->dims[axis];
    const char *name = symbol_name(inference, dim);
    bool is_lone = npart__lone_symbol(&inference->expressions, dim) != NPART_NONE;
    bool batch = name ? is_lone && is_batch(name) : axis == 0 && fact->rank > 1;
    int64_t wanted = sensible(size, batch, npart__upper_bound(&inference->expressions, dim));
    if (npart__is_number(dim) || batch_only != batch)
        return true;
    if (!name) {
        name = npart__arena_format(inference->arena, "%s.%u", npart__value_name(inference->graph, value), axis);
        return name && request(proposal, name, wanted);
    }
    if (!is_lone)
        return propose_parts(proposal, dim, size);
    return !is_open_symbol(proposal, dim) ||
           (request(proposal, name, wanted) && follow_assumptions(proposal));
}

/* Inputs in order; a dim that appears on the other side of an assumption waits for it. */
static bool propose_inputs(struct proposal *proposal, int64_t size, bool batch_only)
{
    struct npart__inference *inference = proposal->inference;
    const struct npart__scope *scope = &inference->graph->scopes.items[0];
    for (uint32_t i = 0; i < scope->input_count; i++) {
        uint32_t value = inference->graph->operands.items[scope->first_input + i];
        for (uint32_t axis = 0; axis < inference->facts[value].rank; axis++)
            if (!propose_dim(proposal, value, axis, size, batch_only))
                return false;
    }
    return true;
}

struct npart__binding_request *npart__propose_binding(struct npart__inference *inference, int64_t size,
                                                      uint32_t *count)
{
    struct proposal proposal = {.inference = inference, .at = -1};
    *count = 0;
    bool ok = open_proposal(&proposal) && propose_inputs(&proposal, size, true) && follow_assumptions(&proposal) &&
              propose_inputs(&proposal, size, false) &&
              NPART__RESERVE(inference->arena, &proposal.requests, 1);
    npart__arena_clear(&proposal.scratch);
    if (!ok || inference->expressions.failed)
        return NULL;
    *count = proposal.requests.count;
    return proposal.requests.items;
}
