/* SPDX-License-Identifier: Apache-2.0
 *
 * If, Loop, Scan and SequenceMap: their bodies are inferred with what is known outside. A body's inputs get facts as if
 * a call passed them, its captures have theirs already, and the facts of its outputs become the node's.
 *
 * A Loop's carried value may change its shape from pass to pass. Where it does, the dim becomes a varying symbol, and
 * the body is inferred again until nothing changes:
 *
 *   concatenate one row a pass: [0,8] -> [1,8] differs in dim 0 -> [v,8] -> [v + 1,8], still v: done
 *
 * To ONNX Runtime less is known of a Loop than follows: see forget_shape.
 */
#include "infer/driver.h"
#include "infer/families.h"

/* The body that an attribute holds; NPART_NONE in a model that lacks it, of which nothing is inferred. Attribute type
 * 5 is a graph. */
static uint32_t body_of(const struct npart__call *call, const char *attribute_name)
{
    const struct npart__attribute *attribute = npart__node_attribute(call->graph, call->node, attribute_name);
    if (!attribute || attribute->type != NPART_ATTRIBUTE_GRAPH || attribute->u.scope >= call->graph->scopes.count)
        return NPART_NONE;
    return attribute->u.scope;
}

/* A fact without its elements: what it says of a value that is not the same in every pass. Its type and shape stay,
 * until a pass says otherwise. */
static struct npart__fact changing(const struct npart__fact *fact)
{
    struct npart__fact plain = *fact;
    plain.is_constant = plain.is_initializer = false;
    plain.known = NULL;
    plain.tensor = NULL;
    return plain;
}

/* What a body made is no initializer of the graph around it, even if it is a constant in the body. */
static void set_fact(struct npart__call *call, uint32_t output, const struct npart__fact *fact)
{
    struct npart__fact *out = npart__out(call, output);
    *out = *fact;
    out->is_constant = out->is_initializer = false;
}

/* ---- what a body makes ------------------------------------------------------------------------------------ */

/* Where the rank of a body's input was lost: before the node, or in the body, whose results come back in a Loop, or at
 * this node. Causes name that node as the root. The last `count` inputs of the node are those of the body. */
static uint32_t body_rank_lost_at(const struct npart__call *call, const struct npart__scope *body, uint32_t index,
                                  uint32_t count)
{
    const struct npart__inference *inference = call->inference;
    /* An If passes nothing to its bodies, so `count` is 0 there and no operand is found. */
    uint32_t first = call->node->input_count > count ? call->node->input_count - count : 0;
    uint32_t outer = npart__node_input(call->graph, call->node, first + index);
    /* Input 0 and 1 of a Loop's body are the iteration and the condition. */
    bool comes_back = call->row && call->row->infer == npart__infer_loop && index >= 2 && index <= body->output_count;
    uint32_t inner = comes_back ? call->graph->operands.items[body->first_output + index - 1] : NPART_NONE;
    if (outer != NPART_NONE && !inference->facts[outer].has_rank)
        return inference->rank_lost_at[outer];
    if (inner != NPART_NONE && !inference->facts[inner].has_rank && inference->rank_lost_at[inner])
        return inference->rank_lost_at[inner];
    return call->node_id + 1;
}

/* The facts of a body's values are those of the last pass: a Loop's body is inferred several times, each time from
 * what the pass before made of the carried values. `inputs` may be fewer than the body has; of the others only the
 * file's declarations are known. */
