/* SPDX-License-Identifier: Apache-2.0
 *
 * Every mistake in an op list is told with file, line, column and what is wrong.
 */
#define _POSIX_C_SOURCE 200809L
#include "npu_partition.h"

#include "support/test.h"

#define HEAD "format 1\ntarget t\n" /* two lines before each case */

static const struct {
    const char *text, *place, *message;
} mistakes[] = {
    /* the whole */
    {"", "l.ops:0:1", "an op list begins with `format 1`"},
    {"# nothing\n", "l.ops:1:1", "an op list begins with `format 1`"},
    {"target t\n", "l.ops:1:1", "an op list begins with `format 1`"},
    {"format 2\ntarget t\n", "l.ops:1:1", "an op list begins with `format 1`"},
    {"format 1 1\ntarget t\n", "l.ops:1:1", "an op list begins with `format 1`"},
    {"format 1\nop Relu\n", "l.ops:2:1", "the target's line comes before its ops"},
    {"format 1\nsource \"s\"\n", "l.ops:2:1", "there is no target line"},
    /* characters */
    {HEAD "op Relu ?\n", "l.ops:3:9", "a character that means nothing here: '?' (0x3f)"},
    {HEAD "op Relu \x01\n", "l.ops:3:9", "a character that means nothing here: '?' (0x01)"},
    {HEAD "source \"open\n", "l.ops:3:8", "a text is not closed"},
    {HEAD "op Relu\n  need attr(alpha) = 'x\n", "l.ops:4:22", "a text is not closed"},
    {HEAD "op Conv\n  need attr(group) = 9223372036854775808\n", "l.ops:4:22",
     "9223372036854775808 is too large a number"},
    {HEAD "= 3\n", "l.ops:3:1", "expected a keyword, found ="},
    {HEAD "nonsense\n", "l.ops:3:1", "nonsense is no keyword here"},
    {HEAD "need const(W)\n", "l.ops:3:1", "need is no keyword here"},
    /* about the target */
    {HEAD "target u\n", "l.ops:3:8", "a second target"},
    {HEAD "target\n", "l.ops:3:7", "expected the target's name, found the end of the line"},
    {HEAD "toolchain x\n", "l.ops:3:11", "expected a text in quotes, found x"},
    {HEAD "standing\n", "l.ops:3:9", "expected by, from or '...', found the end of the line"},
    {HEAD "standing by compiler \"c 1\" probes 3 agree 4 of 3\n", "l.ops:3:43",
     "at most as many must agree as were asked"},
    {HEAD "standing by compiler \"c 1\" probes 3 agree 0 of 0\n", "l.ops:3:43",
     "at most as many must agree as were asked"},
    {HEAD "source \"a\" \"b\"\n", "l.ops:3:12", "unexpected b"},
    {HEAD "switches a b a\n", "l.ops:3:14", "switch a is there twice"},
    {HEAD "switches 3\n", "l.ops:3:10", "expected a switch, found 3"},
    {HEAD "switches a\nswitch a with b\n", "l.ops:4:15", "the list declares no switch b"},
    {HEAD "variant v1\nvariant V1\n", "l.ops:4:9", "variant V1 is there twice"},
    {HEAD "variant v1 is a v1\n", "l.ops:3:17", "variant v1 is there twice"},
    {HEAD "variant v1 like v0\n", "l.ops:3:17", "there is no variant v0 yet"},
    {HEAD "variant v1 with a\n", "l.ops:3:17", "the list declares no switch a"},
    {HEAD "variant v1\ndefault v2\n", "l.ops:4:9", "there is no variant v2 yet"},
    {HEAD "every rank(inputs) = 4 except com.microsoft:Relu\n", "l.ops:3:31",
     "com.microsoft:Relu is no operator of the standard; did you mean Relu?"},
    {HEAD "partitioner best\n", "l.ops:3:13", "there is no partitioner \"best\""},
    {HEAD "partitioner runs with a\n", "l.ops:3:23", "the list declares no switch a"},
    {HEAD "partitions drop single unless a\n", "l.ops:3:31", "the list declares no switch a"},
    {HEAD "partitioner runs\nswitches a\npartitioner best with a\n", "l.ops:5:13",
     "there is no partitioner \"best\""},
    {HEAD "bodies gpu\n", "l.ops:3:8", "expected cpu or own, found gpu"},
    {HEAD "layout nhwc Conv\nlayout nchw Conv\n", "l.ops:4:8", "a second layout"},
    {HEAD "layout nhwc Covn\n", "l.ops:3:13", "Covn is no operator of the standard; did you mean Conv?"},
    {HEAD "through Covn\n", "l.ops:3:9", "Covn is no operator of the standard; did you mean Conv?"},
    {HEAD "param launch_ms 3 2 1 \"s\"\n", "l.ops:3:21", "low, typical and high are not in order"},
    {HEAD "param launch_ms 1 2\n", "l.ops:3:20",
     "expected three numbers: low, typical, high, found the end of the line"},
    {HEAD "param launch_ms for v1 1 2 3\n", "l.ops:3:21", "there is no variant v1 yet"},
    {HEAD "param launch_ms -1 2 3\n", "l.ops:3:17", "expected three numbers: low, typical, high, found -"},
    {HEAD "param copy_gb_per_s 0 2 3\n", "l.ops:3:25", "a rate must be above 0"},
    {HEAD "param copy_gb_per_s of int8 1 2 3\n", "l.ops:3:24",
     "there is no int8; there is float32, float16, w8a8, w8a16"},
    {HEAD "param sram_mb 1 2 1e12\nparam sram_mb 1 2 1.1e12\n", "l.ops:4:19", "a parameter is 0 or from 1e-12 to 1e12"},
    {HEAD "param copy_gb_per_s 9e-13 2 3\n", "l.ops:3:21", "a parameter is 0 or from 1e-12 to 1e12"},
    {HEAD "param launch_ms via me 1 2 3\n", "l.ops:3:21",
     "there is no me; there is bare, onnxruntime, tflite, coreml"},
    {HEAD "cost nobody\n", "l.ops:3:6", "there are no costs of nobody"},
    {HEAD "op Relu\ngate second\nop Relu\n  need const(X)\nevery static(*)\n", "l.ops:7:1",
     "rules for every op stand before the ops"},
    {HEAD "every dtype(X) = int8\nop Relu\n", "l.ops:3:13",
     "X: only inputs, outputs and * mean something to every op"},
    {HEAD "every attr(axis) = 0\nop Relu\n", "l.ops:3:12", "attributes belong to an op"},
    {HEAD "every static(*) \"s\" except Covn\nop Relu\n", "l.ops:3:28",
     "Covn is no operator of the standard; did you mean Conv?"},
    /* defines */
    {HEAD "define a:\n", "l.ops:3:10", "expected what a stands for"},
    {HEAD "define a: int8\ndefine a: int16\n", "l.ops:4:8", "define a is there twice"},
    {HEAD "define a int8\n", "l.ops:3:10", "unexpected int8"},
    {HEAD "define a\nop Relu\n", "l.ops:3:8", "expected rules, or : and what a stands for"},
    {HEAD "define\n", "l.ops:3:7", "expected a name, found the end of the line"},
    {HEAD "define rank: 3\n", "l.ops:3:8", "rank has a meaning of its own"},
    {HEAD "define a(inputs): static(inputs)\n", "l.ops:3:10", "inputs has a meaning of its own"},
    {HEAD "define a(x: static(x)\n", "l.ops:3:11", "expected , or ), found :"},
    {HEAD "define a(): static(x)\n", "l.ops:3:10", "expected a parameter, found )"},
    {HEAD "define a(b, c, d, e, f, g, h, i, j): 1\n", "l.ops:3:8", "more than 8 parameters"},
    {HEAD "define a: static(*)\nop Relu\n", "l.ops:3:8", "define a is never used"},
    {HEAD "define a(x): static(x)\nop Relu\n  need a\n", "l.ops:5:8", "a has 1 parameters"},
    {HEAD "define a(x): static(x)\nop Relu\n  need a(X, Y)\n", "l.ops:5:8", "a has 1 parameters"},
    {HEAD "define a(x): static(x)\nop Relu\n  need a(X\n", "l.ops:5:8", "the arguments of a are not closed"},
    {HEAD "define a(x): static(x)\nop Relu\n  need a(,X)\n", "l.ops:5:10", "expected an argument, found ,"},
    {HEAD "define a(x): static(x)\nop Relu\n  need a(X Y)\n", "l.ops:5:10", "expected one word for x"},
    {HEAD "define a(x): static(x)\nop Relu\n  need a(W)\n", "l.ops:5:10", "Relu has no operand W; it has X Y"},
    {HEAD "define a: static(X) static\nop Relu\n  need a\n", "l.ops:3:21", "unexpected static"},
    {HEAD "define a: b\ndefine b: a\nop Relu\n  need a\n", "l.ops:4:11", "a is defined by itself"},
    {HEAD "define a\n  need static(*)\nop Relu\n  need a\n", "l.ops:6:9",
     "expected a comparison, found the end of the line"},
    {HEAD "define a: static(*)\nop Relu\n  use a\n", "l.ops:5:7", "there is no define of rules a"},
    {HEAD "define a(x, y)\n  row int8 int8\nop Relu\n  need a(dtype(X), dtype(Y))\n", "l.ops:4:16",
     "expected : and the next column"},
    {HEAD "define a(x)\n  row int8\n  need static(*)\nop Relu\n  need a(dtype(X))\n", "l.ops:5:3",
     "expected row, found need"},
    {HEAD "op Relu\n  need static(X) \"{x}\"\n", "l.ops:4:18", "{x} is neither a parameter nor a define"},
    {HEAD "define x: 1\nop Relu\n  need rank(X) = x \"{x\"\n", "l.ops:5:20", "a brace is not closed"},
    {HEAD "define x: rank(X) = 1\nop Relu\n  need x \"{x}\"\n", "l.ops:3:15", "( has no place in a sentence"},
    {HEAD "define x: -rank(X)\nop Relu\n  need x = 1 \"{x}\"\n", "l.ops:3:12",
     "a sentence has no place for what is calculated"},
    {HEAD "define x: ..\nop Relu\n  need static(X) \"{x}\"\n", "l.ops:3:13", "a range needs a bound"},
    {HEAD "define x: 3 .. - rank(X)\nop Relu\n  need static(X) \"{x}\"\n", "l.ops:3:18",
     "a sentence has no place for what is calculated"},
    {HEAD "op Relu\n  refuse static(X)\n", "l.ops:4:10", "expected a sentence, found static"},
    {HEAD "pattern p \"s\"\n  let a = Relu(x)\n  let b = a\n  match Neg(b)\n", "l.ops:5:11",
     "expected an op with its operands"},
    {HEAD "op Relu\n  need toolchain = 'v1'\n", "l.ops:4:20", "expected one of the list's toolchains as '...'"},
    {HEAD "op Relu\n  need 'v1' = toolchain\n", "l.ops:4:8", "expected one of the list's toolchains as '...'"},
    {HEAD "toolchain \"v1\"\nop Relu\n  need toolchain in 'v1' 'v2'\n", "l.ops:5:26",
     "expected one of the list's toolchains as '...'"},
    {HEAD "op Relu\n  need toolchain in 'v1'..\n", "l.ops:4:21", "expected one of the list's toolchains as '...'"},
    {HEAD "op Elu\n  need attr(alpha) = 1e-\n", "l.ops:4:23", "unexpected e"},
    {HEAD "op Relu\n  need static(X) since 'v1'\n", "l.ops:4:24", "expected one of the list's toolchains as '...'"},
    {HEAD "option a 1\n", "l.ops:3:8", "there is no provider for it yet"},
    {HEAD "provider A\n", "l.ops:3:11", "expected a package, found the end of the line"},
    {HEAD "provider A \"p\"\noption a\n", "l.ops:4:9", "expected a value, found the end of the line"},
    {HEAD "provider A \"p\"\noption a 1 for v9\n", "l.ops:4:16", "there is no variant v9 yet"},
    {HEAD "partitions fail\n", "l.ops:3:16",
     "expected unfed, fixed, unranked, int64, float64, shared or flat, found the end of the line"},
    {HEAD "partitions fail shared\n", "l.ops:3:23", "expected an op, found the end of the line"},
    {HEAD "partitions fail flat\n", "l.ops:3:21", "expected an op, found the end of the line"},
    /* ops */
    {HEAD "op Covn\n", "l.ops:3:4", "Covn is no operator of the standard; did you mean Conv?"},
    {HEAD "op com.microsoft:Gelo\n", "l.ops:3:4",
     "com.microsoft:Gelo is no operator of the standard; did you mean com.microsoft:Gelu?"},
    {HEAD "op 7\n", "l.ops:3:4", "expected an op, found 7"},
    {HEAD "op\n", "l.ops:3:3", "expected an op, found the end of the line"},
    {HEAD "op Relu 6.5..\n", "l.ops:3:9", "an opset is a whole number"},
    {HEAD "op Relu 14..13\n", "l.ops:3:9", "a range that ends before it begins"},
    {HEAD "op Relu Add Relu\n", "l.ops:3:13", "op Relu is there twice (line 3)"},
    {HEAD "op Relu 13..\nop Add Relu 6..13\n", "l.ops:4:8", "op Relu is there twice (line 3)"},
    {HEAD "op Relu 6..13\nop Relu 13..\n", "l.ops:4:4", "op Relu is there twice (line 3)"},
    {HEAD "op Relu\nop Relu\n", "l.ops:4:4", "op Relu is there twice (line 3)"},
    {HEAD "op Relu\n  target u\n", "l.ops:4:10", "a second target"},
    {HEAD "op Relu\n  use g\n", "l.ops:4:7", "there is no define of rules g"},
    {HEAD "define g\n  need const(X)\n", "l.ops:3:8", "define g is never used"},
    {HEAD "define g\n need static(X)\ndefine g\n need static(X)\nop Relu\n use g\n", "l.ops:5:8",
     "define g is there twice"},
    {HEAD "define g\n  use g\nop Relu\n  use g\n", "l.ops:4:7", "g is defined by itself"},
    {HEAD "define g\n  need const(W)\nop Relu\n  use g\n", "l.ops:4:14", "Relu has no operand W; it has X Y"},
    /* conditions */
    {HEAD "op Relu\n  need\n", "l.ops:4:7", "expected a number, a word or a function, found the end of the line"},
    {HEAD "op Conv\n  need rank(X)\n", "l.ops:4:15", "expected a comparison, found the end of the line"},
    {HEAD "op Conv\n  need rank X = 3\n", "l.ops:4:13", "expected a comparison, found X"},
    {HEAD "op Conv\n  need const X\n", "l.ops:4:14", "expected ( after const"},
    {HEAD "op Conv\n  need const(X\n", "l.ops:4:15", "expected ), found the end of the line"},
    {HEAD "op Conv\n  need (rank(X) = 3\n", "l.ops:4:20", "expected ), found the end of the line"},
    {HEAD "op Conv\n  need rank(Q) = 3\n", "l.ops:4:13", "Conv has no operand Q; it has X W B Y"},
    {HEAD "op Conv\n  need attr(aixs) = 3\n", "l.ops:4:13", "Conv has no attribute aixs"},
    {HEAD "op Conv\n  need has(aixs)\n", "l.ops:4:12", "Conv has no attribute aixs"},
    {HEAD "op Conv\n  need attr(grop) = 1\n", "l.ops:4:13", "Conv has no attribute grop; did you mean group?"},
    {HEAD "op Resize\n  need const(scale)\n", "l.ops:4:14",
     "Resize has no operand scale; it has X roi scales sizes Y; did you mean scales?"},
    {HEAD "define same\n  need const(X)\nop Relu\n  use sam\n", "l.ops:6:7",
     "there is no define of rules sam; did you mean same?"},
    {HEAD "op Conv\n  need switch(fast)\n", "l.ops:4:15", "the list declares no switch fast"},
    {HEAD "op Conv\n  need variant(v9)\n", "l.ops:4:16", "the list declares no variant v9"},
    {HEAD "op Conv\n  need dim(X) = 3\n", "l.ops:4:13", "expected , and an axis"},
    {HEAD "op Conv\n  need dim(X, 1.5) = 3\n", "l.ops:4:15", "an axis is a whole number"},
    {HEAD "op Conv\n  need dim(X, W) = 3\n", "l.ops:4:15", "expected an axis, found W"},
    {HEAD "op Conv\n  need dtype(X) in\n", "l.ops:4:19", "expected what it may be"},
    {HEAD "op Conv\n  need rank(X) in ..\n", "l.ops:4:21", "a range needs a bound"},
    {HEAD "op Conv\n  need dtype(X) = flaot\n", "l.ops:4:19", "flaot is no element type"},
    {HEAD "op Conv\n  need dtype(X) in int8 flaot\n", "l.ops:4:25", "flaot is no element type"},
    {HEAD "op Conv\n  need rank(X) = three\n", "l.ops:4:18", "three is no number"},
    {HEAD "op Conv\n  need producer(X) = Covn\n", "l.ops:4:22",
     "Covn is no operator of the standard; did you mean Conv?"},
    {HEAD "op Conv\n  need const(W) or else\n", "l.ops:4:24", "expected a comparison, found the end of the line"},
    {HEAD "op Conv\n  maybe const(W) else fail\n", "l.ops:4:23", "only `else fail` after a need"},
    {HEAD "op Conv\n  need const(W) else cpu\n", "l.ops:4:22", "only `else fail` after a need"},
    {HEAD "op Conv\n  need const(W) \"a\" source\n", "l.ops:4:27",
     "expected a source, found the end of the line"},
    {HEAD "op Conv\n  need const(W) \"a\" \"b\"\n",
     "l.ops:4:21", "unexpected b"},
    /* what stands elsewhere than it may */
    {HEAD "include hexagon\n", "l.ops:3:1", "include stands before everything but the format"},
    {HEAD "include nobody\n", "l.ops:3:9", "there is no target nobody"},
    {HEAD "every need: static(*) \"a\"\npartitions cut node \"b\"\nevery need: const(*) \"c\"\n",
     "l.ops:5:1", "rules for every op stand together"},
    {HEAD "op Relu\nevery need: static(*) \"a\"\n", "l.ops:4:1", "rules for every op stand before the ops"},
    {HEAD "pattern p \"s\"\n  match Add(.., x)\n", "l.ops:4:17", ".. stands last"},
    {HEAD "pattern p \"s\"\n  let y Erf(x)\n  match Add(y, x)\n", "l.ops:4:9", "expected =, found Erf"},
    {HEAD "pattern p \"s\"\n  let y = Erf(x)\n  let y = Erf(x)\n  match Add(y, x)\n",
     "l.ops:5:7", "y has a meaning already"},
    {HEAD "pattern p \"s\"\n  share y = x\n  match Add(y, x)\n",
     "l.ops:4:13", "expected an op with its operands, or the name of a let"},
    {HEAD "pattern p \"s\"\n  need const(x) \"a\"\n", "l.ops:4:14", "x is no name of the pattern"},
    /* An operand of the node that a line is of, and of no other line. */
    {HEAD "pattern p \"s\"\n  let m = MatMul(x, y)\n  match Add(m, z)\n  of m need const(B) \"a\"\n"
          "  need const(B) \"b\"\n", "l.ops:7:14", "B is no name of the pattern"},
};

