/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that fall back, grouped by why. A size that is not known is traced to the dim of an input or to the node that
 * it goes back to (trace.c); what no more than follows belongs to that. Everything else is grouped by rule, and rules
 * of several ops by what they require or by what they found.
 *
 * Where `batch` of an input is dynamic, and 300 nodes fall back because a shape is not static, each names its own
 * rule, but all go back to `batch`: one cause, of the family SYMBOL, with 300 affected nodes. A Gelu that the list
 * lacks is a cause of the family OP, with all Gelu nodes of the model.
 * Nodes are visited once, then those that are left over, then causes that only go together are joined. Linear in nodes
 * and their operands, but for rules of the same sentence, which are compared with the causes there are.
 */
#include "cause/finder.h"

/* Ranks, element types and opsets below this are keys; none is higher in what models and lists say. Ranks end at
 * NPART__LIMIT_RANK, and ONNX's element types and opsets are in the twenties; what is beyond all the same gets
 * another family. */
#define MOST_NUMBERS (NPART__LIMIT_RANK + 1)
/* From here on a rank is more than some accelerators have, whichever op asks. */
#define HIGH_RANK 5u
/* Different dims of one node that are looked at. A node that mixes more of them is counted by the first ones, so
 * that counting stays linear. */
#define DIMS_OF_NODE 8u

/* Undecided nodes and those that fail to compile count, too: each is a node that the NPU cannot be relied on for. */
static bool falls_back(const struct npart__finder *finder, uint32_t node)
{
    return npart__is_live(finder->session, node) && finder->mask->verdicts[node] != NPART_VERDICT_NPU;
}

/* ---- making causes ---------------------------------------------------------------------------------------- */

/* How many keys a family can have, for an array that is looked up by key: a search over causes for each node would
 * be quadratic. */
static size_t keys_of(const struct npart__finder *finder, enum npart__family family)
{
    switch (family) {
    case NPART__FAMILY_RULE:
        return finder->oplist->rules.count;
    case NPART__FAMILY_SYMBOL:
        return finder->session->known->expressions.symbols.count;
    case NPART__FAMILY_INPUT:
        return finder->graph->values.count;
    case NPART__FAMILY_RANK:
    case NPART__FAMILY_TYPE:
    case NPART__FAMILY_UNSHAPED:
        return MOST_NUMBERS;
    default: /* by operator: its interned name */
        return finder->graph->strings.texts.count;
    }
}

/* Where the cause of a family with a key stands, plus one; NULL when out of memory. Made when the first of the
 * family is asked for; most models have causes of few families. */
static uint32_t *slot_of(struct npart__finder *finder, enum npart__family family, uint32_t key)
{
    if (!finder->slots[family])
        finder->slots[family] = npart__arena_zeroed(finder->arena, keys_of(finder, family) + 1, sizeof(uint32_t));
    finder->failed |= !finder->slots[family];
    return finder->slots[family] ? &finder->slots[family][key] : NULL;
}

/* The two lists have the same places: what users see, and what only the finder knows. */
static uint32_t new_cause(struct npart__finder *finder, enum npart__family family, uint32_t key, uint32_t rule)
{
    struct npart__cause cause = {
        .about = finder->oplist->rules.items[rule].about, .rule = rule, .symbol = NPART_NONE, .root = NPART_NONE,
        .cut_value = NPART_NONE, .first_affected = NPART_NONE};
    struct npart__about_cause about = {.family = (uint8_t)family, .key = key, .culprit = NPART_NONE};
    /* Where only the second cannot be added the lists differ in length; `failed` ends the search before anybody
     * pairs them. */
    if (!NPART__PUSH(finder->arena, &finder->out->items, cause) || !NPART__PUSH(finder->arena, &finder->about, about)) {
        finder->failed = true;
        return NPART_NONE;
    }
    return finder->out->items.count - 1;
}

/* A cause that asks the same of another op. By sentence, since a list writes the same requirement for each op as a
 * rule of its own. Asked once for a rule, as the slot then has the answer. The place is told plus one, as slots
 * have it; 0: there is none. */
