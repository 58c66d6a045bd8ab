/* SPDX-License-Identifier: Apache-2.0
 *
 * What the standard's shape inference refuses of attributes beside known ranks.
 *
 * Modelled on the inference functions of onnx/defs, which raise an error there, and held against onnxruntime 1.31.1.
 */
#include "valid/checks.h"

enum { FROM_ZERO = 1, TO_RANK = 2, ANY_BELOW = 4, ANY_ABOVE = 8, FROM_BELOW = 16 };

/* An axis, or a list of them, that must lie between -rank and rank - 1 of an operand; `since`, `until`: versions of
 * the operator. Sorted by operator. */
static const struct axis_rule {
    const char *op, *attribute;
    uint8_t input, since, until, edges;
} axis_rules[] = {
    {"ArgMax", "axis", 0, 11, 255, 0},
    {"ArgMin", "axis", 0, 11, 255, 0},
    {"CenterCropPad", "axes", 0, 18, 255, 0},
    {"Compress", "axis", 0, 11, 255, 0},
    {"Concat", "axis", 0, 4, 10, ANY_BELOW},
    {"Concat", "axis", 0, 11, 255, 0},
    {"DFT", "axis", 0, 17, 19, 0},
    {"Flatten", "axis", 0, 1, 10, FROM_ZERO | TO_RANK},
    {"Flatten", "axis", 0, 11, 255, TO_RANK},
    {"Gather", "axis", 0, 1, 255, 0},
    {"Hardmax", "axis", 0, 11, 255, 0},
    {"LayerNormalization", "axis", 0, 17, 255, 0},
    {"LogSoftmax", "axis", 0, 11, 255, 0},
    {"OneHot", "axis", 0, 9, 255, TO_RANK | FROM_BELOW},
    {"RMSNormalization", "axis", 0, 23, 255, ANY_ABOVE},
    {"ReduceL1", "axes", 0, 11, 17, 0},
    {"ReduceL2", "axes", 0, 11, 17, 0},
    {"ReduceLogSum", "axes", 0, 11, 17, 0},
    {"ReduceLogSumExp", "axes", 0, 11, 17, 0},
    {"ReduceMax", "axes", 0, 12, 17, 0},
    {"ReduceMean", "axes", 0, 11, 17, 0},
    {"ReduceMin", "axes", 0, 12, 17, 0},
    {"ReduceProd", "axes", 0, 11, 17, 0},
    {"ReduceSum", "axes", 0, 11, 12, 0},
    {"ReduceSumSquare", "axes", 0, 11, 17, 0},
    {"Resize", "axes", 0, 18, 255, 0},
    {"Softmax", "axis", 0, 11, 255, 0},
    {"Split", "axis", 0, 2, 255, 0},
    {"SplitToSequence", "axis", 0, 11, 255, 0},
    {"TopK", "axis", 0, 10, 255, 0},
    {"Unique", "axis", 0, 11, 255, 0},
};

static void check_axis(struct npart__validity *validity, uint32_t node, const struct axis_rule *rule, uint32_t rank,
                       int64_t axis)
{
    int64_t low = rule->edges & FROM_ZERO ? 0 : -(int64_t)rank - (rule->edges & FROM_BELOW ? 1 : 0);
    int64_t high = rule->edges & TO_RANK ? (int64_t)rank : (int64_t)rank - 1;
    bool is_below = axis < low && !(rule->edges & ANY_BELOW), is_above = axis > high && !(rule->edges & ANY_ABOVE);
    if (is_below || is_above)
        npart__refuse(validity, node, "", "%s must be from %lld to %lld; found %lld", rule->attribute, (long long)low,
                      (long long)high, (long long)axis);
}

static void check_axes(struct npart__validity *validity, uint32_t id, const struct axis_rule *rule)
{
    const struct npart__graph *graph = validity->graph;
    const struct npart__node *node = &graph->nodes.items[id];
    const struct npart__attribute *attribute = npart__node_attribute(graph, node, rule->attribute);
    uint32_t value = npart__node_input(graph, node, rule->input);
    if (!attribute || attribute->is_elided || value == NPART_NONE || !validity->view->facts[value].has_rank)
        return;
    uint32_t rank = validity->view->facts[value].rank;
    if (attribute->type == 2)
        check_axis(validity, id, rule, rank, attribute->u.i);
    for (uint32_t i = 0; attribute->type == 7 && i < attribute->count; i++)
        check_axis(validity, id, rule, rank, attribute->u.ints[i]);
}