static void read_list(const char *text, size_t bytes, npart_status wanted, struct npart_error *error)
{
    npart_oplist *oplist = NULL;
    memset(error, 0, sizeof *error);
    npart_status status = npart_oplist_read_memory(&oplist, text, bytes, "l.ops", NULL, error);
    if (status != wanted)
        fprintf(stderr, "%s: %s: for\n%.*s\n", error->place, error->message, (int)(bytes < 200 ? bytes : 200), text);
    CHECK_INT(status, wanted);
    CHECK((oplist != NULL) == (wanted == NPART_OK));
    npart_oplist_free(oplist);
}

static void test_errors__each_mistake_has_its_place(void)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct npart_error error;
        int before = test_failures;
        read_list(mistakes[i].text, strlen(mistakes[i].text), NPART_ERROR_OPLIST, &error);
        CHECK_TEXT(error.place, mistakes[i].place);
        CHECK_TEXT(error.message, mistakes[i].message);
        if (test_failures > before)
            fprintf(stderr, "  in case %zu:\n%s\n", i, mistakes[i].text);
    }
}

static void test_errors__carriage_returns_and_continuations_keep_lines(void)
{
    struct npart_error error;
    static const char windows[] = "format 1\r\ntarget t\r\nop Conv\r\n  need const(Q)\r\n";
    read_list(windows, sizeof windows - 1, NPART_ERROR_OPLIST, &error);
    CHECK_TEXT(error.place, "l.ops:4:14");
    static const char continued[] = HEAD "op Conv\n  need const(W) \\\n    or const(Q)\n";
    read_list(continued, sizeof continued - 1, NPART_ERROR_OPLIST, &error);
    CHECK_TEXT(error.place, "l.ops:5:14");
    static const char after[] = HEAD "op Conv\n  need const(W) \\\n    or static(W)\n  need const(Q)\n";
    read_list(after, sizeof after - 1, NPART_ERROR_OPLIST, &error);
    CHECK_TEXT(error.place, "l.ops:6:14");
}

