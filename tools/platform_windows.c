/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows speaks UTF-16: what comes from it is UTF-8 from here on, whatever the code page of the console.
 */
#include "platform.h"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* As in the library: from this length on, whole paths with a prefix. */
#define SHORT_UNITS 240
#define SHARE (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

/* ---- the command line -------------------------------------------------------------------------------------- */

/* cmd.exe and PowerShell leave it to programs to expand *.onnx; the C library does that when this is set. */
int _dowildcard = -1;

int main(int argc, char **argv);
int wmain(int argc, wchar_t **wide);

int wmain(int argc, wchar_t **wide)
{
    char **argv = calloc((size_t)argc + 1, sizeof *argv);
    for (int i = 0; argv && i < argc; i++) {
        int bytes = WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, NULL, 0, NULL, NULL);
        argv[i] = malloc((size_t)bytes + 1);
        if (!argv[i] || !WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, argv[i], bytes, NULL, NULL))
            return 4;
    }
    return argv ? main(argc, argv) : 4; /* they live as long as the process */
}

/* ---- streams ----------------------------------------------------------------------------------------------- */

static UINT console_page;

static void restore_page(void)
{
    (void)SetConsoleOutputCP(console_page);
}

/* UTF-8, and sequences that choose colours and clear lines, where the console knows them. */
static void prepare_console(FILE *stream)
{
    DWORD mode;
    HANDLE console = (HANDLE)_get_osfhandle(_fileno(stream));
    if (!GetConsoleMode(console, &mode))
        return;
    (void)SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    if (console_page || !(console_page = GetConsoleOutputCP()) || console_page == CP_UTF8)
        return;
    if (SetConsoleOutputCP(CP_UTF8))
        (void)atexit(restore_page);
}

bool prepare_streams(void)
{
    for (int stream = 0; stream <= 2; stream++) {
        if (_get_osfhandle(stream) < 0 && _open("NUL", stream == 0 ? _O_WRONLY : _O_RDONLY) != stream)
            return false;
        (void)_setmode(stream, _O_BINARY);
    }
    prepare_console(stdout);
    prepare_console(stderr);
    return true;
}

ptrdiff_t read_input(void *into, size_t bytes)
{
    return _read(0, into, (unsigned)(bytes < 1u << 30 ? bytes : 1u << 30));
}

/* The null device is a character device, too, so a console's mode is asked for. */
bool is_stream_terminal(FILE *stream)
{
    DWORD mode;
    return GetConsoleMode((HANDLE)_get_osfhandle(_fileno(stream)), &mode) &&
           (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

unsigned terminal_columns(void)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(1), &info))
        return 0;
    return (unsigned)(info.srWindow.Right - info.srWindow.Left + 1);
}

/* ---- files ------------------------------------------------------------------------------------------------- */

/* To be freed; NULL with errno. */
static wchar_t *widen(const char *utf8)
{
    static const wchar_t prefix[] = L"\\\\?\\";
    int count = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, utf8, -1, NULL, 0);
    wchar_t *wide = malloc(((size_t)count + 1) * sizeof *wide);
    if (!wide || count == 0 || MultiByteToWideChar(CP_UTF8, 0, utf8, -1, wide, count) != count) {
        errno = wide ? ENOENT : ENOMEM;
        free(wide);
        return NULL;
    }
    if (count < SHORT_UNITS || wcsncmp(wide, L"\\\\", 2) == 0)
        return wide;
    DWORD whole = GetFullPathNameW(wide, 0, NULL, NULL);
    wchar_t *longer = malloc(((size_t)whole + sizeof prefix) * sizeof *longer);
    if (longer) {
        wcscpy(longer, prefix);
        whole = GetFullPathNameW(wide, whole, longer + wcslen(prefix), NULL);
    }
    free(wide);
    return longer;
}

FILE *open_file(const char *path, const char *mode)
{
    wchar_t how[8] = L"";
    wchar_t *wide = widen(path);
    for (size_t i = 0; mode[i] && i < 4; i++)
        how[i] = (wchar_t)mode[i];
    if (!strchr(mode, 'b'))
        wcscat(how, L"b");
    wcscat(how, L"N");
    FILE *file = wide ? _wfopen(wide, how) : NULL;
    int code = errno == EACCES && kind_of_path(path, true) == PATH_FOLDER ? EISDIR : errno;
    free(wide);
    errno = code;
    return file;
}

