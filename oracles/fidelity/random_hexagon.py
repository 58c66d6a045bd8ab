#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Put random one-node models and quantized units to Qualcomm's HTP compiler and compare its answers with ours.

usage: random_hexagon.py --oracle ort_assign.py --python PYTHON [--soc 60] [--count 2000] [--seed N] [--only OPS]
                         [--share-quantized 0.4] [--keep FOLDER | --again FOLDER]

--oracle is the script that asks, --python one with onnxruntime and onnxruntime-qnn. Needs the PyPI packages onnx and
numpy itself. What random_intel.py draws for an op is drawn here too, with opsets from 7 on and with ops of its own.

Op, opset, element types, ranks, dims, attributes and which operands are constant are drawn by lot. A share of the
models is a quantized unit: DequantizeLinear on the floating-point operands (types, zero points and scales by lot,
also one a channel for weights, of either domain) and QuantizeLinear after it, sometimes with more after that. Nothing is rewritten before the compiler sees it (level
off). The seed is printed; equal seeds draw equal models.

One item is one model: `fail` when the session was refused after the provider claimed something, else what became of
the op that was drawn. Models that the runtime cannot load or that crash it are left out. A second figure counts every
node of them.
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
from onnx import TensorProto, helper

import random_intel as drawing

OPSETS = (7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 21, 22, 23)
QUANTIZED_OPSETS = (13, 17, 19, 21, 21, 21, 21, 22, 23)
RANGES = {"uint8": (0, 255), "int8": (-128, 127), "uint16": (0, 65535), "int16": (-32768, 32767), "uint4": (0, 15),
          "int4": (-8, 7), "int32": (-1000, 1000)}
CONTRIB = "com.microsoft"

# ---- ops that random_intel.py does not draw ------------------------------------------------------------------------


def of_group_normalization(node):
    shape = [1, 4] + [node.lot.choice((3, 4))] * node.lot.choice((1, 2, 2, 3))
    channels = 4 if node.opset >= 21 else 2
    node.add(shape).add([channels], 1).add([channels], 0).set(num_groups=2)


def of_rms_normalization(node):
    shape = drawing.shape_of(node.lot, 2, 5)
    axis = node.lot.choice((-1, -1, len(shape) - 1, 1))
    node.add(shape).add(shape[axis:], 1).set(axis=axis)


def of_like(node):
    node.add(drawing.shape_of(node.lot, 1, 6))
    node.set(dtype=node.lot.choice((None, TensorProto.FLOAT, TensorProto.FLOAT16)))


def of_attention(node):
    lot, heads = node.lot, node.lot.choice((1, 2))
    shape = [1, heads, 4, 8]
    for _ in range(3):
        node.add(shape, constant=False)
    if lot.random() < 0.5:
        node.add([4, 4], 1, constant=lot.random() < 0.5)
    node.set(is_causal=lot.choice((None, 1)), scale=lot.choice((None, 0.5)), softcap=lot.choice((None, 2.0)))


def of_rotary(node):
    node.add([1, 2, 3, 8], constant=False).add([4, 4]).add([4, 4]).add([1, 3], 0, "int64")
    node.set(interleaved=node.lot.choice((None, 1)))


def of_upsample(node):
    shape = [1, 2] + [4] * node.lot.choice((1, 2, 2, 3))
    scales = [1.0, 1.0] + [2.0] * (len(shape) - 2)
    node.add(shape).set(mode=node.lot.choice(("nearest", "linear")))
    if len(node.schema.inputs) > 1:
        node.add([len(shape)], scales, "float")
    else:
        node.set(scales=scales)


def of_max_roi_pool(node):
    node.add([1, 2, 8, 8], constant=False).add([2, 5], 0).set(pooled_shape=[2, 2])


def of_contrib(node):
    """An op of one operand, or two matrices."""
    shape = drawing.shape_of(node.lot, 2, 5)
    node.add(shape)
    if node.op == "FusedMatMul":
        node.add([shape[-1], 3]).set(alpha=node.lot.choice((None, 0.5)))
    elif node.op == "BiasGelu":
        node.add([shape[-1]])



