/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameters from measured runs. What is measured here is what another list predicts, so what is to be found is known.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/analysis.h"
#include "support/model_text.h"
#include "support/test.h"

#define LIST(launch, memory, matrix)                                                                                   \
    "format 1\ntarget t\nvariant a\nvariant b\n"                                                                       \
    "param launch_ms " launch " \"s\"\n"                                                                               \
    "param memory_gb_per_s " memory " \"s\"\n"                                                                         \
    "param matrix_tops of float16 for a " matrix " assumed \"s\"\n"                                                    \
    "param matrix_tops of float16 for b 1 2 4 \"s\"\n"                                                                 \
    "param node_us 1 1 1 \"s\"\n"                                                                                      \
    "param elementwise_gops 10 10 10 \"s\"\nparam function_gops 10 10 10 \"s\"\n"                                      \
    "param cpu_element_ns 1 1 1 \"s\"\nparam cpu_matrix_gops 100 100 100 \"s\"\n"                                    \
    "param cpu_node_us 1 1 1 \"s\"\n"                                                                                \
    "op MatMul\nop Relu\n"

static const char prior[] = LIST("0.1 0.2 0.4", "10 20 40", "1 2 4");
static const char truth[] = LIST("0.6 0.6 0.6", "10 10 10", "1 2 4");
static const char slower[] = LIST("0.2 0.2 0.2", "80 80 80", "0.5 0.5 0.5");
static const char twice[] = LIST("0.4 0.4 0.4", "10 10 10", "1 1 1");

/* Nothing but a launch; much weight; much to compute; all of it; three partitions. */
static const char *const models[] = {
    "input x float32[1,8]\nnode y = Relu(x)\noutput y\n",
    "input x float32[1,4096]\ninit w float32[4096,4096]\nnode y = MatMul(x, w)\noutput y\n",
    "input x float32[4096,512]\ninit w float32[512,512]\nnode y = MatMul(x, w)\noutput y\n",
    "input x float32[1024,1024]\ninit w float32[1024,4096]\nnode h = MatMul(x, w)\nnode y = Relu(h)\noutput y\n",
    ("input x float32[1,2048]\ninit w float32[2048,2048]\nnode a = Relu(x)\nnode b = Erf(a)\nnode c = MatMul(b, w)\n"
     "node d = Erf(c)\nnode y = Relu(d)\noutput y\n"),
};
#define MODELS (sizeof models / sizeof *models)

/* Plans by `prior` of models from `first` on, and what `other` predicts for them. */
struct bench {
    struct analysis analyses[MODELS];
    npart_oplist *list;
    npart_plan *plans[MODELS];
    struct npart_measurement rows[MODELS];
    uint32_t count;
};

static npart_oplist *list_of(const char *text)
{
    npart_oplist *list = NULL;
    REQUIRE(npart_oplist_read_memory(&list, text, strlen(text), "t", NULL, NULL) == NPART_OK);
    return list;
}

static double predicted(const npart_plan *plan)
{
    struct npart_cost cost = {.size = sizeof cost};
    REQUIRE(npart_plan_cost(plan, &cost));
    return cost.total.typical_ms;
}

static void open_bench(struct bench *bench, const char *other, size_t first, uint32_t count)
{
    memset(bench, 0, sizeof *bench);
    bench->count = count;
    bench->list = list_of(prior);
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        struct npart_read_options options = NPART_READ_OPTIONS_INIT;
        struct bytes bytes = model_from_text(models[first + i]);
        struct analysis *analysis = &bench->analyses[i];
        (void)snprintf(name, sizeof name, "model %zu", first + i);
        options.name = name;
        REQUIRE(npart_model_read_memory(&analysis->model, bytes.data, bytes.size, &options, NULL) == NPART_OK);
        bytes_free(&bytes);
        REQUIRE(npart_inference_make(&analysis->inference, analysis->model, NULL, NULL) == NPART_OK);
        analysis->oplist = list_of(other);
        REQUIRE(npart_plan_make(&analysis->plan, analysis->inference, analysis->oplist, "t:a", NULL, NULL) == NPART_OK);
        REQUIRE(npart_plan_make(&bench->plans[i], analysis->inference, bench->list, "t:a", NULL, NULL) == NPART_OK);
        bench->rows[i] = (struct npart_measurement){.plan = bench->plans[i], .total_ms = predicted(analysis->plan)};
        REQUIRE(bench->rows[i].total_ms > 0);
    }
}

