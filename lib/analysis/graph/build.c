/* SPDX-License-Identifier: Apache-2.0
 *
 * Scopes, names and operands. A scope is built in three steps: declare every name it makes, since nodes need not
 * be sorted; resolve every operand; then build, while its names still hold, the bodies and calls it contains.
 */
#include <stdio.h>

#include "graph/build.h"

#define PREFETCH_DISTANCE 8u

/* ---- findings and failures ------------------------------------------------------------------------------- */

/* False when out of memory. `text` and `at` must live in the arena. */
static bool keep_finding(struct npart__graph *graph, const char *code, const char *text, const char *at)
{
    struct npart_finding finding = {.size = sizeof finding, .code = code, .text = text, .at = at};
    return text && at && NPART__PUSH(graph->arena, &graph->findings, finding);
}

bool npart__build_finding(struct npart__build *build, const char *code, const char *at, const char *format, ...)
{
    char text[512];
    NPART__FORMAT(text, format);
    npart__trim_text(text);
    return keep_finding(build->graph, code, npart__arena_copy_text(build->arena, text, strlen(text)),
                        npart__arena_copy_text(build->arena, at, strlen(at)));
}

npart_status npart__build_fail(struct npart__build *build, uint32_t node, const char *format, ...)
{
    char place[sizeof build->error->place], text[200];
    npart__describe_node(build->graph, node, place, sizeof place);
    NPART__FORMAT(text, format);
    return npart__fail(build->error, NPART_ERROR_MALFORMED, place, "%s", text);
}

/* ---- names ----------------------------------------------------------------------------------------------- */

/* The objects' text, too, becomes that which is interned, so that whoever asks again knows it by its address. Objects
 * that are there already share texts with others, which did that. */
static uint32_t intern(struct npart__build *build, char **text)
{
    const struct npart__strings *strings = &build->graph->strings;
    uint32_t id = *text ? npart__intern_text(&build->graph->strings, *text) : 0;
    if (id == NPART_NONE)
        return id;
    if (id && !build->shares_objects)
        *text = (char *)(uintptr_t)npart__text(strings, id);
    if (id >= build->bindings.count) {
        if (!NPART__RESERVE(build->arena, &build->bindings, (size_t)id + 1 - build->bindings.count))
            return NPART_NONE;
        memset(build->bindings.items + build->bindings.count, 0,
               (id + 1 - build->bindings.count) * sizeof *build->bindings.items);
        build->bindings.count = id + 1;
    }
    return id;
}

static bool is_visible(const struct npart__build *build, const struct npart__binding *binding)
{
    return binding->scope && binding->environment == build->environment;
}

static bool bind(struct npart__build *build, uint32_t scope, uint32_t name, uint32_t value)
{
    struct npart__undo undo = {.name = name, .binding = build->bindings.items[name]};
    if (!NPART__PUSH(build->arena, &build->undo, undo))
        return false;
    build->bindings.items[name] =
        (struct npart__binding){.value = value, .scope = scope + 1, .environment = build->environment};
    return true;
}

static void unbind_to(struct npart__build *build, uint32_t undo_count)
{
    while (build->undo.count > undo_count) {
        struct npart__undo undo = build->undo.items[--build->undo.count];
        build->bindings.items[undo.name] = undo.binding;
    }
}

static uint32_t new_value(struct npart__build *build, uint32_t scope, uint32_t name, enum npart__value_kind kind,
                          uint32_t producer)
{
    struct npart__graph *graph = build->graph;
    struct npart__value value = {
        .name = name,
        .scope = scope,
        .producer = producer,
        .kind = (uint8_t)kind,
        .alias = graph->values.count,
    };
    return NPART__PUSH(build->arena, &graph->values, value) ? graph->values.count - 1 : NPART_NONE;
}

