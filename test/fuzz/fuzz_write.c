/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes as a model that is read to be edited and written again: what comes out means what went in. And the same bytes
 * as an edited skeleton, which they hardly are.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "fuzz/mutate.h"
#include "onnx/onnx.h"
#include "wire/write.h"

/* protobuf-c's own order; NULL where it takes the bytes for no message: inside of what is left out nobody looks. */
static uint8_t *canonical(const void *data, size_t bytes, size_t *out_bytes)
{
    Onnx__ModelProto *model = onnx__model_proto__unpack(NULL, bytes, data);
    if (!model)
        return NULL;
    *out_bytes = onnx__model_proto__get_packed_size(model);
    uint8_t *out = malloc(*out_bytes + 1);
    FUZZ_REQUIRE(out);
    onnx__model_proto__pack(model, out);
    onnx__model_proto__free_unpacked(model, NULL);
    return out;
}

static uint8_t *written(const struct npart__recipe *recipe, struct npart__arena *arena)
{
    static FILE *file;
    if (!file)
        file = tmpfile();
    FUZZ_REQUIRE(file && ftruncate(fileno(file), 0) == 0 && lseek(fileno(file), 0, SEEK_SET) == 0);
    FUZZ_REQUIRE(npart__recipe_write(recipe, fileno(file), arena, NULL) == NPART_OK);
    FUZZ_REQUIRE((uint64_t)lseek(fileno(file), 0, SEEK_CUR) == recipe->bytes);
    uint8_t *out = malloc((size_t)recipe->bytes + 1);
    FUZZ_REQUIRE(out);
    FUZZ_REQUIRE(pread(fileno(file), out, (size_t)recipe->bytes, 0) == (ssize_t)recipe->bytes);
    return out;
}

static void compare(const uint8_t *data, size_t bytes, const uint8_t *out, size_t out_bytes)
{
    size_t first_bytes = 0, second_bytes = 0;
    uint8_t *first = canonical(data, bytes, &first_bytes), *second = canonical(out, out_bytes, &second_bytes);
    FUZZ_REQUIRE((first == NULL) == (second == NULL));
    FUZZ_REQUIRE(!first || (first_bytes == second_bytes && memcmp(first, second, first_bytes) == 0));
    free(first);
    free(second);
}

static void rewrite(const uint8_t *data, size_t bytes, struct npart__arena *arena)
{
    struct npart__wire_options options = {.keep_bytes = 1 + bytes % 64, .keeps_all = true};
    struct npart__source source;
    struct npart__skeleton skeleton;
    struct npart__input input;
    struct npart__recipe recipe;
    struct npart__externals externals;
    Onnx__ModelProto *model = NULL;
    npart__input_open_memory(&input, data, bytes);
    npart__source_open_memory(&source, data, bytes);
    if (npart__wire_scan(&source, &options, arena, &skeleton, NULL) != NPART_OK)
        return;
    FUZZ_REQUIRE(npart__onnx_unpack(&skeleton, arena, &model, NULL) == NPART_OK);
    size_t packed_bytes = onnx__model_proto__get_packed_size(model);
    uint8_t *packed = malloc(packed_bytes + 1);
    FUZZ_REQUIRE(packed);
    onnx__model_proto__pack(model, packed);
    FUZZ_REQUIRE(npart__recipe_make(&recipe, packed, packed_bytes, &input, NULL, arena, NULL) == NPART_OK);
    uint8_t *out = written(&recipe, arena);
    compare(data, bytes, out, (size_t)recipe.bytes);
    free(out);
    struct npart__expand_options moves_out = {.external_location = "out.data"};
    FUZZ_REQUIRE(npart__recipe_make(&recipe, packed, packed_bytes, &input, &moves_out, arena, NULL) == NPART_OK);
    out = written(&recipe, arena);
    free(out);
    (void)npart__externals_find(&externals, packed, packed_bytes, arena, NULL);
    free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct npart__arena arena;
    struct npart__input input;
    struct npart__recipe recipe;
    struct npart__externals externals;
    npart__arena_init(&arena, NULL);
    rewrite(data, bytes, &arena);
    npart__input_open_memory(&input, data, bytes);
    struct npart__expand_options options = {.external_location = bytes % 2 ? "out.data" : NULL};
    if (npart__recipe_make(&recipe, data, bytes, &input, &options, &arena, NULL) == NPART_OK &&
        recipe.bytes < 1 << 20)
        free(written(&recipe, &arena));
    (void)npart__externals_find(&externals, data, bytes, &arena, NULL);
    npart__arena_clear(&arena);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return mutate_model(data, size, max_size, seed);
}
