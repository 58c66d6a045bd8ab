#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run `npu-partition fix` on pattern models and on real ones, and both files in ONNX Runtime on the same random inputs.

usage: fix_equality.py --tool build/npu-partition --folder FOLDER [--only TEXT] [--no-patterns] [--page PAGE.md]
                       [--target TARGET] [--most-bytes N] [MODELS]
Needs:  pip install onnx onnxruntime

Pattern models (fix_patterns.py) are written to FOLDER and fixed twice: with their rewrite alone and its class allowed,
and with every rewrite of the default class. Models of the folder MODELS are fixed at the sizes of their `*.run.json.gz`,
with the default class and with `--allow bits-if,ulp`. What is bit for bit the same by its class must be, all else within
what its row states (fix_pattern_model.py). What is checked besides: that the file loads, that onnx.checker takes it
where it took the first, that a rewrite that must not apply does not, that each step's class was allowed.

The weights of real models are absent. Random ones are put into a copy *before* it is fixed: then constants are folded
from the values that the first file runs with, weights that a rewrite copies or changes are the same ones, and nothing
has to be found again by its name. The fixed file refers to the weights' file, as a user's does. Models with more than
--most-bytes of weights are left out and counted. Exit status 1 on any miss.
"""
import argparse
import collections
import dataclasses
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys

import numpy as np
import onnx

import fix_feeds
import fix_pattern_model
import fix_patterns
import fix_tool
import fix_worker
import sizes

ALLOWED = ["--allow", "bits-if,ulp"]
# Largest relative error of a whole model where classes other than bit for bit were allowed and a step used one.
MODEL_ULP = 1e-4
SPACE = 12 << 30
# Rewrites that make a Where that the file did not have.
WHERE = {"if-where", "clip"}
# Rewrites that show under another id too: what is bound is written as a step of its own.
OTHER_IDS = {"if-const": {"bind"}, "unroll": {"bind"}}


@dataclasses.dataclass
class Row:
    id: str
    patterns: int = 0
    expected: int = 0  # patterns that it should apply to
    applied: int = 0
    applied_unexpected: int = 0
    equal: int = 0  # of those that were changed
    zeros: int = 0  # of them, but for the sign of zeros
    changed: int = 0
    error: float = 0.0
    classes: set = dataclasses.field(default_factory=set)  # that its steps had
    misses: list = dataclasses.field(default_factory=list)


# ---- patterns ----------------------------------------------------------------------------------------------------


EVERY_CLASS = ("bits-if", "ulp", "step", "approx")


def allow(entry):
    """Options, and the classes that they allow: what the pattern asks for, else all; a step tells its own."""
    if not entry["own class"]:
        return ["--allow", ",".join(EVERY_CLASS)], EVERY_CLASS
    return ([], ()) if entry["class"] == "bits" else (["--allow", entry["class"]], (entry["class"],))


def run_problems(answer, classes, applied, tolerance):
    """What is wrong with two runs, or nothing. Two things are ONNX Runtime's, or the condition of `bits-if`: its Where
    turns -0 into 0 (with if-where), and the sign of zeros under `bits-if`."""
    is_exact = not classes - {"bits", "bits-if"} and not tolerance  # some are rounded where the condition holds
    forgives = "bits-if" in classes or WHERE & set(applied)
    if "crash" in answer:
        return [f"the run crashed: {answer['crash']}"]
    if "before" in answer["fails"]:
        return []
    if "after" in answer["fails"]:
        return [f"does not load or run: {answer['fails']['after']}"]
    if answer["form"]:
        return [f"other outputs: {answer['form']}"]
    if is_exact and answer["equal"] != "bits" and not (answer["equal"] == "zeros" and forgives):
        return ["not bit for bit: " + (f"error {answer['error']:.2g}" if answer["equal"] == "other" else "signs of zeros")]
    if answer["error"] > tolerance:
        return [f"error {answer['error']:.2g} above {tolerance:.2g}"]
    return []


def class_problems(fixed, allowed):
    return [f"{step['rewrite']} has class {step['equality']}, allowed: {allowed}" for step in fixed.steps
            if step["equality"] not in ("bits", *allowed)]


def bound_inputs(options):
    return {word.rsplit("=", 1)[0] for flag, word in zip(options, options[1:]) if flag == "--bind"}


def judge_pattern(args, workers, entry, options, allowed):
    """The fixed file's report, the answer of the runs, and what is wrong."""
    source, out = args.patterns / entry["file"], args.folder / "fixed.onnx"
    out.unlink(missing_ok=True)
    fixed = fix_tool.fix(args.tool, source, entry["target"], out, options)
    if fixed.status != 0 or not out.exists():
        return fixed, None, [f"exit status {fixed.status}: {fixed.message}"]
    problems = class_problems(fixed, allowed)
    before, after = (fix_tool.checker_problem(path) for path in (source, out))
    if after and not before:
        problems.append(f"onnx.checker: {after}")
    if out.read_bytes() == source.read_bytes():
        return fixed, None, problems + (["steps, but nothing changed"] if fixed.steps else [])
    classes = {step["equality"] for step in fixed.steps}
    answer = workers.ask({**entry, "before": str(source), "after": str(out), "finite": "bits-if" in classes})
    tolerance = max([entry["tolerance"] if classes - {"bits", "bits-if"} else 0] +
                    [own_tolerance(rewrite) for rewrite in fixed.applied])
    problems += run_problems(answer, classes, fixed.applied, tolerance)
    gone = set(answer.get("gone", [])) - bound_inputs(options)
    if gone:
        problems.append(f"inputs are gone: {sorted(gone)}")
    return fixed, answer, problems


