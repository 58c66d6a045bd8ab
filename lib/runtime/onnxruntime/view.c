/* SPDX-License-Identifier: Apache-2.0
 *
 * What ONNX Runtime knows where it folds nothing, and of what it does not fold where it does; and the policies that say
 * so to inference.
 *
 * Of shapes: what the standard's inference functions say, some of which give up where a parameter is not known although
 * the rank, or some of the dims, do not depend on it.
 *
 * Of integer elements: initializers, and what its data propagation hands on. It keeps either a list (of a tensor of
 * rank 1) or a single number (of rank 0), all of them numbers, and initializers are no part of it: a sum of a
 * propagated number and a constant is not followed.
 *
 * Modelled on onnxruntime/core/graph/graph.cc and data_propagation/, and on the inference functions and
 * PartialDataPropagationFunctions of onnx/defs.
 */
#include "infer/families.h"
#include "onnxruntime/view.h"

/* ---- shapes ---------------------------------------------------------------------------------------------- */

enum loss { TYPE, RANK, DIMS };

/* Of operands bit i is operand i. */
static const struct need {
    const char *ops;
    uint8_t loss; /* enum loss */
    uint16_t elements, ranks, dims, window, absent;
    uint8_t before, from, newer;
} needs[] = {
#define NEED(ops, loss, ...) {ops, loss, __VA_ARGS__},
#include "onnxruntime/inference.def"
};

/* ALL stands for operands past the sixteenth, too. */
static bool in_mask(uint16_t mask, uint32_t operand)
{
    return mask == ALL || (operand < 16 && mask >> operand & 1);
}

/* Whether the spatial dims of weights are numbers: the size of the window. Axes 0 and 1 are the channels.
 * Without a rank there is no window. */
static bool has_window(const struct npart__fact *fact)
{
    for (uint32_t i = 2; fact->has_rank && i < fact->rank; i++)
        if (!npart__is_number(fact->dims[i]))
            return false;
    return fact->has_rank;
}

static bool is_newer(const struct npart__call *call, const struct need *need)
{
    return need->newer && call->inference->policy->is_onnx && call->node->opset_version >= need->newer;
}

/* An operand that is left out lacks nothing. A need that asks for nothing is never met. Elements last, as they
 * may have to be read. {"Pad", DIMS, .elements = 2} asks for the elements of operand 1. Where the pads are made
 * by a node that is not followed, npart__elements gives none, and the Pad keeps its rank and loses its dims. */
static bool is_met(const struct npart__call *call, const struct need *need)
{
    uint32_t count;
    bool has_kernel = need->window && npart__ints_attribute(call, "kernel_shape", &count);
    if (!(need->elements | need->ranks | need->dims | need->window | need->absent))
        return false;
    for (uint32_t i = 0; i < call->node->input_count; i++) {
        struct npart__fact *in = npart__in(call, i);
        if (!npart__has_input(call, i))
            continue;
        if (in_mask(need->absent, i) || (in_mask(need->ranks, i) && !in->has_rank) ||
            (in_mask(need->dims, i) && !npart__is_static(in)) ||
            (in_mask(need->window, i) && !has_kernel && !has_window(in)) ||
            (in_mask(need->elements, i) && !npart__elements(call->inference, in)))
            return false;
    }
    return true;
}

bool npart__names_unknown_results(const struct npart__graph *graph, const struct npart__node *node)
{
    const struct npart__operator *schema = node->schema;
    bool is_named = false;
    if (node->output_count <= 1) /* the first is always known */
        return false;
    for (size_t i = 0; i < NPART__COUNT(needs) && !is_named; i++) {
        const struct need *need = &needs[i];
        bool is_asked = need->elements | need->ranks | need->dims | need->window | need->absent;
        if (need->loss != TYPE || is_asked || need->from == 0 || !npart__lists_word(need->ops, schema->name) ||
            (need->before && schema->since >= need->before))
            continue;
        for (uint32_t k = need->from; k < node->output_count; k++)
            is_named |= npart__node_output(graph, node, k) != NPART_NONE;
    }
    return is_named;
}

