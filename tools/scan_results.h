/* SPDX-License-Identifier: Apache-2.0
 *
 * Where lines go: standard output, a file that a later scan can go on with, or a database.
 */
#ifndef TOOL_SCAN_RESULTS_H
#define TOOL_SCAN_RESULTS_H

#include "database.h"
#include "paths.h"
#include "run.h"
#include "scan_window.h"

struct results {
    const char *name; /* as messages say it */
    FILE *file; /* of lines; of a database, what keeps other scans out */
    struct database *database;
    struct paths done; /* of models that are there from earlier scans, sorted, as JSON has them (json_form) */
};

/* Opens what the options name, and with --resume counts each line that is there; what a torn last line has is
 * dropped; *earlier: how many. Tells what is wrong: there is something already, or not of the same options. */
enum exit_status results_open(struct results *results, const struct options *options, const char *fingerprint,
                              npart_many *many, size_t *earlier);
/* Whether an earlier scan has the model, by its path as JSON has it. */
bool results_have(const struct results *results, const char *path);
/* Writes a line, at once or, into a database, within a second. False, and told: it cannot be written. */
bool results_add(struct results *results, const struct line *line);
/* To be called now and then while no line comes. False, and told: earlier lines cannot be written. */
bool results_settle(struct results *results);
/* Writes what is left, and closes; once closed, it does nothing. False, and told: not all could be written. */
bool results_close(struct results *results);

#endif
