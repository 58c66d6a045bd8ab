/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans by the public header: targets and options, and every getter at and past its edge.
 */
#include "npu_partition.h"
#include "support/analysis.h"
#include "support/counted.h"
#include "support/test.h"

static const char list[] =
    "format 1\ntarget t \"A target\"\ntoolchain \"sdk 1\"\n"
    "switches fast wide full\nswitch full with fast wide\nvariant v1\nvariant v2 is two with fast\n"
    "param launch_ms 1 2 4 \"measured\"\nparam map_ms 0.5 0.5 0.5 \"measured\"\n"
    "param copy_gb_per_s 1 2 4 \"measured\"\n"
    "gate first missing nobody \"the first\"\n"
    "op Neg Relu\n"
    "op Sigmoid\n  need switch(fast) \"needs the fast unit\" source \"guide 1\"\n"
    "op Softmax\n  need rank(input) <= 2 \"two axes\" else fail\n"
    "op Tanh\n  maybe \"nobody tried\"\n"
    "gate second \"the second\"\n"
    "op Neg\n  need static(X) \"a fixed size\"\nop Relu Sigmoid Softmax Tanh\n";

static const char lines[] =
    "input x float32[1,batch]\ninput z float32[2,3]\n"
    "node a = Relu(x)\n"
    "node b = Erf(a) @erf\n"
    "node c = Relu(b)\n"
    "node d = Sigmoid(z)\n"
    "node e = Tanh(d)\n"
    "node f = Identity(e)\n"
    "node g = Neg(x)\n"
    "output c\noutput f\noutput g\n";

static struct analysis at;

static void open_at(const char *target, const struct npart_plan_options *options)
{
    analysis_open(&at, lines, list, target, options);
}

static struct npart_node_plan node_plan(const char *name)
{
    struct npart_node_plan plan = {.size = sizeof plan, .verdict = (enum npart_verdict)99};
    CHECK(npart_plan_node(at.plan, analysis_node(&at, name), &plan));
    return plan;
}

static npart_status make(const char *target, const struct npart_plan_options *options, struct npart_error *error)
{
    npart_plan *const untouched = (npart_plan *)error, *plan = untouched;
    npart_status status = npart_plan_make(&plan, at.inference, at.oplist, target, options, error);
    CHECK((plan == untouched) == (status != NPART_OK));
    if (status == NPART_OK)
        npart_plan_free(plan);
    return status;
}

/* ---- releases ------------------------------------------------------------------------------------------------ */

static const char releases[] =
    "format 1\ntarget t\nstanding by compiler \"sdk 2\" probes 7 agree 9 of 10\n"
    "toolchain \"sdk 1\"\ntoolchain \"sdk 2\"\ntoolchain \"sdk 3\"\n"
    "op Relu\n"
    "op Erf\n  refuse release: before 'sdk 2' \"sdk must be 2 or later\"\n"
    "op Tanh\n  refuse release: since 'sdk 3' \"sdk must be older than 3\"\n";

/* Of the target: what is said of its release; all 0 where nothing is. */
static struct npart_release release_of(const char *target)
{
    struct npart_release release = {.size = sizeof release};
    analysis_open(&at, lines, releases, target, NULL);
    if (!npart_plan_release(at.plan, &release))
        release = (struct npart_release){0};
    return release;
}

