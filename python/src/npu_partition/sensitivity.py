#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a quantized model loses on data, layer by layer, joined to the plan.

    python -m npu_partition.sensitivity FLOAT.onnx QUANTIZED.onnx -t TARGET (--calibrate FOLDER | --random)
                                        [--dim NAME=SIZE]... [--format text|json|html] [-o FILE]

Both models are run by ONNX Runtime on the same samples (onnxruntime.quantization.qdq_loss_debug; ``pip install
'npu-partition[quantize]'``). For each activation that the quantized model has a pair for: the node that makes it, what
the plan does with that node, and the ratio of signal to noise in dB: ``error_db`` against the float model, ``own_db``
by this pair alone; ``weight_db``: of the node's weight, by ``npu-partition weights``, as INT8 with a scale a channel,
or by --rounding as another key of its ``db``. The worst stand first. FOLDER is as for ``npu_partition.quantize``.
"""
from __future__ import annotations

import argparse
import html
import importlib
import json
import math
import pathlib
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from . import _input, _native, quantize
from ._analysis import Target, analyze
from ._library import decoded, initialized, items, library, make

COLUMNS = ("tensor", "node", "op", "verdict", "partition", "error_db", "own_db", "weight_db")


@dataclass(frozen=True)
class Layer:
    """What is lost of one activation; None: nothing, or not known."""

    tensor: str
    node: str
    op: str
    verdict: str | None
    partition: int | None
    error_db: float | None
    own_db: float | None
    weight_db: float | None


def weight_decibels(model: str, rounding: str = "int8-channel") -> dict[str, float]:
    """By name of a weight what it keeps, in dB."""
    options = initialized(_native.npart_read_options, _native.NPART_READ_OPTIONS_INIT)
    loaded = _input.read_model(model, options)
    losses = make(library.npart_losses_make, library.npart_losses_free, loaded.pointer)
    index = 0
    while (name := library.npart_rounding_name(index)) is not None and decoded(name) != rounding:
        index += 1
    if name is None:
        raise quantize.UsageError(f"--rounding {rounding}: there is no such key")
    return {decoded(weight.name): float(weight.decibels[index])
            for weight in items(losses, library.npart_losses_weight, _native.npart_weight_loss)
            if weight.is_known[index]}


def errors_of(source: str, quantized: str, samples: quantize.Samples) -> dict[str, dict[str, float]]:
    """By activation, as qdq_loss_debug says it."""
    debug: Any = importlib.import_module("onnxruntime.quantization.qdq_loss_debug")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for path in (quantized, source):
            longer = str(pathlib.Path(folder) / "longer.onnx")
            debug.modify_model_output_intermediate_tensors(path, longer)
            found.append(debug.collect_activations(longer, samples.feeds))  # all that it does is to go through them
    errors: dict[str, dict[str, float]] = debug.compute_activation_error(debug.create_activation_matching(*found))
    return errors


def finite(value: Any) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def layers(source: str, quantized: str, target: Target, samples: quantize.Samples,
           rounding: str = "int8-channel") -> list[Layer]:
    """The worst first. `target`: what the quantized model's plan says."""
    onnx = quantize.needed("onnx")
    model = onnx.load(source, load_external_data=False)
    made_by = {name: node for node in model.graph.node for name in node.output}
    planned = {node.name: node for node in target.nodes if node.graph == "" and node.name}
    of_weights = weight_decibels(source, rounding)
    rows = []
    for tensor, error in errors_of(source, quantized, samples).items():
        node = made_by.get(tensor)
        plan = planned.get(node.name) if node is not None else None
        operands = node.input if node is not None else ()
        weight = next((of_weights[name] for name in operands if name in of_weights), None)
        rows.append(Layer(tensor, node.name if node is not None else "", node.op_type if node is not None else "input",
                          plan.verdict if plan else None, plan.partition if plan else None,
                          finite(error.get("xmodel_err")), finite(error.get("qdq_err")), weight))
    return sorted(rows, key=lambda row: math.inf if row.error_db is None else row.error_db)


def kendall(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Kendall's tau-a of two orders; None for fewer than two."""
    total = sum(((a > c) - (a < c)) * ((b > d) - (b < d))
                for i, (a, b) in enumerate(pairs) for c, d in pairs[:i])
    return total / (len(pairs) * (len(pairs) - 1) / 2) if len(pairs) > 1 else None


# ---- what is printed ------------------------------------------------------------------------------------------------


def cell(value: Any) -> str:
    return "-" if value is None else f"{value:.1f}" if isinstance(value, float) else str(value)


def told(rows: Iterable[Layer], form: str, title: str) -> str:
    table = [[cell(getattr(row, name)) for name in COLUMNS] for row in rows]
    if form == "json":
        return json.dumps({"model": title, "layers": [asdict(row) for row in rows]}, indent=1) + "\n"
    if form == "html":
        lines = ["".join(f"<td>{html.escape(text)}</td>" for text in row) for row in table]
        head = "".join(f"<th>{name}</th>" for name in COLUMNS)
        return (f"<!doctype html><meta charset=utf-8><title>{html.escape(title)}</title>\n<table><tr>{head}</tr>\n"
                + "\n".join(f"<tr>{line}</tr>" for line in lines) + "\n</table>\n")
    widths = [max([len(name)] + [len(row[i]) for row in table]) for i, name in enumerate(COLUMNS)]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip()
                     for row in [list(COLUMNS), *table]) + "\n"


def run(arguments: Sequence[str]) -> int:
    parser = quantize.Parser(prog="python -m npu_partition.sensitivity", description=__doc__,
                             formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("quantized")
    parser.add_argument("-t", "--target", required=True)
    parser.add_argument("--calibrate", type=pathlib.Path)
    parser.add_argument("--random", action="store_true")
    parser.add_argument("--dim", action="append", default=[])
    parser.add_argument("--rounding", default="int8-channel")
    parser.add_argument("--format", choices=("text", "json", "html"), default="text")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    asked = parser.parse_args(arguments)
    if not (asked.calibrate or asked.random):
        raise quantize.UsageError("data is needed: --calibrate FOLDER, or --random, after which errors mean little")
    dims = {name: int(size) for name, _, size in (dim.partition("=") for dim in asked.dim)}
    model = quantize.needed("onnx").load(asked.model, load_external_data=False)
    samples = (quantize.read_samples(asked.calibrate, model) if asked.calibrate
               else quantize.random_samples(model, dims))
    target = analyze(asked.quantized, asked.target, dims=dims or None, advice=False).targets[0]
    rows = layers(asked.model, asked.quantized, target, samples, asked.rounding)
    text = told(rows, asked.format, asked.quantized)
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    pairs = [(row.weight_db, row.error_db) for row in rows if row.weight_db is not None and row.error_db is not None]
    tau = kendall(pairs)
    if tau is not None:
        print(f"npu-partition: order by weights against order by error: Kendall's tau {tau:.2f} of {len(pairs)} layers",
              file=sys.stderr)
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    return quantize.exit_status_of(run, arguments, "the models cannot be run")


if __name__ == "__main__":
    sys.exit(main())
