/* SPDX-License-Identifier: Apache-2.0
 *
 * onnx: a skeleton to protobuf-c objects in one arena.
 *
 * The generated header is included here and by the stage that turns the objects into a graph, nowhere else.
 */
#ifndef NPART_ONNX_H
#define NPART_ONNX_H

#include "onnx.pb-c.h"
#include "wire/wire.h"

/* Unpacks what npart__wire_scan made. The model lives in `arena`; nothing refers to the skeleton afterwards.
 * Well-formedness was the scan's work, so a failure here is want of memory. */
npart_status npart__onnx_unpack(const struct npart__skeleton *skeleton, struct npart__arena *arena,
                                Onnx__ModelProto **out, struct npart_error *error);

/* The bytes of a model, in the arena. Fails with LIMIT beyond protobuf's 2 GiB, which large tensors do not count for:
 * they are ranges of a file. */
npart_status npart__onnx_pack(const Onnx__ModelProto *model, struct npart__arena *arena, uint8_t **data, size_t *bytes,
                              struct npart_error *error);

/* A copy whose parts can be changed, in the arena; NULL when out of memory. It has messages and lists of messages and
 * of texts of its own; texts, bytes and lists of numbers are shared. */
ProtobufCMessage *npart__onnx_copy(const ProtobufCMessage *message, struct npart__arena *arena);
/* The same of a model all of whose nodes, graphs and imports can be changed, and their lists; other messages are
 * shared. */
Onnx__ModelProto *npart__onnx_copy_nodes(const Onnx__ModelProto *model, struct npart__arena *arena);

/* The node's attribute of a name; NULL where it gives none. And its integer, 0 where it gives none. */
const Onnx__AttributeProto *npart__onnx_attribute(const Onnx__NodeProto *node, const char *name);
int64_t npart__onnx_int(const Onnx__NodeProto *node, const char *name);

/* The records of payloads that the scan left out of this tensor's or attribute's message: visits them one by one.
 * Returns false when there is no `index`-th. */
bool npart__onnx_elided(const ProtobufCMessage *message, unsigned index, struct npart__elided *out);

/* A Constant node that has the tensor, under the tensor's name; both are shared. The attribute `value` exists in every
 * version of Constant. In the arena; NULL when out of memory. */
Onnx__NodeProto *npart__onnx_constant(Onnx__TensorProto *tensor, struct npart__arena *arena);
/* A declaration of a tensor of a type, without a shape; and a shape of a rank, of whose dims nothing is said. NULL when
 * out of memory, also where the name is NULL for want of it. */
Onnx__ValueInfoProto *npart__onnx_declaration(char *name, int element_type, struct npart__arena *arena);
Onnx__TensorShapeProto *npart__onnx_shape(uint32_t rank, struct npart__arena *arena);

/* ONNX's own domain has two names, of which this is the short one; NULL is it, too. */
const char *npart__plain_domain(const char *domain);
/* 0: not imported. Of a domain imported twice the last counts, as it does for ONNX's own checker and for ONNX
 * Runtime. */
int64_t npart__imported_opset(Onnx__OperatorSetIdProto *const *imports, size_t count, const char *domain);

/* functions.c: the model's own functions by what tells them apart: domain, name and overload. */
struct npart__functions {
    struct npart__strings keys;
    uint32_t *by_key; /* NPART_NONE: none */
};

/* In the arena; false when out of memory. Of functions that nothing tells apart the first counts; `repeated` (may be
 * NULL) gets the first that is one again, or NPART_NONE. */
bool npart__functions_list(struct npart__functions *functions, const Onnx__ModelProto *model,
                           struct npart__arena *arena, uint32_t *repeated);
/* The function that a node calls, or NPART_NONE; it goes before a standard operator. False when out of memory. */
bool npart__functions_find(const struct npart__functions *functions, const Onnx__NodeProto *call, uint32_t *out);

#endif
