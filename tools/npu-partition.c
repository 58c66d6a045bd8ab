/* SPDX-License-Identifier: Apache-2.0
 *
 * npu-partition: reads the command line, asks the library, prints. It contains no analysis.
 */
#include "tool.h"

/* ---- one model --------------------------------------------------------------------------------------------- */

/* Whether anybody would see what to do, and what fixed sizes bring. */
static bool wants_advice(const struct options *options)
{
    bool wants_other = options->skips_advice || options->explain || options->wants_modules || options->wants_shapes;
    return (!options->is_quiet || options->settings) && !wants_other;
}

/* Whether nothing but a report of text or JSON asks for the plans: then each is let go when it has been told. What is
 * said of nodes and tensors by their names may be wrong for one target alone, which must be known before a report
 * begins. */
static bool tells_alone(const struct options *options)
{
    return !options->is_quiet && !wants_document(options) && !options->wants_modules && !options->explain &&
           !options->settings && !options->wants_summary && !npart_thresholds_ask_plans(&options->thresholds) &&
           options->assumption_count == 0 && options->cut_count == 0;
}

static npart_status report(struct run *run, struct job *job, struct npart_error *error)
{
    struct series series = {.run = run, .job = job, .wants_advice = wants_advice(run->options)};
    struct npart_report_options look = run->report;
    size_t count = (size_t)run->options->target_count;
    if (run->options->is_quiet || run->document)
        return NPART_OK;
    struct npart_subject subject = {
        .size = sizeof subject, .kind = NPART_SUBJECT_PLANS, .plans = job->pairs, .count = count};
    if (tells_alone(run->options)) {
        look.next = job_next;
        look.next_payload = &series;
    }
    if (!run->options->wants_modules && !run->options->explain)
        return write_report(run, &subject, &look, error);
    subject.kind = run->options->wants_modules ? NPART_SUBJECT_MODULES : NPART_SUBJECT_NODE;
    subject.node = run->options->explain;
    return npart_report(&subject, NPART_FORMAT_TEXT, &run->report, write_output, run, error);
}

/* What is known of them; with targets, what their runtimes know, one after the other. */
static npart_status write_shapes(struct run *run, struct job *job, struct npart_error *error)
{
    struct npart_subject subject = {.size = sizeof subject,
                                    .kind = run->options->is_verbose ? NPART_SUBJECT_WORK : NPART_SUBJECT_SHAPES,
                                    .inference = job->inference};
    if (run->options->target_count == 0)
        return npart_report(&subject, NPART_FORMAT_JSON, NULL, write_output, run, error);
    npart_status status = job_plan(run, job, wants_advice(run->options), error);
    for (int i = 0; status == NPART_OK && i < run->options->target_count; i++) {
        subject.inference = npart_plan_view(job->plans[i]);
        status = npart_report(&subject, NPART_FORMAT_JSON, NULL, write_output, run, error);
    }
    return status;
}

/* Whether a model from place `from` on may have the dim: it has, or it cannot be looked at now. */
static bool may_come(struct run *run, uint32_t dim, int from)
{
    const struct options *options = run->options;
    if (from < run->unknown_end) /* looked at for another model or dim: each again would be quadratic */
        return true;
    for (int i = from; i < options->model_count && !run->is_dim_found[dim]; i++) {
        npart_model *model = NULL;
        npart_inference *inference = NULL;
        bool is_missing[MOST_DIMS] = {false};
        bool is_readable = strcmp(options->models[i], "-") != 0 &&
                           read_model(&model, options, options->models[i], NULL) == NPART_OK &&
                           infer(&inference, model, options, is_missing, NULL) == NPART_OK;
        for (uint32_t d = 0; is_readable && d < options->dim_count; d++)
            run->is_dim_found[d] |= !is_missing[d];
        npart_inference_free(inference);
        npart_model_free(model);
        if (!is_readable) {
            run->unknown_end = i + 1;
            return true;
        }
    }
    return run->is_dim_found[dim];
}

/* What the library says of a dim that a model lacks; whether names like it are there. */
static bool find_near_dims(const struct options *options, const char *path, const struct npart_dim_binding *dim,
                           struct npart_error *error)
{
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    struct npart_inference_options sizes = NPART_INFERENCE_OPTIONS_INIT;
    sizes.dims = dim;
    sizes.dim_count = 1;
    error->message[0] = '\0';
    if (strcmp(path, "-") != 0 && read_model(&model, options, path, error) == NPART_OK)
        (void)npart_inference_make(&inference, model, &sizes, error);
    npart_inference_free(inference);
    npart_model_free(model);
    return strstr(error->message, "; did you mean ") != NULL;
}

