/* SPDX-License-Identifier: Apache-2.0
 *
 * A placement for people: a table of the parts, what passes between them, what all of it costs,
 * and in the last line what to do.
 */
#include "report/page.h"

/* What fits on one screen; --verbose shows all. */
#define NOTES_SHOWN 4u
#define MOST_NAME_COLUMNS 34u

/* By enum npart_device; the last one stands for NPART_DEVICES. */
static const char *const device_names[NPART_DEVICES + 1] = {"NPU", "CPU", "GPU", "not known"};

/* A line that is written apart first, since it is measured or wrapped as a whole. */
struct line {
    struct npart__page page; /* whose output it is */
    struct npart__buffer buffer;
};

static void begin_line(struct line *line, const struct npart__page *page)
{
    line->page = *page;
    npart__buffer_init(&line->buffer, page->arena);
    line->page.out = &line->buffer;
}

/* Wrapped, after `label`. */
static void end_line(struct npart__page *page, struct line *line, const char *label, uint32_t indent)
{
    npart__put(page, label);
    npart__wrapped(page, npart__buffer_text(&line->buffer), (uint32_t)strlen(label), indent);
    npart__put(page, "\n");
    npart__buffer_release(&line->buffer);
}

/* ---- parts -------------------------------------------------------------------------------------------------- */

/* Of a name that is too long its end, which tells parts apart. Bytes are taken off at the front until the rest and
 * three dots fit, and then what is left of a character. A step measures all that is left, so this is quadratic in
 * the length of a name, which is a path. */
static void put_padded(struct npart__page *page, const char *text, size_t columns)
{
    size_t shown = npart__shown_columns(page, text, strlen(text));
    if (shown > columns) {
        while (npart__shown_columns(page, text, strlen(text)) > columns - 3 || ((unsigned char)*text & 0xc0) == 0x80)
            text++;
        npart__put(page, "...");
    }
    npart__put_text(page, text);
    npart__append_format(page->out, "%*s", shown < columns ? (int)(columns - shown) : 0, "");
}

/* What all runs take, right of what one takes: "decoder.onnx:decode  128  NPU  1.70  218". Costs are those of the
 * part's device, and are left out where that is not known. "undecided" says that another device may be better within
 * the ranges; the figures are then those of the device by which the set costs least. */
static void put_row(struct npart__page *page, const struct npart_part *part, size_t columns)
{
    const char *device = part->is_decided || part->device == NPART_DEVICES ? device_names[part->device] : "undecided";
    npart__put(page, "  ");
    npart__paint(page, NPART__BOLD);
    put_padded(page, part->name, columns);
    npart__paint(page, "0");
    npart__append_format(page->out, " %8llu  %s", (unsigned long long)part->runs, device);
    if (part->device < NPART_DEVICES && part->has_cost[part->device]) {
        struct npart__buffer all;
        struct npart__page apart = *page;
        npart__buffer_init(&all, page->arena);
        apart.out = &all;
        npart__put_milliseconds(&apart, part->cost[part->device].typical_ms);
        npart__append_format(page->out, "%*s  %8s", (int)(9 - strlen(device)), "", npart__buffer_text(&all));
        npart__buffer_release(&all);
        npart__put_milliseconds(&apart, part->cost[part->device].typical_ms * (double)part->runs);
        npart__append_format(page->out, " %10s", npart__buffer_text(&all));
        npart__buffer_release(&all);
    }
    npart__put(page, "\n");
}

/* What each device would take, which is why the placement is as it is; then weights and the plan, and sizes that
 * were chosen because the model leaves them open ("with sequence=128"). */
