/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

/* A number, or a truth value; `*at` is moved past it. */
static bool read_number(const char **at, double *out)
{
    static const char *const words[] = {"false", "true", "False", "True"}; /* the last two as Python writes them */
    size_t length = strcspn(*at, ","), place = place_of_word(*at, length, words, 4);
    char *end = (char *)(size_t)*at;
    *out = (double)(place % 2);
    if (place == 4)
        *out = strtod(*at, &end);
    bool is_whole = place < 4 || end == *at + length;
    *at += length;
    return length > 0 && is_whole;
}

static bool read_share(const char *option, const char *value, double *out)
{
    bool is_percent;
    double share;
    if (!npart_share_of(value, &share, &is_percent))
        return complain(option, value, "expected a share up to 1, or percent such as 95%");
    *out = share;
    return true;
}

/* Digits, with a point or without; what is less than a millisecond is left out. */
bool take_timeout(struct options *options, const char *value)
{
    static const uint64_t most = UINT64_C(1000000000) * 1000;
    const char *at = value;
    uint64_t ms = 0, unit = 100;
    for (; *at >= '0' && *at <= '9' && ms < most; at++)
        ms = ms * 10 + (uint64_t)(*at - '0') * 1000;
    bool has_digits = at > value;
    if (has_digits && *at == '.')
        for (at++; *at >= '0' && *at <= '9'; at++, unit /= 10)
            ms += (uint64_t)(*at - '0') * unit;
    if (!has_digits || *at || ms == 0 || ms > most)
        return complain("--timeout", value, "expected seconds, such as 30 or 0.5");
    options->timeout_ms = ms;
    return true;
}

/* 500M: units are of 1024, as memory is counted. */
static bool read_bytes(const char *option, const char *value, uint64_t *out)
{
    static const char units[] = "KMGT";
    char *end = NULL;
    errno = 0;
    unsigned long long number = *value >= '0' && *value <= '9' ? strtoull(value, &end, 10) : 0;
    const char *unit = end && *end ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    bool is_whole = end && (!*end || (unit && !end[1])) && errno == 0;
    if (!is_whole || number == 0 || number > UINT64_MAX >> shift)
        return complain(option, value, "expected bytes, such as 500000000, 500M or 2G");
    *out = (uint64_t)number << shift;
    return true;
}

bool read_milliseconds(const char **at, double *out)
{
    size_t digits = strspn(*at, "0123456789"), length = digits;
    if ((*at)[length] == '.')
        length += 1 + strspn(*at + length + 1, "0123456789");
    bool is_number = digits > 0 && length < 16 && ((*at)[length] == '\0' || (*at)[length] == ':');
    *out = is_number ? strtod(*at, NULL) : 0;
    *at += length;
    return is_number;
}

#define MOST_QUANTILES 32

/* p50=40,p95=128 */
static bool take_quantiles(struct options *options, const char *value)
{
    struct npart_quantile *quantiles = need(MOST_QUANTILES * sizeof *quantiles);
    uint32_t count = 0;
    options->lengths = (struct npart_lengths){.quantiles = quantiles};
    for (const char *at = value; *at && count < MOST_QUANTILES; count++) {
        char text[32] = "", *rest = NULL;
        double percent = *at == 'p' ? strtod(at + 1, &rest) : -1;
        size_t length = rest && *rest == '=' ? strcspn(++rest, ",") : sizeof text;
        long long size = 0;
        if (length < sizeof text)
            memcpy(text, rest, length);
        if (!(percent >= 0 && percent <= 100) || !read_whole(text, 1, INT64_MAX, &size))
            return complain("--lengths", value, "expected quantiles such as p50=40,p95=128, or a file");
        quantiles[count] = (struct npart_quantile){percent / 100, size};
        at = rest + length + (rest[length] == ',');
    }
    options->lengths.quantile_count = count;
    return count || complain("--lengths", value, "there are none");
}

/* A file with a length on each line, or quantiles. */
bool take_lengths(struct options *options, const char *value)
{
    if (*value == 'p' && value[1] >= '0' && value[1] <= '9' && strchr(value, '='))
        return take_quantiles(options, value);
    enum exit_status status;
    FILE *file = open_regular_file(value, ", or quantiles such as p50=40,p95=128", &status);
    char line[64];
    size_t count = 0, room = 0;
    int64_t *samples = NULL;
    bool is_fine = true;
    if (!file)
        return false;
    while (is_fine && fgets(line, sizeof line, file)) {
        long long length = 0;
        line[strcspn(line, "\r\n")] = '\0';
        samples = grow(samples, sizeof *samples, count, &room);
        is_fine = read_whole(line, 1, INT64_MAX, &length);
        samples[count++] = length;
    }
    fclose(file);
    options->lengths = (struct npart_lengths){.samples = samples, .sample_count = count};
    return (is_fine && count) ||
           complain("--lengths", value, is_fine ? "there are none" : "expected a file with a length on each line");
}

bool take_ram(struct options *options, const char *value)
{
    struct npart_device_class at = {.size = sizeof at};
    char known[120] = "expected bytes, such as 8G, or one of ";
    options->device_class = NULL;
    options->ram_bytes = 0;
    if (*value >= '0' && *value <= '9')
        return read_bytes("--ram", value, &options->ram_bytes);
    for (uint32_t i = 0; npart_device_class(i, &at); i++) {
        if (strcmp(at.name, value) == 0)
            options->device_class = at.name;
        (void)snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", at.name);
    }
    return options->device_class || complain("--ram", value, known);
}

