/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs that are compiled already: whether each can be loaded, in text and in JSON.
 */
#include "report/page.h"

#define SHOWN_COMPILED 2u

/* Why one does not load stands with the plan's verdict already, so there is left what to do. */
static void add_sentence(const struct npart_compiled *at, const char *text, struct npart__buffer *line)
{
    if (at->verdict == NPART_COMPILED_REFUSED)
        npart__append_format(line, "does not load. %s", at->remedy);
    else
        npart__append_text(line, text);
}

/* One that does not load keeps the others from being of use. */
static bool has_refused(const struct npart__page *page)
{
    struct npart_compiled at = {.size = sizeof at};
    struct npart_node_plan node = {.size = sizeof node};
    for (uint32_t id = 0; npart_plan_node(page->plan, id, &node); id++)
        if (npart_plan_compiled(page->plan, id, &at, NULL, 0) && at.verdict == NPART_COMPILED_REFUSED)
            return true;
    return false;
}

/* Most plans hold none, and then nothing is said. Nodes whose sentence is the same are told once. */
void npart__put_compiled(struct npart__page *page)
{
    struct npart_compiled at = {.size = sizeof at};
    struct npart_node_plan node = {.size = sizeof node};
    uint32_t most = page->options->is_verbose ? NPART_NONE : SHOWN_COMPILED, shown = 0, left = 0;
    char text[1024], before[1024] = "";
    bool fails = has_refused(page);
    for (uint32_t id = 0; npart_plan_node(page->plan, id, &node); id++) {
        bool is_compiled = npart_plan_compiled(page->plan, id, &at, text, sizeof text);
        if (!is_compiled || strcmp(text, before) == 0 || (fails && at.verdict != NPART_COMPILED_REFUSED))
            continue;
        memcpy(before, text, sizeof before);
        if (shown >= most) {
            left++;
            continue;
        }
        struct npart__buffer line = {.arena = page->arena};
        add_sentence(&at, text, &line);
        npart__put_made_field(page, shown++ == 0 ? "Compiled" : "", &line, 0);
    }
    if (left)
        npart__append_format(page->out, "%*sand %u more: -v\n", (int)NPART__TEXT_COLUMN, "", left);
}

/* Left away where there is none, as in nearly all plans. */
void npart__add_json_compiled(struct npart__buffer *out, const npart_plan *plan)
{
    struct npart_compiled at = {.size = sizeof at};
    struct npart_node_plan node = {.size = sizeof node};
    char text[1024];
    uint32_t count = 0;
    for (uint32_t id = 0; npart_plan_node(plan, id, &node); id++) {
        if (!npart_plan_compiled(plan, id, &at, text, sizeof text))
            continue;
        if (count++ == 0)
            npart__json_open(out, "compiled", '[');
        struct npart__object object = npart__open_compiled(out, NULL, &at);
        npart__json_text(out, npart__own(&object, "text"), text);
        npart__object_close(&object);
    }
    if (count)
        npart__json_close(out, ']');
}
