/* SPDX-License-Identifier: Apache-2.0
 *
 * The main graph's nodes as units, by the names of the file: names are what parts are put together by, and do not
 * change with what a plan's graph has inlined or moved.
 */
#include "split/internal.h"

/* ---- names ----------------------------------------------------------------------------------------------- */

/* A name of the main graph; NPART_NONE when out of memory. */
static uint32_t define(struct npart__splitting *splitting, const char *text)
{
    uint32_t id = npart__intern(&splitting->strings, text ? text : "", text ? strlen(text) : 0, false);
    /* A string's id is its place in `names`. Only names that the graph has get one, so whatever bodies or
     * declarations say beside them costs nothing. */
    static const struct npart__named nothing = {.unit = NPART_NONE, .value = NPART_NONE, .input = NPART_NONE,
                                                .output = NPART_NONE, .initializer = NPART_NONE, .sparse = NPART_NONE,
                                                .info = NPART_NONE};
    while (id != NPART_NONE && splitting->names.count <= id)
        if (!NPART__PUSH(splitting->arena, &splitting->names, nothing))
            return NPART_NONE;
    return id;
}

/* The same of one that may be there; 0, which is "", where it is not. */
uint32_t npart__split_find(const struct npart__splitting *splitting, const char *text)
{
    uint32_t id = text ? npart__strings_find_text(&splitting->strings, text) : 0;
    return id == NPART_NONE ? 0 : id;
}

/* Of a name that is an input and an initializer both places are noted. False when out of memory. */
static bool name_lists(struct npart__splitting *splitting)
{
    const Onnx__GraphProto *graph = splitting->model->graph;
    /* "" first: it gets 0, which stands for operands and outputs that are left out. */
    uint32_t id = define(splitting, "");
    for (uint32_t i = 0; id != NPART_NONE && i < graph->n_input; i++)
        if ((id = define(splitting, graph->input[i]->name)) != NPART_NONE)
            splitting->names.items[id].input = i;
    for (uint32_t i = 0; id != NPART_NONE && i < graph->n_initializer; i++)
        if ((id = define(splitting, graph->initializer[i]->name)) != NPART_NONE)
            splitting->names.items[id].initializer = i;
    for (uint32_t i = 0; id != NPART_NONE && i < graph->n_sparse_initializer; i++) {
        const Onnx__TensorProto *values = graph->sparse_initializer[i]->values;
        if ((id = define(splitting, values ? values->name : "")) != NPART_NONE)
            splitting->names.items[id].sparse = i;
    }
    for (uint32_t i = 0; id != NPART_NONE && i < graph->n_node; i++)
        for (size_t k = 0; id != NPART_NONE && k < graph->node[i]->n_output; k++)
            if ((id = define(splitting, graph->node[i]->output[k])) > 0 && id != NPART_NONE)
                splitting->names.items[id].unit = i;
    if (id == NPART_NONE)
        return false;
    for (uint32_t i = (uint32_t)graph->n_output; i-- > 0;) /* of several the first */
        if ((id = npart__split_find(splitting, graph->output[i]->name)) > 0)
            splitting->names.items[id].output = i;
    /* Declarations of names that no value has are left out, hence `find`. */
    for (uint32_t i = 0; i < graph->n_value_info; i++)
        if ((id = npart__split_find(splitting, graph->value_info[i]->name)) > 0)
            splitting->names.items[id].info = i;
    return true;
}

/* Which values of the plan's graph they are. */
static void find_values(struct npart__splitting *splitting)
{
    const struct npart__graph *graph = splitting->graph;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    for (uint32_t i = 0; i < scope->input_count; i++) {
        uint32_t value = graph->operands.items[scope->first_input + i];
        splitting->names.items[npart__split_find(splitting, npart__value_name(graph, value))].value = value;
    }
    /* An initializer, too, may be a result of the model. */
    for (uint32_t i = 0; i < scope->output_count; i++) {
        uint32_t value = graph->operands.items[scope->first_output + i];
        splitting->names.items[npart__split_find(splitting, npart__value_name(graph, value))].value = value;
    }
    for (uint32_t i = 0; i < splitting->unit_count; i++) {
        const Onnx__NodeProto *proto = splitting->units[i].node;
        const struct npart__node *node = npart__node_at(graph, i);
        for (uint32_t k = 0; k < node->output_count && k < proto->n_output; k++)
            splitting->names.items[npart__split_find(splitting, proto->output[k])].value =
                npart__node_output(graph, node, k);
    }
    splitting->names.items[0].value = NPART_NONE; /* of operands that are left out */
}

