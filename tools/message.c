/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

#define MESSAGE_BYTES 8192 /* a path, and an error about it */

void say(const char *format, ...)
{
    char text[MESSAGE_BYTES], shown[MESSAGE_BYTES];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    npart_plain_text(text, shown, sizeof shown);
    fprintf(stderr, "npu-partition: %s\n", shown);
}
