/* SPDX-License-Identifier: Apache-2.0
 *
 * Options that an action names, as lines of a project file: who checks a project has a place where they stay.
 */
#include <string.h>

#include "report/report.h"

#define MOST_WORD_BYTES 1024

/* A word of a shell line as npart__append_shell_word writes it, without its quotes. False: there is none, or one that
 * is too long, and *at is not the end then. */
static bool next_word(const char **at, char out[static MOST_WORD_BYTES])
{
    size_t used = 0;
    char quote = '\0';
    *at += strspn(*at, " ");
    if (!**at)
        return false;
    for (; **at && (quote || **at != ' '); ++*at) {
        if (quote ? **at == quote : **at == '\'' || **at == '"') {
            quote = quote ? '\0' : **at;
            continue;
        }
        *at += !quote && (*at)[0] == '\\' && (*at)[1] ? 1 : 0;
        if (used + 1 == MOST_WORD_BYTES)
            return false;
        out[used++] = **at;
    }
    out[used] = '\0';
    return true;
}

static void add(char *out, size_t bytes, size_t *used, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++, ++*used)
        if (*used + 1 < bytes)
            out[*used] = text[i];
}

static void add_text(char *out, size_t bytes, size_t *used, const char *text)
{
    add(out, bytes, used, text, strlen(text));
}

/* A string of TOML: what npart_plain_text shows of characters that are not to be seen are its escapes, too. */
static void add_string(char *out, size_t bytes, size_t *used, const char *text)
{
    char doubled[2 * MOST_WORD_BYTES], shown[NPART__PLAIN_BYTES * MOST_WORD_BYTES];
    size_t length = 0;
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            doubled[length++] = '\\';
        doubled[length++] = *text;
    }
    doubled[length] = '\0';
    (void)npart__copy_plain(shown, sizeof shown, doubled);
    add_text(out, bytes, used, "\"");
    add_text(out, bytes, used, shown);
    add_text(out, bytes, used, "\"");
}

/* A key of TOML, bare where it may be. */
static void add_key(char *out, size_t bytes, size_t *used, const char *name)
{
    static const char bare[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (*name && strspn(name, bare) == strlen(name))
        add_text(out, bytes, used, name);
    else
        add_string(out, bytes, used, name);
}

/* TOML is UTF-8, and has no escape for a byte that is none. */
static bool is_utf8(const char *text)
{
    char shown[NPART__PLAIN_BYTES];
    bool is_text = true;
    for (size_t rest = strlen(text), taken, length; is_text && rest; text += taken, rest -= taken) {
        taken = npart__next_json(text, rest, shown, &length);
        is_text = !(taken == 1 && length == 3 && memcmp(shown, "\xef\xbf\xbd", 3) == 0);
    }
    return is_text;
}

/* Whether all words are options that a project file can have, and what stands in them. */
static bool is_config(const char *command)
{
    char word[MOST_WORD_BYTES], value[MOST_WORD_BYTES];
    bool is_known = *command != '\0' && is_utf8(command);
    while (is_known && next_word(&command, word)) {
        bool is_target = strcmp(word, "-t") == 0, is_dim = strcmp(word, "--dim") == 0;
        is_known = (is_target || is_dim) && next_word(&command, value) && (is_target || strrchr(value, '='));
    }
    return is_known && !*command;
}

/* In two passes, since a table must come after the keys of the top. */
size_t npart_action_config(const struct npart_action *action, char *out, size_t bytes)
{
    char word[MOST_WORD_BYTES], value[MOST_WORD_BYTES];
    size_t used = 0, dims = 0;
    const char *command = action && action->size == sizeof *action && action->command ? action->command : "";
    if (!is_config(command))
        command = "";
    for (const char *at = command; next_word(&at, word) && next_word(&at, value);) {
        if (strcmp(word, "-t") != 0)
            continue;
        add_text(out, bytes, &used, "targets = [");
        add_string(out, bytes, &used, value);
        add_text(out, bytes, &used, "]\n");
    }
    for (const char *at = command; next_word(&at, word) && next_word(&at, value);) {
        char *equals = strcmp(word, "--dim") == 0 ? strrchr(value, '=') : NULL;
        if (!equals)
            continue;
        *equals = '\0';
        add_text(out, bytes, &used, dims++ ? "" : "[dims]\n");
        add_key(out, bytes, &used, value);
        add_text(out, bytes, &used, " = ");
        bool is_number = equals[1] && strspn(equals + 1, "0123456789") == strlen(equals + 1);
        if (is_number)
            add_text(out, bytes, &used, equals + 1);
        else
            add_string(out, bytes, &used, equals + 1);
        add_text(out, bytes, &used, "\n");
    }
    if (bytes)
        out[used < bytes ? used : bytes - 1] = '\0';
    return used;
}
