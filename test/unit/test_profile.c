/* SPDX-License-Identifier: Apache-2.0
 *
 * What real runs left, as the tool reads it: events, logs, records, and their limits.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/json_memory.h"
#include "../../tools/profile.h"
#include "support/test.h"

static bool read_text(struct profile *profile, const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    strcpy(copy, text);
    FILE *file = fmemopen(copy, strlen(text), "rb");
    bool is_read = file && profile_read(profile, file);
    if (file)
        (void)fclose(file);
    free(copy);
    return is_read;
}

#define RUN(us) "{\"cat\":\"Session\",\"name\":\"model_run\",\"dur\":" us "}"
#define KERNEL(name, op, provider, us)                                                                                 \
    "{\"cat\":\"Node\",\"name\":\"" name "_kernel_time\",\"dur\":" us ",\"args\":{\"op_name\":\"" op                  \
    "\",\"provider\":\"" provider "\"}}"

static void test_profile__events_add_up(void)
{
    struct profile profile;
    CHECK(read_text(&profile, "[" KERNEL("a", "Add", "CPUExecutionProvider", "3") ",\n" KERNEL("b", "Mul", "Q", "5") ","
                              "{\"cat\":\"Session\",\"name\":\"model_run\",\"dur\":10},"
                              "{\"cat\":\"Node\",\"name\":\"a_fence_before\",\"dur\":1,\"args\":{}},"
                              "{\"ph\":\"M\",\"name\":\"process_name\"},"
                              KERNEL("a", "Add", "CPUExecutionProvider", "4.5") "]"));
    CHECK(profile.kind == PROFILE_EVENTS && profile.node_count == 2 && profile.provider_count == 2);
    CHECK(profile.runs == 1 && profile.total_us == 10 && profile_warm_ms(&profile, 10, 10) == 0.01);
    CHECK_TEXT(profile.first->name, "a");
    CHECK(profile.first->runs == 2 && profile.first->total_us == 7.5 && profile.first->index == -1);
    CHECK(profile_is_cpu(&profile, profile.first->provider));
    CHECK_TEXT(profile.first->next->op, "Mul");
    CHECK(!profile_is_cpu(&profile, profile.first->next->provider) && !profile.first->next->next);
    profile_free(&profile);
}

static void test_profile__the_first_run_warms_up(void)
{
    struct profile profile;
    CHECK(read_text(&profile, "[" KERNEL("a", "Add", "Q", "9") "," RUN("10") "," KERNEL("a", "Add", "Q", "1")
                              "," RUN("4") "," KERNEL("a", "Add", "Q", "3") "," RUN("6") "]"));
    CHECK(profile_warm_ms(&profile, profile.total_us, profile.first_us) == 0.005);
    CHECK(profile_warm_ms(&profile, profile.first->total_us, profile.first->first_us) == 0.002);
    profile_free(&profile);
}

static void test_profile__other_tools_save_an_object(void)
{
    struct profile profile;
    CHECK(read_text(&profile, "{\"traceEvents\":[" KERNEL("a", "Add", "Q", "3") "]}"));
    CHECK(profile.kind == PROFILE_EVENTS && profile.node_count == 1);
    profile_free(&profile);
}

static void test_profile__log(void)
{
    struct profile profile;
    CHECK(read_text(&profile,
                    "[V] LogNodeSupport] Validation FAILED for 2 nodes in OrtNodeUnit (Pad) :\n"
                    "\tOperator type: Pad Node name: p Node index: 2\n"
                    "\tOperator type: Mul Node name: m Node index: 1 Node index: 3\n"
                    "\tREASON : no such mode.\n"
                    "\tOperator type: Add Node name: not asked Node index: 3\n"
                    "[V] VerifyEachNodeIsAssignedToAnEp] Node placements\n"
                    "[V] VerifyEachNodeIsAssignedToAnEp]  Node(s) placed on [Q]. Number of nodes: 1\n"
                    "[V] VerifyEachNodeIsAssignedToAnEp]   Q_1 (Q_Q_1_0)\n"
                    "[V] VerifyEachNodeIsAssignedToAnEp]  Node(s) placed on [CPUExecutionProvider]. Number of nodes: 1"
                    "\n"
                    "[V] VerifyEachNodeIsAssignedToAnEp]   Mul (m Node index: 1)\n"));
    CHECK(profile.kind == PROFILE_LOG && profile.node_count == 3 && profile.all_on_provider == UINT32_MAX);
    const struct placed_node *pad = profile.first, *mul = pad->next, *partition = mul->next;
    CHECK(!pad->is_placed && !pad->reason && mul->is_placed && partition->is_placed);
    CHECK_TEXT(mul->name, "m Node index: 1");
    CHECK_TEXT(mul->reason, "no such mode.");
    CHECK_TEXT(partition->name, "Q_Q_1_0");
    profile_free(&profile);
}

static void test_profile__log_of_one_provider(void)
{
    struct profile profile;
    CHECK(read_text(&profile, "VerifyEachNodeIsAssignedToAnEp]  All nodes placed on [Q]. Number of nodes: 7\r\n"));
    CHECK(profile.node_count == 0 && profile.all_on_provider == 0 && profile.all_count == 7);
    profile_free(&profile);
}

static void check_refused(const char *text)
{
    struct profile profile;
    CHECK(!read_text(&profile, text));
    CHECK_TEXT(profile.problem,
               "node 0 of the record: expected \"name\" (a text) or \"index\" (from 0), and \"ep\" (a text)");
    profile_free(&profile);
}

static void test_profile__a_record_needs_no_names(void)
{
    struct profile profile;
    CHECK(read_text(&profile, "{\"nodes\":[{\"index\":0,\"ep\":\"Q\"},{\"index\":1,\"name\":null,\"ep\":\"Q\"},"
                              "{\"index\":null,\"name\":\"n\",\"ep\":\"Q\"}]}"));
    CHECK(profile.node_count == 3 && profile.first->index == 0 && profile.first->next->index == 1);
    CHECK_TEXT(profile.first->name, "");
    CHECK_TEXT(profile.last->name, "n");
    CHECK(profile.last->index == -1);
    profile_free(&profile);
    check_refused("{\"nodes\":[{\"ep\":\"Q\"}]}");
    check_refused("{\"nodes\":[{\"index\":-1,\"ep\":\"Q\"}]}");
    check_refused("{\"nodes\":[{\"index\":0,\"name\":3,\"ep\":\"Q\"}]}");
    check_refused("{\"nodes\":[{\"index\":\"0\",\"ep\":\"Q\"}]}");
    check_refused("{\"nodes\":[{\"index\":0}]}");
}

static void test_profile__record_tells_nodes_of_one_name_apart(void)
{
    struct profile profile;
    CHECK(read_text(&profile, "{\"nodes\":[{\"name\":\"\",\"index\":3,\"op\":\"Add\",\"ep\":\"Q\"},"
                              "{\"name\":\"\",\"index\":4,\"op\":\"Add\",\"ep\":\"Q\"}],\"partitions\":[[],[]]}"));
    CHECK(profile.kind == PROFILE_RECORD && profile.node_count == 2);
    CHECK(profile.has_partitions && profile.partitions == 2);
    CHECK(profile.first->index == 3 && profile.first->next->index == 4);
    profile_free(&profile);
}

/* An event is held as a whole: of what it may take one byte too much, and as much as goes. */
static void check_event_bytes(size_t bytes, bool is_fine)
{
    struct profile profile;
    static const char before[] = "[{\"a\":\"", after[] = "\"}," KERNEL("a", "Add", "Q", "3") "]";
    char *text = malloc(bytes + sizeof before + sizeof after);
    size_t length = sizeof before - 1;
    memcpy(text, before, length);
    memset(text + length, 'x', bytes);
    memcpy(text + length + bytes, after, sizeof after);
    CHECK(read_text(&profile, text) == is_fine);
    CHECK(is_fine || strstr(profile.problem, "takes more than 64 MiB"));
    profile_free(&profile);
    free(text);
}

