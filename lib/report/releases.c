/* SPDX-License-Identifier: Apache-2.0
 *
 * The release of the toolchain that was asked for, where it is not the newest: what the list knows of it, and what a
 * newer one takes besides.
 */
#include "report/page.h"

#define OPS_SHOWN 3u
#define STEPS_LOOKED_AT 3u /* those that every report tells */

/* "onnxruntime-qnn 2.5.0 takes 12 more nodes: Attention, RotaryEmbedding" */
static void add_newer(const struct npart_release *at, uint32_t most, struct npart__buffer *line)
{
    npart__append_format(line, "%s%s takes ", line->size ? "; " : "", at->newer);
    npart__append_count(line, at->newer_nodes);
    npart__append_text(line, at->newer_nodes == 1 ? " more node" : " more nodes");
    for (uint32_t i = 0; i < at->newer_op_count && i < most; i++)
        npart__append_format(line, "%s%s", i ? ", " : ": ", at->newer_ops[i]);
    if (at->newer_op_count > most)
        npart__append_format(line, " and %u more operators", at->newer_op_count - most);
}

/* Whether the steps say it: as one of them, or in the place of the first. */
static bool is_advised(const npart_advice *advice)
{
    struct npart_action action = {.size = sizeof action};
    for (uint32_t i = 0; npart_advice_action(advice, i, &action); i++)
        if (strcmp(action.kind, "release") == 0 &&
            (action.instead_of == 0 || (action.instead_of == NPART_NONE && i < STEPS_LOOKED_AT)))
            return true;
    return false;
}

void npart__tell_release(struct npart__page *page, const npart_advice *advice)
{
    struct npart_release at = {.size = sizeof at};
    struct npart__buffer line = {.arena = page->arena};
    if (!npart_plan_release(page->plan, &at))
        return;
    if (at.standing == NPART_RELEASE_OLDER)
        npart__append_format(&line, "%s is not described: what %s takes is undecided", page->info.toolchain, at.rules);
    else if (at.standing != NPART_RELEASE_LISTED)
        npart__append_format(&line, "%s is not described; the rules are those of %s", page->info.toolchain, at.rules);
    if (at.newer_nodes && !is_advised(advice))
        add_newer(&at, page->options->is_verbose ? NPART_NONE : OPS_SHOWN, &line);
    if (line.size)
        npart__put_field(page, "Release", NULL, npart__buffer_text(&line), 0);
    npart__buffer_release(&line);
}

void npart__add_json_release(struct npart__buffer *out, const npart_plan *plan)
{
    struct npart_release at = {.size = sizeof at};
    if (npart_plan_release(plan, &at))
        npart__put_release(out, "release", &at);
}
