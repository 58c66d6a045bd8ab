# SPDX-License-Identifier: Apache-2.0
"""Random nodes with operands and attributes that mostly fit, for random_graphs.py.

A Graph grows node by node. Each node is run alone, with the arrays that its operands are, and kept when ONNX Runtime
takes it, so that all its results are known as arrays too. A maker is a function that adds a node or two, or refuses.
"""
import random

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

MOST_ELEMENTS = 20000
OPSETS = list(range(1, 27))


class Refused(Exception):
    """A node cannot be made here."""


class Graph:
    """A graph as far as it has grown: its nodes, and every tensor as an array."""

    def __init__(self, rng):
        self.rng = rng
        self.opset = rng.choice(OPSETS)
        self.nodes = []
        self.arrays = {}
        self.inputs, self.constants, self.results = [], [], []
        self.count = 0
        self.options = onnxruntime.SessionOptions()
        self.options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        self.options.log_severity_level = 4
        self.options.intra_op_num_threads = 1

    # ---- tensors

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def add_input(self, array):
        name = self.name("i")
        self.arrays[name] = array
        self.inputs.append(name)
        return name

    def constant(self, array):
        name = self.name("k")
        self.arrays[name] = np.asarray(array)
        self.constants.append(name)
        return name

    def dims(self, rank):
        return [self.rng.choice([1, 1, 2, 3, 4, 5, 7, 8, 10]) for _ in range(rank)]

    def values(self, dims, dtype=np.float32):
        state = np.random.default_rng(self.rng.getrandbits(32))
        if dtype == np.bool_:
            return state.integers(0, 2, dims).astype(np.bool_)
        if np.issubdtype(dtype, np.integer):
            return state.integers(0, 5, dims).astype(dtype)
        return state.standard_normal(dims).astype(dtype)

    def shape(self, name):
        return self.arrays[name].shape

    def rank(self, name):
        return self.arrays[name].ndim

    def tensor(self, dtype=np.float32, least=0, most=5, dims=None):
        """A tensor of this type and rank: one that is there, or a new input."""
        fitting = [name for name in self.inputs + self.results if self.arrays[name].dtype == dtype
                   and least <= self.arrays[name].ndim <= most and self.arrays[name].size
                   and (dims is None or list(self.arrays[name].shape) == list(dims))]
        if fitting and self.rng.random() < 0.7:
            return self.rng.choice(fitting[-6:])
        if dims is None:
            dims = self.dims(self.rng.randint(least, most))
        if self.rng.random() < 0.1:
            return self.constant(self.values(dims, dtype))
        return self.add_input(self.values(dims, dtype))

    def beside(self, name):
        """A tensor of the same type that broadcasts with this one."""
        dims = [1 if self.rng.random() < 0.3 else dim for dim in self.shape(name)]
        dims = dims[self.rng.randint(0, len(dims)):] if dims and self.rng.random() < 0.4 else dims
        return self.tensor(self.arrays[name].dtype.type, dims=dims)

    def axis(self, rank):
        if rank == 0:
            raise Refused
        return self.rng.randint(-rank if self.opset >= 11 else 0, rank - 1)

    # ---- whole numbers that shapes depend on

    def ints(self, values, dtype=np.int64):
        """A tensor of these numbers: a constant, mostly; or one that arithmetic of constants and shapes makes."""
        values = np.asarray(values, dtype)
        roll = self.rng.random()
        if roll < 0.06:
            return self.add_input(values)
        if roll < 0.5 or values.ndim != 1 or dtype != np.int64:
            return self.constant(values)
        return self.computed(values)

    def detour(self, values):
        """The same numbers by operators that inference follows element by element."""
        count, k = len(values), self.constant
        kind = self.rng.randrange(12)
        if kind == 0:
            condition = self.node("Equal", [k(np.arange(count)), k(np.arange(count))])
            return self.node("Where", [condition, k(values), k(values * 0)])
        if kind == 1 and self.opset < 13:
            return self.node("ReduceSum", [k(np.stack([values - 1, values * 0 + 1]))], axes=[0], keepdims=0)
        if kind == 1:
            axes = k(np.zeros(1, np.int64))
            return self.node("ReduceSum", [k(np.stack([values - 1, values * 0 + 1])), axes], keepdims=0)
        if kind == 2:
            return self.node("Mod", [k(values + 1000 * (values < 0)), k(np.array([1000], np.int64))]) \
                if (values >= 0).all() else self.node("Neg", [k(-values)])
        if kind == 3:
            return self.node("Max", [self.node("Min", [k(values), k(np.array([2 ** 40]))]), k(np.array([-2 ** 40]))])
        if kind == 4:
            turned = self.node("Transpose", [k(values.reshape(1, count))])
            return self.node("Reshape", [turned, k(np.array([-1], np.int64))])
        if kind == 5:
            places = k(np.arange(count).reshape(count, 1))
            return self.node("ScatterND", [k(values * 0 + 7), places, k(values)])
        if kind == 6 and (values == values[0]).all():
            return self.node("Expand", [k(values[:1]), k(np.array([count], np.int64))])
        if kind == 7 and (np.abs(values) < 10 ** 6).all():
            parts = self.node("Add", [k(values.astype(np.float32)), k(np.float32(0.25))])
            return self.node("Cast", [self.node(self.rng.choice(["Floor", "Round"]), [parts])], to=7)
        if kind == 8 and (np.abs(values) < 10 ** 6).all():
            halves = self.node("Div", [k(values.astype(np.float32)), k(np.float32(2))])
            return self.node("Cast", [self.node("Mul", [halves, k(np.float32(2))])], to=7)
        if kind == 9:
            tiled = self.node("Tile", [k(values), k(np.array([2], np.int64))])
            return self.node("Split", [tiled], 2, axis=0, **({"num_outputs": 2} if self.opset >= 18 else {}))
        if kind == 10:
            flags = self.node("Cast", [k(values * 0 + 3)], to=9)
            return self.node("Mul", [k(values), self.node("Cast", [flags], to=7)])
        return self.node("GatherElements", [k(values), k(np.arange(count))])

    def computed(self, values):
        if len(values) and self.rng.random() < 0.4:
            return self.detour(values)
        kind = self.rng.randrange(9)
        zero, one = self.constant(np.zeros(1, np.int64)), self.constant(np.ones(1, np.int64))
        if kind == 0:
            offset = self.rng.randint(-3, 3)
            return self.node("Add", [self.constant(values - offset), self.constant(np.array([offset], np.int64))])
        if kind == 1:
            return self.node("Div", [self.node("Mul", [self.constant(values), self.constant(np.array([4], np.int64))]),
                                     self.constant(np.array([4], np.int64))])
        if kind == 2:
            return self.node("Cast", [self.node("Cast", [self.constant(values)], to=self.rng.choice([6, 1, 11]))], to=7)
        if kind == 3 and len(values) > 1:
            cut = self.rng.randint(1, len(values) - 1)
            return self.node("Concat", [self.ints(values[:cut]), self.ints(values[cut:])], axis=0)
        if kind == 4:
            longer = np.concatenate([[9], values, [9, 9]])
            if self.opset < 10:
                return self.node("Slice", [self.constant(longer)], starts=[1], ends=[len(values) + 1])
            return self.node("Slice", [self.constant(longer), one, self.constant(np.array([-2], np.int64))])
        if kind == 5:
            order = list(range(len(values)))
            self.rng.shuffle(order)
            places = np.argsort(order)
            return self.node("Gather", [self.constant(values[order]), self.constant(places.astype(np.int64))])
        if kind == 6:
            return self.node("Sub", [self.node("Add", [self.constant(values), zero]), zero])
        sizes = [(name, axis, size) for name in self.inputs + self.results for axis, size in enumerate(self.shape(name))
                 if size in values]
        if not sizes:
            return self.node("Identity", [self.constant(values)])
        parts = []
        for value in values:
            fitting = [(name, axis) for name, axis, size in sizes if size == value]
            if fitting and len(fitting) < 50:
                name, axis = self.rng.choice(fitting)
                parts.append(self.node("Gather", [self.node("Shape", [name]),
                                                  self.constant(np.array([axis], np.int64))], axis=0))
            else:
                parts.append(self.constant(np.array([value], np.int64)))
        return self.node("Concat", parts, axis=0)

    # ---- nodes

    def node(self, op, operands, outputs=1, domain="", captured=(), **attributes):
        """Adds a node if ONNX Runtime takes it; the name of its first result. `captured`: what its bodies read."""
        names = [self.name("t") for _ in range(outputs)]
        attributes = {key: value for key, value in attributes.items() if value != []}
        node = helper.make_node(op, operands, names, domain=domain, **attributes)
        used = [name for name in dict.fromkeys([*operands, *captured]) if name]
        given = [name for name in used if name not in self.constants]
        model = self.model([node], given, [name for name in used if name in self.constants], names)
        try:
            session = onnxruntime.InferenceSession(model.SerializeToString(), self.options,
                                                   providers=["CPUExecutionProvider"])
            results = session.run(names, {name: self.arrays[name] for name in given})
        except Exception as error:  # whatever the runtime throws
            raise Refused from error
        if any(not isinstance(result, np.ndarray) or result.size > MOST_ELEMENTS for result in results):
            raise Refused
        self.nodes.append(node)
        for name, array in zip(names, results):
            self.arrays[name] = array
            self.results.append(name)
        return names[0]

    def model(self, nodes, inputs, constants, outputs, dims=None):
        infos = [helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(self.arrays[name].dtype),
            (dims or {}).get(name, list(self.arrays[name].shape))) for name in inputs]
        initializers = [numpy_helper.from_array(self.arrays[name], name) for name in constants]
        graph = helper.make_graph(nodes, "g", infos, [onnx.ValueInfoProto(name=name) for name in outputs], initializers)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


