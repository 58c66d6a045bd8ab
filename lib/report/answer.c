/* SPDX-License-Identifier: Apache-2.0
 *
 * The first lines of a report: which model, what becomes of it, whether it fits and is worth it. And the last ones: a
 * picture of it, and what the answer rests on.
 */
#include "report/page.h"

#define INPUTS_SHOWN 2u /* lines of inputs with dynamic sizes, */
#define NAMES_SHOWN 2u  /* and names in each */
#define TARGET_COLUMNS 16u
#define NOTES_SHOWN 2u
#define LEAST_NAME 20u  /* of the columns of a model beside its figures */
#define LEAST_CELLS 12u /* of the strip beside its legend */

/* ---- fields ------------------------------------------------------------------------------------------------ */

/* The columns of a label are those of our own ASCII. */
void npart__put_field(struct npart__page *page, const char *label, const char *code, const char *text, uint32_t most)
{
    npart__put(page, "  ");
    npart__painted(page, NPART__BOLD, label);
    npart__append_format(page->out, "%*s", (int)(NPART__TEXT_COLUMN - 2 - strlen(label)), "");
    if (code)
        npart__paint(page, code);
    npart__put_filled(page, text, NPART__TEXT_COLUMN, NPART__TEXT_COLUMN, most);
    if (code)
        npart__paint(page, "0");
    npart__put(page, "\n");
}

void npart__put_made_field(struct npart__page *page, const char *label, struct npart__buffer *text, uint32_t most)
{
    npart__put_field(page, label, NULL, npart__buffer_text(text), most);
    npart__buffer_release(text);
}

/* ---- the model --------------------------------------------------------------------------------------------- */

const char *npart__base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Nodes that a runtime puts in the place of others (npart_model_info.added_node_count) are not the model's and do not
 * count. Of the opsets that of ai.onnx is told, since it decides which versions of operators the model has. */
static void add_facts(struct npart__buffer *line, const struct npart_model_info *info)
{
    uint32_t count = info->node_count - info->added_node_count;
    npart__append_count(line, count);
    npart__append_text(line, count == 1 ? " node" : " nodes");
    for (uint32_t i = 0; i < info->opset_count; i++)
        if (strcmp(info->opsets[i].domain, "ai.onnx") == 0)
            npart__append_format(line, ", opset %lld", (long long)info->opsets[i].version);
    if (info->weight_bytes) {
        npart__append_text(line, ", ");
        npart__append_rough_bytes(line, info->weight_bytes);
        npart__append_text(line, " of weights");
    }
}

/* "mobilenet.onnx    105 nodes, opset 13, 14 MB of weights" */
void npart__put_head(struct npart__page *page)
{
    struct npart_model_info info = {.size = sizeof info};
    struct npart__buffer line = {.arena = page->arena};
    /* The file's own facts, also where it is looked at in another precision. */
    const npart_model *asked = npart_inference_model(npart_plan_inference(page->plan));
    const npart_model *origin = npart_model_origin(asked);
    (void)npart_model_info(origin == asked ? page->model : origin, &info);
    add_facts(&line, &info);
    npart__paint(page, NPART__BOLD);
    bool is_one_line = page->width >= line.size + LEAST_NAME + 4;
    npart__put_middle(page, npart__base_name(info.name), is_one_line ? page->width - line.size - 4 : page->width);
    npart__paint(page, "0");
    npart__put(page, is_one_line ? "    " : "\n  ");
    npart__put(page, npart__buffer_text(&line));
    npart__put(page, "\n");
    npart__buffer_release(&line);
    if (page->options->is_verbose && *info.producer_name) {
        npart__put(page, "  by ");
        npart__put_text(page, info.producer_name);
        npart__put(page, *info.producer_version ? " " : "");
        npart__put_text(page, info.producer_version);
        npart__put(page, "\n");
    }
}

/* The type of an input with a dynamic size, in the page's scratch; NULL of another. */
static const char *dynamic_type(struct npart__page *page, const npart_inference *asked, uint32_t value)
{
    struct npart_value at = {.size = sizeof at};
    if (!npart_inference_value(asked, value, &at) || at.is_static || at.kind != NPART_VALUE_TENSOR)
        return NULL;
    while (npart__buffer_lacks(page->scratch, npart_inference_type_text(asked, value, NPART__ROOM(page->scratch))))
        continue;
    return npart__buffer_text(page->scratch);
}

