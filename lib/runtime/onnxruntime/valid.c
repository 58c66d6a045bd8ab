/* SPDX-License-Identifier: Apache-2.0
 *
 * The checks, in the runtime's order: versions, then each node against its schema, then types
 * and shapes. An order matters, since the runtime stops at the first mistake: a node whose
 * operands are wrong is not asked for its shapes.
 * Modelled on onnxruntime/core/graph/model.cc and graph.cc (VerifyNodeAndOpMatch,
 * InferAndVerifyTypeMatch) and on onnx/checker.cc and defs/schema.cc (OpSchema::Verify).
 */
#include <stdarg.h>
#include <stdio.h>

#include "infer/driver.h"
#include "onnxruntime/valid_checks.h"
#include "onnxruntime/view.h"

/* Further problems are counted and not told: a file that is wrong in one respect is so at
 * thousands of nodes. */
void npart__refuse(struct npart__validity *validity, uint32_t node, const char *place, const char *format, ...)
{
    char text[400], at[160] = "";
    if (validity->found_count++ >= NPART__LIMIT_INVALID_FINDINGS || validity->only_counts)
        return;
    /* The sentence begins with who refuses, as another runtime may load the model. */
    int length = snprintf(text, sizeof text, "%s refuses the model: ", validity->runtime.name);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
    va_end(arguments);
    if (node != NPART_NONE)
        npart__describe_node(validity->graph, node, at, sizeof at);
    validity->has_failed |=
        !npart__add_finding(validity->inference, NPART__INVALID, text, node != NPART_NONE ? at : place);
}

/* ---- the model ------------------------------------------------------------------------------------------- */

/* The standard's own domain is empty in the library; people read ai.onnx. */
static const char *shown_domain(const char *domain)
{
    return *domain ? domain : "ai.onnx";
}

/* Element types by the IR version that brought them (onnx.proto, Version): numbers grow with versions. Messages of
 * newer versions than 11 there are none. */
static int64_t ir_version_of_type(int32_t element_type)
{
    static const struct {
        int32_t first_type;
        int64_t ir_version;
    } types[] = {{29, INT64_MAX}, {27, 14}, {25, 13}, {24, 12}}; /* unknown; FLOAT6; UINT2, INT2; FLOAT8E8M0 */
    for (size_t i = 0; i < NPART__COUNT(types); i++)
        if (element_type >= types[i].first_type)
            return types[i].ir_version;
    return 11;
}

/* The oldest that has all element types of the model; at least 11. */
static int64_t needed_ir_version(const struct npart__inference *inference)
{
    const struct npart__graph *graph = inference->graph;
    int64_t most = 0;
    for (uint32_t i = 0; i < graph->values.count; i++) {
        const struct npart__value *value = npart__value_at(graph, i);
        int64_t versions[] = {ir_version_of_type(inference->facts[i].element_type),
                              value->tensor ? ir_version_of_type(value->tensor->element_type) : 0,
                              value->declared ? ir_version_of_type(value->declared->element_type) : 0};
        for (size_t k = 0; k < NPART__COUNT(versions); k++)
            most = versions[k] > most ? versions[k] : most;
    }
    return most;
}

/* The newest opset of an import's domain; 0: a domain that the runtime does not have, which may be a library's, of any
 * version. */
static int64_t newest_opset(const struct npart__loads *runtime, const char *domain)
{
    return npart__loads_opset(runtime, strcmp(domain, "ai.onnx") == 0 ? "" : domain);
}

static bool has_newer_opset(const struct npart__loads *runtime, const struct npart__graph *graph)
{
    for (uint32_t i = 0; i < graph->opset_count; i++) {
        int64_t newest = newest_opset(runtime, graph->opsets[i].domain);
        if (newest && graph->opsets[i].version > newest)
            return true;
    }
    return false;
}

bool npart__is_too_new(const struct npart__loads *runtime, const struct npart__graph *graph)
{
    return graph->ir_version > runtime->ir_version || has_newer_opset(runtime, graph);
}

