/* SPDX-License-Identifier: Apache-2.0
 *
 * A newer release of the toolchain, where an older one was asked for: it takes nodes as they are, so it comes before
 * what changes them. What does without it stands beside it.
 */
#include "advice/way.h"

npart_status npart__way_turn_to_sizes(struct npart__way *way)
{
    const struct npart__plan *with_sizes = way->fixed ? way->fixed : way->open;
    return with_sizes == way->plan ? NPART_OK : npart__way_turn(way, with_sizes);
}

bool npart__is_of_release(const struct npart__group *group)
{
    return npart__rows[group->row].kind == NPART__KIND_RELEASE;
}

struct npart__group *npart__release_group(struct npart__way *way)
{
    for (uint32_t i = 0; i < way->groups.count; i++)
        if (npart__is_of_release(&way->groups.items[i]) && way->groups.items[i].replanned)
            return &way->groups.items[i];
    return NULL;
}

/* Of the plan at hand; NULL: none is as good. */
static struct npart__group *as_good_as(struct npart__way *way, const struct npart__mended *mended)
{
    const struct npart__outcome open = npart__outcome_of(way->open), with_fix = npart__outcome_of(mended->plan);
    struct npart__group *group = npart__release_group(way);
    if (!group)
        return NULL;
    const struct npart__outcome newer = npart__outcome_of(group->replanned);
    return npart__step_pays(&open, &newer) && npart__compare_outcomes(&newer, &with_fix, NPART__SHARE_OF_STEP) <= 0
               ? group
               : NULL;
}

npart_status npart__take_release(struct npart__way *way, const struct npart__mended *mended, bool *is_better)
{
    npart_status status = NPART_OK;
    *is_better = false;
    if (mended->only_sizes)
        return NPART_OK;
    struct npart__group *group = as_good_as(way, mended); /* as exported: not every target needs sizes */
    if (!group) {
        status = npart__way_turn_to_sizes(way);
        group = status == NPART_OK ? as_good_as(way, mended) : NULL;
    }
    if (!group)
        return status;
    *is_better = true;
    group->has_sizes = way->plan != way->open;
    status = npart__add_mended(way, mended, true);
    return status == NPART_OK ? npart__way_take(way, group) : status;
}

/* The plan that the release was chosen for is turned to again, its causes by the other rows. Only those of the release
 * are looked at: the others are there after it, too. */
npart_status npart__beside_release(struct npart__way *way, const struct npart__group *group,
                                   const struct npart__outcome *before)
{
    bool has_sizes = group->has_sizes; /* turning writes over the group */
    uint32_t count = way->plan->causes.items.count, tried = 0;
    bool *is_its = npart__arena_zeroed(&way->scratch, count + (size_t)1, sizeof *is_its);
    if (!is_its)
        return npart__fail_memory(way->error);
    for (uint32_t c = 0; c < count; c++)
        is_its[c] = npart__rows[way->row_of[c]].kind == NPART__KIND_RELEASE;
    npart_status status = npart__way_turn(way, way->plan);
    for (uint32_t i = 0; status == NPART_OK && i < way->groups.count && tried < NPART__LIMIT_ALTERNATIVES; i++) {
        struct npart__group *other = &way->groups.items[i];
        struct npart__after after;
        bool *accepted;
        if (!is_its[other->first_cause] || other->is_impossible || other->is_done ||
            npart__rows[other->row].trial == NPART__TRY_NOTHING)
            continue;
        tried++;
        other->has_sizes |= has_sizes;
        status = npart__group_try(way, other, &after, &accepted);
        struct npart__outcome then = npart__outcome_after(&after);
        if (status == NPART_OK && npart__step_pays(before, &then))
            status = npart__add_instead_of(way, other, &after, way->steps - 1);
    }
    return status;
}
