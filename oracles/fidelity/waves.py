#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold `waves` against ONNX Runtime's own partitioner, on random graphs and on models.

usage: waves.py --tool build/npu-partition [--random 2000] [--seed N] [--models DIR]
Needs:  pip install onnx onnxruntime

The reference is the partitioner of ONNX Runtime's mobile usability checker (check_partitioning), which follows the
C++ providers' CreateSupportedPartitionNodeGroups. Both sides get the same random op list; shapes play no part. The
partitions must be the same sets of nodes. Prints what differs and the totals; exit status 1 when anything differs.
"""
import argparse
import json
import logging
import pathlib
import random
import subprocess
import sys
import tempfile

import onnx
from onnx import TensorProto, helper
from onnxruntime.tools.mobile_helpers import usability_checker

UNARY = ["Abs", "Ceil", "Cos", "Erf", "Exp", "Floor", "Neg", "Relu", "Sigmoid", "Sin", "Sqrt", "Tanh"]
BINARY = ["Add", "Div", "Mul", "Sub"]
VARIADIC = ["Concat", "Max", "Sum"]


# ---- random graphs -----------------------------------------------------------------------------------------


def random_graph(chance):
    """A directed acyclic graph of 1 to 60 nodes; how far back edges reach varies from graph to graph."""
    size, reach = chance.randint(1, 60), chance.choice([2, 5, 20, 60])
    values, nodes = ["x", "y"], []
    for i in range(size):
        kind = chance.random()
        recent = values[-reach:]
        if kind < 0.5:
            op, inputs = chance.choice(UNARY), [chance.choice(recent)]
        elif kind < 0.85:
            op, inputs = chance.choice(BINARY), [chance.choice(recent), chance.choice(values)]
        else:
            op = chance.choice(VARIADIC)
            inputs = [chance.choice(recent) for _ in range(chance.randint(1, 4))]
        attributes = {"axis": 0} if op == "Concat" else {}
        nodes.append(helper.make_node(op, inputs, [f"v{i}"], name=f"n{i}", **attributes))
        values.append(f"v{i}")
    outputs = [helper.make_tensor_value_info(values[-1], TensorProto.FLOAT, None)]
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 2]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "random", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


# ---- op lists ----------------------------------------------------------------------------------------------


def write_lists(folder, ops):
    """The same operators as a list of ours and as the checker's Markdown table."""
    ours, theirs = folder / "random.ops", folder / "random.md"
    ours.write_text("format 1\ntarget random\npartitioner waves\nbodies own\n"
                    + "".join(f"op {op}\n" for op in sorted(ops, key=split_name)))
    theirs.write_text("".join(f"|{op if ':' in op else 'ai.onnx:' + op}|note|\n" for op in ops))
    return ours, theirs


def split_name(op):
    return tuple(op.rsplit(":", 1)) if ":" in op else ("", op)


# ---- both sides --------------------------------------------------------------------------------------------


def our_partitions(tool, oplist, paths):
    """For each model: the partitions of the main graph as sets of indices, and how many there are in bodies."""
    answer = subprocess.run([tool, *map(str, paths), "--oplist", str(oplist), "--level", "off", "--format", "json"],
                            capture_output=True, text=True, check=False)
    if answer.returncode:
        raise SystemExit(answer.stderr)
    results = []
    for line in answer.stdout.splitlines():
        target = json.loads(line)["targets"][0]
        groups, in_bodies = {}, set()
        for node in target["nodes"]:
            if node["partition"] is None:
                continue
            if node["graph"]:
                in_bodies.add(node["partition"])
            else:
                groups.setdefault(node["partition"], set()).add(node["index"])
        results.append((sorted(map(sorted, groups.values())), len(in_bodies)))
    return results


def rename(graph, label):
    """Names that tell a node's place: "12" in the main graph, "-1" in bodies."""
    for i, node in enumerate(graph.node):
        node.name = label or str(i)
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                rename(attribute.g, "-1")


def their_partitions(model, table):
    renamed = onnx.ModelProto()
    renamed.CopyFrom(model)
    rename(renamed.graph, None)
    answer = usability_checker.check_partitioning(
        renamed.graph, usability_checker._SupportedOpsChecker(table), False)  # pylint: disable=protected-access
    groups = [[int(node.name) for node in group] for group in answer.supported_groups]
    return sorted(sorted(g) for g in groups if -1 not in g), sum(1 for g in groups if -1 in g)


def compare(tool, named_models, ops, folder):
    """Returns how many models differ, and how many the reference refuses to answer."""
    oplist, table = write_lists(folder, ops)
    paths = []
    for i, (_, model) in enumerate(named_models):
        paths.append(folder / f"{i}.onnx")
        paths[-1].write_bytes(model.SerializeToString())
    different = unanswered = 0
    for (name, model), ours in zip(named_models, our_partitions(tool, oplist, paths)):
        try:
            theirs = their_partitions(model, table)
        except Exception as error:  # pylint: disable=broad-except
            unanswered += 1
            print(f"{name}: no answer from the reference: {error}")
            continue
        if ours != theirs:
            different += 1
            print(f"{name}: ops {' '.join(sorted(ops))}\n  ours   {ours}\n  theirs {theirs}")
    return different, unanswered


# ---- the two collections -----------------------------------------------------------------------------------


def compare_random(tool, count, chance, folder):
    """A hundred graphs share an op list, so that the tool is started once for them."""
    different = done = 0
    while done < count:
        batch = min(100, count - done)
        ops = [op for op in UNARY + BINARY + VARIADIC if chance.random() < chance.choice([0.3, 0.7, 0.9])] or ["Relu"]
        models = [(f"random graph {done + i}", random_graph(chance)) for i in range(batch)]
        different += compare(tool, models, ops, folder)[0]
        done += batch
    print(f"random graphs: {count - different} of {count} the same")
    return different


def op_names(graph):
    """The operators of a graph and its bodies; constants are initializers to us, so no list holds them."""
    names = set()
    for node in graph.node:
        if node.op_type != "Constant":
            names.add(node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}:{node.op_type}")
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                names |= op_names(attribute.g)
    return names


def compare_models(tool, models, chance, folder):
    different = answered = 0
    for path in sorted(pathlib.Path(models).glob("*.onnx")):
        model = onnx.load(path, load_external_data=False)
        if model.functions:
            continue  # the reference does not inline
        names = sorted(op_names(model.graph))
        for share in (0.5, 0.8):
            ops = [op for op in names if chance.random() < share] or names[:1]
            differs, unanswered = compare(tool, [(path.name, model)], ops, folder)
            different += differs
            answered += 1 - unanswered
    print(f"models: {answered - different} of {answered} runs the same")
    return different


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--random", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--models")
    args = parser.parse_args()
    logging.disable(logging.CRITICAL)
    print(f"seed {args.seed}")
    chance = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        different = compare_random(args.tool, args.random, chance, pathlib.Path(folder))
        if args.models:
            different += compare_models(args.tool, args.models, chance, pathlib.Path(folder))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
