/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plan says beyond its stages: which cause to look at first, the range that the unknown leaves, patterns at the
 * edge of a graph. Advice is held against plans that take it.
 */
#include "api/api.h"
#include "support/analysis.h"
#include "support/test.h"

/* ---- what to do next ------------------------------------------------------------------------------------------ */

static const char relu_only[] = "format 1\ntarget t\nop Relu\n";
static const char *const refused[] = {"Abs", "Cos", "Erf", "Exp"};

static uint32_t state;

static uint32_t random_below(uint32_t limit)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % limit;
}

/* Relu between ops that the list lacks, in a tree. */
static void write_model(char *text, size_t bytes, uint32_t nodes)
{
    size_t used = (size_t)snprintf(text, bytes, "input x float32[2]\nnode v0 = Relu(x)\n");
    for (uint32_t i = 1; i < nodes; i++) {
        uint32_t from = random_below(3) ? i - 1 : random_below(i);
        used += (size_t)snprintf(text + used, bytes - used, "node v%u = %s(v%u)\noutput v%u\n", i,
                                 random_below(2) ? "Relu" : refused[random_below(4)], from, i);
    }
}

/* The op of the victims of a cause: each cause here is one op that the list lacks. */
static const char *op_of_cause(const struct analysis *at, uint32_t cause)
{
    struct npart_node_plan plan = {.size = sizeof plan};
    struct npart_node node = {.size = sizeof node};
    for (uint32_t i = 0; npart_plan_node(at->plan, i, &plan); i++)
        if (plan.cause == cause && npart_model_node(at->model, i, &node))
            return node.op;
    return "";
}

/* Partitions once the causes `first` to `last` are taken away. */
static uint32_t partitions_without(const struct analysis *at, uint32_t first, uint32_t last)
{
    struct npart_assumption assumptions[8] = {{0}};
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    struct npart_summary summary = {.size = sizeof summary};
    npart_plan *plan = NULL;
    for (uint32_t i = first; i <= last; i++)
        assumptions[i - first] = (struct npart_assumption){op_of_cause(at, i), NULL, true};
    options.assumptions = assumptions;
    options.assumption_count = last - first + 1;
    REQUIRE(npart_plan_make(&plan, at->inference, at->oplist, NULL, &options, NULL) == NPART_OK);
    npart_plan_summary(plan, &summary);
    npart_plan_free(plan);
    return summary.partitions;
}

/* Partitions saved for each cause that goes. */
static double gain_of(const struct analysis *at, uint32_t first, uint32_t last)
{
    struct npart_summary summary = {.size = sizeof summary};
    npart_plan_summary(at->plan, &summary);
    return ((double)summary.partitions - (double)partitions_without(at, first, last)) / (last - first + 1);
}

static void check_next_step(const struct analysis *at)
{
    struct npart__next_step step;
    uint32_t causes = at->plan->plan.causes.items.count, victims = 0;
    double best = gain_of(at, 0, 0);
    REQUIRE(npart__find_next_step(&at->plan->plan, &step, NULL) == NPART_OK);
    CHECK(step.first_cause <= step.last_cause && step.last_cause < causes);
    CHECK(step.first_cause == 0 || step.first_cause == step.last_cause);
    for (uint32_t i = 1; i < causes; i++) {
        double alone = gain_of(at, i, i), together = gain_of(at, 0, i);
        best = alone > best ? alone : best;
        best = together > best ? together : best;
    }
    CHECK(gain_of(at, step.first_cause, step.last_cause) == best);
    CHECK_INT(step.partitions, partitions_without(at, step.first_cause, step.last_cause));
    for (uint32_t i = step.first_cause; i <= step.last_cause; i++) {
        struct npart_cause cause = {.size = sizeof cause};
        CHECK(npart_plan_cause(at->plan, i, &cause, NULL, 0));
        victims += cause.affected_count;
    }
    CHECK_INT(step.affected_count, victims);
}

static void test_plan__next_step_saves_most(void)
{
    for (uint32_t seed = 1; seed <= 150; seed++) {
        char text[4000];
        struct analysis at;
        int before = test_failures;
        state = seed;
        write_model(text, sizeof text, 4 + random_below(24));
        analysis_open(&at, text, relu_only, NULL, NULL);
        if (at.plan->plan.causes.items.count > 0)
            check_next_step(&at);
        analysis_close(&at);
        if (test_failures > before) {
            fprintf(stderr, "  seed %u\n%s", seed, text);
            return;
        }
    }
}

