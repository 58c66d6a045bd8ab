/* SPDX-License-Identifier: Apache-2.0
 *
 * Op lists, section by section: the entry point of reading (npart__oplist_read). What an op or a pattern holds is read
 * again for each op that it serves, so that operand names are checked against that op: in
 *      op Conv ConvTranspose
 *        need const(W) "the weight must be constant"
 * `W` is looked up twice, and the rule is there twice, with the ids of each op. At the end ops
 * are sorted, so that judging finds them by a binary search, and rules are added that no line
 * spells out.
 */
#include <stdio.h>
#include <stdlib.h>

#include "oplist/parse.h"

/* ---- lines of an op -------------------------------------------------------------------------------------- */

static void read_statements(struct npart__parser *parser, struct npart__lexed_line *statements, uint32_t count);

/* A rule of the kind that its keyword says. */
void npart__line_rule(struct npart__parser *parser, const struct npart__value *is)
{
    (void)is;
    /* Rules of a rewrite may ask about its last node. */
    struct npart__op_entry root;
    bool has_root = parser->form && npart__root_op(parser, &root);
    if (has_root)
        npart__ask_of(parser, &root); /* cppcheck-suppress autoVariables ; taken away again below */
    npart__parse_rule(parser, parser->line->keyword);
    if (has_root)
        npart__ask_of(parser, NULL);
}

/* The rules of defines. Each define's statements are read in its own scope and file, and the reading goes on where the
 * use stands. */
void npart__line_use(struct npart__parser *parser, const struct npart__value *is)
{
    (void)is;
    do {
        struct npart__scope scope;
        struct npart__reading before;
        if (!npart__enter_rules(parser, &scope, &before))
            return;
        parser->now.scope = &scope;
        read_statements(parser, scope.define->statements, scope.define->statement_count);
        parser->now = before;
        parser->oplist->path = before.path;
    } while (parser->status == NPART_OK && npart__peek(parser)->word->kind != NPART__TOKEN_END);
}

/* Of an op it counts for all rules without one of their own, wherever it stands; of a define for those above it. */
void npart__line_source_of_op(struct npart__parser *parser, const struct npart__value *is)
{
    if (parser->now.scope)
        npart__give_source(parser, parser->first_rule, is[0].text);
    else
        parser->op_source = is[0].text;
}

/* ---- ops ------------------------------------------------------------------------------------------------- */

/* The order of ops: by stage, domain, name, and version, so that what may stand twice stands
 * together. lib/plan/judge finds entries by the same order (compare_entry in judge.c). */
static int compare_entries(const struct npart__op_entry *a, const struct npart__op_entry *b)
{
    int order = a->stage != b->stage ? (int)a->stage - (int)b->stage : strcmp(a->domain, b->domain);
    if (order == 0)
        order = strcmp(a->name, b->name);
    return order ? order : NPART__ORDER(a->first_version, b->first_version);
}

/* A number that is there; false when the next word is none. `12`, `12..` or nothing; a fraction is told as a
 * mistake. */
static bool read_version(struct npart__parser *parser, int32_t *out)
{
    const struct npart__token *token = npart__peek(parser);
    if (token->word->kind != NPART__TOKEN_NUMBER)
        return false;
    if (!token->word->is_whole)
        npart__parse_fail(parser, token->column, "an opset is a whole number");
    *out = token->word->number < INT32_MAX ? (int32_t)token->word->number : INT32_MAX;
    parser->now.at++;
    return true;
}

/* An opset beyond 32 bits is every later one; none is so far. */
static bool read_versions(struct npart__parser *parser, int32_t *first, int32_t *last)
{
    uint64_t column = npart__peek(parser)->column;
    *first = 1;
    *last = INT32_MAX;
    if (read_version(parser, first)) {
        *last = *first;
        if (npart__accept(parser, NPART__TOKEN_MARK, "..") && !read_version(parser, last))
            *last = INT32_MAX;
    }
    if (*first > *last)
        npart__parse_fail(parser, column, "a range that ends before it begins");
    return parser->status == NPART_OK;
}

