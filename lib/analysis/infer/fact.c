/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts: made from tensors, asked about, printed. Elements are read from a stored tensor when first asked for, since
 * most are weights at which no shape inference ever looks.
 */
#include <math.h>

#include "infer/driver.h"

/* The fact of a stored tensor. `is_constant`: nothing else can give the value, so that its elements count, too; an
 * initializer that is also an input may be replaced by the caller (since IR version 4). One that is stored as a sparse
 * tensor is to every reader the dense one (onnxruntime/core/graph/graph.cc makes it dense while it loads the model, and
 * refuses it where an operator takes sparse tensors alone; probe: onnxruntime 1.32.0, onnxruntime-qnn 2.7.0). */
void npart__fact_from_tensor(const struct npart__limits *limits, struct npart__fact *fact,
                             const struct npart__tensor *tensor, bool is_constant)
{
    *fact = (struct npart__fact){
        .kind = NPART__TYPE_TENSOR,
        .element_type = tensor->element_type,
        .has_rank = tensor->rank <= NPART__MOST(limits, RANK) && tensor->element_type != 0,
        .is_constant = is_constant,
        .is_initializer = is_constant,
        .tensor = is_constant ? tensor : NULL,
    };
    /* A dim that looks like a handle would be taken for an expression. */
    for (uint32_t i = 0; fact->has_rank && i < tensor->rank; i++)
        if (!npart__is_number(tensor->dims[i]))
            fact->has_rank = false; /* no tensor is that large */
    /* A scalar has no dims in the file, but NULL would read as if it had no rank. */
    static const int64_t no_dims[1];
    if (fact->has_rank) {
        fact->rank = tensor->rank;
        fact->dims = tensor->rank ? tensor->dims : no_dims;
    }
}

/* -0 is none, as it would come back as 0; past 2**53 a double stands for several whole numbers. */
bool npart__is_whole(double number)
{
    return fabs(number) <= 9007199254740992.0 && number == (double)(int64_t)number && (number != 0 || !signbit(number));
}

/* Past the limits there is a second one, for all large tensors together, as each of them may be kept at many nodes. */
bool npart__may_follow(struct npart__inference *inference, uint64_t count, uint32_t limit)
{
    uint64_t most = inference->options.most_elements;
    bool may = count <= limit ||
               (count <= most && inference->large_elements + count <= most * NPART__LIMIT_LARGE_TENSORS);
    inference->leaves_elements |= !may;
    return may;
}

/* Those below the limit need no count: their memory grows with the nodes alone. */
void npart__count_elements(struct npart__inference *inference, uint32_t count)
{
    if (count > NPART__LIMIT_COMPUTED_ELEMENTS)
        inference->large_elements += count;
}

/* Whole numbers and doubles both take eight bytes, so one function serves both. */
static void *room_for(struct npart__inference *inference, uint32_t count)
{
    npart__count_elements(inference, count);
    void *room = npart__arena_allocate(inference->arena, (count + (size_t)1) * sizeof(int64_t));
    if (!room)
        inference->expressions.failed = true;
    return room;
}

/* Floating point numbers that are all whole are kept as whole numbers, so that sizes survive a detour: scales
 * [1,1,2,2] of a Resize multiply a symbolic dim by 2. Both forms stay then; who reads goes by `ints`. */
static void keep_doubles(struct npart__inference *inference, struct npart__known *known, const double *doubles)
{
    int64_t *ints = room_for(inference, known->count);
    known->doubles = doubles;
    for (uint32_t i = 0; ints && i < known->count; i++) {
        if (!npart__is_whole(doubles[i]))
            return;
        ints[i] = (int64_t)doubles[i];
    }
    known->ints = ints;
}

/* A tensor with a number that looks like a handle of an expression (near INT64_MIN / 2) is not followed. Nor is one
 * with a uint64 that int64 cannot hold. */
static bool read_ints(struct npart__inference *inference, const struct npart__tensor *tensor,
                      struct npart__known *known)
{
    int64_t *ints = room_for(inference, known->count);
    if (!ints || !npart__tensor_int64s(tensor, ints, known->count))
        return false;
    for (uint32_t i = 0; i < known->count; i++)
        if (!npart__is_number(ints[i]))
            return false;
    known->ints = ints;
    return true;
}

static bool read_doubles(struct npart__inference *inference, const struct npart__tensor *tensor,
                         struct npart__known *known)
{
    double *doubles = room_for(inference, known->count);
    if (!doubles || !npart__tensor_doubles(tensor, doubles, known->count))
        return false;
    keep_doubles(inference, known, doubles);
    return true;
}

/* The others are weights, which no shape hangs on. Without a payload in the file (elided or external), there is
 * nothing to read. */
