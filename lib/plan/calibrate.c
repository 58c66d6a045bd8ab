/* SPDX-License-Identifier: Apache-2.0
 *
 * A time is a bill: quantities at rates. Each parameter of the rates that matter gets an unknown factor, which is
 * fitted (cost/fit.h) with what the list says of it as the prior: its deviation is that of the list's range. What
 * limits a node may change with the factors, so bills are made again with them, and the fit is repeated. Partitions
 * stay.
 *
 * Two totals alone tell no parameters: two factors are fitted then, one of all that the NPU computes and one of all
 * else, both within LEAST_SCALE and its inverse.
 *
 * A calibration is accepted where it halves the error of models that it has not seen: each model is left out in turn.
 */
#include "plan/calibrate.h"

#include <math.h>
#include <stdio.h>

#include "cost/fit.h"

/* Choices of ours; what they bring is measured by make fidelity-calibrate. */
#define LEAST_SCALE 0.25
#define MOST_MS 1e12       /* 31 years: no run takes as long, and sums and squares of it are still numbers */
#define LEAST_WEIGHT 0.01  /* a parameter matters when its deviation moves some time by this share */
#define IDENTIFIED 0.7     /* of a factor's deviation at most this share is left */
#define SPREAD 0.15        /* of networks' times about what the formula says */
#define REPEATS 4u         /* of the fit, with bills made again: what limits a node seldom changes more often */
#define ACCEPTED 0.5       /* share of the error that may be left */
#define WITHIN_80_PERCENT 1.28155 /* deviations on either side of the middle of a normal distribution */
#define CANDIDATES 128u /* parameters that are looked at; a list has fewer */

/* Also the places of the two factors, where sides are scaled. */
enum side { SIDE_NPU, SIDE_OTHERS, SIDES };

/* One unknown: by what the times of a parameter, or of a side, are to be multiplied. */
struct factor {
    const struct npart__parameter *from; /* NULL: of a whole side */
    double deviation, weight; /* of its logarithm; deviation times share of a time */
};

/* What was measured, one by one. */
struct time {
    /* The caller's row; the partition of TIME_PARTITION, else NPART_NONE. */
    uint32_t row, partition;
    enum { TIME_TOTAL, TIME_CPU, TIME_PARTITION } kind;
};

/* `parts` is by time and factor, `fixed` by time: the shape that lib/cost/fit.h asks for. Memory is of the arena,
 * which the caller clears. */
struct calibrating {
    const struct npart__measured *rows;
    uint32_t row_count;
    struct npart__arena *arena;
    struct factor factors[NPART__MOST_FACTORS];
    uint32_t factor_count;
    bool is_scaled; /* two factors of sides, see above */
    struct NPART__ARRAY(struct time) times;
    double *parts, *fixed, *measured, deviations[NPART__MOST_FACTORS];
    bool *skips; /* by time */
};

/* ---- bills ------------------------------------------------------------------------------------------------- */

/* The factor of a rate; factor_count where it has none, and its time is fixed. */
static uint32_t factor_of(const struct calibrating *c, const struct npart__rate *rate)
{
    uint32_t k = 0;
    if (c->is_scaled)
        return npart__is_npu_rate(rate) ? SIDE_NPU : SIDE_OTHERS;
    while (k < c->factor_count && c->factors[k].from != rate->from)
        k++;
    return k;
}

/* Of a row, with factors: what is needed for each of its times. */
struct priced {
    struct npart__node_costs nodes;
    struct npart__cost cost;
};

/* Partitions stay as the plan has them; rates alone differ, and with them what limits each node. */
static npart_status price(const struct calibrating *c, uint32_t row, const double *x, struct npart__arena *scratch,
                          struct priced *out, struct npart_error *error)
{
    const struct npart__plan *plan = c->rows[row].plan;
    /* A copy, so that the plan's own costs stay: it belongs to the caller's handle. */
    out->nodes = *plan->node_costs;
    for (uint32_t i = 0; i < out->nodes.rates.count; i++) {
        struct npart__rate *rate = &out->nodes.rates.items[i];
        uint32_t k = factor_of(c, rate);
        if (k < c->factor_count)
            rate->ms *= exp(x[k]);
    }
    if (!npart__cost_nodes(&plan->session, &plan->works, scratch, &out->nodes))
        return npart__fail_memory(error);
    return npart__estimate_cost(&plan->target, &plan->session, &plan->partitioning, &out->nodes, &plan->sides, scratch,
                                &out->cost, error);
}

