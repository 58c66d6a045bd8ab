/* SPDX-License-Identifier: Apache-2.0
 *
 * What a real run left: profiles, logs and records, as they are read.
 */
#include "base/stream.h"
#include "npu_partition/runs.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct npart__text_stream input = {(const char *)data, bytes};
    struct npart_run_info info = {.size = sizeof info};
    struct npart_run_node node = {.size = sizeof node};
    struct npart_error error;
    npart_run *run = NULL;
    npart_status status = npart_run_read(&run, npart__read_text, &input, NULL, &error);
    FUZZ_REQUIRE((status == NPART_OK) == (run != NULL));
    if (status != NPART_OK) {
        fuzz_check_error(status, &error);
        return 0;
    }
    FUZZ_REQUIRE(npart_run_info(run, &info) && info.kind && info.provider_count <= NPART_MOST_RUN_PROVIDERS);
    for (uint32_t i = 0; i < info.node_count; i++) {
        FUZZ_REQUIRE(npart_run_node(run, i, &node) && node.name && node.op && node.provider && node.index >= -1);
        FUZZ_REQUIRE(node.total_ms >= 0 && (node.runs > 0 || node.total_ms == 0));
    }
    FUZZ_REQUIRE(!npart_run_node(run, info.node_count, &node));
    npart_run_free(run);
    return 0;
}
