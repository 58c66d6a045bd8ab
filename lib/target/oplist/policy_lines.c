/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of an op list that say how its runtime forms partitions, and which of them fall back to the CPU:
 * `partitioner`, `partitions` and `fallback`. Each may count only for some targets (WHEN); each but the first is the
 * reason at the nodes that it leaves to the CPU.
 */
#include "oplist/parse.h"

/* Such a line is the reason at the nodes that it leaves to the CPU, and reasons are rules: so
 * each has one. A sentence that is left out is that of the form, so that no reason is without one. */
uint32_t npart__add_line_rule(struct npart__parser *parser, const char *label, const char *sentence,
                              const struct npart__value *own_sentence, const struct npart__value *source)
{
    if (parser->status != NPART_OK)
        return NPART_NONE;
    uint32_t rule = npart__add_unwritten_rule(parser, label, own_sentence->text ? own_sentence->text : sentence,
                                              NPART_ABOUT_POLICY, parser->stage);
    if (rule != NPART_NONE && source->text)
        parser->oplist->rules.items[rule].source = source->text;
    return rule;
}

/* `partitioner openvino with cpu_dma`. `else fail` is for `whole` alone: a graph that cannot be taken as a
 * whole cannot be run there at all. It counts for the list, whichever of its `partitioner` lines says it. The name is
 * checked where the partitioners are known. */
void npart__line_partitioner(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__partitioner_choice choice = {
        .name = is[0].text, .when = is[2].when, .line = parser->now.line, .column = (uint32_t)is[0].token->column};
    if (is[1].token && strcmp(choice.name, "whole") != 0)
        npart__parse_fail(parser, is[1].token->column, "only `partitioner whole else fail`");
    parser->oplist->refusal_is_fatal |= is[1].token != NULL;
    NPART__KEEP(parser, &parser->oplist->partitioners, choice);
}

/* One for each reason, whichever partitioner a list names: a user may choose another
 * (--partitioner). All exist in every list, so partitioners index them without asking. */
void npart__add_partitioner_rules(struct npart__parser *parser)
{
    static const struct {
        const char *label, *sentence;
    } reasons[NPART__REASON_COUNT] = {
        [NPART__REASON_BEHIND_REFUSED] = {"partitioner-prefix", "must be before the first node that falls back"},
        [NPART__REASON_NOT_WHOLE] = {"partitioner-whole", "the whole graph must be supported"},
        [NPART__REASON_ALONE] = {"partitioner-alone", "a partition of one node runs on the CPU"},
        [NPART__REASON_NO_INPUT] = {"partitioner-no-input", "a partition without an input runs on the CPU"},
        [NPART__REASON_CYCLE] = {"partitioner-cycle",
                                 "a node alone must not join a partition that waits for another of its users"},
        [NPART__REASON_PARTED_BODY] = {"partitioner-parted-body",
                                       "of an If's branch all or nothing must be supported, of a Loop's body nothing"},
        [NPART__REASON_NOT_AT_ONCE] = {"partitioner-not-at-once",
                                       "the partitions would depend on each other in a cycle"},
        [NPART__REASON_CUT] = {"partitioner-cut", "the user cuts the graph"},
    };
    for (size_t i = 0; i < NPART__REASON_COUNT; i++) {
        uint32_t rule =
            npart__add_unwritten_rule(parser, reasons[i].label, reasons[i].sentence, NPART_ABOUT_POLICY, 0);
        parser->oplist->partitioner_rules[i] = rule;
        if (rule != NPART_NONE && i == NPART__REASON_NOT_WHOLE)
            parser->oplist->rules.items[rule].is_fatal = parser->oplist->refusal_is_fatal;
        if (rule != NPART_NONE && (i == NPART__REASON_CYCLE || i == NPART__REASON_PARTED_BODY))
            parser->oplist->rules.items[rule].is_fatal = true;
        /* The user's own cut has no source but the user. */
        if (rule != NPART_NONE && i == NPART__REASON_CUT)
            parser->oplist->rules.items[rule].source = "";
    }
}

/* `unread OP(OPERAND)`: the place of the operand, which is looked up in the newest version of the op. */
static void take_unread(struct npart__parser *parser, const struct npart__token *op,
                        const struct npart__token *operand, struct npart__policy *policy)
{
    const char *domain, *name;
    bool is_output = false;
    if (!npart__split_op_name(parser, op->word->text, &domain, &name))
        return;
    const struct npart__operator *schema = npart__operator_find(domain, name, INT32_MAX);
    const char *own = operand->word->text;
    int index = schema ? npart__operator_find_operand(schema, own, strlen(own), &is_output) : -1;
    if (index < 0 || is_output)
        npart__parse_fail(parser, operand->column, "expected an input of %s in parentheses", name);
    policy->number = index < 0 ? 0 : (uint64_t)index;
}

