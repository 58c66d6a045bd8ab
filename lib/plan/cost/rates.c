/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameters as rates, and what a bill comes to.
 *
 * A parameter is log-normal about its typical value: of its logarithm, the standard deviation is ln(high / low) / 2.56,
 * as 80 % of a normal distribution lie within 1.28 deviations. One that may be 0 has no logarithm: its deviation is
 * (high - low) / 2.56. Deviations of different parameters are independent, so their squares add up; that of the sum
 * is taken as log-normal again. To first order, which is what ranges as wide as these are worth. Beside what parameters
 * are off by there is what no formula catches: `model_sigma` of all that the NPU does.
 */
#include <math.h>

#include "cost/cost.h"

#define MOST_ERROR 0.25 /* of networks held out, with which a chip's rates are still called measured */
#define WITHIN_80_PERCENT 1.28155 /* deviations on each side of the middle */

/* parameters.def says where each counts; `sustained` slows down what computes, NPU and CPU, and model_sigma is of the
 * NPU. */
static const uint8_t where_of[NPART__PARAMETERS] = {
#define PARAMETER(name, text, where, sentence) NPART__AT_##where,
#include "oplist/parameters.def"
};

bool npart__is_npu_rate(const struct npart__rate *rate)
{
    return where_of[rate->from->name] == NPART__AT_NPU;
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), ends = strlen(end);
    return length >= ends && strcmp(name + length - ends, end) == 0;
}

/* Milliseconds that one unit of the quantity takes at this value, by the unit that the name ends with. One unit is
 * a run's count, a byte, an operation or an element: 1 GB/s is 1e6 bytes a ms, 1 TOPS 1e9 operations a ms. At 20
 * GB/s a byte takes 1e-6 / 20 ms, at 2 TOPS an operation 1e-9 / 2 ms. */
static double ms_at(const char *name, double value)
{
    static const struct {
        const char *end;
        double ms;
        bool is_rate;
    } units[] = {{"_ms", 1, false},       {"_us", 1e-3, false},  {"_ns", 1e-6, false}, {"_gb_per_s", 1e-6, true},
                 {"_tops", 1e-9, true},   {"_gops", 1e-6, true}};
    for (size_t i = 0; i < NPART__COUNT(units); i++)
        if (ends_with(name, units[i].end))
            return units[i].is_rate ? units[i].ms / value : units[i].ms * value;
    return 0; /* factors and shares take no time */
}

static double square(double value)
{
    return value * value;
}

/* ln(high / low) spans 2 * 1.28 deviations. From 0.5 to 2 it is ln(4) / 2.56, or 0.54. */
static double log_deviation(const struct npart__parameter *parameter)
{
    return parameter->low > 0 ? log(parameter->high / parameter->low) / (2 * WITHIN_80_PERCENT) : 0;
}

/* `sustained` (NULL: nothing is slowed down) is a share of what computes, on both sides. Of deep_factor the quantity is
 * a time that it has made longer already: it adds only what it is off by. The share's own uncertainty adds to that
 * of the rate, as independent ones do. */
static struct npart__rate rate_of(const struct npart__parameter *parameter, const struct npart__parameter *sustained)
{
    const char *name = npart__parameter_names[parameter->name];
    struct npart__rate rate = {.from = parameter, .ms = ms_at(name, parameter->typical)};
    double deviation = log_deviation(parameter), of_share = 0;
    uint8_t where = where_of[parameter->name];
    if (parameter->name == NPART__PARAMETER_DEEP) {
        rate.deviation_ms = deviation;
        return rate;
    }
    /* A chip that keeps 0.6 of its speed takes 1 / 0.6 of the time. */
    if (sustained && sustained->low > 0 && (where == NPART__AT_NPU || where == NPART__AT_CPU)) {
        rate.ms /= sustained->typical;
        of_share = log_deviation(sustained);
    }
    rate.may_be_0 = parameter->low <= 0; /* of times alone: no rate is 0 */
    rate.deviation_ms = rate.may_be_0 ? ms_at(name, parameter->high) / (2 * WITHIN_80_PERCENT)
                                      : rate.ms * sqrt(square(deviation) + square(of_share));
    return rate;
}

