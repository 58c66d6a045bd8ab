/* SPDX-License-Identifier: Apache-2.0
 *
 * What models were, so that a gate fails only for what got worse; and what they are now, to be the next baseline.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gate/judge.h"

/* A plan of this run, by the model's path in the project. */
struct kept {
    npart_record *record;
    struct npart_side side;
};

struct npart_baseline {
    struct npart__life *life;
    const npart_sides *before; /* NULL: there is none yet */
    const struct npart_side *items;
    uint32_t count;
    struct NPART__ARRAY(struct kept) kept;
    bool is_written; /* it is to be: what is kept becomes the baseline */
};

/* Two lines of one plan: which of them counts nobody can tell. */
static npart_status check_twice(const npart_baseline *baseline, struct npart_error *error)
{
    struct npart__arena scratch;
    npart_status status = NPART_OK;
    npart__arena_init(&scratch, &baseline->life->arena.allocator);
    const struct npart_side **sorted = npart__arena_zeroed(&scratch, baseline->count + (size_t)1, sizeof *sorted);
    for (uint32_t i = 0; sorted && i < baseline->count; i++)
        sorted[i] = &baseline->items[i];
    if (sorted)
        qsort(sorted, baseline->count, sizeof *sorted, npart__compare_sides);
    else
        status = npart__fail_memory(error);
    for (uint32_t i = 1; sorted && i < baseline->count && status == NPART_OK; i++)
        if (npart__compare_sides(&sorted[i - 1], &sorted[i]) == 0)
            status = npart__fail(error, NPART_ERROR_MALFORMED, "", "two lines are of %.100s on %.60s (%.60s)",
                                 sorted[i]->model, sorted[i]->target, sorted[i]->toolchain);
    npart__arena_clear(&scratch);
    return status;
}

npart_status npart_baseline_make(npart_baseline **out, const npart_sides *before, bool is_written,
                                 const struct npart_allocator *allocator, struct npart_error *error)
{
    if (!out)
        return npart__fail_null("out", error);
    npart_baseline *baseline = npart__handle_new(sizeof *baseline, allocator);
    if (!baseline)
        return npart__fail_memory(error);
    baseline->before = before;
    baseline->items = npart_sides_all(before, &baseline->count);
    baseline->is_written = is_written;
    npart_status status = check_twice(baseline, error);
    return NPART__HAND_OVER(out, baseline, status, error);
}

void npart_baseline_free(npart_baseline *baseline)
{
    for (uint32_t i = 0; baseline && i < baseline->kept.count; i++)
        npart_record_free(baseline->kept.items[i].record);
    if (baseline)
        npart__life_end(baseline->life);
}

bool npart__baseline_is_written(const npart_baseline *baseline)
{
    return baseline && baseline->is_written;
}

/* ---- one plan ----------------------------------------------------------------------------------------------- */

/* A model that moved: the baseline has one of the same structure on the same target whose file is gone. */
static npart_status find_moved(const npart_baseline *baseline, const npart_gate *gate, const struct npart_side *side,
                               const struct npart_side **out, struct npart_error *error)
{
    const struct npart_gate_options *options = &gate->options;
    const char *line = npart__baseline_line(side, NPART_BASELINE_VERSION, &gate->life->arena);
    if (!line)
        return npart__fail_memory(error);
    for (uint32_t i = 0; options->path && options->is_gone && !*out && i < baseline->count; i++) {
        const struct npart_side *at = &baseline->items[i];
        const char *old = npart_sides_line(baseline->before, at);
        if (old && strcmp(at->target, side->target) == 0 && npart__same_structure(old, line) &&
            options->is_gone(options->payload, at->model))
            *out = at;
    }
    if (*out)
        npart__tell_gate(gate, 0, 0, "%s: note: compared with %s of the baseline, which is not there any more",
                    side->target, (*out)->model);
    return NPART_OK;
}

static npart_status compare(npart_baseline *baseline, const npart_gate *gate, const struct npart_side *side,
                            struct npart_compared *out, struct npart_error *error)
{
    bool are_others = false;
    npart_status status = NPART_OK;
    const struct npart_side *before =
        npart_sides_find(baseline->before, side->model, side->target, side->toolchain, &are_others);
    if (!before && !are_others)
        status = find_moved(baseline, gate, side, &before, error);
    if (status == NPART_OK && before)
        status = npart_sides_compare(baseline->before, before, side, out, error);
    if (status == NPART_OK && are_others) {
        out->is_known = true;
        out->is_worse = true;
        (void)snprintf(out->figures, sizeof out->figures, "%s",
                       "not to be compared, as it has other toolchains of this target alone");
        (void)snprintf(out->text, sizeof out->text, NPART_WORSE "%s", out->figures);
    }
    return status;
}