/* No model has the dim. */
static npart_status refuse_dim(struct run *run, int place, const struct npart_dim_binding *dim)
{
    const struct options *options = run->options;
    struct npart_error error = {0};
    int near = 0;
    while (near < options->model_count && !find_near_dims(options, options->models[near], dim, &error))
        near++;
    if (near == options->model_count) {
        near = place;
        (void)find_near_dims(options, options->models[near], dim, &error);
    }
    if (*error.message)
        say("%s: %s (nor has any other of the models)", options->models[near], error.message);
    else
        say("--dim %s: no model has such a dim", dim->name);
    run->is_over = true;
    return NPART_ERROR_ARGUMENT;
}

/* Of several models some may lack a dim of the user's, but not all. */
static npart_status infer_with_dims(struct run *run, struct job *job, int place, struct npart_error *error)
{
    const struct options *options = run->options;
    const char *path = options->models[place];
    bool is_missing[MOST_DIMS] = {false};
    npart_status status =
        infer(&job->inference, job->model, options, options->model_count > 1 ? is_missing : NULL, error);
    for (uint32_t i = 0; status == NPART_OK && i < options->dim_count; i++)
        run->is_dim_found[i] |= !is_missing[i];
    for (uint32_t i = 0; status == NPART_OK && i < options->dim_count; i++) {
        if (!is_missing[i])
            continue;
        if (run->is_dim_found[i] || may_come(run, i, place + 1))
            say("%s: note: it has no dim %s", path, options->dims[i].name);
        else
            status = refuse_dim(run, place, &options->dims[i]);
    }
    return status;
}

/* At the end: a dim of which it was not known whether a later model has it, and none had. */
static void check_dims(struct run *run)
{
    const struct options *options = run->options;
    if (options->model_count > 1 && !run->is_over)
        (void)tell_missing_dims(run, options->dims, options->dim_count, run->is_dim_found);
}

static bool has_settings(const npart_oplist *oplist)
{
    struct npart_oplist_info info = {.size = sizeof info};
    bool has_any = npart_oplist_has_settings(oplist);
    if (!has_any && npart_oplist_info(oplist, &info))
        say("--settings: there are no settings for %s: ONNX Runtime has no provider for it", info.name);
    return has_any;
}

/* A file of its own beside the report. False, and told: it cannot be written. */
static bool write_settings(const struct options *options, const npart_plan *plan, const npart_advice *advice)
{
    struct npart_error error;
    struct output_file file;
    npart_status status = NPART_ERROR_WRITE;
    if (begin_output_file(&file, options->settings))
        status = npart_plan_settings(plan, advice, write_stream, file.stream, &error);
    if (status == NPART_OK || status == NPART_ERROR_WRITE)
        return finish_output_file(&file, options->settings, status == NPART_OK);
    (void)end_output_file(&file, false);
    say("%s: cannot write: %s", options->settings, error.message);
    return false;
}

static npart_status analyze(struct run *run, struct job *job, int place, struct npart_error *error)
{
    const struct options *options = run->options;
    npart_status status = read_model(&job->model, options, options->models[place], error);
    if (status == NPART_OK)
        status = infer_with_dims(run, job, place, error);
    if (status != NPART_OK)
        return status;
    if (options->wants_shapes)
        return write_shapes(run, job, error);
    if (!tells_alone(options))
        status = job_plan(run, job, wants_advice(run->options), error);
    if (status == NPART_OK && options->settings && !write_settings(options, job->plans[0], job->advice[0]))
        worsen(run, EXIT_OTHER);
    return status == NPART_OK ? report(run, job, error) : status;
}

