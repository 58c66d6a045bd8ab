/* SPDX-License-Identifier: Apache-2.0
 *
 * The report for a terminal: its width, its strip, colour only when asked for, long names, nothing, and very much.
 */
#include "npu_partition.h"
#include "support/analysis.h"
#include "support/subjects.h"
#include "support/test.h"

static const char list[] =
    "format 1\ntarget t \"A target\"\ntoolchain \"sdk 1\"\nswitches fast\nvariant v1\nvariant v2 with fast\n"
    "param launch_ms 1 2 4 \"measured\"\n"
    "op Neg Relu\nop Sigmoid\n  need switch(fast) \"needs the fast unit\" source \"guide 1\"\n"
    "op Softmax\n  need rank(input) <= 2 \"two axes only\" else fail\nop Tanh\n  maybe \"nobody tried\"\n";

static const char lines[] =
    "input x float32[1,batch]\ninput z float32[2,3,4]\n"
    "node a = Relu(x)\nnode b = Erf(a) @erf\nnode c = Relu(b)\nnode d = Sigmoid(z)\nnode e = Tanh(d)\n"
    "node f = Softmax(e)\nnode k = Constant() value=tensor float32[1] = 1\nnode g = Neg(f)\noutput c\noutput g\n";

/* ---- looking at text ------------------------------------------------------------------------------------------ */

