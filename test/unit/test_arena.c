/* SPDX-License-Identifier: Apache-2.0
 *
 * The arena: alignment, growth, resizing, giving back, sizes that overflow, and what its allocator sees of it.
 */
#include "base/base.h"
#include "support/counted.h"
#include "support/test.h"

#define ABSURD_FROM ((size_t)1 << 30) /* what the counting allocator refuses */

static struct counted counted;
static struct npart__arena arena;

static void open_arena(bool resizes)
{
    counted_init(&counted, resizes);
    counted.most_bytes = ABSURD_FROM;
    npart__arena_init(&arena, &counted.allocator);
}

static void close_arena(void)
{
    npart__arena_clear(&arena);
    CHECK_INT(counted.live_blocks, 0);
    CHECK_INT(counted.live_bytes, 0);
}

/* What the arena says it holds is what the allocator gave it. */
static void check_total(void)
{
    CHECK_INT(arena.total_bytes, counted.live_bytes);
}

static void fill(unsigned char *memory, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        memory[i] = (unsigned char)(seed * 31 + i * 7);
}

static bool is_filled(const unsigned char *memory, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        if (memory[i] != (unsigned char)(seed * 31 + i * 7))
            return false;
    return true;
}

/* ---- allocating -------------------------------------------------------------------------------------------- */

static const size_t sizes[] = {0,    1,     2,     7,     8,     9,     15,    16,    17,      31,     100,
                               4079, 4080,  4081,  4096,  4097,  8192,  32751, 32752, 32767,   32768,  32769,
                               65536, 1000, 40000, 24,    1 << 20, 3, (1 << 20) + 1, 64};

static void test_arena__blocks_are_aligned_and_apart(void)
{
    unsigned char *blocks[NPART__COUNT(sizes) * 3];
    open_arena(true);
    for (size_t i = 0; i < NPART__COUNT(blocks); i++) {
        size_t bytes = sizes[i % NPART__COUNT(sizes)];
        blocks[i] = npart__arena_allocate(&arena, bytes);
        REQUIRE(blocks[i]);
        CHECK_INT((uintptr_t)blocks[i] % 8, 0);
        fill(blocks[i], bytes, (unsigned)i);
        check_total();
    }
    for (size_t i = 0; i < NPART__COUNT(blocks); i++) {
        CHECK(is_filled(blocks[i], sizes[i % NPART__COUNT(sizes)], (unsigned)i));
        for (size_t k = 0; k < i; k++)
            CHECK(blocks[i] != blocks[k]);
    }
    close_arena();
}

static void test_arena__many_small_requests_share_blocks(void)
{
#if !defined(__SANITIZE_ADDRESS__) /* there every request has a block of its own */
    open_arena(true);
    for (unsigned i = 0; i < 100000; i++)
        REQUIRE(npart__arena_allocate(&arena, 48));
    CHECK(counted.live_blocks <= 16); /* 4 KiB doubling to 1 MiB make 4.8 MB in 13 */
    CHECK(counted.live_bytes < 2 * 4800000);
    close_arena();
#endif
}

static void test_arena__absurd_sizes_are_refused(void)
{
    static const size_t absurd[] = {SIZE_MAX,         SIZE_MAX - 1,     SIZE_MAX - 15,    SIZE_MAX - 31,
                                    SIZE_MAX - 47,    SIZE_MAX - 63,    SIZE_MAX / 2 + 1, SIZE_MAX / 2,
                                    SIZE_MAX / 4 + 1, SIZE_MAX / 4 - 1, ABSURD_FROM};
    open_arena(true);
    unsigned char *large = npart__arena_allocate(&arena, 50000), *small = npart__arena_allocate(&arena, 10);
    REQUIRE(large && small);
    fill(large, 50000, 1);
    fill(small, 10, 2);
    for (size_t i = 0; i < NPART__COUNT(absurd); i++) {
        CHECK(npart__arena_allocate(&arena, absurd[i]) == NULL);
        CHECK(npart__arena_zeroed(&arena, 1, absurd[i]) == NULL);
        CHECK(npart__arena_zeroed(&arena, absurd[i], 1) == NULL);
        CHECK(npart__arena_resize(&arena, NULL, 0, absurd[i]) == NULL);
        CHECK(npart__arena_resize(&arena, large, 50000, absurd[i]) == NULL);
        CHECK(npart__arena_resize(&arena, small, 10, absurd[i]) == NULL);
        check_total();
    }
    CHECK(is_filled(large, 50000, 1));
    CHECK(is_filled(small, 10, 2));
    CHECK(npart__arena_allocate(&arena, 100));
    close_arena();
}