bool npart__is_ir_version_alone(const struct npart__loads *runtime, const struct npart__inference *inference)
{
    return inference->graph->ir_version > runtime->ir_version && !has_newer_opset(runtime, inference->graph) &&
           needed_ir_version(inference) <= runtime->ir_version;
}

static void check_versions(struct npart__validity *validity)
{
    const struct npart__graph *graph = validity->graph;
    const struct npart__loads *runtime = &validity->runtime;
    if (graph->ir_version > runtime->ir_version)
        npart__refuse(validity, NPART_NONE, "", "IR version must be at most %lld; found %lld",
                      (long long)runtime->ir_version, (long long)graph->ir_version);
    for (uint32_t i = 0; i < graph->opset_count; i++) {
        const char *domain = graph->opsets[i].domain;
        int64_t newest = newest_opset(runtime, domain);
        if (newest && graph->opsets[i].version > newest)
            npart__refuse(validity, NPART_NONE, "", "opset of %s must be at most %lld; found %lld", domain,
                          (long long)newest, (long long)graph->opsets[i].version);
    }
}

/* A model that the newest release loads and others do not: the last of these is told, with the first limit that it
 * states. Not with a model that no release loads. */
static void note_releases(struct npart__validity *validity)
{
    const struct npart__graph *graph = validity->graph;
    struct npart__loads old = validity->runtime;
    char text[200];
    if (npart__is_too_new(&old, graph))
        return;
    while (old.name && !npart__is_too_new(&old, graph))
        old = npart__loads_before(&old);
    if (!old.name)
        return;
    const char *what = "IR version";
    int64_t found = graph->ir_version, most = old.ir_version;
    for (uint32_t i = 0; i < graph->opset_count && found <= most; i++) {
        int64_t newest = newest_opset(&old, graph->opsets[i].domain);
        if (newest == 0 || graph->opsets[i].version <= newest)
            continue;
        what = "opset";
        found = graph->opsets[i].version;
        most = newest;
    }
    (void)snprintf(text, sizeof text, "%s and older refuse the model: %s must be at most %lld; found %lld", old.name,
                   what, (long long)most, (long long)found);
    validity->has_failed |= !npart__add_finding(validity->inference, NPART__TOO_NEW, text, "");
}

/* Dims that the file leaves open fit any size. A symbol is open, too. */
static bool fits(const struct npart__tensor *tensor, const struct npart__declared_type *declared)
{
    if (!declared->has_rank)
        return true;
    if (declared->rank != tensor->rank)
        return false;
    for (uint32_t i = 0; i < declared->rank; i++)
        if (declared->dims[i].value >= 0 && declared->dims[i].value != tensor->dims[i])
            return false;
    return true;
}

/* An input with a default must be declared as that is. What the file says of other initializers does not count. Of
 * the main graph, where defaults can be. A default has the tensor's type; where its declaration leaves the type
 * open (0), nothing is compared. */
static void check_defaults(struct npart__validity *validity)
{
    const struct npart__graph *graph = validity->graph;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    for (uint32_t i = 0; i < scope->input_count; i++) {
        uint32_t id = graph->operands.items[scope->first_input + i];
        const struct npart__value *value = npart__value_at(graph, id);
        const struct npart__declared_type *declared = value->declared;
        if (!value->tensor || !declared || declared->kind != NPART__TYPE_TENSOR)
            continue;
        if (declared->element_type && declared->element_type != value->tensor->element_type)
            npart__refuse(validity, NPART_NONE, npart__value_name(graph, id),
                          "an initializer must have the element type of its input, %s; found %s",
                          npart__type_name(declared->element_type), npart__type_name(value->tensor->element_type));
        else if (!fits(value->tensor, declared))
            npart__refuse(validity, NPART_NONE, npart__value_name(graph, id),
                          "an initializer must have the shape of its input");
    }
}

/* The same sentence for an initializer and for a Constant, which is an initializer to the runtime. */
static const char misfit[] = "the data of a tensor must fit its dims and type";

