/* SPDX-License-Identifier: Apache-2.0
 *
 * Budgets of memory and time: what is made from a model stays within them, says LIMIT or TIMEOUT past them, and is what
 * it would have been without.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdlib.h>

#include "base/base.h"
#include "base/platform.h"
#include "support/counted.h"
#include "support/failing.h"
#include "support/model_text.h"
#include "support/test.h"

static const char model_text[] =
    "opset 17\ninput x float32[batch,3,8,8]\ninit w float32[4,3,3,3]\n"
    "node a = Conv(x, w) pads=[1,1,1,1]\nnode s = Shape(a)\nnode b = NonZero(a)\nnode y = Relu(a)\n"
    "output y\noutput b\noutput s\n";

/* ---- the allocator ----------------------------------------------------------------------------------------- */

static void test_budget__counts_bytes(void)
{
    struct counted counted;
    struct npart_allocator budget;
    counted_init(&counted, true);
    REQUIRE(npart__budget_open(&budget, &counted.allocator, 1000, 0));
    void *first = budget.allocate(budget.payload, 500);
    CHECK(first && !budget.allocate(budget.payload, 500));
    CHECK_INT(npart__budget_status(&budget, NULL), NPART_ERROR_LIMIT);
    first = budget.resize(budget.payload, first, 900);
    CHECK(first && !budget.resize(budget.payload, first, 1000));
    CHECK(!budget.allocate(budget.payload, SIZE_MAX));
    first = budget.resize(budget.payload, first, 100);
    void *second = budget.allocate(budget.payload, 800);
    CHECK(first && second);
    budget.release(budget.payload, first);
    npart__budget_close(&budget); /* what is out keeps it */
    CHECK(!budget.allocate(budget.payload, 800));
    budget.release(budget.payload, NULL);
    budget.release(budget.payload, second);
    CHECK_INT(counted.live_blocks, 0);
}

/* Exactly to its edge: what is told in the header counts with each piece. */
static void test_budget__edge(void)
{
    struct npart__arena plain;
    struct npart_allocator budget;
    npart__arena_init(&plain, NULL);
    REQUIRE(npart__budget_open(&budget, &plain.allocator, 1016, 0));
    CHECK(!budget.allocate(budget.payload, 1001));
    void *all = budget.allocate(budget.payload, 1000);
    CHECK(all != NULL);
    budget.release(budget.payload, all);
    npart__budget_close(&budget);
}

/* Want of memory that is no budget's stays that, also after the budget was passed. */
static void test_budget__real_failures(void)
{
    struct counted counted;
    struct npart_allocator budget;
    counted_init(&counted, true);
    REQUIRE(npart__budget_open(&budget, &counted.allocator, 1000, 3600000));
    CHECK(!budget.allocate(budget.payload, 2000));
    counted.fail_at = counted.calls + 1;
    CHECK(!budget.allocate(budget.payload, 10));
    struct npart_error error;
    CHECK_INT(npart__settle(npart__fail_memory(&error), &budget, &error), NPART_ERROR_MEMORY);
    CHECK_TEXT(error.message, "out of memory");
    CHECK_INT(npart__settle(NPART_ERROR_READ, &budget, NULL), NPART_ERROR_READ);
    npart__budget_close(&budget);
    counted.fail_at = counted.calls + 1;
    CHECK(!npart__budget_open(&budget, &counted.allocator, 1000, 0));
    CHECK_INT(counted.live_blocks, 0);
    CHECK_INT(npart_budget_status(NULL, NULL), NPART_OK);
    CHECK_INT(npart_budget_status(&counted.allocator, NULL), NPART_OK);
}

/* ---- of all calls ------------------------------------------------------------------------------------------ */

