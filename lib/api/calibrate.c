/* SPDX-License-Identifier: Apache-2.0
 *
 * The public function that fits parameters to measured runs.
 */
#include "api/api.h"
#include "plan/calibrate.h"

/* Times are of one target: another has other parameters. Different models are what is wanted: one says little
 * about several parameters. Lists are compared by their handles: two that were read from the same file count as
 * different, since their contents are not compared. */
static npart_status check_rows(const struct npart_measurement *rows, size_t count, struct npart_error *error)
{
    /* The limit bounds the array of inferences, which is on the stack. */
    if (count == 0 || count > NPART_MOST_MEASUREMENTS)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "from 1 to %u measurements are taken",
                           NPART_MOST_MEASUREMENTS);
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].plan)
            return npart__fail_null("plan", error);
        if (rows[i].plan->oplist != rows[0].plan->oplist ||
            rows[i].plan->plan.target.variant != rows[0].plan->plan.target.variant)
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the plans are of different targets");
    }
    return NPART_OK;
}

/* Each inference once, in the order of their addresses, as whoever locks several does. The same inference twice
 * would wait for itself, as its lock is not recursive. `out` has room for all. Sorted by insertion, as there are
 * at most NPART_MOST_MEASUREMENTS. */
static uint32_t gather_inferences(const struct npart_measurement *rows, size_t count, const npart_inference **out)
{
    uint32_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const npart_inference *inference = rows[i].plan->inference;
        uint32_t at = 0;
        while (at < found && (uintptr_t)out[at] < (uintptr_t)inference)
            at++;
        if (at < found && out[at] == inference)
            continue;
        memmove(out + at + 1, out + at, (found - at) * sizeof *out);
        out[at] = inference;
        found++;
    }
    return found;
}

/* `write` may be NULL, for who wants to know only how well the rows fit. The figures are told either way. */
npart_status npart_calibrate(const struct npart_measurement *rows, size_t count, struct npart_calibration *out,
                             npart_write_callback write, void *payload, struct npart_error *error)
{
    struct npart__arena arena;
    struct npart__buffer text;
    struct npart_calibration told = {.size = sizeof told};
    struct npart__measured *measured = NULL;
    const npart_inference *inferences[NPART_MOST_MEASUREMENTS];
    if (!rows || !out || !NPART__HAS_ROOM(out))
        return npart__fail_null(rows ? "out" : "rows", error);
    npart_status status = check_rows(rows, count, error);
    if (status != NPART_OK)
        return status;
    npart__arena_init(&arena, &rows[0].plan->life->arena.allocator);
    npart__buffer_init(&text, &arena);
    measured = npart__arena_zeroed(&arena, count, sizeof *measured);
    if (!measured)
        status = npart__fail_memory(error);
    for (size_t i = 0; i < count && status == NPART_OK; i++)
        measured[i] = (struct npart__measured){&rows[i].plan->plan, rows[i].total_ms, rows[i].cpu_ms,
                                               rows[i].partition_ms};
    /* Parameters are found by planning again, which reads elements: hence the locks of all. */
    uint32_t locked = status == NPART_OK ? gather_inferences(rows, count, inferences) : 0;
    for (uint32_t i = 0; i < locked; i++)
        npart__lock(inferences[i]);
    if (status == NPART_OK)
        status = npart__calibrate(measured, (uint32_t)count, &arena, &told, &text, error);
    for (uint32_t i = 0; i < locked; i++)
        npart__unlock(inferences[i]);
    /* What was not accepted is told, too, but no lines are written for it. */
    if (status == NPART_OK && told.is_accepted && write && !write(payload, npart__buffer_text(&text), text.size))
        status = npart__fail(error, NPART_ERROR_WRITE, "", "cannot write");
    /* Only now, so that a caller whose buffer failed has no result that was never written. */
    if (status == NPART_OK)
        *out = told;
    npart__arena_clear(&arena);
    return npart__settle_for(rows[0].plan->life, status, error);
}
