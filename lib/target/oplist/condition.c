/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions, by recursive descent:
 *
 *   condition  = and { "or" and }
 *   and        = not { "and" not }
 *   not        = "not" not | "(" condition ")" | "each" "(" operands "," condition ")" | predicate | comparison | name
 *   comparison = sum ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) sum | sum [ "not" ] "in" item { item }
 *   item       = sum | sum ".." [ sum ] | ".." sum | name
 *   sum        = product { ("+" | "-") product }
 *   product    = factor { ("*" | "/" | "%") factor }
 *   factor     = number | word | 'text' | "-" factor | "(" sum ")" | function | name
 *              | ( "product" | "counting" | "sqrt" ) "(" sum ")" | ( "first" | "repeat" ) "(" sum "," sum ")"
 *
 * A name is a define with its arguments, or a parameter of one (define.c).
 */
#include "oplist/parse.h"

/* A word that names of defines and parameters must not be, or a condition would mean two things. */
static struct npart__word *reserve(struct npart__parser *parser, const char *text)
{
    struct npart__word *word = npart__word_of(parser, NPART__TOKEN_WORD, text, strlen(text));
    word->is_reserved = true;
    return word;
}

/* The place in the table is the question's number in the enum of the same rows. The connectives among `others` begin
 * or end parts of a line, so a define of that name could never be used. */
void npart__note_questions(struct npart__parser *parser)
{
    static const char *const others[] = {"and",  "or",     "not",  "in",     "each",  "it",     "inputs",  "outputs",
                                         "else", "source", "with", "unless", "since", "before", "because", "except"};
    for (uint32_t i = 0; i < NPART__PREDICATES; i++)
        reserve(parser, npart__predicates[i].word)->predicate = (uint8_t)(i + 1);
    for (uint32_t i = 0; i < NPART__FUNCTIONS; i++)
        reserve(parser, npart__functions[i].word)->function = (uint8_t)(i + 1);
    for (size_t i = 0; i < NPART__COUNT(others); i++)
        (void)reserve(parser, others[i]);
    static const struct {
        const char *word;
        enum npart__term_kind kind;
    } makers[] = {{"product", NPART__TERM_PRODUCT}, {"first", NPART__TERM_FIRST}, {"repeat", NPART__TERM_REPEAT},
                  {"counting", NPART__TERM_REPEAT}, {"sqrt", NPART__TERM_ROOT}};
    for (size_t i = 0; i < NPART__COUNT(makers); i++)
        npart__word_of(parser, NPART__TOKEN_WORD, makers[i].word, strlen(makers[i].word))->makes =
            (uint8_t)makers[i].kind;
}

uint32_t npart__new_term(struct npart__parser *parser, struct npart__term term)
{
    if (npart__is_full(parser, parser->oplist->terms.count, parser->oplist->terms.capacity))
        return NPART_NONE;
    return NPART__ADD(parser, &parser->oplist->terms, term);
}

struct npart__term npart__blank_term(enum npart__term_kind kind)
{
    return (struct npart__term){
        .kind = (uint8_t)kind, .left = NPART_NONE, .right = NPART_NONE, .next = NPART_NONE, .selector = NPART_NONE};
}

uint32_t npart__new_pair(struct npart__parser *parser, enum npart__term_kind kind, uint8_t op, uint32_t left,
                         uint32_t right)
{
    struct npart__term term = npart__blank_term(kind);
    term.op = op;
    term.left = left;
    term.right = right;
    return npart__new_term(parser, term);
}

/* Takes a number, a negative one as one term. `op` of a number says that it has a fraction, so
 * that only `real` is exact. A word may be "-3" only as two tokens; they become one number here, so that a set of
 * numbers is compared without calculating. The lexer has no sign, so a token is never negative and its opposite is a
 * number, too. */
static uint32_t take_number(struct npart__parser *parser, bool is_negative)
{
    const struct npart__token *token = npart__peek(parser);
    struct npart__term number = npart__blank_term(NPART__TERM_NUMBER);
    number.number = is_negative ? -token->word->number : token->word->number;
    number.real = is_negative ? -token->word->real : token->word->real;
    number.op = !token->word->is_whole;
    number.word = token->word->is_whole ? NULL : token->word->text;
    parser->now.at++;
    return npart__new_term(parser, number);
}

/* ---- predicates and functions ---------------------------------------------------------------------------- */

static uint32_t parse_sum(struct npart__parser *parser, unsigned depth);

/* An axis: a number, also one that is calculated where a node is asked for its dims, dim(X, attr(axis)). Not within
 * another, so that the depth of both is limited. */
