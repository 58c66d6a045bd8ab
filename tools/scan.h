/* SPDX-License-Identifier: Apache-2.0
 *
 * The command scan: many models, many threads, a line each.
 */
#ifndef TOOL_SCAN_H
#define TOOL_SCAN_H

#include "run.h"

#define SCAN_MOST_JOBS 1024u /* at the same time */

enum exit_status run_scan(struct run *run, struct options *options);

#endif