/* `entry` is on the caller's stack; what reads it (operands, attributes, ids of rules) is done when this returns. */
void npart__read_op_rules(struct npart__parser *parser, struct npart__op_entry *entry)
{
    /* The statements move the place of reading; the op's own line has more names to come. */
    struct npart__reading before = parser->now;
    npart__ask_of(parser, entry);
    parser->op_source = "";
    parser->first_rule = entry->first_rule;
    npart__read_block(parser);
    parser->op = NULL;
    parser->now = before;
    entry->rule_count = parser->oplist->rules.count - entry->first_rule;
    /* Of what is said more closely comes first: the rule's own, the op's, the list's. */
    npart__give_source(parser, entry->first_rule, *parser->op_source ? parser->op_source : parser->default_source);
}

/* One name of an `op` line, with the statements below it. Names of other domains than the
 * standard's and ONNX Runtime's are a library's own, and cannot be checked. Its statements are read with the op at
 * hand, once for each name on the line: rules have operands by number, which differ from op to op. */
static void read_op(struct npart__parser *parser, const struct npart__token *token, int32_t first, int32_t last)
{
    struct npart__oplist *oplist = parser->oplist;
    struct npart__op_entry entry = {.first_version = first,
                                    .last_version = last,
                                    .stage = parser->stage,
                                    .first_rule = oplist->rules.count,
                                    .line = parser->now.line,
                                    .column = token->column};
    size_t versions;
    if (!npart__split_op_name(parser, token->word->text, &entry.domain, &entry.name))
        return;
    bool is_standard = *entry.domain == '\0' || strcmp(entry.domain, "com.microsoft") == 0;
    if (is_standard && !npart__operator_versions(entry.domain, entry.name, &versions)) {
        npart__parse_fail(parser, token->column, "%s is no operator of the standard%s", token->word->text,
                          npart__hint_operator(parser, entry.domain, entry.name));
        return;
    }
    /* The source that holds where a stage's ops begin is that of "not in the list" as well. */
    if (!oplist->stages[parser->stage].has_ops)
        oplist->stages[parser->stage].source = parser->default_source;
    npart__end_statement(parser);
    if (!npart__put_off(parser, &entry))
        npart__read_op_rules(parser, &entry);
    NPART__KEEP(parser, &oplist->ops, entry);
    oplist->stages[parser->stage].has_ops = true;
}

/* The statements that follow are read for each name. A mistake in one name ends the line, or it would be told once for
 * each. */
void npart__line_op(struct npart__parser *parser, const struct npart__value *is)
{
    int32_t first, last;
    if (!read_versions(parser, &first, &last))
        return;
    npart__expect_end(parser);
    for (uint32_t i = 0; i < is[0].count && parser->status == NPART_OK; i++) {
        read_op(parser, &is[0].token[i], first, last);
        npart__end_statement(parser);
    }
}

/* What an op, a pattern or a define of rules holds. A statement that could not be lexed has been
 * told of, and is passed over. The place decides which keywords there are: in a rewrite, a pattern or an op. A form
 * has a pattern as well, so it is asked for first. */
static void read_statements(struct npart__parser *parser, struct npart__lexed_line *statements, uint32_t count)
{
    const struct npart__reading before = parser->now;
    /* A mistake ends its statement only, so that all of a list's are told at once. */
    for (uint32_t i = 0; i < count && !parser->must_stop; i++) {
        if (statements[i].is_broken)
            continue;
        npart__need_tokens(parser, &statements[i]);
        parser->now.line = statements[i].line;
        npart__read_range(parser, statements[i].range);
        if (parser->status == NPART_OK)
            npart__read_line(parser, parser->form ? IN_REWRITE : parser->pattern ? IN_PATTERN : IN_OP);
        npart__end_statement(parser);
    }
    parser->now = before;
}

void npart__read_block(struct npart__parser *parser)
{
    read_statements(parser, parser->block, parser->block_count);
}

/* Up to the next statement that stands in the list itself: a word that means nothing is told where it stands.
 * Statements are not indented by rule, so what belongs to an op is all up to the next keyword of the list itself. A
 * `source` line after the last rule of an op is therefore the op's, and not that of the ops below it. */