static void test_errors__nul_is_not_text(void)
{
    struct npart_error error;
    static const char text[] = "format 1\ntarget t\0x\n";
    read_list(text, sizeof text - 1, NPART_ERROR_OPLIST, &error);
    CHECK_TEXT(error.place, "l.ops:2:1");
    CHECK_TEXT(error.message, "a NUL character: is this an op list?");
}

/* ---- limits, at their edge -------------------------------------------------------------------------------- */

/* HEAD, then `before`, `count` times `piece`, `after`. */
static char *repeated(const char *before, const char *piece, size_t count, const char *after, size_t *bytes)
{
    size_t length = strlen(piece), head = strlen(HEAD), first = strlen(before), last = strlen(after);
    char *text = malloc(head + first + length * count + last + 1), *at = text;
    REQUIRE(text);
    memcpy(at, HEAD, head);
    memcpy(at += head, before, first);
    at += first;
    for (size_t i = 0; i < count; i++, at += length)
        memcpy(at, piece, length);
    memcpy(at, after, last + 1);
    *bytes = head + first + length * count + last;
    return text;
}

static void check_edge(const char *before, const char *piece, size_t most, const char *after, const char *place,
                       const char *message)
{
    struct npart_error error;
    size_t bytes;
    char *text = repeated(before, piece, most, after, &bytes);
    read_list(text, bytes, NPART_OK, &error);
    free(text);
    text = repeated(before, piece, most + 1, after, &bytes);
    read_list(text, bytes, NPART_ERROR_OPLIST, &error);
    CHECK_TEXT(error.message, message);
    CHECK_TEXT(error.place, place);
    free(text);
}

