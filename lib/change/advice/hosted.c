/* SPDX-License-Identifier: Apache-2.0
 *
 * A model that ends, or begins, at some tensors: what is said of it, and what it comes to with what the host runs.
 */
#include "advice/way.h"

/* Tensors that a sentence names. */
#define MOST_TENSORS 3u

const char *npart__word_after(const struct npart__mended *mended, const char *option)
{
    for (uint32_t i = 0; i + 1 < mended->run_count; i++)
        if (strcmp(mended->run[i], option) == 0)
            return mended->run[i + 1];
    return NULL;
}

/* "a,b" as "`a` and `b`"; of many the first, and how many more. */
static void append_tensors(const char *names, struct npart__buffer *out)
{
    uint32_t count = 1, told = 0;
    for (const char *at = strchr(names, ','); at; at = strchr(at + 1, ','))
        count++;
    for (const char *at = names; told < count && (count <= MOST_TENSORS || told == 0); told++) {
        size_t length = strcspn(at, ",");
        npart__append_text(out, !told ? "`" : told + 1 < count ? ", `" : " and `");
        npart__append(out, at, length);
        npart__append_text(out, "`");
        at += length + (at[length] == ',');
    }
    if (told < count)
        npart__append_format(out, " and %u more tensors", count - told);
}

static void append_nodes(struct npart__buffer *out, uint32_t count, const char *ops)
{
    npart__append_format(out, "%u node%s (%s)", count, count == 1 ? "" : "s", ops);
}

/* "End the model at `a` and `b`; the host runs 14 nodes (TopK, Gather) after it, 2.8 MB pass between", or ", and end it
 * at ..." after something else. What the host runs comes last: reports tell it by itself. */
void npart__append_ends(const struct npart__mended *mended, bool is_first, struct npart__buffer *out)
{
    const struct npart__hosting *hosting = mended->hosting;
    const char *begin = npart__word_after(mended, "--begin-at"), *end = npart__word_after(mended, "--end-at");
    if (begin) {
        npart__append_text(out, is_first ? "Begin the model at " : end ? ", begin it at " : ", and begin it at ");
        append_tensors(begin, out);
    }
    if (end) {
        npart__append_text(out, begin || !is_first ? ", and end it at " : "End the model at ");
        append_tensors(end, out);
    }
    npart__append_text(out, "; the host runs ");
    if (hosting->head_nodes) {
        append_nodes(out, hosting->head_nodes, hosting->head_ops);
        npart__append_text(out, hosting->rest_nodes ? " before it and " : " before it");
    }
    if (hosting->rest_nodes) {
        append_nodes(out, hosting->rest_nodes, hosting->rest_ops);
        npart__append_text(out, " after it");
    }
    if (hosting->bytes != UINT64_MAX) {
        npart__append_text(out, ", ");
        npart__append_rough_bytes(out, hosting->bytes);
        npart__append_text(out, " pass between");
    }
}


/* What the plan leaves with what the host runs beside it. False when out of memory. */
bool npart__host_after(struct npart__way *way, const struct npart__mended *mended, struct npart__after *after)
{
    const struct npart_summary *at = &mended->plan->summary;
    const struct npart__hosting *hosting = mended->hosting;
    if (!hosting)
        return true;
    struct npart__bill *bill = npart__arena_allocate(&way->scratch, sizeof *bill);
    if (!bill)
        return false;
    *bill = *after->bill;
    bill->unknown += hosting->bill->unknown;
    for (uint32_t p = 0; p <= NPART__PARTS; p++)
        for (uint32_t r = 0; r < NPART__MOST_RATES; r++)
            bill->quantities[p][r] += hosting->bill->quantities[p][r];
    bool is_known = after->cost_ms.typical_ms >= 0 && hosting->ms >= 0;
    after->cost_ms = is_known ? npart__bill_range(after->rates, bill, NPART__PART_ALL) : NPART__UNKNOWN_RANGE;
    after->bill = bill;
    uint32_t live = after->live + hosting->live;
    after->coverage = live ? (double)after->accepted / (double)live : 1;
    bool has_macs = after->mac_coverage >= 0 && hosting->macs != UINT64_MAX;
    after->mac_coverage = has_macs ? (double)at->macs_on_npu / ((double)at->macs + (double)hosting->macs) : -1;
    return true;
}

/* With what the host takes, where it runs a part. */
struct npart__outcome npart__outcome_mended(const struct npart__mended *mended)
{
    struct npart__outcome outcome = npart__outcome_of(mended->plan);
    if (mended->hosting)
        outcome.ms = outcome.ms < 0 || mended->hosting->ms < 0 ? -1 : outcome.ms + mended->hosting->ms;
    return outcome;
}
