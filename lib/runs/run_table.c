/* SPDX-License-Identifier: Apache-2.0
 *
 * A table of measured runs, as CSV or JSON.
 */
#include <math.h>
#include <stdio.h>

#include "runs/runs.h"

enum run_column { RUN_MODEL, RUN_TARGET, RUN_RUNTIME, RUN_DIMS, RUN_PROFILE, RUN_ON, RUN_MS, RUN_COLUMNS };
static const char *const columns[RUN_COLUMNS] = {"model", "target", "runtime", "dims", "profile", "on", "ms"};

struct npart_run_table {
    struct npart__life *life;
    struct NPART__ARRAY(struct npart_measured_run) rows;
    char problem[256];
};

static bool fail(npart_run_table *table, uint32_t line, const char *problem)
{
    if (*table->problem)
        return false;
    if (line)
        (void)snprintf(table->problem, sizeof table->problem, "line %u: %.220s", line, problem);
    else
        (void)snprintf(table->problem, sizeof table->problem, "%.240s", problem);
    return false;
}

/* NULL where nothing is said. */
static const char *keep(npart_run_table *table, const char *text)
{
    return text && *text ? npart__arena_copy_text(&table->life->arena, text, strlen(text)) : NULL;
}

static bool add(npart_run_table *table, const char *const texts[RUN_MS], double ms, uint32_t line)
{
    const char *on = texts[RUN_ON];
    struct npart_measured_run row = {.size = sizeof row,
                                     .model = keep(table, texts[RUN_MODEL]),
                                     .target = keep(table, texts[RUN_TARGET]),
                                     .runtime = keep(table, texts[RUN_RUNTIME]),
                                     .dims = keep(table, texts[RUN_DIMS]),
                                     .profile = keep(table, texts[RUN_PROFILE]),
                                     .is_on_cpu = on && *on,
                                     .ms = ms,
                                     .line = line};
    if (table->rows.count == NPART_MOST_RUN_ROWS)
        return fail(table, line, "too many runs");
    if (table->life->arena.failed || !NPART__PUSH(&table->life->arena, &table->rows, row))
        return fail(table, 0, "out of memory");
    if (!row.model)
        return fail(table, line, "which model?");
    if (ms < 0 && !row.profile)
        return fail(table, line, "neither ms nor a profile");
    if (row.is_on_cpu && strcmp(on, "cpu") != 0)
        return fail(table, line, "on: expected cpu, or nothing for the plan as it is");
    return true;
}

static bool is_time(double ms)
{
    return isfinite(ms) && ms > 0;
}

/* ---- CSV --------------------------------------------------------------------------------------------------- */

/* Takes the next field of a line, in place: quoted ones lose their quotes. NULL after the last; *is_bad for a quote
 * that does not end. */
static char *next_field(char **at, bool *is_bad)
{
    char *start = *at, *to = start, *from = start;
    if (!start)
        return NULL;
    if (*from == '"') {
        for (from++; *from && !(*from == '"' && from[1] != '"'); from++) {
            from += *from == '"';
            *to++ = *from;
        }
        *is_bad |= *from != '"' || (from[1] && from[1] != ',');
        from += *from == '"';
    } else {
        from += strcspn(from, ",");
        to = from;
    }
    *at = *from == ',' ? from + 1 : NULL;
    *to = '\0';
    return start;
}

/* Which column each field is; RUN_COLUMNS for one that is not read. */
struct header {
    int columns[64];
    size_t count;
};

static bool read_header(struct header *header, char *line)
{
    bool has[RUN_COLUMNS] = {false}, is_bad = false;
    header->count = 0;
    for (char *field; (field = next_field(&line, &is_bad)) != NULL; header->count++) {
        int c = 0;
        if (header->count == NPART__COUNT(header->columns))
            return false;
        while (c < RUN_COLUMNS && strcmp(columns[c], field) != 0)
            c++;
        if (c < RUN_COLUMNS && has[c])
            return false;
        header->columns[header->count] = c;
        if (c < RUN_COLUMNS)
            has[c] = true;
    }
    return !is_bad && has[RUN_MODEL] && (has[RUN_MS] || has[RUN_PROFILE]);
}

static bool read_row(npart_run_table *table, const struct header *header, char *line, uint32_t number)
{
    const char *texts[RUN_COLUMNS] = {NULL};
    char *fields[RUN_COLUMNS] = {NULL};
    bool is_bad = false;
    size_t count = 0;
    double ms = -1;
    for (char *field; (field = next_field(&line, &is_bad)) != NULL; count++)
        if (count < header->count && header->columns[count] < RUN_COLUMNS)
            texts[header->columns[count]] = fields[header->columns[count]] = field;
    if (is_bad || count != header->count)
        return fail(table, number, is_bad ? "a quote is not closed" : "not as many fields as the first line has");
    if (texts[RUN_MS] && *texts[RUN_MS]) {
        char *end;
        ms = npart__read_real(fields[RUN_MS], &end);
        if (*end || !is_time(ms))
            return fail(table, number, "ms is no time above 0");
    }
    return add(table, texts, ms, number);
}

