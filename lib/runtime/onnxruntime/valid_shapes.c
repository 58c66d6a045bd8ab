/* SPDX-License-Identifier: Apache-2.0
 *
 * What the standard's shape inference refuses of attributes beside known ranks: axes,
 * permutations, ranks of inputs, sizes that cannot be. Only rules that were asked of the runtime
 * are words of operators.table; what is not sure is no finding.
 * Modelled on the inference functions of onnx/defs, which raise an error there, and held against
 * onnxruntime 1.31.1.
 */
#include "onnxruntime/valid_checks.h"

/* How the bounds of an axis differ from -rank to rank - 1, as some versions of an operator take
 * more and others less: from 0 on, up to the rank itself, any on one side, or from -rank - 1; or
 * the rank is that of the result, which the list makes larger. Whether an axis may stand in the list
 * only once, from whichever end it is counted or just as it is written; and whether the list is
 * looked at only where all inputs beside the first are initializers. Bits of a row's `edges`. */
enum {
    FROM_ZERO = 1,
    TO_RANK = 2,
    ANY_BELOW = 4,
    ANY_ABOVE = 8,
    FROM_BELOW = 16,
    GROWS = 32,
    ONCE = 64,
    ONCE_AS_WRITTEN = 128,
    IF_ALL = 256
};

/* An axis, or a list of them, that must lie between -rank and rank - 1 of an operand; `since`, `until`: versions of
 * the operator. Sorted by operator. */
static const struct axis_rule {
    const char *op, *attribute;
    uint8_t since, until;
    uint16_t edges;
} axis_rules[] = {
#define AXIS(op, attribute, since, until, edges) {op, attribute, since, until, edges},
#include "operator_shapes.def"
};

/* Tells the bounds that hold for this operator, not those of ONNX in general. So a user can hold the message
 * against the operator's page. An axis of 4 for rank 4 is one too many for Softmax, and fits Flatten, whose axis may
 * be the rank (TO_RANK). No sum here can overflow, as a rank has 16 bits. False where it was told. */
static bool check_axis(struct npart__validity *validity, uint32_t node, const struct axis_rule *rule, uint32_t rank,
                       int64_t axis)
{
    int64_t low = rule->edges & FROM_ZERO ? 0 : -(int64_t)rank - (rule->edges & FROM_BELOW ? 1 : 0);
    int64_t high = rule->edges & TO_RANK ? (int64_t)rank : (int64_t)rank - 1;
    bool is_below = axis < low && !(rule->edges & ANY_BELOW), is_above = axis > high && !(rule->edges & ANY_ABOVE);
    if (is_below || is_above)
        npart__refuse(validity, node, "", "%s must be from %lld to %lld; found %lld", rule->attribute, (long long)low,
                      (long long)high, (long long)axis);
    return !is_below && !is_above;
}

/* The same axis, by the row's way to look at it. */
static bool is_same_axis(const struct axis_rule *rule, uint32_t rank, int64_t left, int64_t right)
{
    if (rule->edges & ONCE_AS_WRITTEN)
        return left == right;
    return (left < 0 ? left + rank : left) == (right < 0 ? right + rank : right);
}

/* Lists are no longer than there are axes where each may stand once, so all pairs are few. */
static void check_list(struct npart__validity *validity, uint32_t node, const struct axis_rule *rule, uint32_t rank,
                       const int64_t *axes, uint32_t count)
{
    rank += rule->edges & GROWS ? count : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!check_axis(validity, node, rule, rank, axes[i]))
            return;
        for (uint32_t k = 0; k < i && rule->edges & (ONCE | ONCE_AS_WRITTEN); k++)
            if (is_same_axis(rule, rank, axes[i], axes[k])) {
                npart__refuse(validity, node, "", "%s must have each axis once; found %lld and %lld", rule->attribute,
                              (long long)axes[k], (long long)axes[i]);
                return;
            }
    }
}

/* Nothing is asked where the rank is not known to the runtime. */
static void check_axes(struct npart__validity *validity, uint32_t id, const struct axis_rule *rule)
{
    const struct npart__graph *graph = validity->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    const struct npart__attribute *attribute = npart__node_attribute(graph, node, rule->attribute);
    uint32_t value = npart__node_input(graph, node, 0);
    if (!attribute || attribute->is_elided || value == NPART_NONE || !validity->view->facts[value].has_rank)
        return;
    uint32_t rank = validity->view->facts[value].rank;
    /* Attributes of other types are told by check_given. */
    if (attribute->type == NPART_ATTRIBUTE_INT)
        (void)check_axis(validity, id, rule, rank, attribute->u.i);
    if (attribute->type == NPART_ATTRIBUTE_INTS)
        check_list(validity, id, rule, rank, attribute->u.ints, attribute->count);
}

/* Axes that an input gives, where they are an initializer. */
static const struct axes_input { /* sorted by operator */
    const char *op;
    uint8_t input, since;
    uint16_t edges;
} axes_inputs[] = {
#define AXES(op, input, since, edges) {op, input, since, edges},
#include "operator_shapes.def"
};

