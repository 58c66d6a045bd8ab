/* SPDX-License-Identifier: Apache-2.0
 *
 * Which nodes waived rules put on the NPU, told by name or by op.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gate/gate.h"
#include "support/analysis.h"
#include "support/test.h"

static const char list[] = "format 1\ntarget t\nop Relu\nop Add\n  need rank(A) = 2 \"rank of A must be 2\"\n";
static const char model[] = "input x float32[1,2,8]\nnode a = Relu(x)\nnode b = Add(a, x) @first\nnode c = Add(b, x)\n"
                            "node d = Erf(c)\noutput d\n";

static void test_lift__by_name_and_op(void)
{
    struct analysis analysis;
    struct npart__lift *lift = NULL;
    struct npart_rule rule = {.size = sizeof rule};
    struct npart_oplist_info info = {.size = sizeof info};
    analysis_open(&analysis, model, list, "t", NULL);
    REQUIRE(npart_oplist_info(analysis.oplist, &info));
    bool *is_waived = calloc(info.all_rule_count + (size_t)1, sizeof *is_waived);
    uint32_t count = 9, rank = NPART_NONE;
    CHECK(npart__lift_make(&lift, analysis.plan, is_waived, NULL) == NPART_OK);
    (void)npart__lift_overrides(lift, &count);
    CHECK_INT(count, 0);
    npart__lift_free(lift);
    for (uint32_t i = 0; npart_oplist_rule(analysis.oplist, i, &rule); i++)
        if (strstr(rule.id, "Add"))
            is_waived[rank = i] = true;
    REQUIRE(rank != NPART_NONE);
    CHECK(npart__lift_make(&lift, analysis.plan, is_waived, NULL) == NPART_OK);
    const struct npart_assumption *items = npart__lift_overrides(lift, &count);
    CHECK_INT(count, 2);
    bool has_name = false;
    for (uint32_t i = 0; i < count; i++)
        has_name |= items[i].node && strcmp(items[i].node, "first") == 0 && items[i].on_npu;
    CHECK(has_name && npart__lift_has_rule(lift, rank));
    npart__lift_free(lift);
    free(is_waived);
    analysis_close(&analysis);
}

TESTS(test_lift__by_name_and_op)