/* What each plan means for thresholds and the table at the end. */
static void follow_up(struct run *run, const char *path, struct job *job, bool is_analyzed)
{
    const struct options *options = run->options;
    for (int i = 0; i < options->target_count && !options->wants_shapes; i++) {
        struct npart_plan_info info = {.size = sizeof info, .label = options->labels[i]};
        const npart_plan *plan = is_analyzed ? job->plans[i] : NULL;
        (void)npart_plan_info(plan, &info);
        bool is_met = !plan || meets_thresholds(options, path, options->labels[i], plan);
        bool wants_action = plan && (!is_met || options->wants_summary) && !job->advice[i];
        struct npart_error error = {0};
        npart_status status = wants_action ? job_advise(run, job, plan, i, &error) : NPART_OK;
        if (!is_met) {
            tell_reason(path, options->labels[i], plan, job->advice[i], false);
            worsen(run, EXIT_THRESHOLD);
        }
        (void)is_fine(run, path, status, &error);
        if (options->wants_summary &&
            npart_overview_add(run->overview, path, info.label, plan, job->advice[i], NULL) != NPART_OK)
            give_up();
    }
}

/* Into the document over all models, where that is the format. */
static void enter(struct run *run, const char *path, struct job *job, const struct npart_error *why)
{
    struct npart_error error = {0};
    if (!run->document || run->is_over)
        return;
    npart_status status = why ? npart_document_add(run->document, ENTRY(.path = path, .error = why), &error)
                              : document_add_job(run, path, job, &error);
    if (status == NPART_ERROR_LIMIT || status == NPART_ERROR_TIMEOUT) /* others are told at the end */
        tell_error(path, &error);
    if (status != NPART_OK)
        worsen(run, status_of(status));
}

static void run_model(struct run *run, int place)
{
    const char *path = run->options->models[place];
    struct job job = {0};
    struct npart_error error = {0};
    npart_status status = analyze(run, &job, place, &error);
    if (status != NPART_OK) {
        if (status != NPART_ERROR_WRITE && !run->is_over) /* told once, at the end; told already */
            tell_error(path, &error);
        worsen(run, status_of(status));
    }
    if (status == NPART_OK) {
        tell_assumptions(run->options, &job, path);
        if (!meets_validity(run->options, path, job.inference))
            worsen(run, EXIT_THRESHOLD);
    }
    enter(run, path, &job, status == NPART_OK ? NULL : &error);
    follow_up(run, path, &job, status == NPART_OK);
    job_free(&job);
}

static void show_progress(int number, int count, const char *model)
{
    char shown[256];
    npart_plain_text(model, shown, sizeof shown);
    print_format(stderr, "\r\033[K%d of %d: %s", number, count, shown);
}

static void run_models(struct run *run)
{
    const struct options *options = run->options;
    bool shows_progress = options->model_count > 1 && is_stream_terminal(stderr) && !is_terminal(run);
    for (int i = 0; i < options->model_count && !run->is_over; i++) {
        if (shows_progress)
            show_progress(i + 1, options->model_count, options->models[i]);
        if (i > 0 && options->format == FORMAT_TEXT && !options->wants_shapes && !options->is_quiet)
            (void)write_text(run, "\n");
        run_model(run, i);
    }
    if (shows_progress)
        print_format(stderr, "\r\033[K");
    check_dims(run);
}

static bool write_error(void *payload, const char *text, size_t bytes)
{
    (void)payload;
    print_waiting();
    return print_bytes(stderr, text, bytes);
}

/* After reports in text; what programs read stays as it is, so the table goes to standard error then. */
static void write_overview(struct run *run)
{
    const struct options *options = run->options;
    bool is_apart = options->format != FORMAT_TEXT;
    if (!options->wants_summary || options->wants_shapes || run->is_over)
        return;
    if (!is_apart && !options->is_quiet)
        (void)write_text(run, "\n");
    struct npart_report_options look = run->report;
    look.use_color = is_apart ? options->color == COLOR_ALWAYS : look.use_color;
    /* what cannot be written is told when the output is closed */
    (void)npart_overview_text(run->overview, &look, is_apart ? write_error : write_output, run, NULL);
}

/* ---- targets ----------------------------------------------------------------------------------------------- */

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
    npart_status status = npart_target_describe(oplist, run->options->describe, run->options->describe_op, write_output,
                                                run, &error);
    if (status != NPART_ERROR_WRITE) /* that is told once, at the end */
        (void)is_fine(run, "", status, &error);
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
            tell_error("", &error);
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

static void show_help(struct run *run)
{
    FILE *output = open_output(run);
    if (output)
        print_help(output, run->options->word); /* what cannot be written is told when the output is closed */
    else
        run->write_error = errno;
}

static void show_version(struct run *run)
{
    (void)(write_text(run, "npu-partition ") && write_text(run, npart_version()) && write_text(run, "\n"));
}

