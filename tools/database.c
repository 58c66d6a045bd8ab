/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables are those of include/records.table, of which records.awk makes statements: SQLite itself takes a report apart,
 * and puts what sums need together again. The journal is SQLite's own, a second file, there during a transaction:
 * not a write-ahead log, which needs shared memory, so that the file may lie on a network's disk, and is all there is
 * once a scan has ended.
 */
#include "database.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tool.h"

#ifdef TOOL_HAS_SQLITE
#include <sqlite3.h>

#define APPLICATION_ID 0x4e505254 /* "NPRT" */
#define SCHEMA_VERSION 1
#define MOST_PENDING 256u  /* models of one transaction */
#define BUSY_MS 10000      /* how long another program may hold the file */
#define BUSY_BETWEEN_MS 100 /* ... where it can be tried again a second later */
#define BUSY_TOLD_MS 1000   /* after which a person is told what is waited for */
#define BUSY_STEP_MS 20

#include "record_columns.h"

struct database {
    const char *path;
    sqlite3 *file;
    int busy_ms; /* how long another program is waited for */
    sqlite3_stmt *insert[TABLES];
    bool is_open; /* in a transaction */
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

static bool prepare(struct database *database, sqlite3_stmt **out, const char *text, char *problem, size_t bytes)
{
    if (sqlite3_prepare_v2(database->file, text, -1, out, NULL) == SQLITE_OK)
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
    for (size_t t = 0; t < TABLES && is_fine; t++)
        is_fine = run(database, tables[t].create, problem, bytes);
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
                  begin_tables(database, resumes, tool_and_options, problem, bytes);
    } else {
        (void)fail(database, problem, bytes);
    }
    for (size_t t = 0; t < TABLES && is_fine; t++)
        is_fine = prepare(database, &database->insert[t], tables[t].insert, problem, bytes);
    database->is_open = is_fine;
    if (is_fine) {
        *out = database;
        return true;
    }
    (void)database_close(database, ignored, sizeof ignored);
    return false;
}

/* ---- adding ------------------------------------------------------------------------------------------------- */

static bool add_rows(sqlite3_stmt *statement, const char *json, size_t count)
{
    bool is_added = sqlite3_bind_text64(statement, 1, json, count, SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK &&
                    sqlite3_step(statement) == SQLITE_DONE;
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
    return is_added;
}

bool database_add(struct database *database, const char *json, size_t count, char *problem, size_t bytes)
{
    if (!run(database, "SAVEPOINT model", problem, bytes))
        return false;
    bool is_fine = true;
    for (size_t t = 0; t < TABLES && is_fine; t++)
        is_fine = add_rows(database->insert[t], json, count) || fail(database, problem, bytes);
    if (!is_fine)
        (void)sqlite3_exec(database->file, "ROLLBACK TO model", NULL, NULL, NULL);
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

/* What sums are made of; a root's cause is itself. */
static const char read_text[] =
    "SELECT path, json_object("
    "'findings', json(CASE WHEN is_invalid THEN '[{\"code\":\"invalid\"}]' ELSE '[]' END),"
    "'error', json(CASE WHEN error_code IS NULL THEN 'null' ELSE json_object('code', error_code) END),"
    "'targets', json((SELECT json_group_array(json_object('name', target, 'summary',"
    " json_object('verdict', verdict, 'live', live, 'accepted', accepted, 'partitions', partitions),"
    "'roots', json((SELECT json_group_array(json_object('kind', kind, 'rule', rule, 'op', op, 'text', text,"
    " 'nodes', nodes, '" "victims', " "victims, 'causes', json_array(root)))"
    " FROM (SELECT * FROM roots r WHERE r.path = t.path AND r.target = t.target ORDER BY root))),"
    "'advice', json((SELECT json_group_array(json_object('action', action, 'text', text,"
    " 'after', json_object('verdict', after_verdict, 'partitions', after_partitions),"
    " 'causes', json((SELECT json_group_array(root) FROM advice_roots r"
    " WHERE r.path = a.path AND r.target = a.target AND r.advice = a.advice))))"
    " FROM (SELECT * FROM advice s WHERE s.path = t.path AND s.target = t.target ORDER BY length(advice), advice) a))"
    ")) FROM targets t WHERE t.path = m.path))) FROM models m ORDER BY rowid";

bool database_read(struct database *database, database_taker *take, void *payload, char *problem, size_t bytes)
{
    sqlite3_stmt *row = NULL;
    int status = SQLITE_ERROR;
    bool is_fine = prepare(database, &row, read_text, problem, bytes);
    while (is_fine && (status = sqlite3_step(row)) == SQLITE_ROW) {
        const char *json = (const char *)sqlite3_column_text(row, 1), *path = (const char *)sqlite3_column_text(row, 0);
        take(payload, path, json, (size_t)sqlite3_column_bytes(row, 1));
    }
    if (is_fine && status != SQLITE_DONE)
        is_fine = fail(database, problem, bytes);
    (void)sqlite3_finalize(row);
    return is_fine;
}

bool database_close(struct database *database, char *problem, size_t bytes)
{
    if (!database)
        return true;
    bool is_fine = !database->is_open || commit(database, true, problem, bytes);
    for (size_t t = 0; t < TABLES; t++)
        (void)sqlite3_finalize(database->insert[t]);
    (void)sqlite3_close(database->file); /* what is in a transaction still is undone */
    free(database);
    return is_fine;
}

#endif