/* Whether the call is within so much, on top of what there was before it. False when it says anything but LIMIT. */
static bool try_budget(struct scene *scene, const struct tried_call *tried, uint64_t most_bytes, bool *fits)
{
    const struct npart_allocator own = scene->counted.allocator;
    struct npart_error error = {0};
    bool is_right = npart__budget_open(&scene->counted.allocator, &own, most_bytes, 0);
    REQUIRE(is_right);
    struct npart_allocator budget = scene->counted.allocator;
    scene->model = NULL;
    scene->inference = scene->fixed = NULL;
    scene->plan = NULL;
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    options.allocator = &budget;
    npart_status status = NPART_OK;
    if (tried->stage >= MODEL)
        status = npart_model_read_memory(&scene->model, scene->bytes.data, scene->bytes.size, &options, &error);
    if (tried->stage >= INFERENCE && status == NPART_OK)
        status = npart_inference_make(&scene->inference, scene->model, NULL, &error);
    if (tried->stage >= FIXED && status == NPART_OK)
        status = npart_inference_make_fixed(&scene->fixed, scene->inference, &error);
    if (tried->stage >= PLAN && status == NPART_OK)
        status = npart_plan_make(&scene->plan, scene->inference, scene->planned, NULL, NULL, &error);
    if (status == NPART_OK)
        status = tried->function(scene, &error);
    *fits = status == NPART_OK;
    is_right = status == NPART_OK || (status == NPART_ERROR_LIMIT && strstr(error.message, "max-memory"));
    if (!is_right)
        fprintf(stderr, "  %s within %llu bytes: %s\n", tried->name, (unsigned long long)most_bytes, error.message);
    npart__budget_close(&budget);
    tear_down(scene);
    scene->counted.allocator = own;
    return is_right && scene->counted.live_blocks == 0;
}

static void test_budget__every_call(void)
{
    npart_oplist *hexagon = NULL;
    struct scene scene = {.printed = 0};
    REQUIRE(npart_oplist_find(&hexagon, "hexagon", NULL, NULL) == NPART_OK);
    scene_init(&scene, true);
    scene.bytes = model_from_text(model_text);
    scene.dim = "batch";
    scene.planned = hexagon;
    for (const struct tried_call *tried = model_calls; tried->name; tried++) {
        bool fits = false, is_right = true;
        uint64_t most_bytes = 300;
        for (; is_right && !fits && most_bytes < UINT64_C(1) << 30; most_bytes += most_bytes / 7)
            is_right = try_budget(&scene, tried, most_bytes, &fits);
        CHECK(is_right && fits);
    }
    bytes_free(&scene.bytes);
    npart_oplist_free(hexagon);
}

/* ---- of documents ------------------------------------------------------------------------------------------ */

static bool swallow(void *payload, const char *text, size_t bytes)
{
    (void)payload, (void)text, (void)bytes;
    return true;
}

/* Of a document with an allocator of its own: what adding a plan says, which its end must say again. Sets `*is_planned`
 * where the budget was enough for the plan itself. */
static npart_status add_within(const struct bytes *bytes, const npart_oplist *oplist, enum npart_format format,
                               uint64_t most_bytes, bool *is_planned)
{
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    struct npart_document_options nodes = NPART_DOCUMENT_OPTIONS_INIT;
    struct npart_entry entry = NPART_ENTRY_INIT;
    struct npart_error error = {0};
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    npart_plan *plan = NULL;
    npart_document *document = NULL;
    options.max_memory_bytes = most_bytes;
    nodes.detail = NPART_DETAIL_NODES;
    npart_status status = npart_model_read_memory(&model, bytes->data, bytes->size, &options, &error);
    if (status == NPART_OK)
        status = npart_inference_make(&inference, model, NULL, &error);
    if (status == NPART_OK)
        status = npart_plan_make(&plan, inference, oplist, NULL, NULL, &error);
    *is_planned = status == NPART_OK;
    if (*is_planned) {
        const struct npart_plan_pair pair = {plan, NULL, NULL};
        entry.path = "a.onnx";
        entry.plans = &pair;
        entry.plan_count = 1;
        REQUIRE(npart_document_start(&document, format, &nodes, swallow, NULL, &error) == NPART_OK);
        status = npart_document_add(document, &entry, &error);
        CHECK(status == NPART_OK || strstr(error.message, "max-memory"));
        CHECK_INT(npart_document_end(document, &error), status);
    }
    npart_document_free(document);
    npart_plan_free(plan);
    npart_inference_free(inference);
    npart_model_free(model);
    return status;
}

