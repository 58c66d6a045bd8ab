/* SPDX-License-Identifier: Apache-2.0
 *
 * The cache beside a baseline: all that a comparison needs. It is written by hand, number by number, so that
 * equal sides give equal bytes with every release.
 */
#include <stdlib.h>

#include "gate/gate.h"

/* What the cache is written to, and its memory. */
struct cache {
    struct npart__arena arena;
    struct npart__buffer *out;
};

int npart__compare_sides(const void *a, const void *b)
{
    const struct npart_side *x = *(const struct npart_side *const *)a, *y = *(const struct npart_side *const *)b;
    int order = strcmp(x->model, y->model);
    if (order == 0)
        order = strcmp(x->target, y->target);
    return order ? order : strcmp(x->toolchain, y->toolchain);
}

const char *npart__as_utf8(const char *text, struct npart__arena *arena)
{
    struct npart__buffer plain;
    size_t bytes = 1;
    const char *at = text;
    while (bytes && *at)
        at += bytes = npart__character_bytes(at);
    if (!*at)
        return text;
    npart__buffer_init(&plain, arena);
    npart__append_plain(&plain, text, strlen(text));
    return npart__kept_text(&plain);
}

static unsigned code_of(const char *text, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)text;
    unsigned code = bytes == 1 ? at[0] : at[0] & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++)
        code = code << 6 | (at[i] & 0x3f);
    return code;
}