static void cut_line_end(char *line)
{
    size_t length = strlen(line);
    while (length && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        line[--length] = '\0';
}

static bool read_csv(npart_run_table *table, struct npart__stream *input)
{
    char *line = npart__arena_allocate(&table->life->arena, NPART_MOST_RUN_LINE);
    struct header header = {.count = 0};
    uint32_t number = 0;
    bool is_fine = line != NULL || fail(table, 0, "out of memory");
    npart__stream_back(input);
    while (is_fine && npart__stream_line(input, line, NPART_MOST_RUN_LINE)) {
        number++;
        if (strlen(line) == NPART_MOST_RUN_LINE - 1 && line[NPART_MOST_RUN_LINE - 2] != '\n')
            is_fine = fail(table, number, "longer than 65,535 bytes");
        cut_line_end(line);
        if (is_fine && number == 1)
            is_fine = read_header(&header, line) ||
                      fail(table, 1, "no names of columns: model, ms or profile, and perhaps target, runtime, dims");
        else if (is_fine && *line)
            is_fine = read_row(table, &header, line, number);
    }
    npart__arena_release(&table->life->arena, line);
    return is_fine;
}

/* ---- JSON -------------------------------------------------------------------------------------------------- */

/* {"batch": 1} as "batch=1"; also as that text. False when a size is no whole number, or there are too many. */
static bool take_dims(const struct npart__tree *dims, char *out, size_t bytes)
{
    size_t used = 0;
    *out = '\0';
    if (npart__is_string(dims))
        used = (size_t)snprintf(out, bytes, "%s", npart__tree_string(dims));
    for (uint32_t i = 0; i < npart__tree_members(dims); i++) {
        const struct npart__tree_member *member = &dims->is.object->members[i];
        if (!npart__is_integer(&member->value) || used >= bytes)
            return false;
        used += (size_t)snprintf(out + used, bytes - used, "%s%s=%lld", used ? " " : "", member->key,
                                 (long long)npart__tree_integer(&member->value));
    }
    return used < bytes && (!dims || npart__is_string(dims) || npart__is_object(dims));
}

static bool take_run(npart_run_table *table, const struct npart__tree *object, uint32_t number)
{
    const char *texts[RUN_MS] = {NULL};
    char dims[4096], text[64];
    const struct npart__tree *ms = npart__tree_member(object, "ms");
    for (int c = 0; c < RUN_MS; c++)
        texts[c] = npart__tree_text(object, columns[c]);
    texts[RUN_DIMS] = dims;
    (void)snprintf(text, sizeof text, "run %u: no object, or ms or dims are no numbers", number);
    if (!npart__is_object(object) || !take_dims(npart__tree_member(object, "dims"), dims, sizeof dims) ||
        (ms && !(npart__tree_is_number(ms) && is_time(npart__tree_number(ms)))))
        return fail(table, 0, text);
    return add(table, texts, ms ? npart__tree_number(ms) : -1, number);
}

static bool take_runs(npart_run_table *table, const struct npart__tree *document)
{
    const struct npart__tree *list = npart__tree_get(document, "runs"), *run;
    uint32_t i;
    if (!npart__is_list(list))
        return fail(table, 0, "no list of runs");
    for (i = 0; (run = npart__tree_at(list, i)) != NULL; i++)
        if (!take_run(table, run, i + 1))
            return false;
    return true;
}

static bool read_json(npart_run_table *table, struct npart__stream *input)
{
    char problem[200];
    struct npart__arena arena;
    npart__arena_init(&arena, &table->life->arena.allocator);
    npart__stream_back(input);
    const struct npart__tree *document =
        npart__tree_read(input, &arena, NPART__TREE_GOES_ON | NPART__TREE_IS_STRICT, NPART__MOST_TREE_BYTES, problem,
                         sizeof problem);
    bool is_fine = document ? take_runs(table, document) : fail(table, 0, problem);
    table->life->arena.failed |= arena.failed;
    npart__arena_clear(&arena);
    return is_fine;
}

/* ---- both -------------------------------------------------------------------------------------------------- */

bool npart_run_table_begins(const char *beginning)
{
    if (!beginning)
        return false;
    beginning += strncmp(beginning, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    const char *at = beginning + strspn(beginning, " \t\r\n");
    if (*at == '{') {
        at += 1 + strspn(at + 1, " \t\r\n");
        return strncmp(at, "\"runs\"", 6) == 0;
    }
    size_t length = strcspn(beginning, "\r\n");
    char line[1024];
    struct header header;
    if (length >= sizeof line)
        return false;
    memcpy(line, beginning, length);
    line[length] = '\0';
    return read_header(&header, line);
}

static npart_status read_table(npart_run_table *table, struct npart__stream *input, struct npart_error *error)
{
    int byte = npart__stream_first(input);
    bool is_fine = byte >= 0 ? true : fail(table, 0, "is empty");
    if (is_fine)
        is_fine = byte == '{' ? read_json(table, input) : read_csv(table, input);
    if (is_fine && input->has_failed)
        is_fine = fail(table, 0, "cannot be read");
    if (is_fine && (table->rows.count || fail(table, 0, "has no runs")))
        return NPART_OK;
    if (table->life->arena.failed)
        return npart__fail_memory(error);
    return npart__fail(error, input->has_failed ? NPART_ERROR_READ : NPART_ERROR_MALFORMED, "", "%s", table->problem);
}

npart_status npart_run_table_read(npart_run_table **out, npart_read_callback read, void *payload,
                                  const struct npart_allocator *allocator, struct npart_error *error)
{
    struct npart__arena scratch;
    if (!out || !read)
        return npart__fail_null(!out ? "out" : "read", error);
    npart_run_table *table = npart__handle_new(sizeof *table, allocator);
    if (!table)
        return npart__fail_memory(error);
    npart__arena_init(&scratch, allocator);
    struct npart__stream *input = npart__arena_allocate(&scratch, sizeof *input);
    if (input)
        npart__stream_init(input, read, payload);
    npart_status status = input ? read_table(table, input, error) : npart__fail_memory(error);
    npart__arena_clear(&scratch);
    return NPART__HAND_OVER(out, table, status, error);
}

NPART__FREES(run_table)

bool npart_run_table_row(const npart_run_table *table, uint32_t index, struct npart_measured_run *out)
{
    return NPART__GET(table, rows, index, out);
}
