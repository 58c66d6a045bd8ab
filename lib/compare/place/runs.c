/* SPDX-License-Identifier: Apache-2.0
 *
 * How often a part runs in one run of the set: once for each token that is generated, where its cache is its own next
 * input, or where it has none and so reads all tokens that there are again for each new one; else once.
 */
#include <stdlib.h>

#include "cache/cache.h"
#include "infer/families.h"
#include "place/place.h"

/* Elements of a constant that is looked at for what it hides. */
#define NPART__LIMIT_TABLE_ELEMENTS 65536u

/* ---- a decoder without a cache ------------------------------------------------------------------------------ */

struct reading {
    npart_placement *placement;
    uint32_t part;
    const npart_inference *inference;
    const struct npart__graph *graph;
    bool *is_failed; /* out of memory */
};

/* Of an operand that is left out nothing is known. */
static const struct npart__fact *fact_of(const struct reading *reading, uint32_t value)
{
    static const struct npart__fact nothing = {.kind = NPART__TYPE_UNKNOWN};
    return value == NPART_NONE ? &nothing : npart__fact_of(reading->inference->inference, value);
}

static int64_t dim_from_end(const struct npart__fact *fact, uint32_t place)
{
    return fact->has_rank && place < fact->rank ? fact->dims[fact->rank - 1 - place] : 1;
}

/* Whether a table of so many rows is looked up in. */
static bool is_vocabulary(const struct reading *reading, int64_t words)
{
    for (uint32_t i = 0; i < reading->graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(reading->graph, i);
        if (!npart__comes_from(node, NPART__WAY(GATHER)))
            continue;
        const struct npart__fact *table = fact_of(reading, npart__node_input(reading->graph, node, 0));
        if (table->is_constant && table->has_rank && table->rank == 2 && table->dims[0] == words)
            return true;
    }
    return false;
}

/* One number at and below the diagonal, and another above it. */
static bool is_triangle(const double *items, uint64_t count, int64_t n)
{
    double below = items[0], above = items[1];
    for (uint64_t i = 0; i < count; i++) {
        int64_t row = (int64_t)(i / (uint64_t)n) % n, column = (int64_t)(i % (uint64_t)n);
        if (items[i] != (column > row ? above : below))
            return false;
    }
    return below != above;
}

/* A square table of a constant. What is too large to have been read is known by its type alone. */
static bool hides_later(const struct reading *reading, const struct npart__fact *fact)
{
    int64_t n = dim_from_end(fact, 0);
    bool is_square = fact->has_rank && fact->rank >= 2 && n >= 2 && dim_from_end(fact, 1) == n;
    if (!is_square || !fact->tensor || !fact->tensor->elements)
        return false;
    if (fact->tensor->place != NPART__TENSOR_INLINE)
        return fact->element_type == NPART__BOOL;
    if (fact->tensor->elements > NPART__LIMIT_TABLE_ELEMENTS)
        return false;
    struct npart__arena scratch;
    npart__arena_init(&scratch, &reading->placement->life->arena.allocator);
    double *items = npart__arena_zeroed(&scratch, (size_t)fact->tensor->elements, sizeof *items);
    *reading->is_failed |= !items;
    bool is_read = items && npart__tensor_doubles(fact->tensor, items, fact->tensor->elements);
    bool hides = is_read && is_triangle(items, fact->tensor->elements, n);
    npart__arena_clear(&scratch);
    return hides;
}

/* Whether one operand numbers the rows and the other as many columns. */
static bool compares_places(const struct reading *reading, const struct npart__node *node)
{
    const struct npart__fact *a = fact_of(reading, npart__node_input(reading->graph, node, 0));
    const struct npart__fact *b = fact_of(reading, npart__node_input(reading->graph, node, 1));
    const struct npart__fact *rows = dim_from_end(a, 0) == 1 ? a : b, *columns = rows == a ? b : a;
    return npart__type_is_integer(a->element_type) && npart__type_is_integer(b->element_type) &&
           dim_from_end(rows, 0) == 1 && dim_from_end(rows, 1) != 1 && dim_from_end(columns, 1) == 1 &&
           dim_from_end(columns, 0) == dim_from_end(rows, 1);
}

/* No token sees those after it, so what is said of one does not change when more follow. */
static bool is_causal(const struct reading *reading)
{
    const struct npart__graph *graph = reading->graph;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        if (node->traits->causal ||
            npart__node_int(graph, node, "is_causal", 0) || npart__node_int(graph, node, "unidirectional", 0) ||
            (node->traits->computes == NPART__COMPUTES_ORDER && compares_places(reading, node)))
            return true;
    }
    for (uint32_t i = 0; i < graph->values.count; i++)
        if (hides_later(reading, fact_of(reading, i)))
            return true;
    return false;
}

/* What is known of an input or output of the main graph. */
struct ends {
    bool has_ids;     /* whole numbers of several tokens, which no other part makes */
    bool has_states;  /* of floating point, from another part: those of an encoder */
    bool has_other;   /* of floating point, from the caller: a cache, an image */
    bool gives_words; /* what each word of the vocabulary is worth */
    bool gives_cache; /* keys and values, which nobody takes */
};

