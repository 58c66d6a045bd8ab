/* SPDX-License-Identifier: Apache-2.0
 *
 * The table over many models, from lines that are made up: what it counts, which roots it puts first, and that nothing
 * in a line harms it.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "support/analysis.h"
#include "support/counted.h"
#include "support/test.h"

static npart_many *open_many(void)
{
    npart_many *many = NULL;
    REQUIRE(npart_many_make(&many, NULL, NULL) == NPART_OK);
    return many;
}

/* A line from its parts, ' for ". */
static void add(npart_many *many, const char *format, ...)
{
    char text[4096];
    struct npart_error error;
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    for (char *at = text; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    npart_status status = npart_many_add(many, text, strlen(text), &error);
    if (status != NPART_OK)
        fprintf(stderr, "%s: %s\n", error.message, text);
    CHECK(status == NPART_OK);
}

/* A model of target t that is split in two, with these roots and this advice. */
static void add_split(npart_many *many, const char *roots, const char *advice)
{
    add(many,
        "{'findings':[],'model':{'path':'m'},'targets':[{'name':'t','summary':{'verdict':'split','live':10,"
        "'accepted':4,'partitions':2},'roots':[%s],'advice':[%s]}]}",
        roots, advice);
}

#define ROOT(rule, cause) "{'kind':'op','rule':'" rule "','op':null,'text':'" rule "','causes':[" cause \
                          "],'nodes':1,'" "victims':3}"
#define ADVICE(text, cause, verdict) "{'action':'rewrite','text':'" text "','causes':[" cause \
                                     "],'instead_of':null,'after':{'partitions':1,'verdict':'" verdict "'}}"

/* The table, to be freed. */
static char *table_of(const npart_many *many, const struct npart_report_options *look)
{
    struct npart_report_options plain = NPART_REPORT_OPTIONS_INIT;
    struct sink sink = {0};
    CHECK(npart_many_text(many, look ? look : &plain, sink_write, &sink, NULL) == NPART_OK);
    return sink.text;
}

/* Whether the lines stand in the table in this order; NULL ends them. */
static void check_lines(const npart_many *many, const char *const *lines)
{
    char *table = table_of(many, NULL);
    const char *at = table;
    for (; *lines && at; lines++) {
        const char *found = strstr(at, *lines);
        if (!found)
            fprintf(stderr, "no \"%s\" in\n%s\n", *lines, at);
        CHECK(found);
        at = found;
    }
    free(table);
}

static void test_many__nothing(void)
{
    npart_many *many = open_many();
    char *table = table_of(many, NULL);
    CHECK_TEXT(table, "0 models\n");
    free(table);
    npart_many_free(many);
    npart_many_free(NULL);
}

static void test_many__nothing_analyzed(void)
{
    npart_many *many = open_many();
    add(many, "{'model':{'path':'a'},'error':{'code':'read'},'targets':[]}");
    add(many, "{'model':{'path':'b'},'error':{'code':'limit'},'targets':[]}");
    add(many, "{'model':{'path':'c'},'error':{'code':'limit'},'targets':[]}");
    add(many, "{'model':{'path':'d'},'error':{},'targets':[]}");
    char *table = table_of(many, NULL);
    CHECK_TEXT(table, "4 models; not analyzed: limit 2, other 1, read 1\n");
    free(table);
    npart_many_free(many);
}

/* What nobody would write is nothing, and no error. */
static void test_many__what_is_no_line(void)
{
    static const char *const lines[] = {
        "[]", "{}", "{'targets':3,'error':4,'findings':5}", "{'targets':[1,null,'x',[]]}",
        "{'targets':[{'name':7,'summary':[],'roots':{},'advice':1}]}",
        "{'targets':[{'name':'t','summary':{'verdict':'split','live':-1,'partitions':1e300},'roots':[1,null,{}]}]}",
        "{'targets':[{'name':'t','summary':{'verdict':'none'},'roots':[{'causes':[null,'x',0]}]}]}",
        "{'targets':[{'name':'t','summary':{},'roots':[{'causes':[0]}],'advice':[4,{'causes':['x',0]}]}]}",
    };
    npart_many *many = open_many();
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        add(many, "%s", lines[i]);
    check_lines(many, (const char *const[]){"8 models", "target", NULL});
    npart_many_free(many);
}

/* Names of tensors, and what the host runs, are the model's own: the advice is one. */
static void test_many__advice_of_ends(void)
{
    npart_many *many = open_many();
    add_split(many, ROOT("a", "0"), ADVICE("End the model at `x`; the host runs 3 nodes (Erf) after it", "0", "whole"));
    add_split(many, ROOT("a", "0"), ADVICE("End the model at `y`; the host runs 1 node (Add) after it", "0", "whole"));
    check_lines(many, (const char *const[]){"    End the model at X [2: 2 whole, 4 to 2 partitions]\n", NULL});
    npart_many_free(many);
}

static void test_many__the_last_line(void)
{
    npart_many *many = open_many();
    struct npart_many_line line = {.size = sizeof line};
    CHECK(!npart_many_line(many, &line));
    add(many, "{'tool':{'version':'1','options':'f00'},'model':{'path':'m'},'error':{'code':'limit'},'targets':[]}");
    CHECK(npart_many_line(many, &line));
    CHECK_TEXT(line.path, "m");
    CHECK_TEXT(line.version, "1");
    CHECK_TEXT(line.options, "f00");
    CHECK_TEXT(line.error, "limit");
    add(many, "{'model':{}}");
    CHECK(npart_many_line(many, &line) && !line.path && !line.version && !line.options && !line.error);
    CHECK_INT(npart_many_add(many, "[", 1, NULL), NPART_ERROR_MALFORMED);
    CHECK(!npart_many_line(many, &line) && !npart_many_line(NULL, &line));
    npart_many_free(many);
}

static void test_many__overview(void)
{
    struct analysis at;
    struct sink sink = {0};
    npart_overview *overview = NULL;
    analysis_open(&at, "input x float32[1,2]\nnode a = Relu(x)\nnode b = Erf(a)\noutput b\n",
                  "format 1\ntarget t\nop Relu\n", "t", NULL);
    REQUIRE(npart_overview_make(&overview, NULL, NULL) == NPART_OK);
    CHECK_INT(npart_overview_add(overview, "a/folder/with/a/long/name/model.onnx", "t", at.plan, NULL, NULL), NPART_OK);
    CHECK_INT(npart_overview_add(overview, "b.onnx", "t", NULL, NULL, NULL), NPART_OK);
    CHECK_INT(npart_overview_add(overview, NULL, "t", NULL, NULL, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_overview_text(overview, NULL, sink_write, &sink, NULL), NPART_OK);
    CHECK_TEXT(sink.text, "model                           target  verdict parts % MACs % nodes\n"
                          "...with/a/long/name/model.onnx  t       split       1      -    50.0\n"
                          "  Erf: not supported by the target\n"
                          "b.onnx                          t       error\n");
    sink_clear(&sink);
    npart_overview_free(overview);
    analysis_close(&at);
}

static void test_many__verdicts(void)
{
    static const char *const verdicts[] = {"whole", "whole", "edge", "split", "none", "fails", "empty", "strange"};
    npart_many *many = open_many();
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++)
        add(many, "{'targets':[{'name':'u','summary':{'verdict':'%s','live':4,'accepted':3}},"
                 "{'name':'t','summary':{'verdict':'whole','live':1,'accepted':1}}]}", verdicts[i]);
    check_lines(many, (const char *const[]){
        "8 models\n",
        "target     whole    edge   split    none   fails   empty   other % nodes\n",
        "t              8       0       0       0       0       0       0   100.0\n",
        "u              2       1       1       1       1       1       1    75.0\n", NULL});
    npart_many_free(many);
}

/* `b` is in most models, `a` alone makes most whole; `c` does once `a` is fixed. */
static void fill(npart_many *many, const int *order)
{
    for (int i = 0; i < 6; i++)
        switch (order[i]) {
        case 0:
        case 1:
            add_split(many, ROOT("a", "0"), ADVICE("Replace it: `n1` and 3 more", "0", "whole"));
            break;
        case 2:
            add_split(many, ROOT("a", "1") "," ROOT("c", "0"), ADVICE("Replace it: `n2`", "1", "split"));
            break;
        case 3:
            add_split(many, ROOT("b", "0") "," ROOT("d", "1") "," ROOT("e", "2"), ADVICE("Drop `x`", "5,0", "none"));
            break;
        case 4:
            add_split(many, ROOT("b", "0") "," ROOT("d", "1"), "");
            break;
        default:
            add(many, "{'findings':[{'code':'invalid'}],'targets':[{'name':'t','summary':{'verdict':'fails'},'roots':["
                     ROOT("b", "0") "]}]}");
        }
}

static void test_many__roots_in_turn(void)
{
    static const int orders[][6] = {{0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {3, 0, 5, 2, 4, 1}};
    static const char *const lines[] = {
        "t: roots of 6 models",
        "  a                                                                        3       9       2       2\n",
        "    Replace it [3: 2 whole, 6 to 3 partitions]\n",
        "  c                                                                        1       3       0       1\n",
        "  b                                                                        2       6       0       0\n",
        "    Drop X [1: 0 whole, 2 to 1 partitions]\n",
        "  d                                                                        2       6       0       1\n",
        "  e                                                                        1       3       0       1\n",
        "  all these fixed: 5 more models are whole\n",
        "  1 model is invalid: ONNX Runtime does not load it\n", NULL};
    char *first = NULL;
    for (size_t i = 0; i < 3; i++) {
        npart_many *many = open_many();
        fill(many, orders[i]);
        check_lines(many, lines);
        char *table = table_of(many, NULL);
        if (first)
            CHECK_TEXT(table, first);
        free(i ? table : NULL);
        first = first ? first : table;
        npart_many_free(many);
    }
    free(first);
}

/* What planning again says counts more than that there is no other root: the one may hide others. */
static void test_many__hidden_roots(void)
{
    npart_many *many = open_many();
    add_split(many, ROOT("a", "0"), ADVICE("Replace it: `n1`", "0", "split"));
    add_split(many, ROOT("a", "0"), ADVICE("Replace it: `n1`", "0", "edge"));
    add_split(many, ROOT("a", "0"), "");
    add_split(many, ROOT("b", "0") "," ROOT("d", "1"),
              ADVICE("Replace it: `n1`", "0", "split") "," ADVICE("Drop it: `n1`", "1", "split"));
    add_split(many, ROOT("b", "0") "," ROOT("d", "1"),
              ADVICE("Replace it: `n1`", "0", "split") "," ADVICE("Drop it: `n1`", "1", "whole"));
    static const char *const lines[] = {
        "t: roots of 5 models",
        "  a                                                                        3       9       2       2\n",
        "    Replace it [2: 1 whole, 4 to 2 partitions]\n",
        "  b                                                                        2       6       0       0\n",
        "    Replace it [2: 0 whole, 4 to 2 partitions]\n",
        "  d                                                                        2       6       0       1\n",
        "    Drop it [2: 1 whole, 4 to 2 partitions]\n",
        "  all these fixed: 3 more models are whole; 2 models hide further ones\n", NULL};
    check_lines(many, lines);
    npart_many_free(many);
}

/* Roots whose texts are the same but for their kind, rule or op are others. */
static void test_many__what_tells_roots_apart(void)
{
    npart_many *many = open_many();
    add_split(many, "{'kind':'op','rule':'r','op':'X','text':'one'}", "");
    add_split(many, "{'kind':'op','rule':'r','op':'Y','text':'two'}", "");
    add_split(many, "{'kind':'op','rule':'rX','op':null,'text':'three'}", "");
    add_split(many, "{'kind':'rank','rule':'r','op':'X','text':'four'}", "");
    add_split(many, "{'kind':'op','rule':'r','op':'X','text':'one'}", "");
    check_lines(many, (const char *const[]){"  one      ", "  two", "  three", "  four", "5 more models", NULL});
    npart_many_free(many);
}

/* More roots than rows: the model can become whole by none of them. */
static void test_many__thousands_of_roots(void)
{
    npart_many *many = open_many();
    static const char begin[] = "{\"targets\":[{\"name\":\"t\",\"summary\":{\"verdict\":\"none\"},\"roots\":[";
    char *text = malloc(sizeof begin + 70000 * 128 + 8), *to = text + sprintf(text, "%s", begin);
    for (int i = 0; i < 70000; i++)
        to += sprintf(to,
                      "%s{\"kind\":\"op\",\"rule\":\"rule-%05d\",\"op\":null,\"text\":\"rule-%05d\",\"causes\":[%d],"
                      "\"nodes\":1,\"victims\":1}", i ? "," : "", i, i, i);
    to += sprintf(to, "]}]}");
    CHECK(npart_many_add(many, text, (size_t)(to - text), NULL) == NPART_OK);
    free(text);
    add_split(many, ROOT("rule-00007", "0"), "");
    check_lines(many, (const char *const[]){
        "  rule-00007                                                               2       4       1       1\n",
        "  rule-00000                                                               1       1       0       0\n",
        "  all these fixed: 1 more model is whole; 65526 other roots; left out, as they are too many: 4464 roots\n",
        NULL});
    npart_many_free(many);
}

/* Nothing of a model's reaches a terminal as it is, and lines keep to their width. */
static void test_many__texts_from_outside(void)
{
    struct npart_report_options look = NPART_REPORT_OPTIONS_INIT;
    npart_many *many = open_many();
    char text[900];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    add(many, "{'targets':[{'name':'t\\u001b[31m','summary':{'verdict':'split'},'roots':[{'kind':'op','rule':'r',"
             "'text':'\\u001b]0;title\\u0007\\u202e%s','causes':[0]}],"
             "'advice':[{'causes':[0],'text':'Replace \\u001b[2J%s','after':{}}]}]}", text, text);
    add(many, "{'error':{'code':'\\u001b[41m%s'}}", text);
    for (unsigned width = 0; width <= 300; width++) {
        look.width = width;
        char *table = table_of(many, &look);
        unsigned most = width == 0 ? 100 : width < 60 ? 60 : width > 120 ? 120 : width, column = 0;
        for (const char *at = table; *at; at++) {
            column = *at == '\n' ? 0 : column + 1;
            CHECK((unsigned char)*at >= 0x20 || *at == '\n');
            CHECK(column <= (most < 100 ? 100 : most)); /* the legend is as wide as that */
        }
        CHECK(strstr(table, "\\u001b"));
        free(table);
    }
    npart_many_free(many);
}

static void test_many__color(void)
{
    struct npart_report_options look = NPART_REPORT_OPTIONS_INIT;
    npart_many *many = open_many();
    add_split(many, ROOT("a", "0"), "");
    char *table = table_of(many, NULL);
    CHECK(!strchr(table, '\033'));
    look.use_color = true;
    char *colored = table_of(many, &look), *to = colored;
    for (const char *at = colored; *at; at++)
        if (*at == '\033')
            at = strchr(at, 'm');
        else
            *to++ = *at;
    *to = '\0';
    CHECK_TEXT(colored, table);
    free(colored);
    free(table);
    npart_many_free(many);
}

static void test_many__handle(void)
{
    npart_many *many = open_many();
    struct npart_many_info info = {.size = sizeof info};
    struct npart_error error;
    struct sink refused = {.refuse_at = 1};
    add(many, "{'error':{'code':'limit'}}");
    CHECK(npart_many_info(many, &info) && info.models == 1 && info.failures == 1 && info.target_count == 0);
    CHECK(npart_many_add(many, "[1", 2, &error) == NPART_ERROR_MALFORMED);
    CHECK_TEXT(error.message, "']' expected near end of file");
    CHECK(npart_many_add(many, NULL, 0, NULL) == NPART_ERROR_ARGUMENT && npart_many_make(NULL, NULL, NULL) != NPART_OK);
    CHECK(npart_many_text(many, NULL, sink_write, &refused, NULL) == NPART_ERROR_WRITE);
    CHECK(npart_many_text(NULL, NULL, sink_write, &refused, NULL) == NPART_ERROR_ARGUMENT);
    info.size = 1;
    CHECK(!npart_many_info(many, &info) && !npart_many_info(NULL, &info));
    npart_many_free(many);
    sink_clear(&refused);
}

/* Each allocation fails once. */
static void test_many__memory_ends(void)
{
    static const char line[] = "{\"targets\":[{\"name\":\"t\",\"summary\":{\"verdict\":\"none\"},\"roots\":["
                               "{\"kind\":\"op\",\"causes\":[0]}],\"advice\":[{\"text\":\"Mend\",\"causes\":[0]}]}]}";
    bool is_made = false;
    for (size_t n = 1; !is_made && n < 1000; n++) {
        struct counted counted;
        struct sink sink = {0};
        npart_many *many = NULL;
        counted_init(&counted, true);
        counted.fail_at = n;
        npart_status status = npart_many_make(&many, &counted.allocator, NULL);
        if (status == NPART_OK)
            status = npart_many_add(many, line, strlen(line), NULL);
        if (status == NPART_OK)
            status = npart_many_text(many, NULL, sink_write, &sink, NULL);
        is_made = status == NPART_OK;
        CHECK(is_made || status == NPART_ERROR_MEMORY);
        npart_many_free(many);
        sink_clear(&sink);
        CHECK_INT(counted.live_blocks, 0);
    }
    CHECK(is_made);
}

/* The line of a model that could not be analyzed is one more model, and says why. */
static void test_many__counts_failures(void)
{
    static const struct {
        npart_status status;
        const char *message, *code;
    } rows[] = {{NPART_ERROR_READ, "no", "read"},
                {NPART_ERROR_LIMIT, "too large (max-memory)", "max-memory"},
                {NPART_ERROR_LIMIT, "too large", "limit"},
                {NPART_ERROR_ARGUMENT, "no", "other"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct npart_error why = {.status = rows[i].status, .place = "byte 7"}, error;
        struct npart_many_line line = {.size = sizeof line};
        struct npart_many_info info = {.size = sizeof info};
        struct npart_subject subject = {.size = sizeof subject, .kind = NPART_SUBJECT_FAILURE, .why = &why,
                                        .made_with = "0123456789abcdef"};
        struct sink sink = {0};
        npart_many *many = open_many();
        (void)snprintf(why.message, sizeof why.message, "%s", rows[i].message);
        CHECK(npart_report(&subject, NPART_FORMAT_JSON, NULL, sink_write, &sink, &error) == NPART_ERROR_ARGUMENT);
        CHECK_TEXT(error.message, "model must not be NULL");
        subject.model = "a \"b\".onnx";
        REQUIRE(npart_report(&subject, NPART_FORMAT_JSON, NULL, sink_write, &sink, &error) == NPART_OK);
        REQUIRE(npart_many_add(many, sink.text, strlen(sink.text), NULL) == NPART_OK);
        CHECK(npart_many_info(many, &info) && info.models == 1 && info.failures == 1);
        struct npart_many_failure failure = {.size = sizeof failure};
        CHECK(npart_many_failure(many, 0, &failure) && failure.models == 1 && !npart_many_failure(many, 1, &failure));
        CHECK_TEXT(failure.code, rows[i].code);
        REQUIRE(npart_many_line(many, &line));
        CHECK_TEXT(line.error, rows[i].code);
        CHECK_TEXT(line.path, subject.model);
        CHECK_TEXT(line.options, subject.made_with);
        CHECK_TEXT(line.version, npart_version());
        sink_clear(&sink);
        npart_many_free(many);
    }
}

TESTS(test_many__counts_failures, test_many__the_last_line, test_many__overview,
      test_many__handle, test_many__memory_ends, test_many__nothing, test_many__nothing_analyzed,
      test_many__what_is_no_line, test_many__advice_of_ends, test_many__verdicts, test_many__roots_in_turn,
      test_many__hidden_roots, test_many__what_tells_roots_apart, test_many__thousands_of_roots,
      test_many__texts_from_outside, test_many__color)