static size_t columns_of(const char *text, size_t bytes)
{
    size_t columns = 0;
    for (size_t i = 0; i < bytes; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

static size_t widest_line(const char *text)
{
    size_t widest = 0;
    while (*text) {
        size_t length = strcspn(text, "\n"), columns = columns_of(text, length);
        widest = columns > widest ? columns : widest;
        text += length + (text[length] == '\n');
    }
    return widest;
}

/* What holds for every report: whole lines, no control characters but those of colour, no number that is none. */
static void check_text(const char *text, bool is_colored)
{
    size_t length = strlen(text);
    CHECK(length > 0 && text[length - 1] == '\n');
    for (size_t i = 0; i < length; i++) {
        bool is_escape = text[i] == '\033' && is_colored;
        CHECK((unsigned char)text[i] >= 0x20 || text[i] == '\n' || is_escape);
    }
    CHECK(!strstr(text, "nan") && !strstr(text, "inf ") && !strstr(text, "NaN") && !strstr(text, "-0.0"));
    CHECK(!strstr(text, " \n")); /* no blanks at the ends of lines */
}

static char *report(const struct analysis *at, const struct npart_report_options *options)
{
    char *text = text_of(at->plan, NULL, options);
    check_text(text, options && options->use_color);
    return text;
}

/* ---- options -------------------------------------------------------------------------------------------------- */

/* What fails to compile comes first, and the cause is the report's; without room the length alone. */
static void test_report_text__first_cause(void)
{
    struct analysis at;
    char text[400], cut[12];
    uint32_t cause;
    struct npart_cause found = {.size = sizeof found};
    analysis_open(&at, lines, list, NULL, NULL);
    size_t length = npart_plan_first_cause(at.plan, false, &cause, text, sizeof text);
    CHECK_TEXT(text, "1 node, Softmax: two axes only; found rank 3");
    CHECK_INT(length, strlen(text));
    CHECK(npart_plan_cause(at.plan, cause, &found, NULL, 0) && found.is_fatal);
    CHECK_INT(npart_plan_first_cause(at.plan, false, NULL, cut, sizeof cut), length);
    CHECK_TEXT(cut, "1 node, Sof");
    (void)npart_plan_first_cause(at.plan, true, NULL, text, sizeof text);
    CHECK_TEXT(text, "1 node, Softmax: two axes only; found rank 3. At node 5");
    CHECK_INT(npart_plan_first_cause(NULL, false, &cause, text, sizeof text), 0);
    CHECK(cause == NPART_NONE && !*text);
    analysis_close(&at);
}

/* A shell reads the lines as the words. */
static void test_report_text__action_lines(void)
{
    const char *run[] = {"npu-partition", "fix", "a model with a long name that goes on and on.onnx", "-t", "hexagon",
                         "-o", "it's.onnx"};
    const struct npart_action action = {.size = sizeof action, .run = run, .run_count = 7};
    const struct npart_action none = {.size = sizeof none};
    char text[400], ms[16];
    CHECK(npart_action_lines(&action, 4, 60, text, sizeof text) == strlen(text));
    CHECK_TEXT(text, "npu-partition fix \\\n        'a model with a long name that goes on and on.onn'\\\n"
                     "x -t hexagon -o 'it'\\''s.onnx'\n");
    CHECK(widest_line(text) <= 60);
    CHECK_INT(npart_action_lines(&none, 4, 60, text, sizeof text), 0);
    CHECK(npart_estimate_text(3.14159, ms, sizeof ms) == strlen(ms));
    CHECK_TEXT(ms, "~3.1 ms");
}

static void test_report_text__defaults(void)
{
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    struct analysis at;
    CHECK(options.version == 2 && !options.next && !options.use_color && !options.use_ascii && !options.is_verbose);
    CHECK_INT(options.width, 0);
    analysis_open(&at, lines, list, NULL, NULL);
    char *plain = report(&at, NULL), *same = report(&at, &options);
    CHECK_TEXT(same, plain);
    CHECK(widest_line(plain) <= 80);
    CHECK(!strchr(plain, '\033'));
    CHECK(strstr(plain, "FAILS") && strstr(plain, "Erf: not supported by the target"));
    CHECK(strstr(plain, "\n  Nodes      ░?×██░█  █ 3 NPU  ░ 2 CPU  × 1 fail  ? 1 undecided\n"));
    CHECK(strstr(plain, "\n  --> Softmax node 5\n"));
    free(plain);
    free(same);
    analysis_close(&at);
}

static void test_report_text__ascii(void)
{
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    struct analysis at;
    options.use_ascii = true;
    analysis_open(&at, lines, list, NULL, NULL);
    char *text = report(&at, &options);
    for (const char *c = text; *c; c++)
        CHECK((unsigned char)*c < 0x80);
    CHECK(strchr(text, '#') && strchr(text, '!') && strchr(text, '?'));
    free(text);
    analysis_close(&at);
}

/* Colour adds escapes and nothing else; each line that begins one ends it. */
static void test_report_text__color(void)
{
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    struct analysis at;
    analysis_open(&at, lines, list, NULL, NULL);
    char *plain = report(&at, &options);
    options.use_color = true;
    char *colored = report(&at, &options), *to = colored;
    bool is_painting = false;
    CHECK(strchr(colored, '\033') != NULL);
    for (const char *from = colored; *from; from++) {
        if (*from != '\033') {
            *to++ = *from;
            continue;
        }
        size_t digits = strspn(from + 2, "0123456789;");
        CHECK(from[1] == '[' && digits > 0 && from[2 + digits] == 'm');
        is_painting = from[2] != '0';
        from += 2 + digits;
    }
    *to = '\0';
    CHECK_TEXT(colored, plain);
    CHECK(!is_painting); /* the terminal is left as it was */
    free(plain);
    free(colored);
    analysis_close(&at);
}

/* However narrow: no line is wider than the page. */
static void test_report_text__narrow(void)
{
    static const char *const targets[] = {"hexagon", "rknn", "tidl"};
    for (size_t i = 0; i < 3; i++) {
        struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
        struct analysis at = {.model = NULL};
        struct npart_error error;
        options.width = 60;
        REQUIRE(npart_model_read_file(&at.model, "fixtures/distilbert-base.ts14.dyn.onnx", NULL, &error) == NPART_OK);
        REQUIRE(npart_inference_make(&at.inference, at.model, NULL, &error) == NPART_OK);
        REQUIRE(npart_oplist_find(&at.oplist, targets[i], NULL, &error) == NPART_OK);
        REQUIRE(npart_plan_make(&at.plan, at.inference, at.oplist, targets[i], NULL, &error) == NPART_OK);
        char *text = report(&at, &options);
        CHECK(strncmp(text, "distil", 6) == 0 && widest_line(text) <= 60);
        free(text);
        analysis_close(&at);
    }
}

static void test_report_text__width(void)
{
    static const uint32_t widths[] = {1, 39, 40, 41, 60, 80, 100, 200, 1000};
    static char model[20000];
    size_t used = (size_t)snprintf(model, sizeof model, "input x float32[2]\nnode v0 = Relu(x)\n");
    for (unsigned i = 1; i < 300; i++)
        used += (size_t)snprintf(model + used, sizeof model - used, "node v%u = %s(v%u)\n", i,
                                 i % 7 ? "Relu" : "Erf", i - 1);
    snprintf(model + used, sizeof model - used, "output v299\n");
    struct analysis at;
    analysis_open(&at, model, list, NULL, NULL);
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
        options.width = widths[i];
        options.use_ascii = i % 2;
        char *text = report(&at, &options);
        const char *strip = strstr(text, "\n  Nodes      ");
        REQUIRE(strip != NULL);
        size_t width = widths[i] < 40 ? 40 : widths[i], legend = strlen("  # 257 NPU  # 43 CPU");
        bool is_wide = width >= 13 + 12 + legend;
        size_t cells = is_wide ? width - 13 - legend : width - 13;
        CHECK_INT(columns_of(strip + 1, strcspn(strip + 1, "\n")),
                  13 + (cells < 300 ? cells : 300) + (is_wide ? legend : 0));
        free(text);
    }
    analysis_close(&at);
}

static void test_report_text__verbose(void)
{
    static char model[4000] = "input x float32[2]\n";
    static const char *const ops[] = {"Erf", "Abs", "Ceil", "Exp", "Floor", "Log", "Sqrt", "Sin", "Cos"};
    size_t used = strlen(model), count = sizeof ops / sizeof ops[0];
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(model + used, sizeof model - used, "node v%zu = %s(x)\noutput v%zu\n", i, ops[i], i);
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    struct analysis at;
    analysis_open(&at, model, list, NULL, NULL);
    char *brief = report(&at, &options);
    options.is_verbose = true;
    char *verbose = report(&at, &options);
    CHECK(strstr(brief, "9 nodes, Erf, Abs, Ceil, Exp and 5 more: not supported by the\n") != NULL);
    CHECK(!strstr(verbose, " more: ") && strstr(verbose, "Estimated time of a run"));
    for (size_t i = 0; i < count; i++)
        CHECK(strstr(verbose, ops[i]) != NULL);
    free(brief);
    free(verbose);
    analysis_close(&at);
}

/* ---- models --------------------------------------------------------------------------------------------------- */

static void test_report_text__nothing(void)
{
    static const char *const models[] = {
        "input x float32[2]\noutput x\n",
        "input x float32[2]\nnode y = Constant() value=tensor float32[1] = 1\noutput y\n",
        "opset 17\n",
    };
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
        struct analysis at;
        options.is_verbose = options.use_color = i % 2;
        analysis_open(&at, models[i], list, NULL, NULL);
        char *text = report(&at, &options);
        CHECK(strstr(text, "EMPTY") && strstr(text, "no node is left"));
        CHECK(!strstr(text, "Worth it") && !strstr(text, "Fix"));
        free(text);
        analysis_close(&at);
    }
}

