/* SPDX-License-Identifier: Apache-2.0
 *
 * What the lexer, the condition parser and the section parser of op lists share. Reading goes in
 * this order: lexer.c makes statements of all lines, define.c notes the defines among them,
 * sections.c reads one statement after the other and calls the reader of its keyword,
 * condition.c and operand.c read what rules ask.
 * A parser never backs up over an error: after the first mistake of a statement its readers do
 * nothing (`status`), and reading goes on with the next statement, so that several mistakes are
 * told at once.
 */
#ifndef NPART_OPLIST_PARSE_H
#define NPART_OPLIST_PARSE_H

#include "oplist/oplist.h"
#include "oplist/term.h"

enum npart__token_kind {
    NPART__TOKEN_END,
    NPART__TOKEN_WORD,    /* letters, digits, _ . : - inside */
    NPART__TOKEN_NUMBER,
    NPART__TOKEN_STRING,  /* "sentence" */
    NPART__TOKEN_LITERAL, /* 'text' that is no word */
    NPART__TOKEN_MARK,    /* ( ) , * + - / % : = != < <= > >= .. */
};

/* What tokens of one text have in common. Of words, numbers and marks there is one of each text, so that what a word
 * means is looked up once and not wherever it stands; each text in quotes is one of its own. */
struct npart__word {
    const char *text; /* terminated, in the arena; strings without quotes and escapes */
    double real;
    int64_t number;
    uint32_t length;
    uint32_t defines[2]; /* plus one, in defines: what stands for a condition, a number or words, and for rules */
    uint8_t kind;        /* enum npart__token_kind */
    bool is_whole;       /* a number without point or exponent */
    bool is_reserved;    /* it means something in every condition already */
    uint8_t predicate, function; /* plus one, of questions.def */
    uint8_t makes;               /* before a parenthesis: a term of this kind, of `product` and its like; 0: none */
    uint8_t element_type;        /* 0: it is none */
    uint8_t first_line, line_end; /* the rows of lines.c with this keyword, and others between; 0, 0: it is none */
};

/* A word, number, text or mark where it stands. */
struct npart__token {
    struct npart__word *word;
    uint64_t column; /* with the line above NPART__LINE_SHIFT */
};
#define NPART__ID_BYTES 200u /* of a rule, before its number; what is longer is cut */
/* So a place is one number, by which mistakes can be compared: line 12, column 7 is 12 * 2^32 + 7. */
#define NPART__LINE_SHIFT 32u

/* Each with what every parse of it reads: a mark or the end after its last token. */
struct npart__range {
    const struct npart__token *tokens;
    uint32_t count;
};

/* One statement: a line with those that continue it. */
struct npart__lexed_line {
    struct npart__range range;
    const struct npart__word *word; /* the first */
    const char *waits; /* its text, where it is not made tokens yet (npart__need_tokens); else NULL */
    uint32_t line, waiting_bytes;
    bool is_broken; /* some of it could not be read, which has been told */
};

struct npart__lexed_lines {
    struct NPART__ARRAY(struct npart__lexed_line) of;
};

/* `define NAME[(PARAMETER, ...)]`: after a colon a condition, a number, words or a text, whatever it is where the name
 * stands; without one, rules that `use` reads, or the rows of a table. */
struct npart__define {
    const char *name, *path; /* of the file that it stands in: its mistakes are told there */
    struct npart__range parameters; /* names with commas between */
    uint32_t parameter_count; /* at most NPART__LIMIT_PARAMETERS */
    struct npart__range body;
    struct npart__lexed_line *statements; /* of rules or rows: the lines that follow it */
    uint32_t statement_count;
    bool is_table, is_rules, is_used;
    uint64_t column;
    uint32_t rules_counted; /* plus one, of late.c */
};

/* What the parameters of a define stand for while it is read. It lives on the stack of whoever enters the define;
 * `arguments` are ranges of tokens, and nothing is copied. */
struct npart__scope {
    struct npart__define *define;
    struct npart__range arguments[NPART__LIMIT_PARAMETERS];
    const struct npart__scope *caller; /* where the arguments stand */
    unsigned depth; /* 1 of a define that the list's own line uses */
};

/* What is being read. */
struct npart__reading {
    struct npart__range range;
    uint32_t at, line; /* the token that is next, and the statement's line */
    const struct npart__scope *scope;
    const char *path;
};

/* Where something was told: an op of several names is read several times, and its mistakes must
 * be told once. */
struct npart__place_told {
    const char *path;
    uint64_t column;
    bool is_warning;
};

