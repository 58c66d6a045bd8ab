/* SPDX-License-Identifier: Apache-2.0
 *
 * One model in several precisions, side by side: what each makes of the plan, the time and the weights, beside the
 * model as it is.
 */
#include "report/page.h"

#define AS_IT_IS "as it is"
#define KEEP ":keep"
#define KEEP_FLOAT "="
#define KEEP_16 "16="
#define LIMIT ":min-db="

static const char *name_of(const struct npart__row *row)
{
    return row->as ? row->as : AS_IT_IS;
}

static bool has_limit(const struct npart__row *row)
{
    return row->as && strstr(row->as, LIMIT);
}

/* The row of the same precision and target without a limit, or without nodes that are kept; NULL: there is none. */
static const struct npart__row *without(const struct npart__row *rows, size_t count, const struct npart__row *row,
                                        const char *option)
{
    const char *at = row->as ? strstr(row->as, option) : NULL;
    size_t length = at ? (size_t)(at - row->as) : SIZE_MAX;
    if (!at)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (rows[i].as && strcmp(rows[i].target, row->target) == 0 && strncmp(rows[i].as, row->as, length) == 0 &&
            !rows[i].as[length])
            return &rows[i];
    return NULL;
}

/* Faster, or as fast to two digits with fewer weights. */
static bool is_better(const struct npart__row *row, const struct npart__row *than)
{
    double share = than->typical_ms > 0 ? row->typical_ms / than->typical_ms : 1;
    return share < 0.99 || (share < 1.01 && row->weight_bytes < than->weight_bytes);
}

/* A step of the fastest that loads, and of those that hold weights above a limit where any is asked to. */
static size_t find_best(const struct npart__row *rows, size_t count)
{
    size_t best = count;
    bool holds = false;
    for (size_t i = 0; i < count; i++)
        holds |= has_limit(&rows[i]);
    for (size_t i = 0; i < count; i++)
        if (rows[i].runs && rows[i].typical_ms >= 0 && (!holds || !rows[i].as || has_limit(&rows[i])) &&
            (best == count || is_better(&rows[i], &rows[best])))
            best = i;
    return best;
}

static const struct npart__row *find_own(const struct npart__row *rows, size_t count, const char *target)
{
    for (size_t i = 0; i < count; i++)
        if (!rows[i].as && strcmp(rows[i].target, target) == 0)
            return &rows[i];
    return NULL;
}

static void put_row(struct npart__page *page, const struct npart__row *row, const struct npart__row *own, bool is_best)
{
    struct npart__buffer time = {.arena = page->arena}, weights = {.arena = page->arena}, peak = {.arena = page->arena};
    if (row->typical_ms >= 0)
        npart__append_estimate(&time, row->typical_ms);
    npart__append_bytes(&weights, row->weight_bytes);
    npart__append_bytes(&peak, row->peak.bytes);
    npart__put(page, row->share);
    npart__append_format(page->out, "%10s%9s%9s",
                         row->runs && row->typical_ms >= 0 ? npart__buffer_text(&time) : "-",
                         npart__buffer_text(&weights), row->peak.is_partial ? "-" : npart__buffer_text(&peak));
    if (row->fits)
        npart__append_format(page->out, "%7s", row->fits);
    if (own && own != row && own->runs && row->runs && own->typical_ms > 0 && row->typical_ms >= 0)
        npart__append_format(page->out, "%+9d %%", (int)((row->typical_ms / own->typical_ms - 1) * 100));
    else if (is_best)
        npart__append_format(page->out, "%11s", "");
    npart__put(page, is_best ? "  [*]" : "");
    npart__put(page, "\n");
}

/* What makes the model so, and says whether it became so. */
static void put_recipe(struct npart__page *page, const struct npart__row *row)
{
    const char *out = npart__name_as(page->arena, row->path, row->as);
    const char *words[] = {"python", "-m", "npu_partition.quantize", row->path, "-t", row->target, "--as", row->as,
                           "-o", out ? out : "", "--calibrate", "DIR"};
    bool needs_data = row->as[0] == 'w' && row->as[1] && row->as[2] == 'a'; /* w8a8 */
    const struct npart_action action = {.size = sizeof action, .run = words,
                                        .run_count = NPART__COUNT(words) - (needs_data ? 0 : 2)};
    npart__put(page, "  [*] ");
    npart__put_run(page, &action, 6, NULL);
}

/* The kind of nodes that a precision keeps, and nothing else; NULL: another, or none. */
static const char *kind_of(const struct npart__row *row, const char **about, const char **source)
{
    const char *kept = row->as ? strstr(row->as, KEEP) : NULL, *kind = NULL;
    kept += kept ? strlen(KEEP) : 0;
    kept += kept ? strlen(strncmp(kept, KEEP_16, strlen(KEEP_16)) == 0 ? KEEP_16 : KEEP_FLOAT) : 0;
    for (uint32_t i = 0; kept && (kind = npart_kept_kind(i, about, source)); i++)
        if (strcmp(kept, kind) == 0)
            return kind;
    return NULL;
}

/* A kind of which the model has no nodes is the precision as it is. */
static bool is_shown(const struct npart__row *row)
{
    const char *about, *source;
    return row->kept || !kind_of(row, &about, &source);
}

