/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutants by number: a quarter is made by the generator and then changed, five eighths are models changed as models,
 * the rest is models changed as bytes. Mutant N of the same models is always the same.
 */
#ifndef TEST_FUZZ_MUTANT_H
#define TEST_FUZZ_MUTANT_H

#include <stddef.h>
#include <stdint.h>

#define MUTANT_ROOM ((size_t)1 << 20)

/* Into a block of MUTANT_ROOM bytes; the size. Ends the program when a model cannot be read. */
size_t mutant_make(uint64_t number, char *const *models, uint64_t model_count, uint8_t *data);
/* A file as it is, half of the room at most. */
size_t mutant_read(const char *path, uint8_t *into);
/* The next random number of the mutant that was made last. */
uint64_t mutant_random(uint64_t below);

#endif
