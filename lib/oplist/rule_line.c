/* SPDX-License-Identifier: Apache-2.0
 *
 * One rule: its line, its id, its condition.
 */
#include <stdio.h>

#include "oplist/parse.h"

/* "label:" before a condition. */
static const char *accept_label(struct npart__parser *parser)
{
    const struct npart__token *token = npart__peek(parser), *next = token + 1;
    if (token->kind != NPART__TOKEN_WORD || next->kind != NPART__TOKEN_MARK || strcmp(next->text, ":") != 0)
        return NULL;
    parser->at += 2;
    return token->text;
}

static bool id_is_taken(const struct npart__parser *parser, const char *id)
{
    for (uint32_t i = parser->first_rule; i < parser->oplist->rules.count; i++)
        if (strcmp(parser->oplist->rules.items[i].id, id) == 0)
            return true;
    return false;
}

/* Joins pieces, cut to what fits. */
static void join(char *out, size_t bytes, const char *const *pieces, size_t count)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(pieces[i]);
        length = length < bytes - 1 - used ? length : bytes - 1 - used;
        memcpy(out + used, pieces[i], length);
        used += length;
    }
    out[used] = '\0';
}

/* "hexagon/Conv/rank-X", with a number where the op has that label already. */
static const char *make_id(struct npart__parser *parser, const char *label, struct npart__rule *rule)
{
    const struct npart__oplist *oplist = parser->oplist;
    const char *word = "rule", *argument = "";
    char fixed[200], numbered[220];
    if (rule->condition != NPART_NONE)
        npart__condition_label(oplist, rule->condition, &word, &argument, &rule->about);
    /* In a pattern's `of` line the op is that of a node, and the rule the pattern's. */
    bool is_op = parser->op && !parser->pattern;
    const char *const pieces[] = {
        oplist->name,
        "/",
        is_op ? parser->op->domain : "",
        is_op && *parser->op->domain ? "." : "",
        is_op ? parser->op->name : !parser->pattern ? "every" : parser->pattern->is_failure ? "failure." : "pattern.",
        parser->pattern ? parser->pattern->name : "",
        "/",
        label ? label : word,
        !label && *argument ? "-" : "",
        label ? "" : argument,
    };
    join(fixed, sizeof fixed, pieces, NPART__COUNT(pieces));
    memcpy(numbered, fixed, sizeof fixed);
    for (unsigned number = 2; id_is_taken(parser, numbered); number++)
        (void)snprintf(numbered, sizeof numbered, "%s-%u", fixed, number);
    const char *id = npart__arena_copy_text(parser->arena, numbered, strlen(numbered));
    if (!id)
        npart__parse_out_of_memory(parser);
    return id;
}

/* The condition as it is written, for a rule without a sentence. */
static const char *condition_text(struct npart__parser *parser, uint32_t from, uint32_t to)
{
    struct npart__buffer text;
    npart__buffer_init(&text, parser->arena);
    for (uint32_t i = from; i < to; i++) {
        const char *word = parser->tokens[i].text;
        bool is_tight = i == from || strcmp(word, ")") == 0 || strcmp(word, ",") == 0 || strcmp(word, "..") == 0 ||
                        strcmp(word, "(") == 0 || strcmp(parser->tokens[i - 1].text, "(") == 0 ||
                        strcmp(parser->tokens[i - 1].text, "..") == 0;
        npart__append_text(&text, is_tight ? "" : " ");
        npart__append_text(&text, word);
    }
    if (text.failed)
        npart__parse_out_of_memory(parser);
    return npart__buffer_text(&text);
}

static void add_rule(struct npart__parser *parser, struct npart__rule rule, const char *label)
{
    if (parser->oplist->rules.count - parser->first_rule >= NPART__LIMIT_RULES_OF_SECTION)
        npart__parse_fail(parser, 1, "more than %u rules in a section", NPART__LIMIT_RULES_OF_SECTION);
    if (parser->status == NPART_OK)
        rule.id = make_id(parser, label, &rule);
    if (parser->status != NPART_OK)
        return;
    if (!NPART__PUSH(parser->arena, &parser->oplist->rules, rule))
        npart__parse_out_of_memory(parser);
}

