# SPDX-License-Identifier: Apache-2.0
"""Runs models on the CPU of this machine, in ONNX Runtime with random inputs, beside what is predicted of them.

    python -m npu_partition.measure a.onnx b.onnx -t hexagon --dim batch=1 -o runs.csv
    npu-partition calibrate runs.csv -o cpu.cost
    npu-partition a.onnx -t hexagon --cost cpu.cost

The second line makes predictions of the CPU those of this machine, where that halves their error; reports then say "CPU
measured". Run it on the device, or what is measured is another CPU.
"""
from __future__ import annotations

import argparse
import collections
import csv
import dataclasses
import importlib
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ._analysis import analyze
from ._errors import ArgumentError, NpuPartitionError

COLUMNS = ("model", "target", "dims", "on", "ms")
CPU = ["CPUExecutionProvider"]
# Runs of the session before those that count.
WARM = 2
# Of a file of weights that is absent so much is random and the rest 0, which no kernel is faster for.
RANDOM_BYTES = 1 << 24
# A run that takes so many times what its kernels take together waits for something else.
BUSY = 1.5


@dataclasses.dataclass(frozen=True, slots=True)
class Operator:
    """A kind of kernel, measured beside predicted."""

    op: str
    kernels: int
    """How many ran."""
    ms: float | None
    """Of all together in a run, by each one's median; None: none ran."""
    predicted_ms: float | None


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """A model's runs on the CPU of this machine."""

    model: str
    target: str
    dims: Mapping[str, int | str]
    """The sizes of the runs, those that were proposed for dims of no given size among them."""
    runtime: str
    """``onnxruntime 1.32.0``"""
    threads: int
    """0: as many as ONNX Runtime chooses."""
    ms: float
    """The median of the runs."""
    quartiles: tuple[float, float]
    predicted: tuple[float, float, float] | None
    """A run on the CPU alone as the target's report has it: low, typical, high."""
    operators: Sequence[Operator]
    """What takes longest first."""
    random_weights: tuple[str, ...]
    """Files of weights that are absent, in whose place random numbers stood."""

    def row(self, folder: str | os.PathLike[str] = ".") -> dict[str, Any]:
        """A row of the table that ``npu-partition calibrate`` reads; paths relative to the table's folder."""
        dims = " ".join(f"{name}={size}" for name, size in self.dims.items())
        path = os.path.relpath(self.model, folder)
        return dict(zip(COLUMNS, (path, self.target, dims, "cpu", f"{self.ms:.4f}")))

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        return "\n".join(lines(self))


# ---- weights and inputs ------------------------------------------------------------------------------------------


def tensors(message: Any) -> Iterator[Any]:
    """All tensors of a graph, those of bodies too."""
    yield from message.initializer
    for node in message.node:
        for attribute in node.attribute:
            yield from [attribute.t] if attribute.HasField("t") else []
            yield from attribute.tensors
            for body in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                yield from tensors(body)


def fill(path: pathlib.Path, size: int, chance: Any) -> None:
    """Small numbers: with them no result grows beyond any bound, and none is denormal."""
    import numpy

    values = chance.uniform(0.01, 0.05, min(size, RANDOM_BYTES) // 4).astype(numpy.float32)
    with open(path, "wb") as file:
        file.write(values.tobytes())
        file.truncate(size)


def with_weights(model: pathlib.Path, folder: pathlib.Path) -> tuple[pathlib.Path, tuple[str, ...]]:
    """The model, or a copy beside whose files random ones stand in the place of those that are absent."""
    try:
        onnx = importlib.import_module("onnx")
    except ImportError:
        return model, ()
    import numpy

    read = onnx.load(model, load_external_data=False)
    ends: dict[str, int] = {}
    for tensor in tensors(read.graph):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            entry = {item.key: item.value for item in tensor.external_data}
            elements = int(numpy.prod(tensor.dims, dtype=numpy.int64))
            kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
            size = int(entry.get("length") or elements * numpy.dtype(kind).itemsize)
            end = int(entry.get("offset") or 0) + size
            ends[entry["location"]] = max(end, ends.get(entry["location"], 0))
    absent = tuple(sorted(name for name in ends if not (model.parent / name).is_file()))
    if not absent:
        return model, ()
    chance = numpy.random.default_rng(1)
    for name, end in ends.items():
        place = folder / name
        if not place.resolve().is_relative_to(folder.resolve()):
            raise ArgumentError(f"{model}: weights outside of the model's folder: {name}")
        place.parent.mkdir(parents=True, exist_ok=True)
        if name in absent:
            fill(place, end, chance)
        else:
            shutil.copyfile(model.parent / name, place)
    shutil.copyfile(model, folder / "model.onnx")
    return folder / "model.onnx", absent


# By ONNX's numbers.
TYPES = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 9: "bool",
         10: "float16", 11: "float64", 12: "uint32", 13: "uint64"}


