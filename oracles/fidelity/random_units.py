#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw small quantized graphs round norms, pools, Gelu whole and in parts, and Transposes, and compare npu-partition with
the compiler as random_partitions.py does: verdicts, numbers of partitions, sessions that fail, graphs called whole.

usage: random_units.py --oracle ort_assign.py --python PYTHON [options of random_partitions.py]

Families: `units`, 2 to 7 operators with QuantizeLinear and DequantizeLinear between them. A graph has one type of UINT8, INT8,
UINT16, INT16; some results have another one, or stay FLOAT; weights are INT8 or UINT8, for the whole tensor or by channel,
or FLOAT, which ONNX Runtime quantizes; parameters of norms quantized, FLOAT or mixed. `integers`, the same, but now and
then integers are moved (Reshape, Transpose, Slice, Unsqueeze) before they are dequantized. `trained`, as tools write them
that quantize before each use: a result has several QuantizeLinears, of one scale or of two, or is used in FLOAT, too, and
weights are quantized in the graph. `contrib`, the first two with com.microsoft's operators, as quantizers write 16 bits
before opset 21.
"""
import sys

import numpy as np
from onnx import TensorProto

import random_partitions
from random_partitions import Graph

NUMPY = {"uint8": np.uint8, "int8": np.int8, "uint16": np.uint16, "int16": np.int16, "int32": np.int32}
ELEMENT = {"uint8": TensorProto.UINT8, "int8": TensorProto.INT8, "uint16": TensorProto.UINT16, "int16": TensorProto.INT16}
ZEROS = {"uint8": (120, 0, 128), "int8": (3, -128, 0), "uint16": (30000, 0, 32768), "int16": (0, 0, -32768)}
UNARY = ("Relu", "Relu", "Sigmoid", "HardSwish", "Tanh", "LeakyRelu", "Clip", "Elu", "Sqrt", "Abs", "Erf")


class State:
    """A graph in the making: values are FLOAT or come from DequantizeLinear, with their dims."""

    def __init__(self, lot, moves, is_contrib=False):
        self.lot, self.g, self.moves, self.is_contrib = lot, Graph(lot), moves, is_contrib
        self.kind = lot.choice(("uint8", "uint8", "int8", "uint16", "int16"))
        self.g.opset = lot.choice((21, 21, 21, 23)) if "16" in self.kind else lot.choice((13, 17, 18, 20, 21, 21, 23))
        if is_contrib:
            self.kind = lot.choice(("uint8", "int8", "uint16", "uint16", "int16", "int16"))
            self.g.opset = lot.choice((13, 17, 17, 18, 20))
        self.loose, self.other = lot.choice((0, 0, 0.15, 0.3)), lot.choice((0, 0, 0.15))
        self.values, self.used = [], set()
        self.is_trained, self.quantized = False, {}

    def ints(self, *numbers):
        return self.g.constant(np.array(numbers, np.int64))

    def number(self, value):
        return self.g.constant(np.float32(value))

    def pair(self, kind, zero, scale, channels=0):
        shape = [channels] if channels else []
        return self.g.constant(np.full(shape, scale, np.float32)), self.g.constant(np.full(shape, zero, NUMPY[kind]))

    def draw_kind(self):
        if self.lot.random() >= self.other:
            return self.kind
        return self.lot.choice(("uint8", "int8", "uint16", "int16") if self.g.opset >= 21 or self.is_contrib else
                               ("uint8", "int8"))

    def through(self, value, dims, scale=None):
        """Quantized and dequantized; between the two integers may be moved."""
        kind = self.draw_kind()
        zero, scale = self.lot.choice(ZEROS[kind]), scale or self.lot.choice((0.05, 0.05, 0.02))
        integers = self.g.op("QuantizeLinear", value, *self.pair(kind, zero, scale))
        if self.lot.random() < self.moves and len(dims) in (3, 4):
            integers, dims = moved(self, integers, dims)
        return self.g.op("DequantizeLinear", integers, *self.pair(kind, zero, scale)), dims

    def operand(self, value, dims):
        """The value as an operator uses it: where it was trained so, quantized for this use."""
        if not self.is_trained or self.lot.random() < 0.05:
            return value
        if value not in self.quantized or self.lot.random() < 0.5:
            self.quantized[value] = self.through(value, dims)[0]
        return self.quantized[value]

    def weights(self, dims, axis=None):
        """A constant of FLOAT, or dequantized."""
        if self.is_trained and self.lot.random() < 0.4 and not axis:
            return self.through(self.g.floats(*dims), dims, 0.02)[0]
        if self.lot.random() < 0.1:
            return self.g.floats(*dims)
        kind = self.lot.choice(("int8", "int8", "int8", "uint8"))
        channels = dims[axis] if axis is not None and self.lot.random() < 0.4 else 0
        kind = "int8" if channels else kind
        zero = 0 if kind == "int8" else 128
        values = self.g.constant(np.random.RandomState(len(self.g.nodes)).randint(1, 90, dims).astype(NUMPY[kind]))
        return self.g.op("DequantizeLinear", values, *self.pair(kind, zero, 0.02, channels),
                         **({"axis": axis} if channels else {}))

    def parameter(self, count, how):
        """One of a norm: `f` FLOAT, `q` of 8 bits, `b` a bias of INT32."""
        if how == "f":
            return self.g.floats(count)
        kind = "int32" if how == "b" else "int8" if self.kind == "int8" or self.lot.random() < 0.3 else "uint8"
        zero = {"int32": 0, "int8": 0, "uint8": self.lot.choice((0, 120))}[kind]
        return self.g.op("DequantizeLinear", self.g.constant(np.full([count], 1, NUMPY[kind])),
                         *self.pair(kind, zero, 0.002 if how == "b" else 0.05))


def moved(s, integers, d):
    how = s.lot.choice(("Reshape", "Transpose", "Slice", "Unsqueeze"))
    if how == "Reshape":
        return s.g.reshape(integers, [d[0], d[1], int(np.prod(d[2:]))]), [d[0], d[1], int(np.prod(d[2:]))]
    if how == "Transpose":
        axes = list(range(len(d)))
        perm = [0] + axes[2:] + [1]
        return s.g.op("Transpose", integers, perm=perm), [d[p] for p in perm]
    if how == "Slice" and d[1] > 1:
        return s.g.op("Slice", integers, s.ints(0), s.ints(d[1] // 2), s.ints(1)), [d[0], d[1] // 2] + d[2:]
    return s.g.op("Unsqueeze", integers, s.ints(0)), [1] + d


# ---- one node: its result and dims, or None where it does not fit -----------------------------------------------------


def unary(s, x, d):
    op = s.lot.choice(UNARY)
    if op == "HardSwish" and s.g.opset < 14:
        op = "Relu"
    return (s.g.op("Clip", x, s.number(0), s.number(s.lot.choice((6, 300)))) if op == "Clip" else s.g.op(op, x)), d


def conv(s, x, d):
    if len(d) not in (3, 4) or min(d[2:]) < 3:
        return None, d
    spatial, transposed = len(d) - 2, s.lot.random() < 0.15
    group = s.lot.choice((1, 1, 2, d[1], d[1]))
    if d[1] % group:
        group = 1
    outputs = d[1] if group > 2 else s.lot.choice((4, 8))
    shape = [d[1], outputs // group] if transposed else [outputs, d[1] // group]
    args = [x, s.weights(shape + [3] * spatial, 1 if transposed and group == 1 else None if transposed else 0)]
    if s.lot.random() < 0.6:
        args.append(s.parameter(outputs, s.lot.choice("bbbf")))
    attributes = {"group": group, "kernel_shape": [3] * spatial, "pads": [1] * (2 * spatial)}
    return s.g.op("ConvTranspose" if transposed else "Conv", *args, **attributes), [d[0], outputs] + d[2:]


def pool(s, x, d):
    if len(d) not in (3, 4, 5) or any(size < 2 for size in d[2:]):
        return None, d
    op, stride = s.lot.choice(("MaxPool", "MaxPool", "AveragePool", "AveragePool", "GlobalAveragePool",
                               "GlobalMaxPool")), s.lot.choice((1, 2))
    if op.startswith("Global"):
        return s.g.op(op, x), d[:2] + [1] * (len(d) - 2)
    spatial = len(d) - 2
    dims = d[:2] + [(size - 2) // stride + 1 for size in d[2:]]
    return s.g.op(op, x, kernel_shape=[2] * spatial, strides=[stride] * spatial), dims


def batch_norm(s, x, d):
    if len(d) not in (2, 3, 4):
        return None, d
    hows = s.lot.choice(("ffff", "ffff", "qbqq", "qqqq", "qbff", "qfff", "ffqq"))
    return s.g.op("BatchNormalization", x, *[s.parameter(d[1], how) for how in hows]), d


def norm(s, x, d):
    op = s.lot.choice(("LayerNormalization", "LayerNormalization", "InstanceNormalization", "LpNormalization", "LRN",
                       "RMSNormalization", "GroupNormalization"))
    first, second = s.lot.choice("ffq"), s.lot.choice("fbb")
    if op == "LayerNormalization" and s.g.opset >= 17:
        more = [s.parameter(d[-1], second)] if s.lot.random() < 0.7 else []
        return s.g.op(op, x, s.parameter(d[-1], first), *more, axis=-1), d
    if op == "RMSNormalization" and s.g.opset >= 23:
        return s.g.op(op, x, s.parameter(d[-1], first), axis=-1), d
    if op == "LpNormalization":
        return s.g.op(op, x, axis=s.lot.choice((-1, 1 if len(d) > 1 else 0))), d
    if len(d) < 3:
        return None, d
    if op == "GroupNormalization" and s.g.opset >= 21 and d[1] % 2 == 0:
        return s.g.op(op, x, s.parameter(d[1], first), s.parameter(d[1], second), num_groups=2), d
    if op == "LRN":
        return s.g.op(op, x, size=3), d
    return s.g.op("InstanceNormalization", x, s.parameter(d[1], first), s.parameter(d[1], second)), d


def gelu(s, x, d):
    form = s.lot.randrange(5)
    if form == 0 and s.g.opset >= 20:
        return s.g.op("Gelu", x), d
    half, one, root = s.number(0.5), s.number(1), s.number(0.70710678)
    if form < 3:
        inner = s.g.either("Add", s.g.op("Erf", s.g.op("Div", x, s.number(1.41421356))), one)
        return s.g.either("Mul", s.g.either("Mul", x, inner), half), d
    inner = s.g.either("Add", s.g.op("Erf", s.g.op("Mul", x, root)), one)
    return s.g.either("Mul", s.g.op("Mul", x, half), inner), d


def transpose(s, x, d):
    if len(d) < 2:
        return None, d
    axes = list(range(len(d)))
    perm = s.lot.choice((axes[:-2] + [axes[-1], axes[-2]], [0] + axes[2:] + [1],
                         [0, axes[-1]] + axes[1:-1] if len(d) > 2 else [1, 0], axes[::-1]))
    return s.g.op("Transpose", x, perm=perm), [d[p] for p in perm]


def reshape(s, x, d):
    if len(d) < 2:
        return None, d
    dims = s.lot.choice(([d[0], int(np.prod(d[1:]))], [d[0], d[1], int(np.prod(d[2:]))], [1] + d if len(d) < 4 else d,
                         [d[0], d[1] // 2, 2] + d[2:] if d[1] % 2 == 0 and len(d) < 5 else d))
    return s.g.reshape(x, dims), dims


def squeeze(s, x, d):
    axes = [i for i, size in enumerate(d) if size == 1 and i > 0][-1:]
    if axes:
        return s.g.op("Squeeze", x, s.ints(*axes)), [size for i, size in enumerate(d) if i not in axes]
    return (s.g.op("Unsqueeze", x, s.ints(1)), [d[0], 1] + d[1:]) if 1 <= len(d) < 5 else (None, d)


def join(s, x, d):
    same = [v for v, dims in s.values if dims == d and v != x]
    other = s.lot.choice(same) if same else x
    s.used.add(other)
    other = s.operand(other, d) if same else x
    if s.lot.random() < 0.4:
        axis, dims = s.lot.randrange(len(d)), list(d)
        dims[axis] *= 2
        return s.g.op("Concat", x, other, axis=axis), dims
    return s.g.either(s.lot.choice(("Add", "Mul")), x, other), d


def with_constant(s, x, d):
    shape = s.lot.choice(([], [d[-1]], [d[1]] + [1] * (len(d) - 2) if len(d) > 1 else []))
    other = s.weights(shape) if shape else s.number(0.5)
    return s.g.either(s.lot.choice(("Add", "Mul")), x, other), d


def where(s, x, d):
    mask = s.g.constant(np.ones(d, bool))
    return s.g.op("Where", mask, *((x, s.number(0.5)) if s.lot.random() < 0.5 else (s.number(0.5), x))), d


def softmax(s, x, d):
    return s.g.op("Softmax", x, axis=s.lot.choice((-1, -1, 1 if len(d) > 1 else 0))), d


def product(s, x, d):
    if len(d) not in (2, 3, 4):
        return None, d
    return s.g.op("MatMul", x, s.weights([d[-1], 4], 1)), d[:-1] + [4]


def resize(s, x, d):
    if len(d) != 4:
        return None, d
    scales = s.g.constant(np.array([1, 1, 2, 2], np.float32))
    return s.g.op("Resize", x, "", scales, mode=s.lot.choice(("nearest", "linear"))), d[:2] + [2 * n for n in d[2:]]


def reduce_mean(s, x, d):
    if len(d) < 2:
        return None, d
    axes, keep = s.lot.choice(([1], [len(d) - 1], list(range(2, len(d))) or [1])), s.lot.choice((0, 1))
    kept = [1 if i in axes else size for i, size in enumerate(d) if keep or i not in axes]
    if s.g.opset >= 18:
        return s.g.op("ReduceMean", x, s.ints(*axes), keepdims=keep), kept
    return s.g.op("ReduceMean", x, axes=axes, keepdims=keep), kept


def pad(s, x, d):
    if min(d) < 1 or d[-1] < 3:
        return None, d
    mode = s.lot.choice(("constant", "reflect", "edge"))
    return s.g.op("Pad", x, s.ints(*[0] * (len(d) - 1), 1, *[0] * (len(d) - 1), 1), mode=mode), d[:-1] + [d[-1] + 2]


DRAWN = [unary] * 3 + [conv] * 4 + [pool] * 4 + [batch_norm] * 3 + [norm] * 4 + [gelu] * 4 + [transpose] * 3 + [
    reshape, squeeze, join, join, with_constant, where, softmax, product, resize, reduce_mean, pad]

# ---- the family -------------------------------------------------------------------------------------------------------


def scale_after(node):
    """Operators that move elements keep the scale now and then, as quantizers let them."""
    return 0.05 if node.op_type in ("MaxPool", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Resize") else None


def units(lot, moves=0, is_trained=False, is_contrib=False):
    s = State(lot, moves, is_contrib)
    s.is_trained = is_trained
    rank = lot.choice((4, 4, 4, 3, 3, 2, 5))
    dims = [1, lot.choice((2, 4, 8))] + [lot.choice((4, 6, 8)) for _ in range(rank - 2)]
    if lot.random() < 0.15:
        zero = lot.choice(ZEROS[s.kind])
        integers, now = s.g.input(dims, ELEMENT[s.kind]), dims
        if lot.random() < 3 * moves and len(dims) in (3, 4):
            integers, now = moved(s, integers, dims)
        s.values.append((s.g.op("DequantizeLinear", integers, *s.pair(s.kind, zero, 0.05)), now))
    elif is_trained:
        s.values.append((s.g.input(dims), dims))
    else:
        s.values.append(s.through(s.g.input(dims), dims))
    for step in range(lot.randint(2, 7)):
        x, dims = s.values[-1] if lot.random() < 0.85 else lot.choice(s.values)
        y, made = lot.choice(DRAWN)(s, s.operand(x, list(dims)), list(dims))
        if y is None:
            continue
        s.used.add(x)
        if is_trained and lot.random() < 0.3:
            y = s.g.op("Relu", y)
        elif not is_trained and lot.random() >= s.loose:
            y, made = s.through(y, list(made), scale_after(s.g.nodes[-1]))
        s.values.append((y, list(made)))
    if len(s.values) < 2:
        return units(lot, moves, is_trained, is_contrib)
    for value, dims in s.values[1:]:
        if value not in s.used or lot.random() < 0.06:
            s.g.output(s.operand(value, dims))
    for node in s.g.nodes:
        if is_contrib and node.op_type in ("QuantizeLinear", "DequantizeLinear"):
            node.domain = "com.microsoft"
    return s.g


if __name__ == "__main__":
    random_partitions.FAMILIES = {"qnn": {"units": units, "integers": lambda lot: units(lot, 0.1),
                                        "trained": lambda lot: units(lot, is_trained=True),
                                        "contrib": lambda lot: units(lot, lot.choice((0, 0.1)), is_contrib=True)},
                                 "openvino": {}}
    sys.exit(random_partitions.main())