uint32_t npart__block_length(const struct npart__lexed_lines *statements, uint32_t first)
{
    for (uint32_t at = first; at < statements->of.count; at++) {
        const struct npart__word *word = statements->of.items[at].word;
        /* Most lines are of an op, whose keywords are found first. */
        const struct npart__line *line = npart__find_line(word, UINT32_MAX);
        if (line && (line->places & (IN_LIST | IN_REWRITES)) && strcmp(word->text, "source") != 0)
            return at - first;
    }
    return statements->of.count - first;
}

/* Mutually recursive with read_include, as deep as lists include each other. */
static void read_list(struct npart__parser *parser, const char *text, size_t bytes);

/* Another list's lines, as if they stood here; the ops that follow take the place
 * of its own. Reading another list within this one: the path changes for messages, and ops that
 * follow are this list's own. Its standing says that it is not the list that was verified. */
void npart__line_include(struct npart__parser *parser, const struct npart__value *is)
{
    const struct npart__builtin_oplist *list = npart__builtin_oplists;
    while (list->name && strcmp(list->name, is[0].text) != 0)
        list++;
    if (!list->name)
        npart__parse_fail(parser, is[0].token->column, "there is no target %s", is[0].text);
    else if (*parser->oplist->name)
        npart__parse_fail(parser, 1, "include stands before everything but the format");
    else if (++parser->include_depth > NPART__LIMIT_INCLUDE_DEPTH)
        npart__parse_fail(parser, 1, "lists include each other deeper than %u", NPART__LIMIT_INCLUDE_DEPTH);
    if (parser->status != NPART_OK)
        return;
    const struct npart__reading before = parser->now;
    const char *path = parser->oplist->path;
    parser->oplist->path = list->name;
    read_list(parser, (const char *)list->text, list->bytes);
    parser->oplist->path = path;
    parser->now = before;
    parser->include_depth--;
    /* Entries up to here give way to those that follow. */
    parser->included_ops = parser->oplist->ops.count;
    parser->stage = 0;
    parser->default_source = "";
    /* A `standing` line below says it in the list's own words. */
    if (!parser->must_stop)
        parser->oplist->verified = (struct npart__verified){
            .by = "",
            .note = npart__parse_text(parser, npart__arena_format(parser->arena, "%s's list, changed", list->name))};
}

/* False where it is none of this format. The first statement says the format, so that a file of a later one is
 * told as such and not by its first unknown word. */
static bool has_format(struct npart__parser *parser, const struct npart__lexed_line *first)
{
    const struct npart__range range = first ? first->range : (struct npart__range){0};
    bool is_right = range.count == 2 && strcmp(range.tokens[0].word->text, "format") == 0 &&
                    range.tokens[1].word->number == 1;
    if (first)
        parser->now.line = first->line;
    if (!is_right && parser->mistakes == 0)
        npart__parse_fail(parser, 1, "%s begins with `format 1`", parser->is_cost ? "a cost file" : "an op list");
    return is_right;
}

/* A cost file has a few keywords, and no sections. Included by no list and including none, so it is read line by
 * line. */
void npart__read_cost_lines(struct npart__parser *parser, const char *text, size_t bytes)
{
    struct npart__lexed_line statement;
    size_t offset = 0;
    uint32_t line = 0;
    parser->now.line = 0;
    bool is_there = npart__lex_next(parser, text, bytes, &offset, &statement);
    if (!has_format(parser, is_there ? &statement : NULL))
        return;
    for (;;) {
        if (!npart__lex_next(parser, text, bytes, &offset, &statement))
            return;
        line = parser->now.line; /* where the next begins; reading goes back to the statement's own */
        if (!statement.is_broken) {
            parser->now.line = statement.line;
            npart__read_range(parser, statement.range);
            npart__read_line(parser, IN_COST);
            npart__end_statement(parser);
        }
        parser->now.line = line;
    }
}

/* One file, or the text of an included list: all statements in their order, defines first, since they may be used
 * before the line that makes them. What begins a block takes the statements after it, so these are passed over here; so
 * are those after one that could not be lexed, which may have begun one. A list of rewrites has few keywords beside
 * `rewrite`, and no ops. */
