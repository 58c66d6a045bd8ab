/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plan takes of memory: a line or two, and with --verbose the layers that do not fit on the chip.
 */
#include "report/page.h"

/* The rest is in JSON. */
#define LAYERS_SHOWN 10u

/* A sum that lacks something is a lower bound only. A reader would take it for the whole, so it is not shown. */
static void add_sum(struct npart__buffer *line, struct npart_bytes at)
{
    if (at.is_partial)
        npart__append_text(line, "unknown");
    else
        npart__append_bytes(line, at.bytes);
}

/* With partitions, three figures that do not add up: the largest partition on the NPU, what the plan leaves to the
 * CPU, and what the whole model would take on the CPU. Each is the peak of its own side, at a moment of its own.
 * Where the last one is not known, as with dynamic sizes, it alone is told. */
static void add_activations(struct npart__buffer *line, const struct npart_memory *at, bool has_partitions,
                            const char *on_unit)
{
    npart__append_text(line, "; peak activations ");
    if (has_partitions && !at->peak.is_partial) {
        add_sum(line, at->peak_npu);
        npart__append_format(line, " %s, ", on_unit);
        add_sum(line, at->peak_cpu);
        npart__append_text(line, " on the CPU (");
        add_sum(line, at->peak);
        npart__append_text(line, " if all is on the CPU)");
        return;
    }
    add_sum(line, at->peak);
    npart__append_text(line, at->peak.is_partial ? "" : " on the CPU");
}

/* The buffer is empty afterwards, for the next line. */
static void put_line(struct npart__page *page, struct npart__buffer *line)
{
    npart__put(page, "     ");
    npart__wrapped(page, npart__buffer_text(line), 5, 7);
    npart__put(page, "\n");
    line->size = 0;
}

/* "3.75 GiB": memories have powers of two, and a limit is told as its maker tells it. */
static void append_amount(struct npart__buffer *out, uint64_t bytes, uint64_t count)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double amount = (double)bytes;
    size_t unit = 0;
    for (; amount >= 1024 && unit + 1 < NPART__COUNT(units); unit++)
        amount /= 1024;
    const unsigned decimals = unit == 0 || amount >= 100 ? 0 : amount >= 10 ? 1 : 2;
    if (count) {
        npart__append_count(out, count);
        return;
    }
    npart__append_fixed(out, amount, decimals);
    npart__append_format(out, " %s", units[unit]);
}

/* A sum of which something is missing and that is above the limit all the same is above it in any case: then "at least"
 * is said. */
void npart__append_limit(struct npart__buffer *out, const struct npart_memory_limit *at)
{
    static const struct {
        const char *what, *room;
    } words[] = {
        [NPART_LIMITED_FILE] = {"of model file", "protobuf takes"},
        [NPART_LIMITED_ONE_FILE] = {"with all weights in one file", "so they must stay in external data: a file takes"},
        [NPART_LIMITED_WEIGHTS] = {"of weights on the NPU", "room for"},
        [NPART_LIMITED_TENSORS] = {"of tensors in a partition", "room for"},
        [NPART_LIMITED_ACTIVATIONS] = {"of activations on the NPU", "room for"},
        [NPART_LIMITED_SESSION] = {"of weights and activations on the NPU", "room for"},
        [NPART_LIMITED_PARTITION_WEIGHTS] = {"of weights in one partition", "room for"},
        [NPART_LIMITED_PARTITIONS] = {"partitions", "a process holds"},
        [NPART_LIMITED_RAM] = {"of RAM", "there are"},
        [NPART_LIMITED_FLASH] = {"of flash", "there are"},
    };
    npart__append_text(out, out->size ? "; " : "");
    if (at->of >= NPART__COUNT(words)) /* of a later library */
        return;
    npart__append_text(out, npart__is_near_limit(at) ? "may not fit: " : "");
    npart__append_text(out, at->needed.is_partial && !at->needed_count ? "at least " : "");
    append_amount(out, at->needed.bytes, at->needed_count);
    npart__append_format(out, " %s, %s ", words[at->of].what, words[at->of].room);
    append_amount(out, at->limit_bytes, at->limit_count);
    npart__append_text(out, npart__is_near_limit(at) ? " or more" : "");
}

