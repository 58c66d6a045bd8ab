/* SPDX-License-Identifier: Apache-2.0
 *
 * The operating system as Windows 7 and later have it. Paths are UTF-8 and become UTF-16 here, whatever the code page
 * of the process. Files are opened so that others may rename and remove them meanwhile, as elsewhere: a file is put in
 * its place while it is open.
 */
#include "base/base.h"
#include "base/platform.h"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <wchar.h>

/* Characters of a path, of which the system takes 32767. */
#define PATH_UNITS 4096
/* From this length on the system wants a whole path after a prefix. */
#define SHORT_UNITS 240
/* Of one call. */
#define CALL_BYTES ((size_t)1 << 30)
#define SHARE (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* Sets errno as the C library would. */
static void take_error(void)
{
    static const struct {
        DWORD system;
        int code;
    } rows[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},
        {ERROR_INVALID_DRIVE, ENOENT},
        {ERROR_BAD_PATHNAME, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_BAD_NET_NAME, ENOENT},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_SHARING_VIOLATION, EACCES},
        {ERROR_LOCK_VIOLATION, EACCES},
        {ERROR_PRIVILEGE_NOT_HELD, EPERM},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_OUTOFMEMORY, ENOMEM},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_INVALID_HANDLE, EBADF},
        {ERROR_BROKEN_PIPE, EPIPE},
        {ERROR_NO_DATA, EPIPE},
        {ERROR_NOT_SUPPORTED, ENOSYS},
        {ERROR_INVALID_FUNCTION, ENOSYS},
        {ERROR_NOT_SAME_DEVICE, EXDEV},
    };
    DWORD system = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < NPART__COUNT(rows); i++)
        if (rows[i].system == system)
            errno = rows[i].code;
}

/* For calls that say no more than whether they went well. take_error must come before any other call of the
 * system, which may change the last error. */
static bool done(BOOL is_done)
{
    if (!is_done)
        take_error();
    return is_done;
}

/* ---- names ----------------------------------------------------------------------------------------------- */

bool npart__is_separator(char letter)
{
    return letter == '/' || letter == '\\';
}

