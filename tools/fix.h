/* SPDX-License-Identifier: Apache-2.0
 *
 * The command fix.
 */
#ifndef TOOL_FIX_H
#define TOOL_FIX_H

#include "run.h"

enum exit_status run_fix(struct run *run, struct options *options);

#endif
