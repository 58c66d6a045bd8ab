/* SPDX-License-Identifier: Apache-2.0
 *
 * Patterns of paths, and the files that match one.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "npu_partition/many.h"
#include "support/test.h"

static void test_glob__names(void)
{
    CHECK(npart_glob_match("a.onnx", "a.onnx") && !npart_glob_match("a.onnx", "b.onnx") &&
          !npart_glob_match("a", "ab"));
    CHECK(npart_glob_match("*.onnx", "a.onnx") && npart_glob_match("*", "a") && npart_glob_match("a*b*c", "aXbXbYc"));
    CHECK(!npart_glob_match("*.onnx", "m/a.onnx") && !npart_glob_match("*.onnx", "a.onnx.data"));
    CHECK(npart_glob_match("?.onnx", "\xc3\xa9.onnx") && !npart_glob_match("?.onnx", ".onnx") &&
          !npart_glob_match("?", ""));
    CHECK(npart_glob_match("[a-c]x", "bx") && !npart_glob_match("[a-c]x", "dx") && npart_glob_match("[!a-c]x", "dx"));
    CHECK(npart_glob_match("[]x]", "]") && npart_glob_match("[\xc3\xa0-\xc3\xbf]", "\xc3\xa9") &&
          npart_glob_match("[x", "[x"));
}

static void test_glob__folders(void)
{
    CHECK(npart_glob_match("m/*.onnx", "m/a.onnx") && !npart_glob_match("m/*.onnx", "m/n/a.onnx"));
    CHECK(npart_glob_match("**/*.onnx", "a.onnx") && npart_glob_match("**/*.onnx", "m/n/a.onnx"));
    CHECK(npart_glob_match("m/**", "m/n/a") && npart_glob_match("m/**/a", "m/a") && !npart_glob_match("m/**/a", "n/a"));
    CHECK(npart_glob_match("**/m/**/a", "x/m/y/m/z/a") && !npart_glob_match("**/m/**/a", "x/a") &&
          !npart_glob_match("m/a/**", "m"));
    CHECK(npart_glob_match("*/*/a", "x/y/a") && !npart_glob_match("*/*/a", "x/a"));
}

static void test_glob__hidden_names_are_written(void)
{
    CHECK(!npart_glob_match("*", ".a") && !npart_glob_match("?a", ".a") && !npart_glob_match("[.]a", ".a") &&
          npart_glob_match(".*", ".a"));
    CHECK(!npart_glob_match("**/a", ".git/a") && npart_glob_match(".git/**", ".git/x/a") &&
          !npart_glob_match("**", "x/.git/a"));
    CHECK(npart_glob_match("**/.x/**/a", "b/.x/c/a") && !npart_glob_match("**/a", "b/.x/a"));
}

/* Many wildcards do not multiply. */
static void test_glob__takes_its_time_linearly(void)
{
    char pattern[NPART_MOST_GLOB_BYTES + 2], path[4096];
    for (size_t i = 0; i + 2 < sizeof pattern; i += 2)
        memcpy(pattern + i, "a*", 3);
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    pattern[sizeof pattern - 3] = 'b';
    CHECK(!npart_glob_match(pattern, path));
}

static void test_glob__problems(void)
{
    char text[NPART_MOST_GLOB_BYTES + 2];
    CHECK(!npart_glob_problem("m/**/[a-z]*.onnx") && !npart_glob_problem(".github/x") && !npart_glob_problem("a..b") );
    CHECK_TEXT(npart_glob_problem(""), "an empty path");
    CHECK_TEXT(npart_glob_problem("/m/a"), "paths begin at the folder of this file, not with /");
    CHECK_TEXT(npart_glob_problem("../a"), "paths begin at the folder of this file, and have no . or .. in them");
    CHECK_TEXT(npart_glob_problem("./a"), "paths begin at the folder of this file, and have no . or .. in them");
    CHECK_TEXT(npart_glob_problem("a//b"), "a name between / is missing");
    CHECK_TEXT(npart_glob_problem("a/"), "a name between / is missing");
    CHECK_TEXT(npart_glob_problem("a\\b"), "folders are separated by /");
    CHECK_TEXT(npart_glob_problem("**.onnx"), "** stands alone between /");
    CHECK_TEXT(npart_glob_problem("a[b"), "a [ has no ]");
    memset(text, 'a', sizeof text - 1);
    text[NPART_MOST_GLOB_BYTES] = '\0';
    CHECK(!npart_glob_problem(text));
    text[NPART_MOST_GLOB_BYTES] = 'a';
    text[NPART_MOST_GLOB_BYTES + 1] = '\0';
    CHECK_TEXT(npart_glob_problem(text), "the path has more than 4096 bytes");
    for (size_t i = 0; i < NPART_MOST_GLOB_FOLDERS; i++)
        memcpy(text + 2 * i, "a/", 3);
    text[2 * NPART_MOST_GLOB_FOLDERS - 1] = '\0';
    CHECK(!npart_glob_problem(text));
    strcpy(text + 2 * NPART_MOST_GLOB_FOLDERS - 1, "/b");
    CHECK_TEXT(npart_glob_problem(text), "the path has more than 64 folders");
}

