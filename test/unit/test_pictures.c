/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures: the limits by which they stay readable, each at its edge. That they say what the report says,
 * whatever stands in names, is checked by test/checks/formats.py.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npu_partition.h"
#include "support/analysis.h"
#include "support/test.h"

/* A model as it is written: nodes in a chain, each by its operator. */
struct chain {
    char text[1 << 16];
    size_t used;
    unsigned count;
};

static void chain_begin(struct chain *chain)
{
    chain->count = 0;
    chain->used = (size_t)snprintf(chain->text, sizeof chain->text, "input x float32[1,4]\nnode n0 = Relu(x)\n");
}

static void chain_add(struct chain *chain, const char *op)
{
    REQUIRE(chain->used + 64 < sizeof chain->text);
    chain->count++;
    chain->used += (size_t)snprintf(chain->text + chain->used, sizeof chain->text - chain->used, "node n%u = %s(n%u)\n",
                                    chain->count, op, chain->count - 1);
}

/* To be freed. `list` is an op list, NULL for one that takes Relu alone. */
static char *draw_by(const char *list, const char *model, enum npart_format format, enum npart_detail detail)
{
    struct analysis at;
    struct sink sink = {0};
    struct npart_document_options options = NPART_DOCUMENT_OPTIONS_INIT;
    struct npart_entry entry = NPART_ENTRY_INIT;
    npart_document *document = NULL;
    analysis_open(&at, model, list, NULL, NULL);
    const struct npart_plan_pair pair = {at.plan, NULL, NULL};
    options.detail = detail;
    entry.path = "one.onnx";
    entry.plans = &pair;
    entry.plan_count = 1;
    REQUIRE(npart_document_start(&document, format, &options, sink_write, &sink, NULL) == NPART_OK);
    CHECK_INT(npart_document_add(document, &entry, NULL), NPART_OK);
    CHECK_INT(npart_document_end(document, NULL), NPART_OK);
    npart_document_free(document);
    analysis_close(&at);
    REQUIRE(sink.text);
    return sink.text;
}

static char *draw(const char *model, enum npart_format format, enum npart_detail detail)
{
    return draw_by(NULL, model, format, detail);
}