static void test_limits__line_and_words(void)
{
    /* `source "` and the closing quote are nine characters of the line. */
    check_edge("source \"", "x", 4096 - 9, "\"\n", "l.ops:3:1", "a line is longer than 4096 bytes");
    /* op, Conv and the blank between them stand on the line before. */
    check_edge("op Conv\n  need rank(X) in", " 3", 511 - 6, "\n", "l.ops:4:1029", "more than 511 words on a line");
}

static void test_limits__depth_of_conditions(void)
{
    struct npart_error error;
    char text[512];
    for (int depth = 64; depth <= 65; depth++) {
        char open[80] = "", close[80] = "";
        memset(open, '(', (size_t)depth);
        memset(close, ')', (size_t)depth);
        snprintf(text, sizeof text, HEAD "op Conv\n  need %sconst(W)%s\n", open, close);
        read_list(text, strlen(text), depth == 64 ? NPART_OK : NPART_ERROR_OPLIST, &error);
    }
    CHECK_TEXT(error.message, "nested deeper than 64");
    for (int depth = 64; depth <= 65; depth++) {
        char nots[400] = "";
        for (int i = 0; i < depth; i++)
            strcat(nots, "not ");
        snprintf(text, sizeof text, HEAD "op Conv\n  need %sconst(W)\n", nots);
        read_list(text, strlen(text), depth == 64 ? NPART_OK : NPART_ERROR_OPLIST, &error);
    }
    CHECK_TEXT(error.message, "nested deeper than 64");
}

