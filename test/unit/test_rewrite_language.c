/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of rewrites: every mistake is told with file, line, column and what is wrong; the examples of
 * docs/inside/rewrites.md have none; classes, phases and anchors become those of rows. Run from the project's folder.
 */
#include "npu_partition.h"
#include "rewrite/rewrite.h"
#include "support/test.h"

#define HEAD "format 1\nrewrites t\n" /* two lines before each case */
#define ONE HEAD "rewrite a phase one class bits \"s\"\n"
#define RELU ONE "  match Relu(x)\n"
#define CLASS "  class ulp where rank(X) = 1\n"

static const struct {
    const char *text, *place, *message;
} mistakes[] = {
    /* the list */
    {"format 1\nrewrites\n", "l.rewrites:2:9", "expected a name, found the end of the line"},
    {"format 1\ntarget u\nrewrites t\n", "l.rewrites:3:1", "a list holds rewrites or a target"},
    {HEAD "op Relu\n", "l.rewrites:3:1", "op is no keyword here"},
    {HEAD "target u\n", "l.rewrites:3:1", "target is no keyword here"},
    {HEAD "pattern p \"s\"\n  match Relu(x)\n", "l.rewrites:3:1", "pattern is no keyword here"},
    {"format 1\ntarget u\nrewrite a phase one class bits \"s\"\n", "l.rewrites:3:1",
     "rewrite is no keyword here; did you mean rewrites?"},
    {HEAD "define a: int8\n" "rewrite a phase one class bits \"s\"\n match Relu(x)\n put x\n", "l.rewrites:3:8",
     "define a is never used"},
    /* the head */
    {HEAD "rewrite\n", "l.rewrites:3:8", "expected the rewrite's id, found the end of the line"},
    {HEAD "rewrite a\n", "l.rewrites:3:10", "expected phase, found the end of the line"},
    {HEAD "rewrite a phase two class bits \"s\"\n", "l.rewrites:3:17", "there is no phase two"},
    {HEAD "rewrite a phase one class good \"s\"\n", "l.rewrites:3:27", "there is no class good"},
    {HEAD "rewrite a phase one class bits\n", "l.rewrites:3:31",
     "expected a sentence, found the end of the line"},
    {RELU "  put x\nrewrite a phase one class bits \"s\"\n", "l.rewrites:6:9", "rewrite a is there twice (line 3)"},
    /* what is matched */
    {ONE "  put x\n", "l.rewrites:4:1", "match lines, all of one op, stand before what is made of them"},
    {ONE "  match Relu(x)\n  match Abs(x)\n  put x\n", "l.rewrites:6:1",
     "match lines, all of one op, stand before what is made of them"},
    {ONE "  match Covn(x)\n", "l.rewrites:4:9", "Covn is no operator of the standard; did you mean Conv?"},
    {ONE "  match Relu(x)\n", "l.rewrites:3:1", "rewrite a: it has no put line"},
    {ONE "  match Relu(x)\nor\n  match Abs(x)\n  put x\n", "l.rewrites:3:1", "rewrite a: it has no put line"},
    {ONE "  match Relu(x)\n  match Relu(Abs(y))\n  put root\n", "l.rewrites:3:1",
     "pattern a: y does not stand in every match"},
    {ONE "  match Gemm(A, b)\n  need rank(A) = 2\n", "l.rewrites:5:13",
     "A is a name of the rewrite and an operand of Gemm"},
    {RELU "  need attr(axis) = 1\n", "l.rewrites:5:13", "Relu has no attribute axis"},
    {RELU "  need rank(q) = 1\n", "l.rewrites:5:13", "Relu has no operand q; it has X Y"},
    {RELU "  at x\n", "l.rewrites:5:6", "no let says what node makes x"},
    {RELU "  advice \"s\"\n", "l.rewrites:5:3", "advice is no keyword here"},
    {RELU "  share s = Relu(x)\n", "l.rewrites:5:3", "share is no keyword here"},
    {RELU "  put x\nor class good\n", "l.rewrites:6:10", "there is no class good"},
    /* what is put */
    {RELU "  put\n", "l.rewrites:5:6", "expected a number, a word or a function, found the end of the line"},
    {RELU "  put y\n", "l.rewrites:5:7", "y is no name of the rewrite"},
    {RELU "  put x.Y\n", "l.rewrites:5:7", "x.Y is no name of the rewrite"},
    {RELU "  put root.Q\n", "l.rewrites:5:7", "Relu has no operand Q; it has X Y"},
    {RELU "  put ..\n", "l.rewrites:5:7", ".. stands last, in a copy of a node"},
    {RELU "  put Covn(x)\n", "l.rewrites:5:7", "Covn is no operator of the standard; did you mean Conv?"},
    {RELU "  put Abs(x\n", "l.rewrites:5:12", "expected , or ), found the end of the line"},
    {RELU "  put Abs(..)\n", "l.rewrites:5:11", ".. stands last, in a copy of a node"},
    {RELU "  put root(.., x)\n", "l.rewrites:5:16", ".. stands last, in a copy of a node"},
    {RELU "  put Abs(x, x)\n", "l.rewrites:5:11", "Abs has not so many operands"},
    {RELU "  put Abs(x, axis=1)\n", "l.rewrites:5:14", "Abs has no attribute axis"},
    {RELU "  put Softmax(x, axis=root.axis)\n", "l.rewrites:5:23", "Relu has no attribute axis"},
    {RELU "  put Transpose(x, perm=1)\n", "l.rewrites:5:25", "expected (, found 1"},
    {RELU "  put Add(x, 1)\n", "l.rewrites:5:15", "expected of and a name, or as and a type, found )"},
    {RELU "  put Add(x, 1 of y)\n", "l.rewrites:5:19", "y is no name of the rewrite"},
    {RELU "  put Add(x, 1 of Abs(x))\n", "l.rewrites:5:25", "the type is that of a value of the match"},
    {RELU "  put Add(x, 1 as int7)\n", "l.rewrites:5:19", "int7 is no element type; did you mean int8, int4 or int2?"},
    {RELU "  put vector 1 as int64\n", "l.rewrites:5:7", "vector is no name of the rewrite"},
    {RELU "  put if(x, x, x)\n", "l.rewrites:5:11", "expected a comparison, found ,"},
    {RELU "  put if(rank(X) = 1, x)\n", "l.rewrites:5:24", "expected , and an expression, found )"},
    {RELU "  put x\n  put x\n", "l.rewrites:6:1", "a second put"},
    {RELU "  put x, x, x, x, x, x, x, x, x\n", "l.rewrites:5:31", "more than 8 results"},
    {RELU "  make x = Abs(x)\n", "l.rewrites:5:8", "x has a meaning already"},
    {RELU "  make root = Abs(x)\n", "l.rewrites:5:8", "root has a meaning already"},
    {RELU "  make y Abs(x)\n", "l.rewrites:5:10", "expected =, found Abs"},
    {RELU "  make y = Abs(x)\n  put x\n", "l.rewrites:3:1", "rewrite a: y is never used"},
    {RELU "  make y = Abs(y)\n  put y\n", "l.rewrites:5:16", "y is no name of the rewrite"},
    {RELU "  put view(x)\n", "l.rewrites:5:13", "expected ,, found )"},
    {RELU "  put view(x, 1\n", "l.rewrites:5:16", "expected , or ), found the end of the line"},
    {RELU "  put scalar(x, 1)\n", "l.rewrites:5:15", "expected ), found ,"},
    {RELU "  put Abs(x) given\n", "l.rewrites:5:14", "unexpected given"},
    {RELU "  make early y Abs(x)\n", "l.rewrites:5:16", "expected =, found Abs"},
    {RELU "  make early y = Abs(x)\n  put x\n", "l.rewrites:3:1", "rewrite a: y is never used"},
    {RELU "  class good where rank(X) = 1\n", "l.rewrites:5:9", "there is no class good"},
    {RELU "  class ulp \"s\"\n", "l.rewrites:5:14", "expected where, found the end of the line"},
    {RELU "  class ulp where x\n", "l.rewrites:5:20", "expected a comparison, found the end of the line"},
    {ONE "  class ulp where rank(x) = 1\n", "l.rewrites:4:1",
     "match lines, all of one op, stand before what is made of them"},
    {RELU CLASS CLASS CLASS CLASS CLASS, "l.rewrites:9:1", "more than 4 class lines"},
    {RELU "  need product(product(dims(X))) = 1\n", "l.rewrites:5:16", "product within another list"},
    {RELU "  need repeat(product(dims(X)), 2) = 1\n", "l.rewrites:5:15", "product within another list"},
    {RELU "  need product(counting(2)) = 1\n", "l.rewrites:5:16", "counting within another list"},
    {RELU "  need counting(1, 2) = 1\n", "l.rewrites:5:18", "expected ), found ,"},
    {RELU "  put row 1 as int64\n", "l.rewrites:5:7", "row is no name of the rewrite"},
    {RELU "  need repeat(1) = 1\n", "l.rewrites:5:16", "expected , and a number, found )"},
    {RELU "  need product(1, 2) = 1\n", "l.rewrites:5:17", "expected ), found ,"},
    {RELU "  need dim(X, rank(X) - 1) = 1 and dim(X, dim(X, rank(X))) = 1\n", "l.rewrites:5:50",
     "expected an axis, found rank"},
    {RELU "  need static(X, rank(X)) = 1\n", "l.rewrites:5:18", "expected an axis, found rank"},
    {RELU "  need dims(X, 1.5..) = 1\n", "l.rewrites:5:16", "an axis is a whole number"},
    {RELU "  by fix\n", "l.rewrites:5:1", "what a rewrite does is said once a form"},
    {ONE "  by fix\n  match Relu(x)\n  put x\n", "l.rewrites:3:1",
     "rewrite a: what a rewrite does is said once a form"},
    {ONE "  by fix\n  by fix\n", "l.rewrites:5:1", "what a rewrite does is said once a form"},
    {ONE "  by hand\n", "l.rewrites:4:6", "expected function or fix, found hand"},
    {ONE "  by function f\n", "l.rewrites:4:16", "expected for, found the end of the line"},
    {ONE "  by function f for\n", "l.rewrites:4:20", "expected an op, or *, found the end of the line"},
    {ONE "  by function f for Covn\n", "l.rewrites:4:21", "Covn is no operator of the standard; did you mean Conv?"},
};

