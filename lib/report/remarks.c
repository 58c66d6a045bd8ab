/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes of the op list that apply to live nodes: what changes no verdict, and what a user should know all the same.
 */
#include <stdlib.h>

#include "report/page.h"

#define REMARKS_SHOWN 3u

/* Rules that say the same in one sentence, as those of a group do that many ops use. */
struct remark {
    uint32_t rule; /* the first */
    uint32_t count, first_node;
};

static int compare_remarks(const void *left, const void *right)
{
    const struct remark *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->rule < b->rule ? -1 : 1;
}

/* `of` by rule: its remark plus one. */
static struct remark *find_remark(const struct npart__oplist *oplist, uint32_t rule, struct remark *remarks,
                                  uint32_t *count, uint32_t *of)
{
    for (uint32_t i = 0; of[rule] == 0 && i < *count; i++)
        if (strcmp(oplist->rules.items[remarks[i].rule].sentence, oplist->rules.items[rule].sentence) == 0)
            of[rule] = i + 1;
    if (of[rule] == 0) {
        remarks[*count] = (struct remark){.rule = rule};
        of[rule] = ++*count;
    }
    return &remarks[of[rule] - 1];
}

/* How many there are; *out is NULL when out of memory. */
static uint32_t gather(const struct npart__page *page, struct remark **out)
{
    const struct npart__plan *plan = page->plan;
    const struct npart__oplist *oplist = plan->target.oplist;
    struct npart__arena *arena = page->out->arena;
    uint32_t *of = npart__arena_zeroed(arena, oplist->rules.count + (size_t)1, sizeof *of), count = 0;
    struct remark *remarks = npart__arena_zeroed(arena, oplist->rules.count + (size_t)1, sizeof *remarks);
    for (uint32_t i = 0; of && remarks && i < plan->mask.reasons.count; i++) {
        const struct npart__reason *reason = &plan->mask.reasons.items[i];
        if (oplist->rules.items[reason->rule].kind != NPART__RULE_NOTE)
            continue;
        struct remark *remark = find_remark(oplist, reason->rule, remarks, &count, of);
        if (remark->count++ == 0)
            remark->first_node = reason->node;
    }
    *out = of ? remarks : NULL;
    return count;
}

static void put_remark(struct npart__page *page, const struct remark *remark)
{
    const struct npart__rule *rule = &page->plan->target.oplist->rules.items[remark->rule];
    struct npart__buffer line;
    npart__buffer_init(&line, page->out->arena);
    npart__append_format(&line, "%u node%s: %s", remark->count, remark->count == 1 ? "" : "s", rule->sentence);
    npart__put(page, "     ");
    npart__wrapped(page, npart__buffer_text(&line), 5, 7);
    npart__put(page, "\n");
    npart__paint(page, NPART__DIM);
    npart__put(page, "       ");
    npart__put_place(page, remark->first_node);
    npart__put(page, "\n");
    line.size = 0;
    npart__append_format(&line, "%s%s%s", rule->id, *rule->source ? ": " : "", rule->source);
    npart__put(page, "       ");
    npart__wrapped(page, npart__buffer_text(&line), 7, 9);
    npart__paint(page, "0");
    npart__put(page, "\n");
    page->out->failed |= line.failed;
}

void npart__put_remarks(struct npart__page *page)
{
    struct remark *remarks;
    uint32_t count = gather(page, &remarks), shown = page->options->is_verbose ? count : REMARKS_SHOWN;
    if (!remarks) {
        page->out->failed = true;
        return;
    }
    if (count == 0)
        return;
    if (count > 1)
        qsort(remarks, count, sizeof *remarks, compare_remarks);
    npart__painted(page, NPART__BOLD, "  Note\n");
    for (uint32_t i = 0; i < count && i < shown; i++)
        put_remark(page, &remarks[i]);
    if (shown < count)
        npart__append_format(page->out, "     and %u more (--verbose, or --format json)\n", count - shown);
}
