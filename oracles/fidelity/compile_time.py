#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long compilers took, against the nodes, weights and multiply-accumulates of the partitions that they got.

usage: compile_time.py ask   --tool build/npu-partition --models DIR --truth DIR --answers FILE --oracle PY --home DIR
                             [--most N]
       compile_time.py check --tool build/npu-partition --models DIR --truth DIR [--answers FILE] [--page PAGE]
Needs:  pip install numpy, for `ask` onnx

DIR are folders with models and with models.hexagon.soc60.jsonl.gz, whose `seconds` are those of an ONNX Runtime session
with Qualcomm's compiler in it (ort_assign.py --ep qnn --level all, a process for each model). FILE has Intel's: `ask`
puts models that are planned whole to the compiler and adds a line for each that has none there, of at most N models.
PY is intel_npu.py, DIR of --home what its setup.sh has filled. One process of the compiler is asked about one model after
the other, as its start is no part of compiling; its seconds are of the processor. Weights are random, up to MOST_BYTES:
zeros are folded, and some attention of which they leave constants does not compile.
`check` fits, holds out networks, prints the `param` lines, compares what the tool itself says, and, with --page, puts it
into the page. Exit status 1 when a bar is missed.
"""
import argparse
import gzip
import importlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

TITLE = "## Compile time"
NAMES = ("compile_ms", "compile_node_ms", "compile_gb_per_s", "compile_gops")
MEDIAN_BAR, P90_BAR = 1.6, 3.0
HEXAGON, INTEL = "hexagon:v73", "intel-npu:4000"
MOST_BYTES = 4 << 30  # of weights


# ---- input --------------------------------------------------------------------------------------------------


def truth_of(folder):
    with gzip.open(folder / "models.hexagon.soc60.jsonl.gz", "rt") as file:
        rows = map(json.loads, file)
        return [row for row in rows if row["level"] == "all"]


def planned(arguments, row, target):
    """The target's part of the document; None where the tool refuses the model."""
    sizes = [word for name, size in row["dims"].items() for word in ("--dim", f"{name}={size}")]
    run = subprocess.run([arguments.tool, str(arguments.models / row["model"]), "-t", target, "-f", "json", "--detail",
                          "nodes", *sizes], capture_output=True, text=True, check=False)
    return json.loads(run.stdout)["targets"][0] if run.returncode in (0, 1) else None


class Row:
    """A model: its seconds, what the compiler gets in all, and what the tool says of it."""

    def __init__(self, name, seconds, plan):
        self.name, self.seconds = name, seconds
        # light-resnet50.onnx, keras-resnet50v2.tf2onnx13.dyn.onnx: networks, of which one may be there several times
        self.network = re.split(r"[-.]", re.sub(r"^(fetched|light|keras)-", "", name))[0].rstrip("0123456789v")
        parts = plan["partitions"]
        weights = [memory["weight_bytes"] for memory in plan["memory"]["partitions"]]
        self.is_known = bool(parts) and None not in weights and all(part["macs"] is not None for part in parts)
        self.told = plan["cost"]["compile_ms"]
        self.work = (len(parts), sum(len(part["nodes"]) for part in parts), sum(weights) / 1e9,
                     2e-9 * sum(part["macs"] for part in parts)) if self.is_known else ()


def hexagon_rows(arguments):
    for row in truth_of(arguments.truth):
        if row.get("seconds") and row.get("partitions") and (plan := planned(arguments, row, HEXAGON)):
            yield Row(row["model"], row["seconds"], plan)


def intel_rows(arguments):
    """Processor seconds: others may have used the machine."""
    dims = {row["model"]: row for row in truth_of(arguments.truth)}
    for line in arguments.answers.read_text().splitlines():
        answer = json.loads(line)
        if answer["ok"] and answer["cpu_seconds"] and (plan := planned(arguments, dims[answer["model"]], INTEL)):
            if plan["summary"]["verdict"] == "whole":
                yield Row(answer["model"], answer["cpu_seconds"], plan)


