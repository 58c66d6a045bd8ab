/* SPDX-License-Identifier: Apache-2.0
 *
 * Completion in shells. Their scripts are thin: they ask the tool, which knows its commands, options and targets.
 */
#ifndef TOOL_COMPLETION_H
#define TOOL_COMPLETION_H

#include <stdbool.h>

/* Prints what may stand for the last of these words, which follow the tool's name: a line each, with a tab before what
 * it is for; a line ":models", ":files" or ":folders" where names of those may. Whether it could be printed. */
bool complete(int count, char **words);
/* The script for a shell; NULL: there is none for it. */
const char *completion_script(const char *shell);

#endif
