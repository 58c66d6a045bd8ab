/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs that are more than one model: choices, then models. The first SUBJECT_CHOICES bytes are choices, the first
 * of them says how many models follow. Each but the last has its length in two bytes before it, the last is what is
 * left. A model is bytes of a file, or, after 0xff, with which no model begins, choices of the generator
 * (fuzz/generate.h).
 */
#ifndef TEST_FUZZ_SUBJECT_H
#define TEST_FUZZ_SUBJECT_H

#include "npu_partition.h"
#include "support/model_text.h"

#define SUBJECT_CHOICES 12u
#define SUBJECT_MODELS 4u
#define SUBJECT_GENERATED 0xff

struct subject {
    uint8_t choices[SUBJECT_CHOICES];
    struct {
        const uint8_t *data; /* in the input */
        size_t bytes;
    } models[SUBJECT_MODELS];
    unsigned count;
};

/* Models may be of no bytes. */
void subject_take(struct subject *subject, unsigned most, const uint8_t *data, size_t bytes);
/* A choice below `below`; those past the last byte are 0. */
unsigned subject_choose(const struct subject *subject, unsigned at, unsigned below);

/* The file of a model; the caller frees it. */
struct bytes subject_file(const uint8_t *data, size_t bytes);
/* Reads it with an allocator of its own. NULL: it is no model, and the failure is as it should be. */
npart_model *subject_read(const uint8_t *data, size_t bytes, const char *name,
                          const struct npart_allocator *allocator);
/* What is known of its tensors. NULL as above. */
npart_inference *subject_infer(const npart_model *model, bool is_fixed);

/* Custom mutators: of one model, and of choices with up to `most` models. */
size_t subject_mutate_model(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t subject_mutate(unsigned most, uint8_t *data, size_t size, size_t max_size, unsigned seed);

#endif
