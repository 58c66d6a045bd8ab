/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a new node is valid, and can be run where the target does not take it: by the schema of the model's version,
 * and by the kernels of ONNX Runtime's CPU provider. A rewrite that would write a model that does not load is none.
 */
#include "rewrite/kernels.h"

/* 0 for a type that a set has no place for. */
static uint32_t type_bit(int element_type)
{
    return element_type > 0 && element_type < 32 ? UINT32_C(1) << element_type : 0;
}

/* The types that an operand may have; all where the schema does not say. Either one type by its name or a
 * variable, of which the schema lists the types. */
static uint32_t types_of(const struct npart__operator *op, const struct npart__operand *operand)
{
    struct npart__type_set set;
    int single = npart__type_number(operand->type, operand->type_length);
    if (single)
        return type_bit(single);
    return npart__operator_types(op, operand->type, operand->type_length, &set) ? set.tensor : UINT32_MAX;
}

/* The operand at a place; further ones of a variadic operand are as its last. Concat lists one operand, which is
 * variadic: its third operand is found as its first. */
static bool find_input(const struct npart__operator *op, uint32_t index, struct npart__operand *out)
{
    if (npart__operator_input(op, index, out))
        return true;
    for (uint32_t i = 0; npart__operator_input(op, i, out); i++)
        if (out->is_variadic)
            return true;
    return false;
}

/* Sessions put Casts round nodes of FLOAT16 that have no kernel (core/optimizer/insert_cast_transformer.cc). Of
 * the newest release that is described: models are written for it. */
static bool has_kernel(const struct npart__operator *op, const struct npart__operand *operand, int element_type)
{
    struct npart__operator kernel;
    if (*op->domain || (npart__operator_flags(op) & NPART__OPERATOR_FUNCTION))
        return true; /* no table of them; or it is replaced by others */
    if (!npart__kernel_find(NPART__RELEASE_NEWEST, op, &kernel))
        return false;
    return npart__kernel_takes(&kernel, operand, element_type) ||
           (element_type == NPART__FLOAT16 && npart__kernel_takes(&kernel, operand, NPART__FLOAT));
}

/* Whether both have one type variable ("T"), or one type. Texts of the schema are not terminated. */
static bool same_variable(const struct npart__operand *a, const struct npart__operand *b)
{
    return a->type_length == b->type_length && memcmp(a->type, b->type, a->type_length) == 0;
}

/* Types that are not known are not held against it; what comes of that is seen when the version is analysed. */
bool npart__can_make(const struct npart__operator *version, const struct npart__put_value *operands, uint32_t count,
                     int *result_type)
{
    struct npart__operand operand, result, other;
    bool has_result = version && npart__operator_output(version, 0, &result);
    *result_type = has_result ? npart__type_number(result.type, result.type_length) : 0;
    if (!version)
        return true;
    for (uint32_t i = 0; i < count; i++) {
        bool is_there = *operands[i].name != '\0';
        int type = operands[i].element_type;
        if (!find_input(version, i, &operand) || (!is_there && !operand.is_optional))
            return false;
        if (!is_there || !type)
            continue;
        if (!(types_of(version, &operand) & type_bit(type)) || !has_kernel(version, &operand, type))
            return false;
        /* The result has the type of an operand of its variable. */
        if (has_result && same_variable(&operand, &result))
            *result_type = type;
        for (uint32_t k = 0; k < i; k++) { /* of one variable, one type */
            bool agrees = !operands[k].element_type || operands[k].element_type == type;
            if (!agrees && find_input(version, k, &other) && same_variable(&operand, &other) && !operand.is_variadic)
                return false;
        }
    }
    return true;
}
