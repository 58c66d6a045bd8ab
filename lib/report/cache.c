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

static bool is_alike(const struct npart_cache_port *a, const struct npart_cache_port *b)
{
    bool may_be = a->role == NPART_PORT_PAST || a->role == NPART_PORT_PRESENT || a->role == NPART_PORT_OTHER ||
                  a->role == NPART_PORT_STATE;
    return may_be && a->role == b->role && a->is_output == b->is_output && a->rank == b->rank &&
           !a->dims == !b->dims && strcmp(a->type, b->type) == 0 &&
           (!a->dims || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

/* How many before the index are like it, or from it on. */
static uint32_t count_alike(const npart_fix *fix, const struct npart_cache_port *at, uint32_t first, uint32_t end)
{
    struct npart_cache_port other = {.size = sizeof other};
    uint32_t count = 0;
    for (uint32_t i = first; i < end && npart_fix_cache_port(fix, i, &other); i++)
        count += is_alike(at, &other);
    return count;
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

void npart__put_fixed_cache(struct npart__page *page, const npart_fix *fix)
{
    struct npart_cache_info cache = {.size = sizeof cache};
    struct npart_cache_port at = {.size = sizeof at};
    if (!npart_fix_cache(fix, &cache))
        return;
    npart__painted(page, NPART__BOLD, "Cache");
    npart__append_format(page->out, " of %u slots, %u new token%s in a run\n", cache.slots, cache.tokens,
                         cache.tokens == 1 ? "" : "s");
    npart__append_format(page->out, "  %s\n", orders[cache.order]);
    npart__put_decode_line(page, fix);
    for (uint32_t i = 0; npart_fix_cache_port(fix, i, &at); i++)
        if ((!at.is_output || at.role == NPART_PORT_PRESENT) && !count_alike(fix, &at, 0, i))
            put_port(page, &at, count_alike(fix, &at, i + 1, cache.port_count), &cache);
}
