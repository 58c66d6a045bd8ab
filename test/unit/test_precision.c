/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats of weights by the public header, and the lines of op lists about them; what is a format at all is in
 * test/cases/precision.cases.
 */
#include "npu_partition.h"
#include "support/analysis.h"
#include "support/test.h"

#define HEAD "format 1\ntarget t\nswitches wide\nvariant one\nvariant two with wide\n"

static const char list[] = HEAD
    "precision float32 with wide native \"computed in FLOAT16\"\n"
    "precision w8 vector 0.125 assumed \"not on the matrix unit\" because \"it has 8 bits alone\" source \"guide 7\"\n"
    "precision w8a8 native \"in integers\"\n"
    "op DequantizeLinear MatMul\n";

static const char lines[] = "opset 21\ninput x float32[4,8]\ninput z float32[8,8]\n"
                            "init w float32[8,8]\ninit q int8[8,8]\ninit s float32[8] = 1 1 1 1 1 1 1 1\n"
                            "node d = DequantizeLinear(q, s) axis=1\n"
                            "node a = MatMul(x, w)\nnode b = MatMul(x, d)\nnode c = MatMul(x, z)\n"
                            "output a\noutput b\noutput c\n";

static void test_precision__what_is_told(void)
{
    struct analysis at;
    struct npart_precision out = {.size = sizeof out};
    analysis_open(&at, lines, list, "t:one", NULL);
    REQUIRE(npart_plan_precision(at.plan, 0, &out));
    CHECK_TEXT(out.format, "float32");
    CHECK_TEXT(npart_happening_text(out.happens), "unknown");
    CHECK_TEXT(out.text, "the op list does not say");
    CHECK_TEXT(out.because, "");
    CHECK_TEXT(out.source, "");
    CHECK_TEXT(out.instead, "w8a8-channel");
    CHECK_TEXT(out.variant, "two");
    CHECK(out.node_count == 1 && out.accepted_count == 1 && out.has_macs && out.macs == 256 && out.share == 0);
    REQUIRE(npart_plan_precision(at.plan, 1, &out));
    CHECK_TEXT(out.format, "w8-channel");
    CHECK_TEXT(npart_happening_text(out.happens), "vector");
    CHECK_TEXT(out.because, "it has 8 bits alone");
    CHECK_TEXT(out.source, "guide 7");
    CHECK_TEXT(out.variant, "");
    CHECK(out.share == 0.125 && out.is_assumed);
    CHECK(!npart_plan_precision(at.plan, 2, &out) && !npart_plan_precision(at.plan, NPART_NONE, &out));
    CHECK(!npart_plan_precision(NULL, 0, &out) && !npart_plan_precision(at.plan, 0, NULL));
    out.size = 1;
    CHECK(!npart_plan_precision(at.plan, 0, &out));
    analysis_close(&at);
    out.size = sizeof out;
    analysis_open(&at, lines, list, "t:two", NULL);
    REQUIRE(npart_plan_precision(at.plan, 0, &out));
    CHECK_TEXT(npart_happening_text(out.happens), "native");
    CHECK_TEXT(out.instead, "");
    CHECK_TEXT(out.variant, "");
    analysis_close(&at);
}

static bool keep(void *payload, const char *data, size_t size)
{
    char *text = payload;
    size_t length = strlen(text);
    memcpy(text + length, data, size);
    text[length + size] = '\0';
    return true;
}

static void test_precision__is_described(void)
{
    static char text[8192];
    struct analysis at;
    analysis_open(&at, lines, list, NULL, NULL);
    CHECK_INT(npart_oplist_describe(at.oplist, NULL, keep, text, NULL), NPART_OK);
    CHECK(strstr(text, "precision float32 with wide: native\n           computed in FLOAT16\n"));
    CHECK(strstr(text, "precision w8: vector 0.1250, assumed\n           not on the matrix unit\n"
                       "           because it has 8 bits alone\n           source guide 7\n"));
    analysis_close(&at);
}

/* Actions that name a variant, with what is left by planning it. */
static void test_precision__advises_a_variant(void)
{
    static const char floats[] = HEAD "precision float32 with wide native \"yes\"\n"
                                      "precision float32 unless wide cpu \"no\"\n"
                                      "op MatMul\n  need unit: switch(wide) \"the chip must be wide\"\n";
    struct analysis at;
    npart_advice *advice = NULL;
    struct npart_action action = {.size = sizeof action};
    analysis_open(&at, "input x float32[4,8]\ninit w float32[8,8]\nnode a = MatMul(x, w)\noutput a\n", floats, "t:one",
                  NULL);
    CHECK_INT(npart_advice_make(&advice, at.plan, NULL, NULL, 0, NULL), NPART_OK);
    REQUIRE(npart_advice_action(advice, 0, &action));
    CHECK_TEXT(action.kind, "variant");
    CHECK_TEXT(action.text, "Choose two (): it computes float32 natively");
    CHECK_TEXT(action.command, "-t t:two");
    CHECK_TEXT(npart_plan_verdict_text(action.after.verdict), "whole");
    npart_advice_free(advice);
    analysis_close(&at);
}

/* A node that is refused for its types, though the format is native: no variant of the target mends that. */
static void test_precision__refused_for_types(void)
{
    static const char types[] = HEAD "precision float32 native \"yes\"\n"
                                     "op MatMul\n  need type: dtype(A) = float16 \"the type must be FLOAT16\"\n";
    struct analysis at;
    struct npart_precision out = {.size = sizeof out};
    analysis_open(&at, "input x float32[4,8]\ninit w float32[8,8]\nnode a = MatMul(x, w)\noutput a\n", types, "t:one",
                  NULL);
    REQUIRE(npart_plan_precision(at.plan, 0, &out));
    CHECK_TEXT(npart_happening_text(out.happens), "cpu");
    CHECK_TEXT(out.text, "the type must be FLOAT16");
    CHECK_TEXT(out.variant, "");
    CHECK_TEXT(out.instead, "");
    analysis_close(&at);
}

TESTS(test_precision__what_is_told, test_precision__is_described, test_precision__advises_a_variant,
      test_precision__refused_for_types)
