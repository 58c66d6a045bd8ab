#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold what the tool counts of multiply-accumulates and bytes against others' counts of the same models.

usage: work.py [--tool build/npu-partition] [--truth FOLDER] [--verbose] [--summary docs/evidence/fidelity.md --date 2026-01-31]
               MODELS
Needs:  pip install onnx onnx-tool

MODELS is a folder of NAME.onnx files. Of each the sizes are those that a run saw (NAME.run.json.gz, see shapes.py), or
onnx's inference where all its shapes are static (NAME.shapes.json.gz): onnx-tool is given these for each node and does
not infer, and the tool is given the dims of the inputs and does.

Counted are the operators that multiply and add: PRODUCTS, node by node. onnx-tool counts additions, activations and
comparisons of all others as multiply-accumulates, too, and the addition of a bias; it is asked without a bias, and not
of the others. Of the following it has another definition, so they are compared apart:
  ConvTranspose      it counts what every element of the result would take without strides: the tool counts the input's
  LSTM, GRU          it adds the gates' additions and functions; RNN and contrib operators it does not know
Nodes in the bodies of If, Loop and Scan and in functions are left out, as are nodes that are folded, and those whose
sizes the data decide.

--truth: latency_graphs.csv.gz in that folder has one line a graph: its multiply-accumulates, all, in operators with
constant weights, in products of two activations, and in depthwise convolutions and pooling; bytes of the weights of
these, where we count scales and zero points and 4 bytes an element of a quantized bias; bytes of activations that are
made, of float files only, without those of Relu and its like, nothing folded. Float is 2 bytes there.

