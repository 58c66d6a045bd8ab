#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same models through `npu-partition fix` and through onnxslim and onnxsim, in the same run.

usage: fix_peers.py --tool build/npu-partition --peers VENV/bin --folder FOLDER [--oracle ort_assign.py --python PYTHON
                    --cache FOLDER] [--most-bytes N] [--only TEXT] [--page PAGE.md] MODELS
Needs:  python3 -m venv VENV && VENV/bin/pip install onnxslim onnxsim onnx onnxruntime

Every model whose name does not begin with `aihub-` gets random weights and the sizes of its `*.run.json.gz`; each program
writes a file. Told: partitions for hexagon:60 (by our tool; by the compiler too where an oracle is given), whether the outputs
on five random inputs are the same, bit for bit or within 1e-5 of the largest, time and memory of the process. Ours runs
with the default class. Models with more than --most-bytes of weights are left out and counted.
"""
import argparse
import collections
import dataclasses
import json
import pathlib
import shutil
import subprocess
import sys

import fix_equality
import fix_oracle
import fix_tool
import fix_worker

TARGET = "hexagon:60"
SECONDS = 240
CLOSE = 1e-5


@dataclasses.dataclass
class Result:
    model: str
    program: str
    status: object
    seconds: float
    bytes: int
    summary: dict = None
    equality: str = ""
    answer: dict = None
    message: str = ""

    @property
    def is_whole(self):
        return bool(self.summary) and self.summary["verdict"] in ("whole", "edge")


def commands(args, source, shapes, dims):
    """By program: the command that writes OUT."""
    shown = [f"{name}:{','.join(map(str, sizes))}" for name,
             sizes in shapes.items() if sizes and all(isinstance(size, int) for size in sizes)]
    slim, sim = args.peers / "onnxslim", args.peers / "onnxsim"
    fixed_sizes = bool(dims) and bool(shown)
    return {
        "npu-partition fix": [args.tool, "fix", str(source), "-t", TARGET, "-o", "OUT", *dims],
        "onnxslim": [str(slim), str(source), "OUT", *(["--input-shapes", *shown] if fixed_sizes else [])],
        "onnxsim": [str(sim), str(source), "OUT", *(["--overwrite-input-shape", *shown] if fixed_sizes else [])],
    }



def run(command, out):
    words = [str(out) if word == "OUT" else word for word in command]
    return fix_tool.measured(["prlimit", f"--as={fix_equality.SPACE}", *words], SECONDS)


def summary_of(tool, path):
    done = subprocess.run([tool, str(path), "-t", TARGET, "--format", "json", "--detail", "summary"],
                          capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["targets"][0]["summary"] if done.returncode in (0, 1) else None


def equality_of(answer):
    if "crash" in answer:
        return "crashes"
    if "before" in answer["fails"]:
        return "not run"
    if "after" in answer["fails"]:
        return "does not load"
    if answer["form"]:
        return "other outputs"
    if answer["equal"] != "other":
        return answer["equal"]
    return "close" if answer["error"] <= CLOSE else f"changed ({answer['error']:.0e})"


def judge(args, workers, oracle, path):
    folder = args.folder / "model"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    model = fix_equality.place(path, folder, args.most_bytes)
    if model is None:
        return None
    source, dims = folder / "model.onnx", fix_tool.dim_options(fix_tool.sizes_of(path))
    shapes = fix_equality.input_shapes(args.tool, source, model, dims)
    feeds = {value.name: fix_equality.kind_of(value.name,
                                              value.type.tensor_type.elem_type) for value in model.graph.input}
    results = []
    for program, command in commands(args, source, shapes, dims).items():
        out = folder / f"{program.split()[-1]}.onnx"
        status, _, message, seconds, peak = run(command, out)
        result = Result(path.name.removesuffix(".onnx"), program, status, seconds, peak, message=message[-200:])
        if status == 0 and out.exists():
            result.summary = summary_of(args.tool, out)
            result.equality = equality_of(workers.ask({"name": path.name, "before": str(source), "after": str(out),
                                                       "dims": {}, "shapes": shapes, "feeds": feeds}))
            if oracle:
                result.answer = oracle.ask(out, {})
        results.append(result)
        partitions = f"{result.summary['partitions']}p {result.summary['verdict']}" if result.summary else f"exit status {status} {result.message!r}"
        print(f"{result.model} {program}: {partitions}, {result.equality}, {fix_oracle.text_of(result.answer)}, "
              f"{seconds:.2f} s, {peak >> 20} MiB", flush=True)
    return results


def table(results):
    programs = list(dict.fromkeys(result.program for result in results))
    lines = ["| figure | " + " | ".join(programs) + " |", "|---|" + "--:|" * len(programs)]
    of = {program: [result for result in results if result.program == program] for program in programs}
    done = set.intersection(*({result.model for result in of[program] if result.summary} for program in programs))
    equalities = lambda program: collections.Counter(result.equality.split(" (")[0] for result in of[program] if result.equality)
    figures = {
        "models": lambda program: len(of[program]),
        "a file was written": lambda program: sum(result.status == 0 for result in of[program]),
        "wholly on the NPU after (our prediction)": lambda program: sum(result.is_whole for result in of[program]),
        f"partitions after, of the {len(done)} that all three wrote": lambda program: sum(result.summary["partitions"] for result in of[program] if result.model in done),
        "sessions predicted to fail": lambda program: sum(bool(result.summary) and result.summary["verdict"] == "fails" for result in of[program]),
        "outputs": lambda program: ", ".join(f"{count} {word}" for word, count in sorted(equalities(program).items())),
        "seconds, all models": lambda program: f"{sum(result.seconds for result in of[program]):.1f}",
        "most memory, MiB": lambda program: max(result.bytes for result in of[program]) >> 20,
    }
    if any(result.answer for result in results):
        figures["partitions after, by the compiler, where it answered all three"] = lambda program: answered(of, programs, program)
    lines += [f"| {name} | " + " | ".join(str(figure(program)) for program in programs) + " |" for name,
              figure in figures.items()]
    return lines


def answered(of, programs, program):
    loads = set.intersection(*({result.model for result in of[name] if result.answer and "error" not in result.answer} for name in programs))
    return f"{sum(result.answer['partitions'] for result in of[program] if result.model in loads)} of {len(loads)} models"


def differences(results):
    lines = ["", "| model | " + " | ".join(dict.fromkeys(result.program for result in results)) + " |",
             "|---|---|---|---|"]
    for name in dict.fromkeys(result.model for result in results):
        row = [result for result in results if result.model == name]
        cells = [f"{result.summary['partitions']}p {result.summary['verdict']}, {result.equality}" if result.summary else f"exit status {result.status}" for result in row]
        if len(set(cells)) > 1:
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--peers", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--oracle", type=pathlib.Path)
    parser.add_argument("--python")
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=200)
    parser.add_argument("--most-bytes", type=int, default=120 << 20)
    parser.add_argument("--only", default="")
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    args = parser.parse_args()
    args.ep, args.minutes = "qnn", 1e6
    oracle = fix_oracle.Oracle(args) if args.oracle else None
    workers = fix_worker.Workers(seconds=args.seconds, limit=fix_equality.limit)
    results, left_out = [], 0
    for path in sorted(args.models.glob("*.onnx")):
        if not path.name.startswith("aihub-") and args.only in path.name:
            judged = judge(args, workers, oracle, path)
            left_out += judged is None
            results += judged or []
    workers.close()
    lines = table(results) + differences(results)
    print("\n".join(lines))
    print(f"{left_out} models left out, with more than {args.most_bytes >> 20} MiB of weights")
    if args.page:
        args.page.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