def own_tolerance(rewrite):
    return fix_pattern_model.TOLERANCES.get(rewrite, (0,))[0]


def report_bug(args, entry, options, problems):
    print(f"MISS {entry['file']}: {'; '.join(problems)}")
    print("     ", fix_tool.command_of(args.tool, args.patterns / entry["file"], entry["target"], "OUT.onnx", options),
          flush=True)


# Patterns are so small that no NPU would pay, and `fix` writes nothing that is slower: here starting one costs nothing,
# and the CPU is slow.
FAVOURABLE = "format 1\n" + "".join(f"param {name} {value} {value} {value}\n" for name, value in (
    ("launch_ms", 0), ("runtime_ms", 0), ("map_ms", 0), ("cpu_node_us", 0), ("cpu_memory_gb_per_s", 1e-6),
    ("cpu_element_ns", 1e6), ("cpu_slow_element_ns", 1e6)))


def judge_patterns(args, rows):
    args.patterns = args.folder / "patterns"
    args.patterns.mkdir(parents=True, exist_ok=True)
    costs = args.folder / "favourable.cost"
    costs.write_text(FAVOURABLE, encoding="utf-8")
    entries, problems = fix_patterns.make(args.patterns, set())
    for problem in problems:
        print("NOT MADE", problem)
    workers = fix_worker.Workers()
    for entry in entries:
        if args.only not in entry["file"]:
            continue
        row = rows.setdefault(entry["id"], Row(entry["id"]))
        row.patterns += 1
        row.expected += entry["applies"] is True
        alone = [] if entry["id"] == "bind" else ["--only", entry["id"]]
        own, allowed = allow(entry)
        for options, classes in ((alone + own, allowed), ([], ())):
            is_alone = options != []
            options = ["--cost", str(costs)] + entry["options"] + options
            fixed, answer, wrong = judge_pattern(args, workers, entry, options, classes)
            is_applied = bool(({entry["id"]} | OTHER_IDS.get(entry["id"], set())) & set(fixed.applied))
            row.classes |= {step["equality"] for step in fixed.steps if step["rewrite"] == entry["id"]}
            if is_alone:
                row.applied += is_applied and entry["applies"] is not False
                row.applied_unexpected += is_applied and entry["applies"] is False
                if entry["applies"] is True and not is_applied:
                    wrong.append("not applied")
            if answer is not None:
                row.changed += 1
                row.equal += not wrong or wrong == ["not applied"]
                row.zeros += answer.get("equal") == "zeros"
                row.error = max(row.error, answer.get("error", 0.0))
            if wrong:
                row.misses.append(wrong)
                report_bug(args, entry, options, wrong)
    workers.close()


