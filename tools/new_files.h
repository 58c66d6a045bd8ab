/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_NEW_FILES_H
#define TOOL_NEW_FILES_H

#include "run.h"

/* Writes an op list to begin with, for a target of this name. False when the name cannot be one. */
bool write_new_oplist(struct run *run, const char *name);
/* A project file to start from. Tells of a model that none can name: USAGE. */
enum exit_status write_new_config(struct run *run, const struct options *options);

#endif
