/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

/* The tool's own, on the command line and the files beside models that it names. Both are the user's, so nothing of
 * them needs to be set: each is well above what a person or a program of theirs writes. */
static const struct own_limit {
    const char *name, *unit, *past, *text;
    uint64_t value;
} own_limits[] = {
    {"targets", "targets", "refused", "targets of one run", MOST_TARGETS},
    {"dims", "sizes", "refused", "--dim", MOST_DIMS},
    {"inputs", "shapes", "refused", "--input", MOST_INPUTS},
    {"input-rank", "dims", "refused", "dims of one --input", MOST_RANK},
    {"overrides", "overrides", "refused", "--assume and --assume-node", MOST_ASSUMPTIONS},
    {"cuts", "names", "refused", "--cut", MOST_CUTS},
    {"bound-inputs", "inputs", "refused", "--bind", MOST_VALUES},
    {"bound-values", "numbers", "refused", "numbers of one --bind", MOST_NUMBERS},
    {"rewrites", "ids", "refused", "--only, --not", MOST_REWRITES},
    {"figures", "parts", "refused", "--gpu, --runs", MOST_FIGURES},
    {"links", "links", "refused", "--link", MOST_LINKS},
    {"project-bytes", "bytes", "refused", "a project file, a baseline of waivers", NPART_MOST_PROJECT_BYTES},
    {"project-values", "values", "refused", "tables, arrays and values of a project file", NPART_MOST_PROJECT_VALUES},
    {"project-depth", "tables", "refused", "tables and arrays in one another", NPART_MOST_PROJECT_DEPTH},
    {"pattern-bytes", "bytes", "refused", "a pattern of files, and a path that it matches", NPART_MOST_GLOB_BYTES},
    {"pattern-depth", "folders", "refused", "folders in one another that a pattern goes into", NPART_MOST_GLOB_FOLDERS},
    {"pattern-files", "files", "refused", "files that the patterns of one run match", NPART_MOST_GLOB_FILES},
    {"pattern-entries", "entries", "refused", "entries of folders that one pattern looks at", NPART_MOST_GLOB_ENTRIES},
    {"json-bytes", "bytes", "refused", "memory that one value of a JSON file takes", NPART_MOST_JSON_BYTES},
    {"report-bytes", "bytes", "refused", "memory that the reports of one file take", NPART_MOST_REPORT_BYTES},
    {"profile-nodes", "nodes", "refused", "different nodes of a profile", NPART_MOST_RUN_NODES},
    {"profile-providers", "providers", "refused", "different providers of a profile", NPART_MOST_RUN_PROVIDERS},
    {"log-line-bytes", "bytes", "shorter", "a line of a log", NPART_MOST_RUN_LOG_LINE},
    {"runs", "runs", "refused", "lines of a table of runs", NPART_MOST_RUN_ROWS},
    {"measurements", "runs", "refused", "runs that are calibrated with", NPART_MOST_MEASUREMENTS},
    {"run-line-bytes", "bytes", "refused", "one of these lines", NPART_MOST_RUN_LINE},
};

static const char *past_word(enum npart_past past)
{
    static const char *const words[] = {"refused", "unknown", "shorter"};
    return words[past];
}

static void print_limit(struct run *run, const char *name, uint64_t value, const char *unit, const char *past,
                        const char *text)
{
    print_line(run, "  %-23s %12llu %-16s %-8s %s", name, (unsigned long long)value, unit, past, text);
}

static void print_library(struct run *run, bool is_fixed)
{
    struct npart_limit_info info = {.size = sizeof info};
    for (uint32_t i = 0; npart_limit_at(i, &info); i++)
        if (is_fixed == (info.reason != NULL))
            print_limit(run, info.name, info.value, info.unit, past_word(info.past), info.text);
}

void list_limits(struct run *run)
{
    print_line(run, "Of models, set by --limit NAME=N (what is past it is refused, unknown, or told shorter)");
    print_library(run, false);
    print_line(run, "%s", "");
    print_line(run, "Of op lists, and of how hard something is tried: fixed");
    print_library(run, true);
    print_line(run, "%s", "");
    print_line(run, "Of the command line and the files that it names: fixed");
    for (size_t i = 0; i < sizeof own_limits / sizeof own_limits[0]; i++) {
        const struct own_limit *own = &own_limits[i];
        print_limit(run, own->name, own->value, own->unit, own->past, own->text);
    }
}

/* A name that cannot be set, or is none. */
static bool complain_of_name(const char *value, const char *name)
{
    char near[96] = "", text[320];
    const char *names[256];
    size_t count = 0;
    struct npart_limit_info info = {.size = sizeof info};
    for (uint32_t i = 0; count < 256 && npart_limit_at(i, &info); i++) {
        if (strcmp(info.name, name) == 0 && info.reason) {
            (void)snprintf(text, sizeof text, "it cannot be set: %s", info.reason);
            return complain("--limit", value, text);
        }
        if (!info.reason)
            names[count++] = info.name;
    }
    (void)npart_nearest_name(name, names, count, near, sizeof near);
    const char *hint = *near ? "; did you mean " : "; --list-limits has them";
    (void)snprintf(text, sizeof text, "there is no such limit%s%s%s", hint, near, *near ? "?" : "");
    return complain("--limit", value, text);
}

bool take_limit(struct options *options, const char *value)
{
    const char *equals = strrchr(value, '=');
    struct npart_limit_info info = {.size = sizeof info};
    char name[64] = "", *end = NULL, text[96];
    errno = 0;
    unsigned long long number = equals && equals[1] >= '0' && equals[1] <= '9' ? strtoull(equals + 1, &end, 10) : 0;
    if (!end || *end || errno || equals == value || (size_t)(equals - value) >= sizeof name)
        return complain("--limit", value, "expected NAME=N");
    memcpy(name, value, (size_t)(equals - value));
    uint32_t at = 0;
    while (npart_limit_at(at, &info) && (info.reason || strcmp(info.name, name) != 0))
        at++;
    if (!npart_limit_at(at, &info))
        return complain_of_name(value, name);
    (void)snprintf(text, sizeof text, "expected %llu to %llu", (unsigned long long)info.low,
                   (unsigned long long)info.high);
    if (number < info.low || number > info.high)
        return complain("--limit", value, text);
    if (options->limit_count == MOST_LIMITS)
        return complain("--limit", value, "too many limits");
    options->limits[options->limit_count++] = (struct npart_limit){info.name, number};
    return true;
}
