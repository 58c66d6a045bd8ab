/* SPDX-License-Identifier: Apache-2.0
 *
 * Releases of a toolchain: the one place where their numbers are read and compared.
 *
 * A toolchain is a name and a number, "onnxruntime-qnn 2.7.0". Numbers are compared part by part, as numbers: 2.10 is
 * after 2.9, and 2.4 is 2.4.0. A list has a line for each release that its rules tell apart, so a release between two
 * lines has the rules of the older one. What is older than all of them nobody has looked at.
 */
#include "oplist/parse.h"

#define PARTS 8u /* of a number */

struct number {
    uint64_t parts[PARTS]; /* 0 where there are fewer */
};

/* "2.7.0"; false for anything else: a date, a word, "v2", "2..1". Parts too large for their type are no number. */
static bool read_number(const char *text, struct number *out)
{
    *out = (struct number){{0}};
    for (size_t i = 0; i < PARTS; i++) {
        if (*text < '0' || *text > '9')
            return false;
        for (; *text >= '0' && *text <= '9'; text++) {
            if (out->parts[i] > (UINT64_MAX - 9) / 10)
                return false;
            out->parts[i] = out->parts[i] * 10 + (uint64_t)(*text - '0');
        }
        if (!*text)
            return true;
        if (*text++ != '.')
            return false;
    }
    return false;
}

static int compare(const struct number *a, const struct number *b)
{
    for (size_t i = 0; i < PARTS; i++)
        if (a->parts[i] != b->parts[i])
            return NPART__ORDER(a->parts[i], b->parts[i]);
    return 0;
}

/* The last word, which is the number of all but toolchains that have none. */
static const char *number_of(const char *toolchain)
{
    return npart__after_last(toolchain, ' ');
}

/* Whether both are of one name: that of "onnxruntime-qnn 2.7.0" is all before the last blank. */
static bool has_same_name(const char *a, const char *b)
{
    size_t length = (size_t)(number_of(a) - a);
    return length == (size_t)(number_of(b) - b) && memcmp(a, b, length) == 0;
}

/* Lists whose releases have no numbers ("litert 2026" beside "neuron-sdk of the guide") are in the order of their
 * lines. */
bool npart__is_release_after(const char *toolchain, const char *before)
{
    struct number a, b;
    return !has_same_name(toolchain, before) || !read_number(number_of(toolchain), &a) ||
           !read_number(number_of(before), &b) || compare(&a, &b) > 0;
}

/* A user may leave the name away. Then the number is compared with those of every line that has one. Lines are in the
 * order of their releases (npart__line_toolchain), so the last that is not newer has the rules. */
bool npart__find_release(const struct npart__oplist *oplist, const char *text, struct npart__arena *arena,
                         struct npart__target *out)
{
    struct number asked;
    bool has_name = number_of(text) != text, is_found = false;
    if (!read_number(number_of(text), &asked))
        return false;
    for (uint32_t i = 0; i < oplist->toolchains.count; i++) {
        const char *line = oplist->toolchains.items[i];
        struct number at;
        if ((has_name && !has_same_name(line, text)) || !read_number(number_of(line), &at))
            continue;
        int order = compare(&at, &asked);
        if (is_found && order > 0)
            break;
        out->toolchain = i;
        out->toolchain_text = order == 0 ? line
                                         : npart__arena_format(arena, "%.*s%s", (int)(number_of(line) - line), line,
                                                               number_of(text));
        out->standing = order == 0 ? NPART_RELEASE_LISTED
                        : order > 0 ? NPART_RELEASE_OLDER
                        : i + 1 == oplist->toolchains.count ? NPART_RELEASE_NEWER
                                                            : NPART_RELEASE_BETWEEN;
        is_found = true;
    }
    return is_found;
}

/* Those that fit into the message are listed, as a user cannot guess how a release is written. Texts that do not fit
 * are left out one by one, so a shorter one after them may still be there. */
npart_status npart__lack_toolchain(const struct npart__oplist *oplist, const char *text, struct npart_error *error)
{
    char known[200] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < oplist->toolchains.count; i++) {
        const char *whole = oplist->toolchains.items[i];
        size_t bytes = strlen(whole);
        /* Five: a comma, a blank, two quotes and the terminator. */
        if (used + bytes + 5 > sizeof known)
            continue;
        memcpy(known + used, i ? ", \"" : " \"", i ? 3 : 2);
        used += i ? 3 : 2;
        memcpy(known + used, whole, bytes);
        memcpy(known + used + bytes, "\"", 2);
        used += bytes + 1;
    }
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s has no toolchain \"%s\"; it has%s", oplist->name, text,
                       *known ? known : " none");
}