static uint32_t same_requirement(const struct npart__finder *finder, uint32_t rule)
{
    const struct npart__rule *rules = finder->oplist->rules.items;
    for (uint32_t c = 0; c < finder->out->items.count; c++) {
        const struct npart__rule *other = &rules[finder->out->items.items[c].rule];
        if (finder->about.items[c].family == NPART__FAMILY_RULE && other->about == rules[rule].about &&
            other->is_fatal == rules[rule].is_fatal && strcmp(other->sentence, rules[rule].sentence) == 0)
            return c + 1;
    }
    return 0;
}

/* The cause of a family with a key, made when there is none. `is_joined`: other ops' rules of the same sentence.
 * After joining, several keys have one cause. */
static uint32_t cause_of_key(struct npart__finder *finder, enum npart__family family, uint32_t key, uint32_t rule,
                             bool is_joined)
{
    uint32_t *slot = slot_of(finder, family, key);
    if (!slot)
        return NPART_NONE;
    if (*slot == 0 && is_joined)
        *slot = same_requirement(finder, rule);
    if (*slot == 0) {
        uint32_t made = new_cause(finder, family, key, rule);
        if (made == NPART_NONE)
            return made;
        *slot = made + 1;
    }
    return *slot - 1;
}

/* ---- sizes that are not known ----------------------------------------------------------------------------- */

/* A node is a root of one cause only, the first that asks for it. */
static void add_root(struct npart__finder *finder, uint32_t cause, uint32_t node)
{
    if (cause == NPART_NONE || finder->root_in[node])
        return;
    finder->root_in[node] = cause + 1;
    finder->about.items[cause].root_count++;
    if (finder->out->items.items[cause].root == NPART_NONE)
        finder->out->items.items[cause].root = node;
}

/* What kind of loss it is that a node's results have no shape. By the worst of its results: an unknown rank is more
 * than an unknown dim, and where all is known but to the runtime it is LOST, or DECLARED where the file is why. */
static enum npart__family family_of_loss(const struct npart__finder *finder, const struct npart__node *node)
{
    enum npart__family family = NPART__FAMILY_LOST;
    /* A node with bodies loses shapes by what runs in them, whichever result it is. */
    if (node->body_count)
        return NPART__FAMILY_CONTROL;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(finder->graph, node, i);
        /* By all that can be known of sizes: with the runtime's view every loss would look like an unknown dim. */
        const struct npart__fact *fact = value == NPART_NONE ? NULL : npart__fact_of(finder->session->known, value);
        if (fact && !fact->has_rank)
            return NPART__FAMILY_RANKLESS;
        if (fact && !npart__is_static(fact))
            family = NPART__FAMILY_DATA;
        else if (fact && family == NPART__FAMILY_LOST && npart__disagrees(finder->session->inference, value))
            family = NPART__FAMILY_DECLARED;
    }
    return family;
}

/* Whether a node falls back since the list does not have its op, and no later opset or constant says its shape.
 * Such a node is told by its op, as one more line about the shapes that it does not say would be about the same
 * thing. */
static bool is_of_missing_op(const struct npart__finder *finder, uint32_t node, enum npart__family loss)
{
    const struct npart__reason *reason =
        falls_back(finder, node) ? npart__first_reason(finder->oplist, finder->mask, node) : NULL;
    const struct npart__rule *rule = reason ? &finder->oplist->rules.items[reason->rule] : NULL;
    /* The size of a NonZero's result is up to the data, and would be so if the list had the op: that is told as
     * DATA. Of an operator without a schema it is not known whose doing it is. */
    return rule && rule->about == NPART_ABOUT_OP && rule->condition == NPART_NONE &&
           (loss != NPART__FAMILY_DATA || !npart__node_at(finder->graph, node)->schema);
}

/* The cause at a node that shapes are lost at. An operator that gets shape inference at a later opset is told by
 * that opset, since one export with it solves all of them. */
