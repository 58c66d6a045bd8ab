#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs of models whose difference is known, held against what `npu-partition diff` says of them: no false alarm where a
model was only renamed, reordered, or exported anew, and each real change named, at the right node.

usage: diff_pairs.py TOOL FIXTURES [--quick]      MODELS=FOLDER adds pairs of models of a corpus
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import onnx
from onnx import TensorProto, helper, version_converter

TARGET = "hexagon"
REFUSED = "Acosh"  # of one operand, and none of the target's


# ---- the same model in another form ---------------------------------------------------------------------------------


def identical(model):
    """Nothing at all."""
    return model


def renamed(model):
    """Every node and every tensor but the inputs and outputs has another name."""
    kept = {value.name for value in list(model.graph.input) + list(model.graph.output)}
    names = {}

    def other(name):
        return name if not name or name in kept else names.setdefault(name, f"t{len(names)}")

    for node in model.graph.node:
        node.name = other("node " + node.name) if node.name else ""
        node.input[:] = [other(name) for name in node.input]
        node.output[:] = [other(name) for name in node.output]
    for item in list(model.graph.initializer) + list(model.graph.value_info):
        item.name = other(item.name)
    return model


def nameless(model):
    """No node has a name."""
    for node in model.graph.node:
        node.name = ""
    return model


def reordered(model):
    """Another order of the nodes in which producers come before consumers."""
    rng, nodes = random.Random(7), list(model.graph.node)
    made_by = {name: i for i, node in enumerate(nodes) for name in node.output if name}
    needs = [{made_by[name] for name in node.input if name in made_by} for node in nodes]
    users = [[] for _ in nodes]
    for i, wanted in enumerate(needs):
        for k in wanted:
            users[k].append(i)
    ready, order = [i for i, wanted in enumerate(needs) if not wanted], []
    while ready:
        at = ready.pop(rng.randrange(len(ready)))
        order.append(nodes[at])
        for user in users[at]:
            needs[user].discard(at)
            if not needs[user]:
                ready.append(user)
    del model.graph.node[:]
    model.graph.node.extend(order)
    return model


def renamed_and_reordered(model):
    """Both at once."""
    return reordered(renamed(model))


def newer_opset(model):
    """What ONNX's version converter makes of it."""
    return version_converter.convert_version(model, 18)


def with_identities(model):
    """An Identity after every fifth node."""
    nodes, outputs = [], {value.name for value in model.graph.output}
    for i, node in enumerate(model.graph.node):
        nodes.append(node)
        if i % 5 or node.output[0] in outputs or node.op_type == "Constant":
            continue
        inner = node.output[0] + "_inner"
        nodes.append(helper.make_node("Identity", [inner], [node.output[0]], f"identity_{i}"))
        node.output[0] = inner
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model


def constants_as_nodes(model):
    """Small initializers become Constant nodes."""
    small = [tensor for tensor in model.graph.initializer if len(tensor.dims) <= 1 and not tensor.external_data]
    for tensor in small:
        model.graph.initializer.remove(tensor)
    nodes = [helper.make_node("Constant", [], [tensor.name], value=tensor) for tensor in small]
    nodes += list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model


# ---- another model --------------------------------------------------------------------------------------------------


