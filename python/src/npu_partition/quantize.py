#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Quantizes a model as ``npu-partition MODEL --as PRECISION`` looked at it, and says whether it became that.

    python -m npu_partition.quantize MODEL -t TARGET --as PRECISION (--calibrate FOLDER | --random) -o OUT.onnx
                                     [--keep-float NODE,...] [--keep-16 NODE,...] [--min-db N] [--dim NAME=SIZE]...
                                     [--preprocess] [--settings FILE.json]

ONNX Runtime's quantizer does it (``pip install 'npu-partition[quantize]'``), with the types and operators that the
precision stands for. FOLDER has calibration data: one .npz a sample, with an array for each input by its name, or
.npy where the model has one input. --random makes four samples up: then the plan is right, and accuracy means nothing.

--keep-float NODE,... leaves nodes in float: names, operators, patterns of these, kinds (softmax, norm, ...), or auto.
--keep-16 NODE,... leaves their activations in 16 bits where others have 8.
--min-db N gives weights that would keep fewer dB 8 bits in place of 4, or leaves them in float.

--preprocess runs quant_pre_process before, as ONNX Runtime's documents ask for: its basic optimizations and shapes.
What is promised is of the model that comes out.

--settings FILE.json has the same wish in the words of other quantizers for this target (NNCF, AIMET, RKNN, ...); then
-o may be left away.

Weights alone, dynamic quantization and floats (w8, w4, nf4, dynamic8, float16) need no data. The exit status is 0 where
what was written has the promised plan, 1 where it has not, 2 for wrong usage, and 4 where the quantizer fails.
"""
from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import math
import os
import pathlib
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from . import quantizers
from ._analysis import Analysis, Target, analyze
from ._arguments import encoded
from ._errors import NpuPartitionError
from ._library import call, library

SAMPLES = 4
WITHOUT_DATA = ("w8", "w4", "nf4", "dynamic8", "float16")
# Names of onnxruntime.quantization.QuantType.
TYPES = {"uint8": "QUInt8", "int8": "QInt8", "uint16": "QUInt16", "int16": "QInt16", "int4": "QInt4"}


class UsageError(Exception):
    """Told as it is, with exit status 2."""


def needed(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UsageError(f"{error}; pip install 'npu-partition[quantize]'") from error


# ---- calibration data ----------------------------------------------------------------------------------------------


class Samples:
    """What the quantizer runs the model on, one after the other (its CalibrationDataReader)."""

    def __init__(self, feeds: Sequence[Mapping[str, Any]]) -> None:
        self.feeds = feeds
        self.rewind()

    def rewind(self) -> None:
        self.left: Iterator[Mapping[str, Any]] = iter(self.feeds)

    def get_next(self) -> Mapping[str, Any] | None:
        return next(self.left, None)

    def set_range(self, start_index: int, end_index: int) -> None:
        self.left = iter(self.feeds[start_index:end_index])

    def __len__(self) -> int:
        return len(self.feeds)


def inputs_of(model: Any) -> list[Any]:
    constants = {tensor.name for tensor in model.graph.initializer}
    return [value for value in model.graph.input if value.name not in constants]


def read_samples(folder: pathlib.Path, model: Any) -> Samples:
    np = needed("numpy")
    names = [value.name for value in inputs_of(model)]
    files = sorted(path for path in folder.iterdir() if path.suffix in (".npz", ".npy"))
    feeds = []
    for path in files:
        loaded = np.load(path, allow_pickle=False)
        if path.suffix == ".npy" and len(names) != 1:
            raise UsageError(f"{path}: the model has {len(names)} inputs, so samples are .npz files with their names")
        feed = {names[0]: loaded} if path.suffix == ".npy" else {name: loaded[name] for name in loaded.files}
        if set(feed) != set(names):
            raise UsageError(f"{path}: has {', '.join(sorted(feed))}; the model's inputs are {', '.join(names)}")
        feeds.append(feed)
    if not feeds:
        raise UsageError(f"{folder}: no .npz or .npy files in it")
    return Samples(feeds)


def random_samples(model: Any, dims: Mapping[str, int]) -> Samples:
    np, onnx = needed("numpy"), needed("onnx")
    chance = np.random.default_rng(1)

    def draw(value: Any) -> Any:
        tensor = value.type.tensor_type
        sizes = []
        for dim in tensor.shape.dim:
            if not dim.dim_value and dim.dim_param not in dims:
                raise UsageError(f"{value.name}: its dimension {dim.dim_param or '?'} needs a size, with --dim")
            sizes.append(dim.dim_value or dims[dim.dim_param])
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        is_whole = np.issubdtype(dtype, np.integer) or np.issubdtype(dtype, np.bool_)
        return np.asarray(chance.integers(0, 2, sizes) if is_whole else chance.standard_normal(sizes)).astype(dtype)

    return Samples([{value.name: draw(value) for value in inputs_of(model)} for _sample in range(SAMPLES)])


# ---- quantizing ----------------------------------------------------------------------------------------------------


def options_of(precision: str) -> tuple[str, dict[str, str]]:
    base, *options = precision.partition(":keep")[0].split(":")
    options += ["keep16"] if ":keep16=" in precision else []
    return base, {name: value for name, _, value in (option.partition("=") for option in options)}


def with_names(source: str, kept: Sequence[str], folder: str) -> str:
    """The model, whose nodes that are kept all have names, as quantizers ask for: another file where some had none."""
    if not kept:
        return source
    onnx = needed("onnx")
    model = onnx.load(source, load_external_data=False)
    nameless = [node for node in model.graph.node if not node.name and node.output and node.output[0] in set(kept)]
    if not nameless:
        return source
    model = onnx.load(source)
    for node in model.graph.node:
        if not node.name and node.output:
            node.name = node.output[0]
    path = os.path.join(folder, "named.onnx")
    onnx.save(model, path, save_as_external_data=os.path.getsize(source) > 1 << 30)
    return path


def channel_axis(node: Any) -> int:
    """Of the second operand, as ONNX Runtime's quantizer has it."""
    is_turned = any(attribute.name == "transB" and attribute.i for attribute in node.attribute)
    return 0 if node.op_type == "Conv" or (node.op_type == "Gemm" and is_turned) else 1


