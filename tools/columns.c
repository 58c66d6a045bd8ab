/* SPDX-License-Identifier: Apache-2.0 */
#include "columns.h"

#include <string.h>

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

void cut_to_columns(char *text, size_t columns)
{
    char *at = text;
    if (columns_of(text) <= columns)
        return;
    for (size_t seen = 0; seen <= columns - 3; at++)
        seen += begins_character(*at);
    memcpy(at - 1, "...", 4);
}
