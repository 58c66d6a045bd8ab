/* SPDX-License-Identifier: Apache-2.0
 *
 * The project file, npu-partition.toml (docs/project-file.md): targets, sizes, thresholds and waivers by globs of
 * models.
 */
#ifndef TOOL_PROJECT_H
#define TOOL_PROJECT_H

#include "options.h"
#include "toml.h"

#define PROJECT_FILE "npu-partition.toml"
#define MOST_PROJECT_MISTAKES 10

/* What the top of the file, a table of [[models]], or a waiver says; NULL: nothing. Each of these begins with it. */
struct settings {
    const struct toml_value *targets, *dims, *inputs, *level, *runtime, *thresholds;
    const struct toml_value *max_partitions, *min_coverage, *min_mac_coverage, *allow_none, *fail_on;
    const struct toml_value *bounds[NPART_BOUNDS];
    const struct toml_value *on; /* thresholds of some targets, by target */
};

struct model_table {
    struct settings settings;
    const struct toml_value *path;
    bool has_model; /* one that was checked */
};

struct waiver {
    struct settings settings; /* thresholds alone */
    const struct toml_value *at, *models, *targets, *rules, *worse, *thresholds, *reason, *expires;
    bool has_model, is_used;
    uint64_t known_rules; /* of the first 64 of `rules`, those that an op list of its models has */
    char meant[128];      /* what the first that none has may have meant; "" */
};

struct project {
    struct settings top;
    char *place;  /* by which two paths of one file are known, see find_place */
    char *path;   /* as it is shown, and can be opened */
    char *folder; /* absolute, ends with / */
    char *shown;  /* what is put before the path of a model that a glob found: "", "../", or `folder` */
    struct toml_document *document;
    const struct toml_value *exclude, *oplist, *cost, *baseline, *models, *waiver_tables;
    struct model_table *tables;
    struct waiver *waivers;
    uint32_t table_count, waiver_count;
    const struct toml_value **found; /* entries of dims that a model has, of thresholds that a target has */
    uint32_t found_count;
    bool is_whole; /* all of its models are checked, not only some */
    const struct toml_value *targets_of_last; /* that were taken for the last model; NULL: none of the file's */
    char *oplist_path, *cost_path, *baseline_path; /* relative to the working directory, as `shown` */
};

/* Reads a project file, and tells all its mistakes. NULL where there are any, or it cannot be read. */
struct project *project_read(const char *path);
/* The path of the project file in a folder or the nearest above it, up to that with .git; to be freed. NULL: none. */
char *project_find(const char *folder);
void project_free(struct project *project);

/* The path of a model relative to the project file's folder, to be freed; NULL: it is not in it. */
char *project_path(const struct project *project, const char *model);
/* Whether one of a glob, or a list of them, matches. */
bool project_matches(const struct toml_value *globs, const char *path);
/* Of a model (NULL: it is not in the folder) the options of the command line with what the file says added where the
 * command line is silent. `sources` has room for MOST_DIMS: where each dim stands in the file, or NULL. */
bool project_settle(struct project *project, const char *path, const struct options *asked, struct options *out,
                    const struct toml_value **sources);
/* The thresholds of such options as they are on one of the targets. */
void project_settle_target(struct project *project, const char *path, const struct options *asked,
                           const char *target, struct options *out);
/* An entry of dims that a model has, or of thresholds that a target has; and, in the end, a note on each without one;
 * on those of targets where the file's own were checked. */
void project_found(struct project *project, const struct toml_value *entry);
void project_tell_idle(const struct project *project, bool has_targets);
/* The thresholds of a waiver instead of those that are there, where they ask less. */
void project_accept(const struct waiver *waiver, struct options *options);
/* The thresholds of a waiver and no other; not the conditions that it accepts. */
void project_limit(const struct waiver *waiver, struct options *options);
/* Adds to the end of the file, which is read again. False, and told, where that would make no project file of it, or it
 * cannot be written. */
bool project_append(const struct project *project, const char *text, size_t count);
/* Whether a waiver is for a target as it was asked for. */
bool waiver_has_target(const struct waiver *waiver, const char *target);

/* A line about a place in the file: "npu-partition.toml:3:1: ...". */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void project_say(const struct project *project, uint32_t at, const char *format, ...);

#endif
