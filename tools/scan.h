/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of a scan: what is in one, and where they go.
 */
#ifndef TOOL_SCAN_H
#define TOOL_SCAN_H

#include "database.h"
#include "tool.h"

/* ---- the line of one model ------------------------------------------------------------------------------------ */

/* Of all options that lines depend on, but for --max-bytes, --max-memory and --timeout, with the files that they name:
 * member `tool.options`. False, and told: such a file cannot be read. */
bool find_fingerprint(const struct run *run, char *out);

/* May be called from several threads at once, with the same run. `is_dim_found` has a place for each --dim; those that
 * the model has are set. */
void make_line(const struct run *run, const char *fingerprint, const struct npart_file *model, bool *is_dim_found,
               struct npart_line *line);

/* ---- where lines go ------------------------------------------------------------------------------------------- */

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
/* Writes a line, at once or, into a database, within a second. False, and told: it cannot be written. */
bool results_add(struct results *results, const struct npart_line *line);
/* To be called now and then while no line comes. False, and told: earlier lines cannot be written. */
bool results_settle(struct results *results);
/* Writes what is left, and closes; once closed, it does nothing. False, and told: not all could be written. */
bool results_close(struct results *results);

#endif
