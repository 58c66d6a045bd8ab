/* SPDX-License-Identifier: Apache-2.0
 *
 * Partitions that take longer than their nodes on the CPU: a launch costs the same for one node as for a thousand.
 */
#include <math.h>
#include <stdlib.h>

#include "advice/way.h"

/* Nodes that are named in a command. */
#define MOST_NAMED 4u /* more are no command to type */

/* Copies count like nodes, as they go with their partition; `nodes` is of the file's. */
struct small {
    struct npart__marks *is_small;
    uint32_t nodes, partitions;
    uint32_t most; /* partitions that there is room for; NPART_NONE: any number */
};

static uint32_t most_partitions(const struct npart__plan *plan)
{
    const struct npart_memory *memory = &plan->memory.told;
    for (uint32_t i = 0; i < memory->limit_count; i++)
        if (memory->limits[i].of == NPART_LIMITED_PARTITIONS && memory->limits[i].fits == NPART_FIT_NO)
            return (uint32_t)memory->limits[i].limit_count;
    return NPART_NONE;
}

struct saving {
    double ms;    /* saved once the partition is gone; negative: lost */
    uint32_t partition;
};

static int compare_savings(const void *left, const void *right)
{
    const struct saving *a = left, *b = right;
    return a->ms != b->ms ? (a->ms < b->ms ? -1 : 1) : (a->partition > b->partition) - (a->partition < b->partition);
}

/* By partition whether it goes: what saves time by it; where there is no room for so many, those too that lose least by
 * it, and the best one stays. */
static void choose(struct saving *savings, uint32_t count, uint32_t most, bool *goes)
{
    if (count > most)
        qsort(savings, count, sizeof *savings, compare_savings);
    for (uint32_t i = 0; i < count; i++)
        goes[savings[i].partition] = count > most ? i > 0 && (i >= most || savings[i].ms > 0) : savings[i].ms > 0;
}

/* What a partition takes beside its nodes: its launch, and its share of what crosses, by tensors. Tensors and not
 * bytes share what crosses, for most of a small tensor's transfer is the same for any. */
static double overhead_ms(const struct npart__plan *plan, const struct npart__partition *at)
{
    const struct npart__cost *cost = &plan->cost;
    uint32_t crossings = plan->partitioning.crossings.count;
    /* A tensor that goes from one partition to another crosses for both, so the shares of all may add up to more
     * than 1. */
    double crossed = crossings ? (double)(at->input_count + at->output_count) / crossings : 0;
    return cost->parts_ms[NPART__PART_SWITCH].typical_ms / plan->partitioning.partitions.count +
           cost->parts_ms[NPART__PART_COPY].typical_ms * (crossed < 1 ? crossed : 1);
}

/* What a partition saves once it is gone: its overhead and its nodes' time on the NPU, less their time on the CPU. */
static bool find_small(const struct npart__plan *plan, struct npart__arena *arena, struct small *out)
{
    uint32_t partitions = plan->partitioning.partitions.count;
    const uint32_t *partition_of = plan->partitioning.partition_of;
    struct saving *savings = npart__arena_zeroed(arena, partitions + (size_t)1, sizeof *savings);
    bool *goes = npart__arena_zeroed(arena, partitions + (size_t)1, sizeof *goes);
    *out = (struct small){.is_small = npart__marks_new(plan, arena), .most = most_partitions(plan)};
    if (!savings || !goes || !out->is_small)
        return false;
    for (uint32_t p = 0; p < partitions; p++)
        savings[p] = (struct saving){overhead_ms(plan, &plan->partitioning.partitions.items[p]), p};
    for (uint32_t i = 0; i < plan->node_costs->count; i++) {
        double npu_ms = npart__side_ms(plan->node_costs, &plan->node_costs->items[i].npu);
        double cpu_ms = npart__side_ms(plan->node_costs, npart__side_of(plan->node_costs, i, NULL));
        /* What is not known on either side saves nothing for certain. */
        bool is_known = npu_ms >= 0 && cpu_ms >= 0;
        if (partition_of[i] != NPART_NONE)
            savings[partition_of[i]].ms += is_known ? npu_ms - cpu_ms : -(double)INFINITY;
    }
    choose(savings, partitions, out->most, goes);
    for (uint32_t p = 0; p < partitions; p++)
        out->partitions += goes[p];
    for (uint32_t i = 0; i < out->is_small->count; i++) {
        if (partition_of[i] == NPART_NONE || !goes[partition_of[i]])
            continue;
        npart__mark(out->is_small, i);
        out->nodes += !npart__is_copy(plan->session.graph, i);
    }
    return true;
}

/* Options that show the same, where there are few nodes and all have names. A node without a name cannot be told
 * by an option, and a command for some of them would show something else. The JSON has no command then, and the
 * text stands alone. */
