/* SPDX-License-Identifier: Apache-2.0
 *
 * A time is a sum by parameter (npart_plan_times). Each parameter that matters gets an unknown factor, which is fitted
 * (fit.h) with what the list says of it as the prior: its deviation is that of the list's range. What limits a node
 * may change with the factors, so times are asked for again with them, and the fit is repeated. Partitions stay.
 *
 * Two totals alone tell no parameters: two factors are fitted then, one of all that the NPU computes and one of all
 * else, both within LEAST_SCALE and its inverse.
 *
 * A calibration is accepted where it halves the error of models that it has not seen: each model is left out in turn.
 */
#include <math.h>
#include <stdio.h>

#include "runs/fit.h"
#include "runs/runs.h"

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

/* A measured run, with what its plan says of it. */
struct row {
    const npart_plan *plan;
    double measured_ms, cpu_ms;
    const double *partition_ms; /* by id; NULL: not measured */
    const char *model;
    struct npart_parameter *parameters;
    uint32_t parameter_count, partition_count;
    double *factors; /* by parameter */
    double *ms;      /* npart_plan_times, as it was asked for last */
    double listed_ms; /* of a run, as the list says */
};

/* One unknown: by what the times of a parameter, or of a side, are to be multiplied. */
struct factor {
    struct npart_parameter from; /* size 0: of a whole side */
    double deviation, weight; /* of its logarithm; deviation times share of a time */
};

/* What was measured, one by one: its row, and its row of npart_plan_times. */
struct time {
    uint32_t row, part;
    double ms;
};
enum { PART_TOTAL, PART_CPU, PART_PARTITIONS };

/* `parts` is by time and factor, `fixed` and the others by time: the shape that fit.h asks for. */
struct calibrating {
    struct npart__arena arena;
    struct row *rows;
    uint32_t row_count;
    struct factor factors[NPART__MOST_FACTORS];
    uint32_t factor_count;
    bool is_scaled; /* two factors of sides, see above */
    struct time *times;
    uint32_t time_count;
    double *parts, *fixed, *measured, deviations[NPART__MOST_FACTORS];
    bool *skips; /* by time */
};

struct npart_calibration {
    struct npart__life *life;
    struct npart_calibration_info info;
    struct npart_fitted fitted[NPART__MOST_FACTORS];
};

/* ---- times by parameter ------------------------------------------------------------------------------------------ */

/* The factor of a parameter; factor_count where it has none, and its time is fixed. */
static uint32_t factor_of(const struct calibrating *c, const struct npart_parameter *parameter)
{
    uint32_t k = 0;
    if (c->is_scaled)
        return parameter->is_npu ? SIDE_NPU : SIDE_OTHERS;
    while (k < c->factor_count && c->factors[k].from.line != parameter->line)
        k++;
    return k;
}

/* A row's times, with factors; NULL: as the list says. */
static npart_status price(const struct calibrating *c, struct row *row, const double *x, struct npart_error *error)
{
    for (uint32_t i = 0; x && i < row->parameter_count; i++) {
        uint32_t k = factor_of(c, &row->parameters[i]);
        row->factors[i] = k < c->factor_count ? exp(x[k]) : 1;
    }
    return npart_plan_times(row->plan, x ? row->factors : NULL, row->ms, error);
}

/* Parts and what is fixed, of the times of all rows that are not left out. */
static npart_status find_parts(struct calibrating *c, const double *x, struct npart_error *error)
{
    uint32_t priced = NPART_NONE;
    for (uint32_t t = 0; t < c->time_count; t++) {
        const struct time *time = &c->times[t];
        struct row *row = &c->rows[time->row];
        double *parts = c->parts + (size_t)t * c->factor_count;
        if (c->skips[t])
            continue;
        /* Times of a row stand together, so each plan is priced once a call. */
        npart_status status = time->row == priced ? NPART_OK : price(c, row, x, error);
        if (status != NPART_OK)
            return status;
        priced = time->row;
        c->fixed[t] = 0;
        memset(parts, 0, c->factor_count * sizeof *parts);
        for (uint32_t i = 0; i < row->parameter_count; i++) {
            uint32_t k = factor_of(c, &row->parameters[i]);
            *(k < c->factor_count ? &parts[k] : &c->fixed[t]) += row->ms[(size_t)time->part * row->parameter_count + i];
        }
    }
    return NPART_OK;
}