/* Broken data that nothing uses fails no session: the runtime drops such initializers unread. */
static void check_initializers(struct npart__validity *validity)
{
    const struct npart__graph *graph = validity->graph;
    for (uint32_t i = 0; i < graph->values.count; i++) {
        const struct npart__value *value = npart__value_at(graph, i);
        bool is_broken = value->tensor && value->tensor->place == NPART__TENSOR_BROKEN;
        if (is_broken && (value->consumer_count || value->is_graph_output)) /* others are dropped unread */
            npart__refuse(validity, NPART_NONE, npart__value_name(graph, i), misfit);
    }
}

/* ---- a node against its schema --------------------------------------------------------------------------- */

typedef bool (*operand_reader)(const struct npart__operator *op, unsigned index, struct npart__operand *out);

/* One side of a node: its inputs or its outputs. */
struct side {
    const char *name;
    operand_reader read;
    uint32_t least, count;
    uint32_t first; /* operand */
};

/* The number of operands: at least what the schema says, at most all there are unless the last
 * is variadic. Then each that is required must be there, as an empty name stands for one that is
 * left out. */
static void check_side(struct npart__validity *validity, uint32_t node, const struct npart__operator *schema,
                       const struct side *side)
{
    struct npart__operand operand;
    uint32_t most = 0;
    bool is_variadic = false;
    while (!is_variadic && side->read(schema, most, &operand)) {
        is_variadic = operand.is_variadic;
        most++;
    }
    if (side->count < side->least || (!is_variadic && side->count > most)) {
        if (is_variadic)
            npart__refuse(validity, node, "", "%s must have at least %u %ss; found %u", schema->name, side->least,
                          side->name, side->count);
        else if (side->least == most)
            npart__refuse(validity, node, "", "%s must have %u %s%s; found %u", schema->name, most, side->name,
                          most == 1 ? "" : "s", side->count);
        else
            npart__refuse(validity, node, "", "%s must have %u to %u %ss; found %u", schema->name, side->least, most,
                          side->name, side->count);
        return;
    }
    for (uint32_t i = 0; i < side->count; i++) {
        bool is_required = side->read(schema, i, &operand) && !operand.is_optional && !operand.is_variadic;
        if (is_required && validity->graph->operands.items[side->first + i] == NPART_NONE)
            npart__refuse(validity, node, "", "%s %.*s of %s is required; it is left out", side->name,
                          (int)operand.name_length, operand.name, schema->name);
    }
}

/* The letter of an attribute's type, as operators.def has it; '?' for what the format does not
 * know. */
static char kind_of(uint8_t type)
{
    static const char kinds[] = "?fistgFISTGpPyY"; /* by AttributeProto.AttributeType */
    return type < sizeof kinds - 1 ? kinds[type] : '?';
}

/* The letter, a blank, and what it is called. One text with both keeps letter and word together. */
static const char *kind_name(char kind)
{
    static const char *const names[] = {"f float", "i int", "s string", "t tensor", "g graph", "F list of floats",
                                        "I list of ints", "S list of strings", "T list of tensors", "G list of graphs",
                                        "p sparse tensor", "P list of sparse tensors", "y type", "Y list of types"};
    for (size_t i = 0; i < NPART__COUNT(names); i++)
        if (names[i][0] == kind)
            return names[i] + 2;
    return "of no known type";
}

/* Attributes that the node has: each must be of the schema, and of its type. Those that begin with "__" the runtime
 * makes itself; some operators of its own take any. Of an attribute without a type nothing is said. Attributes of a
 * function's body have been resolved by then (lib/analysis/graph/attribute.c), so each has content of its own. */
