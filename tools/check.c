/* SPDX-License-Identifier: Apache-2.0
 *
 * Which models are checked, against which project file, one after the other.
 */
#include "check.h"

#include <time.h>

struct subject {
    const char *path, *relative;
    struct project *project; /* NULL: none */
};

/* A model with all of its targets. */
struct checked {
    const struct subject *subject;
    const struct options *options; /* with what the project file says */
    uint32_t dims[MOST_DIMS]; /* which entry of the project file each dim of the options is, or NPART_NONE */
    struct job job;
    npart_gate *gate;
    struct npart_gate_info info;
    struct baseline *baseline, *before; /* NULL: none */
};

struct check {
    struct run *run;
    const struct options *asked;
    struct options *settled; /* of the model at hand */
    npart_checklist *models;
    struct project *projects;
    uint32_t project_count;
    char today[32];
    struct baseline *baselines;
    const char *words[4]; /* of a command line that adds a waiver */
    uint32_t word_count;
    const char *lists; /* what the op lists of the run were found for */
    size_t counts[NPART_STANDINGS], unread_count, target_count;
    uint32_t model_count;
    struct text others; /* lines of what does not fail, told after what does */
    struct acceptance acceptance;
};

/* ---- today -------------------------------------------------------------------------------------------------- */

/* In UTC, so that it is the same everywhere; SOURCE_DATE_EPOCH makes it the same always. */
static bool find_today(struct check *check)
{
    const char *asked = check->asked->today, *epoch = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    long long seconds = epoch && *epoch ? strtoll(epoch, &end, 10) : (long long)time(NULL);
    time_t now = (time_t)seconds;
    if (asked) {
        (void)snprintf(check->today, sizeof check->today, "%s", asked);
        return npart_is_day(asked);
    }
    bool is_time = (long long)now == seconds && !(end && *end); /* time_t may have 32 bits */
    const struct tm *day = is_time ? gmtime(&now) : NULL;
    if (!day || day->tm_year < -1900 || day->tm_year > 9999 - 1900) /* dates are compared as texts of one length */
        return false;
    (void)snprintf(check->today, sizeof check->today, "%04d-%02d-%02d", day->tm_year + 1900, day->tm_mon + 1,
                   day->tm_mday);
    return true;
}

/* ---- which models ------------------------------------------------------------------------------------------- */

static enum exit_status find_models(struct check *check)
{
    const struct options *asked = check->asked;
    struct npart_checklist_options options = NPART_CHECKLIST_OPTIONS_INIT;
    struct npart_checklist_project project = {.size = sizeof project};
    for (int i = 0; i < asked->model_count; i++)
        if (strcmp(asked->models[i], "-") == 0)
            return usage("check reads files, not standard input");
    options.config = asked->config;
    options.tell = tell_place;
    npart_status status =
        npart_checklist_make(&check->models, asked->models, (size_t)asked->model_count, &options, NULL);
    if (status == NPART_ERROR_MEMORY)
        give_up();
    while (npart_checklist_project(check->models, check->project_count, &project))
        check->project_count++;
    check->projects = need(check->project_count * sizeof *check->projects);
    for (uint32_t i = 0; i < check->project_count; i++) {
        check->projects[i].is.size = sizeof project;
        (void)npart_checklist_project(check->models, i, &check->projects[i].is);
    }
    return status == NPART_OK ? EXIT_FINE
           : status == NPART_ERROR_ARGUMENT || status == NPART_ERROR_MALFORMED ? EXIT_USAGE : EXIT_OTHER;
}

/* False past the last. */
static bool find_subject(const struct check *check, uint32_t index, struct subject *out)
{
    struct npart_checklist_model model = {.size = sizeof model};
    if (!npart_checklist_model(check->models, index, &model))
        return false;
    *out = (struct subject){model.path, model.relative,
                            model.project == NPART_NONE ? NULL : &check->projects[model.project]};
    return true;
}

/* The name of a file to be read that the output would be written over; NULL: none. */
static const char *find_lost(const struct check *check)
{
    struct subject subject;
    for (uint32_t i = 0; find_subject(check, i, &subject); i++)
        if (is_overwritten(check->asked, subject.path))
            return subject.path;
    for (uint32_t i = 0; i < check->project_count; i++)
        if (is_overwritten(check->asked, check->projects[i].is.path))
            return check->projects[i].is.path;
    for (uint32_t i = 0; i < check->project_count; i++)
        if (is_overwritten(check->asked, check->projects[i].is.baseline))
            return check->projects[i].is.baseline;
    if (is_overwritten(check->asked, check->asked->before))
        return check->asked->before;
    return is_overwritten(check->asked, check->asked->baseline) ? check->asked->baseline : NULL;
}