/* ---- factors ----------------------------------------------------------------------------------------------- */

/* Of the logarithm of a parameter; 0 of one that is exact, or that is nothing. A range is 80 % of a log-normal
 * distribution: its ends are WITHIN_80_PERCENT deviations from the middle. Where the lower end is 0, which has no
 * logarithm, the upper half alone says it. From 0.5 to 2 it is ln(4) / 2.56, or 0.54; from 0 to 3 about a middle
 * of 1 it is ln(3) / 1.28, or 0.86. */
static double deviation_of(const struct npart_parameter_range *range)
{
    if (range->low > 0)
        return log(range->high / range->low) / (2 * WITHIN_80_PERCENT);
    return range->typical > 0 ? log(range->high / range->typical) / WITHIN_80_PERCENT : 0;
}

/* The largest weight over all times counts: a parameter that decides one time can be told by that one. A rate with
 * a deviation of 0.5 that is 10 % of a time has a weight of 0.05: it may move that time by 5 %. */
static void weigh(struct factor *candidates, uint32_t *count, const struct npart_parameter *parameter, double share)
{
    double deviation = deviation_of(&parameter->range);
    uint32_t i = 0;
    while (i < *count && candidates[i].from.line != parameter->line)
        i++;
    if (i == *count && (i == CANDIDATES || deviation * share < LEAST_WEIGHT))
        return;
    if (i == *count)
        candidates[(*count)++] = (struct factor){*parameter, deviation, 0};
    if (candidates[i].weight < deviation * share)
        candidates[i].weight = deviation * share;
}

/* The parameters that move some time most. Only totals are looked at, as every row has one. With more factors than
 * NPART__MOST_FACTORS the fit would be of the prior alone. */
static npart_status choose_factors(struct calibrating *c, struct npart_error *error)
{
    struct factor candidates[CANDIDATES];
    uint32_t count = 0;
    for (uint32_t r = 0; r < c->row_count; r++) {
        struct row *row = &c->rows[r];
        npart_status status = price(c, row, NULL, error);
        if (status != NPART_OK)
            return status;
        for (uint32_t i = 0; i < row->parameter_count && row->listed_ms > 0; i++)
            weigh(candidates, &count, &row->parameters[i], row->ms[i] / row->listed_ms);
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
        c->factors[k] = (struct factor){{0}, -log(LEAST_SCALE) / WITHIN_80_PERCENT, 1};
}

/* ---- times ------------------------------------------------------------------------------------------------- */

static bool is_time(double ms)
{
    return ms > 0 && ms <= MOST_MS;
}

/* `number` counts from 1, as rows of the user's file do. NaN is refused as well, since no comparison holds of it. */
static npart_status check_row(const struct row *row, double *listed_ms, uint32_t number, struct npart_error *error)
{
    struct npart_cost cost = {.size = sizeof cost};
    char place[32];
    (void)snprintf(place, sizeof place, "measurement %u", number);
    if (!is_time(row->measured_ms) || !(row->cpu_ms <= MOST_MS))
        return npart__fail(error, NPART_ERROR_ARGUMENT, place, "a time is none");
    if (!npart_plan_cost(row->plan, &cost) || cost.total.typical_ms < 0)
        return npart__fail(error, NPART_ERROR_ARGUMENT, place,
                           "the plan's own time is not known: a size is dynamic, or the list has no rates");
    *listed_ms = cost.total.typical_ms;
    return NPART_OK;
}

/* Whether a node of a run is a compiled partition, which its provider has named. */
static bool is_partition(const npart_run *run, const struct npart__ran *node)
{
    const char *provider = run->providers[node->provider];
    return !npart__run_is_cpu(run, node->provider) && strncmp(node->name, provider, strlen(provider)) == 0;
}

/* Partitions in the order that they ran are the plan's by id, where there are as many; else nothing is known of them.
 * NULL also when out of memory, as the arena says. */
static const double *partition_times(const npart_run *run, uint32_t planned, struct npart__arena *arena)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->nodes.count; i++)
        count += is_partition(run, &run->nodes.items[i]);
    double *ms = count && count == planned ? npart__arena_zeroed(arena, count, sizeof *ms) : NULL;
    count = 0;
    for (uint32_t i = 0; ms && i < run->nodes.count; i++) {
        const struct npart__ran *node = &run->nodes.items[i];
        if (is_partition(run, node))
            ms[count++] = npart__run_warm_ms(run, node->total_us, node->first_us);
    }
    return ms;
}