# ---- real models -------------------------------------------------------------------------------------------------


def kind_of(name, element_type):
    """Of a real model's input, by its name."""
    word = name.lower()
    if "mask" in word:
        return "mask"
    if element_type in (onnx.TensorProto.INT64, onnx.TensorProto.INT32):
        if "token_type" in word or "segment" in word:
            return "below:2"
        if word in ("sr", "sampling_rate", "sample_rate"):
            return "value:16000"
        return "below:8" if "position" in word else "below:60"
    return ""


def weights_bytes(model):
    return sum(sizes.place_of(tensor)[2] for tensor, _ in sizes.all_tensors(model)
               if onnx.external_data_helper.uses_external_data(tensor))


def place(path, folder, most):
    """A copy with random weights, or None where those are too large."""
    model = onnx.load(path, load_external_data=False)
    if weights_bytes(model) > most:
        return None
    sizes.RANDOM_BYTES = 1 << 22
    sizes.make_weights(model, path, folder, np.random.default_rng(1))
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    return model


def jobs(args, made):
    """(name, path, dims' options, whether it is one of those that are made), with weights."""
    folder = args.folder / "model"
    for name, model in made:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        onnx.save(model, folder / "model.onnx")
        yield name, folder / "model.onnx", [], True
    paths = [path for given in args.models
             for path in (sorted(given.rglob("*.onnx")) if given.is_dir() else [given])]
    for path in paths:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if place(path, folder, args.most_bytes) is not None:
            yield path.name, folder / "model.onnx", fix_tool.dim_options(fix_tool.sizes_of(path)), False


def input_shapes(tool, path, model, options):
    run = subprocess.run([tool, str(path), "--shapes", *options], capture_output=True, text=True, check=False)
    told = json.loads(run.stdout) if run.returncode == 0 else {}
    shapes = {value.name: told.get(value.name) for value in model.graph.input}
    return {name: entry[1] for name, entry in shapes.items() if entry and entry[1] is not None}


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))
    os.nice(5)


def bindings(model):
    """What to bind so that a branch is chosen: each value of a Boolean input that only an If reads."""
    names = [value.name for value in model.graph.input if value.name == "use_cache_branch"]
    return [["--bind", f"{name}={word}"] for name in names for word in ("true", "false")] or [[]]


def judge_model(args, workers, path, rows):
    folder = args.folder / "model"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    model = place(path, folder, args.most_bytes)
    if model is None:
        return "left out"
    dims = fix_tool.dim_options(fix_tool.sizes_of(path))
    source = folder / "model.onnx"
    shapes = input_shapes(args.tool, source, model, dims)
    feeds = {value.name: kind_of(value.name, value.type.tensor_type.elem_type) for value in model.graph.input}
    lines, told = [], set()
    for bound in bindings(model):
        for allowed in ([], ALLOWED):
            options = dims + bound + allowed
            out = folder / "fixed.onnx"
            out.unlink(missing_ok=True)
            fixed = fix_tool.fix(args.tool, source, args.target, out, options, 300)
            problems = [] if fixed.status == 0 and out.exists() else [f"exit status {fixed.status}: {fixed.message}"]
            key = (tuple(bound), tuple(fixed.applied))
            if not problems and key not in told:
                told.add(key)
                problems = judge_files(args, workers, source, out, fixed, {
                    "name": path.name, "dims": {}, "shapes": shapes, "feeds": feeds | {
                        word.split("=")[0]: f"value:{int(word.endswith('true'))}" for word in bound[1:]}}, allowed,
                        options)
            count_steps(rows, fixed, problems)
            before, after = fixed.summary("before"), fixed.summary("after")
            line = (f"{path.name} {' '.join(bound + allowed)}: {before.get('partitions')}p -> "
                    f"{after.get('partitions')}p, "
                    f"{dict(collections.Counter(fixed.applied))}, {fixed.seconds:.1f} s, {fixed.bytes >> 20} MiB")
            lines.append((line, problems, options))
    for line, problems, options in lines:
        print("MISS" if problems else "equal", line, *problems, flush=True)
        if problems:
            print("     ", fix_tool.command_of(args.tool, path, args.target, "OUT.onnx", options), flush=True)
    return "missed" if any(problems for _, problems, _ in lines) else "equal"


