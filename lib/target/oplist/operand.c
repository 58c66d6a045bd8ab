/* SPDX-License-Identifier: Apache-2.0
 *
 * What conditions ask about: operands and attributes of an op, by the names that the standard
 * gives them. A name is looked up in all versions of the op, since an operand may have moved
 * between them and a default may have changed; the node's own version decides when the rule is
 * tried.
 */
#include <stdio.h>

#include "oplist/parse.h"

/* ---- operands -------------------------------------------------------------------------------------------- */

/* For a message: "Conv has no operand Z; it has X W B Y". Ends where there is no room; more than
 * 32 of one side are not listed. A message has room for so many. */
static void list_operands(const struct npart__operator *schema, char *out, size_t bytes)
{
    struct npart__operand operand;
    size_t used = 0;
    out[0] = '\0';
    for (int side = 0; side < 2; side++) {
        for (unsigned i = 0; i < 32; i++) {
            bool found = side == 0 ? npart__operator_input(schema, i, &operand)
                                   : npart__operator_output(schema, i, &operand);
            if (!found)
                break;
            int written = snprintf(out + used, bytes - used, " %.*s", (int)operand.name_length, operand.name);
            if (written < 0 || (size_t)written >= bytes - used)
                return;
            used += (size_t)written;
            if (operand.is_variadic)
                break;
        }
    }
}

/* input0, output2: operands by place, for operators that the standard does not know. One digit:
 * a name such as input10 is not known. It may be a library's own op, whose operands have no names here. */
static bool resolve_by_place(struct npart__selector *selector)
{
    static const char *const sides[] = {"input", "output"};
    for (int side = 0; side < 2; side++) {
        size_t length = strlen(sides[side]);
        const char *digit = selector->name + length;
        if (strncmp(selector->name, sides[side], length) != 0 || digit[0] < '0' || digit[0] > '9' || digit[1])
            continue;
        selector->version_count = 1;
        selector->versions[0].since = 0;
        selector->versions[0].index = (int16_t)(digit[0] - '0');
        selector->versions[0].is_output = side == 1;
        return true;
    }
    return false;
}

/* Where the operand stands in each version of the operator that the entry covers; a row only where it moves. An
 * operand that no version has is none. Versions before the entry's first are looked at as well: a row of theirs is
 * never reached, or says the same. False as well where the name moves more often than there are rows, which is then
 * told as an operand that is not there. */
static bool resolve_in_schema(struct npart__parser *parser, struct npart__selector *selector,
                              const struct npart__operator **newest)
{
    size_t count;
    bool found = false;
    const struct npart__operator *versions =
        npart__operator_versions(parser->op->domain, parser->op->name, &count);
    *newest = count ? &versions[count - 1] : NULL;
    for (size_t i = 0; i < count; i++) {
        bool is_output;
        struct npart__operand operand = {0};
        int index = npart__operator_find_operand(&versions[i], selector->name, strlen(selector->name), &is_output);
        if (index >= 0 && !is_output)
            (void)npart__operator_input(&versions[i], (unsigned)index, &operand);
        if (index >= 0 && is_output)
            (void)npart__operator_output(&versions[i], (unsigned)index, &operand);
        found |= index >= 0;
        /* Versions in which the operand stands where it stood need no row of their own. */
        uint8_t last = selector->version_count;
        bool moved = last == 0 || selector->versions[last - 1].index != index ||
                     selector->versions[last - 1].is_output != (index >= 0 && is_output) ||
                     selector->versions[last - 1].is_variadic != operand.is_variadic;
        if (!moved)
            continue;
        if (last == NPART__SELECTOR_VERSIONS)
            return false;
        /* `moved` also counts a version that has lost the operand: its row says -1, and the question is about
         * nothing there. */
        selector->versions[last].since = last == 0 ? 0 : versions[i].since;
        selector->versions[last].index = (int16_t)index;
        selector->versions[last].is_output = index >= 0 && is_output;
        selector->versions[last].is_variadic = operand.is_variadic;
        selector->version_count++;
    }
    return found;
}

/* A selector of that name which the op at hand has already, or NPART_NONE. Rules of an op ask
 * for the same few operands again and again; each is resolved once. Outside ops and patterns, in rules for every
 * op, there are few. Those are made anew each time. */
static uint32_t known_selector(const struct npart__parser *parser, const char *name)
{
    const struct npart__oplist *oplist = parser->oplist;
    for (uint32_t i = parser->first_selector; (parser->op || parser->pattern) && i < oplist->selectors.count; i++)
        if (npart__same_text(oplist->selectors.items[i].name, name))
            return i;
    return NPART_NONE;
}

/* Its index. A selector of an op that fails further down stays in the array, and nothing refers to it. */
static uint32_t new_selector(struct npart__parser *parser, struct npart__selector selector)
{
    if (npart__is_full(parser, parser->oplist->selectors.count, parser->oplist->selectors.capacity))
        return NPART_NONE;
    return NPART__ADD(parser, &parser->oplist->selectors, selector);
}

/* The order of the attempts matters: `it` within each(), an operand of the op, a name of the
 * pattern, and only then the words `inputs` and `outputs`, as an operator may call an operand
 * so. */