def overrides_of(source: str, widened: Sequence[str], quant_type: Any) -> dict[str, list[dict[str, Any]]]:
    """TensorQuantOverrides for weights that get another type than all."""
    model = needed("onnx").load(source, load_external_data=False)
    return {node.input[1]: [{"quant_type": quant_type, "axis": channel_axis(node)}]
            for node in model.graph.node if len(node.input) > 1 and node.input[1] in widened}


# Operators whose constant operands are weights, which have a type of their own (operators.table, `static`).
WITH_WEIGHTS = {"Conv", "ConvTranspose", "Gemm", "MatMul", "BatchNormalization", "InstanceNormalization",
                "LayerNormalization"}


def overrides_of_wide(source: str, wide: Sequence[str], narrow_type: Any, wide_type: Any) -> dict[str, Any]:
    """TensorQuantOverrides for activations of the nodes `wide`, which have another type than all: a tensor has that of
    what makes it, and users of the other kind read it converted."""
    graph = needed("onnx").load(source, load_external_data=False).graph
    constants = {tensor.name for tensor in graph.initializer}
    made = {name: node.name in wide for node in graph.node for name in node.output if name}
    users: dict[str, list[Any]] = {}
    for node in graph.node:
        for name in dict.fromkeys(node.input):
            users.setdefault(name, []).append(node)
    # A bias with an override would be a weight to the quantizer (quantize_bias_tensor).
    biases = {name for node in graph.node if node.op_type in WITH_WEIGHTS for name in node.input[2:3]}
    overrides: dict[str, Any] = {}
    for name in {**made, **users}:
        if name in biases:
            continue
        is_wide = made.get(name, False)
        of = users.get(name, [])
        if name in constants:
            if of and all(node.name in wide and node.op_type not in WITH_WEIGHTS for node in of):
                overrides[name] = [{"quant_type": wide_type}]
            continue
        others = {node.name for node in of if (node.name in wide) != is_wide}
        if is_wide or others:
            overrides[name] = [{"quant_type": wide_type if is_wide else narrow_type}]
        if others:
            overrides[name][0]["convert"] = {"quant_type": narrow_type if is_wide else wide_type, "recv_nodes": others}
    return overrides


