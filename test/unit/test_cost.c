/* SPDX-License-Identifier: Apache-2.0
 *
 * What switching costs, computed by hand from the formulas in lib/cost/cost.h; and how a target's text chooses the
 * parameters.
 */
#include "npu_partition.h"
#include "oplist/oplist.h"
#include "support/model_text.h"
#include "support/test.h"

#include <math.h>

/* Three partitions with an unsupported node between each two; 1,000,000 floats everywhere: 4 MB a tensor. */
static const char chain[] = "input x float32[1,1,1000,1000]\n"
                            "node a = Relu(x)\n"
                            "node b = Erf(a)\n"
                            "node c = Relu(b)\n"
                            "node d = Erf(c)\n"
                            "node e = Relu(d)\n"
                            "output e\n";

static const char list[] = "format 1\ntarget t\n"
                           "switches extra\n"
                           "variant plain\n"
                           "variant fast with extra\n"
                           "variant clone is 7 like fast\n"
                           "layout nhwc Relu\n"
                           "param launch_ms 0.5 1 2 \"s\"\n"
                           "param launch_ms for fast 0.25 0.5 0.75 \"s\"\n"
                           "param runtime_ms 0.125 0.25 0.5 \"s\"\n"
                           "param map_ms 0.01 0.02 0.04 \"s\"\n"
                           "param copy_gb_per_s 2 4 8 assumed \"s\"\n"
                           "param layout_gb_per_s 1 2 4 assumed \"s\"\n"
                           "op Relu\n";

struct session {
    npart_model *model;
    npart_inference *inference;
    npart_oplist *oplist;
    npart_plan *plan;
};

static npart_status plan_of(struct session *session, const char *model, const char *oplist, const char *target,
                            struct npart_error *error)
{
    struct bytes bytes = model_from_text(model);
    memset(session, 0, sizeof *session);
    REQUIRE(npart_model_read_memory(&session->model, bytes.data, bytes.size, NULL, error) == NPART_OK);
    REQUIRE(npart_inference_make(&session->inference, session->model, NULL, error) == NPART_OK);
    REQUIRE(npart_oplist_read_memory(&session->oplist, oplist, strlen(oplist), "l", NULL, error) == NPART_OK);
    bytes_free(&bytes);
    return npart_plan_make(&session->plan, session->inference, session->oplist, target, NULL, error);
}

static void close_session(struct session *session)
{
    npart_plan_free(session->plan);
    npart_oplist_free(session->oplist);
    npart_inference_free(session->inference);
    npart_model_free(session->model);
}

static void check_range(struct npart_cost_range found, double low, double typical, double high)
{
    CHECK(fabs(found.low_ms - low) < 1e-9);
    CHECK(fabs(found.typical_ms - typical) < 1e-9);
    CHECK(fabs(found.high_ms - high) < 1e-9);
    if (fabs(found.typical_ms - typical) >= 1e-9)
        fprintf(stderr, "  %g %g %g, not %g %g %g\n", found.low_ms, found.typical_ms, found.high_ms, low, typical,
                high);
}

static void test_cost__parts_add_up(void)
{
    struct npart_error error;
    struct session session;
    struct npart_cost cost = {.size = sizeof cost};
    REQUIRE(plan_of(&session, chain, list, "t", &error) == NPART_OK);
    npart_plan_cost(session.plan, &cost);
    /* 3 partitions x (launch + runtime) */
    check_range(cost.switching, 3 * 0.625, 3 * 1.25, 3 * 2.5);
    /* 6 crossings, each mapped and 4 MB: at 2 to 8 GB/s 24 MB take 12 down to 3 ms */
    CHECK_INT(cost.bytes_to_npu, 12000000);
    CHECK_INT(cost.bytes_to_cpu, 12000000);
    check_range(cost.copying, 6 * 0.01 + 3, 6 * 0.02 + 6, 6 * 0.04 + 12);
    /* 6 conversions of 4 MB, read and written: 48 MB at 1 to 4 GB/s */
    CHECK_INT(cost.conversions, 6);
    check_range(cost.layout, 12, 24, 48);
    check_range(cost.total, cost.switching.low_ms + cost.copying.low_ms + cost.layout.low_ms,
                cost.switching.typical_ms + cost.copying.typical_ms + cost.layout.typical_ms,
                cost.switching.high_ms + cost.copying.high_ms + cost.layout.high_ms);
    CHECK(cost.is_calibrated); /* two of five are assumed */
    close_session(&session);
}

