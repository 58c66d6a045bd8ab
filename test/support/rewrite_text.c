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
#include "support/changed_text.h"
#include "support/counted.h"
#include "support/failing.h"
#include "support/model_text.h"

#define MOST_PLACES ((size_t)1 << 16)

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
    struct npart_error error;
    unsigned applied;
    unsigned classes; /* of the sites: bits by enum npart_equality */
};

static npart_status read_model(struct rewriting *rewriting, const struct bytes *bytes)
{
    static const struct npart__wire_options plain;
    struct npart__source source;
    npart__source_open_memory(&source, bytes->data, bytes->size);
    npart_status status =
        npart__version_read(&source, &plain, &rewriting->arena, &rewriting->version, &rewriting->error);
    npart__source_close(&source);
    return status;
}

static npart_status analyse(struct rewriting *rewriting)
{
    rewriting->graph = npart__arena_zeroed(&rewriting->arena, 1, sizeof *rewriting->graph);
    return rewriting->graph ? npart__version_graph(&rewriting->version, &rewriting->arena, rewriting->graph,
                                                   &rewriting->error)
                            : npart__fail_memory(&rewriting->error);
}

/* A site that failed and is not impossible ran out of memory, as lib/change/fix takes it. */
static npart_status offer(struct rewriting *rewriting, const struct npart__rewrite *rewrite,
                          struct npart__editor *editor, uint32_t node)
{
    struct npart__site site;
    if (!npart__lists_op(rewriting->graph, rewrite->anchors, node) ||
        !npart__site_begin(editor, node, "", 0, &site))
        return NPART_OK;
    if (npart__rewrite_try(rewrite, &site) && npart__site_keep(&site)) {
        rewriting->classes |= 1u << site.equality;
        rewriting->applied++;
        return NPART_OK;
    }
    npart__site_drop(&site);
    return site.failed && !site.is_impossible ? npart__fail_memory(&rewriting->error) : NPART_OK;
}

static npart_status apply(struct rewriting *rewriting, const struct npart__rewrite *rewrite)
{
    struct npart__arena *arena = &rewriting->arena;
    const struct npart__graph *graph = rewriting->graph;
    struct npart__infer_options options = {0};
    struct npart__inference *inference = npart__arena_zeroed(arena, 1, sizeof *inference);
    bool *is_constant = npart__arena_zeroed(arena, graph->values.count + (size_t)1, sizeof *is_constant);
    struct npart__editor *editor;
    if (!inference || !is_constant)
        return npart__fail_memory(&rewriting->error);
    npart_status status = npart__infer(graph, &options, arena, inference, &rewriting->error);
    for (uint32_t i = 0; status == NPART_OK && i < graph->values.count; i++)
        is_constant[i] = inference->facts[i].is_constant;
    if (status == NPART_OK)
        status = npart__editor_open(&rewriting->version, graph, inference, is_constant, arena, &editor,
                                    &rewriting->error);
    for (uint32_t i = 0; status == NPART_OK && i < graph->nodes.count; i++)
        status = offer(rewriting, rewrite, editor, i);
    if (status == NPART_OK)
        status = npart__editor_pack(editor, arena, &rewriting->version, &rewriting->error);
    return status == NPART_OK ? analyse(rewriting) : status;
}

/* A few ids are of several rewrites: one that computes, and patterns. */
static npart_status apply_all(struct rewriting *rewriting, const char *id)
{
    unsigned found = 0;
    for (uint32_t i = 0; i < rewriting->rewrites.count; i++) {
        if (strcmp(rewriting->rewrites.rows[i].id, id) != 0)
            continue;
        npart_status status = apply(rewriting, &rewriting->rewrites.rows[i]);
        if (status != NPART_OK)
            return status;
        found++;
    }
    if (found)
        return NPART_OK;
    printf("there is no rewrite %s\n", id);
    exit(1);
}

/* Read once, as each of the many models needs them. */
static npart_status share_rewrites(struct rewriting *rewriting)
{
    static struct npart__arena arena;
    static struct npart__rewrite_set shared;
    npart_status status = NPART_OK;
    if (!shared.count) {
        npart__arena_init(&arena, NULL);
        status = npart__rewrites_gather(&arena, &shared, &rewriting->error);
    }
    rewriting->rewrites = shared;
    return status;
}

/* Of the last rewrite_once. */
static unsigned last_classes;