static void test_profile__an_event_has_a_limit(void)
{
    check_event_bytes(MOST_JSON_BYTES / 4, true); /* the text is held twice, and its buffer doubles */
    check_event_bytes(MOST_JSON_BYTES, false);
}

static void test_profile__nodes_have_a_limit(void)
{
    struct profile profile = {.all_on_provider = UINT32_MAX};
    char name[16];
    for (uint32_t i = 0; i < MOST_PROFILE_NODES; i++) {
        (void)snprintf(name, sizeof name, "%x", i);
        if (!profile_node(&profile, name, "", "Q", -1))
            break;
    }
    CHECK(profile.node_count == MOST_PROFILE_NODES && !*profile.problem);
    CHECK(profile_node(&profile, "0", "", "Q", -1) == profile.first);
    CHECK(!profile_node(&profile, "one more", "", "Q", -1));
    CHECK_TEXT(profile.problem, "too many different nodes");
    profile_free(&profile);
}

static void test_profile__providers_have_a_limit(void)
{
    struct profile profile = {.all_on_provider = UINT32_MAX};
    char name[16];
    for (uint32_t i = 0; i < MOST_PROVIDERS; i++) {
        (void)snprintf(name, sizeof name, "P%u", i);
        CHECK(profile_provider(&profile, name) == i);
    }
    CHECK(profile_provider(&profile, "P3") == 3);
    CHECK(profile_provider(&profile, "one more") == UINT32_MAX);
    CHECK_TEXT(profile.problem, "too many execution providers");
    profile_free(&profile);
}

static void test_profile__a_long_line_is_cut(void)
{
    struct profile profile;
    static const char line[] = "VerifyEachNodeIsAssignedToAnEp]  All nodes placed on [Q]. Number of nodes: 7\n";
    char *text = malloc(MOST_LOG_LINE + 2 * sizeof line);
    memset(text, 'x', MOST_LOG_LINE - 1);
    strcpy(text + MOST_LOG_LINE - 1, line); /* the rest of a line, not one of its own */
    CHECK(!read_text(&profile, text));
    profile_free(&profile);
    text[MOST_LOG_LINE - 2] = '\n';
    CHECK(read_text(&profile, text));
    profile_free(&profile);
    free(text);
}

TESTS(test_profile__events_add_up, test_profile__the_first_run_warms_up,
      test_profile__other_tools_save_an_object, test_profile__log,
      test_profile__log_of_one_provider, test_profile__a_record_needs_no_names,
      test_profile__record_tells_nodes_of_one_name_apart,
      test_profile__an_event_has_a_limit, test_profile__nodes_have_a_limit, test_profile__providers_have_a_limit,
      test_profile__a_long_line_is_cut)
