/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that the standard defines by others, replaced by these: what a runtime does with
 * those that it has no kernel for. The nodes of a body are built from its text in
 * lib/target/schema/functions.def, whose statements have the form
 *    [conditions?]outputs=Op inputs attributes
 * such as "!min&!max?output=Identity input". A body is not interpreted but built: afterwards its
 * nodes are ordinary ones, in a scope of their own.
 */
#include <math.h>

#include "graph/build.h"

/* A value that the body names. Its text is the table's, and not terminated. */
struct name {
    const char *text;
    size_t length;
    uint32_t value;
};

/* One expansion under way. `call` is a copy, since the array of nodes moves while nodes are
 * added to it. */
struct expander {
    struct npart__graph *graph;
    struct npart__arena *arena;
    const struct npart__expansion *at;
    struct npart__node call;
    uint32_t scope;
    struct name names[NPART__LIMIT_BODY_VALUES];
    uint32_t name_count;
};

/* ---- the call --------------------------------------------------------------------------------------------- */

/* Names in a body's text are not terminated, so npart__node_attribute does not do. NULL where the node leaves it
 * out; the schema's default is asked for by schema_of. */
static const struct npart__attribute *attribute_of(const struct expander *expander, const char *name, size_t length)
{
    for (uint32_t i = 0; i < expander->call.attribute_count; i++) {
        const struct npart__attribute *at =
            &expander->graph->attributes.items[expander->call.first_attribute + i];
        if (strlen(at->name) == length && memcmp(at->name, name, length) == 0)
            return at;
    }
    return NULL;
}

/* Defaults are the schema's, as a node does not carry them. */
static bool schema_of(const struct expander *expander, const char *name, size_t length,
                      struct npart__attribute_schema *out)
{
    return npart__operator_attribute(expander->call.schema, name, length, out);
}

/* The value of an operand by its name in the schema, or NPART_NONE. Results come by name as well: a body makes
 * them under the names that the schema has. */
static uint32_t operand_of(const struct expander *expander, const char *name, size_t length)
{
    bool is_output;
    int index = npart__operator_find_operand(expander->call.schema, name, length, &is_output);
    if (index < 0)
        return NPART_NONE;
    return is_output ? npart__node_output(expander->graph, &expander->call, (uint32_t)index)
                     : npart__node_input(expander->graph, &expander->call, (uint32_t)index);
}

/* The element type that the inference has found for an input, 0 for one that is absent. */
static int input_type(const struct expander *expander, const char *name, size_t length)
{
    bool is_output;
    int index = npart__operator_find_operand(expander->call.schema, name, length, &is_output);
    bool is_input = index >= 0 && !is_output && index < (int)NPART__LIMIT_BODY_OPERANDS;
    return is_input ? expander->at->input_types[index] : 0;
}

/* A string attribute's value or default, not terminated. Without either it is no word at all, and every comparison
 * fails. */
static bool same_word(const struct expander *expander, const char *name, size_t name_length, const char *word,
                      size_t length)
{
    const struct npart__attribute *given = attribute_of(expander, name, name_length);
    struct npart__attribute_schema schema;
    if (given)
        return given->type == NPART_ATTRIBUTE_STRING && given->count == length && memcmp(given->u.s, word, length) == 0;
    return schema_of(expander, name, name_length, &schema) && schema.default_text &&
           schema.default_length == length && memcmp(schema.default_text, word, length) == 0;
}

/* [!]name, of an operand or attribute that is there; [!]name:word, of an attribute's value or an input's type. The
 * order of the questions: an attribute's name wins over an operand's. "!min" holds where a Clip has no lower
 * bound, "axes" where an attribute or operand of that name is given, "reduction:mean" where the attribute has this
 * text, given or by default, and "input:float" where the input is of this element type. */
static bool condition_holds(const struct expander *expander, const char *text, size_t length)
{
    bool wanted = *text != '!';
    text += wanted ? 0 : 1;
    length -= wanted ? 0 : 1;
    const char *colon = memchr(text, ':', length);
    size_t name_length = colon ? (size_t)(colon - text) : length;
    struct npart__attribute_schema schema;
    bool is_attribute = schema_of(expander, text, name_length, &schema), holds;
    if (!colon)
        holds = is_attribute ? attribute_of(expander, text, length) != NULL
                             : operand_of(expander, text, length) != NPART_NONE;
    else if (is_attribute)
        holds = same_word(expander, text, name_length, colon + 1, length - name_length - 1);
    else
        holds = input_type(expander, text, name_length) == npart__type_number(colon + 1, length - name_length - 1);
    return holds == wanted;
}

