/* SPDX-License-Identifier: Apache-2.0
 *
 * npu-partition: reads the command line, asks the library, prints. It contains no analysis.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "files.h"
#include "message.h"
#include "new_oplist.h"
#include "options.h"

enum exit_status { EXIT_FINE = 0, EXIT_GATE = 1, EXIT_USAGE = 2, EXIT_UNREADABLE = 3, EXIT_OTHER = 4 };

struct run {
    const struct options *options;
    FILE *output; /* NULL until the first byte of an --output file, which stays as it is when nothing comes */
    npart_oplist *oplists[MOST_TARGETS];
    struct npart_report_options report;
    enum exit_status status; /* the worst so far */
    int write_error;         /* errno of the first write that failed */
};

/* Of several, the worst: 4, 3, then 1. */
static void worsen(struct run *run, enum exit_status status)
{
    if (status > run->status)
        run->status = status;
}

static enum exit_status status_of(npart_status status)
{
    switch (status) {
    case NPART_OK:
        return EXIT_FINE;
    case NPART_ERROR_ARGUMENT:
    case NPART_ERROR_OPLIST:
        return EXIT_USAGE;
    case NPART_ERROR_READ:
    case NPART_ERROR_MALFORMED:
    case NPART_ERROR_LIMIT:
        return EXIT_UNREADABLE;
    default:
        return EXIT_OTHER;
    }
}

static void complain(const char *about, const struct npart_error *error)
{
    say("%s%s%s%s%s", about, *about ? ": " : "", error->place, *error->place ? ": " : "", error->message);
}

/* ---- input and output -------------------------------------------------------------------------------------- */

static ptrdiff_t read_standard_input(void *payload, void *into, size_t bytes)
{
    (void)payload;
    for (;;) {
        ssize_t count = read(STDIN_FILENO, into, bytes);
        if (count >= 0 || errno != EINTR)
            return count;
    }
}

/* NULL when it cannot be opened; errno then says why. */
static FILE *open_output(struct run *run)
{
    if (!run->output && !run->write_error)
        run->output = fopen(run->options->output, "wb");
    return run->output;
}

static bool write_output(void *payload, const char *text, size_t bytes)
{
    struct run *run = payload;
    FILE *output = open_output(run);
    bool is_written = output && fwrite(text, 1, bytes, output) == bytes;
    if (!is_written && !run->write_error)
        run->write_error = errno;
    return is_written;
}

static bool write_text(struct run *run, const char *text)
{
    return write_output(run, text, strlen(text));
}

static npart_status read_model(npart_model **out, const struct options *options, const char *path,
                               struct npart_error *error)
{
    struct npart_read_options read = NPART_READ_OPTIONS_INIT;
    read.keep_bytes = options->keep_bytes;
    if (strcmp(path, "-") == 0)
        return npart_model_read_stream(out, read_standard_input, NULL, &read, error);
    return npart_model_read_file(out, path, &read, error);
}

/* ---- gates ------------------------------------------------------------------------------------------------- */

static void check_gates(struct run *run, const char *model, const char *target, const npart_plan *plan)
{
    const struct options *options = run->options;
    struct npart_summary summary = {.size = sizeof summary};
    npart_plan_summary(plan, &summary);
    if (options->max_partitions >= 0 && summary.partitions > (unsigned long)options->max_partitions) {
        say("%s: %s: %u partition%s, threshold: at most %ld", model, target,
                summary.partitions, summary.partitions == 1 ? "" : "s", options->max_partitions);
        worsen(run, EXIT_GATE);
    }
    if (options->min_coverage >= 0 && summary.coverage < options->min_coverage) {
        say("%s: %s: %u of %u nodes on the NPU, threshold: at least %u", model, target,
                summary.accepted, summary.live, (unsigned)(options->min_coverage * summary.live + 0.999999));
        worsen(run, EXIT_GATE);
    }
    if (options->fails_on_fail && summary.failed) {
        say("%s: %s: %u node%s to compile", model, target, summary.failed,
                summary.failed == 1 ? " fails" : "s fail");
        worsen(run, EXIT_GATE);
    }
    if (options->fails_on_unknown && summary.unknown) {
        say("%s: %s: %u node%s undecided", model, target,
                summary.unknown, summary.unknown == 1 ? " is" : "s are");
        worsen(run, EXIT_GATE);
    }
}

