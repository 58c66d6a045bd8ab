/* SPDX-License-Identifier: Apache-2.0
 *
 * The line for people of a cause: what it is, never what it does.
 */
#include "cause/finder.h"

/* A text that could not be copied ends the whole: `failed` is looked at by all callers in the end. */
static const char *node_text(struct npart__finder *finder, uint32_t node)
{
    char text[160];
    npart__describe_node(finder->graph, node, text, sizeof text);
    const char *copy = npart__arena_copy_text(finder->arena, text, strlen(text));
    finder->failed |= !copy;
    return copy ? copy : "";
}

/* ---- ops -------------------------------------------------------------------------------------------------- */

/* The last count, one more than are named, says that there are others; how many is not told. */
static void note_op(struct npart__finder *finder, uint32_t cause, uint32_t node)
{
    struct npart__about_cause *about = &finder->about.items[cause];
    uint32_t op = npart__node_at(finder->graph, node)->op_type, count = about->op_count;
    for (uint32_t i = 0; i < count && i < NPART__OPS_NAMED; i++)
        if (about->ops[i] == op)
            return;
    if (count < NPART__OPS_NAMED)
        about->ops[count] = op;
    if (count <= NPART__OPS_NAMED)
        about->op_count++;
}

/* The ops of the roots, where these are nodes that are traced to; else of the affected nodes. Linear in nodes: an
 * op is compared with three names at most. */
static void note_ops(struct npart__finder *finder)
{
    for (uint32_t node = 0; node < finder->graph->nodes.count; node++) {
        uint32_t cause = finder->out->cause_of[node];
        if (finder->root_in[node])
            note_op(finder, finder->root_in[node] - 1, node);
        if (cause != NPART_NONE && finder->about.items[cause].root_count == 0 &&
            !npart__is_left_over(finder, node))
            note_op(finder, cause, node);
    }
}

/* "Add", "Add and Mul", "Add, Mul, Sub and other ops". */
static void append_ops(const struct npart__finder *finder, const struct npart__about_cause *about,
                       struct npart__buffer *out)
{
    for (uint32_t i = 0; i < about->op_count && i < NPART__OPS_NAMED; i++) {
        bool is_last = i + 1u == about->op_count;
        npart__append_text(out, i == 0 ? "" : is_last ? " and " : ", ");
        npart__append_text(out, npart__text(&finder->graph->strings, about->ops[i]));
    }
    if (about->op_count > NPART__OPS_NAMED)
        npart__append_text(out, " and other ops");
}

/* ---- dims of inputs --------------------------------------------------------------------------------------- */

/* The name of the first input that has the symbol; NULL where none has it. */
static const char *input_with(const struct npart__finder *finder, uint32_t symbol)
{
    uint32_t value = finder->trace.input_of[symbol];
    return value ? npart__value_name(finder->graph, value - 1) : NULL;
}

/* The axis of the input that has the symbol. The last axis where no other has it, so that the loop ends. There is
 * such an input: it is asked of dims that fall together with others, and only dims of inputs are joined. */
static uint32_t axis_of(const struct npart__finder *finder, uint32_t symbol)
{
    const struct npart__inference *known = finder->session->known;
    const struct npart__fact *fact = npart__fact_of(known, finder->trace.input_of[symbol] - 1);
    uint32_t axis = 0;
    while (axis + 1u < fact->rank && npart__root_symbol(&known->expressions, fact->dims[axis]) != symbol)
        axis++;
    return axis;
}

/* "`batch` is dynamic (input `x`)", "`batch` and `sequence` are dynamic (input `x`)". Of more than three: "`a`,
 * `b`, `c` and 2 others are dynamic (input `x` and others)". */
