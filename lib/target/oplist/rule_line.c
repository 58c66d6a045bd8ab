/* SPDX-License-Identifier: Apache-2.0
 *
 * One rule: its line, its id, its condition. For instance
 *      need rank: rank(X) in 3..4 with float "the op must be 1-D or 2-D" because "..." source "guide"
 * A rule is the unit of everything that a person is told: the sentence is printed as the reason,
 * the id names it in JSON and in causes, and the source says why to believe it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "oplist/parse.h"

/* "label:" before a condition. In a define's rules the parts of a label may be parameters. A blank stands after
 * the colon: `com.microsoft:Gelu` is one word to the lexer. */
static const char *accept_label(struct npart__parser *parser)
{
    const struct npart__token *token = npart__peek(parser), *next = token + 1;
    if (token->word->kind != NPART__TOKEN_WORD || next->word->kind != NPART__TOKEN_MARK ||
        strcmp(next->word->text, ":") != 0)
        return NULL;
    parser->now.at += 2;
    return npart__label_text(parser, token->word->text);
}

/* Ids need to differ within a section only, whose name is a part of them. That is why a section
 * has a limit of rules: each goes through those before it, but for one that is called like the rule right before it.
 * What follows `fixed` in an id is nothing, which is number 1, or a hyphen and a number; the first that no rule of the
 * section has is returned. */
static unsigned free_number(struct npart__parser *parser, const char *fixed)
{
    struct npart__numbers *numbers = &parser->numbers;
    const size_t length = strlen(fixed);
    unsigned number = 1;
    if (numbers->first_rule != parser->first_rule || strcmp(numbers->fixed, fixed) != 0) {
        *numbers = (struct npart__numbers){.first_rule = parser->first_rule, .next_rule = parser->first_rule};
        memcpy(numbers->fixed, fixed, length + 1);
    }
    for (; numbers->next_rule < parser->oplist->rules.count; numbers->next_rule++) {
        const char *id = parser->oplist->rules.items[numbers->next_rule].id;
        if (strncmp(id, fixed, length) != 0 || (id[length] && id[length] != '-'))
            continue;
        char *end = NULL;
        unsigned long found = id[length] ? strtoul(id + length + 1, &end, 10) : 1;
        if ((!end || !*end) && found < NPART__COUNT(numbers->is_taken))
            numbers->is_taken[found] = true;
    }
    while (numbers->is_taken[number])
        number++; /* ends: each rule has taken one number at most */
    return number;
}

/* Joins pieces, cut to what fits. Long names of an imported list are cut rather than refused;
 * ids are numbered apart in make_id. Always terminated; `bytes` is at least 1. */
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

/* "hexagon/Conv/rank-X", with a number where the op has that label already. Ids are what users exclude or look up,
 * so they are made of what the rule asks and not of its line or its sentence. */
static const char *make_id(struct npart__parser *parser, const char *label, struct npart__rule *rule)
{
    const struct npart__oplist *oplist = parser->oplist;
    const char *word = "rule", *argument = "";
    char fixed[NPART__ID_BYTES], numbered[NPART__ID_BYTES + 20];
    if (rule->condition != NPART_NONE)
        npart__condition_label(oplist, rule->condition, &word, &argument, &rule->about);
    /* In a pattern's `of` line the op is that of a node, and the rule the pattern's. Rules of a
     * define used in an op have the op's name, too. */
    bool is_op = parser->op && !parser->pattern;
    const char *const pieces[] = {
        oplist->name,
        "/",
        is_op ? parser->op->domain : "",
        is_op && *parser->op->domain ? "." : "",
        is_op ? parser->op->name : parser->pattern ? npart__pattern_word(parser->pattern) : "every",
        parser->pattern ? "." : "",
        parser->pattern ? parser->pattern->name : "",
        "/",
        label ? label : word,
        !label && *argument ? "-" : "",
        label ? "" : argument,
    };
    join(fixed, sizeof fixed, pieces, NPART__COUNT(pieces));
    memcpy(numbered, fixed, sizeof fixed);
    unsigned number = free_number(parser, fixed);
    /* `numbered` has room for the longest `fixed` with a number after it. */
    if (number > 1)
        (void)snprintf(numbered, sizeof numbered, "%s-%u", fixed, number);
    return npart__parse_text(parser, npart__arena_copy_text(parser->arena, numbered, strlen(numbered)));
}

