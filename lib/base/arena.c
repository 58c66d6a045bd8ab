/* SPDX-License-Identifier: Apache-2.0
 *
 * Bump allocation. Small requests share blocks that double from 4 KiB to 1 MiB; a request above 32 KiB has a
 * block of its own, linked both ways so that it can leave. Under ASan every request does, and what is left of it
 * after the request is poisoned, so that an overrun by one byte is seen; in the debug build, too, so that a test can
 * make each one fail.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

/* What malloc gives on 64-bit machines: any type of ours, and any that protobuf-c makes, may lie
 * there. */
#define ALIGNMENT ((size_t)16)
/* A small handle fits in the first block. Doubling keeps the calls of the allocator few, and the
 * last size bounds what the newest block may waste. */
#define FIRST_BLOCK_BYTES ((size_t)4 << 10)
#define LAST_BLOCK_BYTES ((size_t)1 << 20)

/* From here on a request is worth a block of its own: arrays that grow and the skeleton of a
 * model are given back before the arena ends, and what is smaller is not worth it. */
#define LARGE_BYTES ((size_t)32 << 10)

/* gcc tells of ASan by a macro, clang by a feature. */
#if defined(__SANITIZE_ADDRESS__)
#define IS_GUARDED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_GUARDED
#endif
#endif
#ifdef IS_GUARDED
#include <sanitizer/asan_interface.h>
#endif
#if defined(IS_GUARDED) || defined(NPART_DEBUG) || defined(NPART_EVERY_REQUEST_ALLOCATES)
#define EVERY_BLOCK_IS_LARGE 1
#else
#define EVERY_BLOCK_IS_LARGE 0
#endif

struct npart__block {
    struct npart__block *next, *previous;
    size_t bytes; /* of the whole block */
};

/* A small allocation lies at an address of 0 modulo 16, a large one at 8 modulo 16 with a pointer to its block
 * just before it. So one look at the address tells them apart, without a header on every small allocation:
 * protobuf-c's deallocator is given nothing but the address. */
#define LARGE_PREFIX_BYTES sizeof(struct npart__block *)

/* Whether a request gets a block of its own. Every one does where an overrun or a failed
 * allocation has to be seen. */
static bool is_large(size_t bytes)
{
    return EVERY_BLOCK_IS_LARGE || bytes >= LARGE_BYTES;
}

/* Only the request's bytes may be touched; `bytes` SIZE_MAX: all of the block again. Before a block goes back to
 * the caller's allocator all of it may be touched again, for the allocator writes there. */
static void guard(struct npart__block *block, char *memory, size_t bytes)
{
#ifdef IS_GUARDED
    char *end = (char *)block + block->bytes;
    ASAN_UNPOISON_MEMORY_REGION(block, block->bytes);
    if (bytes != SIZE_MAX)
        ASAN_POISON_MEMORY_REGION(memory + bytes, (size_t)(end - memory) - bytes);
#else
    (void)block;
    (void)memory;
    (void)bytes;
#endif
}

/* Allocators of a caller may align less than malloc does, so addresses are rounded up here. */
static char *align_up(char *address)
{
    return address + (ALIGNMENT - (uintptr_t)address % ALIGNMENT) % ALIGNMENT;
}

/* The block of a large allocation, NULL for a small one. NULL counts as small, so that it may be
 * released. */
static struct npart__block *large_block(void *memory)
{
    if ((uintptr_t)memory % ALIGNMENT == 0)
        return NULL; /* NULL itself included */
    struct npart__block *block;
    memcpy(&block, (char *)memory - LARGE_PREFIX_BYTES, sizeof block);
    return block;
}

/* The C library's functions in the form of the public allocator, for a caller who has none. */
static void *allocate_with_malloc(void *payload, size_t bytes)
{
    (void)payload;
    return malloc(bytes);
}

static void *resize_with_realloc(void *payload, void *memory, size_t bytes)
{
    (void)payload;
    return realloc(memory, bytes);
}

static void release_with_free(void *payload, void *memory)
{
    (void)payload;
    free(memory);
}