/* What a rate comes to in a run, the cold start apart. The cold start is paid once, and what was measured are runs
 * after it. */
static double time_at(const struct npart__rates *rates, const struct npart__bill *bill, uint32_t rate)
{
    double sum = 0;
    for (uint32_t part = 0; part < NPART__PARTS; part++)
        sum += bill->quantities[part][rate];
    return sum * rates->items[rate].ms;
}

/* A partition's time is that of its kernel: its launch and its nodes. What is copied across its border is in the
 * total alone. */
static struct npart__bill bill_of(const struct calibrating *c, const struct time *time, const struct priced *priced)
{
    const struct npart__plan *plan = c->rows[time->row].plan;
    const struct npart__node_costs *nodes = &priced->nodes;
    if (time->kind == TIME_TOTAL)
        return priced->cost.bill;
    struct npart__bill bill = {.unknown = 0};
    if (time->kind == TIME_PARTITION) {
        npart__charge(&bill, NPART__PART_SWITCH, nodes->rates.of[0][NPART__PARAMETER_LAUNCH], 1);
        npart__charge(&bill, NPART__PART_SWITCH, nodes->rates.of[0][NPART__PARAMETER_RUNTIME], 1);
    }
    for (uint32_t i = 0; i < nodes->count; i++) {
        uint32_t partition = plan->partitioning.partition_of[i];
        /* The CPU's time is that of its nodes. */
        bool is_in = time->kind == TIME_CPU ? partition == NPART_NONE : partition == time->partition;
        if (is_in && npart__is_live(&plan->session, i))
            npart__charge_node(&bill, &nodes->items[i], partition != NPART_NONE);
    }
    return bill;
}

/* Parts and what is fixed, of the times of all rows that are not left out. */
static npart_status find_parts(struct calibrating *c, const double *x, struct npart_error *error)
{
    struct npart__arena scratch;
    struct priced *priced = npart__arena_allocate(c->arena, sizeof *priced);
    npart_status status = priced ? NPART_OK : npart__fail_memory(error);
    uint32_t row = NPART_NONE;
    npart__arena_init(&scratch, &c->arena->allocator);
    for (uint32_t t = 0; t < c->times.count && status == NPART_OK; t++) {
        const struct time *time = &c->times.items[t];
        double *parts = c->parts + (size_t)t * c->factor_count;
        if (c->skips[t])
            continue;
        /* Times of a row stand together, so each plan is priced once a call. */
        if (time->row != row) {
            npart__arena_clear(&scratch);
            row = time->row;
            status = price(c, row, x, &scratch, priced, error);
            if (status != NPART_OK)
                break;
        }
        struct npart__bill bill = bill_of(c, time, priced);
        /* Rates without a factor are what they are. */
        c->fixed[t] = 0;
        memset(parts, 0, c->factor_count * sizeof *parts);
        for (uint32_t i = 0; i < priced->nodes.rates.count; i++) {
            uint32_t k = factor_of(c, &priced->nodes.rates.items[i]);
            *(k < c->factor_count ? &parts[k] : &c->fixed[t]) += time_at(&priced->nodes.rates, &bill, i);
        }
    }
    npart__arena_clear(&scratch);
    if (priced)
        npart__arena_release(c->arena, priced);
    return status;
}

/* ---- factors ----------------------------------------------------------------------------------------------- */

/* Of the logarithm of a parameter; 0 of one that is exact, or that is nothing. A range is 80 % of a log-normal
 * distribution: its ends are WITHIN_80_PERCENT deviations from the middle. Where the lower end is 0, which has no
 * logarithm, the upper half alone says it. From 0.5 to 2 it is ln(4) / 2.56, or 0.54; from 0 to 3 about a middle
 * of 1 it is ln(3) / 1.28, or 0.86. */
static double deviation_of(const struct npart__parameter *parameter)
{
    if (parameter->low > 0)
        return log(parameter->high / parameter->low) / (2 * WITHIN_80_PERCENT);
    return parameter->typical > 0 ? log(parameter->high / parameter->typical) / WITHIN_80_PERCENT : 0;
}

/* The largest weight over all times counts: a parameter that decides one time can be told by that one. A rate with
 * a deviation of 0.5 that is 10 % of a time has a weight of 0.05: it may move that time by 5 %. */
