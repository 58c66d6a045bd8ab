/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes as an op list; where it is one, its support table, and plans by it for a model with a bit of everything. After
 * the byte 1 they are a cost file, after 2 a list of rewrites, which are tried at all nodes of that model.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "edit/editor.h"
#include "fuzz/fuzz.h"
#include "rewrite/rewrite.h"
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

static void read_oplist(const char *text, size_t bytes)
{
    npart_oplist *oplist = NULL;
    struct npart_error error;
    struct fuzz_text table = {NULL, 0};
    npart_status status = npart_oplist_read_memory(&oplist, text, bytes, "l.ops", &limited, &error);
    if (status != NPART_OK) {
        FUZZ_REQUIRE(!oplist);
        fuzz_check_error(status, &error);
        return;
    }
    FUZZ_REQUIRE(npart_oplist_describe(oplist, NULL, fuzz_keep, &table, &error) == NPART_OK);
    free(table.data);
    plan_with(oplist, false, NPART_LEVEL_BASIC);
    plan_with(oplist, true, NPART_LEVEL_OFF);
    npart_oplist_free(oplist);
}

/* ---- cost files ------------------------------------------------------------------------------------------------ */

static const npart_oplist *hexagon(void)
{
    static npart_oplist *oplist;
    if (!oplist)
        FUZZ_REQUIRE(npart_oplist_find(&oplist, "hexagon", NULL, NULL) == NPART_OK);
    return oplist;
}

static void read_cost(const char *text, size_t bytes)
{
    npart_oplist *oplist = NULL;
    struct npart_error error;
    npart_status status =
        npart_oplist_add_cost(&oplist, hexagon(), fuzz_file(text, bytes), &error);
    FUZZ_REQUIRE((status == NPART_OK) == (oplist != NULL));
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    else
        plan_with(oplist, true, NPART_LEVEL_BASIC);
    npart_oplist_free(oplist);
}

/* ---- rewrites -------------------------------------------------------------------------------------------------- */

static bool read_version(struct npart__arena *arena, struct npart__version *version)
{
    struct npart__source source;
    struct bytes bytes = model_from_text(model_lines);
    npart__source_open_memory(&source, bytes.data, bytes.size);
    npart_status status = npart__version_read(&source, 0, arena, version, NULL);
    npart__source_close(&source);
    bytes_free(&bytes);
    return status == NPART_OK;
}

/* What comes of it is a model, if perhaps none that works: the list may say anything. */
static void rewrite(const struct npart__rewrite *row, struct npart__arena *arena, struct npart__version *version)
{
    struct npart__graph graph;
    struct npart__inference inference;
    struct npart__infer_options options = {0};
    struct npart__editor *editor;
    struct npart_error error;
    npart_status status = npart__version_graph(version, arena, &graph, &error);
    if (status == NPART_OK)
        status = npart__infer(&graph, &options, arena, &inference, &error);
    bool *is_constant = status == NPART_OK ? npart__arena_zeroed(arena, graph.values.count + (size_t)1, 1) : NULL;
    for (uint32_t i = 0; is_constant && i < graph.values.count; i++)
        is_constant[i] = inference.facts[i].is_constant;
    if (is_constant)
        status = npart__editor_open(version, &graph, &inference, is_constant, arena, &editor, &error);
    for (uint32_t i = 0; is_constant && status == NPART_OK && i < graph.nodes.count; i++) {
        struct npart__site site;
        if (!npart__lists_op(&graph, row->anchors, i) || !npart__site_begin(editor, i, "", 0, &site))
            continue;
        if (!npart__rewrite_try(row, &site))
            npart__site_drop(&site);
        else
            (void)npart__site_keep(&site);
    }
    if (is_constant && status == NPART_OK)
        status = npart__editor_pack(editor, arena, version, &error);
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
}

static void read_rewrites(const char *text, size_t bytes)
{
    struct npart__arena arena;
    struct npart__rewrite_set set;
    struct npart__version version;
    struct npart_error error;
    npart__arena_init(&arena, &limited);
    npart_status status = npart__rewrites_read(text, bytes, "l.rewrites", &arena, &set, &error);
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    if (status == NPART_OK && read_version(&arena, &version))
        for (uint32_t i = 0; i < set.count && i < 16; i++)
            rewrite(&set.rows[i], &arena, &version);
    npart__arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const char *text = (const char *)data;
    if (bytes && data[0] == 1)
        read_cost(text + 1, bytes - 1);
    else if (bytes && data[0] == 2)
        read_rewrites(text + 1, bytes - 1);
    else
        read_oplist(text, bytes);
    FUZZ_REQUIRE(live_bytes == 0);
    return 0;
}
