/* SPDX-License-Identifier: Apache-2.0
 *
 * What a node computes and moves, as JSON.
 */
#include "report/report.h"

/* A number, the text of an expression ("64*batch*sequence"), or null where nothing is known. What is above 2^63 - 1
 * counts as not known, since readers of JSON have no larger integers: UINT64_MAX, which says so, is among it. */
static void figure(struct npart__buffer *out, const char *key, const struct npart_figure *at)
{
    if (at->text)
        npart__json_text(out, key, at->text);
    else
        npart__json_count_or_null(out, key, at->value <= INT64_MAX, at->value);
}

/* `rows`, `columns` and `depth` are those of the product, 0 of a node that is none; types are ONNX's numbers. */
void npart__add_work(struct npart__buffer *out, const char *key, const struct npart_work *work)
{
    npart__json_open(out, key, '{');
    npart__json_text(out, "class", npart_work_class_text(work->work_class));
    figure(out, "macs", &work->macs);
    figure(out, "operations", &work->operations);
    figure(out, "bytes_in", &work->bytes_in);
    figure(out, "bytes_out", &work->bytes_out);
    figure(out, "weight_bytes", &work->weight_bytes);
    figure(out, "rows", &work->rows);
    figure(out, "columns", &work->columns);
    figure(out, "depth", &work->depth);
    figure(out, "taps", &work->taps);
    figure(out, "groups", &work->groups);
    npart__json_number(out, "activation_type", work->activation_type);
    npart__json_number(out, "weight_type", work->weight_type);
    npart__json_close(out, '}');
}