/* Inputs of one type, such as the tensors of a cache. */
struct alike {
    const char *type, *names[NAMES_SHOWN];
    uint32_t count;
};

/* Names first, of which each has its share of the line; the type takes what is left. */
static void put_alike(struct npart__page *page, const struct alike *at, bool is_first)
{
    struct npart__buffer line = {.arena = page->arena};
    struct npart__page gathered = *page;
    size_t shown = at->count < NAMES_SHOWN ? at->count : NAMES_SHOWN, room = (page->width - 32) / shown;
    gathered.out = &line;
    for (uint32_t i = 0; i < shown; i++) {
        npart__put(&gathered, i ? ", " : "");
        npart__put_middle(&gathered, at->names[i], room < 8 ? 8 : room);
    }
    if (at->count > shown)
        npart__append_format(&line, " and %u more", at->count - NAMES_SHOWN);
    const char *names = npart__buffer_text(&line);
    size_t columns = npart__shown_columns(page, names, line.size) + 8;
    npart__put(page, is_first ? "  in  " : "      ");
    npart__put(page, names);
    npart__put(page, "  ");
    npart__put_cut(page, at->type, page->width > columns + 10 ? page->width - columns : 10);
    npart__put(page, "\n");
    npart__buffer_release(&line);
}

/* Inputs whose sizes are dynamic. A wide type and long names are cut to the line. */
void npart__put_inputs(struct npart__page *page)
{
    const npart_inference *asked = npart_plan_inference(page->plan);
    struct npart_graph graph = {.size = sizeof graph};
    struct alike all[INPUTS_SHOWN] = {{NULL, {NULL}, 0}};
    uint32_t kinds = 0, others = 0;
    (void)npart_model_graph(npart_inference_model(asked), 0, &graph);
    for (uint32_t i = 0; i < graph.input_count; i++) {
        struct npart_value value = {.size = sizeof value};
        const char *type = dynamic_type(page, asked, graph.inputs[i]);
        uint32_t k = 0;
        while (type && k < kinds && strcmp(all[k].type, type) != 0)
            k++;
        if (!type || k == INPUTS_SHOWN) {
            others += type != NULL;
            continue;
        }
        if (k == kinds) {
            struct npart__buffer kept = {.arena = page->arena};
            npart__append_text(&kept, type);
            all[kinds++].type = npart__keep_text(&kept);
        }
        (void)npart_inference_value(asked, graph.inputs[i], &value);
        if (all[k].count < NAMES_SHOWN)
            all[k].names[all[k].count] = value.name;
        all[k].count++;
    }
    for (uint32_t k = 0; k < kinds; k++)
        put_alike(page, &all[k], k == 0);
    if (others)
        npart__append_format(page->out, "      and %u more\n", others);
}

static void put_given(struct npart__page *page, const char *word, struct npart__buffer *line)
{
    if (line->size) {
        npart__put(page, word);
        npart__put_filled(page, npart__buffer_text(line), 8, 8, 2);
        npart__put(page, "\n");
        line->size = 0;
    }
}

/* What is assumed stands above all that rests on it. */
void npart__put_sizes(struct npart__page *page)
{
    const npart_inference *asked = npart_plan_inference(page->plan);
    struct npart_dim_binding given = {0};
    struct npart__buffer line = {.arena = page->arena};
    for (uint32_t i = 0; npart_inference_given(asked, i, &given); i++) {
        npart__append_format(&line, "%s%s=", i ? ", " : "", given.name);
        npart__append_format(&line, given.is_limit ? "..%lld" : "%lld", (long long)given.size);
    }
    put_given(page, "  with  ", &line);
    struct npart_padding at = {.size = sizeof at};
    if (npart_inference_padding(asked, &at)) {
        npart__append_format(&line, "%s=%llu: %.0f %% is padding", at.dim, (unsigned long long)at.most,
                             at.most_padding * 100);
        if (at.less && at.less < at.most)
            npart__append_format(&line, "; %llu and %llu: %.0f %%, %.0f %% of runs at %llu",
                                 (unsigned long long)at.less, (unsigned long long)at.most, at.two_padding * 100,
                                 at.less_runs * 100, (unsigned long long)at.less);
        put_given(page, "  pads  ", &line);
    }
    npart__buffer_release(&line);
}

/* ---- the verdict ------------------------------------------------------------------------------------------- */

