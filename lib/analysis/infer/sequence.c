/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences and optionals. Of a sequence it is known what its elements have in common and, while it is short and built
 * from known parts, each of them. Three tensors [1,4], [2,4], [3,4] are a sequence of [v,4], and SequenceAt with
 * position 1 is [2,4]. Lists are copied when they change, as other values may still share them.
 */
#include "infer/driver.h"
#include "infer/families.h"

/* ---- lists of facts -------------------------------------------------------------------------------------- */

/* A sequence that is being put together: `capacity` facts at most, of which `count` are there. */
struct list {
    uint32_t count, capacity;
    struct npart__fact *facts;
};

/* False when it is too long to be followed. */
static bool make_list(struct npart__call *call, struct list *list, uint32_t capacity)
{
    *list = (struct list){.capacity = capacity};
    if (capacity > NPART__MOST(call->inference->graph->limits, SEQUENCE))
        return false;
    list->facts = npart__new_array(call, capacity, sizeof *list->facts);
    return list->facts != NULL;
}

/* In a list, no element is an initializer any more: it is the result of a node. */
static void append(struct list *list, const struct npart__fact *fact)
{
    struct npart__fact *place = &list->facts[list->count++];
    *place = *fact;
    place->is_constant = place->is_initializer = false;
}

/* Makes output 0 a sequence of these; its element type is what all of them share. */
static void set_list(struct npart__call *call, const struct list *list, const struct npart__fact *element)
{
    struct npart__sequence_items *items = npart__new_array(call, 1, sizeof *items);
    struct npart__fact common = element ? *element : (struct npart__fact){.kind = NPART__TYPE_UNKNOWN};
    for (uint32_t i = 0; i < list->count; i++)
        common = i == 0 ? list->facts[0] : npart__merge_facts(call, &common, &list->facts[i], NPART_NONE);
    /* What all share is a type, even of a single element. */
    common.known = NULL;
    common.tensor = NULL;
    npart__set_container(call, 0, NPART__TYPE_SEQUENCE, &common);
    if (!items)
        return;
    *items = (struct npart__sequence_items){.count = list->count, .facts = list->facts};
    npart__out(call, 0)->items = items;
}

/* Output 0 is an element of a sequence or optional. The whole fact is passed on, elements too; NULL leaves the output
 * as it is. */
static void set_element(struct npart__call *call, const struct npart__fact *element)
{
    struct npart__fact *out = npart__out(call, 0);
    if (!element)
        return;
    *out = *element;
    out->is_constant = out->is_initializer = false;
}

/* The place that an input names in a sequence of `count`; `end` where the input is absent. Negative positions count
 * from the end. False when it is not known or out of range. */
static bool read_position(struct npart__call *call, uint32_t input, uint32_t count, uint32_t end, uint32_t *out)
{
    int64_t position = npart__in_number(call, input, NPART__UNKNOWN);
    *out = end;
    return !npart__has_input(call, input) ||
           (npart__is_number(position) && npart__normalize_axis(position, count, out));
}

/* ---- making and changing sequences ----------------------------------------------------------------------- */

/* The element type of no elements is the attribute dtype, float32 by default. */
void npart__infer_sequence_empty(struct npart__call *call)
{
    int64_t type = npart__int_attribute(call, "dtype", NPART__FLOAT);
    struct npart__fact element = {.kind = NPART__TYPE_TENSOR};
    struct list none;
    if (type > 0 && type <= UINT8_MAX)
        element.element_type = (uint8_t)type;
    if (make_list(call, &none, 0))
        set_list(call, &none, &element);
}

/* Where there are too many for a list, only what they share is known, and not how many they are. */
void npart__infer_sequence_construct(struct npart__call *call)
{
    struct list list;
    uint32_t count = call->node->input_count;
    if (make_list(call, &list, count)) {
        for (uint32_t i = 0; i < count; i++)
            append(&list, npart__in(call, i));
        set_list(call, &list, NULL);
        return;
    }
    struct npart__fact common = *npart__in(call, 0);
    for (uint32_t i = 1; i < count; i++)
        common = npart__merge_facts(call, &common, npart__in(call, i), NPART_NONE);
    npart__set_container(call, 0, NPART__TYPE_SEQUENCE, &common);
}

/* Where something is inserted into a sequence of `count`: at the end too, but a negative position is that of an
 * element, as -1 is the last one. */
static bool read_insertion(struct npart__call *call, uint32_t count, uint32_t *out)
{
    *out = count;
    return npart__in_number(call, 2, NPART__UNKNOWN) == (int64_t)count || read_position(call, 2, count, count, out);
}