/* "chek" is no model, and near to a command. */
static enum exit_status ask_for_target(const struct options *options)
{
    const char *names[64], *first = options->models[0];
    char near[64] = "", text[176];
    size_t count = 0;
    if (npart__path_kind(first, true) == NPART__PATH_FOLDER) {
        (void)snprintf(text, sizeof text, "%.60s is a folder: npu-partition scan FOLDER -t TARGET (--list-targets)",
                       first);
        return usage(text);
    }
    while (count < 64 && word_at(count)) {
        names[count] = word_at(count)->name;
        count++;
    }
    if (!strpbrk(first, "./"))
        (void)npart_nearest_name(first, names, count, near, sizeof near);
    if (!*near)
        return usage("which target? (--list-targets)");
    (void)snprintf(text, sizeof text, "%.60s: there is no such command; did you mean %s?", first, near);
    return usage(text);
}

static enum exit_status analyze_models(struct run *run, struct options *options)
{
    if (options->model_count == 0)
        return usage("which model?");
    if (options->wants_shapes && (options->wants_summary || npart_thresholds_ask_plans(&options->thresholds)))
        return usage("--shapes prints shapes alone: --summary and thresholds of plans do not go with it");
    bool has_target = options->target_count > 0 || options->oplist;
    if (!has_target && !options->wants_shapes)
        return ask_for_target(options);
    if (has_target && !find_oplists(run, options))
        return run->status;
    if (options->settings && strcmp(options->settings, "-") == 0)
        return usage("--settings writes a file: name it, as --settings FILE.json");
    if (options->settings && (options->model_count != 1 || options->target_count != 1 || options->wants_shapes))
        return usage("--settings is of one model and one target");
    if (options->settings && !has_settings(run->oplists[0]))
        return EXIT_USAGE;
    choose_look(run);
    struct npart_error error = {0};
    npart_status status = npart_overview_make(&run->overview, NULL, &error);
    if (status == NPART_OK && wants_document(options))
        status = document_open(run, &error);
    if (status != NPART_OK) {
        tell_error("", &error);
        return status_of(status);
    }
    run_models(run);
    document_close(run);
    write_overview(run);
    return run->status;
}

static enum exit_status work(struct run *run, struct options *options)
{
    if (options->wants_help || options->wants_version || options->completion) {
        if (options->wants_help)
            show_help(run);
        else if (options->completion)
            (void)write_text(run, options->completion);
        else
            show_version(run);
        return run->status;
    }
    if (options->word)
        return options->word->run(run, options);
    if (options->lists_targets) {
        list_targets(run);
        return run->status;
    }
    if (options->lists_limits) {
        list_limits(run);
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
            tell_error(*error.place ? "" : options->import_oplist, &error);
            worsen(run, status == NPART_ERROR_READ ? EXIT_OTHER : status_of(status));
        }
        return run->status;
    }
    if (options->new_oplist) {
        if (!write_new_oplist(run, options->new_oplist))
            return usage("--new-oplist needs a name of letters, digits, - and _");
        return run->status;
    }
    return analyze_models(run, options);
}

static enum printed_form form_of(const struct options *options)
{
    static const enum printed_form forms[FORMATS] = {
#define FORMAT(member, word, form, models, goes, help) PRINTED_##form,
#include "formats.def"
    };
    return options->wants_shapes ? PRINTED_JSON : forms[options->format];
}

int main(int argc, char **argv)
{
    static struct options options;
    struct run run = {.options = &options, .analyze = analyze_models};
    if (!prepare_streams())
        return EXIT_OTHER;
    catch_end();
    keep_memory();
    if (argc > 2 && strcmp(argv[1], "--complete") == 0)
        return complete(argc - 2, argv + 2) ? EXIT_FINE : EXIT_OTHER;
    if (!read_options(argc, argv, &options))
        return EXIT_USAGE;
    const char *overwritten = find_overwritten(&options);
    if (overwritten) {
        say("%s: the output would be written over this file", overwritten);
        return EXIT_USAGE;
    }
    run.output = options.output ? NULL : stdout;
    begin_printing(form_of(&options));
    enum exit_status status = work(&run, &options);
    free_oplists(&run);
    npart_overview_free(run.overview);
    if (close_output(&run))
        return (int)status;
    say("%s: cannot write: %s", options.output ? options.output : "standard output", strerror(run.write_error));
    return EXIT_OTHER;
}