/* A new name of this scope. `*value` is NPART_NONE where the scope has it already. */
static npart_status declare(struct npart__build *build, uint32_t scope, char **text,
                            enum npart__value_kind kind, uint32_t producer, uint32_t *value)
{
    *value = NPART_NONE;
    uint32_t name = intern(build, text);
    if (name == NPART_NONE)
        return npart__fail_memory(build->error);
    struct npart__binding *binding = &build->bindings.items[name];
    if (is_visible(build, binding)) {
        if (binding->scope == scope + 1)
            return NPART_OK;
        if (!build->reported_shadow) {
            build->reported_shadow = true;
            if (!npart__build_finding(build, "shadowed-name", *text ? *text : "",
                                      "a nested graph makes a value of the same name as one outside; the inner one is "
                                      "used"))
                return npart__fail_memory(build->error);
        }
    }
    uint32_t made = new_value(build, scope, name, kind, producer);
    if (made == NPART_NONE || !bind(build, scope, name, made))
        return npart__fail_memory(build->error);
    *value = made;
    return NPART_OK;
}

bool npart__build_capture(struct npart__build *build, uint32_t region, uint32_t value)
{
    const struct npart__graph *graph = build->graph;
    uint32_t home = graph->scopes.items[graph->values.items[value].scope].region;
    while (region != home) {
        struct npart__capture captured = {.region = region, .value = value};
        if (!NPART__PUSH(build->arena, &build->captures, captured))
            return false;
        region = graph->scopes.items[graph->scopes.items[region].parent].region;
    }
    return true;
}

/* The value that `text` names here; `*found` false when nothing makes it. An empty name is an absent operand. */
static bool resolve(struct npart__build *build, uint32_t region, char **text, uint32_t *value, bool *found)
{
    *value = NPART_NONE;
    *found = true;
    if (!*text || !**text)
        return true;
    uint32_t name = intern(build, text);
    if (name == NPART_NONE)
        return false;
    const struct npart__binding *binding = &build->bindings.items[name];
    *found = is_visible(build, binding);
    if (*found)
        *value = binding->value;
    return *value == NPART_NONE || npart__build_capture(build, region, *value);
}

/* ---- operators and functions ----------------------------------------------------------------------------- */

static int32_t opset_version(const struct npart__build *build, const char *domain)
{
    int64_t version = npart__imported_opset(build->opsets, build->opset_count, domain);
    return version < 0 ? 0 : version > INT32_MAX ? INT32_MAX : (int32_t)version;
}

/* A cache of one entry a slot: ten thousand nodes have some thirty operators, which need not be searched for by name
 * each time. */
static void find_operator(struct npart__build *build, struct npart__node *node)
{
    const struct npart__strings *strings = &build->graph->strings;
    const char *domain = npart__text(strings, node->domain), *op = npart__text(strings, node->op_type);
    struct npart__schema_slot *slot = &build->schemas[npart__cache_slot(node->op_type)];
    if (!slot->is_filled || slot->op_type != node->op_type || slot->domain != node->domain ||
        slot->version != node->opset_version) {
        slot->is_filled = true;
        slot->op_type = node->op_type;
        slot->domain = node->domain;
        slot->version = node->opset_version;
        /* Contributed operators have one version; files often forget to import their domain. */
        bool is_contributed = strcmp(domain, "com.microsoft") == 0;
        slot->schema = npart__operator_find(domain, op, is_contributed ? INT32_MAX : node->opset_version);
        slot->traits = npart__operator_traits(domain, op);
    }
    node->schema = slot->schema;
    node->traits = slot->traits;
}

static npart_status index_functions(struct npart__build *build)
{
    const Onnx__ModelProto *model = build->model;
    uint32_t repeated;
    build->function_called = npart__arena_zeroed(build->arena, model->n_functions + 1, sizeof(bool));
    if (!build->function_called || !npart__functions_list(&build->functions, model, build->arena, &repeated))
        return npart__fail_memory(build->error);
    if (repeated == NPART_NONE)
        return NPART_OK;
    const Onnx__FunctionProto *function = model->functions[repeated];
    return npart__fail(build->error, NPART_ERROR_MALFORMED, "", "function \"%s:%s\" is defined twice",
                       function->domain ? function->domain : "", function->name ? function->name : "");
}

/* ---- nodes ----------------------------------------------------------------------------------------------- */

