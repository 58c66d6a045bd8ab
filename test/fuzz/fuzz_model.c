/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes as a model, from memory and through a stream; where it is one, the whole way to the reports. The first byte
 * 0xff says that choices of the generator follow (fuzz/subject.h). Both kinds have mutations of their own.
 */
#include "fuzz/fuzz.h"
#include "fuzz/subject.h"

/* ---- one input ------------------------------------------------------------------------------------------------ */

static size_t live_bytes;
static const struct npart_allocator limited = {fuzz_allocate, NULL, fuzz_release, &live_bytes};

struct stream {
    const uint8_t *data;
    size_t rest, piece;
};

static ptrdiff_t read_piece(void *payload, void *into, size_t bytes)
{
    struct stream *stream = payload;
    size_t most = stream->piece = stream->piece * 3 % 1021 + 1;
    bytes = bytes < most ? bytes : most;
    bytes = bytes < stream->rest ? bytes : stream->rest;
    if (bytes)
        memcpy(into, stream->data, bytes);
    stream->data += bytes;
    stream->rest -= bytes;
    return (ptrdiff_t)bytes;
}

/* A target of nearly everything, control flow included, so that partitions are many and large. */
static const npart_oplist *most_ops(void)
{
    static const char text[] =
        "format 1\ntarget most\nbodies own\nlayout nhwc Conv MaxPool\nthrough Add Relu\n"
        "param launch_ms 1 2 3 \"made up\"\nparam copy_gb_per_s 1 2 3 \"made up\"\n"
        "op Add Cast Concat Constant Conv DequantizeLinear Div Gather Gemm If Loop MatMul MaxPool Mul QuantizeLinear\n"
        "op Relu Reshape Scan Shape Slice\n  need rank(inputs) <= 3 \"three axes\"\n"
        "op Softmax Split Sub Transpose Unsqueeze\n  need static(*) \"fixed sizes\" else fail\n";
    static npart_oplist *oplist;
    if (!oplist)
        FUZZ_REQUIRE(npart_oplist_read_memory(&oplist, text, sizeof text - 1, "most.ops", NULL, NULL) == NPART_OK);
    return oplist;
}

static npart_plan *plan_of(npart_inference *inference, const npart_oplist *oplist, enum npart_level level,
                           const char *partitioner)
{
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    struct npart_error error;
    npart_plan *plan = NULL;
    options.level = level;
    options.partitioner = partitioner;
    npart_status status = npart_plan_make(&plan, inference, oplist, NULL, &options, &error);
    FUZZ_REQUIRE((status == NPART_OK) == (plan != NULL));
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    else
        fuzz_check_plan(plan);
    return plan;
}

static void analyse(npart_model *model, size_t choice)
{
    static const char *const partitioners[] = {"connected", "openvino", "prefix", "runs", "single", "waves", "whole"};
    npart_inference *open = NULL, *fixed = NULL;
    const npart_oplist *chosen = fuzz_builtin_oplist(choice / 14);
    struct npart_error error;
    struct fuzz_text shapes = {NULL, 0}, work = {NULL, 0};
    npart_status status = npart_inference_make(&open, model, NULL, &error);
    if (status != NPART_OK) {
        fuzz_check_error(status, &error);
        return;
    }
    if (npart_report(OF_SHAPES(open), NPART_FORMAT_JSON, NULL, fuzz_keep, &shapes, &error) == NPART_OK)
        fuzz_check_json(&shapes);
    free(shapes.data);
    if (npart_report(OF_WORK(open), NPART_FORMAT_JSON, NULL, fuzz_keep, &work, &error) == NPART_OK)
        fuzz_check_json(&work);
    free(work.data);
    status = npart_inference_make_fixed(&fixed, open, &error);
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    npart_plan *plan = plan_of(open, chosen, NPART_LEVEL_BASIC, NULL);
    npart_plan *plan_fixed = fixed ? plan_of(fixed, chosen, NPART_LEVEL_BASIC, NULL) : NULL;
    npart_plan *plan_off = plan_of(open, most_ops(), choice % 2 ? NPART_LEVEL_OFF : NPART_LEVEL_BASIC,
                                   partitioners[choice % (sizeof partitioners / sizeof partitioners[0])]);
    if (plan)
        fuzz_report(plan, plan_fixed);
    if (plan_off)
        fuzz_report(plan_off, NULL);
    npart_plan_free(plan_off);
    npart_plan_free(plan_fixed);
    npart_plan_free(plan);
    npart_inference_free(fixed);
    npart_inference_free(open);
}

static void run_model(const uint8_t *data, size_t bytes)
{
    npart_model *model = NULL, *streamed = NULL;
    struct npart_error error, other;
    struct stream stream = {data, bytes, 7};
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    options.allocator = &limited;
    npart_status status = npart_model_read_memory(&model, data, bytes, &options, &error);
    npart_status again = npart_model_read_stream(&streamed, read_piece, &stream, &options, &other);
    FUZZ_REQUIRE(status == again && (status == NPART_OK) == (model != NULL));
    FUZZ_REQUIRE(status != NPART_ERROR_ARGUMENT && status != NPART_ERROR_WRITE && status != NPART_ERROR_READ);
    npart_model_free(streamed);
    if (status == NPART_OK)
        analyse(model, bytes);
    else
        fuzz_check_error(status, &error);
    npart_model_free(model);
    FUZZ_REQUIRE(live_bytes == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct bytes model = subject_file(data, bytes);
    run_model(model.data, model.size);
    bytes_free(&model);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return subject_mutate_model(data, size, max_size, seed);
}
