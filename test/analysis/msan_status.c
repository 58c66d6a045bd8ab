/* SPDX-License-Identifier: Apache-2.0 */
/* clang 14's memory sanitizer knows fstat, stat and lstat, but not by the names of files past 2 GB, which are functions
   of glibc since 2.33: it takes what they write for unwritten. Linked with --wrap. */
#include <sanitizer/msan_interface.h>
#include <sys/stat.h>

int __real_fstat64(int descriptor, struct stat *status);
int __real_stat64(const char *path, struct stat *status);
int __real_lstat64(const char *path, struct stat *status);
int __wrap_fstat64(int descriptor, struct stat *status);
int __wrap_stat64(const char *path, struct stat *status);
int __wrap_lstat64(const char *path, struct stat *status);

static int written(int result, struct stat *status)
{
    if (result == 0)
        __msan_unpoison(status, sizeof *status);
    return result;
}

int __wrap_fstat64(int descriptor, struct stat *status)
{
    return written(__real_fstat64(descriptor, status), status);
}

int __wrap_stat64(const char *path, struct stat *status)
{
    return written(__real_stat64(path, status), status);
}

int __wrap_lstat64(const char *path, struct stat *status)
{
    return written(__real_lstat64(path, status), status);
}
