/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the NPU is worth it, on models where that can be said from the rates; and partitions that do not pay.
 */
#include "npu_partition.h"
#include "support/model_text.h"
#include "support/test.h"

/* A launch takes 1 ms; a product of 6400 x 64 x 64 takes 0.05 ms on the NPU and 5 ms on the CPU. */
#define RATES NO_RATE "param matrix_tops 0.9 1 1.1\n"
#define NO_RATE RATES_OF("0.1 0.1 0.1")
#define RATES_OF(element_ns)                                                                                           \
    "format 1\ntarget t\nparam launch_ms 0.9 1 1.1\n"                                                                 \
    "param memory_gb_per_s 10 10 10\nparam elementwise_gops 10 10 10\nparam function_gops 10 10 10\n"                  \
    "param cpu_matrix_gops 9 10 11\nparam cpu_element_ns " element_ns "\n"                                             \
    "param cpu_slow_element_ns 9 10 11\nparam cpu_memory_gb_per_s 1000 1000 1000\n"
#define PRODUCT "input x float32[6400,64]\ninit w float32[64,64]\nnode p = MatMul(x, w)\n"
/* Somebody else decides, and surely not for the engine where anything is FLOAT32. */
#define LATER                                                                                                          \
    RATES "decided by \"Later\" among \"Engine\" \"CPU\"\n" \
    "every elsewhere half: each(*, const(it) or dtype(it) != float32) \"must be FLOAT16\" advice \"Use FLOAT16\"\n"
#define CONVERTED "probably, after the fix: ~1.1 ms (0.96-1.2) on the Engine; CPU ~5.2 ms"
/* As many columns as x has elements that are not 0. */
#define UNSIZED "node z = NonZero(x)\nnode c = Cast(z) to=1\nnode d = Cast(c) to=7\noutput d\n"

static const struct {
    const char *what, *list, *model, *choice, *reason;
} rows[] = {
    {"all on the NPU, faster", RATES "op MatMul\n", PRODUCT "output p\n", "npu",
     "yes: ~1.1 ms (0.96-1.2); CPU ~5.2 ms"},
    {"a launch for nothing", RATES "op Abs\n", "input x float32[10,10]\nnode y = Abs(x)\noutput y\n", "cpu",
     "no, stay on the CPU: ~1.0 ms (0.90-1.1); CPU under 0.01 ms"},
    {"nothing is taken, and nothing can be done", RATES "op Relu\n", PRODUCT "output p\n", "cpu",
     "no, stay on the CPU: nothing runs on the NPU; CPU ~5.2 ms"},
    {"as fast either way", RATES "param runtime_ms 2 4 8\nop MatMul\n", PRODUCT "output p\n", "undecided",
     "about equal: ~5.1 ms (2.9-8.7); CPU ~5.2 ms"},
    {"not compiled as it is", RATES "op MatMul\n  need int64-ends: rank(A) = 3 \"the rank must be 3\" else fail\n",
     PRODUCT "output p\n", "mend",
     "after the fix: ~1.1 ms (0.96-1.2); CPU ~5.2 ms"},
    {"no rates", "format 1\ntarget t\nop MatMul\n", PRODUCT "output p\n", "undecided",
     "no estimate: the op list has no speeds for this"},
    {"a rate of the NPU is missing", NO_RATE "op MatMul\n", PRODUCT "output p\n", "undecided",
     "no estimate: the op list has no speeds for this"},
    {"a rate of the NPU is missing that only the mended model needs",
     NO_RATE "op MatMul\n  need int64-ends: rank(A) = 3 \"the rank must be 3\"\n", PRODUCT "output p\n", "undecided",
     "no estimate: the op list has no speeds for this"},
    {"no sizes", RATES "op MatMul\n", "input x float32[n,64]\ninit w float32[64,64]\nnode p = MatMul(x, w)\noutput p\n",
     "undecided", "no estimate: 1 node has no size"},
    {"what has no size is on the CPU either way, and the rest is slower", RATES "op Abs\n",
     "input x float32[10,10]\nnode y = Abs(x)\noutput y\n" UNSIZED, "cpu",
     "no, stay on the CPU: ~1.0 ms (0.90-1.1); CPU under 0.01 ms; 3 nodes have no size and are not in the sum"},
    {"the same, and the rest is faster", RATES "op MatMul\n", PRODUCT "output p\n" UNSIZED,
     "npu", "probably: ~1.1 ms (0.96-1.2); CPU ~5.2 ms; 3 nodes have no size and are not in the sum"},
    {"what has no size is copied", RATES "op MatMul Cast\n",
     PRODUCT "node q = MatMul(p, w)\nnode r = MatMul(q, w)\noutput r\n" UNSIZED, "undecided",
     "no estimate: 3 nodes have no size"},
    {"on the engine once it is FLOAT16", LATER "op MatMul\n", PRODUCT "output p float32[6400,64]\n", "mend", CONVERTED},
    {"constants of every kind are converted, and read as they are stored", LATER "op MatMul Reshape Mul\n",
     "input y float32[64,6400]\ninit w float32[64,64]\ninit f float32[2] = 6400 64\nnode s = Cast(f) to=7\n"
     "node x = Reshape(y, s)\nnode p = MatMul(x, w)\nnode c = Constant() value_float=2.0\n"
     "node d = Constant() value_floats=[2.0]\nnode e = Constant() value=tensor float32[1] = 2\n"
     "node a = Mul(c, d)\nnode b = Mul(a, e)\nnode q = Cast(b) to=1\nnode r = Mul(p, q)\noutput r\n", "mend", NULL},
    {"what a schema fixes stays FLOAT32", LATER "op MatMul\n",
     PRODUCT "init z float32[2] = 2 2\nnode q = Resize(p, , z)\noutput q\n", "mend", NULL},
    {"a list that does not take FLOAT16", LATER "op MatMul\n  need dtype(A) = float32 \"A must be FLOAT32\"\n",
     PRODUCT "output p\n", "cpu", "no, stay on the CPU: nothing runs on the Engine; CPU ~5.2 ms"},
    {"a model that would not load as FLOAT16", LATER "op MatMul DynamicQuantizeLinear\n",
     PRODUCT "node a, b, c = DynamicQuantizeLinear(p)\noutput a\n", "cpu",
     "no, stay on the CPU: nothing runs on the Engine; CPU ~5.2 ms; 1 node has no size and is not in the sum"},
};

