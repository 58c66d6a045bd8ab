/* SPDX-License-Identifier: Apache-2.0
 *
 * What models were, so that a check fails only for what got worse.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* "worse than the baseline: partitions: 1 -> 3; new: Erf: not supported" */
static void write_worse(const npart_diff *diff, char *out, size_t bytes)
{
    struct npart_diff_figure figure = {.size = sizeof figure};
    struct npart_diff_cause cause = {.size = sizeof cause};
    size_t used = (size_t)snprintf(out, bytes, "worse than the baseline");
    const char *before = ": ";
    for (uint32_t i = 0; npart_diff_figure(diff, i, &figure) && used < bytes; i++)
        if (figure.change == NPART_CHANGE_WORSE) {
            used += (size_t)snprintf(out + used, bytes - used, "%s%s", before, figure.text);
            before = "; ";
        }
    for (uint32_t i = 0; npart_diff_cause(diff, i, &cause) && used < bytes; i++)
        if (cause.change == NPART_CHANGE_WORSE) {
            used += (size_t)snprintf(out + used, bytes - used, "%s%s: %s", before, npart_cause_change_text(cause.state),
                                     cause.text);
            before = "; ";
        }
}

static npart_status compare(const struct npart_side *before, const struct npart_side *after, bool *is_worse, char *text,
                            size_t bytes, struct npart_error *error)
{
    npart_diff *diff = NULL;
    struct npart_diff_info info = {.size = sizeof info};
    npart_status status = npart_diff_make(&diff, before, after, NULL, error);
    if (status == NPART_OK && npart_diff_info(diff, &info)) {
        *is_worse = info.change == NPART_CHANGE_WORSE;
        if (*is_worse)
            write_worse(diff, text, bytes);
        else
            (void)snprintf(text, bytes, "no worse than the baseline");
    }
    npart_diff_free(diff);
    return status;
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
    if (before) {
        out->is_known = true;
        out->was_invalid = before->is_invalid;
        status = compare(before, &kept.side, &out->is_worse, out->text, sizeof out->text, error);
        if (!out->is_worse && is_coverage_lost(checked->options, before, &kept.side)) {
            out->is_worse = true;
            (void)snprintf(out->text, sizeof out->text,
                           "worse than the baseline: coverage (MACs) is not known any more");
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

static bool write_sides(const char *path, const struct npart_side *const *sides, size_t count)
{
    struct output_file file;
    bool is_written = begin_output_file(&file, path) && write_baseline(file.stream, sides, count);
    int problem = errno;
    if (!end_output_file(&file, is_written) && is_written) {
        is_written = false;
        problem = errno;
    }
    if (!is_written)
        say("%s: cannot write: %s", path, strerror(problem));
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
    bool is_written = write_sides(baseline->path, sides, count);
    if (is_written)
        say("%s: %zu plan%s written", baseline->path, count, count == 1 ? "" : "s");
    free(sides);
    return is_written;
}
