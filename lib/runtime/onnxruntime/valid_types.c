/* SPDX-License-Identifier: Apache-2.0
 *
 * Element types: those that the schema allows, those that must agree, and what the file declares
 * of results. Where a type is not known nothing is found: the runtime may know it or not, and a
 * finding must be certain.
 * Modelled on Graph::InferAndVerifyTypeMatch of onnxruntime/core/graph/graph.cc.
 */
#include "onnxruntime/valid_checks.h"

/* Type variables of one operator; those past the last are not compared. */
#define MOST_VARIABLES 16u

/* What a type variable was bound to by the first operand that has it. */
struct binding {
    const char *variable;
    size_t length;
    const struct npart__fact *fact;
    struct npart__operand operand;
};

struct bindings {
    struct binding items[MOST_VARIABLES];
    uint32_t count;
};

/* Types that a mask has no bit for are let pass: they are newer than the table. 0 is a type that is not known.
 * The mask 0x10c02 has the bits 1, 10, 11 and 16: float32, float16, float64 and bfloat16. */
static bool has_bit(uint32_t mask, uint8_t element_type)
{
    return element_type == 0 || element_type >= 32 || (mask >> element_type & 1);
}

/* Whether a variable may stand for a fact's type; true where that is not known. An empty mask of a kind says that
 * the schema takes none of it. */
static bool allows(const struct npart__type_set *set, const struct npart__fact *fact)
{
    const struct npart__fact *element = fact->element;
    switch ((enum npart__type_kind)fact->kind) {
    case NPART__TYPE_TENSOR:
        return has_bit(set->tensor, fact->element_type);
    case NPART__TYPE_SPARSE:
        return has_bit(set->sparse, fact->element_type);
    case NPART__TYPE_SEQUENCE:
        if (element && element->kind == NPART__TYPE_MAP)
            return set->has_map_sequence;
        if (element && element->kind == NPART__TYPE_TENSOR)
            return has_bit(set->sequence, element->element_type);
        return set->sequence || set->has_map_sequence;
    case NPART__TYPE_OPTIONAL:
        if (element && element->kind == NPART__TYPE_TENSOR)
            return has_bit(set->optional, element->element_type);
        return set->optional || set->optional_sequence;
    case NPART__TYPE_MAP:
        return set->has_map;
    default:
        return true;
    }
}

/* Whether two types are certainly not the same. Of sequences, optionals and maps the element
 * decides. Shapes are not compared: one variable stands for a type alone. */
static bool differ(const struct npart__fact *a, const struct npart__fact *b)
{
    if (a->kind == NPART__TYPE_UNKNOWN || b->kind == NPART__TYPE_UNKNOWN)
        return false;
    if (a->kind != b->kind)
        return true;
    if (a->element && b->element)
        return differ(a->element, b->element);
    return a->element_type && b->element_type && a->element_type != b->element_type;
}

/* A type for a message; of what is no tensor only the kind. */
static const char *type_word(const struct npart__fact *fact)
{
    switch ((enum npart__type_kind)fact->kind) {
    case NPART__TYPE_SEQUENCE:
        return "a sequence";
    case NPART__TYPE_OPTIONAL:
        return "an optional";
    case NPART__TYPE_MAP:
        return "a map";
    case NPART__TYPE_SPARSE:
        return "a sparse tensor";
    default:
        return npart__type_name(fact->element_type);
    }
}

/* What the variable of an operand was bound to before, NULL where this is the first operand that
 * has it. Variables are few for an operator, so they are looked through. */
static struct binding *find_binding(struct bindings *bindings, const struct npart__operand *operand)
{
    for (uint32_t i = 0; i < bindings->count; i++) {
        struct binding *at = &bindings->items[i];
        if (at->length == operand->type_length && memcmp(at->variable, operand->type, at->length) == 0)
            return at;
    }
    return NULL;
}

/* The type of an operand that the schema fixes; 0: it has a variable, or is no tensor. */
static int fixed_type(const struct npart__operand *operand)
{
    return npart__type_number(operand->type, operand->type_length);
}

/* The type of one input, against what the schema fixes or allows, and against the first operand
 * with the same variable. Variadic operands that need not agree are only held against the schema. In Add with
 * A:T and B:T a float32 binds T by A, and an int64 for B is told with both names. */
