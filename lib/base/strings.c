/* SPDX-License-Identifier: Apache-2.0
 *
 * Interned strings: the one place that includes uthash. Its own idea of running out of memory is exit(-1), so
 * allocation goes to the arena and a failed insertion is rolled back and reported. Every hash is ours, under a key.
 */
#include "base/base.h"

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(bytes) npart__arena_allocate(uthash_arena, (bytes))
#define uthash_free(memory, bytes) npart__arena_release(uthash_arena, (memory))
#define uthash_nonfatal_oom(entry) ((entry)->text = NULL)
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wsign-conversion"
#endif
#include <uthash.h>

struct npart__string_entry {
    const char *text;
    uint32_t id;
    UT_hash_handle hh;
};

bool npart__strings_init(struct npart__strings *strings, struct npart__arena *arena)
{
    memset(strings, 0, sizeof *strings);
    strings->arena = arena;
    npart__hash_key_init(&strings->key);
    return npart__intern(strings, "", 0, false) == 0;
}

/* Texts come from the input, so the place of each follows a key of the table's own. uthash has hashes of 32 bits,
 * so the upper half is dropped. */
static unsigned hash_of(const struct npart__strings *strings, const char *text, size_t length)
{
    return (unsigned)npart__hash_bytes(&strings->key, text, length);
}

/* The one lookup, with the hash already known: adding a text hashes it once. */
static struct npart__string_entry *find_entry(const struct npart__strings *strings, const char *text, size_t length,
                                              unsigned hash)
{
    struct npart__string_entry *entry = NULL;
    HASH_FIND_BYHASHVALUE(hh, strings->table, text, (unsigned)length, hash, entry);
    return entry;
}

/* uthash counts key lengths in unsigned. */
#define LONGEST_TEXT ((size_t)UINT32_MAX / 2)

/* A text that is not there yet. An entry of a failed insertion stays in the arena, in no table. */
static uint32_t add(struct npart__strings *strings, const char *text, size_t length, unsigned hash, bool copy)
{
    struct npart__arena *uthash_arena = strings->arena;
    struct npart__string_entry *entry = npart__arena_zeroed(uthash_arena, 1, sizeof *entry);
    if (!entry)
        return NPART_NONE;
    NPART__ASSERT(strings->texts.count > 0 || length == 0, "the first text is the empty one");
    entry->id = strings->texts.count;
    entry->text = copy ? npart__arena_copy_text(uthash_arena, text, length) : text;
    if (!entry->text || !NPART__PUSH(uthash_arena, &strings->texts, entry->text))
        return NPART_NONE;
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, strings->table, entry->text, (unsigned)length, hash, entry);
    if (!entry->text) { /* uthash rolled the insertion back */
        strings->texts.count--;
        return NPART_NONE;
    }
    return entry->id;
}

/* Ids are given in the order of arrival, so they do not depend on the key, and arrays may be
 * indexed by them. Constant time on average. */
uint32_t npart__intern(struct npart__strings *strings, const char *text, size_t length, bool copy)
{
    if (length > LONGEST_TEXT)
        return NPART_NONE;
    if (length == 0 && strings->texts.count)
        return 0;
    unsigned hash = hash_of(strings, text, length);
    const struct npart__string_entry *entry = find_entry(strings, text, length, hash);
    return entry ? entry->id : add(strings, text, length, hash, copy);
}

/* uthash links entries in the order of arrival, the last of which is that of the last text. */
void npart__strings_cut(struct npart__strings *strings, uint32_t count)
{
    struct npart__arena *uthash_arena = strings->arena;
    while (strings->texts.count > count && strings->texts.count > 1) {
        UT_hash_table *table = strings->table->hh.tbl;
        struct npart__string_entry *last = ELMT_FROM_HH(table, table->tail);
        NPART__ASSERT(last->id + 1 == strings->texts.count, "text %u is not the last", (unsigned)last->id);
        HASH_DELETE(hh, strings->table, last);
        strings->texts.count--;
    }
    (void)uthash_arena; /* the first text stays, and so does the table */
}

/* Added again in the order of their ids, which gives the same ids, by the hashes that they have. The key stays, as the
 * texts come from the same file. Texts themselves are shared, hence `from` must outlive the copy. */
bool npart__strings_copy(const struct npart__strings *from, struct npart__arena *arena, struct npart__strings *out)
{
    memset(out, 0, sizeof *out);
    out->arena = arena;
    out->key = from->key;
    for (const struct npart__string_entry *at = from->table; at; at = at->hh.next)
        if (add(out, at->text, at->hh.keylen, at->hh.hashv, false) == NPART_NONE)
            return false;
    return true;
}

uint32_t npart__strings_find(const struct npart__strings *strings, const char *text, size_t length)
{
    if (length > LONGEST_TEXT)
        return NPART_NONE;
    struct npart__string_entry *entry = find_entry(strings, text, length, hash_of(strings, text, length));
    return entry ? entry->id : NPART_NONE;
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
