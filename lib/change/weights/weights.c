/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the weights of a model and their bytes, and measures each once. One is read twice in pieces: first what is the
 * largest of each group, and what blocks lose, which need no other piece; then what the tensor and its channels lose. A
 * piece is as many whole rows as fit, a part of a row that is longer, or a strip of columns.
 */
#include <math.h>

#include "base/platform.h"
#include "onnx/onnx.h"
#include "weights/kernels.h"
#include "weights/weights.h"
#include "wire/files.h"

/* [outer, contracted, channels, inner]: a channel's numbers are those of each of the others; blocks of it do not go
 * beyond one of `outer`, which is 1 where inner is not. */
struct shape {
    uint64_t outer, contracted, channels, inner;
};

/* Bytes of a weight: in memory, or from a place in a file on. */
struct place {
    const uint8_t *data; /* NULL: in the file */
    int descriptor;
    uint64_t offset;
    const char *file; /* its name, for messages */
    uint8_t type;     /* of elements */
    bool is_native;   /* floats as this machine has them; else as files have them */
    const struct packed *packed; /* NULL: numbers that are read as they stand */
};

/* Blocks of a row, packed from the low bits on: (number - zero) * scale. */
struct packed {
    unsigned bits; /* 4 or 8 */
    uint64_t block, blocks; /* numbers of a block; blocks of a row */
    struct place scales, zeros; /* by row and block; zeros are packed, too */
    bool has_zeros; /* else the middle */
};

#define STRIP 128u          /* contracted numbers of a piece of columns: whole blocks of each size */
#define WIDTH 16384u        /* channels of a piece */
#define PIECE (STRIP * WIDTH) /* numbers */
#define RAW (PIECE + 2 * 65536u) /* bytes of packed numbers, whose blocks are no longer */
#define TILE 1024u          /* columns of a piece that are gone over several times */
_Static_assert(NPART__KERNEL_MOST % STRIP == 0 && NPART__KERNEL_MOST <= STRIP * TILE, "whole blocks, room for tops");

/* Numbers of a block, each twice those before. */
static const unsigned blocks[] = {32, 64, 128};

/* What shares a scale, where it is no block. */
enum { NOTHING, TENSOR, CHANNEL };

static const struct way {
    const char *name;
    uint8_t levels; /* enum npart__levels */
    float limit;
    unsigned group;
} ways[NPART__ROUNDINGS] = {
#define NPART__ROUNDING(id, name, levels, limit, group) {name, NPART__LEVELS_##levels, limit, group},
#include "weights/roundings.def"
#undef NPART__ROUNDING
};

const char *npart_rounding_name(uint32_t index)
{
    return index < NPART__ROUNDINGS ? ways[index].name : NULL;
}

/* What is at hand, the same for all weights. */
struct room {
    float piece[PIECE];
    float tops[4 * TILE]; /* of a row's blocks, or of a strip's */
    float scales[NPART__ROUNDINGS][WIDTH], inverses[NPART__ROUNDINGS][WIDTH]; /* of a strip's columns */
};

struct measure {
    struct npart_weight_loss *weight;
    uint64_t groups_of_four, two_of_four; /* along the contracted axis; those with two zeros or more */
    const struct shape *shape;
    const struct place *bytes;
    struct npart_error *error;
    unsigned width; /* bytes of a number */
    struct room *room;
    uint8_t *raw;   /* the piece as it stands in the file, where it is no FLOAT */
    float *largest; /* by channel */
    float most; /* of the tensor */
    double square, errors[NPART__ROUNDINGS]; /* sums of squares: of all numbers, and of what is lost */
};

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static npart_status read_bytes(const struct measure *measure, const struct place *from, uint64_t offset, void *into,
                               size_t bytes)
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
    const struct packed *packed = measure->bytes->packed;
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
    const struct place *from = measure->bytes;
    if (from->packed)
        return load_packed(measure, first / measure->shape->inner, first % measure->shape->inner, count, into);
    const union { uint16_t number; uint8_t first; } one = {1}; /* is first where the machine is as files are */
    bool are_floats = from->is_native || (from->type == NPART__FLOAT && one.first);
    npart_status status = read_bytes(measure, from, first * measure->width, are_floats ? (void *)into : measure->raw,
                                     count * measure->width);
    if (status == NPART_OK && one.first && (from->type == NPART__FLOAT16 || from->type == NPART__BFLOAT16))
        npart__widen((const uint16_t *)(const void *)measure->raw, count, from->type == NPART__BFLOAT16, into);
    else
        for (size_t i = 0; status == NPART_OK && !are_floats && i < count; i++)
            into[i] = (float)npart__raw_double(from->type, measure->raw + i * measure->width);
    return status;
}

