/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory with a limit: every byte of the library comes from functions of the caller's, and where these say no, the
 * call fails with NPART_ERROR_MEMORY.
 *
 *     ./own_allocator model.onnx hexagon 64
 */
#include <stdio.h>
#include <stdlib.h>

#include <npu_partition.h>

struct budget {
    size_t used, most, limit;
};

/* What a block begins with; the rest keeps its alignment. */
union head {
    size_t bytes;
    long double aligned;
};

static void *take(void *payload, size_t bytes)
{
    struct budget *budget = payload;
    union head *head = bytes <= budget->limit - budget->used ? malloc(sizeof *head + bytes) : NULL;
    if (!head)
        return NULL;
    head->bytes = bytes;
    budget->used += bytes;
    if (budget->used > budget->most)
        budget->most = budget->used;
    return head + 1;
}

static void give_back(void *payload, void *memory)
{
    struct budget *budget = payload;
    union head *head = memory ? (union head *)memory - 1 : NULL;
    if (head)
        budget->used -= head->bytes;
    free(head);
}

int main(int argc, char **argv)
{
    struct budget budget = {0, 0, 0};
    const struct npart_allocator allocator = {take, NULL, give_back, &budget};
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    npart_oplist *oplist = NULL;
    npart_plan *plan = NULL;
    struct npart_error error = {.status = NPART_OK};
    if (argc != 4)
        return 2;
    budget.limit = (size_t)atoi(argv[3]) << 20;
    options.allocator = &allocator; /* of all that is made from the model, too */
    npart_status status = npart_model_read_file(&model, argv[1], &options, &error);
    if (status == NPART_OK)
        status = npart_inference_make(&inference, model, NULL, &error);
    if (status == NPART_OK)
        status = npart_oplist_find(&oplist, argv[2], &allocator, &error);
    if (status == NPART_OK)
        status = npart_plan_make(&plan, inference, oplist, argv[2], NULL, &error);
    printf("%s: at most %zu kB\n", npart_status_text(status), budget.most >> 10);
    npart_plan_free(plan);
    npart_oplist_free(oplist);
    npart_inference_free(inference);
    npart_model_free(model);
    printf("left: %zu bytes\n", budget.used);
    return budget.used == 0 ? 0 : 1;
}
