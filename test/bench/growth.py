#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How time and memory grow: each shape of a model, op list or command line at n and at 2n.

usage: growth.py --tool TOOL --measure HELPER --out FOLDER [--targets T,...] [--shapes S,...] [--most RATIO] [--scale F]
                 [--rounds N]

Prints CPU seconds and peak memory, less those of a model of one node, at 2n over n. Seconds depend on what else the
machine does, and on how much of the model its caches hold, so they can clear a shape but not condemn it:

- one run of each is enough where the ratio is clearly below RATIO (2.3): at most 95 % of it;
- else the best of N (3) runs counts, and where that is above RATIO, the best of as many again;
- then the ratio of instructions decides, which valgrind counts the same in every run: of n/2 over n/4, and where that
  is above 2.05, of 2n over n. What grows with the square and makes 2.3 of the large pair makes 2.08 of the small.

A size is such that what grows with its square would be the larger part of a tenth of a second, and no larger: the whole
sweep takes ten minutes of CPU time.

Without valgrind, seconds do, where they are more than a tenth. Exits with 1 when a ratio is above RATIO. Needs nothing
but Python.
"""
import argparse
import os
import re
import shutil
import struct
import subprocess
import sys

# ---- models, as the wire format has them --------------------------------------------------------------------


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes) and len(value) < 128 and number < 16:
        return bytes((number << 3 | 2, len(value))) + value  # most of a model is this
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    """A number, a list of numbers, a text, or ("graph", bytes), ("tensor", bytes), ("of", name)."""
    if isinstance(value, tuple):
        kind, content = value
        number, tag = {"graph": (5, 6), "tensor": (4, 5), "of": (2, 21)}[kind]
        return field(1, name) + field(tag, content) + field(20, number)
    if isinstance(value, list):
        return field(1, name) + b"".join(field(8, v) for v in value) + field(20, 7)
    if isinstance(value, str):
        return field(1, name) + field(4, value) + field(20, 3)
    return field(1, name) + field(2 if isinstance(value, float) else 3, value) + field(20, 1 + isinstance(value, int))


def node(op, inputs, outputs, domain="", **attributes):
    return (b"".join(field(1, i) for i in inputs) + b"".join(field(2, o) for o in outputs) + field(4, op) +
            b"".join(field(5, attribute(k, v)) for k, v in attributes.items()) +
            (field(7, domain) if domain else b""))


def info(name, dims=(2, 4), element_type=1):
    shape = b"".join(field(1, field(1, d) if isinstance(d, int) else field(2, d) if d else b"") for d in dims)
    return field(1, name) + field(2, field(1, field(1, element_type) + field(2, shape)))


def bare(name):
    return field(1, name)


def tensor(name, dims, element_type=1, data=None):
    elements = 1
    for dim in dims:
        elements *= dim
    size = {1: 4, 2: 1, 3: 1, 7: 8}[element_type]
    return (b"".join(field(1, d) for d in dims) + field(2, element_type) + field(8, name) +
            field(9, data if data is not None else bytes(size * elements)))


def int64s(name, numbers):
    return tensor(name, [len(numbers)], 7, struct.pack(f"<{len(numbers)}q", *numbers))


def graph(nodes, inputs, outputs, initializers=(), infos=()):
    return (b"".join(field(1, n) for n in nodes) + field(2, "g") + b"".join(field(5, t) for t in initializers) +
            b"".join(field(11, i) for i in inputs) + b"".join(field(12, o) for o in outputs) +
            b"".join(field(13, i) for i in infos))


def function(name, inputs, outputs, nodes, attributes=(), defaults=()):
    return (field(1, name) + b"".join(field(4, i) for i in inputs) + b"".join(field(5, o) for o in outputs) +
            b"".join(field(6, a) for a in attributes) + b"".join(field(7, n) for n in nodes) +
            field(9, field(2, 17)) + field(9, field(1, "my") + field(2, 1)) + field(10, "my") +
            b"".join(field(11, a) for a in defaults))


def model(main, functions=(), opset=17):
    return (field(1, 8) + field(7, main) + field(8, field(2, opset)) + field(8, field(1, "my") + field(2, 1)) +
            field(8, field(1, "com.microsoft") + field(2, 1)) + b"".join(field(25, f) for f in functions))


X = [info("x")]


def chain(n, make, first="x"):
    """n nodes, each of the result of the one before; make(i, operand, result)."""
    nodes, before = [], first
    for i in range(n):
        nodes.append(make(i, before, f"v{i}"))
        before = f"v{i}"
    return nodes, before


# ---- shapes --------------------------------------------------------------------------------------------------

SHAPES = {}


def shape(size):
    """Registers a function of n that returns the model's bytes, or these and more of the command line."""
    def register(make):
        SHAPES[make.__name__.replace("_", "-")] = (make, size)
        return make
    return register


