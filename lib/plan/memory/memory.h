/* SPDX-License-Identifier: Apache-2.0
 *
 * memory: what a model takes of it: weights, activations at their peak, the cache of a decoder, and what of a layer
 * fits into the NPU's own.
 *
 * Activations are counted by liveness: nodes run one after the other, a result takes its bytes from the node that makes
 * it until the last that uses it, and the peak is the largest sum. Three times:
 *
 *   all      the whole model by ONNX Runtime's CPU provider, in its order: what its arena holds. Inputs are the
 *            caller's; outputs stay. A view shares its operand's buffer, some operators write into their operand's
 *            (operators.table), and a buffer that is free again is kept for the next tensor of its shape.
 *   cpu      the same for what the plan leaves to the CPU. A partition is one node: the runtime sees nothing of its
 *            inside, and tensors that cross are on both sides.
 *   npu      of each partition, which is compiled as a whole: buffers are reused within it alone. Its inputs and
 *            outputs are there from beginning to end. What works element by element does so in place, and what
 *            quantizes or dequantizes has no tensor of its own.
 *
 * Kernels' scratch memory is part of the first two where it is large as a rule: of convolutions, LRN, recurrent
 * operators, and those that the runtime makes of several. Not modelled are the casts that the CPU provider puts round
 * operators that it has no float16 kernel of. A size that is not known makes the sum a lower bound.
 */
#ifndef NPART_MEMORY_H
#define NPART_MEMORY_H

#include "partition/partition.h"

/* Tensors above this many bytes are of unknown size, so that sums over all values of a graph fit in 64 bits. */
#define NPART__LIMIT_TENSOR_BYTES ((uint64_t)1 << 38)

/* devices.def */
struct npart__device_class {
    const char *word, *source;
    uint64_t ram[2], flash[2]; /* surely, and at most; no flash: weights are in the RAM */
};
const struct npart__device_class *npart__device_class_at(uint32_t index); /* NULL past the last */

struct npart__partition_memory {
    struct npart_bytes weights, peak; /* as the NPU holds them */
    uint8_t fits;                      /* enum npart_fit: all of both into the on-chip memory */
};

#define NPART__LIMITEDS (NPART_LIMITED_FLASH + 1) /* how many there are */
/* Protobuf's lengths are signed 32-bit numbers. */
#define NPART__MOST_PROTOBUF_BYTES ((uint64_t)INT32_MAX)

struct npart__memory {
    struct npart_memory told;
    unsigned float32_bytes;            /* an element of FLOAT, as the NPU holds it */
    enum npart_fit fits;               /* all limits, but of one file with all weights in it */
    struct npart_bytes largest_inside; /* tensors inside a partition, that of most of them */
    struct npart__partition_memory *partitions; /* by partition */
    /* By node of the file, of live ones: activations that are there while it runs; in a body with those outside of it.
     * Of the CPU while a partition runs, what its nodes have in common; of the NPU while the CPU runs, nothing. */
    struct npart_bytes *held_cpu, *held_npu;
};

/* The peak of a session that runs on the CPU as a whole, and the node at which it is: found by the first target that
 * has the session. */
struct npart__whole_memory {
    struct npart_bytes peak;
    uint32_t at;
    bool is_found;
};

/* All of it is the plan's; nothing but `whole` is kept once the memory is found. */
struct npart__memory_request {
    const struct npart__target *target;
    enum npart__invoker invoker;
    const struct npart__session *session;
    const struct npart__partitioning *partitioning;
    const struct npart__works *works; /* of the session */
    struct npart__whole_memory *whole; /* the same */
    uint64_t ram_bytes; /* see npart_plan_options */
    const struct npart__device_class *device; /* NULL: not asked */
    const struct npart__parameter *parameters[NPART__PARAMETERS]; /* private */
};

/* Linear in operands, but for the order in which ONNX Runtime runs nodes and that of the layers. False when out of
 * memory. */
bool npart__find_memory(struct npart__memory_request *request, struct npart__arena *arena, struct npart__memory *out);

/* ---- between the files of this stage ----------------------------------------------------------------------- */

/* layers.c: what an operand is read from, past what dequantizes it. The NPU reads the quantized tensor, a quarter or
 * half of the floats. */
uint32_t npart__stored_value(const struct npart__session *session, uint32_t value);
/* Bytes of a value by its type; `float32_bytes`: those of an element that is float32 in the file. Partial where
 * a size is not known or past the limit, and of types without a size, as strings. */
