/* SPDX-License-Identifier: Apache-2.0
 *
 * What would mend a model where a search has found nothing.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdio.h>
#include <unistd.h>

#include "support/analysis.h"
#include "support/model_text.h"
#include "support/test.h"

static const char list[] = "format 1\ntarget t\nop Relu Mul Elu Div\n  need static: static(*) \"sizes are fixed\"\n";
static char path[64];
static const npart_oplist *oplist;
static const char *const targets[] = {"t"};

static npart_fix *search(const char *text, const struct npart_fix_options *options)
{
    npart_fix *fix = NULL;
    struct bytes bytes = model_from_text(text);
    (void)snprintf(path, sizeof path, "/tmp/npart-fix-hint-%ld.onnx", (long)getpid());
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(bytes.data, 1, bytes.size, file) == bytes.size && fclose(file) == 0);
    bytes_free(&bytes);
    REQUIRE(npart_fix_make(&fix, path, &oplist, targets, 1, options, NULL) == NPART_OK);
    return fix;
}

/* "" where there is none. */
static void check_hint(const char *text, bool with_sizes, const char *words, const char *wanted)
{
    struct npart_fix_options options = NPART_FIX_OPTIONS_INIT;
    struct npart_fix_hint hint = {.size = sizeof hint};
    npart_fix *found = search(text, &options), *fix = NULL;
    CHECK(!npart_fix_is_done(found));
    CHECK_INT(npart_fix_find_hint(&fix, &hint, found, path, &oplist, targets, 1, &options, with_sizes, NULL), NPART_OK);
    CHECK((fix != NULL) == (*wanted != '\0'));
    CHECK_TEXT(fix ? hint.words : "", words);
    CHECK_TEXT(hint.text, wanted);
    npart_fix_free(fix);
    npart_fix_free(found);
}

static void test_fix_hint__sizes_and_classes(void)
{
    static const char dynamic[] = "opset 17\ninput x float32[n,4]\nnode y = Relu(x)\noutput y float32[n,4]\n";
    static const char celu[] = "opset 17\ninput x float32[2,4]\nnode a = Relu(x)\nnode c = Celu(a) alpha=2.0\n"
                               "node y = Relu(c)\noutput y float32[2,4]\n";
    struct npart_fix_hint hint = {.size = 1};
    struct npart_fix_options options = NPART_FIX_OPTIONS_INIT;
    npart_oplist *read = NULL;
    npart_fix *fix = NULL;
    REQUIRE(npart_oplist_read_memory(&read, list, sizeof list - 1, "t", NULL, NULL) == NPART_OK);
    oplist = read;
    check_hint(dynamic, true, "--dim n=1", "t: 1 partition, 0 of 1 nodes on the CPU");
    check_hint(dynamic, false, "", "");
    check_hint(celu, true, "", "");
    check_hint(celu, false, "--allow bits-if,ulp", "t: 1 partition, 0 of 5 nodes on the CPU");
    npart_fix *found = search(celu, &options);
    CHECK_INT(npart_fix_find_hint(&fix, &hint, found, path, &oplist, targets, 1, &options, true, NULL),
              NPART_ERROR_ARGUMENT);
    npart_fix_free(found);
    CHECK(npart_fix_is_done(NULL));
    npart_oplist_free(read);
    (void)remove(path);
}

TESTS(test_fix_hint__sizes_and_classes)
