/* SPDX-License-Identifier: Apache-2.0
 *
 * The schema of the project file: which keys there are, and what each takes.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "gate/project.h"

struct reading {
    npart_project *project;
    npart_project_callback tell;
    void *payload;
    uint32_t mistakes;
};

static bool complain(struct reading *reading, uint32_t at, const char *format, ...) NPART__PRINTF(3, 4);
static bool complain(struct reading *reading, uint32_t at, const char *format, ...)
{
    char text[1024];
    uint32_t line, column;
    NPART__FORMAT(text, format);
    npart__toml_place(reading->project->document, at, &line, &column);
    if (reading->mistakes++ < NPART_MOST_PROJECT_MISTAKES && reading->tell)
        reading->tell(reading->payload, line, column, text);
    return false;
}

/* ---- tables of keys ----------------------------------------------------------------------------------------- */

#define KIND(kind) (1u << NPART__TOML_##kind)

struct key {
    const char *name;
    unsigned kinds;
    const char *expected;
    size_t offset;   /* of the pointer to the value, in what the table is read into */
    bool is_required;
    bool (*check)(struct reading *reading, const struct npart__toml *value, void *into); /* NULL: every one will do */
};

/* "one of: targets, dims, ..." or what was meant. */
static bool complain_of_key(struct reading *reading, const struct npart__toml *value, const struct key *keys,
                            size_t count)
{
    const char *names[24];
    char near[128] = "", known[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < count && i < 24; i++) {
        names[i] = keys[i].name;
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", names[i]);
    }
    (void)npart_nearest_name(value->key, names, count, near, sizeof near);
    if (*near)
        return complain(reading, value->key_at, "there is no key %.80s here; did you mean %s?", value->key, near);
    return complain(reading, value->key_at, "there is no key %.80s here; there are: %s", value->key, known);
}

static bool read_table(struct reading *reading, const struct npart__toml *table, const struct key *keys, size_t count,
                       void *into)
{
    uint32_t before = reading->mistakes;
    for (const struct npart__toml *value = table->as.members.first; value; value = value->next) {
        const struct key *key = NULL;
        for (size_t i = 0; i < count && !key; i++)
            key = strcmp(keys[i].name, value->key) == 0 ? &keys[i] : NULL;
        if (!key) {
            (void)complain_of_key(reading, value, keys, count);
            continue;
        }
        if (!(key->kinds >> value->kind & 1)) {
            (void)complain(reading, value->at, "%s: expected %s, found %s", key->name, key->expected,
                           npart__toml_kind_text(value->kind));
            continue;
        }
        memcpy((char *)into + key->offset, &value, sizeof value);
        if (key->check)
            (void)key->check(reading, value, into);
    }
    for (size_t i = 0; i < count; i++)
        if (keys[i].is_required && !npart__toml_find(table, keys[i].name))
            (void)complain(reading, table->at, "%s is missing: %s", keys[i].name, keys[i].expected);
    return reading->mistakes == before;
}

/* ---- values ------------------------------------------------------------------------------------------------- */

/* A string, or an array of at least one. */
static bool check_strings(struct reading *reading, const struct npart__toml *value, void *into)
{
    (void)into;
    if (value->kind == NPART__TOML_STRING)
        return value->as.text.count > 0 || complain(reading, value->at, "%s: an empty string", value->key);
    if (!value->as.members.first)
        return complain(reading, value->at, "%s: an empty array", value->key);
    for (const struct npart__toml *item = value->as.members.first; item; item = item->next)
        if (item->kind != NPART__TOML_STRING || !item->as.text.count)
            return complain(reading, item->at, "%s: expected a string, found %s", value->key,
                            item->kind == NPART__TOML_STRING ? "an empty one" : npart__toml_kind_text(item->kind));
    return true;
}

const struct npart__toml *npart__first_string(const struct npart__toml *value)
{
    return !value || value->kind == NPART__TOML_STRING ? value : value->as.members.first;
}

const struct npart__toml *npart__next_string(const struct npart__toml *value, const struct npart__toml *item)
{
    return value->kind == NPART__TOML_STRING ? NULL : item->next;
}

static bool check_globs(struct reading *reading, const struct npart__toml *value, void *into)
{
    if (!check_strings(reading, value, into))
        return false;
    for (const struct npart__toml *item = npart__first_string(value); item; item = npart__next_string(value, item)) {
        const char *problem = npart_glob_problem(item->as.text.bytes);
        if (problem)
            return complain(reading, item->at, "%s: %s", value->key, problem);
    }
    return true;
}