static void test_api_plan__releases(void)
{
    struct npart_release release = release_of("t@1");
    CHECK_INT(release.standing, NPART_RELEASE_LISTED);
    CHECK_TEXT(release.rules, "sdk 1");
    /* the third takes no more than the second */
    CHECK_TEXT(release.newer, "sdk 2");
    CHECK_INT(release.newer_nodes, 1);
    CHECK_INT(release.newer_op_count, 1);
    CHECK_TEXT(release.newer_ops[0], "Erf");
    analysis_close(&at);
    release = release_of("t@1.5");
    CHECK_INT(release.standing, NPART_RELEASE_BETWEEN);
    CHECK_TEXT(release.rules, "sdk 1");
    CHECK_TEXT(release.newer, "sdk 2");
    analysis_close(&at);
    release = release_of("t@2");
    CHECK_INT(release.standing, NPART_RELEASE_LISTED);
    CHECK_TEXT(release.newer, "");
    CHECK_INT(release.newer_nodes, 0);
    analysis_close(&at);
    release = release_of("t@3");
    CHECK(release.size == 0);
    analysis_close(&at);
    release = release_of("t@3.1");
    CHECK_INT(release.standing, NPART_RELEASE_NEWER);
    CHECK_TEXT(release.rules, "sdk 3");
    analysis_close(&at);
    release = release_of("t@0.9");
    CHECK_INT(release.standing, NPART_RELEASE_OLDER);
    CHECK_TEXT(release.newer, "");
    CHECK_INT(node_plan("a").verdict, NPART_VERDICT_UNKNOWN);
    analysis_close(&at);
    CHECK(!npart_plan_release(NULL, &release));
}

/* A list is verified for the release that was asked, and for no other. */
static void test_api_plan__verified(void)
{
    static const char *const targets[] = {"t@2", "t", "t@1.5"};
    static const char *const texts[] = {"by the compiler: sdk 2, 7 probes, 90.0 % agree",
                                        "by the compiler: sdk 2, 7 probes, 90.0 % agree; not asked at sdk 3",
                                        "by the compiler: sdk 2, 7 probes, 90.0 % agree; not asked at sdk 1.5"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        struct npart_plan_info info = {.size = sizeof info};
        analysis_open(&at, lines, releases, targets[i], NULL);
        CHECK(npart_plan_info(at.plan, &info));
        CHECK_TEXT(info.verified, texts[i]);
        analysis_close(&at);
    }
}

static const char handed[] =
    "format 1\ntarget t\ndecided by \"Core\" among \"NPU\" \"CPU\"\n"
    "every elsewhere sizes: static(*) \"every size must be fixed\"\n"
    "op Relu\n  elsewhere rank: rank(X) = 4 \"rank must be 4\" advice \"reshape it\" source \"guide\"\n"
    "op Add\n  elsewhere rank: rank(A) = 4 \"rank must be 4\"\n";
static const char handed_lines[] = "input x float32[2,4]\ninput y float32[n]\nnode a = Relu(x)\nnode b = Add(a, a)\n"
                                   "node c = Relu(y)\nnode d = Erf(c)\noutput b\noutput d\n";

static void test_api_plan__unit(void)
{
    struct npart_plan_info info = {.size = sizeof info};
    open_at(NULL, NULL);
    CHECK(npart_plan_info(at.plan, &info));
    CHECK_TEXT(info.unit, "NPU");
    CHECK_TEXT(info.on_unit, "on the NPU");
    CHECK_TEXT(info.beside, "CPU");
    analysis_close(&at);
    analysis_open(&at, handed_lines, "format 1\ntarget t\nunit \"Kit\" beside \"its host\"\nop Relu\n", NULL, NULL);
    CHECK(npart_plan_info(at.plan, &info));
    CHECK_TEXT(info.unit, "Kit");
    CHECK_TEXT(info.on_unit, "in Kit");
    CHECK_TEXT(info.beside, "its host");
    analysis_close(&at);
}

