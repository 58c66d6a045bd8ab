/* SPDX-License-Identifier: Apache-2.0
 *
 * What plans said, read again: sides of comparisons from saved reports and baselines.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "gate/gate.h"

#define NEWEST_SCHEMA 2   /* of reports: docs/json.md */
#define COST_SCHEMA 2     /* before it the cost was of switching alone */
#define NEWEST_BASELINE 2

/* Where a side comes from. */
struct saved_side {
    const struct npart__tree *document;
    uint64_t begin, end; /* of the document in its file; both 0: not known */
    const char *line;    /* of a baseline in words; NULL: there is none */
};

/* Both have as many. */
struct side_list {
    struct NPART__ARRAY(struct npart_side) sides;
    struct NPART__ARRAY(struct saved_side) saved;
};

struct npart_sides {
    struct npart__life *life;
    struct side_list list;
    char note[256]; /* what is to be told of a baseline's cache; "" */
};

/* What a document is read with. */
struct reading {
    struct npart__arena *arena;
    struct side_list *out;
    bool is_ok; /* false: something is what no report says */
};

/* ---- values ------------------------------------------------------------------------------------------------ */

static const char *text_at(const struct npart__tree *object, const char *key)
{
    const char *text = npart__tree_text(object, key);
    return text ? text : "";
}

static uint32_t count_at(const struct npart__tree *object, const char *key)
{
    int64_t number = npart__tree_integer(npart__tree_get(object, key));
    return number < 0 || number >= NPART_NONE ? 0 : (uint32_t)number;
}

static uint32_t id_of(const struct npart__tree *value)
{
    int64_t number = npart__tree_integer(value);
    return !npart__is_integer(value) || number < 0 || number >= NPART_NONE ? NPART_NONE : (uint32_t)number;
}

static uint64_t bytes_at(const struct npart__tree *object, const char *key)
{
    const struct npart__tree *value = npart__tree_get(object, key);
    int64_t number = npart__is_integer(value) ? npart__tree_integer(value) : -1;
    return number >= 0 ? (uint64_t)number : UINT64_MAX;
}

static bool is_false(const struct npart__tree *value)
{
    return npart__tree_is(value, NPART__TREE_FALSE);
}

static enum npart_fit fit_of(const struct npart__tree *value)
{
    return npart__tree_is(value, NPART__TREE_TRUE) ? NPART_FIT_YES : is_false(value) ? NPART_FIT_NO : NPART_FIT_UNKNOWN;
}

static double number_or(const struct npart__tree *value, double otherwise)
{
    return npart__tree_is_number(value) ? npart__tree_number(value) : otherwise;
}

static enum npart_verdict verdict_of(const char *text, bool *is_ok)
{
    const char *word;
    for (int i = 0; (word = npart_verdict_text((enum npart_verdict)i)) != NULL; i++)
        if (strcmp(word, text) == 0)
            return (enum npart_verdict)i;
    *is_ok = false;
    return NPART_VERDICT_CPU;
}

/* Eight hexadecimal digits; 0 for what is none. */
static uint32_t hexadecimal(const char *text)
{
    uint32_t number = 0;
    for (int i = 0; i < 8; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit)
            return 0;
        number = number << 4 | (uint32_t)(digit - digits);
    }
    return number;
}