static void weigh(struct factor *candidates, uint32_t *count, const struct npart__rate *rate, double share)
{
    double deviation = deviation_of(rate->from);
    uint32_t i = 0;
    while (i < *count && candidates[i].from != rate->from)
        i++;
    if (i == *count && (i == CANDIDATES || deviation * share < LEAST_WEIGHT))
        return;
    if (i == *count)
        candidates[(*count)++] = (struct factor){rate->from, deviation, 0};
    if (candidates[i].weight < deviation * share)
        candidates[i].weight = deviation * share;
}

/* The parameters that move some time most. Only totals are looked at, as every row has one. With more factors than
 * NPART__MOST_FACTORS the fit would be of the prior alone. */
static npart_status choose_factors(struct calibrating *c, struct npart_error *error)
{
    struct factor candidates[CANDIDATES];
    uint32_t count = 0;
    for (uint32_t t = 0; t < c->times.count; t++) {
        const struct npart__plan *plan = c->rows[c->times.items[t].row].plan;
        const struct npart__rates *rates = &plan->node_costs->rates;
        double whole = plan->cost.total_ms.typical;
        for (uint32_t i = 0; i < rates->count && c->times.items[t].kind == TIME_TOTAL && whole > 0; i++)
            weigh(candidates, &count, &rates->items[i], time_at(rates, &plan->cost.bill, i) / whole);
    }
    while (c->factor_count < NPART__MOST_FACTORS && count > 0) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < count; i++)
            if (candidates[i].weight > candidates[best].weight)
                best = i;
        c->factors[c->factor_count++] = candidates[best];
        candidates[best] = candidates[--count];
    }
    return c->factor_count ? NPART_OK
                           : npart__fail(error, NPART_ERROR_ARGUMENT, "", "the list says nothing that could be fitted");
}

/* The scale's range is LEAST_SCALE to its inverse, taken as 80 % like any other range. */
static void choose_sides(struct calibrating *c)
{
    c->is_scaled = true;
    c->factor_count = SIDES;
    for (uint32_t k = 0; k < SIDES; k++)
        c->factors[k] = (struct factor){NULL, -log(LEAST_SCALE) / WITHIN_80_PERCENT, 1};
}

/* ---- times ------------------------------------------------------------------------------------------------- */

static bool is_time(double ms)
{
    return ms > 0 && ms <= MOST_MS;
}

/* `number` counts from 1, as rows of the user's file do. A plan without a known time has no parts to be scaled.
 * NaN is refused as well, since no comparison holds of it. */
static npart_status check_row(const struct npart__measured *row, uint32_t number, struct npart_error *error)
{
    char place[32];
    (void)snprintf(place, sizeof place, "measurement %u", number);
    if (!is_time(row->total_ms) || !(row->cpu_ms <= MOST_MS))
        return npart__fail(error, NPART_ERROR_ARGUMENT, place, "a time is none");
    if (!row->plan->cost.is_known)
        return npart__fail(error, NPART_ERROR_ARGUMENT, place,
                           "the plan's own time is not known: a size is dynamic, or the list has no rates");
    return NPART_OK;
}

/* The total first, then what is known beyond it. */
static bool add_times(struct calibrating *c, uint32_t row)
{
    const struct npart__measured *measured = &c->rows[row];
    uint32_t partitions = measured->partition_ms ? measured->plan->partitioning.partitions.count : 0;
    bool is_fine = NPART__PUSH(c->arena, &c->times, ((struct time){row, NPART_NONE, TIME_TOTAL}));
    if (measured->cpu_ms > 0)
        is_fine &= NPART__PUSH(c->arena, &c->times, ((struct time){row, NPART_NONE, TIME_CPU}));
    /* Partitions of which no time is given, or none that can be, are passed over. */
    for (uint32_t p = 0; p < partitions; p++)
        if (is_time(measured->partition_ms[p]))
            is_fine &= NPART__PUSH(c->arena, &c->times, ((struct time){row, p, TIME_PARTITION}));
    return is_fine;
}