static void add_nodes(struct npart__buffer *line, uint32_t count)
{
    npart__append_count(line, count);
    npart__append_text(line, count == 1 ? " node" : " nodes");
}

/* Undecided nodes are on the CPU in the plan; where their being on the NPU changes the number of partitions both ends
 * of the range are told. */
static void split_words(struct npart__page *page, struct npart__buffer *line)
{
    const struct npart_summary *at = &page->summary;
    if (at->partitions_low != at->partitions_high)
        npart__append_format(line, "%u to %u partitions, ", at->partitions_low, at->partitions_high);
    else
        npart__append_format(line, "%u partition%s, ", at->partitions, at->partitions == 1 ? "" : "s");
    npart__append_count(line, at->accepted);
    npart__append_text(line, " of ");
    add_nodes(line, at->live);
    npart__add_where(line, &page->info, &page->decided);
    if (at->has_macs && at->macs) {
        npart__append_text(line, " (");
        npart__add_share(line, at->mac_coverage);
        npart__append_text(line, " of the work)");
    }
    npart__append_text(line, npart__is_all_elsewhere(&page->decided) ? ", none of them on the NPU" : "");
}

static void none_words(struct npart__page *page, struct npart__buffer *line)
{
    npart__append_format(line, "no node runs %s", page->info.on_unit);
    if (page->summary.unknown) {
        npart__append_text(line, ", ");
        add_nodes(line, page->summary.unknown);
        npart__append_text(line, " undecided");
    }
}

/* Whether a finding has this code. */
static bool has_finding(const struct npart__page *page, const char *code)
{
    struct npart_finding finding = {.size = sizeof finding};
    for (uint32_t i = 0; npart_inference_finding(npart_plan_inference(page->plan), i, &finding); i++)
        if (strcmp(finding.code, code) == 0)
            return true;
    return false;
}

/* Whether the model is loaded and cannot run, as sizes at a node contradict each other. */
static bool contradicts_itself(const struct npart__page *page)
{
    return npart__is_not_loaded(page) && has_finding(page, "shape-contradiction") && !has_finding(page, "invalid");
}

/* A model that is not loaded has the same verdict without any node that fails. Where one requirement stops all, it is
 * the whole reason. */
static void failing_words(struct npart__page *page, struct npart__buffer *line)
{
    const struct npart_summary *at = &page->summary;
    const char *whole = npart__whole_failure(page);
    if (whole) {
        npart__append_text(line, whole);
    } else if (at->failed) {
        npart__append_count(line, at->failed);
        npart__append_text(line, " of ");
        add_nodes(line, at->live);
        npart__append_text(line, at->failed == 1 ? " fails to compile" : " fail to compile");
    } else {
        npart__append_text(line, contradicts_itself(page) ? "the model cannot run: sizes contradict each other"
                                                          : "ONNX Runtime does not load the model");
    }
}

static void whole_words(struct npart__page *page, struct npart__buffer *line)
{
    bool is_one = page->summary.live == 1;
    npart__append_text(line, is_one ? "its one node" : "all nodes in 1 partition");
    if (is_one || page->decided.by)
        npart__add_where(line, &page->info, &page->decided);
    if (npart__is_all_elsewhere(&page->decided))
        npart__append_text(line, is_one ? ", not on the NPU" : ", none of them on the NPU");
}

/* The verdict "edge": all that the CPU does is to quantize the model's inputs and dequantize its outputs. */
static void edge_words(struct npart__page *page, struct npart__buffer *line)
{
    (void)page;
    npart__append_text(line, "1 partition; the CPU converts inputs and outputs");
}

static void empty_words(struct npart__page *page, struct npart__buffer *line)
{
    (void)page;
    npart__append_text(line, "no node is left after constant folding");
}

/* ---- what it brings ---------------------------------------------------------------------------------------- */

/* The answer and its figures are the library's; so all reports say the same. */
void npart__put_worth(struct npart__page *page, const struct npart_plan_pair *pair)
{
    static const char *const colors[] = {[NPART_CHOICE_NPU] = NPART__GREEN,
                                         [NPART_CHOICE_MEND] = NPART__YELLOW,
                                         [NPART_CHOICE_CPU] = NPART__RED,
                                         [NPART_CHOICE_UNDECIDED] = NPART__MAGENTA};
    struct npart_recommendation at = {.size = sizeof at};
    if (page->summary.live && npart_advice_recommendation(pair->advice, &at))
        npart__put_field(page, "Worth it", colors[at.choice], at.reason, 0);
}

