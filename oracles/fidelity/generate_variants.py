# SPDX-License-Identifier: Apache-2.0
"""Decoders of ONNX Runtime's GenAI builder with another attention than they were exported with; see generate.py.

    layers=N          the first N layers alone
    window=N          local_window_size, of every second layer
    softcap=X, smooth, sinks, interleaved
    partial           half of each head turned by positions, twice as many as the kernel's smallest part
    positions, bias   inputs of their own: position_ids, and an attention_bias by head
    other             query, key and value packed into one operand where they are apart, and apart where they are packed
    gains             heads that are normalized, for which ONNX Runtime's CPU has no kernel: written out in the original
"""
import re

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

POSITIONS, BIAS, SINK, GAINS = 9, 10, 11, 14
TABLES = {"GroupQueryAttention": 7, "RotaryEmbedding": 2}
ROWS = 4096


def attribute(node, name, value=None):
    """The value of an attribute; with one given, it has that from there on."""
    found = [one for one in node.attribute if one.name == name]
    if value is not None:
        for one in found:
            node.attribute.remove(one)
        node.attribute.append(helper.make_attribute(name, value))
    return helper.get_attribute_value(found[0]) if found else 0


def operand(node, index, name):
    node.input.extend([""] * (index + 1 - len(node.input)))
    node.input[index] = name


