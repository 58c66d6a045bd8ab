/* SPDX-License-Identifier: Apache-2.0
 *
 * Defines: names for conditions, numbers, words, texts and rules, with parameters. What a name stands for is read
 * where it is used, as a whole of its own: `a or b` stays one condition under `not`, and an argument means what it
 * means where it was written.
 */
#include "oplist/parse.h"

/* ---- the defines of a list --------------------------------------------------------------------------------- */

/* A mark such as "(": strings and literals of the same text are none. Also asked of the token after a range, which
 * is there and is a mark or the end (struct npart__range). */
static bool is_mark(const struct npart__token *token, const char *text)
{
    return token->word->kind == NPART__TOKEN_MARK && npart__same_text(token->word->text, text);
}

/* What stands for rules follows `use` only, and may be called like a word of conditions. */
static struct npart__define *find_define(const struct npart__parser *parser, const struct npart__word *name,
                                         bool is_rules)
{
    uint32_t found = name->defines[is_rules];
    return found ? &parser->defines.items[found - 1] : NULL;
}

/* A define is a table by its first line; rules and rows cannot be mixed. A row among rules is no keyword there, and
 * a rule among rows lacks the word `row`: both are told when they are read. */
static bool begins_row(const struct npart__lexed_line *statement)
{
    return strcmp(statement->word->text, "row") == 0;
}

/* NAME [ "(" PARAMETER { "," PARAMETER } ")" ] [ ":" BODY ]
 * `define floats: float32 float16`; `define pair(x, y): quantized(x) and quantized(y)`;
 * `define at_most(x, most)`, whose rules follow. Nothing is copied: parameters and body are ranges of the list's
 * tokens, which last as long as the reading. */
static void read_head(struct npart__parser *parser, struct npart__define *define)
{
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "a name");
    if (!token)
        return;
    define->name = token->word->text;
    define->column = token->column;
    if (token->word->is_reserved)
        npart__parse_fail(parser, token->column, "%s has a meaning of its own", token->word->text);
    if (npart__accept(parser, NPART__TOKEN_MARK, "(")) {
        define->parameters.tokens = npart__peek(parser);
        do {
            token = npart__expect(parser, NPART__TOKEN_WORD, "a parameter");
            define->parameter_count++;
            /* A parameter called like a question would hide it in the define's body. */
            if (token && token->word->is_reserved)
                npart__parse_fail(parser, token->column, "%s has a meaning of its own", token->word->text);
        } while (npart__accept(parser, NPART__TOKEN_MARK, ","));
        (void)npart__need(parser, NPART__TOKEN_MARK, ")", ", or )");
        if (define->parameter_count > NPART__LIMIT_PARAMETERS)
            npart__parse_fail(parser, define->column, "more than %u parameters", NPART__LIMIT_PARAMETERS);
    }
    if (!npart__accept(parser, NPART__TOKEN_MARK, ":")) {
        npart__expect_end(parser);
        return;
    }
    define->body.tokens = npart__peek(parser);
    define->body.count = parser->now.range.count - parser->now.at;
    if (define->body.count == 0)
        npart__parse_fail(parser, npart__peek(parser)->column, "expected what %s stands for", define->name);
}

/* A name may stand for a condition and for rules at once, as `use` tells them apart. */
void npart__line_define(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__define define = {.name = "", .path = parser->oplist->path};
    struct npart__word *word = npart__peek(parser)->word;
    (void)is;
    read_head(parser, &define);
    /* Without `:` what it stands for are the lines that follow. */
    if (!define.body.tokens) {
        define.statements = parser->block;
        define.statement_count = parser->block_count;
        define.is_table = define.statement_count && begins_row(define.statements);
        define.is_rules = !define.is_table;
        if (define.is_table && define.statement_count > NPART__LIMIT_ROWS)
            npart__parse_fail(parser, define.column, "more than %u rows", NPART__LIMIT_ROWS);
        if (define.statement_count == 0)
            npart__parse_fail(parser, define.column, "expected rules, or : and what %s stands for", define.name);
    }
    if (find_define(parser, word, define.is_rules))
        npart__parse_fail(parser, define.column, "define %s is there twice", define.name);
    if (parser->defines.count == NPART__LIMIT_DEFINES)
        npart__parse_fail(parser, define.column, "more than %u defines", NPART__LIMIT_DEFINES);
    if (parser->status == NPART_OK && !NPART__PUSH(&parser->tokens_arena, &parser->defines, define))
        npart__parse_out_of_memory(parser);
    if (parser->status == NPART_OK)
        word->defines[define.is_rules] = parser->defines.count;
}

