/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/mutant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/generate.h"
#include "fuzz/mutate.h"

#define CHOICES 1500u

static uint64_t state;

/* What mutations of models ask libFuzzer for. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    return mutate_plainly(data, size, max_size, &state);
}

uint64_t mutant_random(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

static void die(const char *what)
{
    perror(what);
    exit(4);
}

size_t mutant_read(const char *path, uint8_t *into)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        die(path);
    size_t size = fread(into, 1, MUTANT_ROOM / 2, file);
    (void)fclose(file);
    return size;
}

static size_t generate(uint8_t *into)
{
    static uint8_t data[CHOICES];
    size_t length = 40 + mutant_random(CHOICES - 40);
    bool is_plain = mutant_random(2) == 0; /* many plain choices: models that are nearly valid */
    for (size_t i = 0; i < length; i++)
        data[i] = is_plain && mutant_random(3) == 0 ? 0 : (uint8_t)mutant_random(256);
    struct choices choices = {data, 0, length};
    struct bytes model = generate_model(&choices);
    size_t size = model.size < MUTANT_ROOM / 2 ? model.size : MUTANT_ROOM / 2;
    memcpy(into, model.data, size);
    bytes_free(&model);
    return size;
}

size_t mutant_make(uint64_t number, char *const *models, uint64_t model_count, uint8_t *data)
{
    state = number * UINT64_C(0x9E3779B97F4A7C15) + 1;
    (void)mutant_random(2);
    bool is_generated = number % 4 == 0, is_of_bytes = number % 8 == 7;
    size_t size = is_generated ? generate(data) : mutant_read(models[mutant_random(model_count)], data);
    uint64_t most = is_of_bytes ? 2 : !is_generated && mutant_random(4) == 0 ? 12 : 3;
    uint64_t changes = (is_generated ? 0 : 1) + mutant_random(most);
    for (uint64_t i = 0; i < changes; i++)
        size = is_of_bytes ? mutate_plainly(data, size, MUTANT_ROOM, &state)
                           : mutate_model(data, size, MUTANT_ROOM, (unsigned)mutant_random(UINT32_MAX));
    return size;
}
