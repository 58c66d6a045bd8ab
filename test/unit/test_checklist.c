/* SPDX-License-Identifier: Apache-2.0
 *
 * Which models a check is of, and which project file each stands under.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/counted.h"
#include "support/test.h"

static const char all[] = "targets = [\"hexagon\"]\nexclude = \"old/*\"\noplist = \"my.ops\"\ncost = \"/abs/c\"\n"
                          "[[models]]\npath = [\"**/*.onnx\", \"none/*\"]\n";

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static char folder[] = "/tmp/test_checklist_XXXXXX";
static const char *const made[] = {".git/", "p/", "p/deep/", "p/old/", "bad/", "p/a.onnx", "p/deep/b.onnx",
                                   "p/old/c.onnx", "bad/d.onnx", "apart.onnx", "p/npu-partition.toml",
                                   "bad/npu-partition.toml", "npu-partition.toml"};

static void remove_folders(void)
{
    for (size_t i = sizeof made / sizeof *made; i-- > 0;)
        (void)remove(made[i]); /* the last one may be there */
    REQUIRE(chdir("/") == 0 && rmdir(folder) == 0);
}

/* In a new folder. */
static void make_folders(void)
{
    strcpy(folder, "/tmp/test_checklist_XXXXXX");
    REQUIRE(mkdtemp(folder) && chdir(folder) == 0);
    for (size_t i = 0; i < 10; i++)
        if (made[i][strlen(made[i]) - 1] == '/')
            REQUIRE(mkdir(made[i], 0700) == 0);
        else
            write_file(made[i], "");
    write_file("p/npu-partition.toml", all);
    write_file("bad/npu-partition.toml", "target = 3\n");
}

static char told[2000];

static void tell(void *payload, const char *path, uint32_t line, uint32_t column, const char *text)
{
    size_t used = strlen(told);
    CHECK(payload == told);
    (void)snprintf(told + used, sizeof told - used, "%s:%u:%u: %s\n", path ? path : "", line, column, text);
}

static npart_status make(npart_checklist **out, const char *const *paths, const char *config,
                         const struct npart_allocator *allocator)
{
    struct npart_checklist_options options = NPART_CHECKLIST_OPTIONS_INIT;
    size_t count = 0;
    while (paths[count])
        count++;
    options.config = config;
    options.allocator = allocator;
    options.tell = tell;
    options.payload = told;
    *told = '\0';
    *out = NULL;
    return npart_checklist_make(out, paths, count, &options, NULL);
}

/* The models, each as "path=relative@project ". */
static void check_models(const char *const *paths, const char *config, const char *wanted, const char *wanted_told)
{
    npart_checklist *list;
    struct npart_checklist_model model = {.size = sizeof model};
    struct npart_checklist_project project = {.size = sizeof project};
    char found[1000] = "";
    CHECK(make(&list, paths, config, NULL) == NPART_OK);
    for (uint32_t i = 0; npart_checklist_model(list, i, &model); i++) {
        size_t used = strlen(found);
        bool has_project = npart_checklist_project(list, model.project, &project);
        CHECK(has_project == (model.project != NPART_NONE));
        (void)snprintf(found + used, sizeof found - used, "%s=%s@%s ", model.path,
                       model.relative ? model.relative : "", has_project ? project.path : "");
    }
    CHECK_TEXT(found, wanted);
    CHECK_TEXT(told, wanted_told);
    npart_checklist_free(list);
}

static void check_refused(const char *const *paths, const char *config, npart_status wanted, const char *wanted_told)
{
    npart_checklist *list;
    CHECK_INT(make(&list, paths, config, NULL), wanted);
    CHECK(!list);
    CHECK_TEXT(told, wanted_told);
}

#define PATHS(...) ((const char *const[]){__VA_ARGS__, NULL})
static const char *const none[] = {NULL};

