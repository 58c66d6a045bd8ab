/* SPDX-License-Identifier: Apache-2.0
 *
 * Placement overrides that change nothing: most likely one is misspelt.
 */
#ifndef TOOL_ASSUME_H
#define TOOL_ASSUME_H

#include "job.h"

/* Tells of each --assume whose op neither the model has, nor what a plan makes of it. */
void tell_assumptions(const struct options *options, const struct job *job, const char *path);

#endif