#define NPART__WORDS_SEEN 512u

/* The state of reading one list, included lists among it. `now` is where reading is; entering a
 * define saves it and leaving restores it. Zeroed at first, and kept in an arena: the tokens of a statement make it
 * about 10 kilobytes. */
struct npart__parser {
    struct npart__oplist *oplist;
    struct npart__arena *arena;
    struct npart__arena tokens_arena; /* of what is not needed once the list is read */
    struct npart_error *error, unused_error;
    const struct npart__listener *listener; /* NULL: only the first mistake is told, and no warnings */
    struct npart__reading now;
    const struct npart__line *line; /* the one that is being read */
    struct npart__lexed_line *block; /* what follows it up to the next line of the list, */
    uint32_t block_count;                  /* which belongs to it where it is a BLOCK */
    npart_status status;   /* of the statement at hand: what is left of it is not read after a failure */
    uint32_t mistakes;     /* of the list so far */
    struct NPART__ARRAY(struct npart__place_told) told; /* so that nothing is told twice */
    bool must_stop; /* nothing more is read: memory or words ran out, or one mistake is enough */
    bool is_builtin, asks_names; /* the list has no mistakes; some rule may ask name() */
    struct npart__words {
        struct npart__strings texts;
        struct NPART__ARRAY(struct npart__word *) of; /* by text */
        struct npart__word *seen[NPART__WORDS_SEEN]; /* by a few of their letters the last of them: most words return */
        struct npart__word *marks[2][0x80];          /* by their first letter, of one letter and of two */
        struct npart__word *end;
    } words;
    struct npart__word no_word; /* the empty one, and where memory has run out */
    struct npart__step *steps;  /* by place in memory the last of them */
    /* the line that is being lexed */
    struct npart__token lexed[NPART__LIMIT_TOKENS];
    uint32_t lexed_count; /* without the token that ends the statement */
    /* where we are */
    struct npart__op_entry *op; /* being read, or NULL */
    struct npart__pattern *pattern; /* the same */
    struct npart__rewriting *rewrite; /* the same */
    struct npart__rewrite_form *form; /* of the rewrite; its pattern is the one that is being read */
    const char *op_source; /* of the op at hand: its `source` line; "" where it has none */
    const char *default_source; /* of the last `source` line of the list; "" before any */
    uint8_t stage; /* to which the ops that follow belong */
    uint32_t first_rule; /* of the section */
    uint32_t list_lines;    /* so far, of no op or pattern; */
    uint32_t variant_names; /* those after `is` included */
    struct npart__numbers {
        char fixed[NPART__ID_BYTES]; /* of the rule before: what stands in its id before the number */
        uint32_t first_rule, next_rule; /* of the section; the first that is not looked at yet */
        bool is_taken[NPART__LIMIT_RULES_OF_SECTION + 2];
    } numbers;
    uint32_t first_selector; /* of the op at hand */
    unsigned each_depth; /* inside how many each() */
    unsigned axis_depth; /* inside an axis that is calculated */
    unsigned list_depth; /* and how many product() and repeat(), of which there may be one */
    uint64_t tokens_lexed, tokens_read; /* so far */
    /* of an included list, which the including one may change */
    unsigned include_depth;
    bool is_cost;            /* what is read is a cost file */
    uint8_t layer;           /* of its parameters */
    uint32_t included_ops;   /* its entries, the first of the list's */
    bool name_is_included;
    struct NPART__ARRAY(const char *) dropped; /* domain, name, domain, name, ... of ops that are taken out */
    struct NPART__ARRAY(struct npart__define) defines;
};

/* The op that operands are looked up in from here on; NULL: none. Selectors are known by name alone, so those of one op
 * must not be met while another is asked for, nor afterwards. */
static inline void npart__ask_of(struct npart__parser *parser, struct npart__op_entry *op)
{
    parser->op = op;
    parser->first_selector = parser->oplist->selectors.count;
}

/* Appends to an array that lives as long as the list, unless the statement at hand has failed. */
#define NPART__KEEP(parser, array, value)                                                                              \
    ((parser)->status != NPART_OK || NPART__PUSH((parser)->arena, (array), (value))                                    \
         ? (void)0                                                                                                     \
         : npart__parse_out_of_memory(parser))

/* The same; its index, or NPART_NONE. */
#define NPART__ADD(parser, array, value)                                                                               \
    (NPART__KEEP(parser, array, value), (parser)->status == NPART_OK ? (array)->count - 1 : NPART_NONE)

