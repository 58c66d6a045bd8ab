/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions, by recursive descent:
 *
 *   condition  = and { "or" and }
 *   and        = not { "and" not }
 *   not        = "not" not | "(" condition ")" | ( "each" | "any" ) "(" operands "," condition ")" | predicate
 *              | comparison
 *   comparison = sum ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) sum | sum [ "not" ] "in" item { item }
 *   item       = sum | sum ".." [ sum ] | ".." sum
 *   sum        = product { ("+" | "-") product }
 *   product    = factor { ("*" | "/" | "%") factor }
 *   factor     = number | word | 'text' | "-" factor | "(" sum ")" | function
 */
#include <stdio.h>

#include "oplist/parse.h"

enum argument {
    ARGUMENT_OPERAND,
    ARGUMENT_OPERAND_INDEX,
    ARGUMENT_OPERAND_MAYBE_INDEX,
    ARGUMENT_ATTRIBUTE,
    ARGUMENT_ATTRIBUTE_INDEX,
    ARGUMENT_SWITCH,
    ARGUMENT_VARIANT,
    ARGUMENT_SIDE,
    ARGUMENT_LIMIT,
    ARGUMENT_NOTHING,
};

struct word_row {
    const char *word;
    uint8_t argument, about;
};

static const struct word_row predicates[] = {
#define X(id, word, argument, about) {word, ARGUMENT_##argument, NPART__ABOUT_##about},
    NPART__PREDICATES(X)
#undef X
};

static const struct word_row functions[] = {
#define X(id, word, argument, about) {word, ARGUMENT_##argument, NPART__ABOUT_##about},
    NPART__FUNCTIONS(X)
#undef X
};

static uint32_t find_word(const struct word_row *rows, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (npart__same_text(rows[i].word, word))
            return (uint32_t)i;
    return NPART_NONE;
}

static uint32_t new_term(struct npart__parser *parser, struct npart__term term)
{
    if (parser->status != NPART_OK)
        return NPART_NONE;
    if (!NPART__PUSH(parser->arena, &parser->oplist->terms, term)) {
        npart__parse_out_of_memory(parser);
        return NPART_NONE;
    }
    return parser->oplist->terms.count - 1;
}

static struct npart__term blank_term(enum npart__term_kind kind)
{
    return (struct npart__term){
        .kind = (uint8_t)kind, .left = NPART_NONE, .right = NPART_NONE, .next = NPART_NONE, .selector = NPART_NONE};
}

/* ---- operands -------------------------------------------------------------------------------------------- */

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

/* input0, output2: operands by place, for operators that the standard does not know. */
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

/* Where the operand stands in each version of the operator that the entry covers; a row only where it moves. */
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
        uint8_t last = selector->version_count;
        bool moved = last == 0 || selector->versions[last - 1].index != index ||
                     selector->versions[last - 1].is_output != (index >= 0 && is_output) ||
                     selector->versions[last - 1].is_variadic != operand.is_variadic;
        if (!moved)
            continue;
        if (last == NPART__SELECTOR_VERSIONS)
            return false;
        selector->versions[last].since = last == 0 ? 0 : versions[i].since;
        selector->versions[last].index = (int16_t)index;
        selector->versions[last].is_output = index >= 0 && is_output;
        selector->versions[last].is_variadic = operand.is_variadic;
        selector->version_count++;
    }
    return found;
}

/* A selector of that name which the op at hand has already, or NPART_NONE. */
static uint32_t known_selector(const struct npart__parser *parser, const char *name)
{
    const struct npart__oplist *oplist = parser->oplist;
    for (uint32_t i = parser->first_selector; (parser->op || parser->pattern) && i < oplist->selectors.count; i++)
        if (npart__same_text(oplist->selectors.items[i].name, name))
            return i;
    return NPART_NONE;
}

static uint32_t new_selector(struct npart__parser *parser, struct npart__selector selector)
{
    if (!NPART__PUSH(parser->arena, &parser->oplist->selectors, selector)) {
        npart__parse_out_of_memory(parser);
        return NPART_NONE;
    }
    return parser->oplist->selectors.count - 1;
}

