/* SPDX-License-Identifier: Apache-2.0
 *
 * A placement as one line of JSON; docs/json.md, "Placement", says what each field means.
 */
#include "report/report.h"

#define PLACEMENT_SCHEMA 2

/* Each with what the report of its model alone says, by the same writers. */
static void parts(struct npart__buffer *out, const char *key, const npart_placement *placement,
                  const struct npart_placement_info *info)
{
    NPART__JSON_LIST(out, key, i, i < info->part_count) {
        struct npart_summary summary = {.size = sizeof summary};
        struct npart_plan_pair plans;
        struct npart__object object = npart__open_part(out, NULL, info->parts[i], i);
        (void)npart_placement_plans(placement, i, &plans);
        (void)npart_plan_summary(plans.plan, &summary);
        npart__put_summary(out, npart__own(&object, "summary"), &summary);
        npart__add_json_cost(out, &plans);
        npart__object_close(&object);
    }
}

void npart__placement_json(struct npart__report *report)
{
    struct npart__buffer *out = &report->out;
    struct npart_placement_info info = {.size = sizeof info};
    (void)npart_placement_info(report->subject->placement, &info);
    npart__json_begin(out, PLACEMENT_SCHEMA, NULL);
    struct npart__object object = {.out = out, .next = npart__placement_fields, .at = &info};
    parts(out, npart__own(&object, "parts"), report->subject->placement, &info);
    npart__object_close(&object);
    npart__append_text(out, "\n");
}