static npart_status gather_times(struct calibrating *c, struct npart_error *error)
{
    npart_status status = NPART_OK;
    for (uint32_t row = 0; row < c->row_count && status == NPART_OK; row++) {
        status = check_row(&c->rows[row], row + 1, error);
        if (status == NPART_OK && !add_times(c, row))
            status = npart__fail_memory(error);
    }
    /* `parts` has room for as many factors as there may be: how many there are is chosen after. */
    size_t count = c->times.count;
    c->parts = npart__arena_zeroed(c->arena, (count + 1) * NPART__MOST_FACTORS, sizeof *c->parts);
    c->fixed = npart__arena_zeroed(c->arena, count + 1, sizeof *c->fixed);
    c->measured = npart__arena_zeroed(c->arena, count + 1, sizeof *c->measured);
    c->skips = npart__arena_zeroed(c->arena, count + 1, sizeof *c->skips);
    if (status == NPART_OK && (!c->parts || !c->fixed || !c->measured || !c->skips))
        status = npart__fail_memory(error);
    for (uint32_t t = 0; t < count && status == NPART_OK; t++) {
        const struct time *time = &c->times.items[t];
        const struct npart__measured *row = &c->rows[time->row];
        c->measured[t] = time->kind == TIME_TOTAL ? row->total_ms
                         : time->kind == TIME_CPU ? row->cpu_ms
                                                  : row->partition_ms[time->partition];
    }
    return status;
}

/* ---- fitting ----------------------------------------------------------------------------------------------- */

/* From where `x` is; times that are skipped do not count. *is_bound: a scale would be beyond its limit. Within a
 * step the parts are held fixed, though a factor may move a node from one limit to another (its operations, its
 * bytes): hence the repeats, until no factor moves by 1 %. */
static npart_status solve(struct calibrating *c, double *x, double *left, bool *is_bound, struct npart_error *error)
{
    double change = 1;
    for (uint32_t i = 0; i < REPEATS && change > 0.01; i++) {
        double before[NPART__MOST_FACTORS] = {0};
        npart_status status = find_parts(c, x, error);
        if (status != NPART_OK)
            return status;
        struct npart__fitting fit = {.factor_count = c->factor_count,
                                 .time_count = c->times.count,
                                 .parts = c->parts,
                                 .fixed = c->fixed,
                                 .measured = c->measured,
                                 .deviations = c->deviations,
                                 .spread = SPREAD};
        /* Parts are those at the present factors. */
        memcpy(fit.at, x, c->factor_count * sizeof *x);
        memcpy(before, x, c->factor_count * sizeof *x);
        if (!npart__fit_solve(&fit, c->skips, x, left))
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the times are out of any range");
        change = 0;
        for (uint32_t k = 0; k < c->factor_count; k++)
            change = fmax(change, fabs(x[k] - before[k]));
    }
    /* Two totals say little, and a quarter or four times what was estimated is more likely another clock than a
     * calibration. */
    for (uint32_t k = 0; k < c->factor_count && c->is_scaled; k++) {
        double most = -log(LEAST_SCALE);
        *is_bound |= fabs(x[k]) >= most;
        x[k] = fmax(-most, fmin(most, x[k]));
    }
    return NPART_OK;
}

static bool is_of_model(const struct calibrating *c, uint32_t time, const char *model)
{
    return strcmp(c->rows[c->times.items[time].row].plan->model_name, model) == 0;
}

/* Of the totals that are not skipped, with `x`: how far each is off, as a logarithm, by row. 10 % too long and 10
 * % too short (by a factor of 1.1) are equally far off. */
static npart_status find_errors(struct calibrating *c, const double *x, double *errors, struct npart_error *error)
{
    npart_status status = find_parts(c, x, error);
    for (uint32_t t = 0; t < c->times.count && status == NPART_OK; t++) {
        double predicted = c->fixed[t];
        for (uint32_t k = 0; k < c->factor_count; k++)
            predicted += c->parts[(size_t)t * c->factor_count + k];
        if (!c->skips[t] && c->times.items[t].kind == TIME_TOTAL)
            errors[c->times.items[t].row] = predicted > 0 ? fabs(log(predicted / c->measured[t])) : 0;
    }
    return status;
}

/* The median: a kernel that no formula catches is off whatever is fitted. Sorts. By insertion: a measurement file
 * has at most NPART_MOST_MEASUREMENTS rows. */
static double middle_of(double *errors, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && errors[k] < errors[k - 1]; k--) {
            double other = errors[k];
            errors[k] = errors[k - 1];
            errors[k - 1] = other;
        }
    return count ? (errors[(count - 1) / 2] + errors[count / 2]) / 2 : 0;
}