static void test_api_plan__decided(void)
{
    struct npart_decided decided = {.size = sizeof decided};
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_reason reason = {.size = sizeof reason};
    struct npart_rule rule = {.size = sizeof rule};
    char found[64];
    analysis_open(&at, handed_lines, handed, NULL, NULL);
    CHECK(npart_plan_decided(at.plan, &decided));
    CHECK_TEXT(decided.by, "Core");
    CHECK_INT(decided.unit_count, 2);
    CHECK_TEXT(decided.units[1], "CPU");
    CHECK_INT(decided.taken, 3);
    CHECK_INT(decided.elsewhere, 3);
    CHECK_INT(decided.rule_count, 2); /* rules of one sentence count together, and most nodes come first */
    CHECK_INT(decided.rule_nodes[0], 3);
    CHECK_INT(decided.rule_nodes[1], 1);
    CHECK(npart_oplist_rule(at.oplist, decided.rules[0], &rule));
    CHECK_INT(rule.kind, NPART_RULE_ELSEWHERE);
    CHECK_TEXT(rule.advice, "reshape it");
    CHECK(npart_plan_summary(at.plan, &summary));
    CHECK_INT(summary.placed_later, 3);
    CHECK_INT(summary.verdict, NPART_PLAN_SPLIT);
    CHECK_INT(node_plan("c").reason_count, 2);
    CHECK(npart_plan_reason(at.plan, 2, 1, &reason, found, sizeof found));
    CHECK_INT(reason.outcome, NPART_OUTCOME_ELSEWHERE);
    CHECK_TEXT(found, "rank 1: y float32[n]");
    CHECK(!npart_plan_reason(at.plan, 2, 2, &reason, NULL, 0));
    CHECK(node_plan("c").ms < 0);
    analysis_close(&at);
    open_at(NULL, NULL); /* of a runtime that decides itself */
    CHECK(!npart_plan_decided(at.plan, &decided));
    CHECK(npart_plan_summary(at.plan, &summary));
    CHECK_INT(summary.placed_later, 0);
    analysis_close(&at);
    CHECK(!npart_plan_decided(NULL, &decided));
}

/* ---- sessions of ONNX Runtime -------------------------------------------------------------------------------- */

static const char providers[] =
    "format 1\ntarget t\ntoolchain \"sdk 1\"\ntoolchain \"sdk 2\"\nswitches own fast\n"
    "variant v1\nvariant v2\nvariant chip is c7 77 like v2\n"
    "provider AExecutionProvider unless own \"pip install a\" source \"a guide\"\n"
    "provider BExecutionProvider compiled by BCompiler with fast \"a build\" because \"a hint\"\n"
    "option arch 1\n"
    "option arch 2 for v2 \"the generation\" source \"a guide\"\n"
    "option mode 'very fast' with fast\n"
    "session a.key 0 since 'sdk 2'\n"
    "option arch 3 for chip before 'sdk 2'\n"
    "option model '{number}' since 'sdk 2'\noption half 1 numbered with fast\n"
    "op Relu\nop Erf\nop Tanh\n";

/* "name=value" of each option, with blanks between; "-" before those of the session. */
static void check_options(const char *target, const char *provider, const char *wanted)
{
    struct npart_provider found = {.size = sizeof found, .name = ""};
    struct npart_provider_option option = {.size = sizeof option};
    char text[200] = "";
    size_t used = 0;
    analysis_open(&at, lines, providers, target, NULL);
    CHECK(npart_plan_provider(at.plan, &found) == (*provider != '\0'));
    CHECK_TEXT(found.name, provider);
    for (uint32_t i = 0; npart_plan_provider_option(at.plan, i, &option); i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s=%s", i ? " " : "",
                                 option.is_session ? "-" : "", option.name, option.value);
    CHECK_TEXT(text, wanted);
    analysis_close(&at);
}

static void test_api_plan__providers(void)
{
    struct npart_provider found = {.size = sizeof found};
    struct npart_provider_option option = {.size = sizeof option};
    struct npart_oplist_info info = {.size = sizeof info};
    check_options("t:v1", "AExecutionProvider", "arch=1 -a.key=0");
    check_options("t:v1@1", "AExecutionProvider", "arch=1");
    check_options("t:v2", "AExecutionProvider", "arch=2 -a.key=0");
    check_options("t:chip", "AExecutionProvider", "arch=2 -a.key=0 model=77"); /* as the variant that it is like */
    check_options("t:chip@1", "AExecutionProvider", "arch=3");
    check_options("t:chip+fast@1", "BExecutionProvider", "mode=very fast arch=3 half=1");
    check_options("t:v1+own", "", "");
    check_options("t:v1+own+fast", "BExecutionProvider", "arch=1 mode=very fast -a.key=0");
    analysis_open(&at, lines, providers, "t:v2+fast", NULL);
    REQUIRE(npart_plan_provider(at.plan, &found));
    CHECK_TEXT(found.compiler, "BCompiler");
    CHECK_TEXT(found.package, "a build");
    CHECK_TEXT(found.hint, "a hint");
    CHECK_TEXT(found.source, "");
    REQUIRE(npart_plan_provider_option(at.plan, 0, &option));
    CHECK_TEXT(option.text, "the generation");
    CHECK_TEXT(option.source, "a guide");
    REQUIRE(npart_oplist_info(at.oplist, &info));
    CHECK_TEXT(info.provider, "BExecutionProvider");
    analysis_close(&at);
    CHECK(!npart_plan_provider(NULL, &found) && !npart_plan_provider_option(NULL, 0, &option));
}

