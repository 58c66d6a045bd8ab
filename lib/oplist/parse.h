/* SPDX-License-Identifier: Apache-2.0
 *
 * What the lexer, the condition parser and the section parser of op lists share.
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

struct npart__token {
    uint8_t kind;
    uint32_t column;
    const char *text; /* terminated, in the arena; strings without quotes and escapes */
    double real;
    int64_t number;
    bool is_whole; /* a number without point or exponent */
};

#define NPART__LIMIT_TOKENS 512u

struct npart__group {
    const char *name;
    const char *text; /* of the list that it stands in */
    size_t bytes;
    size_t start, end; /* its lines there */
    uint32_t line;     /* of the first */
    bool is_used;
    uint32_t lexed; /* its lines among the parser's blocks plus one; 0: not lexed yet */
};

struct npart__lexed_line {
    uint32_t line, first_token, token_count; /* in lexed_tokens, the end token included */
};

/* The lines of a block that is read more than once, in tokens. */
struct npart__lexed_block {
    struct NPART__ARRAY(struct npart__lexed_line) lines;
};

struct npart__word_set {
    const char *name;
    uint32_t first_token, token_count; /* in set_tokens */
};

struct npart__parser {
    struct npart__oplist *oplist;
    struct npart__arena *arena;
    struct npart_error *error;
    const char *text;
    size_t bytes;
    /* the line at hand */
    uint32_t line;
    struct npart__token tokens[NPART__LIMIT_TOKENS];
    uint32_t token_count, at;
    npart_status status; /* of the first failure; everything stops then */
    /* where we are */
    struct npart__op_entry *op; /* being read, or NULL */
    struct npart__pattern *pattern; /* the same */
    const char *op_source;
    const char *default_source;
    uint8_t gate;
    uint16_t signature;
    uint32_t first_rule; /* of the section */
    uint32_t first_selector; /* of the op at hand */
    unsigned each_depth; /* inside how many each() */
    unsigned group_depth;
    uint32_t lines_again; /* so far */
    /* of an included list, which the including one may change */
    unsigned include_depth;
    uint32_t included_ops;   /* its entries, the first of the list's */
    bool name_is_included;
    struct NPART__ARRAY(const char *) dropped; /* domain, name, domain, name, ... of ops that are taken out */
    struct NPART__ARRAY(struct npart__group) groups;
    struct NPART__ARRAY(struct npart__lexed_block) blocks;
    struct NPART__ARRAY(struct npart__token) lexed_tokens;
    struct NPART__ARRAY(struct npart__word_set) sets;
    struct NPART__ARRAY(struct npart__token) set_tokens;
};

/* Most words that are compared differ in their first letter. */
static inline bool npart__same_text(const char *a, const char *b)
{
    return *a == *b && strcmp(a, b) == 0;
}

/* ---- lexer.c --------------------------------------------------------------------------------------------- */

/* Whether a list can name something so: it is one token, a word. */
bool npart__is_word(const char *text);

/* Splits the line at `*offset`, which moves behind it, into tokens. Continuation lines (a last character \) join. */
void npart__lex_line(struct npart__parser *parser, size_t *offset, size_t end);

/* Fails at a token with its line and column; the first failure counts. */
void npart__parse_fail(struct npart__parser *parser, uint32_t column, const char *format, ...) NPART__PRINTF(3, 4);
void npart__parse_out_of_memory(struct npart__parser *parser);

static inline const struct npart__token *npart__peek(const struct npart__parser *parser)
{
    return &parser->tokens[parser->at];
}
bool npart__next_is(const struct npart__parser *parser, enum npart__token_kind kind, const char *text);
/* Takes the token if it is this one. */
bool npart__accept(struct npart__parser *parser, enum npart__token_kind kind, const char *text);
/* Takes a token of this kind, or fails with what was expected; NULL then. */
const struct npart__token *npart__expect(struct npart__parser *parser, enum npart__token_kind kind,
                                         const char *expected);
void npart__expect_end(struct npart__parser *parser);

/* ---- condition.c ----------------------------------------------------------------------------------------- */

/* Reads a condition from the tokens; NPART_NONE after a failure. */
uint32_t npart__parse_condition(struct npart__parser *parser);
/* The function or predicate that a condition is first about: its word and what it is asked of, for a rule's id. */
void npart__condition_label(const struct npart__oplist *oplist, uint32_t term, const char **word,
                            const char **argument, uint8_t *about);

/* ---- header_lines.c, each for the keyword of its name ---------------------------------------------------- */

