/* SPDX-License-Identifier: Apache-2.0
 *
 * RotaryEmbedding of ONNX Runtime and of the standard by their definitions: each head's pairs turned by the angle of
 * their token's position.
 */
#include "rewrite/axes.h"
#include "rewrite/group_query.h"

/* What the schema has and ONNX Runtime's CPU kernel leaves out cannot be told to be the same. */
static const char *find_other_form(const struct npart__site *site)
{
    if (npart__number(site, "is_packed_batching", 0) != 0)
        return "its batch is ragged (is_packed_batching), which is not followed";
    if (npart__site_float(site, site->id, "scale", 1) != 1)
        return "it has a scale, which its definition and ONNX Runtime's kernel do not agree on";
    return NULL;
}

const char *npart__read_rotary(const struct npart__site *site, struct npart__rotary *out)
{
    bool is_ours = site->node->domain == 0;
    *out = (struct npart__rotary){.positions = is_ours ? 3 : 1, .cosine = is_ours ? 1 : 2, .sine = is_ours ? 2 : 3};
    uint32_t x = npart__operand(site, 0);
    int type = npart__site_type(site, x);
    int64_t columns = npart__last_dim(site, x), wide = npart__number(site, "rotary_embedding_dim", 0);
    if (x == NPART_NONE || !npart__has_operand(site, out->cosine) || !npart__has_operand(site, out->sine))
        return "an operand that it must have is missing";
    int64_t half = npart__last_dim(site, npart__operand(site, out->cosine));
    const char *reason = find_other_form(site);
    if (reason)
        return reason;
    if (type != NPART__FLOAT && type != NPART__FLOAT16)
        return "its element type is neither float32 nor float16";
    if (!half || half != npart__last_dim(site, npart__operand(site, out->sine)) || half > INT32_MAX)
        return "the width of its tables is not known";
    if (!columns || (!npart__site_rank(site, x, &out->rank) || (out->rank != 3 && out->rank != 4)))
        return "its rank or the size of its heads is not known";
    out->heads = npart__number(site, "num_heads", 0);
    out->turn.turned = 2 * half;
    out->turn.is_interleaved = npart__number(site, "interleaved", 0) == 1;
    /* Without a number of heads each of them is turned wholly. */
    if (out->rank == 4) {
        out->size = columns;
    } else {
        out->size = out->heads > 0 && columns % out->heads == 0 ? columns / out->heads : out->heads ? 0 : 2 * half;
        out->heads = out->size && columns % out->size == 0 ? columns / out->size : 0;
    }
    out->turn.size = out->size;
    return (out->rank == 3 && out->heads <= 0) || out->turn.turned > out->size || (wide && wide != out->turn.turned)
               ? "the size of its heads is not known, or its tables do not suit it"
               : NULL;
}

void npart__make_rotary(struct npart__site *site, const struct npart__rotary *at, const char *cosine,
                        const char *sine)
{
    const int64_t heads[] = {0, 0, at->heads, at->size}, whole[] = {0, 0, at->heads * at->size};
    const char *x = npart__operand_name(site, 0);
    struct npart__turn turn = at->turn;
    turn.cosine = cosine;
    turn.sine = sine;
    x = at->rank == 3 ? npart__make_reshape_to(site, x, heads, 4) : x;
    x = npart__make_turned(site, x, &turn);
    npart__finish(site, 0, at->rank == 3 ? npart__make_reshape_to(site, x, whole, 3) : x);
}

/* Rows of both tables: given as such, or looked up. A single position is that of the first token. */
static bool look_up(struct npart__site *site, const struct npart__rotary *at, const char **rows)
{
    uint32_t rank = 0, table_rank = 0, operands[] = {at->cosine, at->sine};
    int64_t tokens = 0;
    const struct npart__fact *x = npart__fact_of(site->inference, npart__operand(site, 0));
    bool has_positions = npart__has_operand(site, at->positions);
    if (!npart__site_rank(site, npart__operand(site, at->cosine), &table_rank) ||
        table_rank != (has_positions ? 2 : 3))
        return false;
    if (has_positions && (!npart__site_rank(site, npart__operand(site, at->positions), &rank) || rank < 1 || rank > 2))
        return false;
    const char *positions = npart__operand_name(site, at->positions);
    tokens = x->dims[at->rank == 3 ? 1 : 2];
    if (rank == 1 && (!npart__is_number(tokens) || tokens <= 0 || tokens > INT32_MAX))
        return false;
    if (rank == 1) {
        static const int64_t first[] = {0};
        positions = npart__make_add(site, positions, npart__make_counting(site, NPART__INT64, &tokens, 1));
        positions = npart__make_unsqueeze(site, positions, first, 1);
    }
    for (uint32_t i = 0; i < 2; i++) {
        static const int64_t heads[] = {2}, before[] = {1};
        rows[i] = npart__operand_name(site, operands[i]);
        if (has_positions) {
            rows[i] = npart__make_gather(site, rows[i], positions);
            npart__give_int(site, "axis", 0);
        }
        rows[i] = npart__make_unsqueeze(site, rows[i], at->rank == 3 ? heads : before, 1);
    }
    return true;
}

bool npart__rewrite_rotary(struct npart__site *site)
{
    struct npart__rotary at;
    const char *rows[2];
    if (npart__read_rotary(site, &at) || !look_up(site, &at, rows))
        return false;
    npart__make_rotary(site, &at, rows[0], rows[1]);
    return true;
}
