/* SPDX-License-Identifier: Apache-2.0 */
#include "side.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "baseline_words.h"
#include "json_memory.h"
#include "platform.h"

#define NEWEST_SCHEMA 2   /* of reports: docs/json.md */
#define COST_SCHEMA 2     /* before it the cost was of switching alone */
#define NEWEST_BASELINE 2

/* What one side points to, besides the texts of its document. */
struct saved_side {
    json_t *document;   /* with a reference of its own */
    int64_t begin, end; /* of the document in its file; negative: not known */
    struct npart_side_node *nodes;
    struct npart_side_cause *causes;
    uint32_t *ids; /* of all causes */
    char *target;
    char **places;
    size_t place_count;
    char *line; /* of a baseline in words; NULL: there is none */
};

/* ---- values ------------------------------------------------------------------------------------------------ */

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_text(object, key);
    return text ? text : "";
}

static uint32_t count_at(const json_t *object, const char *key)
{
    json_int_t number = json_integer_value(json_object_get(object, key));
    return number < 0 || number >= NPART_NONE ? 0 : (uint32_t)number;
}

static uint32_t id_of(const json_t *value)
{
    json_int_t number = json_integer_value(value);
    return !json_is_integer(value) || number < 0 || number >= NPART_NONE ? NPART_NONE : (uint32_t)number;
}

static uint64_t bytes_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) && json_integer_value(value) >= 0 ? (uint64_t)json_integer_value(value) : UINT64_MAX;
}

static enum npart_fit fit_of(const json_t *value)
{
    return json_is_true(value) ? NPART_FIT_YES : json_is_false(value) ? NPART_FIT_NO : NPART_FIT_UNKNOWN;
}

