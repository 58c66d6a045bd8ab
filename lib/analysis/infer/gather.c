/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that take elements from listed places, or put them there: Gather, GatherElements, GatherND,
 * ScatterElements, ScatterND. Exporters pick single sizes of a shape with Gather, and write shapes with ScatterND, so
 * elements are followed where data and indices are known. An index that is symbolic or out of range leaves all elements
 * unknown.
 */
#include <math.h>

#include "infer/elements.h"
#include "infer/families.h"
#include "infer/numbers.h"

/* ---- Gather ---------------------------------------------------------------------------------------------- */

/* The data are seen as [outer, extent, inner] round the axis, the result as [outer, indices, inner]. Of a shape
 * [`batch`,128,768], Gather of index 1 takes 128, and of index 0 the symbol `batch`. The shape of the result is set
 * by now. */
static void gather_elements_known(struct npart__call *call, uint32_t axis)
{
    const struct npart__fact *data = npart__in(call, 0);
    struct npart__items items;
    uint32_t index_count, total, inner = 1;
    if (!npart__may_be_known(call, 0) || !npart__may_be_known(call, 1))
        return;
    const int64_t *indices = npart__in_ints(call, 1, &index_count);
    if (!indices || !npart__in_items(call, 0, &items) || !npart__small_count(call, npart__out(call, 0), &total))
        return;
    uint32_t extent = (uint32_t)data->dims[axis];
    for (uint32_t i = axis + 1; i < data->rank; i++)
        inner *= (uint32_t)data->dims[i];
    uint64_t *result = npart__new_items(call, total);
    for (uint32_t flat = 0; result && flat < total; flat++) {
        /* Place (outer, k, in) of the result is (outer, index k, in) of the data. */
        uint32_t in = flat % inner, k = flat / inner % index_count, outer = flat / inner / index_count, at;
        if (!npart__is_number(indices[k]) || !npart__normalize_axis(indices[k], extent, &at))
            return;
        result[flat] = items.data[(outer * extent + at) * inner + in];
    }
    if (result)
        npart__set_items(call, 0, result, total, &items);
}

/* Whether an index that is not constant names a place that the data do not have: position 512 in a table of 512
 * positions, at a sequence of 513. Proposed sizes at which that happens are not taken (see `misfits`). An index of
 * the file itself is the same at all sizes. Nothing is read for the answer. */
static bool reaches_past_end(struct npart__call *call, uint32_t axis)
{
    const struct npart__fact *data = npart__in(call, 0), *indices = npart__in(call, 1);
    uint32_t count, at;
    if (!npart__is_number(data->dims[axis]) || indices->is_initializer || !indices->known || !indices->known->ints)
        return false;
    for (count = 0; count < indices->known->count; count++)
        if (npart__is_number(indices->known->ints[count]) &&
            !npart__normalize_axis(indices->known->ints[count], (uint32_t)data->dims[axis], &at))
            return true;
    return false;
}

/* The axis of the data is replaced by the dims of the indices:
 *
 *   data [30522,768], indices [2,128], axis 0  ->  [2,128,768]
 *   data [2,128,768], index [], axis 1         ->  [2,768] */
void npart__infer_gather(struct npart__call *call)
{
    const struct npart__fact *data = npart__in(call, 0), *indices = npart__in(call, 1);
    uint32_t axis;
    if (!data->has_rank || !indices->has_rank ||
        !npart__normalize_axis(npart__int_attribute(call, "axis", 0), data->rank, &axis))
        return;
    int64_t *dims = npart__splice_dims(call, data, axis, 1, indices->dims, indices->rank);
    if (!dims)
        return;
    npart__set_dims(call, 0, data->rank - 1u + indices->rank, dims);
    call->inference->misfits += reaches_past_end(call, axis);
    gather_elements_known(call, axis);
}

/* ---- places that indices name ---------------------------------------------------------------------------- */

/* A tensor whose elements are known, with its row-major strides. */
struct grid {
    struct npart__items items;
    const int64_t *dims;
    uint32_t rank;
    int64_t strides[NPART__LIMIT_RANK];
};

/* False where the elements are not known, or the shape is not static. */
static bool read_grid(struct npart__call *call, uint32_t input, struct grid *out)
{
    const struct npart__fact *fact = npart__in(call, input);
    if (!npart__in_items(call, input, &out->items))
        return false;
    out->dims = fact->dims;
    out->rank = fact->rank;
    npart__strides(fact->dims, fact->rank, out->strides);
    return true;
}