/* With one scale for all, whose largest magnitude is `top`. */
static void lose(struct measure *measure, unsigned rounding, const float *w, size_t count, float top)
{
    measure->errors[rounding] += npart__lost[ways[rounding].levels].blocks(w, count, count, &top, ways[rounding].limit);
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
    measure->square += npart__count(w, count, &weight->zeros, &weight->beyond_float16);
    lose(measure, NPART__ROUND_FLOAT16, w, count, 1);
    return weight->zeros > zeros;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

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
                measure->errors[i] += npart__lost[ways[i].levels].blocks(w, count, blocks[b], tops, ways[i].limit);
    }
}

/* A row, or a part of one that begins with a block: blocks follow one another, the last may be short. */
static void look_at_row(struct measure *measure, const float *w, size_t count, uint64_t channel)
{
    if (look_at(measure, w, count))
        measure->two_of_four += npart__fours(w, count / 4, 4, 1);
    measure->groups_of_four += count / 4;
    float *tops = measure->room->tops, *most = &measure->largest[channel];
    npart__tops(w, count, tops);
    for (size_t i = 0; i < (count + 31) / 32; i++)
        *most = tops[i] > *most ? tops[i] : *most;
    lose_row_blocks(measure, w, count);
}

static void lose_row(struct measure *measure, const float *w, size_t count, uint64_t channel)
{
    for (unsigned i = 0; i < NPART__ROUNDINGS; i++)
        if (ways[i].group == TENSOR || ways[i].group == CHANNEL)
            lose(measure, i, w, count, ways[i].group == TENSOR ? measure->most : measure->largest[channel]);
}

/* `count` numbers of channels from number `at` of a channel on, which are brought together where they lie apart. */
static npart_status gather(struct measure *measure, uint64_t channel, uint64_t at, size_t count)
{
    const struct shape *shape = measure->shape;
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

static npart_status for_rows(struct measure *measure, bool is_again)
{
    uint64_t rows = measure->shape->channels, length = measure->shape->contracted * measure->shape->inner;
    const uint64_t most = NPART__KERNEL_MOST;
    npart_status status = NPART_OK;
    for (uint64_t row = 0, taken; row < rows && status == NPART_OK; row += taken) {
        taken = length > most ? 1 : most / length < rows - row ? most / length : rows - row;
        for (uint64_t at = 0; at < length && status == NPART_OK; at += most) {
            size_t part = length - at < most ? (size_t)(length - at) : most;
            status = gather(measure, row, at, (size_t)taken * part);
            for (uint64_t i = 0; status == NPART_OK && i < taken; i++)
                (is_again ? lose_row : look_at_row)(measure, measure->room->piece + i * length, part, row + i);
        }
    }
    return status;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

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
                    npart__scales(measure->room->tops + r / blocks[b] * each * TILE, width, ways[i].limit,
                                  measure->room->scales[i], measure->room->inverses[i]);
                lose_each(measure, i, w + r * stride, width);
            }
    }
    npart__raise(largest, measure->room->tops, width);
}

/* `rows` contracted numbers of `width` channels from `channel` on, one row after the other: in tiles that a cache
 * holds. */