/* ---- one model ---------------------------------------------------------------------------------------------- */

/* Reads the op lists of a model's targets, unless they are those of the model before. */
static bool find_lists(struct check *check, const struct project *project)
{
    struct run *run = check->run;
    struct options *options = check->settled;
    const char *wanted = text_as("%s\n%s", options->oplist ? options->oplist : "", options->cost ? options->cost : "");
    for (int i = 0; i < options->target_count; i++)
        wanted = text_as("%s\n%s", wanted, options->targets[i]);
    if (check->lists && strcmp(check->lists, wanted) == 0) {
        if (options->target_count == 0) { /* the list's own */
            struct npart_oplist_info info = {.size = sizeof info};
            npart_oplist_info(run->oplists[0], &info);
            options->targets[options->target_count++] = info.name;
        }
        return spread_targets(options);
    }
    check->lists = wanted;
    free_oplists(run);
    if (find_oplists(run, options))
        return true;
    if (project && project->has_targets)
        tell_place(NULL, project->is.path, project->targets_line, project->targets_column, "this is what asks for it");
    return false;
}

/* Some models may lack a dim that is given for all. */
static void mark_dims(struct check *check, const struct checked *checked, const bool *is_missing)
{
    const struct options *options = checked->options;
    for (uint32_t i = 0; i < options->dim_count; i++) {
        if (is_missing[i])
            continue;
        if (checked->dims[i] != NPART_NONE)
            npart_project_found(checked->subject->project->is.project, checked->dims[i]);
        for (uint32_t k = 0; checked->dims[i] == NPART_NONE && k < check->asked->dim_count; k++)
            check->run->is_dim_found[k] |= strcmp(check->asked->dims[k].name, options->dims[i].name) == 0;
    }
}

static bool is_gone(void *payload, const char *model)
{
    const struct subject *subject = payload;
    char path[MOST_PATH_BYTES];
    if (!subject->project)
        return false;
    (void)snprintf(path, sizeof path, "%s%s", subject->project->is.folder, model);
    return npart__path_kind(path, true) == NPART__PATH_NOTHING;
}

static void tell_at_gate(void *payload, uint32_t line, uint32_t column, const char *text)
{
    const struct subject *subject = payload;
    if (line)
        project_tell(subject->project, line, column, text);
    else
        say("%s: %s", subject->path, text);
}

/* `why` the model cannot be analyzed, or NULL. */
static npart_status open_gate(struct check *check, struct checked *checked, const struct npart_error *why,
                              struct npart_error *error)
{
    const struct options *asked = check->asked;
    const struct subject *subject = checked->subject;
    struct npart_gate_options options = NPART_GATE_OPTIONS_INIT;
    options.name = subject->path;
    options.today = check->today;
    options.project = subject->project ? subject->project->is.project : NULL;
    options.project_path = subject->project ? subject->project->is.path : NULL;
    options.path = subject->relative;
    options.asked = &asked->thresholds;
    options.baseline = checked->baseline ? checked->baseline->made : NULL;
    options.before = checked->before ? checked->before->made : NULL;
    options.is_gone = is_gone;
    options.tell = tell_at_gate;
    options.payload = (void *)(uintptr_t)subject;
    options.reason = asked->reason;
    options.words = check->words;
    options.word_count = check->word_count;
    options.error = why;
    return npart_gate_make(&checked->gate, why ? NULL : checked->job.inference, &options, error);
}

static npart_status judge(const struct checked *checked, struct npart_error *error)
{
    npart_status status = NPART_OK;
    for (int i = 0; i < checked->options->target_count && status == NPART_OK; i++) {
        struct npart_gate_plan plan = NPART_GATE_PLAN_INIT;
        plan.plan = checked->job.plans[i];
        plan.advice = checked->job.advice[i];
        plan.target = checked->options->targets[i];
        plan.label = checked->options->labels[i];
        plan.as = checked->options->as[i];
        status = npart_gate_add(checked->gate, &plan, error);
    }
    npart_gate_settle(checked->gate);
    return status;
}

