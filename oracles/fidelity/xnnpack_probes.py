#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small models for the target xnnpack: each kernel alone, with an activation after it, and between DequantizeLinear and
QuantizeLinear, with what a fusion or a unit asks varied one at a time. Written for verify.py.

usage: xnnpack_probes.py FOLDER
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

OPSET = 17


class Model:
    def __init__(self, opset=OPSET):
        self.nodes, self.constants, self.inputs, self.outputs, self.opset = [], [], [], [], opset

    def input(self, name, shape, kind=T.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op, inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def output(self, name, kind=T.FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, kind, None))

    def quantized(self, name, kind=np.uint8, scale=0.02, zero=0, axis=None):
        """Through QuantizeLinear and DequantizeLinear."""
        pair = [self.constant(np.float32(scale)), self.constant(np.asarray(zero, kind))]
        return self.node("DequantizeLinear", [self.node("QuantizeLinear", [name, *pair]), *pair])

    def weight(self, shape, kind=np.int8, scales=1, axis=0):
        """What a DequantizeLinear makes of integers."""
        scale = np.full(scales, 0.01, np.float32) if scales > 1 else np.float32(0.01)
        zero = np.zeros(scales, kind) if scales > 1 else np.asarray(0, kind)
        inputs = [self.constant(np.ones(shape, kind)), self.constant(scale), self.constant(zero)]
        return self.node("DequantizeLinear", inputs, **({"axis": axis} if scales > 1 else {}))

    def bias(self, count, kind=np.int32, scales=1):
        return self.weight([count], kind, scales) if kind else self.constant(np.zeros(count, np.float32))

    def save(self, path):
        graph = helper.make_graph(self.nodes, "g", self.inputs, self.outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        onnx.save(model, path)


def kernel(model, op, x, half=False):
    """A node that the provider takes, of a float input [1,4,8,8] or, of the last two, of [4,8]."""
    kind = np.float16 if half else np.float32
    weight = lambda *shape: model.constant(np.ones(shape, kind))
    if op == "Conv":
        return model.node(op, [x, weight(6, 4, 3, 3), weight(6)])
    if op == "ConvTranspose":
        return model.node(op, [x, weight(4, 6, 3, 3), weight(6)])
    if op in ("MaxPool", "AveragePool"):
        return model.node(op, [x], kernel_shape=[2, 2])
    if op == "Softmax":
        return model.node(op, [x], axis=-1)
    if op == "Resize":
        return model.node(op, [x, "", model.constant(np.float32([1, 1, 2, 2]))], mode="linear")
    return model.node(op, [x, weight(8, 6)] + ([weight(6)] if op == "Gemm" else []))


KERNELS = ("Conv", "ConvTranspose", "MaxPool", "AveragePool", "Softmax", "Resize", "Gemm", "MatMul")


def shape_of(op):
    return [4, 8] if op in ("Gemm", "MatMul") else [1, 4, 8, 8]


def activations(folder):
    for op in KERNELS:
        for after in ("alone", "relu", "clip", "clip-low", "clip-none", "clip-input", "shared", "output", "two", "leaky", "half",
                      "half-relu"):
            model, half = Model(), after.startswith("half")
            kind = T.FLOAT16 if half else T.FLOAT
            y = kernel(model, op, model.input("x", shape_of(op), kind), half)
            if after in ("shared", "output"):
                model.output(y, kind) if after == "output" else model.output(model.node("Neg", [y]), kind)
            if after in ("relu", "shared", "output", "two", "half-relu"):
                y = model.node("Relu", [y])
            if after in ("clip", "two"):
                y = model.node("Clip", [y, model.constant(np.float32(0)), model.constant(np.float32(6))])
            if after == "clip-low":
                y = model.node("Clip", [y, model.constant(np.float32(0))])
            if after == "clip-none":
                y = model.node("Clip", [y])
            if after == "clip-input":
                y = model.node("Clip", [y, model.input("low", []), model.constant(np.float32(6))])
            if after == "leaky":
                y = model.node("LeakyRelu", [y])
            model.output(y, kind)
            model.save(folder / f"{op}-{after}.onnx")


def quantized_conv(folder):
    cases = {
        "u8": {}, "s8": {"x": np.int8, "y": np.int8}, "u8-weight-u8": {"w": np.uint8}, "s8-weight-u8": {"x": np.int8, "y": np.int8, "w": np.uint8},
        "channels": {"scales": 6}, "channels-s8": {"scales": 6, "x": np.int8, "y": np.int8}, "result-s8": {"y": np.int8},
        "float-bias": {"b": None}, "channels-float-bias": {"b": None, "scales": 6, "x": np.int8, "y": np.int8},
        "transpose-channels": {"op": "ConvTranspose", "scales": 6, "axis": 1, "x": np.int8, "y": np.int8}, "no-bias": {"b": 0}, "relu": {"after": "Relu"}, "clip": {"after": "Clip"}, "relu-before": {"before": "Relu"},
        "no-q": {"y": None}, "no-dq": {"x": None}, "shared": {"shared": True}, "u16": {"x": np.uint16, "y": np.uint16, "opset": 21},
        "transpose": {"op": "ConvTranspose"}, "transpose-s8": {"op": "ConvTranspose", "x": np.int8, "y": np.int8},
        "chain": {"chain": True}, "s8-zero": {"x": np.int8, "y": np.int8, "zero": 3}, "float-weight": {"w": None},
    }
    for name, case in cases.items():
        model = Model(case.get("opset", OPSET))
        op = case.get("op", "Conv")
        x = model.input("x", [1, 4, 8, 8])
        x = model.node(case["before"], [x]) if "before" in case else x
        kind_x, kind_y = case.get("x", np.uint8), case.get("y", np.uint8)
        x = model.quantized(x, kind_x, zero=case.get("zero", 0)) if kind_x else x
        shape = [6, 4, 3, 3] if op == "Conv" else [4, 6, 3, 3]
        kind_w = case.get("w", np.int8)
        weight = model.weight(shape, kind_w, case.get("scales", 1), case.get("axis", 0)) if kind_w else model.constant(np.ones(shape, np.float32))
        bias = case.get("b", np.int32)
        inputs = [x, weight] + ([] if bias == 0 else [model.bias(6, bias, case.get("scales", 1))])
        y = model.node(op, inputs)
        if case.get("shared"):
            model.output(model.node("Neg", [y]))
        if "after" in case:
            y = model.node(case["after"], [y] + ([model.constant(np.float32(0)), model.constant(np.float32(6))] if case["after"] == "Clip" else []))
        y = model.quantized(y, kind_y) if kind_y else y
        if case.get("chain"):
            y = model.quantized(model.node("Conv", [y, model.weight([6, 6, 3, 3]), model.bias(6)]))
        model.output(y)
        model.save(folder / f"q{op}-{name}.onnx")


def quantized_others(folder):
    for op in KERNELS[2:]:
        for name, kind, scale, zero in (("u8", np.uint8, 0.02, 0), ("s8", np.int8, 0.02, 0), ("unit", np.uint8, 1 / 256, 0), ("zero", np.uint8, 1 / 256, 3),
                                        ("unit-s8", np.int8, 1 / 256, -128), ("mixed", None, 0.02, 0)):
            model = Model()
            x = model.quantized(model.input("x", shape_of(op)), kind or np.uint8)
            if op in ("Gemm", "MatMul"):
                y = model.node(op, [x, model.weight([8, 6])] + ([model.bias(6)] if op == "Gemm" else []))
            else:
                y = kernel(model, op, x)
            model.output(model.quantized(y, kind or np.int8, scale, zero))
            model.save(folder / f"q{op}-{name}.onnx")


def pools(folder):
    """Quantized ones of one type, and of others than floating point."""
    for name, attributes in {"plain": {"count_include_pad": 0}, "padded": {}, "pads": {"pads": [1, 1, 1, 1]}, "one": {"kernel_shape": [1, 1]},
                             "wide": {"kernel_shape": [1, 2]}, "upper": {"auto_pad": "SAME_UPPER"}, "lower": {"auto_pad": "SAME_LOWER"},
                             "ceil": {"ceil_mode": 1, "strides": [2, 2]}}.items():  # fmt: skip
        for kind in (np.uint8, np.int8):
            for scale in (0.02, 0.03):
                model = Model()
                x = model.quantized(model.input("x", [1, 4, 8, 8]), kind)
                y = model.node("AveragePool", [x], **{"kernel_shape": [3, 3], "count_include_pad": 1, **attributes})
                model.output(model.quantized(y, kind, scale))
                model.save(folder / f"qAveragePool-{name}-{kind.__name__}-{scale}.onnx")
    for op, kind, tensor in (("Relu", np.int8, T.INT8), ("Clip", np.int8, T.INT8), ("Clip", np.uint8, T.UINT8)):
        model = Model()
        y = model.node("MaxPool", [model.input("x", [1, 4, 8, 8], tensor)], kernel_shape=[2, 2])
        y = model.node(op, [y] + ([model.constant(kind(0)), model.constant(kind(6))] if op == "Clip" else []))
        model.output(y, tensor)
        model.save(folder / f"MaxPool-{op}-{kind.__name__}.onnx")


def newer_versions(folder):
    for opset in (21, 22, 23):
        for op in KERNELS:
            for after in ("", "Relu"):
                model = Model(opset)
                y = kernel(model, op, model.input("x", shape_of(op)))
                model.output(model.node(after, [y]) if after else y)
                model.save(folder / f"{op}{after}-opset{opset}.onnx")


def scales_of_weights(folder):
    """A scale for each channel of the input or of the output, where these are as many and where they are not."""
    for op in ("Conv", "ConvTranspose"):
        for name, shape, count, axis in (("rows", [4, 6, 3, 3], 4, 0), ("square", [4, 4, 3, 3], 4, 0), ("columns", [4, 4, 3, 3], 4, 1),
                                         ("one", [4, 4, 3, 3], 1, 0)):
            for kind in (np.int8, np.uint8):
                model = Model()
                x = model.quantized(model.input("x", [1, shape[0 if op == "ConvTranspose" else 1], 8, 8]), kind)
                y = model.node(op, [x, model.weight(shape, kind, count, axis)])
                model.output(model.quantized(y, kind))
                model.save(folder / f"q{op}-{name}-{kind.__name__}.onnx")


def written_quantized(folder):
    for kind, tensor in ((np.uint8, T.UINT8), (np.int8, T.INT8)):
        for count in (1, 6):
            model = Model()
            pair = [model.constant(np.float32(0.02)), model.constant(kind(0))]
            weight = [model.constant(np.ones([6, 4, 3, 3], np.int8)), model.constant(np.full(count, 0.01, np.float32)),
                      model.constant(np.zeros(count, np.int8))]
            model.output(model.node("QLinearConv", [model.input("x", [1, 4, 8, 8], tensor), *pair, *weight, *pair]), tensor)
            model.save(folder / f"QLinearConv-{kind.__name__}-{count}.onnx")


def resizes(folder):
    for opset in (13, 17, 19):
        for name in ("scales", "sizes"):
            for mode in ("half_pixel", "asymmetric"):
                model = Model(opset)
                x = model.quantized(model.input("x", [1, 4, 8, 8]))
                inputs = [x, "", model.constant(np.float32([1, 1, 2, 2]))] if name == "scales" else [
                    x, "", "", model.constant(np.int64([1, 4, 16, 16]))]  # fmt: skip
                y = model.node("Resize", inputs, mode="linear", coordinate_transformation_mode=mode)
                model.output(model.quantized(y))
                model.save(folder / f"qResize-{name}-{mode}-opset{opset}.onnx")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    activations(folder)
    quantized_conv(folder)
    quantized_others(folder)
    pools(folder)
    newer_versions(folder)
    scales_of_weights(folder)
    written_quantized(folder)
    resizes(folder)


main()