static void parse_axis(struct npart__parser *parser, struct npart__term *term, int64_t *axis, uint32_t *sum)
{
    bool may_be_sum = term->kind == NPART__TERM_FUNCTION && !parser->axis_depth &&
                      (term->op == NPART__FUNCTION_DIM || term->op == NPART__FUNCTION_DIMS);
    const struct npart__token *token = npart__peek(parser);
    parser->axis_depth++;
    uint32_t number = parse_sum(parser, 0);
    parser->axis_depth--;
    const struct npart__term *at = number == NPART_NONE ? NULL : &parser->oplist->terms.items[number];
    if (!at)
        return;
    if (at->kind == NPART__TERM_NUMBER && !at->op)
        *axis = at->number;
    else if (at->kind == NPART__TERM_NUMBER)
        npart__parse_fail(parser, token->column, "an axis is a whole number");
    else if (at->kind == NPART__TERM_WORD || !may_be_sum)
        npart__parse_fail(parser, token->column, "expected an axis, found %s", token->word->text);
    else
        *sum = number;
}

/* Some questions are not complete without it: dim(X, 0). */
static void parse_index(struct npart__parser *parser, struct npart__term *term)
{
    if (npart__accept(parser, NPART__TOKEN_MARK, ","))
        parse_axis(parser, term, &term->number, &term->right);
    else
        npart__parse_fail(parser, npart__peek(parser)->column, "expected , and an axis");
}

/* limit(filter_taps): the number itself depends on the variant and is looked up when the rule is
 * tried. */
static void take_limit(struct npart__parser *parser, const struct npart__token *token, struct npart__term *term)
{
    term->word = token->word->text;
    /* Its value may be given for other variants only, which is known when the target is chosen; its name must be
     * declared. */
    for (uint32_t i = 0; i < parser->oplist->limits.count; i++)
        if (strcmp(parser->oplist->limits.items[i].name, token->word->text) == 0)
            return;
    npart__parse_fail(parser, token->column, "the list declares no limit %s", token->word->text);
}

/* What the question's row says that its parentheses hold, into the term. */
static void parse_argument(struct npart__parser *parser, uint8_t argument, struct npart__term *term)
{
    const struct npart__token *token;
    uint32_t found = NPART_NONE;
    switch ((enum npart__argument)argument) {
    /* One branch for four kinds: they differ in whether an axis must, may or must not follow. */
    case NPART__ARGUMENT_OPERAND:
    case NPART__ARGUMENT_OPERAND_INDEX:
    case NPART__ARGUMENT_OPERAND_MAYBE_INDEX:
    case NPART__ARGUMENT_SIDE:
        /* Of count() too: `inputs` and `outputs` are selectors like others. */
        term->selector = npart__parse_selector(parser);
        term->has_index =
            argument == NPART__ARGUMENT_OPERAND_MAYBE_INDEX && npart__next_is(parser, NPART__TOKEN_MARK, ",");
        if (argument == NPART__ARGUMENT_OPERAND_INDEX || term->has_index)
            parse_index(parser, term);
        term->to_last = term->has_index && npart__accept(parser, NPART__TOKEN_MARK, "..");
        term->last = -1;
        if (term->to_last && !npart__next_is(parser, NPART__TOKEN_MARK, ")"))
            parse_axis(parser, term, &term->last, &term->next);
        return;
    case NPART__ARGUMENT_ATTRIBUTE:
    case NPART__ARGUMENT_ATTRIBUTE_INDEX:
        token = npart__expect_name(parser, "an attribute");
        if (token)
            npart__resolve_attribute(parser, token, term);
        term->has_index = argument == NPART__ARGUMENT_ATTRIBUTE_INDEX && npart__next_is(parser, NPART__TOKEN_MARK, ",");
        if (term->has_index)
            parse_index(parser, term);
        return;
    case NPART__ARGUMENT_SWITCH:
        token = npart__expect_name(parser, "a switch");
        if (token)
            found = npart__find_switch(parser->oplist, token->word->text, strlen(token->word->text));
        if (token && found == NPART_NONE)
            npart__parse_fail(parser, token->column, "the list declares no switch %s", token->word->text);
        break;
    case NPART__ARGUMENT_VARIANT:
        /* A variant may be named by a number (`variant 79`), or by the parameter of a define. */
        token = npart__resolve(parser, npart__peek(parser));
        if (!token)
            return;
        parser->now.at += token->word->kind == NPART__TOKEN_WORD || token->word->kind == NPART__TOKEN_NUMBER;
        found = npart__find_variant(parser->oplist, token->word->text, strlen(token->word->text));
        if (found == NPART_NONE)
            npart__parse_fail(parser, token->column, "the list declares no variant %s", token->word->text);
        break;
    case NPART__ARGUMENT_LIMIT:
        token = npart__expect_name(parser, "a limit");
        if (token)
            take_limit(parser, token, term);
        return;
    case NPART__ARGUMENT_NOTHING:
        return;
    }
    /* After a mistake it is NPART_NONE, and npart__new_term makes nothing of it. */
    /* A bit of the target's switches, or the index of a variant. */
    term->number = found;
}

/* A question with its argument: static(X, 1..), has(axes), opset. A comma and an axis where the
 * row does not allow one fails at the closing parenthesis. */
