/* SPDX-License-Identifier: Apache-2.0
 *
 * Characters that nobody sees or that turn the direction of writing, wherever a file can bring them in: they are
 * escaped, and a program that reads JSON has the names as they are.
 */
#include "base/base.h"
#include "support/analysis.h"
#include "support/json_check.h"
#include "support/subjects.h"
#include "support/test.h"

/* ---- one character -------------------------------------------------------------------------------------------- */

static void check_shown(const char *text, const char *wanted)
{
    char shown[64];
    npart_plain_text(text, shown, sizeof shown);
    CHECK_TEXT(shown, wanted);
}

static void test_plain_text__characters(void)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"", ""},
        {"/model/layers.0", "/model/layers.0"},
        {"é 中 😀 \\u202e", "é 中 😀 \\u202e"},
        {"\n\t\x1b\x7f", "\\u000a\\u0009\\u001b\\u007f"},
        {"\xc2\x80\xc2\x9b\xc2\xa0", "\\u0080\\u009b\xc2\xa0"},
        {"\xff\xc0\xaf\xe4\xb8", "\\xff\\xc0\\xaf\\xe4\\xb8"},
        {"\u202a\u202b\u202c\u202d\u202e", "\\u202a\\u202b\\u202c\\u202d\\u202e"},
        {"\u2066\u2067\u2068\u2069", "\\u2066\\u2067\\u2068\\u2069"},
        {"\u200b\u200c\u200d\u200e\u200f", "\\u200b\\u200c\\u200d\\u200e\\u200f"},
        {"\u2060\ufeff\u00ad\u061c", "\\u2060\\ufeff\\u00ad\\u061c"},
        {"\u2028\u2029", "\\u2028\\u2029"},
        {"\u2027\u202f\u2010\ufefe", "\u2027\u202f\u2010\ufefe"}, /* beside those */
        {"\U000e0001\U000e0fff\U000e1000", "\\U000e0001\\U000e0fff\U000e1000"},
        {"\u3164\uffa0\ufe0f", "\\u3164\\uffa0\\ufe0f"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_shown(rows[i].text, rows[i].wanted);
}

static void test_plain_text__cut_between_escapes(void)
{
    char shown[16];
    for (size_t bytes = 1; bytes <= sizeof shown; bytes++) {
        memset(shown, '#', sizeof shown);
        npart_plain_text("a\u202e\u4e2d\xff", shown, bytes);
        const char *wanted = bytes > 14   ? "a\\u202e\u4e2d\\xff"
                             : bytes > 10 ? "a\\u202e\u4e2d"
                             : bytes > 7  ? "a\\u202e"
                             : bytes > 1  ? "a"
                                          : "";
        CHECK_TEXT(shown, wanted);
    }
    npart_plain_text("a", shown, 0);
}