struct session {
    npart_model *model;
    npart_inference *inference;
    npart_oplist *oplist;
    npart_plan *plan;
    npart_advice *advice;
};

static void open_session(struct session *session, const char *model, const char *list,
                         const struct npart_plan_options *options)
{
    struct npart_error error;
    struct bytes bytes = model_from_text(model);
    memset(session, 0, sizeof *session);
    REQUIRE(npart_model_read_memory(&session->model, bytes.data, bytes.size, NULL, &error) == NPART_OK);
    REQUIRE(npart_inference_make(&session->inference, session->model, NULL, &error) == NPART_OK);
    REQUIRE(npart_oplist_read_memory(&session->oplist, list, strlen(list), "l", NULL, &error) == NPART_OK);
    REQUIRE(npart_plan_make(&session->plan, session->inference, session->oplist, "t", options, &error) == NPART_OK);
    REQUIRE(npart_advice_make(&session->advice, session->plan, NULL, NULL, 0, &error) == NPART_OK);
    bytes_free(&bytes);
}

static void close_session(struct session *session)
{
    npart_advice_free(session->advice);
    npart_plan_free(session->plan);
    npart_oplist_free(session->oplist);
    npart_inference_free(session->inference);
    npart_model_free(session->model);
}

static void test_recommend__by_what_a_run_takes(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct session session;
        struct npart_recommendation found = {.size = sizeof found};
        open_session(&session, rows[i].model, rows[i].list, NULL);
        REQUIRE(npart_advice_recommendation(session.advice, &found));
        if (strcmp(npart_choice_text(found.choice), rows[i].choice) != 0)
            fprintf(stderr, "  %s: %s\n", rows[i].what, found.reason);
        CHECK_TEXT(npart_choice_text(found.choice), rows[i].choice);
        if (rows[i].reason)
            CHECK_TEXT(found.reason, rows[i].reason);
        close_session(&session);
    }
    struct npart_recommendation unknown = {.size = 1};
    CHECK(!npart_advice_recommendation(NULL, &unknown));
}