/* The greatest size of "..N"; 0: it is none. */
int64_t npart__limit_of_dim(const char *text)
{
    char *end;
    if (strncmp(text, "..", 2) != 0 || text[2] < '1' || text[2] > '9')
        return 0;
    long long size = strtoll(text + 2, &end, 10);
    return *end || size == INT64_MAX ? 0 : (int64_t)size;
}

static bool check_dims(struct reading *reading, const struct npart__toml *value, void *into)
{
    (void)into;
    for (const struct npart__toml *dim = value->as.members.first; dim; dim = dim->next) {
        bool is_size = dim->kind == NPART__TOML_INTEGER && dim->as.integer >= 1;
        if (dim->kind == NPART__TOML_TABLE)
            return complain(reading, dim->key_at, "a key with a dot needs quotes: \"%.60s.0\" = 1", dim->key);
        if (!is_size && !(dim->kind == NPART__TOML_STRING && npart__limit_of_dim(dim->as.text.bytes)))
            return complain(reading, dim->at, "%.80s: expected a size of at least 1, or a limit such as \"..512\"",
                            dim->key);
    }
    return true;
}

static bool check_inputs(struct reading *reading, const struct npart__toml *value, void *into)
{
    (void)into;
    for (const struct npart__toml *input = value->as.members.first; input; input = input->next) {
        bool is_shape = input->kind == NPART__TOML_ARRAY && input->as.members.count <= NPART_MOST_PROJECT_RANK;
        for (const struct npart__toml *dim = is_shape ? input->as.members.first : NULL; dim; dim = dim->next)
            is_shape &= dim->kind == NPART__TOML_INTEGER && dim->as.integer >= 1;
        if (!is_shape)
            return complain(reading, input->at, "%.80s: expected a shape such as [1, 3, 224, 224]", input->key);
    }
    return true;
}

static const char *level_word(size_t at)
{
    static const char *const words[] = {"basic", "off"};
    return at < NPART__COUNT(words) ? words[at] : NULL;
}

static const char *condition_word(size_t at)
{
    return npart_condition_text((enum npart_condition)at);
}

#define MOST_WORDS 16

/* By place among words; how many there are, and the mistake told, where it is none. */
static size_t find_word_of(struct reading *reading, const struct npart__toml *value,
                           const char *(*word_at)(size_t at))
{
    char near[64] = "", known[120] = "";
    const char *words[MOST_WORDS];
    size_t at = 0, used = 0, count = 0;
    while (count < MOST_WORDS && (words[count] = word_at(count)) != NULL)
        count++;
    while (at < count && strcmp(words[at], value->as.text.bytes) != 0)
        at++;
    if (at < count || !reading)
        return at;
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", words[i]);
    (void)npart_nearest_name(value->as.text.bytes, words, count, near, sizeof near);
    (void)complain(reading, value->at, "%.80s: expected one of %s%s%s%s", value->as.text.bytes, known,
                   *near ? "; did you mean " : "", near, *near ? "?" : "");
    return at;
}

static bool check_level(struct reading *reading, const struct npart__toml *value, void *into)
{
    (void)into;
    return find_word_of(reading, value, level_word) < 2;
}

static bool check_fail_on(struct reading *reading, const struct npart__toml *value, void *into)
{
    (void)into;
    bool is_fine = value->kind == NPART__TOML_ARRAY && !value->as.members.first;
    if (!is_fine && !check_strings(reading, value, into))
        return false;
    for (const struct npart__toml *item = npart__first_string(value); item; item = npart__next_string(value, item))
        (void)find_word_of(reading, item, condition_word);
    return true;
}

enum npart_condition npart__condition_of(const struct npart__toml *item)
{
    return (enum npart_condition)find_word_of(NULL, item, condition_word);
}

static bool check_count(struct reading *reading, const struct npart__toml *value, void *into)
{
    (void)into;
    return (value->as.integer >= 0 && value->as.integer <= INT32_MAX) ||
           complain(reading, value->at, "%s: expected a number of partitions, 0 or more", value->key);
}

/* 0.95, 1 or "95%"; below 0: it is none. */
double npart__share_of(const struct npart__toml *value)
{
    double whole = value->kind == NPART__TOML_INTEGER ? (double)value->as.integer : -1;
    double share = value->kind == NPART__TOML_FLOAT ? value->as.number : whole;
    bool is_percent;
    if (value->kind == NPART__TOML_STRING && (!npart_share_of(value->as.text.bytes, &share, &is_percent) ||
                                              !is_percent))
        return -1;
    return share >= 0 && share <= 1 ? share : -1;
}