@shape(20000)
def plain_chain(n):
    nodes, last = chain(n, lambda i, a, b: node("Relu", [a], [b]))
    return model(graph(nodes, X, [info(last)]))


@shape(20000)
def refused_chain(n):
    nodes, last = chain(n, lambda i, a, b: node("Erf" if i % 2 else "NonZeroish", [a], [b]))
    return model(graph(nodes, X, [info(last)]))


@shape(20000)
def reversed_chain(n):
    nodes, last = chain(n, lambda i, a, b: node("Relu", [a], [b]))
    return model(graph(nodes[::-1], X, [info(last)]))


@shape(200000)
def dense_graph(n):
    """Every node uses all before it; n counts the uses."""
    n = int((2 * n) ** 0.5)
    nodes = [node("Sum", ["x"] + [f"v{k}" for k in range(i)], [f"v{i}"]) for i in range(n)]
    return model(graph(nodes, X, [info(f"v{n - 1}")]))


@shape(25000)
def users_of_a_value(n):
    nodes = [node("Relu", ["x"], ["y"])] + [node("Erf" if i % 2 else "Sigmoid", ["y"], [f"v{i}"]) for i in range(n)]
    return model(graph(nodes, X, [info("v0")]))


@shape(25000)
def users_that_are_outputs(n):
    nodes = [node("Relu", ["x"], ["y"])] + [node("Add", ["y", "x"], [f"v{i}"]) for i in range(n)]
    return model(graph(nodes, X, [info(f"v{i}") for i in range(n)]))


@shape(20000)
def users_that_begin_fusions(n):
    nodes = [node("MatMul", ["x", "w"], ["y"])]
    for i in range(n):
        nodes.append(node("Softmax", ["y"], [f"s{i}"]))
        nodes.append(node("MatMul", [f"s{i}", "x"], [f"v{i}"]))
    return (model(graph(nodes, [info("x", (4, 4)), info("w", (4, 4))], [info("v0", (4, 4))])),
            ["--format", "json"])


@shape(20000)
def users_of_a_dequantized(n):
    nodes = [node("DequantizeLinear", ["q", "s", "z"], ["d"])]
    for i in range(n):
        nodes.append(node("Erf", ["d"], [f"e{i}"]))
        nodes.append(node("QuantizeLinear", [f"e{i}", "s", "z"], [f"v{i}"]))
    return model(graph(nodes, [info("q", (2, 4), 2)], [info("v0", (2, 4), 2)],
                       [tensor("s", [], 1, struct.pack("<f", 0.5)), tensor("z", [], 2)]))


@shape(25000)
def inputs(n):
    nodes = [node("Relu", [f"x{i}"], [f"v{i}"]) for i in range(n)]
    return model(graph(nodes, [info(f"x{i}") for i in range(n)], [info("v0")]))


@shape(25000)
def outputs(n):
    nodes, _ = chain(n, lambda i, a, b: node("Relu", [a], [b]))
    return model(graph(nodes, X, [info(f"v{i}") for i in range(n)]))


@shape(25000)
def outputs_of_a_node(n):
    nodes = [node("Split", ["x"], [f"v{i}" for i in range(n)], axis=0),
             node("Unheard", ["x"] * n, [f"u{i}" for i in range(n)]),
             node("Identity", ["x"], [f"i{i}" for i in range(n)]),
             node("Sum", ["v0", "u0", "i0", "i1"], ["y"])]
    return model(graph(nodes, X, [info("y")]))


@shape(25000)
def wide_concat(n):
    nodes = [node("Relu", ["x"], [f"v{i}"]) for i in range(n)]
    nodes.append(node("Concat", [f"v{i}" for i in range(n)], ["y"], axis=0))
    return model(graph(nodes, X, [info("y", (2 * n, 4))]))


