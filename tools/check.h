/* SPDX-License-Identifier: Apache-2.0
 *
 * The command check: all models of a project against its thresholds and waivers.
 */
#ifndef TOOL_CHECK_H
#define TOOL_CHECK_H

#include "job.h"
#include "project.h"
#include "scan_text.h"
#include "thresholds.h"


/* How a model stands on a target; of several the greatest. */
enum standing {
    STANDING_OK,
    STANDING_KNOWN,  /* a threshold is not met, which the baseline accepts */
    STANDING_WAIVED, /* ... which a waiver accepts */
    STANDING_WORSE,  /* than the baseline */
    STANDING_FAILS,
    STANDINGS
};
const char *standing_text(enum standing standing);

/* A model on a target. */
struct judged {
    enum standing standing;
    struct outcomes outcomes;
    char waivers[NPART_MOST_OUTCOMES][512]; /* why one that is not met is accepted; "": it is not */
    bool is_known[NPART_MOST_OUTCOMES];     /* the baseline accepts it, no waiver */
    bool is_told[NPART_MOST_OUTCOMES];      /* with the outcome of the baseline: one regression is told once */
    size_t own_bytes; /* of the text of `comparison`: what stands before "; changed: "; 0: all of it */
    struct npart_compared compared;         /* with the baseline, else with what was before */
    uint32_t comparison;              /* the outcome that it belongs to; NPART_NONE: none */
};

struct baseline;

/* A model with all of its targets. */
struct checked {
    const char *path;
    struct project *project; /* NULL: there is none */
    char *relative;          /* to the project file; NULL: the model is not in its folder */
    const struct options *asked;   /* what the command line says alone */
    const struct options *options; /* with what the project file says of all targets */
    uint32_t dims[MOST_DIMS]; /* which entry of the project file each dim of the options is, or NPART_NONE */
    struct job job;
    bool is_read;
    struct npart_error error; /* why it is not */
    enum standing standing;
    char invalid[512]; /* why ONNX Runtime does not load it, where that is a threshold; "" */
    char invalid_waiver[512];
    bool is_invalid_known; /* which the baseline accepts */
    struct baseline *baseline; /* NULL: none */
    struct baseline *before;   /* which decides nothing; NULL: none */
    struct judged judged[MOST_TARGETS];
};

/* What is found, with the waivers that hold on `today` ("2026-12-31"). */
npart_status judge_target(const struct run *run, struct checked *checked, int target, const char *today,
                          struct npart_error *error);
void judge_model(struct checked *checked, const char *today);
/* How it stands as a whole, after all of its targets. */
void settle_model(struct checked *checked, const char *today);
/* Of a threshold that is not met, and nothing accepts, which is told by itself. */
bool is_open(const struct judged *judged, uint32_t outcome);
/* Tells of waivers that were for a model that was checked, and that nothing needed; where all models of the project
 * were checked, also of those that are for none. */
void tell_idle_waivers(const struct project *project);

/* A line of JSON. */
void print_checked(struct run *run, const struct checked *checked);
/* For people: a block for each target that fails, with the stanza that would accept it where that `is_whole`; and of
 * the others a line each into `others`, which is NULL where they are a number alone. */
void add_checked(struct text *failing, struct text *others, const struct checked *checked, const char *today,
                 bool is_whole, const struct npart_report_options *look);
/* The same into the document over all models. */
npart_status enter_checked(struct run *run, const struct checked *checked, struct npart_error *error);
/* On standard error, what fails. */
void tell_checked(const struct checked *checked);

/* A project file to start from. Tells of a model that none can name: USAGE. */
enum exit_status write_new_config(struct run *run, const struct options *options);

#endif