static uint32_t cause_of_loss(struct npart__finder *finder, uint32_t id, uint32_t rule)
{
    const struct npart__node *node = npart__node_at(finder->graph, id);
    if (finder->root_in[id]) /* a cause of its own would have no root to be told by */
        return finder->root_in[id] - 1;
    enum npart__family family = family_of_loss(finder, node);
    uint32_t key = node->op_type;
    int64_t since;
    /* Since is a key: an array has room for it. */
    if (npart__lacks_shapes(node, &since) && since > 0 && since < (int64_t)MOST_NUMBERS) {
        family = NPART__FAMILY_UNSHAPED;
        key = (uint32_t)since;
    } else if (family != NPART__FAMILY_CONTROL && is_of_missing_op(finder, id, family)) {
        family = NPART__FAMILY_OP;
    }
    uint32_t cause = cause_of_key(finder, family, key, rule, false);
    add_root(finder, cause, id); /* the first to ask; the others find it in root_in */
    return cause;
}

/* The three ranges of npart__root (trace.h), each with a family of its own. */
static uint32_t cause_of_root(struct npart__finder *finder, npart__root root, uint32_t rule)
{
    const struct npart__trace *trace = &finder->trace;
    if (npart__is_root_node(trace, root))
        return cause_of_loss(finder, root - 1, rule);
    if (!npart__is_root_symbol(trace, root))
        return cause_of_key(finder, NPART__FAMILY_INPUT, npart__value_of_root(trace, root), rule, false);
    uint32_t symbol = npart__symbol_of_root(trace, root);
    uint32_t cause = cause_of_key(finder, NPART__FAMILY_SYMBOL, symbol, rule, false);
    if (cause != NPART_NONE)
        finder->out->items.items[cause].symbol = symbol;
    return cause;
}

/* The first operand or result of which the shape is not known; NPART_NONE where all are. Operands first: what a
 * node gets explains more than what it makes of it. */
static uint32_t shapeless_value(const struct npart__finder *finder, const struct npart__node *node)
{
    for (uint32_t i = 0; i < node->input_count + node->output_count; i++) {
        uint32_t value = i < node->input_count ? npart__node_input(finder->graph, node, i)
                                               : npart__node_output(finder->graph, node, i - node->input_count);
        if (value != NPART_NONE && npart__shape_root(&finder->trace, value))
            return value;
    }
    return NPART_NONE;
}

/* What it goes back to that a node falls back: a size that is not known; 0 where that is not why. Only where the rule
 * asks for a size or a constant, or could not be told: a rule about a type or an attribute fails whatever the sizes
 * are. Whatever the rule, a node that only computes sizes goes back to what they do, since it would be folded. A node
 * that fails to compile is told by its rule, unless that is about sizes. */
static npart__root root_of(const struct npart__finder *finder, uint32_t node, const struct npart__reason *reason,
                           uint32_t culprit)
{
    const struct npart__rule *rule = &finder->oplist->rules.items[reason->rule];
    const struct npart__trace *trace = &finder->trace;
    bool is_dynamic = rule->about == NPART_ABOUT_DYNAMIC;
    bool is_unsure = reason->truth == NPART__MAYBE && rule->kind == NPART_RULE_NEED;
    npart__root root = 0;
    /* The rule did not say which operand it failed for: the first whose shape is not known stands for it. */
    if (culprit == NPART_NONE && (is_dynamic || is_unsure))
        culprit = shapeless_value(finder, npart__node_at(finder->graph, node));
    if (culprit != NPART_NONE && (is_dynamic || is_unsure))
        root = npart__shape_root(trace, culprit);
    /* The shape is known, but the operand is computed from sizes: with these fixed it would be a constant. */
    if (!root && culprit != NPART_NONE && (is_dynamic || is_unsure || rule->about == NPART_ABOUT_CONSTANT))
        root = trace->elements[culprit];
    /* Without this its failure would be said to be a size's, though fixing that would change nothing. */
    if (finder->mask->verdicts[node] == NPART_VERDICT_FAIL && !is_dynamic)
        return 0;
    /* Elements of the first result stand for all: a node that computes sizes has one. */
    uint32_t result = npart__node_output(finder->graph, npart__node_at(finder->graph, node), 0);
    if (!root && result != NPART_NONE)
        root = trace->elements[result];
    /* An op that is refused as such, and computes sizes that only the data tell, is never folded: the op is why. */
    int64_t since;
    bool is_of_data = npart__is_root_node(trace, root) &&
                      !npart__lacks_shapes(npart__node_at(finder->graph, root - 1), &since);
    return is_of_data && npart__refuses_op(rule) ? 0 : root;
}

