/* SPDX-License-Identifier: Apache-2.0
 *
 * The TOML of a project file.
 */
#include "../../tools/toml.h"
#include "fuzz/fuzz.h"

static uint32_t check_value(const struct toml_value *value, size_t bytes, uint32_t depth)
{
    uint32_t count = 1, members = 0;
    FUZZ_REQUIRE(value->kind < TOML_KINDS && depth <= TOML_MOST_DEPTH && value->at <= bytes);
    FUZZ_REQUIRE(!value->key || value->key[value->key_bytes] == '\0');
    if (value->kind == TOML_STRING)
        FUZZ_REQUIRE(value->as.text.count <= bytes && value->as.text.bytes[value->as.text.count] == '\0');
    if (value->kind != TOML_ARRAY && value->kind != TOML_TABLE)
        return count;
    for (const struct toml_value *child = value->as.members.first; child; child = child->next, members++) {
        FUZZ_REQUIRE((child->key != NULL) == (value->kind == TOML_TABLE));
        if (child->key && strlen(child->key) == child->key_bytes)
            FUZZ_REQUIRE(toml_find(value, child->key) == child);
        count += check_value(child, bytes, depth + 1);
    }
    FUZZ_REQUIRE(members == value->as.members.count);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct toml_document *document;
    struct toml_problem problem;
    char *copy = malloc(bytes + 1);
    FUZZ_REQUIRE(copy);
    memcpy(copy, data, bytes);
    bool is_read = toml_read(&document, copy, bytes, &problem);
    FUZZ_REQUIRE(is_read == !*problem.text && is_read == (document != NULL));
    if (is_read)
        FUZZ_REQUIRE(check_value(toml_root(document), bytes, 0) <= TOML_MOST_VALUES + 1);
    else
        FUZZ_REQUIRE(problem.line >= 1 && problem.column >= 1 && problem.column <= bytes + 1);
    toml_free(document);
    free(copy);
    return 0;
}
