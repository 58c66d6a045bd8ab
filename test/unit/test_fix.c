/* SPDX-License-Identifier: Apache-2.0
 *
 * The search: what is kept, what is taken back, for one target and for two; and what becomes of the file.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <unistd.h>

#include "npu_partition.h"
#include "support/analysis.h"
#include "support/counted.h"
#include "support/model_text.h"
#include "support/rewritten.h"
#include "support/test.h"

/* A target without IsNaN and Celu, one without IsNaN and Equal, and one that has all. */
static const char no_isnan[] = "format 1\ntarget no_isnan\nop Relu Not Equal Where Div Elu Mul Softmax Celu Erf Tanh\n";
static const char no_equal[] = "format 1\ntarget no_equal\nop Relu Not Where Div Elu Mul IsNaN Softmax Erf\n";
static const char no_celu[] = "format 1\ntarget no_celu\nop Relu Not Equal Where Div Elu Mul IsNaN Softmax\n";

static const char guarded[] = "opset 17\ninput x float32[2,3]\nnode r = Relu(x)\nnode n = IsNaN(r) @check\n"
                              "node y = Not(n)\noutput y bool[2,3]\n";

struct fixture {
    char path[64], out[64];
    npart_oplist *lists[2];
    const char *targets[2];
    uint32_t count;
    npart_fix *fix;
    struct npart_fix_options options;
    struct npart_error error;
};

static void write_model(const char *path, const char *text)
{
    struct bytes bytes = model_from_text(text);
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(bytes.data, 1, bytes.size, file) == bytes.size && fclose(file) == 0);
    bytes_free(&bytes);
}

static void begin(struct fixture *fixture, const char *model, const char *first, const char *second)
{
    static const struct npart_fix_options defaults = NPART_FIX_OPTIONS_INIT;
    const char *lists[] = {first, second};
    memset(fixture, 0, sizeof *fixture);
    (void)snprintf(fixture->path, sizeof fixture->path, "/tmp/npart-fix-%ld.onnx", (long)getpid());
    (void)snprintf(fixture->out, sizeof fixture->out, "/tmp/npart-fix-%ld.out.onnx", (long)getpid());
    write_model(fixture->path, model);
    fixture->options = defaults;
    for (; fixture->count < 2 && lists[fixture->count]; fixture->count++)
        REQUIRE(npart_oplist_read_memory(&fixture->lists[fixture->count], lists[fixture->count],
                                         strlen(lists[fixture->count]), "list", NULL, NULL) == NPART_OK);
}

static npart_status search(struct fixture *fixture)
{
    memset(&fixture->error, 0, sizeof fixture->error);
    npart_status status = npart_fix_make(&fixture->fix, fixture->path, (const npart_oplist *const *)fixture->lists,
                                         fixture->targets, fixture->count, &fixture->options, &fixture->error);
    /* Steps that fail on the way are no failure of the call. */
    CHECK(status == fixture->error.status && (status != NPART_OK || !*fixture->error.message));
    return status;
}

static struct npart_fix_info info_of(const struct fixture *fixture)
{
    struct npart_fix_info info = {.size = sizeof info};
    REQUIRE(npart_fix_info(fixture->fix, &info));
    return info;
}