static char *draw_chain(struct chain *chain, enum npart_format format, enum npart_detail detail)
{
    (void)snprintf(chain->text + chain->used, sizeof chain->text - chain->used, "output n%u\n", chain->count);
    return draw(chain->text, format, detail);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

/* Of alternating sides; inputs and outputs have boxes, too. */
static char *draw_alternating(unsigned boxes, enum npart_format format, enum npart_detail detail)
{
    static struct chain chain;
    chain_begin(&chain);
    for (unsigned i = 1; i < boxes - 2; i++)
        chain_add(&chain, i & 1 ? "Erf" : "Relu");
    return draw_chain(&chain, format, detail);
}

static void test_pictures__repeats(void)
{
    char *few = draw_alternating(32, NPART_FORMAT_DOT, NPART_DETAIL_SUMMARY);
    char *more = draw_alternating(33, NPART_FORMAT_DOT, NPART_DETAIL_SUMMARY);
    char *all = draw_alternating(33, NPART_FORMAT_DOT, NPART_DETAIL_NODES);
    CHECK_INT(count_of(few, " [label=\"NPU "), 15);
    CHECK_INT(count_of(few, " [label=\"CPU"), 15);
    CHECK(!strstr(few, "The same"));
    CHECK_INT(count_of(more, " [label=\"NPU "), 2); /* the first and, after 14 pairs more, the last */
    CHECK(strstr(more, " [label=\"The same 14 more times\\lNPU 1 to 14 (14 partitions), and 14 on the CPU\\l28 nodes"));
    CHECK_INT(count_of(all, " [label=\"NPU "), 16);
    free(few);
    free(more);
    free(all);
}

/* What passes within a joined box is none of its edges; what the CPU's last node in it makes is, and stays there. */
static void test_pictures__edges_of_repeats(void)
{
    char *text = draw_alternating(43, NPART_FORMAT_DOT, NPART_DETAIL_SUMMARY);
    char *other = draw_alternating(44, NPART_FORMAT_DOT, NPART_DETAIL_SUMMARY);
    CHECK(strstr(text, "repeats3 [label=\"The same "));
    CHECK(strstr(text, "  cpu2 -> repeats3 [label=\"n1, 16 B\""));
    CHECK(strstr(text, "  repeats3 -> npu20 [label=\"n39, 16 B\", tooltip=\"n39 float32[1,4], 16 B\\n\", "
                       "id=\"plan1-edge3\"];"));
    CHECK_INT(count_of(text, "  repeats3 -> "), 1);
    CHECK(strstr(other, "  repeats3 -> outputs4 [label=\"n41, 16 B\", tooltip=\"n41 float32[1,4], 16 B\\n\", "
                        "id=\"plan1-edge3\", style=dotted"));
    CHECK_INT(count_of(other, " -> "), 4);
    free(text);
    free(other);
}

/* An edge of several tensors says how many of them change their layout on the way. */
static void test_pictures__conversions(void)
{
    static const char list[] = "format 1\ntarget t\nlayout nhwc Conv\nop Conv Relu\n";
    char *text = draw_by(list,
                         "input x float32[1,2,4,4]\ninput v float32[2,2]\ninit w float32[2,2,1,1] = 0.5\n"
                         "node a = Conv(x, w)\nnode b = Conv(x, w)\nnode c = Relu(v)\nnode d = Erf(a)\n"
                         "node e = Erf(b)\nnode f = Erf(c)\noutput d\noutput e\noutput f\n",
                         NPART_FORMAT_DOT, NPART_DETAIL_NODES);
    CHECK(strstr(text, " [label=\"3 tensors, 272 B, 2 change layout\""));
    free(text);
}

/* Outside of JSON and HTML, TENSORS is as NODES. */
static void test_pictures__details(void)
{
    static const enum npart_format formats[] = {NPART_FORMAT_DOT, NPART_FORMAT_SVG};
    for (size_t i = 0; i < 2; i++) {
        char *nodes = draw_alternating(40, formats[i], NPART_DETAIL_NODES);
        char *tensors = draw_alternating(40, formats[i], NPART_DETAIL_TENSORS);
        CHECK_TEXT(tensors, nodes);
        CHECK(!strstr(nodes, "The same"));
        free(nodes);
        free(tensors);
    }
}

/* No pattern comes twice in a row: before box n of the NPU's there are as many as 2 divides n, and one more. */
static void add_unlike(struct chain *chain, unsigned boxes)
{
    for (unsigned i = 1; i <= boxes; i++) {
        unsigned nodes = 1;
        for (unsigned n = i / 2; !(i & 1) && !(n & 1); n /= 2)
            nodes++;
        for (unsigned k = 0; k < nodes; k++)
            chain_add(chain, i & 1 ? "Erf" : "Relu");
    }
}

static char *draw_unlike(unsigned boxes, enum npart_format format)
{
    static struct chain chain;
    chain_begin(&chain);
    add_unlike(&chain, boxes - 3); /* the first node's box, and those of inputs and outputs */
    return draw_chain(&chain, format, NPART_DETAIL_SUMMARY);
}

static void test_pictures__most_boxes(void)
{
    static const enum npart_format formats[] = {NPART_FORMAT_DOT, NPART_FORMAT_SVG};
    for (size_t i = 0; i < 2; i++) {
        char *all = draw_unlike(120, formats[i]), *more = draw_unlike(121, formats[i]);
        CHECK_INT(count_of(all, "id=\"plan1-npu") + count_of(all, "id=\"plan1-cpu"), 118);
        CHECK(!strstr(all, "not drawn one by one"));
        CHECK_INT(count_of(more, "id=\"plan1-npu") + count_of(more, "id=\"plan1-cpu"), 117);
        CHECK_INT(count_of(more, "id=\"plan1-rest118\""), 1);
        CHECK(strstr(more, "2 of the boxes are not drawn one by one: a picture has at most 120"));
        free(all);
        free(more);
    }
}

/* An If whose branches fall back; after a main graph of more than the most boxes there is no room for them. The If's
 * box tells why they do, and of no other box. */
static void test_pictures__hidden_bodies(void)
{
    static struct chain chain;
    chain_begin(&chain);
    chain.used = (size_t)snprintf(chain.text, sizeof chain.text,
                                  "input c bool[]\ninput x float32[1,4]\n"
                                  "graph yes\nnode t = Sinh(x)\noutput t\nend\n"
                                  "graph no\nnode e = Cosh(x)\noutput e\nend\n"
                                  "node n0 = If(c) then_branch=graph yes else_branch=graph no\n");
    add_unlike(&chain, 130);
    char *text = draw_chain(&chain, NPART_FORMAT_DOT, NPART_DETAIL_SUMMARY);
    CHECK(strstr(text, "1 If, 1 Erf\\n? 1 node undecided\\nErf: not supported by the QNN provider, except as a part of "
                       "Gelu\\nIf: the provider is not offered the bodies of If, Loop and Scan\\n\""));
    CHECK(!strstr(text, "more cause"));
    free(text);
}

/* Graphviz gets an edge that is not seen only for boxes that have no other. The bodies in the function's graph come
 * after deeper ones of the main graph. */
static void test_pictures__unseen_edges(void)
{
    static const char unseen[] = " [style=invis];";
    char *text = draw("graph there\nnode m = Sinh(p)\noutput m\nend\ngraph here\nnode n = Cosh(p)\noutput n\nend\n"
                      "function my.domain:F(q, p) -> (r)\n"
                      "node r = If(q) then_branch=graph there else_branch=graph here\nopset 17\nend\n"
                      "opset my.domain 1\ninput c bool[]\ninput x float32[1,4]\n"
                      "graph inner\nnode i = Sinh(x)\noutput i\nend\ngraph other\nnode o = Cosh(x)\noutput o\nend\n"
                      "graph yes\nnode t = If(c) then_branch=graph inner else_branch=graph other\noutput t\nend\n"
                      "graph no\nnode e = Tan(x)\noutput e\nend\n"
                      "node y = If(c) then_branch=graph yes else_branch=graph no\n"
                      "node z = my.domain:F(c, y)\noutput z\n",
                      NPART_FORMAT_DOT, NPART_DETAIL_SUMMARY);
    CHECK_INT(count_of(text, "subgraph cluster_body"), 6);
    for (const char *at = text; (at = strstr(at, unseen)); at++) {
        char seen[64];
        const char *ends = at;
        while (ends > text && ends[-1] != '\n')
            ends--;
        (void)snprintf(seen, sizeof seen, "%.*s [label=", (int)(at - ends), ends);
        CHECK(!strstr(text, seen));
    }
    free(text);
}

/* So many values of the first box on either side are used far below, each by a box of its own. */
static char *draw_afar(unsigned edges)
{
    static struct chain chain;
    chain_begin(&chain);
    for (unsigned i = 0; i < edges; i++) {
        chain.used += (size_t)snprintf(chain.text + chain.used, sizeof chain.text - chain.used,
                                       "node n%u = Relu(n%u)\nnode n%u = Erf(n%u)\n", 2 * i + 1, 2 * i, 2 * i + 2,
                                       2 * i + 1);
    }
    chain.count = 2 * edges + 1;
    chain.used += (size_t)snprintf(chain.text + chain.used, sizeof chain.text - chain.used, "node n%u = Sum(n%u",
                                   chain.count, 2 * edges);
    for (unsigned i = 0; i < edges; i++)
        chain.used += (size_t)snprintf(chain.text + chain.used, sizeof chain.text - chain.used, ", n%u", 2 * i + 1);
    chain.used += (size_t)snprintf(chain.text + chain.used, sizeof chain.text - chain.used, ")\n");
    return draw_chain(&chain, NPART_FORMAT_SVG, NPART_DETAIL_NODES);
}

/* All partitions lead to the last box; each line beside the lanes goes down (V) once. */
static void test_pictures__most_lines(void)
{
    char *six = draw_afar(6), *seven = draw_afar(7), *eight = draw_afar(8), *nine = draw_afar(9);
    CHECK_INT(count_of(six, ">from NPU "), 6);
    CHECK(!strstr(six, " more edges"));
    CHECK_INT(count_of(seven, ">from NPU "), 5);
    CHECK(strstr(seven, ">and 2 more edges<"));
    CHECK_INT(count_of(eight, "V"), 8);
    CHECK_INT(count_of(nine, "V"), 8);
    free(six);
    free(seven);
    free(eight);
    free(nine);
}

/* What a neighbour on the NPU has taken in is computed there: the result is transferred. */
static void test_pictures__merged(void)
{
    char *text = draw_by("format 1\ntarget t\nruntime onnxruntime\nop MatMul Relu\n",
                         "input x float32[2,4]\ninit w float32[4,4]\ninit b float32[4]\nnode m = MatMul(x, w)\n"
                         "node a = Add(m, b)\nnode e = Erf(a)\noutput e\n",
                         NPART_FORMAT_DOT, NPART_DETAIL_NODES);
    CHECK(strstr(text, "  npu0 -> cpu2 [label=\"m, 32 B\", tooltip=\"m float32[2,4], 32 B\\n\", "
                       "id=\"plan1-edge1\"];"));
    free(text);
}

TESTS(test_pictures__merged, test_pictures__conversions, test_pictures__repeats, test_pictures__edges_of_repeats,
      test_pictures__details, test_pictures__most_boxes, test_pictures__hidden_bodies, test_pictures__unseen_edges,
      test_pictures__most_lines)
