/* SPDX-License-Identifier: Apache-2.0
 *
 * How many partitions does a model make on a target, and what ends them?
 *
 *     cc count_partitions.c $(pkg-config --cflags --libs npu-partition) -o count_partitions
 *     ./count_partitions model.onnx hexagon:v73
 */
#include <stdio.h>

#include <npu_partition.h>

static void print_plan(const npart_model *model, const npart_plan *plan)
{
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_partition partition = {.size = sizeof partition};
    struct npart_node node = {.size = sizeof node};
    if (!npart_plan_summary(plan, &summary))
        return;
    printf("%s: %u partitions, %u of %u nodes\n", npart_plan_verdict_text(summary.verdict), summary.partitions,
           summary.accepted, summary.live);
    for (uint32_t id = 0; npart_plan_partition(plan, id, &partition); id++) {
        printf("  partition %u: %u nodes", id, partition.node_count);
        for (uint32_t i = 0; i < partition.end_count && npart_model_node(model, partition.ends[i], &node); i++)
            printf("%s %s", i ? "," : ", ended by", node.op);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    npart_oplist *oplist = NULL;
    npart_plan *plan = NULL;
    struct npart_error error;
    if (argc != 3) {
        fprintf(stderr, "usage: %s MODEL TARGET\n", argv[0]);
        return 2;
    }
    npart_status status = npart_model_read_file(&model, argv[1], NULL, &error);
    if (status == NPART_OK)
        status = npart_inference_make(&inference, model, NULL, &error);
    if (status == NPART_OK)
        status = npart_oplist_find(&oplist, argv[2], NULL, &error);
    if (status == NPART_OK)
        status = npart_plan_make(&plan, inference, oplist, argv[2], NULL, &error);
    if (status == NPART_OK)
        print_plan(model, plan);
    else
        fprintf(stderr, "%s: %s %s\n", argv[1], error.place, error.message);
    npart_plan_free(plan);
    npart_oplist_free(oplist);
    npart_inference_free(inference);
    npart_model_free(model);
    return status == NPART_OK ? 0 : 1;
}
