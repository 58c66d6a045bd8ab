/* SPDX-License-Identifier: Apache-2.0
 *
 * A model that is in memory already, such as an exporter's bytes: which nodes fall back to the CPU, and why?
 *
 *     ./memory_buffer model.onnx hexagon
 */
#include <stdio.h>
#include <stdlib.h>

#include <npu_partition.h>

/* Stands in for bytes that the program has anyway. */
static char *read_all(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size > 0 && fseek(file, 0, SEEK_SET) == 0)
        data = malloc((size_t)size);
    *bytes = data ? fread(data, 1, (size_t)size, file) : 0;
    if (file)
        fclose(file);
    return data;
}

static void print_fallbacks(const npart_plan *plan)
{
    const npart_model *model = npart_inference_model(npart_plan_view(plan));
    struct npart_node_plan node = {.size = sizeof node};
    struct npart_reason reason = {.size = sizeof reason};
    char name[160], found[256];
    for (uint32_t id = 0; npart_plan_node(plan, id, &node); id++) {
        if (node.verdict != NPART_VERDICT_CPU || !npart_plan_reason(plan, id, 0, &reason, found, sizeof found))
            continue;
        npart_model_node_text(model, id, name, sizeof name);
        printf("%s: %s (%s)\n", name, reason.text, found);
    }
}

int main(int argc, char **argv)
{
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    npart_oplist *oplist = NULL;
    npart_plan *plan = NULL;
    struct npart_error error = {.status = NPART_OK};
    size_t bytes;
    if (argc != 3)
        return 2;
    char *data = read_all(argv[1], &bytes);
    npart_status status = npart_model_read_memory(&model, data, bytes, NULL, &error);
    free(data); /* not needed any more */
    if (status == NPART_OK)
        status = npart_inference_make(&inference, model, NULL, &error);
    if (status == NPART_OK)
        status = npart_oplist_find(&oplist, argv[2], NULL, &error);
    if (status == NPART_OK)
        status = npart_plan_make(&plan, inference, oplist, argv[2], NULL, &error);
    if (status == NPART_OK)
        print_fallbacks(plan);
    else
        fprintf(stderr, "%s %s\n", error.place, error.message);
    npart_model_free(model);
    npart_inference_free(inference);
    npart_oplist_free(oplist);
    npart_plan_free(plan);
    return status == NPART_OK ? 0 : 1;
}
