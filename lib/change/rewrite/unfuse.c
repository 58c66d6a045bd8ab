/* SPDX-License-Identifier: Apache-2.0
 *
 * EmbedLayerNormalization of ONNX Runtime's optimizer as what it was made of. Others are patterns of
 * oplists/standard.rewrites. Other rounding: its kernels sum rows of a normalization at once.
 */
#include "rewrite/functions.h"

/* Elements of a constant that is as long as a dim: dims come from the file, and cost nothing there. */
#define LIMIT_ELEMENTS (1 << 20)

/* Operands of com.microsoft:EmbedLayerNormalization. */
enum { IDS, KINDS, WORDS, PLACES, KIND_WEIGHTS, GAMMA, BETA, EMBED_MASK, PLACE_IDS };

/* Over the last axis, with the operator where the opset has it. epsilon's default is that of the compound
 * operator, not the standard's. LayerNormalization is of opset 17; before, it is written out. */
static const char *normalize(struct npart__site *site, const char *x, const char *gamma, const char *beta)
{
    const int64_t last = 2;
    double epsilon = npart__site_float(site, site->id, "epsilon", (double)1e-12f);
    if (npart__site_opset(site) >= 17) {
        const char *made = NPART__MAKE(site, "LayerNormalization", x, gamma, beta);
        npart__give_int(site, "axis", -1);
        npart__give_float(site, "epsilon", epsilon);
        return made;
    }
    const char *centred = npart__make_subtract(site, x, npart__make_reduce_mean(site, x, &last, 1, true));
    const char *squares = NPART__MAKE(site, "Pow", centred, npart__make_scalar(site, NPART__FLOAT, 2));
    const char *variance = npart__make_reduce_mean(site, squares, &last, 1, true);
    const char *spread = npart__make_add(site, variance, npart__make_scalar(site, NPART__FLOAT, epsilon));
    const char *scaled = npart__make_divide(site, centred, NPART__MAKE(site, "Sqrt", spread));
    return npart__make_add(site, npart__make_multiply(site, scaled, gamma), beta);
}

/* Rows of a table. Both are numbers of operands, not values. */
static const char *gather(struct npart__site *site, uint32_t table, uint32_t indices)
{
    const char *made =
        npart__make_gather(site, npart__operand_name(site, table), npart__operand_name(site, indices));
    npart__give_int(site, "axis", 0);
    return made;
}

/* How many places of each row the mask has a 1 at; without a mask, 0. The second result, mask_index: [batch]. */
static const char *count_places(struct npart__site *site, int64_t batch)
{
    const int64_t axis = 1;
    if (!npart__has_operand(site, EMBED_MASK)) {
        int64_t *none = npart__arena_zeroed(site->arena, (size_t)batch, sizeof *none);
        site->failed |= !none;
        return none ? npart__make_int_constant(site, NPART__INT32, &batch, 1, none) : NULL;
    }
    const char *is_one =
        NPART__MAKE(site, "Equal", npart__operand_name(site, EMBED_MASK), npart__make_scalar(site, NPART__INT32, 1));
    return npart__make_reduce_sum(site, npart__make_cast(site, is_one, NPART__INT32), &axis, 1, false);
}

/* Words, places and, where there are any, kinds (segments) are summed and normalized. Without place ids the
 * places are those from 0 on, a Slice of their table; the table must be long enough. From opset 7 on Add
 * broadcasts by itself: places are [length,hidden], words [batch,length,hidden]. */
bool npart__rewrite_unfuse(struct npart__site *site)
{
    int64_t ids[NPART__LIMIT_RANK], places[NPART__LIMIT_RANK];
    uint32_t ids_rank, places_rank;
    if (npart__site_type(site, npart__operand(site, WORDS)) != NPART__FLOAT ||
        !npart__site_dims(site, npart__operand(site, IDS), ids, &ids_rank) || ids_rank != 2 || ids[0] <= 0 ||
        ids[0] > LIMIT_ELEMENTS || ids[1] <= 0 ||
        !npart__site_dims(site, npart__operand(site, PLACES), places, &places_rank) || places_rank != 2 ||
        ids[1] > places[0] || !npart__has_operand(site, GAMMA) ||
        !npart__has_operand(site, BETA) || npart__site_int(site, site->id, "mask_index_type", 0) ||
        npart__has_operand(site, KINDS) != npart__has_operand(site, KIND_WEIGHTS) ||
        npart__site_opset(site) < 7)
        return false;
    const char *place = !npart__has_operand(site, PLACE_IDS)
                            ? npart__make_slice(site, npart__operand_name(site, PLACES), 0, 0, ids[1], 1)
                            : gather(site, PLACES, PLACE_IDS);
    const char *sum = npart__make_add(site, gather(site, WORDS, IDS), place);
    if (npart__has_operand(site, KINDS))
        sum = npart__make_add(site, sum, gather(site, KIND_WEIGHTS, KINDS));
    npart__finish(site, 0, normalize(site, sum, npart__operand_name(site, GAMMA), npart__operand_name(site, BETA)));
    if (!npart__is_unused(site, npart__result(site, 1)))
        npart__finish(site, 1, count_places(site, ids[0]));
    if (!npart__is_unused(site, npart__result(site, 2)))
        npart__finish(site, 2, sum);
    return true;
}
