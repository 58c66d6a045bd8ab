#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ask Arm's Vela which nodes of an ONNX model run on an Ethos-U, converted by onnx2tf and quantized to INT8; lines of
JSON for verify.py, one for each chip.

usage: PYTHON ask_ethos-u.py MODEL.onnx [--level off|basic] [--chips ethos-u55-256,...] [--dim NAME=SIZE ...]
                             [--keep FOLDER]

PYTHON (3.12) has the PyPI packages onnx, onnxruntime, onnx2tf, ethos-u-vela and ai-edge-litert, no TensorFlow: the
backend that onnx2tf calls flatbuffer_direct writes the file. ONNX Runtime rewrites the model first, at the given level,
as the tool assumes of it. Quantization is by types and scales alone (tflite_int8.py), so that the answer is what Vela
does with each operator, not which operators some quantizer knows. Weights that lie elsewhere are drawn by lot, all
positive, since a variance must be.

A line without nodes says in `stage` where it ended: `convert` says nothing of the NPU, `vela` is the compiler's error.
A TFLite operator stands for the ONNX node whose result it makes, or the next one downstream has. A node is on the CPU
where one of its operators is; TRANSPOSE and RESHAPE count only for nodes that have no others. Nodes that are folded or
fused are not told. --keep leaves the quantized TFLite file there.
"""
import argparse
import contextlib
import importlib.metadata
import io
import json
import os
import pathlib
import shutil
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

import tflite_int8
from given_sizes import with_sizes
from zeros import tensors_of

CHIPS = "ethos-u55-256,ethos-u65-256,ethos-u85-256"
LAYOUT = ("TRANSPOSE", "RESHAPE")


def with_numbers(model):
    """Weights that lie in another file."""
    lot = np.random.default_rng(1)
    for tensor in tensors_of(model.graph):
        if tensor.data_location != onnx.TensorProto.EXTERNAL:
            continue
        kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
        is_real = np.issubdtype(kind, np.floating)
        numbers = np.abs(lot.standard_normal(list(tensor.dims), np.float32) * 0.05) if is_real else np.ones(tensor.dims)
        tensor.CopyFrom(numpy_helper.from_array(numbers.astype(kind), tensor.name))


def prepared(path, level, dims, folder):
    """The file for the converter, and of each value the index and op of the file's node that makes it."""
    model = onnx.load(path, load_external_data=False)
    with_sizes(model, dims)
    with_numbers(model)
    for index, node in enumerate(model.graph.node):
        node.name = f"n{index}_"
    ops = [node.op_type for node in model.graph.node]
    model.ir_version = min(model.ir_version, 10)
    at = folder / "m.onnx"
    onnx.save(model, at)
    if level == "basic":
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(folder / "basic.onnx")
        onnxruntime.InferenceSession(str(at), options, providers=["CPUExecutionProvider"])
        model = onnx.load(folder / "basic.onnx")
        os.replace(folder / "basic.onnx", at)
    makers = {}
    for node in model.graph.node:
        if node.name.startswith("n") and node.name[1:-1].isdigit() and ops[int(node.name[1:-1])] == node.op_type:
            makers.update((output, (int(node.name[1:-1]), node.op_type)) for output in node.output if output)
    return at, makers


def converted(path, folder):
    """The TFLite file, and which of its tensors are which of the model's."""
    import onnx2tf
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        onnx2tf.convert(input_onnx_file_path=str(path), output_folder_path=str(folder), non_verbose=True,
                        tflite_backend="flatbuffer_direct", copy_onnx_input_output_names_to_tflite=True)
    report = json.loads((folder / "m_tensor_correspondence_report.json").read_text())
    tensors = {}
    for record in report["records"]:
        if record["exists_in_final_model"] and record.get("resolved_tflite_tensor_name"):
            tensors.setdefault(record["resolved_tflite_tensor_name"], record["onnx_output_name"])
    return (folder / "m_float32.tflite").read_bytes(), tensors


def text(name):
    return name.decode() if isinstance(name, bytes) else name


