/* SPDX-License-Identifier: Apache-2.0
 *
 * The field `precision` of a target in the JSON report: docs/json.md, "Precision".
 */
#include "report/report.h"

/* `native` is null where it is not known what becomes of the format. A share of 0 is that of a format that does not run
 * on the vector unit: there is none to tell. */
void npart__add_json_precision(struct npart__buffer *out, const npart_plan *plan)
{
    struct npart_precision at = {.size = sizeof at};
    npart__json_open(out, "precision", '[');
    for (uint32_t i = 0; npart_plan_precision(plan, i, &at); i++) {
        bool is_known = at.happens != NPART_HAPPENS_UNKNOWN;
        npart__json_open(out, NULL, '{');
        npart__json_text_or_null(out, "format", at.format);
        npart__json_value(out, "native",
                          !is_known ? "null" : at.happens == NPART_HAPPENS_NATIVE ? "true" : "false");
        npart__json_text_or_null(out, "happens", npart_happening_text(at.happens));
        npart__json_decimal_or_null(out, "rate_share", at.share > 0 ? at.share : -1);
        npart__json_number(out, "nodes", at.node_count);
        npart__json_number(out, "nodes_on_npu", at.accepted_count);
        npart__json_count_or_null(out, "macs", at.has_macs, at.macs);
        npart__json_text_or_null(out, "text", at.text);
        npart__json_text_or_null(out, "because", at.because);
        npart__json_text_or_null(out, "source", at.source);
        npart__json_flag(out, "assumed", at.is_assumed);
        npart__json_text_or_null(out, "instead", at.instead);
        npart__json_text_or_null(out, "variant", at.variant);
        npart__json_close(out, '}');
    }
    npart__json_close(out, ']');
}
