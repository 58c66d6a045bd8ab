/* SPDX-License-Identifier: Apache-2.0
 *
 * report: plans as text and JSON. Both say the same; equal plans give equal bytes.
 */
#ifndef NPART_REPORT_H
#define NPART_REPORT_H

#include "plan/plan.h"

struct npart__plan_pair {
    const struct npart__plan *plan, *fixed; /* fixed may be NULL */
};

/* Each appends one model's plans. */
void npart__report_json(const struct npart__plan_pair *pairs, size_t count, struct npart__buffer *out);
void npart__report_text(const struct npart__plan_pair *pairs, size_t count,
                        const struct npart_report_options *options, struct npart__buffer *out);
/* Every rule that speaks of a node, which is told by its name, by an output of it, or by its number in the main graph;
 * of all nodes with that name. False when there is none. */
bool npart__report_explain(const struct npart__plan_pair *pairs, size_t count, const char *node,
                           const struct npart_report_options *options, struct npart__buffer *out);
/* The next node from `from` on that is called so, or NPART_NONE. */
uint32_t npart__find_node(const struct npart__graph *graph, const char *text, uint32_t from);
/* The shapes of the main graph's values, by name. */
void npart__report_shapes(struct npart__inference *inference, struct npart__buffer *out);

/* A JSON string: quoted, escaped, and valid UTF-8 whatever the bytes are. */
void npart__append_json_string(struct npart__buffer *out, const char *text, size_t length);

/* Where a node comes from, as exporters note it: the innermost line of the stack trace that is the user's own, and
 * the module path. Each is NULL (line 0) where nothing is noted; texts are not terminated. */
struct npart__origin {
    const char *file, *module;
    size_t file_length, module_length;
    int64_t line;
};
void npart__node_origin(const struct npart__node *node, struct npart__origin *out);

#endif
