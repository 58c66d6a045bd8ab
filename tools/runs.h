/* SPDX-License-Identifier: Apache-2.0
 *
 * A table of measured runs, as CSV or JSON.
 */
#ifndef TOOL_RUNS_H
#define TOOL_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MOST_RUNS 4096u       /* of all targets */
#define MOST_RUN_LINE 65536u  /* bytes of a line of CSV */

enum run_column { RUN_MODEL, RUN_TARGET, RUN_RUNTIME, RUN_DIMS, RUN_PROFILE, RUN_ON, RUN_MS, RUN_COLUMNS };

/* Texts are NULL where nothing is said. */
struct measured_run {
    char *texts[RUN_MS]; /* by column; RUN_DIMS: "batch=1 sequence=128", RUN_ON: "cpu" */
    double ms;           /* of a warm run; below 0: not said */
    uint32_t line;       /* of CSV, or place in JSON; for messages */
};

struct runs {
    struct measured_run *items;
    uint32_t count;
    char problem[256];
};

/* A text without the byte order mark that it may begin with. */
const char *after_mark(const char *beginning);
/* Whether a file is such a table, from its beginning (as much of it as there is, ended with a NUL). */
bool looks_like_runs(const char *beginning);
/* Reads a table to its end. False with `problem`; nothing is kept then, but what was there. */
bool runs_read(struct runs *runs, FILE *file);
/* One more run; false when out of memory or past MOST_RUNS. Copies `texts`. */
bool runs_add(struct runs *runs, const char *const texts[RUN_MS], double ms, uint32_t line);
void runs_free(struct runs *runs);

#endif