static npart_status infer_body(const struct npart__call *call, uint32_t scope, const struct npart__fact *const *inputs,
                               uint32_t count)
{
    struct npart__inference *inference = call->inference;
    const struct npart__scope *body = npart__scope_at(call->graph, scope);
    for (uint32_t i = 0; i < body->input_count; i++) {
        uint32_t value = call->graph->operands.items[body->first_input + i];
        struct npart__fact *fact = &inference->facts[value];
        memset(fact, 0, sizeof *fact);
        if (i < count && inputs[i])
            *fact = *inputs[i];
        /* Even if the caller passes a constant: in the next pass it may be another value. */
        fact->is_constant = fact->is_initializer = false;
        if (!inference->options.ignore_value_info)
            npart__merge_declared(inference, value);
        inference->rank_lost_at[value] = fact->has_rank ? 0 : body_rank_lost_at(call, body, i, count);
    }
    npart_status status = npart__infer_region(inference, scope);
    /* Symbols that come up from here on come from the node, not from the last one of its body. */
    inference->expressions.node = call->node_id;
    return status;
}

/* Past the last output of a body all is unknown: a node may have more outputs than its body gives. */
const struct npart__fact *npart__body_output(const struct npart__call *call, uint32_t scope, uint32_t index)
{
    const struct npart__scope *body = npart__scope_at(call->graph, scope);
    if (index >= body->output_count)
        return npart__in(call, UINT32_MAX);
    return &call->inference->facts[call->graph->operands.items[body->first_output + index]];
}

/* ---- If -------------------------------------------------------------------------------------------------- */

/* With a constant condition, the results of the branch that is taken; else what both branches agree on. then [2,8] and
 * else [4,8] give [v,8], where v varies: it is known that it has no one size. */
void npart__infer_if(struct npart__call *call)
{
    uint32_t branches[2] = {body_of(call, "then_branch"), body_of(call, "else_branch")};
    int64_t condition = npart__in_number(call, 0, NPART__UNKNOWN);
    if (branches[0] == NPART_NONE || branches[1] == NPART_NONE)
        return;
    /* Also the branch that is not taken, so that its values have facts. */
    for (int i = 0; i < 2; i++)
        if (infer_body(call, branches[i], NULL, 0) != NPART_OK)
            return;
    for (uint32_t i = 0; i < call->node->output_count; i++) {
        const struct npart__fact *yes = npart__body_output(call, branches[0], i),
                                 *no = npart__body_output(call, branches[1], i);
        if (npart__is_number(condition)) {
            set_fact(call, i, condition ? yes : no);
        } else {
            const struct npart__fact either = npart__merge_facts(call, yes, no, NPART_NONE);
            set_fact(call, i, &either);
        }
    }
}

/* ---- Loop ------------------------------------------------------------------------------------------------ */

/* The inputs of a body, as facts that are refined from pass to pass. */
struct inputs {
    uint32_t count;
    struct npart__fact *facts;
    const struct npart__fact **list; /* to each of them, as infer_body takes them */
};

/* Facts of nothing for all inputs; false when out of memory. */
static bool make_inputs(struct npart__call *call, struct inputs *inputs, uint32_t count)
{
    inputs->count = count;
    inputs->facts = npart__new_array(call, count, sizeof *inputs->facts);
    inputs->list = npart__new_array(call, count, sizeof *inputs->list);
    if (!inputs->facts || !inputs->list)
        return false;
    for (uint32_t i = 0; i < count; i++)
        inputs->list[i] = &inputs->facts[i];
    return true;
}

/* Infers the body once. Passes whose facts are not final are quiet, else they would report what the last one shows not
 * to be so; a loop inside of a quiet pass stays quiet. */
static bool pass_over(struct npart__call *call, uint32_t body, const struct inputs *inputs, bool is_quiet)
{
    bool was_quiet = call->inference->is_quiet;
    call->inference->is_quiet = was_quiet || is_quiet;
    call->inference->loop_depth++;
    npart_status status = infer_body(call, body, inputs->list, inputs->count);
    call->inference->loop_depth--;
    call->inference->is_quiet = was_quiet;
    return status == NPART_OK;
}

/* Merges what a pass made of the carried values into what it began with: dims that differ become symbols of the loop,
 * made from `own` on. False when nothing changed, which is when the facts hold for every pass. Body outputs from
 * `first_output` on belong to inputs from `first` on. */