struct npart_bytes npart__value_bytes(const struct npart__memory_request *request, uint32_t value,
                                       unsigned float32_bytes);
/* The same as a partition holds it: of a float tensor that is quantized at once, what comes of that. */
struct npart_bytes npart__held_bytes(const struct npart__memory_request *request, uint32_t partition, uint32_t value,
                                      unsigned float32_bytes);
void npart__add_size(struct npart_bytes *sum, struct npart_bytes more);

/* A run of steps, each of which makes values and uses others: a node, or from the graph's number of nodes on a
 * partition. */
struct npart__flow {
    const uint32_t *steps;
    uint32_t count;
    uint32_t partition; /* whose inside it is; NPART_NONE: it runs on the CPU */
    struct npart_bytes *held; /* by step, filled in: what is held while it runs; NULL: not asked for */
};

struct npart__peaks; /* peak.c: what flows share */

struct npart__peaks *npart__peaks_open(const struct npart__memory_request *request, unsigned float32_bytes,
                                       struct npart__arena *scratch);
/* The peak of a flow, and the node at which it is. False when out of memory. */
bool npart__flow_peak(struct npart__peaks *peaks, const struct npart__flow *flow, struct npart_bytes *out,
                      uint32_t *peak_at);
/* All that the nodes of a partition make, but for what leaves it. Buffers that are shared count once. To be
 * asked right after the flow's peak. */
struct npart_bytes npart__sum_inside(struct npart__peaks *peaks, const struct npart__flow *flow);
/* What the bodies of nodes take comes on top of what their nodes do; those of no body must be asked for first.
 * Scopes are numbered with parents first, so whoever asks from the last scope to the first has them. */
void npart__set_body_peak(struct npart__peaks *peaks, uint32_t scope, struct npart_bytes peak);

/* Of a node, which runs: of an If the larger body; of one that runs more than once, one pass. They run one at a time,
 * and what one pass has taken is free for the next. */
struct npart_bytes npart__bodies_peak(const struct npart__peaks *peaks, uint32_t step);

/* pools.c: a buffer from the first step at which it is there to the last. */
struct npart__buffer_life {
    uint64_t bytes, place;
    uint32_t first, last;
};

/* Where the list has pools *out becomes how far they are used; else, and of very many buffers, it stays. */
bool npart__place_in_pools(const struct npart__target *target, struct npart__buffer_life *lives, uint32_t count,
                           struct npart__arena *scratch, uint64_t *out);

/* scratch.c: bytes that ONNX Runtime's CPU kernel of a node allocates while it runs; 0 where nothing is known. */
uint64_t npart__kernel_scratch(const struct npart__memory_request *request, uint32_t node);

/* Of a tensor of the cache: elements of a token, and dims as numbers or expressions. */
struct npart__cache_sizes {
    uint64_t elements;            /* 0: not known */
    int64_t batch, tokens, slots; /* new tokens; slots that attention looks at */
    int64_t heads, depth;         /* the second of its four dims, and the last */
};

struct npart__heads {
    uint64_t queries, keys; /* 0: not known */
    uint32_t tensors;       /* for how many they stand: of keys for values, too; 0: no attention was found */
};

/* heads.c: of what attention reads, a cache with new tokens, or of the operator that keeps it; `sizes` NULL: only
 * whether attention reads it as it is. */
void npart__find_heads(const struct npart__session *session, uint32_t value, const struct npart__node *keeper,
                       const struct npart__cache_sizes *sizes, struct npart__heads *out);

/* cache.c: false when out of memory. */
bool npart__find_cache(const struct npart__memory_request *request, struct npart__arena *scratch,
                       struct npart__memory *out);

/* A range of devices, or of sources: YES and NO only where all of them agree. A lower bound may be too large already,
 * but is never sure to fit. Of 2 to 8, 1 fits on all of these chips, 9 on none, and of 4 it is not known. */
enum npart_fit npart__fits(uint64_t low, uint64_t high, struct npart_bytes needed);

/* limits.c: what may be no larger; after everything else. False when out of memory. */
bool npart__find_limits(const struct npart__memory_request *request, struct npart__arena *arena,
                        struct npart__memory *out);

/* layers.c: what fits on the chip. False when out of memory. */
bool npart__fit_layers(const struct npart__memory_request *request, unsigned float32_bytes, struct npart__arena *arena,
                       struct npart__memory *out);

#endif