static npart_status analyze(struct check *check, struct checked *checked, struct npart_error *error)
{
    struct job *job = &checked->job;
    bool is_missing[MOST_DIMS] = {false};
    npart_status status = read_model(&job->model, checked->options, checked->subject->path, error);
    if (status == NPART_OK)
        status = infer(&job->inference, job->model, checked->options, is_missing, error);
    if (status == NPART_OK)
        status = job_plan(check->run, job, !check->asked->is_quiet, error);
    if (status == NPART_OK)
        mark_dims(check, checked, is_missing);
    if (status == NPART_OK)
        status = open_gate(check, checked, NULL, error);
    if (status == NPART_OK)
        status = judge(checked, error);
    if (status == NPART_OK)
        tell_assumptions(checked->options, job, checked->subject->path);
    return status;
}

/* That nothing was asked of a model would look like a model that is fine. */
static void tell_unchecked(const struct checked *checked)
{
    struct npart_gate_target target = {.size = sizeof target};
    uint32_t unchecked = 0;
    for (uint32_t i = 0; npart_gate_target(checked->gate, i, &target); i++)
        unchecked += !target.outcome_count;
    if (checked->info.asks_validity)
        return;
    if (unchecked == checked->info.target_count)
        say("%s: note: no threshold holds for it", checked->subject->path);
    for (uint32_t i = 0; unchecked < checked->info.target_count && npart_gate_target(checked->gate, i, &target); i++)
        if (!target.outcome_count)
            say("%s: %s: note: no threshold holds for it", checked->subject->path, target.label);
}

static void count(struct check *check, const struct checked *checked)
{
    struct npart_gate_target target = {.size = sizeof target};
    for (uint32_t i = 0; npart_gate_target(checked->gate, i, &target); i++) {
        check->counts[target.counted]++;
        check->target_count++;
    }
}

/* Blocks of what fails at once, the others after the last model. */
static npart_status report_text(struct check *check, const struct checked *checked, struct npart_error *error)
{
    const struct options *asked = check->asked;
    unsigned parts = NPART_GATE_FAILING;
    if (asked->is_verbose || asked->accepts)
        parts |= NPART_GATE_STANZAS;
    npart_status status = npart_gate_text(checked->gate, &check->run->report, parts, write_output, check->run, error);
    if (status == NPART_OK && asked->is_verbose)
        status = npart_gate_text(checked->gate, &check->run->report, NPART_GATE_OTHERS, text_write, &check->others,
                                 error);
    return status;
}

/* On standard error, what fails. */
static void tell_failing(const struct checked *checked)
{
    const char *path = checked->subject->path;
    const struct npart_threshold_outcome *items;
    struct npart_gate_target target = {.size = sizeof target};
    uint32_t count = 0, at = 0;
    if (!npart_gate_outcomes(checked->gate, &items, &count))
        say("out of memory");
    for (; at < count && items[at].plan == NPART_NONE; at++)
        if (!items[at].waiver)
            say("%s: %s", path, items[at].text);
    for (uint32_t t = 0; npart_gate_target(checked->gate, t, &target); t++) {
        for (; at < count && items[at].plan == t; at++)
            if (!items[at].is_met && !items[at].waiver)
                say("%s: %s: %s", path, target.label, items[at].text);
        if (target.standing >= NPART_STANDING_WORSE)
            tell_reason(path, target.label, checked->job.plans[t], checked->job.advice[t], true);
    }
}

/* Into the document over all models. */
static npart_status enter(struct run *run, const struct checked *checked, const struct npart_error *why,
                          struct npart_error *error)
{
    const struct npart_threshold_outcome *items;
    uint32_t count;
    if (why)
        return npart_document_add(run->document, ENTRY(.path = checked->subject->path, .error = why), error);
    if (!npart_gate_outcomes(checked->gate, &items, &count))
        return NPART_ERROR_MEMORY;
    return npart_document_add(run->document,
                              ENTRY(.path = checked->subject->path, .plans = checked->job.pairs,
                                    .plan_count = (size_t)checked->options->target_count, .outcomes = items,
                                    .outcome_count = count), error);
}

