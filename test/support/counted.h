/* SPDX-License-Identifier: Apache-2.0
 *
 * An allocator that knows every block it gave out: how many live, how many bytes, whether what comes back is its own.
 * On request it fails: at one call, from one call on, or for requests above a size. And it notes from where it is
 * called.
 */
#ifndef TEST_COUNTED_H
#define TEST_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "npu_partition.h"

struct counted {
    struct npart_allocator allocator; /* hand out &counted->allocator */
    size_t live_blocks, live_bytes;
    size_t calls;       /* of allocate and resize */
    size_t failures;    /* calls that were made to fail */
    size_t fail_at;     /* the call to fail, counted from 1; 0: none */
    bool fails_on;      /* every later call fails too */
    size_t most_bytes;  /* requests above fail; 0: none */
    uint64_t *places;   /* by call, from 0: a number for the functions that led to it; for those that have room */
    size_t place_room;
    bool shifts;        /* blocks alternate between addresses of 0 and of 8 modulo 16 */
};

/* `resizes` false: the allocator has no `resize`. */
void counted_init(struct counted *counted, bool resizes);

#endif
