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
/* The same where the value is none of some words. */
bool complain_of_word(const char *option, const char *word, const char *const *words, size_t count);
/* Among words; `count` where it is none of them. */
size_t place_of_word(const char *word, size_t length, const char *const *words, size_t count);
bool read_share(const char *option, const char *value, double *out);

bool take_timeout(struct options *options, const char *value);
bool take_max_memory(struct options *options, const char *value);
/* All of it a number from `low` to `high`. */
bool read_whole(const char *text, long long low, long long high, long long *out);

bool take_bind(struct options *options, const char *value);
bool take_allow(struct options *options, const char *value);
bool take_only(struct options *options, const char *value);
bool take_not(struct options *options, const char *value);
bool take_max_growth(struct options *options, const char *value);
bool take_weights(struct options *options, const char *value);
bool take_max_partitions(struct options *options, const char *value);
bool take_keep_bytes(struct options *options, const char *value);
bool take_tokens(struct options *options, const char *value);
bool take_jobs(struct options *options, const char *value);
bool take_max_bytes(struct options *options, const char *value);

#endif
