/* SPDX-License-Identifier: Apache-2.0
 *
 * One pass in order. A value is constant when it is an initializer or the node that makes it was folded into one; a
 * node is folded when all its results are constants, or when it only hands its input on.
 *
 * Modelled on what ONNX Runtime leaves of a graph at its basic level: constant_folding.cc, and the elimination of
 * Identity, Dropout, Cast, Slice, Expand and of neutral arithmetic. A Reshape to the same shape stays there, and a
 * Transpose to the same order, and so they do here; what becomes of them beside their like: neighbours.c.
 * DequantizeLinear of constants stays, because quantized operators need it beside them, unless all of such a unit is
 * computed ahead; what is quantized from constants does not.
 *
 * The order of what follows is the runtime's: folding and eliminations first, for each node alone; then what goes
 * because of a neighbour (neighbours.c), which needs to know what is left between the two; then merges (merge.c), which
 * ask that a result is used once by what is left. Each is linear in the graph.
 */
#include "onnxruntime/passes.h"
#include "onnxruntime/view.h"

/* What the pass reads, and the session that it fills in. */
struct folder {
    const struct npart__inference *inference;
    const struct npart__graph *graph;
    struct npart__session *out;
    enum npart_level level;
    enum npart__release release;
};

/* Rows of rewrites.def. NEVER: not folded even of constants; SIZE: folded where the shape of its operand is static,
 * as of a Shape; WRITE: folded because the node that it is the target of is written anew. */
struct row {
    const char *op, *second;
    struct npart__applies applies;
};

static const struct row never[] = {
#define NEVER(op, ...) {op, "", NPART__APPLIES(__VA_ARGS__)},
#include "onnxruntime/rewrites.def"
};
static const struct row sizes[] = {
#define SIZE(op, ...) {op, "", NPART__APPLIES(__VA_ARGS__)},
#include "onnxruntime/rewrites.def"
};
static const struct row written[] = {
#define WRITE(op, second, ...) {op, second, NPART__APPLIES(__VA_ARGS__)},
#include "onnxruntime/rewrites.def"
};

/* The row of an op that is on, or NULL. At level OFF no row is on. */
static const struct row *find_row(const struct folder *folder, const struct row *rows, size_t count, const char *op)
{
    for (size_t i = 0; i < count; i++)
        if (npart__same_text(rows[i].op, op) &&
            npart__is_on(rows[i].applies, folder->level, folder->release))
            return &rows[i];
    return NULL;
}

/* By the file's own operands, not by `stands_for`: inference has followed facts through nodes that hand on, so what
 * an Identity makes is known as well as what it takes. */
static const struct npart__fact *fact_in(const struct folder *folder, const struct npart__node *node, uint32_t index)
{
    uint32_t value = npart__node_input(folder->graph, node, index);
    return value == NPART_NONE ? NULL : npart__fact_of(folder->inference, value);
}

static const struct npart__fact *fact_out(const struct folder *folder, const struct npart__node *node)
{
    return npart__fact_of(folder->inference, npart__node_output(folder->graph, node, 0));
}

/* ---- constants ------------------------------------------------------------------------------------------- */

/* Constant at this level, not merely known: elements that inference followed out of a Shape are known too, but no
 * runtime has a tensor of them. An operand that is left out does not matter. */
static bool inputs_are_constant(const struct folder *folder, const struct npart__node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(folder->graph, node, i);
        if (value != NPART_NONE && !folder->out->is_constant[value])
            return false;
    }
    return true;
}

/* What inference found, which follows elements through nodes. A node without any result makes no constant. All
 * must be: a runtime folds a node as a whole, or not at all. */
static bool outputs_are_constant(const struct folder *folder, const struct npart__node *node)
{
    bool any = false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(folder->graph, node, i);
        if (value == NPART_NONE)
            continue;
        any = true;
        if (!npart__fact_of(folder->inference, value)->is_constant)
            return false;
    }
    return any;
}

/* Whether the node makes the shape that such a second asks for, and nothing else (see view_fuse.c), as in
 * Shape -> Gather -> Concat -> Reshape where that Reshape alone uses the Concat, as its second operand. */
