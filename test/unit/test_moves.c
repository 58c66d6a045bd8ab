/* SPDX-License-Identifier: Apache-2.0
 *
 * What a report says of Transposes, Casts and the like: only where they take more than a tenth of the run, with the
 * module that most of it is in.
 */
#include "npu_partition.h"
#include "support/analysis.h"
#include "support/test.h"

#include <stdlib.h>

#define LIST                                                                                                           \
    "format 1\ntarget t\nparam launch_ms 1 1 1\nparam elementwise_gops 1 1 1\nparam memory_gb_per_s 1000 1000 1000\n"  \
    "param move_gb_per_s 2 2 2\nparam cpu_element_ns 1 1 1\nparam cpu_memory_gb_per_s 1 1 1\nop Abs Cast Transpose\n"
#define IMAGE "input x float32[1,10,100,1000]\n"

static const struct {
    const char *what, *model, *line; /* line: NULL: nothing is said */
} rows[] = {
    /* 1,000,000 elements of 2 bytes, read and written at 2 GB/s; all of it 1 ms of a launch more */
    {"one", IMAGE "node t = Transpose(x) perm=[0,1,3,2] @/encoder/layers.0/attn/Transpose\noutput t\n",
     "  Moves      1 Transpose: ~2.0 ms of ~3.0 ms; most in `encoder.layers.*.attn`.\n"
     "             No known step removes them\n"},
    {"two of one module but for its number",
     IMAGE "node t = Transpose(x) perm=[0,1,3,2] @/encoder/layers.0/attn/Transpose\n"
           "node u = Transpose(t) perm=[0,2,1,3] @/encoder/layers.1/attn/Transpose\noutput u\n",
     "  Moves      2 Transposes: ~4.0 ms of ~5.0 ms; most in `encoder.layers.*.attn`.\n"
     "             No known step removes them\n"},
    {"of channels, in no module", IMAGE "node t = Transpose(x) perm=[0,2,3,1]\noutput t\n",
     "  Moves      1 Transpose between channels first and last: ~2.0 ms of ~3.0 ms.\n"
     "             Removed by one layout from end to end, channels first or last\n"},
    {"nothing", IMAGE "node t = Abs(x)\noutput t\n", NULL},
    {"a tenth at most", IMAGE "input z float32[1,1,2,100]\nnode t = Abs(x)\nnode u = Transpose(z) perm=[0,1,3,2]\n"
                              "output t\noutput u\n", NULL},
};

static void test_moves__where_they_take_a_tenth(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct analysis at;
        analysis_open(&at, rows[i].model, LIST, "t", NULL);
        char *text = text_of(at.plan, NULL, NULL);
        bool is_right = rows[i].line ? strstr(text, rows[i].line) != NULL : strstr(text, "Moves") == NULL;
        if (!is_right)
            fprintf(stderr, "  %s:\n%s", rows[i].what, text);
        CHECK(is_right);
        free(text);
        analysis_close(&at);
    }
}

TESTS(test_moves__where_they_take_a_tenth)
