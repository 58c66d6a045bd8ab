/* SPDX-License-Identifier: Apache-2.0
 *
 * One line of an op list by its form (lines.def): the words after the keyword become values, by place, which the
 * keyword's function is given. What it says is said there; a mistake is told at the token where it is.
 */
#include "oplist/parse.h"

/* The common end of `partitions` lines. */
#define END_OF_POLICY " [WHEN] ['sentence'] [source '...']"

static const struct npart__line lines[] = {
#define LINE(keyword, places, form, noun, function) {keyword, form, noun, npart__line_##function, places, 0},
#include "oplist/lines.def"
#define POLICY(id, form, sentence)                                                                                     \
    {"partitions", form END_OF_POLICY, sentence, npart__line_partitions, IN_LIST, NPART__POLICY_##id},
#include "oplist/lines.def"
};

/* Rows of one keyword need not stand together, as of `source`; from the first on they are looked through. */
void npart__note_lines(struct npart__parser *parser)
{
    for (size_t i = 0; i < NPART__COUNT(lines); i++) {
        struct npart__word *word =
            npart__word_of(parser, NPART__TOKEN_WORD, lines[i].keyword, strlen(lines[i].keyword));
        word->first_line = word->line_end ? word->first_line : (uint8_t)i;
        word->line_end = (uint8_t)(i + 1);
    }
}

_Static_assert(NPART__COUNT(lines) < UINT8_MAX, "words have a byte for their row");

const struct npart__line *npart__find_line(const struct npart__word *keyword, unsigned places)
{
    for (size_t i = keyword->first_line; i < keyword->line_end; i++)
        if ((lines[i].places & places) && npart__same_text(lines[i].keyword, keyword->text))
            return &lines[i];
    return NULL;
}

/* ---- what a step of a form may be --------------------------------------------------------------------------- */

#define WORD (1u << NPART__TOKEN_WORD)
#define NUMBER (1u << NPART__TOKEN_NUMBER)
#define WORD_OR_MARK (WORD | 1u << NPART__TOKEN_MARK)
#define ANY (WORD | NUMBER | 1u << NPART__TOKEN_STRING | 1u << NPART__TOKEN_LITERAL | 1u << NPART__TOKEN_MARK)

static const struct npart__step_type {
    const char *word, *expected;
    unsigned kinds; /* of tokens, as bits */
    /* What a name leads to, or NPART_NONE; that is told with `before` and, but for NULL, the name and `after`. */
    uint32_t (*find)(const struct npart__oplist *oplist, const char *name, size_t length);
    const char *before, *after;
    const char *const *words; /* a closed set, NULL at its end, in place of `find`: without `before` all are told */
    bool ends_at_other;       /* of several: at the first that leads nowhere */
} types[] = {
    {"NAME", NULL, WORD, NULL, NULL, NULL, NULL, false}, /* expected is the line's noun */
    {"OP", "an op", WORD, NULL, NULL, NULL, NULL, false},
    {"LOW", "three numbers: low, typical, high", NUMBER, NULL, NULL, NULL, NULL, false},
    {"TYPICAL", "three numbers: low, typical, high", NUMBER, NULL, NULL, NULL, NULL, false},
    {"HIGH", "three numbers: low, typical, high", NUMBER, NULL, NULL, NULL, NULL, false},
    {"ID", "a variant", WORD | NUMBER, NULL, NULL, NULL, NULL, false},
    {"VARIANT", "a variant", WORD | NUMBER, npart__find_variant, "there is no variant ", " yet", NULL, true},
    {"SWITCH", "a switch", WORD, npart__find_switch, "the list declares no switch ", "", NULL, false},
    {"GATE", "a gate", WORD, NULL, NULL, NULL, NULL, false},
    {"TOOLCHAIN", "one of the list's toolchains as '...'", ANY, npart__find_toolchain,
     "expected one of the list's toolchains as '...'", NULL, NULL, false},
    {"TARGET", "a target's name", WORD, NULL, NULL, NULL, NULL, false},
    {"VERSION", "a version", NUMBER, NULL, NULL, NULL, NULL, false},
    {"NUMBER", "a number", NUMBER, NULL, NULL, NULL, NULL, false},
    {"VALUE", "a value", WORD | NUMBER | 1u << NPART__TOKEN_LITERAL, NULL, NULL, NULL, NULL, false},
    {"SHARE", "a share of the matrix unit's rate", NUMBER, NULL, NULL, NULL, NULL, false},
    {"OPERAND", "an operand in parentheses", WORD, NULL, NULL, NULL, NULL, false},
    {"PRECISION", "a precision", WORD, NULL, NULL, NULL, npart__arithmetic_names, false},
    {"RUNTIME", "a runtime", WORD, NULL, NULL, NULL, npart__invoker_names, false},
    {"PHASE", "phase", WORD, NULL, "there is no phase ", "", npart__phase_words, false},
    {"CLASS", "class", WORD, NULL, "there is no class ", "", npart__equality_words, false},
    {"FORMAT", "a format", WORD, npart__find_format, "there is no format ", "", npart__format_names, true},
    {"HAPPENS", "what becomes of it", WORD, NULL,
     "expected a format, native, dequantized, vector, cpu, fails or unknown", NULL, npart__happening_words, false},
};

/* NULL: `WHEN`, or what the line's function reads, with all after it. */
static const struct npart__step_type *find_type(const char *step, size_t length)
{
    for (size_t i = 0; i < NPART__COUNT(types); i++)
        if (npart__is_text(types[i].word, step, length))
            return &types[i];
    return NULL;
}

static bool is_type(const char *step)
{
    return *step >= 'A' && *step <= 'Z';
}

/* All of a group in brackets, or a word. */
static size_t step_length(const char *step)
{
    size_t length = 0;
    bool is_group = *step == '[';
    while (step[length] && step[length] != ']' && (is_group || step[length] != ' '))
        length++;
    return length + is_group;
}

static bool is_several(const char *step, size_t length)
{
    return is_type(step) && length > 3 && memcmp(step + length - 3, "...", 3) == 0;
}

static size_t word_length(const char *step, size_t length)
{
    return is_several(step, length) ? length - 3 : length;
}

/* Forms are constants, so a step is known by its place in memory. */
static const struct npart__step *step_at(const struct npart__parser *parser, const char *text)
{
    struct npart__step *step = &parser->steps[(uintptr_t)text % NPART__STEPS_SEEN];
    if (step->text != text) {
        size_t length = step_length(text);
        *step = (struct npart__step){text, length, find_type(text, word_length(text, length))};
    }
    return step;
}

/* Whether the token at hand may be the beginning of the step. */
static bool fits(const struct npart__parser *parser, const char *step)
{
    const struct npart__token *token = npart__peek(parser);
    step += *step == '[';
    if (*step == '\'')
        return token->word->kind == NPART__TOKEN_STRING;
    if (!is_type(step))
        return *token->word->text == *step && (WORD_OR_MARK >> token->word->kind & 1) &&
               npart__is_text(token->word->text, step, step_length(step));
    const struct npart__step_type *type = step_at(parser, step)->type;
    return !type || (type->kinds >> token->word->kind & 1);
}

/* ---- values --------------------------------------------------------------------------------------------------- */

static void fail_expected(struct npart__parser *parser, const char *expected, size_t length)
{
    npart__parse_fail(parser, npart__peek(parser)->column, "expected %.*s, found %s", (int)length, expected,
                      npart__peek(parser)->word->text);
}

/* Few words are told all; of more the nearest. */
static void fail_found(struct npart__parser *parser, const struct npart__step_type *type,
                       const struct npart__token *token)
{
    struct npart__buffer text = {.arena = &parser->tokens_arena};
    struct npart__nearest nearest;
    char hint[NPART__HINT_BYTES];
    npart__append_format(&text, "%s%s%s", type->before ? type->before : "there is no ",
                         type->after || !type->before ? token->word->text : "", type->after ? type->after : "");
    npart__nearest_init(&nearest, token->word->text, strlen(token->word->text));
    for (const char *const *word = type->words; word && *word; word++) {
        npart__nearest_offer(&nearest, *word);
        if (!type->before)
            npart__append_format(&text, "%s%s", word == type->words ? "; there is " : ", ", *word);
    }
    if (type->words && type->find)
        npart__append_text(&text, npart__nearest_hint(&nearest, hint, sizeof hint));
    npart__parse_fail(parser, token->column, "%s", npart__parse_text(parser, npart__made_text(&text)));
}

/* What the token leads to; 0 where its type asks for nothing. */
static uint32_t index_of(const struct npart__parser *parser, const struct npart__step_type *type,
                         const struct npart__token *token)
{
    if (type->find)
        return type->find(parser->oplist, token->word->text, strlen(token->word->text));
    for (uint32_t i = 0; type->words && type->words[i]; i++)
        if (strcmp(type->words[i], token->word->text) == 0)
            return i;
    return type->words ? NPART_NONE : 0;
}

bool npart__is_condition_next(const struct npart__parser *parser)
{
    static const char *const words[] = {"of", "with", "unless", "since", "before"};
    for (size_t i = 0; i < NPART__COUNT(words); i++)
        if (npart__next_is(parser, NPART__TOKEN_WORD, words[i]))
            return true;
    return false;
}

/* Words that end a row of names: those that may stand in the line after it. */
static bool is_next_in(const struct npart__parser *parser, const char *rest)
{
    for (; *rest; rest += strcspn(rest, " [") + 1) {
        if (strncmp(rest, "WHEN", 4) == 0 && npart__is_condition_next(parser))
            return true;
        if (*rest >= 'a' && *rest <= 'z' && fits(parser, rest))
            return true;
        if (!rest[strcspn(rest, " [")])
            break;
    }
    return false;
}

/* A name, or several. */
static void take_names(struct npart__parser *parser, const struct npart__step_type *type, const char *step,
                       size_t length, struct npart__value *value)
{
    const char *expected = type->expected ? type->expected : parser->line->noun;
    bool is_row = is_several(step, length), is_op = strcmp(type->word, "OP") == 0;
    do {
        const struct npart__token *token = npart__peek(parser);
        if (!(type->kinds >> token->word->kind & 1)) {
            fail_expected(parser, expected, strlen(expected));
            return;
        }
        uint32_t index = index_of(parser, type, token);
        if (index == NPART_NONE && value->count && type->ends_at_other)
            return;
        if (index == NPART_NONE)
            fail_found(parser, type, token);
        if (is_op)
            (void)npart__check_op(parser, token->word->text, token->column);
        if (value->count == 0) {
            value->token = token;
            value->text = token->word->text;
            value->index = index;
        }
        value->count++;
        parser->now.at++;
    } while (is_row && parser->status == NPART_OK && (type->kinds >> npart__peek(parser)->word->kind & 1) &&
             !is_next_in(parser, step + length));
}

static struct npart__value *take_steps(struct npart__parser *parser, const char *step, const char *end,
                                       struct npart__value *value);

/* A group in brackets, after which `*end` is. Places of one that is left out are taken by what is not there, so that
 * each value has a place of its own. A group of words alone has one. */
static struct npart__value *take_group(struct npart__parser *parser, const char *step, const char **end,
                                       struct npart__value *value)
{
    uint32_t count = 0;
    const char *at = step + 1;
    for (; *at != ']'; at++)
        count += (at[-1] == '[' || at[-1] == ' ') && (is_type(at) || *at == '\'');
    count += count == 0;
    *end = at + 1;
    if (!fits(parser, step) || (is_type(step + 1) && is_next_in(parser, *end)))
        return value + count;
    value->token = npart__peek(parser);
    return take_steps(parser, step + 1, at, value) ? value + count : NULL;
}

/* The value after those of the step; NULL where that is in capitals and no type: the line's function reads on. */
static struct npart__value *take_step(struct npart__parser *parser, const char *step, const char **end,
                                      struct npart__value *value)
{
    if (*step == '[')
        return take_group(parser, step, end, value);
    size_t length = step_at(parser, step)->length;
    *end = step + length;
    if (*step == '\'') {
        bool is_any = step[1] == '.';
        value->token = npart__peek(parser);
        if (value->token->word->kind != NPART__TOKEN_STRING)
            npart__parse_fail(parser, value->token->column, "expected a %.*s, found %s", is_any ? 14 : (int)length - 2,
                              is_any ? "text in quotes" : step + 1, value->token->word->text);
        value->text = npart__take_text(parser, "");
        return value + 1;
    }
    if (!is_type(step)) {
        if (fits(parser, step))
            parser->now.at++;
        else
            fail_expected(parser, step, length);
        return value;
    }
    const struct npart__step_type *type = step_at(parser, step)->type;
    if (type)
        take_names(parser, type, step, length, value);
    else if (strncmp(step, "WHEN", 4) == 0)
        value->when = npart__take_condition(parser);
    else
        return NULL;
    return value + 1;
}

static struct npart__value *take_steps(struct npart__parser *parser, const char *step, const char *end,
                                       struct npart__value *value)
{
    while (value && step < end && parser->status == NPART_OK) {
        value = take_step(parser, step, &step, value);
        step += step < end; /* the blank */
    }
    return value;
}

/* ---- forms ---------------------------------------------------------------------------------------------------- */

/* Whether both forms have the same step at a place, up to which they agree. */
static bool same_step(const struct npart__line *a, const struct npart__line *b, size_t at)
{
    size_t length = step_length(a->form + at);
    return step_length(b->form + at) == length && memcmp(a->form + at, b->form + at, length) == 0;
}

/* "expected unfed, fixed, shared or flat, found x": what the forms from `first` to `last` have at a place. Forms with
 * the same word there stand together, so each is told once. */
static void expect_step(struct npart__parser *parser, const struct npart__line *first, const struct npart__line *last,
                        size_t at)
{
    struct npart__buffer text = {.arena = &parser->tokens_arena};
    for (const struct npart__line *line = first; line <= last; line++) {
        if (line > first && same_step(line - 1, line, at))
            continue;
        npart__append_text(&text, line == first ? "" : same_step(line, last, at) ? " or " : ", ");
        const char *step = line->form + at;
        size_t length = step_length(step);
        const struct npart__step_type *type = find_type(step, word_length(step, length));
        npart__append(&text, type ? type->expected : step, type ? strlen(type->expected) : length);
    }
    fail_expected(parser, npart__buffer_text(&text), text.size);
}

/* Step by step, with the forms that fit so far: from `first` to `last`, which is always a range, as those that begin
 * the same stand together. Of these the first whose step fits is taken, so one that fits much stands last. The form is
 * the parser's line then; false where its function reads on. */
static bool take_form(struct npart__parser *parser, const struct npart__line *first, struct npart__value *value)
{
    const struct npart__line *last = first, *past = lines + NPART__COUNT(lines);
    while (last + 1 < past && strcmp(last[1].keyword, first->keyword) == 0 && last[1].places == first->places)
        last++;
    for (size_t at = 0; first->form[at] && parser->status == NPART_OK;) {
        const struct npart__line *fit = first;
        const char *end = first->form;
        while (fit < last && !fits(parser, fit->form + at))
            fit++;
        if (first < last && !same_step(first, last, at) && !fits(parser, fit->form + at))
            expect_step(parser, first, last, at);
        while (first < fit && !same_step(first, fit, at))
            first++;
        while (fit < last && !same_step(last, fit, at))
            last--;
        parser->line = first;
        if (first == last)
            return take_steps(parser, first->form + at, first->form + strlen(first->form), value) != NULL;
        value = take_step(parser, first->form + at, &end, value);
        at = (size_t)(end - first->form);
        at += first->form[at] == ' ';
    }
    return true;
}

static void clear_values(struct npart__value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (struct npart__value){.index = NPART_NONE, .when = NPART__ALWAYS};
}

/* A fixed order needs no check for parts that stand twice. A stage may begin below the line that names it, so its name
 * is kept for later (npart__resolve_line_stages). */
struct npart__line_condition npart__take_condition(struct npart__parser *parser)
{
    static const char form[] = "[of GATE] [with SWITCH] [unless SWITCH] [since TOOLCHAIN] [before TOOLCHAIN]";
    struct npart__value is[5];
    if (!npart__is_condition_next(parser))
        return NPART__ALWAYS;
    clear_values(is, NPART__COUNT(is));
    (void)take_steps(parser, form, form + sizeof form - 1, is);
    if (is[0].text) {
        /* The column alone, as the line has a member of its own. */
        struct npart__line_stage stage = {
            .name = is[0].text, .line = parser->now.line, .column = (uint32_t)is[0].token->column};
        is[0].index = parser->oplist->line_stages.count;
        NPART__KEEP(parser, &parser->oplist->line_stages, stage);
    }
    return (struct npart__line_condition){is[0].index, is[1].index, is[2].index, is[3].index, is[4].index};
}

static void lack_keyword(struct npart__parser *parser, const struct npart__token *token, unsigned places)
{
    struct npart__nearest nearest;
    char hint[NPART__HINT_BYTES];
    npart__nearest_init(&nearest, token->word->text, strlen(token->word->text));
    for (size_t i = 0; i < NPART__COUNT(lines); i++)
        if (lines[i].places & places)
            npart__nearest_offer(&nearest, lines[i].keyword);
    npart__parse_fail(parser, token->column, "%s is no keyword here%s", token->word->text,
                      nearest.count ? npart__nearest_hint(&nearest, hint, sizeof hint) : "");
}

/* A function is called where nothing is wrong so far, and takes what its form leaves to it. */
void npart__read_line(struct npart__parser *parser, unsigned place)
{
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "a keyword");
    struct npart__value values[NPART__LIMIT_VALUES];
    if (!token)
        return;
    parser->line = npart__find_line(token->word, place);
    if (!parser->line) {
        lack_keyword(parser, token, place);
        return;
    }
    if ((parser->line->places & OF_TARGET) && !*parser->oplist->name) {
        /* Ids of rules begin with it, so nothing that follows can be read. */
        npart__parse_fail(parser, 1, "the target's line comes before its ops");
        parser->must_stop = true;
        return;
    }
    if ((place & (IN_LIST | IN_COST)) && !(parser->line->places & BLOCK) &&
        ++parser->list_lines > NPART__LIMIT_LIST_LINES) {
        npart__parse_fail(parser, 1, "more than %u lines that are of no op or pattern", NPART__LIMIT_LIST_LINES);
        parser->must_stop = true;
        return;
    }
    if (!(parser->line->places & OWN)) {
        clear_values(values, NPART__COUNT(values));
        if (take_form(parser, parser->line, values))
            npart__expect_end(parser);
    }
    if (parser->status == NPART_OK)
        parser->line->read(parser, values);
    npart__expect_end(parser);
}