static bool is_target_of(const struct folder *folder, const struct npart__node *node, const char *second)
{
    const struct npart__graph *graph = folder->graph;
    uint32_t result = npart__node_output(graph, node, 0);
    if (!npart__has_one_result(graph, node) || npart__value_at(graph, result)->consumer_count != 1)
        return false;
    const struct npart__value *value = npart__value_at(graph, result);
    const struct npart__node *user = npart__node_at(graph, graph->consumers[value->first_consumer]);
    return npart__is_onnx_op(graph, user, second) && npart__node_input(graph, user, 1) == result;
}

static enum npart_fate pass_reason(const struct folder *folder, const struct npart__node *node, uint32_t *from);

/* The only reader of a node's one result; NULL: there are others, or it is an output of a graph. */
static const struct npart__node *only_user(const struct folder *folder, const struct npart__node *node)
{
    const struct npart__graph *graph = folder->graph;
    if (!npart__has_one_result(graph, node))
        return NULL;
    const struct npart__value *value = npart__value_at(graph, npart__node_output(graph, node, 0));
    bool is_only = value->consumer_count == 1 && !value->is_graph_output;
    return is_only ? npart__node_at(graph, graph->consumers[value->first_consumer]) : NULL;
}

/* DequantizeLinear of constants, an operator of one operand and QuantizeLinear in a row: all are constant-folded
 * (constant_folding.cc). The runtime does not ask for a kernel first: a HardSwish, which has none, stays and reads a
 * FLOAT constant. What hands its operand on has been eliminated before. */
static bool is_constant_unit(const struct folder *folder, const struct npart__node *node)
{
    const struct npart__node *middle = only_user(folder, node), *last = middle ? only_user(folder, middle) : NULL;
    uint32_t from;
    return last && npart__node_plays(folder->graph, node, NPART__ROLE_DEQUANTIZES) &&
           npart__node_plays(folder->graph, last, NPART__ROLE_QUANTIZES) && folder->release != NPART__RELEASE_OWN &&
           middle->input_count == 1 && middle->output_count == 1 && !middle->body_count && middle->schema &&
           !(npart__operator_flags(middle->schema) & NPART__OPERATOR_RANDOM) && middle->domain == 0 &&
           pass_reason(folder, middle, &from) == NPART_FATE_LIVE;
}

/* CONSTANT, SHAPE or LIVE. Shape arithmetic is what computes with elements that inference had to find out, as a
 * Gather from a Shape does, and a constant is computed from initializers alone. A node with a body is not computed
 * ahead, whatever it takes. The order of the questions matters. A Constant goes at any level, since the runtime
 * makes an initializer of it while it loads the file. A Shape goes by what it reads of an operand that need not be
 * constant itself. Last comes whether the release has a kernel: constants are computed by running the kernels of
 * the CPU provider, so a Reciprocal of FLOAT16 constants stays in the graph, and so does what stands on it. */
static enum npart_fate constant_reason(const struct folder *folder, const struct npart__node *node)
{
    const char *op = npart__node_op(folder->graph, node);
    bool is_onnx = node->domain == 0;
    if (npart__is_constant_node(folder->graph, node))
        return NPART_FATE_CONSTANT;
    if (folder->level == NPART_LEVEL_OFF)
        return NPART_FATE_LIVE;
    /* All dims must be numbers, also where the node asks for some of them. */
    const struct npart__fact *in = fact_in(folder, node, 0);
    if (is_onnx && in && npart__is_static(in) && find_row(folder, sizes, NPART__COUNT(sizes), op))
        return NPART_FATE_SHAPE;
    if (!outputs_are_constant(folder, node))
        return NPART_FATE_LIVE;
    bool reads_constants = inputs_are_constant(folder, node);
    const struct row *row = is_onnx && !reads_constants ? find_row(folder, written, NPART__COUNT(written), op) : NULL;
    if (row && is_target_of(folder, node, row->second))
        return NPART_FATE_SHAPE; /* fused with what is after it */
    if (node->body_count || !reads_constants ||
        (find_row(folder, never, NPART__COUNT(never), op) && !is_constant_unit(folder, node)) ||
        !npart__can_compute(folder->inference, folder->graph, node, folder->release))
        return NPART_FATE_LIVE;
    /* An operand that is no initializer and still has known elements came out of shape arithmetic itself. */
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct npart__fact *fact = fact_in(folder, node, i);
        if (fact && !fact->is_initializer && fact->known && fact->known->ints)
            return NPART_FATE_SHAPE;
    }
    return NPART_FATE_CONSTANT;
}