/* Of equal gains the first; where nothing helps, the first too. */
static void test_plan__next_step_is_the_first_of_equals(void)
{
    static const char equal[] = "input x float32[2]\nnode a = Relu(x)\nnode b = Erf(a)\nnode c = Relu(b)\n"
                                "node d = Abs(c)\nnode e = Relu(d)\noutput e\n";
    static const char useless[] =
        "input x float32[2]\nnode a = Relu(x)\nnode b = Abs(a)\nnode c = Erf(a)\noutput b\noutput c\n";
    static const char *const models[] = {equal, useless};
    for (size_t i = 0; i < 2; i++) {
        struct npart__next_step step;
        struct analysis at;
        analysis_open(&at, models[i], relu_only, NULL, NULL);
        REQUIRE(npart__find_next_step(&at.plan->plan, &step, NULL) == NPART_OK);
        CHECK_INT(step.first_cause, 0);
        CHECK_INT(step.last_cause, 0);
        CHECK_INT(step.affected_count, 1);
        CHECK_INT(step.partitions, i ? 1 : 2);
        analysis_close(&at);
    }
}

/* ---- what is unknown ------------------------------------------------------------------------------------------ */

static void test_plan__unknown_nodes_may_join_or_part(void)
{
    static const char list[] = "format 1\ntarget t\nop Relu\nop Tanh\n  maybe \"nobody tried\"\n";
    static const struct {
        const char *model;
        uint32_t low, now, high;
    } rows[] = {
        /* between two partitions it joins them */
        {"input x float32[2]\nnode a = Relu(x)\nnode b = Tanh(a)\nnode c = Relu(b)\noutput c\n", 1, 2, 2},
        /* alone it is one more */
        {"input x float32[2]\nnode a = Erf(x)\nnode b = Tanh(a)\nnode c = Erf(b)\noutput c\n", 0, 0, 1},
        /* behind one it changes nothing */
        {"input x float32[2]\nnode a = Relu(x)\nnode b = Tanh(a)\noutput b\n", 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct npart_summary summary = {.size = sizeof summary};
        struct analysis at;
        analysis_open(&at, rows[i].model, list, NULL, NULL);
        npart_plan_summary(at.plan, &summary);
        CHECK_INT(summary.partitions_low, rows[i].low);
        CHECK_INT(summary.partitions, rows[i].now);
        CHECK_INT(summary.partitions_high, rows[i].high);
        CHECK_INT(summary.unknown, 1);
        analysis_close(&at);
    }
}

/* ---- patterns ------------------------------------------------------------------------------------------------- */

/* A pattern of one node holds for the first of a graph, the last, and the only one. */
static void test_plan__patterns_at_the_edges(void)
{
    static const char list[] = "format 1\ntarget t\npattern alone \"an Erf by itself\"\n  match Erf(x)\nop Relu\n";
    static const char model[] = "input x float32[2]\nnode a = Erf(x)\nnode b = Relu(a)\nnode c = Erf(b)\noutput c\n";
    static const char only[] = "input x float32[2]\nnode a = Erf(x)\noutput a\n";
    struct npart_summary summary = {.size = sizeof summary};
    struct analysis at;
    analysis_open(&at, model, list, NULL, NULL);
    npart_plan_summary(at.plan, &summary);
    CHECK_TEXT(summary.verdict, "whole");
    analysis_close(&at);
    analysis_open(&at, only, list, NULL, NULL);
    npart_plan_summary(at.plan, &summary);
    CHECK_TEXT(summary.verdict, "whole");
    analysis_close(&at);
}

/* What a rule looked at is listed with one blank between. */
static void test_plan__explained_values_stand_apart(void)
{
    static const char list[] = "format 1\ntarget t\nop Add\n  need rank(inputs) <= 4 \"four axes\"\n"
                               "op Conv\n  need attr(pads) <= 2 \"small pads\"\n";
    static const char model[] = "input x float32[2,3]\ninput y float32[3]\ninput z float32[1,1,9,9]\n"
                                "init w float32[1,1,3,3]\nnode a = Add(x, y)\nnode b = Conv(z, w) pads=[1,2,1,2]\n"
                                "output a\noutput b\n";
    struct analysis at;
    struct sink add = {0}, conv = {0};
    analysis_open(&at, model, list, NULL, NULL);
    const struct npart_plan_pair pair = {at.plan, NULL};
    CHECK_INT(npart_report_explain(&pair, 1, "a", NULL, sink_write, &add, NULL), NPART_OK);
    CHECK(strstr(add.text, "rank of inputs: 2 1\n") != NULL);
    CHECK_INT(npart_report_explain(&pair, 1, "b", NULL, sink_write, &conv, NULL), NPART_OK);
    CHECK(strstr(conv.text, "pads: 1 2 1 2\n") != NULL);
    sink_clear(&add);
    sink_clear(&conv);
    analysis_close(&at);
}

TESTS(test_plan__next_step_saves_most, test_plan__next_step_is_the_first_of_equals,
      test_plan__unknown_nodes_may_join_or_part, test_plan__patterns_at_the_edges,
      test_plan__explained_values_stand_apart)
