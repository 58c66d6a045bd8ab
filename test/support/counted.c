/* SPDX-License-Identifier: Apache-2.0
 *
 * An allocator that counts, see counted.h.
 */
#include "support/counted.h"

#if defined(_WIN32)
#include <windows.h>
#define backtrace(frames, count) CaptureStackBackTrace(0, (count), (frames), NULL)
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <execinfo.h>
#elif !defined(_WIN32)
/* No other function than the one that called. */
static int backtrace(void **frames, int count)
{
    frames[0] = __builtin_return_address(0);
    return count > 0;
}
#endif

/* Stands just before every block; 24 bytes, padded so that the block is where `shifts` wants it. */
struct prefix {
    void *start; /* what malloc gave */
    size_t bytes;
    size_t mark;
};

#define FRAMES 7
#define MARK ((size_t)0x5eed1e55)

static struct prefix read_prefix(const void *memory)
{
    struct prefix prefix;
    memcpy(&prefix, (const char *)memory - sizeof prefix, sizeof prefix);
    if (prefix.mark != MARK) {
        fprintf(stderr, "a block came back that this allocator does not know\n");
        abort();
    }
    return prefix;
}

/* Of the functions that called, the innermost ones. */
static uint64_t place_of_call(void)
{
    void *frames[FRAMES];
    uint64_t place = 0;
    int count = backtrace(frames, FRAMES);
    for (int i = 0; i < count; i++)
        place = (place ^ (uintptr_t)frames[i]) * UINT64_C(1099511628211);
    return place;
}

static bool must_fail(struct counted *counted, size_t bytes)
{
    size_t call = ++counted->calls;
    if (call <= counted->place_room)
        counted->places[call - 1] = place_of_call();
    bool fails = counted->fail_at && (call == counted->fail_at || (counted->fails_on && call > counted->fail_at));
    if (counted->most_bytes && bytes > counted->most_bytes)
        fails = true;
    counted->failures += fails;
    return fails;
}

static void *new_block(struct counted *counted, size_t bytes)
{
    size_t offset = counted->shifts && counted->calls % 2 ? 40 : 32;
    char *start = malloc(bytes + offset);
    if (!start)
        return NULL;
    struct prefix prefix = {.start = start, .bytes = bytes, .mark = MARK};
    memcpy(start + offset - sizeof prefix, &prefix, sizeof prefix);
    memset(start + offset, 0xa5, bytes); /* so that what reads before it writes is seen */
    counted->live_blocks++;
    counted->live_bytes += bytes;
    return start + offset;
}

static void *allocate(void *payload, size_t bytes)
{
    struct counted *counted = payload;
    return must_fail(counted, bytes) ? NULL : new_block(counted, bytes);
}

static void release(void *payload, void *memory)
{
    struct counted *counted = payload;
    if (!memory)
        return;
    struct prefix prefix = read_prefix(memory);
    memset((char *)memory - sizeof prefix, 0xdd, sizeof prefix);
    counted->live_blocks--;
    counted->live_bytes -= prefix.bytes;
    free(prefix.start);
}

static void *resize(void *payload, void *memory, size_t bytes)
{
    struct counted *counted = payload;
    if (must_fail(counted, bytes))
        return NULL;
    void *moved = new_block(counted, bytes);
    if (moved && memory) {
        size_t before = read_prefix(memory).bytes;
        memcpy(moved, memory, before < bytes ? before : bytes);
        release(payload, memory);
    }
    return moved;
}

void counted_init(struct counted *counted, bool resizes)
{
    memset(counted, 0, sizeof *counted);
    counted->allocator =
        (struct npart_allocator){.allocate = allocate, .resize = resizes ? resize : NULL, .release = release,
                                 .payload = counted};
}