/* An empty name is a result that is left out; it keeps its place in the list of operands. */
static npart_status declare_output(struct npart__build *build, uint32_t node, char **text)
{
    struct npart__graph *graph = build->graph;
    uint32_t scope = graph->nodes.items[node].scope, value = NPART_NONE;
    if (*text && **text) {
        npart_status status = declare(build, scope, text, NPART__VALUE_OUTPUT, node, &value);
        if (status != NPART_OK)
            return status;
        if (value == NPART_NONE) {
            /* A formal output of a function is bound beforehand to the caller's value, which the call "made". */
            uint32_t name = npart__strings_find_text(&graph->strings, *text);
            uint32_t bound = build->bindings.items[name].value;
            bool is_formal = graph->scopes.items[scope].kind == NPART_GRAPH_CALL && bound != NPART_NONE &&
                             graph->values.items[bound].producer == graph->scopes.items[scope].node;
            if (!is_formal)
                return npart__build_fail(build, node, "its output \"%s\" is made twice", *text);
            graph->values.items[bound].producer = node;
            value = bound;
        }
    }
    return NPART__PUSH(build->arena, &graph->operands, value) ? NPART_OK : npart__fail_memory(build->error);
}

/* First step: the nodes themselves and every name they make. */
static npart_status declare_nodes(struct npart__build *build, uint32_t scope, Onnx__NodeProto **protos, size_t count)
{
    struct npart__graph *graph = build->graph;
    unsigned long long most = NPART__MOST(graph->limits, NODES);
    if (graph->nodes.count > most || count > most - graph->nodes.count)
        return npart__fail(build->error, NPART_ERROR_LIMIT, "", "more than %llu nodes (limit nodes)", most);
    if (!NPART__RESERVE(build->arena, &graph->nodes, count))
        return npart__fail_memory(build->error);
    uint32_t first = graph->nodes.count;
    graph->scopes.items[scope].first_node = first;
    graph->scopes.items[scope].node_count = (uint32_t)count;
    graph->nodes.count += (uint32_t)count;
    for (uint32_t i = 0; i < count; i++) {
        Onnx__NodeProto *proto = protos[i];
        const char *domain = npart__plain_domain(proto->domain);
        NPART__PREFETCH(protos[i + PREFETCH_DISTANCE < count ? i + PREFETCH_DISTANCE : i]);
        struct npart__node *node = &graph->nodes.items[first + i];
        *node = (struct npart__node){
            .name = proto->name ? proto->name : "",
            .op_type = intern(build, &proto->op_type),
            .domain = npart__intern_text(&graph->strings, domain),
            .scope = scope,
            .index = i,
            .callee = NPART_NONE,
            .alias = first + i,
            .opset_version = opset_version(build, domain),
            .metadata = proto,
        };
        if (node->op_type == NPART_NONE || node->domain == NPART_NONE)
            return npart__fail_memory(build->error);
        node->written_domain = node->domain;
        find_operator(build, node);
        node->first_output = graph->operands.count;
        node->output_count = (uint32_t)proto->n_output;
        for (size_t k = 0; k < proto->n_output; k++) {
            npart_status status = declare_output(build, first + i, &proto->output[k]);
            if (status != NPART_OK)
                return status;
        }
    }
    return NPART_OK;
}

/* Second step for one node: operands and attributes. */
static npart_status resolve_node(struct npart__build *build, uint32_t id, const Onnx__NodeProto *proto)
{
    struct npart__graph *graph = build->graph;
    uint32_t region = graph->scopes.items[graph->nodes.items[id].scope].region;
    if (!NPART__RESERVE(build->arena, &graph->operands, proto->n_input))
        return npart__fail_memory(build->error);
    graph->nodes.items[id].first_input = graph->operands.count;
    graph->nodes.items[id].input_count = (uint32_t)proto->n_input;
    for (size_t k = 0; k < proto->n_input; k++) {
        uint32_t value;
        bool found;
        if (!resolve(build, region, &proto->input[k], &value, &found))
            return npart__fail_memory(build->error);
        if (!found)
            return npart__build_fail(build, id, "nothing makes its input \"%s\"", proto->input[k]);
        graph->operands.items[graph->operands.count++] = value;
    }
    graph->nodes.items[id].first_attribute = graph->attributes.count;
    graph->nodes.items[id].first_body = graph->scopes.count;
    npart_status status = npart__build_attributes(build, proto->attribute, proto->n_attribute, id, false);
    uint32_t function;
    if (status == NPART_OK && !npart__functions_find(&build->functions, proto, &function))
        status = npart__fail_memory(build->error);
    if (status != NPART_OK || function == NPART_NONE)
        return status;
    const Onnx__FunctionProto *definition = build->model->functions[function];
    return npart__build_attributes(build, definition->attribute_proto, definition->n_attribute_proto, id, true);
}

