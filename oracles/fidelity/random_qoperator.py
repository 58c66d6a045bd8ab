#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw small graphs of operators that take integers (QLinearConv, QLinearAdd, QGemm and the like, as the QOperator
format of ONNX Runtime's quantizer has them) and compare npu-partition with the compiler as random_partitions.py does:
verdicts, numbers of partitions, sessions that fail.

usage: random_qoperator.py --oracle ort_assign.py --python PYTHON [options of random_partitions.py]

Families: `mixed`, where anything follows anything: quantized operators, those that move elements of what is quantized
and of plain integers, QuantizeLinear, DequantizeLinear and operators in floating point; `network`, which is what the
quantizer writes of a small network.
"""
import sys

import numpy as np

import random_partitions
from random_partitions import Graph

NUMPY = {"uint8": np.uint8, "int8": np.int8}
NUMBER = {"uint8": 2, "int8": 3, "float": 1}
CONTRIB = {"domain": "com.microsoft"}
PERMS = {2: ([1, 0],), 3: ([0, 2, 1], [0, 2, 1], [1, 0, 2]),
         4: ([0, 2, 3, 1], [0, 3, 1, 2], [0, 2, 3, 1], [0, 3, 1, 2], [0, 2, 1, 3], [0, 1, 3, 2], [1, 0, 2, 3]),
         5: ([0, 2, 3, 4, 1], [0, 4, 1, 2, 3], [0, 2, 1, 3, 4])}  # fmt: skip
MOVES = ["Transpose"] * 3 + ["Reshape"] * 2 + ["Squeeze", "Unsqueeze", "Concat", "Flatten", "Relu", "Clip", "MaxPool",
         "MaxPool", "Pad", "Resize", "Gather", "Slice", "Split", "Tile", "Expand", "DepthToSpace", "Max"]  # fmt: skip
LINEAR = ["QLinearConv"] * 6 + ["QLinearMatMul"] * 3 + ["QLinearAdd"] * 3 + ["QLinearMul", "QLinearSigmoid",
          "QLinearLeakyRelu", "QLinearConcat", "QLinearConcat", "QLinearAveragePool", "QLinearGlobalAveragePool",
          "QLinearGlobalAveragePool", "QGemm", "QGemm", "QLinearSoftmax"]  # fmt: skip
FLOATS = ["Relu", "Sigmoid", "Add", "Softmax", "Erf", "Transpose", "Reshape", "MaxPool", "Conv", "LayerNormalization",
          "GlobalAveragePool"]  # fmt: skip


class State:
    """A graph in the making. A tensor is (name, dims, type, scale and zero point or None)."""

    def __init__(self, lot):
        self.lot, self.g = lot, Graph(lot)
        self.g.opset = lot.choice((11, 13, 13, 15, 17, 17, 18, 20, 21))
        self.kind = lot.choice(("uint8", "uint8", "uint8", "int8"))
        self.channels = lot.choice((2, 4, 4, 8))
        self.tensors, self.used, self.nodes = [], set(), 0
        self.bias = {}
        self.each_scale = lot.random() < 0.5

    def parameters(self):
        """A scale and a zero point, sometimes those of others."""
        if self.each_scale:
            scale = self.lot.choice((0.05, 0.02, 0.031, 0.0078))
        else:
            scale = 0.05
        zero = self.lot.choice((120, 120, 128, 0) if self.kind == "uint8" else (3, 0, 0, -128))
        return scale, zero

    def operands(self, parameters):
        return self.g.constant(np.float32(parameters[0])), self.g.constant(NUMPY[self.kind](parameters[1]))

    def input(self, dims, kind):
        name = self.g.input(dims, NUMBER[kind])
        self.tensors.append((name, dims, kind, None))
        return self.tensors[-1]

    def put(self, name, dims, kind, parameters=None):
        self.tensors.append((name, list(dims), kind, parameters))
        return self.tensors[-1]

    def op(self, op_type, operands, **attributes):
        self.used.update(operands)
        return self.g.op(op_type, *operands, **attributes)

    def bias_of(self, count):
        """Sometimes one that another operator has."""
        if count in self.bias and self.lot.random() < 0.15:
            return self.bias[count]
        values = np.array([self.lot.randint(-100, 100) for _ in range(count)], np.int32)
        self.bias[count] = self.g.constant(values)
        return self.bias[count]

    def ints(self, values):
        return self.g.constant(np.array(values, np.int64))

    def weights(self, dims, kind=None):
        kind = kind or self.kind
        low, high = (0, 255) if kind == "uint8" else (-127, 127)
        values = np.array([self.lot.randint(low, high) for _ in range(int(np.prod(dims)))], NUMPY[kind])
        return self.g.constant(values.reshape(dims))


def dims_after(dims, kernel, stride, pad):
    return [(d + 2 * pad - kernel) // stride + 1 for d in dims]


# ---- quantized operators -------------------------------------------------------------------------------------------


def linear_conv(s, t):
    name, dims, kind, own = t
    if not 3 <= len(dims) <= 5:
        return None
    spatial, lot = len(dims) - 2, s.lot
    kernel = lot.choice((1, 3, 3)) if min(dims[2:]) > 2 else 1
    stride, pad = lot.choice((1, 1, 2)), kernel // 2
    group = lot.choice((1, 1, 1, dims[1]))
    out = dims[1] if group > 1 or lot.random() < 0.7 else lot.choice((2, 4, 8))
    weight_kind = "int8" if kind == "int8" else lot.choice(("uint8", "int8"))
    per_channel = lot.random() < 0.25
    weight_kind = "int8" if per_channel and lot.random() < 0.9 else weight_kind
    w = s.weights([out, dims[1] // group] + [kernel] * spatial, weight_kind)
    count = [out] if per_channel else []
    zero = 0 if weight_kind == "int8" else 128
    w_scale = s.g.constant(np.full(count, lot.choice((0.01, 0.004)), np.float32))
    w_zero = s.g.constant(np.full(count, zero, NUMPY[weight_kind]))
    made = s.parameters()
    operands = [name, *s.operands(own or s.parameters()), w, w_scale, w_zero, *s.operands(made)]
    if lot.random() < 0.8:
        operands.append(s.bias_of(out))
    y = s.op("QLinearConv", operands, kernel_shape=[kernel] * spatial, strides=[stride] * spatial,
             pads=[pad] * (2 * spatial), group=group)
    return s.put(y, [dims[0], out] + dims_after(dims[2:], kernel, stride, pad), kind, made)


def linear_matmul(s, t):
    name, dims, kind, own = t
    if len(dims) < 2:
        return None
    made, other = s.parameters(), s.parameters()
    same = [u for u in s.tensors if u[2] == kind and u[1] == dims and u is not t]
    if same and dims[-1] == dims[-2] and s.lot.random() < 0.4:
        b = s.lot.choice(same)
        right, other, out = b[0], b[3] or s.parameters(), dims
    else:
        n = s.lot.choice((4, 5))
        right, out = s.weights([dims[-1], n]), dims[:-1] + [n]
    y = s.op("QLinearMatMul", [name, *s.operands(own or s.parameters()), right, *s.operands(other), *s.operands(made)])
    return s.put(y, out, kind, made)


def linear_binary(s, t, op):
    name, dims, kind, own = t
    same = [u for u in s.tensors if u[2] == kind and u[1] == dims]
    other = s.lot.choice(same)
    right, parameters = other[0], other[3] or s.parameters()
    if s.lot.random() < 0.2:
        right = s.weights(s.lot.choice(([], [dims[-1]], dims)))
    made = s.parameters()
    y = s.op(op, [name, *s.operands(own or s.parameters()), right, *s.operands(parameters), *s.operands(made)],
             **CONTRIB)
    return s.put(y, dims, kind, made)


def linear_unary(s, t, op):
    name, dims, kind, own = t
    made = s.parameters()
    more = {"QLinearLeakyRelu": {"alpha": 0.1}, "QLinearSoftmax": {"axis": -1, "opset": 13}}.get(op, {})
    y = s.op(op, [name, *s.operands(own or s.parameters()), *s.operands(made)], **more, **CONTRIB)
    return s.put(y, dims, kind, made)


def linear_pool(s, t, op):
    name, dims, kind, own = t
    if len(dims) != 4 or (op == "QLinearAveragePool" and min(dims[2:]) < 2):
        return None
    made = s.parameters()
    more = {"kernel_shape": [2, 2], "strides": [2, 2]} if op == "QLinearAveragePool" else {"channels_last": 0}
    y = s.op(op, [name, *s.operands(own or s.parameters()), *s.operands(made)], **more, **CONTRIB)
    out = dims_after(dims[2:], 2, 2, 0) if op == "QLinearAveragePool" else [1, 1]
    return s.put(y, dims[:2] + out, kind, made)


def linear_concat(s, t):
    name, dims, kind, own = t
    axis = s.lot.randrange(len(dims)) if s.lot.random() < 0.4 or len(dims) < 2 else 1
    fits = [u for u in s.tensors if u[2] == kind and len(u[1]) == len(dims)
            and all(a == b for i, (a, b) in enumerate(zip(u[1], dims)) if i != axis)]
    other, made = s.lot.choice(fits), s.parameters()
    y = s.op("QLinearConcat", [*s.operands(made), name, *s.operands(own or s.parameters()), other[0],
                               *s.operands(other[3] or s.parameters())], axis=axis, **CONTRIB)
    out = list(dims)
    out[axis] += other[1][axis]
    return s.put(y, out, kind, made)


def gemm(s, t):
    name, dims, kind, own = t
    if len(dims) != 2:
        return None
    made, n = s.parameters(), s.lot.choice((4, 5))
    w = s.weights([n, dims[1]])
    y = s.op("QGemm", [name, *s.operands(own or s.parameters()), w, *s.operands(s.parameters()), s.bias_of(n),
                       *s.operands(made)], alpha=1.0, transB=1, **CONTRIB)
    return s.put(y, [dims[0], n], kind, made)


def linear(s, t, op):
    if op == "QLinearConv":
        return linear_conv(s, t)
    if op == "QLinearMatMul":
        return linear_matmul(s, t)
    if op in ("QLinearAdd", "QLinearMul"):
        return linear_binary(s, t, op)
    if op == "QLinearConcat":
        return linear_concat(s, t)
    if op == "QGemm":
        return gemm(s, t)
    if "Pool" in op:
        return linear_pool(s, t, op)
    return linear_unary(s, t, op)


# ---- what moves elements --------------------------------------------------------------------------------------------


def reshaped(s, t):
    dims, lot = t[1], s.lot
    size = int(np.prod(dims))
    choices = [[dims[0], size // dims[0]], [dims[0], dims[1] if len(dims) > 1 else 1, -1]]
    if len(dims) == 4:
        choices += [[dims[0], dims[1], dims[2] * dims[3]], [dims[0], dims[1], dims[3], dims[2]]]
    if len(dims) == 3:
        choices += [[dims[0], dims[1], 1, dims[2]], [dims[0], dims[2], dims[1]]]
    if len(dims) == 2 and dims[1] % 4 == 0:
        choices += [[dims[0], 4, dims[1] // 4, 1], [dims[0], 4, 1, dims[1] // 4]]
    target = lot.choice(choices)
    known = int(np.prod([d for d in target if d > 0]))
    return target, [size // known if d < 0 else d for d in target]


def axes(s, op, operand, chosen):
    if s.g.opset < 13:
        return s.op(op, [operand], axes=chosen)
    return s.op(op, [operand, s.ints(chosen)])


def shape_move(s, t, op):
    name, dims, kind, own = t
    if op == "Transpose":
        if len(dims) not in PERMS:
            return None
        perm = s.lot.choice(PERMS[len(dims)])
        return s.put(s.op(op, [name], perm=perm), [dims[p] for p in perm], kind, own)
    if op == "Reshape":
        target, after = reshaped(s, t)
        return s.put(s.op(op, [name, s.ints(target)]), after, kind, own)
    if op == "Squeeze":
        ones = [i for i, d in enumerate(dims) if d == 1 and i > 0]
        if not ones:
            return None
        ones = ones if s.lot.random() < 0.5 else [s.lot.choice(ones)]
        return s.put(axes(s, op, name, ones), [d for i, d in enumerate(dims) if i not in ones], kind, own)
    if op == "Unsqueeze":
        if len(dims) > 4:
            return None
        at = s.lot.randint(1, len(dims))
        return s.put(axes(s, op, name, [at]), dims[:at] + [1] + dims[at:], kind, own)
    if op == "Flatten":
        return s.put(s.op(op, [name], axis=1), [dims[0], int(np.prod(dims[1:]))], kind, own)
    fits = [u for u in s.tensors if u[2] == kind and u[1] == dims]  # Concat
    axis = s.lot.choice((1, 1, len(dims) - 1)) if len(dims) > 1 else 0
    out = list(dims)
    out[axis] *= 2
    return s.put(s.op(op, [name, s.lot.choice(fits)[0]], axis=axis), out, kind, own)


def image_move(s, t, op):
    name, dims, kind, own = t
    if len(dims) not in (3, 4) or min(dims[2:]) < 2:
        return None
    spatial = len(dims) - 2
    if op == "MaxPool":
        if kind != "float" and s.g.opset < 12:
            return None
        kernel, stride, pad = s.lot.choice(((2, 2, 0), (3, 2, 1), (3, 1, 1)))
        y = s.op(op, [name], kernel_shape=[kernel] * spatial, strides=[stride] * spatial, pads=[pad] * (2 * spatial))
        return s.put(y, dims[:2] + dims_after(dims[2:], kernel, stride, pad), kind, own)
    if op == "Resize":
        scales = s.g.constant(np.array([1, 1] + [2] * spatial, np.float32))
        empty = s.g.constant(np.zeros([0], np.float32)) if s.g.opset < 13 else ""
        mode = s.lot.choice(("nearest", "nearest", "linear"))
        change = "asymmetric" if mode == "nearest" else "half_pixel"
        more = {"nearest_mode": "floor"} if mode == "nearest" else {}
        y = s.op(op, [name, empty, scales], mode=mode, coordinate_transformation_mode=change, **more)
        return s.put(y, dims[:2] + [2 * d for d in dims[2:]], kind, own)
    if len(dims) != 4 or dims[1] % 4:  # DepthToSpace
        return None
    y = s.op(op, [name], blocksize=2, mode=s.lot.choice(("DCR", "CRD")))
    return s.put(y, [dims[0], dims[1] // 4, dims[2] * 2, dims[3] * 2], kind, own)


def element_move(s, t, op):
    name, dims, kind, own = t
    last = len(dims) - 1
    integer = NUMPY.get(kind, np.float32)
    if op == "Relu":
        if kind == "uint8" or (kind == "int8" and s.g.opset < 14):
            return None
        return s.put(s.op(op, [name]), dims, kind, own)
    if op == "Clip":
        if kind != "float" and s.g.opset < 12:
            return None
        return s.put(s.op(op, [name, s.g.constant(integer(2)), s.g.constant(integer(100))]), dims, kind, own)
    if op == "Pad":
        pads = [0] * (len(dims) - 1) + [1] + [0] * (len(dims) - 1) + [1]
        operands = [name, s.ints(pads)]
        operands += [s.g.constant(integer(s.lot.choice((0, 3))))] if s.lot.random() < 0.7 else []
        return s.put(s.op(op, operands, mode="constant"), dims[:-1] + [dims[-1] + 2], kind, own)
    if op == "Gather":
        axis = s.lot.choice((1, last))
        if axis > last:
            return None
        scalar = s.lot.random() < 0.3 and len(dims) > 2
        index = s.g.constant(np.int64(0)) if scalar else s.ints([0, dims[axis] - 1])
        y = s.op(op, [name, index], axis=axis)
        return s.put(y, dims[:axis] + ([] if scalar else [2]) + dims[axis + 1:], kind, own)
    if op == "Slice":
        axis = s.lot.choice((1, last)) if last else 0
        if dims[axis] < 2:
            return None
        y = s.op(op, [name, s.ints([0]), s.ints([dims[axis] // 2]), s.ints([axis])])
        return s.put(y, dims[:axis] + [dims[axis] // 2] + dims[axis + 1:], kind, own)
    if op == "Split":
        axis = 1 if last else 0
        if dims[axis] % 2:
            return None
        half = [dims[axis] // 2] * 2
        if s.g.opset < 13:
            made = s.op(op, [name], results=2, axis=axis, split=half)
        else:
            made = s.op(op, [name, s.ints(half)], results=2, axis=axis)
        out = dims[:axis] + half[:1] + dims[axis + 1:]
        s.put(made[0], out, kind, own)
        return s.put(made[1], out, kind, own)
    if op == "Tile":
        return s.put(s.op(op, [name, s.ints([1] * last + [2])]), dims[:-1] + [dims[-1] * 2], kind, own)
    if op == "Expand":
        if 1 not in dims[1:]:
            return None
        out = [2 if d == 1 and i > 0 else d for i, d in enumerate(dims)]
        return s.put(s.op(op, [name, s.ints(out)]), out, kind, own)
    if s.g.opset < 12:  # Max
        return None
    other = s.lot.choice([u for u in s.tensors if u[2] == kind and u[1] == dims])
    return s.put(s.op(op, [name, other[0]]), dims, kind, own)


def move(s, t, op):
    if op in ("MaxPool", "Resize", "DepthToSpace"):
        return image_move(s, t, op)
    if op in ("Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Concat"):
        return shape_move(s, t, op)
    return element_move(s, t, op)


# ---- in floating point ----------------------------------------------------------------------------------------------


def floating(s, t, op):
    name, dims, _, _ = t
    if op in ("Transpose", "Reshape", "MaxPool"):
        return move(s, t, op)
    if op == "Add":
        other = s.lot.choice([u for u in s.tensors if u[2] == "float" and u[1] == dims])
        return s.put(s.op(op, [name, other[0]]), dims, "float")
    if op == "Softmax":
        return s.put(s.op(op, [name], axis=len(dims) - 1), dims, "float")
    if op == "LayerNormalization":
        if s.g.opset < 17:
            return None
        return s.put(s.op(op, [name, s.g.floats(dims[-1]), s.g.floats(dims[-1])], axis=-1), dims, "float")
    if op in ("Conv", "GlobalAveragePool"):
        if len(dims) != 4:
            return None
        if op == "GlobalAveragePool":
            return s.put(s.op(op, [name]), dims[:2] + [1, 1], "float")
        w = s.g.floats(dims[1], dims[1], 1, 1)
        return s.put(s.op(op, [name, w], kernel_shape=[1, 1]), dims, "float")
    return s.put(s.op(op, [name]), dims, "float")


def quantized(s, t):
    made = s.parameters()
    return s.put(s.op("QuantizeLinear", [t[0], *s.operands(made)]), t[1], s.kind, made)


def dequantized(s, t):
    return s.put(s.op("DequantizeLinear", [t[0], *s.operands(t[3] or s.parameters())]), t[1], "float")


# ---- graphs ---------------------------------------------------------------------------------------------------------


def finish(s):
    """What nothing uses leaves the graph, some of it dequantized."""
    for t in list(s.tensors):
        if t[0] in s.used or t[0] in [i.name for i in s.g.inputs]:
            continue
        if t[2] != "float" and s.lot.random() < 0.7:
            t = dequantized(s, t)
        s.g.output(t[0], NUMBER[t[2]])
    return s.g


def mixed(lot):
    s = State(lot)
    rank = lot.choice((4, 4, 4, 4, 3, 3, 2, 5))
    dims = [1, s.channels] + [lot.choice((4, 6, 8)) for _ in range(rank - 2)]
    if lot.random() < 0.6:
        t = quantized(s, s.input(dims, "float"))
    else:
        t = s.input(dims, s.kind)
    if lot.random() < 0.3:
        s.input(dims, s.kind)
    while s.nodes < s.lot.randint(3, 12):
        t = s.lot.choice(s.tensors[-3:] if s.lot.random() < 0.8 else s.tensors)
        if int(np.prod(t[1])) > 8192:
            return mixed(lot)
        if t[2] == "float":
            made = quantized(s, t) if lot.random() < 0.5 else floating(s, t, lot.choice(FLOATS))
        else:
            dice = lot.random()
            if dice < 0.12:
                made = dequantized(s, t)
            else:
                made = linear(s, t, lot.choice(LINEAR)) if dice < 0.6 else move(s, t, lot.choice(MOVES))
        s.nodes += made is not None
    return finish(s)


def block(s, t):
    """A part of a network whose dims stay, or become smaller."""
    sort = s.lot.choice(("conv", "conv", "residual", "residual", "separable", "gate", "dense", "pool", "move"))
    if sort == "conv":
        return linear_conv(s, t)
    if sort == "residual":
        a = linear_conv(s, t)
        if a[1] != t[1]:
            return a
        made = s.parameters()
        y = s.op("QLinearAdd", [a[0], *s.operands(a[3]), t[0], *s.operands(t[3]), *s.operands(made)], **CONTRIB)
        return s.put(y, a[1], s.kind, made)
    if sort == "separable":
        return linear_conv(s, linear_conv(s, t))
    if sort == "gate":
        a = linear_unary(s, t, "QLinearSigmoid")
        made = s.parameters()
        y = s.op("QLinearMul", [t[0], *s.operands(t[3]), a[0], *s.operands(a[3]), *s.operands(made)], **CONTRIB)
        return s.put(y, t[1], s.kind, made)
    if sort == "dense":
        a, made = linear_conv(s, t), s.parameters()
        if a[1][2:] != t[1][2:]:
            return a
        operands = [*s.operands(made), t[0], *s.operands(t[3]), a[0], *s.operands(a[3])]
        y = s.op("QLinearConcat", operands, axis=1, **CONTRIB)
        return s.put(y, [t[1][0], t[1][1] + a[1][1]] + t[1][2:], s.kind, made)
    if sort == "pool":
        op = s.lot.choice(("MaxPool", "MaxPool", "QLinearAveragePool"))
        return (move(s, t, op) if op == "MaxPool" else linear_pool(s, t, op)) or t
    return move(s, t, s.lot.choice(("Pad", "Clip", "Concat", "Slice", "Resize"))) or t


def network(lot):
    s = State(lot)
    t = quantized(s, s.input([1, 3, lot.choice((8, 12, 16)), 16], "float"))
    t = linear_conv(s, t)
    for _ in range(lot.randint(1, 5)):
        t = block(s, t)
    end = lot.choice(("classifier", "classifier", "shuffle", "tokens", "image"))
    if end == "classifier":
        t = linear_pool(s, t, "QLinearGlobalAveragePool")
        t = gemm(s, move(s, t, lot.choice(("Flatten", "Reshape"))) or t) or t
    elif end == "shuffle" and t[1][1] % 2 == 0:
        n, c, h, w = t[1]
        name = s.op("Reshape", [t[0], s.ints([n, 2, c // 2, h, w])])
        name = s.op("Transpose", [name], perm=[0, 2, 1, 3, 4])
        t = linear_conv(s, s.put(s.op("Reshape", [name, s.ints([n, c, h, w])]), t[1], s.kind, t[3]))
    elif end == "tokens":
        n, c, h, w = t[1]
        name = s.op("Reshape", [t[0], s.ints([n, c, h * w])])
        t = s.put(s.op("Transpose", [name], perm=[0, 2, 1]), [n, h * w, c], s.kind, t[3])
        t = linear_matmul(s, t)
    return finish(s)


if __name__ == "__main__":
    random_partitions.FAMILIES = {"qnn": {"mixed": mixed, "network": network}, "openvino": {}}
    sys.exit(random_partitions.main())