bool npart__may_read(struct npart__inference *inference, const struct npart__tensor *tensor)
{
    uint32_t limit =
        (uint32_t)(npart__type_is_float(tensor->element_type) ? NPART__MOST(inference->graph->limits, KNOWN_FLOATS)
                                                              : NPART__MOST(inference->graph->limits, KNOWN_ELEMENTS));
    return tensor->place == NPART__TENSOR_INLINE && !tensor->is_sparse &&
           npart__may_follow(inference, tensor->elements, limit);
}

/* Reads a tensor's elements into the fact, once, whether they can be read or not, but for want of memory, when the next
 * question tries again. The tensor stays, as who looks at it later must not see who has asked before. */
static void read_elements(struct npart__inference *inference, struct npart__fact *fact)
{
    const struct npart__tensor *tensor = fact->tensor;
    bool is_float = npart__type_is_float(tensor->element_type);
    if (!npart__may_read(inference, tensor))
        return;
    struct npart__known *known = npart__arena_zeroed(inference->arena, 1, sizeof *known);
    if (!known) {
        inference->expressions.failed = true;
        return;
    }
    known->count = (uint32_t)tensor->elements;
    bool ok = is_float ? read_doubles(inference, tensor, known) : read_ints(inference, tensor, known);
    /* Not after a failure, as the caller may have more memory the next time (npart__take_failure). */
    fact->is_read = !inference->expressions.failed;
    if (ok && fact->is_read)
        fact->known = known;
}

/* Reading is repeated by the next question, so a failure for want of memory must not stay. */
bool npart__take_failure(struct npart__inference *inference)
{
    bool failed = inference->expressions.failed;
    inference->expressions.failed = false;
    return failed;
}

/* Elements that stand outside of the file (external data) are not read: the answer must not depend on files that may be
 * missing, and weights stay on the disk. */
const struct npart__known *npart__elements(struct npart__inference *inference, struct npart__fact *fact)
{
    uint64_t elements;
    if (!fact->known && fact->tensor && !fact->is_read)
        read_elements(inference, fact);
    /* A declared shape may say otherwise; then nothing is taken by its place. */
    bool contradicts = fact->known && npart__static_elements(fact, &elements) && elements != fact->known->count;
    return contradicts ? NULL : fact->known;
}

/* A scalar is; a sequence, or a sparse tensor, is not. */
bool npart__is_static(const struct npart__fact *fact)
{
    if (fact->kind != NPART__TYPE_TENSOR || !fact->has_rank)
        return false;
    for (uint32_t i = 0; i < fact->rank; i++)
        if (!npart__is_number(fact->dims[i]))
            return false;
    return true;
}

/* Compilers for dynamic shapes ask for an upper bound of each dim. */
bool npart__is_bounded(const struct npart__expressions *pool, const struct npart__fact *fact)
{
    if (fact->kind != NPART__TYPE_TENSOR || !fact->has_rank)
        return false;
    for (uint32_t i = 0; i < fact->rank; i++)
        if (npart__upper_bound(pool, fact->dims[i]) == INT64_MAX)
            return false;
    return true;
}

/* A product past 64 bits is no size of anything. */
bool npart__static_elements(const struct npart__fact *fact, uint64_t *out)
{
    return npart__is_static(fact) && npart__dims_elements(fact->dims, fact->rank, out);
}

/* "float32[1,?,768]", "sequence of int64[...]", "sparse float32[3]", and "?[2]" for an unknown element type. */
void npart__append_fact(struct npart__buffer *buffer, const struct npart__expressions *pool,
                        const struct npart__fact *fact)
{
    /* By enum npart__type_kind. Of a tensor, which nearly all values are, the kind is not said. */
    static const char *const kinds[] = {"unknown", "", "sparse ", "sequence", "map", "optional", "opaque"};
    npart__append_text(buffer, kinds[fact->kind]);
    if (fact->element && (fact->kind == NPART__TYPE_SEQUENCE || fact->kind == NPART__TYPE_OPTIONAL)) {
        npart__append_text(buffer, " of ");
        npart__append_fact(buffer, pool, fact->element);
    }
    if (fact->kind != NPART__TYPE_TENSOR && fact->kind != NPART__TYPE_SPARSE)
        return;
    npart__append_text(buffer, fact->element_type ? npart__type_name(fact->element_type) : "?");
    if (!fact->has_rank) {
        npart__append_text(buffer, "[...]");
        return;
    }
    npart__append_text(buffer, "[");
    for (uint32_t i = 0; i < fact->rank; i++) {
        npart__append_text(buffer, i ? "," : "");
        npart__append_dim(buffer, pool, fact->dims[i]);
    }
    npart__append_text(buffer, "]");
}
