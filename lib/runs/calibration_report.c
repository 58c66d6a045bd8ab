/* SPDX-License-Identifier: Apache-2.0
 *
 * A calibration as text and JSON.
 */
#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "runs/runs.h"

struct report {
    struct npart__told told;
    const npart_calibration *calibration;
    const struct npart_calibration_names *names;
    struct npart_calibration_info info;
};

/* ---- text ------------------------------------------------------------------------------------------------------ */

/* "0.3 (0.1 to 0.6)" */
static const char *range_text(char out[160], const double range[3])
{
    char low[48], typical[48], high[48];
    (void)snprintf(out, 160, "%s (%s to %s)", npart__digits_text(typical, range[1], 3, false),
                   npart__digits_text(low, range[0], 3, false), npart__digits_text(high, range[2], 3, false));
    return out;
}

static const char *state_of(const struct npart_fitted *fitted)
{
    if (!fitted->is_identified)
        return "not identified";
    return fabs(fitted->moved) > 1 ? "moved" : "confirmed";
}

static void put_fitted(struct report *report, const struct npart_fitted *fitted)
{
    char name[80], before[160], after[160], factor[48];
    (void)snprintf(name, sizeof name, "%s%s%s%s%s", fitted->parameter, fitted->precision ? " of " : "",
                   fitted->precision ? fitted->precision : "", fitted->runtime ? " via " : "",
                   fitted->runtime ? fitted->runtime : "");
    if (report->info.is_scaled) {
        npart__tell_line(&report->told, "  %-34s takes %s times as long; %s", name,
                         npart__digits_text(factor, fitted->time_factor, 3, false), state_of(fitted));
        return;
    }
    npart__tell_part(&report->told, "  %-34s %-24s %-24s %s", name, range_text(before, fitted->before),
                range_text(after, fitted->after), fitted->moved < 0 ? "-" : "+");
    npart__append_fixed(&report->told.out, fabs(fitted->moved), 1);
    npart__tell_line(&report->told, " sigma; %s", state_of(fitted));
}

static const char *refusal(const struct npart_calibration_info *info)
{
    if (info->model_count < 2)
        return "one model cannot show whether it helps others";
    if (info->is_at_limit)
        return "a scale would be beyond 1/4 to 4";
    return "it does not halve the error of models that are left out";
}

static void put_text(struct report *report)
{
    const struct npart_calibration_info *info = &report->info;
    struct npart__told *told = &report->told;
    uint32_t left_out = report->names->left_out;
    npart__tell_part(told, "%s: %u run%s of %u model%s, %u time%s", report->names->target, info->run_count,
                npart__plural(info->run_count), info->model_count, npart__plural(info->model_count), info->time_count,
                npart__plural(info->time_count));
    if (left_out)
        npart__tell_part(told, "; %u run%s left out", left_out, npart__plural(left_out));
    npart__append_text(&told->out, "\n\n");
    if (!info->is_scaled)
        npart__tell_line(told, "  parameter                          before                   after");
    struct npart_fitted fitted = {.size = sizeof fitted};
    for (uint32_t i = 0; npart_calibration_fitted(report->calibration, i, &fitted); i++)
        put_fitted(report, &fitted);
    npart__append_text(&told->out, "\n");
    npart__tell_part(told, "  median error of total times: %.0f %% before, %.0f %% after", info->error_before * 100,
                info->error_after * 100);
    if (info->error_held_out >= 0)
        npart__tell_part(told, "; %.0f %% of models left out of the fit", info->error_held_out * 100);
    npart__append_text(&told->out, "\n");
    if (!info->is_accepted)
        npart__tell_line(told, "  NOT ACCEPTED: %s; the list's values stay", refusal(info));
    else if (report->names->written)
        npart__tell_line(told, "  ACCEPTED: --cost %s uses it", report->names->written);
    else
        npart__tell_line(told, "  ACCEPTED: --output FILE writes it for --cost FILE");
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

static void put_range(struct npart__buffer *out, const char *key, const double range[3], bool is_scaled)
{
    if (is_scaled) {
        npart__json_value(out, key, "null");
        return;
    }
    npart__json_open(out, key, '[');
    for (int i = 0; i < 3; i++)
        npart__json_real(out, NULL, range[i], 6);
    npart__json_close(out, ']');
}

static void put_fitted_json(struct report *report, const struct npart_fitted *fitted)
{
    struct npart__buffer *out = &report->told.out;
    npart__json_open(out, NULL, '{');
    npart__json_text(out, "parameter", fitted->parameter);
    npart__json_text_or_null(out, "precision", fitted->precision);
    npart__json_text_or_null(out, "runtime", fitted->runtime);
    put_range(out, "before", fitted->before, report->info.is_scaled);
    put_range(out, "after", fitted->after, report->info.is_scaled);
    npart__json_real(out, "time_factor", fitted->time_factor, 6);
    npart__json_real(out, "moved", fitted->moved, 6);
    npart__json_flag(out, "identified", fitted->is_identified);
    npart__json_close(out, '}');
}

static void put_json(struct report *report)
{
    const struct npart_calibration_info *info = &report->info;
    struct npart__buffer *out = &report->told.out;
    struct npart_fitted fitted = {.size = sizeof fitted};
    npart__json_open(out, NULL, '{');
    npart__json_number(out, "schema", 2);
    npart__json_text(out, "command", "calibrate");
    npart__json_text(out, "target", report->names->target);
    npart__json_number(out, "runs", info->run_count);
    npart__json_number(out, "models", info->model_count);
    npart__json_number(out, "times", info->time_count);
    npart__json_number(out, "left_out", report->names->left_out);
    npart__json_flag(out, "scales", info->is_scaled);
    npart__json_open(out, "fitted", '[');
    for (uint32_t i = 0; npart_calibration_fitted(report->calibration, i, &fitted); i++)
        put_fitted_json(report, &fitted);
    npart__json_close(out, ']');
    npart__json_real(out, "error_before", info->error_before, 6);
    npart__json_real(out, "error_after", info->error_after, 6);
    if (info->error_held_out >= 0)
        npart__json_real(out, "error_held_out", info->error_held_out, 6);
    else
        npart__json_value(out, "error_held_out", "null");
    npart__json_flag(out, "accepted", info->is_accepted);
    npart__json_close(out, '}');
    npart__append_text(out, "\n");
}

/* ---- both ------------------------------------------------------------------------------------------------------ */

static npart_status write_report(struct report *report, void (*put)(struct report *report), npart_write_callback write,
                                 void *payload, struct npart_error *error)
{
    report->info.size = sizeof report->info;
    if (!report->names || !report->names->target || !write)
        return npart__fail_null(!write ? "write" : "names", error);
    if (!npart_calibration_info(report->calibration, &report->info))
        return npart__fail_null("calibration", error);
    npart__buffer_open(&report->told.out, &report->told.arena, NULL, write, payload);
    put(report);
    return npart__buffer_end(&report->told.out, write, payload, NPART_OK, error);
}

npart_status npart_calibration_text(const npart_calibration *calibration, const struct npart_calibration_names *names,
                                    npart_write_callback write, void *payload, struct npart_error *error)
{
    struct report report = {.calibration = calibration, .names = names};
    return write_report(&report, put_text, write, payload, error);
}

npart_status npart_calibration_json(const npart_calibration *calibration, const struct npart_calibration_names *names,
                                    npart_write_callback write, void *payload, struct npart_error *error)
{
    struct report report = {.calibration = calibration, .names = names};
    return write_report(&report, put_json, write, payload, error);
}
