/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes mutants of models, for test/fuzz/mutants.py.
 *
 * usage: make_mutants FOLDER FIRST COUNT MODEL...
 *
 * Mutant N is always the same: a quarter is made by the generator and then changed, five eighths are models changed as
 * models, the rest is models changed as bytes. FOLDER gets <N>.onnx.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/generate.h"
#include "fuzz/mutate.h"

#define ROOM ((size_t)1 << 20)
#define CHOICES 1500u

static uint64_t state;

static uint64_t next(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    return mutate_plainly(data, size, max_size, &state);
}

static void die(const char *what)
{
    perror(what);
    exit(4);
}

static size_t read_model(const char *path, uint8_t *into)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        die(path);
    size_t size = fread(into, 1, ROOM / 2, file);
    (void)fclose(file);
    return size;
}

static size_t generate(uint8_t *into)
{
    static uint8_t data[CHOICES];
    size_t length = 40 + next(CHOICES - 40);
    bool is_plain = next(2) == 0; /* many plain choices: models that are nearly valid */
    for (size_t i = 0; i < length; i++)
        data[i] = is_plain && next(3) == 0 ? 0 : (uint8_t)next(256);
    struct choices choices = {data, 0, length};
    struct bytes model = generate_model(&choices);
    size_t size = model.size < ROOM / 2 ? model.size : ROOM / 2;
    memcpy(into, model.data, size);
    bytes_free(&model);
    return size;
}

static size_t make_mutant(uint64_t number, char *const *models, uint64_t model_count, uint8_t *data)
{
    state = number * UINT64_C(0x9E3779B97F4A7C15) + 1;
    (void)next(2);
    bool is_generated = number % 4 == 0, is_of_bytes = number % 8 == 7;
    size_t size = is_generated ? generate(data) : read_model(models[next(model_count)], data);
    uint64_t changes = is_generated ? next(3) : is_of_bytes ? 1 + next(2) : 1 + next(next(4) ? 3 : 12);
    for (uint64_t i = 0; i < changes; i++)
        size = is_of_bytes ? mutate_plainly(data, size, ROOM, &state)
                           : mutate_model(data, size, ROOM, (unsigned)next(UINT32_MAX));
    return size;
}

int main(int argc, char **argv)
{
    static uint8_t data[ROOM];
    if (argc < 5)
        return 2;
    uint64_t first = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10);
    for (uint64_t number = first; number < first + count; number++) {
        char path[4096];
        size_t size = make_mutant(number, argv + 4, (uint64_t)argc - 4, data);
        (void)snprintf(path, sizeof path, "%s/%llu.onnx", argv[1], (unsigned long long)number);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
            die(path);
    }
    return 0;
}
