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
 *     class ulp                   how equal it is, unless it is the same
 *     end
 */
#include "fix/handle.h"
#include "support/analysis.h"
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

/* ---- classes --------------------------------------------------------------------------------------------------- */

/* A case as it stands in the file. */
struct standing {
    char id[64], class[16]; /* "": nothing is done */
    char *model, *result;   /* the heap's */
};

static char *copy_of(const char *from, const char *to)
{
    struct text text = {NULL, 0, 0};
    append(&text, from, (size_t)(to - from));
    return text.data;
}

/* The next from `*at` on; false at the end. */
static bool next_case(const char **at, struct standing *out)
{
    const char *line = strncmp(*at, "case ", 5) == 0 ? *at : strstr(*at, "\ncase ");
    if (!line)
        return false;
    line += *line == '\n';
    const char *model = strchr(line, '\n') + 1, *gives = find_line(model, "gives"), *end = find_line(gives, "end");
    const char *class = strstr(gives, "\nclass ");
    *out = (struct standing){.model = copy_of(model, gives), .result = copy_of(strchr(gives, '\n') + 1, end)};
    REQUIRE(sscanf(line, "case %63[^:]", out->id) == 1);
    if (class && class < end)
        REQUIRE(sscanf(class, "\nclass %15s", out->class) == 1);
    *at = end;
    return true;
}

static uint32_t class_bit(const char *word)
{
    for (uint32_t i = 0; npart__equality_words[i]; i++)
        if (strcmp(npart__equality_words[i], word) == 0)
            return UINT32_C(1) << i;
    return 0;
}

/* The operators of a model and of what became of it are assumed to run, but for those that the rewrite is offered and
 * that are gone then, and nodes of the name `cpu`, so that there is something to do. */
#define MOST_OPS 64
struct placed {
    char ops[MOST_OPS][64];
    struct npart_assumption assumed[MOST_OPS];
    uint32_t count;
};

/* What stays as it is named, and is taken then. */
static const char list[] = "format 1\ntarget t\nop Conv\n  need attr(dilations) = 1 \"no gaps\"\n"
                           "op ConvTranspose\n  need attr(dilations) = 1 \"no gaps\"\n";

static void place_ops(struct placed *placed, const char *text, const char *result, const char *anchors)
{
    for (const char *at = text; (at = strstr(at, " = ")) != NULL;) {
        char op[64];
        uint32_t k = 0;
        at += 3;
        if (sscanf(at, "%63[A-Za-z0-9_.:]", op) != 1 || at[strlen(op)] != '(' || strncmp(op, "Conv", 4) == 0)
            continue;
        while (k < placed->count && strcmp(placed->ops[k], op) != 0)
            k++;
        if (k < placed->count)
            continue;
        char made[80];
        (void)snprintf(made, sizeof made, " = %s(", op);
        REQUIRE(placed->count < MOST_OPS);
        strcpy(placed->ops[k], op);
        placed->assumed[k] = (struct npart_assumption){
            .op = placed->ops[k], .on_npu = !npart__lists_word(anchors, op) || strstr(result, made)};
        placed->count++;
    }
}

/* What a search does with the model by this rewrite alone, where so much is allowed. */
static npart_fix *search(const struct standing *at, const struct placed *placed, uint32_t allowed)
{
    const char *target = NULL, *only = at->id;
    struct npart_plan_options plan = NPART_PLAN_OPTIONS_INIT;
    struct npart_fix_options options = NPART_FIX_OPTIONS_INIT;
    struct npart_error error = {.status = NPART_OK};
    npart_oplist *oplist = NULL;
    npart_fix *fix = NULL;
    npart_model *model = read_text(at->model);
    REQUIRE(npart_oplist_read_memory(&oplist, list, strlen(list), "l", NULL, &error) == NPART_OK);
    plan.assumptions = placed->assumed;
    plan.assumption_count = placed->count;
    options.plan = &plan;
    options.only = &only;
    options.only_count = 1;
    options.allowed = allowed;
    options.most_growth = -1;
    const struct npart__planned planned = {.skeleton = &model->skeleton, .life = model->life, .is_in_memory = true};
    const npart_oplist *lists[] = {oplist};
    npart_status status = npart__fix_make(&fix, "model.onnx", lists, &target, 1, &options, &planned, &error);
    if (status != NPART_OK)
        fprintf(stderr, "%s: %s\n%s", at->id, error.message, at->model);
    REQUIRE(status == NPART_OK);
    npart_oplist_free(oplist);
    npart_model_free(model);
    return fix;
}