/* Elements go with any loss: what has no known dims has no known elements to a runtime. A session knows at least
 * the type, so TYPE takes away no more than the rank there. */
static void lose_output(const struct npart__call *call, uint32_t output, enum loss loss)
{
    struct npart__fact *out = npart__out(call, output);
    if (loss == TYPE && call->inference->policy->is_onnx) {
        *out = (struct npart__fact){.kind = NPART__TYPE_UNKNOWN};
    } else if (out->kind == NPART__TYPE_TENSOR && loss == DIMS && out->has_rank) {
        npart__set_rank(call, output, out->rank);
    } else if (out->kind == NPART__TYPE_TENSOR) {
        out->has_rank = false;
        out->rank = 0;
        out->dims = NULL;
    }
    out->known = NULL;
}

/* From `first` on, as some operators know their first result only. */
static void lose(const struct npart__call *call, uint32_t first, enum loss loss)
{
    for (uint32_t i = first; i < call->node->output_count; i++)
        lose_output(call, i, loss);
}

/* Only the dims that are marked. */
static void lose_some_dims(const struct npart__call *call, uint32_t output, const bool *is_lost)
{
    struct npart__fact *out = npart__out(call, output);
    int64_t *dims = out->kind == NPART__TYPE_TENSOR && out->has_rank ? npart__new_dims(call, out->rank) : NULL;
    for (uint32_t i = 0; dims && i < out->rank; i++)
        dims[i] = is_lost[i] ? NPART__UNKNOWN : out->dims[i];
    if (dims)
        npart__set_dims(call, output, out->rank, dims);
}

/* What the standard says of sizes otherwise (SPECIAL of inference.def); true where there is no more to say. */

/* Whether the node's axis is a dynamic dimension; `otherwise` is the default of the attribute. Neither an axis
 * that is out of range nor a rank that is not known is one. */
static bool has_open_axis(const struct npart__call *call, int64_t otherwise, uint32_t *axis)
{
    const struct npart__fact *in = npart__in(call, 0);
    return in->has_rank && npart__normalize_axis(npart__int_attribute(call, "axis", otherwise), in->rank, axis) &&
           !npart__is_number(in->dims[*axis]);
}

/* Along a dim that is no number the standard asks for no sizes of the parts, and says none, also where they are
 * listed. For instance a Split of [`n`,8] along axis 0 into [2,3] gives two results of [?,8], where the parts
 * would be 2 and 3. */
static bool view_split(const struct npart__call *call)
{
    bool is_lost[NPART__LIMIT_RANK] = {false};
    uint32_t axis;
    if (!has_open_axis(call, 0, &axis))
        return false;
    is_lost[axis] = true;
    for (uint32_t i = 0; i < call->node->output_count; i++)
        lose_some_dims(call, i, is_lost);
    return true;
}

/* Whether an axis is counted from the end in a version of the operator before the one that allows it. ONNX Runtime's
 * kernels count so all the same. */
static bool has_early_negative(const struct npart__call *call, int since, const char *name)
{
    const struct npart__attribute *attribute = npart__node_attribute(call->graph, call->node, name);
    if (!attribute || !call->node->schema || call->node->schema->since >= since)
        return false;
    if (attribute->type == NPART_ATTRIBUTE_INT)
        return attribute->u.i < 0;
    for (uint32_t i = 0; attribute->type == NPART_ATTRIBUTE_INTS && !attribute->is_elided && i < attribute->count; i++)
        if (attribute->u.ints[i] < 0)
            return true;
    return false;
}

/* torch.cat(dim=-1) of old exporters: the standard's inference gives up. */
static bool view_concat(const struct npart__call *call)
{
    if (has_early_negative(call, 11, "axis"))
        lose(call, 0, RANK);
    return false;
}

/* A Slice of a dim that is no number has no known size: [`n`,4] with [0:1] has 1 row to us, and an unknown number of
 * them to the standard's inference; and one along an axis from the end none at all, in its first version. */
