/* SPDX-License-Identifier: Apache-2.0
 *
 * What the reports of this stage are made of.
 */
#include <stdio.h>

#include "base/json.h"
#include "runs/runs.h"

#define LINE_BYTES 8192u

void npart__tell_open(struct npart__told *told, const struct npart_allocator *allocator, npart_write_callback write,
                      void *payload)
{
    npart__arena_init(&told->arena, allocator);
    npart__buffer_init(&told->out, &told->arena);
    told->out.write = write;
    told->out.payload = payload;
}

npart_status npart__tell_close(struct npart__told *told, struct npart_error *error)
{
    const struct npart_allocator allocator = told->arena.allocator;
    npart_status status = NPART_OK;
    npart__buffer_flush(&told->out);
    if (told->out.refused)
        status = npart__fail(error, NPART_ERROR_WRITE, "", "cannot write");
    else if (told->out.failed || told->arena.failed)
        status = npart__fail_memory(error);
    npart__arena_clear(&told->arena);
    return npart__settle(status, &allocator, error);
}

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
