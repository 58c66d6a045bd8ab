/* SPDX-License-Identifier: Apache-2.0
 *
 * Op lists, section by section. Every line begins with a keyword of the table below; what an op or a group holds is
 * read again for each op that it serves, so that operand names are checked against that op.
 */
#include <stdio.h>
#include <stdlib.h>

#include "oplist/parse.h"

/* ---- lines of an op or a group ---------------------------------------------------------------------------- */

/* `lexed`: the place of a block that comes again among those that have been lexed, plus one; NULL: it comes once. */
static void read_block(struct npart__parser *parser, size_t start, size_t end, uint32_t line, uint32_t *lexed);

static void line_need(struct npart__parser *parser)
{
    npart__parse_rule(parser, NPART__RULE_NEED);
}

static void line_maybe(struct npart__parser *parser)
{
    npart__parse_rule(parser, NPART__RULE_CAP);
}

static void line_note(struct npart__parser *parser)
{
    npart__parse_rule(parser, NPART__RULE_NOTE);
}

static void line_unit(struct npart__parser *parser)
{
    npart__parse_rule(parser, NPART__RULE_UNIT);
}

static void line_signature(struct npart__parser *parser)
{
    (void)npart__expect(parser, NPART__TOKEN_WORD, "the signature's name");
    npart__expect_end(parser);
    parser->signature = ++parser->op->signature_count;
}

static void line_use(struct npart__parser *parser)
{
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "a group");
    npart__expect_end(parser);
    if (parser->status != NPART_OK)
        return;
    for (uint32_t i = 0; i < parser->groups.count; i++) {
        struct npart__group *group = &parser->groups.items[i];
        if (strcmp(group->name, token->text) != 0)
            continue;
        if (++parser->group_depth > NPART__LIMIT_GROUP_DEPTH) {
            npart__parse_fail(parser, token->column, "groups use each other deeper than %u",
                              NPART__LIMIT_GROUP_DEPTH);
            return;
        }
        uint32_t line = parser->line;
        const char *text = parser->text;
        size_t bytes = parser->bytes;
        group->is_used = true;
        parser->text = group->text; /* of an included list, perhaps */
        parser->bytes = group->bytes;
        read_block(parser, group->start, group->end, group->line, &group->lexed);
        parser->text = text;
        parser->bytes = bytes;
        if (parser->status == NPART_OK)
            parser->line = line;
        parser->group_depth--;
        return;
    }
    npart__parse_fail(parser, token->column, "there is no group %s", token->text);
}

static void line_source_of_op(struct npart__parser *parser)
{
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_STRING, "a source");
    npart__expect_end(parser);
    if (token && parser->group_depth == 0)
        parser->op_source = token->text;
    /* A group's source is that of the rules it has added. */
    for (uint32_t i = parser->oplist->rules.count; token && parser->group_depth && i-- > parser->first_rule;)
        if (!*parser->oplist->rules.items[i].source)
            parser->oplist->rules.items[i].source = token->text;
}

/* ---- ops ------------------------------------------------------------------------------------------------- */

static int compare_entries(const struct npart__op_entry *a, const struct npart__op_entry *b)
{
    int order = a->gate != b->gate ? (int)a->gate - (int)b->gate : strcmp(a->domain, b->domain);
    if (order == 0)
        order = strcmp(a->name, b->name);
    return order ? order : (a->first_version > b->first_version) - (a->first_version < b->first_version);
}

/* A number that is there; false when the next word is none. */
static bool read_version(struct npart__parser *parser, int32_t *out)
{
    const struct npart__token *token = npart__peek(parser);
    if (token->kind != NPART__TOKEN_NUMBER)
        return false;
    if (!token->is_whole)
        npart__parse_fail(parser, token->column, "an opset is a whole number");
    *out = token->number < INT32_MAX ? (int32_t)token->number : INT32_MAX;
    parser->at++;
    return true;
}