static void append_cost(struct npart__buffer *out, const struct npart__row *row, const struct npart__row *than)
{
    bool is_less = row->weight_bytes < than->weight_bytes;
    npart__append_format(out, is_less ? "-" : "+");
    npart__append_bytes(out, is_less ? than->weight_bytes - row->weight_bytes : row->weight_bytes - than->weight_bytes);
    if (row->runs && than->runs && row->typical_ms >= 0 && than->typical_ms >= 0)
        npart__append_format(out, ", %+.2f ms", row->typical_ms - than->typical_ms);
}

/* What nodes that are kept cost beside the same precision without them. */
static void put_kept(struct npart__page *page, const struct npart__row *rows, size_t count,
                     const struct npart__row *row)
{
    const struct npart__row *than = row->kept ? without(rows, count, row, KEEP) : NULL;
    if (!than || has_limit(row))
        return;
    struct npart__buffer text = {.arena = page->arena};
    npart__append_format(&text, "%s: %u node%s, %+d QuantizeLinear or DequantizeLinear, weights ", row->as, row->kept,
                         row->kept == 1 ? "" : "s", (int)row->nodes - (int)than->nodes);
    append_cost(&text, row, than);
    npart__put_line(page, NULL, "  ", npart__buffer_text(&text), 6);
}

/* What weights that lose too much have in its place, and what that costs. */
static void put_held(struct npart__page *page, const struct npart__row *rows, size_t count,
                     const struct npart__row *row)
{
    const struct npart__row *than = without(rows, count, row, LIMIT);
    if (!than)
        return;
    npart__append_format(page->out, "  %s: ", row->as);
    if (!row->widened && !row->kept) {
        npart__put(page, "no weight loses more\n");
        return;
    }
    npart__append_format(page->out, "%u weight%s of 8 bits in place of 4, %u node%s in float: ", row->widened,
                         row->widened == 1 ? "" : "s", row->kept, row->kept == 1 ? "" : "s");
    append_cost(page->out, row, than);
    npart__put(page, "\n");
    npart__put_layers(page, row, than);
}

/* What each kind of nodes is kept for; a precision with each kind has the same ones as the first. */
static void put_kinds(struct npart__page *page, const struct npart__row *rows, size_t count)
{
    const char *about, *source, *kind, *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!is_shown(&rows[i]) || !(kind = kind_of(&rows[i], &about, &source)))
            continue;
        if (first && strcmp(kind, first) == 0)
            break;
        first = first ? first : kind;
        npart__put_line(page, NULL, "  ",
                        npart__arena_format(page->arena, "%s: %s (%s)", kind, about, source), 6);
    }
}

/* Precisions that the model has nothing for, and what becomes of those that are not computed as they are. */
static void put_told(struct npart__page *page, const struct npart__row *row)
{
    if (row->is_unchanged)
        npart__append_format(page->out, "  %s: nothing of the model is quantized\n", row->as);
    else if (row->as && row->precision && !strstr(row->as, KEEP) && !has_limit(row))
        npart__put_line(page, NULL, "  ", npart__arena_format(page->arena, "%s: %s", row->as, row->precision), 6);
}

void npart__put_as_table(struct npart__page *page, const struct npart__row *rows, size_t count)
{
    size_t columns = strlen(AS_IT_IS), names = 0, best = find_best(rows, count);
    bool is_one = true;
    for (size_t i = 0; i < count; i++) {
        columns = strlen(name_of(&rows[i])) > columns ? strlen(name_of(&rows[i])) : columns;
        is_one &= strcmp(rows[i].target, rows[0].target) == 0;
        names = strlen(rows[i].target) > names ? strlen(rows[i].target) : names;
    }
    npart__put(page, "\n  ");
    npart__paint(page, NPART__DIM);
    if (!is_one)
        npart__append_format(page->out, "%-*s  ", (int)names, "target");
    npart__append_format(page->out, "%-*s  verdict  parts  on NPU    worth it  weights     peak%s  from float\n",
                         (int)columns, "as", rows[0].fits ? "   fits" : "");
    npart__paint(page, "0");
    for (size_t i = 0; i < count; i++) {
        if (!is_shown(&rows[i]))
            continue;
        npart__put(page, "  ");
        if (!is_one)
            npart__append_format(page->out, "%-*s  ", (int)names, rows[i].target);
        npart__append_format(page->out, "%-*s  ", (int)columns, name_of(&rows[i]));
        put_row(page, &rows[i], find_own(rows, count, rows[i].target), i == best && rows[i].as);
    }
    if (best < count && rows[best].as)
        put_recipe(page, &rows[best]);
    for (size_t i = 0; i < count; i++) {
        put_told(page, &rows[i]);
        put_kept(page, rows, count, &rows[i]);
        put_held(page, rows, count, &rows[i]);
    }
    put_kinds(page, rows, count);
    if (rows[0].first)
        npart__put_line(page, NULL, "  ",
                        npart__arena_format(page->arena, "%s (%s)", rows[0].first, rows[0].source), 6);
    npart__put(page, "  ~ estimated; accuracy is not known here: measure it on your data\n");
}
