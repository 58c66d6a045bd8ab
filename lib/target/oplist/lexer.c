/* SPDX-License-Identifier: Apache-2.0
 *
 * Op lists, line by line, into tokens: the first step of reading one. A statement is a line with
 * those that continue it after a last backslash; its tokens know line and column, so that every
 * later mistake can say where it is ("hexagon.ops:12:7"). Mistakes are told from here on, too:
 * the first ends the statement and not the list, so that a person sees several at once.
 */
#include <stdio.h>

#include "oplist/parse.h"

/* Of more places than this some may be told twice: they are too many to read. */
#define MOST_PLACES 1024u
#define LONG_LINE 120u /* a line too long to be read to its end */

/* No listener: the caller wants the first mistake alone, which is in `error`. The listener is the caller's, and
 * gets each text for the time of the call. */
static void tell(const struct npart__parser *parser, bool is_warning, const char *place, const char *message)
{
    if (parser->listener)
        parser->listener->tell(parser->listener->payload, is_warning, place, message);
}

/* A place is line and column in one number. Callers that have no token give a small number: a
 * column of the line at hand. Columns are below 2^32, since a line is no longer than NPART__LIMIT_LINE_BYTES. */
static uint64_t with_line(const struct npart__parser *parser, uint64_t column)
{
    return column >> NPART__LINE_SHIFT ? column : (uint64_t)parser->now.line << NPART__LINE_SHIFT | column;
}

/* "hexagon.ops:12:7", as compilers write it, so that editors find it. */
static void write_place(const struct npart__parser *parser, uint64_t column, char *out, size_t bytes)
{
    (void)snprintf(out, bytes, "%s:%u:%u", parser->oplist->path, (unsigned)(column >> NPART__LINE_SHIFT),
                   (unsigned)(column & UINT32_MAX));
}

/* Of a place that nothing of the kind was told of yet, notes that it is: what ops share is looked at
 * for each of them. A warning does not keep a mistake from being told. Where that cannot be noted any more, it is
 * told again rather than not at all. Paths are compared by address: each file has one text for its path while it is
 * read. Linear in places, which are few: a list has as many as it has mistakes and warnings. */
static bool is_new(struct npart__parser *parser, uint64_t column, bool is_warning)
{
    for (uint32_t i = 0; i < parser->told.count; i++) {
        const struct npart__place_told *at = &parser->told.items[i];
        if (at->column == column && at->path == parser->oplist->path && at->is_warning == is_warning)
            return false;
    }
    struct npart__place_told place = {parser->oplist->path, column, is_warning};
    return parser->told.count == MOST_PLACES || NPART__PUSH(&parser->tokens_arena, &parser->told, place);
}

/* Further failures of a statement follow from the first, so only that one is told: `status` says
 * whether there was one, and npart__end_statement takes it back. `error` keeps the first of the
 * list. */
void npart__parse_fail(struct npart__parser *parser, uint64_t column, const char *format, ...)
{
    char place[sizeof parser->error->place], text[200];
    if (parser->status != NPART_OK)
        return;
    /* `status` is set even where the place was told before: the statement is as wrong for this op as it was for the
     * first. */
    column = with_line(parser, column);
    parser->status = NPART_ERROR_OPLIST;
    if (!is_new(parser, column, false))
        return;
    NPART__FORMAT(text, format);
    write_place(parser, column, place, sizeof place);
    if (parser->mistakes == 0)
        (void)npart__fail(parser->error, NPART_ERROR_OPLIST, place, "%s", text);
    if (parser->mistakes < NPART__LIMIT_MISTAKES)
        tell(parser, false, place, text);
    parser->mistakes++;
    parser->must_stop |= !parser->listener; /* only the first is asked for */
}

/* A warning is for --check-oplist only. A statement that has failed gets none. Warnings leave `status` and
 * `mistakes` alone, so a list with warnings can be used. */