static void put_details(struct npart__page *page, const struct npart_part *part)
{
    struct line line;
    bool is_first = true;
    begin_line(&line, page);
    for (enum npart_device d = 0; d < NPART_DEVICES; d++) {
        if (!part->has_cost[d])
            continue;
        npart__append_format(&line.buffer, "%s%s ", is_first ? "" : ", ", device_names[d]);
        npart__put_span(&line.page, part->cost[d], true);
        is_first = false;
    }
    npart__put(&line.page, is_first || !*part->why ? "" : "; ");
    npart__put(&line.page, part->why);
    end_line(page, &line, "    ", 4);
    begin_line(&line, page);
    npart__append_bytes(&line.buffer, part->weight_bytes);
    npart__put(&line.page, " of weights");
    /* Coverage of what does not compile would be a promise that is not kept. */
    if (part->partitions && part->verdict != NPART_PLAN_FAILS) {
        npart__append_format(&line.buffer, "; %u partition%s, ", part->partitions, part->partitions == 1 ? "" : "s");
        npart__append_fixed(&line.buffer, part->coverage * 100, 1);
        npart__put(&line.page, " % of nodes");
    }
    if (part->cache_slots)
        npart__append_format(&line.buffer, "; a cache of %llu slots, %llu new token%s a run",
                             (unsigned long long)part->cache_slots, (unsigned long long)part->cache_tokens,
                             part->cache_tokens == 1 ? "" : "s");
    for (uint32_t i = 0; !part->cache_slots && i < part->dim_count; i++)
        npart__append_format(&line.buffer, "%s%s=%lld", i ? ", " : "; with ", part->dims[i].name,
                             (long long)part->dims[i].size);
    end_line(page, &line, "    ", 4);
}

/* What the model is by itself, and the line to paste that makes what is placed; once for both uses of a decoder. */
static void put_fix(struct npart__page *page, const npart_placement *placement, const struct npart_placement_info *info,
                    uint32_t index)
{
    const struct npart_part *part = info->parts[index];
    const struct npart_action action = {.size = sizeof action, .run = part->run, .run_count = part->run_count};
    bool is_last = index + 1 == info->part_count || info->parts[index + 1]->run != part->run;
    struct npart_summary alone = {.size = sizeof alone};
    struct npart_plan_pair plans;
    struct line line;
    if (!part->run || !is_last || !npart_placement_plans(placement, index, &plans))
        return;
    (void)npart_plan_summary(plans.plan, &alone);
    begin_line(&line, page);
    npart__append_format(&line.buffer, "as it is its cache grows: %u partition%s, ", alone.partitions,
                         alone.partitions == 1 ? "" : "s");
    npart__append_fixed(&line.buffer, alone.coverage * 100, 1);
    npart__put(&line.page, " % of nodes; a fixed size, and the host keeps it, after");
    end_line(page, &line, "    ", 4);
    npart__put(page, "      ");
    npart__put_run(page, &action, 6, NULL);
}

/* As wide as the longest name, but no wider than MOST_NAME_COLUMNS; "part" of the heading has four columns. */
static void put_parts(struct npart__page *page, const npart_placement *placement,
                      const struct npart_placement_info *info)
{
    size_t columns = 4;
    for (uint32_t i = 0; i < info->part_count; i++) {
        size_t wanted = npart__shown_columns(page, info->parts[i]->name, strlen(info->parts[i]->name));
        columns = wanted > columns ? wanted : columns;
    }
    columns = columns > MOST_NAME_COLUMNS ? MOST_NAME_COLUMNS : columns;
    npart__put(page, "\n");
    npart__paint(page, NPART__DIM);
    npart__append_format(page->out, "  %-*s %8s  %-9s  %8s %10s\n", (int)columns, "part", "runs", "device", "ms a run",
                         "ms in all");
    npart__paint(page, "0");
    for (uint32_t i = 0; i < info->part_count; i++) {
        put_row(page, info->parts[i], columns);
        put_details(page, info->parts[i]);
        put_fix(page, placement, info, i);
    }
}

/* ---- links -------------------------------------------------------------------------------------------------- */

/* Links with the same ends of the same kind are told as one. Of a decoder's cache there are two tensors for each
 * layer. `bytes` are those of one passing of all of them, and known only where `has_bytes`; `first` is the link
 * that stands for the others. */
struct bundle {
    const struct npart_link *first;
    uint32_t count;
    uint64_t bytes;
    bool has_bytes;
    struct npart_cost_range cost;
};

static bool is_like(const struct npart_link *a, const struct npart_link *b)
{
    return a->from == b->from && a->to == b->to && a->crosses == b->crosses && a->kind == b->kind;
}

/* Sizes come from the models and may be as large as they like, so the sum ends at the largest number. */
static void add_to_bundle(struct bundle *bundle, const struct npart_link *link)
{
    bundle->count++;
    bundle->has_bytes &= link->has_bytes;
    bundle->bytes = bundle->bytes > UINT64_MAX - link->bytes ? UINT64_MAX : bundle->bytes + link->bytes;
    bundle->cost.low_ms += link->cost.low_ms;
    bundle->cost.typical_ms += link->cost.typical_ms;
    bundle->cost.high_ms += link->cost.high_ms;
}

