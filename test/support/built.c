/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs for tests, see built.h.
 */
#include "support/built.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- building ------------------------------------------------------------------------------------------------ */

void build_bytes(struct built *built, const void *data, size_t bytes)
{
    static const struct npart__wire_options options = {0};
    struct npart__source source;
    struct npart__skeleton skeleton;
    memset(built, 0, sizeof *built);
    npart__arena_init(&built->arena, NULL);
    npart__source_open_memory(&source, data, bytes);
    built->status = npart__wire_scan(&source, &options, &built->arena, &skeleton, &built->error);
    npart__source_close(&source);
    if (built->status == NPART_OK)
        built->status = npart__graph_build(&skeleton, &built->arena, &built->graph, &built->error);
}

void build_model(struct built *built, struct bytes *model)
{
    build_bytes(built, model->data, model->size);
    bytes_free(model);
}

void build_text(struct built *built, const char *text)
{
    struct bytes model = model_from_text(text);
    build_model(built, &model);
}

void built_close(struct built *built)
{
    npart__arena_clear(&built->arena);
}

/* ---- texts --------------------------------------------------------------------------------------------------- */

#define TEXT_BYTES 4096

static char *next_text(void)
{
    static char texts[8][TEXT_BYTES];
    static unsigned turn;
    char *text = texts[turn++ % 8];
    *text = '\0';
    return text;
}

static void add_word(char *text, const char *word)
{
    size_t used = strlen(text);
    (void)snprintf(text + used, TEXT_BYTES - used, "%s%s", used ? " " : "", word);
}

const char *built_text(const struct built *built)
{
    char *text = next_text();
    if (built->status == NPART_OK)
        return "ok";
    (void)snprintf(text, TEXT_BYTES, "%s%s%s: %s", npart_status_text(built->status), *built->error.place ? ", " : "",
                   built->error.place, built->error.message);
    return text;
}

const char *node_label(const struct npart__graph *graph, uint32_t node)
{
    const struct npart__node *at = &graph->nodes.items[node];
    uint32_t output = npart__node_output(graph, at, 0);
    return output == NPART_NONE ? at->name : npart__value_name(graph, output);
}

const char *order_text(const struct npart__graph *graph, uint32_t region)
{
    char *text = next_text();
    const struct npart__scope *scope = &graph->scopes.items[region];
    for (uint32_t i = 0; i < scope->order_count; i++)
        add_word(text, node_label(graph, graph->order[scope->first_order + i]));
    return text;
}

const char *consumers_text(const struct npart__graph *graph, uint32_t value)
{
    char *text = next_text();
    const struct npart__value *at = &graph->values.items[value];
    for (uint32_t i = 0; i < at->consumer_count; i++)
        add_word(text, node_label(graph, graph->consumers[at->first_consumer + i]));
    return text;
}

const char *captures_text(const struct npart__graph *graph, uint32_t node)
{
    char *text = next_text();
    const struct npart__node *at = &graph->nodes.items[node];
    for (uint32_t i = 0; i < at->capture_count; i++)
        add_word(text, npart__value_name(graph, graph->operands.items[at->first_capture + i]));
    return text;
}

const char *path_text(const struct npart__graph *graph, uint32_t scope)
{
    char *text = next_text();
    struct npart__arena arena;
    struct npart__buffer path;
    npart__arena_init(&arena, NULL);
    npart__buffer_init(&path, &arena);
    npart__append_scope_path(&path, graph, scope);
    (void)snprintf(text, TEXT_BYTES, "%s", npart__buffer_text(&path));
    npart__arena_clear(&arena);
    return text;
}

const char *finding_text(const struct npart__graph *graph, const char *code, unsigned index)
{
    char *text = next_text();
    for (uint32_t i = 0; i < graph->findings.count; i++) {
        const struct npart_finding *finding = &graph->findings.items[i];
        if (strcmp(finding->code, code) != 0 || index-- > 0)
            continue;
        (void)snprintf(text, TEXT_BYTES, "%s (%s)", finding->text, finding->at);
        break;
    }
    return text;
}