/* `why`: why it cannot be analyzed, or NULL. */
static void report(struct check *check, struct checked *checked, const struct npart_error *why)
{
    struct run *run = check->run;
    struct npart_error error = {0};
    bool is_text = check->asked->format == FORMAT_TEXT;
    npart_status status = NPART_OK;
    if (run->document) /* what is wrong with one is told at the end */
        status = enter(run, checked, why, &error);
    else if (!check->asked->is_quiet && is_text)
        status = report_text(check, checked, &error);
    else if (!check->asked->is_quiet)
        status = npart_gate_json(checked->gate, write_output, run, &error);
    if (status != NPART_OK)
        worsen(run, EXIT_OTHER);
    if (status == NPART_ERROR_MEMORY && !run->document)
        say("out of memory");
    if (why && (check->asked->is_quiet || !is_text))
        tell_error(checked->subject->path, why);
    else if (check->asked->is_quiet || !is_text)
        tell_failing(checked);
}

/* Read once, into one place, which others may point to. NULL, and told, where it cannot be used. */
static struct baseline *open_baseline(struct check *check, const char *path, bool is_written)
{
    struct baseline **end = &check->baselines;
    for (; *end; end = &(*end)->next)
        if (strcmp((*end)->path, path) == 0)
            return *end;
    struct baseline *baseline = need(sizeof *baseline);
    return baseline_open(baseline, path, is_written) ? *end = baseline : NULL;
}

/* That of the command line, or of the project file. False: it cannot be used. */
static bool find_baseline(struct check *check, const struct project *project, struct baseline **out)
{
    const char *path = check->asked->baseline ? check->asked->baseline : project ? project->is.baseline : NULL;
    *out = NULL;
    if (!path && check->asked->updates_baseline)
        (void)usage("which baseline? --baseline FILE, or baseline = \"FILE\" in the project file");
    if (!path)
        return !check->asked->updates_baseline;
    *out = open_baseline(check, path, check->asked->updates_baseline);
    if (*out)
        (*out)->is_part |= !project || !project->is.is_whole || check->asked->target_count > 0;
    return *out != NULL;
}

static bool find_before(struct check *check, struct baseline **out)
{
    const char *path = check->asked->before;
    *out = path ? open_baseline(check, path, false) : NULL;
    return *out || !path;
}

/* Whether a project file and options say enough of a model; else it is told. */
static bool settle(struct check *check, struct checked *checked)
{
    const struct subject *subject = checked->subject;
    checked->options = check->run->options = check->settled;
    if (!project_settle(subject->project, subject->relative, check->asked, check->settled, checked->dims))
        return false;
    if (check->settled->target_count == 0 && !check->settled->oplist)
        return refuse(check->run, EXIT_USAGE,
                      "%s: which target? --target TARGET, or targets = [\"...\"] in %s (--list-targets)", subject->path,
                      subject->project ? subject->project->is.path : NPART_PROJECT_FILE);
    return find_baseline(check, subject->project, &checked->baseline) && find_before(check, &checked->before) &&
           find_lists(check, subject->project);
}

static void check_settled(struct check *check, struct checked *checked)
{
    struct run *run = check->run;
    struct npart_error why, error;
    npart_status status = analyze(check, checked, &why);
    if (status != NPART_OK) {
        npart_gate_free(checked->gate);
        checked->gate = NULL;
        check->unread_count++;
        worsen(run, status_of(status));
        if (open_gate(check, checked, &why, &error) != NPART_OK)
            tell_error(checked->subject->path, &error);
        report(check, checked, &why);
        return;
    }
    report(check, checked, NULL);
    checked->info.size = sizeof checked->info;
    (void)npart_gate_info(checked->gate, &checked->info);
    if (checked->info.standing >= NPART_STANDING_WORSE &&
        !(check->asked->accepts &&
          acceptance_add(&check->acceptance, checked->subject->project, checked->subject->path, checked->gate)))
        worsen(run, EXIT_THRESHOLD);
    count(check, checked);
    tell_unchecked(checked);
}

/* False: nothing more can be checked. */
static bool check_model(struct check *check, const struct subject *subject)
{
    struct run *run = check->run;
    struct checked checked = {.subject = subject};
    bool is_fine = settle(check, &checked);
    if (is_fine)
        check_settled(check, &checked);
    else
        worsen(run, EXIT_USAGE);
    npart_gate_free(checked.gate);
    job_free(&checked.job);
    return is_fine && !run->write_error;
}

/* ---- all of them -------------------------------------------------------------------------------------------- */

