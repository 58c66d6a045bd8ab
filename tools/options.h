/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line as a table, from which arguments are read and the help is printed.
 */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "npu_partition.h"

#define MOST_TARGETS 64
#define MOST_PRECISIONS 32
#define MOST_TOKEN_COUNTS 8
#define MOST_DIMS 256
#define MOST_INPUTS 64
#define MOST_RANK 64
#define MOST_ASSUMPTIONS 256
#define MOST_CUTS 256
#define MOST_FIGURES 256
#define MOST_LINKS 1024
#define MOST_VALUES 64
#define MOST_NUMBERS 4096
#define MOST_REWRITES 128
#define MOST_LIMITS 64
#define MOST_JOBS 1024 /* of scan, at the same time */

/* FORMAT_SARIF is NPART_FORMAT_SARIF, and so on. */
enum format {
#define FORMAT(member, word, form, models, goes, help) FORMAT_##member,
#include "formats.def"
    FORMATS
};
enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct word;

struct options {
    const struct word *word; /* the command; NULL: none, models are analyzed */
    const char **models;
    int model_count;
    const char *targets[MOST_TARGETS];
    int target_count;
    const char *as[MOST_TARGETS]; /* by target: the precision that models are looked at in; NULL: their own */
    const char *labels[MOST_TARGETS]; /* the target with its precision, for people */
    const char *precisions[MOST_PRECISIONS]; /* in which each target is asked; NULL as above */
    uint32_t precision_count; /* 0: their own alone */
    /* Nodes that these leave in float, or with activations of 16 bits, what weights keep; NULL: as their names say. */
    const char *keep_float, *keep_16, *min_db;
    const char *oplist, *cost, *runtime, *partitioner, *gates, *output, *describe, *describe_op;
    const char *explain, *check_oplist, *new_oplist, *import_oplist;
    const char *profile, *settings, *write_cases;
    const char *against, *model_choice;
    const char *completion; /* the script to print */
    const char *config, *today; /* of check */
    const char *baseline, *before, *reason;
    bool wants_new_config, updates_baseline, accepts;
    enum npart_level level;
    enum format format;
    enum color color;
    struct npart_dim_binding dims[MOST_DIMS];
    uint32_t dim_count;
    struct npart_lengths lengths; /* of the one with an upper bound; zeros: not known */
    struct npart_input_shape inputs[MOST_INPUTS];
    int64_t input_dims[MOST_INPUTS][MOST_RANK];
    uint32_t input_count;
    struct npart_assumption assumptions[MOST_ASSUMPTIONS];
    uint32_t assumption_count;
    const char *cuts[MOST_CUTS];
    uint32_t cut_count;
    const char *begins[MOST_CUTS], *ends[MOST_CUTS]; /* of fix: where the model that is written begins and ends */
    uint32_t begin_count, end_count;
    const char *head, *rest; /* of fix: where what is before and after it goes */
    struct npart_part_figure figures[MOST_FIGURES];
    uint32_t figure_count;
    const char *links[MOST_LINKS];
    uint32_t link_count;
    uint64_t tokens; /* the first of these */
    uint32_t token_counts[MOST_TOKEN_COUNTS];
    uint32_t token_count_count;
    struct npart_bound_value values[MOST_VALUES];
    uint32_t value_count;
    const char *only[MOST_REWRITES], *without[MOST_REWRITES]; /* ids of rewrites */
    uint32_t only_count, without_count;
    unsigned allowed; /* bits by enum npart_equality */
    double max_growth;
    enum npart_weights weights;
    uint32_t cache_sizes[MOST_TOKEN_COUNTS]; /* numbers of slots; none: the cache stays as it is */
    uint32_t cache_size_count;
    uint32_t prompt_tokens; /* 0: a usual number */
    bool cache_shifts, cuts_windows;
    bool is_dry_run, lists_rewrites;
    uint64_t ram_bytes; /* 0: not asked */
    const char *device_class; /* for it */
    unsigned long long keep_bytes;
    struct npart_limit limits[MOST_LIMITS];
    uint32_t limit_count;
    uint64_t timeout_ms, max_memory_bytes; /* of a model and all that is made from it; 0: none */
    uint64_t begun_ms; /* of the clock, where a command does several things with its model: what is left counts; or 0 */
    struct npart_thresholds thresholds;
    enum npart_detail detail;
    bool has_level, has_detail; /* the user has asked for it */
    bool wants_summary, wants_shapes, wants_modules, lists_targets, lists_limits, wants_version, wants_help;
    bool is_verbose, is_quiet, skips_advice, use_ascii, is_sustained;
    /* Of scan. */
    const char *list; /* of paths */
    unsigned jobs; /* 0: one for each processor */
    uint64_t max_bytes; /* of a file; 0: any */
    bool resumes, is_unordered;
};

/* Reads the arguments. Prints a line to standard error for each mistake, and returns false when there is one. The
 * strings in `options` point into `argv` or are allocated for the life of the program. */
/* The model as it is, and every precision. */
void take_all_precisions(struct options *options);
bool read_options(int argc, char **argv, struct options *options);
/* Of a command, or of all without one. */
void print_help(FILE *file, const struct word *word);

/* A row of the table: an option; without a name a heading, or with a value a word that the option before takes. */
struct option_text {
    const char *name, *value, *help;
    char letter; /* 0: none */
};
/* By place; false past the last. */
bool option_at(size_t index, struct option_text *out);
/* Whether it goes with a command; NULL: with none. */
bool option_goes_with(size_t index, const struct word *word);

#endif