/* ---- dims that only fall together ------------------------------------------------------------------------- */

/* Dims of inputs alone, each once; of more than DIMS_OF_NODE the first. A sum such as `past + sequence` counts for
 * the first symbol of it. */
static void add_dims(const struct npart__finder *finder, uint32_t value, uint32_t *symbols, uint32_t *count)
{
    const struct npart__trace *trace = &finder->trace;
    const struct npart__fact *fact = value == NPART_NONE ? NULL : npart__fact_of(trace->session->known, value);
    for (uint32_t i = 0; fact && fact->has_rank && i < fact->rank && *count < DIMS_OF_NODE; i++) {
        uint32_t symbol = npart__is_number(fact->dims[i])
                              ? NPART_NONE
                              : npart__root_symbol(&trace->session->known->expressions, fact->dims[i]);
        /* A symbol that inference made itself, as for the result of a NonZero, is in no input, and cannot be
         * fixed. */
        bool is_new = symbol != NPART_NONE && trace->input_of[symbol];
        for (uint32_t k = 0; is_new && k < *count; k++)
            is_new = symbols[k] != symbol;
        if (is_new)
            symbols[(*count)++] = symbol;
    }
}

/* Counts the dims that a node needs. Of the others that stand beside one, the one that most nodes have is what stays
 * when each vote for another takes one away (Boyer and Moore's majority). Two numbers a dim instead of a table of
 * all pairs: a model may have a thousand dims. The votes b, b, c, b leave b with two. */
static void count_dims(struct npart__finder *finder, uint32_t id)
{
    const struct npart__node *node = npart__node_at(finder->graph, id);
    uint32_t symbols[DIMS_OF_NODE], count = 0;
    for (uint32_t i = 0; i < node->input_count; i++)
        add_dims(finder, npart__node_input(finder->graph, node, i), symbols, &count);
    for (uint32_t i = 0; i < node->output_count; i++)
        add_dims(finder, npart__node_output(finder->graph, node, i), symbols, &count);
    for (uint32_t i = 0; i < count; i++) {
        struct npart__dim_use *use = &finder->uses[symbols[i]];
        uint32_t other = count == 1 ? NPART_NONE : symbols[i == 0]; /* the first dim beside it */
        use->count++;
        use->alone += count == 1;
        if (other == NPART_NONE)
            continue;
        if (use->votes == 0)
            use->other = other;
        use->votes += use->other == other ? 1 : UINT32_MAX; /* UINT32_MAX takes one away */
    }
}

/* The smallest symbol of a set is its first, so that names come in the order of inputs. */
static uint32_t first_together(struct npart__finder *finder, uint32_t symbol)
{
    struct npart__dim_use *uses = finder->uses;
    while (uses[symbol].together != symbol) /* each step halves the way for the next */
        symbol = uses[symbol].together = uses[uses[symbol].together].together;
    return symbol;
}

/* Joins a dim to another that most of its nodes have too: fixing it alone would leave them where they are. `batch`
 * and `sequence` of a transformer: nearly every node has both, so that fixing one of them brings nothing. Dims that
 * fall together are a list through `next`, in the order of symbols. */
static void join_dims(struct npart__finder *finder)
{
    const uint32_t count = finder->session->known->expressions.symbols.count;
    for (uint32_t s = 0; s < count; s++)
        finder->uses[s].together = s;
    for (uint32_t s = 0; s < count; s++) {
        const struct npart__dim_use *use = &finder->uses[s];
        /* No more than half of its nodes have another dim as well: fixing this one alone brings something. */
        if (use->count <= 2 * (uint64_t)use->alone)
            continue;
        /* There is another: of `count` nodes more than half have one, so `other` was set. A `batch` in 300
         * nodes, and in 10 of them alone, is joined, as 300 is more than 2 * 10. */
        uint32_t a = first_together(finder, s), b = first_together(finder, use->other);
        finder->uses[a > b ? a : b].together = a > b ? b : a;
    }
    /* In the order of symbols, so each list is in order, and its first is the set's smallest. */
    for (uint32_t s = 0; s < count; s++) {
        struct npart__dim_use *use = &finder->uses[s];
        use->together = first_together(finder, s);
        use->next = NPART_NONE;
        struct npart__dim_use *first = &finder->uses[use->together];
        if (first != use)
            finder->uses[first->last].next = s;
        first->last = s;
        first->members++;
    }
}

