/* SPDX-License-Identifier: Apache-2.0
 *
 * Several targets side by side, a line each: the verdict, how much of the work the NPU does, whether it is worth it,
 * and what to do. Details of one are a report of its own, or come with --verbose.
 */
#include "report/page.h"

#define FIX_COLUMN_INDENT 42u /* of what stands before the last column, after the target */

#define FIX_INDENT 6u         /* of the command below the table */

static void put_blanks(struct npart__page *page, size_t count)
{
    npart__append_format(page->out, "%*s", (int)count, "");
}

/* Padded as a whole, since colours take no column. Returns nothing: a text that is too long moves what follows. */
static void put_padded(struct npart__page *page, const char *code, const char *text, size_t columns)
{
    if (code)
        npart__painted(page, code, text);
    else
        npart__put(page, text);
    put_blanks(page, strlen(text) < columns ? columns - strlen(text) : 0);
}

static void put_verdict(struct npart__page *page)
{
    static const char *const colors[] = {
        [NPART_PLAN_WHOLE] = NPART__GREEN, [NPART_PLAN_EDGE] = NPART__GREEN, [NPART_PLAN_SPLIT] = NPART__YELLOW,
        [NPART_PLAN_NONE] = NPART__RED,    [NPART_PLAN_FAILS] = NPART__RED,  [NPART_PLAN_EMPTY] = NPART__DIM};
    enum npart_plan_verdict verdict = page->summary.verdict;
    if (page->summary.fits == NPART_FIT_NO)
        put_padded(page, NPART__RED, "no room", 7);
    else
        put_padded(page, verdict < NPART__COUNT(colors) ? colors[verdict] : NULL, npart_plan_verdict_text(verdict), 7);
}

/* Of arithmetic where it is known, else of nodes. Nothing where nothing runs there. Where it is decided later what the
 * NPU runs, no more than this. */
static void put_share(struct npart__page *page)
{
    const struct npart_summary *at = &page->summary;
    struct npart__buffer text = {.arena = page->arena};
    bool runs = at->accepted && at->verdict != NPART_PLAN_FAILS;
    double share = page->decided.by           ? page->decided.most_on_npu
                   : at->has_macs && at->macs ? at->mac_coverage
                                              : at->coverage;
    bool is_nearly = share >= 0.995 && at->accepted < at->live;
    if (page->decided.by && page->decided.elsewhere < page->decided.taken)
        npart__append_text(&text, "<=");
    else if (is_nearly) /* what is split is not all there */
        npart__append_text(&text, ">");
    npart__append_fixed(&text, is_nearly ? 99 : share * 100, 0);
    if (runs)
        npart__append_format(page->out, "%6u %6s %%  ", at->partitions, npart__buffer_text(&text));
    else
        npart__put(page, "     -        -  ");
    npart__buffer_release(&text);
}

/* "yes    ~1.1 ms": the answer in one word, and the time that it is about. */
static void put_worth(struct npart__page *page, const struct npart_plan_pair *pair)
{
    static const struct {
        const char *sure, *unsure, *color;
    } words[] = {[NPART_CHOICE_NPU] = {"yes", "yes~", NPART__GREEN},
                 [NPART_CHOICE_MEND] = {"after", "after~", NPART__YELLOW},
                 [NPART_CHOICE_CPU] = {"no", "no~", NPART__RED},
                 [NPART_CHOICE_UNDECIDED] = {"equal", "equal", NPART__MAGENTA}};
    struct npart_recommendation at = {.size = sizeof at};
    struct npart__buffer time = {.arena = page->arena};
    if (!npart_advice_recommendation(pair->advice, &at)) {
        put_blanks(page, 17);
        return;
    }
    bool is_known = at.time.typical_ms >= 0;
    bool is_open = at.choice == NPART_CHOICE_UNDECIDED && !is_known;
    const char *word = at.is_sure ? words[at.choice].sure : words[at.choice].unsure;
    put_padded(page, words[at.choice].color, is_open ? "?" : word, 7);
    if (is_known)
        npart__append_estimate(&time, at.time.typical_ms);
    put_padded(page, NULL, npart__buffer_text(&time), 10);
    npart__buffer_release(&time);
}

