/* SPDX-License-Identifier: Apache-2.0
 *
 * What operators.table says of shapes: its order, what it leaves out, the grammar of its patterns, and that every row
 * has a text case.
 */
#include "infer/families.h"
#include "support/test.h"

static int compare_rows(const struct npart__infer_row *a, const struct npart__infer_row *b)
{
    int order = strcmp(a->domain, b->domain);
    if (order == 0)
        order = strcmp(a->name, b->name);
    return order ? order : (a->since > b->since) - (a->since < b->since);
}

static void test_infer_rows__are_sorted_and_each_there_once(void)
{
    for (size_t i = 1; i < npart__infer_row_count; i++) {
        const struct npart__infer_row *before = &npart__infer_rows[i - 1], *row = &npart__infer_rows[i];
        if (compare_rows(before, row) >= 0) {
            fprintf(stderr, "operators.table: %s:%s %d is not before %s:%s %d\n", before->domain, before->name,
                    before->since, row->domain, row->name, row->since);
            test_failures++;
        }
    }
}

static bool has_row(const char *domain, const char *name)
{
    for (size_t i = 0; i < npart__infer_row_count; i++)
        if (strcmp(npart__infer_rows[i].domain, domain) == 0 && strcmp(npart__infer_rows[i].name, name) == 0)
            return true;
    return false;
}

/* ---- what has no row ---------------------------------------------------------------------------------------- */

struct named {
    const char *domain, *name;
};

/* Operators of the schema that are not inferred, and why. */
static const struct {
    struct named op;
    const char *why;
} without_rows[] = {
    {{"", "GivenTensorFill"}, "experimental until opset 1, withdrawn before any exporter wrote it"},
    {{"com.microsoft", "EPContext"}, "a compiled graph: its results are whatever it holds"},
    {{"com.microsoft", "HyperConnectionPreMix"}, "newer than every model that is known to use it"},
    {{"com.microsoft", "PackedSparseAttentionIndexer"}, "newer than every model that is known to use it"},
    {{"com.microsoft", "Snpe"}, "a compiled graph: its results are whatever it holds"},
    {{"com.microsoft", "SparseAttentionIndexer"}, "newer than every model that is known to use it"},
};

static const struct named operators[] = {
#define OPERATOR(domain, name, since, flags, inputs, outputs, attributes, least_inputs, least_outputs, types)          \
    {domain, name},
#include "schema/operators.def"
#undef OPERATOR
};

static void test_infer_rows__serve_every_operator_but_those_listed(void)
{
    size_t used = 0;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        const struct named *op = &operators[i];
        bool is_listed = false;
        for (size_t k = 0; k < sizeof without_rows / sizeof without_rows[0]; k++)
            is_listed |= strcmp(without_rows[k].op.domain, op->domain) == 0 &&
                         strcmp(without_rows[k].op.name, op->name) == 0;
        used += is_listed;
        if (has_row(op->domain, op->name) == is_listed) {
            fprintf(stderr, "%s:%s %s\n", op->domain, op->name,
                    is_listed ? "is listed as one without a row and has one" : "has no row");
            test_failures++;
        }
    }
    CHECK_INT(used, sizeof without_rows / sizeof without_rows[0]);
}

/* ---- patterns ----------------------------------------------------------------------------------------------- */

static bool is_in(char c, const char *set)
{
    return c && strchr(set, c);
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " ");
}

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define WORD LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static const char *read_sum(const char *at, const char *bound);

/* Each function returns where it stopped, or NULL for a mistake. `bound` has the letters that inputs bind. */
static const char *read_factor(const char *at, const char *bound)
{
    if (*at == '@' || *at == '#') {
        size_t length = strspn(at + 1, *at == '@' ? WORD : "0123456789");
        if (length == 0)
            return NULL;
        at += 1 + length;
        return *at == '.' ? at + 1 + strspn(at + 1, "0123456789") : at;
    }
    if (*at == '(') {
        at = read_sum(at + 1, bound);
        return at && *at == ')' ? at + 1 : NULL;
    }
    if (is_in(*at, "0123456789"))
        return at + strspn(at, "0123456789");
    if (*at == '_')
        return at + 1;
    return is_in(*at, bound) ? at + 1 : NULL;
}

static const char *read_sum(const char *at, const char *bound)
{
    at = read_factor(at, bound);
    while (at && is_in(*at, "+-*/"))
        at = read_factor(at + 1, bound);
    return at;
}

