/* SPDX-License-Identifier: Apache-2.0
 *
 * What an editor is: the version's protobuf objects, which node of the graph is which of them, and what sites
 * have made so far. Of lib/change/edit alone, but for npart__edit_put_number.
 */
#ifndef NPART_EDIT_INTERNAL_H
#define NPART_EDIT_INTERNAL_H

#include "edit/editor.h"
#include "onnx/onnx.h"

/* Made at a site; it goes before the node `anchor` of the scope's list. */
struct npart__new_node {
    uint32_t scope, anchor;
    Onnx__NodeProto *node; /* in the arena; the editor owns it */
};

struct npart__new_constant {
    uint32_t scope; /* of the graph that gets it */
    Onnx__TensorProto *tensor;
    const Onnx__TensorProto *from; /* of a body, of which it is a copy; else NULL */
};

/* A value of the graph that is made by something else: by what made `name`. */
struct npart__rebound {
    uint32_t value, producer; /* node of the same list; NPART_NONE: nothing makes it */
    const char *name;
    char *own; /* the value's own name, once the site is kept */
};

/* What a name becomes, and what a site makes under it. */
struct npart__renamed {
    char *to;         /* NULL: it stays */
    uint32_t hidden;  /* bodies round the node at hand in which the name means something else */
    uint32_t rebound; /* of the site at hand, the first of this name: its place in `rebound`, from 1; else 0 */
};

/* One version, opened. What sites make is kept in three lists and put into the objects when the version is packed;
 * until then the objects of the file are as they were read. */
struct npart__editor {
    struct npart__arena *arena;
    const struct npart__graph *graph;
    struct npart__inference *inference;
    const bool *is_constant; /* by value, as sites see it */
    Onnx__ModelProto *model; /* in the arena, unpacked from the version */
    uint64_t input_bytes; /* of the version */
    Onnx__GraphProto **graphs;       /* by scope: the body or main graph; NULL: a call, or within one */
    Onnx__FunctionProto **functions; /* by scope of a call; else NULL */
    Onnx__NodeProto **protos;        /* by node of the graph; nodes of calls too */
    bool *is_finished;               /* by value: rebound by a site that is kept */
    const Onnx__NodeProto **made_by; /* by value: the new node that makes it since; NULL where there is none */
    struct npart__strings handed; /* scope, name and stand-in of values in whose place the graph has others */
    struct NPART__ARRAY(uint32_t) handed_values; /* by these, from 1 on */
    bool *is_replaced;               /* by node, once packed: all that is used of it is made by others */
    struct npart__strings names;     /* of values and nodes, those that are new too */
    bool has_node_names;             /* else of values alone */
    struct NPART__ARRAY(uint32_t) numbers; /* by name: the next one to make another name of it */
    struct NPART__ARRAY(struct npart__renamed) renamed; /* by name, as far as it goes */
    struct NPART__ARRAY(struct npart__new_node) nodes;
    struct NPART__ARRAY(struct npart__new_constant) constants;
    struct NPART__ARRAY(struct npart__rebound) rebound;
    /* Of sites that are done; what follows is the one at hand. */
    uint32_t kept_nodes, kept_constants, kept_rebound, kept_names;
    uint32_t last_nodes; /* of the site that was kept last the first */
    bool shares_types;   /* of values, with the objects that it was opened on: see npart__edit_own_types */
    const struct npart__new_output *outputs; /* that are something else from here on */
    uint32_t output_count;
};

/* ---- protobuf objects in the editor's arena ---------------------------------------------------------------------- */

char *npart__edit_text(struct npart__editor *editor, const char *text);
/* A list with room for one more; NULL when out of memory. Lists of protobuf objects have no capacity, so each is
 * copied to a longer one: for lists that grow by a few. */
void *npart__edit_longer(struct npart__arena *arena, void *items, size_t count);
#define NPART__EDIT_APPEND(arena, list, count, item)                                                                   \
    (((list) = npart__edit_longer((arena), (list), (count))) ? ((list)[(count)++] = (item), true) : false)
