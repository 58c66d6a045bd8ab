/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules that are read when they are asked for are those that are there when a list is read as a whole, whichever op is
 * asked for first; and where memory is short they are read at the next time.
 */
#include "npu_partition.h"
#include "oplist/oplist.h"
#include "support/test.h"

static struct npart__arena arenas[3]; /* of the two lists, and of texts */

static const char *condition_of(const struct npart__oplist *list, const struct npart__rule *rule)
{
    struct npart__buffer text = {.arena = &arenas[2]};
    if (rule->condition != NPART_NONE)
        npart__append_term(list, rule->condition, &text);
    return npart__buffer_text(&text);
}

static void compare_rules(const struct npart__oplist *whole, const struct npart__oplist *late, uint32_t at)
{
    const struct npart__rule *a = &whole->rules.items[at], *b = &late->rules.items[at];
    CHECK_TEXT(b->id, a->id);
    CHECK_TEXT(b->sentence, a->sentence);
    CHECK_TEXT(b->because ? b->because : "", a->because ? a->because : "");
    CHECK_TEXT(b->source, a->source);
    CHECK_TEXT(condition_of(late, b), condition_of(whole, a));
    CHECK_INT(b->kind, a->kind);
    CHECK_INT(b->about, a->about);
    CHECK_INT(b->stage, a->stage);
    CHECK_INT(b->line, a->line);
    CHECK_INT(b->pattern, a->pattern);
    CHECK(b->is_fatal == a->is_fatal && b->is_limited == a->is_limited);
    CHECK(b->when.with == a->when.with && b->when.without == a->when.without && b->when.since == a->when.since &&
          b->when.before == a->when.before);
}

static void open_both(const struct npart__builtin_oplist *builtin, struct npart__oplist lists[2])
{
    for (size_t i = 0; i < 3; i++)
        npart__arena_init(&arenas[i], NULL);
    REQUIRE(npart__oplist_read((const char *)builtin->text, builtin->bytes, "l", &arenas[0], &lists[0], NULL, NULL) ==
            NPART_OK);
    REQUIRE(npart__oplist_open(builtin, "l", &arenas[1], &lists[1], NULL) == NPART_OK);
}

static void close_both(const struct npart__oplist *late)
{
    if (late->late)
        npart__late_free(late->late);
    for (size_t i = 0; i < 3; i++)
        npart__arena_clear(&arenas[i]);
}

static void test_late_rules__are_those_of_the_whole_list(void)
{
    uint32_t waiting = 0;
    for (const struct npart__builtin_oplist *builtin = npart__builtin_oplists; builtin->name; builtin++) {
        struct npart__oplist lists[2];
        open_both(builtin, lists);
        REQUIRE(lists[1].rules.count == lists[0].rules.count && lists[1].ops.count == lists[0].ops.count);
        CHECK_INT(lists[1].written_rule_count, lists[0].written_rule_count);
        CHECK_TEXT(lists[1].standing, lists[0].standing);
        CHECK(lists[1].asks_any_name == lists[0].asks_any_name);
        for (uint32_t i = lists[1].ops.count; i-- > 0;) { /* the last first */
            CHECK_INT(lists[1].ops.items[i].first_rule, lists[0].ops.items[i].first_rule);
            CHECK_INT(lists[1].ops.items[i].rule_count, lists[0].ops.items[i].rule_count);
            waiting += lists[1].ops.items[i].late != 0;
            if (i % 2)
                npart__need_entry(&lists[1], i);
        }
        CHECK(npart__need_rules(&lists[1], NPART_NONE) && !npart__has_failed_late(&lists[1]));
        for (uint32_t i = 0; i < lists[0].rules.count; i++)
            compare_rules(&lists[0], &lists[1], i);
        close_both(&lists[1]);
    }
    CHECK(waiting > 100);
}

static bool is_short;

static void *take(void *payload, size_t bytes)
{
    (void)payload;
    return is_short ? NULL : malloc(bytes);
}

static void give(void *payload, void *memory)
{
    (void)payload;
    free(memory);
}

static void test_late_rules__are_read_once_there_is_memory(void)
{
    const struct npart_allocator allocator = {.allocate = take, .release = give};
    struct npart_rule rule = {.size = sizeof rule};
    struct npart_oplist_info info = {.size = sizeof info};
    npart_oplist *list = NULL;
    is_short = false;
    REQUIRE(npart_oplist_find(&list, "hexagon", &allocator, NULL) == NPART_OK);
    REQUIRE(npart_oplist_info(list, &info));
    is_short = true;
    uint32_t lacking = 0;
    for (uint32_t i = 0; i < info.all_rule_count; i++)
        lacking += !npart_oplist_rule(list, i, &rule);
    CHECK(lacking > 0); /* not all fits in what was taken before */
    is_short = false;
    for (uint32_t i = 0; i < info.all_rule_count; i++)
        CHECK(npart_oplist_rule(list, i, &rule) && *rule.id);
    npart_oplist_free(list);
}

TESTS(test_late_rules__are_those_of_the_whole_list, test_late_rules__are_read_once_there_is_memory)
