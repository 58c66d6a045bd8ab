# SPDX-License-Identifier: Apache-2.0
"""The constants of Gelu between quantized tensors, where a model was published without its weights.

What divides before an Erf, what is added after it and what halves the product are scalars that a rewrite recognises by
their values; in a model whose weights were left out they are zeros, and so is what could be done about it.
"""
import numpy
import onnx
from onnx import numpy_helper


class Graph:
    def __init__(self, model):
        self.nodes = model.graph.node
        self.constants = {tensor.name: tensor for tensor in model.graph.initializer}
        self.makers = {name: node for node in self.nodes for name in node.output}
        self.users = {}
        for node in self.nodes:
            for name in node.input:
                self.users.setdefault(name, []).append(node)

    def before(self, name):
        """What makes a value, not counting what quantizes it."""
        node = self.makers[name]
        return self.before(node.input[0]) if node.op_type in ("QuantizeLinear", "DequantizeLinear") else node

    def after(self, name):
        """The first user of a value, not counting what quantizes it."""
        node = self.users[name][0]
        return self.after(node.output[0]) if node.op_type in ("QuantizeLinear", "DequantizeLinear") else node

    def fill(self, node, number):
        """The operand that is a dequantized zero becomes the number: the largest step of its type, at such a scale."""
        for name in node.input:
            made = self.makers.get(name)
            if made is None or made.op_type != "DequantizeLinear" or made.input[0] not in self.constants:
                continue
            step, scale, zero = (self.constants[operand] for operand in made.input[:3])
            steps = numpy_helper.to_array(step)
            if steps.size != 1 or steps.item():
                continue
            top = numpy.iinfo(steps.dtype).max
            units = top - int(numpy_helper.to_array(zero).item())
            step.CopyFrom(numpy_helper.from_array(numpy.full(steps.shape, top, steps.dtype), step.name))
            shape = numpy_helper.to_array(scale).shape
            scale.CopyFrom(numpy_helper.from_array(numpy.full(shape, number / units, numpy.float32), scale.name))


def fill(path, out):
    """Writes the model with such constants filled in; False, and nothing, where it has none."""
    model = onnx.load(path, load_external_data=False)
    graph = Graph(model)
    erfs = [node for node in graph.nodes if node.op_type == "Erf"]
    if not any(node.op_type == "DequantizeLinear" for node in graph.nodes) or not erfs:
        return False
    for erf in erfs:
        root = graph.before(erf.input[0])
        graph.fill(root, 2 ** 0.5 if root.op_type == "Div" else 0.5 ** 0.5)
        add = graph.after(erf.output[0])
        graph.fill(add, 1)
        product = graph.after(add.output[0])
        graph.fill(product, 0.5)
        graph.fill(graph.after(product.output[0]), 0.5)
    onnx.save(model, out)
    return True