/* "isnan-eq celu" */
static const char *steps_of(const struct fixture *fixture)
{
    static char text[256];
    struct npart_fix_step step = {.size = sizeof step};
    *text = 0;
    for (uint32_t i = 0; npart_fix_step(fixture->fix, i, &step); i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", step.rewrite);
    return text;
}

static void end(struct fixture *fixture)
{
    npart_fix_free(fixture->fix);
    npart_oplist_free(fixture->lists[0]);
    npart_oplist_free(fixture->lists[1]);
    (void)remove(fixture->path);
    (void)remove(fixture->out);
}

/* ---- the search -------------------------------------------------------------------------------------------- */

static void test_fix__mends(void)
{
    struct fixture fixture;
    begin(&fixture, guarded, no_isnan, NULL);
    CHECK_INT(search(&fixture), NPART_OK);
    struct npart_fix_info info = info_of(&fixture);
    CHECK_TEXT(steps_of(&fixture), "isnan-eq");
    CHECK_INT(info.before[0].partitions, 2);
    CHECK_INT(info.after[0].partitions, 1);
    CHECK_TEXT(npart_plan_verdict_text(info.after[0].verdict), "whole");
    struct npart_fix_step step = {.size = sizeof step};
    REQUIRE(npart_fix_step(fixture.fix, 0, &step));
    CHECK_INT(step.equality, NPART_EQUAL_BITS);
    CHECK_TEXT(step.removed[0], "check");
    CHECK(step.site_count == 1 && *step.argument && !step.caveats[0]);
    CHECK(!npart_fix_step(fixture.fix, 1, &step));
    CHECK(!npart_fix_plan(fixture.fix, 1) && npart_fix_plan(fixture.fix, 0));
    end(&fixture);
}

/* What the runtime inlines once partitions are made is in one of its own, though all its nodes are taken. */
static void test_fix__joins_what_is_inlined_late(void)
{
    static const char lines[] = "opset 17\nopset com.microsoft 1\ninput x float16[1,8,64]\ninit v float16[64,64]\n"
                                "init w float16[64,64]\nnode h = MatMul(x, v)\nnode k = com.microsoft:FastGelu(h)\n"
                                "node y = MatMul(k, w)\noutput y\n";
    static const char list[] = "format 1\ntarget late\nruntime onnxruntime\npartitioner qnn\nfunctions standard\n"
                               "op Add Identity MatMul Mul Tanh\n";
    struct fixture fixture;
    begin(&fixture, lines, list, NULL);
    fixture.options.allowed |= 1u << NPART_EQUAL_ULP;
    CHECK_INT(search(&fixture), NPART_OK);
    struct npart_fix_info info = info_of(&fixture);
    CHECK_TEXT(steps_of(&fixture), "unfuse");
    CHECK_INT(info.before[0].partitions, 3);
    CHECK_INT(info.after[0].partitions, 1);
    end(&fixture);
}

/* Of int8 weights by uint8 the kernels differ by more than of equal types, and only then is it told. */
static void test_fix__caveats_of_what_it_does(void)
{
    static const char lines[] =
        "opset 17\ninput x uint8[4,6]\ninit xs float32[] = 0.5\ninit xz uint8[] = 3\ninit ys float32[] = 0.25\n"
        "init yz uint8[] = 7\ninit w %s[6,2]\ninit ws float32[] = 0.125\ninit wz %s[] = 0\n"
        "node y = QLinearMatMul(x, xs, xz, w, ws, wz, ys, yz)\noutput y\n";
    static const char floats[] = "format 1\ntarget floats\nop MatMul QuantizeLinear DequantizeLinear\n";
    static const struct {
        const char *type;
        bool is_told;
    } rows[] = {{"int8", true}, {"uint8", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;
        struct npart_fix_step step = {.size = sizeof step};
        char model[512];
        bool is_told = false;
        (void)snprintf(model, sizeof model, lines, rows[i].type, rows[i].type);
        begin(&fixture, model, floats, NULL);
        fixture.options.allowed = 1u << NPART_EQUAL_STEP;
        CHECK_INT(search(&fixture), NPART_OK);
        REQUIRE(npart_fix_step(fixture.fix, 0, &step));
        CHECK_TEXT(step.rewrite, "qoperator");
        for (const char *const *caveat = step.caveats; *caveat; caveat++)
            is_told |= strstr(*caveat, "saturate") != NULL;
        CHECK(is_told == rows[i].is_told);
        end(&fixture);
    }
}

/* What one target lacks is no reason to give the other something that it lacks. */
/* Names are cut where nodes are compared by them. */
static void test_fix__names_without_end(void)
{
    struct fixture fixture;
    char model[4000], name[1500];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    (void)snprintf(model, sizeof model,
                   "opset 17\ninput x float32[2,3]\nnode r = Relu(x) @a%s\nnode n = IsNaN(r) @b%s\nnode y = Not(n)\n"
                   "output y bool[2,3]\n", name, name);
    begin(&fixture, model, no_isnan, NULL);
    REQUIRE(search(&fixture) == NPART_OK);
    CHECK_INT(info_of(&fixture).step_count, 1);
    end(&fixture);
}

static void test_fix__makes_no_target_worse(void)
{
    struct fixture fixture;
    const char *rewrite, *why;
    begin(&fixture, guarded, no_isnan, no_equal);
    CHECK_INT(search(&fixture), NPART_OK);
    CHECK_TEXT(steps_of(&fixture), "");
    REQUIRE(npart_fix_taken_back(fixture.fix, 0, &rewrite, &why));
    CHECK_TEXT(rewrite, "isnan-eq");
    CHECK(strstr(why, "no_equal") || strstr(why, "no fewer"));
    end(&fixture);
    begin(&fixture, guarded, no_isnan, no_celu);
    CHECK_INT(search(&fixture), NPART_OK);
    CHECK_TEXT(steps_of(&fixture), "isnan-eq");
    end(&fixture);
}

/* A node that fails is not mended by others of which nobody can tell whether they are taken; by such as are, it is. */
static void test_fix__takes_no_guess_for_a_mend(void)
{
    static const char guess[] = "format 1\ntarget guess\nop Relu Not\nop IsNaN\n"
                                "  need rank(X) = 4 \"the rank must be 4\" else fail\nop Equal\n"
                                "  maybe \"nobody has asked\"\n";
    static const char sure[] = "format 1\ntarget sure\nop Relu Not Equal\nop IsNaN\n"
                               "  need rank(X) = 4 \"the rank must be 4\" else fail\n";
    struct fixture fixture;
    begin(&fixture, guarded, guess, NULL);
    CHECK_INT(search(&fixture), NPART_OK);
    struct npart_fix_info info = info_of(&fixture);
    CHECK_TEXT(steps_of(&fixture), "");
    CHECK_INT(info.before[0].failed, 1);
    CHECK_INT(info.after[0].failed, 1);
    end(&fixture);
    begin(&fixture, guarded, sure, NULL);
    CHECK_INT(search(&fixture), NPART_OK);
    CHECK_TEXT(steps_of(&fixture), "isnan-eq");
    end(&fixture);
}

/* What rounds elsewhere is a step where its result is quantized further on, past any operator, and not after it. */
static void test_fix__class_before_a_quantizer(void)
{
    static const char *const forms[] = {
        "node t = Transpose(c)\nnode y = QuantizeLinear(t, s, z)\noutput y uint8[4,2]\n",
        "node y, a, b = DynamicQuantizeLinear(c)\noutput y uint8[2,4]\noutput a float32[]\noutput b uint8[]\n",
        "node y = com.microsoft:MatMulNBits(c, w, ws) K=4 N=1 bits=4 block_size=16 accuracy_level=4\noutput y\n",
    };
    static const char *const other_forms[] = {
        "node n = Shape(c)\nnode f = Cast(n) to=1\nnode q = QuantizeLinear(f, s, z)\noutput q\noutput c\n",
        "node y = com.microsoft:MatMulNBits(c, w, ws) K=4 N=1 bits=4 block_size=16\noutput y float32[2,1]\n",
    };
    static const char list[] = "format 1\ntarget no_celu\nop Div Elu Mul Transpose QuantizeLinear Cast\n"
                               "op DynamicQuantizeLinear\nop com.microsoft:MatMulNBits\n";
    for (size_t i = 0; i < 5; i++) {
        char text[1024];
        struct fixture fixture;
        struct npart_fix_step step = {.size = sizeof step};
        bool is_before = i < 3;
        (void)snprintf(text, sizeof text,
                       "opset 17\nopset com.microsoft 1\ninput x float32[2,4]\ninit s float32[] = 0.5\n"
                       "init z uint8[] = 0\ninit w uint8[1,1,8] = 0 0 0 0 0 0 0 0\ninit ws float32[1] = 1\n"
                       "node d = Mul(x, s)\nnode c = Celu(d) alpha=2.0\n%s",
                       is_before ? forms[i] : other_forms[i - 3]);
        begin(&fixture, text, list, NULL);
        fixture.options.allowed = 1u << NPART_EQUAL_ULP;
        CHECK_INT(search(&fixture), NPART_OK);
        CHECK_TEXT(steps_of(&fixture), is_before ? "" : "celu");
        npart_fix_free(fixture.fix);
        fixture.options.allowed |= 1u << NPART_EQUAL_STEP;
        CHECK_INT(search(&fixture), NPART_OK);
        CHECK_TEXT(steps_of(&fixture), "celu");
        REQUIRE(npart_fix_step(fixture.fix, 0, &step));
        CHECK_INT(step.equality, is_before ? NPART_EQUAL_STEP : NPART_EQUAL_ULP);
        CHECK_INT(step.caveats[0] != NULL, is_before);
        end(&fixture);
    }
}

/* What holds for a full cache alone, or where a mask hides some slots alone, has a class of its own: who lets results
 * be rounded does not ask for that. */
static void test_fix__conditions_on_values(void)
{
    static const char list[] = "format 1\ntarget no_attention\n"
                               "op Add Concat Div MatMul Mul Relu Reshape Slice Softmax Transpose\n";
    static const char parts[] = "input k float32[1,1,4]\ninput v float32[1,1,4]\ninput pk float32[1,1,3,4]\n"
                                "input pv float32[1,1,3,4]\n";
    static const struct {
        const char *node, *rewrite;
        bool has_condition;
    } cases[] = {
        {"input n int32[1]\ninit t int32[] = 4\n"
         "node y, a, b = com.microsoft:GroupQueryAttention(x, k, v, pk, pv, n, t) num_heads=2 kv_num_heads=1\n",
         "group-query", true},
        {"input m float32[1,4]\nnode y, a, b = Attention(x, k, v, m, pk, pv) q_num_heads=2 kv_num_heads=1\n",
         "attention-past", true},
        {"node y, a, b = Attention(x, k, v, , pk, pv) q_num_heads=2 kv_num_heads=1\n", "attention-past", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        struct fixture fixture;
        struct npart_fix_step step = {.size = sizeof step};
        (void)snprintf(text, sizeof text,
                       "opset 23\nopset com.microsoft 1\ninput q float32[1,1,8]\n%snode x = Relu(q)\n%s"
                       "node z = Relu(y)\noutput z\noutput a\noutput b\n", parts, cases[i].node);
        begin(&fixture, text, list, NULL);
        fixture.options.allowed = 1u << NPART_EQUAL_ULP;
        CHECK_INT(search(&fixture), NPART_OK);
        CHECK_TEXT(steps_of(&fixture), cases[i].has_condition ? "" : cases[i].rewrite);
        npart_fix_free(fixture.fix);
        fixture.options.allowed = 1u << NPART_EQUAL_ULP | 1u << NPART_EQUAL_BITS_IF;
        CHECK_INT(search(&fixture), NPART_OK);
        CHECK_TEXT(steps_of(&fixture), cases[i].rewrite);
        REQUIRE(npart_fix_step(fixture.fix, 0, &step));
        CHECK_INT(step.equality, cases[i].has_condition ? NPART_EQUAL_BITS_IF : NPART_EQUAL_ULP);
        CHECK_INT(step.caveats[0] != NULL, cases[i].has_condition);
        end(&fixture);
    }
}

/* A condition does not excuse what is rounded before a quantizer: both are asked for. */
static void test_fix__condition_before_a_quantizer(void)
{
    struct fixture fixture;
    struct npart_fix_step step = {.size = sizeof step};
    begin(&fixture, "opset 17\nopset com.microsoft 1\ninput q float32[1,1,8]\ninput k float32[1,1,4]\n"
                    "input v float32[1,1,4]\ninput pk float32[1,1,3,4]\ninput pv float32[1,1,3,4]\ninput n int32[1]\n"
                    "init t int32[] = 4\nnode x = Relu(q)\n"
                    "node y, a, b = com.microsoft:GroupQueryAttention(x, k, v, pk, pv, n, t) num_heads=2 "
                    "kv_num_heads=1\n"
                    "init s float32[] = 0.5\ninit z uint8[] = 0\nnode c = QuantizeLinear(y, s, z)\n"
                    "output c\noutput a\noutput b\n",
          "format 1\ntarget no_attention\nop Concat MatMul Mul QuantizeLinear Relu Reshape Softmax Transpose\n", NULL);
    const uint32_t without[] = {1u << NPART_EQUAL_BITS_IF | 1u << NPART_EQUAL_ULP, 1u << NPART_EQUAL_STEP};
    for (size_t i = 0; i < 2; i++) {
        fixture.options.allowed = without[i];
        CHECK_INT(search(&fixture), NPART_OK);
        CHECK_TEXT(steps_of(&fixture), "");
        npart_fix_free(fixture.fix);
    }
    fixture.options.allowed = 1u << NPART_EQUAL_BITS_IF | 1u << NPART_EQUAL_STEP;
    CHECK_INT(search(&fixture), NPART_OK);
    CHECK_TEXT(steps_of(&fixture), "group-query");
    REQUIRE(npart_fix_step(fixture.fix, 0, &step));
    CHECK_INT(step.equality, NPART_EQUAL_STEP);
    CHECK(step.caveats[0] && step.caveats[1]);
    end(&fixture);
}

/* Weaker classes only where they are allowed; rewrites that are not wanted not at all. */
static void test_fix__allows(void)
{
    static const char celu[] = "opset 17\ninput x float32[2]\nnode r = Relu(x)\nnode c = Celu(r) alpha=2.0\n"
                               "node y = Relu(c)\noutput y float32[2]\n";
    static const char *const ids[] = {"isnan-eq", "fold"};
    struct fixture fixture;
    begin(&fixture, celu, no_celu, NULL);
    CHECK_INT(search(&fixture), NPART_OK);
    CHECK_TEXT(steps_of(&fixture), "");
    npart_fix_free(fixture.fix);
    fixture.options.allowed = 1u << NPART_EQUAL_ULP;
    CHECK_INT(search(&fixture), NPART_OK);
    CHECK_TEXT(steps_of(&fixture), "celu");
    npart_fix_free(fixture.fix);
    fixture.options.only = ids;
    fixture.options.only_count = 2;
    CHECK_INT(search(&fixture), NPART_OK);
    CHECK_TEXT(steps_of(&fixture), "");
    end(&fixture);
    begin(&fixture, guarded, no_isnan, NULL);
    fixture.options.without = ids;
    fixture.options.without_count = 1;
    CHECK_INT(search(&fixture), NPART_OK);
    CHECK_TEXT(steps_of(&fixture), "");
    fixture.options.without = (const char *const[]){"isnan"};
    npart_fix_free(fixture.fix);
    fixture.fix = NULL;
    CHECK_INT(search(&fixture), NPART_ERROR_ARGUMENT);
    CHECK_TEXT(fixture.error.place, "isnan");
    end(&fixture);
}

/* A site that wins nothing is left as it is: of two IsNaN, one is of a type whose Equal the target lacks. */
static void test_fix__leaves_useless_sites(void)
{
    static const char list[] = "format 1\ntarget some\nop Relu Not\nop Equal\n  need dtype(A) = float32 \"must be\"\n";
    struct fixture fixture;
    begin(&fixture, "opset 17\ninput x float32[2]\ninput z float64[2]\nnode r = Relu(x)\nnode n = IsNaN(r) @one\n"
                    "node y = Not(n)\nnode m = IsNaN(z) @two\nnode w = Not(m)\noutput y bool[2]\noutput w bool[2]\n",
          list, NULL);
    CHECK_INT(search(&fixture), NPART_OK);
    struct npart_fix_step step = {.size = sizeof step};
    REQUIRE(npart_fix_step(fixture.fix, 0, &step));
    CHECK_INT(step.site_count, 1);
    CHECK_TEXT(step.removed[0], "one");
    end(&fixture);
}

/* A constant of 2 MB would make the file grow too much, unless that is allowed. */
static void test_fix__limits_growth(void)
{
    static const char range[] = "opset 11\ninput x float64[260000]\ninit a float64[] = 0\ninit e float64[] = 260000\n"
                                "init d float64[] = 1\nnode r = Range(a, e, d)\nnode y = Mul(x, r)\n"
                                "output y float64[260000]\n";
    static const char list[] = "format 1\ntarget few\nruntime onnx\nop Mul\n";
    struct fixture fixture;
    const char *rewrite, *why;
    begin(&fixture, range, list, NULL);
    fixture.options.plan = &(struct npart_plan_options){.version = 1, .level = NPART_LEVEL_OFF};
    CHECK_INT(search(&fixture), NPART_OK);
    CHECK_TEXT(steps_of(&fixture), "");
    REQUIRE(npart_fix_taken_back(fixture.fix, 0, &rewrite, &why));
    CHECK_TEXT(rewrite, "fold");
    CHECK(strstr(why, "would grow"));
    npart_fix_free(fixture.fix);
    fixture.options.most_growth = -1;
    CHECK_INT(search(&fixture), NPART_OK);
    CHECK_TEXT(steps_of(&fixture), "fold");
    end(&fixture);
}

/* ---- sizes and values -------------------------------------------------------------------------------------- */

static void test_fix__binds(void)
{
    static const char merged[] = "opset 17\ninput x float32[n,2]\ninput c bool[1]\ngraph yes\nnode p = Relu(x)\n"
                                 "output p float32[n,2]\nend\ngraph no\nnode q = Not(c)\nnode r = Erf(x)\n"
                                 "output r float32[n,2]\nend\n"
                                 "node y = If(c) then_branch=graph yes else_branch=graph no\noutput y float32[n,2]\n";
    const double yes[] = {1};
    const struct npart_bound_value value = {"c", yes, 1};
    const struct npart_dim_binding dim = {.name = "n", .size = 4};
    struct npart_inference_options sizes = NPART_INFERENCE_OPTIONS_INIT;
    struct fixture fixture;
    struct npart_model_info info = {.size = sizeof info};
    struct npart_graph graph = {.size = sizeof graph};
    npart_model *model = NULL;
    begin(&fixture, merged, no_isnan, NULL);
    sizes.dims = &dim;
    sizes.dim_count = 1;
    fixture.options.sizes = &sizes;
    fixture.options.values = &value;
    fixture.options.value_count = 1;
    CHECK_INT(search(&fixture), NPART_OK);
    CHECK(strncmp(steps_of(&fixture), "bind", 4) == 0);
    CHECK_INT(info_of(&fixture).after[0].verdict, NPART_PLAN_WHOLE);
    CHECK_INT(npart_fix_write(fixture.fix, fixture.out, NPART_WEIGHTS_STAY, &fixture.error), NPART_OK);
    REQUIRE(npart_model_read_file(&model, fixture.out, NULL, NULL) == NPART_OK);
    CHECK(npart_model_graph(model, 0, &graph) && graph.input_count == 1);
    CHECK(npart_model_info(model, &info));
    npart_model_free(model);
    end(&fixture);
}

/* ---- writing ----------------------------------------------------------------------------------------------- */

static void test_fix__writes_nothing_that_it_must_not(void)
{
    struct fixture fixture;
    begin(&fixture, guarded, no_isnan, NULL);
    CHECK_INT(search(&fixture), NPART_OK);
    CHECK_INT(npart_fix_write(fixture.fix, fixture.path, NPART_WEIGHTS_STAY, &fixture.error), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_fix_write(fixture.fix, "/tmp/there/is/no/folder.onnx", NPART_WEIGHTS_STAY, &fixture.error),
              NPART_ERROR_WRITE);
    CHECK_INT(npart_fix_write(fixture.fix, fixture.out, (enum npart_weights)9, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_fix_write(NULL, fixture.out, NPART_WEIGHTS_STAY, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_fix_write(fixture.fix, NULL, NPART_WEIGHTS_STAY, NULL), NPART_ERROR_ARGUMENT);
    CHECK(access(fixture.out, F_OK) != 0);
    write_model(fixture.path, "opset 17\ninput x float32[2]\nnode y = Relu(x)\noutput y float32[2]\n");
    CHECK_INT(npart_fix_write(fixture.fix, fixture.out, NPART_WEIGHTS_STAY, &fixture.error), NPART_ERROR_READ);
    CHECK(access(fixture.out, F_OK) != 0); /* the model has changed since */
    end(&fixture);
}

/* With a limit of three dims a rule about four is undecided, in what was written as in the plan. */
static void test_fix__proves_by_the_same_limits(void)
{
    static const char model[] = "opset 17\ninput x float32[1,2,3,4]\nnode r = Relu(x)\nnode n = IsNaN(r)\n"
                                "node y = Not(n)\noutput y bool[1,2,3,4]\n";
    static const char list[] = "format 1\ntarget few\nop Not Equal\nop Relu\n  need rank(inputs) <= 4 \"four axes\"\n";
    struct npart_limit limit = {"rank", 3};
    struct fixture fixture;
    begin(&fixture, model, list, NULL);
    fixture.options.limits = &limit;
    fixture.options.limit_count = 1;
    CHECK_INT(search(&fixture), NPART_OK);
    limit = (struct npart_limit){"gone", 0};
    CHECK_INT(info_of(&fixture).after[0].unknown, 1);
    CHECK_INT(npart_fix_write(fixture.fix, fixture.out, NPART_WEIGHTS_STAY, &fixture.error), NPART_OK);
    CHECK_TEXT(fixture.error.message, "");
    end(&fixture);
}

static void test_fix__arguments(void)
{
    struct fixture fixture;
    struct npart_fix_info small = {.size = 1};
    begin(&fixture, guarded, no_isnan, NULL);
    CHECK_INT(npart_fix_make(NULL, fixture.path, NULL, NULL, 0, NULL, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_fix_make(&fixture.fix, fixture.path, NULL, NULL, 1, NULL, NULL), NPART_ERROR_ARGUMENT);
    fixture.count = 0;
    CHECK_INT(search(&fixture), NPART_ERROR_ARGUMENT);
    fixture.count = 1;
    fixture.options.version = 7;
    CHECK_INT(search(&fixture), NPART_ERROR_ARGUMENT);
    fixture.options.version = 3;
    fixture.options.word_count = 1;
    CHECK_INT(search(&fixture), NPART_ERROR_ARGUMENT);
    fixture.options.word_count = 0;
    fixture.options.version = 1;
    fixture.targets[0] = "hexagon";
    CHECK_INT(search(&fixture), NPART_ERROR_ARGUMENT);
    fixture.targets[0] = NULL;
    const struct npart_plan_options wrong[] = {
        {.version = 3},
        {.version = 1, .assumption_count = 1},
        {.version = 1, .cut_count = 1},
        {.version = 1, .level = (enum npart_level)9},
        {.version = 1, .assumption_count = 1, .assumptions = &(struct npart_assumption){.on_npu = true}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        fixture.options.plan = &wrong[i];
        CHECK_INT(search(&fixture), NPART_ERROR_ARGUMENT);
    }
    fixture.options.plan = NULL;
    CHECK(!fixture.fix);
    CHECK_INT(search(&fixture), NPART_OK);
    CHECK(!npart_fix_info(fixture.fix, &small) && !npart_fix_info(NULL, &small) && !npart_fix_plan(NULL, 0));
    CHECK(!npart_equality_text((enum npart_equality)5) && !npart_equality_text((enum npart_equality)-1));
    end(&fixture);
}

/* ---- what advice looks at ------------------------------------------------------------------------------------- */

/* Of the model in the file, planned with a list. */
static npart_status propose(struct fixture *fixture, struct analysis *at, npart_fix **out, uint32_t *count)
{
    npart_plan *fixed = NULL;
    npart_inference *inference = NULL;
    REQUIRE(npart_model_read_file(&at->model, fixture->path, NULL, NULL) == NPART_OK);
    REQUIRE(npart_inference_make(&at->inference, at->model, NULL, NULL) == NPART_OK);
    REQUIRE(npart_plan_make(&at->plan, at->inference, fixture->lists[0], NULL, NULL, NULL) == NPART_OK);
    REQUIRE(npart_inference_make_fixed(&inference, at->inference, NULL) == NPART_OK);
    if (inference)
        REQUIRE(npart_plan_make(&fixed, inference, fixture->lists[0], NULL, NULL, NULL) == NPART_OK);
    npart_status status =
        npart_fix_propose(out, count, fixture->path, at->plan, fixed, NULL, &fixture->options, &fixture->error);
    npart_plan_free(fixed);
    npart_inference_free(inference);
    return status;
}

/* What is proposed, as words of its command after the path; "" for none. */
static void check_proposals(const char *model, const char *list, const char *first, const char *second)
{
    const char *wanted[NPART_MOST_PROPOSALS] = {first, second, ""};
    npart_fix *fixes[NPART_MOST_PROPOSALS] = {NULL};
    uint32_t count = 0;
    struct fixture fixture;
    struct analysis at = {0};
    begin(&fixture, model, list, NULL);
    CHECK_INT(propose(&fixture, &at, fixes, &count), NPART_OK);
    for (uint32_t i = 0; i < NPART_MOST_PROPOSALS; i++) {
        char words[300] = "";
        struct npart_fix_info info = {.size = sizeof info};
        bool is_there = i < count && npart_fix_info(fixes[i], &info);
        for (uint32_t k = 3; is_there && k + 2 < info.run_count; k++)
            (void)snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", k > 3 ? " " : "", info.run[k]);
        CHECK_TEXT(words, wanted[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        npart_fix_free(fixes[i]);
    analysis_close(&at);
    end(&fixture);
}

static void test_fix__proposes(void)
{
    struct fixture fixture;
    struct analysis at = {0};
    npart_fix *fixes[NPART_MOST_PROPOSALS] = {NULL};
    uint32_t count = 1;
    check_proposals(guarded, no_isnan, "-t no_isnan", "");
    check_proposals("opset 17\ninput x float32[n,3]\nnode r = Relu(x)\noutput r\n", no_isnan, "-t no_isnan -d n=1", "");
    check_proposals("opset 17\ninput x float32[2,3]\nnode r = Relu(x)\noutput r\n", no_isnan, "", "");
    /* Its definition rounds otherwise. */
    check_proposals("opset 17\ninput x float32[2,3]\nnode c = Celu(x) alpha=2.0\nnode y = Relu(c)\noutput y\n", no_celu,
                    "-t no_celu", "-t no_celu --allow ulp");
    begin(&fixture, guarded, no_isnan, NULL);
    fixture.options.version = 2;
    CHECK_INT(propose(&fixture, &at, fixes, &count), NPART_ERROR_ARGUMENT);
    CHECK_INT(count, 0);
    analysis_close(&at);
    end(&fixture);
    CHECK_INT(npart_fix_propose(NULL, &count, "", NULL, NULL, NULL, NULL, NULL), NPART_ERROR_ARGUMENT);
}

/* Of a model in memory the same is proposed, by its name, and it cannot be written. */
static void test_fix__proposes_in_memory(void)
{
    struct analysis at;
    npart_fix *fixes[NPART_MOST_PROPOSALS] = {NULL};
    uint32_t count = 0;
    struct npart_error error;
    struct npart_fix_options options = NPART_FIX_OPTIONS_INIT;
    struct npart_fix_info info = {.size = sizeof info};
    analysis_open(&at, guarded, no_isnan, NULL, NULL);
    CHECK_INT(npart_fix_propose(fixes, &count, NULL, at.plan, NULL, NULL, &options, &error), NPART_OK);
    REQUIRE(count == 1 && npart_fix_info(fixes[0], &info));
    CHECK_INT(info.step_count, 1);
    CHECK(info.run_count > 3 && strcmp(info.run[2], "model.onnx") == 0);
    CHECK_TEXT(info.run[info.run_count - 1], "model.fixed.onnx");
    CHECK_INT(npart_fix_write(fixes[0], "model.fixed.onnx", NPART_WEIGHTS_STAY, &error), NPART_ERROR_ARGUMENT);
    npart_fix_free(fixes[0]);
    analysis_close(&at);
}

static ptrdiff_t read_bytes(void *payload, void *out, size_t bytes)
{
    struct bytes *left = payload;
    size_t count = bytes < left->size ? bytes : left->size;
    memcpy(out, left->data, count);
    left->data += count;
    left->size -= count;
    return (ptrdiff_t)count;
}

/* So is what is proposed of one that is read with some inputs given: the file's own nodes are searched. */
static void test_fix__proposes_of_what_is_bound(void)
{
    static const char model[] = "opset 17\ninput c bool[]\ninput x float32[1,4]\nnode a = Relu(x)\n"
                                "graph yes\nnode t = Relu(a)\noutput t float32[1,4]\nend\n"
                                "graph no\nnode f = Neg(a)\noutput f float32[1,4]\nend\n"
                                "node i = If(c) then_branch=graph yes else_branch=graph no\n"
                                "node n = IsNaN(i)\nnode z = Not(n)\noutput z\n";
    static const double yes = 1;
    const struct npart_bound_value value = {.input = "c", .numbers = &yes, .count = 1};
    struct npart_read_options read = NPART_READ_OPTIONS_INIT;
    struct npart_fix_options options = NPART_FIX_OPTIONS_INIT;
    struct npart_fix_info info = {.size = sizeof info};
    struct npart_fix_step step = {.size = sizeof step};
    struct npart_error error;
    struct analysis at = {0};
    struct bytes bytes = model_from_text(model), left = bytes;
    npart_fix *fixes[NPART_MOST_PROPOSALS] = {NULL};
    uint32_t count = 0;
    read.values = options.values = &value;
    read.value_count = options.value_count = 1;
    REQUIRE(npart_model_read_bound(&at.model, NULL, read_bytes, &left, &read, &error) == NPART_OK);
    REQUIRE(npart_inference_make(&at.inference, at.model, NULL, &error) == NPART_OK);
    REQUIRE(npart_oplist_read_memory(&at.oplist, no_isnan, strlen(no_isnan), "l", NULL, &error) == NPART_OK);
    REQUIRE(npart_plan_make(&at.plan, at.inference, at.oplist, NULL, NULL, &error) == NPART_OK);
    CHECK_INT(npart_fix_propose(fixes, &count, NULL, at.plan, NULL, NULL, &options, &error), NPART_OK);
    REQUIRE(count == 1 && npart_fix_info(fixes[0], &info) && npart_fix_step(fixes[0], 0, &step));
    CHECK_TEXT(step.rewrite, "bind");
    npart_fix_free(fixes[0]);
    analysis_close(&at);
    bytes_free(&bytes);
}

/* What is proposed with sizes that were planned already is written as a search with these sizes writes it, also after
 * the plans are gone. */
static void test_fix__writes_proposals(void)
{
    static const char *const models[] = {
        "opset 17\ninput x float32[n,3]\nnode r = Relu(x)\noutput r float32[n,3]\n",
        "opset 17\ninput x float32[n,3]\nnode r = Relu(x)\nnode c = IsNaN(r)\nnode y = Not(c)\noutput y bool[n,3]\n",
        /* with a node that nobody uses, which goes; and with nodes in another order */
        "opset 17\ninput x float32[n,3]\nnode r = Relu(x)\nnode u = Not(b)\nnode b = IsNaN(x)\noutput r float32[n,3]\n",
    };
    static const struct npart_dim_binding size = {.name = "n", .size = 1};
    struct npart_inference_options sizes = NPART_INFERENCE_OPTIONS_INIT;
    sizes.dims = &size;
    sizes.dim_count = 1;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        struct fixture fixture;
        struct analysis at = {0};
        struct bytes proposed, searched;
        npart_fix *fixes[NPART_MOST_PROPOSALS] = {NULL};
        uint32_t count = 0;
        begin(&fixture, models[i], no_isnan, NULL);
        REQUIRE(propose(&fixture, &at, fixes, &count) == NPART_OK && count == 1);
        analysis_close(&at);
        CHECK_INT(npart_fix_write(fixes[0], fixture.out, NPART_WEIGHTS_STAY, &fixture.error), NPART_OK);
        proposed = file_bytes(fixture.out);
        npart_fix_free(fixes[0]);
        fixture.options.sizes = &sizes;
        CHECK_INT(search(&fixture), NPART_OK);
        CHECK_INT(npart_fix_write(fixture.fix, fixture.out, NPART_WEIGHTS_STAY, &fixture.error), NPART_OK);
        searched = file_bytes(fixture.out);
        CHECK(proposed.size == searched.size && memcmp(proposed.data, searched.data, searched.size) == 0);
        bytes_free(&proposed);
        bytes_free(&searched);
        end(&fixture);
    }
}

/* The fix has an allocator, which its plans take theirs from, also when what was written is read again. */
static void test_fix__has_one_allocator(void)
{
    struct fixture fixture;
    struct counted counted;
    struct npart_plan_options plan = NPART_PLAN_OPTIONS_INIT;
    counted_init(&counted, true);
    plan.allocator = &counted.allocator;
    begin(&fixture, guarded, no_isnan, NULL);
    fixture.options.plan = &plan;
    CHECK_INT(search(&fixture), NPART_OK);
    CHECK_INT(npart_fix_write(fixture.fix, fixture.out, NPART_WEIGHTS_STAY, &fixture.error), NPART_OK);
    CHECK_INT((long long)counted.calls, 0);
    end(&fixture);
}

/* A cache that grows and nothing that hides slots, so that a bias is added. */
static const char growing[] =
    "opset 17\ninput ids int64[1,new]\ninput past float32[1,past,4]\ninit words float32[90,4]\n"
    "node x = Gather(words, ids)\nnode present = Concat(past, x) axis=1\n"
    "node turned = Transpose(present) perm=[0,2,1]\n"
    "node scores = MatMul(x, turned)\nnode weights = Softmax(scores) axis=-1\nnode y = MatMul(weights, present)\n"
    "output y\noutput present\n";
static const char decoders[] = "format 1\ntarget decoders\nop Gather Concat Transpose MatMul Add Softmax\n";

static void test_fix__fixes_a_cache(void)
{
    struct npart_cache_info cache = {.size = sizeof cache};
    struct npart_cache_port port = {.size = sizeof port};
    struct fixture fixture;
    begin(&fixture, growing, decoders, NULL);
    CHECK_INT(search(&fixture), NPART_OK);
    CHECK(!npart_fix_cache(fixture.fix, &cache) && !npart_fix_cache_port(fixture.fix, 0, &port));
    npart_fix_free(fixture.fix);
    fixture.options.cache_slots = 16;
    fixture.fix = NULL;
    CHECK_INT(search(&fixture), NPART_OK);
    REQUIRE(npart_fix_cache(fixture.fix, &cache));
    CHECK(cache.slots == 16 && cache.tokens == 1 && cache.past == 15 && cache.present == NPART_PRESENT_NEW);
    CHECK(cache.port_count == 5 && cache.mask_value == -1e4);
    REQUIRE(npart_fix_cache_port(fixture.fix, 2, &port));
    CHECK_TEXT(port.name, "cache_bias");
    CHECK(port.role == NPART_PORT_BIAS && port.is_added && port.rank == 3 && port.dims[2] == 16 && port.axis == 2);
    CHECK(!npart_fix_cache_port(fixture.fix, 5, &port));
    CHECK(!npart_fix_cache(NULL, &cache) && !npart_fix_cache(fixture.fix, NULL));
    CHECK(!npart_fix_cache_port(NULL, 0, &port) && !npart_fix_cache_port(fixture.fix, 0, NULL));
    CHECK_INT(npart_fix_write(fixture.fix, fixture.out, NPART_WEIGHTS_STAY, &fixture.error), NPART_OK);
    npart_fix_free(fixture.fix);
    fixture.fix = NULL;
    fixture.options.cache_tokens = 2; /* nothing hides later tokens */
    CHECK_INT(search(&fixture), NPART_ERROR_ARGUMENT);
    CHECK_TEXT(fixture.error.place, "node 4 (Softmax)");
    end(&fixture);
}

/* Each allocation fails once; whatever was taken comes back. */
static void fail_each(const char *model, const char *list, uint32_t cache_slots)
{
    struct fixture fixture;
    struct counted counted;
    npart_status status = NPART_ERROR_MEMORY;
    begin(&fixture, model, list, NULL);
    fixture.options.cache_slots = cache_slots;
    for (size_t at = 1; status != NPART_OK && at < 100000; at += at < 200 ? 1 : 7) {
        counted_init(&counted, true);
        counted.fail_at = at;
        fixture.options.allocator = &counted.allocator;
        fixture.fix = NULL;
        status = search(&fixture);
        CHECK(status == NPART_OK || status == NPART_ERROR_MEMORY);
        if (status == NPART_OK && counted.failures) { /* none of its own: what could be done without was */
            npart_fix_free(fixture.fix);
            fixture.fix = NULL;
            status = NPART_ERROR_MEMORY;
        }
        CHECK(status == NPART_OK || counted.live_blocks == 0);
    }
    CHECK_INT(status, NPART_OK);
    npart_fix_free(fixture.fix);
    fixture.fix = NULL;
    CHECK_INT((long long)counted.live_blocks, 0);
    end(&fixture);
}

static void test_fix__out_of_memory(void)
{
    fail_each(guarded, no_isnan, 0);
    fail_each(growing, decoders, 8);
}

TESTS(test_fix__mends, test_fix__joins_what_is_inlined_late, test_fix__caveats_of_what_it_does,
      test_fix__names_without_end,
      test_fix__makes_no_target_worse, test_fix__takes_no_guess_for_a_mend, test_fix__allows,
      test_fix__class_before_a_quantizer, test_fix__conditions_on_values,
      test_fix__condition_before_a_quantizer, test_fix__leaves_useless_sites,
      test_fix__limits_growth, test_fix__binds, test_fix__fixes_a_cache,
      test_fix__writes_nothing_that_it_must_not, test_fix__proves_by_the_same_limits, test_fix__arguments,
      test_fix__proposes, test_fix__proposes_in_memory, test_fix__proposes_of_what_is_bound, test_fix__writes_proposals,
      test_fix__has_one_allocator, test_fix__out_of_memory)
