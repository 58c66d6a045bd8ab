/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph built from a model's text or bytes, ways to name its parts, and what must hold for every graph.
 */
#ifndef TEST_BUILT_H
#define TEST_BUILT_H

#include "graph/graph.h"
#include "support/model_text.h"

struct built {
    struct npart__arena arena;
    struct npart__graph graph; /* when status is NPART_OK */
    npart_status status;
    struct npart_error error;
};

/* Each is to be closed, whatever its status; the graph's arena pointer is set right. `built` must stay where it is. */
void build_text(struct built *built, const char *text);
void build_bytes(struct built *built, const void *data, size_t bytes);
/* The same; the bytes are freed. */
void build_model(struct built *built, struct bytes *model);
void built_close(struct built *built);

/* "malformed, node 1 (Relu): what is wrong", or "ok"; in static memory. */
const char *built_text(const struct built *built);

/* The first value or node of a name; NPART_NONE when there is none. A node goes by its own name, "@" before it, or by
 * that of an output. */
uint32_t value_named(const struct npart__graph *graph, const char *name);
uint32_t node_named(const struct npart__graph *graph, const char *name);
/* In a scope. */
uint32_t value_in(const struct npart__graph *graph, uint32_t scope, const char *name);

/* Texts in static memory, eight at a time. */
const char *node_label(const struct npart__graph *graph, uint32_t node);      /* its first output's name, or its own */
const char *order_text(const struct npart__graph *graph, uint32_t region);    /* "a b c" */
const char *consumers_text(const struct npart__graph *graph, uint32_t value); /* "a b b" */
const char *captures_text(const struct npart__graph *graph, uint32_t node);   /* names of values */
const char *path_text(const struct npart__graph *graph, uint32_t scope);
/* "text (at)" of the `index`-th finding of a code; "" when there is none. */
const char *finding_text(const struct npart__graph *graph, const char *code, unsigned index);

/* What graph.h promises of ids, ranges, uses and order. Returns NULL, or what does not hold. */
const char *broken_promise(const struct npart__graph *graph);

#endif
