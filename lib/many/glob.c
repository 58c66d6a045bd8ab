/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns of paths as such; files.c looks for files that match.
 */
#include "many/many.h"

/* One character of UTF-8 up to `end`; a byte that is none counts as one. */
static uint32_t take_character(const char **at, const char *end)
{
    unsigned char first = (unsigned char)*(*at)++;
    int more = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    uint32_t code = more == 0 ? first : first & (0x3fu >> more);
    for (; more > 0 && *at < end && ((unsigned char)**at & 0xc0) == 0x80; more--)
        code = code << 6 | ((unsigned char)*(*at)++ & 0x3fu);
    return code;
}

/* After a [: past its ], or NULL. A ] that stands first is one of the characters. */
static const char *end_of_set(const char *at, const char *end)
{
    at += at < end && *at == '!';
    for (const char *from = at; at < end; at++)
        if (*at == ']' && at > from)
            return at + 1;
    return NULL;
}

static bool is_in_set(const char *at, const char *end, uint32_t code)
{
    bool is_not = *at == '!', is_found = false;
    at += is_not;
    while (at < end) {
        uint32_t low = take_character(&at, end), high = low;
        if (end - at >= 2 && *at == '-') {
            at++;
            high = take_character(&at, end);
        }
        is_found |= low <= code && code <= high;
    }
    return is_found != is_not;
}

/* One character of the name against what the pattern has there, which is no *. Moves both. */
static bool match_one(const char **pattern, const char *pattern_end, const char **name, const char *name_end)
{
    const char *start = *pattern;
    if (start == pattern_end)
        return false;
    const char *set_end = *start == '[' ? end_of_set(start + 1, pattern_end) : NULL;
    uint32_t wanted = take_character(pattern, pattern_end), found = take_character(name, name_end);
    if (set_end)
        *pattern = set_end;
    return set_end ? is_in_set(start + 1, set_end - 1, found) : *start == '?' || wanted == found;
}

/* A folder's or file's name. Where it goes wrong, the last * takes one character more: an earlier one need not. */
static bool match_name(const char *pattern, const char *pattern_end, const char *name, const char *name_end)
{
    const char *star = NULL, *taken = NULL;
    if (*name == '.' && *pattern != '.')
        return false;
    while (name < name_end) {
        if (pattern < pattern_end && *pattern == '*') {
            star = ++pattern;
            taken = name;
            continue;
        }
        const char *next_pattern = pattern, *next_name = name;
        if (match_one(&next_pattern, pattern_end, &next_name, name_end)) {
            pattern = next_pattern;
            name = next_name;
            continue;
        }
        if (!star)
            return false;
        (void)take_character(&taken, name_end);
        name = taken;
        pattern = star;
    }
    while (pattern < pattern_end && *pattern == '*')
        pattern++;
    return pattern == pattern_end;
}

static bool is_any_folders(const char *part)
{
    return part[0] == '*' && part[1] == '*' && (part[2] == '/' || !part[2]);
}

/* To the next part; the end of the text after the last. */
static const char *next_part(const char *part)
{
    part += strcspn(part, "/");
    return part + (*part == '/');
}

bool npart_glob_match(const char *pattern, const char *path)
{
    const char *star = NULL, *taken = NULL;
    while (*path) {
        if (is_any_folders(pattern)) {
            star = pattern = next_part(pattern);
            taken = path;
            continue;
        }
        size_t wanted = strcspn(pattern, "/"), found = strcspn(path, "/");
        if (*pattern && !pattern[wanted] == !path[found] &&
            match_name(pattern, pattern + wanted, path, path + found)) {
            pattern = next_part(pattern);
            path = next_part(path);
            continue;
        }
        if (!star || *taken == '.') /* which ** does not take; see above on why no earlier one would */
            return false;
        taken = path = next_part(taken);
        pattern = star;
    }
    while (is_any_folders(pattern))
        pattern = next_part(pattern);
    return !*pattern;
}

static const char *part_problem(const char *part, size_t length)
{
    if (length == 0)
        return "a name between / is missing";
    if ((length == 1 && *part == '.') || (length == 2 && part[0] == '.' && part[1] == '.'))
        return "paths begin at the folder of this file, and have no . or .. in them";
    for (size_t i = 0; i < length; i++) {
        if (part[i] == '[' && !end_of_set(part + i + 1, part + length))
            return "a [ has no ]";
        if (part[i] == '*' && i + 1 < length && part[i + 1] == '*' && length != 2)
            return "** stands alone between /";
    }
    return NULL;
}

const char *npart_glob_problem(const char *pattern)
{
    uint32_t depth = 0;
    if (!*pattern)
        return "an empty path";
    if (*pattern == '/')
        return "paths begin at the folder of this file, not with /";
    if (strlen(pattern) > NPART_MOST_GLOB_BYTES)
        return "the path has more than 4096 bytes";
    if (strchr(pattern, '\\'))
        return "folders are separated by /";
    for (;;) {
        size_t length = strcspn(pattern, "/");
        const char *problem = ++depth > NPART_MOST_GLOB_FOLDERS ? "the path has more than 64 folders"
                                                          : part_problem(pattern, length);
        if (problem || !pattern[length])
            return problem;
        pattern += length + 1;
    }
}
