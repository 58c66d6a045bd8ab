/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns: nodes that a target takes as one. Failures: nodes that it takes and then fails to compile together.
 * Refusals: nodes beside which it takes none.
 *
 *   expression = OP "(" [ operand { "," operand } ] ")" | number | "const" | "*" | ".." | NAME
 *
 * NAME.2 is the third output of the node that makes NAME.
 */
#include <stdlib.h>

#include "oplist/parse.h"

/* Asked outside of patterns too, by operands of ordinary rules: there is no name then. */
uint32_t npart__find_pattern_name(const struct npart__parser *parser, const char *name)
{
    for (uint32_t i = 0; parser->pattern && i < parser->pattern->name_count; i++)
        if (strcmp(parser->pattern->names[i].text, name) == 0)
            return i;
    return NPART_NONE;
}

/* Parts of all patterns lie in one array of the list, and refer to each other by index. A part that is made before a
 * mistake of its line stays, and nothing refers to it. */
static uint32_t add_part(struct npart__parser *parser, struct npart__pattern_part part)
{
    return NPART__ADD(parser, &parser->oplist->pattern_parts, part);
}

/* A name of the pattern, made when it is new. A name is free until a `let` says what it stands for. A let must stand
 * above the lines that use it: a free name cannot become one later. */
static uint32_t take_name(struct npart__parser *parser, const struct npart__token *token)
{
    struct npart__pattern *pattern = parser->pattern;
    uint32_t found = npart__find_pattern_name(parser, token->word->text);
    if (found != NPART_NONE)
        return found;
    if (pattern->name_count == NPART__LIMIT_PATTERN_NAMES) {
        npart__parse_fail(parser, token->column, "more than %u names in a pattern", NPART__LIMIT_PATTERN_NAMES);
        return NPART_NONE;
    }
    pattern->names[pattern->name_count].text = token->word->text;
    pattern->names[pattern->name_count].part = NPART_NONE;
    return pattern->name_count++;
}

/* "q.1" in two: the name, and which output of its node. A single digit: no operator of a pattern
 * has more than ten outputs. */
static void split_output(struct npart__parser *parser, struct npart__token *token, uint8_t *output)
{
    const char *dot = strrchr(token->word->text, '.');
    *output = 0;
    if (!dot || dot[1] < '0' || dot[1] > '9' || dot[2])
        return;
    *output = (uint8_t)(dot[1] - '0');
    token->word = npart__word_of(parser, NPART__TOKEN_WORD, token->word->text, (size_t)(dot - token->word->text));
}

static uint32_t parse_part(struct npart__parser *parser, unsigned depth);

/* The operands of a node in an expression, linked by `next`: Add(Erf(Div(x, 1.4142)), 1). */
static void parse_arguments(struct npart__parser *parser, struct npart__pattern_part *node, unsigned depth)
{
    uint32_t last = NPART_NONE;
    if (npart__accept(parser, NPART__TOKEN_MARK, ")"))
        return;
    do {
        /* Nothing can follow what stands for all that follows. */
        bool is_rest = last != NPART_NONE && parser->oplist->pattern_parts.items[last].kind == NPART__PATTERN_REST;
        if (is_rest)
            npart__parse_fail(parser, npart__peek(parser)->column, ".. stands last");
        /* Pointers into the array of parts are not kept over this, as it may move. */
        uint32_t part = parse_part(parser, depth + 1);
        if (part == NPART_NONE)
            return;
        if (last == NPART_NONE)
            node->argument = part;
        else
            parser->oplist->pattern_parts.items[last].next = part;
        last = part;
    } while (npart__accept(parser, NPART__TOKEN_MARK, ","));
    (void)npart__need(parser, NPART__TOKEN_MARK, ")", ", or )");
}

/* An op of another domain than the standard's and ONNX Runtime's cannot be checked, and may be a
 * library's. The number of operands is not checked: older versions have fewer, newer ones more. A node without
 * operands is written with empty parentheses. */
