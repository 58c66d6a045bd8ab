/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_DIFF_H
#define TOOL_DIFF_H

#include "run.h"

enum exit_status run_diff(struct run *run, struct options *options);

#endif
