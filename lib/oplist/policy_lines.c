/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of an op list that say how its runtime forms partitions, and which of them it gives back.
 *
 *   partitioner NAME [else fail]                     of several lines the last that counts
 *   partitions stop OP...                            these, and all behind them, stay on the CPU
 *   partitions drop only OP...                       given back when made of nothing but these
 *   partitions drop single [OP...]                   given back when it is one node (of these)
 *   partitions drop under NUMBER nodes|macs|OP...    given back when smaller
 *   partitions split NUMBER nodes                    one of more nodes is split evenly
 *   partitions drop unfed                            one into which nothing comes but constants is given back
 *   partitions fail unfed                            ... fails the session
 *   partitions drop whole NUMBER OP...               a wholly accepted graph this small that begins with these
 *   partitions keep NUMBER heaviest|first            the others are given back
 *   partitions cut anew|ends|node                    what a cut of the user's does
 *   fallback OP... | *                               all that the CPU side has; another op fails the model
 *
 *   functions inlined|by-name                        what becomes of calls of the model's own functions
 *   functions standard                               ops defined by others are inlined when neither side has them
 *
 * each may count only `of GATE`, `with SWITCH` or `unless SWITCH`, `since 'TOOLCHAIN'` or `before 'TOOLCHAIN'`; each
 * but the first is then followed by ["sentence"] [source "..."].
 */
#include "oplist/parse.h"

static uint32_t take_toolchain(struct npart__parser *parser, const char *word)
{
    if (!npart__accept(parser, NPART__TOKEN_WORD, word))
        return NPART_NONE;
    const struct npart__token *token = npart__peek(parser);
    uint32_t found = npart__find_toolchain(parser->oplist, token->text);
    if (token->kind == NPART__TOKEN_END || found == NPART_NONE)
        npart__parse_fail(parser, token->column, "expected one of the list's toolchains as '...'");
    else
        parser->now.at++;
    return found;
}

/* `of GATE`: into line_gates, or NPART_NONE. */
static uint32_t take_gate(struct npart__parser *parser)
{
    if (!npart__accept(parser, NPART__TOKEN_WORD, "of"))
        return NPART_NONE;
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "a gate");
    if (!token)
        return NPART_NONE;
    struct npart__line_gate gate = {
        .name = token->text, .line = parser->now.line, .column = (uint32_t)token->column};
    if (!NPART__PUSH(parser->arena, &parser->oplist->line_gates, gate))
        npart__parse_out_of_memory(parser);
    return parser->oplist->line_gates.count - 1;
}

void npart__resolve_line_gates(struct npart__parser *parser)
{
    struct npart__oplist *oplist = parser->oplist;
    for (uint32_t i = 0; i < oplist->line_gates.count && parser->status == NPART_OK; i++) {
        struct npart__line_gate *at = &oplist->line_gates.items[i];
        at->gate = 0;
        while (at->gate < oplist->gate_count && strcmp(oplist->gates[at->gate].name, at->name) != 0)
            at->gate++;
        parser->now.line = at->line;
        if (at->gate == oplist->gate_count)
            npart__parse_fail(parser, at->column, "there is no gate %s", at->name);
    }
}

struct npart__line_condition npart__take_condition(struct npart__parser *parser)
{
    struct npart__line_condition when = NPART__ALWAYS;
    when.gate = take_gate(parser);
    when.with = npart__take_switch(parser, "with");
    when.without = npart__take_switch(parser, "unless");
    when.since = take_toolchain(parser, "since");
    when.before = take_toolchain(parser, "before");
    return when;
}

uint32_t npart__end_of_line_rule(struct npart__parser *parser, const char *label, const char *sentence)
{
    if (npart__peek(parser)->kind == NPART__TOKEN_STRING)
        sentence = npart__take_text(parser, "a text");
    const char *source = npart__take_source(parser);
    npart__expect_end(parser);
    if (parser->status != NPART_OK)
        return NPART_NONE;
    uint32_t rule = npart__add_unwritten_rule(parser, label, sentence, NPART__ABOUT_POLICY, parser->gate);
    if (rule != NPART_NONE)
        parser->oplist->rules.items[rule].source = source;
    return rule;
}

