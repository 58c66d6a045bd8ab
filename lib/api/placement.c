/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that ask a plan what became of nodes and values, why, and which partitions
 * and causes there are. Most answers were made with the plan; only what a rule found at a node
 * is computed when it is asked for, as it is needed for a few of many nodes.
 */
#include "api/api.h"

/* ---- nodes and values -------------------------------------------------------------------------------------- */

/* How many rules say that a node which is taken is not run by the NPU. */
static uint32_t elsewhere_count(const struct npart__plan *plan, uint32_t node)
{
    const struct npart__decided *decided = &plan->decided;
    return decided->is_later ? decided->first_reason[node + 1] - decided->first_reason[node] : 0;
}

/* What only moves or converts elements, and which of these it does; NULL of all else. */
static const char *moves(const struct npart__plan *plan, uint32_t id)
{
    const struct npart__node *node = npart__node_at(plan->session.file, id);
    int64_t order[NPART__LIMIT_RANK];
    uint32_t rank;
    if (npart__node_plays(plan->session.file, node, NPART__ROLE_REORDERS_AXES))
        return npart__order_of_axes(plan->session.made_from, id, order, &rank) && npart__moves_channels(order, rank)
                   ? "channels"
                   : "transpose";
    if (npart__node_plays(plan->session.file, node, NPART__ROLE_QUANTIZES))
        return "quantize";
    if (npart__node_plays(plan->session.file, node, NPART__ROLE_DEQUANTIZES))
        return "dequantize";
    if (npart__comes_from(node, NPART__WAY(CASTS)))
        return "cast";
    return npart__comes_from(node, NPART__WAY(VIEW)) ? "view" : NULL;
}

/* A node that is not live has no verdict of a target, but a fate: folded, removed, or fused into another. Its
 * partition is NPART_NONE and its milliseconds are -1: what it costs is part of the node that it is fused into,
 * or nothing. */
