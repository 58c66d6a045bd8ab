/* SPDX-License-Identifier: Apache-2.0
 *
 * What changed from one plan to another, of two versions of a model or of one on two targets: choices (fuzz/request.h
 * has the last of them) and up to two models (fuzz/subject.h), whose mutations make one a changed copy of the other.
 */
#include "fuzz/formats.h"
#include "fuzz/fuzz.h"
#include "fuzz/request.h"

#define MODELS 2u

static size_t live_bytes;
static const struct npart_allocator limited = {fuzz_allocate, NULL, fuzz_release, &live_bytes};

/* By choice; choice 0 is the number of models. */
enum { LIST = 1, FLAGS, SECOND_LIST };
enum { HAS_ADVICE = 1, IS_FIXED = 2, IS_OF_TARGETS = 4, HAS_PAGE = 8 };

/* ---- diff ------------------------------------------------------------------------------------------------------ */

static void check_nodes(const npart_diff *diff, const struct npart_diff_info *info, uint32_t before, uint32_t after)
{
    struct npart_diff_node node = {.size = sizeof node};
    struct npart_diff_cause cause = {.size = sizeof cause};
    struct npart_diff_figure figure = {.size = sizeof figure};
    uint32_t count = 0, matched = 0;
    for (uint32_t i = 0; i < before; i++) {
        uint32_t match = npart_diff_match(diff, i);
        FUZZ_REQUIRE(match == NPART_NONE || match < after);
        matched += match != NPART_NONE;
    }
    FUZZ_REQUIRE(matched == info->matched && matched + info->removed == before && matched + info->added == after);
    for (; npart_diff_node(diff, count, &node); count++)
        FUZZ_REQUIRE((node.before == NPART_NONE || node.before < before) &&
                     (node.after == NPART_NONE || node.after < after) && node.name && node.name_before);
    FUZZ_REQUIRE(count == info->node_count);
    for (count = 0; npart_diff_cause(diff, count, &cause); count++)
        FUZZ_REQUIRE(*npart_cause_change_text(cause.state) && cause.kind && cause.text);
    FUZZ_REQUIRE(count == info->cause_count);
    for (count = 0; npart_diff_figure(diff, count, &figure); count++)
        FUZZ_REQUIRE(*figure.what && *figure.text);
    FUZZ_REQUIRE(count == info->figure_count);
}

static void report_diff(const npart_diff *diff)
{
    const npart_diff *const diffs[] = {diff, diff};
    struct fuzz_text text = {NULL, 0}, markdown = {NULL, 0}, json = {NULL, 0};
    struct npart_error error;
    size_t at = 0;
    FUZZ_REQUIRE(npart_report(OF_DIFFS(diffs, 2), NPART_FORMAT_TEXT, NULL, fuzz_keep, &text, &error) == NPART_OK);
    FUZZ_REQUIRE(npart_report(OF_DIFFS(diffs, 2), NPART_FORMAT_MARKDOWN, NULL, fuzz_keep, &markdown,
                              &error) == NPART_OK);
    FUZZ_REQUIRE(npart_report(OF_DIFFS(diffs, 1), NPART_FORMAT_JSON, NULL, fuzz_keep, &json, &error) == NPART_OK);
    fuzz_check_plain(&text, false);
    FUZZ_REQUIRE(!text_problem(markdown.data, markdown.bytes, &at));
    fuzz_check_json(&json);
    free(text.data);
    free(markdown.data);
    free(json.data);
}

static void compare(const npart_record *before, const npart_record *after, bool are_same)
{
    struct npart_diff_options options = NPART_DIFF_OPTIONS_INIT;
    struct npart_diff_info info = {.size = sizeof info};
    struct npart_error error;
    npart_diff *diff = NULL;
    const struct npart_side *first = npart_record_side(before), *second = npart_record_side(after);
    options.allocator = &limited;
    npart_status status = npart_diff_make(&diff, first, second, &options, &error);
    if (status != NPART_OK) {
        FUZZ_REQUIRE(status == NPART_ERROR_MEMORY);
        return;
    }
    FUZZ_REQUIRE(npart_diff_info(diff, &info));
    check_nodes(diff, &info, first->node_count, second->node_count);
    FUZZ_REQUIRE(!are_same || (info.change == NPART_CHANGE_NONE && !info.removed && !info.added && !info.node_count));
    report_diff(diff);
    npart_diff_free(diff);
}

/* ---- a page with both plans and what changed between them ------------------------------------------------------ */