void npart__line_partitioner(struct npart__parser *parser)
{
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "a partitioner");
    if (!token)
        return;
    /* the name is checked where the partitioners are known */
    struct npart__partitioner_choice choice = {
        .name = token->text, .line = parser->now.line, .column = (uint32_t)token->column};
    uint64_t column = npart__peek(parser)->column;
    if (npart__accept(parser, NPART__TOKEN_WORD, "else")) {
        if (!npart__accept(parser, NPART__TOKEN_WORD, "fail") || strcmp(token->text, "whole") != 0)
            npart__parse_fail(parser, column, "only `partitioner whole else fail`");
        parser->oplist->refusal_is_fatal = true;
    }
    choice.when = npart__take_condition(parser);
    npart__expect_end(parser);
    if (parser->status == NPART_OK && !NPART__PUSH(parser->arena, &parser->oplist->partitioners, choice))
        npart__parse_out_of_memory(parser);
}

void npart__add_partitioner_rules(struct npart__parser *parser)
{
    static const struct {
        const char *label, *sentence;
    } reasons[NPART__REASON_COUNT] = {
        [NPART__REASON_BEHIND_REFUSED] = {"partitioner-prefix", "must be before the first node that falls back"},
        [NPART__REASON_NOT_WHOLE] = {"partitioner-whole", "the whole graph must be supported"},
        [NPART__REASON_ALONE] = {"partitioner-alone", "a partition of one node runs on the CPU"},
        [NPART__REASON_NO_INPUT] = {"partitioner-no-input", "a partition without an input runs on the CPU"},
        [NPART__REASON_NOT_AT_ONCE] = {"partitioner-not-at-once",
                                       "the partitions would depend on each other in a cycle"},
        [NPART__REASON_CUT] = {"partitioner-cut", "the user cuts the graph"},
    };
    for (size_t i = 0; i < NPART__REASON_COUNT; i++) {
        uint32_t rule =
            npart__add_unwritten_rule(parser, reasons[i].label, reasons[i].sentence, NPART__ABOUT_POLICY, 0);
        parser->oplist->partitioner_rules[i] = rule;
        if (rule != NPART_NONE && i == NPART__REASON_NOT_WHOLE)
            parser->oplist->rules.items[rule].is_fatal = parser->oplist->refusal_is_fatal;
        if (rule != NPART_NONE && i == NPART__REASON_CUT)
            parser->oplist->rules.items[rule].source = "";
    }
}

/* functions inlined|by-name ["sentence"] [source "..."]: what becomes of calls of the model's own functions.
 * functions standard [WHEN] [source "..."]: what the standard defines by others is inlined when neither side has it. */
void npart__line_functions(struct npart__parser *parser)
{
    struct npart__oplist *oplist = parser->oplist;
    if (npart__accept(parser, NPART__TOKEN_WORD, "standard")) {
        oplist->inlines_standard = true;
        oplist->standard_when = npart__take_condition(parser);
        (void)npart__take_source(parser);
        npart__expect_end(parser);
        return;
    }
    oplist->claims_by_name = npart__accept(parser, NPART__TOKEN_WORD, "by-name");
    if (!oplist->claims_by_name && !npart__accept(parser, NPART__TOKEN_WORD, "inlined"))
        npart__parse_fail(parser, npart__peek(parser)->column, "expected inlined, by-name or standard, found %s",
                          npart__peek(parser)->text);
    (void)npart__end_of_line_rule(parser, "functions", "a function of the name of an op is taken for that op");
}

