/* SPDX-License-Identifier: Apache-2.0
 *
 * A swim-lane by module: a line for each module of the model's source, in the order that they run, with the strip of
 * its own nodes. Each strip begins anew: on one axis of time a layer of a decoder would be a cell wide. Modules that
 * follow one another and have the same inside are told once, and the tree is opened as deep as a screen has lines for.
 */
#include <stdlib.h>

#include "report/page.h"

#define MOST_LINES 40u /* unless all is asked for */
#define LEAST_CELLS 24u /* three tenths of the width, where that is more */
#define FIGURES_COLUMNS 28u /* " 1234/1234 100.0 %   123 ms" */
#define LEAST_NAME_COLUMNS 16u /* where the page is too narrow for all, lines are longer than it */
#define MOST_DEPTH 64u /* more than modules can be nested (NPART__LIMIT_MODULE_DEPTH) */

struct lane {
    struct npart_module at;
    uint32_t first_child, next; /* of those that run; NPART_NONE: none */
    uint32_t rank, end; /* its place in the tree, and that after all inside it */
    uint64_t inside;    /* equal where nodes and modules inside are the same */
};

struct lanes {
    struct npart__page *page;
    struct lane *items;
    uint32_t count, first; /* of items; the first of those at the top, or NPART_NONE */
    uint32_t *positions; /* places in the order, by rank of the node's module; of a rank from first_of on */
    uint32_t *first_of;
    uint32_t *row;       /* nodes of a line, as they run */
    uint32_t *sorted; /* the same as places in the order */
    const uint32_t *order; /* the plan's live nodes, as they run */
    uint32_t order_count, name_columns, cells; /* columns of the names, and of the strip */
};

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

/* A step of multiplicative hashing: the factor is 2^64 divided by the golden ratio, and the shift brings the upper
 * bits down, as a product's lower bits depend on lower bits alone. Whoever makes two modules collide has them told
 * in one line, and harms nothing else. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = mix(hash, (unsigned char)*text);
    return hash;
}

/* What of a path is the module's own: after that of the module that it is in. "self_attn" of "layers.3.self_attn";
 * of a module at the top the whole path. */
static const char *own_step(const struct lanes *lanes, uint32_t module)
{
    const struct npart_module *at = &lanes->items[module].at;
    return at->parent == NPART_NONE ? at->path : at->path + strlen(lanes->items[at->parent].at.path) + 1;
}

/* Only what runs is told. Modules inside come after what they are in, so from the last to the first. So when a
 * module is reached, all that is inside it is in its list and has its hash; and as each goes to the front of the
 * list that it belongs to, lists are in ascending order: as the last nodes of modules run. */
static bool find_lanes(struct lanes *lanes)
{
    struct npart__page *page = lanes->page;
    struct npart_module at = {.size = sizeof at};
    npart_status status = NPART_OK;
    /* How many there are is not told: one asks until it fails, with ARGUMENT past the last one. The first call
     * finds them all, and may run out of memory. */
    while ((status = npart_plan_module(page->plan, lanes->count, &at, NULL)) == NPART_OK)
        lanes->count++;
    lanes->items = npart__arena_zeroed(page->arena, lanes->count + (size_t)1, sizeof *lanes->items);
    page->arena->failed |= npart__is_shortage(status);
    lanes->first = NPART_NONE;
    if (page->arena->failed)
        return false;
    for (uint32_t m = 0; m < lanes->count; m++) {
        lanes->items[m] = (struct lane){.at = {.size = sizeof at}, .first_child = NPART_NONE, .next = NPART_NONE};
        (void)npart_plan_module(page->plan, m, &lanes->items[m].at, NULL);
    }
    for (uint32_t m = lanes->count; m-- > 0;) {
        struct lane *lane = &lanes->items[m];
        uint32_t *list = lane->at.parent == NPART_NONE ? &lanes->first : &lanes->items[lane->at.parent].first_child;
        if (lane->at.live_count == 0)
            continue;
        /* Operators and verdicts as they run; what is not live has a fate, and does not count. */
        for (uint32_t i = 0; i < lane->at.own_count; i++) {
            struct npart_node node = {.size = sizeof node};
            struct npart_node_plan fate = {.size = sizeof fate};
            if (npart_plan_node(page->plan, lane->at.own[i], &fate) && fate.fate == NPART_FATE_LIVE &&
                npart_model_node(page->model, lane->at.own[i], &node))
                lane->inside = mix_text(mix(lane->inside, fate.verdict), node.op);
        }
        for (uint32_t child = lane->first_child; child != NPART_NONE; child = lanes->items[child].next)
            lane->inside = mix_text(mix(lane->inside, lanes->items[child].inside), own_step(lanes, child));
        lane->next = *list;
        *list = m;
    }
    return true;
}

