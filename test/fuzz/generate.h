/* SPDX-License-Identifier: Apache-2.0
 *
 * Models out of arbitrary bytes: each byte is a choice, so that a fuzzer which changes bytes changes graphs. Nodes of
 * real operators, wired at random: more and fewer operands than the operator has, attributes of wrong types, negative
 * and huge dims, captured values, cycles, bodies in bodies, functions that call each other, data of wrong lengths.
 * The choice 0 is always the plain one; bytes that are used up are zeros.
 */
#ifndef TEST_FUZZ_GENERATE_H
#define TEST_FUZZ_GENERATE_H

#include "support/model_text.h"

/* Choices: the model's from the front, all others from the back. */
struct choices {
    const uint8_t *data;
    size_t begin, end;
};

/* A number below `below`, which is at most 256. */
unsigned choose(struct choices *choices, unsigned below);
unsigned choose_last(struct choices *choices, unsigned below);

/* A serialized model; the caller frees it. */
struct bytes generate_model(struct choices *choices);
/* One serialized node as the generator writes them, without bodies, that uses "v0" to "v<values-1>". */
struct bytes generate_node(struct choices *choices, unsigned values);
/* The name of an operator of the standard or of com.microsoft, whose domain goes to *domain. */
const char *generate_operator(struct choices *choices, const char **domain);

#endif