static void test_limits__defines_switches_gates(void)
{
    struct npart_error error;
    char text[8192];
    for (int defines = 16; defines <= 17; defines++) {
        size_t used = (size_t)snprintf(text, sizeof text, HEAD);
        for (int i = 0; i + 1 < defines; i++) /* each uses the next */
            used += (size_t)snprintf(text + used, sizeof text - used, "define g%d\n  use g%d\n", i, i + 1);
        used += (size_t)snprintf(text + used, sizeof text - used, "define g%d\n  need static(X)\n", defines - 1);
        snprintf(text + used, sizeof text - used, "op Relu\n  use g0\n");
        read_list(text, strlen(text), defines == 16 ? NPART_OK : NPART_ERROR_OPLIST, &error);
    }
    CHECK_TEXT(error.message, "defines use each other deeper than 16");
    for (int count = 32; count <= 33; count++) {
        size_t used = (size_t)snprintf(text, sizeof text, HEAD "switches");
        for (int i = 0; i < count; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, " s%d", i);
        snprintf(text + used, sizeof text - used, "\n");
        read_list(text, strlen(text), count == 32 ? NPART_OK : NPART_ERROR_OPLIST, &error);
    }
    CHECK_TEXT(error.message, "more than 32 switches");
    for (int count = 8; count <= 9; count++) {
        size_t used = (size_t)snprintf(text, sizeof text, HEAD);
        for (int i = 0; i < count; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "gate g%d\nop Relu\n", i);
        read_list(text, strlen(text), count == 8 ? NPART_OK : NPART_ERROR_OPLIST, &error);
    }
    CHECK_TEXT(error.message, "more than 8 gates");
}