static void read_input(const struct reading *reading, uint32_t value, struct ends *ends)
{
    const struct npart__fact *fact = fact_of(reading, value);
    bool is_linked = false;
    for (uint32_t i = 0; i < reading->placement->joints.count; i++) {
        const struct npart__joint *joint = &reading->placement->joints.items[i];
        is_linked |= joint->told.to == reading->part && joint->input == value;
    }
    bool is_float = npart__type_is_float(fact->element_type) && fact->has_rank && fact->rank >= 3;
    ends->has_states |= is_float && is_linked;
    ends->has_other |= is_float && !is_linked;
    ends->has_ids |= npart__type_is_integer(fact->element_type) && !is_linked && fact->has_rank && fact->rank == 2 &&
                     fact->dims[1] != 1;
}

static void read_output(const struct reading *reading, uint32_t value, struct ends *ends)
{
    const struct npart__fact *fact = fact_of(reading, value);
    if (!npart__type_is_float(fact->element_type) || !fact->has_rank)
        return;
    ends->gives_cache |= fact->rank == 4;
    ends->gives_words |= (fact->rank == 2 || fact->rank == 3) && npart__is_number(fact->dims[fact->rank - 1]) &&
                         is_vocabulary(reading, fact->dims[fact->rank - 1]);
}

static bool has_cache_link(const npart_placement *placement, uint32_t part)
{
    for (uint32_t i = 0; i < placement->joints.count; i++) {
        const struct npart__joint *joint = &placement->joints.items[i];
        if (joint->kind == NPART_LINK_CACHE && (joint->told.from == part || joint->told.to == part))
            return true;
    }
    return false;
}

/* One that reads ids and says which of them comes next. It is told from a model that fills gaps by what hides later
 * tokens; with an encoder's states it is none. False when out of memory. */
static bool count_without_cache(npart_placement *placement, uint32_t part)
{
    struct npart_part *told = &placement->parts[part].told;
    const npart_inference *inference = placement->set.models[told->model];
    const struct npart__graph *graph = npart_inference_model(inference)->graph;
    bool is_failed = false;
    const struct reading reading = {placement, part, inference, graph, &is_failed};
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    struct ends ends = {false, false, false, false, false};
    if (strcmp(told->use, "decode") == 0) /* whatever its cache is called */
        npart__run_for_tokens(placement, &placement->parts[part]);
    if (*told->use || has_cache_link(placement, part))
        return true;
    for (uint32_t i = 0; i < scope->input_count; i++)
        if (npart__value_at(graph, graph->operands.items[scope->first_input + i])->kind == NPART__VALUE_INPUT)
            read_input(&reading, graph->operands.items[scope->first_input + i], &ends);
    for (uint32_t i = 0; ends.has_ids && !ends.has_other && i < scope->output_count; i++)
        read_output(&reading, graph->operands.items[scope->first_output + i], &ends);
    if (!ends.gives_words || !(ends.has_states || is_causal(&reading)))
        return !is_failed;
    /* By itself it may be the one that reads a prompt. */
    if (ends.gives_cache && placement->set.count == 1)
        return npart__note(&placement->set,
                           npart__arena_format(placement->set.arena, "%s: nothing takes its cache; counted as one run, "
                                               "of a prompt (--runs)", told->name));
    told->runs = placement->info.tokens;
    told->runs_from = NPART_RUNS_TOKENS;
    placement->parts[part].reads_anew = true;
    placement->parts[part].gives_cache = ends.gives_cache;
    return !is_failed;
}

/* ---- all ----------------------------------------------------------------------------------------------------- */

/* New tokens in a run of a model that `fix --cache` made, as its contract says; 1 of any other. */
static uint64_t tokens_of_a_run(const npart_placement *placement, uint32_t model)
{
    static const char member[] = "\"tokens\":";
    const npart_model *at = npart_inference_model(placement->set.models[model]);
    const char *text = npart__model_metadata(at->graph, NPART__CACHE_KEY);
    const char *found = text ? strstr(text, member) : NULL;
    uint64_t number = found ? strtoul(found + sizeof member - 1, NULL, 10) : 1;
    return number ? number : 1;
}

void npart__run_for_tokens(const npart_placement *placement, struct npart__placed *part)
{
    uint64_t tokens = tokens_of_a_run(placement, part->told.model);
    part->told.runs = placement->info.tokens / tokens + (placement->info.tokens % tokens != 0);
    part->told.runs_from = NPART_RUNS_TOKENS;
}

/* A part whose cache goes to itself runs once for each token, or once for as many as it takes, as of a prompt that is
 * as long; one that only fills it (the prompt) runs once. */
bool npart__count_runs(npart_placement *placement)
{
    bool ok = true;
    for (uint32_t i = 0; i < placement->joints.count; i++) {
        const struct npart__joint *joint = &placement->joints.items[i];
        if (joint->kind == NPART_LINK_CACHE && joint->told.from == joint->told.to)
            npart__run_for_tokens(placement, &placement->parts[joint->told.from]);
    }
    for (uint32_t i = 0; ok && i < placement->info.part_count; i++)
        ok = count_without_cache(placement, i);
    return ok;
}
