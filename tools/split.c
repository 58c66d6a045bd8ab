/* SPDX-License-Identifier: Apache-2.0 */
#include "split.h"

#include <string.h>

#include "message.h"

static npart_status split(struct run *run, npart_model **model, npart_inference **inference, npart_plan **plan,
                          const char *folder, struct npart_error *error)
{
    const struct options *options = run->options;
    const char *path = options->models[0];
    npart_status status = read_model(model, options, path, error);
    if (status == NPART_OK)
        status = infer(inference, *model, options, NULL, error);
    if (status == NPART_OK)
        status = make_plan(run, *inference, 0, plan, error);
    return status == NPART_OK ? npart_plan_split(*plan, path, folder, options->weights, error) : status;
}

/* What a person wants to know at once; the rest is in the manifest. */
static void tell(struct run *run, const npart_plan *plan, const char *folder)
{
    struct npart_summary summary = {.size = sizeof summary};
    char text[200];
    if (run->options->is_quiet || !npart_plan_summary(plan, &summary))
        return;
    (void)snprintf(text, sizeof text, "%u partition%s on the NPU; the parts and their order: ", summary.partitions,
                   summary.partitions == 1 ? "" : "s");
    (void)(write_text(run, text) && write_text(run, folder) && write_text(run, "/manifest.json\n"));
}

enum exit_status run_split(struct run *run, struct options *options)
{
    struct npart_error error = {0};
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    npart_plan *plan = NULL;
    const char *folder = options->output;
    if (options->model_count != 1)
        return usage(options->model_count ? "one model at a time" : "which model?");
    if (strcmp(options->models[0], "-") == 0)
        return usage("standard input cannot be read twice, as is needed to write its parts");
    if (options->target_count + (options->oplist != NULL) == 0)
        return usage("which target? (--list-targets)");
    if (options->target_count > 1)
        return usage("one target at a time");
    if (!folder)
        return usage("where to? --output FOLDER");
    if (options->value_count)
        return usage("an input that is given a value is one of the model's: write that with npu-partition fix first");
    if (!find_oplists(run, options) || !can_be_read_again(run, options->models[0]))
        return run->status;
    options->output = NULL;
    run->output = stdout;
    npart_status status = split(run, &model, &inference, &plan, folder, &error);
    if (status != NPART_OK) {
        tell_error(options->models[0], &error);
        worsen(run, status_of(status));
    } else {
        tell(run, plan, folder);
    }
    npart_plan_free(plan);
    npart_inference_free(inference);
    npart_model_free(model);
    return run->status;
}