static uint32_t parse_asked(struct npart__parser *parser, enum npart__term_kind kind, uint32_t op,
                            const struct npart__question *row)
{
    struct npart__term term = npart__blank_term(kind);
    term.op = (uint8_t)op;
    parser->now.at++; /* the word itself */
    if (row->argument == NPART__ARGUMENT_NOTHING)
        return npart__new_term(parser, term);
    if (!npart__accept(parser, NPART__TOKEN_MARK, "(")) {
        npart__parse_fail(parser, npart__peek(parser)->column, "expected ( after %s", row->word);
        return NPART_NONE;
    }
    parse_argument(parser, row->argument, &term);
    (void)npart__need(parser, NPART__TOKEN_MARK, ")", ")");
    return npart__new_term(parser, term);
}

/* ---- arithmetic ------------------------------------------------------------------------------------------ */

/* Parentheses, signs and names each count one level of depth, as here and below. One list within another would take as
 * long as the product of both: `product(dims(X, 2..))`, `first(attr(strides, 0), 1)`, `repeat(1, rank(X) - 2)`. */
static uint32_t parse_of_terms(struct npart__parser *parser, enum npart__term_kind kind, unsigned depth)
{
    const struct npart__token *token = npart__peek(parser);
    bool is_list = kind == NPART__TERM_PRODUCT || kind == NPART__TERM_REPEAT;
    bool is_counting = strcmp(token->word->text, "counting") == 0;
    if (is_list && parser->list_depth)
        npart__parse_fail(parser, token->column, "%s within another list", token->word->text);
    parser->now.at += 2;
    parser->list_depth += is_list;
    uint32_t left = parse_sum(parser, depth + 1), right = NPART_NONE;
    bool is_pair = kind == NPART__TERM_FIRST || (kind == NPART__TERM_REPEAT && !is_counting);
    if (is_pair && npart__need(parser, NPART__TOKEN_MARK, ",", ", and a number"))
        right = parse_sum(parser, depth + 1);
    parser->list_depth -= is_list;
    (void)npart__need(parser, NPART__TOKEN_MARK, ")", ")");
    return is_counting ? npart__new_pair(parser, kind, 0, NPART_NONE, left)
                       : npart__new_pair(parser, kind, 0, left, right);
}

/* A word that is a function without parentheses after it is an ordinary word: `equation` may be
 * an attribute's value, too. */
static uint32_t parse_factor(struct npart__parser *parser, unsigned depth)
{
    const struct npart__token *token = npart__peek(parser);
    if (depth > NPART__LIMIT_CONDITION_DEPTH) {
        npart__parse_fail(parser, token->column, "nested deeper than %u", NPART__LIMIT_CONDITION_DEPTH);
        return NPART_NONE;
    }
    struct npart__scope scope;
    struct npart__reading before;
    /* A define that stands for a number is parsed where it is used, with this line's arguments. */
    if (npart__enter(parser, &scope, &before)) {
        uint32_t named = parse_sum(parser, depth + 1);
        npart__leave(parser, &before);
        return named;
    }
    if (npart__accept(parser, NPART__TOKEN_MARK, "(")) {
        uint32_t inner = parse_sum(parser, depth + 1);
        if (!npart__accept(parser, NPART__TOKEN_MARK, ")"))
            npart__parse_fail(parser, npart__peek(parser)->column, "expected )");
        return inner;
    }
    if (npart__accept(parser, NPART__TOKEN_MARK, "-")) {
        if (npart__peek(parser)->word->kind == NPART__TOKEN_NUMBER)
            return take_number(parser, true);
        /* -X is 0 - X, so that evaluating has one operation less. */
        uint32_t zero = npart__new_term(parser, npart__blank_term(NPART__TERM_NUMBER));
        return npart__new_pair(parser, NPART__TERM_ARITHMETIC, '-', zero, parse_factor(parser, depth + 1));
    }
    if (token->word->kind == NPART__TOKEN_NUMBER)
        return take_number(parser, false);
    if (token->word->kind == NPART__TOKEN_WORD) {
        uint32_t function = token->word->function;
        /* There is one: a range ends with a token of kind END. */
        const struct npart__token *next = token + 1;
        bool opens = next->word->kind == NPART__TOKEN_MARK && strcmp(next->word->text, "(") == 0;
        if (function && (opens || npart__functions[function - 1].argument == NPART__ARGUMENT_NOTHING))
            return parse_asked(parser, NPART__TERM_FUNCTION, function - 1, &npart__functions[function - 1]);
        if (opens && token->word->makes)
            return parse_of_terms(parser, (enum npart__term_kind)token->word->makes, depth);
    }
    if (token->word->kind == NPART__TOKEN_WORD || token->word->kind == NPART__TOKEN_LITERAL) {
        struct npart__term word = npart__blank_term(NPART__TERM_WORD);
        word.word = token->word->text;
        /* 0 for a word that names none; comparing types is comparing these numbers. */
        word.element_type = token->word->element_type;
        parser->now.at++;
        return npart__new_term(parser, word);
    }
    npart__parse_fail(parser, token->column, "expected a number, a word or a function, found %s", token->word->text);
    return NPART_NONE;
}

