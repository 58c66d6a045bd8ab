/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that run out of memory, see failing.h.
 */
#include "support/failing.h"
#include "support/subjects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ALLOCATIONS 4000000u

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void must(bool holds, const char *what)
{
    if (!holds)
        fail(what);
}

bool sum_up(void *payload, const char *text, size_t bytes)
{
    struct scene *scene = payload;
    for (size_t i = 0; i < bytes; i++)
        scene->printed = (scene->printed ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return true;
}

void scene_init(struct scene *scene, bool resizes)
{
    counted_init(&scene->counted, resizes);
    scene->counted.shifts = !resizes;
}

void set_up(struct scene *scene, enum stage stage)
{
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    options.allocator = &scene->counted.allocator;
    scene->model = NULL;
    scene->inference = scene->fixed = NULL;
    scene->oplist = NULL;
    scene->plan = NULL;
    if (stage >= MODEL)
        must(npart_model_read_memory(&scene->model, scene->bytes.data, scene->bytes.size, &options, NULL) == NPART_OK,
             "no model to start from");
    if (stage >= INFERENCE)
        must(npart_inference_make(&scene->inference, scene->model, NULL, NULL) == NPART_OK, "no inference");
    if (stage >= FIXED)
        must(npart_inference_make_fixed(&scene->fixed, scene->inference, NULL) == NPART_OK, "no sizes");
    if (stage >= PLAN)
        must(npart_plan_make(&scene->plan, scene->inference, scene->planned, NULL, NULL, NULL) == NPART_OK, "no plan");
}

void tear_down(struct scene *scene)
{
    npart_plan_free(scene->plan);
    npart_oplist_free(scene->oplist);
    npart_inference_free(scene->fixed);
    npart_inference_free(scene->inference);
    npart_model_free(scene->model);
}

/* ---- the calls ------------------------------------------------------------------------------------------------- */

static npart_status read_memory(struct scene *scene, struct npart_error *error)
{
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    options.allocator = &scene->counted.allocator;
    options.name = "a name";
    return npart_model_read_memory(&scene->model, scene->bytes.data, scene->bytes.size, &options, error);
}

struct stream {
    const struct bytes *bytes;
    size_t at;
};

static ptrdiff_t read_some(void *payload, void *into, size_t bytes)
{
    struct stream *stream = payload;
    size_t rest = stream->bytes->size - stream->at, got = rest < bytes ? rest : bytes;
    got = got > 700 ? 700 : got;
    if (got)
        memcpy(into, stream->bytes->data + stream->at, got);
    stream->at += got;
    return (ptrdiff_t)got;
}

static npart_status read_stream(struct scene *scene, struct npart_error *error)
{
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    struct stream stream = {&scene->bytes, 0};
    options.allocator = &scene->counted.allocator;
    return npart_model_read_stream(&scene->model, read_some, &stream, &options, error);
}

static npart_status infer(struct scene *scene, struct npart_error *error)
{
    return npart_inference_make(&scene->inference, scene->model, NULL, error);
}

static npart_status infer_bound(struct scene *scene, bool is_limit, struct npart_error *error)
{
    struct npart_inference_options options = NPART_INFERENCE_OPTIONS_INIT;
    const struct npart_dim_binding dim = {.name = scene->dim, .size = 64, .is_limit = is_limit};
    options.dims = &dim;
    options.dim_count = scene->dim ? 1 : 0;
    options.ignore_value_info = is_limit;
    return npart_inference_make(&scene->inference, scene->model, &options, error);
}

static npart_status infer_limited(struct scene *scene, struct npart_error *error)
{
    return infer_bound(scene, true, error);
}

static npart_status infer_fixed(struct scene *scene, struct npart_error *error)
{
    return npart_inference_make_fixed(&scene->fixed, scene->inference, error);
}

/* The other way to use a model, where it has one. */
static npart_status infer_use(struct scene *scene, struct npart_error *error)
{
    return npart_inference_make_use(&scene->fixed, scene->inference, 1, error);
}

static npart_status write_shapes(struct scene *scene, struct npart_error *error)
{
    return npart_report(OF_SHAPES(scene->inference), NPART_FORMAT_JSON, NULL, sum_up, scene, error);
}

static npart_status write_work(struct scene *scene, struct npart_error *error)
{
    return npart_report(OF_WORK(scene->inference), NPART_FORMAT_JSON, NULL, sum_up, scene, error);
}

static npart_status plan_by_default(struct scene *scene, struct npart_error *error)
{
    return npart_plan_make(&scene->plan, scene->inference, scene->planned, NULL, NULL, error);
}

static npart_status plan_fixed(struct scene *scene, struct npart_error *error)
{
    return npart_plan_make(&scene->plan, scene->fixed ? scene->fixed : scene->inference, scene->planned, NULL, NULL,
                           error);
}

static npart_status plan_runs(struct scene *scene, struct npart_error *error)
{
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    options.partitioner = "runs";
    options.level = NPART_LEVEL_OFF;
    return npart_plan_make(&scene->plan, scene->inference, scene->planned, NULL, &options, error);
}

static npart_status plan_wishes(struct scene *scene, struct npart_error *error)
{
    static const struct npart_assumption assumptions[] = {{.op = "Relu", .on_npu = false},
                                                          {.op = "Add", .on_npu = true}};
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    options.assumptions = assumptions;
    options.assumption_count = 2;
    options.cuts = &scene->cut;
    options.cut_count = scene->cut ? 1 : 0;
    return npart_plan_make(&scene->plan, scene->inference, scene->planned, NULL, &options, error);
}

/* Told as JSON, so that what it advises is seen. */
static npart_status advise(struct scene *scene, struct npart_error *error)
{
    npart_advice *advice = NULL;
    struct npart_plan_pair pair = {scene->plan, NULL, NULL};
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    npart_status status = npart_advice_make(&advice, scene->plan, NULL, NULL, 0, error);
    pair.advice = advice;
    options.detail = NPART_DETAIL_SUMMARY;
    if (status == NPART_OK)
        status = npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_JSON, &options, sum_up, scene, error);
    npart_advice_free(advice);
    return status;
}

