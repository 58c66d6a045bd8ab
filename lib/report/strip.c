/* SPDX-License-Identifier: Apache-2.0
 *
 * The picture of an answer: a row of cells for the nodes in the order that they run, and words for the whole.
 */
#include "report/page.h"

static const struct {
    const char *full, *partly, *ascii, *color;
} looks[NPART__CELL_KINDS] = {
    [NPART__CELL_NPU] = {"█", "█", "#", NPART__GREEN},
    [NPART__CELL_CPU] = {"░", "▒", ".", NPART__YELLOW},
    [NPART__CELL_FAIL] = {"×", "×", "!", NPART__RED},
    [NPART__CELL_UNKNOWN] = {"?", "?", "?", NPART__MAGENTA},
};

void npart__put_verdict(struct npart__page *page, int columns)
{
    static const struct {
        const char *word, *shown, *brief, *color;
    } words[] = {
        {"whole", "WHOLE", "WHOLE", NPART__GREEN},
        {"split", "SPLIT", "SPLIT", NPART__YELLOW},
        {"none", "NOTHING ON THE NPU", "NONE", NPART__RED},
        {"fails", "FAILS", "FAILS", NPART__RED},
        {"empty", "NOTHING TO RUN", "EMPTY", NPART__DIM},
    };
    for (size_t i = 0; i < NPART__COUNT(words); i++) {
        const char *shown = columns ? words[i].brief : words[i].shown;
        if (strcmp(words[i].word, page->plan->summary.verdict) != 0)
            continue;
        npart__paint(page, NPART__BOLD);
        npart__painted(page, words[i].color, shown);
        npart__append_format(page->out, "%*s", columns > (int)strlen(shown) ? columns - (int)strlen(shown) : 0, "");
    }
}

/* A count with the character that stands for it in the strip: the strip's legend. */
void npart__put_cell_count(struct npart__page *page, uint32_t count, enum npart__cell cell, const char *noun)
{
    npart__put(page, "  ");
    npart__paint(page, looks[cell].color);
    npart__put(page, page->options->use_ascii ? looks[cell].ascii : looks[cell].full);
    npart__append_format(page->out, " %u %s", count, noun);
    npart__paint(page, "0");
}

static enum npart__cell cell_of(const struct npart__plan *plan, uint32_t node)
{
    static const enum npart__cell cells[] = {NPART__CELL_CPU, NPART__CELL_NPU, NPART__CELL_FAIL, NPART__CELL_UNKNOWN};
    return cells[plan->mask.verdicts[node]];
}

/* Live nodes in the order they run: region by region, stage by stage. */
static uint32_t order_of_execution(struct npart__page *page, uint32_t *order)
{
    const struct npart__plan *plan = page->plan;
    const struct npart__graph *graph = page->graph;
    uint32_t filled = 0;
    uint32_t *starts = npart__arena_zeroed(page->out->arena, npart__most_stages(graph) + 1, sizeof *starts);
    if (!starts) {
        page->out->failed = true;
        return 0;
    }
    for (uint32_t s = 0; s < graph->scopes.count; s++) {
        const struct npart__scope *scope = &graph->scopes.items[s];
        uint32_t stages = 0, begin = filled;
        if (scope->region != s)
            continue;
        for (uint32_t i = 0; i < scope->order_count; i++) { /* a counting sort by stage */
            uint32_t stage = plan->partitioning.stage_of[graph->order[scope->first_order + i]];
            if (stage != NPART_NONE) {
                starts[stage + 1]++;
                stages = stage + 1 > stages ? stage + 1 : stages;
                filled++;
            }
        }
        for (uint32_t k = 0; k < stages; k++)
            starts[k + 1] += starts[k];
        for (uint32_t i = 0; i < scope->order_count; i++) {
            uint32_t node = graph->order[scope->first_order + i], stage = plan->partitioning.stage_of[node];
            if (stage != NPART_NONE)
                order[begin + starts[stage]++] = node;
        }
        memset(starts, 0, (stages + (size_t)1) * sizeof *starts);
    }
    return filled;
}

/* What stands for most nodes of a cell; a minority that would vanish wins over the NPU, so that no cut is hidden. */
static enum npart__cell dominant(const uint32_t *tally)
{
    enum npart__cell best = NPART__CELL_NPU;
    if (tally[NPART__CELL_FAIL])
        return NPART__CELL_FAIL;
    if (tally[NPART__CELL_UNKNOWN] > tally[NPART__CELL_CPU])
        best = NPART__CELL_UNKNOWN;
    else if (tally[NPART__CELL_CPU])
        best = NPART__CELL_CPU;
    return best;
}

void npart__put_strip(struct npart__page *page, uint32_t cells)
{
    uint32_t live = page->plan->summary.live;
    uint32_t *order = npart__arena_zeroed(page->out->arena, live + (size_t)1, sizeof *order);
    if (!order || live == 0) {
        page->out->failed |= !order;
        return;
    }
    uint32_t count = order_of_execution(page, order);
    if (cells > count)
        cells = count;
    enum npart__cell painting = NPART__CELL_KINDS;
    for (uint32_t c = 0; c < cells; c++) {
        uint32_t from = (uint32_t)((uint64_t)count * c / cells), to = (uint32_t)((uint64_t)count * (c + 1) / cells);
        uint32_t tally[NPART__CELL_KINDS] = {0};
        for (uint32_t i = from; i < to; i++)
            tally[cell_of(page->plan, order[i])]++;
        enum npart__cell cell = dominant(tally);
        if (cell != painting) {
            npart__paint(page, "0");
            npart__paint(page, looks[cell].color);
            painting = cell;
        }
        bool is_full = tally[cell] == to - from;
        npart__put(page, page->options->use_ascii ? looks[cell].ascii
                         : is_full                ? looks[cell].full
                                                  : looks[cell].partly);
    }
    npart__paint(page, "0");
}
