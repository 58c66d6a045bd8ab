/* SPDX-License-Identifier: Apache-2.0
 *
 * What the reports of this stage are made of.
 */
#include <stdio.h>

#include "base/json.h"
#include "runs/runs.h"

#define LINE_BYTES 8192u

void npart__tell_part(struct npart__told *told, const char *format, ...)
{
    char line[LINE_BYTES];
    NPART__FORMAT(line, format);
    npart__append_plain(&told->out, line, strlen(line));
}

void npart__tell_line(struct npart__told *told, const char *format, ...)
{
    char line[LINE_BYTES];
    NPART__FORMAT(line, format);
    npart__append_plain(&told->out, line, strlen(line));
    npart__append_text(&told->out, "\n");
}

void npart__json_real(struct npart__buffer *out, const char *key, double value, int digits)
{
    char text[48];
    npart__json_value(out, key, npart__digits_text(text, value, digits, false));
    if (!strpbrk(text, ".e"))
        npart__append_text(out, ".0");
}

void npart__json_plain(struct npart__told *told, const char *key, const char *text)
{
    struct npart__buffer plain;
    npart__buffer_init(&plain, &told->arena);
    npart__append_plain(&plain, text, strlen(text));
    npart__json_text(&told->out, key, npart__buffer_text(&plain));
    npart__buffer_release(&plain);
}