static const char *read_input(const char *at, char *bound, bool *has_rest)
{
    if (*at == '_')
        return at + 1;
    if (*at++ != '[')
        return NULL;
    while (*at != ']') {
        if (strncmp(at, "...", 3) == 0) {
            *has_rest = true;
            at += 3;
        } else if (is_in(*at, LETTERS)) {
            bound[strlen(bound)] = *at++;
        } else if (*at == '_') {
            at++;
        } else {
            return NULL;
        }
        at += *at == ',';
    }
    return at + 1;
}

static const char *read_output(const char *at, const char *bound, bool has_rest)
{
    if (*at == '_')
        return at + 1;
    if (*at == '@') {
        at += 1 + strspn(at + 1, WORD);
    } else {
        size_t length = strspn(at, WORD);
        if (length && !npart__type_number(at, length))
            return NULL;
        at += length;
    }
    if (*at++ != '[')
        return NULL;
    while (at && *at != ']') {
        if (strncmp(at, "...", 3) == 0)
            at = has_rest ? at + 3 : NULL;
        else
            at = read_sum(at, bound);
        if (at && *at != ']' && *at++ != ',')
            return NULL;
    }
    return at ? at + 1 : NULL;
}

static bool is_pattern(const char *at)
{
    for (;;) {
        char bound[32] = "";
        bool has_rest = false;
        unsigned outputs = 0;
        at = skip_blanks(at);
        while (at && strncmp(at, "->", 2) != 0) {
            at = read_input(at, bound, &has_rest);
            at = at ? skip_blanks(at) : NULL;
        }
        if (!at)
            return false;
        for (at = skip_blanks(at + 2); at && *at && *at != '|'; outputs++) {
            at = read_output(at, bound, has_rest);
            at = at ? skip_blanks(at) : NULL;
        }
        if (!at || outputs == 0)
            return false;
        if (*at == '\0')
            return true;
        at++;
    }
}

static void test_infer_rows__have_patterns_without_mistakes(void)
{
    CHECK(is_pattern("[b,s] -> [b,s+1]"));
    CHECK(!is_pattern("[b,s] -> [b,t]"));
    CHECK(!is_pattern("[b] -> [...]"));
    CHECK(!is_pattern("[b] -> int99[b]"));
    CHECK(!is_pattern("[b]"));
    for (size_t i = 0; i < npart__infer_row_count; i++) {
        const struct npart__infer_row *row = &npart__infer_rows[i];
        CHECK(!row->pattern == (row->infer != npart__infer_pattern));
        if (row->pattern && !is_pattern(row->pattern)) {
            fprintf(stderr, "%s:%s: a mistake in \"%s\"\n", row->domain, row->name, row->pattern);
            test_failures++;
        }
    }
}

/* ---- cases -------------------------------------------------------------------------------------------------- */

static const char *const case_files[] = {
    "test/cases/infer-attention.cases", "test/cases/infer-contrib.cases", "test/cases/infer-control.cases",
    "test/cases/infer-declared.cases",
    "test/cases/infer-elementwise.cases", "test/cases/infer-image.cases", "test/cases/infer-ml.cases",
    "test/cases/infer-reduce.cases", "test/cases/infer-select.cases", "test/cases/infer-shape.cases",
    "test/cases/infer-values.cases", "test/cases/infer-window.cases",
};

/* All case files as one text; NULL outside of the source tree. */
static char *read_cases(void)
{
    size_t size = 0;
    char *text = NULL;
    for (size_t i = 0; i < sizeof case_files / sizeof case_files[0]; i++) {
        FILE *file = fopen(case_files[i], "r");
        if (!file) {
            free(text);
            return NULL;
        }
        text = realloc(text, size + (1 << 20));
        REQUIRE(text);
        size += fread(text + size, 1, (1 << 20) - 1, file);
        text[size] = '\0';
        fclose(file);
    }
    return text;
}

static void test_infer_rows__have_a_case_each(void)
{
    char *cases = read_cases();
    if (!cases)
        return;
    for (size_t i = 0; i < npart__infer_row_count; i++) {
        const struct npart__infer_row *row = &npart__infer_rows[i];
        char call[128];
        (void)snprintf(call, sizeof call, "= %s%s%s(", row->domain, *row->domain ? ":" : "", row->name);
        if (!strstr(cases, call)) {
            fprintf(stderr, "test/cases/infer-*.cases: no case of %s:%s\n", row->domain, row->name);
            test_failures++;
        }
    }
    free(cases);
}

TESTS(test_infer_rows__are_sorted_and_each_there_once, test_infer_rows__serve_every_operator_but_those_listed,
      test_infer_rows__have_patterns_without_mistakes, test_infer_rows__have_a_case_each)