def processor_seconds(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def with_weights(arguments, row, prepare, folder):
    """The model as the compiler gets it; None where its weights are too large."""
    placed, prepared = folder / "placed", folder / "prepared"
    for made in (placed, prepared):
        made.mkdir()
    if importlib.import_module("fix_equality").place(arguments.models / row["model"], placed, MOST_BYTES) is None:
        return None
    path, _ = prepare(str(placed / "model.onnx"), row["dims"], str(prepared))
    for link in prepared.iterdir():
        if link.is_symlink():  # OpenVINO takes no weights from outside of the model's folder
            link.resolve().replace(link)
    return path


def ask(arguments):
    sys.path[:0] = [str(arguments.oracle.parent), str(arguments.oracle.parent.parent)]
    prepare = importlib.import_module("ort_assign").prepare
    compiler = importlib.import_module(arguments.oracle.stem).Compiler(arguments.home, "4000")
    known = {json.loads(line)["model"] for line in arguments.answers.open()} if arguments.answers.exists() else set()
    asked = 0
    for row in truth_of(arguments.truth):
        if asked == arguments.most:
            break
        plan = None if row["model"] in known else planned(arguments, row, INTEL)
        if not plan or plan["summary"]["verdict"] != "whole":
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = with_weights(arguments, row, prepare, pathlib.Path(folder))
            if path is None:
                continue
            asked += 1
            if compiler.process is None or compiler.process.poll() is not None:
                compiler.start()
            process = compiler.process.pid
            before = processor_seconds(process)
            answer = compiler.ask(path, 600)
            ok = answer["ok"]
            answer["cpu_seconds"] = round(processor_seconds(process) - before, 2) if ok else None
        with arguments.answers.open("a") as file:
            file.write(json.dumps({"model": row["model"], "platform": "4000"} | answer) + "\n")
    compiler.close()
    print(f"{asked} models asked, {len(known)} were known")
    return 0


# ---- fitting ------------------------------------------------------------------------------------------------


def price(logs, work, seconds):
    return np.abs(np.log(seconds) - np.log(work @ np.exp(logs))).sum()


def fit(work, seconds):
    """Seconds for each column: the sum of logarithms' distances is least, one coordinate after the other."""
    best = np.log(np.median(seconds) / work.shape[1] / np.maximum(work.mean(0), 1e-9))
    least, step = price(best, work, seconds), 2.0
    while step > 1e-3:
        before = least
        for column in range(work.shape[1]):
            for sign in (-1, 1):
                trial = best.copy()
                trial[column] += sign * step
                value = price(trial, work, seconds)
                if value < least:
                    best, least = trial, value
        step = step if least < before - 1e-9 else step / 2
    return np.exp(best)


def factors(rows, work, seconds):
    """How many times too long or too short a network is that took no part."""
    out = np.zeros(len(rows))
    networks = np.array([row.network for row in rows])
    for network in sorted(set(networks)):
        held = networks == network
        out[held] = seconds[held] / (work[held] @ fit(work[~held], seconds[~held]))
    return out


def spread_of(work, typical, wanted):
    """By what each parameter may be off, so that times are off by `wanted`: independent, as the tool adds them."""
    parts = work * typical
    shares = parts / parts.sum(1, keepdims=True)
    return wanted ** (1 / np.median(np.sqrt((shares ** 2).sum(1))))


# ---- reporting ----------------------------------------------------------------------------------------------


def quantile(values, share):
    return float(np.quantile(np.maximum(values, 1 / values), share))


def line_of(name, seconds, spread):
    """1 / seconds is a rate; the columns are partitions, nodes, 1e9 bytes and 1e9 operations."""
    typical = 1 / seconds if name.endswith(("_gops", "_per_s")) else 1000 * seconds
    return f"param {name} {typical / spread:.3g} {typical:.3g} {typical * spread:.3g}"


class Report:
    def __init__(self):
        self.text, self.is_missed = [], False

    def add(self, *lines):
        print(*lines, sep="\n", flush=True)
        self.text += lines


def judge(report, target, what, rows, with_session):
    told = rows
    rows = [row for row in rows if row.is_known]
    work = np.array([row.work for row in rows])
    seconds = np.array([row.seconds for row in rows])
    all_work = np.hstack([work, np.ones((len(rows), 1))]) if with_session else work
    off = factors(rows, all_work, seconds)
    typical = fit(all_work, seconds)
    spread = spread_of(work, typical[:len(NAMES)], quantile(off, .8))
    median, p90 = quantile(off, .5), quantile(off, .9)
    report.is_missed |= median > MEDIAN_BAR or p90 > P90_BAR
    report.add("", f"### {target}", "", f"{what} {len(rows)} of {len(told)} models, "
               f"{len({row.network for row in rows})} networks, {seconds.min():.2g} to {seconds.max():.2g} s.", "",
               "| what explains it, networks held out | factor: median | 90 % |", "| --- | --- | --- |")
    for name, columns in (("nodes", (0, 1)), ("nodes, weights", (0, 1, 2)), ("nodes, MACs", (0, 1, 3)),
                          ("weights, MACs", (0, 2, 3)), ("nodes, weights, MACs", (0, 1, 2, 3))):
        chosen = all_work[:, [*columns, *range(len(NAMES), all_work.shape[1])]]
        one = factors(rows, chosen, seconds)
        report.add(f"| {name} | {quantile(one, .5):.2f} | {quantile(one, .9):.2f} |")
    report.add("", *[f"    {line_of(name, value, spread)}" for name, value in zip(NAMES, typical)], "")
    if with_session:
        report.add(f"A session takes {typical[-1]:.2g} s besides, which is no partition's.", "")
    # By the tool's own figures, which this run may have fitted anew.
    known = [row for row in rows if row.told]
    own = np.array([row.seconds / (row.told[1] / 1000 + (typical[-1] if with_session else 0)) for row in known])
    if known:
        inside = np.mean([low / 1000 <= row.seconds <= high / 1000 + (typical[-1] if with_session else 0)
                          for row in known for low, _, high in [row.told]])
        report.add(f"The tool's own `compile_ms` of {len(known)} models: factor {quantile(own, .5):.2f} in the median, "
                   f"{quantile(own, .9):.2f} at 90 %; {100 * inside:.0f} % inside its range.", "")
    worst = sorted(zip(rows, off), key=lambda pair: -abs(np.log(pair[1])))[:6]
    report.add("| furthest off | seconds | factor | nodes | weights | GMACs |", "| --- | --- | --- | --- | --- | --- |")
    for row, factor in worst:
        report.add(f"| {row.name} | {row.seconds:.3g} | {factor:.2g} | {row.work[1]} | {1000 * row.work[2]:.3g} MB | "
                   f"{row.work[3] / 2:.3g} |")


INTRODUCTION = [
    TITLE, "",
    "Written by `make fidelity-compile-time MODELS=folder TRUTH=folder`. A sum over partitions: so much each, for each "
    "node,", "byte of weights (as the NPU holds them) and multiply-accumulate; a fit of the least distance of logarithms, "
    "with each", "network held out in turn. It is an order of magnitude: on x86 computers, and of no device."]


def check(arguments):
    report = Report()
    report.add(*INTRODUCTION)
    judge(report, "hexagon", "Creating an ONNX Runtime session with onnxruntime-qnn for SoC 60, from a file, without "
          "starting Python:", list(hexagon_rows(arguments)), True)
    if arguments.answers:
        judge(report, "intel-npu", "Processor time of OpenVINO's NPU compiler for platform 4000, which takes a model "
              "whole (`compile_time.py ask`):", list(intel_rows(arguments)), False)
    if arguments.page:
        page = arguments.page.read_text()
        arguments.page.write_text(page.split("\n" + TITLE, 1)[0].rstrip("\n") + "\n\n" + "\n".join(report.text) + "\n")
    return report.is_missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("ask", "check"))
    parser.add_argument("--tool", required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--truth", type=pathlib.Path, required=True)
    parser.add_argument("--answers", type=pathlib.Path)
    parser.add_argument("--oracle", type=pathlib.Path)
    parser.add_argument("--home")
    parser.add_argument("--most", type=int)
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    return ask(arguments) if arguments.what == "ask" else check(arguments)


if __name__ == "__main__":
    sys.exit(main())
