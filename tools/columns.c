/* SPDX-License-Identifier: Apache-2.0 */
#include "columns.h"

bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

size_t columns_of(const char *text)
{
    size_t columns = 0;
    for (; *text; text++)
        columns += begins_character(*text);
    return columns;
}