/* A text in quotes, of ASCII. */
static void put_text(struct cache *cache, const char *before, const char *text)
{
    static const char controls[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
    struct npart__buffer *out = cache->out;
    const char *at = npart__as_utf8(text ? text : "", &cache->arena);
    npart__append_text(out, before);
    npart__append_text(out, "\"");
    for (size_t bytes; at && *at; at += bytes) {
        bytes = npart__character_bytes(at);
        unsigned code = code_of(at, bytes);
        const char *control = strchr(controls, *at);
        if (control)
            npart__append_format(out, "\\%c", letters[control - controls]);
        else if (code >= 0x10000)
            npart__append_format(out, "\\u%04X\\u%04X", 0xd800 | (code - 0x10000) >> 10,
                                 0xdc00 | ((code - 0x10000) & 0x3ff));
        else if (code < 0x20 || code > 0x7f)
            npart__append_format(out, "\\u%04X", code);
        else
            npart__append(out, at, 1);
    }
    npart__append_text(out, "\"");
}

/* Microseconds, written as a decimal of milliseconds in any locale; null for what is not known. */
static void put_milliseconds(struct cache *cache, const char *before, double ms)
{
    if (ms < 0 || !(ms < 1e12)) {
        npart__append_format(cache->out, "%snull", before);
        return;
    }
    unsigned long long us = (unsigned long long)(ms * 1000 + 0.5);
    npart__append_format(cache->out, "%s%llu.%03llu", before, us / 1000, us % 1000);
}

static void put_range(struct cache *cache, const char *before, struct npart_cost_range range)
{
    if (range.typical_ms < 0) {
        npart__append_format(cache->out, "%snull", before);
        return;
    }
    npart__append_format(cache->out, "%s", before);
    put_milliseconds(cache, "[", range.low_ms);
    put_milliseconds(cache, ",", range.typical_ms);
    put_milliseconds(cache, ",", range.high_ms);
    npart__append_format(cache->out, "]");
}

static void put_share(struct cache *cache, const char *before, bool is_known, double share)
{
    unsigned millionths = (unsigned)((share > 0 ? share < 1 ? share : 1 : 0) * 1e6 + 0.5);
    if (is_known)
        npart__append_format(cache->out, "%s%u.%06u", before, millionths / 1000000, millionths % 1000000);
    else
        npart__append_format(cache->out, "%snull", before);
}

static void put_bytes(struct cache *cache, const char *before, uint64_t bytes)
{
    if (bytes > INT64_MAX)
        npart__append_format(cache->out, "%snull", before);
    else
        npart__append_format(cache->out, "%s%llu", before, (unsigned long long)bytes);
}

static void put_count(struct cache *cache, const char *before, uint32_t count)
{
    put_bytes(cache, before, count == NPART_NONE ? UINT64_MAX : count);
}

static void put_summary(struct cache *cache, const struct npart_summary *at)
{
    npart__append_format(cache->out,
                         "{\"nodes\":%u,\"folded\":%u,\"live\":%u,\"accepted\":%u,\"refused\":%u,\"failed\":%u,"
                         "\"unknown\":%u,\"partitions\":%u",
                         at->nodes, at->folded, at->live, at->accepted, at->refused, at->failed, at->unknown,
                         at->partitions);
    put_share(cache, ",\"coverage\":", true, at->coverage);
    put_bytes(cache, ",\"macs\":", at->has_macs ? at->macs : UINT64_MAX);
    put_bytes(cache, ",\"macs_on_npu\":", at->has_macs ? at->macs_on_npu : UINT64_MAX);
    put_share(cache, ",\"mac_coverage\":", at->has_macs && at->macs, at->mac_coverage);
    put_text(cache, ",\"verdict\":", npart_plan_verdict_text(at->verdict));
}

static void put_figures(struct cache *cache, const struct npart_side *side)
{
    put_milliseconds(cache, "},\"cost\":{\"low_ms\":", side->cost.low_ms);
    put_milliseconds(cache, ",\"typical_ms\":", side->cost.typical_ms);
    put_milliseconds(cache, ",\"high_ms\":", side->cost.high_ms);
    put_range(cache, ",\"alternatives\":{\"npu_whole\":", side->npu_whole);
    put_bytes(cache, "}},\"memory\":{\"weight_bytes\":", side->weight_bytes);
    put_bytes(cache, ",\"weight_bytes_npu\":", side->npu_weight_bytes);
    put_bytes(cache, ",\"activation_peak_bytes\":", side->peak_bytes);
    put_bytes(cache, ",\"activation_peak_bytes_npu\":", side->npu_peak_bytes);
    put_count(cache, ",\"off_chip\":", side->off_chip);
    put_count(cache, ",\"limits_passed\":", side->limits);
}

/* Numbers in digits of 64, the first one first: a node takes 37 bytes, whatever it is. */
static void put_digits(struct cache *cache, uint32_t number, unsigned width)
{
    static const char digits[] = NPART__BASELINE_DIGITS;
    while (width--)
        npart__append(cache->out, &digits[number >> 6 * width & 63], 1);
}

/* Up to three digits; the last number stands for all that have no place. */
static uint32_t small(uint32_t number)
{
    return number < NPART__BASELINE_NONE ? number : NPART__BASELINE_NONE;
}

/* The operators, each once, then all nodes as numbers. */
static void put_nodes(struct cache *cache, const struct npart_side *side)
{
    struct npart__strings ops;
    struct NPART__ARRAY(uint32_t) places = {0}; /* by the id of an operator, in the order that they came */
    uint32_t count = 0;
    uint32_t *of = npart__arena_zeroed(&cache->arena, side->node_count + (size_t)1, sizeof *of);
    bool is_ok = of && npart__strings_init(&ops, &cache->arena) && NPART__PUSH(&cache->arena, &places, NPART_NONE);
    for (uint32_t i = 0; is_ok && i < side->node_count; i++) {
        const char *op = npart__as_utf8(side->nodes[i].op ? side->nodes[i].op : "", &cache->arena);
        uint32_t id = op ? npart__intern(&ops, op, strlen(op), true) : NPART_NONE;
        is_ok = id != NPART_NONE && (id < places.count || NPART__PUSH(&cache->arena, &places, NPART_NONE));
        if (!is_ok)
            break;
        if (places.items[id] == NPART_NONE) {
            put_text(cache, count ? "," : "", op);
            places.items[id] = count++;
        }
        of[i] = places.items[id];
    }
    npart__append_text(cache->out, "],\"packed\":\"");
    for (uint32_t i = 0; is_ok && i < side->node_count; i++) {
        const struct npart_side_node *node = &side->nodes[i];
        uint32_t name = node->name && *node->name ? npart_name_hash(node->name) : node->name_hash;
        const uint32_t hashes[] = {node->up, node->down, node->around, node->itself, name};
        put_digits(cache, small(of[i]), 3);
        put_digits(cache, (uint32_t)node->verdict, 1);
        put_digits(cache, small(node->cause), 3);
        for (size_t k = 0; k < NPART__COUNT(hashes); k++)
            put_digits(cache, hashes[k], 6);
    }
    npart__append_text(cache->out, "\"");
}

static void put_causes(struct cache *cache, const struct npart_side *side)
{
    for (uint32_t i = 0; i < side->cause_count; i++) {
        const struct npart_side_cause *cause = &side->causes[i];
        put_text(cache, i ? ",{\"kind\":" : "{\"kind\":", cause->kind);
        put_text(cache, ",\"rule\":", cause->rule);
        put_text(cache, ",\"text\":", cause->text);
        npart__append_format(cache->out, ",\"victims\":%u,\"nodes\":[", cause->affected_count);
        for (uint32_t k = 0; k < cause->node_count; k++)
            npart__append_format(cache->out, "%s%u", k ? "," : "", cause->nodes[k]);
        npart__append_text(cache->out, "]}");
    }
}

/* The order of members is that of a report; `packed` stands for `nodes`. */
static void put_side(struct cache *cache, const struct npart_side *side)
{
    const char *list = npart__arena_copy_text(&cache->arena, side->target, strcspn(side->target, ":+"));
    put_text(cache,
             side->is_invalid ? "{\"baseline\":2,\"findings\":[{\"code\":\"invalid\"}],\"model\":{\"path\":"
                              : "{\"baseline\":2,\"model\":{\"path\":",
             side->model);
    put_text(cache, "},\"targets\":[{\"target\":", list);
    put_text(cache, ",\"name\":", side->target);
    put_text(cache, ",\"toolchain\":", side->toolchain);
    npart__append_text(cache->out, ",\"summary\":");
    put_summary(cache, &side->summary);
    put_figures(cache, side);
    npart__append_format(cache->out, "},\"listing\":\"%s\",\"ops\":[",
                         side->listing == NPART_LISTING_LEFT ? "left" : "all");
    put_nodes(cache, side);
    npart__append_text(cache->out, ",\"causes\":[");
    put_causes(cache, side);
    npart__append_text(cache->out, "]}]}\n");
}

void npart__put_baseline_cache(struct npart__buffer *out, const struct npart_side *const *sides, uint32_t count)
{
    struct cache cache = {.out = out};
    npart__arena_init(&cache.arena, &out->arena->allocator);
    for (uint32_t i = 0; i < count; i++)
        if (sides[i]->listing != NPART_LISTING_NONE)
            put_side(&cache, sides[i]);
    out->failed |= cache.arena.failed;
    npart__arena_clear(&cache.arena);
}