bool npart_plan_node(const npart_plan *handle, uint32_t node, struct npart_node_plan *out)
{
    if (!handle || node >= handle->plan.graph->nodes.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__plan *plan = &handle->plan;
    enum npart_fate fate = (enum npart_fate)plan->session.fates[node];
    bool is_live = fate == NPART_FATE_LIVE, on_npu = plan->partitioning.partition_of[node] != NPART_NONE;
    /* Copies are no nodes that a caller can ask about: ids end with the file's graph, or the view's. */
    const struct npart__node_cost *cost = &plan->node_costs->items[node];
    const struct npart__side_cost *side = npart__side_of(plan->node_costs, node, plan->partitioning.partition_of);
    *out = (struct npart_node_plan){
        .size = sizeof *out,
        .verdict = is_live                     ? (enum npart_verdict)plan->mask.verdicts[node]
                   : fate == NPART_FATE_FUSED ? NPART_VERDICT_FUSED
                                               : NPART_VERDICT_FOLDED,
        .partition = plan->partitioning.partition_of[node],
        .cause = plan->causes.cause_of[node],
        .into = npart__fused_into(&plan->session, node),
        .reason_count = plan->mask.first_reason[node + 1] - plan->mask.first_reason[node] + elsewhere_count(plan, node),
        .fate = fate,
        .fate_text = is_live ? "" : npart__fate_sentence(fate),
        .ms = is_live ? npart__side_ms(plan->node_costs, side) : -1,
        .slow = is_live && !on_npu ? npart__slow_sentence(cost->slow) : NULL,
        .cpu_ms = is_live ? npart__side_ms(plan->node_costs, npart__side_of(plan->node_costs, node, NULL)) : -1,
        .cpu_kernel = is_live ? npart__kernel_name(plan->node_costs, &plan->session, node) : NULL,
        .moves = is_live ? moves(plan, node) : NULL,
    };
    return true;
}

/* The order of a run, where it is told which nodes share a partition; the file's order is the ids'. Both NULL
 * arguments are answered: no plan has no nodes, and who passes no `count` knows it already. */
const uint32_t *npart_plan_order(const npart_plan *plan, uint32_t *count)
{
    if (count)
        *count = plan ? plan->order_count : 0;
    return plan ? plan->order : NULL;
}

/* The target's own word ("nhwc"), or that for the order of the model. */
static const char *layout_word(const struct npart__plan *plan, bool is_native)
{
    return is_native ? plan->target.oplist->layout : "plain";
}

/* Of a value where it is made. */
static const char *layout_of(const struct npart__plan *plan, uint32_t value)
{
    return layout_word(plan, plan->cost.layouts.is_native[value]);
}

/* The size is that of the static shape; where one dim is not a number there is none. The layout is that of this
 * plan: where the value is made by the NPU in its own layout, users elsewhere need it converted. */
bool npart_plan_value(const npart_plan *handle, uint32_t value, struct npart_value_plan *out)
{
    if (!handle || value >= handle->plan.graph->values.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__layouts *layouts = &handle->plan.cost.layouts;
    const struct npart__fact *fact = npart__fact_of(handle->plan.session.inference, value);
    uint32_t user = layouts->converted_for[value];
    uint64_t elements, bytes = UINT64_MAX;
    if (fact->element_type && npart__static_elements(fact, &elements))
        bytes = npart__type_bytes(fact->element_type, elements);
    *out = (struct npart_value_plan){
        .size = sizeof *out,
        .is_constant = handle->plan.session.is_constant[value],
        .layout = layout_of(&handle->plan, value),
        .converted_to = user == NPART_NONE ? NULL : layout_word(&handle->plan, !layouts->is_native[value]),
        .converted_for = user == NPART__FOR_GRAPH ? NPART_NONE : user, /* the graph itself needs it, as an output */
        .has_bytes = bytes != UINT64_MAX,
        .bytes = bytes == UINT64_MAX ? 0 : bytes,
        .stands_for = handle->plan.session.stands_for[npart__value_at(handle->plan.graph, value)->alias],
    };
    return true;
}

/* ---- reasons ----------------------------------------------------------------------------------------------- */

/* Writes what a rule finds at a node, or where it is met what it looks at, and returns the
 * length of the whole. Asking a rule again reads elements, and so needs the lock of the
 * inference. An out-of-memory here fails this answer only. A found text is written by the same code that judged,
 * so it says what the rule saw. */
static size_t write_found(const npart_plan *handle, uint32_t rule, uint32_t node, bool is_met, char *found,
                          size_t bytes)
{
    const struct npart__plan *plan = &handle->plan;
    struct npart__note note;
    if (!found)
        return 0;
    npart__note_open(&note, &handle->life->arena.allocator);
    npart__lock(handle->inference);
    if (is_met)
        npart__append_seen(&plan->target, &plan->session, rule, node, &note.text);
    else
        (void)npart__rule_found(&plan->target, &plan->session, &plan->mask, rule, node, &note.text);
    note.text.failed |= npart__take_failure(plan->session.inference); /* before another thread may ask */
    note.text.failed |= npart__is_late(&note.arena);
    npart__unlock(handle->inference);
    return npart__note_close(&note, found, bytes);
}

/* All of a reason but what was found. Texts are the list's, which the plan keeps alive. `because` is "" where
 * the rule has no more to say, so that callers need not ask for NULL. */
static void put_reason(const struct npart__plan *plan, uint32_t rule, enum npart_outcome outcome,
                       struct npart_reason *out)
{
    const struct npart__rule *at = &plan->target.oplist->rules.items[rule];
    *out = (struct npart_reason){
        .size = sizeof *out,
        .rule = rule,
        .rule_id = at->id,
        .text = at->sentence,
        .because = at->because ? at->because : "",
        .standing = npart__rule_standing(plan->target.oplist, at),
        .source = at->source,
        .gate = npart__stage_word(plan->target.oplist, rule),
        .outcome = outcome,
    };
}

/* Reasons were gathered when the node was judged: rules that did not hold or could not be told, and notes that
 * apply. first_reason has one entry more than there are nodes, so the reasons of the last end there as those of
 * all others do. After them stands why the NPU does not run a node that is taken. */
bool npart_plan_reason(const npart_plan *handle, uint32_t node, uint32_t index, struct npart_reason *out, char *found,
                       size_t bytes)
{
    if (!handle || node >= handle->plan.graph->nodes.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__mask *mask = &handle->plan.mask;
    const struct npart__decided *decided = &handle->plan.decided;
    uint32_t count = mask->first_reason[node + 1] - mask->first_reason[node];
    if (index >= count + elsewhere_count(&handle->plan, node))
        return false;
    const struct npart__reason *at = index < count
                                         ? &mask->reasons.items[mask->first_reason[node] + index]
                                         : &decided->reasons.items[decided->first_reason[node] + index - count];
    const struct npart__rule *rule = &handle->plan.target.oplist->rules.items[at->rule];
    /* Rules that hold give no reason, so what is left is a note, a doubt, or a failure. */
    enum npart_outcome outcome = rule->kind == NPART_RULE_NOTE        ? NPART_OUTCOME_NOTE
                                 : rule->kind == NPART_RULE_ELSEWHERE ? NPART_OUTCOME_ELSEWHERE
                                 : at->truth == NPART__MAYBE           ? NPART_OUTCOME_UNKNOWN
                                 : rule->is_fatal                      ? NPART_OUTCOME_FAILS
                                                                       : NPART_OUTCOME_NOT_MET;
    put_reason(&handle->plan, at->rule, outcome, out);
    out->found_bytes = write_found(handle, at->rule, node, false, found, bytes);
    return true;
}

/* A `maybe` that does not hold says that nothing certain is known. A note holds or does not and
 * is never a failure. */
static enum npart_outcome outcome_of(const struct npart__rule *rule, enum npart__truth truth)
{
    if (rule->kind == NPART_RULE_NOTE)
        return truth == NPART__TRUE ? NPART_OUTCOME_NOTE : NPART_OUTCOME_NO_NOTE;
    if (truth == NPART__TRUE)
        return NPART_OUTCOME_MET;
    if (truth == NPART__MAYBE || rule->kind == NPART_RULE_MAYBE)
        return NPART_OUTCOME_UNKNOWN;
    if (rule->kind == NPART_RULE_ELSEWHERE)
        return NPART_OUTCOME_ELSEWHERE;
    return rule->is_fatal ? NPART_OUTCOME_FAILS : NPART_OUTCOME_NOT_MET;
}

/* All rules of a node one after the other, also those that are met: for --explain. The rule is
 * tried anew, with the values that it looked at. */
bool npart_plan_check(const npart_plan *handle, uint32_t node, uint32_t index, struct npart_reason *out, char *found,
                      size_t bytes)
{
    if (!handle || node >= handle->plan.graph->nodes.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__plan *plan = &handle->plan;
    uint32_t rule = npart__rule_of_node(&plan->target, plan->graph, node, index);
    if (rule == NPART_NONE || !npart__is_live(&plan->session, node))
        return false;
    npart__lock(handle->inference);
    /* With the lock given back between trying and writing: what another thread may read meanwhile is the same
     * elements. */
    enum npart__truth truth = npart__rule_found(&plan->target, &plan->session, &plan->mask, rule, node, NULL);
    npart__unlock(handle->inference);
    if (npart__is_late(&handle->life->arena))
        return false;
    const struct npart__rule *at = &plan->target.oplist->rules.items[rule];
    bool is_met = truth == NPART__TRUE || at->kind == NPART_RULE_NOTE;
    put_reason(plan, rule, outcome_of(at, truth), out);
    out->found_bytes = write_found(handle, rule, node, is_met, found, bytes);
    return true;
}

/* ---- partitions -------------------------------------------------------------------------------------------- */

/* A partition of unknown size has a part that is not known. */
void npart__add_compile_work(const npart_plan *plan, uint32_t partition, struct npart__compile_work *inout)
{
    const struct npart__partition *at = &plan->plan.partitioning.partitions.items[partition];
    const struct npart_bytes weights = plan->plan.memory.partitions[partition].weights;
    inout->partitions++;
    inout->nodes += at->member_count;
    inout->weight_bytes += (double)weights.bytes;
    inout->macs += (double)at->macs;
    inout->is_partial |= weights.is_partial || at->macs == NPART__WORK_UNKNOWN;
}

/* Ids of nodes and values, in lists of the plan. Lists without members have an address all the same; counts say
 * how many there are. All five lists lie in one array (partition.h), which is why each is told by where it
 * begins. A graph is the region whose nodes they are: a partition never reaches into the body of an If, Loop or
 * Scan. */
bool npart_plan_partition(const npart_plan *plan, uint32_t partition, struct npart_partition *out)
{
    if (!plan || partition >= plan->plan.partitioning.partitions.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__partition *at = &plan->plan.partitioning.partitions.items[partition];
    const uint32_t *lists = plan->plan.partitioning.lists.items;
    struct npart__compile_work work = {.is_partial = false};
    npart__add_compile_work(plan, partition, &work);
    *out = (struct npart_partition){
        .size = sizeof *out,
        .graph = at->region,
        .nodes = lists + at->first_member,
        .inputs = lists + at->first_input,
        .outputs = lists + at->first_output,
        .ends = lists + at->first_end,
        .cuts = lists + at->first_cut,
        .node_count = at->member_count,
        .input_count = at->input_count,
        .output_count = at->output_count,
        .end_count = at->end_count,
        .cut_count = at->cut_count,
        .has_macs = at->macs != NPART__WORK_UNKNOWN,
        .macs = at->macs == NPART__WORK_UNKNOWN ? 0 : at->macs,
        .weights = plan->plan.memory.partitions[partition].weights,
        .peak = plan->plan.memory.partitions[partition].peak,
        .fits_on_chip = (enum npart_fit)plan->plan.memory.partitions[partition].fits,
        .compile = npart__compile_range(&plan->plan.node_costs->rates, &work),
    };
    return true;
}

/* A boundary tensor; `from` or `to` is NPART_NONE for the CPU. A tensor that several partitions take is there
 * once for each. A size that is not known is told as such, and not as 0. */
bool npart_plan_crossing(const npart_plan *plan, uint32_t index, struct npart_crossing *out)
{
    if (!plan || index >= plan->plan.partitioning.crossings.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__crossing *at = &plan->plan.partitioning.crossings.items[index];
    *out = (struct npart_crossing){
        .size = sizeof *out,
        .value = at->value,
        .from = at->from,
        .to = at->to,
        .has_bytes = at->bytes != UINT64_MAX,
        .bytes = at->bytes == UINT64_MAX ? 0 : at->bytes,
        .layout = layout_of(&plan->plan, at->value),
    };
    return true;
}

/* Most callers never ask. Once found, fusions do not change, so the list is read without the lock. A struct of
 * another size is an error here and not false, as the result is a status. */
npart_status npart_plan_fusion(const npart_plan *plan, uint32_t index, struct npart_fusion *out,
                               struct npart_error *error)
{
    if (!plan || !NPART__HAS_ROOM(out))
        return plan ? npart__fail(error, NPART_ERROR_ARGUMENT, "", "the size of struct npart_fusion is not known")
                    : npart__fail_null("plan", error);
    struct npart__late *late = plan->late;
    npart__lock(plan->inference);
    if (!late->has_fusions)
        late->has_fusions = npart__find_fusions(&plan->plan, &plan->life->arena, &late->fusions);
    bool is_found = late->has_fusions;
    npart__unlock(plan->inference);
    if (!is_found)
        return npart__settle_for(plan->life, npart__fail_memory(error), error);
    if (index >= late->fusions.items.count)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there are %u fusions", late->fusions.items.count);
    *out = late->fusions.items.items[index];
    return NPART_OK;
}

/* ---- causes, and what to do -------------------------------------------------------------------------------- */

/* A cut point of the user's has no node whose rule could be asked, so nothing is found. `cpu_ms` is of all
 * affected nodes together. */
bool npart_plan_cause(const npart_plan *plan, uint32_t cause, struct npart_cause *out, char *found, size_t bytes)
{
    if (!plan || cause >= plan->plan.causes.items.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__causes *causes = &plan->plan.causes;
    const struct npart__cause *at = &causes->items.items[cause];
    bool is_found = at->cut_value == NPART_NONE && at->first_affected != NPART_NONE;
    if (!is_found)
        (void)npart__copy_out("", 0, found, bytes);
    *out = (struct npart_cause){
        .size = sizeof *out,
        .kind = (enum npart_cause_kind)at->about,
        .text = at->text,
        .rule = at->rule,
        .rule_id = plan->plan.target.oplist->rules.items[at->rule].id,
        .affected_count = at->affected_count,
        .cut_count = at->cut_count,
        .nodes = at->node_count ? causes->lists.items + at->first_node : NULL,
        .cuts = at->cut_count ? causes->lists.items + at->first_cut : NULL,
        .node_count = at->node_count,
        .first_affected = at->first_affected,
        .cut_value = at->cut_value,
        .is_fatal = at->failing_count > 0,
        .is_unknown = at->is_unknown,
        .cpu_ms = plan->plan.cause_ms[cause],
        .found_bytes = is_found ? write_found(plan, at->rule, at->first_affected, false, found, bytes) : 0,
        .root_rule = at->root_rule,
        .root_op = at->root_op,
        .root_text = at->root_text,
        .failing_count = at->failing_count,
    };
    return true;
}
