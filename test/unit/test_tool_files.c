/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tool asks the operating system of files.
 */
#define _POSIX_C_SOURCE 200809L
#include "../../tools/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

/* A hole, and a report past what a `long` of 32 bits counts to. */
static void test_tool_files__places_past_two_gib(void)
{
    const int64_t hole = (int64_t)3 << 30;
    char path[] = "/tmp/npart-files-XXXXXX";
    int made = mkstemp(path);
    CHECK(made >= 0 && close(made) == 0);
    FILE *file = npart__stream_open(path, "wb");
    CHECK(file && seek_stream(file, hole) && fputs("{}", file) != EOF);
    CHECK(file && fclose(file) == 0);
    file = npart__stream_open(path, "rb");
    CHECK(file && seek_stream(file, hole) && fgetc(file) == '{');
    CHECK(file && !seek_stream(file, -1) && fclose(file) == 0);
    (void)remove(path);
}

TESTS(test_tool_files__places_past_two_gib)
