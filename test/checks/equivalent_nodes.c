/* SPDX-License-Identifier: Apache-2.0
 *
 * Random graphs of blocks that repeat, most of them changed in one thing: an attribute, an element, a type, a size, a
 * neighbour, a name. Every target judges them, and an op list that asks every question (every_question.ops). Built with
 * VARIANT=debug the library ends the program where a node shares a verdict that the rules would not give to it; the
 * graph is then printed.
 *
 * usage: equivalent_nodes COUNT SEED LIST.ops
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npu_partition.h"
#include "support/model_text.h"

#define MOST_STEPS 4u
#define OPSET 20

/* What a block may have of its own. */
enum change {
    CHANGE_NOTHING,
    CHANGE_ATTRIBUTE,
    CHANGE_ELEMENTS,  /* of the constant operand */
    CHANGE_CONSTANT,  /* an input of the model instead */
    CHANGE_MISSING,   /* no constant operand */
    CHANGE_TYPE,      /* of the block's input */
    CHANGE_SIZE,
    CHANGE_RANK,      /* not known */
    CHANGE_PRODUCER,  /* another op in front */
    CHANGE_CONSUMER,  /* another op after it */
    CHANGE_USERS,     /* one more */
    CHANGE_OUTPUT,    /* the result is one of the graph's */
    CHANGE_NAME,      /* one that rules ask for */
    CHANGE_DECLARED,  /* the file states the shape of the result */
    CHANGE_QUANTIZED, /* type on the quantized side */
    CHANGE_SCALES,    /* one by channel */
    CHANGE_ZERO,      /* the zero point */
    CHANGE_SCALE,     /* not constant */
    CHANGE_RESULTS,   /* a second one is asked for */
    CHANGE_BODY,      /* the op stands in a branch */
    CHANGE_OPSET,     /* the op stands in a function with an opset of its own */
    CHANGES,
};

/* An op on the result of the step before: how it looks mostly, and how after a change. */
struct step_kind {
    const char *op;
    const char *attributes[2];
    const char *constants[2]; /* type and elements of the second operand; NULL: it has none */
};

static const struct step_kind kinds[] = {
    {"Relu", {"", ""}, {NULL, NULL}},
    {"Sigmoid", {"", ""}, {NULL, NULL}},
    {"Erf", {"", ""}, {NULL, NULL}},
    {"HardSwish", {"", ""}, {NULL, NULL}},
    {"Elu", {"alpha=1.0", "alpha=0.5"}, {NULL, NULL}},
    {"Gelu", {"approximate=\"none\"", "approximate=\"tanh\""}, {NULL, NULL}},
    {"Softmax", {"axis=-1", "axis=1"}, {NULL, NULL}},
    {"Clip", {"", ""}, {"float32 = 0", "float32 = 1"}},
    {"Add", {"", ""}, {"float32[1] = 0.5", "float32[1] = 1.5"}},
    {"Mul", {"", ""}, {"float32[1] = 1", "float32[8] = 1 2 3 4 5 6 7 8"}},
    {"Pow", {"", ""}, {"float32 = 1.5", "float32 = 0.5"}},
    {"PRelu", {"", ""}, {"float32[8,1,1]", "float32[1]"}},
    {"Conv", {"pads=[1,1,1,1]", "pads=[2,2,2,2] dilations=[2,2]"}, {"float32[8,8,3,3]", "float32[8,8,3,3]"}},
    {"ConvTranspose",
     {"strides=[2,2]", "strides=[2,2] auto_pad=\"SAME_UPPER\""},
     {"float32[8,8,2,2]", "float32[8,4,2,2]"}},
    {"MatMul", {"", ""}, {"float32[8,8]", "float32[8,16]"}},
    {"MaxPool", {"kernel_shape=[2,2]", "kernel_shape=[2,2] ceil_mode=1"}, {NULL, NULL}},
    {"AveragePool", {"kernel_shape=[3,3]", "kernel_shape=[3,3] count_include_pad=1"}, {NULL, NULL}},
    {"InstanceNormalization", {"", "epsilon=0.1"}, {"float32[8]", "float32[8]"}},
    {"LayerNormalization", {"", "axis=2"}, {"float32[8]", "float32[8]"}},
    {"Reshape", {"", "allowzero=1"}, {"int64[3] = 1 8 64", "int64[2] = 8 -1"}},
    {"Transpose", {"perm=[0,2,3,1]", "perm=[3,2,1,0]"}, {NULL, NULL}},
    {"Gather", {"axis=1", "axis=2"}, {"int64[2] = 0 1", "int64[2] = 1 9"}},
    {"ReduceMean", {"keepdims=1", "keepdims=0"}, {"int64[2] = 2 3", "int64[1] = 1"}},
    {"Unsqueeze", {"", ""}, {"int64[1] = 0", "int64[2] = 0 1"}},
    {"Expand", {"", ""}, {"int64[4] = 2 8 8 8", "int64[5] = 2 1 1 1 1"}},
    {"Tile", {"", ""}, {"int64[4] = 1 1 1 2", "int64[4] = 2 1 1 1"}},
    {"Pad", {"mode=\"constant\"", "mode=\"reflect\""}, {"int64[8] = 0 0 1 1 0 0 1 1", "int64[8] = 0 1 0 0 0 1 0 0"}},
    {"Split", {"axis=1 num_outputs=2", "axis=2 num_outputs=2"}, {NULL, NULL}},
    {"TopK", {"axis=-1", "axis=1"}, {"int64[1] = 1", "int64[1] = 3"}},
    {"ArgMax", {"axis=1", "axis=1 select_last_index=1"}, {NULL, NULL}},
    {"Cast", {"to=10", "to=6"}, {NULL, NULL}},
    {"DepthToSpace", {"blocksize=2", "blocksize=2 mode=\"CRD\""}, {NULL, NULL}},
    {"Einsum", {"equation=\"abcd->abdc\"", "equation=\"abcd->ab\""}, {NULL, NULL}},
    {"GatherElements", {"axis=0", "axis=3"}, {"int64[1,1,1,2] = 0 0", "int64[1,1,1,1] = 0"}},
    {"Resize", {"mode=\"nearest\"", "mode=\"linear\""}, {NULL, NULL}},
    {"CumSum", {"", "reverse=1"}, {"int64 = 1", "int64 = 2"}},
    {"LSTM", {"hidden_size=8", "hidden_size=8 direction=\"reverse\""}, {"float32[1,32,8]", "float32[1,32,8]"}},
};