OWN_FAMILIES = {
    of_group_normalization: "GroupNormalization", of_rms_normalization: "RMSNormalization",
    of_like: "RandomNormalLike RandomUniformLike Bernoulli", of_attention: "Attention", of_rotary: "RotaryEmbedding",
    of_upsample: "Upsample", of_max_roi_pool: "MaxRoiPool", drawing.of_one: "Swish",
}
CONTRIB_FAMILIES = {of_contrib: "Gelu QuickGelu FusedMatMul BiasGelu FastGelu"}


class ContribNode(drawing.Node):
    """An op whose definition onnx does not carry: its operands are of one type."""

    def __init__(self, lot, op, opset):
        self.lot, self.op, self.opset = lot, op, opset
        self.kind = lot.choice(("float", "float", "float16"))
        self.inputs, self.attributes, self.constants = [], {}, {}

    def add(self, shape, values=None, kind=None, constant=None):
        name = f"i{len(self.inputs)}"
        self.inputs.append((name, kind or self.kind, list(shape)))
        if constant if constant is not None else self.inputs[1:] and self.lot.random() < 0.5:
            self.constants[name] = 1 if values is None else values
        return self

    def set(self, **attributes):
        self.attributes.update({k: v for k, v in attributes.items() if v is not None})
        return self

    def model(self):
        inputs = [helper.make_tensor_value_info(n, drawing.elem_type(k), s) for n, k, s in self.inputs
                  if n not in self.constants]
        constants = [drawing.constant_of(n, k, s, self.constants[n]) for n, k, s in self.inputs if n in self.constants]
        first = self.inputs[0][2]
        shape = first[:-1] + [3] if self.op == "FusedMatMul" else first
        output = helper.make_tensor_value_info("o0", drawing.elem_type(self.kind), shape)
        node = helper.make_node(self.op, [n for n, _, _ in self.inputs], ["o0"], domain=CONTRIB, **self.attributes)
        graph = helper.make_graph([node], "g", inputs, [output], constants)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)


# ---- a quantized unit of a drawn node -------------------------------------------------------------------------------

NOT_QUANTIZED = {"Resize": (1, 2), "Upsample": (1,), "NonMaxSuppression": (2, 3, 4), "OneHot": (1, 2),
                 "Range": (0, 1, 2), "GRU": (4,), "LSTM": (4,), "RNN": (4,)}  # operands that are parameters
WEIGHTED = {"Conv": 0, "ConvTranspose": 1, "Gemm": 1, "MatMul": -1}  # the channel axis of operand 1


