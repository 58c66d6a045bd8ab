/* SPDX-License-Identifier: Apache-2.0
 *
 * Which models are checked, against which project file, one after the other.
 */
#include "check.h"

#include <time.h>

struct subject {
    const char *path, *relative;
    struct project *project;
    bool is_repeated;
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
    struct subject *subjects;
    size_t subject_count, room;
    struct project **projects;
    size_t project_count, project_room;
    char today[32];
    struct baseline *baselines;
    const char *words[4]; /* of a command line that adds a waiver */
    uint32_t word_count;
    const char *lists; /* what the op lists of the run were found for */
    size_t counts[NPART_STANDINGS], unread_count, target_count;
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

static void add_subject(struct check *check, const char *path, const char *relative, struct project *project)
{
    check->subjects = grow(check->subjects, sizeof *check->subjects, check->subject_count, &check->room);
    check->subjects[check->subject_count++] = (struct subject){path, relative, project, false};
}

/* Read once, however many models it is for. NULL, and told, where it has mistakes. */
static struct project *open_project(struct check *check, const char *path)
{
    const char *place = find_place(path);
    for (size_t i = 0; place && i < check->project_count; i++)
        if (strcmp(check->projects[i]->place, place) == 0)
            return check->projects[i];
    struct project *project = project_read(path);
    check->projects = grow(check->projects, sizeof project, check->project_count, &check->project_room);
    if (project)
        check->projects[check->project_count++] = project;
    return project;
}

/* The project file for what lies in a folder. False: there is one that cannot be used. */
static bool find_project(struct check *check, const char *folder, struct project **out)
{
    const char *path = check->asked->config ? check->asked->config : project_find(folder);
    *out = path ? open_project(check, path) : NULL;
    return *out || !path;
}

/* The globs of all [[models]] with their places. */
struct globs {
    const struct project *project;
    const char **texts;
    const struct npart_project_text **places;
    size_t count;
};

static void take_globs(struct globs *globs)
{
    struct npart_project_texts list;
    size_t room = 0;
    for (uint32_t i = 0; npart_project_models(globs->project->read, i, &list); i++)
        room += list.count;
    globs->texts = need(room * sizeof *globs->texts);
    globs->places = need(room * sizeof *globs->places);
    for (uint32_t i = 0; npart_project_models(globs->project->read, i, &list); i++)
        for (uint32_t k = 0; k < list.count; k++, globs->count++) {
            globs->places[globs->count] = &list.items[k];
            globs->texts[globs->count] = list.items[k].text;
        }
}

static void tell_of_glob(void *payload, const char *about, const char *text)
{
    const struct globs *globs = payload;
    for (size_t i = 0; i < globs->count; i++)
        if (globs->texts[i] == about)
            project_say(globs->project, globs->places[i]->line, globs->places[i]->column, "note: %s %s", text, about);
}

/* False, and told: a folder cannot be looked into. */
static bool add_file(struct check *check, struct project *project, const struct npart_file *file)
{
    if (!file->is_folder && npart_project_matches(&project->info.exclude, file->path))
        return true;
    const char *path = text_of("%s%s", project->shown, file->path);
    if (file->is_folder)
        say("%s: %s", path, file->problem);
    else
        add_subject(check, path, path + strlen(project->shown), project);
    return !file->is_folder;
}

static enum exit_status list_files(struct check *check, struct project *project)
{
    struct npart_files_options options = NPART_FILES_OPTIONS_INIT;
    struct npart_file file = {.size = sizeof file};
    struct npart_error error;
    struct globs globs = {.project = project};
    npart_files *files = NULL;
    options.folder = project->shown;
    options.tell = tell_of_glob;
    options.payload = &globs;
    take_globs(&globs);
    bool is_fine = npart_files_find(&files, globs.texts, globs.count, &options, &error) == NPART_OK;
    if (!is_fine)
        tell_error("", &error);
    for (size_t i = 0; is_fine && npart_files_file(files, i, &file); i++)
        is_fine = add_file(check, project, &file);
    npart_files_free(files);
    return is_fine ? EXIT_FINE : EXIT_OTHER;
}

/* All models of a project file. */
static enum exit_status list_models(struct check *check, struct project *project)
{
    size_t before = check->subject_count;
    if (!project->info.model_count) {
        say("%s: which models? It has no [[models]] with a path, and the command line names none", project->path);
        return EXIT_USAGE;
    }
    enum exit_status status = list_files(check, project);
    if (status == EXIT_FINE && check->subject_count == before) {
        say("%s: no file matches the paths of [[models]]", project->path);
        status = EXIT_USAGE;
    }
    project->is_whole = true;
    return status;
}

static enum exit_status name_model(struct check *check, const char *path)
{
    struct project *project;
    size_t offset = npart__name_offset(path);
    if (strcmp(path, "-") == 0)
        return usage("check reads files, not standard input");
    if (strcmp(path + offset, PROJECT_FILE) == 0) {
        project = open_project(check, path);
        return project ? list_models(check, project) : EXIT_USAGE;
    }
    if (!find_project(check, text_of("%.*s", (int)offset, path), &project))
        return EXIT_USAGE;
    const char *relative = project ? project_path(project, path) : NULL;
    if (project && !relative)
        say("%s: note: it is not in the folder of %s: [[models]], exclude and waivers do not apply to it", path,
            project->path);
    if (relative && npart_project_matches(&project->info.exclude, relative))
        say("%s: note: left out, by `exclude` of %s", path, project->path);
    else
        add_subject(check, path, relative, project);
    return EXIT_FINE;
}

static enum exit_status list_here(struct check *check)
{
    struct project *project;
    if (!find_project(check, "", &project))
        return EXIT_USAGE;
    if (project)
        return list_models(check, project);
    say("no %s here or in a folder above. One to start from: npu-partition check --new-config > %s", PROJECT_FILE,
        PROJECT_FILE);
    return EXIT_USAGE;
}

/* By project file and path in its folder, then in the order that they were named. */
static int compare_subjects(const void *a, const void *b)
{
    const struct subject *first = *(struct subject *const *)a, *second = *(struct subject *const *)b;
    uintptr_t one = (uintptr_t)first->project, other = (uintptr_t)second->project;
    int order = one < other ? -1 : one > other;
    if (order == 0 && first->relative && second->relative)
        order = strcmp(first->relative, second->relative);
    else if (order == 0)
        order = (first->relative != NULL) - (second->relative != NULL);
    return order ? order : first < second ? -1 : 1;
}

/* A model may be named beside the project file that lists it. */
static void drop_repeated(struct check *check)
{
    struct subject **sorted = need(check->subject_count * sizeof *sorted);
    size_t kept = 0;
    for (size_t i = 0; i < check->subject_count; i++)
        sorted[i] = &check->subjects[i];
    if (check->subject_count)
        qsort(sorted, check->subject_count, sizeof *sorted, compare_subjects);
    for (size_t i = 1; i < check->subject_count; i++) {
        const struct subject *before = sorted[i - 1];
        sorted[i]->is_repeated = sorted[i]->relative && before->relative && before->project == sorted[i]->project &&
                                 strcmp(before->relative, sorted[i]->relative) == 0;
    }
    for (size_t i = 0; i < check->subject_count; i++)
        if (!check->subjects[i].is_repeated)
            check->subjects[kept++] = check->subjects[i];
    check->subject_count = kept;
}

static enum exit_status find_subjects(struct check *check)
{
    enum exit_status status = EXIT_FINE;
    if (check->asked->model_count == 0)
        return list_here(check);
    for (int i = 0; i < check->asked->model_count && status == EXIT_FINE; i++)
        status = name_model(check, check->asked->models[i]);
    drop_repeated(check);
    return status;
}

/* The name of a file to be read that the output would be written over; NULL: none. */
static const char *find_lost(const struct check *check)
{
    for (size_t i = 0; i < check->subject_count; i++)
        if (is_overwritten(check->asked, check->subjects[i].path))
            return check->subjects[i].path;
    for (size_t i = 0; i < check->project_count; i++)
        if (is_overwritten(check->asked, check->projects[i]->path))
            return check->projects[i]->path;
    for (size_t i = 0; i < check->project_count; i++)
        if (is_overwritten(check->asked, check->projects[i]->baseline_path))
            return check->projects[i]->baseline_path;
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
    const char *wanted = text_of("%s\n%s", options->oplist ? options->oplist : "", options->cost ? options->cost : "");
    for (int i = 0; i < options->target_count; i++)
        wanted = text_of("%s\n%s", wanted, options->targets[i]);
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
        project_say(project, project->targets_line, project->targets_column, "this is what asks for it");
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
            npart_project_found(checked->subject->project->read, checked->dims[i]);
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
    (void)snprintf(path, sizeof path, "%s%s", subject->project->shown, model);
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
    options.project = subject->project ? subject->project->read : NULL;
    options.project_path = subject->project ? subject->project->path : NULL;
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
        return document_add_error(run, checked->subject->path, why, error);
    if (!npart_gate_outcomes(checked->gate, &items, &count))
        return NPART_ERROR_MEMORY;
    return document_add(run, checked->subject->path, &checked->job, items, count, error);
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
    const char *path = check->asked->baseline ? check->asked->baseline : project ? project->baseline_path : NULL;
    *out = NULL;
    if (!path && check->asked->updates_baseline)
        (void)usage("which baseline? --baseline FILE, or baseline = \"FILE\" in the project file");
    if (!path)
        return !check->asked->updates_baseline;
    *out = open_baseline(check, path, check->asked->updates_baseline);
    if (*out)
        (*out)->is_part |= !project || !project->is_whole || check->asked->target_count > 0;
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
    if (check->settled->target_count == 0 && !check->settled->oplist) {
        say("%s: which target? --target TARGET, or targets = [\"...\"] in %s (--list-targets)", subject->path,
            subject->project ? subject->project->path : PROJECT_FILE);
        return false;
    }
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
    size_t used, told = 0, models = check->subject_count;
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
        project_tell_idle(check->projects[i], has_targets, has_targets && !check->asked->updates_baseline);
    }
}

static void check_all(struct check *check)
{
    bool goes_on = true;
    struct npart_error error = {0};
    if (wants_document(check->asked) && document_open(check->run, &error) != NPART_OK) {
        tell_error("", &error);
        worsen(check->run, EXIT_OTHER);
        return;
    }
    for (size_t i = 0; i < check->subject_count && goes_on; i++)
        goes_on = check_model(check, &check->subjects[i]);
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
    for (size_t i = 0; i < check->project_count; i++)
        npart_project_free(check->projects[i]->read);
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
    enum exit_status status = find_subjects(&check);
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
