/* SPDX-License-Identifier: Apache-2.0
 *
 * Two plans compared: what is recognized, what is worse.
 */
#include "npu_partition.h"
#include "support/analysis.h"
#include "support/subjects.h"
#include "support/test.h"

static const char list[] = "format 1\ntarget t\nop Add Conv MatMul Mul Neg Relu Sigmoid Tanh\n";

/* A model as a side; the rest of the analysis is gone. */
static npart_record *record_of(const char *model)
{
    struct analysis at;
    npart_record *record = NULL;
    analysis_open(&at, model, list, NULL, NULL);
    CHECK_INT(npart_record_make(&record, at.plan, NULL, NULL), NPART_OK);
    analysis_close(&at);
    return record;
}

static npart_diff *diff_of(const char *before, const char *after)
{
    npart_record *a = record_of(before), *b = record_of(after);
    npart_diff *diff = NULL;
    CHECK_INT(npart_diff_make(&diff, npart_record_side(a), npart_record_side(b), NULL, NULL), NPART_OK);
    npart_record_free(a);
    npart_record_free(b);
    return diff;
}

static struct npart_diff_info info_of(const npart_diff *diff)
{
    struct npart_diff_info info = {.size = sizeof info};
    CHECK(npart_diff_info(diff, &info));
    return info;
}

static const char *figure_text(const npart_diff *diff, const char *what)
{
    struct npart_diff_figure at = {.size = sizeof at};
    for (uint32_t i = 0; npart_diff_figure(diff, i, &at); i++)
        if (strcmp(at.what, what) == 0)
            return at.text;
    return "";
}

#define CHAIN(a, b, c, d, e)                                                                                           \
    "opset 17\ninput x float32[2,4]\nnode a = " a "(x) @first\nnode b = " b "(a)\nnode c = " c "(b)\nnode d = " d      \
    "(c)\nnode y = " e "(d)\noutput y\n"

static void test_diff__the_same_model(void)
{
    static const char model[] = CHAIN("Relu", "Erf", "Tanh", "Neg", "Relu");
    npart_diff *diff = diff_of(model, model);
    struct npart_diff_info info = info_of(diff);
    CHECK_INT(info.change, NPART_CHANGE_NONE);
    CHECK_INT(info.matched, 5);
    CHECK_INT(info.figure_count + info.node_count, 0);
    CHECK_INT(info.cause_count, 1);
    for (uint32_t i = 0; i < 5; i++)
        CHECK_INT(npart_diff_match(diff, i), i);
    CHECK_INT(npart_diff_match(diff, 5), NPART_NONE);
    npart_diff_free(diff);
}

/* One operator becomes one that the target does not take. */
static void test_diff__an_operator_is_refused(void)
{
    static const char taken[] = CHAIN("Relu", "Sigmoid", "Tanh", "Neg", "Relu");
    static const char refused[] = CHAIN("Relu", "Sigmoid", "Erf", "Neg", "Relu");
    npart_diff *diff = diff_of(taken, refused);
    struct npart_diff_info info = info_of(diff);
    struct npart_diff_node node = {.size = sizeof node};
    struct npart_diff_cause cause = {.size = sizeof cause};
    CHECK_INT(info.change, NPART_CHANGE_WORSE);
    CHECK_INT(info.matched, 5);
    CHECK_TEXT(figure_text(diff, "partitions"), "partitions: 1 -> 2");
    CHECK_TEXT(figure_text(diff, "verdict"), "verdict: whole -> split");
    CHECK(npart_diff_node(diff, 0, &node));
    CHECK_TEXT(npart_node_change_text(node.state), "replaced");
    CHECK_TEXT(node.op, "Erf");
    CHECK_TEXT(node.op_before, "Tanh");
    CHECK_INT(node.after, 2);
    CHECK_INT(node.change, NPART_CHANGE_WORSE);
    CHECK_INT(node.cause, 0);
    CHECK(!npart_diff_node(diff, 1, &node));
    CHECK(npart_diff_cause(diff, 0, &cause));
    CHECK_TEXT(npart_cause_change_text(cause.state), "new");
    CHECK_INT(cause.change, NPART_CHANGE_WORSE);
    CHECK_INT(cause.affected_after, 1);
    npart_diff_free(diff);
    diff = diff_of(refused, taken);
    CHECK_INT(info_of(diff).change, NPART_CHANGE_BETTER);
    CHECK(npart_diff_cause(diff, 0, &cause));
    CHECK_TEXT(npart_cause_change_text(cause.state), "lost");
    npart_diff_free(diff);
}