/* What a run says where the caller does not. */
static void take_run(struct row *row, const npart_run *run, struct npart__arena *arena)
{
    if (row->measured_ms == 0)
        row->measured_ms = npart__run_warm_ms(run, run->total_us, run->first_us);
    double cpu_ms = 0;
    for (uint32_t i = 0; i < run->nodes.count; i++) {
        const struct npart__ran *node = &run->nodes.items[i];
        if (npart__run_is_cpu(run, node->provider))
            cpu_ms += npart__run_warm_ms(run, node->total_us, node->first_us);
    }
    if (row->cpu_ms <= 0)
        row->cpu_ms = cpu_ms;
    if (!row->partition_ms)
        row->partition_ms = partition_times(run, row->partition_count, arena);
}

/* What the plan says of its parameters, before any time is asked for. */
static npart_status open_row(struct calibrating *c, struct row *row, const struct npart_measurement *measured,
                             uint32_t number, struct npart_error *error)
{
    const npart_plan *plan = measured->plan;
    struct npart_parameter parameter = {.size = sizeof parameter};
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_model_info model = {.size = sizeof model};
    (void)npart_plan_summary(plan, &summary);
    (void)npart_model_info(npart_inference_model(npart_plan_inference(plan)), &model);
    *row = (struct row){.plan = plan,
                        .measured_ms = measured->total_ms,
                        .cpu_ms = measured->cpu_ms,
                        .partition_ms = measured->partition_ms,
                        .model = model.name,
                        .partition_count = summary.partitions};
    if (measured->run)
        take_run(row, measured->run, &c->arena);
    npart_status status = check_row(row, &row->listed_ms, number, error);
    if (status != NPART_OK)
        return status;
    while (npart_plan_parameter(plan, row->parameter_count, &parameter))
        row->parameter_count++;
    size_t count = row->parameter_count + (size_t)1;
    row->parameters = npart__arena_zeroed(&c->arena, count, sizeof *row->parameters);
    row->factors = npart__arena_zeroed(&c->arena, count, sizeof *row->factors);
    row->ms = npart__arena_zeroed(&c->arena, count * (PART_PARTITIONS + row->partition_count), sizeof *row->ms);
    if (c->arena.failed || !row->ms)
        return npart__fail_memory(error);
    for (uint32_t i = 0; i < row->parameter_count; i++) {
        row->parameters[i].size = sizeof *row->parameters;
        (void)npart_plan_parameter(plan, i, &row->parameters[i]);
    }
    return NPART_OK;
}

/* The total first, then what is known beyond it. Partitions of which no time is given, or none that can be, are passed
 * over. */
static void add_times(struct calibrating *c, uint32_t row)
{
    const struct row *of = &c->rows[row];
    uint32_t partitions = of->partition_ms ? of->partition_count : 0;
    c->times[c->time_count++] = (struct time){row, PART_TOTAL, of->measured_ms};
    if (of->cpu_ms > 0)
        c->times[c->time_count++] = (struct time){row, PART_CPU, of->cpu_ms};
    for (uint32_t p = 0; p < partitions; p++)
        if (is_time(of->partition_ms[p]))
            c->times[c->time_count++] = (struct time){row, PART_PARTITIONS + p, of->partition_ms[p]};
}