/* Axes that an input gives, where they are an initializer; a list that grows the rank counts in what it makes. */
static const struct axes_input { /* sorted by operator */
    const char *op;
    uint8_t input, since;
    bool grows;
} axes_inputs[] = {
    {"Pad", 3, 18, false},          {"ReduceL1", 1, 18, false},        {"ReduceL2", 1, 18, false},
    {"ReduceLogSum", 1, 18, false}, {"ReduceLogSumExp", 1, 18, false}, {"ReduceMax", 1, 18, false},
    {"ReduceMean", 1, 18, false},   {"ReduceMin", 1, 18, false},       {"ReduceProd", 1, 18, false},
    {"ReduceSum", 1, 13, false},    {"ReduceSumSquare", 1, 18, false}, {"Squeeze", 1, 13, false},
    {"Unsqueeze", 1, 13, true},
};

static void check_axes_input(struct npart__validity *validity, uint32_t id, const struct axes_input *rule)
{
    static const struct axis_rule plain = {.attribute = "axes"};
    const struct npart__graph *graph = validity->graph;
    const struct npart__node *node = &graph->nodes.items[id];
    uint32_t value = npart__node_input(graph, node, rule->input), data = npart__node_input(graph, node, 0);
    if (value == NPART_NONE || data == NPART_NONE || !validity->view->facts[data].has_rank ||
        !validity->view->facts[value].is_initializer)
        return;
    const struct npart__known *axes = npart__elements(validity->view, &validity->view->facts[value]);
    uint32_t rank = validity->view->facts[data].rank + (rule->grows && axes ? axes->count : 0);
    for (uint32_t i = 0; axes && axes->ints && i < axes->count; i++)
        check_axis(validity, id, &plain, rank, axes->ints[i]);
}

/* The ranks that an input may have. Sorted by operator. */
static const struct rank_rule {
    const char *domain, *op;
    uint8_t input, least, most, since;
} rank_rules[] = {
    {"", "AffineGrid", 1, 1, 1, 20},        {"", "Attention", 0, 3, 4, 23},      {"", "Attention", 1, 3, 4, 23},
    {"", "Attention", 2, 3, 4, 23},         {"", "AveragePool", 0, 3, 255, 1},   {"", "Col2Im", 0, 3, 3, 18},
    {"", "Col2Im", 1, 1, 1, 18},            {"", "Col2Im", 2, 1, 1, 18},         {"", "ConstantOfShape", 0, 1, 1, 9},
    {"", "Conv", 0, 2, 255, 1},             {"", "ConvInteger", 0, 2, 255, 10},  {"", "ConvTranspose", 0, 2, 255, 1},
    {"", "DeformConv", 0, 2, 255, 19},      {"", "DepthToSpace", 0, 4, 4, 1},    {"", "Det", 0, 2, 255, 11},
    {"", "Dropout", 1, 0, 0, 12},           {"", "Expand", 1, 1, 1, 8},          {"", "EyeLike", 0, 2, 2, 9},
    {"", "GRU", 0, 3, 3, 3},                {"", "Gather", 0, 1, 255, 1},        {"", "GatherND", 0, 1, 255, 11},
    {"", "GatherND", 1, 1, 255, 11},        {"", "Gemm", 0, 2, 2, 6},            {"", "Gemm", 1, 2, 2, 6},
    {"", "ImageDecoder", 0, 1, 1, 20},      {"", "LSTM", 0, 3, 3, 1},            {"", "LpPool", 0, 3, 255, 2},
    {"", "MatMul", 0, 1, 255, 1},           {"", "MatMul", 1, 1, 255, 1},        {"", "MatMulInteger", 0, 1, 255, 10},
    {"", "MatMulInteger", 1, 1, 255, 10},   {"", "MaxPool", 0, 3, 255, 1},       {"", "MaxUnpool", 0, 2, 255, 9},
    {"", "MaxUnpool", 2, 1, 1, 9},          {"", "OneHot", 0, 1, 255, 9},        {"", "OneHot", 1, 0, 1, 9},
    {"", "OneHot", 2, 1, 1, 9},             {"", "QLinearMatMul", 0, 1, 255, 10}, {"", "QLinearMatMul", 3, 1, 255, 10},
    {"", "RNN", 0, 3, 3, 1},                {"", "Resize", 3, 1, 1, 11},         {"", "ReverseSequence", 0, 2, 255, 10},
    {"", "ReverseSequence", 1, 1, 1, 10},   {"", "RoiAlign", 0, 4, 4, 10},       {"", "RoiAlign", 1, 2, 2, 10},
    {"", "RoiAlign", 2, 1, 1, 10},          {"", "RotaryEmbedding", 0, 3, 4, 23}, {"", "STFT", 0, 2, 255, 17},
    {"", "SoftmaxCrossEntropyLoss", 2, 1, 1, 12}, {"", "SpaceToDepth", 0, 4, 4, 1},
    {"", "StringNormalizer", 0, 1, 2, 10},  {"", "TensorScatter", 2, 1, 1, 24},  {"", "TfIdfVectorizer", 0, 1, 2, 9},
    {"", "TopK", 0, 1, 255, 10},            {"", "Trilu", 0, 2, 255, 14},
    {"ai.onnx.ml", "TreeEnsemble", 0, 2, 2, 5},
};

