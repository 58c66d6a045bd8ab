/* SPDX-License-Identifier: Apache-2.0
 *
 * A run that is filled up: its first tokens count, and those after them are padding. No token attends to a later one
 * (slot_operators.c), but a later one may reach it by another way: by the largest of all positions, which chooses
 * between two tables of angles; by a sum of the mask; by an operator that looks along the tokens. So one more case is
 * compared, of
 * the same slots in use:
 *
 *     some     the first tokens alone, in a run of their own
 *     all      with those after them, and positions and masks as a host gives them
 *     padded   the same, and the positions of those after them are 0, and masks do not show them
 *
 * What is known, and enters data, is the same in all of them where the first tokens are. What it is made of is, too,
 * between the latter two, since a comparison with some limit may come out alike at these sizes and not at others. All
 * else follows by induction: an operator treats each token by itself. What is not shown is no reason to refuse: then
 * all tokens of a run count.
 */
#include "cache/internal.h"
#include "infer/families.h"

/* Slots in use; no other size of these probes is the same, as they have few tokens more. */
enum { USED = 37 };

struct padding {
    struct npart__work *work;
    struct npart__probe some, all, padded, longer; /* `longer`: all, after one slot more */
    bool *is_relevant; /* by value: known, and data is made of it */
};

static const struct npart__fact *fact_of(const struct npart__probe *probe, uint32_t value)
{
    return npart__fact_of(&probe->inference, value);
}