/* `except OP...` on a rule for all ops: it holds where the op is one of these. Written as a condition of its own. */
static uint32_t parse_except(struct npart__parser *parser, uint32_t condition)
{
    struct npart__term function = {.kind = NPART__TERM_FUNCTION, .op = NPART__FUNCTION_OP, .left = NPART_NONE,
                                   .right = NPART_NONE, .next = NPART_NONE, .selector = NPART_NONE};
    struct npart__oplist *oplist = parser->oplist;
    while (npart__peek(parser)->kind == NPART__TOKEN_WORD && parser->status == NPART_OK) {
        const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "an op");
        if (!npart__check_op(parser, token->text, token->column))
            return NPART_NONE;
        /* op = NAME or CONDITION */
        struct npart__term word = function, equal = function, either = function;
        word.kind = NPART__TERM_WORD;
        word.op = 0;
        word.word = token->text;
        uint32_t base = oplist->terms.count;
        equal.kind = NPART__TERM_COMPARE;
        equal.op = NPART__EQUAL;
        equal.left = base;
        equal.right = base + 1;
        either.kind = NPART__TERM_OR;
        either.op = 0;
        either.left = condition; /* first, so that the rule is labelled by what it asks */
        either.right = base + 2;
        if (!NPART__PUSH(parser->arena, &oplist->terms, function) ||
            !NPART__PUSH(parser->arena, &oplist->terms, word) || !NPART__PUSH(parser->arena, &oplist->terms, equal) ||
            !NPART__PUSH(parser->arena, &oplist->terms, either)) {
            npart__parse_out_of_memory(parser);
            return NPART_NONE;
        }
        condition = base + 3;
    }
    return condition;
}

void npart__parse_rule(struct npart__parser *parser, enum npart__rule_kind kind)
{
    struct npart__rule rule = {
        .condition = NPART_NONE,
        .kind = (uint8_t)kind,
        .about = NPART__ABOUT_POLICY,
        .gate = parser->gate,
        .signature = parser->signature,
        .line = parser->line,
        .source = "",
        .sentence = "",
    };
    const char *label = accept_label(parser);
    uint32_t from = parser->at;
    if (npart__peek(parser)->kind != NPART__TOKEN_STRING || kind == NPART__RULE_NEED || kind == NPART__RULE_UNIT)
        rule.condition = npart__parse_condition(parser);
    uint32_t to = parser->at;
    if (parser->status != NPART_OK)
        return;
    if (npart__peek(parser)->kind == NPART__TOKEN_STRING)
        rule.sentence = parser->tokens[parser->at++].text;
    else
        rule.sentence = condition_text(parser, from, to);
    for (;;) {
        if (npart__accept(parser, NPART__TOKEN_WORD, "else")) {
            if (kind != NPART__RULE_NEED || !npart__accept(parser, NPART__TOKEN_WORD, "fail") )
                npart__parse_fail(parser, npart__peek(parser)->column, "only `else fail` after a need");
            rule.is_fatal = true;
        } else if (npart__accept(parser, NPART__TOKEN_WORD, "source")) {
            const struct npart__token *token = npart__expect(parser, NPART__TOKEN_STRING, "a source");
            rule.source = token ? token->text : "";
        } else if (!parser->op && !parser->pattern && npart__accept(parser, NPART__TOKEN_WORD, "except")) {
            rule.condition = parse_except(parser, rule.condition);
        } else {
            break;
        }
    }
    npart__expect_end(parser);
    if (parser->status == NPART_OK)
        add_rule(parser, rule, label);
}

/* A rule that no line spells out: a missing entry, a body left to the CPU. */
uint32_t npart__add_unwritten_rule(struct npart__parser *parser, const char *label, const char *sentence,
                                   enum npart__rule_about about, uint8_t gate)
{
    struct npart__rule rule = {
        .condition = NPART_NONE,
        .kind = NPART__RULE_NEED,
        .about = (uint8_t)about,
        .gate = gate,
        .line = parser->line,
        .source = parser->default_source,
        .sentence = sentence,
    };
    rule.id = npart__arena_format(parser->arena, "%s/%s", parser->oplist->name, label);
    if (!rule.id || !NPART__PUSH(parser->arena, &parser->oplist->rules, rule)) {
        npart__parse_out_of_memory(parser);
        return NPART_NONE;
    }
    return parser->oplist->rules.count - 1;
}