/* Whether a statement belongs to the body of this node: all its conditions hold. ONNX builds such bodies in C++,
 * by the node at hand; conditions are how a table says it. */
static bool is_part(const struct expander *expander, const struct npart__statement *statement)
{
    const char *list = statement->conditions, *end = list + statement->conditions_length, *condition;
    size_t length;
    while (npart__next_part(&list, end, '&', &condition, &length))
        if (!condition_holds(expander, condition, length))
            return false;
    return true;
}

/* Whether some statement that is part of this node's body makes the value. Compared by ids: operand_of gives the
 * node's own result for a name that the schema has among its outputs, and NPART_NONE for names that are the body's
 * alone. */
static bool body_makes(const struct expander *expander, uint32_t value)
{
    const char *body = expander->at->function->body, *word;
    struct npart__statement statement;
    size_t length;
    while (npart__next_statement(&body, &statement)) {
        const char *list = statement.outputs, *end = list + statement.outputs_length;
        while (npart__next_part(&list, end, ',', &word, &length))
            if (operand_of(expander, word, length) == value && is_part(expander, &statement))
                return true;
    }
    return false;
}

/* Asked before an expansion is accepted. The body, which has a few dozen statements at most, is walked once for
 * each result of the node. */
bool npart__body_makes_results(const struct npart__graph *graph, const struct npart__expansion *expansion)
{
    /* The functions below want one that they may change, and change nothing here. */
    struct npart__graph view = *graph; /* only read */
    struct expander expander = {.graph = &view, .at = expansion, .call = graph->nodes.items[expansion->node]};
    for (uint32_t i = 0; i < expander.call.output_count; i++) {
        uint32_t value = npart__node_output(graph, &expander.call, i);
        if (value != NPART_NONE && !body_makes(&expander, value))
            return false;
    }
    return true;
}

/* ---- attributes ------------------------------------------------------------------------------------------- */

/* A number as the table writes it, so no error is looked for beyond its length. */
static bool read_plain(const char *text, size_t length, double *out)
{
    char plain[32];
    if (length >= sizeof plain)
        return false;
    memcpy(plain, text, length);
    plain[length] = '\0';
    *out = npart__read_decimal(plain);
    return true;
}

/* A plain number, that of an attribute of the call, the type of an input. '$' and '@' are the table's own marks:
 * $input is the number of its type, @attribute its value. */
static bool read_number(const struct expander *expander, const char *word, size_t length, double *out)
{
    if (*word == '$')
        *out = input_type(expander, word + 1, length - 1);
    if (*word != '@')
        return *word == '$' || read_plain(word, length, out);
    const struct npart__attribute *given = attribute_of(expander, word + 1, length - 1);
    struct npart__attribute_schema schema;
    if (!given)
        return schema_of(expander, word + 1, length - 1, &schema) && schema.default_text &&
               read_plain(schema.default_text, schema.default_length, out);
    *out = given->type == NPART_ATTRIBUTE_FLOAT ? (double)given->u.f : (double)given->u.i;
    return given->type == NPART_ATTRIBUTE_FLOAT || given->type == NPART_ATTRIBUTE_INT;
}

/* False when one is missing, or there are too many. */
static bool read_numbers(const struct expander *expander, const char *text, size_t length, double *out, uint32_t limit,
                         uint32_t *count)
{
    const char *end = text + length, *word;
    *count = 0;
    while (npart__next_part(&text, end, ',', &word, &length))
        if (*count == limit || !read_number(expander, word, length, &out[(*count)++]))
            return false;
    return true;
}

/* A constant of one element, as the graph's tensors are; its number is told nowhere. NULL when out of memory. */
static const struct npart__tensor *typed_constant(const struct expander *expander, const char *text, size_t length)
{
    struct npart__tensor *tensor = npart__arena_zeroed(expander->arena, 1, sizeof *tensor);
    if (!tensor)
        return NULL;
    uint8_t type = (uint8_t)input_type(expander, text + 1, length - 1); /* after the '$' */
    *tensor = (struct npart__tensor){.name = "", .element_type = type, .stored_type = type,
                                     .place = NPART__TENSOR_ELIDED, .elements = 1,
                                     .bytes = npart__type_bytes(type, 1)};
    return tensor;
}