/* One place for each parameter of the list, also where several precisions share it: that it is off by the same in all
 * of them is what makes quotients sharp. */
static uint8_t place_of(struct npart__rates *rates, const struct npart__parameter *parameter, uint8_t arithmetic,
                        const struct npart__parameter *sustained)
{
    for (uint32_t i = 0; i < rates->count; i++)
        if (rates->items[i].from == parameter)
            return (uint8_t)i;
    rates->items[rates->count] = rate_of(parameter, sustained);
    rates->arithmetic[rates->count] = arithmetic;
    return (uint8_t)rates->count++;
}

/* A runtime's share that is said of no runtime is that of the target's own, and none of the vendor's. A `via` line
 * names its runtime, and has been chosen for it already. */
static bool is_others(const struct npart__parameter *parameter, enum npart__invoker invoker, enum npart__invoker own)
{
    bool is_share = parameter->name == NPART__PARAMETER_RUNTIME || parameter->name == NPART__PARAMETER_RUNTIME_COPY;
    return is_share && parameter->invoker == NPART__INVOKERS && invoker != own;
}

/* At most one rate for each parameter and precision, and the assertion keeps places within a byte. */
void npart__find_rates(const struct npart__target *target, enum npart__invoker invoker, enum npart__invoker own,
                       bool is_sustained, struct npart__rates *out)
{
    _Static_assert(NPART__MOST_RATES < NPART__NO_RATE, "a rate's place is a byte");
    memset(out, 0, sizeof *out);
    out->invoker = invoker;
    for (unsigned a = 0; a < NPART__ARITHMETICS; a++) {
        npart__target_parameters(target, (enum npart__arithmetic)a, invoker, out->values[a]);
        const struct npart__parameter *sustained = is_sustained ? out->values[a][NPART__PARAMETER_SUSTAINED] : NULL;
        for (uint32_t p = 0; p < NPART__PARAMETERS; p++) {
            if (out->values[a][p] && is_others(out->values[a][p], invoker, own))
                out->values[a][p] = NULL;
            out->of[a][p] = NPART__NO_RATE;
            if (out->values[a][p] && where_of[p] != NPART__AT_OTHER)
                out->of[a][p] = place_of(out, out->values[a][p], (uint8_t)a, sustained);
        }
    }
}

/* ---- bills ------------------------------------------------------------------------------------------------- */

/* A bill by rate, for one part or all of them. The precision of most of the NPU's time says which model_sigma is
 * meant: errors of the formula differ by precision. */
struct sum {
    double quantities[NPART__MOST_RATES];
    double ms, npu_ms; /* npu_ms: what the NPU itself takes */
    double sigma;      /* of that, see `model_sigma` */
    unsigned most;     /* the arithmetic of most of it */
};

static void sum_up(const struct npart__rates *rates, const struct npart__bill *bill, enum npart__part part,
                   struct sum *out)
{
    uint32_t first = part == NPART__PART_ALL ? 0 : part, last = part == NPART__PART_ALL ? NPART__PARTS - 1 : part;
    double by_arithmetic[NPART__ARITHMETICS] = {0};
    unsigned most = 0;
    memset(out, 0, sizeof *out);
    /* In the order of rates, so that sums come out the same on every machine. */
    for (uint32_t i = 0; i < rates->count; i++) {
        for (uint32_t p = first; p <= last; p++)
            out->quantities[i] += bill->quantities[p][i];
        /* Quantities add up over parts first: one rate is off by the same in each part. */
        double ms = out->quantities[i] * rates->items[i].ms;
        out->ms += ms;
        if (where_of[rates->items[i].from->name] != NPART__AT_NPU)
            continue;
        out->npu_ms += ms;
        by_arithmetic[rates->arithmetic[i]] += ms;
    }
    for (unsigned a = 1; a < NPART__ARITHMETICS; a++)
        most = by_arithmetic[a] > by_arithmetic[most] ? a : most;
    const struct npart__parameter *sigma = rates->values[most][NPART__PARAMETER_SIGMA];
    out->sigma = sigma ? sigma->typical : 0;
    out->most = most;
}

