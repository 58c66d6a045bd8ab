/* SPDX-License-Identifier: Apache-2.0
 *
 * A model in every document and report: choices and one model (fuzz/subject.h). What is written is of its format,
 * whatever names the model has, and the same when it is written again.
 */
#include "fuzz/formats.h"
#include "fuzz/fuzz.h"
#include "fuzz/subject.h"
#include "fuzz/sweep.h"

static size_t live_bytes;
static const struct npart_allocator limited = {fuzz_allocate, NULL, fuzz_release, &live_bytes};

/* By choice; choice 0 is the number of models. */
enum { KIND = 1, DETAIL, FIRST_LIST, SECOND_LIST, FLAGS, LEVEL, PARTITIONER, WIDTH };
enum {
    HAS_SECOND = 1, HAS_ADVICE = 2, HAS_ROOT = 4, HAS_OUTCOMES = 8, IS_SUSTAINED = 16, HAS_FIXED = 32, HAS_ERROR = 64
};

typedef const char *problem_function(const char *text, size_t bytes, size_t *at);

/* By enum npart_format. */
static const struct {
    enum npart_format format;
    problem_function *problem;
} formats[] = {
    {NPART_FORMAT_SARIF, json_problem},    {NPART_FORMAT_GITHUB, text_problem}, {NPART_FORMAT_MARKDOWN, text_problem},
    {NPART_FORMAT_JUNIT, xml_problem},     {NPART_FORMAT_CSV, csv_problem},     {NPART_FORMAT_DOT, dot_problem},
    {NPART_FORMAT_SVG, xml_problem},       {NPART_FORMAT_HTML, page_problem},  {NPART_FORMAT_GITLAB, json_problem},
};
#define FORMATS (sizeof formats / sizeof formats[0])

static void require_format(const struct fuzz_text *text, problem_function *problem, bool is_text)
{
    size_t at = 0;
    const char *data = text->data ? text->data : "";
    const char *what = problem(data, text->bytes, &at);
    if (!what && is_text)
        what = text_problem(data, text->bytes, &at);
    if (what)
        fprintf(stderr, "byte %zu: %s: %.80s\n", at, what, data + (at > 40 ? at - 40 : 0));
    FUZZ_REQUIRE(!what);
}

/* ---- documents ------------------------------------------------------------------------------------------------- */

static npart_status write_document(const struct subject *subject, const struct npart_entry *entry,
                                   enum npart_format format, struct fuzz_text *text)
{
    struct npart_document_options options = NPART_DOCUMENT_OPTIONS_INIT;
    struct npart_entry unread = NPART_ENTRY_INIT;
    struct npart_error error, why = {NPART_ERROR_MALFORMED, "a tag of no field", "byte 7"};
    npart_document *document = NULL;
    options.detail = (enum npart_detail)subject_choose(subject, DETAIL, 4);
    options.root = subject->choices[FLAGS] & HAS_ROOT ? "/work" : NULL;
    options.allocator = &limited;
    npart_status status = npart_document_start(&document, format, &options, fuzz_keep, text, &error);
    if (status == NPART_OK)
        status = npart_document_add(document, entry, &error);
    unread.path = "b.onnx";
    unread.error = &why;
    if (status == NPART_OK && subject->choices[FLAGS] & HAS_ERROR)
        status = npart_document_add(document, &unread, &error);
    if (status == NPART_OK)
        status = npart_document_end(document, &error);
    npart_document_free(document);
    if (status != NPART_OK) {
        FUZZ_REQUIRE(status == NPART_ERROR_MEMORY);
        fuzz_check_error(status, &error);
    }
    return status;
}

static void check_document(const struct subject *subject, const struct npart_entry *entry, size_t at)
{
    struct fuzz_text text = {NULL, 0}, again = {NULL, 0};
    bool is_text = formats[at].format != NPART_FORMAT_HTML && formats[at].format != NPART_FORMAT_CSV;
    if (write_document(subject, entry, formats[at].format, &text) == NPART_OK) {
        require_format(&text, formats[at].problem, is_text);
        if (write_document(subject, entry, formats[at].format, &again) == NPART_OK)
            FUZZ_REQUIRE(text.bytes == again.bytes &&
                         (text.bytes == 0 || memcmp(text.data, again.data, text.bytes) == 0));
    }
    free(text.data);
    free(again.data);
}

/* ---- reports --------------------------------------------------------------------------------------------------- */