/* ---- what is asked for ---------------------------------------------------------------------------------------- */

static void test_api_plan__targets(void)
{
    static const char *const good[] = {NULL, "t", "t:v1", "t:two", "t:v1+fast-wide", "t+wide", "t:v2-fast@sdk 1",
                                       "t@sdk 1"};
    static const struct {
        const char *target, *message;
    } bad[] = {{"u", "\"u\" is not a target of the list t"},
               {"", "\"\" is not a target of the list t"},
               {"t:v9", "t has no variant \"v9\""},
               {"t+slow", "t has no switch \"slow\""},
               {"t-", "t has no switch \"\""},
               {"tt", "cannot read \"t\""},
               {"t v1", "cannot read \" v1\""}};
    struct npart_error error;
    open_at(NULL, NULL);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        CHECK_INT(make(good[i], NULL, &error), NPART_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        memset(&error, 0, sizeof error);
        CHECK_INT(make(bad[i].target, NULL, &error), NPART_ERROR_ARGUMENT);
        CHECK_INT(error.status, NPART_ERROR_ARGUMENT);
        if (strncmp(error.message, bad[i].message, strlen(bad[i].message)) != 0)
            CHECK_TEXT(error.message, bad[i].message);
    }
    npart_plan *plan = NULL;
    CHECK_INT(npart_plan_make(&plan, at.inference, at.oplist, "u", NULL, NULL), NPART_ERROR_ARGUMENT);
    CHECK(!plan);
    analysis_close(&at);
}

static void test_api_plan__switches_decide(void)
{
    open_at("t:v1", NULL);
    CHECK_INT(node_plan("d").verdict, NPART_VERDICT_CPU);
    analysis_close(&at);
    open_at("t:v1+fast", NULL);
    CHECK_INT(node_plan("d").verdict, NPART_VERDICT_NPU);
    analysis_close(&at);
    open_at("t:v2", NULL);
    CHECK_INT(node_plan("d").verdict, NPART_VERDICT_NPU);
    analysis_close(&at);
    open_at("t:v2-fast", NULL);
    CHECK_INT(node_plan("d").verdict, NPART_VERDICT_CPU);
    analysis_close(&at);
}

static void test_api_plan__gates(void)
{
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    struct npart_error error;
    open_at(NULL, NULL);
    CHECK_INT(node_plan("g").verdict, NPART_VERDICT_CPU); /* the second gate wants a fixed size */
    analysis_close(&at);
    options.gates = "first";
    open_at(NULL, &options);
    CHECK_INT(node_plan("g").verdict, NPART_VERDICT_NPU);
    options.gates = "nobody,second"; /* by the word for missing entries too */
    CHECK_INT(make(NULL, &options, &error), NPART_OK);
    options.gates = "first,third";
    CHECK_INT(make(NULL, &options, &error), NPART_ERROR_ARGUMENT);
    CHECK_TEXT(error.message, "t has no gate \"third\"; there is nobody, first, second");
    options.gates = "firs";
    CHECK_INT(make(NULL, &options, &error), NPART_ERROR_ARGUMENT);
    analysis_close(&at);
}