/* Operators of one strength, from left to right: a - b - c is (a - b) - c. All are single
 * characters, unlike "<=" and "..". In a loop, so that a long sum takes no depth. */
static uint32_t parse_chain(struct npart__parser *parser, unsigned depth, const char *operators,
                            uint32_t (*part)(struct npart__parser *, unsigned))
{
    uint32_t left = part(parser, depth);
    for (;;) {
        const struct npart__token *token = npart__peek(parser);
        /* A mark of two characters is a comparison or a range, and ends the chain. */
        if (parser->status != NPART_OK || token->word->kind != NPART__TOKEN_MARK || token->word->text[1] ||
            !strchr(operators, token->word->text[0]))
            return left;
        parser->now.at++;
        left = npart__new_pair(parser, NPART__TERM_ARITHMETIC, (uint8_t)token->word->text[0], left,
                               part(parser, depth));
    }
}

/* `*` between two factors multiplies; as an operand, for all of them, it stands in parentheses (parse_argument). */
static uint32_t parse_product(struct npart__parser *parser, unsigned depth)
{
    return parse_chain(parser, depth, "*/%", parse_factor);
}

static uint32_t parse_sum(struct npart__parser *parser, unsigned depth)
{
    return parse_chain(parser, depth, "+-", parse_product);
}

/* ---- comparisons ----------------------------------------------------------------------------------------- */

/* A set ends where a sentence, a connective or the line does. In `dtype(X) in float32 float16 or
 * ...` the set ends at `or`. A function's word goes on with it, as an item may be calculated: in
 * 0 rank(X) - 1. Items have no separators, so the end has to be told by what comes next. */
static bool set_goes_on(const struct npart__parser *parser)
{
    const struct npart__token *token = npart__peek(parser);
    if (parser->status != NPART_OK)
        return false;
    /* The end of a define's words is the end of the set there. */
    if (parser->now.at >= parser->now.range.count)
        return false;
    if (token->word->kind == NPART__TOKEN_WORD)
        return !token->word->is_reserved || token->word->function;
    return token->word->kind == NPART__TOKEN_NUMBER || token->word->kind == NPART__TOKEN_LITERAL ||
           npart__next_is(parser, NPART__TOKEN_MARK, "-") || npart__next_is(parser, NPART__TOKEN_MARK, "..") ||
           npart__next_is(parser, NPART__TOKEN_MARK, "(");
}

/* Of whole numbers; what is calculated is not known here. */
static bool is_backwards(const struct npart__parser *parser, uint32_t left, uint32_t right)
{
    if (left == NPART_NONE || right == NPART_NONE || parser->status != NPART_OK)
        return false;
    const struct npart__term *terms = parser->oplist->terms.items, *first = &terms[left], *last = &terms[right];
    return first->kind == NPART__TERM_NUMBER && last->kind == NPART__TERM_NUMBER && !first->op && !last->op &&
           first->number > last->number;
}

/* An item of a set: 3, 3..4, ..4, 3.., a word, or a sum. Of `3.. float` the word is the next
 * item, not the end of the range. Of one value `right` is NPART_NONE; of a range, an end that is open. */
static uint32_t parse_item(struct npart__parser *parser, unsigned depth)
{
    struct npart__term item = npart__blank_term(NPART__TERM_ITEM);
    if (!npart__next_is(parser, NPART__TOKEN_MARK, ".."))
        item.left = parse_sum(parser, depth + 1);
    if (npart__accept(parser, NPART__TOKEN_MARK, "..")) {
        item.op = 1; /* a range */
        /* A second bound follows unless the set ends; a bare word is the set's next item. */
        const struct npart__token *token = npart__peek(parser);
        bool has_end = token->word->kind == NPART__TOKEN_NUMBER || npart__next_is(parser, NPART__TOKEN_MARK, "-") ||
                       npart__next_is(parser, NPART__TOKEN_MARK, "(") || npart__end_of_name(parser) != NPART_NONE ||
                       (token->word->kind == NPART__TOKEN_WORD && set_goes_on(parser) && token->word->function);
        if (has_end)
            item.right = parse_sum(parser, depth + 1);
        if (item.left == NPART_NONE && item.right == NPART_NONE)
            npart__parse_fail(parser, token->column, "a range needs a bound");
        else if (is_backwards(parser, item.left, item.right))
            npart__parse_fail(parser, token->column, "the range is empty: its first bound is above its last");
    }
    return npart__new_term(parser, item);
}

static void check_words(struct npart__parser *parser, uint32_t left, uint32_t other, uint64_t column);

/* Whether the name at hand stands for items, and not for a number that is calculated with. In
 * `numbers + 1` the name is a number that is calculated with; in `floats int32` it is words of
 * the set. */
static bool names_items(const struct npart__parser *parser)
{
    uint32_t end = npart__end_of_name(parser);
    if (end == NPART_NONE)
        return false;
    const struct npart__token *next = &parser->now.range.tokens[end];
    return end >= parser->now.range.count || next->word->kind != NPART__TOKEN_MARK ||
           !strchr("+-*/%.", next->word->text[0]);
}

