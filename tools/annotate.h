/* SPDX-License-Identifier: Apache-2.0
 *
 * npu-partition annotate: the model with what plans say of each node.
 */
#ifndef TOOL_ANNOTATE_H
#define TOOL_ANNOTATE_H

#include "run.h"

enum exit_status run_annotate(struct run *run, struct options *options);

#endif