void npart__parse_warn(struct npart__parser *parser, uint64_t column, const char *format, ...)
{
    char place[sizeof parser->error->place], text[200];
    if (!parser->listener || parser->status != NPART_OK || !is_new(parser, with_line(parser, column), true))
        return;
    NPART__FORMAT(text, format);
    write_place(parser, with_line(parser, column), place, sizeof place);
    tell(parser, true, place, text);
}

/* At no place, since it is about the list. */
void npart__tell_how_many(const struct npart__parser *parser)
{
    char text[40];
    (void)snprintf(text, sizeof text, "and %u more", parser->mistakes - NPART__LIMIT_MISTAKES);
    tell(parser, false, parser->oplist->path, text);
}

/* So the next statement is read; memory that ran out stays. */
void npart__end_statement(struct npart__parser *parser)
{
    if (parser->status == NPART_ERROR_OPLIST && !parser->must_stop)
        parser->status = NPART_OK;
}

void npart__parse_out_of_memory(struct npart__parser *parser)
{
    parser->must_stop = true;
    if (parser->status == NPART_OK)
        parser->status = npart__fail_memory(parser->error);
}

const char *npart__parse_text(struct npart__parser *parser, const char *text)
{
    if (!text)
        npart__parse_out_of_memory(parser);
    return text ? text : "";
}

/* ---- characters ------------------------------------------------------------------------------------------ */

/* Bytes from 0x80 on are letters of UTF-8, as a note or a name in other languages may need them. Not by <ctype.h>,
 * whose answer depends on the process's locale. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A point, colon or hyphen belongs to a word when more of the word follows: ai.onnx.ml:Scaler, rank-X. So `a-b` is
 * one word and `a - b` a difference, and a hyphen before a digit is a minus: -1. */
static size_t word_length(const char *text, size_t rest)
{
    for (size_t length = 1; length < rest; length++) {
        char c = text[length];
        if (is_letter(c) || is_digit(c))
            continue;
        char next = length + 1 < rest ? text[length + 1] : ' ';
        bool joins = c == '.' || c == ':' || c == '-';
        if (!joins || !(is_letter(next) || (c == '.' && is_digit(next))))
            return length;
    }
    return rest;
}

/* For names from elsewhere (a target to be imported): what a list can hold as a single word. A colon or a hyphen at
 * its end makes it none, as the lexer would leave that over. */
bool npart__is_word(const char *text)
{
    size_t length = strlen(text);
    return length > 0 && is_letter(text[0]) && word_length(text, length) == length;
}

/* 16, 0.5, 1e-3; the two points of a range end a number. A point without a digit after it is none of the number's:
 * of `1..4` the number is 1. */
static size_t number_length(const char *text, size_t rest, bool *is_whole)
{
    size_t length = 0;
    *is_whole = true;
    while (length < rest && is_digit(text[length]))
        length++;
    if (length + 1 < rest && text[length] == '.' && is_digit(text[length + 1])) {
        *is_whole = false;
        length++;
        while (length < rest && is_digit(text[length]))
            length++;
    }
    /* No `+` and no `E`: the language has neither. Without digits after it `e` begins a word. */
    size_t exponent = length + 1 < rest && text[length + 1] == '-' ? length + 2 : length + 1;
    if (exponent < rest && text[length] == 'e' && is_digit(text[exponent])) {
        *is_whole = false;
        length = exponent;
        while (length < rest && is_digit(text[length]))
            length++;
    }
    return length;
}

/* ---- words ------------------------------------------------------------------------------------------------ */

static const char *const marks[] = {"..", "!=", "<=", ">=", "(", ")", ",", "*", "+",
                                    "-",  "/",  "%",  ":",  "=", "<", ">"};

/* The text is copied, as the file's memory need not outlive the reading, and words are terminated. A text has one kind:
 * a number begins with a digit, a mark with no letter. */
