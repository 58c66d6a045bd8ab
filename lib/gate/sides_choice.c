/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the plans of a file are compared, where it has several models, or toolchains of a target.
 */
#include <stdio.h>

#include "gate/gate.h"

static const char *last_component(const char *path)
{
    return npart__after_last(path, '/');
}

/* By its path, or where one alone has it, by the path's last component. */
bool npart_sides_model(const npart_sides *sides, const char *wanted, const char **out)
{
    uint32_t count = 0;
    bool are_several = false, are_alike = false;
    const struct npart_side *all = npart_sides_all(sides, &count);
    const char *found = NULL;
    if (!out)
        return false;
    *out = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const char *model = all[i].model;
        are_several |= strcmp(model, all[0].model) != 0;
        if (wanted && strcmp(model, wanted) == 0)
            *out = model;
        if (!wanted || strcmp(last_component(model), last_component(wanted)) != 0)
            continue;
        are_alike |= found && strcmp(found, model) != 0;
        found = model;
    }
    if (!are_several)
        *out = NULL;
    else if (!*out && !are_alike)
        *out = found;
    return count && (!are_several || *out);
}

static bool has_toolchains(const npart_sides *sides, const char *model, const char *target)
{
    bool are_several = false;
    (void)npart_sides_find(sides, model, target, NULL, &are_several);
    return are_several;
}

const struct npart_side *npart_sides_plan(const npart_sides *sides, const char *model, uint32_t *from, char *text,
                                          size_t bytes)
{
    uint32_t count = 0;
    const struct npart_side *all = npart_sides_all(sides, &count);
    while (from && *from < count) {
        const struct npart_side *side = &all[(*from)++];
        bool is_of_model = !model || strcmp(side->model, model) == 0;
        if (!is_of_model || npart_sides_find(sides, model, side->target, side->toolchain, NULL) != side)
            continue;
        bool needs_toolchain = *side->toolchain && has_toolchains(sides, model, side->target);
        if (bytes)
            (void)snprintf(text, bytes, "%s%s%s", side->target, needs_toolchain ? "@" : "",
                           needs_toolchain ? side->toolchain : "");
        return side;
    }
    return NULL;
}

const struct npart_side *npart_sides_find_same(const npart_sides *sides, const char *model, const npart_sides *other,
                                               const char *other_model, const struct npart_side *side)
{
    if (!side)
        return NULL;
    const struct npart_side *found = npart_sides_find(sides, model, side->target, side->toolchain, NULL);
    bool is_other = found && strcmp(found->toolchain, side->toolchain) != 0;
    return is_other && has_toolchains(other, other_model, side->target) ? NULL : found;
}