static void read_list(struct npart__parser *parser, const char *text, size_t bytes)
{
    struct npart__lexed_lines statements = {.of = {NULL, 0, 0}};
    npart__lex(parser, text, bytes, &statements);
    if (!has_format(parser, statements.of.count ? statements.of.items : NULL))
        return;
    npart__find_defines(parser, &statements);
    for (uint32_t i = 1; i < statements.of.count && !parser->must_stop; i++) {
        struct npart__lexed_line *at = &statements.of.items[i];
        const struct npart__line *line = npart__find_line(at->word, IN_LIST | IN_REWRITES);
        uint32_t inner = 0;
        if (at->is_broken || (line && (line->places & BLOCK)))
            inner = npart__block_length(&statements, i + 1);
        if (!at->is_broken && !(line && line->read == npart__line_define)) {
            parser->block = at + 1;
            parser->block_count = inner;
            npart__need_tokens(parser, at);
            parser->now.line = at->line;
            npart__read_range(parser, at->range);
            npart__read_line(parser, parser->oplist->is_rewrites ? IN_REWRITES : IN_LIST);
            npart__end_statement(parser);
        }
        i += inner;
    }
}

/* Whether an entry of the included list gives way: to an op of the same name in this list,
 * whatever the versions, or to a `drop`. By name alone: a list that changes an op says all of it anew. Included
 * entries times own ones, which are few beside them. */
static bool is_replaced(const struct npart__parser *parser, const struct npart__op_entry *entry)
{
    const struct npart__oplist *oplist = parser->oplist;
    for (uint32_t i = parser->included_ops; i < oplist->ops.count; i++) {
        const struct npart__op_entry *own = &oplist->ops.items[i];
        if (own->stage == entry->stage && strcmp(own->name, entry->name) == 0 &&
            strcmp(own->domain, entry->domain) == 0)
            return true;
    }
    for (uint32_t i = 0; i + 1 < parser->dropped.count; i += 2)
        if (strcmp(parser->dropped.items[i], entry->domain) == 0 &&
            strcmp(parser->dropped.items[i + 1], entry->name) == 0)
            return true;
    return false;
}

static int compare_for_sort(const void *a, const void *b)
{
    return compare_entries(a, b);
}

/* Takes out the included ops that the list has of its own, or drops, and sorts what is left. Own entries that
 * overlap are a mistake, told for each pair of neighbours. */
static void sort_ops(struct npart__parser *parser)
{
    struct npart__oplist *oplist = parser->oplist;
    uint32_t kept = 0;
    if (parser->must_stop || oplist->ops.count == 0)
        return;
    for (uint32_t i = 0; i < oplist->ops.count; i++)
        if (i >= parser->included_ops || !is_replaced(parser, &oplist->ops.items[i]))
            oplist->ops.items[kept++] = oplist->ops.items[i];
    oplist->ops.count = kept;
    /* No two entries compare equal unless one of them is a mistake, so it does not matter that qsort is not stable. */
    qsort(oplist->ops.items, kept, sizeof *oplist->ops.items, compare_for_sort);
    /* Ranges of one op lie side by side now. If any two overlap, so do two neighbours: the first begins no later
     * than the second. */
    for (uint32_t i = 1; i < kept; i++) {
        const struct npart__op_entry *before = &oplist->ops.items[i - 1], *at = &oplist->ops.items[i];
        bool is_same = before->stage == at->stage && strcmp(before->domain, at->domain) == 0 &&
                       strcmp(before->name, at->name) == 0 && before->last_version >= at->first_version;
        /* The mistake is where the second one stands in the file; the message names the line of
         * the first. */
        bool is_later = before->column > at->column;
        if (is_same)
            npart__parse_fail(parser, is_later ? before->column : at->column, "op %s is there twice (line %u)",
                              at->name, is_later ? at->line : before->line);
        npart__end_statement(parser);
    }
}

