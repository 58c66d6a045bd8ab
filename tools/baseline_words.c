/* SPDX-License-Identifier: Apache-2.0
 *
 * Fields of a line have tabs between them: the model, the target, the toolchain, what the plan comes to, its structure,
 * and the first causes. Figures are rounded, so two lines are compared with each other, never with a plan.
 */
#include "baseline_words.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "json_memory.h"
#include "message.h"

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

/* Without control characters, those that turn the direction of what follows, or invisible ones: a reviewer sees what is
 * read. */
static bool is_visible(const char *text)
{
    return npart_plain_text(text, NULL, 0) == strlen(text); /* an escape is longer than what it is for */
}

/* A field: as it is, or as a string of JSON where it would not be read again, or not be seen. */
static void put_field(struct words *words, const char *text)
{
    if (*text && *text != '"' && *text != '#' && *text != ' ' && is_visible(text)) {
        put(words, "%s", text);
        return;
    }
    size_t bytes = npart_json_text(text, strlen(text), NULL, 0) + 1;
    char *quoted = malloc(bytes);
    if (quoted) {
        (void)npart_json_text(text, strlen(text), quoted, bytes);
        put(words, "\"%s\"", quoted);
    }
    words->has_failed |= !quoted;
    free(quoted);
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

/* "98.53 % of 4111514 MACs": the number tells a model that grew from one that got slower. */
static void put_macs(struct words *words, const struct npart_summary *at, int version)
{
    double known = at->mac_coverage > 0 ? at->mac_coverage : 0;
    unsigned share = (unsigned)((known < 1 ? known : 1) * 1e4 + 0.5);
    char number[24] = "";
    if (!at->has_macs || (!at->macs && version < 3))
        return;
    if (version >= 3)
        (void)snprintf(number, sizeof number, "%llu ", (unsigned long long)at->macs);
    if (at->macs)
        put(words, ", %u.%02u %% of %sMACs", share / 100, share % 100, number);
    else
        put(words, ", no MACs");
}

/* Microseconds; UINT64_MAX: not known. */
static uint64_t microseconds(const struct npart_cost_range *range)
{
    double ms = range->typical_ms;
    return ms >= 0 && ms < 1e12 ? (uint64_t)(ms * 1000 + 0.5) : UINT64_MAX;
}

static void put_time(struct words *words, uint64_t us, const char *what)
{
    put(words, ", %llu.%03llu ms%s", (unsigned long long)(us / 1000), (unsigned long long)(us % 1000), what);
}

/* ", 2.130 ms, 1.900 ms if whole": by the second a larger model is told from one that got worse. Where they are the
 * same it is left out. */
static void put_times(struct words *words, const struct npart_side *side, int version)
{
    uint64_t run = microseconds(&side->cost), whole = microseconds(&side->npu_whole);
    if (run == UINT64_MAX)
        return;
    put_time(words, run, "");
    if (version >= 3 && whole == UINT64_MAX)
        put(words, ", unknown if whole");
    else if (version >= 3 && whole != run)
        put_time(words, whole, " if whole");
}

/* "split, 4 partitions, 110 of 120 nodes taken, 98.53 % of 4111514 MACs, 2.130 ms" */
static void put_summary(struct words *words, const struct npart_side *side, int version)
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
    if (side->limits && side->limits != NPART_NONE && version >= 3)
        put(words, ", %u memory limit%s passed", side->limits, plural(side->limits));
    put_macs(words, at, version);
    put_times(words, side, version);
}