static void test_api_plan__partitioners(void)
{
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    struct npart_error error;
    char name[] = "runs";
    options.partitioner = name;
    open_at(NULL, &options);
    memset(name, 'x', 4); /* options are not needed afterwards */
    char *json = json_of(at.plan, NULL);
    CHECK(strstr(json, "\"partitioner\":\"runs\"") != NULL);
    free(json);
    char *text = text_of(at.plan, NULL, NULL); /* which partitions again, for its advice */
    CHECK(strstr(text, "\n  Fix ") != NULL);
    free(text);
    CHECK_INT(make(NULL, &options, &error), NPART_ERROR_ARGUMENT);
    CHECK(strncmp(error.message, "there is no partitioner \"xxxx\"; there is ", 41) == 0);
    CHECK(strstr(error.message, " runs,") && strstr(error.message, " waves,"));
    analysis_close(&at);
}

/* Signs are read from left to right, so that one switch of those that another brings can be taken back. */
static void test_api_plan__switch_brings_others(void)
{
    open_at("t:v1+full-fast", NULL);
    char *json = json_of(at.plan, NULL);
    CHECK(strstr(json, "\"switches_on\":[\"wide\",\"full\"]") != NULL);
    free(json);
    analysis_close(&at);
}

/* The target's text is not needed afterwards either. */
static void test_api_plan__target_is_copied(void)
{
    char target[] = "t:two+wide";
    open_at(target, NULL);
    memset(target, 'x', sizeof target - 1);
    char *json = json_of(at.plan, NULL);
    CHECK(strstr(json, "\"variant\":\"two\",\"switches_on\":[\"fast\",\"wide\"]") != NULL);
    free(json);
    analysis_close(&at);
}

static void test_api_plan__levels(void)
{
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    struct npart_summary summary = {.size = sizeof summary};
    CHECK(options.version == 2 && options.level == NPART_LEVEL_BASIC && !options.partitioner && !options.gates);
    open_at(NULL, &options);
    npart_plan_summary(at.plan, &summary);
    CHECK_INT(summary.folded, 1); /* the Identity */
    CHECK_INT(node_plan("f").verdict, NPART_VERDICT_FOLDED);
    CHECK_INT(node_plan("f").partition, NPART_NONE);
    CHECK_INT(node_plan("f").cause, NPART_NONE);
    CHECK_INT(node_plan("f").reason_count, 0);
    analysis_close(&at);
    options.level = NPART_LEVEL_OFF;
    open_at(NULL, &options);
    npart_plan_summary(at.plan, &summary);
    CHECK_INT(summary.folded, 0);
    CHECK_INT(node_plan("f").verdict, NPART_VERDICT_CPU);
    analysis_close(&at);
}

static void test_api_plan__cuts(void)
{
    static const char *const cuts[] = {"g", "erf", "b", "d"};
    static const char *const unknown[] = {"g", "nothing"}, *const empty[] = {""};
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    struct npart_partition partition = {.size = sizeof partition};
    struct npart_error error;
    CHECK(!options.cuts && options.cut_count == 0);
    options.cuts = cuts;
    options.cut_count = 4;
    open_at("t:v2", &options);
    CHECK(npart_plan_partition(at.plan, 0, &partition));
    CHECK_INT(partition.cut_count, 0); /* nothing that is taken comes after them */
    options.cuts = unknown;
    options.cut_count = 2;
    CHECK_INT(make(NULL, &options, &error), NPART_ERROR_ARGUMENT);
    CHECK_TEXT(error.message, "there is no tensor or node \"nothing\" to cut after");
    options.cuts = empty;
    options.cut_count = 1;
    CHECK_INT(make(NULL, &options, &error), NPART_ERROR_ARGUMENT);
    analysis_close(&at);
    options.cuts = cuts + 3;
    analysis_open(&at, "input z float32[2,3]\nnode d = Relu(z)\nnode e = Relu(d)\noutput e\n", list, NULL, &options);
    CHECK(npart_plan_partition(at.plan, 0, &partition));
    CHECK_INT(partition.cut_count, 1);
    CHECK_INT(partition.cuts[0], analysis_value(&at, "d"));
    CHECK(npart_plan_partition(at.plan, 1, &partition));
    CHECK_INT(partition.cut_count, 0);
    analysis_close(&at);
}