/* "encoder.onnx to decoder.onnx: `hidden` as `encoder_hidden_states`, 1.5 MB, 128 times; transferred from NPU to
 * CPU, 0.40 ms (0.20 to 0.80) in all". The names are outside text, which is made harmless when the line is wrapped. */
static void put_bundle(struct npart__page *page, const struct npart_placement_info *info, const struct bundle *bundle)
{
    const struct npart_link *link = bundle->first;
    const struct npart_part *from = info->parts[link->from], *to = info->parts[link->to];
    bool is_known = from->device < NPART_DEVICES && to->device < NPART_DEVICES;
    struct line line;
    begin_line(&line, page);
    npart__append_format(&line.buffer, "%s to %s: ", from->name, from == to ? "its next run" : to->name);
    if (bundle->count > 1)
        npart__append_format(&line.buffer, "%u tensors from `%s` on, ", bundle->count, link->output);
    else
        npart__append_format(&line.buffer, strcmp(link->output, link->input) == 0 ? "`%s`, " : "`%s` as `%s`, ",
                             link->output, link->input);
    if (bundle->has_bytes)
        npart__append_bytes(&line.buffer, bundle->bytes);
    else
        npart__put(&line.page, "size not known");
    npart__put(&line.page, link->origin == NPART_FROM_SHAPE ? " (found by its shape)" : "");
    if (link->times > 1)
        npart__append_format(&line.buffer, ", %llu times", (unsigned long long)link->times);
    if (link->kind == NPART_LINK_APPLICATION) {
        npart__put(&line.page, "; through the application, on the CPU");
    } else if (!is_known) {
        npart__put(&line.page, "; a device is not known");
    } else if (!link->crosses) {
        npart__append_format(&line.buffer, "; stays on the %s", device_names[from->device]);
    } else {
        npart__append_format(&line.buffer, "; transferred from %s to %s", device_names[from->device],
                             device_names[to->device]);
        if (bundle->cost.high_ms > 0) { /* else another link pays for it */
            npart__put(&line.page, ", ");
            npart__put_span(&line.page, bundle->cost, true);
            npart__put(&line.page, " in all");
        }
    }
    end_line(page, &line, "    ", 6);
}