static npart_status build_graph_scope(struct npart__build *build, uint32_t scope, const Onnx__GraphProto *proto);
static npart_status build_call(struct npart__build *build, uint32_t node, const Onnx__NodeProto *proto,
                               uint32_t function);

/* Third step: what the nodes contain. */
static npart_status build_inner(struct npart__build *build, uint32_t first, Onnx__NodeProto **protos, size_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t function;
        npart_status status = NPART_OK;
        if (!npart__functions_find(&build->functions, protos[i], &function))
            status = npart__fail_memory(build->error);
        else if (function != NPART_NONE)
            status = build_call(build, first + i, protos[i], function);
        struct npart__node node = build->graph->nodes.items[first + i];
        for (uint32_t k = 0; status == NPART_OK && k < node.body_count; k++)
            status = build_graph_scope(build, node.first_body + k, build->bodies.items[node.first_body + k]);
        if (status != NPART_OK)
            return status;
    }
    return NPART_OK;
}

static npart_status build_nodes(struct npart__build *build, uint32_t scope, Onnx__NodeProto **protos, size_t count)
{
    npart_status status = declare_nodes(build, scope, protos, count);
    uint32_t first = build->graph->scopes.items[scope].first_node;
    for (uint32_t i = 0; status == NPART_OK && i < count; i++) {
        NPART__PREFETCH(protos[i + PREFETCH_DISTANCE < count ? i + PREFETCH_DISTANCE : i]);
        status = resolve_node(build, first + i, protos[i]);
    }
    return status;
}

/* ---- graphs ---------------------------------------------------------------------------------------------- */

static npart_status declare_inputs(struct npart__build *build, uint32_t scope, const Onnx__GraphProto *proto)
{
    struct npart__graph *graph = build->graph;
    graph->scopes.items[scope].first_input = graph->operands.count;
    for (size_t i = 0; i < proto->n_input; i++) {
        Onnx__ValueInfoProto *input = proto->input[i];
        uint32_t value;
        npart_status status = declare(build, scope, &input->name, NPART__VALUE_INPUT, NPART_NONE, &value);
        if (status != NPART_OK)
            return status;
        if (value == NPART_NONE)
            return npart__fail(build->error, NPART_ERROR_MALFORMED, "", "graph input \"%s\" is there twice",
                               input->name ? input->name : "");
        struct npart__declared_type *type = npart__build_type(build->arena, input->type);
        if (!type || !NPART__PUSH(build->arena, &graph->operands, value))
            return npart__fail_memory(build->error);
        graph->values.items[value].declared = type;
        graph->scopes.items[scope].input_count++;
    }
    return NPART_OK;
}

/* From IR 4 on an initializer that is an input too may be overridden by the caller; before, all had to be. */
static npart_status declare_initializer(struct npart__build *build, uint32_t scope,
                                        const struct npart__tensor *tensor, char **name_of)
{
    struct npart__graph *graph = build->graph;
    if (!tensor)
        return npart__fail_memory(build->error);
    uint32_t value;
    npart_status status = declare(build, scope, name_of, NPART__VALUE_INITIALIZER, NPART_NONE, &value);
    if (status != NPART_OK)
        return status;
    if (value == NPART_NONE) {
        uint32_t name = npart__strings_find_text(&graph->strings, tensor->name);
        value = build->bindings.items[name].value;
        if (graph->values.items[value].kind != NPART__VALUE_INPUT)
            return npart__fail(build->error, NPART_ERROR_MALFORMED, "", "initializer \"%s\" is there twice",
                               tensor->name);
        graph->values.items[value].kind =
            (uint8_t)(graph->ir_version >= 4 ? NPART__VALUE_OVERRIDABLE : NPART__VALUE_INITIALIZER);
    }
    graph->values.items[value].tensor = tensor;
    npart__build_add_weight(build, tensor);
    return NPART_OK;
}

