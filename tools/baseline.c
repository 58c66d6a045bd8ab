/* SPDX-License-Identifier: Apache-2.0
 *
 * A baseline is written by hand, number by number, so that equal sides give equal bytes with every release of jansson.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "side.h"

static int compare_sides(const void *a, const void *b)
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

static bool is_left(const struct npart_side_node *node)
{
    return node->verdict == NPART_VERDICT_CPU || node->verdict == NPART_VERDICT_FAIL ||
           node->verdict == NPART_VERDICT_UNKNOWN;
}

/* `places` gets by node its place among those that are listed. */
static bool put_nodes(FILE *file, const struct npart_side *side, uint32_t *places)
{
    uint32_t count = 0;
    bool is_ok = true;
    for (uint32_t i = 0; is_ok && i < side->node_count; i++) {
        const struct npart_side_node *node = &side->nodes[i];
        uint32_t name = node->name && *node->name ? npart_name_hash(node->name) : node->name_hash;
        places[i] = NPART_NONE;
        if (!is_left(node))
            continue;
        is_ok = put_text(file, count ? ",[" : "[", node->op);
        (void)fprintf(file, ",\"%s\",", npart_verdict_text(node->verdict));
        put_count(file, "", node->cause);
        (void)fprintf(file, ",\"%08x%08x%08x%08x\",\"%08x\"]", (unsigned)node->up, (unsigned)node->down,
                      (unsigned)node->around, (unsigned)node->itself, (unsigned)name);
        places[i] = count++;
    }
    return is_ok;
}

static bool put_causes(FILE *file, const struct npart_side *side, const uint32_t *places)
{
    bool is_ok = true;
    for (uint32_t i = 0; is_ok && i < side->cause_count; i++) {
        const struct npart_side_cause *cause = &side->causes[i];
        bool is_first = true;
        is_ok = put_text(file, i ? ",{\"kind\":" : "{\"kind\":", cause->kind) &&
                put_text(file, ",\"rule\":", cause->rule) && put_text(file, ",\"text\":", cause->text);
        (void)fprintf(file, ",\"victims\":%u,\"nodes\":[", cause->affected_count);
        for (uint32_t k = 0; k < cause->node_count; k++)
            if (places[cause->nodes[k]] != NPART_NONE) {
                (void)fprintf(file, "%s%u", is_first ? "" : ",", places[cause->nodes[k]]);
                is_first = false;
            }
        (void)fprintf(file, "]}");
    }
    return is_ok;
}

/* The order of members is that of a report; `left` stands for `nodes`. */
static bool put_side(FILE *file, const struct npart_side *side)
{
    uint32_t *places = calloc(side->node_count + (size_t)1, sizeof *places);
    size_t length = strcspn(side->target, ":+");
    char *list = malloc(length + 1);
    bool is_ok = places && list;
    if (list) {
        memcpy(list, side->target, length);
        list[length] = '\0';
    }
    is_ok = is_ok && put_text(file, side->is_invalid ? "{\"baseline\":1,\"findings\":[{\"code\":\"invalid\"}],"
                                                       "\"model\":{\"path\":"
                                                     : "{\"baseline\":1,\"model\":{\"path\":",
                              side->model) &&
            put_text(file, "},\"targets\":[{\"target\":", list) && put_text(file, ",\"name\":", side->target) &&
            put_text(file, ",\"toolchain\":", side->toolchain);
    (void)fprintf(file, ",\"summary\":");
    is_ok = is_ok && put_summary(file, &side->summary);
    put_figures(file, side);
    (void)fprintf(file, "},\"left\":[");
    is_ok = is_ok && put_nodes(file, side, places);
    (void)fprintf(file, "],\"causes\":[");
    is_ok = is_ok && put_causes(file, side, places);
    (void)fprintf(file, "]}]}\n");
    free(places);
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
        is_ok = put_side(file, sorted[i]);
    free(sorted);
    return is_ok && !ferror(file);
}