double npart__number_of_value(const struct npart__toml *value)
{
    return value->kind == NPART__TOML_INTEGER ? (double)value->as.integer : value->as.number;
}

static bool check_number(struct reading *reading, const struct npart__toml *value, void *into)
{
    (void)into;
    return npart__number_of_value(value) >= 0 || complain(reading, value->at, "%s: expected a number, 0 or more",
                                                          value->key);
}

static bool check_share(struct reading *reading, const struct npart__toml *value, void *into)
{
    (void)into;
    return npart__share_of(value) >= 0 ||
           complain(reading, value->at, "%s: expected a share up to 1 such as 0.95, or \"95%%\"", value->key);
}

static bool check_reason(struct reading *reading, const struct npart__toml *value, void *into)
{
    (void)into;
    const char *text = value->as.text.bytes;
    return text[strspn(text, " \t\n")] || complain(reading, value->at, "reason: say why this is accepted");
}

/* ---- the schema --------------------------------------------------------------------------------------------- */

#define STRINGS (KIND(STRING) | KIND(ARRAY))
#define SHARE (KIND(FLOAT) | KIND(INTEGER) | KIND(STRING))
#define IN_SETTINGS(member) offsetof(struct npart__project_settings, member)

static bool check_on(struct reading *reading, const struct npart__toml *value, void *into);

