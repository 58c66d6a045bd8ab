/* SPDX-License-Identifier: Apache-2.0
 *
 * How hard something is tried, at the edge and past it: past it an answer is the less good, and never wrong. Numbers
 * are those of the limits' own constants, so that a limit that is changed moves its edge here.
 */
#include <stdio.h>

#include "advice/advice.h"
#include "judge/judge.h"
#include "memory/memory.h"
#include "plan/fusions.h"
#include "support/analysis.h"
#include "support/test.h"

static char model[1 << 17], list[1 << 14];
static char *end;

static void begin(const char *text)
{
    end = model + sprintf(model, "%s", text);
}

/* Of a node of `model`. */
static enum npart_verdict verdict_of(const char *oplist, const char *name)
{
    struct analysis at;
    struct npart_node_plan result = {.size = sizeof result};
    analysis_open(&at, model, oplist, NULL, NULL);
    REQUIRE(npart_plan_node(at.plan, analysis_node(&at, name), &result));
    analysis_close(&at);
    return result.verdict;
}

/* ---- chains that a rule looks along --------------------------------------------------------------------------- */

static enum npart_verdict verdict_past_transposes(uint32_t count)
{
    begin("opset 17\ninput x float32[2,3]\nnode t0 = Neg(x)\n");
    for (uint32_t i = 1; i <= count; i++)
        end += sprintf(end, "node t%u = Transpose(t%u)\n", i, i - 1);
    sprintf(end, "node y = Relu(t%u)\noutput y\n", count);
    return verdict_of("format 1\ntarget t\nop Neg Transpose\nop Relu\n  need origin(X) = Neg\n", "y");
}

static void test_effort__layout_steps(void)
{
    CHECK_INT(verdict_past_transposes(NPART__LIMIT_LAYOUT_STEPS), NPART_VERDICT_NPU);
    CHECK_INT(verdict_past_transposes(NPART__LIMIT_LAYOUT_STEPS + 1), NPART_VERDICT_CPU);
}

/* ---- nodes that are taken as one ------------------------------------------------------------------------------ */

/* A Concat of `count` - 1 Relus, which no op of the list takes and a pattern does. */
static enum npart_verdict verdict_of_unit(uint32_t count)
{
    char *at_list = list + sprintf(list, "format 1\ntarget t\npattern all \"one node\"\n  match Concat(");
    begin("opset 17\ninput x float32[2,3]\n");
    for (uint32_t i = 1; i < count; i++) {
        end += sprintf(end, "node r%u = Relu(x)\n", i);
        at_list += sprintf(at_list, "%sRelu(x)", i > 1 ? "," : "");
    }
    sprintf(at_list, ")\nop Neg\n");
    end += sprintf(end, "node y = Concat(r1");
    for (uint32_t i = 2; i < count; i++)
        end += sprintf(end, ", r%u", i);
    sprintf(end, ") axis=0\noutput y\n");
    return verdict_of(list, "y");
}

static void test_effort__unit_nodes(void)
{
    CHECK_INT(verdict_of_unit(NPART__LIMIT_UNIT_NODES), NPART_VERDICT_NPU);
    CHECK_INT(verdict_of_unit(NPART__LIMIT_UNIT_NODES + 1), NPART_VERDICT_CPU);
}

/* ---- steps of matching one pattern ---------------------------------------------------------------------------- */

/* A chain of Adds down to an Erf, of which either operand may be the chain. At the last Add the wrong operand is tried
 * first: Adds of a node with itself down to a Relu, so that each level takes twice the steps of the one below. */
static enum npart_verdict verdict_past_decoy(uint32_t depth)
{
    char *at_list = list + sprintf(list, "format 1\ntarget t\npattern all \"one node\"\n  match ");
    begin("opset 17\ninput x float32[2,3]\nnode d0 = Relu(x)\nnode r0 = Erf(x)\n");
    for (uint32_t i = 1; i <= depth; i++) {
        end += sprintf(end, "node d%u = Add(d%u, d%u)\nnode r%u = Add(r%u, x)\n", i, i - 1, i - 1, i, i - 1);
        at_list += sprintf(at_list, "Add(");
    }
    sprintf(end, "node y = Add(d%u, r%u)\noutput y\n", depth, depth);
    at_list += sprintf(at_list, "Add(Erf(x)");
    for (uint32_t i = 0; i <= depth; i++)
        at_list += sprintf(at_list, ",*)");
    sprintf(at_list, "\nop Neg\n");
    return verdict_of(list, "y");
}

static void test_effort__match_steps(void)
{
    uint32_t depth = 1;
    while ((4u << depth) < NPART__LIMIT_MATCH_STEPS)
        depth++;
    CHECK_INT(verdict_past_decoy(depth - 1), NPART_VERDICT_NPU);
    CHECK_INT(verdict_past_decoy(depth + 1), NPART_VERDICT_CPU);
}

/* ---- nodes looked at for one fusion pattern ---------------------------------------------------------------------- */