static bool view_slice(const struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0), *out = npart__out(call, 0);
    bool is_lost[NPART__LIMIT_RANK] = {false}, is_any = false;
    if (has_early_negative(call, 10, "axes"))
        lose(call, 0, DIMS);
    for (uint32_t i = 0; in->has_rank && out->has_rank && out->rank == in->rank && i < in->rank; i++) {
        is_lost[i] = !npart__is_number(in->dims[i]) && npart__is_number(out->dims[i]);
        is_any |= is_lost[i];
    }
    if (is_any)
        lose_some_dims(call, 0, is_lost);
    return false;
}

/* Along a dim that is no number the standard says nothing of any size. For instance TopK of [`n`,8] along axis
 * 0: the other axis is lost, too. Its needs are asked all the same. */
static bool view_top(const struct npart__call *call)
{
    uint32_t axis;
    if (has_open_axis(call, -1, &axis))
        lose(call, 0, DIMS);
    return false;
}

/* Of a Reshape the standard works out the -1 as a number only: [`n`,4,8] to [-1,32] has `n` rows to us, and an unknown
 * number of them to it. */
static bool view_reshape(const struct npart__call *call)
{
    const struct npart__fact *out = npart__out(call, 0);
    const struct npart__known *target = npart__elements(call->inference, npart__in(call, 1));
    bool is_lost[NPART__LIMIT_RANK] = {false}, is_any = false;
    for (uint32_t i = 0; target && target->ints && out->has_rank && i < out->rank && i < target->count; i++) {
        is_lost[i] = target->ints[i] == -1 && !npart__is_number(out->dims[i]);
        is_any |= is_lost[i];
    }
    if (is_any)
        lose_some_dims(call, 0, is_lost);
    return false;
}

/* ArrayFeatureExtractor: of a vector the standard says nothing. */
static bool view_extractor(const struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    if (in->has_rank && in->rank == 1)
        lose(call, 0, RANK);
    return false;
}

/* The runtime moves a Transpose only where it can move it past all its users. */
static const struct npart__node *moved_transpose(const struct npart__call *call, uint32_t value)
{
    const struct npart__graph *graph = call->graph;
    const struct npart__infer_policy *policy = call->inference->policy;
    uint32_t maker = npart__producer(graph, value);
    if (!policy->computes || policy->release == NPART__RELEASE_OWN || call->node_id >= graph->first_late_node ||
        maker == NPART_NONE || npart__node_at(graph, maker)->domain != 0 ||
        !npart__node_plays(graph, npart__node_at(graph, maker), NPART__ROLE_REORDERS_AXES) ||
        npart__value_at(graph, value)->is_graph_output)
        return NULL;
    const struct npart__value *moved = npart__value_at(graph, value);
    for (uint32_t i = 0; i < moved->consumer_count; i++) {
        const struct npart__node *user = npart__node_at(graph, graph->consumers[moved->first_consumer + i]);
        if (!npart__node_plays(graph, user, NPART__ROLE_TURNS))
            return NULL;
    }
    return npart__node_at(graph, maker);
}

/* The Shape of what a Transpose makes becomes a Gather, by the order of its axes, from the Shape before it
 * (transpose_optimization, HandleShape). So its length is known where the rank is not. */
static bool view_shape(const struct npart__call *call)
{
    const struct npart__node *transpose = moved_transpose(call, npart__node_input(call->graph, call->node, 0));
    const struct npart__attribute *order =
        transpose ? npart__node_attribute(call->graph, transpose, "perm") : NULL;
    if (!order || order->type != NPART_ATTRIBUTE_INTS || npart__in(call, 0)->has_rank)
        return false;
    int64_t rank = order->count, start = npart__int_attribute(call, "start", 0);
    int64_t end = npart__int_attribute(call, "end", rank);
    start = start < -rank ? 0 : start < 0 ? start + rank : start > rank ? rank : start;
    end = end < -rank ? 0 : end < 0 ? end + rank : end > rank ? rank : end;
    int64_t *dims = npart__new_dims(call, 1);
    if (dims) {
        *dims = end > start ? end - start : 0;
        npart__set_dims(call, 0, 1, dims);
    }
    return false;
}

