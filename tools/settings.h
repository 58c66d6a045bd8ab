/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plan says in the words of the tools that run the model: --settings FILE (docs/settings.md).
 */
#ifndef TOOL_SETTINGS_H
#define TOOL_SETTINGS_H

#include "run.h"

/* Whether there are settings of this target's tools; tells which targets have some where there are none. */
bool has_settings(const npart_oplist *oplist);
/* Writes them for a plan and its advice (may be NULL); tells what is wrong. */
bool write_settings(const struct options *options, const npart_plan *plan, const npart_advice *advice);

#endif