bool npart__read_versions(struct npart__parser *parser, int32_t *first, int32_t *last)
{
    uint32_t column = npart__peek(parser)->column;
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

static void read_op(struct npart__parser *parser, const struct npart__token *token, int32_t first, int32_t last,
                    size_t start, size_t end, uint32_t *lexed)
{
    struct npart__oplist *oplist = parser->oplist;
    struct npart__op_entry entry = {.first_version = first,
                                    .last_version = last,
                                    .gate = parser->gate,
                                    .first_rule = oplist->rules.count,
                                    .line = parser->line};
    size_t count;
    npart__split_op_name(token->text, &entry.domain, &entry.name, parser->arena);
    if (!entry.domain) {
        npart__parse_out_of_memory(parser);
        return;
    }
    bool is_standard = *entry.domain == '\0' || strcmp(entry.domain, "com.microsoft") == 0;
    if (is_standard && !npart__operator_versions(entry.domain, entry.name, &count)) {
        npart__parse_fail(parser, token->column, "%s is no operator of the standard", token->text);
        return;
    }
    if (oplist->ops.count > (parser->include_depth ? 0 : parser->included_ops)) {
        const struct npart__op_entry *before = &oplist->ops.items[oplist->ops.count - 1];
        int order = compare_entries(before, &entry);
        bool same_op = before->gate == entry.gate && strcmp(before->domain, entry.domain) == 0 &&
                       strcmp(before->name, entry.name) == 0;
        if (same_op && before->last_version >= first)
            npart__parse_fail(parser, token->column, "op %s is there twice (line %u)", token->text, before->line);
        else if (order > 0)
            npart__parse_fail(parser, token->column, "op %s should come before %s (line %u): sort the ops",
                              token->text, before->name, before->line);
    }
    if (!oplist->gates[parser->gate].has_ops)
        oplist->gates[parser->gate].source = parser->default_source;
    uint32_t line = parser->line;
    parser->op = &entry;
    parser->op_source = "";
    parser->signature = 0;
    parser->first_rule = entry.first_rule;
    parser->first_selector = oplist->selectors.count;
    read_block(parser, start, end, line + 1, lexed);
    parser->op = NULL;
    if (parser->status != NPART_OK)
        return;
    parser->line = line;
    entry.rule_count = oplist->rules.count - entry.first_rule;
    for (uint32_t i = entry.first_rule; i < oplist->rules.count; i++)
        if (!*oplist->rules.items[i].source)
            oplist->rules.items[i].source = *parser->op_source ? parser->op_source : parser->default_source;
    if (!NPART__PUSH(parser->arena, &oplist->ops, entry))
        npart__parse_out_of_memory(parser);
    oplist->gates[parser->gate].has_ops = true;
}

/* op NAME... [OPSETS]: the lines up to the next top-level one are read for each name. */
static void line_op(struct npart__parser *parser, size_t start, size_t end)
{
    struct npart__token names[64];
    uint32_t count = 0, lexed = 0;
    int32_t first, last;
    while (npart__peek(parser)->kind == NPART__TOKEN_WORD) {
        if (count == NPART__COUNT(names)) {
            npart__parse_fail(parser, npart__peek(parser)->column, "more than %zu ops on a line",
                              NPART__COUNT(names));
            return;
        }
        names[count++] = parser->tokens[parser->at++];
    }
    if (count == 0)
        npart__parse_fail(parser, npart__peek(parser)->column, "expected an op, found %s", npart__peek(parser)->text);
    if (!npart__read_versions(parser, &first, &last))
        return;
    npart__expect_end(parser);
    for (uint32_t i = 0; i < count && parser->status == NPART_OK; i++)
        read_op(parser, &names[i], first, last, start, end, count > 1 ? &lexed : NULL);
}

/* pattern or failure NAME "sentence": the lines up to the next top-level one. */
static void line_pattern(struct npart__parser *parser, bool is_failure, size_t start, size_t end)
{
    struct npart__pattern pattern = {.name = ""};
    uint32_t line = parser->line;
    npart__line_pattern(parser, is_failure, &pattern);
    if (parser->status != NPART_OK)
        return;
    parser->pattern = &pattern;
    parser->first_rule = pattern.first_rule;
    parser->signature = 0;
    parser->first_selector = parser->oplist->selectors.count;
    read_block(parser, start, end, line + 1, NULL);
    npart__end_pattern(parser);
    parser->pattern = NULL;
    if (parser->status != NPART_OK)
        return;
    const char *source = parser->oplist->rules.items[pattern.unit_rule].source;
    for (uint32_t i = pattern.first_rule; i < parser->oplist->rules.count; i++)
        if (!*parser->oplist->rules.items[i].source)
            parser->oplist->rules.items[i].source = source;
    if (!NPART__PUSH(parser->arena, &parser->oplist->patterns, pattern))
        npart__parse_out_of_memory(parser);
}

/* ---- dispatch -------------------------------------------------------------------------------------------- */

/* Where a line may stand. */
enum { IN_LIST = 1, IN_OP = 2, IN_PATTERN = 4 };

static const struct {
    const char *word;
    void (*read)(struct npart__parser *parser);
    unsigned places;
} keywords[] = {
    {"target", npart__line_target, IN_LIST},
    {"source", npart__line_source, IN_LIST},
    {"toolchain", npart__line_toolchain, IN_LIST},
    {"standing", npart__line_standing, IN_LIST},
    {"switches", npart__line_switches, IN_LIST},
    {"variants", npart__line_variants, IN_LIST},
    {"variant", npart__line_variant, IN_LIST},
    {"default", npart__line_default, IN_LIST},
    {"partitioner", npart__line_partitioner, IN_LIST},
    {"partitions", npart__line_partitions, IN_LIST},
    {"fallback", npart__line_fallback, IN_LIST},
    {"bodies", npart__line_bodies, IN_LIST},
    {"integer-only", npart__line_integer_only, IN_LIST},
    {"functions", npart__line_functions, IN_LIST},
    {"layout", npart__line_layout, IN_LIST},
    {"through", npart__line_through, IN_LIST},
    {"moved", npart__line_moved, IN_LIST},
    {"param", npart__line_param, IN_LIST},
    {"limit", npart__line_limit, IN_LIST},
    {"rewriting", npart__line_rewriting, IN_LIST},
    {"runtime", npart__line_runtime, IN_LIST},
    {"gate", npart__line_gate, IN_LIST},
    {"every", npart__line_every, IN_LIST},
    {"set", npart__line_set, IN_LIST},
    {"drop", npart__line_drop, IN_LIST},
    {"need", line_need, IN_OP | IN_PATTERN},
    {"maybe", line_maybe, IN_OP},
    {"note", line_note, IN_OP},
    {"unit", line_unit, IN_OP},
    {"signature", line_signature, IN_OP},
    {"use", line_use, IN_OP},
    {"source", line_source_of_op, IN_OP},
    {"let", npart__line_let, IN_PATTERN},
    {"share", npart__line_share, IN_PATTERN},
    {"match", npart__line_match, IN_PATTERN},
    {"of", npart__line_of, IN_PATTERN},
    {"advice", npart__line_advice, IN_PATTERN},
};

/* Replaces the names of sets by their words. */
static void expand_sets(struct npart__parser *parser)
{
    if (parser->sets.count == 0 || parser->status != NPART_OK)
        return;
    bool is_set = strcmp(parser->tokens[0].text, "set") == 0; /* its own name stays */
    for (uint32_t i = is_set ? 2 : 1; i < parser->token_count; i++) {
        for (uint32_t k = 0; k < parser->sets.count; k++) {
            const struct npart__word_set *set = &parser->sets.items[k];
            struct npart__token *token = &parser->tokens[i];
            bool is_label = token[1].kind == NPART__TOKEN_MARK && strcmp(token[1].text, ":") == 0;
            if (token->kind != NPART__TOKEN_WORD || is_label || !npart__same_text(token->text, set->name))
                continue;
            if (parser->token_count + set->token_count >= NPART__LIMIT_TOKENS) {
                npart__parse_fail(parser, token->column, "more than %u words on a line", NPART__LIMIT_TOKENS - 1);
                return;
            }
            uint32_t column = token->column;
            memmove(token + set->token_count, token + 1, (parser->token_count - i) * sizeof *token);
            for (uint32_t j = 0; j < set->token_count; j++) {
                token[j] = parser->set_tokens.items[set->first_token + j];
                token[j].column = column;
            }
            parser->token_count += set->token_count - 1;
            i += set->token_count - 1;
            break;
        }
    }
}

static void dispatch(struct npart__parser *parser, unsigned place)
{
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "a keyword");
    if (!token)
        return;
    for (size_t i = 0; i < NPART__COUNT(keywords); i++) {
        if ((keywords[i].places & place) && npart__same_text(keywords[i].word, token->text)) {
            expand_sets(parser);
            keywords[i].read(parser);
            if (parser->status == NPART_OK && place == IN_LIST)
                npart__expect_end(parser);
            return;
        }
    }
    npart__parse_fail(parser, token->column, "%s is no keyword here", token->text);
}

