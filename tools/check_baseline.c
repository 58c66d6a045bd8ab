/* SPDX-License-Identifier: Apache-2.0
 *
 * What models were, so that a check fails only for what got worse.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "baseline_words.h"
#include "check_baseline.h"
#include "glob.h"
#include "grow.h"
#include "message.h"
#include "output_file.h"
#include "platform.h"
#include "side.h"

/* A plan of this run, by the model's path in the project. */
struct kept {
    npart_record *record;
    struct npart_side side;
    char *model;
};

struct baseline {
    char *path;
    struct sides before;
    struct kept *kept;
    size_t count, room;
    bool is_written; /* it is to be: what is kept becomes the baseline */
};

/* Two lines of one plan: which of them counts nobody can tell. NULL: out of memory, or *has_memory. */
static const struct npart_side *find_twice(const struct sides *sides, bool *has_memory)
{
    const struct npart_side **sorted = calloc(sides->count + 1, sizeof *sorted), *found = NULL;
    *has_memory = sorted != NULL;
    for (size_t i = 0; sorted && i < sides->count; i++)
        sorted[i] = &sides->items[i];
    if (sorted)
        qsort(sorted, sides->count, sizeof *sorted, compare_sides);
    for (size_t i = 1; sorted && i < sides->count && !found; i++)
        found = compare_sides(&sorted[i - 1], &sorted[i]) == 0 ? sorted[i] : NULL;
    free(sorted);
    return found;
}

/* A file that is there. False: it cannot be used, and `problem` says why. */
static bool read_baseline(struct baseline *baseline, char *problem, size_t bytes)
{
    struct sides *sides = &baseline->before;
    bool has_memory = true;
    if (!is_saved_report(baseline->path)) {
        (void)snprintf(problem, bytes, "no baseline (check --update-baseline writes one), and no report");
        return false;
    }
    if (!read_sides(baseline->path, sides, problem, bytes))
        return false;
    const struct npart_side *twice = find_twice(sides, &has_memory);
    if (!has_memory)
        (void)snprintf(problem, bytes, "out of memory");
    else if (twice)
        (void)snprintf(problem, bytes, "two lines are of %.100s on %.60s (%.60s)", twice->model, twice->target,
                       twice->toolchain);
    if (has_memory && !twice && *sides->note && !baseline->is_written)
        say("%s%s", baseline->path, sides->note);
    return has_memory && !twice;
}

/* Whether a path is that of a file, or of nothing where one is to be written. A pipe would be waited for. */
static bool is_usable(const char *path, bool is_written, bool *is_there)
{
    bool is_other = kind_of_path(path, true) == PATH_OTHER;
    FILE *file = is_other ? NULL : open_file(path, "rb");
    int missing = file || is_other ? 0 : errno;
    *is_there = file != NULL;
    if (file)
        (void)fclose(file);
    if (*is_there || (is_written && missing == ENOENT))
        return true;
    say("%s: cannot read the baseline: %s%s", path, missing ? strerror(missing) : "not a regular file",
        missing == ENOENT ? "; --update-baseline writes it" : "");
    return false;
}

struct baseline *baseline_open(const char *path, bool is_written)
{
    char problem[512] = "";
    bool is_there;
    struct baseline *baseline = calloc(1, sizeof *baseline);
    if (baseline)
        baseline->path = join_parts(path, "", "");
    if (!baseline || !baseline->path) {
        say("out of memory");
        baseline_free(baseline);
        return NULL;
    }
    baseline->is_written = is_written;
    bool is_fine = is_usable(path, is_written, &is_there);
    if (is_fine && is_there && !read_baseline(baseline, problem, sizeof problem)) {
        say("%s: cannot read the baseline: %s", path, problem);
        is_fine = false;
    }
    if (!is_fine)
        baseline_free(baseline);
    return is_fine ? baseline : NULL;
}

bool baseline_is(const struct baseline *baseline, const char *path)
{
    return strcmp(baseline->path, path) == 0;
}

void baseline_free(struct baseline *baseline)
{
    if (!baseline)
        return;
    for (size_t i = 0; i < baseline->count; i++) {
        npart_record_free(baseline->kept[i].record);
        free(baseline->kept[i].model);
    }
    free_sides(&baseline->before);
    free(baseline->kept);
    free(baseline->path);
    free(baseline);
}