/* Of a release that is older than all lines: the oldest of them may have been the first to take a node. */
static void add_older_rule(struct npart__parser *parser)
{
    struct npart__oplist *oplist = parser->oplist;
    oplist->older_rule = NPART_NONE;
    if (!oplist->toolchains.count || parser->status != NPART_OK)
        return;
    const char *sentence = npart__parse_text(
        parser, npart__arena_format(parser->arena, "the release must be %s or later", oplist->toolchains.items[0]));
    oplist->older_rule = npart__add_unwritten_rule(parser, "older-release", sentence, NPART_ABOUT_POLICY, 0);
    if (parser->status != NPART_OK)
        return;
    oplist->rules.items[oplist->older_rule].kind = NPART_RULE_MAYBE;
    oplist->rules.items[oplist->older_rule].because = "what older releases take is not known";
    oplist->rules.items[oplist->older_rule].source = "";
}

/* What can be known only when all has been read. Rules that no line spells out follow the
 * written ones: missing entries, the partitioner's reasons, the user's own placements. A list with mistakes is not
 * completed: it is not used either. */
static void check_whole(struct npart__parser *parser)
{
    struct npart__oplist *oplist = parser->oplist;
    if (parser->mistakes || parser->status != NPART_OK)
        return;
    if (!*oplist->name)
        npart__parse_fail(parser, 1, "there is no target line");
    if (!oplist->late) /* what uses them has been read */
        npart__check_defines(parser);
    /* Rules from here on stand in no line of the list, so counts of its rules end here. */
    oplist->written_rule_count = oplist->rules.count;
    for (uint32_t i = 0; i < oplist->stage_count && parser->status == NPART_OK; i++) {
        const char *sentence = *oplist->stages[i].sentence ? oplist->stages[i].sentence : "not supported by the target";
        oplist->stages[i].missing_rule =
            npart__add_unwritten_rule(parser, oplist->stages[i].missing, sentence, NPART_ABOUT_OP, (uint8_t)i);
        /* NULL of a stage without ops: its missing rule has the source that was said last. */
        if (parser->status == NPART_OK && oplist->stages[i].source)
            oplist->rules.items[oplist->stages[i].missing_rule].source = oplist->stages[i].source;
    }
    add_older_rule(parser);
    npart__resolve_line_stages(parser);
    npart__add_partitioner_rules(parser);
    oplist->assumed_cpu_rule =
        npart__add_unwritten_rule(parser, "assumed-cpu", "placed on the CPU by the user", NPART_ABOUT_POLICY, 0);
    oplist->assumed_npu_rule =
        npart__add_unwritten_rule(parser, "assumed-npu", "placed on the NPU by the user", NPART_ABOUT_POLICY, 0);
    /* What the user says has no source but the user. */
    if (parser->status == NPART_OK) {
        oplist->rules.items[oplist->assumed_npu_rule].kind = NPART_RULE_NOTE;
        oplist->rules.items[oplist->assumed_npu_rule].source = "";
        oplist->rules.items[oplist->assumed_cpu_rule].source = "";
    }
    if (oplist->default_variant == NPART_NONE && oplist->variants.count)
        oplist->default_variant = 0;
}

/* Tokens have an arena of their own, which is gone when reading is over; texts that the list keeps are in its own. */
struct npart__parser *npart__begin_reading(struct npart__oplist *oplist, struct npart__arena *arena,
                                           const char *path, struct npart_error *error)
{
    struct npart__parser *parser = npart__arena_zeroed(arena, 1, sizeof *parser);
    if (!parser)
        return NULL;
    oplist->path = path;
    parser->oplist = oplist;
    parser->arena = arena;
    parser->error = error ? error : &parser->unused_error;
    parser->default_source = "";
    npart__arena_init(&parser->tokens_arena, &arena->allocator);
    if (npart__begin_words(parser))
        return parser;
    npart__arena_clear(&parser->tokens_arena);
    npart__arena_release(arena, parser);
    return NULL;
}

/* With a listener `status` is taken back after each statement, so the count of mistakes says whether there were any. */
npart_status npart__end_reading(struct npart__parser *parser)
{
    npart_status status = parser->status == NPART_OK && parser->mistakes ? NPART_ERROR_OPLIST : parser->status;
    npart__arena_clear(&parser->tokens_arena);
    npart__arena_release(parser->arena, parser);
    return status;
}