static npart_status declare_initializers(struct npart__build *build, uint32_t scope, const Onnx__GraphProto *proto)
{
    npart_status status = NPART_OK;
    for (size_t i = 0; status == NPART_OK && i < proto->n_initializer; i++) {
        const char *name = proto->initializer[i]->name ? proto->initializer[i]->name : "";
        status = declare_initializer(build, scope, npart__build_tensor(build, proto->initializer[i], name),
                                     &proto->initializer[i]->name);
    }
    for (size_t i = 0; status == NPART_OK && i < proto->n_sparse_initializer; i++) {
        const Onnx__SparseTensorProto *sparse = proto->sparse_initializer[i];
        char *no_name = NULL, **own = sparse->values ? &sparse->values->name : &no_name;
        const char *name = *own ? *own : "";
        status = declare_initializer(build, scope, npart__build_sparse_tensor(build, sparse, name), own);
        if (status == NPART_OK && i == 0 &&
            !npart__build_finding(build, "sparse", name,
                                  "%zu sparse weight%s planned dense, as ONNX Runtime makes them when it loads them",
                                  proto->n_sparse_initializer, proto->n_sparse_initializer == 1 ? " is" : "s are"))
            status = npart__fail_memory(build->error);
    }
    return status;
}

static npart_status resolve_outputs(struct npart__build *build, uint32_t scope, const Onnx__GraphProto *proto)
{
    struct npart__graph *graph = build->graph;
    uint32_t region = graph->scopes.items[scope].region;
    graph->scopes.items[scope].first_output = graph->operands.count;
    for (size_t i = 0; i < proto->n_output; i++) {
        Onnx__ValueInfoProto *output = proto->output[i];
        uint32_t value;
        bool found;
        if (!resolve(build, region, &output->name, &value, &found))
            return npart__fail_memory(build->error);
        if (!found || value == NPART_NONE)
            return npart__fail(build->error, NPART_ERROR_MALFORMED, "", "nothing makes graph output \"%s\"",
                               output->name ? output->name : "");
        struct npart__declared_type *type = npart__build_type(build->arena, output->type);
        if (!type || !NPART__PUSH(build->arena, &graph->operands, value))
            return npart__fail_memory(build->error);
        graph->scopes.items[scope].output_count++;
        graph->values.items[value].is_graph_output = true;
        if (!graph->values.items[value].declared)
            graph->values.items[value].declared = type;
    }
    return NPART_OK;
}

/* value_info of names that the scope does not make is old exporters' litter. */
static npart_status attach_value_info(struct npart__build *build, uint32_t scope, Onnx__ValueInfoProto **infos,
                                      size_t count)
{
    struct npart__graph *graph = build->graph;
    for (size_t i = 0; i < count; i++) {
        const char *text = infos[i]->name ? infos[i]->name : "";
        uint32_t name = npart__strings_find_text(&graph->strings, text);
        if (name >= build->bindings.count || build->bindings.items[name].scope != scope + 1 ||
            build->bindings.items[name].value == NPART_NONE)
            continue;
        if (name && !build->shares_objects)
            infos[i]->name = (char *)(uintptr_t)npart__text(&graph->strings, name);
        struct npart__value *value = &graph->values.items[build->bindings.items[name].value];
        if (value->declared)
            continue;
        value->declared = npart__build_type(build->arena, infos[i]->type);
        if (!value->declared)
            return npart__fail_memory(build->error);
    }
    return NPART_OK;
}

/* Outputs come after nodes, which make them. Bodies and calls come last of all: what they capture is declared by
 * then, and the names of this scope still hold. After that the names are given back to the scope around. */
static npart_status build_graph_scope(struct npart__build *build, uint32_t scope, const Onnx__GraphProto *proto)
{
    uint32_t undo_count = build->undo.count;
    npart_status status = declare_inputs(build, scope, proto);
    if (status == NPART_OK)
        status = declare_initializers(build, scope, proto);
    if (status == NPART_OK)
        status = build_nodes(build, scope, proto->node, proto->n_node);
    if (status == NPART_OK)
        status = resolve_outputs(build, scope, proto);
    if (status == NPART_OK)
        status = attach_value_info(build, scope, proto->value_info, proto->n_value_info);
    if (status == NPART_OK)
        status = build_inner(build, build->graph->scopes.items[scope].first_node, proto->node, proto->n_node);
    unbind_to(build, undo_count);
    return status;
}