/* ---- one plan ----------------------------------------------------------------------------------------------- */

static npart_status make_kept(struct kept *kept, const struct checked *checked, const npart_plan *plan,
                              const npart_advice *advice, struct npart_error *error)
{
    *kept = (struct kept){.model = baseline_path(checked->relative ? checked->relative : checked->path)};
    npart_status status = kept->model ? npart_record_make(&kept->record, plan, advice, error) : NPART_ERROR_MEMORY;
    if (status == NPART_OK) {
        kept->side = *npart_record_side(kept->record);
        kept->side.model = kept->model;
    }
    return status;
}

static void free_kept(struct kept *kept)
{
    npart_record_free(kept->record);
    free(kept->model);
}

static bool keep(struct baseline *baseline, const struct kept *kept)
{
    baseline->kept = grow(baseline->kept, sizeof *baseline->kept, baseline->count, &baseline->room);
    if (baseline->count == baseline->room)
        return false;
    baseline->kept[baseline->count++] = *kept;
    return true;
}

/* ---- what changed ------------------------------------------------------------------------------------------- */

/* "Clip -> Erf `act`, model.py:41 (encoder): NPU -> CPU" of the first node that is worse, else of the first that is
 * another. */
static void write_node(const npart_diff *diff, char *out, size_t bytes)
{
    struct npart_diff_info info = {.size = sizeof info};
    (void)npart_diff_info(diff, &info);
    const char *const words[] = {
        [NPART_VERDICT_CPU] = "CPU",         [NPART_VERDICT_NPU] = info.after->unit ? info.after->unit : "NPU",
        [NPART_VERDICT_FAIL] = "fails to compile", [NPART_VERDICT_UNKNOWN] = "undecided",
        [NPART_VERDICT_FOLDED] = "folded",   [NPART_VERDICT_FUSED] = "fused",
    };
    struct npart_diff_node at = {.size = sizeof at};
    char index[24] = "";
    out[0] = '\0';
    if (!npart_diff_node(diff, 0, &at) || at.after == NPART_NONE)
        return;
    bool is_replaced = at.state == NPART_NODE_REPLACED, has_name = *at.name != '\0';
    if (!has_name)
        (void)snprintf(index, sizeof index, " (node %u)", at.index);
    (void)snprintf(out, bytes, "%s%s%s%s%s%s%s%s%s%s: %s%s%s", at.state == NPART_NODE_ADDED ? "new " : "",
                   is_replaced ? at.op_before : "", is_replaced ? " -> " : "", at.op, has_name ? " `" : index,
                   at.name, has_name ? "`" : "", *at.place ? ", " : "", at.place,
                   at.change == NPART_CHANGE_WORSE ? "" : " (first changed node)",
                   at.before == NPART_NONE ? "" : words[at.verdict_before], at.before == NPART_NONE ? "" : " -> ",
                   words[at.verdict]);
}

static void list_changed(const npart_diff *diff, struct compared *out)
{
    struct npart_diff_node node = {.size = sizeof node};
    struct npart_diff_cause cause = {.size = sizeof cause};
    for (uint32_t i = 0; npart_diff_node(diff, i, &node) && out->node_count < MOST_CHANGED; i++)
        if (node.after != NPART_NONE && (node.change == NPART_CHANGE_WORSE || i == 0))
            out->nodes[out->node_count++] = node.after;
    for (uint32_t i = 0; npart_diff_cause(diff, i, &cause) && out->cause_count < MOST_CHANGED; i++)
        if (cause.after != NPART_NONE && cause.change == NPART_CHANGE_WORSE)
            out->causes[out->cause_count++] = cause.after;
}

/* Figures that are told beside the node, and what each is about; what is not here says nothing of its own. */
static const struct {
    const char *what;
    unsigned kind;
    bool is_text; /* told as the comparison has it */
} told_figures[] = {
    {"partitions", WORSE_PARTITIONS, false}, {"cost", WORSE_TIME, false},     {"mac-coverage", WORSE_COVERAGE, true},
    {"failed", WORSE_FAILED, true},          {"invalid", WORSE_INVALID, true}, {"limits", WORSE_MEMORY, true},
    {"off-chip", WORSE_MEMORY, true},        {"peak", WORSE_MEMORY, true},     {"left", WORSE_COVERAGE, false},
    {"verdict", 0, false},
};