def judge_files(args, workers, source, out, fixed, job, allowed, options):
    problems = class_problems(fixed, allowed[1].split(",") if allowed else ())
    before, after = (fix_tool.checker_problem(path) for path in (source, out))
    if after and not before:
        problems.append(f"onnx.checker: {after}")
    answer = workers.ask({"before": str(source), "after": str(out), **job})
    problems += run_problems(answer, {step["equality"] for step in fixed.steps}, fixed.applied, MODEL_ULP)
    if "before" in answer.get("fails", {}):
        print(f"NOT RUN {job['name']}: {answer['fails']['before'][:200]}")
    gone = set(answer.get("gone", [])) - bound_inputs(options)
    return problems + ([f"inputs are gone: {sorted(gone)}"] if gone else [])


def count_steps(rows, fixed, problems):
    for rewrite in set(fixed.applied):
        row = rows.setdefault(rewrite, Row(rewrite))
        row.changed += 1
        row.equal += not problems
        if problems:
            row.misses.append(problems)


def judge_models(args, rows):
    counts = collections.Counter()
    workers = fix_worker.Workers(seconds=args.seconds, limit=limit)
    for path in sorted(args.models.glob("*.onnx")):
        if not path.name.startswith("aihub-") and args.only in path.name:
            counts[judge_model(args, workers, path, rows)] += 1
    workers.close()
    return counts


# ---- telling -----------------------------------------------------------------------------------------------------


def table(rows):
    lines = ["| rewrite | class of its steps | patterns | meant for | applied there | applied where it should not | files changed "
             "| equal | but for signs of zeros | largest error | stated |",
             "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for row in sorted(rows.values(), key=lambda row: row.id):
        classes = " ".join(sorted(row.classes, key=("bits", *EVERY_CLASS).index))
        stated = f"{own_tolerance(row.id):.0e}" if row.classes - {"bits", "bits-if"} or own_tolerance(row.id) else "0"
        lines.append(f"| `{row.id}` | {classes} | {row.patterns} | {row.expected} | {row.applied} | "
                     f"{row.applied_unexpected} | {row.changed} | "
                     f"{row.equal} | {row.zeros} | {row.error:.1e} | {stated} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--target", default="hexagon:60,intel-npu:4000", help="of real models")
    parser.add_argument("--only", default="")
    parser.add_argument("--no-patterns", action="store_true")
    parser.add_argument("--most-bytes", type=int, default=700 << 20)
    parser.add_argument("--seconds", type=int, default=240, help="that both runs of a real model may take")
    parser.add_argument("--page", type=pathlib.Path, help="write the table here")
    parser.add_argument("models", type=pathlib.Path, nargs="?")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    rows, counts = {}, collections.Counter()
    if not args.no_patterns:
        judge_patterns(args, rows)
    if args.models:
        counts = judge_models(args, rows)
    lines = table(rows)
    print("\n".join(lines))
    missed = sum(len(row.misses) for row in rows.values())
    print(f"{sum(row.patterns for row in rows.values())} patterns, each in {fix_feeds.DRAWS} draws; "
          f"{sum(counts.values())} models: "
          f"{counts['equal']} equal, {counts['missed']} missed, {counts['left out']} left out (more than "
          f"{args.most_bytes >> 20} MiB of weights); {missed} misses")
    if args.page:
        args.page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return bool(missed or counts["missed"])


if __name__ == "__main__":
    sys.exit(main())
