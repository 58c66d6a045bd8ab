/* SPDX-License-Identifier: Apache-2.0
 *
 * What was written of a model: its parts, or the model with what plans say of its nodes.
 */
#include <stdio.h>

#include "report/report.h"

#define PARTS_SCHEMA 2

/* What a person wants to know at once; the rest is in the manifest. */
void npart__parts_text(struct npart__report *report)
{
    const struct npart_subject *subject = report->subject;
    struct npart_summary summary = {.size = sizeof summary};
    if (subject->manifest && npart_plan_summary(subject->plans[0].plan, &summary))
        npart__append_format(&report->out, "%u partition%s on the NPU; the parts and their order: %s/manifest.json\n",
                             summary.partitions, summary.partitions == 1 ? "" : "s", subject->written);
}

/* The manifest as it was written, on one line: ends of lines stand between its words alone. */
static void put_manifest(struct npart__buffer *out, const char *manifest)
{
    for (size_t length; *manifest; manifest += length + (manifest[length] == '\n')) {
        length = strcspn(manifest, "\n");
        npart__append(out, manifest, length);
    }
}

void npart__parts_json(struct npart__report *report)
{
    const struct npart_subject *subject = report->subject;
    struct npart__buffer *out = &report->out;
    npart__json_open(out, NULL, '{');
    npart__json_number(out, "schema", PARTS_SCHEMA);
    npart__json_text(out, "command", subject->manifest ? "split" : "annotate");
    npart__json_text(out, "model", subject->model);
    npart__json_text(out, "output", subject->written);
    NPART__JSON_LIST(out, "targets", i, i < subject->count) {
        struct npart_plan_info info = {.size = sizeof info};
        struct npart_summary summary = {.size = sizeof summary};
        (void)npart_plan_info(subject->plans[i].plan, &info);
        (void)npart_plan_summary(subject->plans[i].plan, &summary);
        npart__json_open(out, NULL, '{');
        npart__json_text(out, "target", info.target);
        npart__json_number(out, "nodes", summary.nodes);
        npart__json_number(out, "live", summary.live);
        npart__json_number(out, "accepted", summary.accepted);
        npart__json_number(out, "partitions", summary.partitions);
        npart__json_close(out, '}');
    }
    if (subject->manifest) {
        npart__json_key(out, "manifest");
        put_manifest(out, subject->manifest);
    }
    npart__json_close(out, '}');
    npart__append_text(out, "\n");
}