/* The elements of an operand that is an initializer; NULL for all others: the standard's inference does not see what is
 * computed. An initializer that is computed by folding is none when the model is loaded. */
static const struct npart__known *given_elements(const struct npart__validity *validity, uint32_t value)
{
    if (value == NPART_NONE || !validity->view->facts[value].is_initializer)
        return NULL;
    const struct npart__known *known = npart__elements(validity->view, &validity->view->facts[value]);
    return known && known->ints ? known : NULL;
}

/* Whether all inputs that there are beside the first are initializers. */
static bool are_given(const struct npart__validity *validity, const struct npart__node *node)
{
    for (uint32_t i = 1; i < node->input_count; i++) {
        uint32_t value = npart__node_input(validity->graph, node, i);
        if (value != NPART_NONE && !given_elements(validity, value))
            return false;
    }
    return true;
}

/* Unsqueeze of rank 2 by axes [0,3] makes rank 4, so 3 is in range. */
static void check_axes_input(struct npart__validity *validity, uint32_t id, const struct axes_input *rule)
{
    const struct axis_rule plain = {.attribute = "axes", .edges = rule->edges};
    const struct npart__node *node = npart__node_at(validity->graph, id);
    uint32_t data = npart__node_input(validity->graph, node, 0);
    const struct npart__known *axes = given_elements(validity, npart__node_input(validity->graph, node, rule->input));
    if (axes && data != NPART_NONE && validity->view->facts[data].has_rank &&
        (!(rule->edges & IF_ALL) || are_given(validity, node)))
        check_list(validity, id, &plain, validity->view->facts[data].rank, axes->ints, axes->count);
}

/* Operators with a window; sorted. */
static const struct window_rule {
    const char *op;
    uint8_t since;
    bool counts;
} window_rules[] = {
#define WINDOW(op, since, counts) {op, since, counts},
#include "operator_shapes.def"
};

/* One list of a window: as many numbers as the input has spatial axes, and none below the least. */
static void check_window_list(struct npart__validity *validity, uint32_t id, const struct window_rule *rule,
                              const char *name, uint32_t rank)
{
    bool is_pads = strcmp(name, "pads") == 0;
    uint32_t count = (rank - 2) * (is_pads ? 2 : 1);
    const struct npart__attribute *list =
        npart__node_attribute(validity->graph, npart__node_at(validity->graph, id), name);
    if (!list || list->type != NPART_ATTRIBUTE_INTS || list->is_elided)
        return;
    if (rule->counts && list->count != count) {
        npart__refuse(validity, id, "", "%s must have %u numbers; found %u", name, count, list->count);
        return;
    }
    for (uint32_t i = 0; i < list->count && list->count == count; i++)
        if (list->u.ints[i] < (is_pads ? 0 : 1)) {
            npart__refuse(validity, id, "", "%s must be at least %d; found %lld", name, is_pads ? 0 : 1,
                          (long long)list->u.ints[i]);
            return;
        }
}

/* The first list that is wrong is told. Source: onnx/defs/nn/old.cc and defs.cc, convPoolShapeInference. */
static void check_window(struct npart__validity *validity, uint32_t id, const struct window_rule *rule)
{
    static const char *const names[] = {"kernel_shape", "strides", "dilations", "pads"};
    const struct npart__node *node = npart__node_at(validity->graph, id);
    uint32_t value = npart__node_input(validity->graph, node, 0), before = validity->found_count;
    if (value == NPART_NONE || !validity->view->facts[value].has_rank || validity->view->facts[value].rank < 3)
        return;
    for (size_t i = 0; i < NPART__COUNT(names) && validity->found_count == before; i++)
        check_window_list(validity, id, rule, names[i], validity->view->facts[value].rank);
}

/* Sizes that a Reshape asks for: one may be left open, and 0 stands for the input's own size at that place, or for none
 * where `allowzero` is set, which leaves no size open to be found.
 * Source: onnx/defs/tensor/utils.cc, ReshapeShapeInference. */
static void check_reshape(struct npart__validity *validity, uint32_t id)
{
    const struct npart__node *node = npart__node_at(validity->graph, id);
    const struct npart__known *sizes = given_elements(validity, npart__node_input(validity->graph, node, 1));
    uint32_t data = npart__node_input(validity->graph, node, 0), open = 0, zeros = 0;
    const struct npart__fact *fact = data == NPART_NONE ? NULL : &validity->view->facts[data];
    bool is_zero_size = npart__node_int(validity->graph, node, "allowzero", 0) != 0;
    for (uint32_t i = 0; sizes && i < sizes->count; i++) {
        bool is_place = is_zero_size || !fact || !fact->has_rank || i < fact->rank;
        open += sizes->ints[i] == -1;
        zeros += sizes->ints[i] == 0;
        const char *what = sizes->ints[i] < -1                ? "sizes of shape must be at least -1"
                           : open > 1                         ? "shape must have at most one -1"
                           : sizes->ints[i] == 0 && !is_place ? "a 0 of shape must stand for an axis of the input"
                           : is_zero_size && open && zeros    ? "shape must not have both 0 and -1, with allowzero"
                                                              : NULL;
        if (what) {
            npart__refuse(validity, id, "", "%s; found %lld at %u", what, (long long)sizes->ints[i], i);
            return;
        }
    }
}

