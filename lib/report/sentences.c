/* SPDX-License-Identifier: Apache-2.0
 *
 * What documents say of causes and actions in the same words, and the table in which they count what they have said.
 */
#include "report/document.h"

/* Asked again with more room where what was found did not fit. */
const char *npart__read_cause(npart_document *document, const npart_plan *plan, uint32_t id, struct npart_cause *out)
{
    struct npart__buffer *scratch = &document->scratch;
    do
        (void)npart_plan_cause(plan, id, out, NPART__ROOM(scratch));
    while (npart__buffer_lacks(scratch, out->found_bytes));
    return npart__buffer_text(scratch);
}

/* "1 node is undecided", "3 nodes fail to compile"; where only some of them do "3 nodes fall back to the CPU (1 of them
 * fails to compile)". */
void npart__add_affected(struct npart__buffer *out, const struct npart_cause *cause)
{
    bool is_one = cause->affected_count == 1;
    bool is_mixed = cause->failing_count && cause->failing_count < cause->affected_count;
    npart__append_format(out, "%u node%s", cause->affected_count, is_one ? "" : "s");
    if (cause->is_unknown)
        npart__append_text(out, is_one ? " is undecided" : " are undecided");
    else if (cause->failing_count && !is_mixed)
        npart__append_text(out, is_one ? " fails to compile" : " fail to compile");
    else
        npart__append_text(out, is_one ? " falls back to the CPU" : " fall back to the CPU");
    if (is_mixed)
        npart__append_format(out, " (%u of them fail%s to compile)", cause->failing_count,
                             cause->failing_count == 1 ? "s" : "");
    if (cause->cut_count)
        npart__append_format(out, " and end%s %u partition%s", is_one ? "s" : "", cause->cut_count,
                             cause->cut_count == 1 ? "" : "s");
}

/* Steps stand before what may take a step's place, so the first action that names the cause is a step, if one does.
 * Takes as many steps as all actions have causes, for each cause that is told. */
/* Of all causes at once, since a document asks for each of them. */
static void list_actions(npart_document *document, const npart_advice *advice)
{
    struct npart_action at = {.size = sizeof at};
    document->advice = advice;
    document->actions.count = 0;
    for (uint32_t i = 0; npart_advice_action(advice, i, &at); i++)
        for (uint32_t k = 0; k < at.cause_count; k++) {
            while (document->actions.count <= at.causes[k])
                if (!NPART__PUSH(&document->arena, &document->actions, 0))
                    return;
            if (!document->actions.items[at.causes[k]])
                document->actions.items[at.causes[k]] = i + 1;
        }
}

bool npart__find_action(npart_document *document, const npart_advice *advice, uint32_t cause, struct npart_action *out)
{
    if (document->advice != advice)
        list_actions(document, advice);
    uint32_t action = advice && cause < document->actions.count ? document->actions.items[cause] : 0;
    return action && npart_advice_action(advice, action - 1, out);
}

/* One word of a shell: names come from the file, and the line is there to be copied. By single quotes, in which a
 * shell of POSIX changes nothing; a single quote within them must end them, stand escaped, and begin them anew. */
void npart__add_shell_word(struct npart__buffer *line, const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:/@%+-=";
    bool is_safe = *text && text[strspn(text, safe)] == '\0';
    npart__append_text(line, is_safe ? "" : "'");
    for (; *text; text++)
        npart__append(line, *text == '\'' ? "'\\''" : text, *text == '\'' ? 4 : 1);
    npart__append_text(line, is_safe ? "" : "'");
}

void npart__add_run(struct npart__buffer *out, const struct npart_action *action)
{
    for (uint32_t i = 0; i < action->run_count; i++) {
        npart__append_text(out, i ? " " : "");
        npart__add_shell_word(out, action->run[i]);
    }
}

/* "npu-partition.toml: [dims], batch = 1"; false where a project file has no such lines. */
static bool add_config(struct npart__buffer *out, const struct npart_action *action)
{
    char lines[NPART__MOST_ACTION_BYTES];
    size_t length = npart_action_config(action, lines, sizeof lines);
    if (!length || length >= sizeof lines)
        return false;
    npart__append_text(out, "npu-partition.toml: ");
    for (size_t i = 0; i + 1 < length; i++)
        npart__append(out, lines[i] == '\n' ? ", " : lines + i, lines[i] == '\n' ? 2 : 1);
    return true;
}

/* "Fix batch (--dim batch=1)", or with the line that does it. */
void npart__add_action(const npart_document *document, struct npart__buffer *out, const struct npart_action *action)
{
    npart__append_text(out, action->text);
    if (!action->command && !action->run)
        return;
    npart__append_text(out, " (");
    bool is_told = document->has_project && add_config(out, action);
    if (!is_told && action->run)
        npart__add_run(out, action);
    else if (!is_told)
        npart__append_text(out, action->command);
    npart__append_text(out, ")");
}