/* The text is in the heap; NULL when it failed, and why is in `error`. */
static char *rewrite_once(const struct bytes *bytes, const char *rewrites, const struct npart_allocator *allocator,
                          struct npart_error *error)
{
    struct rewriting rewriting = {.applied = 0};
    struct npart__buffer text;
    char id[64], *copy = NULL;
    npart__arena_init(&rewriting.arena, allocator);
    npart_status status = allocator ? npart__rewrites_gather(&rewriting.arena, &rewriting.rewrites, &rewriting.error)
                                    : share_rewrites(&rewriting);
    if (status == NPART_OK)
        status = read_model(&rewriting, bytes);
    if (status == NPART_OK)
        status = analyse(&rewriting);
    for (int used; status == NPART_OK && sscanf(rewrites, "%63s%n", id, &used) == 1; rewrites += used)
        status = apply_all(&rewriting, id);
    npart__buffer_init(&text, &rewriting.arena);
    if (status == NPART_OK) {
        append_scope(&text, rewriting.graph, 0, 0);
        append_constants(&text, rewriting.graph);
        const char *made = rewriting.applied ? npart__buffer_text(&text) : "same";
        size_t length = made ? strlen(made) + 1 : 0;
        if (made && !text.failed && (copy = malloc(length)) != NULL)
            memcpy(copy, made, length);
        else
            (void)npart__fail_memory(&rewriting.error);
    }
    *error = rewriting.error;
    last_classes = rewriting.classes;
    npart__arena_clear(&rewriting.arena);
    return copy;
}

/* ---- without memory -------------------------------------------------------------------------------------------- */

static void must(bool holds, const char *what, const char *rewrites, size_t allocation)
{
    if (holds)
        return;
    printf("%s, allocation %zu: %s\n", rewrites, allocation, what);
    exit(1);
}

/* Once more with each allocation failing that no model before has tried: it is told, or the result is the same. */
static void fail_each_allocation(const struct bytes *bytes, const char *rewrites, const char *wanted)
{
    static uint64_t places[MOST_PLACES];
    struct counted counted;
    struct npart_error error;
    counted_init(&counted, true);
    counted.places = places;
    counted.place_room = MOST_PLACES;
    free(rewrite_once(bytes, rewrites, &counted.allocator, &error));
    size_t total = counted.calls < MOST_PLACES ? counted.calls : MOST_PLACES;
    for (size_t i = 1; i <= total; i++) {
        if (!is_new_place("rewrite", places[i - 1]))
            continue;
        counted_init(&counted, i % 2);
        counted.fail_at = i;
        char *text = rewrite_once(bytes, rewrites, &counted.allocator, &error);
        must(text || error.status == NPART_ERROR_MEMORY, error.message, rewrites, i);
        must(!text || strcmp(text, wanted) == 0, "has another result", rewrites, i);
        must(counted.live_blocks == 0, "keeps memory", rewrites, i);
        free(text);
    }
}

/* ---- on other models ------------------------------------------------------------------------------------------- */

/* What is made of any model that can be read can be read; fix would take it for a rewrite that does not help. */
static void hold_for_texts_near(const char *model, const char *rewrites)
{
    char *text;
    for (unsigned i = 0; (text = changed_text(model, i)) != NULL; i++) {
        struct bytes bytes = model_from_text(text);
        struct npart_error error = {.status = NPART_OK};
        char *before = rewrite_once(&bytes, "", NULL, &error);
        char *after = before ? rewrite_once(&bytes, rewrites, NULL, &error) : NULL;
        if (before && !after) { /* it was read, so it is the rewrite's mistake */
            printf("%s: %s: %s\n%s", rewrites, error.place, error.message, text);
            exit(1);
        }
        free(before);
        free(after);
        free(text);
        bytes_free(&bytes);
    }
}

static char *rewrite_or_exit(const struct bytes *bytes, const char *rewrites)
{
    struct npart_error error;
    char *text = rewrite_once(bytes, rewrites, NULL, &error);
    if (!text) {
        printf("%s: %s: %s\n", rewrites, error.place, error.message);
        exit(1);
    }
    return text;
}

char *rewritten_alone(const char *model, const char *rewrites)
{
    struct bytes bytes = model_from_text(model);
    char *text = rewrite_or_exit(&bytes, rewrites);
    bytes_free(&bytes);
    return text;
}

char *rewritten_by(const char *model, const char *rewrites)
{
    struct bytes bytes = model_from_text(model);
    char *text = rewrite_or_exit(&bytes, rewrites);
    const unsigned classes = last_classes;
    fail_each_allocation(&bytes, rewrites, text);
    hold_for_texts_near(model, rewrites);
    last_classes = classes;
    bytes_free(&bytes);
    return text;
}

char *rewritten(const char *model, const char *rewrite)
{
    return rewritten_by(model, rewrite);
}

const char *rewritten_class(void)
{
    const char *word = NULL;
    for (unsigned i = 0; npart__equality_words[i]; i++)
        if (last_classes >> i & 1)
            word = npart__equality_words[i];
    return word;
}
