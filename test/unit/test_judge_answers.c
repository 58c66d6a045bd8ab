/* SPDX-License-Identifier: Apache-2.0
 *
 * What rules are answered of an attribute that was left out for its length.
 */
#include <stdio.h>
#include <string.h>

#include "npu_partition.h"
#include "support/analysis.h"
#include "support/model_text.h"
#include "support/test.h"

static void put_part(struct bytes *out, unsigned field, struct bytes *part)
{
    put_bytes(out, field, part->data, part->size);
    bytes_free(part);
}

/* `node y = my:Op(x) list=[1, 1, ...]`, by the numbers of onnx.proto. */
static struct bytes model_with_list(size_t elements)
{
    static uint8_t ones[70000];
    struct bytes attribute = {0}, node = {0}, input = {0}, graph = {0}, opset = {0}, model = {0};
    REQUIRE(elements <= sizeof ones);
    memset(ones, 1, sizeof ones);
    put_text(&attribute, 1, "list");
    put_bytes(&attribute, 8, ones, elements);
    put_number(&attribute, 20, 7);
    put_text(&node, 1, "x");
    put_text(&node, 2, "y");
    put_text(&node, 4, "Op");
    put_part(&node, 5, &attribute);
    put_text(&node, 7, "my");
    put_part(&graph, 1, &node);
    put_text(&graph, 2, "g");
    put_text(&input, 1, "x");
    put_bytes(&graph, 11, input.data, input.size);
    bytes_free(&input);
    put_text(&input, 1, "y");
    put_part(&graph, 12, &input);
    put_number(&model, 1, 9);
    put_part(&model, 7, &graph);
    put_text(&opset, 1, "my");
    put_number(&opset, 2, 1);
    put_part(&model, 8, &opset);
    return model;
}

static enum npart_verdict verdict_by(size_t elements, const char *rule)
{
    struct bytes bytes = model_with_list(elements);
    struct analysis at = {0};
    struct npart_error error;
    struct npart_node_plan plan = {.size = sizeof plan};
    char list[256];
    snprintf(list, sizeof list, "format 1\ntarget t\nop my:Op\n  need %s \"it must be so\"\n", rule);
    REQUIRE(npart_model_read_memory(&at.model, bytes.data, bytes.size, NULL, &error) == NPART_OK);
    REQUIRE(npart_inference_make(&at.inference, at.model, NULL, &error) == NPART_OK);
    REQUIRE(npart_oplist_read_memory(&at.oplist, list, strlen(list), "list.ops", NULL, &error) == NPART_OK);
    REQUIRE(npart_plan_make(&at.plan, at.inference, at.oplist, NULL, NULL, &error) == NPART_OK);
    REQUIRE(npart_plan_node(at.plan, 0, &plan));
    analysis_close(&at);
    bytes_free(&bytes);
    return plan.verdict;
}

static void test_answers__of_a_list_that_was_left_out(void)
{
    static const char *const rules[] = {"length(list) = 0",  "length(list) = 65537", "attr(list, 0) = 1",
                                        "attr(list, 0) = 2", "attr(list, -1) = 2",   "attr(list) = 2"};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        CHECK_INT(verdict_by(65537, rules[i]), NPART_VERDICT_UNKNOWN);
    CHECK_INT(verdict_by(65537, "has(list)"), NPART_VERDICT_NPU);
    CHECK_INT(verdict_by(65536, "length(list) = 65536 and attr(list, -1) = 1"), NPART_VERDICT_NPU);
    CHECK_INT(verdict_by(65536, "attr(list, 0) = 2"), NPART_VERDICT_CPU);
}

TESTS(test_answers__of_a_list_that_was_left_out)