/* Keeps the tokens of a block's lines; false after a failure. */
static bool lex_block(struct npart__parser *parser, size_t start, size_t end, uint32_t line)
{
    struct npart__lexed_block block = {{0}};
    size_t offset = start;
    parser->line = line - 1;
    while (offset < end && parser->status == NPART_OK) {
        npart__lex_line(parser, &offset, end);
        if (parser->token_count == 0 || parser->status != NPART_OK)
            continue;
        struct npart__lexed_line lexed = {.line = parser->line,
                                          .first_token = parser->lexed_tokens.count,
                                          .token_count = parser->token_count + 1};
        if (!NPART__RESERVE(parser->arena, &parser->lexed_tokens, lexed.token_count) ||
            !NPART__PUSH(parser->arena, &block.lines, lexed)) {
            npart__parse_out_of_memory(parser);
            return false;
        }
        memcpy(parser->lexed_tokens.items + lexed.first_token, parser->tokens,
               lexed.token_count * sizeof *parser->tokens);
        parser->lexed_tokens.count += lexed.token_count;
    }
    if (parser->status == NPART_OK && !NPART__PUSH(parser->arena, &parser->blocks, block))
        npart__parse_out_of_memory(parser);
    return parser->status == NPART_OK;
}

/* Groups, and the lines of ops that share them, are read for each op: lexed once. */
static void read_lexed_block(struct npart__parser *parser, size_t start, size_t end, uint32_t line, uint32_t *lexed)
{
    if (*lexed == 0 && !lex_block(parser, start, end, line))
        return;
    if (*lexed == 0)
        *lexed = parser->blocks.count;
    const uint32_t index = *lexed - 1;
    for (uint32_t i = 0; i < parser->blocks.items[index].lines.count && parser->status == NPART_OK; i++) {
        const struct npart__lexed_line at = parser->blocks.items[index].lines.items[i];
        memcpy(parser->tokens, parser->lexed_tokens.items + at.first_token, at.token_count * sizeof *parser->tokens);
        parser->token_count = at.token_count - 1;
        parser->at = 0;
        parser->line = at.line;
        if (++parser->lines_again > NPART__LIMIT_LINES_AGAIN)
            npart__parse_fail(parser, 1, "groups, and ops that share lines, stand for more than %u lines",
                              NPART__LIMIT_LINES_AGAIN);
        else
            dispatch(parser, parser->pattern ? IN_PATTERN : IN_OP);
    }
}