/* StringNormalizer: the standard says nothing of the size of the last axis. */
static bool view_normalizer(const struct npart__call *call)
{
    for (uint32_t i = 0; i < call->node->output_count; i++) {
        const struct npart__fact *out = npart__out(call, i);
        bool is_lost[NPART__LIMIT_RANK] = {false};
        if (!out->has_rank || out->rank == 0)
            continue;
        is_lost[out->rank - 1] = true;
        lose_some_dims(call, i, is_lost);
    }
    return false;
}

/* The standard takes the hidden size from the attribute alone; without that it is unknown, though the weights
 * would tell. It is the last axis of each result, as StringNormalizer's is. */
static bool view_recurrent(const struct npart__call *call)
{
    return !npart__int_attribute(call, "hidden_size", 0) && view_normalizer(call);
}

/* Whether a past is there as [batch, heads, length, size]. */
static bool is_sized_past(const struct npart__call *call, uint32_t operand)
{
    const struct npart__fact *past = npart__in(call, operand);
    return npart__has_input(call, operand) && past->has_rank && past->rank == 4;
}

/* What the standard's Attention keeps for the next step is as the past is, longer; without a past nothing is
 * said. The lengths must be numbers: a sum of symbols is none that it makes. Operands are query, key, value,
 * mask, past_key and past_value; results 1 and 2 are the presents. A past of [1,8,16,64] and values of
 * [1,8,1,64] give [1,8,17,64]. */
static bool view_presents(const struct npart__call *call)
{
    const struct npart__fact *past = npart__in(call, 4), *added = npart__in(call, 2);
    uint32_t length_axis = added->has_rank && added->rank > 2 ? added->rank - 2 : 0;
    int64_t length = NPART__UNKNOWN;
    bool is_told = npart__in(call, 0)->has_rank && is_sized_past(call, 4) && is_sized_past(call, 5) && length_axis &&
                   npart__is_number(past->dims[2]) && npart__is_number(added->dims[length_axis]) &&
                   npart__add_int64(past->dims[2], added->dims[length_axis], &length);
    for (uint32_t i = 1; i < 3 && i < call->node->output_count; i++) {
        int64_t *dims = is_told ? npart__new_dims(call, 4) : NULL;
        if (!dims) {
            lose_output(call, i, npart__has_input(call, 3 + i) ? RANK : TYPE);
            continue;
        }
        /* Batch, heads and size are the past's. */
        memcpy(dims, npart__in(call, 3 + i)->dims, 4 * sizeof *dims);
        dims[2] = length;
        npart__set_dims(call, i, 4, dims);
    }
    return false;
}

/* NonZero: the standard says how many axes there are, whatever it reads; never how many are found. */
static bool view_count(const struct npart__call *call)
{
    struct npart__fact *out = npart__out(call, 0);
    int64_t *dims = out->has_rank && out->rank == 2 ? npart__new_dims(call, 2) : NULL;
    if (!dims)
        return false;
    dims[0] = out->dims[0];
    dims[1] = NPART__UNKNOWN;
    npart__set_dims(call, 0, 2, dims);
    out->known = NULL;
    return false;
}

static const struct special {
    const char *ops;
    bool (*view)(const struct npart__call *call);
} specials[] = {
#define SPECIAL(ops, function) {ops, view_##function},
#include "onnxruntime/inference.def"
};

/* A special function of an operator comes before its needs, and may be all that is to say. `from` and `before` are
 * the row's: what an older version lost a newer one may know. */