static void check_rank(struct npart__validity *validity, uint32_t id, const struct rank_rule *rule)
{
    const struct npart__node *node = &validity->graph->nodes.items[id];
    uint32_t value = npart__node_input(validity->graph, node, rule->input);
    struct npart__operand operand;
    if (value == NPART_NONE || !validity->view->facts[value].has_rank)
        return;
    uint32_t rank = validity->view->facts[value].rank;
    if ((rank >= rule->least && rank <= rule->most) || !npart__operator_input(node->schema, rule->input, &operand))
        return;
    if (rule->most == 255)
        npart__refuse(validity, id, "", "rank of input %.*s must be at least %u; found %u", (int)operand.name_length,
                      operand.name, rule->least, rank);
    else if (rule->least == rule->most)
        npart__refuse(validity, id, "", "rank of input %.*s must be %u; found %u", (int)operand.name_length,
                      operand.name, rule->least, rank);
    else
        npart__refuse(validity, id, "", "rank of input %.*s must be from %u to %u; found %u",
                      (int)operand.name_length, operand.name, rule->least, rule->most, rank);
}

/* Operators, from a version on, whose sizes the standard's inference refuses just where ours says they cannot be. */
static const struct strict_op {
    const char *op;
    uint8_t since, until;
} strict_ops[] = {
    {"Add", 7, 255},           {"And", 7, 255},         {"AveragePool", 1, 255},   {"BitShift", 11, 255},
    {"BitwiseAnd", 18, 255},   {"BitwiseOr", 18, 255},  {"BitwiseXor", 18, 255},   {"Concat", 4, 255},
    {"ConstantOfShape", 9, 255}, {"ConvInteger", 10, 255}, {"ConvTranspose", 1, 255}, {"Div", 7, 255},
    {"Equal", 7, 255},         {"Expand", 8, 255},      {"Gemm", 13, 255},         {"Greater", 7, 255},
    {"GreaterOrEqual", 16, 255}, {"Less", 7, 255},      {"LessOrEqual", 16, 255},  {"LpPool", 2, 255},
    {"MatMul", 1, 255},        {"MatMulInteger", 10, 255}, {"Max", 8, 255},        {"MaxPool", 1, 255},
    {"Mean", 8, 255},          {"Min", 8, 255},         {"Mod", 10, 255},          {"Mul", 7, 255},
    {"Or", 7, 255},            {"Pow", 7, 255},         {"QLinearConv", 10, 255},  {"QLinearMatMul", 10, 255},
    {"Split", 2, 13},          {"Squeeze", 13, 255},    {"StringConcat", 20, 255}, {"Sub", 7, 255},
    {"Sum", 8, 255},           {"Where", 9, 255},       {"Xor", 7, 255},
};

