/* SPDX-License-Identifier: Apache-2.0
 *
 * A placement as one line of JSON; docs/json.md, "Placement", says what each field means.
 */
#include "report/report.h"

#define PLACEMENT_SCHEMA 2

void npart__placement_json(struct npart__report *report)
{
    struct npart__buffer *out = &report->out;
    struct npart_placement_info info = {.size = sizeof info};
    (void)npart_placement_info(report->subject->placement, &info);
    npart__json_begin(out, PLACEMENT_SCHEMA);
    struct npart__object object = {.out = out, .next = npart__placement_fields, .at = &info};
    npart__object_close(&object);
    npart__append_text(out, "\n");
}