/* The plan's budget is told, though the document has memory. */
static void test_budget__documents(void)
{
    static const enum npart_format formats[] = {
#define DOCUMENT(format, writer) NPART_FORMAT_##format,
#include "../../lib/report/documents.def"
    };
    npart_oplist *hexagon = NULL;
    struct bytes bytes = model_from_text(model_text);
    REQUIRE(npart_oplist_find(&hexagon, "hexagon", NULL, NULL) == NPART_OK);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        npart_status status = NPART_ERROR_LIMIT;
        bool is_planned = false;
        unsigned lacking = 0;
        for (uint64_t most = 10000; status == NPART_ERROR_LIMIT && most < 1 << 24; most += most / 40) {
            status = add_within(&bytes, hexagon, formats[i], most, &is_planned);
            lacking += is_planned && status != NPART_OK;
        }
        CHECK_INT(status, NPART_OK);
        CHECK(lacking > 0 || formats[i] != NPART_FORMAT_HTML);
    }
    bytes_free(&bytes);
    npart_oplist_free(hexagon);
}

/* ---- the options ------------------------------------------------------------------------------------------- */

static void test_budget__options(void)
{
    struct counted counted;
    struct bytes bytes = model_from_text(model_text);
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    struct npart_error error = {0};
    npart_model *model = NULL;
    counted_init(&counted, true);
    options.allocator = &counted.allocator;
    options.max_memory_bytes = 4096;
    CHECK_INT(npart_model_read_memory(&model, bytes.data, bytes.size, &options, &error), NPART_ERROR_LIMIT);
    CHECK_TEXT(error.message, "needs more than 4096 bytes of memory (max-memory)");
    CHECK_INT(counted.live_blocks, 0);
    options.max_memory_bytes = 10;
    CHECK_INT(npart_model_read_memory(&model, bytes.data, bytes.size, &options, NULL), NPART_ERROR_LIMIT);
    CHECK_INT(npart_model_read_file(&model, "/nowhere", &options, NULL), NPART_ERROR_LIMIT);
    CHECK_INT(counted.live_blocks, 0);
    options.max_memory_bytes = UINT64_MAX;
    options.max_ms = UINT64_MAX;
    CHECK_INT(npart_model_read_memory(&model, bytes.data, bytes.size, &options, &error), NPART_OK);
    npart_model_free(model);
    CHECK_INT(counted.live_blocks, 0);
    options.version = 2; /* what comes after is not looked at */
    options.max_memory_bytes = 10;
    CHECK_INT(npart_model_read_memory(&model, bytes.data, bytes.size, &options, &error), NPART_OK);
    npart_model_free(model);
    bytes_free(&bytes);
}

static void wait_ms(uint64_t ms)
{
    const uint64_t end = npart__monotonic_ms() + ms;
    while (npart__monotonic_ms() <= end)
        continue;
}

static ptrdiff_t read_late(void *payload, void *into, size_t bytes)
{
    struct bytes *left = payload;
    size_t got = left->size < bytes ? left->size : bytes;
    wait_ms(2);
    if (got)
        memcpy(into, left->data, got);
    left->data += got;
    left->size -= got;
    return (ptrdiff_t)got;
}

static void test_budget__late_reading(void)
{
    struct bytes bytes = model_from_text(model_text), left = bytes;
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    struct npart_error error = {0};
    npart_model *model = NULL;
    options.max_ms = 1;
    CHECK_INT(npart_model_read_stream(&model, read_late, &left, &options, &error), NPART_ERROR_TIMEOUT);
    CHECK_TEXT(error.message, "not finished after 0.001 s (timeout)");
    CHECK(!model);
    bytes_free(&bytes);
}

/* Fields that nobody knows take no memory; 24 MB of them take many times a millisecond. */
static void test_budget__late_scan(void)
{
    const size_t fields = (size_t)8 << 20;
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    npart_model *model = NULL;
    char *bytes = malloc(3 * fields);
    REQUIRE(bytes);
    for (size_t i = 0; i < fields; i++)
        memcpy(bytes + 3 * i, "\xf8\x01\x01", 3);
    options.max_ms = 1;
    CHECK_INT(npart_model_read_memory(&model, bytes, 3 * fields, &options, NULL), NPART_ERROR_TIMEOUT);
    options.max_ms = 0;
    CHECK_INT(npart_model_read_memory(&model, bytes, 3 * fields, &options, NULL), NPART_ERROR_MALFORMED);
    free(bytes);
}