static uint32_t parse_selector(struct npart__parser *parser)
{
    struct npart__selector selector = {.kind = NPART__SELECT_ALL, .name = "*"};
    bool is_all = npart__accept(parser, NPART__TOKEN_MARK, "*");
    const struct npart__token *token =
        is_all ? NULL : npart__expect(parser, NPART__TOKEN_WORD, "an operand, inputs, outputs or *");
    if (!is_all && !token)
        return NPART_NONE;
    if (token && parser->each_depth && strcmp(token->text, "it") == 0) {
        selector = (struct npart__selector){.kind = NPART__SELECT_IT, .name = "it"};
        return new_selector(parser, selector);
    }
    uint32_t known = known_selector(parser, is_all ? selector.name : token->text);
    if (known != NPART_NONE)
        return known;
    if (is_all)
        return new_selector(parser, selector);
    selector.name = token->text;
    const struct npart__operator *newest = NULL;
    selector.kind = NPART__SELECT_ONE;
    if (parser->op && (resolve_in_schema(parser, &selector, &newest) || resolve_by_place(&selector)))
        return new_selector(parser, selector);
    selector.version_count = 0;
    uint32_t name = npart__find_pattern_name(parser, token->text);
    if (name != NPART_NONE) {
        selector.kind = NPART__SELECT_NAME;
        selector.version_count = 1;
        selector.versions[0].index = (int16_t)name;
        return new_selector(parser, selector);
    }
    bool is_inputs = strcmp(token->text, "inputs") == 0, is_outputs = strcmp(token->text, "outputs") == 0;
    if (is_inputs || is_outputs) {
        selector.kind = is_inputs ? NPART__SELECT_INPUTS : NPART__SELECT_OUTPUTS;
        selector.version_count = 0;
        return new_selector(parser, selector);
    }
    char operands[160] = "";
    if (newest)
        list_operands(newest, operands, sizeof operands);
    if (!parser->op && parser->pattern)
        npart__parse_fail(parser, token->column, "%s is no name of the pattern", token->text);
    else if (!parser->op)
        npart__parse_fail(parser, token->column, "%s: only inputs, outputs and * mean something to every op",
                          token->text);
    else
        npart__parse_fail(parser, token->column, "%s has no operand %s%s%s", parser->op->name, token->text,
                          *operands ? "; it has" : "", operands);
    return NPART_NONE;
}

/* ---- attributes ------------------------------------------------------------------------------------------ */

/* The newest version of the entry that has the attribute says what it is and what its default is. */
static void resolve_attribute(struct npart__parser *parser, const struct npart__token *token, struct npart__term *term)
{
    size_t count;
    struct npart__attribute_schema schema;
    term->word = token->text;
    if (!parser->op) {
        npart__parse_fail(parser, token->column, "attributes belong to an op");
        return;
    }
    const struct npart__operator *versions =
        npart__operator_versions(parser->op->domain, parser->op->name, &count);
    bool is_in_standard = count > 0;
    const char *first = NULL; /* default of the version before */
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        if (!npart__operator_attribute(&versions[i], token->text, strlen(token->text), &schema))
            continue;
        bool same = first && schema.default_length == length &&
                    (length == 0 || memcmp(first, schema.default_text, length) == 0);
        term->defaults_differ |= term->last_since && !same && (first || schema.default_text);
        first = schema.default_text;
        length = schema.default_text ? schema.default_length : 0;
        term->first_since = term->first_since ? term->first_since : versions[i].since;
        term->last_since = versions[i].since;
    }
    while (count-- > 0) {
        if (!npart__operator_attribute(&versions[count], token->text, strlen(token->text), &schema))
            continue;
        term->attribute_kind = schema.kind;
        if (schema.default_text) {
            term->fallback = npart__arena_copy_text(parser->arena, schema.default_text, schema.default_length);
            if (!term->fallback)
                npart__parse_out_of_memory(parser);
        }
        return;
    }
    if (is_in_standard)
        npart__parse_fail(parser, token->column, "%s has no attribute %s", parser->op->name, token->text);
}

/* ---- predicates and functions ---------------------------------------------------------------------------- */

static void parse_index(struct npart__parser *parser, struct npart__term *term)
{
    if (!npart__accept(parser, NPART__TOKEN_MARK, ",")) {
        npart__parse_fail(parser, npart__peek(parser)->column, "expected , and an axis");
        return;
    }
    bool is_negative = npart__accept(parser, NPART__TOKEN_MARK, "-");
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_NUMBER, "an axis");
    if (token && !token->is_whole)
        npart__parse_fail(parser, token->column, "an axis is a whole number");
    if (token)
        term->number = is_negative ? -token->number : token->number;
}

