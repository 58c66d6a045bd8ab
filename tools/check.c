/* SPDX-License-Identifier: Apache-2.0
 *
 * Which models are checked, against which project file, one after the other.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assume.h"
#include "check_accept.h"
#include "check_baseline.h"
#include "document.h"
#include "files.h"
#include "glob.h"
#include "grow.h"
#include "message.h"
#include "platform.h"
#include "scan_text.h"
#include "words.h"

struct subject {
    char *path, *relative;
    struct project *project;
    bool is_repeated;
};

struct opened {
    struct baseline *baseline;
    bool is_part; /* of the models that it may have only some are checked */
};

struct check {
    struct run *run;
    const struct options *asked;
    struct options *settled; /* of the model at hand */
    struct subject *subjects;
    size_t subject_count, room;
    struct project **projects;
    size_t project_count;
    char today[32];
    struct opened *baselines;
    size_t baseline_count;
    char *lists; /* what the op lists of the run were found for */
    size_t counts[STANDINGS], unread_count, target_count;
    struct text others; /* lines of what does not fail, told after what does */
    struct acceptance acceptance;
};

/* ---- today -------------------------------------------------------------------------------------------------- */

/* A day that the calendar has. */
static bool is_date(const char *text)
{
    static const char form[] = "0000-00-00";
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_fine = strlen(text) == sizeof form - 1;
    for (size_t i = 0; is_fine && i < sizeof form - 1; i++)
        is_fine = form[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == form[i];
    if (!is_fine)
        return false;
    int year = atoi(text), month = atoi(text + 5), day = atoi(text + 8);
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + (month == 2 && is_leap);
}

/* In UTC, so that it is the same everywhere; SOURCE_DATE_EPOCH makes it the same always. */
static bool find_today(struct check *check)
{
    const char *asked = check->asked->today, *epoch = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    long long seconds = epoch && *epoch ? strtoll(epoch, &end, 10) : (long long)time(NULL);
    time_t now = (time_t)seconds;
    if (asked) {
        (void)snprintf(check->today, sizeof check->today, "%s", asked);
        return is_date(asked);
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

static bool add_subject(struct check *check, char *path, char *relative, struct project *project)
{
    check->subjects = grow(check->subjects, sizeof *check->subjects, check->subject_count, &check->room);
    if (check->subject_count == check->room)
        return false;
    check->subjects[check->subject_count++] = (struct subject){path, relative, project, false};
    return true;
}

/* Read once, however many models it is for. NULL, and told, where it has mistakes. */
static struct project *open_project(struct check *check, const char *path)
{
    char *place = find_place(path);
    struct project *project = NULL;
    for (size_t i = 0; place && i < check->project_count && !project; i++)
        project = strcmp(check->projects[i]->place, place) == 0 ? check->projects[i] : NULL;
    free(place);
    if (project)
        return project;
    project = project_read(path);
    struct project **grown = project ? realloc(check->projects, (check->project_count + 1) * sizeof *grown) : NULL;
    if (!grown) {
        project_free(project);
        return NULL;
    }
    check->projects = grown;
    return grown[check->project_count++] = project;
}

/* The project file for what lies in a folder. False: there is one that cannot be used. */
static bool find_project(struct check *check, const char *folder, struct project **out)
{
    const char *config = check->asked->config;
    char *found = config ? NULL : project_find(folder);
    const char *path = config ? config : found;
    *out = path ? open_project(check, path) : NULL;
    bool is_fine = *out || (!config && !found);
    free(found);
    return is_fine;
}

static enum exit_status list_files(struct check *check, struct project *project, struct paths *paths)
{
    char problem[512];
    struct npart_project_texts globs;
    for (uint32_t i = 0; npart_project_models(project->read, i, &globs); i++)
        for (uint32_t k = 0; k < globs.count; k++) {
            const struct npart_project_text *glob = &globs.items[k];
            size_t before = paths->count;
            if (!glob_files(paths, project->shown, glob->text, problem, sizeof problem)) {
                say("%s", problem);
                return EXIT_OTHER;
            }
            if (paths->count == before)
                project_say(project, glob->line, glob->column, "note: no file matches %s", glob->text);
        }
    paths_sort(paths);
    for (size_t i = 0; i < paths->count; i++) {
        if (npart_project_matches(&project->info.exclude, paths->items[i]))
            continue;
        char *path = join_parts(project->shown, paths->items[i], ""), *relative = join_parts(paths->items[i], "", "");
        if (!path || !relative || !add_subject(check, path, relative, project)) {
            free(path);
            free(relative);
            say("out of memory");
            return EXIT_OTHER;
        }
    }
    return EXIT_FINE;
}

/* All models of a project file. */
static enum exit_status list_models(struct check *check, struct project *project)
{
    struct paths paths = {0};
    size_t before = check->subject_count;
    if (!project->info.model_count) {
        say("%s: which models? It has no [[models]] with a path, and the command line names none", project->path);
        return EXIT_USAGE;
    }
    enum exit_status status = list_files(check, project, &paths);
    if (status == EXIT_FINE && check->subject_count == before) {
        say("%s: no file matches the paths of [[models]]", project->path);
        status = EXIT_USAGE;
    }
    project->is_whole = true;
    paths_free(&paths);
    return status;
}

static enum exit_status name_model(struct check *check, const char *path)
{
    struct project *project;
    size_t offset = name_offset(path);
    if (strcmp(path, "-") == 0)
        return usage("check reads files, not standard input");
    if (strcmp(path + offset, PROJECT_FILE) == 0) {
        project = open_project(check, path);
        return project ? list_models(check, project) : EXIT_USAGE;
    }
    char *shown = join_parts(path, "", ""), *folder = join_parts(path, "", "");
    if (folder)
        folder[offset] = '\0';
    bool is_fine = folder && find_project(check, folder, &project);
    free(folder);
    char *relative = is_fine && project ? project_path(project, path) : NULL;
    if (is_fine && project && !relative)
        say("%s: note: it is not in the folder of %s: [[models]], exclude and waivers do not apply to it", path,
            project->path);
    if (is_fine && relative && npart_project_matches(&project->info.exclude, relative)) {
        say("%s: note: left out, by `exclude` of %s", path, project->path);
        free(shown);
        free(relative);
        return EXIT_FINE;
    }
    if (is_fine && shown && add_subject(check, shown, relative, project))
        return EXIT_FINE;
    free(shown);
    free(relative);
    if (is_fine)
        say("out of memory");
    return is_fine ? EXIT_OTHER : EXIT_USAGE;
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
static bool drop_repeated(struct check *check)
{
    struct subject **sorted = malloc((check->subject_count + 1) * sizeof *sorted);
    size_t kept = 0;
    if (!sorted)
        return false;
    for (size_t i = 0; i < check->subject_count; i++)
        sorted[i] = &check->subjects[i];
    qsort(sorted, check->subject_count, sizeof *sorted, compare_subjects);
    for (size_t i = 1; i < check->subject_count; i++) {
        const struct subject *before = sorted[i - 1];
        sorted[i]->is_repeated = sorted[i]->relative && before->relative && before->project == sorted[i]->project &&
                                 strcmp(before->relative, sorted[i]->relative) == 0;
    }
    free(sorted);
    for (size_t i = 0; i < check->subject_count; i++) {
        struct subject *subject = &check->subjects[i];
        if (subject->is_repeated) {
            free(subject->path);
            free(subject->relative);
        } else {
            check->subjects[kept++] = *subject;
        }
    }
    check->subject_count = kept;
    return true;
}

static enum exit_status find_subjects(struct check *check)
{
    enum exit_status status = EXIT_FINE;
    if (check->asked->model_count == 0)
        return list_here(check);
    for (int i = 0; i < check->asked->model_count && status == EXIT_FINE; i++)
        status = name_model(check, check->asked->models[i]);
    if (status == EXIT_FINE && !drop_repeated(check)) {
        say("out of memory");
        status = EXIT_OTHER;
    }
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
static bool find_lists(struct check *check, const struct checked *checked)
{
    struct run *run = check->run;
    struct options *options = check->settled;
    size_t bytes = 64 + (options->oplist ? strlen(options->oplist) : 0) + (options->cost ? strlen(options->cost) : 0);
    for (int i = 0; i < options->target_count; i++)
        bytes += strlen(options->targets[i]) + 1;
    char *wanted = malloc(bytes);
    if (!wanted)
        return false;
    size_t used = (size_t)snprintf(wanted, bytes, "%s\n%s", options->oplist ? options->oplist : "",
                                   options->cost ? options->cost : "");
    for (int i = 0; i < options->target_count; i++)
        used += (size_t)snprintf(wanted + used, bytes - used, "\n%s", options->targets[i]);
    if (check->lists && strcmp(check->lists, wanted) == 0) {
        free(wanted);
        if (options->target_count == 0) { /* the list's own */
            struct npart_oplist_info info = {.size = sizeof info};
            npart_oplist_info(run->oplists[0], &info);
            options->targets[options->target_count++] = info.name;
        }
        return spread_targets(options);
    }
    free(check->lists);
    check->lists = wanted;
    free_oplists(run);
    if (find_oplists(run, options))
        return true;
    const struct project *project = checked->project;
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
            npart_project_found(checked->project->read, checked->dims[i]);
        for (uint32_t k = 0; checked->dims[i] == NPART_NONE && k < check->asked->dim_count; k++)
            check->run->is_dim_found[k] |= strcmp(check->asked->dims[k].name, options->dims[i].name) == 0;
    }
}

static npart_status analyze(struct check *check, struct checked *checked)
{
    struct job *job = &checked->job;
    bool is_missing[MOST_DIMS] = {false};
    npart_status status = read_model(&job->model, checked->options, checked->path, &checked->error);
    if (status == NPART_OK)
        status = infer(&job->inference, job->model, checked->options, is_missing, &checked->error);
    if (status == NPART_OK)
        status = job_plan(check->run, job, !check->asked->is_quiet, &checked->error);
    if (status != NPART_OK)
        return status;
    mark_dims(check, checked, is_missing);
    judge_model(checked, check->today);
    for (int i = 0; i < checked->options->target_count && status == NPART_OK; i++)
        status = judge_target(check->run, checked, i, check->today, &checked->error);
    settle_model(checked, check->today);
    tell_assumptions(checked->options, job, checked->path);
    return status;
}

/* That nothing was asked of a model would look like a model that is fine. */
static void tell_unchecked(const struct checked *checked)
{
    int count = checked->options->target_count, unchecked = 0;
    if (checked->options->thresholds.fails_on[NPART_FAILS_ON_INVALID])
        return;
    for (int i = 0; i < count; i++)
        unchecked += !checked->judged[i].outcomes.count;
    if (unchecked == count)
        say("%s: note: no threshold holds for it", checked->path);
    for (int i = 0; i < count && unchecked < count; i++)
        if (!checked->judged[i].outcomes.count)
            say("%s: %s: note: no threshold holds for it", checked->path, checked->options->labels[i]);
}

static void count(struct check *check, const struct checked *checked)
{
    check->unread_count += !checked->is_read;
    for (int i = 0; checked->is_read && i < checked->options->target_count; i++) {
        enum standing standing = checked->judged[i].standing;
        if (*checked->invalid && !*checked->invalid_waiver)
            standing = STANDING_FAILS;
        else if (*checked->invalid && standing == STANDING_OK)
            standing = STANDING_WAIVED;
        check->counts[standing]++;
        check->target_count++;
    }
}

/* Blocks of what fails at once, the others after the last model. */
static void report_text(struct check *check, struct checked *checked)
{
    struct run *run = check->run;
    struct text failing = {0};
    bool is_whole = check->asked->is_verbose || check->asked->accepts;
    add_checked(&failing, check->asked->is_verbose ? &check->others : NULL, checked, check->today, is_whole,
                &run->report);
    if (failing.has_failed)
        say("out of memory");
    if (failing.has_failed || !write_output(run, failing.bytes, failing.count))
        worsen(run, EXIT_OTHER);
    free(failing.bytes);
}

static void report(struct check *check, struct checked *checked)
{
    struct run *run = check->run;
    struct npart_error error = {0};
    bool is_text = check->asked->format == FORMAT_TEXT;
    if (run->document && enter_checked(run, checked, &error) != NPART_OK) /* told at the end */
        worsen(run, EXIT_OTHER);
    else if (!run->document && !check->asked->is_quiet && is_text)
        report_text(check, checked);
    else if (!run->document && !check->asked->is_quiet)
        print_checked(run, checked);
    if (check->asked->is_quiet || !is_text)
        tell_checked(checked);
}

/* Read once. NULL, and told, where it cannot be used. */
static struct opened *open_baseline(struct check *check, const char *path, bool is_written)
{
    for (size_t i = 0; i < check->baseline_count; i++)
        if (baseline_is(check->baselines[i].baseline, path))
            return &check->baselines[i];
    struct opened *grown = realloc(check->baselines, (check->baseline_count + 1) * sizeof *grown);
    if (!grown) {
        say("out of memory");
        return NULL;
    }
    check->baselines = grown;
    struct opened *opened = &grown[check->baseline_count];
    *opened = (struct opened){.baseline = baseline_open(path, is_written)};
    if (!opened->baseline)
        return NULL;
    check->baseline_count++;
    return opened;
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
    struct opened *opened = open_baseline(check, path, check->asked->updates_baseline);
    if (!opened)
        return false;
    opened->is_part |= !project || !project->is_whole || check->asked->target_count > 0;
    *out = opened->baseline;
    return true;
}

static bool find_before(struct check *check, struct baseline **out)
{
    const char *path = check->asked->before;
    struct opened *opened = path ? open_baseline(check, path, false) : NULL;
    *out = opened ? opened->baseline : NULL;
    return opened || !path;
}

/* False: nothing more can be checked. */
static bool check_model(struct check *check, const struct subject *subject)
{
    struct run *run = check->run;
    struct checked *checked = calloc(1, sizeof *checked);
    if (!checked) {
        say("out of memory");
        worsen(run, EXIT_OTHER);
        return false;
    }
    checked->path = subject->path;
    checked->project = subject->project;
    checked->relative = subject->relative;
    checked->asked = check->asked;
    checked->options = run->options = check->settled;
    bool is_fine = project_settle(subject->project, subject->relative, check->asked, check->settled, checked->dims);
    if (is_fine && check->settled->target_count == 0 && !check->settled->oplist) {
        say("%s: which target? --target TARGET, or targets = [\"...\"] in %s (--list-targets)", subject->path,
            subject->project ? subject->project->path : PROJECT_FILE);
        is_fine = false;
    }
    is_fine = is_fine && find_baseline(check, subject->project, &checked->baseline) &&
              find_before(check, &checked->before);
    if (!is_fine || !find_lists(check, checked)) {
        worsen(run, EXIT_USAGE);
        is_fine = false;
    } else {
        npart_status status = analyze(check, checked);
        checked->is_read = status == NPART_OK;
        report(check, checked);
        bool is_accepted = status == NPART_OK && checked->standing >= STANDING_WORSE && check->asked->accepts &&
                           acceptance_add(&check->acceptance, checked, check->today, check->asked->reason);
        if (status != NPART_OK)
            worsen(run, status_of(status));
        else if (checked->standing >= STANDING_WORSE && !is_accepted)
            worsen(run, EXIT_THRESHOLD);
        count(check, checked);
        if (checked->is_read)
            tell_unchecked(checked);
    }
    job_free(&checked->job);
    free(checked);
    return is_fine && !run->write_error;
}

/* ---- all of them -------------------------------------------------------------------------------------------- */

/* "12 models, 24 checks: 1 fails, 5 accepted, 18 fine   (-v: all of them)" */
static void write_counts(struct check *check)
{
    char text[256];
    size_t used, told = 0, models = check->subject_count;
    const size_t *counts = check->counts, failing = counts[STANDING_WORSE] + counts[STANDING_FAILS];
    const struct {
        size_t count;
        const char *word;
    } all[] = {{failing, failing == 1 ? "fails" : "fail"},
               {counts[STANDING_KNOWN] + counts[STANDING_WAIVED], "accepted"},
               {counts[STANDING_OK], "fine"},
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
        if (check->projects[i]->is_whole)
            project_tell_idle(check->projects[i], check->asked->target_count == 0);
        if (check->asked->target_count == 0 && !check->asked->updates_baseline)
            tell_idle_waivers(check->projects[i]);
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
    for (size_t i = 0; i < check->baseline_count && goes_on; i++)
        if (!baseline_write(check->baselines[i].baseline, !check->baselines[i].is_part && !check->unread_count))
            worsen(check->run, EXIT_OTHER);
    if (goes_on)
        write_counts(check);
    if (goes_on && !acceptance_write(&check->acceptance))
        worsen(check->run, EXIT_OTHER);
}

static void free_check(struct check *check)
{
    for (size_t i = 0; i < check->subject_count; i++) {
        free(check->subjects[i].path);
        free(check->subjects[i].relative);
    }
    for (size_t i = 0; i < check->project_count; i++)
        project_free(check->projects[i]);
    for (size_t i = 0; i < check->baseline_count; i++)
        baseline_free(check->baselines[i].baseline);
    acceptance_free(&check->acceptance);
    free(check->others.bytes);
    free(check->baselines);
    free(check->projects);
    free(check->subjects);
    free(check->settled);
    free(check->lists);
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
    check.settled = malloc(sizeof *check.settled);
    if (!check.settled)
        say("out of memory");
    enum exit_status status = check.settled ? find_subjects(&check) : EXIT_OTHER;
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
