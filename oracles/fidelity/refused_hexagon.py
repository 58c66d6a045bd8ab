#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Vary the graphs on which Qualcomm's HTP compiler refuses a session, and compare its answers with ours.

usage: refused_hexagon.py --oracle ort_assign.py --python PYTHON [--count 300] [--seed N] [--only FAMILIES]
                          [--keep FOLDER] [--cases]

--oracle is the script that asks, --python one with onnxruntime and onnxruntime-qnn. Needs the PyPI packages onnx and
numpy itself.

A family is a graph that is known to fail as some exporter writes it. Each model draws, by lot, what may matter:
shapes, ranks, element types, order of operands, what is constant and how, attributes, more users, what stands before
and after, the opset, the SoC, and whether the runtime may rewrite it (level). So about half of them load. The seed is
printed; equal seeds draw equal models.

One item is one model: whether the session is refused, and whether we call one of its nodes `fail`. Of those that load
and that we do not refuse, the numbers of partitions are compared. A session that ends the process by an assertion is
refused, too; models that the runtime cannot load, or that crash it otherwise, are left out. --cases prints each model
as a text case that expects what the compiler answered.
"""
import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from fidelity import is_refusal

SOCS = ("60", "60", "60", "60", "36", "37", "69", "87")
OPSETS = (11, 13, 14, 17, 17, 18, 18, 20, 21, 23)
FLOATS = {"float": TensorProto.FLOAT, "float16": TensorProto.FLOAT16}


class Graph:
    """A graph in the making: values are names, with the shape and element type that they have."""

    def __init__(self, lot):
        self.lot, self.opset = lot, lot.choice(OPSETS)
        self.nodes, self.inputs, self.constants, self.outputs = [], [], [], []
        self.shape, self.kind, self.count = {}, {}, 0

    def often(self, chance):
        return self.lot.random() < chance

    def name(self, shape, kind):
        self.count += 1
        name = f"v{self.count}"
        self.shape[name], self.kind[name] = list(shape), kind
        return name

    def input(self, shape, kind="float"):
        name = self.name(shape, kind)
        self.inputs.append(name)
        return name

    def constant(self, values, kind="float", shape=None):
        array = np.asarray(values, numpy_type(kind))
        array = array if shape is None else np.broadcast_to(array, shape)
        name = self.name(array.shape, kind)
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name))
        return name

    def node(self, op, operands, shape, kind=None, outputs=1, **attributes):
        names = [self.name(shape, kind or self.kind[operands[0]]) for _ in range(outputs)]
        attributes = {key: value for key, value in attributes.items() if value is not None}
        self.nodes.append(helper.make_node(op, operands, names, **attributes))
        return names[0] if outputs == 1 else names

    def any_constant(self, values, kind="float", shape=None):
        """A constant in one of the ways that exporters write them; at level off some are none."""
        how = self.lot.choice(("initializer",) * 4 + ("node", "cast", "identity"))
        array = np.broadcast_to(np.asarray(values, numpy_type(kind)), np.shape(values) if shape is None else shape)
        if how == "node":
            tensor = numpy_helper.from_array(np.array(array), "t")
            return self.node("Constant", [], array.shape, kind, value=tensor)
        if how == "cast" and kind == "float":
            return self.node("Cast", [self.constant(array, "float16")], array.shape, kind, to=TensorProto.FLOAT)
        if how == "identity":
            return self.node("Identity", [self.constant(array, kind)], array.shape)
        return self.constant(array, kind)

    def reduced(self, op, value, axis, keepdims):
        axes = {"axes": [axis]} if self.opset < 18 else {}
        operands = [value] + ([] if axes else [self.constant([axis], "int64")])
        shape = self.shape[value][:]
        if keepdims:
            shape[axis] = 1
        else:
            del shape[axis]
        return self.node(op, operands, shape, keepdims=None if keepdims else 0, **axes)

    def used_too(self, value):
        """Sometimes something else uses a value, or it is an output."""
        if self.often(0.06):
            self.outputs.append(value)
        if self.often(0.06):
            self.outputs.append(self.node("Relu", [value], self.shape[value]))
        return value

    def surrounded(self, value):
        """Sometimes something stands in between that changes neither shape nor type."""
        shape = self.shape[value]
        what = self.lot.choice(("nothing",) * 7 + ("relu", "matmul", "erf", "conv", "identity"))
        if what == "conv" and len(shape) == 4 and self.kind[value] == "float":
            return self.node("Conv", [value, self.constant(0.5, shape=[shape[1], shape[1], 1, 1])], shape)
        if what == "matmul" and len(shape) > 1 and self.kind[value] == "float":
            return self.node("MatMul", [value, self.constant(0.5, shape=[shape[-1], shape[-1]])], shape)
        if what in ("relu", "erf", "identity"):
            return self.node(what.capitalize(), [value], shape)
        return value

    def model(self, *results):
        self.outputs = list(dict.fromkeys([*results, *self.outputs]))
        info = [[helper.make_tensor_value_info(v, tensor_type(self.kind[v]), shape(v)) for v in values]
                for values, shape in ((self.inputs, self.shape.get), (self.outputs, lambda _: None))]
        graph = helper.make_graph(self.nodes, "g", info[0], info[1], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)],
                                 ir_version=8 if self.opset < 21 else 10)


def tensor_type(kind):
    return FLOATS.get(kind) or getattr(TensorProto, kind.upper())


def numpy_type(kind):
    return helper.tensor_dtype_to_np_dtype(tensor_type(kind))


def swapped(graph, chance, first, second):
    return [second, first] if graph.often(chance) else [first, second]


def dims_of(lot, low, high):
    return [lot.choice((1, 2, 3, 4, 8)) for _ in range(lot.randint(low, high))]


# ---- families ----------------------------------------------------------------------------------------------------


def of_rms_norm(graph):
    """x / sqrt(mean(x^2) + e) * w, as torch dynamo writes it."""
    lot, kind = graph.lot, graph.lot.choice(("float",) * 7 + ("float16",))
    shape = dims_of(lot, 1, 4) if graph.often(0.6) else [2, 4, 8]
    x = graph.surrounded(graph.input(shape, kind))
    if graph.often(0.92):
        two = graph.any_constant(lot.choice((2,) * 9 + ([2], [2], 3)), kind)
        square = graph.node("Pow", [x, two], shape)
    else:
        square = graph.node("Mul", [x, x], shape)
    axis = lot.choice((-1,) * 6 + (len(shape) - 1,) * 3 + (0, min(1, len(shape) - 1)))
    mean = graph.used_too(graph.reduced(lot.choice(("ReduceMean",) * 12 + ("ReduceSum",)) if graph.opset != 11
                                        else "ReduceMean", graph.used_too(square), axis, True))
    narrow = graph.shape[mean]
    small = graph.any_constant(lot.choice((1e-6, 1e-6, 1e-5, [1e-6])), kind)
    total = graph.node("Add", swapped(graph, 0.06, mean, small), narrow) if graph.often(0.95) else mean
    root = graph.used_too(graph.node("Sqrt", [graph.used_too(total)], narrow))
    if graph.often(0.9):
        inverse = graph.used_too(graph.node("Reciprocal", [root], narrow))
        hidden = graph.node("Mul", swapped(graph, 0.08, x, inverse), shape)
    else:
        hidden = graph.node("Div", [x, root], shape)
    hidden = graph.surrounded(graph.used_too(hidden)) if graph.often(0.15) else graph.used_too(hidden)
    weight_shape = lot.choice((shape[-1:], shape[-1:], [], [1], [1] * (len(shape) - 1) + shape[-1:], shape))
    weight = graph.input(weight_shape, kind) if graph.often(0.12) else \
        graph.any_constant(0.5, kind, weight_shape)
    y = graph.node("Mul", swapped(graph, 0.15, weight, hidden), shape)
    return graph.model(graph.surrounded(y))


def of_scaled_softmax(graph):
    lot, kind = graph.lot, graph.lot.choice(("float",) * 7 + ("float16",))
    shape = dims_of(lot, 1, 5)
    x = graph.surrounded(graph.input(shape, kind))
    factor = graph.input(lot.choice(([], [1])), kind) if graph.often(0.08) else \
        graph.any_constant(lot.choice((0.125, 1, 2, 0)), kind, lot.choice(([],) * 5 + ([1], [1, 1])))
    wide = shape if len(graph.shape[factor]) <= len(shape) else [1] * (2 - len(shape)) + shape
    op = lot.choice(("Mul",) * 9 + ("Div",))
    scaled = graph.used_too(graph.node(op, swapped(graph, 0.4 if op == "Mul" else 0, x, factor), wide))
    if graph.often(0.1):
        scaled = graph.surrounded(scaled)
    axis = lot.choice((lot.randrange(-len(wide), len(wide)), -2 if len(wide) > 1 else 0, 1 if len(wide) > 1 else 0, 0, None))
    op = lot.choice(("Softmax",) * 12 + ("LogSoftmax",))
    y = graph.node(op, [scaled], wide, axis=axis if axis is not None or len(wide) > 1 else 0)
    if graph.often(0.1):
        graph.outputs.append(graph.node("Softmax", [scaled], wide, axis=0))
    return graph.model(graph.surrounded(y))


def reordered(shape, order):
    return [shape[axis] for axis in order]


def factors(lot, total, count):
    """`count` sizes whose product is `total`, a power of two; some are 1."""
    sizes = [1] * count
    while total > 1:
        sizes[lot.randrange(count)] *= 2
        total //= 2
    return sizes


def of_rank6(graph):
    """Reshape, Transpose, Reshape through rank 6, alone or one after another."""
    lot = graph.lot
    kind = lot.choice(("float",) * 8 + ("float16", "int32", "int64", "bool", "uint8"))
    shape = lot.choice(([1, 8, 8, 4], [1, 4, 8, 8], [8, 8, 4], [2, 8, 4, 4], [64, 4], [1, 1, 8, 8, 4]))
    value = graph.input(shape, kind)
    value = graph.surrounded(value) if kind == "float" else value
    orders = ([0, 1, 3, 2, 4, 5], [0, 1, 3, 2, 4, 5], [0, 2, 4, 1, 3, 5], [0, 1, 4, 2, 5, 3], [0, 3, 1, 2, 4, 5],
              [0, 2, 1, 3, 4, 5], lot.sample(range(6), 6), [0, 3, 5, 1, 2, 4], [0, 1, 3, 5, 2, 4])
    sizes = lot.choice(([1] + factors(lot, 256, 5), [1] + factors(lot, 256, 5), factors(lot, 256, 6)))
    for turn in range(lot.choice((1, 1, 1, 2, 2, 3))):
        order = lot.choice(orders)
        if turn == 0:
            value = graph.node("Reshape", [value, graph.constant(sizes, "int64")], sizes)
        value = graph.node("Transpose", [graph.used_too(value) if graph.often(0.3) else value],
                           reordered(graph.shape[value], order), perm=order)
        last = lot.choice(([4, 16, 4], [16, 4, 4], [1, 4, 8, 8], [256], [1] + factors(lot, 256, 5), factors(lot, 256, 6),
                           factors(lot, 256, 5)))
        value = graph.node("Reshape", [graph.used_too(value) if graph.often(0.2) else value,
                                       graph.constant(last, "int64")], last)
        if len(last) != 6:
            break
    return graph.model(graph.surrounded(value) if kind == "float" else value)


def split_at(lot, shape):
    """The shape with one axis in two, or with an axis of one more."""
    axis = lot.choice((0, 1, 1, 1, 2, 3))
    first = lot.choice([n for n in (1, 2, 4, shape[axis]) if shape[axis] % n == 0])
    return [*shape[:axis], first, shape[axis] // first, *shape[axis + 1:]]


def of_split_convolution(graph):
    """A convolution whose result goes to rank 5, as grouped channels and selective kernels are written."""
    lot, kind = graph.lot, "float16" if graph.often(0.08) else "float"
    height, width = lot.choice((1, 1, 1, 4, 8)), lot.choice((1, 1, 1, 4, 8))
    channels, filters = lot.choice((4, 8, 16)), lot.choice((4, 8, 32))
    group = lot.choice((1, 1, 1, 1, 2, channels)) if filters % channels == 0 else 1
    kernel, stride = lot.choice((1, 1, 3)), 2 if graph.often(0.1) else 1
    value = graph.input([lot.choice((1, 1, 1, 2)), channels, height, width], kind)
    shape = [graph.shape[value][0], filters, -(-height // stride), -(-width // stride)]
    operands = [value, graph.constant(0.5, kind, [filters, channels // group, kernel, kernel])]
    operands += [graph.constant(0.5, kind, [filters])] if graph.often(0.3) else []
    value = graph.node(lot.choice(("Conv",) * 7 + ("ConvTranspose",)) if group == 1 and stride == 1 and
                       channels == filters else "Conv", operands, shape, kernel_shape=[kernel] * 2, group=group,
                       pads=[kernel // 2] * 4, strides=[stride] * 2)
    value = graph.surrounded(graph.used_too(value))
    if graph.often(0.25):
        axis = lot.randrange(5)
        axes = {"axes": [axis]} if graph.opset < 13 else {}
        operands = [value] + ([] if axes else [graph.constant([axis], "int64")])
        value = graph.node("Unsqueeze", operands, shape[:axis] + [1] + shape[axis:], **axes)
    else:
        shape = split_at(lot, shape)
        value = graph.node("Reshape", [value, graph.constant(shape, "int64")], shape)
    return graph.model(graph.surrounded(value))


def of_shared_constant(graph):
    """A constant of a node on the CPU, and the same or an equal one after a Transpose that the runtime moves."""
    lot, kind = graph.lot, "float16" if graph.often(0.2) else "float"
    count = lot.choice((1, 2, 4, 7, 8, 9, 32))
    shape = ["N", "T", count] if graph.often(0.75) else ["N", "T", "W", count]
    wide = lot.choice(([count],) * 8 + ([1, count], [1] * (len(shape) - 1) + [count]))
    numbers = np.arange(1, count + 1).reshape(wide)
    first = graph.constant(numbers, kind)
    how = lot.choice(("same",) * 4 + ("equal",) * 5 + ("other", "node", "identity", "casts"))
    second = first if how == "same" else graph.constant(numbers + (how == "other"), kind) if how != "node" else \
        graph.node("Constant", [], wide, kind, value=numpy_helper.from_array(numbers.astype(numpy_type(kind)), "t"))
    second = graph.node("Identity", [first], wide) if how == "identity" else second
    if how == "casts" and kind == "float":
        first, second = (graph.node("Cast", [graph.constant(numbers, "float16")], wide, kind, to=TensorProto.FLOAT)
                         for _ in range(2))
    order = [0, len(shape) - 1, *range(1, len(shape) - 1)]
    back = [0, *range(2, len(shape)), 1]
    value = graph.input(shape, kind)
    user = lot.choice(("bias",) * 4 + ("before", "apart", "after")) if len(wide) == 1 else lot.choice(("before", "apart"))
    if user == "before":
        value = graph.node("Mul", [value, first], shape)
    value = graph.node("Transpose", [value], reordered(shape, order), perm=order)
    weight = graph.constant(0.5, kind, [count, count] + [1] * (len(shape) - 2))
    value = graph.node("Conv", [value, weight] + [first] * (user == "bias"), graph.shape[value])
    value = graph.node("Transpose", [value], shape, perm=back)
    if graph.often(0.4):
        op = lot.choice(("Relu", "Sigmoid", "Erf", "Neg", "Softmax"))
        value = graph.node(op, [value], shape, axis=-1 if op == "Softmax" and graph.opset > 12 else None)
    op = lot.choice(("Add",) * 5 + ("Mul", "Sub", "Div", "PRelu"))
    value = graph.node(op, swapped(graph, 0.3 if op in ("Add", "Mul") else 0, value, second), shape)
    if user == "after":
        value = graph.node("Relu", [graph.node("Reshape", [value, graph.constant([0, 0, -1], "int64")],
                                               shape[:2] + [count if len(shape) == 3 else "K"])], shape[:3])
        value = graph.node("Mul", [value, first], shape[:3]) if len(shape) == 3 else value
    if graph.often(0.2):
        value = graph.node("Transpose", [value], reordered(graph.shape[value], order), perm=order) \
            if len(graph.shape[value]) == len(order) else value
    size = graph.node("Shape", [graph.inputs[0] if graph.often(0.1) else value], [len(graph.shape[value])], "int64")
    size = graph.node("Cast", [size], graph.shape[size], "float", to=TensorProto.FLOAT)
    if user == "apart":
        graph.outputs.append(graph.node("Mul", [graph.input(shape, kind), first], shape))
    graph.outputs.append(graph.surrounded(graph.node("Relu", [graph.surrounded(size)], graph.shape[size])))
    return graph.model(value)


def of_moved_transpose(graph):
    """Transposes before and after nodes on the CPU, past which the runtime moves them."""
    lot, kind = graph.lot, "float"
    rank = lot.choice((2, 3, 3, 4, 4, 4, 5))
    value = graph.input([lot.choice((1, 2, 4, 8)) for _ in range(rank)], kind)
    last = None
    for _ in range(lot.randint(2, 8)):
        shape = graph.shape[value]
        what = lot.choice(("transpose",) * 5 + ("back",) * 2 + ("erf",) * 4 + ("relu", "constant", "scalar", "softmax",
                           "reshape", "conv", "add", "self", "user"))
        if what == "transpose" or (what == "back" and last is None):
            channels = ([0, *range(2, rank), 1], [0, rank - 1, *range(1, rank - 1)])
            last = lot.choice((*channels, *channels, lot.sample(range(rank), rank))) if rank > 2 else [1, 0]
            value = graph.node("Transpose", [value], reordered(shape, last), perm=last)
        elif what == "back":
            last = [last.index(axis) for axis in range(rank)]
            value = graph.node("Transpose", [value], reordered(shape, last), perm=last)
        elif what in ("erf", "relu"):
            value = graph.node(what.capitalize(), [value], shape)
        elif what in ("constant", "scalar"):
            wide = lot.choice((shape[-1:], [1] * (rank - 1) + shape[-1:])) if what == "constant" else []
            operands = [value, graph.constant(np.arange(np.prod(wide, dtype=int)).reshape(wide) + 0.5, kind)]
            value = graph.node("Mul", operands, shape)
            value = graph.node("Erf", [value], shape) if graph.often(0.5) else value
        elif what == "softmax":
            value = graph.node("Softmax", [value], shape, axis=rank - 1)
        elif what == "reshape":
            value = graph.node("Reshape", [value, graph.constant([-1, *shape[1:]], "int64")], shape)
        elif what == "conv" and rank == 4:
            value = graph.node("Conv", [value, graph.constant(0.5, kind, [shape[1], shape[1], 1, 1])], shape)
        elif what == "add":
            value = graph.node("Add", [value, graph.input(shape, kind)], shape)
        elif what == "self":
            value = graph.node("Add", [value, graph.node(lot.choice(("Erf", "Relu")), [value], shape)], shape)
        elif what == "user":
            graph.outputs.append(graph.node(lot.choice(("Erf", "Relu")), [value], shape)
                                 if graph.often(0.6) else value)
    return graph.model(value)


def any_step(graph, value):
    """What an order of axes may or may not be moved past; of any rank."""
    lot, shape = graph.lot, graph.shape[value]
    rank, kind = len(shape), graph.kind[value]
    what = lot.choice(("relu", "relu", "cosh", "constant", "add", "concat", "softmax", "mean", "slice", "split", "merge",
                       "matmul", "erf", "self"))
    if what in ("relu", "cosh", "erf"):
        return graph.node(what.capitalize(), [value], shape)
    if what == "constant":
        return graph.node("Mul", [value, graph.constant(0.5, kind, lot.choice(([], shape[-1:], shape)))], shape)
    if what == "add":
        return graph.node("Add", [value, graph.input(shape, kind)], shape)
    if what == "self":
        return graph.node("Add", [value, graph.node("Sigmoid", [value], shape)], shape)
    if what == "concat":
        axis = lot.randrange(rank)
        return graph.node("Concat", [value, graph.input(shape, kind)],
                          [n * (1 + (i == axis)) for i, n in enumerate(shape)], axis=axis)
    if what == "softmax":
        return graph.node("Softmax", [value], shape, axis=rank - 1)
    if what == "mean":
        return graph.reduced("ReduceMean", value, lot.randrange(rank), graph.often(0.7) or rank == 1)
    if what == "slice":
        axis = lot.randrange(rank)
        end = max(1, shape[axis] // 2)
        operands = [value] + [graph.constant([n], "int64") for n in (0, end, axis)]
        return graph.node("Slice", operands, [end if i == axis else n for i, n in enumerate(shape)])
    if what == "matmul" and rank > 1:
        return graph.node("MatMul", [value, graph.constant(0.5, kind, [shape[-1]] * 2)], shape)
    if what in ("split", "merge"):
        axis = lot.randrange(rank)
        first = lot.choice([n for n in (1, 2, 3, 4) if shape[axis] % n == 0])
        wide = [*shape[:axis], first, shape[axis] // first, *shape[axis + 1:]]
        if what == "merge" and rank > 1 and axis + 1 < rank:
            wide = [*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2:]]
        return value if len(wide) > 5 else graph.node("Reshape", [value, graph.constant(wide, "int64")], wide)
    return value


def ordered(graph, value):
    """A Transpose, or a node before and after which the runtime puts one."""
    lot, shape = graph.lot, graph.shape[value]
    rank = len(shape)
    if rank == 4 and graph.often(0.4):
        return graph.node("Conv", [value, graph.constant(0.5, graph.kind[value], [shape[1], shape[1], 1, 1])], shape)
    channels = ([0, *range(2, rank), 1], [0, rank - 1, *range(1, rank - 1)])
    order = lot.choice((*channels, *channels, lot.sample(range(rank), rank))) if rank > 2 else [1, 0]
    return graph.node("Transpose", [value], reordered(shape, order), perm=order)


def of_one_axis(graph):
    """A Reshape to one axis, mostly, and what may stand around it."""
    lot = graph.lot
    value = graph.input([lot.choice((1, 1, 2))] + [lot.choice((1, 2, 4, 6)) for _ in range(lot.randint(1, 3))])
    if graph.often(0.9):
        value = ordered(graph, value)
    for _ in range(lot.choice((0, 0, 1, 1, 2, 3))):
        value = graph.used_too(any_step(graph, value))
    total = int(np.prod(graph.shape[value]))
    wide = [total] if graph.often(0.85) else lot.choice(([1, total], [total, 1]))
    flat = graph.node("Reshape", [value, graph.constant([-1] if len(wide) == 1 else wide, "int64")], wide)
    value = graph.used_too(flat)
    if graph.often(0.5):
        value = any_step(graph, value)
    axis = len(wide) - 1 if wide[-1] > 1 else 0
    rows = lot.choice(([2, 2], [4], [1, 2, 2], [2, 1, 2, 1]))
    if graph.often(0.6):
        indices = graph.constant(np.arange(4).reshape(rows) % wide[axis], "int64")
        value = graph.node("Gather", [value, indices], wide[:axis] + rows + wide[axis + 1:], axis=axis)
    if len(graph.shape[value]) == 1:
        axes = {"axes": [0]} if graph.opset < 13 else {}
        value = graph.node("Unsqueeze", [value] + ([] if axes else [graph.constant([0], "int64")]),
                           [1] + graph.shape[value], **axes)
    for _ in range(lot.choice((0, 0, 1, 2))):
        value = graph.used_too(any_step(graph, value))
    return graph.model(ordered(graph, value) if graph.often(0.85) and len(graph.shape[value]) > 1 else value)


FAMILIES = {"rms-norm": of_rms_norm, "scaled-softmax": of_scaled_softmax, "rank6": of_rank6,
            "split-convolution": of_split_convolution, "shared-constant": of_shared_constant,
            "moved-transpose": of_moved_transpose, "one-axis": of_one_axis}


def draw(lot, families):
    """A model with its family, SoC and level."""
    family = lot.choice(families)
    graph = Graph(lot)
    model = FAMILIES[family](graph)
    return family, model, lot.choice(SOCS), lot.choice(("all", "all", "all", "off"))


# ---- asking and comparing ---------------------------------------------------------------------------------------


def compiler_answers(args, soc, level, paths):
    command = [args.python, args.oracle, "--ep", "qnn", "--soc", soc, "--level", level, "--timeout", "60", *paths]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def tool_answers(args, soc, level, paths):
    command = [args.tool, *paths, "--target", f"hexagon:{soc}", "--level", "off" if level == "off" else "basic",
               "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    reports = (json.loads(line) for line in done.stdout.splitlines())
    return {report["model"]["path"]: report["targets"][0] for report in reports}


def truth_of(row):
    """refused, loads, or why the model is left out."""
    error = row.get("error", "")
    if is_refusal(error):
        return "refused"
    if error:
        return "crash" if error.startswith(("crash", "timeout")) else "not loaded"
    return "loads"


def describe(model):
    """Nodes with their operands' types, briefly."""
    graph = onnx.shape_inference.infer_shapes(model).graph
    known = {v.name: v.type.tensor_type for v in [*graph.input, *graph.value_info, *graph.output]}
    text = {t.name: f"{t.name}:const{list(t.dims)}" for t in graph.initializer}

    def said(name):
        if name in text or name not in known:
            return text.get(name, name)
        dims = ",".join(str(d.dim_value) for d in known[name].shape.dim)
        return f"{name}:{TensorProto.DataType.Name(known[name].elem_type).lower()}[{dims}]"

    lines = [f"{node.output[0]}={node.op_type}({' '.join(map(said, node.input))}"
             + "".join(f" {a.name}={helper.get_attribute_value(a)}" for a in node.attribute if a.type != 4) + ")"
             for node in graph.node]
    return f"opset {model.opset_import[0].version}: {' '.join(lines)} -> {' '.join(o.name for o in graph.output)}"