/* What comes in front, between and after does not make the others new. */
static void test_diff__nodes_are_added(void)
{
    static const char before[] = CHAIN("Relu", "Sigmoid", "Tanh", "Erf", "Relu");
    static const char after[] =
        "opset 17\ninput in float32[2,4]\nnode z = Neg(in)\nnode aa = Relu(z)\nnode bb = Sigmoid(aa)\n"
        "node n = Neg(bb)\nnode cc = Tanh(n)\nnode dd = Erf(cc)\nnode yy = Relu(dd)\nnode o = Neg(yy)\noutput o\n";
    npart_diff *diff = diff_of(before, after);
    struct npart_diff_info info = info_of(diff);
    static const uint32_t wanted[] = {1, 2, 4, 5, 6};
    CHECK_INT(info.change, NPART_CHANGE_OTHER);
    CHECK_INT(info.added, 3);
    CHECK_INT(info.removed, 0);
    for (uint32_t i = 0; i < 5; i++)
        CHECK_INT(npart_diff_match(diff, i), wanted[i]);
    npart_diff_free(diff);
}

/* Equal layers: one goes, and the change at either end is no other one. */
static void test_diff__equal_layers(void)
{
#define LAYER(i, o) "node m" o " = MatMul(" i ", w)\nnode e" o " = Erf(m" o ")\nnode " o " = Add(e" o ", " i ")\n"
#define HEAD "opset 17\ninput x float32[4,4]\ninit w float32[4,4]\n"
    static const char before[] = HEAD "node s = Relu(x)\n" LAYER("s", "a") LAYER("a", "b") LAYER("b", "c")
        LAYER("c", "d") "node y = Tanh(d)\noutput y\n";
    static const char after[] = HEAD "node s = Neg(x)\n" LAYER("s", "k") LAYER("k", "l") LAYER("l", "m")
        "node y = Sigmoid(m)\noutput y\n";
    npart_diff *diff = diff_of(before, after);
    struct npart_diff_info info = info_of(diff);
    struct npart_diff_cause cause = {.size = sizeof cause};
    CHECK_INT(info.change, NPART_CHANGE_BETTER); /* one Erf less */
    CHECK_INT(info.removed, 4); /* with Relu, which is Neg now */
    CHECK_INT(info.added, 1);
    CHECK_INT(info.matched, 10);
    CHECK(npart_diff_cause(diff, 0, &cause));
    CHECK_TEXT(npart_cause_change_text(cause.state), "fewer");
    CHECK_INT(cause.affected_before, 4);
    CHECK_INT(cause.affected_after, 3);
    npart_diff_free(diff);
}

/* A side that lists only what is not on the NPU, as a baseline does. */
static void test_diff__against_a_baseline(void)
{
    npart_record *a = record_of(CHAIN("Relu", "Erf", "Tanh", "Neg", "Relu"));
    npart_record *b = record_of(CHAIN("Relu", "Erf", "Tanh", "Erf", "Relu"));
    struct npart_side baseline = *npart_record_side(a);
    struct npart_side_node left = baseline.nodes[1];
    uint32_t zero = 0;
    struct npart_side_cause cause = baseline.causes[0];
    struct npart_diff_node node = {.size = sizeof node};
    npart_diff *diff = NULL;
    CHECK_INT(cause.node_count, 1);
    cause.nodes = &zero;
    left.name = NULL;
    baseline.listing = NPART_LISTING_LEFT;
    baseline.nodes = &left;
    baseline.node_count = 1;
    baseline.causes = &cause;
    CHECK_INT(npart_diff_make(&diff, &baseline, npart_record_side(a), NULL, NULL), NPART_OK);
    CHECK_INT(info_of(diff).change, NPART_CHANGE_NONE);
    npart_diff_free(diff);
    CHECK_INT(npart_diff_make(&diff, &baseline, npart_record_side(b), NULL, NULL), NPART_OK);
    CHECK_INT(info_of(diff).change, NPART_CHANGE_WORSE);
    CHECK_INT(info_of(diff).added, 1);
    CHECK(npart_diff_node(diff, 0, &node));
    CHECK_TEXT(npart_node_change_text(node.state), "added");
    CHECK_INT(node.index, 3);
    npart_diff_free(diff);
    npart_record_free(a);
    npart_record_free(b);
}