static npart_status gather_times(struct calibrating *c, const struct npart_measurement *measured,
                                 struct npart_error *error)
{
    size_t most = 1;
    for (uint32_t row = 0; row < c->row_count; row++) {
        npart_status status = open_row(c, &c->rows[row], &measured[row], row + 1, error);
        if (status != NPART_OK)
            return status;
        most += (size_t)PART_PARTITIONS + c->rows[row].partition_count;
    }
    /* `parts` has room for as many factors as there may be: how many there are is chosen after. */
    c->times = npart__arena_zeroed(&c->arena, most, sizeof *c->times);
    c->parts = npart__arena_zeroed(&c->arena, most * NPART__MOST_FACTORS, sizeof *c->parts);
    c->fixed = npart__arena_zeroed(&c->arena, most, sizeof *c->fixed);
    c->measured = npart__arena_zeroed(&c->arena, most, sizeof *c->measured);
    c->skips = npart__arena_zeroed(&c->arena, most, sizeof *c->skips);
    if (c->arena.failed || !c->skips)
        return npart__fail_memory(error);
    for (uint32_t row = 0; row < c->row_count; row++)
        add_times(c, row);
    for (uint32_t t = 0; t < c->time_count; t++)
        c->measured[t] = c->times[t].ms;
    return NPART_OK;
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
                                 .time_count = c->time_count,
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
    return strcmp(c->rows[c->times[time].row].model, model) == 0;
}

/* Of the totals that are not skipped, with `x`: how far each is off, as a logarithm, by row. 10 % too long and 10
 * % too short (by a factor of 1.1) are equally far off. */
static npart_status find_errors(struct calibrating *c, const double *x, double *errors, struct npart_error *error)
{
    npart_status status = find_parts(c, x, error);
    for (uint32_t t = 0; t < c->time_count && status == NPART_OK; t++) {
        double predicted = c->fixed[t];
        for (uint32_t k = 0; k < c->factor_count; k++)
            predicted += c->parts[(size_t)t * c->factor_count + k];
        if (!c->skips[t] && c->times[t].part == PART_TOTAL)
            errors[c->times[t].row] = predicted > 0 ? fabs(log(predicted / c->measured[t])) : 0;
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
        const char *model = c->rows[row].model;
        double x[NPART__MOST_FACTORS], left[NPART__MOST_FACTORS];
        bool is_bound = false, is_first = true;
        for (uint32_t r = 0; r < row; r++)
            /* Quadratic in rows, of which there are 64 at most. */
            is_first &= strcmp(c->rows[r].model, model) != 0;
        if (!is_first)
            continue;
        ++*models;
        memcpy(x, from, sizeof x);
        for (uint32_t t = 0; t < c->time_count; t++)
            c->skips[t] = is_of_model(c, t, model);
        status = solve(c, x, left, &is_bound, error);
        for (uint32_t t = 0; t < c->time_count; t++)
            c->skips[t] = !c->skips[t];
        if (status == NPART_OK)
            status = find_errors(c, x, errors, error);
    }
    memset(c->skips, 0, c->time_count * sizeof *c->skips);
    return status;
}

/* ---- what comes of it -------------------------------------------------------------------------------------- */

/* A parameter that is a rate (GB/s) goes down when its time goes up; one that is a time goes up with it. A time factor
 * of 2 makes 20 GB/s 10, and 0.3 ms 0.6. */
static struct npart_parameter_range scaled(const struct npart_parameter *parameter, double factor, double spread)
{
    double before = parameter->range.typical, typical = parameter->is_speed ? before / factor : before * factor;
    return (struct npart_parameter_range){typical / spread, typical, typical * spread};
}

/* `moved` is in deviations of the prior: 2 says that the list was off by more than its own range allows. */
static void tell_factors(const struct calibrating *c, const double *x, const double *left, npart_calibration *out)
{
    static const char *const sides[] = {"npu", "others"};
    out->info.fitted_count = c->factor_count;
    for (uint32_t k = 0; k < c->factor_count; k++) {
        const struct npart_parameter *from = &c->factors[k].from;
        const struct npart_parameter_range *range = &from->range;
        struct npart_fitted *fitted = &out->fitted[k];
        *fitted = (struct npart_fitted){.size = sizeof *fitted,
                                        .parameter = from->size ? from->name : sides[k],
                                        .precision = from->precision,
                                        .runtime = from->runtime,
                                        .before = {range->low, range->typical, range->high},
                                        .time_factor = exp(x[k]),
                                        .moved = x[k] / c->deviations[k],
                                        .is_identified = left[k] <= IDENTIFIED * c->deviations[k]};
        if (!from->size)
            continue;
        struct npart_parameter_range after = scaled(from, exp(x[k]), exp(WITHIN_80_PERCENT * left[k]));
        fitted->after[0] = after.low;
        fitted->after[1] = after.typical;
        fitted->after[2] = after.high;
    }
}

