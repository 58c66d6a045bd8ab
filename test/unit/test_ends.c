/* SPDX-License-Identifier: Apache-2.0
 *
 * Models that end, or begin, at some tensors: what each part has, what cannot be, and where the advice ends one. What
 * the parts compute is held against the whole by make fidelity-ends.
 */
#if !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700
#endif
#include <unistd.h>

#include "support/analysis.h"
#include "support/counted.h"
#include "support/model_text.h"
#include "support/rewritten.h"
#include "support/test.h"

/* A head, a model and a tail, which share a constant; a size that is known; a body that captures; an output in the
 * midst. */
static const char text[] = "opset 17\n"
                           "graph inner\nnode q = Mul(e, k) @in\noutput q float32[4,8,8]\nend\n"
                           "graph other\nnode r = Neg(a) @out\noutput r float32[4,8,8]\nend\n"
                           "input x float32[4,8,8]\n"
                           "input c bool[]\n"
                           "init w float32[8,8]\n"
                           "init one float32[1] = 1\n"
                           "node k = Neg(one) @constant\n"
                           "node a = Erf(x) @first\n"
                           "node s = Shape(a) @size\n"
                           "node b = MatMul(a, w) @heavy\n"
                           "node d = Mul(b, k) @scaled\n"
                           "node e = Erf(d) @tail\n"
                           "node f = If(c) then_branch=graph inner else_branch=graph other @either\n"
                           "node g = Reshape(f, s) @shaped\n"
                           "output g\n"
                           "output b\n";

static const char list[] = "format 1\ntarget small\nop MatMul Mul Neg Reshape Shape\n";
/* The same with a CPU that lacks Erf: the session fails. */
static const char strict[] = "format 1\ntarget strict\nfallback If \"the CPU has no such operator\"\n"
                             "op MatMul Mul Neg Reshape Shape\n";

struct fixture {
    struct model_folder at;
    npart_oplist *list;
    npart_fix *fix;
    struct npart_fix_options options;
    struct npart_error error;
};

static void begin_with(struct fixture *fixture, const char *lines, const char *targets)
{
    static const struct npart_fix_options defaults = NPART_FIX_OPTIONS_INIT;
    struct bytes bytes = model_from_text(lines);
    memset(fixture, 0, sizeof *fixture);
    fixture->options = defaults;
    model_folder_begin(&fixture->at, &bytes);
    REQUIRE(npart_oplist_read_memory(&fixture->list, targets, strlen(targets), "list", NULL, NULL) == NPART_OK);
}

static npart_status search(struct fixture *fixture, const char *const *begin_at, uint32_t begin_count,
                           const char *const *end_at, uint32_t end_count)
{
    const char *target = NULL;
    fixture->options.begin_at = begin_at;
    fixture->options.begin_count = begin_count;
    fixture->options.end_at = end_at;
    fixture->options.end_count = end_count;
    memset(&fixture->error, 0, sizeof fixture->error);
    npart_fix_free(fixture->fix);
    fixture->fix = NULL;
    return npart_fix_make(&fixture->fix, fixture->at.path, (const npart_oplist *const *)&fixture->list, &target, 1,
                          &fixture->options, &fixture->error);
}

static void end(struct fixture *fixture)
{
    npart_fix_free(fixture->fix);
    npart_oplist_free(fixture->list);
    model_folder_end(&fixture->at);
}

static const char *path_of(const struct fixture *fixture, const char *name)
{
    static char paths[4][160];
    static unsigned next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", fixture->at.folder, name);
    return path;
}

static npart_status write_all(struct fixture *fixture)
{
    struct npart_ends_info ends = {.size = sizeof ends};
    REQUIRE(npart_fix_ends(fixture->fix, &ends));
    struct npart_side_paths paths = {.size = sizeof paths, .model = path_of(fixture, "model.npu.onnx"),
                                     .manifest = path_of(fixture, "manifest.json")};
    paths.head = ends.head_nodes ? path_of(fixture, "head.onnx") : NULL;
    paths.rest = ends.rest_nodes ? path_of(fixture, "rest.onnx") : NULL;
    return npart_fix_write_sides(fixture->fix, &paths, NPART_WEIGHTS_STAY, &fixture->error);
}

