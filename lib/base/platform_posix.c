/* SPDX-License-Identifier: Apache-2.0
 *
 * The operating system as POSIX.1-2008 has it, and what Linux adds for copying. In a browser emscripten's file system
 * stands for it, and web/wasm/filesystem.js adds the same.
 */
#if !defined(_WIN32)
#define _FILE_OFFSET_BITS 64 /* files above 2 GiB, where pointers have 32 bits */
#if defined(__linux__) || defined(__EMSCRIPTEN__)
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* copy_file_range */
#endif
#elif !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700 /* realpath; includes POSIX.1-2008 */
#endif
#if defined(__APPLE__) && !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE /* nanoseconds of files */
#endif
#endif

#include "base/base.h"
#include "base/platform.h"

#if !defined(_WIN32)
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/sendfile.h>
#include <sys/syscall.h>
#endif
#if defined(__APPLE__)
#define st_mtim st_mtimespec
#endif
/* glibc has it from 2.27 on, the kernel before that. Nested, as musl lacks the macro. */
#if defined(__linux__) && defined(__GLIBC__)
#if !__GLIBC_PREREQ(2, 27)
#define COPIES_BY_NUMBER 1
#endif
#endif

/* ---- names ----------------------------------------------------------------------------------------------- */

bool npart__is_separator(char letter)
{
    return letter == '/';
}