static double number_or(const json_t *value, double otherwise)
{
    return json_is_number(value) ? json_number_value(value) : otherwise;
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
static bool make_place(struct saved_side *saved, const json_t *at, const char **out)
{
    const char *file = json_text(at, "file"), *module = json_text(at, "module");
    if (!file && !module)
        return true;
    size_t room = (file ? strlen(file) : 0) + (module ? strlen(module) : 0) + 32;
    char *text = malloc(room);
    if (!text)
        return false;
    int used = file ? snprintf(text, room, "%s:%lld%s", file,
                               (long long)json_integer_value(json_object_get(at, "line")), module ? " (" : "")
                    : 0;
    if (module)
        (void)snprintf(text + used, room - (size_t)used, "%s%s", module, file ? ")" : "");
    saved->places[saved->place_count++] = text;
    *out = text;
    return true;
}

static bool read_node(struct saved_side *saved, const json_t *node, struct npart_side_node *out, bool *is_ok)
{
    *out = (struct npart_side_node){
        .name = text_at(node, "name"),
        .op = text_at(node, "op"),
        .graph = text_at(node, "graph"),
        .index = count_at(node, "index"),
        .verdict = verdict_of(text_at(node, "verdict"), is_ok),
        .partition = id_of(json_object_get(node, "partition")),
        .cause = id_of(json_object_get(node, "cause")),
    };
    read_structure(text_at(node, "structure"), out);
    return make_place(saved, json_object_get(node, "at"), &out->place);
}

/* A node of a baseline: ["Erf", "cpu", 3, structure, hash of its name]. */
static void read_left(const json_t *node, struct npart_side_node *out, bool *is_ok)
{
    const char *op = json_string_value(json_array_get(node, 0)), *verdict = json_string_value(json_array_get(node, 1));
    const char *structure = json_string_value(json_array_get(node, 3)),
               *name = json_string_value(json_array_get(node, 4));
    *is_ok &= op && verdict && structure && name;
    *out = (struct npart_side_node){
        .op = op,
        .verdict = verdict_of(verdict ? verdict : "", is_ok),
        .partition = NPART_NONE,
        .cause = id_of(json_array_get(node, 2)),
        .name_hash = name ? hexadecimal(name) : 0,
    };
    read_structure(structure ? structure : "", out);
}

/* A number of BASELINE_DIGITS. */
static uint32_t digits_at(const char *text, unsigned count, bool *is_ok)
{
    uint32_t number = 0;
    for (unsigned i = 0; i < count; i++) {
        const char *digit = text[i] ? strchr(BASELINE_DIGITS, text[i]) : NULL;
        *is_ok &= digit != NULL;
        number = number << 6 | (uint32_t)(digit ? digit - BASELINE_DIGITS : 0);
    }
    return number;
}

/* Nodes of a baseline's cache, 37 digits each: operator, verdict, cause, structure, and the hash of the name. */
static bool read_packed(struct saved_side *saved, const json_t *target, struct npart_side *side, bool *is_ok)
{
    const char *text = text_at(target, "packed");
    const json_t *ops = json_object_get(target, "ops");
    size_t count = strlen(text) / 37;
    bool is_fine = strlen(text) % 37 == 0 && count < NPART_NONE;
    side->listing = strcmp(text_at(target, "listing"), "left") == 0 ? NPART_LISTING_LEFT : NPART_LISTING_ALL;
    saved->nodes = calloc(count + 1, sizeof *saved->nodes);
    if (!saved->nodes)
        return false;
    for (size_t i = 0; i < count && is_fine; i++, text += 37) {
        struct npart_side_node *out = &saved->nodes[i];
        uint32_t cause = digits_at(text + 4, 3, &is_fine), verdict = digits_at(text + 3, 1, &is_fine);
        *out = (struct npart_side_node){
            .op = json_string_value(json_array_get(ops, digits_at(text, 3, &is_fine))),
            .verdict = (enum npart_verdict)verdict,
            .partition = NPART_NONE,
            .cause = cause == BASELINE_NONE ? NPART_NONE : cause,
            .up = digits_at(text + 7, 6, &is_fine),
            .down = digits_at(text + 13, 6, &is_fine),
            .around = digits_at(text + 19, 6, &is_fine),
            .itself = digits_at(text + 25, 6, &is_fine),
            .name_hash = digits_at(text + 31, 6, &is_fine),
        };
        is_fine = is_fine && out->op && npart_verdict_text(out->verdict);
    }
    *is_ok &= is_fine;
    side->nodes = saved->nodes;
    side->node_count = is_fine ? (uint32_t)count : 0;
    return true;
}

static bool read_nodes(struct saved_side *saved, const json_t *target, struct npart_side *side, bool *is_ok)
{
    const json_t *nodes = json_object_get(target, "nodes"), *left = json_object_get(target, "left");
    const json_t *list = nodes ? nodes : left, *node;
    size_t i, count = json_array_size(list);
    if (json_object_get(target, "packed"))
        return read_packed(saved, target, side, is_ok);
    side->listing = nodes ? NPART_LISTING_ALL : left ? NPART_LISTING_LEFT : NPART_LISTING_NONE;
    saved->nodes = calloc(count + 1, sizeof *saved->nodes);
    saved->places = calloc(count + 1, sizeof *saved->places);
    if (!saved->nodes || !saved->places)
        return false;
    json_array_foreach(list, i, node) {
        if (!nodes)
            read_left(node, &saved->nodes[i], is_ok);
        else if (!read_node(saved, node, &saved->nodes[i], is_ok))
            return false;
    }
    side->nodes = saved->nodes;
    side->node_count = (uint32_t)count;
    return true;
}

/* ---- causes ------------------------------------------------------------------------------------------------ */

/* Of each cause the first step that is for it; NULL where there is none. */
static void read_actions(const json_t *advice, struct npart_side_cause *causes, size_t count)
{
    const json_t *action, *cause;
    size_t i, k;
    json_array_foreach(advice, i, action)
        if (!json_is_string(json_object_get(action, "instead_of")))
            json_array_foreach(json_object_get(action, "causes"), k, cause)
                if (id_of(cause) < count && !causes[id_of(cause)].action)
                    causes[id_of(cause)].action = json_text(action, "text");
}

/* Ids of nodes that the report does not have are no report of ours. */
static bool read_causes(struct saved_side *saved, const json_t *target, struct npart_side *side, bool *is_ok)
{
    const json_t *causes = json_object_get(target, "causes"), *cause, *node;
    size_t i, k, count = 0;
    json_array_foreach(causes, i, cause)
        count += json_array_size(json_object_get(cause, "nodes"));
    saved->causes = calloc(json_array_size(causes) + 1, sizeof *saved->causes);
    saved->ids = calloc(count + 1, sizeof *saved->ids);
    if (!saved->causes || !saved->ids)
        return false;
    uint32_t *ids = saved->ids;
    json_array_foreach(causes, i, cause) {
        struct npart_side_cause *out = &saved->causes[i];
        *out = (struct npart_side_cause){
            .kind = text_at(cause, "kind"),
            .rule = text_at(cause, "rule"),
            .text = text_at(cause, "text"),
            .nodes = ids,
            .affected_count = count_at(cause, "victims"),
        };
        json_array_foreach(json_object_get(cause, "nodes"), k, node)
            if (side->listing != NPART_LISTING_NONE) {
                ids[out->node_count] = id_of(node);
                *is_ok &= ids[out->node_count++] < side->node_count;
            }
        ids += out->node_count;
    }
    read_actions(json_object_get(target, "advice"), saved->causes, json_array_size(causes));
    side->causes = saved->causes;
    side->cause_count = (uint32_t)json_array_size(causes);
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
static double part_or_0(const json_t *parts, const char *name)
{
    return number_or(json_array_get(json_object_get(parts, name), 1), 0);
}

static void read_cost(const json_t *cost, struct npart_side *side)
{
    const json_t *whole = json_object_get(json_object_get(cost, "alternatives"), "npu_whole");
    side->cost = (struct npart_cost_range){number_or(json_object_get(cost, "low_ms"), -1),
                                           number_or(json_object_get(cost, "typical_ms"), -1),
                                           number_or(json_object_get(cost, "high_ms"), -1)};
    const json_t *parts = json_object_get(cost, "parts");
    side->parts = (struct npart_side_parts){
        .cpu_ms = part_or_0(parts, "cpu"),
        .npu_ms = part_or_0(parts, "npu_compute") + part_or_0(parts, "npu_bandwidth"),
        .launch_ms = part_or_0(parts, "switch"),
        .copy_ms = part_or_0(parts, "copy"),
        .layout_ms = part_or_0(parts, "layout"),
        .quantize_ms = part_or_0(parts, "quantize"),
    };
    side->npu_whole = (struct npart_cost_range){number_or(json_array_get(whole, 0), -1),
                                                number_or(json_array_get(whole, 1), -1),
                                                number_or(json_array_get(whole, 2), -1)};
}

/* How many items of a list have `false` there; not known without the list. */
static uint32_t count_false(const json_t *list, const char *key)
{
    uint32_t count = 0;
    const json_t *item;
    size_t i;
    json_array_foreach(list, i, item)
        count += json_is_false(json_object_get(item, key));
    return json_is_array(list) ? count : NPART_NONE;
}

/* A baseline has the numbers themselves. */
static void read_memory(const json_t *memory, struct npart_side *side)
{
    const json_t *off_chip = json_object_get(memory, "off_chip"), *limits = json_object_get(memory, "limits_passed");
    side->weight_bytes = bytes_at(memory, "weight_bytes");
    side->npu_weight_bytes = bytes_at(memory, "weight_bytes_npu");
    side->peak_bytes = bytes_at(memory, "activation_peak_bytes");
    side->npu_peak_bytes = bytes_at(memory, "activation_peak_bytes_npu");
    side->off_chip = off_chip ? id_of(off_chip) : count_false(json_object_get(memory, "partitions"), "fits_on_chip");
    side->limits = limits ? id_of(limits) : count_false(json_object_get(memory, "limits"), "fits");
}

static bool is_invalid(const json_t *document)
{
    const json_t *finding;
    size_t i;
    json_array_foreach(json_object_get(document, "findings"), i, finding)
        if (strcmp(text_at(finding, "code"), "invalid") == 0)
            return true;
    return false;
}

/* ---- files ------------------------------------------------------------------------------------------------- */

/* Reports of earlier releases have no name. With the precision, as npart_plan_info.label. */
static char *make_target(const json_t *target)
{
    const char *name = json_text(target, "name"), *as = text_at(target, "as");
    const char *list = text_at(target, "target"), *variant = text_at(target, "variant");
    size_t room = (name ? strlen(name) : strlen(list) + strlen(variant) + 1) + strlen(as) + sizeof " as ";
    char *text = malloc(room);
    if (text && name)
        (void)snprintf(text, room, "%s%s%s", name, *as ? " as " : "", as);
    else if (text)
        (void)snprintf(text, room, "%s%s%s", list, *variant ? ":" : "", variant);
    return text;
}

static bool make_room(struct sides *sides)
{
    if (sides->count < sides->room)
        return true;
    size_t room = sides->room ? 2 * sides->room : 16;
    struct npart_side *items = realloc(sides->items, room * sizeof *items);
    if (!items)
        return false;
    sides->items = items;
    struct saved_side *saved = realloc(sides->saved, room * sizeof *saved);
    if (!saved)
        return false;
    sides->saved = saved;
    sides->room = room;
    return true;
}

static bool is_baseline(const json_t *document)
{
    return json_object_get(document, "baseline") != NULL;
}

/* False when out of memory; *is_ok becomes false for what no report says. */
static bool add_side(struct sides *sides, json_t *document, const json_t *target, bool *is_ok)
{
    bool has_cost = is_baseline(document) || json_integer_value(json_object_get(document, "schema")) >= COST_SCHEMA;
    if (!make_room(sides))
        return false;
    struct npart_side *side = &sides->items[sides->count];
    struct saved_side *saved = &sides->saved[sides->count++];
    *side = (struct npart_side)NPART_SIDE_INIT;
    *saved = (struct saved_side){.document = json_incref(document), .target = make_target(target)};
    side->model = text_at(json_object_get(document, "model"), "path");
    side->target = saved->target;
    side->toolchain = text_at(target, "toolchain");
    side->unit = json_string_value(json_object_get(target, "unit"));
    side->is_invalid = is_invalid(document);
    read_summary(json_object_get(target, "summary"), &side->summary);
    read_cost(has_cost ? json_object_get(target, "cost") : NULL, side);
    read_memory(json_object_get(target, "memory"), side);
    *is_ok &= json_is_object(json_object_get(target, "summary")) && json_text(target, "target");
    return saved->target && read_nodes(saved, target, side, is_ok) && read_causes(saved, target, side, is_ok);
}

static bool add_document(struct sides *sides, json_t *document, char *problem, size_t bytes)
{
    json_t *targets = json_object_get(document, "targets"), *target;
    bool is_ok = json_is_array(targets) && json_is_object(json_object_get(document, "model"));
    bool is_short = is_baseline(document);
    json_int_t schema = json_integer_value(json_object_get(document, is_short ? "baseline" : "schema"));
    size_t i;
    if (schema > (is_short ? NEWEST_BASELINE : NEWEST_SCHEMA)) {
        (void)snprintf(problem, bytes, "made by a later version of npu-partition (\"%s\": %lld)",
                       is_short ? "baseline" : "schema", (long long)schema);
        return false;
    }
    json_array_foreach(targets, i, target)
        if (!add_side(sides, document, target, &is_ok)) {
            (void)snprintf(problem, bytes, "out of memory");
            return false;
        }
    if (!is_ok)
        (void)snprintf(problem, bytes, "no report of npu-partition (--format json), and no baseline");
    return is_ok;
}

bool is_saved_report(const char *path)
{
    bool is_file = strcmp(path, "-") != 0 && kind_of_path(path, true) == PATH_FILE;
    FILE *file = is_file ? open_file(path, "rb") : NULL;
    int byte = file ? next_json_byte(file) : EOF;
    if (file)
        fclose(file);
    return byte == '{' || byte == '#'; /* '#': a baseline in words */
}

static bool read_documents(FILE *file, struct sides *out, char *problem, size_t bytes)
{
    bool is_read = true;
    int byte;
    for (size_t line = 1; is_read && (byte = next_json_byte(file)) != EOF; line++) {
        char text[200];
        int64_t begin = stream_offset(file) - 1;
        json_t *document = ungetc(byte, file) == EOF ? NULL : read_json_value(file, text, sizeof text);
        char *quoted = document ? NULL : strstr(text, " near '");
        if (quoted) /* from a file that is none of ours, and may hold a secret */
            *quoted = '\0';
        if (!document)
            (void)snprintf(problem, bytes, "document %zu: %s", line, text);
        size_t first = out->count;
        is_read = document && add_document(out, document, problem, bytes);
        for (size_t i = first; is_read && i < out->count; i++) {
            out->saved[i].begin = begin;
            out->saved[i].end = stream_offset(file);
        }
        json_decref(document);
    }
    return is_read;
}

/* A line without its end, to be freed; NULL at the end of the file, or where *has_failed: out of memory. */
static char *read_line(FILE *file, bool *has_failed)
{
    size_t used = 0, room = 256;
    char *line = malloc(room);
    int byte;
    while (line && (byte = getc(file)) != EOF && byte != '\n') {
        if (used + 2 > room) {
            char *grown = room < MOST_REPORT_BYTES / 2 ? realloc(line, 2 * room) : NULL;
            if (!grown)
                free(line);
            line = grown;
            room *= 2;
        }
        if (line)
            line[used++] = (char)byte;
    }
    *has_failed |= !line;
    bool is_end = line && used == 0 && (feof(file) || ferror(file));
    if (is_end)
        free(line);
    else if (line)
        line[used - (used && line[used - 1] == '\r')] = '\0';
    return is_end ? NULL : line;
}

/* What is read of a cache: lines as its sides would be written, each until it is taken. */
struct cache {
    struct sides sides;
    size_t next;  /* where the search goes on: both files have one order */
    size_t lines; /* of the baseline, and those that it has nothing of */
    size_t missing;
    bool lacks_memory;
};

/* Adds the side that says the same as a line. False: there is none, or out of memory. */
static bool take_cached(struct cache *cache, const char *line, struct sides *to)
{
    size_t count = cache->sides.count;
    for (size_t i = 0; i < count; i++) {
        size_t at = (cache->next + i) % count;
        struct saved_side *saved = &cache->sides.saved[at];
        if (!saved->line || strcmp(saved->line, line) != 0)
            continue;
        cache->lacks_memory |= !make_room(to);
        if (cache->lacks_memory)
            return false;
        to->items[to->count] = cache->sides.items[at];
        to->saved[to->count++] = *saved;
        *saved = (struct saved_side){0};
        cache->next = at + 1;
        return true;
    }
    return false;
}

static void free_saved(struct saved_side *saved)
{
    for (size_t k = 0; k < saved->place_count; k++)
        free(saved->places[k]);
    free(saved->places);
    free(saved->nodes);
    free(saved->causes);
    free(saved->ids);
    free(saved->target);
    free(saved->line);
    json_decref(saved->document);
}

/* While there is the limit. */
static void free_sides_of(struct sides *sides)
{
    for (size_t i = 0; i < sides->count; i++)
        free_saved(&sides->saved[i]);
    free(sides->items);
    free(sides->saved);
    *sides = (struct sides){0};
}

/* What the cache has of a line, else what the line says, which is taken. */
static bool add_line(struct sides *out, struct cache *cache, char *line, size_t number, char *problem, size_t bytes)
{
    cache->lines++;
    if (take_cached(cache, line, out)) {
        free(line);
        return true;
    }
    cache->missing++;
    json_t *document = read_word_line(line);
    bool is_read = document && add_document(out, document, problem, bytes);
    json_decref(document);
    if (is_read) {
        out->saved[out->count - 1].line = line;
        return true;
    }
    (void)snprintf(problem, bytes, "line %zu: no line of a baseline", number);
    free(line);
    return false;
}

/* Of "# npu-partition baseline 3: ..."; 0: it is none. */
static int version_of(const char *line)
{
    size_t length = sizeof BASELINE_HEAD - 1;
    long version = strncmp(line, BASELINE_HEAD, length) == 0 ? strtol(line + length, NULL, 10) : 0;
    return version > 0 && version < INT_MAX ? (int)version : 0;
}

/* All of a cache, or nothing of one that cannot be read: `note` says why. */
static void read_cache(struct cache *cache, const char *path, int version, char *note, size_t bytes)
{
    char problem[160] = "", *beside = malloc(strlen(path) + sizeof BASELINE_CACHE);
    if (beside)
        (void)snprintf(beside, strlen(path) + sizeof BASELINE_CACHE, "%s" BASELINE_CACHE, path);
    bool is_file = beside && kind_of_path(beside, true) == PATH_FILE;
    FILE *file = is_file ? open_file(beside, "rb") : NULL;
    bool is_read = file && read_documents(file, &cache->sides, problem, sizeof problem) && !ferror(file);
    if (!file)
        (void)snprintf(problem, sizeof problem, "%s", !beside || is_file ? strerror(errno) : "not a regular file");
    if (file)
        (void)fclose(file);
    for (size_t i = 0; is_read && i < cache->sides.count; i++) {
        cache->sides.saved[i].line = make_words(&cache->sides.items[i], version);
        cache->lacks_memory |= !cache->sides.saved[i].line;
    }
    cache->lacks_memory |= !beside;
    if (beside && kind_of_path(beside, true) == PATH_NOTHING)
        (void)snprintf(note, bytes, "is missing");
    else if (!is_read)
        (void)snprintf(note, bytes, "cannot be read (%s)", problem);
    if (!is_read)
        free_sides_of(&cache->sides);
    free(beside);
}

/* The rest of a baseline in words, after its first line. */
static bool read_lines(FILE *file, struct cache *cache, struct sides *out, char *problem, size_t bytes)
{
    bool is_read = true, has_failed = false;
    char *line;
    for (size_t number = 2; is_read && (line = read_line(file, &has_failed)) != NULL; number++) {
        if (*line && *line != '#')
            is_read = add_line(out, cache, line, number, problem, bytes);
        else
            free(line);
    }
    cache->lacks_memory |= has_failed;
    return is_read;
}

/* The cache may be missing, or of another day: then the words are all that is known, which is told. */
static bool read_words(FILE *file, const char *path, struct sides *out, char *problem, size_t bytes)
{
    struct cache cache = {0};
    char why[200] = "", *head = read_line(file, &cache.lacks_memory);
    int version = head ? version_of(head) : 0;
    bool is_read = version > 0 && version <= BASELINE_VERSION;
    if (head && version > BASELINE_VERSION)
        (void)snprintf(problem, bytes, "made by a later version of npu-partition (%s)", head);
    else if (!is_read)
        (void)snprintf(problem, bytes, "its first line is not that of a baseline (%sVERSION)", BASELINE_HEAD);
    free(head);
    if (is_read) {
        read_cache(&cache, path, version, why, sizeof why);
        is_read = read_lines(file, &cache, out, problem, bytes);
    }
    if (!*why && cache.missing)
        (void)snprintf(why, sizeof why, "has no entry for %zu of %zu lines", cache.missing, cache.lines);
    if (*why && cache.missing)
        (void)snprintf(out->note, sizeof out->note, BASELINE_CACHE " %s: figures and causes are compared, no nodes",
                       why);
    if (cache.lacks_memory || json_lacked_memory()) {
        (void)snprintf(problem, bytes, "out of memory");
        is_read = false;
    }
    free_sides_of(&cache.sides);
    return is_read;
}

bool read_sides(const char *path, struct sides *out, char *problem, size_t bytes)
{
    FILE *file = open_file(path, "rb");
    bool is_read = file != NULL;
    int byte;
    if (!file)
        (void)snprintf(problem, bytes, "%s", strerror(errno));
    begin_json_limit_of(MOST_REPORT_BYTES);
    if (is_read && (byte = next_json_byte(file)) != EOF) {
        is_read = ungetc(byte, file) != EOF;
        if (is_read)
            is_read = byte == '#' ? read_words(file, path, out, problem, bytes)
                                  : read_documents(file, out, problem, bytes);
    }
    end_json_limit();
    if (is_read && ferror(file)) {
        (void)snprintf(problem, bytes, "cannot be read to its end");
        is_read = false;
    }
    if (file)
        fclose(file);
    return is_read;
}

void free_sides(struct sides *sides)
{
    begin_json_limit_of(MOST_REPORT_BYTES);
    free_sides_of(sides);
    end_json_limit();
}

bool add_words(struct sides *out, const char *line)
{
    char problem[256];
    begin_json_limit_of(MOST_REPORT_BYTES);
    json_t *document = read_word_line(line);
    bool is_read = document && add_document(out, document, problem, sizeof problem);
    json_decref(document);
    end_json_limit();
    return is_read;
}

const char *line_of_side(const struct sides *sides, const struct npart_side *side)
{
    bool is_one = side >= sides->items && side < sides->items + sides->count;
    return is_one ? sides->saved[side - sides->items].line : NULL;
}

bool is_whole_report(const struct sides *sides, const struct npart_side *side)
{
    const json_t *document = sides->saved[side - sides->items].document;
    return json_is_object(json_object_get(document, "tool")) && json_is_integer(json_object_get(document, "schema"));
}

bool find_document(const struct sides *sides, const struct npart_side *side, int64_t *begin, int64_t *end)
{
    const struct saved_side *saved = &sides->saved[side - sides->items];
    *begin = saved->begin;
    *end = saved->end;
    return *begin >= 0 && *end > *begin;
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
static struct found search(const struct sides *sides, const char *model, const char *name, size_t length,
                           const char *toolchain, bool (*suits)(const char *, const char *, size_t))
{
    struct found of_name = {0}, of_toolchain = {0};
    for (size_t i = 0; i < sides->count; i++) {
        const struct npart_side *side = &sides->items[i];
        if ((model && strcmp(side->model, model) != 0) || !suits(side->target, name, length))
            continue;
        add_found(&of_name, side);
        if (toolchain && is_toolchain(side->toolchain, toolchain))
            add_found(&of_toolchain, side);
    }
    return of_toolchain.side ? of_toolchain : of_name;
}

const struct npart_side *find_side(const struct sides *sides, const char *model, const char *target,
                                   const char *toolchain, bool *are_several)
{
    struct found found = search(sides, model, target, strlen(target), toolchain, is_target);
    if (are_several)
        *are_several = found.are_several;
    return found.are_several ? NULL : found.side;
}

const struct npart_side *find_meant_side(const struct sides *sides, const char *model, const char *text,
                                         bool *are_several)
{
    size_t length = strcspn(text, "@");
    const char *toolchain = text[length] ? text + length + 1 : NULL;
    struct found found = search(sides, model, text, length, toolchain, is_target);
    if (!found.side)
        found = search(sides, model, text, length, toolchain, begins_target);
    *are_several = found.are_several;
    return found.are_several ? NULL : found.side;
}