static void check_given(struct npart__validity *validity, uint32_t id, const struct npart__operator *schema)
{
    const struct npart__graph *graph = validity->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        const struct npart__attribute *attribute = &graph->attributes.items[node->first_attribute + i];
        struct npart__attribute_schema expected;
        if (!npart__operator_attribute(schema, attribute->name, strlen(attribute->name), &expected)) {
            bool is_own = strncmp(attribute->name, "__", 2) == 0; /* the runtime's */
            if (!is_own && !npart__loads_any_attribute(&validity->runtime, schema))
                npart__refuse(validity, id, "", "%s has no attribute %.100s at opset %d", schema->name,
                              attribute->name, node->opset_version);
            continue;
        }
        /* A type that the format does not have is told as such by kind_name. */
        char kind = kind_of(attribute->type);
        if (attribute->type && kind != expected.kind)
            npart__refuse(validity, id, "", "attribute %.100s must be %s; found %s", attribute->name,
                          kind_name(expected.kind), kind_name(kind));
    }
}

/* Attributes that the node must have. Attributes are few, so each is looked through for each that is required. */
static void check_required(struct npart__validity *validity, uint32_t id, const struct npart__operator *schema)
{
    const struct npart__graph *graph = validity->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    if (npart__scope_at(graph, node->scope)->kind == NPART_GRAPH_CALL)
        return; /* one that the call leaves out has its default */
    const char *at = NULL, *name;
    size_t length;
    while (npart__operator_next_required(schema, &at, &name, &length)) {
        bool is_there = false;
        for (uint32_t i = 0; i < node->attribute_count && !is_there; i++)
            is_there = npart__is_text(graph->attributes.items[node->first_attribute + i].name, name, length);
        if (!is_there)
            npart__refuse(validity, id, "", "attribute %.*s of %s is required; it is left out", (int)length, name,
                          schema->name);
    }
}

/* It becomes an initializer before anything is checked, by the first attribute that gives a value; so only that one
 * counts. */
static void check_constant(struct npart__validity *validity, uint32_t id)
{
    const struct npart__node *node = npart__node_at(validity->graph, id);
    if (node->attribute_count == 0) {
        npart__refuse(validity, id, "", "an attribute of Constant must give its value");
        return;
    }
    const struct npart__attribute *first = &validity->graph->attributes.items[node->first_attribute];
    if (first->type == NPART_ATTRIBUTE_TENSOR && first->u.tensor && first->u.tensor->place == NPART__TENSOR_BROKEN)
        npart__refuse(validity, id, "", misfit);
}

/* A node that the runtime has no schema for; those of other domains may be a library's. A version of 0 is that of
 * a domain which the model does not import; of that nothing is said here. */
static void check_unknown(struct npart__validity *validity, uint32_t id)
{
    const struct npart__node *node = npart__node_at(validity->graph, id);
    const char *domain = npart__text(&validity->graph->strings, node->domain);
    if (npart__loads_opset(&validity->runtime, domain) && node->opset_version)
        npart__refuse(validity, id, "", "%.100s is no operator of %s at opset %d",
                      npart__node_op(validity->graph, node), shown_domain(domain), node->opset_version);
}

/* What holds for all nodes of an operator and version, found once: a model has few of them and
 * many nodes. By the operator's number, so that it is one look into an array. */
static struct npart__valid_slot *look_up(struct npart__validity *validity, const struct npart__operator *asked)
{
    struct npart__valid_slot *slot = &validity->slots[npart__operator_number(asked)];
    const char *at = NULL, *name;
    size_t length;
    if (slot->is_filled)
        return slot;
    slot->is_filled = true;
    slot->schema = npart__loads_schema(&validity->runtime, asked);
    if (slot->schema) {
        slot->has_required = npart__operator_next_required(slot->schema, &at, &name, &length);
        slot->is_deprecated = npart__loads_no_more(&validity->runtime, slot->schema);
        slot->shape_rows = npart__find_shape_rows(slot->schema);
    }
    return slot;
}

/* How a node's operands look to the checks of their number and types, never 0; 0 where they are
 * not tensors. A hash in the manner of FNV-1a. Nodes of one operator in a row mostly look the
 * same, so the checks are run for the first only. Two looks that fall together would hide a mistake of the second
 * node; with 63 bits that does not happen by chance. A word has the element type in its low eight bits, then
 * whether a type is declared, then the declared one. The last bit is set, so that no look is 0. */
