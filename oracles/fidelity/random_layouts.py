#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw small graphs of convolutions, pools and operators round them, in 1 to 3 dimensions, and compare npu-partition with
the compiler as random_partitions.py does: verdicts, numbers of partitions, sessions that fail.

usage: random_layouts.py --oracle ort_assign.py --python PYTHON [options of random_partitions.py]

Families: `layout`, of FLOAT; `qdq`, the same with QuantizeLinear and DequantizeLinear round the nodes: uint8, int8, uint16
and int16, mixed, some left out, weights with a scale for each channel.
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

import random_partitions
from random_partitions import Graph

UNARY = ("Relu", "Sigmoid", "Erf", "Acosh", "Softsign", "Tanh", "Celu", "Shrink", "Softplus", "HardSwish", "Abs", "Sinh",
         "Identity", "LeakyRelu", "Selu", "Reciprocal", "Mish")
SORTS = ["Unary"] * 6 + ["Conv"] * 3 + ["Pool"] * 3 + [
    "Norm", "Global", "Add", "Add", "AddConst", "Concat", "Reshape", "Transpose", "ReduceMean", "Slice", "Pad", "Split",
    "Softmax", "MatMul", "Resize", "PRelu", "Squeeze", "Where", "Clip", "ArgMax", "Shape"]  # fmt: skip
NUMPY = {"uint8": np.uint8, "int8": np.int8, "uint16": np.uint16, "int16": np.int16}
ZEROS = {"uint8": 120, "int8": 3, "uint16": 30000, "int16": 0}


class State:
    """A graph in the making: what each value's dims are, and which are read."""

    def __init__(self, lot):
        self.lot, self.g = lot, Graph(lot)
        self.rank = lot.choice((4, 4, 4, 4, 3, 5))
        channels = lot.choice((2, 4, 8))
        self.dims = [1, channels] + [lot.choice((4, 6, 8)) for _ in range(self.rank - 2)]
        self.values, self.used = [(self.g.input(self.dims), self.dims)], set()

    def spatial(self, size):
        return [size] * (self.rank - 2)

    def is_image(self, d):
        return len(d) == self.rank

    def ints(self, *numbers):
        return self.g.constant(np.array(numbers, np.int64))


# ---- one node: its result and dims, or None where it does not fit -----------------------------------------------------


def unary(s, x, d):
    op = s.lot.choice(UNARY)
    return s.g.op("Celu" if op == "Mish" and s.g.opset < 18 else op, x), d


def conv(s, x, d):
    if not s.is_image(d):
        return None, d
    outputs = s.lot.choice((2, 4, 8))
    args = [x, s.g.floats(outputs, d[1], *s.spatial(3))]
    args += [s.g.floats(outputs)] if s.lot.random() < 0.5 else []
    return s.g.op("Conv", *args, kernel_shape=s.spatial(3), pads=[1] * (2 * s.rank - 4)), [d[0], outputs] + d[2:]