static bool asks_toolchain(const struct npart__parser *parser, uint32_t term)
{
    const struct npart__term *at = term == NPART_NONE ? NULL : &parser->oplist->terms.items[term];
    return at && at->kind == NPART__TERM_FUNCTION && at->op == NPART__FUNCTION_TOOLCHAIN;
}

/* A toolchain compared with is told by its text, and kept as its place: `toolchain >= 'sdk 1.10'` goes by the order
 * of the releases, not of letters. Kept as a number, two toolchains are compared like any others; reports print the
 * text (lib/plan/judge/explain.c). Where the question is not asked alone, or a bound is open, there is nothing to
 * resolve. */
static void resolve_toolchain(struct npart__parser *parser, uint32_t asked, uint32_t named, uint64_t column)
{
    if (parser->status != NPART_OK || named == NPART_NONE || !asks_toolchain(parser, asked))
        return;
    struct npart__term *release = &parser->oplist->terms.items[named];
    /* Of the list's releases, which stand above its rules. */
    uint32_t found =
        release->kind == NPART__TERM_WORD ? npart__find_toolchain(parser->oplist, release->word, strlen(release->word))
                                            : NPART_NONE;
    if (found == NPART_NONE) {
        npart__parse_fail(parser, column, "expected one of the list's toolchains as '...'");
        return;
    }
    release->kind = NPART__TERM_NUMBER;
    release->op = 0;
    release->number = found;
}

/* The items of a set after `last`, linked by `next`; returns the last. A name among them stands for as many items
 * as its define has, which are put into the same set. */
static uint32_t parse_items_behind(struct npart__parser *parser, uint32_t left, uint32_t last, uint32_t *first,
                                   unsigned depth)
{
    struct npart__scope inner;
    struct npart__reading before;
    if (depth > NPART__LIMIT_CONDITION_DEPTH)
        npart__parse_fail(parser, npart__peek(parser)->column, "nested deeper than %u", NPART__LIMIT_CONDITION_DEPTH);
    while (set_goes_on(parser)) {
        uint64_t column = npart__peek(parser)->column;
        if (names_items(parser) && npart__enter(parser, &inner, &before)) {
            last = parse_items_behind(parser, left, last, first, depth + 1);
            npart__leave(parser, &before);
            continue;
        }
        uint32_t item = parse_item(parser, depth);
        if (item == NPART_NONE)
            break;
        check_words(parser, left, parser->oplist->terms.items[item].left, column);
        resolve_toolchain(parser, left, parser->oplist->terms.items[item].left, column);
        resolve_toolchain(parser, left, parser->oplist->terms.items[item].right, column);
        if (last == NPART_NONE)
            *first = item;
        else
            parser->oplist->terms.items[last].next = item;
        last = item;
    }
    return last;
}

/* The items after `in`; there must be one. */
static uint32_t parse_items(struct npart__parser *parser, uint32_t left, unsigned depth)
{
    uint32_t first = NPART_NONE;
    uint64_t column = npart__peek(parser)->column;
    (void)parse_items_behind(parser, left, NPART_NONE, &first, depth);
    if (first == NPART_NONE)
        npart__parse_fail(parser, column, "expected what it may be");
    return first;
}

/* Letters alone, as exporters number what they name themselves: `axes`, and not `onnx::Slice_12`. */
bool npart__is_plain_name(const char *name)
{
    size_t length = 0;
    while (length <= NPART__LIMIT_PLAIN_NAME &&
           ((name[length] >= 'a' && name[length] <= 'z') || (name[length] >= 'A' && name[length] <= 'Z')))
        length++;
    return length > 0 && length <= NPART__LIMIT_PLAIN_NAME && name[length] == '\0';
}

/* Whether rules ask for more than plain names decides what they can tell apart (equivalent.c). Names
 * compared with plain words only, such as `axes`, tell few nodes apart, so that equivalent nodes
 * can still be judged once. Either side of a comparison may be the name. */
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

/* dtype() is compared with type names only, producer() and consumers() with operators of the
 * standard. A word that can never be the answer is a mistake that would otherwise make a rule
 * hold, or fail, everywhere and unseen. Only where the question stands on the left, as lists write it. What is
 * calculated is not checked. */
