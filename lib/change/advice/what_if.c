/* SPDX-License-Identifier: Apache-2.0
 *
 * What if some causes were gone? The plan is partitioned again with their nodes taken, the rules that made them left
 * out, and the user's cut points of theirs removed; nothing is inferred or judged again. So a trial costs one
 * partitioning, and advice can afford one for each candidate at each step.
 *
 * What is left out is made as a copy: the mask without failures of those rules, and the op list without their
 * policies. The plan itself stays as it is, since several trials start from it.
 */
#include "advice/table.h"
#include "advice/what_if.h"

struct npart__marks *npart__marks_new(const struct npart__plan *plan, struct npart__arena *arena)
{
    uint32_t count = plan->session.graph->nodes.count;
    struct npart__marks *marks = npart__arena_zeroed(arena, sizeof *marks + count, 1);
    if (marks)
        marks->count = count;
    return marks;
}

/* `and_row` is the candidate at hand, as if it were done too. */
static bool is_done(const struct npart__what_if *request, uint32_t row)
{
    return row != NPART_NONE && (request->is_done[row] || row == request->and_row);
}

static bool is_cause_gone(const struct npart__what_if *request, uint32_t cause)
{
    return cause != NPART_NONE && is_done(request, request->row_of[cause]);
}

/* Whether a policy gave back what was accepted, and not what the provider had claimed and could not compile. */
static bool was_given_back(const struct npart__plan *plan, uint32_t node)
{
    uint32_t rule = plan->partitioning.handed_back[node];
    if (rule == NPART_NONE)
        return false;
    for (uint32_t i = plan->mask.first_reason[node]; i < plan->mask.first_reason[node + 1]; i++) {
        const struct npart__reason *reason = &plan->mask.reasons.items[i];
        bool fails = reason->truth == NPART__FALSE && plan->target.oplist->rules.items[reason->rule].is_fatal;
        if (fails && reason->rule != rule)
            return false;
    }
    return true;
}

/* What policies gave back is offered to them again. A policy that is gone, or that has fewer nodes to give back
 * now, decides anew. Copies have the cause of the node that they are copies of. */
static bool *accept(const struct npart__what_if *request, struct npart__arena *arena)
{
    const struct npart__plan *plan = request->plan;
    uint32_t nodes = plan->session.graph->nodes.count;
    /* By node of the session's graph, as partitioning wants it. */
    bool *accepted = npart__arena_zeroed(arena, nodes + (size_t)1, sizeof *accepted);
    for (uint32_t i = 0; accepted && i < nodes; i++) {
        bool is_taken = plan->accepted[i] || was_given_back(plan, i);
        uint32_t cause = plan->causes.cause_of[npart__original(plan->session.graph, i)];
        accepted[i] = (is_taken || is_cause_gone(request, cause)) &&
                      !npart__is_marked(request->tail, i) && npart__is_live(&plan->session, i);
    }
    return accepted;
}

/* Without what is gone: nodes that failed together, `partitions` lines, the user's cuts. */
struct reduced {
    bool *is_cut;
    struct npart__mask mask;
    /* Copies of structs: their arrays are the plan's own but for those that are made anew below. */
    struct npart__oplist oplist;
    struct npart__target target;
};

/* By rule whether a cause of it is gone; NULL when out of memory. By rule, because masks and policies know of
 * rules and not of causes. */
static bool *find_gone_rules(const struct npart__what_if *request, struct npart__arena *arena)
{
    const struct npart__causes *causes = &request->plan->causes;
    bool *is_gone =
        npart__arena_zeroed(arena, request->plan->target.oplist->rules.count + (size_t)1, sizeof *is_gone);
    for (uint32_t c = 0; is_gone && c < causes->items.count; c++)
        if (is_cause_gone(request, c))
            is_gone[causes->items.items[c].rule] = true;
    return is_gone;
}

/* Only the list of failures is copied: verdicts of nodes are given by `accepted`. */
static bool reduce_mask(const struct npart__what_if *request, const bool *is_rule_gone, struct npart__arena *arena,
                        struct reduced *out)
{
    const struct npart__plan *plan = request->plan;
    out->mask = plan->mask;
    out->mask.failing.items =
        npart__arena_zeroed(arena, plan->mask.failing.count + (size_t)1, sizeof *out->mask.failing.items);
    /* Room for all, of which those stay whose rule has not gone. */
    out->mask.failing.count = 0;
    if (!out->mask.failing.items)
        return false;
    for (uint32_t i = 0; i < plan->mask.failing.count; i++)
        if (!is_rule_gone[plan->mask.failing.items[i].rule])
            out->mask.failing.items[out->mask.failing.count++] = plan->mask.failing.items[i];
    return true;
}

/* The op list's policies without those whose rule is a cause that is gone, such as a limit to the number of
 * partitions; and the user's cut points without those that are to be removed. */
