#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changed decoders through `npu-partition fix --cache`: it must end in a file or a message, and the file must be a model.

usage: decoder_mutants.py --tool build/npu-partition [--count N] [--first N] MODEL[:DIM=SIZE,...]...
Needs:  pip install onnx

Mutant N is made of one of the models by N alone: one to three changes of nodes, operands, attributes, declared sizes and
small constants. The exit status is 0 to 4, a file is there where it is 0 and never else, and onnx.checker takes it where
it took the mutant. Prints how many were written, and each failure; exit status 1 when there is one.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

OPS = ["Add", "Sub", "Mul", "Div", "Relu", "Identity", "Softmax", "Concat", "Slice", "Gather", "Transpose", "Reshape",
       "Unsqueeze", "Squeeze", "MatMul", "Where", "Cast", "Expand", "ReduceSum", "ReduceMax", "CumSum", "Range", "Shape",
       "Split", "Trilu", "ScatterND", "Equal", "Less", "Max", "Min", "Neg", "Clip", "Pad"]


def change_operand(chance, graph):
    node = chance.choice(graph.node)
    names = [name for other in graph.node for name in other.output] + [i.name for i in graph.input]
    names += [tensor.name for tensor in graph.initializer] + [""]
    if node.input:
        node.input[chance.randrange(len(node.input))] = chance.choice(names)


def change_op(chance, graph):
    chance.choice(graph.node).op_type = chance.choice(OPS)


def drop_node(chance, graph):
    """Whoever used its result uses its first operand."""
    at = chance.randrange(len(graph.node))
    node = graph.node[at]
    if not node.input or not node.output or not node.input[0]:
        return
    for other in graph.node:
        for i, name in enumerate(other.input):
            if name == node.output[0]:
                other.input[i] = node.input[0]
    if node.output[0] not in [output.name for output in graph.output]:
        del graph.node[at]


def change_attribute(chance, graph):
    nodes = [node for node in graph.node if any(a.type in (1, 2, 7) for a in node.attribute)]
    if not nodes:
        return
    attribute = chance.choice([a for a in chance.choice(nodes).attribute if a.type in (1, 2, 7)])
    number = chance.choice([-3, -2, -1, 0, 1, 2, 3, 7, 1 << 31, -(1 << 62)])
    if attribute.type == 1:
        attribute.f = chance.choice([0.0, -1.0, 1e38, float("nan"), float("inf")])
    elif attribute.type == 2:
        attribute.i = number
    elif attribute.ints:
        attribute.ints[chance.randrange(len(attribute.ints))] = number


def change_constant(chance, graph):
    tensors = [t for t in graph.initializer if t.data_type in (6, 7, 9) or int(np.prod(t.dims)) < 9]
    tensors += [a.t for node in graph.node if node.op_type == "Constant" for a in node.attribute if a.name == "value"]
    if not tensors:
        return
    tensor = chance.choice(tensors)
    array = numpy_helper.to_array(tensor).copy()
    if array.size:
        flat = array.reshape(-1)
        flat[chance.randrange(flat.size)] = chance.choice([-2, -1, 0, 1, 2, 3, 100])
        tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))


def change_size(chance, graph):
    dims = [dim for value in [*graph.input, *graph.output] for dim in value.type.tensor_type.shape.dim]
    dim = chance.choice(dims)
    if chance.random() < 0.5:
        dim.dim_value = chance.choice([0, 1, 2, 5, 16, 1 << 40])
    else:
        dim.dim_param = chance.choice([other.dim_param or "n" for other in dims])


def change_type(chance, graph):
    chance.choice([*graph.input, *graph.output]).type.tensor_type.elem_type = chance.choice([1, 6, 7, 9, 10])


def drop_output(chance, graph):
    if len(graph.output) > 1:
        del graph.output[chance.randrange(len(graph.output))]


CHANGES = [change_operand, change_op, drop_node, change_attribute, change_constant, change_size, change_type, drop_output]


def is_taken(path):
    try:
        onnx.checker.check_model(str(path))
    except Exception:  # whatever the checker raises
        return False
    return True


def judge(args, number, models, folder):
    """What is wrong, or None; and whether a file was written."""
    chance = random.Random(number)
    text, data, words = models[number % len(models)]
    model = onnx.ModelProto.FromString(data)
    for _ in range(1 + chance.randrange(3)):
        chance.choice(CHANGES)(chance, model.graph)
    path, out = folder / "mutant.onnx", folder / "out.onnx"
    path.write_bytes(model.SerializeToString())
    out.unlink(missing_ok=True)
    command = [args.tool, "fix", str(path), "-t", chance.choice(["hexagon", "intel-npu"]), "--cache",
               str(chance.choice([5, 16, 60])), "--tokens", chance.choice(["1", "1", "2", "4"]), "--present",
               chance.choice(["new", "new", "shift"]), "--allow", "ulp", "-o", str(out), "-q", *words]
    command += chance.choice([[], [], ["--window-cache"]])
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode not in range(5):
        return f"exit status {done.returncode}", False
    if out.exists() != (done.returncode == 0):
        return f"exit status {done.returncode}, file there: {out.exists()}", False
    if out.exists() and not is_taken(out) and is_taken(path):
        return "onnx.checker takes the mutant, and not what was written", True
    return None, out.exists()


def read(text):
    """The model without what only viewers read, and the words that it needs."""
    name, _, sizes = text.partition(":")
    model = onnx.load(name)
    for node in model.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    del model.graph.value_info[:]
    words = [word for pair in sizes.split(",") if pair for word in ("-d", pair)]
    return text, model.SerializeToString(), words


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    models = [read(text) for text in args.models]
    written = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(args.first, args.first + args.count):
            try:
                problem, is_written = judge(args, number, models, pathlib.Path(folder))
            except subprocess.TimeoutExpired:
                problem, is_written = "no end in 120 s", False
            written += is_written
            if problem:
                failed += 1
                print(f"mutant {number} of {models[number % len(models)][0]}: {problem}", flush=True)
    print(f"{args.count} mutants, {written} written, {failed} wrong")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