static void view_shapes(const struct npart__call *call)
{
    const uint8_t *rows = call->policy_rows;
    if (rows[NPART__ROW_SPECIAL] && specials[rows[NPART__ROW_SPECIAL] - 1].view(call))
        return;
    for (size_t i = rows[NPART__ROW_FIRST_NEED]; i < rows[NPART__ROW_END_NEED]; i++)
        if ((!needs[i].before || call->node->opset_version < needs[i].before) && !is_newer(call, &needs[i]) &&
            !is_met(call, &needs[i]))
            lose(call, needs[i].from, (enum loss)needs[i].loss);
}

/* The attention operators of com.microsoft: what is kept for the next step has a size only where the past has
 * one, as a number, and the scores (output 3) never have. `parameter` of the row is the operand of the past; 0:
 * the operator has none. Packed keys and values are one operand of five axes, of which the fourth is the length;
 * else each has four axes and the third is. */
static void view_attention(const struct npart__call *call)
{
    bool is_packed = call->row && call->row->infer == npart__infer_contrib_attention;
    if (!is_packed && !(call->row && call->row->infer == npart__infer_multi_head_attention))
        return;
    uint32_t at = (uint32_t)call->row->parameter, axis = is_packed ? 3 : 2;
    const struct npart__fact *past = npart__in(call, at), *added = npart__in(call, is_packed ? 0 : 2);
    bool has_past = at && npart__has_input(call, at) && past->has_rank && past->rank == axis + 2;
    bool has_size = has_past && npart__is_number(past->dims[axis]) && added->has_rank && added->rank == 3 &&
                    npart__is_number(added->dims[1]) && !npart__int_attribute(call, "past_present_share_buffer", 0);
    for (uint32_t i = 1; i < call->node->output_count; i++)
        if (!has_size || i > 2)
            lose_output(call, i, RANK);
}

/* A session keeps of what nodes infer the shapes of tensors (graph.cc, InferAndVerifyTypeMatch): a sequence that a node
 * makes has elements of a type and of no shape, and so has what SequenceAt and ConcatFromSequence take from it. One of
 * an input or of value_info has the shapes that the file gives. */
static void view_sequences(const struct npart__call *call)
{
    for (uint32_t i = 0; i < call->node->output_count; i++) {
        struct npart__fact *out = npart__out(call, i);
        if (out->kind != NPART__TYPE_SEQUENCE || !out->element || call->inference->policy->is_onnx)
            continue;
        struct npart__fact *element = npart__arena_zeroed(call->arena, 1, sizeof *element);
        call->pool->failed |= !element;
        if (element)
            *element = (struct npart__fact){.kind = out->element->kind, .element_type = out->element->element_type};
        out->element = element;
        out->items = NULL;
    }
}

/* ---- sizes of constants ---------------------------------------------------------------------------------- */

/* The file may give what inference does not say: then the node can be measured. A type without a shape gives
 * nothing, nor does a dim that is a name. */
static bool is_declared_static(const struct npart__call *call, uint32_t value)
{
    const struct npart__declared_type *declared = npart__value_at(call->graph, value)->declared;
    if (call->inference->options.ignore_value_info || !declared || !declared->has_rank)
        return false;
    for (uint32_t i = 0; i < declared->rank; i++)
        if (declared->dims[i].value < 0)
            return false;
    return true;
}

/* Outside the standard ONNX Runtime trusts only these to make the same of the same (optimizer/utils.cc,
 * IsOperationDeterministic). By the name of the operator, whatever the domain is. */
static bool is_trusted(const struct npart__call *call, const char *op)
{
    return call->node->domain == 0 || npart__op_plays(op, NPART__ROLE_QUANTIZES) ||
           npart__op_plays(op, NPART__ROLE_DEQUANTIZES);
}

/* Nor does a newer release compute a node ahead whose results it cannot measure before (constant_folding.cc,
 * EstimateNodeOutputSizeInBytes). NonZero and Compress of constants stay in the graph, and all that stands on them. */
