/* SPDX-License-Identifier: Apache-2.0
 *
 * What all files of the tool know: how something is told, printed and kept, and one run with what every command needs
 * to read a model, to plan it, and to write what came out.
 */
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "platform.h"

/* ---- messages ------------------------------------------------------------------------------------------------- */

#define MESSAGE_BYTES 8192 /* a path, and an error about it; more is cut */

/* A text as it is shown: what a file or the command line brought into it is as npart_plain_text shows it. */
void format_plain(char *out, size_t bytes, const char *format, va_list list);
/* One line on standard error, with "npu-partition: " in front. What a file or the command line brought into it is shown
 * as npart_plain_text shows it. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void say(const char *format, ...);
/* "node%s" of so many. */
static inline const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

/* How a character of a text is written so that a reader of the document has it back, and the log has it not. */
enum printed_form {
    PRINTED_TEXT,     /* shown: \x5b */
    PRINTED_COMMANDS, /* the same; lines that begin with "::" are the tool's own */
    PRINTED_JSON,     /* \u005b */
    PRINTED_MARKUP,   /* &#91; of XML, SVG and labels of DOT */
    PRINTED_BYTES     /* an image: nothing is a text */
};

/* Of a report, which goes to one stream. */
void begin_printing(enum printed_form form);
/* False, with errno, where it cannot be written. Texts for standard error are PRINTED_TEXT whatever has begun. */
bool print_bytes(FILE *stream, const char *text, size_t bytes);
/* The same of a text that is put together, of up to MESSAGE_BYTES; more is cut. What cannot be written is seen when the
 * stream is flushed. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void print_format(FILE *stream, const char *format, ...);
/* Before a line for standard error: what waits for standard output stands before it then, and what comes after it does
 * not go on in the middle of a line, where both go to one log. */
void print_waiting(void);

/* ---- texts and lists ------------------------------------------------------------------------------------------ */

/* Ends the tool, as there is no memory. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void give_up(void);
/* Memory of zeros, which stays until the tool ends, or gives up where there is none. For the first thread alone. */
void *need(size_t bytes);
/* Gives all of it back, for who does the same again and again. */
void forget_all(void);
/* A list that has room for one more than `count`, from the same memory. */
void *grow(void *items, size_t item_bytes, size_t count, size_t *room);
/* A text that is put together, in the same memory. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
char *text_as(const char *format, ...);

/* Whether there is that end, and something before it. */
bool has_end(const char *text, const char *end);

/* Paths, or other texts; in the same memory. */
struct paths {
    char **items;
    size_t count, room;
};
/* A copy of the text. */
void paths_add(struct paths *paths, const char *text);
/* In the order of their bytes, by which they are then found. */
void paths_sort(struct paths *paths);
bool paths_have(const struct paths *paths, const char *text);

/* A text that grows. Begins with zeros; `bytes` is to be freed. */
struct text {
    char *bytes; /* no NUL at the end */
    size_t count, room;
    bool has_failed; /* out of memory: nothing more is added */
};

/* A write callback of the library's, whose payload is a text. */
bool text_write(void *payload, const char *bytes, size_t count);
void text_add(struct text *text, const char *more);
/* Adds what is left of a file. False with errno: not all of it could be read. */
bool text_read(struct text *text, FILE *file);
/* What the text has, with a NUL, in memory that stays; gives up where not all is there. The text is empty then. */
char *text_kept(struct text *text);

/* A text as JSON has it between quotes, good until the next call. Texts that differ in bytes which are no UTF-8 alone
 * have one form. */
const char *json_form(const char *text);

/* ---- a file that is written ----------------------------------------------------------------------------------- */

struct output_file {
    FILE *stream; /* to be written to; NULL: not open */
    char *beside; /* where it is written to meanwhile; NULL: in its place */
    char *place;  /* the path without links */
    struct output_file *before; /* that was opened and still is */
};

/* Opens what is to stand at the path. A regular file, also one that a link leads to, is written beside itself and keeps
 * its permissions. Pipes, devices, links that lead nowhere, and files in folders that take no new ones are written in
 * their place. False with errno: it cannot be written. */
bool begin_output_file(struct output_file *out, const char *path);
/* Closes it, and puts it in its place where it is whole; else nothing is left of it. False with errno: what was written
 * last is not there. Does nothing to one that is not open. */
bool end_output_file(struct output_file *out, bool is_whole);
/* The same as the last of a writer's calls, with errno as those left it: false, and told, where the file was not
 * written whole. */
bool finish_output_file(struct output_file *out, const char *path, bool is_written);
/* The whole way of a file. False, and told, where it was not written whole. */
bool save_file(const char *path, const void *bytes, size_t count);
/* Of all that are open nothing is left. */
void drop_output(void);

/* ---- a run ---------------------------------------------------------------------------------------------------- */

