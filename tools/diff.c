/* SPDX-License-Identifier: Apache-2.0
 *
 * The command diff: two sides, each a model or a saved report, or one model on two targets.
 */
#include "tool.h"

#define TARGET_BYTES 512 /* of a target with its toolchain, as it is named */

/* One of OLD and NEW. */
struct input {
    const char *path, *model; /* model: which one of a report; NULL: any, as there is but one */
    bool is_report;
    struct sides sides;
    npart_record *records[MOST_TARGETS]; /* of a model, by target */
    bool is_dim_missing[MOST_DIMS];
};

/* OLD and NEW. Where the user names no targets they are those of NEW, or of OLD where NEW is a model. */
struct pair {
    struct input inputs[2];
    const struct npart_side *taken[MOST_TARGETS]; /* by target: the side that it is the target of; else NULL */
};

/* ---- reports ----------------------------------------------------------------------------------------------- */

static bool read_report(struct run *run, struct input *input)
{
    char problem[300] = "it has no targets";
    return (read_sides(input->path, &input->sides, problem, sizeof problem) && input->sides.count > 0) ||
           refuse(run, EXIT_UNREADABLE, "%s: %s", input->path, problem);
}

/* Which model of a report is meant, once both inputs are known. */
static bool find_model(struct run *run, struct input *input, const struct input *other)
{
    const char *wanted = run->options->model_choice, *any;
    if (!wanted && !other->is_report)
        wanted = other->path;
    if (!wanted && npart_sides_model(other->sides.read, NULL, &any))
        wanted = other->sides.items[0].model;
    if (!input->is_report || npart_sides_model(input->sides.read, wanted, &input->model))
        return true;
    if (wanted)
        return refuse(run, EXIT_USAGE, "%s: it has no model %s", input->path, wanted);
    return refuse(run, EXIT_USAGE, "%s: it has several models; choose one with --model", input->path);
}

/* ---- models ------------------------------------------------------------------------------------------------ */

static npart_status make_records(struct run *run, struct input *input, struct job *job, bool wants_advice,
                                 struct npart_error *error)
{
    const struct options *options = run->options;
    npart_status status = job_make(run, job, input->path, input->is_dim_missing, wants_advice || run->document, error);
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
        status = npart_document_add(run->document,
                                    ENTRY(.path = input->path, .plans = job->pairs + i, .plan_count = count), error);
    return status;
}

/* A report that is no file was taken for a model. */
static void tell_failure(const char *path, npart_status status, const struct npart_error *error)
{
    bool is_stream = strcmp(path, "-") == 0 || npart__path_kind(path, true) == NPART__PATH_OTHER;
    tell_error(path, error);
    if (is_stream && status == NPART_ERROR_MALFORMED)
        say("%s: note: a saved report must be a file, as it is read more than once", path);
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
        (void)npart_document_add(run->document, ENTRY(.path = input->path, .error = &error), NULL);
    job_free(&job);
    if (status == NPART_OK)
        return true;
    tell_failure(input->path, status, &error);
    worsen(run, status_of(status));
    return false;
}

/* A dim of the user's that one of two models has is enough. */
static bool check_dims(struct run *run, const struct input *inputs, int count)
{
    const struct options *options = run->options;
    bool is_found[MOST_DIMS] = {false};
    for (uint32_t d = 0; d < options->dim_count; d++)
        for (int i = 0; i < count; i++)
            is_found[d] |= !inputs[i].is_report && !inputs[i].is_dim_missing[d];
    return tell_missing_dims(run, options->dims, options->dim_count, is_found);
}

/* ---- targets ----------------------------------------------------------------------------------------------- */

/* The targets that a report has of the model, where the user names none; with the toolchain left out where it has one,
 * which may be an earlier one. */
static bool take_targets(struct run *run, struct options *options, struct pair *pair, const struct input *input)
{
    const struct npart_side *side;
    char text[TARGET_BYTES];
    uint32_t at = 0;
    while ((side = npart_sides_plan(input->sides.read, input->model, &at, text, sizeof text)) != NULL) {
        int place = options->target_count;
        if (place == MOST_TARGETS)
            return refuse(run, EXIT_USAGE, "%s: too many targets", input->path);
        pair->taken[place] = side;
        options->targets[options->target_count++] = text_as("%s", text);
    }
    return true;
}