static void close_bench(struct bench *bench)
{
    for (size_t i = 0; i < bench->count; i++) {
        npart_plan_free(bench->plans[i]);
        analysis_close(&bench->analyses[i]);
    }
    npart_oplist_free(bench->list);
}

/* A calibration, copied out. */
struct calibration {
    uint32_t model_count, time_count, fitted_count;
    struct npart_fitted fitted[8];
    bool is_scaled, is_at_limit, is_accepted;
    double error_before, error_after, error_held_out;
};

static npart_status calibrate(const struct npart_measurement *rows, uint32_t count, struct calibration *out,
                              struct sink *sink, struct npart_error *error)
{
    npart_calibration *made = NULL;
    struct npart_calibration_info info = {.size = sizeof info};
    npart_status status = npart_calibration_make(&made, rows, count, error);
    if (status != NPART_OK)
        return status;
    REQUIRE(npart_calibration_info(made, &info));
    *out = (struct calibration){info.model_count, info.time_count, info.fitted_count, {{0}}, info.is_scaled,
                                info.is_at_limit, info.is_accepted, info.error_before, info.error_after,
                                info.error_held_out};
    for (uint32_t i = 0; i < info.fitted_count; i++) {
        out->fitted[i].size = sizeof out->fitted[i];
        REQUIRE(npart_calibration_fitted(made, i, &out->fitted[i]));
    }
    CHECK((info.costs != NULL) == info.is_accepted);
    if (info.costs && sink)
        CHECK(sink_write(sink, info.costs, strlen(info.costs)));
    npart_calibration_free(made);
    return NPART_OK;
}

static struct calibration calibrated(const struct bench *bench, struct sink *sink)
{
    struct calibration told = {0};
    struct npart_error error = {.status = NPART_OK};
    npart_status status = calibrate(bench->rows, bench->count, &told, sink, &error);
    if (status != NPART_OK)
        fprintf(stderr, "%s: %s\n", error.place, error.message);
    REQUIRE(status == NPART_OK);
    return told;
}

static const struct npart_fitted *find(const struct calibration *told, const char *parameter)
{
    uint32_t i = 0;
    while (i < told->fitted_count && strcmp(told->fitted[i].parameter, parameter) != 0)
        i++;
    REQUIRE(i < told->fitted_count);
    return &told->fitted[i];
}

static bool is_near(double found, double wanted, double share)
{
    bool is = fabs(found - wanted) <= share * wanted;
    if (!is)
        fprintf(stderr, "  %g, not %g\n", found, wanted);
    return is;
}

/* Launches take three times as long, memory gives half; what computes is as it was. */
static void test_calibrate__finds_what_is_off(void)
{
    struct bench bench;
    struct sink sink = {0};
    open_bench(&bench, truth, 0, MODELS);
    struct calibration told = calibrated(&bench, &sink);
    CHECK(!told.is_scaled && told.model_count == MODELS && told.time_count == MODELS && told.is_accepted);
    const struct npart_fitted *launch = find(&told, "launch_ms"), *memory = find(&told, "memory_gb_per_s");
    const struct npart_fitted *matrix = find(&told, "matrix_tops");
    CHECK(is_near(launch->after[1], 0.6, 0.15) && launch->moved > 1 && launch->is_identified);
    CHECK(is_near(memory->after[1], 10, 0.2) && memory->moved > 1 && memory->time_factor > 1.5);
    CHECK(is_near(matrix->after[1], 2, 0.2) && fabs(matrix->moved) < 1);
    CHECK_TEXT(matrix->precision, "float16");
    CHECK(!launch->precision && !launch->runtime && launch->before[1] == 0.2);
    CHECK(launch->after[0] < launch->after[1] && launch->after[1] < launch->after[2]);
    CHECK(told.error_before > 0.5 && told.error_after < 0.1 && told.error_held_out < told.error_before / 2);
    CHECK(strncmp(sink.text, "format 1\ncost t\nsource \"", 24) == 0);
    CHECK(strstr(sink.text, "\nparam launch_ms for a 0."));
    sink_clear(&sink);
    close_bench(&bench);
}

/* What computes takes longer than what is moved then, so nodes that waited for memory do no more: their parts are
 * looked at again until nothing moves, not only until the launch, the first of all, does not. */
