/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that hand their operand on: ONNX Runtime drops few of them, and a compiler may have no such operator, or not at
 * that rank or type.
 */
#include "rewrite/axes.h"

/* Without an order the axes are reversed. */
static bool keeps_order(const struct npart__site *site, const struct npart__dims *dims)
{
    uint32_t count;
    const int64_t *order = npart__site_int_list(site, site->id, "perm", &count);
    return order ? count == dims->rank && npart__keeps_order(order, count, dims->at) : dims->rank < 2;
}

/* Of an operand that is left out, nothing is asked. */
static bool are_all(struct npart__site *site, uint32_t operand, bool (*is_so)(int64_t number))
{
    uint32_t value = npart__operand(site, operand), count = 0;
    const int64_t *numbers = value == NPART_NONE ? NULL : npart__site_ints(site, value, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!is_so(numbers[i]))
            return false;
    return value == NPART_NONE || numbers;
}

static bool is_zero(int64_t number)
{
    return number == 0;
}

static bool is_positive(int64_t number)
{
    return number > 0;
}

/* As many elements along each axis as before, and all of them in their order. A step of -1 makes as many; pads of 1 and
 * -1 do, too. */
static bool keeps_elements(struct npart__site *site, const struct npart__dims *dims)
{
    if (!npart__has_dims(site, npart__result(site, 0), dims))
        return false;
    switch ((enum npart__elements)site->node->traits->elements) {
    case NPART__ELEMENTS_TRANSPOSE:
        return keeps_order(site, dims);
    case NPART__ELEMENTS_SLICE:
        return are_all(site, 4, is_positive);
    case NPART__ELEMENTS_PAD:
        return site->node->input_count > 1 && are_all(site, 1, is_zero);
    case NPART__ELEMENTS_VIEW:
    case NPART__ELEMENTS_SQUEEZE:
    case NPART__ELEMENTS_UNSQUEEZE:
    case NPART__ELEMENTS_EXPAND:
    case NPART__ELEMENTS_TILE:
        return true;
    default:
        return false;
    }
}

/* Outside of training nothing is dropped. Before opset 7 that is an attribute's to say. */
static bool drops_nothing(struct npart__site *site)
{
    uint32_t mode = npart__operand(site, 2);
    return npart__comes_from(site->node, NPART__WAY(DROPS)) && npart__site_opset(site) >= 7 &&
           npart__is_unused(site, npart__result(site, 1)) &&
           (mode == NPART_NONE || are_all(site, 2, is_zero));
}

/* Of one operand such an operator makes that operand: the sum of one number is that number. */
static bool takes_any_number(const struct npart__node *node)
{
    struct npart__operand first;
    return npart__comes_from(node, NPART__WAY(EACH) | NPART__WAY(CONCAT)) && node->schema &&
           npart__operator_input(node->schema, 0, &first) && first.is_variadic;
}

/* Of known sizes alone: what stands among dynamic ones is left to the CPU with them, and nothing is won. */
bool npart__rewrite_no_op(struct npart__site *site)
{
    uint32_t x = npart__operand(site, 0), y = npart__result(site, 0);
    int type = npart__site_type(site, x);
    struct npart__dims dims;
    if (x == NPART_NONE || y == NPART_NONE || !npart__full_dims(site, x, &dims))
        return false;
    bool is_same = site->node->input_count == 1 && takes_any_number(site->node);
    is_same |= npart__comes_from(site->node, NPART__WAY(CASTS)) && type && type == npart__site_type(site, y);
    if (!is_same && !drops_nothing(site) && !keeps_elements(site, &dims))
        return false;
    npart__finish(site, 0, npart__site_name(site, x));
    return true;
}