/* Kinds of steps, where their own words say too little. */
static const char *word_of(const char *kind)
{
    static const char *const words[][2] = {
        {"dims", "fix sizes"}, {"exporter", "export"}, {"option", "session option"}, {"cut", "cut points"}};
    for (size_t i = 0; i < NPART__COUNT(words); i++)
        if (strcmp(words[i][0], kind) == 0)
            return words[i][1];
    return kind;
}

/* The first step in a few words: the line below the table does it, or another target, or a kind of change. */
static void put_fix(struct npart__page *page, const struct npart_plan_pair *pair, struct npart__row *row)
{
    struct npart_action action = {.size = sizeof action};
    bool has_step = npart_advice_action(pair->advice, 0, &action) && strcmp(action.kind, "none") != 0;
    if (!has_step && (!pair->advice || npart__needs_nothing(&page->summary)))
        return;
    bool is_target = action.command && strncmp(action.command, "-t ", 3) == 0;
    if (action.run) {
        struct npart__buffer line = {.arena = page->arena};
        struct npart__page gathered = *page;
        gathered.out = &line;
        npart__put_run(&gathered, &action, FIX_INDENT, "TARGET");
        row->fix = npart__keep_text(&line);
    }
    const char *told = !has_step ? "none known" : is_target ? action.command + 3 : word_of(action.kind);
    npart__put_middle(page, action.run ? "fix [*]" : told,
                   page->width > row->name_columns + FIX_COLUMN_INDENT + 8
                       ? page->width - row->name_columns - FIX_COLUMN_INDENT
                       : 8);
}

/* What is told of a precision. */
/* Activations on the side that takes more, and whether all fits into the RAM that there is. */
static void add_memory(struct npart__page *page, struct npart__row *row)
{
    static const char *const words[] = {
        [NPART_FIT_UNKNOWN] = "maybe", [NPART_FIT_YES] = "yes", [NPART_FIT_NO] = "no"};
    struct npart_memory memory = {.size = sizeof memory};
    if (!npart_plan_memory(page->plan, &memory))
        return;
    row->peak = memory.peak_npu.bytes > memory.peak_cpu.bytes ? memory.peak_npu : memory.peak_cpu;
    row->peak.is_partial = memory.peak_npu.is_partial || memory.peak_cpu.is_partial;
    for (uint32_t i = 0; i < memory.limit_count; i++)
        if (memory.limits[i].of == NPART_LIMITED_RAM)
            row->fits = words[memory.limits[i].fits];
}

static void add_precision(struct npart__page *page, struct npart__row *row)
{
    struct npart_model_info info = {.size = sizeof info};
    struct npart_cost cost = {.size = sizeof cost};
    const npart_model *model = npart_inference_model(npart_plan_inference(page->plan));
    (void)npart_model_info(model, &info);
    while (npart_model_kept(model, row->kept))
        row->kept++;
    for (uint32_t i = 0; npart_model_wide(model, i); i++)
        row->kept++;
    row->nodes = info.node_count;
    if (page->info.as)
        npart__list_layers(page, row);
    row->precision = page->info.as ? npart__precision_told(page) : NULL;
    row->is_unchanged = npart__changes_nothing(page);
    while (npart_model_widened(model, row->widened))
        row->widened++;
    row->first = npart_model_quantized_first(npart_model_origin(model), &row->source);
    row->as = page->info.as ? npart__arena_copy_text(page->arena, page->info.as, strlen(page->info.as)) : NULL;
    row->target = npart__arena_copy_text(page->arena, page->info.target, strlen(page->info.target));
    row->weight_bytes = info.weight_bytes;
    add_memory(page, row);
    row->path = npart__arena_copy_text(page->arena, info.name, strlen(info.name));
    row->runs = page->summary.accepted && page->summary.verdict != NPART_PLAN_FAILS;
    row->typical_ms = npart_plan_cost(page->plan, &cost) ? cost.total.typical_ms : -1;
}