/* Only totals and causes. */
static void test_diff__without_nodes(void)
{
    npart_record *a = record_of(CHAIN("Relu", "Erf", "Tanh", "Neg", "Relu"));
    npart_record *b = record_of(CHAIN("Relu", "Erf", "Tanh", "Ceil", "Relu"));
    struct npart_side before = *npart_record_side(a), after = *npart_record_side(b);
    struct npart_side_cause causes[3];
    npart_diff *diff = NULL;
    before.listing = after.listing = NPART_LISTING_NONE;
    before.node_count = after.node_count = 0;
    CHECK_INT(after.cause_count, 2);
    causes[2] = before.causes[0];
    causes[0] = after.causes[0];
    causes[1] = after.causes[1];
    causes[0].node_count = causes[1].node_count = causes[2].node_count = 0;
    before.causes = &causes[2];
    after.causes = causes;
    CHECK_INT(npart_diff_make(&diff, &before, &after, NULL, NULL), NPART_OK);
    CHECK_INT(info_of(diff).change, NPART_CHANGE_WORSE);
    CHECK_INT(info_of(diff).cause_count, 2);
    npart_diff_free(diff);
    npart_record_free(a);
    npart_record_free(b);
}

/* Those that make a tenth of the change or more, the largest first; equal ones as they stand. */
/* A summary has no causes, so none is new or lost. */
static void test_diff__without_causes(void)
{
    static const char model[] = CHAIN("Relu", "Erf", "Tanh", "Neg", "Relu");
    npart_record *record = record_of(model);
    struct npart_side summary = *npart_record_side(record);
    summary.listing = NPART_LISTING_NONE;
    summary.node_count = summary.cause_count = 0;
    for (int is_after = 0; is_after < 2; is_after++) {
        npart_diff *diff = NULL;
        const struct npart_side *whole = npart_record_side(record);
        CHECK_INT(npart_diff_make(&diff, is_after ? whole : &summary, is_after ? &summary : whole, NULL, NULL),
                  NPART_OK);
        CHECK_INT(info_of(diff).change, NPART_CHANGE_NONE);
        CHECK_INT(info_of(diff).cause_count, 0);
        npart_diff_free(diff);
    }
    npart_record_free(record);
}

static void test_diff__parts_of_a_run(void)
{
    npart_record *a = record_of(CHAIN("Relu", "Erf", "Ceil", "Neg", "Relu"));
    npart_diff *diff = NULL;
    struct npart_side before = *npart_record_side(a), after = before;
    before.cost = (struct npart_cost_range){8, 10, 12};
    before.parts = (struct npart_side_parts){.cpu_ms = 4, .npu_ms = 3, .launch_ms = 2.5, .copy_ms = 0.5};
    after.cost = (struct npart_cost_range){4, 5, 6};
    after.parts = (struct npart_side_parts){.cpu_ms = 0.5, .npu_ms = 2.6, .launch_ms = 1.5, .layout_ms = 0.4};
    CHECK_INT(npart_diff_make(&diff, &before, &after, NULL, NULL), NPART_OK);
    CHECK_TEXT(figure_text(diff, "cost"), "a run: 10.00 ms -> 5.00 ms (CPU 4.00 -> 0.500, launches 2.50 -> 1.50, "
                                          "copies 0.500 -> 0.000)");
    npart_diff_free(diff);
    after.parts = (struct npart_side_parts){0};
    CHECK_INT(npart_diff_make(&diff, &before, &after, NULL, NULL), NPART_OK);
    CHECK_TEXT(figure_text(diff, "cost"), "a run: 10.00 ms -> 5.00 ms");
    npart_diff_free(diff);
    after.version = before.version = 1; /* which has no parts and no unit: they are not read */
    after.parts.cpu_ms = 5;
    after.unit = "Kit";
    after.summary.accepted--;
    CHECK_INT(npart_diff_make(&diff, &before, &after, NULL, NULL), NPART_OK);
    CHECK_TEXT(figure_text(diff, "cost"), "a run: 10.00 ms -> 5.00 ms");
    CHECK_TEXT(figure_text(diff, "left"), "live nodes not on the NPU: 2 -> 3");
    npart_diff_free(diff);
    after.version = 2;
    CHECK_INT(npart_diff_make(&diff, &before, &after, NULL, NULL), NPART_OK);
    CHECK_TEXT(figure_text(diff, "left"), "live nodes not in Kit: 2 -> 3");
    npart_diff_free(diff);
    npart_record_free(a);
}

