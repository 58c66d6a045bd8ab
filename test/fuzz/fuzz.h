/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fuzzers share: an allocator with a limit, so that a file that asks for much memory is an error and not the
 * end of the run, and sinks for reports.
 */
#ifndef TEST_FUZZ_FUZZ_H
#define TEST_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npu_partition.h"
#include "support/json_check.h"
#include "support/subjects.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define FUZZ_LIMIT_BYTES ((size_t)256 << 20)

/* Stops the fuzzer at this input. */
#define FUZZ_REQUIRE(condition)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

struct fuzz_text {
    char *data;
    size_t bytes;
};

static inline bool fuzz_keep(void *payload, const char *text, size_t bytes)
{
    struct fuzz_text *kept = payload;
    char *grown = realloc(kept->data, kept->bytes + bytes + 1);
    FUZZ_REQUIRE(grown);
    memcpy(grown + kept->bytes, text, bytes);
    kept->data = grown;
    kept->bytes += bytes;
    grown[kept->bytes] = '\0';
    return true;
}

/* The path of a file of these bytes: the same file each time. */
const char *fuzz_file(const void *data, size_t bytes);

/* Each block has its size before it. */
static inline void *fuzz_allocate(void *payload, size_t bytes)
{
    size_t *live = payload;
    if (bytes > FUZZ_LIMIT_BYTES || *live > FUZZ_LIMIT_BYTES - bytes)
        return NULL;
    char *block = malloc(bytes + 16);
    if (!block)
        return NULL;
    memcpy(block, &bytes, sizeof bytes);
    *live += bytes;
    return block + 16;
}

static inline void fuzz_release(void *payload, void *memory)
{
    size_t *live = payload, bytes;
    if (!memory)
        return;
    memcpy(&bytes, (char *)memory - 16, sizeof bytes);
    *live -= bytes;
    free((char *)memory - 16);
}

/* What every failure promises. */
static inline void fuzz_check_error(npart_status status, const struct npart_error *error)
{
    FUZZ_REQUIRE(error->status == status);
    FUZZ_REQUIRE(*error->message && memchr(error->message, '\0', sizeof error->message));
    FUZZ_REQUIRE(memchr(error->place, '\0', sizeof error->place));
    for (const char *c = error->message; *c; c++)
        FUZZ_REQUIRE((unsigned char)*c >= 0x20 && *c != 0x7f);
    for (const char *c = error->place; *c; c++)
        FUZZ_REQUIRE((unsigned char)*c >= 0x20 && *c != 0x7f);
}

static inline void fuzz_check_json(const struct fuzz_text *text)
{
    size_t at = 0;
    const char *problem = json_problem(text->data ? text->data : "", text->bytes, &at);
    if (problem)
        fprintf(stderr, "JSON, byte %zu: %s: %.60s\n", at, problem, text->data + (at > 30 ? at - 30 : 0));
    FUZZ_REQUIRE(!problem);
}

/* Text for people: lines of characters that can be seen. */
static inline void fuzz_check_plain(const struct fuzz_text *text, bool is_ascii)
{
    char shown[64];
    for (size_t start = 0, at = 0; at < text->bytes; at++) {
        bool is_end = text->data[at] == '\n';
        unsigned char c = (unsigned char)text->data[at];
        FUZZ_REQUIRE(is_end || (c >= 0x20 && c != 0x7f && (!is_ascii || c < 0x80)));
        bool is_start = (c & 0xc0) != 0x80; /* of a character: what came before is shown as it is */
        if (is_end || (is_start && at - start > 40)) {
            char piece[64];
            memcpy(piece, text->data + start, at - start);
            piece[at - start] = '\0';
            npart_plain_text(piece, shown, sizeof shown);
            FUZZ_REQUIRE(at - start > 60 || strcmp(piece, shown) == 0);
            start = is_end ? at + 1 : at;
        }
    }
}

/* A built-in list, read once; those of ONNX Runtime's two providers that are checked by compilers more often. */
static inline const npart_oplist *fuzz_builtin_oplist(size_t choice)
{
    static npart_oplist *oplists[64];
    size_t count = 0;
    while (npart_builtin_oplist(count))
        count++;
    size_t at = choice % (count + 8);
    const char *name = at < count ? npart_builtin_oplist(at) : at % 2 ? "hexagon" : "intel-npu";
    for (at = 0; strcmp(npart_builtin_oplist(at), name) != 0;)
        at++;
    FUZZ_REQUIRE(at < 64);
    if (!oplists[at])
        FUZZ_REQUIRE(npart_oplist_find(&oplists[at], name, NULL, NULL) == NPART_OK);
    return oplists[at];
}

/* Both reports of a plan. */
static inline void fuzz_report(const npart_plan *plan, const npart_plan *fixed)
{
    npart_advice *advice = NULL;
    npart_status status = npart_advice_make(&advice, plan, fixed, NULL, 0, NULL);
    FUZZ_REQUIRE(status == NPART_OK || status == NPART_ERROR_MEMORY);
    const struct npart_plan_pair pair = {plan, fixed, advice};
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    struct fuzz_text json = {NULL, 0}, text = {NULL, 0};
    struct npart_error error;
    status = npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_JSON, NULL, fuzz_keep, &json, &error);
    FUZZ_REQUIRE(status == NPART_OK || status == NPART_ERROR_MEMORY);
    if (status == NPART_OK)
        fuzz_check_json(&json);
    options.is_verbose = true;
    status = npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_TEXT, &options, fuzz_keep, &text, &error);
    FUZZ_REQUIRE(status == NPART_OK || status == NPART_ERROR_MEMORY);
    fuzz_check_plain(&text, false);
    npart_advice_free(advice);
    free(json.data);
    free(text.data);
}

static inline void fuzz_explain(const npart_plan *plan, const char *node)
{
    const struct npart_plan_pair pair = {plan, NULL, NULL};
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    struct fuzz_text text = {NULL, 0};
    struct npart_error error;
    npart_status status = npart_report(OF_NODE(&pair, 1, node), NPART_FORMAT_TEXT, &options, fuzz_keep, &text, &error);
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    fuzz_check_plain(&text, false);
    free(text.data);
}

/* The number of partitions and what belongs to them. */
static inline void fuzz_check_plan(const npart_plan *plan)
{
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_partition partition = {.size = sizeof partition};
    uint32_t members = 0, count = 0;
    struct npart_node_plan node = {.size = sizeof node};
    npart_plan_summary(plan, &summary);
    FUZZ_REQUIRE(summary.nodes == summary.folded + summary.live);
    FUZZ_REQUIRE(summary.live == summary.accepted + summary.refused + summary.unknown);
    FUZZ_REQUIRE(summary.partitions_low <= summary.partitions && summary.partitions <= summary.partitions_high);
    for (; npart_plan_partition(plan, count, &partition); count++) {
        FUZZ_REQUIRE(partition.node_count > 0);
        /* One that holds copies alone is told by what these are copies of, which is a member elsewhere. */
        FUZZ_REQUIRE(npart_plan_node(plan, partition.nodes[0], &node));
        bool is_of_copies = node.partition != count;
        for (uint32_t i = 0; i < partition.node_count; i++)
            FUZZ_REQUIRE(npart_plan_node(plan, partition.nodes[i], &node) && (node.partition != count) == is_of_copies);
        members += is_of_copies ? 0 : partition.node_count;
    }
    FUZZ_REQUIRE(count == summary.partitions && members == summary.accepted);
}

#endif
