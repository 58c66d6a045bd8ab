/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host of a model with a fixed cache has to do, for people: one line for inputs or outputs that are alike.
 */
#include "report/page.h"

/* Of each role a sentence, after the names. */
static const char *const sentences[] = {
    [NPART_PORT_TOKENS] = "the ids of the new tokens",
    [NPART_PORT_POSITIONS] = "the positions of the new tokens",
    [NPART_PORT_MASK] = "1 for slots in use and new tokens, 0 for empty slots",
    [NPART_PORT_BIAS] = "0 for slots in use and new tokens, -10000 for empty slots",
    [NPART_PORT_ROWS] = "for each new token 0 for slots in use and tokens up to it, else -10000",
    [NPART_PORT_PAST] = "the cache; fill it with zeros before the first run",
    [NPART_PORT_PRESENT] = NULL,
    [NPART_PORT_OTHER] = "as in the original model",
    [NPART_PORT_STATE] = "the output of the run before; at first what the original begins with",
};

static const char *const orders[] = {
    [NPART_SLOTS_RIGHT] = "Slots in use must be at the right end of the past, the latest last.",
    [NPART_SLOTS_ANY] = "Slots in use may be anywhere in the past, in any order.",
    [NPART_SLOTS_LEFT] = "Slots in use are the first ones; new ones are written after them.",
};

/* Ports that are told in one line. */
struct alike {
    uint32_t count;
    bool is_told;
};

/* What ports have in common that are told in one line; of roles that there are several ports of. */
static const char *key_of(struct npart__page *page, const struct npart_cache_port *at, uint32_t index)
{
    struct npart__buffer key;
    npart__buffer_init(&key, page->arena);
    bool may_be = at->role == NPART_PORT_PAST || at->role == NPART_PORT_PRESENT || at->role == NPART_PORT_OTHER ||
                  at->role == NPART_PORT_STATE;
    npart__append_format(&key, "%d %d %s %d %u", at->role, at->is_output, at->type, at->dims != NULL, at->rank);
    for (uint32_t i = 0; at->dims && i < at->rank; i++)
        npart__append_format(&key, " %lld", (long long)at->dims[i]);
    if (!may_be)
        npart__append_format(&key, " alone %u", index);
    return npart__made_text(&key);
}

/* By port, what is alike; NULL when out of memory. */
static struct alike **list_alike(struct npart__page *page, const npart_fix *fix, uint32_t count)
{
    struct npart_cache_port at = {.size = sizeof at};
    struct npart__strings keys;
    struct alike *groups = npart__arena_zeroed(page->arena, count + (size_t)2, sizeof *groups);
    struct alike **list = npart__arena_zeroed(page->arena, count + (size_t)1, sizeof *list);
    bool is_done = groups && list && npart__strings_init(&keys, page->arena);
    for (uint32_t i = 0; is_done && npart_fix_cache_port(fix, i, &at); i++) {
        const char *key = key_of(page, &at, i);
        uint32_t id = key ? npart__intern_text(&keys, key) : NPART_NONE;
        is_done = id != NPART_NONE;
        if (!is_done)
            break;
        list[i] = &groups[id];
        list[i]->count++;
    }
    return is_done ? list : NULL;
}

static void append_type(struct npart__buffer *text, const struct npart_cache_port *at)
{
    npart__append_format(text, " %s", at->type);
    for (uint32_t i = 0; at->dims && i < at->rank; i++)
        npart__append_format(text, "%s%lld", i ? "," : "[", (long long)at->dims[i]);
    npart__append_text(text, at->dims ? (at->rank ? "]" : "[]") : "");
}

static void append_sentence(struct npart__buffer *text, const struct npart_cache_port *at,
                            const struct npart_cache_info *cache)
{
    const char *sentence = sentences[at->role];
    if (at->role == NPART_PORT_PRESENT)
        sentence = cache->present == NPART_PRESENT_NEW ? "the new keys and values; write them into the cache"
                                                       : "the cache of the next run";
    npart__append_text(text, sentence);
    if (at->role == NPART_PORT_PAST && at->dims && at->dims[at->axis] < cache->past)
        npart__append_format(text, "; of the past the last %lld slots alone", (long long)at->dims[at->axis]);
    if (at->role == NPART_PORT_POSITIONS && at->offset)
        npart__append_format(text, ", plus %lld", (long long)at->offset);
    if (at->is_added)
        npart__append_text(text, "; an input that the original does not have");
}

/* From the 12th column on, within the page. */
static void put_part(struct npart__page *page, struct npart__buffer *text)
{
    const char *made = npart__made_text(text);
    page->out->failed |= !made;
    npart__wrapped(page, made ? made : "", 12, 12);
    npart__put(page, "\n");
}

static void put_port(struct npart__page *page, const struct npart_cache_port *at, uint32_t more,
                     const struct npart_cache_info *cache)
{
    struct npart__buffer names, sentence;
    npart__buffer_init(&names, page->arena);
    npart__buffer_init(&sentence, page->arena);
    npart__append_text(&names, at->name);
    if (more)
        npart__append_format(&names, " and %u more,", more);
    append_type(&names, at);
    append_sentence(&sentence, at, cache);
    npart__append_format(page->out, "  %-10s", npart_port_role_text(at->role));
    put_part(page, &names);
    npart__put(page, "            ");
    put_part(page, &sentence);
}

void npart__put_fixed_cache(struct npart__page *page, const struct npart_subject *subject)
{
    const npart_fix *fix = subject->fix;
    struct npart_cache_info cache = {.size = sizeof cache};
    struct npart_cache_port at = {.size = sizeof at};
    if (!npart_fix_cache(fix, &cache))
        return;
    npart__painted(page, NPART__BOLD, "Cache");
    npart__append_format(page->out, " of %u slots, %u new token%s in a run\n", cache.slots, cache.tokens,
                         cache.tokens == 1 ? "" : "s");
    npart__append_format(page->out, "  %s\n", orders[cache.order]);
    if (cache.counts_all)
        npart__put(page, "  All tokens of a run count: the last run of a prompt must not be filled up.\n");
    npart__put_decode_line(page, subject);
    struct alike **alike = list_alike(page, fix, cache.port_count);
    page->out->failed |= !alike;
    for (uint32_t i = 0; alike && npart_fix_cache_port(fix, i, &at); i++) {
        if ((!at.is_output || at.role == NPART_PORT_PRESENT) && !alike[i]->is_told)
            put_port(page, &at, alike[i]->count - 1, &cache);
        alike[i]->is_told = true;
    }
}