/* ---- visiting nodes --------------------------------------------------------------------------------------- */

/* Whether the type is one that a model has throughout when it has it at all. Floats and strings: INT64 beside
 * FLOAT is usual, and says nothing of the model as a whole. */
static bool is_type_of_model(uint8_t type)
{
    return type && !npart__type_is_integer(type) && strcmp(npart__type_name(type), "bool") != 0;
}

/* Bodies first: what stands in one falls back since the node that holds it does. Then ops that the list lacks; then
 * high ranks and types, which one change of the model takes away for every op; then the rule itself. */
static uint32_t cause_of_rule(struct npart__finder *finder, uint32_t node, uint32_t id, uint32_t culprit)
{
    const struct npart__rule *rule = &finder->oplist->rules.items[id];
    const struct npart__node *at = npart__node_at(finder->graph, node);
    /* What a policy has handed back was taken before: then the policy is why, not that it has bodies. */
    if (id == finder->oplist->bodies_rule ||
        (at->body_count && finder->partitioning->handed_back[node] == NPART_NONE)) {
        uint32_t holder = id == finder->oplist->bodies_rule ? npart__holder_of(finder->graph, node) : node;
        uint32_t cause = cause_of_key(finder, NPART__FAMILY_CONTROL, npart__node_at(finder->graph, holder)->op_type, id,
                                      false);
        add_root(finder, cause, holder);
        return cause;
    }
    if (rule->about == NPART_ABOUT_OP && rule->condition == NPART_NONE)
        return cause_of_key(finder, NPART__FAMILY_OP, at->op_type, id, false);
    const struct npart__fact *fact =
        culprit == NPART_NONE ? NULL : npart__fact_of(finder->session->inference, culprit);
    /* Fatal rules stay by themselves: what fails to compile must be told op by op. */
    if (rule->about == NPART_ABOUT_RANK && fact && fact->has_rank && fact->rank >= HIGH_RANK && !rule->is_fatal)
        return cause_of_key(finder, NPART__FAMILY_RANK, fact->rank, id, false);
    /* The length of the array that keys are looked up in is the limit below. */
    bool is_whole = rule->about == NPART_ABOUT_DTYPE && fact && is_type_of_model(fact->element_type);
    if (is_whole && !rule->is_fatal && fact->element_type < MOST_NUMBERS)
        return cause_of_key(finder, NPART__FAMILY_TYPE, fact->element_type, id, false);
    /* A rule about a variant or a switch of the target, which a list repeats for each op. A policy without a
     * condition is a `partitions` line, of which each stands for itself. */
    bool is_joined = rule->about == NPART_ABOUT_POLICY && rule->condition != NPART_NONE;
    return cause_of_key(finder, NPART__FAMILY_RULE, id, id, is_joined);
}

/* The rule that speaks for a cause is that of the first node that its root reaches itself, rather than one that some
 * later node does not meet either. For an op that is missing the rule about the op, for a size that is lost the
 * first rule about sizes, for control flow the rule about bodies. */
static void speak_for(struct npart__finder *finder, uint32_t cause, uint32_t node, uint32_t id, uint32_t culprit)
{
    const struct npart__rule *rule = &finder->oplist->rules.items[id];
    struct npart__cause *at = &finder->out->items.items[cause];
    struct npart__about_cause *about = &finder->about.items[cause];
    const struct npart__rule *now = &finder->oplist->rules.items[at->rule];
    bool is_first = at->affected_count == 0, is_op = about->family == NPART__FAMILY_OP;
    /* By the order of the enum: from SYMBOL on causes were traced to. CUT, the last, affects no node and never
     * gets here. */
    bool is_traced = about->family >= NPART__FAMILY_SYMBOL, is_nearer;
    if (about->family == NPART__FAMILY_CONTROL)
        is_nearer = id == finder->oplist->bodies_rule && at->rule != id;
    else
        is_nearer = (is_op && rule->about == NPART_ABOUT_OP && now->about != NPART_ABOUT_OP) ||
                    (is_traced && rule->about == NPART_ABOUT_DYNAMIC && now->about != NPART_ABOUT_DYNAMIC);
    /* Then the text names what they share. */
    about->is_mixed |= !is_first && strcmp(rule->sentence, now->sentence) != 0;
    if (!is_first && !is_nearer)
        return;
    at->rule = id;
    at->first_affected = node;
    about->culprit = culprit;
    at->about = is_traced && about->family != NPART__FAMILY_CONTROL ? NPART_ABOUT_DYNAMIC : rule->about;
}

