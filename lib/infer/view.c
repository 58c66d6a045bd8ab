/* SPDX-License-Identifier: Apache-2.0
 *
 * What ONNX Runtime knows of integer elements where nothing is folded: initializers, and what its data propagation
 * hands on. It keeps either a list (of a tensor of rank 1) or a single number (of rank 0), all of them numbers, and
 * initializers are no part of it: a sum of a propagated number and a constant is not followed.
 *
 * Modelled on onnxruntime/core/graph/graph.cc and data_propagation/, and on the PartialDataPropagationFunctions of
 * onnx/defs/math and onnx/defs/tensor.
 */
#include "infer/driver.h"

enum rule { SHAPE, SIZE, GATHER, SQUEEZE, UNSQUEEZE, COPY, CONCAT, SUM, RATIO };

/* `since`: the first version at which onnx propagates lists; single numbers are ONNX Runtime's, at any. */
static const struct propagation {
    const char *op;
    uint8_t rule;
    uint8_t since;
} propagations[] = {
    {"Add", SUM, 14},         {"Cast", COPY, 13},       {"Concat", CONCAT, 13},       {"Div", RATIO, 1},
    {"Gather", GATHER, 1},    {"Mul", SUM, 14},         {"Shape", SHAPE, 1},          {"Size", SIZE, 1},
    {"Slice", CONCAT, 13},    {"Squeeze", SQUEEZE, 1},  {"Sub", SUM, 14},             {"Unsqueeze", UNSQUEEZE, 1},
};

static const struct npart__known *initializer_of(const struct npart__call *call, uint32_t index)
{
    struct npart__fact *fact = npart__in(call, index);
    return fact->is_initializer ? npart__elements(call->inference, fact) : NULL;
}

static const struct npart__known *propagated(const struct npart__call *call, uint32_t index)
{
    const struct npart__fact *fact = npart__in(call, index);
    return fact->is_initializer || !fact->known || !fact->known->ints ? NULL : fact->known;
}

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

/* ONNX Runtime multiplies the elements of a list where it should count them. */
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

static bool all_are_numbers(const struct npart__known *known)
{
    for (uint32_t i = 0; known->ints && i < known->count; i++)
        if (!npart__is_number(known->ints[i]))
            return false;
    return known->ints != NULL;
}

void npart__view_elements(const struct npart__call *call)
{
    struct npart__fact *out = npart__out(call, 0);
    const char *op = npart__node_op(call->graph, call->node);
    bool is_kept = false;
    if (call->node->output_count == 0 || out->is_initializer)
        return;
    for (size_t i = 0; i < sizeof propagations / sizeof *propagations && call->node->domain == 0 && !is_kept; i++)
        is_kept = strcmp(op, propagations[i].op) == 0 && is_followed(call, &propagations[i]);
    if (!is_kept || !out->known || !all_are_numbers(out->known) || out->rank > 1)
        out->known = NULL;
    for (uint32_t i = 1; i < call->node->output_count; i++)
        npart__out(call, i)->known = NULL;
}
