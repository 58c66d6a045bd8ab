/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of options: how a mistake is told, and what is taken.
 */
#ifndef TOOL_OPTION_VALUES_H
#define TOOL_OPTION_VALUES_H

#include <stddef.h>

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

#endif
