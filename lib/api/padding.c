/* SPDX-License-Identifier: Apache-2.0
 *
 * Which fixed sizes lose least: how long inputs are along the one dim with an upper bound becomes a weight for each
 * length, and from these
 *
 *     at one size N   computed N,                                   padding 1 - mean / N
 *     at A and N      computed A for a share of F(A), else N,       padding 1 - mean / (A F(A) + N (1 - F(A)))
 *
 * Between two quantiles lengths are spread evenly. Linear in N.
 */
#include "api/api.h"

#define MOST_LENGTH (1 << 20)

/* A share of the runs, whose lengths are from `after` + 1 on to `to`; where that is none, `to`. */
static void spread(double *weights, int64_t after, int64_t to, double share)
{
    after = after < to ? after : to - 1;
    for (int64_t i = after + 1; i <= to; i++)
        weights[i] += share / (double)(to - after);
}

static npart_status refuse_length(int64_t length, const struct npart_dim_binding *dim, struct npart_error *error)
{
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "lengths: %lld is not between 1 and %lld, the bound of %s",
                       (long long)length, (long long)dim->size, dim->name);
}

static npart_status weigh_samples(const struct npart_lengths *lengths, const struct npart_dim_binding *dim,
                                  double *weights, struct npart_error *error)
{
    for (size_t i = 0; i < lengths->sample_count; i++) {
        int64_t length = lengths->samples[i];
        if (length < 1 || length > dim->size)
            return refuse_length(length, dim, error);
        weights[length] += 1.0 / (double)lengths->sample_count;
    }
    return NPART_OK;
}

/* What no quantile says is up to the bound. */
static npart_status weigh_quantiles(const struct npart_lengths *lengths, const struct npart_dim_binding *dim,
                                    double *weights, struct npart_error *error)
{
    double share = 0;
    int64_t length = 0;
    for (uint32_t i = 0; i < lengths->quantile_count; i++) {
        const struct npart_quantile *at = &lengths->quantiles[i];
        if (at->length < 1 || at->length > dim->size)
            return refuse_length(at->length, dim, error);
        if (!(at->share >= share && at->share <= 1) || at->length < length)
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "lengths: quantiles must ascend, shares up to 1");
        if (at->share > share)
            spread(weights, length, at->length, at->share - share);
        share = at->share;
        length = at->share > 0 ? at->length : at->length - 1; /* p0 is the shortest */
    }
    if (share < 1)
        spread(weights, length, dim->size, 1 - share);
    return NPART_OK;
}

static void choose(const double *weights, struct npart_padding *out)
{
    double share = 0, least = (double)out->most;
    for (uint64_t i = 1; i <= out->most; i++)
        out->mean += weights[i] * (double)i;
    for (uint64_t i = 1; i <= out->most; i++) {
        share += weights[i];
        double computed = (double)i * share + (double)out->most * (1 - share);
        if (computed < least) {
            least = computed;
            out->less = i;
            out->less_runs = share < 1 ? share : 1;
        }
    }
    out->most_padding = 1 - out->mean / (double)out->most;
    out->two_padding = 1 - out->mean / least;
}

static const struct npart_dim_binding *find_dim(const struct npart_inference_options *options, uint32_t *count)
{
    const struct npart_dim_binding *found = NULL;
    *count = 0;
    for (uint32_t i = 0; i < options->dim_count; i++)
        if (options->dims[i].is_limit && (*count)++ == 0)
            found = &options->dims[i];
    return found;
}

npart_status npart__find_padding(const struct npart_inference_options *options, struct npart__infer_options *out,
                                 struct npart__arena *arena, struct npart_error *error)
{
    uint32_t count;
    const struct npart_lengths *lengths = options->lengths;
    const struct npart_dim_binding *dim = find_dim(options, &count);
    if (count != 1)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "lengths are of one dim with an upper bound, NAME=..SIZE; "
                           "there %s %u", count == 1 ? "is" : "are", count);
    if (dim->size < 1 || dim->size > MOST_LENGTH || (!lengths->sample_count && !lengths->quantile_count))
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "lengths: there are none, or the bound is above %d",
                           MOST_LENGTH);
    struct npart_padding *padding = npart__arena_zeroed(arena, 1, sizeof *padding);
    double *weights = npart__arena_zeroed(arena, (size_t)dim->size + 1, sizeof *weights);
    const char *name = npart__arena_copy_text(arena, dim->name, strlen(dim->name));
    if (!padding || !weights || !name)
        return npart__fail_memory(error);
    *padding = (struct npart_padding){.size = sizeof *padding, .dim = name, .most = (uint64_t)dim->size};
    npart_status status = lengths->sample_count ? weigh_samples(lengths, dim, weights, error)
                                                : weigh_quantiles(lengths, dim, weights, error);
    if (status == NPART_OK)
        choose(weights, padding);
    out->padding = padding;
    return status;
}

bool npart_inference_padding(const npart_inference *inference, struct npart_padding *out)
{
    const struct npart_padding *at = inference && inference->options ? inference->options->padding : NULL;
    if (!at || !NPART__HAS_ROOM(out))
        return false;
    *out = *at;
    return true;
}
