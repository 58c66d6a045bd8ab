/* SPDX-License-Identifier: Apache-2.0
 *
 * One model, every target that is built in: it is read and inferred once, and each target gets a plan.
 *
 *     ./many_targets model.onnx
 */
#include <stdio.h>

#include <npu_partition.h>

static npart_status print_target(const npart_inference *inference, const char *target, struct npart_error *error)
{
    npart_oplist *oplist = NULL;
    npart_plan *plan = NULL;
    struct npart_summary summary = {.size = sizeof summary};
    npart_status status = npart_oplist_find(&oplist, target, NULL, error);
    if (status == NPART_OK)
        status = npart_plan_make(&plan, inference, oplist, NULL, NULL, error);
    if (status == NPART_OK && npart_plan_summary(plan, &summary))
        printf("%-20s %-6s %3u partitions, %u of %u nodes\n", target,
               npart_plan_verdict_text(summary.verdict), summary.partitions, summary.accepted, summary.live);
    npart_oplist_free(oplist);
    npart_plan_free(plan);
    return status;
}

int main(int argc, char **argv)
{
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    struct npart_error error = {.status = NPART_OK};
    if (argc != 2)
        return 2;
    npart_status status = npart_model_read_file(&model, argv[1], NULL, &error);
    if (status == NPART_OK)
        status = npart_inference_make(&inference, model, NULL, &error);
    for (size_t i = 0; status == NPART_OK && npart_builtin_oplist(i); i++)
        status = print_target(inference, npart_builtin_oplist(i), &error);
    if (status != NPART_OK)
        fprintf(stderr, "%s %s\n", error.place, error.message);
    npart_inference_free(inference);
    npart_model_free(model);
    return status == NPART_OK ? 0 : 1;
}
