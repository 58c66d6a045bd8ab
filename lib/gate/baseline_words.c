/* SPDX-License-Identifier: Apache-2.0
 *
 * Fields of a line have tabs between them: the model, the target, the toolchain, what the plan comes to, its structure,
 * and the first causes. Figures are rounded, so two lines are compared with each other, never with a plan.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "gate/gate.h"

#define MOST_CAUSES 6 /* of a line; more are a number */

/* ---- writing ------------------------------------------------------------------------------------------------ */

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

/* Without control characters, those that turn the direction of what follows, or invisible ones: a reviewer sees what is
 * read. */
static bool is_visible(const char *text)
{
    return npart__copy_plain(NULL, 0, text) == strlen(text); /* an escape is longer than what it is for */
}

/* A field: as it is, or as a string of JSON where it would not be read again, or not be seen. */
static void put_field(struct npart__buffer *out, const char *text)
{
    if (*text && *text != '"' && *text != '#' && *text != ' ' && is_visible(text))
        npart__append_text(out, text);
    else
        npart__append_json_string(out, text, strlen(text));
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
static void put_macs(struct npart__buffer *out, const struct npart_summary *at, int version)
{
    double known = at->mac_coverage > 0 ? at->mac_coverage : 0;
    unsigned share = (unsigned)((known < 1 ? known : 1) * 1e4 + 0.5);
    char number[24] = "";
    if (!at->has_macs || (!at->macs && version < 3))
        return;
    if (version >= 3)
        (void)snprintf(number, sizeof number, "%llu ", (unsigned long long)at->macs);
    if (at->macs)
        npart__append_format(out, ", %u.%02u %% of %sMACs", share / 100, share % 100, number);
    else
        npart__append_format(out, ", no MACs");
}

/* Microseconds; UINT64_MAX: not known. */
static uint64_t microseconds(const struct npart_cost_range *range)
{
    double ms = range->typical_ms;
    return ms >= 0 && ms < 1e12 ? (uint64_t)(ms * 1000 + 0.5) : UINT64_MAX;
}

static void put_time(struct npart__buffer *out, uint64_t us, const char *what)
{
    npart__append_format(out, ", %llu.%03llu ms%s", (unsigned long long)(us / 1000), (unsigned long long)(us % 1000),
                         what);
}

/* ", 2.130 ms, 1.900 ms if whole": by the second a larger model is told from one that got worse. Where they are the
 * same it is left out. */
static void put_times(struct npart__buffer *out, const struct npart_side *side, int version)
{
    uint64_t run = microseconds(&side->cost), whole = microseconds(&side->npu_whole);
    if (run == UINT64_MAX)
        return;
    put_time(out, run, "");
    if (version >= 3 && whole == UINT64_MAX)
        npart__append_format(out, ", unknown if whole");
    else if (version >= 3 && whole != run)
        put_time(out, whole, " if whole");
}

/* "split, 4 partitions, 110 of 120 nodes taken, 98.53 % of 4111514 MACs, 2.130 ms" */
static void put_summary(struct npart__buffer *out, const struct npart_side *side, int version)
{
    const struct npart_summary *at = &side->summary;
    const char *verdict = npart_plan_verdict_text(at->verdict);
    npart__append_format(out, "%s, %u partition%s, %u of %u node%s taken", verdict ? verdict : "", at->partitions,
        plural(at->partitions), at->accepted, at->live, plural(at->live));
    if (at->failed)
        npart__append_format(out, ", %u fail to compile", at->failed);
    if (at->unknown)
        npart__append_format(out, ", %u undecided", at->unknown);
    if (side->is_invalid)
        npart__append_format(out, ", invalid");
    if (side->limits && side->limits != NPART_NONE && version >= 3)
        npart__append_format(out, ", %u memory limit%s passed", side->limits, plural(side->limits));
    put_macs(out, at, version);
    put_times(out, side, version);
}

void npart__put_baseline_line(struct npart__buffer *out, const struct npart_side *side, int version)
{
    put_field(out, side->model);
    npart__append_text(out, "\t");
    put_field(out, side->target);
    npart__append_text(out, "\t");
    put_field(out, side->toolchain);
    npart__append_text(out, "\t");
    put_summary(out, side, version);
    npart__append_format(out, "\tstructure %016llx", structure_of(side));
    for (uint32_t i = 0; i < side->cause_count && i < MOST_CAUSES; i++) {
        const struct npart_side_cause *cause = &side->causes[i];
        npart__append_format(out, "\t%u node%s, %s %s: ", cause->affected_count, plural(cause->affected_count),
                             cause->kind ? cause->kind : "", cause->rule ? cause->rule : "");
        put_field(out, cause->text ? cause->text : "");
    }
    if (side->cause_count > MOST_CAUSES)
        npart__append_format(out, "\tand %u more", side->cause_count - MOST_CAUSES);
}

const char *npart__baseline_line(const struct npart_side *side, int version, struct npart__arena *arena)
{
    struct npart__buffer out;
    npart__buffer_init(&out, arena);
    npart__put_baseline_line(&out, side, version);
    return npart__kept_text(&out);
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

static const struct npart__tree *read_json(const char *text, size_t length, struct npart__arena *arena)
{
    char problem[200];
    struct npart__text_stream from = {text, length};
    struct npart__stream *input = npart__arena_allocate(arena, sizeof *input);
    if (!input)
        return NULL;
    npart__stream_init(input, npart__read_text, &from);
    const struct npart__tree *value = npart__tree_read(input, arena, 0, SIZE_MAX, problem, sizeof problem);
    npart__arena_give_back(arena, input, sizeof *input);
    return value;
}

/* As it stands there, or as a string of JSON, which is read as a list of one. NULL, too, for what nobody can see. */
static const char *read_field(const char *field, struct npart__arena *arena)
{
    if (!is_visible(field))
        return NULL;
    if (*field != '"')
        return field;
    const char *text = npart__arena_format(arena, "[%s]", field);
    const struct npart__tree *list = text ? read_json(text, strlen(text), arena) : NULL;
    return npart__tree_count(list) == 1 ? npart__tree_string(npart__tree_at(list, 0)) : NULL;
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
    for (size_t i = 0; i < NPART__COUNT(counts); i++)
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
    for (size_t i = 0; i < NPART__COUNT(readers); i++) {
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

/* ---- as a document ------------------------------------------------------------------------------------------ */

static void put_real(struct npart__buffer *out, const char *key, double value)
{
    char text[NPART__NUMBER_BYTES];
    npart__json_value(out, key, npart__digits_text(text, value, 17, false));
}

/* The field's first words are ended in place, and are the verdict then. */
static void put_figures(struct npart__buffer *out, const char *verdict, const struct figures *figures)
{
    double share = (double)figures->share / 1e4;
    npart__json_open(out, "summary", '{');
    npart__json_text(out, "verdict", verdict);
    npart__json_count(out, "partitions", figures->partitions);
    npart__json_count(out, "accepted", figures->accepted);
    npart__json_count(out, "live", figures->live);
    npart__json_count(out, "failed", figures->failed);
    npart__json_count(out, "unknown", figures->unknown);
    put_real(out, "coverage", figures->live ? (double)figures->accepted / (double)figures->live : 1);
    npart__json_count_or_null(out, "macs", figures->has_macs, figures->macs);
    npart__json_count_or_null(out, "macs_on_npu", figures->has_macs,
                              (uint64_t)(share * (double)figures->macs + 0.5));
    if (figures->has_macs)
        put_real(out, "mac_coverage", share);
    npart__json_close(out, '}');
}

static void put_cost(struct npart__buffer *out, const struct figures *figures)
{
    double run_ms = (double)figures->run_us / 1000;
    double whole_ms = figures->has_whole ? (double)figures->whole_us / 1000 : run_ms;
    npart__json_open(out, "cost", '{');
    if (figures->has_run)
        put_real(out, "typical_ms", run_ms);
    npart__json_open(out, "alternatives", '{');
    if (figures->has_run && !figures->lacks_whole) {
        npart__json_open(out, "npu_whole", '[');
        for (int i = 0; i < 3; i++)
            put_real(out, NULL, whole_ms);
        npart__json_close(out, ']');
    }
    npart__json_close(out, '}');
    npart__json_close(out, '}');
}

/* "2 nodes, attribute hexagon/Pad/mode: Pad: mode must be constant". False: it is none. */
static bool put_cause(struct npart__buffer *out, char *field, struct npart__arena *arena)
{
    const char *at = field;
    uint64_t count;
    if (!read_number(&at, &count) || count >= NPART_NONE || !begins(&at, " node"))
        return false;
    char *kind = strstr(field, ", "), *rule = kind ? strchr(kind + 2, ' ') : NULL,
         *text = rule ? strstr(rule, ": ") : NULL;
    if (!text)
        return false;
    *rule = *text = '\0';
    const char *told = read_field(text + 2, arena);
    if (!told)
        return false;
    npart__json_open(out, NULL, '{');
    npart__json_text(out, "kind", kind + 2);
    npart__json_text(out, "rule", rule + 1);
    npart__json_text(out, "text", told);
    npart__json_count(out, "victims", count);
    npart__json_open(out, "nodes", '[');
    npart__json_close(out, ']');
    npart__json_close(out, '}');
    return true;
}

/* Of further causes there is a number, in the last field. */
static bool is_rest(const char *field)
{
    uint64_t count;
    return begins(&field, "and ") && read_number(&field, &count) && strcmp(field, " more") == 0;
}

/* All fields that are left. False where one is none. */
static bool put_causes(struct npart__buffer *out, char *line, struct npart__arena *arena)
{
    npart__json_open(out, "causes", '[');
    for (char *field; (field = next_field(&line)) != NULL;) {
        if (!line && is_rest(field))
            break;
        if (!put_cause(out, field, arena))
            return false;
    }
    npart__json_close(out, ']');
    return true;
}

/* "structure 0123456789abcdef" */
static bool is_structure(const char *field)
{
    return begins(&field, "structure ") && strspn(field, "0123456789abcdef") == 16 && strlen(field) == 16;
}

static bool put_document(struct npart__buffer *out, char *line, struct npart__arena *arena)
{
    struct figures figures = {0};
    char *fields[5];
    for (size_t i = 0; i < NPART__COUNT(fields); i++)
        fields[i] = next_field(&line);
    if (!fields[4] || !is_structure(fields[4]) || !read_figures(fields[3], &figures))
        return false;
    const char *model = read_field(fields[0], arena), *target = read_field(fields[1], arena);
    const char *toolchain = read_field(fields[2], arena);
    if (!model || !target || !toolchain)
        return false;
    npart__json_open(out, NULL, '{');
    npart__json_number(out, "baseline", 2);
    npart__json_open(out, "model", '{');
    npart__json_text(out, "path", model);
    npart__json_close(out, '}');
    if (figures.is_invalid)
        npart__json_value(out, "findings", "[{\"code\":\"invalid\"}]");
    npart__json_open(out, "targets", '[');
    npart__json_open(out, NULL, '{');
    npart__json_string(out, "target", target, strcspn(target, ":+ "));
    npart__json_text(out, "name", target);
    npart__json_text(out, "toolchain", toolchain);
    put_figures(out, fields[3], &figures);
    put_cost(out, &figures);
    npart__json_open(out, "memory", '{');
    npart__json_count(out, "limits_passed", figures.limits);
    npart__json_close(out, '}');
    if (!put_causes(out, line, arena))
        return false;
    npart__json_close(out, '}');
    npart__json_close(out, ']');
    npart__json_close(out, '}');
    return true;
}

const struct npart__tree *npart__read_baseline_line(const char *line, struct npart__arena *arena)
{
    struct npart__arena scratch;
    struct npart__buffer out;
    const struct npart__tree *document = NULL;
    npart__arena_init(&scratch, &arena->allocator);
    npart__buffer_init(&out, &scratch);
    char *copy = npart__arena_copy_text(&scratch, line, strlen(line));
    if (copy && put_document(&out, copy, &scratch) && !scratch.failed)
        document = read_json(npart__buffer_text(&out), out.size, arena);
    arena->failed |= scratch.failed;
    npart__arena_clear(&scratch);
    return document;
}

int npart__baseline_line_version(const char *line)
{
    const char *end = line, *begin = line;
    for (int i = 0; i < 4 && end; i++) {
        begin = i ? end + 1 : line;
        end = strchr(begin, '\t');
    }
    const char *share = end ? strstr(begin, " % of MACs") : NULL;
    return share && share < end ? 2 : NPART_BASELINE_VERSION;
}

bool npart__same_structure(const char *line, const char *other)
{
    static const char word[] = "\tstructure ";
    const char *a = strstr(line, word), *b = strstr(other, word);
    return a && b && strncmp(a, b, sizeof word - 1 + 16) == 0;
}