/* Inserted before the position, or at the end. Where the list is not known, the elements share what they shared before
 * and have in common with the new one. */
void npart__infer_sequence_insert(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0), *tensor = npart__in(call, 1);
    const struct npart__sequence_items *items = in->items;
    struct list list;
    uint32_t place;
    if (items && read_insertion(call, items->count, &place) && make_list(call, &list, items->count + 1)) {
        for (uint32_t i = 0; i <= items->count; i++)
            append(&list, i == place ? tensor : &items->facts[i < place ? i : i - 1]);
        set_list(call, &list, NULL);
        return;
    }
    /* Of an empty sequence, the new element is the only one. */
    bool was_empty = items && items->count == 0;
    struct npart__fact common = was_empty || !in->element ? *tensor
                                                          : npart__merge_facts(call, in->element, tensor, NPART_NONE);
    if (!was_empty && !in->element)
        common.has_rank = false; /* nothing is known of the others */
    common.known = NULL;
    npart__set_container(call, 0, NPART__TYPE_SEQUENCE, &common);
}

/* The other elements; without a position the last one goes. Of an unknown list nothing changes but its length. */
void npart__infer_sequence_erase(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    const struct npart__sequence_items *items = in->items;
    struct list list;
    uint32_t place;
    /* What stays if the list cannot be followed. */
    npart__set_container(call, 0, NPART__TYPE_SEQUENCE, in->element);
    if (!items || items->count == 0 || !read_position(call, 1, items->count, items->count - 1, &place) ||
        !make_list(call, &list, items->count - 1))
        return;
    for (uint32_t i = 0; i < items->count; i++)
        if (i != place)
            append(&list, &items->facts[i]);
    set_list(call, &list, in->element);
}

/* ---- reading sequences ----------------------------------------------------------------------------------- */

/* The element at a known position of a known list, else what all elements share. */
void npart__infer_sequence_at(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t place;
    if (in->items && read_position(call, 1, in->items->count, 0, &place))
        set_element(call, &in->items->facts[place]);
    else
        set_element(call, in->element);
}

/* How many elements a known list has, as a scalar. */
void npart__infer_sequence_length(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    npart__set_element_type(call, 0, NPART__INT64);
    npart__set_rank(call, 0, 0);
    int64_t *length = in->items ? npart__new_ints(call, 1) : NULL;
    if (length)
        length[0] = in->items->count;
    npart__set_ints(call, 0, length, 1);
}

/* ---- between tensors and sequences ----------------------------------------------------------------------- */

/* A part of the input along an axis, which is left out where `drops`. */
static struct npart__fact part_of(struct npart__call *call, uint32_t axis, int64_t size, bool drops)
{
    const struct npart__fact *in = npart__in(call, 0);
    struct npart__fact part = {.kind = NPART__TYPE_TENSOR, .element_type = in->element_type};
    if (size == NPART__UNKNOWN && !drops)
        size = npart__fresh_symbol(call->pool);
    part.dims = npart__splice_dims(call, in, axis, 1, &size, !drops);
    part.has_rank = part.dims != NULL;
    part.rank = (uint16_t)(part.dims ? in->rank - drops : 0);
    return part;
}

/* The size of part `index`: of the list, or of equal parts of which the last takes what is left. */
static int64_t part_size(const int64_t *sizes, bool is_list, int64_t dim, uint32_t index)
{
    if (is_list)
        return npart__is_number(sizes[index]) && sizes[index] < 0 ? NPART__UNKNOWN : sizes[index];
    /* Not a list: then `dim` and the one size are numbers, as npart__infer_split_to_sequence has seen to it. */
    int64_t left = dim - sizes[0] * index;
    return left < sizes[0] ? left : sizes[0];
}

/* Sizes are a list (rank 1), one size for all parts (rank 0), or absent, which means parts of 1, whose axis keepdims=0
 * drops.
 *
 *   [5,8], split 2           ->  [2,8] [2,8] [1,8]
 *   [5,8], keepdims 0        ->  five of [8] */