static bool widen(struct npart__call *call, uint32_t body, struct inputs *inputs, uint32_t first,
                  uint32_t first_output, uint32_t own)
{
    bool changed = false;
    for (uint32_t i = first; i < inputs->count; i++) {
        const struct npart__fact *after = npart__body_output(call, body, first_output + i - first);
        struct npart__fact merged = npart__merge_facts(call, &inputs->facts[i], after, own);
        changed |= !npart__same_type(&inputs->facts[i], &merged);
        inputs->facts[i] = merged;
    }
    return changed;
}

/* Passes over the body until the carried values keep their types. Findings are made in the last pass only. Loops in
 * loops get half as many passes a level, as their numbers multiply; where those do not suffice, nothing is said of
 * the shapes. The last pass comes after the facts are final, since the body's own values must have been inferred from
 * those. */
static bool iterate(struct npart__call *call, uint32_t body, struct inputs *inputs, uint32_t first,
                    uint32_t first_output)
{
    unsigned depth = call->inference->loop_depth;
    /* 4 passes outside, then 2, 1 and none. Past 8 levels the shift is not asked, as one by 32 would be undefined. */
    unsigned passes = depth < 8 ? (unsigned)NPART__MOST(call->inference->graph->limits, LOOP_PASSES) >> depth : 0;
    /* Symbols that come up from here on are of this loop. */
    uint32_t own = call->pool->symbols.count;
    bool changed = true;
    for (unsigned pass = 0; changed && pass < passes; pass++) {
        if (!pass_over(call, body, inputs, true))
            return false;
        changed = widen(call, body, inputs, first, first_output, own);
    }
    for (uint32_t i = first; changed && i < inputs->count; i++) { /* who knows what else would change */
        inputs->facts[i].has_rank = false;
        inputs->facts[i].rank = 0;
        inputs->facts[i].element = NULL;
        inputs->facts[i].items = NULL;
    }
    return pass_over(call, body, inputs, false);
}

/* A tensor of rank 0, as iteration number and condition are. */
static struct npart__fact scalar(int element_type)
{
    static const int64_t no_dims[1] = {0};
    return (struct npart__fact){
        .kind = NPART__TYPE_TENSOR, .element_type = (uint8_t)element_type, .has_rank = true, .dims = no_dims};
}

/* Slices of this fact, stacked along a new axis: [3,4] at axis 0 with length 10 is [10,3,4]. An axis that is none of
 * the result's leaves it without a rank. */
static struct npart__fact stacked(struct npart__call *call, const struct npart__fact *slice, int64_t axis,
                                  int64_t length)
{
    struct npart__fact fact = changing(slice);
    uint32_t place;
    /* Until it is known to have one. */
    fact.has_rank = false;
    if (!slice->has_rank || !npart__normalize_axis(axis, slice->rank + 1u, &place))
        return fact;
    if (length == NPART__UNKNOWN)
        length = npart__fresh_symbol(call->pool);
    fact.dims = npart__splice_dims(call, slice, place, 0, &length, 1);
    fact.has_rank = fact.dims != NULL;
    fact.rank = (uint16_t)(fact.dims ? slice->rank + 1 : 0);
    return fact;
}

/* Of the condition that a body makes. */
static bool is_known_true(const struct npart__call *call, const struct npart__fact *condition)
{
    /* Reading is remembered in the fact; here that of the copy, as the body's own is not ours to change. */
    struct npart__fact fact = *condition;
    const struct npart__known *known = npart__elements(call->inference, &fact);
    return known && known->count == 1 && known->ints && npart__is_number(known->ints[0]) && known->ints[0] != 0;
}

/* How often the body runs: the trip count where no condition can end it early, else unknown. A negative count is 0
 * runs. Without a condition ONNX does not look at what the body makes of it; ONNX Runtime does. */
static int64_t trip_count(struct npart__call *call, uint32_t body)
{
    int64_t trips = npart__in_number(call, 0, NPART__UNKNOWN);
    bool begins = npart__in_number(call, 1, 1) == 1;
    if (trips == NPART__UNKNOWN || !begins || !is_known_true(call, npart__body_output(call, body, 0)))
        return NPART__UNKNOWN;
    return npart__maximum(call->pool, trips, 0);
}