/* ---- what units use -------------------------------------------------------------------------------------- */

/* A name of a body around it is no use of the main graph's. 0 is what is left out, or a name that only a body has. */
static bool add_use(struct npart__splitting *splitting, const char *text)
{
    uint32_t id = npart__split_find(splitting, text);
    return id == 0 || splitting->names.items[id].body_depth || NPART__PUSH(splitting->arena, &splitting->uses, id);
}

/* Names that a body has of its own hide those of the main graph. `step` is 1 or -1. A count and no flag, as bodies
 * in bodies may have the same name again. Names that the main graph lacks all count at 0, which is not asked for.
 * -1 wraps around, as unsigned sums do. */
static void shadow(struct npart__splitting *splitting, const Onnx__GraphProto *body, uint32_t step)
{
    for (size_t i = 0; i < body->n_input; i++)
        splitting->names.items[npart__split_find(splitting, body->input[i]->name)].body_depth += step;
    for (size_t i = 0; i < body->n_initializer; i++)
        splitting->names.items[npart__split_find(splitting, body->initializer[i]->name)].body_depth += step;
    for (size_t i = 0; i < body->n_sparse_initializer; i++) {
        const Onnx__TensorProto *values = body->sparse_initializer[i]->values;
        if (values)
            splitting->names.items[npart__split_find(splitting, values->name)].body_depth += step;
    }
    for (size_t i = 0; i < body->n_node; i++)
        for (size_t k = 0; k < body->node[i]->n_output; k++)
            splitting->names.items[npart__split_find(splitting, body->node[i]->output[k])].body_depth += step;
}

static bool add_uses(struct npart__splitting *splitting, const Onnx__NodeProto *node);

/* As deep as the scan lets messages be. What a body captures is a use of the node that holds it: the node needs it
 * in its part. */
static bool add_body(struct npart__splitting *splitting, const Onnx__GraphProto *body)
{
    bool is_good = true;
    shadow(splitting, body, 1);
    for (size_t i = 0; is_good && i < body->n_node; i++)
        is_good = add_uses(splitting, body->node[i]);
    /* A body may hand out a value of the graph around it without a node of its own. */
    for (size_t i = 0; is_good && i < body->n_output; i++)
        is_good = add_use(splitting, body->output[i]->name);
    shadow(splitting, body, UINT32_MAX);
    return is_good;
}

static bool add_uses(struct npart__splitting *splitting, const Onnx__NodeProto *node)
{
    bool is_good = true;
    for (size_t i = 0; is_good && i < node->n_input; i++)
        is_good = add_use(splitting, node->input[i]);
    for (size_t i = 0; is_good && i < node->n_attribute; i++) {
        const Onnx__AttributeProto *attribute = node->attribute[i];
        if (attribute->g)
            is_good = add_body(splitting, attribute->g);
        for (size_t k = 0; is_good && k < attribute->n_graphs; k++)
            is_good = add_body(splitting, attribute->graphs[k]);
    }
    return is_good;
}

/* ---- what the plan makes of them ------------------------------------------------------------------------- */

/* The node of the main graph that a node of the session belongs to. Nodes of bodies, of functions and of
 * definitions are in scopes below it; a copy that the session made belongs to what it was copied from. */
static uint32_t root(const struct npart__session *session, uint32_t node)
{
    const struct npart__graph *graph = session->graph;
    node = npart__original(session->graph, node);
    while (npart__node_at(graph, node)->scope != 0)
        node = npart__scope_at(graph, npart__node_at(graph, node)->scope)->node;
    return node;
}

/* What hands on its operand is copied to where it is used: the runtime removes it there. Where the result would be an
 * output of the part before, it would stay, with a tensor of its own that the plan knows nothing of.
 * What is still a node of the runtime is none of these: take_order sets it to RUN afterwards. */