static void read_structure(const char *text, struct npart_side_node *out)
{
    if (strlen(text) != 32)
        return;
    out->up = hexadecimal(text);
    out->down = hexadecimal(text + 8);
    out->around = hexadecimal(text + 16);
    out->itself = hexadecimal(text + 24);
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

/* "model.py:41 (encoder.fc1)" */
static const char *make_place(struct npart__arena *arena, const struct npart__tree *at)
{
    const char *file = npart__tree_text(at, "file"), *module = npart__tree_text(at, "module");
    long long line = (long long)npart__tree_integer(npart__tree_get(at, "line"));
    if (!file)
        return module;
    return npart__arena_format(arena, "%s:%lld%s%s%s", file, line, module ? " (" : "", module ? module : "",
                               module ? ")" : "");
}

static void read_node(struct reading *reading, const struct npart__tree *node, struct npart_side_node *out)
{
    *out = (struct npart_side_node){
        .name = text_at(node, "name"),
        .op = text_at(node, "op"),
        .graph = text_at(node, "graph"),
        .index = count_at(node, "index"),
        .verdict = verdict_of(text_at(node, "verdict"), &reading->is_ok),
        .partition = id_of(npart__tree_get(node, "partition")),
        .cause = id_of(npart__tree_get(node, "cause")),
        .place = make_place(reading->arena, npart__tree_get(node, "at")),
    };
    read_structure(text_at(node, "structure"), out);
}

/* A node of a baseline: ["Erf", "cpu", 3, structure, hash of its name]. */
static void read_left(const struct npart__tree *node, struct npart_side_node *out, bool *is_ok)
{
    const char *op = npart__tree_string(npart__tree_at(node, 0));
    const char *verdict = npart__tree_string(npart__tree_at(node, 1));
    const char *structure = npart__tree_string(npart__tree_at(node, 3)),
               *name = npart__tree_string(npart__tree_at(node, 4));
    *is_ok &= op && verdict && structure && name;
    *out = (struct npart_side_node){
        .op = op,
        .verdict = verdict_of(verdict ? verdict : "", is_ok),
        .partition = NPART_NONE,
        .cause = id_of(npart__tree_at(node, 2)),
        .name_hash = name ? hexadecimal(name) : 0,
    };
    read_structure(structure ? structure : "", out);
}

/* A number of NPART__BASELINE_DIGITS. */
static uint32_t digits_at(const char *text, unsigned count, bool *is_ok)
{
    uint32_t number = 0;
    for (unsigned i = 0; i < count; i++) {
        const char *digit = text[i] ? strchr(NPART__BASELINE_DIGITS, text[i]) : NULL;
        *is_ok &= digit != NULL;
        number = number << 6 | (uint32_t)(digit ? digit - NPART__BASELINE_DIGITS : 0);
    }
    return number;
}

/* Nodes of a baseline's cache, 37 digits each: operator, verdict, cause, structure, and the hash of the name. */
static bool read_packed(struct reading *reading, const struct npart__tree *target, struct npart_side *side)
{
    const char *text = text_at(target, "packed");
    const struct npart__tree *ops = npart__tree_get(target, "ops");
    size_t count = strlen(text) / 37;
    bool is_fine = strlen(text) % 37 == 0 && count < NPART_NONE;
    side->listing = strcmp(text_at(target, "listing"), "left") == 0 ? NPART_LISTING_LEFT : NPART_LISTING_ALL;
    struct npart_side_node *nodes = npart__arena_zeroed(reading->arena, count + 1, sizeof *nodes);
    if (!nodes)
        return false;
    for (size_t i = 0; i < count && is_fine; i++, text += 37) {
        struct npart_side_node *out = &nodes[i];
        uint32_t cause = digits_at(text + 4, 3, &is_fine), verdict = digits_at(text + 3, 1, &is_fine);
        *out = (struct npart_side_node){
            .op = npart__tree_string(npart__tree_at(ops, digits_at(text, 3, &is_fine))),
            .verdict = (enum npart_verdict)verdict,
            .partition = NPART_NONE,
            .cause = cause == NPART__BASELINE_NONE ? NPART_NONE : cause,
            .up = digits_at(text + 7, 6, &is_fine),
            .down = digits_at(text + 13, 6, &is_fine),
            .around = digits_at(text + 19, 6, &is_fine),
            .itself = digits_at(text + 25, 6, &is_fine),
            .name_hash = digits_at(text + 31, 6, &is_fine),
        };
        is_fine = is_fine && out->op && npart_verdict_text(out->verdict);
    }
    reading->is_ok &= is_fine;
    side->nodes = nodes;
    side->node_count = is_fine ? (uint32_t)count : 0;
    return true;
}

static bool read_nodes(struct reading *reading, const struct npart__tree *target, struct npart_side *side)
{
    const struct npart__tree *told = npart__tree_get(target, "nodes"), *left = npart__tree_get(target, "left");
    const struct npart__tree *list = told ? told : left, *node;
    uint32_t count = npart__tree_count(list);
    if (npart__tree_get(target, "packed"))
        return read_packed(reading, target, side);
    side->listing = told ? NPART_LISTING_ALL : left ? NPART_LISTING_LEFT : NPART_LISTING_NONE;
    struct npart_side_node *nodes = npart__arena_zeroed(reading->arena, count + (size_t)1, sizeof *nodes);
    if (!nodes)
        return false;
    for (uint32_t i = 0; (node = npart__tree_at(list, i)) != NULL; i++) {
        if (told)
            read_node(reading, node, &nodes[i]);
        else
            read_left(node, &nodes[i], &reading->is_ok);
    }
    side->nodes = nodes;
    side->node_count = count;
    return !reading->arena->failed;
}

/* ---- causes ------------------------------------------------------------------------------------------------ */

/* Of each cause the first step that is for it; NULL where there is none. */
static void read_actions(const struct npart__tree *advice, struct npart_side_cause *causes, uint32_t count)
{
    const struct npart__tree *action, *cause;
    for (uint32_t i = 0; (action = npart__tree_at(advice, i)) != NULL; i++) {
        const struct npart__tree *of = npart__tree_get(action, "causes");
        bool is_other = npart__is_string(npart__tree_get(action, "instead_of"));
        for (uint32_t k = 0; !is_other && (cause = npart__tree_at(of, k)) != NULL; k++)
            if (id_of(cause) < count && !causes[id_of(cause)].action)
                causes[id_of(cause)].action = npart__tree_text(action, "text");
    }
}

/* Ids of nodes that the report does not have are no report of ours. */
static void read_cause(struct reading *reading, const struct npart__tree *cause, const struct npart_side *side,
                       uint32_t *ids, struct npart_side_cause *out)
{
    const struct npart__tree *nodes = npart__tree_get(cause, "nodes"), *node;
    *out = (struct npart_side_cause){
        .kind = text_at(cause, "kind"),
        .rule = text_at(cause, "rule"),
        .text = text_at(cause, "text"),
        .nodes = ids,
        .affected_count = count_at(cause, "victims"),
    };
    for (uint32_t k = 0; side->listing != NPART_LISTING_NONE && (node = npart__tree_at(nodes, k)) != NULL; k++) {
        ids[out->node_count] = id_of(node);
        reading->is_ok &= ids[out->node_count++] < side->node_count;
    }
}

static bool read_causes(struct reading *reading, const struct npart__tree *target, struct npart_side *side)
{
    const struct npart__tree *list = npart__tree_get(target, "causes"), *cause;
    uint32_t count = npart__tree_count(list);
    size_t id_count = 0;
    for (uint32_t i = 0; (cause = npart__tree_at(list, i)) != NULL; i++)
        id_count += npart__tree_count(npart__tree_get(cause, "nodes"));
    struct npart_side_cause *causes = npart__arena_zeroed(reading->arena, count + (size_t)1, sizeof *causes);
    uint32_t *ids = npart__arena_zeroed(reading->arena, id_count + 1, sizeof *ids);
    if (!causes || !ids)
        return false;
    for (uint32_t i = 0; (cause = npart__tree_at(list, i)) != NULL; i++) {
        read_cause(reading, cause, side, ids, &causes[i]);
        ids += causes[i].node_count;
    }
    read_actions(npart__tree_get(target, "advice"), causes, count);
    side->causes = causes;
    side->cause_count = count;
    return true;
}

/* ---- figures ----------------------------------------------------------------------------------------------- */

static enum npart_plan_verdict plan_verdict_of(const char *text)
{
    enum npart_plan_verdict verdict = NPART_PLAN_WHOLE;
    while (verdict < NPART_PLAN_UNKNOWN && strcmp(npart_plan_verdict_text(verdict), text) != 0)
        verdict++;
    return verdict;
}

/* read_summary, from include/records.table. */
#include "record_reader.h"

/* The typical value of [low, typical, high]. */
static double part_or_0(const struct npart__tree *parts, const char *name)
{
    return number_or(npart__tree_at(npart__tree_get(parts, name), 1), 0);
}

static void read_cost(const struct npart__tree *cost, struct npart_side *side)
{
    const struct npart__tree *whole = npart__tree_get(npart__tree_get(cost, "alternatives"), "npu_whole");
    side->cost = (struct npart_cost_range){number_or(npart__tree_get(cost, "low_ms"), -1),
                                           number_or(npart__tree_get(cost, "typical_ms"), -1),
                                           number_or(npart__tree_get(cost, "high_ms"), -1)};
    const struct npart__tree *parts = npart__tree_get(cost, "parts");
    side->parts = (struct npart_side_parts){
        .cpu_ms = part_or_0(parts, "cpu"),
        .npu_ms = part_or_0(parts, "npu_compute") + part_or_0(parts, "npu_bandwidth"),
        .launch_ms = part_or_0(parts, "switch"),
        .copy_ms = part_or_0(parts, "copy"),
        .layout_ms = part_or_0(parts, "layout"),
        .quantize_ms = part_or_0(parts, "quantize"),
    };
    side->npu_whole = (struct npart_cost_range){number_or(npart__tree_at(whole, 0), -1),
                                                number_or(npart__tree_at(whole, 1), -1),
                                                number_or(npart__tree_at(whole, 2), -1)};
}

/* How many items of a list have `false` there; not known without the list. */
static uint32_t count_false(const struct npart__tree *list, const char *key)
{
    uint32_t count = 0;
    const struct npart__tree *item;
    for (uint32_t i = 0; (item = npart__tree_at(list, i)) != NULL; i++)
        count += is_false(npart__tree_get(item, key));
    return npart__is_list(list) ? count : NPART_NONE;
}

/* A baseline has the numbers themselves. */
static void read_memory(const struct npart__tree *memory, struct npart_side *side)
{
    const struct npart__tree *off_chip = npart__tree_get(memory, "off_chip");
    const struct npart__tree *limits = npart__tree_get(memory, "limits_passed");
    side->weight_bytes = bytes_at(memory, "weight_bytes");
    side->npu_weight_bytes = bytes_at(memory, "weight_bytes_npu");
    side->peak_bytes = bytes_at(memory, "activation_peak_bytes");
    side->npu_peak_bytes = bytes_at(memory, "activation_peak_bytes_npu");
    side->off_chip = off_chip ? id_of(off_chip) : count_false(npart__tree_get(memory, "partitions"), "fits_on_chip");
    side->limits = limits ? id_of(limits) : count_false(npart__tree_get(memory, "limits"), "fits");
}

static bool is_invalid(const struct npart__tree *document)
{
    const struct npart__tree *finding;
    for (uint32_t i = 0; (finding = npart__tree_at(npart__tree_get(document, "findings"), i)) != NULL; i++)
        if (strcmp(text_at(finding, "code"), "invalid") == 0)
            return true;
    return false;
}

/* ---- files ------------------------------------------------------------------------------------------------- */

/* Reports of earlier releases have no name. With the precision, as npart_plan_info.label. */
static const char *make_target(struct npart__arena *arena, const struct npart__tree *target)
{
    const char *name = npart__tree_text(target, "name"), *as = text_at(target, "as");
    const char *list = text_at(target, "target"), *variant = text_at(target, "variant");
    if (name)
        return npart__arena_format(arena, "%s%s%s", name, *as ? " as " : "", as);
    return npart__arena_format(arena, "%s%s%s", list, *variant ? ":" : "", variant);
}

static bool is_baseline(const struct npart__tree *document)
{
    return npart__tree_get(document, "baseline") != NULL;
}

/* False when out of memory. */
static bool add_side(struct reading *reading, const struct npart__tree *document, const struct npart__tree *target)
{
    bool has_cost =
        is_baseline(document) || npart__tree_integer(npart__tree_get(document, "schema")) >= COST_SCHEMA;
    struct npart_side side = NPART_SIDE_INIT;
    struct saved_side saved = {.document = document};
    side.model = text_at(npart__tree_get(document, "model"), "path");
    side.target = make_target(reading->arena, target);
    side.toolchain = text_at(target, "toolchain");
    side.unit = npart__tree_text(target, "unit");
    side.is_invalid = is_invalid(document);
    read_summary(npart__tree_get(target, "summary"), &side.summary);
    read_cost(has_cost ? npart__tree_get(target, "cost") : NULL, &side);
    read_memory(npart__tree_get(target, "memory"), &side);
    reading->is_ok &= npart__is_object(npart__tree_get(target, "summary")) && npart__tree_text(target, "target");
    return side.target && read_nodes(reading, target, &side) && read_causes(reading, target, &side) &&
           NPART__PUSH(reading->arena, &reading->out->sides, side) &&
           NPART__PUSH(reading->arena, &reading->out->saved, saved);
}

static npart_status add_document(struct npart__arena *arena, struct side_list *out, const struct npart__tree *document,
                                 struct npart_error *error)
{
    const struct npart__tree *targets = npart__tree_get(document, "targets"), *target;
    bool is_report = npart__is_list(targets) && npart__is_object(npart__tree_get(document, "model"));
    struct reading reading = {arena, out, is_report};
    bool is_short = is_baseline(document);
    int64_t schema = npart__tree_integer(npart__tree_get(document, is_short ? "baseline" : "schema"));
    if (schema > (is_short ? NEWEST_BASELINE : NEWEST_SCHEMA))
        return npart__fail(error, NPART_ERROR_MALFORMED, "", "made by a later version of npu-partition (\"%s\": %lld)",
                           is_short ? "baseline" : "schema", (long long)schema);
    for (uint32_t i = 0; (target = npart__tree_at(targets, i)) != NULL; i++)
        if (!add_side(&reading, document, target))
            return npart__fail_memory(error);
    if (!reading.is_ok)
        return npart__fail(error, NPART_ERROR_MALFORMED, "",
                           "no report of npu-partition (--format json), and no baseline");
    return NPART_OK;
}

/* What a document that cannot be read says of itself is left out: the file may be none of ours, and hold a secret. */
static npart_status read_documents(struct npart__stream *input, struct npart__arena *arena, struct side_list *out,
                                   struct npart_error *error)
{
    npart_status status = NPART_OK;
    char text[200];
    for (unsigned line = 1; status == NPART_OK && npart__stream_after_blanks(input) >= 0; line++) {
        npart__stream_back(input);
        uint64_t begin = npart__stream_offset(input);
        const struct npart__tree *document =
            npart__tree_read(input, arena, NPART__TREE_GOES_ON | NPART__TREE_IS_STRICT, NPART_MOST_REPORT_BYTES, text,
                             sizeof text);
        char *quoted = document ? NULL : strstr(text, " near '");
        if (quoted)
            *quoted = '\0';
        if (!document)
            return arena->failed ? npart__fail_memory(error)
                                 : npart__fail(error, NPART_ERROR_MALFORMED, "", "document %u: %s", line, text);
        uint32_t first = out->sides.count;
        status = add_document(arena, out, document, error);
        for (uint32_t i = first; status == NPART_OK && i < out->sides.count; i++) {
            out->saved.items[i].begin = begin;
            out->saved.items[i].end = npart__stream_offset(input);
        }
    }
    return status;
}

/* ---- baselines in words ------------------------------------------------------------------------------------------ */

/* A line without its end; NULL at the end of the file, or when out of memory. */
static const char *read_line(struct npart__stream *input, struct npart__arena *arena)
{
    struct npart__buffer line;
    int byte = npart__stream_byte(input);
    if (byte < 0)
        return NULL;
    npart__buffer_init(&line, arena);
    for (; byte >= 0 && byte != '\n'; byte = npart__stream_byte(input)) {
        char character = (char)byte;
        npart__append(&line, &character, 1);
        if (line.size > NPART_MOST_REPORT_BYTES / 2)
            arena->failed = true;
        if (arena->failed)
            return NULL;
    }
    line.size -= line.size && line.data[line.size - 1] == '\r';
    return npart__kept_text(&line);
}

/* What is read of a cache: sides with the lines that they would be written as, each until it is taken. */
struct cache {
    struct side_list list;
    uint32_t next;          /* where the search goes on: both files have one order */
    uint32_t lines, missing; /* of the baseline, and those that it has nothing of */
    char problem[200];      /* why nothing of it counts; "" */
};

/* Adds the side that says the same as a line. False: there is none, or out of memory. */
static bool take_cached(struct cache *cache, const char *line, struct npart__arena *arena, struct side_list *to)
{
    uint32_t count = cache->list.sides.count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = (cache->next + i) % count;
        struct saved_side *saved = &cache->list.saved.items[at];
        if (!saved->line || strcmp(saved->line, line) != 0)
            continue;
        if (!NPART__PUSH(arena, &to->sides, cache->list.sides.items[at]) || !NPART__PUSH(arena, &to->saved, *saved))
            return false;
        saved->line = NULL;
        cache->next = at + 1;
        return true;
    }
    return false;
}

