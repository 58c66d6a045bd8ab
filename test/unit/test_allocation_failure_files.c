/* SPDX-License-Identifier: Apache-2.0
 *
 * Every allocation of the calls that read and write files fails once (support/failing.h): fix, split, annotate, and
 * lists made from a table.
 */
#if !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700
#endif
#include <dirent.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "support/failing.h"
#include "support/fixed_cache.h"
#include "support/subjects.h"
#include "support/test.h"

/* What the target lacks is rewritten: patterns, functions, a branch that is taken always, a loop that is unrolled. */
static const char mended[] =
    "opset 17\n"
    "graph this\nnode f = Add(x, w)\noutput f float32[2,4]\nend\n"
    "graph that\nnode g = Mul(x, w)\noutput g float32[2,4]\nend\n"
    "input x float32[2,4]\ninit w float32[4]\ninit sure bool[] = 1\ninit wide float32[4,8]\n"
    "node k = If(sure) then_branch=graph this else_branch=graph that @either\n"
    "node n = IsNaN(k) @check\nnode m = Not(n)\nnode c = Celu(k) @celu\nnode d = Where(m, c, k)\n"
    "node p = Gemm(d, wide) @product\nnode y = Relu(p) @last\noutput y float32[2,8]\n";
static const char mended_list[] = "format 1\ntarget small\nop Relu Not Equal Where Div Elu Mul Add MatMul\n";

/* Sizes that are open, declared values, a call whose nodes run on both sides, what is folded, and bodies. */
static const char parts[] =
    "opset 17\nopset my 1\n"
    "function my:F(a) -> (b)\nopset 17\nnode t = Erf(a)\nnode b = Mul(t, a)\nend\n"
    "function my:G(a) -> (b)\nopset 17\nnode b = Mul(a, a)\nend\n"
    "graph inner\nnode q = Mul(b, w) @in\noutput q float32[n,8]\nend\n"
    "graph other\ninit w float32[1] = 2\nnode r = Add(b, w)\noutput r float32[n,8]\nend\n"
    "input x float32[n,8]\ninput c bool[]\ninit w float32[1] = 1\nvalue a float32[n,8]\nvalue h float32[n,8]\n"
    "node k = Neg(w) @constant\nnode a = Mul(x, k) @first\nnode s = Shape(a) @size\nnode b = Erf(a) @middle\n"
    "node d = If(c) then_branch=graph inner else_branch=graph other @either\nnode i = Identity(d) @same\n"
    "node e = Mul(i, k) @last\nnode g = my:F(e) @call\nnode h = my:G(g) @whole\nnode l = Sin(h) @side\n"
    "node m = Cos(e) @other\nnode o = Mul(l, m)\nnode f = Reshape(o, s) @shaped\noutput f\noutput a\n";
static const char parts_list[] = "format 1\ntarget small\nop Mul Neg Relu Reshape Shape\n";

static char folder[64], model_path[96], out_path[96];

static npart_status fix(struct scene *scene, npart_fix **out, const struct npart_fix_options *more,
                        struct npart_error *error)
{
    struct npart_fix_options options = *more;
    const char *const targets[] = {NULL};
    options.allocator = &scene->counted.allocator;
    options.allowed = ~0u;
    options.most_growth = -1;
    return npart_fix_make(out, model_path, &scene->planned, targets, 1, &options, error);
}

static npart_status fix_and_report(struct scene *scene, struct npart_error *error)
{
    static const struct npart_fix_options options = NPART_FIX_OPTIONS_INIT;
    struct npart_document_options document_options = NPART_DOCUMENT_OPTIONS_INIT;
    npart_document *document = NULL;
    npart_fix *found = NULL;
    document_options.allocator = &scene->counted.allocator;
    npart_status status = fix(scene, &found, &options, error);
    if (status == NPART_OK)
        status = npart_report(OF_FIX(found, out_path), NPART_FORMAT_TEXT, NULL, sum_up, scene, error);
    if (status == NPART_OK)
        status = npart_report(OF_FIX(found, NULL), NPART_FORMAT_JSON, NULL, sum_up, scene, error);
    if (status == NPART_OK)
        status = npart_document_start(&document, NPART_FORMAT_HTML, &document_options, sum_up, scene, error);
    if (status == NPART_OK)
        status = npart_document_add_fix(document, found, out_path, error);
    if (status == NPART_OK)
        status = npart_document_end(document, error);
    npart_document_free(document);
    npart_fix_free(found);
    return status;
}