# ---- the operators: each function adds a node or two ---------------------------------------------------------------


UNARY = """Abs Ceil Cos Elu Erf Exp Floor HardSigmoid Identity IsNaN LeakyRelu Log Neg Reciprocal Relu Selu Sigmoid Sign
Sin Softplus Softsign Sqrt Tan Tanh Round HardSwish Mish Gelu Celu LogSoftmax Softmax Hardmax Shrink IsInf
ThresholdedRelu MeanVarianceNormalization LpNormalization""".split()
BINARY = "Add Sub Mul Div Pow Max Min Equal Greater Less GreaterOrEqual LessOrEqual Mod Sum Mean PRelu".split()
REDUCE = "L1 L2 LogSum LogSumExp Max Mean Min Prod Sum SumSquare".split()


def unary(g):
    g.node(g.rng.choice(UNARY), [g.tensor(least=1)])


def binary(g):
    dtype = g.rng.choice([np.float32, np.float32, np.int64, np.int32])
    op, left = g.rng.choice(BINARY), g.tensor(dtype)
    operands = [left, g.beside(left)]
    turns = op != "PRelu" and g.rng.random() < 0.5  # a slope must not be larger, though ONNX Runtime takes it
    g.node(op, operands[::-1] if turns else operands)


def logic(g):
    left = g.tensor(np.bool_)
    g.node(g.rng.choice(["And", "Or", "Xor"]), [left, g.beside(left)])
    g.node("Not", [left])


