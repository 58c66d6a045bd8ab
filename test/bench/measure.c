/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a command with its output thrown away, or in FILE (-o FILE COMMAND...), and prints what the operating system
 * says of it: CPU seconds (user and system), peak resident kilobytes, exit status. A program of its own, because a
 * child's peak begins with that of the process it was forked from.
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct rusage usage;
    int status;
    const char *output = "/dev/null";
    if (argc > 3 && strcmp(argv[1], "-o") == 0) {
        output = argv[2];
        argv += 2;
        argc -= 2;
    }
    if (argc < 2)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        int written = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        dup2(written, STDOUT_FILENO);
        dup2(written, STDERR_FILENO);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0)
        return 2;
    printf("%.6f %ld %d\n",
           (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6,
           usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}
