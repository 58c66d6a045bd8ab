/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the sizes that are proposed for the dynamic dims of a model's inputs: a line of JSON for each model whose path
 * comes in on a line of standard input.
 */
#include "checks/paths.h"
#include "npu_partition.h"

static void print_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20)
            printf("\\u%04x", (unsigned)*text);
        else
            printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    putchar('"');
}

static void print_sizes(const npart_inference *fixed, const char *use)
{
    struct npart_dim_binding dim;
    printf("{\"use\":");
    print_text(use);
    printf(",\"dims\":{");
    for (uint32_t i = 0; npart_inference_binding(fixed, i, &dim); i++) {
        printf(i ? "," : "");
        print_text(dim.name);
        printf(":%lld", (long long)dim.size);
    }
    printf("}}");
}

static void print_model(const char *path)
{
    npart_model *model = NULL;
    npart_inference *open = NULL, *fixed = NULL;
    struct npart_inference_info info = {.size = sizeof info};
    struct npart_error error;
    npart_status status = npart_model_read_file(&model, path, NULL, &error);
    if (status == NPART_OK)
        status = npart_inference_make(&open, model, NULL, &error);
    printf("[");
    for (uint32_t use = 0; status == NPART_OK && (use == 0 || fixed); use++) {
        npart_inference_free(fixed);
        status = npart_inference_make_use(&fixed, open, use, &error);
        if (npart_inference_info(fixed, &info)) {
            printf(use ? "," : "");
            print_sizes(fixed, info.use);
        }
    }
    printf("]\n");
    if (status != NPART_OK)
        fprintf(stderr, "%s: %s\n", path, error.message);
    npart_inference_free(fixed);
    npart_inference_free(open);
    npart_model_free(model);
}

int main(void)
{
    return for_each_path(print_model);
}