/* Before anything else of the list is read, so a define may stand below the lines that use it. Those of an included
 * list are found when that is read, and its path goes with them: a mistake in one is told in its own file. */
void npart__find_defines(struct npart__parser *parser, const struct npart__lexed_lines *statements)
{
    for (uint32_t i = 0; i < statements->of.count && !parser->must_stop; i++) {
        struct npart__lexed_line *at = &statements->of.items[i];
        if (!npart__same_text(at->word->text, "define") || at->is_broken)
            continue;
        parser->block = at + 1;
        parser->block_count = npart__block_length(statements, i + 1);
        parser->now = (struct npart__reading){.range = at->range, .at = 1, .line = at->line};
        npart__line_define(parser, NULL);
        npart__end_statement(parser);
    }
}

/* One that nothing uses is a typing mistake somewhere else, or left over. Only of a list without other mistakes: a
 * line that failed may be the one that uses it. Also of an included list, so a built-in list must use all that it
 * defines. */
void npart__check_defines(struct npart__parser *parser)
{
    for (uint32_t i = 0; i < parser->defines.count && parser->mistakes == 0; i++)
        if (!parser->defines.items[i].is_used)
            npart__parse_fail(parser, parser->defines.items[i].column, "define %s is never used",
                              parser->defines.items[i].name);
}

/* ---- what a name stands for --------------------------------------------------------------------------------- */

/* What a parameter of the define that is being read stands for; NULL: the word is none.
 * Parameters are every second token, as commas are between them. They were checked when the head was read, and are
 * at most NPART__LIMIT_PARAMETERS. */
static const struct npart__range *find_argument(const struct npart__scope *scope, const struct npart__word *name)
{
    for (uint32_t i = 0; scope && i < scope->define->parameter_count; i++)
        if (scope->define->parameters.tokens[(size_t)2 * i].word == name)
            return &scope->arguments[i];
    return NULL;
}

/* The last token of the parenthesis that begins at `at`; the end of the range where it is not closed. `at` is at the
 * opening one, so the count is above 0 until the matching one is met. */
static uint32_t end_of_parenthesis(const struct npart__range *range, uint32_t at)
{
    unsigned open = 0;
    for (; at < range->count; at++) {
        open += is_mark(&range->tokens[at], "(");
        open -= is_mark(&range->tokens[at], ")");
        if (open == 0)
            break;
    }
    return at;
}

/* Without a parenthesis a define that has parameters is a name all the same: the mistake is told
 * where it is entered. A parameter hides a define of the same name. */
uint32_t npart__end_of_name(const struct npart__parser *parser)
{
    const struct npart__token *token = npart__peek(parser);
    if (token->word->kind != NPART__TOKEN_WORD || parser->now.at >= parser->now.range.count)
        return NPART_NONE;
    if (find_argument(parser->now.scope, token->word))
        return parser->now.at + 1;
    const struct npart__define *define = find_define(parser, token->word, false);
    if (!define)
        return NPART_NONE;
    bool has_arguments = define->parameter_count && is_mark(token + 1, "(");
    return has_arguments ? end_of_parenthesis(&parser->now.range, parser->now.at + 1) + 1 : parser->now.at + 1;
}

/* An argument is a range of tokens between commas at the outermost level, and is read where the
 * parameter stands, not here: only there is it known what it has to be. */
static void take_arguments(struct npart__parser *parser, const struct npart__token *name, struct npart__scope *scope)
{
    uint32_t count = 0, wanted = scope->define->parameter_count;
    if (wanted && npart__accept(parser, NPART__TOKEN_MARK, "(")) {
        uint32_t close = end_of_parenthesis(&parser->now.range, parser->now.at - 1), start = parser->now.at;
        if (close >= parser->now.range.count) {
            npart__parse_fail(parser, name->column, "the arguments of %s are not closed", name->word->text);
            return;
        }
        /* Commas within parentheses belong to an argument: at_most(dim(X, 1), 4). */
        unsigned open = 0;
        for (uint32_t at = start; at <= close; at++) {
            const struct npart__token *token = &parser->now.range.tokens[at];
            bool ends = open == 0 && (at == close || is_mark(token, ","));
            open += is_mark(token, "(");
            /* The last one is that of the arguments themselves, and was not counted as opened. */
            open -= at < close && is_mark(token, ")");
            if (!ends)
                continue;
            if (at == start)
                npart__parse_fail(parser, token->column, "expected an argument, found %s", token->word->text);
            /* More than there is room for are counted, and told below. */
            if (count < wanted)
                scope->arguments[count] = (struct npart__range){parser->now.range.tokens + start, at - start};
            count++;
            start = at + 1;
        }
        parser->now.at = close + 1;
    }
    if (count != wanted)
        npart__parse_fail(parser, name->column, "%s has %u parameters", name->word->text, wanted);
}

