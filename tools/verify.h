/* SPDX-License-Identifier: Apache-2.0
 *
 * The command `verify`: a real run's placement of nodes against the plan.
 */
#ifndef TOOL_VERIFY_H
#define TOOL_VERIFY_H

#include "run.h"

enum exit_status run_verify(struct run *run, struct options *options);

#endif