static const struct key threshold_keys[] = {
    {"max-partitions", KIND(INTEGER), "a number", IN_SETTINGS(max_partitions), false, check_count},
    {"min-mac-coverage", SHARE, "a share such as 0.95", IN_SETTINGS(min_mac_coverage), false, check_share},
    {"min-coverage", SHARE, "a share such as 0.95", IN_SETTINGS(min_coverage), false, check_share},
#define BOUND(member, id, word, is_least, unit, unknown, expected, value, goes, help)                                 \
    {word, KIND(FLOAT) | KIND(INTEGER), expected, IN_SETTINGS(bounds[NPART_BOUND_##id]), false, check_number},
#include "gate/bounds.def"
    {"allow-none", KIND(BOOLEAN), "true or false", IN_SETTINGS(allow_none), false, NULL},
    {"fail-on", STRINGS, "an array of words", IN_SETTINGS(fail_on), false, check_fail_on},
    {"on", KIND(TABLE), "tables of thresholds by target", IN_SETTINGS(on), false, check_on},
};
#define OWN_THRESHOLDS (NPART__COUNT(threshold_keys) - 1) /* a target's have no targets of their own */

void npart__read_thresholds(const npart_project *project, const struct npart__toml *table,
                            struct npart__project_settings *out)
{
    struct reading reading = {.project = (npart_project *)(uintptr_t)project};
    *out = (struct npart__project_settings){.targets = NULL};
    (void)read_table(&reading, table, threshold_keys, OWN_THRESHOLDS, out);
}

/* Each is read where it is asked for; here its mistakes are told. */
static bool check_on(struct reading *reading, const struct npart__toml *value, void *into)
{
    struct npart__project_settings ignored;
    (void)into;
    for (const struct npart__toml *target = value->as.members.first; target; target = target->next) {
        if (target->kind != NPART__TOML_TABLE)
            (void)complain(reading, target->at, "%.80s: expected a table of thresholds, found %s", target->key,
                           npart__toml_kind_text(target->kind));
        else
            (void)read_table(reading, target, threshold_keys, OWN_THRESHOLDS, &ignored);
    }
    return true;
}

/* What is read into begins with its settings, whatever it is. */
static bool check_thresholds(struct reading *reading, const struct npart__toml *value, void *into)
{
    return read_table(reading, value, threshold_keys, NPART__COUNT(threshold_keys), into);
}

/* A waiver has targets of its own. */
static bool check_own_thresholds(struct reading *reading, const struct npart__toml *value, void *into)
{
    return read_table(reading, value, threshold_keys, OWN_THRESHOLDS, into);
}

#define SETTINGS_KEYS                                                                                                  \
    {"targets", STRINGS, "an array of targets", IN_SETTINGS(targets), false, check_strings},                           \
    {"dims", KIND(TABLE), "a table", IN_SETTINGS(dims), false, check_dims},                                            \
    {"inputs", KIND(TABLE), "a table", IN_SETTINGS(inputs), false, check_inputs},                                      \
    {"level", KIND(STRING), "\"basic\" or \"off\"", IN_SETTINGS(level), false, check_level},                           \
    {"runtime", KIND(STRING), "a string", IN_SETTINGS(runtime), false, check_strings},                                 \
    {"thresholds", KIND(TABLE), "a table", IN_SETTINGS(thresholds), false, check_thresholds}

static const struct key model_keys[] = {
    {"path", STRINGS, "a glob of models, or an array of them", offsetof(struct npart__model_table, path), true,
     check_globs},
    SETTINGS_KEYS,
};

static const struct key waiver_keys[] = {
    {"models", STRINGS, "a glob of models, or an array of them", offsetof(struct npart__waiver, models), true,
     check_globs},
    {"targets", STRINGS, "an array of targets", offsetof(struct npart__waiver, targets), false, check_strings},
    {"thresholds", KIND(TABLE), "a table", offsetof(struct npart__waiver, thresholds), false, check_own_thresholds},
    {"rules", STRINGS, "an array of ids of rules", offsetof(struct npart__waiver, rules), false, check_strings},
    {"worse", KIND(BOOLEAN), "true or false", offsetof(struct npart__waiver, worse), false, NULL},
    {"reason", KIND(STRING), "a sentence on why this is accepted", offsetof(struct npart__waiver, reason), true,
     check_reason},
    {"expires", KIND(LOCAL_DATE), "a date without quotes, such as 2027-03-31", offsetof(struct npart__waiver, expires),
     true,
     NULL},
};

/* Memory for each table of an array; `into` is then of its size. */
static bool read_tables(struct reading *reading, const struct npart__toml *array, const struct key *keys, size_t count,
                        void **into, size_t size, uint32_t *out)
{
    char *tables = npart__arena_zeroed(&reading->project->life->arena, array->as.members.count + (size_t)1, size);
    *into = tables;
    if (!tables)
        return complain(reading, array->at, "out of memory");
    for (const struct npart__toml *table = array->as.members.first; table; table = table->next) {
        if (table->kind != NPART__TOML_TABLE)
            return complain(reading, table->at, "%s: expected tables that begin with [[%s]]", array->key, array->key);
        (void)read_table(reading, table, keys, count, tables + (size_t)(*out)++ * size);
    }
    return true;
}

static bool check_models(struct reading *reading, const struct npart__toml *value, void *into)
{
    struct npart__project_file *project = into;
    void *tables;
    bool is_fine = read_tables(reading, value, model_keys, NPART__COUNT(model_keys), &tables, sizeof *project->tables,
                               &project->table_count);
    project->tables = tables;
    return is_fine;
}

static bool check_waivers(struct reading *reading, const struct npart__toml *value, void *into)
{
    struct npart__project_file *project = into;
    void *tables;
    bool is_fine = read_tables(reading, value, waiver_keys, NPART__COUNT(waiver_keys), &tables,
                               sizeof *project->waivers,
                               &project->waiver_count);
    project->waivers = tables;
    const struct npart__toml *table = value->as.members.first;
    for (uint32_t i = 0; i < project->waiver_count; i++, table = table->next) {
        struct npart__waiver *waiver = &project->waivers[i];
        waiver->at = table;
        if (!waiver->thresholds && !waiver->rules && !waiver->worse)
            (void)complain(reading, table->at,
                           "what is waived? thresholds (what is accepted instead), rules, or worse = true");
    }
    return is_fine;
}

#define AT(member) offsetof(struct npart__project_file, member)
static const struct key top_keys[] = {
    SETTINGS_KEYS,
    {"exclude", STRINGS, "a glob of models, or an array of them", AT(exclude), false, check_globs},
    {"oplist", KIND(STRING), "a path", AT(oplist), false, check_strings},
    {"cost", KIND(STRING), "a path", AT(cost), false, check_strings},
    {"baseline", KIND(STRING), "a path", AT(baseline), false, check_strings},
    {"models", KIND(ARRAY), "tables that begin with [[models]]", AT(models), false, check_models},
    {"waivers", KIND(ARRAY), "tables that begin with [[waivers]]", AT(waiver_tables), false, check_waivers},
};

/* Below a table or array. What is read later ends at a NUL, so one within a text would change its meaning. */
static void check_nuls(struct reading *reading, const struct npart__toml *parent)
{
    for (const struct npart__toml *value = parent->as.members.first; value; value = value->next) {
        if (value->key && strlen(value->key) != value->key_bytes)
            (void)complain(reading, value->key_at, "a key has a NUL in it");
        if (value->kind == NPART__TOML_STRING && strlen(value->as.text.bytes) != value->as.text.count)
            (void)complain(reading, value->at, "a string has a NUL in it");
        if (value->kind == NPART__TOML_ARRAY || value->kind == NPART__TOML_TABLE)
            check_nuls(reading, value);
    }
}

/* ---- what is told of it ------------------------------------------------------------------------------------- */

struct npart_project_texts npart__texts_of(npart_project *project, const struct npart__toml *value)
{
    uint32_t count = 0;
    for (const struct npart__toml *item = npart__first_string(value); item;
         item = npart__next_string(value, item))
        count++;
    struct npart_project_text *items =
        npart__arena_zeroed(&project->life->arena, count + (size_t)1, sizeof *items);
    if (!items)
        return (struct npart_project_texts){0};
    count = 0;
    for (const struct npart__toml *item = npart__first_string(value); item;
         item = npart__next_string(value, item)) {
        struct npart_project_text *text = &items[count++];
        text->text = item->as.text.bytes;
        npart__toml_place(project->document, item->at, &text->line, &text->column);
    }
    return (struct npart_project_texts){items, count};
}

static void place_waiver(npart_project *project, struct npart__waiver *waiver)
{
    waiver->for_models = npart__texts_of(project, waiver->models);
    waiver->for_targets = npart__texts_of(project, waiver->targets);
    waiver->for_rules = npart__texts_of(project, waiver->rules);
    npart__toml_place(project->document, waiver->at->at, &waiver->line, &waiver->column);
}

bool npart__read_project(npart_project *project, npart_project_callback tell, void *payload)
{
    struct reading reading = {project, tell, payload, 0};
    struct npart__project_file *file = &project->file;
    char text[64];
    check_nuls(&reading, npart__toml_root(project->document));
    (void)read_table(&reading, npart__toml_root(project->document), top_keys, NPART__COUNT(top_keys), file);
    (void)snprintf(text, sizeof text, "and %u mistakes more", reading.mistakes - NPART_MOST_PROJECT_MISTAKES);
    if (reading.mistakes > NPART_MOST_PROJECT_MISTAKES && tell)
        tell(payload, 0, 0, text);
    if (reading.mistakes)
        return false;
    project->excluded = npart__texts_of(project, file->exclude);
    for (uint32_t i = 0; i < file->table_count; i++)
        file->tables[i].paths = npart__texts_of(project, file->tables[i].path);
    for (uint32_t i = 0; i < file->waiver_count; i++)
        place_waiver(project, &file->waivers[i]);
    return true;
}

/* ---- the handle --------------------------------------------------------------------------------------------- */

npart_status npart_project_read(npart_project **out, const char *text, size_t bytes, npart_project_callback tell,
                                void *payload, const struct npart_allocator *allocator, struct npart_error *error)
{
    struct npart__toml_problem problem;
    if (!out || !text)
        return npart__fail_null(!out ? "out" : "text", error);
    npart_project *project = npart__handle_new(sizeof *project, allocator);
    if (!project)
        return npart__fail_memory(error);
    struct npart__arena *arena = &project->life->arena;
    npart_status status = NPART_OK;
    project->document = npart__toml_read(arena, text, bytes, &problem);
    bool is_read = project->document && npart__read_project(project, tell, payload);
    if (arena->failed)
        status = npart__fail_memory(error);
    else if (!is_read)
        status = npart__fail(error, NPART_ERROR_MALFORMED, "", "%s",
                             project->document ? "it has mistakes" : problem.text);
    if (!project->document && !arena->failed && tell)
        tell(payload, problem.line, problem.column, problem.text);
    return NPART__HAND_OVER(out, project, status, error);
}

NPART__FREES(project)

npart_status npart_project_check_toml(const char *text, size_t bytes, struct npart_error *error)
{
    struct npart__toml_problem problem;
    struct npart__arena arena;
    if (!text)
        return npart__fail_null("text", error);
    npart__arena_init(&arena, NULL);
    bool is_toml = npart__toml_read(&arena, text, bytes, &problem) != NULL;
    npart__arena_clear(&arena);
    return is_toml ? NPART_OK : npart__fail(error, NPART_ERROR_MALFORMED, "", "%s", problem.text);
}

bool npart_project_info(const npart_project *project, struct npart_project_info *out)
{
    if (!project || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__project_file *file = &project->file;
    *out = (struct npart_project_info){.size = sizeof *out,
                                       .oplist = file->oplist ? file->oplist->as.text.bytes : NULL,
                                       .cost = file->cost ? file->cost->as.text.bytes : NULL,
                                       .baseline = file->baseline ? file->baseline->as.text.bytes : NULL,
                                       .exclude = project->excluded,
                                       .model_count = file->table_count};
    return true;
}

bool npart_project_models(const npart_project *project, uint32_t index, struct npart_project_texts *out)
{
    if (!project || !out || index >= project->file.table_count)
        return false;
    *out = project->file.tables[index].paths;
    return true;
}
