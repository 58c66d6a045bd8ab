/* SPDX-License-Identifier: Apache-2.0
 *
 * Interned strings: the one place that includes uthash. Its own idea of running out of memory is exit(-1), so
 * allocation goes to the arena and a failed insertion is rolled back and reported.
 */
#include "base/base.h"

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(bytes) npart__arena_allocate(uthash_arena, (bytes))
#define uthash_free(memory, bytes) npart__arena_release(uthash_arena, (memory))
#define uthash_nonfatal_oom(entry) ((entry)->text = NULL)
#define HASH_FUNCTION(key, length, hash) ((hash) = hash_text((key), (length)))
static unsigned hash_text(const void *key, size_t length);
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

/* Eight bytes a step, mixed by multiplication: names are short, and uthash's default reads them byte by byte. */
static unsigned hash_text(const void *key, size_t length)
{
    const unsigned char *bytes = key;
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15) ^ length;
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
        bytes += 8;
        length -= 8;
    }
    uint64_t tail = 0;
    for (size_t i = 0; i < length; i++)
        tail = tail << 8 | bytes[i];
    hash = (hash ^ tail) * UINT64_C(0xc4ceb9fe1a85ec53);
    return (unsigned)(hash ^ hash >> 32);
}

bool npart__strings_init(struct npart__strings *strings, struct npart__arena *arena)
{
    memset(strings, 0, sizeof *strings);
    strings->arena = arena;
    return npart__intern(strings, "", 0, false) == 0;
}

static struct npart__string_entry *find_entry(const struct npart__strings *strings, const char *text, size_t length,
                                              unsigned hash)
{
    struct npart__string_entry *entry = NULL;
    HASH_FIND_BYHASHVALUE(hh, strings->table, text, (unsigned)length, hash, entry);
    return entry;
}

/* uthash counts key lengths in unsigned. */
#define LONGEST_TEXT ((size_t)UINT32_MAX / 2)

uint32_t npart__intern(struct npart__strings *strings, const char *text, size_t length, bool copy)
{
    if (length > LONGEST_TEXT)
        return NPART_NONE;
    unsigned hash = hash_text(text, length);
    struct npart__string_entry *entry = find_entry(strings, text, length, hash);
    if (entry)
        return entry->id;
    struct npart__arena *uthash_arena = strings->arena;
    entry = npart__arena_zeroed(uthash_arena, 1, sizeof *entry);
    if (!entry)
        return NPART_NONE;
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

uint32_t npart__strings_find(const struct npart__strings *strings, const char *text, size_t length)
{
    if (length > LONGEST_TEXT)
        return NPART_NONE;
    struct npart__string_entry *entry = find_entry(strings, text, length, hash_text(text, length));
    return entry ? entry->id : NPART_NONE;
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