def where(g):
    left = g.tensor()
    condition = g.tensor(np.bool_, dims=g.shape(g.beside(left)))
    g.node("Where", [condition, left, g.beside(left)])


def cast(g):
    g.node("Cast", [g.tensor(g.rng.choice([np.float32, np.int64, np.bool_]))], to=g.rng.choice([1, 6, 7, 9, 10, 11]))


def clip(g):
    if g.opset < 11:
        g.node("Clip", [g.tensor()], min=-1.0, max=1.0)
    else:
        g.node("Clip", [g.tensor(), g.constant(np.float32(-1)), g.constant(np.float32(1))])


def dropout(g):
    g.node("Dropout", [g.tensor()], g.rng.choice([1, 2]) if g.opset >= 10 else 1)


def shape_and_size(g):
    name = g.tensor()
    bounds = {}
    if g.opset >= 15 and g.rng.random() < 0.6:
        bounds = {"start": g.rng.randint(-4, 4), "end": g.rng.randint(-4, 4)}
    g.node("Shape", [name], **bounds)
    g.node("Size", [name])


def split_number(g, number, parts):
    """Sizes whose product is `number`."""
    sizes = []
    for _ in range(parts - 1):
        divisor = g.rng.choice([d for d in range(1, number + 1) if number % d == 0]) if number else 0
        sizes.append(divisor)
        number = number // divisor if divisor else 0
    return sizes + [number]


def reshape(g):
    name = g.tensor()
    target = split_number(g, int(g.arrays[name].size), g.rng.randint(1, 4))
    if g.rng.random() < 0.5:
        target[g.rng.randrange(len(target))] = -1
    for i, size in enumerate(target):
        if i < g.rank(name) and size == g.shape(name)[i] and g.rng.random() < 0.5:
            target[i] = 0
    g.node("Reshape", [name, g.ints(target)])


def flatten(g):
    name = g.tensor()
    rank = g.rank(name)
    g.node("Flatten", [name], axis=g.rng.randint(-rank if g.opset >= 11 else 0, rank))


def squeeze(g):
    name = g.tensor(least=1)
    ones = [i for i, size in enumerate(g.shape(name)) if size == 1]
    chosen = [i - g.rng.choice([0, g.rank(name)] if g.opset >= 11 else [0])
              for i in g.rng.sample(ones, g.rng.randint(0, len(ones)))]
    if not chosen:
        g.node("Squeeze", [name])
    elif g.opset < 13:
        g.node("Squeeze", [name], axes=chosen)
    else:
        g.node("Squeeze", [name, g.ints(chosen)])


def unsqueeze(g):
    name = g.tensor(most=3)
    count = g.rng.randint(1, 3)
    rank = g.rank(name) + count
    axes = [i - g.rng.choice([0, rank] if g.opset >= 11 else [0]) for i in g.rng.sample(range(rank), count)]
    if g.opset < 13:
        g.node("Unsqueeze", [name], axes=axes)
    else:
        g.node("Unsqueeze", [name, g.ints(axes)])


