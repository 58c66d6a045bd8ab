/* SPDX-License-Identifier: Apache-2.0 */
#if !defined(_WIN32)
#define _FILE_OFFSET_BITS 64
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* locks of an open file */
#endif
#endif
#include "platform.h"

#if !defined(_WIN32)
#include <errno.h>
#include <fcntl.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool prepare_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) != -1 || errno != EBADF)
            continue;
        /* The lowest number that is free is this one. */
        if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream)
            return false;
    }
    /* musl keeps 1 KiB of a stream, and takes 8 bytes of a buffer for itself. What is printed and what is told come in
     * the same order everywhere where both go to one file. */
    static char kept[(4 << 10) + 8];
    if (BUFSIZ < sizeof kept && !isatty(STDOUT_FILENO))
        (void)setvbuf(stdout, kept, _IOFBF, sizeof kept);
    return true;
}

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
/* A page of 4 KiB takes the kernel more than a microsecond when it is touched first, and an analysis touches thousands:
 * a quarter of its time. The heap goes on at a border of large pages, which come as they are touched; of what lies
 * ahead nothing is taken. Where the system has no large pages to give, or another heap is used, nothing changes. */
static void ask_for_large_pages(void)
{
    const size_t large = (size_t)2 << 20, ahead = (size_t)64 << 20;
    (void)mallopt(M_TOP_PAD, (int)ahead);
    char *begin = sbrk((intptr_t)(large - (uintptr_t)sbrk(0) % large));
    if (begin == (char *)-1) /* NOLINT(performance-no-int-to-ptr): what sbrk says of a failure */
        return;
    void *volatile first = malloc(large); /* with which what lies ahead comes, too */
    free(first);
    begin += large - (uintptr_t)begin % large;
    char *end = sbrk(0);
    if (end > begin)
        (void)madvise(begin, (size_t)(end - begin), MADV_HUGEPAGE);
}
#endif

/* glibc gives whatever is larger than 128 KiB to the system and takes it back anew, page by page. */
void keep_memory(void)
{
#if defined(__GLIBC__)
    (void)mallopt(M_MMAP_THRESHOLD, 4 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
#if defined(MADV_HUGEPAGE)
    ask_for_large_pages();
#endif
#endif
}

bool is_stream_terminal(FILE *stream)
{
    return isatty(fileno(stream));
}

unsigned terminal_columns(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int stream_number(FILE *stream)
{
    return fileno(stream);
}

bool seek_stream(FILE *stream, int64_t offset)
{
    return fseeko(stream, (off_t)offset, SEEK_SET) == 0;
}

bool cut_stream(FILE *stream, uint64_t bytes)
{
    return fflush(stream) == 0 && ftruncate(fileno(stream), (off_t)bytes) == 0;
}

/* A lock of the process, POSIX's own kind, would go with the first that SQLite gives back; where the system has none of
 * the open file, that is so for databases. */
#ifdef F_OFD_SETLK
#define SET_LOCK F_OFD_SETLK
#else
#define SET_LOCK F_SETLK
#endif

bool claim_stream(FILE *stream)
{
    struct flock last = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = INT64_MAX - 1, .l_len = 1};
    return fcntl(fileno(stream), SET_LOCK, &last) == 0 || (errno != EACCES && errno != EAGAIN);
}

int hold_file(FILE *stream)
{
    return fcntl(fileno(stream), F_DUPFD_CLOEXEC, 0);
}

void let_go_of_file(int held)
{
    if (held >= 0)
        (void)close(held);
}

void keep_permissions(const char *path, FILE *stream)
{
    struct stat status;
    if (stat(path, &status) == 0)
        (void)fchmod(fileno(stream), status.st_mode & 07777);
}
#endif