/* ---- lexer.c --------------------------------------------------------------------------------------------- */

/* Whether a list can name something so: it is one token, a word. */
bool npart__is_word(const char *text);

/* All words that the language has, before any of a list; false when out of memory. */
bool npart__begin_words(struct npart__parser *parser);
/* The one word of a kind and text; never NULL: an empty one when out of memory, which is told. */
struct npart__word *npart__word_of(struct npart__parser *parser, enum npart__token_kind kind, const char *text,
                                   size_t length);

/* All statements of a text; what cannot be read is told and left out. */
void npart__lex(struct npart__parser *parser, const char *text, size_t bytes, struct npart__lexed_lines *out);
/* One statement from *offset on, in tokens that last until the next; false at the end of the text. */
bool npart__lex_next(struct npart__parser *parser, const char *text, size_t bytes, size_t *offset,
                     struct npart__lexed_line *out);
/* Of a built-in list, whose text stays, lines of rules wait until they are read. */
void npart__need_tokens(struct npart__parser *parser, struct npart__lexed_line *statement);

/* Tells of a mistake at a token's column, or at column 1 of the line at hand; the first of a statement counts. */
void npart__parse_fail(struct npart__parser *parser, uint64_t column, const char *format, ...) NPART__PRINTF(3, 4);
void npart__parse_warn(struct npart__parser *parser, uint64_t column, const char *format, ...) NPART__PRINTF(3, 4);
void npart__parse_out_of_memory(struct npart__parser *parser);
/* A text that was just made: "" in place of NULL, when out of memory, which is told. */
const char *npart__parse_text(struct npart__parser *parser, const char *text);
/* Tells the listener of mistakes that were not told. */
void npart__tell_how_many(const struct npart__parser *parser);
/* Goes on after a statement with a mistake. */
void npart__end_statement(struct npart__parser *parser);

static inline const struct npart__token *npart__peek(const struct npart__parser *parser)
{
    return &parser->now.range.tokens[parser->now.at];
}
/* The functions below do nothing once the statement has failed, so callers need not look after
 * each of them. */
bool npart__next_is(const struct npart__parser *parser, enum npart__token_kind kind, const char *text);
/* Takes the token if it is this one. */
bool npart__accept(struct npart__parser *parser, enum npart__token_kind kind, const char *text);
/* Takes the token, or fails with what was expected. */
bool npart__need(struct npart__parser *parser, enum npart__token_kind kind, const char *text, const char *expected);
/* Takes a token of this kind, or fails with what was expected; NULL then. */
const struct npart__token *npart__expect(struct npart__parser *parser, enum npart__token_kind kind,
                                         const char *expected);
void npart__expect_end(struct npart__parser *parser);

/* ---- define.c -------------------------------------------------------------------------------------------- */

/* ---- late.c ---------------------------------------------------------------------------------------------- */

/* Whether the op's rules, which are those of the block at hand, are read later. */
bool npart__put_off(struct npart__parser *parser, struct npart__op_entry *entry);
/* The list has been read, but for such rules: the parser is theirs now. */
void npart__end_late(struct npart__parser *parser);
/* Whether an array that must not be moved has no room for one more; told as if memory were short. */
bool npart__is_full(struct npart__parser *parser, uint32_t count, uint32_t capacity);
/* sections.c: the rules of an op from the block at hand. */
void npart__read_op_rules(struct npart__parser *parser, struct npart__op_entry *entry);

/* How many statements from `first` on belong to what stands before them. */
uint32_t npart__block_length(const struct npart__lexed_lines *statements, uint32_t first); /* sections.c */
/* Notes the defines of a list, which may be used before they stand there. */
void npart__find_defines(struct npart__parser *parser, const struct npart__lexed_lines *statements);
void npart__check_defines(struct npart__parser *parser);
/* Whether the word at hand is a parameter or a define; then what it stands for is read next, up to npart__leave.
 * inner->define is the define, or NULL. */
bool npart__enter(struct npart__parser *parser, struct npart__scope *inner, struct npart__reading *before);
/* Fails where not all was read. */
void npart__leave(struct npart__parser *parser, const struct npart__reading *before);
/* The define of rules that the word at hand names, with its arguments: its statements are read next. */
bool npart__enter_rules(struct npart__parser *parser, struct npart__scope *inner, struct npart__reading *before);
/* Where what the word at hand stands for ends, its arguments included; NPART_NONE: it stands for itself. */
uint32_t npart__end_of_name(const struct npart__parser *parser);
/* Reads these tokens next. */
void npart__read_range(struct npart__parser *parser, struct npart__range range);
/* A token, or the one that a parameter stands for; NULL after a failure. */
const struct npart__token *npart__resolve(struct npart__parser *parser, const struct npart__token *token);
/* A text in quotes, with what stands in its braces; "" after a failure. */
const char *npart__take_text(struct npart__parser *parser, const char *expected);
/* A label, whose parts may be parameters. */
const char *npart__label_text(struct npart__parser *parser, const char *label);