bool npart__is_near_limit(const struct npart_memory_limit *at)
{
    return at->fits == NPART_FIT_UNKNOWN &&
           (at->needed.bytes > at->limit_bytes || at->needed_count > at->limit_count);
}

/* What has no room, or may have none. */
static void put_limits(struct npart__page *page, struct npart__buffer *line, const struct npart_memory *at)
{
    for (uint32_t i = 0; i < at->limit_count; i++) {
        if (at->limits[i].fits != NPART_FIT_NO && !npart__is_near_limit(&at->limits[i]))
            continue;
        npart__append_limit(line, &at->limits[i]);
        put_line(page, line);
    }
}

/* "node 3 (Gemm fc1): weights 67.1 MB, activations 20.5 kB; weights read 4 times". The largest weights come first
 * (npart_memory), so the ten that are shown are the ones that matter. Activations count operands and results of the
 * node. */
static void put_layers(struct npart__page *page, struct npart__buffer *line, const struct npart_memory *at)
{
    char place[160];
    npart__append_bytes(line, at->onchip_bytes);
    npart__append_format(line, " on the chip%s: %u node%s with weights %s not fit as a whole",
                         at->is_onchip_assumed ? " (assumed)" : "", at->layer_count, at->layer_count == 1 ? "" : "s",
                         at->layer_count == 1 ? "does" : "do");
    put_line(page, line);
    for (uint32_t i = 0; i < at->layer_count && i < LAYERS_SHOWN; i++) {
        const struct npart_layer *layer = &at->layers[i];
        (void)npart_model_node_text(page->model, layer->node, place, sizeof place);
        npart__append_format(line, "%s: weights ", place);
        npart__append_bytes(line, layer->weight_bytes);
        npart__append_text(line, ", activations ");
        npart__append_bytes(line, layer->activation_bytes);
        /* Of the three formats two leave their argument unused, which C allows. */
        npart__append_format(line, layer->passes == 0   ? "; no tile of it fits"
                             : layer->passes == 1 ? "; weights read once"
                                                     : "; weights read %llu times",
                             (unsigned long long)layer->passes);
        put_line(page, line);
    }
    if (at->layer_count > LAYERS_SHOWN)
        npart__append_format(page->out, "     and %u more (--format json)\n", at->layer_count - LAYERS_SHOWN);
}

/* "Memory: weights 13.9 MB (13.9 MB on the NPU); peak activations ...". Weights are those of the whole model, as
 * the file has them. On the NPU they are as it holds them, and once for each partition that uses them, so the second
 * figure may be the larger one. A model of which nothing is live has no such line. */
void npart__put_memory(struct npart__page *page)
{
    struct npart_memory at = {.size = sizeof at};
    struct npart__buffer line;
    if (!npart_plan_memory(page->plan, &at) || page->summary.live == 0)
        return;
    npart__buffer_init(&line, page->arena);
    npart__append_text(&line, "weights ");
    npart__append_bytes(&line, at.weight_bytes);
    if (page->summary.partitions) {
        npart__append_text(&line, " (");
        add_sum(&line, at.weights_npu);
        npart__append_format(&line, " %s)", page->info.on_unit);
    }
    add_activations(&line, &at, page->summary.partitions > 0, page->info.on_unit);
    if (at.cache_tensor_count && !at.cache_per_token.is_partial) {
        npart__append_text(&line, "; cache ");
        npart__append_bytes(&line, at.cache_per_token.bytes);
        npart__append_text(&line, " a token");
    }
    npart__put(page, "  Memory: ");
    npart__wrapped(page, npart__buffer_text(&line), 10, 5);
    npart__put(page, "\n");
    line.size = 0;
    put_limits(page, &line, &at);
    if (page->options->is_verbose && at.onchip_bytes && page->summary.partitions)
        put_layers(page, &line, &at);
    npart__buffer_release(&line);
}
