#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ask ONNX Runtime's NNAPI or CoreML provider which nodes of a model it takes; a line of JSON for verify.py.

usage: PYTHON ask_providers.py --ask FOLDER/ask --provider NAME[,NAME...] MODEL.onnx... [--version N] [--level off|basic]
       [--dim NAME=SIZE ...]

FOLDER is what providers_build.py made, of the two providers' own source. PYTHON has the onnxruntime of the same release:
its session at this level writes the model as it is before nodes are handed out, and the provider is asked about that.
Casts that the session put round FLOAT16 nodes, which its CPU provider lacks and no other one needs, are taken out again.
NAME: nnapi, nnapi-nchw, coreml-mlprogram, coreml-neuralnetwork, or one of the last two with -static; of several each has
a line. Weights that lie elsewhere are zeros, and in the file as far as it can hold them: of weights that lie elsewhere
these providers take no node. Nothing is compiled or run: what the provider says when it builds its model is not known.
"""
import argparse
import json
import pathlib
import re
import subprocess
import tempfile

import onnx
import onnxruntime

from given_sizes import with_sizes
from zeros import write_zeros

VERSIONS = {"nnapi": 31, "coreml": 7}  # Android's API level and Core ML's version, as each has off its own system
MOST_EMBEDDED = 1500 << 20  # bytes of weights; a file of protobuf holds 2 GB
INSERTED = "InsertedPrecisionFreeCast_"


def write_optimized(path, level, to):
    """What a session has before it partitions. It is written before kernels are looked for, so also without one."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.optimized_model_filepath = str(to)
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, {
        "off": "ORT_DISABLE_ALL", "basic": "ORT_ENABLE_BASIC"}[level])
    try:
        onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception:
        if not to.is_file():
            raise


def without_inserted_casts(path):
    """Each is passed by: what reads its result reads its input, and what makes a result of the graph is named as that."""
    model = onnx.load(path)
    nodes, results = model.graph.node, {value.name for value in model.graph.output}
    inserted = [node for node in nodes if node.op_type == "Cast" and INSERTED in node.name + node.output[0] + node.input[0]]
    renamed = {node.input[0]: node.output[0] for node in inserted if node.output[0] in results}
    before = {node.output[0]: node.input[0] for node in inserted}
    if not inserted:
        return
    kept = [node for node in nodes if not (node.op_type == "Cast" and node.output[0] in before)]
    for node in kept:
        for place, name in enumerate(node.input):
            while name in before:
                name = before[name]
            node.input[place] = renamed.get(name, name)
        for place, name in enumerate(node.output):
            node.output[place] = renamed.get(name, name)
    del nodes[:], model.graph.value_info[:]
    nodes.extend(kept)
    onnx.save(model, path)


def prepared(path, options, dims, folder):
    """What the provider is asked about, and the operators of the file by index."""
    model = onnx.load(path, load_external_data=False)
    model.ir_version = min(model.ir_version, 10)
    with_sizes(model, dims)
    for index, node in enumerate(model.graph.node):
        node.name = f"n{index}_"
    write_zeros(model, folder)
    if sum(file.stat().st_size for file in folder.iterdir()) < MOST_EMBEDDED:
        onnx.load_external_data_for_model(model, str(folder))
    onnx.save(model, folder / "model.onnx")
    write_optimized(folder / "model.onnx", options.level, folder / "optimized.onnx")
    without_inserted_casts(folder / "optimized.onnx")
    return folder / "optimized.onnx", [node.op_type for node in model.graph.node]


def ask(path, operators, provider, options):
    version = options.version or VERSIONS[provider.split("-")[0]]
    done = subprocess.run([options.ask, provider, str(version), path], capture_output=True, text=True, check=False)
    if done.returncode:
        return {"error": f"status {done.returncode}: {done.stderr.strip()}"[:300]}
    told = json.loads(done.stdout)
    nodes = [{"index": int(found[1]), "op": operators[int(found[1])], "ep": provider if partition >= 0 else "CPU",
              "partition": partition}
             for node, _, partition in told["nodes"] if (found := re.match(r"n(\d+)_", node))]
    return {"partitions": told["partitions"], "nodes": sorted(nodes, key=lambda node: node["index"])}


def rows_of(path, options, dims):
    providers = options.provider.split(",")
    row = {"model": path.name, "level": options.level, "dims": dims}
    with tempfile.TemporaryDirectory() as name:
        try:
            asked, operators = prepared(path, options, dims, pathlib.Path(name))
        except Exception as error:  # what the runtime says of a model that it does not load
            asked, operators = None, f"{type(error).__name__}: {error}"[:300]
        for provider in providers:
            told = ask(asked, operators, provider, options) if asked else {"error": operators}
            yield {**row, **({"target": provider} if len(providers) > 1 else {}), **told}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path, nargs="+")
    parser.add_argument("--ask", required=True)
    parser.add_argument("--provider", required=True)
    parser.add_argument("--version", type=int)
    parser.add_argument("--level", default="basic", choices=["off", "basic"])
    parser.add_argument("--dim", action="append", default=[])
    options = parser.parse_args()
    dims = {name: int(size) for name, size in (dim.rsplit("=", 1) for dim in options.dim)}
    for path in options.model:
        for row in rows_of(path, options, dims):
            print(json.dumps(row), flush=True)


main()