def pick(model, ops=("Relu", "Clip", "HardSwish", "Tanh", "Conv", "MatMul", "Add", "Mul")):
    """A node in the middle whose result a float operator may be put after."""
    outputs = {value.name for value in model.graph.output}
    nodes = [node for node in model.graph.node if node.op_type in ops and node.output[0] not in outputs]
    floats = {info.name for info in model.graph.value_info if info.type.tensor_type.elem_type == TensorProto.FLOAT}
    known = [node for node in nodes if not floats or node.output[0] in floats]
    return known[len(known) // 2]


def put_after(model, node, *chain):
    """Operators after a node, each with attributes; the last one has the result's name."""
    at, name = list(model.graph.node).index(node), node.output[0]
    inner = [f"{name}_put_{i}" for i in range(len(chain))] + [name]
    node.output[0] = inner[0]
    for i, (op, attributes) in enumerate(chain):
        model.graph.node.insert(at + 1 + i,
                                helper.make_node(op, [inner[i]], [inner[i + 1]], f"put_{i}", **attributes))
    return "put_0"


def more_on_the_npu(model):
    """Two operators more that the target takes."""
    put_after(model, pick(model), ("Relu", {}), ("Relu", {}))
    return None


def refused_operator(model):
    """An operator more that the target does not take."""
    return put_after(model, pick(model), (REFUSED, {}))


def refused_in_every_layer(model):
    """The same in several places."""
    nodes = [node for node in model.graph.node if node.op_type == "Softmax"] or [pick(model)]
    for node in nodes:
        put_after(model, node, (REFUSED, {}))
    return "put_0"


def operator_replaced(model):
    """An activation becomes one that the target does not take."""
    node = pick(model, ("Relu", "Clip", "HardSwish", "Sigmoid", "Erf", "Tanh", "Sqrt", "Softmax"))
    node.op_type = REFUSED
    del node.input[1:]
    del node.attribute[:]
    return node.name


def wider_type(model):
    """A stretch in double, whose operator the target lacks in that type."""
    put_after(model, pick(model), ("Cast", {"to": TensorProto.DOUBLE}), ("Erf", {}),
              ("Cast", {"to": TensorProto.FLOAT}))
    return "put_1"


def data_dependent(model):
    """A result goes to NonZero as well, whose shape the data tells."""
    node = pick(model)
    model.graph.node.append(helper.make_node("NonZero", [node.output[0]], ["positions"], "positions_of"))
    model.graph.output.append(helper.make_tensor_value_info("positions", TensorProto.INT64, None))
    return "positions_of"


def dynamic_input(model):
    """The first size of the input is not fixed any more."""
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "many"
    del model.graph.value_info[:]
    return ""


def computed_constant(model):
    """A shape that was constant comes as an input."""
    for node in model.graph.node:
        for tensor in model.graph.initializer:
            if node.op_type in ("Reshape", "Expand") and tensor.name == node.input[1] and node.op_type == "Reshape":
                dims = list(tensor.dims)
                model.graph.initializer.remove(tensor)
                model.graph.input.append(helper.make_tensor_value_info(node.input[1], TensorProto.INT64, dims))
                del model.graph.value_info[:]
                return node.name
    raise ValueError("no Reshape to a constant shape")


FORMS = [identical, renamed, nameless, reordered, renamed_and_reordered, newer_opset, with_identities,
         constants_as_nodes]
CHANGES = [refused_operator, operator_replaced, wider_type, data_dependent]

# Models, the forms and the changes that each has.
PLAN = [
    ("mobilenetv2.dynamo.onnx", FORMS, CHANGES + [dynamic_input]),
    ("vit-b16.ts14.onnx", [renamed, reordered, renamed_and_reordered, nameless, with_identities],
     CHANGES + [refused_in_every_layer, dynamic_input]),
    ("distilbert-base.dynamo.s128.onnx", [renamed_and_reordered, with_identities],
     [refused_operator, refused_in_every_layer, computed_constant]),
    ("espcn-x3.dynamo.onnx", [renamed_and_reordered, newer_opset], [wider_type, dynamic_input]),
    ("mobilenetv2.qdq-int8.onnx", [renamed_and_reordered], []),
    ("mobilenetv3-small-050.ts14.onnx", [reordered, constants_as_nodes], [operator_replaced]),
]
# Of a corpus: the same network by other exporters and opsets, where only sizes or forms are others.
CORPUS = [("resnet50.ts17.dyn.onnx", "resnet50.dynamo.dyn.onnx"), ("mobilenetv2.ts13.onnx", "mobilenetv2.dynamo.onnx"),
          ("mobilenetv2.dynamo.onnx", "mobilenetv2.ts13.onnx")]


class Pairs:
    """Runs the tool, and counts."""

    def __init__(self, tool, folder):
        self.tool, self.folder, self.count, self.problems, self.worst_seconds = tool, folder, 0, [], 0.0

    def complain(self, label, problem):
        self.problems.append(f"{label}: {problem}")

    def diff(self, label, old, new, wanted_exit):
        """The document of a comparison; {} where the tool failed."""
        self.count += 1
        start = time.monotonic()
        done = subprocess.run([self.tool, "diff", old, new, "--target", TARGET, "--format", "json"], check=False,
                              capture_output=True, text=True)
        self.worst_seconds = max(self.worst_seconds, time.monotonic() - start)
        if done.returncode not in (0, 1):
            self.complain(label, f"exit {done.returncode}: {done.stderr.strip()}")
            return {}
        document = json.loads(done.stdout)["targets"][0]
        if done.returncode != wanted_exit:
            told = [figure["text"] for figure in document["figures"] if figure["change"] == "worse"]
            told += [cause["text"] for cause in document["causes"] if cause["change"] == "worse"]
            self.complain(label, f"exit {done.returncode}, wanted {wanted_exit}; worse: {told}")
        return document

    def save(self, model, name):
        """The path of a model that was written."""
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(model.SerializeToString())
        return path

    def form(self, source, change):
        """The same model: nothing is worse in either direction, and every live node is recognized."""
        label = f"{os.path.basename(source)} {change.__name__}"
        model = change(onnx.load(source, load_external_data=False))
        path = self.save(model, "form.onnx")
        for old, new in ((source, path), (path, source)):
            document = self.diff(label, old, new, 0)
            if not document:
                return
            if change is not newer_opset and (document["left_npu"] or document["came_to_npu"]):
                self.complain(label, "nodes left the NPU or came to it")
            lost = [node for node in document["nodes"] if node["state"] == "removed" and node["op"] not in
                    ("Identity", "Constant") and node["verdict_before"] != "folded"]
            if lost and change is not newer_opset:
                self.complain(label, f"{len(lost)} live nodes not recognized, first {lost[0]['op']} {lost[0]['name']}")

    def change(self, source, change):
        """A real change: worse one way, with a root, at the node that was touched; better back again."""
        label = f"{os.path.basename(source)} {change.__name__}"
        model = onnx.load(source, load_external_data=False)
        name = change(model)
        path = self.save(renamed_but(model, name), "changed.onnx")
        document = self.diff(label, source, path, 0 if name is None else 1)
        if not document or name is None:
            return
        roots = [cause for cause in document["causes"] if cause["change"] == "worse"]
        if not roots:
            self.complain(label, "no root is named")
        worse = [node["name"] for node in document["nodes"] if node["change"] == "worse"]
        if name and name not in worse:
            self.complain(label, f"{name} is not among {worse[:5]}")
        back = self.diff(label + " taken back", path, source, 0)
        if back and back["change"] != "better":
            self.complain(label + " taken back", f"is {back['change']}")


def renamed_but(model, kept):
    """Other names everywhere but at the node that is looked for: names shall be no help."""
    old = [node.name for node in model.graph.node]
    renamed(model)
    for node, name in zip(model.graph.node, old):
        if name and name == kept:
            node.name = name
    return model


def main():
    tool, fixtures = sys.argv[1:3]
    is_quick = "--quick" in sys.argv[3:]
    with tempfile.TemporaryDirectory() as folder:
        pairs = Pairs(tool, folder)
        for name, forms, changes in PLAN[:2] if is_quick else PLAN:
            source = os.path.join(fixtures, name)
            for form in forms[:5] if is_quick else forms:
                pairs.form(source, form)
            for change in [more_on_the_npu] * bool(changes) + (changes[:3] if is_quick else changes):
                pairs.change(source, change)
        models = os.environ.get("MODELS")
        for old, new in CORPUS if models and not is_quick else []:
            pairs.diff(f"{old} {new}", os.path.join(models, old), os.path.join(models, new), 0)
    for problem in pairs.problems:
        print("diff:", problem, file=sys.stderr)
    print(f"diff: {pairs.count} pairs, {len(pairs.problems)} problems, the longest {pairs.worst_seconds:.2f} s")
    return 1 if pairs.problems or pairs.count < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