class Quantizer:
    """Puts DequantizeLinear before and QuantizeLinear after the node of a model."""

    def __init__(self, lot, model):
        self.lot, self.model, self.graph = lot, model, model.graph
        self.before, self.made = [], 0
        self.opset = model.opset_import[0].version
        self.domain = CONTRIB if self.opset < 21 and lot.random() < 0.3 else ""
        self.small = self.opset < 21 and not self.domain  # 8-bit integers only
        if self.domain:
            model.opset_import.append(helper.make_opsetid(CONTRIB, 1))

    def draw_type(self):
        names = ("uint8", "int8") if self.small else ("uint8", "uint8", "int8", "uint16", "uint16", "int16")
        return self.lot.choice(names)

    def draw_weight_type(self, activation):
        if self.lot.random() < 0.3:
            return activation
        return self.draw_type() if self.small else self.lot.choice(("uint8", "int8", "int8", "uint16", "int16", "int4",
                                                                    "int4", "uint4"))

    def constant(self, kind, dims, value):
        self.made += 1
        name = f"c{self.made}"
        count = int(np.prod(dims)) if dims else 1
        self.graph.initializer.append(helper.make_tensor(name, drawing.elem_type(kind), dims, [value] * count))
        return name

    def parameters(self, kind, channels, zero=None):
        """Names of a scale and a zero point."""
        dims = [channels] if channels else []
        low, high = RANGES[kind]
        if zero is None:
            middle = (low + high + 1) // 2  # of weights by channel that only UINT8 has elsewhere than at 0
            zero = self.lot.choice((0, 0, middle))
            if channels and self.lot.random() < 0.8:
                zero = middle if kind == "uint8" else 0
        scale = 0.5 if self.lot.random() < 0.85 else 0.25
        return [self.constant("float", dims, scale), self.constant(kind, dims, 0 if kind == "int32" else zero)]

    def dequantize(self, name, kind, axis=None):
        """The operand's name, once it comes from a DequantizeLinear."""
        held = next((t for t in self.graph.initializer if t.name == name), None)
        dims = list(held.dims) if held else [d.dim_value for d in self.input_of(name).type.tensor_type.shape.dim]
        channels = dims[axis] if axis is not None and dims and self.opset >= 13 else None
        attributes = {"axis": axis % len(dims)} if channels else {}
        number = drawing.elem_type(kind)
        if held:
            self.graph.initializer.remove(held)
            low, high = RANGES[kind]
            values = [self.lot.randint(max(low, -8), min(high, 7)) for _ in range(int(np.prod(dims)))]
            self.graph.initializer.append(helper.make_tensor(name, number, dims, values))
        else:
            self.input_of(name).type.tensor_type.elem_type = number
        self.before.append(helper.make_node("DequantizeLinear", [name] + self.parameters(kind, channels), [f"d_{name}"],
                                            domain=self.domain, **attributes))
        return f"d_{name}"

    def quantized_input(self, name, kind):
        """A floating-point graph input through QuantizeLinear and DequantizeLinear."""
        pair = self.parameters(kind, None)
        self.before.append(helper.make_node("QuantizeLinear", [name] + pair, [f"q_{name}"], domain=self.domain))
        self.before.append(helper.make_node("DequantizeLinear", [f"q_{name}"] + pair, [f"d_{name}"], domain=self.domain))
        return f"d_{name}"

    def input_of(self, name):
        return next(value for value in self.graph.input if value.name == name)

    def kind_of(self, name):
        for tensor in self.graph.initializer:
            if tensor.name == name:
                return tensor.data_type
        return self.input_of(name).type.tensor_type.elem_type

    def run(self):
        lot, node = self.lot, self.graph.node[0]
        activation = self.draw_type()
        weights = activation if lot.random() < 0.4 else self.draw_weight_type(activation)
        weight_only = node.op_type in WEIGHTED and lot.random() < 0.12
        constants = {t.name for t in self.graph.initializer}
        for place, name in enumerate(list(node.input)):
            if not name or self.kind_of(name) != TensorProto.FLOAT or place in NOT_QUANTIZED.get(node.op_type, ()):
                continue
            if place == 0 or node.op_type not in WEIGHTED and name not in constants:
                if weight_only:
                    continue
                kind = activation if place == 0 or lot.random() < 0.85 else self.draw_type()
                through = name not in constants and lot.random() < 0.15
                node.input[place] = self.quantized_input(name, kind) if through else self.dequantize(name, kind)
            elif place == 2 and node.op_type in ("Conv", "ConvTranspose", "Gemm", "InstanceNormalization",
                                                  "LayerNormalization"):
                if name in constants and lot.random() < 0.85:
                    node.input[place] = self.dequantize(name, "int32")
            else:
                axis = WEIGHTED.get(node.op_type)
                if node.op_type == "Gemm":
                    axis = 0 if any(a.name == "transB" and a.i for a in node.attribute) else 1
                channels = axis is not None and name in constants and lot.random() < 0.4
                node.input[place] = self.dequantize(name, weights, axis if channels else None)
        if not weight_only:
            self.quantize_results(node, activation)
        nodes = self.before + list(self.graph.node)
        del self.graph.node[:]
        self.graph.node.extend(nodes)
        onnx.checker.check_model(self.model, full_check=True)
        return self.model

    def quantize_results(self, node, activation):
        lot = self.lot
        if lot.random() < 0.08:
            return
        kind = activation if lot.random() < 0.9 else self.draw_type()
        after = []
        for value in self.graph.output:
            if value.type.tensor_type.elem_type != TensorProto.FLOAT:
                continue
            last = value.name
            if lot.random() < 0.08:
                bounds = [self.constant("float", [], 0.0), self.constant("float", [], lot.choice((6.0, 200.0)))]
                clips = self.opset >= 12 and lot.random() < 0.4
                after.append(helper.make_node("Clip" if clips else "Relu", [last] + bounds * clips, [f"r_{value.name}"]))
                last = f"r_{value.name}"
            pair, name = self.parameters(kind, None), value.name
            after.append(helper.make_node("QuantizeLinear", [last] + pair, [f"q_{name}"], domain=self.domain))
            value.name = f"q_{name}"
            if lot.random() < 0.15:  # back to floating point, and perhaps on
                after.append(helper.make_node("DequantizeLinear", [f"q_{name}"] + pair, [f"b_{name}"],
                                               domain=self.domain))
                value.name = f"b_{name}"
                if lot.random() < 0.5:
                    after.append(helper.make_node(lot.choice(("Sqrt", "Erf")), [f"b_{name}"], [f"s_{name}"]))
                    value.name = f"s_{name}"
            else:
                value.type.tensor_type.elem_type = drawing.elem_type(kind)
        self.graph.node.extend(after)