static bool ends_ops(const struct npart__parser *parser)
{
    static const char *const words[] = {"source", "of", "with", "unless", "since", "before"};
    for (size_t i = 0; i < NPART__COUNT(words); i++)
        if (npart__next_is(parser, NPART__TOKEN_WORD, words[i]))
            return true;
    return false;
}

/* How many there are; they stand at the end of policy_ops. */
static uint32_t push_ops(struct npart__parser *parser)
{
    uint32_t before = parser->oplist->policy_ops.count;
    while (npart__peek(parser)->kind == NPART__TOKEN_WORD && parser->status == NPART_OK && !ends_ops(parser)) {
        const char *op = npart__expect_op(parser);
        if (op && !NPART__PUSH(parser->arena, &parser->oplist->policy_ops, op))
            npart__parse_out_of_memory(parser);
    }
    return parser->oplist->policy_ops.count - before;
}

static void take_ops(struct npart__parser *parser, struct npart__policy *policy)
{
    policy->first_op = parser->oplist->policy_ops.count;
    policy->op_count = push_ops(parser);
}

static void take_number(struct npart__parser *parser, struct npart__policy *policy)
{
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_NUMBER, "a number");
    if (token && (!token->is_whole || token->number < 1))
        npart__parse_fail(parser, token->column, "expected a whole number above 0");
    if (token)
        policy->number = (uint64_t)token->number;
}

static void need_ops(struct npart__parser *parser, const struct npart__policy *policy)
{
    if (policy->op_count == 0)
        npart__parse_fail(parser, npart__peek(parser)->column, "expected an op");
}

/* Of ops that partitioner openvino asks about. */
static void take_openvino_ops(struct npart__parser *parser, struct npart__policy *policy)
{
    const struct npart__oplist *oplist = parser->oplist;
    bool is_asked = false;
    for (uint32_t i = 0; i < oplist->partitioners.count; i++)
        is_asked |= strcmp(oplist->partitioners.items[i].name, "openvino") == 0;
    if (!is_asked)
        npart__parse_warn(parser, parser->now.range.tokens[1].column, "no `partitioner openvino` asks this line");
    take_ops(parser, policy);
    need_ops(parser, policy);
}

/* [unread OP(OPERAND)] */
static void take_unread(struct npart__parser *parser, struct npart__policy *policy)
{
    if (!npart__accept(parser, NPART__TOKEN_WORD, "unread"))
        return;
    policy->first_op = parser->oplist->policy_ops.count;
    const char *op = npart__expect_op(parser);
    bool is_open = npart__accept(parser, NPART__TOKEN_MARK, "("), is_output = false;
    const struct npart__token *operand = npart__expect(parser, NPART__TOKEN_WORD, "an operand in parentheses");
    const char *domain, *name;
    if (!op || !operand)
        return;
    npart__split_op_name(op, &domain, &name, parser->arena);
    if (!domain || !NPART__PUSH(parser->arena, &parser->oplist->policy_ops, op)) {
        npart__parse_out_of_memory(parser);
        return;
    }
    const struct npart__operator *schema = npart__operator_find(domain, name, INT32_MAX);
    int index = schema ? npart__operator_find_operand(schema, operand->text, strlen(operand->text), &is_output) : -1;
    if (index < 0 || is_output || !is_open || !npart__accept(parser, NPART__TOKEN_MARK, ")"))
        npart__parse_fail(parser, operand->column, "expected an input of %s in parentheses", name);
    policy->op_count = 1;
    policy->number = (uint64_t)index;
}