/* What there is no room for; and what may have none, and what fits where memory is small enough to ask for it, with the
 * sources of limits that are or may be passed. That a file must keep its weights in other files is told with
 * --verbose. */
static void find_limits(const struct npart__page *page, struct npart__buffer *told, struct npart__buffer *over)
{
    struct npart_memory at = {.size = sizeof at};
    (void)npart_plan_memory(page->plan, &at);
    for (uint32_t i = 0; i < at.limit_count; i++) {
        const struct npart_memory_limit *limit = &at.limits[i];
        bool is_small = limit->of == NPART_LIMITED_WEIGHTS || limit->of == NPART_LIMITED_TENSORS ||
                        limit->of == NPART_LIMITED_ACTIVATIONS;
        bool is_asked = limit->of == NPART_LIMITED_RAM || limit->of == NPART_LIMITED_FLASH;
        if (limit->of == NPART_LIMITED_ONE_FILE)
            continue;
        if (limit->fits == NPART_FIT_NO)
            npart__append_limit(over, limit);
        else if (is_small || is_asked || npart__is_near_limit(limit))
            npart__append_limit(told, limit);
        /* A class of devices has one source for its RAM and its flash. */
        if ((limit->fits == NPART_FIT_NO || npart__is_near_limit(limit)) &&
            !(i && limit->source == at.limits[i - 1].source))
            npart__append_format(told, "%s%s", told->size ? "; " : "", limit->source);
    }
}

/* "hexagon:v73     SPLIT: 8 partitions, 96 of 454 nodes on the NPU" */
void npart__put_headline(struct npart__page *page)
{
    static void (*const all[])(struct npart__page *page, struct npart__buffer *line) = {
        [NPART_PLAN_WHOLE] = whole_words, [NPART_PLAN_EDGE] = edge_words,     [NPART_PLAN_SPLIT] = split_words,
        [NPART_PLAN_NONE] = none_words,   [NPART_PLAN_FAILS] = failing_words, [NPART_PLAN_EMPTY] = empty_words};
    uint32_t columns = (uint32_t)npart__target_columns(page), verdict_columns;
    uint32_t begin = columns + 2 < TARGET_COLUMNS ? TARGET_COLUMNS : columns + 2;
    struct npart__buffer line = {.arena = page->arena}, fits = {.arena = page->arena}, over = {.arena = page->arena};
    if (begin + 30 > page->width) { /* a target with many switches */
        npart__put_target(page);
        npart__append_format(page->out, "\n%*s", (int)TARGET_COLUMNS, "");
        begin = TARGET_COLUMNS;
    } else {
        npart__put_target(page);
        npart__append_format(page->out, "%*s", (int)(begin - columns), "");
    }
    find_limits(page, &fits, &over);
    if (over.size)
        npart__painted(page, NPART__RED, "DOES NOT FIT");
    verdict_columns = over.size ? 12 : npart__put_verdict(page);
    npart__put(page, ": ");
    if (over.size)
        npart__append_text(&line, npart__buffer_text(&over));
    else if (page->summary.verdict < NPART__COUNT(all))
        all[page->summary.verdict](page, &line);
    if (page->info.level == NPART_LEVEL_OFF)
        npart__append_text(&line, ", without graph optimizations");
    npart__put_filled(page, npart__buffer_text(&line), begin + verdict_columns + 2, TARGET_COLUMNS, 3);
    npart__put(page, "\n");
    npart__buffer_release(&line);
    npart__buffer_release(&fits);
    npart__buffer_release(&over);
}

void npart__put_fit(struct npart__page *page)
{
    struct npart__buffer fits = {.arena = page->arena}, over = {.arena = page->arena};
    find_limits(page, &fits, &over);
    if (fits.size)
        npart__put_field(page, "Memory", NULL, npart__buffer_text(&fits), 0);
    npart__buffer_release(&fits);
    npart__buffer_release(&over);
}

