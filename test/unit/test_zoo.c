/* SPDX-License-Identifier: Apache-2.0
 *
 * The table over many models, from lines that are made up: what it counts, which roots it puts first, and that nothing
 * in a line harms it.
 */
#include "../../tools/zoo.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "support/analysis.h"
#include "support/test.h"

/* A line from its parts, ' for ". */
static void add(struct zoo *zoo, const char *format, ...)
{
    char text[4096];
    json_error_t error;
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    for (char *at = text; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    json_t *document = json_loads(text, 0, &error);
    if (!document)
        fprintf(stderr, "%s: %s\n", error.text, text);
    CHECK(document && zoo_add(zoo, document));
    json_decref(document);
}

/* A model of target t that is split in two, with these roots and this advice. */
static void add_split(struct zoo *zoo, const char *roots, const char *advice)
{
    add(zoo,
        "{'findings':[],'model':{'path':'m'},'targets':[{'name':'t','summary':{'verdict':'split','live':10,"
        "'accepted':4,'partitions':2},'roots':[%s],'advice':[%s]}]}",
        roots, advice);
}

#define ROOT(rule, cause) "{'kind':'op','rule':'" rule "','op':null,'text':'" rule "','causes':[" cause \
                          "],'nodes':1,'" "victims':3}"
#define ADVICE(text, cause, verdict) "{'action':'rewrite','text':'" text "','causes':[" cause \
                                     "],'instead_of':null,'after':{'partitions':1,'verdict':'" verdict "'}}"

/* The table, to be freed. */
static char *table_of(const struct zoo *zoo, const struct npart_report_options *look)
{
    struct npart_report_options plain = NPART_REPORT_OPTIONS_INIT;
    struct sink sink = {0};
    zoo_write(zoo, look ? look : &plain, sink_write, &sink);
    return sink.text;
}

/* Whether the lines stand in the table in this order; NULL ends them. */
static void check_lines(const struct zoo *zoo, const char *const *lines)
{
    char *table = table_of(zoo, NULL);
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

static void test_zoo__nothing(void)
{
    struct zoo *zoo = zoo_make();
    char *table = table_of(zoo, NULL);
    CHECK_TEXT(table, "0 models\n");
    free(table);
    zoo_free(zoo);
    zoo_free(NULL);
}

static void test_zoo__nothing_analyzed(void)
{
    struct zoo *zoo = zoo_make();
    add(zoo, "{'model':{'path':'a'},'error':{'code':'read'},'targets':[]}");
    add(zoo, "{'model':{'path':'b'},'error':{'code':'limit'},'targets':[]}");
    add(zoo, "{'model':{'path':'c'},'error':{'code':'limit'},'targets':[]}");
    add(zoo, "{'model':{'path':'d'},'error':{},'targets':[]}");
    char *table = table_of(zoo, NULL);
    CHECK_TEXT(table, "4 models; not analyzed: limit 2, other 1, read 1\n");
    free(table);
    zoo_free(zoo);
}

/* What nobody would write is nothing, and no error. */
static void test_zoo__what_is_no_line(void)
{
    static const char *const lines[] = {
        "[]", "{}", "{'targets':3,'error':4,'findings':5}", "{'targets':[1,null,'x',[]]}",
        "{'targets':[{'name':7,'summary':[],'roots':{},'advice':1}]}",
        "{'targets':[{'name':'t','summary':{'verdict':'split','live':-1,'partitions':1e300},'roots':[1,null,{}]}]}",
        "{'targets':[{'name':'t','summary':{'verdict':'none'},'roots':[{'causes':[null,'x',0]}]}]}",
        "{'targets':[{'name':'t','summary':{},'roots':[{'causes':[0]}],'advice':[4,{'causes':['x',0]}]}]}",
    };
    struct zoo *zoo = zoo_make();
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        add(zoo, "%s", lines[i]);
    check_lines(zoo, (const char *const[]){"8 models", "target", NULL});
    zoo_free(zoo);
}

/* Names of tensors, and what the host runs, are the model's own: the advice is one. */
static void test_zoo__advice_of_ends(void)
{
    struct zoo *zoo = zoo_make();
    add_split(zoo, ROOT("a", "0"), ADVICE("End the model at `x`; the host runs 3 nodes (Erf) after it", "0", "whole"));
    add_split(zoo, ROOT("a", "0"), ADVICE("End the model at `y`; the host runs 1 node (Add) after it", "0", "whole"));
    check_lines(zoo, (const char *const[]){"    End the model at X [2: 2 whole, 4 to 2 partitions]\n", NULL});
    zoo_free(zoo);
}

static void test_zoo__verdicts(void)
{
    static const char *const verdicts[] = {"whole", "whole", "edge", "split", "none", "fails", "empty", "strange"};
    struct zoo *zoo = zoo_make();
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++)
        add(zoo, "{'targets':[{'name':'u','summary':{'verdict':'%s','live':4,'accepted':3}},"
                 "{'name':'t','summary':{'verdict':'whole','live':1,'accepted':1}}]}", verdicts[i]);
    check_lines(zoo, (const char *const[]){
        "8 models\n",
        "target     whole    edge   split    none   fails   empty   other % nodes\n",
        "t              8       0       0       0       0       0       0   100.0\n",
        "u              2       1       1       1       1       1       1    75.0\n", NULL});
    zoo_free(zoo);
}

/* `b` is in most models, `a` alone makes most whole; `c` does once `a` is fixed. */
static void fill(struct zoo *zoo, const int *order)
{
    for (int i = 0; i < 6; i++)
        switch (order[i]) {
        case 0:
        case 1:
            add_split(zoo, ROOT("a", "0"), ADVICE("Replace it: `n1` and 3 more", "0", "whole"));
            break;
        case 2:
            add_split(zoo, ROOT("a", "1") "," ROOT("c", "0"), ADVICE("Replace it: `n2`", "1", "split"));
            break;
        case 3:
            add_split(zoo, ROOT("b", "0") "," ROOT("d", "1") "," ROOT("e", "2"), ADVICE("Drop `x`", "5,0", "none"));
            break;
        case 4:
            add_split(zoo, ROOT("b", "0") "," ROOT("d", "1"), "");
            break;
        default:
            add(zoo, "{'findings':[{'code':'invalid'}],'targets':[{'name':'t','summary':{'verdict':'fails'},'roots':["
                     ROOT("b", "0") "]}]}");
        }
}

static void test_zoo__roots_in_turn(void)
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
        struct zoo *zoo = zoo_make();
        fill(zoo, orders[i]);
        check_lines(zoo, lines);
        char *table = table_of(zoo, NULL);
        if (first)
            CHECK_TEXT(table, first);
        free(i ? table : NULL);
        first = first ? first : table;
        zoo_free(zoo);
    }
    free(first);
}