/* The same with sizes, which are planned within the call. */
static npart_status advise_fixed(struct scene *scene, struct npart_error *error)
{
    npart_advice *advice = NULL;
    npart_inference *fixed = NULL;
    npart_plan *plan = NULL;
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    npart_status status = npart_inference_make_fixed(&fixed, scene->inference, error);
    if (status == NPART_OK && fixed)
        status = npart_plan_make(&plan, fixed, scene->planned, NULL, NULL, error);
    if (status == NPART_OK)
        status = npart_advice_make(&advice, scene->plan, plan, NULL, 0, error);
    const struct npart_plan_pair pair = {scene->plan, plan, advice};
    options.is_verbose = true;
    if (status == NPART_OK)
        status = npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_TEXT, &options, sum_up, scene, error);
    npart_advice_free(advice);
    npart_plan_free(plan);
    npart_inference_free(fixed);
    return status;
}

/* Of a plan whose cost is known. */
static npart_status times(struct scene *scene, struct npart_error *error)
{
    struct npart_cost cost = {.size = sizeof cost};
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_parameter parameter = {.size = sizeof parameter};
    size_t count = 0;
    (void)npart_plan_cost(scene->plan, &cost);
    (void)npart_plan_summary(scene->plan, &summary);
    if (cost.total.typical_ms <= 0)
        return NPART_OK;
    while (npart_plan_parameter(scene->plan, (uint32_t)count, &parameter))
        count++;
    double *ms = calloc(((size_t)2 + summary.partitions) * count, sizeof *ms);
    npart_status status = npart_plan_times(scene->plan, NULL, ms, error);
    scene->printed += count;
    free(ms);
    return status;
}

static npart_status explain(struct scene *scene, struct npart_error *error)
{
    struct npart_plan_pair pair = {scene->plan, NULL, NULL};
    return npart_report(OF_NODE(&pair, 1, "0"), NPART_FORMAT_TEXT, NULL, sum_up, scene, error);
}