/* `count` times what `line` says, %d being the number, between two texts; as many as may be, and one more. */
static void check_most(const char *head, const char *line, const char *tail, int most, const char *message)
{
    struct npart_error error;
    size_t bytes = strlen(head) + strlen(tail) + (size_t)(most + 1) * (strlen(line) + 24) + 1;
    char *text = malloc(bytes);
    REQUIRE(text);
    for (int count = most; count <= most + 1; count++) {
        size_t used = (size_t)snprintf(text, bytes, "%s", head);
        for (int i = 0; i < count; i++) {
            const char *at = strchr(line, '%');
            used += (size_t)snprintf(text + used, bytes - used, "%.*s%d%s", (int)(at - line), line, i, at + 1);
        }
        (void)snprintf(text + used, bytes - used, "%s", tail);
        read_list(text, strlen(text), count == most ? NPART_OK : NPART_ERROR_OPLIST, &error);
    }
    CHECK_TEXT(error.message, message);
    free(text);
}

static void test_limits__how_many(void)
{
    check_most(HEAD "op Relu\n", "  need r%: static(X)\n", "", 512, "more than 512 rules in a section");
    check_most(HEAD, "variant v%\n", "op Relu\n", 1024, "more than 1024 variants");
    check_most("format 1\n", "source \"s %\"\n", "target u\nop Relu\n", 8191,
               "more than 8192 lines that are of no op or pattern");
    check_most(HEAD, "toolchain \"t %\"\n", "op Relu\n", 1024, "more than 1024 toolchains");
}

/* Every define must be used, by as many lines. */
static void test_limits__defines(void)
{
    enum { MOST = 1024 };
    char *uses = malloc(MOST * 16 + 16);
    REQUIRE(uses);
    size_t used = (size_t)sprintf(uses, "op Relu\n");
    for (int i = 0; i < MOST; i++)
        used += (size_t)sprintf(uses + used, "  use g%d\n", i);
    check_most(HEAD, "define g%\n  source \"s\"\n", uses, MOST, "more than 1024 defines");
    free(uses);
}

static void test_limits__rows(void)
{
    check_most(HEAD "define t(x)\n", "  row %\n", "op Relu\n  need t(rank(X))\n", 512, "more than 512 rows");
}

/* Rows are read wherever the table is used: here 4096 words of it. */
static void test_limits__words_of_rows(void)
{
    struct npart_error error;
    char *text = malloc(64 << 10);
    REQUIRE(text);
    size_t used = (size_t)sprintf(text, HEAD "define t(x)\n");
    for (int i = 0; i < 512; i++)
        used += (size_t)sprintf(text + used, "  row %d 1 2 3 4 5\n", i);
    for (int i = 0; i < 200; i++)
        used += (size_t)sprintf(text + used, "op my:A%d\n  need t(rank(inputs))\n", i);
    read_list(text, used, NPART_ERROR_OPLIST, &error);
    CHECK_TEXT(error.message, "defines, and ops that share lines, stand for more than 500000 words");
    free(text);
}

static void test_limits__patterns(void)
{
    struct npart_error error;
    check_most(HEAD, "pattern p% \"s\"\n  match Relu(x)\n", "op Relu\n", 4096, "more than 4096 patterns");
    check_most(HEAD "pattern p \"s\"\n  match Sum(", "n%, ", "n0)\nop Relu\n", 16, "more than 16 names in a pattern");
    check_most(HEAD "pattern p \"s\"\n", "  match Add(x, %)\n", "op Relu\n", 8,
               "more than 8 alternatives in a pattern");
    for (int depth = 32; depth <= 33; depth++) { /* of what stands between the parentheses */
        char text[512];
        size_t used = (size_t)snprintf(text, sizeof text, HEAD "pattern p \"s\"\n  match ");
        for (int i = 0; i < depth; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "Relu(");
        used += (size_t)snprintf(text + used, sizeof text - used, "x");
        for (int i = 0; i < depth; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, ")");
        (void)snprintf(text + used, sizeof text - used, "\nop Relu\n");
        read_list(text, strlen(text), depth == 32 ? NPART_OK : NPART_ERROR_OPLIST, &error);
    }
    CHECK_TEXT(error.message, "nested deeper than 32");
}