static void test_plain_text__of_json(void)
{
    static const struct {
        const char *text;
        size_t length;
        const char *wanted;
    } rows[] = {
        {"", 0, ""},
        {"/model/layers.0 é 中 😀", 27, "/model/layers.0 é 中 😀"},
        {"\"\\/\n\t\r\b\0", 8, "\\\"\\\\/\\n\\t\\r\\u0008\\u0000"},
        {"\x7f\xc2\x9b\u202e\u2028", 9, "\\u007f\\u009b\\u202e\\u2028"},
        {"\xff\xe4\xb8", 3, "\ufffd\ufffd\ufffd"},
        {"\U000e0001\U000e007f\U000e1000", 12, "\\udb40\\udc01\\udb40\\udc7f\U000e1000"},
        {"\U0001d173", 4, "\\ud834\\udd73"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char shown[80];
        size_t whole = strlen(rows[i].wanted);
        CHECK_INT(npart_json_text(rows[i].text, rows[i].length, shown, sizeof shown), whole);
        CHECK_TEXT(shown, rows[i].wanted);
        CHECK_INT(npart_json_text(rows[i].text, rows[i].length, NULL, 0), whole);
    }
    CHECK_INT(npart_json_text(NULL, 5, NULL, 0), 0);
}

/* ---- everywhere ------------------------------------------------------------------------------------------------ */

#define EVIL "\u202e"
#define E_ "\u200bx"

static const char model_lines[] =
    "opset 17\nopset my" EVIL " 1\n"
    "input in" EVIL " float32[dim" EVIL ",3]\ninput y float32[" E_ "]\ninput z float32[2,3]\n"
    "function my" EVIL ":F" EVIL "(a) -> (b)\nopset 17\nopset my" EVIL " 1\nnode c = my" EVIL ":Inner" EVIL "(a)"
    " @n" EVIL "\nnode b = Relu(c)\nend\n"
    "node h" EVIL " = Relu(in" EVIL ") @node" EVIL " meta \"pkg.torch.onnx.stack_trace\" \"File \"\n"
    "node k = Op" EVIL "(h" EVIL ") @k" EVIL " meta \"namespace\" \": M/enc" EVIL ": L/linear: aten\"\n"
    "node m = my" EVIL ":F" EVIL "(y) @call" EVIL "\n"
    "node s = Softmax(z) @s\n"
    "node t = Add(s, h" EVIL ")\n"
    "node u = Relu(k)\n"
    "output k\noutput m\noutput t\noutput u\n";

static const char list[] =
    "format 1\ntarget t" EVIL " \"A target" EVIL "\"\ntoolchain \"sdk" EVIL "\"\nstanding \"as is" EVIL "\"\n"
    "source \"guide" EVIL "\"\nswitches fast" EVIL "\nvariant v" EVIL " \"first" EVIL "\"\nvariant w with fast" EVIL
    "\ndefault w\nparam launch_ms 1 2 4 \"measured" EVIL "\"\n"
    "every fixed" EVIL ": static(*) \"fixed sizes" EVIL "\"\n"
    "op Add\n  need rank" EVIL ": rank(A) <= 1 \"one axis" EVIL "\"\n"
    "op Relu\n  note \"remark" EVIL "\"\nop Softmax\n  maybe \"nobody tried" EVIL "\"\n"
    "op my" EVIL ":Inner" EVIL "\n  need rank(input0) <= 1 \"one axis" EVIL "\" source \"page" EVIL "\"\n";

static void check_plain(const char *text, const char *what)
{
    bool is_plain = text && *text && !strstr(text, EVIL) && !strstr(text, "\u200b");
    if (!is_plain)
        fprintf(stderr, "%s:\n%s\n", what, text ? text : "(nothing)");
    CHECK(is_plain);
    CHECK(text && strstr(text, "\\u202e"));
}

static void check_explained(const struct analysis *at, const char *node, const struct npart_report_options *options)
{
    const struct npart_plan_pair pair = {at->plan, NULL, NULL};
    struct npart_error error;
    struct sink sink = {0};
    CHECK_INT(npart_report(OF_NODE(&pair, 1, node), NPART_FORMAT_TEXT, options, sink_write, &sink, &error), NPART_OK);
    check_plain(sink.text, node);
    sink_clear(&sink);
}

static void check_described(const struct analysis *at, const char *op)
{
    struct npart_error error;
    struct sink sink = {0};
    CHECK_INT(npart_oplist_describe(at->oplist, op, sink_write, &sink, &error), NPART_OK);
    check_plain(sink.text, op ? op : "the list");
    sink_clear(&sink);
}

static void test_plain_text__reports(void)
{
    static const char *const nodes[] = {"0", "1", "2", "3", "4", "node" EVIL, "n" EVIL};
    static const char *const ops[] = {NULL, "Add", "Relu", "my" EVIL ":Inner" EVIL};
    struct analysis at;
    analysis_open(&at, model_lines, list, NULL, NULL);
    for (unsigned look = 0; look < 8; look++) {
        struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
        options.is_verbose = look & 1;
        options.use_color = look & 2;
        options.use_ascii = look & 4;
        options.width = 40 + 20 * look;
        char *text = text_of(at.plan, NULL, &options);
        check_plain(text, "the report");
        free(text);
        for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
            check_explained(&at, nodes[i], &options);
    }
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        check_described(&at, ops[i]);
    analysis_close(&at);
}

static void test_plain_text__several_targets(void)
{
    struct analysis at;
    analysis_open(&at, model_lines, list, NULL, NULL);
    const struct npart_plan_pair pairs[] = {{at.plan, NULL, NULL}, {at.plan, NULL, NULL}};
    struct sink sink = {0};
    CHECK_INT(npart_report(OF_PLANS(pairs, 2), NPART_FORMAT_TEXT, NULL, sink_write, &sink, NULL), NPART_OK);
    check_plain(sink.text, "the table");
    sink_clear(&sink);
    analysis_close(&at);
}

/* A person may look at JSON, too; a program reads the names as they are. */
static void test_plain_text__json_keeps_names(void)
{
    struct analysis at;
    size_t byte = 0;
    analysis_open(&at, model_lines, list, NULL, NULL);
    char *json = json_of(at.plan, NULL);
    CHECK(!json_problem(json, strlen(json), &byte));
    check_plain(json, "JSON");
    CHECK(strstr(json, "\"name\":\"node\\u202e\"") || strstr(json, "\"name\": \"node\\u202e\""));
    free(json);
    analysis_close(&at);
}

static void test_plain_text__list_errors(void)
{
    static const char *const texts[] = {
        "format 1\ntarget t\n" EVIL "\n",
        "format 1\ntarget t\nop Re" EVIL "\n",
        "format 1\ntarget t\nop Relu\n  need rank" EVIL "(X) = 1 \"\"\n",
        "format 1\ntarget t\npartitioner " EVIL "\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        npart_oplist *oplist = NULL;
        struct npart_error error;
        CHECK_INT(npart_oplist_read_memory(&oplist, texts[i], strlen(texts[i]), "l" EVIL ".ops", NULL, &error),
                  NPART_ERROR_OPLIST);
        check_plain(error.place, "the place");
        CHECK(!strstr(error.message, EVIL));
    }
}

/* A line to be copied is one word for a shell, whatever the file calls a size. */
static void test_plain_text__commands_can_be_copied(void)
{
    static const struct {
        const char *dim, *wanted;
    } rows[] = {
        {"sequence", " -d sequence=128 "},
        {"$(touch\\x)", " -d '$(touch\\x)=1' "},
        {"a'b", " -d 'a'\\''b=1' "},
        {"a;b`c", " -d 'a;b`c=1' "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char lines[256];
        struct analysis at;
        npart_inference *fixed = NULL;
        npart_plan *plan = NULL;
        (void)snprintf(lines, sizeof lines, "input x float32[%s,3]\nnode y = Relu(x)\noutput y\n", rows[i].dim);
        analysis_open(&at, lines, "format 1\ntarget t\nevery static(*) \"fixed\"\nop Relu\n", NULL, NULL);
        REQUIRE(npart_inference_make_fixed(&fixed, at.inference, NULL) == NPART_OK && fixed);
        REQUIRE(npart_plan_make(&plan, fixed, at.oplist, NULL, NULL, NULL) == NPART_OK);
        char *text = text_of(at.plan, plan, NULL);
        if (!strstr(text, rows[i].wanted))
            fprintf(stderr, "%s\n", text);
        CHECK(strstr(text, rows[i].wanted));
        free(text);
        npart_plan_free(plan);
        npart_inference_free(fixed);
        analysis_close(&at);
    }
}

static void test_plain_text__shell_words(void)
{
    static const struct {
        const char *text, *word;
    } rows[] = {{"conv_1", "conv_1"}, {"conv 1", "\"conv 1\""}, {"it's", "'it'\\''s'"}, {"$n=1", "'$n=1'"},
                {"", "''"},           {"a*b(c)", "\"a*b(c)\""}};
    char word[16];
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        CHECK_INT(npart_shell_word(rows[i].text, word, sizeof word), strlen(rows[i].word));
        CHECK_TEXT(word, rows[i].word);
        CHECK_INT(npart_shell_word(rows[i].text, NULL, 0), strlen(rows[i].word));
    }
    /* Half a word is another one. */
    CHECK_INT(npart_shell_word("conv_1", word, 6), 6);
    CHECK_TEXT(word, "");
    CHECK_INT(npart_shell_word(NULL, word, sizeof word), 2);
}

TESTS(test_plain_text__shell_words, test_plain_text__characters, test_plain_text__cut_between_escapes,
      test_plain_text__of_json, test_plain_text__reports,
      test_plain_text__several_targets, test_plain_text__json_keeps_names, test_plain_text__list_errors,
      test_plain_text__commands_can_be_copied)
