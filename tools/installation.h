/* SPDX-License-Identifier: Apache-2.0
 *
 * All nodes on the CPU although the plan has some on the NPU: is it the model, or the installation?
 */
#ifndef TOOL_INSTALLATION_H
#define TOOL_INSTALLATION_H

#include "compare.h"

struct blame {
    enum blame_of { BLAME_NONE, BLAME_INSTALLATION, BLAME_PROVIDER } of;
    const char *provider; /* by the name that a session gives it */
    char text[512];       /* what is the matter */
    char check[512];      /* how to see it; "" */
};

/* BLAME_NONE where some node ran on the NPU, where the plan has none there, and where ONNX Runtime has no provider for
 * the target. What is told is the op list's, and lives as long. */
struct blame find_blame(const struct comparison *comparison, const struct profile *profile, const npart_plan *plan);
/* The word of JSON. */
const char *blame_word(enum blame_of of);

#endif