/* Links times bundles, of which there are few: a bundle is one pair of parts and a kind. */
static void put_links(struct npart__page *page, const struct npart_placement_info *info)
{
    struct bundle *bundles = npart__arena_zeroed(page->arena, info->link_count + (size_t)1, sizeof *bundles);
    uint32_t count = 0;
    for (uint32_t i = 0; bundles && i < info->link_count; i++) {
        uint32_t at = 0;
        while (at < count && !is_like(bundles[at].first, info->links[i]))
            at++;
        if (at == count)
            bundles[count++] = (struct bundle){.first = info->links[i], .has_bytes = true};
        add_to_bundle(&bundles[at], info->links[i]);
    }
    if (count)
        npart__put(page, "  Between the parts (buffers are bound: what stays is not copied)\n");
    else if (info->part_count > 1)
        npart__put(page, "  No part is known to take a tensor of another (--link)\n");
    for (uint32_t i = 0; i < count; i++)
        put_bundle(page, info, &bundles[i]);
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */

/* Bit for bit: the same assignment is costed in the same way. */
static bool is_same_range(const struct npart_cost_range *a, const struct npart_cost_range *b)
{
    return a->low_ms == b->low_ms && a->typical_ms == b->typical_ms && a->high_ms == b->high_ms;
}

/* "1.1 GB all together; one at a time at most 620 MB, and loading all takes 2.1 s", and whether there is room. */
static void put_memory(struct npart__page *page, const struct npart_placement_info *info)
{
    bool is_asked = info->ram_bytes[1] > 0, is_more = info->part_count > 1 && !info->largest.is_partial;
    struct line line;
    if (info->resident.is_partial && info->fits != NPART_FIT_NO)
        return;
    begin_line(&line, page);
    if (is_asked)
        npart__put(&line.page, info->fits == NPART_FIT_YES  ? "fits: "
                               : info->fits == NPART_FIT_NO ? "DOES NOT FIT: "
                                                            : "may not fit: ");
    npart__put(&line.page, info->resident.is_partial ? "at least " : "");
    npart__append_bytes(&line.buffer, info->resident.bytes);
    npart__put(&line.page, info->part_count > 1 ? " for all sessions together" : "");
    if (is_asked) {
        npart__put(&line.page, ", there are ");
        npart__append_bytes(&line.buffer, info->ram_bytes[0]);
        npart__put(&line.page, info->ram_bytes[1] > info->ram_bytes[0] ? " or more" : "");
    }
    if (is_more) {
        npart__put(&line.page, "; one at a time at most ");
        npart__append_bytes(&line.buffer, info->largest.bytes);
        if (info->load_ms > 0) {
            npart__put(&line.page, ", and loading all takes ");
            npart__append_estimate(&line.buffer, info->load_ms);
        }
    }
    end_line(page, &line, "  Memory: ", 4);
}

/* The two alternatives are those that need no thinking: all on the CPU, and on the NPU what can be. Where the
 * placement is one of them it is not told twice. */
static void put_total(struct npart__page *page, const struct npart_placement_info *info)
{
    static const char *const names[] = {"as placed ", "wholly on the CPU ", "on the NPU as far as possible "};
    const struct npart_cost_range ranges[] = {info->total, info->cpu, info->npu};
    const bool has[] = {info->has_total, info->has_cpu, info->has_npu};
    struct line line;
    bool is_first = true;
    begin_line(&line, page);
    for (size_t i = 0; i < NPART__COUNT(names); i++) {
        /* What is the same as the placement says nothing more. */
        if (!has[i] || (i > 0 && has[0] && is_same_range(&ranges[i], &ranges[0])))
            continue;
        npart__put(&line.page, is_first ? "" : "; ");
        npart__put(&line.page, names[i]);
        npart__put_span(&line.page, ranges[i], true);
        is_first = false;
    }
    npart__put(&line.page, is_first ? "not known" : info->is_calibrated ? "" : "; uncalibrated");
    if (info->first_token_ms >= 0) {
        npart__put(&line.page, "; first token ");
        npart__append_estimate(&line.buffer, info->first_token_ms);
    }
    if (info->tokens_per_s >= 0) {
        npart__put(&line.page, info->first_token_ms >= 0 ? ", then ~" : "; ~");
        npart__append_rate(&line.buffer, info->tokens_per_s);
        npart__put(&line.page, " tokens/s");
    }
    end_line(page, &line, "  One run of the set: ", 4);
    begin_line(&line, page);
    is_first = true;
    for (enum npart_device d = 0; d < NPART_DEVICES; d++) {
        if (!info->weight_bytes[d])
            continue;
        npart__put(&line.page, is_first ? "" : ", ");
        npart__append_bytes(&line.buffer, info->weight_bytes[d]);
        npart__append_format(&line.buffer, " on the %s", device_names[d]);
        is_first = false;
    }
    npart__put(&line.page, is_first ? "none" : "");
    end_line(page, &line, "  Weights: ", 4);
    put_memory(page, info);
}

/* A placement of many parts is found by single changes rather than by comparing every assignment, which is said in
 * any case. */
static void put_notes(struct npart__page *page, const struct npart_placement_info *info)
{
    uint32_t most = page->options->is_verbose ? NPART_NONE : NOTES_SHOWN;
    for (uint32_t i = 0; i < info->note_count && i < most; i++) {
        npart__painted(page, NPART__DIM, "  note  ");
        npart__wrapped(page, info->notes[i], 8, 8);
        npart__put(page, "\n");
    }
    if (info->note_count > most)
        npart__append_format(page->out, "        and %u more (--verbose, or --format json)\n", info->note_count - most);
    if (!info->is_exact)
        npart__put(page, "  note  too many parts to compare every assignment; single changes were\n");
}

/* There is no plan at hand, so nothing here may ask the page for one. */
void npart__placement_text(struct npart__report *report)
{
    struct npart__page turned, *page = npart__page_open(&turned, report);
    struct npart_placement_info info = {.size = sizeof info};
    (void)npart_placement_info(report->subject->placement, &info);
    npart__paint(page, NPART__BOLD);
    npart__put_text(page, info.target);
    npart__paint(page, "0");
    npart__put(page, "  ");
    npart__wrapped(page, info.title, (uint32_t)npart__shown_columns(page, info.target, strlen(info.target)) + 2, 5);
    npart__put(page, "\n");
    put_parts(page, report->subject->placement, &info);
    put_links(page, &info);
    put_total(page, &info);
    put_notes(page, &info);
    npart__painted(page, NPART__BOLD, "  Do    ");
    npart__wrapped(page, info.recommendation, 8, 8);
    npart__put(page, "\n");
}
