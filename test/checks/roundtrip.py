#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold what is written of models that were read to be edited against the models, by another protobuf library.

usage: roundtrip.py REWRITE_MODEL FOLDER...
Needs:  pip install onnx numpy

Each model of the folders, and some with every kind of payload that are made here, is written again without an edit:
the messages must be equal. Then with its weights moved out: equal once they are loaded again.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


def make_models(folder):
    """Payloads in every field that can hold one, above and below the limits of the scan; unknown fields; texts."""
    rng = numpy.random.default_rng(1)
    tensors, place = [], 0
    for kind in (TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64, TensorProto.DOUBLE, TensorProto.UINT64,
                 TensorProto.FLOAT16, TensorProto.INT8, TensorProto.BOOL, TensorProto.BFLOAT16, TensorProto.COMPLEX64):
        for count in (1, 500, 3000, 40000):
            numbers = rng.integers(0, 2 if kind == TensorProto.BOOL else 100, count)
            tensors.append(helper.make_tensor(f"typed{place}", kind, [count], numbers))
            if kind not in (TensorProto.BFLOAT16, TensorProto.COMPLEX64):
                array = numbers.astype(helper.tensor_dtype_to_np_dtype(kind))
                tensors.append(numpy_helper.from_array(array, f"raw{place}"))
            place += 1
    tensors.append(helper.make_tensor("texts", TensorProto.STRING, [5000], [b"text %d" % i for i in range(5000)]))
    for tensor in tensors[::3]:
        tensor.doc_string = "about it " * 9000
    nodes = [helper.make_node("Constant", [], [f"c{i}"], value=tensor) for i, tensor in enumerate(tensors[::2])]
    nodes.append(helper.make_node("LongLists", ["c0"], ["y"], domain="own", numbers=list(range(90000)),
                                  reals=[i / 7 for i in range(30000)], texts=[b"%d" % i for i in range(30000)],
                                  one=b"x" * 200000))
    graph = helper.make_graph(nodes, "all", [], [helper.make_empty_tensor_value_info("y")], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("own", 1)])
    model.metadata_props.add(key="long", value="x" * 100000)
    model.training_info.add().algorithm.CopyFrom(graph)
    data = model.SerializeToString()
    (folder / "all.onnx").write_bytes(data)
    # Fields of later schemas: numbers 27 and 300.
    (folder / "later.onnx").write_bytes(data + b"\xd8\x01\x05" + b"\xe2\x12\x03abc")


def compare(tool, path, folder):
    """What is wrong; "" when nothing is. In one folder, as data beside a model may be absent."""
    taken, out, moved = folder / "in.onnx", folder / "out.onnx", folder / "moved.onnx"
    shutil.copyfile(path, taken)
    run = subprocess.run([tool, taken, out], capture_output=True, text=True, check=False)
    if run.returncode:
        return run.stderr.strip()
    before, after = onnx.load(taken, load_external_data=False), onnx.load(out, load_external_data=False)
    if before.SerializeToString(deterministic=True) != after.SerializeToString(deterministic=True):
        return "another model was written"
    try:
        onnx.load(taken)
    except (onnx.checker.ValidationError, FileNotFoundError): # its own external data is absent
        return ""
    run = subprocess.run([tool, taken, moved, "external"], capture_output=True, text=True, check=False)
    if run.returncode:
        return run.stderr.strip()
    after = onnx.load(moved)
    for tensor in after.graph.initializer:
        tensor.ClearField("data_location")
        tensor.ClearField("external_data")
    return "" if before == after else "with its weights moved out it is another model"


def main():
    tool, wrong, count = pathlib.Path(sys.argv[1]).resolve(), 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made = folder / "made"
        made.mkdir()
        make_models(made)
        for place in [made, *map(pathlib.Path, sys.argv[2:])]:
            for path in sorted(place.rglob("*.onnx")):
                try:
                    onnx.load(path, load_external_data=False)
                except Exception:  # a text case that is no model on purpose
                    continue
                count += 1
                problem = compare(tool, path, folder)
                if problem:
                    print(f"{path}: {problem}")
                    wrong += 1
    print(f"{count} models written again, {wrong} not the same")
    return 1 if wrong or count < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
