/* SPDX-License-Identifier: Apache-2.0
 *
 * The picture of an answer: a row of cells for the nodes in the order that they run, and words
 * for the whole. A large model has many nodes for each cell.
 */
#include "report/page.h"

/* What a cell looks like: full, where all of its nodes are of the kind; partly; in ASCII, and
 * its colour. Each has a sign of its own, so that nothing depends on colour. */
static const struct {
    const char *full, *partly, *ascii, *color;
} looks[NPART__CELL_KINDS] = {
    [NPART__CELL_NPU] = {"█", "█", "#", NPART__GREEN},
    [NPART__CELL_CPU] = {"░", "▒", ".", NPART__YELLOW},
    [NPART__CELL_FAIL] = {"×", "×", "!", NPART__RED},
    [NPART__CELL_UNKNOWN] = {"?", "?", "?", NPART__MAGENTA},
};

/* The words of the summary. */
uint32_t npart__put_verdict(struct npart__page *page)
{
    static const struct {
        const char *shown, *color;
    } words[] = {
        [NPART_PLAN_WHOLE] = {"WHOLE", NPART__GREEN}, [NPART_PLAN_EDGE] = {"EDGE", NPART__GREEN},
        [NPART_PLAN_SPLIT] = {"SPLIT", NPART__YELLOW}, [NPART_PLAN_NONE] = {"NONE", NPART__RED},
        [NPART_PLAN_FAILS] = {"FAILS", NPART__RED},   [NPART_PLAN_EMPTY] = {"EMPTY", NPART__DIM},
    };
    enum npart_plan_verdict verdict = page->summary.verdict;
    if (verdict >= NPART__COUNT(words))
        return 0;
    npart__paint(page, NPART__BOLD);
    npart__painted(page, words[verdict].color, words[verdict].shown);
    return (uint32_t)strlen(words[verdict].shown);
}

/* A count with the character that stands for it in the strip: the strip's legend. */
static uint32_t put_cell_count(struct npart__page *page, uint32_t count, enum npart__cell cell, const char *noun)
{
    struct npart__buffer text = {.arena = page->arena};
    npart__append_count(&text, count);
    npart__append_format(&text, " %s", noun);
    uint32_t columns = (uint32_t)text.size + 4;
    npart__put(page, "  ");
    npart__paint(page, looks[cell].color);
    npart__put(page, page->options->use_ascii ? looks[cell].ascii : looks[cell].full);
    npart__put(page, " ");
    npart__put(page, npart__buffer_text(&text));
    npart__paint(page, "0");
    npart__buffer_release(&text);
    return columns;
}

/* `refused` has the nodes that fail to compile in it, which are told apart. NPU and CPU are told even where there
 * are none, failing and undecided nodes only where there are some. */
uint32_t npart__put_cell_counts(struct npart__page *page)
{
    const struct npart_summary *summary = &page->summary;
    const char *npu = page->decided.by ? "taken" : page->info.unit;
    uint32_t columns = put_cell_count(page, summary->accepted, NPART__CELL_NPU, npu);
    columns += put_cell_count(page, summary->refused - summary->failed, NPART__CELL_CPU, "CPU");
    if (summary->failed)
        columns += put_cell_count(page, summary->failed, NPART__CELL_FAIL, "fail");
    if (summary->unknown)
        columns += put_cell_count(page, summary->unknown, NPART__CELL_UNKNOWN, "undecided");
    return columns;
}

/* Removed nodes are not in the order, so their rows are never used. An id that the plan does not know leaves the
 * verdict 0, which is that of the CPU. */
static enum npart__cell cell_of(const npart_plan *plan, uint32_t id)
{
    static const enum npart__cell cells[] = {
        [NPART_VERDICT_CPU] = NPART__CELL_CPU,   [NPART_VERDICT_NPU] = NPART__CELL_NPU,
        [NPART_VERDICT_FAIL] = NPART__CELL_FAIL, [NPART_VERDICT_UNKNOWN] = NPART__CELL_UNKNOWN,
        [NPART_VERDICT_FOLDED] = NPART__CELL_CPU, [NPART_VERDICT_FUSED] = NPART__CELL_CPU,
    };
    struct npart_node_plan node = {.size = sizeof node};
    (void)npart_plan_node(plan, id, &node);
    return cells[node.verdict];
}

/* What stands for most nodes of a cell; a minority that would vanish wins over the NPU, so that no cut is hidden.
 * So one node that fails to compile makes a cell of a thousand red; between undecided and CPU nodes the more
 * frequent ones count, and the CPU where there are as many. */
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

/* Cells share the nodes evenly; colour is changed only where the kind of cell does, which keeps
 * the output short. Cell c has the nodes from count * c / cells on: with 10 nodes in 4 cells 2, 3, 2 and 3 of them.
 * The products are made in 64 bits. As there are no more cells than nodes, each has one at least. */
void npart__put_cells(struct npart__page *page, const uint32_t *order, uint32_t count, uint32_t cells)
{
    if (count == 0)
        return;
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
        /* A cell that stands for several kinds is drawn lighter. */
        bool is_full = tally[cell] == to - from;
        npart__put(page, page->options->use_ascii ? looks[cell].ascii
                   : is_full                ? looks[cell].full
                                                  : looks[cell].partly);
    }
    npart__paint(page, "0");
}

void npart__put_strip(struct npart__page *page, uint32_t cells)
{
    uint32_t count;
    const uint32_t *order = npart_plan_order(page->plan, &count);
    npart__put_cells(page, order, count, cells);
}
