/* SPDX-License-Identifier: Apache-2.0
 *
 * One run of the tool: what every command needs to read a model, to plan it, and to write what came out.
 */
#ifndef TOOL_RUN_H
#define TOOL_RUN_H

#include "paths.h"
#include "options.h"
#include "output_file.h"
#include "platform.h"

enum exit_status { EXIT_FINE = 0, EXIT_THRESHOLD = 1, EXIT_USAGE = 2, EXIT_UNREADABLE = 3, EXIT_OTHER = 4 };

struct run {
    const struct options *options;
    FILE *output; /* NULL until the first byte of an --output file, which stays as it is when nothing comes */
    struct output_file output_file; /* the same, where there is --output */
    npart_oplist *oplists[MOST_TARGETS];
    struct paths kept; /* texts that options point to: labels, precisions */
    const char *words[4]; /* npart_fix_options.words */
    uint32_t word_count;
    struct npart_report_options report;
    npart_overview *overview; /* of --summary */
    npart_document *document; /* NULL: the format is no document over all models */
    struct program drawer;    /* of --format png */
    bool is_dim_found[MOST_DIMS]; /* some model has it */
    int unknown_end;              /* after the last place of a model that could not be asked for its dims; 0: none */
    bool is_over;                 /* nothing more is to be analyzed */
    enum exit_status status; /* the worst so far */
    int write_error;         /* errno of the first write that failed */
    /* All models for all targets, as without a command. */
    enum exit_status (*analyze)(struct run *run, struct options *options);
};

/* Of several, the worst: 4, 3, then 1. */
void worsen(struct run *run, enum exit_status status);
/* Tells each --dim of the command line, the first `count`, that no model has. False where there is one, which is wrong
 * usage. */
bool tell_missing_dims(struct run *run, const struct npart_dim_binding *dims, uint32_t count, const bool *is_found);
/* Whether the model can be read again once its plan is known, as is needed to write it; a pipe or a device cannot.
 * Asked before it is read, since a pipe may never be written to. Tells what it is, and worsens the run's status. */
bool can_be_read_again(struct run *run, const char *path);
enum exit_status status_of(npart_status status);
/* Tells an error of the library's; `about`: a path, or "". */
void tell_error(const char *about, const struct npart_error *error);
/* Whether the status is OK; else tells the error, and worsens the run's. */
bool is_fine(struct run *run, const char *about, npart_status status, const struct npart_error *error);
/* Tells what is wrong with the command line. */
enum exit_status usage(const char *problem);

/* NULL when it cannot be opened; errno then says why. */
FILE *open_output(struct run *run);
/* For the library's reports; the payload is the run. */
bool write_output(void *payload, const char *text, size_t bytes);
/* A report as text, or in the format that was asked for where there are such reports of the subject: of most JSON
 * alone. */
npart_status write_report(struct run *run, const struct npart_subject *subject, const struct npart_report_options *look,
                          struct npart_error *error);
bool write_text(struct run *run, const char *text);
/* A line of a report of the tool's own, as a person may read it (npart_plain_text), with its end; cut
 * after MESSAGE_BYTES. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void print_line(struct run *run, const char *format, ...);
/* False when not everything could be written. */
bool close_output(struct run *run);

/* Whether reports go to a terminal. */
bool is_terminal(const struct run *run);
/* Colour, width and detail of what is told, by the options and whether it goes to a terminal. */
struct npart_report_options look_of(const struct options *options, bool is_on_terminal);
/* ... of reports. */
void choose_look(struct run *run);

/* One list for each target; --oplist FILE alone is the target. Tells what is wrong. */
bool find_oplists(struct run *run, struct options *options);
void free_oplists(struct run *run);
/* Each target in each precision that is asked for, one after the other, with its label. False, and told, where they are
 * too many. find_oplists does it. */
bool spread_targets(struct run *run, struct options *options);
npart_status find_oplist(struct run *run, npart_oplist **out, const char *target, struct npart_error *error);

/* Of a model that was given up for want of time: the time that the user gave, which may be more than was left. */
void tell_all_time(const struct options *options, struct npart_error *error);
/* The three steps to a plan of a model, each as the options say. */
npart_status read_model(npart_model **out, const struct options *options, const char *path, struct npart_error *error);
npart_status infer(npart_inference **out, const npart_model *model, const struct options *options, bool *is_missing,
                   struct npart_error *error);
struct npart_inference_options inference_options(const struct options *options);
struct npart_plan_options plan_options(const struct options *options);
/* Borrows what it is given. */
struct npart_fix_options fix_options(const struct run *run, const struct npart_inference_options *sizes,
                                     const struct npart_plan_options *plan, uint32_t allowed);
npart_status make_plan(const struct run *run, const npart_inference *inference, int target, npart_plan **out,
                       struct npart_error *error);

#endif