def pool(s, x, d):
    if not s.is_image(d) or any(size < 2 for size in d[2:]):
        return None, d
    op, stride = s.lot.choice(("MaxPool", "MaxPool", "AveragePool")), s.lot.choice((1, 2))
    dims = d[:2] + [(size - 2) // stride + 1 for size in d[2:]]
    return s.g.op(op, x, kernel_shape=s.spatial(2), strides=s.spatial(stride)), dims


def norm(s, x, d):
    if not s.is_image(d):
        return None, d
    if s.lot.random() < 0.5:
        return s.g.op("InstanceNormalization", x, s.g.floats(d[1]), s.g.floats(d[1])), d
    return s.g.op("LRN", x, size=3), d


def whole(s, x, d):
    if not s.is_image(d):
        return None, d
    return s.g.op(s.lot.choice(("GlobalAveragePool", "GlobalMaxPool")), x), d[:2] + s.spatial(1)


def add(s, x, d):
    same = [v for v, dims in s.values if dims == d and v != x]
    if not same:
        return None, d
    other = s.lot.choice(same)
    s.used.add(other)
    return s.g.either(s.lot.choice(("Add", "Mul")), x, other), d


def add_constant(s, x, d):
    channels = [d[1]] + [1] * (len(d) - 2) if len(d) > 1 else []
    shape = s.lot.choice(([], [d[-1]], [1], d, channels))
    return s.g.either(s.lot.choice(("Add", "Mul", "Pow", "Max")), x, s.g.floats(*shape)), d


def concat(s, x, d):
    other = s.lot.choice([v for v, dims in s.values if dims == d])
    s.used.add(other)
    axis, dims = s.lot.randrange(len(d)), list(d)
    dims[axis] *= 2
    return s.g.op("Concat", x, other, axis=axis), dims


def reshape(s, x, d):
    if len(d) < 2:
        return None, d
    flat = [d[0], int(np.prod(d[1:]))]
    dims = s.lot.choice((flat, [d[0], d[1], int(np.prod(d[2:]))], [int(np.prod(d))], d + [1]))
    return s.g.reshape(x, dims), dims


def transpose(s, x, d):
    if len(d) < 2:
        return None, d
    axes = list(range(len(d)))
    perm = s.lot.choice((axes[::-1], [0] + axes[2:] + [1], [0, axes[-1]] + axes[1:-1] if len(d) > 2 else [1, 0]))
    return s.g.op("Transpose", x, perm=perm), [d[p] for p in perm]


def reduce_mean(s, x, d):
    if len(d) < 2:
        return None, d
    axes, keep = s.lot.choice(([1], [len(d) - 1], list(range(2, len(d))) or [1], [0])), s.lot.choice((0, 1))
    kept = [1 if i in axes else size for i, size in enumerate(d) if keep or i not in axes]
    if s.g.opset >= 18:
        return s.g.op("ReduceMean", x, s.ints(*axes), keepdims=keep), kept
    return s.g.op("ReduceMean", x, axes=axes, keepdims=keep), kept


def slice_half(s, x, d):
    axis, dims = s.lot.randrange(len(d)), list(d)
    if d[axis] < 2:
        return None, d
    dims[axis] = d[axis] // 2
    return s.g.op("Slice", x, s.ints(0), s.ints(dims[axis]), s.ints(axis)), dims


def pad(s, x, d):
    return s.g.op("Pad", x, s.ints(*[0] * (2 * len(d) - 1), 1)), d[:-1] + [d[-1] + 1]


def split(s, x, d):
    axis, dims = s.lot.randrange(len(d)), list(d)
    if d[axis] % 2:
        return None, d
    dims[axis] //= 2
    y, z = s.g.op("Split", x, results=2, axis=axis, **({"num_outputs": 2} if s.g.opset >= 18 else {}))
    s.values.insert(s.lot.randrange(len(s.values)), (z, dims))
    return y, dims


def softmax(s, x, d):
    op = s.lot.choice(("Softmax", "Softmax", "Hardmax", "LogSoftmax"))
    return s.g.op(op, x, axis=s.lot.choice((-1, 1 if len(d) > 1 else 0))), d


def matmul(s, x, d):
    return (s.g.op("MatMul", x, s.g.floats(d[-1], 4)), d[:-1] + [4]) if len(d) >= 2 else (None, d)


def resize(s, x, d):
    if not s.is_image(d) or s.rank != 4:
        return None, d
    scales = s.g.constant(np.array([1, 1, 2, 2], np.float32))
    return s.g.op("Resize", x, "", scales, mode=s.lot.choice(("nearest", "linear"))), d[:2] + [2 * n for n in d[2:]]


def prelu(s, x, d):
    return (s.g.op("PRelu", x, s.g.floats(d[1], *s.spatial(1))) if s.is_image(d) else None), d


def squeeze(s, x, d):
    axes = [i for i, size in enumerate(d) if size == 1 and i > 0][-1:]
    if not axes:
        return None, d
    dims = [size for i, size in enumerate(d) if i not in axes]
    return (s.g.op("Squeeze", x, s.ints(*axes)) if s.g.opset >= 13 else s.g.op("Squeeze", x, axes=axes)), dims


def where(s, x, d):
    return s.g.op("Where", s.g.op("Greater", x, s.g.floats()), x, s.g.floats()), d


def clip(s, x, d):
    return s.g.op("Clip", x, s.g.floats(), s.g.constant(np.float32(2))), d


def arg_max(s, x, d):
    axis, dims = 1 if len(d) > 1 else 0, list(d)
    dims[axis] = 1
    return s.g.op("Cast", s.g.op("ArgMax", x, axis=axis, keepdims=1), to=TensorProto.FLOAT), dims


def by_size(s, x, d):
    size = s.g.op("ReduceProd", s.g.op("Shape", x), keepdims=0)
    return s.g.op("Mul", x, s.g.op("Cast", size, to=TensorProto.FLOAT)), d


DRAW = {"Unary": unary, "Conv": conv, "Pool": pool, "Norm": norm, "Global": whole, "Add": add, "AddConst": add_constant,
        "Concat": concat, "Reshape": reshape, "Transpose": transpose, "ReduceMean": reduce_mean, "Slice": slice_half,
        "Pad": pad, "Split": split, "Softmax": softmax, "MatMul": matmul, "Resize": resize, "PRelu": prelu,
        "Squeeze": squeeze, "Where": where, "Clip": clip, "ArgMax": arg_max, "Shape": by_size}

# ---- families ---------------------------------------------------------------------------------------------------------


def layout(lot):
    s = State(lot)
    for step in range(lot.randint(2, 7)):
        x, dims = s.values[-1] if lot.random() < 0.85 else lot.choice(s.values)
        sort = lot.choice(SORTS)
        sort = sort if step else lot.choice(("Conv", "Pool", "Pool", "Conv", "Norm", "Unary"))
        y, made = DRAW[sort](s, x, dims)
        if y is not None:
            s.used.add(x)
            s.values.append((y, list(made)))
    if len(s.values) < 2:
        return layout(lot)
    for value, _ in s.values[1:]:
        if value not in s.used or lot.random() < 0.06:
            s.g.output(value)
    return s.g


def parameters(g, kind):
    return g.constant(np.float32(0.05)), g.constant(NUMPY[kind](ZEROS[kind]))


def through(g, value, kind):
    """Quantized and dequantized."""
    return g.op("DequantizeLinear", g.op("QuantizeLinear", value, *parameters(g, kind)), *parameters(g, kind))


def constant(g, node, place, array, kind):
    """A constant operand of a node, dequantized."""
    if node.op_type == "Conv" and place == 2:
        scale, zero = g.constant(np.float32(0.0025)), g.constant(np.int32(0))
        return g.op("DequantizeLinear", g.constant(np.zeros(array.shape, np.int32)), scale, zero)
    own = g.lot.choice(("int8", "uint8", "int8"))
    if node.op_type == "Conv" and g.lot.random() < 0.5:
        scale = g.constant(np.full(array.shape[0], 0.05, np.float32))
        zero = g.constant(np.zeros(array.shape[0], np.int8))
        return g.op("DequantizeLinear", g.constant(np.ones(array.shape, np.int8)), scale, zero, axis=0)
    own = kind if node.op_type in ("Add", "Mul", "Max") else own
    return g.op("DequantizeLinear", g.constant(np.ones(array.shape, NUMPY[own])), *parameters(g, own))


def qdq(lot):
    g = layout(lot)
    kind = lot.choice(("uint8", "uint8", "int8", "uint16", "uint16", "int16"))
    g.opset = 21 if "int16" in kind else g.opset
    mixed, skip = lot.choice((None, None, "uint8", "uint16")), lot.choice((0, 0, 0.1, 0.25))
    nodes, g.nodes = g.nodes, []
    if any(n.op_type in ("Shape", "ArgMax", "Greater") for n in nodes):
        return qdq(lot)
    weights = {t.name: t for t in g.constants}
    now = {i.name: through(g, i.name, kind) for i in g.inputs}
    results, g.outputs = [o.name for o in g.outputs], []
    for node in nodes:
        operands = []
        for place, name in enumerate(node.input):
            is_weight = name in weights and weights[name].data_type == TensorProto.FLOAT
            is_weight = is_weight and node.op_type in ("Conv", "MatMul", "Add", "Mul", "Max", "PRelu", "Gemm")
            if is_weight and lot.random() > skip:
                operands.append(constant(g, node, place, numpy_helper.to_array(weights[name]), kind))
            else:
                operands.append(now.get(name, name))
        made = onnx.NodeProto()
        made.CopyFrom(node)
        del made.input[:], made.output[:]
        made.input.extend(operands)
        made.output.extend(g.name() + "_r" for _ in node.output)
        g.nodes.append(made)
        for before, after in zip(node.output, made.output):
            own = mixed if mixed and lot.random() < 0.3 else kind
            own = kind if "16" in own and g.opset < 21 else own
            now[before] = through(g, after, own) if lot.random() > skip else after
    for name in results:
        g.output(now[name])
    return g


if __name__ == "__main__":
    random_partitions.FAMILIES = {"qnn": {"layout": layout, "qdq": qdq}, "openvino": {}}
    sys.exit(random_partitions.main())