/* Where element `flat` of the indices points in the data: its own place, but for `axis`, where the index says it. False
 * when the index is not known or out of range, or the indices are larger than the data elsewhere. */
static bool element_place(const struct grid *data, const struct grid *indices, uint32_t axis, uint32_t flat,
                          int64_t *out)
{
    int64_t index = (int64_t)indices->items.data[flat], place = 0;
    uint32_t at;
    if (!npart__is_number(index) || !npart__normalize_axis(index, (uint32_t)data->dims[axis], &at))
        return false;
    for (uint32_t i = 0; i < data->rank; i++) {
        /* The coordinate of the index itself along this axis. */
        int64_t own = flat / indices->strides[i] % (indices->dims[i] ? indices->dims[i] : 1);
        if (i != axis && own >= data->dims[i])
            return false;
        place += (i == axis ? at : own) * data->strides[i];
    }
    *out = place;
    return true;
}

/* Where the `tuple`-th index tuple begins in the data, whose first `batch` dims both have; false when one of it is not
 * known or out of range. */
static bool tuple_place(const struct grid *data, const struct grid *indices, uint32_t batch, uint32_t tuple,
                        uint32_t length, int64_t *out)
{
    int64_t place = 0;
    for (uint32_t i = 0; i < batch; i++) {
        int64_t own = (int64_t)tuple * length / indices->strides[i] % indices->dims[i];
        if (own >= data->dims[i])
            return false;
        place += own * data->strides[i];
    }
    for (uint32_t i = 0; i < length; i++) {
        int64_t index = (int64_t)indices->items.data[tuple * length + i];
        uint32_t at;
        if (!npart__is_number(index) || !npart__normalize_axis(index, (uint32_t)data->dims[batch + i], &at))
            return false;
        place += at * data->strides[batch + i];
    }
    *out = place;
    return true;
}

/* Whether two inputs have ranks, and the same one. */
static bool same_rank(const struct npart__call *call, uint32_t a, uint32_t b)
{
    return npart__in(call, a)->has_rank && npart__in(call, b)->has_rank &&
           npart__in(call, a)->rank == npart__in(call, b)->rank;
}

/* Shaped like the indices: data [3,4], indices [3,2], axis 1 -> [3,2], where element (i,j) is data[i, indices[i,j]]. */
void npart__infer_gather_elements(struct npart__call *call)
{
    struct grid data, indices;
    uint32_t axis;
    npart__set_shape_like(call, 0, npart__in(call, 1));
    if (!same_rank(call, 0, 1) || !npart__may_be_known(call, 0) || !npart__may_be_known(call, 1) ||
        !read_grid(call, 0, &data) || !read_grid(call, 1, &indices) ||
        !indices.items.is_ints ||
        !npart__normalize_axis(npart__int_attribute(call, "axis", 0), data.rank, &axis))
        return;
    uint64_t *result = npart__new_items(call, indices.items.count);
    for (uint32_t i = 0; result && i < indices.items.count; i++) {
        int64_t place;
        if (!element_place(&data, &indices, axis, i, &place))
            return;
        result[i] = data.items.data[place];
    }
    if (result)
        npart__set_items(call, 0, result, indices.items.count, &data.items);
}

/* Tuples of indices, each naming a run of the data that has what dims are left: of data [2,3,4], a tuple (1,2) names
 * the 4 elements from place 20 on. */
static void gather_tuples(struct npart__call *call, uint32_t batch, uint32_t length)
{
    struct grid data, indices;
    uint32_t total;
    if (!npart__may_be_known(call, 0) || !npart__may_be_known(call, 1) || !read_grid(call, 0, &data) ||
        !read_grid(call, 1, &indices) || !indices.items.is_ints ||
        !npart__small_count(call, npart__out(call, 0), &total) || length == 0 || total == 0 || data.items.count == 0)
        return;
    /* A run is what one step along the last indexed axis covers. */
    uint32_t tuples = indices.items.count / length;
    size_t run = (size_t)data.strides[batch + length - 1];
    uint64_t *result = npart__new_items(call, total);
    for (uint32_t i = 0; result && i < tuples; i++) {
        int64_t place;
        if (!tuple_place(&data, &indices, batch, i, length, &place) || (i + 1) * run > total)
            return;
        memcpy(result + i * run, data.items.data + place, run * sizeof *result);
    }
    if (result)
        npart__set_items(call, 0, result, total, &data.items);
}

/* The last dim of the indices is how long a tuple is; batch_dims (opset 12) leading dims are common to both.
 *
 *   data [2,3,4], indices [5,2]                ->  [5,4]
 *   data [2,3,4], indices [2,1], batch_dims 1  ->  [2,4]
 *
 * Where the length of the tuples is unknown, so is the rank. */