static void test_arena__zeroed_is_zero_and_checks_its_product(void)
{
    open_arena(true);
    for (unsigned round = 0; round < 3; round++) { /* also in memory that was dirty before */
        unsigned char *memory = npart__arena_allocate(&arena, 3000), *large = npart__arena_allocate(&arena, 70000);
        REQUIRE(memory && large);
        fill(memory, 3000, 3);
        fill(large, 70000, 4);
        npart__arena_release(&arena, large);
        uint64_t *zeros = npart__arena_zeroed(&arena, 9000, sizeof *zeros);
        REQUIRE(zeros);
        for (size_t i = 0; i < 9000; i++)
            REQUIRE(zeros[i] == 0);
    }
    CHECK(npart__arena_zeroed(&arena, 0, 8));
    CHECK(npart__arena_zeroed(&arena, 8, 0));
    CHECK(npart__arena_zeroed(&arena, SIZE_MAX, 0));
    const size_t root = (SIZE_MAX >> sizeof(size_t) * 4) + 1; /* of all that a size can tell apart */
    CHECK(npart__arena_zeroed(&arena, root, root) == NULL);   /* wraps to 0 */
    CHECK(npart__arena_zeroed(&arena, root + 1, root) == NULL);
    CHECK(npart__arena_zeroed(&arena, SIZE_MAX / 8 + 2, 8) == NULL); /* wraps to 8 */
    close_arena();
}

static void test_arena__texts(void)
{
    open_arena(true);
    const char *copy = npart__arena_copy_text(&arena, "ab\0cd", 5);
    REQUIRE(copy);
    CHECK(memcmp(copy, "ab\0cd\0", 6) == 0);
    const char *empty = npart__arena_copy_text(&arena, NULL, 0);
    REQUIRE(empty);
    CHECK_TEXT(empty, "");
    CHECK_TEXT(npart__arena_format(&arena, "%s%d%%", "x", -7), "x-7%");
    CHECK_TEXT(npart__arena_format(&arena, "%s", ""), "");
    char *wide = npart__arena_format(&arena, "%100000d", 5);
    REQUIRE(wide);
    CHECK_INT(strlen(wide), 100000);
    CHECK_INT(wide[99999], '5');
    counted.fail_at = counted.calls + 1;
    CHECK(npart__arena_format(&arena, "%200000d", 5) == NULL);
    counted.fail_at = counted.calls + 1;
    CHECK(npart__arena_copy_text(&arena, wide, 100000) == NULL);
    close_arena();
}

/* ---- giving back ------------------------------------------------------------------------------------------- */

static void test_arena__a_large_block_goes_back_at_once(void)
{
    static const unsigned orders[][5] = {
        {0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 0, 4, 1, 3}, {1, 3, 2, 4, 0}, {3, 0, 1, 4, 2}};
    open_arena(true);
    for (size_t i = 0; i < NPART__COUNT(orders); i++) {
        unsigned char *blocks[5];
        size_t blocks_before = counted.live_blocks, bytes_before = counted.live_bytes;
        for (unsigned k = 0; k < 5; k++) {
            blocks[k] = npart__arena_allocate(&arena, 40000 + k * 1000);
            REQUIRE(blocks[k]);
            fill(blocks[k], 40000 + k * 1000, k);
        }
        CHECK_INT(counted.live_blocks, blocks_before + 5);
        for (unsigned k = 0; k < 5; k++) {
            npart__arena_release(&arena, blocks[orders[i][k]]);
            CHECK_INT(counted.live_blocks, blocks_before + 4 - k);
            check_total();
            for (unsigned rest = k + 1; rest < 5; rest++)
                CHECK(is_filled(blocks[orders[i][rest]], 40000 + orders[i][rest] * 1000, orders[i][rest]));
        }
        CHECK_INT(counted.live_bytes, bytes_before);
    }
    close_arena();
}

