/* SPDX-License-Identifier: Apache-2.0
 *
 * The TOML of a project file.
 */
#include "gate/toml.h"
#include "fuzz/fuzz.h"

static uint32_t check_value(const struct npart__toml *value, size_t bytes, uint32_t depth)
{
    uint32_t count = 1, members = 0;
    FUZZ_REQUIRE(value->kind < NPART__TOML_KINDS && depth <= NPART_MOST_PROJECT_DEPTH && value->at <= bytes);
    FUZZ_REQUIRE(!value->key || value->key[value->key_bytes] == '\0');
    if (value->kind == NPART__TOML_STRING)
        FUZZ_REQUIRE(value->as.text.count <= bytes && value->as.text.bytes[value->as.text.count] == '\0');
    if (value->kind != NPART__TOML_ARRAY && value->kind != NPART__TOML_TABLE)
        return count;
    for (const struct npart__toml *child = value->as.members.first; child; child = child->next, members++) {
        FUZZ_REQUIRE((child->key != NULL) == (value->kind == NPART__TOML_TABLE));
        if (child->key && strlen(child->key) == child->key_bytes)
            FUZZ_REQUIRE(npart__toml_find(value, child->key) == child);
        count += check_value(child, bytes, depth + 1);
    }
    FUZZ_REQUIRE(members == value->as.members.count);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct npart__toml_problem problem;
    struct npart__arena arena;
    npart__arena_init(&arena, NULL);
    const struct npart__toml_document *document = npart__toml_read(&arena, (const char *)data, bytes, &problem);
    FUZZ_REQUIRE((document != NULL) == !*problem.text);
    if (document)
        FUZZ_REQUIRE(check_value(npart__toml_root(document), bytes, 0) <= NPART_MOST_PROJECT_VALUES + 1);
    else
        FUZZ_REQUIRE(problem.line >= 1 && problem.column >= 1 && problem.column <= bytes + 1);
    npart__arena_clear(&arena);
    npart_project *project = NULL;
    npart_status status = npart_project_read(&project, (const char *)data, bytes, NULL, NULL, NULL, NULL);
    struct npart_project_settings settings = {.size = sizeof settings};
    if (status == NPART_OK)
        FUZZ_REQUIRE(npart_project_settle(project, "a/b.onnx", &settings, NULL) == NPART_OK);
    npart_project_free(project);
    return 0;
}
