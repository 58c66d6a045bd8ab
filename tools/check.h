/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a check: the project file, npu-partition.toml (docs/project-file.md), with targets, sizes, thresholds
 * and waivers by globs of models; what models were (baselines); and waivers that are added.
 */
#ifndef TOOL_CHECK_H
#define TOOL_CHECK_H

#include "tool.h"

/* ---- the project file ----------------------------------------------------------------------------------------- */

struct project {
    struct npart_checklist_project is;
    bool has_targets; /* the file's targets were taken for the last model; where they stand */
    uint32_t targets_line, targets_column;
};

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
bool project_append(const struct project *project, const char *text);
/* A line about a place in a file: "npu-partition.toml:3:1: ..."; line 0: about the file, NULL: about none. */
void tell_place(void *payload, const char *path, uint32_t line, uint32_t column, const char *text);

/* ---- files beside models -------------------------------------------------------------------------------------- */

struct baseline {
    const char *path;
    struct sides before;
    npart_baseline *made;
    bool is_written; /* it is to be */
    bool is_part;    /* of the models that it may have only some are checked */
    struct baseline *next; /* of a run */
};

/* Reads it. One that is to be written need not be there. False, and told, where it cannot be used. */
bool baseline_open(struct baseline *baseline, const char *path, bool is_written);
void baseline_free(struct baseline *baseline);
/* Where it is to be written. Unless all models were checked, those that were not stay as they are in it. False, and
 * told, when that fails. */
bool baseline_write(const struct baseline *baseline, bool are_all);

/* What is to be added to project files. Begins with zeros. */
struct acceptance {
    struct addition {
        const struct project *project;
        struct text stanzas;
        size_t count;
    } *items;
    size_t count, room;
};

/* Keeps stanzas for all that fails of a model, which is accepted from here on. False: not all can be, which is told. */
bool acceptance_add(struct acceptance *acceptance, const struct project *project, const char *path, npart_gate *gate);
/* Writes them. False, and told, where one cannot be. */
bool acceptance_write(struct acceptance *acceptance);

#endif
