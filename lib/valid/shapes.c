/* SPDX-License-Identifier: Apache-2.0
 *
 * What the standard's shape inference refuses of attributes beside known ranks: axes,
 * permutations, ranks of inputs, sizes that cannot be. Only rules that were asked of the runtime
 * stand in shapes.def; what is not sure is no finding.
 * Modelled on the inference functions of onnx/defs, which raise an error there, and held against
 * onnxruntime 1.31.1.
 */
#include "valid/checks.h"

/* How the bounds of an axis differ from -rank to rank - 1, as some versions of an operator take
 * more and others less: from 0 on, up to the rank itself, any on one side, or from -rank - 1. Bits of a row's
 * `edges`. */
enum { FROM_ZERO = 1, TO_RANK = 2, ANY_BELOW = 4, ANY_ABOVE = 8, FROM_BELOW = 16 };

/* An axis, or a list of them, that must lie between -rank and rank - 1 of an operand; `since`, `until`: versions of
 * the operator. Sorted by operator. */
static const struct axis_rule {
    const char *op, *attribute;
    uint8_t input, since, until, edges;
} axis_rules[] = {
#define AXIS(op, attribute, input, since, until, edges) {op, attribute, input, since, until, edges},
#include "valid/shapes.def"
};

/* Tells the bounds that hold for this operator, not those of ONNX in general. So a user can hold the message
 * against the operator's page. An example: an axis of 4 for rank 4 is one too many for Softmax, and fits Flatten,
 * whose axis may be the rank (TO_RANK). No sum here can overflow, as a rank has 16 bits. */
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

/* Nothing is asked where the rank is not known to the runtime. */
static void check_axes(struct npart__validity *validity, uint32_t id, const struct axis_rule *rule)
{
    const struct npart__graph *graph = validity->graph;
    const struct npart__node *node = &graph->nodes.items[id];
    const struct npart__attribute *attribute = npart__node_attribute(graph, node, rule->attribute);
    uint32_t value = npart__node_input(graph, node, rule->input);
    if (!attribute || attribute->is_elided || value == NPART_NONE || !validity->view->facts[value].has_rank)
        return;
    uint32_t rank = validity->view->facts[value].rank;
    /* Attributes of other types are told by check_given. */
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
#define AXES(op, input, since, grows) {op, input, since, grows},
#include "valid/shapes.def"
};

/* Only of an initializer: the standard's inference does not see what is computed. An initializer that is computed
 * by folding is none when the model is loaded. An example: Unsqueeze of rank 2 by axes [0,3] makes rank 4, so 3 is
 * in range. */
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
    /* Unsqueeze's axes are places in the larger result. */
    uint32_t rank = validity->view->facts[data].rank + (rule->grows && axes ? axes->count : 0);
    for (uint32_t i = 0; axes && axes->ints && i < axes->count; i++)
        check_axis(validity, id, &plain, rank, axes->ints[i]);
}

/* The ranks that an input may have. Sorted by operator. */
static const struct rank_rule {
    const char *domain, *op;
    uint8_t input, least, most, since;
} rank_rules[] = {
#define RANK(domain, op, input, least, most, since) {domain, op, input, least, most, since},
#include "valid/shapes.def"
};

/* A most of 255 stands for "no upper bound". The name is the schema's, as a user finds it in the standard. */
static void check_rank(struct npart__validity *validity, uint32_t id, const struct rank_rule *rule)
{
    const struct npart__node *node = &validity->graph->nodes.items[id];
    uint32_t value = npart__node_input(validity->graph, node, rule->input);
    struct npart__operand operand;
    if (value == NPART_NONE || !validity->view->facts[value].has_rank)
        return;
    uint32_t rank = validity->view->facts[value].rank;
    /* An operand that the schema has not has been told already (check_side). */
    if ((rank >= rule->least && rank <= rule->most) || !npart__operator_input(node->schema, rule->input, &operand))
        return;
    /* Three forms of one sentence: at least, just, from and to. */
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
#define STRICT(op, since, until) {op, since, until},
#include "valid/shapes.def"
};

/* Our own inference has noted where sizes contradict each other. The runtime refuses the same
 * only for the operators of STRICT rows; for others it goes on and may fail in a run. The text of our own finding
 * is taken over. */
void npart__check_contradictions(struct npart__validity *validity)
{
    const struct npart__graph *graph = validity->graph;
    for (uint32_t c = 0; c < validity->view->contradicted.count; c++) {
        const struct npart__contradicted *at = &validity->view->contradicted.items[c];
        const struct npart__node *node = at->node != NPART_NONE ? &graph->nodes.items[at->node] : NULL;
        if (!node || node->domain != 0 || !node->schema)
            continue;
        for (size_t i = 0; i < NPART__COUNT(strict_ops); i++)
            if (npart__same_text(npart__node_op(graph, node), strict_ops[i].op) &&
                node->schema->since >= strict_ops[i].since && node->schema->since <= strict_ops[i].until)
                npart__refuse(validity, at->node, "", "%s", validity->view->findings.items[at->finding].text);
    }
}

/* Each axis at most once; fewer than there are is not looked at. The axes seen are bits of one
 * number. 64 is enough: more axes than NPART__LIMIT_RANK are never known. The first axis that is wrong is told,
 * and no further one. */
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

/* Rows of an operator stand together, so a run of them is a first and an end. */
static void add_row(struct npart__rows *rows, size_t row)
{
    /* Tables have less than 256 rows; a first of 0 is told from none by the end. */
    rows->first = rows->end ? rows->first : (uint8_t)row;
    rows->end = (uint8_t)(row + 1);
}

/* What the tables have of an operator in one domain: its rows stand together, and are few. Called once for an
 * operator and version (look_up), so text may be compared. */
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

/* Rows are of versions; a rule that came with opset 13 is not asked of a node of opset 11. */
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
