/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a weight's bytes are, and how its numbers lie to its operator. Of lib/change/weights alone.
 */
#ifndef NPART_WEIGHTS_INTERNAL_H
#define NPART_WEIGHTS_INTERNAL_H

#include "base/platform.h"
#include "weights/weights.h"

/* [outer, contracted, channels, inner]: a channel's numbers are those of each of the others; blocks of it do not go
 * beyond one of `outer`, which is 1 where inner is not. */
struct npart__weight_shape {
    uint64_t outer, contracted, channels, inner;
};

/* Bytes of a weight: in memory, or from a place in a file on. */
struct npart__weight_bytes {
    const uint8_t *data; /* NULL: in the file */
    int descriptor;
    uint64_t offset;
    const char *file; /* its name, for messages */
    uint8_t type;     /* of elements */
    bool is_native;   /* floats as this machine has them; else as files have them */
    const struct npart__packed_weight *packed; /* NULL: numbers that are read as they stand */
};

/* Blocks of a row, packed from the low bits on: (number - zero) * scale. */
struct npart__packed_weight {
    unsigned bits; /* 4 or 8 */
    uint64_t block, blocks; /* numbers of a block; blocks of a row */
    struct npart__weight_bytes scales, zeros; /* by row and block; zeros are packed, too */
    bool has_zeros; /* else the middle */
};

/* measure.c: fills in what is counted and lost, in the arena. */
npart_status npart__weight_measure(struct npart_weight_loss *weight, const struct npart__weight_shape *shape,
                                   const struct npart__weight_bytes *bytes, struct npart__arena *arena,
                                   struct npart_error *error);

#endif