static const char *take_drop(struct npart__parser *parser, struct npart__policy *policy)
{
    if (npart__accept(parser, NPART__TOKEN_WORD, "leaving")) {
        policy->kind = NPART__POLICY_DROP_LEAVING;
        take_openvino_ops(parser, policy);
        return "a partition whose output is that of such an op runs on the CPU";
    }
    if (npart__accept(parser, NPART__TOKEN_WORD, "unfed")) {
        policy->kind = NPART__POLICY_DROP_UNFED;
        take_unread(parser, policy);
        return "a partition without an input that is not constant runs on the CPU";
    }
    if (npart__accept(parser, NPART__TOKEN_WORD, "only")) {
        policy->kind = NPART__POLICY_DROP_ONLY;
        take_ops(parser, policy);
        need_ops(parser, policy);
        return "a partition of such ops only runs on the CPU";
    }
    if (npart__accept(parser, NPART__TOKEN_WORD, "single")) {
        policy->kind = NPART__POLICY_DROP_SINGLE;
        take_ops(parser, policy);
        return "a partition of one such node runs on the CPU";
    }
    if (npart__accept(parser, NPART__TOKEN_WORD, "whole")) {
        policy->kind = NPART__POLICY_DROP_SMALL_WHOLE;
        take_number(parser, policy);
        take_ops(parser, policy);
        need_ops(parser, policy);
        return "a graph this small that begins with such an op runs on the CPU";
    }
    if (!npart__accept(parser, NPART__TOKEN_WORD, "under")) {
        npart__parse_fail(parser, npart__peek(parser)->column, "expected leaving, only, single, under, unfed or whole");
        return "";
    }
    take_number(parser, policy);
    policy->kind = NPART__POLICY_DROP_UNDER_OPS;
    if (npart__accept(parser, NPART__TOKEN_WORD, "nodes"))
        policy->kind = NPART__POLICY_DROP_UNDER_NODES;
    else if (npart__accept(parser, NPART__TOKEN_WORD, "macs"))
        policy->kind = NPART__POLICY_DROP_UNDER_MACS;
    else
        take_ops(parser, policy);
    if (policy->kind == NPART__POLICY_DROP_UNDER_OPS)
        need_ops(parser, policy);
    return "a partition this small runs on the CPU";
}

static const char *take_keep(struct npart__parser *parser, struct npart__policy *policy)
{
    take_number(parser, policy);
    policy->kind = NPART__POLICY_KEEP_HEAVIEST;
    if (npart__accept(parser, NPART__TOKEN_WORD, "first"))
        policy->kind = NPART__POLICY_KEEP_FIRST;
    else if (!npart__accept(parser, NPART__TOKEN_WORD, "heaviest"))
        npart__parse_fail(parser, npart__peek(parser)->column, "expected heaviest or first");
    return "further partitions run on the CPU";
}

static const char *take_cut(struct npart__parser *parser, struct npart__policy *policy)
{
    static const struct {
        const char *word, *sentence;
        enum npart__policy_kind kind;
    } ways[] = {
        {"anew", "the user cuts the graph", NPART__POLICY_CUT_ANEW},
        {"ends", "must be before the user's cut point", NPART__POLICY_CUT_ENDS},
        {"node", "the user places this node on the CPU", NPART__POLICY_CUT_NODE},
    };
    for (size_t i = 0; i < NPART__COUNT(ways); i++)
        if (npart__accept(parser, NPART__TOKEN_WORD, ways[i].word)) {
            policy->kind = (uint8_t)ways[i].kind;
            return ways[i].sentence;
        }
    npart__parse_fail(parser, npart__peek(parser)->column, "expected anew, ends or node");
    return "";
}