static char folder[] = "/tmp/test_glob_XXXXXX/";

static void make(const char *path)
{
    char full[256];
    (void)snprintf(full, sizeof full, "%s%s", folder, path);
    if (full[strlen(full) - 1] == '/')
        REQUIRE(mkdir(full, 0777) == 0);
    else
        REQUIRE(fclose(fopen(full, "w")) == 0);
}

static npart_files *find(const char *const *arguments, size_t count, const char *below)
{
    struct npart_files_options options = NPART_FILES_OPTIONS_INIT;
    npart_files *files = NULL;
    options.folder = below;
    REQUIRE(npart_files_find(&files, arguments, count, &options, NULL) == NPART_OK);
    return files;
}

/* Paths, each after a blank, without `beginning`; of what cannot be looked at why. */
static void check_files(npart_files *files, const char *beginning, const char *wanted)
{
    struct npart_file file = {.size = sizeof file};
    char found[1024] = "";
    for (size_t i = 0; npart_files_file(files, i, &file); i++) {
        REQUIRE(strncmp(file.path, beginning, strlen(beginning)) == 0);
        strcat(strcat(found, i ? " " : ""), file.path + strlen(beginning));
        if (file.code)
            strcat(strcat(strcat(found, "("), file.is_folder ? file.problem : file.code), ")");
    }
    CHECK_TEXT(found, wanted);
    npart_files_free(files);
}

static void check_found(const char *pattern, const char *wanted)
{
    check_files(find(&pattern, 1, folder), "", wanted);
}

static void check_limits(void)
{
    char deep[2 * NPART_MOST_GLOB_FOLDERS + 8] = "";
    for (uint32_t i = 0; i <= NPART_MOST_GLOB_FOLDERS; i++) {
        strcat(deep, "d/");
        make(deep);
        if (i + 1 == NPART_MOST_GLOB_FOLDERS)
            check_found("d/**/*.onnx", "");
    }
    struct npart_file file = {.size = sizeof file};
    npart_files *files = find((const char *const[]){"**/x.onnx"}, 1, folder);
    CHECK(npart_files_file(files, 0, &file) && file.is_folder && strlen(file.path) == 2 * NPART_MOST_GLOB_FOLDERS + 1);
    CHECK_TEXT(file.problem, "folders are nested more than 64 deep");
    npart_files_free(files);
    const char **again = calloc(NPART_MOST_GLOB_FILES + 1, sizeof *again);
    REQUIRE(again);
    for (size_t i = 0; i <= NPART_MOST_GLOB_FILES; i++)
        again[i] = "m/a.onnx";
    struct npart_files_options options = NPART_FILES_OPTIONS_INIT;
    struct npart_error error;
    options.folder = folder;
    CHECK(npart_files_find(&files, again, NPART_MOST_GLOB_FILES + 1, &options, &error) == NPART_ERROR_LIMIT);
    CHECK_TEXT(error.message, "the paths match more than 100000 files");
    free(again);
}

/* What scan takes: folders, patterns, paths. */
static bool is_b(void *payload, const char *path)
{
    (void)payload;
    return strstr(path, "b.onnx") != NULL;
}

static void note(void *payload, const char *about, const char *text)
{
    (void)about;
    strcat(payload, text);
}