/* Thousands of partitions: one line for each thing that is said. */
static void test_report_text__very_much(void)
{
    enum { NODES = 9000 };
    char *model = malloc(NODES * 40), *at_text = model;
    REQUIRE(model);
    at_text += sprintf(at_text, "input x float32[2]\nnode v0 = Relu(x)\n");
    for (unsigned i = 1; i < NODES; i++)
        at_text += sprintf(at_text, "node v%u = %s(v%u)\n", i, i % 2 ? "Erf" : "Relu", i - 1);
    at_text += sprintf(at_text, "output v%u\n", NODES - 1);
    struct analysis at;
    struct npart_summary summary = {.size = sizeof summary};
    analysis_open(&at, model, list, NULL, NULL);
    npart_plan_summary(at.plan, &summary);
    CHECK_INT(summary.partitions, NODES / 2);
    CHECK_INT(summary.switches, NODES - 1);
    char *text = report(&at, NULL);
    CHECK(strstr(text, "4500 partitions, 4,500 of 9,000 nodes on the NPU"));
    CHECK(strlen(text) < 2000 && widest_line(text) <= 80);
    free(text);
    analysis_close(&at);
    free(model);
}

/* Names of every length, in letters of two, three and four bytes: nothing is cut inside a letter. */
static void test_report_text__long_names(void)
{
    static const char *const letters[] = {"é", "中", "😀", "a"};
    for (size_t length = 1; length < 60; length++) {
        char name[400] = "", model[2000];
        struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
        struct analysis at;
        options.is_verbose = true;
        for (size_t i = 0; i < length; i++)
            strcat(name, letters[length % 4]);
        snprintf(model, sizeof model, "input x float32[2]\nnode y = Erf(x) @%s\noutput y\n", name);
        analysis_open(&at, model, list, NULL, NULL);
        char *text = report(&at, &options);
        for (const unsigned char *c = (const unsigned char *)text; *c;) {
            unsigned bytes = *c >= 0xf0 ? 4 : *c >= 0xe0 ? 3 : *c >= 0xc0 ? 2 : 1;
            CHECK(*c < 0x80 || *c >= 0xc0);
            for (unsigned i = 1; i < bytes; i++)
                CHECK((c[i] & 0xc0) == 0x80);
            c += bytes;
        }
        free(text);
        analysis_close(&at);
    }
}