static void parse_node(struct npart__parser *parser, const struct npart__token *token,
                       struct npart__pattern_part *part, unsigned depth)
{
    size_t count;
    part->kind = NPART__PATTERN_NODE;
    if (!npart__split_op_name(parser, token->word->text, &part->domain, &part->op))
        return;
    bool is_standard = *part->domain == '\0' || strcmp(part->domain, "com.microsoft") == 0;
    if (is_standard && !npart__operator_versions(part->domain, part->op, &count))
        npart__parse_fail(parser, token->column, "%s is no operator of the standard%s", token->word->text,
                          npart__hint_operator(parser, part->domain, part->op));
    parser->now.at++; /* the parenthesis */
    parse_arguments(parser, part, depth);
}

/* One operand: a node, a name, a number, `const`, `*` or `..`. A name is told from an op by the
 * parenthesis after it. */
static uint32_t parse_part(struct npart__parser *parser, unsigned depth)
{
    /* A copy: split_output shortens its text. */
    struct npart__token token = *npart__peek(parser);
    struct npart__pattern_part part = {.kind = NPART__PATTERN_ANY, .domain = "", .op = "", .name = NPART_NONE,
                                       .argument = NPART_NONE, .next = NPART_NONE, .line = parser->now.line,
                                       .column = (uint32_t)token.column};
    if (depth > NPART__LIMIT_PATTERN_DEPTH) {
        npart__parse_fail(parser, token.column, "nested deeper than %u", NPART__LIMIT_PATTERN_DEPTH);
        return NPART_NONE;
    }
    bool is_negative = npart__accept(parser, NPART__TOKEN_MARK, "-");
    if (is_negative || token.word->kind == NPART__TOKEN_NUMBER) {
        const struct npart__token *number = npart__expect(parser, NPART__TOKEN_NUMBER, "a number");
        part.kind = NPART__PATTERN_NUMBER;
        part.number = !number ? 0 : is_negative ? -number->word->real : number->word->real;
        return add_part(parser, part);
    }
    if (npart__accept(parser, NPART__TOKEN_MARK, "*"))
        return add_part(parser, part);
    if (npart__accept(parser, NPART__TOKEN_MARK, "..")) {
        part.kind = NPART__PATTERN_REST;
        return add_part(parser, part);
    }
    if (npart__accept(parser, NPART__TOKEN_WORD, "const")) {
        part.kind = NPART__PATTERN_CONST;
        return add_part(parser, part);
    }
    if (!npart__expect(parser, NPART__TOKEN_WORD, "an op, a name, a number, const, * or .."))
        return NPART_NONE;
    if (npart__next_is(parser, NPART__TOKEN_MARK, "(")) {
        parse_node(parser, &token, &part, depth);
        return add_part(parser, part);
    }
    part.kind = NPART__PATTERN_NAME;
    split_output(parser, &token, &part.output);
    /* After a failure NPART_NONE, and add_part makes nothing of it. */
    part.name = take_name(parser, &token);
    return add_part(parser, part);
}

/* An expression that is a node: an op, or the name of a let. A match has to end in a node, which is the one that
 * is judged by it. */
static uint32_t parse_root(struct npart__parser *parser)
{
    uint64_t column = npart__peek(parser)->column;
    uint32_t part = parse_part(parser, 0);
    npart__expect_end(parser);
    if (part == NPART_NONE || parser->status != NPART_OK)
        return NPART_NONE;
    const struct npart__pattern_part *at = &parser->oplist->pattern_parts.items[part];
    bool is_let = at->kind == NPART__PATTERN_NAME && at->output == 0 &&
                  parser->pattern->names[at->name].part != NPART_NONE;
    if (at->kind != NPART__PATTERN_NODE && !is_let)
        npart__parse_fail(parser, column, "expected an op with its operands, or the name of a let");
    return parser->status == NPART_OK ? part : NPART_NONE;
}

/* The name's index, or NPART_NONE.
 * `let product = MatMulInteger(quantized, const, quantized.2, ..)`. The name gets its meaning after its expression,
 * so it cannot stand in it. Another let's name would be a second name of its node. */
static uint32_t parse_let(struct npart__parser *parser, const struct npart__value *is)
{
    if (npart__find_pattern_name(parser, is[0].text) != NPART_NONE) {
        npart__parse_fail(parser, is[0].token->column, "%s has a meaning already", is[0].text);
        return NPART_NONE;
    }
    uint64_t column = npart__peek(parser)->column;
    uint32_t part = parse_root(parser);
    if (part != NPART_NONE && parser->oplist->pattern_parts.items[part].kind != NPART__PATTERN_NODE)
        npart__parse_fail(parser, column, "expected an op with its operands");
    uint32_t name = parser->status != NPART_OK ? NPART_NONE : take_name(parser, is[0].token);
    if (name != NPART_NONE)
        parser->pattern->names[name].part = part;
    return name;
}