/* A define at the word at hand, with its arguments. False after a failure. A define that uses
 * itself would never end; the callers are few, so they are looked through. The scope is on the caller's stack, and
 * is left before that returns. */
static bool open_scope(struct npart__parser *parser, struct npart__define *define, struct npart__scope *scope)
{
    const struct npart__token *name = npart__peek(parser);
    *scope = (struct npart__scope){.define = define, .caller = parser->now.scope};
    scope->depth = scope->caller ? scope->caller->depth + 1 : 1;
    /* Also where it is used wrongly: the mistake is told, and "never used" would be another. */
    define->is_used = true;
    for (const struct npart__scope *at = scope->caller; at; at = at->caller)
        if (at->define == define)
            npart__parse_fail(parser, name->column, "%s is defined by itself", name->word->text);
    /* Each level is a few frames of the parser's recursion, so this bounds the stack with the limit of conditions. */
    if (scope->depth > NPART__LIMIT_DEFINE_DEPTH)
        npart__parse_fail(parser, name->column, "defines use each other deeper than %u", NPART__LIMIT_DEFINE_DEPTH);
    parser->now.at++;
    take_arguments(parser, name, scope);
    return parser->status == NPART_OK;
}

/* The one place that counts work: defines that use each other double it with each level, so a
 * file of 400 bytes could keep the parser busy for hours. Ops that share lines count as well, since their lines
 * are read once for each. */
void npart__read_range(struct npart__parser *parser, struct npart__range range)
{
    parser->now.range = range;
    parser->now.at = 0;
    /* One more, since reading an empty range takes time, too. */
    parser->tokens_read += range.count + (uint64_t)1;
    if (parser->tokens_read <= parser->tokens_lexed + NPART__LIMIT_TOKENS_AGAIN)
        return;
    npart__parse_fail(parser, range.count ? range.tokens[0].column : 1,
                      "defines, and ops that share lines, stand for more than %u words", NPART__LIMIT_TOKENS_AGAIN);
    parser->must_stop = true;
}

/* Reads a range with the parameters of `scope`, which is where it was written. */
static void read_from(struct npart__parser *parser, struct npart__range range, const struct npart__scope *scope)
{
    parser->now.scope = scope;
    npart__read_range(parser, range);
}

/* An argument is read in the scope of the caller, where its words mean what they meant there; a
 * define's body in its own. */
bool npart__enter(struct npart__parser *parser, struct npart__scope *inner, struct npart__reading *before)
{
    const struct npart__token *token = npart__peek(parser);
    inner->define = NULL;
    if (parser->status != NPART_OK || npart__end_of_name(parser) == NPART_NONE)
        return false;
    const struct npart__range *argument = find_argument(parser->now.scope, token->word);
    if (argument) {
        parser->now.at++;
        /* After the name, where the reading goes on. */
        *before = parser->now;
        before->path = parser->oplist->path;
        read_from(parser, *argument, before->scope->caller);
        return true;
    }
    struct npart__define *define = find_define(parser, token->word, false);
    if (!open_scope(parser, define, inner))
        return false;
    *before = parser->now;
    before->path = parser->oplist->path;
    parser->oplist->path = define->path;
    /* A table is read row by row by parse_table; elsewhere its first row is what is left over, and told. */
    read_from(parser, define->is_table ? define->statements[0].range : define->body, inner);
    return true;
}

/* What a name stands for is a whole, and must be used up: of the body `a b` nothing may be left
 * over. Mistakes in it are told in the file of the define, hence the path. After a failure this tells nothing more,
 * and still puts the reading back. */
void npart__leave(struct npart__parser *parser, const struct npart__reading *before)
{
    if (parser->now.at < parser->now.range.count)
        npart__parse_fail(parser, npart__peek(parser)->column, "unexpected %s", npart__peek(parser)->word->text);
    parser->oplist->path = before->path;
    parser->now = *before;
}

/* For `use`: the statements are read by the caller, in the op at hand. The caller puts back both the reading and the
 * path; npart__leave would ask for an end that a `use` line does not have yet. */
