/* SPDX-License-Identifier: Apache-2.0
 *
 * What ONNX Runtime can compute of constants before the model runs: for that its CPU provider needs a kernel for the
 * operator and the element type. Conversions that would give it one are inserted only later.
 */
#include "infer/families.h"
#include "infer/infer.h"

/* Operators with a kernel for float16, from this version on; found by what onnxruntime 1.31.1 leaves of constants. What
 * else takes float16 is computed in float32, between two conversions. */
static const struct half {
    const char *op;
    int32_t since;
} halves[] = {
    {"Cast", 1}, {"Clip", 12}, {"Concat", 1}, {"ConstantOfShape", 1}, {"Expand", 1}, {"Flatten", 1}, {"Gather", 1},
    {"GatherElements", 1}, {"GatherND", 1}, {"Identity", 1}, {"IsInf", 20}, {"IsNaN", 1}, {"Max", 12}, {"Min", 12},
    {"Mod", 1}, {"QuantizeLinear", 19}, {"Reshape", 1}, {"ReverseSequence", 1}, {"Round", 1}, {"Scatter", 1},
    {"ScatterElements", 1}, {"ScatterND", 1}, {"Shape", 1}, {"Shrink", 1}, {"Sign", 1}, {"Slice", 10}, {"Split", 1},
    {"Squeeze", 1}, {"Transpose", 1}, {"Unsqueeze", 1},
};

static bool takes_half(const char *op, int32_t since)
{
    for (size_t i = 0; i < NPART__COUNT(halves); i++)
        if (strcmp(halves[i].op, op) == 0)
            return since >= halves[i].since;
    return false;
}

static bool uses_half(const struct npart__inference *inference, const struct npart__node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(inference->graph, node, i);
        if (value != NPART_NONE && npart__fact_of(inference, value)->element_type == NPART__FLOAT16)
            return true;
    }
    return false;
}

bool npart__can_compute(const struct npart__inference *inference, const struct npart__node *node)
{
    const char *op = npart__node_op(inference->graph, node);
    if (node->domain != 0 || !node->schema)
        return true;
    bool is_comparison = strcmp(op, "GreaterOrEqual") == 0 || strcmp(op, "LessOrEqual") == 0;
    bool is_alone = (is_comparison && node->schema->since < 16) || strcmp(op, "HardSwish") == 0 ||
                    strcmp(op, "Mish") == 0 || strcmp(op, "CastLike") == 0 ||
                    strcmp(op, "MeanVarianceNormalization") == 0;
    bool is_runtime = inference->options.view != NPART__VIEW_FULL;
    if (is_alone || (is_runtime && uses_half(inference, node) && !takes_half(op, node->schema->since)))
        return false;
    /* What the standard defines by other operators needs a kernel of its own all the same. */
    uint32_t first = npart__node_input(inference->graph, node, 0);
    const struct npart__body *body = npart__body_find(node->schema, node->opset_version);
    return !body || first == NPART_NONE || !npart__fact_of(inference, first)->element_type ||
           npart__body_has_kernel(body, npart__fact_of(inference, first)->element_type);
}