void npart__line_target(struct npart__parser *parser);
void npart__line_source(struct npart__parser *parser);
void npart__line_toolchain(struct npart__parser *parser);
void npart__line_standing(struct npart__parser *parser);
void npart__line_switches(struct npart__parser *parser);
void npart__line_variants(struct npart__parser *parser);
void npart__line_variant(struct npart__parser *parser);
void npart__line_default(struct npart__parser *parser);
void npart__line_bodies(struct npart__parser *parser);
void npart__line_integer_only(struct npart__parser *parser);
void npart__line_functions(struct npart__parser *parser);
void npart__line_layout(struct npart__parser *parser);
void npart__line_through(struct npart__parser *parser);
void npart__line_moved(struct npart__parser *parser);
void npart__line_param(struct npart__parser *parser);
void npart__line_limit(struct npart__parser *parser);
void npart__line_runtime(struct npart__parser *parser);
void npart__line_rewriting(struct npart__parser *parser);
void npart__line_gate(struct npart__parser *parser);
void npart__line_every(struct npart__parser *parser);
void npart__line_set(struct npart__parser *parser);

void npart__line_drop(struct npart__parser *parser);
/* The name of an operator of the standard, or NULL after a failure. */
const char *npart__expect_op(struct npart__parser *parser);

/* ---- policy_lines.c ---------------------------------------------------------------------------------------- */

void npart__line_partitioner(struct npart__parser *parser);
void npart__line_partitions(struct npart__parser *parser);
void npart__line_fallback(struct npart__parser *parser);
/* The reasons that a partitioner may give, as rules. */
void npart__add_partitioner_rules(struct npart__parser *parser);

/* OPSETS behind a name: "13", "7..12", "11.." or nothing, which is every version. False after a failure. */
bool npart__read_versions(struct npart__parser *parser, int32_t *first, int32_t *last);
/* The index of a switch or variant of the list, or NPART_NONE. */
uint32_t npart__find_switch(const struct npart__oplist *oplist, const char *name, size_t length);
uint32_t npart__find_variant(const struct npart__oplist *oplist, const char *name, size_t length);
/* [WORD SWITCH]: the index of a switch that the list declares, or NPART_NONE. */
uint32_t npart__find_toolchain(const struct npart__oplist *oplist, const char *text);
uint32_t npart__take_switch(struct npart__parser *parser, const char *word);
/* [source "..."]: it, or the section's. */
const char *npart__take_source(struct npart__parser *parser);
/* Fails when the standard has no such op; false then, or when the parser has failed before. */
bool npart__check_op(struct npart__parser *parser, const char *text, uint32_t column);
/* "com.microsoft:Gelu" in two; *domain is NULL when out of memory. */
void npart__split_op_name(const char *text, const char **domain, const char **name, struct npart__arena *arena);

/* ---- pattern_lines.c: what a pattern holds ---------------------------------------------------------------- */

/* NAME "sentence" [source "..."] of a pattern or a failure: fills it in; its lines follow. */
void npart__line_pattern(struct npart__parser *parser, bool is_failure, struct npart__pattern *out);
void npart__line_advice(struct npart__parser *parser);
void npart__line_share(struct npart__parser *parser);
void npart__line_let(struct npart__parser *parser);
void npart__line_match(struct npart__parser *parser);
void npart__line_of(struct npart__parser *parser);
/* Checks what can only be known at a pattern's end. */
void npart__end_pattern(struct npart__parser *parser);
/* The index of a name of the pattern being read, or NPART_NONE. */
uint32_t npart__find_pattern_name(const struct npart__parser *parser, const char *name);

/* ---- rule_line.c ------------------------------------------------------------------------------------------ */

/* A rule line: [label:] condition ["sentence"] [else fail] [source "..."] [except OP...]. */
void npart__parse_rule(struct npart__parser *parser, enum npart__rule_kind kind);
/* A rule that no line spells out: a missing entry, a body left to the CPU. Returns its index or NPART_NONE. */
uint32_t npart__add_unwritten_rule(struct npart__parser *parser, const char *label, const char *sentence,
                                   enum npart__rule_about about, uint8_t gate);

/* [with SWITCH] [unless SWITCH] [since TOOLCHAIN] [before TOOLCHAIN]: when a line counts. */
struct npart__line_condition npart__take_condition(struct npart__parser *parser);
/* At the list's end: finds the gates that lines name. */
void npart__resolve_line_gates(struct npart__parser *parser);
/* ["sentence"] [source "..."] at the end of a line, as a rule without a condition. Its index or NPART_NONE. */
uint32_t npart__end_of_line_rule(struct npart__parser *parser, const char *label, const char *sentence);

#endif
