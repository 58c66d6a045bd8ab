/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_NEW_OPLIST_H
#define TOOL_NEW_OPLIST_H

#include "npu_partition.h"

/* Writes an op list to begin with, for a target of this name. False when the name cannot be one. */
bool write_new_oplist(const char *name, npart_write_callback write, void *payload);

#endif