/* Beside a model, a report must have the target that was planned, rather than what the user calls it: a report may have
 * "hexagon" as another variant. NULL: it is not there; *are_several: or more than one is. */
static const struct npart_side *side_of(const struct pair *pair, int which, const char *target, int place,
                                        bool *are_several)
{
    const struct input *input = &pair->inputs[which], *other = &pair->inputs[!which];
    const struct npart_side *planned = npart_record_side(other->records[place]), *taken = pair->taken[place];
    *are_several = false;
    if (!input->is_report)
        return npart_record_side(input->records[place]);
    if (taken) /* of two reports from NEW */
        return which == 1 || !other->is_report
                   ? taken
                   : npart_sides_find_same(input->sides.read, input->model, other->sides.read, other->model, taken);
    if (planned)
        return npart_sides_find(input->sides.read, input->model, planned->target, planned->toolchain, NULL);
    return npart_sides_find_meant(input->sides.read, input->model, target, are_several);
}

static void tell_missing(const struct pair *pair, int which, const char *target, int place, bool are_several)
{
    const struct input *input = &pair->inputs[which];
    const struct npart_side *planned = npart_record_side(pair->inputs[!which].records[place]);
    bool has_others = false;
    if (planned)
        (void)npart_sides_find(input->sides.read, input->model, planned->target, NULL, &has_others);
    if (are_several)
        say("%s: it has several targets %s: name one in full (NAME:VARIANT@TOOLCHAIN)", input->path, target);
    else if (has_others)
        say("%s: it has no target %s@%s", input->path, planned->target, planned->toolchain);
    else
        say("%s: it has no target %s", input->path, planned ? planned->target : target);
}

/* The targets were taken from NEW: what OLD alone has. */
static void tell_left_out(const struct pair *pair, const struct npart_side *const *compared, size_t count)
{
    const struct input *old = &pair->inputs[0], *new = &pair->inputs[1];
    const struct npart_side *side;
    char text[TARGET_BYTES];
    uint32_t at = 0;
    while ((side = npart_sides_plan(old->sides.read, old->model, &at, text, sizeof text)) != NULL) {
        bool is_compared = false;
        for (size_t k = 0; k < count; k++)
            is_compared |= compared[k] == side;
        if (!is_compared)
            say("%s: it has no target %s", new->path, text);
    }
}

/* ---- the comparison ---------------------------------------------------------------------------------------- */

static npart_status report(struct run *run, npart_diff *const *diffs, size_t count, struct npart_error *error)
{
    const npart_diff *const *list = (const npart_diff *const *)diffs;
    if (run->options->is_quiet)
        return NPART_OK;
    if (run->document)
        return npart_document_add_diff(run->document, list, count, error);
    struct npart_subject subject = {
        .size = sizeof subject, .kind = NPART_SUBJECT_DIFFS, .diffs = list, .count = count};
    return write_report(run, &subject, &run->report, error);
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
    if (status != NPART_ERROR_WRITE) /* that is told once, at the end */
        (void)is_fine(run, "", status, &error);
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
    return is_fine(run, after->model, status, &error);
}

/* A target that one side alone has is told, and not compared. */
static void compare_targets(struct run *run, const struct pair *pair)
{
    const struct options *options = run->options;
    const struct npart_side *compared[MOST_TARGETS];
    npart_diff *diffs[MOST_TARGETS] = {NULL};
    size_t count = 0;
    bool is_ok = true;
    for (int i = 0; is_ok && i < options->target_count; i++) {
        const struct npart_side *sides[2];
        for (int k = 0; k < 2; k++) {
            bool are_several;
            sides[k] = side_of(pair, k, options->targets[i], i, &are_several);
            if (!sides[k])
                tell_missing(pair, k, options->targets[i], i, are_several);
        }
        if (sides[0] && sides[1]) {
            compared[count] = sides[0];
            is_ok = add_diff(run, &diffs[count++], sides[0], sides[1]);
        }
    }
    if (is_ok && pair->inputs[0].is_report && pair->inputs[1].is_report && pair->taken[0])
        tell_left_out(pair, compared, count);
    if (is_ok && count == 0)
        (void)refuse(run, EXIT_USAGE, "there is nothing to compare");
    else if (is_ok)
        tell(run, diffs, count);
    for (size_t i = 0; i < count; i++)
        npart_diff_free(diffs[i]);
}