def draw(name: str, element_type: int, dims: Sequence[int], chance: Any) -> Any:
    """What an input of that name may hold: masks are ones, positions count, tokens are small numbers."""
    import numpy

    if element_type not in TYPES:
        raise ArgumentError(f"input {name}: no random values of type {element_type}")
    kind, word = numpy.dtype(TYPES[element_type]), name.lower()
    if "mask" in word or kind.kind == "b":
        return numpy.ones(dims, kind)
    if kind.kind == "f":
        return chance.standard_normal(dims).astype(kind)
    if "position" in word:
        return numpy.broadcast_to(numpy.arange(dims[-1] if dims else 1), dims).astype(kind)
    if word in ("sr", "sampling_rate", "sample_rate"):
        return numpy.full(dims, 16000, kind)
    return chance.integers(0, 2 if "token_type" in word or "segment" in word else 64, dims).astype(kind)


def inputs_of(session: Any, shapes: Mapping[str, Any]) -> dict[str, Any]:
    """Random values for all inputs of a session."""
    import numpy

    chance, made = numpy.random.default_rng(1), {}
    for value in session.get_inputs():
        element_type, dims = shapes.get(value.name) or (None, None)
        if element_type is None or dims is None or not all(isinstance(size, int) and size >= 0 for size in dims):
            raise ArgumentError(f"input {value.name}: a size is missing (--dim NAME=N, or --input NAME=1x3x224x224)")
        made[value.name] = draw(value.name, element_type, dims, chance)
    return made


# ---- runs --------------------------------------------------------------------------------------------------------


def run(model: pathlib.Path, shapes: Mapping[str, Any], sizes: Mapping[str, int | str], runs: int, threads: int,
        folder: pathlib.Path) -> tuple[list[float], list[Any]]:
    """How long each run took, in ms; and the events of a profile of as many runs more."""
    import time

    try:
        import onnxruntime
    except ImportError as missing:
        raise ArgumentError("onnxruntime is missing: pip install onnxruntime") from missing
    made = []
    for is_profiled in (False, True):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        options.enable_profiling = is_profiled  # what it takes itself is in no time of a run
        for name, size in sizes.items():  # the session knows them, as the plan does
            if isinstance(size, int):
                options.add_free_dimension_override_by_name(name, size)
        options.profile_file_prefix = str(folder / "profile")
        session = onnxruntime.InferenceSession(str(model), options, providers=CPU)
        values, took = inputs_of(session, shapes), []
        for _ in range(WARM + runs):
            begin = time.perf_counter()
            session.run(None, values)
            took.append(1e3 * (time.perf_counter() - begin))
        made.append(took[WARM:])
    with open(session.end_profiling(), encoding="utf-8") as file:
        return made[0], json.load(file)


def kernels_of(events: Sequence[Any]) -> dict[str, tuple[int, float]]:
    """By operator how many kernels ran, and their time in a run, in ms. The first runs warm up."""
    took: dict[str, dict[str, list[float]]] = collections.defaultdict(lambda: collections.defaultdict(list))
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            took[event["args"]["op_name"]][event["name"]].append(event["dur"] / 1e3)
    return {op: (len(kernels), sum(statistics.median(times[WARM:] or times) for times in kernels.values()))
            for op, kernels in took.items()}


def measure(model: str | os.PathLike[str], target: str = "hexagon", *, dims: Mapping[str, int | str] | None = None,
            inputs: Mapping[str, Sequence[int]] | None = None, cost: str | os.PathLike[str] | None = None,
            runs: int = 20, threads: int = 0) -> Measured:
    """Runs a model on the CPU of this machine, beside what a target's report predicts of the CPU alone.

    Args:
        dims: sizes of symbolic dims; of those without one the sizes that the report proposes are taken.
        cost: parameters on top of the target's, as `analyze` takes them.
        threads: of a kernel; 0: as many as ONNX Runtime chooses.
    Raises:
        ArgumentError: a size is missing, or onnxruntime is.
    """
    path = pathlib.Path(os.fspath(model))
    sizes = dict(dims or {})
    analysis = analyze(path, target, dims=sizes, inputs=inputs, cost=cost)
    if (fixed := analysis.targets[0].if_fixed) is not None:
        sizes.update({name: size for name, size in fixed.dims.items() if name not in sizes})
        analysis = analyze(path, target, dims=sizes, inputs=inputs, cost=cost)
    told = analysis.targets[0].cost
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        runnable, absent = with_weights(path, folder)
        try:
            times, events = run(runnable, analysis.shapes(), sizes, runs, threads, folder)
        except NpuPartitionError:
            raise
        except Exception as error:  # ONNX Runtime's own, which have no common class
            raise ArgumentError(f"{path}: ONNX Runtime does not run it: {str(error).splitlines()[0][:200]}") from error
    found = kernels_of(events)
    predicted = {item.op: item for item in told.cpu_operators}
    operators = [Operator(op, found[op][0] if op in found else predicted[op].nodes,
                          found[op][1] if op in found else None,
                          predicted[op].typical_ms if op in predicted else None)
                 for op in {**found, **predicted}]
    import onnxruntime

    quarters = statistics.quantiles(times, n=4) if len(times) > 1 else [times[0]] * 3
    return Measured(str(path), target, sizes, f"onnxruntime {onnxruntime.__version__}", threads,
                    statistics.median(times), (quarters[0], quarters[2]), told.alternatives.cpu,
                    sorted(operators, key=lambda item: (-(item.ms or 0), -(item.predicted_ms or 0), item.op)), absent)