static void test_checklist__finds(void)
{
    make_folders();
    check_models(PATHS("p/a.onnx", "apart.onnx"), NULL, "p/a.onnx=a.onnx@p/npu-partition.toml apart.onnx=@ ", "");
    check_models(PATHS("p/npu-partition.toml", "p/a.onnx", "p/old/c.onnx"), NULL,
                 "p/a.onnx=a.onnx@p/npu-partition.toml p/deep/b.onnx=deep/b.onnx@p/npu-partition.toml ",
                 "p/npu-partition.toml:6:22: note: no file matches none/*\n"
                 "p/old/c.onnx:0:0: note: left out, by `exclude` of p/npu-partition.toml\n");
    check_models(PATHS("apart.onnx"), "p/npu-partition.toml", "apart.onnx=@p/npu-partition.toml ",
                 "apart.onnx:0:0: note: it is not in the folder of p/npu-partition.toml: [[models]], exclude and "
                 "waivers do not apply to it\n");
    REQUIRE(chdir("p/deep") == 0);
    check_models(none, NULL, "../a.onnx=a.onnx@../npu-partition.toml ../deep/b.onnx=deep/b.onnx@../npu-partition.toml ",
                 "../npu-partition.toml:6:22: note: no file matches none/*\n");
    REQUIRE(chdir("../..") == 0);
    remove_folders();
}

static void test_checklist__projects(void)
{
    npart_checklist *list;
    struct npart_checklist_project project = {.size = sizeof project};
    make_folders();
    CHECK(make(&list, PATHS("p/a.onnx", "p/deep/b.onnx"), NULL, NULL) == NPART_OK);
    CHECK(npart_checklist_project(list, 0, &project) && project.project && !project.is_whole && !project.baseline);
    CHECK_TEXT(project.folder, "p/");
    CHECK_TEXT(project.oplist, "p/my.ops");
    CHECK_TEXT(project.cost, "/abs/c");
    CHECK(!npart_checklist_project(list, 1, &project));
    project.size = 1;
    CHECK(!npart_checklist_project(list, 0, &project) && !npart_checklist_project(NULL, 0, &project));
    npart_checklist_free(list);
    CHECK(make(&list, PATHS("p/npu-partition.toml"), NULL, NULL) == NPART_OK);
    project.size = sizeof project;
    CHECK(npart_checklist_project(list, 0, &project) && project.is_whole);
    npart_checklist_free(list);
    remove_folders();
}

static void test_checklist__refuses(void)
{
    make_folders();
    check_refused(none, NULL, NPART_ERROR_ARGUMENT,
                  ":0:0: no npu-partition.toml here or in a folder above. One to start from: npu-partition check "
                  "--new-config > npu-partition.toml\n");
    check_refused(PATHS("bad/d.onnx"), NULL, NPART_ERROR_MALFORMED,
                  "bad/npu-partition.toml:1:1: there is no key target here; did you mean targets?\n");
    check_refused(PATHS("p/a.onnx"), "none.toml", NPART_ERROR_ARGUMENT,
                  "none.toml:0:0: cannot read the file: No such file or directory\n");
    check_refused(PATHS("p/a.onnx"), "none/x.toml", NPART_ERROR_ARGUMENT,
                  "none/x.toml:0:0: cannot read the file: No such file or directory\n");
    write_file("npu-partition.toml", "targets = [\"hexagon\"]\n");
    check_refused(none, NULL, NPART_ERROR_ARGUMENT,
                  "npu-partition.toml:0:0: which models? It has no [[models]] with a path, and the command line names "
                  "none\n");
    write_file("npu-partition.toml", "[[models]]\npath = \"none/*\"\n");
    check_refused(none, NULL, NPART_ERROR_ARGUMENT,
                  "npu-partition.toml:2:8: note: no file matches none/*\n"
                  "npu-partition.toml:0:0: no file matches the paths of [[models]]\n");
    CHECK(npart_checklist_make(NULL, NULL, 0, NULL, NULL) == NPART_ERROR_ARGUMENT);
    remove_folders();
}

static void test_checklist__memory_ends(void)
{
    bool is_made = false;
    make_folders();
    for (size_t n = 1; !is_made && n < 10000; n++) {
        struct counted counted;
        npart_checklist *list;
        counted_init(&counted, true);
        counted.fail_at = n;
        npart_status status = make(&list, PATHS("p/npu-partition.toml", "p/a.onnx", "apart.onnx"), NULL,
                                   &counted.allocator);
        is_made = status == NPART_OK;
        CHECK(is_made || status == NPART_ERROR_MEMORY);
        npart_checklist_free(list);
        CHECK_INT(counted.live_blocks, 0);
    }
    CHECK(is_made);
    remove_folders();
}

TESTS(test_checklist__finds, test_checklist__projects, test_checklist__refuses, test_checklist__memory_ends)
