/* SPDX-License-Identifier: Apache-2.0
 *
 * The partitions by size: which do the work, and which are too small to be worth their launch.
 * Told with --verbose.
 */
#include <stdlib.h>

#include "report/page.h"

/* A screen of lines; the rest is in JSON. */
#define PIECES_SHOWN 40u
/* A launch costs the same for one node as for a thousand, so a partition with this little to do
 * may cost more than it saves. It is a hint on a line, and decides nothing. */
#define SMALL_NODES 5u    /* a small partition has fewer nodes, */
#define SMALL_SHARE 0.01 /* and a smaller share of the model's multiply-accumulates */

/* What partitions are sorted by; all else is asked for those that are shown. */
struct piece {
    uint32_t id, nodes;
    uint64_t macs;
};

/* By work, then by nodes, then by id: the same order everywhere. Partitions of unknown work count as 0 here, so
 * they come after the others. */
static int compare_pieces(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;
    int order = NPART__ORDER(b->macs, a->macs);
    order = order ? order : NPART__ORDER(b->nodes, a->nodes);
    return order ? order : NPART__ORDER(a->id, b->id);
}

/* "1.2 GMACs". A multiply-accumulate is two operations, so GMACs are half of what others call
 * GFLOPs. From 999.5 on the next unit is taken, since 999.9 would be shown as 1000; one decimal below 100 of a unit,
 * none above. */
static void add_macs(struct npart__buffer *out, uint64_t macs)
{
    static const char *const units[] = {" MACs", " kMACs", " MMACs", " GMACs", " TMACs", " PMACs", " EMACs"};
    double scaled = (double)macs;
    size_t unit = 0;
    for (; scaled >= 999.5 && unit + 1 < NPART__COUNT(units); unit++)
        scaled /= 1000;
    npart__append_fixed(out, scaled, unit && scaled < 99.95 ? 1 : 0);
    npart__append_text(out, units[unit]);
}

/* A partition whose work is not known is called small by its nodes alone. " 3 12 nodes, 1.2 GMACs (4.1 %), node 5
 * (Conv c1) to node 20 (Add a3)". The nodes are in execution order, and a partition has one at least, so the first
 * and last are where it begins and ends. The share of a model whose work is not known as a whole is left out, since
 * npart_summary has no sum then. */
static void put_piece(struct npart__page *page, const struct piece *piece)
{
    struct npart_partition at = {.size = sizeof at};
    const struct npart_summary *summary = &page->summary;
    struct npart__buffer line = {.arena = page->arena};
    char first[160], last[160];
    if (!npart_plan_partition(page->plan, piece->id, &at))
        return;
    double share = summary->macs ? (double)at.macs / (double)summary->macs : 0;
    bool is_small = at.node_count < SMALL_NODES && (!at.has_macs || share < SMALL_SHARE);
    (void)npart_model_node_text(page->model, at.nodes[0], first, sizeof first);
    (void)npart_model_node_text(page->model, at.nodes[at.node_count - 1], last, sizeof last);
    npart__append_format(&line, "%s%u node%s, ", is_small ? "small: " : "", at.node_count,
                         at.node_count == 1 ? "" : "s");
    if (at.has_macs)
        add_macs(&line, at.macs);
    else
        npart__append_text(&line, "MACs unknown");
    if (at.has_macs && summary->has_macs && summary->macs) {
        npart__append_text(&line, " (");
        npart__append_fixed(&line, share * 100, 1);
        npart__append_text(&line, " %)");
    }
    npart__append_format(&line, ", %s%s%s", first, at.node_count > 1 ? " to " : "", at.node_count > 1 ? last : "");
    npart__append_format(page->out, "  %4u ", piece->id);
    npart__wrapped(page, npart__buffer_text(&line), 7, 7);
    npart__put(page, "\n");
    npart__buffer_release(&line);
}

/* n log n in partitions; all of them are looked at, since which are the largest is known only then. */
void npart__put_pieces(struct npart__page *page)
{
    struct npart_partition at = {.size = sizeof at};
    uint32_t count = page->summary.partitions;
    if (count == 0)
        return;
    struct piece *pieces = npart__arena_zeroed(page->arena, count, sizeof *pieces);
    if (!pieces)
        return;
    for (uint32_t i = 0; i < count && npart_plan_partition(page->plan, i, &at); i++)
        pieces[i] = (struct piece){.id = i, .nodes = at.node_count, .macs = at.macs};
    qsort(pieces, count, sizeof *pieces, compare_pieces);
    npart__painted(page, NPART__BOLD, "  Partitions");
    npart__put(page, " (largest first)\n");
    for (uint32_t i = 0; i < count && i < PIECES_SHOWN && !page->arena->failed; i++)
        put_piece(page, &pieces[i]);
    if (count > PIECES_SHOWN)
        npart__append_format(page->out, "     and %u more (--format json)\n", count - PIECES_SHOWN);
}
