/* SPDX-License-Identifier: Apache-2.0
 *
 * Interned strings: equal texts and only those share an id, ids count from 0, and running out of memory leaves
 * everything that was interned before in place.
 */
#include "base/base.h"
#include "support/counted.h"
#include "support/test.h"

static struct npart__arena arena;
static struct npart__strings strings;

static void open_strings(void)
{
    npart__arena_init(&arena, NULL);
    REQUIRE(npart__strings_init(&strings, &arena));
}

static uint32_t intern(const char *text)
{
    return npart__intern(&strings, text, strlen(text), true);
}

static uint32_t find(const char *text)
{
    return npart__strings_find(&strings, text, strlen(text));
}

static void test_strings__ids_count_from_the_empty_text(void)
{
    open_strings();
    CHECK_INT(intern(""), 0);
    CHECK_TEXT(npart__text(&strings, 0), "");
    CHECK_INT(intern("a"), 1);
    CHECK_INT(intern("b"), 2);
    CHECK_INT(intern("a"), 1);
    CHECK_INT(intern("c"), 3);
    CHECK_TEXT(npart__text(&strings, 2), "b");
    CHECK_TEXT(npart__text(&strings, 4), ""); /* no such id */
    CHECK_TEXT(npart__text(&strings, NPART_NONE), "");
    npart__arena_clear(&arena);
}

/* Pairs that a careless comparison or hash takes for one. */
static void test_strings__different_texts_have_different_ids(void)
{
    static const struct {
        const char *text;
        size_t length;
    } texts[] = {
        {"", 0},           {"\0", 1},         {"\0\0", 2},       {"a", 1},           {"a\0", 2},
        {"\0a", 2},        {"aa", 2},         {"A", 1},          {"abcdefgh", 8},    {"abcdefg\0", 8},
        {"abcdefghi", 9},  {"abcdefgi", 8},   {"bbcdefgh", 8},   {"abcdefghabcdefgh", 16},
        {"abcdefghabcdefg", 15}, {"\xff", 1}, {"\xfe\xff", 2},   {"\xc3\xa9", 2},    {"e\xcc\x81", 3},
        {"\x80\x80\x80\x80\x80\x80\x80\x80", 8}, {"\x7f\x80\x80\x80\x80\x80\x80\x80", 8},
    };
    uint32_t ids[NPART__COUNT(texts)];
    open_strings();
    for (size_t i = 0; i < NPART__COUNT(texts); i++) {
        ids[i] = npart__intern(&strings, texts[i].text, texts[i].length, true);
        for (size_t k = 0; k < i; k++)
            CHECK(ids[i] != ids[k]);
    }
    for (size_t i = 0; i < NPART__COUNT(texts); i++) {
        char copy[32] = {0}; /* the same bytes elsewhere, at an odd address */
        memcpy(copy + 1, texts[i].text, texts[i].length);
        CHECK_INT(npart__intern(&strings, copy + 1, texts[i].length, true), ids[i]);
        CHECK_INT(npart__strings_find(&strings, copy + 1, texts[i].length), ids[i]);
        CHECK(memcmp(npart__text(&strings, ids[i]), texts[i].text, texts[i].length) == 0);
    }
    npart__arena_clear(&arena);
}

static void test_strings__copied_only_on_request(void)
{
    char first[] = "first", second[] = "second";
    open_strings();
    uint32_t kept = npart__intern(&strings, first, 5, false), copied = npart__intern(&strings, second, 6, true);
    CHECK(npart__text(&strings, kept) == first);
    CHECK(npart__text(&strings, copied) != second);
    second[0] = 'S';
    CHECK_TEXT(npart__text(&strings, copied), "second");
    CHECK_INT(intern("second"), copied);
    CHECK_INT(intern("Second"), copied + 1);
    npart__arena_clear(&arena);
}

static void test_strings__finding_adds_nothing(void)
{
    open_strings();
    CHECK_INT(find(""), 0);
    CHECK_INT(find("a"), NPART_NONE);
    CHECK_INT(intern("b"), 1);
    CHECK_INT(find("a"), NPART_NONE);
    CHECK_INT(find("b"), 1);
    CHECK_INT(npart__strings_find(&strings, "bc", 1), 1);
    npart__arena_clear(&arena);
}

/* What is taken away is not found, and its ids are given again. */
static void test_strings__cut(void)
{
    open_strings();
    CHECK_INT(npart__intern(&strings, "a", 1, true), 1);
    for (uint32_t i = 0; i < 100; i++) {
        char text[8];
        int length = snprintf(text, sizeof text, "b%u", i);
        CHECK_INT(npart__intern(&strings, text, (size_t)length, true), 2 + i);
    }
    npart__strings_cut(&strings, 2);
    CHECK_INT(npart__strings_find(&strings, "b0", 2), NPART_NONE);
    CHECK_INT(npart__strings_find(&strings, "b99", 3), NPART_NONE);
    CHECK_INT(npart__strings_find(&strings, "a", 1), 1);
    CHECK_INT(npart__intern(&strings, "b99", 3, true), 2);
    npart__strings_cut(&strings, 0);
    CHECK_INT(strings.texts.count, 1);
    CHECK_INT(npart__intern(&strings, "a", 1, true), 1);
    npart__arena_clear(&arena);
}