/* One block, before it is repeated. */
struct step {
    const struct step_kind *kind;
    bool is_quantized; /* QuantizeLinear and DequantizeLinear after it */
    bool is_computed;  /* the constant operand is the result of another node */
};

struct block {
    struct step steps[MOST_STEPS];
    unsigned step_count;
    const char *type, *dims, *quantized;
};

/* ---- what goes wrong is told ------------------------------------------------------------------------------ */

static char model_text[1 << 16];
static const char *current_target = "";

static void tell_graph(int signal_number)
{
    (void)signal_number;
    (void)fprintf(stderr, "target %s, graph:\n%s", current_target, model_text);
}

/* ---- choices ---------------------------------------------------------------------------------------------- */

static uint64_t state;

static unsigned draw(unsigned below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state >> 33) % below;
}

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...)
{
    size_t length = strlen(model_text);
    va_list list;
    va_start(list, format);
    int more = vsnprintf(model_text + length, sizeof model_text - length, format, list);
    va_end(list);
    if (more < 0 || (size_t)more >= sizeof model_text - length) {
        (void)fprintf(stderr, "equivalent_nodes: a graph is too long\n");
        exit(1);
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------------ */

static struct block draw_block(void)
{
    static const char *const types[] = {"float32", "float32", "float16", "int32", "uint8"};
    static const char *const dims[] = {"1,8,8,8", "1,8,8,8", "n,8,8,8", "1,8,h,w", "8,8", ""};
    static const char *const quantized[] = {"uint8", "int8", "uint16"};
    struct block block = {.step_count = 1 + draw(MOST_STEPS), .type = types[draw(5)], .dims = dims[draw(6)],
                          .quantized = quantized[draw(3)]};
    bool is_quantized = draw(3) == 0;
    for (unsigned i = 0; i < block.step_count; i++)
        block.steps[i] = (struct step){.kind = &kinds[draw(sizeof kinds / sizeof *kinds)],
                                       .is_quantized = is_quantized && draw(4) != 0,
                                       .is_computed = draw(4) == 0};
    return block;
}

/* QuantizeLinear and DequantizeLinear of r<number>x<step>, whose result takes the name's place: q<...>. */
static void put_quantization(const struct block *block, const char *at, enum change change)
{
    const char *type = change == CHANGE_QUANTIZED ? "int16" : block->quantized;
    const char *scales = change == CHANGE_SCALES ? "float32[8] = 1 1 1 1 1 1 1 2" : "float32 = 0.5";
    const char *shape = change == CHANGE_SCALES ? "[8]" : "";
    if (change == CHANGE_SCALE)
        put("input s%s float32[]\n", at);
    else
        put("init s%s %s\n", at, scales);
    put("init z%s %s%s = %s\n", at, type, shape,
        change == CHANGE_SCALES ? "0 0 0 0 0 0 0 0" : change == CHANGE_ZERO ? "3" : "0");
    put("node t%s = QuantizeLinear(r%s, s%s, z%s)\nnode q%s = DequantizeLinear(t%s, s%s, z%s)\n", at, at, at, at, at,
        at, at, at);
}

static void put_operand(const struct step *step, const char *at, enum change change)
{
    const char *constant = step->kind->constants[change == CHANGE_ELEMENTS];
    int type_length = (int)strcspn(constant, " ");
    bool is_weight = step->is_quantized && strncmp(constant, "float32[", 8) == 0;
    const char *line = change == CHANGE_CONSTANT ? "input" : "init";
    if (is_weight) /* of the same shape, dequantized */
        put("%s k%s int8%.*s\ninit l%s float32 = 0.5\nnode c%s = DequantizeLinear(k%s, l%s)\n", line, at,
            type_length - 7, constant + 7, at, at, at, at);
    else
        put("%s %s%s %.*s\n", line, step->is_computed ? "k" : "c", at,
            change == CHANGE_CONSTANT ? type_length : (int)strlen(constant), constant);
    if (!is_weight && step->is_computed)
        put("node c%s = Abs(k%s)\n", at, at);
}

/* The op itself, its operand, and what follows it; the name of its result. */
static void put_step(const struct block *block, const struct step *step, const char *input, const char *at,
                     enum change change)
{
    const struct step_kind *kind = step->kind;
    const char *attributes = kind->attributes[change == CHANGE_ATTRIBUTE];
    char call[256];
    bool has_constant = kind->constants[0] && change != CHANGE_MISSING;
    if (has_constant)
        put_operand(step, at, change);
    bool is_twice = has_constant && (strcmp(kind->op, "LSTM") == 0 || strcmp(kind->op, "InstanceNormalization") == 0);
    bool has_more = strcmp(kind->op, "TopK") == 0 || strcmp(kind->op, "MaxPool") == 0;
    bool is_more = strcmp(kind->op, "Split") == 0 || (has_more && change == CHANGE_RESULTS);
    (void)snprintf(call, sizeof call, "%s(%s%s%s%s%s%s) %s", kind->op, input, has_constant ? ", c" : "",
                   has_constant ? at : "", is_twice ? ", c" : "", is_twice ? at : "",
                   strcmp(kind->op, "Resize") == 0 ? ", , double" : "", attributes);
    if (change == CHANGE_BODY) {
        put("graph g%s\nnode b%s = %s\noutput b%s\nend\ngraph h%s\nnode e%s = Identity(%s)\noutput e%s\nend\n", at, at,
            call, at, at, at, input, at);
        put("node r%s = If(choice) then_branch=graph g%s else_branch=graph h%s\n", at, at, at);
    } else if (change == CHANGE_OPSET && !has_constant && !is_more) {
        put("function my.own:F%s(a) -> (b)\nnode b = %s(a) %s\nopset %d\nend\n", at, kind->op, attributes, OPSET + 1);
        put("node r%s = my.own:F%s(%s)\n", at, at, input);
    } else {
        put("node r%s%s%s = %s\n", at, is_more ? ", v" : "", is_more ? at : "", call);
    }
    if (change == CHANGE_OUTPUT)
        put("output r%s\n", at);
    if (change == CHANGE_DECLARED)
        put("value r%s %s[%s]\n", at, block->type, block->dims);
    if (step->is_quantized)
        put_quantization(block, at, change);
}

/* `where`: the step that is changed. */
static void put_block(const struct block *block, unsigned number, enum change change, unsigned where)
{
    static const char *const plain[] = {"query", "key", "axes", "weight"};
    char input[40], at[32];
    const char *type = change != CHANGE_TYPE ? block->type : strcmp(block->type, "float32") ? "float32" : "float16";
    if (change == CHANGE_NAME && number < 4)
        (void)snprintf(input, sizeof input, "%s", plain[number]);
    else
        (void)snprintf(input, sizeof input, "x%u", number);
    put("input %s %s", input, type);
    if (change != CHANGE_RANK)
        put("[%s]", change != CHANGE_SIZE ? block->dims : strcmp(block->dims, "8,8") ? "1,8,8,6" : "8,4");
    put("\n");
    if (change == CHANGE_PRODUCER || (block->step_count > 2 && block->steps[0].is_quantized)) {
        put("node p%u = %s(%s)\n", number, change == CHANGE_PRODUCER ? "Neg" : "Abs", input);
        (void)snprintf(input, sizeof input, "p%u", number);
    }
    for (unsigned i = 0; i < block->step_count; i++) {
        (void)snprintf(at, sizeof at, "%ux%u", number, i);
        put_step(block, &block->steps[i], input, at, i == where ? change : CHANGE_NOTHING);
        (void)snprintf(input, sizeof input, "%c%s", block->steps[i].is_quantized ? 'q' : 'r', at);
    }
    put("node o%u = %s(%s)\noutput o%u\n", number, change == CHANGE_CONSUMER ? "Neg" : "Abs", input, number);
    if (change == CHANGE_USERS)
        put("node u%u = Relu(r%ux%u)\noutput u%u\n", number, number, where, number);
}

static void make_graph(void)
{
    struct block block = draw_block();
    unsigned repeats = 4 + draw(13);
    *model_text = '\0';
    put("opset %d\nopset my.own 1\ninput choice bool\ninit double float32[4] = 1 1 2 2\n", OPSET);
    for (unsigned i = 0; i < repeats; i++)
        put_block(&block, i, draw(3) ? (enum change)draw(CHANGES) : CHANGE_NOTHING, draw(block.step_count));
}

/* ---- judging ------------------------------------------------------------------------------------------------ */

static void require(npart_status status, const struct npart_error *error)
{
    if (status == NPART_OK)
        return;
    (void)fprintf(stderr, "equivalent_nodes: %s: %s\n", error->place, error->message);
    tell_graph(0);
    exit(1);
}

/* By a list's default variant, and by others of the two that differ most between chips. */
static const char *const targets[] = {"hexagon:v68", "hexagon:v81", "intel-npu:3720", "intel-npu:5010"};
#define TARGETS (sizeof targets / sizeof *targets)
#define MOST_LISTS 64

struct lists {
    npart_oplist *oplists[MOST_LISTS];
    const char *names[MOST_LISTS];
    size_t count;
};

static void open_lists(struct lists *lists, const char *questions)
{
    struct npart_error error;
    for (; npart_builtin_oplist(lists->count) && lists->count < MOST_LISTS - TARGETS - 1; lists->count++)
        lists->names[lists->count] = npart_builtin_oplist(lists->count);
    for (size_t i = 0; i < TARGETS; i++)
        lists->names[lists->count++] = targets[i];
    for (size_t i = 0; i < lists->count; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(lists->names[i], ":"), lists->names[i]);
        require(npart_oplist_find(&lists->oplists[i], name, NULL, &error), &error);
    }
    require(npart_oplist_read_file(&lists->oplists[lists->count++], questions, NULL, &error), &error);
}

static void judge_graph(const struct lists *lists)
{
    struct bytes bytes = model_from_text(model_text);
    struct npart_error error;
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    require(npart_model_read_memory(&model, bytes.data, bytes.size, NULL, &error), &error);
    require(npart_inference_make(&inference, model, NULL, &error), &error);
    for (size_t i = 0; i < lists->count; i++) {
        npart_plan *plan = NULL;
        current_target = lists->names[i] ? lists->names[i] : "questions";
        require(npart_plan_make(&plan, inference, lists->oplists[i], lists->names[i], NULL, &error), &error);
        npart_plan_free(plan);
    }
    npart_inference_free(inference);
    npart_model_free(model);
    bytes_free(&bytes);
}

int main(int argc, char **argv)
{
    struct lists lists = {.count = 0};
    if (argc != 4) {
        (void)fprintf(stderr, "usage: equivalent_nodes COUNT SEED LIST.ops\n");
        return 2;
    }
    unsigned long count = strtoul(argv[1], NULL, 10), seed = strtoul(argv[2], NULL, 10);
    (void)signal(SIGABRT, tell_graph);
    open_lists(&lists, argv[3]);
    for (unsigned long i = 0; i < count; i++) {
        state = (seed << 32 | i) * UINT64_C(0x9E3779B97F4A7C15);
        make_graph();
        judge_graph(&lists);
    }
    for (size_t i = 0; i < lists.count; i++)
        npart_oplist_free(lists.oplists[i]);
    printf("%lu random graphs judged by %zu targets\n", count, lists.count);
    return 0;
}