/* ---- nodes that hand their input on ----------------------------------------------------------------------- */

/* Equal dims may be expressions: batch and batch are the same, whatever batch is. An unknown dim is like no other. */
static bool same_shape(const struct npart__fact *a, const struct npart__fact *b)
{
    if (!a->has_rank || !b->has_rank || a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (!npart__same(a->dims[i], b->dims[i]))
            return false;
    return true;
}

/* The whole number that every element of an input is; false when that is not known. Elements that are expressions
 * of symbolic dims are no numbers: a factor `batch` may be 1, and is not known to be. */
static bool all_elements(const struct folder *folder, const struct npart__node *node, uint32_t index, int64_t *out)
{
    uint32_t value = npart__node_input(folder->graph, node, index);
    const struct npart__fact *fact = fact_in(folder, node, index);
    const struct npart__known *known = fact && folder->out->is_constant[value] ? fact->known : NULL;
    if (!known || !known->ints || known->count == 0)
        return false;
    for (uint32_t i = 0; i < known->count; i++)
        if (known->ints[i] != known->ints[0] || !npart__is_number(known->ints[i]))
            return false;
    *out = known->ints[0];
    return true;
}

/* ---- what a row of PASS asks; *from is the operand that is handed on ---- */

/* Identity: there is nothing to ask. */
static bool hands_on(const struct folder *folder, const struct npart__node *node, uint32_t *from)
{
    (void)folder;
    (void)node;
    (void)from;
    return true;
}

/* A Dropout that may train is run. Its third operand says so since opset 12; where that is left out it does not
 * train. An older Dropout has no such operand, and a session only infers. A mask that somebody uses keeps it, too:
 * pass_reason asks for one result. */
static bool drops_nothing(const struct folder *folder, const struct npart__node *node, uint32_t *from)
{
    int64_t trains = 0;
    (void)from;
    return npart__node_input(folder->graph, node, 2) == NPART_NONE ||
           (all_elements(folder, node, 2, &trains) && !trains);
}

/* Every element of a list is this number: an attribute of old, or a constant input. Absent ones are, too. The
 * largest number of `ends` is what exporters write for "to the end". Elements that inference has not read are not
 * known, and then the Slice stays. */
static bool lists_only(const struct folder *folder, const struct npart__node *node, const char *attribute_name,
                       uint32_t index, int64_t number)
{
    const struct npart__attribute *attribute = npart__node_attribute(folder->graph, node, attribute_name);
    int64_t value = number;
    if (!npart__node_ints_are(folder->graph, node, attribute_name, number))
        return false;
    return attribute || npart__node_input(folder->graph, node, index) == NPART_NONE ||
           (all_elements(folder, node, index, &value) && value == number);
}

/* What some eliminations leave alone: nothing stands before that could give its result the name. Initializers and
 * inputs of bodies count as such, too. */
static bool is_graph_input(const struct folder *folder, const struct npart__node *node, uint32_t index)
{
    uint32_t value = folder->out->stands_for[npart__node_input(folder->graph, node, index)];
    return npart__value_at(folder->graph, value)->kind != NPART__VALUE_OUTPUT;
}

/* From the first element to the end, written as the largest number, in steps of 1: no other Slice is looked at. */
static bool takes_all(const struct folder *folder, const struct npart__node *node, uint32_t *from)
{
    (void)from;
    return !is_graph_input(folder, node, 0) && lists_only(folder, node, "starts", 1, 0) &&
           lists_only(folder, node, "ends", 2, INT64_MAX) && lists_only(folder, node, "steps", 4, 1);
}

/* A Cast from a type to itself. A type that is not known is not equal to another that is not known. Facts are
 * those of the session's policy, so a type that the runtime does not know keeps the Cast, as it does there. */
static bool keeps_its_type(const struct folder *folder, const struct npart__node *node, uint32_t *from)
{
    const struct npart__fact *in = fact_in(folder, node, 0);
    (void)from;
    return in->element_type && in->element_type == fact_out(folder, node)->element_type;
}

/* To a constant shape, and not of a graph's own input. A shape of ones expands nothing, either: what is compared
 * is what comes out, and not the operand that asks for it. One without elements the runtime does not look at
 * (expand_elimination.cc). */
static bool expands_nothing(const struct folder *folder, const struct npart__node *node, uint32_t *from)
{
    uint32_t shape = npart__node_input(folder->graph, node, 1);
    const struct npart__fact *wanted = shape == NPART_NONE ? NULL : npart__fact_of(folder->inference, shape);
    bool is_empty = wanted && wanted->has_rank && wanted->rank == 1 && wanted->dims[0] == 0;
    (void)from;
    return wanted && !is_empty && folder->out->is_constant[shape] && !is_graph_input(folder, node, 0) &&
           same_shape(fact_in(folder, node, 0), fact_out(folder, node));
}

/* Whether arithmetic with this number changes nothing, and an operand can give its result the name. x + 0 with a 0
 * of shape [1,1] and an x of shape [4] makes [1,4]: that is no neutral addition, so shapes are compared, too.
 * `commutes`: 0 + x is as good as x + 0, but 0 - x is not x. Only small integers are left out (fewer than 32 bits,
 * no float), as the elimination leaves them out. */
static bool is_neutral(const struct folder *folder, const struct npart__node *node, double number, bool commutes,
                       uint32_t *from)
{
    const struct npart__fact *out = fact_out(folder, node);
    if (npart__type_bits(out->element_type) < 32 && !npart__type_is_float(out->element_type))
        return false; /* small whole numbers are not looked at */
    /* `other` is the place of the constant, 1 - other that of the operand that is kept. For Sub and Div only the
     * second place counts. */
    for (uint32_t other = commutes ? 0 : 1; other < 2; other++) {
        const struct npart__fact *kept = fact_in(folder, node, 1 - other);
        double value;
        *from = 1 - other;
        if (kept && npart__constant_number(folder->out, npart__node_input(folder->graph, node, other), &value) &&
            value == number && same_shape(kept, out))
            return !is_graph_input(folder, node, *from); /* the first that fits decides */
    }
    return false;
}

static bool adds_nothing(const struct folder *folder, const struct npart__node *node, uint32_t *from)
{
    return is_neutral(folder, node, 0, true, from);
}

static bool subtracts_nothing(const struct folder *folder, const struct npart__node *node, uint32_t *from)
{
    return is_neutral(folder, node, 0, false, from);
}

static bool multiplies_by_one(const struct folder *folder, const struct npart__node *node, uint32_t *from)
{
    return is_neutral(folder, node, 1, true, from);
}

static bool divides_by_one(const struct folder *folder, const struct npart__node *node, uint32_t *from)
{
    return is_neutral(folder, node, 1, false, from);
}

/* By operator, so at most one row of a release says something of an op. `holds` may change *from, which begins at 0. */
static const struct pass {
    const char *op;
    bool (*holds)(const struct folder *folder, const struct npart__node *node, uint32_t *from);
    enum npart_fate fate;
    struct npart__applies applies;
} passes[] = {
#define PASS(op, holds, fate, ...) {op, holds, NPART_FATE_##fate, NPART__APPLIES(__VA_ARGS__)},
#include "onnxruntime/rewrites.def"
};

/* *from is the operand that is handed on. A node of which another result than the first is used stays: a Dropout's
 * mask, or what its operator does not have. A file may give a node more results than its operator has; when such a
 * node went, the user of a second result had a producer that is not run. */
static enum npart_fate pass_reason(const struct folder *folder, const struct npart__node *node, uint32_t *from)
{
    const char *op = npart__node_op(folder->graph, node);
    *from = 0;
    if (node->domain != 0 || !fact_in(folder, node, 0) || !npart__has_one_result(folder->graph, node))
        return NPART_FATE_LIVE;
    /* The table is short and is asked once per node; texts that differ are told apart by their first letters. */
    for (size_t i = 0; i < NPART__COUNT(passes); i++)
        if (npart__same_text(passes[i].op, op) &&
            npart__is_on(passes[i].applies, folder->level, folder->release))
            return passes[i].holds(folder, node, from) ? passes[i].fate : NPART_FATE_LIVE;
    return NPART_FATE_LIVE;
}

/* Whether nothing else uses a value, nor what stands before it past nodes that are gone. A value with one user leads to
 * one output, so all walks together are linear. */
static bool is_used_once(const struct folder *folder, uint32_t value)
{
    const struct npart__graph *graph = folder->graph;
    const uint32_t end = folder->out->stands_for[value];
    while (npart__value_at(graph, value)->consumer_count == 1 && value != end) {
        uint32_t maker = npart__producer(graph, value), from;
        bool is_passed = maker != NPART_NONE && folder->out->fates[maker] != NPART_FATE_LIVE &&
                         pass_reason(folder, npart__node_at(graph, maker), &from) != NPART_FATE_LIVE;
        /* Else it is the result of a call or branch that is inlined. */
        value = is_passed ? npart__node_input(graph, npart__node_at(graph, maker), from) : end;
    }
    return npart__value_at(graph, value)->consumer_count == 1;
}

/* A runtime keeps a node whose result is the graph's output. Of an Identity it gives that name to what stands before,
 * unless that is the graph's input or another output: both names must remain. The third condition, that the value
 * before has no other user, is what the runtime asks when it gives an output's name to another node: what else
 * used it would have to be renamed, too; for the same reason an output that a node uses as well stays. In another
 * region it cannot be renamed at all, since a body's result has a name of its own. */
static bool can_be_bypassed(const struct folder *folder, const struct npart__node *node, enum npart_fate reason,
                            uint32_t input)
{
    const struct npart__graph *graph = folder->graph;
    uint32_t from = folder->out->stands_for[npart__node_input(graph, node, input)];
    uint32_t result = npart__node_output(graph, node, 0);
    if (!npart__value_at(graph, result)->is_graph_output)
        return true;
    const struct npart__value *value = npart__value_at(graph, from);
    return reason == NPART_FATE_IDENTITY && value->kind == NPART__VALUE_OUTPUT && !value->is_graph_output &&
           npart__value_at(graph, result)->consumer_count == 0 &&
           is_used_once(folder, npart__node_input(graph, node, input)) &&
           npart__scope_at(graph, value->scope)->region == npart__node_region(graph, npart__producer(graph, result));
}

/* ---- the pass -------------------------------------------------------------------------------------------- */

/* A node goes because all its results are constants, or because it hands one operand on; then what used its result
 * uses that operand. Only a first result can be handed on. Fates of nodes before are final here, as the order is
 * topological: `stands_for` of an operand is resolved to its end, and one step is enough. */
static void fold_node(struct folder *folder, uint32_t id)
{
    const struct npart__graph *graph = folder->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    enum npart_fate reason = constant_reason(folder, node);
    bool is_constant = reason != NPART_FATE_LIVE;
    uint32_t from = 0;
    if (!is_constant) {
        reason = pass_reason(folder, node, &from);
        if (reason != NPART_FATE_LIVE && !can_be_bypassed(folder, node, reason, from))
            reason = NPART_FATE_LIVE;
    }
    folder->out->fates[id] = (uint8_t)reason;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(graph, node, i);
        if (value == NPART_NONE)
            continue;
        folder->out->is_constant[value] = is_constant;
        if (!is_constant && reason != NPART_FATE_LIVE && i == 0)
            folder->out->stands_for[value] = folder->out->stands_for[npart__node_input(graph, node, from)];
    }
}

