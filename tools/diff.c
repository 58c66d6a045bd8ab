/* SPDX-License-Identifier: Apache-2.0
 *
 * The command diff: two sides, each a model or a saved report, or one model on two targets.
 */
#include "diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "job.h"
#include "message.h"
#include "side.h"

/* One of OLD and NEW. */
struct input {
    const char *path, *model; /* model: which one of a report; NULL: any, as there is but one */
    bool is_report;
    struct sides sides;
    npart_record *records[MOST_TARGETS]; /* of a model, by target */
    bool is_dim_missing[MOST_DIMS];
};

/* ---- reports ----------------------------------------------------------------------------------------------- */

static bool has_model(const struct sides *sides, const char *model)
{
    return find_side(sides, model, NULL) != NULL;
}

static bool has_many_models(const struct sides *sides)
{
    for (size_t i = 1; i < sides->count; i++)
        if (strcmp(sides->items[i].model, sides->items[0].model) != 0)
            return true;
    return false;
}

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Of a report with several models the one that the user names, or that is called as the other input: by its path, or
 * where one alone has it, by the path's last component. NULL: none. */
static const char *choose_model(const struct sides *sides, const char *wanted)
{
    const char *found = NULL;
    if (!wanted)
        return NULL;
    if (has_model(sides, wanted))
        return wanted;
    for (size_t i = 0; i < sides->count; i++) {
        const char *model = sides->items[i].model;
        if (strcmp(last_component(model), last_component(wanted)) != 0)
            continue;
        if (found && strcmp(found, model) != 0)
            return NULL;
        found = model;
    }
    return found;
}

static bool read_report(struct run *run, struct input *input)
{
    char problem[300] = "it has no targets";
    bool is_read = read_sides(input->path, &input->sides, problem, sizeof problem) && input->sides.count > 0;
    if (!is_read) {
        say("%s: %s", input->path, problem);
        worsen(run, EXIT_UNREADABLE);
    }
    return is_read;
}

/* Which model of a report is meant, once both inputs are known. */
static bool find_model(struct run *run, struct input *input, const struct input *other)
{
    const char *wanted = run->options->model_choice;
    if (!input->is_report || !has_many_models(&input->sides))
        return true;
    if (!wanted && !other->is_report)
        wanted = other->path;
    if (!wanted && !has_many_models(&other->sides))
        wanted = other->sides.items[0].model;
    input->model = choose_model(&input->sides, wanted);
    if (input->model)
        return true;
    if (wanted)
        say("%s: it has no model %s", input->path, wanted);
    else
        say("%s: it has several models; choose one with --model", input->path);
    worsen(run, EXIT_USAGE);
    return false;
}

/* ---- models ------------------------------------------------------------------------------------------------ */

static npart_status make_records(struct run *run, struct input *input, struct job *job, bool wants_advice,
                                 struct npart_error *error)
{
    const struct options *options = run->options;
    npart_status status = read_model(&job->model, options, input->path, error);
    if (status == NPART_OK)
        status = infer(&job->inference, job->model, options, input->is_dim_missing, error);
    if (status == NPART_OK)
        status = job_plan(run, job, wants_advice || run->document, error);
    for (int i = 0; status == NPART_OK && i < options->target_count; i++)
        status = npart_record_make(&input->records[i], job->plans[i], wants_advice ? job->advice[i] : NULL, error);
    return status;
}

/* Into the page: the report of each side, so one for each of two targets of one model. */
static npart_status enter(struct run *run, const struct input *input, const struct job *job, struct npart_error *error)
{
    size_t targets = (size_t)run->options->target_count, count = run->options->against ? 1 : targets;
    npart_status status = NPART_OK;
    for (size_t i = 0; run->document && i < targets && status == NPART_OK; i += count)
        status = document_add_plans(run, input->path, job->pairs + i, count, error);
    return status;
}

/* What changed tells what to do of the new side alone; reports in a page tell it of both. */
static bool analyze(struct run *run, struct input *input, bool wants_advice)
{
    struct job job = {0};
    struct npart_error error = {0};
    npart_status status = make_records(run, input, &job, wants_advice, &error);
    if (status == NPART_OK)
        status = enter(run, input, &job, &error);
    else
        (void)document_add_error(run, input->path, &error, NULL);
    job_free(&job);
    if (status == NPART_OK)
        return true;
    tell_error(input->path, &error);
    worsen(run, status_of(status));
    return false;
}

/* A dim of the user's that one of two models has is enough. */
static bool check_dims(struct run *run, const struct input *inputs, int count)
{
    const struct options *options = run->options;
    bool is_ok = true;
    for (uint32_t d = 0; d < options->dim_count; d++) {
        bool is_missing = true;
        for (int i = 0; i < count; i++)
            is_missing &= inputs[i].is_report || inputs[i].is_dim_missing[d];
        if (!is_missing)
            continue;
        say("--dim %s: no model has such a dim", options->dims[d].name);
        worsen(run, EXIT_USAGE);
        is_ok = false;
    }
    return is_ok;
}