static void test_rewrite_language__mistakes(void)
{
    for (size_t i = 0; i < NPART__COUNT(mistakes); i++) {
        npart_oplist *oplist = NULL;
        struct npart_error error = {.status = NPART_OK};
        const char *text = mistakes[i].text;
        npart_status status = npart_oplist_read_memory(&oplist, text, strlen(text), "l.rewrites", NULL, &error);
        bool is_right = status == NPART_ERROR_OPLIST && strcmp(error.place, mistakes[i].place) == 0 &&
                        strcmp(error.message, mistakes[i].message) == 0;
        if (!is_right)
            fprintf(stderr, "%s----\n%s: %s\n", mistakes[i].text, error.place, error.message);
        CHECK(is_right);
        npart_oplist_free(oplist);
    }
}

/* A list of rewrites is none of a target. */
static void test_rewrite_language__is_no_target(void)
{
    static const char text[] = RELU "  put x\n";
    struct npart__arena arena;
    struct npart__oplist oplist;
    struct npart__target target;
    struct npart_error error;
    npart__arena_init(&arena, NULL);
    CHECK_INT(npart__oplist_read(text, strlen(text), "l.rewrites", &arena, &oplist, NULL, &error), NPART_OK);
    CHECK_INT(npart__target_choose(&oplist, "", &arena, &target, &error), NPART_ERROR_ARGUMENT);
    CHECK_TEXT(error.message, "l.rewrites holds rewrites, and no target");
    npart__arena_clear(&arena);
}