/* The condition as it is written, for a rule without a sentence. As a reader of the list would write it; lists
 * that ship have a sentence at every rule. Made before `except` is read, so the exceptions are not in it. */
static const char *condition_text(struct npart__parser *parser, uint32_t condition)
{
    struct npart__buffer text = {.arena = parser->arena};
    if (condition != NPART_NONE)
        npart__append_term(parser->oplist, condition, &text);
    return npart__parse_text(parser, npart__made_text(&text));
}

/* The stage does not matter, as rules of two sections are not compared. Switches and toolchains are compared by
 * their index. */
static bool same_when(struct npart__line_condition a, struct npart__line_condition b)
{
    return a.with == b.with && a.without == b.without && a.since == b.since && a.before == b.before;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Fallbacks and types follow from these. A number's text does not count: 0.5 is 0.50. */
static bool same_term(const struct npart__oplist *oplist, const struct npart__term *a, const struct npart__term *b)
{
    const struct npart__selector *selectors = oplist->selectors.items;
    bool has_selectors = a->selector != NPART_NONE && b->selector != NPART_NONE;
    return a->kind == b->kind && a->op == b->op && a->has_index == b->has_index && a->to_last == b->to_last &&
           a->number == b->number && !(a->real < b->real) && !(a->real > b->real) &&
           (a->kind == NPART__TERM_NUMBER || same_text(a->word, b->word)) &&
           (has_selectors ? same_text(selectors[a->selector].name, selectors[b->selector].name)
                          : a->selector == b->selector);
}

/* Whether two conditions are the same as they could be written: blanks and needless parentheses make no difference.
 * As deep as conditions nest; a set's items are gone through one after the other, as there may be many. */
static bool same_condition(const struct npart__oplist *oplist, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a == NPART_NONE || b == NPART_NONE)
            return false;
        const struct npart__term *one = &oplist->terms.items[a], *other = &oplist->terms.items[b];
        if (!same_term(oplist, one, other) || !same_condition(oplist, one->left, other->left) ||
            !same_condition(oplist, one->right, other->right))
            return false;
        a = one->next;
        b = other->next;
    }
    return true;
}

/* A rule that asks what another of its section asks already, for a warning. Quadratic within a section, and only
 * where warnings are asked for. */
static bool is_repeated(const struct npart__parser *parser, const struct npart__rule *rule)
{
    for (uint32_t i = parser->first_rule; i < parser->oplist->rules.count; i++) {
        const struct npart__rule *other = &parser->oplist->rules.items[i];
        if (other->kind == rule->kind && other->condition != NPART_NONE && same_when(other->when, rule->when) &&
            same_condition(parser->oplist, other->condition, rule->condition))
            return true;
    }
    return false;
}

/* Whole words: `must` and not `mustard`. */
static bool has_word(const char *sentence, const char *word)
{
    while (*sentence) {
        size_t length = strcspn(sentence, " ,:;.()");
        if (npart__is_text(word, sentence, length))
            return true;
        sentence += length + (sentence[length] != '\0');
    }
    return false;
}

/* A sentence says what is required; what happens otherwise follows `because`. Reports print "must ..." after `ok`
 * and after `NOT MET`, so a sentence that tells a failure would say the opposite of one of them. */
static bool states_failure(const char *sentence)
{
    static const char *const words[] = {"fails", "fail", "crash", "crashes", "hangs", "refused", "refuses", "cannot"};
    for (size_t i = 0; i < NPART__COUNT(words); i++)
        if (has_word(sentence, words[i]))
            return true;
    return false;
}

/* For --check-oplist: what is read without a mistake and still serves a person badly. A sentence that is the
 * condition itself was not written by anyone, so nothing is asked of it. */
static void warn_of_rule(struct npart__parser *parser, const struct npart__rule *rule, bool is_written, uint64_t column)
{
    /* Notes and units state no requirement. */
    bool is_asked =
        rule->kind == NPART_RULE_NEED || rule->kind == NPART_RULE_MAYBE || rule->kind == NPART_RULE_ELSEWHERE;
    if (!parser->listener || parser->status != NPART_OK)
        return;
    if (is_asked && states_failure(rule->sentence))
        npart__parse_warn(parser, column, "the sentence says what fails, not what is required");
    else if (is_asked && rule->condition != NPART_NONE && is_written && !has_word(rule->sentence, "must"))
        npart__parse_warn(parser, column, "the sentence states no requirement: it has no \"must\"");
    if (rule->condition != NPART_NONE && !parser->pattern && is_repeated(parser, rule))
        npart__parse_warn(parser, column, "another rule of the op asks the same");
}