class Model:
    def __init__(self, path):
        self.proto = onnx.load(path, load_external_data=False)
        self.graph = self.proto.graph
        self.attentions = [node for node in self.graph.node if node.op_type == "GroupQueryAttention"]
        self.chance = np.random.default_rng(5)
        table = next(tensor for tensor in self.graph.initializer if tensor.name == "cos_cache")
        self.type, self.size = table.data_type, 2 * table.dims[1]

    def add(self, name, array):
        array = array.astype(helper.tensor_dtype_to_np_dtype(self.type)) if array.dtype.kind == "f" else array
        self.graph.initializer.append(numpy_helper.from_array(array, name))
        return name

    def before(self, node, *nodes):
        at = next(i for i, one in enumerate(self.graph.node) if one is node or one == node)
        for one in reversed(nodes):
            self.graph.node.insert(at, one)

    def layers(self, count):
        last = len(self.attentions)
        numbers = {node.name: re.match(r"/model/layers\.(\d+)/", node.name) for node in self.graph.node}
        gone = {name for name, found in numbers.items() if found and count <= int(found[1]) < last}
        kept = [node for node in self.graph.node if node.name not in gone]
        for node in kept:
            for i, name in enumerate(node.input):
                node.input[i] = name.replace(f"/model/layers.{last - 1}/", f"/model/layers.{count - 1}/")
        del self.graph.node[:]
        self.graph.node.extend(kept)
        for values in (self.graph.input, self.graph.output):
            for value in [one for one in values if (found := re.search(r"\.(\d+)\.(key|value)$", one.name))
                          and int(found[1]) >= count]:
                values.remove(value)
        used = {name for node in kept for name in node.input}
        for tensor in [one for one in self.graph.initializer if one.name not in used]:
            self.graph.initializer.remove(tensor)
        self.attentions = [node for node in self.graph.node if node.op_type == "GroupQueryAttention"]

    def window(self, size):
        for node in self.attentions[::2]:
            attribute(node, "local_window_size", size)

    def softcap(self, cap):
        for node in self.attentions:
            attribute(node, "softcap", float(cap))

    def smooth(self):
        for node in self.attentions:
            attribute(node, "smooth_softmax", 1)

    def sinks(self):
        for i, node in enumerate(self.attentions):
            heads = attribute(node, "num_heads")
            operand(node, SINK, self.add(f"sinks.{i}", self.chance.standard_normal(heads)))

    def turning(self):
        return [node for node in self.graph.node if node.op_type in TABLES and len(node.input) > TABLES[node.op_type]
                and node.input[TABLES[node.op_type]]]

    def interleaved(self):
        for node in self.turning():
            attribute(node, "rotary_interleaved" if node.op_type == "GroupQueryAttention" else "interleaved", 1)

    def partial(self):
        tables = [self.add(f"{name}_of_a_part", np.ones([ROWS, self.size // 4])) for name in ("cos", "sin")]
        columns = {"q_rotary": "num_heads", "k_rotary": "kv_num_heads"}
        for node in self.turning():
            for i, table in enumerate(tables):
                node.input[TABLES[node.op_type] + i] = table
            if node.op_type == "RotaryEmbedding":
                which = next(name for part, name in columns.items() if part in node.name)
                attribute(node, "num_heads", attribute(self.attentions[0], which))
                attribute(node, "rotary_embedding_dim", self.size // 2)

    def positions(self):
        if not any(value.name == "position_ids" for value in self.graph.input):
            self.graph.input.append(helper.make_tensor_value_info("position_ids", TensorProto.INT64,
                                                                  ["batch_size", "sequence_length"]))
        for node in self.attentions:
            if attribute(node, "do_rotary"):
                operand(node, POSITIONS, "position_ids")

    def bias(self):
        heads = attribute(self.attentions[0], "num_heads")
        dims = [1, 1, "sequence_length", "total_sequence_length"]
        self.graph.input.append(helper.make_tensor_value_info("attention_bias", self.type, dims))
        many = self.add("bias_by_head", np.ones([1, heads, 1, 1]))
        by_head = helper.make_node("Mul", ["attention_bias", many], ["/bias"], name="/bias")
        self.before(self.attentions[0], by_head)
        for i, node in enumerate(self.attentions):
            operand(node, BIAS, "/bias" if i % 2 else "attention_bias")

    def other(self):
        for i, node in enumerate(self.attentions):
            heads, kept = (attribute(node, name) * self.size for name in ("num_heads", "kv_num_heads"))
            names = [f"/attention.{i}/{part}" for part in "qkv"]
            if node.input[1]:
                self.before(node, helper.make_node("Concat", list(node.input[:3]), [names[0]], name=names[0], axis=2))
                node.input[0], node.input[1], node.input[2] = names[0], "", ""
            else:
                sizes = self.add(f"sizes.{i}", np.array([heads, kept, kept]))
                self.before(node, helper.make_node("Split", [node.input[0], sizes], names, name=names[0], axis=2))
                node.input[0], node.input[1], node.input[2] = names

    def gains(self, is_written_out):
        """Of files with keys apart."""
        heads = self.add("to_heads", np.array([0, 0, -1, self.size]))
        for i, node in enumerate(self.attentions):
            for k, which in enumerate(("num_heads", "kv_num_heads")):
                gain = self.add(f"gain.{i}.{k}", 1 + 0.3 * self.chance.standard_normal(self.size))
                whole = self.add(f"whole.{i}.{k}", np.array([0, 0, attribute(node, which) * self.size]))
                if not is_written_out:
                    operand(node, GAINS + k, gain)
                    continue
                at = f"/gain.{i}.{k}"
                self.before(node, helper.make_node("Reshape", [node.input[k], heads], [at + ".4"], name=at + ".4"),
                            helper.make_node("SimplifiedLayerNormalization", [at + ".4", gain], [at + ".n"], axis=-1,
                                             epsilon=1e-6, stash_type=1, name=at + ".n"),
                            helper.make_node("Reshape", [at + ".n", whole], [at], name=at))
                node.input[k] = at


def make(path, words, out, is_written_out=True):
    """Writes the model at `path` with these variants; says whether the original is another than what is fixed."""
    model = Model(path)
    for word in words:
        name, _, value = word.partition("=")
        if name == "gains":
            model.gains(is_written_out)
        else:
            getattr(model, name)(*[int(value)] if value else [])
    onnx.save(model.proto, out)
    return "gains" in words