void npart__infer_gather_nd(struct npart__call *call)
{
    const struct npart__fact *data = npart__in(call, 0), *indices = npart__in(call, 1);
    int64_t batch = npart__int_attribute(call, "batch_dims", 0);
    if (!data->has_rank || !indices->has_rank || indices->rank == 0 || batch < 0)
        return;
    int64_t tuple = indices->dims[indices->rank - 1];
    /* How long a tuple is decides how many dims of the data are left. */
    if (!npart__is_number(tuple) || tuple < 0 || tuple > data->rank || batch > data->rank - tuple)
        return;
    uint32_t rank = indices->rank - 1u + data->rank - (uint32_t)(batch + tuple), next = 0;
    int64_t *dims = npart__new_dims(call, rank);
    if (!dims)
        return;
    for (uint32_t i = 0; i + 1 < indices->rank; i++)
        dims[next++] = indices->dims[i];
    for (uint32_t i = (uint32_t)(batch + tuple); i < data->rank; i++)
        dims[next++] = data->dims[i];
    npart__set_dims(call, 0, rank, dims);
    if (batch < indices->rank)
        gather_tuples(call, (uint32_t)batch, (uint32_t)tuple);
}

/* ---- Scatter --------------------------------------------------------------------------------------------- */

enum scatter_kind { SCATTER_REPLACE, SCATTER_ADD, SCATTER_MULTIPLY, SCATTER_MAXIMUM, SCATTER_MINIMUM };

/* The attribute `reduction`; in any version without it, updates replace. */
static enum scatter_kind scatter_kind(struct npart__call *call)
{
    static const char *const names[] = {"none", "add", "mul", "max", "min"};
    const char *reduction = npart__string_attribute(call, "reduction", "none");
    for (size_t i = 0; i < NPART__COUNT(names); i++)
        if (strcmp(reduction, names[i]) == 0)
            return (enum scatter_kind)i;
    return SCATTER_REPLACE;
}

/* What is written into, as whole numbers or as doubles. */
struct scatter {
    struct npart__call *call;
    enum scatter_kind kind;
    int type;         /* of the data, and so of the result */
    int64_t *ints;
    double *doubles; /* NULL: ints */
    struct npart__numbers updates;     /* for doubles */
    const int64_t *update_ints;
    double error;     /* of `doubles`; infinite: nothing can be told */
};

/* Writes one update of whole numbers, symbols too. */
static void put_int(const struct scatter *scatter, int64_t place, uint32_t from)
{
    static int64_t (*const combine[])(struct npart__expressions *pool, int64_t a, int64_t b) = {
        [SCATTER_ADD] = npart__sum, [SCATTER_MULTIPLY] = npart__product,
        [SCATTER_MAXIMUM] = npart__maximum, [SCATTER_MINIMUM] = npart__minimum};
    int64_t *to = &scatter->ints[place], update = scatter->update_ints[from];
    *to = scatter->kind == SCATTER_REPLACE ? update : combine[scatter->kind](scatter->call->pool, *to, update);
}

/* Writes one update of fractions. Where a reduction meets NaN or operands that may be off, or is rounded in 16 bits,
 * nothing is set at all. */
static void put_double(struct scatter *scatter, int64_t place, uint32_t from)
{
    double before = scatter->doubles[place], update = npart__number_at(&scatter->updates, from);
    double exact = scatter->kind == SCATTER_ADD        ? before + update
                   : scatter->kind == SCATTER_MULTIPLY ? before * update
                   : scatter->kind == SCATTER_MAXIMUM  ? (before > update ? before : update)
                   : scatter->kind == SCATTER_MINIMUM  ? (before < update ? before : update)
                                                       : update;
    double after = npart__round_number(scatter->type, exact);
    /* Replacing is exact; what is combined may be off, or NaN to some runtimes only. */
    bool is_open = scatter->kind != SCATTER_REPLACE &&
                   (scatter->error != 0 || isnan(exact) || isnan(before) || isnan(update));
    if (is_open || (after != exact && npart__type_bits(scatter->type) == 16))
        scatter->error = (double)INFINITY; /* then nothing is set */
    scatter->doubles[place] = after;
}

/* Updates are written in their order. Where several go to one place without a reduction, ONNX leaves open which one
 * stays. */
static void put(struct scatter *scatter, int64_t place, uint32_t from)
{
    if (scatter->doubles)
        put_double(scatter, place, from);
    else
        put_int(scatter, place, from);
}