@shape(20000)
def wide_concat_of_sizes(n):
    parts = [node("Constant", [], [f"c{i}"], value=("tensor", int64s("", [i]))) for i in range(n)]
    parts.append(node("Concat", [f"c{i}" for i in range(n)], ["y"], axis=0))
    return model(graph(parts, X, [info("y", (n,), 7)]))


@shape(8000)
def symbols(n):
    nodes = [node("Add", [f"x{i}", f"x{i + 1}"], [f"v{i}"]) for i in range(n)]
    return model(graph(nodes, [info(f"x{i}", (f"s{i}", 4)) for i in range(n + 1)], [bare("v0")]))


@shape(8000)
def sizes_without_a_name(n):
    nodes = [node("Add", [f"x{i}", f"x{i + 1}"], [f"v{i}"]) for i in range(n)]
    return model(graph(nodes, [info(f"x{i}", ("", 4)) for i in range(n + 1)], [bare("v0")]))


@shape(10000)
def formulas(n):
    nodes = [node("Add", [f"x{i}", f"x{i + 1}"], [f"v{i}"]) for i in range(n)]
    return model(graph(nodes, [info(f"x{i}", (f"a{i}.b + c{i}", 4)) for i in range(n + 1)], [bare("v0")],
                       infos=[info(f"v{i}", (f"floor(a{i}.b/2)", 4)) for i in range(1, n)]))


def of_the_caller(n, options, dims=("s", 4)):
    """The tool takes 256 dims, cuts and assumptions, and 64 shapes; here the graph grows with them."""
    nodes, last = chain(200 * n, lambda i, a, b: (node("Add", [a, f"x{i % n}"], [b]) if i % 3 else
                                                  node("Erf", [a], [b])) + field(3, f"n{i}"), "x0")
    return model(graph(nodes, [info(f"x{i}", (f"{dims[0]}{i}" if dims[0] else "", 4)) for i in range(n)],
                       [bare(last)])), options


@shape(128)
def dims_of_the_caller(n):
    return of_the_caller(n, [o for i in range(n) for o in ("--dim", f"s{i}=2")])


@shape(128)
def limits_of_the_caller(n):
    return of_the_caller(n, [o for i in range(n) for o in ("--dim", f"x{i}.0=..2")], ("", 4))


@shape(32)
def shapes_of_the_caller(n):
    return of_the_caller(n, [o for i in range(n) for o in ("--input", f"x{i}=2x4")])


@shape(128)
def cuts_of_the_caller(n):
    return of_the_caller(n, ["--cut", ",".join(f"v{150 * i}" for i in range(n))])


@shape(15000)
def segments(n):
    """As many segments after cut points as the tool takes, in a graph that grows."""
    nodes, last = chain(n, lambda i, a, b: node("Erf" if i % 3 else "NonZeroish", [a], [b]))
    return model(graph(nodes, X, [bare(last)])), ["--cut", ",".join(f"v{i * n // 250}" for i in range(250))]


@shape(128)
def assumptions_of_the_caller(n):
    return of_the_caller(n, [o for i in range(n) for o in ("--assume-node", f"n{150 * i}=cpu")])


@shape(20000)
def assumptions_of_ops(n):
    nodes, last = chain(n, lambda i, a, b: node(f"Op{i % 500}", [a], [b], "my"))
    return (model(graph(nodes, X, [bare(last)])),
            [o for i in range(250) for o in ("--assume", f"my:Op{i}=npu")])


@shape(15000)
def functions_in_a_row(n):
    body = [node("Relu", ["p"], ["r"]), node("Erf", ["r"], ["q"])]
    nodes, last = chain(n, lambda i, a, b: node("F", [a], [b], "my"))
    return model(graph(nodes, X, [info(last)]), [function("F", ["p"], ["q"], body)])


@shape(10000)
def functions_each_its_own(n):
    functions = [function(f"F{i}", ["p"], ["q"], [node("Relu", ["p"], ["q"])]) for i in range(n)]
    nodes, last = chain(n, lambda i, a, b: node(f"F{i}", [a], [b], "my"))
    return model(graph(nodes, X, [info(last)]), functions)


@shape(256)
def nested_functions(n):
    functions = []
    for level in range(6):
        inner = ("Relu", "") if level == 0 else (f"F{level - 1}", "my")
        functions.append(function(f"F{level}", ["p"], ["q"], [node(inner[0], ["p"], ["r"], inner[1]),
                                                              node(inner[0], ["r"], ["q"], inner[1])]))
    nodes, last = chain(n, lambda i, a, b: node("F5", [a], [b], "my"))
    return model(graph(nodes, X, [info(last)]), functions)


