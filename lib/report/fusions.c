/* SPDX-License-Identifier: Apache-2.0
 *
 * Fusion patterns: how many of each are fused, and what stops those that nearly are.
 */
#include "report/page.h"

/* Pairs of a pattern and a state; what is more than these is not counted. */
#define KINDS_SHOWN 32u
#define NEARLY_SHOWN 20u /* a screen of lines; the rest is in JSON */

/* Fusions of one pattern and state. */
struct kind {
    const char *pattern;
    enum npart_fusion_state state;
    uint32_t count;
};

/* "12 layer-norm fused, 2 attention nearly", in the order in which they are first met. */
static void put_kinds(struct npart__page *page, const struct kind *kinds, uint32_t count)
{
    struct npart__buffer line = {.arena = page->arena};
    for (uint32_t i = 0; i < count; i++)
        npart__append_format(&line, "%s%u %s %s", i ? ", " : "", kinds[i].count, kinds[i].pattern,
                             npart_fusion_state_text(kinds[i].state));
    npart__painted(page, NPART__BOLD, "  Fusions");
    npart__put(page, "\n");
    npart__put_line(page, NULL, "     ", npart__buffer_text(&line), 5);
    npart__buffer_release(&line);
}

/* "not attention from node 12 (MatMul /qk) on: ..."; what stops it is a whole sentence. */
static void put_nearly(struct npart__page *page, const struct npart_fusion *at)
{
    struct npart__buffer line = {.arena = page->arena};
    char first[160] = "";
    (void)npart_model_node_text(page->model, at->nodes[0], first, sizeof first);
    npart__append_format(&line, "not %s from %s on: %s", at->pattern, first, at->stopped_by);
    npart__put_line(page, NULL, "     ", npart__buffer_text(&line), 7);
    npart__buffer_release(&line);
}

/* The first call finds all fusions, and may fail for want of memory; that there are no more is no such failure.
 * They are gone through twice, as the numbers of all stand before the first of them. */
void npart__put_fusions(struct npart__page *page)
{
    struct npart_fusion at = {.size = sizeof at};
    struct kind kinds[KINDS_SHOWN];
    npart_status status = NPART_OK;
    uint32_t count = 0, nearly = 0;
    for (uint32_t i = 0; (status = npart_plan_fusion(page->plan, i, &at, NULL)) == NPART_OK; i++) {
        uint32_t k = 0;
        while (k < count && (strcmp(kinds[k].pattern, at.pattern) != 0 || kinds[k].state != at.state))
            k++;
        if (k == KINDS_SHOWN)
            continue;
        if (k == count)
            kinds[count++] = (struct kind){at.pattern, at.state, 0};
        kinds[k].count++;
    }
    page->arena->failed |= npart__is_shortage(status);
    if (count == 0)
        return;
    put_kinds(page, kinds, count);
    for (uint32_t i = 0; !page->arena->failed && npart_plan_fusion(page->plan, i, &at, NULL) == NPART_OK; i++)
        if (at.stopped_by && nearly++ < NEARLY_SHOWN)
            put_nearly(page, &at);
    if (nearly > NEARLY_SHOWN)
        npart__append_format(page->out, "     and %u more (--format json)\n", nearly - NEARLY_SHOWN);
}