/* Two roots become one: it is the first of them, whatever order the nodes have, and the other one went. */
static void test_diff__two_roots_become_one(void)
{
    npart_record *a = record_of(CHAIN("Relu", "Erf", "Ceil", "Neg", "Relu"));
    struct npart_side before = *npart_record_side(a), after = before;
    struct npart_side_node nodes[5];
    struct npart_side_cause causes[2], joined;
    uint32_t both[] = {1, 2};
    struct npart_diff_cause found = {.size = sizeof found};
    npart_diff *diff = NULL;
    REQUIRE(before.node_count == 5 && before.cause_count == 2);
    memcpy(nodes, before.nodes, sizeof nodes);
    memcpy(causes, before.causes, sizeof causes);
    causes[1].rule = causes[0].rule;
    causes[1].kind = causes[0].kind;
    joined = causes[0];
    joined.nodes = both;
    joined.node_count = joined.affected_count = 2;
    nodes[1].cause = nodes[2].cause = 0;
    before.causes = causes;
    after.nodes = nodes;
    after.causes = &joined;
    after.cause_count = 1;
    CHECK_INT(npart_diff_make(&diff, &before, &after, NULL, NULL), NPART_OK);
    CHECK_INT(info_of(diff).cause_count, 2);
    CHECK(npart_diff_cause(diff, 0, &found));
    CHECK_TEXT(npart_cause_change_text(found.state), "more");
    CHECK_INT(found.before, 0);
    CHECK_INT(found.after, 0);
    CHECK(npart_diff_cause(diff, 1, &found));
    CHECK_TEXT(npart_cause_change_text(found.state), "lost");
    CHECK_INT(found.before, 1);
    CHECK_INT(found.after, NPART_NONE);
    npart_diff_free(diff);
    npart_record_free(a);
}

/* A node that is taken now had the root that went, which is not the first. */
static void test_diff__the_root_that_went(void)
{
    npart_diff *diff =
        diff_of(CHAIN("Relu", "Erf", "Tanh", "Neg", "Relu"), CHAIN("Relu", "Tanh", "Ceil", "Neg", "Relu"));
    struct npart_diff_node node = {.size = sizeof node};
    struct npart_diff_cause cause = {.size = sizeof cause};
    CHECK_INT(info_of(diff).cause_count, 2);
    CHECK(npart_diff_cause(diff, 0, &cause));
    CHECK_TEXT(npart_cause_change_text(cause.state), "new");
    CHECK(npart_diff_cause(diff, 1, &cause));
    CHECK_TEXT(npart_cause_change_text(cause.state), "lost");
    CHECK(npart_diff_node(diff, 0, &node));
    CHECK_TEXT(node.op, "Ceil");
    CHECK_INT(node.cause, 0);
    CHECK(npart_diff_node(diff, 1, &node));
    CHECK_TEXT(node.op_before, "Erf");
    CHECK_INT(node.cause, 1);
    npart_diff_free(diff);
}

