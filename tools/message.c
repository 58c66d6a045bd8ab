/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

void format_plain(char *out, size_t bytes, const char *format, va_list list)
{
    char text[MESSAGE_BYTES];
    (void)vsnprintf(text, sizeof text, format, list);
    npart_plain_text(text, out, bytes);
}

void say(const char *format, ...)
{
    static const char name[] = "npu-partition: ";
    char line[sizeof name + MESSAGE_BYTES];
    va_list list;
    va_start(list, format);
    memcpy(line, name, sizeof name);
    format_plain(line + sizeof name - 1, MESSAGE_BYTES, format, list);
    va_end(list);
    size_t length = strlen(line);
    line[length] = '\n';
    print_waiting();
    (void)print_bytes(stderr, line, length + 1);
}
