/* SPDX-License-Identifier: Apache-2.0
 *
 * Options that an action names, as lines of a project file: who checks a project has a place where they stay.
 */
#include <string.h>

#include "report/report.h"

/* A word of a shell line as npart__append_shell_word writes it; single quotes are left out. False: there is none. */
static bool next_word(const char **at, char *out, size_t bytes)
{
    size_t used = 0;
    bool is_quoted = false;
    *at += strspn(*at, " ");
    if (!**at)
        return false;
    for (; **at && (is_quoted || **at != ' '); ++*at) {
        if (**at == '\'') {
            is_quoted = !is_quoted;
            continue;
        }
        *at += !is_quoted && (*at)[0] == '\\' && (*at)[1] ? 1 : 0;
        if (used + 1 >= bytes)
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

/* A key of TOML, bare where it may be. */
static void add_key(char *out, size_t bytes, size_t *used, const char *name, size_t length)
{
    static const char bare[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    bool is_bare = length > 0 && strspn(name, bare) >= length;
    add_text(out, bytes, used, is_bare ? "" : "\"");
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '"' || name[i] == '\\')
            add_text(out, bytes, used, "\\");
        add(out, bytes, used, name + i, 1);
    }
    add_text(out, bytes, used, is_bare ? "" : "\"");
}

/* Both passes read the whole command, since a table must come after the keys of the top. */
size_t npart_action_config(const struct npart_action *action, char *out, size_t bytes)
{
    char word[1024], value[1024];
    size_t used = 0, dims = 0;
    const char *at = action && action->size == sizeof *action && action->command ? action->command : "";
    bool is_known = *at != '\0';
    for (const char *walk = at; is_known && next_word(&walk, word, sizeof word);) {
        bool is_target = strcmp(word, "-t") == 0;
        is_known = (is_target || strcmp(word, "--dim") == 0) && next_word(&walk, value, sizeof value) &&
                   (is_target || strrchr(value, '='));
        if (is_known && is_target) {
            add_text(out, bytes, &used, "targets = [\"");
            add_text(out, bytes, &used, value);
            add_text(out, bytes, &used, "\"]\n");
        }
    }
    for (const char *walk = at; is_known && next_word(&walk, word, sizeof word) &&
                                next_word(&walk, value, sizeof value);) {
        const char *equals = strrchr(value, '=');
        if (strcmp(word, "--dim") != 0 || !equals)
            continue;
        add_text(out, bytes, &used, dims++ ? "" : "[dims]\n");
        add_key(out, bytes, &used, value, (size_t)(equals - value));
        add_text(out, bytes, &used, " = ");
        add_text(out, bytes, &used, equals + 1);
        add_text(out, bytes, &used, "\n");
    }
    used = is_known ? used : 0;
    if (bytes)
        out[used < bytes ? used : bytes - 1] = '\0';
    return used;
}
