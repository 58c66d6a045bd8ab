/* SPDX-License-Identifier: Apache-2.0
 *
 * One weight, read twice in pieces: first what is the largest of each group, and what blocks lose, which need no other
 * piece; then what the tensor and its channels lose. A piece is as many whole rows as fit, a part of a row that is
 * longer, or a strip of columns.
 */
#include <math.h>
#include <stdlib.h>

#include "graph/graph.h"
#include "weights/internal.h"
#include "weights/kernels.h"

#define STRIP 128u          /* contracted numbers of a piece of columns: whole blocks of each size */
#define COLUMNS 4096u       /* channels of a piece */
#define PIECE (STRIP * COLUMNS) /* numbers */
#define RAW (PIECE + 2 * 65536u) /* bytes of packed numbers, whose blocks are no longer */
#define TILE 1024u          /* columns of a piece that are gone over several times */
#define NF4_BLOCK 64u

static const unsigned blocks[] = {32, 64, 128};
#define BLOCKS 3u

struct measure {
    const struct npart__kernels *kernels;
    struct npart__weight *weight;
    const struct npart__weight_shape *shape;
    const struct npart__weight_bytes *bytes;
    struct npart_error *error;
    unsigned width; /* bytes of a number */
    float *piece;
    uint8_t *raw;    /* the same as it stands in the file, where it is no FLOAT */
    float *largest;  /* by channel */
    float *scales[2], *inverses[2], *tops; /* of a strip's columns; tops: [4][TILE] */
    float most; /* of the tensor */
};

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static bool is_little_endian(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static npart_status read_bytes(const struct measure *measure, uint64_t offset, void *into, size_t bytes)
{
    const struct npart__weight_bytes *from = measure->bytes;
    if (from->data) {
        memcpy(into, from->data + offset, bytes);
        return NPART_OK;
    }
    for (size_t done = 0; done < bytes;) {
        ptrdiff_t got = npart__file_read_at(from->descriptor, (uint8_t *)into + done, bytes - done,
                                            from->offset + offset + done);
        if (got <= 0)
            return npart__fail(measure->error, NPART_ERROR_READ, from->file, "%s of weight %s",
                               got ? "cannot read the bytes" : "the file ends before the bytes", measure->weight->name);
        done += (size_t)got;
    }
    return NPART_OK;
}

/* A part of a row, block by block. */
static npart_status load_packed(struct measure *measure, uint64_t row, uint64_t column, size_t count, float *into)
{
    const struct npart__packed_weight *packed = measure->bytes->packed;
    const struct measure scales = {.bytes = &packed->scales, .error = measure->error, .weight = measure->weight};
    const struct measure zeros = {.bytes = &packed->zeros, .error = measure->error, .weight = measure->weight};
    uint64_t from = column / packed->block, end = (column + count - 1) / packed->block + 1;
    size_t bytes = (size_t)packed->block * packed->bits / 8, stride = (size_t)(packed->blocks * packed->bits + 7) / 8;
    unsigned width = npart__type_bits(packed->scale_type) / 8, mask = (1u << packed->bits) - 1;
    uint8_t *scale = measure->raw + RAW, *zero = scale + (size_t)packed->blocks * width;
    npart_status status =
        read_bytes(measure, (row * packed->blocks + from) * bytes, measure->raw, (size_t)(end - from) * bytes);
    if (status == NPART_OK)
        status = read_bytes(&scales, (row * packed->blocks + from) * width, scale, (size_t)(end - from) * width);
    if (status == NPART_OK && packed->has_zeros)
        status = read_bytes(&zeros, row * stride, zero, stride);
    for (size_t i = 0; status == NPART_OK && i < count; i++) {
        uint64_t block = (column + i) / packed->block, at = column + i - from * packed->block;
        unsigned each = 8 / packed->bits, level = measure->raw[at / each] >> at % each * packed->bits & mask;
        unsigned middle = packed->has_zeros ? zero[block / each] >> block % each * packed->bits & mask
                                            : 1u << (packed->bits - 1);
        double unit = npart__raw_double(packed->scale_type, scale + (block - from) * width);
        into[i] = (float)(((double)level - (double)middle) * unit);
    }
    return status;
}

/* `count` numbers from place `first` on. */
static npart_status load(struct measure *measure, uint64_t first, size_t count, float *into)
{
    int type = measure->weight->element_type;
    uint64_t length = measure->shape->contracted;
    npart_status done = NPART_OK;
    for (size_t i = 0, part; measure->bytes->packed && i < count && done == NPART_OK; i += part) {
        part = length - (first + i) % length < count - i ? (size_t)(length - (first + i) % length) : count - i;
        done = load_packed(measure, (first + i) / length, (first + i) % length, part, into + i);
    }
    if (measure->bytes->packed)
        return done;
    if (type == NPART__FLOAT && is_little_endian())
        return read_bytes(measure, first * measure->width, into, count * measure->width);
    npart_status status = read_bytes(measure, first * measure->width, measure->raw, count * measure->width);
    for (size_t i = 0; status == NPART_OK && i < count; i++)
        into[i] = (float)npart__raw_double(type, measure->raw + i * measure->width);
    return status;
}

/* Calls of a kernel on as many numbers as it takes at once. */
#define IN_PARTS(w, count, call)                                                                                       \
    for (size_t from_ = 0; from_ < (count); from_ += NPART__KERNEL_MOST) {                                             \
        const size_t part = (count)-from_ < NPART__KERNEL_MOST ? (count)-from_ : NPART__KERNEL_MOST;                   \
        const float *at = (w) + from_;                                                                                 \
        call;                                                                                                          \
    }

static void add_error(struct measure *measure, enum npart__rounding rounding, double lost)
{
    measure->weight->errors[rounding] += lost;
}

/* What needs no group; whether any number is 0. */
static bool look_at(struct measure *measure, const float *w, size_t count)
{
    struct npart__weight *weight = measure->weight;
    uint64_t zeros = weight->zeros;
    IN_PARTS(w, count, {
        weight->square += measure->kernels->square(at, part);
        add_error(measure, NPART__ROUND_FLOAT16, measure->kernels->lost_half(at, part));
        measure->kernels->count(at, part, &weight->zeros, &weight->beyond_float16);
    })
    return weight->zeros > zeros;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void count_fours(struct npart__weight *weight, const float *w, size_t count, bool has_zeros)
{
    for (size_t i = 0; has_zeros && i + 4 <= count; i += 4)
        weight->two_of_four += (w[i] == 0) + (w[i + 1] == 0) + (w[i + 2] == 0) + (w[i + 3] == 0) >= 2;
    weight->groups_of_four += count / 4;
}

/* `tops` has the largest of each 32 numbers, and gets those of each 64 and 128. */
static void lose_row_blocks(struct measure *measure, const float *w, size_t count)
{
    static const enum npart__rounding of_block[] = {NPART__ROUND_INT4_BLOCK32, NPART__ROUND_INT4_BLOCK64,
                                                    NPART__ROUND_INT4_BLOCK128};
    const struct npart__kernels *kernels = measure->kernels;
    float *tops = measure->tops;
    size_t groups = (count + 31) / 32;
    for (unsigned b = 0; b < BLOCKS; b++) {
        for (size_t i = 0; b && i < groups; i += 2)
            tops[i / 2] = i + 1 < groups && tops[i + 1] > tops[i] ? tops[i + 1] : tops[i];
        groups = b ? (groups + 1) / 2 : groups;
        add_error(measure, of_block[b], kernels->lost_blocks(w, count, blocks[b], tops, 7));
        if (blocks[b] == NF4_BLOCK)
            add_error(measure, NPART__ROUND_NF4, kernels->lost_nf4_blocks(w, count, NF4_BLOCK, tops));
    }
}

/* A row, or a part of one that begins with a block: blocks follow one another, the last may be short. */
static void look_at_row(struct measure *measure, const float *w, size_t count, uint64_t channel)
{
    const struct npart__kernels *kernels = measure->kernels;
    count_fours(measure->weight, w, count, look_at(measure, w, count));
    float *tops = measure->tops, *most = &measure->largest[channel];
    IN_PARTS(w, count, {
        size_t groups = (part + 31) / 32;
        kernels->tops(at, part, tops);
        for (size_t i = 0; i < groups; i++)
            *most = tops[i] > *most ? tops[i] : *most;
        lose_row_blocks(measure, at, part);
    })
}

static void lose_row(struct measure *measure, const float *w, size_t count, uint64_t channel)
{
    const struct npart__kernels *kernels = measure->kernels;
    float top = measure->largest[channel];
    IN_PARTS(w, count, {
        add_error(measure, NPART__ROUND_INT8_TENSOR, kernels->lost(at, part, measure->most / 127));
        add_error(measure, NPART__ROUND_FP8, kernels->lost_fp8(at, part, measure->most / 448));
        add_error(measure, NPART__ROUND_INT8_CHANNEL, kernels->lost(at, part, top / 127));
        add_error(measure, NPART__ROUND_INT4_CHANNEL, kernels->lost(at, part, top / 7));
    })
}

typedef void row_function(struct measure *measure, const float *w, size_t count, uint64_t channel);

static npart_status for_rows(struct measure *measure, row_function *function)
{
    uint64_t rows = measure->shape->channels, length = measure->shape->contracted;
    npart_status status = NPART_OK;
    for (uint64_t row = 0; row < rows && status == NPART_OK;) {
        uint64_t taken = length > PIECE ? 1 : PIECE / length < rows - row ? PIECE / length : rows - row;
        for (uint64_t at = 0; at < length && status == NPART_OK; at += PIECE) {
            size_t part = length - at < PIECE ? (size_t)(length - at) : PIECE;
            status = load(measure, row * length + at, taken > 1 ? (size_t)(taken * length) : part, measure->piece);
            for (uint64_t i = 0; status == NPART_OK && i < taken; i++)
                function(measure, measure->piece + i * length, part, row + i);
            if (taken > 1)
                break;
        }
        row += taken;
    }
    return status;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* A strip: `rows` contracted numbers of `width` channels from `channel` on, one row after the other. */
typedef void strip_function(struct measure *measure, size_t rows, size_t width, uint64_t channel);

static void set_scales(const float *tops, size_t width, float limit, float *scale, float *inverse)
{
    for (size_t i = 0; i < width; i++) {
        scale[i] = tops[i] / limit;
        inverse[i] = scale[i] > 0 ? 1 / scale[i] : 0;
    }
}

static void count_column_fours(struct measure *measure, const float *w, size_t rows, size_t width, bool has_zeros)
{
    for (size_t r = 0; has_zeros && r + 4 <= rows; r += 4)
        measure->weight->two_of_four += measure->kernels->fours(w + r * width, width, width);
    measure->weight->groups_of_four += rows / 4 * width;
}

/* The largest of each 32 rows by column, from these of each 64 and 128, and in the end of all. `w` has `stride` numbers
 * a row, of which these are `width`. */
static void lose_blocks(struct measure *measure, const float *w, size_t rows, size_t width, size_t stride,
                        float *largest)
{
    static const enum npart__rounding of_block[] = {NPART__ROUND_INT4_BLOCK32, NPART__ROUND_INT4_BLOCK64,
                                                    NPART__ROUND_INT4_BLOCK128};
    const struct npart__kernels *kernels = measure->kernels;
    memset(measure->tops, 0, sizeof(float) * 4 * TILE);
    for (size_t r = 0; r < rows; r++)
        kernels->raise(measure->tops + r / 32 * TILE, w + r * stride, width);
    for (unsigned b = 0; b < BLOCKS; b++) {
        size_t each = blocks[b] / 32;
        for (size_t k = 0; b && k < 4; k += each)
            kernels->raise(measure->tops + k * TILE, measure->tops + (k + each / 2) * TILE, width);
        for (size_t r = 0; r < rows; r++) {
            const float *tops = measure->tops + r / blocks[b] * each * TILE;
            if (r % blocks[b] == 0)
                set_scales(tops, width, 7, measure->scales[0], measure->inverses[0]);
            add_error(measure, of_block[b],
                      kernels->lost_each(w + r * stride, measure->scales[0], measure->inverses[0], width));
            if (blocks[b] != NF4_BLOCK)
                continue;
            if (r % blocks[b] == 0)
                set_scales(tops, width, 1, measure->scales[1], measure->inverses[1]);
            add_error(measure, NPART__ROUND_NF4,
                      kernels->lost_nf4_each(w + r * stride, measure->scales[1], measure->inverses[1], width));
        }
    }
    kernels->raise(largest, measure->tops, width);
}

/* In tiles that a cache holds. */
static void look_at_strip(struct measure *measure, size_t rows, size_t width, uint64_t channel)
{
    bool has_zeros = look_at(measure, measure->piece, rows * width);
    count_column_fours(measure, measure->piece, rows, width, has_zeros);
    for (size_t from = 0; from < width; from += TILE)
        lose_blocks(measure, measure->piece + from, rows, width - from < TILE ? width - from : TILE, width,
                    measure->largest + channel + from);
}

static void lose_strip(struct measure *measure, size_t rows, size_t width, uint64_t channel)
{
    const struct npart__kernels *kernels = measure->kernels;
    set_scales(measure->largest + channel, width, 127, measure->scales[0], measure->inverses[0]);
    set_scales(measure->largest + channel, width, 7, measure->scales[1], measure->inverses[1]);
    for (size_t r = 0; r < rows; r++) {
        const float *w = measure->piece + r * width;
        add_error(measure, NPART__ROUND_INT8_TENSOR, kernels->lost(w, width, measure->most / 127));
        add_error(measure, NPART__ROUND_FP8, kernels->lost_fp8(w, width, measure->most / 448));
        add_error(measure, NPART__ROUND_INT8_CHANNEL,
                  kernels->lost_each(w, measure->scales[0], measure->inverses[0], width));
        add_error(measure, NPART__ROUND_INT4_CHANNEL,
                  kernels->lost_each(w, measure->scales[1], measure->inverses[1], width));
    }
}

static npart_status for_strips(struct measure *measure, strip_function *function)
{
    const struct npart__weight_shape *shape = measure->shape;
    npart_status status = NPART_OK;
    for (uint64_t o = 0; o < shape->outer && status == NPART_OK; o++)
        for (uint64_t channel = 0; channel < shape->channels && status == NPART_OK; channel += COLUMNS) {
            size_t width = shape->channels - channel < COLUMNS ? (size_t)(shape->channels - channel) : COLUMNS;
            for (uint64_t k = 0; k < shape->contracted && status == NPART_OK; k += STRIP) {
                size_t rows = shape->contracted - k < STRIP ? (size_t)(shape->contracted - k) : STRIP;
                uint64_t first = (o * shape->contracted + k) * shape->channels + channel;
                if (width == shape->channels)
                    status = load(measure, first, rows * width, measure->piece);
                for (size_t r = 0; r < rows && width < shape->channels && status == NPART_OK; r++)
                    status = load(measure, first + r * shape->channels, width, measure->piece + r * width);
                if (status == NPART_OK)
                    function(measure, rows, width, channel);
            }
        }
    return status;
}

/* ---- the middle -------------------------------------------------------------------------------------------------- */

/* Such weights are small, so that a channel is put together number by number; of a larger one groups are not known. */
static npart_status for_middle(struct measure *measure, row_function *function)
{
    const struct npart__weight_shape *shape = measure->shape;
    uint64_t length = shape->contracted * shape->inner;
    npart_status status = NPART_OK;
    for (uint64_t channel = 0; channel < shape->channels && status == NPART_OK; channel++) {
        for (uint64_t i = 0; i < shape->contracted && status == NPART_OK; i++)
            status = load(measure, (i * shape->channels + channel) * shape->inner, (size_t)shape->inner,
                          measure->piece + i * shape->inner);
        if (status == NPART_OK)
            function(measure, measure->piece, (size_t)length, channel);
    }
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static bool allocate(struct measure *measure, struct npart__arena *arena)
{
    uint64_t channels = measure->shape->channels;
    measure->piece = npart__arena_allocate(arena, PIECE * sizeof(float));
    const struct npart__packed_weight *packed = measure->bytes->packed;
    measure->raw = npart__arena_allocate(arena, packed ? RAW + (size_t)packed->blocks * 9 + 1
                                                       : (size_t)PIECE * measure->width);
    measure->largest = npart__arena_zeroed(arena, (size_t)channels + 1, sizeof(float));
    measure->tops = npart__arena_zeroed(arena, 4 * TILE, sizeof(float));
    bool is_done = measure->piece && measure->raw && measure->largest && measure->tops;
    for (unsigned i = 0; i < 2 && is_done; i++) {
        measure->scales[i] = npart__arena_allocate(arena, COLUMNS * sizeof(float));
        measure->inverses[i] = npart__arena_allocate(arena, COLUMNS * sizeof(float));
        is_done = measure->scales[i] && measure->inverses[i];
    }
    return is_done;
}

/* The largest of all channels. */
static void find_most(struct measure *measure)
{
    for (uint64_t i = 0; i < measure->shape->channels; i++)
        measure->most = measure->largest[i] > measure->most ? measure->largest[i] : measure->most;
}

static npart_status run(struct measure *measure)
{
    npart_status status;
    switch (measure->shape->layout) {
    case NPART__WEIGHT_ROWS:
        status = for_rows(measure, look_at_row);
        find_most(measure);
        return status == NPART_OK ? for_rows(measure, lose_row) : status;
    case NPART__WEIGHT_COLUMNS:
        status = for_strips(measure, look_at_strip);
        find_most(measure);
        return status == NPART_OK ? for_strips(measure, lose_strip) : status;
    default:
        status = for_middle(measure, look_at_row);
        find_most(measure);
        return status == NPART_OK ? for_middle(measure, lose_row) : status;
    }
}

/* Numbers that are none, or infinite, have no error that could be told. */
static void settle(struct npart__weight *weight)
{
    for (unsigned i = 0; i < NPART__ROUNDINGS; i++)
        if (!(weight->errors[i] >= 0) || !(weight->errors[i] < (double)INFINITY))
            weight->errors[i] = -1;
}

npart_status npart__weight_measure(struct npart__weight *weight, const struct npart__weight_shape *shape,
                                   const struct npart__weight_bytes *bytes, struct npart__arena *arena,
                                   struct npart_error *error)
{
    struct npart__arena scratch;
    struct measure measure = {.kernels = npart__kernels(), .weight = weight, .shape = shape, .bytes = bytes,
                              .error = error, .width = npart__type_bits(weight->element_type) / 8};
    npart__arena_init(&scratch, &arena->allocator);
    npart_status status = allocate(&measure, &scratch) ? run(&measure) : npart__fail_memory(error);
    weight->abs_max = (double)measure.most;
    settle(weight);
    npart__arena_clear(&scratch);
    return status;
}
