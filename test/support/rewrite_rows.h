/* SPDX-License-Identifier: Apache-2.0
 *
 * The frame of tests that are rows: a rewrite, a model, and what comes of it.
 */
#ifndef TEST_REWRITE_ROWS_H
#define TEST_REWRITE_ROWS_H

#include "base/base.h"
#include "support/rewrite_text.h"
#include "support/test.h"

/* "same": a precondition does not hold. */
struct row {
    const char *rewrites, *model, *result;
};

static inline void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *text = rewritten_by(rows[i].model, rows[i].rewrites);
        CHECK_TEXT(text, rows[i].result);
        free(text);
    }
}

/* A test of a table of rows, which has its name: ROWS_OF(forms, pools) is test_rewrite_forms__pools. */
#define ROWS_OF(file, table)                                                                                           \
    static void test_rewrite_##file##__##table(void)                                                                   \
    {                                                                                                                  \
        check_rows(table, NPART__COUNT(table));                                                                        \
    }

#endif
