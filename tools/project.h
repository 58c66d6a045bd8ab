/* SPDX-License-Identifier: Apache-2.0
 *
 * The project file, npu-partition.toml (docs/project-file.md): targets, sizes, thresholds and waivers by globs of
 * models.
 */
#ifndef TOOL_PROJECT_H
#define TOOL_PROJECT_H

#include "options.h"

#define PROJECT_FILE "npu-partition.toml"

struct project {
    npart_project *read;
    struct npart_project_info info;
    char *place;  /* by which two paths of one file are known, see find_place */
    char *path;   /* as it is shown, and can be opened */
    char *folder; /* absolute, ends with / */
    char *shown;  /* what is put before the path of a model that a glob found: "", "../", or `folder` */
    bool is_whole; /* all of its models are checked, not only some */
    bool has_targets; /* the file's targets were taken for the last model; where they stand */
    uint32_t targets_line, targets_column;
    char *oplist_path, *cost_path, *baseline_path; /* relative to the working directory, as `shown` */
};

/* Reads a project file, and tells all its mistakes. NULL where there are any, or it cannot be read. */
struct project *project_read(const char *path);
/* The path of the project file in a folder or the nearest above it, up to that with .git; to be freed. NULL: none. */
char *project_find(const char *folder);
void project_free(struct project *project);

/* The path of a model relative to the project file's folder, to be freed; NULL: it is not in it. */
char *project_path(const struct project *project, const char *model);
/* Of a model (NULL: it is not in the folder) the options of the command line with what the file says added where the
 * command line is silent. `sources` has room for MOST_DIMS: which entry of the file each dim is, or NPART_NONE. */
bool project_settle(struct project *project, const char *path, const struct options *asked, struct options *out,
                    uint32_t *sources);
/* Notes on what the file says and no model has: where all are checked on entries of dims, and on thresholds of targets
 * where the file's own were checked; with `has_waivers` on waivers. */
void project_tell_idle(const struct project *project, bool has_targets, bool has_waivers);
/* A callback of the library's, whose payload is a project. */
void project_tell(void *payload, uint32_t line, uint32_t column, const char *text);
/* Adds to the end of the file, which is read again. False, and told, where that would make no project file of it, or it
 * cannot be written. */
bool project_append(const struct project *project, const char *text, size_t count);
/* A line about a place in the file: "npu-partition.toml:3:1: ...". */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void project_say(const struct project *project, uint32_t line, uint32_t column, const char *format, ...);

#endif