static void append_dims(const struct npart__finder *finder, uint32_t symbol, struct npart__buffer *out)
{
    /* A set is walked in the order of symbols, which is that of inputs and axes. */
    const struct npart__symbol *symbols = finder->session->known->expressions.symbols.items;
    uint32_t first = finder->uses[symbol].together, total = finder->uses[first].members, count = 0;
    const char *input = input_with(finder, first);
    bool are_elsewhere = false;
    if (!symbols[first].name && total == 1) {
        npart__append_format(out, "an unnamed dimension%s%s%s is dynamic", input ? " of input `" : "",
                             input ? input : "", input ? "`" : "");
        return;
    }
    for (uint32_t s = first; s != NPART_NONE; s = finder->uses[s].next) {
        const char *name = symbols[s].name, *other = input_with(finder, s);
        are_elsewhere |= input && other && strcmp(input, other) != 0;
        if (count++ >= NPART__OPS_NAMED)
            continue;
        npart__append_text(out, count == 1 ? "" : count == total ? " and " : ", ");
        if (name)
            npart__append_format(out, "`%s`", name);
        else /* as `--dim` takes unnamed ones: INPUT.AXIS */
            npart__append_format(out, "`%s.%u`", other ? other : "?", axis_of(finder, s));
    }
    if (total > NPART__OPS_NAMED)
        npart__append_format(out, " and %u other%s", total - NPART__OPS_NAMED,
                             total == NPART__OPS_NAMED + 1 ? "" : "s");
    npart__append_text(out, total == 1 ? " is dynamic" : " are dynamic");
    if (input)
        npart__append_format(out, are_elsewhere ? " (input `%s` and others)" : " (input `%s`)", input);
}

/* ---- each family ------------------------------------------------------------------------------------------ */

/* "input `x`", "weight `w`", "node 4 (Cast c)": where the first affected node has what it does not take. The node
 * that makes it is where a Cast would go; an input or a weight is where the type was chosen. */
static void append_origin(struct npart__finder *finder, uint32_t value, struct npart__buffer *out)
{
    if (value == NPART_NONE)
        return;
    const struct npart__value *at = npart__value_at(finder->graph, value);
    if (at->kind == NPART__VALUE_OUTPUT && at->producer != NPART_NONE)
        npart__append_format(out, " (from %s)", node_text(finder, at->producer));
    else
        npart__append_format(out, " (%s `%s`)", at->kind == NPART__VALUE_INPUT ? "input" : "weight",
                             npart__value_name(finder->graph, value));
}

/* Where nodes of several ops are one cause, what they share is the subject (a rank, a type); else the ops are. A rule
 * without a condition is about the target as a whole, and its sentence stands alone. */
static void append_rule(struct npart__finder *finder, const struct npart__cause *cause,
                        const struct npart__about_cause *about, struct npart__buffer *out)
{
    const struct npart__rule *rule = &finder->oplist->rules.items[cause->rule];
    /* "rank 6 is not supported by Add and Mul"; or, where the rules have one sentence, "Conv: rank of X must be
     * 4". */
    bool is_number = about->family == NPART__FAMILY_RANK || about->family == NPART__FAMILY_TYPE;
    if (is_number && about->is_mixed) {
        if (about->family == NPART__FAMILY_RANK)
            npart__append_format(out, "rank %u", about->key);
        else
            npart__append_text(out, npart__type_name((int)about->key));
        npart__append_text(out, " is not supported by ");
        append_ops(finder, about, out);
    } else if (rule->condition == NPART_NONE && about->family != NPART__FAMILY_CONTROL) {
        npart__append_text(out, rule->sentence);
    } else {
        append_ops(finder, about, out);
        npart__append_format(out, ": %s", rule->sentence);
    }
    /* With several ops the text does not say which node is meant, so where the type comes from is told. */
    if (about->family == NPART__FAMILY_TYPE && about->op_count > 1)
        append_origin(finder, about->culprit, out);
}

/* Nodes that sizes are lost at: one by its name, several by their number and op. Inference that comes with a later
 * opset is said, as that is what can be done. "node 12 (NonZero n) has a data-dependent output shape", "3 NonZero
 * nodes have data-dependent output shapes", "GreaterOrEqual and LessOrEqual have no shape inference before opset
 * 16, so all shapes after them are unknown". */