/* What planning again says counts more than that there is no other root: the one may hide others. */
static void test_zoo__hidden_roots(void)
{
    struct zoo *zoo = zoo_make();
    add_split(zoo, ROOT("a", "0"), ADVICE("Replace it: `n1`", "0", "split"));
    add_split(zoo, ROOT("a", "0"), ADVICE("Replace it: `n1`", "0", "edge"));
    add_split(zoo, ROOT("a", "0"), "");
    add_split(zoo, ROOT("b", "0") "," ROOT("d", "1"),
              ADVICE("Replace it: `n1`", "0", "split") "," ADVICE("Drop it: `n1`", "1", "split"));
    add_split(zoo, ROOT("b", "0") "," ROOT("d", "1"),
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
    check_lines(zoo, lines);
    zoo_free(zoo);
}

/* Roots whose texts are the same but for their kind, rule or op are others. */
static void test_zoo__what_tells_roots_apart(void)
{
    struct zoo *zoo = zoo_make();
    add_split(zoo, "{'kind':'op','rule':'r','op':'X','text':'one'}", "");
    add_split(zoo, "{'kind':'op','rule':'r','op':'Y','text':'two'}", "");
    add_split(zoo, "{'kind':'op','rule':'rX','op':null,'text':'three'}", "");
    add_split(zoo, "{'kind':'rank','rule':'r','op':'X','text':'four'}", "");
    add_split(zoo, "{'kind':'op','rule':'r','op':'X','text':'one'}", "");
    check_lines(zoo, (const char *const[]){"  one      ", "  two", "  three", "  four", "5 more models", NULL});
    zoo_free(zoo);
}

/* More roots than rows: the model can become whole by none of them. */
static void test_zoo__thousands_of_roots(void)
{
    struct zoo *zoo = zoo_make();
    json_t *roots = json_array();
    for (int i = 0; i < 70000; i++) {
        char rule[32];
        (void)snprintf(rule, sizeof rule, "rule-%05d", i);
        json_t *root = json_pack("{s:s, s:s, s:n, s:s, s:[i], s:i, s:i}", "kind", "op", "rule", rule, "op",
                                 "text", rule, "causes", i, "nodes", 1, "victims", 1);
        (void)json_array_append_new(roots, root);
    }
    json_t *document = json_pack("{s:[{s:s, s:{s:s}, s:o}]}", "targets", "name", "t", "summary", "verdict", "none",
                                 "roots", roots);
    CHECK(document && zoo_add(zoo, document));
    json_decref(document);
    add_split(zoo, ROOT("rule-00007", "0"), "");
    check_lines(zoo, (const char *const[]){
        "  rule-00007                                                               2       4       1       1\n",
        "  rule-00000                                                               1       1       0       0\n",
        "  all these fixed: 1 more model is whole; 65526 other roots; left out, as they are too many: 4464 roots\n",
        NULL});
    zoo_free(zoo);
}

/* Nothing of a model's reaches a terminal as it is, and lines keep to their width. */
static void test_zoo__texts_from_outside(void)
{
    struct npart_report_options look = NPART_REPORT_OPTIONS_INIT;
    struct zoo *zoo = zoo_make();
    char text[900];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    add(zoo, "{'targets':[{'name':'t\\u001b[31m','summary':{'verdict':'split'},'roots':[{'kind':'op','rule':'r',"
             "'text':'\\u001b]0;title\\u0007\\u202e%s','causes':[0]}],"
             "'advice':[{'causes':[0],'text':'Replace \\u001b[2J%s','after':{}}]}]}", text, text);
    add(zoo, "{'error':{'code':'\\u001b[41m%s'}}", text);
    for (unsigned width = 0; width <= 300; width++) {
        look.width = width;
        char *table = table_of(zoo, &look);
        unsigned most = width == 0 ? 100 : width < 60 ? 60 : width > 120 ? 120 : width, column = 0;
        for (const char *at = table; *at; at++) {
            column = *at == '\n' ? 0 : column + 1;
            CHECK((unsigned char)*at >= 0x20 || *at == '\n');
            CHECK(column <= (most < 100 ? 100 : most)); /* the legend is as wide as that */
        }
        CHECK(strstr(table, "\\u001b"));
        free(table);
    }
    zoo_free(zoo);
}

static void test_zoo__color(void)
{
    struct npart_report_options look = NPART_REPORT_OPTIONS_INIT;
    struct zoo *zoo = zoo_make();
    add_split(zoo, ROOT("a", "0"), "");
    char *table = table_of(zoo, NULL);
    CHECK(!strchr(table, '\033'));
    look.use_color = true;
    char *colored = table_of(zoo, &look), *to = colored;
    for (const char *at = colored; *at; at++)
        if (*at == '\033')
            at = strchr(at, 'm');
        else
            *to++ = *at;
    *to = '\0';
    CHECK_TEXT(colored, table);
    free(colored);
    free(table);
    zoo_free(zoo);
}

TESTS(test_zoo__nothing, test_zoo__nothing_analyzed, test_zoo__what_is_no_line, test_zoo__advice_of_ends,
      test_zoo__verdicts, test_zoo__roots_in_turn, test_zoo__hidden_roots, test_zoo__what_tells_roots_apart,
      test_zoo__thousands_of_roots, test_zoo__texts_from_outside, test_zoo__color)