static void read_block(struct npart__parser *parser, size_t start, size_t end, uint32_t line, uint32_t *lexed)
{
    size_t offset = start;
    if (lexed) {
        read_lexed_block(parser, start, end, line, lexed);
        return;
    }
    parser->line = line - 1;
    while (offset < end && parser->status == NPART_OK) {
        npart__lex_line(parser, &offset, end);
        if (parser->token_count && parser->status == NPART_OK)
            dispatch(parser, parser->pattern ? IN_PATTERN : IN_OP);
    }
}

static bool is_inner_keyword(const char *word)
{
    for (size_t i = 0; i < NPART__COUNT(keywords); i++)
        if ((keywords[i].places & (IN_OP | IN_PATTERN)) && npart__same_text(keywords[i].word, word))
            return true;
    return false;
}

/* The end of the line at `offset`, behind its newline; a line that ends in \ goes on. */
static size_t line_end(const struct npart__parser *parser, size_t offset)
{
    for (;;) {
        const char *line = parser->text + offset, *newline = memchr(line, '\n', parser->bytes - offset);
        size_t length = newline ? (size_t)(newline - line) : parser->bytes - offset;
        offset += length + (newline ? 1 : 0);
        while (length > 0 && (line[length - 1] == '\r' || line[length - 1] == ' '))
            length--;
        if (offset >= parser->bytes || length == 0 || line[length - 1] != '\\')
            return offset;
    }
}