static void check_input(struct npart__validity *validity, uint32_t node, const struct npart__operator *schema,
                        struct bindings *bindings, const struct npart__operand *operand, const struct npart__fact *fact)
{
    struct npart__type_set set;
    int fixed = fixed_type(operand);
    bool has_set = !fixed && npart__operator_types(schema, operand->type, operand->type_length, &set);
    bool is_allowed = fixed ? fact->kind == NPART__TYPE_TENSOR && fact->element_type == fixed
                            : !has_set || allows(&set, fact);
    /* A tensor of unknown type may be of the right one. */
    if (fixed && fact->kind == NPART__TYPE_TENSOR && fact->element_type == 0)
        return;
    if (!is_allowed) {
        npart__refuse(validity, node, "", "element type %s is not allowed for input %.*s of %s", type_word(fact),
                      (int)operand->name_length, operand->name, schema->name);
        return;
    }
    /* What is loose in a variadic list (If, Loop) may differ from operand to operand. */
    if (!has_set || (set.is_loose && operand->is_variadic))
        return;
    struct binding *bound = find_binding(bindings, operand);
    if (bound && differ(bound->fact, fact))
        npart__refuse(validity, node, "", "inputs %.*s and %.*s of %s must have the same type; found %s and %s",
                      (int)bound->operand.name_length, bound->operand.name, (int)operand->name_length, operand->name,
                      schema->name, type_word(bound->fact), type_word(fact));
    else if (!bound && bindings->count < MOST_VARIABLES)
        bindings->items[bindings->count++] = (struct binding){.variable = operand->type,
                                                              .length = operand->type_length,
                                                              .fact = fact,
                                                              .operand = *operand};
}

/* What the file declares of a result must be what the operator makes. Results have the type that
 * their variable was bound to by an input; where no input has it, what the inference says, or at
 * least a type that the schema allows. Only declarations of tensors are compared; shapes are inference's. */
static void check_output(struct npart__validity *validity, uint32_t node, const struct npart__operator *schema,
                         struct bindings *bindings, const struct npart__operand *operand, uint32_t value)
{
    const struct npart__declared_type *declared = npart__value_at(validity->graph, value)->declared;
    if (!declared || declared->kind != NPART__TYPE_TENSOR || !declared->element_type)
        return;
    int made = fixed_type(operand);
    struct npart__type_set set;
    const struct binding *bound = made || operand->is_variadic ? NULL : find_binding(bindings, operand);
    if (bound && bound->fact->kind == NPART__TYPE_TENSOR)
        made = bound->fact->element_type;
    /* Of other domains our inference is not the runtime's: only the schema can be held against them. */
    if (!made && !*schema->domain && validity->view->facts[value].kind == NPART__TYPE_TENSOR)
        made = validity->view->facts[value].element_type;
    if (made && made != declared->element_type)
        npart__refuse(validity, node, "", "output %.*s of %s must be declared as %s; found %s",
                      (int)operand->name_length, operand->name, schema->name, npart__type_name(made),
                      npart__type_name(declared->element_type));
    else if (!made && npart__operator_types(schema, operand->type, operand->type_length, &set) &&
             !has_bit(set.tensor, declared->element_type))
        npart__refuse(validity, node, "", "element type %s is not allowed for output %.*s of %s",
                      npart__type_name(declared->element_type), (int)operand->name_length, operand->name,
                      schema->name);
}

/* Inputs first, since they bind the variables that results are held against. Operands beyond those of the schema
 * have been told by check_side. */
void npart__check_types(struct npart__validity *validity, uint32_t id, const struct npart__operator *schema)
{
    const struct npart__graph *graph = validity->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    struct bindings bindings = {.count = 0};
    struct npart__operand operand;
    for (uint32_t i = 0; i < node->input_count && npart__operator_input(schema, i, &operand); i++) {
        uint32_t value = npart__node_input(graph, node, i);
        if (value == NPART_NONE)
            continue;
        const struct npart__fact *fact = &validity->view->facts[value];
        const struct npart__declared_type *declared = npart__value_at(graph, value)->declared;
        if (declared && declared->kind != fact->kind) /* what a loop makes of an optional that it begins with */
            continue;
        if (fact->kind != NPART__TYPE_UNKNOWN)
            check_input(validity, id, schema, &bindings, &operand, fact);
    }
    for (uint32_t i = 0; i < node->output_count && npart__operator_output(schema, i, &operand); i++) {
        uint32_t value = npart__node_output(graph, node, i);
        if (value != NPART_NONE)
            check_output(validity, id, schema, &bindings, &operand, value);
    }
}