/* Up to one more than a message may have of an action: what is longer is not read to its end. */
static size_t length_of(const char *text)
{
    const char *end = memchr(text, '\0', NPART__MOST_ACTION_BYTES + 1);
    return end ? (size_t)(end - text) : NPART__MOST_ACTION_BYTES + 1;
}

bool npart__is_long_action(const struct npart_action *action)
{
    size_t bytes = length_of(action->text) + (action->command ? length_of(action->command) + strlen(" ()") : 0);
    for (uint32_t i = 0; i < action->run_count && bytes <= NPART__MOST_ACTION_BYTES; i++)
        bytes += length_of(action->run[i]) + strlen("'' ");
    return bytes > NPART__MOST_ACTION_BYTES;
}

/* Options are told whole or not at all: what is cut off shows something else. Never within a character. */
void npart__add_short_action(const npart_document *document, struct npart__buffer *out,
                             const struct npart_action *action)
{
    size_t length = length_of(action->text);
    if (!npart__is_long_action(action)) {
        npart__add_action(document, out, action);
        return;
    }
    if (length <= NPART__MOST_ACTION_BYTES) {
        npart__append_text(out, action->text);
        return;
    }
    length = NPART__MOST_ACTION_BYTES - strlen("...");
    while (length && ((unsigned char)action->text[length] & 0xc0) == 0x80)
        length--;
    npart__append(out, action->text, length);
    npart__append_text(out, "...");
}

/* The text is plain already: names in it were escaped. */
void npart__add_node_text(npart_document *document, struct npart__buffer *out, const npart_model *model, uint32_t node)
{
    struct npart__buffer *scratch = &document->scratch;
    while (npart__buffer_lacks(scratch, npart_model_node_text(model, node, NPART__ROOM(scratch))))
        continue;
    npart__append_text(out, npart__buffer_text(scratch));
}

/* ---- tables ------------------------------------------------------------------------------------------------ */

struct npart__table_slot {
    const char *key; /* NULL: free */
    uint32_t number;
};

/* The factor is FNV's prime of 64 bits. The same on every machine, as fingerprints must be; so it is no defence
 * against names that are made to collide. */
uint64_t npart__hash(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return hash;
}

uint64_t npart__hash_text(uint64_t hash, const char *text)
{
    return npart__hash(hash, text, strlen(text) + 1);
}

/* Two nodes of one module that fall back by one rule have the same, and are told apart by their number. */
uint64_t npart__cause_hash(const npart_document *document, const struct npart_entry *entry, const npart_model *model,
                           const char *target, const struct npart_cause *cause)
{
    struct npart__place place = npart__place_of_model(entry);
    struct npart_node node = {.size = sizeof node, .op = "", .domain = ""};
    struct npart_origin origin = {.size = sizeof origin};
    (void)npart__relative(document, &place);
    uint64_t hash = npart__hash_text(NPART__HASH, place.file);
    hash = npart__hash_text(hash, target);
    hash = npart__hash_text(hash, npart_cause_kind_text(cause->kind));
    hash = npart__hash_text(hash, cause->rule_id);
    if (cause->node_count && npart_model_node(model, cause->nodes[0], &node)) {
        (void)npart_model_node_origin(model, cause->nodes[0], &origin);
        hash = npart__hash_text(hash, node.domain);
        hash = npart__hash_text(hash, node.op);
        hash = npart__hash(hash, origin.module ? origin.module : "", origin.module_bytes);
    }
    return hash;
}

/* Open addresses; the capacity is a power of two, and at least every other slot is free. So it ends at a free one:
 * the slot of the key, or where it belongs. */
static struct npart__table_slot *find_slot(struct npart__table_slot *slots, size_t capacity, const char *key)
{
    size_t at = (size_t)npart__hash(NPART__HASH, key, strlen(key)) & (capacity - 1);
    while (slots[at].key && strcmp(slots[at].key, key) != 0)
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

/* The old slots stay in the arena until it ends: all of them together are smaller than the new ones. On a failure
 * the table is as it was. */
static bool widen(struct npart__table *table)
{
    size_t capacity = table->capacity ? table->capacity * 2 : 64;
    struct npart__table_slot *slots = npart__arena_zeroed(table->arena, capacity, sizeof *slots);
    for (size_t i = 0; slots && i < table->capacity; i++)
        if (table->slots[i].key)
            *find_slot(slots, capacity, table->slots[i].key) = table->slots[i];
    if (!slots)
        return false;
    table->slots = slots;
    table->capacity = capacity;
    return true;
}

/* The pointer is good until the next text is asked for, as the table may move. The key is copied, so it may be a
 * scratch text. */
uint32_t *npart__table_at(struct npart__table *table, const char *key)
{
    if (2 * (table->count + 1) > table->capacity && !widen(table))
        return NULL;
    struct npart__table_slot *slot = find_slot(table->slots, table->capacity, key);
    if (!slot->key) {
        struct npart__buffer copy;
        npart__buffer_init(&copy, table->arena);
        npart__append_text(&copy, key);
        const char *kept = npart__keep_text(&copy);
        if (table->arena->failed)
            return NULL;
        slot->key = kept;
        table->count++;
    }
    return &slot->number;
}