static void test_cost__parameters_of_a_variant(void)
{
    static const struct {
        const char *target;
        double launch_ms;
    } choices[] = {{"t:plain", 1}, {"t:fast", 0.5}, {"t:FAST", 0.5}, {"t:clone", 0.5}, {"t:7", 0.5}, {"t", 1}};
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        struct npart_error error;
        struct session session;
        struct npart_cost cost = {.size = sizeof cost};
        REQUIRE(plan_of(&session, chain, list, choices[i].target, &error) == NPART_OK);
        npart_plan_cost(session.plan, &cost);
        CHECK(fabs(cost.switching.typical_ms - 3 * (choices[i].launch_ms + 0.25)) < 1e-9);
        close_session(&session);
    }
}

static void test_cost__a_list_without_parameters_costs_nothing_and_says_so(void)
{
    struct npart_error error;
    struct session session;
    struct npart_cost cost = {.size = sizeof cost};
    REQUIRE(plan_of(&session, chain, "format 1\ntarget t\nop Relu\n", "t", &error) == NPART_OK);
    npart_plan_cost(session.plan, &cost);
    check_range(cost.total, 0, 0, 0);
    CHECK(!cost.is_calibrated);
    CHECK_INT(cost.bytes_to_npu, 12000000);
    close_session(&session);
}

static void test_cost__most_assumed_is_uncalibrated(void)
{
    struct npart_error error;
    struct session session;
    struct npart_cost cost = {.size = sizeof cost};
    REQUIRE(plan_of(&session, chain,
                    "format 1\ntarget t\nparam launch_ms 1 2 3 \"s\"\nparam map_ms 1 2 3 assumed \"s\"\n"
                    "param copy_gb_per_s 1 2 3 assumed \"s\"\nop Relu\n",
                    "t", &error) == NPART_OK);
    npart_plan_cost(session.plan, &cost);
    CHECK(!cost.is_calibrated);
    close_session(&session);
}

static void test_cost__hostile_sizes_do_not_wrap(void)
{
    struct npart_error error;
    struct session session;
    struct npart_cost cost = {.size = sizeof cost};
    REQUIRE(plan_of(&session,
                    "input x uint8[9223372036854775807]\ninput y uint8[9223372036854775807]\n"
                    "input z uint8[9223372036854775807]\nnode a = Relu(x)\nnode b = Relu(y)\nnode c = Relu(z)\n"
                    "output a\noutput b\noutput c\n",
                    list, "t", &error) == NPART_OK);
    npart_plan_cost(session.plan, &cost);
    CHECK(cost.bytes_to_npu == UINT64_MAX);
    CHECK(cost.total.high_ms > 1e12 && isfinite(cost.total.high_ms));
    close_session(&session);
}