/* The first word of a line, into `word`; "" for a blank line or a comment. */
static void first_word(const struct npart__parser *parser, size_t offset, size_t end, char *word, size_t bytes)
{
    size_t length = 0;
    while (offset < end && (parser->text[offset] == ' ' || parser->text[offset] == '\t'))
        offset++;
    while (offset < end && length + 1 < bytes && parser->text[offset] >= 'a' && parser->text[offset] <= 'z')
        word[length++] = parser->text[offset++];
    word[length] = '\0';
}

/* Where the block that begins at `offset` ends: at the first line with a keyword that no op or group holds. */
static size_t block_end(const struct npart__parser *parser, size_t offset)
{
    while (offset < parser->bytes) {
        size_t end = line_end(parser, offset);
        char word[16];
        first_word(parser, offset, end, word, sizeof word);
        if (*word && !is_inner_keyword(word))
            break;
        offset = end;
    }
    return offset;
}

static uint32_t lines_between(const struct npart__parser *parser, size_t from, size_t to)
{
    uint32_t lines = 0;
    for (; from < to; from++)
        lines += parser->text[from] == '\n';
    return lines;
}

static void skip_group(struct npart__parser *parser)
{
    (void)npart__expect(parser, NPART__TOKEN_WORD, "the group's name");
    npart__expect_end(parser);
}

/* Groups may be used before they are written: their places are noted first. */
static void find_groups(struct npart__parser *parser)
{
    uint32_t line = 1;
    for (size_t offset = 0, next; offset < parser->bytes && parser->status == NPART_OK; offset = next) {
        char word[16];
        next = line_end(parser, offset);
        first_word(parser, offset, next, word, sizeof word);
        if (strcmp(word, "group") == 0) {
            size_t at = offset;
            parser->line = line - 1;
            npart__lex_line(parser, &at, parser->bytes);
            struct npart__group group = {.name = parser->token_count > 1 ? parser->tokens[1].text : "",
                                         .text = parser->text,
                                         .bytes = parser->bytes,
                                         .start = at,
                                         .line = parser->line + 1,
                                         .end = block_end(parser, at)};
            for (uint32_t i = 0; i < parser->groups.count; i++)
                if (strcmp(parser->groups.items[i].name, group.name) == 0)
                    npart__parse_fail(parser, 1, "group %s is there twice", group.name);
            if (parser->groups.count == NPART__LIMIT_GROUPS)
                npart__parse_fail(parser, 1, "more than %u groups", NPART__LIMIT_GROUPS);
            else if (!NPART__PUSH(parser->arena, &parser->groups, group))
                npart__parse_out_of_memory(parser);
        }
        line += lines_between(parser, offset, next);
    }
}

static void read_sections(struct npart__parser *parser);