def transpose(g):
    name = g.tensor()
    order = list(range(g.rank(name)))
    g.rng.shuffle(order)
    g.node("Transpose", [name], **({"perm": order} if g.rng.random() < 0.8 else {}))


def expand(g):
    name = g.tensor(most=4)
    target = [g.rng.choice([2, 3]) if size == 1 and g.rng.random() < 0.5 else g.rng.choice([1, size])
              for size in g.shape(name)]
    if g.rng.random() < 0.3:
        target = [g.rng.choice([1, 2])] + target
    g.node("Expand", [name, g.ints(target)])


def tile(g):
    name = g.tensor(most=4)
    g.node("Tile", [name, g.ints([g.rng.choice([1, 1, 2, 3]) for _ in g.shape(name)])])


def constant_of_shape(g):
    value = g.rng.choice([None, np.array([3], np.int64), np.array([0.5], np.float32)])
    attributes = {} if value is None else {"value": numpy_helper.from_array(value)}
    g.node("ConstantOfShape", [g.ints(g.dims(g.rng.randint(0, 4)))], **attributes)


def range_of(g):
    if g.rng.random() < 0.4:
        numbers = [np.float32(g.rng.choice([0, 1, 0.5, -1.25])), np.float32(g.rng.choice([3, 4.75, 7.1, -2])),
                   np.float32(g.rng.choice([1, 0.5, 0.3, 0.1, -0.25]))]
    else:
        numbers = [np.int64(g.rng.randint(-3, 5)), np.int64(g.rng.randint(-5, 12)), np.int64(g.rng.choice([1, 2, -1, 3]))]
    g.node("Range", [g.constant(number) for number in numbers])


def slice_of(g):
    name = g.tensor(least=1)
    axes = g.rng.sample(range(g.rank(name)), g.rng.randint(1, g.rank(name)))
    starts = [g.rng.choice([0, 1, 2, -1, -2, -3, 100, -100]) for _ in axes]
    ends = [g.rng.choice([1, 2, 5, -1, -2, 100, -100, 2 ** 63 - 1, -2 ** 63]) for _ in axes]
    if g.opset < 10:
        g.node("Slice", [name], starts=starts, ends=ends, axes=axes)
        return
    operands = [name, g.ints(starts), g.ints(ends), g.ints([a - g.rng.choice([0, g.rank(name)]) for a in axes])]
    if g.rng.random() < 0.6:
        operands.append(g.ints([g.rng.choice([1, 2, 3, -1, -2]) for _ in axes]))
    g.node("Slice", operands)


def split(g):
    name = g.tensor(least=1)
    axis = g.axis(g.rank(name))
    size = g.shape(name)[axis]
    parts = g.rng.randint(1, max(1, min(4, size)))
    cuts = sorted(g.rng.sample(range(size + 1), parts - 1)) if size + 1 >= parts else []
    sizes = [b - a for a, b in zip([0] + cuts, cuts + [size])]
    if g.rng.random() < 0.5:
        extra = {"num_outputs": parts} if g.opset >= 18 else {}
        g.node("Split", [name], parts, axis=axis, **extra)
    elif g.opset < 13:
        g.node("Split", [name], len(sizes), axis=axis, split=sizes)
    else:
        g.node("Split", [name, g.ints(sizes)], len(sizes), axis=axis)


def concat(g):
    name = g.tensor(least=1)
    axis = g.axis(g.rank(name))
    operands = [name]
    for _ in range(g.rng.randint(0, 3)):
        dims = list(g.shape(name))
        dims[axis] = g.rng.choice([1, 2, 3])
        operands.append(g.tensor(dims=dims))
    g.rng.shuffle(operands)
    g.node("Concat", operands, axis=axis)


def gather(g):
    name = g.tensor(least=1)
    axis = g.axis(g.rank(name))
    size = g.shape(name)[axis]
    indices = np.random.default_rng(g.rng.getrandbits(32)).integers(
        -size if g.opset >= 11 else 0, size, g.dims(g.rng.randint(0, 2)))
    g.node("Gather", [name, g.ints(indices)], axis=axis)


def gather_elements(g):
    name = g.tensor(least=1, most=3)
    axis = g.axis(g.rank(name))
    dims = [g.rng.randint(1, size) for size in g.shape(name)]
    indices = np.random.default_rng(g.rng.getrandbits(32)).integers(0, g.shape(name)[axis], dims)
    g.node("GatherElements", [name, g.ints(indices)], axis=axis)


