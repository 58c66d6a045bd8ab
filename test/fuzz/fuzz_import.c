/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes as another tool's list of operators: up to the first 0x00 its file's name, then its text. What comes of it is
 * an op list that can be read.
 */
#include "fuzz/fuzz.h"
#include "oplist/oplist.h"

static size_t live_bytes;
static const struct npart_allocator limited = {fuzz_allocate, NULL, fuzz_release, &live_bytes};

static void check_list(const char *text, size_t bytes)
{
    npart_oplist *oplist = NULL;
    struct npart_error error;
    struct fuzz_text table = {NULL, 0};
    npart_status status = npart_oplist_read_memory(&oplist, text, bytes, "imported.ops", NULL, &error);
    if (status != NPART_OK)
        fprintf(stderr, "%s: %s\n%.*s\n", error.place, error.message, (int)(bytes < 2000 ? bytes : 2000), text);
    FUZZ_REQUIRE(status == NPART_OK);
    FUZZ_REQUIRE(npart_oplist_describe(oplist, NULL, fuzz_keep, &table, &error) == NPART_OK);
    fuzz_check_plain(&table, false);
    free(table.data);
    npart_oplist_free(oplist);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct npart__arena arena;
    struct npart__buffer out;
    struct npart_error error;
    char from[64];
    size_t length = 0;
    while (length < bytes && length + 1 < sizeof from && data[length])
        length++;
    memcpy(from, data, length);
    from[length] = '\0';
    size_t skipped = length < bytes ? length + 1 : length;
    npart__arena_init(&arena, &limited);
    npart__buffer_init(&out, &arena);
    npart_status status = npart__import_oplist((const char *)data + skipped, bytes - skipped, "imported", from, &arena,
                                               &out, &error);
    FUZZ_REQUIRE(status == NPART_OK || status == NPART_ERROR_OPLIST || status == NPART_ERROR_MEMORY);
    if (status == NPART_OK && !out.failed)
        check_list(npart__buffer_text(&out), out.size);
    else if (status != NPART_OK)
        fuzz_check_error(status, &error);
    npart__arena_clear(&arena);
    FUZZ_REQUIRE(live_bytes == 0);
    return 0;
}