static void take_limit(struct npart__parser *parser, const struct npart__token *token, struct npart__term *term)
{
    term->word = token->text;
    for (uint32_t i = 0; i < parser->oplist->limits.count; i++)
        if (strcmp(parser->oplist->limits.items[i].name, token->text) == 0)
            return;
    npart__parse_fail(parser, token->column, "the list declares no limit %s", token->text);
}

static void parse_argument(struct npart__parser *parser, uint8_t argument, struct npart__term *term)
{
    const struct npart__token *token;
    uint32_t found = NPART_NONE;
    switch ((enum argument)argument) {
    case ARGUMENT_OPERAND:
    case ARGUMENT_OPERAND_INDEX:
    case ARGUMENT_OPERAND_MAYBE_INDEX:
    case ARGUMENT_SIDE:
        term->selector = parse_selector(parser);
        term->has_index =
            argument == ARGUMENT_OPERAND_MAYBE_INDEX && npart__next_is(parser, NPART__TOKEN_MARK, ",");
        if (argument == ARGUMENT_OPERAND_INDEX || term->has_index)
            parse_index(parser, term);
        term->to_last = term->has_index && npart__accept(parser, NPART__TOKEN_MARK, "..");
        return;
    case ARGUMENT_ATTRIBUTE:
    case ARGUMENT_ATTRIBUTE_INDEX:
        token = npart__expect(parser, NPART__TOKEN_WORD, "an attribute");
        if (token)
            resolve_attribute(parser, token, term);
        term->has_index = argument == ARGUMENT_ATTRIBUTE_INDEX && npart__next_is(parser, NPART__TOKEN_MARK, ",");
        if (term->has_index)
            parse_index(parser, term);
        return;
    case ARGUMENT_SWITCH:
        token = npart__expect(parser, NPART__TOKEN_WORD, "a switch");
        if (token)
            found = npart__find_switch(parser->oplist, token->text, strlen(token->text));
        if (token && found == NPART_NONE)
            npart__parse_fail(parser, token->column, "the list declares no switch %s", token->text);
        break;
    case ARGUMENT_VARIANT:
        token = npart__peek(parser);
        parser->at += token->kind == NPART__TOKEN_WORD || token->kind == NPART__TOKEN_NUMBER;
        found = npart__find_variant(parser->oplist, token->text, strlen(token->text));
        if (found == NPART_NONE)
            npart__parse_fail(parser, token->column, "the list declares no variant %s", token->text);
        break;
    case ARGUMENT_LIMIT:
        token = npart__expect(parser, NPART__TOKEN_WORD, "a limit");
        if (token)
            take_limit(parser, token, term);
        return;
    case ARGUMENT_NOTHING:
        return;
    }
    term->number = found;
}

static uint32_t parse_asked(struct npart__parser *parser, enum npart__term_kind kind, uint32_t op,
                            const struct word_row *row)
{
    struct npart__term term = blank_term(kind);
    term.op = (uint8_t)op;
    parser->at++; /* the word itself */
    if (row->argument == ARGUMENT_NOTHING)
        return new_term(parser, term);
    if (!npart__accept(parser, NPART__TOKEN_MARK, "(")) {
        npart__parse_fail(parser, npart__peek(parser)->column, "expected ( after %s", row->word);
        return NPART_NONE;
    }
    parse_argument(parser, row->argument, &term);
    if (!npart__accept(parser, NPART__TOKEN_MARK, ")"))
        npart__parse_fail(parser, npart__peek(parser)->column, "expected ), found %s", npart__peek(parser)->text);
    return new_term(parser, term);
}

/* ---- arithmetic ------------------------------------------------------------------------------------------ */

static uint32_t parse_sum(struct npart__parser *parser, unsigned depth);

