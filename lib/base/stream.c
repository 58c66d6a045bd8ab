/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes and lines of a text that is read in pieces.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/stream.h"

void npart__stream_init(struct npart__stream *input, npart_read_callback read, void *payload)
{
    input->read = read;
    input->payload = payload;
    input->at = input->size = 1;
    input->before = 0;
    input->is_over = input->has_failed = false;
    input->bytes[0] = '\0';
}

/* The last byte stays in front of those that follow, so that it can be taken back. */
static bool fill(struct npart__stream *input)
{
    if (input->is_over)
        return false;
    input->bytes[0] = input->bytes[input->at - 1];
    ptrdiff_t count = input->read(input->payload, input->bytes + 1, sizeof input->bytes - 1);
    input->before += input->size - 1;
    bool is_sound = count >= 0 && (size_t)count < sizeof input->bytes;
    input->has_failed = !is_sound;
    input->is_over = !is_sound || count == 0;
    input->at = 1;
    input->size = 1 + (is_sound ? (size_t)count : 0);
    return !input->is_over;
}

int npart__stream_byte(struct npart__stream *input)
{
    return input->at < input->size || fill(input) ? (unsigned char)input->bytes[input->at++] : -1;
}

void npart__stream_back(struct npart__stream *input)
{
    input->at -= input->at > 0;
}

int npart__stream_after_blanks(struct npart__stream *input)
{
    int byte = npart__stream_byte(input);
    while (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r')
        byte = npart__stream_byte(input);
    return byte;
}

int npart__stream_first(struct npart__stream *input)
{
    static const unsigned char mark[] = {0xef, 0xbb, 0xbf};
    int byte = npart__stream_after_blanks(input);
    for (size_t at = 0; at < sizeof mark && byte == mark[at]; at++)
        byte = at + 1 < sizeof mark ? npart__stream_byte(input) : npart__stream_after_blanks(input);
    return byte;
}

bool npart__stream_line(struct npart__stream *input, char *line, size_t bytes)
{
    size_t length = 0;
    bool is_end = false;
    while (!is_end && length + 1 < bytes && (input->at < input->size || fill(input))) {
        size_t count = input->size - input->at, room = bytes - 1 - length;
        count = count < room ? count : room;
        const char *from = input->bytes + input->at, *end = memchr(from, '\n', count);
        is_end = end != NULL;
        count = end ? (size_t)(end - from) + 1 : count;
        memcpy(line + length, from, count);
        length += count;
        input->at += count;
    }
    line[length] = '\0';
    return length > 0;
}

ptrdiff_t npart__read_text(void *payload, void *into, size_t bytes)
{
    struct npart__text_stream *from = payload;
    size_t count = from->bytes < bytes ? from->bytes : bytes;
    if (count)
        memcpy(into, from->text, count);
    from->text += count;
    from->bytes -= count;
    return (ptrdiff_t)count;
}

double npart__read_real(char *text, char **end)
{
    char half[16], *point = strchr(text, '.');
    (void)snprintf(half, sizeof half, "%.1f", 0.5);
    if (point)
        *point = half[1];
    double value = strtod(text, end);
    if (point)
        *point = '.';
    return value;
}