def raised(source: str, opset: int, folder: str) -> str:
    """The model at the opset that the quantizer takes it to first (update_opset_version), so that what is said of its
    tensors is said of those that there are then: of an older Softmax the converter flattens the operand."""
    onnx = needed("onnx")
    imports = onnx.load(source, load_external_data=False).opset_import
    if next((one.version for one in imports if one.domain in ("", "ai.onnx")), opset) >= opset:
        return source
    model = onnx.version_converter.convert_version(onnx.shape_inference.infer_shapes(onnx.load(source)), opset)
    for node in model.graph.node:
        node.name = node.name or f"{node.output[0]}/opset/{node.op_type}"
    path = os.path.join(folder, "raised.onnx")
    onnx.save(model, path, save_as_external_data=os.path.getsize(source) > 1 << 30)
    return path


def quantize_weights(source: str, base: str, options: Mapping[str, str], kept: list[str], widened: Sequence[str],
                     out: str) -> None:
    onnx = needed("onnx")
    if base == "nf4":
        quantizer = needed("onnxruntime.quantization.matmul_bnb4_quantizer").MatMulBnb4Quantizer
        made = quantizer(onnx.load(source), quantizer.NF4, int(options.get("block", 64)), nodes_to_exclude=kept)
    else:
        quantizer = needed("onnxruntime.quantization.matmul_nbits_quantizer").MatMulNBitsQuantizer
        size, model = int(options.get("block", 128)), onnx.load(source)
        wide = [node.name for node in model.graph.node if len(node.input) > 1 and node.input[1] in widened]
        if wide:
            first = quantizer(model, bits=8, block_size=size, nodes_to_include=wide, nodes_to_exclude=kept)
            first.process()
            model = first.model.model
        made = quantizer(model, bits=int(base[1:]), block_size=size, nodes_to_exclude=kept)
    made.process()
    made.model.save_model_to_file(out, os.path.getsize(source) > 1 << 30)


def quantize_statically(source: str, base: str, options: Mapping[str, str], samples: Samples, kept: list[str],
                        widened: Sequence[str], wide: Sequence[str], out: str) -> None:
    ort = needed("onnxruntime.quantization")
    is_for_qnn = "qnn" in options
    weights = "int4" if base.startswith("w4") else "uint8" if is_for_qnn else "int8"
    activations = options.get("activations", "uint16" if base.endswith("a16") else "uint8")
    types = {"activation_type": getattr(ort.QuantType, TYPES[activations]),
             "weight_type": getattr(ort.QuantType, TYPES[weights]),
             "per_channel": "per-channel" in options or not ("per-tensor" in options or is_for_qnn)}
    own = source
    if "keep16" in options:
        source = raised(source, 21, os.path.dirname(os.path.abspath(out)))
    overrides = overrides_of(source, widened, ort.QuantType.QInt8)
    if wide:
        narrow_type = types["activation_type"]
        wide_type = ort.QuantType.QUInt16 if narrow_type == ort.QuantType.QUInt8 else ort.QuantType.QInt16
        overrides.update(overrides_of_wide(source, wide, narrow_type, wide_type))
    if is_for_qnn:
        qnn = needed("onnxruntime.quantization.execution_providers.qnn")
        ort.quantize(source, out, qnn.get_qnn_qdq_config(own, samples, nodes_to_exclude=kept,
                                                             init_overrides=overrides or None,
                                                             add_qtype_converts=False, **types))
        return
    extra: dict[str, Any] = {"BlockSize": int(options["block"])} if "block" in options else {}
    if overrides:
        extra["TensorQuantOverrides"] = overrides
    ort.quantize_static(source, out, samples, quant_format=ort.QuantFormat.QDQ, nodes_to_exclude=kept,
                        extra_options=extra, **types)