void npart__line_let(struct npart__parser *parser, const struct npart__value *is)
{
    (void)parse_let(parser, is);
}

/* The node itself is shared, not what stands before it.
 * `share q = QuantizeLinear(x, const, ..)`. Dynamic quantization is such: one DynamicQuantizeLinear feeds
 * several products. */
void npart__line_share(struct npart__parser *parser, const struct npart__value *is)
{
    uint32_t name = parse_let(parser, is);
    if (name != NPART_NONE)
        parser->oplist->pattern_parts.items[parser->pattern->names[name].part].is_shared = true;
}

/* `match Mul(Cast(product), Mul(quantized.1, const))`: several lines are alternatives. They share names and rules; at
 * a node the first that matches counts. */
void npart__line_match(struct npart__parser *parser, const struct npart__value *is)
{
    (void)is;
    struct npart__pattern *pattern = parser->pattern;
    if (pattern->match_count == NPART__LIMIT_PATTERN_MATCHES) {
        npart__parse_fail(parser, 1, "more than %u alternatives in a pattern", NPART__LIMIT_PATTERN_MATCHES);
        return;
    }
    uint32_t part = parse_root(parser);
    if (part != NPART_NONE)
        pattern->matches[pattern->match_count++] = part;
}

/* Operands and attributes are those of the node that makes the value.
 * `of product need rank(B) = 2 "the weight must be a matrix"`. The node stands in for the op of the list while
 * the rule is read. So attr(axis) and operand names are looked up in that operator; names of the pattern come
 * after these. */
void npart__line_of(struct npart__parser *parser, const struct npart__value *is)
{
    uint32_t name = npart__find_pattern_name(parser, is[0].text);
    uint32_t part = name == NPART_NONE ? NPART_NONE : parser->pattern->names[name].part;
    struct npart__op_entry op = {.first_version = 1, .last_version = INT32_MAX};
    bool is_root = name == NPART_NONE && strcmp(is[0].text, "root") == 0 && npart__root_op(parser, &op);
    if (part == NPART_NONE && !is_root) {
        npart__parse_fail(parser, is[0].token->column, "no let says what node makes %s", is[0].text);
        return;
    }
    if (!is_root) {
        op.domain = parser->oplist->pattern_parts.items[part].domain;
        op.name = parser->oplist->pattern_parts.items[part].op;
    }
    op.stage = parser->stage;
    uint32_t first = parser->oplist->rules.count;
    npart__ask_of(parser, &op);
    npart__parse_rule(parser, "need");
    npart__ask_of(parser, NULL);
    /* `subject` is one more than the name, since 0 is the last node. */
    for (uint32_t i = first; !is_root && parser->status == NPART_OK && i < parser->oplist->rules.count; i++)
        parser->oplist->rules.items[i].subject = (uint8_t)(name + 1);
}

/* Told with the failure. Of several lines the last counts. */
void npart__line_advice(struct npart__parser *parser, const struct npart__value *is)
{
    if (parser->pattern->is_failure || parser->pattern->is_refusal)
        parser->oplist->rules.items[parser->pattern->unit_rule].advice = is[0].text;
    else
        npart__parse_fail(parser, 1, "only a failure or a refusal has an advice");
}

/* The sentence is a rule of its own: for a pattern a note at every node of a match, for a failure what is required of
 * the model, fatal, and for a refusal the same, not fatal. A name stands once among all of a list, since ids of rules
 * are made of it. It is kept on the stack while its lines are read, and copied into the list when it is whole; one with
 * a mistake is not kept, as its parts may refer to names that have none. */
