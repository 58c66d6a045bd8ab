/* SPDX-License-Identifier: Apache-2.0
 *
 * The main loop of programs that answer for each model whose path comes in on a line of standard input.
 */
#ifndef NPART_TEST_CHECKS_PATHS_H
#define NPART_TEST_CHECKS_PATHS_H

#include <stdio.h>
#include <string.h>

/* Each answer goes out at once: who asks may wait for it before the next path. */
static inline int for_each_path(void (*print_model)(const char *path))
{
    char path[4096];
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = '\0';
        print_model(path);
        fflush(stdout);
    }
    return 0;
}

#endif