static bool reduce_target(const struct npart__what_if *request, const bool *is_rule_gone, struct npart__arena *arena,
                          struct reduced *out)
{
    const struct npart__plan *plan = request->plan;
    const struct npart__oplist *oplist = plan->target.oplist;
    out->oplist = *oplist;
    out->target = plan->target;
    /* `out` has to stay where it is while the target is used. */
    out->target.oplist = &out->oplist;
    out->oplist.policies.items =
        npart__arena_zeroed(arena, oplist->policies.count + (size_t)1, sizeof *out->oplist.policies.items);
    out->oplist.policies.count = 0;
    if (!out->oplist.policies.items)
        return false;
    /* A policy is a `partitions` line: its rule is the cause of the nodes that it gave back. */
    for (uint32_t i = 0; i < oplist->policies.count; i++)
        if (!is_rule_gone[oplist->policies.items[i].rule])
            out->oplist.policies.items[out->oplist.policies.count++] = oplist->policies.items[i];
    size_t values = plan->graph->values.count + (size_t)1;
    out->is_cut = plan->is_cut ? npart__arena_allocate(arena, values * sizeof *out->is_cut) : NULL;
    if (!plan->is_cut)
        return true; /* no cuts to take away */
    if (!out->is_cut)
        return false;
    memcpy(out->is_cut, plan->is_cut, values * sizeof *out->is_cut);
    for (uint32_t c = 0; c < plan->causes.items.count; c++) {
        uint32_t value = plan->causes.items.items[c].cut_value;
        if (!is_cause_gone(request, c) || npart__rows[request->row_of[c]].trial != NPART__TRY_UNCUT)
            continue;
        if (value != NPART_NONE)
            /* One value where the cause is that cut; all of them where cuts as such break the rule
             * (partitions-cut-*). */
            out->is_cut[value] = false;
        else
            memset(out->is_cut, 0, values * sizeof *out->is_cut);
    }
    return true;
}

/* Unsupported nodes fail as they did; those that a policy gives back, as its rule says. Of the file's nodes alone,
 * as a plan's own summary counts. */
static void count_nodes(const struct npart__what_if *request, const bool *accepted,
                        const struct npart__partitioning *partitioning, struct npart__after *out)
{
    const struct npart__plan *plan = request->plan;
    for (uint32_t i = 0; i < plan->graph->nodes.count; i++) {
        if (!npart__is_live(&plan->session, i))
            continue;
        uint32_t rule = partitioning->handed_back[i];
        bool was_refused = plan->partitioning.handed_back[i] == NPART_NONE &&
                           plan->mask.verdicts[i] == NPART_VERDICT_FAIL;
        bool is_gone = is_cause_gone(request, plan->causes.cause_of[i]);
        out->live++;
        /* After partitioning, which has taken out what policies give to the CPU. */
        out->accepted += accepted[i];
        out->elsewhere += accepted[i] && npart__is_elsewhere(&plan->decided, i);
        out->failed += rule != NPART_NONE ? plan->target.oplist->rules.items[rule].is_fatal
                                          : !accepted[i] && was_refused && !is_gone;
    }
}

/* In the words of a plan's own summary, so that a step's verdict can be held against it. */
static void sum_up(const struct npart__what_if *request, const bool *accepted, struct npart__after *out)
{
    const struct npart_summary summary = {.live = out->live,
                                          .accepted = out->accepted,
                                          .failed = out->failed,
                                          .partitions = out->partitions};
    out->coverage = out->live ? (double)out->accepted / (double)out->live : 1;
    out->verdict = npart__plan_verdict(request->plan, &summary, accepted, request->is_loaded);
}

/* Nothing is inferred or judged again, only partitioned: that is what makes it cheap enough to be asked of every
 * candidate of every step. Costs need one more walk over the graph. With `accepted` the caller goes on from here,
 * so that array is in its arena; all else is given back at the end, as a step makes a dozen trials. */