static void look_at_strip(struct measure *measure, size_t rows, size_t width, uint64_t channel)
{
    bool has_zeros = false;
    for (size_t r = 0; r < rows; r++)
        has_zeros |= look_at(measure, measure->room->piece + r * width, width);
    for (size_t r = 0; has_zeros && r + 4 <= rows; r += 4)
        measure->two_of_four += npart__fours(measure->room->piece + r * width, width, 1, width);
    measure->groups_of_four += rows / 4 * width;
    for (size_t from = 0; from < width; from += TILE)
        lose_blocks(measure, measure->room->piece + from, rows, width - from < TILE ? width - from : TILE, width,
                    measure->largest + channel + from);
}

static void lose_strip(struct measure *measure, size_t rows, size_t width, uint64_t channel)
{
    for (unsigned i = 0; i < NPART__ROUNDINGS; i++)
        if (ways[i].group == CHANNEL)
            npart__scales(measure->largest + channel, width, ways[i].limit, measure->room->scales[i],
                          measure->room->inverses[i]);
    for (size_t r = 0; r < rows; r++)
        for (unsigned i = 0; i < NPART__ROUNDINGS; i++)
            if (ways[i].group == TENSOR)
                lose(measure, i, measure->room->piece + r * width, width, measure->most);
            else if (ways[i].group == CHANNEL)
                lose_each(measure, i, measure->room->piece + r * width, width);
}