/* The number and the ops that the form has, and no other. Ops of all lines lie in one array; a line has a range of it.
 * lib/plan/partition turns the array into numbers of the graph once (npart__find_ops), with the same places. */
static const struct npart__value *take_operands(struct npart__parser *parser, const struct npart__value *is,
                                                struct npart__policy *policy)
{
    struct npart__names *ops = &parser->oplist->policy_ops;
    policy->first_op = ops->count;
    for (const char *step = parser->line->form; strncmp(step, "[WHEN]", 6) != 0; step += strcspn(step, " ") + 1) {
        bool is_unread = strncmp(step, "OPERAND", 7) == 0, is_number = strncmp(step, "NUMBER", 6) == 0;
        bool is_ops = !is_unread && (strncmp(step, "OP", 2) == 0 || strncmp(step, "[OP", 3) == 0);
        /* No line counts anything that may be zero. */
        if (is_number && (!is->token->word->is_whole || is->token->word->number < 1))
            npart__parse_fail(parser, is->token->column, "expected a whole number above 0");
        if (is_number)
            policy->number = (uint64_t)is->token->word->number;
        if (is_unread && is->token)
            take_unread(parser, is[-1].token, is->token, policy);
        for (uint32_t i = 0; is_ops && i < is->count; i++)
            NPART__KEEP(parser, ops, is->token[i].word->text);
        is += is_unread || is_number || is_ops;
    }
    policy->op_count = ops->count - policy->first_op;
    return is;
}

/* Lines that nothing asks but partitioner openvino. They read as if any partitioner applied them. */
static void warn_of_openvino(struct npart__parser *parser, uint8_t kind)
{
    const struct npart__oplist *oplist = parser->oplist;
    bool is_asked = kind != NPART__POLICY_ONLY_WHOLE && kind != NPART__POLICY_DROP_LEAVING;
    for (uint32_t i = 0; i < oplist->partitioners.count; i++)
        is_asked |= strcmp(oplist->partitioners.items[i].name, "openvino") == 0;
    if (!is_asked)
        npart__parse_warn(parser, parser->now.range.tokens[1].column, "no `partitioner openvino` asks this line");
}

/* The label of its rule has a number, as lines may be repeated: hexagon/partitions-drop-2. */
void npart__line_partitions(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__policy policy = {.kind = parser->line->policy};
    is = take_operands(parser, is, &policy);
    policy.when = is[0].when;
    warn_of_openvino(parser, policy.kind);
    const char *first_word = parser->now.range.tokens[1].word->text;
    const char *label = npart__parse_text(parser, npart__arena_format(parser->arena, "partitions-%s-%u", first_word,
                                                                      parser->oplist->policies.count));
    policy.rule = npart__add_line_rule(parser, label, parser->line->noun, &is[1], &is[2]);
    if (policy.rule == NPART_NONE)
        return;
    /* These end the session and not a partition. */
    parser->oplist->rules.items[policy.rule].is_fatal = npart__same_text(first_word, "fail");
    NPART__KEEP(parser, &parser->oplist->policies, policy);
}

/* `*` is all ops. Nodes of others that fall back fail the model, so the rule is fatal. Several lines add up
 * (npart__fallback_rule). Without an op and without `*` the line says that the CPU's side has nothing. */
void npart__line_fallback(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__oplist *oplist = parser->oplist;
    struct npart__fallback line = {.first_op = oplist->policy_ops.count, .has_all = is[0].token, .when = is[2].when};
    if (line.has_all && is[1].count)
        npart__parse_fail(parser, is[1].token->column, "unexpected %s", is[1].text);
    for (uint32_t i = 0; i < is[1].count; i++)
        NPART__KEEP(parser, &oplist->policy_ops, is[1].token[i].word->text);
    line.op_count = is[1].count;
    const char *label = "fallback";
    if (oplist->fallbacks.count)
        label = npart__parse_text(parser, npart__arena_format(parser->arena, "fallback-%u", oplist->fallbacks.count));
    line.rule = npart__add_line_rule(parser, label, "neither the NPU's nor the CPU's side has this op", &is[3], &is[4]);
    if (line.rule == NPART_NONE)
        return;
    oplist->rules.items[line.rule].is_fatal = true;
    NPART__KEEP(parser, &oplist->fallbacks, line);
}