def gather_nd(g):
    name = g.tensor(least=1, most=4)
    batch = g.rng.randint(0, g.rank(name) - 1) if g.opset >= 12 and g.rng.random() < 0.4 else 0
    length = g.rng.randint(1, g.rank(name) - batch)
    dims = list(g.shape(name)[:batch]) + g.dims(g.rng.randint(0, 2))
    state = np.random.default_rng(g.rng.getrandbits(32))
    tuples = [state.integers(0, size, dims) for size in g.shape(name)[batch:batch + length]]
    attributes = {"batch_dims": batch} if g.opset >= 12 else {}
    g.node("GatherND", [name, g.ints(np.stack(tuples, -1))], **attributes)


def scatter(g):
    name = g.tensor(least=1, most=3)
    dims = [g.rng.randint(1, size) for size in g.shape(name)]
    axis = g.axis(g.rank(name))
    indices = np.random.default_rng(g.rng.getrandbits(32)).integers(0, g.shape(name)[axis], dims)
    g.node("ScatterElements" if g.opset >= 11 else "Scatter", [name, g.ints(indices), g.tensor(dims=dims)], axis=axis)


def pad(g):
    name = g.tensor(least=1, most=4)
    rank = g.rank(name)
    mode = g.rng.choice(["constant", "constant", "edge"])
    least = -1 if mode == "constant" and min(g.shape(name)) > 2 else 0
    if g.opset >= 18 and g.rng.random() < 0.4:
        axes = g.rng.sample(range(rank), g.rng.randint(1, rank))
        pads = [g.rng.randint(least, 2) for _ in range(2 * len(axes))]
        g.node("Pad", [name, g.ints(pads), "", g.ints(axes)], mode=mode)
        return
    pads = [g.rng.randint(least, 2) for _ in range(2 * rank)]
    if g.opset < 11:
        g.node("Pad", [name], pads=pads, mode=mode)
    else:
        g.node("Pad", [name, g.ints(pads)], mode=mode)


def data_dependent(g):
    name = g.tensor(least=1)
    kind = g.rng.randrange(3)
    if kind == 0:
        g.node("NonZero", [name])
    elif kind == 1:
        axis = g.axis(g.rank(name))
        condition = g.constant(g.values([g.shape(name)[axis]], np.bool_))
        g.node("Compress", [name, condition], axis=axis)
    else:
        g.node("Unique", [name], g.rng.randint(1, 4), **({"axis": g.axis(g.rank(name))} if g.rng.random() < 0.5 else {}))


def one_hot(g):
    axis = g.rng.choice([-1, 0, 1])
    g.node("OneHot", [g.tensor(np.int64, least=1, most=3), g.ints(np.array(5)), g.tensor(dims=[2])], axis=axis)


def top_k(g):
    name = g.tensor(least=1)
    axis = g.axis(g.rank(name))
    k = g.rng.randint(0 if g.opset >= 10 else 1, g.shape(name)[axis])
    if g.opset < 10:
        g.node("TopK", [name], 2, k=k, axis=axis)
    else:
        g.node("TopK", [name, g.ints([k])], 2, axis=axis)


def reduce(g):
    kind = g.rng.choice(REDUCE)
    name = g.tensor()
    rank = g.rank(name)
    axes = [a - g.rng.choice([0, rank] if g.opset >= 11 else [0])
            for a in g.rng.sample(range(rank), g.rng.randint(0, rank))]
    attributes = {"keepdims": g.rng.choice([0, 1])} if g.rng.random() < 0.7 else {}
    takes_input = g.opset >= (13 if kind == "Sum" else 18)
    if takes_input and g.rng.random() < 0.3:
        attributes["noop_with_empty_axes"] = g.rng.choice([0, 1])
    if not axes and not (takes_input and g.rng.random() < 0.5):
        g.node("Reduce" + kind, [name], **attributes)
    elif takes_input:
        g.node("Reduce" + kind, [name, g.ints(axes)], **attributes)
    else:
        g.node("Reduce" + kind, [name], axes=axes, **attributes)


def arg_extreme(g):
    name = g.tensor(least=1)
    g.node(g.rng.choice(["ArgMax", "ArgMin"]), [name], axis=g.axis(g.rank(name)), keepdims=g.rng.choice([0, 1]))


def cumulative(g):
    name = g.tensor(least=1)
    g.node("CumSum", [name, g.constant(np.int64(g.axis(g.rank(name))))])


def matmul(g):
    left = g.tensor(least=1, most=4)
    inner = g.shape(left)[-1]
    dims = g.rng.choice([[inner], [inner, 3], [inner, 1]])
    if g.rank(left) > 2 and g.rng.random() < 0.5:
        dims = [g.rng.choice([1, size]) for size in g.shape(left)[:-2]] + [inner, 4]
    g.node("MatMul", [left, g.tensor(dims=dims)])