static uint32_t parse_factor(struct npart__parser *parser, unsigned depth)
{
    const struct npart__token *token = npart__peek(parser);
    if (depth > NPART__LIMIT_CONDITION_DEPTH) {
        npart__parse_fail(parser, token->column, "nested deeper than %u", NPART__LIMIT_CONDITION_DEPTH);
        return NPART_NONE;
    }
    if (npart__accept(parser, NPART__TOKEN_MARK, "(")) {
        uint32_t inner = parse_sum(parser, depth + 1);
        if (!npart__accept(parser, NPART__TOKEN_MARK, ")"))
            npart__parse_fail(parser, npart__peek(parser)->column, "expected )");
        return inner;
    }
    if (npart__accept(parser, NPART__TOKEN_MARK, "-")) {
        struct npart__term zero = blank_term(NPART__TERM_NUMBER), minus = blank_term(NPART__TERM_ARITHMETIC);
        const struct npart__token *next = npart__peek(parser);
        if (next->kind == NPART__TOKEN_NUMBER) { /* a negative number is one term */
            parser->at++;
            zero.number = -next->number;
            zero.real = -next->real;
            zero.op = !next->is_whole;
            return new_term(parser, zero);
        }
        minus.op = '-';
        minus.left = new_term(parser, zero);
        minus.right = parse_factor(parser, depth + 1);
        return new_term(parser, minus);
    }
    if (token->kind == NPART__TOKEN_NUMBER) {
        struct npart__term number = blank_term(NPART__TERM_NUMBER);
        number.number = token->number;
        number.real = token->real;
        number.op = !token->is_whole;
        parser->at++;
        return new_term(parser, number);
    }
    if (token->kind == NPART__TOKEN_WORD) {
        uint32_t op = find_word(functions, NPART__COUNT(functions), token->text);
        const struct npart__token *next = token + 1;
        bool is_asked = op != NPART_NONE && (functions[op].argument == ARGUMENT_NOTHING ||
                                             (next->kind == NPART__TOKEN_MARK && strcmp(next->text, "(") == 0));
        if (is_asked)
            return parse_asked(parser, NPART__TERM_FUNCTION, op, &functions[op]);
    }
    if (token->kind == NPART__TOKEN_WORD || token->kind == NPART__TOKEN_LITERAL) {
        struct npart__term word = blank_term(NPART__TERM_WORD);
        word.word = token->text;
        word.element_type = (uint8_t)npart__type_number(token->text, strlen(token->text));
        parser->at++;
        return new_term(parser, word);
    }
    npart__parse_fail(parser, token->column, "expected a number, a word or a function, found %s", token->text);
    return NPART_NONE;
}

static uint32_t parse_chain(struct npart__parser *parser, unsigned depth, const char *operators,
                            uint32_t (*part)(struct npart__parser *, unsigned))
{
    uint32_t left = part(parser, depth);
    for (;;) {
        const struct npart__token *token = npart__peek(parser);
        if (parser->status != NPART_OK || token->kind != NPART__TOKEN_MARK || token->text[1] ||
            !strchr(operators, token->text[0]))
            return left;
        parser->at++;
        struct npart__term term = blank_term(NPART__TERM_ARITHMETIC);
        term.op = (uint8_t)token->text[0];
        term.left = left;
        term.right = part(parser, depth);
        left = new_term(parser, term);
    }
}

static uint32_t parse_product(struct npart__parser *parser, unsigned depth)
{
    return parse_chain(parser, depth, "*/%", parse_factor);
}

static uint32_t parse_sum(struct npart__parser *parser, unsigned depth)
{
    return parse_chain(parser, depth, "+-", parse_product);
}

/* ---- comparisons ----------------------------------------------------------------------------------------- */

/* A set ends where a sentence, a connective or the line does. */
static bool set_goes_on(const struct npart__parser *parser)
{
    const struct npart__token *token = npart__peek(parser);
    if (parser->status != NPART_OK)
        return false;
    if (token->kind == NPART__TOKEN_WORD)
        return strcmp(token->text, "or") != 0 && strcmp(token->text, "and") != 0 &&
               strcmp(token->text, "else") != 0 && strcmp(token->text, "source") != 0 &&
               strcmp(token->text, "except") != 0;
    return token->kind == NPART__TOKEN_NUMBER || token->kind == NPART__TOKEN_LITERAL ||
           npart__next_is(parser, NPART__TOKEN_MARK, "-") || npart__next_is(parser, NPART__TOKEN_MARK, "..") ||
           npart__next_is(parser, NPART__TOKEN_MARK, "(");
}

