/* SPDX-License-Identifier: Apache-2.0
 *
 * A model at the gate: thresholds, waivers and baselines together, as text, JSON and outcomes; golden cases of the tool
 * (test/cli/check*) hold the words.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/stream.h"
#include "npu_partition/gate.h"
#include "support/analysis.h"
#include "support/test.h"

static const char list[] = "format 1\ntarget t\nop Relu\nop Add\n  need rank(A) = 2 \"rank of A must be 2\"\n";
static const char whole[] = "input x float32[1,2]\nnode a = Relu(x)\nnode b = Relu(a)\nnode c = Add(b, x)\noutput c\n";
static const char split[] = "input x float32[1,2]\nnode a = Relu(x)\nnode b = Erf(a)\nnode c = Add(b, x)\noutput c\n";
static const char file[] = "[thresholds]\nmax-partitions = 1\n[[waivers]]\nmodels = \"old/**\"\nreason = \"old\"\n"
                           "expires = 2026-06-30\nthresholds.max-partitions = 2\n";

struct told {
    char text[512];
    uint32_t line;
};

static void tell(void *payload, uint32_t line, uint32_t column, const char *text)
{
    struct told *told = payload;
    (void)column;
    (void)snprintf(told->text, sizeof told->text, "%s", text);
    told->line = line;
}

static npart_project *project_of(const char *text)
{
    npart_project *project = NULL;
    REQUIRE(npart_project_read(&project, text, strlen(text), NULL, NULL, NULL, NULL) == NPART_OK);
    return project;
}

static npart_gate *gate_of(const struct analysis *at, const struct npart_gate_options *options)
{
    npart_gate *gate = NULL;
    struct npart_gate_plan plan = NPART_GATE_PLAN_INIT;
    plan.plan = at->plan;
    REQUIRE(npart_gate_make(&gate, at->inference, options, NULL) == NPART_OK);
    CHECK_INT(npart_gate_add(gate, &plan, NULL), NPART_OK);
    npart_gate_settle(gate);
    return gate;
}

static struct npart_gate_options options_of(npart_project *project, const char *path, const char *today,
                                            struct told *told)
{
    struct npart_gate_options options = NPART_GATE_OPTIONS_INIT;
    options.name = options.path = path;
    options.today = today;
    options.project = project;
    options.project_path = "npu-partition.toml";
    options.tell = tell;
    options.payload = told;
    return options;
}

static enum npart_standing standing_of(const npart_gate *gate)
{
    struct npart_gate_info info = {.size = sizeof info};
    CHECK(npart_gate_info(gate, &info) && info.target_count == 1);
    return info.standing;
}

static void test_gate__waivers(void)
{
    struct analysis at;
    struct told told = {.text = ""};
    npart_project *project = project_of(file);
    analysis_open(&at, split, list, "t", NULL);
    struct npart_gate_options options = options_of(project, "new/m.onnx", "2026-06-30", &told);
    npart_gate *gate = gate_of(&at, &options);
    CHECK_INT(standing_of(gate), NPART_STANDING_FAILS);
    npart_gate_free(gate);
    options.name = options.path = "old/m.onnx"; /* the last day */
    gate = gate_of(&at, &options);
    CHECK_INT(standing_of(gate), NPART_STANDING_WAIVED);
    CHECK_TEXT(told.text, "");
    npart_gate_free(gate);
    options.today = "2026-07-01";
    gate = gate_of(&at, &options);
    CHECK_INT(standing_of(gate), NPART_STANDING_FAILS);
    CHECK_INT(told.line, 3);
    CHECK_TEXT(told.text, "this waiver expired on 2026-06-30 and holds no more for old/m.onnx on t: old");
    npart_gate_free(gate);
    npart_project_free(project);
    analysis_close(&at);
}

