/* SPDX-License-Identifier: Apache-2.0
 *
 * A placement as one line of JSON; docs/json.md, "Placement", says what each field means.
 */
#include "report/report.h"

#define PLACEMENT_SCHEMA 2

/* The last one is NPART_DEVICES: not known. */
static void device(struct npart__buffer *out, const char *key, enum npart_device value)
{
    static const char *const names[] = {"npu", "cpu", "gpu", NULL};
    npart__json_text_or_null(out, key, names[value]);
}

static void part(struct npart__buffer *out, uint32_t id, const struct npart_part *at)
{
    struct npart__object object = npart__open_part(out, NULL, at, id);
    device(out, npart__own(&object, "device"), at->device);
    npart__json_open(out, npart__own(&object, "dims"), '{');
    for (uint32_t i = 0; i < at->dim_count; i++) {
        npart__json_name(out, at->dims[i].name);
        npart__json_count(out, NULL, (uint64_t)at->dims[i].size);
    }
    npart__json_close(out, '}');
    npart__object_close(&object);
}

void npart__placement_json(struct npart__report *report)
{
    struct npart__buffer *out = &report->out;
    struct npart_placement_info info = {.size = sizeof info};
    (void)npart_placement_info(report->subject->placement, &info);
    npart__json_begin(out, PLACEMENT_SCHEMA);
    struct npart__object object = {.out = out, .next = npart__placement_fields, .at = &info};
    NPART__JSON_LIST(out, npart__own(&object, "parts"), i, i < info.part_count)
        part(out, i, info.parts[i]);
    NPART__JSON_LIST(out, npart__own(&object, "links"), i, i < info.link_count)
        npart__put_link(out, NULL, info.links[i]);
    npart__object_close(&object);
    npart__append_text(out, "\n");
}