/* What the cache has of a line, else what the line says. */
static npart_status add_line(struct side_list *out, struct cache *cache, const char *line, unsigned number,
                             struct npart__arena *arena, struct npart_error *error)
{
    cache->lines++;
    if (take_cached(cache, line, arena, out))
        return NPART_OK;
    cache->missing++;
    const struct npart__tree *document = npart__read_baseline_line(line, arena);
    npart_status status = document ? add_document(arena, out, document, NULL) : NPART_ERROR_MALFORMED;
    if (arena->failed)
        return npart__fail_memory(error);
    if (status != NPART_OK)
        return npart__fail(error, NPART_ERROR_MALFORMED, "", "line %u: no line of a baseline", number);
    out->saved.items[out->saved.count - 1].line = line;
    return NPART_OK;
}

/* Of "# npu-partition baseline 3: ..."; 0: it is none. */
static int version_of(const char *line)
{
    size_t length = sizeof NPART_BASELINE_HEAD - 1;
    long version = strncmp(line, NPART_BASELINE_HEAD, length) == 0 ? strtol(line + length, NULL, 10) : 0;
    return version > 0 && version < INT_MAX ? (int)version : 0;
}

/* All of a cache, or nothing of one that cannot be read. */
static void read_cache(struct cache *cache, const struct npart_sides_options *options, int version,
                       struct npart__arena *arena)
{
    struct npart_error why;
    struct npart__stream *input = options->read_cache ? npart__arena_allocate(arena, sizeof *input) : NULL;
    if (!input) {
        (void)snprintf(cache->problem, sizeof cache->problem, "%s",
                       options->cache_problem ? options->cache_problem : "is missing");
        return;
    }
    npart__stream_init(input, options->read_cache, options->cache_payload);
    npart_status status = read_documents(input, arena, &cache->list, &why);
    if (status == NPART_OK && input->has_failed)
        status = npart__fail(&why, NPART_ERROR_READ, "", "%s", "");
    if (status != NPART_OK) {
        (void)snprintf(cache->problem, sizeof cache->problem, "cannot be read (%.160s)", why.message);
        cache->list = (struct side_list){0};
    }
    for (uint32_t i = 0; i < cache->list.sides.count; i++)
        cache->list.saved.items[i].line = npart__baseline_line(&cache->list.sides.items[i], version, arena);
}