static uint8_t kind_of(const struct npart__splitting *splitting, uint32_t unit)
{
    const struct npart__session *session = &splitting->request->plan->session;
    const Onnx__NodeProto *node = splitting->units[unit].node;
    switch (session->fates[unit]) {
    case NPART_FATE_IDENTITY:
    case NPART_FATE_DROPOUT:
        return NPART__UNIT_COPIED;
    case NPART_FATE_NO_OP:
        return npart__comes_from(npart__node_at(session->graph, unit), NPART__WAY(CASTS)) ? NPART__UNIT_COPIED
                                                                                          : NPART__UNIT_FOLLOWS;
    case NPART_FATE_FUSED:
        return NPART__UNIT_FOLLOWS;
    case NPART_FATE_SHAPE: /* of what runs: without the numbers it would have to wait for that */
        for (size_t i = 0; i < node->n_output; i++)
            if (*node->output[i] && !npart__split_numbers(splitting, npart__split_find(splitting, node->output[i])))
                return NPART__UNIT_COPIED;
        return NPART__UNIT_KNOWN;
    default:
        return NPART__UNIT_COPIED; /* folded from constants: each part folds it anew */
    }
}

/* Live nodes in the plan's order: of one with others in it (a call, an operator that is replaced by its definition)
 * all must be in one partition. Of its nodes the last in the order gives the unit its position, when all of them are
 * done. */
static void take_order(struct npart__splitting *splitting)
{
    const struct npart__plan *plan = splitting->request->plan;
    const struct npart__session *session = &plan->session;
    for (uint32_t i = 0; i < splitting->request->order_count; i++) {
        uint32_t id = splitting->request->order[i], device = plan->partitioning.partition_of[id];
        /* A node of a body runs where the node with the body does. */
        if (npart__node_region(session->graph, id) != 0)
            continue;
        struct npart__unit *unit = &splitting->units[root(session, id)];
        /* No part may run twice, so a unit whose nodes are on several devices cannot be cut; the CPU takes it whole. */
        if (unit->kind == NPART__UNIT_RUN && unit->position != NPART_NONE && unit->device != device)
            device = NPART_NONE;
        unit->kind = NPART__UNIT_RUN;
        unit->device = device;
        unit->position = i;
    }
    /* What has copies is copied. */
    for (uint32_t id = session->file->nodes.count; id < session->graph->nodes.count; id++)
        if (npart__node_at(session->graph, id)->scope == 0 || npart__node_region(session->graph, id) == 0)
            splitting->units[root(session, id)].kind = NPART__UNIT_COPIED;
}

npart_status npart__split_read(struct npart__splitting *splitting)
{
    const Onnx__GraphProto *graph = splitting->model->graph;
    splitting->unit_count = (uint32_t)graph->n_node;
    splitting->device_count = splitting->request->plan->partitioning.partitions.count;
    splitting->units = npart__arena_zeroed(splitting->arena, graph->n_node + 1, sizeof *splitting->units);
    if (!splitting->units || !npart__strings_init(&splitting->strings, splitting->arena) || !name_lists(splitting) ||
        !npart__split_list_functions(splitting))
        return npart__fail_memory(splitting->error);
    for (uint32_t i = 0; i < splitting->unit_count; i++) {
        struct npart__unit *unit = &splitting->units[i];
        *unit = (struct npart__unit){.node = graph->node[i], .device = NPART_NONE, .position = NPART_NONE,
                                     .into = NPART_NONE, .part = NPART_NONE, .first_use = splitting->uses.count};
        if (!add_uses(splitting, unit->node))
            return npart__fail_memory(splitting->error);
        unit->use_count = splitting->uses.count - unit->first_use;
    }
    find_values(splitting);
    for (uint32_t i = 0; i < splitting->unit_count; i++) {
        uint32_t into = npart__fused_into(&splitting->request->plan->session, i);
        splitting->units[i].kind = kind_of(splitting, i);
        if (into != NPART_NONE)
            splitting->units[i].into = root(&splitting->request->plan->session, into);
    }
    take_order(splitting);
    return NPART_OK;
}
