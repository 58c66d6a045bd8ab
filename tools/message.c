/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"

#include <stdio.h>

void format_plain(char *out, size_t bytes, const char *format, va_list list)
{
    char text[MESSAGE_BYTES];
    (void)vsnprintf(text, sizeof text, format, list);
    npart_plain_text(text, out, bytes);
}

void say(const char *format, ...)
{
    char shown[MESSAGE_BYTES];
    va_list list;
    va_start(list, format);
    format_plain(shown, sizeof shown, format, list);
    va_end(list);
    fprintf(stderr, "npu-partition: %s\n", shown);
}
