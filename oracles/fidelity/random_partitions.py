#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw small graphs in which fusions and the runtime's own rewriting decide what a partition is, and compare
npu-partition with the compiler: verdicts node by node, numbers of partitions, sessions that fail.

usage: random_partitions.py --oracle ort_assign.py --python PYTHON [--tool build/npu-partition] [--seed 1] [--count 20]
                            [--ep qnn|openvino] [--family NAME...] [--soc 60] [--keep DIR] [--verbose]

Families (--count models each), of the provider qnn, for the target hexagon:
  patches     Reshape, Einsum, Reshape of rank 6: equations, shapes, other users
  split       Gather of the last of five axes, Transpose, Reshape: indices, axes, orders
  dynamic     DynamicQuantizeLinear with products of it: biases, ranks, scales, several products of one tensor
  shared      a DequantizeLinear with several users, some in units that fall back
  integer     quantized operators of com.microsoft and QLinearMatMul, with Transposes among them
  products    MatMul and Add in rank 3 with Reshapes, Transposes and other operators between them
  moved       Transposes among operators that the runtime moves them past
Of openvino, for the provider's gate of intel-npu, which depends on the runtime's order of nodes:
  reshapes    Reshapes after one another, with several users, at outputs, in chains
  equal       equal nodes, with several users
  gemms       MatMul and Add in several ranks, with Reshapes among them
  leaving     Conv, Squeeze and Unsqueeze in one dimension, used inside and outside of their partition

Each family draws shapes, opsets, orders of operands and users by the seed. What the runtime makes itself has no place in
the file, so it counts in the numbers of partitions only. Printed are how many agree: nodes, numbers of partitions,
sessions, of these the refused ones that are seen and the loaded ones that are not called failing, and graphs called whole
(also but for what stands at their edges) that are one partition. Exit status: 0 when the comparison ran, whatever it found.
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

FLOATS = {"float": TensorProto.FLOAT, "float16": TensorProto.FLOAT16}


class Graph:
    """A graph that grows node by node; a value is its name."""

    def __init__(self, lot):
        self.lot = lot
        self.opset = lot.choice((13, 15, 17, 18, 20, 21))
        self.nodes, self.inputs, self.outputs, self.constants = [], [], [], []
        self.named = 0

    def name(self):
        self.named += 1
        return f"t{self.named}"

    def input(self, dims, kind=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(self.name(), kind, list(dims)))
        return self.inputs[-1].name

    def constant(self, array):
        self.constants.append(numpy_helper.from_array(np.asarray(array), self.name()))
        return self.constants[-1].name

    def floats(self, *dims, kind=np.float32):
        values = np.random.RandomState(self.lot.randrange(1 << 31)).rand(*dims)
        return self.constant(np.asarray(values, kind))

    def op(self, op_type, *operands, results=1, domain="", **attributes):
        made = [self.name() for _ in range(results)]
        self.nodes.append(helper.make_node(op_type, list(operands), made, domain=domain, **attributes))
        return made[0] if results == 1 else made

    def either(self, op_type, left, right):
        return self.op(op_type, *((left, right) if self.lot.random() < 0.5 else (right, left)))

    def reshape(self, value, dims):
        return self.op("Reshape", value, self.constant(np.array(dims, np.int64)))

    def output(self, value, kind=TensorProto.FLOAT):
        if value not in [o.name for o in self.outputs]:
            self.outputs.append(helper.make_tensor_value_info(value, kind, None))

    def model(self):
        graph = helper.make_graph(self.nodes, "g", self.inputs, self.outputs, self.constants)
        sets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=sets)
        model.ir_version = 10
        return model


# ---- families --------------------------------------------------------------------------------------------------


def around(lot):
    return lot.choice(("Relu", "Sigmoid", "Erf", "Tanh", ""))


