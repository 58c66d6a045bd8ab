#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run models at the sizes that are proposed for the dynamic dims of their inputs.

usage: sizes.py --tool build/npu-partition --printer build/test/checks/print_sizes [--cache DIR] [--seconds N]
                [--only TEXT] MODEL-OR-FOLDER...
Needs:  pip install onnx onnxruntime

Each proposal for each model with dynamic inputs runs once in ONNX Runtime's CPU provider, with all rewriting disabled.
Weights in an absent file are made on the spot: random numbers at the beginning of each tensor, zeros after them. Inputs
are random too, within what the kind of input allows: small token ids, masks of ones, positions in order. What ran is
kept in --cache, by model and shapes. Prints what does not run, with ONNX Runtime's message; exit status 1 when that is
more than one proposal in twenty.
"""
import argparse
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
from onnx import TensorProto, external_data_helper, helper

SHARE = 0.95
# Bytes of random numbers at the beginning of each tensor; what follows stays a hole in the file.
RANDOM_BYTES = 1 << 16
FLOATS = {TensorProto.FLOAT: np.float32, TensorProto.FLOAT16: np.float16, TensorProto.DOUBLE: np.float64}
BYTES = (TensorProto.INT8, TensorProto.UINT8, TensorProto.INT4, TensorProto.UINT4, TensorProto.INT16,
         TensorProto.UINT16)


# ---- weights ------------------------------------------------------------------------------------------------


def tensors_of(graph):
    """Every tensor of a graph and its bodies, with whether it belongs to a node."""
    for tensor in graph.initializer:
        yield tensor, False
    for node in graph.node:
        yield from tensors_of_node(node)


def tensors_of_node(node):
    for attribute in node.attribute:
        for tensor in [attribute.t, *attribute.tensors]:
            if tensor.data_type:
                yield tensor, True
        for body in [attribute.g, *attribute.graphs]:
            yield from tensors_of(body)


def all_tensors(model):
    yield from tensors_of(model.graph)
    for function in model.functions:
        for node in function.node:
            yield from tensors_of_node(node)


def random_bytes(chance, element_type, size):
    """What a tensor begins with; indices and masks stay 0."""
    size = min(size, RANDOM_BYTES)
    if element_type in FLOATS:
        kind = np.dtype(FLOATS[element_type])
        return (chance.standard_normal(size // kind.itemsize) * 0.05).astype(kind).tobytes()
    return chance.bytes(size) if element_type in BYTES else b""


def place_of(tensor):
    info = external_data_helper.ExternalDataInfo(tensor)
    size = info.length
    if size is None:
        size = int(np.prod(tensor.dims)) * np.dtype(helper.tensor_dtype_to_np_dtype(tensor.data_type)).itemsize
    return info.location, info.offset or 0, size


def make_weights(model, source, folder, chance):
    """Writes what the model's absent files would hold; ONNX Runtime wants tensors of nodes in the model itself."""
    for tensor, is_of_node in all_tensors(model):
        if not external_data_helper.uses_external_data(tensor):
            continue
        location, offset, size = place_of(tensor)
        there = source.parent / location
        if there.is_file() and not (folder / location).exists():
            shutil.copyfile(there, folder / location)
        start = random_bytes(chance, tensor.data_type, size)
        if is_of_node:
            tensor.ClearField("external_data")
            tensor.data_location = TensorProto.DEFAULT
            tensor.raw_data = start + bytes(size - len(start))
        elif not there.is_file():
            path = folder / location
            with open(path, "r+b" if path.exists() else "w+b") as file:
                file.seek(offset)
                file.write(start)
                file.truncate(max(offset + size, file.seek(0, 2)))


# ---- inputs -------------------------------------------------------------------------------------------------


def make_input(chance, flag, name, element_type, dims):
    kind, word = np.dtype(helper.tensor_dtype_to_np_dtype(element_type)), name.lower()
    if kind == np.bool_ and "mask" not in word:
        return np.full(dims, flag)
    if "mask" in word:
        return np.ones(dims, kind)
    if kind.kind == "f":
        return chance.standard_normal(dims).astype(kind)
    if "token_type" in word or "segment" in word:
        return chance.integers(0, 2, dims).astype(kind)
    if "position" in word:
        return np.broadcast_to(np.arange(dims[-1] if dims else 1), dims).astype(kind)
    if word in ("sr", "sampling_rate", "sample_rate"):
        return np.full(dims, 16000, kind)
    return chance.integers(2, 64, dims).astype(kind)