/* Nothing is allocated before the first request, so an arena that is not used costs nothing. */
void npart__arena_init(struct npart__arena *arena, const struct npart_allocator *allocator)
{
    memset(arena, 0, sizeof *arena);
    /* An allocator that is all zero means malloc, as in options that the caller has not filled
     * in. */
    if (allocator && allocator->allocate) {
        arena->allocator = *allocator;
        arena->budget = npart__budget_of(allocator);
    } else {
        arena->allocator.allocate = allocate_with_malloc;
        arena->allocator.resize = resize_with_realloc;
        arena->allocator.release = release_with_free;
    }
    arena->next_block_bytes = FIRST_BLOCK_BYTES;
}

/* The last block of a list that has one. */
static struct npart__block *last_of(struct npart__block *block)
{
    while (block->next)
        block = block->next;
    return block;
}

/* Behind the newest block, whose rest is still given out. */
void npart__arena_take(struct npart__arena *arena, struct npart__arena *from)
{
    if (from->blocks && arena->blocks) {
        last_of(from->blocks)->next = arena->blocks->next;
        arena->blocks->next = from->blocks;
    } else if (from->blocks) {
        arena->blocks = from->blocks;
        arena->cursor = from->cursor;
        arena->limit = from->limit;
    }
    if (from->large && arena->large) {
        struct npart__block *last = last_of(from->large);
        last->next = arena->large;
        arena->large->previous = last;
    }
    if (from->large)
        arena->large = from->large;
    arena->total_bytes += from->total_bytes;
    from->blocks = from->large = NULL;
    npart__arena_clear(from);
}

/* A block must be readable as a whole again before it goes back: the allocator may write into
 * it. */
static void release_chain(struct npart__arena *arena, struct npart__block *block)
{
    while (block) {
        struct npart__block *next = block->next;
        guard(block, NULL, SIZE_MAX);
        arena->allocator.release(arena->allocator.payload, block);
        block = next;
    }
}

/* The arena can be used again afterwards. */
void npart__arena_clear(struct npart__arena *arena)
{
    /* An arena that was never initialized: handles that failed half made are cleared all the
     * same. */
    if (!arena->allocator.release)
        return;
    release_chain(arena, arena->blocks);
    release_chain(arena, arena->large);
    arena->blocks = arena->large = NULL;
    arena->cursor = arena->limit = NULL;
    arena->next_block_bytes = FIRST_BLOCK_BYTES;
    arena->total_bytes = 0;
}

/* A block with room for so many bytes after its head; NULL when out of memory, or where the sum
 * could wrap. The caller links it into a list; until then the caller alone would release it. */
static struct npart__block *new_block(struct npart__arena *arena, size_t payload_bytes)
{
    size_t bytes = sizeof(struct npart__block) + payload_bytes;
    struct npart__block *block = NULL;
    if (payload_bytes <= SIZE_MAX / 2)
        block = arena->allocator.allocate(arena->allocator.payload, bytes);
    if (!block) {
        arena->failed = true;
        return NULL;
    }
    block->bytes = bytes;
    block->previous = NULL;
    arena->total_bytes += bytes;
    return block;
}

/* Two alignments more than asked for: one to round up, one for the pointer before the memory. An
 * address of 8 modulo 16 still suits every type of up to eight bytes, which is what
 * npart__arena_allocate promises. */
static void *allocate_large(struct npart__arena *arena, size_t bytes)
{
    struct npart__block *block = new_block(arena, bytes > SIZE_MAX / 4 ? SIZE_MAX : bytes + 2 * ALIGNMENT);
    if (!block)
        return NULL;
    block->next = arena->large;
    if (arena->large)
        arena->large->previous = block;
    arena->large = block;
    char *memory = align_up((char *)(block + 1)) + ALIGNMENT / 2;
    memcpy(memory - LARGE_PREFIX_BYTES, &block, sizeof block);
    guard(block, memory, bytes);
    return memory;
}