def patches(lot):
    g = Graph(lot)
    n, h, w, p, q, c = (lot.randint(1, 2), lot.randint(1, 5), lot.randint(1, 5), lot.randint(1, 4), lot.randint(1, 4),
                        lot.randint(1, 4))
    kind = FLOATS[lot.choice(("float", "float", "float16"))]
    equation = lot.choice(("nhwpqc->nchpwq", "nhwpqc->nchpwq", "abcdef->afbdce", " n h w p q c -> n c h p w q",
                           "nhwpqc->nhpwqc", "nhwpqc->nchwpq"))
    sizes = dict(zip([x for x in equation.split("->")[0] if x != " "], (n, h, w, p, q, c)))
    moved = [sizes[x] for x in equation.split("->")[1] if x != " "]
    before, after = around(lot), around(lot)
    x = g.input([n, h * w, p * q * c], kind)
    x = g.op(before, x) if before else x
    six = g.reshape(x, [n, h, w, p, q, c])
    turned = g.op("Einsum", six, equation=equation)
    last = [moved[0], moved[1], moved[2] * moved[3], moved[4] * moved[5]]
    y = g.reshape(turned, lot.choice((last, last, last, [last[0], last[1], -1])))
    g.output(g.op(after, y) if after else y, kind)
    if lot.random() < 0.2:
        g.output(g.op("Sigmoid", lot.choice((six, turned))), kind)
    return g


def split(lot):
    g = Graph(lot)
    rows, columns = lot.randint(1, 3), lot.randint(1, 3)
    order = np.arange(rows * columns).reshape(rows, columns)
    indices = lot.choice((order, order, np.arange(rows * columns).reshape(columns, rows).T, order[::-1]))
    dims = [lot.randint(1, 3) for _ in range(4)] + [rows * columns]
    axis = lot.choice((4, 4, -1, 4, 0))
    if axis == 0:
        indices = np.zeros_like(indices)
    perm = lot.choice(([0, 1, 2, 5, 4, 3], [0, 1, 2, 4, 3, 5], [0, 1, 2, 3, 5, 4], [3, 0, 1, 2, 4, 5]))
    kind = lot.choice((TensorProto.FLOAT, TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.INT32))
    before, after = ("Abs", "Abs") if kind == TensorProto.INT32 else (around(lot), around(lot))
    x = g.input(dims, kind)
    x = g.op(before, x) if before else x
    six = g.op("Gather", x, g.constant(indices.astype(lot.choice((np.int64, np.int32)))), axis=axis)
    turned = g.op("Transpose", six, perm=perm)
    y = g.reshape(turned, lot.choice(([-1], [int(np.prod(dims[:3])), -1], [1, -1, 1])) if axis else [-1])
    g.output(g.op(after, y) if after else y, kind)
    if lot.random() < 0.2:
        g.output(g.op("Sign" if kind == TensorProto.INT32 else "Sigmoid", lot.choice((six, turned))), kind)
    return g


def dynamic(lot):
    g = Graph(lot)
    rank, size = lot.choice((1, 2, 3, 3, 3, 4, 5)), lot.choice((4, 8))
    dims = [lot.randint(1, 3) for _ in range(rank - 1)] + [size]
    before = around(lot)
    x = g.input(dims)
    x = g.op(before, x) if before else x
    q, scale, zero = g.op("DynamicQuantizeLinear", x, results=3)
    kind = lot.choice((np.uint8, np.int8))
    for index in range(lot.choice((1, 1, 2, 3))):
        width = lot.choice((size, 6))
        batch = lot.random() < 0.1 and rank > 1
        weight = g.constant(np.ones(([1] if batch else []) + [size, width], kind))
        weight_zero = g.constant(np.zeros((), kind))
        product = g.op("MatMulInteger", q, weight, zero, weight_zero)
        converted = g.op("Cast", product, to=TensorProto.FLOAT)
        many = lot.random() < 0.3
        scales = g.constant(np.full([width] if many else [], 0.1 + index, np.float32))
        y = g.either("Mul", converted, g.either("Mul", scale, scales))
        bias = lot.choice(("none", "row", "row", "scalar", "skip"))
        if bias == "row":
            y = g.either("Add", y, g.floats(width))
        if bias == "scalar":
            y = g.either("Add", y, g.floats())
        if bias == "skip" and width == size:
            y = g.either("Add", y, x)
        after = around(lot)
        g.output(g.op(after, y) if after else y)
    return g


def pair(g):
    return g.constant(np.float32(0.1)), g.constant(np.uint8(3))


def shared(lot):
    g = Graph(lot)
    dims = [lot.randint(1, 3), 8]
    x = g.op("Relu", g.input(dims))
    y = g.op("DequantizeLinear", g.op("QuantizeLinear", x, *pair(g)), *pair(g))
    for _ in range(lot.choice((2, 2, 3))):
        op = lot.choice(("Erf", "Erf", "Relu", "Sigmoid", "Softsign"))
        z = g.op(op, y)
        if lot.random() < 0.6:
            z = g.op("DequantizeLinear", g.op("QuantizeLinear", z, *pair(g)), *pair(g))
            z = g.op(lot.choice(("Relu", "Erf")), z)
        g.output(z)
    return g


