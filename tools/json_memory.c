/* SPDX-License-Identifier: Apache-2.0 */
#include "json_memory.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* jansson does not survive every allocation that fails while it reads: of a text that could not grow it reads past the
 * end, and of a number it asserts that it grew (2.14, lex_scan_string, lex_unget_unsave). So it never sees one: where
 * memory ends, what was asked for is given up as a whole, with all blocks that were allocated for it. */
static jmp_buf given_up;
static bool is_reading, is_exhausted, has_lacked;

/* What jansson has allocated now; the tool has one thread. */
static size_t live_bytes, most_bytes = MOST_JSON_BYTES;
static struct head {
    struct head *before, *after; /* in the order in which they were allocated */
    size_t bytes;
} *newest;
union block {
    struct head head;
    max_align_t aligned;
};

static void release(void *memory)
{
    union block *block = memory;
    if (!block)
        return;
    block--;
    struct head head = block->head;
    if (head.before)
        head.before->after = head.after;
    if (head.after)
        head.after->before = head.before;
    else
        newest = head.before;
    live_bytes -= head.bytes;
    free(block);
}

static void *allocate(size_t bytes)
{
    union block *block = NULL;
    is_exhausted = bytes > most_bytes || live_bytes > most_bytes - bytes;
    if (!is_exhausted)
        block = malloc(sizeof *block + bytes);
    has_lacked |= !block && !is_exhausted;
    if (!block && is_reading)
        longjmp(given_up, 1);
    if (!block)
        return NULL;
    block->head = (struct head){.before = newest, .bytes = bytes};
    if (newest)
        newest->after = &block->head;
    newest = &block->head;
    live_bytes += bytes;
    return block + 1;
}

/* Of a stream, or of a text. False: memory ended. */
static bool try_to_read(FILE *file, const char *text, size_t bytes, json_error_t *error, json_t **out)
{
    if (setjmp(given_up))
        return false;
    *out = file ? json_loadf(file, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, error)
                : json_loadb(text, bytes, 0, error);
    return true;
}

static bool read_value(FILE *file, const char *text, size_t bytes, json_error_t *error, json_t **out)
{
    const struct head *last = newest;
    is_reading = true;
    bool has_memory = try_to_read(file, text, bytes, error, out);
    is_reading = false;
    while (!has_memory && newest != last)
        release((union block *)newest + 1);
    return has_memory;
}

void begin_json_limit_of(size_t bytes)
{
    most_bytes = bytes;
    has_lacked = false;
    json_set_alloc_funcs(allocate, release);
}

void begin_json_limit(void)
{
    begin_json_limit_of(MOST_JSON_BYTES);
}

void end_json_limit(void)
{
    json_set_alloc_funcs(malloc, free);
}

bool json_lacked_memory(void)
{
    return has_lacked;
}

json_t *read_json_value(FILE *file, char *problem, size_t bytes)
{
    json_error_t error;
    json_t *value = NULL;
    bool has_memory = read_value(file, NULL, 0, &error, &value);
    if (!has_memory && is_exhausted)
        (void)snprintf(problem, bytes, "takes more than %zu MiB of memory", most_bytes >> 20);
    else if (!value)
        (void)snprintf(problem, bytes, "%s", has_memory ? error.text : "out of memory");
    return value;
}

json_t *read_json_text(const char *text, size_t bytes, bool *has_memory)
{
    json_error_t error;
    json_t *value = NULL;
    *has_memory = read_value(NULL, text, bytes, &error, &value);
    return value;
}

int next_json_byte(FILE *file)
{
    int byte = getc(file);
    while (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r')
        byte = getc(file);
    return byte;
}

int first_text_byte(FILE *file)
{
    static const unsigned char mark[] = {0xef, 0xbb, 0xbf};
    int byte = next_json_byte(file);
    for (size_t at = 0; at < sizeof mark && byte == mark[at]; at++)
        byte = at + 1 < sizeof mark ? getc(file) : next_json_byte(file);
    return byte;
}

const json_t *json_member(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

const char *json_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* The place in `found` of a cause, or NULL. */
static size_t *slot_of(const struct by_cause *found, const json_t *cause)
{
    json_int_t id = json_is_integer(cause) ? json_integer_value(cause) : -1;
    return id >= 0 && (unsigned long long)id < found->count ? &found->places[id] : NULL;
}

struct by_cause find_by_cause(const json_t *roots, const json_t *items)
{
    struct by_cause found = {NULL, 0};
    size_t i, k;
    const json_t *item, *cause;
    json_array_foreach(roots, i, item)
        found.count += json_array_size(json_object_get(item, "causes"));
    found.places = malloc((found.count + 1) * sizeof *found.places);
    if (!found.places)
        return (struct by_cause){NULL, 0};
    for (i = 0; i < found.count; i++)
        found.places[i] = SIZE_MAX;
    json_array_foreach(items, i, item)
        json_array_foreach(json_object_get(item, "causes"), k, cause) {
            size_t *slot = slot_of(&found, cause);
            if (slot && *slot == SIZE_MAX)
                *slot = i;
        }
    return found;
}

size_t place_of_cause(const struct by_cause *found, const json_t *cause)
{
    const size_t *slot = slot_of(found, cause);
    return slot ? *slot : SIZE_MAX;
}

/* Whether another target of the list has its name and is of another toolchain. */
static bool has_other_toolchain(const json_t *targets, const json_t *target)
{
    const char *name = json_text(target, "name"), *toolchain = json_text(target, "toolchain");
    size_t i;
    const json_t *other;
    json_array_foreach(targets, i, other) {
        const char *text = json_text(other, "name"), *tools = json_text(other, "toolchain");
        if (name && text && toolchain && tools && strcmp(name, text) == 0 && strcmp(toolchain, tools) != 0)
            return true;
    }
    return false;
}

bool name_toolchains(json_t *document)
{
    json_t *targets = json_object_get(document, "targets"), *target, *names = json_array();
    size_t i, count = json_array_size(targets);
    bool is_fine = names != NULL;
    for (i = 0; i < count && is_fine; i++) {
        target = json_array_get(targets, i);
        json_t *name = has_other_toolchain(targets, target)
                           ? json_sprintf("%s@%s", json_text(target, "name"), json_text(target, "toolchain"))
                           : json_null();
        is_fine = name && json_array_append_new(names, name) == 0;
    }
    for (i = 0; i < count && is_fine; i++) { /* only now, as names are compared above */
        json_t *name = json_array_get(names, i);
        is_fine = json_is_null(name) || json_object_set(json_array_get(targets, i), "name", name) == 0;
    }
    json_decref(names);
    return is_fine;
}

bool is_invalid_model(const json_t *document)
{
    size_t i;
    const json_t *finding, *findings = json_object_get(document, "findings");
    json_array_foreach(findings, i, finding) {
        const char *code = json_text(finding, "code");
        if (code && strcmp(code, "invalid") == 0)
            return true;
    }
    return false;
}