/* A request that does not fit in the newest block leaves the rest of that block unused: at most
 * LARGE_BYTES of it. */
void *npart__arena_allocate(struct npart__arena *arena, size_t bytes)
{
    if (is_large(bytes))
        return allocate_large(arena, bytes);
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    /* Two empty allocations must not share an address: the first could be resized into the
     * second. */
    if (bytes == 0)
        bytes = ALIGNMENT;
    if ((size_t)(arena->limit - arena->cursor) < bytes) {
        size_t block_bytes = arena->next_block_bytes;
        /* The first blocks are smaller than LARGE_BYTES, so a request may not fit in the next
         * one planned. */
        while (block_bytes < bytes)
            block_bytes *= 2;
        struct npart__block *block = new_block(arena, block_bytes + ALIGNMENT);
        if (!block)
            return NULL;
        block->next = arena->blocks;
        arena->blocks = block;
        arena->cursor = align_up((char *)(block + 1));
        arena->limit = arena->cursor + block_bytes;
        if (arena->next_block_bytes < LAST_BLOCK_BYTES)
            arena->next_block_bytes *= 2;
    }
    void *memory = arena->cursor;
    NPART__ASSERT((uintptr_t)memory % ALIGNMENT == 0, "memory is not aligned");
    arena->cursor += bytes;
    NPART__ASSERT(arena->cursor <= arena->limit, "a block is too small for %zu bytes", bytes);
    return memory;
}

/* With a count of 0 it gives an address all the same, so that NULL means out of memory alone. */
void *npart__arena_zeroed(struct npart__arena *arena, size_t count, size_t item_bytes)
{
    /* Counts come from the file; the product must not wrap into a small request. */
    bool fits = !item_bytes || count <= SIZE_MAX / 2 / item_bytes;
    void *memory = npart__arena_allocate(arena, fits ? count * item_bytes : SIZE_MAX);
    if (memory)
        memset(memory, 0, count * item_bytes);
    return memory;
}

/* The text may hold NULs, which are copied; `text` may be NULL where `length` is 0, as protobuf-c leaves empty
 * bytes. */