static bool write_command(struct npart__way *way, const struct small *small, const char **out)
{
    struct npart__buffer text;
    npart__buffer_init(&text, way->arena);
    *out = NULL;
    for (uint32_t i = 0; small->nodes <= MOST_NAMED && i < way->plan->session.file->nodes.count; i++) {
        const char *name = npart__node_at(way->plan->graph, i)->name;
        if (!npart__is_marked(small->is_small, i))
            continue;
        if (!*name)
            return !text.failed;
        const char *word = npart__arena_format(&way->scratch, "%s=cpu", name);
        npart__append_text(&text, text.size ? " --assume-node " : "--assume-node ");
        npart__append_shell_word(&text, word ? word : "");
        text.failed |= !word;
    }
    if (text.size)
        *out = npart__buffer_text(&text);
    return !text.failed;
}

/* It belongs to no cause: its nodes are on the NPU, and nothing is wrong with them. */
static npart_status add_action(struct npart__way *way, const struct small *small, const struct npart__after *after)
{
    struct npart__action action = {
        .kind = "option", .rewrites = "", .equality = "", .instead_of = NPART_NONE, .pays = NPART_PAYS_FASTER};
    action.after = *after;
    action.first_cause = way->out->lists.count;
    const char *plural = small->partitions == 1 ? "" : "s", *nodes = small->nodes == 1 ? "" : "s";
    action.text = npart__arena_format(
        way->arena, "Leave %u small partition%s to the CPU (%u node%s): starting %s costs more than it saves",
        small->partitions, plural, small->nodes, nodes, small->partitions == 1 ? "it" : "each");
    if (small->most != NPART_NONE) {
        action.pays = NPART_PAYS_MENDS;
        action.text = npart__arena_format(
            way->arena, "Leave %u partition%s to the CPU (%u node%s), those that save least: a process holds %u",
            small->partitions, plural, small->nodes, nodes, small->most);
    }
    bool is_made = action.text && (way->steps || write_command(way, small, &action.command)) &&
                   npart__list_needs(way, way->steps, &action) && NPART__PUSH(way->arena, &way->out->items, action);
    return is_made ? NPART_OK : npart__fail_memory(way->error);
}

/* What is left of a plan without its small partitions. Nothing, and no time, where none is small, where all are (that
 * is the CPU's time, which recommend.c compares), and where it is not surely faster without: it takes work off the
 * NPU. */
static npart_status try_without(struct npart__way *way, const struct npart__plan *plan, struct small *small,
                                struct npart__after *after)
{
    const struct npart__after before = npart__as_it_is(plan);
    after->cost_ms = NPART__UNKNOWN_RANGE;
    /* A single one is the whole plan: recommend.c says then whether the CPU is better. */
    if (!plan->cost.is_known || plan->summary.failed || plan->partitioning.partitions.count < 2)
        return NPART_OK;
    if (!find_small(plan, &way->scratch, small))
        return npart__fail_memory(way->error);
    if (small->partitions == 0)
        return NPART_OK;
    /* Steps that were tried and did not pay are done no more. */
    memset(way->is_done, 0, npart__row_count * sizeof *way->is_done);
    npart_status status = npart__way_turn(way, plan);
    if (status != NPART_OK)
        return status;
    const struct npart__what_if request = {plan,      way->row_of,    way->is_done, NPART_NONE,
                                           small->is_small, way->is_loaded};
    status = npart__what_if(&request, true, &way->scratch, after, NULL, way->error);
    if (status != NPART_OK || after->cost_ms.typical_ms < 0)
        return status;
    struct npart__ratio ratio = npart__bill_ratio(after->rates, after->bill, before.rates, before.bill);
    if (small->most != NPART_NONE)
        return NPART_OK; /* whatever it costs */
    if (ratio.typical < 0 || ratio.high >= 1 || after->partitions == 0)
        after->cost_ms = NPART__UNKNOWN_RANGE;
    return NPART_OK;
}

/* Instead of what fix does, which may take its place; steps that were only tried go. False when out of memory. */
static bool replace_steps(struct npart__way *way)
{
    struct npart__action first = way->out->items.items[0];
    way->out->items.count = way->steps = way->others.count = 0;
    first.instead_of = 0;
    return !first.run || NPART__PUSH(&way->scratch, &way->others, first);
}

/* On the plan as it is, in place of steps that leave a run longer; and after what fix does. A step that was only tried
 * leaves no plan to look at. */
npart_status npart__way_small(struct npart__way *way)
{
    const struct npart__action *steps = way->out->items.items;
    double ms = way->steps ? steps[way->steps - 1].after.cost_ms.typical_ms : -1;
    bool is_made = way->steps == 1 && way->mended && steps[0].run;
    struct small small;
    struct npart__after after;
    npart_status status = try_without(way, way->open, &small, &after);
    bool is_taken = status == NPART_OK && after.cost_ms.typical_ms >= 0 && (ms < 0 || after.cost_ms.typical_ms < ms);
    if (is_taken && way->steps && !replace_steps(way))
        return npart__fail_memory(way->error);
    if (status == NPART_OK && !is_taken && is_made) {
        status = try_without(way, way->mended, &small, &after);
        is_taken = status == NPART_OK && after.cost_ms.typical_ms >= 0;
    }
    return is_taken ? add_action(way, &small, &after) : status;
}
