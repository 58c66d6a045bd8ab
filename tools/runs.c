/* SPDX-License-Identifier: Apache-2.0 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_memory.h"

static const char *const columns[RUN_COLUMNS] = {"model", "target", "runtime", "dims", "profile", "on", "ms"};

static bool fail(struct runs *runs, uint32_t line, const char *problem)
{
    if (*runs->problem)
        return false;
    if (line)
        (void)snprintf(runs->problem, sizeof runs->problem, "line %u: %.220s", line, problem);
    else
        (void)snprintf(runs->problem, sizeof runs->problem, "%.240s", problem);
    return false;
}

bool runs_add(struct runs *runs, const char *const texts[RUN_MS], double ms, uint32_t line)
{
    if (runs->count == MOST_RUNS)
        return fail(runs, line, "too many runs");
    if (!runs->items)
        runs->items = calloc(MOST_RUNS, sizeof *runs->items);
    if (!runs->items)
        return fail(runs, 0, "out of memory");
    struct measured_run *run = &runs->items[runs->count];
    *run = (struct measured_run){.ms = ms, .line = line};
    runs->count++;
    for (int c = 0; c < RUN_MS; c++)
        if (texts[c] && *texts[c] && !(run->texts[c] = strdup(texts[c])))
            return fail(runs, 0, "out of memory");
    if (!run->texts[RUN_MODEL])
        return fail(runs, line, "which model?");
    if (ms < 0 && !run->texts[RUN_PROFILE])
        return fail(runs, line, "neither ms nor a profile");
    if (run->texts[RUN_ON] && strcmp(run->texts[RUN_ON], "cpu") != 0)
        return fail(runs, line, "on: expected cpu, or nothing for the plan as it is");
    return true;
}

void runs_free(struct runs *runs)
{
    for (uint32_t i = 0; i < runs->count; i++)
        for (int c = 0; c < RUN_MS; c++)
            free(runs->items[i].texts[c]);
    free(runs->items);
    *runs = (struct runs){0};
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
        if (header->count == sizeof header->columns / sizeof *header->columns)
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

static bool read_row(struct runs *runs, const struct header *header, char *line, uint32_t number)
{
    const char *texts[RUN_COLUMNS] = {NULL};
    bool is_bad = false;
    size_t count = 0;
    double ms = -1;
    for (char *field; (field = next_field(&line, &is_bad)) != NULL; count++)
        if (count < header->count && header->columns[count] < RUN_COLUMNS)
            texts[header->columns[count]] = field;
    if (is_bad || count != header->count)
        return fail(runs, number, is_bad ? "a quote is not closed" : "not as many fields as the first line has");
    if (texts[RUN_MS] && *texts[RUN_MS]) {
        char *end;
        ms = strtod(texts[RUN_MS], &end);
        if (*end || !is_time(ms))
            return fail(runs, number, "ms is no time above 0");
    }
    return runs_add(runs, texts, ms, number);
}

static void cut_line_end(char *line)
{
    size_t length = strlen(line);
    while (length && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        line[--length] = '\0';
}

static bool read_csv(struct runs *runs, FILE *file)
{
    char *line = malloc(MOST_RUN_LINE);
    struct header header = {.count = 0};
    uint32_t number = 0;
    bool is_fine = line != NULL || fail(runs, 0, "out of memory");
    while (is_fine && fgets(line, MOST_RUN_LINE, file)) {
        number++;
        if (strlen(line) == MOST_RUN_LINE - 1 && line[MOST_RUN_LINE - 2] != '\n')
            is_fine = fail(runs, number, "longer than 65,535 bytes");
        cut_line_end(line);
        if (is_fine && number == 1)
            is_fine = read_header(&header, line) ||
                      fail(runs, 1, "no names of columns: model, ms or profile, and perhaps target, runtime, dims");
        else if (is_fine && *line)
            is_fine = read_row(runs, &header, line, number);
    }
    free(line);
    return is_fine;
}

/* ---- JSON -------------------------------------------------------------------------------------------------- */

/* {"batch": 1} as "batch=1"; also as that text. False when a size is no whole number, or there are too many. */
static bool take_dims(const json_t *dims, char *out, size_t bytes)
{
    const char *name;
    json_t *size;
    size_t used = 0;
    *out = '\0';
    if (json_is_string(dims))
        used = (size_t)snprintf(out, bytes, "%s", json_string_value(dims));
    json_object_foreach((json_t *)(uintptr_t)dims, name, size) {
        if (!json_is_integer(size) || used >= bytes)
            return false;
        used += (size_t)snprintf(out + used, bytes - used, "%s%s=%lld", used ? " " : "", name,
                                 (long long)json_integer_value(size));
    }
    return used < bytes && (!dims || json_is_string(dims) || json_is_object(dims));
}

static bool take_run(struct runs *runs, const json_t *object, uint32_t number)
{
    const char *texts[RUN_MS] = {NULL};
    char dims[4096], text[64];
    const json_t *ms = json_member(object, "ms");
    for (int c = 0; c < RUN_MS; c++)
        texts[c] = json_text(object, columns[c]);
    texts[RUN_DIMS] = dims;
    (void)snprintf(text, sizeof text, "run %u: no object, or ms or dims are no numbers", number);
    if (!json_is_object(object) || !take_dims(json_member(object, "dims"), dims, sizeof dims) ||
        (ms && !(json_is_number(ms) && is_time(json_number_value(ms)))))
        return fail(runs, 0, text);
    return runs_add(runs, texts, ms ? json_number_value(ms) : -1, number);
}

static bool take_runs(struct runs *runs, const json_t *document)
{
    const json_t *list = json_object_get(document, "runs"), *run;
    size_t i;
    if (!json_is_array(list))
        return fail(runs, 0, "no list of runs");
    json_array_foreach(list, i, run)
        if (!take_run(runs, run, (uint32_t)(i + 1)))
            return false;
    return true;
}

static bool read_json_runs(struct runs *runs, FILE *file)
{
    char problem[200];
    begin_json_limit();
    json_t *document = read_json_value(file, problem, sizeof problem);
    bool is_fine = document ? take_runs(runs, document) : fail(runs, 0, problem);
    json_decref(document);
    end_json_limit();
    return is_fine;
}

/* ---- both -------------------------------------------------------------------------------------------------- */

const char *after_mark(const char *beginning)
{
    return beginning + (strncmp(beginning, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
}

bool looks_like_runs(const char *beginning)
{
    beginning = after_mark(beginning);
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

bool runs_read(struct runs *runs, FILE *file)
{
    int byte = first_text_byte(file);
    if (byte == EOF || ungetc(byte, file) == EOF)
        return fail(runs, 0, "is empty");
    bool is_fine = byte == '{' ? read_json_runs(runs, file) : read_csv(runs, file);
    if (is_fine && ferror(file))
        is_fine = fail(runs, 0, "cannot be read");
    return is_fine && (runs->count || fail(runs, 0, "has no runs"));
}
