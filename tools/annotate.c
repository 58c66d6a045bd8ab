/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate.h"

#include <string.h>

#include "message.h"

static npart_status annotate(struct run *run, npart_model **model, npart_inference **inference, npart_plan **plans,
                             const char *out, struct npart_error *error)
{
    const struct options *options = run->options;
    const char *path = options->models[0];
    npart_status status = read_model(model, options, path, error);
    if (status == NPART_OK)
        status = infer(inference, *model, options, NULL, error);
    for (int i = 0; i < options->target_count && status == NPART_OK; i++)
        status = make_plan(run, *inference, i, &plans[i], error);
    return status == NPART_OK ? npart_plan_annotate((const npart_plan *const *)plans, (size_t)options->target_count,
                                                    path, out, options->weights, error)
                              : status;
}

enum exit_status run_annotate(struct run *run, struct options *options)
{
    struct npart_error error = {0};
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    npart_plan *plans[MOST_TARGETS] = {NULL};
    const char *out = options->output;
    if (options->model_count != 1)
        return usage(options->model_count ? "one model at a time" : "which model?");
    if (strcmp(options->models[0], "-") == 0)
        return usage("standard input cannot be read twice, as is needed to write the model");
    if (options->target_count + (options->oplist != NULL) == 0)
        return usage("which target? (--list-targets)");
    if (!out)
        return usage("where to? --output FILE");
    if (options->value_count)
        return usage("an input that is given a value is one of the model's: write that with npu-partition fix first");
    if (!find_oplists(run, options) || !can_be_read_again(run, options->models[0]))
        return run->status;
    options->output = NULL;
    npart_status status = annotate(run, &model, &inference, plans, out, &error);
    if (status != NPART_OK) {
        tell_error(options->models[0], &error);
        worsen(run, status_of(status));
    }
    for (int i = 0; i < options->target_count; i++)
        npart_plan_free(plans[i]);
    npart_inference_free(inference);
    npart_model_free(model);
    return run->status;
}
