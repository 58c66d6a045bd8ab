/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of an op list that say how its runtime forms partitions, and which of them fall back to the CPU.
 *
 *   partitioner NAME [else fail]                     of several lines the last that counts
 *   partitions stop OP...                            these, and all after them, stay on the CPU
 *   partitions drop only OP...                       falls back when made of nothing but these
 *   partitions drop single [OP...]                   falls back when it is one node (of these)
 *   partitions drop under NUMBER nodes|macs|OP...    falls back when smaller
 *   partitions split NUMBER nodes                    one of more nodes is split evenly
 *   partitions drop unfed                            one into which nothing comes but constants falls back
 *   partitions fail unfed                            ... fails the session
 *   partitions fail fixed results                    a wholly accepted graph with a constant output fails
 *   partitions drop whole NUMBER OP...               a wholly accepted graph this small that begins with these
 *   partitions keep NUMBER heaviest|first            the others fall back
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

/* "since 'sdk 2'" or "before 'sdk 2'": its index among the releases, which are in order, so that
 * later ones compare larger. Toolchains stand above the lines that name them. The token's text is compared, whatever
 * its kind, so a release without blanks needs no quotes. */
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

/* `of GATE`: into line_gates, or NPART_NONE. Names are kept in an array of their own, as most lines name none. */
static uint32_t take_gate(struct npart__parser *parser)
{
    if (!npart__accept(parser, NPART__TOKEN_WORD, "of"))
        return NPART_NONE;
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "a gate");
    if (!token)
        return NPART_NONE;
    /* The column alone, as the line has a member of its own. */
    struct npart__line_gate gate = {
        .name = token->text, .line = parser->now.line, .column = (uint32_t)token->column};
    NPART__KEEP(parser, &parser->oplist->line_gates, gate);
    return parser->oplist->line_gates.count - 1;
}

/* A line may name a stage that begins below it, so names are looked up at the end. From here on a line's `gate`
 * leads to the stage's number. Of two stages of one name the first is meant. */
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

/* All parts may be missing; their order is fixed, as in `of compiler with float since 'sdk 2'`. A fixed order
 * needs no check for parts that stand twice. */
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

/* Such a line is the reason at the nodes that it leaves to the CPU, and reasons are rules: so
 * each has one. A sentence that is left out is that of the form, so that no reason is without one. */
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

/* `partitioner openvino with cpu_dma`. `else fail` is for `whole` alone: a graph that cannot be taken as a
 * whole cannot be run there at all. It counts for the list, whichever of its `partitioner` lines says it. */
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
                                       "bodies must be supported as a whole, or not at all"},
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
        if (rule != NPART_NONE && (i == NPART__REASON_CYCLE || i == NPART__REASON_PARTED_BODY))
            parser->oplist->rules.items[rule].is_fatal = true;
        /* The user's own cut has no source but the user. */
        if (rule != NPART_NONE && i == NPART__REASON_CUT)
            parser->oplist->rules.items[rule].source = "";
    }
}

/* functions inlined|by-name ["sentence"] [source "..."]: what becomes of calls of the model's own functions.
 * functions standard [WHEN] [source "..."]: what the standard defines by others is inlined when neither side has
 * it. `inlined` changes nothing: it states what happens without such a line, with a source. */
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
    /* The last of several lines counts, so `inlined` does take back what an included list says. */
    oplist->claims_by_name = npart__accept(parser, NPART__TOKEN_WORD, "by-name");
    if (!oplist->claims_by_name)
        (void)npart__need(parser, NPART__TOKEN_WORD, "inlined", "inlined, by-name or standard");
    (void)npart__end_of_line_rule(parser, "functions", "a function of the name of an op is taken for that op");
}

/* The forms of a line, and what such a line says where it has no sentence. NUMBER is a whole number above 0, OPS one op
 * or more, [OPS] any number of them, [UNREAD] an operand. Forms that begin the same stand together, with OPS after the
 * words. A new kind of line is a row here and a case in lib/partition/policy.c. */