/* "12 models, 24 checks: 1 fails, 5 accepted, 18 fine   (-v: all of them)" */
static void write_counts(struct check *check)
{
    char text[256];
    size_t used, told = 0, models = check->model_count;
    const size_t *counts = check->counts, failing = counts[NPART_STANDING_WORSE] + counts[NPART_STANDING_FAILS];
    const struct {
        size_t count;
        const char *word;
    } all[] = {{failing, failing == 1 ? "fails" : "fail"},
               {counts[NPART_STANDING_KNOWN] + counts[NPART_STANDING_WAIVED], "accepted"},
               {counts[NPART_STANDING_OK], "fine"},
               {check->unread_count, "cannot be read"}};
    bool is_hidden = !check->asked->is_verbose && failing < check->target_count;
    if (check->asked->is_quiet || check->asked->format != FORMAT_TEXT)
        return;
    if (check->others.count)
        (void)(write_output(check->run, check->others.bytes, check->others.count) && write_text(check->run, "\n"));
    used = (size_t)snprintf(text, sizeof text, "%zu model%s, %zu check%s", models, models == 1 ? "" : "s",
                            check->target_count, check->target_count == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].count)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s %zu %s", told++ ? "," : ":", all[i].count,
                                     all[i].word);
    (void)snprintf(text + used, sizeof text - used, "%s\n", is_hidden ? "   (-v: all of them)" : "");
    (void)write_text(check->run, text);
}

/* What the command line or the file says, and no model has: misspelt, or of a model that is gone. */
static void check_idle(struct check *check)
{
    (void)tell_missing_dims(check->run, check->asked->dims, check->asked->dim_count, check->run->is_dim_found);
    for (size_t i = 0; i < check->project_count; i++) {
        bool has_targets = check->asked->target_count == 0;
        project_tell_idle(&check->projects[i], has_targets, has_targets && !check->asked->updates_baseline);
    }
}

static void check_all(struct check *check)
{
    bool goes_on = true;
    struct subject subject;
    struct npart_error error = {0};
    if (wants_document(check->asked) && document_open(check->run, &error) != NPART_OK) {
        tell_error("", &error);
        worsen(check->run, EXIT_OTHER);
        return;
    }
    for (; goes_on && find_subject(check, check->model_count, &subject); check->model_count++)
        goes_on = check_model(check, &subject);
    check->run->options = check->asked;
    document_close(check->run);
    if (goes_on && !check->unread_count)
        check_idle(check);
    for (const struct baseline *at = check->baselines; at && goes_on; at = at->next)
        if (!baseline_write(at, !at->is_part && !check->unread_count))
            worsen(check->run, EXIT_OTHER);
    if (goes_on)
        write_counts(check);
    if (goes_on && !acceptance_write(&check->acceptance))
        worsen(check->run, EXIT_OTHER);
}

static void free_check(struct check *check)
{
    npart_checklist_free(check->models);
    for (struct baseline *at = check->baselines; at; at = at->next)
        baseline_free(at);
    free(check->others.bytes);
}

static void add_word(struct check *check, const char *option, const char *value)
{
    if (!value)
        return;
    check->words[check->word_count++] = option;
    check->words[check->word_count++] = value;
}

enum exit_status run_check(struct run *run, struct options *options)
{
    struct check check = {.run = run, .asked = options};
    if (options->wants_new_config) {
        worsen(run, write_new_config(run, options));
        return run->status;
    }
    if (options->before && options->updates_baseline)
        return usage("--before or --update-baseline: one at a time");
    if (options->accepts && (options->updates_baseline || options->before))
        return usage("--accept goes neither with --update-baseline nor with --before");
    if (options->accepts && options->format != FORMAT_TEXT)
        return usage("--accept prints text alone");
    if (options->reason && !options->accepts)
        return usage("--reason goes with --accept");
    if (!find_today(&check))
        return usage(options->today ? "--today: expected a date such as 2026-12-31"
                                    : "SOURCE_DATE_EPOCH: expected seconds since 1970");
    add_word(&check, "--config", options->config);
    add_word(&check, "--baseline", options->baseline);
    check.settled = need(sizeof *check.settled);
    enum exit_status status = find_models(&check);
    const char *lost = status == EXIT_FINE ? find_lost(&check) : NULL;
    if (lost)
        say("%s: the output would be written over this file", lost);
    worsen(run, lost ? EXIT_USAGE : status);
    if (status == EXIT_FINE && !lost) {
        choose_look(run);
        check_all(&check);
    }
    run->options = options;
    free_check(&check);
    return run->status;
}
