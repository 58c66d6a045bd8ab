/* SPDX-License-Identifier: Apache-2.0
 *
 * Fields of a line have tabs between them: the model, the target, the toolchain, what the plan comes to, its structure,
 * and the first causes. Figures are rounded, so two lines are compared with each other, never with a plan.
 */
#include "baseline_words.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CAUSES 6 /* of a line; more are a number */

/* ---- writing ------------------------------------------------------------------------------------------------ */

struct words {
    char *text;
    size_t used, room;
    bool has_failed;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void put(struct words *words, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t wanted = words->used + (size_t)(length < 0 ? 0 : length) + 1;
    if (length < 0 || words->has_failed)
        return;
    if (wanted > words->room) {
        char *grown = realloc(words->text, 2 * wanted);
        words->has_failed = !grown;
        if (!grown)
            return;
        words->text = grown;
        words->room = 2 * wanted;
    }
    va_start(arguments, format);
    (void)vsnprintf(words->text + words->used, words->room - words->used, format, arguments);
    va_end(arguments);
    words->used = wanted - 1;
}

/* A field: as it is, or as a string of JSON where it would not be read again. */
static void put_field(struct words *words, const char *text)
{
    bool is_plain = *text && *text != '"' && *text != '#' && *text != ' ';
    for (const char *at = text; is_plain && *at; at++)
        is_plain = (unsigned char)*at >= 0x20;
    json_t *value = is_plain ? NULL : json_string(text);
    char *quoted = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
    put(words, "%s", quoted ? quoted : is_plain ? text : "\"\"");
    json_free_t release; /* jansson's own may be another while there is a limit (json_memory.h) */
    json_get_alloc_funcs(NULL, &release);
    release(quoted);
    json_decref(value);
}

/* FNV-1a over what stays when nodes are renamed. */
static unsigned long long structure_of(const struct npart_side *side)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (uint32_t i = 0; i < side->node_count; i++) {
        const struct npart_side_node *node = &side->nodes[i];
        const uint32_t numbers[] = {node->up, node->down, node->around, node->itself};
        for (const char *op = node->op ? node->op : ""; *op; op++)
            hash = (hash ^ (unsigned char)*op) * UINT64_C(1099511628211);
        for (size_t k = 0; k < 4 * sizeof numbers / sizeof *numbers; k++)
            hash = (hash ^ (numbers[k / 4] >> 8 * (k % 4) & 0xff)) * UINT64_C(1099511628211);
    }
    return (unsigned long long)hash;
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

/* "split, 4 partitions, 110 of 120 nodes taken, 98.53 % of MACs, 2.130 ms" */
static void put_summary(struct words *words, const struct npart_side *side)
{
    const struct npart_summary *at = &side->summary;
    const char *verdict = npart_plan_verdict_text(at->verdict);
    put(words, "%s, %u partition%s, %u of %u node%s taken", verdict ? verdict : "", at->partitions,
        plural(at->partitions), at->accepted, at->live, plural(at->live));
    if (at->failed)
        put(words, ", %u fail to compile", at->failed);
    if (at->unknown)
        put(words, ", %u undecided", at->unknown);
    if (side->is_invalid)
        put(words, ", invalid");
    if (at->has_macs && at->macs) {
        double known = at->mac_coverage > 0 ? at->mac_coverage : 0;
        unsigned share = (unsigned)((known < 1 ? known : 1) * 1e4 + 0.5);
        put(words, ", %u.%02u %% of MACs", share / 100, share % 100);
    }
    if (side->cost.typical_ms >= 0 && side->cost.typical_ms < 1e12) {
        unsigned long long us = (unsigned long long)(side->cost.typical_ms * 1000 + 0.5);
        put(words, ", %llu.%03llu ms", us / 1000, us % 1000);
    }
}

char *make_words(const struct npart_side *side)
{
    struct words words = {0};
    put_field(&words, side->model);
    put(&words, "\t");
    put_field(&words, side->target);
    put(&words, "\t");
    put_field(&words, side->toolchain);
    put(&words, "\t");
    put_summary(&words, side);
    put(&words, "\tstructure %016llx", structure_of(side));
    for (uint32_t i = 0; i < side->cause_count && i < MOST_CAUSES; i++) {
        const struct npart_side_cause *cause = &side->causes[i];
        put(&words, "\t%u node%s, %s %s: ", cause->affected_count, plural(cause->affected_count),
            cause->kind ? cause->kind : "", cause->rule ? cause->rule : "");
        put_field(&words, cause->text ? cause->text : "");
    }
    if (side->cause_count > MOST_CAUSES)
        put(&words, "\tand %u more", side->cause_count - MOST_CAUSES);
    if (words.has_failed)
        free(words.text);
    return words.has_failed ? NULL : words.text;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

/* The next field, which is ended in place; NULL after the last. */
static char *next_field(char **at)
{
    char *field = *at;
    if (!field)
        return NULL;
    char *end = strchr(field, '\t');
    if (end)
        *end++ = '\0';
    *at = end;
    return field;
}

static json_t *read_field(const char *field)
{
    return *field == '"' ? json_loads(field, JSON_DECODE_ANY, NULL) : json_string(field);
}

/* A number of up to nine digits, and what follows it. */
static bool read_number(const char **at, uint32_t *out)
{
    *out = 0;
    size_t digits = strspn(*at, "0123456789");
    for (size_t i = 0; i < digits && digits < 10; i++)
        *out = 10 * *out + (uint32_t)((*at)[i] - '0');
    *at += digits;
    return digits > 0 && digits < 10;
}

static bool begins(const char **at, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0)
        return false;
    *at += length;
    return true;
}

struct figures {
    uint32_t partitions, accepted, live, failed, unknown, share, cents;
    bool has_macs, is_invalid;
};

/* One of "4 partitions", "110 of 120 nodes taken", "98.53 % of MACs" and so on. */
static bool read_figure(const char *at, struct figures *out)
{
    uint32_t number, second;
    if (strcmp(at, "invalid") == 0)
        return out->is_invalid = true;
    if (!read_number(&at, &number))
        return false;
    if (begins(&at, " partition"))
        out->partitions = number;
    else if (begins(&at, " fail to compile"))
        out->failed = number;
    else if (begins(&at, " undecided"))
        out->unknown = number;
    else if (begins(&at, " of ") && read_number(&at, &second)) {
        out->accepted = number;
        out->live = second;
    } else if (begins(&at, ".") && read_number(&at, &second)) {
        out->has_macs |= strcmp(at, " % of MACs") == 0;
        if (strcmp(at, " % of MACs") == 0)
            out->share = 100 * (number < 100 ? number : 100) + (second < 100 ? second : 0);
    } else {
        return false;
    }
    return true;
}

static json_t *read_summary_words(char *field, bool *is_invalid)
{
    struct figures figures = {0};
    char *comma = strstr(field, ", ");
    bool is_ok = comma != NULL;
    if (comma)
        *comma = '\0';
    for (char *at = comma ? comma + 2 : NULL; is_ok && at;) {
        char *end = strstr(at, ", ");
        if (end)
            *end = '\0';
        is_ok = read_figure(at, &figures);
        at = end ? end + 2 : NULL;
    }
    *is_invalid = figures.is_invalid;
    double coverage = figures.live ? (double)figures.accepted / figures.live : 1;
    uint32_t share = figures.share < 10000 ? figures.share : 10000;
    if (!is_ok)
        return NULL;
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:o, s:o, s:o}", "verdict", field,
                     "partitions", (json_int_t)figures.partitions, "accepted", (json_int_t)figures.accepted,
                     "live", (json_int_t)figures.live, "failed", (json_int_t)figures.failed,
                     "unknown", (json_int_t)figures.unknown, "coverage", coverage,
                     "macs", figures.has_macs ? json_integer(10000) : json_null(),
                     "macs_on_npu", figures.has_macs ? json_integer(share) : json_null(),
                     "mac_coverage", figures.has_macs ? json_real(share / 1e4) : json_null());
}

