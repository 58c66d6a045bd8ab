#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shapes of a model, op list or command line, each as a function of n: what growth.py measures.

A shape's size is such that what grows with its square would be the larger part of a tenth of a second, and no larger.
"""
import struct

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
IN_EVERY_WAY = {}  # shapes that are put to every command and format, and by what sizes are divided


def shape(size, in_every_way=0):
    """Registers a function of n that returns the model's bytes, or these and more of the command line."""
    def register(make):
        name = make.__name__.replace("_", "-")
        SHAPES[name] = (make, size)
        if in_every_way:
            IN_EVERY_WAY[name] = in_every_way
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


@shape(6000, in_every_way=1)
def causes(n):
    """Every node falls back for another reason: an operator that no other has; and one that a rewrite mends."""
    nodes, last = chain(n, lambda i, a, b: node(f"Op{i}", [a], [b], "my") if i % 2 else
                        node("Relu", [a], [b]))
    return model(graph(nodes + [node("Erf", ["x"], ["e"])], X, [bare(last), bare("e")]))


@shape(6000, in_every_way=1)
def symbols_that_are_causes(n):
    nodes = [node("Relu", [f"x{i}"], [f"v{i}"]) for i in range(n)]
    return model(graph(nodes, [info(f"x{i}", (f"s{i}", f"t{i}")) for i in range(n)], [bare("v0")]))


@shape(20000, in_every_way=1)
def users_of_a_transpose(n):
    nodes = [node("Transpose", ["x"], ["y"], perm=[1, 0])]
    nodes += [node("Erf" if i % 2 else "Sigmoid", ["y"], [f"v{i}"]) for i in range(n)]
    return model(graph(nodes, X, [info("v0", (4, 2))]))


@shape(4000, in_every_way=1)
def caches(n):
    """Keys of a decoder whose cache grows."""
    nodes = [node("Gather", ["words", "ids"], ["word"]), node("Reshape", ["word", "heads"], ["new"])]
    nodes += [node("Concat", [f"past{i}", "new"], [f"present{i}"], axis=2) for i in range(n)]
    return model(graph(nodes, [info("ids", (1, 1), 7)] + [info(f"past{i}", (1, 2, "past", 4)) for i in range(n)],
                       [info(f"present{i}", (1, 2, "length", 4)) for i in range(n)],
                       [tensor("words", [100, 8]), int64s("heads", [1, 2, 1, 4])]))


@shape(2000, in_every_way=10)
def layers_of_group_query_attention(n):
    nodes = [node("Gather", ["words", "ids"], ["x0"])]
    nodes += [node("GroupQueryAttention", [f"x{i}", f"x{i}", f"x{i}", f"k{i}", f"v{i}", "lengths", "total"],
                   [f"x{i + 1}", f"present_k{i}", f"present_v{i}"], "com.microsoft", num_heads=2, kv_num_heads=2)
              for i in range(n)]
    inputs = [info("ids", (1, 1), 7), info("lengths", (1,), 6), info("total", (), 6)]
    return model(graph(nodes, inputs + [info(f"{kind}{i}", (1, 2, "past", 8)) for i in range(n) for kind in "kv"],
                       [bare(f"x{n}")] + [info(f"present_{kind}{i}", (1, 2, "length", 8))
                                          for i in range(n) for kind in "kv"], [tensor("words", [100, 16])]))


SCALE = [tensor("s", [], 1, struct.pack("<f", 0.5)), tensor("z", [], 2)]


@shape(10000, in_every_way=1)
def operands_of_a_unit(n):
    """A quantized operator with n operands, each of which others use, too."""
    nodes = [node("DequantizeLinear", [f"q{i}", "s", "z"], [f"d{i}"]) for i in range(n)]
    nodes += [node("Erf", [f"d{i}"], [f"v{i}"]) for i in range(n)]
    nodes += [node("Concat", [f"d{i}" for i in range(n)], ["c"], axis=0),
              node("QuantizeLinear", ["c", "s", "z"], ["y"])]
    return model(graph(nodes, [info(f"q{i}", (2, 4), 2) for i in range(n)], [bare("y"), bare("v0")], SCALE))