/* Once a model: whatever the targets, the runtime does not load it. */
static void check_validity(struct run *run, const char *model, const npart_inference *inference)
{
    struct npart_finding finding = {.size = sizeof finding};
    for (uint32_t i = 0; run->options->fails_on_invalid && npart_inference_finding(inference, i, &finding); i++) {
        if (strcmp(finding.code, "invalid") != 0)
            continue;
        say("%s: %s%s%s%s", model, finding.text, *finding.at ? " (" : "", finding.at, *finding.at ? ")" : "");
        worsen(run, EXIT_GATE);
        return; /* the first is where the runtime stops */
    }
}

/* ---- the terminal ------------------------------------------------------------------------------------------ */

static bool is_terminal(const struct run *run)
{
    return !run->options->output && isatty(STDOUT_FILENO);
}

static void choose_look(struct run *run)
{
    const struct options *options = run->options;
    const char *no_color = getenv("NO_COLOR");
    struct winsize size;
    run->report = (struct npart_report_options)NPART_REPORT_OPTIONS_INIT;
    run->report.use_color = options->color == COLOR_ALWAYS ||
                            (options->color == COLOR_AUTO && is_terminal(run) && !(no_color && *no_color));
    run->report.use_ascii = options->use_ascii;
    run->report.is_verbose = options->is_verbose;
    if (is_terminal(run) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        run->report.width = size.ws_col < 120 ? size.ws_col : 120;
}

/* ---- one model --------------------------------------------------------------------------------------------- */

/* What one model needs; everything is freed in one place. */
struct job {
    npart_model *model;
    npart_inference *inference, *fixed_inference;
    struct npart_plan_pair pairs[MOST_TARGETS];
    npart_plan *plans[MOST_TARGETS], *fixed[MOST_TARGETS];
};

static npart_status make_plans(struct run *run, struct job *job, struct npart_error *error)
{
    const struct options *options = run->options;
    struct npart_plan_options plan = NPART_PLAN_OPTIONS_INIT;
    plan.level = options->level;
    plan.partitioner = options->partitioner;
    plan.gates = options->gates;
    plan.assumptions = options->assumptions;
    plan.assumption_count = options->assumption_count;
    plan.cuts = options->cuts;
    plan.cut_count = options->cut_count;
    for (int i = 0; i < options->target_count; i++) {
        npart_status status =
            npart_plan_make(&job->plans[i], job->inference, run->oplists[i], options->targets[i], &plan, error);
        if (status == NPART_OK && job->fixed_inference)
            status = npart_plan_make(&job->fixed[i], job->fixed_inference, run->oplists[i], options->targets[i], &plan,
                                     error);
        if (status != NPART_OK)
            return status;
        job->pairs[i] = (struct npart_plan_pair){.plan = job->plans[i], .fixed = job->fixed[i]};
    }
    return NPART_OK;
}

static npart_status report(struct run *run, struct job *job, struct npart_error *error)
{
    size_t count = (size_t)run->options->target_count;
    if (run->options->is_quiet)
        return NPART_OK;
    if (run->options->explain)
        return npart_report_explain(job->pairs, count, run->options->explain, &run->report, write_output, run, error);
    if (run->options->format == FORMAT_JSON)
        return npart_report_json(job->pairs, count, &run->report, write_output, run, error);
    return npart_report_text(job->pairs, count, &run->report, write_output, run, error);
}

/* What is known of them; with targets, what their runtimes know, one after the other. */
static npart_status write_shapes(struct run *run, struct job *job, struct npart_error *error)
{
    if (run->options->target_count == 0)
        return npart_report_shapes(job->inference, write_output, run, error);
    npart_status status = make_plans(run, job, error);
    for (int i = 0; status == NPART_OK && i < run->options->target_count; i++)
        status = npart_report_shapes(npart_plan_view(job->plans[i]), write_output, run, error);
    return status;
}

static npart_status analyze(struct run *run, struct job *job, const char *path, struct npart_error *error)
{
    const struct options *options = run->options;
    struct npart_inference_options sizes = NPART_INFERENCE_OPTIONS_INIT;
    sizes.dims = options->dims;
    sizes.dim_count = options->dim_count;
    sizes.inputs = options->inputs;
    sizes.input_count = options->input_count;
    npart_status status = read_model(&job->model, options, path, error);
    if (status == NPART_OK)
        status = npart_inference_make(&job->inference, job->model, &sizes, error);
    if (status != NPART_OK)
        return status;
    if (options->wants_shapes)
        return write_shapes(run, job, error);
    bool is_table = options->format == FORMAT_TEXT && options->target_count > 1 && !options->is_verbose;
    if (!options->is_quiet && !options->explain && !is_table) /* nobody would see it */
        status = npart_inference_make_fixed(&job->fixed_inference, job->inference, error);
    if (status == NPART_OK)
        status = make_plans(run, job, error);
    return status == NPART_OK ? report(run, job, error) : status;
}

static void run_model(struct run *run, const char *path)
{
    struct job job = {0};
    struct npart_error error = {0};
    npart_status status = analyze(run, &job, path, &error);
    if (status != NPART_OK) {
        if (status != NPART_ERROR_WRITE) /* told once, at the end */
            complain(path, &error);
        worsen(run, status_of(status));
    }
    if (status == NPART_OK)
        check_validity(run, path, job.inference);
    for (int i = 0; i < run->options->target_count; i++) {
        if (status == NPART_OK && job.plans[i])
            check_gates(run, path, run->options->targets[i], job.plans[i]);
        npart_plan_free(job.fixed[i]);
        npart_plan_free(job.plans[i]);
    }
    npart_inference_free(job.fixed_inference);
    npart_inference_free(job.inference);
    npart_model_free(job.model);
}

static void show_progress(int number, int count, const char *model)
{
    char shown[256];
    npart_plain_text(model, shown, sizeof shown);
    fprintf(stderr, "\r\033[K%d of %d: %s", number, count, shown);
}

static void run_models(struct run *run)
{
    const struct options *options = run->options;
    bool shows_progress = options->model_count > 1 && isatty(STDERR_FILENO) && !is_terminal(run);
    for (int i = 0; i < options->model_count; i++) {
        if (shows_progress)
            show_progress(i + 1, options->model_count, options->models[i]);
        if (i > 0 && options->format == FORMAT_TEXT && !options->wants_shapes && !options->is_quiet)
            (void)write_text(run, "\n");
        run_model(run, options->models[i]);
    }
    if (shows_progress)
        fputs("\r\033[K", stderr);
}

/* ---- targets ----------------------------------------------------------------------------------------------- */

static npart_status find_oplist(struct run *run, npart_oplist **out, const char *target, struct npart_error *error)
{
    const char *file = run->options->oplist;
    npart_status status = file ? npart_oplist_read_file(out, file, NULL, error)
                               : npart_oplist_find(out, target, NULL, error);
    if (status != NPART_OK) {
        complain("", error);
        worsen(run, status == NPART_ERROR_READ ? EXIT_OTHER : status_of(status)); /* no model: that would be 3 */
    }
    return status;
}

/* One list for each target; --oplist FILE alone is the target. */
static bool find_oplists(struct run *run, struct options *options)
{
    struct npart_error error = {0};
    bool is_unnamed = options->oplist && options->target_count == 0;
    if (is_unnamed)
        options->targets[options->target_count++] = NULL;
    for (int i = 0; i < options->target_count; i++)
        if (find_oplist(run, &run->oplists[i], options->targets[i], &error) != NPART_OK)
            return false;
    if (is_unnamed) {
        struct npart_oplist_info info = {.size = sizeof info};
        npart_oplist_info(run->oplists[0], &info);
        options->targets[0] = info.name;
    }
    return true;
}

static void list_targets(struct run *run)
{
    struct npart_error error = {0};
    for (size_t i = 0; npart_builtin_oplist(i); i++) {
        npart_oplist *oplist = NULL;
        struct npart_oplist_info info = {.size = sizeof info};
        char line[512];
        if (find_oplist(run, &oplist, npart_builtin_oplist(i), &error) != NPART_OK)
            continue;
        npart_oplist_info(oplist, &info);
        char variants[100] = "";
        if (info.variant_count)
            (void)snprintf(variants, sizeof variants, "%u variants (default %s), ", info.variant_count,
                           info.default_variant);
        (void)snprintf(line, sizeof line, "%-20s %s\n%-20s %s%u ops, %u rules; %s\n", info.name, info.title, "",
                       variants, info.op_count, info.rule_count, info.toolchain);
        (void)write_text(run, line);
        if (*info.standing) {
            (void)snprintf(line, sizeof line, "%-20s %s\n", "", info.standing);
            (void)write_text(run, line);
        }
        npart_oplist_free(oplist);
    }
}

static void describe(struct run *run)
{
    npart_oplist *oplist = NULL;
    struct npart_error error = {0};
    if (find_oplist(run, &oplist, run->options->describe, &error) != NPART_OK)
        return;
    npart_status status = npart_oplist_describe(oplist, run->options->describe_op, write_output, run, &error);
    if (status != NPART_OK && status != NPART_ERROR_WRITE) { /* that is told once, at the end */
        complain("", &error);
        worsen(run, status_of(status));
    }
    npart_oplist_free(oplist);
}

static void tell_diagnostic(void *payload, const struct npart_diagnostic *diagnostic)
{
    (void)payload;
    say("%s: %s%s", diagnostic->place, diagnostic->is_warning ? "warning: " : "", diagnostic->message);
}

static void check_oplist(struct run *run, const char *path)
{
    npart_oplist *oplist = NULL;
    struct npart_error error = {0};
    struct npart_oplist_info info = {.size = sizeof info};
    char counts[128], text[8192], line[8192];
    npart_status status = npart_oplist_check_file(&oplist, path, tell_diagnostic, NULL, NULL, &error);
    if (status != NPART_OK) {
        if (status != NPART_ERROR_OPLIST) /* whose mistakes are told already */
            complain("", &error);
        worsen(run, status == NPART_ERROR_READ ? EXIT_OTHER : status_of(status));
        return;
    }
    npart_oplist_info(oplist, &info);
    (void)snprintf(counts, sizeof counts, "%u ops, %u rules, %u variants; no mistakes", info.op_count, info.rule_count,
                   info.variant_count);
    (void)snprintf(text, sizeof text, "%s: target %s, %s", path, info.name, counts);
    npart_plain_text(text, line, sizeof line);
    (void)(write_text(run, line) && write_text(run, "\n"));
    npart_oplist_free(oplist);
}

/* ---- main -------------------------------------------------------------------------------------------------- */

static enum exit_status usage(const char *problem)
{
    say("%s; --help explains", problem);
    return EXIT_USAGE;
}

static void show_help(struct run *run)
{
    FILE *output = open_output(run);
    if (output)
        print_help(output); /* what cannot be written is told when the output is closed */
    else
        run->write_error = errno;
}

static void show_version(struct run *run)
{
    (void)(write_text(run, "npu-partition ") && write_text(run, npart_version()) && write_text(run, "\n"));
}

static enum exit_status work(struct run *run, struct options *options)
{
    if (options->wants_help || options->wants_version) {
        if (options->wants_help)
            show_help(run);
        else
            show_version(run);
        return run->status;
    }
    if (options->lists_targets) {
        list_targets(run);
        return run->status;
    }
    if (options->describe) {
        describe(run);
        return run->status;
    }
    if (options->check_oplist) {
        check_oplist(run, options->check_oplist);
        return run->status;
    }
    if (options->import_oplist) {
        struct npart_error error = {0};
        npart_status status = npart_oplist_import(options->import_oplist, "imported", write_output, run, &error);
        if (status != NPART_OK && status != NPART_ERROR_WRITE) {
            complain(*error.place ? "" : options->import_oplist, &error);
            worsen(run, status == NPART_ERROR_READ ? EXIT_OTHER : status_of(status));
        }
        return run->status;
    }
    if (options->new_oplist) {
        if (!write_new_oplist(options->new_oplist, write_output, run))
            return usage("--new-oplist needs a name of letters, digits, - and _");
        return run->status;
    }
    if (options->model_count == 0)
        return usage("which model?");
    bool has_target = options->target_count > 0 || options->oplist;
    if (!has_target && !options->wants_shapes)
        return usage("which target? (--list-targets)");
    if (has_target && !find_oplists(run, options))
        return run->status;
    choose_look(run);
    run_models(run);
    return run->status;
}

/* False when not everything could be written. */
static bool close_output(struct run *run)
{
    bool has_failed = run->output && (fflush(run->output) != 0 || ferror(run->output));
    if (has_failed && !run->write_error)
        run->write_error = errno;
    if (run->output && run->options->output && fclose(run->output) != 0 && !run->write_error)
        run->write_error = errno;
    return !has_failed && !run->write_error;
}

int main(int argc, char **argv)
{
    static struct options options;
    struct run run = {.options = &options};
    if (!occupy_standard_streams())
        return EXIT_OTHER;
    if (!read_options(argc, argv, &options))
        return EXIT_USAGE;
    const char *overwritten = find_overwritten(&options);
    if (overwritten) {
        say("%s: the output would be written over this file", overwritten);
        return EXIT_USAGE;
    }
    run.output = options.output ? NULL : stdout;
    enum exit_status status = work(&run, &options);
    for (int i = 0; i < MOST_TARGETS; i++)
        npart_oplist_free(run.oplists[i]);
    if (close_output(&run))
        return (int)status;
    say("%s: cannot write: %s", options.output ? options.output : "standard output", strerror(run.write_error));
    return EXIT_OTHER;
}