/* ---- names --------------------------------------------------------------------------------------------------- */

uint32_t value_in(const struct npart__graph *graph, uint32_t scope, const char *name)
{
    for (uint32_t i = 0; i < graph->values.count; i++)
        if ((scope == NPART_NONE || graph->values.items[i].scope == scope) &&
            strcmp(npart__value_name(graph, i), name) == 0)
            return i;
    return NPART_NONE;
}

uint32_t value_named(const struct npart__graph *graph, const char *name)
{
    return value_in(graph, NPART_NONE, name);
}

uint32_t node_named(const struct npart__graph *graph, const char *name)
{
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = &graph->nodes.items[i];
        if (*name == '@' && strcmp(node->name, name + 1) == 0)
            return i;
        for (uint32_t k = 0; *name != '@' && k < node->output_count; k++) {
            uint32_t output = npart__node_output(graph, node, k);
            if (output != NPART_NONE && strcmp(npart__value_name(graph, output), name) == 0)
                return i;
        }
    }
    return NPART_NONE;
}

/* ---- what must hold ------------------------------------------------------------------------------------------ */

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return #condition;                                                                                         \
    } while (0)

static const char *broken_range(const struct npart__graph *graph)
{
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = &graph->nodes.items[i];
        MUST(node->scope < graph->scopes.count);
        MUST(graph->scopes.items[node->scope].first_node + node->index == i);
        MUST(node->index < graph->scopes.items[node->scope].node_count);
        MUST(node->first_input + node->input_count <= graph->operands.count);
        MUST(node->first_output + node->output_count <= graph->operands.count);
        MUST(node->capture_count == 0 || node->first_capture + node->capture_count <= graph->operands.count);
        MUST(node->first_attribute + node->attribute_count <= graph->attributes.count);
        MUST(node->op_type < graph->strings.texts.count && node->domain < graph->strings.texts.count);
        for (uint32_t k = 0; k < node->body_count; k++) {
            const struct npart__scope *body = &graph->scopes.items[node->first_body + k];
            MUST(node->first_body + k < graph->scopes.count);
            MUST(body->kind == NPART_GRAPH_BODY && body->node == i && body->parent == node->scope);
            MUST(body->region == node->first_body + k);
        }
        if (node->callee != NPART_NONE) {
            MUST(graph->scopes.items[node->callee].kind == NPART_GRAPH_CALL);
            MUST(graph->scopes.items[node->callee].node == i);
            MUST(graph->scopes.items[node->callee].region == graph->scopes.items[node->scope].region);
        }
    }
    for (uint32_t i = 0; i < graph->operands.count; i++) {
        uint32_t value = graph->operands.items[i];
        MUST(value == NPART_NONE || value < graph->values.count);
        MUST(value == NPART_NONE || graph->values.items[value].alias == value);
    }
    return NULL;
}

static const char *broken_scope(const struct npart__graph *graph)
{
    uint64_t nodes = 0, ordered = 0;
    MUST(graph->scopes.count >= 1 && graph->scopes.items[0].kind == NPART_GRAPH_MAIN);
    MUST(graph->scopes.items[0].first_node == 0 && graph->scopes.items[0].parent == NPART_NONE);
    for (uint32_t i = 0; i < graph->scopes.count; i++) {
        const struct npart__scope *scope = &graph->scopes.items[i];
        MUST(i == 0 || scope->parent < i);
        MUST(scope->first_node + scope->node_count <= graph->nodes.count);
        MUST(graph->scopes.items[scope->region].region == scope->region);
        MUST(scope->label != NULL);
        nodes += scope->node_count;
        if (scope->region == i) {
            MUST(scope->first_order == ordered);
            ordered += scope->order_count;
        }
    }
    MUST(nodes == graph->nodes.count); /* with the ranges right, every node is in one scope */
    MUST(ordered == graph->order_count);
    return NULL;
}

