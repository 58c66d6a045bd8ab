/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a fuzzer's entry point over files, for compilers without libFuzzer: the corpora hold what was once found.
 *
 * usage: replay FILE...
 */
#include "fuzz/fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* What a custom mutator calls; nothing mutates here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)data;
    (void)max_size;
    return size;
}

static bool run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t bytes = 0, capacity = 1 << 16, got;
    uint8_t *data = malloc(capacity);
    if (!file || !data) {
        perror(path);
        free(data);
        return false;
    }
    while ((got = fread(data + bytes, 1, capacity - bytes, file)) > 0) {
        bytes += got;
        if (bytes == capacity && !(data = realloc(data, capacity *= 2)))
            abort();
    }
    (void)fclose(file);
    uint8_t *exact = malloc(bytes ? bytes : 1); /* so that a read past the end is seen */
    FUZZ_REQUIRE(exact);
    memcpy(exact, data, bytes);
    (void)LLVMFuzzerTestOneInput(exact, bytes);
    free(exact);
    free(data);
    return true;
}

int main(int argc, char **argv)
{
    bool ok = argc > 1;
    for (int i = 1; i < argc; i++)
        ok &= run_file(argv[i]);
    printf("%d inputs replayed\n", argc - 1);
    return ok ? 0 : 1;
}
