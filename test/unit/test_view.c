/* SPDX-License-Identifier: Apache-2.0
 *
 * The same graph as runtimes see it: kept by the inference, one for each way of seeing; and what is computed twice.
 */
#include "support/built.h"
#include "support/test.h"
#include "onnxruntime/view.h"

static struct built built;
static struct npart__inference inference;

static void infer(const char *text)
{
    struct npart__infer_options options = {0};
    build_text(&built, text);
    REQUIRE(built.status == NPART_OK);
    REQUIRE(npart__infer(&built.graph, &options, &built.arena, &inference, &built.error) == NPART_OK);
}

static struct npart__inference *view(const struct npart__infer_policy *policy)
{
    struct npart__inference *found;
    REQUIRE(npart__infer_view(&inference, policy, &found, &built.error) == NPART_OK);
    return found;
}

/* What is known of the main graph's output. */
static const char *output_of(const struct npart__inference *of)
{
    const struct npart__scope *scope = &built.graph.scopes.items[0];
    struct npart__buffer text;
    npart__buffer_init(&text, &built.arena);
    npart__append_fact(&text, &of->expressions,
                       npart__fact_of(of, built.graph.operands.items[scope->first_output]));
    return npart__buffer_text(&text);
}

static void test_view__are_kept_and_shared(void)
{
    infer("input x float32[2,3]\nnode s = Shape(x)\nnode t = Neg(s)\nnode u = Neg(t)\nnode y = Reshape(x, u)\n"
          "output y\n");
    struct npart__inference *off = view(&npart__policy_unfolded);
    struct npart__inference *folding = view(&npart__policy_folding[NPART__RELEASE_NEWEST]);
    CHECK(view(NULL) == &inference);
    CHECK(view(&npart__policy_unfolded) == off);
    CHECK(view(&npart__policy_folding[NPART__RELEASE_NEWEST]) == folding);
    CHECK(off != folding && folding != &inference && off != &inference);
    CHECK_TEXT(output_of(&inference), "float32[2,3]");
    CHECK_TEXT(output_of(off), "float32[?,?]");
    CHECK_TEXT(output_of(folding), "float32[2,3]");
    built_close(&built);
}

static void test_view__counts_common_subexpressions_once(void)
{
    infer("opset 13\ninput x float32[2,3]\ninit a float32[1] = 2\ninit b float32[1] = 2\ninit c float32[1] = 3\n"
          "node m = Add(x, a)\nnode n = Add(x, b)\nnode o = Add(x, c)\nnode p = Neg(m)\nnode q = Neg(n)\n"
          "node y = Sum(p, q, o, m)\noutput y\n");
    const struct npart__inference *seen = view(&npart__policy_folding[NPART__RELEASE_NEWEST]);
    static const struct {
        uint32_t node, uses;
    } wanted[] = {{0, 2}, {1, 2}, {2, 1}, {3, 2}, {4, 2}, {5, 1}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const struct npart__node *node = &built.graph.nodes.items[wanted[i].node];
        CHECK(seen->equal_uses[npart__node_output(&built.graph, node, 0)] == wanted[i].uses);
    }
    built_close(&built);
}

TESTS(test_view__are_kept_and_shared, test_view__counts_common_subexpressions_once)