void npart__infer_split_to_sequence(struct npart__call *call)
{
    static const int64_t ones[] = {1};
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t axis, size_count = 1;
    bool is_given = npart__has_input(call, 1), is_list = is_given && npart__in(call, 1)->rank == 1;
    bool drops = !is_given && !npart__int_attribute(call, "keepdims", 1);
    const int64_t *sizes = is_given ? npart__in_ints(call, 1, &size_count) : ones;
    struct npart__fact any = {.kind = NPART__TYPE_TENSOR, .element_type = in->element_type};
    struct list list;
    npart__set_container(call, 0, NPART__TYPE_SEQUENCE, &any);
    if (!in->has_rank || !npart__normalize_axis(npart__int_attribute(call, "axis", 0), in->rank, &axis))
        return;
    /* How many parts there are; -1: not known. */
    int64_t dim = in->dims[axis], count = -1;
    if (is_list && sizes)
        count = size_count;
    else if (sizes && size_count == 1 && npart__is_number(sizes[0]) && sizes[0] > 0 && npart__is_number(dim))
        count = dim / sizes[0] + (dim % sizes[0] != 0);
    /* What all parts have in common. Only of parts of 1 is the size along the axis known by itself. */
    any = part_of(call, axis, sizes && !is_list && !is_given ? sizes[0] : NPART__UNKNOWN, drops);
    npart__set_container(call, 0, NPART__TYPE_SEQUENCE, &any);
    if (count < 0 || count > (int64_t)NPART__MOST(call->inference->graph->limits, SEQUENCE) ||
        !make_list(call, &list, (uint32_t)count))
        return;
    for (uint32_t i = 0; i < (uint32_t)count; i++) {
        struct npart__fact part = part_of(call, axis, part_size(sizes, is_list, dim, i), drops);
        append(&list, &part);
    }
    set_list(call, &list, &any);
}

/* The size along the joined axis: the sum of those of all elements. `stacks`: a new axis, as long as there are
 * elements. Unknown where they are not known one by one. */
static int64_t joined_size(struct npart__call *call, uint32_t axis, bool stacks)
{
    const struct npart__sequence_items *items = npart__in(call, 0)->items;
    int64_t size = items && items->count ? 0 : NPART__UNKNOWN;
    if (stacks && items)
        return items->count;
    for (uint32_t i = 0; size != NPART__UNKNOWN && i < items->count; i++) {
        const struct npart__fact *item = &items->facts[i];
        size = item->has_rank && axis < item->rank ? npart__sum(call->pool, size, item->dims[axis]) : NPART__UNKNOWN;
    }
    return size;
}

/* Joins the elements along an axis, or with new_axis=1 stacks them: [2,4] and [3,4] are [5,4]; three of [4] stacked are
 * [3,4]. */
void npart__infer_concat_from_sequence(struct npart__call *call)
{
    const struct npart__fact *element = npart__in(call, 0)->element;
    bool stacks = npart__int_attribute(call, "new_axis", 0) != 0;
    uint32_t axis;
    if (!element || element->kind != NPART__TYPE_TENSOR)
        return;
    npart__set_element_type(call, 0, element->element_type);
    /* A new axis may be the last one of the result. */
    uint32_t rank = element->rank + (stacks ? 1u : 0u);
    if (!element->has_rank || !npart__normalize_axis(npart__int_attribute(call, "axis", 0), rank, &axis))
        return;
    int64_t size = joined_size(call, axis, stacks);
    npart__set_dims(call, 0, rank, npart__splice_dims(call, element, axis, !stacks, &size, 1));
}

/* ---- optionals ------------------------------------------------------------------------------------------- */

/* Without an input, an optional of no value, whose type is the attribute `type`. */
void npart__infer_optional(struct npart__call *call)
{
    const struct npart__attribute *type = npart__node_attribute(call->graph, call->node, "type");
    const struct npart__fact *element = npart__has_input(call, 0) ? npart__in(call, 0) : NULL;
    if (!element && type && type->type == NPART_ATTRIBUTE_TYPE && type->u.declared)
        element = npart__fact_of_declared(call->inference, type->u.declared);
    npart__set_container(call, 0, NPART__TYPE_OPTIONAL, element);
}

/* Since opset 18 a tensor or sequence may stand for an optional that is there, and is passed through. */
void npart__infer_optional_get_element(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    /* Read first, so that both facts have them. */
    (void)npart__elements(call->inference, npart__in(call, 0));
    set_element(call, in->kind == NPART__TYPE_OPTIONAL ? in->element : in);
}

/* Known where the input is absent (false), or a tensor or sequence, which are always there (true). Of an optional the
 * data decide. */
void npart__infer_optional_has_element(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    bool is_optional = in->kind == NPART__TYPE_OPTIONAL || in->kind == NPART__TYPE_UNKNOWN;
    npart__set_element_type(call, 0, NPART__BOOL);
    npart__set_rank(call, 0, 0);
    int64_t *answer = npart__has_input(call, 0) && is_optional ? NULL : npart__new_ints(call, 1);
    if (answer)
        answer[0] = npart__has_input(call, 0);
    npart__set_ints(call, 0, answer, 1);
}
