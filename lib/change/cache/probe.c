/* SPDX-License-Identifier: Apache-2.0
 *
 * Inferences of one graph with sizes and integer inputs given, and how their values are to each other.
 */
#include <math.h>

#include "cache/internal.h"
#include "infer/families.h"

/* Sizes of the probes by which axes are told apart. */
enum { LEARN_PAST = 5, LEARN_MORE = 3 };

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

struct npart_dim_binding *npart__cache_bindings(const struct npart__work *work, uint32_t past, uint32_t tokens,
                                                struct npart__arena *arena)
{
    struct npart_dim_binding *list = npart__arena_zeroed(arena, work->dims.count + (size_t)1, sizeof *list);
    for (uint32_t i = 0; list && i < work->dims.count; i++) {
        const struct npart__cache_dim *dim = &work->dims.items[i];
        list[i].name = dim->name;
        list[i].size = dim->size == NPART__SIZE_NUMBER   ? dim->number
                       : dim->size == NPART__SIZE_BATCH  ? 1
                       : dim->size == NPART__SIZE_PAST   ? past
                       : dim->size == NPART__SIZE_TOKENS ? tokens
                                                         : past + tokens;
    }
    return list;
}

/* The size of an axis of a cache as its new slots have it, once other sizes are given: that of all heads, where these
 * are one axis with the batch. -1: not known. */
static int64_t size_of_fresh(const struct npart__work *work, const struct npart__inference *inference, uint32_t past,
                             uint32_t axis)
{
    const struct npart__pair *pair = npart__cache_pair_of(work, past);
    const struct npart__fact *fact = pair ? npart__fact_of(inference, pair->fresh) : NULL;
    bool is_known = fact && axis != pair->axis && fact->has_rank && axis < fact->rank &&
                    npart__is_number(fact->dims[axis]);
    return is_known ? fact->dims[axis] : -1;
}

/* Whether a size was found for the name of an axis; the names of dims are those that the inference did not have. */
static bool is_found_by_name(const struct npart__work *work, const char *name)
{
    return name && npart__strings_find_text(&work->dim_names, name) != NPART_NONE;
}

/* Sizes of caches that follow from their new slots. */
static npart_status take_sizes_of_fresh(struct npart__work *work, const struct npart__inference *inference,
                                        bool *is_found)
{
    npart_status status = NPART_OK;
    for (uint32_t i = 0; i < work->inputs.count; i++) {
        const struct npart__cache_input *at = &work->inputs.items[i];
        const struct npart__fact *fact = npart__fact_of(inference, at->value);
        for (uint32_t k = 0; k < fact->rank && status == NPART_OK; k++) {
            int64_t size = npart__is_number(fact->dims[k]) ? -1 : size_of_fresh(work, inference, at->value, k);
            const char *name = size > 0 ? npart__cache_name_of_axis(work, at->value, k) : NULL;
            if (size <= 0 || is_found_by_name(work, name))
                continue;
            status = npart__cache_add_dim(work, name, NPART__SIZE_NUMBER, size);
            *is_found = true;
        }
    }
    return status;
}

/* Names of axes that are not the last of their input. False when out of memory. */
static bool list_inner_names(const struct npart__work *work, struct npart__strings *out, struct npart__arena *arena)
{
    bool is_done = npart__strings_init(out, arena);
    for (uint32_t i = 0; i < work->inputs.count; i++) {
        const struct npart__declared_type *declared =
            npart__value_at(work->graph, work->inputs.items[i].value)->declared;
        for (uint32_t k = 0; declared && k + 1u < declared->rank && is_done; k++) {
            const char *name = declared->dims[k].parameter;
            is_done = !name || npart__intern_text(out, name) != NPART_NONE;
        }
    }
    return is_done;
}

/* A mask over all slots has their number as a dim of its own, at its last axis. */
static bool is_total(const char *name, const struct npart__strings *inner, uint32_t axis, uint32_t rank)
{
    return name && npart__strings_find_text(inner, name) == NPART_NONE && axis + 1u == rank &&
           (rank == 2 || rank == 4);
}