# ---- drawing ---------------------------------------------------------------------------------------------------------


def families(only):
    every = [(op, family, drawing.Node) for table in (drawing.FAMILIES, OWN_FAMILIES)
             for family, names in table.items() for op in names.split()]
    every += [(op, family, ContribNode) for family, names in CONTRIB_FAMILIES.items() for op in names.split()]
    return [one for one in every if not only or one[0] in only]


def draw(lot, args):
    """A model and the place of the op that was drawn."""
    candidates = families(args.only.split())
    while True:
        op, family, kind = lot.choice(candidates)
        quantized = lot.random() < args.share_quantized
        try:
            node = kind(lot, op, lot.choice(QUANTIZED_OPSETS if quantized else OPSETS))
            if quantized and kind is drawing.Node:
                node.chosen = {o.type_str: "float" for o in node.schema.inputs if "tensor(float)" in o.types}
            family(node)
            model = node.model() if kind is ContribNode else drawing.model_of(node)
            if quantized:
                model = Quantizer(lot, model).run()
            place = next(i for i, one in enumerate(model.graph.node) if one.op_type == op and "o0" in one.output)
            return model, place
        except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, onnx.defs.SchemaError):
            continue
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, StopIteration):
            continue


def describe(model):
    """The graph in one line: types and dims of what comes in, attributes, ops."""
    graph = model.graph
    known = {t.name: "const " + text_of(t.data_type, list(t.dims)) for t in graph.initializer}
    for value in list(graph.input) + list(graph.output):
        tensor = value.type.tensor_type
        known[value.name] = text_of(tensor.elem_type, [d.dim_value for d in tensor.shape.dim])
    for node in graph.node:
        attributes = "".join(f" {a.name}={helper.get_attribute_value(a)}" for a in node.attribute if a.name != "value")
        operands = [known.get(name, name or "-") for name in node.input]
        if node.op_type == "DequantizeLinear":
            text = f"DQ<{operands[0]}{' ' + operands[1][11:] if operands[1][-2:] != '[]' else ''}{attributes}>"
        elif node.op_type == "QuantizeLinear":
            text = f"Q<{operands[0]} to {operands[2].split('[')[0][6:]}>"
        else:
            text = f"{node.op_type}({', '.join(operands)}{attributes})"
        known.update({name: text for name in node.output if name not in known or node.op_type != "Relu"})
    return f"opset {model.opset_import[0].version} " + "; ".join(dict.fromkeys(known[o.name] for o in graph.output)) \
        if not graph.node[-1].op_type == "QuantizeLinear" else f"opset {model.opset_import[0].version} {text}"


def text_of(kind, dims):
    return TensorProto.DataType.Name(kind).lower() + str(dims).replace(" ", "")


# ---- asking and comparing ---------------------------------------------------------------------------------------


def compiler_answers(args, paths):
    command = ["nice", args.python, args.oracle, "--ep", "qnn", "--soc", args.soc, "--level", "off", "--timeout", "60",
               *paths]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def tool_answers(args, paths):
    command = [args.tool, *paths, "--target", f"hexagon:{args.soc}", "--level", "off", "--format", "json"]
    command += ["--oplist", args.oplist] if args.oplist else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    reports = (json.loads(line) for line in done.stdout.splitlines())
    return {report["model"]["path"]: report["targets"][0]["nodes"] for report in reports}


def truth_of(row, place):
    """npu, cpu, fail, or why the model is left out; with the verdict of each node."""
    error = row.get("error", "")
    if "EP_FAIL" in error[:40] or "was inserted using the NHWC" in error:
        return "fail", {}
    if "NOT_IMPLEMENTED" in error[:40] or "Could not find an implementation" in error:
        return "cpu", {}
    if error:
        return ("crash" if error.startswith(("crash", "timeout")) else "not loaded"), {}
    nodes = {n["index"]: "cpu" if n["ep"].startswith("CPU") else "npu" for n in row["nodes"] if n["index"] >= 0}
    return nodes.get(place, "inlined"), nodes