/* The id is made last, since the parts of a rule that it is made of come one after the other on
 * the line. A section has at most NPART__LIMIT_RULES_OF_SECTION; the `every` lines of a stage are one. */
static void add_rule(struct npart__parser *parser, struct npart__rule rule, const char *label)
{
    if (parser->oplist->rules.count - parser->first_rule >= NPART__LIMIT_RULES_OF_SECTION)
        npart__parse_fail(parser, 1, "more than %u rules in a section", NPART__LIMIT_RULES_OF_SECTION);
    if (parser->status == NPART_OK)
        rule.id = make_id(parser, label, &rule);
    if (parser->status != NPART_OK)
        return;
    NPART__KEEP(parser, &parser->oplist->rules, rule);
}

/* `except OP...` on a rule for all ops, as a condition of its own, so that evaluating knows of no exceptions. A
 * requirement holds where the op is one of these, and what it asks comes first, so that the rule is labelled by it:
 *      every static: static(*) except Shape        static(*) or op = Shape
 *      every refuse "..." except Shape             op = Shape
 * A note is told where it holds, so there it does not:
 *      every note rank(inputs) > 4 except Shape    rank(inputs) > 4 and not op = Shape */
static uint32_t parse_except(struct npart__parser *parser, enum npart_rule_kind kind, uint32_t condition)
{
    while (npart__peek(parser)->word->kind == NPART__TOKEN_WORD && parser->status == NPART_OK) {
        const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "an op");
        if (!npart__check_op(parser, token->word->text, token->column))
            return NPART_NONE;
        struct npart__term function = npart__blank_term(NPART__TERM_FUNCTION);
        struct npart__term word = npart__blank_term(NPART__TERM_WORD);
        function.op = NPART__FUNCTION_OP;
        word.word = token->word->text;
        uint32_t op = npart__new_term(parser, function);
        uint32_t is_it =
            npart__new_pair(parser, NPART__TERM_COMPARE, NPART__EQUAL, op, npart__new_term(parser, word));
        bool is_note = kind == NPART_RULE_NOTE;
        if (is_note)
            is_it = npart__new_pair(parser, NPART__TERM_NOT, 0, is_it, NPART_NONE);
        condition = condition == NPART_NONE
                        ? is_it
                        : npart__new_pair(parser, is_note ? NPART__TERM_AND : NPART__TERM_OR, 0, condition, is_it);
    }
    return condition;
}

/* Not `of`: a rule belongs to the stage that it stands in. */
static bool is_when(const struct npart__parser *parser)
{
    return npart__is_condition_next(parser) && !npart__next_is(parser, NPART__TOKEN_WORD, "of");
}

/* ["sentence"] and, in any order, [because "..."] [advice "..."] [else fail] [source "..."] [except OP...]. `except`
 * stands only on rules for every op; of a single op it would be another op. It ends the line, as every word after it is
 * taken for an op. */
static void parse_end_of_rule(struct npart__parser *parser, struct npart__rule *rule)
{
    bool is_written = npart__peek(parser)->word->kind == NPART__TOKEN_STRING;
    if (is_written)
        rule->sentence = npart__take_text(parser, "a sentence");
    else if (parser->status == NPART_OK)
        rule->sentence = condition_text(parser, rule->condition);
    for (;;) {
        if (npart__accept(parser, NPART__TOKEN_WORD, "else")) {
            if (rule->kind != NPART_RULE_NEED || !npart__accept(parser, NPART__TOKEN_WORD, "fail"))
                npart__parse_fail(parser, npart__peek(parser)->column, "only `else fail` after a need");
            rule->is_fatal = true;
        } else if (npart__accept(parser, NPART__TOKEN_WORD, "because")) {
            rule->because = npart__take_text(parser, "a reason");
        } else if (rule->kind == NPART_RULE_ELSEWHERE && npart__accept(parser, NPART__TOKEN_WORD, "advice")) {
            rule->advice = npart__take_text(parser, "what to change");
        } else if (npart__accept(parser, NPART__TOKEN_WORD, "source")) {
            rule->source = npart__take_text(parser, "a source");
        } else if (!parser->op && !parser->pattern && npart__accept(parser, NPART__TOKEN_WORD, "except")) {
            rule->condition = parse_except(parser, (enum npart_rule_kind)rule->kind, rule->condition);
        } else {
            break;
        }
    }
    npart__expect_end(parser);
    if (parser->status == NPART_OK)
        warn_of_rule(parser, rule, is_written, parser->now.range.tokens[0].column);
}

