/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of npu_partition.h, which is the one to include: what reports of many models say together.
 */
#ifndef NPU_PARTITION_MANY_H
#define NPU_PARTITION_MANY_H

#include "runs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct npart_many npart_many;

/* Sums that nothing is counted in yet. `allocator` may be NULL. Fails with ARGUMENT or MEMORY. */
NPART_API npart_status npart_many_make(npart_many **out, const struct npart_allocator *allocator,
                                       struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_many_free(npart_many *many);

/* Counts a model: one report as JSON, of any detail, or an object with `error` and its `code` of a model that could not
 * be analyzed. Members that are missing or of another type count as nothing; the order of reports makes no difference.
 * Targets of one report that differ in their toolchain alone are told with it. Fails with ARGUMENT, MALFORMED (no
 * JSON) or MEMORY, after which what is written may lack something. */
NPART_API npart_status npart_many_add(npart_many *many, const char *json, size_t bytes, struct npart_error *error);

/* What the report that was counted last says of itself; NULL: nothing. Texts are good until the next is counted. */
struct npart_many_line {
    size_t size;
    const char *path, *version, *options; /* of the model; of the tool; by which options of a scan the line was made */
    const char *error; /* the code of why the model could not be analyzed */
};
NPART_API bool npart_many_line(const npart_many *many, struct npart_many_line *out);

struct npart_many_info {
    size_t size;
    uint64_t models, failures; /* failures: of them could not be analyzed */
    uint32_t target_count;
};
NPART_API bool npart_many_info(const npart_many *many, struct npart_many_info *out);
/* Why models could not be analyzed, each reason once, and how many of them. */
struct npart_many_failure {
    size_t size;
    const char *code;
    uint64_t models;
};
NPART_API bool npart_many_failure(const npart_many *many, uint32_t index, struct npart_many_failure *out);

/* Writes a table for people: models by verdict, then for each target the causes that keep models from being whole, with
 * what to do about them. Equal reports in any order give equal bytes. `look` may be NULL. Fails with ARGUMENT, WRITE or
 * MEMORY. */
NPART_API npart_status npart_many_text(const npart_many *many, const struct npart_report_options *look,
                                       npart_write_callback write, void *payload, struct npart_error *error);

/* ---- scans that go on -------------------------------------------------------------------------------------- */

/* What the lines of a scan depend on. All three options must be there. */
struct npart_scan_options {
    uint32_t version;
    const char *const *labels; /* of the targets, with their precisions */
    uint32_t label_count;
    const struct npart_read_options *read;
    const struct npart_inference_options *sizes;
    const struct npart_plan_options *plan;
    enum npart_detail detail;
    bool skips_advice;
    const void *oplist, *cost; /* what these files have; NULL: there are none */
    size_t oplist_bytes, cost_bytes;
};
#define NPART_SCAN_OPTIONS_INIT {.version = 1}
#define NPART_FINGERPRINT_BYTES 17 /* 16 digits and a NUL */
/* All of that in 16 digits, as lines tell it (npart_many_line.options); "" where something is missing. */
NPART_API size_t npart_scan_fingerprint(const struct npart_scan_options *options, char *out, size_t bytes);

struct npart_resume_options {
    uint32_t version;
    const char *options; /* by which all lines must have been made; NULL: any */
    void (*found)(void *payload, const char *path); /* is told of each model; NULL: nobody is */
    void *payload;
};
#define NPART_RESUME_OPTIONS_INIT {.version = 1}
/* Counts the lines of an earlier scan. `*end`, which may be NULL: where the last whole one ends; a torn one after it is
 * not counted. `options` may be NULL. Fails with ARGUMENT, READ, MALFORMED (a line is of no such scan, of another
 * version or of other options; the place is its number) or MEMORY. */
NPART_API npart_status npart_many_resume(npart_many *many, npart_read_callback read, void *payload,
                                         const struct npart_resume_options *options, uint64_t *end,
                                         struct npart_error *error);
/* Writes a line on how many models there are, `earlier` of them of earlier scans, and how fast they were; another one
 * where some could not be analyzed. Fails with ARGUMENT, WRITE or MEMORY. */
NPART_API npart_status npart_many_totals(const npart_many *many, uint64_t earlier, double seconds,
                                         npart_write_callback write, void *payload, struct npart_error *error);

/* A table over models and targets: a line each, with what to do first. */
typedef struct npart_overview npart_overview;
/* One without lines. `allocator` may be NULL. Fails with ARGUMENT or MEMORY. */
NPART_API npart_status npart_overview_make(npart_overview **out, const struct npart_allocator *allocator,
                                           struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_overview_free(npart_overview *overview);
/* Adds a line, which keeps nothing of what is given. `plan` NULL: the model could not be analyzed; `advice` may be
 * NULL. Fails with ARGUMENT or MEMORY. */
NPART_API npart_status npart_overview_add(npart_overview *overview, const char *model, const char *target,
                                          const npart_plan *plan, const npart_advice *advice,
                                          struct npart_error *error);
/* Writes the table for people, in one piece. `look` may be NULL. Fails with ARGUMENT, WRITE or MEMORY. */
NPART_API npart_status npart_overview_text(const npart_overview *overview, const struct npart_report_options *look,
                                           npart_write_callback write, void *payload, struct npart_error *error);

/* ---- many at the same time --------------------------------------------------------------------------------- */

/* What a job has made, which is the caller's. */
struct npart_line {
    void *text;
    size_t bytes;
};
#define NPART_MOST_WORKERS 1024

struct npart_spread_options {
    uint32_t version;
    const struct npart_allocator *allocator; /* NULL: malloc and free */
    uint32_t workers; /* threads that make lines; 0: one for each processor */
    bool is_unordered; /* lines are taken as they come, not in the order of the jobs */
    size_t most_lines; /* of jobs that are begun and wait for one that takes long; 0: 64 for each worker, and 64 */
    size_t most_bytes; /* of lines that wait, above which no job is begun; 0: 64 MiB */
    /* In a thread of its own, first of all; NULL: nothing. */
    void (*begin)(void *payload);
    /* Makes the line of a job, in any thread; workers count from 0. */
    void (*make)(void *payload, size_t job, uint32_t worker, struct npart_line *out);
    /* Takes the next line, in the caller's thread; NULL: none came for a tenth of a second. False: no more jobs are
     * begun; lines of those that are still come. */
    bool (*take)(void *payload, const struct npart_line *line);
    void *payload; /* of all three */
};
#define NPART_SPREAD_OPTIONS_INIT {.version = 1}

/* Does jobs 0, 1, ... by several threads, as `npu-partition scan` analyzes models; ends when all that were begun have
 * been taken. Where the system has no threads, the caller's does all of it. Fails with ARGUMENT or MEMORY. */
NPART_API npart_status npart_spread(size_t jobs, const struct npart_spread_options *options,
                                    struct npart_error *error);
/* How many workers that are for so many jobs. */
NPART_API uint32_t npart_spread_workers(size_t jobs, uint32_t asked);

/* ---- patterns of paths ----------------------------------------------------------------------------------- */

/* `*` and `?` within a name, `[abc]`, and `**` for any number of folders. A name that begins with a dot is matched only
 * by one that is written so. */
#define NPART_MOST_GLOB_BYTES 4096
#define NPART_MOST_GLOB_FOLDERS 64 /* deep */
/* A sentence on what is wrong with a pattern, or NULL. */
NPART_API const char *npart_glob_problem(const char *pattern);
/* Both with / between folders, relative to the same one. Time grows with the product of their lengths at most. */
NPART_API bool npart_glob_match(const char *pattern, const char *path);

/* ---- files of models --------------------------------------------------------------------------------------- */

/* The models that folders, patterns and paths stand for, as `npu-partition scan` takes them; or, below a folder, the
 * files that patterns match, as `npu-partition check` takes [[models]] of a project file. */
typedef struct npart_files npart_files;

#define NPART_MOST_FILES 10000000 /* with some 100 bytes of memory each */
#define NPART_MOST_GLOB_FILES 100000 /* ... below a folder */
#define NPART_MOST_GLOB_ENTRIES 1000000 /* looked at for one pattern below a folder */

struct npart_files_options {
    uint32_t version;
    const struct npart_allocator *allocator; /* NULL: malloc and free */
    /* All arguments are patterns of files below it ("", or ends with /), and so are the paths that are found; NULL:
     * folders, in which models are *.onnx, patterns and paths. */
    const char *folder;
    size_t path_count; /* of the last arguments, which are paths also where they look like patterns */
    const char *own; /* a file that is none of the models, by whatever name; NULL: none */
    /* Whether one is not wanted; NULL: all are. */
    bool (*skip)(void *payload, const char *path);
    /* Is told what is strange of an argument or path; NULL: nobody is. */
    void (*tell)(void *payload, const char *about, const char *text);
    void *payload; /* of both */
};
#define NPART_FILES_OPTIONS_INIT {.version = 1}

/* Finds them in the order of the arguments, and of one by the bytes of their paths; below a folder by these alone. A
 * file that is met again is left out. Folders are searched with all in them, but not through links or hidden ones.
 * `options` may be NULL. Fails with ARGUMENT (a pattern is none), LIMIT or MEMORY. */
NPART_API npart_status npart_files_find(npart_files **out, const char *const *arguments, size_t count,
                                        const struct npart_files_options *options, struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_files_free(npart_files *files);

struct npart_files_info {
    size_t size;
    uint64_t count, skipped;
    uint64_t left_out; /* models that are told with a name that another one has, too */
};
NPART_API bool npart_files_info(const npart_files *files, struct npart_files_info *out);
struct npart_file {
    size_t size;
    const char *path;
    const char *code, *problem; /* why it cannot be looked at: "read" or "limit", and a sentence; NULL: it can */
    bool is_folder; /* the problem is that of a folder */
};
NPART_API bool npart_files_file(const npart_files *files, size_t index, struct npart_file *out);

#ifdef __cplusplus
}
#endif

#endif
