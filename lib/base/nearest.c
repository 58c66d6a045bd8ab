/* SPDX-License-Identifier: Apache-2.0
 *
 * Which names may have been meant by one that is none: "did you mean" of targets, dims,
 * switches, ops, inputs and nodes. Names are offered one by one; the best three are kept, and
 * the first few for a list of what there is.
 */
#include <stdio.h>

#include "base/base.h"

#define MOST_COMPARED 64u  /* bytes; of longer names their beginnings are compared */
/* Of the longest words; after more changes it is another word. */
#define MOST_CHANGES 3u
/* Shorter parts are in nearly every name. */
#define LEAST_CONTAINED 3u /* bytes of a name that counts as part of another */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* How many letters are to be changed, put in, taken out or swapped with the next to make one
 * text of the other; more than `most` is all the same. This is the distance of Damerau and
 * Levenshtein without changing a letter twice, by rows of its table: three are enough, as a swap
 * looks back two. It ends as soon as a whole row is past `most`. */
static uint32_t changes_between(const char *a, size_t a_length, const char *b, size_t b_length, uint32_t most)
{
    uint32_t rows[3][MOST_COMPARED + 1];
    a_length = a_length < MOST_COMPARED ? a_length : MOST_COMPARED;
    b_length = b_length < MOST_COMPARED ? b_length : MOST_COMPARED;
    /* cppcheck-suppress knownConditionTrueFalse ; it takes the lengths for equal */
    if (a_length > b_length + most || b_length > a_length + most)
        return most + 1;
    for (uint32_t k = 0; k <= b_length; k++)
        rows[0][k] = k;
    for (uint32_t i = 1; i <= a_length; i++) {
        uint32_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *before = rows[(i + 1) % 3], best = i;
        row[0] = i;
        for (uint32_t k = 1; k <= b_length; k++) {
            char x = lower(a[i - 1]), y = lower(b[k - 1]);
            row[k] = least(above[k - 1] + (x != y), least(above[k], row[k - 1]) + 1);
            if (i > 1 && k > 1 && x == lower(b[k - 2]) && y == lower(a[i - 2]))
                row[k] = least(row[k], before[k - 2] + 1);
            best = least(best, row[k]);
        }
        if (best > most)
            return most + 1;
    }
    return rows[a_length % 3][b_length];
}

/* Whether a text has the other in it, by letters of any case; too short a part does not count. Letter by letter,
 * as names are short; there is no table to be made first. */
static bool contains(const char *text, size_t length, const char *part, size_t part_length)
{
    for (size_t at = 0; part_length >= LEAST_CONTAINED && at + part_length <= length; at++)
        if (npart__same_letters(text + at, part, part_length))
            return true;
    return false;
}

/* 0 the same but for case; then by changes; then one that is part of the other. UINT32_MAX: not near. `bacth` is
 * one swap from `batch`; `bat` lacks two letters of it, which is one too many, but is a part; `ba` is near to
 * all that begin with it. */
static uint32_t rank_of(const struct npart__nearest *nearest, const char *name, size_t length)
{
    if (nearest->length == 0)
        return UINT32_MAX;
    if (nearest->length < 3) /* too little to tell mistakes by: a beginning */
        return length > nearest->length && npart__same_letters(name, nearest->wanted, nearest->length) ? 1 : UINT32_MAX;
    /* The shorter the word, the fewer mistakes may be in it: one in three letters is another
     * word. */
    bool begins_alike = nearest->length > 3 || (length && lower(*name) == lower(*nearest->wanted));
    uint32_t most = !begins_alike ? 0 : nearest->length < 6 ? 1 : nearest->length < 9 ? 2 : MOST_CHANGES;
    uint32_t changes = changes_between(nearest->wanted, nearest->length, name, length, most);
    /* As many changes as the name has letters make any name of any other. */
    if (changes <= most && changes < length)
        return changes;
    bool is_part = contains(name, length, nearest->wanted, nearest->length) ||
                   contains(nearest->wanted, nearest->length, name, length);
    return is_part ? MOST_CHANGES + 1 : UINT32_MAX;
}

void npart__nearest_init(struct npart__nearest *nearest, const char *wanted, size_t length)
{
    *nearest = (struct npart__nearest){.wanted = wanted, .length = length};
}

