/* SPDX-License-Identifier: Apache-2.0
 *
 * See rewrite_text.h.
 */
#include "support/rewrite_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edit/editor.h"
#include "rewrite/rewrite.h"
#include "support/model_text.h"

static void must(npart_status status, const struct npart_error *error, const char *step)
{
    if (status == NPART_OK)
        return;
    printf("%s: %s: %s\n", step, error->place, error->message);
    exit(1);
}

/* ---- printing -------------------------------------------------------------------------------------------------- */

static void append_attribute(struct npart__buffer *text, const struct npart__attribute *attribute)
{
    npart__append_format(text, " %s=", attribute->name);
    switch (attribute->type) {
    case 1:
        npart__append_format(text, "%g", (double)attribute->u.f);
        break;
    case 2:
        npart__append_int64(text, attribute->u.i);
        break;
    case 3:
        npart__append_format(text, "\"%s\"", attribute->u.s);
        break;
    case 6:
    case 7:
        for (uint32_t i = 0; i < attribute->count; i++)
            npart__append_format(text, "%s%g", i ? "," : "[",
                                 attribute->type == 6 ? (double)attribute->u.floats[i] : (double)attribute->u.ints[i]);
        npart__append_text(text, attribute->count ? "]" : "[]");
        break;
    default:
        npart__append_text(text, "...");
    }
}

static void append_names(struct npart__buffer *text, const struct npart__graph *graph, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = graph->operands.items[first + i];
        npart__append_format(text, "%s%s", i ? ", " : "", value == NPART_NONE ? "" : npart__value_name(graph, value));
    }
}

static void append_scope(struct npart__buffer *text, const struct npart__graph *graph, uint32_t scope, unsigned depth)
{
    const struct npart__scope *at = &graph->scopes.items[scope];
    for (uint32_t i = at->first_node; i < at->first_node + at->node_count; i++) {
        const struct npart__node *node = &graph->nodes.items[i];
        const char *domain = npart__text(&graph->strings, node->written_domain);
        npart__append_format(text, "%*s", (int)(2 * depth), "");
        append_names(text, graph, node->first_output, node->output_count);
        npart__append_format(text, " = %s%s%s(", domain, *domain ? ":" : "", npart__node_op(graph, node));
        append_names(text, graph, node->first_input, node->input_count);
        npart__append_text(text, ")");
        for (uint32_t k = 0; k < node->attribute_count; k++)
            append_attribute(text, &graph->attributes.items[node->first_attribute + k]);
        npart__append_text(text, "\n");
        for (uint32_t k = 0; k < node->body_count; k++)
            append_scope(text, graph, node->first_body + k, depth + 1);
    }
}

static void append_constants(struct npart__buffer *text, const struct npart__graph *graph)
{
    for (uint32_t i = 0; i < graph->values.count; i++) {
        const struct npart__tensor *tensor = graph->values.items[i].tensor;
        double numbers[64];
        if (!tensor || !strchr(npart__value_name(graph, i), '/'))
            continue;
        npart__append_format(text, "init %s %s[", npart__value_name(graph, i), npart__type_name(tensor->element_type));
        for (uint32_t k = 0; k < tensor->rank; k++)
            npart__append_format(text, "%s%lld", k ? "," : "", (long long)tensor->dims[k]);
        npart__append_text(text, "]");
        if (npart__tensor_doubles(tensor, numbers, NPART__COUNT(numbers)))
            for (uint64_t k = 0; k < tensor->elements; k++)
                npart__append_format(text, "%s%.9g", k ? " " : " = ", numbers[k]);
        npart__append_text(text, "\n");
    }
}

/* ---- rewriting ------------------------------------------------------------------------------------------------- */

struct rewriting {
    struct npart__arena arena;
    struct npart__version version;
    struct npart__graph *graph;
    struct npart__rewrite_set rewrites;
    unsigned applied;
};

static void read_model(struct rewriting *rewriting, const char *model)
{
    static const struct npart__wire_options plain;
    struct npart_error error;
    struct npart__source source;
    struct bytes bytes = model_from_text(model);
    npart__source_open_memory(&source, bytes.data, bytes.size);
    must(npart__version_read(&source, &plain, &rewriting->arena, &rewriting->version, &error), &error, "scan");
    npart__source_close(&source);
    bytes_free(&bytes);
}

static void analyse(struct rewriting *rewriting)
{
    struct npart_error error;
    rewriting->graph = npart__arena_zeroed(&rewriting->arena, 1, sizeof *rewriting->graph);
    must(npart__version_graph(&rewriting->version, &rewriting->arena, rewriting->graph, &error), &error, "graph");
}

static void apply(struct rewriting *rewriting, const struct npart__rewrite *rewrite)
{
    struct npart_error error;
    struct npart__arena *arena = &rewriting->arena;
    const struct npart__graph *graph = rewriting->graph;
    struct npart__infer_options options = {0};
    struct npart__inference *inference = npart__arena_zeroed(arena, 1, sizeof *inference);
    struct npart__editor *editor;
    must(npart__infer(graph, &options, arena, inference, &error), &error, "infer");
    bool *is_constant = npart__arena_zeroed(arena, graph->values.count + (size_t)1, sizeof *is_constant);
    for (uint32_t i = 0; i < graph->values.count; i++)
        is_constant[i] = inference->facts[i].is_constant;
    npart_status status =
        npart__editor_open(&rewriting->version, graph, inference, is_constant, arena, &editor, &error);
    must(status, &error, "open");
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        struct npart__site site;
        if (!npart__is_anchor(rewrite, graph, &graph->nodes.items[i]) || !npart__site_begin(editor, i, "", 0, &site))
            continue;
        if (!npart__rewrite_try(rewrite, &site))
            npart__site_drop(&site);
        else if (npart__site_keep(&site))
            rewriting->applied++;
    }
    must(npart__editor_pack(editor, arena, &rewriting->version, &error), &error, "pack");
    analyse(rewriting);
}

/* A few ids are of several rewrites: one that computes, and patterns. */
static void apply_all(struct rewriting *rewriting, const char *id)
{
    unsigned found = 0;
    for (uint32_t i = 0; i < rewriting->rewrites.count; i++)
        if (strcmp(rewriting->rewrites.rows[i].id, id) == 0) {
            apply(rewriting, &rewriting->rewrites.rows[i]);
            found++;
        }
    if (found)
        return;
    printf("there is no rewrite %s\n", id);
    exit(1);
}

char *rewritten_by(const char *model, const char *rewrites)
{
    struct rewriting rewriting = {.applied = 0};
    struct npart__buffer text;
    struct npart_error error;
    char id[64];
    npart__arena_init(&rewriting.arena, NULL);
    must(npart__rewrites_gather(&rewriting.arena, &rewriting.rewrites, &error), &error, "rewrites");
    read_model(&rewriting, model);
    analyse(&rewriting);
    for (int used; sscanf(rewrites, "%63s%n", id, &used) == 1; rewrites += used)
        apply_all(&rewriting, id);
    npart__buffer_init(&text, &rewriting.arena);
    append_scope(&text, rewriting.graph, 0, 0);
    append_constants(&text, rewriting.graph);
    const char *made = rewriting.applied ? npart__buffer_text(&text) : "same";
    size_t bytes = strlen(made) + 1;
    char *copy = malloc(bytes);
    if (!copy)
        exit(1);
    memcpy(copy, made, bytes);
    npart__arena_clear(&rewriting.arena);
    return copy;
}

char *rewritten(const char *model, const char *rewrite)
{
    return rewritten_by(model, rewrite);
}