static bool is_measured(const struct npart__call *call)
{
    const char *op = npart__node_op(call->graph, call->node);
    if (!is_trusted(call, op))
        return false;
    if (!npart__measures(call->inference->policy->release))
        return true;
    if (npart__op_plays(op, NPART__ROLE_MEASURED_BY_OPERAND))
        return npart__is_static(npart__in(call, 0));
    for (uint32_t i = 0; i < call->node->output_count; i++) {
        uint32_t value = npart__node_output(call->graph, call->node, i);
        const struct npart__fact *out = npart__out(call, i);
        bool is_counted = npart__op_plays(op, NPART__ROLE_NEVER_MEASURED);
        bool is_static = out->kind == NPART__TYPE_TENSOR && npart__is_static(out) && !is_counted;
        if (value != NPART_NONE && !is_static && !is_declared_static(call, value))
            return false;
    }
    return true;
}

/* ---- elements -------------------------------------------------------------------------------------------- */

enum rule { SHAPE, SIZE, GATHER, SQUEEZE, UNSQUEEZE, COPY, CONCAT, SUM, RATIO };

/*   Shape [2,128] -> list (2, 128) -> Gather by constant 1 -> single 128 -> Unsqueeze -> list (128) -> Concat */
static const struct propagation {
    const char *ops;
    uint8_t rule;
    uint8_t since;
} propagations[] = {
#define PROPAGATES(ops, rule, since) {ops, rule, since},
#include "onnxruntime/inference.def"
};

/* What was folded is an initializer, too; nodes that were inlined after that are not folded. Without a policy
 * that computes, only what is stored is one: initializers and Constants. */
static bool is_initializer(const struct npart__call *call, const struct npart__fact *fact, uint32_t value)
{
    if (fact->is_initializer || !call->inference->policy->computes || !fact->is_constant)
        return fact->is_initializer;
    uint32_t producer = npart__producer(call->graph, value);
    return producer == NPART_NONE || producer < call->graph->first_late_node;
}

static bool takes_initializer(const struct npart__call *call, uint32_t index)
{
    return is_initializer(call, npart__in(call, index), npart__node_input(call->graph, call->node, index));
}

/* Elements that the runtime reads from a stored tensor. */
static const struct npart__known *initializer_of(const struct npart__call *call, uint32_t index)
{
    return takes_initializer(call, index) ? npart__elements(call->inference, npart__in(call, index)) : NULL;
}

/* Elements that the runtime has by propagation, of which initializers are no part. */
static const struct npart__known *propagated(const struct npart__call *call, uint32_t index)
{
    const struct npart__fact *fact = npart__in(call, index);
    return takes_initializer(call, index) || !fact->known || !fact->known->ints ? NULL : fact->known;
}

/* A list is of a tensor of rank 1, a single number of rank 0 or of one element. So a tensor of one element and
 * rank 1 may be either, as the runtime takes it. */
static bool is_list(const struct npart__call *call, uint32_t index)
{
    return propagated(call, index) && npart__in(call, index)->rank == 1;
}

static bool is_single(const struct npart__call *call, uint32_t index)
{
    const struct npart__known *known = propagated(call, index);
    return known && known->count == 1 && npart__in(call, index)->rank <= 1;
}

static bool all_are_lists(const struct npart__call *call)
{
    for (uint32_t i = 0; i < call->node->input_count; i++)
        if (!is_list(call, i))
            return false;
    return true;
}

/* One element by a constant index, or several by a propagated list of them. */
static bool gathers(const struct npart__call *call)
{
    const struct npart__known *index = initializer_of(call, 1);
    return is_list(call, 0) && ((index && index->count == 1) || is_list(call, 1));
}

/* ONNX Runtime multiplies the elements of a list where it should count them. The Size of a list (2, 3) is 6 to
 * it, and 2 by the standard. Sizes after such a node are wrong in the runtime as they are here. A product that
 * overflows is not known. */
