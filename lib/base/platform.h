/* SPDX-License-Identifier: Apache-2.0
 *
 * All that the library asks of the operating system: files by their descriptors, names of files, folders, and the time.
 * The tool asks it here, too; what it alone needs is in tools/platform.h.
 * platform_posix.c and platform_windows.c say how. Paths are UTF-8. What fails returns -1 or false, with the reason in
 * errno.
 */
#ifndef NPART_BASE_PLATFORM_H
#define NPART_BASE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- names ----------------------------------------------------------------------------------------------- */

bool npart__is_separator(char letter);
/* Where the last part of a path begins. */
size_t npart__name_offset(const char *path);
/* The length of what makes a path absolute ("/", on Windows "C:\" too); 0 of a relative path. */
size_t npart__root_length(const char *path);
/* Whether the part of a path that begins here means the folder above. */
bool npart__is_parent(const char *part);

/* ---- files ----------------------------------------------------------------------------------------------- */

struct npart__file_status {
    enum npart__file_kind { NPART__FILE_REGULAR, NPART__FILE_FOLDER, NPART__FILE_OTHER } kind;
    uint64_t bytes;
    uint64_t device, inode; /* the same of two names of one file */
    int64_t modified_s, modified_ns;
};

/* To be read; a folder can be opened, too. */
int npart__file_open(const char *path);
/* The same at once, whatever the path leads to: a pipe without a writer is opened as well. For callers that ask what
 * kind it is then, and read regular files alone. */
int npart__file_open_at_once(const char *path);
/* A new file, to be read and written. EEXIST: the name is taken. Where the system knows of such, nobody may read it
 * who may not read the file `like`; -1: whoever may read new files. */
int npart__file_create(const char *path, int like);
int npart__file_duplicate(int descriptor);
void npart__file_close(int descriptor);
bool npart__file_status(int descriptor, struct npart__file_status *out);
bool npart__file_seek(int descriptor, uint64_t offset);

/* How many bytes, 0 at the end; fewer than asked for are no failure. Only the first moves the place where the
 * descriptor stands; on Windows the second does, too, so only one of them is used on a descriptor. */
ptrdiff_t npart__file_read(int descriptor, void *into, size_t bytes);
ptrdiff_t npart__file_read_at(int descriptor, void *into, size_t bytes, uint64_t offset);
ptrdiff_t npart__file_write(int descriptor, const void *data, size_t bytes);

/* Ways to copy from file to file, the best first. */
enum npart__copy_way {
    NPART__COPY_BY_RANGE,    /* some file systems share blocks */
    NPART__COPY_BY_SENDFILE, /* by the kernel */
    NPART__COPY_BY_READING,  /* the caller reads and writes */
};
/* Copies a range to where `to` stands, or its beginning. Tries *way, and sets it to a later one where that cannot be;
 * at the last one it fails and does nothing. Returns how many bytes, which may be fewer than asked for, or -1. */
ptrdiff_t npart__file_copy(int from, uint64_t offset, int to, uint64_t bytes, enum npart__copy_way *way);

/* Of what a path leads to. */
bool npart__path_status(const char *path, struct npart__file_status *out);
/* ... or, unless links are followed, of the name itself, a link being OTHER. */
enum npart__path_kind { NPART__PATH_NOTHING, NPART__PATH_FILE, NPART__PATH_FOLDER, NPART__PATH_OTHER };
enum npart__path_kind npart__path_kind(const char *path, bool follows_links);
/* Absolute, without links, with / between its parts. False: there is no such path, or it has no room. */
bool npart__path_real(const char *path, char *out, size_t bytes);
bool npart__path_is_readable(const char *path);
/* Whether there is anything of this name, be it a link to nothing. */
bool npart__path_is_taken(const char *path);
/* In place of a file `to`, if there is one. */
bool npart__path_rename(const char *from, const char *to);
bool npart__path_remove(const char *path);
bool npart__path_make_folder(const char *path);
/* A hard link to the file that `from` means after following links; where that cannot be, a symbolic one. False as
 * well where `to` is taken. */
bool npart__path_link(const char *from, const char *to);

/* The C library's; bytes are as they are, and a folder is not opened. */
FILE *npart__stream_open(const char *path, const char *mode);

/* The names in a folder, in any order, "." and ".." among them. */
struct npart__folder {
    void *search;
    bool has_first;
    char name[1024];
};
bool npart__folder_open(struct npart__folder *folder, const char *path);
/* NULL after the last with an errno of 0, or with another where the rest cannot be read; good until the next call. */
const char *npart__folder_next(struct npart__folder *folder);
void npart__folder_close(struct npart__folder *folder);

/* ---- the rest -------------------------------------------------------------------------------------------- */

/* The system's words for a value of errno; strerror is not safe with several threads. */
void npart__system_text(int code, char *out, size_t bytes);
/* As fine as the system's clock. */
void npart__system_time(uint64_t *seconds, uint64_t *nanoseconds);
/* Never goes back, whatever is done to the clock. */
uint64_t npart__monotonic_ms(void);
/* Of this machine, that may run now; at least 1. */
unsigned npart__processors(void);
/* Another one in each process that runs. */
unsigned long npart__process_number(void);

#endif