bool npart__enter_rules(struct npart__parser *parser, struct npart__scope *inner, struct npart__reading *before)
{
    const struct npart__token *token = npart__peek(parser);
    if (token->word->kind != NPART__TOKEN_WORD)
        (void)npart__expect(parser, NPART__TOKEN_WORD, "a define");
    struct npart__define *define = parser->status == NPART_OK ? find_define(parser, token->word, true) : NULL;
    if (!define)
        npart__parse_fail(parser, token->column, "there is no define of rules %s%s", token->word->text,
                          npart__hint_define(parser, token->word->text));
    if (!define || parser->status != NPART_OK || !open_scope(parser, define, inner))
        return false;
    *before = parser->now;
    before->path = parser->oplist->path;
    parser->oplist->path = define->path;
    return true;
}

/* A parameter may stand for a parameter of the caller, and so on outwards. Where one word is
 * wanted (an attribute, an operand), more are a mistake. As deep as scopes, each of which is another define. */
const struct npart__token *npart__resolve(struct npart__parser *parser, const struct npart__token *token)
{
    const struct npart__scope *scope = parser->now.scope;
    while (scope && token->word->kind == NPART__TOKEN_WORD) {
        const struct npart__range *argument = find_argument(scope, token->word);
        if (!argument)
            break;
        if (argument->count != 1) {
            npart__parse_fail(parser, argument->tokens[0].column, "expected one word for %s", token->word->text);
            return NULL;
        }
        token = argument->tokens;
        scope = scope->caller;
    }
    return token;
}

/* ---- texts -------------------------------------------------------------------------------------------------- */

/* Pieces of one brace; further ones are left out of the sentence, which would be too long to
 * read. */
#define MOST_PIECES 64u

/* On the stack; pieces are texts that the list keeps. */
struct pieces {
    const char *of[MOST_PIECES];
    uint32_t count;
};

/* A text in a define may have braces of its own, whence the recursion. */
static const char *filled_in(struct npart__parser *parser, const struct npart__token *text, unsigned depth);

/* NULL: whoever made the piece told of a mistake, or ran out of memory. */
static void add_piece(struct npart__parser *parser, struct pieces *pieces, const char *piece)
{
    if (!piece && parser->status == NPART_OK)
        npart__parse_out_of_memory(parser);
    else if (piece && pieces->count < MOST_PIECES)
        pieces->of[pieces->count++] = piece;
}

/* -1, 3..5, ..5 or 3..: as a sentence says it. Sentences say `at most 5` where the language says `..5`. The numbers
 * are printed as they are written, so 0.50 stays 0.50. NULL after a mistake, or when out of memory. */
static const char *number_text(struct npart__parser *parser)
{
    const char *ends[2] = {NULL, NULL};
    bool is_range = false, has_failed = false;
    for (unsigned end = 0; end < 2; end++) {
        bool is_negative = npart__accept(parser, NPART__TOKEN_MARK, "-");
        if (npart__peek(parser)->word->kind == NPART__TOKEN_NUMBER && parser->now.at < parser->now.range.count) {
            ends[end] = npart__arena_format(parser->arena, "%s%s", is_negative ? "-" : "",
                                            parser->now.range.tokens[parser->now.at++].word->text);
            has_failed |= !ends[end];
        } else if (is_negative) { /* -rank(X) is calculated, and known of a node alone */
            npart__parse_fail(parser, npart__peek(parser)->column, "a sentence has no place for what is calculated");
            return NULL;
        }
        if (end == 0 && !(is_range = npart__accept(parser, NPART__TOKEN_MARK, "..")))
            break;
    }
    if (!is_range || has_failed)
        return has_failed ? NULL : ends[0];
    if (!ends[0] && !ends[1])
        npart__parse_fail(parser, npart__peek(parser)->column, "a range needs a bound");
    if (parser->status != NPART_OK)
        return NULL;
    if (ends[0] && ends[1])
        return npart__arena_format(parser->arena, "%s to %s", ends[0], ends[1]);
    return npart__arena_format(parser->arena, "at %s %s", ends[0] ? "least" : "most", ends[0] ? ends[0] : ends[1]);
}

/* What is read now, word by word. `floats` becomes the pieces "float32" and "float16", at most 5
 * the piece "at most 5"; names within are entered as in conditions. The limit is that of conditions, since both go
 * through defines. */