/* Ranks from the outside in, so that what is inside a module is a stretch. A module's stretch is [rank, end), and
 * begins with its own nodes. Recurses as deep as modules are nested, which is limited where they are found
 * (NPART__LIMIT_MODULE_DEPTH). */
static void rank_lanes(struct lanes *lanes, uint32_t module, uint32_t *rank)
{
    for (; module != NPART_NONE; module = lanes->items[module].next) {
        lanes->items[module].rank = (*rank)++;
        rank_lanes(lanes, lanes->items[module].first_child, rank);
        lanes->items[module].end = *rank;
    }
}

/* A counting sort of the nodes that run by the rank of their module; those of none come last. The nodes of rank r
 * are positions[first_of[r]] up to, not including, positions[first_of[r + 1]], in ascending order. Linear in nodes
 * and modules. `row` and `sorted` are room for the longest line there can be. */
static bool sort_nodes(struct lanes *lanes)
{
    struct npart__page *page = lanes->page;
    struct npart_model_info info = {.size = sizeof info};
    (void)npart_model_info(page->model, &info);
    uint32_t *rank_of = npart__arena_zeroed(page->arena, info.node_count + (size_t)1, sizeof *rank_of);
    lanes->first_of = npart__arena_zeroed(page->arena, lanes->count + (size_t)3, sizeof *lanes->first_of);
    lanes->positions = npart__arena_zeroed(page->arena, lanes->order_count + (size_t)1, sizeof *lanes->positions);
    lanes->sorted = npart__arena_zeroed(page->arena, lanes->order_count + (size_t)1, sizeof *lanes->sorted);
    lanes->row = npart__arena_zeroed(page->arena, lanes->order_count + (size_t)1, sizeof *lanes->row);
    if (page->arena->failed)
        return false;
    for (uint32_t i = 0; i < info.node_count; i++)
        /* No module: the rank after all of them. */
        rank_of[i] = lanes->count;
    for (uint32_t m = 0; m < lanes->count; m++)
        for (uint32_t i = 0; i < lanes->items[m].at.own_count && lanes->items[m].at.live_count; i++)
            rank_of[lanes->items[m].at.own[i]] = lanes->items[m].rank;
    for (uint32_t i = 0; i < lanes->order_count; i++)
        lanes->first_of[rank_of[lanes->order[i]] + 1]++;
    for (uint32_t r = 0; r <= lanes->count; r++)
        lanes->first_of[r + 1] += lanes->first_of[r];
    for (uint32_t i = 0; i < lanes->order_count; i++)
        lanes->positions[lanes->first_of[rank_of[lanes->order[i]]]++] = i;
    /* Filling has moved every start to the end of its stretch, which is the start of the next one. */
    for (uint32_t r = lanes->count + 1; r > 0; r--)
        lanes->first_of[r] = lanes->first_of[r - 1];
    lanes->first_of[0] = 0;
    return true;
}

/* ---- what is told ------------------------------------------------------------------------------------------------ */

/* The hash tells operators and verdicts, the arithmetic tells sizes: two layers may differ in their width alone.
 * The count of nodes is one more guard against a collision. */
static bool has_same_inside(const struct lane *a, const struct lane *b)
{
    return a->inside == b->inside && a->at.live_count == b->at.live_count && a->at.has_macs == b->at.has_macs &&
           a->at.macs == b->at.macs;
}

/* "layers.3", "block0": one of several. Others (q_proj, k_proj) have names that say something. */
static bool is_numbered(const char *step)
{
    return step[strcspn(step, "0123456789")] != '\0';
}

/* The last of the numbered modules from this one on that have the same inside; itself, where the next has another. Two
 * with nothing inside are two lines in any case. The first one needs no number, as in block, block_1, block_2. */