static void test_gate__is_told(void)
{
    struct analysis at;
    struct told told = {.text = ""};
    struct sink text = {0}, json = {0}, stanza = {0};
    npart_project *project = project_of(file);
    const struct npart_threshold_outcome *items;
    uint32_t count;
    analysis_open(&at, split, list, "t", NULL);
    struct npart_gate_options options = options_of(project, "m.onnx", "2026-12-01", &told);
    npart_gate *gate = gate_of(&at, &options);
    CHECK(npart_gate_outcomes(gate, &items, &count) && count == 1 && !items[0].is_met && items[0].plan == 0);
    CHECK_TEXT(items[0].text, "2 partitions, threshold: at most 1");
    CHECK_INT(npart_gate_text(gate, NULL, NPART_GATE_FAILING | NPART_GATE_STANZAS, sink_write, &text, NULL), NPART_OK);
    CHECK(strstr(text.text, "m.onnx  t  2 partitions, threshold: at most 1\n"));
    CHECK(strstr(text.text, "    thresholds.max-partitions = 2\n    reason = \"TODO: say why\"\n"));
    CHECK(strstr(text.text, "    expires = 2027-03-01\n"));
    CHECK_INT(npart_gate_json(gate, sink_write, &json, NULL), NPART_OK);
    CHECK(strstr(json.text, "\"check\":{\"model\":\"m.onnx\",\"status\":\"fails\",\"error\":null,\"outcomes\":[],"));
    CHECK(strstr(json.text, "\"outcomes\":[{\"threshold\":\"max-partitions\",\"met\":false,"
                            "\"text\":\"2 partitions, threshold: at most 1\",\"waiver\":null,\"accepted\":null}]"));
    CHECK_INT(npart_gate_accept(gate, 0, sink_write, &stanza, NULL), NPART_OK);
    npart_project *accepted = project_of(stanza.text); /* it is what a project file takes, and accepts the model */
    options.project = accepted;
    npart_gate *again = gate_of(&at, &options);
    CHECK_INT(standing_of(again), NPART_STANDING_OK);
    npart_gate_free(again);
    npart_project_free(accepted);
    npart_gate_free(gate);
    npart_project_free(project);
    sink_clear(&text);
    sink_clear(&json);
    sink_clear(&stanza);
    analysis_close(&at);
}

static void test_gate__baselines(void)
{
    struct analysis before, after;
    struct sink words = {0}, cache = {0};
    struct told told = {.text = ""};
    npart_baseline *written = NULL, *baseline = NULL;
    npart_sides *sides = NULL;
    uint32_t count = 0;
    analysis_open(&before, whole, list, "t", NULL);
    analysis_open(&after, split, list, "t", NULL);
    REQUIRE(npart_baseline_make(&written, NULL, true, NULL, NULL) == NPART_OK);
    struct npart_gate_options options = options_of(NULL, "m.onnx", "2026-12-01", &told);
    options.baseline = written;
    npart_gate_free(gate_of(&before, &options));
    CHECK_INT(npart_baseline_write(written, true, false, sink_write, &words, &count, NULL), NPART_OK);
    CHECK_INT(npart_baseline_write(written, true, true, sink_write, &cache, NULL, NULL), NPART_OK);
    CHECK_INT(count, 1);
    struct npart__text_stream input = {words.text, words.bytes}, beside = {cache.text, cache.bytes};
    struct npart_sides_options reading = NPART_SIDES_OPTIONS_INIT;
    reading.read_cache = npart__read_text;
    reading.cache_payload = &beside;
    REQUIRE(npart_sides_read(&sides, npart__read_text, &input, &reading, NULL) == NPART_OK);
    REQUIRE(npart_baseline_make(&baseline, sides, false, NULL, NULL) == NPART_OK);
    options.baseline = baseline;
    npart_gate *gate = gate_of(&before, &options);
    CHECK_INT(standing_of(gate), NPART_STANDING_OK);
    npart_gate_free(gate);
    gate = gate_of(&after, &options);
    struct npart_gate_target target = {.size = sizeof target};
    CHECK_INT(standing_of(gate), NPART_STANDING_WORSE);
    CHECK(npart_gate_target(gate, 0, &target) && target.is_open && target.compared->has_before);
    npart_gate_free(gate);
    npart_baseline_free(baseline);
    npart_baseline_free(written);
    npart_sides_free(sides);
    sink_clear(&words);
    sink_clear(&cache);
    analysis_close(&before);
    analysis_close(&after);
}

static void test_gate__arguments(void)
{
    struct npart_gate_options options = NPART_GATE_OPTIONS_INIT;
    struct npart_error why = {.status = NPART_ERROR_READ, .message = "no such file"}, error;
    npart_gate *gate = NULL;
    struct sink json = {0};
    CHECK(npart_is_day("2028-02-29") && !npart_is_day("2027-02-29") && !npart_is_day("2027-2-9"));
    CHECK(!npart_is_day(NULL));
    options.name = "m.onnx";
    options.today = "today";
    CHECK_INT(npart_gate_make(&gate, NULL, &options, &error), NPART_ERROR_ARGUMENT);
    options.today = "2026-12-01";
    CHECK_INT(npart_gate_make(&gate, NULL, &options, &error), NPART_ERROR_ARGUMENT);
    options.error = &why;
    CHECK_INT(npart_gate_make(&gate, NULL, &options, &error), NPART_OK);
    CHECK_INT(npart_gate_json(gate, sink_write, &json, NULL), NPART_OK);
    CHECK(strstr(json.text, "\"status\":\"error\",\"error\":\"no such file\",\"outcomes\":[],\"targets\":[]}}\n"));
    sink_clear(&json);
    npart_gate_free(gate);
}

TESTS(test_gate__waivers, test_gate__is_told, test_gate__baselines, test_gate__arguments)
