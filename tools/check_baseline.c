/* SPDX-License-Identifier: Apache-2.0
 *
 * What models were, so that a check fails only for what got worse.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check_baseline.h"
#include "files.h"
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

/* For qsort. */
static int compare_lines(const void *a, const void *b)
{
    return npart_side_compare(*(const struct npart_side *const *)a, *(const struct npart_side *const *)b);
}

/* Two lines of one plan: which of them counts nobody can tell. NULL: out of memory, or *has_memory. */
static const struct npart_side *find_twice(const struct sides *sides, bool *has_memory)
{
    const struct npart_side **sorted = calloc(sides->count + 1, sizeof *sorted), *found = NULL;
    *has_memory = sorted != NULL;
    for (size_t i = 0; sorted && i < sides->count; i++)
        sorted[i] = &sides->items[i];
    if (sorted)
        qsort(sorted, sides->count, sizeof *sorted, compare_lines);
    for (size_t i = 1; sorted && i < sides->count && !found; i++)
        found = npart_side_compare(sorted[i - 1], sorted[i]) == 0 ? sorted[i] : NULL;
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
    if (has_memory && !twice && *npart_sides_note(sides->read) && !baseline->is_written)
        say("%s%s", baseline->path, npart_sides_note(sides->read));
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

/* To be freed; NULL: out of memory. */
static char *path_in_baseline(const char *path)
{
    size_t bytes = npart_baseline_path(path, NULL, 0);
    char *text = bytes == SIZE_MAX ? NULL : malloc(bytes + 1);
    if (text)
        (void)npart_baseline_path(path, text, bytes + 1);
    return text;
}

/* The line of a side; to be freed; NULL: out of memory. */
static char *line_of(const struct npart_side *side)
{
    size_t bytes = npart_baseline_line(side, NPART_BASELINE_VERSION, NULL, 0);
    char *text = bytes == SIZE_MAX ? NULL : malloc(bytes + 1);
    if (text)
        (void)npart_baseline_line(side, NPART_BASELINE_VERSION, text, bytes + 1);
    return text;
}

static npart_status make_kept(struct kept *kept, const struct checked *checked, const npart_plan *plan,
                              const npart_advice *advice, struct npart_error *error)
{
    *kept = (struct kept){.model = path_in_baseline(checked->relative ? checked->relative : checked->path)};
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

/* A model that moved: the baseline has one of the same structure on the same target whose file is gone. */
static npart_status find_moved(const struct baseline *baseline, const struct checked *checked,
                               const struct npart_side *side, const struct npart_side **out)
{
    char *line = line_of(side);
    bool has_memory = line != NULL;
    for (size_t i = 0; has_memory && checked->relative && !*out && i < baseline->before.count; i++) {
        const struct npart_side *at = &baseline->before.items[i];
        const char *old = npart_sides_line(baseline->before.read, at);
        if (!old || strcmp(at->target, side->target) != 0 || !npart_baseline_same_structure(old, line))
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
    return npart_sides_find(baseline->before.read, side->model, side->target, side->toolchain, are_several);
}

npart_status baseline_compare(struct baseline *baseline, const struct checked *checked, const npart_plan *plan,
                              const npart_advice *advice, struct npart_compared *out, struct npart_error *error)
{
    struct kept kept;
    *out = (struct npart_compared){.size = sizeof *out};
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
        status = npart_sides_compare(baseline->before.read, before, &kept.side, out, error);
    if (status == NPART_OK && are_others) {
        out->is_known = true;
        out->is_worse = true;
        (void)snprintf(out->figures, sizeof out->figures, "%s",
                       "not to be compared, as it has other toolchains of this target alone");
        (void)snprintf(out->text, sizeof out->text, NPART_WORSE "%s", out->figures);
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

static bool write_lines(FILE *file, const struct sides *before, const struct npart_side *const *sides, size_t count)
{
    bool is_ok = fprintf(file, NPART_BASELINE_HEAD "%d: what models were, a line a model and target, to be reviewed. "
                               "`npu-partition check --update-baseline` writes it.\n", NPART_BASELINE_VERSION) >= 0;
    for (size_t i = 0; is_ok && i < count; i++) {
        const char *line = sides[i]->listing == NPART_LISTING_NONE ? npart_sides_line(before->read, sides[i]) : NULL;
        char *made = line ? NULL : line_of(sides[i]);
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
    bool is_written = begin_output_file(&file, path);
    if (is_written && is_cache)
        is_written = npart_baseline_cache(sides, count, write_stream, file.stream, NULL) == NPART_OK;
    else if (is_written)
        is_written = write_lines(file.stream, before, sides, count);
    return finish_output_file(&file, path, is_written);
}

static bool write_sides(const struct baseline *baseline, const struct npart_side **sides, size_t count)
{
    char *cache = join_parts(baseline->path, NPART_BASELINE_CACHE, "");
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