@shape(10000)
def weights_of_a_unit(n):
    """Each asks whether the node that uses it is quantized as a whole."""
    nodes = [node("DequantizeLinear", ["w", "ws", "wz"], [f"d{i}"], axis=0) for i in range(n)]
    nodes += [node("Concat", [f"d{i}" for i in range(n)], ["c"], axis=0), node("Erf", ["c"], ["y"])]
    weights = [tensor("w", [4, 8], 3), tensor("ws", [4], 1, struct.pack("<4f", 1, 1, 1, 1)), tensor("wz", [4], 3)]
    return model(graph(nodes, [], [bare("y")], weights))


@shape(10000)
def dequantized_that_a_body_uses(n):
    nodes = [node("DequantizeLinear", [f"q{i}", "s", "z"], [f"d{i}"]) for i in range(n)]
    nodes += [node("Erf", [f"d{i}"], [f"v{i}"]) for i in range(n)]
    body = graph([node("Sum", [f"d{i}" for i in range(n)], ["r"])], [], [info("r")])
    nodes.append(node("If", ["c"], ["y"], then_branch=("graph", body), else_branch=("graph", body)))
    return model(graph(nodes, [info(f"q{i}", (2, 4), 2) for i in range(n)] + [info("c", (), 9)],
                       [bare("y"), bare("v0")], SCALE))


@shape(10000, in_every_way=1)
def layouts_that_meet(n):
    """Images from one node, each through an operator of another layout, into one node."""
    nodes = [node("Split", ["x"], [f"p{i}" for i in range(n)], axis=1)]
    nodes += [node("MaxPool", [f"p{i}"], [f"v{i}"], kernel_shape=[2, 2], pads=[0, 0, 1, 1]) for i in range(n)]
    nodes += [node("Concat", [f"v{i}" for i in range(n)], ["c"], axis=1), node("Erf", ["c"], ["y"])]
    return model(graph(nodes, [info("x", (1, 4, 8, 8))], [bare("y")]), opset=22)


@shape(3000, in_every_way=1)
def bodies_of_one_text(n):
    """What is made in one body may not have the name of what was made in another."""
    def body(op):
        return ("graph", graph([node(op, ["x"], ["r"]), node("Erf", ["r"], ["q"])], [], [info("q")]))
    nodes = [node("If", ["c"], [f"v{i}"], then_branch=body("Relu"), else_branch=body("Mish")) for i in range(n)]
    return model(graph(nodes, X + [info("c", (), 9)], [bare("v0")]))


@shape(10000, in_every_way=1)
def parts_with_outputs(n):
    """As many parts as nodes, each of which makes an output."""
    nodes, _ = chain(n, lambda i, a, b: node("Unheard", [a], [b], "my") if i % 2 else node("Relu", [a], [b]))
    return model(graph(nodes, X, [info(f"v{i}") for i in range(n)]))


@shape(5000)
def tables_of_tables(n):
    """Ids look up a table that is made of one over and over, eight times."""
    nodes = [node("Concat", ["words" if i == 0 else f"t{i - 1}"] * n, [f"t{i}"], axis=1) for i in range(8)]
    nodes += [node("Gather", ["t7", "ids"], ["word"]), node("ReduceSum", ["word"], ["sum"], keepdims=0),
              node("Expand", ["sum", "heads"], ["new"]), node("Concat", ["past", "new"], ["present"], axis=2)]
    return model(graph(nodes, [info("ids", (1, 1), 7), info("past", (1, 2, "past", 4))],
                       [info("present", (1, 2, "length", 4))], [tensor("words", [100, 8]), int64s("heads", [1, 2, 1, 4])]))


@shape(20000, in_every_way=1)
def additions(n):
    nodes, last = chain(n, lambda i, a, b: node("Add", [a, "x"], [b]))
    return model(graph(nodes, [info("x", ("s", 4))], [bare(last)]))


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