/* Attributes take what fits their kind; `text` follows the kind in the table. A value that
 * refers to an attribute which is neither given nor has a default leaves the whole attribute
 * out: `*is_present` is false. False when out of memory. Kinds are those of the schema's texts: f and i one
 * number, F and I lists, s a text, t a constant; so a default may be read by the same function. Two arrays are made for
 * either kind since `numbers` is on the stack, and the attribute outlives the call. */
static bool read_values(const struct expander *expander, char kind, const char *text, size_t length,
                        struct npart__attribute *out, bool *is_present)
{
    double numbers[NPART__LIMIT_BODY_OPERANDS];
    uint32_t count;
    out->type = (uint8_t)(kind == 'f' ? 1 : kind == 'i' ? 2 : kind == 's' ? 3 : kind == 't' ? 4 : kind == 'F' ? 6 : 7);
    if (kind == 't')
        return (out->u.tensor = typed_constant(expander, text, length)) != NULL;
    if (kind == 's') {
        out->u.s = npart__arena_copy_text(expander->arena, text, length);
        out->count = (uint32_t)length;
        return out->u.s != NULL;
    }
    *is_present = read_numbers(expander, text, length, numbers, NPART__COUNT(numbers), &count);
    if (!*is_present)
        return true;
    float *floats = npart__arena_zeroed(expander->arena, count + (size_t)1, sizeof *floats);
    int64_t *ints = npart__arena_zeroed(expander->arena, count + (size_t)1, sizeof *ints);
    if (!floats || !ints)
        return false;
    /* One of both is used; lists are short. A number that is no int64 is given as a float alone. */
    for (uint32_t i = 0; i < count; i++) {
        floats[i] = (float)numbers[i];
        ints[i] = fabs(numbers[i]) < 9223372036854775808.0 ? (int64_t)numbers[i] : 0;
    }
    if (kind == 'f')
        out->u.f = floats[0];
    else if (kind == 'i')
        out->u.i = ints[0];
    else if (kind == 'F')
        out->u.floats = floats;
    else
        out->u.ints = ints;
    out->count = kind == 'F' || kind == 'I' ? count : 0;
    return true;
}

/* name=kind:values, or name=@attribute: that of the call, or its default, or nothing. */
static bool add_attribute(const struct expander *expander, const char *word, size_t length, uint32_t node)
{
    const char *equals = memchr(word, '=', length), *text = equals + 1;
    size_t text_length = length - (size_t)(text - word);
    struct npart__attribute made = {0};
    struct npart__attribute_schema schema;
    bool is_present = true, ok = true;
    if (*text == '@') {
        const struct npart__attribute *given = attribute_of(expander, text + 1, text_length - 1);
        /* As with ref_attr_name: neither given nor with a default, the attribute is left out of the body's node,
         * too. */
        bool has_default = !given && schema_of(expander, text + 1, text_length - 1, &schema) && schema.default_text;
        is_present = given || has_default;
        if (given)
            made = *given; /* its list is shared with the call's */
        else if (has_default)
            ok = read_values(expander, schema.kind, schema.default_text, schema.default_length, &made, &is_present);
    } else {
        ok = read_values(expander, *text, text + 2, text_length - 2, &made, &is_present);
    }
    made.name = npart__arena_copy_text(expander->arena, word, (size_t)(equals - word));
    if (!ok || !made.name)
        return false;
    expander->graph->nodes.items[node].attribute_count += is_present;
    return !is_present || NPART__PUSH(expander->arena, &expander->graph->attributes, made);
}

/* ---- nodes ------------------------------------------------------------------------------------------------ */

/* The latest value of that name in the body, else an operand of the call: a body may use a name
 * again. From the last on, so that a second assignment hides the first. Linear in the values of a body, of which
 * there are NPART__LIMIT_BODY_VALUES at most. */