/* The cache may be missing, or of another day: then the words are all that is known, which is told. */
static npart_status read_words(npart_sides *sides, struct npart__stream *input,
                               const struct npart_sides_options *options, struct npart_error *error)
{
    struct npart__arena *arena = &sides->life->arena;
    struct cache cache = {.problem = ""};
    const char *line = read_line(input, arena);
    int version = line ? version_of(line) : 0;
    npart_status status = NPART_OK;
    if (line && version > NPART_BASELINE_VERSION)
        return npart__fail(error, NPART_ERROR_MALFORMED, "", "made by a later version of npu-partition (%s)", line);
    if (line && version <= 0)
        return npart__fail(error, NPART_ERROR_MALFORMED, "", "its first line is not that of a baseline (%sVERSION)",
                           NPART_BASELINE_HEAD);
    if (line)
        read_cache(&cache, options, version, arena);
    for (unsigned number = 2; line && status == NPART_OK && (line = read_line(input, arena)) != NULL; number++)
        if (*line && *line != '#')
            status = add_line(&sides->list, &cache, line, number, arena, error);
    if (!*cache.problem && cache.missing)
        (void)snprintf(cache.problem, sizeof cache.problem, "has no entry for %u of %u lines", cache.missing,
                       cache.lines);
    if (*cache.problem && cache.missing)
        (void)snprintf(sides->note, sizeof sides->note,
                       NPART_BASELINE_CACHE " %s: figures and causes are compared, no nodes", cache.problem);
    return arena->failed ? npart__fail_memory(error) : status;
}

