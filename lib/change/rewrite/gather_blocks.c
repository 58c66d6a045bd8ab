/* SPDX-License-Identifier: Apache-2.0
 *
 * com.microsoft:GatherBlockQuantized, an embedding of which each row is quantized in blocks, without unpacking the
 * table. Bytes are gathered as a QDQ node unit with scale 1 and zero point 0, which compilers take where they do not
 * take a Gather of plain bytes; then they are numbers up to 255, exact in float16, too, and what they hold are their
 * digits: the quotient by 16, rounded down, and the rest.
 *
 *   table uint8[8192,448], ids [1,1]  ->  bytes [1,448]  ->  low and high digits [1,448,2]  ->  blocks [1,28,32]
 */
#include "rewrite/axes.h"

enum { DATA, INDICES, SCALES, ZEROS };

/* A table of packed numbers, the rows that are taken, and the blocks of a row. */
struct blocks {
    struct npart__dims indices;
    int64_t rows, bytes, blocks, size; /* of all indices; of a row; numbers of a block */
    uint32_t bits;
    int type; /* of the result */
};

static bool read_blocks(const struct npart__site *site, struct blocks *out)
{
    struct npart__dims data, scales;
    int64_t bits = npart__site_int(site, site->id, "bits", 4);
    uint32_t axis, quantized;
    if (!npart__has_operand(site, DATA) || !npart__has_operand(site, INDICES) || !npart__has_operand(site, SCALES) ||
        !npart__full_dims(site, npart__operand(site, DATA), &data) || data.rank != 2 ||
        !npart__full_dims(site, npart__operand(site, SCALES), &scales) || scales.rank != 2 ||
        !npart__full_dims(site, npart__operand(site, INDICES), &out->indices) ||
        out->indices.rank >= NPART__LIMIT_RANK ||
        !npart__axis_attribute(site, "gather_axis", 0, 2, &axis) || axis != 0 ||
        !npart__axis_attribute(site, "quantize_axis", 1, 2, &quantized) || quantized != 1 ||
        npart__site_type(site, npart__operand(site, DATA)) != NPART__UINT8 || (bits != 2 && bits != 4 && bits != 8))
        return false;
    out->bits = (uint32_t)bits;
    out->size = npart__site_int(site, site->id, "block_size", 128);
    out->rows = npart__volume(&out->indices, 0, out->indices.rank);
    out->bytes = data.at[1];
    out->blocks = scales.at[1];
    out->type = npart__site_type(site, npart__operand(site, SCALES));
    int64_t width;
    return out->size > 0 && npart__multiply_int64(out->blocks, out->size, &width) &&
           width == out->bytes * (8 / bits) && scales.at[0] == data.at[0] &&
           (out->type == NPART__FLOAT || out->type == NPART__FLOAT16);
}

/* Zero points are packed as the numbers are; then a byte must not be filled up. */
static bool fit_zeros(const struct npart__site *site, const struct blocks *at)
{
    struct npart__dims zeros, data;
    if (!npart__has_operand(site, ZEROS))
        return true;
    return npart__full_dims(site, npart__operand(site, DATA), &data) &&
           npart__full_dims(site, npart__operand(site, ZEROS), &zeros) && zeros.rank == 2 &&
           zeros.at[0] == data.at[0] && at->blocks == zeros.at[1] * (8 / at->bits) &&
           npart__site_type(site, npart__operand(site, ZEROS)) == NPART__UINT8;
}

static const char *gather(struct npart__site *site, const char *table)
{
    const char *rows = npart__make_gather(site, table, npart__operand_name(site, INDICES));
    npart__give_int(site, "axis", 0);
    return rows;
}

/* Bytes of the taken rows as numbers, of the type of the result. */
static const char *gather_bytes(struct npart__site *site, const struct blocks *at, const char *table)
{
    const char *one = npart__make_scalar(site, NPART__FLOAT, 1), *zero = npart__make_scalar(site, NPART__UINT8, 0);
    const char *rows = gather(site, NPART__MAKE(site, "DequantizeLinear", table, one, zero));
    rows = NPART__MAKE(site, "QuantizeLinear", rows, one, zero);
    rows = NPART__MAKE(site, "DequantizeLinear", rows, one, zero);
    return at->type == NPART__FLOAT ? rows : npart__make_cast(site, rows, at->type);
}

/* Of [rows, bytes] the digits, lowest first, as [rows, columns, size]. */
static const char *unpack(struct npart__site *site, const struct blocks *at, const char *bytes, int64_t count,
                          int64_t columns, int64_t size)
{
    const int64_t each[] = {at->rows, count, 1}, shaped[] = {at->rows, columns, size};
    uint32_t digits = 8 / at->bits;
    const char *parts[4];
    for (uint32_t i = 0; i + 1 < digits; i++) {
        double base = (double)(1u << at->bits);
        const char *quotient = npart__make_multiply(site, bytes, npart__make_scalar(site, at->type, 1 / base));
        quotient = NPART__MAKE(site, "Floor", quotient);
        const char *rest = npart__make_multiply(site, quotient, npart__make_scalar(site, at->type, base));
        parts[i] = npart__make_reshape(site, npart__make_subtract(site, bytes, rest), each, 3);
        bytes = quotient;
    }
    if (digits == 1)
        return npart__make_reshape(site, bytes, shaped, 3);
    parts[digits - 1] = npart__make_reshape(site, bytes, each, 3);
    return npart__make_reshape(site, npart__make_concat(site, parts, digits, 2), shaped, 3);
}

bool npart__rewrite_gather_blocks(struct npart__site *site)
{
    struct blocks at;
    if (!read_blocks(site, &at) || !fit_zeros(site, &at))
        return false;
    const int64_t by_block[] = {at.rows, at.blocks, 1};
    struct npart__dims whole = at.indices;
    npart__push_dim(&whole, at.blocks * at.size);
    const char *bytes = gather_bytes(site, &at, npart__operand_name(site, DATA));
    const char *numbers = unpack(site, &at, bytes, at.bytes, at.blocks, at.size);
    const char *zeros = npart__make_scalar(site, at.type, (double)(1u << (at.bits - 1)));
    if (npart__has_operand(site, ZEROS)) {
        bytes = gather_bytes(site, &at, npart__operand_name(site, ZEROS));
        zeros = unpack(site, &at, bytes, at.blocks * at.bits / 8, at.blocks, 1);
    }
    const char *scales = npart__make_reshape(site, gather(site, npart__operand_name(site, SCALES)), by_block, 3);
    numbers = npart__make_multiply(site, npart__make_subtract(site, numbers, zeros), scales);
    npart__finish(site, 0, npart__make_reshape(site, numbers, whole.at, whole.rank));
    return true;
}