/* Each model is left out in turn, with all its times. With all its rows, too: a model that was measured twice
 * would else be fitted on while it is held out. First its times are skipped for the fit, then all others for the
 * error, so `errors` is filled in by row over the turns. */
static npart_status leave_out(struct calibrating *c, const double *from, double *errors, uint32_t *models,
                              struct npart_error *error)
{
    npart_status status = NPART_OK;
    for (uint32_t row = 0; row < c->row_count && status == NPART_OK; row++) {
        const char *model = c->rows[row].plan->model_name;
        double x[NPART__MOST_FACTORS], left[NPART__MOST_FACTORS];
        bool is_bound = false, is_first = true;
        for (uint32_t r = 0; r < row; r++)
            /* Quadratic in rows, of which there are 64 at most. */
            is_first &= strcmp(c->rows[r].plan->model_name, model) != 0;
        if (!is_first)
            continue;
        ++*models;
        memcpy(x, from, sizeof x);
        for (uint32_t t = 0; t < c->times.count; t++)
            c->skips[t] = is_of_model(c, t, model);
        status = solve(c, x, left, &is_bound, error);
        for (uint32_t t = 0; t < c->times.count; t++)
            c->skips[t] = !c->skips[t];
        if (status == NPART_OK)
            status = find_errors(c, x, errors, error);
    }
    memset(c->skips, 0, c->times.count * sizeof *c->skips);
    return status;
}

/* ---- what comes of it -------------------------------------------------------------------------------------- */

/* A parameter that is a rate (GB/s) goes down when its time goes up; one that is a time goes up with it. */
static struct npart_parameter_range scaled(const struct npart__parameter *parameter, double factor, double spread)
{
    /* A time factor of 2 makes 20 GB/s 10, and 0.3 ms 0.6. */
    bool is_rate = npart__is_rate(npart__parameter_names[parameter->name]);
    double typical = is_rate ? parameter->typical / factor : parameter->typical * factor;
    return (struct npart_parameter_range){typical / spread, typical, typical * spread};
}

/* `moved` is in deviations of the prior: 2 says that the list was off by more than its own range allows. */
static void tell_factors(const struct calibrating *c, const double *x, const double *left,
                         struct npart_calibration *out)
{
    static const char *const sides[] = {"npu", "others"};
    out->fitted_count = c->factor_count;
    for (uint32_t k = 0; k < c->factor_count; k++) {
        const struct npart__parameter *from = c->factors[k].from;
        struct npart_fitted *fitted = &out->fitted[k];
        *fitted = (struct npart_fitted){.parameter = from ? npart__parameter_names[from->name] : sides[k],
                                        .time_factor = exp(x[k]),
                                        .moved = x[k] / c->deviations[k],
                                        .is_identified = left[k] <= IDENTIFIED * c->deviations[k]};
        if (!from)
            continue;
        fitted->precision = from->arithmetic < NPART__ARITHMETICS ? npart__arithmetic_names[from->arithmetic] : NULL;
        fitted->runtime = from->invoker < NPART__INVOKERS ? npart__invoker_names[from->invoker] : NULL;
        fitted->before = (struct npart_parameter_range){from->low, from->typical, from->high};
        fitted->after = scaled(from, exp(x[k]), exp(WITHIN_80_PERCENT * left[k]));
    }
}

/* A line of a cost file, in the form that lib/oplist/cost_lines.c reads, with nine decimals:
 * "param memory_gb_per_s of w8a8 for v73 via onnxruntime 18.2 21.0 24.3 assumed". The target's variant is named also
 * where the list's line is for all, so that others keep what the list says of them. */
static void write_line(const struct npart__target *target, const struct npart__parameter *from,
                       struct npart_parameter_range range, bool is_assumed, struct npart__buffer *text)
{
    npart__append_format(text, "param %s", npart__parameter_names[from->name]);
    if (from->arithmetic < NPART__ARITHMETICS)
        npart__append_format(text, " of %s", npart__arithmetic_names[from->arithmetic]);
    if (target->variant != NPART_NONE)
        npart__append_format(text, " for %s", target->oplist->variants.items[target->variant].name);
    if (from->invoker < NPART__INVOKERS)
        npart__append_format(text, " via %s", npart__invoker_names[from->invoker]);
    npart__append_format(text, " %.9f %.9f %.9f%s\n", range.low, range.typical, range.high,
                         is_assumed ? " assumed" : "");
}