def quantize(source: str, precision: str, samples: Samples | None, out: str, kept: Sequence[str] = (),
             widened: Sequence[str] = (), wide: Sequence[str] = ()) -> None:
    """Writes `out`, with the nodes `kept` in float, the weights `widened` in 8 bits, and activations of the nodes
    `wide` in 16. The quantizers keep what they need of a model beside it, so they get a folder of their own."""
    base, options = options_of(precision)
    source = with_names(source, [*kept, *wide], os.path.dirname(os.path.abspath(out)))
    nodes = list(kept)
    if base in ("w8", "w4", "nf4"):
        quantize_weights(source, base, options, nodes, widened, out)
    elif base == "dynamic8":
        # A Gemm is a MatMul of this name to it.
        nodes += [f"{name}_MatMul" for name in kept]
        needed("onnxruntime.quantization").quantize_dynamic(source, out, nodes_to_exclude=nodes)
    elif base == "float16":
        convert = needed("onnxruntime.transformers.float16").convert_float_to_float16
        onnx = needed("onnx")
        onnx.save(convert(onnx.load(source), keep_io_types=False, force_fp16_initializers=True,
                          node_block_list=nodes or None), out)
    elif samples is not None and base.startswith("w"):
        quantize_statically(source, base, options, samples, nodes, widened, wide, out)
    else:
        raise UsageError(f"{precision}: ONNX Runtime has no quantizer of its own for it")


def preprocessed(source: str, folder: str) -> str:
    """The model as the quantizer's documents want it before. Symbolic shapes need sympy, and are left out without."""
    path = os.path.join(folder, "preprocessed.onnx")
    pre_process = needed("onnxruntime.quantization.shape_inference").quant_pre_process
    pre_process(source, path, skip_symbolic_shape=importlib.util.find_spec("sympy") is None,
                save_as_external_data=os.path.getsize(source) > 1 << 30)
    return path


# ---- the promise ---------------------------------------------------------------------------------------------------


def plan_text(target: Target) -> str:
    summary = target.summary
    undecided = f", {summary.unknown} undecided" if summary.unknown else ""
    return (f"{summary.verdict}, {summary.partitions} partition{'' if summary.partitions == 1 else 's'}, "
            f"{summary.accepted} of {summary.live} nodes on the NPU{undecided}")


def tell(promised: Analysis, written: Analysis, precision: str, out: str) -> int:
    """Whether each target makes of the file what was said; a line each."""
    status = 0
    for one, other in zip(promised.targets, written.targets):
        first, second = plan_text(one), plan_text(other)
        if first == second:
            print(f"{out}: {one.name}: as promised by {precision}: {second}")
        else:
            print(f"{out}: {one.name}: not as promised by {precision}: {second}; promised: {first}")
            status = 1
    return status


def write_settings(asked: argparse.Namespace) -> None:
    """The same wish for other tools, of the first target."""
    base, options = options_of(asked.precision)
    found = analyze(asked.model, asked.target, as_=asked.precision, advice=False).targets[0]
    model = needed("onnx").load(asked.model, load_external_data=False)
    weights = sum(math.prod(tensor.dims) for tensor in model.graph.initializer)
    made = {node.name or node.output[0]: node.output[0] for node in model.graph.node if node.output}
    wish = quantizers.Wish(asked.model, found.target, found.variant, base, options, found.kept, weights, found.wide,
                           [made[name] for name in found.wide if name in made])
    pathlib.Path(asked.settings).write_text(json.dumps(quantizers.settings(wish), indent=1) + "\n", encoding="utf-8")


