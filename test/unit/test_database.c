/* SPDX-License-Identifier: Apache-2.0
 *
 * Results in a SQLite database: what is added is there again, as a whole, whatever ends the program.
 */
#define _POSIX_C_SOURCE 200809L
#include "../../tools/database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/test.h"

#ifdef TOOL_HAS_SQLITE
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

static char name[64], journal[80];

static void remove_all(void)
{
    (void)snprintf(name, sizeof name, "/tmp/npart-database-%ld.sqlite", (long)getpid());
    (void)snprintf(journal, sizeof journal, "%s-journal", name);
    (void)remove(name);
    (void)remove(journal);
}

static struct database *open_database(bool resumes, const char *tool)
{
    char problem[200] = "";
    struct database *database = NULL;
    CHECK(database_open(&database, name, resumes, tool, problem, sizeof problem));
    CHECK_TEXT(problem, "");
    return database;
}

static void close_database(struct database *database)
{
    char problem[200] = "";
    CHECK(database_close(database, problem, sizeof problem));
    CHECK_TEXT(problem, "");
}

/* A document with all that the tables have, ' for " in the text. */
static char *document_of(const char *path)
{
    static const char target[] =
        "{'name':'t','partitioner':'qnn','summary':{'verdict':'split','nodes':9,'folded':1,'fused':1,'live':8,"
        "'accepted':5,'refused':3,'failed':1,'unknown':0,'partitions':2,"
        "'partitions_if_unknown':[1,2],'switches':4,'coverage':0.625,"
        "'macs':null,'macs_on_npu':7,'mac_coverage':0.5,'fits':false},"
        "'cost':{'low_ms':1.5,'typical_ms':2.5,'high_ms':3.5,"
        "'alternatives':{'cpu':[null,9.5]},'recommendation':'mend'},"
        "'memory':{'weight_bytes_npu':5000000000,'activation_peak_bytes':8},"
        "'roots':[{'kind':'op','rule':'t/builder','op':'Erf','text':'Erf: no','nodes':2,'"
        "victims':3,'causes':[0]},"
        "{'kind':'dynamic','rule':null,'op':null,'text':'open','nodes':0,'"
        "victims':1,'causes':[1]}],"
        "'advice':[{'id':'a1','action':'rewrite','text':'Replace Erf','command':null,'equality':'ulp','fixable':true,"
        "'causes':[1,0],'after':{'partitions':1,'coverage':1.0,'mac_coverage':null,'verdict':'whole',"
        "'cost':{'typical_ms':0.25}}},{'id':'a2','action':'dims','text':'Fix','command':'--dim a=1','equality':null,"
        "'fixable':false,'causes':[1],'after':{'partitions':2,'coverage':0.75,'mac_coverage':0.5,'verdict':'split',"
        "'cost':{'typical_ms':null}}}]}";
    static char text[4096];
    (void)snprintf(text, sizeof text,
                   "{'findings':[{'code':'invalid'}],'model':{'path':'%s','bytes':12,'weight_bytes':3,'nodes':9,"
                   "'ir_version':8,'producer':'pytorch','opsets':{'ai.onnx':17}},'targets':[%s]}",
                   path, target);
    for (char *at = text; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    return text;
}

static bool add(struct database *database, const char *path, char *problem, size_t bytes)
{
    const char *document = document_of(path);
    return database_add(database, document, strlen(document), problem, bytes);
}

static void add_all(struct database *database, int first, int count)
{
    char path[32], problem[200] = "";
    for (int i = first; i < first + count; i++) {
        (void)snprintf(path, sizeof path, "m%05d", i);
        CHECK(add(database, path, problem, sizeof problem));
    }
}

/* The only row's first column as a number, of a connection of its own. */
static int ask(const char *query)
{
    sqlite3 *file = NULL;
    sqlite3_stmt *statement = NULL;
    int number = -1;
    if (sqlite3_open(name, &file) == SQLITE_OK &&
        sqlite3_prepare_v2(file, query, -1, &statement, NULL) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int(statement, 0);
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(file);
    return number;
}

static bool has(const char *path)
{
    char query[100];
    (void)snprintf(query, sizeof query, "SELECT count(*) FROM models WHERE path = '%s'", path);
    return ask(query) == 1;
}

struct taken {
    int count;
    char path[32], json[2000]; /* of the last */
};

static void take(void *payload, const char *path, const char *json, size_t count)
{
    struct taken *taken = payload;
    taken->count++;
    (void)snprintf(taken->path, sizeof taken->path, "%s", path);
    (void)snprintf(taken->json, sizeof taken->json, "%.*s", (int)count, json);
}

static struct taken read_all(struct database *database)
{
    char problem[200] = "";
    struct taken taken = {0};
    CHECK(database_read(database, take, &taken, problem, sizeof problem));
    CHECK_TEXT(problem, "");
    return taken;
}

/* What sums are made of; causes are roots there. */
static const char read_again[] =
    "{\"findings\":[{\"code\":\"invalid\"}],\"error\":null,\"targets\":[{\"name\":\"t\","
    "\"summary\":{\"verdict\":\"split\",\"live\":8,\"accepted\":5,\"partitions\":2},"
    "\"roots\":[{\"kind\":\"op\",\"rule\":\"t/builder\",\"op\":\"Erf\",\"text\":\"Erf: no\",\"nodes\":2,\"victims\":3,"
    "\"causes\":[0]},{\"kind\":\"dynamic\",\"rule\":null,\"op\":null,\"text\":\"open\",\"nodes\":0,\"victims\":1,"
    "\"causes\":[1]}],\"advice\":[{\"action\":\"rewrite\",\"text\":\"Replace Erf\","
    "\"after\":{\"verdict\":\"whole\",\"partitions\":1},\"causes\":[0,1]},{\"action\":\"dims\",\"text\":\"Fix\","
    "\"after\":{\"verdict\":\"split\",\"partitions\":2},\"causes\":[1]}]}]}";

static void test_database__all_columns_and_back(void)
{
    static const char failed[] = "{\"model\":{\"path\":\"a\"},\"error\":{\"code\":\"limit\",\"place\":\"\","
                                 "\"text\":\"too large\"},\"targets\":[]}";
    char problem[200] = "";
    remove_all();
    struct database *database = open_database(false, "v1");
    CHECK(add(database, "b", problem, sizeof problem));
    struct taken found = read_all(database);
    CHECK_INT(found.count, 1);
    CHECK_TEXT(found.path, "b");
    CHECK_TEXT(found.json, read_again);
    CHECK(database_add(database, failed, strlen(failed), problem, sizeof problem));
    found = read_all(database);
    CHECK_INT(found.count, 2);
    CHECK_TEXT(found.json, "{\"findings\":[],\"error\":{\"code\":\"limit\"},\"targets\":[]}");
    CHECK(!database_add(database, "{", 1, problem, sizeof problem) && strstr(problem, "malformed JSON"));
    close_database(database);
    CHECK(has("b") && has("a") && !has("c"));
    CHECK_INT(ask("SELECT weight_bytes_npu = 5000000000 AND partitions_high = 2 AND cpu_ms = 9.5 AND macs IS NULL "
                  "FROM targets"), 1);
    CHECK_INT(ask("SELECT is_invalid AND error_code IS NULL FROM models WHERE path = 'b'"), 1);
    CHECK_INT(ask("SELECT sum(is_fixable) FROM advice"), 1);
    CHECK_INT(ask("SELECT count(*) FROM advice_roots"), 3);
    CHECK(access(journal, F_OK) != 0);
}

/* Targets that differ in their toolchain alone are two. */
static void test_database__toolchains(void)
{
    static const char report[] = "{\"model\":{\"path\":\"a\"},\"targets\":[{\"name\":\"t\",\"toolchain\":\"sdk 1\"},"
                                 "{\"name\":\"t\",\"toolchain\":\"sdk 2\"},{\"name\":\"u\",\"toolchain\":\"sdk 1\"}]}";
    char problem[200] = "";
    remove_all();
    struct database *database = open_database(false, "v1");
    CHECK(database_add(database, report, strlen(report), problem, sizeof problem));
    close_database(database);
    CHECK_INT(ask("SELECT count(*) FROM targets WHERE target IN ('t@sdk 1', 't@sdk 2', 'u')"), 3);
    remove_all();
}

static void test_database__anew_or_again(void)
{
    char problem[200] = "";
    remove_all();
    close_database(open_database(false, "v1"));
    struct database *database = open_database(false, "v1");
    CHECK_INT(ask("SELECT count(*) FROM models"), 0);
    add_all(database, 0, 3);
    close_database(database);
    CHECK(!database_open(&database, name, true, "v2", problem, sizeof problem) && !database);
    CHECK(strstr(problem, "other options"));
    CHECK_INT(ask("SELECT count(*) FROM models"), 3);
    database = open_database(true, "v1");
    CHECK(has("m00002"));
    CHECK(!add(database, "m00002", problem, sizeof problem) && strstr(problem, "UNIQUE"));
    add_all(database, 3, 1);
    close_database(database);
    CHECK_INT(ask("SELECT count(*) FROM models"), 4);
    CHECK_INT(ask("SELECT count(*) FROM targets"), 4);
    remove_all();
    database = open_database(true, "v1"); /* nothing is there yet */
    close_database(database);
    CHECK_INT(ask("PRAGMA user_version"), 1);
}

static void check_refused(const char *wanted)
{
    char problem[200] = "";
    struct database *database = NULL;
    CHECK(!database_open(&database, name, false, "v1", problem, sizeof problem) && !database);
    if (!strstr(problem, wanted))
        fprintf(stderr, "%s\n", problem);
    CHECK(strstr(problem, wanted));
}

static void test_database__what_is_something_else(void)
{
    char text[2000];
    remove_all();
    FILE *file = fopen(name, "wb");
    memset(text, 'x', sizeof text);
    CHECK(file && fwrite(text, 1, sizeof text, file) == sizeof text);
    (void)fclose(file);
    check_refused("not a database");
    remove_all();
    (void)ask("CREATE TABLE models (path)");
    check_refused("something else");
    CHECK_INT(ask("SELECT count(*) FROM models"), 0);
    remove_all();
}

/* Ends a scan by SIGKILL after so many models; what is left is of whole models, and goes on to all of them. */
static void test_database__killed(void)
{
    enum { MODELS = 700 };
    static const int ends[] = {0, 1, 255, 256, 257, 600};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        remove_all();
        pid_t child = fork();
        if (child == 0) {
            add_all(open_database(false, "v1"), 0, ends[i]);
            (void)kill(getpid(), SIGKILL);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
        struct database *database = open_database(true, "v1");
        char path[32];
        int left = 0;
        for (int k = 0; k < MODELS; k++) {
            (void)snprintf(path, sizeof path, "m%05d", k);
            if (has(path))
                left++;
            else
                add_all(database, k, 1);
        }
        CHECK(left > ends[i] - 256 && left <= ends[i]);
        close_database(database);
        CHECK_INT(ask("SELECT count(*) FROM models"), MODELS);
        CHECK_INT(ask("SELECT count(*) FROM advice_roots"), 3 * MODELS);
        CHECK_INT(ask("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    }
    remove_all();
}

TESTS(test_database__all_columns_and_back, test_database__toolchains, test_database__anew_or_again,
      test_database__what_is_something_else,
      test_database__killed)

#else

static void test_database__none_in_this_build(void)
{
    char problem[200] = "";
    struct database *database = NULL;
    CHECK(!database_open(&database, "none.sqlite", false, "v1", problem, sizeof problem) && !database);
    CHECK(strstr(problem, "no SQLite"));
    CHECK(database_close(NULL, problem, sizeof problem));
}

TESTS(test_database__none_in_this_build)

#endif