static void take_pieces(struct npart__parser *parser, struct pieces *pieces, unsigned depth)
{
    while (parser->now.at < parser->now.range.count && parser->status == NPART_OK) {
        const struct npart__token *token = npart__peek(parser);
        struct npart__scope inner;
        struct npart__reading before;
        if (depth > NPART__LIMIT_CONDITION_DEPTH)
            npart__parse_fail(parser, token->column, "nested deeper than %u", NPART__LIMIT_CONDITION_DEPTH);
        else if (npart__enter(parser, &inner, &before)) {
            take_pieces(parser, pieces, depth + 1);
            npart__leave(parser, &before);
        } else if (token->word->kind == NPART__TOKEN_STRING) {
            parser->now.at++;
            add_piece(parser, pieces, filled_in(parser, token, depth + 1));
        } else if (token->word->kind == NPART__TOKEN_WORD || token->word->kind == NPART__TOKEN_LITERAL) {
            parser->now.at++;
            add_piece(parser, pieces, token->word->text);
        } else if (token->word->kind == NPART__TOKEN_NUMBER || is_mark(token, "-") || is_mark(token, "..")) {
            add_piece(parser, pieces, number_text(parser));
        } else if (npart__accept(parser, NPART__TOKEN_MARK, "*")) {
            add_piece(parser, pieces, "inputs and outputs");
        } else {
            npart__parse_fail(parser, token->column, "%s has no place in a sentence", token->word->text);
        }
    }
}

/* "a, b or c". */
static void append_pieces(const struct pieces *pieces, struct npart__buffer *out)
{
    for (uint32_t i = 0; i < pieces->count; i++) {
        npart__append_text(out, i == 0 ? "" : i + 1 == pieces->count ? " or " : ", ");
        npart__append_text(out, pieces->of[i]);
    }
}

/* {NAME} by what the name stands for. "rank of {x} must be {most}" with x as X and most as ..5
 * becomes "rank of X must be at most 5". */
static const char *filled_in(struct npart__parser *parser, const struct npart__token *token, unsigned depth)
{
    const char *text = token->word->text, *open;
    struct npart__buffer out = {.arena = parser->arena};
    if (!strchr(text, '{'))
        return text;
    /* From brace to brace; what lies between is taken over as it is. */
    for (; (open = strchr(text, '{')) && parser->status == NPART_OK; text += strcspn(text, "}") + 1) {
        struct npart__reading before = parser->now;
        struct pieces pieces = {.count = 0};
        npart__append(&out, text, (size_t)(open - text));
        text = open + 1;
        /* A statement of one word, so that the same functions read it that read a list. */
        struct npart__token name[2] = {
            {npart__word_of(parser, NPART__TOKEN_WORD, text, strcspn(text, "}")), token->column},
            {parser->words.end, token->column}};
        if (parser->status != NPART_OK)
            return NULL;
        if (!text[strlen(name[0].word->text)]) {
            npart__parse_fail(parser, token->column, "a brace is not closed");
            return NULL;
        }
        /* In the scope of the rule, so that a parameter of its define is known. */
        read_from(parser, (struct npart__range){name, 1}, before.scope);
        if (npart__end_of_name(parser) == NPART_NONE)
            npart__parse_fail(parser, token->column, "{%s} is neither a parameter nor a define", name[0].word->text);
        take_pieces(parser, &pieces, depth + 1);
        append_pieces(&pieces, &out);
        parser->now = before;
    }
    npart__append_text(&out, text);
    return npart__parse_text(parser, npart__made_text(&out));
}

/* Never NULL: after a failure it is empty, and the failure is in `status`. */
const char *npart__take_text(struct npart__parser *parser, const char *expected)
{
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_STRING, expected);
    const char *text = token ? filled_in(parser, token, 0) : NULL;
    return parser->status == NPART_OK && text ? text : "";
}

/* In the rules of a define `label-older:` has the argument for `label`: quantized-older. So that one define of
 * rules gives each list ids of its own. */
const char *npart__label_text(struct npart__parser *parser, const char *label)
{
    struct npart__buffer out = {.arena = parser->arena};
    if (!parser->now.scope)
        return label;
    for (size_t length; *label; label += length) {
        length = strcspn(label, "-");
        const struct npart__token part = {npart__word_of(parser, NPART__TOKEN_WORD, label, length),
                                          npart__peek(parser)->column};
        const struct npart__token *resolved = npart__resolve(parser, &part);
        if (!resolved)
            return NULL;
        npart__append_text(&out, resolved->word->text);
        if (label[length])
            npart__append(&out, label + length++, 1);
    }
    return npart__parse_text(parser, npart__made_text(&out));
}
