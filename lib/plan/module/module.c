/* SPDX-License-Identifier: Apache-2.0
 *
 * The modules of a plan: their order, their nodes, and what becomes of them.
 */
#include "module/module.h"

/* ---- order ----------------------------------------------------------------------------------------------------- */

/* Modules as lists of those inside them, by their numbers in `items`; the last place is for the outermost. */
struct siblings {
    const struct npart__modules *from;
    uint32_t *first, *next; /* by module: the first inside it; the one after it. NPART_NONE: none */
    bool *is_listed;        /* by module: it stands in a list; until lists are made, something of it is live */
};

/* Parents have smaller numbers, but need not be listed yet: their own lists are filled all the same. */
static void put_first(struct siblings *at, uint32_t module)
{
    uint32_t parent = at->from->items.items[module].parent;
    uint32_t list = parent == NPART_NONE ? at->from->items.count : parent;
    at->next[module] = at->first[list];
    at->first[list] = module;
    at->is_listed[module] = true;
}

/* By the nodes that run last, as the first ones mislead: what a decoder makes of the encoder's states for all of
 * its layers may run before its first layer. So from the end each module is put first among its siblings. Those
 * of which nothing is live are put there before all others, and so come last. A walk up from a node ends at the
 * first module that is marked, so each module is marked once: linear in nodes and modules. */
static void list_siblings(struct siblings *at, const uint32_t *order, uint32_t order_count)
{
    const struct npart__modules *from = at->from;
    const uint32_t *of_node = from->of_node;
    for (uint32_t i = 0; i < order_count; i++)
        for (uint32_t m = of_node[order[i]]; m != NPART_NONE && !at->is_listed[m]; m = from->items.items[m].parent)
            at->is_listed[m] = true; /* live */
    for (uint32_t m = from->items.count; m-- > 0;)
        if (at->is_listed[m])
            at->is_listed[m] = false;
        else
            put_first(at, m);
    for (uint32_t i = order_count; i-- > 0;)
        for (uint32_t m = of_node[order[i]]; m != NPART_NONE && !at->is_listed[m]; m = from->items.items[m].parent)
            put_first(at, m);
}

/* Each before those inside it, and these before the next. `number_of`: by module of `from`. There is room for
 * all. Without recursion, as depth is what a file says: down to the first inside, else on to the next, else up
 * until there is one. */
static void number_modules(const struct siblings *at, uint32_t *number_of, struct npart__modules *to)
{
    const struct npart_module *modules = at->from->items.items;
    uint32_t m = at->first[at->from->items.count];
    while (m != NPART_NONE) {
        struct npart_module *made = &to->items.items[to->items.count];
        *made = modules[m];
        if (made->parent != NPART_NONE)
            made->parent = number_of[made->parent];
        number_of[m] = to->items.count++;
        if (at->first[m] != NPART_NONE) {
            m = at->first[m];
            continue;
        }
        while (m != NPART_NONE && at->next[m] == NPART_NONE)
            m = modules[m].parent;
        m = m == NPART_NONE ? NPART_NONE : at->next[m];
    }
}

/* Modules of which nothing is live come last, as the file has them. */
static bool sort_modules(const struct npart__modules *from, const uint32_t *order, uint32_t order_count,
                         struct npart__arena *scratch, struct npart__arena *arena, uint32_t nodes,
                         struct npart__modules *to)
{
    size_t room = from->items.count + (size_t)1;
    struct siblings at = {.from = from};
    uint32_t *number_of = npart__arena_allocate(scratch, room * sizeof *number_of);
    at.first = npart__arena_allocate(scratch, room * sizeof *at.first);
    at.next = npart__arena_allocate(scratch, room * sizeof *at.next);
    at.is_listed = npart__arena_allocate(scratch, room * sizeof *at.is_listed);
    to->of_node = npart__arena_allocate(arena, (nodes + (size_t)1) * sizeof *to->of_node);
    to->members = npart__arena_allocate(arena, (nodes + (size_t)1) * sizeof *to->members);
    if (!number_of || !at.first || !at.next || !at.is_listed || !to->of_node || !to->members ||
        !NPART__RESERVE(arena, &to->items, from->items.count))
        return false;
    memset(at.first, 0xff, room * sizeof *at.first);
    memset(at.is_listed, 0, room * sizeof *at.is_listed);
    list_siblings(&at, order, order_count);
    number_modules(&at, number_of, to);
    for (uint32_t i = 0; i < nodes; i++)
        to->of_node[i] = from->of_node[i] == NPART_NONE ? NPART_NONE : number_of[from->of_node[i]];
    return true;
}

/* A counting sort by module: live nodes as they run, then the others as they stand in the file. `order` has live
 * nodes alone, so in the second half of the walk those are passed over. */
