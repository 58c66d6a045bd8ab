/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands split and annotate: the model is read a second time, and written with what the plans say.
 */
#include "tool.h"

#define MANIFEST "/manifest.json"

/* The text of the manifest; NULL with errno. */
static const char *read_manifest(const char *folder)
{
    struct text text = {0};
    FILE *file = npart__stream_open(text_as("%s" MANIFEST, folder), "rb");
    bool is_read = file && text_read(&text, file);
    if (file)
        (void)fclose(file);
    return is_read ? text_kept(&text) : NULL;
}

/* What was written, once it is. */
static void tell(struct run *run, const struct job *job, const char *written, bool splits)
{
    struct npart_error error;
    struct npart_subject subject = {.size = sizeof subject, .kind = NPART_SUBJECT_PARTS, .plans = job->pairs,
                                    .count = (size_t)run->options->target_count, .model = run->options->models[0],
                                    .written = written};
    if (run->options->is_quiet)
        return;
    subject.manifest = splits ? read_manifest(written) : NULL;
    bool is_read = !splits || subject.manifest;
    npart_status status = is_read ? write_report(run, &subject, NULL, &error) : NPART_OK;
    if (!is_read)
        say("%s" MANIFEST ": cannot read: %s", written, strerror(errno));
    else if (status != NPART_OK && status != NPART_ERROR_WRITE) /* that is told once, at the end */
        tell_error(written, &error);
    if (!is_read || status != NPART_OK)
        worsen(run, EXIT_OTHER);
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

enum exit_status run_split(struct run *run, struct options *options)
{
    struct npart_error error = {0};
    struct job job = {0};
    bool splits = strcmp(options->word->name, "split") == 0;
    const char *problem = objection(options, splits), *path = options->models[0], *out = options->output;
    if (problem)
        return usage(problem);
    if (!find_oplists(run, options) || !can_be_read_again(run, path))
        return run->status;
    options->output = NULL;
    run->output = stdout;
    npart_status status = job_make(run, &job, path, NULL, false, &error);
    if (status == NPART_OK)
        status = splits ? npart_plan_split(job.plans[0], path, out, options->weights, &error)
                        : npart_plan_annotate((const npart_plan *const *)job.plans, (size_t)options->target_count, path,
                                              out, options->weights, &error);
    if (is_fine(run, path, status, &error))
        tell(run, &job, out, splits);
    job_free(&job);
    return run->status;
}