/* Known by their addresses: also where another text begins at the same one, in a copy, and no longer once they are
 * taken away. */
static void test_strings__own_texts(void)
{
    static const char text[] = "abc", other[] = "abc";
    struct npart__strings copy;
    open_strings();
    CHECK_INT(npart__strings_find_text(&strings, text), NPART_NONE);
    CHECK_INT(npart__intern(&strings, text, 2, false), 1);
    CHECK_INT(npart__strings_find_text(&strings, text), NPART_NONE);
    CHECK_INT(npart__intern_text(&strings, text), 2);
    CHECK_INT(npart__intern_text(&strings, text), 2);
    CHECK_INT(npart__intern_text(&strings, other), 2);
    CHECK_INT(npart__intern_text(&strings, ""), 0);
    CHECK_INT(npart__strings_find_text(&strings, ""), 0);
    REQUIRE(npart__strings_copy(&strings, &arena, &copy));
    CHECK_INT(npart__strings_find_text(&copy, text), 2);
    CHECK_INT(npart__strings_find(&copy, "ab", 2), 1);
    CHECK_INT(npart__intern_text(&copy, "d"), 3);
    npart__strings_cut(&strings, 2);
    CHECK_INT(npart__strings_find_text(&strings, text), NPART_NONE);
    CHECK_INT(npart__strings_find_text(&copy, text), 2);
    npart__arena_clear(&arena);
}

/* Texts of another table are found by what they say, too, and have ids of their own. */
static void test_strings__like_another(void)
{
    static const char first[] = "first", second[] = "second", again[] = "second";
    struct npart__strings like;
    open_strings();
    CHECK_INT(npart__intern_text(&strings, first), 1);
    CHECK_INT(npart__intern_text(&strings, second), 2);
    REQUIRE(npart__strings_init_like(&like, &strings, &arena));
    CHECK_INT(npart__intern_text(&like, again), 1);
    CHECK_INT(npart__intern_text(&like, second), 1);
    CHECK_INT(npart__intern_text(&like, first), 2);
    CHECK_INT(npart__intern_text(&like, ""), 0);
    CHECK_INT(npart__strings_find(&like, "first", 5), 2);
    CHECK_INT(npart__strings_find(&like, "", 0), 0);
    CHECK(npart__text(&like, 1) == again && npart__text(&like, 2) == first);
    npart__arena_clear(&arena);
}

static void test_strings__texts_too_long_are_refused(void)
{
    open_strings();
#if SIZE_MAX > UINT32_MAX
    CHECK_INT(npart__intern(&strings, "x", (size_t)UINT32_MAX + 1, false), NPART_NONE);
    CHECK_INT(npart__strings_find(&strings, "x", (size_t)UINT32_MAX + 1), NPART_NONE);
#endif
    CHECK_INT(npart__strings_find(&strings, "x", SIZE_MAX), NPART_NONE);
    CHECK_INT(npart__intern(&strings, "x", SIZE_MAX, true), NPART_NONE);
    CHECK_INT(intern("x"), 1);
    npart__arena_clear(&arena);
}

static void name_of(unsigned number, char *out, size_t bytes)
{
    (void)snprintf(out, bytes, "/model/layers.%u/self_attn/Add_output_%u", number / 7, number);
}

static void test_strings__a_hundred_thousand(void)
{
    enum { MANY = 100000 };
    char name[64];
    open_strings();
    for (unsigned i = 0; i < MANY; i++) {
        name_of(i, name, sizeof name);
        REQUIRE(intern(name) == i + 1);
    }
    for (unsigned i = 0; i < MANY; i++) {
        name_of(i, name, sizeof name);
        REQUIRE(find(name) == i + 1 && intern(name) == i + 1);
        REQUIRE(strcmp(npart__text(&strings, i + 1), name) == 0);
    }
    npart__arena_clear(&arena);
}

/* Texts that fall into one place where a table's hash multiplies and folds without a key. */
static void test_strings__chosen_texts_are_spread(void)
{
    enum { MANY = 20000, PLACES = 32768 };
    static unsigned char filled[PLACES];
    unsigned most = 0;
    open_strings();
    for (uint64_t i = 0; i < MANY; i++) {
        uint64_t words[2] = {i, UINT64_C(0x9e3779b97f4a7c15) ^ sizeof words ^ i};
        words[1] *= UINT64_C(0xff51afd7ed558ccd);
        words[1] ^= words[1] >> 32;
        REQUIRE(npart__intern(&strings, (const char *)words, sizeof words, true) == i + 1);
        unsigned in_place = ++filled[npart__hash_bytes(&strings.key, words, sizeof words) % PLACES];
        most = in_place > most ? in_place : most;
    }
    CHECK(most < 20);
    npart__arena_clear(&arena);
}

