/* SPDX-License-Identifier: Apache-2.0
 *
 * A fuzzer's own mutations under the names that AFL++ knows, in a library that it loads. They take turns with AFL's.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

void *afl_custom_init(void *afl, unsigned seed);
size_t afl_custom_fuzz(void *payload, uint8_t *data, size_t size, uint8_t **out, uint8_t *other, size_t other_size,
                       size_t max_size);
void afl_custom_deinit(void *payload);

struct mutator {
    uint8_t *data;
    size_t room;
};

static uint64_t state; /* libFuzzer's function has no other place for it */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    return mutate_plainly(data, size, max_size, &state);
}

void *afl_custom_init(void *afl, unsigned seed)
{
    struct mutator *mutator = calloc(1, sizeof *mutator);
    (void)afl;
    state = seed;
    return mutator;
}

size_t afl_custom_fuzz(void *payload, uint8_t *data, size_t size, uint8_t **out, uint8_t *other, size_t other_size,
                       size_t max_size)
{
    struct mutator *mutator = payload;
    (void)other;
    (void)other_size;
    if (mutator->room < max_size) {
        uint8_t *grown = realloc(mutator->data, max_size);
        if (!grown)
            return 0;
        mutator->data = grown;
        mutator->room = max_size;
    }
    size = size < max_size ? size : max_size;
    memcpy(mutator->data, data, size);
    state = state * 6364136223846793005u + 1442695040888963407u;
    *out = mutator->data;
    return LLVMFuzzerCustomMutator(mutator->data, size, max_size, (unsigned)(state >> 32));
}

void afl_custom_deinit(void *payload)
{
    struct mutator *mutator = payload;
    free(mutator->data);
    free(mutator);
}