static void measure(const struct npart__call *call)
{
    const struct npart__known *known = is_list(call, 0) ? propagated(call, 0) : NULL;
    npart__out(call, 0)->known = NULL;
    if (!known || known->count == 0)
        return;
    int64_t *product = npart__new_ints(call, 1);
    if (!product)
        return;
    *product = 1;
    for (uint32_t i = 0; i < known->count; i++)
        if (!npart__multiply_int64(*product, known->ints[i], product))
            return;
    npart__set_ints(call, 0, product, 1);
}

/* Whether the runtime follows the elements of this result. Size sets elements of its own: see measure.
 * `lists` is true of Concat from opset 13 on, since ONNX propagates elements from there. */
static bool is_followed(const struct npart__call *call, const struct propagation *at)
{
    bool lists = call->node->opset_version >= at->since;
    switch ((enum rule)at->rule) {
    case SHAPE:
        return true;
    case SIZE:
        measure(call);
        return true;
    case GATHER:
        return gathers(call);
    case SQUEEZE:
        return is_list(call, 0) && propagated(call, 0)->count == 1;
    case UNSQUEEZE:
        return is_single(call, 0) && npart__in(call, 0)->rank == 0;
    case COPY:
        return lists && is_list(call, 0);
    case CONCAT:
        return lists && all_are_lists(call);
    case SUM:
        return (lists && all_are_lists(call)) || (is_single(call, 0) && is_single(call, 1));
    case RATIO:
        return is_single(call, 0) && is_single(call, 1);
    }
    return false;
}

/* To the runtime a symbol is no element. Nor is anything but an integer. */
static bool all_are_numbers(const struct npart__known *known)
{
    for (uint32_t i = 0; known->ints && i < known->count; i++)
        if (!npart__is_number(known->ints[i]))
            return false;
    return known->ints != NULL;
}

/* Takes away the elements of results that the runtime does not propagate. Only the first result can have any, of rank 0
 * or 1. */
static void view_elements(const struct npart__call *call)
{
    uint8_t propagation = call->policy_rows[NPART__ROW_PROPAGATION];
    struct npart__fact *out = npart__out(call, 0);
    /* Whoever calls ONNX's inference chooses whether it propagates. */
    bool is_kept = false, propagates = !call->inference->policy->is_onnx;
    if (propagates && propagation)
        is_kept = is_followed(call, &propagations[propagation - 1]);
    if (!is_kept || !out->known || !all_are_numbers(out->known) || out->rank > 1)
        out->known = NULL;
    for (uint32_t i = 1; i < call->node->output_count; i++)
        npart__out(call, i)->known = NULL;
}

/* ---- the policies ---------------------------------------------------------------------------------------- */

/* Finds an operator's rows in the tables, once for all its nodes. Rows of one operator stand together, so the
 * first and the end are enough. Places of single rows are counted from 1. */
static void find_rows(const char *domain, const char *op, uint8_t rows[NPART__POLICY_ROWS])
{
    rows[NPART__ROW_ASKED] = npart__find_asked(op);
    if (*domain && strcmp(domain, "ai.onnx.ml") != 0)
        return;
    for (size_t i = 0; i < NPART__COUNT(needs); i++) {
        if (!npart__lists_word(needs[i].ops, op))
            continue;
        if (!rows[NPART__ROW_END_NEED])
            rows[NPART__ROW_FIRST_NEED] = (uint8_t)i;
        rows[NPART__ROW_END_NEED] = (uint8_t)(i + 1);
    }
    for (size_t i = 0; i < NPART__COUNT(specials); i++)
        if (npart__lists_word(specials[i].ops, op))
            rows[NPART__ROW_SPECIAL] = (uint8_t)(i + 1);
    for (size_t i = 0; i < NPART__COUNT(propagations); i++)
        if (npart__lists_word(propagations[i].ops, op))
            rows[NPART__ROW_PROPAGATION] = (uint8_t)(i + 1);
}

/* A runtime knows nothing of what the standard's inference says nothing of, and does not compute it ahead either.
 * ONNX's own goes through the bodies of functions. */
