/* SPDX-License-Identifier: Apache-2.0
 *
 * The line of one model: what --format json prints of it, or why it cannot be analyzed.
 */
#ifndef TOOL_SCAN_LINES_H
#define TOOL_SCAN_LINES_H

#include "run.h"
#include "scan_window.h"

#define FINGERPRINT_BYTES 17 /* 16 digits and a NUL */

/* Of all options that lines depend on, but for --max-bytes, --max-memory and --timeout, with the files that they name:
 * member `tool.options`. False, and told: such a file cannot be read. */
bool find_fingerprint(const struct run *run, char *out);

/* May be called from several threads at once, with the same run. `is_dim_found` has a place for each --dim; those that
 * the model has are set. */
void make_line(const struct run *run, const char *fingerprint, const struct npart_file *model, bool *is_dim_found,
               struct line *line);

#endif