static uint32_t parse_item(struct npart__parser *parser, unsigned depth)
{
    struct npart__term item = blank_term(NPART__TERM_ITEM);
    if (!npart__next_is(parser, NPART__TOKEN_MARK, ".."))
        item.left = parse_sum(parser, depth + 1);
    if (npart__accept(parser, NPART__TOKEN_MARK, "..")) {
        item.op = 1; /* a range */
        /* A second bound follows unless the set ends; a bare word is the set's next item. */
        const struct npart__token *token = npart__peek(parser);
        bool has_end = token->kind == NPART__TOKEN_NUMBER || npart__next_is(parser, NPART__TOKEN_MARK, "-") ||
                       npart__next_is(parser, NPART__TOKEN_MARK, "(") ||
                       (token->kind == NPART__TOKEN_WORD && set_goes_on(parser) &&
                        find_word(functions, NPART__COUNT(functions), token->text) != NPART_NONE);
        if (has_end)
            item.right = parse_sum(parser, depth + 1);
        if (item.left == NPART_NONE && item.right == NPART_NONE)
            npart__parse_fail(parser, token->column, "a range needs a bound");
    }
    return new_term(parser, item);
}

static void check_words(struct npart__parser *parser, uint32_t left, uint32_t other, uint32_t column);

/* The items of a set, a named one expanded in place; returns the first, linked by `next`. */
static uint32_t parse_items(struct npart__parser *parser, uint32_t left, unsigned depth)
{
    uint32_t first = NPART_NONE, last = NPART_NONE;
    uint32_t column = npart__peek(parser)->column;
    while (set_goes_on(parser)) {
        column = npart__peek(parser)->column;
        uint32_t item = parse_item(parser, depth);
        if (item == NPART_NONE)
            return NPART_NONE;
        check_words(parser, left, parser->oplist->terms.items[item].left, column);
        if (last == NPART_NONE)
            first = item;
        else
            parser->oplist->terms.items[last].next = item;
        last = item;
    }
    if (first == NPART_NONE)
        npart__parse_fail(parser, column, "expected what it may be");
    return first;
}

bool npart__is_plain_name(const char *name)
{
    size_t length = 0;
    while (length <= NPART__LIMIT_PLAIN_NAME &&
           ((name[length] >= 'a' && name[length] <= 'z') || (name[length] >= 'A' && name[length] <= 'Z')))
        length++;
    return length > 0 && length <= NPART__LIMIT_PLAIN_NAME && name[length] == '\0';
}

/* Whether rules ask for more than plain names decides what they can tell apart (alike.c). */
static void note_names(struct npart__parser *parser, uint32_t asked, uint32_t other)
{
    const struct npart__term *terms = parser->oplist->terms.items;
    if (asked == NPART_NONE || parser->status != NPART_OK || terms[asked].kind != NPART__TERM_FUNCTION ||
        terms[asked].op != NPART__FUNCTION_NAME)
        return;
    bool is_word = other != NPART_NONE && terms[other].kind == NPART__TERM_WORD;
    if (!is_word || !npart__is_plain_name(terms[other].word))
        parser->oplist->asks_any_name = true;
}

/* dtype() is compared with type names only, producer() and consumers() with operators of the standard. */
static void check_words(struct npart__parser *parser, uint32_t left, uint32_t other, uint32_t column)
{
    note_names(parser, left, other);
    note_names(parser, other, left);
    if (left == NPART_NONE || other == NPART_NONE || parser->status != NPART_OK)
        return;
    const struct npart__term *asked = &parser->oplist->terms.items[left], *word = &parser->oplist->terms.items[other];
    if (asked->kind != NPART__TERM_FUNCTION || word->kind != NPART__TERM_WORD)
        return;
    bool is_type = asked->op == NPART__FUNCTION_DTYPE || asked->op == NPART__FUNCTION_QDTYPE;
    bool is_op = asked->op == NPART__FUNCTION_PRODUCER || asked->op == NPART__FUNCTION_CONSUMERS ||
                 asked->op == NPART__FUNCTION_ORIGIN ||
                 asked->op == NPART__FUNCTION_OP;
    bool is_number = asked->op == NPART__FUNCTION_RANK || asked->op == NPART__FUNCTION_DIM ||
                     asked->op == NPART__FUNCTION_NUMEL || asked->op == NPART__FUNCTION_USERS ||
                     asked->op == NPART__FUNCTION_COUNT ||
                     asked->op == NPART__FUNCTION_OPSET || asked->op == NPART__FUNCTION_LENGTH;
    bool is_kind = strcmp(word->word, "sequence") == 0 || strcmp(word->word, "map") == 0 ||
                   strcmp(word->word, "optional") == 0;
    if (is_type && !word->element_type && !is_kind)
        npart__parse_fail(parser, column, "%s is no element type", word->word);
    if (is_number)
        npart__parse_fail(parser, column, "%s is no number", word->word);
    if (is_op && strcmp(word->word, "none") != 0)
        (void)npart__check_op(parser, word->word, column);
}