static uint32_t last_like(const struct lanes *lanes, uint32_t module)
{
    uint32_t last = module, next = lanes->items[module].next;
    const struct lane *first = &lanes->items[module];
    while (next != NPART_NONE && is_numbered(own_step(lanes, next)) && has_same_inside(first, &lanes->items[next])) {
        last = next;
        next = lanes->items[next].next;
    }
    return last == first->next && first->first_child == NPART_NONE ? module : last;
}

/* A module of nothing but another is told in the line of that one. "model" whose live nodes are all in
 * "model.decoder" stands as "model.decoder", and the tree goes on inside that. With as many live nodes as all
 * around it, the first one inside is the only one that runs. */
static uint32_t past_wrappers(const struct lanes *lanes, uint32_t module)
{
    uint32_t child = lanes->items[module].first_child;
    while (child != NPART_NONE && lanes->items[child].at.live_count == lanes->items[module].at.live_count) {
        module = child;
        child = lanes->items[module].first_child;
    }
    return module;
}

/* What put_lanes would write for these modules, opened so many levels deep: a line each, and one more for those
 * that are like it. One walk over the tree. */
static uint32_t count_lines(const struct lanes *lanes, uint32_t module, uint32_t depth)
{
    uint32_t lines = 0;
    while (module != NPART_NONE && depth > 0) {
        uint32_t last = last_like(lanes, module);
        uint32_t inside = lanes->items[past_wrappers(lanes, module)].first_child;
        lines += 1u + (last != module ? 1u : 0u) + count_lines(lanes, inside, depth - 1);
        module = lanes->items[last].next;
    }
    return lines;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static int compare_positions(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* The nodes of a stretch of ranks, as they run. Into `row`, until the next line is made; how many. Nodes of one
 * rank are in order already, those of a stretch of ranks are not, since a module's own nodes run between those of
 * the modules inside it: n log n of the line's nodes. */
static uint32_t nodes_between(struct lanes *lanes, uint32_t first, uint32_t end)
{
    uint32_t from = lanes->first_of[first], count = lanes->first_of[end] - from;
    if (count)
        memcpy(lanes->sorted, lanes->positions + from, count * sizeof *lanes->sorted);
    qsort(lanes->sorted, count, sizeof *lanes->sorted, compare_positions);
    for (uint32_t i = 0; i < count; i++)
        lanes->row[i] = lanes->order[lanes->sorted[i]];
    return count;
}

/* Right-aligned. Of figures alone, whose bytes are columns. */
static void put_padded(struct npart__page *page, size_t columns, const char *text)
{
    size_t length = strlen(text);
    npart__append_format(page->out, "%*s%s", (int)(columns > length ? columns - length : 0), "", text);
}

/* What of all arithmetic it is, and what it takes, the same on both sides together; "?" where that is not known.
 * "12/12  4.1 %  1.20", right-aligned in FIGURES_COLUMNS. The share is of the plan's arithmetic, so the lines at the
 * top, with that of no module, add up to 100 %. */
static void put_figures(struct lanes *lanes, const struct npart_module *sum)
{
    struct npart__page *page = lanes->page, cell = *page;
    const struct npart_summary *all = &page->summary;
    struct npart__buffer text = {.arena = page->arena};
    cell.out = &text;
    npart__append_format(&text, "%u/%u", sum->accepted_count, sum->live_count);
    put_padded(page, 11, npart__buffer_text(&text));
    text.size = 0;
    if (sum->has_macs && all->has_macs && all->macs) {
        npart__append_fixed(&text, (double)sum->macs / (double)all->macs * 100, 1);
        npart__append_text(&text, " %");
    } else
        npart__append_text(&text, "?");
    put_padded(page, 8, npart__buffer_text(&text));
    text.size = 0;
    if (sum->npu_ms >= 0 && sum->cpu_ms >= 0)
        npart__put_milliseconds(&cell, sum->npu_ms + sum->cpu_ms);
    else
        npart__append_text(&text, "?");
    put_padded(page, 9, npart__buffer_text(&text));
    npart__put(page, "\n");
    npart__buffer_release(&text);
}

/* What is not known of one is not known of the sum: -1 of a time. */
static void add_sums(struct npart_module *sum, const struct npart_module *more)
{
    sum->live_count += more->live_count;
    sum->accepted_count += more->accepted_count;
    sum->has_macs = sum->has_macs && more->has_macs;
    sum->macs += more->macs;
    sum->npu_ms = sum->npu_ms < 0 || more->npu_ms < 0 ? -1 : sum->npu_ms + more->npu_ms;
    sum->cpu_ms = sum->cpu_ms < 0 || more->cpu_ms < 0 ? -1 : sum->cpu_ms + more->cpu_ms;
}

/* The indent takes half of the column at most, so that a deep module still has a name. */
static void put_name(struct lanes *lanes, uint32_t depth, const char *name)
{
    struct npart__page *page = lanes->page;
    uint32_t indent = 2 + 2 * depth, most = lanes->name_columns;
    indent = indent > most / 2 ? most / 2 : indent;
    size_t columns = npart__shown_columns(page, name, strlen(name));
    npart__append_format(page->out, "%*s", (int)indent, "");
    npart__put_cut(page, name, most - indent);
    columns = columns > most - indent ? most - indent : columns;
    npart__append_format(page->out, "%*s ", (int)(most - indent - columns), "");
}

/* `first` and `end` are ranks. A module of fewer nodes than there are cells has a cell for each, and blanks after
 * them. */
static void put_lane(struct lanes *lanes, uint32_t depth, const char *name, uint32_t first, uint32_t end,
                     const struct npart_module *sum)
{
    uint32_t count = nodes_between(lanes, first, end), cells = count < lanes->cells ? count : lanes->cells;
    put_name(lanes, depth, name);
    npart__put_cells(lanes->page, lanes->row, count, lanes->cells);
    npart__append_format(lanes->page->out, "%*s", (int)(lanes->cells - cells), "");
    put_figures(lanes, sum);
}

/* "layers.1 to layers.23": where a module's step is a number it says nothing without the one before it. "layers.3"
 * of "model.layers.3", but "self_attn" of "model.layers.3.self_attn". A separator is a dot or a slash, whichever
 * the names have. */
static const char *shown_step(const struct lanes *lanes, uint32_t module)
{
    const char *step = own_step(lanes, module), *path = lanes->items[module].at.path;
    while (*step >= '0' && *step <= '9' && step > path + 1) {
        step--; /* the separator */
        while (step > path && step[-1] != '.' && step[-1] != '/')
            step--;
    }
    return step;
}

/* Modules from `second` to `last`, which have the same inside as `first`. Figures are the sums of all; in place of
 * a strip it says which one they are like: "layers.1 to layers.23 each like layers.0". All of them are siblings in
 * a row. */
static void put_same(struct lanes *lanes, uint32_t level, uint32_t first, uint32_t second, uint32_t last)
{
    struct npart__page *page = lanes->page;
    struct npart_module sum = lanes->items[second].at;
    struct npart__buffer text = {.arena = page->arena};
    for (uint32_t m = second; m != last; m = lanes->items[m].next)
        add_sums(&sum, &lanes->items[lanes->items[m].next].at);
    npart__append_text(&text, shown_step(lanes, second));
    npart__append_format(&text, "%s%s", second == last ? "" : " to ", second == last ? "" : own_step(lanes, last));
    put_name(lanes, level, npart__buffer_text(&text));
    text.size = 0;
    npart__append_format(&text, "%s%s", second == last ? "like " : "each like ", shown_step(lanes, first));
    size_t columns = npart__shown_columns(page, npart__buffer_text(&text), text.size);
    npart__paint(page, NPART__DIM);
    npart__put_cut(page, npart__buffer_text(&text), lanes->cells);
    npart__paint(page, "0");
    npart__append_format(page->out, "%*s", (int)(columns < lanes->cells ? lanes->cells - columns : 0), "");
    put_figures(lanes, &sum);
    npart__buffer_release(&text);
}

/* `level` is that of the indent, `depth` how many levels are opened. Recurses as rank_lanes does. */
static void put_lanes(struct lanes *lanes, uint32_t module, uint32_t level, uint32_t depth)
{
    while (module != NPART_NONE && level < depth && !lanes->page->arena->failed) {
        uint32_t last = last_like(lanes, module), shown = past_wrappers(lanes, module);
        const struct lane *lane = &lanes->items[module];
        /* The path of what is inside goes on where that of the module ends, so from the same place on it has both. */
        const char *name = lanes->items[shown].at.path + (shown_step(lanes, module) - lane->at.path);
        put_lane(lanes, level, name, lane->rank, lane->end, &lane->at);
        put_lanes(lanes, lanes->items[shown].first_child, level + 1, depth);
        if (last != module)
            put_same(lanes, level, module, lane->next, last);
        module = lanes->items[last].next;
    }
}

/* What names do not tell of. Its arithmetic is what the modules at the top leave of the plan's, and not known where
 * one of theirs is not; its times are summed up node by node. */
static void put_rest(struct lanes *lanes)
{
    struct npart_module sum = {.live_count = 0, .has_macs = lanes->page->summary.has_macs,
                               .macs = lanes->page->summary.macs};
    uint32_t count = nodes_between(lanes, lanes->count, lanes->count + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct npart_node_plan node = {.size = sizeof node};
        (void)npart_plan_node(lanes->page->plan, lanes->row[i], &node);
        double *side = node.verdict == NPART_VERDICT_NPU ? &sum.npu_ms : &sum.cpu_ms;
        *side = *side < 0 || node.ms < 0 ? -1 : *side + node.ms;
        sum.live_count++;
        sum.accepted_count += node.verdict == NPART_VERDICT_NPU;
    }
    for (uint32_t m = lanes->first; m != NPART_NONE; m = lanes->items[m].next) {
        sum.has_macs = sum.has_macs && lanes->items[m].at.has_macs;
        sum.macs -= lanes->items[m].at.has_macs ? lanes->items[m].at.macs : 0;
    }
    if (count)
        put_lane(lanes, 0, "(no module)", lanes->count, lanes->count + 1, &sum);
}

static void put_table(struct npart__page *page)
{
    struct lanes lanes = {.page = page};
    uint32_t rank = 0, depth = 1;
    lanes.order = npart_plan_order(page->plan, &lanes.order_count);
    if (!find_lanes(&lanes))
        return;
    if (lanes.first == NPART_NONE) {
        npart__put(page, "  The names of the nodes do not tell of modules.\n");
        return;
    }
    rank_lanes(&lanes, lanes.first, &rank);
    if (!sort_nodes(&lanes))
        return;
    lanes.cells = page->width * 3 / 10 > LEAST_CELLS ? page->width * 3 / 10 : LEAST_CELLS;
    uint32_t others = 1 + lanes.cells + FIGURES_COLUMNS;
    lanes.name_columns = page->width > others + LEAST_NAME_COLUMNS ? page->width - others : LEAST_NAME_COLUMNS;
    /* The deepest that fits on a screen; the first level is shown even where it is longer. */
    while (depth < MOST_DEPTH &&
           (page->options->is_verbose || count_lines(&lanes, lanes.first, depth + 1) <= MOST_LINES))
        depth++;
    npart__paint(page, NPART__DIM);
    npart__append_format(page->out, "  %-*s %-*s%11s%8s%9s\n", (int)lanes.name_columns - 2, "module", (int)lanes.cells,
                         "its nodes as they run", "taken/all", "MACs", "ms");
    npart__paint(page, "0");
    put_lanes(&lanes, lanes.first, 0, depth);
    put_rest(&lanes);
}

void npart__modules_text(struct npart__report *report)
{
    struct npart__page turned, *page = npart__page_open(&turned, report);
    const struct npart_plan_pair *plans = report->subject->plans;
    npart__page_turn(page, plans[0].plan);
    struct npart_model_info info = {.size = sizeof info};
    (void)npart_model_info(page->model, &info);
    npart__paint(page, NPART__BOLD);
    npart__put_text(page, info.name);
    npart__paint(page, "0");
    npart__put(page, "\n");
    for (size_t i = 0; i < report->subject->count && !report->arena.failed; i++) {
        npart__page_turn(page, plans[i].plan);
        npart__put(page, "\n");
        npart__put_target(page);
        npart__put(page, "  ");
        (void)npart__put_verdict(page);
        (void)npart__put_cell_counts(page);
        npart__put(page, "\n");
        put_table(page);
    }
}
