/* SPDX-License-Identifier: Apache-2.0
 *
 * Other programs, as POSIX starts them. The tool for Windows and the one in a browser start none.
 */
#if !defined(_WIN32) && !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700 /* posix_spawnp */
#endif
#include "platform.h"

#include <errno.h>

#if defined(_WIN32) || defined(__EMSCRIPTEN__)
bool open_program(struct program *out)
{
    *out = (struct program){NULL, NULL};
    errno = ENOTSUP;
    return false;
}

bool run_program(struct program *program, const char *const *words, int *status)
{
    (void)program, (void)words, (void)status;
    errno = ENOTSUP;
    return false;
}
#else
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A program that is started has it by the number of a standard stream alone. */
static FILE *open_nameless(void)
{
    FILE *file = tmpfile();
    if (file && fcntl(fileno(file), F_SETFD, FD_CLOEXEC) == 0)
        return file;
    int code = errno;
    if (file)
        (void)fclose(file);
    errno = code;
    return NULL;
}

bool open_program(struct program *out)
{
    *out = (struct program){.input = open_nameless()};
    out->output = out->input ? open_nameless() : NULL;
    if (out->output)
        return true;
    int code = errno;
    close_program(out);
    errno = code;
    return false;
}

static int spawn(pid_t *process, const struct program *program, const char *const *words)
{
    posix_spawn_file_actions_t actions;
    int status = posix_spawn_file_actions_init(&actions);
    if (status != 0)
        return status;
    status = posix_spawn_file_actions_adddup2(&actions, fileno(program->input), STDIN_FILENO);
    if (status == 0)
        status = posix_spawn_file_actions_adddup2(&actions, fileno(program->output), STDOUT_FILENO);
    if (status == 0) /* which takes words that it does not change as such that it might */
        status = posix_spawnp(process, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return status;
}

bool run_program(struct program *program, const char *const *words, int *status)
{
    pid_t process = 0;
    int code = 0;
    if (fflush(program->input) != 0 || lseek(fileno(program->input), 0, SEEK_SET) != 0)
        return false;
    (void)signal(SIGCHLD, SIG_DFL); /* where it is ignored, the program's end cannot be waited for */
    errno = spawn(&process, program, words);
    if (errno != 0)
        return false;
    while (waitpid(process, &code, 0) == -1)
        if (errno != EINTR)
            return false;
    rewind(program->output);
    *status = WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
    return true;
}
#endif

void close_program(struct program *program)
{
    if (program->input)
        (void)fclose(program->input);
    if (program->output)
        (void)fclose(program->output);
    *program = (struct program){NULL, NULL};
}