static void test_rewrite_language__rows(void)
{
    static const char text[] =
        HEAD "rewrite b phase rank class approx enables \"why\" source \"there\"\n  caveat \"take care\"\n"
             "  let n = IsNaN(p)\n  at n\n  match Where(n, z, p)\n  put p\n"
             "or class ulp\n  match IsNaN(x)\n  put x\n"
             "or\n  match com.microsoft:Gelu(x)\n  put x\n"
             "rewrite a phase inline class step \"s\"\n  match Relu(x)\n  put x\n";
    struct npart__arena arena;
    struct npart__rewrite_set set;
    struct npart_error error;
    npart__arena_init(&arena, NULL);
    REQUIRE(npart__rewrites_read(text, strlen(text), "l", &arena, &set, &error) == NPART_OK);
    REQUIRE(set.count == 2);
    CHECK_TEXT(set.rows[0].id, "b");
    CHECK_TEXT(set.rows[0].anchors, "IsNaN com.microsoft:Gelu");
    CHECK_TEXT(set.rows[0].argument, "why");
    CHECK_TEXT(set.rows[0].caveat, "take care");
    CHECK(set.rows[0].phase == NPART__PHASE_RANK && set.rows[0].equality == NPART_EQUAL_APPROX);
    CHECK(set.rows[0].enables && !set.rows[1].enables);
    CHECK(set.rows[1].phase == NPART__PHASE_INLINE && set.rows[1].equality == NPART_EQUAL_STEP);
    CHECK_INT(npart__rewrites_read("format 1\ntarget t\n", 18, "l", &arena, &set, &error), NPART_ERROR_OPLIST);
    static const char classes[] = RELU CLASS CLASS CLASS CLASS "  put x\n"; /* as many as may be */
    CHECK_INT(npart__rewrites_read(classes, strlen(classes), "l", &arena, &set, &error), NPART_OK);
    static const char function[] = ONE "  by function fold for *\n", whole[] = ONE "  by fix\n";
    CHECK_INT(npart__rewrites_read(function, strlen(function), "l", &arena, &set, &error), NPART_ERROR_OPLIST);
    CHECK_TEXT(error.message, "only the built-in list may name functions");
    REQUIRE(npart__rewrites_read(whole, strlen(whole), "l", &arena, &set, &error) == NPART_OK);
    CHECK(set.count == 1 && set.rows[0].is_whole);
    npart__arena_clear(&arena);
}

