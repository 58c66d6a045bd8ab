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

#endif