/* ---- the cost file ----------------------------------------------------------------------------------------------- */

/* Lines of a cost file, in the form that lib/target/oplist/cost_lines.c reads, with nine decimals:
 * "param memory_gb_per_s of w8a8 for v73 via onnxruntime 18.2 21.0 24.3 assumed". The target's variant is named also
 * where the list's line is for all, so that others keep what the list says of them. */
struct cost_file {
    struct npart__buffer *out;
    const char *variant;
};

static void put_number(struct npart__buffer *out, double value)
{
    char text[400], half[16]; /* no number has more digits before its point */
    (void)snprintf(half, sizeof half, "%.1f", 0.5);
    (void)snprintf(text, sizeof text, " %.9f", value);
    char *point = strchr(text, half[1]);
    if (point)
        *point = '.';
    npart__append_text(out, text);
}

static void put_line(const struct cost_file *file, const struct npart_parameter *from,
                     struct npart_parameter_range range, bool is_assumed)
{
    npart__append_format(file->out, "param %s%s%s%s%s%s%s", from->name, from->precision ? " of " : "",
                         from->precision ? from->precision : "", *file->variant ? " for " : "", file->variant,
                         from->runtime ? " via " : "", from->runtime ? from->runtime : "");
    put_number(file->out, range.low);
    put_number(file->out, range.typical);
    put_number(file->out, range.high);
    npart__append_text(file->out, is_assumed ? " assumed\n" : "\n");
}

/* All that a side's factor moves, each line of the list once. Their range stays as wide as the list's, since one
 * factor says nothing about a single parameter. */
static npart_status put_sides(const struct calibrating *c, const double *x, const struct cost_file *file,
                              struct npart_error *error)
{
    uint32_t written[CANDIDATES], count = 0;
    for (uint32_t r = 0; r < c->row_count; r++) {
        struct row *row = &c->rows[r];
        npart_status status = price(c, row, NULL, error);
        if (status != NPART_OK)
            return status;
        for (uint32_t i = 0; i < row->parameter_count && count < CANDIDATES; i++) {
            const struct npart_parameter *from = &row->parameters[i];
            uint32_t k = factor_of(c, from), at = 0;
            while (at < count && written[at] != from->line)
                at++;
            if (at < count || from->range.typical <= 0 || row->ms[i] <= 0)
                continue;
            written[count++] = from->line;
            put_line(file, from, scaled(from, exp(x[k]), exp(WITHIN_80_PERCENT * deviation_of(&from->range))), false);
        }
    }
    return NPART_OK;
}