static void test_calibrate__parts_anew(void)
{
    struct bench bench;
    open_bench(&bench, slower, 0, MODELS);
    struct calibration told = calibrated(&bench, NULL);
    CHECK(is_near(find(&told, "launch_ms")->after[1], 0.2, 0.05));
    CHECK(is_near(find(&told, "matrix_tops")->after[1], 0.5, 0.15));
    CHECK(find(&told, "memory_gb_per_s")->after[1] > 25); /* 23.8 after the first look */
    close_bench(&bench);
}

/* What is written can be read, and predicts what was measured. */
static void test_calibrate__writes_a_cost_file(void)
{
    struct bench bench;
    struct sink sink = {0};
    char path[] = "/tmp/test_calibrate_XXXXXX";
    npart_oplist *list = NULL;
    npart_plan *plan = NULL;
    open_bench(&bench, truth, 0, MODELS);
    (void)calibrated(&bench, &sink);
    int file = mkstemp(path);
    REQUIRE(file >= 0 && write(file, sink.text, sink.bytes) == (ssize_t)sink.bytes && close(file) == 0);
    CHECK(npart_oplist_add_cost(&list, bench.list, path, NULL) == NPART_OK);
    for (size_t i = 0; list && i < MODELS; i++) {
        REQUIRE(npart_plan_make(&plan, bench.analyses[i].inference, list, "t:a", NULL, NULL) == NPART_OK);
        CHECK(is_near(predicted(plan), bench.rows[i].total_ms, 0.2));
        npart_plan_free(plan);
    }
    npart_oplist_free(list);
    (void)unlink(path);
    sink_clear(&sink);
    close_bench(&bench);
}

/* By row: the whole, the CPU, and each of three partitions; by column: the parameters. */
static void test_calibrate__times_by_parameter(void)
{
    struct bench bench;
    struct npart_parameter parameter = {.size = sizeof parameter};
    double ms[5 * 64], factors[64], whole = 0, rows[5] = {0};
    uint32_t count = 0, launch = 0;
    open_bench(&bench, prior, 4, 1);
    while (npart_plan_parameter(bench.plans[0], count, &parameter)) {
        launch = strcmp(parameter.name, "launch_ms") == 0 ? count : launch;
        factors[count++] = 1;
    }
    REQUIRE(count > 0 && count <= 64 && npart_plan_times(bench.plans[0], NULL, ms, NULL) == NPART_OK);
    for (uint32_t i = 0; i < 5 * count; i++)
        rows[i / count] += ms[i];
    CHECK(is_near(rows[0], predicted(bench.plans[0]), 1e-9));
    CHECK(rows[1] > 0 && rows[0] >= rows[1] + rows[2] + rows[3] + rows[4] - 1e-9);
    CHECK(is_near(ms[launch], 0.6, 1e-9) && ms[count + launch] == 0 && is_near(ms[2 * count + launch], 0.2, 1e-9));
    factors[launch] = 3;
    REQUIRE(npart_plan_times(bench.plans[0], factors, ms, NULL) == NPART_OK);
    CHECK(is_near(ms[launch], 1.8, 1e-9));
    for (uint32_t i = 0; i < count; i++)
        whole += ms[i];
    CHECK(is_near(whole, rows[0] + 1.2, 1e-9));
    CHECK(npart_plan_times(NULL, NULL, ms, NULL) == NPART_ERROR_ARGUMENT);
    CHECK(npart_plan_times(bench.plans[0], NULL, NULL, NULL) == NPART_ERROR_ARGUMENT);
    CHECK(!npart_plan_parameter(NULL, 0, &parameter) && !npart_plan_parameter(bench.plans[0], 0, NULL));
    parameter.size = 1;
    CHECK(!npart_plan_parameter(bench.plans[0], 0, &parameter));
    close_bench(&bench);
}

/* A partition's own time tells its launch from the rest. */
static void test_calibrate__times_of_partitions(void)
{
    struct bench bench;
    static const double partitions_ms[] = {0.6, 1.5, 0.6};
    open_bench(&bench, truth, 4, 1);
    bench.rows[0].partition_ms = partitions_ms;
    bench.rows[0].cpu_ms = 0.01;
    struct calibration told = calibrated(&bench, NULL);
    CHECK(told.time_count == 5 && told.model_count == 1 && !told.is_scaled && !told.is_accepted);
    CHECK(is_near(find(&told, "launch_ms")->after[1], 0.6, 0.2));
    CHECK(told.error_held_out < 0);
    close_bench(&bench);
}