void npart__check_contradictions(struct npart__validity *validity)
{
    const struct npart__graph *graph = validity->graph;
    for (uint32_t c = 0; c < validity->view->contradicted.count; c++) {
        const struct npart__contradicted *at = &validity->view->contradicted.items[c];
        const struct npart__node *node = at->node != NPART_NONE ? &graph->nodes.items[at->node] : NULL;
        if (!node || node->domain != 0 || !node->schema)
            continue;
        for (size_t i = 0; i < NPART__COUNT(strict_ops); i++)
            if (strcmp(npart__node_op(graph, node), strict_ops[i].op) == 0 &&
                node->schema->since >= strict_ops[i].since && node->schema->since <= strict_ops[i].until)
                npart__refuse(validity, at->node, "", "%s", validity->view->findings.items[at->finding].text);
    }
}

/* Each axis at most once; fewer than there are is not looked at. */
static void check_perm(struct npart__validity *validity, uint32_t id)
{
    const struct npart__graph *graph = validity->graph;
    const struct npart__node *node = &graph->nodes.items[id];
    const struct npart__attribute *perm = npart__node_attribute(graph, node, "perm");
    uint32_t value = npart__node_input(graph, node, 0);
    if (!perm || perm->type != 7 || perm->is_elided || value == NPART_NONE || !validity->view->facts[value].has_rank)
        return;
    uint32_t rank = validity->view->facts[value].rank;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < perm->count; i++) {
        int64_t axis = perm->u.ints[i];
        bool is_axis = axis >= 0 && axis < rank && axis < 64;
        if (!is_axis || seen >> axis & 1) {
            npart__refuse(validity, id, "", "perm must have each axis from 0 to %lld once; found %lld%s",
                          (long long)rank - 1, (long long)axis, is_axis ? " twice" : "");
            return;
        }
        seen |= (uint64_t)1 << axis;
    }
}

static void add_row(struct npart__rows *rows, size_t row)
{
    rows->first = rows->end ? rows->first : (uint8_t)row;
    rows->end = (uint8_t)(row + 1);
}

/* What the tables have of an operator in one domain: its rows stand together, and are few. */
struct npart__shape_rows npart__find_shape_rows(const struct npart__operator *schema)
{
    struct npart__shape_rows rows = {0};
    bool is_plain = !*schema->domain;
    for (size_t i = 0; i < NPART__COUNT(rank_rules); i++)
        if (strcmp(schema->name, rank_rules[i].op) == 0 && strcmp(schema->domain, rank_rules[i].domain) == 0)
            add_row(&rows.ranks, i);
    for (size_t i = 0; is_plain && i < NPART__COUNT(axis_rules); i++)
        if (strcmp(schema->name, axis_rules[i].op) == 0)
            add_row(&rows.axes, i);
    for (size_t i = 0; is_plain && i < NPART__COUNT(axes_inputs); i++)
        if (strcmp(schema->name, axes_inputs[i].op) == 0)
            add_row(&rows.lists, i);
    rows.has_perm = is_plain && strcmp(schema->name, "Transpose") == 0;
    return rows;
}

void npart__check_shapes(struct npart__validity *validity, uint32_t id, const struct npart__shape_rows *rows)
{
    int since = validity->graph->nodes.items[id].schema->since;
    for (size_t i = rows->ranks.first; i < rows->ranks.end; i++)
        if (since >= rank_rules[i].since)
            check_rank(validity, id, &rank_rules[i]);
    if (rows->has_perm)
        check_perm(validity, id);
    for (size_t i = rows->axes.first; i < rows->axes.end; i++)
        if (since >= axis_rules[i].since && since <= axis_rules[i].until)
            check_axes(validity, id, &axis_rules[i]);
    for (size_t i = rows->lists.first; i < rows->lists.end; i++)
        if (since >= axes_inputs[i].since)
            check_axes_input(validity, id, &axes_inputs[i]);
}
