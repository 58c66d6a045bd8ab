# SPDX-License-Identifier: Apache-2.0
"""Makes an INT8 TFLite model of one in floating point, by types and scales alone, for asking a compiler where an operator
runs and not for running it.

Every FLOAT32 activation becomes INT8 of one scale and zero point, which makes operators that must not change scales
(CONCATENATION, MAXIMUM, pools) well-formed. Weights of convolutions have a scale for each channel and INT32 biases, other
constants one scale. Nothing is calibrated. Needs the PyPI packages ai-edge-litert and flatbuffers.
"""
import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

OPS = {value: name for name, value in vars(schema.BuiltinOperator).items() if isinstance(value, int)}
# operand of the weights, their axis of output channels, operand of the bias
WEIGHTS = {"CONV_2D": (1, 0, 2), "DEPTHWISE_CONV_2D": (1, 3, 2), "FULLY_CONNECTED": (1, 0, 2),
           "TRANSPOSE_CONV": (1, 0, 3), "CONV_3D": (1, 4, 2)}
SCALE = 0.05  # of every activation


class Graph:
    """One of a model's graphs, whose tensors are quantized one after the other."""

    def __init__(self, model, graph):
        self.model, self.graph, self.done = model, graph, set()

    def constant(self, index):
        """Its numbers; None of others than floating point constants."""
        tensor = self.graph.tensors[index]
        data = self.model.buffers[tensor.buffer].data
        if data is None or not len(data) or tensor.type != schema.TensorType.FLOAT32:
            return None
        numbers = np.frombuffer(np.asarray(data, np.uint8).tobytes(), np.float32)
        return numbers.reshape(tensor.shape if tensor.shape is not None else [])

    def describe(self, index, kind, scales, axis=0):
        tensor, quantization = self.graph.tensors[index], schema.QuantizationParametersT()
        quantization.scale, quantization.zeroPoint = [float(scale) for scale in scales], [0] * len(scales)
        quantization.quantizedDimension = axis
        tensor.type, tensor.quantization = kind, quantization
        self.done.add(index)

    def replace(self, index, numbers, kind, scales, axis=0):
        """A constant by integers, with one scale or one for each place on the axis."""
        shape = [-1 if at == axis and len(scales) > 1 else 1 for at in range(numbers.ndim)]
        integers = {schema.TensorType.INT8: np.int8, schema.TensorType.INT32: np.int32}[kind]
        limits = np.iinfo(integers)
        rounded = np.round(numbers / np.asarray(scales, np.float64).reshape(shape))
        buffer = schema.BufferT()
        buffer.data = np.frombuffer(np.clip(rounded, limits.min, limits.max).astype(integers).tobytes(), np.uint8)
        self.model.buffers.append(buffer)
        self.graph.tensors[index].buffer = len(self.model.buffers) - 1
        self.describe(index, kind, scales, axis)

    def quantize_weights(self, name, inputs):
        weight, axis, bias = WEIGHTS[name]
        scales, numbers = [SCALE], self.constant(inputs[weight])
        if inputs[weight] in self.done:
            scales = self.graph.tensors[inputs[weight]].quantization.scale
        elif numbers is not None:
            others = tuple(at for at in range(numbers.ndim) if at != axis)
            most = np.abs(numbers).max(axis=others) if numbers.size else np.ones(1)
            scales = np.maximum(most, 1e-6) / 127
            scales = [scales.max()] if name == "FULLY_CONNECTED" else scales
            self.replace(inputs[weight], numbers, schema.TensorType.INT8, scales, axis)
        has_bias = len(inputs) > bias and inputs[bias] >= 0 and inputs[bias] not in self.done
        if has_bias and (numbers := self.constant(inputs[bias])) is not None:
            self.replace(inputs[bias], numbers, schema.TensorType.INT32, np.asarray(scales) * SCALE)

    def quantize(self):
        for operator in self.graph.operators:
            code = self.model.operatorCodes[operator.opcodeIndex]
            name = OPS[max(code.builtinCode, code.deprecatedBuiltinCode)]
            if name in WEIGHTS:
                self.quantize_weights(name, operator.inputs)
        for index, tensor in enumerate(self.graph.tensors):
            if tensor.type != schema.TensorType.FLOAT32 or index in self.done:
                continue
            numbers = self.constant(index)
            if numbers is None:
                self.describe(index, schema.TensorType.INT8, [SCALE])
            else:
                most = max(float(np.abs(numbers).max()) if numbers.size else 0, 1e-6)
                self.replace(index, numbers, schema.TensorType.INT8, [max(SCALE, most / 127)])


def convert(data):
    """A file's bytes for those of a file."""
    model = schema.ModelT.InitFromPackedBuf(data, 0)
    for graph in model.subgraphs:
        Graph(model, graph).quantize()
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