static uint32_t value_named(const struct expander *expander, const char *text, size_t length)
{
    for (uint32_t i = expander->name_count; i-- > 0;)
        if (expander->names[i].length == length && memcmp(expander->names[i].text, text, length) == 0)
            return expander->names[i].value;
    return operand_of(expander, text, length);
}

/* A result of the call is made by the body now; all else is new. A result counts as the call's until the first
 * statement has made it: a second statement of that name makes a value of its own, as its producer is no longer
 * the call. False when out of memory, or past NPART__LIMIT_BODY_VALUES, which no row of the table is. */
static bool add_output(struct expander *expander, const char *text, size_t length, uint32_t node)
{
    struct npart__graph *graph = expander->graph;
    uint32_t value = operand_of(expander, text, length);
    if (value == NPART_NONE || graph->values.items[value].producer != expander->at->node) {
        /* Names of the body are not the file's and may be like some of it; values are told apart by their ids. */
        struct npart__value made = {.name = npart__intern(&graph->strings, text, length, true),
                                    .scope = expander->scope,
                                    .kind = NPART__VALUE_OUTPUT,
                                    .alias = graph->values.count};
        if (made.name == NPART_NONE || !NPART__PUSH(expander->arena, &graph->values, made))
            return false;
        value = graph->values.count - 1;
    }
    graph->values.items[value].producer = node;
    graph->nodes.items[node].output_count++;
    if (expander->name_count == NPART__LIMIT_BODY_VALUES)
        return false;
    expander->names[expander->name_count++] = (struct name){text, length, value};
    return NPART__PUSH(expander->arena, &graph->operands, value);
}

/* A word after the operator: an attribute if it has a "=", "-" for an input that is left out,
 * else an input's name. */
static bool add_word(struct expander *expander, const char *word, size_t length, uint32_t node)
{
    struct npart__graph *graph = expander->graph;
    if (memchr(word, '=', length))
        return add_attribute(expander, word, length, node);
    uint32_t value = *word == '-' ? NPART_NONE : value_named(expander, word, length);
    graph->nodes.items[node].input_count++;
    return NPART__PUSH(expander->arena, &graph->operands, value);
}

/* The node takes the version of its operator from the call's opset, and the call's metadata, so
 * that a report can say which line of the source it comes from. Its outputs are appended before its inputs, since
 * each is a run of the graph's `operands`; an output that is read by the same statement would be found as the new
 * value, and no body of the table has such a statement. */
static bool add_node(struct expander *expander, const struct npart__statement *statement)
{
    struct npart__graph *graph = expander->graph;
    struct npart__scope *scope = &graph->scopes.items[expander->scope];
    uint32_t id = graph->nodes.count, op = npart__intern(&graph->strings, statement->op, statement->op_length, true);
    struct npart__node made = {
        .name = "",
        .op_type = op,
        .scope = expander->scope,
        .index = scope->node_count++,
        .first_output = graph->operands.count,
        .first_attribute = graph->attributes.count,
        .first_body = graph->scopes.count,
        .callee = NPART_NONE,
        .alias = id,
        .opset_version = expander->call.opset_version,
        .metadata = expander->call.metadata,
    };
    if (op == NPART_NONE)
        return false;
    /* Statements are of ONNX's own operators, those of a runtime's own in the model's version. */
    const struct npart_opset *standard = expander->call.domain ? npart__standard_import(graph) : NULL;
    if (standard)
        made.opset_version = (int32_t)standard->version;
    made.schema = npart__operator_find("", npart__text(&graph->strings, op), made.opset_version);
    made.traits = npart__operator_traits("", npart__text(&graph->strings, op));
    if (!NPART__PUSH(expander->arena, &graph->nodes, made))
        return false;
    const char *list = statement->outputs, *end = list + statement->outputs_length, *word;
    size_t length;
    while (npart__next_part(&list, end, ',', &word, &length))
        if (!add_output(expander, word, length, id))
            return false;
    graph->nodes.items[id].first_input = graph->operands.count;
    list = statement->words;
    end = list + statement->words_length;
    while (npart__next_part(&list, end, ' ', &word, &length))
        if (!add_word(expander, word, length, id))
            return false;
    return true;
}

/* ---- bodies ----------------------------------------------------------------------------------------------- */