def gemm(g):
    left = g.tensor(least=2, most=2)
    turns = {"transA": g.rng.choice([0, 1]), "transB": g.rng.choice([0, 1])}
    inner = g.shape(left)[0 if turns["transA"] else 1]
    right = g.tensor(dims=[3, inner] if turns["transB"] else [inner, 3])
    g.node("Gemm", [left, right] + ([g.tensor(dims=[3])] if g.rng.random() < 0.5 or g.opset < 11 else []), **turns)


def einsum(g):
    left = g.tensor(least=2, most=2)
    right = g.tensor(dims=[g.shape(left)[1], 4])
    g.node("Einsum", [left, right], equation=g.rng.choice(["ij,jk->ik", "ij,jk", "ij,jk->kij", "...j,jk->...k", "ij,jk->"]))


def window(g, spatial, dilates=True):
    attributes = {"kernel_shape": [g.rng.randint(1, 3) for _ in range(spatial)]}
    if g.rng.random() < 0.6:
        attributes["strides"] = [g.rng.randint(1, 3) for _ in range(spatial)]
    if dilates and g.rng.random() < 0.3:
        attributes["dilations"] = [g.rng.randint(1, 2) for _ in range(spatial)]
    kind = g.rng.random()
    if kind < 0.4:
        attributes["pads"] = [g.rng.randint(0, 2) for _ in range(2 * spatial)]
    elif kind < 0.7:
        attributes["auto_pad"] = g.rng.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
    return attributes


def refuse_large_window(g, name, attributes):
    """A window larger than the padded image: ONNX has no result, ONNX Runtime rounds toward zero and makes one."""
    spatial = g.rank(name) - 2
    pads = attributes.get("pads", [0] * 2 * spatial)
    for i, size in enumerate(g.shape(name)[2:]):
        extent = (attributes["kernel_shape"][i] - 1) * attributes.get("dilations", [1] * spatial)[i] + 1
        if extent > size + pads[i] + pads[i + spatial] and not attributes.get("auto_pad", "").startswith("SAME"):
            raise Refused