def run_once(path, shapes):
    """In a process of its own, as memory and time of one model are nobody else's."""
    import onnxruntime
    onnxruntime.set_default_logger_severity(4)
    chance = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        model = onnx.load(path, load_external_data=False)
        make_weights(model, pathlib.Path(path), folder, chance)
        (folder / "model.onnx").write_bytes(model.SerializeToString())
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options,
                                               providers=["CPUExecutionProvider"])
        for flag in (True, False):  # which branch of a merged decoder runs
            inputs = {i.name: make_input(chance, flag, i.name, *shapes[i.name]) for i in session.get_inputs()}
            session.run(None, inputs)
            if not any(i.type == "tensor(bool)" for i in session.get_inputs()):
                break


# ---- all of them --------------------------------------------------------------------------------------------


def is_dynamic(path):
    model = onnx.load(path, load_external_data=False)
    constants = {tensor.name for tensor in model.graph.initializer}
    for value in model.graph.input:
        tensor = value.type.tensor_type
        if value.name not in constants and value.type.HasField("tensor_type") and tensor.HasField("shape"):
            if any(not dim.HasField("dim_value") for dim in tensor.shape.dim):
                return True
    return False


def proposals_of(printer, path):
    answer = subprocess.run([printer], input=f"{path}\n", capture_output=True, text=True, check=False)
    if answer.returncode or answer.stderr:
        raise SystemExit(f"{path}: {answer.stderr}")
    return json.loads(answer.stdout)


def ask(arguments, path, dims):
    """None, or why the model does not run at these sizes."""
    options = [word for name, size in dims.items() for word in ("--dim", f"{name}={size}")]
    shapes = subprocess.run([arguments.tool, str(path), "--shapes", *options], capture_output=True, text=True,
                            check=False)
    if shapes.returncode:
        return f"the tool refuses the sizes: {shapes.stderr.strip()}"
    graph = onnx.load(path, load_external_data=False).graph
    shapes = json.loads(shapes.stdout)
    inputs = json.dumps({value.name: shapes[value.name] for value in graph.input if value.name in shapes})
    key = hashlib.sha256(pathlib.Path(__file__).read_bytes() + path.read_bytes() + inputs.encode()).hexdigest()
    kept = arguments.cache / key
    if kept.exists():
        return None
    try:
        answer = subprocess.run([sys.executable, __file__, "--run", str(path), inputs], capture_output=True, text=True,
                                timeout=arguments.seconds, check=False)
    except subprocess.TimeoutExpired:
        return f"did not end in {arguments.seconds} seconds"
    if answer.returncode:
        return (answer.stderr.strip().splitlines() or [f"status {answer.returncode}"])[-1]
    kept.touch()
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool")
    parser.add_argument("--printer")
    parser.add_argument("--cache", type=pathlib.Path, default=pathlib.Path("build/fidelity-sizes"))
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--only", default="")
    parser.add_argument("--run", nargs=2, metavar=("MODEL", "SHAPES"), help="run one model; used by the script itself")
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.run:
        run_once(arguments.run[0], json.loads(arguments.run[1]))
        return
    arguments.cache.mkdir(parents=True, exist_ok=True)
    paths = [p for given in arguments.models for p in (sorted(given.glob("*.onnx")) if given.is_dir() else [given])]
    models = total = ran = 0
    for path in paths:
        if arguments.only not in path.name or not is_dynamic(path):
            continue
        models += 1
        proposals = proposals_of(arguments.printer, path)
        for proposal in proposals or [None]:
            start = time.monotonic()
            problem = ask(arguments, path, proposal["dims"]) if proposal else "no sizes are proposed"
            total, ran = total + 1, ran + (problem is None)
            sizes = " ".join(f"{name}={size}" for name, size in proposal["dims"].items()) if proposal else ""
            use = f" ({proposal['use']})" if proposal and proposal["use"] else ""
            print(f"{'ran  ' if problem is None else 'FAILS'} {path.name}{use} {sizes}"
                  f" {time.monotonic() - start:.1f} s", flush=True)
            if problem:
                print(f"      {problem[:400]}")
    print(f"{models} models with dynamic inputs, {total} proposals: {ran} run ({ran / max(total, 1):.1%})")
    sys.exit(ran < SHARE * total)


if __name__ == "__main__":
    main()
