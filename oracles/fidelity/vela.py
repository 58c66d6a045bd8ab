#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the target ethos-u with where Vela places operators, on TFLite equivalents of ONNX models.

usage: vela.py --tool build/npu-partition --vela PATH/vela [--oplist FILE] [--variant u55|u65|u85]... [--keep DIR]
               [--random N] [--seed N]

Each case is one ONNX node and what docs/evidence/tflite-mapping.md makes of it in TFLite. Cases of a kind share a file, which
Vela compiles once; what makes Vela fail is left out, and said. Small whole models follow: there the number of NPU
operators that Vela makes is held against our partitions.

With --random, as many cases more whose sizes and attributes are drawn by lot.

Needs the PyPI packages ethos-u-vela, onnx, tflite and numpy, in an environment outside the repository:

    python3 -m venv DIR && DIR/bin/pip install ethos-u-vela onnx tflite numpy
    make fidelity-vela VELA=DIR/bin/vela

Exit status: 0 when every variant agrees on 97 % of the cases, of the random ones too, and on all whole models; 1 when
one does not, 2 when the comparison could not run.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import flatbuffers
import numpy
import onnx
import tflite
from onnx import TensorProto, helper

ENOUGH = 0.97
CONFIGURATIONS = {"u55": "ethos-u55-128", "u65": "ethos-u65-256", "u85": "ethos-u85-256"}
TYPES = {  # ours: TFLite's, numpy's, ONNX's
    "int8": (tflite.TensorType.INT8, numpy.int8, TensorProto.INT8),
    "uint8": (tflite.TensorType.UINT8, numpy.uint8, TensorProto.UINT8),
    "int16": (tflite.TensorType.INT16, numpy.int16, TensorProto.INT16),
    "int32": (tflite.TensorType.INT32, numpy.int32, TensorProto.INT32),
    "bool": (tflite.TensorType.BOOL, numpy.bool_, TensorProto.BOOL),
}
SAME, VALID = tflite.Padding.SAME, tflite.Padding.VALID


class CannotCompare(Exception):
    """The comparison itself could not run."""


class VelaFails(CannotCompare):
    """Vela ended with an error of its own."""


# ---- TFLite files --------------------------------------------------------------------------------------------------


class TfliteFile:
    """Tensors and operators, written with the schema's generated functions."""

    def __init__(self):
        self.tensors, self.buffers, self.operators, self.codes = [], [None], [], []
        self.inputs, self.outputs = [], []

    def tensor(self, name, shape, kind, data=None, scale=0.5):
        if data is not None:
            self.buffers.append(numpy.ascontiguousarray(data))
        self.tensors.append((name, shape, kind, len(self.buffers) - 1 if data is not None else 0, scale))
        return len(self.tensors) - 1

    def operator(self, code, inputs, outputs, table=None, **fields):
        number = getattr(tflite.BuiltinOperator, code)
        if number not in self.codes:
            self.codes.append(number)
        self.operators.append((self.codes.index(number), inputs, outputs, table, fields))

    def bytes(self):
        build = flatbuffers.Builder(1 << 16)

        def table(name, **fields):
            getattr(tflite, name + "Start")(build)
            for field, value in fields.items():
                getattr(tflite, f"{name}Add{field}")(build, value)
            return getattr(tflite, name + "End")(build)

        def vector(start, items, add):
            start(build, len(items))
            for item in reversed(items):
                add(item)
            return build.EndVector()

        def numbers(items):
            return build.CreateNumpyVector(numpy.array(items, numpy.int32))

        def offsets(start, items):
            return vector(start, items, build.PrependUOffsetTRelative)

        def options(name, fields):
            fields = {k: numbers(v) if isinstance(v, list) else v for k, v in fields.items()}
            return table(name, **fields)

        buffers = [table("Buffer", **({} if data is None else {"Data": build.CreateByteVector(data.tobytes())}))
                   for data in self.buffers]
        tensors = []
        for name, shape, kind, buffer, scale in self.tensors:
            text, dims = build.CreateString(name), numbers(shape)
            fields = {}
            if scale:
                scales = build.CreateNumpyVector(numpy.array([scale], numpy.float32))
                zeros = build.CreateNumpyVector(numpy.array([0], numpy.int64))
                fields["Quantization"] = table("QuantizationParameters", Scale=scales, ZeroPoint=zeros)
            tensors.append(table("Tensor", Shape=dims, Type=TYPES[kind][0], Buffer=buffer, Name=text, **fields))
        codes = [table("OperatorCode", DeprecatedBuiltinCode=min(code, 127), BuiltinCode=code, Version=1)
                 for code in self.codes]
        operators = []
        for code, inputs, outputs, name, fields in self.operators:
            into, out = numbers(inputs), numbers(outputs)
            extra = {}
            if name:
                extra["BuiltinOptions"] = options(name, fields)
                extra["BuiltinOptionsType"] = getattr(tflite.BuiltinOptions, name)
            operators.append(table("Operator", OpcodeIndex=code, Inputs=into, Outputs=out, **extra))
        graph = table("SubGraph", Tensors=offsets(tflite.SubGraphStartTensorsVector, tensors),
                      Inputs=numbers(self.inputs), Outputs=numbers(self.outputs),
                      Operators=offsets(tflite.SubGraphStartOperatorsVector, operators))
        model = table("Model", Version=3, OperatorCodes=offsets(tflite.ModelStartOperatorCodesVector, codes),
                      Subgraphs=offsets(tflite.ModelStartSubgraphsVector, [graph]),
                      Buffers=offsets(tflite.ModelStartBuffersVector, buffers))
        build.Finish(model, file_identifier=b"TFL3")
        return bytes(build.Output())


# ---- equivalents ---------------------------------------------------------------------------------------------------------


def turned(shape):
    """[N,C,H,W] as [N,H,W,C]; other ranks stay."""
    return [shape[0], shape[2], shape[3], shape[1]] if len(shape) == 4 else list(shape)