/* An order of magnitude, and only where somebody would wait for it. */
void npart__put_compile(struct npart__page *page)
{
    static const struct { double from_s; const char *text; } orders[] = {
        {20, "about half a minute"},  {45, "about a minute"},       {90, "about 2 minutes"},
        {200, "about 5 minutes"},     {450, "about 10 minutes"},    {900, "about 20 minutes"},
        {1500, "about half an hour"}, {2700, "about an hour"},      {5400, "hours"}};
    double seconds = page->cost.compile.typical_ms / 1000;
    const char *text = NULL;
    for (size_t i = 0; i < NPART__COUNT(orders) && seconds >= orders[i].from_s; i++)
        text = orders[i].text;
    if (text && page->summary.verdict != NPART_PLAN_FAILS) {
        struct npart__buffer line = {.arena = page->arena};
        npart__append_format(&line, "%s on an x86 computer", text);
        npart__put_made_field(page, "Compile", &line, 0);
    }
}

/* Two digits, as of any estimate. */
void npart__append_rate(struct npart__buffer *out, double per_second)
{
    double unit = 1;
    if (per_second < 0) {
        npart__append_text(out, "-");
        return;
    }
    while (per_second / unit >= 100)
        unit *= 10;
    if (per_second < 10)
        npart__append_fixed(out, per_second, 1);
    else
        npart__append_count(out, (uint64_t)(per_second / unit + 0.5) * (uint64_t)unit);
}

void npart__append_first_token(struct npart__buffer *out, double ms, uint64_t prompt, uint32_t run)
{
    uint64_t runs = (prompt + run - 1) / run;
    npart__append_text(out, "first token ");
    npart__append_estimate(out, ms);
    npart__append_text(out, " for ");
    npart__append_count(out, prompt);
    npart__append_format(out, " tokens in %llu run%s of %u", (unsigned long long)runs, runs == 1 ? "" : "s", run);
}

/* " (41 with buffers bound)": where that differs in two digits. */
static void put_bound(const struct npart__page *page, struct npart__buffer *line)
{
    double bound = page->cost.bound_tokens_per_s;
    if (bound < 1.02 * page->cost.tokens_per_s)
        return;
    npart__append_text(line, " (");
    npart__append_rate(line, bound);
    npart__append_text(line, " with buffers bound)");
}

/* Of so few rows in tiles of the matrix unit more cost little, where weights take longer than products. */
#define FEW_ROWS 0.25

/* "; 745 MB of weights and 13 MB of cache a run; up to 32 rows a run cost little more" */
static void put_once(const struct npart__page *page, const struct npart_memory *at, struct npart__buffer *line)
{
    const struct npart_cost *cost = &page->cost;
    if (!at->weights_npu.is_partial && at->weights_npu.bytes) {
        npart__append_text(line, "; ");
        npart__append_rough_bytes(line, at->weights_npu.bytes);
        npart__append_text(line, " of weights");
        if (!at->cache_per_token.is_partial && !at->window_tensors) {
            npart__append_text(line, " and ");
            npart__append_rough_bytes(line, at->cache_per_token.bytes * at->cache_slots);
            npart__append_text(line, " of cache");
        }
        npart__append_text(line, " a run");
    }
    if (at->run_tokens == 1 && cost->fill > 0 && cost->fill <= FEW_ROWS &&
        cost->npu_bandwidth.typical_ms > cost->npu_compute.typical_ms)
        npart__append_format(line, "; up to %u rows a run cost little more", (unsigned)(1 / cost->fill + 0.5));
}

/* "after the fix ~49 tokens/s, 128 slots" */
static void put_mended_rate(const struct npart_recommendation *at, struct npart__buffer *line)
{
    npart__append_text(line, "after the fix ~");
    npart__append_rate(line, at->tokens_per_s);
    npart__append_text(line, " tokens/s, ");
    npart__append_count(line, at->slots);
    npart__append_text(line, " slots");
}

/* A file that reads prompts alone says no rate: it generates one token a run. */
static void put_rate(struct npart__page *page, const struct npart_memory *at, struct npart__buffer *line)
{
    if (page->cost.first_token_ms >= 0) {
        npart__append_first_token(line, page->cost.first_token_ms, page->cost.prompt_tokens, at->run_tokens);
    } else if (at->run_tokens > 1) {
        npart__append_text(line, "a prompt of ");
        npart__append_count(line, page->cost.prompt_tokens);
        npart__append_text(line, " tokens is longer than the cache");
    } else {
        npart__append_text(line, "~");
        npart__append_rate(line, page->cost.tokens_per_s);
        npart__append_text(line, " tokens/s");
        put_bound(page, line);
    }
    npart__append_text(line, ", ");
    npart__append_count(line, at->cache_slots);
    npart__append_text(line, " slots");
    put_once(page, at, line);
}

