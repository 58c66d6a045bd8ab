#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ask a build of ONNX Runtime with the XNNPACK provider which nodes of a model it takes; a line of JSON for verify.py.

usage: PYTHON ask_xnnpack.py MODEL.onnx [--level off|basic] [--dim NAME=SIZE ...]

PYTHON has such a build: Debian's python3-onnxruntime is one. What is taken is read from the session's verbose log, which
says how many nodes are placed where, and names those on the CPU. A node that the provider takes, or fuses into another,
loses its name: so a node of the main graph that the log does not name is the provider's, if its operator is one that it
has; others were folded, or became what the runtime makes of them, as a DequantizeLinear past which it moves a Transpose.
Weights that lie elsewhere are read as zeros.
"""
import argparse
import json
import os
import pathlib
import re
import tempfile

import onnx
import onnxruntime

from given_sizes import with_sizes
from zeros import write_zeros

TAKEN = set("AveragePool Clip Conv ConvTranspose Gemm MatMul MaxPool QLinearConv Relu Resize Softmax".split())


def session_log(path, level, folder):
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.log_verbosity_level = 0, 1
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, {
        "off": "ORT_DISABLE_ALL", "basic": "ORT_ENABLE_BASIC"}[level])
    kept, log = os.dup(2), os.open(folder / "log", os.O_CREAT | os.O_WRONLY)
    os.dup2(log, 2)
    try:
        onnxruntime.InferenceSession(str(path), options, providers=["XnnpackExecutionProvider", "CPUExecutionProvider"])
    finally:
        os.dup2(kept, 2)
    text = (folder / "log").read_text(errors="replace")
    return text[text.find("Node placements"):].splitlines()


def placements(lines):
    """How many nodes the provider has, and which of ours are on the CPU; None where all are."""
    count, on_cpu, provider = 0, set(), ""
    for line in lines:
        if alone := re.search(r"All nodes placed on \[(\w+)\]. Number of nodes: (\d+)", line):
            is_taken = alone[1].startswith("Xnn")
            return int(alone[2]) if is_taken else 0, set() if is_taken else None
        if some := re.search(r"Node\(s\) placed on \[(\w+)\]. Number of nodes: (\d+)", line):
            provider = some[1]
            count += int(some[2]) if provider.startswith("Xnn") else 0
        elif (node := re.search(r"\((n\d+)_(?:_token_\d+)*\)\s*$", line)) and not provider.startswith("Xnn"):
            on_cpu.add(node[1])
    return count, on_cpu


def ask(path, level, dims):
    model = onnx.load(path, load_external_data=False)
    model.ir_version = min(model.ir_version, 10)
    with_sizes(model, dims)
    for index, node in enumerate(model.graph.node):
        node.name = f"n{index}_"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_zeros(model, folder)
        onnx.save(model, folder / "model.onnx")
        count, on_cpu = placements(session_log(folder / "model.onnx", level, folder))
    nodes = [{"index": index, "op": node.op_type, "ep": "CPU" if on_cpu is None or f"n{index}" in on_cpu else "XNNPACK"}
             for index, node in enumerate(model.graph.node)
             if on_cpu is None or f"n{index}" in on_cpu or node.op_type in TAKEN]
    return {"partitions": count, "nodes": nodes}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--level", default="basic", choices=["off", "basic"])
    parser.add_argument("--dim", action="append", default=[])
    options = parser.parse_args()
    dims = {name: int(size) for name, size in (dim.rsplit("=", 1) for dim in options.dim)}
    row = {"model": options.model.name, "level": options.level, "dims": dims}
    try:
        row.update(ask(options.model, options.level, dims))
    except Exception as error:  # what the runtime says of a model that it does not load
        row["error"] = f"{type(error).__name__}: {error}"[:300]
    print(json.dumps(row))


main()