static npart_status report_modules(struct scene *scene, struct npart_error *error)
{
    struct npart_plan_pair pair = {scene->plan, NULL, NULL};
    return npart_report(OF_MODULES(&pair, 1), NPART_FORMAT_TEXT, NULL, sum_up, scene, error);
}

static npart_status report_json(struct scene *scene, struct npart_error *error)
{
    struct npart_plan_pair pair = {scene->plan, NULL, NULL};
    return npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_JSON, NULL, sum_up, scene, error);
}

static npart_status report_text(struct scene *scene, struct npart_error *error)
{
    struct npart_plan_pair pair = {scene->plan, scene->plan, NULL};
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    options.is_verbose = true;
    return npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_TEXT, &options, sum_up, scene, error);
}

/* With a model that cannot be read, and what is told of thresholds. */
static npart_status write_document(struct scene *scene, enum npart_format format, enum npart_detail detail,
                                   struct npart_error *error)
{
    static const struct npart_error unreadable = {NPART_ERROR_READ, "no such file", ""};
    const struct npart_plan_pair pair = {scene->plan, scene->plan, NULL};
    const struct npart_threshold_outcome outcome = {
        sizeof outcome, 0, false, "max-partitions", "too many", .waiver = NULL};
    struct npart_document_options options = NPART_DOCUMENT_OPTIONS_INIT;
    struct npart_entry entry = NPART_ENTRY_INIT, other = NPART_ENTRY_INIT;
    npart_document *document = NULL;
    options.detail = detail;
    options.root = "/x";
    options.allocator = &scene->counted.allocator;
    entry.path = "/x/a.onnx";
    entry.plans = &pair;
    entry.plan_count = entry.outcome_count = 1;
    entry.outcomes = &outcome;
    other.path = "b.onnx";
    other.error = &unreadable;
    npart_status status = npart_document_start(&document, format, &options, sum_up, scene, error);
    if (status == NPART_OK)
        status = npart_document_add(document, &entry, error);
    if (status == NPART_OK)
        status = npart_document_add(document, &other, error);
    if (status == NPART_OK)
        status = npart_document_end(document, error);
    npart_document_free(document);
    return status;
}

static npart_status write_csv(struct scene *scene, struct npart_error *error)
{
    npart_status status = write_document(scene, NPART_FORMAT_CSV, NPART_DETAIL_SUMMARY, error);
    if (status == NPART_OK)
        status = write_document(scene, NPART_FORMAT_CSV, NPART_DETAIL_CAUSES, error);
    return status == NPART_OK ? write_document(scene, NPART_FORMAT_CSV, NPART_DETAIL_NODES, error) : status;
}

static npart_status write_sarif(struct scene *scene, struct npart_error *error)
{
    return write_document(scene, NPART_FORMAT_SARIF, NPART_DETAIL_SUMMARY, error);
}

static npart_status write_github(struct scene *scene, struct npart_error *error)
{
    return write_document(scene, NPART_FORMAT_GITHUB, NPART_DETAIL_SUMMARY, error);
}

static npart_status write_markdown(struct scene *scene, struct npart_error *error)
{
    return write_document(scene, NPART_FORMAT_MARKDOWN, NPART_DETAIL_SUMMARY, error);
}

static npart_status write_junit(struct scene *scene, struct npart_error *error)
{
    return write_document(scene, NPART_FORMAT_JUNIT, NPART_DETAIL_SUMMARY, error);
}

static npart_status write_dot(struct scene *scene, struct npart_error *error)
{
    npart_status status = write_document(scene, NPART_FORMAT_DOT, NPART_DETAIL_SUMMARY, error);
    return status == NPART_OK ? write_document(scene, NPART_FORMAT_DOT, NPART_DETAIL_NODES, error) : status;
}

static npart_status write_svg(struct scene *scene, struct npart_error *error)
{
    npart_status status = write_document(scene, NPART_FORMAT_SVG, NPART_DETAIL_SUMMARY, error);
    return status == NPART_OK ? write_document(scene, NPART_FORMAT_SVG, NPART_DETAIL_NODES, error) : status;
}

