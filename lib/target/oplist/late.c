/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules that are read when a node first asks for them. A list has a hundred operators and a model ten; what is built in
 * is known to have no mistakes (each list is read as a whole by test/unit/test_late_rules.c), so the lines of an op are
 * kept as words until then. A user's own list is read as a whole, as every mistake is to be told.
 *
 * Entries, the numbers of rules and all else of the list are there from the start: how many rules an op has is counted
 * without reading them, and each is put where it would stand. The arrays that grow have room for all rules and are
 * never moved, so what other threads look at stays where it is; a thread that asks for an entry waits until it has been
 * read.
 */
#include <pthread.h>

#include "oplist/parse.h"

/* What an op's rules are read from. */
struct late_op {
    struct npart__lexed_line *block;
    uint32_t block_count;
    const char *default_source;
    bool is_read;
};

struct npart__late {
    pthread_mutex_t lock; /* of all below */
    bool has_failed;      /* memory was short when a node asked last */
    struct npart__parser *parser;
    struct npart__oplist list; /* what the parser adds to: the list's own arrays, with its own counts */
    struct NPART__ARRAY(struct late_op) ops;
};

/* ---- while the list is read --------------------------------------------------------------------------------- */

static uint32_t count_rules(struct npart__parser *parser, const struct npart__lexed_line *statements, uint32_t count);

/* Of the defines that a `use` line names. None uses itself in a list without mistakes. */
static uint32_t count_used(struct npart__parser *parser, const struct npart__range *line)
{
    uint32_t count = 0, open = 0;
    for (uint32_t i = 1; i < line->count; i++) {
        const struct npart__word *word = line->tokens[i].word;
        struct npart__define *define = word->defines[true] ? &parser->defines.items[word->defines[true] - 1] : NULL;
        open += word->kind == NPART__TOKEN_MARK && word->text[0] == '(';
        open -= word->kind == NPART__TOKEN_MARK && word->text[0] == ')';
        if (open || word->kind != NPART__TOKEN_WORD || !define)
            continue;
        if (!define->rules_counted) /* its lines are not moved while they are gone through */
            define->rules_counted = count_rules(parser, define->statements, define->statement_count) + 1;
        count += define->rules_counted - 1;
    }
    return count;
}

static uint32_t count_rules(struct npart__parser *parser, const struct npart__lexed_line *statements, uint32_t count)
{
    uint32_t rules = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct npart__line *line = npart__find_line(statements[i].word, IN_OP);
        rules += line && line->read == npart__line_rule;
        if (line && line->read == npart__line_use)
            rules += count_used(parser, &statements[i].range);
    }
    return rules;
}

/* Of a list that no compiler was asked about, its rules' sources say how far it is verified, so all are read. Whether
 * names are asked for decides how all nodes are grouped (equivalent.c), so that must be known from the start. */
static bool may_wait(const struct npart__parser *parser)
{
    return parser->is_builtin && !parser->include_depth && !parser->asks_names &&
           parser->oplist->verified.kind == NPART__VERIFIED_BY_COMPILER;
}

bool npart__put_off(struct npart__parser *parser, struct npart__op_entry *entry)
{
    struct npart__oplist *list = parser->oplist;
    if (!may_wait(parser))
        return false;
    struct late_op op = {parser->block, parser->block_count, parser->default_source, false};
    if (!list->late) {
        list->late = npart__arena_zeroed(parser->arena, 1, sizeof *list->late);
        if (list->late && pthread_mutex_init(&list->late->lock, NULL) != 0)
            list->late = NULL;
    }
    entry->rule_count = count_rules(parser, parser->block, parser->block_count);
    if (!list->late || !NPART__PUSH(&parser->tokens_arena, &list->late->ops, op) ||
        !NPART__RESERVE(parser->arena, &list->rules, entry->rule_count)) {
        npart__parse_out_of_memory(parser);
        return true;
    }
    entry->late = list->late->ops.count;
    memset(list->rules.items + list->rules.count, 0, entry->rule_count * sizeof *list->rules.items);
    list->rules.count += entry->rule_count;
    return true;
}

/* Tokens are needed as long as the list now, and texts that are made from here on lie with them. */
void npart__end_late(struct npart__parser *parser)
{
    struct npart__late *late = parser->oplist->late;
    late->list = *parser->oplist;
    late->parser = parser;
    parser->oplist = &late->list;
    parser->arena = &parser->tokens_arena;
    parser->error = &parser->unused_error;
}

void npart__late_free(void *payload)
{
    struct npart__late *late = payload;
    (void)pthread_mutex_destroy(&late->lock);
    if (late->parser)
        npart__arena_clear(&late->parser->tokens_arena);
}

bool npart__is_full(struct npart__parser *parser, uint32_t count, uint32_t capacity)
{
    bool is_full = parser->oplist->late && count == capacity;
    if (is_full)
        npart__parse_out_of_memory(parser);
    return is_full;
}

/* ---- afterwards --------------------------------------------------------------------------------------------- */

/* Under the lock; false when out of memory. What failed is read anew when it is asked for again, into the same room:
 * there is no more than for each op once. */
static bool read_op(struct npart__late *late, const struct npart__op_entry *entry)
{
    struct late_op *op = &late->ops.items[entry->late - 1];
    struct npart__parser *parser = late->parser;
    struct npart__op_entry own = *entry;
    if (op->is_read)
        return true;
    parser->status = NPART_OK;
    parser->must_stop = false;
    parser->now = (struct npart__reading){.line = entry->line};
    parser->stage = entry->stage;
    parser->default_source = op->default_source;
    parser->block = op->block;
    parser->block_count = op->block_count;
    parser->numbers.first_rule = NPART_NONE;
    late->list.rules.count = entry->first_rule;
    const struct npart__oplist before = late->list;
    npart__read_op_rules(parser, &own);
    op->is_read = parser->status == NPART_OK;
    if (!op->is_read) {
        memset(late->list.rules.items + entry->first_rule, 0, entry->rule_count * sizeof *late->list.rules.items);
        late->list = before;
    }
    NPART__ASSERT(!op->is_read || late->list.rules.count == entry->first_rule + entry->rule_count,
                  "op %s has not so many rules", entry->name);
    return op->is_read;
}

void npart__need_entry(const struct npart__oplist *list, uint32_t entry)
{
    const struct npart__op_entry *at = &list->ops.items[entry];
    if (!list->late || !at->late)
        return;
    (void)pthread_mutex_lock(&list->late->lock);
    list->late->has_failed = !read_op(list->late, at);
    (void)pthread_mutex_unlock(&list->late->lock);
}

static bool read_all(const struct npart__oplist *list)
{
    bool is_read = true;
    for (uint32_t i = 0; i < list->ops.count && is_read; i++)
        is_read = !list->ops.items[i].late || read_op(list->late, &list->ops.items[i]);
    list->late->list.rules.count = list->rules.count;
    if (is_read)
        NPART__CHECK(npart__check_oplist(&list->late->list));
    return is_read;
}

bool npart__need_rules(const struct npart__oplist *list, uint32_t rule)
{
    if (!list->late)
        return true;
    (void)pthread_mutex_lock(&list->late->lock);
    bool is_read = (rule != NPART_NONE && list->rules.items[rule].id) || read_all(list);
    (void)pthread_mutex_unlock(&list->late->lock);
    return is_read;
}

bool npart__has_failed_late(const struct npart__oplist *list)
{
    if (!list->late)
        return false;
    (void)pthread_mutex_lock(&list->late->lock);
    bool has_failed = list->late->has_failed;
    (void)pthread_mutex_unlock(&list->late->lock);
    return has_failed;
}
