/* SPDX-License-Identifier: Apache-2.0
 *
 * The editor of a version: opened over what was found out of it, offered to rewrites site by site, and packed into the
 * next version. For lib/change/fix; rewrites see sites alone (edit.h).
 */
#ifndef NPART_EDITOR_H
#define NPART_EDITOR_H

#include "edit/edit.h"

/* Scans a source, losing nothing, whatever the options say of that. Close the source afterwards. */
npart_status npart__version_read(struct npart__source *source, const struct npart__wire_options *options,
                                 struct npart__arena *arena, struct npart__version *out, struct npart_error *error);
struct npart__version npart__version_of(const struct npart__skeleton *skeleton);
/* A version whose bytes lie in the arena; of its objects nothing is known. False when out of memory. */
bool npart__version_copy(const struct npart__version *version, struct npart__arena *arena, struct npart__version *out);
/* The graph of a version, as of any file. */
npart_status npart__version_graph(const struct npart__version *version, struct npart__arena *arena,
                                  struct npart__graph *out, struct npart_error *error);

/* `graph` and `inference` are of the version's very bytes; `is_constant` by value. All must outlive the editor, whose
 * memory is `arena`. */
npart_status npart__editor_open(const struct npart__version *version, const struct npart__graph *graph,
                                struct npart__inference *inference, const bool *is_constant,
                                struct npart__arena *arena, struct npart__editor **out, struct npart_error *error);

/* A site at a node; false where the node is no one's to change: one inside a function, which others call too. */
bool npart__site_begin(struct npart__editor *editor, uint32_t node, const char *rewrite, uint8_t equality,
                       struct npart__site *out);
/* Keeps what was made at the site. False, and nothing is kept, where another site has replaced one of its results, or
 * when out of memory (`failed`). */
bool npart__site_keep(struct npart__site *site);
/* The first results of what was made at the site that was kept last, NULL-terminated; NULL when out of memory. */
const char *const *npart__kept_results(const struct npart__site *site, struct npart__arena *arena);
/* Forgets it. */
void npart__site_drop(struct npart__site *site);

/* A graph input, all of whose sizes are known, becomes a constant: as many numbers as it has elements, or one for all,
 * rounded to its type. Fails with ARGUMENT, and `name` as the place, where it is not so. */
npart_status npart__editor_bind_value(struct npart__editor *editor, const char *name, const double *numbers,
                                      uint32_t count, struct npart_error *error);
/* What the last site made of the operator in the place of the value's maker has its name. */
void npart__editor_keep_name(struct npart__editor *editor, uint32_t value, const char *op, const char *name);
/* Sizes that the inference of the editor's graph knows stand in the types of inputs, outputs and value_info in place of
 * symbols; what was declared otherwise goes. `adds`: what else is declared. False when out of memory;
 * *changed: whether anything is another. */
enum npart__declared_values {
    NPART__DECLARE_NO_MORE,
    NPART__DECLARE_STATIC,   /* results of the main graph's nodes, all of whose sizes are known */
    NPART__DECLARE_INFERRED, /* all whose rank is known, sizes as symbols, as ONNX's shape inference writes them */
};
bool npart__editor_declare(struct npart__editor *editor, const struct npart__inference *inference,
                           enum npart__declared_values adds, bool *changed);

/* The file says that it is of this IR version; its contents stay as they are. */
void npart__editor_set_ir_version(struct npart__editor *editor, int64_t ir_version);

/* The file imports this opset of ONNX's own operators; what its nodes say stays as it is. */
void npart__editor_set_opset(struct npart__editor *editor, int64_t opset);

/* A further input, under the name that is wanted, or with a number after it. Its name; NULL when out of memory. */
const char *npart__editor_add_input(struct npart__editor *editor, const char *wanted, int element_type,
                                    const int64_t *dims, uint32_t rank);

/* The size of an axis of an input of the main graph, as it is declared from here on. False when out of memory. */
struct npart__new_size {
    uint32_t input; /* value */
    uint32_t axis;
    int64_t size;
};
bool npart__editor_set_input_sizes(struct npart__editor *editor, const struct npart__new_size *list, uint32_t count);

/* The main graph has no such inputs and outputs, which are values, any more. Nothing may use the inputs; what makes the
 * outputs goes where nobody else uses it. False when out of memory. */
bool npart__editor_drop_ports(struct npart__editor *editor, const uint32_t *inputs, uint32_t input_count,
                              const uint32_t *outputs, uint32_t output_count);

/* What an output of the main graph is from here on; what it was goes on under another name. */
struct npart__new_output {
    const char *output; /* its name, which it keeps */
    const char *source; /* a value of the main graph, or what a site made */
    uint32_t axis;      /* of its declared shape, which is `size` now */
    int64_t size;
};
/* The list is kept until the version is packed. False when out of memory. */
bool npart__editor_set_outputs(struct npart__editor *editor, const struct npart__new_output *list, uint32_t count);

/* The next version, in `out->data` of `arena`: unused nodes and initializers are gone, nodes are sorted. The editor is
 * used up. */
npart_status npart__editor_pack(struct npart__editor *editor, struct npart__arena *arena, struct npart__version *out,
                                struct npart_error *error);

/* Of an editor that is used up: its objects, which are those of the version that it packed. They lie in its arena and
 * share texts with those that it was opened on; the rest goes, where it is large. */
void *npart__editor_give_objects(struct npart__editor *editor);

/* Sets an entry of a node's metadata; nothing where the node has no object of its own (one whose place is not known).
 * False when out of memory. */
bool npart__editor_note(struct npart__editor *editor, uint32_t node, const char *key, const char *value);
/* The same of the model's own metadata. */
bool npart__editor_note_model(struct npart__editor *editor, const char *key, const char *value);
/* The version as it is with notes alone: nothing is taken away or sorted. */
npart_status npart__editor_pack_noted(struct npart__editor *editor, struct npart__arena *arena,
                                      struct npart__version *out, struct npart_error *error);

#endif
