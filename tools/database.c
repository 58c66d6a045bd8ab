/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables are those of include/records.table, and all statements are made of them. The journal is SQLite's own, a second
 * file that is there during a transaction: not a write-ahead log, which needs shared memory, so that the file may lie
 * on a network's disk, and is all there is once a scan has ended.
 */
#include "database.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json_memory.h"
#include "message.h"

#ifdef TOOL_HAS_SQLITE
#include <sqlite3.h>

#define APPLICATION_ID 0x4e505254 /* "NPRT" */
#define SCHEMA_VERSION 1
#define MOST_PENDING 256u  /* models of one transaction */
#define BUSY_MS 10000      /* how long another program may hold the file */
#define BUSY_BETWEEN_MS 100 /* ... where it can be tried again a second later */
#define BUSY_TOLD_MS 1000   /* after which a person is told what is waited for */
#define BUSY_STEP_MS 20

enum type { TYPE_TEXT, TYPE_INTEGER, TYPE_REAL, TYPE_BOOLEAN };

struct column {
    enum type type;
    const char *name, *place;
};
struct result_table {
    const char *name, *key;
    const struct column *columns;
    size_t count;
};
#include "record_columns.h"

/* What is beside columns and keys, by table; NULL: nothing. */
static const char *const constraints[TABLES] = {
    [TABLE_targets] = ", FOREIGN KEY (path) REFERENCES models (path)",
    [TABLE_roots] = ", FOREIGN KEY (path, target) REFERENCES targets",
    [TABLE_advice] = ", FOREIGN KEY (path, target) REFERENCES targets",
    [TABLE_advice_roots] = (", FOREIGN KEY (path, target, advice) REFERENCES advice"
                            ", FOREIGN KEY (path, target, root) REFERENCES roots"),
};

struct database {
    const char *path;
    sqlite3 *file;
    int busy_ms; /* how long another program is waited for */
    sqlite3_stmt *insert[TABLES], *find;
    unsigned pending; /* models of the transaction */
    time_t since;     /* it was begun */
};

/* ---- statements --------------------------------------------------------------------------------------------- */

/* A busy handler of SQLite: `calls` counts those of one wait. 0: no longer. */
static int wait_for_others(void *payload, int calls)
{
    const struct database *database = payload;
    if (calls >= database->busy_ms / BUSY_STEP_MS)
        return 0;
    if (calls == BUSY_TOLD_MS / BUSY_STEP_MS)
        say("%s: another program uses it; waiting for up to %d s", database->path, database->busy_ms / 1000);
    (void)sqlite3_sleep(BUSY_STEP_MS);
    return 1;
}

static bool fail(const struct database *database, char *problem, size_t bytes)
{
    (void)snprintf(problem, bytes, "%s", sqlite3_errmsg(database->file));
    return false;
}

static bool run(const struct database *database, const char *text, char *problem, size_t bytes)
{
    return sqlite3_exec(database->file, text, NULL, NULL, NULL) == SQLITE_OK || fail(database, problem, bytes);
}

