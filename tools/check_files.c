/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a check beside models: baselines, and waivers that are added to project files.
 */
#include "check.h"

/* ---- baselines ----------------------------------------------------------------------------------------------- */

/* Whether a path is that of a file, or of nothing where one is to be written. A pipe would be waited for. */
static bool is_usable(const char *path, bool is_written, bool *is_there)
{
    bool is_other = npart__path_kind(path, true) == NPART__PATH_OTHER;
    FILE *file = is_other ? NULL : npart__stream_open(path, "rb");
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

bool baseline_open(struct baseline *baseline, const char *path, bool is_written)
{
    struct npart_error error = {.message = "no baseline (check --update-baseline writes one), and no report"};
    bool is_there;
    *baseline = (struct baseline){.path = path, .is_written = is_written};
    if (!is_usable(path, is_written, &is_there))
        return false;
    bool is_fine = !is_there || (is_saved_report(path) &&
                                 read_sides(path, &baseline->before, error.message, sizeof error.message));
    is_fine = is_fine &&
              npart_baseline_make(&baseline->made, baseline->before.read, is_written, NULL, &error) == NPART_OK;
    if (!is_fine)
        say("%s: cannot read the baseline: %s", path, error.message);
    else if (!is_written && *npart_sides_note(baseline->before.read))
        say("%s%s", path, npart_sides_note(baseline->before.read));
    if (!is_fine)
        baseline_free(baseline);
    return is_fine;
}

void baseline_free(struct baseline *baseline)
{
    npart_baseline_free(baseline->made);
    free_sides(&baseline->before);
    baseline->made = NULL;
}

/* The words, or the cache beside them. */
static bool write_file(const struct baseline *baseline, const char *path, bool are_all, bool is_cache, uint32_t *count)
{
    struct output_file file;
    bool is_written = begin_output_file(&file, path) &&
                      npart_baseline_write(baseline->made, are_all, is_cache, write_stream, file.stream, count, NULL) ==
                          NPART_OK;
    return finish_output_file(&file, path, is_written);
}

bool baseline_write(const struct baseline *baseline, bool are_all)
{
    uint32_t count = 0;
    if (!baseline->is_written)
        return true;
    bool is_written = write_file(baseline, baseline->path, are_all, false, &count) &&
                      write_file(baseline, text_as("%s" NPART_BASELINE_CACHE, baseline->path), are_all, true, &count);
    if (is_written)
        say("%s: %u plan%s written", baseline->path, count, plural(count));
    return is_written;
}

/* ---- waivers -------------------------------------------------------------------------------------------------- */

static struct addition *addition_of(struct acceptance *acceptance, const struct project *project)
{
    for (size_t i = 0; i < acceptance->count; i++)
        if (acceptance->items[i].project == project)
            return &acceptance->items[i];
    acceptance->items = grow(acceptance->items, sizeof *acceptance->items, acceptance->count, &acceptance->room);
    acceptance->items[acceptance->count] = (struct addition){.project = project};
    return &acceptance->items[acceptance->count++];
}

bool acceptance_add(struct acceptance *acceptance, const struct project *project, const char *path, npart_gate *gate)
{
    struct npart_gate_info info = {.size = sizeof info};
    struct npart_gate_target target = {.size = sizeof target};
    bool are_all = true;
    (void)npart_gate_info(gate, &info);
    for (uint32_t i = 0; i <= info.target_count; i++) { /* the model as such comes first */
        uint32_t at = i ? i - 1 : NPART_NONE;
        bool is_refused = *info.invalid && !*info.invalid_waiver;
        bool fails = i ? npart_gate_target(gate, at, &target) && target.is_open : is_refused;
        struct npart_error error;
        struct addition *addition = fails ? addition_of(acceptance, project) : NULL;
        if (!fails)
            continue;
        if (npart_gate_accept(gate, at, text_write, &addition->stanzas, &error) == NPART_OK) {
            addition->count++;
            continue;
        }
        say("%s: %s%snot accepted: %s", path, i ? target.label : "", i ? ": " : "", error.message);
        are_all = false;
    }
    return are_all;
}

bool acceptance_write(struct acceptance *acceptance)
{
    bool is_written = true;
    for (size_t i = 0; i < acceptance->count; i++) {
        struct addition *at = &acceptance->items[i];
        if (!at->count)
            continue;
        bool is_done = project_append(at->project, text_kept(&at->stanzas));
        if (is_done)
            say("%s: %zu waiver%s written; say why in `reason`", at->project->is.path, at->count,
                at->count == 1 ? "" : "s");
        is_written &= is_done;
    }
    return is_written;
}