/* ---- operand.c ------------------------------------------------------------------------------------------- */

/* An operand, `inputs`, `outputs` or `*`: its index among the selectors, or NPART_NONE after a failure. */
uint32_t npart__parse_selector(struct npart__parser *parser);
/* What the standard says of the attribute, in all versions of the op at hand, into the term. */
void npart__resolve_attribute(struct npart__parser *parser, const struct npart__token *token,
                              struct npart__term *term);
/* A word of the list's own, or what a parameter stands for. */
const struct npart__token *npart__expect_name(struct npart__parser *parser, const char *expected);

/* ---- condition.c ----------------------------------------------------------------------------------------- */

/* Reads a condition from the tokens; NPART_NONE after a failure. */
uint32_t npart__parse_condition(struct npart__parser *parser);
/* A term of its kind. 0 is a term, so what a kind does not have is NPART_NONE. */
struct npart__term npart__blank_term(enum npart__term_kind kind);
/* Adds it to the list's terms, which lie in one array and refer to each other by index. Nothing is added once a mistake
 * has been made (NPART_NONE), so callers need not ask after each step. */
uint32_t npart__new_term(struct npart__parser *parser, struct npart__term term);
/* One of two sides. After a failure a side may be NPART_NONE; then nothing is made. */
uint32_t npart__new_pair(struct npart__parser *parser, enum npart__term_kind kind, uint8_t op, uint32_t left,
                         uint32_t right);
/* Reads a number that is calculated, or a word; NPART_NONE after a failure. */
uint32_t npart__parse_number(struct npart__parser *parser);
/* Notes at their words the questions and connectives of conditions. */
void npart__note_questions(struct npart__parser *parser);
/* The function or predicate that a condition is first about: its word and what it is asked of, for a rule's id. */
void npart__condition_label(const struct npart__oplist *oplist, uint32_t term, const char **word,
                            const char **argument, uint8_t *about);

/* ---- lines.c: the lines of lines.def ----------------------------------------------------------------------- */

enum {
    /* where a line may stand */
    IN_LIST = 1,
    IN_OP = 2,
    IN_PATTERN = 4,
    IN_COST = 8,
    IN_REWRITES = 16, /* in a list of rewrites, */
    IN_REWRITE = 32,  /* and in one of them */
    BLOCK = 64,       /* those that follow belong to it */
    OF_TARGET = 128,  /* the target's line must stand above */
    OWN = 256,        /* its function reads all that follows the keyword */
};

/* A step of a form, which is taken apart once. */
struct npart__step {
    const char *text; /* NULL: none is kept here */
    size_t length;
    const struct npart__step_type *type; /* lines.c; NULL: none */
};
#define NPART__STEPS_SEEN 256u

/* What a step of a form has taken from a line. */
struct npart__value {
    const struct npart__token *token; /* the first; NULL: it is left out */
    uint32_t count;                   /* of names: how many */
    uint32_t index;                   /* what a name leads to, else NPART_NONE */
    const char *text;                 /* of a name, or in quotes; NULL: it is left out */
    struct npart__line_condition when;
};
/* Steps of a form. */
#define NPART__LIMIT_VALUES 10u

struct npart__line {
    const char *keyword, *form;
    const char *noun; /* of a `partitions` line: its sentence */
    void (*read)(struct npart__parser *parser, const struct npart__value *is);
    unsigned places;
    uint8_t policy; /* enum npart__policy_kind */
};

#define LINE(keyword, places, form, noun, function)                                                                    \
    void npart__line_##function(struct npart__parser *parser, const struct npart__value *is);
#include "oplist/lines.def"
void npart__line_partitions(struct npart__parser *parser, const struct npart__value *is);