static void test_arena__releasing_little_or_nothing_is_fine(void)
{
    open_arena(true);
    char *first = npart__arena_copy_text(&arena, "first", 5), *second = npart__arena_copy_text(&arena, "second", 6);
    npart__arena_release(&arena, NULL);
    npart__arena_release(&arena, first);
    char *third = npart__arena_copy_text(&arena, "third", 5);
    CHECK_TEXT(second, "second");
    CHECK_TEXT(third, "third");
    close_arena();
}

static void test_arena__clearing_leaves_it_usable(void)
{
    open_arena(true);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 500; i++)
            REQUIRE(npart__arena_allocate(&arena, i * 100));
        npart__arena_clear(&arena);
        CHECK_INT(counted.live_blocks, 0);
        CHECK_INT(arena.total_bytes, 0);
    }
    npart__arena_clear(&arena);
    close_arena();
    struct npart__arena never_used = {0};
    npart__arena_clear(&never_used);
}

/* Small and large memory of either, or of neither: it stays what it is, large blocks can still leave, and both arenas
 * go on. */
static void test_arena__what_is_taken_goes_with_the_taker(void)
{
    for (unsigned has = 0; has < 4; has++) {
        struct npart__arena other;
        unsigned char *memory[4] = {NULL};
        open_arena(true);
        npart__arena_init(&other, &counted.allocator);
        for (unsigned i = 0; i < 4; i++)
            if (has >> (i / 2) & 1)
                fill(memory[i] = npart__arena_allocate(i < 2 ? &arena : &other, i % 2 ? 100000 : 5000), 5000, i);
        npart__arena_take(&arena, &other);
        check_total();
        CHECK_INT(other.total_bytes, 0);
        fill(npart__arena_allocate(&other, 5000), 5000, 9);
        npart__arena_clear(&other);
        fill(npart__arena_allocate(&arena, 3000), 3000, 8);
        for (unsigned i = 0; i < 4; i++)
            CHECK(!memory[i] || is_filled(memory[i], 5000, i));
        npart__arena_release(&arena, memory[3]);
        npart__arena_release(&arena, memory[1]);
        check_total();
        close_arena();
    }
}

static void test_arena__without_an_allocator_it_uses_malloc(void)
{
    struct npart__arena plain;
    npart__arena_init(&plain, NULL);
    unsigned char *memory = npart__arena_allocate(&plain, 100000);
    REQUIRE(memory);
    fill(memory, 100000, 5);
    memory = npart__arena_resize(&plain, memory, 100000, 1000000);
    REQUIRE(memory);
    CHECK(is_filled(memory, 100000, 5));
    npart__arena_clear(&plain);
}

/* ---- resizing ---------------------------------------------------------------------------------------------- */

/* From each size to each other, after a neighbour was allocated or not. */
static void resize_between(size_t from, size_t to, bool has_neighbour)
{
    unsigned char *memory = npart__arena_allocate(&arena, from), *neighbour = NULL;
    REQUIRE(memory);
    fill(memory, from, 6);
    if (has_neighbour) {
        neighbour = npart__arena_allocate(&arena, 64);
        REQUIRE(neighbour);
        fill(neighbour, 64, 7);
    }
    unsigned char *moved = npart__arena_resize(&arena, memory, from, to);
    REQUIRE(moved);
    CHECK_INT((uintptr_t)moved % 8, 0);
    CHECK(is_filled(moved, from < to ? from : to, 6));
    fill(moved, to, 8);
    CHECK(!neighbour || is_filled(neighbour, 64, 7));
    unsigned char *next = npart__arena_allocate(&arena, 64);
    REQUIRE(next);
    fill(next, 64, 9);
    CHECK(is_filled(moved, to, 8));
    check_total();
}