/* Counts go with it; which cause a node has is never changed but by joining and sorting. */
static void belong(struct npart__finder *finder, uint32_t node, uint32_t cause)
{
    struct npart__cause *at = &finder->out->items.items[cause];
    enum npart_verdict verdict = (enum npart_verdict)finder->mask->verdicts[node];
    at->affected_count++;
    at->failing_count += verdict == NPART_VERDICT_FAIL;
    finder->about.items[cause].undecided_count += verdict == NPART_VERDICT_UNKNOWN;
    finder->out->cause_of[node] = cause;
}

/* Whether a node is left to the CPU for no more than what stands around it. Such nodes would be taken elsewhere in
 * the graph, so no rule about them is the reason: nor is that a QDQ node unit falls back as a whole, which says of its
 * DequantizeLinear that some rule refuses the unit's operator. */
static bool is_left_over(const struct npart__finder *finder, uint32_t rule)
{
    const struct npart__oplist *oplist = finder->oplist;
    bool is_left = oplist->rules.items[rule].kind == NPART_RULE_UNIT ||
                   rule == oplist->partitioner_rules[NPART__REASON_ALONE] ||
                   rule == oplist->partitioner_rules[NPART__REASON_BEHIND_REFUSED];
    for (uint32_t i = 0; i < oplist->policies.count && !is_left; i++)
        is_left = oplist->policies.items[i].kind == NPART__POLICY_DROP_SINGLE && oplist->policies.items[i].rule == rule;
    return is_left;
}

/* The culprit is the operand that made the rule fail: the rule is asked once more for it, since that is not kept for
 * every node. One question per node to the rule that failed, and one look-up: linear but for what a rule itself
 * costs. */
static void visit(struct npart__finder *finder, uint32_t node)
{
    const struct npart__reason *reason = npart__first_reason(finder->oplist, finder->mask, node);
    if (!reason || is_left_over(finder, reason->rule))
        return;
    const struct npart__rule *rule = &finder->oplist->rules.items[reason->rule];
    uint32_t culprit = rule->condition == NPART_NONE
                           ? NPART_NONE
                           : npart__rule_culprit(finder->target, finder->session, finder->mask, reason->rule, node);
    npart__root root = root_of(finder, node, reason, culprit);
    uint32_t cause = root ? cause_of_root(finder, root, reason->rule)
                          : cause_of_rule(finder, node, reason->rule, culprit);
    if (cause == NPART_NONE)
        return;
    speak_for(finder, cause, node, reason->rule, culprit);
    belong(finder, node, cause);
    /* Only dims of inputs can fall together: only they can be fixed together. */
    if (finder->about.items[cause].family == NPART__FAMILY_SYMBOL)
        count_dims(finder, node);
}

/* Where a node would take a cause from: a cause of nodes that fail to compile is none for it. */
static uint32_t cause_on_cpu(const struct npart__finder *finder, uint32_t node)
{
    uint32_t cause = finder->out->cause_of[node];
    return cause != NPART_NONE && finder->out->items.items[cause].failing_count ? NPART_NONE : cause;
}

/* The first cause of a neighbour, whose nodes run on the CPU; NPART_NONE where no neighbour has one. A cause of
 * nodes that fail to compile is none: they are not on the CPU, so nothing is left to it for their sake. Operands
 * before users, but of a DequantizeLinear, whose unit is what it feeds; copies are passed over in both directions, as
 * causes are of the file's nodes. */