# ---- words -------------------------------------------------------------------------------------------------------


def shown(ms: float | None) -> str:
    """Two significant digits, as reports have them."""
    if ms is None:
        return "-"
    digits = 3 if ms >= 100 else 2
    return f"{float(f'{ms:.{digits}g}'):g} ms" if ms >= 0.01 else "<0.01 ms"


def times_as_long(measured: float | None, predicted: float | None) -> str:
    return f"{measured / predicted:.2g}x" if measured and predicted and predicted >= 0.001 else "-"


def lines(found: Measured, most: int = 12) -> Iterator[str]:
    """A report of at most so many operators; the rest in one line."""
    yield f"{os.path.basename(found.model)} on the CPU of this machine: {found.runtime}" + \
        (f", {found.threads} threads" if found.threads > 1 else ", 1 thread" if found.threads else "")
    if found.dims:
        yield "  sizes " + ", ".join(f"{name}={size}" for name, size in found.dims.items())
    if found.random_weights:
        yield f"  weights random: {', '.join(found.random_weights)[:60]} not found"
    typical = found.predicted[1] if found.predicted else None
    rows: list[tuple[str, str, float | None, float | None]] = [("a run", "", found.ms, typical)]
    rows += [(item.op, str(item.kernels), item.ms, item.predicted_ms) for item in found.operators[:most]]
    rest = found.operators[most:]
    if rest:
        rows.append((f"{len(rest)} more", str(sum(item.kernels for item in rest)),
                     sum(item.ms or 0 for item in rest), sum(item.predicted_ms or 0 for item in rest)))
    yield ""
    yield f"  {'':32}{'kernels':>8}{'measured':>12}{'predicted':>12}{'ratio':>8}"
    for name, count, ms, predicted in rows:
        yield f"  {name[:32]:32}{count:>8}{shown(ms):>12}{shown(predicted):>12}{times_as_long(ms, predicted):>8}"
    yield ""
    kernels = sum(item.ms or 0 for item in found.operators)
    if found.ms > BUSY * kernels:
        yield (f"  A run is longer than its kernels, {shown(kernels)} together: a busy machine, or more threads than "
               "processors (--threads).")


def options_of(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m npu_partition.measure",
                                     description="Runs models on the CPU of this machine, in ONNX Runtime with random "
                                     "inputs, beside what is predicted of the CPU alone.")
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("-t", "--target", default="hexagon", help="whose report predicts (hexagon)")
    parser.add_argument("-d", "--dim", action="append", default=[], metavar="NAME=N",
                        help="size of a dynamic dimension")
    parser.add_argument("--input", action="append", default=[], metavar="NAME=1x3x224x224", help="shape of an input")
    parser.add_argument("--cost", metavar="FILE", help="parameters, as calibrate writes them")
    parser.add_argument("--runs", type=int, default=20, help="that count (20)")
    parser.add_argument("--threads", type=int, default=0, help="of a kernel (as ONNX Runtime chooses)")
    parser.add_argument("-o", "--output", metavar="FILE.csv", help="a table of runs for npu-partition calibrate")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(words)
    if options.runs < 1 or options.threads < 0:
        parser.error("--runs must be at least 1, --threads at least 0")
    return options


def sizes_of(options: argparse.Namespace) -> tuple[dict[str, int | str], dict[str, list[int]]]:
    dims: dict[str, int | str] = {}
    inputs = {}
    for text in options.dim:
        name, equals, size = text.rpartition("=")
        if not (equals and name and size.isdigit()):
            raise ArgumentError(f"--dim {text}: expected NAME=N")
        dims[name] = int(size)
    for text in options.input:
        name, equals, shape = text.rpartition("=")
        if not (equals and name and all(size.isdigit() for size in shape.split("x"))):
            raise ArgumentError(f"--input {text}: expected NAME=1x3x224x224")
        inputs[name] = [int(size) for size in shape.split("x")]
    return dims, inputs


def main(words: Sequence[str] | None = None) -> int:
    options = options_of(words)
    status, rows = 0, []
    folder = os.path.dirname(options.output or "") or "."
    for model in options.models:
        try:
            dims, inputs = sizes_of(options)
            found = measure(model, options.target, dims=dims, inputs=inputs or None, cost=options.cost,
                            runs=options.runs, threads=options.threads)
        except (NpuPartitionError, OSError) as error:
            print(f"{model}: {error}", file=sys.stderr)
            status = 3
            continue
        print(json.dumps(found.to_dict()) if options.format == "json" else found, flush=True)
        rows.append(found.row(folder))
    if options.output and rows:
        with open(options.output, "w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            table.writeheader()
            table.writerows(rows)
        print(f"npu-partition calibrate {options.output} -o cpu.cost   # two models or more, then --cost cpu.cost",
              file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