/* ---- calls of model-local functions ---------------------------------------------------------------------- */

/* The formal names stand for the caller's values. An output that is an input passes it through: an alias. */
static npart_status bind_formals(struct npart__build *build, uint32_t scope, uint32_t call,
                                 const Onnx__FunctionProto *function)
{
    struct npart__graph *graph = build->graph;
    const struct npart__node node = graph->nodes.items[call];
    for (uint32_t i = 0; i < function->n_input; i++) {
        uint32_t name = intern(build, &function->input[i]);
        if (name == NPART_NONE || !bind(build, scope, name, npart__node_input(graph, &node, i)))
            return npart__fail_memory(build->error);
    }
    for (uint32_t i = 0; i < function->n_output; i++) {
        uint32_t actual = npart__node_output(graph, &node, i);
        uint32_t name = intern(build, &function->output[i]);
        if (name == NPART_NONE)
            return npart__fail_memory(build->error);
        const struct npart__binding *binding = &build->bindings.items[name];
        bool is_input = is_visible(build, binding) && binding->scope == scope + 1;
        if (actual == NPART_NONE)
            continue; /* the call leaves it out: the body makes a value of its own */
        if (is_input && binding->value == NPART_NONE)
            return npart__build_fail(build, call, "function output \"%s\" is an input that the call leaves out",
                                     function->output[i]);
        if (is_input) {
            graph->values.items[actual].alias = binding->value;
            graph->values.items[actual].producer = NPART_NONE;
        } else if (!bind(build, scope, name, actual)) {
            return npart__fail_memory(build->error);
        }
    }
    return NPART_OK;
}

static npart_status check_outputs_made(struct npart__build *build, uint32_t call)
{
    const struct npart__graph *graph = build->graph;
    const struct npart__node *node = &graph->nodes.items[call];
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(graph, node, i);
        if (value != NPART_NONE && graph->values.items[value].producer == call)
            return npart__build_fail(build, call, "its function does not make output \"%s\"",
                                     npart__value_name(graph, value));
    }
    return NPART_OK;
}

static npart_status build_call_body(struct npart__build *build, uint32_t scope, uint32_t call,
                                    const Onnx__FunctionProto *function)
{
    npart_status status = bind_formals(build, scope, call, function);
    if (status == NPART_OK)
        status = build_nodes(build, scope, function->node, function->n_node);
    if (status == NPART_OK)
        status = attach_value_info(build, scope, function->value_info, function->n_value_info);
    if (status == NPART_OK)
        status = check_outputs_made(build, call);
    if (status == NPART_OK)
        status = build_inner(build, build->graph->scopes.items[scope].first_node, function->node, function->n_node);
    return status;
}

/* A call gets a scope of its own, in the region of its caller, with names of its own (`environment`: a function does
 * not see its caller's names), its own attributes, and the imports of the function where it has some. All of these
 * are put back afterwards, since calls nest. */
static npart_status build_call(struct npart__build *build, uint32_t node, const Onnx__NodeProto *proto,
                               uint32_t index)
{
    struct npart__graph *graph = build->graph;
    const Onnx__FunctionProto *function = build->model->functions[index];
    unsigned most = (unsigned)NPART__MOST(graph->limits, CALL_DEPTH);
    if (build->call_depth >= most)
        return npart__build_fail(build, node, "functions call each other deeper than %u (limit call-depth): \"%s\" "
                                 "calls itself?", most, proto->op_type ? proto->op_type : "");
    uint32_t scope = graph->scopes.count, parent = graph->nodes.items[node].scope;
    struct npart__scope made = {
        .kind = NPART_GRAPH_CALL,
        .parent = parent,
        .node = node,
        .region = graph->scopes.items[parent].region,
        .label = function->name ? function->name : "",
    };
    if (!NPART__PUSH(build->arena, &graph->scopes, made) || !NPART__PUSH(build->arena, &build->bodies, NULL))
        return npart__fail_memory(build->error);
    graph->nodes.items[node].callee = scope;
    build->function_called[index] = true;

    struct npart__attribute_index call_attributes = build->call_attributes;
    if (!npart__build_attribute_index(build, node, &build->call_attributes))
        return npart__fail_memory(build->error);
    uint32_t environment = build->environment, undo_count = build->undo.count;
    Onnx__OperatorSetIdProto **opsets = build->opsets;
    size_t opset_count = build->opset_count;
    build->environment = ++build->environment_count;
    if (function->n_opset_import) {
        build->opsets = function->opset_import;
        build->opset_count = function->n_opset_import;
    }
    build->call_depth++;
    npart_status status = build_call_body(build, scope, node, function);
    build->call_depth--;
    build->call_attributes = call_attributes;
    build->opsets = opsets;
    build->opset_count = opset_count;
    unbind_to(build, undo_count);
    build->environment = environment;
    return status;
}

