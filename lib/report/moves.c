/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run spends on moving and converting alone: Transposes, Casts, changes of layout and the like, summed, with the
 * modules that most of it is in. Told where it is more than a tenth of the run.
 */
#include <stdlib.h>

#include "report/page.h"

#define LEAST_SHARE 0.1

static const struct {
    const char *what, *after, *removed_by;
} rows[] = {
#define MOVE(what, after, removed_by) {what, after, removed_by},
#include "report/moves.def"
};
_Static_assert(NPART__COUNT(rows) == NPART__MOST_MOVES, "room for each row");
enum { ROWS = NPART__COUNT(rows), LAYOUT = ROWS - 1 };

/* What nodes of one kind in one module take. */
struct share {
    const char *module; /* "" where no name tells of one */
    uint32_t row;
    double ms;
};

struct moves {
    struct npart__arena *arena;
    const npart_plan *plan;
    const char **module_of; /* by node; NULL: none */
    struct NPART__ARRAY(struct share) shares;
    struct npart__move items[NPART__MOST_MOVES];
};

/* "encoder.layers.*.attn" of "encoder.layers.3.attn": what repeats is one. NULL when out of memory. */
static const char *without_numbers(struct npart__arena *arena, const char *path)
{
    struct npart__buffer out = {.arena = arena};
    while (*path) {
        size_t digits = strspn(path, "0123456789"), length = strcspn(path, "./");
        if (digits == length && length)
            npart__append_text(&out, "*");
        else
            npart__append(&out, path, length);
        path += length;
        if (*path)
            npart__append(&out, path++, 1);
    }
    return npart__made_text(&out);
}

static bool find_modules(struct moves *at, uint32_t nodes)
{
    struct npart_module module = {.size = sizeof module};
    at->module_of = npart__arena_zeroed(at->arena, nodes + (size_t)1, sizeof *at->module_of);
    npart_status status = NPART_OK;
    for (uint32_t m = 0;
         at->module_of && (status = npart_plan_module(at->plan, m, &module, NULL)) == NPART_OK; m++) {
        const char *name = without_numbers(at->arena, module.path);
        for (uint32_t i = 0; i < module.own_count && name; i++)
            at->module_of[module.own[i]] = name;
    }
    /* The first call finds them all, and may run out of memory. */
    at->arena->failed |= npart__is_shortage(status);
    return !at->arena->failed;
}

static void add_nodes(struct moves *at)
{
    const npart_model *model = npart_inference_model(npart_plan_view(at->plan));
    struct npart_node_plan placed = {.size = sizeof placed};
    struct npart_node node = {.size = sizeof node};
    for (uint32_t i = 0; npart_plan_node(at->plan, i, &placed) && npart_model_node(model, i, &node); i++) {
        uint32_t row = 0;
        while (row < LAYOUT && !(placed.moves && strcmp(rows[row].what, placed.moves) == 0))
            row++;
        if (row == LAYOUT || placed.ms <= 0)
            continue;
        at->items[row].name = node.op;
        at->items[row].nodes++;
        at->items[row].typical_ms += placed.ms;
        const struct share share = {at->module_of[i] ? at->module_of[i] : "", row, placed.ms};
        (void)NPART__PUSH(at->arena, &at->shares, share);
    }
}

static int compare_shares(const void *left, const void *right)
{
    const struct share *a = left, *b = right;
    int order = strcmp(a->module, b->module);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

/* The module that most of some rows' time is in: of one row, or of all (ROWS). NULL where that is in none. */
static const char *most_in(const struct moves *at, uint32_t row, double *ms)
{
    const char *best = NULL;
    double sum = 0;
    *ms = 0;
    for (uint32_t i = 0; i < at->shares.count; i++) {
        const struct share *share = &at->shares.items[i];
        bool is_first = i == 0 || strcmp(share->module, at->shares.items[i - 1].module) != 0;
        sum = is_first ? 0 : sum;
        sum += row == ROWS || share->row == row ? share->ms : 0;
        if (sum > *ms) {
            *ms = sum;
            best = *share->module ? share->module : NULL;
        }
    }
    return best;
}

static int compare_moves(const void *left, const void *right)
{
    const struct npart__move *a = left, *b = right;
    return (a->typical_ms < b->typical_ms) - (a->typical_ms > b->typical_ms);
}

uint32_t npart__find_moves(struct npart__arena *arena, const npart_plan *plan, struct npart__moves *out)
{
    struct npart_cost cost = {.size = sizeof cost};
    struct npart_model_info info = {.size = sizeof info};
    struct moves at = {.arena = arena, .plan = plan};
    double all_ms = 0;
    uint32_t count = 0;
    memset(out, 0, sizeof *out);
    if (!npart_plan_cost(plan, &cost) || cost.total.typical_ms <= 0)
        return 0;
    (void)npart_model_info(npart_inference_model(npart_plan_view(plan)), &info);
    if (!find_modules(&at, info.node_count))
        return 0;
    add_nodes(&at);
    at.items[LAYOUT].nodes = cost.conversions;
    at.items[LAYOUT].typical_ms = cost.layout.typical_ms;
    for (uint32_t i = 0; i < ROWS; i++)
        all_ms += at.items[i].typical_ms;
    if (all_ms <= LEAST_SHARE * cost.total.typical_ms)
        return 0;
    if (at.shares.count)
        qsort(at.shares.items, at.shares.count, sizeof *at.shares.items, compare_shares);
    for (uint32_t i = 0; i < ROWS; i++) {
        if (at.items[i].typical_ms <= 0)
            continue;
        at.items[i].what = rows[i].what;
        at.items[i].name = i == LAYOUT ? "layout conversion" : at.items[i].name;
        at.items[i].after = rows[i].after;
        at.items[i].removed_by = rows[i].removed_by;
        at.items[i].module = most_in(&at, i, &at.items[i].module_ms);
        out->items[count++] = at.items[i];
    }
    qsort(out->items, count, sizeof *out->items, compare_moves);
    out->typical_ms = all_ms;
    out->module = most_in(&at, ROWS, &out->module_ms);
    return out->count = count;
}

/* "48 Transposes, 12 Casts: ~1.2 of 5.0 ms; most in `encoder.layers.*.attn`", and what takes the first of them away.
 * What is no hundredth of all is not named. */
void npart__put_moves(struct npart__page *page)
{
    struct npart__moves found;
    struct npart__buffer line = {.arena = page->arena};
    if (page->summary.verdict == NPART_PLAN_FAILS || !npart__find_moves(page->arena, page->plan, &found))
        return;
    for (uint32_t i = 0; i < found.count && (i == 0 || found.items[i].typical_ms > 0.01 * found.typical_ms); i++)
        npart__append_format(&line, "%s%u %s%s%s", i ? ", " : "", found.items[i].nodes, found.items[i].name,
                             found.items[i].nodes == 1 ? "" : "s", found.items[i].after);
    npart__append_text(&line, ": ");
    npart__append_estimate(&line, found.typical_ms);
    npart__append_text(&line, " of ");
    npart__append_estimate(&line, page->cost.total.typical_ms);
    if (found.module && found.module_ms > 0.5 * found.typical_ms)
        npart__append_format(&line, "; most in `%s`", found.module);
    if (found.items[0].removed_by)
        npart__append_format(&line, ". Removed by %s", found.items[0].removed_by);
    else
        npart__append_text(&line, ". No known step removes them");
    npart__put_made_field(page, "Moves", &line, 0);
}