static void test_api_plan__fused(void)
{
    struct npart_summary summary = {.size = sizeof summary};
    analysis_open(&at, "input x float32[2,3]\ninit w float32[3,4]\ninit b float32[4]\n"
                       "node m = MatMul(x, w)\nnode y = Add(m, b)\noutput y\n",
                  "format 1\ntarget t\nruntime onnxruntime\nop MatMul\n", NULL, NULL);
    npart_plan_summary(at.plan, &summary);
    CHECK_INT(summary.folded, 1);
    CHECK_INT(summary.fused, 1);
    CHECK_INT(node_plan("y").verdict, NPART_VERDICT_FUSED);
    CHECK_INT(node_plan("y").into, analysis_node(&at, "m"));
    CHECK_INT(node_plan("y").partition, NPART_NONE);
    CHECK_INT(node_plan("m").into, NPART_NONE);
    CHECK_INT(node_plan("m").verdict, NPART_VERDICT_NPU);
    analysis_close(&at);
}

static void test_api_plan__allocators(void)
{
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    struct counted counted;
    struct npart_allocator allocator;
    counted_init(&counted, true);
    allocator = counted.allocator;
    options.allocator = &allocator;
    open_at(NULL, &options);
    memset(&allocator, 0, sizeof allocator);
    CHECK(counted.live_blocks > 0);
    char *json = json_of(at.plan, NULL);
    free(json);
    analysis_close(&at);
    CHECK_INT(counted.live_blocks, 0);
}

/* ---- what it says --------------------------------------------------------------------------------------------- */

static void test_api_plan__summary(void)
{
    struct npart_summary summary = {.size = sizeof summary};
    open_at("t:v2", NULL);
    npart_plan_summary(at.plan, &summary);
    CHECK_INT(summary.nodes, 7);
    CHECK_INT(summary.live, 6);
    CHECK_INT(summary.accepted, 3);  /* a, c, d */
    CHECK_INT(summary.refused, 2);   /* b, g */
    CHECK_INT(summary.unknown, 1);   /* e */
    CHECK_INT(summary.failed, 0);
    CHECK_INT(summary.partitions, 2);
    CHECK_TEXT(npart_plan_verdict_text(summary.verdict), "split");
    CHECK(summary.coverage > 0.499 && summary.coverage < 0.501);
    CHECK(summary.partitions_low <= summary.partitions && summary.partitions <= summary.partitions_high);
    analysis_close(&at);
}

