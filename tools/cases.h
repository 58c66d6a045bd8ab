/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_CASES_H
#define TOOL_CASES_H

#include "compare.h"

/* Writes the nodes that differ as text cases. False, and told, where the file cannot be written. */
bool write_cases(const char *path, const struct comparison *comparison, const npart_inference *inference,
                 const char *target);

#endif