static void check_words(struct npart__parser *parser, uint32_t left, uint32_t other, uint64_t column)
{
    note_names(parser, left, other);
    note_names(parser, other, left); /* NOLINT(readability-suspicious-call-argument): both ways */
    if (left == NPART_NONE || other == NPART_NONE || parser->status != NPART_OK)
        return;
    /* Pointers into the array are used before any further term is added. */
    const struct npart__term *asked = &parser->oplist->terms.items[left], *word = &parser->oplist->terms.items[other];
    if (asked->kind != NPART__TERM_FUNCTION)
        return;
    uint8_t answers = npart__functions[asked->op].answers;
    bool is_type = answers == NPART__ANSWERS_TYPE;
    if ((is_type || answers == NPART__ANSWERS_CASTS) && word->kind == NPART__TERM_NUMBER)
        npart__parse_warn(parser, column, "a type is never a number");
    if (word->kind != NPART__TERM_WORD)
        return;
    /* Types besides those of tensors that dtype() answers with. */
    bool is_kind = strcmp(word->word, "sequence") == 0 || strcmp(word->word, "map") == 0 ||
                   strcmp(word->word, "optional") == 0;
    if (is_type && !word->element_type && !is_kind)
        npart__parse_fail(parser, column, "%s is no element type%s", word->word,
                          npart__hint_type(parser, word->word));
    if (answers == NPART__ANSWERS_NUMBER)
        npart__parse_fail(parser, column, "%s is no number", word->word);
    if (answers == NPART__ANSWERS_OP && strcmp(word->word, "none") != 0)
        (void)npart__check_op(parser, word->word, column);
}

/* A word with an argument that is no question is most often a misspelt one. */
static void fail_for_comparison(struct npart__parser *parser, const struct npart__token *token)
{
    struct npart__nearest nearest;
    char hint[NPART__HINT_BYTES];
    const struct npart__token *before = parser->now.at ? token - 1 : token;
    if (before->word->kind != NPART__TOKEN_WORD || strcmp(token->word->text, "(") != 0) {
        npart__parse_fail(parser, token->column, "expected a comparison, found %s", token->word->text);
        return;
    }
    npart__nearest_init(&nearest, before->word->text, strlen(before->word->text));
    for (size_t i = 0; i < NPART__FUNCTIONS; i++)
        npart__nearest_offer(&nearest, npart__functions[i].word);
    for (size_t i = 0; i < NPART__PREDICATES; i++)
        npart__nearest_offer(&nearest, npart__predicates[i].word);
    npart__parse_fail(parser, before->column, "%s is nothing that can be asked%s", before->word->text,
                      npart__nearest_hint(&nearest, hint, sizeof hint));
}

/* A sum alone is no condition: the comparison must follow. The marks stand in the order of enum
 * npart__comparison_op, whose number is their place. */
static uint32_t parse_comparison(struct npart__parser *parser, unsigned depth)
{
    static const char *const marks[] = {"=", "!=", "<", "<=", ">", ">="};
    static const uint8_t turned[] = {NPART__EQUAL,         NPART__NOT_EQUAL, NPART__GREATER,
                                     NPART__GREATER_EQUAL, NPART__LESS,      NPART__LESS_EQUAL};
    uint64_t first = npart__peek(parser)->column;
    uint32_t left = parse_sum(parser, depth);
    const struct npart__token *token = npart__peek(parser);
    if (parser->status != NPART_OK)
        return NPART_NONE;
    bool is_negated = npart__accept(parser, NPART__TOKEN_WORD, "not");
    bool is_in = is_negated ? npart__need(parser, NPART__TOKEN_WORD, "in", "in")
                            : npart__accept(parser, NPART__TOKEN_WORD, "in");
    if (is_in)
        return npart__new_pair(parser, NPART__TERM_IN, is_negated, left, parse_items(parser, left, depth));
    for (size_t i = 0; i < NPART__COUNT(marks); i++) {
        if (!npart__accept(parser, NPART__TOKEN_MARK, marks[i]))
            continue;
        uint64_t column = npart__peek(parser)->column;
        uint32_t right = parse_sum(parser, depth);
        check_words(parser, left, right, column);
        bool is_turned = asks_toolchain(parser, right); /* reports print the question first */
        resolve_toolchain(parser, is_turned ? right : left, is_turned ? left : right, is_turned ? first : column);
        return is_turned ? npart__new_pair(parser, NPART__TERM_COMPARE, turned[i], right, left)
                         : npart__new_pair(parser, NPART__TERM_COMPARE, (uint8_t)i, left, right);
    }
    fail_for_comparison(parser, token);
    return NPART_NONE;
}

/* ---- connectives ----------------------------------------------------------------------------------------- */

static uint32_t parse_or(struct npart__parser *parser, unsigned depth);

/* Of a table, where NPART_NONE is what there is none of yet: rows, or columns that ask something. */
static uint32_t link_two(struct npart__parser *parser, enum npart__term_kind kind, uint32_t left, uint32_t right)
{
    return left == NPART_NONE ? right : right == NPART_NONE ? left : npart__new_pair(parser, kind, 0, left, right);
}

/* A row `*: *` asks nothing, and so always holds: 0 = 0. */
static uint32_t always(struct npart__parser *parser)
{
    uint32_t zero = npart__new_term(parser, npart__blank_term(NPART__TERM_NUMBER));
    return npart__new_pair(parser, NPART__TERM_COMPARE, NPART__EQUAL, zero, zero);
}

/* A row's items for one column: of one word, that it is this one. An equality is cheaper to evaluate than a set of
 * one, and rows are asked of every node of an op. A range of one item stays a set: `op` of the item says that it is
 * one. */