/* "first size | x -> a | w": nodes, inputs, outputs and initializers. */
static const char *part_text(const struct fixture *fixture, const char *name)
{
    static char line[400];
    struct bytes bytes = file_bytes(path_of(fixture, name));
    Onnx__ModelProto *model = onnx__model_proto__unpack(NULL, bytes.size, bytes.data);
    REQUIRE(model);
    const Onnx__GraphProto *graph = model->graph;
    size_t used = 0;
    bytes_free(&bytes);
    for (size_t i = 0; i < graph->n_node; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s ", graph->node[i]->name);
    used += (size_t)snprintf(line + used, sizeof line - used, "|");
    for (size_t i = 0; i < graph->n_input; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " %s", graph->input[i]->name);
    used += (size_t)snprintf(line + used, sizeof line - used, " ->");
    for (size_t i = 0; i < graph->n_output; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " %s", graph->output[i]->name);
    used += (size_t)snprintf(line + used, sizeof line - used, " |");
    for (size_t i = 0; i < graph->n_initializer; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " %s", graph->initializer[i]->name);
    onnx__model_proto__free_unpacked(model, NULL);
    return line;
}

/* "caller>model x 1024, ..." */
static const char *passing_text(const struct fixture *fixture)
{
    static char line[400];
    struct npart_passing at = {.size = sizeof at};
    size_t used = 0;
    *line = 0;
    for (uint32_t i = 0; npart_fix_passing(fixture->fix, i, &at); i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s>%s %s %s %d", i ? ", " : "",
                                 npart_part_side_text(at.from), npart_part_side_text(at.to), at.name, at.type,
                                 (int)at.bytes);
    return line;
}

/* ---- parts ------------------------------------------------------------------------------------------------- */

/* Constants are in each part that needs them, a size is a number, a body's captures pass, and so does what was not
 * told. */
static void test_ends__parts(void)
{
    static const char *const first[] = {"a"}, *const last[] = {"d"};
    struct npart_ends_info ends = {.size = sizeof ends};
    struct fixture fixture;
    begin_with(&fixture, text, list);
    CHECK_INT(search(&fixture, first, 1, last, 1), NPART_OK);
    REQUIRE(npart_fix_ends(fixture.fix, &ends));
    CHECK(ends.head_nodes == 1 && ends.rest_nodes == 3);
    CHECK_TEXT(ends.head_ops, "Erf");
    CHECK_TEXT(ends.rest_ops, "Erf, If, Reshape");
    CHECK_TEXT(passing_text(&fixture), "caller>head x float32 1024, head>model a float32 1024, "
                                       "model>rest d float32 1024, caller>rest c bool 1, head>rest a float32 1024");
    struct npart_summary summary = {.size = sizeof summary};
    CHECK(npart_plan_summary(npart_fix_plan(fixture.fix, 0), &summary) && summary.partitions == 1);
    CHECK_INT(write_all(&fixture), NPART_OK);
    CHECK_TEXT(part_text(&fixture, "head.onnx"), "first | x -> a |");
    CHECK_TEXT(part_text(&fixture, "model.npu.onnx"), "constant heavy scaled | a -> d b | w one");
    CHECK_TEXT(part_text(&fixture, "rest.onnx"), "constant tail either shaped | d c a -> g | one s");
    struct bytes manifest = file_bytes(path_of(&fixture, "manifest.json"));
    CHECK(manifest.size && strstr((const char *)manifest.data, "\"outputs\":[{\"name\":\"g\",\"from\":2},"
                                                               "{\"name\":\"b\",\"from\":1}]"));
    bytes_free(&manifest);
    end(&fixture);
}

/* By the name of a node, for all its results; and the beginning alone. */
static void test_ends__begins(void)
{
    static const char *const first[] = {"first"};
    struct fixture fixture;
    begin_with(&fixture, text, list);
    CHECK_INT(search(&fixture, first, 1, NULL, 0), NPART_OK);
    CHECK_INT(write_all(&fixture), NPART_OK);
    CHECK_TEXT(part_text(&fixture, "head.onnx"), "first | x -> a |");
    CHECK_TEXT(part_text(&fixture, "model.npu.onnx"),
               "constant heavy scaled tail either shaped | a c -> g b | w one s");
    end(&fixture);
}

/* What changes nothing is copied to where it is needed; what it is computed from in each run is on the side of the
 * first part that needs it, so that nothing passes backwards. */
static void test_ends__handed_on(void)
{
    static const char lines[] = "opset 17\ninput y float32[4,8]\ninit w float32[8,8]\n"
                                "init zero int64[] = 0\ninit one int64[] = 1\ninit four int64[] = 4\n"
                                "init column int64[2] = 4 1\n"
                                "node z = CastLike(zero, four) @like\nnode r = Range(z, four, one) @range\n"
                                "node u = Add(r, zero) @handed\nnode v = Reshape(u, column) @shaped\n"
                                "node f = Cast(v) to=1 @border\nnode a = MatMul(y, w) @heavy\n"
                                "node b = Mul(a, f) @scaled\nnode g = Cast(r) to=1 @again\n"
                                "node h = MatMul(g, b) @last\noutput h\n";
    static const char *const first[] = {"f"};
    struct fixture fixture;
    begin_with(&fixture, lines, list);
    CHECK_INT(search(&fixture, first, 1, NULL, 0), NPART_OK);
    CHECK_TEXT(passing_text(&fixture),
               "caller>model y float32 128, head>model f float32 16, head>model r int64 32");
    CHECK_INT(write_all(&fixture), NPART_OK);
    CHECK_TEXT(part_text(&fixture, "head.onnx"), "like range handed shaped border | -> f r | zero four one column");
    CHECK_TEXT(part_text(&fixture, "model.npu.onnx"), "heavy scaled again last | y f r -> h | w");
    end(&fixture);
}

/* ---- what cannot be ---------------------------------------------------------------------------------------- */

static void check_refused(const char *name, const char *why)
{
    const char *const names[] = {name};
    struct fixture fixture;
    begin_with(&fixture, text, list);
    CHECK_INT(search(&fixture, NULL, 0, names, 1), NPART_ERROR_ARGUMENT);
    CHECK_TEXT(fixture.error.place, name);
    if (!strstr(fixture.error.message, why))
        CHECK_TEXT(fixture.error.message, why);
    CHECK(!fixture.fix);
    end(&fixture);
}

static void test_ends__refuses(void)
{
    static const char *const last[] = {"d"};
    struct fixture fixture;
    check_refused("heavi", "there is no such tensor or node");
    check_refused("x", "is an input of the model");
    check_refused("w", "is a constant");
    check_refused("k", "is a constant");
    check_refused("q", "inside of a function or a branch");
    check_refused("g", "the model ends there already");
    begin_with(&fixture, text, list);
    fixture.options.end_count = 1;
    fixture.options.end_at = NULL;
    CHECK_INT(search(&fixture, NULL, 0, NULL, 1), NPART_ERROR_ARGUMENT);
    CHECK_INT(search(&fixture, last, 1, last, 1), NPART_ERROR_ARGUMENT);
    CHECK_INT(search(&fixture, NULL, 0, last, 1), NPART_OK);
    struct npart_side_paths paths = {.size = sizeof paths, .model = path_of(&fixture, "a.onnx")};
    paths.head = "head.onnx";
    CHECK_INT(npart_fix_write_sides(fixture.fix, &paths, NPART_WEIGHTS_STAY, NULL), NPART_ERROR_ARGUMENT);
    paths.head = NULL;
    paths.rest = paths.model;
    CHECK_INT(npart_fix_write_sides(fixture.fix, &paths, NPART_WEIGHTS_STAY, NULL), NPART_ERROR_ARGUMENT);
    CHECK(access(paths.model, F_OK) != 0);
    CHECK_INT(search(&fixture, NULL, 0, NULL, 0), NPART_OK);
    struct npart_ends_info ends = {.size = sizeof ends};
    CHECK(!npart_fix_ends(fixture.fix, &ends) && !npart_fix_passing(fixture.fix, 0, NULL));
    end(&fixture);
}

/* ---- the advice ------------------------------------------------------------------------------------------ */

/* "end | End the model at ... | --end-at d --rest model.host.onnx"; of the first action. */
static const char *advised(const char *lines, const char *targets)
{
    static char line[500];
    struct npart_action action = {.size = sizeof action};
    struct fixture fixture;
    struct analysis at = {0};
    npart_fix *fixes[NPART_MOST_PROPOSALS] = {NULL};
    npart_advice *advice = NULL;
    uint32_t count = 0;
    begin_with(&fixture, lines, targets);
    REQUIRE(npart_model_read_file(&at.model, fixture.at.path, NULL, NULL) == NPART_OK);
    REQUIRE(npart_inference_make(&at.inference, at.model, NULL, NULL) == NPART_OK);
    REQUIRE(npart_plan_make(&at.plan, at.inference, fixture.list, NULL, NULL, NULL) == NPART_OK);
    CHECK_INT(npart_fix_propose(fixes, &count, fixture.at.path, at.plan, NULL, NULL, &fixture.options, NULL), NPART_OK);
    CHECK_INT(npart_advice_make(&advice, at.plan, NULL, (const npart_fix *const *)fixes, count, NULL), NPART_OK);
    *line = 0;
    if (advice && npart_advice_action(advice, 0, &action))
        (void)snprintf(line, sizeof line, "%s | %s |", action.kind, action.text);
    for (uint32_t i = 5; *line && i + 2 < action.run_count; i++)
        (void)snprintf(line + strlen(line), sizeof line - strlen(line), " %s", action.run[i]);
    npart_advice_free(advice);
    for (uint32_t i = 0; i < count; i++)
        npart_fix_free(fixes[i]);
    analysis_close(&at);
    end(&fixture);
    return line;
}

/* What fails is a tail: the model ends before it. Where little is before it and much after, it does not. */
static void test_ends__advises(void)
{
    static const char tail[] = "opset 17\ninput x float32[8,8]\ninit w float32[8,8]\nnode a = MatMul(x, w)\n"
                               "node b = Mul(a, a)\nnode c = Erf(b)\nnode y = Mul(c, a)\noutput y\n";
    static const char midst[] = "opset 17\ninput x float32[8,8]\ninit w float32[8,8]\nnode a = MatMul(x, w)\n"
                                "node c = Erf(a)\nnode d = MatMul(c, w)\nnode e = MatMul(d, w)\n"
                                "node f = MatMul(e, w)\nnode y = MatMul(f, w)\noutput y\n";
    static const char head[] = "opset 17\ninput x float32[8,8]\ninit w float32[8,8]\nnode a = Erf(x)\n"
                               "node b = MatMul(a, w)\nnode y = Mul(b, b)\noutput y\n";
    CHECK_TEXT(advised(tail, strict),
               "end | End the model at `a`; the host runs 3 nodes (Mul, Erf) after it, 256 B pass between | "
               "--end-at a --rest model.host.onnx");
    CHECK_TEXT(advised(head, strict),
               "begin | Begin the model at `a`; the host runs 1 node (Erf) before it, 256 B pass between | "
               "--begin-at a --head model.head.onnx");
    CHECK(strncmp(advised(midst, strict), "end", 3) != 0);
}

TESTS(test_ends__parts, test_ends__begins, test_ends__handed_on, test_ends__refuses, test_ends__advises)