/* All that a side's factor moves, each line of the list once. Their range stays as wide as the list's, since one
 * factor says nothing about a single parameter. */
static void write_sides(const struct calibrating *c, const double *x, struct npart__buffer *text)
{
    const struct npart__parameter *written[CANDIDATES];
    uint32_t count = 0;
    for (uint32_t row = 0; row < c->row_count; row++) {
        const struct npart__plan *plan = c->rows[row].plan;
        const struct npart__rates *rates = &plan->node_costs->rates;
        for (uint32_t i = 0; i < rates->count && count < CANDIDATES; i++) {
            const struct npart__parameter *from = rates->items[i].from;
            uint32_t k = factor_of(c, &rates->items[i]), at = 0;
            while (at < count && written[at] != from)
                at++;
            if (k == c->factor_count || at < count || from->typical <= 0 || time_at(rates, &plan->cost.bill, i) <= 0)
                continue;
            written[count++] = from;
            write_line(&plan->target, from, scaled(from, exp(x[k]), exp(WITHIN_80_PERCENT * deviation_of(from))), false,
                       text);
        }
    }
}

static void write_costs(const struct calibrating *c, const double *x, const struct npart_calibration *told,
                        struct npart__buffer *text)
{
    const struct npart__plan *plan = c->rows[0].plan;
    npart__append_format(text, "format 1\ncost %s\nsource \"calibrated from %u measured times of %u models\"\n",
                         plan->target.oplist->name, c->times.count, told->model_count);
    if (c->is_scaled)
        write_sides(c, x, text);
    /* A parameter that the times did not identify stays `assumed` where it was, so reports go on to say that it is. */
    for (uint32_t k = 0; k < c->factor_count && !c->is_scaled; k++)
        write_line(&plan->target, c->factors[k].from, told->fitted[k].after,
                   c->factors[k].from->is_assumed && !told->fitted[k].is_identified, text);
}

npart_status npart__calibrate(const struct npart__measured *rows, uint32_t count, struct npart__arena *arena,
                              struct npart_calibration *out, struct npart__buffer *text, struct npart_error *error)
{
    struct calibrating c = {.rows = rows, .row_count = count, .arena = arena};
    static const double prior[NPART__MOST_FACTORS] = {0};
    double x[NPART__MOST_FACTORS] = {0}, left[NPART__MOST_FACTORS] = {0};
    double errors[NPART_MOST_MEASUREMENTS] = {0}, before = 0, after = 0, held_out = 0;
    npart_status status = gather_times(&c, error);
    /* With two times or fewer there is less to learn than a parameter needs. */
    if (status == NPART_OK && c.times.count <= 2)
        choose_sides(&c);
    else if (status == NPART_OK)
        status = choose_factors(&c, error);
    for (uint32_t k = 0; k < c.factor_count; k++)
        c.deviations[k] = c.factors[k].deviation;
    /* With the prior alone: what the list says without any measurement. */
    if (status == NPART_OK)
        status = find_errors(&c, prior, errors, error);
    if (status == NPART_OK) {
        before = middle_of(errors, count);
        status = solve(&c, x, left, &out->is_at_limit, error);
    }
    if (status == NPART_OK)
        status = find_errors(&c, x, errors, error);
    out->model_count = 0;
    if (status == NPART_OK) {
        after = middle_of(errors, count);
        status = leave_out(&c, x, errors, &out->model_count, error);
    }
    if (status != NPART_OK)
        return status;
    held_out = middle_of(errors, count);
    /* Errors are logarithms up to here, relative shares from here on. */
    out->time_count = c.times.count;
    out->is_scaled = c.is_scaled;
    /* A logarithm of 0.25 is an error of 28 %. */
    out->error_before = expm1(before);
    out->error_after = expm1(after);
    out->error_held_out = out->model_count > 1 ? expm1(held_out) : -1;
    /* One model cannot be left out and judged by the others, so it is never accepted by itself. */
    out->is_accepted = out->model_count > 1 && !out->is_at_limit && held_out <= ACCEPTED * before;
    tell_factors(&c, x, left, out);
    write_costs(&c, x, out, text);
    return text->failed ? npart__fail_memory(error) : NPART_OK;
}