static uint32_t parse_column(struct npart__parser *parser, uint32_t asked, unsigned depth)
{
    if (npart__accept(parser, NPART__TOKEN_MARK, "*"))
        return NPART_NONE;
    uint32_t items = parse_items(parser, asked, depth);
    const struct npart__term *item = items == NPART_NONE ? NULL : &parser->oplist->terms.items[items];
    bool is_one = item && !item->op && item->next == NPART_NONE;
    return is_one ? npart__new_pair(parser, NPART__TERM_COMPARE, NPART__EQUAL, asked, item->left)
                  : npart__new_pair(parser, NPART__TERM_IN, 0, asked, items);
}

/* A define whose lines are rows: what is asked is in every column of one of them, as in
 * `conversions(dtype(input), dtype(output))` with `row float32 int32: floats int32`. A table
 * becomes an `or` of rows that are an `and` of columns. What is asked is parsed once and shared by
 * all rows, so terms are no tree but may be reached twice. The `or` is as deep as there are rows,
 * of which there are at most NPART__LIMIT_ROWS. */
static uint32_t parse_table(struct npart__parser *parser, const struct npart__scope *scope, unsigned depth)
{
    const struct npart__define *define = scope->define;
    uint32_t asked[NPART__LIMIT_PARAMETERS], table = NPART_NONE;
    for (uint32_t i = 0; i < define->parameter_count; i++) {
        /* Parameters of a define are tokens with commas between: every other one. */
        npart__read_range(parser, (struct npart__range){&define->parameters.tokens[(size_t)2 * i], 1});
        /* Read as the parameter is: parse_factor enters the argument that it stands for. */
        asked[i] = parse_sum(parser, depth);
    }
    for (uint32_t i = 0; i < define->statement_count && parser->status == NPART_OK; i++) {
        uint32_t row = NPART_NONE;
        /* Rows stand in the file of the define, whose path npart__enter has set. */
        npart__read_range(parser, define->statements[i].range);
        (void)npart__need(parser, NPART__TOKEN_WORD, "row", "row");
        for (uint32_t k = 0; k < define->parameter_count && parser->status == NPART_OK; k++) {
            if (k && !npart__accept(parser, NPART__TOKEN_MARK, ":"))
                npart__parse_fail(parser, npart__peek(parser)->column, "expected : and the next column");
            row = link_two(parser, NPART__TERM_AND, row, parse_column(parser, asked[k], depth));
        }
        npart__expect_end(parser);
        table = link_two(parser, NPART__TERM_OR, table, row == NPART_NONE ? always(parser) : row);
    }
    return table;
}

/* Whether what ends before the token is a condition: then no operator of arithmetic or
 * comparison follows it. So `(a) and b` opens with a condition, `(a) + b` with a number. `in` and `not in` follow
 * a sum only. */
static bool ends_condition(const struct npart__token *next)
{
    if (next->word->kind == NPART__TOKEN_MARK)
        return strcmp(next->word->text, ")") == 0 || strcmp(next->word->text, ",") == 0;
    /* A connective, a sentence, a literal or the line's end may follow a condition. */
    return next->word->kind != NPART__TOKEN_WORD ||
           (strcmp(next->word->text, "in") != 0 && strcmp(next->word->text, "not") != 0);
}

/* Whether the parenthesis at hand holds a condition. Found by the token after the closing
 * parenthesis, as a condition and a sum may begin the same way. One that is never closed is
 * reported by whoever parses it. Told by looking ahead rather than by trying both, since a parser never takes back
 * what it told. */
static bool opens_condition(const struct npart__parser *parser)
{
    unsigned open = 0;
    /* Linear in what the parentheses hold; nested ones are looked at once for each level, which is limited. */
    for (uint32_t i = parser->now.at; i < parser->now.range.count; i++) {
        const struct npart__token *token = &parser->now.range.tokens[i];
        if (token->word->kind != NPART__TOKEN_MARK)
            continue;
        open += token->word->text[0] == '(';
        open -= token->word->text[0] == ')';
        if (open == 0)
            return i + 1 == parser->now.range.count || ends_condition(token + 1);
    }
    return true;
}

/* The name at hand as a condition: NPART_NONE in *term, and false, where it is no name or a
 * number. A define or parameter at the place of a condition. If arithmetic follows it, it is a
 * number, which parse_factor reads. */
static bool parse_named(struct npart__parser *parser, unsigned depth, uint32_t *term)
{
    struct npart__scope inner;
    struct npart__reading before;
    uint32_t end = npart__end_of_name(parser);
    bool is_condition =
        /* What comes after the name tells: a number is followed by an operator. */
        end != NPART_NONE && (end >= parser->now.range.count || ends_condition(&parser->now.range.tokens[end]));
    if (!is_condition || !npart__enter(parser, &inner, &before))
        return false;
    *term = inner.define && inner.define->is_table ? parse_table(parser, &inner, depth + 1)
                                                   : parse_or(parser, depth + 1);
    npart__leave(parser, &before);
    return true;
}