/* A toolchain compared with is told by its text, and kept as its place. */
static void resolve_toolchain(struct npart__parser *parser, uint32_t left, uint32_t right, uint32_t column)
{
    if (parser->status != NPART_OK || left == NPART_NONE || right == NPART_NONE)
        return;
    const struct npart__term *asked = &parser->oplist->terms.items[left];
    struct npart__term *named = &parser->oplist->terms.items[right];
    if (asked->kind != NPART__TERM_FUNCTION || asked->op != NPART__FUNCTION_TOOLCHAIN)
        return;
    uint32_t found = named->kind == NPART__TERM_WORD ? npart__find_toolchain(parser->oplist, named->word) : NPART_NONE;
    if (found == NPART_NONE) {
        npart__parse_fail(parser, column, "expected one of the list's toolchains as '...'");
        return;
    }
    named->kind = NPART__TERM_NUMBER;
    named->op = 0;
    named->number = found;
}

static uint32_t parse_comparison(struct npart__parser *parser, unsigned depth)
{
    static const char *const marks[] = {"=", "!=", "<", "<=", ">", ">="};
    uint32_t left = parse_sum(parser, depth);
    const struct npart__token *token = npart__peek(parser);
    if (parser->status != NPART_OK)
        return NPART_NONE;
    bool is_negated = npart__accept(parser, NPART__TOKEN_WORD, "not");
    if (is_negated && !npart__next_is(parser, NPART__TOKEN_WORD, "in"))
        npart__parse_fail(parser, npart__peek(parser)->column, "expected in, found %s", npart__peek(parser)->text);
    if (npart__accept(parser, NPART__TOKEN_WORD, "in")) {
        struct npart__term in = blank_term(NPART__TERM_IN);
        in.op = is_negated;
        in.left = left;
        in.right = parse_items(parser, left, depth);
        return new_term(parser, in);
    }
    for (size_t i = 0; i < NPART__COUNT(marks); i++) {
        if (!npart__accept(parser, NPART__TOKEN_MARK, marks[i]))
            continue;
        struct npart__term compare = blank_term(NPART__TERM_COMPARE);
        uint32_t column = npart__peek(parser)->column;
        compare.op = (uint8_t)i;
        compare.left = left;
        compare.right = parse_sum(parser, depth);
        check_words(parser, left, compare.right, column);
        resolve_toolchain(parser, left, compare.right, column);
        return new_term(parser, compare);
    }
    npart__parse_fail(parser, token->column, "expected a comparison, found %s", token->text);
    return NPART_NONE;
}

/* ---- connectives ----------------------------------------------------------------------------------------- */

static uint32_t parse_or(struct npart__parser *parser, unsigned depth);

/* Whether the parenthesis at hand holds a condition: then no operator of arithmetic or comparison follows it. */
static bool opens_condition(const struct npart__parser *parser)
{
    unsigned open = 0;
    for (uint32_t i = parser->at; i < parser->token_count; i++) {
        const struct npart__token *token = &parser->tokens[i];
        if (token->kind != NPART__TOKEN_MARK)
            continue;
        open += token->text[0] == '(';
        open -= token->text[0] == ')';
        if (open == 0) {
            const struct npart__token *next = token + 1;
            bool continues = (next->kind == NPART__TOKEN_MARK && strcmp(next->text, ")") != 0) ||
                             (next->kind == NPART__TOKEN_WORD && strcmp(next->text, "in") == 0);
            return !continues;
        }
    }
    return true;
}

/* each(OPERANDS, CONDITION) or any(...), where `it` is the operand at hand. */
static uint32_t parse_each(struct npart__parser *parser, enum npart__term_kind kind, unsigned depth)
{
    struct npart__term each = blank_term(kind);
    parser->at += 2;
    each.selector = parse_selector(parser);
    if (!npart__accept(parser, NPART__TOKEN_MARK, ","))
        npart__parse_fail(parser, npart__peek(parser)->column, "expected , and a condition");
    parser->each_depth++;
    each.left = parse_or(parser, depth + 1);
    parser->each_depth--;
    if (!npart__accept(parser, NPART__TOKEN_MARK, ")"))
        npart__parse_fail(parser, npart__peek(parser)->column, "expected ), found %s", npart__peek(parser)->text);
    return new_term(parser, each);
}