/* To ONNX Runtime a carried value may have any shape: it knows those that the body declares, none of the results, and
 * not how often the body runs (onnx/defs/controlflow/utils.cc; asked of onnxruntime 1.31.1 with 20 Loops of 5
 * opsets). */
static void forget_shape(const struct npart__call *call, struct npart__fact *fact)
{
    if (!call->inference->policy->is_partial || fact->kind != NPART__TYPE_TENSOR)
        return;
    fact->has_rank = false;
    fact->rank = 0;
    fact->dims = NULL;
}

/* Inputs: trip count, condition, carried values. Body: iteration, condition, carried -> condition, carried, scans. What
 * a pass adds to a scan output is stacked: 10 passes that give float32[3] make float32[10,3]. */
void npart__infer_loop(struct npart__call *call)
{
    static const int64_t one[] = {1};
    static const struct npart__known is_true = {.count = 1, .ints = one};
    uint32_t body = body_of(call, "body"), carried = call->node->input_count > 2 ? call->node->input_count - 2 : 0;
    struct inputs inputs;
    if (body == NPART_NONE || !make_inputs(call, &inputs, carried + 2))
        return;
    /* Iteration number and condition. */
    inputs.facts[0] = scalar(NPART__INT64);
    inputs.facts[1] = scalar(NPART__BOOL);
    inputs.facts[1].known = &is_true; /* else the body would not run */
    for (uint32_t i = 0; i < carried; i++) {
        inputs.facts[i + 2] = changing(npart__in(call, i + 2));
        forget_shape(call, &inputs.facts[i + 2]);
    }
    if (!iterate(call, body, &inputs, 2, 1))
        return;
    /* A runtime's own inference does not say how often the body runs. */
    int64_t trips = call->inference->policy->is_partial ? NPART__UNKNOWN : trip_count(call, body);
    for (uint32_t i = 0; i < call->node->output_count; i++) {
        if (i < carried) {
            set_fact(call, i, &inputs.facts[i + 2]);
            forget_shape(call, npart__out(call, i));
            continue;
        }
        /* Body output 0 is the condition, so outputs of the node are one place further in the body. Scans are stacked
         * along axis 0. */
        const struct npart__fact all = stacked(call, npart__body_output(call, body, i + 1), 0, trips);
        set_fact(call, i, &all);
    }
}

/* ---- Scan ------------------------------------------------------------------------------------------------ */

/* Axes of scans are 0 where no list says otherwise. */
static int64_t listed_axis(const int64_t *list, uint32_t count, uint32_t index)
{
    return list && index < count ? list[index] : 0;
}

/* A fact without one of its axes: [10,3,4] without axis 0 is [3,4]. *length becomes that axis' size, unless it is a
 * number already: all sequences of a Scan are equally long, so the one that is known counts. */
static struct npart__fact without_axis(struct npart__call *call, const struct npart__fact *fact, int64_t axis,
                                       int64_t *length)
{
    struct npart__fact slice = changing(fact);
    uint32_t place;
    slice.has_rank = false;
    slice.rank = 0;
    if (!fact->has_rank || !npart__normalize_axis(axis, fact->rank, &place))
        return slice;
    if (!npart__is_number(*length))
        *length = fact->dims[place];
    slice.dims = npart__splice_dims(call, fact, place, 1, NULL, 0);
    slice.has_rank = slice.dims != NULL;
    slice.rank = (uint16_t)(slice.dims ? fact->rank - 1 : 0);
    return slice;
}

/* Opset 8 runs the body for each sequence of a batch: all operands have the batch first, which the body does not
 * see, and input 0 holds the sequences' lengths. */
struct scan {
    uint32_t body, first; /* the first state among the inputs */
    uint32_t states, sequences;
    bool has_batch;
    int64_t batch, length; /* NPART__UNKNOWN until an operand tells */
};

