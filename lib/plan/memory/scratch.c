/* SPDX-License-Identifier: Apache-2.0
 *
 * What kernels of ONNX Runtime's CPU provider allocate while they run, on one thread.
 *
 * A Conv unfolds its input for a matrix product: of 1 x 1 filters, stride 1 and no padding nothing; where there are
 * more filters than results of each, all of it; else in pieces of 64 KB (core/mlas/lib/convolve.cpp, MlasConvPrepare).
 * A recurrent operator holds the gates of all steps for each direction, and what it reads and writes in reverse
 * (core/providers/cpu/rnn/uni_directional_lstm.cc, deep_cpu_gru.cc). LRN holds squares and scales
 * (core/providers/cpu/nn/lrn.cc).
 */
#include "memory/memory.h"

#define CONV_PIECE_BYTES ((uint64_t)64 << 10)

/* A number at an axis; 0 where it is not known. A kernel's scratch that is not known counts as none: it is a part
 * beside the tensors, and told as such. */
static uint64_t size_at(const struct npart__fact *fact, uint32_t axis)
{
    bool is_known = fact && fact->has_rank && axis < fact->rank && npart__is_number(fact->dims[axis]);
    return is_known && fact->dims[axis] > 0 ? (uint64_t)fact->dims[axis] : 0;
}

/* More than any tensor may have is no size that a run could reach: 0, as if it were not known. */
static uint64_t product(const uint64_t *factors, size_t count)
{
    uint64_t product = 1;
    for (size_t i = 0; i < count; i++)
        if (!npart__multiply_uint64(product, factors[i], &product) || product > NPART__LIMIT_TENSOR_BYTES)
            return 0;
    return product;
}

/* Sizes along the axes after the second. 1 where there are none or the fact is missing; 0 where one is not
 * known. */
static uint64_t spatial_size(const struct npart__fact *fact)
{
    uint64_t size = 1;
    for (uint32_t i = 2; fact && i < fact->rank; i++)
        size = product((const uint64_t[]){size, size_at(fact, i)}, 2);
    return size;
}

/* 512 filters [512,3,3] that make [1,512,7,7] are more than its 49 places, so all of the input is unfolded:
 * 49 * 9 * 512 * 4 bytes = 903,168. With 64 filters and 56 x 56 places it is done in pieces. What is not known
 * makes a factor 0. */
static uint64_t conv_scratch(const struct npart__graph *graph, const struct npart__node *node,
                             const struct npart__fact *filter, const struct npart__fact *result)
{
    int64_t group = npart__node_int(graph, node, "group", 1);
    uint64_t groups = group > 0 ? (uint64_t)group : 1;
    uint64_t taps = spatial_size(filter), places = spatial_size(result);
    /* 1 and 0 are the defaults of strides and pads. */
    if (taps == 1 && npart__node_ints_are(graph, node, "strides", 1) && npart__node_ints_are(graph, node, "pads", 0))
        return 0;
    /* Few filters for many places: the runtime unfolds piece by piece. */
    if (size_at(filter, 0) / groups <= places)
        return CONV_PIECE_BYTES;
    return product((const uint64_t[]){places, taps, size_at(filter, 1), sizeof(float)}, 4);
}

/* Of [steps, batch, size]; weights are [directions, gates * hidden, size]. An LSTM of 100 steps, batch 1 and
 * hidden size 128 in one direction has gates of 100 * 1 * 4 * 128 floats: 204,800 bytes. */
static uint64_t recurrent_scratch(const struct npart__fact *input, const struct npart__fact *weights,
                                  const struct npart__fact *recurrence)
{
    uint64_t rows = product((const uint64_t[]){size_at(input, 0), size_at(input, 1), sizeof(float)}, 3);
    uint64_t directions = size_at(weights, 0), hidden = size_at(recurrence, 2);
    uint64_t gates = product((const uint64_t[]){rows, directions, size_at(weights, 1)}, 3);
    return directions < 2 ? gates : gates + product((const uint64_t[]){rows, size_at(input, 2) + hidden}, 2);
}

/* NULL for one that is left out. */
static const struct npart__fact *operand_fact(const struct npart__memory_request *request,
                                              const struct npart__node *node, uint32_t index, bool made)
{
    const struct npart__graph *graph = request->session->graph;
    uint32_t value = made ? npart__node_output(graph, node, index) : npart__node_input(graph, node, index);
    return value == NPART_NONE ? NULL : npart__fact_of(request->session->known, value);
}

/* Of operators without such a word, or without a weight, nothing is known. */
uint64_t npart__kernel_scratch(const struct npart__memory_request *request, uint32_t id)
{
    const struct npart__graph *graph = request->session->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    const struct npart__fact *weight = operand_fact(request, node, 1, false);
    uint32_t result = npart__node_output(graph, node, 0);
    switch ((enum npart__scratch)node->traits->scratch) {
    case NPART__SCRATCH_TWICE:
        return result == NPART_NONE ? 0 : 2 * npart__value_bytes(request, result, sizeof(float)).bytes;
    case NPART__SCRATCH_CONV:
        return weight ? conv_scratch(graph, node, weight, operand_fact(request, node, 0, true)) : 0;
    case NPART__SCRATCH_RECURRENT:
        return recurrent_scratch(operand_fact(request, node, 0, false), weight, operand_fact(request, node, 2, false));
    default:
        return 0;
    }
}