static bool is_unshaped(const struct npart__call *call)
{
    const struct npart__operator *schema = call->node->schema;
    uint32_t flags = schema ? npart__operator_flags(schema) : 0;
    /* An operator that the standard defines by others is inferred by those. */
    bool goes_through = call->inference->policy->is_onnx && flags & NPART__OPERATOR_FUNCTION;
    return flags & NPART__OPERATOR_UNSHAPED && !goes_through;
}

/* Of an operator without inference in the standard, the type alone is known. */
static enum npart__extent before_node(const struct npart__call *call)
{
    return is_unshaped(call) ? NPART__EXTENT_TYPES : NPART__EXTENT_ALL;
}

/* Fusing comes first, as the Reshape is then inferred with its new target. What a release computes ahead though nothing
 * is inferred of it has elements to be found. */
static enum npart__extent before_folding(const struct npart__call *call)
{
    npart__fuse_reshape(call);
    return npart__measures(call->inference->policy->release) ? before_node(call) : NPART__EXTENT_ALL;
}

/* ONNX's own inference says nothing, not even of types, of an op of a domain that is not the standard's. */
static enum npart__extent before_onnx(const struct npart__call *call)
{
    const char *domain = npart__text(&call->graph->strings, call->node->domain);
    bool is_standard = call->node->domain == 0 || strncmp(domain, "ai.onnx", 7) == 0;
    return is_standard ? before_node(call) : NPART__EXTENT_NOTHING;
}

/* Takes away what the runtime would not know of a node's results. What it has folded is an initializer to it, of
 * which everything is known. The order matters: what is lost by the tables is lost before elements are asked
 * for, as elements without a shape are none. */
static void after_node(const struct npart__call *call)
{
    if (call->node->output_count == 0 ||
        is_initializer(call, npart__out(call, 0), npart__node_output(call->graph, call->node, 0)))
        return;
    bool lacks_inference = is_unshaped(call);
    /* ONNX's own says nothing at all then; a session knows at least the type. */
    if (call->inference->policy->is_onnx && (lacks_inference || !npart__is_typed(call))) {
        lose(call, 0, TYPE);
        return;
    }
    if (lacks_inference)
        lose(call, 0, RANK);
    view_shapes(call);
    view_attention(call);
    view_sequences(call);
    view_elements(call);
}

/* Of a type without a shape the tool beside ONNX (ONNX Runtime's usability checker) sees no dim that is dynamic: to it,
 * that is what a scalar looks like. */
static void take_for_scalars(struct npart__inference *inference)
{
    for (uint32_t i = 0; i < inference->graph->values.count; i++) {
        struct npart__fact *fact = &inference->facts[i];
        if (fact->kind == NPART__TYPE_TENSOR && fact->element_type && !fact->has_rank)
            fact->has_rank = true; /* of rank 0 */
    }
}

/* Both are asked: what cannot be measured before is never computed, and what has no kernel cannot be. */
static bool computes(const struct npart__call *call)
{
    const struct npart__inference *inference = call->inference;
    return is_measured(call) && npart__can_compute(inference, inference->graph, call->node, inference->policy->release);
}

#define COMMON .is_partial = true, .find_rows = find_rows, .after = after_node

const struct npart__infer_policy npart__policy_onnx = {
    COMMON, .is_onnx = true, .before = before_onnx, .end = take_for_scalars,
};

const struct npart__infer_policy npart__policy_inferred = {COMMON, .is_onnx = true, .before = before_onnx};

const struct npart__infer_policy npart__policy_unfolded = {
    COMMON, .keeps_false_shapes = true, .keeps_names = true, .before = before_node,
};

const struct npart__infer_policy npart__policy_folding[] = {
#define FOLDING(id)                                                                                                    \
    [NPART__RELEASE_##id] = {                                                                                          \
        COMMON, .keeps_names = true, .release = NPART__RELEASE_##id, .begin = npart__find_common_subexpressions,       \
        .before = before_folding, .computes = computes,                                                                \
    },
    FOLDING(OWN)
#define RELEASE(id) FOLDING(id)
#include "release/runtimes.def"
};
