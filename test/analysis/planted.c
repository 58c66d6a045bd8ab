/* SPDX-License-Identifier: Apache-2.0
 *
 * Defects that each analyzer must find, so that one that is installed, called or set wrongly is seen. Never linked. A
 * comment `TOOL: CHECK` after a line says which check of which tool has to name it (planted.sh).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int planted_use_after_free(void);
int planted_null(const int *from);
int planted_uninitialized(int is_known);
char *planted_leak(const char *text, int is_wanted);
void planted_past_the_end(int *out);
size_t planted_size_of_pointer(const char *text);
int planted_same_branches(int a);
int planted_file(const char *path);

int planted_use_after_free(void)
{
    int *number = malloc(sizeof *number);
    if (!number)
        return 0;
    *number = 1;
    free(number);
    return *number; /* gcc: use-after-free */ /* clang-tidy: Malloc */
}

int planted_null(const int *from)
{
    if (from)
        return 1;
    return *from; /* gcc: null-dereference */ /* clang-tidy: NullDereference */ /* cppcheck: nullPointer */
}

int planted_uninitialized(int is_known)
{
    int number;
    if (is_known)
        number = 1;
    return number; /* clang-tidy: UndefReturn */ /* cppcheck: uninitvar */
}

char *planted_leak(const char *text, int is_wanted)
{
    char *copy = malloc(strlen(text) + 1);
    if (!copy)
        return NULL;
    if (!is_wanted)
        return NULL; /* clang-tidy: Malloc */ /* cppcheck: memleak */
    return strcpy(copy, text);
}

void planted_past_the_end(int *out)
{
    int numbers[4] = {0, 1, 2, 3};
    *out = numbers[4]; /* gcc: uninitialized */ /* clang-tidy: Assign */ /* cppcheck: arrayIndexOutOfBounds */
}

size_t planted_size_of_pointer(const char *text)
{
    return strncmp(text, "planted", sizeof text) == 0; /* cppcheck: pointerSize */
}

int planted_same_branches(int a)
{
    if (a > 1) /* clang-tidy: branch-clone */ /* cppcheck: duplicateBranch */
        return a + 1;
    else
        return a + 1;
}

int planted_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return -1;
    int byte = fgetc(file); /* gcc: file-leak */
    return byte; /* cppcheck: resourceLeak */
}