npart_status npart__baseline_compare(npart_baseline *baseline, const npart_gate *gate, const npart_plan *plan,
                                     const npart_advice *advice, struct npart_compared *out, struct npart_error *error)
{
    const struct npart_gate_options *options = &gate->options;
    struct kept kept = {0};
    *out = (struct npart_compared){.size = sizeof *out};
    npart_status status = npart_record_make(&kept.record, plan, advice, error);
    if (status != NPART_OK)
        return status;
    struct npart__arena *arena = baseline->is_written ? &baseline->life->arena : &gate->life->arena;
    const char *path = options->path ? options->path : options->name;
    kept.side = *npart_record_side(kept.record);
    kept.side.model = npart__as_utf8(path, arena);
    if (kept.side.model == path)
        kept.side.model = npart__arena_copy_text(arena, path, strlen(path));
    bool is_kept = kept.side.model && baseline->is_written && NPART__PUSH(arena, &baseline->kept, kept);
    if (is_kept) {
        out->is_known = true;
        (void)snprintf(out->text, sizeof out->text, NPART_BASELINE_WRITTEN);
        return NPART_OK;
    }
    status = kept.side.model && !baseline->is_written ? compare(baseline, gate, &kept.side, out, error)
                                                      : npart__fail_memory(error);
    npart_record_free(kept.record);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------------------------ */

/* By the plan that is compared with it: after an update of the toolchain by that of the new one. */
static bool is_replaced(const npart_baseline *baseline, const struct npart_side *old)
{
    for (uint32_t i = 0; i < baseline->kept.count; i++) {
        const struct npart_side *side = &baseline->kept.items[i].side;
        const struct npart_side *before =
            npart_sides_find(baseline->before, side->model, side->target, side->toolchain, NULL);
        if (before && npart__compare_sides(&before, &old) == 0)
            return true;
    }
    return false;
}

static void put_lines(struct npart__buffer *out, const npart_sides *before, const struct npart_side *const *sides,
                      uint32_t count)
{
    npart__append_format(out, NPART_BASELINE_HEAD
                         "%d: what models were, a line a model and target, to be reviewed. "
                         "`npu-partition check --update-baseline` writes it.\n", NPART_BASELINE_VERSION);
    for (uint32_t i = 0; i < count && !out->failed; i++) {
        const char *line = sides[i]->listing == NPART_LISTING_NONE ? npart_sides_line(before, sides[i]) : NULL;
        if (line)
            npart__append_text(out, line);
        else
            npart__put_baseline_line(out, sides[i], NPART_BASELINE_VERSION);
        npart__append_text(out, "\n");
    }
}

npart_status npart_baseline_write(const npart_baseline *baseline, bool are_all, bool is_cache,
                                  npart_write_callback write, void *payload, uint32_t *count,
                                  struct npart_error *error)
{
    struct npart__arena arena;
    struct npart__buffer out;
    uint32_t found = 0;
    if (!baseline || !write)
        return npart__fail_null(!baseline ? "baseline" : "write", error);
    npart__buffer_open(&out, &arena, &baseline->life->arena.allocator, write, payload);
    const struct npart_side **sides =
        npart__arena_zeroed(&arena, baseline->kept.count + (size_t)baseline->count + 1, sizeof *sides);
    for (uint32_t i = 0; sides && i < baseline->kept.count; i++)
        sides[found++] = &baseline->kept.items[i].side;
    for (uint32_t i = 0; sides && !are_all && i < baseline->count; i++)
        if (!is_replaced(baseline, &baseline->items[i]))
            sides[found++] = &baseline->items[i];
    if (sides) {
        qsort(sides, found, sizeof *sides, npart__compare_sides);
        if (is_cache)
            npart__put_baseline_cache(&out, sides, found);
        else
            put_lines(&out, baseline->before, sides, found);
    }
    if (count)
        *count = found;
    return npart__buffer_end(&out, write, payload, NPART_OK, error);
}