static uint32_t uses_of(const struct npart__graph *graph, const struct npart__node *node, uint32_t value)
{
    uint32_t uses = 0;
    if (node->callee != NPART_NONE)
        return 0;
    for (uint32_t k = 0; k < node->input_count; k++)
        uses += graph->operands.items[node->first_input + k] == value;
    for (uint32_t k = 0; k < node->capture_count; k++)
        uses += graph->operands.items[node->first_capture + k] == value;
    return uses;
}

static const char *broken_value(const struct npart__graph *graph)
{
    uint64_t listed = 0, used = 0;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = &graph->nodes.items[i];
        for (uint32_t k = 0; node->callee == NPART_NONE && k < node->input_count; k++)
            used += graph->operands.items[node->first_input + k] != NPART_NONE;
        used += node->callee == NPART_NONE ? node->capture_count : 0;
    }
    for (uint32_t i = 0; i < graph->values.count; i++) {
        const struct npart__value *value = &graph->values.items[i];
        MUST(value->name < graph->strings.texts.count && value->scope < graph->scopes.count);
        MUST(value->alias < graph->values.count && graph->values.items[value->alias].alias == value->alias);
        MUST((value->producer == NPART_NONE) == (value->kind != NPART__VALUE_OUTPUT || value->alias != i));
        if (value->producer != NPART_NONE) {
            const struct npart__node *node = &graph->nodes.items[value->producer];
            bool makes = false;
            MUST(value->producer < graph->nodes.count && node->callee == NPART_NONE);
            for (uint32_t k = 0; k < node->output_count; k++)
                makes |= npart__node_output(graph, node, k) == i;
            MUST(makes);
        }
        listed += value->consumer_count;
        for (uint32_t k = 0, same = 0; k < value->consumer_count; k++) {
            uint32_t consumer = graph->consumers[value->first_consumer + k];
            uint32_t before = k ? graph->consumers[value->first_consumer + k - 1] : 0;
            MUST(consumer < graph->nodes.count);
            same = k && before == consumer ? same + 1 : 1;
            MUST(same <= uses_of(graph, &graph->nodes.items[consumer], i));
        }
    }
    MUST(listed == used); /* none too often, and as many as there are */
    return NULL;
}

static const char *broken_order(const struct npart__graph *graph)
{
    uint32_t *place = malloc((graph->nodes.count + (size_t)1) * sizeof *place);
    const char *broken = place ? NULL : "memory";
    for (uint32_t i = 0; !broken && i < graph->nodes.count; i++)
        place[i] = NPART_NONE;
    for (uint32_t s = 0; !broken && s < graph->scopes.count; s++) {
        const struct npart__scope *scope = &graph->scopes.items[s];
        for (uint32_t i = 0; !broken && scope->region == s && i < scope->order_count; i++) {
            uint32_t id = graph->order[scope->first_order + i];
            if (id >= graph->nodes.count || place[id] != NPART_NONE || npart__node_region(graph, id) != s ||
                graph->nodes.items[id].callee != NPART_NONE)
                broken = "the order holds each node of the region once, and no calls";
            else
                place[id] = i;
        }
    }
    for (uint32_t id = 0; !broken && id < graph->nodes.count; id++) {
        const struct npart__node *node = &graph->nodes.items[id];
        if (node->callee != NPART_NONE)
            continue;
        if (place[id] == NPART_NONE)
            broken = "every node but calls is in the order";
        for (uint32_t k = 0; !broken && k < node->input_count + node->capture_count; k++) {
            uint32_t value = graph->operands.items[k < node->input_count
                                                       ? node->first_input + k
                                                       : node->first_capture + k - node->input_count];
            uint32_t producer = value == NPART_NONE ? NPART_NONE : graph->values.items[value].producer;
            if (producer != NPART_NONE && npart__node_region(graph, producer) == npart__node_region(graph, id) &&
                place[producer] >= place[id])
                broken = "producers come before consumers";
        }
    }
    free(place);
    return broken;
}

const char *broken_promise(const struct npart__graph *graph)
{
    const char *broken = broken_range(graph);
    if (!broken)
        broken = broken_scope(graph);
    if (!broken)
        broken = broken_value(graph);
    return broken ? broken : broken_order(graph);
}
