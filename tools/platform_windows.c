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

int stream_number(FILE *stream)
{
    return _fileno(stream);
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