/* Words stand for the numbers of the enumerations of later stages. */
static void test_rewrite_language__words(void)
{
    CHECK_TEXT(npart__phase_words[NPART__PHASE_FILE], "file");
    CHECK_TEXT(npart__phase_words[NPART__PHASE_INLINE], "inline");
    CHECK_TEXT(npart__phase_words[NPART__PHASE_SHAPE], "shape");
    CHECK_TEXT(npart__phase_words[NPART__PHASE_ONE], "one");
    CHECK_TEXT(npart__phase_words[NPART__PHASE_UNFUSE], "unfuse");
    CHECK_TEXT(npart__phase_words[NPART__PHASE_MASK], "mask");
    CHECK_TEXT(npart__phase_words[NPART__PHASE_RANK], "rank");
    CHECK(!npart__phase_words[NPART__PHASES]);
    CHECK_TEXT(npart__equality_words[NPART_EQUAL_BITS], "bits");
    CHECK_TEXT(npart__equality_words[NPART_EQUAL_BITS_IF], "bits-if");
    CHECK_TEXT(npart__equality_words[NPART_EQUAL_ULP], "ulp");
    CHECK_TEXT(npart__equality_words[NPART_EQUAL_STEP], "step");
    CHECK_TEXT(npart__equality_words[NPART_EQUAL_APPROX], "approx");
}

static char page[64 << 10];

static void read_page(void)
{
    FILE *file = fopen("docs/inside/rewrites.md", "rb");
    REQUIRE(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
}

static void test_rewrite_language__examples_of_the_page(void)
{
    static const char begin[] = "```rewrites\n", end[] = "\n```";
    unsigned examples = 0;
    read_page();
    for (const char *at = strstr(page, begin); at; at = strstr(at, begin), examples++) {
        struct npart_error error;
        npart_oplist *oplist = NULL;
        at += strlen(begin);
        const char *stop = strstr(at, end);
        REQUIRE(stop);
        npart_status status = npart_oplist_read_memory(&oplist, at, (size_t)(stop - at) + 1, "page", NULL, &error);
        if (status != NPART_OK)
            fprintf(stderr, "example %u: %s: %s\n", examples + 1, error.place, error.message);
        CHECK_INT(status, NPART_OK);
        npart_oplist_free(oplist);
    }
    CHECK(examples >= 2);
}

/* What C code calls by a name of generated rewrites.h is in the list, and what fix carries out itself is marked. */
static void test_rewrite_language__ids(void)
{
    static const char *const whole[] = {NPART__ID_ANNOTATE, NPART__ID_BIND, NPART__ID_CACHE, NPART__ID_END,
                                        NPART__ID_IR_VERSION, NPART__ID_OPSET};
    struct npart__arena arena;
    struct npart__rewrite_set set;
    uint32_t marked = 0;
    npart__arena_init(&arena, NULL);
    REQUIRE(npart__rewrites_gather(&arena, &set, NULL) == NPART_OK);
    for (size_t i = 0; i < NPART__COUNT(whole); i++)
        CHECK(npart__rewrite_of(&set, whole[i])->is_whole);
    for (uint32_t i = 0; i < set.count; i++)
        marked += set.rows[i].is_whole;
    CHECK_INT(marked, NPART__COUNT(whole));
    CHECK_TEXT(npart__rewrite_of(&set, NPART__ID_IF_CONST)->anchors, "If");
    CHECK_TEXT(npart__rewrite_of(&set, NPART__ID_FOLD)->anchors, "*");
    npart__arena_clear(&arena);
}

TESTS(test_rewrite_language__mistakes, test_rewrite_language__ids, test_rewrite_language__is_no_target,
      test_rewrite_language__rows, test_rewrite_language__words, test_rewrite_language__examples_of_the_page)