/* The time of a model is that of all that is made from it; what was made before can be asked, and freed. */
static void test_budget__late_plan(void)
{
    struct bytes bytes = model_from_text(model_text);
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    npart_oplist *hexagon = NULL;
    npart_status status = NPART_ERROR_TIMEOUT;
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    npart_plan *plan = NULL;
    REQUIRE(npart_oplist_find(&hexagon, "hexagon", NULL, NULL) == NPART_OK);
    /* A machine that is busy may need longer even for the first two. */
    for (options.max_ms = 100; status == NPART_ERROR_TIMEOUT; options.max_ms *= 2) {
        status = npart_model_read_memory(&model, bytes.data, bytes.size, &options, NULL);
        if (status == NPART_OK)
            status = npart_inference_make(&inference, model, NULL, NULL);
        npart_model_free(model);
        wait_ms(options.max_ms);
    }
    REQUIRE(status == NPART_OK);
    struct npart_error error = {0};
    struct npart_inference_info info = {.size = sizeof info};
    CHECK(npart_inference_info(inference, &info));
    CHECK_INT(npart_plan_make(&plan, inference, hexagon, NULL, NULL, &error), NPART_ERROR_TIMEOUT);
    CHECK(strstr(error.message, "(timeout)") != NULL);
    CHECK_INT(npart_budget_status(info.allocator, NULL), NPART_ERROR_TIMEOUT);
    npart_budget_end_time(info.allocator);
    CHECK_INT(npart_budget_status(info.allocator, NULL), NPART_OK);
    CHECK_INT(npart_plan_make(&plan, inference, hexagon, NULL, NULL, NULL), NPART_OK);
    npart_plan_free(plan);
    npart_inference_free(inference);
    npart_oplist_free(hexagon);
    bytes_free(&bytes);
}

/* Who was late says so at once from there on, and so does a call that ended without a failure. */
static void test_budget__late_loops(void)
{
    struct npart__arena plain, arena;
    struct npart_allocator outer, budget;
    npart__arena_init(&plain, NULL);
    CHECK(!npart__is_late(&plain) && !npart__is_late_at(&plain, 255));
    REQUIRE(npart__budget_open(&outer, &plain.allocator, 0, 1));
    REQUIRE(npart__budget_open(&budget, &outer, 0, 3600000));
    npart__arena_init(&arena, &budget);
    wait_ms(2);
    CHECK(!npart__is_late_at(&arena, 0)); /* the clock is not looked at */
    CHECK_INT(npart__settle(NPART_OK, &budget, NULL), NPART_OK);
    CHECK(npart__is_late_at(&arena, 255) && npart__is_late_at(&arena, 0) && npart__is_late(&arena));
    struct npart_error error;
    CHECK_INT(npart__settle(NPART_OK, &budget, &error), NPART_ERROR_TIMEOUT);
    CHECK_TEXT(error.message, "not finished after 0.001 s (timeout)");
    CHECK_INT(npart__settle(NPART_ERROR_READ, &budget, NULL), NPART_ERROR_READ);
    npart__budget_end_time(&budget);
    CHECK(!npart__is_late_at(&arena, 255) && !npart__is_late(&arena));
    CHECK_INT(npart__settle(NPART_OK, &budget, NULL), NPART_OK);
    npart__arena_clear(&arena);
    npart__budget_close(&budget);
    npart__budget_close(&outer);
}

