/* SPDX-License-Identifier: Apache-2.0
 *
 * How wide a text is in a table of the tool.
 */
#ifndef TOOL_COLUMNS_H
#define TOOL_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

/* Of UTF-8. */
bool begins_character(char byte);
/* How many characters a text has, which a terminal is taken to show in a column each. */
size_t columns_of(const char *text);
/* Of a text that is wider its beginning, and "..."; no fewer than 3 columns. */
void cut_to_columns(char *text, size_t columns);

#endif