/* The first row's first column as a number; -1: there is none. */
static int64_t ask_number(const struct database *database, const char *text)
{
    sqlite3_stmt *statement = NULL;
    int64_t number = -1;
    if (sqlite3_prepare_v2(database->file, text, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    return number;
}

/* To be freed with sqlite3_free; NULL when out of memory. */
static char *create_text(enum table table)
{
    static const char *const types[] = {"TEXT", "INTEGER", "REAL", "INTEGER"};
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendf(text, "CREATE TABLE %s (", tables[table].name);
    for (size_t i = 0; i < tables[table].count; i++)
        sqlite3_str_appendf(text, "%s %s, ", tables[table].columns[i].name, types[tables[table].columns[i].type]);
    sqlite3_str_appendf(text, "PRIMARY KEY (%s)%s)%s", tables[table].key,
                        constraints[table] ? constraints[table] : "",
                        table == TABLE_models ? "" : " WITHOUT ROWID"); /* models stay in the order of the scan */
    return sqlite3_str_finish(text);
}

/* "INSERT INTO models VALUES (?,?,...)" or "SELECT path, ... FROM models"; to be freed likewise. */
static char *statement_text(enum table table, bool is_insert)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    if (is_insert)
        sqlite3_str_appendf(text, "INSERT %sINTO %s VALUES (", table == TABLE_models ? "" : "OR IGNORE ",
                            tables[table].name); /* a target that is asked for twice has one row */
    else
        sqlite3_str_appendf(text, "SELECT ");
    for (size_t i = 0; i < tables[table].count; i++)
        sqlite3_str_appendf(text, "%s%s", i ? ", " : "", is_insert ? "?" : tables[table].columns[i].name);
    if (is_insert)
        sqlite3_str_appendf(text, ")");
    else
        sqlite3_str_appendf(text, " FROM %s", tables[table].name);
    return sqlite3_str_finish(text);
}

static bool prepare(struct database *database, sqlite3_stmt **out, const char *text, char *problem, size_t bytes)
{
    if (text && sqlite3_prepare_v2(database->file, text, -1, out, NULL) == SQLITE_OK)
        return true;
    return fail(database, problem, bytes);
}

/* ---- opening ------------------------------------------------------------------------------------------------ */

static bool begin(struct database *database, char *problem, size_t bytes)
{
    database->pending = 0;
    database->since = time(NULL);
    return run(database, "BEGIN IMMEDIATE", problem, bytes);
}

/* Another program that reads may keep the models of a transaction from being written: they stay in it then. */
static bool commit(struct database *database, bool is_last, char *problem, size_t bytes)
{
    database->busy_ms = is_last ? BUSY_MS : BUSY_BETWEEN_MS;
    int status = sqlite3_exec(database->file, "COMMIT", NULL, NULL, NULL);
    database->busy_ms = BUSY_MS;
    if (status == SQLITE_BUSY && !is_last) {
        database->pending = 1; /* so that it is not tried again for each model */
        database->since = time(NULL);
        return true;
    }
    if (status != SQLITE_OK)
        return fail(database, problem, bytes);
    return is_last || begin(database, problem, bytes);
}

static bool drop_all(const struct database *database, char *problem, size_t bytes)
{
    bool is_fine = run(database, "DROP TABLE IF EXISTS scan", problem, bytes);
    for (size_t t = TABLES; t-- > 0 && is_fine;) { /* those that refer to others first */
        char *text = sqlite3_mprintf("DROP TABLE IF EXISTS %s", tables[t].name);
        is_fine = text && run(database, text, problem, bytes);
        sqlite3_free(text);
    }
    return is_fine;
}

static bool create_all(const struct database *database, const char *made_by, char *problem, size_t bytes)
{
    bool is_fine = run(database, "CREATE TABLE scan (tool_and_options TEXT NOT NULL)", problem, bytes);
    for (size_t t = 0; t < TABLES && is_fine; t++) {
        char *text = create_text((enum table)t);
        is_fine = text && run(database, text, problem, bytes);
        sqlite3_free(text);
    }
    is_fine = is_fine && run(database, "CREATE INDEX roots_of ON roots (target, rule, op)", problem, bytes);
    char *text = sqlite3_mprintf("INSERT INTO scan VALUES (%Q); PRAGMA application_id = %d; PRAGMA user_version = %d;",
                                 made_by, APPLICATION_ID, SCHEMA_VERSION);
    is_fine = is_fine && text && run(database, text, problem, bytes);
    sqlite3_free(text);
    return is_fine;
}

/* Whether what is there was made by the same tool with the same options. */
static bool goes_on(const struct database *database, const char *made_by, char *problem, size_t bytes)
{
    char *text = sqlite3_mprintf("SELECT count(*) FROM scan WHERE tool_and_options = %Q", made_by);
    bool is_same = text && ask_number(database, text) == 1;
    sqlite3_free(text);
    if (!is_same)
        (void)snprintf(problem, bytes,
                       "was made by another version or with other options; start anew without --resume");
    return is_same;
}

static bool begin_tables(struct database *database, bool resumes, const char *made_by, char *problem, size_t bytes)
{
    int64_t objects = ask_number(database, "SELECT count(*) FROM sqlite_master");
    bool is_ours = ask_number(database, "PRAGMA application_id") == APPLICATION_ID;
    bool is_current = is_ours && ask_number(database, "PRAGMA user_version") == SCHEMA_VERSION;
    if (objects < 0)
        return fail(database, problem, bytes);
    if (objects > 0 && !is_ours) {
        (void)snprintf(problem, bytes, "is a database of something else");
        return false;
    }
    if (objects > 0 && resumes && !is_current) {
        (void)snprintf(problem, bytes, "was made by another version; start anew without --resume");
        return false;
    }
    if (!begin(database, problem, bytes))
        return false;
    if (objects > 0 && resumes)
        return goes_on(database, made_by, problem, bytes);
    return drop_all(database, problem, bytes) && create_all(database, made_by, problem, bytes) &&
           commit(database, false, problem, bytes);
}

bool database_open(struct database **out, const char *path, bool resumes, const char *tool_and_options, char *problem,
                   size_t bytes)
{
    char ignored[8];
    struct database *database = calloc(1, sizeof *database);
    *out = NULL;
    if (!database) {
        (void)snprintf(problem, bytes, "out of memory");
        return false;
    }
    database->path = path;
    database->busy_ms = BUSY_MS;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    bool is_fine = sqlite3_open_v2(path, &database->file, flags, NULL) == SQLITE_OK;
    if (is_fine) {
        (void)sqlite3_busy_handler(database->file, wait_for_others, database);
        is_fine = run(database, "PRAGMA foreign_keys = ON", problem, bytes) &&
                  begin_tables(database, resumes, tool_and_options, problem, bytes) &&
                  prepare(database, &database->find, "SELECT 1 FROM models WHERE path = ?", problem, bytes);
    } else {
        (void)fail(database, problem, bytes);
    }
    for (size_t t = 0; t < TABLES && is_fine; t++) {
        char *text = statement_text((enum table)t, true);
        is_fine = prepare(database, &database->insert[t], text, problem, bytes);
        sqlite3_free(text);
    }
    if (is_fine) {
        *out = database;
        return true;
    }
    (void)database_close(database, ignored, sizeof ignored);
    return false;
}

bool database_has(struct database *database, const char *path)
{
    (void)sqlite3_bind_text(database->find, 1, path, -1, SQLITE_STATIC);
    bool is_there = sqlite3_step(database->find) == SQLITE_ROW;
    (void)sqlite3_reset(database->find);
    return is_there;
}

/* ---- adding ------------------------------------------------------------------------------------------------- */

/* What a row is made of; members that its table does not have are NULL. */
struct source {
    const json_t *document, *target;
    const json_t *item; /* that places of the table begin at */
    size_t place;       /* of the item in its list */
    size_t root;        /* of advice_roots */
};

/* Down from a value by names and places with / between them; NULL: there is no such value. */
static const json_t *value_at(const json_t *from, const char *place)
{
    char name[32];
    while (from && *place) {
        size_t length = strcspn(place, "/");
        (void)snprintf(name, sizeof name, "%.*s", (int)length, place);
        from = json_is_array(from) ? json_array_get(from, strtoul(name, NULL, 10)) : json_object_get(from, name);
        place += length + (place[length] == '/');
    }
    return from;
}

static int bind_json(sqlite3_stmt *statement, int at, const json_t *value)
{
    if (json_is_string(value))
        return sqlite3_bind_text(statement, at, json_string_value(value), (int)json_string_length(value),
                                 SQLITE_STATIC);
    if (json_is_integer(value))
        return sqlite3_bind_int64(statement, at, json_integer_value(value));
    if (json_is_real(value))
        return sqlite3_bind_double(statement, at, json_real_value(value));
    if (json_is_boolean(value))
        return sqlite3_bind_int(statement, at, json_is_true(value));
    return sqlite3_bind_null(statement, at);
}

static int bind_column(sqlite3_stmt *statement, int at, const struct column *column, const struct source *source)
{
    const char *place = column->place;
    if (*place != '@')
        return bind_json(statement, at, value_at(source->item, place));
    if (strcmp(place, "@path") == 0)
        return bind_json(statement, at, value_at(source->document, "model/path"));
    if (strcmp(place, "@target") == 0)
        return bind_json(statement, at, value_at(source->target, "name"));
    if (strcmp(place, "@advice") == 0)
        return bind_json(statement, at, value_at(source->item, "id"));
    if (strcmp(place, "@invalid") == 0)
        return sqlite3_bind_int(statement, at, is_invalid_model(source->document));
    return sqlite3_bind_int64(statement, at, (sqlite3_int64)(place[1] == 'r' ? source->root : source->place));
}

static bool add_row(struct database *database, enum table table, const struct source *source)
{
    sqlite3_stmt *statement = database->insert[table];
    int status = SQLITE_OK;
    for (size_t i = 0; i < tables[table].count && status == SQLITE_OK; i++)
        status = bind_column(statement, (int)i + 1, &tables[table].columns[i], source);
    if (status == SQLITE_OK && sqlite3_step(statement) == SQLITE_DONE)
        status = SQLITE_DONE;
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
    return status == SQLITE_DONE;
}

/* Of a step the roots whose causes it is for; a pair that is met again stays one row. */
static bool add_pairs(struct database *database, struct source *source, const struct by_cause *roots)
{
    bool is_fine = true;
    size_t i;
    const json_t *cause;
    json_array_foreach(json_object_get(source->item, "causes"), i, cause) {
        source->root = place_of_cause(roots, cause);
        if (is_fine && source->root != SIZE_MAX)
            is_fine = add_row(database, TABLE_advice_roots, source);
    }
    return is_fine;
}

static bool add_target(struct database *database, const struct source *model, const json_t *target)
{
    struct source source = {.document = model->document, .target = target, .item = target};
    const json_t *roots = json_object_get(target, "roots"), *advice = json_object_get(target, "advice");
    struct by_cause root_of = find_by_cause(roots, roots);
    bool is_fine = root_of.places && add_row(database, TABLE_targets, &source);
    for (size_t i = 0; i < json_array_size(roots) && is_fine; i++) {
        source.item = json_array_get(roots, i);
        source.place = i;
        is_fine = add_row(database, TABLE_roots, &source);
    }
    for (size_t i = 0; i < json_array_size(advice) && is_fine; i++) {
        source.item = json_array_get(advice, i);
        source.place = i;
        is_fine = add_row(database, TABLE_advice, &source) && add_pairs(database, &source, &root_of);
    }
    free(root_of.places);
    return is_fine;
}

bool database_add(struct database *database, const json_t *document, char *problem, size_t bytes)
{
    struct source model = {.document = document, .item = document};
    const json_t *targets = json_object_get(document, "targets"), *target;
    size_t i;
    if (!run(database, "SAVEPOINT model", problem, bytes))
        return false;
    bool is_fine = add_row(database, TABLE_models, &model);
    json_array_foreach(targets, i, target)
        is_fine = is_fine && add_target(database, &model, target);
    if (!is_fine) {
        (void)fail(database, problem, bytes);
        (void)sqlite3_exec(database->file, "ROLLBACK TO model", NULL, NULL, NULL);
    }
    if (sqlite3_exec(database->file, "RELEASE model", NULL, NULL, NULL) != SQLITE_OK)
        return is_fine ? fail(database, problem, bytes) : false;
    database->pending++;
    return is_fine && database_settle(database, problem, bytes);
}

bool database_settle(struct database *database, char *problem, size_t bytes)
{
    bool is_due = database->pending >= MOST_PENDING || (database->pending && time(NULL) != database->since);
    return !is_due || commit(database, false, problem, bytes);
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

/* Puts a value, which is taken over, where value_at finds it; what is on the way is made. Lists grow with nulls. */
static bool put_at(json_t *object, const char *place, json_t *value)
{
    char name[32];
    size_t length = strcspn(place, "/");
    (void)snprintf(name, sizeof name, "%.*s", (int)length, place);
    if (place[length]) {
        const char *rest = place + length + 1;
        bool is_list = *rest >= '0' && *rest <= '9';
        json_t *inner = json_is_array(object) ? NULL : json_object_get(object, name);
        if (!inner && json_object_set_new(object, name, is_list ? json_array() : json_object()) == 0)
            inner = json_object_get(object, name);
        return inner ? put_at(inner, rest, value) : (json_decref(value), false);
    }
    if (!json_is_array(object))
        return json_object_set_new(object, name, value) == 0;
    size_t at = strtoul(name, NULL, 10);
    bool is_fine = true;
    while (is_fine && json_array_size(object) <= at)
        is_fine = json_array_append_new(object, json_null()) == 0;
    return is_fine ? json_array_set_new(object, at, value) == 0 : (json_decref(value), false);
}

static json_t *json_column(sqlite3_stmt *row, int at, enum type type)
{
    const char *text = (const char *)sqlite3_column_text(row, at);
    if (sqlite3_column_type(row, at) == SQLITE_NULL)
        return json_null();
    switch (type) {
    case TYPE_INTEGER:
        return json_integer(sqlite3_column_int64(row, at));
    case TYPE_REAL:
        return json_real(sqlite3_column_double(row, at));
    case TYPE_BOOLEAN:
        return json_boolean(sqlite3_column_int(row, at));
    default:
        return text ? json_stringn(text, (size_t)sqlite3_column_bytes(row, at)) : NULL;
    }
}

/* The row of a statement that statement_text made, but for what is not in it; NULL when out of memory. */
static json_t *json_row(sqlite3_stmt *row, enum table table)
{
    json_t *object = json_object();
    bool is_fine = object != NULL;
    for (size_t i = 0; i < tables[table].count && is_fine; i++) {
        const struct column *column = &tables[table].columns[i];
        bool is_missing = strncmp(column->place, "error/", 6) == 0 && sqlite3_column_type(row, (int)i) == SQLITE_NULL;
        if (*column->place != '@' && !is_missing)
            is_fine = put_at(object, column->place, json_column(row, (int)i, column->type));
    }
    if (is_fine)
        return object;
    json_decref(object);
    return NULL;
}

/* The rows of a model, in all tables but the first, in the order of their keys. */
struct rows {
    sqlite3_stmt *of[TABLES];
};

static bool prepare_rows(struct database *database, struct rows *rows, char *problem, size_t bytes)
{
    bool is_fine = true;
    for (size_t t = 0; t < TABLES && is_fine; t++) {
        char *columns_text = statement_text((enum table)t, false);
        char *text = !columns_text ? NULL
                     : t == TABLE_models ? sqlite3_mprintf("%s ORDER BY rowid", columns_text)
                     : t == TABLE_targets ? sqlite3_mprintf("%s WHERE path = ? ORDER BY target", columns_text)
                     : t == TABLE_advice
                         ? sqlite3_mprintf("%s WHERE path = ? AND target = ? ORDER BY length(advice), advice",
                                           columns_text)
                         : sqlite3_mprintf("%s WHERE path = ? AND target = ? ORDER BY %s", columns_text, tables[t].key);
        is_fine = prepare(database, &rows->of[t], text, problem, bytes);
        sqlite3_free(text);
        sqlite3_free(columns_text);
    }
    return is_fine;
}

/* The rows of one model and target as a list; NULL when out of memory. */
static json_t *json_rows(sqlite3_stmt *rows, enum table table, const json_t *path, const json_t *target)
{
    json_t *list = json_array();
    bool is_fine = list && bind_json(rows, 1, path) == SQLITE_OK &&
                   (!target || bind_json(rows, 2, target) == SQLITE_OK);
    int status = SQLITE_DONE;
    while (is_fine && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        json_t *row = json_row(rows, table);
        is_fine = row && json_array_append_new(list, row) == 0;
    }
    is_fine = is_fine && status == SQLITE_DONE;
    (void)sqlite3_reset(rows);
    (void)sqlite3_clear_bindings(rows);
    if (is_fine)
        return list;
    json_decref(list);
    return NULL;
}

/* The causes of a root are itself. */
static bool join_roots(sqlite3_stmt *pairs, const json_t *path, const json_t *target, const json_t *roots,
                       const json_t *advice)
{
    bool is_fine = bind_json(pairs, 1, path) == SQLITE_OK && bind_json(pairs, 2, target) == SQLITE_OK;
    size_t i;
    json_t *item;
    json_array_foreach(roots, i, item)
        is_fine = is_fine && json_object_set_new(item, "causes", json_pack("[i]", (int)i)) == 0;
    json_array_foreach(advice, i, item)
        is_fine = is_fine && json_object_set_new(item, "causes", json_array()) == 0;
    int status = SQLITE_DONE;
    while (is_fine && (status = sqlite3_step(pairs)) == SQLITE_ROW) {
        const char *id = (const char *)sqlite3_column_text(pairs, 2);
        json_array_foreach(advice, i, item) {
            const char *own = json_text(item, "id");
            if (id && own && strcmp(own, id) == 0)
                is_fine = json_array_append_new(json_object_get(item, "causes"),
                                                json_integer(sqlite3_column_int64(pairs, 3))) == 0;
        }
    }
    (void)sqlite3_reset(pairs);
    (void)sqlite3_clear_bindings(pairs);
    return is_fine && status == SQLITE_DONE;
}

static bool read_targets(const struct rows *rows, json_t *document, bool has_invalid)
{
    const json_t *path = value_at(document, "model/path");
    json_t *targets = json_rows(rows->of[TABLE_targets], TABLE_targets, path, NULL), *target;
    json_t *findings = has_invalid ? json_pack("[{s:s}]", "code", "invalid") : json_array();
    size_t i;
    bool is_fine = json_object_set_new(document, "findings", findings) == 0 &&
                   json_object_set_new(document, "targets", targets) == 0;
    json_array_foreach(targets, i, target) {
        const json_t *name = json_object_get(target, "name");
        json_t *roots = json_rows(rows->of[TABLE_roots], TABLE_roots, path, name);
        json_t *advice = json_rows(rows->of[TABLE_advice], TABLE_advice, path, name);
        is_fine = is_fine && json_object_set_new(target, "roots", roots) == 0 &&
                  json_object_set_new(target, "advice", advice) == 0 &&
                  join_roots(rows->of[TABLE_advice_roots], path, name, roots, advice);
    }
    return is_fine;
}

bool database_read(struct database *database, void (*take)(void *payload, const json_t *document), void *payload,
                   char *problem, size_t bytes)
{
    struct rows rows = {{NULL}};
    int status = SQLITE_DONE, invalid = 0;
    bool is_fine = prepare_rows(database, &rows, problem, bytes);
    while (strcmp(tables[TABLE_models].columns[invalid].place, "@invalid") != 0)
        invalid++;
    while (is_fine && (status = sqlite3_step(rows.of[TABLE_models])) == SQLITE_ROW) {
        json_t *document = json_row(rows.of[TABLE_models], TABLE_models);
        is_fine = document && read_targets(&rows, document, sqlite3_column_int(rows.of[TABLE_models], invalid));
        if (is_fine)
            take(payload, document);
        else
            (void)snprintf(problem, bytes, "out of memory");
        json_decref(document);
    }
    if (is_fine && status != SQLITE_DONE)
        is_fine = fail(database, problem, bytes);
    for (size_t t = 0; t < TABLES; t++)
        (void)sqlite3_finalize(rows.of[t]);
    return is_fine;
}

bool database_close(struct database *database, char *problem, size_t bytes)
{
    if (!database)
        return true;
    bool is_fine = !database->find || commit(database, true, problem, bytes); /* else it was never open */
    for (size_t t = 0; t < TABLES; t++)
        (void)sqlite3_finalize(database->insert[t]);
    (void)sqlite3_finalize(database->find);
    (void)sqlite3_close(database->file); /* what is in a transaction still is undone */
    free(database);
    return is_fine;
}

#else

static bool fail(char *problem, size_t bytes)
{
    (void)snprintf(problem, bytes, "this build of npu-partition has no SQLite; write lines of JSON instead");
    return false;
}

bool database_open(struct database **out, const char *path, bool resumes, const char *tool_and_options, char *problem,
                   size_t bytes)
{
    (void)path, (void)resumes, (void)tool_and_options;
    *out = NULL;
    return fail(problem, bytes);
}

bool database_has(struct database *database, const char *path)
{
    (void)database, (void)path;
    return false;
}

bool database_add(struct database *database, const json_t *document, char *problem, size_t bytes)
{
    (void)database, (void)document;
    return fail(problem, bytes);
}

bool database_settle(struct database *database, char *problem, size_t bytes)
{
    (void)database;
    return fail(problem, bytes);
}

bool database_read(struct database *database, void (*take)(void *payload, const json_t *document), void *payload,
                   char *problem, size_t bytes)
{
    (void)database, (void)take, (void)payload;
    return fail(problem, bytes);
}

bool database_close(struct database *database, char *problem, size_t bytes)
{
    (void)database, (void)problem, (void)bytes;
    return true;
}

#endif
