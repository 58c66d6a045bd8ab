/* SPDX-License-Identifier: Apache-2.0
 *
 * The field `precision` of a target in the JSON report: docs/json.md, "Precision".
 */
#include "report/report.h"

/* A key with what stands before it, and a text; "" is null. */
static void text_member(struct npart__sheet *out, const char *key, const char *text)
{
    npart__add_text(out, key);
    if (*text)
        npart__add_json_string(out, text, strlen(text));
    else
        npart__add_text(out, "null");
}

void npart__add_json_precision(struct npart__sheet *out, const npart_plan *plan)
{
    struct npart_precision at = {.size = sizeof at};
    npart__add_text(out, ",\"precision\":[");
    for (uint32_t i = 0; npart_plan_precision(plan, i, &at); i++) {
        bool is_known = strcmp(at.happens, "unknown") != 0;
        text_member(out, i ? ",{\"format\":" : "{\"format\":", at.format);
        npart__add_text(out, !is_known                            ? ",\"native\":null"
                             : strcmp(at.happens, "native") == 0 ? ",\"native\":true"
                                                                  : ",\"native\":false");
        text_member(out, ",\"happens\":", at.happens);
        if (at.share > 0) {
            npart__add_text(out, ",\"rate_share\":");
            npart__add_decimal(out, at.share, 6);
        } else {
            npart__add_text(out, ",\"rate_share\":null");
        }
        npart__add_format(out, ",\"nodes\":%u,\"nodes_on_npu\":%u,\"macs\":", at.node_count, at.accepted_count);
        if (at.has_macs)
            npart__add_format(out, "%llu", (unsigned long long)at.macs);
        else
            npart__add_text(out, "null");
        text_member(out, ",\"text\":", at.text);
        text_member(out, ",\"because\":", at.because);
        text_member(out, ",\"source\":", at.source);
        npart__add_text(out, at.is_assumed ? ",\"assumed\":true" : ",\"assumed\":false");
        text_member(out, ",\"instead\":", at.instead);
        text_member(out, ",\"variant\":", at.variant);
        npart__add_text(out, "}");
    }
    npart__add_text(out, "]");
}