static struct npart__word *new_word(struct npart__parser *parser, enum npart__token_kind kind, const char *text,
                                    size_t length)
{
    struct npart__words *words = &parser->words;
    struct npart__word *word = npart__arena_zeroed(&parser->tokens_arena, 1, sizeof *word);
    const char *copy = npart__arena_copy_text(parser->arena, text, length);
    if (!word || !copy || !NPART__RESERVE(&parser->tokens_arena, &words->of, 1) ||
        npart__intern(&words->texts, copy, length, false) == NPART_NONE) {
        npart__parse_out_of_memory(parser);
        return &parser->no_word;
    }
    word->text = copy;
    word->length = (uint32_t)length; /* of one line */
    word->kind = (uint8_t)kind;
    if (kind == NPART__TOKEN_WORD)
        word->element_type = (uint8_t)npart__type_number(copy, length);
    words->of.items[words->of.count++] = word;
    return word;
}

/* Few places are enough for those that return soon, and what is found there needs no hash that nobody can guess. */
struct npart__word *npart__word_of(struct npart__parser *parser, enum npart__token_kind kind, const char *text,
                                   size_t length)
{
    const unsigned char *letters = (const unsigned char *)text;
    size_t near = length ? length * 7 + letters[0] + letters[length / 2] * 5u + letters[length - 1] * 37u : 0;
    struct npart__word **seen = &parser->words.seen[near % NPART__WORDS_SEEN];
    if (*seen && (*seen)->length == length && memcmp((*seen)->text, text, length) == 0)
        return *seen;
    uint32_t id = npart__strings_find(&parser->words.texts, text, length);
    struct npart__word *word =
        id == NPART_NONE ? new_word(parser, kind, text, length) : parser->words.of.items[id];
    if (word != &parser->no_word)
        *seen = word;
    return word;
}

bool npart__begin_words(struct npart__parser *parser)
{
    parser->no_word.text = "";
    parser->steps = npart__arena_zeroed(&parser->tokens_arena, NPART__STEPS_SEEN, sizeof *parser->steps);
    if (!parser->steps || !npart__strings_init(&parser->words.texts, &parser->tokens_arena) ||
        !NPART__PUSH(&parser->tokens_arena, &parser->words.of, &parser->no_word)) /* of the empty text */
        return false;
    npart__note_questions(parser);
    npart__note_lines(parser);
    for (size_t i = 0; i < NPART__COUNT(marks); i++) {
        bool is_long = marks[i][1];
        struct npart__word *mark = npart__word_of(parser, NPART__TOKEN_MARK, marks[i], is_long ? 2 : 1);
        parser->words.marks[is_long][(unsigned char)marks[i][0]] = mark;
    }
    parser->words.end = npart__word_of(parser, NPART__TOKEN_END, "the end of the line", 19);
    return parser->status == NPART_OK;
}

/* ---- tokens ---------------------------------------------------------------------------------------------- */

/* A token more than there is room for is a mistake; one place is kept for the end of the statement. */
static void add_token(struct npart__parser *parser, struct npart__word *word, uint64_t column)
{
    if (parser->lexed_count + 1 >= NPART__LIMIT_TOKENS)
        npart__parse_fail(parser, column, "more than %u words on a line", NPART__LIMIT_TOKENS - 1);
    else
        parser->lexed[parser->lexed_count++] = (struct npart__token){word, column};
}

/* A number as double and, where it has neither point nor exponent, exactly: dims and limits are
 * compared as integers. npart__read_decimal reads a point whatever the locale is. */
static void read_number(struct npart__parser *parser, const char *text, size_t length, uint64_t column, bool is_whole)
{
    struct npart__word *word = npart__word_of(parser, NPART__TOKEN_NUMBER, text, length);
    if (word->number || word->real > 0) {
        add_token(parser, word, column);
        return;
    }
    word->kind = NPART__TOKEN_NUMBER; /* whatever a brace has made of it */
    /* 1e999 is infinite, which comparisons bear; cost parameters and shares of a rate are held to bounds. */
    word->is_whole = is_whole;
    word->real = npart__read_decimal(word->text);
    word->number = 0;
    for (size_t i = 0; is_whole && i < length; i++) {
        if (!npart__multiply_int64(word->number, 10, &word->number) ||
            !npart__add_int64(word->number, text[i] - '0', &word->number)) {
            npart__parse_fail(parser, column, "%s is too large a number", word->text);
            word->real = 0; /* and so it is read again where it returns */
            word->number = 0;
            return;
        }
    }
    add_token(parser, word, column);
}

