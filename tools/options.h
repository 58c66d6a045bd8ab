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

/* The model as it is, and every precision. */
void take_all_precisions(struct options *options);
/* Reads the arguments. Prints a line to standard error for each mistake, and returns false when there is one. The
 * strings in `options` point into `argv` or are allocated for the life of the program. */
bool read_options(int argc, char **argv, struct options *options);
/* Of a command, or of all without one. */
void print_help(FILE *file, const struct word *word);

/* ---- values --------------------------------------------------------------------------------------------------- */

/* Tells what is wrong with an option; false. */
bool complain(const char *option, const char *value, const char *problem);
/* NAME of NAME=VALUE, split at the last '=', as a name may hold one. NULL, and told, where it is none, or
 * there is no room for more. */
char *copy_name(const char *option, const char *value, bool has_room, const char *too_many, const char *expected);
/* Names with commas between them. False, and told, when one is empty or there are too many. */
bool add_names(const char *option, const char *value, const char **names, uint32_t *count, uint32_t most,
               const char *too_many);
/* Among words; `count` where it is none of them. */
size_t place_of_word(const char *word, size_t length, const char *const *words, size_t count);
/* The place of the one word that the value is; of several with commas between them, a bit each. False, and told, where
 * it is none of those that there are. */
bool read_word(const char *option, const char *value, const char *const *words, size_t count, unsigned *out);
bool read_words(const char *option, const char *value, const char *const *words, size_t count, unsigned *out);
/* All of it a number from `low` to `high`. */
bool read_whole(const char *text, long long low, long long high, long long *out);

bool take_timeout(struct options *options, const char *value);

bool take_bind(struct options *options, const char *value);
bool take_allow(struct options *options, const char *value);
bool take_cache(struct options *options, const char *value);
bool take_tokens(struct options *options, const char *value);
/* A number as people write it, of milliseconds say: "1.5"; up to a colon or the end. */
bool read_milliseconds(const char **at, double *out);
bool take_lengths(struct options *options, const char *value);
bool take_ram(struct options *options, const char *value);

/* What becomes of a value. */
enum how { HOW_TEXT, HOW_CALL, HOW_SHARE, HOW_MILLISECONDS, HOW_BYTES, HOW_NUMBER, HOW_CHOICE, HOW_NAMES };
#define AT(name) .member = offsetof(struct options, name), .bytes = sizeof ((struct options *)0)->name
#define MEMBER(name) {.how = HOW_TEXT, AT(name)} /* the value as it is, or true where it takes none */
#define CALL(function) {.how = HOW_CALL, .take = function}
#define SHARE(name) {.how = HOW_SHARE, AT(name)}
#define MILLISECONDS(name, expected) {.how = HOW_MILLISECONDS, AT(name), .text = expected}
#define BYTES(name) {.how = HOW_BYTES, AT(name)}
#define NUMBER(name, least, greatest, expected)                                                                        \
    {.how = HOW_NUMBER, AT(name), .low = least, .high = greatest, .text = expected}
#define CHOICE(name, words) {.how = HOW_CHOICE, AT(name), .text = words} /* the place among them */
#define NAMES(name, number, most, too_many)                                                                            \
    {.how = HOW_NAMES, AT(name), .count = offsetof(struct options, number), .high = most, .text = too_many}
struct taking {
    enum how how;
    bool (*take)(struct options *options, const char *value);
    size_t member, bytes, count; /* by their offsets */
    long long low, high;
    const char *text;
};
/* The option's value, NULL of one that takes none. False, and told, where it is wrong. */
bool take_value(const struct taking *taking, const char *name, struct options *options, const char *value);
#define NOTHING {.how = HOW_TEXT}

/* ---- the table --------------------------------------------------------------------------------------------- */

/* A row: an option, a heading, or a word. */
struct option_row {
    const char *name; /* NULL: a heading, or a word that the option before takes */
    char letter;
    const char *value; /* what it takes, or that word; NULL: nothing */
    struct taking taking;
    const char *help;
    /* The commands that it goes with, "-" being none of them; "*": with every one; NULL: with none. */
    const char *word;
};
/* By place; NULL past the last. */
const struct option_row *option_at(size_t index);
/* Of an argument that begins with - the option, as a command has it, and where its value is, should that stand there;
 * NULL: there is no such option. */
const struct option_row *find_option(const char *argument, const struct word *word, const char **value);
/* Whether it goes with a command; NULL: with none. */
bool option_goes_with(const struct option_row *row, const struct word *word);

#endif
