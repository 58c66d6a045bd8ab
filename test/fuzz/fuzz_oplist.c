/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes as an op list; where it is one, its support table, and plans by it for a model with a bit of everything.
 */
#include "fuzz/fuzz.h"
#include "support/model_text.h"

static const char model_lines[] =
    "opset 17\n"
    "opset com.microsoft 1\n"
    "opset my 1\n"
    "input x float32[1,3,8,8]\n"
    "input s float32[batch,16]\n"
    "input u float32\n"
    "input flag bool[]\n"
    "init w float32[4,3,3,3]\n"
    "init scale float32[] = 0.5\n"
    "init zero uint8[] = 3\n"
    "init shape int64[2] = 1 -1\n"
    "graph yes\n"
    "node t = Relu(s)\n"
    "output t float32[batch,16]\n"
    "end\n"
    "graph no\n"
    "node e = Neg(s)\n"
    "output e float32[batch,16]\n"
    "end\n"
    "function my:F(a) -> (b) k\n"
    "opset 17\n"
    "node b = LeakyRelu(a) alpha=0.5\n"
    "end\n"
    "node c = Conv(x, w) pads=[1,1,1,1] strides=[1,1] @conv1\n"
    "node q = QuantizeLinear(c, scale, zero)\n"
    "node d = DequantizeLinear(q, scale, zero)\n"
    "node p = MaxPool(d) kernel_shape=[2,2] strides=[2,2]\n"
    "node r = Reshape(p, shape)\n"
    "node g = com.microsoft:Gelu(r)\n"
    "node f = my:F(g) k=2\n"
    "node m = MatMul(s, s)\n"
    "node i = If(flag) then_branch=graph yes else_branch=graph no\n"
    "node j = Softmax(i) axis=-1\n"
    "node v = Erf(u)\n"
    "node n = Shape(s)\n"
    "node l = Concat(n, shape) axis=0\n"
    "node z = Nonsense(v)\n"
    "node y, k = Split(f) axis=1 split=[2,2]\n"
    "output y\n"
    "output j\n"
    "output z\n"
    "output l\n";

static size_t live_bytes;
static const struct npart_allocator limited = {fuzz_allocate, NULL, fuzz_release, &live_bytes};

/* Made once: the model is not what is fuzzed. */
static npart_inference *small_inference(bool is_fixed)
{
    static npart_model *model;
    static npart_inference *open, *fixed;
    if (!model) {
        struct bytes bytes = model_from_text(model_lines);
        FUZZ_REQUIRE(npart_model_read_memory(&model, bytes.data, bytes.size, NULL, NULL) == NPART_OK);
        FUZZ_REQUIRE(npart_inference_make(&open, model, NULL, NULL) == NPART_OK);
        FUZZ_REQUIRE(npart_inference_make_fixed(&fixed, open, NULL) == NPART_OK && fixed);
        bytes_free(&bytes);
    }
    return is_fixed ? fixed : open;
}

static void plan_with(const npart_oplist *oplist, bool is_fixed, enum npart_level level)
{
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    struct npart_error error;
    npart_plan *plan = NULL;
    options.allocator = &limited;
    options.level = level;
    npart_status status = npart_plan_make(&plan, small_inference(is_fixed), oplist, NULL, &options, &error);
    if (status != NPART_OK) {
        fuzz_check_error(status, &error);
        return;
    }
    fuzz_check_plan(plan);
    fuzz_report(plan, NULL);
    npart_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    npart_oplist *oplist = NULL;
    struct npart_error error;
    struct fuzz_text table = {NULL, 0};
    npart_status status = npart_oplist_read_memory(&oplist, (const char *)data, bytes, "l.ops", &limited, &error);
    if (status != NPART_OK) {
        FUZZ_REQUIRE(!oplist);
        fuzz_check_error(status, &error);
        FUZZ_REQUIRE(live_bytes == 0);
        return 0;
    }
    FUZZ_REQUIRE(npart_oplist_describe(oplist, NULL, fuzz_keep, &table, &error) == NPART_OK);
    free(table.data);
    plan_with(oplist, false, NPART_LEVEL_BASIC);
    plan_with(oplist, true, NPART_LEVEL_OFF);
    npart_oplist_free(oplist);
    FUZZ_REQUIRE(live_bytes == 0);
    return 0;
}
