/* SPDX-License-Identifier: Apache-2.0
 *
 * Project files: what they say of a model and a target, what waivers accept, what is told of mistakes.
 */
#include <stdio.h>

#include "gate/judge.h"
#include "support/counted.h"
#include "support/test.h"

static const char file[] =
    "targets = [\"hexagon\"]\nexclude = \"old/*\"\noplist = \"my.ops\"\n"
    "[dims]\nbatch = 1\nn = \"..512\"\n[thresholds]\nmax-partitions = 4\nfail-on = [\"fail\"]\n"
    "[thresholds.on.\"hexagon:v75\"]\nmax-partitions = 2\n"
    "[[models]]\npath = [\"a/*.onnx\", \"b/**\"]\nlevel = \"off\"\n"
    "[models.dims]\nbatch = 8\n[models.inputs]\nx = [1, 3]\n"
    "[[waivers]]\nmodels = \"a/*\"\ntargets = [\"hexagon\"]\nrules = [\"hexagon/Pad/*\"]\nreason = \"r\"\n"
    "expires = 2027-03-31\nthresholds.max-partitions = 9\nthresholds.fail-on = \"fail\"\n"
    "[[waivers]]\nmodels = \"b/*\"\nreason = \"s\"\nexpires = 2027-01-02\nworse = true\n";

/* What was told, a line each. */
struct told {
    char text[2000];
    size_t count;
};

static void tell(void *payload, uint32_t line, uint32_t column, const char *text)
{
    struct told *told = payload;
    size_t used = strlen(told->text);
    (void)snprintf(told->text + used, sizeof told->text - used, "%u:%u: %s\n", line, column, text);
    told->count++;
}

static npart_project *project_of(const char *text)
{
    npart_project *project = NULL;
    struct told told = {.text = ""};
    npart_status status = npart_project_read(&project, text, strlen(text), tell, &told, NULL, NULL);
    CHECK_TEXT(told.text, "");
    REQUIRE(status == NPART_OK);
    return project;
}

static void test_project__settles(void)
{
    npart_project *project = project_of(file);
    struct npart_project_info info = {.size = sizeof info};
    struct npart_project_settings settings = {.size = sizeof settings};
    CHECK(npart_project_info(project, &info) && info.model_count == 1 && !info.baseline);
    CHECK_TEXT(info.oplist, "my.ops");
    CHECK(npart_project_matches(&info.exclude, "old/x") && !npart_project_matches(&info.exclude, "a/x.onnx"));
    CHECK(npart_project_settle(project, "c.onnx", &settings, NULL) == NPART_OK);
    CHECK(settings.targets.count == 1 && !settings.has_level && settings.dim_count == 2 && !settings.input_count);
    CHECK(settings.dims[0].binding.size == 1 && settings.dims[1].binding.is_limit && settings.targets_line == 1);
    CHECK(npart_project_settle(project, "a/x.onnx", &settings, NULL) == NPART_OK);
    CHECK(settings.has_level && settings.level == NPART_LEVEL_OFF && settings.dims[0].binding.size == 8);
    CHECK(settings.input_count == 1 && settings.inputs[0].shape.rank == 2 && settings.inputs[0].shape.dims[1] == 3);
    CHECK(settings.thresholds.max_partitions == 4 && settings.thresholds.fails_on[NPART_FAILS_ON_INVALID]);
    npart_project_settle_target(project, "a/x.onnx", "hexagon:v75+float", &settings.thresholds);
    CHECK_INT(settings.thresholds.max_partitions, 2);
    struct npart_project_texts globs;
    CHECK(npart_project_models(project, 0, &globs) && globs.count == 2 && !npart_project_models(project, 1, &globs));
    CHECK_INT(npart_project_settle(NULL, "a", &settings, NULL), NPART_ERROR_ARGUMENT);
    npart_project_free(project);
}

