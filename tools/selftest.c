/* SPDX-License-Identifier: Apache-2.0
 *
 * The command selftest: a model of a few nodes that a target surely takes, by its own plan, with what runs it. Where
 * that model does not run on the NPU, it is not the model.
 */
#include "tool.h"

/* The path stands in quotes in the commands that are told. */
static bool can_be_quoted(const char *path)
{
    for (; *path; path++)
        if (strchr("'\"\\$`!{", *path) || (unsigned char)*path < ' ')
            return false;
    return true;
}

static const char *objection(struct options *options)
{
    if (options->model_count > 1 || (options->model_count == 1 && options->target_count))
        return "selftest takes one target";
    if (options->model_count == 1)
        options->targets[options->target_count++] = options->models[0];
    if (options->target_count + (options->oplist != NULL) != 1)
        return options->target_count ? "selftest takes one target" : "which target? (--list-targets)";
    if (!options->output)
        return "where to? --output FILE.onnx";
    return can_be_quoted(options->output) ? NULL : "choose a path without quotes and signs that a shell reads";
}

enum exit_status run_selftest(struct run *run, struct options *options)
{
    struct npart_selftest_info info = {.size = sizeof info};
    const char *path = options->output, *problem = objection(options);
    if (problem)
        return usage(problem);
    if (!find_oplists(run, options))
        return run->status;
    options->output = NULL;
    run->output = stdout;
    struct npart_inference_options sizes = inference_options(options);
    struct npart_plan_options plan = plan_options(options);
    struct npart_error error;
    npart_selftest *selftest = NULL;
    npart_status status = npart_selftest_make(&selftest, run->oplists[0], options->targets[0], path, &sizes, &plan,
                                              &error);
    if (is_fine(run, "", status, &error) && !npart_selftest_info(selftest, &info)) {
        say("no model of selftest is whole on this target, and nothing was written; where a toolkit quantizes by "
            "itself, add the switch: %s+quantize", options->targets[0] ? options->targets[0] : "TARGET");
        worsen(run, EXIT_THRESHOLD);
    } else if (status == NPART_OK) {
        npart_status told = save_file(path, info.bytes, info.byte_count) ? NPART_OK : NPART_ERROR_WRITE;
        if (told == NPART_OK && !options->is_quiet)
            told = (options->format == FORMAT_JSON ? npart_selftest_json : npart_selftest_text)(selftest, write_output,
                                                                                                run, &error);
        if (told != NPART_OK)
            worsen(run, EXIT_OTHER);
    }
    npart_selftest_free(selftest);
    return run->status;
}