/* INPUT=VALUE[,...] */
bool take_bind(struct options *options, const char *value)
{
    static const char expected[] =
        "expected INPUT=VALUE, or INPUT=VALUE,VALUE,... with one for each element: numbers, true or false";
    char *name = copy_name("--bind", value, options->value_count < MOST_VALUES, "too many inputs", expected);
    double *numbers = need(MOST_NUMBERS * sizeof *numbers);
    uint32_t count = 0;
    const char *at = name ? value + strlen(name) : "", *problem = NULL;
    while (!problem && *at) { /* before each number is '=' or ',' */
        at++;
        if (count == MOST_NUMBERS || !read_number(&at, &numbers[count++]))
            problem = count == MOST_NUMBERS ? "too many values" : expected;
    }
    if (name && !problem)
        options->values[options->value_count++] = (struct npart_bound_value){name, numbers, count};
    return name && (!problem || complain("--bind", value, problem));
}

bool take_allow(struct options *options, const char *value)
{
    const char *words[8];
    size_t count = 0;
    for (const char *word; (word = npart_equality_text((enum npart_equality)count)) != NULL; count++)
        words[count] = word;
    return read_words("--allow", value, words, count, &options->allowed);
}

/* Each number once, since each becomes a file, or a line. NULL: it is added. */
static const char *add_number(const char *text, long long least, const char *otherwise, uint32_t *list, uint32_t *count)
{
    long long number;
    if (!read_whole(text, least, INT32_MAX, &number))
        return otherwise;
    for (uint32_t i = 0; i < *count; i++)
        if (list[i] == (uint32_t)number)
            return "a number stands there twice";
    if (*count == MOST_TOKEN_COUNTS)
        return "too many numbers";
    list[(*count)++] = (uint32_t)number;
    return NULL;
}

static bool read_numbers(const char *option, const char *value, long long least, const char *otherwise, uint32_t *list,
                         uint32_t *count)
{
    const char *problem = NULL, *at = value;
    *count = 0;
    while (!problem) {
        char text[24];
        size_t length = strcspn(at, ",");
        (void)snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), at);
        problem = add_number(text, least, otherwise, list, count);
        if (!at[length])
            break;
        at += length + 1;
    }
    return problem ? complain(option, value, problem) : true;
}

bool take_cache(struct options *options, const char *value)
{
    return read_numbers("--cache", value, 2, "expected a number of at least 2", options->cache_sizes,
                        &options->cache_size_count);
}

bool take_tokens(struct options *options, const char *value)
{
    bool is_read = read_numbers("--tokens", value, 1, "expected a number of at least 1", options->token_counts,
                                &options->token_count_count);
    options->tokens = is_read ? options->token_counts[0] : options->tokens;
    return is_read;
}

/* ---- whole numbers ------------------------------------------------------------------------------------------ */

bool read_whole(const char *text, long long low, long long high, long long *out)
{
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return *text && !*end && errno == 0 && *out >= low && *out <= high;
}

/* ---- any of them ------------------------------------------------------------------------------------------- */

static void put_number(char *member, size_t bytes, long long number)
{
    const bool flag = number != 0;
    const uint32_t small = (uint32_t)number;
    memcpy(member, bytes == sizeof flag ? (const void *)&flag : bytes == sizeof small ? (const void *)&small : &number,
           bytes);
}

/* The place of the value among words with | between them. */
static bool read_choice(const char *option, const char *value, const char *text, long long *out)
{
    char kept[64];
    const char *words[8];
    size_t count = 0;
    unsigned place;
    (void)snprintf(kept, sizeof kept, "%s", text);
    for (char *at = kept; at; count++) {
        words[count] = at;
        at = strchr(at, '|');
        if (at)
            *at++ = '\0';
    }
    bool is_word = read_word(option, value, words, count, &place);
    *out = is_word ? place : 0;
    return is_word;
}

bool take_value(const struct taking *taking, const char *name, struct options *options, const char *value)
{
    char option[32], *member = (char *)options + taking->member;
    long long number = 1;
    (void)snprintf(option, sizeof option, "--%s", name);
    switch (taking->how) {
    case HOW_CALL:
        return taking->take(options, value);
    case HOW_SHARE:
        return read_share(option, value, (double *)(void *)member);
    case HOW_MILLISECONDS: {
        const char *at = value;
        bool is_number = read_milliseconds(&at, (double *)(void *)member) && !*at;
        return is_number || complain(option, value, taking->text);
    }
    case HOW_BYTES:
        return read_bytes(option, value, (uint64_t *)(void *)member);
    case HOW_NAMES:
        return add_names(option, value, (const char **)(void *)member,
                         (uint32_t *)(void *)((char *)options + taking->count), (uint32_t)taking->high, taking->text);
    case HOW_NUMBER:
        if (!read_whole(value, taking->low, taking->high, &number))
            return complain(option, value, taking->text);
        break;
    case HOW_CHOICE:
        if (!read_choice(option, value, taking->text, &number))
            return false;
        break;
    case HOW_TEXT:
        if (!value)
            break;
        memcpy(member, &value, sizeof value);
        return true;
    }
    put_number(member, taking->bytes, number);
    return true;
}
