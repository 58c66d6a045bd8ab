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
    struct npart__root told;
    uint32_t cause; /* before roots are joined; then `told` has its causes */
};

/* Rule, op and kind together are what a root is; the text is the same where they are. */
static int compare_names(const struct root *a, const struct root *b)
{
    int order = strcmp(a->told.rule, b->told.rule);
    if (order == 0)
        order = strcmp(a->told.op, b->told.op);
    return order ? order : strcmp(npart_cause_kind_text(a->told.kind), npart_cause_kind_text(b->told.kind));
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
    uint64_t x = a->told.nodes + a->told.victims, y = b->told.nodes + b->told.victims;
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
        roots[i] = (struct root){.told = {.kind = at.kind,
                                          .rule = at.root_rule ? at.root_rule : "",
                                          .op = at.root_op ? at.root_op : "",
                                          .text = at.root_text,
                                          .nodes = at.node_count,
                                          .victims = at.affected_count},
                                 .cause = i};
    *count = roots ? causes : 0;
    return roots;
}

/* Sorted ones, in place; returns how many these are. `causes` has room for the ids of all. */
static size_t join(struct root *roots, size_t count, uint32_t *causes)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct root at = roots[i];
        causes[i] = at.cause;
        if (kept && compare_names(&at, &roots[kept - 1]) == 0) {
            roots[kept - 1].told.nodes += at.told.nodes;
            roots[kept - 1].told.victims += at.told.victims;
        } else {
            roots[kept] = at;
            roots[kept++].told.causes = &causes[i];
        }
        roots[kept - 1].told.cause_count++;
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
    uint32_t *causes = npart__arena_zeroed(&own, count + 1, sizeof *causes);
    size_t kept = 0;
    if (causes && count) {
        qsort(roots, count, sizeof *roots, compare_causes);
        kept = join(roots, count, causes);
        qsort(roots, kept, sizeof *roots, compare_weights);
    }
    NPART__JSON_LIST(out, "roots", i, i < kept)
        npart__put_root(out, NULL, &roots[i].told);
    npart__part_end(&own, out->arena);
}