/* "2 nodes, attribute hexagon/Pad/mode: Pad: mode must be constant" */
static json_t *read_cause_words(char *field)
{
    const char *at = field;
    uint32_t count;
    if (!read_number(&at, &count) || !begins(&at, " node"))
        return NULL;
    char *kind = strstr(field, ", "), *rule = kind ? strchr(kind + 2, ' ') : NULL,
         *text = rule ? strstr(rule, ": ") : NULL;
    if (!text)
        return NULL;
    *rule = *text = '\0';
    json_t *told = read_field(text + 2);
    return told ? json_pack("{s:s, s:s, s:o, s:I, s:[]}", "kind", kind + 2, "rule", rule + 1, "text", told, "victims",
                            (json_int_t)count, "nodes")
                : NULL;
}

static json_t *read_fields(char *line)
{
    bool is_invalid = false;
    char *model = next_field(&line), *target = next_field(&line), *toolchain = next_field(&line);
    char *summary = next_field(&line), *structure = next_field(&line);
    json_t *causes = json_array(), *path = structure ? read_field(model) : NULL;
    json_t *name = structure ? read_field(target) : NULL, *chain = structure ? read_field(toolchain) : NULL;
    json_t *figures = structure ? read_summary_words(summary, &is_invalid) : NULL;
    for (char *field; structure && (field = next_field(&line)) != NULL;) {
        json_t *cause = read_cause_words(field);
        if (cause)
            (void)json_array_append_new(causes, cause);
    }
    json_t *list = json_is_string(name) ? json_stringn(json_string_value(name), strcspn(json_string_value(name), ":+"))
                                        : NULL;
    json_t *findings = json_array();
    if (is_invalid)
        (void)json_array_append_new(findings, json_pack("{s:s}", "code", "invalid"));
    /* What is packed is given away even where that fails. */
    return json_pack("{s:i, s:{s:o}, s:o, s:[{s:o, s:o, s:o, s:o, s:o}]}", "baseline", 2, "model", "path", path,
                     "findings", findings, "targets", "target", list, "name", name, "toolchain", chain, "summary",
                     figures, "causes", causes);
}

json_t *read_word_line(const char *line)
{
    size_t bytes = strlen(line) + 1;
    char *copy = malloc(bytes);
    if (!copy)
        return NULL;
    memcpy(copy, line, bytes);
    json_t *document = read_fields(copy);
    free(copy);
    return document;
}

bool is_same_structure(const char *line, const char *other)
{
    static const char word[] = "\tstructure ";
    const char *a = strstr(line, word), *b = strstr(other, word);
    return a && b && strncmp(a, b, sizeof word - 1 + 16) == 0;
}