/* Notes at their words where the rows of each keyword begin. */
void npart__note_lines(struct npart__parser *parser);
/* The first row of the keyword that may stand there; NULL: there is none. */
const struct npart__line *npart__find_line(const struct npart__word *keyword, unsigned places);
/* The line at hand, from its keyword on. */
void npart__read_line(struct npart__parser *parser, unsigned place);
/* [of GATE] [with SWITCH] [unless SWITCH] [since TOOLCHAIN] [before TOOLCHAIN]: when a line counts. */
struct npart__line_condition npart__take_condition(struct npart__parser *parser);
/* Whether one comes next. */
bool npart__is_condition_next(const struct npart__parser *parser);

/* sections.c: a parser for a list, in its arena, NULL when out of memory; what has become of the list, after which the
 * parser is gone. It holds a statement's tokens, and is too large for the stack. */
struct npart__parser *npart__begin_reading(struct npart__oplist *oplist, struct npart__arena *arena,
                                           const char *path, struct npart_error *error);
npart_status npart__end_reading(struct npart__parser *parser);
/* All lines of a cost file, and those that belong to the line at hand. */
void npart__read_cost_lines(struct npart__parser *parser, const char *text, size_t bytes);
void npart__read_block(struct npart__parser *parser);

/* ---- header_lines.c, policy_lines.c, precision_lines.c ----------------------------------------------------- */

/* What `name` leads to, or NPART_NONE. */
uint32_t npart__find_switch(const struct npart__oplist *oplist, const char *name, size_t length);
uint32_t npart__find_variant(const struct npart__oplist *oplist, const char *name, size_t length);
/* release.c: whether a toolchain may stand below another one. */
bool npart__is_release_after(const char *toolchain, const char *before);
uint32_t npart__find_toolchain(const struct npart__oplist *oplist, const char *name, size_t length);
uint32_t npart__find_format(const struct npart__oplist *oplist, const char *name, size_t length);
extern const char *const npart__format_names[], *const npart__happening_words[]; /* NULL ends them */
/* Fails when the standard has no such op; false then, or when the parser has failed before. */
bool npart__check_op(struct npart__parser *parser, const char *text, uint64_t column);
/* hints.c: ends of messages, "; did you mean group?", or "" where nothing is near. */
const char *npart__hint_operator(struct npart__parser *parser, const char *domain, const char *name);
const char *npart__hint_attribute(struct npart__parser *parser, const char *domain, const char *op, const char *name);
const char *npart__hint_operand(struct npart__parser *parser, const struct npart__operator *op, const char *name);
const char *npart__hint_type(struct npart__parser *parser, const char *name);
const char *npart__hint_define(struct npart__parser *parser, const char *name);
/* "com.microsoft:Gelu" in two; false when out of memory, which is told. */
bool npart__split_op_name(struct npart__parser *parser, const char *text, const char **domain, const char **name);
/* The reasons that a partitioner may give, as rules. */
void npart__add_partitioner_rules(struct npart__parser *parser);
/* At the list's end: finds the stages that lines name. */
void npart__resolve_line_stages(struct npart__parser *parser);

/* ---- pattern_lines.c: what a pattern holds ---------------------------------------------------------------- */

/* Checks what can only be known at a pattern's end. */
void npart__end_pattern(struct npart__parser *parser);
/* The index of a name of the pattern being read, or NPART_NONE. */
uint32_t npart__find_pattern_name(const struct npart__parser *parser, const char *name);

/* ---- rewrite_lines.c --------------------------------------------------------------------------------------- */

/* The op of the last node of the pattern or form that is being read, which rules call `root`; false where there is
 * none, or several. */
bool npart__root_op(const struct npart__parser *parser, struct npart__op_entry *out);

/* ---- rule_line.c ------------------------------------------------------------------------------------------ */

/* A rule line after need, maybe, note, unit or refuse, which has no condition and never holds:
 * [label:] condition [WHEN] ["sentence"] [because "..."] [else fail] [source "..."] [except OP...]. */
void npart__parse_rule(struct npart__parser *parser, const char *keyword);
/* A rule that no line spells out: a missing entry, a body left to the CPU. Returns its index or NPART_NONE. */
uint32_t npart__add_unwritten_rule(struct npart__parser *parser, const char *label, const char *sentence,
                                   enum npart_cause_kind about, uint8_t stage);

/* A rule without a condition, which a line is the reason for: with its sentence or this one, and its source or the
 * list's. Its index or NPART_NONE. */
uint32_t npart__add_line_rule(struct npart__parser *parser, const char *label, const char *sentence,
                              const struct npart__value *own_sentence, const struct npart__value *source);
/* Rules from `first` on that have no source have this one. */
void npart__give_source(struct npart__parser *parser, uint32_t first, const char *source);

#endif