Exit status 1 when a model's total differs by more than 1 %, or fewer than 30 could be compared.
"""
import argparse
import collections
import concurrent.futures
import csv
import gzip
import importlib.metadata
import json
import pathlib
import subprocess
import sys
import textwrap
import warnings

import onnx
import onnx_tool
import onnx_tool.node

PRODUCTS = {"Conv": 2, "Gemm": 2, "MatMul": 2, "Einsum": 2, "ConvInteger": 2, "MatMulInteger": 2, "QLinearConv": 8,
            "QLinearMatMul": 8}
APART = {"ConvTranspose": 2, "LSTM": 4, "GRU": 4}
LEAST_MODELS = 30
MOST_DIFFERENCE = 0.01
MOST_UNKNOWN = 0.02  # of the nodes: those of mixtures of experts
PART = "Work\n"
WORKERS = 2
VERSION = importlib.metadata.version("onnx-tool")


def read(path):
    return json.loads(gzip.open(path, "rt").read()) if path.exists() else None


def ask(tool, path, arguments):
    done = subprocess.run([tool, path, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def truth_of(path):
    """Sizes to give to the tool, and by tensor its dims; None where some dim is not known."""
    run = read(path.with_suffix(".run.json.gz"))
    if run:
        return run["bind"], {name: dims for name, (_, dims) in run["tensors"].items()}
    shapes = read(path.with_suffix(".shapes.json.gz")) or {}
    known = {name: shape[1] for name, shape in shapes.items() if shape and isinstance(shape[0], int)}
    is_static = all(dims is not None and all(isinstance(dim, int) for dim in dims) for dims in known.values())
    return ({}, known) if known and is_static else (None, None)


def tensor(name, dims):
    made = onnx_tool.tensor.Tensor(name)
    made.update_shape(list(dims))
    return made


def their_macs(node, dims):
    """Of one node by onnx-tool, without a bias; None where it fails or a shape is missing."""
    operands = [name for name in node.input if name][:{**PRODUCTS, **APART}[node.op_type]]
    if any(dims.get(name) is None for name in [*operands, node.output[0]]):
        return None
    inputs, outputs = [tensor(name, dims[name]) for name in operands], [tensor(node.output[0], dims[node.output[0]])]
    try:
        return onnx_tool.node.create_node(node).profile(inputs, outputs)[0]
    except (AttributeError, AssertionError, IndexError, KeyError, TypeError, ValueError):
        return None


def compare(tool, path):
    """By operator: nodes, our sum, their sum; nodes that differ; nodes that could not be compared."""
    sums, differ, skipped = collections.defaultdict(lambda: [0, 0, 0]), [], collections.Counter()
    bind, dims = truth_of(path)
    ours = ask(tool, path, ["--shapes", "-v", *(f"--dim={name}={size}" for name, size in bind.items())]) \
        if bind is not None else None
    if ours is None:
        return None
    graph = onnx.load(path, load_external_data=False).graph
    dims = dict(dims)
    dims.update((weight.name, list(weight.dims)) for weight in graph.initializer)
    for node in graph.node:
        if node.op_type == "Constant":
            dims[node.output[0]] = [dim for at in node.attribute if at.name == "value" for dim in at.t.dims]
        if node.op_type not in PRODUCTS and node.op_type not in APART or node.domain not in ("", "ai.onnx"):
            continue
        mine, theirs = ours[node.output[0]], their_macs(node, dims)
        work = mine[2] if mine and len(mine) > 2 else {"class": "none"}
        reason = "folded" if work["class"] == "none" else "without an answer of onnx-tool" if theirs is None else \
            "of sizes that the data decide" if work["macs"] is None else None
        if reason:
            skipped[reason] += 1
            continue
        of_op = sums[node.op_type]
        of_op[0] += 1
        of_op[1] += work["macs"]
        of_op[2] += theirs
        if work["macs"] != theirs:
            differ.append((node.op_type, node.output[0], work["macs"], theirs))
    return {"sums": dict(sums), "differ": differ, "skipped": skipped}


def total(result, operators):
    return [sum(of_op[i] for op, of_op in result["sums"].items() if op in operators) for i in range(3)]


def compare_models(tool, paths, verbose):
    """Rows for the page, and what is wrong."""
    compared, wrong, by_op = [], [], collections.defaultdict(lambda: [0, 0, 0, 0])
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        results = list(pool.map(lambda path: compare(tool, path), paths))
    skipped, all_nodes = collections.Counter(), 0
    for path, result in zip(paths, results):
        nodes, ours, theirs = total(result, PRODUCTS) if result else (0, 0, 0)
        for op, of_op in (result or {"sums": {}})["sums"].items():
            by_op[op] = [before + more for before, more in zip(by_op[op], [*of_op, 0])]
        for op, *_ in (result or {"differ": []})["differ"]:
            by_op[op][3] += 1
        if not theirs:
            continue
        skipped += result["skipped"]
        all_nodes += nodes
        compared.append(path.stem)
        difference = abs(ours - theirs) / theirs
        if difference > MOST_DIFFERENCE:
            wrong.append(f"{path.stem}: {ours} MACs, onnx-tool {theirs} ({difference:.2%})")
        if verbose or difference > MOST_DIFFERENCE:
            print(f"{path.stem}: {nodes} nodes, {ours} against {theirs}, {sum(result['skipped'].values())} left out")
            for kind in result["differ"][:5]:
                print("   ", *kind)
    rows = [[op, *values[:1], values[3], f"{values[1]:,}", f"{values[2]:,.0f}", f"{values[1] / values[2] - 1:+.3%}",
             "" if op in PRODUCTS else "another definition"] for op, values in sorted(by_op.items()) if values[2]]
    if len(compared) < LEAST_MODELS:
        wrong.append(f"only {len(compared)} models could be compared")
    if skipped["of sizes that the data decide"] > MOST_UNKNOWN * all_nodes:
        wrong.append("too many nodes are of unknown work")
    return compared, skipped, rows, wrong


# ---- the table of graphs --------------------------------------------------------------------------------------------

def works_of(tool, path, level):
    done = subprocess.run([tool, path, "--target", "hexagon", "--level", level, "--format", "json"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    nodes = json.loads(done.stdout)["targets"][0]["nodes"]
    return [(node["op"], node["work"]) for node in nodes if node["work"] and isinstance(node["work"]["macs"], int)]


def sums_of(tool, path):
    """What the table has of a graph, by our count."""
    is_float = ".qdq-" not in path.name
    sums = collections.Counter()
    for op, work in works_of(tool, path, "basic"):
        sums["macs"] += work["macs"]
        is_window = work["class"] == "depthwise" and not op.startswith("Global")
        sums["depthwise_macs"] += work["macs"] + work["operations"] if is_window else 0
        sums["matrix_macs"] += work["macs"] if work["class"] == "matrix" else 0
        sums["attention_macs"] += work["macs"] if work["class"] == "product" else 0
        if work["class"] in ("matrix", "depthwise", "product"):
            sums["weight_bytes"] += work["weight_bytes"] // (2 if is_float else 1)
    for op, work in works_of(tool, path, "off") if is_float else []:
        if op not in FUSED_BY_COMPILERS:
            sums["activation_bytes"] += (work["bytes_out"] or 0) // 2
    return sums


FUSED_BY_COMPILERS = {"Relu", "Clip", "PRelu", "LeakyRelu"}
COLUMNS = ["macs", "matrix_macs", "attention_macs", "depthwise_macs", "weight_bytes", "activation_bytes"]


def compare_graphs(tool, models, truth, verbose):
    """By column: graphs, how many agree exactly and within 1 %, median and largest difference."""
    with gzip.open(truth / "latency_graphs.csv.gz", "rt") as file:
        lines = [line for line in csv.DictReader(file) if (models / line["graph"]).exists()]
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        ours = list(pool.map(lambda line: sums_of(tool, models / line["graph"]), lines))
    rows = []
    for column in COLUMNS:
        differences = []
        for line, sums in zip(lines, ours):
            theirs = int(line[column])
            if column == "activation_bytes" and not sums[column]:
                continue
            if theirs or sums[column]:
                differences.append((sums[column] / theirs - 1 if theirs else 1.0, line["graph"], sums[column], theirs))
        if verbose:
            for difference in sorted(differences, key=lambda one: -abs(one[0]))[:8]:
                print(column, *difference)
        sizes = sorted(abs(one[0]) for one in differences)
        worst = max(differences, key=lambda one: abs(one[0]))
        rows.append([column, len(sizes), sum(size == 0 for size in sizes), sum(size <= 0.01 for size in sizes),
                     f"{sizes[len(sizes) // 2]:.2%}", f"{worst[0]:+.1%} ({worst[1].removesuffix('.onnx')})"])
    return rows


def table(heads, rows):
    return ["| " + " | ".join(map(str, row)) + " |" for row in [heads, ["---"] * len(heads), *rows]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/npu-partition")
    parser.add_argument("--truth", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--summary", type=pathlib.Path, help="write the figures to this page, into their part")
    parser.add_argument("--date", default="")
    parser.add_argument("models", type=pathlib.Path)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    compared, skipped, rows, wrong = compare_models(args.tool, sorted(args.models.glob("*.onnx")), args.verbose)
    left_out = ", ".join(f"{count} {reason}" for reason, count in sorted(skipped.items()))
    introduction = (
        f"`make fidelity-work` compares multiply-accumulates of {len(compared)} models with onnx-tool {VERSION}, node "
        f"by node at true shapes. {len(compared) - len(wrong)} totals are within {MOST_DIFFERENCE:.0%}. onnx-tool "
        "counts additions, biases and activations of all operators as multiply-accumulates, so it is asked of these operators "
        f"alone, and without a bias. Left out are nodes that are {left_out}. In an LSTM it counts the functions of the "
        "gates, too." + (f" The figures: {args.date}." if args.date else ""))
    lines = [textwrap.fill(introduction, 118, break_on_hyphens=False), "",
             *table(["op", "nodes", "differ", "MACs", "onnx-tool", "difference", ""], rows)]
    if args.truth:
        lines += ["", textwrap.fill(
            "Against the table of published networks' graphs (`latency_graphs.csv.gz`). Depthwise includes the windows "
            "of pooling. We count scales, zero points and biases as weight bytes, too. Activations are of float graphs "
            "at level off, without those of Relu and its like.", 118), "",
                  *table(["figure", "graphs", "equal", "within 1 %", "median", "largest"],
                         compare_graphs(args.tool, args.models, args.truth, args.verbose))]
    if args.summary:
        parts = args.summary.read_text(encoding="utf-8").rstrip().split("\n## ")
        parts = [part for part in parts if not part.startswith(PART)] + [PART + "\n" + "\n".join(lines)]
        args.summary.write_text("\n## ".join(part.rstrip() + "\n" for part in parts), encoding="utf-8")
    print("\n".join([*lines, *wrong]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