/* include NAME: another list's lines, as if they stood here; the ops that follow take the place of its own. */
static void read_include(struct npart__parser *parser)
{
    const struct npart__builtin_oplist *list = npart__builtin_oplists;
    const struct npart__token *token = npart__expect(parser, NPART__TOKEN_WORD, "a target's name");
    npart__expect_end(parser);
    if (!token)
        return;
    while (list->name && strcmp(list->name, token->text) != 0)
        list++;
    if (!list->name)
        npart__parse_fail(parser, token->column, "there is no target %s", token->text);
    else if (*parser->oplist->name)
        npart__parse_fail(parser, 1, "include stands before everything but the format");
    else if (++parser->include_depth > NPART__LIMIT_INCLUDE_DEPTH)
        npart__parse_fail(parser, 1, "lists include each other deeper than %u", NPART__LIMIT_INCLUDE_DEPTH);
    if (parser->status != NPART_OK)
        return;
    const struct npart__parser outer = {.text = parser->text, .bytes = parser->bytes, .line = parser->line};
    const char *path = parser->oplist->path;
    parser->text = (const char *)list->text;
    parser->bytes = list->bytes;
    parser->oplist->path = list->name;
    find_groups(parser);
    if (parser->status == NPART_OK)
        read_sections(parser);
    parser->oplist->path = path;
    parser->text = outer.text;
    parser->bytes = outer.bytes;
    parser->line = outer.line;
    parser->include_depth--;
    parser->included_ops = parser->oplist->ops.count;
    parser->gate = 0;
    parser->default_source = "";
    if (parser->status != NPART_OK)
        return;
    parser->oplist->standing = npart__arena_format(parser->arena, "%s's list, changed", list->name);
    if (!parser->oplist->standing) {
        parser->oplist->standing = "";
        npart__parse_out_of_memory(parser);
    }
}

static void read_sections(struct npart__parser *parser)
{
    size_t offset = 0;
    bool has_format = false;
    parser->line = 0;
    while (offset < parser->bytes && parser->status == NPART_OK) {
        npart__lex_line(parser, &offset, parser->bytes);
        if (parser->token_count == 0 || parser->status != NPART_OK)
            continue;
        const char *word = parser->tokens[0].text;
        bool is_op = strcmp(word, "op") == 0, is_group = strcmp(word, "group") == 0;
        bool is_failure = strcmp(word, "failure") == 0, is_pattern = is_failure || strcmp(word, "pattern") == 0;
        if (!has_format) {
            bool is_format = parser->token_count == 2 && strcmp(word, "format") == 0 && parser->tokens[1].number == 1;
            if (!is_format)
                npart__parse_fail(parser, 1, "an op list begins with `format 1`");
            has_format = true;
        } else if (is_op || is_group || is_pattern) {
            size_t end = block_end(parser, offset);
            uint32_t line = parser->line;
            parser->at = 1;
            if (!is_group && !*parser->oplist->name)
                npart__parse_fail(parser, 1, "the target's line comes before its ops");
            else if (is_op)
                line_op(parser, offset, end);
            else if (is_pattern)
                line_pattern(parser, is_failure, offset, end);
            else
                skip_group(parser);
            if (parser->status == NPART_OK)
                parser->line = line + lines_between(parser, offset, end);
            offset = end;
        } else if (strcmp(word, "include") == 0) {
            parser->at = 1;
            read_include(parser);
        } else {
            dispatch(parser, IN_LIST);
        }
    }
    if (parser->status == NPART_OK && !has_format)
        npart__parse_fail(parser, 1, "an op list begins with `format 1`");
}

