/* SPDX-License-Identifier: Apache-2.0
 *
 * Names that were meant by one that is none.
 */
#include <stdio.h>

#include "base/base.h"
#include "support/test.h"

static const char *near(const char *wanted, const char *const *names, size_t count)
{
    static char text[64];
    (void)npart_nearest_name(wanted, names, count, text, sizeof text);
    return text;
}

static void test_nearest__one(void)
{
    static const char *const names[] = {"batch", "sequence", "past_sequence_length", NULL, "", "batch"};
    const size_t count = sizeof names / sizeof names[0];
    CHECK_TEXT(near("bacth", names, count), "batch");
    CHECK_TEXT(near("BATCH", names, count), "batch");
    CHECK_TEXT(near("seqence", names, count), "sequence");
    CHECK_TEXT(near("past", names, count), "past_sequence_length");
    CHECK_TEXT(near("height", names, count), "");
    CHECK_TEXT(near("x", names, count), "");
    CHECK_TEXT(near("", names, count), "");
    CHECK_TEXT(near("se", names, count), "sequence");
    CHECK_TEXT(near("batch", NULL, count), "");
}

static void test_nearest__several(void)
{
    static const char *const names[] = {"v68", "v69", "v73", "v75", "sm8550"};
    CHECK_TEXT(near("v70", names, 5), "v73 or v75");
    CHECK_TEXT(near("v7", names, 5), "v73 or v75");
    CHECK_TEXT(near("sm855", names, 5), "sm8550");
    CHECK_TEXT(near("sm8505", names, 5), "sm8550");
}

static void test_nearest__lengths(void)
{
    char wanted[5000], name[5000], text[16];
    const char *names[] = {name};
    memset(wanted, 'a', sizeof wanted - 1);
    memset(name, 'b', sizeof name - 1);
    wanted[sizeof wanted - 1] = name[sizeof name - 1] = '\0';
    CHECK(npart_nearest_name(wanted, names, 1, text, sizeof text) == 0);
    memset(name, 'a', sizeof name - 1);
    CHECK(npart_nearest_name(wanted, names, 1, text, sizeof text) == 0); /* no room for it in any message */
    CHECK_TEXT(text, "");
    CHECK(npart_nearest_name("bacth", (const char *const[]){"batch"}, 1, NULL, 0) == 5);
}

static void test_nearest__hints(void)
{
    struct npart__nearest nearest;
    char hint[NPART__HINT_BYTES], many[40][12];
    npart__nearest_init(&nearest, "bacth!", 5);
    CHECK_TEXT(npart__nearest_hint(&nearest, hint, sizeof hint), "");
    npart__nearest_offer(&nearest, "n");
    npart__nearest_offer(&nearest, "m");
    npart__nearest_offer(&nearest, "n");
    CHECK_TEXT(npart__nearest_hint(&nearest, hint, sizeof hint), "; there is n, m");
    npart__nearest_offer_as(&nearest, "batch", "list:batch");
    CHECK_TEXT(npart__nearest_hint(&nearest, hint, sizeof hint), "; did you mean list:batch?");
    npart__nearest_init(&nearest, "x", 1);
    for (size_t i = 0; i < 40; i++) {
        (void)snprintf(many[i], sizeof many[i], "number-%zu", i);
        npart__nearest_offer(&nearest, many[i]);
    }
    const char *text = npart__nearest_hint(&nearest, hint, sizeof hint);
    CHECK(strlen(text) < sizeof hint && strcmp(text + strlen(text) - 5, ", ...") == 0);
}

TESTS(test_nearest__one, test_nearest__several, test_nearest__lengths, test_nearest__hints)