/* What is made of a plan without its allocator being named counts for its time, too. */
static void check_late_uses(const npart_plan *plan, npart_record *record, npart_status expected)
{
    const struct npart_plan_pair pair = {plan, NULL, NULL};
    struct npart_entry entry = NPART_ENTRY_INIT;
    struct npart_error error = {0};
    npart_document *document = NULL;
    npart_diff *diff = NULL;
    CHECK_INT(npart_diff_make(&diff, npart_record_side(record), npart_record_side(record), NULL, &error), expected);
    CHECK((diff != NULL) == (expected == NPART_OK));
    npart_diff_free(diff);
    entry.path = "a.onnx";
    entry.plans = &pair;
    entry.plan_count = 1;
    for (enum npart_format format = NPART_FORMAT_SARIF; npart_format_text(format); format++) {
        REQUIRE(npart_document_start(&document, format, NULL, swallow, NULL, &error) == NPART_OK);
        npart_status status = npart_document_add(document, &entry, &error);
        CHECK(status == expected || (status == NPART_OK && format != NPART_FORMAT_HTML));
        CHECK_INT(npart_document_end(document, &error), status);
        npart_document_free(document);
    }
}

static void test_budget__late_uses(void)
{
    struct bytes bytes = model_from_text(model_text);
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    npart_oplist *hexagon = NULL;
    npart_status status = NPART_ERROR_TIMEOUT;
    npart_plan *plan = NULL;
    npart_record *record = NULL;
    REQUIRE(npart_oplist_find(&hexagon, "hexagon", NULL, NULL) == NPART_OK);
    for (options.max_ms = 100; status == NPART_ERROR_TIMEOUT; options.max_ms *= 2) {
        npart_model *model = NULL;
        npart_inference *inference = NULL;
        npart_plan_free(plan);
        plan = NULL;
        status = npart_model_read_memory(&model, bytes.data, bytes.size, &options, NULL);
        if (status == NPART_OK)
            status = npart_inference_make(&inference, model, NULL, NULL);
        if (status == NPART_OK)
            status = npart_plan_make(&plan, inference, hexagon, NULL, NULL, NULL);
        if (status == NPART_OK)
            status = npart_record_make(&record, plan, NULL, NULL);
        npart_inference_free(inference);
        npart_model_free(model);
        wait_ms(options.max_ms);
    }
    REQUIRE(status == NPART_OK);
    struct npart_plan_info info = {.size = sizeof info};
    check_late_uses(plan, record, NPART_ERROR_TIMEOUT);
    CHECK(npart_plan_info(plan, &info));
    npart_budget_end_time(info.allocator);
    check_late_uses(plan, record, NPART_OK);
    npart_record_free(record);
    npart_plan_free(plan);
    npart_oplist_free(hexagon);
    bytes_free(&bytes);
}

/* Any machine is too slow with it. */
static void *allocate_late(void *payload, size_t bytes)
{
    struct counted *counted = payload;
    wait_ms(2);
    return counted->allocator.allocate(counted->allocator.payload, bytes);
}

static void test_budget__fix(void)
{
    struct counted counted;
    counted_init(&counted, true);
    struct npart_allocator late = counted.allocator;
    REQUIRE(late.payload == &counted);
    late.allocate = allocate_late;
    npart_oplist *hexagon = NULL;
    npart_fix *fix = NULL;
    struct npart_fix_options options = NPART_FIX_OPTIONS_INIT;
    struct npart_error error = {0};
    const char *target = "hexagon", *path = "fixtures/crnn-ocr.dynamo.onnx";
    REQUIRE(npart_oplist_find(&hexagon, target, NULL, NULL) == NPART_OK);
    const npart_oplist *const lists[] = {hexagon};
    npart_status status = NPART_ERROR_LIMIT;
    for (options.max_memory_bytes = 50000; status == NPART_ERROR_LIMIT; options.max_memory_bytes *= 2)
        status = npart_fix_make(&fix, path, lists, &target, 1, &options, &error);
    CHECK_INT(status, NPART_OK);
    npart_fix_free(fix);
    options.max_memory_bytes = 0;
    options.max_ms = 1;
    options.allocator = &late;
    status = npart_fix_make(&fix, path, lists, &target, 1, &options, &error);
    CHECK_INT(status, NPART_ERROR_TIMEOUT);
    CHECK_INT(counted.live_blocks, 0);
    npart_oplist_free(hexagon);
}

TESTS(test_budget__counts_bytes, test_budget__edge, test_budget__real_failures, test_budget__every_call,
      test_budget__options, test_budget__late_reading, test_budget__late_scan, test_budget__late_plan,
      test_budget__late_loops, test_budget__late_uses, test_budget__fix, test_budget__documents)
