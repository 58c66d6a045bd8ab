/* SPDX-License-Identifier: Apache-2.0
 *
 * Which files the tool may write to.
 */
#ifndef TOOL_FILES_H
#define TOOL_FILES_H

#include "options.h"

/* Whether writing to --output or standard output would write over this file, through whatever link; NULL is none. */
bool is_overwritten(const struct options *options, const char *path);
/* The name of a file to be read that --output, --settings or standard output would write to, through whatever link; or
 * of --settings where the report would be written there, too; NULL: none. */
const char *find_overwritten(const struct options *options);

#endif