def make(asked: argparse.Namespace, dims: Mapping[str, int], needs_data: bool) -> Analysis:
    """Writes the model, by way of a folder of its own beside it; what was promised of it."""
    out, inferred = pathlib.Path(asked.output).absolute(), pathlib.Path(asked.model).with_suffix("")
    inferred = inferred.with_name(inferred.name + "-inferred.onnx")  # which the quantizer leaves beside the model
    was_there = inferred.exists()
    with tempfile.TemporaryDirectory(dir=out.parent) as folder:
        source = preprocessed(asked.model, folder) if asked.preprocess else asked.model
        promised = analyze(source, asked.target, as_=asked.precision, dims=dims or None, advice=False)
        samples = None
        if needs_data:
            model = needed("onnx").load(source, load_external_data=False)
            samples = read_samples(asked.calibrate, model) if asked.calibrate else random_samples(model, dims)
        try:
            found = promised.targets[0]
            quantize(source, asked.precision, samples, os.path.join(folder, out.name), found.kept, found.widened,
                     found.wide)
        finally:
            if not was_there:
                inferred.unlink(missing_ok=True)
        for name in os.listdir(folder):
            if name.startswith(out.name):
                os.replace(os.path.join(folder, name), out.parent / name)
    return promised


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def run(arguments: Sequence[str]) -> int:
    parser = Parser(prog="python -m npu_partition.quantize", description=__doc__,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("-t", "--target", required=True)
    parser.add_argument("--as", dest="precision", required=True)
    parser.add_argument("--calibrate", type=pathlib.Path)
    parser.add_argument("--random", action="store_true")
    parser.add_argument("--min-db")
    parser.add_argument("--keep-float", action="append", default=[])
    parser.add_argument("--keep-16", action="append", default=[])
    parser.add_argument("--dim", action="append", default=[])
    parser.add_argument("-o", "--output")
    parser.add_argument("--preprocess", action="store_true")
    parser.add_argument("--settings")
    asked = parser.parse_args(arguments)
    if not (asked.output or asked.settings):
        raise UsageError("the following arguments are required: -o/--output, or --settings")
    if asked.min_db:
        asked.precision += f":min-db={asked.min_db}"
    for nodes in asked.keep_float:
        asked.precision += "".join(f":keep={node}" for node in nodes.split(","))
    for nodes in asked.keep_16:
        asked.precision += "".join(f":keep16={node}" for node in nodes.split(","))
    call(library.npart_precision_check, encoded(asked.precision))
    dims = {name: int(size) for name, _, size in (dim.partition("=") for dim in asked.dim)}
    if asked.settings:
        write_settings(asked)
    if not asked.output:
        return 0
    needs_data = options_of(asked.precision)[0] not in WITHOUT_DATA
    if needs_data and not (asked.calibrate or asked.random):
        raise UsageError("calibration data is needed: --calibrate FOLDER, or --random, after which accuracy means "
                         "nothing")
    if os.path.exists(asked.output) and os.path.samefile(asked.output, asked.model):
        raise UsageError(f"{asked.output}: the output would be written over the model")
    promised = make(asked, dims, needs_data)
    if asked.random and needs_data:
        print("npu-partition: random data was calibrated with: accuracy means nothing", file=sys.stderr)
    written = analyze(asked.output, asked.target, dims=dims or None, advice=False)
    return tell(promised, written, asked.precision, asked.output)


def exit_status_of(work: Callable[[Sequence[str]], int], arguments: Sequence[str] | None, what: str) -> int:
    """Of a program: 2 for wrong usage, 4 for what others fail with, whose own classes are many; `what` did not go."""
    try:
        return work(sys.argv[1:] if arguments is None else arguments)
    except (UsageError, NpuPartitionError, OSError) as error:
        print(f"npu-partition: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        print(f"npu-partition: {what}: {error}", file=sys.stderr)
        return 4


def main(arguments: Sequence[str] | None = None) -> int:
    return exit_status_of(run, arguments, "the quantizer fails")


if __name__ == "__main__":
    sys.exit(main())