static uint64_t look_of(const struct npart__validity *validity, const struct npart__node *node)
{
    const struct npart__graph *graph = validity->graph;
    uint64_t look = 1469598103934665603u ^ node->input_count;
    for (uint32_t i = 0; i < node->input_count + node->output_count; i++) {
        bool is_input = i < node->input_count;
        uint32_t value = graph->operands.items[is_input ? node->first_input + i
                                                        : node->first_output + i - node->input_count];
        /* An operand that is left out. */
        uint64_t word = 255;
        if (value != NPART_NONE) {
            const struct npart__declared_type *declared = npart__value_at(graph, value)->declared;
            const struct npart__fact *fact = &validity->view->facts[value];
            if (fact->kind != NPART__TYPE_TENSOR || (declared && declared->kind != NPART__TYPE_TENSOR))
                return 0;
            word = fact->element_type | (declared ? 256u + declared->element_type * 512u : 0);
        }
        look = (look ^ word) * 1099511628211u;
    }
    return look | 1;
}

/* Types are compared only where the number of operands is right. A wrong number moves operands to places of other
 * types, which would be told once more. */
static void check_operands(struct npart__validity *validity, uint32_t id, const struct npart__operator *schema)
{
    const struct npart__node *node = npart__node_at(validity->graph, id);
    uint32_t before = validity->found_count;
    const struct side inputs = {"input", npart__operator_input, schema->least_inputs, node->input_count,
                                node->first_input};
    const struct side outputs = {"output", npart__operator_output, schema->least_outputs, node->output_count,
                                 node->first_output};
    check_side(validity, id, schema, &inputs);
    check_side(validity, id, schema, &outputs);
    if (validity->found_count == before)
        npart__check_types(validity, id, schema);
}

/* One node: known at all, not deprecated, then attributes, operands, shapes. Shapes are asked only of a node that
 * is right in all else. */
static void check_node(struct npart__validity *validity, uint32_t id)
{
    const struct npart__node *node = npart__node_at(validity->graph, id);
    if (!node->schema) {
        check_unknown(validity, id);
        return;
    }
    struct npart__valid_slot *slot = look_up(validity, node->schema);
    const struct npart__operator *schema = slot->schema;
    uint32_t before = validity->found_count;
    if (!schema) {
        check_unknown(validity, id);
        return;
    }
    if (slot->is_deprecated) {
        npart__refuse(validity, id, "", "%s is deprecated at opset %d of %s", schema->name, node->opset_version,
                      shown_domain(schema->domain));
        return;
    }
    if (npart__is_constant_node(validity->graph, node)) {
        check_constant(validity, id);
        return;
    }
    check_given(validity, id, schema);
    if (slot->has_required)
        check_required(validity, id, schema);
    uint64_t look = look_of(validity, node);
    if (look == 0 || look != slot->passed)
        check_operands(validity, id, schema);
    /* Only a look that has passed is remembered, so that each node that is wrong is told. */
    slot->passed = validity->found_count == before ? look : slot->passed;
    if (validity->found_count == before)
        npart__check_shapes(validity, id, &slot->shape_rows);
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

/* A scope's nodes must be called differently, unless they have no name. Constants are no nodes to the runtime.
 * Names are held against each other within a scope. */
static bool is_named(const struct npart__validity *validity, const struct npart__node *node)
{
    return *node->name && !npart__is_constant_node(validity->graph, node);
}

/* A table of open addresses under a key, since names come from the file; at most half of it is
 * filled. It holds ids plus one, so that the zeroed table is empty. Because of the key, names cannot be chosen so
 * that all fall on one place. Linear on average. Which place a name has is chance, and which node is told is not:
 * the later one in the order of ids. */
static void check_names(struct npart__validity *validity)
{
    const struct npart__graph *graph = validity->graph;
    struct npart__arena *arena = validity->inference->arena;
    size_t slots = 16;
    while (slots < 2 * (size_t)graph->nodes.count)
        slots *= 2;
    uint32_t *first = npart__arena_zeroed(arena, slots, sizeof *first); /* a node, plus 1 */
    struct npart__hash_key key;
    npart__hash_key_init(&key);
    validity->has_failed |= !first;
    for (uint32_t i = 0; first && i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        /* What is never run is no node to the runtime. */
        if (!is_named(validity, node) || npart__scope_at(graph, node->scope)->region == NPART_NONE)
            continue;
        size_t at = (size_t)(npart__hash_bytes(&key, node->name, strlen(node->name)) + node->scope) & (slots - 1);
        const struct npart__node *other = NULL;
        for (; first[at]; at = (at + 1) & (slots - 1)) {
            other = npart__node_at(graph, first[at] - 1);
            if (other->scope == node->scope && strcmp(other->name, node->name) == 0)
                break;
        }
        if (first[at])
            npart__refuse(validity, i, "", "each node must have a name of its own or none; found %.100s twice",
                          node->name);
        else
            first[at] = i + 1;
    }
    npart__arena_release(arena, first);
}

/* Calls that were inlined and branches that are never run are no nodes to the runtime. Slots are cleared, as the
 * looks that passed were of other facts. Nodes come by id, so the main graph's are told before those of bodies and
 * functions. */
static void check_nodes(struct npart__validity *validity)
{
    const struct npart__graph *graph = validity->graph;
    memset(validity->slots, 0, npart__operator_count() * sizeof *validity->slots);
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        bool is_run = npart__scope_at(graph, node->scope)->region != NPART_NONE;
        if (node->callee == NPART_NONE && is_run)
            check_node(validity, i);
    }
    npart__check_contradictions(validity);
}

