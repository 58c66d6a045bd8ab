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

struct baseline *baseline_open(const char *path, bool is_written)
{
    char problem[256] = "";
    struct baseline *baseline = calloc(1, sizeof *baseline);
    if (baseline)
        baseline->path = join_parts(path, "", "");
    if (!baseline || !baseline->path) {
        say("out of memory");
        baseline_free(baseline);
        return NULL;
    }
    baseline->is_written = is_written;
    FILE *file = open_file(path, "rb");
    int missing = file ? 0 : errno;
    if (file)
        (void)fclose(file);
    if (missing && (!is_written || missing != ENOENT)) {
        say("%s: cannot read the baseline: %s%s", path, strerror(missing),
            missing == ENOENT ? "; --update-baseline writes it" : "");
        baseline_free(baseline);
        return NULL;
    }
    if (!missing && !read_sides(path, &baseline->before, problem, sizeof problem)) {
        say("%s: cannot read the baseline: %s", path, problem);
        baseline_free(baseline);
        return NULL;
    }
    return baseline;
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

static npart_status make_kept(struct kept *kept, const struct checked *checked, int target, struct npart_error *error)
{
    *kept = (struct kept){.model = baseline_path(checked->relative ? checked->relative : checked->path)};
    npart_status status = kept->model ? npart_record_make(&kept->record, checked->job.plans[target],
                                                          checked->job.advice[target], error)
                                      : NPART_ERROR_MEMORY;
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
    if (baseline->count == baseline->room) {
        size_t room = baseline->room ? 2 * baseline->room : 16;
        struct kept *grown = realloc(baseline->kept, room * sizeof *grown);
        if (!grown)
            return false;
        baseline->kept = grown;
        baseline->room = room;
    }
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

/* What the node that is told says as well. */
static bool is_implied(const char *what)
{
    return strcmp(what, "verdict") == 0 || strcmp(what, "left") == 0;
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
            break; /* of further ones the documents tell */
        }
    if (out->cause_count > 1 && used < bytes)
        (void)snprintf(out->text + used, bytes - used, "; and %u more cause%s", out->cause_count - 1,
                       out->cause_count == 2 ? "" : "s");
}

static npart_status compare(const struct npart_side *before, const struct npart_side *after, struct compared *out,
                            struct npart_error *error)
{
    npart_diff *diff = NULL;
    struct npart_diff_info info = {.size = sizeof info};
    npart_status status = npart_diff_make(&diff, before, after, NULL, error);
    if (status == NPART_OK && npart_diff_info(diff, &info)) {
        out->is_worse = info.change == NPART_CHANGE_WORSE;
        if (out->is_worse)
            write_worse(diff, out);
        else
            (void)snprintf(out->text, sizeof out->text, "no worse than the baseline");
    }
    npart_diff_free(diff);
    return status;
}

/* Of a baseline without its cache: both sides as their lines have them, rounded alike, and without times. */
static npart_status compare_words(const struct npart_side *before, const char *line, const struct npart_side *after,
                                  struct compared *out, struct npart_error *error)
{
    struct sides words = {0};
    struct npart_side was = *before, is;
    char *now = make_words(after);
    bool is_read = now && add_words(&words, now);
    npart_status status = is_read ? NPART_OK : NPART_ERROR_MEMORY;
    if (is_read && !is_same_structure(line, now)) {
        is = words.items[0];
        was.cost = was.npu_whole = is.cost = is.npu_whole = (struct npart_cost_range){-1, -1, -1};
        status = compare(&was, &is, out, error);
        out->cause_count = 0; /* which of the plan's they are is not known */
    } else if (is_read) {
        (void)snprintf(out->text, sizeof out->text, "no worse than the baseline");
    }
    free(now);
    free_sides(&words);
    return status;
}

/* A model that moved: the baseline has one of the same structure on the same target whose file is gone. */
static const struct npart_side *find_moved(const struct baseline *baseline, const struct checked *checked,
                                           const struct npart_side *side)
{
    const struct npart_side *found = NULL;
    char *line = make_words(side);
    for (size_t i = 0; line && checked->relative && !found && i < baseline->before.count; i++) {
        const struct npart_side *at = &baseline->before.items[i];
        const char *old = line_of_side(&baseline->before, at);
        if (!old || strcmp(at->target, side->target) != 0 || !is_same_structure(old, line))
            continue;
        char *path = join_parts(checked->project->shown, at->model, "");
        if (path && kind_of_path(path, true) == PATH_NOTHING)
            found = at;
        free(path);
    }
    if (found)
        say("%s: %s: note: compared with %s of the baseline, which is not there any more", checked->path, side->target,
            found->model);
    free(line);
    return found;
}

/* What a plan is compared with. */
static const struct npart_side *find_before(const struct baseline *baseline, const struct npart_side *side)
{
    return find_side(&baseline->before, side->model, side->target, side->toolchain);
}

/* A threshold where the coverage of MACs is not known any more: what the baseline met, or nearly, is no excuse. */
static bool is_coverage_lost(const struct options *options, const struct npart_side *before,
                             const struct npart_side *after)
{
    return options->min_mac_coverage >= 0 && before->summary.has_macs && !after->summary.has_macs;
}

npart_status baseline_compare(struct baseline *baseline, const struct checked *checked, int target,
                              struct compared *out, struct npart_error *error)
{
    struct kept kept;
    *out = (struct compared){0};
    npart_status status = make_kept(&kept, checked, target, error);
    if (status == NPART_OK && baseline->is_written) {
        out->is_known = true;
        (void)snprintf(out->text, sizeof out->text, "written to the baseline");
        if (keep(baseline, &kept))
            return NPART_OK;
        status = NPART_ERROR_MEMORY;
    }
    const struct npart_side *before = status == NPART_OK ? find_before(baseline, &kept.side) : NULL;
    if (status == NPART_OK && !before && !baseline->is_written)
        before = find_moved(baseline, checked, &kept.side);
    if (before) {
        const char *line = line_of_side(&baseline->before, before);
        out->is_known = out->has_before = true;
        out->was_invalid = before->is_invalid;
        out->before = before->summary;
        out->before_ms = before->cost.typical_ms;
        status = before->listing == NPART_LISTING_NONE && line ? compare_words(before, line, &kept.side, out, error)
                                                               : compare(before, &kept.side, out, error);
        if (!out->is_worse && is_coverage_lost(checked->options, before, &kept.side)) {
            out->is_worse = true;
            (void)snprintf(out->text, sizeof out->text,
                           WORSE "coverage (MACs) is not known any more");
        }
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
        const struct npart_side *side = &baseline->kept[i].side, *before = find_before(baseline, side);
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
    bool is_ok = fputs("# npu-partition baseline 2: what models were, a line a model and target, to be reviewed. "
                       "`npu-partition check --update-baseline` writes it.\n", file) >= 0;
    for (size_t i = 0; is_ok && i < count; i++) {
        const char *line = sides[i]->listing == NPART_LISTING_NONE ? line_of_side(before, sides[i]) : NULL;
        char *made = line ? NULL : make_words(sides[i]);
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
    int problem = errno;
    if (!end_output_file(&file, is_written) && is_written) {
        is_written = false;
        problem = errno;
    }
    if (!is_written)
        say("%s: cannot write: %s", path, strerror(problem));
    return is_written;
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
