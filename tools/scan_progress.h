/* SPDX-License-Identifier: Apache-2.0
 *
 * How far a scan is: a bar on a terminal, and totals at the end.
 */
#ifndef TOOL_SCAN_PROGRESS_H
#define TOOL_SCAN_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "npu_partition.h"

struct progress {
    bool is_shown;
    size_t total, earlier, done; /* models: of the scan, that were there already, of this run */
    const npart_many *many;      /* earlier ones included */
    uint64_t started_ms, shown_ms;
};

uint64_t progress_failures(const struct progress *progress);
/* Ten times a second at most. */
void progress_show(struct progress *progress);
/* Takes the bar away. */
void progress_hide(struct progress *progress);
/* A line, or two where models failed. */
void progress_write_totals(const struct progress *progress, npart_write_callback write, void *payload);

#endif