/* Of a mask, or of one number a token, the first axis is the batch, whatever its name: exporters name that of each
 * input for itself, unless they found out that they are the same. Elsewhere it may be anything, as a number of images.
 */
static bool is_batch(const struct npart__cache_input *at, const struct npart__declared_type *declared,
                     const struct npart__strings *inner, uint32_t axis)
{
    const struct npart__declared_dim *last = &declared->dims[declared->rank - 1u];
    bool is_integer = at->element_type == NPART__BOOL || npart__type_is_integer(at->element_type);
    return axis == 0 && ((at->rank == 2 && is_integer) ||
                         (at->rank == 4 && is_total(last->parameter, inner, at->rank - 1u, at->rank)));
}

/* Dims of an input that no size was found for. What is neither the slots nor the batch is the user's to know. */
static npart_status take_total(struct npart__work *work, const struct npart__cache_input *at,
                               const struct npart__fact *fact, const struct npart__strings *inner, bool *is_found)
{
    const struct npart__declared_type *declared = npart__value_at(work->graph, at->value)->declared;
    npart_status status = NPART_OK;
    for (uint32_t k = 0; k < fact->rank && status == NPART_OK; k++) {
        const char *name = declared && declared->rank == fact->rank ? declared->dims[k].parameter : NULL;
        if (npart__is_number(fact->dims[k]) ||
            is_found_by_name(work, npart__cache_name_of_axis(work, at->value, k)))
            continue;
        enum npart__cache_size size = NPART__SIZE_TOTAL;
        if (declared && declared->rank == fact->rank && is_batch(at, declared, inner, k))
            size = NPART__SIZE_BATCH;
        else if (!is_total(name, inner, k, fact->rank))
            return npart__cache_refuse(work, NPART_NONE, "the size of %s of input %s is not known; give it by --dim",
                                       name ? name : "an axis", npart__value_name(work->graph, at->value));
        status = npart__cache_add_dim(work, npart__cache_name_of_axis(work, at->value, k), size, 0);
        *is_found = true;
    }
    return status;
}

/* Sizes that were not known at those that were; once there are more, others may follow from these. */
static npart_status take_sizes(struct npart__work *work, const struct npart__inference *inference,
                               struct npart__arena *scratch, bool *is_found)
{
    struct npart__strings inner;
    *is_found = false;
    npart_status status = take_sizes_of_fresh(work, inference, is_found);
    const bool is_of_fresh = *is_found;
    if (status == NPART_OK && !list_inner_names(work, &inner, scratch))
        status = npart__fail_memory(work->error);
    for (uint32_t i = 0; i < work->inputs.count && status == NPART_OK && !is_of_fresh; i++)
        status = take_total(work, &work->inputs.items[i], npart__fact_of(inference, work->inputs.items[i].value),
                            &inner, is_found);
    return status;
}

static npart_status infer_at(struct npart__work *work, uint32_t past, uint32_t tokens, const struct npart__given *given,
                             uint32_t given_count, struct npart__arena *arena, struct npart__inference *out)
{
    struct npart__infer_options options = {.binding_count = work->dims.count, .most_elements = NPART__CACHE_ELEMENTS,
                                           .given = given, .given_count = given_count};
    options.bindings = npart__cache_bindings(work, past, tokens, arena);
    return options.bindings ? npart__infer(work->graph, &options, arena, out, work->error)
                            : npart__fail_memory(work->error);
}