def ours_of(nodes, place):
    verdicts = [node["verdict"] for node in nodes]
    return "fail" if "fail" in verdicts else verdicts[place]


def rules_of(nodes):
    return " ".join(sorted({r["rule"].split("/", 1)[-1] for n in nodes for r in n["reasons"]
                            if r.get("outcome", "no") in ("no", "fail", "unknown")}))


def run(args):
    lot = random.Random(args.seed)
    print(f"seed {args.seed}, {args.count} models, SoC {args.soc}", flush=True)
    pairs, inner, left_out, by_op = (collections.Counter() for _ in range(4))
    with tempfile.TemporaryDirectory() as temporary:
        into = pathlib.Path(args.keep or args.again or temporary)
        paths = [str(into / f"{i}.onnx") for i in range(args.count)]
        if args.again:
            rows, places = json.loads((into / "answers.json").read_text(encoding="utf-8"))
            paths = paths[:len(rows)]
            drawn = [(onnx.load(path), place) for path, place in zip(paths, places)]
        else:
            into.mkdir(exist_ok=True, parents=True)
            drawn = [draw(lot, args) for _ in paths]
            for path, (model, _) in zip(paths, drawn):
                onnx.save(model, path)
            rows = compiler_answers(args, paths)
            (into / "answers.json").write_text(json.dumps([rows, [place for _, place in drawn]]), encoding="utf-8")
        ours = tool_answers(args, paths)
        for path, (model, place), row in zip(paths, drawn, rows):
            truth, nodes = truth_of(row, place)
            if truth not in ("npu", "cpu", "fail") or path not in ours:
                left_out[truth if path in ours else "not read by the tool"] += 1
                continue
            said = ours_of(ours[path], place)
            pairs[truth, said] += 1
            inner.update((verdict, ours[path][index]["verdict"]) for index, verdict in nodes.items())
            wrong = [i for i, v in nodes.items() if i != place and ours[path][i]["verdict"] != v and said == truth]
            if truth != said or wrong:
                op = model.graph.node[place].op_type
                by_op[op if truth != said else "around it"] += 1
                note = "" if truth != said else "".join(
                    f" {ours[path][i]['op']}#{i} {nodes[i]}/{ours[path][i]['verdict']}" for i in wrong)
                print(f"{pathlib.Path(path).stem} {op}: compiler {truth}, ours {said}{note}: {describe(model)}  "
                      f"[{rules_of(ours[path])}]  {row.get('error', '')[-60:].strip()}", flush=True)
    report(pairs, inner, left_out, by_op)


def report(pairs, inner, left_out, by_op):
    for what, counts in (("models", pairs), ("their nodes", inner)):
        agreed, compared = sum(n for (a, b), n in counts.items() if a == b), sum(counts.values())
        print(f"{what}: agree {agreed} of {compared} ({agreed / max(compared, 1):.2%})")
    print("compiler, ours:", ", ".join(f"{a} {b} {n}" for (a, b), n in sorted(pairs.items())))
    print("disagreements by op:", ", ".join(f"{op} {n}" for op, n in by_op.most_common()) or "none")
    print("left out:", ", ".join(f"{why} {n}" for why, n in sorted(left_out.items())) or "none")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", default="ort_assign.py", help="the script that asks the compiler")
    parser.add_argument("--python", default=sys.executable, help="a Python with onnxruntime-qnn")
    parser.add_argument("--soc", default="60", help="default 60")
    parser.add_argument("--tool", default="build/npu-partition", help="default build/npu-partition")
    parser.add_argument("--oplist", default="", help="an op list in place of the built-in one")
    parser.add_argument("--count", type=int, default=2000, help="models, default 2000")
    parser.add_argument("--seed", type=int, default=None, help="default: by the clock")
    parser.add_argument("--only", default="", help="these ops only, separated by blanks")
    parser.add_argument("--share-quantized", type=float, default=0.4, help="share of quantized units, default 0.4")
    parser.add_argument("--keep", default="", help="keep models and answers in this folder")
    parser.add_argument("--again", default="", help="compare with the answers in this folder, and ask nothing")
    args = parser.parse_args()
    if args.seed is None:
        args.seed = random.SystemRandom().randrange(1 << 31)
    run(args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