/* A scope as that of an inlined function, so that all later stages need not know the difference.
 * Results of the body's nodes keep what was inferred for the call's, which may be more than
 * their own inference can say. The call keeps its operands, and has no part in the order any more:
 * lib/analysis/graph/order.c puts its callee's nodes in its place. */
static bool expand(struct expander *expander)
{
    struct npart__graph *graph = expander->graph;
    const struct npart__body *function = expander->at->function;
    struct npart__scope scope = {
        .kind = NPART_GRAPH_CALL,
        .parent = expander->call.scope,
        .node = expander->at->node,
        .region = graph->scopes.items[expander->call.scope].region,
        .label = function->name,
        .first_node = graph->nodes.count,
    };
    expander->scope = graph->scopes.count;
    if (!NPART__PUSH(expander->arena, &graph->scopes, scope))
        return false;
    for (uint32_t i = 0; i < expander->call.output_count && i < NPART__LIMIT_BODY_OPERANDS; i++) {
        uint32_t value = npart__node_output(graph, &expander->call, i);
        if (value != NPART_NONE && expander->at->results[i])
            graph->values.items[value].declared = expander->at->results[i];
    }
    const char *body = function->body;
    struct npart__statement statement;
    while (npart__next_statement(&body, &statement))
        if (is_part(expander, &statement) && !add_node(expander, &statement))
            return false;
    graph->nodes.items[expander->at->node].callee = expander->scope;
    return true;
}

/* One more node at the end of the newest scope, which reads `operands` and makes `result`. `like` (NULL: the standard)
 * has its domain and version. False when out of memory. */
static bool add_late(struct npart__graph *graph, const char *op, const struct npart__node *like,
                     const uint32_t *operands, uint32_t count, uint32_t result, struct npart__arena *arena)
{
    uint32_t scope = graph->scopes.count - 1;
    struct npart__node made = {.name = "", .op_type = npart__intern(&graph->strings, op, strlen(op), true),
                               .scope = scope, .index = graph->scopes.items[scope].node_count++,
                               .first_input = graph->operands.count, .input_count = count,
                               .first_output = graph->operands.count + count, .output_count = 1,
                               .first_attribute = graph->attributes.count,
                               .callee = NPART_NONE, .alias = graph->nodes.count,
                               .metadata = graph->nodes.items[graph->scopes.items[scope].node].metadata};
    if (like) {
        made.domain = like->domain;
        made.written_domain = like->written_domain;
        made.opset_version = like->opset_version;
        made.first_attribute = like->first_attribute; /* the axis of a scale by channel, and the like */
        made.attribute_count = like->attribute_count;
    }
    const struct npart_opset *standard = like ? NULL : npart__standard_import(graph);
    if (standard)
        made.opset_version = (int32_t)standard->version;
    made.schema = npart__operator_find(npart__text(&graph->strings, made.domain), op, made.opset_version);
    made.traits = npart__operator_traits(npart__text(&graph->strings, made.domain), op);
    for (uint32_t i = 0; i < count; i++)
        if (!NPART__PUSH(arena, &graph->operands, operands[i]))
            return false;
    graph->values.items[result].producer = graph->nodes.count;
    return made.op_type != NPART_NONE && NPART__PUSH(arena, &graph->operands, result) &&
           NPART__PUSH(arena, &graph->nodes, made);
}

/* A value of the newest scope, which some node is to make; NPART_NONE when out of memory. */
static uint32_t add_value(struct npart__graph *graph, struct npart__arena *arena)
{
    uint32_t id = graph->values.count;
    struct npart__value made = {.name = npart__intern(&graph->strings, "laid", 4, true), .alias = id,
                                .scope = graph->scopes.count - 1, .producer = NPART_NONE,
                                .kind = NPART__VALUE_OUTPUT};
    return made.name != NPART_NONE && NPART__PUSH(arena, &graph->values, made) ? id : NPART_NONE;
}

/* Who reads the value, and who makes it. */
static void rewire(struct npart__graph *graph, const struct npart__expansion *at, uint32_t made)
{
    const struct npart__node *before = &graph->nodes.items[at->node];
    for (uint32_t i = 0; i < at->use_count; i++)
        graph->operands.items[graph->nodes.items[at->uses[i].node].first_input + at->uses[i].index] = made;
    for (uint32_t i = 0; i < before->output_count && at->makes_value; i++)
        if (graph->operands.items[before->first_output + i] == at->value)
            graph->operands.items[before->first_output + i] = made;
    if (at->makes_value)
        graph->values.items[made].producer = at->node;
}