static void append_lost(struct npart__finder *finder, const struct npart__cause *cause,
                        const struct npart__about_cause *about, struct npart__buffer *out)
{
    static const char *const words[][2] = {
        [NPART__FAMILY_DATA] = {"has a data-dependent output shape", "have data-dependent output shapes"},
        [NPART__FAMILY_RANKLESS] = {"has an output of unknown rank", "have outputs of unknown rank"},
        [NPART__FAMILY_CONTROL] = {"has an output of unknown shape", "have outputs of unknown shape"},
        [NPART__FAMILY_LOST] = {"has an output shape that the runtime cannot infer",
                                "have output shapes that the runtime cannot infer"},
        [NPART__FAMILY_DECLARED] = {"has an output of which the file declares another shape",
                                    "have outputs of which the file declares other shapes"},
    };
    bool is_one = about->root_count == 1, is_unshaped = about->family == NPART__FAMILY_UNSHAPED;
    const struct npart__node *root = npart__node_at(finder->graph, cause->root);
    int64_t since;
    bool lacks_shapes = npart__lacks_shapes(root, &since);
    if (is_one) {
        npart__append_text(out, node_text(finder, cause->root));
    } else if (is_unshaped) {
        append_ops(finder, about, out);
    } else {
        npart__append_format(out, "%u ", about->root_count);
        append_ops(finder, about, out);
        npart__append_text(out, " nodes");
    }
    bool is_singular = is_one || (is_unshaped && about->op_count == 1);
    /* A table row for each family that can get here; UNSHAPED always lacks shapes. */
    if (!lacks_shapes) {
        npart__append_format(out, " %s", words[about->family][!is_one]);
        return;
    }
    npart__append_format(out, " %s no shape inference ", is_singular ? "has" : "have");
    /* Where the standard never gave it inference there is no opset to wait for, and the node's own is told. */
    npart__append_format(out, since ? "before opset %d" : "at opset %d", since ? (int)since : root->opset_version);
    npart__append_format(out, ", so all shapes after %s are unknown", is_singular ? "it" : "them");
}

/* One line a cause, made of what it is about: the words of each family are those that a reader would search for in
 * the model (an op, a dimension, an input, a tensor). */
static void word_cause(struct npart__finder *finder, uint32_t id, struct npart__buffer *out)
{
    const struct npart__cause *cause = &finder->out->items.items[id];
    const struct npart__about_cause *about = &finder->about.items[id];
    const char *sentence = finder->oplist->rules.items[cause->rule].sentence;
    switch ((enum npart__family)about->family) {
    case NPART__FAMILY_OP: { /* the only family that always has affected nodes */
        const struct npart__node *first = npart__node_at(finder->graph, cause->first_affected);
        const char *domain = npart__text(&finder->graph->strings, first->domain);
        npart__append_format(out, "%s%s%s: %s", domain, *domain ? ":" : "", npart__node_op(finder->graph, first),
                             sentence);
        break;
    }
    case NPART__FAMILY_SYMBOL:
        append_dims(finder, cause->symbol, out);
        break;
    case NPART__FAMILY_INPUT:
        npart__append_format(out, "the shape of input `%s` is unknown", npart__value_name(finder->graph, about->key));
        break;
    case NPART__FAMILY_CUT:
        npart__append_format(out, "%s after `%s`", sentence, npart__value_name(finder->graph, cause->cut_value));
        break;
    case NPART__FAMILY_CONTROL:
        if (cause->about != NPART_ABOUT_DYNAMIC)
            append_rule(finder, cause, about, out);
        else
            append_lost(finder, cause, about, out);
        break;
    case NPART__FAMILY_RULE:
    case NPART__FAMILY_RANK:
    case NPART__FAMILY_TYPE:
        append_rule(finder, cause, about, out);
        break;
    default:
        append_lost(finder, cause, about, out);
        break;
    }
}

/* Ops are noted for all causes in one walk over the nodes, then each cause is worded from what was noted. */
void npart__word_causes(struct npart__finder *finder)
{
    note_ops(finder);
    for (uint32_t c = 0; c < finder->out->items.count && !finder->failed; c++) {
        struct npart__buffer text = {.arena = finder->arena};
        word_cause(finder, c, &text);
        const char *words = npart__buffer_text(&text);
        finder->failed |= text.failed;
        finder->out->items.items[c].text = words;
    }
}
