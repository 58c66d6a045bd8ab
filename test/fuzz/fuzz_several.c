/* SPDX-License-Identifier: Apache-2.0
 *
 * Several models: what changed from the first to the second, and on which device each of them runs best. Choices and up
 * to four models (fuzz/subject.h), whose mutations make some of them changed copies of others.
 */
#include "fuzz/formats.h"
#include "fuzz/fuzz.h"
#include "fuzz/subject.h"

static size_t live_bytes;
static const struct npart_allocator limited = {fuzz_allocate, NULL, fuzz_release, &live_bytes};

/* By choice; choice 0 is the number of models. */
enum { LIST = 1, FLAGS, LINK, RUNS, TOKENS, GPU };
enum { HAS_ADVICE = 1, IS_FIXED = 2, HAS_FIGURES = 4, HAS_LINKS = 8 };

static const char *const names[SUBJECT_MODELS] = {"a/encoder.onnx", "a/decoder.onnx", "b/decoder.onnx", "x:y=z.onnx"};

/* ---- diff ------------------------------------------------------------------------------------------------------ */

static npart_record *record_of(const struct subject *subject, npart_inference *inference)
{
    npart_plan *plan = NULL;
    npart_advice *advice = NULL;
    npart_record *record = NULL;
    struct npart_error error;
    npart_status status = npart_plan_make(&plan, inference, fuzz_builtin_oplist(subject->choices[LIST]), NULL, NULL,
                                          &error);
    if (status == NPART_OK && subject->choices[FLAGS] & HAS_ADVICE)
        status = npart_advice_make(&advice, plan, NULL, &error);
    if (status == NPART_OK)
        status = npart_record_make(&record, plan, advice, &error);
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    npart_advice_free(advice);
    npart_plan_free(plan);
    return record;
}

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
        FUZZ_REQUIRE(cause.state && cause.kind && cause.text);
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
    FUZZ_REQUIRE(npart_report_diff_text(diffs, 2, NULL, fuzz_keep, &text, &error) == NPART_OK);
    FUZZ_REQUIRE(npart_report_diff_markdown(diffs, 2, fuzz_keep, &markdown, &error) == NPART_OK);
    FUZZ_REQUIRE(npart_report_diff_json(diffs, 1, fuzz_keep, &json, &error) == NPART_OK);
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

static void compare_models(const struct subject *subject, npart_inference *first, npart_inference *second)
{
    npart_record *before = record_of(subject, first), *after = record_of(subject, second);
    if (before)
        compare(before, before, true);
    if (before && after) {
        compare(before, after, false);
        compare(after, before, false);
    }
    npart_record_free(before);
    npart_record_free(after);
}

/* ---- place ----------------------------------------------------------------------------------------------------- */

static void report_placement(const npart_placement *placement)
{
    struct npart_placement_info info = {.size = sizeof info};
    struct fuzz_text text = {NULL, 0}, json = {NULL, 0};
    struct npart_error error;
    FUZZ_REQUIRE(npart_placement_info(placement, &info));
    for (uint32_t i = 0; i < info.part_count; i++)
        FUZZ_REQUIRE(info.parts[i]->device <= NPART_DEVICES && *info.parts[i]->why);
    for (uint32_t i = 0; i < info.link_count; i++)
        FUZZ_REQUIRE(info.links[i]->from < info.part_count && info.links[i]->to < info.part_count);
    FUZZ_REQUIRE(npart_report_placement_text(placement, NULL, fuzz_keep, &text, &error) == NPART_OK);
    FUZZ_REQUIRE(npart_report_placement_json(placement, fuzz_keep, &json, &error) == NPART_OK);
    fuzz_check_plain(&text, false);
    fuzz_check_json(&json);
    free(text.data);
    free(json.data);
}

/* An output of one model and an input of another by choice; false when there is none. */
static bool make_link(const struct subject *subject, npart_inference *const *models, unsigned count, char *link,
                      size_t bytes)
{
    struct npart_graph graph = {.size = sizeof graph};
    struct npart_value output = {.size = sizeof output}, input = {.size = sizeof input};
    unsigned from = subject_choose(subject, LINK, count), to = (from + 1) % count, at = subject->choices[LINK] / 16;
    (void)npart_model_graph(npart_inference_model(models[from]), 0, &graph);
    if (!graph.output_count ||
        !npart_inference_value(models[from], graph.outputs[at % graph.output_count], &output))
        return false;
    (void)npart_model_graph(npart_inference_model(models[to]), 0, &graph);
    if (!graph.input_count || !npart_inference_value(models[to], graph.inputs[at % graph.input_count], &input))
        return false;
    (void)snprintf(link, bytes, "%s:%s=%s:%s", names[from], output.name, names[to], input.name);
    return true;
}

static void place(const struct subject *subject, npart_inference *const *models, unsigned count)
{
    struct npart_placement_options options = NPART_PLACEMENT_OPTIONS_INIT;
    uint64_t runs = UINT64_C(1) << subject_choose(subject, RUNS, 64);
    const struct npart_part_figure figures[] = {
        {names[0], runs, true, {0.5, 1, 1 << subject_choose(subject, GPU, 20)}},
        {names[count - 1], subject->choices[RUNS], false, {0, 0, 0}},
    };
    char link[512];
    const char *links[] = {link};
    struct npart_error error;
    npart_placement *placement = NULL;
    options.tokens = subject->choices[TOKENS] % 2 ? subject->choices[TOKENS] : 0;
    options.figures = figures;
    options.figure_count = subject->choices[FLAGS] & HAS_FIGURES ? count > 1 ? 2 : 1 : 0;
    options.links = links;
    options.link_count = subject->choices[FLAGS] & HAS_LINKS && make_link(subject, models, count, link, sizeof link);
    npart_status status = npart_placement_make(&placement, (const npart_inference *const *)models, count,
                                               fuzz_builtin_oplist(subject->choices[LIST]), NULL, &options, &error);
    if (status == NPART_OK)
        report_placement(placement);
    else
        fuzz_check_error(status, &error);
    npart_placement_free(placement);
}

/* ---- one input ------------------------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct subject subject;
    npart_inference *inferences[SUBJECT_MODELS] = {NULL};
    unsigned count = 0;
    subject_take(&subject, SUBJECT_MODELS, data, bytes);
    for (unsigned i = 0; i < subject.count; i++) {
        npart_model *model = subject_read(subject.models[i].data, subject.models[i].bytes, names[count], &limited);
        inferences[count] = model ? subject_infer(model, (subject.choices[FLAGS] & IS_FIXED) != 0) : NULL;
        count += inferences[count] != NULL;
        npart_model_free(model);
    }
    if (count)
        compare_models(&subject, inferences[0], inferences[count > 1]);
    if (count)
        place(&subject, inferences, count);
    for (unsigned i = 0; i < count; i++)
        npart_inference_free(inferences[i]);
    FUZZ_REQUIRE(live_bytes == 0);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return subject_mutate(SUBJECT_MODELS, data, size, max_size, seed);
}
