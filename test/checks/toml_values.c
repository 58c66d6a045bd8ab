/* SPDX-License-Identifier: Apache-2.0
 *
 * TOML documents from standard input, each after a line with its length in bytes, as a line of JSON each: the values
 * with their types, or {"problem": ...}. For test/checks/toml.py.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/toml.h"

static void print_text(const char *bytes, size_t count)
{
    putchar('"');
    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void print_time(const struct npart__toml *value)
{
    const struct npart__toml_time *time = &value->as.time;
    int minutes = abs(time->offset_minutes);
    putchar('"');
    if (value->kind != NPART__TOML_LOCAL_TIME)
        printf("%04d-%02d-%02d", time->year, time->month, time->day);
    if (value->kind != NPART__TOML_LOCAL_DATE)
        printf("T%02d:%02d:%02d.%06d", time->hour, time->minute, time->second, time->microsecond);
    if (value->kind == NPART__TOML_OFFSET_TIME)
        printf("%c%02d:%02d", time->offset_minutes < 0 ? '-' : '+', minutes / 60, minutes % 60);
    putchar('"');
}

static void print_value(const struct npart__toml *value)
{
    bool is_table = value->kind == NPART__TOML_TABLE;
    switch (value->kind) {
    case NPART__TOML_STRING:
        print_text(value->as.text.bytes, value->as.text.count);
        return;
    case NPART__TOML_INTEGER:
        printf("{\"\": \"%lld\"}", (long long)value->as.integer);
        return;
    case NPART__TOML_FLOAT:
        printf(isnan(value->as.number) ? "{\"\": \"nan\"}" : "{\"\": \"%a\"}", value->as.number);
        return;
    case NPART__TOML_BOOLEAN:
        printf(value->as.boolean ? "true" : "false");
        return;
    case NPART__TOML_ARRAY:
    case NPART__TOML_TABLE:
        break;
    default:
        printf("{\"\": ");
        print_time(value);
        putchar('}');
        return;
    }
    printf(is_table ? "{\"of\": {" : "[");
    for (const struct npart__toml *child = value->as.members.first; child; child = child->next) {
        if (is_table) {
            print_text(child->key, child->key_bytes);
            printf(": ");
        }
        print_value(child);
        if (child->next)
            printf(", ");
    }
    printf(is_table ? "}}" : "]");
}

int main(void)
{
    size_t count;
    while (scanf("%zu", &count) == 1) {
        struct npart__toml_problem problem;
        struct npart__arena arena;
        char *bytes = malloc(count + 1);
        if (!bytes || getchar() != '\n' || fread(bytes, 1, count, stdin) != count)
            return 1;
        npart__arena_init(&arena, NULL);
        const struct npart__toml_document *document = npart__toml_read(&arena, bytes, count, &problem);
        if (document) {
            print_value(npart__toml_root(document));
        } else {
            printf("{\"problem\": ");
            print_text(problem.text, strlen(problem.text));
            printf(", \"line\": %u, \"column\": %u}", problem.line, problem.column);
        }
        putchar('\n');
        npart__arena_clear(&arena);
        free(bytes);
    }
    return 0;
}
