/* SPDX-License-Identifier: Apache-2.0
 *
 * docs/oplist-format.md says what the reader reads: its examples are lists without a mistake, and every word of the
 * language stands in it. Run from the project's folder.
 */
#include "npu_partition.h"
#include "oplist/term.h"
#include "support/test.h"

#define DOCUMENT "docs/oplist-format.md"

static char *document;

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = 0;
    REQUIRE(file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0);
    char *text = malloc((size_t)size + 1);
    REQUIRE(text);
    rewind(file);
    REQUIRE(fread(text, 1, (size_t)size, file) == (size_t)size);
    text[size] = '\0';
    fclose(file);
    return text;
}

/* With the page of lines that few lists need. */
static void read_document(void)
{
    char *pages[] = {read_file(DOCUMENT), read_file("docs/inside/oplist-runtimes.md")};
    document = malloc(strlen(pages[0]) + strlen(pages[1]) + 1);
    REQUIRE(document);
    strcpy(document, pages[0]);
    strcat(document, pages[1]);
    free(pages[0]);
    free(pages[1]);
}

static void test_document__examples_are_lists(void)
{
    static const char begin[] = "```ops\n", end[] = "\n```";
    unsigned examples = 0;
    for (const char *at = strstr(document, begin); at; at = strstr(at, begin)) {
        struct npart_error error;
        npart_oplist *oplist = NULL;
        at += strlen(begin);
        const char *stop = strstr(at, end);
        REQUIRE(stop);
        npart_status status =
            npart_oplist_read_memory(&oplist, at, (size_t)(stop - at) + 1, "example.ops", NULL, &error);
        if (status != NPART_OK)
            fprintf(stderr, "example %u: %s: %s\n", examples + 1, error.place, error.message);
        CHECK_INT(status, NPART_OK);
        npart_oplist_free(oplist);
        examples++;
    }
    CHECK(examples >= 3);
}

static void test_document__first_example_means_what_it_says(void)
{
    struct npart_oplist_info info = {.size = sizeof info};
    struct npart_error error;
    npart_oplist *oplist = NULL;
    const char *at = strstr(document, "```ops\n") + strlen("```ops\n");
    REQUIRE(npart_oplist_read_memory(&oplist, at, (size_t)(strstr(at, "\n```") - at) + 1, "e", NULL, &error) ==
            NPART_OK);
    npart_oplist_info(oplist, &info);
    CHECK_TEXT(info.name, "example");
    CHECK_TEXT(info.title, "An imaginary NPU");
    CHECK_TEXT(info.toolchain, "example-sdk 1.0");
    CHECK_TEXT(info.standing, "from documents");
    CHECK_TEXT(info.source, "example-sdk 1.0, operator guide");
    CHECK_TEXT(info.partitioner, "waves");
    CHECK_TEXT(info.default_variant, "v2");
    CHECK_INT(info.variant_count, 3);
    CHECK_INT(info.op_count, 5); /* Add Conv Elu Relu Resize */
    npart_oplist_free(oplist);
}

/* A keyword, predicate or function is described where a table's row begins with it, in backquotes. */
static void check_described(const char *word, const char *follows)
{
    char row[64];
    bool found = false;
    snprintf(row, sizeof row, "`%s%s", word, follows);
    for (const char *at = strstr(document, row); at && !found; at = strstr(at + 1, row)) {
        const char *line = at;
        while (line > document && line[-1] != '\n')
            line--;
        found = *line == '|' || *line == '`'; /* of a table, or a sentence that begins with it */
    }
    if (!found)
        fprintf(stderr, "%s says nothing of %s\n", DOCUMENT, row);
    CHECK(found);
}

static const struct {
    const char *keyword, *form;
} lines[] = {
#define LINE(keyword, places, form, noun, function) {keyword, form},
#include "oplist/lines.def"
#define POLICY(id, form, sentence) {"partitions", form},
#include "oplist/lines.def"
};

/* The form of a line as the page writes it: with double quotes, without blanks in parentheses, in a table. */
static void check_form(const char *rewrites, const char *keyword, const char *form)
{
    char text[512], *out = text;
    out += sprintf(out, "`%s%s", keyword, *form ? " " : "");
    for (const char *at = form; *at; at++) {
        bool is_inside = *at == ' ' && (at[1] == '(' || at[1] == ')' || at[-1] == '(');
        if (*at == '|')
            *out++ = '\\';
        if (!is_inside)
            *out++ = *at == '\'' ? '"' : *at;
    }
    strcpy(out, "`");
    if (!strstr(document, text) && !strstr(rewrites, text))
        CHECK_TEXT(text, "(in " DOCUMENT " or docs/inside/rewrites.md)");
}

