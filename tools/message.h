/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_MESSAGE_H
#define TOOL_MESSAGE_H

#include <stdarg.h>

#include "npu_partition.h"

#define MESSAGE_BYTES 8192 /* a path, and an error about it; more is cut */

/* A text as it is shown: what a file or the command line brought into it is as npart_plain_text shows it. */
void format_plain(char *out, size_t bytes, const char *format, va_list list);
/* One line on standard error, with "npu-partition: " in front. What a file or the command line brought into it is shown
 * as npart_plain_text shows it. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void say(const char *format, ...);
/* "node%s" of so many. */
static inline const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

#endif
