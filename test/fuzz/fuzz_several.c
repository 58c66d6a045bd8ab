/* SPDX-License-Identifier: Apache-2.0
 *
 * Several models: on which device each of them runs best. Choices and up to four models (fuzz/subject.h), whose
 * mutations make some of them changed copies of others.
 */
#include "fuzz/fuzz.h"
#include "fuzz/subject.h"

static size_t live_bytes;
static const struct npart_allocator limited = {fuzz_allocate, NULL, fuzz_release, &live_bytes};

/* By choice; choice 0 is the number of models. */
enum { LIST = 1, FLAGS, LINK, RUNS, TOKENS, GPU };
enum { IS_FIXED = 2, HAS_FIGURES = 4, HAS_LINKS = 8 };

static const char *const names[SUBJECT_MODELS] = {"a/encoder.onnx", "a/decoder.onnx", "b/decoder.onnx", "x:y=z.onnx"};

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
    FUZZ_REQUIRE(npart_report(OF_PLACEMENT(placement), NPART_FORMAT_TEXT, NULL, fuzz_keep, &text, &error) == NPART_OK);
    FUZZ_REQUIRE(npart_report(OF_PLACEMENT(placement), NPART_FORMAT_JSON, NULL, fuzz_keep, &json, &error) == NPART_OK);
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
