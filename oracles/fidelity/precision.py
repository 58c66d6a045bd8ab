# SPDX-License-Identifier: Apache-2.0
"""What --as promises of a quantized model, beside the model as ONNX Runtime's quantizer really writes it.

    python oracles/fidelity/precision.py TOOL [-t TARGETS] [--as PRECISION,...] [--work FOLDER] [--dim NAME=N] MODEL...

Each MODEL gets random weights where it has none, is quantized by onnxruntime.quantization with random calibration
data, and planned; and the MODEL itself is planned with --as. Compared are the nodes of the two graphs (QuantizeLinear
and DequantizeLinear by name), verdicts by node, and partitions with their contents. Needs onnx, onnx-ir and onnxruntime, and the Python package from this checkout
(NPU_PARTITION_LIBRARY, PYTHONPATH), whose quantizer is held to its promise so.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
from npu_partition import quantize
from onnx import external_data_helper, helper, numpy_helper


def tensors_of(graph):
    """All tensors of a graph and its bodies."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            for body in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                yield from tensors_of(body)


def filled(path):
    """The model with numbers wherever its weights are absent."""
    model = onnx.load(path, load_external_data=False)
    chance = np.random.default_rng(7)
    for tensor in tensors_of(model.graph):
        if not external_data_helper.uses_external_data(tensor):
            continue
        dims, dtype = list(tensor.dims), helper.tensor_dtype_to_np_dtype(tensor.data_type)
        fan = max(1, int(np.prod(dims[1:])) if len(dims) > 1 else 1)
        values = chance.standard_normal(dims) / np.sqrt(fan) if len(dims) > 1 else np.full(dims, 0.5)
        tensor.CopyFrom(numpy_helper.from_array(np.asarray(values).astype(dtype), tensor.name))
    return model


def plans(tool, path, targets, arguments):
    run = subprocess.run([tool, str(path), "-t", targets, "-f", "json", "--no-advice", *arguments],
                         capture_output=True, text=True, check=False)
    if not run.stdout:
        raise RuntimeError(run.stderr.strip())
    return json.loads(run.stdout)["targets"]


def keys_of(plan):
    """Names of nodes by their place; those that have none, or one that a converter of opsets made, are counted by op,
    without constants, whose number converters choose."""
    counts = collections.Counter()
    keys = {}
    for place, node in enumerate(plan["nodes"]):
        is_made = re.search(r"^$|^_v_\d+|/opset/|_intermediate_(convert_(clone_)?)?(De)?[Qq]uantize", node["name"])
        counts[node["op"]] += bool(is_made)
        if node["op"] != "Constant":
            keys[place] = f'{node["op"]} {counts[node["op"]]}' if is_made else node["name"]
    return keys


def compare(target, promised, real):
    """One line: nodes that the two have not both, verdicts that differ, partitions."""
    keys = [keys_of(plan) for plan in (promised, real)]
    first, second = ({name: plan["nodes"][place] for place, name in key.items()}
                     for plan, key in zip((promised, real), keys))
    absent, extra = sorted(set(second) - set(first)), sorted(set(first) - set(second))
    other = [name for name in first if name in second and first[name]["verdict"] != second[name]["verdict"]]
    contents = [sorted(sorted(key[node] for node in partition["nodes"] if node in key)
                       for partition in plan["partitions"]) for plan, key in zip((promised, real), keys)]
    return {"target": target, "as": promised.get("as"), "nodes": len(second), "absent": absent[:6], "extra": extra[:6],
            "absent_count": len(absent), "extra_count": len(extra), "other_count": len(other),
            "other": [[name, first[name]["op"], first[name]["verdict"], second[name]["verdict"]] for name in other[:6]],
            "partitions": [len(side) for side in contents], "contents": contents[0] == contents[1],
            "verdict": [promised["summary"]["verdict"], real["summary"]["verdict"]]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("models", nargs="+")
    parser.add_argument("-t", "--targets", default="hexagon,intel-npu")
    parser.add_argument("--as", dest="precisions", default="w8a8,w8a16,w8a8:qnn,w8a16:qnn")
    parser.add_argument("--work", default="build/precision")
    parser.add_argument("--dim", action="append", default=[])
    options = parser.parse_args()
    work = pathlib.Path(options.work)
    work.mkdir(parents=True, exist_ok=True)
    sizes = {name: int(size) for name, _, size in (dim.partition("=") for dim in options.dim)}
    dims = [word for dim in options.dim for word in ("--dim", dim)]
    failed = 0
    for path in options.models:
        stem = pathlib.Path(path).name.removesuffix(".onnx")
        source = work / f"{stem}.float.onnx"
        model = filled(path)
        onnx.save(model, source)
        for precision in options.precisions.split(","):
            out = work / f"{stem}.{precision.replace(':', '-').replace('=', '-')}.onnx"
            try:
                promised = plans(options.tool, path, options.targets, ["--as", precision, *dims])
                if not out.exists():
                    kept = [promised[0].get(key, ()) for key in ("kept", "widened", "wide")]
                    quantize.quantize(str(source), precision, quantize.random_samples(model, sizes), str(out), *kept)
                real = plans(options.tool, out, options.targets, dims)
            except Exception as error:  # what a quantizer refuses is told, and counted
                print(json.dumps({"model": stem, "as": precision, "error": str(error)[:300]}), flush=True)
                continue
            for one, other in zip(promised, real):
                row = compare(one["name"], one, other)
                failed += row["absent_count"] + row["extra_count"] + row["other_count"] > 0 or not row["contents"]
                print(json.dumps({"model": stem, **row}), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