/* Reads a line of 499 words, its end counted, for each of `ops`; how many more words than its own the list has read. */
static npart_status read_words_again(unsigned ops, struct npart_error *error)
{
    static char text[64 << 10];
    npart_oplist *oplist = NULL;
    size_t used = (size_t)sprintf(text, HEAD "define g\n  need a: rank(inputs) in");
    for (int i = 0; i < 490; i++)
        used += (size_t)sprintf(text + used, " 1");
    used += (size_t)sprintf(text + used, "\n");
    for (unsigned i = 0; i < ops; i++)
        used += (size_t)sprintf(text + used, "op my:A%04u\n use g\n", i);
    npart_status status = npart_oplist_read_memory(&oplist, text, used, "l.ops", NULL, error);
    npart_oplist_free(oplist);
    return status;
}

/* What defines stand for is counted beyond the words that the list has: 498 of the define itself, and here 4 an op, of
 * which 6 are read, the ends of lines counted. */
static void test_limits__words_of_defines(void)
{
    struct npart_error error;
    unsigned most = (500000 + 498 + 4) / (499 + 6 - 4);
    CHECK_INT(read_words_again(most, &error), NPART_OK);
    CHECK_INT(read_words_again(most + 1, &error), NPART_ERROR_OPLIST);
    CHECK_TEXT(error.message, "defines, and ops that share lines, stand for more than 500000 words");
}

static void test_limits__words_of_shared_lines(void)
{
    struct npart_error error;
    char *text = malloc(64 << 10);
    REQUIRE(text);
    size_t used = (size_t)sprintf(text, HEAD "op");
    for (int i = 0; i < 400; i++)
        used += (size_t)sprintf(text + used, " my:A%03d", i);
    used += (size_t)sprintf(text + used, "\n");
    for (int i = 0; i < 200; i++)
        used += (size_t)sprintf(text + used, "  need r%d: rank(inputs) in 1 2\n", i);
    read_list(text, used, NPART_ERROR_OPLIST, &error);
    CHECK_TEXT(error.message, "defines, and ops that share lines, stand for more than 500000 words");
    free(text);
}

/* Each define but the last uses the next twice: sixteen deep they would be 32768 times the lines of the last. */
static void test_limits__words_that_are_read_again(void)
{
    struct npart_error error;
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof text, HEAD);
    for (int i = 0; i < 15; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "define g%d\n use g%d g%d\n", i, i + 1, i + 1);
    snprintf(text + used, sizeof text - used, "define g15\n source \"%s\"\n source \"%s\"\n"
             " source \"c\"\n source \"d\"\n source \"e\"\n source \"f\"\n source \"g\"\nop Relu\n use g0\n", "a", "b");
    read_list(text, strlen(text), NPART_ERROR_OPLIST, &error);
    CHECK_TEXT(error.message, "defines, and ops that share lines, stand for more than 500000 words");
    used = (size_t)snprintf(text, sizeof text, HEAD);
    for (int i = 0; i < 15; i++) /* the same of conditions, with arguments that grow */
        used += (size_t)snprintf(text + used, sizeof text - used, "define c%d(x): c%d(x and x) or c%d(x or x)\n", i,
                                 i + 1, i + 1);
    snprintf(text + used, sizeof text - used, "define c15(x): x\nop Relu\n need c0(static(X))\n");
    read_list(text, strlen(text), NPART_ERROR_OPLIST, &error);
}

/* ---- all of them ------------------------------------------------------------------------------------------- */

struct told {
    char text[4096];
    size_t used;
    unsigned count;
};

static void take_diagnostic(void *payload, const struct npart_diagnostic *diagnostic)
{
    struct told *told = payload;
    told->count++;
    told->used += (size_t)snprintf(told->text + told->used, sizeof told->text - told->used, "%s: %s%s\n",
                                   strchr(diagnostic->place, ':') ? strchr(diagnostic->place, ':') + 1 : "end",
                                   diagnostic->is_warning ? "warning: " : "", diagnostic->message);
}

static npart_status check_text(const char *text, struct told *told, struct npart_error *error)
{
    npart_oplist *oplist = NULL;
    char path[] = "/tmp/npart-checked-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    REQUIRE(file);
    fputs(text, file);
    REQUIRE(fclose(file) == 0);
    memset(told, 0, sizeof *told);
    npart_status status = npart_oplist_check_file(&oplist, path, take_diagnostic, told, NULL, error);
    npart_oplist_free(oplist);
    remove(path);
    return status;
}

static void test_check__tells_of_every_mistake_once(void)
{
    struct npart_error error;
    struct told told;
    CHECK_INT(check_text(HEAD "switches a a\ndefine g\n  need rank(X) = three\nop Conv Relu\n  need const(Q)\n  use g\n"
                         "  nonsense\n  need rank(X) = 'x\nop Covn\n  need const(Q)\nop Relu\n",
                         &told, &error),
              NPART_ERROR_OPLIST);
    CHECK_TEXT(told.text, "10:18: a text is not closed\n"
                          "3:12: switch a is there twice\n"
                          "7:14: Conv has no operand Q; it has X W B Y\n"
                          "5:18: three is no number\n"
                          "9:3: nonsense is no keyword here\n"
                          "11:4: Covn is no operator of the standard; did you mean Conv?\n"
                          "13:4: op Relu is there twice (line 6)\n");
    CHECK_TEXT(strchr(error.place, ':'), ":10:18");
}