/* Whether a backslash stands before what it escapes. */
static bool escapes(const char *text, char quote)
{
    return text[0] == '\\' && (text[1] == quote || text[1] == '\\');
}

/* A quoted text; \" and \\ stand for themselves. Returns the bytes taken, quotes included. Any other character
 * after a backslash is kept with it. */
static size_t read_quoted(struct npart__parser *parser, const char *text, size_t rest, uint64_t column)
{
    char quote = text[0], *plain;
    size_t length = 0, at = 1, end = 1;
    while (end < rest && text[end] != quote)
        end += end + 1 < rest && escapes(text + end, quote) ? 2 : 1;
    if (end >= rest) {
        npart__parse_fail(parser, column, "a text is not closed");
        return rest;
    }
    /* No longer than what is quoted, as escapes only become shorter. */
    plain = npart__arena_allocate(parser->arena, end);
    if (!plain) {
        npart__parse_out_of_memory(parser);
        return rest;
    }
    while (at < end) {
        at += escapes(text + at, quote);
        plain[length++] = text[at++];
    }
    plain[length] = '\0';
    struct npart__word *word = npart__arena_zeroed(&parser->tokens_arena, 1, sizeof *word);
    if (!word) {
        npart__parse_out_of_memory(parser);
        return rest;
    }
    word->kind = quote == '"' ? NPART__TOKEN_STRING : NPART__TOKEN_LITERAL;
    word->text = plain;
    if (quote != '"')
        word->element_type = (uint8_t)npart__type_number(plain, length);
    add_token(parser, word, column);
    return end + 1;
}

/* "<=" before "<". */
static size_t read_mark(struct npart__parser *parser, const char *text, size_t rest, uint64_t column)
{
    for (size_t length = rest > 1 ? 2 : 1; length && (unsigned char)text[0] < 0x80; length--) {
        struct npart__word *mark = parser->words.marks[length - 1][(unsigned char)text[0]];
        if (mark && (length == 1 || mark->text[1] == text[1])) {
            add_token(parser, mark, column);
            return length;
        }
    }
    /* The character may be one that a terminal obeys. */
    npart__parse_fail(parser, column, "a character that means nothing here: '%c' (0x%02x)",
                      text[0] >= ' ' && text[0] < 0x7f ? text[0] : '?', (unsigned char)text[0]);
    return rest;
}

/* The tokens of one line, for instance of
 *      need rank(X) in 3..4 "the op must be 1-D or 2-D"  # comment
 * words, marks and numbers, then a string; the comment is none. After a mistake the rest of the line is not read. */
static void lex(struct npart__parser *parser, const char *line, size_t length)
{
    size_t at = 0;
    while (at < length && parser->status == NPART_OK) {
        const char *text = line + at;
        size_t rest = length - at, taken = 1;
        uint64_t column = (uint64_t)parser->now.line << NPART__LINE_SHIFT | (at + 1);
        bool is_whole;
        /* Within quotes it begins no comment: read_quoted has taken such a text as a whole. */
        if (*text == '#')
            return;
        if (*text == ' ' || *text == '\t' || *text == '\r') {
            at++;
            continue;
        }
        if (is_letter(*text)) {
            taken = word_length(text, rest);
            add_token(parser, npart__word_of(parser, NPART__TOKEN_WORD, text, taken), column);
        } else if (is_digit(*text)) {
            taken = number_length(text, rest, &is_whole);
            read_number(parser, text, taken, column, is_whole);
        } else if (*text == '"' || *text == '\'') {
            taken = read_quoted(parser, text, rest, column);
        } else {
            taken = read_mark(parser, text, rest, column);
        }
        at += taken;
    }
}

/* Of one line and those that continue it, the tokens and where the next begins. The limit of tokens is that of a
 * whole statement. */
