/* SPDX-License-Identifier: Apache-2.0
 *
 * The cache beside a baseline: all that a comparison needs. It is written by hand, number by number, so that
 * equal sides give equal bytes with every release of jansson.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "baseline_words.h"
#include "side.h"

int compare_sides(const void *a, const void *b)
{
    const struct npart_side *x = *(const struct npart_side *const *)a, *y = *(const struct npart_side *const *)b;
    int order = strcmp(x->model, y->model);
    if (order == 0)
        order = strcmp(x->target, y->target);
    return order ? order : strcmp(x->toolchain, y->toolchain);
}

/* JSON is UTF-8. What is none is told byte by byte, so that two texts never become one. NULL: out of memory. */
static json_t *make_string(const char *text)
{
    json_t *value = json_string(text);
    size_t bytes = value ? SIZE_MAX : npart_plain_text(text, NULL, 0);
    char *plain = bytes == SIZE_MAX ? NULL : malloc(bytes + 1);
    if (plain) {
        (void)npart_plain_text(text, plain, bytes + 1);
        value = json_string(plain);
    }
    free(plain);
    return value;
}

char *baseline_path(const char *path)
{
    json_t *value = make_string(path);
    size_t bytes = json_string_length(value) + 1;
    char *text = value ? malloc(bytes) : NULL;
    if (text)
        memcpy(text, json_string_value(value), bytes);
    json_decref(value);
    return text;
}

/* A text in quotes; false when out of memory. */
static bool put_text(FILE *file, const char *before, const char *text)
{
    json_t *value = make_string(text ? text : "");
    char *quoted = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
    if (quoted)
        (void)fprintf(file, "%s%s", before, quoted);
    free(quoted);
    json_decref(value);
    return quoted != NULL;
}

/* Microseconds, written as a decimal of milliseconds in any locale; null for what is not known. */
static void put_milliseconds(FILE *file, const char *before, double ms)
{
    if (ms < 0 || !(ms < 1e12)) {
        (void)fprintf(file, "%snull", before);
        return;
    }
    unsigned long long us = (unsigned long long)(ms * 1000 + 0.5);
    (void)fprintf(file, "%s%llu.%03llu", before, us / 1000, us % 1000);
}

static void put_range(FILE *file, const char *before, struct npart_cost_range range)
{
    if (range.typical_ms < 0) {
        (void)fprintf(file, "%snull", before);
        return;
    }
    (void)fprintf(file, "%s", before);
    put_milliseconds(file, "[", range.low_ms);
    put_milliseconds(file, ",", range.typical_ms);
    put_milliseconds(file, ",", range.high_ms);
    (void)fprintf(file, "]");
}

static void put_share(FILE *file, const char *before, bool is_known, double share)
{
    unsigned millionths = (unsigned)((share > 0 ? share < 1 ? share : 1 : 0) * 1e6 + 0.5);
    if (is_known)
        (void)fprintf(file, "%s%u.%06u", before, millionths / 1000000, millionths % 1000000);
    else
        (void)fprintf(file, "%snull", before);
}

static void put_bytes(FILE *file, const char *before, uint64_t bytes)
{
    if (bytes > INT64_MAX)
        (void)fprintf(file, "%snull", before);
    else
        (void)fprintf(file, "%s%llu", before, (unsigned long long)bytes);
}

static void put_count(FILE *file, const char *before, uint32_t count)
{
    put_bytes(file, before, count == NPART_NONE ? UINT64_MAX : count);
}

static bool put_summary(FILE *file, const struct npart_summary *at)
{
    (void)fprintf(file, "{\"nodes\":%u,\"folded\":%u,\"live\":%u,\"accepted\":%u,\"refused\":%u,\"failed\":%u,"
                  "\"unknown\":%u,\"partitions\":%u",
                  at->nodes, at->folded, at->live, at->accepted, at->refused, at->failed, at->unknown, at->partitions);
    put_share(file, ",\"coverage\":", true, at->coverage);
    put_bytes(file, ",\"macs\":", at->has_macs ? at->macs : UINT64_MAX);
    put_bytes(file, ",\"macs_on_npu\":", at->has_macs ? at->macs_on_npu : UINT64_MAX);
    put_share(file, ",\"mac_coverage\":", at->has_macs && at->macs, at->mac_coverage);
    return put_text(file, ",\"verdict\":", npart_plan_verdict_text(at->verdict));
}

static void put_figures(FILE *file, const struct npart_side *side)
{
    put_milliseconds(file, "},\"cost\":{\"low_ms\":", side->cost.low_ms);
    put_milliseconds(file, ",\"typical_ms\":", side->cost.typical_ms);
    put_milliseconds(file, ",\"high_ms\":", side->cost.high_ms);
    put_range(file, ",\"alternatives\":{\"npu_whole\":", side->npu_whole);
    put_bytes(file, "}},\"memory\":{\"weight_bytes\":", side->weight_bytes);
    put_bytes(file, ",\"weight_bytes_npu\":", side->npu_weight_bytes);
    put_bytes(file, ",\"activation_peak_bytes\":", side->peak_bytes);
    put_bytes(file, ",\"activation_peak_bytes_npu\":", side->npu_peak_bytes);
    put_count(file, ",\"off_chip\":", side->off_chip);
    put_count(file, ",\"limits_passed\":", side->limits);
}

