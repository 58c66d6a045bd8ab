/* SPDX-License-Identifier: Apache-2.0
 *
 * See changed_text.h.
 */
#include "support/changed_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const numbers[] = {"0", "1", "2", "3", "-1", "6"};
static const char *const opsets[] = {"7", "9", "11", "12", "13", "18", "21"};
static const char *const types[] = {"float32", "int64", "float16", "int32", "uint8", "bool", "float64", "int8"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static char *replaced(const char *model, const char *from, size_t length, const char *by)
{
    size_t before = (size_t)(from - model), bytes = strlen(model) - length + strlen(by) + 1;
    char *text = malloc(bytes);
    if (text)
        (void)snprintf(text, bytes, "%.*s%s%s", (int)before, model, by, from + length);
    return text;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || strchr("_/.:-", c) != NULL;
}

/* The line that a place is in begins with this word. */
static bool is_line_of(const char *model, const char *at, const char *word)
{
    while (at > model && at[-1] != '\n')
        at--;
    return strncmp(at, word, strlen(word)) == 0;
}

/* How far a piece reaches that begins here, and what stands for it in turn (a NULL ends them); 0 for none. */
static size_t piece_at(const char *model, const char *at, const char *out[9])
{
    size_t length = 0, count = 0;
    char before = at > model ? at[-1] : '\n';
    out[0] = NULL;
    if (isdigit((unsigned char)*at) && !is_name(before)) {
        length = strspn(at, "0123456789");
        bool is_opset = is_line_of(model, at, "opset");
        for (size_t i = 0; !is_name(at[length]) && i < (is_opset ? COUNT(opsets) : 3); i++)
            out[count++] = is_opset ? opsets[i] : numbers[((size_t)(at - model) + 2 * i) % COUNT(numbers)];
    } else if (before == ' ' && *at == '=' && at[1] == ' ' && is_line_of(model, at, "init")) {
        length = strcspn(at, "\n");
        out[count++] = "";
    } else if (isalpha((unsigned char)*at) && !is_name(before)) {
        while (is_name(at[length]))
            length++;
        for (size_t i = 0; i < COUNT(types); i++)
            if (strlen(types[i]) == length && strncmp(types[i], at, length) == 0) {
                out[count++] = types[(i + 1) % COUNT(types)];
                out[count++] = types[(i + 2) % COUNT(types)];
            }
        if (is_line_of(model, at, "node") && (before == '(' || (before == ' ' && at[-2] == ',')) &&
            (at[length] == ',' || at[length] == ')'))
            out[count++] = "";
        if (is_line_of(model, at, "node") && before == ' ' && at[length] == '=' &&
            strncmp(at + length, "=graph", 6) != 0) { /* an attribute */
            /* A tensor, the rest of the line, goes as a whole: its numbers must be as many as its type says. */
            bool is_tensor = strncmp(at + length, "=tensor", 7) == 0;
            char last = at[length + 1] == '[' ? ']' : at[length + 1] == '"' ? '"' : is_tensor ? '\n' : ' ';
            const char ends[] = {last, '\n', '\0'};
            length += 2 + strcspn(at + length + 2, ends);
            length += (last == ']' || last == '"') && at[length] == last;
            out[count++] = "";
        }
    }
    out[count] = NULL;
    return length;
}

char *changed_text(const char *model, unsigned index)
{
    const char *others[9];
    for (const char *at = model; *at; at++) {
        size_t length = piece_at(model, at, others);
        for (size_t i = 0; others[i]; i++)
            if (strncmp(others[i], at, length) != 0 || strlen(others[i]) != length)
                if (index-- == 0)
                    return replaced(model, at, length, others[i]);
        at += length > 1 ? length - 1 : 0;
    }
    return NULL;
}
