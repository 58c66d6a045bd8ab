#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small models for the targets nnapi and coreml-*, drawn by lot: the operators that ethos-u_probes.py draws, as they are, in
FLOAT16, between DequantizeLinear and QuantizeLinear (activations and weights of 8 bits), with a dynamic size, or of
another opset. Written for verify.py. A seed that no rule was mended with is an examination.

usage: providers_probes.py FOLDER [--seed 40] [--each 3] [--only OP,...]
"""
import argparse
import importlib
import pathlib
import random
import tempfile

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper, version_converter

drawn = importlib.import_module("ethos-u_probes")


def as_half(model):
    for value in [*model.graph.input, *model.graph.output]:
        if value.type.tensor_type.elem_type == T.FLOAT:
            value.type.tensor_type.elem_type = T.FLOAT16
    for tensor in model.graph.initializer:
        if tensor.data_type == T.FLOAT:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float16), tensor.name))
    for node in model.graph.node:
        for attribute in node.attribute:
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == T.FLOAT:
                attribute.i = T.FLOAT16


def pair(model, name, kind, made, lot):
    """QuantizeLinear and DequantizeLinear of a tensor; what the second makes."""
    scale = numpy_helper.from_array(np.float32(lot.choice([0.02, 0.02, 0.03])), f"{name}_scale")
    zero = numpy_helper.from_array(np.array(lot.choice([0, 0, 3]) if kind == np.uint8 else 0, kind), f"{name}_zero")
    model.graph.initializer.extend([scale, zero])
    return [helper.make_node("QuantizeLinear", [name, scale.name, zero.name], [f"{name}_q"]),
            helper.make_node("DequantizeLinear", [f"{name}_q", scale.name, zero.name], [made])]


def as_units(model, lot):
    """Operands and results of the node in FLOAT are quantized, constants among them with a scale for each row or one."""
    node, kind = model.graph.node[0], lot.choice([np.uint8, np.uint8, np.int8])
    floats = {value.name for value in model.graph.input if value.type.tensor_type.elem_type == T.FLOAT}
    tensors = {tensor.name: tensor for tensor in model.graph.initializer if tensor.data_type == T.FLOAT}
    before, after = [], []
    for place, name in enumerate(node.input):
        if name in floats:
            before += pair(model, name, kind, f"{name}_d", lot)
            node.input[place] = f"{name}_d"
        elif name in tensors and tensors[name].dims:
            old = numpy_helper.to_array(tensors[name])
            is_bias = node.op_type in ("Conv", "ConvTranspose", "Gemm") and place == 2
            of_rows = not is_bias and old.ndim > 1 and lot.random() < 0.4
            wanted = np.int32 if is_bias else lot.choice([np.int8, kind])
            count = old.shape[0]
            made = [numpy_helper.from_array(np.ones(old.shape, wanted), f"{name}_w"),
                    numpy_helper.from_array(np.full(count, 0.01, np.float32) if of_rows else np.float32(0.01), f"{name}_s"),
                    numpy_helper.from_array(np.zeros(count, wanted) if of_rows else np.array(0, wanted), f"{name}_z")]
            model.graph.initializer.remove(tensors[name])
            model.graph.initializer.extend(made)
            before.append(helper.make_node("DequantizeLinear", [tensor.name for tensor in made], [f"{name}_d"],
                                           **({"axis": 0} if of_rows else {})))
            node.input[place] = f"{name}_d"
    for place, value in enumerate(model.graph.output):
        if value.type.tensor_type.elem_type == T.FLOAT:
            node.output[place] = f"{value.name}_f"
            after += [helper.make_node(one.op_type, [value.name + "_f" if at == 0 and name == value.name else name
                                                     for at, name in enumerate(one.input)], one.output)
                      for one in pair(model, value.name, kind, value.name, lot)]
    kept = helper.make_node("Identity", [""], [""])
    kept.CopyFrom(node)
    del model.graph.node[:]
    model.graph.node.extend([*before, kept, *after])


def with_dynamic_size(model, lot):
    for value in model.graph.input:
        dims = value.type.tensor_type.shape.dim
        if dims:
            dims[lot.choice([0, len(dims) - 1])].dim_param = "n"
    del model.graph.value_info[:]
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")


def changed(model, form, lot):
    if form == "half":
        as_half(model)
    elif form == "units":
        as_units(model, lot)
    elif form == "dynamic":
        with_dynamic_size(model, lot)
    elif form.isdigit():
        model = version_converter.convert_version(model, int(form))
    onnx.checker.check_model(onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True))
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=40)
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    lot = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        plain = pathlib.Path(folder) / "plain.onnx"
        for op, maker in drawn.MAKERS.items():
            if options.only and op not in options.only.split(","):
                continue
            for number in range(options.each * drawn.MORE.get(op, 1)):
                form = lot.choice(["float", "float", "float", "half", "units", "units", "dynamic", "13", "21"])
                probe = drawn.Probe(lot)
                given = maker(probe, op)
                try:
                    drawn.save(plain, op, probe, given.pop("outputs", 1), **given)
                    onnx.save(changed(onnx.load(plain), form, lot), options.folder / f"{op}-{form}-{number}.onnx")
                except Exception:  # pylint: disable=broad-except
                    continue  # a form that the operator does not have


if __name__ == "__main__":
    main()