/* The ranks that an input may have. Sorted by operator. */
static const struct rank_rule {
    const char *domain, *op;
    uint8_t input, least, most, since;
} rank_rules[] = {
#define RANK(domain, op, input, least, most, since) {domain, op, input, least, most, since},
#include "operator_shapes.def"
};

/* A most of 255 stands for "no upper bound". The name is the schema's, as a user finds it in the standard. */
static void check_rank(struct npart__validity *validity, uint32_t id, const struct rank_rule *rule)
{
    const struct npart__node *node = npart__node_at(validity->graph, id);
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
#include "operator_shapes.def"
};

/* The standard's inference looks at sizes only where the first input has any. */
static bool is_ranked(const struct npart__validity *validity, const struct npart__node *node)
{
    uint32_t value = npart__node_input(validity->graph, node, 0);
    return value != NPART_NONE && validity->view->facts[value].has_rank;
}

/* Our own inference has noted where sizes contradict each other. The runtime refuses the same
 * only for the operators of STRICT rows; for others it goes on and may fail in a run. The text of our own finding
 * is taken over. */
void npart__check_contradictions(struct npart__validity *validity)
{
    const struct npart__graph *graph = validity->graph;
    for (uint32_t c = 0; c < validity->view->contradicted.count; c++) {
        const struct npart__contradicted *at = &validity->view->contradicted.items[c];
        const struct npart__node *node = at->node != NPART_NONE ? npart__node_at(graph, at->node) : NULL;
        if (!node || node->domain != 0 || !node->schema || at->is_loaded || !is_ranked(validity, node))
            continue;
        for (size_t i = 0; i < NPART__COUNT(strict_ops); i++)
            if (npart__same_text(npart__node_op(graph, node), strict_ops[i].op) &&
                node->schema->since >= strict_ops[i].since && node->schema->since <= strict_ops[i].until)
                npart__refuse(validity, at->node, "", "%s", validity->view->findings.items[at->finding].text);
    }
}

/* Each axis at most once, and none that the list has no place for: the kernel refuses that, whatever
 * the rank is. A list shorter than the rank is loaded, and fails in a run. The axes seen are bits of
 * one number. 64 is enough: more axes than NPART__LIMIT_RANK are never known. The first axis that is
 * wrong is told, and no further one.
 * Source: onnx/defs/tensor/utils.cc; core/providers/cpu/tensor/transpose.h, TransposeBase. */
static void check_perm(struct npart__validity *validity, uint32_t id)
{
    const struct npart__graph *graph = validity->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    const struct npart__attribute *perm = npart__node_attribute(graph, node, "perm");
    uint32_t value = npart__node_input(graph, node, 0);
    if (!perm || perm->type != NPART_ATTRIBUTE_INTS || perm->is_elided || value == NPART_NONE)
        return;
    const struct npart__fact *fact = &validity->view->facts[value];
    uint32_t axes = fact->has_rank && fact->rank < perm->count ? fact->rank : perm->count;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < perm->count; i++) {
        int64_t axis = perm->u.ints[i];
        bool is_axis = axis >= 0 && axis < axes;
        if (is_axis && axis >= 64)
            return;
        if (!is_axis || seen >> axis & 1) {
            npart__refuse(validity, id, "", axes ? "perm must have each axis from 0 to %lld once; found %lld%s"
                                                 : "perm must be empty for a scalar",
                          (long long)axes - 1, (long long)axis, is_axis ? " twice" : "");
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
    for (size_t i = 0; is_plain && i < NPART__COUNT(window_rules); i++)
        if (strcmp(schema->name, window_rules[i].op) == 0)
            add_row(&rows.windows, i);
    rows.has_perm = is_plain && npart__op_plays(schema->name, NPART__ROLE_REORDERS_AXES);
    rows.has_sizes = is_plain && npart__op_plays(schema->name, NPART__ROLE_RESHAPES);
    return rows;
}

/* Rows are of versions; a rule that came with opset 13 is not asked of a node of opset 11. */
void npart__check_shapes(struct npart__validity *validity, uint32_t id, const struct npart__shape_rows *rows)
{
    int since = npart__node_at(validity->graph, id)->schema->since;
    for (size_t i = rows->ranks.first; i < rows->ranks.end; i++)
        if (since >= rank_rules[i].since)
            check_rank(validity, id, &rank_rules[i]);
    if (rows->has_perm)
        check_perm(validity, id);
    if (rows->has_sizes && since >= 5)
        check_reshape(validity, id);
    for (size_t i = rows->windows.first; i < rows->windows.end; i++)
        if (since >= window_rules[i].since)
            check_window(validity, id, &window_rules[i]);
    for (size_t i = rows->axes.first; i < rows->axes.end; i++)
        if (since >= axis_rules[i].since && since <= axis_rules[i].until)
            check_axes(validity, id, &axis_rules[i]);
    for (size_t i = rows->lists.first; i < rows->lists.end; i++)
        if (since >= axes_inputs[i].since)
            check_axes_input(validity, id, &axes_inputs[i]);
}