void npart__line_partitions(struct npart__parser *parser)
{
    struct npart__policy policy = {0};
    const char *sentence, *label = parser->now.range.tokens[1].text;
    if (npart__accept(parser, NPART__TOKEN_WORD, "stop")) {
        policy.kind = NPART__POLICY_STOP;
        take_ops(parser, &policy);
        need_ops(parser, &policy);
        sentence = "must be before the op at which the runtime stops";
    } else if (npart__accept(parser, NPART__TOKEN_WORD, "only-whole")) {
        policy.kind = NPART__POLICY_ONLY_WHOLE;
        take_openvino_ops(parser, &policy);
        sentence = "this op is supported only where the whole graph is";
    } else if (npart__accept(parser, NPART__TOKEN_WORD, "compiled")) {
        policy.kind = NPART__POLICY_COMPILED;
        take_ops(parser, &policy);
        need_ops(parser, &policy);
        sentence = "next to a compiled graph no other node is supported";
    } else if (npart__accept(parser, NPART__TOKEN_WORD, "split")) {
        policy.kind = NPART__POLICY_SPLIT;
        take_number(parser, &policy);
        if (!npart__accept(parser, NPART__TOKEN_WORD, "nodes"))
            npart__parse_fail(parser, npart__peek(parser)->column, "expected nodes");
        sentence = "a larger partition is split evenly";
    } else if (npart__accept(parser, NPART__TOKEN_WORD, "fail")) {
        bool is_shared = npart__accept(parser, NPART__TOKEN_WORD, "shared");
        if (!is_shared && !npart__accept(parser, NPART__TOKEN_WORD, "unfed"))
            npart__parse_fail(parser, npart__peek(parser)->column, "expected unfed or shared");
        policy.kind = is_shared ? NPART__POLICY_FAIL_SHARED : NPART__POLICY_FAIL_UNFED;
        if (is_shared) {
            take_ops(parser, &policy);
            need_ops(parser, &policy);
        } else {
            take_unread(parser, &policy);
        }
        sentence = is_shared ? "a constant whose layout the runtime changes must have one use only"
                             : "a partition must have an input that is not constant";
    } else if (npart__accept(parser, NPART__TOKEN_WORD, "drop")) {
        sentence = take_drop(parser, &policy);
    } else if (npart__accept(parser, NPART__TOKEN_WORD, "keep")) {
        sentence = take_keep(parser, &policy);
    } else if (npart__accept(parser, NPART__TOKEN_WORD, "cut")) {
        sentence = take_cut(parser, &policy);
    } else {
        npart__parse_fail(parser, npart__peek(parser)->column,
                          "expected stop, only-whole, compiled, split, drop, keep, fail or cut");
        return;
    }
    policy.when = npart__take_condition(parser);
    if (parser->status != NPART_OK)
        return;
    const char *fixed = npart__arena_format(parser->arena, "partitions-%s-%u", label, parser->oplist->policies.count);
    if (!fixed) {
        npart__parse_out_of_memory(parser);
        return;
    }
    policy.rule = npart__end_of_line_rule(parser, fixed, sentence);
    if (policy.rule != NPART_NONE)
        parser->oplist->rules.items[policy.rule].is_fatal =
            policy.kind == NPART__POLICY_FAIL_UNFED || policy.kind == NPART__POLICY_FAIL_SHARED;
    if (policy.rule != NPART_NONE && !NPART__PUSH(parser->arena, &parser->oplist->policies, policy))
        npart__parse_out_of_memory(parser);
}

void npart__line_fallback(struct npart__parser *parser)
{
    struct npart__oplist *oplist = parser->oplist;
    struct npart__fallback line = {.first_op = oplist->policy_ops.count};
    const char *label = "fallback";
    line.has_all = npart__accept(parser, NPART__TOKEN_MARK, "*");
    line.op_count = line.has_all ? 0 : push_ops(parser);
    line.when = npart__take_condition(parser);
    if (oplist->fallbacks.count)
        label = npart__arena_format(parser->arena, "fallback-%u", oplist->fallbacks.count);
    if (!label)
        npart__parse_out_of_memory(parser);
    if (parser->status != NPART_OK)
        return;
    line.rule = npart__end_of_line_rule(parser, label, "neither the NPU's nor the CPU's side has this op");
    if (line.rule == NPART_NONE)
        return;
    oplist->rules.items[line.rule].is_fatal = true;
    if (!NPART__PUSH(parser->arena, &oplist->fallbacks, line))
        npart__parse_out_of_memory(parser);
}
