/* SPDX-License-Identifier: Apache-2.0
 *
 * The causes of a target, and its roots: those that are the same in every model taken together.
 */
#include <stdlib.h>

#include "report/report.h"

/* Without a buffer: what was found stands with the nodes. */
void npart__add_json_causes(struct npart__buffer *out, const char *key, const npart_plan *plan)
{
    struct npart_cause at = {.size = sizeof at};
    NPART__JSON_LIST(out, key, i, npart_plan_cause(plan, i, &at, NULL, 0))
        npart__put_cause(out, NULL, &at, i);
}

/* Texts are the plan's; "" for an op that is none. */
struct root {
    const char *kind, *rule, *op, *text;
    uint32_t cause; /* of a root, before roots are joined */
    uint32_t first, count; /* its causes, in the order of roots before they were joined */
    uint64_t nodes, affected;
};

/* Rule, op and kind together are what a root is; the text is the same where they are. */
static int compare_names(const struct root *a, const struct root *b)
{
    int order = strcmp(a->rule, b->rule);
    if (order == 0)
        order = strcmp(a->op, b->op);
    return order ? order : strcmp(a->kind, b->kind);
}

/* Causes of one root stay in the order of their ids, as qsort need not keep the order of equal ones. */
static int compare_causes(const void *left, const void *right)
{
    const struct root *a = left, *b = right;
    int order = compare_names(a, b);
    return order ? order : NPART__ORDER(a->cause, b->cause);
}

/* The root with most nodes first, those that it lies at and those that it affects; then by name, so that the order
 * is the same everywhere. The sums are of 64 bits, as what is added has 32. */
static int compare_weights(const void *left, const void *right)
{
    const struct root *a = left, *b = right;
    uint64_t x = a->nodes + a->affected, y = b->nodes + b->affected;
    return x != y ? (x < y ? 1 : -1) : compare_names(a, b);
}

/* A root for each cause, in the order of causes. NULL, with *count 0, when out of memory. */
static struct root *read_causes(struct npart__arena *arena, const npart_plan *plan, size_t *count)
{
    struct npart_cause at = {.size = sizeof at};
    uint32_t causes = 0;
    while (npart_plan_cause(plan, causes, &at, NULL, 0))
        causes++;
    struct root *roots = npart__arena_zeroed(arena, causes + (size_t)1, sizeof *roots);
    for (uint32_t i = 0; roots && npart_plan_cause(plan, i, &at, NULL, 0); i++)
        roots[i] = (struct root){.kind = npart_cause_kind_text(at.kind),
                                 .rule = at.root_rule ? at.root_rule : "",
                                 .op = at.root_op ? at.root_op : "",
                                 .text = at.root_text,
                                 .cause = i,
                                 .nodes = at.node_count,
                                 .affected = at.affected_count};
    *count = roots ? causes : 0;
    return roots;
}

/* Sorted ones to `joined`; returns how many these are. There is room for as many as there were. Each keeps where
 * its causes begin in `roots`, which is not sorted again. */
static size_t join(const struct root *roots, size_t count, struct root *joined)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_new = kept == 0 || compare_names(&roots[i], &joined[kept - 1]) != 0;
        if (is_new) {
            joined[kept] = roots[i];
            joined[kept].first = (uint32_t)i;
            joined[kept].nodes = joined[kept].affected = 0;
            kept++;
        }
        joined[kept - 1].count++;
        joined[kept - 1].nodes += roots[i].nodes;
        joined[kept - 1].affected += roots[i].affected;
    }
    return kept;
}

/* Takes time in proportion to n log n of the causes. */
void npart__add_json_roots(struct npart__buffer *out, const npart_plan *plan)
{
    struct npart__arena own; /* may be large, and there may be many targets */
    size_t count;
    npart__part_open(&own, out->arena);
    struct root *roots = read_causes(&own, plan, &count);
    struct root *joined = npart__arena_zeroed(&own, count + 1, sizeof *joined);
    size_t kept = 0;
    npart__json_open(out, "roots", '[');
    if (joined && count) {
        qsort(roots, count, sizeof *roots, compare_causes);
        kept = join(roots, count, joined);
        qsort(joined, kept, sizeof *joined, compare_weights);
    }
    for (size_t i = 0; i < kept; i++) {
        npart__json_open(out, NULL, '{');
        npart__json_text(out, "kind", joined[i].kind);
        npart__json_text_or_null(out, "rule", joined[i].rule);
        npart__json_text_or_null(out, "op", joined[i].op);
        npart__json_text(out, "text", joined[i].text);
        NPART__JSON_LIST(out, "causes", k, k < joined[i].count)
            npart__json_number(out, NULL, roots[joined[i].first + k].cause);
        npart__json_count(out, "nodes", joined[i].nodes);
        npart__json_count(out, "victims", joined[i].affected);
        npart__json_close(out, '}');
    }
    npart__json_close(out, ']');
    npart__part_end(&own, out->arena);
}