/* What stands after an include counts, for the variant that it is said for. */
static void test_cost__parameters_over_an_included_list(void)
{
    static const char changed[] = "format 1\ninclude hexagon\ntarget mine\n"
                                  "param launch_ms for v73 10 20 30\nparam runtime_ms for v73 0 0 0\n";
    static const struct {
        const char *target;
        bool is_changed;
    } rows[] = {{"mine:v73", true}, {"mine:sm8550", true}, {"mine:v68", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct npart_error error;
        struct session session;
        struct npart_cost cost = {.size = sizeof cost};
        REQUIRE(plan_of(&session, "input x float32[1,8]\nnode y = Relu(x)\noutput y\n", changed, rows[i].target,
                        &error) == NPART_OK);
        npart_plan_cost(session.plan, &cost);
        CHECK((fabs(cost.switching.typical_ms - 20) < 1e-9) == rows[i].is_changed);
        close_session(&session);
    }
}

/* Which of several lines counts: more by `via` than by `for`, by that than by `of`; of equals the last. */
static void test_cost__the_line_that_says_most_counts(void)
{
    static const char text[] = "format 1\ntarget t\nvariant a\nvariant b\nvariant c like b\n"
                               "param launch_ms 1 1 1\n"
                               "param launch_ms of w8a8 2 2 2\n"
                               "param launch_ms of float16 3 3 3\n"
                               "param launch_ms for b 4 4 4\n"
                               "param launch_ms of w8a16 for b 5 5 5\n"
                               "param launch_ms via tflite 6 6 6\n"
                               "param launch_ms of w8a8 via tflite 7 7 7\n"
                               "param launch_ms for c 8 8 8\n"
                               "param launch_ms for c 9 9 9\n"
                               "op Relu\n";
    static const char top[] = "format 1\nparam launch_ms of w8a16 10 10 10\n";
    static const struct {
        const char *variant;
        enum npart__arithmetic arithmetic;
        enum npart__invoker invoker;
        double ms, with_top;
    } rows[] = {
        {":a", NPART__ARITHMETIC_W8A16, NPART__INVOKER_BARE, 1, 10},
        {":a", NPART__ARITHMETIC_W8A8, NPART__INVOKER_BARE, 2, 2},
        {":a", NPART__ARITHMETIC_FLOAT16, NPART__INVOKER_BARE, 3, 3},
        {":a", NPART__ARITHMETIC_FLOAT32, NPART__INVOKER_BARE, 3, 3}, /* float32 is computed as float16 */
        {":b", NPART__ARITHMETIC_FLOAT16, NPART__INVOKER_BARE, 4, 4},
        {":b", NPART__ARITHMETIC_W8A16, NPART__INVOKER_BARE, 5, 10},
        {":b", NPART__ARITHMETIC_W8A16, NPART__INVOKER_TFLITE, 6, 10},
        {":b", NPART__ARITHMETIC_W8A8, NPART__INVOKER_TFLITE, 7, 7},
        {":c", NPART__ARITHMETIC_W8A8, NPART__INVOKER_BARE, 9, 9},
    };
    struct npart__arena arena;
    struct npart__oplist lists[2];
    struct npart_error error;
    npart__arena_init(&arena, NULL);
    REQUIRE(npart__oplist_read(text, sizeof text - 1, "l", &arena, &lists[0], NULL, &error) == NPART_OK);
    REQUIRE(npart__cost_read(&lists[0], top, sizeof top - 1, "c", &arena, &lists[1], &error) == NPART_OK);
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        const struct npart__parameter *found[NPART__PARAMETERS];
        struct npart__target target;
        const double expected = i % 2 ? rows[i / 2].with_top : rows[i / 2].ms;
        REQUIRE(npart__target_choose(&lists[i % 2], rows[i / 2].variant, &arena, &target, &error) == NPART_OK);
        npart__target_parameters(&target, rows[i / 2].arithmetic, rows[i / 2].invoker, found);
        CHECK(found[NPART__PARAMETER_LAUNCH]->typical == expected);
        CHECK(!found[NPART__PARAMETER_MAP]);
    }
    npart__arena_clear(&arena);
}

static void test_target__mistakes(void)
{
    static const struct {
        const char *target, *message;
    } mistakes[] = {
        {"u", "\"u\" is not a target of the list t"},
        {"t:v9", "t has no variant \"v9\"; there is plain, fast, clone"},
        {"t:", "t has no variant \"\"; there is plain, fast, clone"},
        {"t+no", "t has no switch \"no\"; there is extra"},
        {"t:fast-extra+no", "t has no switch \"no\"; there is extra"},
        {"t@2", "t has no toolchain \"2\"; it has none"},
        {"t:fast:plain", "cannot read \":plain\": a target is NAME[:VARIANT][+SWITCH|-SWITCH]...[@TOOLCHAIN]"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct npart_error error = {0};
        struct session session;
        CHECK_INT(plan_of(&session, chain, list, mistakes[i].target, &error), NPART_ERROR_ARGUMENT);
        CHECK_TEXT(error.message, mistakes[i].message);
        CHECK(session.plan == NULL);
        close_session(&session);
    }
}

TESTS(test_cost__parts_add_up, test_cost__parameters_of_a_variant,
      test_cost__a_list_without_parameters_costs_nothing_and_says_so, test_cost__most_assumed_is_uncalibrated,
      test_cost__hostile_sizes_do_not_wrap, test_cost__parameters_over_an_included_list,
      test_cost__the_line_that_says_most_counts, test_target__mistakes)