def conv(g):
    name = g.tensor(least=3, most=5)
    spatial, channels = g.rank(name) - 2, g.shape(name)[1]
    group = g.rng.choice([1, channels])
    attributes = window(g, spatial)
    refuse_large_window(g, name, attributes)
    weights = g.tensor(dims=[group * g.rng.choice([1, 2]), channels // group] + attributes["kernel_shape"])
    g.node("Conv", [name, weights], group=group, **attributes)


def conv_transpose(g):
    name = g.tensor(least=3, most=4)
    spatial, channels = g.rank(name) - 2, g.shape(name)[1]
    attributes = window(g, spatial)
    if "strides" in attributes and g.rng.random() < 0.4:
        attributes["output_padding"] = [g.rng.randrange(stride) for stride in attributes["strides"]]
    if g.rng.random() < 0.2:
        attributes["output_shape"] = [size * attributes.get("strides", [1] * spatial)[i] + g.rng.randint(0, 1)
                                      for i, size in enumerate(g.shape(name)[2:])]
    group = g.rng.choice([1, channels])
    weights = g.tensor(dims=[channels, g.rng.choice([1, 2])] + attributes["kernel_shape"])
    g.node("ConvTranspose", [name, weights], group=group, **attributes)


def pool(g):
    name = g.tensor(least=3, most=5)
    op = g.rng.choice(["MaxPool", "AveragePool", "LpPool"])
    attributes = window(g, g.rank(name) - 2, g.opset >= (10 if op == "MaxPool" else 19))
    if g.opset >= (10 if op != "LpPool" else 18) and g.rng.random() < 0.5:
        attributes["ceil_mode"] = 1
    refuse_large_window(g, name, attributes)
    g.node(op, [name], 2 if op == "MaxPool" and g.opset >= 8 and g.rng.random() < 0.3 else 1, **attributes)


def global_pool(g):
    g.node(g.rng.choice(["GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"]), [g.tensor(least=3)])


def resize(g):
    name = g.tensor(least=2 if g.opset >= 11 else 4, most=4)
    rank = g.rank(name)
    scales = [1.0] * (rank - 2) + [g.rng.choice([0.5, 1.0, 1.5, 2.0, 0.7, 2.3, 1 / 3]) for _ in range(min(2, rank))]
    if g.opset < 9:
        g.node("Upsample", [name], scales=[max(scale, 1.0) for scale in scales])
    elif g.opset == 9:
        g.node("Upsample", [name, g.constant(np.array([max(s, 1.0) for s in scales], np.float32))])
    elif g.opset == 10:
        g.node("Resize", [name, g.constant(np.array(scales, np.float32))])
    elif g.rng.random() < 0.5:
        g.node("Resize", [name, "", g.constant(np.array(scales, np.float32))])
    elif g.opset >= 18 and g.rng.random() < 0.7:
        axes = [rank - 1, rank - 2][:g.rng.randint(1, 2)]
        sizes = [g.rng.randint(1, 12) for _ in axes]
        policy = g.rng.choice(["stretch", "not_larger", "not_smaller"])
        g.node("Resize", [name, "", "", g.ints(sizes)], axes=axes, keep_aspect_ratio_policy=policy)
    else:
        sizes = list(g.shape(name)[:-2]) + [g.rng.randint(1, 12) for _ in range(min(2, rank))]
        g.node("Resize", [name, "", "", g.ints(sizes)])


def blocks(g):
    name = g.tensor(least=4, most=4)
    g.node(g.rng.choice(["DepthToSpace", "SpaceToDepth"]), [name], blocksize=g.rng.choice([1, 2]))


def grid_sample(g):
    name = g.tensor(least=4, most=4)
    g.node("GridSample", [name, g.tensor(dims=[g.shape(name)[0], 3, 5, 2])])


def crop_pad(g):
    name = g.tensor(least=1, most=4)
    axes = g.rng.sample(range(g.rank(name)), g.rng.randint(1, g.rank(name)))
    g.node("CenterCropPad", [name, g.ints([g.rng.randint(1, 8) for _ in axes])], axes=axes)


def normalization(g):
    name = g.tensor(least=3, most=4)
    channels = g.shape(name)[1]
    scale = g.tensor(dims=[channels])
    kind = g.rng.randrange(4)
    if kind == 0:
        g.node("InstanceNormalization", [name, scale, scale])
    elif kind == 1:
        g.node("BatchNormalization", [name, scale, scale, scale, g.constant(np.ones(channels, np.float32))])
    elif kind == 2:
        g.node("LRN", [name], size=3)
    else:
        axis = g.axis(g.rank(name))
        g.node("LayerNormalization", [name, g.tensor(dims=g.shape(name)[axis:])], g.rng.choice([1, 3]), axis=axis)


def recurrent(g):
    op, gates = g.rng.choice([("LSTM", 4), ("GRU", 3), ("RNN", 1)])
    sequence, batch, width, hidden = 3, g.rng.choice([1, 2]), 4, 5
    direction = g.rng.choice(["forward", "reverse", "bidirectional"])
    ways = 2 if direction == "bidirectional" else 1
    x = g.tensor(dims=[sequence, batch, width])
    weights = [g.tensor(dims=[ways, gates * hidden, width]), g.tensor(dims=[ways, gates * hidden, hidden])]
    g.node(op, [x] + weights, g.rng.randint(1, 3 if op == "LSTM" else 2), hidden_size=hidden, direction=direction)


def quantize(g):
    name = g.tensor()
    scale = g.constant(np.float32(0.5))
    if g.rng.random() < 0.5 and g.opset >= 11:
        g.node("DynamicQuantizeLinear", [name], 3)
        return
    zero = g.constant(g.rng.choice([np.uint8, np.int8])(3))
    quantized = g.node("QuantizeLinear", [name, scale, zero])
    g.node("DequantizeLinear", [quantized, scale, zero])


def dft(g):
    name = g.tensor(dims=g.dims(2) + [g.rng.choice([1, 2])])
    attributes = {"onesided": 1} if g.rng.random() < 0.4 and g.shape(name)[-1] == 1 else {}
    if g.opset < 20:
        g.node("DFT", [name], axis=g.rng.choice([0, 1]), **attributes)
    else:
        operands = [name, g.ints(np.array(g.rng.randint(2, 8))) if g.rng.random() < 0.5 else ""]
        g.node("DFT", operands + ([g.constant(np.int64(g.rng.choice([0, 1])))] if g.rng.random() < 0.5 else []),
               **attributes)


def misc(g):
    kind = g.rng.randrange(6)
    if kind == 0:
        g.node("EyeLike", [g.tensor(least=2, most=2)], dtype=g.rng.choice([1, 7]))
    elif kind == 1:
        g.node("Trilu", [g.tensor(least=2)])
    elif kind == 2:
        size = g.rng.randint(1, 4)
        g.node("Det", [g.tensor(dims=[2, size, size])])
    elif kind == 3:
        g.node(g.rng.choice(["HannWindow", "HammingWindow", "BlackmanWindow"]), [g.constant(np.int64(8))])
    elif kind == 4:
        g.node("RandomNormalLike", [g.tensor()])
    else:
        g.node("ReverseSequence", [g.tensor(dims=[3, 2, 4]), g.constant(np.array([2, 3], np.int64))])


def microsoft(g):
    kind = g.rng.randrange(6)
    name = g.tensor(least=1, most=3)
    width = g.shape(name)[-1]
    if kind == 0:
        g.node("FusedMatMul", [name, g.tensor(dims=[3, width])], domain="com.microsoft", transB=1)
    elif kind == 1:
        g.node("BiasGelu", [name, g.tensor(dims=[width])], domain="com.microsoft")
    elif kind == 2:
        x = g.tensor(dims=[2, 3, 8])
        g.node("SkipLayerNormalization", [x, g.tensor(dims=[2, 3, 8]), g.tensor(dims=[8])], domain="com.microsoft")
    elif kind == 3:
        g.node("QuickGelu", [name], domain="com.microsoft")
    elif kind == 4:
        x = g.tensor(dims=[2, 3, 8])
        g.node("MultiHeadAttention", [x, x, x], domain="com.microsoft", num_heads=2)
    else:
        x = g.tensor(dims=[2, 3, 8])
        g.node("Attention", [x, g.tensor(dims=[8, 24]), g.tensor(dims=[24])], domain="com.microsoft", num_heads=2)


def branch(g, name, nodes, result):
    return helper.make_graph(nodes, name, [], [onnx.ValueInfoProto(name=result)])


def choice(g):
    """An If whose branches capture; the condition is a constant or comes at run time."""
    x = g.tensor(least=1)
    y, other = (g.name("b") for _ in range(2))
    op = g.rng.choice(["Neg", "Concat", "Flatten"])
    attributes = {"axis": 0} if op == "Concat" else {}
    yes = branch(g, "yes", [helper.make_node("Relu", [x], [y])], y)
    no = branch(g, "no", [helper.make_node(op, [x, x] if op == "Concat" else [x], [other], **attributes)], other)
    flag = np.array(g.rng.random() < 0.5)
    condition = g.constant(flag) if g.rng.random() < 0.5 else g.add_input(flag)
    g.node("If", [condition], captured=[x], then_branch=yes, else_branch=no)


def loop(g):
    """A value that stays, grows or shrinks from pass to pass, and one that is collected."""
    x = g.tensor(least=1, most=3)
    i, c, v, go, w, each = (g.name("b") for _ in range(6))
    kind = g.rng.choice(["Relu", "Concat", "Transpose"])
    step = helper.make_node(kind, [v, x] if kind == "Concat" else [v], [w], **({"axis": 0} if kind == "Concat" else {}))
    body = helper.make_graph(
        [helper.make_node("Identity", [c], [go]), step, helper.make_node("Neg", [x], [each])], "body",
        [helper.make_tensor_value_info(i, TensorProto.INT64, []), helper.make_tensor_value_info(c, TensorProto.BOOL, []),
         helper.make_tensor_value_info(v, TensorProto.FLOAT, None)],
        [onnx.ValueInfoProto(name=name) for name in (go, w, each)])
    trips = g.ints(np.array(g.rng.randint(0, 4)))
    g.node("Loop", [trips, g.constant(np.array(True)) if g.rng.random() < 0.5 else "", x], 2, captured=[x], body=body)


def scan(g):
    x = g.tensor(least=2, most=4)
    axis = g.rng.randrange(g.rank(x)) if g.opset >= 9 else 0
    state = g.tensor(dims=list(g.shape(x)[:axis]) + list(g.shape(x)[axis + 1:]))
    s, e, after, out = (g.name("b") for _ in range(4))
    body = helper.make_graph(
        [helper.make_node("Add", [s, e], [after]), helper.make_node("Relu", [after], [out])], "body",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in (s, e)],
        [onnx.ValueInfoProto(name=name) for name in (after, out)])
    if g.opset < 9:
        raise Refused
    g.node("Scan", [state, x], 2, body=body, num_scan_inputs=1, scan_input_axes=[axis],
           scan_output_axes=[g.rng.choice([0, -1, axis]) if g.opset >= 11 else axis])


MAKERS = [unary, unary, binary, binary, binary, logic, where, cast, clip, dropout, shape_and_size, reshape, reshape,
          flatten, squeeze, unsqueeze, transpose, expand, expand, tile, constant_of_shape, range_of, slice_of, slice_of,
          split, split, concat, gather, gather_elements, gather_nd, scatter, pad, data_dependent, one_hot, top_k, reduce,
          reduce, arg_extreme, cumulative, matmul, gemm, einsum, conv, conv, conv_transpose, pool, pool, global_pool,
          resize, resize, blocks, grid_sample, crop_pad, normalization, recurrent, quantize, dft, misc, microsoft, choice, loop,
          scan]


def grow(seed, nodes):
    rng = random.Random(seed)
    g = Graph(rng)
    for _ in range(nodes):
        try:
            rng.choice(MAKERS)(g)
        except Refused:
            pass
    return g