/* "C:" stands before a path, absolute ("C:\x") or of the drive's current folder ("C:x"). */
static bool has_drive(const char *path)
{
    return ((path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z')) && path[1] == ':';
}

size_t npart__name_offset(const char *path)
{
    size_t offset = has_drive(path) ? 2 : 0;
    for (size_t i = offset; path[i]; i++)
        if (npart__is_separator(path[i]))
            offset = i + 1;
    return offset;
}

size_t npart__root_length(const char *path)
{
    size_t drive = has_drive(path) ? 2 : 0;
    return drive + npart__is_separator(path[drive]);
}

/* The system drops blanks and full stops at the end of a name. */
bool npart__is_parent(const char *part)
{
    size_t length = strspn(part, ". ");
    return part[0] == '.' && part[1] == '.' && (npart__is_separator(part[length]) || part[length] == '\0');
}

struct path {
    wchar_t units[PATH_UNITS];
};

/* A long path becomes a whole one, after the prefix that takes away the limit of 260 characters. */
static bool lengthen(struct path *path)
{
    static const wchar_t local[] = L"\\\\?\\", network[] = L"\\\\?\\UNC";
    wchar_t whole[PATH_UNITS];
    DWORD length = GetFullPathNameW(path->units, PATH_UNITS, whole, NULL);
    bool is_network = whole[0] == '\\' && whole[1] == '\\';
    if (length == 0 || length >= PATH_UNITS - NPART__COUNT(network)) {
        errno = ENAMETOOLONG;
        return false;
    }
    size_t prefix = is_network ? NPART__COUNT(network) - 1 : NPART__COUNT(local) - 1;
    memcpy(path->units, is_network ? network : local, prefix * sizeof *whole);
    /* "\\server\share" without its first separator. */
    memcpy(path->units + prefix, whole + is_network, (length + 1 - is_network) * sizeof *whole);
    return true;
}

/* What is no UTF-8 names no file. A path that has the prefix already is left as it is, for the system takes it
 * literally. */
static bool widen(const char *utf8, struct path *out)
{
    int count = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, utf8, -1, out->units, PATH_UNITS);
    if (count == 0 || !*utf8) {
        errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER && *utf8 ? ENAMETOOLONG : ENOENT;
        return false;
    }
    bool has_prefix = out->units[0] == '\\' && out->units[1] == '\\' && (out->units[2] == '?' || out->units[2] == '.');
    return count < SHORT_UNITS || has_prefix || lengthen(out);
}

/* ---- files ----------------------------------------------------------------------------------------------- */

/* A handle, and INVALID_HANDLE_VALUE; folders can be opened, too. */
static HANDLE open_path(const char *path, DWORD access, DWORD how)
{
    struct path wide;
    if (!widen(path, &wide))
        return INVALID_HANDLE_VALUE;
    HANDLE handle = CreateFileW(wide.units, access, SHARE, NULL, how, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        take_error();
    return handle;
}

/* From here on the descriptor owns the handle; where none is free the handle is closed. _O_BINARY, since line ends
 * of a model must not be changed. */
static int take_descriptor(HANDLE handle, int flags)
{
    if (handle == INVALID_HANDLE_VALUE)
        return -1;
    int descriptor = _open_osfhandle((intptr_t)handle, flags | _O_BINARY | _O_NOINHERIT);
    if (descriptor < 0)
        (void)CloseHandle(handle);
    return descriptor;
}

int npart__file_open(const char *path)
{
    return take_descriptor(open_path(path, GENERIC_READ, OPEN_EXISTING), _O_RDONLY);
}

/* Opening never waits here. */
int npart__file_open_at_once(const char *path)
{
    return npart__file_open(path);
}

/* Who may read it is the folder's to say. */
int npart__file_create(const char *path, int like)
{
    (void)like;
    return take_descriptor(open_path(path, GENERIC_READ | GENERIC_WRITE, CREATE_NEW), _O_RDWR);
}

int npart__file_duplicate(int descriptor)
{
    return _dup(descriptor);
}

void npart__file_close(int descriptor)
{
    (void)_close(descriptor);
}

static HANDLE handle_of(int descriptor)
{
    return (HANDLE)_get_osfhandle(descriptor);
}

/* A pipe or a console has no size, and is no failure. */
static bool describe_file(HANDLE handle, struct npart__file_status *out)
{
    BY_HANDLE_FILE_INFORMATION is;
    *out = (struct npart__file_status){.kind = NPART__FILE_OTHER};
    if (GetFileType(handle) != FILE_TYPE_DISK)
        return true;
    if (!done(GetFileInformationByHandle(handle, &is)))
        return false;
    /* Steps of 100 ns since 1601. */
    uint64_t steps = (uint64_t)is.ftLastWriteTime.dwHighDateTime << 32 | is.ftLastWriteTime.dwLowDateTime;
    out->kind = is.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? NPART__FILE_FOLDER : NPART__FILE_REGULAR;
    out->bytes = (uint64_t)is.nFileSizeHigh << 32 | is.nFileSizeLow;
    out->device = is.dwVolumeSerialNumber;
    out->inode = (uint64_t)is.nFileIndexHigh << 32 | is.nFileIndexLow;
    out->modified_s = (int64_t)(steps / 10000000);
    out->modified_ns = (int64_t)(steps % 10000000) * 100;
    return true;
}

bool npart__file_status(int descriptor, struct npart__file_status *out)
{
    return describe_file(handle_of(descriptor), out);
}

bool npart__file_seek(int descriptor, uint64_t offset)
{
    return _lseeki64(descriptor, (int64_t)offset, SEEK_SET) >= 0;
}

/* The C library takes an unsigned, and returns an int. */
static unsigned most(size_t bytes)
{
    return (unsigned)(bytes < CALL_BYTES ? bytes : CALL_BYTES);
}

ptrdiff_t npart__file_read(int descriptor, void *into, size_t bytes)
{
    return _read(descriptor, into, most(bytes));
}

/* The end of the file is an error to ReadFile, and 0 bytes here. Unlike pread it moves the place where the
 * descriptor stands, so no descriptor is read in both ways. */
ptrdiff_t npart__file_read_at(int descriptor, void *into, size_t bytes, uint64_t offset)
{
    OVERLAPPED at = {.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
    DWORD count = 0;
    if (ReadFile(handle_of(descriptor), into, most(bytes), &count, &at) || GetLastError() == ERROR_HANDLE_EOF)
        return (ptrdiff_t)count;
    take_error();
    return -1;
}

ptrdiff_t npart__file_write(int descriptor, const void *data, size_t bytes)
{
    return _write(descriptor, data, most(bytes));
}

/* The system copies whole files only, so ranges are read and written by the caller. */
ptrdiff_t npart__file_copy(int from, uint64_t offset, int to, uint64_t bytes, enum npart__copy_way *way)
{
    (void)from, (void)offset, (void)to, (void)bytes;
    *way = NPART__COPY_BY_READING;
    return -1;
}

bool npart__path_status(const char *path, struct npart__file_status *out)
{
    HANDLE handle = open_path(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING);
    bool is_told = handle != INVALID_HANDLE_VALUE && describe_file(handle, out);
    if (handle != INVALID_HANDLE_VALUE)
        (void)CloseHandle(handle);
    return is_told;
}

enum npart__path_kind npart__path_kind(const char *path, bool follows_links)
{
    struct path wide;
    struct npart__file_status status;
    DWORD is = widen(path, &wide) ? GetFileAttributesW(wide.units) : INVALID_FILE_ATTRIBUTES;
    if (is == INVALID_FILE_ATTRIBUTES)
        return NPART__PATH_NOTHING;
    if (is & FILE_ATTRIBUTE_REPARSE_POINT && !follows_links)
        return NPART__PATH_OTHER;
    if (is & FILE_ATTRIBUTE_DIRECTORY)
        return NPART__PATH_FOLDER;
    bool is_file = npart__path_status(path, &status) && status.kind == NPART__FILE_REGULAR;
    return is_file ? NPART__PATH_FILE : NPART__PATH_OTHER;
}

static bool narrow(const wchar_t *wide, char *out, size_t bytes)
{
    bool has_room = WideCharToMultiByte(CP_UTF8, 0, wide, -1, out, (int)bytes, NULL, NULL) > 0;
    errno = has_room ? errno : ENAMETOOLONG;
    return has_room;
}

/* The system's answer begins with a prefix that people do not write. */
bool npart__path_real(const char *path, char *out, size_t bytes)
{
    static const wchar_t network[] = L"\\\\?\\UNC\\", local[] = L"\\\\?\\";
    struct path found;
    HANDLE handle = open_path(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING);
    if (handle == INVALID_HANDLE_VALUE)
        return false;
    DWORD length = GetFinalPathNameByHandleW(handle, found.units, PATH_UNITS, FILE_NAME_NORMALIZED);
    (void)CloseHandle(handle);
    if (!done(length > 0 && length < PATH_UNITS))
        return false;
    bool is_network = wcsncmp(found.units, network, NPART__COUNT(network) - 1) == 0;
    bool is_local = !is_network && wcsncmp(found.units, local, NPART__COUNT(local) - 1) == 0;
    size_t begin = is_network ? NPART__COUNT(network) - 3 : is_local ? NPART__COUNT(local) - 1 : 0;
    if (!narrow(found.units + begin, out, bytes))
        return false;
    for (char *at = out; *at; at++)
        *at = *at == '\\' ? '/' : *at;
    if (is_network)
        out[0] = '/'; /* where the C of UNC stood */
    return true;
}

/* By opening it, as the rights of a file are lists here and no bits that could be asked. */
bool npart__path_is_readable(const char *path)
{
    HANDLE handle = open_path(path, GENERIC_READ, OPEN_EXISTING);
    return handle != INVALID_HANDLE_VALUE && CloseHandle(handle);
}

/* Attributes are those of the name itself: a link is not followed. */
bool npart__path_is_taken(const char *path)
{
    struct path wide;
    return widen(path, &wide) && done(GetFileAttributesW(wide.units) != INVALID_FILE_ATTRIBUTES);
}

/* Without a copy: to another volume it fails (EXDEV), as rename does elsewhere. */
bool npart__path_rename(const char *from, const char *to)
{
    struct path source, target;
    return widen(from, &source) && widen(to, &target) &&
           done(MoveFileExW(source.units, target.units, MOVEFILE_REPLACE_EXISTING));
}

bool npart__path_remove(const char *path)
{
    struct path wide;
    return widen(path, &wide) && done(DeleteFileW(wide.units));
}

bool npart__path_make_folder(const char *path)
{
    struct path wide;
    return widen(path, &wide) && done(CreateDirectoryW(wide.units, NULL));
}

bool npart__path_link(const char *from, const char *to)
{
    struct path source, target;
    HANDLE handle = open_path(from, FILE_READ_ATTRIBUTES, OPEN_EXISTING);
    if (handle == INVALID_HANDLE_VALUE)
        return false;
    DWORD length = GetFinalPathNameByHandleW(handle, source.units, PATH_UNITS, FILE_NAME_NORMALIZED);
    (void)CloseHandle(handle);
    return done(length > 0 && length < PATH_UNITS) && widen(to, &target) &&
           done(CreateHardLinkW(target.units, source.units, NULL));
}

/* "N": programs that are started do not have it. */
FILE *npart__stream_open(const char *path, const char *mode)
{
    struct path wide;
    wchar_t how[8] = L"";
    for (size_t i = 0; mode[i] && i < 4; i++)
        how[i] = (wchar_t)mode[i];
    wcscat(how, strchr(mode, 'b') ? L"N" : L"bN");
    FILE *file = widen(path, &wide) ? _wfopen(wide.units, how) : NULL;
    if (!file && errno == EACCES && npart__path_kind(path, true) == NPART__PATH_FOLDER)
        errno = EISDIR;
    return file;
}

bool npart__folder_open(struct npart__folder *folder, const char *path)
{
    struct path wide;
    char pattern[PATH_UNITS];
    WIN32_FIND_DATAW first;
    if (snprintf(pattern, sizeof pattern, "%s/*", path) >= (int)sizeof pattern || !widen(pattern, &wide))
        return false;
    folder->search = FindFirstFileW(wide.units, &first);
    folder->has_first = folder->search != INVALID_HANDLE_VALUE;
    if (folder->has_first)
        (void)narrow(first.cFileName, folder->name, sizeof folder->name); /* which has room for any */
    else
        take_error();
    return folder->has_first;
}

const char *npart__folder_next(struct npart__folder *folder)
{
    WIN32_FIND_DATAW next;
    bool is_there = folder->has_first;
    folder->has_first = false;
    errno = 0;
    if (!is_there && FindNextFileW(folder->search, &next))
        is_there = narrow(next.cFileName, folder->name, sizeof folder->name);
    return is_there ? folder->name : NULL;
}

void npart__folder_close(struct npart__folder *folder)
{
    (void)FindClose(folder->search);
}

/* ---- the rest -------------------------------------------------------------------------------------------- */

void npart__system_text(int code, char *out, size_t bytes)
{
    if (strerror_s(out, bytes, code) != 0)
        (void)snprintf(out, bytes, "error %d", code);
}

/* Both numbers are raw ticks here: what they are for is that no two runs have the same (npart__hash_key_init). */
void npart__system_time(uint64_t *seconds, uint64_t *nanoseconds)
{
    FILETIME now;
    LARGE_INTEGER ticks;
    GetSystemTimeAsFileTime(&now);
    (void)QueryPerformanceCounter(&ticks);
    *seconds = (uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime;
    *nanoseconds = (uint64_t)ticks.QuadPart;
}

/* In steps of some 15 ms, which is fine enough for a budget of time. */
unsigned npart__processors(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 0 ? (unsigned)info.dwNumberOfProcessors : 1;
}

uint64_t npart__monotonic_ms(void)
{
    return GetTickCount64();
}

unsigned long npart__process_number(void)
{
    return GetCurrentProcessId();
}
#endif