/* ---- targets ----------------------------------------------------------------------------------------------- */

/* The targets that a report has of the model, where the user names none; with the toolchain left out, which may be an
 * earlier one. */
static bool take_targets(struct run *run, struct options *options, const struct input *input)
{
    for (size_t i = 0; i < input->sides.count; i++) {
        const struct npart_side *side = &input->sides.items[i];
        if (input->model && strcmp(side->model, input->model) != 0)
            continue;
        if (options->target_count == MOST_TARGETS) {
            say("%s: too many targets", input->path);
            worsen(run, EXIT_USAGE);
            return false;
        }
        options->targets[options->target_count++] = side->target;
    }
    return true;
}

/* "hexagon:v73@1.0" is "hexagon:v73" in a report, which tells the toolchain apart. */
static const struct npart_side *side_of(const struct input *input, const char *target, int place)
{
    char text[256];
    if (!input->is_report)
        return npart_record_side(input->records[place]);
    (void)snprintf(text, sizeof text, "%.*s", (int)strcspn(target, "@"), target);
    return find_side(&input->sides, input->model, text);
}

/* ---- the comparison ---------------------------------------------------------------------------------------- */

static npart_status report(struct run *run, npart_diff *const *diffs, size_t count, struct npart_error *error)
{
    const npart_diff *const *list = (const npart_diff *const *)diffs;
    if (run->options->is_quiet)
        return NPART_OK;
    if (run->document)
        return npart_document_add_diff(run->document, list, count, error);
    if (run->options->format == FORMAT_JSON)
        return npart_report_diff_json(list, count, write_output, run, error);
    if (run->options->format == FORMAT_MARKDOWN)
        return npart_report_diff_markdown(list, count, write_output, run, error);
    return npart_report_diff_text(list, count, &run->report, write_output, run, error);
}

/* With --quiet: the first thing that is worse. */
static void tell_worse(const npart_diff *diff, const struct npart_diff_info *info)
{
    struct npart_diff_figure figure = {.size = sizeof figure};
    struct npart_diff_cause cause = {.size = sizeof cause};
    struct npart_diff_node node = {.size = sizeof node};
    const char *what = "";
    if (npart_diff_figure(diff, 0, &figure) && figure.change == NPART_CHANGE_WORSE)
        what = figure.text;
    else if (npart_diff_cause(diff, 0, &cause) && cause.change == NPART_CHANGE_WORSE)
        what = cause.text;
    else if (npart_diff_node(diff, 0, &node))
        what = *node.name ? node.name : node.op;
    say("%s: %s is worse: %s", info->after->model, info->after->target, what);
}

static void tell(struct run *run, npart_diff *const *diffs, size_t count)
{
    struct npart_error error = {0};
    npart_status status = report(run, diffs, count, &error);
    if (status != NPART_OK && status != NPART_ERROR_WRITE) { /* that is told once, at the end */
        tell_error("", &error);
        worsen(run, status_of(status));
    }
    for (size_t i = 0; i < count; i++) {
        struct npart_diff_info info = {.size = sizeof info};
        if (!npart_diff_info(diffs[i], &info) || info.change != NPART_CHANGE_WORSE)
            continue;
        if (run->options->is_quiet)
            tell_worse(diffs[i], &info);
        worsen(run, EXIT_THRESHOLD);
    }
}

/* False when one could not be made. */
static bool add_diff(struct run *run, npart_diff **out, const struct npart_side *before, const struct npart_side *after)
{
    struct npart_error error = {0};
    npart_status status = npart_diff_make(out, before, after, NULL, &error);
    if (status == NPART_OK)
        return true;
    tell_error("", &error);
    worsen(run, status_of(status));
    return false;
}

/* A target that one side alone has is told, and not compared. */
static void compare_targets(struct run *run, const struct input *inputs)
{
    const struct options *options = run->options;
    npart_diff *diffs[MOST_TARGETS] = {NULL};
    size_t count = 0;
    bool is_ok = true;
    for (int i = 0; is_ok && i < options->target_count; i++) {
        const struct npart_side *sides[2];
        for (int k = 0; k < 2; k++) {
            sides[k] = side_of(&inputs[k], options->targets[i], i);
            if (!sides[k])
                say("%s: it has no target %s", inputs[k].path, options->targets[i]);
        }
        if (sides[0] && sides[1])
            is_ok = add_diff(run, &diffs[count++], sides[0], sides[1]);
    }
    if (is_ok && count == 0) {
        say("there is nothing to compare");
        worsen(run, EXIT_USAGE);
    } else if (is_ok) {
        tell(run, diffs, count);
    }
    for (size_t i = 0; i < count; i++)
        npart_diff_free(diffs[i]);
}

