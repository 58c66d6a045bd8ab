/* SPDX-License-Identifier: Apache-2.0
 *
 * The command `calibrate`: cost parameters from measured runs.
 */
#ifndef TOOL_CALIBRATE_H
#define TOOL_CALIBRATE_H

#include "run.h"

enum exit_status run_calibrate(struct run *run, struct options *options);

#endif
