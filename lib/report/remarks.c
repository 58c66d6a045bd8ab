/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes of the op list that apply to live nodes: what changes no verdict, and what a user should know all the same.
 */
#include <stdlib.h>

#include "report/page.h"

/* Rules that say the same in one sentence, as those of a define do that many ops use. */
struct remark {
    uint32_t rule; /* the first */
    const char *text;
    uint32_t count, first_node; /* nodes that it applies to, and the first of them */
};

/* Those of most nodes first. The rule's id decides where there are as many, so that the order is the same
 * everywhere. */
static int compare_remarks(const void *left, const void *right)
{
    const struct remark *a = left, *b = right;
    int order = NPART__ORDER(b->count, a->count);
    return order ? order : NPART__ORDER(a->rule, b->rule);
}

/* Remarks as they are gathered. */
struct remarks {
    struct remark *items;
    uint32_t count;
    uint32_t *of; /* by rule: its remark plus one */
};

/* Texts are compared once for each rule; after that `of` knows the remark. So the cost is rules times remarks at
 * most, however many nodes there are. The caller has made room for a remark of each rule. */
static struct remark *find_remark(const struct npart_reason *reason, struct remarks *remarks)
{
    uint32_t *of = &remarks->of[reason->rule];
    for (uint32_t i = 0; *of == 0 && i < remarks->count; i++)
        if (strcmp(remarks->items[i].text, reason->text) == 0)
            *of = i + 1;
    if (*of == 0) {
        remarks->items[remarks->count] = (struct remark){.rule = reason->rule, .text = reason->text};
        *of = ++remarks->count;
    }
    return &remarks->items[*of - 1];
}

/* Notes of all live nodes, counted by their sentence. Rules' ids are below all_rule_count, with those that every
 * list has. `found` of a reason is not asked for, as looking for it takes time. */
static void gather(const struct npart__page *page, struct remarks *remarks)
{
    struct npart_node_plan node = {.size = sizeof node};
    struct npart_reason reason = {.size = sizeof reason};
    size_t rules = page->oplist.all_rule_count + (size_t)1;
    *remarks = (struct remarks){.of = npart__arena_zeroed(page->arena, rules, sizeof *remarks->of)};
    remarks->items = npart__arena_zeroed(page->arena, rules, sizeof *remarks->items);
    for (uint32_t id = 0; !page->arena->failed && npart_plan_node(page->plan, id, &node); id++)
        for (uint32_t i = 0; i < node.reason_count && npart_plan_reason(page->plan, id, i, &reason, NULL, 0); i++) {
            if (reason.outcome != NPART_OUTCOME_NOTE)
                continue;
            struct remark *remark = find_remark(&reason, remarks);
            if (remark->count++ == 0)
                remark->first_node = id;
        }
}

/* The sentence, the first node, and where the rule stands. The text is that of the rule, without what was found: it
 * is the same for all nodes. 16 and 10 are the columns of the words before the node's place. */
static void put_remark(struct npart__page *page, const struct remark *remark)
{
    struct npart_rule rule = {.size = sizeof rule, .id = "", .text = "", .source = ""};
    struct npart__buffer line = {.arena = page->arena};
    (void)npart_oplist_rule(npart_plan_oplist(page->plan), remark->rule, &rule);
    npart__append_format(&line, "%u node%s: %s", remark->count, remark->count == 1 ? "" : "s", rule.text);
    npart__put_line(page, NULL, "     ", npart__buffer_text(&line), 7);
    npart__paint(page, NPART__DIM);
    npart__put(page, remark->count > 1 ? "       first at " : "       at ");
    npart__put_wrapped_place(page, remark->first_node, remark->count > 1 ? 16 : 10, 9);
    npart__put(page, "\n");
    line.size = 0;
    npart__append_format(&line, "rule %s%s%s", rule.id, *rule.source ? ": " : "", rule.source);
    npart__put(page, "       ");
    npart__wrapped(page, npart__buffer_text(&line), 7, 9);
    npart__paint(page, "0");
    npart__put(page, "\n");
    npart__buffer_release(&line);
}

/* A note whose label begins with "wrong": what runs, and gives wrong results. */
static bool tells_wrong(const struct npart__page *page, uint32_t id, struct npart_rule *rule)
{
    *rule = (struct npart_rule){.size = sizeof *rule, .id = "", .text = "", .source = ""};
    (void)npart_oplist_rule(npart_plan_oplist(page->plan), id, rule);
    const char *label = strrchr(rule->id, '/');
    return label && strncmp(label + 1, "wrong-", 6) == 0;
}

/* Before anything is said of worth: the rule's text, its source and the first node. */
void npart__put_wrong(struct npart__page *page)
{
    struct remarks remarks = {.count = 0};
    struct npart_rule rule;
    gather(page, &remarks);
    for (uint32_t i = 0; i < remarks.count && !page->arena->failed; i++) {
        const struct remark *remark = &remarks.items[i];
        if (!tells_wrong(page, remark->rule, &rule))
            continue;
        struct npart__buffer line = {.arena = page->arena};
        char first[512];
        (void)npart_model_node_text(page->model, remark->first_node, first, sizeof first);
        npart__append_format(&line, "may be wrong, %u node%s: %s (%s). First: %s", remark->count,
                             remark->count == 1 ? "" : "s", rule.text, rule.source, first);
        npart__put_made_field(page, "Results", &line, 0);
    }
}

void npart__put_remarks(struct npart__page *page)
{
    struct remarks remarks;
    gather(page, &remarks);
    uint32_t count = remarks.count;
    if (count == 0 || page->arena->failed)
        return;
    if (count > 1)
        qsort(remarks.items, count, sizeof *remarks.items, compare_remarks);
    npart__painted(page, NPART__BOLD, "  Note\n");
    for (uint32_t i = 0; i < count; i++)
        put_remark(page, &remarks.items[i]);
}