/* The side of a report that a page shows the report for: of the first target that it has. NULL: none. */
static const struct npart_side *side_in_page(const struct run *run, const struct input *input)
{
    const struct npart_side *side = NULL;
    for (int i = 0; i < run->options->target_count && !side; i++)
        side = side_of(input, run->options->targets[i], i);
    return side;
}

static bool can_be_shown(struct run *run, const struct input *input)
{
    const struct npart_side *side = input->is_report && wants_page(run->options) ? side_in_page(run, input) : NULL;
    if (!side || is_whole_report(&input->sides, side))
        return true;
    say("%s: a baseline cannot be shown: save a report (--format json)", input->path);
    worsen(run, EXIT_USAGE);
    return false;
}

/* A saved report as it stands in its file. Of a file that has several documents of one model, one. */
static bool enter_saved(struct run *run, const struct input *input)
{
    struct npart_error error = {0};
    const struct npart_side *side = run->document ? side_in_page(run, input) : NULL;
    npart_status status = side ? document_add_saved(run, input->path, &input->sides, side, &error) : NPART_OK;
    if (status == NPART_OK)
        return true;
    tell_error(input->path, &error);
    worsen(run, status_of(status));
    return false;
}

static bool open_page(struct run *run)
{
    struct npart_error error = {0};
    npart_status status = wants_page(run->options) ? document_open(run, &error) : NPART_OK;
    if (status == NPART_OK)
        return true;
    tell_error("", &error);
    worsen(run, status_of(status));
    return false;
}

static void close_input(struct input *input)
{
    for (int i = 0; i < MOST_TARGETS; i++)
        npart_record_free(input->records[i]);
    free_sides(&input->sides);
}

/* OLD and NEW. */
static void run_pair(struct run *run, struct options *options)
{
    struct input inputs[2] = {0};
    bool is_ok = true;
    for (int i = 0; i < 2; i++) {
        inputs[i].path = options->models[i];
        inputs[i].is_report = is_saved_report(options->models[i]);
        is_ok &= !inputs[i].is_report || read_report(run, &inputs[i]);
    }
    is_ok = is_ok && find_model(run, &inputs[0], &inputs[1]) && find_model(run, &inputs[1], &inputs[0]);
    bool has_target = options->target_count > 0 || options->oplist, has_models = false;
    for (int i = 1; is_ok && !has_target && options->target_count == 0 && i >= 0; i--)
        is_ok = !inputs[i].is_report || take_targets(run, options, &inputs[i]);
    for (int i = 0; i < 2; i++)
        has_models |= !inputs[i].is_report;
    if (is_ok && options->target_count == 0 && !options->oplist) {
        worsen(run, usage("which target? (--list-targets)"));
        is_ok = false;
    }
    is_ok = is_ok && (!has_models || find_oplists(run, options));
    for (int i = 0; i < 2; i++)
        is_ok = is_ok && can_be_shown(run, &inputs[i]);
    is_ok = is_ok && open_page(run);
    for (int i = 0; is_ok && i < 2; i++)
        is_ok = inputs[i].is_report ? enter_saved(run, &inputs[i])
                                    : analyze(run, &inputs[i], i == 1 && !options->is_quiet);
    if (is_ok && (!has_models || check_dims(run, inputs, 2)))
        compare_targets(run, inputs);
    document_close(run);
    close_input(&inputs[0]);
    close_input(&inputs[1]);
}

/* One model on two targets: the second one is the new one. */
static void run_against(struct run *run, struct options *options)
{
    struct input input = {.path = options->models[0]};
    npart_diff *diff = NULL;
    options->targets[options->target_count++] = options->against;
    if (find_oplists(run, options) && open_page(run) && analyze(run, &input, !options->is_quiet) &&
        check_dims(run, &input, 1) &&
        add_diff(run, &diff, npart_record_side(input.records[0]), npart_record_side(input.records[1])))
        tell(run, &diff, 1);
    document_close(run);
    npart_diff_free(diff);
    close_input(&input);
}

enum exit_status run_diff(struct run *run, struct options *options)
{
    bool is_known = options->format == FORMAT_TEXT || options->format == FORMAT_JSON ||
                    options->format == FORMAT_MARKDOWN || options->format == FORMAT_HTML;
    if (!is_known)
        return usage("diff --format: expected text, json, markdown or html");
    if (options->against && (options->model_count != 1 || options->target_count != 1))
        return usage("--against compares one model on two targets: MODEL --target A --against B");
    if (options->against && is_saved_report(options->models[0]))
        return usage("--against needs a model; of a saved report only the targets are there that it was made for");
    if (!options->against && options->model_count != 2)
        return usage("which two? diff OLD NEW, each a model or a saved report");
    choose_look(run);
    if (options->against)
        run_against(run, options);
    else
        run_pair(run, options);
    return run->status;
}