/* Of an input whose sizes are all numbers in both: the axis that grows. */
static npart_status learn_input(struct npart__work *work, struct npart__cache_input *at, const struct npart__fact *a,
                                const struct npart__fact *b)
{
    const char *name = npart__value_name(work->graph, at->value);
    int64_t *dims = npart__arena_allocate(work->arena, (a->rank + (size_t)1) * sizeof *dims);
    if (!dims)
        return npart__fail_memory(work->error);
    at->slot_axis = NPART_NONE;
    for (uint32_t k = 0; k < a->rank; k++) {
        dims[k] = a->dims[k];
        if (a->dims[k] == b->dims[k])
            continue;
        if (at->slot_axis != NPART_NONE || b->dims[k] - a->dims[k] != LEARN_MORE)
            return npart__cache_refuse(work, NPART_NONE, "input %s grows in a way that is not followed", name);
        at->slot_axis = k;
    }
    at->dims = dims;
    if (at->slot_axis == NPART_NONE || at->role == NPART_PORT_PAST)
        return NPART_OK;
    bool is_total = a->dims[at->slot_axis] > LEARN_PAST && at->slot_axis + 1u == at->rank;
    if (at->element_type == NPART__BOOL || npart__type_is_integer(at->element_type))
        at->role = NPART_PORT_MASK;
    else
        at->role = at->rank >= 2 ? NPART_PORT_ROWS : NPART_PORT_OTHER;
    return is_total && at->role != NPART_PORT_OTHER
               ? NPART_OK
               : npart__cache_refuse(work, NPART_NONE, "input %s grows with the cache, and no output takes it on",
                                     name);
}

npart_status npart__cache_learn(struct npart__work *work, uint32_t tokens)
{
    struct npart__arena scratch;
    struct npart__inference *a = NULL, *b = NULL;
    bool is_found = true;
    npart__arena_init(&scratch, &work->arena->allocator);
    npart_status status = NPART_OK;
    while (is_found && status == NPART_OK) {
        a = npart__arena_zeroed(&scratch, 1, sizeof *a);
        status = a ? infer_at(work, LEARN_PAST, tokens, NULL, 0, &scratch, a) : npart__fail_memory(work->error);
        if (status == NPART_OK)
            status = take_sizes(work, a, &scratch, &is_found);
    }
    b = npart__arena_zeroed(&scratch, 1, sizeof *b);
    if (status == NPART_OK)
        status = b ? infer_at(work, LEARN_PAST + LEARN_MORE, tokens, NULL, 0, &scratch, b)
                   : npart__fail_memory(work->error);
    for (uint32_t i = 0; i < work->inputs.count && status == NPART_OK; i++) {
        struct npart__cache_input *at = &work->inputs.items[i];
        status = learn_input(work, at, npart__fact_of(a, at->value), npart__fact_of(b, at->value));
    }
    npart__arena_clear(&scratch);
    return status;
}

/* ---- one run ----------------------------------------------------------------------------------------------------- */

/* By slot of past and new tokens, whether it holds one. */
static bool *list_used(const struct npart__layout *layout, struct npart__arena *arena)
{
    bool *used = npart__arena_zeroed(arena, (size_t)layout->past + layout->tokens + 1, sizeof *used);
    for (uint32_t i = 0; used && i < layout->used; i++)
        used[layout->slot ? layout->slot[i] : layout->past - layout->used + i] = true;
    for (uint32_t i = 0; used && i < layout->tokens - layout->padding; i++)
        used[layout->past + i] = true;
    return used;
}

/* One element of an input. `column` is the slot, `row` the index along the axis before it. */
static double number_at(const struct npart__cache_input *at, const struct npart__layout *layout, const bool *used,
                        uint64_t index, uint32_t row, uint32_t column)
{
    switch (at->role) {
    case NPART_PORT_MASK:
        return used[column];
    case NPART_PORT_ROWS:
        return used[column] && column <= layout->past + row ? 0 : NPART__MASK_VALUE;
    case NPART_PORT_TOKENS:
        return (double)layout->token;
    case NPART_PORT_POSITIONS:
        return index >= layout->tokens - layout->padding ? 0 : (double)layout->gone + layout->used + (double)index;
    default:
        return 1;
    }
}