static const struct form {
    const char *words, *sentence;
    enum npart__policy_kind kind;
} forms[] = {
    {"stop OPS", "must be before the op at which the runtime stops", NPART__POLICY_STOP},
    {"only-whole OPS", "this op is supported only where the whole graph is", NPART__POLICY_ONLY_WHOLE},
    {"compiled OPS", "next to a compiled graph no other node is supported", NPART__POLICY_COMPILED},
    {"split NUMBER nodes", "a larger partition is split evenly", NPART__POLICY_SPLIT},
    {"drop leaving OPS", "a partition whose output is that of such an op runs on the CPU", NPART__POLICY_DROP_LEAVING},
    {"drop only OPS", "a partition of such ops only runs on the CPU", NPART__POLICY_DROP_ONLY},
    {"drop single [OPS]", "a partition of one such node runs on the CPU", NPART__POLICY_DROP_SINGLE},
    {"drop under NUMBER nodes", "a partition this small runs on the CPU", NPART__POLICY_DROP_UNDER_NODES},
    {"drop under NUMBER macs", "a partition this small runs on the CPU", NPART__POLICY_DROP_UNDER_MACS},
    {"drop under NUMBER OPS", "a partition this small runs on the CPU", NPART__POLICY_DROP_UNDER_OPS},
    {"drop unfed [UNREAD]", "a partition without an input that is not constant runs on the CPU",
     NPART__POLICY_DROP_UNFED},
    {"drop whole NUMBER OPS", "a graph this small that begins with such an op runs on the CPU",
     NPART__POLICY_DROP_SMALL_WHOLE},
    {"keep NUMBER heaviest", "further partitions run on the CPU", NPART__POLICY_KEEP_HEAVIEST},
    {"keep NUMBER first", "further partitions run on the CPU", NPART__POLICY_KEEP_FIRST},
    {"fail unfed [UNREAD]", "a partition must have an input that is not constant", NPART__POLICY_FAIL_UNFED},
    {"fail fixed results", "where the whole graph is supported, its results must be made by nodes",
     NPART__POLICY_FAIL_FIXED},
    {"fail shared OPS", "a constant whose layout the runtime changes must have one use only",
     NPART__POLICY_FAIL_SHARED},
    {"fail flat OPS", "a result between two layout ops must have two axes or more", NPART__POLICY_FAIL_FLAT},
    {"cut anew", "the user cuts the graph", NPART__POLICY_CUT_ANEW},
    {"cut ends", "must be before the user's cut point", NPART__POLICY_CUT_ENDS},
    {"cut node", "the user places this node on the CPU", NPART__POLICY_CUT_NODE},
};

/* NUMBER: no line counts anything that may be zero. Of `unread` the same member is the operand's place. */
static void take_number(struct npart__parser *parser, struct npart__policy *policy)
{
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_NUMBER, "a number");
    if (token && (!token->is_whole || token->number < 1))
        npart__parse_fail(parser, token->column, "expected a whole number above 0");
    if (token)
        policy->number = (uint64_t)token->number;
}

/* Ops of all lines lie in one array; a line has a range of it. lib/partition turns the array into numbers of the
 * graph once (npart__find_ops), with the same places. */
static void take_ops(struct npart__parser *parser, struct npart__policy *policy, bool is_needed)
{
    policy->first_op = parser->oplist->policy_ops.count;
    policy->op_count = npart__take_ops(parser, &parser->oplist->policy_ops);
    if (is_needed && policy->op_count == 0)
        npart__parse_fail(parser, npart__peek(parser)->column, "expected an op");
}

/* [unread OP(OPERAND)] The operand is looked up in the newest version of the op. */
static void take_unread(struct npart__parser *parser, struct npart__policy *policy)
{
    if (!npart__accept(parser, NPART__TOKEN_WORD, "unread"))
        return;
    const struct npart__token *op = npart__expect(parser, NPART__TOKEN_WORD, "an op");
    bool is_op = op && npart__check_op(parser, op->text, op->column), is_output = false;
    bool is_open = npart__accept(parser, NPART__TOKEN_MARK, "(");
    const struct npart__token *operand = npart__expect(parser, NPART__TOKEN_WORD, "an operand in parentheses");
    const char *domain, *name;
    if (!is_op || !operand)
        return;
    npart__split_op_name(op->text, &domain, &name, parser->arena);
    if (!domain) {
        npart__parse_out_of_memory(parser);
        return;
    }
    /* NULL is told below as an operand that is not there. */
    const struct npart__operator *schema = npart__operator_find(domain, name, INT32_MAX);
    int index = schema ? npart__operator_find_operand(schema, operand->text, strlen(operand->text), &is_output) : -1;
    if (index < 0 || is_output || !is_open || !npart__accept(parser, NPART__TOKEN_MARK, ")"))
        npart__parse_fail(parser, operand->column, "expected an input of %s in parentheses", name);
    policy->first_op = parser->oplist->policy_ops.count;
    policy->op_count = 1;
    policy->number = (uint64_t)index;
    NPART__KEEP(parser, &parser->oplist->policy_ops, op->text);
}

/* Whether both forms have the same word at a place. Forms of the range agree in all words before it, so `at` is the
 * beginning of a word in both. */
static bool same_step(const struct form *a, const struct form *b, size_t at)
{
    size_t length = strcspn(a->words + at, " ");
    return strcspn(b->words + at, " ") == length && memcmp(a->words + at, b->words + at, length) == 0;
}

/* "expected unfed, fixed, shared or flat": what the forms from `first` to `last` have at a place. Forms with the same
 * word there stand together, so each word is told once. */
static void expect_step(struct npart__parser *parser, const struct form *first, const struct form *last, size_t at)
{
    struct npart__buffer text;
    npart__buffer_init(&text, &parser->tokens_arena);
    npart__append(&text, first->words + at, strcspn(first->words + at, " "));
    for (const struct form *form = first + 1; form <= last; form++) {
        if (same_step(form - 1, form, at))
            continue;
        npart__append_text(&text, same_step(form, last, at) ? " or " : ", ");
        npart__append(&text, form->words + at, strcspn(form->words + at, " "));
    }
    npart__parse_fail(parser, npart__peek(parser)->column, "expected %s", npart__buffer_text(&text));
}

