/* SPDX-License-Identifier: Apache-2.0
 *
 * A target of one's own: an op list as text, and the partitions that it makes of a model. docs/oplist-format.md has
 * the language.
 *
 *     ./own_oplist model.onnx
 */
#include <stdio.h>
#include <string.h>

#include <npu_partition.h>

static const char list[] = "format 1\n"
                           "target mine \"An accelerator of convolutions\"\n"
                           "op Add Clip\n"
                           "op Conv\n"
                           "  need rank(X) = 4 \"rank of X must be 4\"\n"
                           "op GlobalAveragePool HardSigmoid HardSwish Mul Relu\n";

static void print_partitions(const npart_plan *plan)
{
    struct npart_partition partition = {.size = sizeof partition};
    struct npart_cause cause = {.size = sizeof cause};
    for (uint32_t id = 0; npart_plan_partition(plan, id, &partition); id++)
        printf("partition %u: %u nodes, %u inputs, %u outputs\n", id, partition.node_count, partition.input_count,
               partition.output_count);
    for (uint32_t id = 0; npart_plan_cause(plan, id, &cause, NULL, 0); id++)
        printf("%s: %u nodes, %u boundaries\n", cause.text, cause.affected_count, cause.cut_count);
}

int main(int argc, char **argv)
{
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    npart_oplist *oplist = NULL;
    npart_plan *plan = NULL;
    struct npart_error error = {.status = NPART_OK};
    if (argc != 2)
        return 2;
    npart_status status = npart_oplist_read_memory(&oplist, list, strlen(list), "mine.ops", NULL, &error);
    if (status == NPART_OK)
        status = npart_model_read_file(&model, argv[1], NULL, &error);
    if (status == NPART_OK)
        status = npart_inference_make(&inference, model, NULL, &error);
    if (status == NPART_OK)
        status = npart_plan_make(&plan, inference, oplist, "mine", NULL, &error);
    if (status == NPART_OK)
        print_partitions(plan);
    else
        fprintf(stderr, "%s %s\n", error.place, error.message);
    npart_plan_free(plan);
    npart_inference_free(inference);
    npart_model_free(model);
    npart_oplist_free(oplist);
    return status == NPART_OK ? 0 : 1;
}