/* A node's name that would clear the screen does not. */
static void test_report_text__names_that_command(void)
{
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    struct analysis at;
    options.is_verbose = true;
    analysis_open(&at, "input x float32[2]\nnode y = Erf(x) @a\033[2J\xc2\x9b" "1m\routput\noutput y\n", list, NULL,
                  NULL);
    char *text = report(&at, &options);
    CHECK(strstr(text, "node 0 (Erf a\\u001b[2J\\u009b1m\\u000doutput)") != NULL);
    free(text);
    analysis_close(&at);
}

/* ---- several plans and failures ------------------------------------------------------------------------------- */

static void test_report_text__several_plans(void)
{
    struct analysis at;
    npart_plan *second = NULL;
    npart_inference *fixed = NULL;
    npart_plan *fixed_plan = NULL;
    struct sink both = {0}, json = {0};
    analysis_open(&at, lines, list, "t:v1", NULL);
    REQUIRE(npart_plan_make(&second, at.inference, at.oplist, "t:v2", NULL, NULL) == NPART_OK);
    REQUIRE(npart_inference_make_fixed(&fixed, at.inference, NULL) == NPART_OK && fixed);
    REQUIRE(npart_plan_make(&fixed_plan, fixed, at.oplist, "t:v1", NULL, NULL) == NPART_OK);
    npart_advice *advice = NULL;
    REQUIRE(npart_advice_make(&advice, at.plan, fixed_plan, NULL, 0, NULL) == NPART_OK);
    const struct npart_plan_pair pairs[] = {{at.plan, fixed_plan, advice}, {second, NULL, NULL}};
    CHECK_INT(npart_report(OF_PLANS(pairs, 2), NPART_FORMAT_TEXT, NULL, sink_write, &both, NULL), NPART_OK);
    check_text(both.text, false); /* a line each */
    CHECK(strstr(both.text, "\n  t:v1    fails ") && strstr(both.text, "\n  t:v2    fails "));
    CHECK(strstr(both.text, "or -v\n") && !strstr(both.text, "Why"));
    sink_clear(&both);
    struct npart_report_options verbose = NPART_REPORT_OPTIONS_INIT;
    verbose.is_verbose = true;
    CHECK_INT(npart_report(OF_PLANS(pairs, 2), NPART_FORMAT_TEXT, &verbose, sink_write, &both, NULL), NPART_OK);
    CHECK(strstr(both.text, "\nt:v1") && strstr(both.text, "\nt:v2"));
    CHECK(strstr(both.text, "\n  Worth it ") && strstr(both.text, "\n  Fix "));
    CHECK_INT(npart_report(OF_PLANS(pairs, 2), NPART_FORMAT_JSON, NULL, sink_write, &json, NULL), NPART_OK);
    CHECK(strstr(json.text, "\"if_fixed\":{\"dims\":{\"batch\":") != NULL);
    sink_clear(&both);
    sink_clear(&json);
    npart_advice_free(advice);
    npart_plan_free(fixed_plan);
    npart_inference_free(fixed);
    npart_plan_free(second);
    analysis_close(&at);
}

/* Makes plans when they are asked for, and lets each go with the next; fails at `fails_at`. */
struct maker {
    const struct analysis *at;
    const char *const *targets;
    size_t next, fails_at;
    npart_plan *plan;
};

static npart_status make_next(void *payload, size_t index, struct npart_plan_pair *out, struct npart_error *error)
{
    struct maker *maker = payload;
    CHECK_INT(index, maker->next++);
    npart_plan_free(maker->plan);
    maker->plan = NULL;
    npart_status status = index == maker->fails_at ? npart_target_check(maker->at->oplist, "t:v9", NULL, error)
                                                   : npart_plan_make(&maker->plan, maker->at->inference,
                                                                     maker->at->oplist, maker->targets[index], NULL,
                                                                     error);
    *out = (struct npart_plan_pair){.plan = maker->plan};
    return status;
}