@shape(20000)
def attributes_of_a_call(n):
    names = [f"a{i}" for i in range(n)]
    body = [node("LeakyRelu", ["p" if i == 0 else f"r{i - 1}"], [f"r{i}"], alpha=("of", name))
            for i, name in enumerate(names)]
    defaults = [attribute(name, 0.5) for name in names[n // 2:]]
    call = node("F", ["x"], ["y"], "my", **{name: 0.25 for name in names[:n // 2]})
    return model(graph([call], X, [info("y")]), [function("F", ["p"], [f"r{n - 1}"], body, names[:n // 2], defaults)])


@shape(20000)
def attributes_of_a_node(n):
    names = [f"a{i}" for i in range(n)]
    nodes = [node("Relu", ["x"], ["y"], **{name: 1 for name in names}),
             node("Relu", ["x"], ["z"], **{name: 1 for name in reversed(names)}), node("Add", ["y", "z"], ["w"])]
    return model(graph(nodes, X, [info("w")]))


@shape(5000)
def ifs(n):
    branch = [graph([node(op, ["x"], ["r"])], [], [info("r")]) for op in ("Relu", "Erf")]
    nodes = [node("If", ["c"], [f"v{i}"], then_branch=("graph", branch[0]), else_branch=("graph", branch[1]))
             for i in range(n)]
    return model(graph(nodes, X + [info("c", (), 9)], [info("v0")]))


@shape(5000)
def ifs_of_quantized(n):
    """Bodies with a unit of a quantized operator, and an unsupported node."""
    body = graph([node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("DequantizeLinear", ["q", "s", "z"], ["d"]),
                  node("Relu", ["d"], ["e"]), node("QuantizeLinear", ["e", "s", "z"], ["r"]),
                  node("NonZero", ["x"], ["n"])], [], [info("r", (2, 4), 2)])
    nodes = [node("If", ["c"], [f"v{i}"], then_branch=("graph", body), else_branch=("graph", body)) for i in range(n)]
    return model(graph(nodes, X + [info("c", (), 9)], [info("v0", (2, 4), 2)],
                       [tensor("s", [], 1, struct.pack("<f", 0.5)), tensor("z", [], 2)]))


def definition(i, operand):
    """Operators that ONNX Runtime replaces by others, in two rounds: of the first's body one is replaced in turn."""
    return [node("Relu", [operand], [f"e{i}"]),
            node("SoftmaxCrossEntropyLoss", [f"e{i}", "k"], [f"l{i}", f"p{i}"]),
            node("CastLike", [f"p{i}", "x"], [f"c{i}"]), node("Add", [f"c{i}", f"l{i}"], [f"d{i}"])]


@shape(2500)
def definitions(n):
    nodes = [one for i in range(n) for one in definition(i, f"d{i - 1}" if i else "x")]
    return model(graph(nodes, X, [info(f"d{n - 1}")], [int64s("k", [0, 1])]), opset=22)


@shape(1500)
def ifs_of_definitions(n):
    """The same between Ifs, whose bodies have such an operator, too: where bodies stay on the CPU it is left there."""
    body = graph([node("Relu", ["x"], ["e"]), node("Celu", ["e"], ["s"], alpha=0.5), node("Erf", ["s"], ["t"]),
                  node("NegativeLogLikelihoodLoss", ["t", "k"], ["r"])], [], [info("r", ())])
    nodes = []
    for i in range(n):
        nodes += [node("If", ["c"], [f"b{i}"], then_branch=("graph", body), else_branch=("graph", body)),
                  *definition(i, f"v{i - 1}" if i else "x"), node("Add", [f"d{i}", f"b{i}"], [f"v{i}"])]
    return model(graph(nodes, X + [info("c", (), 9)], [info(f"v{n - 1}")], [int64s("k", [0, 1])]), opset=22)


@shape(5000)
def ifs_that_are_known(n):
    branch = [graph([node(op, ["x"], ["r"])], [], [info("r")]) for op in ("Relu", "Erf")]
    nodes = [node("If", ["c"], [f"v{i}"], then_branch=("graph", branch[0]), else_branch=("graph", branch[1]))
             for i in range(n)]
    return model(graph(nodes, X, [info("v0")], [field(2, 9) + field(8, "c") + field(9, b"\x01")]))


@shape(600)
def nested_ifs(n):
    """Fifteen deep, n beside each other."""
    body = graph([node("Relu", ["x"], ["r"])], [], [info("r")])
    for level in range(15):
        body = graph([node("If", ["c"], ["r"], then_branch=("graph", body),
                           else_branch=("graph", graph([node("Erf", ["x"], ["r"])], [], [info("r")])))],
                     [], [info("r")])
    nodes = [node("If", ["c"], [f"v{i}"], then_branch=("graph", body), else_branch=("graph", body)) for i in range(n)]
    return model(graph(nodes, X + [info("c", (), 9)], [info("v0")]))


@shape(50000)
def captures(n):
    """Bodies that all use all of the same values; n counts the uses."""
    n = int(n ** 0.5)
    body = graph([node("Sum", [f"x{k}" for k in range(n)], ["r"])], [], [info("r")])
    nodes = [node("If", ["c"], [f"v{i}"], then_branch=("graph", body), else_branch=("graph", body)) for i in range(n)]
    return model(graph(nodes, [info(f"x{k}") for k in range(n)] + [info("c", (), 9)], [info("v0")]))


@shape(20000)
def equal_nodes(n):
    nodes = [node("Erf", ["x"], [f"v{i}"]) for i in range(n)] + [node("Sum", [f"v{i}" for i in range(n)], ["y"])]
    return model(graph(nodes, X, [info("y")]))


@shape(20000)
def nodes_of_many_attributes(n):
    nodes = [node("LeakyRelu", ["x"], [f"v{i}"], alpha=i / 1e6) for i in range(n)]
    return model(graph(nodes + [node("Sum", [f"v{i}" for i in range(n)], ["y"])], X, [info("y")]))


@shape(20000)
def nodes_of_texts(n):
    nodes = [node("Gelu", ["x"], [f"v{i}"], "com.microsoft", approximate=f"{i}", more=[i]) for i in range(n)]
    return model(graph(nodes + [node("Sum", [f"v{i}" for i in range(n)], ["y"])], X, [info("y")]))


@shape(20000)
def constants(n):
    nodes = [node("Add", ["x", f"w{i}"], [f"v{i}"]) for i in range(n)]
    return model(graph(nodes, X, [info("v0")], [tensor(f"w{i}", [1] * (i % 5) + [4], 1, struct.pack("<4f", i, 0, 0, 0))
                                                for i in range(n)]))


@shape(20000)
def constants_of_nothing(n):
    nodes = [node("Add", ["x", f"w{i}"], [f"v{i}"]) for i in range(n)]
    return model(graph(nodes, X, [info("v0")], [tensor(f"w{i}", [0, i + 1, 4]) for i in range(n)]))


def quantized_chain(n, ops):
    nodes, last = chain(n, lambda i, a, b: node(ops[i % len(ops)], [a, "s", "z"] if "Linear" in ops[i % len(ops)]
                                               else [a], [b],
                                               **({"perm": [1, 0]} if ops[i % len(ops)] == "Transpose" else {})))
    return model(graph(nodes, X, [bare(last)], [tensor("s", [], 1, struct.pack("<f", 0.5)), tensor("z", [], 2)]))


@shape(15000)
def quantize_chain(n):
    return quantized_chain(n, ["QuantizeLinear", "DequantizeLinear"])


@shape(15000)
def quantize_transpose_chain(n):
    return quantized_chain(n, ["QuantizeLinear", "Transpose", "DequantizeLinear", "Transpose", "Erf"])


@shape(20000)
def transpose_chain(n):
    nodes, last = chain(n, lambda i, a, b: node("Transpose", [a], [b], perm=[0, 2, 1] if i % 2 else [1, 2, 0]))
    return model(graph(nodes, [info("x", (2, 3, 4))], [bare(last)]))


@shape(20000)
def reversed_transpose_chain(n):
    nodes, last = chain(n, lambda i, a, b: node("Transpose", [a], [b], perm=[1, 2, 0]))
    return model(graph(nodes[::-1], [info("x", (2, 3, 4))], [bare(last)]))


@shape(15000)
def reshape_chain(n):
    nodes, last = chain(n, lambda i, a, b: node("Reshape", [a, "p" if i % 2 else "q"], [b]))
    return model(graph(nodes, X, [bare(last)], [int64s("p", [4, 2]), int64s("q", [8])]))


@shape(15000)
def reversed_reshape_chain(n):
    nodes, last = chain(n, lambda i, a, b: node("Reshape", [a, "p" if i % 2 else "q"], [b]))
    return model(graph(nodes[::-1], X, [bare(last)], [int64s("p", [4, 2]), int64s("q", [8])]))


@shape(20000)
def identity_chain(n):
    nodes, last = chain(n, lambda i, a, b: node("Identity" if i % 2 else "Relu", [a], [b]))
    return model(graph(nodes, X, [info(last)]))


@shape(20000)
def only_identities(n):
    nodes, last = chain(n, lambda i, a, b: node("Identity", [a], [b]))
    return model(graph(nodes + [node("Erf", [last], ["y"])], X, [info("y")]))


@shape(20000)
def merged_chain(n):
    nodes, last = chain(n, lambda i, a, b: node("Conv", [a, "w"], [b]) if i % 4 == 0 else
                        node("Add" if i % 2 else "Mul", [a, "b"], [b]))
    return model(graph(nodes, [info("x", (1, 3, 8, 8))], [bare(last)],
                       [tensor("w", [3, 3, 1, 1]), tensor("b", [3, 1, 1])]))


@shape(10000)
def attention_like(n):
    """Many MatMuls, each with an Add after it, of one LayerNormalization."""
    nodes = [node("LayerNormalization", ["x", "g", "g"], ["h"])]
    for i in range(n):
        nodes += [node("MatMul", ["h", "w"], [f"m{i}"]), node("Add", [f"m{i}", "g"], [f"v{i}"])]
    return model(graph(nodes, [info("x", (1, 2, 4))], [bare("v0")], [tensor("w", [4, 4]), tensor("g", [4])]))


@shape(20000)
def size_arithmetic(n):
    nodes = [node("Shape", ["x"], ["s"])]
    more, last = chain(n, lambda i, a, b: node("Add" if i % 2 else "Mul", [a, "one"], [b]), "s")
    return model(graph(nodes + more + [node("Reshape", ["x", last], ["y"])], [info("x", ("a", "b"))], [bare("y")],
                       [int64s("one", [1])]))


@shape(20000)
def open_sizes(n):
    nodes, last = chain(n, lambda i, a, b: node("NonZero", [a], [b], ) if i % 2 else node("Cast", [a], [b], to=1))
    return model(graph(nodes, X, [bare(last)]))


@shape(6000)
def causes(n):
    """Every node falls back for another reason: an operator, or a number, that no other has."""
    nodes, last = chain(n, lambda i, a, b: node(f"Op{i}", [a], [b], "my") if i % 2 else
                        node("Relu", [a], [b]))
    return model(graph(nodes, X, [bare(last)]))


@shape(6000)
def causes_in_json(n):
    return causes(n), ["--format", "json"]


def in_format(make, form):
    """The same in another format: what a document says of each cause must not grow with their number."""
    def made(n):
        return make(n), ["--format", form]
    made.__name__ = f"{make.__name__}_in_{form}"
    return shape(6000)(made)


@shape(6000)
def causes_verbose(n):
    return causes(n), ["--verbose"]


@shape(6000)
def symbols_that_are_causes(n):
    nodes = [node("Relu", [f"x{i}"], [f"v{i}"]) for i in range(n)]
    return (model(graph(nodes, [info(f"x{i}", (f"s{i}", f"t{i}")) for i in range(n)], [bare("v0")])),
            ["--format", "json"])


def symbols_as_causes(n):
    nodes = [node("Relu", [f"x{i}"], [f"v{i}"]) for i in range(n)]
    return model(graph(nodes, [info(f"x{i}", (f"s{i}", 4)) for i in range(n)], [bare("v0")]))


for form in ("html", "sarif", "junit", "markdown", "github", "csv", "dot", "svg"):
    in_format(causes, form)
    in_format(symbols_as_causes, form)


@shape(20000)
def every_tensor_told(n):
    nodes, last = chain(n, lambda i, a, b: node("Add", [a, "x"], [b]))
    return model(graph(nodes, [info("x", ("s", 4))], [bare(last)])), ["--shapes"]


@shape(20000)
def names_of_one_place(n):
    """Texts that fall into one place of a table whose hash multiplies and folds without a key."""
    def text(i):
        first = 0x0101010101010101 * 0x41 + i % 26 + (i // 26 % 26 << 8) + (i // 676 % 26 << 16) + (i // 17576 << 24)
        return struct.pack("<Q", first) + b"aaaaaaaa"
    nodes, before = [], "x"
    for i in range(n):
        nodes.append(node("Relu", [before], [text(i)]))
        before = text(i)
    return model(graph(nodes, X, [bare(before)]))


@shape(20000)
def findings(n):
    nodes = [node("Relu", ["x"], [f"v{i}"]) for i in range(n)]
    return model(graph(nodes, X, [info("v0")], infos=[info(f"v{i}", (3, 5)) for i in range(1, n)]))


@shape(50000)
def metadata(n):
    held = node("Relu", ["x"], ["y"]) + b"".join(field(9, field(1, f"k{i}") + field(2, "v")) for i in range(n))
    return model(graph([held], X, [info("y")]))


# ---- op lists ------------------------------------------------------------------------------------------------

ONE_NODE = model(graph([node("Relu", ["x"], ["y"])], X, [info("y")]))
HEAD = "format 1\ntarget t\n"


def oplist_shape(size):
    def register(make):
        SHAPES["oplist-" + make.__name__.replace("_", "-")] = (lambda n: (ONE_NODE, ["--oplist", make(n)]), size)
        return make
    return register


@oplist_shape(20000)
def ops(n):
    return HEAD + "".join(f"op my:A{i:06}\n" for i in range(n))


@oplist_shape(20000)
def ops_that_share_lines(n):
    return HEAD + "".join(
        f"op my:A{2 * i:06} my:A{2 * i + 1:06}\n  need static(*)\n" for i in range(n))


@oplist_shape(20000)
def defines_of_rules(n):
    return (HEAD + "".join(f"define g{i}\n  need static(*)\n" for i in range(500)) +
            "".join(f"op my:A{i:06}\n  use g{i % 500}\n" for i in range(n)))


@oplist_shape(10000)  # words of defines are limited
def defines_of_conditions(n):
    return (HEAD + "".join(f"define g{i}(x): static(x) and rank(x) = {i}\n" for i in range(500)) +
            "".join(f"op my:A{i:06}\n  need g{i % 500}(inputs) \"of {{d}}\"\n" for i in range(n)) + 'define d: "one"\n')


@oplist_shape(20000)
def rules(n):
    return HEAD + "".join(f"op my:A{i:06}\n" + "".join("  need static(*)\n" for _ in range(100))
                          for i in range(n // 100))


# ---- measuring -----------------------------------------------------------------------------------------------


def run(arguments, command):
    """CPU seconds, peak bytes, exit status. The helper is small: a child's peak begins with that of its parent."""
    said = subprocess.run([arguments.measure] + command, stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    if int(said[2]) not in (0, 1, 3):
        sys.exit(f"{' '.join(command)[:300]}: exit status {said[2]}")
    return float(said[0]), int(said[1]) * 1024, int(said[2])


def measure(arguments, command, rounds, best=None):
    """The best of so many runs, and of those before."""
    for _ in range(rounds):
        one = run(arguments, command)
        best = one if best is None else (min(best[0], one[0]), min(best[1], one[1]), one[2])
        if one[0] > 5:
            break
    return best


def growth(pair, base):
    """How time and memory grow from the first to the second, without what any model takes."""
    times = [max(m[0] - base[0], 0.001) for m in pair]
    peaks = [max(m[1] - base[1], 65536) for m in pair]
    return times[1] / times[0], peaks[1] / peaks[0]


def instructions(command):
    counter = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    said = subprocess.run(counter + command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                          text=True).stderr
    found = re.search(r"I +refs: +([\d,]+)", said)
    if not found:
        sys.exit(f"valgrind says nothing of {' '.join(command)[:300]}")
    return int(found.group(1).replace(",", ""))


def written(arguments, name, n):
    """The files of a shape, and what else stands in the command line."""
    made = SHAPES[name][0](n)
    data, options = made if isinstance(made, tuple) else (made, [])
    return write(os.path.join(arguments.out, f"{name}-{n}.onnx"), data, options)


def idle(arguments, name):
    """What the shape's command does for a model of one node, and with a list of one op."""
    options = (["--oplist", HEAD + "op Relu\n"] if name.startswith("oplist-") else
               ["--shapes"] if name == "every-tensor-told" else [])
    return write(os.path.join(arguments.out, f"idle-{len(options)}.onnx"), ONE_NODE, options)


def write(path, data, options):
    with open(path, "wb") as file:
        file.write(data)
    options = list(options)
    if "--oplist" in options:
        at = options.index("--oplist") + 1
        with open(path + ".ops", "w", encoding="utf-8") as file:
            file.write(options[at])
        options[at] = path + ".ops"
    return [path] + options


MOST_AT_A_QUARTER = 2.05


def count(arguments, name, n, target, idle_command):
    """How instructions grow; of the last pair of sizes that was needed."""
    idle_count, ratio = instructions(idle_command), 0
    for first, most in ((n // 4, MOST_AT_A_QUARTER), (n, 0)):
        pair = [written(arguments, name, size) for size in (first, 2 * first)]
        one, two = (instructions(command_of(arguments, words, target)) - idle_count for words in pair)
        for words in pair if first != n else ():
            remove(words)
        ratio = two / max(one, 1)
        if ratio <= most:
            break
    return ratio


def remove(words):
    for path in (words[0], words[0] + ".ops"):
        if os.path.exists(path):
            os.remove(path)


def command_of(arguments, words, target):
    asked = [] if "--shapes" in words else ["--target", "t" if "--oplist" in words else target]
    return [arguments.tool] + words + asked


def look(arguments, commands, base):
    """The second of the pair, and how time and memory grow."""
    pair = [measure(arguments, command, 1) for command in commands]
    ratios = growth(pair, base)
    for rounds, limit in ((arguments.rounds - 1, 0.95 * arguments.most), (arguments.rounds, arguments.most)):
        if ratios[0] > limit:
            pair = [measure(arguments, command, rounds, best) for command, best in zip(commands, pair)]
            ratios = growth(pair, base)
    return pair[1], ratios


def is_above(arguments, two, base, ratios, counted):
    """A few megabytes, and a few hundredths of a second, say nothing about growth."""
    is_slow = counted > arguments.most if counted else ratios[0] > arguments.most and two[0] - base[0] > 0.1
    return is_slow or (ratios[1] > arguments.most and two[1] - base[1] > 8 << 20)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--measure", required=True, help="the helper that measures")
    parser.add_argument("--out", required=True)
    parser.add_argument("--targets", default="hexagon,intel-npu,all")
    parser.add_argument("--shapes", default="")
    parser.add_argument("--most", type=float, default=2.3)
    parser.add_argument("--scale", type=float, default=1.0, help="sizes times this")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    targets = arguments.targets.split(",")
    bases = {}
    above = 0
    print(f"{'shape':30} {'target':10} {'n':>7} {'CPU s':>8} {'MB':>7} {'time x':>7} {'instr. x':>9} {'memory x':>9}",
          flush=True)
    for name in [s for s in arguments.shapes.split(",") if s] or list(SHAPES):
        is_same_for_all = name.startswith("oplist-") or name == "every-tensor-told"
        pairs = {}
        for target in targets[:1] if is_same_for_all else targets:
            n = int(SHAPES[name][1] * arguments.scale / (8 if target == "all" else 1))
            idle_command = command_of(arguments, idle(arguments, name), target)
            key = " ".join(idle_command)
            if key not in bases:
                bases[key] = measure(arguments, idle_command, arguments.rounds)
            base = bases[key]
            if n not in pairs:
                pairs[n] = [written(arguments, name, size) for size in (n, 2 * n)]
            commands = [command_of(arguments, words, target) for words in pairs[n]]
            two, ratios = look(arguments, commands, base)
            counted = None
            if ratios[0] > arguments.most and shutil.which("valgrind"):
                counted = count(arguments, name, n, target, idle_command)
            found = is_above(arguments, two, base, ratios, counted)
            above += found
            print(f"{name:30} {target:10} {2 * n:7} {two[0]:8.2f} {two[1] / 1e6:7.0f} {ratios[0]:7.2f} "
                  f"{f'{counted:9.2f}' if counted else '        -'} {ratios[1]:9.2f}"
                  f"{'   above' if found else ''}{'' if two[2] == 0 else f'   exit {two[2]}'}", flush=True)
        for words in (words for pair in pairs.values() for words in pair):
            remove(words)
    print(f"{above} above {arguments.most}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
