/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan's target with something else in it, as it is asked for.
 */
#include "choose/choose.h"

/* What is after the last blank of a toolchain's line, where no other line ends so. */
static const char *short_release(const struct npart__oplist *oplist, const char *release)
{
    const char *blank = strrchr(release, ' ');
    uint32_t count = 0;
    for (uint32_t i = 0; blank && i < oplist->toolchains.count; i++) {
        const char *other = strrchr(oplist->toolchains.items[i], ' ');
        count += other && strcmp(other, blank) == 0;
    }
    return count == 1 ? blank + 1 : release;
}

/* Only switches that differ from what the variant has by itself are written, and the toolchain only where it is not
 * the newest: the text is printed for the user to type. What the user typed for the variant is kept, where it is
 * the same. ":v73+float" where `float` is no switch of v73 by itself; ":v73-float" where it is one and is not
 * wanted. */
const char *npart__target_text(const struct npart__plan *plan, uint32_t variant, uint32_t switches,
                               const char *release, struct npart__arena *arena)
{
    const struct npart__target *at = &plan->target;
    const struct npart__oplist *oplist = at->oplist;
    struct npart__buffer text;
    uint32_t by_default = 0;
    npart__buffer_init(&text, arena);
    if (variant == NPART_NONE)
        variant = at->variant;
    if (variant != NPART_NONE) {
        by_default = oplist->variants.items[variant].switches;
        /* A chip and a system: where another system is named, the chip stays. */
        if (variant != at->variant && at->like != NPART_NONE)
            npart__append_format(&text, ":%s", oplist->variants.items[at->variant].name);
        npart__append_format(&text, ":%s", variant == at->variant && *at->variant_text
                                               ? at->variant_text
                                               : oplist->variants.items[variant].name);
    }
    for (uint32_t i = 0; i < oplist->switches.count; i++)
        if ((switches ^ by_default) >> i & 1)
            npart__append_format(&text, "%c%s", switches >> i & 1 ? '+' : '-', oplist->switches.items[i]);
    if (release && strcmp(release, oplist->toolchains.items[oplist->toolchains.count - 1]) != 0)
        npart__append_format(&text, "@%s", short_release(oplist, release));
    else if (!release && (at->toolchain + 1 < oplist->toolchains.count || at->standing != NPART_RELEASE_LISTED))
        npart__append_format(&text, "@%s", at->toolchain_text);
    return npart__made_text(&text);
}

bool npart__quantized_target(const struct npart__plan *plan, struct npart__arena *arena, const char **out)
{
    const struct npart__oplist *oplist = plan->target.oplist;
    uint32_t bit = oplist->integer_rule == NPART_NONE ? NPART_NONE : oplist->integer_when.without;
    bool is_refused = false;
    for (uint32_t c = 0; c < plan->causes.items.count && bit != NPART_NONE; c++)
        is_refused |= plan->causes.items.items[c].rule == oplist->integer_rule;
    *out = NULL;
    if (!is_refused)
        return true;
    const char *rest =
        npart__target_text(plan, NPART_NONE, plan->target.switches | UINT32_C(1) << bit, NULL, arena);
    *out = rest ? npart__arena_format(arena, "%s%s", oplist->name, rest) : NULL;
    return *out != NULL;
}