static npart_status fix_and_write(struct scene *scene, struct npart_error *error)
{
    static const struct npart_fix_options options = NPART_FIX_OPTIONS_INIT;
    npart_fix *found = NULL;
    npart_status status = fix(scene, &found, &options, error);
    if (status == NPART_OK)
        status = npart_fix_write(found, out_path, NPART_WEIGHTS_EXTERNAL, error);
    npart_fix_free(found);
    return status;
}

/* Sizes and values that the written model has. */
static npart_status fix_bound(struct scene *scene, struct npart_error *error)
{
    static const double numbers[] = {1};
    static const struct npart_bound_value value = {.input = "c", .numbers = numbers, .count = 1};
    static const struct npart_dim_binding dim = {.name = "n", .size = 8};
    struct npart_inference_options sizes = NPART_INFERENCE_OPTIONS_INIT;
    struct npart_fix_options options = NPART_FIX_OPTIONS_INIT;
    npart_fix *found = NULL;
    sizes.dims = &dim;
    sizes.dim_count = 1;
    options.sizes = &sizes;
    options.values = &value;
    options.value_count = 1;
    npart_status status = fix(scene, &found, &options, error);
    if (status == NPART_OK)
        status = npart_fix_write(found, out_path, NPART_WEIGHTS_STAY, error);
    npart_fix_free(found);
    return status;
}

/* A decoder whose cache grows, with weights that go into a file of their own. */
static const char decoder_lines[] =
    "opset 17\ninput ids int64[1,new]\ninput past_k float32[1,1,past,8]\ninit first int64[] = 0\n"
    "init step int64[] = 1\ninit axis int64[] = 2\n"
    "init closed float32[] = -10000\ninit open float32[] = 0\ninit last int64[1] = 1\ninit head int64[1] = 1\n"
    "node shape = Shape(past_k)\nnode before = Gather(shape, axis)\nnode ids_shape = Shape(ids)\n"
    "node tokens = Gather(ids_shape, step)\nnode slots = Add(before, tokens)\n"
    "node positions = Range(before, slots, step)\nnode slot = Range(first, slots, step)\n"
    "node row = Unsqueeze(positions, last)\nnode later = Greater(slot, row)\n"
    "node causal = Where(later, closed, open)\nnode word = Gather(words, ids)\n"
    "node place = Gather(places, positions)\n"
    "node x = Add(word, place)\nnode query = Unsqueeze(x, head)\nnode key = Concat(past_k, query) axis=2 @join\n"
    "node turned = Transpose(key) perm=[0,1,3,2]\nnode products = MatMul(query, turned)\n"
    "node scores = Add(products, causal)\nnode weights = Softmax(scores) axis=-1\n"
    "node mixed = MatMul(weights, key)\nnode y = Squeeze(mixed, head)\noutput y float32[1,new,8]\n"
    "output key float32[1,1,length,8]\n";
static const char decoder_list[] = "format 1\ntarget small\nop Add Concat Gather MatMul Softmax Squeeze Transpose "
                                   "Unsqueeze Where\n";

/* With elements of its tables, without which these are elsewhere; free it. */
static char *decoder_text(void)
{
    enum { WORDS = 100 * 8, PLACES = 64 * 8 };
    static const char number[] = " 1";
    char *text = malloc(sizeof decoder_lines + (WORDS + PLACES) * (sizeof number - 1) + 100);
    REQUIRE(text);
    size_t at = (size_t)sprintf(text, "%s", decoder_lines);
    const char *const tables[] = {"words", "places"};
    for (size_t i = 0; i < 2; i++) {
        unsigned count = i ? PLACES : WORDS;
        at += (size_t)sprintf(text + at, "init %s float32[%u,8] =", tables[i], count / 8);
        for (unsigned k = 0; k < count; k++)
            at += (size_t)sprintf(text + at, "%s", number);
        at += (size_t)sprintf(text + at, "\n");
    }
    return text;
}

