/* SPDX-License-Identifier: Apache-2.0
 *
 * oplists/standard.rewrites, case by case: test/rewrites/standard.cases has models and what becomes of their nodes. Run
 * from the project's folder; with ACCEPT=1 in the environment the file is written anew with what comes out now.
 *
 *     case ID: what it shows
 *     opset 17                    the model (support/model_text.h)
 *     ...
 *     gives
 *     y = Not(y/isnan-eq/Equal)   what rewrite_text.h says, or `same`
 *     class ulp                   how equal it is, where that is not what the rewrite's line says
 *     end
 */
#include "support/rewrite_text.h"
#include "support/test.h"

#define CASES "test/rewrites/standard.cases"

struct text {
    char *data;
    size_t length, capacity;
};

static void append(struct text *text, const char *more, size_t length)
{
    if (text->length + length + 1 > text->capacity) {
        text->capacity = 2 * (text->length + length + 1);
        text->data = realloc(text->data, text->capacity);
        REQUIRE(text->data);
    }
    memcpy(text->data + text->length, more, length);
    text->length += length;
    text->data[text->length] = '\0';
}

static struct text read_whole(const char *path)
{
    struct text text = {NULL, 0, 0};
    char piece[4096];
    size_t length;
    FILE *file = fopen(path, "rb");
    REQUIRE(file);
    while ((length = fread(piece, 1, sizeof piece, file)) > 0)
        append(&text, piece, length);
    append(&text, "", 0);
    fclose(file);
    return text;
}

/* The rest up to a line that is this word. */
static const char *find_line(const char *at, const char *word)
{
    size_t length = strlen(word);
    for (; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (strncmp(at, word, length) == 0 && at[length] == '\n')
            return at;
    return NULL;
}

static char *result_of(const char *id, size_t id_length, const char *model, size_t length)
{
    char name[64] = "";
    struct text text = {NULL, 0, 0};
    REQUIRE(id_length < sizeof name);
    memcpy(name, id, id_length);
    append(&text, model, length);
    char *result = rewritten(text.data, name);
    const char *word = rewritten_class();
    free(text.data);
    if (!word)
        return result;
    text = (struct text){NULL, 0, 0};
    append(&text, result, strlen(result));
    append(&text, "class ", strlen("class "));
    append(&text, word, strlen(word));
    free(result);
    return text.data;
}

/* Returns the file as it would be with what comes out now. */
static struct text run_cases(const char *at)
{
    struct text out = {NULL, 0, 0};
    unsigned cases = 0;
    while (*at) {
        const char *line = at;
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : at + strlen(at);
        append(&out, line, (size_t)(at - line));
        if (strncmp(line, "case ", 5) != 0)
            continue;
        const char *gives = find_line(at, "gives"), *end = gives ? find_line(gives, "end") : NULL;
        REQUIRE(gives && end);
        char *found = result_of(line + 5, strcspn(line + 5, ":\n"), at, (size_t)(gives - at));
        size_t length = strlen(found);
        while (length && found[length - 1] == '\n')
            length--;
        const char *expected = gives + strlen("gives\n");
        size_t expected_length = end > expected ? (size_t)(end - expected) - 1 : 0;
        if (length != expected_length || memcmp(found, expected, length) != 0)
            fprintf(stderr, "%.*sgives\n%.*s\nnot\n%.*s\n", (int)(at - line), line, (int)length, found,
                    (int)expected_length, expected);
        CHECK(length == expected_length && memcmp(found, expected, length) == 0);
        append(&out, at, (size_t)(expected - at));
        append(&out, found, length);
        append(&out, "\n", 1);
        free(found);
        at = end;
        cases++;
    }
    CHECK(cases > 50);
    return out;
}

static void test_rewrite_standard__cases_give_what_they_say(void)
{
    struct text cases = read_whole(CASES);
    struct text now = run_cases(cases.data);
    if (getenv("ACCEPT")) {
        FILE *file = fopen(CASES, "wb");
        REQUIRE(file && fwrite(now.data, 1, now.length, file) == now.length);
        fclose(file);
    }
    free(cases.data);
    free(now.data);
}

TESTS(test_rewrite_standard__cases_give_what_they_say)