npart_status npart__what_if(const struct npart__what_if *request, bool wants_cost, struct npart__arena *arena,
                            struct npart__after *out, bool **accepted, struct npart_error *error)
{
    const struct npart__plan *plan = request->plan;
    struct npart__arena scratch;
    struct npart__partitioning partitioning;
    struct npart__cost cost;
    struct reduced reduced;
    /* Of its own: trials are many, and what each needs is as large as the graph. */
    npart__arena_init(&scratch, &arena->allocator);
    bool *taken = accept(request, accepted ? arena : &scratch);
    bool *is_rule_gone = find_gone_rules(request, &scratch);
    bool is_ready = taken && is_rule_gone && reduce_mask(request, is_rule_gone, &scratch, &reduced) &&
                    reduce_target(request, is_rule_gone, &scratch, &reduced);
    /* Outlives the trial: later steps and the recommendation compare with it. */
    struct npart__bill *bill = wants_cost ? npart__arena_zeroed(arena, 1, sizeof *bill) : NULL;
    npart_status status = is_ready && (bill || !wants_cost) ? NPART_OK : npart__fail_memory(error);
    memset(out, 0, sizeof *out);
    if (status == NPART_OK) {
        struct npart__partition_request again = npart__partition_request_of(plan, taken);
        again.target = &reduced.target;
        again.is_cut = reduced.is_cut;
        again.mask = &reduced.mask;
        status = npart__partition_graph(&again, &scratch, &partitioning, error);
    }
    if (status == NPART_OK && wants_cost) {
        /* Work by node is the plan's; only its sums by partition are new. */
        npart__sum_macs(&plan->session, &plan->works, &partitioning);
        status = npart__estimate_cost(&plan->target, &plan->session, &partitioning, plan->node_costs, &plan->sides,
                                      &scratch, &cost, error);
    }
    if (status == NPART_OK) {
        out->partitions = partitioning.partitions.count;
        count_nodes(request, taken, &partitioning, out);
        sum_up(request, taken, out);
        out->mac_coverage = -1;
        if (wants_cost) {
            out->cost_ms = cost.total_ms;
            out->rates = &plan->node_costs->rates;
            if (partitioning.macs != NPART__WORK_UNKNOWN && partitioning.macs)
                out->mac_coverage = (double)partitioning.macs_in_partitions / (double)partitioning.macs;
            *bill = cost.bill;
            out->bill = bill;
        }
        if (accepted)
            *accepted = taken;
    }
    npart__arena_clear(&scratch);
    return status;
}

/* ---- tails ------------------------------------------------------------------------------------------------- */

/* Adds a tensor, once; false when there is no room for more. At most NPART__LIMIT_CUT_TENSORS, so that the search is
 * short. A tail with more is none: that is too many to cut at. */
static bool add_tensor(struct npart__tail *tail, uint32_t value)
{
    for (uint32_t i = 0; i < tail->tensor_count; i++)
        if (tail->tensors[i] == value)
            return true;
    if (tail->tensor_count == NPART__LIMIT_CUT_TENSORS)
        return false;
    tail->tensors[tail->tensor_count++] = value;
    return true;
}

/* Every value that the tail takes from a node before it. False where there is none, or too many: the caller has no
 * tail then. */
static bool list_tensors(const struct npart__plan *plan, struct npart__tail *tail)
{
    const struct npart__graph *graph = plan->session.graph;
    for (uint32_t i = 0; i < plan->session.file->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        if (!npart__is_marked(tail->is_in, i) || !npart__is_live(&plan->session, i) ||
            npart__node_region(graph, i) != 0)
            continue; /* captures of its holder stand for a body's */
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t value = npart__operand_past_copies(&plan->session, node, k);
            uint32_t producer = npart__producer(graph, value);
            if (producer != NPART_NONE && !npart__is_marked(tail->is_in, producer) &&
                !add_tensor(tail, value))
                return false;
        }
    }
    return tail->tensor_count > 0;
}

/* Whether a node uses what a node of the tail makes, or stands in a body whose holder is in it. */
static bool depends_on_tail(const struct npart__plan *plan, uint32_t id, const struct npart__marks *is_in)
{
    const struct npart__graph *graph = plan->session.graph;
    const struct npart__node *node = npart__node_at(graph, id);
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        uint32_t producer = npart__producer(graph, npart__live_operand(&plan->session, node, k));
        if (producer != NPART_NONE && npart__is_marked(is_in, producer))
            return true;
    }
    return false;
}

/* One walk in order: each node is in the tail if one that it takes from is. A tail that begins at an input of the
 * graph needs no tensor to cut at, and is none. */
npart_status npart__find_tail(const struct npart__plan *plan, const bool *is_root, struct npart__arena *arena,
                              struct npart__tail **out, struct npart_error *error)
{
    const struct npart__graph *graph = plan->session.graph;
    struct npart__tail *tail = npart__arena_zeroed(arena, 1, sizeof *tail);
    struct npart__marks *is_in = npart__marks_new(plan, arena);
    *out = NULL;
    if (!tail || !is_in)
        return npart__fail_memory(error);
    tail->is_in = is_in;
    for (uint32_t i = 0; i < graph->order_count; i++) { /* the main graph comes first, so holders before bodies */
        uint32_t id = graph->order[i], region = npart__node_region(graph, id);
        uint32_t holder = region ? npart__scope_at(graph, region)->node : NPART_NONE;
        /* Ids of `is_root` are the file's; a copy begins where its node does. */
        if (is_root[npart__original(plan->session.graph, id)] ||
            (holder != NPART_NONE && npart__is_marked(is_in, holder)) || depends_on_tail(plan, id, is_in))
            npart__mark(is_in, id);
    }
    if (list_tensors(plan, tail))
        *out = tail;
    return NPART_OK;
}
