/* SPDX-License-Identifier: Apache-2.0
 *
 * What a framework is handed that decides later which unit runs it: that the NPU does is not said of such nodes.
 */
#include "report/page.h"

#define REASONS_SHOWN 2u

void npart__add_where(struct npart__buffer *line, const struct npart_plan_info *info,
                      const struct npart_decided *decided)
{
    npart__append_format(line, decided->by ? " taken by %s" : " %s", decided->by ? decided->by : info->on_unit);
}

bool npart__is_all_elsewhere(const struct npart_decided *decided)
{
    return decided->by && decided->taken && decided->elsewhere == decided->taken;
}

static void add_count(struct npart__buffer *line, uint32_t count)
{
    npart__append_count(line, count);
    npart__append_text(line, count == 1 ? " node" : " nodes");
}

/* "Core ML decides later: Neural Engine, GPU or CPU" */
static void put_units(struct npart__page *page)
{
    const struct npart_decided *at = &page->decided;
    struct npart__buffer line = {.arena = page->arena};
    npart__append_format(&line, "%s decides later: ", at->by);
    for (uint32_t i = 0; i < at->unit_count; i++)
        npart__append_format(&line, "%s%s", i == 0 ? "" : i + 1 < at->unit_count ? ", " : " or ", at->units[i]);
    npart__put_made_field(page, "Placed", &line, 0);
}

/* "105 nodes not on the Neural Engine: every size must be fixed", with why, and where it stands with --verbose: what to
 * change is a step. */
static void put_reason(struct npart__page *page, uint32_t index)
{
    const struct npart_decided *at = &page->decided;
    struct npart__buffer line = {.arena = page->arena};
    struct npart_rule rule = {.size = sizeof rule};
    (void)npart_oplist_rule(npart_plan_oplist(page->plan), at->rules[index], &rule);
    add_count(&line, at->rule_nodes[index]);
    if (index == 0)
        npart__append_format(&line, " not on the %s", at->units[0]);
    npart__append_format(&line, ": %s", rule.text);
    if (page->options->is_verbose && *rule.because)
        npart__append_format(&line, ", because %s", rule.because);
    if (page->options->is_verbose)
        npart__append_format(&line, " (%s: %s)", rule.id, rule.source);
    npart__put_made_field(page, "", &line, 0);
}

void npart__put_decided(struct npart__page *page)
{
    const struct npart_decided *at = &page->decided;
    uint32_t most = page->options->is_verbose || at->rule_count <= REASONS_SHOWN ? NPART_NONE : REASONS_SHOWN - 1;
    if (!at->by || at->taken == 0)
        return;
    put_units(page);
    for (uint32_t i = 0; i < at->rule_count && i < most; i++)
        put_reason(page, i);
    if (at->rule_count > most)
        npart__append_format(page->out, "%*sand %u more: -v\n", (int)NPART__TEXT_COLUMN, "", at->rule_count - most);
}

/* Left away where the runtime itself decides. */
void npart__add_json_decided(struct npart__buffer *out, const npart_plan *plan)
{
    struct npart_decided at = {.size = sizeof at};
    if (!npart_plan_decided(plan, &at))
        return;
    struct npart__object object = npart__open_decided(out, "decided", &at);
    NPART__JSON_LIST(out, npart__own(&object, "reasons"), i, i < at.rule_count) {
        struct npart__elsewhere reason = {.nodes = at.rule_nodes[i], .rule.size = sizeof reason.rule};
        (void)npart_oplist_rule(npart_plan_oplist(plan), at.rules[i], &reason.rule);
        npart__put_elsewhere(out, NULL, &reason);
    }
    npart__object_close(&object);
}