void npart__line_pattern(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__oplist *oplist = parser->oplist;
    struct npart__pattern pattern = {.name = is[0].text,
                                     .stage = parser->stage,
                                     .is_failure = strcmp(parser->line->keyword, "failure") == 0,
                                     .is_refusal = strcmp(parser->line->keyword, "refusal") == 0,
                                     .line = parser->now.line};
    for (uint32_t i = 0; i < oplist->patterns.count; i++)
        if (strcmp(oplist->patterns.items[i].name, pattern.name) == 0)
            npart__parse_fail(parser, is[0].token->column, "%s %s is there twice (line %u)", parser->line->keyword,
                              pattern.name, oplist->patterns.items[i].line);
    if (oplist->patterns.count == NPART__LIMIT_PATTERNS)
        npart__parse_fail(parser, is[0].token->column, "more than %u patterns", NPART__LIMIT_PATTERNS);
    if (parser->status != NPART_OK)
        return;
    const char *label = npart__parse_text(
        parser, npart__arena_format(parser->arena, "%s.%s", parser->line->keyword, pattern.name));
    pattern.unit_rule = npart__add_line_rule(parser, label, "", &is[1], &is[2]);
    if (pattern.unit_rule == NPART_NONE)
        return;
    struct npart__rule *rule = &oplist->rules.items[pattern.unit_rule];
    rule->about = NPART_ABOUT_OP;
    rule->kind = pattern.is_failure || pattern.is_refusal ? NPART_RULE_NEED : NPART_RULE_NOTE;
    rule->is_fatal = pattern.is_failure;
    const char *source = rule->source;
    /* After the rule of its own sentence. */
    pattern.first_rule = oplist->rules.count;
    uint32_t mistakes = parser->mistakes;
    /* cppcheck-suppress autoVariables ; taken away again below */
    parser->pattern = &pattern;
    parser->first_rule = pattern.first_rule;
    parser->first_selector = oplist->selectors.count;
    npart__read_block(parser);
    if (parser->mistakes == mistakes)
        npart__end_pattern(parser);
    parser->pattern = NULL;
    if (parser->mistakes > mistakes)
        return;
    /* Rules without a source have the pattern's. */
    npart__give_source(parser, pattern.first_rule, source);
    NPART__KEEP(parser, &oplist->patterns, pattern);
}

/* Bits of the names that an expression leads to, with those of the names in it: `known` of lets,
 * which are older. A number of 32 bits is enough, as a pattern has at most 16 names. */
static uint32_t names_behind(const struct npart__oplist *oplist, uint32_t part, const uint32_t *known)
{
    const struct npart__pattern_part *at = &oplist->pattern_parts.items[part];
    uint32_t bits = at->kind == NPART__PATTERN_NAME ? known[at->name] : 0;
    for (uint32_t i = at->kind == NPART__PATTERN_NODE ? at->argument : NPART_NONE; i != NPART_NONE;
         i = oplist->pattern_parts.items[i].next)
        bits |= names_behind(oplist, i, known); /* no deeper than NPART__LIMIT_PATTERN_DEPTH */
    return bits;
}

/* Lets are resolved from the first to the last, as each can name older ones only. A name that
 * some match does not bind would have no value when a rule asks about it. */
void npart__end_pattern(struct npart__parser *parser)
{
    struct npart__pattern *pattern = parser->pattern;
    if (parser->status != NPART_OK)
        return;
    pattern->rule_count = parser->oplist->rules.count - pattern->first_rule;
    parser->now.line = pattern->line;
    if (pattern->match_count == 0)
        npart__parse_fail(parser, 1, "pattern %s matches nothing: it has no match line", pattern->name);
    uint32_t known[NPART__LIMIT_PATTERN_NAMES];
    for (uint32_t i = 0; i < pattern->name_count; i++) {
        uint32_t part = pattern->names[i].part;
        /* A let can only name what stands before it, so `known` is filled in for all that it may meet. */
        known[i] = UINT32_C(1) << i | (part == NPART_NONE ? 0 : names_behind(parser->oplist, part, known));
    }
    for (uint32_t m = 0; m < pattern->match_count; m++) {
        uint32_t bits = names_behind(parser->oplist, pattern->matches[m], known);
        for (uint32_t i = 0; i < pattern->name_count; i++) /* one that is never bound means nothing to a rule */
            if (!(bits >> i & 1))
                npart__parse_fail(parser, 1, "pattern %s: %s does not stand in every match", pattern->name,
                                  pattern->names[i].text);
    }
}
