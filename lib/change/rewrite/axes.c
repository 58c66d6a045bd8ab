/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite/axes.h"

/* Each partial product has to fit, so that users of the dims may multiply any run of them. */
bool npart__full_dims(const struct npart__site *site, uint32_t value, struct npart__dims *out)
{
    int64_t elements = 1;
    if (value == NPART_NONE || !npart__site_dims(site, value, out->at, &out->rank))
        return false;
    for (uint32_t i = 0; i < out->rank; i++)
        if (out->at[i] <= 0 || !npart__multiply_int64(elements, out->at[i], &elements))
            return false;
    return true;
}

/* It cannot overflow: npart__full_dims has multiplied all of them. */
int64_t npart__volume(const struct npart__dims *dims, uint32_t first, uint32_t end)
{
    int64_t volume = 1;
    for (uint32_t i = first; i < end; i++)
        volume *= dims->at[i];
    return volume;
}

static bool same_dims(const struct npart__dims *a, const struct npart__dims *b)
{
    return a->rank == b->rank && memcmp(a->at, b->at, a->rank * sizeof a->at[0]) == 0;
}

/* Dims come from tensors whose rank is within the limit, and rewrites add a few; debug builds see that there is
 * room. */
void npart__push_dim(struct npart__dims *dims, int64_t dim)
{
    NPART__ASSERT(dims->rank < NPART__LIMIT_RANK, "%u", dims->rank);
    dims->at[dims->rank++] = dim;
}

/* False also where the dims are not known: npart__view makes a Reshape then, which is right in any case. */
bool npart__has_dims(const struct npart__site *site, uint32_t value, const struct npart__dims *dims)
{
    struct npart__dims own;
    return npart__full_dims(site, value, &own) && same_dims(&own, dims);
}

bool npart__operand_has_dims(const struct npart__site *site, uint32_t operand, const int64_t *dims, uint32_t rank)
{
    struct npart__dims wanted = {.rank = rank};
    memcpy(wanted.at, dims, rank * sizeof *dims);
    return npart__has_dims(site, npart__operand(site, operand), &wanted);
}

/* What a Reshape or its like was made of; NPART_NONE for other values, and where that is not static, which what made
 * it so must stay for. An Identity changes no dims either. */
static uint32_t reshaped_from(const struct npart__site *site, uint32_t value)
{
    struct npart__dims dims;
    uint32_t maker = npart__site_made_by(site, value, NPART__WAYS_VIEW | NPART__WAY(ON));
    uint32_t from = maker == NPART_NONE ? NPART_NONE
                                        : npart__node_input(site->graph, npart__node_at(site->graph, maker), 0);
    return from != NPART_NONE && npart__full_dims(site, from, &dims) ? from : NPART_NONE;
}

/* Ends, as each step goes to what the value was made of. */
uint32_t npart__view_source(const struct npart__site *site, uint32_t value, const struct npart__dims *dims)
{
    while (!npart__has_dims(site, value, dims)) {
        uint32_t from = reshaped_from(site, value);
        if (from == NPART_NONE)
            return value;
        value = from;
    }
    return value;
}

/* By names, so a view of a value that has the dims costs no node. */
const char *npart__view(struct npart__site *site, uint32_t value, const struct npart__dims *dims)
{
    uint32_t source = npart__view_source(site, value, dims);
    const char *name = npart__site_name(site, source);
    return npart__has_dims(site, source, dims) ? name : npart__make_reshape(site, name, dims->at, dims->rank);
}

/* The number of a constant of one element. */
static bool find_number(struct npart__site *site, uint32_t value, double *out)
{
    uint32_t count;
    /* A list of several numbers is no single one, even if all of them are the same. */
    const double *numbers = value == NPART_NONE ? NULL : npart__site_doubles(site, value, &count);
    if (!numbers || count != 1)
        return false;
    *out = numbers[0];
    return true;
}

const char *npart__scalar(struct npart__site *site, uint32_t value)
{
    const struct npart__dims dims = {.rank = 0};
    double number;
    if (value == NPART_NONE)
        return "";
    if (!npart__has_dims(site, value, &dims) && find_number(site, value, &number))
        return npart__make_scalar(site, npart__site_type(site, value), number);
    return npart__view(site, value, &dims);
}

void npart__finish_view(struct npart__site *site, uint32_t result, uint32_t value)
{
    struct npart__dims dims;
    if (npart__full_dims(site, npart__result(site, result), &dims))
        npart__finish(site, result, npart__view(site, value, &dims));
}

/* Of a result whose dims are not full nothing is finished: what was made for it stays unused, and goes
 * (edit/tidy.c). */
void npart__finish_shaped(struct npart__site *site, uint32_t result, const char *name)
{
    struct npart__dims dims;
    uint32_t value = npart__result(site, result);
    if (npart__is_unused(site, value) || !npart__full_dims(site, value, &dims))
        return;
    npart__finish(site, result, npart__make_reshape(site, name, dims.at, dims.rank));
}

bool npart__axis_attribute(const struct npart__site *site, const char *name, int64_t fallback, uint32_t rank,
                           uint32_t *out)
{
    return npart__normalize_axis(npart__site_int(site, site->id, name, fallback), rank, out);
}

bool npart__gives_one(const struct npart__site *site)
{
    for (uint32_t i = 1; i < site->node->output_count; i++)
        if (!npart__is_unused(site, npart__result(site, i)))
            return false;
    return true;
}

/* Floats of 8 bits and less are how quantized numbers are stored. */
bool npart__is_plain_float(int element_type)
{
    return element_type == NPART__FLOAT || element_type == NPART__FLOAT16 || element_type == NPART__DOUBLE ||
           element_type == NPART__BFLOAT16;
}

void npart__equal_but_half(struct npart__site *site, uint32_t value)
{
    int type = npart__site_type(site, value);
    if (type != NPART__FLOAT16 && type != NPART__BFLOAT16)
        return;
    site->equality = NPART_EQUAL_ULP;
    site->caveat = "ONNX Runtime's CPU rounds FLOAT16 at other places afterwards.";
}

int64_t npart__list_item(const struct npart__site *site, const char *name, uint32_t index, int64_t fallback)
{
    uint32_t count;
    const int64_t *list = npart__site_int_list(site, site->id, name, &count);
    return list && index < count ? list[index] : fallback;
}

/* True where the node does not give it: the default has the length that is needed. */
bool npart__has_length(const struct npart__site *site, const char *name, uint32_t count)
{
    uint32_t given;
    return !npart__site_int_list(site, site->id, name, &given) || given == count;
}