void remove_file(const char *path)
{
    wchar_t *wide = widen(path);
    (void)(wide && DeleteFileW(wide));
    free(wide);
}

bool write_whole(FILE *stream, const char *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        size_t rest = count - done;
        int written = _write(_fileno(stream), bytes + done, (unsigned)(rest < 1u << 30 ? rest : 1u << 30));
        if (written < 0)
            return false;
        done += (size_t)written;
    }
    return true;
}

int64_t stream_offset(FILE *stream)
{
    return _ftelli64(stream);
}

bool seek_stream(FILE *stream, int64_t offset)
{
    return _fseeki64(stream, offset, SEEK_SET) == 0;
}

bool cut_stream(FILE *stream, uint64_t bytes)
{
    int code = fflush(stream) == 0 ? _chsize_s(_fileno(stream), (__int64)bytes) : errno;
    errno = code;
    return code == 0;
}

bool claim_stream(FILE *stream)
{
    OVERLAPPED last = {.Offset = MAXDWORD, .OffsetHigh = MAXDWORD >> 1};
    HANDLE handle = (HANDLE)_get_osfhandle(_fileno(stream));
    return LockFileEx(handle, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &last) ||
           GetLastError() != ERROR_LOCK_VIOLATION;
}

static bool identify(HANDLE handle, struct file_identity *out)
{
    BY_HANDLE_FILE_INFORMATION is;
    if (GetFileType(handle) != FILE_TYPE_DISK || !GetFileInformationByHandle(handle, &is))
        return false;
    *out = (struct file_identity){is.dwVolumeSerialNumber, (uint64_t)is.nFileIndexHigh << 32 | is.nFileIndexLow};
    return !(is.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY);
}

bool identify_file(const char *path, struct file_identity *out)
{
    wchar_t *wide = widen(path);
    HANDLE handle = wide ? CreateFileW(wide, FILE_READ_ATTRIBUTES, SHARE, NULL, OPEN_EXISTING,
                                       FILE_FLAG_BACKUP_SEMANTICS, NULL)
                         : INVALID_HANDLE_VALUE;
    bool is_file = handle != INVALID_HANDLE_VALUE && identify(handle, out);
    if (handle != INVALID_HANDLE_VALUE)
        (void)CloseHandle(handle);
    free(wide);
    return is_file;
}

bool identify_stream(FILE *stream, struct file_identity *out)
{
    return identify((HANDLE)_get_osfhandle(_fileno(stream)), out);
}

enum path_kind kind_of_path(const char *path, bool follows_links)
{
    struct file_identity identity;
    wchar_t *wide = widen(path);
    DWORD is = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    free(wide);
    if (is == INVALID_FILE_ATTRIBUTES)
        return PATH_NOTHING;
    if (is & FILE_ATTRIBUTE_REPARSE_POINT && !follows_links)
        return PATH_OTHER;
    if (is & FILE_ATTRIBUTE_DIRECTORY)
        return PATH_FOLDER;
    return identify_file(path, &identity) ? PATH_FILE : PATH_OTHER;
}

bool find_file_size(const char *path, uint64_t *bytes)
{
    WIN32_FILE_ATTRIBUTE_DATA is;
    wchar_t *wide = kind_of_path(path, true) == PATH_FILE ? widen(path) : NULL;
    bool is_file = wide && GetFileAttributesExW(wide, GetFileExInfoStandard, &is);
    free(wide);
    if (is_file)
        *bytes = (uint64_t)is.nFileSizeHigh << 32 | is.nFileSizeLow;
    return is_file;
}

static char *narrow(const wchar_t *wide)
{
    int bytes = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *out = bytes > 0 ? malloc((size_t)bytes) : NULL;
    if (out)
        (void)WideCharToMultiByte(CP_UTF8, 0, wide, -1, out, bytes, NULL, NULL);
    return out;
}