static void test_report_text__plans_one_by_one(void)
{
    static const enum npart_format formats[] = {NPART_FORMAT_TEXT, NPART_FORMAT_JSON};
    static const char *const targets[] = {"t:v1", "t:v2", "t:v1"};
    struct analysis at;
    analysis_open(&at, lines, list, "t:v1", NULL);
    npart_plan *second = NULL;
    REQUIRE(npart_plan_make(&second, at.inference, at.oplist, "t:v2", NULL, NULL) == NPART_OK);
    CHECK_INT(npart_target_check(at.oplist, "t:v2", NULL, NULL), NPART_OK);
    const struct npart_plan_pair pairs[] = {{.plan = at.plan}, {.plan = second}, {.plan = at.plan}};
    for (size_t i = 0; i < 4; i++) {
        struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
        struct sink together = {0}, apart = {0};
        struct maker maker = {.at = &at, .targets = targets, .fails_at = SIZE_MAX};
        struct npart_error error = {0};
        size_t count = i < 2 ? 3 : 1;
        options.is_verbose = true;
        CHECK_INT(npart_report(OF_PLANS(pairs, count), formats[i % 2], &options, sink_write, &together, NULL),
                  NPART_OK);
        options.next = make_next;
        options.next_payload = &maker;
        CHECK_INT(npart_report(OF_PLANS(NULL, count), formats[i % 2], &options, sink_write, &apart, NULL),
                  NPART_OK);
        CHECK_INT(maker.next, count);
        CHECK_TEXT(apart.text, together.text);
        maker.next = 0;
        maker.fails_at = count - 1;
        CHECK_INT(npart_report(OF_PLANS(NULL, count), formats[i % 2], &options, sink_write, &apart, &error),
                  NPART_ERROR_ARGUMENT);
        CHECK(strstr(error.message, "v9"));
        npart_plan_free(maker.plan);
        sink_clear(&together);
        sink_clear(&apart);
    }
    npart_plan_free(second);
    analysis_close(&at);
}

static void test_report_text__no_plans_and_no_room(void)
{
    struct analysis at;
    struct npart_error error;
    struct sink sink = {.refuse_at = 1};
    CHECK_INT(npart_report(OF_PLANS(NULL, 0), NPART_FORMAT_TEXT, NULL, sink_write, &sink, &error),
              NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_report(OF_PLANS(NULL, 0), NPART_FORMAT_JSON, NULL, sink_write, &sink, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(sink.calls, 0);
    analysis_open(&at, lines, list, NULL, NULL);
    const struct npart_plan_pair pair = {at.plan, NULL, NULL};
    CHECK_INT(npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_TEXT, NULL, sink_write, &sink, &error), NPART_ERROR_WRITE);
    CHECK_INT(error.status, NPART_ERROR_WRITE);
    CHECK_INT(sink.calls, 1); /* not asked again */
    sink.calls = 0;
    CHECK_INT(npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_JSON, NULL, sink_write, &sink, &error), NPART_ERROR_WRITE);
    CHECK_INT(sink.calls, 1);
    analysis_close(&at);
}

/* A large report comes in pieces; refusing a later one stops it there. */
static void test_report_text__pieces(void)
{
    struct analysis at = {0};
    struct npart_error error;
    struct sink all = {0}, some = {.refuse_at = 2};
    REQUIRE(npart_model_read_file(&at.model, "fixtures/gpt2-decode.ts13.p127.onnx", NULL, NULL) == NPART_OK);
    REQUIRE(npart_inference_make(&at.inference, at.model, NULL, NULL) == NPART_OK);
    REQUIRE(npart_oplist_find(&at.oplist, "hexagon", NULL, NULL) == NPART_OK);
    REQUIRE(npart_plan_make(&at.plan, at.inference, at.oplist, NULL, NULL, NULL) == NPART_OK);
    const struct npart_plan_pair pair = {at.plan, NULL, NULL};
    CHECK_INT(npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_JSON, NULL, sink_write, &all, NULL), NPART_OK);
    CHECK(all.calls > 2 && all.most_bytes < 200000);
    CHECK_INT(npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_JSON, NULL, sink_write, &some, &error), NPART_ERROR_WRITE);
    CHECK_INT(some.calls, 2);
    CHECK(some.bytes < all.bytes && memcmp(some.text, all.text, some.bytes) == 0);
    sink_clear(&all);
    sink_clear(&some);
    analysis_close(&at);
}

/* Names of times end before the times. */
static void test_report_text__times(void)
{
    static const char *const names[] = {"\n     as planned ", "\n     CPU alone ", "\n     first run adds "};
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    struct analysis at;
    options.is_verbose = true;
    analysis_open(&at, "input x float32[1,4]\nnode n = Relu(x)\noutput n\n", NULL, NULL, NULL);
    char *text = report(&at, &options);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *name = strstr(text, names[i]);
        CHECK(name && name[23] == ' ' && name[24] >= '0' && name[24] <= '9');
    }
    free(text);
    analysis_close(&at);
}

TESTS(test_report_text__first_cause, test_report_text__action_lines, test_report_text__defaults,
      test_report_text__ascii, test_report_text__color, test_report_text__narrow, test_report_text__width,
      test_report_text__verbose, test_report_text__nothing, test_report_text__very_much,
      test_report_text__long_names, test_report_text__names_that_command, test_report_text__several_plans,
      test_report_text__plans_one_by_one, test_report_text__no_plans_and_no_room, test_report_text__pieces,
      test_report_text__times)