static void resize_everywhere(void)
{
    static const size_t steps[] = {1, 8, 16, 17, 1000, 4080, 4096, 9000, 32767, 32768, 32769, 100000, 300000};
    for (size_t i = 0; i < NPART__COUNT(steps); i++)
        for (size_t k = 0; k < NPART__COUNT(steps); k++)
            for (int has_neighbour = 0; has_neighbour < 2; has_neighbour++)
                resize_between(steps[i], steps[k], has_neighbour);
}

static void test_arena__resizing_keeps_contents(void)
{
    open_arena(true);
    resize_everywhere();
    close_arena();
}

static void test_arena__resizing_without_resize(void)
{
    open_arena(false);
    resize_everywhere();
    close_arena();
}

static void test_arena__resizing_where_blocks_come_less_aligned(void)
{
    open_arena(true);
    counted.shifts = true;
    resize_everywhere();
    close_arena();
}

static void test_arena__the_newest_small_one_grows_in_place(void)
{
#if !defined(__SANITIZE_ADDRESS__)
    open_arena(true);
    char *memory = npart__arena_allocate(&arena, 20);
    REQUIRE(memory);
    size_t calls = counted.calls;
    CHECK(npart__arena_resize(&arena, memory, 20, 2000) == memory);
    CHECK(npart__arena_resize(&arena, memory, 2000, 100) == memory);
    char *next = npart__arena_allocate(&arena, 16);
    CHECK(next >= memory + 100 && next <= memory + 128); /* what shrinking freed is used */
    CHECK(npart__arena_resize(&arena, memory, 100, 200) != memory); /* no longer the newest */
    CHECK_INT(counted.calls, calls);
    close_arena();
#endif
}

static void test_arena__a_resized_block_can_still_leave(void)
{
    open_arena(true);
    char *blocks[4];
    for (unsigned i = 0; i < 4; i++) {
        blocks[i] = npart__arena_allocate(&arena, 50000);
        REQUIRE(blocks[i]);
    }
    /* The newest, one between, the oldest: each has other neighbours in the chain. */
    for (unsigned i = 0; i < 4; i++) {
        blocks[3 - i] = npart__arena_resize(&arena, blocks[3 - i], 50000, 200000);
        REQUIRE(blocks[3 - i]);
    }
    for (unsigned i = 0; i < 4; i++) {
        npart__arena_release(&arena, blocks[i]);
        CHECK_INT(counted.live_blocks, 3 - i);
        check_total();
    }
    close_arena();
}

static void test_arena__a_failed_resize_leaves_the_old(void)
{
    static const size_t from[] = {100, 5000, 50000};
    for (size_t i = 0; i < NPART__COUNT(from); i++) {
        for (int resizes = 0; resizes < 2; resizes++) {
            open_arena(resizes);
            unsigned char *memory = npart__arena_allocate(&arena, from[i]);
            REQUIRE(memory && npart__arena_allocate(&arena, 16));
            fill(memory, from[i], 10);
            counted.fail_at = counted.calls + 1;
            CHECK(npart__arena_resize(&arena, memory, from[i], 500000) == NULL);
            CHECK_INT(counted.failures, 1);
            CHECK(is_filled(memory, from[i], 10));
            check_total();
            memory = npart__arena_resize(&arena, memory, from[i], 500000);
            REQUIRE(memory);
            CHECK(is_filled(memory, from[i], 10));
            close_arena();
        }
    }
}

/* ---- arrays ------------------------------------------------------------------------------------------------ */