static size_t place_of_figure(const char *what)
{
    size_t at = 0;
    while (at < sizeof told_figures / sizeof *told_figures && strcmp(told_figures[at].what, what) != 0)
        at++;
    return at;
}

/* What the node that is told says as well. */
static bool is_implied(const char *what)
{
    return strcmp(what, "verdict") == 0 || strcmp(what, "left") == 0;
}

/* "partitions 1 -> 3, a run ~0.26 ms -> ~0.53 ms", then other figures that are worse. */
static void write_figures(const npart_diff *diff, const struct npart_side *before, const struct npart_side *after,
                          struct compared *out)
{
    struct npart_diff_figure figure = {.size = sizeof figure};
    char was[32] = "not known", is[32] = "not known";
    size_t bytes = sizeof out->figures;
    uint32_t had = before->summary.partitions, has = after->summary.partitions;
    size_t used = (size_t)(had == has ? snprintf(out->figures, bytes, has == 1 ? "%u partition as before"
                                                                               : "%u partitions as before", has)
                                      : snprintf(out->figures, bytes, "partitions %u -> %u", had, has));
    bool had_time = before->cost.typical_ms >= 0, has_time = after->cost.typical_ms >= 0;
    if (had_time)
        (void)npart_estimate_text(before->cost.typical_ms, was, sizeof was);
    if (has_time)
        (void)npart_estimate_text(after->cost.typical_ms, is, sizeof is);
    if (had_time || has_time)
        used += (size_t)snprintf(out->figures + used, bytes - used, ", a run %s -> %s", was, is);
    for (uint32_t i = 0; npart_diff_figure(diff, i, &figure) && used < bytes; i++) {
        size_t at = place_of_figure(figure.what);
        bool is_known = at < sizeof told_figures / sizeof *told_figures;
        if (figure.change != NPART_CHANGE_WORSE)
            continue;
        out->kinds |= is_known ? told_figures[at].kind : 0;
        if (is_known && told_figures[at].is_text)
            used += (size_t)snprintf(out->figures + used, bytes - used, ", %s", figure.text);
    }
    if (before->summary.partitions && !after->summary.partitions)
        out->kinds |= WORSE_NONE;
}

/* "worse than the baseline: Clip -> Erf `act`, model.py:41: NPU -> CPU; partitions: 1 -> 3; new: Erf: not supported" */
static void write_worse(const npart_diff *diff, struct compared *out)
{
    struct npart_diff_figure figure = {.size = sizeof figure};
    struct npart_diff_cause cause = {.size = sizeof cause};
    size_t bytes = sizeof out->text;
    write_node(diff, out->changed, sizeof out->changed);
    list_changed(diff, out);
    size_t used = (size_t)snprintf(out->text, bytes, WORSE "%s", out->changed);
    const char *before = *out->changed ? "; " : "";
    for (uint32_t i = 0; npart_diff_figure(diff, i, &figure) && used < bytes; i++)
        if ((figure.change == NPART_CHANGE_WORSE && !(*out->changed && is_implied(figure.what))) ||
            strcmp(figure.what, "partitions") == 0) {
            used += (size_t)snprintf(out->text + used, bytes - used, "%s%s", before, figure.text);
            before = "; ";
        }
    for (uint32_t i = 0; npart_diff_cause(diff, i, &cause) && used < bytes; i++)
        if (cause.change == NPART_CHANGE_WORSE) {
            used += (size_t)snprintf(out->text + used, bytes - used, "%s%s: %s", before,
                                     npart_cause_change_text(cause.state), cause.text);
            (void)snprintf(out->cause, sizeof out->cause, "%s", cause.text);
            break; /* of further ones the documents tell */
        }
    if (out->cause_count > 1 && used < bytes)
        (void)snprintf(out->text + used, bytes - used, "; and %u more cause%s", out->cause_count - 1,
                       out->cause_count == 2 ? "" : "s");
}

/* Whether all that is counted is what it was. */
static bool is_same_summary(const struct npart_side *before, const struct npart_side *after)
{
    const struct npart_summary *a = &before->summary, *b = &after->summary;
    return a->verdict == b->verdict && a->partitions == b->partitions && a->accepted == b->accepted &&
           a->live == b->live && a->failed == b->failed && a->unknown == b->unknown;
}