/* each(OPERANDS, CONDITION), where `it` is the operand at hand.
 * `each(inputs, rank(it) <= 5 or const(it))` */
static uint32_t parse_each(struct npart__parser *parser, unsigned depth)
{
    struct npart__term each = npart__blank_term(NPART__TERM_EACH);
    /* `each` and the parenthesis, which the caller has seen. */
    parser->now.at += 2;
    each.selector = npart__parse_selector(parser);
    if (!npart__accept(parser, NPART__TOKEN_MARK, ","))
        npart__parse_fail(parser, npart__peek(parser)->column, "expected , and a condition");
    parser->each_depth++; /* within it `it` has a meaning */
    /* One each() may stand in another; `it` is then the inner one's operand. */
    each.left = parse_or(parser, depth + 1);
    parser->each_depth--;
    (void)npart__need(parser, NPART__TOKEN_MARK, ")", ")");
    return npart__new_term(parser, each);
}

/* A single condition, without `and` or `or` around it. Depth counts every nesting, so that the
 * recursion of parsing, and later of evaluating, stays within the stack. The order of the questions: what can be
 * told by its first word comes before the comparison, which begins like a sum. */
static uint32_t parse_not(struct npart__parser *parser, unsigned depth)
{
    const struct npart__token *token = npart__peek(parser);
    if (parser->status != NPART_OK)
        return NPART_NONE;
    if (depth > NPART__LIMIT_CONDITION_DEPTH) {
        npart__parse_fail(parser, token->column, "nested deeper than %u", NPART__LIMIT_CONDITION_DEPTH);
        return NPART_NONE;
    }
    if (npart__accept(parser, NPART__TOKEN_WORD, "not"))
        return npart__new_pair(parser, NPART__TERM_NOT, 0, parse_not(parser, depth + 1), NPART_NONE);
    if (npart__next_is(parser, NPART__TOKEN_WORD, "each") && token[1].word->kind == NPART__TOKEN_MARK &&
        strcmp(token[1].word->text, "(") == 0)
        return parse_each(parser, depth);
    uint32_t named = NPART_NONE;
    if (parse_named(parser, depth, &named))
        return named;
    if (npart__next_is(parser, NPART__TOKEN_MARK, "(") && opens_condition(parser)) {
        parser->now.at++;
        uint32_t inner = parse_or(parser, depth + 1);
        (void)npart__need(parser, NPART__TOKEN_MARK, ")", ")");
        return inner;
    }
    uint32_t predicate = token->word->predicate;
    if (predicate)
        return parse_asked(parser, NPART__TERM_PREDICATE, predicate - 1, &npart__predicates[predicate - 1]);
    return parse_comparison(parser, depth);
}

/* Conditions linked by one connective, from left to right. The tree leans to the left: n conditions in a row are n
 * deep. */
static uint32_t parse_linked(struct npart__parser *parser, unsigned depth, const char *word,
                             enum npart__term_kind kind, uint32_t (*part)(struct npart__parser *, unsigned))
{
    uint32_t left = part(parser, depth);
    while (npart__accept(parser, NPART__TOKEN_WORD, word))
        left = npart__new_pair(parser, kind, 0, left, part(parser, depth));
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

/* Of rewrites: what stands where a constant or an attribute takes a number (rewrite_lines.c). */
uint32_t npart__parse_number(struct npart__parser *parser)
{
    uint32_t term = parse_sum(parser, 0);
    return parser->status == NPART_OK ? term : NPART_NONE;
}

uint32_t npart__parse_condition(struct npart__parser *parser)
{
    uint32_t term = parse_or(parser, 0);
    return parser->status == NPART_OK ? term : NPART_NONE;
}

/* ---- labels ---------------------------------------------------------------------------------------------- */

/* Down the left sides to the first question that is asked: of `not (rank(X) = 4)` it is rank, X.
 * `*` is left out: hexagon/Conv/static. The label becomes part of the rule's id, which users write into their
 * configuration, so it must not change with the wording of a sentence. A condition that asks nothing, as one that
 * compares two numbers, has the label `rule`. */
void npart__condition_label(const struct npart__oplist *oplist, uint32_t term, const char **word,
                            const char **argument, uint8_t *about)
{
    const struct npart__term *at = &oplist->terms.items[term];
    while (!npart__question_of(at) && at->left != NPART_NONE)
        at = &oplist->terms.items[at->left];
    *word = "rule";
    *argument = "";
    *about = NPART_ABOUT_ATTRIBUTE;
    const struct npart__question *row = npart__question_of(at);
    if (!row)
        return;
    *word = row->word;
    *about = row->about;
    if (at->selector != NPART_NONE)
        *argument = oplist->selectors.items[at->selector].name;
    else if (at->word)
        *argument = at->word;
    else if (row->argument == NPART__ARGUMENT_SWITCH)
        *argument = oplist->switches.items[at->number];
    else if (row->argument == NPART__ARGUMENT_VARIANT)
        *argument = oplist->variants.items[at->number].name;
    if (strcmp(*argument, "*") == 0)
        *argument = "";
}
