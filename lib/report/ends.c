/* SPDX-License-Identifier: Apache-2.0
 *
 * What is before and after a model that was ended, or begun, at some tensors, and what passes between.
 */
#include "report/page.h"

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* "float32[1,84,8400]"; a dim that is no number is "?". */
static void put_type(struct npart__page *page, const struct npart_passing *at)
{
    npart__append_format(page->out, " %s", at->type ? at->type : "of a type that is not known");
    for (uint32_t i = 0; at->dims && i < at->rank; i++)
        if (at->dims[i] >= 0)
            npart__append_format(page->out, "%s%lld", i ? "," : "[", (long long)at->dims[i]);
        else
            npart__append_format(page->out, "%s?", i ? "," : "[");
    npart__put(page, at->dims ? (at->rank ? "]" : "[]") : "");
    if (at->has_bytes) {
        npart__put(page, ", ");
        npart__append_rough_bytes(page->out, at->bytes);
    }
}

static const char *maker(enum npart_part_side from)
{
    static const char *const makers[] = {[NPART_PART_HEAD] = "the head", [NPART_PART_MODEL] = "the model",
                                         [NPART_PART_REST] = "the rest", [NPART_PART_CALLER] = "the caller"};
    return makers[from];
}

/* Tensors that a part is given. */
static void put_tensors(struct npart__page *page, const npart_fix *fix, enum npart_part_side to)
{
    struct npart_passing at = {.size = sizeof at};
    for (uint32_t i = 0; npart_fix_passing(fix, i, &at); i++) {
        if (at.to != to)
            continue;
        npart__append_format(page->out, "  from %-10s ", maker(at.from));
        npart__put_text(page, at.name);
        put_type(page, &at);
        npart__put(page, "\n");
    }
}

/* The time is of both parts that the host runs, and stands with the last. */
static void put_part(struct npart__page *page, const char *name, uint32_t nodes, const char *ops, const char *when,
                     double ms)
{
    npart__painted(page, NPART__BOLD, name);
    npart__append_format(page->out, ": %u node%s run%s on the host %s the model (%s)", nodes, nodes == 1 ? "" : "s",
                         nodes == 1 ? "s" : "", when, ops);
    if (ms >= 0) {
        npart__put(page, ", ");
        npart__append_estimate(page->out, ms);
    }
    npart__put(page, "\n");
}

void npart__put_ends(struct npart__page *page, const npart_fix *fix)
{
    struct npart_ends_info ends = {.size = sizeof ends};
    if (!npart_fix_ends(fix, &ends))
        return;
    if (ends.head_nodes) {
        put_part(page, "Head", ends.head_nodes, ends.head_ops, "before", ends.rest_nodes ? -1 : ends.host_ms);
        put_tensors(page, fix, NPART_PART_HEAD);
    }
    npart__painted(page, NPART__BOLD, "Model\n");
    put_tensors(page, fix, NPART_PART_MODEL);
    if (ends.rest_nodes) {
        put_part(page, "Rest", ends.rest_nodes, ends.rest_ops, "after", ends.host_ms);
        put_tensors(page, fix, NPART_PART_REST);
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void add_tensor(struct npart__buffer *out, const struct npart_passing *at)
{
    struct npart__object object = npart__open_passing(out, NULL, at);
    const char *key = npart__own(&object, "dims");
    if (!at->dims)
        npart__json_value(out, key, "null");
    else
        NPART__JSON_LIST(out, key, i, i < at->rank)
            if (at->dims[i] >= 0)
                npart__json_number(out, NULL, at->dims[i]);
            else
                npart__json_value(out, NULL, "null");
    npart__object_close(&object);
}

void npart__add_json_ends(struct npart__buffer *out, const char *key, const npart_fix *fix)
{
    struct npart_ends_info ends = {.size = sizeof ends};
    struct npart_passing at = {.size = sizeof at};
    if (!npart_fix_ends(fix, &ends)) {
        npart__json_value(out, key, "null");
        return;
    }
    struct npart__object object = npart__open_ends(out, key, &ends);
    NPART__JSON_LIST(out, npart__own(&object, "tensors"), i, npart_fix_passing(fix, i, &at))
        add_tensor(out, &at);
    npart__object_close(&object);
}