/* SipHash-1-3 of the bytes 0, 1, 2, ... under the key of the specification's example. */
static void test_strings__hash_is_siphash(void)
{
    static const struct npart__hash_key key = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
    static const struct {
        size_t count;
        uint64_t hash;
    } rows[] = {{0, UINT64_C(0xabac0158050fc4dc)},  {1, UINT64_C(0xc9f49bf37d57ca93)},
                {7, UINT64_C(0xd3927d989bb11140)},  {8, UINT64_C(0x369095118d299a8e)},
                {15, UINT64_C(0xd320d86d2a519956)}, {63, UINT64_C(0x9d199062b7bbb3a8)}};
    unsigned char bytes[64];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    for (size_t i = 0; i < NPART__COUNT(rows); i++)
        CHECK(npart__hash_bytes(&key, bytes, rows[i].count) == rows[i].hash);
    struct npart__hash hash = npart__hash_begin(&key);
    npart__hash_word(&hash, UINT64_C(0x0706050403020100));
    npart__hash_word(&hash, UINT64_C(0x0800000000000000));
    CHECK(npart__hash_end(hash) == rows[3].hash);
}

static void test_strings__keys_differ(void)
{
    struct npart__hash_key keys[3];
    for (unsigned i = 0; i < 3; i++)
        npart__hash_key_init(&keys[i]);
    for (unsigned i = 0; i < 3; i++)
        CHECK(keys[i].low != keys[(i + 1) % 3].low && keys[i].high != keys[(i + 1) % 3].high);
}

static void test_strings__cache_slots_are_in_range_and_spread(void)
{
    unsigned used = 0;
    bool seen[NPART__CACHE_SLOTS] = {false};
    CHECK(npart__cache_slot(NPART_NONE) < NPART__CACHE_SLOTS);
    for (uint32_t id = 0; id < 1024; id++) {
        uint32_t slot = npart__cache_slot(id);
        REQUIRE(slot < NPART__CACHE_SLOTS);
        used += !seen[slot];
        seen[slot] = true;
    }
    CHECK(used > 512); /* neighbouring ids do not fight over a few slots */
}

/* The n-th allocation fails, once: that text gets no id, everything else does. */
static unsigned intern_with_failure(size_t fail_at)
{
    enum { SOME = 700 }; /* the table grows a few times on the way */
    struct counted counted;
    char name[64];
    unsigned refused = 0;
    uint32_t ids[SOME];
    counted_init(&counted, true);
    npart__arena_init(&arena, &counted.allocator);
    counted.fail_at = fail_at;
    if (!npart__strings_init(&strings, &arena)) {
        CHECK_INT(counted.failures, 1);
        npart__arena_clear(&arena);
        CHECK_INT(counted.live_blocks, 0);
        return 1;
    }
    for (unsigned i = 0; i < SOME; i++) {
        name_of(i, name, sizeof name);
        ids[i] = intern(name);
        refused += ids[i] == NPART_NONE;
        CHECK_INT(find(name), ids[i]);
        if (ids[i] == NPART_NONE)
            ids[i] = intern(name); /* memory is back: it works now */
        CHECK_INT(ids[i], i + 1);  /* and no id was lost */
        CHECK_INT(strings.texts.count, i + 2);
    }
    for (unsigned i = 0; i < SOME; i++) {
        name_of(i, name, sizeof name);
        CHECK_INT(find(name), ids[i]);
        CHECK_TEXT(npart__text(&strings, ids[i]), name);
    }
    CHECK_INT(refused, counted.failures);
    npart__arena_clear(&arena);
    CHECK_INT(counted.live_blocks, 0);
    return (unsigned)counted.failures;
}

static void test_strings__out_of_memory_loses_nothing(void)
{
    unsigned failed = 0;
    for (size_t fail_at = 1; intern_with_failure(fail_at) > 0; fail_at++)
        failed++;
    CHECK(failed >= 4);
}

TESTS(test_strings__ids_count_from_the_empty_text, test_strings__different_texts_have_different_ids,
      test_strings__copied_only_on_request, test_strings__finding_adds_nothing,
      test_strings__cut, test_strings__own_texts, test_strings__like_another, test_strings__texts_too_long_are_refused,
      test_strings__a_hundred_thousand,
      test_strings__chosen_texts_are_spread, test_strings__hash_is_siphash, test_strings__keys_differ,
      test_strings__cache_slots_are_in_range_and_spread, test_strings__out_of_memory_loses_nothing)