static void lex_statement(struct npart__parser *parser, const char *text, size_t bytes, size_t *offset)
{
    parser->lexed_count = 0;
    for (;;) {
        const char *line = text + *offset;
        const char *newline = memchr(line, '\n', bytes - *offset);
        size_t length = newline ? (size_t)(newline - line) : bytes - *offset;
        *offset += length + (newline ? 1 : 0);
        parser->now.line++;
        /* Blanks and a carriage return may stand after the backslash: editors add them unseen. */
        size_t visible = length;
        while (visible > 0 && (line[visible - 1] == '\r' || line[visible - 1] == ' '))
            visible--;
        /* Asked before the line is lexed, so a comment that ends in a backslash goes on, too: the next line is code
         * again. */
        bool continues = visible > 0 && line[visible - 1] == '\\';
        /* The line is passed over, but its end was found, so the next is read as it stands. */
        if (length > NPART__LIMIT_LINE_BYTES)
            npart__parse_fail(parser, 1, "a line is longer than %zu bytes", NPART__LIMIT_LINE_BYTES);
        else if (memchr(line, '\0', length))
            npart__parse_fail(parser, 1, "a NUL character: is this an op list?");
        else
            lex(parser, line, continues ? visible - 1 : length);
        if (length > LONG_LINE)
            npart__parse_warn(parser, LONG_LINE + 1, "a line longer than %u characters", LONG_LINE);
        if (!continues || *offset >= bytes)
            break;
    }
    /* The end is a token like others, after the last one, so that "expected a sentence, found
     * the end of the line" has a place. */
    const struct npart__token *last = parser->lexed_count ? &parser->lexed[parser->lexed_count - 1] : NULL;
    /* Of a quoted text the quotes are not counted, so a place after one is two columns early. */
    parser->lexed[parser->lexed_count] = (struct npart__token){
        parser->words.end,
        last ? last->column + strlen(last->word->text) : (uint64_t)parser->now.line << NPART__LINE_SHIFT | 1};
}

/* Tokens live as long as the reading, in an arena of their own. */
static void keep_tokens(struct npart__parser *parser, struct npart__lexed_line *statement)
{
    size_t size = (parser->lexed_count + (size_t)1) * sizeof *parser->lexed;
    struct npart__token *tokens = npart__arena_allocate(&parser->tokens_arena, size);
    if (!tokens || parser->status != NPART_OK) {
        npart__parse_out_of_memory(parser);
        return;
    }
    memcpy(tokens, parser->lexed, size);
    statement->range = (struct npart__range){tokens, parser->lexed_count};
    statement->waits = NULL;
}

void npart__need_tokens(struct npart__parser *parser, struct npart__lexed_line *statement)
{
    size_t offset = 0;
    if (!statement->waits)
        return;
    parser->now.line = statement->line - 1;
    lex_statement(parser, statement->waits, statement->waiting_bytes, &offset);
    parser->tokens_lexed += parser->lexed_count;
    keep_tokens(parser, statement);
}

/* Whether a line is a rule's and may wait: then it is passed over, with those that continue it. Told by its first
 * word, so that its place among others is known. */
static bool waits(struct npart__parser *parser, const char *text, size_t bytes, size_t *offset,
                  struct npart__lexed_line *statement)
{
    if (!parser->is_builtin) /* only these are terminated */
        return false;
    const char *line = text + *offset, *first = line + strspn(line, " "), *end = first;
    if (!is_letter(*first))
        return false;
    statement->word =
        npart__word_of(parser, NPART__TOKEN_WORD, first, word_length(first, bytes - (size_t)(first - text)));
    const struct npart__line *row = npart__find_line(statement->word, IN_OP);
    if (!row || row->read != npart__line_rule || npart__find_line(statement->word, IN_LIST))
        return false;
    statement->waits = line;
    statement->line = parser->now.line + 1;
    do {
        end = strchr(end, '\n');
        end = end ? end + 1 : text + bytes;
        parser->now.line++;
    } while (end < text + bytes && end[-1] == '\n' && end[-2] == '\\');
    statement->waiting_bytes = (uint32_t)(end - line);
    *offset = (size_t)(end - text);
    return true;
}

