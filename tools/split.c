/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands split and annotate: the model is read a second time, and written with what the plans say.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "message.h"
#include "platform.h"
#include "scan_text.h"
#include "words.h"

#define MANIFEST "/manifest.json"

/* What a person wants to know at once; the rest is in the manifest. */
static void tell_text(struct run *run, const npart_plan *plan, const char *folder)
{
    struct npart_summary summary = {.size = sizeof summary};
    char text[200];
    if (!npart_plan_summary(plan, &summary))
        return;
    (void)snprintf(text, sizeof text, "%u partition%s on the NPU; the parts and their order: ", summary.partitions,
                   summary.partitions == 1 ? "" : "s");
    (void)(write_text(run, text) && write_text(run, folder) && write_text(run, MANIFEST "\n"));
}

/* As it was written, on one line: ends of lines stand between its words alone. False with errno. */
static bool add_manifest(struct text *out, const char *folder)
{
    struct text path = {0};
    char piece[4096];
    text_add(&path, folder);
    text_add(&path, MANIFEST);
    (void)text_write(&path, "", 1);
    errno = ENOMEM;
    FILE *file = path.has_failed ? NULL : npart__stream_open(path.bytes, "rb");
    while (file && fgets(piece, sizeof piece, file)) {
        piece[strcspn(piece, "\n")] = '\0';
        text_add(out, piece);
    }
    bool is_read = file && !ferror(file);
    if (file)
        (void)fclose(file);
    free(path.bytes);
    return is_read;
}

static void add_target(struct text *out, const npart_plan *plan)
{
    struct npart_plan_info info = {.size = sizeof info};
    struct npart_summary summary = {.size = sizeof summary};
    char counts[128];
    if (!npart_plan_info(plan, &info) || !npart_plan_summary(plan, &summary))
        return;
    text_add(out, "{\"target\":");
    text_add_json(out, info.target);
    (void)snprintf(counts, sizeof counts, ",\"nodes\":%u,\"live\":%u,\"accepted\":%u,\"partitions\":%u}",
                   summary.nodes, summary.live, summary.accepted, summary.partitions);
    text_add(out, counts);
}

static bool tell_json(struct run *run, const struct job *job, const char *written, bool splits)
{
    struct text out = {0};
    text_add(&out, splits ? "{\"schema\":2,\"command\":\"split\",\"model\":"
                          : "{\"schema\":2,\"command\":\"annotate\",\"model\":");
    text_add_json(&out, run->options->models[0]);
    text_add(&out, ",\"output\":");
    text_add_json(&out, written);
    text_add(&out, ",\"targets\":[");
    for (int i = 0; i < run->options->target_count; i++) {
        text_add(&out, i ? "," : "");
        add_target(&out, job->plans[i]);
    }
    text_add(&out, splits ? "],\"manifest\":" : "]");
    bool is_told = !splits || add_manifest(&out, written);
    text_add(&out, "}\n");
    (void)text_write(&out, "", 1);
    if (!is_told || out.has_failed)
        say("%s" MANIFEST ": cannot read: %s", written, strerror(out.has_failed ? ENOMEM : errno));
    else
        (void)write_text(run, out.bytes);
    free(out.bytes);
    return is_told && !out.has_failed;
}

/* What was written, once it is. */
static void tell(struct run *run, const struct job *job, const char *written, bool splits)
{
    if (run->options->is_quiet)
        return;
    if (run->options->format == FORMAT_JSON && !tell_json(run, job, written, splits))
        worsen(run, EXIT_OTHER);
    else if (run->options->format != FORMAT_JSON && splits)
        tell_text(run, job->plans[0], written);
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

enum exit_status run_split(struct run *run, struct options *options)
{
    return write_model(run, options, true);
}

enum exit_status run_annotate(struct run *run, struct options *options)
{
    return write_model(run, options, false);
}
