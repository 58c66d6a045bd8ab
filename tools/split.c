/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands split and annotate: the model is read a second time, and written with what the plans say.
 */
#include <string.h>

#include "job.h"
#include "message.h"
#include "words.h"

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

/* Why the options of either do not do; NULL: they do. */
static const char *objection(const struct options *options, bool splits)
{
    if (options->model_count != 1)
        return options->model_count ? "one model at a time" : "which model?";
    if (strcmp(options->models[0], "-") == 0)
        return splits ? "standard input cannot be read twice, as is needed to write its parts"
                      : "standard input cannot be read twice, as is needed to write the model";
    if (options->target_count + (options->oplist != NULL) == 0)
        return "which target? (--list-targets)";
    if (splits && options->target_count > 1)
        return "one target at a time";
    if (!options->output)
        return splits ? "where to? --output FOLDER" : "where to? --output FILE";
    return options->value_count
               ? "an input that is given a value is one of the model's: write that with npu-partition fix first"
               : NULL;
}

static enum exit_status write_model(struct run *run, struct options *options, bool splits)
{
    struct npart_error error = {0};
    struct job job = {0};
    const char *problem = objection(options, splits), *path = options->models[0], *out = options->output;
    if (problem)
        return usage(problem);
    if (!find_oplists(run, options) || !can_be_read_again(run, path))
        return run->status;
    options->output = NULL;
    npart_status status = job_make(run, &job, path, NULL, false, &error);
    if (status == NPART_OK)
        status = splits ? npart_plan_split(job.plans[0], path, out, options->weights, &error)
                        : npart_plan_annotate((const npart_plan *const *)job.plans, (size_t)options->target_count, path,
                                              out, options->weights, &error);
    if (is_fine(run, path, status, &error) && splits)
        tell(run, job.plans[0], out);
    job_free(&job);
    return run->status;
}

enum exit_status run_split(struct run *run, struct options *options)
{
    run->output = stdout;
    return write_model(run, options, true);
}

enum exit_status run_annotate(struct run *run, struct options *options)
{
    return write_model(run, options, false);
}
