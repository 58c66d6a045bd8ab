/* SPDX-License-Identifier: Apache-2.0
 *
 * npu-partition split: one model a partition, and what runs on the CPU between them.
 */
#ifndef TOOL_SPLIT_H
#define TOOL_SPLIT_H

#include "run.h"

enum exit_status run_split(struct run *run, struct options *options);

#endif