/* NULL: it is not followed, or out of memory. */
static const struct npart__known *give(struct npart__work *work, const struct npart__cache_input *at,
                                       const struct npart__layout *layout, const bool *used,
                                       struct npart__arena *arena)
{
    uint64_t count = 1;
    uint32_t columns = 1, rows = 1;
    for (uint32_t k = 0; k < at->rank; k++) {
        int64_t size = k == at->slot_axis ? (int64_t)layout->past + layout->tokens : at->dims[k];
        if ((uint64_t)size > NPART__CACHE_ELEMENTS)
            return NULL;
        count *= (uint64_t)size;
        if (count > NPART__CACHE_ELEMENTS)
            return NULL;
        if (k + 1u == at->rank)
            columns = (uint32_t)size;
        if (k + 2u == at->rank)
            rows = (uint32_t)size;
    }
    struct npart__known *known = npart__arena_zeroed(arena, 1, sizeof *known);
    int64_t *ints = npart__arena_allocate(arena, (count + 1) * sizeof *ints);
    work->is_out_of_memory |= !known || !ints;
    if (work->is_out_of_memory)
        return NULL;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t column = columns ? (uint32_t)(i % columns) : 0;
        uint32_t row = columns && rows ? (uint32_t)(i / columns % rows) : 0;
        ints[i] = (int64_t)number_at(at, layout, used, i, row, column);
        ints[i] = at->element_type == NPART__BOOL ? ints[i] != 0 : ints[i];
    }
    *known = (struct npart__known){.count = (uint32_t)count, .ints = ints};
    return known;
}

npart_status npart__cache_probe(struct npart__work *work, const struct npart__layout *layout, bool gives,
                                struct npart__probe *out)
{
    memset(out, 0, sizeof *out);
    npart__arena_init(&out->arena, &work->arena->allocator);
    out->layout = *layout;
    bool *used = list_used(layout, &out->arena);
    struct npart__given *given = npart__arena_zeroed(&out->arena, work->inputs.count + (size_t)1, sizeof *given);
    uint32_t count = 0;
    if (!used || !given)
        return npart__fail_memory(work->error);
    for (uint32_t i = 0; gives && i < work->inputs.count; i++) {
        const struct npart__cache_input *at = &work->inputs.items[i];
        bool is_told = at->role == NPART_PORT_MASK || at->role == NPART_PORT_POSITIONS || at->role == NPART_PORT_ROWS;
        bool is_integer = at->element_type == NPART__BOOL || npart__type_is_integer(at->element_type);
        bool is_given = is_told || (layout->gives_tokens && is_integer);
        given[count] = (struct npart__given){at->value, is_given ? give(work, at, layout, used, &out->arena) : NULL};
        count += given[count].known != NULL;
    }
    if (work->is_out_of_memory)
        return npart__fail_memory(work->error);
    return infer_at(work, layout->past, layout->tokens, given, count, &out->arena, &out->inference);
}

void npart__cache_probe_free(struct npart__probe *probe)
{
    struct npart__arena arena = probe->arena;
    npart__arena_clear(&arena);
}

/* ---- values of two probes ---------------------------------------------------------------------------------------- */

const struct npart__known *npart__cache_elements(struct npart__probe *probe, uint32_t value)
{
    const struct npart__known *known = npart__elements(&probe->inference, &probe->inference.facts[value]);
    if (!known || !npart__is_static(&probe->inference.facts[value]))
        return NULL;
    for (uint32_t i = 0; known->ints && i < known->count; i++)
        if (!npart__is_number(known->ints[i]))
            return NULL;
    return known;
}

bool npart__cache_axes(const struct npart__compared *at, uint32_t value, uint64_t *axes)
{
    const struct npart__fact *a = npart__fact_of(&at->a->inference, value);
    const struct npart__fact *b = npart__fact_of(&at->b->inference, value);
    *axes = 0;
    if (!npart__is_static(a) || !npart__is_static(b) || a->rank != b->rank)
        return false;
    for (uint32_t k = 0; k < a->rank; k++) {
        if (a->dims[k] == b->dims[k])
            continue;
        if (b->dims[k] - a->dims[k] != at->empty)
            return false;
        *axes |= (uint64_t)1 << k;
    }
    return true;
}

