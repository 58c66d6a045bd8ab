/* SPDX-License-Identifier: Apache-2.0
 *
 * The modules of a plan: their order, their nodes, and what becomes of them.
 */
#include "module/module.h"

/* ---- order ----------------------------------------------------------------------------------------------------- */

struct numbering {
    const struct npart__modules *from;
    struct npart__modules *to;
    uint32_t *number_of; /* by module of `from`: its number in `to`, or NPART_NONE */
};

/* A module and those that it is in, the outermost first. There is room for all of them. */
static void number(struct numbering *at, uint32_t module)
{
    uint32_t path[NPART__LIMIT_MODULE_DEPTH], depth = 0;
    for (; module != NPART_NONE && at->number_of[module] == NPART_NONE; module = at->from->items.items[module].parent)
        path[depth++] = module;
    while (depth-- > 0) {
        struct npart__module *made = &at->to->items.items[at->to->items.count];
        *made = at->from->items.items[path[depth]];
        if (made->parent != NPART_NONE)
            made->parent = at->number_of[made->parent];
        at->number_of[path[depth]] = at->to->items.count++;
    }
}

/* As they run; modules of which nothing is live come last, as the file has them. */
static bool sort_modules(const struct npart__modules *from, const uint32_t *order, uint32_t order_count,
                         struct npart__arena *scratch, struct npart__arena *arena, uint32_t nodes,
                         struct npart__modules *to)
{
    struct numbering at = {.from = from, .to = to};
    at.number_of = npart__arena_allocate(scratch, (from->items.count + (size_t)1) * sizeof *at.number_of);
    to->of_node = npart__arena_allocate(arena, (nodes + (size_t)1) * sizeof *to->of_node);
    to->members = npart__arena_allocate(arena, (nodes + (size_t)1) * sizeof *to->members);
    if (!at.number_of || !to->of_node || !to->members || !NPART__RESERVE(arena, &to->items, from->items.count))
        return false;
    memset(at.number_of, 0xff, (from->items.count + (size_t)1) * sizeof *at.number_of);
    for (uint32_t i = 0; i < order_count; i++)
        number(&at, from->of_node[order[i]]);
    for (uint32_t m = 0; m < from->items.count; m++)
        number(&at, m);
    for (uint32_t i = 0; i < nodes; i++)
        to->of_node[i] = from->of_node[i] == NPART_NONE ? NPART_NONE : at.number_of[from->of_node[i]];
    return true;
}

/* A counting sort by module: live nodes as they run, then the others as they stand in the file. */
static void list_members(const struct npart__plan *plan, const uint32_t *order, uint32_t order_count,
                         struct npart__modules *out)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < plan->graph->nodes.count; i++)
        if (out->of_node[i] != NPART_NONE)
            out->items.items[out->of_node[i]].own_count++;
    for (uint32_t m = 0; m < out->items.count; m++) {
        struct npart__module *at = &out->items.items[m];
        at->first_own = total;
        total += at->own_count;
        at->own_count = 0; /* counted again while the list is filled */
    }
    for (uint32_t i = 0; i < order_count + plan->graph->nodes.count; i++) {
        uint32_t node = i < order_count ? order[i] : i - order_count;
        if (out->of_node[node] == NPART_NONE || (i >= order_count && npart__is_live(&plan->session, node)))
            continue;
        struct npart__module *at = &out->items.items[out->of_node[node]];
        out->members[at->first_own + at->own_count++] = node;
    }
}

/* ---- sums ------------------------------------------------------------------------------------------------------ */

static void add_macs(uint64_t *sum, uint64_t macs)
{
    *sum = macs > NPART__WORK_UNKNOWN - *sum ? NPART__WORK_UNKNOWN : *sum + macs;
}

/* A sum that lacks something is not known. */
static void add_ms(double *sum, double ms)
{
    *sum = *sum < 0 || ms < 0 ? -1 : *sum + ms;
}

static void add_node(const struct npart__plan *plan, uint32_t id, struct npart__module *to)
{
    bool on_npu = plan->partitioning.partition_of[id] != NPART_NONE;
    uint64_t macs = plan->works.items[id].macs;
    to->nodes++;
    if (!npart__is_live(&plan->session, id))
        return;
    /* As in lib/partition/macs.c: how often a body runs nobody knows. */
    if (macs && npart__node_region(plan->session.graph, id) != 0)
        macs = NPART__WORK_UNKNOWN;
    to->live++;
    to->accepted += on_npu;
    add_macs(&to->macs, macs);
    add_macs(&to->macs_on_npu, on_npu ? macs : 0);
    add_ms(on_npu ? &to->npu_ms : &to->cpu_ms, npart__node_ms(plan->node_costs, id, on_npu));
}

/* A switch belongs to the node after it, so that modules and what is in none add up to the plan's. */
static void count_switches(const struct npart__plan *plan, const uint32_t *order, uint32_t order_count,
                           struct npart__modules *out)
{
    for (uint32_t i = 1; i < order_count; i++) {
        uint32_t module = out->of_node[order[i]];
        bool is_same_region =
            npart__node_region(plan->graph, order[i]) == npart__node_region(plan->graph, order[i - 1]);
        bool was_on_npu = plan->partitioning.partition_of[order[i - 1]] != NPART_NONE;
        bool on_npu = plan->partitioning.partition_of[order[i]] != NPART_NONE;
        if (module != NPART_NONE && is_same_region && was_on_npu != on_npu)
            out->items.items[module].switches++;
    }
}

static void sum_up(const struct npart__plan *plan, struct npart__modules *out)
{
    for (uint32_t i = 0; i < plan->graph->nodes.count; i++)
        if (out->of_node[i] != NPART_NONE)
            add_node(plan, i, &out->items.items[out->of_node[i]]);
    /* What is inside comes after what it is in. */
    for (uint32_t m = out->items.count; m-- > 0;) {
        const struct npart__module *at = &out->items.items[m];
        if (at->parent == NPART_NONE)
            continue;
        struct npart__module *to = &out->items.items[at->parent];
        to->nodes += at->nodes;
        to->live += at->live;
        to->accepted += at->accepted;
        to->switches += at->switches;
        add_macs(&to->macs, at->macs);
        add_macs(&to->macs_on_npu, at->macs_on_npu);
        add_ms(&to->npu_ms, at->npu_ms);
        add_ms(&to->cpu_ms, at->cpu_ms);
    }
}

bool npart__find_modules(const struct npart__plan *plan, const uint32_t *order, uint32_t order_count,
                         struct npart__arena *arena, struct npart__modules *out)
{
    struct npart__arena scratch;
    struct npart__modules found = {.of_node = NULL};
    memset(out, 0, sizeof *out);
    npart__arena_init(&scratch, &arena->allocator);
    bool is_ok = npart__module_tree(plan->graph, &scratch, &found) &&
                 sort_modules(&found, order, order_count, &scratch, arena, plan->graph->nodes.count, out);
    for (uint32_t m = 0; is_ok && m < out->items.count; m++) {
        struct npart__module *at = &out->items.items[m];
        at->path = npart__arena_copy_text(arena, at->path, strlen(at->path));
        is_ok = at->path != NULL;
    }
    npart__arena_clear(&scratch);
    if (!is_ok)
        return false;
    list_members(plan, order, order_count, out);
    count_switches(plan, order, order_count, out);
    sum_up(plan, out);
    return true;
}