/* Imports a domain at a version, where it is not there; false when out of memory. */
bool npart__edit_import(Onnx__ModelProto *model, const char *domain, int64_t version, struct npart__arena *arena);
/* A name that nothing of the model has: `wanted`, or with a number after it. NULL when out of memory. */
char *npart__edit_new_name(struct npart__editor *editor, const char *wanted);
/* pack.c: the bytes of the model as it is; all of `out` but its limits. */
npart_status npart__edit_pack(const struct npart__editor *editor, struct npart__arena *arena,
                              struct npart__version *out, struct npart_error *error);
Onnx__NodeProto *npart__edit_new_node(struct npart__arena *arena, const char *op, size_t input_count,
                                      size_t output_count);
/* The node by which one value has two names, which are not copied; NULL when out of memory. */
Onnx__NodeProto *npart__edit_new_identity(struct npart__editor *editor, const char *from, const char *to);
/* A tensor without a name or elements; NULL when out of memory. */
Onnx__TensorProto *npart__edit_new_tensor(struct npart__arena *arena, int element_type, const int64_t *dims,
                                          size_t rank);
/* The same with room for its elements in raw_data; NULL when out of memory, or where the type
 * cannot be written or the size is absurd (*is_impossible). */
Onnx__TensorProto *npart__edit_tensor(struct npart__editor *editor, int element_type, const int64_t *dims,
                                      uint32_t rank, uint64_t *elements, bool *is_impossible);
/* One element, rounded to its type; of less than a byte it is to be 0 before. */
void npart__edit_put_number(Onnx__TensorProto *tensor, uint64_t index, double number);
/* The attribute of a name, a new one where there is none. */
Onnx__AttributeProto *npart__edit_attribute(struct npart__arena *arena, Onnx__NodeProto *node, const char *name,
                                            Onnx__AttributeProto__AttributeType type);
/* rename.c: NPART_NONE: no value or node has the name. */
uint32_t npart__edit_name_id(const struct npart__editor *editor, const char *name);
/* A name, by its id, becomes another one; NULL: it stays. False when out of memory. */
bool npart__edit_rename(struct npart__editor *editor, uint32_t id, char *to);
/* What a name has become, or itself. */
char *npart__edit_name_now(const struct npart__editor *editor, char *name);
/* Renames what the node and its bodies use, but where a body has a value of that name. */
void npart__edit_rename_uses(const struct npart__editor *editor, Onnx__NodeProto *node);
/* Notes a node of the site at hand, with its metadata; false when out of memory. */
bool npart__edit_add_node(struct npart__site *site, Onnx__NodeProto *node);
/* The same of a copy of `from`, with its metadata where it has some. */
bool npart__edit_add_copy(struct npart__site *site, Onnx__NodeProto *node, const Onnx__NodeProto *from);
bool npart__edit_add_constant(struct npart__site *site, Onnx__TensorProto *tensor);
/* A node's result under its own name: of a call that hands an operand on, the graph has the operand there. */
uint32_t npart__edit_own_result(const struct npart__editor *editor, uint32_t node, uint32_t index);
/* The attribute's graphs (`g`, or `graphs`), and how many. */
Onnx__GraphProto **npart__edit_bodies(Onnx__AttributeProto *attribute, size_t *count);

/* ports.c: outputs that are something else from here on, once all nodes stand in their lists. False when out of
 * memory. */
bool npart__edit_change_outputs(struct npart__editor *editor);

/* declare.c: what is declared of values can be changed from here on, in all graphs. False when out of memory. */
bool npart__edit_own_types(struct npart__editor *editor);

/* tidy.c: takes away what is unused, and puts nodes in order, in a graph and its bodies. */
npart_status npart__edit_tidy(struct npart__editor *editor, Onnx__GraphProto *graph, struct npart_error *error);

#endif