/* A node of the runtime's, in a scope like a body's; its node is no call, and stays in the order. By the axes that
 * there are, whatever order the runtime gives them: so what is known of sizes holds after it, too. */
static bool add_transpose(struct npart__graph *graph, const struct npart__expansion *at, struct npart__arena *arena)
{
    const struct npart__node before = graph->nodes.items[at->node];
    int64_t *order = npart__arena_allocate(arena, (at->rank + (size_t)1) * sizeof *order);
    struct npart__attribute perm = {.name = "perm", .type = NPART_ATTRIBUTE_INTS, .count = at->rank, .u.ints = order};
    struct npart__scope around = {.kind = NPART_GRAPH_CALL, .is_after = true, .parent = before.scope, .node = at->node,
                                  .region = graph->scopes.items[before.scope].region, .label = "Layout",
                                  .first_node = graph->nodes.count};
    if (!order || !NPART__PUSH(arena, &graph->scopes, around))
        return false;
    for (uint32_t i = 0; i < at->rank; i++)
        order[i] = i;
    uint32_t made = add_value(graph, arena), turned = at->requantizes ? add_value(graph, arena) : NPART_NONE;
    uint32_t quantized = at->requantizes ? add_value(graph, arena) : NPART_NONE;
    if (made == NPART_NONE || (at->requantizes && (turned == NPART_NONE || quantized == NPART_NONE)))
        return false;
    uint32_t from = at->makes_value ? made : at->value, to = at->makes_value ? at->value : made;
    rewire(graph, at, made);
    if (!add_late(graph, npart__role_op(NPART__ROLE_REORDERS_AXES), NULL, &from, 1, at->requantizes ? turned : to,
                  arena) ||
        !NPART__PUSH(arena, &graph->attributes, perm))
        return false;
    graph->nodes.items[graph->nodes.count - 1].attribute_count = 1;
    if (!at->requantizes)
        return true;
    uint32_t operands[3] = {turned}, count = before.input_count < 3 ? before.input_count : 3;
    for (uint32_t i = 1; i < count; i++)
        operands[i] = npart__node_input(graph, &before, i);
    if (!add_late(graph, npart__role_op(NPART__ROLE_QUANTIZES), &before, operands, count, quantized, arena))
        return false;
    operands[0] = quantized;
    return add_late(graph, npart__role_op(NPART__ROLE_DEQUANTIZES), &before, operands, count, to, arena);
}

/* Copies the graph first: the old one stays as it is, for the rounds before. Linear in the graph and what is
 * added, for all expansions of a round together. */
npart_status npart__graph_expand(const struct npart__graph *graph, const struct npart__expansion *expansions,
                                 uint32_t count, bool is_late, struct npart__arena *arena, struct npart__graph *out,
                                 struct npart_error *error)
{
    if (!npart__build_copy(graph, arena, out) || !npart__strings_copy(&graph->strings, arena, &out->strings) ||
        !NPART__COPY_ARRAY(arena, &graph->attributes, &out->attributes))
        return npart__fail_memory(error);
    unsigned long long most = NPART__MOST(graph->limits, NODES);
    for (uint32_t i = 0; i < count; i++) {
        struct expander expander = {.graph = out,
                                    .arena = arena,
                                    .at = &expansions[i],
                                    .call = out->nodes.items[expansions[i].node]};
        /* Else users of the others have a producer that is in no order. */
        NPART__ASSERT(!expansions[i].function || npart__body_makes_results(graph, &expansions[i]), "node %u",
                      expansions[i].node);
        if (expansions[i].function ? !expand(&expander) : !add_transpose(out, &expansions[i], arena))
            return npart__fail_memory(error);
        /* One body past it at most: that is a few nodes, which ids and sums have room for. */
        if (out->nodes.count > most)
            return npart__fail(error, NPART_ERROR_LIMIT, "", "more than %llu nodes (limit nodes)", most);
    }
    /* The first round counts; later ones only add after it. */
    if (is_late && out->first_late_node == NPART_NONE)
        out->first_late_node = graph->nodes.count;
    return npart__build_finish(out, error);
}