static void test_arena__arrays_grow(void)
{
    struct NPART__ARRAY(uint32_t) numbers = {0};
    struct NPART__ARRAY(char) letters = {0};
    open_arena(true);
    for (uint32_t i = 0; i < 200000; i++) {
        REQUIRE(NPART__PUSH(&arena, &numbers, i * 3));
        REQUIRE(NPART__PUSH(&arena, &letters, (char)(i % 26)));
        CHECK(numbers.capacity >= numbers.count);
    }
    CHECK_INT(numbers.count, 200000);
    for (uint32_t i = 0; i < 200000; i++)
        REQUIRE(numbers.items[i] == i * 3 && letters.items[i] == (char)(i % 26));
    CHECK(counted.calls < 200); /* in steps, not one by one */
    close_arena();
}

static void test_arena__arrays_refuse_absurd_counts(void)
{
    struct wide {
        char bytes[4096];
    };
    struct NPART__ARRAY(char) letters = {0};
    struct NPART__ARRAY(struct wide) wide = {0};
    open_arena(true);
    REQUIRE(NPART__PUSH(&arena, &letters, 'x'));
    CHECK(!NPART__RESERVE(&arena, &letters, SIZE_MAX / 2));
    CHECK(!NPART__RESERVE(&arena, &letters, SIZE_MAX)); /* wraps to 0 with the one there */
    CHECK(!NPART__RESERVE(&arena, &letters, (size_t)INT32_MAX)); /* one more than 2^31 - 1 with the one there */
    CHECK(!NPART__RESERVE(&arena, &letters, UINT32_MAX));
    CHECK(!NPART__RESERVE(&arena, &wide, (size_t)INT32_MAX));
    CHECK(!NPART__RESERVE(&arena, &wide, SIZE_MAX / sizeof(struct wide) + 1)); /* wraps to 0 */
    CHECK_INT(letters.count, 1);
    CHECK_INT(letters.items[0], 'x');
    CHECK(wide.items == NULL && wide.count == 0 && wide.capacity == 0);
    CHECK(NPART__RESERVE(&arena, &letters, 0));
    CHECK(NPART__RESERVE(&arena, &letters, 999));
    CHECK(letters.capacity >= 1000);
    close_arena();
}

static void test_arena__a_failed_push_leaves_the_array(void)
{
    struct NPART__ARRAY(uint64_t) numbers = {0};
    open_arena(true);
    for (uint64_t i = 0; i < 50000; i++) {
        if (numbers.count == numbers.capacity) {
            counted.fail_at = counted.calls + 1;
            size_t failures = counted.failures;
            if (!NPART__PUSH(&arena, &numbers, i)) {
                CHECK_INT(numbers.count, i);
                CHECK_INT(counted.failures, failures + 1);
            } else {
                continue; /* it grew within its block */
            }
            counted.fail_at = 0;
        }
        REQUIRE(NPART__PUSH(&arena, &numbers, i));
    }
    CHECK(counted.failures > 5);
    for (uint64_t i = 0; i < 50000; i++)
        REQUIRE(numbers.items[i] == i);
    close_arena();
}

TESTS(test_arena__blocks_are_aligned_and_apart, test_arena__many_small_requests_share_blocks,
      test_arena__absurd_sizes_are_refused, test_arena__zeroed_is_zero_and_checks_its_product, test_arena__texts,
      test_arena__a_large_block_goes_back_at_once, test_arena__releasing_little_or_nothing_is_fine,
      test_arena__clearing_leaves_it_usable, test_arena__what_is_taken_goes_with_the_taker,
      test_arena__without_an_allocator_it_uses_malloc,
      test_arena__resizing_keeps_contents, test_arena__resizing_without_resize,
      test_arena__resizing_where_blocks_come_less_aligned, test_arena__the_newest_small_one_grows_in_place,
      test_arena__a_resized_block_can_still_leave, test_arena__a_failed_resize_leaves_the_old,
      test_arena__arrays_grow, test_arena__arrays_refuse_absurd_counts, test_arena__a_failed_push_leaves_the_array)