/* ---- the handle ----------------------------------------------------------------------------------------------- */

static npart_status read_file(npart_sides *sides, struct npart__stream *input,
                              const struct npart_sides_options *options,
                              struct npart_error *error)
{
    int byte = npart__stream_after_blanks(input);
    npart_status status = NPART_OK;
    if (byte >= 0)
        npart__stream_back(input);
    if (byte == '#')
        status = read_words(sides, input, options, error);
    else if (byte >= 0)
        status = read_documents(input, &sides->life->arena, &sides->list, error);
    if (status == NPART_OK && input->has_failed)
        return npart__fail(error, NPART_ERROR_READ, "", "cannot be read to its end");
    return status;
}

npart_status npart_sides_read(npart_sides **out, npart_read_callback read, void *payload,
                              const struct npart_sides_options *options, struct npart_error *error)
{
    const struct npart_sides_options plain = NPART_SIDES_OPTIONS_INIT;
    options = options ? options : &plain;
    if (!out || !read)
        return npart__fail_null(!out ? "out" : "read", error);
    npart_status status = npart__check_version("options", options->version, 1, error);
    if (status != NPART_OK)
        return status;
    npart_sides *sides = npart__handle_new(sizeof *sides, options->allocator);
    if (!sides)
        return npart__fail_memory(error);
    struct npart__stream *input = npart__arena_allocate(&sides->life->arena, sizeof *input);
    if (input)
        npart__stream_init(input, read, payload);
    status = input ? read_file(sides, input, options, error) : npart__fail_memory(error);
    return NPART__HAND_OVER(out, sides, status, error);
}