/* A layer normalization after others of which only the last step is missing: each takes 46 tries. */
static bool has_fusion_past(uint32_t decoys)
{
    struct analysis at;
    struct npart_fusion fusion = {.size = sizeof fusion};
    begin("opset 17\ninput x float32[2,3]\ninit two float32[] = 2\ninit little float32[] = 0.00001\n"
          "node m = ReduceMean(x) axes=[-1]\n");
    for (uint32_t i = 0; i < decoys; i++) {
        end += sprintf(end, "node d%u = Sub(x, m)\n", i);
        for (uint32_t k = 0; k < 15; k++)
            end += sprintf(end, "node p%u_%u = Pow(d%u, two)\nnode v%u_%u = ReduceMean(p%u_%u) axes=[-1]\n"
                                "node n%u_%u = Neg(v%u_%u)\noutput n%u_%u\n", i, k, i, i, k, i, k, i, k, i, k, i, k);
    }
    sprintf(end, "node d = Sub(x, m)\nnode p = Pow(d, two)\nnode v = ReduceMean(p) axes=[-1]\n"
                 "node e = Add(v, little)\nnode r = Sqrt(e)\nnode y = Div(d, r)\noutput y\n");
    analysis_open(&at, model, "format 1\ntarget t\nop Add Div Neg Pow ReduceMean Sqrt Sub\n", NULL, NULL);
    bool is_found = npart_plan_fusion(at.plan, 0, &fusion, NULL) == NPART_OK &&
                    strcmp(fusion.pattern, "layer-norm") == 0;
    analysis_close(&at);
    return is_found;
}

static void test_effort__fusion_tries(void)
{
    const uint32_t most = NPART__LIMIT_FUSION_TRIES / 46;
    CHECK(has_fusion_past(0) && has_fusion_past(most - 1));
    CHECK(!has_fusion_past(most + 1));
}

/* ---- ops that the users of a value are told apart by ----------------------------------------------------------- */

/* A node whose operand is used by so many ops, its own among them. */
static enum npart_verdict verdict_beside(uint32_t ops)
{
    begin("opset 17\ninput x float32[2,3]\n");
    for (uint32_t i = 1; i < ops; i++)
        end += sprintf(end, "node o%u = my:K%u(x)\noutput o%u\n", i, i, i);
    sprintf(end, "node y = Relu(x)\noutput y\n");
    return verdict_of("format 1\ntarget t\nop Relu\n  need consumers(X) != Erf\n", "y");
}

static void test_effort__user_kinds(void)
{
    CHECK_INT(verdict_beside(NPART__LIMIT_USER_KINDS), NPART_VERDICT_NPU);
    CHECK_INT(verdict_beside(NPART__LIMIT_USER_KINDS + 1), NPART_VERDICT_UNKNOWN);
}

/* ---- bytes of a tensor ---------------------------------------------------------------------------------------- */

static struct npart_memory memory_of(uint64_t bytes)
{
    struct analysis at;
    struct npart_memory memory = {.size = sizeof memory};
    begin("opset 17\n");
    sprintf(end, "input x int8[%llu]\nnode y = Erf(x)\noutput y\n", (unsigned long long)bytes);
    analysis_open(&at, model, "format 1\ntarget t\nop Neg\n", NULL, NULL);
    CHECK(npart_plan_memory(at.plan, &memory));
    analysis_close(&at);
    return memory;
}

static void test_effort__tensor_bytes(void)
{
    struct npart_memory at = memory_of(NPART__LIMIT_TENSOR_BYTES), past = memory_of(NPART__LIMIT_TENSOR_BYTES + 1);
    CHECK(at.peak.bytes == NPART__LIMIT_TENSOR_BYTES && !at.peak.is_partial);
    CHECK(past.peak.bytes == 0 && past.peak.is_partial);
}

/* ---- what advice plans ------------------------------------------------------------------------------------------ */

/* The only one of twenty variants that takes an Erf is so many after the one that is planned for. */
static bool is_variant_advised(uint32_t distance)
{
    struct analysis at;
    struct npart_action action = {.size = sizeof action};
    npart_advice *advice = NULL;
    char *at_list = list + sprintf(list, "format 1\ntarget t\n");
    for (uint32_t i = 0; i < 20; i++)
        at_list += sprintf(at_list, "variant v%u\n", i);
    sprintf(at_list, "op Relu\nop Erf\n  need float: variant(v%u) \"the chip needs a float unit\"\n", distance);
    begin("opset 17\ninput x float32[2,3]\nnode a = Relu(x)\nnode y = Erf(a)\noutput y\n");
    analysis_open(&at, model, list, "t:v0", NULL);
    REQUIRE(npart_advice_make(&advice, at.plan, NULL, NULL, 0, NULL) == NPART_OK);
    REQUIRE(npart_advice_action(advice, 0, &action));
    bool is_advised = strcmp(action.kind, "variant") == 0;
    npart_advice_free(advice);
    analysis_close(&at);
    return is_advised;
}

static void test_effort__variants(void)
{
    CHECK(is_variant_advised(1) && is_variant_advised(NPART__LIMIT_VARIANTS_TRIED));
    for (uint32_t distance = NPART__LIMIT_VARIANTS_TRIED + 1; distance < 20; distance++)
        CHECK(!is_variant_advised(distance));
}

TESTS(test_effort__layout_steps, test_effort__unit_nodes, test_effort__match_steps, test_effort__fusion_tries,
      test_effort__user_kinds, test_effort__tensor_bytes, test_effort__variants)