/* Of shares of the whole, the variance of its logarithm. What may be 0 has a deviation in time; ln(1 + x) is the
 * variance of the log-normal distribution that has it. Shares and not times: of a sum of log-normal parts the
 * logarithm is, to first order, off by each part's share times what that is off by. */
struct variance {
    double of_logarithm, of_time;
};

static void add(struct variance *variance, const struct npart__rate *rate, double share)
{
    *(rate->may_be_0 ? &variance->of_time : &variance->of_logarithm) += square(share * rate->deviation_ms);
}

/* The typical value stays the sum of typical ones; low and high are as far from it in ratio. 10 ms with a
 * deviation of 0.2 are 7.7 to 12.9 ms. */
static double spread(const struct variance *variance)
{
    return exp(WITHIN_80_PERCENT * sqrt(variance->of_logarithm + log1p(variance->of_time)));
}

/* Where typically nothing is taken, the high end is that of one side of a normal distribution. */
struct npart_cost_range npart__bill_range(const struct npart__rates *rates, const struct npart__bill *bill,
                                      enum npart__part part)
{
    struct variance variance = {0, 0};
    struct sum sum;
    sum_up(rates, bill, part, &sum);
    double whole = sum.ms > 0 ? sum.ms : 1; /* nothing is to be divided by 0 */
    for (uint32_t i = 0; i < rates->count; i++)
        add(&variance, &rates->items[i], sum.quantities[i] / whole);
    variance.of_logarithm += square(sum.sigma * sum.npu_ms / whole);
    if (sum.ms <= 0)
        return (struct npart_cost_range){0, 0, WITHIN_80_PERCENT * sqrt(variance.of_time)};
    double factor = spread(&variance);
    return (struct npart_cost_range){sum.ms / factor, sum.ms, sum.ms * factor};
}

/* The first arithmetic's rates: what is compiled has no precision here. Two operations are a multiply-accumulate. */
struct npart_cost_range npart__compile_range(const struct npart__rates *rates, const struct npart__compile_work *work)
{
    const struct { enum npart__parameter_name name; double quantity; } parts[] = {
        {NPART__PARAMETER_COMPILE, work->partitions},
        {NPART__PARAMETER_COMPILE_NODE, work->nodes},
        {NPART__PARAMETER_COMPILE_WEIGHTS, work->weight_bytes},
        {NPART__PARAMETER_COMPILE_MATRIX, 2 * work->macs},
    };
    struct variance variance = {0, 0};
    double ms = 0;
    for (size_t i = 0; i < NPART__COUNT(parts); i++) {
        uint8_t rate = rates->of[0][parts[i].name];
        ms += rate == NPART__NO_RATE ? 0 : parts[i].quantity * rates->items[rate].ms;
    }
    if (work->is_partial || ms <= 0)
        return NPART__UNKNOWN_RANGE;
    for (size_t i = 0; i < NPART__COUNT(parts); i++) {
        uint8_t rate = rates->of[0][parts[i].name];
        if (rate != NPART__NO_RATE)
            add(&variance, &rates->items[rate], parts[i].quantity / ms);
    }
    double factor = spread(&variance);
    return (struct npart_cost_range){ms / factor, ms, ms * factor};
}

/* By address: plans of one list and target share its parameters. */
static bool are_same(const struct npart__rates *a, const struct npart__rates *b)
{
    bool are = a->count == b->count;
    for (uint32_t i = 0; are && i < a->count; i++)
        are = a->items[i].from == b->items[i].from;
    return are;
}

/* The logarithm of a quotient is off by what its two parts are off by, one taken from the other: rate by rate, as the
 * same rate is off by the same in both. Of another target's all are different ones. So a plan and its trial, which
 * differ in two launches, are told apart although both ranges overlap. Where 80 % of both are computing at one
 * rate, that rate drops out, whatever it is off by. */
