/* SPDX-License-Identifier: Apache-2.0
 *
 * Loaded before a program (LD_PRELOAD, glibc): the allocation that FAIL_AT counts to fails, and none else. How many
 * there were is written to the file FAIL_COUNT.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);

static unsigned long at, seen;

__attribute__((constructor)) static void begin(void)
{
    const char *asked = getenv("FAIL_AT");
    at = asked ? strtoul(asked, NULL, 10) : 0;
    seen = 0;
}

__attribute__((destructor)) static void end(void)
{
    char text[24];
    const char *path = getenv("FAIL_COUNT");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    int length = snprintf(text, sizeof text, "%lu", seen);
    if (file >= 0 && write(file, text, (size_t)length) == length)
        (void)close(file);
}

static int fails(void)
{
    if (++seen != at)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(memory, bytes);
}
