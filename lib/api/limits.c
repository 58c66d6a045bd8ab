/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of limits as the public header has it, and what a caller sets of it.
 */
#include "api/api.h"
#include "qnn/qnn.h"
#include "infer/product.h"
#include "onnxruntime/onnxruntime.h"

/* Those that may be set come first, so they are by enum npart__limit_id. */
#define LIMIT(id, name, low, high, unit, past, text)                                                                   \
    {sizeof(struct npart_limit_info), name, text, unit, NPART__LIMIT_##id, low, high, NPART_PAST_##past, NULL},
#define FIXED(name, value, unit, past, text, reason)                                                                   \
    {sizeof(struct npart_limit_info), name, text, unit, value, value, value, NPART_PAST_##past, reason},
static const struct npart_limit_info rows[] = {
#include "base/limits.def"
};
#undef LIMIT
#undef FIXED

/* Rows of FIXED limits too: `low` and `high` are the value then, which says that it cannot be set. */
bool npart_limit_at(uint32_t index, struct npart_limit_info *out)
{
    if (!NPART__HAS_ROOM(out) || index >= NPART__COUNT(rows))
        return false;
    *out = rows[index];
    return true;
}

/* Looks through the rows that may be set, which stand first. The hint is made of the same: a limit that is fixed
 * is never offered. A name that is given twice has its last value. */
static npart_status set_limit(struct npart__limits *limits, const struct npart_limit *set, struct npart_error *error)
{
    struct npart__nearest nearest;
    char hint[NPART__HINT_BYTES];
    const char *name = set->name ? set->name : "";
    npart__nearest_init(&nearest, name, strlen(name));
    for (uint32_t i = 0; i < NPART__LIMITS; i++) {
        const struct npart_limit_info *row = &rows[i];
        npart__nearest_offer(&nearest, row->name);
        if (strcmp(row->name, name) != 0)
            continue;
        limits->of[i] = set->value;
        if (set->value >= row->low && set->value <= row->high)
            return NPART_OK;
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the limit %s can be from %llu to %llu", name,
                           (unsigned long long)row->low, (unsigned long long)row->high);
    }
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there is no limit %s that can be set%s", name,
                       npart__nearest_hint(&nearest, hint, sizeof hint));
}

/* All limits are filled in, also where one is set, since NPART__MOST asks the struct alone once there is one. */
npart_status npart__limits_of(const struct npart_limit *set, uint32_t count, struct npart__arena *arena,
                              const struct npart__limits **out, struct npart_error *error)
{
    if (!count)
        return NPART_OK;
    if (!set)
        return npart__fail_null("limits", error);
    struct npart__limits *limits = npart__arena_zeroed(arena, 1, sizeof *limits);
    npart_status status = limits ? NPART_OK : npart__fail_memory(error);
    for (uint32_t i = 0; limits && i < NPART__LIMITS; i++)
        limits->of[i] = rows[i].value;
    for (uint32_t i = 0; status == NPART_OK && i < count; i++)
        status = set_limit(limits, &set[i], error);
    *out = limits;
    return status;
}