static void test_api_plan__verdicts(void)
{
    static const struct {
        const char *model, *verdict;
        double coverage;
    } rows[] = {
        {"input x float32[2]\nnode y = Relu(x)\nnode z = Neg(y)\noutput z\n", "whole", 1},
        {"input x float32[2]\nnode y = Relu(x)\nnode z = Erf(y)\noutput z\n", "split", 0.5},
        {"input x float32[2]\nnode y = Erf(x)\noutput y\n", "none", 0},
        {"input x float32[2,2,2]\nnode y = Softmax(x)\nnode z = Relu(y)\noutput z\n", "fails", 0.5},
        {"input x float32[2]\nnode y = Constant() value=tensor float32[1] = 1\noutput y\n", "empty", 1},
        {"input x float32[2]\noutput x\n", "empty", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct npart_summary summary = {.size = sizeof summary};
        analysis_open(&at, rows[i].model, list, NULL, NULL);
        npart_plan_summary(at.plan, &summary);
        CHECK_TEXT(npart_plan_verdict_text(summary.verdict), rows[i].verdict);
        CHECK(summary.coverage == rows[i].coverage);
        analysis_close(&at);
    }
}

static void test_api_plan__nodes_and_reasons(void)
{
    struct npart_node_plan plan = {.size = sizeof plan, .partition = 77};
    struct npart_reason reason = {.size = sizeof reason, .rule_id = "untouched"};
    char found[40];
    open_at("t:v1", NULL);
    uint32_t d = analysis_node(&at, "d");
    CHECK_INT(node_plan("d").reason_count, 1);
    CHECK(npart_plan_reason(at.plan, d, 0, &reason, found, sizeof found));
    CHECK_TEXT(reason.gate, "first");
    CHECK_TEXT(reason.text, "needs the fast unit");
    CHECK_TEXT(reason.source, "guide 1");
    CHECK(strncmp(reason.rule_id, "t/Sigmoid/", 10) == 0 && reason.outcome == NPART_OUTCOME_NOT_MET);
    CHECK(npart_plan_reason(at.plan, analysis_node(&at, "e"), 0, &reason, found, sizeof found));
    CHECK_INT(reason.outcome, NPART_OUTCOME_UNKNOWN);
    CHECK(npart_plan_reason(at.plan, analysis_node(&at, "b"), 0, &reason, found, sizeof found));
    CHECK_TEXT(reason.gate, "nobody"); /* for want of an entry */
    CHECK(npart_plan_reason(at.plan, analysis_node(&at, "g"), 0, &reason, found, sizeof found));
    CHECK_TEXT(reason.gate, "second");
    CHECK(strstr(found, "float32[1,batch]") != NULL);
    char whole[40];
    memcpy(whole, found, sizeof whole);
    memset(found, 'x', sizeof found);
    CHECK(npart_plan_reason(at.plan, analysis_node(&at, "g"), 0, &reason, found, 5));
    CHECK(strlen(found) == 4 && memcmp(found, whole, 4) == 0 && found[5] == 'x');
    CHECK(npart_plan_reason(at.plan, analysis_node(&at, "g"), 0, &reason, NULL, 0));
    reason.rule_id = "untouched";
    CHECK(!npart_plan_reason(at.plan, d, 1, &reason, found, sizeof found));
    CHECK(!npart_plan_reason(at.plan, 99, 0, &reason, found, sizeof found));
    CHECK(!npart_plan_reason(at.plan, NPART_NONE, NPART_NONE, &reason, found, sizeof found));
    CHECK_TEXT(reason.rule_id, "untouched");
    CHECK(!npart_plan_node(at.plan, 7, &plan) && !npart_plan_node(at.plan, NPART_NONE, &plan));
    CHECK_INT(plan.partition, 77);
    analysis_close(&at);
}

static void test_api_plan__partitions_and_crossings(void)
{
    struct npart_partition partition = {.size = sizeof partition, .node_count = 77};
    struct npart_crossing crossing = {.size = sizeof crossing, .value = 77};
    open_at("t:v1", NULL);
    CHECK_INT(node_plan("a").partition, 0);
    CHECK_INT(node_plan("c").partition, 1);
    CHECK_INT(node_plan("b").partition, NPART_NONE);
    CHECK(npart_plan_partition(at.plan, 0, &partition));
    CHECK(partition.node_count == 1 && partition.input_count == 1 && partition.output_count == 1);
    CHECK_INT(partition.nodes[0], analysis_node(&at, "a"));
    CHECK_INT(partition.inputs[0], analysis_value(&at, "x"));
    CHECK_INT(partition.outputs[0], analysis_value(&at, "a"));
    CHECK(partition.end_count == 1 && partition.ends[0] == analysis_node(&at, "b"));
    CHECK_INT(partition.graph, 0);
    CHECK(npart_plan_partition(at.plan, 1, &partition));
    CHECK_INT(partition.end_count, 0); /* the graph ends */
    partition.node_count = 77;
    CHECK(!npart_plan_partition(at.plan, 2, &partition) && !npart_plan_partition(at.plan, NPART_NONE, &partition));
    CHECK_INT(partition.node_count, 77);
    struct npart_plan_info info = {.size = sizeof info};
    CHECK(npart_plan_info(at.plan, &info));
    CHECK_INT(info.crossing_count, 4); /* x, a, b, c */
    CHECK(npart_plan_crossing(at.plan, 0, &crossing));
    CHECK(crossing.value == analysis_value(&at, "x") && crossing.from == NPART_NONE && crossing.to == 0);
    CHECK(!crossing.has_bytes && crossing.bytes == 0); /* its batch is dynamic */
    crossing.value = 77;
    CHECK(!npart_plan_crossing(at.plan, 4, &crossing) && !npart_plan_crossing(at.plan, NPART_NONE, &crossing));
    CHECK_INT(crossing.value, 77);
    analysis_close(&at);
}

static void test_api_plan__causes(void)
{
    struct npart_cause cause = {.size = sizeof cause, .text = "untouched"};
    uint32_t affected = 0;
    open_at("t:v1", NULL);
    struct npart_plan_info info = {.size = sizeof info};
    CHECK(npart_plan_info(at.plan, &info));
    uint32_t count = info.cause_count;
    CHECK_INT(count, 4);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(npart_plan_cause(at.plan, i, &cause, NULL, 0));
        CHECK(npart_cause_kind_text(cause.kind) && *cause.text && cause.affected_count > 0);
        affected += cause.affected_count;
    }
    CHECK_INT(affected, 4); /* b, d, e, g */
    CHECK(npart_plan_cause(at.plan, node_plan("b").cause, &cause, NULL, 0));
    CHECK_TEXT(npart_cause_kind_text(cause.kind), "op");
    CHECK(cause.node_count == 1 && cause.nodes[0] == analysis_node(&at, "b") && cause.cut_count == 1);
    CHECK(npart_plan_cause(at.plan, node_plan("g").cause, &cause, NULL, 0));
    CHECK_TEXT(npart_cause_kind_text(cause.kind), "dynamic");
    CHECK(cause.node_count == 0 && !cause.nodes); /* a dim of an input */
    cause.text = "untouched";
    CHECK(!npart_plan_cause(at.plan, count, &cause, NULL, 0));
    CHECK(!npart_plan_cause(at.plan, NPART_NONE, &cause, NULL, 0));
    CHECK_TEXT(cause.text, "untouched");
    analysis_close(&at);
}