npart_status npart_sides_of_line(npart_sides **out, const char *line, const struct npart_allocator *allocator,
                                 struct npart_error *error)
{
    if (!out || !line)
        return npart__fail_null(!out ? "out" : "line", error);
    npart_sides *sides = npart__handle_new(sizeof *sides, allocator);
    if (!sides)
        return npart__fail_memory(error);
    struct npart__arena *arena = &sides->life->arena;
    const struct npart__tree *document = npart__read_baseline_line(line, arena);
    npart_status status = document ? add_document(arena, &sides->list, document, error)
                                   : npart__fail(error, NPART_ERROR_MALFORMED, "", "no line of a baseline");
    if (arena->failed)
        status = npart__fail_memory(error);
    return NPART__HAND_OVER(out, sides, status, error);
}

NPART__FREES(sides)

const struct npart_side *npart_sides_all(const npart_sides *sides, uint32_t *count)
{
    *count = sides ? sides->list.sides.count : 0;
    return sides ? sides->list.sides.items : NULL;
}

const char *npart_sides_note(const npart_sides *sides)
{
    return sides ? sides->note : "";
}

/* NULL: the side is none of these. */
static const struct saved_side *saved_of(const npart_sides *sides, const struct npart_side *side)
{
    if (!sides)
        return NULL;
    const struct npart_side *items = sides->list.sides.items;
    bool is_one = side && items && side >= items && side < items + sides->list.sides.count;
    return is_one ? &sides->list.saved.items[side - items] : NULL;
}

