/* SPDX-License-Identifier: Apache-2.0
 *
 * What real runs left, as it is read: events, logs, records, and their limits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs/runs.h"
#include "support/test.h"

/* What is wrong stands in `problem`. */
static char problem[sizeof ((struct npart_error *)NULL)->message];

static bool read_text(npart_run **out, const char *text)
{
    struct npart__text_stream input = {text, strlen(text)};
    struct npart_error error;
    *out = NULL;
    npart_status status = npart_run_read(out, npart__read_text, &input, NULL, &error);
    (void)snprintf(problem, sizeof problem, "%s", status == NPART_OK ? "" : error.message);
    return status == NPART_OK;
}

/* One to be filled by what readers call. */
static npart_run *open_run(void)
{
    npart_run *run = npart__handle_new(sizeof *run, NULL);
    REQUIRE(run && npart__strings_init(&run->names, &run->life->arena));
    return run;
}

#define NODE(i) (&run->nodes.items[i])
#define RUN(us) "{\"cat\":\"Session\",\"name\":\"model_run\",\"dur\":" us "}"
#define KERNEL(name, op, provider, us)                                                                                 \
    "{\"cat\":\"Node\",\"name\":\"" name "_kernel_time\",\"dur\":" us ",\"args\":{\"op_name\":\"" op                  \
    "\",\"provider\":\"" provider "\"}}"

static void test_profile__events_add_up(void)
{
    npart_run *run;
    CHECK(read_text(&run, "[" KERNEL("a", "Add", "CPUExecutionProvider", "3") ",\n" KERNEL("b", "Mul", "Q", "5") ","
                              "{\"cat\":\"Session\",\"name\":\"model_run\",\"dur\":10},"
                              "{\"cat\":\"Node\",\"name\":\"a_fence_before\",\"dur\":1,\"args\":{}},"
                              "{\"ph\":\"M\",\"name\":\"process_name\"},"
                              KERNEL("a", "Add", "CPUExecutionProvider", "4.5") "]"));
    CHECK(strcmp(run->kind, "profile") == 0 && run->nodes.count == 2 && run->provider_count == 2);
    CHECK(run->runs == 1 && run->total_us == 10 && npart__run_warm_ms(run, 10, 10) == 0.01);
    CHECK_TEXT(NODE(0)->name, "a");
    CHECK(NODE(0)->runs == 2 && NODE(0)->total_us == 7.5 && NODE(0)->index == -1);
    CHECK(npart__run_is_cpu(run, NODE(0)->provider));
    CHECK_TEXT(NODE(1)->op, "Mul");
    CHECK(!npart__run_is_cpu(run, NODE(1)->provider) && run->nodes.count == 2);
    npart_run_free(run);
}

static void test_profile__the_first_run_warms_up(void)
{
    npart_run *run;
    CHECK(read_text(&run, "[" KERNEL("a", "Add", "Q", "9") "," RUN("10") "," KERNEL("a", "Add", "Q", "1")
                              "," RUN("4") "," KERNEL("a", "Add", "Q", "3") "," RUN("6") "]"));
    CHECK(npart__run_warm_ms(run, run->total_us, run->first_us) == 0.005);
    CHECK(npart__run_warm_ms(run, NODE(0)->total_us, NODE(0)->first_us) == 0.002);
    npart_run_free(run);
}

static void test_profile__other_tools_save_an_object(void)
{
    npart_run *run;
    CHECK(read_text(&run, "{\"traceEvents\":[" KERNEL("a", "Add", "Q", "3") "]}"));
    CHECK(strcmp(run->kind, "profile") == 0 && run->nodes.count == 1);
    npart_run_free(run);
}