struct npart__ratio npart__bill_ratio(const struct npart__rates *rates_of_a, const struct npart__bill *a,
                                      const struct npart__rates *rates_of_b, const struct npart__bill *b)
{
    struct variance variance = {0, 0};
    bool is_shared = are_same(rates_of_a, rates_of_b);
    struct sum of_a, of_b;
    sum_up(rates_of_a, a, NPART__PART_ALL, &of_a);
    sum_up(rates_of_b, b, NPART__PART_ALL, &of_b);
    /* What takes nothing has no quotient. */
    if (of_a.ms <= 0 || of_b.ms <= 0)
        return (struct npart__ratio){-1, -1, -1};
    for (uint32_t i = 0; i < rates_of_a->count; i++)
        add(&variance, &rates_of_a->items[i],
            of_a.quantities[i] / of_a.ms - (is_shared ? of_b.quantities[i] / of_b.ms : 0));
    for (uint32_t i = 0; !is_shared && i < rates_of_b->count; i++)
        add(&variance, &rates_of_b->items[i], of_b.quantities[i] / of_b.ms);
    double model_of_a = of_a.sigma * of_a.npu_ms / of_a.ms, model_of_b = of_b.sigma * of_b.npu_ms / of_b.ms;
    variance.of_logarithm += is_shared ? square(model_of_a - model_of_b) : square(model_of_a) + square(model_of_b);
    double factor = spread(&variance), typical = of_a.ms / of_b.ms;
    return (struct npart__ratio){typical / factor, typical, typical * factor};
}

/* 1, all of it, where there is nothing: a bill without quantities rests on no measurement. */
static double assumed_share(const struct npart__rates *rates, const struct npart__bill *bill)
{
    double assumed = 0;
    struct sum sum;
    sum_up(rates, bill, NPART__PART_ALL, &sum);
    for (uint32_t i = 0; i < rates->count; i++)
        if (rates->items[i].from->is_assumed)
            assumed += sum.quantities[i] * rates->items[i].ms;
    return sum.ms > 0 ? assumed / sum.ms : 1;
}

/* Of a chip's own line, or one for all of a list that has one chip; else by another chip that it is like. */
static enum npart_basis basis_of(const struct npart__parameter *held_out, const struct npart__parameter *sister,
                                 uint32_t variant)
{
    bool is_own = held_out && (held_out->variant == NPART_NONE || held_out->variant == variant);
    const struct npart__parameter *error = held_out ? held_out : sister;
    if (!error || error->typical > MOST_ERROR)
        return NPART_BASIS_DOCUMENTS;
    return is_own ? NPART_BASIS_MEASURED : NPART_BASIS_FAMILY;
}

/* A user's own figures are of the chip at hand: a file laid on top is a measurement where most of the time is by it. */
bool npart__bill_is_measured(const struct npart__rates *rates, const struct npart__bill *bill)
{
    double by_user = 0;
    struct sum sum;
    sum_up(rates, bill, NPART__PART_ALL, &sum);
    for (uint32_t i = 0; i < rates->count; i++)
        if (rates->items[i].from->layer && !rates->items[i].from->is_assumed)
            by_user += sum.quantities[i] * rates->items[i].ms;
    return by_user > 0.5 * sum.ms;
}

enum npart_basis npart__bill_basis(const struct npart__rates *rates, const struct npart__bill *bill, uint32_t variant)
{
    struct sum sum;
    if (assumed_share(rates, bill) > 0.5)
        return NPART_BASIS_DOCUMENTS;
    if (npart__bill_is_measured(rates, bill))
        return NPART_BASIS_MEASURED;
    sum_up(rates, bill, NPART__PART_ALL, &sum);
    return basis_of(rates->values[sum.most][NPART__PARAMETER_HELD_OUT],
                    rates->values[sum.most][NPART__PARAMETER_SISTER], variant);
}

double npart__bill_error(const struct npart__rates *rates, const struct npart__bill *bill)
{
    struct sum sum;
    sum_up(rates, bill, NPART__PART_ALL, &sum);
    const struct npart__parameter *error = rates->values[sum.most][NPART__PARAMETER_HELD_OUT];
    error = error ? error : rates->values[sum.most][NPART__PARAMETER_SISTER];
    bool is_known = error && !error->is_assumed && assumed_share(rates, bill) <= 0.5;
    return is_known && !npart__bill_is_measured(rates, bill) ? error->typical : -1;
}