/* A parameter that the times did not identify stays `assumed` where it was, so reports go on to say that it is. */
static npart_status make_costs(const struct calibrating *c, const double *x, npart_calibration *told,
                               struct npart_error *error)
{
    const npart_plan *plan = c->rows[0].plan;
    struct npart_oplist_info list = {.size = sizeof list};
    struct npart_plan_info info = {.size = sizeof info};
    struct npart__buffer out;
    npart_status status = NPART_OK;
    (void)npart_oplist_info(npart_plan_oplist(plan), &list);
    (void)npart_plan_info(plan, &info);
    npart__buffer_init(&out, &told->life->arena);
    const struct cost_file file = {&out, info.variant};
    npart__append_format(&out, "format 1\ncost %s\nsource \"calibrated from %u measured times of %u models\"\n",
                         list.name, c->time_count, told->info.model_count);
    if (c->is_scaled)
        status = put_sides(c, x, &file, error);
    for (uint32_t k = 0; k < c->factor_count && !c->is_scaled; k++) {
        const double *after = told->fitted[k].after;
        put_line(&file, &c->factors[k].from, (struct npart_parameter_range){after[0], after[1], after[2]},
                 c->factors[k].from.is_assumed && !told->fitted[k].is_identified);
    }
    told->info.costs = npart__made_text(&out);
    return status == NPART_OK && !told->info.costs ? npart__fail_memory(error) : status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static npart_status fit(struct calibrating *c, const struct npart_measurement *measured, double *x,
                        npart_calibration *told, struct npart_error *error)
{
    static const double prior[NPART__MOST_FACTORS] = {0};
    double left[NPART__MOST_FACTORS] = {0}, errors[NPART_MOST_MEASUREMENTS] = {0}, before = 0, after = 0, held_out = 0;
    npart_status status = gather_times(c, measured, error);
    /* With two times or fewer there is less to learn than a parameter needs. */
    if (status == NPART_OK && c->time_count <= 2)
        choose_sides(c);
    else if (status == NPART_OK)
        status = choose_factors(c, error);
    for (uint32_t k = 0; k < c->factor_count; k++)
        c->deviations[k] = c->factors[k].deviation;
    /* With the prior alone: what the list says without any measurement. */
    if (status == NPART_OK)
        status = find_errors(c, prior, errors, error);
    if (status == NPART_OK) {
        before = middle_of(errors, c->row_count);
        status = solve(c, x, left, &told->info.is_at_limit, error);
    }
    if (status == NPART_OK)
        status = find_errors(c, x, errors, error);
    if (status == NPART_OK) {
        after = middle_of(errors, c->row_count);
        status = leave_out(c, x, errors, &told->info.model_count, error);
    }
    if (status != NPART_OK)
        return status;
    held_out = middle_of(errors, c->row_count);
    told->info.time_count = c->time_count;
    told->info.is_scaled = c->is_scaled;
    /* Errors are logarithms up to here, relative shares from here on. A logarithm of 0.25 is an error of 28 %. */
    told->info.error_before = expm1(before);
    told->info.error_after = expm1(after);
    told->info.error_held_out = told->info.model_count > 1 ? expm1(held_out) : -1;
    /* One model cannot be left out and judged by the others, so it is never accepted by itself. */
    told->info.is_accepted = told->info.model_count > 1 && !told->info.is_at_limit && held_out <= ACCEPTED * before;
    tell_factors(c, x, left, told);
    return NPART_OK;
}

static npart_status check_measurements(const struct npart_measurement *rows, uint32_t count, struct npart_error *error)
{
    if (!rows || count == 0 || count > NPART_MOST_MEASUREMENTS)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "from 1 to %u measurements are taken",
                           NPART_MOST_MEASUREMENTS);
    for (uint32_t i = 0; i < count; i++) {
        if (!rows[i].plan)
            return npart__fail_null("plan", error);
        if (rows[i].run && rows[i].total_ms == 0 && rows[i].run->runs == 0)
            return npart__fail(error, NPART_ERROR_ARGUMENT, "",
                               "has no times of runs; calibrate needs a profile");
    }
    return NPART_OK;
}

npart_status npart_calibration_make(npart_calibration **out, const struct npart_measurement *rows, uint32_t count,
                                    struct npart_error *error)
{
    struct row opened[NPART_MOST_MEASUREMENTS] = {0};
    struct calibrating c = {.rows = opened, .row_count = count};
    double x[NPART__MOST_FACTORS] = {0};
    if (!out)
        return npart__fail_null("out", error);
    npart_status status = check_measurements(rows, count, error);
    if (status != NPART_OK)
        return status;
    const struct npart_allocator *allocator = &rows[0].plan->life->arena.allocator;
    npart_calibration *told = npart__handle_new(sizeof *told, allocator);
    if (!told)
        return npart__fail_memory(error);
    npart__arena_init(&c.arena, allocator);
    told->info = (struct npart_calibration_info){.size = sizeof told->info, .run_count = count};
    status = fit(&c, rows, x, told, error);
    if (status == NPART_OK && told->info.is_accepted)
        status = make_costs(&c, x, told, error);
    npart__arena_clear(&c.arena);
    return NPART__HAND_OVER(out, told, status, error);
}

NPART__FREES(calibration)

bool npart_calibration_info(const npart_calibration *calibration, struct npart_calibration_info *out)
{
    if (!calibration || !NPART__HAS_ROOM(out))
        return false;
    *out = calibration->info;
    return true;
}

bool npart_calibration_fitted(const npart_calibration *calibration, uint32_t index, struct npart_fitted *out)
{
    if (!calibration || index >= calibration->info.fitted_count || !NPART__HAS_ROOM(out))
        return false;
    *out = calibration->fitted[index];
    return true;
}