/* Two totals give two scales, within limits. */
static void test_calibrate__two_totals(void)
{
    struct bench bench;
    struct sink sink = {0};
    open_bench(&bench, twice, 1, 2);
    struct calibration told = calibrated(&bench, &sink);
    CHECK(told.is_scaled && told.fitted_count == 2 && told.is_accepted && !told.is_at_limit);
    CHECK_TEXT(told.fitted[0].parameter, "npu");
    CHECK_TEXT(told.fitted[1].parameter, "others");
    CHECK(is_near(told.fitted[0].time_factor, 2, 0.15));
    CHECK(strstr(sink.text, "\nparam memory_gb_per_s for a ") && strstr(sink.text, "\nparam launch_ms for a "));
    sink_clear(&sink);
    for (size_t i = 0; i < bench.count; i++)
        bench.rows[i].total_ms *= 100;
    told = calibrated(&bench, &sink);
    CHECK(told.is_at_limit && !told.is_accepted && told.fitted[0].time_factor == 4 && !sink.text);
    close_bench(&bench);
}

/* Times that do not fit each other: what others tell of a model does not help, and nothing is written. */
static void test_calibrate__what_does_not_help(void)
{
    struct bench bench;
    struct sink sink = {0};
    open_bench(&bench, prior, 1, 4);
    for (size_t i = 0; i < bench.count; i++)
        bench.rows[i].total_ms *= i % 2 ? 3 : 1 / 3.0;
    struct calibration told = calibrated(&bench, &sink);
    CHECK(!told.is_accepted && !sink.text && told.error_held_out > told.error_before / 2);
    close_bench(&bench);
    open_bench(&bench, twice, 2, 1);
    told = calibrated(&bench, NULL);
    CHECK(told.model_count == 1 && told.error_held_out < 0 && !told.is_accepted);
    close_bench(&bench);
}

/* Two runs of one model are one model: each would tell of the other. */
static void test_calibrate__runs_of_one_model(void)
{
    struct bench bench;
    struct calibration told = {0};
    open_bench(&bench, twice, 2, 1);
    struct npart_measurement rows[] = {bench.rows[0], bench.rows[0], bench.rows[0]};
    CHECK(calibrate(rows, 3, &told, NULL, NULL) == NPART_OK);
    CHECK(told.model_count == 1 && told.time_count == 3 && !told.is_accepted);
    close_bench(&bench);
}

static void check_refused(const struct npart_measurement *rows, uint32_t count, const char *message)
{
    struct calibration told = {.model_count = 77};
    struct npart_error error;
    CHECK(calibrate(rows, count, &told, NULL, &error) == NPART_ERROR_ARGUMENT);
    CHECK_TEXT(error.message, message);
    CHECK(told.model_count == 77);
}

static void test_calibrate__arguments(void)
{
    struct bench bench;
    struct calibration told = {0};
    static const char count[] = "from 1 to 64 measurements are taken";
    open_bench(&bench, truth, 1, 2);
    struct npart_measurement rows[NPART_MOST_MEASUREMENTS + 1];
    for (size_t i = 0; i < NPART_MOST_MEASUREMENTS + 1; i++)
        rows[i] = bench.rows[i % 2];
    check_refused(rows, 0, count);
    check_refused(rows, NPART_MOST_MEASUREMENTS + 1, count);
    static const double no_times[] = {0, -1, NAN, INFINITY, 1.1e12};
    for (size_t i = 0; i < sizeof no_times / sizeof *no_times; i++) {
        rows[1].total_ms = no_times[i];
        check_refused(rows, 2, "a time is none");
    }
    rows[1] = bench.rows[1];
    rows[1].plan = NULL;
    CHECK(calibrate(rows, 2, &told, NULL, NULL) == NPART_ERROR_ARGUMENT);
    close_bench(&bench);
    struct analysis open;
    analysis_open(&open, "input x float32[n,8]\nnode y = Relu(x)\noutput y\n", prior, "t:a", NULL);
    rows[0] = (struct npart_measurement){.plan = open.plan, .total_ms = 1};
    check_refused(rows, 1, "the plan's own time is not known: a size is dynamic, or the list has no rates");
    analysis_close(&open);
}