/* Numbers in digits of 64, the first one first: a node takes 37 bytes, whatever it is. */
static void put_digits(FILE *file, uint32_t number, unsigned width)
{
    while (width--)
        (void)fputc(BASELINE_DIGITS[number >> 6 * width & 63], file);
}

/* Up to three digits; the last number stands for all that have no place. */
static uint32_t small(uint32_t number)
{
    return number < BASELINE_NONE ? number : BASELINE_NONE;
}

static uint32_t *find_op(json_t *places, const char *op, uint32_t *numbers, uint32_t *count)
{
    json_t *place = json_object_get(places, op);
    uint32_t at = place ? (uint32_t)json_integer_value(place) : *count;
    if (!place && json_object_set_new(places, op, json_integer(at)) != 0)
        return NULL;
    *count += !place;
    numbers[at] = at;
    return &numbers[at];
}

/* The operators, each once, then all nodes as numbers. */
static bool put_nodes(FILE *file, const struct npart_side *side)
{
    uint32_t count = 0, told = 0;
    json_t *places = json_object();
    uint32_t *numbers = calloc(side->node_count + (size_t)1, sizeof *numbers);
    uint32_t *ops = calloc(side->node_count + (size_t)1, sizeof *ops);
    bool is_ok = places && numbers && ops;
    for (uint32_t i = 0; is_ok && i < side->node_count; i++) {
        json_t *op = make_string(side->nodes[i].op ? side->nodes[i].op : "");
        const uint32_t *place = op ? find_op(places, json_string_value(op), numbers, &count) : NULL;
        json_decref(op);
        is_ok = place != NULL;
        ops[i] = place ? *place : 0;
        if (is_ok && count > told)
            is_ok = put_text(file, told++ ? "," : "", side->nodes[i].op);
    }
    (void)fprintf(file, "],\"packed\":\"");
    for (uint32_t i = 0; is_ok && i < side->node_count; i++) {
        const struct npart_side_node *node = &side->nodes[i];
        uint32_t name = node->name && *node->name ? npart_name_hash(node->name) : node->name_hash;
        const uint32_t hashes[] = {node->up, node->down, node->around, node->itself, name};
        put_digits(file, small(ops[i]), 3);
        put_digits(file, (uint32_t)node->verdict, 1);
        put_digits(file, small(node->cause), 3);
        for (size_t k = 0; k < sizeof hashes / sizeof *hashes; k++)
            put_digits(file, hashes[k], 6);
    }
    (void)fprintf(file, "\"");
    json_decref(places);
    free(numbers);
    free(ops);
    return is_ok;
}

static bool put_causes(FILE *file, const struct npart_side *side)
{
    bool is_ok = true;
    for (uint32_t i = 0; is_ok && i < side->cause_count; i++) {
        const struct npart_side_cause *cause = &side->causes[i];
        is_ok = put_text(file, i ? ",{\"kind\":" : "{\"kind\":", cause->kind) &&
                put_text(file, ",\"rule\":", cause->rule) && put_text(file, ",\"text\":", cause->text);
        (void)fprintf(file, ",\"victims\":%u,\"nodes\":[", cause->affected_count);
        for (uint32_t k = 0; k < cause->node_count; k++)
            (void)fprintf(file, "%s%u", k ? "," : "", cause->nodes[k]);
        (void)fprintf(file, "]}");
    }
    return is_ok;
}

/* The order of members is that of a report; `packed` stands for `nodes`. */
static bool put_side(FILE *file, const struct npart_side *side)
{
    size_t length = strcspn(side->target, ":+");
    char *list = malloc(length + 1);
    bool is_ok = list != NULL;
    if (list) {
        memcpy(list, side->target, length);
        list[length] = '\0';
    }
    is_ok = is_ok && put_text(file, side->is_invalid ? "{\"baseline\":2,\"findings\":[{\"code\":\"invalid\"}],"
                                                       "\"model\":{\"path\":"
                                                     : "{\"baseline\":2,\"model\":{\"path\":",
                              side->model) &&
            put_text(file, "},\"targets\":[{\"target\":", list) && put_text(file, ",\"name\":", side->target) &&
            put_text(file, ",\"toolchain\":", side->toolchain);
    (void)fprintf(file, ",\"summary\":");
    is_ok = is_ok && put_summary(file, &side->summary);
    put_figures(file, side);
    (void)fprintf(file, "},\"listing\":\"%s\",\"ops\":[", side->listing == NPART_LISTING_LEFT ? "left" : "all");
    is_ok = is_ok && put_nodes(file, side);
    (void)fprintf(file, ",\"causes\":[");
    is_ok = is_ok && put_causes(file, side);
    (void)fprintf(file, "]}]}\n");
    free(list);
    return is_ok;
}

bool write_baseline(FILE *file, const struct npart_side *const *sides, size_t count)
{
    const struct npart_side **sorted = calloc(count + 1, sizeof *sorted);
    bool is_ok = sorted != NULL;
    for (size_t i = 0; is_ok && i < count; i++)
        sorted[i] = sides[i];
    if (is_ok)
        qsort(sorted, count, sizeof *sorted, compare_sides);
    for (size_t i = 0; is_ok && i < count; i++)
        if (sorted[i]->listing != NPART_LISTING_NONE)
            is_ok = put_side(file, sorted[i]);
    free(sorted);
    return is_ok && !ferror(file);
}
