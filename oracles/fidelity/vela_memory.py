#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The peak of activations that the tool says of networks on ethos-u, beside the SRAM that Vela says of the same in TFLite.

usage: vela_memory.py --tool build/npu-partition --vela PATH/vela [--page docs/evidence/fidelity-vela-memory.md] MODEL.onnx...
Needs the PyPI packages ethos-u-vela, onnx, onnxruntime, tflite and numpy, in an environment outside the repository.

A network is simplified by ONNX Runtime (level basic) and written as TFLite in INT8, node by node as converters do; weights
are random. One of which a node has no row in OPERATORS is left out, and said. Vela as it comes: `ethos-u55-128`,
Shared_Sram, --optimise Performance.
"""
import argparse
import collections
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper

from vela import SAME, VALID, TfliteFile, turned

ELEMENTWISE = {"Add": "ADD", "Sub": "SUB", "Mul": "MUL", "Div": "MUL", "Sigmoid": "LOGISTIC", "HardSwish": "HARD_SWISH", "Relu": "RELU",
               "Clip": "RELU6", "LeakyRelu": "LEAKY_RELU", "Tanh": "TANH", "HardSigmoid": "LOGISTIC"}
TABLES = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions", "LEAKY_RELU": "LeakyReluOptions"}
FUSED = {"Relu": 1, "Clip": 3}  # ActivationFunctionType


class Unsupported(Exception):
    """A node that no row here is for."""


class Lite:
    """A network in TFLite; `of` has a tensor for each value."""

    def __init__(self, model):
        self.file, self.of, self.random = TfliteFile(), {}, numpy.random.default_rng(1)
        graph = onnx.shape_inference.infer_shapes(model).graph
        self.constants = {t.name: t for t in graph.initializer}
        self.shapes = {t.name: list(t.dims) for t in graph.initializer}
        for value in (*graph.input, *graph.value_info, *graph.output):
            self.shapes[value.name] = [d.dim_value for d in value.type.tensor_type.shape.dim]
        self.users = collections.Counter(name for node in graph.node for name in node.input)
        self.outputs = {value.name for value in graph.output}
        self.next = {name: node for node in graph.node for name in node.input[:1]}
        self.done = set()
        for value in graph.input:
            if value.name not in self.constants:
                self.file.inputs.append(self.tensor(value.name))
        for index, node in enumerate(graph.node):
            if index not in self.done and node.output[0] not in self.done:
                self.node(node)
        self.file.outputs = [self.of[value.name] for value in graph.output]

    def tensor(self, name, shape=None):
        if name not in self.of:
            shape = turned(self.shapes[name]) if shape is None else shape
            data = self.bytes_of(shape) if name in self.constants else None
            self.of[name] = self.file.tensor(name, shape, "int8", data)
        return self.of[name]

    def bytes_of(self, shape):
        return self.random.integers(-127, 127, shape, dtype=numpy.int8)

    def weight(self, name, shape):
        return self.file.tensor(name + "_w", shape, "int8", self.bytes_of(shape))

    def numbers(self, values):
        values = numpy.array(values, numpy.int32)
        return self.file.tensor(f"numbers{len(self.file.tensors)}", list(values.shape), "int32", values, scale=0)

    def fuse(self, node):
        """The result, and the activation that the operator before it takes in."""
        result = node.output[0]
        after = self.next.get(result)
        if after is None or after.op_type not in FUSED or self.users[result] != 1 or result in self.outputs:
            return result, 0
        self.done.add(after.output[0])
        return after.output[0], FUSED[after.op_type]

    def windows(self, node, attributes, kernel):
        """The operand, and how it is padded: as SAME pads, or by a PAD before it."""
        x, y = self.shapes[node.input[0]], self.shapes[node.output[0]]
        strides, dilations = attributes.get("strides", [1, 1]), attributes.get("dilations", [1, 1])
        pads = attributes.get("pads", [0] * 4)
        total = [max((y[i + 2] - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 - x[i + 2], 0) for i in (0, 1)]
        fields = {"StrideH": strides[0], "StrideW": strides[1]}
        if not any(pads) or attributes.get("ceil_mode"):
            return self.tensor(node.input[0]), {**fields, "Padding": SAME if attributes.get("ceil_mode") and any(total) else VALID}
        if pads == [total[0] // 2, total[1] // 2, total[0] - total[0] // 2, total[1] - total[1] // 2]:
            return self.tensor(node.input[0]), {**fields, "Padding": SAME}
        padded = self.file.tensor(node.output[0] + "_pad", [1, x[2] + pads[0] + pads[2], x[3] + pads[1] + pads[3], x[1]], "int8")
        self.file.operator("PAD", [self.tensor(node.input[0]), self.numbers([[0, 0], [pads[0], pads[2]], [pads[1], pads[3]], [0, 0]])],
                           [padded], "PadOptions")
        return padded, {**fields, "Padding": VALID}

    def convolution(self, node, attributes):
        out, depth, *kernel = self.shapes[node.input[1]]
        groups, dilations = attributes.get("group", 1), attributes.get("dilations", [1, 1])
        if len(kernel) != 2 or (groups > 1 and depth > 1):
            raise Unsupported(f"Conv of {groups} groups, {len(kernel)}-D")
        x, fields = self.windows(node, attributes, kernel)
        result, activation = self.fuse(node)
        fields.update(DilationHFactor=dilations[0], DilationWFactor=dilations[1], FusedActivationFunction=activation)
        bias = self.numbers([0] * out)
        if groups > 1:
            fields["DepthMultiplier"] = out // groups
            self.file.operator("DEPTHWISE_CONV_2D", [x, self.weight(result, [1, *kernel, out]), bias], [self.tensor(result)],
                               "DepthwiseConv2DOptions", **fields)
        else:
            self.file.operator("CONV_2D", [x, self.weight(result, [out, *kernel, depth]), bias], [self.tensor(result)],
                               "Conv2DOptions", **fields)

    def pool(self, node, attributes):
        x, fields = self.windows(node, attributes, attributes["kernel_shape"])
        fields.update(FilterHeight=attributes["kernel_shape"][0], FilterWidth=attributes["kernel_shape"][1])
        self.file.operator("MAX_POOL_2D" if node.op_type == "MaxPool" else "AVERAGE_POOL_2D", [x],
                           [self.tensor(node.output[0])], "Pool2DOptions", **fields)

    def mean(self, node, attributes):
        keeps = bool(attributes.get("keepdims", 1))
        self.file.operator("MEAN", [self.tensor(node.input[0]), self.numbers([1, 2])], [self.tensor(node.output[0])],
                           "ReducerOptions", KeepDims=keeps)

    def product(self, node, attributes):
        if node.input[1] not in self.constants:
            raise Unsupported("a product of two activations")
        x, y = self.shapes[node.input[0]], self.shapes[node.output[0]]
        result, activation = self.fuse(node)
        self.file.operator("FULLY_CONNECTED", [self.tensor(node.input[0]), self.weight(result, [y[-1], x[-1]]), self.numbers([0] * y[-1])],
                           [self.tensor(result)], "FullyConnectedOptions", FusedActivationFunction=activation)

    def elementwise(self, node, attributes):
        code = ELEMENTWISE[node.op_type]
        operands = node.input[:2] if code in ("ADD", "SUB", "MUL") else node.input[:1]
        result, activation = self.fuse(node) if len(operands) == 2 else (node.output[0], 0)
        fields = {"FusedActivationFunction": activation} if activation else {}
        rank = len(self.shapes[node.output[0]])
        for name in operands:
            self.shapes[name] = [1] * (rank - len(self.shapes[name])) + self.shapes[name]
        self.file.operator(code, [self.tensor(name) for name in operands], [self.tensor(result)], TABLES.get(code), **fields)

    def join(self, node, attributes):
        if len(self.shapes[node.output[0]]) != 4:
            raise Unsupported("Concat of another rank than 4")
        self.file.operator("CONCATENATION", [self.tensor(name) for name in node.input], [self.tensor(node.output[0])],
                           "ConcatenationOptions", Axis=[0, 3, 1, 2][attributes["axis"] % 4])

    def view(self, node, attributes):
        shape = turned(self.shapes[node.output[0]])
        self.file.operator("RESHAPE", [self.tensor(node.input[0]), self.numbers(shape)], [self.tensor(node.output[0])],
                           "ReshapeOptions", NewShape=shape)

    def resize(self, node, attributes):
        code, table = (("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions") if attributes.get("mode", b"nearest") == b"nearest"
                       else ("RESIZE_BILINEAR", "ResizeBilinearOptions"))
        self.file.operator(code, [self.tensor(node.input[0]), self.numbers(self.shapes[node.output[0]][2:])],
                           [self.tensor(node.output[0])], table)

    def to_space(self, node, attributes):
        self.file.operator("DEPTH_TO_SPACE", [self.tensor(node.input[0])], [self.tensor(node.output[0])], "DepthToSpaceOptions",
                           BlockSize=attributes["blocksize"])

    def softmax(self, node, attributes):
        self.file.operator("SOFTMAX", [self.tensor(node.input[0])], [self.tensor(node.output[0])], "SoftmaxOptions", Beta=1.)

    def node(self, node):
        if node.op_type not in OPERATORS:
            raise Unsupported(node.op_type)
        if not all(self.shapes.get(name) for name in (*node.input[:1], *node.output[:1])):
            raise Unsupported("a size that onnx does not infer")
        OPERATORS[node.op_type](self, node, {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute})


OPERATORS = {"Conv": Lite.convolution, "MaxPool": Lite.pool, "AveragePool": Lite.pool, "GlobalAveragePool": Lite.mean,
             "ReduceMean": Lite.mean, "Gemm": Lite.product, "MatMul": Lite.product, "Concat": Lite.join, "Flatten": Lite.view,
             "Reshape": Lite.view, "Squeeze": Lite.view, "Resize": Lite.resize, "DepthToSpace": Lite.to_space,
             "Softmax": Lite.softmax, **{op: Lite.elementwise for op in ELEMENTWISE}}


def simplified(path, folder):
    """Weights that are kept outside are drawn: no lifetime hangs on them."""
    model = onnx.load(path, load_external_data=False)
    random = numpy.random.default_rng(1)
    for tensor in model.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
            tensor.CopyFrom(numpy_helper.from_array((random.random(list(tensor.dims)) * .1).astype(kind), tensor.name))
    onnx.save(model, folder / "drawn.onnx")
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(folder / "simple.onnx")
    options.log_severity_level = 3
    onnxruntime.InferenceSession(str(folder / "drawn.onnx"), options, providers=["CPUExecutionProvider"])
    return onnx.load(folder / "simple.onnx")


def answer(args, path, folder):
    """(Vela's SRAM, ours) in bytes."""
    (folder / "m.tflite").write_bytes(Lite(simplified(path, folder)).file.bytes())
    done = subprocess.run([args.vela, folder / "m.tflite", "--accelerator-config", "ethos-u55-128", "--output-dir", folder / "out"],
                          capture_output=True, text=True, timeout=600)
    summary = next((folder / "out").glob("*summary*.csv"), None)
    if done.returncode or not summary:
        raise Unsupported("Vela: " + (done.stderr or done.stdout).strip().split("\n")[-1][:120])
    with summary.open(encoding="utf-8") as file:
        sram = 1024 * float(list(csv.DictReader(file))[-1]["sram_memory_used"])
    said = json.loads(subprocess.run([args.tool, path, "-t", "ethos-u:u55+onnx2tf", "-f", "json", "--no-advice"], check=True,
                                     capture_output=True, text=True).stdout)["targets"][0]["memory"]
    return sram, said["activation_peak_bytes_npu"]


HEAD = """# Memory on Ethos-U beside Vela's

Written by `oracles/fidelity/vela_memory.py`: the peak of activations on the NPU (`ethos-u:u55+onnx2tf`), and "Total SRAM used" of
Vela 5.2.0 for Ethos-U55 (128 MACs, Shared_Sram, `--optimise Performance`) of the same network in TFLite. What Vela stages of weights
is in its figure and not in ours, and so is what its allocator leaves free. `--optimise Size` cascades operators, and Dedicated_Sram
(U65 and U85 by default) spills to DRAM: both take less SRAM than is said. The allocator's table (`--verbose-allocation`) shows what the
list says with `param one_arena 16`: inputs and outputs are in the arena for as long as they are used, and in between 16
channels are a brick, so 3 of them take as much as 16. That was read in the tables of three networks (MNIST, SqueezeNet,
QuickSRNetSmall); before it, 17 of the same 24 were within 0.75 and 1.35 times (0.55 to 1.36). What is furthest off: Wide ResNet, of which Vela
stages 1 MB of weights, and LR-ASPP, whose last Resize is on the CPU, in the same arena.

"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--vela", required=True)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    lines, ratios = [], []
    for path in args.models:
        with tempfile.TemporaryDirectory() as folder:
            try:
                sram, said = answer(args, path, pathlib.Path(folder))
            except (Unsupported, subprocess.TimeoutExpired) as error:
                print(f"{path.stem}: left out: {error}", file=sys.stderr, flush=True)
                continue
        ratios.append(said / sram)
        lines.append(f"| {path.stem} | {sram:,.0f} | {said:,} | {said / sram:.2f} |")
        print(lines[-1], flush=True)
    within = sum(.75 <= ratio <= 1.35 for ratio in ratios)
    text = (f"{HEAD}Of {len(ratios)} networks {within} are within 0.75 and 1.35 times, {sum(abs(r - 1) <= .15 for r in ratios)} within 15 % "
            f"(median {statistics.median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}).\n\n"
            "| network | Vela's SRAM | peak said | said / Vela |\n| --- | --- | --- | --- |\n" + "\n".join(lines) + "\n")
    if args.page:
        args.page.write_text(text, encoding="utf-8")
    return 0 if within >= .9 * len(ratios) else 1


if __name__ == "__main__":
    sys.exit(main())
