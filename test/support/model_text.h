/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX models from a few lines of text, so that tests can be read and written without protobuf. The text is encoded
 * as the wire format, so a test goes the whole way that a file does.
 *
 *     ir 8                                       default 9
 *     opset 17                                   or: opset com.microsoft 1
 *     metadata "author" "us"                     of the model
 *     input x float32[1,batch,?]                 float32 without brackets has no shape, float32[] is a scalar
 *     input s seq float32[1,8]                   a sequence of such tensors
 *     value h float32[1,8]                       value_info
 *     init w float32[4,8]                        a weight: external data of the right length, not there
 *     init s int64[2] = 0 -1                     with its numbers
 *     node y, z = Split(x) axis=1 split=[2,2]    attributes: 1  1.5  "text"  [1,2]  [1.5,2.0]  ["a","b"]
 *     node y = Conv(x, w, ) pads=[1,1,1,1] @conv1      an absent input; a node's name
 *     node c = Constant() value=tensor int64[1] = 3
 *     node y = If(c) then_branch=graph yes else_branch=graph no
 *     node y = my.domain:F(x) k=2 meta "pkg.torch.onnx.stack_trace" "File ..."
 *     output y float32[1,4]                      the type may be left out
 *     graph yes                                  a body: input, value, init, node and output lines
 *     end
 *     function my.domain:F(a) -> (b) k           formal inputs, outputs, attribute names
 *     node b = Relu(a) alpha=$k                  $k: the call's attribute
 *     default k=3                                an attribute's default
 *     opset 17                                   of the function
 *     end
 *
 * Bodies and functions come before the lines that use them.
 */
#ifndef TEST_MODEL_TEXT_H
#define TEST_MODEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    uint8_t *data;
    size_t size, capacity;
};

void bytes_put(struct bytes *bytes, const void *data, size_t size);
void bytes_free(struct bytes *bytes);

/* Protobuf fields. */
void put_varint(struct bytes *bytes, uint64_t value);
void put_number(struct bytes *bytes, unsigned field, uint64_t value);
void put_text(struct bytes *bytes, unsigned field, const char *text);
void put_bytes(struct bytes *bytes, unsigned field, const void *data, size_t size);

/* Encodes `text`; on a mistake prints the line and ends the test program. */
struct bytes model_from_text(const char *text);

#endif