static void test_project__waivers(void)
{
    npart_project *project = project_of(file);
    const struct npart__waiver *waivers = project->file.waivers, *first = &waivers[0], *second = &waivers[1];
    const struct npart__toml_time *day = &first->expires->as.time;
    struct npart_thresholds asked = NPART_THRESHOLDS_INIT;
    CHECK(project->file.waiver_count == 2 && day->year == 2027 && day->month == 3 && day->day == 31);
    CHECK(first->thresholds && first->for_rules.count == 1);
    CHECK(npart_project_matches(&first->for_rules, "hexagon/Pad/mode"));
    CHECK(npart__waiver_has_target(first, "hexagon:v73") && !npart__waiver_has_target(first, "rknn"));
    CHECK(npart__waiver_has_target(second, "rknn"));
    CHECK(npart__waiver_speaks_of(first, "max-partitions") && npart__waiver_speaks_of(first, "fail-on fail"));
    CHECK(!npart__waiver_speaks_of(first, "baseline") && npart__waiver_speaks_of(second, "baseline"));
    CHECK(!npart__waiver_speaks_of(first, "max-ms"));
    asked.max_partitions = 4;
    asked.fails_on[NPART_FAILS_ON_FAIL] = asked.fails_on[NPART_FAILS_ON_INVALID] = true;
    npart__waiver_accept(first, &asked);
    CHECK(asked.max_partitions == 9 && !asked.fails_on[NPART_FAILS_ON_FAIL] && !asked.fails_on[NPART_FAILS_ON_INVALID]);
    npart__waiver_limit(first, &asked);
    CHECK(asked.max_partitions == 9 && asked.min_coverage < 0);
    npart_project_free(project);
}

static void test_project__what_is_idle(void)
{
    npart_project *project = project_of(file);
    struct npart_project_settings settings = {.size = sizeof settings};
    struct told told = {.text = ""};
    REQUIRE(npart_project_settle(project, "c.onnx", &settings, NULL) == NPART_OK);
    npart_project_found(project, settings.dims[0].entry);
    npart_project_idle(project, true, tell, &told);
    CHECK_TEXT(told.text,
               "6:1: note: no model has a dim n\n10:16: note: no model is checked for a target hexagon:v75\n");
    npart_project_free(project);
}

static void test_project__mistakes(void)
{
    static const char *const wrong[][2] = {
        {"dim = 1", "1:1: there is no key dim here; did you mean dims?\n"},
        {"targets = 3", "1:11: targets: expected an array of targets, found an integer\n"},
        {"thresholds.fail-on = \"splits\"",
         "1:22: splits: expected one of none, split, fail, unknown, dynamic, invalid, memory, slower; did you mean "
         "split?\n"},
        {"a = [", "1:5: the array is not closed by ]\n"},
        {"[[models]]\nlevel = \"on\"",
         "2:9: on: expected one of basic, off\n1:3: path is missing: a glob of models, or an array of them\n"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        npart_project *project = NULL;
        struct told told = {.text = ""};
        CHECK_INT(npart_project_read(&project, wrong[i][0], strlen(wrong[i][0]), tell, &told, NULL, NULL),
                  NPART_ERROR_MALFORMED);
        CHECK_TEXT(told.text, wrong[i][1]);
        CHECK(!project);
    }
    CHECK(npart_project_check_toml("a = 1", 5, NULL) == NPART_OK);
    CHECK(npart_project_check_toml("a = ", 4, NULL) == NPART_ERROR_MALFORMED);
}

/* Each allocation fails once. */
static void test_project__memory_ends(void)
{
    bool is_read = false;
    for (size_t n = 1; !is_read && n < 10000; n++) {
        struct npart_project_settings settings = {.size = sizeof settings};
        struct counted counted;
        npart_project *project = NULL;
        counted_init(&counted, true);
        counted.fail_at = n;
        npart_status status =
            npart_project_read(&project, file, strlen(file), NULL, NULL, &counted.allocator, NULL);
        if (status == NPART_OK)
            status = npart_project_settle(project, "a/x.onnx", &settings, NULL);
        is_read = status == NPART_OK;
        CHECK(is_read || status == NPART_ERROR_MEMORY);
        npart_project_free(project);
        CHECK_INT(counted.live_blocks, 0);
    }
    CHECK(is_read);
}

TESTS(test_project__settles, test_project__waivers, test_project__what_is_idle, test_project__mistakes,
      test_project__memory_ends)
