/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of an action as lines of TOML, whatever stands in names.
 */
#include "npu_partition.h"

#include "support/test.h"

static void check_config(const char *command, const char *wanted)
{
    struct npart_action action = {.size = sizeof action, .command = command};
    char out[4096];
    CHECK_INT(npart_action_config(&action, out, sizeof out), strlen(wanted));
    CHECK_TEXT(out, wanted);
    CHECK_INT(npart_action_config(&action, NULL, 0), strlen(wanted));
}

static void test_action_config__targets_and_dims(void)
{
    check_config("--dim batch=1 -t hexagon:v73 --dim 'a.b=2'",
                 "targets = [\"hexagon:v73\"]\n[dims]\nbatch = 1\n\"a.b\" = 2\n");
    check_config("--dim n=..512", "[dims]\nn = \"..512\"\n");
    check_config("", "");
}

/* Each as a shell line has it, and as TOML 1.0 has it. */
static void test_action_config__names(void)
{
    check_config("--dim \"a b=1\"", "[dims]\n\"a b\" = 1\n");
    check_config("--dim 'm'\\''n=1'", "[dims]\n\"m'n\" = 1\n");
    check_config("--dim 'c\"d\\e=1'", "[dims]\n\"c\\\"d\\\\e\" = 1\n");
    check_config("--dim 'a\nb=1'", "[dims]\n\"a\\u000ab\" = 1\n");
    check_config("--dim 'a\x1b[31m=1'", "[dims]\n\"a\\u001b[31m\" = 1\n");
    check_config("--dim 'a\xe2\x80\xae""b=1'", "[dims]\n\"a\\u202eb\" = 1\n");
    check_config("--dim 'a\xf3\xa0\x80\x81""b=1'", "[dims]\n\"a\\U000e0001b\" = 1\n");
    check_config("--dim '=1'", "[dims]\n\"\" = 1\n");
}

/* TOML cannot say it, or the project file has no such option: no lines at all. */
static void test_action_config__none(void)
{
    char longer[2100] = "--dim ";
    check_config("--dim 'a\xff=1'", "");
    check_config("--dim a=1 --level off", "");
    check_config("--dim a", "");
    memset(longer + 6, 'a', 1024);
    (void)snprintf(longer + 6 + 1024, 16, "=1");
    check_config(longer, "");
}

TESTS(test_action_config__targets_and_dims, test_action_config__names, test_action_config__none)