bool npart__lex_next(struct npart__parser *parser, const char *text, size_t bytes, size_t *offset,
                     struct npart__lexed_line *out)
{
    parser->lexed_count = 0;
    while (parser->lexed_count == 0 && *offset < bytes && !parser->must_stop) {
        lex_statement(parser, text, bytes, offset);
        *out = (struct npart__lexed_line){.is_broken = parser->status != NPART_OK};
        npart__end_statement(parser);
    }
    if (parser->lexed_count == 0)
        return false;
    out->range = (struct npart__range){parser->lexed, parser->lexed_count};
    out->word = parser->lexed[0].word;
    /* Where its first token stands, and not where it ends. */
    out->line = (uint32_t)(parser->lexed[0].column >> NPART__LINE_SHIFT);
    /* What is read for the first time is paid for here; npart__read_range allows that much and a constant. */
    parser->tokens_lexed += parser->lexed_count;
    return true;
}

/* All statements before any is read, since defines may be used above the line that makes them. A statement that could
 * not be lexed is kept, marked as broken, so that the statements after it belong to the same op as they would
 * otherwise. */
void npart__lex(struct npart__parser *parser, const char *text, size_t bytes, struct npart__lexed_lines *out)
{
    const size_t bytes_a_line = 32; /* of lists that are built in, with defines and comments */
    parser->now.line = 0;
    if (!NPART__RESERVE(&parser->tokens_arena, &out->of, bytes / bytes_a_line + 1))
        npart__parse_out_of_memory(parser);
    for (size_t offset = 0; offset < bytes && !parser->must_stop;) {
        struct npart__lexed_line statement = {.word = NULL};
        if (!waits(parser, text, bytes, &offset, &statement)) {
            if (!npart__lex_next(parser, text, bytes, &offset, &statement))
                return;
            keep_tokens(parser, &statement);
        }
        if (!NPART__PUSH(&parser->tokens_arena, &out->of, statement))
            npart__parse_out_of_memory(parser);
    }
}

/* ---- taking tokens --------------------------------------------------------------------------------------- */

/* Marks, words and strings may have the same text, so the kind is compared, too. */
bool npart__next_is(const struct npart__parser *parser, enum npart__token_kind kind, const char *text)
{
    const struct npart__token *token = npart__peek(parser);
    return token->word->kind == kind && npart__same_text(token->word->text, text);
}

/* Never after a failure, so parsers need not ask for one between steps. */
bool npart__accept(struct npart__parser *parser, enum npart__token_kind kind, const char *text)
{
    if (parser->status != NPART_OK || !npart__next_is(parser, kind, text))
        return false;
    parser->now.at++;
    return true;
}

bool npart__need(struct npart__parser *parser, enum npart__token_kind kind, const char *text, const char *expected)
{
    if (npart__accept(parser, kind, text))
        return true;
    npart__parse_fail(parser, npart__peek(parser)->column, "expected %s, found %s", expected,
                      npart__peek(parser)->word->text);
    return false;
}

/* For tokens whose text is free: names, numbers, sentences. The token stays valid while the list is read, its text
 * as long as the list. */
const struct npart__token *npart__expect(struct npart__parser *parser, enum npart__token_kind kind,
                                         const char *expected)
{
    const struct npart__token *token = npart__peek(parser);
    if (parser->status != NPART_OK)
        return NULL;
    if (token->word->kind != kind) {
        npart__parse_fail(parser, token->column, "expected %s, found %s", expected, token->word->text);
        return NULL;
    }
    parser->now.at++;
    return token;
}

/* The last step of each reader of a line: what it did not take has no meaning there. */
void npart__expect_end(struct npart__parser *parser)
{
    const struct npart__token *token = npart__peek(parser);
    if (parser->status == NPART_OK && token->word->kind != NPART__TOKEN_END)
        npart__parse_fail(parser, token->column, "unexpected %s", token->word->text);
}
