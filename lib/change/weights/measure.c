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

/* Numbers of a block, each twice those before. */
static const unsigned blocks[] = {32, 64, 128};

/* What shares a scale, where it is no block. */
enum { NOTHING, TENSOR, CHANNEL };

static const struct way {
    uint8_t levels; /* enum npart__levels */
    float limit;
    unsigned group;
} ways[NPART__ROUNDINGS] = {
#define NPART__ROUNDING(id, name, levels, limit, group) {NPART__LEVELS_##levels, limit, group},
#include "weights/roundings.def"
#undef NPART__ROUNDING
};

/* What is at hand, the same for all weights. */
struct room {
    float piece[PIECE];
    float tops[4 * TILE]; /* of a row's blocks, or of a strip's */
    float scales[NPART__ROUNDINGS][COLUMNS], inverses[NPART__ROUNDINGS][COLUMNS]; /* of a strip's columns */
};

struct measure {
    struct npart_weight_loss *weight;
    uint64_t groups_of_four, two_of_four; /* along the contracted axis; those with two zeros or more */
    const struct npart__weight_shape *shape;
    const struct npart__weight_bytes *bytes;
    struct npart_error *error;
    unsigned width; /* bytes of a number */
    struct room *room;
    uint8_t *raw;   /* the piece as it stands in the file, where it is no FLOAT */
    float *largest; /* by channel */
    float most; /* of the tensor */
    double square, errors[NPART__ROUNDINGS]; /* sums of squares: of all numbers, and of what is lost */
};

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static bool is_little_endian(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static npart_status read_bytes(const struct measure *measure, const struct npart__weight_bytes *from, uint64_t offset,
                               void *into, size_t bytes)
{
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
    uint64_t from = column / packed->block, end = (column + count - 1) / packed->block + 1;
    size_t bytes = (size_t)packed->block * packed->bits / 8, stride = (size_t)(packed->blocks * packed->bits + 7) / 8;
    unsigned width = npart__type_bits(packed->scales.type) / 8, mask = (1u << packed->bits) - 1;
    uint8_t *scale = measure->raw + RAW, *zero = scale + (size_t)packed->blocks * width;
    uint64_t first = row * packed->blocks + from;
    npart_status status =
        read_bytes(measure, measure->bytes, first * bytes, measure->raw, (size_t)(end - from) * bytes);
    if (status == NPART_OK)
        status = read_bytes(measure, &packed->scales, first * width, scale, (size_t)(end - from) * width);
    if (status == NPART_OK && packed->has_zeros)
        status = read_bytes(measure, &packed->zeros, row * stride, zero, stride);
    for (size_t i = 0; status == NPART_OK && i < count; i++) {
        uint64_t block = (column + i) / packed->block, at = column + i - from * packed->block;
        unsigned each = 8 / packed->bits, level = measure->raw[at / each] >> at % each * packed->bits & mask;
        unsigned middle = packed->has_zeros ? zero[block / each] >> block % each * packed->bits & mask
                                            : 1u << (packed->bits - 1);
        double unit = npart__raw_double(packed->scales.type, scale + (block - from) * width);
        into[i] = (float)(((double)level - (double)middle) * unit);
    }
    return status;
}

/* `count` numbers that stand one after the other, from place `first` on. */
static npart_status load(struct measure *measure, uint64_t first, size_t count, float *into)
{
    const struct npart__weight_bytes *from = measure->bytes;
    if (from->packed)
        return load_packed(measure, first / measure->shape->inner, first % measure->shape->inner, count, into);
    if (from->is_native || (from->type == NPART__FLOAT && is_little_endian()))
        return read_bytes(measure, from, first * measure->width, into, count * measure->width);
    npart_status status = read_bytes(measure, from, first * measure->width, measure->raw, count * measure->width);
    for (size_t i = 0; status == NPART_OK && i < count; i++)
        into[i] = (float)npart__raw_double(from->type, measure->raw + i * measure->width);
    return status;
}

/* Calls of a kernel on as many numbers as it takes at once. */
#define IN_PARTS(w, count, call)                                                                                       \
    for (size_t from_ = 0; from_ < (count); from_ += NPART__KERNEL_MOST) {                                             \
        const size_t part = (count)-from_ < NPART__KERNEL_MOST ? (count)-from_ : NPART__KERNEL_MOST;                   \
        const float *at = (w) + from_;                                                                                 \
        call;                                                                                                          \
    }

/* With one scale for all, whose largest magnitude is `top`. */
static void lose(struct measure *measure, unsigned rounding, const float *w, size_t count, float top)
{
    const struct way *way = &ways[rounding];
    measure->errors[rounding] +=
        npart__lost[way->levels].blocks(w, count, count, &top, way->limit);
}

/* With the rounding's scales of columns. */
static void lose_each(struct measure *measure, unsigned rounding, const float *w, size_t count)
{
    measure->errors[rounding] += npart__lost[ways[rounding].levels].each(
        w, count, measure->room->scales[rounding], measure->room->inverses[rounding]);
}

/* What needs no group; whether any number is 0. */
static bool look_at(struct measure *measure, const float *w, size_t count)
{
    struct npart_weight_loss *weight = measure->weight;
    uint64_t zeros = weight->zeros;
    const float one = 1;
    IN_PARTS(w, count, {
        measure->square += npart__lost[NPART__LEVELS_ZERO].blocks(at, part, part, &one, one);
        npart__count(at, part, &weight->zeros, &weight->beyond_float16);
        for (unsigned i = 0; i < NPART__ROUNDINGS; i++)
            if (ways[i].group == NOTHING)
                lose(measure, i, at, part, ways[i].limit);
    })
    return weight->zeros > zeros;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void count_fours(struct measure *measure, const float *w, size_t count, bool has_zeros)
{
    for (size_t i = 0; has_zeros && i + 4 <= count; i += 4)
        measure->two_of_four += (w[i] == 0) + (w[i + 1] == 0) + (w[i + 2] == 0) + (w[i + 3] == 0) >= 2;
    measure->groups_of_four += count / 4;
}

/* `tops` has the largest of each 32 numbers, and gets those of each 64 and 128. */
static void lose_row_blocks(struct measure *measure, const float *w, size_t count)
{
    float *tops = measure->room->tops;
    size_t groups = (count + 31) / 32;
    for (unsigned b = 0; b < NPART__COUNT(blocks); b++) {
        for (size_t i = 0; b && i < groups; i += 2)
            tops[i / 2] = i + 1 < groups && tops[i + 1] > tops[i] ? tops[i + 1] : tops[i];
        groups = b ? (groups + 1) / 2 : groups;
        for (unsigned i = 0; i < NPART__ROUNDINGS; i++)
            if (ways[i].group == blocks[b])
                measure->errors[i] +=
                    npart__lost[ways[i].levels].blocks(w, count, blocks[b], tops, ways[i].limit);
    }
}

/* A row, or a part of one that begins with a block: blocks follow one another, the last may be short. */
static void look_at_row(struct measure *measure, const float *w, size_t count, uint64_t channel)
{
    count_fours(measure, w, count, look_at(measure, w, count));
    float *tops = measure->room->tops, *most = &measure->largest[channel];
    IN_PARTS(w, count, {
        size_t groups = (part + 31) / 32;
        npart__tops(at, part, tops);
        for (size_t i = 0; i < groups; i++)
            *most = tops[i] > *most ? tops[i] : *most;
        lose_row_blocks(measure, at, part);
    })
}

static void lose_row(struct measure *measure, const float *w, size_t count, uint64_t channel)
{
    IN_PARTS(w, count, {
        for (unsigned i = 0; i < NPART__ROUNDINGS; i++)
            if (ways[i].group == TENSOR || ways[i].group == CHANNEL)
                lose(measure, i, at, part, ways[i].group == TENSOR ? measure->most : measure->largest[channel]);
    })
}

typedef void row_function(struct measure *measure, const float *w, size_t count, uint64_t channel);

/* `count` numbers of channels from number `at` of a channel on, which are brought together where they lie apart. */
static npart_status gather(struct measure *measure, uint64_t channel, uint64_t at, size_t count)
{
    const struct npart__weight_shape *shape = measure->shape;
    uint64_t inner = shape->inner, length = shape->contracted * inner, run = 0;
    npart_status status = NPART_OK;
    bool is_one_run = shape->contracted == 1 && !measure->bytes->packed;
    for (size_t done = 0; done < count && status == NPART_OK; done += (size_t)run) {
        uint64_t row = channel + (at + done) / length, in = (at + done) % length;
        run = is_one_run || inner - in % inner > count - done ? count - done : inner - in % inner;
        status = load(measure, (in / inner * shape->channels + row) * inner + in % inner, (size_t)run,
                      measure->room->piece + done);
    }
    return status;
}

static npart_status for_rows(struct measure *measure, row_function *function)
{
    uint64_t rows = measure->shape->channels, length = measure->shape->contracted * measure->shape->inner;
    npart_status status = NPART_OK;
    for (uint64_t row = 0, taken; row < rows && status == NPART_OK; row += taken) {
        taken = length > PIECE ? 1 : PIECE / length < rows - row ? PIECE / length : rows - row;
        for (uint64_t at = 0; at < length && status == NPART_OK; at += PIECE) {
            size_t part = length - at < PIECE ? (size_t)(length - at) : PIECE;
            status = gather(measure, row, at, (size_t)taken * part);
            for (uint64_t i = 0; status == NPART_OK && i < taken; i++)
                function(measure, measure->room->piece + i * length, part, row + i);
        }
    }
    return status;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* A strip: `rows` contracted numbers of `width` channels from `channel` on, one row after the other. */
typedef void strip_function(struct measure *measure, size_t rows, size_t width, uint64_t channel);

static void set_scales(struct measure *measure, unsigned rounding, const float *tops, size_t width)
{
    float *scale = measure->room->scales[rounding], *inverse = measure->room->inverses[rounding];
    for (size_t i = 0; i < width; i++) {
        scale[i] = tops[i] / ways[rounding].limit;
        inverse[i] = scale[i] > 0 ? 1 / scale[i] : 0;
    }
}

static void count_column_fours(struct measure *measure, const float *w, size_t rows, size_t width, bool has_zeros)
{
    for (size_t r = 0; has_zeros && r + 4 <= rows; r += 4)
        measure->two_of_four += npart__fours(w + r * width, width, width);
    measure->groups_of_four += rows / 4 * width;
}

/* The largest of each 32 rows by column, from these of each 64 and 128, and in the end of all. `w` has `stride` numbers
 * a row, of which these are `width`. */
static void lose_blocks(struct measure *measure, const float *w, size_t rows, size_t width, size_t stride,
                        float *largest)
{
    memset(measure->room->tops, 0, sizeof(float) * 4 * TILE);
    for (size_t r = 0; r < rows; r++)
        npart__raise(measure->room->tops + r / 32 * TILE, w + r * stride, width);
    for (unsigned b = 0; b < NPART__COUNT(blocks); b++) {
        size_t each = blocks[b] / 32;
        for (size_t k = 0; b && k < 4; k += each)
            npart__raise(measure->room->tops + k * TILE, measure->room->tops + (k + each / 2) * TILE, width);
        for (size_t r = 0; r < rows; r++)
            for (unsigned i = 0; i < NPART__ROUNDINGS; i++) {
                if (ways[i].group != blocks[b])
                    continue;
                if (r % blocks[b] == 0)
                    set_scales(measure, i, measure->room->tops + r / blocks[b] * each * TILE, width);
                lose_each(measure, i, w + r * stride, width);
            }
    }
    npart__raise(largest, measure->room->tops, width);
}

/* In tiles that a cache holds. */
static void look_at_strip(struct measure *measure, size_t rows, size_t width, uint64_t channel)
{
    bool has_zeros = look_at(measure, measure->room->piece, rows * width);
    count_column_fours(measure, measure->room->piece, rows, width, has_zeros);
    for (size_t from = 0; from < width; from += TILE)
        lose_blocks(measure, measure->room->piece + from, rows, width - from < TILE ? width - from : TILE, width,
                    measure->largest + channel + from);
}

static void lose_strip(struct measure *measure, size_t rows, size_t width, uint64_t channel)
{
    for (unsigned i = 0; i < NPART__ROUNDINGS; i++)
        if (ways[i].group == CHANNEL)
            set_scales(measure, i, measure->largest + channel, width);
    for (size_t r = 0; r < rows; r++)
        for (unsigned i = 0; i < NPART__ROUNDINGS; i++)
            if (ways[i].group == TENSOR)
                lose(measure, i, measure->room->piece + r * width, width, measure->most);
            else if (ways[i].group == CHANNEL)
                lose_each(measure, i, measure->room->piece + r * width, width);
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
                size_t together = width == shape->channels ? rows : 1; /* rows that follow one another in the file */
                uint64_t first = (o * shape->contracted + k) * shape->channels + channel;
                for (size_t r = 0; r < rows && status == NPART_OK; r += together)
                    status = load(measure, first + r * shape->channels, together * width,
                                  measure->room->piece + r * width);
                if (status == NPART_OK)
                    function(measure, rows, width, channel);
            }
        }
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static bool allocate(struct measure *measure, struct npart__arena *arena)
{
    const struct npart__packed_weight *packed = measure->bytes->packed;
    measure->room = npart__arena_allocate(arena, sizeof *measure->room);
    measure->raw = npart__arena_allocate(arena, packed ? RAW + (size_t)packed->blocks * 9 + 1
                                                       : (size_t)PIECE * measure->width);
    measure->largest = npart__arena_zeroed(arena, (size_t)measure->shape->channels + 1, sizeof(float));
    return measure->room && measure->raw && measure->largest;
}

static npart_status run(struct measure *measure)
{
    bool has_rows = measure->shape->inner > 1 || measure->bytes->packed;
    npart_status status = has_rows ? for_rows(measure, look_at_row) : for_strips(measure, look_at_strip);
    for (uint64_t i = 0; i < measure->shape->channels; i++)
        measure->most = measure->largest[i] > measure->most ? measure->largest[i] : measure->most;
    if (status != NPART_OK)
        return status;
    return has_rows ? for_rows(measure, lose_row) : for_strips(measure, lose_strip);
}

/* 10 log10(sum of squares / sum of squares of what is lost); where nothing is lost infinite, and 0 where that is not
 * known. Numbers that are none, or infinite, have no error that could be told. False when out of memory. */
static bool settle(const struct measure *measure, struct npart__arena *arena)
{
    double *decibels = npart__arena_zeroed(arena, NPART__ROUNDINGS, sizeof *decibels);
    bool *is_known = npart__arena_zeroed(arena, NPART__ROUNDINGS, sizeof *is_known);
    for (unsigned i = 0; decibels && is_known && i < NPART__ROUNDINGS; i++) {
        double lost = measure->errors[i];
        is_known[i] = lost > 0 && lost < (double)INFINITY && measure->square > 0;
        decibels[i] = is_known[i]                              ? 10 * log10(measure->square / lost)
                      : lost >= 0 && lost < (double)INFINITY ? (double)INFINITY
                                                               : 0;
    }
    measure->weight->abs_max = (double)measure->most;
    if (measure->groups_of_four)
        measure->weight->two_of_four = (double)measure->two_of_four / (double)measure->groups_of_four;
    measure->weight->decibels = decibels;
    measure->weight->is_known = is_known;
    return decibels && is_known;
}

npart_status npart__weight_measure(struct npart_weight_loss *weight, const struct npart__weight_shape *shape,
                                   const struct npart__weight_bytes *bytes, struct npart__arena *arena,
                                   struct npart_error *error)
{
    struct npart__arena scratch;
    struct measure measure = {.weight = weight, .shape = shape, .bytes = bytes, .error = error,
                              .width = npart__type_bits(bytes->type) / 8};
    npart__arena_init(&scratch, &arena->allocator);
    npart_status status = allocate(&measure, &scratch) ? run(&measure) : npart__fail_memory(error);
    npart__arena_clear(&scratch);
    return status == NPART_OK && !settle(&measure, arena) ? npart__fail_memory(error) : status;
}