/* ---- the model ------------------------------------------------------------------------------------------- */

/* The graph's entry for a domain, a new one if need be. */
static struct npart_opset *opset_of(struct npart__graph *graph, const char *domain)
{
    for (uint32_t i = 0; i < graph->opset_count; i++)
        if (strcmp(graph->opsets[i].domain, domain) == 0)
            return &graph->opsets[i];
    graph->opsets[graph->opset_count].domain = domain;
    return &graph->opsets[graph->opset_count++];
}

static npart_status read_opsets(struct npart__build *build)
{
    struct npart__graph *graph = build->graph;
    const Onnx__ModelProto *model = build->model;
    unsigned most = (unsigned)NPART__MOST(graph->limits, OPSETS);
    /* Imports of functions are looked through for every node that is called, so they are limited too. */
    bool has_too_many = model->n_opset_import > most;
    for (size_t i = 0; i < model->n_functions; i++)
        has_too_many |= model->functions[i]->n_opset_import > most;
    if (has_too_many)
        return npart__fail(build->error, NPART_ERROR_LIMIT, "",
                           "more than %u operator sets are imported (limit opsets)", most);
    graph->opsets = npart__arena_zeroed(build->arena, model->n_opset_import + 1, sizeof *graph->opsets);
    if (!graph->opsets)
        return npart__fail_memory(build->error);
    for (size_t i = 0; i < model->n_opset_import; i++) {
        const char *domain = npart__plain_domain(model->opset_import[i]->domain);
        int64_t version = model->opset_import[i]->version;
        uint32_t known = graph->opset_count;
        struct npart_opset *opset = opset_of(graph, *domain ? domain : "ai.onnx");
        if (graph->opset_count == known && opset->version != version &&
            !npart__build_finding(build, "repeated-opset", "",
                                  "domain \"%s\" is imported at version %lld and again at %lld, which counts",
                                  opset->domain, (long long)opset->version, (long long)version))
            return npart__fail_memory(build->error);
        opset->version = version;
    }
    build->opsets = model->opset_import;
    build->opset_count = model->n_opset_import;
    return NPART_OK;
}

/* Whether a node is the first with its operator and domain; `reported` holds, by operator, the domain that was asked
 * about last, plus 1. False when out of memory. */
static bool is_news(struct npart__build *build, const struct npart__node *node, uint32_t *reported, bool *out)
{
    struct npart__strings *strings = &build->graph->strings;
    uint32_t known = strings->texts.count;
    *out = false;
    if (reported[node->op_type] == node->domain + 1)
        return true;
    reported[node->op_type] = node->domain + 1;
    const char *text = npart__arena_format(build->arena, "%s\x1f%s\x1f\x1freported", npart__text(strings, node->domain),
                                           npart__text(strings, node->op_type));
    uint32_t key = text ? npart__intern_text(strings, text) : NPART_NONE;
    *out = key != NPART_NONE && key >= known;
    return key != NPART_NONE;
}