static uint32_t parse_not(struct npart__parser *parser, unsigned depth)
{
    const struct npart__token *token = npart__peek(parser);
    if (parser->status != NPART_OK)
        return NPART_NONE;
    if (depth > NPART__LIMIT_CONDITION_DEPTH) {
        npart__parse_fail(parser, token->column, "nested deeper than %u", NPART__LIMIT_CONDITION_DEPTH);
        return NPART_NONE;
    }
    if (npart__accept(parser, NPART__TOKEN_WORD, "not")) {
        struct npart__term term = blank_term(NPART__TERM_NOT);
        term.left = parse_not(parser, depth + 1);
        return new_term(parser, term);
    }
    bool is_each = npart__next_is(parser, NPART__TOKEN_WORD, "each");
    if ((is_each || npart__next_is(parser, NPART__TOKEN_WORD, "any")) && token[1].kind == NPART__TOKEN_MARK &&
        strcmp(token[1].text, "(") == 0)
        return parse_each(parser, is_each ? NPART__TERM_EACH : NPART__TERM_ANY, depth);
    if (npart__next_is(parser, NPART__TOKEN_MARK, "(") && opens_condition(parser)) {
        parser->at++;
        uint32_t inner = parse_or(parser, depth + 1);
        if (!npart__accept(parser, NPART__TOKEN_MARK, ")"))
            npart__parse_fail(parser, npart__peek(parser)->column, "expected ), found %s", npart__peek(parser)->text);
        return inner;
    }
    uint32_t op = token->kind == NPART__TOKEN_WORD
                      ? find_word(predicates, NPART__COUNT(predicates), token->text)
                      : NPART_NONE;
    if (op != NPART_NONE)
        return parse_asked(parser, NPART__TERM_PREDICATE, op, &predicates[op]);
    return parse_comparison(parser, depth);
}

static uint32_t parse_linked(struct npart__parser *parser, unsigned depth, const char *word,
                             enum npart__term_kind kind, uint32_t (*part)(struct npart__parser *, unsigned))
{
    uint32_t left = part(parser, depth);
    while (npart__accept(parser, NPART__TOKEN_WORD, word)) {
        struct npart__term term = blank_term(kind);
        term.left = left;
        term.right = part(parser, depth);
        left = new_term(parser, term);
    }
    return left;
}

static uint32_t parse_and(struct npart__parser *parser, unsigned depth)
{
    return parse_linked(parser, depth, "and", NPART__TERM_AND, parse_not);
}

static uint32_t parse_or(struct npart__parser *parser, unsigned depth)
{
    return parse_linked(parser, depth, "or", NPART__TERM_OR, parse_and);
}

uint32_t npart__parse_condition(struct npart__parser *parser)
{
    uint32_t term = parse_or(parser, 0);
    return parser->status == NPART_OK ? term : NPART_NONE;
}

/* ---- labels ---------------------------------------------------------------------------------------------- */

void npart__condition_label(const struct npart__oplist *oplist, uint32_t term, const char **word,
                            const char **argument, uint8_t *about)
{
    const struct npart__term *at = &oplist->terms.items[term];
    while (at->kind != NPART__TERM_PREDICATE && at->kind != NPART__TERM_FUNCTION && at->left != NPART_NONE)
        at = &oplist->terms.items[at->left];
    *word = "rule";
    *argument = "";
    *about = NPART__ABOUT_ATTRIBUTE;
    if (at->kind != NPART__TERM_PREDICATE && at->kind != NPART__TERM_FUNCTION)
        return;
    const struct word_row *row = at->kind == NPART__TERM_PREDICATE ? &predicates[at->op] : &functions[at->op];
    *word = row->word;
    *about = row->about;
    if (at->selector != NPART_NONE)
        *argument = oplist->selectors.items[at->selector].name;
    else if (at->word)
        *argument = at->word;
    else if (row->argument == ARGUMENT_SWITCH)
        *argument = oplist->switches.items[at->number];
    else if (row->argument == ARGUMENT_VARIANT)
        *argument = oplist->variants.items[at->number].name;
    if (strcmp(*argument, "*") == 0)
        *argument = "";
}
