/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a check beside models: what models were (baselines), and waivers that are added to project files.
 */
#ifndef TOOL_CHECK_FILES_H
#define TOOL_CHECK_FILES_H

#include "project.h"
#include "run.h"
#include "scan_text.h"
#include "side.h"

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
    size_t count;
};

/* Keeps stanzas for all that fails of a model, which is accepted from here on. False: not all can be, which is told. */
bool acceptance_add(struct acceptance *acceptance, const struct project *project, const char *path, npart_gate *gate);
/* Writes them. False, and told, where one cannot be. */
bool acceptance_write(struct acceptance *acceptance);
void acceptance_free(struct acceptance *acceptance);

#endif
