/* SPDX-License-Identifier: Apache-2.0
 *
 * What two facts have in common: of an If's branches, a Loop's passes, a sequence's elements. What both say holds of
 * the merged one; elements of tensors are dropped.
 *
 *   float32[2,8]   and float32[4,8]  ->  float32[v,8], where v varies
 *   float32[2,8]   and float32[2]    ->  float32, rank unknown
 *   float32[?,8]   and float32[4,8]  ->  float32[?,8]
 */
#include "infer/call.h"

/* Dims, elements and what else the fact points to are shared with the original. */
struct npart__fact *npart__keep_fact(const struct npart__call *call, const struct npart__fact *fact)
{
    struct npart__fact *kept = npart__new_array(call, 1, sizeof *kept);
    if (kept)
        *kept = *fact;
    return kept;
}

/* Whether a dim is a symbol that an earlier pass of this loop made for a size that changes. Kept as it is, it ends the
 * passes: a new one each time would never be equal to the one before. */
static bool is_own_symbol(const struct npart__expressions *pool, int64_t dim, uint32_t own)
{
    uint32_t symbol = npart__lone_symbol(pool, dim);
    return symbol != NPART_NONE && own != NPART_NONE && symbol >= own && pool->symbols.items[symbol].varies;
}

/* Sizes that are known to differ vary; where one is not known at all, neither is the result. In a Loop (`own` is
 * given) each dim that differs varies, since it was seen to change from one pass to the next. */
static int64_t merge_dim(struct npart__expressions *pool, int64_t a, int64_t b, uint32_t own)
{
    if (npart__same(a, b) || is_own_symbol(pool, a, own))
        return a;
    bool both_known = npart__is_named(pool, a) && npart__is_named(pool, b);
    return both_known || own != NPART_NONE ? npart__varying_symbol(pool) : npart__fresh_symbol(pool);
}

/* Ranks that differ leave no rank. */
static void merge_shape(const struct npart__call *call, struct npart__fact *merged, const struct npart__fact *a,
                        const struct npart__fact *b, uint32_t own)
{
    int64_t *dims = a->has_rank && b->has_rank && a->rank == b->rank ? npart__new_dims(call, a->rank) : NULL;
    for (uint32_t i = 0; dims && i < a->rank; i++)
        dims[i] = merge_dim(call->pool, a->dims[i], b->dims[i], own);
    merged->has_rank = dims != NULL;
    merged->rank = dims ? a->rank : 0;
    merged->dims = dims;
}

/* Elements of sequences of the same length are merged one by one. Where the lengths differ, or one is not known, the
 * sequences are no longer followed element by element. */
static const struct npart__sequence_items *merge_items(const struct npart__call *call, const struct npart__fact *a,
                                                       const struct npart__fact *b, uint32_t own)
{
    if (!a->items || !b->items || a->items->count != b->items->count)
        return NULL;
    uint32_t count = a->items->count;
    struct npart__sequence_items *items = npart__new_array(call, 1, sizeof *items);
    struct npart__fact *facts = npart__new_array(call, count, sizeof *facts);
    if (!items || !facts)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        facts[i] = npart__merge_facts(call, &a->items->facts[i], &b->items->facts[i], own);
    *items = (struct npart__sequence_items){.count = count, .facts = facts};
    return items;
}

/* Of an empty sequence nothing is said; then the other one's elements speak for both. */
static bool says_nothing(const struct npart__fact *fact)
{
    return fact->kind == NPART__TYPE_SEQUENCE && fact->items && fact->items->count == 0;
}

/* What the elements of two sequences or optionals have in common. */
static void merge_elements(const struct npart__call *call, struct npart__fact *merged, const struct npart__fact *a,
                           const struct npart__fact *b, uint32_t own)
{
    merged->items = merge_items(call, a, b, own);
    if (says_nothing(a) || !a->element) {
        merged->element = says_nothing(a) ? b->element : NULL;
    } else if (says_nothing(b) || npart__same_type(a, b)) {
        /* Both say the same, or b says nothing: no merge is needed, which would make new symbols. */
        merged->element = a->element;
    } else if (b->element) {
        struct npart__fact element = npart__merge_facts(call, a->element, b->element, own);
        merged->element = npart__keep_fact(call, &element);
    }
}

/* Types that differ leave what both have: the kind, or nothing at all. Constants and elements of tensors are
 * dropped. */
struct npart__fact npart__merge_facts(const struct npart__call *call, const struct npart__fact *a,
                                      const struct npart__fact *b, uint32_t own)
{
    struct npart__fact merged = {.kind = a->kind};
    if (a->kind == NPART__TYPE_UNKNOWN || b->kind == NPART__TYPE_UNKNOWN) {
        /* both must be of one type, so what one of them says of it holds */
        merged.kind = a->kind == NPART__TYPE_UNKNOWN ? b->kind : a->kind;
        merged.element_type = a->kind == NPART__TYPE_UNKNOWN ? b->element_type : a->element_type;
        return merged;
    }
    if (a->kind != b->kind)
        return (struct npart__fact){.kind = NPART__TYPE_UNKNOWN};
    if (a->element_type == b->element_type || a->element_type == 0 || b->element_type == 0)
        merged.element_type = a->element_type ? a->element_type : b->element_type;
    merge_shape(call, &merged, a, b, own);
    if (a->element || b->element)
        merge_elements(call, &merged, a, b, own);
    return merged;
}

/* Lists that are one object are the same without a look; a list and none are not. */
static bool same_items(const struct npart__sequence_items *a, const struct npart__sequence_items *b)
{
    if (a == b || !a || !b)
        return a == b;
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!npart__same_type(&a->facts[i], &b->facts[i]))
            return false;
    return true;
}

/* Elements of tensors are not compared. A dim that is unknown is never the same as another. */
bool npart__same_type(const struct npart__fact *a, const struct npart__fact *b)
{
    if (a->kind != b->kind || a->has_rank != b->has_rank || a->rank != b->rank || a->element_type != b->element_type)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (!npart__same(a->dims[i], b->dims[i]))
            return false;
    if (!same_items(a->items, b->items) || !a->element != !b->element)
        return false;
    return a->element == b->element || npart__same_type(a->element, b->element);
}