/* Heads in a group where there are none: 4, or as few as share them evenly. */
static uint64_t group_of(uint64_t heads)
{
    uint64_t group = heads % 4 ? 2 : 4;
    while (heads % group)
        group++;
    return group;
}

/* "grouped-query attention, 32 heads on 8; multi-head: 66 kB" */
static void put_attention(const struct npart_memory *at, struct npart__buffer *line)
{
    bool is_shared = at->attention != NPART_ATTENTION_MULTI_HEAD;
    uint64_t group = is_shared ? 1 : group_of(at->query_heads), bytes = at->cache_per_token.bytes;
    npart__append_format(line, "%s attention, ", npart_attention_text(at->attention));
    npart__append_count(line, at->query_heads);
    npart__append_text(line, is_shared ? " heads on " : " heads");
    if (is_shared)
        npart__append_count(line, at->key_heads);
    if (at->cache_per_token.is_partial || at->query_heads < 2)
        return;
    if (is_shared)
        npart__append_text(line, "; multi-head: ");
    else
        npart__append_format(line, "; grouped %llu to 1: ", (unsigned long long)group);
    npart__append_rough_bytes(line, bytes / at->key_heads * at->query_heads / group);
}

static void put_other_caches(const struct npart_memory *at, struct npart__buffer *line)
{
    if (at->window_tensors) {
        npart__append_format(line, "; %u of its %u tensors have a window of ", at->window_tensors,
                             at->cache_tensor_count);
        npart__append_count(line, at->window_slots);
    }
    if (at->cross_tensors) {
        npart__append_format(line, "; cross-attention's %u tensors", at->cross_tensors);
        if (!at->cross.is_partial) {
            npart__append_text(line, " take ");
            npart__append_rough_bytes(line, at->cross.bytes);
        }
    }
}

/* Of a decoder with a cache of known size what a run brings; else what a token takes of one that grows. */
void npart__put_serving(struct npart__page *page, const npart_advice *advice)
{
    struct npart_memory at = {.size = sizeof at};
    struct npart_recommendation mended = {.size = sizeof mended, .tokens_per_s = -1};
    struct npart__buffer line = {.arena = page->arena};
    bool is_read = npart_plan_memory(page->plan, &at);
    bool has_size = at.cache_tensor_count && !at.cache_per_token.is_partial;
    bool runs = page->summary.verdict != NPART_PLAN_FAILS && page->summary.fits != NPART_FIT_NO;
    bool has_rate = runs && page->cost.tokens_per_s >= 0;
    bool has_kind = at.attention != NPART_ATTENTION_UNKNOWN;
    bool is_mended = npart_advice_recommendation(advice, &mended) && mended.tokens_per_s >= 0;
    if (!is_read || (!has_rate && !has_size && !has_kind && !is_mended))
        return;
    if (is_mended)
        put_mended_rate(&mended, &line);
    else if (has_rate)
        put_rate(page, &at, &line);
    has_rate |= is_mended;
    if (has_size) {
        npart__append_text(&line, has_rate ? "; " : "");
        npart__append_rough_bytes(&line, at.cache_per_token.bytes);
        npart__append_text(&line, " of cache a token");
    }
    if (has_kind) {
        npart__append_text(&line, has_size ? " (" : has_rate ? "; " : "");
        put_attention(&at, &line);
        npart__append_text(&line, has_size ? ")" : "");
    }
    put_other_caches(&at, &line);
    npart__put_made_field(page, has_rate ? "Serves" : "Memory", &line, 0);
}

/* ---- the end ----------------------------------------------------------------------------------------------- */

/* A picture where there are nodes of several kinds, with its legend. */
void npart__put_nodes(struct npart__page *page)
{
    const struct npart_summary *at = &page->summary;
    struct npart__buffer legend = {.arena = page->arena};
    struct npart__page gathered = *page;
    bool is_all_cpu = !at->accepted && !at->unknown && (!at->failed || at->failed == at->live);
    bool is_one_kind = at->accepted == at->live || is_all_cpu;
    if (at->live == 0 || is_one_kind)
        return;
    gathered.out = &legend;
    uint32_t columns = npart__put_cell_counts(&gathered);
    uint32_t room = page->width - NPART__TEXT_COLUMN;
    npart__put(page, "  ");
    npart__painted(page, NPART__BOLD, "Nodes");
    npart__append_format(page->out, "%*s", (int)(NPART__TEXT_COLUMN - 7), "");
    bool is_wide = room >= columns + LEAST_CELLS;
    npart__put_strip(page, is_wide ? room - columns : room);
    if (!is_wide)
        npart__append_format(page->out, "\n%*s", (int)NPART__TEXT_COLUMN - 2, "");
    npart__put(page, npart__buffer_text(&legend));
    npart__put(page, "\n");
    npart__buffer_release(&legend);
}

