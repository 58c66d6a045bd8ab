/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_MESSAGE_H
#define TOOL_MESSAGE_H

#include "npu_partition.h"

/* One line on standard error, with "npu-partition: " in front. What a file or the command line brought into it is shown
 * as npart_plain_text shows it. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void say(const char *format, ...);

#endif