static void test_document__has_the_form_of_every_line(void)
{
    char *rewrites = read_file("docs/inside/rewrites.md");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        check_form(rewrites, lines[i].keyword, lines[i].form);
    free(rewrites);
}

static void test_document__names_every_word(void)
{
    static const struct {
        const char *word;
        bool has_argument;
    } asked[] = {
#define PREDICATE(id, word, argument, about, adjective) {#word, strcmp(#argument, "NOTHING") != 0},
#define FUNCTION(id, word, argument, about, answers, noun, is) {#word, strcmp(#argument, "NOTHING") != 0},
#include "oplist/questions.def"
    };
    check_described("format", "");
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        check_described(asked[i].word, asked[i].has_argument ? "(" : "`");
}

/* Whether a word stands in a `syntax keyword` line of the editor's file. */
static bool is_in_syntax(const char *word)
{
    char line[256];
    bool is_found = false;
    FILE *file = fopen("docs/oplist.vim", "r");
    REQUIRE(file);
    while (fgets(line, sizeof line, file)) {
        bool is_keyword = strncmp(line, "syntax keyword", 14) == 0;
        for (char *at = strtok(line, " \n"); is_keyword && at; at = strtok(NULL, " \n"))
            is_found |= strcmp(at, word) == 0;
    }
    fclose(file);
    return is_found;
}

static void test_document__the_syntax_file_knows_every_word(void)
{
    static const char *const asked[] = {
#define PREDICATE(id, word, argument, about, adjective) #word,
#define FUNCTION(id, word, argument, about, answers, noun, is) #word,
#include "oplist/questions.def"
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!is_in_syntax(lines[i].keyword))
            CHECK_TEXT(lines[i].keyword, "(in docs/oplist.vim)");
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        if (!is_in_syntax(asked[i]))
            CHECK_TEXT(asked[i], "(in docs/oplist.vim)");
}

static void test_document__names_every_parameter_and_limit(void)
{
    static const char *const parameters[] = {
#define PARAMETER(name, text, where, sentence) "| `" text "` | " sentence " |",
#include "oplist/parameters.def"
    };
    char limits[160];
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++)
        if (!strstr(document, parameters[i]))
            CHECK_TEXT(parameters[i], "(in " DOCUMENT ")");
    snprintf(limits, sizeof limits, "%zu MiB a file, %zu KiB a line, 511 words a line, %u levels of parentheses",
             NPART__LIMIT_OPLIST_BYTES >> 20, NPART__LIMIT_LINE_BYTES >> 10, NPART__LIMIT_CONDITION_DEPTH);
    CHECK(strstr(document, limits));
    snprintf(limits, sizeof limits, "%u of defines, %u switches, %u stages", NPART__LIMIT_DEFINE_DEPTH,
             NPART__LIMIT_SWITCHES, NPART__LIMIT_STAGES);
    CHECK(strstr(document, limits));
    snprintf(limits, sizeof limits, "%u defines, %u parameters, %u rules in a section, %u words that are read again",
             NPART__LIMIT_DEFINES, NPART__LIMIT_PARAMETERS, NPART__LIMIT_RULES_OF_SECTION, NPART__LIMIT_TOKENS_AGAIN);
    CHECK(strstr(document, limits));
    snprintf(limits, sizeof limits, "%u rows of a table", NPART__LIMIT_ROWS);
    CHECK(strstr(document, limits));
}

static void test_document__example_of_a_cost_file(void)
{
    static const char begin[] = "```cost\n";
    struct npart__arena arena;
    struct npart__oplist list, with;
    struct npart_error error;
    const char *at = strstr(document, begin);
    npart__arena_init(&arena, NULL);
    REQUIRE(at);
    at += strlen(begin);
    const struct npart__builtin_oplist *builtin = npart__builtin_oplists;
    while (strcmp(builtin->name, "hexagon") != 0)
        builtin++;
    REQUIRE(npart__oplist_read((const char *)builtin->text, builtin->bytes, "h", &arena, &list, NULL, &error) ==
            NPART_OK);
    CHECK_INT(npart__cost_read(&list, at, (size_t)(strstr(at, "\n```") - at) + 1, "c", &arena, &with, &error),
              NPART_OK);
    CHECK_INT(with.parameters.count, list.parameters.count + 2);
    npart__arena_clear(&arena);
}

static void test_document__is_released(void)
{
    free(document);
    document = NULL;
}

TESTS(read_document, test_document__examples_are_lists, test_document__first_example_means_what_it_says,
      test_document__has_the_form_of_every_line, test_document__names_every_word,
      test_document__the_syntax_file_knows_every_word,
      test_document__names_every_parameter_and_limit, test_document__example_of_a_cost_file,
      test_document__is_released)
