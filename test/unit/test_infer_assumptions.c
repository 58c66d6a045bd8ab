/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes that must be equal for a model to work, where different symbols meet; and the binding that is proposed from
 * them.
 */
#include "infer/infer.h"
#include "support/built.h"
#include "support/test.h"

static struct built built;
static struct npart__inference inference;

static void infer(const char *text)
{
    struct npart__infer_options options = {0};
    build_text(&built, text);
    REQUIRE(built.status == NPART_OK);
    REQUIRE(npart__infer(&built.graph, &options, &built.arena, &inference, &built.error) == NPART_OK);
}

/* "n = m at y; ..." */
static const char *assumptions(void)
{
    struct npart__buffer text;
    npart__buffer_init(&text, &built.arena);
    for (uint32_t i = 0; i < inference.assumptions.count; i++) {
        const struct npart__assumption *assumption = &inference.assumptions.items[i];
        npart__append_text(&text, i ? "; " : "");
        npart__append_dim(&text, &inference.expressions, assumption->left);
        npart__append_text(&text, " = ");
        npart__append_dim(&text, &inference.expressions, assumption->right);
        npart__append_text(&text, " at ");
        npart__append_text(&text, node_label(&built.graph, assumption->node));
    }
    return npart__buffer_text(&text);
}

/* "n=1 m=8" */
static const char *proposal(int64_t size)
{
    struct npart__buffer text;
    uint32_t count;
    npart__buffer_init(&text, &built.arena);
    const struct npart__binding_request *requests = npart__propose_binding(&inference, size, &count);
    REQUIRE(requests);
    for (uint32_t i = 0; i < count; i++)
        npart__append_format(&text, "%s%s=%lld", i ? " " : "", requests[i].name, (long long)requests[i].value);
    return npart__buffer_text(&text);
}

static void check(const char *text, const char *wanted)
{
    infer(text);
    CHECK_TEXT(assumptions(), wanted);
    built_close(&built);
}

static void test_infer_assumptions__are_made_where_symbols_meet(void)
{
    check("input a float32[n,4]\ninput b float32[m,4]\nnode y = Add(a, b)\noutput y\n", "n = m at y");
    check("input a float32[n,4]\ninput b float32[7,4]\nnode y = Add(a, b)\noutput y\n", "n = 7 at y");
    check("input a float32[n,4]\ninput b float32[m,3]\nnode y = Concat(a, b) axis=1\noutput y\n", "n = m at y");
    check("input a float32[2,k]\ninput b float32[8,3]\nnode y = MatMul(a, b)\noutput y\n", "k = 8 at y");
    check("input a float32[2,k]\ninput b float32[l,3]\nnode y = Gemm(a, b)\noutput y\n", "k = l at y");
}

static void test_infer_assumptions__are_not_made_where_sizes_are_the_same(void)
{
    check("input a float32[n,4]\ninput b float32[n,1]\nnode y = Add(a, b)\noutput y\n", "");
    check("input a float32[2*n,4]\ninput b float32[n + n,4]\nnode y = Add(a, b)\noutput y\n", "");
    check("input a float32[n,4]\ninput b float32[1,4]\nnode y = Add(a, b)\noutput y\n", "");
    check("input a float32[?,4]\ninput b float32[m,3]\nnode y = Concat(a, b) axis=1\noutput y\n", "");
}

static void test_infer_assumptions__are_made_once(void)
{
    check("input a float32[n,4]\ninput b float32[m,4]\nnode x = Add(a, b)\nnode y = Mul(a, b)\nnode z = Add(a, b)\n"
          "output x\noutput y\noutput z\n",
          "n = m at x");
}

static void check_proposal(const char *text, const char *wanted)
{
    infer(text);
    CHECK_TEXT(proposal(8), wanted);
    built_close(&built);
}

static void test_infer_assumptions__decide_what_is_proposed(void)
{
    check_proposal("input a float32[batch,k]\noutput y\nnode y = Relu(a)\n", "batch=1 k=8");
    check_proposal("input a float32[batch,k]\ninput b float32[batch,m]\nnode y = Add(a, b)\noutput y\n",
                   "batch=1 k=8 m=8");
    check_proposal("input a float32[batch,k]\ninput w float32[768,3]\nnode y = MatMul(a, w)\noutput y\n",
                   "batch=1 k=768");
    check_proposal("input a float32[s,p + s]\ninput b float32[s,total]\nnode y = Add(a, b)\noutput y\n",
                   "s=8 p=8 total=16");
    check_proposal("input a float32[2*batch,k]\nnode y = Relu(a)\noutput y\n", "batch=1 k=8");
    check_proposal("input a float32[p + q]\nnode y = Relu(a)\noutput y\n", "p=8 q=8");
    check_proposal("input a float32[?,k]\nnode y = Relu(a)\noutput y\n", "a.0=1 k=8");
    check_proposal("input a float32[?]\nnode y = Relu(a)\noutput y\n", "a.0=8");
    check_proposal("input a float32[2,3]\nnode y = Relu(a)\noutput y\n", "");
}

TESTS(test_infer_assumptions__are_made_where_symbols_meet,
      test_infer_assumptions__are_not_made_where_sizes_are_the_same, test_infer_assumptions__are_made_once,
      test_infer_assumptions__decide_what_is_proposed)