static void test_api_plan__cost(void)
{
    struct npart_cost cost = {.size = sizeof cost};
    open_at("t:v1", NULL);
    npart_plan_cost(at.plan, &cost);
    CHECK(cost.switching.low_ms < 4 && cost.switching.typical_ms == 4 && cost.switching.high_ms > 4);
    CHECK(cost.copying.typical_ms == 2); /* four mappings; no size is known */
    CHECK(cost.total.typical_ms < 0 && cost.cpu_alone.typical_ms < 0); /* nor is what the nodes compute */
    CHECK(cost.bytes_to_npu == 0 && cost.bytes_to_cpu == 0);
    CHECK_INT(cost.unknown_sizes, 4);
    CHECK_INT(cost.conversions, 0);
    CHECK(!cost.is_calibrated);
    analysis_close(&at);
}

/* Two plans of one inference, made and freed in any order, do not disturb each other. */
static void test_api_plan__of_one_inference(void)
{
    npart_plan *second = NULL;
    open_at("t:v1", NULL);
    char *before = json_of(at.plan, NULL);
    CHECK_INT(npart_plan_make(&second, at.inference, at.oplist, "t:v2", NULL, NULL), NPART_OK);
    char *other = json_of(second, NULL);
    char *after = json_of(at.plan, NULL);
    CHECK_TEXT(after, before);
    CHECK(strcmp(other, before) != 0);
    npart_plan_free(at.plan);
    at.plan = NULL;
    free(after);
    after = json_of(second, NULL);
    CHECK_TEXT(after, other);
    free(after);
    free(other);
    free(before);
    npart_plan_free(second);
    analysis_close(&at);
}

TESTS(test_api_plan__verified, test_api_plan__releases,
      test_api_plan__decided, test_api_plan__providers, test_api_plan__targets,
      test_api_plan__cuts,
      test_api_plan__fused, test_api_plan__switches_decide,
      test_api_plan__gates, test_api_plan__partitioners,
      test_api_plan__target_is_copied, test_api_plan__levels, test_api_plan__unit, test_api_plan__switch_brings_others,
      test_api_plan__allocators, test_api_plan__summary,
      test_api_plan__verdicts, test_api_plan__nodes_and_reasons, test_api_plan__partitions_and_crossings,
      test_api_plan__causes, test_api_plan__cost, test_api_plan__of_one_inference)
