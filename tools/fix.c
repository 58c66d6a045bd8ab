/* SPDX-License-Identifier: Apache-2.0 */
#include "fix.h"

#include <string.h>

#include "message.h"
#include "platform.h"
#include "thresholds.h"

/* One line that is written again and again, where somebody looks on. */
static void show_progress(void *payload, const char *rewrite, uint32_t plans)
{
    (void)payload;
    fprintf(stderr, "\r\033[Kplan %u: %.60s", plans, rewrite);
}

static bool shows_progress(const struct options *options)
{
    return !options->is_quiet && is_stream_terminal(stderr);
}

static npart_status search(const struct run *run, npart_fix **out, struct npart_error *error)
{
    const struct options *options = run->options;
    struct npart_plan_options plan = plan_options(options);
    struct npart_inference_options sizes = inference_options(options);
    struct npart_fix_options fix = NPART_FIX_OPTIONS_INIT;
    fix.sizes = &sizes;
    fix.plan = &plan;
    fix.values = options->values;
    fix.value_count = options->value_count;
    fix.allowed = options->allowed;
    fix.only = options->only;
    fix.only_count = options->only_count;
    fix.without = options->without;
    fix.without_count = options->without_count;
    fix.most_growth = options->max_growth;
    fix.progress = shows_progress(options) ? show_progress : NULL;
    fix.keep_bytes = options->keep_bytes;
    npart_status status =
        npart_fix_make(out, options->models[0], (const npart_oplist *const *)run->oplists, options->targets,
                       (uint32_t)options->target_count, &fix, error);
    if (fix.progress)
        fputs("\r\033[K", stderr);
    return status;
}

static npart_status report(struct run *run, const npart_fix *fix, const char *written, struct npart_error *error)
{
    if (run->options->is_quiet)
        return NPART_OK;
    return run->options->format == FORMAT_JSON
               ? npart_report_fix_json(fix, written, write_output, run, error)
               : npart_report_fix_text(fix, written, &run->report, write_output, run, error);
}

/* Of what was written, or would be. */
static void check_thresholds(struct run *run, const npart_fix *fix)
{
    for (int i = 0; i < run->options->target_count; i++)
        if (!meets_thresholds(run->options, run->options->models[0], run->options->targets[i],
                              npart_fix_plan(fix, (uint32_t)i)))
            worsen(run, EXIT_THRESHOLD);
}

/* The report goes to standard output; --output is the model. */
enum exit_status run_fix(struct run *run, struct options *options)
{
    struct npart_error error = {0};
    npart_fix *fix = NULL;
    const char *written = options->is_dry_run ? NULL : options->output;
    if (options->model_count != 1)
        return usage(options->model_count ? "one model at a time" : "which model?");
    if (strcmp(options->models[0], "-") == 0)
        return usage("standard input cannot be read twice, as is needed to write the model");
    if (options->target_count == 0 && !options->oplist)
        return usage("which target? (--list-targets)");
    if (!options->output && !options->is_dry_run)
        return usage("where to? --output FILE, or --dry-run");
    if (!find_oplists(run, options))
        return run->status;
    options->output = NULL;
    run->output = stdout;
    choose_look(run);
    npart_status status = search(run, &fix, &error);
    if (status == NPART_OK && written)
        status = npart_fix_write(fix, written, options->weights, &error);
    if (status != NPART_OK) {
        tell_error(options->models[0], &error);
        worsen(run, status_of(status));
    }
    if (fix && (status == NPART_OK || status == NPART_ERROR_UNPROVEN)) {
        npart_status told = report(run, fix, status == NPART_OK ? written : NULL, &error);
        if (told != NPART_OK && told != NPART_ERROR_WRITE)
            tell_error("", &error);
        worsen(run, status_of(told));
        check_thresholds(run, fix);
    }
    npart_fix_free(fix);
    return run->status;
}