const char *npart_sides_line(const npart_sides *sides, const struct npart_side *side)
{
    const struct saved_side *saved = saved_of(sides, side);
    return saved ? saved->line : NULL;
}

bool npart_sides_is_report(const npart_sides *sides, const struct npart_side *side)
{
    const struct saved_side *saved = saved_of(sides, side);
    return saved && npart__is_object(npart__tree_get(saved->document, "tool")) &&
           npart__is_integer(npart__tree_get(saved->document, "schema"));
}

bool npart_sides_place(const npart_sides *sides, const struct npart_side *side, uint64_t *begin, uint64_t *end)
{
    const struct saved_side *saved = saved_of(sides, side);
    if (!saved || saved->end <= saved->begin)
        return false;
    *begin = saved->begin;
    *end = saved->end;
    return true;
}

/* ---- which one ---------------------------------------------------------------------------------------------- */

/* "hexagon" and "hexagon:v73" mean "hexagon:v73+float". */
static bool begins_target(const char *target, const char *wanted, size_t length)
{
    return strncmp(target, wanted, length) == 0 && target[length] && strchr(":+-", target[length]);
}

static bool is_target(const char *target, const char *wanted, size_t length)
{
    return strncmp(target, wanted, length) == 0 && !target[length];
}

/* "2026.4.1" is "openvino 2026.4.1", as where a target is chosen. */
static bool is_toolchain(const char *toolchain, const char *wanted)
{
    const char *blank = strrchr(toolchain, ' ');
    return strcmp(toolchain, wanted) == 0 || (blank && strcmp(blank + 1, wanted) == 0);
}