static npart_status compare(const struct npart_side *before, const struct npart_side *after, struct compared *out,
                            struct npart_error *error)
{
    npart_diff *diff = NULL;
    struct npart_diff_info info = {.size = sizeof info};
    npart_status status = npart_diff_make(&diff, before, after, NULL, error);
    if (status == NPART_OK && npart_diff_info(diff, &info)) {
        out->is_worse = info.change == NPART_CHANGE_WORSE;
        out->is_same = is_same_summary(before, after);
        write_figures(diff, before, after, out);
        if (out->is_worse)
            write_worse(diff, out);
        else
            (void)snprintf(out->text, sizeof out->text, "no worse than the baseline");
    }
    npart_diff_free(diff);
    return status;
}

/* Of a baseline without its cache: both sides as their lines have them, rounded alike. */
static npart_status compare_words(const struct npart_side *before, const char *line, const struct npart_side *after,
                                  struct compared *out, struct npart_error *error)
{
    struct sides words = {0};
    char *now = make_words(after, version_of_words(line));
    bool is_read = now && add_words(&words, now);
    npart_status status = is_read ? compare(before, &words.items[0], out, error) : NPART_ERROR_MEMORY;
    out->cause_count = 0; /* which of the plan's they are is not known */
    free(now);
    free_sides(&words);
    return status;
}

/* A model that moved: the baseline has one of the same structure on the same target whose file is gone. */
static npart_status find_moved(const struct baseline *baseline, const struct checked *checked,
                               const struct npart_side *side, const struct npart_side **out)
{
    char *line = make_words(side, BASELINE_VERSION);
    bool has_memory = line != NULL;
    for (size_t i = 0; has_memory && checked->relative && !*out && i < baseline->before.count; i++) {
        const struct npart_side *at = &baseline->before.items[i];
        const char *old = line_of_side(&baseline->before, at);
        if (!old || strcmp(at->target, side->target) != 0 || !is_same_structure(old, line))
            continue;
        char *path = join_parts(checked->project->shown, at->model, "");
        has_memory = path != NULL;
        if (path && kind_of_path(path, true) == PATH_NOTHING)
            *out = at;
        free(path);
    }
    if (*out)
        say("%s: %s: note: compared with %s of the baseline, which is not there any more", checked->path, side->target,
            (*out)->model);
    free(line);
    return has_memory ? NPART_OK : NPART_ERROR_MEMORY;
}

/* What a plan is compared with. */
static const struct npart_side *find_before(const struct baseline *baseline, const struct npart_side *side,
                                            bool *are_several)
{
    return find_side(&baseline->before, side->model, side->target, side->toolchain, are_several);
}

/* What the baseline knows, and nothing can be said of now; NULL: nothing. What cannot be compared is no better. */
static const char *find_lost(const struct npart_side *before, const struct npart_side *after)
{
    if (before->summary.has_macs && !after->summary.has_macs)
        return "coverage (MACs) is not known any more";
    bool is_time_lost = before->cost.typical_ms >= 0 && after->cost.typical_ms < 0;
    return is_time_lost ? "the time of a run is not known any more" : NULL;
}

static void tell_worse(struct compared *out, const char *why)
{
    out->is_worse = true;
    (void)snprintf(out->text, sizeof out->text, WORSE "%s", why);
    (void)snprintf(out->figures, sizeof out->figures, "%s", why);
}

/* With nodes where the baseline has them, else in words. */
static npart_status compare_with(const struct baseline *baseline, const struct npart_side *before,
                                 const struct npart_side *after, struct compared *out, struct npart_error *error)
{
    const char *line = before->listing == NPART_LISTING_NONE ? line_of_side(&baseline->before, before) : NULL;
    out->is_known = out->has_before = true;
    out->was_invalid = before->is_invalid;
    out->before = before->summary;
    out->before_ms = before->cost.typical_ms;
    npart_status status = line ? compare_words(before, line, after, out, error) : compare(before, after, out, error);
    const char *lost = find_lost(before, after);
    if (status == NPART_OK && !out->is_worse && lost)
        tell_worse(out, lost);
    return status;
}