/* Reads a line step by step, with the forms that fit so far: from `first` to `last`. NULL after
 * a failure. Forms that begin with the same words stand together, so those that fit so far are
 * always a range, which shrinks word by word. A line that fits none is told of with what could
 * stand there: partitions fail only -> "expected unfed, fixed, shared or flat". */
static const struct form *read_form(struct npart__parser *parser, struct npart__policy *policy)
{
    const struct form *first = forms, *last = forms + NPART__COUNT(forms) - 1;
    for (size_t at = 0; parser->status == NPART_OK;) {
        const char *word = npart__peek(parser)->kind == NPART__TOKEN_WORD ? npart__peek(parser)->text : "";
        const struct form *fit = first;
        size_t length = strlen(word);
        /* Of the forms in the range the first whose next word this is; the last where none has it, which is the one
         * with OPS or a number there. */
        while (fit < last && (strncmp(fit->words + at, word, length) != 0 || strcspn(fit->words + at, " ") != length))
            fit++;
        const char *step = fit->words + at;
        if (strncmp(step, "NUMBER", 6) == 0)
            take_number(parser, policy);
        else if (strcmp(step, "OPS") == 0 || strcmp(step, "[OPS]") == 0)
            take_ops(parser, policy, *step == 'O');
        else if (strcmp(step, "[UNREAD]") == 0)
            take_unread(parser, policy);
        else if (length && strncmp(step, word, length) == 0 && strcspn(step, " ") == length)
            parser->now.at++;
        else
            expect_step(parser, first, last, at);
        /* The range shrinks to the forms that have the same step here. */
        while (!same_step(first, fit, at))
            first++;
        while (!same_step(last, fit, at))
            last--;
        at += strcspn(step, " ");
        /* The end of the form: what follows on the line is WHEN, a sentence and a source. */
        if (!fit->words[at])
            return fit;
        at++; /* the blank */
    }
    return NULL;
}

/* Lines that nothing asks but partitioner openvino. They read as if any partitioner applied them. */
static void warn_of_openvino(struct npart__parser *parser, enum npart__policy_kind kind)
{
    const struct npart__oplist *oplist = parser->oplist;
    bool is_asked = kind != NPART__POLICY_ONLY_WHOLE && kind != NPART__POLICY_DROP_LEAVING;
    for (uint32_t i = 0; i < oplist->partitioners.count; i++)
        is_asked |= strcmp(oplist->partitioners.items[i].name, "openvino") == 0;
    if (!is_asked)
        npart__parse_warn(parser, parser->now.range.tokens[1].column, "no `partitioner openvino` asks this line");
}

/* The label of its rule has a number, as lines may be repeated: hexagon/partitions-drop-2. */
void npart__line_partitions(struct npart__parser *parser)
{
    struct npart__policy policy = {0};
    const char *first_word = npart__peek(parser)->text;
    const struct form *form = read_form(parser, &policy);
    if (!form)
        return;
    policy.kind = (uint8_t)form->kind;
    warn_of_openvino(parser, form->kind);
    policy.when = npart__take_condition(parser);
    if (parser->status != NPART_OK)
        return;
    const char *label =
        npart__arena_format(parser->arena, "partitions-%s-%u", first_word, parser->oplist->policies.count);
    if (!label) {
        npart__parse_out_of_memory(parser);
        return;
    }
    policy.rule = npart__end_of_line_rule(parser, label, form->sentence);
    if (policy.rule == NPART_NONE)
        return;
    /* These end the session and not a partition. */
    parser->oplist->rules.items[policy.rule].is_fatal =
        policy.kind == NPART__POLICY_FAIL_UNFED || policy.kind == NPART__POLICY_FAIL_SHARED ||
        policy.kind == NPART__POLICY_FAIL_FLAT || policy.kind == NPART__POLICY_FAIL_FIXED;
    NPART__KEEP(parser, &parser->oplist->policies, policy);
}

/* fallback Softmax Sigmoid "the CPU side has no other ops"; `*` is all ops. Nodes of others that
 * fall back fail the model, so the rule is fatal. Several lines add up (npart__fallback_rule). Without an op and
 * without `*` the line says that the CPU's side has nothing. */
void npart__line_fallback(struct npart__parser *parser)
{
    struct npart__oplist *oplist = parser->oplist;
    struct npart__fallback line = {.first_op = oplist->policy_ops.count};
    const char *label = "fallback";
    line.has_all = npart__accept(parser, NPART__TOKEN_MARK, "*");
    line.op_count = line.has_all ? 0 : npart__take_ops(parser, &oplist->policy_ops);
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
    NPART__KEEP(parser, &oplist->fallbacks, line);
}