/* A node that is never run: of a branch, or of a call that is one node. Of a call that a provider takes whole, the
 * nodes of its body are in the file, and part of the one node that is run: FUSED into it. Walks up through scopes,
 * since such a call may stand in another's body. The outermost such call wins, as the last one written: it is the
 * node that the provider sees. */
static void leave_out(struct folder *folder, uint32_t id)
{
    const struct npart__graph *graph = folder->graph;
    uint32_t scope = npart__node_at(graph, id)->scope; /* the node's own list of nodes */
    folder->out->fates[id] = NPART_FATE_UNTAKEN;
    while (npart__scope_at(graph, scope)->parent != NPART_NONE) {
        uint32_t holder = npart__scope_at(graph, scope)->node;
        bool is_whole = npart__scope_at(graph, scope)->kind == NPART_GRAPH_CALL &&
                        npart__node_at(graph, holder)->callee == NPART_NONE; /* not inlined, so it is one node */
        if (is_whole && npart__node_region(graph, holder) != NPART_NONE) {
            folder->out->fates[id] = NPART_FATE_FUSED;
            folder->out->into[id] = holder;
        }
        scope = npart__scope_at(graph, scope)->parent;
    }
}

/* Last, as it overrides what folding has found: a node of a branch that is not taken may well be constant. */
static void leave_out_all(struct folder *folder)
{
    const struct npart__graph *graph = folder->graph;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        if (npart__node_region(graph, i) == NPART_NONE)
            leave_out(folder, i);
        else if (npart__node_at(graph, i)->callee != NPART_NONE)
            folder->out->fates[i] = NPART_FATE_INLINED;
    }
}

