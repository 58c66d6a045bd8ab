/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands: the words that may stand before the model. Without one, models are analyzed.
 */
#ifndef TOOL_WORDS_H
#define TOOL_WORDS_H

#include "run.h"

/* Each in the file of its name, annotate in split.c. */
typedef enum exit_status command(struct run *run, struct options *options);
command run_annotate, run_calibrate, run_check, run_diff, run_fix, run_place, run_scan, run_selftest, run_split,
    run_verify, run_weights;

struct word {
    const char *name;
    command *run;
    const char *usage;      /* what follows the word */
    const char *summary;    /* in one line of --help */
    const char *difference; /* what exit status 1 says */
    const char *text;       /* after the usage in its own help: lines, the last one without an end */
};

/* The word of that name; NULL: it is none, but a model. */
const struct word *find_word(const char *name);
/* By place; NULL past the last. */
const struct word *word_at(size_t index);

#endif