static npart_status write_page(const npart_plan *const *plans, const npart_diff *diff, struct fuzz_text *text,
                               struct npart_error *error)
{
    struct npart_document_options options = NPART_DOCUMENT_OPTIONS_INIT;
    npart_document *document = NULL;
    options.detail = NPART_DETAIL_NODES;
    options.allocator = &limited;
    npart_status status = npart_document_start(&document, NPART_FORMAT_HTML, &options, fuzz_keep, text, error);
    for (unsigned i = 0; i < 2 && status == NPART_OK; i++) {
        const struct npart_plan_pair pair = {plans[i], NULL, NULL};
        struct npart_entry entry = NPART_ENTRY_INIT;
        entry.path = i ? "after.onnx" : "before.onnx";
        entry.plans = &pair;
        entry.plan_count = 1;
        status = npart_document_add(document, &entry, error);
    }
    if (status == NPART_OK)
        status = npart_document_add_diff(document, &diff, 1, error);
    if (status == NPART_OK)
        status = npart_document_end(document, error);
    npart_document_free(document);
    return status;
}

static void check_page(const npart_plan *const *plans, const npart_record *before, const npart_record *after)
{
    struct npart_error error;
    struct fuzz_text text = {NULL, 0};
    npart_diff *diff = NULL;
    size_t at = 0;
    if (npart_diff_make(&diff, npart_record_side(before), npart_record_side(after), NULL, &error) != NPART_OK)
        return;
    if (write_page(plans, diff, &text, &error) == NPART_OK)
        FUZZ_REQUIRE(!page_problem(text.data, text.bytes, &at));
    else
        fuzz_check_error(NPART_ERROR_MEMORY, &error);
    npart_diff_free(diff);
    free(text.data);
}

/* ---- one input ------------------------------------------------------------------------------------------------- */

static npart_plan *plan_of(const struct subject *subject, const struct request *request, npart_inference *inference,
                           unsigned list)
{
    const npart_oplist *oplist;
    const char *target = request_target(subject->choices[list], &oplist);
    npart_plan *plan = NULL;
    struct npart_error error;
    npart_status status = npart_plan_make(&plan, inference, oplist, target, &request->plan, &error);
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    return plan;
}

static npart_record *record_of(const struct subject *subject, const npart_plan *plan)
{
    npart_advice *advice = NULL;
    npart_record *record = NULL;
    struct npart_error error;
    npart_status status = NPART_OK;
    if (subject->choices[FLAGS] & HAS_ADVICE)
        status = npart_advice_make(&advice, plan, NULL, NULL, 0, &error);
    if (status == NPART_OK)
        status = npart_record_make(&record, plan, advice, &error);
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    npart_advice_free(advice);
    return record;
}

static void compare_plans(const struct subject *subject, const npart_plan *const *plans)
{
    npart_record *before = record_of(subject, plans[0]), *after = record_of(subject, plans[1]);
    if (before)
        compare(before, before, true);
    if (before && after) {
        compare(before, after, false);
        compare(after, before, false);
    }
    if (before && after && subject->choices[FLAGS] & HAS_PAGE)
        check_page(plans, before, after);
    npart_record_free(before);
    npart_record_free(after);
}

static npart_inference *infer(const struct subject *subject, const struct request *request, const npart_model *model)
{
    npart_inference *open = request_infer(request, model), *fixed = NULL;
    if (!open || !(subject->choices[FLAGS] & IS_FIXED) ||
        npart_inference_make_fixed(&fixed, open, NULL) != NPART_OK || !fixed)
        return open;
    npart_inference_free(open);
    return fixed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char *const names[MODELS] = {"a/encoder.onnx", "b/encoder.onnx"};
    struct subject subject;
    struct request requests[MODELS];
    npart_model *models[MODELS] = {NULL};
    npart_inference *inferences[MODELS] = {NULL};
    npart_plan *plans[2] = {NULL, NULL};
    unsigned count = 0;
    subject_take(&subject, MODELS, data, bytes);
    for (unsigned i = 0; i < subject.count; i++) {
        models[i] = subject_read(subject.models[i].data, subject.models[i].bytes, names[i], &limited);
        if (!models[i])
            continue;
        request_make(&requests[count], &subject, models[i], &limited);
        inferences[count] = infer(&subject, &requests[count], models[i]);
        count += inferences[count] != NULL;
    }
    if (count) {
        unsigned second = count - 1;
        bool is_of_targets = subject.choices[FLAGS] & IS_OF_TARGETS;
        plans[0] = plan_of(&subject, &requests[0], inferences[0], LIST);
        plans[1] = plan_of(&subject, &requests[second], inferences[second], is_of_targets ? SECOND_LIST : LIST);
    }
    if (plans[0] && plans[1])
        compare_plans(&subject, (const npart_plan *const *)plans);
    for (unsigned i = 0; i < MODELS; i++) {
        npart_plan_free(plans[i]);
        npart_inference_free(inferences[i]);
        npart_model_free(models[i]);
    }
    FUZZ_REQUIRE(live_bytes == 0);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return subject_mutate(MODELS, data, size, max_size, seed);
}