static bool is_equal(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* The index in `b` of an element of `a`, whose index along a growing axis is `empty` more. */
static uint64_t index_in(const struct npart__fact *a, const struct npart__fact *b, uint64_t axes, uint32_t empty,
                         uint64_t index)
{
    uint64_t out = 0, stride = 1;
    for (uint32_t k = a->rank; k-- > 0;) {
        uint64_t place = index % (uint64_t)a->dims[k];
        index /= (uint64_t)a->dims[k];
        out += (place + (axes >> k & 1 ? empty : 0)) * stride;
        stride *= (uint64_t)b->dims[k];
    }
    return out;
}

enum npart__relation npart__cache_relation(const struct npart__compared *at, uint32_t value)
{
    const struct npart__known *a = npart__cache_elements(at->a, value), *b = npart__cache_elements(at->b, value);
    const struct npart__fact *in_a = npart__fact_of(&at->a->inference, value);
    const struct npart__fact *in_b = npart__fact_of(&at->b->inference, value);
    uint64_t axes;
    if (!a || !b)
        return NPART__REL_DATA;
    if (!npart__cache_axes(at, value, &axes))
        return NPART__REL_OTHER;
    bool is_same = true, has_grown = axes == 0 && a->count > 0;
    for (uint32_t i = 0; i < a->count && (is_same || has_grown); i++) {
        double x = npart__known_number(a, i);
        double y = npart__known_number(b, (uint32_t)index_in(in_a, in_b, axes, at->empty, i));
        is_same &= is_equal(x, y);
        has_grown &= is_equal(x + at->empty, y);
    }
    if (is_same)
        return axes ? NPART__REL_ALIGNED : NPART__REL_SAME;
    return has_grown ? NPART__REL_GREW : NPART__REL_OTHER;
}

/* By slot of `b` the slot of `a` with the same in it: used ones by their number, empty ones in their order. */
static uint32_t *match_slots(const struct npart__layout *a, const struct npart__layout *b, struct npart__arena *arena)
{
    uint32_t total = a->past + a->tokens;
    bool *used_a = list_used(a, arena), *used_b = list_used(b, arena);
    uint32_t *slot = npart__arena_zeroed(arena, total + (size_t)1, sizeof *slot);
    if (!used_a || !used_b || !slot)
        return NULL;
    for (uint32_t i = 0; i < a->used; i++)
        slot[b->slot ? b->slot[i] : b->past - b->used + i] = a->slot ? a->slot[i] : a->past - a->used + i;
    for (uint32_t i = 0, k = 0; i < a->past; i++) {
        if (used_b[i])
            continue;
        while (used_a[k])
            k++;
        slot[i] = k++;
    }
    for (uint32_t i = a->past; i < total; i++)
        slot[i] = i;
    return slot;
}

bool npart__cache_is_moved(struct npart__work *work, struct npart__probe *a, struct npart__probe *b, uint64_t axes,
                           uint32_t value)
{
    const struct npart__known *x = npart__cache_elements(a, value), *y = npart__cache_elements(b, value);
    const struct npart__fact *fact = npart__fact_of(&a->inference, value);
    struct npart__arena scratch;
    if (!x || !y || x->count != y->count)
        return false;
    int64_t past = a->layout.past, total = past + a->layout.tokens;
    for (uint32_t k = 0; k < fact->rank; k++)
        if (axes >> k & 1 && fact->dims[k] != past && fact->dims[k] != total)
            return false;
    npart__arena_init(&scratch, &a->arena.allocator);
    uint32_t *slot = match_slots(&a->layout, &b->layout, &scratch);
    bool is_moved = slot != NULL;
    work->is_out_of_memory |= !slot;
    for (uint32_t i = 0; i < y->count && is_moved; i++) {
        uint64_t rest = i, from = 0, stride = 1;
        for (uint32_t k = fact->rank; k-- > 0;) {
            uint64_t size = (uint64_t)fact->dims[k], place = rest % size;
            rest /= size;
            from += (axes >> k & 1 ? slot[place] : place) * stride;
            stride *= size;
        }
        is_moved = is_equal(npart__known_number(x, (uint32_t)from), npart__known_number(y, i));
    }
    npart__arena_clear(&scratch);
    return is_moved;
}