/* Room for what a list of that length has at most, of those that are built in: it need not be copied as it grows, and
 * must not be once other threads look at it (late.c). What is not used is never touched. Longer lists grow from there.
 */
static void make_room(struct npart__parser *parser, size_t bytes)
{
    const size_t most = (size_t)256 << 10, bytes_a_term = 4, bytes_a_rule = 64, bytes_a_selector = 48;
    size_t counted = bytes < most ? bytes : most;
    if (!NPART__RESERVE(parser->arena, &parser->oplist->terms, counted / bytes_a_term) ||
        !NPART__RESERVE(parser->arena, &parser->oplist->selectors, counted / bytes_a_selector) ||
        !NPART__RESERVE(parser->arena, &parser->oplist->rules, counted / bytes_a_rule))
        npart__parse_out_of_memory(parser);
}

/* Without a `gate` line there is one stage, called `configuration`; a first `gate` line takes its place. */
static npart_status read_whole(const char *text, size_t bytes, const char *path, struct npart__arena *arena,
                               struct npart__oplist *out, const struct npart__listener *listener, bool is_builtin,
                               struct npart_error *error)
{
    *out = (struct npart__oplist){.arena = arena,
                                  .name = "",
                                  .title = "",
                                  .source = "",
                                  .verified = {.by = "", .note = ""},
                                  .standing = "",
                                  .unit = "NPU",
                                  .on_unit = "on the NPU",
                                  .beside = "CPU",
                                  .layout = "",
                                  .default_variant = NPART_NONE,
                                  .bodies_rule = NPART_NONE,
                                  .integer_rule = NPART_NONE,
                                  .stage_count = 1,
                                  .stages = {{.name = "configuration",
                                             .missing = "builder",
                                             .sentence = "",
                                             .missing_rule = NPART_NONE,
                                             .when = NPART__ALWAYS}}};
    struct npart__parser *parser = npart__begin_reading(out, arena, path, error);
    if (!parser)
        return npart__fail_memory(error);
    parser->listener = listener;
    parser->is_builtin = is_builtin;
    parser->asks_names = is_builtin && strstr(text, "name(");
    if (bytes > NPART__LIMIT_OPLIST_BYTES)
        npart__parse_fail(parser, 1, "larger than %zu bytes", NPART__LIMIT_OPLIST_BYTES);
    else
        make_room(parser, bytes);
    if (parser->status == NPART_OK)
        read_list(parser, text, bytes);
    sort_ops(parser);
    check_whole(parser);
    out->standing = npart__parse_text(parser, npart__standing_text(arena, out));
    /* After the limit mistakes are only counted. */
    if (listener && parser->mistakes > NPART__LIMIT_MISTAKES)
        npart__tell_how_many(parser);
    if (out->late && parser->status == NPART_OK && !parser->mistakes) {
        npart__end_late(parser);
        return NPART_OK;
    }
    npart_status status = npart__end_reading(parser);
    if (out->late)
        npart__late_free(out->late);
    out->late = NULL;
    if (status == NPART_OK)
        NPART__CHECK(npart__check_oplist(out));
    return status;
}

npart_status npart__oplist_read(const char *text, size_t bytes, const char *path, struct npart__arena *arena,
                                struct npart__oplist *out, const struct npart__listener *listener,
                                struct npart_error *error)
{
    return read_whole(text, bytes, path, arena, out, listener, false, error);
}

npart_status npart__oplist_open(const struct npart__builtin_oplist *list, const char *name, struct npart__arena *arena,
                                struct npart__oplist *out, struct npart_error *error)
{
    return read_whole((const char *)list->text, list->bytes, name, arena, out, NULL, true, error);
}

bool npart__is_builtin(const struct npart__oplist *list)
{
    size_t length = strlen(list->name);
    for (const struct npart__builtin_oplist *at = npart__builtin_oplists; at->name; at++)
        if (strcmp(at->name, list->name) == 0)
            return strncmp(list->path, list->name, length) == 0 && strcmp(list->path + length, ".ops") == 0;
    return false;
}