def ask_all(args, drawn, folder):
    """[(truth, our report, the compiler's line)] in the order of the models."""
    found = [None] * len(drawn)
    groups = collections.defaultdict(list)
    for place, (_, model, soc, level) in enumerate(drawn):
        path = str(folder / f"{place}.onnx")
        onnx.save(model, path)
        groups[soc, level].append((place, path))
    for (soc, level), members in sorted(groups.items()):
        paths = [path for _, path in members]
        rows, ours = compiler_answers(args, soc, level, paths), tool_answers(args, soc, level, paths)
        for (place, path), row in zip(members, rows):
            found[place] = truth_of(row), ours.get(path), row
    return found


def run(args):
    lot = random.Random(args.seed)
    families = args.only.split() or list(FAMILIES)
    drawn = [draw(lot, families) for _ in range(args.count)]
    pairs, left_out, counts = collections.Counter(), collections.Counter(), collections.Counter()
    print(f"seed {args.seed}, {args.count} models of {', '.join(families)}", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(args.keep or temporary)
        folder.mkdir(exist_ok=True, parents=True)
        found = ask_all(args, drawn, folder)
    for place, ((family, model, soc, level), answer) in enumerate(zip(drawn, found)):
        truth, ours, row = answer or ("not asked", None, {})
        if truth not in ("refused", "loads") or ours is None:
            left_out[truth if ours is not None else "not read by the tool"] += 1
            continue
        nodes, theirs, here = ours["nodes"], len(row.get("partitions", ())), ours["summary"]["partitions"]
        said = "refused" if any(node["verdict"] == "fail" for node in nodes) else "loads"
        pairs[family, truth, said] += 1
        if args.cases and truth == said:
            print(case_text(family, model, soc, level, nodes))
        elif truth != said:
            print(f"{place} {family} SoC {soc} level {level}: compiler {truth}, ours {said}: {describe(model)}  "
                  f"{row.get('error', '').split(' : ')[-1][-90:].strip()}", flush=True)
        elif truth == "loads":
            counts[family, theirs == here] += 1
            if theirs != here:
                print(f"{place} {family} SoC {soc} level {level}: {theirs} partitions, ours {here}: {describe(model)}",
                      flush=True)
    report(families, pairs, left_out, counts)


def report(families, pairs, left_out, counts):
    for family in [*families, None]:
        def count(truth, said):
            return sum(n for (one, a, b), n in pairs.items() if family in (one, None) and (a, b) == (truth, said))

        seen, missed = count("refused", "refused"), count("refused", "loads")
        alarms, quiet = count("loads", "refused"), count("loads", "loads")
        print(f"{family or 'all'}: refused sessions seen {seen} of {seen + missed}, "
              f"false alarms {alarms} of {alarms + quiet} that load")
        equal, differ = (sum(n for (one, same), n in counts.items() if family in (one, None) and same == wanted)
                         for wanted in (True, False))
        print(f"  partitions equal {equal} of {equal + differ}")
    print("left out:", ", ".join(f"{why} {n}" for why, n in sorted(left_out.items())) or "none")


# ---- text cases ---------------------------------------------------------------------------------------------------


def case_type(kind, dims):
    words = {1: "float32", 11: "float64"}
    return f"{words.get(kind) or TensorProto.DataType.Name(kind).lower()}[{','.join(map(str, dims))}]"


def case_tensor(tensor):
    numbers = " ".join(f"{number:.7g}" for number in numpy_helper.to_array(tensor).ravel().astype(float))
    return f"{case_type(tensor.data_type, tensor.dims)} = {numbers}"


def case_attribute(attribute):
    value = helper.get_attribute_value(attribute)
    if attribute.type == onnx.AttributeProto.TENSOR:
        return f"{attribute.name}=tensor {case_tensor(value)}"
    return f"{attribute.name}={str(value).replace(' ', '')}"


def case_text(family, model, soc, level, nodes):
    """What test/cases/README.md describes, expecting what was answered."""
    graph, lines = model.graph, []
    lines += [f"opset {model.opset_import[0].version}"] + (["level off"] if level == "off" else [])
    lines += [f"input {v.name} {case_type(v.type.tensor_type.elem_type, [d.dim_value for d in v.type.tensor_type.shape.dim])}"
              for v in graph.input]
    lines += [f"init {t.name} {case_tensor(t)}" for t in graph.initializer]
    lines += [f"node {', '.join(n.output)} = {n.op_type}({', '.join(n.input)}) "
              f"{' '.join(map(case_attribute, n.attribute))}".strip() for n in graph.node]
    lines += [f"output {v.name}" for v in graph.output] + [f"target hexagon:{soc}"]
    failing = [n for n in nodes if n["verdict"] == "fail"]
    for node in failing:
        value = graph.node[node["index"]].output[0]
        lines += [f"expect verdict {value} fail"]
        lines += [f"expect reason {value} {r['rule']}" for r in node["reasons"] if r.get("outcome") == "fail"]
    lines += [f"expect failed {len(failing)}"]
    return "\n".join([f"== {family}", *lines, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", default="ort_assign.py", help="the script that asks the compiler")
    parser.add_argument("--python", default=sys.executable, help="a Python with onnxruntime-qnn")
    parser.add_argument("--tool", default="build/npu-partition", help="default build/npu-partition")
    parser.add_argument("--count", type=int, default=300, help="models, default 300")
    parser.add_argument("--seed", type=int, default=None, help="default: by the clock")
    parser.add_argument("--only", default="", help=f"families, separated by blanks: {' '.join(FAMILIES)}")
    parser.add_argument("--keep", default="", help="keep the models in this folder")
    parser.add_argument("--cases", action="store_true", help="print the models that agree as text cases")
    args = parser.parse_args()
    if args.seed is None:
        args.seed = random.SystemRandom().randrange(1 << 31)
    run(args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