static uint32_t cause_beside(const struct npart__finder *finder, uint32_t id)
{
    const struct npart__graph *graph = finder->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    bool is_of_users = npart__node_plays(graph, node, NPART__ROLE_DEQUANTIZES);
    uint32_t cause = NPART_NONE;
    for (uint32_t i = 0; !is_of_users && i < node->input_count && cause == NPART_NONE; i++) {
        uint32_t producer = npart__producer(graph, npart__live_operand(finder->session, node, i));
        if (producer != NPART_NONE)
            cause = cause_on_cpu(finder, npart__original(finder->session->graph, producer));
    }
    for (uint32_t i = 0; i < node->output_count && cause == NPART_NONE; i++) {
        uint32_t value = npart__node_output(graph, node, i);
        uint32_t users = npart__user_count(finder->session, value);
        for (uint32_t k = 0; k < users && cause == NPART_NONE; k++)
            cause = cause_on_cpu(finder, npart__user_past_copies(finder->session, value, k));
    }
    return cause;
}

/* Nodes that are left over belong to what left them: a neighbour's cause, or that of the first node on the CPU.
 * Not by order: what is claimed ends with the first node that is not, so that one is the reason for all that come
 * later. */
static void visit_left_over(struct npart__finder *finder)
{
    const struct npart__graph *graph = finder->graph;
    uint32_t first = NPART_NONE;
    /* `order` is that of execution, with the main graph first; nodes of the first pass alone have a cause by
     * now. */
    for (uint32_t i = 0; i < graph->order_count && first == NPART_NONE; i++)
        first = finder->out->cause_of[graph->order[i]];
    for (uint32_t node = 0; node < finder->session->file->nodes.count && !finder->failed; node++) {
        if (!falls_back(finder, node) || finder->out->cause_of[node] != NPART_NONE)
            continue;
        const struct npart__reason *reason = npart__first_reason(finder->oplist, finder->mask, node);
        if (!reason)
            continue;
        bool is_behind = reason->rule == finder->oplist->partitioner_rules[NPART__REASON_BEHIND_REFUSED];
        uint32_t cause = is_behind ? first : cause_beside(finder, node);
        /* All around it fails to compile, or has no cause: the partitioner's own rule has to speak. */
        if (cause == NPART_NONE) {
            cause = cause_of_key(finder, NPART__FAMILY_RULE, reason->rule, reason->rule, false);
            if (cause == NPART_NONE)
                return;
            speak_for(finder, cause, node, reason->rule, NPART_NONE);
        }
        belong(finder, node, cause);
    }
}

/* Each cut of the user's is a cause that affects no node. A cut at an input of the graph has no node before it. */
static void add_cuts(struct npart__finder *finder)
{
    const bool *is_cut = finder->partitioning->cuts.is_cut;
    uint32_t rule = npart__cut_rule(finder->target);
    for (uint32_t v = 0; is_cut && !finder->failed && v < finder->session->file->values.count; v++) {
        uint32_t made = is_cut[v] ? new_cause(finder, NPART__FAMILY_CUT, v, rule) : NPART_NONE;
        if (made == NPART_NONE)
            continue;
        struct npart__cause *cause = &finder->out->items.items[made];
        cause->cut_value = v;
        cause->first_affected = npart__producer(finder->graph, v);
    }
}

/* ---- the whole -------------------------------------------------------------------------------------------- */

/* Puts the causes of dims that fall together into one, and those that have no node any more away. Places are found
 * in one walk, and everything that names a cause by place is told the new one after it. The first cause of a set
 * gets the others' counts and stays; its rule and its first node are therefore those that were found first. */
