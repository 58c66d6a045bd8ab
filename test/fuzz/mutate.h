/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes to a serialized model that leave it one: lengths round a changed field are written anew, so that what comes
 * after the scan is reached. Half of them know what a node is: they add outputs, rewire inputs, put another operator in
 * its place, put a node in between, take attributes from elsewhere.
 */
#ifndef TEST_FUZZ_MUTATE_H
#define TEST_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Changes bytes without any knowledge: libFuzzer's, or mutate_plainly. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* Each returns the new size, which is at most `max_size`. */
size_t mutate_model(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t mutate_plainly(uint8_t *data, size_t size, size_t max_size, uint64_t *state);

#endif
