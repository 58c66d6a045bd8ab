/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a debug build that finds an invariant broken: the one place of the library that prints and aborts, and
 * empty in every other build.
 */
#include "base/base.h"

#ifdef NPART_DEBUG
#include <stdio.h>
#include <stdlib.h>

void npart__assertion_failed(const char *file, int line, const char *condition, const char *format, ...)
{
    va_list list;
    (void)fprintf(stderr, "%s:%d: assertion failed: %s: ", file, line, condition);
    va_start(list, format);
    (void)vfprintf(stderr, format, list);
    va_end(list);
    (void)fputc('\n', stderr);
    abort();
}
#endif