static void check_models(void)
{
    char whole[300], pattern[300], twice[300], none[300], told[300] = "", hidden[300];
    (void)snprintf(whole, sizeof whole, "%sm", folder);
    (void)snprintf(pattern, sizeof pattern, "%s*/n", folder);
    (void)snprintf(twice, sizeof twice, "%sl/a.onnx", folder);
    (void)snprintf(none, sizeof none, "%sa.onnx", folder);
    (void)snprintf(hidden, sizeof hidden, "%s.h/*.onnx", folder);
    check_files(find((const char *const[]){whole}, 1, NULL), folder, "m/a.onnx m/b.onnx m/gone.onnx(read) m/n/a.onnx");
    check_files(find((const char *const[]){pattern, hidden}, 2, NULL), folder, "m/n/a.onnx .h/a.onnx");
    check_files(find((const char *const[]){whole, twice}, 2, NULL), folder,
                "m/a.onnx m/b.onnx m/gone.onnx(read) m/n/a.onnx"); /* by a link */
    struct npart_files_options options = NPART_FILES_OPTIONS_INIT;
    struct npart_files_info info = {.size = sizeof info};
    struct npart_error error;
    npart_files *files = NULL;
    options.skip = is_b;
    options.tell = note;
    options.payload = told;
    options.own = twice;
    REQUIRE(npart_files_find(&files, (const char *const[]){whole, none}, 2, &options, &error) == NPART_OK);
    CHECK(npart_files_info(files, &info) && info.count == 2 && info.skipped == 1 && info.left_out == 0);
    CHECK_TEXT(told, "note: no models in it");
    check_files(files, folder, "m/gone.onnx(read) m/n/a.onnx");
    (void)snprintf(pattern, sizeof pattern, "%s**.onnx", folder);
    CHECK(npart_files_find(&files, (const char *const[]){pattern}, 1, NULL, &error) == NPART_ERROR_ARGUMENT);
    CHECK_TEXT(error.message, "** stands alone between /");
    options.path_count = 1; /* a path with a star in it */
    REQUIRE(npart_files_find(&files, (const char *const[]){pattern}, 1, &options, &error) == NPART_OK);
    check_files(files, folder, "**.onnx(read)");
    CHECK(npart_files_find(NULL, NULL, 0, NULL, &error) == NPART_ERROR_ARGUMENT);
}

static void test_glob__files(void)
{
    char link[256], gone[256], remove[300];
    folder[strlen(folder) - 1] = '\0';
    REQUIRE(mkdtemp(folder));
    strcat(folder, "/");
    make("m/");
    make("m/n/");
    make(".h/");
    make("a.onnx/"); /* no file */
    make("m/b.onnx");
    make("m/a.onnx");
    make("m/n/a.onnx");
    make("m/.c.onnx");
    make(".h/a.onnx");
    (void)snprintf(link, sizeof link, "%sl", folder);
    REQUIRE(symlink("m", link) == 0);
    check_found("**/*.onnx", "m/a.onnx m/b.onnx m/n/a.onnx");
    check_found("m/*.onnx", "m/a.onnx m/b.onnx");
    check_found("m/a.onnx", "m/a.onnx");
    check_found("l/*.onnx", "l/a.onnx l/b.onnx"); /* a link that is named */
    check_found("*/*.onnx", "m/a.onnx m/b.onnx");
    check_found("**/.*/*.onnx", ".h/a.onnx");
    check_found("m/.*", "m/.c.onnx");
    check_found("none/**", "");
    check_found("*.onnx", "");
    (void)snprintf(gone, sizeof gone, "%sm/gone.onnx", folder); /* as git-annex leaves */
    REQUIRE(symlink("nowhere", gone) == 0);
    check_found("m/*.onnx", "m/a.onnx m/b.onnx m/gone.onnx(read)");
    check_models();
    REQUIRE(unlink(gone) == 0);
    check_limits();
    (void)snprintf(remove, sizeof remove, "rm -r %s", folder);
    CHECK(system(remove) == 0);
}

TESTS(test_glob__names, test_glob__folders, test_glob__hidden_names_are_written,
      test_glob__takes_its_time_linearly, test_glob__problems, test_glob__files)
