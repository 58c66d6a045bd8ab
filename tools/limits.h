/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits by name: which there are (--list-limits), and those that a user sets (--limit).
 */
#ifndef TOOL_LIMITS_H
#define TOOL_LIMITS_H

#include "run.h"

/* NAME=N. Tells what is wrong with it. */
bool take_limit(struct options *options, const char *value);
void list_limits(struct run *run);

#endif