static bool have_same_dims(const struct npart__fact *a, const struct npart__fact *b)
{
    return npart__is_static(a) && npart__is_static(b) && a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

/* Axes that differ; of shapes that are not known all do. */
static uint64_t differing_axes(const struct npart__probe *a, const struct npart__probe *b, uint32_t value)
{
    const struct npart__fact *x = fact_of(a, value), *y = fact_of(b, value);
    uint64_t axes = 0;
    if (!npart__is_static(x) || !npart__is_static(y) || x->rank != y->rank)
        return UINT64_MAX;
    for (uint32_t i = 0; i < x->rank; i++)
        axes |= (uint64_t)(x->dims[i] != y->dims[i]) << i;
    return axes;
}

/* Axes that are longer with more tokens; of these those that are no slots. */
static uint64_t growing_axes(const struct padding *at, uint32_t value)
{
    return differing_axes(&at->some, &at->all, value);
}

static uint64_t token_axes(const struct padding *at, uint32_t value)
{
    return growing_axes(at, value) & ~differing_axes(&at->all, &at->longer, value);
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */

static bool is_known(struct padding *at, uint32_t value)
{
    return npart__cache_elements(&at->some, value) && npart__cache_elements(&at->all, value) &&
           npart__cache_elements(&at->padded, value);
}

/* Whether two probes have the same where the first tokens are. */
static bool is_same_before(struct padding *at, struct npart__probe *a, struct npart__probe *b, uint32_t value)
{
    const struct npart__known *x = npart__cache_elements(a, value), *y = npart__cache_elements(b, value);
    const struct npart__fact *box = fact_of(&at->some, value), *in_a = fact_of(a, value), *in_b = fact_of(b, value);
    if (!x || !y || in_a->rank != box->rank || in_b->rank != box->rank)
        return false;
    uint64_t count = 1;
    for (uint32_t k = 0; k < box->rank; k++) {
        if (box->dims[k] > in_a->dims[k] || box->dims[k] > in_b->dims[k])
            return false;
        count *= (uint64_t)box->dims[k];
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t rest = i, place_a = 0, place_b = 0, stride_a = 1, stride_b = 1;
        for (uint32_t k = box->rank; k-- > 0;) {
            uint64_t place = rest % (uint64_t)box->dims[k];
            rest /= (uint64_t)box->dims[k];
            place_a += place * stride_a;
            place_b += place * stride_b;
            stride_a *= (uint64_t)in_a->dims[k];
            stride_b *= (uint64_t)in_b->dims[k];
        }
        double left = npart__known_number(x, (uint32_t)place_a), right = npart__known_number(y, (uint32_t)place_b);
        if (left != right && (left == left || right == right)) /* NaN is what NaN was */
            return false;
    }
    return true;
}

/* What it is made of is relevant, too; nodes are looked at from the last one on. */
static void mark_operands(struct padding *at, const struct npart__node *node, uint32_t shapes)
{
    const struct npart__graph *graph = at->work->graph;
    for (uint32_t i = 0; i < node->input_count + node->capture_count; i++) {
        uint32_t operand = npart__node_use(graph, node, i);
        if (operand == NPART_NONE || (i < 32 && shapes >> i & 1))
            continue;
        operand = npart__value_at(graph, operand)->alias;
        at->is_relevant[operand] |= is_known(at, operand);
    }
}

/* Of what is made anew of positions: whether something that has no tokens is made of what has. */
static bool joins_positions(struct padding *at, const struct npart__node *node, uint32_t result)
{
    const struct npart__graph *graph = at->work->graph;
    bool is_made = at->work->is_repaired[result] && !growing_axes(at, result), joins = false;
    for (uint32_t i = 0; i < node->input_count && is_made; i++) {
        uint32_t operand = npart__node_input(graph, node, i);
        operand = operand == NPART_NONE ? operand : npart__value_at(graph, operand)->alias;
        joins |= operand != NPART_NONE && (at->work->position_of[operand] || at->work->is_repaired[operand]) &&
                 growing_axes(at, operand);
    }
    return joins;
}

/* ---- what is data ------------------------------------------------------------------------------------------------ */

struct seen {
    struct padding *at;
    const struct npart__node *node;
    uint32_t id;
};

/* NPART_NONE where it is left out. */
static uint32_t operand_of(const struct seen *seen, uint32_t index)
{
    uint32_t value = npart__node_input(seen->at->work->graph, seen->node, index);
    return value == NPART_NONE ? value : npart__value_at(seen->at->work->graph, value)->alias;
}

/* Axes of an operand that are longer with more tokens, and are no slots. */
static uint64_t tokens_of(const struct seen *seen, uint32_t index)
{
    uint32_t value = operand_of(seen, index);
    return value == NPART_NONE ? 0 : token_axes(seen->at, value);
}

static uint64_t growing_of(const struct seen *seen, uint32_t index)
{
    uint32_t value = operand_of(seen, index);
    return value == NPART_NONE ? 0 : growing_axes(seen->at, value);
}

static uint32_t rank_of(const struct seen *seen, uint32_t index)
{
    uint32_t value = operand_of(seen, index);
    return value == NPART_NONE ? 0 : fact_of(&seen->at->all, value)->rank;
}

static int64_t int_of(const struct seen *seen, const char *name, int64_t by_default)
{
    return npart__node_int(seen->at->work->graph, seen->node, name, by_default);
}

/* Whether the axis that an attribute names is none of these. */
static bool is_none_of(const struct seen *seen, uint64_t axes, int64_t by_default)
{
    uint32_t axis;
    return npart__normalize_axis(int_of(seen, "axis", by_default), rank_of(seen, 0), &axis) && !(axes >> axis & 1);
}

static bool always(const struct seen *seen)
{
    (void)seen;
    return true;
}

/* The elements are the same in the same order: a token stays one where what stands after it in a row is as much as
 * before, or what stands in the row from it on. */
static bool view(const struct seen *seen)
{
    const struct npart__probe *all = &seen->at->all;
    uint32_t result = npart__node_output(seen->at->work->graph, seen->node, 0);
    const struct npart__fact *from = fact_of(all, operand_of(seen, 0)), *to = fact_of(all, result);
    uint64_t before = growing_of(seen, 0), after = growing_axes(seen->at, result);
    uint64_t own_before = 1, own_after = 1;
    uint32_t i = from->rank, k = to->rank;
    if (before == UINT64_MAX || after == UINT64_MAX)
        return false;
    while (before && after) {
        do
            own_before *= (uint64_t)from->dims[--i];
        while (!(before >> i & 1));
        do
            own_after *= (uint64_t)to->dims[--k];
        while (!(after >> k & 1));
        if (!from->dims[i] || !to->dims[k] ||
            (own_before != own_after && own_before / (uint64_t)from->dims[i] != own_after / (uint64_t)to->dims[k]))
            return false;
        before &= ~((uint64_t)1 << i);
        after &= ~((uint64_t)1 << k);
    }
    return !before && !after;
}

static bool along_axis(const struct seen *seen)
{
    bool is_last = npart__comes_from(seen->node, NPART__WAY(ALONG_LAST));
    return is_none_of(seen, growing_of(seen, 0), is_last ? -1 : 0);
}

/* Over slots later ones weigh nothing, which was asked before. */
static bool softmax(const struct seen *seen)
{
    uint64_t axes = tokens_of(seen, 0);
    if (seen->node->opset_version >= 13)
        return is_none_of(seen, axes, -1);
    uint32_t axis;
    return npart__normalize_axis(int_of(seen, "axis", 1), rank_of(seen, 0), &axis) && !(axes >> axis);
}

static bool normalize(const struct seen *seen)
{
    uint32_t axis;
    return npart__normalize_axis(int_of(seen, "axis", -1), rank_of(seen, 0), &axis) && !(growing_of(seen, 0) >> axis);
}

/* Its last axis is summed over. */
static bool by_row(const struct seen *seen)
{
    return rank_of(seen, 0) > 0 && !(growing_of(seen, 0) >> (rank_of(seen, 0) - 1) & 1);
}

static bool product(const struct seen *seen)
{
    uint32_t left = rank_of(seen, 0), right = rank_of(seen, 1);
    return left >= 2 && right >= 2 && !(tokens_of(seen, 0) >> (left - 1) & 1) &&
           !(tokens_of(seen, 1) >> (right - 2) & 1);
}

static bool gemm(const struct seen *seen)
{
    unsigned left = int_of(seen, "transA", 0) ? 0 : 1;
    return !(growing_of(seen, 0) >> left & 1) && !growing_of(seen, 1);
}

/* What is looked up is looked up by each token for itself. */
static bool gather(const struct seen *seen)
{
    return is_none_of(seen, growing_of(seen, 0), 0);
}

/* The same of several axes, after those that are gone through one by one. */
static bool gather_tuples(const struct seen *seen)
{
    uint32_t places = operand_of(seen, 1), rank = rank_of(seen, 1);
    int64_t first = int_of(seen, "batch_dims", 0), count = rank ? fact_of(&seen->at->all, places)->dims[rank - 1u] : -1;
    bool is_apart = first >= 0 && count >= 0 && first < 64 && count < 64 && first + count <= rank_of(seen, 0);
    for (int64_t i = first; i < first + count && is_apart; i++)
        is_apart = !(growing_of(seen, 0) >> i & 1);
    return is_apart;
}

/* What is written where is the same for each token, and each keeps its own. */
static bool scatter_tuples(const struct seen *seen)
{
    uint32_t places = operand_of(seen, 1);
    uint32_t rank = places == NPART_NONE ? 0 : rank_of(seen, 1);
    int64_t tuple = rank ? fact_of(&seen->at->all, places)->dims[rank - 1u] : 0;
    bool is_apart = rank && tuple >= 0 && tuple < 64 && !growing_of(seen, 1);
    for (int64_t i = 0; i < tuple && is_apart; i++)
        is_apart = !(growing_of(seen, 0) >> i & 1);
    return is_apart;
}

/* Where the part of the axis begins, in one probe; false where that is not known. */
static bool read_start(const struct seen *seen, struct npart__probe *probe, uint32_t axis, int64_t *start)
{
    const struct npart__fact *fact = fact_of(probe, operand_of(seen, 0));
    uint32_t starts = operand_of(seen, 1), axes = operand_of(seen, 3), at;
    const struct npart__known *first = starts == NPART_NONE ? NULL : npart__cache_elements(probe, starts);
    const struct npart__known *list = axes == NPART_NONE ? NULL : npart__cache_elements(probe, axes);
    *start = 0;
    if (!first || !first->ints || (axes != NPART_NONE && (!list || !list->ints || list->count != first->count)))
        return false;
    for (uint32_t i = 0; i < first->count; i++) {
        if (!npart__normalize_axis(list ? list->ints[i] : i, fact->rank, &at))
            return false;
        if (at == axis)
            *start = first->ints[i] < 0 ? first->ints[i] + fact->dims[axis] : first->ints[i];
    }
    return true;
}

/* Of an axis that grows all from some element on. */
static bool slice(const struct seen *seen)
{
    uint64_t axes = growing_of(seen, 0);
    uint32_t result = npart__node_output(seen->at->work->graph, seen->node, 0);
    const struct npart__fact *before = fact_of(&seen->at->some, operand_of(seen, 0));
    const struct npart__fact *after = fact_of(&seen->at->some, result);
    const struct npart__fact *all = fact_of(&seen->at->all, operand_of(seen, 0));
    const struct npart__fact *made = fact_of(&seen->at->all, result);
    if (axes != growing_axes(seen->at, result))
        return false;
    for (uint32_t k = 0; k < all->rank; k++) {
        int64_t start, other;
        if (!(axes >> k & 1))
            continue;
        if (!read_start(seen, &seen->at->some, k, &start) || !read_start(seen, &seen->at->all, k, &other) ||
            start != other || start < 0 || before->dims[k] - after->dims[k] != all->dims[k] - made->dims[k])
            return false;
    }
    return true;
}

/* The largest of all scores is none of what is hidden, which was asked before. */
static bool reduce(const struct seen *seen)
{
    const struct npart__graph *graph = seen->at->work->graph;
    bool is_largest = seen->node->traits->computes == NPART__COMPUTES_MAXIMUM;
    uint64_t axes = is_largest ? tokens_of(seen, 0) : growing_of(seen, 0);
    const struct npart__attribute *given = npart__node_attribute(graph, seen->node, "axes");
    uint32_t operand = operand_of(seen, 1), axis;
    const struct npart__known *known = operand == NPART_NONE ? NULL : npart__cache_elements(&seen->at->all, operand);
    const int64_t *list = given && given->type == NPART_ATTRIBUTE_INTS ? given->u.ints : known ? known->ints : NULL;
    uint32_t count = given && given->type == NPART_ATTRIBUTE_INTS ? given->count : known ? known->count : 0;
    if (!list || !count)
        return !axes;
    for (uint32_t i = 0; i < count; i++)
        if (!npart__normalize_axis(list[i], rank_of(seen, 0), &axis) || axes >> axis & 1)
            return false;
    return true;
}

static bool add_up(const struct seen *seen)
{
    return int_of(seen, "reverse", 0) == 0;
}

/* Keys and values are slots, whose later ones are hidden, or those of an encoder. */
static bool attention(const struct seen *seen)
{
    return !tokens_of(seen, 1) && !tokens_of(seen, 2);
}

/* By where an operator's elements come from. */
static bool (*const rules[NPART__ELEMENTS_COUNT])(const struct seen *seen) = {
    [NPART__ELEMENTS_VIEW] = view,
    [NPART__ELEMENTS_SQUEEZE] = view,
    [NPART__ELEMENTS_UNSQUEEZE] = view,
    [NPART__ELEMENTS_TRANSPOSE] = always,
    [NPART__ELEMENTS_EXPAND] = always,
    [NPART__ELEMENTS_TILE] = always,
    [NPART__ELEMENTS_CONCAT] = always,
    [NPART__ELEMENTS_ONE_HOT] = always,
    [NPART__ELEMENTS_ROTARY] = always,
    [NPART__ELEMENTS_EXPERTS] = always,
    [NPART__ELEMENTS_SLICE] = slice,
    [NPART__ELEMENTS_GATHER] = gather,
    [NPART__ELEMENTS_GATHER_BLOCKS] = gather,
    [NPART__ELEMENTS_GATHER_TUPLES] = gather_tuples,
    [NPART__ELEMENTS_SCATTER_TUPLES] = scatter_tuples,
    [NPART__ELEMENTS_SPLIT] = along_axis,
    [NPART__ELEMENTS_ALONG_FIRST] = along_axis,
    [NPART__ELEMENTS_ALONG_LAST] = along_axis,
    [NPART__ELEMENTS_SOFTMAX] = softmax,
    [NPART__ELEMENTS_LOG_SOFTMAX] = softmax,
    [NPART__ELEMENTS_MATMUL] = product,
    [NPART__ELEMENTS_INTEGER_MATMUL] = product,
    [NPART__ELEMENTS_FUSED_MATMUL] = product,
    [NPART__ELEMENTS_ROWS] = by_row,
    [NPART__ELEMENTS_GEMM] = gemm,
    [NPART__ELEMENTS_ATTENTION] = attention,
    [NPART__ELEMENTS_REDUCE] = reduce,
    [NPART__ELEMENTS_NORMALIZE] = normalize,
    [NPART__ELEMENTS_CUMULATE] = add_up,
};

static bool is_by_token(struct padding *at, uint32_t id)
{
    const struct npart__graph *graph = at->work->graph;
    const struct seen seen = {at, npart__node_at(graph, id), id};
    uint64_t axes = 0;
    for (uint32_t i = 0; i < seen.node->input_count + seen.node->capture_count; i++) {
        uint32_t operand = npart__node_use(graph, seen.node, i);
        axes |= operand == NPART_NONE ? 0 : growing_axes(at, npart__value_at(graph, operand)->alias);
    }
    if (!axes || npart__cache_is_by_element(graph, id))
        return true;
    bool (*rule)(const struct seen *) = rules[seen.node->traits->elements];
    return rule && operand_of(&seen, 0) != NPART_NONE && rule(&seen);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

/* Whether the node lets no token see a later one. What says how a result is shaped is no more than the number of
 * tokens, or the shapes would differ. */
static bool visit(struct padding *at, uint32_t id)
{
    const struct npart__graph *graph = at->work->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    uint32_t shapes = npart__cache_shape_operands(graph, id);
    bool is_control = true, is_right = true, is_relevant = false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t result = npart__node_output(graph, node, i);
        if (result == NPART_NONE)
            continue;
        is_control &= is_known(at, result);
        is_relevant |= at->is_relevant[result];
        is_right &= have_same_dims(fact_of(&at->all, result), fact_of(&at->padded, result)) &&
                    (!at->is_relevant[result] || is_same_before(at, &at->all, &at->padded, result)) &&
                    !joins_positions(at, node, result);
    }
    if (is_control) {
        if (is_relevant)
            mark_operands(at, node, 0);
        return is_right;
    }
    for (uint32_t i = 0; i < node->input_count + node->capture_count && is_right; i++) {
        uint32_t operand = npart__node_use(graph, node, i);
        operand = operand == NPART_NONE || (i < 32 && shapes >> i & 1) ? NPART_NONE
                                                                       : npart__value_at(graph, operand)->alias;
        is_right = operand == NPART_NONE || !is_known(at, operand) ||
                   is_same_before(at, &at->some, &at->all, operand);
    }
    mark_operands(at, node, shapes);
    return is_right && is_by_token(at, id);
}

static bool is_apart(struct padding *at)
{
    const struct npart__graph *graph = at->work->graph;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    bool is_right = true;
    for (uint32_t i = 0; i < scope->output_count; i++) {
        uint32_t output = npart__value_at(graph, graph->operands.items[scope->first_output + i])->alias;
        at->is_relevant[output] = is_known(at, output);
    }
    for (uint32_t i = scope->order_count; i-- > 0 && is_right;)
        if (at->work->is_live[graph->order[scope->first_order + i]])
            is_right = visit(at, graph->order[scope->first_order + i]);
    return is_right;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Sizes that cannot be are no reason to refuse anything here. */
static npart_status probe(struct npart__work *work, uint32_t past, uint32_t tokens, uint32_t padding,
                          struct npart__probe *out)
{
    const struct npart__layout layout = {.past = past, .tokens = tokens, .used = past, .padding = padding};
    npart_status status = npart__cache_probe(work, &layout, true, out);
    work->counts_all |= status == NPART_OK && (out->inference.misfits ||
                                               out->inference.contradicted.count > work->plain->contradicted.count);
    return status;
}

/* So many tokens, before those that fill the run up. */
static npart_status compare(struct npart__work *work, uint32_t tokens)
{
    const uint32_t all = work->request->tokens;
    struct padding at = {.work = work};
    struct npart__probe *probes[] = {&at.some, &at.all, &at.padded, &at.longer};
    for (size_t i = 0; i < NPART__COUNT(probes); i++) /* so that it can be freed, whatever becomes of the others */
        npart__arena_init(&probes[i]->arena, &work->arena->allocator);
    at.is_relevant = npart__arena_zeroed(work->arena, work->graph->values.count + (size_t)1, sizeof *at.is_relevant);
    npart_status status = at.is_relevant ? npart__cache_learn(work, tokens) : npart__fail_memory(work->error);
    if (status == NPART_OK)
        status = probe(work, USED, tokens, 0, &at.some);
    if (status == NPART_OK)
        status = npart__cache_learn(work, all);
    if (status == NPART_OK)
        status = probe(work, USED, all, 0, &at.all);
    if (status == NPART_OK)
        status = probe(work, USED, all, all - tokens, &at.padded);
    if (status == NPART_OK)
        status = probe(work, USED + 1, all, 0, &at.longer);
    if (status == NPART_OK && !work->counts_all)
        work->counts_all = !is_apart(&at);
    for (size_t i = 0; i < NPART__COUNT(probes); i++) {
        if (status == NPART_OK && npart__take_failure(&probes[i]->inference))
            status = npart__fail_memory(work->error);
        npart__cache_probe_free(probes[i]);
    }
    return status;
}

npart_status npart__cache_check_padding(struct npart__work *work)
{
    const uint32_t all = work->request->tokens, some[] = {1, all - 1};
    npart_status status = NPART_OK;
    work->counts_all = all > 1 && (work->has_fixed_tokens || work->request->shifts);
    for (size_t i = 0; i < NPART__COUNT(some) && all > 1 && status == NPART_OK && !work->counts_all; i++)
        if (i == 0 || some[i] > some[i - 1])
            status = compare(work, some[i]);
    /* A number of tokens that cannot be is that of no run of its own. */
    if (status == NPART_ERROR_ARGUMENT) {
        if (work->error)
            memset(work->error, 0, sizeof *work->error);
        work->counts_all = true;
        status = npart__cache_learn(work, all);
    }
    return status;
}