/* The side of a report that a page shows the report for: of the first target that it has, as far as that can be told
 * before a model is planned. NULL: none. */
static const struct npart_side *side_in_page(const struct run *run, const struct pair *pair, int which)
{
    const struct input *input = &pair->inputs[which];
    const struct npart_side *side = NULL;
    uint32_t from = 0;
    bool are_several;
    for (int i = 0; i < run->options->target_count && !side; i++)
        side = side_of(pair, which, run->options->targets[i], i, &are_several);
    return side ? side : npart_sides_plan(input->sides.read, input->model, &from, NULL, 0);
}

static bool can_be_shown(struct run *run, const struct pair *pair, int which)
{
    const struct input *input = &pair->inputs[which];
    bool is_shown = input->is_report && wants_page(run->options);
    const struct npart_side *side = is_shown ? side_in_page(run, pair, which) : NULL;
    return !side || npart_sides_is_report(input->sides.read, side) ||
           refuse(run, EXIT_USAGE, "%s: a baseline cannot be shown: save a report (--format json)", input->path);
}

/* A saved report as it stands in its file. Of a file that has several documents of one model, one. */
static bool enter_saved(struct run *run, const struct pair *pair, int which)
{
    struct npart_error error = {0};
    const struct input *input = &pair->inputs[which];
    const struct npart_side *side = run->document ? side_in_page(run, pair, which) : NULL;
    npart_status status = side ? document_add_saved(run, input->path, &input->sides, side, &error) : NPART_OK;
    return is_fine(run, input->path, status, &error);
}

static bool open_page(struct run *run)
{
    struct npart_error error = {0};
    npart_status status = wants_page(run->options) ? document_open(run, &error) : NPART_OK;
    return is_fine(run, "", status, &error);
}

static void close_input(struct input *input)
{
    for (int i = 0; i < MOST_TARGETS; i++)
        npart_record_free(input->records[i]);
    free_sides(&input->sides);
}

static bool read_reports(struct run *run, const struct options *options, struct pair *pair)
{
    bool is_ok = true;
    for (int i = 0; i < 2; i++) {
        struct input *input = &pair->inputs[i];
        input->path = options->models[i];
        input->is_report = is_saved_report(input->path);
        is_ok &= !input->is_report || read_report(run, input);
    }
    return is_ok && find_model(run, &pair->inputs[0], &pair->inputs[1]) &&
           find_model(run, &pair->inputs[1], &pair->inputs[0]);
}

/* The user's, or else those of NEW, or else of OLD. */
static bool choose_targets(struct run *run, struct options *options, struct pair *pair)
{
    bool is_ok = true;
    for (int i = 1; is_ok && !options->oplist && options->target_count == 0 && i >= 0; i--)
        is_ok = !pair->inputs[i].is_report || take_targets(run, options, pair, &pair->inputs[i]);
    if (!is_ok || options->target_count > 0 || options->oplist)
        return is_ok;
    worsen(run, usage("which target? (--list-targets)"));
    return false;
}

static void run_pair(struct run *run, struct options *options)
{
    struct pair pair = {.taken = {NULL}};
    bool is_ok = read_reports(run, options, &pair) && choose_targets(run, options, &pair);
    bool has_models = !pair.inputs[0].is_report || !pair.inputs[1].is_report;
    is_ok = is_ok && (!has_models || find_oplists(run, options));
    for (int i = 0; i < 2; i++)
        is_ok = is_ok && can_be_shown(run, &pair, i);
    is_ok = is_ok && open_page(run);
    for (int i = 0; is_ok && i < 2; i++)
        is_ok = pair.inputs[i].is_report ? enter_saved(run, &pair, i)
                                         : analyze(run, &pair.inputs[i], i == 1 && !options->is_quiet);
    if (is_ok && (!has_models || check_dims(run, pair.inputs, 2)))
        compare_targets(run, &pair);
    document_close(run);
    close_input(&pair.inputs[0]);
    close_input(&pair.inputs[1]);
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
