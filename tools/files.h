/* SPDX-License-Identifier: Apache-2.0
 *
 * Which files the tool may write to.
 */
#ifndef TOOL_FILES_H
#define TOOL_FILES_H

#include "options.h"

/* Puts the null device where a standard stream is closed, so that no file opened later gets its number, and what is
 * printed never ends up in it. Reading or writing there fails, as it does with a closed one. False: it cannot. */
bool occupy_standard_streams(void);
/* Whether writing to --output or standard output would write over this file, through whatever link; NULL is none. */
bool is_overwritten(const struct options *options, const char *path);
/* The name of a file to be read that --output or standard output would write to, through whatever link; NULL: none. */
const char *find_overwritten(const struct options *options);

#endif