static ptrdiff_t read_nothing(void *payload, void *into, size_t bytes)
{
    (void)payload, (void)into, (void)bytes;
    return 0;
}

/* A page with a comparison, and a report that was saved. */
static npart_status write_html(struct scene *scene, struct npart_error *error)
{
    struct npart_document_options options = NPART_DOCUMENT_OPTIONS_INIT;
    npart_document *document = NULL;
    npart_record *record = NULL;
    npart_diff *diff = NULL;
    options.allocator = &scene->counted.allocator;
    npart_status status = write_document(scene, NPART_FORMAT_HTML, NPART_DETAIL_NODES, error);
    if (status == NPART_OK)
        status = npart_document_start(&document, NPART_FORMAT_HTML, &options, sum_up, scene, error);
    if (status == NPART_OK)
        status = npart_record_make(&record, scene->plan, NULL, error);
    if (status == NPART_OK)
        status = npart_diff_make(&diff, npart_record_side(record), npart_record_side(record), NULL, error);
    if (status == NPART_OK)
        status = npart_document_add_report(document, read_nothing, NULL, error);
    if (status == NPART_OK)
        status = npart_document_add_diff(document, (const npart_diff *const *)&diff, 1, error);
    if (status == NPART_OK)
        status = npart_document_end(document, error);
    npart_diff_free(diff);
    npart_record_free(record);
    npart_document_free(document);
    return status;
}

const struct tried_call model_calls[] = {
    {"from memory", NOTHING, read_memory},
    {"from a stream", NOTHING, read_stream},
    {"inference", MODEL, infer},
    {"inference with limits", MODEL, infer_limited},
    {"inference with sizes", INFERENCE, infer_fixed},
    {"inference for another use", INFERENCE, infer_use},
    {"shapes", INFERENCE, write_shapes},
    {"work", INFERENCE, write_work},
    {"plan", INFERENCE, plan_by_default},
    {"plan with sizes", FIXED, plan_fixed},
    {"plan by runs", INFERENCE, plan_runs},
    {"plan with assumptions and cuts", INFERENCE, plan_wishes},
    {"advice", PLAN, advise},
    {"advice with sizes", PLAN, advise_fixed},
    {"times by parameter", PLAN, times},
    {"JSON", PLAN, report_json},
    {"text", PLAN, report_text},
    {"explanation", PLAN, explain},
    {"table by module", PLAN, report_modules},
    {"CSV", PLAN, write_csv},
    {"SARIF", PLAN, write_sarif},
    {"annotations", PLAN, write_github},
    {"Markdown", PLAN, write_markdown},
    {"JUnit", PLAN, write_junit},
    {"DOT", PLAN, write_dot},
    {"SVG", PLAN, write_svg},
    {"HTML", PLAN, write_html},
    {NULL, NOTHING, NULL},
};

/* ---- places ---------------------------------------------------------------------------------------------------- */

static uint64_t places[MOST_ALLOCATIONS];
static uint64_t tried_places[1u << 20]; /* a table with open addresses; 0 is free */

void forget_places(void)
{
    memset(tried_places, 0, sizeof tried_places);
}

bool is_new_place(const char *name, uint64_t place)
{
    const size_t mask = sizeof tried_places / sizeof tried_places[0] - 1;
    for (; *name; name++)
        place = (place ^ (unsigned char)*name) * UINT64_C(1099511628211);
    place |= 1;
    for (size_t at = place >> 20 & mask;; at = (at + 1) & mask) {
        if (tried_places[at] == place)
            return false;
        if (tried_places[at] == 0) {
            tried_places[at] = place;
            return true;
        }
    }
}

/* ---- each fails ------------------------------------------------------------------------------------------------ */

static bool complain(const struct tried_call *tried, size_t at, const char *what)
{
    fprintf(stderr, "%s, allocation %zu: %s\n", tried->name, at, what);
    return false;
}

