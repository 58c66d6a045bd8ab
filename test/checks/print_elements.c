/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints what inference knows of the elements of each graph output: a line of JSON for each model whose path comes in
 * on a line of standard input. `error` is how far each element may be off. Symbols are null.
 */
#include <math.h>

#include "api/api.h"
#include "checks/paths.h"

static void print_number(double number)
{
    if (isnan(number))
        printf("\"nan\"");
    else if (isinf(number))
        printf(number > 0 ? "\"inf\"" : "\"-inf\"");
    else
        printf("%.17g", number);
}

static void print_output(struct npart__inference *inference, uint32_t value, const char *before)
{
    struct npart__fact *fact = &inference->facts[value];
    const struct npart__known *known = npart__elements(inference, fact);
    printf("%s\"%s\":{\"type\":\"%s\",\"dims\":", before,
           npart__text(&inference->graph->strings, inference->graph->values.items[value].name),
           npart__type_name(fact->element_type));
    printf(fact->has_rank ? "[" : "null");
    for (uint32_t i = 0; fact->has_rank && i < fact->rank; i++)
        printf("%s%lld", i ? "," : "", npart__is_number(fact->dims[i]) ? (long long)fact->dims[i] : -1LL);
    printf("%s,\"elements\":%s", fact->has_rank ? "]" : "", known ? "[" : "null");
    for (uint32_t i = 0; known && i < known->count; i++) {
        printf(i ? "," : "");
        if (known->ints && npart__is_number(known->ints[i]))
            printf("%lld", (long long)known->ints[i]);
        else if (known->ints)
            printf("null");
        else
            print_number(known->doubles[i]);
    }
    printf("%s,\"error\":%.17g}", known ? "]" : "", known ? known->error : 0);
}

static void print_model(const char *path)
{
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    struct npart_error error;
    if (npart_model_read_file(&model, path, NULL, &error) != NPART_OK ||
        npart_inference_make(&inference, model, NULL, &error) != NPART_OK) {
        printf("{}\n");
        fprintf(stderr, "%s: %s\n", path, error.message);
        npart_model_free(model);
        return;
    }
    const struct npart__scope *scope = &model->graph->scopes.items[0];
    printf("{");
    for (uint32_t i = 0; i < scope->output_count; i++)
        print_output(inference->inference, model->graph->operands.items[scope->first_output + i], i ? "," : "");
    printf("}\n");
    npart_inference_free(inference);
    npart_model_free(model);
}

int main(void)
{
    return for_each_path(print_model);
}
