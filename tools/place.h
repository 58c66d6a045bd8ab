/* SPDX-License-Identifier: Apache-2.0
 *
 * The command `place`: on which device each model of a set runs best.
 */
#ifndef TOOL_PLACE_H
#define TOOL_PLACE_H

#include "run.h"

enum exit_status run_place(struct run *run, struct options *options);

#endif