char *make_words(const struct npart_side *side, int version)
{
    struct words words = {0};
    put_field(&words, side->model);
    put(&words, "\t");
    put_field(&words, side->target);
    put(&words, "\t");
    put_field(&words, side->toolchain);
    put(&words, "\t");
    put_summary(&words, side, version);
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

/* A string of JSON, which is read as a list of one. NULL: it is none, or out of memory. */
static json_t *read_quoted(const char *field)
{
    bool has_memory;
    size_t bytes = strlen(field) + sizeof "[]";
    char *text = malloc(bytes);
    if (!text)
        return NULL;
    (void)snprintf(text, bytes, "[%s]", field);
    json_t *list = read_json_text(text, bytes - 1, &has_memory);
    json_t *value = json_array_size(list) == 1 ? json_incref(json_array_get(list, 0)) : NULL;
    free(text);
    json_decref(list);
    return value;
}

/* NULL, too, for what nobody can see. */
static json_t *read_field(const char *field)
{
    if (!is_visible(field))
        return NULL;
    return *field == '"' ? read_quoted(field) : json_string(field);
}

/* A number, and what follows it. No number of the words has more digits than one of 63 bits. */
static bool read_number(const char **at, uint64_t *out)
{
    *out = 0;
    size_t digits = strspn(*at, "0123456789");
    for (size_t i = 0; i < digits && digits <= 18; i++)
        *out = 10 * *out + (uint64_t)((*at)[i] - '0');
    *at += digits;
    return digits > 0 && digits <= 18;
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
    uint64_t partitions, accepted, live, failed, unknown, limits, macs, share, run_us, whole_us;
    bool has_macs, has_run, has_whole, lacks_whole, is_invalid;
};

/* What follows a number of one, and of several. */
static const struct {
    const char *one, *several;
    size_t place;
} counts[] = {
    {" partition", " partitions", offsetof(struct figures, partitions)},
    {" fail to compile", " fail to compile", offsetof(struct figures, failed)},
    {" undecided", " undecided", offsetof(struct figures, unknown)},
    {" memory limit passed", " memory limits passed", offsetof(struct figures, limits)},
};

static bool read_count(const char *at, uint64_t number, struct figures *out)
{
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (strcmp(at, counts[i].one) == 0 || strcmp(at, counts[i].several) == 0) {
            *(uint64_t *)((char *)out + counts[i].place) = number;
            return number < NPART_NONE;
        }
    return false;
}

/* " of 120 nodes taken" of so many. */
static bool read_taken(const char *at, uint64_t number, struct figures *out)
{
    out->accepted = number;
    return begins(&at, " of ") && read_number(&at, &out->live) && out->live < NPART_NONE && number <= out->live &&
           (strcmp(at, " node taken") == 0 || strcmp(at, " nodes taken") == 0);
}

/* The decimals of a number, so many of them. */
static bool read_decimals(const char **at, size_t count, uint64_t *out)
{
    return begins(at, ".") && strspn(*at, "0123456789") == count && read_number(at, out);
}

/* ".53 % of 4111514 MACs" of so many percent. Where the number is missing, as in words of version 2, the share alone is
 * compared, by the same number on both sides. */
static bool read_share(const char *at, uint64_t percent, struct figures *out)
{
    uint64_t hundredths;
    if (!read_decimals(&at, 2, &hundredths) || percent > 100 || !begins(&at, " % of "))
        return false;
    out->has_macs = true;
    out->macs = 10000;
    out->share = 100 * percent + hundredths;
    bool has_number = *at == 'M' || (read_number(&at, &out->macs) && out->macs && begins(&at, " "));
    return has_number && strcmp(at, "MACs") == 0 && out->share <= 10000;
}

/* ".130 ms" of so many milliseconds, or ".900 ms if whole". */
static bool read_time(const char *at, uint64_t ms, struct figures *out)
{
    uint64_t us;
    if (!read_decimals(&at, 3, &us) || ms >= UINT64_C(1000000000000) || !begins(&at, " ms"))
        return false;
    bool is_whole = strcmp(at, " if whole") == 0;
    *(is_whole ? &out->whole_us : &out->run_us) = 1000 * ms + us;
    *(is_whole ? &out->has_whole : &out->has_run) = true;
    return is_whole || !*at;
}

/* One of "4 partitions", "110 of 120 nodes taken", "98.53 % of 4111514 MACs" and so on. */
static bool read_figure(const char *at, struct figures *out)
{
    static bool (*const readers[])(const char *, uint64_t, struct figures *) = {read_count, read_taken, read_share,
                                                                                read_time};
    uint64_t number;
    if (strcmp(at, "invalid") == 0)
        return out->is_invalid = true;
    if (strcmp(at, "no MACs") == 0)
        return out->has_macs = true;
    if (strcmp(at, "unknown if whole") == 0)
        return out->lacks_whole = true;
    if (!read_number(&at, &number))
        return false;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        struct figures with = *out;
        if (readers[i](at, number, &with)) {
            *out = with;
            return true;
        }
    }
    return false;
}

static bool is_verdict(const char *text)
{
    const char *word = "";
    for (int i = 0; word && strcmp(word, text) != 0; i++)
        word = npart_plan_verdict_text((enum npart_plan_verdict)i);
    return word && *word;
}

/* The verdict, the number of partitions and that of nodes are always there. */
static bool read_figures(char *field, struct figures *out)
{
    char *at = field;
    size_t count = 0;
    bool is_ok = true;
    for (char *end; is_ok && at; at = end ? end + 2 : NULL, count++) {
        end = strstr(at, ", ");
        if (end)
            *end = '\0';
        is_ok = count == 0 ? is_verdict(at) : read_figure(at, out);
    }
    return is_ok && count >= 3;
}