char *npart__arena_copy_text(struct npart__arena *arena, const char *text, size_t length)
{
    char *copy = npart__arena_allocate(arena, length + 1);
    if (!copy)
        return NULL;
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* Formats twice: once for the length, once into memory of just that size. */
char *npart__arena_format(struct npart__arena *arena, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = length < 0 ? NULL : npart__arena_allocate(arena, (size_t)length + 1);
    if (text)
        (void)vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

/* Both neighbours forget the block, so releasing takes the same time however many there are. */
static void unlink_large(struct npart__arena *arena, struct npart__block *block)
{
    if (block->previous)
        block->previous->next = block->next;
    else
        arena->large = block->next;
    if (block->next)
        block->next->previous = block->previous;
    arena->total_bytes -= block->bytes;
    guard(block, NULL, SIZE_MAX);
    arena->allocator.release(arena->allocator.payload, block);
}

void npart__arena_release(struct npart__arena *arena, void *memory)
{
    struct npart__block *block = large_block(memory);
    if (block)
        unlink_large(arena, block);
}

/* So texts that come and go one after the other take the memory of one. */
void npart__arena_give_back(struct npart__arena *arena, void *memory, size_t bytes)
{
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (memory && !large_block(memory) && (char *)memory + rounded == arena->cursor)
        arena->cursor = memory;
    else
        npart__arena_release(arena, memory);
}

/* Moves a large block through the allocator, which for the C library means remapping pages, not copying them. The
 * block may come back at another address modulo 16, so where the memory lies within it is computed anew; what was
 * there lies at the old offset. NULL leaves the old block as it was. */
static void *resize_large(struct npart__arena *arena, struct npart__block *block, void *memory, size_t new_bytes)
{
    if (new_bytes > SIZE_MAX / 4)
        return allocate_large(arena, new_bytes); /* which fails */
    size_t offset = (size_t)((char *)memory - (char *)block);
    size_t bytes = sizeof(struct npart__block) + new_bytes + 2 * ALIGNMENT;
    size_t old_bytes = block->bytes - sizeof *block - 2 * ALIGNMENT;
    guard(block, NULL, SIZE_MAX);
    struct npart__block *moved = arena->allocator.resize(arena->allocator.payload, block, bytes);
    if (!moved) {
        guard(block, memory, old_bytes);
        arena->failed = true;
        return NULL;
    }
    arena->total_bytes += bytes - moved->bytes;
    size_t payload_bytes = (moved->bytes < bytes ? moved->bytes : bytes) - sizeof *moved - 2 * ALIGNMENT;
    moved->bytes = bytes;
    /* The neighbours still point to where the block was. */
    if (moved->previous)
        moved->previous->next = moved;
    else
        arena->large = moved;
    if (moved->next)
        moved->next->previous = moved;
    char *now_at = align_up((char *)(moved + 1)) + ALIGNMENT / 2;
    if (now_at != (char *)moved + offset) /* an allocator of weaker alignment */
        memmove(now_at, (char *)moved + offset, payload_bytes);
    memcpy(now_at - LARGE_PREFIX_BYTES, &moved, sizeof moved);
    guard(moved, now_at, new_bytes);
    return now_at;
}

/* In this order: in place, where the allocation is the newest of its block; through the caller's
 * allocator, where it has a block of its own; by a copy. Small ones that are copied stay in the
 * arena. A block that shrinks below LARGE_BYTES is copied, too, and becomes small. `memory` NULL is a new
 * allocation; the old one holds on where NULL is returned. */
void *npart__arena_resize(struct npart__arena *arena, void *memory, size_t old_bytes, size_t new_bytes)
{
    struct npart__block *block = large_block(memory);
    size_t rounded = (old_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (memory && !block && !is_large(new_bytes) && (char *)memory + rounded == arena->cursor) {
        size_t room = (size_t)(arena->limit - (char *)memory);
        size_t wanted = (new_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        if (wanted <= room) { /* the newest allocation of its block grows in place */
            arena->cursor = (char *)memory + wanted;
            return memory;
        }
    }
    if (block && arena->allocator.resize && is_large(new_bytes))
        return resize_large(arena, block, memory, new_bytes);
    void *copy = npart__arena_allocate(arena, new_bytes);
    if (!copy)
        return NULL;
    if (memory && old_bytes)
        memcpy(copy, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
    if (block)
        unlink_large(arena, block);
    return copy;
}

/* Grows by half, in place where the array is the newest allocation or has a block of its own. Eight items at
 * first, as most small lists stay below that. Pushes one by one grow the capacity to 8, 12, 18, 27, 40, ..., so a
 * push costs a constant number of copies on average. Counts stay below 2^31, so ids of items never meet
 * NPART_NONE. */
bool npart__array_reserve(struct npart__arena *arena, void **items, uint32_t *capacity, size_t item_bytes,
                          uint32_t count, size_t extra)
{
    if (extra > (size_t)INT32_MAX - count)
        return false;
    size_t needed = count + extra;
    if (needed <= *capacity)
        return true;
    if (needed > SIZE_MAX / 4 / item_bytes)
        return false;
    size_t wanted = *capacity ? *capacity + (size_t)*capacity / 2 : 8;
    if (wanted < needed)
        wanted = needed;
    void *grown = npart__arena_resize(arena, *items, *capacity * item_bytes, wanted * item_bytes);
    if (!grown)
        return false;
    *items = grown;
    *capacity = (uint32_t)wanted;
    return true;
}

/* The current folder is where it will be written; options follow with dashes. */
char *npart__name_as(struct npart__arena *arena, const char *path, const char *precision)
{
    const char *name = npart__after_last(path, '/'), *dot = strrchr(name, '.');
    size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    char *made = npart__arena_format(arena, "%.*s.%s.onnx", (int)length, name, precision);
    for (char *at = made ? made + length : made; at && *at; at++)
        if (strchr(":=/\\*?,|<>\"", *at))
            *at = '-';
    return made;
}