uint32_t npart__parse_selector(struct npart__parser *parser)
{
    struct npart__selector selector = {.kind = NPART__SELECT_ALL, .name = "*"};
    const struct npart__token *token = npart__peek(parser);
    if (!npart__accept(parser, NPART__TOKEN_MARK, "*"))
        token = npart__expect(parser, NPART__TOKEN_WORD, "an operand, inputs, outputs or *");
    if (token)
        token = npart__resolve(parser, token);
    if (!token)
        return NPART_NONE;
    /* A parameter may stand for `*`. */
    bool is_all = strcmp(token->word->text, "*") == 0;
    if (parser->each_depth && strcmp(token->word->text, "it") == 0) {
        /* Before known_selector: the same word outside of each() may be an operand of the op. */
        selector = (struct npart__selector){.kind = NPART__SELECT_IT, .name = "it"};
        return new_selector(parser, selector);
    }
    uint32_t known = known_selector(parser, is_all ? selector.name : token->word->text);
    if (known != NPART_NONE)
        return known;
    if (is_all)
        return new_selector(parser, selector);
    selector.name = token->word->text;
    const struct npart__operator *newest = NULL;
    selector.kind = NPART__SELECT_ONE;
    uint32_t name = npart__find_pattern_name(parser, token->word->text);
    /* By name before by place, as operators have operands called `input`. */
    if (parser->op && (resolve_in_schema(parser, &selector, &newest) || resolve_by_place(&selector))) {
        /* In rewrites both kinds of name stand side by side, so one that means two things would be read wrongly by
         * somebody. */
        if (parser->form && name != NPART_NONE)
            npart__parse_fail(parser, token->column, "%s is a name of the rewrite and an operand of %s",
                              token->word->text, parser->op->name);
        return new_selector(parser, selector);
    }
    selector.version_count = 0;
    if (name != NPART_NONE) {
        selector.kind = NPART__SELECT_NAME;
        selector.version_count = 1;
        /* Below NPART__LIMIT_PATTERN_NAMES, so it fits. */
        selector.versions[0].index = (int16_t)name;
        return new_selector(parser, selector);
    }
    bool is_inputs = strcmp(token->word->text, "inputs") == 0, is_outputs = strcmp(token->word->text, "outputs") == 0;
    if (is_inputs || is_outputs) {
        selector.kind = is_inputs ? NPART__SELECT_INPUTS : NPART__SELECT_OUTPUTS;
        selector.version_count = 0;
        return new_selector(parser, selector);
    }
    /* What the op has, since names differ from op to op: X, data, input. */
    char operands[160] = "";
    if (newest)
        list_operands(newest, operands, sizeof operands);
    if (!parser->op && parser->pattern)
        npart__parse_fail(parser, token->column, "%s is no name of the pattern", token->word->text);
    else if (!parser->op)
        npart__parse_fail(parser, token->column, "%s: only inputs, outputs and * mean something to every op",
                          token->word->text);
    else
        npart__parse_fail(parser, token->column, "%s has no operand %s%s%s%s", parser->op->name, token->word->text,
                          *operands ? "; it has" : "", operands,
                          newest ? npart__hint_operand(parser, newest, token->word->text) : "");
    return NPART_NONE;
}

/* A word of the list's own, or what a parameter stands for. Of switches, limits and attributes, which a define may
 * be given as arguments. */
const struct npart__token *npart__expect_name(struct npart__parser *parser, const char *expected)
{
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, expected);
    return token ? npart__resolve(parser, token) : NULL;
}

/* ---- attributes ------------------------------------------------------------------------------------------ */

/* The newest version of the entry that has the attribute says what it is and what its default is, as
 * for `attr(axis) = -1`. Where versions have different defaults (`defaults_differ`), the node's own is asked for
 * when the rule is tried. An op that the standard does not know may have any attribute. `first_since` and
 * `last_since` are the versions that have it: in another one it is absent, and has no default. */
void npart__resolve_attribute(struct npart__parser *parser, const struct npart__token *token,
                              struct npart__term *term)
{
    size_t count;
    struct npart__attribute_schema schema;
    term->word = token->word->text;
    if (!parser->op) {
        npart__parse_fail(parser, token->column, "attributes belong to an op");
        return;
    }
    const struct npart__operator *versions =
        npart__operator_versions(parser->op->domain, parser->op->name, &count);
    bool is_in_standard = count > 0;
    const char *first = NULL; /* default of the version before */
    size_t length = 0;
    /* From the oldest on: whether any default differs from that of the version before it. */
    for (size_t i = 0; i < count; i++) {
        if (!npart__operator_attribute(&versions[i], token->word->text, strlen(token->word->text), &schema))
            continue;
        bool same = first && schema.default_length == length &&
                    (length == 0 || memcmp(first, schema.default_text, length) == 0);
        term->defaults_differ |= term->last_since && !same && (first || schema.default_text);
        /* Not terminated: a stretch of the schema's text, hence the length beside it. */
        first = schema.default_text;
        length = schema.default_text ? schema.default_length : 0;
        term->first_since = term->first_since ? term->first_since : versions[i].since;
        term->last_since = versions[i].since;
    }
    /* From the newest back, to the first that has it. */
    while (count-- > 0) {
        if (!npart__operator_attribute(&versions[count], token->word->text, strlen(token->word->text), &schema))
            continue;
        term->attribute_kind = schema.kind;
        if (schema.default_text)
            term->fallback = npart__parse_text(
                parser, npart__arena_copy_text(parser->arena, schema.default_text, schema.default_length));
        return;
    }
    if (is_in_standard)
        npart__parse_fail(parser, token->column, "%s has no attribute %s%s", parser->op->name, token->word->text,
                          npart__hint_attribute(parser, parser->op->domain, parser->op->name, token->word->text));
}