static bool is_replaced(const struct npart__parser *parser, const struct npart__op_entry *entry)
{
    const struct npart__oplist *oplist = parser->oplist;
    for (uint32_t i = parser->included_ops; i < oplist->ops.count; i++) {
        const struct npart__op_entry *own = &oplist->ops.items[i];
        if (own->gate == entry->gate && strcmp(own->name, entry->name) == 0 &&
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

/* Takes out the included ops that the list has of its own, or drops, and sorts what is left. */
static void merge_included(struct npart__parser *parser)
{
    struct npart__oplist *oplist = parser->oplist;
    uint32_t kept = 0;
    if (parser->included_ops == 0 || parser->status != NPART_OK)
        return;
    for (uint32_t i = 0; i < oplist->ops.count; i++)
        if (i >= parser->included_ops || !is_replaced(parser, &oplist->ops.items[i]))
            oplist->ops.items[kept++] = oplist->ops.items[i];
    oplist->ops.count = kept;
    qsort(oplist->ops.items, kept, sizeof *oplist->ops.items, compare_for_sort);
}

static void check_whole(struct npart__parser *parser)
{
    struct npart__oplist *oplist = parser->oplist;
    if (parser->status != NPART_OK)
        return;
    if (!*oplist->name)
        npart__parse_fail(parser, 1, "there is no target line");
    for (uint32_t i = 0; i < parser->groups.count; i++) {
        if (parser->groups.items[i].is_used)
            continue;
        parser->line = parser->groups.items[i].line - 1;
        npart__parse_fail(parser, 1, "group %s is never used", parser->groups.items[i].name);
    }
    oplist->written_rule_count = oplist->rules.count;
    for (uint32_t i = 0; i < oplist->gate_count && parser->status == NPART_OK; i++) {
        const char *sentence = *oplist->gates[i].sentence ? oplist->gates[i].sentence : "the target has no such op";
        oplist->gates[i].missing_rule =
            npart__add_unwritten_rule(parser, oplist->gates[i].missing, sentence, NPART__ABOUT_OP, (uint8_t)i);
        if (parser->status == NPART_OK && oplist->gates[i].source)
            oplist->rules.items[oplist->gates[i].missing_rule].source = oplist->gates[i].source;
    }
    npart__resolve_line_gates(parser);
    npart__add_partitioner_rules(parser);
    oplist->assumed_cpu_rule =
        npart__add_unwritten_rule(parser, "assumed-cpu", "assumed to run on the CPU", NPART__ABOUT_POLICY, 0);
    oplist->assumed_npu_rule =
        npart__add_unwritten_rule(parser, "assumed-npu", "assumed to run on the NPU", NPART__ABOUT_POLICY, 0);
    if (parser->status == NPART_OK) {
        oplist->rules.items[oplist->assumed_npu_rule].kind = NPART__RULE_NOTE;
        oplist->rules.items[oplist->assumed_npu_rule].source = "";
        oplist->rules.items[oplist->assumed_cpu_rule].source = "";
    }
    if (oplist->default_variant == NPART_NONE && oplist->variants.count)
        oplist->default_variant = 0;
}

npart_status npart__oplist_read(const char *text, size_t bytes, const char *path, struct npart__arena *arena,
                                struct npart__oplist *out, struct npart_error *error)
{
    struct npart_error unused;
    struct npart__parser *parser = npart__arena_zeroed(arena, 1, sizeof *parser);
    if (!parser)
        return npart__fail_memory(error);
    memset(out, 0, sizeof *out);
    out->arena = arena;
    out->path = path;
    out->name = out->title = out->source = out->standing = out->layout = "";
    out->default_variant = out->bodies_rule = out->integer_rule = NPART_NONE;
    out->gate_count = 1;
    out->gates[0] = (struct npart__gate){.name = "configuration",
                                         .missing = "builder",
                                         .sentence = "",
                                         .missing_rule = NPART_NONE,
                                         .when = NPART__ALWAYS};
    parser->oplist = out;
    parser->arena = arena;
    parser->error = error ? error : &unused;
    parser->text = text;
    parser->bytes = bytes;
    parser->default_source = "";
    if (bytes > NPART__LIMIT_OPLIST_BYTES)
        npart__parse_fail(parser, 1, "larger than %zu bytes", NPART__LIMIT_OPLIST_BYTES);
    if (parser->status == NPART_OK)
        find_groups(parser);
    if (parser->status == NPART_OK)
        read_sections(parser);
    merge_included(parser);
    check_whole(parser);
    npart_status status = parser->status;
    npart__arena_release(arena, parser);
    return status;
}