/* Begins with the data as doubles; false where one of the operands has symbols or is not floating point. */
static bool begin_doubles(struct scatter *scatter)
{
    struct npart__numbers data;
    if (!npart__has_fractions(scatter->type) || !npart__in_numbers(scatter->call, 0, &data) ||
        !npart__in_numbers(scatter->call, 2, &scatter->updates))
        return false;
    scatter->doubles = npart__new_doubles(scatter->call, data.count);
    scatter->error = data.error > scatter->updates.error ? data.error : scatter->updates.error;
    for (uint32_t i = 0; scatter->doubles && i < data.count; i++)
        scatter->doubles[i] = npart__number_at(&data, i);
    return scatter->doubles != NULL;
}

/* The operands, and a copy of the data to write into; false when one is not known. The result is shaped like the data.
 * Of truth values, add is or (the maximum), and mul is and (the minimum). */
static bool begin_scatter(struct npart__call *call, struct grid *data, struct grid *indices,
                          struct npart__items *updates, struct scatter *scatter)
{
    npart__set_shape_like(call, 0, npart__in(call, 0));
    for (uint32_t i = 0; i < 3; i++)
        if (!npart__may_be_known(call, i))
            return false;
    if (!read_grid(call, 0, data) || !read_grid(call, 1, indices) || !npart__in_items(call, 2, updates) ||
        !indices->items.is_ints)
        return false;
    *scatter = (struct scatter){.call = call, .kind = scatter_kind(call), .type = npart__in(call, 0)->element_type};
    if (begin_doubles(scatter))
        return true;
    if (scatter->type == NPART__BOOL && scatter->kind == SCATTER_ADD)
        scatter->kind = SCATTER_MAXIMUM;
    if (scatter->type == NPART__BOOL && scatter->kind == SCATTER_MULTIPLY)
        scatter->kind = SCATTER_MINIMUM;
    scatter->ints = data->items.is_ints && updates->is_ints ? npart__new_ints(call, data->items.count) : NULL;
    scatter->update_ints = (const void *)updates->data;
    if (scatter->ints)
        memcpy(scatter->ints, data->items.data, data->items.count * sizeof *scatter->ints);
    return scatter->ints != NULL;
}

/* An infinite error makes npart__set_numbers set nothing. */
static void end_scatter(const struct scatter *scatter, uint32_t count)
{
    if (scatter->doubles)
        npart__set_numbers(scatter->call, 0, scatter->doubles, count, scatter->error);
    else
        npart__set_ints(scatter->call, 0, scatter->ints, count);
}

/* Element (i,j) of the updates goes to data[i, indices[i,j]] with axis 1. Updates and indices have one shape; the
 * result has that of the data. */
void npart__infer_scatter_elements(struct npart__call *call)
{
    struct grid data, indices;
    struct npart__items updates;
    struct scatter scatter;
    uint32_t axis;
    if (!begin_scatter(call, &data, &indices, &updates, &scatter) || !same_rank(call, 0, 1) ||
        updates.count != indices.items.count ||
        !npart__normalize_axis(npart__int_attribute(call, "axis", 0), data.rank, &axis))
        return;
    for (uint32_t i = 0; i < updates.count; i++) {
        int64_t place;
        if (!element_place(&data, &indices, axis, i, &place))
            return;
        put(&scatter, place, i);
    }
    end_scatter(&scatter, data.items.count);
}

/* Each tuple of indices names a run of the data, which the updates hold one after the other: data [8,4], indices [2,1],
 * updates [2,4] write two rows. */
void npart__infer_scatter_nd(struct npart__call *call)
{
    struct grid data, indices;
    struct npart__items updates;
    struct scatter scatter;
    if (!begin_scatter(call, &data, &indices, &updates, &scatter) || indices.rank == 0)
        return;
    int64_t length = indices.dims[indices.rank - 1];
    /* A tuple of no indices would name all of the data. */
    if (length < 1 || length > data.rank)
        return;
    uint32_t run = (uint32_t)data.strides[length - 1], tuples = indices.items.count / (uint32_t)length;
    if (updates.count != tuples * run)
        return;
    for (uint32_t i = 0; i < tuples; i++) {
        int64_t place;
        if (!tuple_place(&data, &indices, 0, i, (uint32_t)length, &place))
            return;
        /* A run of updates goes to a run of the data. */
        for (uint32_t k = 0; k < run; k++)
            put(&scatter, place + k, i * run + k);
    }
    end_scatter(&scatter, data.items.count);
}