/* The two reports. */
static void test_calibrate__plans_of_runs(void)
{
    static const char open[] = "input x float32[1,batch]\nnode y = Relu(x)\noutput y\n";
    struct npart_measured_run run = {.size = sizeof run, .model = "m", .dims = "batch=8; ", .ms = 1};
    struct npart_run_asked asked = {.size = sizeof asked, .target = "t:a"};
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_dim_binding rows = {.name = "rows", .size = 2};
    struct npart_inference_options sizes = NPART_INFERENCE_OPTIONS_INIT;
    struct npart_error error;
    npart_model *model = read_text(open);
    npart_oplist *oplist = NULL;
    npart_plan *plan = NULL;
    bool is_missing = false;
    REQUIRE(npart_oplist_read_memory(&oplist, prior, sizeof prior - 1, "t", NULL, NULL) == NPART_OK);
    asked.oplist = oplist;
    CHECK_INT(npart_run_plan(&plan, model, &run, &asked, NULL, NULL), NPART_OK);
    CHECK(npart_plan_summary(plan, &summary) && summary.accepted == 1 && summary.live == 1);
    npart_plan_free(plan);
    run.is_on_cpu = true;
    CHECK_INT(npart_run_plan(&plan, model, &run, &asked, NULL, NULL), NPART_OK);
    CHECK(npart_plan_summary(plan, &summary) && summary.accepted == 0 && summary.live == 1);
    npart_plan_free(plan);
    sizes.dims = &rows;
    sizes.dim_count = 1;
    asked.sizes = &sizes;
    CHECK_INT(npart_run_plan(&plan, model, &run, &asked, &is_missing, NULL), NPART_OK);
    CHECK(is_missing);
    npart_plan_free(plan);
    run.dims = "none=8";
    CHECK_INT(npart_run_plan(&plan, model, &run, &asked, &is_missing, &error), NPART_ERROR_ARGUMENT);
    CHECK_TEXT(error.message, "dim none=8: the model has no such dim");
    run.dims = "batch=eight";
    CHECK_INT(npart_run_plan(&plan, model, &run, &asked, &is_missing, &error), NPART_ERROR_ARGUMENT);
    CHECK_TEXT(error.message, "dims: expected NAME=SIZE, with blanks between");
    npart_oplist_free(oplist);
    npart_model_free(model);
}

static void test_calibrate__reports(void)
{
    struct bench bench;
    npart_calibration *made = NULL;
    struct sink text = {0}, json = {0}, refused = {.refuse_at = 1};
    const struct npart_calibration_names names = {"t:a", 1, NULL};
    open_bench(&bench, truth, 0, MODELS);
    REQUIRE(npart_calibration_make(&made, bench.rows, bench.count, NULL) == NPART_OK);
    CHECK(npart_calibration_text(made, &names, sink_write, &text, NULL) == NPART_OK);
    CHECK(strncmp(text.text, "t:a: 5 runs of 5 models, 5 times; 1 run left out\n", 49) == 0);
    CHECK(strstr(text.text, "  ACCEPTED: --output FILE writes it for --cost FILE\n"));
    CHECK(npart_calibration_json(made, &names, sink_write, &json, NULL) == NPART_OK);
    CHECK(strstr(json.text, "\"command\":\"calibrate\"") && strstr(json.text, "\"accepted\":true}\n"));
    CHECK(npart_calibration_text(made, &names, sink_write, &refused, NULL) == NPART_ERROR_WRITE);
    CHECK(npart_calibration_text(made, NULL, sink_write, &text, NULL) == NPART_ERROR_ARGUMENT);
    CHECK(npart_calibration_json(NULL, &names, sink_write, &text, NULL) == NPART_ERROR_ARGUMENT);
    sink_clear(&text);
    sink_clear(&json);
    sink_clear(&refused);
    npart_calibration_free(made);
    close_bench(&bench);
}

TESTS(test_calibrate__plans_of_runs,
      test_calibrate__finds_what_is_off, test_calibrate__parts_anew, test_calibrate__writes_a_cost_file,
      test_calibrate__times_by_parameter, test_calibrate__times_of_partitions, test_calibrate__two_totals,
      test_calibrate__what_does_not_help, test_calibrate__runs_of_one_model, test_calibrate__arguments,
      test_calibrate__reports)