size_t npart__name_offset(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

size_t npart__root_length(const char *path)
{
    return *path == '/';
}

bool npart__is_parent(const char *part)
{
    return part[0] == '.' && part[1] == '.' && (part[2] == '/' || part[2] == '\0');
}

/* ---- files ----------------------------------------------------------------------------------------------- */

int npart__file_open(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* Without O_NONBLOCK, opening a pipe waits for a writer. */
int npart__file_open_at_once(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* O_EXCL: the name must be free, and a symbolic link there is not followed. 0666 is cut down by the process's
 * umask. The new file may be another group's than the one that it is like, so that group's right is given once it is
 * known; nothing is in the file until then. */
int npart__file_create(const char *path, int like)
{
    const mode_t others = S_IRGRP | S_IROTH;
    struct stat from = {0}, made;
    bool is_open = like < 0 || (fstat(like, &from) == 0 && (from.st_mode & others) == others);
    int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, is_open ? 0666 : 0600);
    if (descriptor >= 0 && !is_open && from.st_mode & S_IRGRP && fstat(descriptor, &made) == 0 &&
        made.st_gid == from.st_gid)
        (void)fchmod(descriptor, 0640);
    return descriptor;
}

/* Not dup, as a program that the process starts must not inherit it. Both stand at one place of the file. */
int npart__file_duplicate(int descriptor)
{
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

void npart__file_close(int descriptor)
{
    (void)close(descriptor);
}

/* Always true, so that a caller may end in one expression. */
static bool tell(const struct stat *status, struct npart__file_status *out)
{
    *out = (struct npart__file_status){
        .kind = S_ISREG(status->st_mode)   ? NPART__FILE_REGULAR
                : S_ISDIR(status->st_mode) ? NPART__FILE_FOLDER
                                           : NPART__FILE_OTHER,
        .bytes = (uint64_t)status->st_size,
        .device = (uint64_t)status->st_dev,
        .inode = (uint64_t)status->st_ino,
        .modified_s = (int64_t)status->st_mtim.tv_sec,
        .modified_ns = (int64_t)status->st_mtim.tv_nsec,
    };
    return true;
}

bool npart__file_status(int descriptor, struct npart__file_status *out)
{
    struct stat status;
    return fstat(descriptor, &status) == 0 && tell(&status, out);
}

/* Past the end is allowed, and leaves a hole when something is written there. */
bool npart__file_seek(int descriptor, uint64_t offset)
{
    return lseek(descriptor, (off_t)offset, SEEK_SET) >= 0;
}

/* After EINTR a signal came first, and nothing was read or written yet. */
ptrdiff_t npart__file_read(int descriptor, void *into, size_t bytes)
{
    for (;;) {
        ssize_t count = read(descriptor, into, bytes);
        if (count >= 0 || errno != EINTR)
            return count;
    }
}

ptrdiff_t npart__file_read_at(int descriptor, void *into, size_t bytes, uint64_t offset)
{
    for (;;) {
        ssize_t count = pread(descriptor, into, bytes, (off_t)offset);
        if (count >= 0 || errno != EINTR)
            return count;
    }
}

ptrdiff_t npart__file_write(int descriptor, const void *data, size_t bytes)
{
    for (;;) {
        ssize_t count = write(descriptor, data, bytes);
        if (count >= 0 || errno != EINTR)
            return count;
    }
}

#if defined(__linux__) || defined(__EMSCRIPTEN__)
/* Of one call; the kernel's own limit is a little below 2 GiB. */
#define CALL_BYTES ((uint64_t)1 << 30)

/* What says that this way is closed, and not that the disk is full or broken. */
static bool is_not_possible(int code)
{
    return code != EINTR && code != EAGAIN && code != EIO && code != ENOSPC && code != EDQUOT && code != EFBIG;
}

/* Both calls take the offset by its address and leave where `from` stands alone; in emscripten there is no
 * sendfile. */
static ssize_t copy_once(int from, off_t offset, int to, size_t bytes, enum npart__copy_way way)
{
#if defined(__linux__)
    if (way == NPART__COPY_BY_SENDFILE)
        return sendfile(to, from, &offset, bytes);
#endif
    (void)way;
#if defined(COPIES_BY_NUMBER)
    return (ssize_t)syscall(SYS_copy_file_range, from, &offset, to, NULL, bytes, 0);
#else
    return copy_file_range(from, &offset, to, NULL, bytes, 0);
#endif
}

/* A way that was found closed is not tried again: the caller keeps *way for the rest of the file. 0 is the end of
 * `from`. */
ptrdiff_t npart__file_copy(int from, uint64_t offset, int to, uint64_t bytes, enum npart__copy_way *way)
{
    ssize_t count = -1;
    size_t most = (size_t)(bytes < CALL_BYTES ? bytes : CALL_BYTES);
    while (*way != NPART__COPY_BY_READING) {
        count = copy_once(from, (off_t)offset, to, most, *way);
        if (count >= 0)
            break;
        if (is_not_possible(errno))
            *way += 1;
        else if (errno != EINTR && errno != EAGAIN)
            break;
    }
    return count;
}
#else
ptrdiff_t npart__file_copy(int from, uint64_t offset, int to, uint64_t bytes, enum npart__copy_way *way)
{
    (void)from, (void)offset, (void)to, (void)bytes;
    *way = NPART__COPY_BY_READING;
    return -1;
}
#endif

bool npart__path_status(const char *path, struct npart__file_status *out)
{
    struct stat status;
    return stat(path, &status) == 0 && tell(&status, out);
}

enum npart__path_kind npart__path_kind(const char *path, bool follows_links)
{
    struct stat status;
    if ((follows_links ? stat(path, &status) : lstat(path, &status)) != 0)
        return NPART__PATH_NOTHING;
    return S_ISREG(status.st_mode)   ? NPART__PATH_FILE
           : S_ISDIR(status.st_mode) ? NPART__PATH_FOLDER
                                     : NPART__PATH_OTHER;
}

bool npart__path_real(const char *path, char *out, size_t bytes)
{
    char *real = realpath(path, NULL);
    bool has_room = real && strlen(real) < bytes;
    if (has_room)
        memcpy(out, real, strlen(real) + 1);
    else if (real)
        errno = ENAMETOOLONG;
    free(real);
    return has_room;
}

bool npart__path_is_readable(const char *path)
{
    return access(path, R_OK) == 0;
}

/* Not stat, which follows a link and finds nothing where it points to nothing. */
bool npart__path_is_taken(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

bool npart__path_rename(const char *from, const char *to)
{
    return rename(from, to) == 0;
}

bool npart__path_remove(const char *path)
{
    return unlink(path) == 0;
}

bool npart__path_make_folder(const char *path)
{
    return mkdir(path, 0777) == 0;
}

/* AT_SYMLINK_FOLLOW makes the link one to the file itself. */
bool npart__path_link(const char *from, const char *to)
{
    return linkat(AT_FDCWD, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW) == 0;
}

FILE *npart__stream_open(const char *path, const char *mode)
{
    struct stat status;
    FILE *file = fopen(path, mode);
    if (!file || fstat(fileno(file), &status) != 0 || !S_ISDIR(status.st_mode))
        return file;
    (void)fclose(file);
    errno = EISDIR;
    return NULL;
}

bool npart__folder_open(struct npart__folder *folder, const char *path)
{
    folder->search = opendir(path);
    return folder->search != NULL;
}

const char *npart__folder_next(struct npart__folder *folder)
{
    errno = 0;
    const struct dirent *entry = readdir(folder->search);
    return entry ? entry->d_name : NULL;
}

void npart__folder_close(struct npart__folder *folder)
{
    (void)closedir(folder->search);
}

/* ---- the rest -------------------------------------------------------------------------------------------- */

/* GNU's strerror_r returns the text, which may be its own; POSIX's writes it. */
void npart__system_text(int code, char *out, size_t bytes)
{
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
    const char *text = strerror_r(code, out, bytes);
    if (text != out)
        (void)snprintf(out, bytes, "%s", text);
#else
    if (strerror_r(code, out, bytes) != 0)
        (void)snprintf(out, bytes, "error %d", code);
#endif
}

/* C11's call, which has the same epoch as POSIX's; 0 where there is no clock. */
void npart__system_time(uint64_t *seconds, uint64_t *nanoseconds)
{
    struct timespec now = {0, 0};
    (void)timespec_get(&now, TIME_UTC);
    *seconds = (uint64_t)now.tv_sec;
    *nanoseconds = (uint64_t)now.tv_nsec;
}

unsigned npart__processors(void)
{
#if defined(_SC_NPROCESSORS_ONLN)
    long count = sysconf(_SC_NPROCESSORS_ONLN);
#else
    long count = 1;
#endif
    /* cppcheck-suppress [knownConditionTrueFalse,duplicateValueTernary] ; it sees the #else alone */
    return count > 0 ? (unsigned)count : 1;
}

uint64_t npart__monotonic_ms(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

unsigned long npart__process_number(void)
{
    return (unsigned long)getpid();
}
#endif