static uint32_t count_files(const char *path)
{
    uint32_t count = 0;
    DIR *opened = opendir(path);
    for (struct dirent *entry; opened && (entry = readdir(opened)) != NULL;)
        count += entry->d_name[0] != '.' || entry->d_name[strspn(entry->d_name, ".")] != 0;
    if (opened)
        (void)closedir(opened);
    return count;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status, (void)kind, (void)at;
    return remove(path);
}

/* All of a set's files are there, or none. */
static npart_status write_set(const npart_fix *const *fixes, uint32_t *files, struct npart_error *error)
{
    npart_status status = npart_fix_write_set(fixes, 2, out_path, NPART_WEIGHTS_STAY, error);
    *files = count_files(out_path);
    CHECK_INT(*files, status == NPART_OK ? 4 : 0);
    (void)nftw(out_path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return status;
}

static npart_status make_set(struct scene *scene, npart_fix **fixes, struct npart_error *error)
{
    struct npart_fix_options options = NPART_FIX_OPTIONS_INIT;
    npart_status status = NPART_OK;
    options.keep_bytes = 1024;
    options.cache_slots = 16;
    for (uint32_t i = 0; i < 2 && status == NPART_OK; i++) {
        options.cache_tokens = 1 + 3 * i;
        status = fix(scene, &fixes[i], &options, error);
    }
    return status;
}

static npart_status fix_set(struct scene *scene, struct npart_error *error)
{
    npart_fix *fixes[2] = {NULL};
    uint32_t files;
    npart_status status = make_set(scene, fixes, error);
    if (status == NPART_OK)
        status = write_set((const npart_fix *const *)fixes, &files, error);
    npart_fix_free(fixes[0]);
    npart_fix_free(fixes[1]);
    return status;
}

static npart_status fix_windows(struct scene *scene, struct npart_error *error)
{
    struct npart_fix_options options = NPART_FIX_OPTIONS_INIT;
    npart_fix *made = NULL;
    options.keep_bytes = 1024;
    options.cache_slots = 16;
    options.cuts_windows = true;
    npart_status status = fix(scene, &made, &options, error);
    npart_fix_free(made);
    return status;
}

/* A decoder whose cache is given a fixed size, for both of its uses. */
static npart_status place_decoder(struct scene *scene, struct npart_error *error)
{
    struct npart_read_options read = NPART_READ_OPTIONS_INIT;
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    npart_placement *placement = NULL;
    read.allocator = &scene->counted.allocator;
    npart_status status = npart_model_read_file(&model, model_path, &read, error);
    if (status == NPART_OK)
        status = npart_inference_make(&inference, model, NULL, error);
    if (status == NPART_OK)
        status = npart_placement_make(&placement, (const npart_inference *const *)&inference, 1, scene->planned, NULL,
                                      NULL, error);
    struct npart_subject of = {.size = sizeof of, .kind = NPART_SUBJECT_PLACEMENT, .placement = placement};
    if (status == NPART_OK)
        status = npart_report(&of, NPART_FORMAT_TEXT, NULL, sum_up, scene, error);
    if (status == NPART_OK)
        status = npart_report(&of, NPART_FORMAT_JSON, NULL, sum_up, scene, error);
    npart_placement_free(placement);
    npart_inference_free(inference);
    npart_model_free(model);
    return status;
}

static npart_status split(struct scene *scene, struct npart_error *error)
{
    return npart_plan_split(scene->plan, model_path, out_path, NPART_WEIGHTS_EXTERNAL, error);
}

static npart_status annotate(struct scene *scene, struct npart_error *error)
{
    const npart_plan *const plans[] = {scene->plan, scene->plan};
    return npart_plan_annotate(plans, 2, model_path, out_path, NPART_WEIGHTS_STAY, error);
}

static void try_call(const struct tried_call *call, const char *model, const char *list)
{
    struct scene scene = {.printed = 0};
    npart_oplist *oplist = NULL;
    bool is_wrong = false;
    (void)snprintf(folder, sizeof folder, "/tmp/npart-failing-XXXXXX");
    REQUIRE(mkdtemp(folder));
    (void)snprintf(model_path, sizeof model_path, "%s/model.onnx", folder);
    (void)snprintf(out_path, sizeof out_path, "%s/out", folder);
    REQUIRE(npart_oplist_read_memory(&oplist, list, strlen(list), "list", NULL, NULL) == NPART_OK);
    scene_init(&scene, true);
    scene.bytes = model_from_text(model);
    scene.planned = oplist;
    FILE *file = fopen(model_path, "wb");
    REQUIRE(file && fwrite(scene.bytes.data, 1, scene.bytes.size, file) == scene.bytes.size && fclose(file) == 0);
    forget_places();
    CHECK(fail_each(&scene, call, &is_wrong) > 0 && !is_wrong);
    bytes_free(&scene.bytes);
    npart_oplist_free(oplist);
    CHECK_INT(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void test_allocation_failure_files__fix(void)
{
    static const struct tried_call reported = {"fix, reported", NOTHING, fix_and_report};
    static const struct tried_call written = {"fix, written", NOTHING, fix_and_write};
    static const struct tried_call windows = {"fix with caches of windows", NOTHING, fix_windows};
    static const struct tried_call bound = {"fix with sizes and values", NOTHING, fix_bound};
    static const char open[] = "opset 17\n"
                               "graph this\nnode f = Add(x, w)\noutput f float32[n,4]\nend\n"
                               "graph that\nnode g = Mul(x, w)\noutput g float32[n,4]\nend\n"
                               "input x float32[n,4]\ninput c bool[]\ninit w float32[4]\n"
                               "node k = If(c) then_branch=graph this else_branch=graph that @either\n"
                               "node v = IsNaN(k) @check\nnode y = Not(v)\noutput y bool[n,4]\n";
    try_call(&reported, mended, mended_list);
    try_call(&written, mended, mended_list);
    try_call(&bound, open, mended_list);
    try_call(&windows, window_decoder, mended_list);
}

/* No file may be longer than a limit, so that writing fails in each of them, and at last in none. */
static void test_allocation_failure_files__set_writes(void)
{
    struct scene scene = {.printed = 0};
    npart_oplist *oplist = NULL;
    npart_fix *fixes[2] = {NULL};
    struct npart_error error;
    struct rlimit before, limit;
    char *decoder = decoder_text();
    uint32_t files = 0, failures = 0;
    (void)snprintf(folder, sizeof folder, "/tmp/npart-failing-XXXXXX");
    REQUIRE(mkdtemp(folder));
    (void)snprintf(model_path, sizeof model_path, "%s/model.onnx", folder);
    (void)snprintf(out_path, sizeof out_path, "%s/out", folder);
    REQUIRE(npart_oplist_read_memory(&oplist, decoder_list, strlen(decoder_list), "list", NULL, NULL) == NPART_OK);
    scene_init(&scene, true);
    scene.bytes = model_from_text(decoder);
    scene.planned = oplist;
    FILE *file = fopen(model_path, "wb");
    REQUIRE(file && fwrite(scene.bytes.data, 1, scene.bytes.size, file) == scene.bytes.size && fclose(file) == 0);
    REQUIRE(make_set(&scene, fixes, &error) == NPART_OK);
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0 && signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    limit = before;
    for (limit.rlim_cur = 0; !files && limit.rlim_cur < 100000; limit.rlim_cur += 500) {
        REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
        npart_status status = write_set((const npart_fix *const *)fixes, &files, &error);
        REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
        CHECK(status == NPART_OK || status == NPART_ERROR_WRITE);
        failures += status != NPART_OK;
    }
    CHECK_INT(files, 4);
    CHECK(failures > 10);
    (void)signal(SIGXFSZ, SIG_DFL);
    npart_fix_free(fixes[0]);
    npart_fix_free(fixes[1]);
    bytes_free(&scene.bytes);
    npart_oplist_free(oplist);
    free(decoder);
    CHECK_INT(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void test_allocation_failure_files__set(void)
{
    char *decoder = decoder_text();
    static const struct tried_call set = {"fix, several files", NOTHING, fix_set};
    static const struct tried_call placed = {"place", NOTHING, place_decoder};
    try_call(&set, decoder, decoder_list);
    try_call(&placed, decoder, decoder_list);
    free(decoder);
}

static void test_allocation_failure_files__parts(void)
{
    static const struct tried_call splits = {"split", PLAN, split}, notes = {"annotate", PLAN, annotate};
    try_call(&splits, parts, parts_list);
    try_call(&notes, parts, parts_list);
}

TESTS(test_allocation_failure_files__fix, test_allocation_failure_files__set,
      test_allocation_failure_files__set_writes, test_allocation_failure_files__parts)
