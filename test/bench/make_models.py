#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the models that the benchmark measures.

usage: make_models.py FIXTURES OUT [--peers]

OUT/weights.onnx   1.9 GB in one file: 1,440 nodes, 480 inline float tensors of 4 MB
OUT/nodes.onnx     100,000 nodes: a transformer block and a CNN block of the fixtures repeated, metadata kept
OUT/nodes10.onnx   a tenth of that, to see that cost grows linearly
OUT/weights12.onnx 1.2 GB in the form of weights.onnx, for the peers (with --peers)
Needs:  pip install onnx
"""
import argparse
import os

import onnx
from onnx import TensorProto, helper

from growth_shapes import varint

LAYER_SIDE = 1000  # 1000 x 1000 float32 is 4 MB
IR_VERSION = 10    # that every runtime of these opsets loads; the package's own may be newer than they are


def field_header(number, size):
    return varint(number << 3 | 2) + varint(size)


# ---- inline weights ----------------------------------------------------------------------------------------


def weight_parts(name):
    """A TensorProto with 4 MB of raw data, as its head and the length of the payload."""
    payload = LAYER_SIDE * LAYER_SIDE * 4
    head = TensorProto(dims=[LAYER_SIDE, LAYER_SIDE], data_type=TensorProto.FLOAT, name=name).SerializeToString()
    return head + field_header(9, payload), payload


def write_weights(path, layers):
    """Streams the file, so that no more than one tensor is in memory. Serializers write initializers after nodes."""
    nodes, before = [], "x"
    for i in range(layers):
        nodes += [helper.make_node("MatMul", [before, f"w{i}"], [f"m{i}"], name=f"layers.{i}.matmul"),
                  helper.make_node("Add", [f"m{i}", "bias"], [f"a{i}"], name=f"layers.{i}.add"),
                  helper.make_node("Relu", [f"a{i}"], [f"r{i}"], name=f"layers.{i}.relu")]
        before = f"r{i}"
    bias = helper.make_tensor("bias", TensorProto.FLOAT, [LAYER_SIDE], bytes(4 * LAYER_SIDE), raw=True)
    graph = helper.make_graph(
        nodes, "weights", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, LAYER_SIDE])],
        [helper.make_tensor_value_info(before, TensorProto.FLOAT, [1, LAYER_SIDE])], [bias])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=IR_VERSION)
    rest = onnx.ModelProto()
    rest.CopyFrom(model)
    rest.ClearField("graph")
    graph_bytes = graph.SerializeToString()
    heads = [weight_parts(f"w{i}") for i in range(layers)]
    size = len(graph_bytes) + sum(len(field_header(5, len(h) + p)) + len(h) + p for h, p in heads)
    chunk = os.urandom(1 << 20)
    with open(path, "wb") as out:
        out.write(rest.SerializeToString() + field_header(7, size) + graph_bytes)
        for head, payload in heads:
            out.write(field_header(5, len(head) + payload) + head)
            out.write((chunk * (payload // len(chunk) + 1))[:payload])


# ---- repeated blocks ---------------------------------------------------------------------------------------


def ancestors(producers, value, stop=()):
    """The nodes that `value` is computed from, not passing through the values in `stop`."""
    found, todo = set(), [value]
    while todo:
        at = todo.pop()
        if at in stop or at not in producers or producers[at] in found or len(found) > 100:
            continue
        found.add(producers[at])
        todo.extend(name for name in nodes_of[producers[at]].input if name)
    return found


nodes_of = {}


def find_block(model, shape_of, wanted_op):
    """The smallest stretch of nodes with `wanted_op` between two values of one shape that could follow itself: what
    it takes from elsewhere (a mask) has a static shape, so that it can become an input of its own."""
    global nodes_of
    nodes_of = dict(enumerate(model.graph.node))
    producers = {name: i for i, node in nodes_of.items() for name in node.output}
    constants = {t.name for t in model.graph.initializer}
    order = [node.output[0] for node in model.graph.node if len(shape_of.get(node.output[0], ())) >= 3]
    best = None
    for at, start in enumerate(order):
        for end in order[at + 1:at + 80]:
            if shape_of[start] != shape_of[end]:
                continue
            block = sorted(ancestors(producers, end, {start}))
            outside = {name for i in block for name in nodes_of[i].input
                       if name and name not in constants and name != start and producers.get(name) not in block}
            fits = (wanted_op in {nodes_of[i].op_type for i in block} and len(block) >= 12 and len(outside) <= 2
                    and all(name in shape_of for name in outside)
                    and min(block) > producers[start] and any(start in nodes_of[i].input for i in block))
            if fits and (best is None or len(block) < len(best[2])):
                best = (start, end, block, sorted(outside))
    if best is None:
        raise SystemExit(f"no block with {wanted_op}")
    return best


def static_shapes(model):
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    shapes = {}
    for info in list(inferred.graph.value_info) + list(inferred.graph.input):
        dims = info.type.tensor_type.shape.dim
        if dims and all(d.HasField("dim_value") for d in dims):
            shapes[info.name] = tuple(d.dim_value for d in dims)
    return shapes


def element_type(model, name):
    inferred = onnx.shape_inference.infer_shapes(model)
    for info in list(inferred.graph.value_info) + list(inferred.graph.input):
        if info.name == name:
            return info.type.tensor_type.elem_type
    return TensorProto.FLOAT


def repeat_block(out, path, count, prefix, wanted_op):
    """Appends `count` nodes' worth of the model's block to the graph `out`, each copy fed by the one before."""
    model = onnx.load(path, load_external_data=False)
    shapes = static_shapes(model)
    start, end, block, outside = find_block(model, shapes, wanted_op)
    constants = {t.name: t for t in model.graph.initializer}
    used, before = set(), f"{prefix}.input"
    out.input.append(helper.make_tensor_value_info(before, TensorProto.FLOAT, shapes[start]))
    for name in outside:
        out.input.append(helper.make_tensor_value_info(f"{prefix}.{name}", element_type(model, name), shapes[name]))
    copies = -(-count // len(block))
    for copy in range(copies):
        def rename(name, copy=copy, before=before):
            if not name:
                return name
            if name in constants:
                used.add(name)
                return f"{prefix}.{name}"
            if name in outside:
                return f"{prefix}.{name}"
            return before if name == start else f"{prefix}.{copy}.{name}"
        for index in block:
            node = out.node.add()
            node.CopyFrom(model.graph.node[index])
            node.name = f"{prefix}.{copy}.{node.name}"
            node.input[:] = [rename(name) for name in node.input]
            node.output[:] = [rename(name) for name in node.output]
        before = f"{prefix}.{copy}.{end}"
    for name in sorted(used):
        tensor = out.initializer.add()
        tensor.CopyFrom(constants[name])
        tensor.name = f"{prefix}.{name}"
    out.output.append(helper.make_tensor_value_info(before, TensorProto.FLOAT, shapes[end]))
    return max(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))


def write_nodes(path, fixtures, count):
    graph = onnx.GraphProto(name="nodes")
    versions = [repeat_block(graph, os.path.join(fixtures, "distilbert-base.dynamo.s128.onnx"), count * 6 // 10, "text",
                             "Softmax"),
                repeat_block(graph, os.path.join(fixtures, "mobilenetv3-large.dynamo.onnx"), count * 4 // 10, "image",
                             "Conv")]
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", max(versions))], ir_version=IR_VERSION)
    with open(path, "wb") as out:
        out.write(model.SerializeToString())
    return len(graph.node)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fixtures")
    parser.add_argument("out")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--million", action="store_true")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    made = {"weights.onnx": lambda p: write_weights(p, 480),
            "nodes10.onnx": lambda p: write_nodes(p, args.fixtures, 10_000),
            "nodes.onnx": lambda p: write_nodes(p, args.fixtures, 100_000)}
    if args.million:
        made["million.onnx"] = lambda p: write_nodes(p, args.fixtures, 1_000_000)
    if args.peers:
        made["weights12.onnx"] = lambda p: write_weights(p, 300)
    for name, write in made.items():
        path = os.path.join(args.out, name)
        if not os.path.exists(path):
            print(f"writing {path}", flush=True)
            write(path + ".new")
            os.rename(path + ".new", path)
        print(f"{path}: {os.path.getsize(path):,} bytes", flush=True)


if __name__ == "__main__":
    main()