/* Taking back what the user has placed on the CPU is a step. */
static void test_recommend__mend(void)
{
    static const char list[] =
        RATES_OF("9 10 11") "param matrix_tops 0.9 1 1.1\nparam runtime_ms 0 0 0\nop MatMul Erf\n";
    static const char model[] = PRODUCT "node e = Erf(p)\nnode q = MatMul(e, w)\noutput q\n";
    static const struct npart_assumption on_cpu = {.op = "Erf"};
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    struct session session;
    struct npart_recommendation found = {.size = sizeof found};
    struct npart_action action = {.size = sizeof action};
    struct npart_cost cost = {.size = sizeof cost};
    options.assumptions = &on_cpu;
    options.assumption_count = 1;
    open_session(&session, model, list, &options);
    npart_plan_cost(session.plan, &cost);
    REQUIRE(npart_advice_action(session.advice, 0, &action) && npart_advice_recommendation(session.advice, &found));
    /* 409,600 elements of 10 ns, and a second launch */
    CHECK(cost.total.typical_ms > 4.0 + 2 && cost.cpu.typical_ms > 4.0 && action.after.cost.typical_ms < 1.3);
    CHECK_TEXT(npart_choice_text(found.choice), "mend");
    CHECK(strncmp(found.reason, "after the fix: ", 15) == 0);
    CHECK(found.is_sure && found.step_count == 1 && found.time.typical_ms > 0 && found.cpu.typical_ms > 0);
    close_session(&session);
}

/* Three products with an op between that the target lacks; the second is too small for a launch of its own. */
static void test_recommend__partitions_that_do_not_pay(void)
{
    static const char list[] = RATES "op MatMul\n";
    static const char model[] = PRODUCT "node c = Abs(p)\ninit v float32[64,1]\nnode q = MatMul(c, v)\n"
                                 "node d = Abs(q)\n"
                                 "init u float32[1,6400]\nnode r = MatMul(d, u)\noutput r\n";
    struct session session;
    struct npart_action action = {.size = sizeof action};
    struct npart_cost cost = {.size = sizeof cost};
    bool is_found = false;
    open_session(&session, model, list, NULL);
    npart_plan_cost(session.plan, &cost);
    for (uint32_t i = 0; npart_advice_action(session.advice, i, &action); i++) {
        if (strcmp(action.kind, "option") != 0)
            continue;
        is_found = true;
        CHECK_TEXT(action.text,
                   "Leave 1 small partition to the CPU (1 node): starting it costs more than it saves");
        CHECK_INT(action.after.partitions, 2);
        CHECK(action.after.cost.typical_ms < cost.total.typical_ms - 0.8);
    }
    CHECK(is_found);
    close_session(&session);
}

/* The same with a Cast in a partition by itself, whose time on the CPU is not known: it stays where it is, and does not
 * keep the other from being told. */
static void test_recommend__partitions_of_unknown_time(void)
{
    static const char list[] = RATES "param move_gb_per_s 10 10 10\nop MatMul Cast\n";
    static const char model[] = PRODUCT "node c = Abs(p)\ninit v float32[64,1]\nnode q = MatMul(c, v)\n"
                                 "node d = Abs(q)\nnode e = Cast(d) to=6\nnode f = Abs(e)\n"
                                 "node g = Cast(f) to=1\n"
                                 "init u float32[1,6400]\nnode r = MatMul(g, u)\noutput r\n";
    struct session session;
    struct npart_action action = {.size = sizeof action};
    bool is_found = false;
    open_session(&session, model, list, NULL);
    for (uint32_t i = 0; npart_advice_action(session.advice, i, &action); i++)
        is_found |= strcmp(action.kind, "option") == 0 && action.after.partitions == 3 &&
                    strstr(action.text, "Leave 1 small partition to the CPU (1 node)");
    CHECK(is_found);
    close_session(&session);
}

TESTS(test_recommend__by_what_a_run_takes, test_recommend__mend, test_recommend__partitions_that_do_not_pay,
      test_recommend__partitions_of_unknown_time)
