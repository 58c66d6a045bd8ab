/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run of a language model takes elsewhere than on this target: on the device's GPU, and with a toolkit of the
 * vendor's for language models alone, which takes all of such a model from another format than ONNX. Of both, speeds of
 * whole models are published, so what they take is of a few quantities: weights and the cache are streamed, or products
 * are computed, whichever takes longer; all else is in these rates.
 */
#include "cost/cost.h"

static const struct engine {
    enum npart__parameter_name run, weights, matrix, cache, product; /* NPART__PARAMETERS: there is no such rate */
} engines[] = {
    [NPART__ON_GPU] = {NPART__PARAMETER_GPU_RUN, NPART__PARAMETER_GPU_WEIGHTS, NPART__PARAMETER_GPU_MATRIX,
                       NPART__PARAMETER_GPU_CACHE, NPART__PARAMETER_GPU_PRODUCT},
    [NPART__IN_TOOLKIT] = {NPART__PARAMETER_TOOLKIT_RUN, NPART__PARAMETER_TOOLKIT_WEIGHTS,
                           NPART__PARAMETER_TOOLKIT_MATRIX, NPART__PARAMETER_TOOLKIT_WEIGHTS,
                           NPART__PARAMETER_TOOLKIT_MATRIX},
};

/* One precision of each: that of what was published. */
static uint8_t rate_of(const struct npart__rates *rates, enum npart__parameter_name name)
{
    return rates->of[NPART__ARITHMETIC_FLOAT32][name];
}

static double ms_of(const struct npart__rates *rates, enum npart__parameter_name name, double quantity)
{
    uint8_t rate = rate_of(rates, name);
    return rate == NPART__NO_RATE ? 0 : rates->items[rate].ms * quantity;
}

/* The longer of both. */
static void charge_longer(const struct npart__rates *rates, struct npart__bill *bill, enum npart__parameter_name stream,
                          double bytes, enum npart__parameter_name compute, double operations)
{
    bool is_stream = ms_of(rates, stream, bytes) > ms_of(rates, compute, operations);
    npart__charge(bill, NPART__PART_CPU, rate_of(rates, is_stream ? stream : compute), is_stream ? bytes : operations);
}

struct npart_cost_range npart__cost_elsewhere(const struct npart__node_costs *nodes,
                                          const struct npart__session *session, enum npart__elsewhere where,
                                          const char **source)
{
    const struct engine *engine = &engines[where];
    const struct npart__rates *rates = &nodes->rates;
    struct npart__bill bill;
    *source = NULL;
    if (rate_of(rates, engine->weights) == NPART__NO_RATE)
        return NPART__UNKNOWN_RANGE;
    memset(&bill, 0, sizeof bill);
    npart__charge(&bill, NPART__PART_CPU, rate_of(rates, engine->run), 1);
    for (uint32_t i = 0; i < nodes->count; i++) {
        const struct npart__work *work = &nodes->works[i];
        bool is_product = work->class == NPART_WORK_PRODUCT;
        if (!npart__is_live(session, i) || (work->class != NPART_WORK_MATRIX && !is_product))
            continue;
        /* Without a rate of products only a step is known, which streams. */
        bill.unknown += !nodes->items[i].npu.is_known ||
                        (!is_product && work->rows > 1 && rate_of(rates, engine->matrix) == NPART__NO_RATE);
        double operations = 2 * (double)work->macs;
        if (is_product)
            charge_longer(rates, &bill, engine->cache, (double)work->input_bytes, engine->product, operations);
        else
            charge_longer(rates, &bill, engine->weights, npart__streamed_bytes(work), engine->matrix, operations);
    }
    if (bill.unknown)
        return NPART__UNKNOWN_RANGE;
    *source = rates->items[rate_of(rates, engine->weights)].from->source;
    return npart__bill_range(rates, &bill, NPART__PART_ALL);
}