/* Which inputs are states and which are sequences: num_scan_inputs counts the latter, which come last. False where it
 * counts more than there are. */
static bool read_scan(struct npart__call *call, struct scan *scan)
{
    int64_t sequences = npart__int_attribute(call, "num_scan_inputs", 0);
    *scan = (struct scan){.body = body_of(call, "body"), .batch = NPART__UNKNOWN, .length = NPART__UNKNOWN};
    scan->has_batch = call->row->parameter != 0;
    scan->first = scan->has_batch ? 1 : 0;
    if (scan->body == NPART_NONE || sequences < 0 || call->node->input_count < scan->first ||
        sequences > call->node->input_count - scan->first)
        return false;
    scan->sequences = (uint32_t)sequences;
    scan->states = call->node->input_count - scan->first - scan->sequences;
    return true;
}

/* States come out as they went in, unless the body changes their shape; sequences are stacked along
 * scan_output_axes. */
static void set_scan_outputs(struct npart__call *call, const struct scan *scan, const struct inputs *inputs)
{
    uint32_t axis_count;
    const int64_t *axes = npart__ints_attribute(call, "scan_output_axes", &axis_count);
    for (uint32_t i = 0; i < call->node->output_count; i++) {
        const struct npart__fact *made = npart__body_output(call, scan->body, i);
        struct npart__fact fact =
            i < scan->states ? npart__merge_facts(call, &inputs->facts[i], made, NPART_NONE)
                             : stacked(call, made, listed_axis(axes, axis_count, i - scan->states), scan->length);
        /* The body makes one sequence's results, of which there are as many as the batch. */
        if (scan->has_batch)
            fact = stacked(call, &fact, 0, scan->batch);
        set_fact(call, i, &fact);
    }
}

/* Inputs: states, then sequences of which the body sees one slice a time. A running sum over 10 rows:
 *
 *   state [4], sequence [10,4]  ->  body [4] [4]  ->  state [4], sequence [10,4] */
void npart__infer_scan(struct npart__call *call)
{
    struct scan scan;
    struct inputs inputs;
    uint32_t axis_count;
    const int64_t *axes = npart__ints_attribute(call, "scan_input_axes", &axis_count);
    if (!read_scan(call, &scan) || !make_inputs(call, &inputs, scan.states + scan.sequences))
        return;
    for (uint32_t i = 0; i < inputs.count; i++) {
        struct npart__fact fact = changing(npart__in(call, scan.first + i));
        if (scan.has_batch)
            fact = without_axis(call, &fact, 0, &scan.batch);
        if (i >= scan.states)
            fact = without_axis(call, &fact, listed_axis(axes, axis_count, i - scan.states), &scan.length);
        inputs.facts[i] = fact;
    }
    if (pass_over(call, scan.body, &inputs, false))
        set_scan_outputs(call, &scan, &inputs);
}

/* ---- SequenceMap ----------------------------------------------------------------------------------------- */

/* The body sees one element of each sequence, and the tensors as they are. */
void npart__infer_sequence_map(struct npart__call *call)
{
    uint32_t body = body_of(call, "body");
    struct inputs inputs;
    if (body == NPART_NONE || !make_inputs(call, &inputs, call->node->input_count))
        return;
    for (uint32_t i = 0; i < inputs.count; i++) {
        const struct npart__fact *in = npart__in(call, i);
        /* A sequence of which no element is known leaves the body's input unknown. */
        if (in->kind != NPART__TYPE_SEQUENCE)
            inputs.facts[i] = changing(in);
        else if (in->element)
            inputs.facts[i] = changing(in->element);
    }
    if (!pass_over(call, body, &inputs, false))
        return;
    for (uint32_t i = 0; i < call->node->output_count; i++) {
        struct npart__fact element = changing(npart__body_output(call, body, i));
        npart__set_container(call, i, NPART__TYPE_SEQUENCE, &element);
    }
}