void npart__make_row(struct npart__page *page, const struct npart_plan_pair *pair, struct npart__row *out)
{
    struct npart__buffer text, *before = page->out;
    struct npart_recommendation worth = {.size = sizeof worth};
    npart__buffer_init(&text, page->arena);
    page->out = &text;
    npart__put_target(page);
    *out = (struct npart__row){.name = npart__keep_text(&text),
                               .name_columns = npart__target_columns(page),
                               .cpu_ms = -1,
                               .unit = page->info.unit,
                               .is_later = page->decided.by != NULL};
    if (npart_advice_recommendation(pair->advice, &worth))
        out->cpu_ms = worth.cpu.typical_ms;
    put_verdict(page);
    put_share(page);
    out->share = npart__arena_copy_text(page->arena, npart__buffer_text(&text), text.size);
    add_precision(page, out);
    put_worth(page, pair);
    put_fix(page, pair, out);
    while (text.size && text.data[text.size - 1] == ' ')
        text.size--;
    out->rest = npart__keep_text(&text);
    page->out = before;
}

/* Each target has a CPU of its own kind: the shortest and the longest of their times. */
static void put_cpu(struct npart__page *page, const struct npart__row *rows, size_t count)
{
    double low = -1, high = -1;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].cpu_ms < 0)
            continue;
        low = low < 0 || rows[i].cpu_ms < low ? rows[i].cpu_ms : low;
        high = rows[i].cpu_ms > high ? rows[i].cpu_ms : high;
    }
    if (low < 0)
        return;
    npart__put(page, "  CPU alone ");
    npart__append_estimate(page->out, low);
    if (high > low * 1.02) {
        npart__put(page, " to ");
        npart__append_estimate(page->out, high);
        npart__put(page, ", by device");
    }
    npart__put(page, "\n");
}

/* The mark of the line below the table is that of targets which it is the first step for. */
static void put_rest(struct npart__page *page, const struct npart__row *row, const char *fix)
{
    static const char mark[] = " [*]";
    size_t size = strlen(row->rest), marked = sizeof mark - 1;
    if (row->fix && strcmp(row->fix, fix) != 0 && size > marked && strcmp(row->rest + size - marked, mark) == 0)
        size -= marked;
    npart__append(page->out, row->rest, size);
}

/* The longest name of a target decides the first column, and the rest is fixed. */
void npart__put_table(struct npart__page *page, const struct npart__row *rows, size_t count)
{
    size_t name_columns = 6;
    const char *fix = NULL;
    bool is_later = false, is_on_npus = true;
    for (size_t i = 0; i < count; i++) {
        is_later |= rows[i].is_later;
        is_on_npus &= strcmp(rows[i].unit, "NPU") == 0;
        name_columns = rows[i].name_columns > name_columns ? rows[i].name_columns : name_columns;
        fix = fix ? fix : rows[i].fix;
    }
    npart__put(page, "\n  ");
    npart__paint(page, NPART__DIM);
    npart__append_format(page->out, "%-*s  verdict  parts  %6s  worth it         fix\n", (int)name_columns,
                         "target", is_on_npus ? "on NPU" : "share");
    npart__paint(page, "0");
    for (size_t i = 0; i < count; i++) {
        npart__put(page, "  ");
        npart__put(page, rows[i].name);
        put_blanks(page, name_columns - rows[i].name_columns + 2);
        put_rest(page, &rows[i], fix);
        npart__put(page, "\n");
    }
    put_cpu(page, rows, count);
    if (is_later)
        npart__put(page, "  <= taken; a framework decides later what of it the NPU runs\n");
    if (fix) {
        npart__put(page, "  [*] ");
        npart__put(page, fix);
    }
    if (!page->options->is_verbose)
        npart__put(page, "  ~ estimated; after an answer: not sure. Details: one target at a time, or -v\n");
}