def integer(lot):
    g = Graph(lot)
    dims = [2, lot.choice((4, 8)), 8]
    x = g.op("QuantizeLinear", g.op("Relu", g.input(dims)), *pair(g))
    for _ in range(lot.randint(1, 4)):
        op = lot.choice(("Transpose", "Transpose", "QLinearMul", "QLinearAdd", "QLinearSigmoid", "Reshape"))
        if op == "Transpose":
            x, dims = g.op("Transpose", x, perm=[0, 2, 1]), [dims[0], dims[2], dims[1]]
        elif op == "Reshape":
            dims = [2, dims[1] * dims[2] // 4, 4]
            x = g.reshape(x, dims)
        elif op == "QLinearSigmoid":
            x = g.op(op, x, *pair(g), *pair(g), domain="com.microsoft")
        else:
            other = g.constant(np.ones(lot.choice(([], [dims[-1]])), np.uint8))
            x = g.op(op, x, *pair(g), other, *pair(g), *pair(g), domain="com.microsoft")
    weight = g.constant(np.ones([dims[-1], 5], np.uint8))
    x = g.op("QLinearMatMul", x, *pair(g), weight, *pair(g), *pair(g))
    g.output(g.op("Relu", g.op("DequantizeLinear", x, *pair(g))))
    return g


def products(lot):
    g = Graph(lot)
    dims = lot.choice(([2, 4, 8], [4, 2, 8], [1, 8, 8], [8, 8]))
    x = g.input(dims)
    for _ in range(lot.randint(2, 6)):
        op = lot.choice(("MatMulAdd", "MatMulAdd", "MatMul", "Relu", "Erf", "Reshape", "Transpose"))
        if op == "MatMulAdd":
            x = g.either("Add", g.op("MatMul", x, g.floats(8, 8)), g.floats(8))
        elif op == "MatMul":
            x = g.op("MatMul", x, g.floats(8, 8))
        elif op == "Reshape" and len(dims) == 3:
            dims = [dims[1], dims[0], 8]
            x = g.reshape(x, dims)
        elif op == "Transpose" and len(dims) == 3:
            dims = [dims[1], dims[0], 8]
            x = g.op("Transpose", x, perm=[1, 0, 2])
        elif op in ("Relu", "Erf"):
            x = g.op(op, x)
    g.output(g.op(lot.choice(("Relu", "Erf")), x) if x == g.inputs[0].name else x)
    return g


def moved(lot):
    g = Graph(lot)
    rank = lot.choice((3, 4))
    dims = [lot.randint(2, 4) for _ in range(rank)]
    perms = {3: ([0, 2, 1], [0, 2, 1], [1, 0, 2]), 4: ([0, 2, 3, 1], [0, 3, 1, 2], [0, 2, 1, 3])}[rank]
    x = g.op("Relu", g.input(dims))
    for _ in range(lot.randint(2, 6)):
        op = lot.choice(("Transpose", "Transpose", "Erf", "Softsign", "Relu", "Add", "Softmax", "QDQ"))
        if op == "Transpose":
            perm = lot.choice(perms)
            x, dims = g.op("Transpose", x, perm=perm), [dims[p] for p in perm]
        elif op == "Add":
            x = g.either("Add", x, g.floats(*lot.choice(([], [dims[-1]], dims))))
        elif op == "Softmax":
            x = g.op("Softmax", x, axis=-1)
        elif op == "QDQ":
            x = g.op("DequantizeLinear", g.op("QuantizeLinear", x, *pair(g)), *pair(g))
        else:
            x = g.op(op, x)
    g.output(g.op("Relu", x))
    return g


def grown(lot, draw, after):
    """Nodes of any sort on any value before them; `draw` gives a value's next sort."""
    g = Graph(lot)
    shapes = [[2, 3, 8], [6, 8], [2, 24], [48], [4, 3, 4], [1, 6, 8], [2, 1, 3, 8]]
    dims = lot.choice(shapes[:3])
    values, used = [(g.input(dims), dims)], set()
    for _ in range(lot.randint(5, 12)):
        x, dims = lot.choice(values[-3:] if lot.random() < 0.7 else values)
        op = draw(lot)
        same = [v for v, d in values if d == dims and v != x]
        used.add(x)
        if op == "Reshape":
            dims = lot.choice(shapes)
            y = g.reshape(x, dims)
        elif op == "Unsqueeze" and len(dims) < 4:
            dims = [1] + dims
            y = g.op(op, x, g.constant(np.array([0], np.int64))) if g.opset >= 13 else g.op(op, x, axes=[0])
        elif op == "Add" and same:
            other = lot.choice(same)
            used.add(other)
            y = g.either("Add", x, other)
        elif op == "MatMulAdd" and dims[-1] == 8:
            y = g.either("Add", g.op("MatMul", x, g.constant(np.eye(8, dtype=np.float32))),
                         g.constant(np.arange(8, dtype=np.float32)))
        else:
            y = g.op(op if op in after else lot.choice(after), x)
        values.append((y, dims))
    for value, _ in values[1:]:
        if value not in used or lot.random() < 0.08:
            g.output(value)
    return g


def reshapes(lot):
    sorts = ("Reshape", "Reshape", "Reshape", "Reshape", "Unsqueeze", "Add", "", "", "")
    return grown(lot, lambda lot: lot.choice(sorts), ("Relu", "Erf", "Sigmoid", "Hardmax", "Hardmax"))


def equal(lot):
    return grown(lot, lambda lot: lot.choice(("Add", "", "", "")), ("Relu", "Relu", "Erf", "Hardmax"))


def gemms(lot):
    sorts = ("MatMulAdd", "MatMulAdd", "Reshape", "Add", "", "")
    return grown(lot, lambda lot: lot.choice(sorts), ("Relu", "Erf", "Sigmoid", "Tanh", "Hardmax", "Hardmax"))


def leaving(lot):
    """Convolutions in one dimension, and what is used of them here and there."""
    g = Graph(lot)
    flat, deep = [], [g.input([1, 1, 8])]
    for _ in range(lot.randint(5, 14)):
        sort = lot.choice(("Conv", "Conv", "Squeeze", "Unsqueeze", "Add", "Sigmoid", "Relu", "Hardmax", "Hardmax"))
        if sort == "Conv":
            deep.append(g.op("Conv", lot.choice(deep), g.floats(1, 1, 3), kernel_shape=[3], pads=[1, 1]))
        elif sort == "Squeeze" or not flat:
            flat.append(g.op("Squeeze", lot.choice(deep), g.constant(np.array([1], np.int64))))
        elif sort == "Unsqueeze":
            deep.append(g.op("Unsqueeze", lot.choice(flat), g.constant(np.array([1], np.int64))))
        else:
            values = lot.choice((flat, deep))
            values.append(g.op(sort, *(lot.choice(values) for _ in range(2 if sort == "Add" else 1))))
    read = {name for node in g.nodes for name in node.input}
    for value in (flat + deep)[::-1]:
        if value not in read or lot.random() < 0.05:
            g.output(value)
    return g


FAMILIES = {"qnn": {"patches": patches, "split": split, "dynamic": dynamic, "shared": shared, "integer": integer,
                    "products": products, "moved": moved},
            "openvino": {"reshapes": reshapes, "equal": equal, "gemms": gemms, "leaving": leaving}}


# ---- asking and comparing --------------------------------------------------------------------------------------


def compiler_answers(args, paths, level):
    """Of each model; with --keep what was answered before is not asked again."""
    kept = pathlib.Path(args.keep) / f"answers.{args.ep}.{args.soc}.{level}.jsonl" if args.keep else None
    lines = kept.read_text(encoding="utf-8").splitlines() if kept and kept.exists() else []
    known = {json.loads(line)["model"] for line in lines}
    paths = [path for path in paths if pathlib.Path(path).name not in known]
    command = ["nice", args.python, args.oracle, "--ep", args.ep, "--soc", args.soc, "--level", level, "--timeout",
               "60", *paths]
    if paths:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        lines += [line for line in done.stdout.splitlines() if line.startswith("{")]
    if kept:
        kept.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return {row["model"]: row for row in map(json.loads, lines)}


def tool_answers(args, paths, level):
    target = [f"hexagon:{args.soc}"] if args.ep == "qnn" else ["intel-npu", "--gates", "provider"]
    command = [args.tool, *paths, "--target", *target, "--level", "off" if level == "off" else "basic", "--format",
               "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    reports = (json.loads(line) for line in done.stdout.splitlines())
    return {pathlib.Path(report["model"]["path"]).name: report["targets"][0] for report in reports}


def compare(row, ours):
    """What to count: a list of (kind, agreed). A compiler that does not end or dies has refused the session."""
    verdicts = {node["index"]: node["verdict"] for node in ours["nodes"] if node["graph"] == ""}
    fails, is_whole = "fail" in verdicts.values(), ours["summary"]["verdict"] in ("whole", "edge")
    if "error" in row:
        is_providers = "EP_FAIL" in row["error"][:40] or "was inserted using the NHWC" in row["error"] \
            or "the graph is not acyclic" in row["error"] or row["error"].startswith(("timeout", "crash"))
        return [("sessions", fails), ("refused", fails)] + [("wholes", False)] * is_whole if is_providers else []
    found = [("sessions", not fails), ("loaded", not fails)]
    found += [("wholes", len(row["partitions"]) == 1)] * is_whole
    for node in row["nodes"]:
        if node["index"] >= 0:
            said = "cpu" if node["ep"].startswith("CPU") else "npu"
            found.append(("nodes", verdicts[node["index"]] == said))
    return found + [("counts", len(row["partitions"]) == ours["summary"]["partitions"])]


def describe(row, ours):
    theirs = row.get("error", "")[:100] or f"{len(row['partitions'])}: " + " ".join(
        f"{n['op']}{n['index'] if n['index'] >= 0 else ''}{'' if n['ep'].startswith('CPU') else '*'}"
        for n in row["nodes"])
    marks = {"npu": "*", "cpu": "", "folded": "-", "fused": "+", "fail": "!", "unknown": "?"}
    said = f"{ours['summary']['partitions']}: " + " ".join(
        f"{n['op']}{n['index']}{marks[n['verdict']]}" for n in ours["nodes"])
    return f"    compiler {theirs}\n    tool     {said}"


def run(args):
    with tempfile.TemporaryDirectory() as temporary:
        into = pathlib.Path(args.keep or temporary)
        into.mkdir(parents=True, exist_ok=True)
        print(f"seed {args.seed}, {args.count} models a family, " + (f"SoC {args.soc}" if args.ep == "qnn" else args.ep))
        families = FAMILIES[args.ep]
        for family in args.family or families:
            lot = random.Random(f"{args.seed} {family}")
            paths = []
            for i in range(args.count):
                paths.append(str(into / f"{family}{i}.onnx"))
                onnx.save(families[family](lot).model(), paths[-1])
            for level in args.level:
                theirs, ours = compiler_answers(args, paths, level), tool_answers(args, paths, level)
                counts = collections.Counter()
                for path in paths:
                    name = pathlib.Path(path).name
                    found = compare(theirs[name], ours[name]) if name in theirs and name in ours else []
                    counts.update(found)
                    if args.verbose and not all(agreed for _, agreed in found):
                        print(f"  {name} level {level}\n{describe(theirs[name], ours[name])}")
                texts = [f"{kind} {counts[kind, True]} of {counts[kind, True] + counts[kind, False]}"
                         for kind in ("nodes", "counts", "sessions", "refused", "loaded", "wholes")]
                print(f"{family:9} level {level:4} {', '.join(texts)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", required=True, help="the script that asks the compiler")
    parser.add_argument("--python", default=sys.executable, help="a Python with onnxruntime-qnn")
    parser.add_argument("--tool", default="build/npu-partition")
    parser.add_argument("--soc", default="60", help="default 60")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=20, help="models a family, default 20")
    parser.add_argument("--ep", choices=sorted(FAMILIES), default="qnn", help="the provider that is asked, default qnn")
    parser.add_argument("--level", nargs="*", choices=("all", "off"), default=("all", "off"), help="default both")
    parser.add_argument("--family", nargs="*", choices=sorted(f for families in FAMILIES.values() for f in families))
    parser.add_argument("--keep", default="", help="keep models and answers in this folder; a seed a folder")
    parser.add_argument("--verbose", action="store_true", help="print every difference")
    run(parser.parse_args())
    return 0


if __name__ == "__main__":
    sys.exit(main())