/* Zeroed where 0 is the answer for a node that nothing was decided of: LIVE, not constant, not remade, the first
 * round. One more element each, so that a graph without nodes or values has arrays that are not empty. */
static bool allocate(const struct npart__graph *graph, struct npart__arena *arena, struct npart__session *out)
{
    size_t nodes = graph->nodes.count + (size_t)1, values = graph->values.count + (size_t)1;
    out->fates = npart__arena_zeroed(arena, nodes, sizeof *out->fates);
    out->is_constant = npart__arena_zeroed(arena, values, sizeof *out->is_constant);
    out->stands_for = npart__arena_allocate(arena, values * sizeof *out->stands_for);
    out->into = npart__arena_allocate(arena, nodes * sizeof *out->into);
    out->remade = npart__arena_zeroed(arena, nodes, sizeof *out->remade);
    out->round = npart__arena_zeroed(arena, nodes, sizeof *out->round);
    out->place = npart__arena_allocate(arena, nodes * sizeof *out->place);
    return out->fates && out->is_constant && out->stands_for && out->into && out->remade && out->round && out->place;
}

/* All arrays are of the file's ids. What is scratch of a pass has an arena of its own over the same allocator, and is
 * gone when the pass ends. */
npart_status npart__session_make(struct npart__inference *inference, enum npart_level level,
                                 enum npart__release release, struct npart__arena *arena,
                                 struct npart__session *out, struct npart_error *error)
{
    const struct npart__graph *graph = inference->graph;
    *out = (struct npart__session){.made_from = inference, .inference = inference, .file = graph,
                                     .computes = npart__can_compute};
    if (!allocate(graph, arena, out))
        return npart__fail_memory(error);
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        out->into[i] = NPART_NONE;
        out->place[i] = i;
    }
    for (uint32_t i = 0; i < graph->values.count; i++) {
        out->is_constant[i] = npart__value_at(graph, i)->kind == NPART__VALUE_INITIALIZER;
        out->stands_for[i] = i;
    }
    struct folder folder = {.inference = inference, .graph = graph, .out = out, .level = level, .release = release};
    /* Regions are listed outside first, so what a body captures has been decided when the body is met. */
    for (uint32_t i = 0; i < graph->order_count; i++)
        fold_node(&folder, graph->order[i]);
    /* A target without a runtime (OWN) has rows of rewrites.def for folding and eliminating, and none of these: only
     * ONNX Runtime was asked about them. */
    bool rewrites = out->moves_quantizers = level == NPART_LEVEL_BASIC && release != NPART__RELEASE_OWN;
    /* Views of a runtime know which values are equal; where a list knows all, and is rewritten, it is asked here. */
    if (rewrites && !inference->first_equal && !npart__find_common_subexpressions(inference)) {
        inference->first_equal = inference->equal_uses = NULL; /* the next try begins anew */
        return npart__fail_memory(error);
    }
    if (rewrites && (!npart__fold_neighbours(out, release, arena) || !npart__fold_double_pairs(out, arena) ||
                     !npart__fold_merges(out, release, arena)))
        return npart__fail_memory(error);
    if (rewrites && !npart__fold_equal(out, arena))
        return npart__fail_memory(error);
    leave_out_all(&folder); /* overrides fates of nodes that are in no region */
    return npart__session_connect(out, arena) ? NPART_OK : npart__fail_memory(error);
}