static void test_check__tells_of_twenty(void)
{
    struct npart_error error;
    struct told told;
    char text[2048] = HEAD;
    for (int i = 0; i < 22; i++)
        strcat(text, "nonsense\n");
    CHECK_INT(check_text(text, &told, &error), NPART_ERROR_OPLIST);
    CHECK_INT(told.count, 21);
    CHECK(strstr(told.text, "22:1: nonsense is no keyword here\nend: and 2 more\n") != NULL);
}

/* The mistake stands where the long line is warned of. */
static void test_check__tells_of_a_mistake_beside_a_warning(void)
{
    struct npart_error error;
    struct told told;
    char text[512] = HEAD "op Relu\n  need static(X) \"", *end = text + strlen(text);
    memset(end, 'x', 100);
    strcpy(end + 100, "\" nonsense\n");
    CHECK_INT(check_text(text, &told, &error), NPART_ERROR_OPLIST);
    CHECK_TEXT(told.text, "4:121: warning: a line longer than 120 characters\n4:121: unexpected nonsense\n");
}

static void test_check__tells_fractions_apart(void)
{
    struct npart_error error;
    struct told told;
    CHECK_INT(check_text(HEAD "op Elu\n  need attr(alpha) < 0.00001 or rank(X) in 1 2\n"
                         "  need attr(alpha) < 0.00002 or rank(X) in 1 2\n"
                         "  need attr(alpha) < 0.00001 or rank(X) in 1\n"
                         "  need attr(alpha) < 0.000010 or (rank(X) in 1 2)\n",
                         &told, &error),
              NPART_OK);
    CHECK_TEXT(told.text, "7:3: warning: another rule of the op asks the same\n");
}

static void test_check__warns(void)
{
    struct npart_error error;
    struct told told;
    char text[2048] = HEAD "param wattage 1 2 3\nprecision w4 w8 native \"one\"\nprecision w4-channel w4 cpu \"two\"\n"
                           "precision w4 cpu \"three\"\nop Relu\n  need rank(X) <= 4 \"more than rank 4 fails\"\n"
                           "  need dtype(X) != 1 \"a type must differ\"\n  need size: numel(X) < 9 \"small\"\n"
                           "  need again: rank(X) <= 4 \"rank 4 must do\" \\\n";
    for (int i = 0; i < 121; i++)
        strcat(text, " ");
    strcat(text, "\n");
    CHECK_INT(check_text(text, &told, &error), NPART_OK);
    CHECK_TEXT(told.text, "12:121: warning: a line longer than 120 characters\n"
                          "3:7: warning: no report reads the parameter wattage\n"
                          "5:1: warning: line 4 says something else of w4\n"
                          "6:1: warning: line 5 says something else of w4\n"
                          "8:3: warning: the sentence says what fails, not what is required\n"
                          "9:20: warning: a type is never a number\n"
                          "10:3: warning: the sentence states no requirement: it has no \"must\"\n"
                          "11:3: warning: another rule of the op asks the same\n");
}

/* Of 256 variants sixteen names each, and one of the last one more. */
static void test_limits__names_of_variants(void)
{
    struct npart_error error;
    for (int more = 0; more <= 1; more++) {
        size_t room = 1 << 17, used;
        char *text = malloc(room);
        REQUIRE(text);
        used = (size_t)snprintf(text, room, HEAD);
        for (int i = 0; i < 256; i++) {
            used += (size_t)snprintf(text + used, room - used, "variant v%d is", i);
            for (int k = 0; k < 15 + (more && i == 255); k++)
                used += (size_t)snprintf(text + used, room - used, " a%d_%d", i, k);
            used += (size_t)snprintf(text + used, room - used, "\n");
        }
        used += (size_t)snprintf(text + used, room - used, "op Relu\n");
        read_list(text, used, more ? NPART_ERROR_OPLIST : NPART_OK, &error);
        free(text);
    }
    CHECK_TEXT(error.message, "more than 4096 names of variants");
}

static void test_limits__size_of_a_list(void)
{
    struct npart_error error;
    size_t most = (size_t)4 << 20;
    char *text = malloc(most + 1);
    REQUIRE(text);
    memset(text, '\n', most + 1);
    memcpy(text, HEAD, strlen(HEAD));
    read_list(text, most, NPART_OK, &error);
    read_list(text, most + 1, NPART_ERROR_OPLIST, &error);
    CHECK_TEXT(error.message, "larger than 4194304 bytes");
    free(text);
}

TESTS(test_errors__each_mistake_has_its_place, test_errors__carriage_returns_and_continuations_keep_lines,
      test_errors__nul_is_not_text, test_limits__line_and_words, test_limits__depth_of_conditions,
      test_limits__defines_switches_gates, test_limits__how_many, test_limits__defines,
      test_limits__rows, test_limits__words_of_rows, test_limits__patterns, test_limits__words_of_defines,
      test_limits__words_of_shared_lines,
      test_limits__words_that_are_read_again, test_limits__names_of_variants, test_limits__size_of_a_list,
      test_check__tells_of_every_mistake_once, test_check__tells_of_twenty,
      test_check__tells_of_a_mistake_beside_a_warning, test_check__tells_fractions_apart, test_check__warns)