/* What a search has found: the first side, and whether there are more. */
struct found {
    const struct npart_side *side;
    bool are_several;
};

/* A plan that a file has twice is one. */
static void add_found(struct found *found, const struct npart_side *side)
{
    if (!found->side)
        found->side = side;
    else if (strcmp(found->side->target, side->target) != 0 || strcmp(found->side->toolchain, side->toolchain) != 0)
        found->are_several = true;
}

/* Those of the toolchain go before all others; a NULL toolchain is none of them. */
static struct found search(const npart_sides *sides, const char *model, const char *name, size_t length,
                           const char *toolchain, bool (*suits)(const char *, const char *, size_t))
{
    struct found of_name = {0}, of_toolchain = {0};
    for (uint32_t i = 0; i < sides->list.sides.count; i++) {
        const struct npart_side *side = &sides->list.sides.items[i];
        if ((model && strcmp(side->model, model) != 0) || !suits(side->target, name, length))
            continue;
        add_found(&of_name, side);
        if (toolchain && is_toolchain(side->toolchain, toolchain))
            add_found(&of_toolchain, side);
    }
    return of_toolchain.side ? of_toolchain : of_name;
}

const struct npart_side *npart_sides_find(const npart_sides *sides, const char *model, const char *target,
                                   const char *toolchain, bool *are_several)
{
    if (!sides || !target)
        return NULL;
    struct found found = search(sides, model, target, strlen(target), toolchain, is_target);
    if (are_several)
        *are_several = found.are_several;
    return found.are_several ? NULL : found.side;
}

const struct npart_side *npart_sides_find_meant(const npart_sides *sides, const char *model, const char *text,
                                         bool *are_several)
{
    if (!sides || !text)
        return NULL;
    size_t length = strcspn(text, "@");
    const char *toolchain = text[length] ? text + length + 1 : NULL;
    struct found found = search(sides, model, text, length, toolchain, is_target);
    if (!found.side)
        found = search(sides, model, text, length, toolchain, begins_target);
    *are_several = found.are_several;
    return found.are_several ? NULL : found.side;
}