/* What was not said as an error: unused functions, operators and domains that the standard does not know. */
static npart_status report_oddities(struct npart__build *build)
{
    struct npart__graph *graph = build->graph;
    for (size_t i = 0; i < build->model->n_functions; i++) {
        const char *name = build->model->functions[i]->name ? build->model->functions[i]->name : "";
        if (!build->function_called[i] &&
            !npart__build_finding(build, "unused-function", name, "no node calls this function"))
            return npart__fail_memory(build->error);
    }
    uint32_t *reported = npart__arena_zeroed(build->arena, graph->strings.texts.count, sizeof *reported);
    if (!reported)
        return npart__fail_memory(build->error);
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = &graph->nodes.items[i];
        bool ok = true, is_first = false;
        if (!node->schema && node->callee == NPART_NONE)
            ok = is_news(build, node, reported, &is_first);
        if (!ok)
            return npart__fail_memory(build->error);
        if (!is_first)
            continue;
        char place[160];
        npart__describe_node(graph, i, place, sizeof place);
        const char *domain = npart__text(&graph->strings, node->domain);
        ok = node->opset_version
                 ? npart__build_finding(build, "unknown-operator", place,
                                        "%s is no operator of domain \"%s\" at version %d",
                                        npart__node_op(graph, node), *domain ? domain : "ai.onnx",
                                        node->opset_version)
                 : npart__build_finding(build, "unknown-domain", place,
                                        "the model imports no version of domain \"%s\", which %s belongs to",
                                        *domain ? domain : "ai.onnx", npart__node_op(graph, node));
        if (!ok)
            return npart__fail_memory(build->error);
    }
    return NPART_OK;
}

static bool has_unranked_input(const struct npart__graph *graph)
{
    const struct npart__scope *scope = &graph->scopes.items[0];
    for (uint32_t i = 0; i < scope->input_count; i++) {
        const struct npart__value *value = &graph->values.items[graph->operands.items[scope->first_input + i]];
        bool is_tensor = value->declared && value->declared->kind == NPART__TYPE_TENSOR;
        if (value->kind != NPART__VALUE_INITIALIZER && is_tensor && !value->declared->has_rank)
            return true;
    }
    return false;
}

npart_status npart__graph_build(struct npart__skeleton *skeleton, struct npart__arena *arena,
                                struct npart__graph *out, struct npart_error *error)
{
    Onnx__ModelProto *model = skeleton->objects;
    npart_status status = model ? NPART_OK : npart__onnx_unpack(skeleton, arena, &model, error);
    if (!skeleton->is_lent) {
        npart__arena_release(arena, skeleton->data);
        skeleton->data = NULL;
    }
    if (status != NPART_OK)
        return status;
    struct npart__build *build = npart__arena_zeroed(arena, 1, sizeof *build);
    if (!build)
        return npart__fail_memory(error);
    memset(out, 0, sizeof *out);
    out->arena = build->arena = arena;
    out->limits = skeleton->limits;
    build->graph = out;
    build->model = model;
    build->shares_objects = skeleton->objects != NULL;
    build->error = error;
    out->ir_version = model->ir_version;
    out->has_functions = model->n_functions > 0;
    out->first_late_node = NPART_NONE;
    out->producer_name = model->producer_name ? model->producer_name : "";
    out->producer_version = model->producer_version ? model->producer_version : "";
    out->metadata = model;
    out->input_bytes = skeleton->input_bytes;
    struct npart__scope main_scope = {.kind = NPART_GRAPH_MAIN, .parent = NPART_NONE, .node = NPART_NONE, .label = ""};
    if (!npart__strings_init_like(&out->strings, skeleton->names, arena) ||
        !NPART__PUSH(arena, &out->scopes, main_scope) || !NPART__PUSH(arena, &build->bodies, model->graph))
        return npart__fail_memory(error);
    if (skeleton->training_info_bytes &&
        !npart__build_finding(build, "training-info", "", "%llu bytes of training information are left out",
                              (unsigned long long)skeleton->training_info_bytes))
        return npart__fail_memory(error);
    status = read_opsets(build);
    if (status == NPART_OK)
        status = index_functions(build);
    if (status == NPART_OK)
        status = npart__build_count_inlined(build, skeleton->bytes);
    if (status == NPART_OK)
        status = build_graph_scope(build, 0, model->graph);
    if (status == NPART_OK)
        status = npart__build_order(build);
    if (status == NPART_OK)
        status = report_oddities(build);
    if (status == NPART_OK)
        status = npart__build_modules(build);
    if (status == NPART_OK) {
        out->has_unranked_input = has_unranked_input(out);
        NPART__CHECK(npart__check_graph(out, NULL));
    }
    out->strings.like = NULL;
    npart__arena_release(arena, build->bindings.items);
    npart__arena_release(arena, build->undo.items);
    npart__arena_release(arena, build->captures.items);
    npart__arena_release(arena, build->bodies.items);
    return status;
}
