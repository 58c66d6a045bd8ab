/* SPDX-License-Identifier: Apache-2.0
 *
 * Which kernels releases of ONNX Runtime have.
 */
#include "release/release.h"
#include "support/test.h"

static const struct {
    const char *domain, *name;
    int since;
} rows[] = {
#define KERNEL(name, since, ...) {"", name, since},
#define CONTRIB(name, since, ...) {"com.microsoft", name, since},
#include "release/kernels.def"
};

/* They are looked up by halving. */
static void test_runtime__kernels_are_sorted_and_of_the_standard(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct npart__operator *op = npart__operator_find(rows[i].domain, rows[i].name, rows[i].since);
        int order = i ? strcmp(rows[i - 1].domain, rows[i].domain) : -1;
        if (order == 0)
            order = strcmp(rows[i - 1].name, rows[i].name);
        CHECK(order < 0 || (order == 0 && rows[i - 1].since < rows[i].since));
        CHECK(op && op->since == rows[i].since);
    }
}

static bool exists(enum npart__release release, const char *name, int since, int element_type)
{
    return npart__kernel_exists(release, npart__operator_find("", name, since), element_type);
}

static void test_runtime__kernels_by_type(void)
{
    enum npart__release newest = NPART__RELEASE_NEWEST;
    CHECK(exists(newest, "Reciprocal", 13, 1) && exists(newest, "Reciprocal", 13, 11));
    CHECK(!exists(newest, "Reciprocal", 13, 10) && !exists(newest, "Reciprocal", 13, 16));
    CHECK(exists(newest, "Max", 12, 10) && !exists(newest, "Max", 8, 10));
    CHECK(!exists(newest, "HardSwish", 14, 1) && !exists(newest, "CastLike", 15, 1));
    CHECK(exists(newest, "Add", 14, 0)); /* not known: any */
    /* A row holds for later versions up to the next one, which may end it. */
    CHECK(exists(newest, "Abs", 6, 1) && exists(newest, "Abs", 13, 1) && !exists(newest, "Abs", 1, 1));
    CHECK(exists(newest, "Upsample", 9, 1) && !exists(newest, "Upsample", 10, 1));
    CHECK(!exists(newest, "Acos", 7, 11) && exists(newest, "Acos", 22, 1));
}

static void test_runtime__kernels_by_release(void)
{
    CHECK(!exists(NPART__RELEASE_1_24, "Range", 27, 7));
    CHECK(exists(NPART__RELEASE_1_30, "Range", 27, 7) && exists(NPART__RELEASE_1_31, "Range", 27, 7));
    struct npart__operator kernel;
    struct npart__operand operand;
    const struct npart__operator *where = npart__operator_find("", "Where", 16);
    CHECK(npart__operator_input(where, 1, &operand));
    CHECK(npart__kernel_find(NPART__RELEASE_1_30, where, &kernel) && !npart__kernel_takes(&kernel, &operand, 3));
    CHECK(npart__kernel_find(NPART__RELEASE_1_31, where, &kernel) && npart__kernel_takes(&kernel, &operand, 3));
    CHECK(npart__kernel_takes(&kernel, &operand, 1) && !npart__kernel_takes(&kernel, &operand, 10));
}

static void test_runtime__found_by_name_and_version(void)
{
    const struct npart__runtime *newest = npart__runtime_find("onnxruntime", NULL);
    CHECK(newest && newest->release == NPART__RELEASE_NEWEST);
    CHECK(npart__runtime_find("onnxruntime", "1.24")->release == NPART__RELEASE_1_24);
    CHECK(npart__runtime_find("onnx", NULL)->knows == NPART__KNOWLEDGE_ONNX);
    CHECK(!npart__runtime_find("onnxruntime", "1.29") && !npart__runtime_find("tflite", NULL));
}

static const struct {
    const char *op;
    struct npart__applies applies;
} rewrites[] = {
#define NPART_LEVEL_BASIC 0
#define NEVER(op, ...) {op, NPART__APPLIES(__VA_ARGS__)},
#define SIZE(op, ...) {op, NPART__APPLIES(__VA_ARGS__)},
#define WRITE(op, second, ...) {op, NPART__APPLIES(__VA_ARGS__)},
#define PASS(op, holds, fate, ...) {op, NPART__APPLIES(__VA_ARGS__)},
#define CANCEL(op, ...) {op, NPART__APPLIES(__VA_ARGS__)},
#define JOIN(op, newest, zeros, ...) {op, NPART__APPLIES(__VA_ARGS__)},
#define MERGE(first, second, stays, fits, ...) {second, NPART__APPLIES(__VA_ARGS__)},
#include "onnxruntime/rewrites.def"
};

static void test_runtime__rewrites_are_of_the_standard(void)
{
    for (size_t i = 0; i < sizeof rewrites / sizeof *rewrites; i++) {
        CHECK(npart__operator_find("", rewrites[i].op, INT32_MAX) != NULL);
        CHECK(rewrites[i].applies.first <= rewrites[i].applies.last);
        CHECK(!npart__is_on(rewrites[i].applies, 1, rewrites[i].applies.first));
    }
}

static void test_runtime__kernels_of_com_microsoft(void)
{
    const struct npart__operator *gelu = npart__operator_find("com.microsoft", "Gelu", 1);
    const struct npart__operator *group = npart__operator_find("com.microsoft", "GroupNorm", 1);
    const struct npart__operator *gated = npart__operator_find("com.microsoft", "GatedAdd", 1);
    struct npart__operator kernel;
    CHECK(npart__kernel_exists(NPART__RELEASE_NEWEST, gelu, 1));
    CHECK(!npart__kernel_exists(NPART__RELEASE_NEWEST, gelu, 10));
    CHECK(!npart__kernel_find(NPART__RELEASE_NEWEST, group, &kernel));
    CHECK(!npart__kernel_find(NPART__RELEASE_1_24, gated, &kernel) &&
          npart__kernel_find(NPART__RELEASE_1_30, gated, &kernel));
    CHECK(!npart__kernel_find(NPART__RELEASE_NEWEST, npart__operator_find("ai.onnx.ml", "Scaler", 1), &kernel));
}

TESTS(test_runtime__found_by_name_and_version, test_runtime__rewrites_are_of_the_standard,
      test_runtime__kernels_are_sorted_and_of_the_standard, test_runtime__kernels_by_type,
      test_runtime__kernels_by_release, test_runtime__kernels_of_com_microsoft)