static void check_reports(const struct subject *subject, const struct npart_plan_pair *pairs, size_t count)
{
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    struct fuzz_text json = {NULL, 0}, text = {NULL, 0}, modules = {NULL, 0};
    struct npart_error error;
    options.detail = NPART_DETAIL_TENSORS;
    options.width = subject_choose(subject, WIDTH, 256);
    options.use_ascii = options.width % 2;
    options.is_verbose = options.width % 4 < 2;
    if (npart_report(OF_PLANS(pairs, count), NPART_FORMAT_JSON, &options, fuzz_keep, &json, &error) == NPART_OK)
        require_format(&json, json_problem, true);
    else
        fuzz_check_error(NPART_ERROR_MEMORY, &error);
    if (npart_report(OF_PLANS(pairs, count), NPART_FORMAT_TEXT, &options, fuzz_keep, &text, &error) == NPART_OK)
        fuzz_check_plain(&text, options.use_ascii);
    if (npart_report(OF_MODULES(pairs, count), NPART_FORMAT_TEXT, &options, fuzz_keep, &modules, &error) == NPART_OK)
        fuzz_check_plain(&modules, options.use_ascii);
    else
        fuzz_check_error(NPART_ERROR_MEMORY, &error);
    free(json.data);
    free(text.data);
    free(modules.data);
}

/* ---- one input ------------------------------------------------------------------------------------------------- */

static npart_plan *plan_of(const struct subject *subject, npart_inference *inference, unsigned list)
{
    static const char *const partitioners[] = {NULL,  "connected", "openvino", "prefix",
                                               "qnn", "runs",      "single",   "waves"};
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    struct npart_error error;
    npart_plan *plan = NULL;
    options.level = subject_choose(subject, LEVEL, 2) ? NPART_LEVEL_OFF : NPART_LEVEL_BASIC;
    options.partitioner = partitioners[subject_choose(subject, PARTITIONER, 8)];
    options.is_sustained = (subject->choices[FLAGS] & IS_SUSTAINED) != 0;
    npart_status status = npart_plan_make(&plan, inference, fuzz_builtin_oplist(list), NULL, &options, &error);
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    return plan;
}

static void tell(const struct subject *subject, const struct npart_plan_pair *pairs, size_t count)
{
    static const struct npart_threshold_outcome outcomes[] = {
        {sizeof outcomes[0], 0, false, "max-partitions", "3 partitions, threshold: at most 1", NULL, false},
        {sizeof outcomes[0], NPART_NONE, false, "valid", "not valid, \"<&>\", threshold", "known: ::error::%0A", false},
        {sizeof outcomes[0], 0, true, "min-coverage", "coverage 1, threshold: at least 0.5", NULL, false},
    };
    struct npart_entry entry = NPART_ENTRY_INIT;
    unsigned kind = subject_choose(subject, KIND, FORMATS + 2);
    entry.path = subject_choose(subject, FLAGS, 3) ? "models/a b%.onnx" : "/work/a\n::error::\"<b>.onnx";
    entry.plans = pairs;
    entry.plan_count = count;
    entry.outcomes = outcomes;
    entry.outcome_count = subject->choices[FLAGS] & HAS_OUTCOMES ? sizeof outcomes / sizeof outcomes[0] : 0;
    if (kind < FORMATS)
        check_document(subject, &entry, kind);
    else if (kind == FORMATS)
        check_reports(subject, pairs, count);
    else
        for (size_t i = 0; i < count; i++)
            sweep_plan(pairs[i].plan);
}

static void analyse(const struct subject *subject, npart_inference *open, npart_inference *fixed)
{
    struct npart_plan_pair pairs[2] = {{NULL, NULL, NULL}};
    npart_advice *advice[2] = {NULL, NULL};
    npart_plan *plans[2] = {NULL, NULL}, *fixed_plans[2] = {NULL, NULL};
    size_t count = subject->choices[FLAGS] & HAS_SECOND ? 2 : 1, made = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned list = subject->choices[i ? SECOND_LIST : FIRST_LIST];
        plans[made] = plan_of(subject, open, list);
        if (!plans[made])
            continue;
        fixed_plans[made] = fixed ? plan_of(subject, fixed, list) : NULL;
        if (subject->choices[FLAGS] & HAS_ADVICE)
            (void)npart_advice_make(&advice[made], plans[made], fixed_plans[made], NULL, 0, NULL);
        pairs[made] = (struct npart_plan_pair){plans[made], fixed_plans[made], advice[made]};
        made++;
    }
    if (made)
        tell(subject, pairs, made);
    for (size_t i = 0; i < 2; i++) {
        npart_advice_free(advice[i]);
        npart_plan_free(fixed_plans[i]);
        npart_plan_free(plans[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct subject subject;
    subject_take(&subject, 1, data, bytes);
    npart_model *model = subject_read(subject.models[0].data, subject.models[0].bytes, "m.onnx", &limited);
    npart_inference *open = model ? subject_infer(model, false) : NULL;
    npart_inference *fixed = NULL;
    if (open && subject.choices[FLAGS] & HAS_FIXED)
        (void)npart_inference_make_fixed(&fixed, open, NULL);
    if (open)
        analyse(&subject, open, fixed);
    npart_inference_free(fixed);
    npart_inference_free(open);
    npart_model_free(model);
    FUZZ_REQUIRE(live_bytes == 0);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return subject_mutate(1, data, size, max_size, seed);
}