static void list_members(const struct npart__plan *plan, const uint32_t *order, uint32_t order_count,
                         struct npart__modules *out)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < plan->graph->nodes.count; i++)
        if (out->of_node[i] != NPART_NONE)
            out->items.items[out->of_node[i]].own_count++;
    for (uint32_t m = 0; m < out->items.count; m++) {
        struct npart_module *at = &out->items.items[m];
        at->own = out->members + total;
        total += at->own_count;
        at->own_count = 0; /* counted again while the list is filled */
    }
    for (uint32_t i = 0; i < order_count + plan->graph->nodes.count; i++) {
        uint32_t node = i < order_count ? order[i] : i - order_count;
        if (out->of_node[node] == NPART_NONE || (i >= order_count && npart__is_live(&plan->session, node)))
            continue;
        struct npart_module *at = &out->items.items[out->of_node[node]];
        out->members[(size_t)(at->own - out->members) + at->own_count++] = node;
    }
}

/* ---- sums ------------------------------------------------------------------------------------------------------ */

/* A sum that lacks something is not known. */
static void add_ms(double *sum, double ms)
{
    *sum = *sum < 0 || ms < 0 ? -1 : *sum + ms;
}

/* Nodes that are not live count as nodes alone: what they cost is part of another, or nothing. */
static void add_node(const struct npart__plan *plan, uint32_t id, struct npart_module *to)
{
    bool on_npu = plan->partitioning.partition_of[id] != NPART_NONE;
    uint64_t macs = plan->works.items[id].macs;
    to->node_count++;
    if (!npart__is_live(&plan->session, id))
        return;
    /* As in lib/plan/partition/macs.c: how often a body runs is not known. */
    if (macs && npart__node_region(plan->session.graph, id) != 0)
        macs = NPART__WORK_UNKNOWN;
    to->live_count++;
    to->accepted_count += on_npu;
    to->macs = npart__sum_uint64(to->macs, macs);
    to->macs_on_npu = npart__sum_uint64(to->macs_on_npu, on_npu ? macs : 0);
    const struct npart__side_cost *side = npart__side_of(plan->node_costs, id, plan->partitioning.partition_of);
    add_ms(on_npu ? &to->npu_ms : &to->cpu_ms, npart__side_ms(plan->node_costs, side));
}

/* A switch belongs to the node after it, so that modules and what is in none add up to the plan's. Between the
 * last node of a region and the first of the next there is none: bodies run within their nodes. */
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
            out->items.items[module].switch_count++;
    }
}

static void sum_up(const struct npart__plan *plan, struct npart__modules *out)
{
    for (uint32_t i = 0; i < plan->graph->nodes.count; i++)
        if (out->of_node[i] != NPART_NONE)
            add_node(plan, i, &out->items.items[out->of_node[i]]);
    /* What is inside comes after what it is in. */
    for (uint32_t m = out->items.count; m-- > 0;) {
        const struct npart_module *at = &out->items.items[m];
        if (at->parent == NPART_NONE)
            continue;
        struct npart_module *to = &out->items.items[at->parent];
        to->node_count += at->node_count;
        to->live_count += at->live_count;
        to->accepted_count += at->accepted_count;
        to->switch_count += at->switch_count;
        to->macs = npart__sum_uint64(to->macs, at->macs);
        to->macs_on_npu = npart__sum_uint64(to->macs_on_npu, at->macs_on_npu);
        add_ms(&to->npu_ms, at->npu_ms);
        add_ms(&to->cpu_ms, at->cpu_ms);
    }
    for (uint32_t m = 0; m < out->items.count; m++) {
        struct npart_module *at = &out->items.items[m];
        at->has_macs = at->macs != NPART__WORK_UNKNOWN;
        at->macs = at->has_macs ? at->macs : 0;
        at->macs_on_npu = at->has_macs ? at->macs_on_npu : 0;
    }
}

#ifdef NPART_DEBUG
/* Modules come before those inside them, and a node that is a module's own says so. */
static void check_modules(const struct npart__modules *modules)
{
    for (uint32_t m = 0; m < modules->items.count; m++) {
        const struct npart_module *at = &modules->items.items[m];
        NPART__ASSERT(at->parent == NPART_NONE || at->parent < m, "module %s is before what holds it", at->path);
        NPART__ASSERT(at->accepted_count <= at->live_count && at->live_count <= at->node_count, "module %s", at->path);
        NPART__ASSERT(at->own_count <= at->node_count && at->node_count, "module %s has %u nodes", at->path,
                      at->node_count);
        NPART__ASSERT(at->macs_on_npu <= at->macs, "module %s has more work on the NPU than it has", at->path);
        for (uint32_t i = 0; i < at->own_count; i++)
            NPART__ASSERT(modules->of_node[at->own[i]] == m, "a node of module %s", at->path);
    }
}
#endif

/* Paths are copied, as the tree may go before the plan. */
bool npart__find_modules(const struct npart__plan *plan, const struct npart__modules *tree, const uint32_t *order,
                         uint32_t order_count, struct npart__arena *scratch, struct npart__arena *arena,
                         struct npart__modules *out)
{
    memset(out, 0, sizeof *out);
    if (!sort_modules(tree, order, order_count, scratch, arena, plan->graph->nodes.count, out))
        return false;
    for (uint32_t m = 0; m < out->items.count; m++) {
        struct npart_module *at = &out->items.items[m];
        at->path = npart__arena_copy_text(arena, at->path, strlen(at->path));
        if (!at->path)
            return false;
    }
    list_members(plan, order, order_count, out);
    count_switches(plan, order, order_count, out);
    sum_up(plan, out);
    NPART__CHECK(check_modules(out));
    return true;
}