/* Six roots are told, and how many more there are. */
static void test_diff__more_roots(void)
{
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    npart_diff *diff = diff_of(CHAIN("Relu", "Neg", "Relu", "Neg", "Relu"),
                               CHAIN("Erf", "Ceil", "Floor", "Exp", "Sin") "node p = Cos(y)\nnode q = Abs(p)\n"
                               "node r = Round(q)\noutput r\n");
    const npart_diff *all = diff;
    struct sink sink = {0};
    CHECK_INT(info_of(diff).cause_count, 8);
    CHECK_INT(npart_report(OF_DIFFS(&all, 1), NPART_FORMAT_TEXT, &options, sink_write, &sink, NULL), NPART_OK);
    CHECK(strstr(sink.text, "\n          and 2 more roots ("));
    sink_clear(&sink);
    options.is_verbose = true;
    CHECK_INT(npart_report(OF_DIFFS(&all, 1), NPART_FORMAT_TEXT, &options, sink_write, &sink, NULL), NPART_OK);
    CHECK(!strstr(sink.text, "more roots"));
    sink_clear(&sink);
    npart_diff_free(diff);
}

/* Causes without common nodes are found by their sentence, however many there are. */
static void test_diff__many_roots(void)
{
    enum { ROOTS = 2100 };
    static char room[200000];
    static struct npart_side_cause causes[ROOTS];
    char *end = room + sprintf(room, "input x float32[2]\n");
    for (uint32_t i = 0; i < ROOTS; i++)
        end += sprintf(end, "node y%u = my:K%u(x)\n", i, i);
    sprintf(end, "output y0\n");
    npart_record *record = record_of(room);
    npart_diff *diff = NULL;
    struct npart_side side = *npart_record_side(record);
    side.listing = NPART_LISTING_NONE;
    side.node_count = 0;
    CHECK_INT(side.cause_count, ROOTS);
    for (uint32_t i = 0; i < ROOTS; i++) {
        causes[i] = side.causes[i];
        causes[i].node_count = 0;
    }
    side.causes = causes;
    CHECK_INT(npart_diff_make(&diff, &side, &side, NULL, NULL), NPART_OK);
    CHECK_INT(info_of(diff).cause_count, ROOTS);
    npart_diff_free(diff);
    npart_record_free(record);
}

static void test_diff__arguments(void)
{
    npart_record *a = record_of(CHAIN("Relu", "Erf", "Tanh", "Neg", "Relu")), *none = NULL;
    struct npart_side side = *npart_record_side(a), other = side;
    struct npart_side_node node = {.cause = 7};
    struct npart_diff_options options = NPART_DIFF_OPTIONS_INIT;
    struct npart_diff_info wrong = {.size = 1};
    npart_diff *diff = NULL;
    CHECK_INT(npart_record_make(&none, NULL, NULL, NULL), NPART_ERROR_ARGUMENT);
    CHECK(npart_record_side(NULL) == NULL);
    CHECK_INT(npart_diff_make(NULL, &side, &side, NULL, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_diff_make(&diff, NULL, &side, NULL, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_diff_make(&diff, &side, NULL, NULL, NULL), NPART_ERROR_ARGUMENT);
    options.version = 2;
    CHECK_INT(npart_diff_make(&diff, &side, &side, &options, NULL), NPART_ERROR_ARGUMENT);
    other.version = 0;
    CHECK_INT(npart_diff_make(&diff, &side, &other, NULL, NULL), NPART_ERROR_ARGUMENT);
    other = side;
    other.nodes = &node;
    other.node_count = 1;
    CHECK_INT(npart_diff_make(&diff, &side, &other, NULL, NULL), NPART_ERROR_ARGUMENT);
    other = side;
    other.nodes = NULL;
    CHECK_INT(npart_diff_make(&diff, &side, &other, NULL, NULL), NPART_ERROR_ARGUMENT);
    CHECK(diff == NULL && !npart_diff_info(NULL, &wrong));
    CHECK_TEXT(npart_change_text(NPART_CHANGE_WORSE), "worse");
    CHECK(npart_change_text((enum npart_change)4) == NULL);
    CHECK_INT(npart_name_hash(""), 0);
    CHECK(npart_name_hash("a") != npart_name_hash("b"));
    npart_record_free(a);
    npart_record_free(NULL);
    npart_diff_free(NULL);
}

TESTS(test_diff__the_same_model, test_diff__an_operator_is_refused, test_diff__nodes_are_added,
      test_diff__equal_layers, test_diff__against_a_baseline, test_diff__without_nodes, test_diff__without_causes,
      test_diff__parts_of_a_run, test_diff__two_roots_become_one, test_diff__the_root_that_went,
      test_diff__more_roots, test_diff__many_roots, test_diff__arguments)