static json_t *known(bool is_known, json_int_t number)
{
    return is_known ? json_integer(number) : json_null();
}

/* The field's first words are ended in place, and are the verdict then. */
static json_t *write_summary(const char *verdict, const struct figures *figures)
{
    double coverage = figures->live ? (double)figures->accepted / (double)figures->live : 1;
    double share = (double)figures->share / 1e4;
    json_int_t on_npu = (json_int_t)(share * (double)figures->macs + 0.5);
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:o, s:o, s:o}", "verdict", verdict,
                     "partitions", (json_int_t)figures->partitions, "accepted", (json_int_t)figures->accepted,
                     "live", (json_int_t)figures->live, "failed", (json_int_t)figures->failed,
                     "unknown", (json_int_t)figures->unknown, "coverage", coverage,
                     "macs", known(figures->has_macs, (json_int_t)figures->macs),
                     "macs_on_npu", known(figures->has_macs, on_npu),
                     "mac_coverage", figures->has_macs ? json_real(share) : json_null());
}

/* "2 nodes, attribute hexagon/Pad/mode: Pad: mode must be constant" */
static json_t *read_cause_words(char *field)
{
    const char *at = field;
    uint64_t count;
    if (!read_number(&at, &count) || count >= NPART_NONE || !begins(&at, " node"))
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

/* Of further causes there is a number, in the last field. */
static bool is_rest(const char *field)
{
    uint64_t count;
    return begins(&field, "and ") && read_number(&field, &count) && strcmp(field, " more") == 0;
}

/* All fields that are left; NULL where one is none, or out of memory. */
static json_t *read_causes_words(char *line)
{
    json_t *causes = json_array();
    for (char *field; causes && (field = next_field(&line)) != NULL;) {
        json_t *cause = !line && is_rest(field) ? NULL : read_cause_words(field);
        if (!cause && !line && is_rest(field))
            break;
        if (!cause || json_array_append_new(causes, cause) != 0) {
            json_decref(causes);
            causes = NULL;
        }
    }
    return causes;
}

/* "structure 0123456789abcdef" */
static bool is_structure(const char *field)
{
    return begins(&field, "structure ") && strspn(field, "0123456789abcdef") == 16 && strlen(field) == 16;
}

static json_t *write_cost(const struct figures *figures)
{
    double run_ms = (double)figures->run_us / 1000;
    double whole_ms = figures->has_whole ? (double)figures->whole_us / 1000 : run_ms;
    json_t *run = figures->has_run ? json_real(run_ms) : json_null();
    json_t *whole = figures->has_run && !figures->lacks_whole ? json_pack("[f, f, f]", whole_ms, whole_ms, whole_ms)
                                                               : json_null();
    return json_pack("{s:o, s:{s:o}}", "typical_ms", run, "alternatives", "npu_whole", whole);
}

static json_t *read_fields(char *line)
{
    struct figures figures = {0};
    char *model = next_field(&line), *target = next_field(&line), *toolchain = next_field(&line);
    char *summary = next_field(&line), *structure = next_field(&line);
    if (!structure || !is_structure(structure) || !read_figures(summary, &figures))
        return NULL;
    json_t *name = read_field(target), *list = NULL;
    if (json_is_string(name))
        list = json_stringn(json_string_value(name), strcspn(json_string_value(name), ":+ "));
    json_t *findings = figures.is_invalid ? json_pack("[{s:s}]", "code", "invalid") : json_array();
    /* What is packed is given away even where that fails, as where one of it is NULL. */
    return json_pack("{s:i, s:{s:o}, s:o, s:[{s:o, s:o, s:o, s:o, s:o, s:{s:I}, s:o}]}", "baseline", 2,
                     "model", "path", read_field(model), "findings", findings, "targets", "target", list, "name", name,
                     "toolchain", read_field(toolchain), "summary", write_summary(summary, &figures),
                     "cost", write_cost(&figures), "memory", "limits_passed", (json_int_t)figures.limits,
                     "causes", read_causes_words(line));
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

int version_of_words(const char *line)
{
    const char *end = line, *begin = line;
    for (int i = 0; i < 4 && end; i++) {
        begin = i ? end + 1 : line;
        end = strchr(begin, '\t');
    }
    const char *share = end ? strstr(begin, " % of MACs") : NULL;
    return share && share < end ? 2 : BASELINE_VERSION;
}

bool is_same_structure(const char *line, const char *other)
{
    static const char word[] = "\tstructure ";
    const char *a = strstr(line, word), *b = strstr(other, word);
    return a && b && strncmp(a, b, sizeof word - 1 + 16) == 0;
}