def operators(data):
    """Of a TFLite file's main graph: name, inputs and outputs of each."""
    schema = tflite_int8.schema
    names = {value: name for name, value in vars(schema.BuiltinOperator).items() if isinstance(value, int)}
    model = schema.ModelT.InitFromPackedBuf(data, 0)
    graph, found = model.subgraphs[0], []
    for operator in graph.operators:
        code = model.operatorCodes[operator.opcodeIndex]
        name = names[max(code.builtinCode, code.deprecatedBuiltinCode)]
        tensors = [[text(graph.tensors[i].name) for i in some if i >= 0] for some in (operator.inputs, operator.outputs)]
        found.append((text(code.customCode) if name == "CUSTOM" else name, *tensors))
    return found


def owners(found, tensors):
    """The ONNX value that each operator stands for: its own, or that of the operator that reads its result."""
    readers = {}
    for at, (_, inputs, _) in enumerate(found):
        for name in inputs:
            readers.setdefault(name, at)
    owned = [None] * len(found)
    for at in range(len(found) - 1, -1, -1):
        for name in found[at][2]:
            owned[at] = tensors.get(name, owned[at])
        for name in found[at][2]:
            if owned[at] is None and name in readers:
                owned[at] = owned[readers[name]]
    return owned


def compiled(path, chip, folder):
    """What is left of the file's operators after Vela."""
    from ethosu.vela import vela
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        vela.main([str(path), "--accelerator-config", chip, "--output-dir", str(folder / chip)])
    return operators((folder / chip / f"{path.stem}_vela.tflite").read_bytes())


def answer(found, after, owned, makers):
    left = {name for op, _, outputs in after if op != "ethos-u" for name in outputs}
    places = ["CPU" if left.intersection(outputs) else "NPU" for _, _, outputs in found]
    of_node = {}
    for (op, _, _), place, value in zip(found, places, owned):
        if value in makers:
            of_node.setdefault(makers[value], []).append((op, place))
    nodes = []
    for (index, op), made in sorted(of_node.items()):
        core = [place for name, place in made if name not in LAYOUT] or [place for _, place in made]
        nodes.append({"index": index, "op": op, "ep": "CPU" if "CPU" in core else "NPU"})
    return {"partitions": sum(op == "ethos-u" for op, _, _ in after),
            "tflite": [[op, place] for (op, _, _), place in zip(found, places)], "nodes": nodes}


def tell(error):
    said = str(error.__cause__ or error).strip().splitlines()
    return f"{type(error).__name__}: {said[-1] if said else ''}"[:300]


def ask(options, dims, folder):
    """A line for each chip."""
    release = " ".join(f"{name} {importlib.metadata.version(name)}" for name in ("onnx2tf", "ethos-u-vela"))
    base = {"model": options.model.name, "level": options.level, "dims": dims, "by": release}
    chips = options.chips.split(",")
    try:
        path, makers = prepared(options.model, options.level, dims, folder)
        data, tensors = converted(path, folder)
        found = operators(data)
        small = folder / "q.tflite"
        small.write_bytes(tflite_int8.convert(data))
    except BaseException as error:  # the converter exits
        yield from (dict(base, target=target_of(chip), stage="convert", error=tell(error)) for chip in chips)
        return
    if options.keep:
        shutil.copy(small, options.keep / f"{options.model.name}.tflite")
    owned = owners(found, tensors)
    for chip in chips:
        try:
            yield dict(base, target=target_of(chip), **answer(found, compiled(small, chip, folder), owned, makers))
        except BaseException as error:  # so does the compiler
            yield dict(base, target=target_of(chip), stage="vela", error=tell(error))


def target_of(chip):
    return "ethos-u:" + chip.split("-")[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--level", default="basic", choices=["off", "basic"])
    parser.add_argument("--chips", default=CHIPS)
    parser.add_argument("--dim", action="append", default=[])
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    options.model, options.keep = options.model.resolve(), options.keep and options.keep.resolve()
    dims = {name: int(size) for name, size in (dim.rsplit("=", 1) for dim in options.dim)}
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)  # onnx2tf and Vela write where they are
        for row in ask(options, dims, pathlib.Path(name)):
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