/* The slots are NULL when out of memory. */
static struct npart__validity look_at(struct npart__inference *inference)
{
    return (struct npart__validity){
        .inference = inference,
        .view = inference,
        .graph = inference->graph,
        .runtime = npart__newest_loads(),
        .slots = npart__arena_allocate(inference->arena, npart__operator_count() * sizeof(struct npart__valid_slot)),
    };
}

bool npart__may_be_refused(struct npart__inference *inference, bool *out)
{
    struct npart__validity validity = look_at(inference);
    validity.only_counts = true;
    if (validity.slots)
        check_nodes(&validity);
    npart__arena_release(inference->arena, validity.slots);
    *out = validity.found_count > 0;
    return validity.slots && !validity.has_failed;
}

/* We may know shapes that the runtime does not: no node is refused for those. So a look at all that is known says
 * whether it is worth the while to infer what the runtime knows when it loads the model. Most models have no
 * mistake, and cost one walk. What is counted in it is not kept: findings of the second one count. */
npart_status npart__find_invalid(struct npart__inference *inference, struct npart_error *error)
{
    struct npart__validity validity = look_at(inference);
    if (!validity.slots)
        return npart__fail_memory(error);
    /* These four do not depend on facts, and are told at once. */
    check_versions(&validity);
    note_releases(&validity);
    check_names(&validity);
    check_defaults(&validity);
    check_initializers(&validity);
    uint32_t found_before = validity.found_count;
    validity.only_counts = true;
    check_nodes(&validity);
    /* Of shapes that cannot be, the runtime believes what we do not. */
    if (!validity.has_failed && (validity.found_count > found_before || inference->has_false_shapes)) {
        npart_status status =
            npart__infer_view(inference, &npart__policy_unfolded, &validity.view, error);
        if (status != NPART_OK)
            return status;
        validity.found_count = found_before;
        validity.only_counts = false;
        check_nodes(&validity);
    }
    npart__arena_release(inference->arena, validity.slots);
    return validity.has_failed ? npart__fail_memory(error) : NPART_OK;
}

bool npart__is_invalid(const struct npart__inference *inference)
{
    for (uint32_t i = 0; i < inference->findings.count; i++)
        if (strcmp(inference->findings.items[i].code, NPART__INVALID) == 0)
            return true;
    return false;
}
