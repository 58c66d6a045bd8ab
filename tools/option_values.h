/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of options: how a mistake is told, whole numbers, and those of the commands that
 * change a model.
 */
#ifndef TOOL_OPTION_VALUES_H
#define TOOL_OPTION_VALUES_H

#include "options.h"

/* Tells what is wrong with an option; false. */
bool complain(const char *option, const char *value, const char *problem);
/* NAME of NAME=VALUE, split at the last '=', as a name may hold one; to be freed. NULL, and told, where it is none, or
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
bool read_share(const char *option, const char *value, double *out);
/* All of it a number from `low` to `high`. */
bool read_whole(const char *text, long long low, long long high, long long *out);

bool take_timeout(struct options *options, const char *value);
bool take_max_memory(struct options *options, const char *value);

bool take_bind(struct options *options, const char *value);
bool take_allow(struct options *options, const char *value);
bool take_only(struct options *options, const char *value);
bool take_not(struct options *options, const char *value);
bool take_max_growth(struct options *options, const char *value);
bool take_cache(struct options *options, const char *value);
bool take_prompt(struct options *options, const char *value);
bool take_present(struct options *options, const char *value);
bool take_weights(struct options *options, const char *value);
bool take_max_partitions(struct options *options, const char *value);
bool take_keep_bytes(struct options *options, const char *value);
bool take_tokens(struct options *options, const char *value);
bool take_jobs(struct options *options, const char *value);
/* A number as people write it, of milliseconds say: "1.5"; up to a colon or the end. */
bool read_milliseconds(const char **at, double *out);
bool take_lengths(struct options *options, const char *value);
#define BOUND(member, id, word, is_least, unit, unknown, expected, form, goes, help)                                  \
    bool take_##member(struct options *options, const char *value);
#include "gate/bounds.def"
bool take_ram(struct options *options, const char *value);
bool take_max_bytes(struct options *options, const char *value);

#endif