/* Whether the search can be made to rewrite the case; then what is more than bit for bit the same is refused unless it
 * is allowed, and told as what it is. */
static bool is_refused_unless_allowed(const struct standing *at, const struct npart__rewrite *rewrite)
{
    static struct placed placed;
    struct npart_fix_step step = {.size = sizeof step};
    struct npart_fix_info info = {.size = sizeof info};
    const uint32_t bit = class_bit(at->class);
    placed.assumed[0] = (struct npart_assumption){.node = "cpu"};
    placed.count = strstr(at->model, " @cpu") != NULL;
    place_ops(&placed, at->model, at->result, rewrite->anchors);
    place_ops(&placed, at->result, at->result, rewrite->anchors);
    npart_fix *fix = search(at, &placed, bit | (bit - 1)), *strict = search(at, &placed, 0);
    bool is_done = npart_fix_step(fix, 0, &step);
    if (is_done && bit != UINT32_C(1) << NPART_EQUAL_BITS) {
        CHECK(UINT32_C(1) << step.equality == bit);
        CHECK(!npart_fix_step(strict, 0, &step));
        CHECK(npart_fix_info(strict, &info) && info.barred & bit);
    } else if (is_done) {
        CHECK(npart_fix_step(strict, 0, &step) && step.equality == NPART_EQUAL_BITS);
    }
    npart_fix_free(fix);
    npart_fix_free(strict);
    return is_done;
}

/* Of each rewrite each class that its lines say has a case, and of each that is not bit for bit the same one that is
 * refused where it is not allowed. What computes may tell others of a site, as `class` of a case does. */
static void test_rewrite_standard__classes_are_held(void)
{
    struct npart__arena arena;
    struct npart__rewrite_set set;
    struct npart_error error;
    struct text cases = read_whole(CASES);
    npart__arena_init(&arena, NULL);
    REQUIRE(npart__rewrites_gather(&arena, &set, &error) == NPART_OK);
    uint32_t *seen = npart__arena_zeroed(&arena, set.count, sizeof *seen);
    uint32_t *refused = npart__arena_zeroed(&arena, set.count, sizeof *refused);
    REQUIRE(seen && refused);
    struct standing standing;
    for (const char *at = cases.data; next_case(&at, &standing);) {
        for (uint32_t i = 0; i < set.count && *standing.class; i++) {
            int before = test_failures;
            if (strcmp(set.rows[i].id, standing.id) != 0)
                continue;
            seen[i] |= class_bit(standing.class);
            if (!(refused[i] & class_bit(standing.class)) && is_refused_unless_allowed(&standing, &set.rows[i]))
                refused[i] |= class_bit(standing.class);
            if (test_failures > before)
                fprintf(stderr, "  %s\n%s", standing.id, standing.model);
        }
        free(standing.model);
        free(standing.result);
    }
    for (uint32_t i = 0; i < set.count; i++) {
        uint32_t said = set.rows[i].is_whole ? 0 : npart__rewrite_classes(&set.rows[i]);
        if ((seen[i] & said) != said || (refused[i] | 1u) != (seen[i] | 1u))
            fprintf(stderr, "  %s: classes %x, cases of %x, refused %x\n", set.rows[i].id, said, seen[i], refused[i]);
        CHECK((seen[i] & said) == said);
        CHECK((refused[i] | 1u) == (seen[i] | 1u)); /* what keeps every bit need not be refused */
    }
    free(cases.data);
    npart__arena_clear(&arena);
}

TESTS(test_rewrite_standard__cases_give_what_they_say, test_rewrite_standard__classes_are_held)