enum exit_status { EXIT_FINE = 0, EXIT_THRESHOLD = 1, EXIT_USAGE = 2, EXIT_UNREADABLE = 3, EXIT_OTHER = 4 };

struct run {
    const struct options *options;
    FILE *output; /* NULL until the first byte of an --output file, which stays as it is when nothing comes */
    struct output_file output_file; /* the same, where there is --output */
    npart_oplist *oplists[MOST_TARGETS];
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
/* Tells what is wrong, and worsens the run's status; false. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool refuse(struct run *run, enum exit_status status, const char *format, ...);
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
bool spread_targets(struct options *options);
npart_status find_oplist(struct run *run, npart_oplist **out, const char *target, struct npart_error *error);

/* What a real run left, where there is an `otherwise` also from standard input. False, and told: it cannot be read. */
bool read_run(struct run *run, const char *path, const char *otherwise, npart_run **out);
/* Of a model that was given up for want of time: the time that the user gave, which may be more than was left. */
void tell_all_time(const struct options *options, struct npart_error *error);
/* The three steps to a plan of a model, each as the options say. */
npart_status read_model(npart_model **out, const struct options *options, const char *path, struct npart_error *error);
npart_status infer(npart_inference **out, const npart_model *model, const struct options *options, bool *is_missing,
                   struct npart_error *error);
struct npart_read_options read_options_of(const struct options *options);
struct npart_inference_options inference_options(const struct options *options);
struct npart_plan_options plan_options(const struct options *options);
/* Borrows what it is given. */
struct npart_fix_options fix_options(const struct run *run, const struct npart_inference_options *sizes,
                                     const struct npart_plan_options *plan, uint32_t allowed);
npart_status make_plan(const struct run *run, const npart_inference *inference, int target, npart_plan **out,
                       struct npart_error *error);

/* ---- files ---------------------------------------------------------------------------------------------------- */

#define MOST_PATH_BYTES 16384

/* To be read from its beginning to its end, however long it is: a regular file alone, as a device may have no end, and
 * a pipe nobody who writes to it. NULL: it was told; `otherwise` says how else it may be given, or is "". */
FILE *open_regular_file(const char *path, const char *otherwise, enum exit_status *status);
/* An npart_read_callback, and an npart_write_callback, of a stream, which is the payload. */
ptrdiff_t read_stream(void *payload, void *into, size_t bytes);
bool write_stream(void *payload, const char *text, size_t bytes);
/* The absolute path of what may be no file yet, with no links to folders in it. NULL: there is no such folder. */
char *find_place(const char *path);
/* Absolute, without links, with / between its parts. NULL with errno: there is no such path. */
char *real_path(const char *path);
/* Writes all of it by one call of the system's where that takes it. False with errno. */
bool write_whole(FILE *stream, const char *bytes, size_t count);
/* A regular file by its path, or that of a stream where that is NULL. False: it is none, or cannot be looked at. */
bool find_file(const char *path, FILE *stream, struct npart__file_status *out);
/* Whether it is that file, through whatever link. */
bool is_same_file(const char *path, FILE *stream, const struct npart__file_status *file);
/* Whether writing to --output or standard output would write over this file, through whatever link; NULL is none. */
bool is_overwritten(const struct options *options, const char *path);
/* The name of a file to be read that --output, --settings or standard output would write to, through whatever link; or
 * of --settings where the report would be written there, too; NULL: none. */
const char *find_overwritten(const struct options *options);

/* ---- one model with what its targets make of it --------------------------------------------------------------- */

/* The model in one precision, with what is known of it. */
struct look {
    const char *as; /* NULL: as it is */
    npart_model *model;
    npart_inference *inference, *fixed_inference;
    bool is_fixed; /* fixed_inference was made; NULL: nothing was open */
};

/* Begin with zeros; everything is freed in one place. What stands in `pairs` belongs to the other members. */
struct job {
    npart_model *model;
    npart_inference *inference;
    struct npart_plan_pair pairs[MOST_TARGETS];
    npart_plan *plans[MOST_TARGETS], *fixed[MOST_TARGETS];
    npart_advice *advice[MOST_TARGETS];
    struct look looks[MOST_PRECISIONS + 1]; /* made when a target asks for it; of the first the rest of the job knows */
    int look_count;
};

/* All of it: the model is read, and planned for all targets. `is_missing`: see infer. */
npart_status job_make(const struct run *run, struct job *job, const char *path, bool *is_missing, bool wants_advice,
                      struct npart_error *error);
/* Plans for all targets of the options from job->inference, each with what to do about it where that is wanted. */
npart_status job_plan(const struct run *run, struct job *job, bool wants_advice, struct npart_error *error);
/* The same for the targets of a report, one after the other (npart_report_options.next): a plan goes when the next is
 * made. */
struct series {
    const struct run *run;
    struct job *job;
    bool wants_advice;
};
npart_status job_next(void *payload, size_t index, struct npart_plan_pair *out, struct npart_error *error);
/* What to do about one plan that is there, and what fixed sizes bring it; it need not be the job's own, but all that
 * are given must be of one inference. */
npart_status job_advise(const struct run *run, struct job *job, const npart_plan *plan, int target,
                        struct npart_error *error);
/* Of a job that was begun, whatever it has. */
void job_free(struct job *job);

/* ---- thresholds, and placement overrides that change nothing -------------------------------------------------- */

/* Of enum npart_condition, in its order. */
const char *const *condition_words(void);
/* Tells of every threshold of the user's that a plan does not meet. False when there is one. */
bool meets_thresholds(const struct options *options, const char *model, const char *target, const npart_plan *plan);
/* Tells the first cause of that, and what to do first; `advice` may be NULL. */
void tell_reason(const char *model, const char *target, const npart_plan *plan, const npart_advice *advice,
                 bool has_project);
/* Once a model: tells that ONNX Runtime does not load it, where that is a threshold. */
bool meets_validity(const struct options *options, const char *model, const npart_inference *inference);

/* Tells of each --assume whose op neither the model has, nor what a plan makes of it. */
void tell_assumptions(const struct options *options, const struct job *job, const char *path);

/* ---- saved reports and baselines ------------------------------------------------------------------------------ */

/* Zeroed at first. */
struct sides {
    npart_sides *read;
    const struct npart_side *items;
    uint32_t count;
};

/* Whether a file is a report or baseline rather than a model: its first byte that is no blank is a brace or `#`. Only a
 * regular file is looked into: what a pipe gives can be read once. */
bool is_saved_report(const char *path);
/* Reads the sides of a file, and of a baseline the cache beside it. False with `problem`, also when out of memory. */
bool read_sides(const char *path, struct sides *out, char *problem, size_t bytes);
void free_sides(struct sides *sides);

/* ---- documents over all models -------------------------------------------------------------------------------- */

/* Whether the options ask for such a document, and not for no report at all. */
bool wants_document(const struct options *options);
/* The same of commands whose only such document is a page. */
bool wants_page(const struct options *options);
/* Fails as npart_document_start does. */
npart_status document_open(struct run *run, struct npart_error *error);
/* For npart_document_add. */
#define ENTRY(...) &(const struct npart_entry){.version = 1, __VA_ARGS__}
/* A model that was planned for all targets, with every threshold of the user's of which something is known. */
npart_status document_add_job(struct run *run, const char *path, const struct job *job, struct npart_error *error);
/* Into a page: the report of a file that has the side, as it stands there. */
npart_status document_add_saved(struct run *run, const char *path, const struct sides *sides,
                                const struct npart_side *side, struct npart_error *error);
/* Ends the document, where there is one, and gives it back. Tells what went wrong. */
void document_close(struct run *run);

npart_status picture_open(struct run *run, struct npart_error *error);
/* Keeps what is to be drawn; the payload is the run. */
bool picture_write(void *payload, const char *text, size_t bytes);
/* Draws it, when it is whole, and writes the image; nothing is written of one that is not there. Tells what went wrong.
 * Nothing happens where no picture was opened. */
void picture_close(struct run *run, bool is_whole);

/* ---- the rest ------------------------------------------------------------------------------------------------- */

/* NAME=N. Tells what is wrong with it. */
bool take_limit(struct options *options, const char *value);
void list_limits(struct run *run);

/* Prints what may stand for the last of these words, which follow the tool's name: a line each, with a tab before what
 * it is for; a line ":models", ":files" or ":folders" where names of those may. Whether it could be printed. */
bool complete(int count, char **words);
/* The script for a shell; NULL: there is none for it. */
const char *completion_script(const char *shell);

/* Writes an op list to begin with, for a target of this name. False when the name cannot be one. */
bool write_new_oplist(struct run *run, const char *name);
/* A project file to start from. Tells of a model that none can name: USAGE. */
enum exit_status write_new_config(struct run *run, const struct options *options);

/* Each in the file of its name, annotate in split.c. */
typedef enum exit_status command(struct run *run, struct options *options);
command run_calibrate, run_check, run_diff, run_fix, run_place, run_scan, run_selftest, run_split, run_verify,
    run_weights;

struct word {
    const char *name;
    command *run;
    const char *usage;      /* what follows the word */
    const char *summary;    /* in one line of --help */
    const char *difference; /* what exit status 1 says */
    const char *text;       /* after the usage in its own help: help/NAME.txt */
};

/* The word of that name; NULL: it is none, but a model. */
const struct word *find_word(const char *name);
/* By place; NULL past the last. */
const struct word *word_at(size_t index);

#endif