static void join_causes(struct npart__finder *finder)
{
    struct npart__causes *out = finder->out;
    uint32_t *place = npart__arena_allocate(finder->arena, (out->items.count + (size_t)1) * sizeof *place);
    finder->failed |= !place;
    if (finder->failed)
        return;
    join_dims(finder);
    uint32_t kept = 0;
    for (uint32_t c = 0; c < out->items.count; c++) {
        struct npart__cause cause = out->items.items[c];
        struct npart__about_cause about = finder->about.items[c];
        uint32_t *first = NULL;
        if (about.family == NPART__FAMILY_SYMBOL)
            first = slot_of(finder, NPART__FAMILY_SYMBOL, finder->uses[about.key].together);
        /* `*first - 1 < c`: the set's first was met already, and its place is final. */
        place[c] = first && *first && *first - 1 < c ? place[*first - 1] : kept;
        if (place[c] < kept) {
            out->items.items[place[c]].affected_count += cause.affected_count;
            out->items.items[place[c]].failing_count += cause.failing_count;
            finder->about.items[place[c]].undecided_count += about.undecided_count;
            continue;
        }
        if (first)
            *first = c + 1; /* the first met of a set, whichever dim it is of */
        out->items.items[kept] = cause;
        finder->about.items[kept++] = about;
    }
    /* Slots keep the old places. No cause is looked up by its key from here on: the user's cuts are added
     * without. */
    out->items.count = finder->about.count = kept;
    for (uint32_t node = 0; node < finder->graph->nodes.count; node++) {
        if (out->cause_of[node] != NPART_NONE)
            out->cause_of[node] = place[out->cause_of[node]];
        if (finder->root_in[node])
            finder->root_in[node] = place[finder->root_in[node] - 1] + 1;
    }
}

/* Cuts of the user come last: they affect no node, and nothing above may join them. */
static void find(struct npart__finder *finder)
{
    for (uint32_t node = 0; !finder->failed && node < finder->session->file->nodes.count; node++) {
        finder->failed |= npart__is_late_at(finder->arena, node);
        if (falls_back(finder, node))
            visit(finder, node);
    }
    if (!finder->failed)
        visit_left_over(finder);
    if (!finder->failed)
        join_causes(finder);
    /* After joining: a set is undecided only if all of it is. */
    for (uint32_t c = 0; !finder->failed && c < finder->out->items.count; c++)
        finder->out->items.items[c].is_unknown =
            finder->about.items[c].undecided_count == finder->out->items.items[c].affected_count;
    add_cuts(finder);
    if (!finder->failed)
        npart__word_causes(finder); /* before sorting: `about` is by the place so far */
    if (!finder->failed)
        npart__name_roots(finder);
    if (!finder->failed)
        npart__list_causes(finder);
}

/* What tracing and grouping need is given back, since a plan lives as long as its reports: only the causes, their
 * lists and the cause of each node stay. */
npart_status npart__find_causes(const struct npart__target *target, const struct npart__session *session,
                                enum npart_level level, const struct npart__mask *mask,
                                const struct npart__partitioning *partitioning, struct npart__arena *arena,
                                struct npart__causes *out, struct npart_error *error)
{
    const struct npart__graph *graph = session->graph;
    struct npart__finder finder = {.target = target,
                                   .oplist = target->oplist,
                                   .graph = graph,
                                   .session = session,
                                   .mask = mask,
                                   .partitioning = partitioning,
                                   .arena = arena,
                                   .out = out};
    memset(out, 0, sizeof *out);
    /* With room for the copies that the session makes. They have no cause of their own; who asks for one asks for
     * that of the file's node. */
    size_t nodes = graph->nodes.count + (size_t)1, symbols = session->known->expressions.symbols.count + (size_t)1;
    out->cause_of = npart__arena_allocate(arena, nodes * sizeof *out->cause_of);
    finder.root_in = npart__arena_zeroed(arena, nodes, sizeof *finder.root_in);
    finder.uses = npart__arena_zeroed(arena, symbols, sizeof *finder.uses);
    bool is_traced = npart__trace_roots(session, level != NPART_LEVEL_OFF, arena, &finder.trace);
    /* Nothing is given back then: the arena goes with the plan that failed. */
    if (!out->cause_of || !finder.root_in || !finder.uses || !is_traced)
        return npart__fail_memory(error);
    /* NPART_NONE for all. */
    memset(out->cause_of, 0xff, nodes * sizeof *out->cause_of);
    find(&finder);
    for (size_t i = 0; i < NPART__FAMILIES; i++)
        npart__arena_release(arena, finder.slots[i]);
    npart__arena_release(arena, finder.root_in);
    npart__arena_release(arena, finder.uses);
    npart__trace_free(&finder.trace, arena);
    if (!finder.failed)
        NPART__CHECK(npart__check_causes(session, mask, partitioning, out));
    return finder.failed ? npart__fail_memory(error) : NPART_OK;
}