class Equivalents:
    """An ONNX model and a TFLite model that say the same."""

    def __init__(self):
        self.lite = TfliteFile()
        self.nodes, self.inputs, self.outputs, self.weights = [], [], [], []
        self.made = {}  # tensor: its number in TFLite
        self.rng = numpy.random.default_rng(7)
        self.cases = []

    def input(self, name, shape, kind="int8", scale=0.5):
        """INT8 is floating point in ONNX, which the conversion quantizes; other types are written out."""
        self.made[name] = self.lite.tensor(name, turned(shape), kind, scale=0 if kind == "bool" else scale)
        self.lite.inputs.append(self.made[name])
        if kind == "int8":
            self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        elif kind in ("int32", "bool"):
            self.inputs.append(helper.make_tensor_value_info(name, TYPES[kind][2], shape))
        else:
            self.inputs.append(helper.make_tensor_value_info(name + "_q", TYPES[kind][2], shape))
            inputs = [name + "_q", *self.scales(kind, scale)]
            self.nodes.append(helper.make_node("DequantizeLinear", inputs, [name]))
        return name

    def scales(self, kind, scale):
        zero, name = "zero_" + kind, f"scale_{scale}"
        if not any(w.name == zero for w in self.weights):
            self.weights.append(helper.make_tensor(zero, TYPES[kind][2], [], [0]))
        if not any(w.name == name for w in self.weights):
            self.weights.append(helper.make_tensor(name, TensorProto.FLOAT, [], [scale]))
        return name, zero

    def weight(self, name, shape, lite_shape=None, kind="int8", values=None):
        """A constant: floating point, or the integers of `values`, in ONNX."""
        lite_shape = turned(shape) if lite_shape is None else lite_shape
        number = TYPES[kind][1]
        if values is None:
            data = self.rng.integers(-3, 4, lite_shape).astype(number)
            onnx_data = numpy.ones(shape, numpy.float32)
        else:
            data, onnx_data = numpy.array(values, number).reshape(lite_shape), numpy.array(values, numpy.int64)
        self.made[name] = self.lite.tensor(name, lite_shape, kind, data, 0 if values is not None else 0.5)
        self.weights.append(onnx.numpy_helper.from_array(onnx_data.reshape(shape), name))
        return name

    def result(self, name, shape, kind="int8", is_output=True, scale=0.5):
        self.made[name] = self.lite.tensor(name, turned(shape), kind, scale=0 if kind == "bool" else scale)
        if is_output:
            self.lite.outputs.append(self.made[name])
            if kind in ("int16", "uint8"):
                inputs = [name, *self.scales(kind, scale)]
                self.nodes.append(helper.make_node("QuantizeLinear", inputs, [name + "_q"]))
                self.outputs.append(helper.make_tensor_value_info(name + "_q", TYPES[kind][2], shape))
            else:
                onnx_type = TensorProto.FLOAT if kind == "int8" else TYPES[kind][2]
                self.outputs.append(helper.make_tensor_value_info(name, onnx_type, shape))

    def node(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        self.cases.append(output)

    def lite_op(self, code, inputs, output, table=None, **fields):
        inputs = [self.made[i] if isinstance(i, str) else i for i in inputs]
        outputs = [self.made[o] for o in (output if isinstance(output, list) else [output])]
        self.lite.operator(code, inputs, outputs, table, **fields)

    def parameter(self, values, kind="int32"):
        values = numpy.array(values, TYPES[kind][1])
        return self.lite.tensor(f"p{len(self.lite.tensors)}", list(values.shape), kind, values, 0)

    def save(self, stem):
        graph = helper.make_graph(self.nodes, "equivalents", self.inputs, self.outputs, self.weights)
        order = {name: i for i, name in enumerate([v.name for v in self.inputs] + [w.name for w in self.weights])}
        nodes, waiting = [], list(graph.node)
        while waiting:  # QuantizeLinear was written before what it quantizes
            ready = [n for n in waiting if all(not i or i in order for i in n.input)]
            if not ready:
                raise CannotCompare(f"{stem}: no order for {waiting[0].op_type}")
            for node in ready:
                order.update({o: len(order) for o in node.output})
                waiting.remove(node)
            nodes += ready
        del graph.node[:]
        graph.node.extend(nodes)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        onnx.save(model, f"{stem}.onnx")
        pathlib.Path(f"{stem}.tflite").write_bytes(self.lite.bytes())


# ---- cases ---------------------------------------------------------------------------------------------------------


def windows(size, kernel, stride, dilation, is_same):
    span = (kernel - 1) * dilation + 1
    return -(-size // stride) if is_same else (size - span) // stride + 1


def conv(t, name, size=32, kernel=3, stride=1, dilation=1, same=True, depthwise=False, kind="int8", channels=8,
         source=None, is_output=True):
    x = source or t.input(name + "_x", [1, channels, size, size], kind)
    w = t.weight(name + "_w", [channels, 1 if depthwise else channels, kernel, kernel],
                 [1, kernel, kernel, channels] if depthwise else [channels, kernel, kernel, channels])
    out = windows(size, kernel, stride, dilation, same)
    t.result(name, [1, channels, out, out], kind, is_output)
    t.node("Conv", [x, w], name, strides=[stride] * 2, dilations=[dilation] * 2, group=channels if depthwise else 1,
           auto_pad="SAME_UPPER" if same else "VALID", kernel_shape=[kernel] * 2)
    bias = t.parameter([0] * channels, "int32")
    fields = {"Padding": SAME if same else VALID, "StrideW": stride, "StrideH": stride, "DilationWFactor": dilation,
              "DilationHFactor": dilation}
    if depthwise:
        fields["DepthMultiplier"] = 1
    t.lite_op("DEPTHWISE_CONV_2D" if depthwise else "CONV_2D", [x, w, bias], name,
              "DepthwiseConv2DOptions" if depthwise else "Conv2DOptions", **fields)
    return name


def padded_conv(t, name, size=33, kernel=7, strides=(4, 4), pads=(1, 1, 1, 1)):
    """Explicit padding: PAD before a CONV_2D."""
    top, left, bottom, right = pads
    x = t.input(name + "_x", [1, 8, size, size])
    sizes = [size + top + bottom, size + left + right]
    t.result(name + "_pad", [1, 8, *sizes], is_output=False)
    t.lite_op("PAD", [x, t.parameter([[0, 0], [top, bottom], [left, right], [0, 0]])], name + "_pad", "PadOptions")
    w = t.weight(name + "_w", [8, 8, kernel, kernel])
    t.result(name, [1, 8, *[(n - kernel) // stride + 1 for n, stride in zip(sizes, strides)]])
    t.node("Conv", [x, w], name, strides=list(strides), pads=list(pads), kernel_shape=[kernel] * 2)
    t.lite_op("CONV_2D", [name + "_pad", w, t.parameter([0] * 8)], name, "Conv2DOptions", Padding=VALID,
              StrideH=strides[0], StrideW=strides[1], DilationHFactor=1, DilationWFactor=1)


def transposed(t, name, stride, kernel=3, same=True, height=16, width=16, kernel_height=None):
    kernels, strides = [kernel_height or kernel, kernel], stride if isinstance(stride, list) else [stride] * 2
    x = t.input(name + "_x", [1, 8, height, width])
    w = t.weight(name + "_w", [8, 8, *kernels], [8, *kernels, 8])
    out = [n * s if same else n * s + max(k - s, 0) for n, s, k in zip((height, width), strides, kernels)]
    t.result(name, [1, 8, *out])
    t.node("ConvTranspose", [x, w], name, strides=strides, auto_pad="SAME_UPPER" if same else "VALID",
           kernel_shape=kernels)
    t.lite_op("TRANSPOSE_CONV", [t.parameter([1, *out, 8]), w, x], name, "TransposeConvOptions",
              Padding=SAME if same else VALID, StrideW=strides[1], StrideH=strides[0])


def pool(t, name, op, kernel, stride=1, same=False, size=(32, 32), kind="int8"):
    kernels = kernel if isinstance(kernel, list) else [kernel] * 2
    x = t.input(name + "_x", [1, 8, *size], kind)
    out = [windows(n, k, stride, 1, same) for n, k in zip(size, kernels)]
    t.result(name, [1, 8, *out], kind)
    t.node(op, [x], name, kernel_shape=kernels, strides=[stride] * 2, auto_pad="SAME_UPPER" if same else "VALID")
    t.lite_op("AVERAGE_POOL_2D" if op == "AveragePool" else "MAX_POOL_2D", [x], name, "Pool2DOptions",
              Padding=SAME if same else VALID, StrideW=stride, StrideH=stride, FilterWidth=kernels[1],
              FilterHeight=kernels[0])


def unary(t, name, op, code, kind="int8", table=None, fields=None, shape=(1, 8, 16, 16), source=None,
          is_output=True, **attributes):
    x = source or t.input(name + "_x", list(shape), kind)
    t.result(name, list(shape), kind, is_output)
    t.node(op, [x], name, **attributes)
    t.lite_op(code, [x], name, table, **(fields or {}))
    return name


def binary(t, name, op, code, kind="int8", table=None, result=None, shape=(1, 8, 16, 16), sources=None,
           is_output=True, scales=(0.5, 0.5, 0.5)):
    operands = sources or [t.input(name + "_a", list(shape), kind, scales[0]),
                           t.input(name + "_b", list(shape), kind, scales[1])]
    t.result(name, list(shape), result or kind, is_output, scales[2])
    t.node(op, operands, name)
    t.lite_op(code, operands, name, table)
    return name


def reduce(t, name, op, code, axes, shape=(1, 8, 16, 16), kind="int8"):
    x = t.input(name + "_x", list(shape), kind)
    t.result(name, [1 if i in axes else n for i, n in enumerate(shape)], kind)
    t.node(op, [x, t.weight(name + "_axes", [len(axes)], values=axes, kind="int32")], name, keepdims=1)
    turned_axes = [{0: 0, 1: 3, 2: 1, 3: 2}[a] for a in axes] if len(shape) == 4 else axes
    t.lite_op(code, [x, t.parameter(turned_axes)], name, "ReducerOptions", KeepDims=True)


def resize(t, name, mode, to, coordinates="asymmetric", size=(16, 16)):
    x = t.input(name + "_x", [1, 8, *size])
    t.result(name, [1, 8, *to])
    t.node("Resize", [x, "", "", t.weight(name + "_sizes", [4], values=[1, 8, *to], kind="int32")], name, mode=mode,
           coordinate_transformation_mode=coordinates, nearest_mode="floor")
    table = "ResizeBilinearOptions" if mode == "linear" else "ResizeNearestNeighborOptions"
    t.lite_op("RESIZE_BILINEAR" if mode == "linear" else "RESIZE_NEAREST_NEIGHBOR", [x, t.parameter(list(to))], name,
              table, AlignCorners=coordinates == "align_corners", HalfPixelCenters=coordinates == "half_pixel")


def transpose(t, name, perm, shape):
    """As it stands, without the turn to [N,H,W,C]: the sizes decide."""
    x = t.input(name + "_x", list(shape))
    lite_shape = [shape[p] for p in perm]
    t.made[x + "_l"] = t.lite.tensor(x + "_l", list(shape), "int8")
    t.lite.inputs[t.lite.inputs.index(t.made[x])] = t.made[x + "_l"]
    t.made[name] = t.lite.tensor(name, lite_shape, "int8")
    t.lite.outputs.append(t.made[name])
    t.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, lite_shape))
    t.node("Transpose", [x], name, perm=perm)
    t.lite_op("TRANSPOSE", [x + "_l", t.parameter(perm)], name, "TransposeOptions")


def convolution_cases(t):
    conv(t, "conv")
    conv(t, "conv_valid", same=False)
    conv(t, "conv_1x1", kernel=1)
    conv(t, "conv_stride2", stride=2)
    conv(t, "conv_stride3", stride=3)
    conv(t, "conv_stride4_valid", stride=4, same=False)
    conv(t, "conv_stride4_same_covered", stride=4)
    conv(t, "conv_stride4_same_padded", size=33, kernel=5, stride=4)
    conv(t, "conv_stride4_dilated", stride=4, dilation=2, same=False)
    conv(t, "conv_dilated", dilation=2)
    conv(t, "conv_int16", kind="int16")
    conv(t, "depthwise", depthwise=True)
    conv(t, "depthwise_stride2", depthwise=True, stride=2)
    conv(t, "depthwise_stride3", depthwise=True, stride=3)
    conv(t, "depthwise_stride4_valid", depthwise=True, stride=4, same=False)
    transposed(t, "transposed_1", 1)
    transposed(t, "transposed_2", 2)
    transposed(t, "transposed_2_valid", 2, same=False)
    transposed(t, "transposed_3", 3)
    transposed(t, "transposed_4", 4, kernel=4)
    transposed(t, "transposed_line", [1, 2], height=1, kernel_height=1)
    transposed(t, "transposed_1_2", [1, 2])
    for op, short in (("AveragePool", "average"), ("MaxPool", "max")):
        pool(t, f"{short}_3", op, 3)
        pool(t, f"{short}_8_same", op, 8, same=True)
        pool(t, f"{short}_9_same", op, 9, same=True)
        pool(t, f"{short}_9_valid", op, 9)
        pool(t, f"{short}_300_high", op, [300, 2], size=(400, 8))
        pool(t, f"{short}_stride4_valid", op, 3, 4)
        pool(t, f"{short}_stride4_same", op, 5, 4, same=True, size=(33, 33))
        pool(t, f"{short}_int16", op, 3, kind="int16")


def element_cases(t):
    for op, code, table in (("Add", "ADD", "AddOptions"), ("Sub", "SUB", "SubOptions"), ("Mul", "MUL", "MulOptions"),
                            ("Div", "DIV", "DivOptions"), ("Max", "MAXIMUM", None), ("Min", "MINIMUM", None)):
        binary(t, op.lower(), op, code, table=table)
    for op, code in (("Max", "MAXIMUM"), ("Min", "MINIMUM"), ("Add", "ADD")):
        for kind in ("uint8", "int16"):
            for word, scales in (("one", (0.5, 0.5, 0.5)), ("second", (0.5, 0.25, 0.5)), ("result", (0.5, 0.5, 0.25))):
                table = "AddOptions" if op == "Add" else None
                binary(t, f"{op.lower()}_{kind}_{word}", op, code, kind, table, scales=scales)
    binary(t, "add_int32", "Add", "ADD", "int32", "AddOptions")
    binary(t, "add_int16", "Add", "ADD", "int16", "AddOptions")
    binary(t, "pow", "Pow", "POW", table="PowOptions")
    for op, code in (("Abs", "ABS"), ("Exp", "EXP"), ("Log", "LOG"), ("Sqrt", "SQRT"), ("Sin", "SIN"), ("Cos", "COS"),
                     ("Floor", "FLOOR"), ("Ceil", "CEIL"), ("Round", "ROUND"), ("Neg", "NEG"), ("Relu", "RELU"),
                     ("Sigmoid", "LOGISTIC"), ("Tanh", "TANH"), ("HardSwish", "HARD_SWISH"), ("Elu", "ELU")):
        unary(t, op.lower(), op, code)
    unary(t, "leakyrelu", "LeakyRelu", "LEAKY_RELU", table="LeakyReluOptions", fields={"Alpha": 0.1}, alpha=0.1)
    unary(t, "gelu", "Gelu", "GELU", table="GeluOptions")
    unary(t, "log_int16", "Log", "LOG", "int16")
    unary(t, "elu_int16", "Elu", "ELU", "int16")
    unary(t, "sigmoid_int16", "Sigmoid", "LOGISTIC", "int16")
    unary(t, "abs_int32", "Abs", "ABS", "int32")
    for name, shape in (("softmax", (1, 8, 16, 16)), ("softmax_256", (1, 4, 256, 256)),
                        ("softmax_257", (1, 4, 257, 256))):
        unary(t, name, "Softmax", "SOFTMAX", table="SoftmaxOptions", fields={"Beta": 1.0}, shape=shape, axis=1)


def comparison_cases(t):
    for op, code in (("Equal", "EQUAL"), ("Greater", "GREATER"), ("Less", "LESS"), ("GreaterOrEqual", "GREATER_EQUAL"),
                     ("LessOrEqual", "LESS_EQUAL")):
        binary(t, op.lower(), op, code, result="bool")


def logical_cases(t):
    for op, code in (("And", "LOGICAL_AND"), ("Or", "LOGICAL_OR")):
        binary(t, op.lower(), op, code, "bool")
    unary(t, "not", "Not", "LOGICAL_NOT", "bool")


def depth_cases(t):
    for name, channels in (("argmax", 8), ("argmax_128", 128)):
        x = t.input(name + "_x", [1, channels, 16, 16])
        t.made[name] = t.lite.tensor(name, [1, 16, 16], "int32", scale=0)
        t.lite.outputs.append(t.made[name])
        t.outputs.append(helper.make_tensor_value_info(name, TensorProto.INT64, [1, 16, 16]))
        t.node("ArgMax", [x], name, axis=1, keepdims=0)
        t.lite_op("ARG_MAX", [x, t.parameter(3)], name, "ArgMaxOptions", OutputType=tflite.TensorType.INT32)


def shape_cases(t):
    reduce(t, "mean", "ReduceMean", "MEAN", [2, 3])
    reduce(t, "mean_channels", "ReduceMean", "MEAN", [1])
    reduce(t, "mean_batch2", "ReduceMean", "MEAN", [2, 3], (2, 8, 16, 16))
    reduce(t, "mean_5000", "ReduceMean", "MEAN", [2], (1, 2, 5000, 2))
    reduce(t, "reduce_max", "ReduceMax", "REDUCE_MAX", [2, 3])
    reduce(t, "reduce_min", "ReduceMin", "REDUCE_MIN", [2, 3])
    reduce(t, "reduce_sum", "ReduceSum", "SUM", [2, 3])
    for mode in ("linear", "nearest"):
        for to in ((32, 32), (64, 64), (48, 48), (24, 24), (256, 256), (32, 64)):
            resize(t, f"{mode}_{to[0]}_{to[1]}", mode, to)
        resize(t, f"{mode}_half_2", mode, (32, 32), "half_pixel")
        resize(t, f"{mode}_half_4", mode, (64, 64), "half_pixel")
        resize(t, f"{mode}_corners", mode, (31, 31), "align_corners")
        resize(t, f"{mode}_corners_32", mode, (32, 32), "align_corners")
        resize(t, f"{mode}_one", mode, (3, 3), size=(1, 1))
    transpose(t, "transpose_0231", [0, 2, 3, 1], (1, 8, 16, 16))
    transpose(t, "transpose_0213", [0, 2, 1, 3], (1, 8, 16, 16))
    transpose(t, "transpose_0312", [0, 3, 1, 2], (1, 8, 16, 16))
    transpose(t, "transpose_wide", [2, 3, 0, 1], (2, 8, 300, 300))
    binary(t, "concat", "Concat", "CONCATENATION", table="ConcatenationOptions")
    fix_concat(t)
    gather(t, "gather_0", 0)
    gather(t, "gather_1", 1)
    x = t.input("pad_x", [1, 8, 16, 16])
    t.result("pad", [1, 8, 18, 18])
    t.node("Pad", [x, t.weight("pad_p", [8], values=[0, 0, 1, 1, 0, 0, 1, 1], kind="int32")], "pad")
    t.lite_op("PAD", [x, t.parameter([[0, 0], [1, 1], [1, 1], [0, 0]])], "pad", "PadOptions")
    x = t.input("reshape_x", [4, 64])
    t.result("reshape", [8, 32])
    t.node("Reshape", [x, t.weight("reshape_s", [2], values=[8, 32], kind="int32")], "reshape")
    t.lite_op("RESHAPE", [x, t.parameter([8, 32])], "reshape", "ReshapeOptions", NewShape=[8, 32])
    x = t.input("tile_x", [4, 8])
    t.result("tile", [8, 8])
    t.node("Tile", [x, t.weight("tile_r", [2], values=[2, 1], kind="int32")], "tile")
    t.lite_op("TILE", [x, t.parameter([2, 1])], "tile", "TileOptions")
    x, w = t.input("dense_x", [4, 64]), t.weight("dense_w", [64, 8], [8, 64])
    t.result("dense", [4, 8])
    t.node("Gemm", [x, w], "dense")
    t.lite_op("FULLY_CONNECTED", [x, w, t.parameter([0] * 8)], "dense", "FullyConnectedOptions")
    for kind in ("int8", "int16"):
        name = "matmul_" + kind
        a, b = t.input(name + "_a", [4, 64], kind), t.input(name + "_b", [64, 8], kind)
        t.result(name, [4, 8], kind)
        t.node("MatMul", [a, b], name)
        t.lite_op("BATCH_MATMUL", [a, b], name, "BatchMatMulOptions")


def slice_cases(t):
    for name, step, axis in (("slice", 1, 1), ("slice_height_2", 2, 2)):
        x = t.input(name + "_x", [1, 8, 16, 16])
        starts, ends = [0, 0, 0, 0], [1, 8, 16, 16]
        starts[axis], ends[axis] = 2, 8
        out = [1, 8, 16, 16]
        out[axis] = 6 // step
        t.result(name, out)
        parts = [t.weight(f"{name}_{k}", [1], values=[v], kind="int32")
                 for k, v in (("s", 2), ("e", 8), ("a", axis), ("t", step))]
        t.node("Slice", [x, *parts], name)
        steps = [1, 1, 1, 1]
        steps[axis] = step
        t.lite_op("STRIDED_SLICE", [x, *(t.parameter(turned(v)) for v in (starts, ends, steps))], name,
                  "StridedSliceOptions")
    x = t.input("reflect_x", [1, 8, 16, 16])
    t.result("reflect", [1, 8, 18, 18])
    t.node("Pad", [x, t.weight("reflect_p", [8], values=[0, 0, 1, 1, 0, 0, 1, 1], kind="int32")], "reflect",
           mode="reflect")
    t.lite_op("MIRROR_PAD", [x, t.parameter([[0, 0], [1, 1], [1, 1], [0, 0]])], "reflect", "MirrorPadOptions")
    x = t.input("prelu_x", [1, 8, 16, 16])
    t.result("prelu", [1, 8, 16, 16])
    t.node("PRelu", [x, t.weight("prelu_s", [8, 1, 1], [1, 1, 8])], "prelu")
    t.lite_op("PRELU", [x, "prelu_s"], "prelu")
    x = t.input("global_x", [1, 8, 16, 16])
    t.result("global", [1, 8, 1, 1])
    t.node("GlobalAveragePool", [x], "global")
    t.lite_op("MEAN", [x, t.parameter([1, 2])], "global", "ReducerOptions", KeepDims=True)
    x = t.input("global_2_x", [2, 8, 16, 16])
    t.result("global_2", [2, 8, 1, 1])
    t.node("GlobalAveragePool", [x], "global_2")
    t.lite_op("MEAN", [x, t.parameter([1, 2])], "global_2", "ReducerOptions", KeepDims=True)
    for name, op, code, to in (("squeeze", "Squeeze", "SQUEEZE", [8, 16]),
                               ("unsqueeze", "Unsqueeze", "EXPAND_DIMS", [1, 1, 8, 16])):
        x = t.input(name + "_x", [1, 8, 16])
        number = t.lite.tensor(name, to, "int8")
        t.made[name] = number
        t.lite.outputs.append(number)
        t.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, to))
        t.node(op, [x, t.weight(name + "_a", [1], values=[0], kind="int32")], name)
        if op == "Squeeze":
            t.lite_op(code, [x], name, "SqueezeOptions", SqueezeDims=[0])
        else:
            t.lite_op(code, [x, t.parameter(0)], name, "ExpandDimsOptions")


def select_cases(t):
    condition = t.input("where_c", [1, 8, 16, 16], "bool")
    x, y = t.input("where_x", [1, 8, 16, 16]), t.input("where_y", [1, 8, 16, 16])
    t.result("where", [1, 8, 16, 16])
    t.node("Where", [condition, x, y], "where")
    t.lite_op("SELECT_V2", [condition, x, y], "where", "SelectV2Options")


def cast_cases(t):
    x = t.input("cast_x", [1, 8, 16, 16])
    t.result("cast", [1, 8, 16, 16], "int32")
    t.node("Cast", [x], "cast", to=TensorProto.INT32)
    t.lite_op("CAST", [x], "cast", "CastOptions", InDataType=tflite.TensorType.INT8,
              OutDataType=tflite.TensorType.INT32)


def fix_concat(t):
    """Two operands beside each other along the channels: twice as many of them."""
    t.nodes[-1].attribute.append(helper.make_attribute("axis", 1))
    number = t.made["concat"]
    name, shape, kind, buffer, scale = t.lite.tensors[number]
    t.lite.tensors[number] = (name, [*shape[:3], 16], kind, buffer, scale)
    code, inputs, outputs, table, _ = t.lite.operators[-1]
    t.lite.operators[-1] = (code, inputs, outputs, table, {"Axis": 3})
    t.outputs[-1].CopyFrom(helper.make_tensor_value_info("concat", TensorProto.FLOAT, [1, 16, 16, 16]))


def gather(t, name, axis):
    x = t.input(name + "_x", [16, 8])
    index = t.lite.tensor(name + "_i", [4], "int32", None, 0)
    t.lite.inputs.append(index)
    t.inputs.append(helper.make_tensor_value_info(name + "_i", TensorProto.INT32, [4]))
    t.result(name, [4, 8] if axis == 0 else [16, 4])
    t.node("Gather", [x, name + "_i"], name, axis=axis)
    t.lite_op("GATHER", [x, index], name, "GatherOptions", Axis=axis)


GROUPS = (convolution_cases, element_cases, shape_cases, slice_cases, depth_cases, comparison_cases, logical_cases,
          select_cases, cast_cases)


# ---- cases by lot --------------------------------------------------------------------------------------------------

BATCH = 6  # cases of one file: when Vela fails on it, few are lost
KINDS = ("int8", "int8", "int8", "int16")


def random_conv(t, name, lot):
    kernel, dilation, is_depthwise = lot.choice([1, 2, 3, 5, 7]), lot.choice([1, 1, 1, 2, 3]), lot.random() < 0.4
    size = lot.randint((kernel - 1) * dilation + 1, 40)
    conv(t, name, size=size, kernel=kernel, stride=lot.randint(1, 5), dilation=dilation, same=lot.random() < 0.5,
         depthwise=is_depthwise, kind=lot.choice(KINDS), channels=lot.choice([3, 8, 20] if is_depthwise else [1, 3, 8]))


def random_transposed(t, name, lot):
    transposed(t, name, [lot.randint(1, 4), lot.randint(1, 4)] if lot.random() < 0.5 else lot.randint(1, 4),
               kernel=lot.choice([2, 3, 4, 5]), same=lot.random() < 0.5, height=lot.choice([1, 5, 16]),
               width=lot.choice([4, 16, 33]))


def random_pool(t, name, lot):
    kernel, is_same = lot.choice([1, 2, 3, 5, 8, 9, 12, [1, 4], [7, 2]]), lot.random() < 0.5
    size = (lot.randint(12, 40), lot.randint(12, 40))
    pool(t, name, lot.choice(["AveragePool", "MaxPool"]), kernel, lot.randint(1, 5), is_same, size, lot.choice(KINDS))


def random_reduce(t, name, lot):
    op, code = lot.choice([("ReduceMean", "MEAN"), ("ReduceMean", "MEAN"), ("ReduceMax", "REDUCE_MAX"),
                           ("ReduceSum", "SUM")])
    shape = (lot.choice([1, 1, 2]), lot.choice([1, 8, 33]), lot.choice([1, 16, 300, 4095, 4096]),
             lot.choice([1, 7, 64]))
    axes = lot.choice([[1], [2], [3], [2, 3], [1, 2], [1, 2, 3]])
    reduce(t, name, op, code, axes, shape, lot.choice(KINDS))


def random_resize(t, name, lot):
    mode, scales = lot.choice(["linear", "nearest"]), [1, 2, 2, 3, 4, 8, 16, 1.5]
    size = (lot.choice([1, 4, 9, 16]), lot.choice([1, 4, 9, 16]))
    scale = lot.choice(scales)
    to = [max(1, int(n * (scale if lot.random() < 0.8 else lot.choice(scales)))) for n in size]
    resize(t, name, mode, tuple(to), lot.choice(["asymmetric", "asymmetric", "half_pixel", "align_corners"]), size)


def random_transpose(t, name, lot):
    dims = [1, 2, 5, 16, 200, 300, 700]
    shape = [lot.choice(dims[:3]), *(lot.choice(dims) for _ in range(3))]
    shape = shape[:lot.choice([2, 3, 4, 4, 4])]
    transpose(t, name, lot.sample(range(len(shape)), len(shape)), shape)


def random_softmax(t, name, lot):
    shape = (1, lot.choice([2, 8, 40]), lot.choice([1, 16, 255, 256, 400]), lot.choice([1, 16, 256, 257]))
    unary(t, name, "Softmax", "SOFTMAX", lot.choice(KINDS), "SoftmaxOptions", {"Beta": 1.0}, shape, axis=1)


def random_unary(t, name, lot):
    op, code = lot.choice([("Abs", "ABS"), ("Exp", "EXP"), ("Log", "LOG"), ("Sqrt", "SQRT"), ("Sin", "SIN"),
                           ("Floor", "FLOOR"), ("Neg", "NEG"), ("Relu", "RELU"), ("Sigmoid", "LOGISTIC"),
                           ("Tanh", "TANH"), ("HardSwish", "HARD_SWISH"), ("Elu", "ELU")])
    shape = tuple(lot.choice([1, 3, 8, 17]) for _ in range(lot.choice([2, 3, 4])))
    unary(t, name, op, code, lot.choice(KINDS), shape=shape)


def random_binary(t, name, lot):
    op, code, table = lot.choice([("Add", "ADD", "AddOptions"), ("Sub", "SUB", "SubOptions"),
                                  ("Mul", "MUL", "MulOptions"), ("Div", "DIV", "DivOptions"),
                                  ("Max", "MAXIMUM", None), ("Min", "MINIMUM", None)])
    shape = tuple(lot.choice([1, 3, 8, 17]) for _ in range(lot.choice([2, 3, 4])))
    kind = lot.choice(KINDS if op in ("Max", "Min") else [*KINDS, "int32"])
    # Where the conversion quantizes (INT8 here), it gives those two one scale.
    scales = [lot.choice([0.5, 0.5, 0.25]) if kind in ("uint8", "int16") else 0.5 for _ in range(3)]
    binary(t, name, op, code, kind, table, shape=shape, scales=scales)


def random_pad(t, name, lot):
    shape, mode = [lot.choice([1, 2]), *(lot.choice([2, 8, 17]) for _ in range(3))], lot.choice(["constant", "reflect"])
    pads = [0, lot.choice([0, 0, 1]), lot.randint(0, 1), lot.randint(0, 1), 0, 0, lot.randint(0, 1), lot.randint(0, 1)]
    kind = lot.choice(KINDS)
    x = t.input(name + "_x", shape, kind)
    t.result(name, [n + a + b for n, a, b in zip(shape, pads[:4], pads[4:])], kind)
    t.node("Pad", [x, t.weight(name + "_p", [8], values=pads, kind="int32")], name, mode=mode)
    pairs = turned(list(zip(pads[:4], pads[4:])))
    t.lite_op("PAD" if mode == "constant" else "MIRROR_PAD", [x, t.parameter(pairs)], name,
              "PadOptions" if mode == "constant" else "MirrorPadOptions")


def random_slice(t, name, lot):
    shape, axis, kind = [1, *(lot.choice([6, 8, 17]) for _ in range(3))], lot.choice([1, 2, 3]), lot.choice(KINDS)
    first, step = lot.randint(0, 3), 1 if axis == 1 else lot.choice([1, 1, 2, 3])
    last = lot.randint(first + 1, shape[axis])
    x = t.input(name + "_x", shape, kind)
    out, starts, ends, steps = list(shape), [0] * 4, list(shape), [1] * 4
    out[axis], starts[axis], ends[axis], steps[axis] = -(-(last - first) // step), first, last, step
    t.result(name, out, kind)
    parts = [t.weight(f"{name}_{k}", [1], values=[v], kind="int32")
             for k, v in (("s", first), ("e", last), ("a", axis), ("t", step))]
    t.node("Slice", [x, *parts], name)
    t.lite_op("STRIDED_SLICE", [x, *(t.parameter(turned(v)) for v in (starts, ends, steps))], name,
              "StridedSliceOptions")


def random_product(t, name, lot):
    kind, batch = lot.choice(KINDS), lot.choice([[], [], [3], [2, 3]])
    rows, depth, columns = lot.choice([1, 4, 33]), lot.choice([8, 64, 300]), lot.choice([1, 8, 50])
    a, b = t.input(name + "_a", [*batch, rows, depth], kind), t.input(name + "_b", [*batch, depth, columns], kind)
    for number in (t.made[a], t.made[b]):  # as they stand, not as images
        tensor = t.lite.tensors[number]
        last = [rows, depth] if number == t.made[a] else [depth, columns]
        t.lite.tensors[number] = (tensor[0], [*batch, *last], *tensor[2:])
    t.result(name, [*batch, rows, columns], kind)
    tensor = t.lite.tensors[t.made[name]]
    t.lite.tensors[t.made[name]] = (tensor[0], [*batch, rows, columns], *tensor[2:])
    t.node("MatMul", [a, b], name)
    t.lite_op("BATCH_MATMUL", [a, b], name, "BatchMatMulOptions")


MAKERS = (random_conv, random_conv, random_transposed, random_pool, random_pool, random_reduce, random_resize,
          random_transpose, random_softmax, random_unary, random_binary, random_pad, random_slice, random_product)


def random_groups(number, seed):
    """Functions as those of GROUPS: the same seed makes the same cases, for each variant."""
    def group(first, count):
        def make(t):
            for i in range(first, first + count):
                lot = random.Random(f"{seed} {i}")
                maker = lot.choice(MAKERS)
                maker(t, f"r{i}_{maker.__name__.removeprefix('random_')}", lot)
        make.__name__ = f"random_{first}"
        return make
    return [group(first, min(BATCH, number - first)) for first in range(0, number, BATCH)]


# ---- whole models --------------------------------------------------------------------------------------------------


def alternating(t, op, code, times):
    last = conv(t, "c0", is_output=False)
    for i in range(times):
        last = unary(t, f"u{i}", op, code, shape=(1, 8, 32, 32), source=last, is_output=False)
        last = conv(t, f"c{i + 1}", source=last, is_output=i == times - 1)


def branches(t):
    """Two branches from one convolution, one of which leaves the NPU."""
    first = conv(t, "stem", is_output=False)
    left = conv(t, "left", source=first, is_output=False)
    right = unary(t, "right", "Sqrt", "SQRT", shape=(1, 8, 32, 32), source=first, is_output=False)
    right = conv(t, "right2", source=right, is_output=False)
    both = binary(t, "both", "Add", "ADD", table="AddOptions", shape=(1, 8, 32, 32), sources=[left, right],
                  is_output=False)
    conv(t, "tail", source=both)


def plain(t):
    last = conv(t, "a", is_output=False)
    last = unary(t, "b", "Relu", "RELU", shape=(1, 8, 32, 32), source=last, is_output=False)
    conv(t, "c", source=last, depthwise=True)


MODELS = {
    "plain": plain,
    "one island": lambda t: alternating(t, "Sqrt", "SQRT", 1),
    "four islands": lambda t: alternating(t, "Floor", "FLOOR", 4),
    "twenty islands": lambda t: alternating(t, "Sin", "SIN", 20),
    "branches": branches,
}


# By name, what padded_conv() takes; none of them pads as SAME does, which a converter would make of that.
PADDED = {
    "padded_stride4": {},
    "padded_stride4_wide": {"pads": (5, 5, 5, 5)},
    "padded_stride4_as_kernel": {"pads": (7, 7, 7, 7)},
    "padded_stride4_unreached": {"pads": (0, 0, 1, 1)},
    "padded_stride4_reached": {"pads": (0, 0, 2, 2)},
    "padded_stride4_high_only": {"pads": (3, 0, 3, 0), "strides": (4, 1)},
    "padded_stride4_other_axis": {"pads": (0, 3, 0, 3), "strides": (4, 1)},
    "padded_stride16": {"size": 64, "kernel": 16, "strides": (16, 16), "pads": (8, 8, 8, 8)},
    "padded_stride3": {"kernel": 3, "strides": (3, 3)},
    "padded_one_result": {"size": 2, "kernel": 3},
    "padded_pointwise": {"kernel": 1},
}


# ---- comparing -----------------------------------------------------------------------------------------------------


def run_vela(args, stem, variant):
    """(names that Vela leaves to the CPU, number of its NPU operators)."""
    out = pathlib.Path(f"{stem}-{variant}")
    # Not with --show-cpu-operations, on which Vela 5.2.0 ends with a KeyError for ARG_MAX and comparisons.
    done = subprocess.run([args.vela, f"{stem}.tflite", "--accelerator-config", CONFIGURATIONS[variant],
                           "--output-dir", str(out)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise VelaFails((done.stderr or done.stdout).strip().splitlines()[-1])
    model = tflite.Model.GetRootAs(next(out.glob("*_vela.tflite")).read_bytes(), 0)
    graph = model.Subgraphs(0)
    cpu, blocks = set(), 0
    for i in range(graph.OperatorsLength()):
        operator = graph.Operators(i)
        if model.OperatorCodes(operator.OpcodeIndex()).CustomCode() == b"ethos-u":
            blocks += 1
        else:
            cpu |= {graph.Tensors(operator.Outputs(k)).Name().decode() for k in range(operator.OutputsLength())}
    return cpu, blocks


def run_tool(args, stem, variant):
    command = [args.tool, f"{stem}.onnx", "--target", f"ethos-u:{variant}+quantize", "--format", "json"]
    command += ["--oplist", args.oplist] if args.oplist else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        raise CannotCompare(f"{args.tool} ended with {done.returncode}: {done.stderr[:500]}")
    return json.loads(done.stdout.splitlines()[0])["targets"][0]


def compare_cases(args, folder, variant, groups, what):
    agreed = compared = refused = 0
    for group in groups:
        t = Equivalents()
        group(t)
        stem = str(folder / group.__name__)
        t.save(stem)
        try:
            cpu, _ = run_vela(args, stem, variant)
        except VelaFails as failure:
            print(f"  left out: {', '.join(t.cases)}: Vela fails: {failure}")
            continue
        ours = {node["name"]: node for node in run_tool(args, stem, variant)["nodes"]}
        for case in t.cases:
            theirs = "cpu" if case in cpu else "npu"
            compared += 1
            refused += theirs == "cpu"
            if ours[case]["verdict"] == theirs:
                agreed += 1
            else:
                rules = " ".join(reason["rule"] for reason in ours[case]["reasons"])
                print(f"  {case}: Vela {theirs}, ours {ours[case]['verdict']} {rules}")
    print(f"ethos-u:{variant}: {agreed} of {compared} {what} agree ({agreed / compared:.2%}); Vela leaves "
          f"{refused} to the CPU")
    return agreed / compared


def compare_padded(args, folder, variant):
    """Convolutions after a PAD, each in a file of its own, since some of them make Vela end with an error."""
    agreed = 0
    for name, fields in PADDED.items():
        t = Equivalents()
        padded_conv(t, name, **fields)
        stem = str(folder / name)
        t.save(stem)
        try:
            theirs = "cpu" if name in run_vela(args, stem, variant)[0] else "npu"
        except VelaFails:
            theirs = "fail"
        ours = next(node["verdict"] for node in run_tool(args, stem, variant)["nodes"] if node["name"] == name)
        agreed += ours == theirs
        if ours != theirs:
            print(f"  {name}: Vela {theirs}, ours {ours}")
    print(f"ethos-u:{variant}: {agreed} of {len(PADDED)} convolutions with explicit padding agree")
    return agreed / len(PADDED)


def compare_models(args, folder, variant):
    equal = 0
    for name, make in MODELS.items():
        t = Equivalents()
        make(t)
        stem = str(folder / name.replace(" ", "-"))
        t.save(stem)
        cpu, blocks = run_vela(args, stem, variant)
        ours = run_tool(args, stem, variant)
        refused = {node["name"] for node in ours["nodes"] if node["verdict"] not in ("npu", "folded")}
        same = refused == cpu & set(t.cases)
        print(f"  {name}: nodes {'as Vela' if same else 'differ'}, partitions {ours['summary']['partitions']}, "
              f"Vela's NPU operators {blocks}")
        equal += same and ours["summary"]["partitions"] == blocks
    print(f"ethos-u:{variant}: {equal} of {len(MODELS)} whole models equal")
    return equal == len(MODELS)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/npu-partition")
    parser.add_argument("--vela", default="vela")
    parser.add_argument("--oplist")
    parser.add_argument("--variant", action="append", choices=sorted(CONFIGURATIONS))
    parser.add_argument("--random", type=int, default=0, metavar="N", help="cases by lot")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="where to leave the models")
    args = parser.parse_args()
    scores, is_same = [], True
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for variant in args.variant or sorted(CONFIGURATIONS):
            scores.append(compare_cases(args, folder, variant, GROUPS, "cases"))
            if args.random:
                groups = random_groups(args.random, args.seed)
                scores.append(compare_cases(args, folder, variant, groups, f"random cases (seed {args.seed})"))
            scores.append(compare_padded(args, folder, variant))
            is_same &= compare_models(args, folder, variant)
    return 0 if min(scores) >= ENOUGH and is_same else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (CannotCompare, OSError) as problem:
        print(f"vela.py: {problem}", file=sys.stderr)
        sys.exit(2)