static npart_status for_strips(struct measure *measure, bool is_again)
{
    const struct shape *shape = measure->shape;
    npart_status status = NPART_OK;
    for (uint64_t o = 0; o < shape->outer && status == NPART_OK; o++)
        for (uint64_t channel = 0; channel < shape->channels && status == NPART_OK; channel += WIDTH) {
            size_t width = shape->channels - channel < WIDTH ? (size_t)(shape->channels - channel) : WIDTH;
            for (uint64_t k = 0; k < shape->contracted && status == NPART_OK; k += STRIP) {
                size_t rows = shape->contracted - k < STRIP ? (size_t)(shape->contracted - k) : STRIP;
                size_t together = width == shape->channels ? rows : 1; /* rows that follow one another in the file */
                uint64_t first = (o * shape->contracted + k) * shape->channels + channel;
                for (size_t r = 0; r < rows && status == NPART_OK; r += together)
                    status = load(measure, first + r * shape->channels, together * width,
                                  measure->room->piece + r * width);
                if (status == NPART_OK)
                    (is_again ? lose_strip : look_at_strip)(measure, rows, width, channel);
            }
        }
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static bool allocate(struct measure *measure, struct npart__arena *arena)
{
    const struct packed *packed = measure->bytes->packed;
    measure->room = npart__arena_allocate(arena, sizeof *measure->room);
    measure->raw = npart__arena_allocate(arena, packed ? RAW + (size_t)packed->blocks * 9 + 1
                                                       : (size_t)PIECE * measure->width);
    measure->largest = npart__arena_zeroed(arena, (size_t)measure->shape->channels + 1, sizeof(float));
    return measure->room && measure->raw && measure->largest;
}

/* 10 log10(sum of squares / sum of squares of what is lost); where nothing is lost infinite, and 0 where that is not
 * known. Numbers that are none, or infinite, have no error that could be told. False when out of memory. */
static bool settle(const struct measure *measure, struct npart__arena *arena)
{
    double *decibels = npart__arena_zeroed(arena, NPART__ROUNDINGS, sizeof *decibels);
    bool *is_known = npart__arena_zeroed(arena, NPART__ROUNDINGS, sizeof *is_known);
    for (unsigned i = 0; decibels && is_known && i < NPART__ROUNDINGS; i++) {
        double lost = measure->errors[i];
        bool is_number = lost >= 0 && lost < (double)INFINITY && measure->square < (double)INFINITY;
        is_known[i] = is_number && lost > 0 && measure->square > 0;
        decibels[i] = is_known[i] ? 10 * log10(measure->square / lost) : is_number ? (double)INFINITY : 0;
    }
    measure->weight->abs_max = (double)measure->most;
    if (measure->groups_of_four)
        measure->weight->two_of_four = (double)measure->two_of_four / (double)measure->groups_of_four;
    measure->weight->decibels = decibels;
    measure->weight->is_known = is_known;
    return decibels && is_known;
}

/* Fills in what is counted and lost, in the arena. */
static npart_status measure_weight(struct npart_weight_loss *weight, const struct shape *shape,
                                   const struct place *bytes, struct npart__arena *arena, struct npart_error *error)
{
    struct npart__arena scratch;
    struct measure measure = {.weight = weight, .shape = shape, .bytes = bytes, .error = error,
                              .width = npart__type_bits(bytes->type) / 8};
    npart__arena_init(&scratch, &arena->allocator);
    npart_status status = allocate(&measure, &scratch) ? NPART_OK : npart__fail_memory(error);
    for (int pass = 0; pass < 2 && status == NPART_OK; pass++) {
        status = shape->inner > 1 || bytes->packed ? for_rows(&measure, pass) : for_strips(&measure, pass);
        for (uint64_t i = 0; i < shape->channels; i++)
            measure.most = measure.largest[i] > measure.most ? measure.largest[i] : measure.most;
    }
    npart__arena_clear(&scratch);
    return status == NPART_OK && !settle(&measure, arena) ? npart__fail_memory(error) : status;
}

/* ---- which there are --------------------------------------------------------------------------------------------- */

enum layout { ROWS, STATES, COLUMNS, LEFT, TURNED, MIDDLE, PACKED };

static const struct {
    const char *op;
    uint32_t operand;
    uint8_t layout; /* enum layout */
} rows[] = {
#define CHANNELS(op, operand, layout) {op, operand, layout},
#include "operator_channels.def"
};

struct reading {
    struct npart__arena *arena;
    const struct npart__graph *graph;
    struct npart__weight_list *out;
    const char *path;
    bool *is_met; /* by value: its weight was measured */
    int descriptor; /* of the file that was opened last; -1: none */
    const char *open_file;
    struct npart_error *error;
};

/* ---- where it is ------------------------------------------------------------------------------------------------- */

/* From a place in the file on; NULL: it is in none. */
static npart_status find_in_file(struct reading *reading, const char *path, const char *weight, uint64_t offset,
                                 struct place *out)
{
    if (path && (!reading->open_file || strcmp(reading->open_file, path) != 0)) {
        if (reading->descriptor >= 0)
            npart__file_close(reading->descriptor);
        reading->descriptor = npart__file_open(path);
        reading->open_file = reading->descriptor < 0 ? NULL : path;
    }
    out->file = path;
    out->offset = offset;
    out->descriptor = reading->descriptor;
    return path && reading->descriptor >= 0 ? NPART_OK
                                            : npart__fail(reading->error, NPART_ERROR_READ, path ? path : "-",
                                                          "the file of weight %s is not there", weight);
}

static npart_status find_external(struct reading *reading, const struct npart__external *at, const char *weight,
                                  struct place *out)
{
    npart_status status = npart__check_location(at->location, reading->error);
    if (status != NPART_OK)
        return status;
    const char *folder = reading->graph->folder && *reading->graph->folder ? reading->graph->folder : ".";
    const char *path = npart__arena_format(reading->arena, "%s/%s", folder, at->location);
    return path ? find_in_file(reading, path, weight, at->offset, out) : npart__fail_memory(reading->error);
}

/* Numbers of typed fields, which stand in the skeleton. */
static npart_status find_typed(struct reading *reading, const struct npart__tensor *tensor, struct place *out)
{
    float *numbers = npart__arena_allocate(reading->arena, (size_t)tensor->elements * sizeof *numbers);
    double *wide = npart__arena_zeroed(reading->arena, (size_t)tensor->elements, sizeof *wide);
    if (!numbers || !wide)
        return npart__fail_memory(reading->error);
    (void)npart__tensor_doubles(tensor, wide, tensor->elements);
    for (uint64_t i = 0; i < tensor->elements; i++)
        numbers[i] = (float)wide[i];
    npart__arena_release(reading->arena, wide);
    out->data = (const uint8_t *)numbers;
    out->type = NPART__FLOAT;
    out->is_native = true;
    return NPART_OK;
}

static npart_status find_bytes(struct reading *reading, const struct npart__tensor *tensor, const char *name,
                               struct place *out)
{
    const Onnx__TensorProto *proto = tensor->data;
    struct npart__external external;
    struct npart__elided elided;
    *out = (struct place){.file = reading->path, .type = tensor->element_type};
    if (npart__tensor_external(tensor, &external))
        return find_external(reading, &external, name, out);
    for (unsigned i = 0; tensor->place == NPART__TENSOR_ELIDED && npart__onnx_elided(&proto->base, i, &elided); i++)
        if (elided.bytes == tensor->bytes)
            return find_in_file(reading, reading->path, name, elided.offset, out);
    if (tensor->place != NPART__TENSOR_INLINE)
        return npart__fail(reading->error, NPART_ERROR_MALFORMED, name,
                           "the weight's data does not fit its dims and type");
    out->data = proto->raw_data.data;
    return proto->has_raw_data ? NPART_OK : find_typed(reading, tensor, out);
}

/* The constant of an operand that has elements, by its own name or a Constant's result; NULL: it is none. */
static const struct npart__tensor *constant_of(const struct reading *reading, const struct npart__node *node,
                                               uint32_t operand)
{
    const struct npart__graph *graph = reading->graph;
    uint32_t value = npart__node_input(graph, node, operand), maker = npart__producer(graph, value);
    const struct npart__tensor *tensor = value == NPART_NONE ? NULL : npart__value_at(graph, value)->tensor;
    if (maker != NPART_NONE && npart__plays(graph, maker, NPART__ROLE_CONSTANT)) {
        const struct npart__attribute *given = npart__node_attribute(graph, npart__node_at(graph, maker), "value");
        tensor = given && given->type == NPART_ATTRIBUTE_TENSOR ? given->u.tensor : NULL;
    }
    return tensor && !tensor->is_sparse && tensor->elements ? tensor : NULL;
}

static const char *operand_name(const struct reading *reading, const struct npart__node *node, uint32_t operand)
{
    return npart__value_name(reading->graph, npart__node_input(reading->graph, node, operand));
}

/* Of a type whose losses are measured. */
static bool is_wide_float(const struct npart__tensor *tensor)
{
    return npart__type_is_float(tensor->element_type) && npart__type_bits(tensor->element_type) >= 16;
}

/* ---- how it lies ------------------------------------------------------------------------------------------------- */

static uint64_t product(const int64_t *dims, uint32_t count)
{
    uint64_t all;
    (void)npart__dims_elements(dims, count, &all);
    return all;
}

static struct shape shape_of(const struct npart__graph *graph, const struct npart__node *node, uint8_t layout,
                             const struct npart__tensor *tensor)
{
    const int64_t *dims = tensor->dims;
    uint32_t rank = tensor->rank;
    if (layout == TURNED)
        layout = npart__node_int(graph, node, "transB", 0) ? ROWS : COLUMNS;
    if (layout == COLUMNS)
        return (struct shape){product(dims, rank - 2), (uint64_t)dims[rank - 2], (uint64_t)dims[rank - 1], 1};
    if (layout == MIDDLE)
        return (struct shape){1, (uint64_t)dims[0], (uint64_t)dims[1], product(dims + 2, rank - 2)};
    uint32_t first = layout == LEFT ? rank - 1 : layout == STATES ? 2 : 1;
    return (struct shape){1, 1, product(dims, first), product(dims + first, rank - first)};
}

/* ---- each once --------------------------------------------------------------------------------------------------- */

/* Whether it is the first time that the operand is met. */
static bool is_first(struct reading *reading, const struct npart__node *node, uint32_t operand)
{
    bool *is_met = &reading->is_met[npart__node_input(reading->graph, node, operand)], was_met = *is_met;
    *is_met = true;
    return !was_met;
}

static npart_status measure(struct reading *reading, const struct npart__node *node, uint32_t operand,
                            struct npart_weight_loss weight, const struct shape *shape, const struct place *bytes)
{
    weight.size = sizeof weight;
    weight.two_of_four = -1;
    weight.name = operand_name(reading, node, operand);
    weight.node = node->name;
    weight.op = npart__node_op(reading->graph, node);
    npart_status status = measure_weight(&weight, shape, bytes, reading->arena, reading->error);
    reading->out->bytes += weight.bytes;
    if (status == NPART_OK && !NPART__PUSH(reading->arena, &reading->out->items, weight))
        status = npart__fail_memory(reading->error);
    return status;
}

static npart_status read_operand(struct reading *reading, const struct npart__node *node, uint32_t operand,
                                 uint8_t layout)
{
    const struct npart__tensor *tensor = constant_of(reading, node, operand);
    if (!tensor || !is_wide_float(tensor) || tensor->rank < (layout == STATES ? 3 : 2) || /* vectors are biases */
        !is_first(reading, node, operand))
        return NPART_OK;
    struct npart_weight_loss weight = {.dims = tensor->dims, .rank = tensor->rank, .elements = tensor->elements,
                                       .bytes = tensor->bytes};
    struct shape shape = shape_of(reading->graph, node, layout, tensor);
    struct place bytes;
    npart_status status = find_bytes(reading, tensor, operand_name(reading, node, operand), &bytes);
    return status == NPART_OK ? measure(reading, node, operand, weight, &shape, &bytes) : status;
}

/* A matrix in blocks, whose numbers are what it stands for. Not one whose zeros are no integers, whose rows have an
 * order of their own, or whose parts lie in several files. */
static npart_status read_packed(struct reading *reading, const struct npart__node *node)
{
    const struct npart__graph *graph = reading->graph;
    uint64_t channels = (uint64_t)npart__node_int(graph, node, "N", 0);
    uint64_t columns = (uint64_t)npart__node_int(graph, node, "K", 0);
    struct packed packed = {.bits = (unsigned)npart__node_int(graph, node, "bits", 4),
                                          .block = (uint64_t)npart__node_int(graph, node, "block_size", 0),
                                          .has_zeros = npart__node_input(graph, node, 3) != NPART_NONE};
    struct place bytes, *const parts[] = {&bytes, &packed.scales, &packed.zeros};
    bool is_known = (packed.bits == 4 || packed.bits == 8) && packed.block >= 16 && packed.block <= 65536 &&
                    !(packed.block & (packed.block - 1)) && channels && columns && channels <= UINT32_MAX &&
                    columns <= UINT32_MAX && npart__node_input(graph, node, 4) == NPART_NONE;
    if (!is_known || !constant_of(reading, node, 1) || !is_first(reading, node, 1))
        return NPART_OK;
    packed.blocks = (columns + packed.block - 1) / packed.block;
    const uint64_t numbers[] = {channels * packed.blocks * packed.block * packed.bits / 8, channels * packed.blocks,
                                channels * ((packed.blocks * packed.bits + 7) / 8)};
    npart_status status = NPART_OK;
    for (uint32_t i = 0; is_known && status == NPART_OK && i < 2u + packed.has_zeros; i++) {
        const struct npart__tensor *tensor = constant_of(reading, node, i + 1);
        is_known = tensor && tensor->elements == numbers[i];
        status = is_known ? find_bytes(reading, tensor, operand_name(reading, node, i + 1), parts[i]) : status;
        is_known = is_known && status == NPART_OK &&
                   (i == 1 ? is_wide_float(tensor) : parts[i]->type == NPART__UINT8) &&
                   (parts[i]->data || strcmp(parts[i]->file, bytes.file) == 0);
    }
    int64_t *dims = npart__arena_zeroed(reading->arena, 2, sizeof *dims);
    if (status != NPART_OK || !is_known || !dims)
        return status == NPART_OK && is_known ? npart__fail_memory(reading->error) : status;
    dims[0] = (int64_t)channels;
    dims[1] = (int64_t)columns;
    bytes.packed = &packed;
    const struct npart_weight_loss weight = {
        .rank = 2, .dims = dims, .elements = channels * columns, .bytes = numbers[0]};
    return measure(reading, node, 1, weight, &(struct shape){1, 1, channels, columns}, &bytes);
}

static npart_status read_node(struct reading *reading, const struct npart__node *node)
{
    npart_status status = NPART_OK;
    for (size_t i = 0; i < NPART__COUNT(rows) && status == NPART_OK; i++)
        if (strcmp(rows[i].op, npart__node_op(reading->graph, node)) == 0)
            status = rows[i].layout == PACKED ? read_packed(reading, node)
                                              : read_operand(reading, node, rows[i].operand, rows[i].layout);
    return status;
}

/* Of what stands sparse in the file the zeros are counted; what it would lose is not known. */
static npart_status list_sparse(struct reading *reading, uint32_t scope)
{
    static const double none[NPART__ROUNDINGS];
    static const bool unknown[NPART__ROUNDINGS];
    for (uint32_t i = 0; i < reading->graph->values.count; i++) {
        const struct npart__value *value = npart__value_at(reading->graph, i);
        const struct npart__tensor *tensor = value->scope == scope ? value->tensor : NULL;
        if (!tensor || !tensor->is_sparse || !tensor->elements || !is_wide_float(tensor))
            continue;
        const Onnx__TensorProto *values = tensor->data;
        uint64_t there = values->n_dims == 1 && values->dims[0] > 0 ? (uint64_t)values->dims[0] : 0;
        struct npart_weight_loss weight = {sizeof weight, tensor->name, "", "", .dims = tensor->dims,
                                           .rank = tensor->rank, .abs_max = (double)NAN, .two_of_four = -1,
                                           .elements = tensor->elements, .decibels = none, .is_known = unknown,
                                           .zeros = there < tensor->elements ? tensor->elements - there : 0};
        if (!NPART__PUSH(reading->arena, &reading->out->items, weight))
            return npart__fail_memory(reading->error);
    }
    return NPART_OK;
}

/* A body's weights after those of its node. Bodies are messages within messages, so the depth of the scan is that of
 * this recursion. */
static npart_status read_scope(struct reading *reading, uint32_t scope)
{
    const struct npart__scope *at = npart__scope_at(reading->graph, scope);
    npart_status status = list_sparse(reading, scope);
    for (uint32_t i = 0; i < at->node_count && status == NPART_OK; i++) {
        const struct npart__node *node = npart__node_at(reading->graph, at->first_node + i);
        status = read_node(reading, node);
        for (uint32_t k = 0; k < node->body_count && status == NPART_OK; k++)
            status = read_scope(reading, node->first_body + k);
    }
    return status;
}

npart_status npart__weights_read(const struct npart__graph *graph, const char *path, struct npart__arena *arena,
                                 struct npart__weight_list *out, struct npart_error *error)
{
    struct reading reading = {.arena = arena, .graph = graph, .out = out, .path = path, .descriptor = -1,
                              .error = error};
    *out = (struct npart__weight_list){.bytes = 0};
    reading.is_met = npart__arena_zeroed(arena, graph->values.count + (size_t)1, sizeof(bool));
    npart_status status = reading.is_met ? read_scope(&reading, 0) : npart__fail_memory(error);
    if (reading.descriptor >= 0)
        npart__file_close(reading.descriptor);
    return status;
}