npart_status baseline_compare(struct baseline *baseline, const struct checked *checked, const npart_plan *plan,
                              const npart_advice *advice, struct compared *out, struct npart_error *error)
{
    struct kept kept;
    *out = (struct compared){0};
    npart_status status = make_kept(&kept, checked, plan, advice, error);
    if (status == NPART_OK && baseline->is_written) {
        out->is_known = true;
        (void)snprintf(out->text, sizeof out->text, WRITTEN);
        if (keep(baseline, &kept))
            return NPART_OK;
        status = NPART_ERROR_MEMORY;
    }
    bool are_others = false;
    const struct npart_side *before = status == NPART_OK ? find_before(baseline, &kept.side, &are_others) : NULL;
    if (status == NPART_OK && !before && !are_others && !baseline->is_written)
        status = find_moved(baseline, checked, &kept.side, &before);
    if (status == NPART_OK && before)
        status = compare_with(baseline, before, &kept.side, out, error);
    if (status == NPART_OK && are_others) {
        out->is_known = true;
        tell_worse(out, "not to be compared, as it has other toolchains of this target alone");
    }
    free_kept(&kept);
    if (status == NPART_ERROR_MEMORY)
        (void)snprintf(error->message, sizeof error->message, "out of memory");
    return status;
}

/* ---- writing ------------------------------------------------------------------------------------------------ */

static bool is_same_plan(const struct npart_side *a, const struct npart_side *b)
{
    return strcmp(a->model, b->model) == 0 && strcmp(a->target, b->target) == 0 &&
           strcmp(a->toolchain, b->toolchain) == 0;
}

/* By the plan that is compared with it: after an update of the toolchain by that of the new one. */
static bool is_replaced(const struct baseline *baseline, const struct npart_side *old)
{
    for (size_t i = 0; i < baseline->count; i++) {
        const struct npart_side *side = &baseline->kept[i].side, *before = find_before(baseline, side, NULL);
        if (before && is_same_plan(before, old))
            return true;
    }
    return false;
}

static int compare_lines(const void *a, const void *b)
{
    return compare_sides(a, b);
}

static bool write_lines(FILE *file, const struct sides *before, const struct npart_side *const *sides, size_t count)
{
    bool is_ok = fprintf(file, BASELINE_HEAD "%d: what models were, a line a model and target, to be reviewed. "
                               "`npu-partition check --update-baseline` writes it.\n", BASELINE_VERSION) >= 0;
    for (size_t i = 0; is_ok && i < count; i++) {
        const char *line = sides[i]->listing == NPART_LISTING_NONE ? line_of_side(before, sides[i]) : NULL;
        char *made = line ? NULL : make_words(sides[i], BASELINE_VERSION);
        is_ok = (line || made) && fprintf(file, "%s\n", line ? line : made) >= 0;
        free(made);
    }
    return is_ok;
}

/* The words, or the cache beside them. */
static bool write_file(const char *path, const struct sides *before, const struct npart_side *const *sides,
                       size_t count, bool is_cache)
{
    struct output_file file;
    bool is_written = begin_output_file(&file, path) && (is_cache ? write_baseline(file.stream, sides, count)
                                                                  : write_lines(file.stream, before, sides, count));
    return finish_output_file(&file, path, is_written);
}

static bool write_sides(const struct baseline *baseline, const struct npart_side **sides, size_t count)
{
    char *cache = join_parts(baseline->path, BASELINE_CACHE, "");
    qsort(sides, count, sizeof *sides, compare_lines);
    bool is_written = cache && write_file(baseline->path, &baseline->before, sides, count, false) &&
                      write_file(cache, &baseline->before, sides, count, true);
    free(cache);
    return is_written;
}

bool baseline_write(struct baseline *baseline, bool are_all)
{
    size_t count = 0;
    if (!baseline->is_written)
        return true;
    const struct npart_side **sides = calloc(baseline->count + baseline->before.count + 1, sizeof *sides);
    if (!sides) {
        say("out of memory");
        return false;
    }
    for (size_t i = 0; i < baseline->count; i++)
        sides[count++] = &baseline->kept[i].side;
    for (size_t i = 0; !are_all && i < baseline->before.count; i++)
        if (!is_replaced(baseline, &baseline->before.items[i]))
            sides[count++] = &baseline->before.items[i];
    bool is_written = write_sides(baseline, sides, count);
    if (is_written)
        say("%s: %zu plan%s written", baseline->path, count, count == 1 ? "" : "s");
    free(sides);
    return is_written;
}