/* A `maybe` or `note` may be a sentence alone, without a condition; `refuse` always is. A need without a condition
 * would hold nowhere: that is what `refuse` says. */
void npart__parse_rule(struct npart__parser *parser, const char *keyword)
{
    static const char *const keywords[] = {[NPART_RULE_NEED] = "need", [NPART_RULE_MAYBE] = "maybe",
                                           [NPART_RULE_NOTE] = "note", [NPART_RULE_UNIT] = "unit",
                                           [NPART_RULE_ELSEWHERE] = "elsewhere"};
    bool is_refusal = strcmp(keyword, "refuse") == 0; /* a need */
    size_t kind = 0;
    /* A keyword is one of these or `refuse`: callers have taken it from their tables. */
    while (!is_refusal && kind + 1 < NPART__COUNT(keywords) && strcmp(keywords[kind], keyword) != 0)
        kind++;
    struct npart__rule rule = {
        .condition = NPART_NONE,
        .kind = (uint8_t)kind,
        .about = is_refusal ? NPART_ABOUT_OP : NPART_ABOUT_POLICY,
        .stage = parser->stage,
        .line = parser->now.line,
        .source = "",
        .sentence = "",
    };
    if (kind == NPART_RULE_ELSEWHERE && !parser->oplist->decided_by)
        npart__parse_fail(parser, 1, "a `decided` line must stand above");
    if (parser->pattern && !parser->form)
        rule.pattern = parser->oplist->patterns.count + 1; /* where it will stand once its last line is read */
    const char *label = accept_label(parser);
    bool may_be_bare = kind != NPART_RULE_NEED && kind != NPART_RULE_UNIT;
    /* What may be bare is told by what comes next: a sentence, or when it counts. */
    if (!is_refusal && !(may_be_bare && (npart__peek(parser)->word->kind == NPART__TOKEN_STRING || is_when(parser))))
        rule.condition = npart__parse_condition(parser);
    /* Kept apart from `when`, as of most rules there is nothing to look up. */
    rule.is_limited = is_when(parser);
    rule.when = npart__take_condition(parser);
    if (is_refusal && npart__peek(parser)->word->kind != NPART__TOKEN_STRING)
        (void)npart__expect(parser, NPART__TOKEN_STRING, "a sentence");
    parse_end_of_rule(parser, &rule);
    if (parser->status == NPART_OK)
        add_rule(parser, rule, label);
}

/* A rule that no line spells out: a missing entry, a body left to the CPU. Its label is not numbered: callers see
 * to it that each is made once. Its kind is that of a need; callers make a note or a fatal rule of it. */
uint32_t npart__add_unwritten_rule(struct npart__parser *parser, const char *label, const char *sentence,
                                   enum npart_cause_kind about, uint8_t stage)
{
    struct npart__rule rule = {
        .condition = NPART_NONE,
        .kind = NPART_RULE_NEED,
        .when = NPART__ALWAYS,
        .about = (uint8_t)about,
        .stage = stage,
        .line = parser->now.line,
        .source = parser->default_source,
        .sentence = sentence,
    };
    rule.id = npart__parse_text(parser, npart__arena_format(parser->arena, "%s/%s", parser->oplist->name, label));
    return NPART__ADD(parser, &parser->oplist->rules, rule);
}

void npart__give_source(struct npart__parser *parser, uint32_t first, const char *source)
{
    for (uint32_t i = first; parser->status == NPART_OK && i < parser->oplist->rules.count; i++)
        if (!*parser->oplist->rules.items[i].source)
            parser->oplist->rules.items[i].source = source;
}