/* Runs it with allocation `fail_at` failing (0: none). False when a call that fails has changed something. */
static bool run_once(struct scene *scene, const struct tried_call *tried, size_t fail_at, bool fails_on,
                     npart_status *status, struct npart_error *error)
{
    scene->counted.fail_at = 0;
    set_up(scene, tried->stage);
    const npart_model *model = scene->model;
    const npart_inference *inference = scene->inference, *fixed = scene->fixed;
    const npart_plan *made = scene->plan;
    scene->printed = 1;
    scene->counted.calls = scene->counted.failures = 0;
    scene->counted.place_room = fail_at ? 0 : MOST_ALLOCATIONS;
    scene->counted.places = places;
    scene->counted.fail_at = fail_at;
    scene->counted.fails_on = fails_on;
    *status = tried->function(scene, error);
    scene->counted.fail_at = 0;
    scene->counted.place_room = 0;
    return *status == NPART_OK || (scene->model == model && scene->inference == inference && scene->plan == made &&
                                   scene->fixed == fixed && !scene->oplist);
}

/* What the call made, as a sum over what reports say of it. */
static uint64_t sum_of(struct scene *scene)
{
    const npart_inference *inference = scene->fixed ? scene->fixed : scene->inference;
    npart_inference *made = NULL;
    if (scene->model && !inference && npart_inference_make(&made, scene->model, NULL, NULL) == NPART_OK)
        inference = made;
    if (inference)
        must(npart_report(OF_SHAPES(inference), NPART_FORMAT_JSON, NULL, sum_up, scene, NULL) == NPART_OK,
             "no shapes to compare");
    if (scene->plan)
        must(report_json(scene, NULL) == NPART_OK, "no JSON to compare");
    npart_inference_free(made);
    return scene->printed;
}

static bool fail_one(struct scene *scene, const struct tried_call *tried, size_t at, uint64_t wanted)
{
    struct npart_error error = {.status = NPART_OK};
    npart_status status;
    if (!run_once(scene, tried, at, at % 2, &status, &error))
        return complain(tried, at, "changes its results and fails");
    if (scene->counted.failures == 0) /* tables of names grow by a key of their own, now earlier and now later */
        return status == NPART_OK || complain(tried, at, "fails without a reason");
    if (status != NPART_ERROR_MEMORY)
        return complain(tried, at, status == NPART_OK ? "succeeds without it" : "fails for another reason");
    if (error.status != NPART_ERROR_MEMORY || strcmp(error.message, "out of memory") != 0)
        return complain(tried, at, error.message);
    scene->printed = 1; /* nothing is broken for a second try */
    if (tried->function(scene, &error) != NPART_OK)
        return complain(tried, at, "fails when tried again");
    if (sum_of(scene) != wanted)
        return complain(tried, at, "has another result when tried again");
    return true;
}

size_t fail_each(struct scene *scene, const struct tried_call *tried, bool *is_wrong)
{
    struct npart_error error;
    npart_status status;
    size_t count = 0;
    run_once(scene, tried, 0, false, &status, &error);
    if (status == NPART_ERROR_ARGUMENT) { /* the model has no such thing */
        tear_down(scene);
        return 0;
    }
    if (status != NPART_OK)
        *is_wrong |= !complain(tried, 0, error.message);
    size_t total = scene->counted.calls, *calls = malloc((total + 1) * sizeof *calls);
    if (!calls)
        fail("out of memory");
    must(total <= MOST_ALLOCATIONS, "too many allocations");
    for (size_t i = 0; i < total; i++)
        if (is_new_place(tried->name, places[i]))
            calls[count++] = i + 1;
    uint64_t wanted = sum_of(scene);
    tear_down(scene);
    for (size_t k = 0; k <= count && !*is_wrong; k++) {
        if (scene->counted.live_blocks || scene->counted.live_bytes)
            *is_wrong |= !complain(tried, k ? calls[k - 1] : 0, "keeps memory");
        if (k == count)
            break;
        *is_wrong |= !fail_one(scene, tried, calls[k], wanted);
        tear_down(scene);
    }
    free(calls);
    return count;
}