static void test_profile__log(void)
{
    npart_run *run;
    CHECK(read_text(&run,
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
    CHECK(strcmp(run->kind, "log") == 0 && run->nodes.count == 3 && run->all_on_provider == UINT32_MAX);
    const struct npart__ran *pad = NODE(0), *mul = NODE(1), *partition = NODE(2);
    CHECK(!pad->is_placed && !pad->reason && mul->is_placed && partition->is_placed);
    CHECK_TEXT(mul->name, "m Node index: 1");
    CHECK_TEXT(mul->reason, "no such mode.");
    CHECK_TEXT(partition->name, "Q_Q_1_0");
    npart_run_free(run);
}

static void test_profile__log_of_one_provider(void)
{
    npart_run *run;
    CHECK(read_text(&run, "VerifyEachNodeIsAssignedToAnEp]  All nodes placed on [Q]. Number of nodes: 7\r\n"));
    CHECK(run->nodes.count == 0 && run->all_on_provider == 0 && run->all_count == 7);
    npart_run_free(run);
}

static void check_refused(const char *text)
{
    npart_run *run;
    CHECK(!read_text(&run, text));
    CHECK_TEXT(problem,
               "node 0 of the record: expected \"name\" (a text) or \"index\" (from 0), and \"ep\" (a text)");
    npart_run_free(run);
}

static void test_profile__a_record_needs_no_names(void)
{
    npart_run *run;
    CHECK(read_text(&run, "{\"nodes\":[{\"index\":0,\"ep\":\"Q\"},{\"index\":1,\"name\":null,\"ep\":\"Q\"},"
                              "{\"index\":null,\"name\":\"n\",\"ep\":\"Q\"}]}"));
    CHECK(run->nodes.count == 3 && NODE(0)->index == 0 && NODE(1)->index == 1);
    CHECK_TEXT(NODE(0)->name, "");
    CHECK_TEXT(NODE(run->nodes.count - 1)->name, "n");
    CHECK(NODE(run->nodes.count - 1)->index == -1);
    npart_run_free(run);
    check_refused("{\"nodes\":[{\"ep\":\"Q\"}]}");
    check_refused("{\"nodes\":[{\"index\":-1,\"ep\":\"Q\"}]}");
    check_refused("{\"nodes\":[{\"index\":0,\"name\":3,\"ep\":\"Q\"}]}");
    check_refused("{\"nodes\":[{\"index\":\"0\",\"ep\":\"Q\"}]}");
    check_refused("{\"nodes\":[{\"index\":0}]}");
}

static void test_profile__record_tells_nodes_of_one_name_apart(void)
{
    npart_run *run;
    CHECK(read_text(&run, "{\"nodes\":[{\"name\":\"\",\"index\":3,\"op\":\"Add\",\"ep\":\"Q\"},"
                              "{\"name\":\"\",\"index\":4,\"op\":\"Add\",\"ep\":\"Q\"}],\"partitions\":[[],[]]}"));
    CHECK(strcmp(run->kind, "record") == 0 && run->nodes.count == 2);
    CHECK(run->has_partitions && run->partitions == 2);
    CHECK(NODE(0)->index == 3 && NODE(1)->index == 4);
    npart_run_free(run);
}

/* An event is held as a whole: of what it may take one byte too much, and as much as goes. */
static void check_event_bytes(size_t bytes, bool is_fine)
{
    npart_run *run;
    static const char before[] = "[{\"a\":\"", after[] = "\"}," KERNEL("a", "Add", "Q", "3") "]";
    char *text = malloc(bytes + sizeof before + sizeof after);
    size_t length = sizeof before - 1;
    memcpy(text, before, length);
    memset(text + length, 'x', bytes);
    memcpy(text + length + bytes, after, sizeof after);
    CHECK(read_text(&run, text) == is_fine);
    CHECK(is_fine || strstr(problem, "takes more than 64 MiB"));
    npart_run_free(run);
    free(text);
}

static void test_profile__an_event_has_a_limit(void)
{
    check_event_bytes(NPART_MOST_JSON_BYTES / 4, true); /* the text is held twice, and its buffer doubles */
    check_event_bytes(NPART_MOST_JSON_BYTES, false);
}

static void test_profile__nodes_have_a_limit(void)
{
    npart_run *run = open_run();
    char name[16];
    for (uint32_t i = 0; i < NPART_MOST_RUN_NODES; i++) {
        (void)snprintf(name, sizeof name, "%x", i);
        if (!npart__run_node(run, name, "", "Q", -1))
            break;
    }
    CHECK(run->nodes.count == NPART_MOST_RUN_NODES && !*run->problem);
    CHECK(npart__run_node(run, "0", "", "Q", -1) == NODE(0));
    CHECK(!npart__run_node(run, "one more", "", "Q", -1));
    CHECK_TEXT(run->problem, "too many different nodes");
    npart_run_free(run);
}

static void test_profile__providers_have_a_limit(void)
{
    npart_run *run = open_run();
    char name[16];
    for (uint32_t i = 0; i < NPART_MOST_RUN_PROVIDERS; i++) {
        (void)snprintf(name, sizeof name, "P%u", i);
        CHECK(npart__run_provider(run, name) == i);
    }
    CHECK(npart__run_provider(run, "P3") == 3);
    CHECK(npart__run_provider(run, "one more") == UINT32_MAX);
    CHECK_TEXT(run->problem, "too many execution providers");
    npart_run_free(run);
}

static void test_profile__a_long_line_is_cut(void)
{
    npart_run *run;
    static const char line[] = "VerifyEachNodeIsAssignedToAnEp]  All nodes placed on [Q]. Number of nodes: 7\n";
    char *text = malloc(NPART_MOST_RUN_LOG_LINE + 2 * sizeof line);
    memset(text, 'x', NPART_MOST_RUN_LOG_LINE - 1);
    strcpy(text + NPART_MOST_RUN_LOG_LINE - 1, line); /* the rest of a line, not one of its own */
    CHECK(!read_text(&run, text));
    npart_run_free(run);
    text[NPART_MOST_RUN_LOG_LINE - 2] = '\n';
    CHECK(read_text(&run, text));
    npart_run_free(run);
    free(text);
}

TESTS(test_profile__events_add_up, test_profile__the_first_run_warms_up,
      test_profile__other_tools_save_an_object, test_profile__log,
      test_profile__log_of_one_provider, test_profile__a_record_needs_no_names,
      test_profile__record_tells_nodes_of_one_name_apart,
      test_profile__an_event_has_a_limit, test_profile__nodes_have_a_limit, test_profile__providers_have_a_limit,
      test_profile__a_long_line_is_cut)
