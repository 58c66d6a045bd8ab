/* SPDX-License-Identifier: Apache-2.0
 *
 * A project file to start from.
 */
#include <stdlib.h>
#include <string.h>

#include "check_files.h"
#include "glob.h"
#include "message.h"

/* A string of TOML. */
static bool write_string(struct run *run, const char *text)
{
    struct text quoted = {0};
    text_add_toml(&quoted, text);
    bool is_written = !quoted.has_failed && write_output(run, quoted.bytes, quoted.count);
    free(quoted.bytes);
    return is_written;
}

static bool write_strings(struct run *run, const char *const *texts, int count)
{
    bool is_written = write_text(run, "[");
    for (int i = 0; is_written && i < count; i++)
        is_written = (i == 0 || write_text(run, ", ")) && write_string(run, texts[i]);
    return is_written && write_text(run, "]");
}

/* As the project file has it: "./" before it is nothing. */
static const char *plain_path(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        path += 2 + strspn(path + 2, "/");
    return path;
}

static bool write_paths(struct run *run, const struct options *options)
{
    bool is_written = write_text(run, "[");
    for (int i = 0; is_written && i < options->model_count; i++)
        is_written = (i == 0 || write_text(run, ", ")) && write_string(run, plain_path(options->models[i]));
    return is_written && write_text(run, "]");
}

static bool write_config(struct run *run, const struct options *options)
{
    static const char *const targets[] = {"hexagon"};
    bool has_targets = options->target_count > 0, has_models = options->model_count > 0;
    return write_text(run, "# What `npu-partition check` looks at, and what it requires (docs/project-file.md).\n\n"
                           "# npu-partition --list-targets has all of them.\n"
                           "targets = ") &&
           write_strings(run, has_targets ? options->targets : targets, has_targets ? options->target_count : 1) &&
           write_text(run, "\n\n"
                           "[thresholds]\n"
                           "max-partitions = 1\n"
                           "fail-on = [\"fail\"]\n\n"
                           "# Sizes for dynamic dimensions, by their names.\n"
                           "# [dims]\n"
                           "# batch = 1\n\n"
                           "# Paths are relative to this file; ** is any number of folders. A table may say otherwise\n"
                           "# than the top: targets, dims, thresholds. Of several for a model the last counts.\n"
                           "[[models]]\n"
                           "path = ") &&
           (has_models ? write_paths(run, options) : write_text(run, "[\"**/*.onnx\"]")) &&
           write_text(run, "\n\n"
                           "# What is accepted for some time: these thresholds instead.\n"
                           "# [[waivers]]\n"
                           "# models = \"models/detector.onnx\"\n"
                           "# thresholds = { max-partitions = 4 }\n"
                           "# reason = \"Pad with mode wrap; the exporter is being changed\"\n"
                           "# expires = 2027-03-31\n");
}

enum exit_status write_new_config(struct run *run, const struct options *options)
{
    for (int i = 0; i < options->model_count; i++) {
        const char *problem = npart_glob_problem(plain_path(options->models[i]));
        if (!problem)
            continue;
        say("%s: a project file cannot name it: %s", options->models[i], problem);
        return EXIT_USAGE;
    }
    return write_config(run, options) ? EXIT_FINE : EXIT_OTHER;
}