/* The system's answer begins with a prefix that people do not write. */
static char *without_prefix(const wchar_t *wide)
{
    static const wchar_t network[] = L"\\\\?\\UNC\\", local[] = L"\\\\?\\";
    bool is_network = wcsncmp(wide, network, wcslen(network)) == 0;
    bool is_local = !is_network && wcsncmp(wide, local, wcslen(local)) == 0;
    char *out = narrow(wide + (is_network ? wcslen(network) - 2 : is_local ? wcslen(local) : 0));
    for (char *at = out; at && *at; at++)
        if (*at == '\\')
            *at = '/';
    if (out && is_network)
        out[0] = '/'; /* where the C of UNC stood */
    return out;
}

char *real_path(const char *path)
{
    wchar_t *wide = widen(path), found[4096] = L"";
    HANDLE handle = wide ? CreateFileW(wide, FILE_READ_ATTRIBUTES, SHARE, NULL, OPEN_EXISTING,
                                       FILE_FLAG_BACKUP_SEMANTICS, NULL)
                         : INVALID_HANDLE_VALUE;
    free(wide);
    errno = ENOENT;
    if (handle == INVALID_HANDLE_VALUE)
        return NULL;
    DWORD length = GetFinalPathNameByHandleW(handle, found, 4096, FILE_NAME_NORMALIZED);
    (void)CloseHandle(handle);
    return length > 0 && length < 4096 ? without_prefix(found) : NULL;
}

struct folder {
    HANDLE search;
    WIN32_FIND_DATAW next;
    bool has_next;
    char *name;
};

struct folder *folder_open(const char *path)
{
    struct folder *folder = calloc(1, sizeof *folder);
    char *pattern = malloc(strlen(path) + 3);
    wchar_t *wide = NULL;
    if (folder && pattern) {
        (void)snprintf(pattern, strlen(path) + 3, "%s/*", path);
        wide = widen(pattern);
        folder->search = wide ? FindFirstFileW(wide, &folder->next) : INVALID_HANDLE_VALUE;
        folder->has_next = folder->search != INVALID_HANDLE_VALUE;
    }
    bool is_open = folder && folder->has_next;
    DWORD why = GetLastError();
    free(wide);
    free(pattern);
    if (is_open)
        return folder;
    errno = !folder ? ENOMEM : why == ERROR_ACCESS_DENIED ? EACCES : why == ERROR_DIRECTORY ? ENOTDIR : ENOENT;
    free(folder);
    return NULL;
}

const char *folder_next(struct folder *folder)
{
    bool had_next = folder->has_next;
    free(folder->name);
    folder->name = had_next ? narrow(folder->next.cFileName) : NULL;
    folder->has_next = had_next && FindNextFileW(folder->search, &folder->next);
    if (!folder->name)
        errno = had_next ? ENOMEM : 0;
    return folder->name;
}

void folder_close(struct folder *folder)
{
    (void)FindClose(folder->search);
    free(folder->name);
    free(folder);
}

static bool is_separator(char letter)
{
    return letter == '/' || letter == '\\';
}

static bool has_drive(const char *path)
{
    return ((path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z')) && path[1] == ':';
}

size_t name_offset(const char *path)
{
    size_t offset = has_drive(path) ? 2 : 0;
    for (size_t i = offset; path[i]; i++)
        if (is_separator(path[i]))
            offset = i + 1;
    return offset;
}

bool is_absolute_path(const char *path)
{
    return is_separator(*path) || has_drive(path);
}

unsigned long process_number(void)
{
    return GetCurrentProcessId();
}

/* A file that is open is not renamed here, and requests to end remove nothing. */
int hold_file(FILE *stream)
{
    (void)stream;
    return -1;
}

void let_go_of_file(int held)
{
    (void)held;
}

bool replace_file(const char *from, const char *to)
{
    wchar_t *wide_from = widen(from), *wide_to = widen(to);
    bool is_done = wide_from && wide_to && MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING);
    free(wide_from);
    free(wide_to);
    if (!is_done)
        errno = EACCES;
    return is_done;
}

/* A new file has those of its folder. */
void keep_permissions(const char *path, FILE *stream)
{
    (void)path;
    (void)stream;
}

void keep_memory(void)
{
}
#endif