/* Compared as they are: names that differ in case are two names. */
static bool is_listed(const struct npart__near *list, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return true;
    return false;
}

/* What is listed where nothing is near; a name that comes again, as variants of two lists do,
 * counts once. */
static void list_first(struct npart__nearest *nearest, const char *name)
{
    if (is_listed(nearest->first, nearest->first_count, name))
        return;
    if (nearest->first_count < NPART__COUNT(nearest->first))
        nearest->first[nearest->first_count++].name = name;
    else
        nearest->has_more = true;
}

/* For aliases: `qnn` is offered, `hexagon` is shown. */
void npart__nearest_offer_as(struct npart__nearest *nearest, const char *name, const char *shown)
{
    uint32_t rank = rank_of(nearest, name, strlen(name)), at = 0;
    if (rank == UINT32_MAX)
        return;
    /* A target is offered by several names (its own, aliases, variants): only the nearest of
     * them counts. */
    while (at < nearest->count && strcmp(nearest->best[at].name, shown) != 0)
        at++;
    if (at < nearest->count && nearest->best[at].rank <= rank)
        return;
    if (at < nearest->count) { /* it is nearer than it was by another name */
        nearest->count--;
        memmove(&nearest->best[at], &nearest->best[at + 1], (nearest->count - at) * sizeof nearest->best[0]);
    }
    /* Insertion into a list of three, after what is as near: what was offered first is told
     * first. */
    at = nearest->count;
    while (at > 0 && nearest->best[at - 1].rank > rank)
        at--;
    if (at == NPART__COUNT(nearest->best))
        return;
    if (nearest->count < NPART__COUNT(nearest->best))
        nearest->count++;
    for (uint32_t i = nearest->count - 1; i > at; i--)
        nearest->best[i] = nearest->best[i - 1];
    nearest->best[at] = (struct npart__near){.name = shown, .rank = rank};
}

void npart__nearest_offer(struct npart__nearest *nearest, const char *name)
{
    if (!*name)
        return;
    list_first(nearest, name);
    npart__nearest_offer_as(nearest, name, name);
}

/* Names with commas between, as far as there is room for whole ones; how many. */
static uint32_t write_names(char *out, size_t bytes, const struct npart__near *list, uint32_t count, const char *last)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        const char *between = i == 0 ? "" : i + 1 == count ? last : ", ";
        if (used + strlen(between) + strlen(list[i].name) + 1 > bytes)
            return i;
        used += (size_t)snprintf(out + used, bytes - used, "%s%s", between, list[i].name);
    }
    return count;
}

/* Only the best rank is named: beside `batch` a name three letters away is of no use. Two or three that are
 * equally near are told with "or" before the last. */
size_t npart__nearest_names(const struct npart__nearest *nearest, char *out, size_t bytes)
{
    uint32_t count = 0; /* what is further away than the best does not count */
    while (count < nearest->count && nearest->best[count].rank == nearest->best[0].rank)
        count++;
    if (bytes == 0)
        return 0;
    (void)write_names(out, bytes, nearest->best, count, " or ");
    return strlen(out);
}

static const char *with_end(char *out, size_t bytes, const char *end)
{
    size_t used = strlen(out);
    (void)snprintf(out + used, bytes - used, "%s", end);
    return out;
}

/* Room for the question mark or the dots is kept free while names are written. Six bytes hold the longer of both
 * ends, ", ..." and its NUL. Names that do not fit are left out, and where not even one fits nothing is written. */
const char *npart__nearest_hint(const struct npart__nearest *nearest, char *out, size_t bytes)
{
    static const char asks[] = "; did you mean ", lists[] = "; there is ";
    size_t room = bytes - 6; /* for what comes after the names */
    out[0] = '\0';
    if (nearest->count) {
        memcpy(out, asks, sizeof asks);
        if (npart__nearest_names(nearest, out + sizeof asks - 1, room - sizeof asks) > 0)
            return with_end(out, bytes, "?");
    } else if (nearest->first_count) {
        memcpy(out, lists, sizeof lists);
        uint32_t count =
            write_names(out + sizeof lists - 1, room - sizeof lists, nearest->first, nearest->first_count, ", ");
        if (count > 0)
            return with_end(out, bytes, nearest->has_more || count < nearest->first_count ? ", ..." : "");
    }
    out[0] = '\0';
    return out;
}