/* A model that is not loaded fails without any node that does; one without a session has a finding of its plan. */
bool npart__is_not_loaded(const struct npart__page *page)
{
    struct npart_finding finding = {.size = sizeof finding};
    return page->summary.verdict == NPART_PLAN_FAILS && page->summary.failed == 0 &&
           !npart_plan_finding(page->plan, 0, &finding);
}

/* Whether the finding says why the target's runtime does not load the model, or cannot run it. An older one may refuse
 * what the newest loads. */
bool npart__stops_loading(const struct npart__page *page, const struct npart_finding *finding)
{
    return strcmp(finding->code, "invalid") == 0 ||
           (strcmp(finding->code, "shape-contradiction") == 0 && contradicts_itself(page)) ||
           (npart__is_not_loaded(page) && strcmp(finding->code, "newer-runtime") == 0);
}

/* What was found in the model, then what was found of its types and shapes. With one target alone, what makes the model
 * invalid stands with the verdict. */
void npart__put_notes(struct npart__page *page, bool is_alone)
{
    const npart_inference *asked = npart_plan_inference(page->plan);
    struct npart_finding finding = {.size = sizeof finding};
    uint32_t most = page->options->is_verbose ? NPART_NONE : NOTES_SHOWN, count = 0;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; pass == 0 ? npart_model_finding(page->model, i, &finding)
                                       : npart_inference_finding(asked, i, &finding);
             i++) {
            struct npart__buffer line = {.arena = page->arena};
            if ((pass == 1 && is_alone && npart__stops_loading(page, &finding)) || count++ >= most)
                continue;
            npart__append_format(&line, *finding.at ? "%s (%s)" : "%s", finding.text, finding.at);
            npart__put_made_field(page, count == 1 ? "Note" : "", &line, page->options->is_verbose ? 0 : 1);
        }
    if (count > most)
        npart__append_format(page->out, "%*sand %u more: -v\n", (int)NPART__TEXT_COLUMN, "", count - most);
}

/* What stands in parentheses are versions and chips; --verbose has them. */
static void add_standing(struct npart__page *page, const char *standing, struct npart__buffer *line)
{
    bool is_inside = false;
    for (const char *at = standing; *at; at++) {
        is_inside |= *at == '(' && !page->options->is_verbose;
        if (!is_inside && !(*at == ' ' && at[1] == '(' && !page->options->is_verbose))
            npart__append(line, at, 1);
        is_inside &= *at != ')';
    }
}

/* What the rules come from, how far they are verified, and what the mark of estimates means. */
void npart__put_checked(struct npart__page *page, const struct npart_plan_pair *pair)
{
    struct npart_recommendation worth = {.size = sizeof worth, .time = {-1, -1, -1}, .cpu = {-1, -1, -1}};
    struct npart__buffer line = {.arena = page->arena};
    const char *standing = page->info.verified;
    if (page->options->is_verbose)
        npart__append_text(&line, page->info.toolchain);
    npart__append_text(&line, line.size && *standing ? "; " : "");
    add_standing(page, standing, &line);
    (void)npart_advice_recommendation(pair->advice, &worth);
    if (worth.time.typical_ms >= 0 || worth.cpu.typical_ms >= 0) {
        npart__append_format(&line, "%s~ estimated, ", line.size ? "; " : "");
        if (page->cost.is_calibrated)
            npart__append_text(&line, "not measured");
        else if (page->cost.held_out_error >= 0)
            npart__append_format(&line, "%.0f %% off on other networks", 100 * page->cost.held_out_error);
        else
            npart__append_text(&line, "from assumed speeds");
    }
    if (worth.cpu.typical_ms >= 0 && page->cost.is_cpu_measured)
        npart__append_text(&line, "; CPU measured");
    if (line.size)
        npart__put_field(page, "Checked", NPART__DIM, npart__buffer_text(&line), 0);
    npart__buffer_release(&line);
}
