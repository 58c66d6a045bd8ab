/* SPDX-License-Identifier: Apache-2.0
 *
 * What a real run left: profiles, logs and records, as the tool reads them.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "../../tools/profile.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct profile profile;
    uint32_t count = 0;
    void *copy = malloc(bytes + 1);
    FUZZ_REQUIRE(copy);
    memcpy(copy, data, bytes);
    FILE *file = bytes ? fmemopen(copy, bytes, "rb") : NULL;
    bool is_read = file && profile_read(&profile, file);
    if (file) {
        FUZZ_REQUIRE(is_read == !*profile.problem);
        for (const struct placed_node *node = profile.first; node; node = node->next, count++) {
            FUZZ_REQUIRE(node->name && node->op && node->index >= -1);
            FUZZ_REQUIRE(node->provider < profile.provider_count && profile.providers[node->provider]);
            FUZZ_REQUIRE(node->total_us >= 0 && (node->runs > 0 || node->total_us == 0));
        }
        FUZZ_REQUIRE(count == profile.node_count);
        FUZZ_REQUIRE(profile.all_on_provider == UINT32_MAX || profile.all_on_provider < profile.provider_count);
        profile_free(&profile);
        (void)fclose(file);
    }
    free(copy);
    return 0;
}
