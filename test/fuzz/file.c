/* SPDX-License-Identifier: Apache-2.0 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <unistd.h>

#include "fuzz/fuzz.h"

const char *fuzz_file(const void *data, size_t bytes)
{
    static char path[64];
    static FILE *file;
    if (!file) {
        file = tmpfile();
        FUZZ_REQUIRE(file);
        (void)snprintf(path, sizeof path, "/dev/fd/%d", fileno(file));
    }
    FUZZ_REQUIRE(ftruncate(fileno(file), 0) == 0 && pwrite(fileno(file), data, bytes, 0) == (ssize_t)bytes);
    return path;
}
