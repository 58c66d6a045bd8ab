#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fix real models, and ask the compiler before and after.

usage: fix_oracle.py --tool build/npu-partition --oracle ort_assign.py --python PYTHON --cache FOLDER
                     [--ep qnn|openvino] [--truth FOLDER] [--jobs 1] [--seconds 300] [--only TEXT] [--page PAGE.md] MODELS

Every model of the folder MODELS whose name does not begin with `aihub-` is fixed at the sizes of its `*.run.json.gz`, with the
default class and with `--allow bits-if,ulp`; a decoder with two branches once for each (`--bind use_cache_branch=...`, of
which the first counts). The oracle is asked at level all; with --ep openvino it is the provider's list and its
subgraphs, so the model is fixed, and predicted, with `--gates provider`. Answers for the models as they are come from --truth
where it has them. All answers are kept in --cache by the file's hash and the options, so a run that was stopped goes on
where it stood: run it until it says that nothing is missing (--minutes ends it in time).
Exit status 1 when a model that loaded does not load any more, when a file was changed and the compiler makes nothing better
of it (fewer partitions, fewer nodes on the CPU, or it loads now), or when what the tool predicted is what the compiler says
for less than 97 %.
"""
import argparse
import concurrent.futures
import dataclasses
import gzip
import hashlib
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

import fix_tool

SHARE = 0.97
SPACE = 14 << 30
WAYS = {"bits": [], "bits-if,ulp": ["--allow", "bits-if,ulp"]}
TARGETS = {"qnn": "hexagon:60", "openvino": "intel-npu:4000"}
GATES = {"qnn": [], "openvino": ["--gates", "provider"]}
# What OpenVINO's stand-in device says, and not its provider: weights that are absent, what the CPU alone stumbles on,
# operators that the provider's list has and its own release of OpenVINO has not.
OF_THE_DEVICE = ("invalid external data", "CPU plug-in", "crash: wait status 11",
                 "OpenVINO does not support the following ONNX operations")
TRUTH = {"qnn": "models.hexagon.soc60.jsonl.gz", "openvino": "models.intel-provider.jsonl.gz"}


@dataclasses.dataclass
class Case:
    model: pathlib.Path
    way: str
    bound: list
    fixed: object = None
    before: dict = None
    predicted: dict = None
    answer: dict = None

    @property
    def name(self):
        return " ".join([self.model.name.removesuffix(".onnx"), *self.bound[1:]])

    @property
    def is_answered(self):
        return self.answer is not None and self.predicted is not None and not is_unloadable(self.answer)

    @property
    def is_lost(self):
        """The session was made before, and fails now."""
        return bool(self.before and "error" not in self.before and self.answer and "error" in self.answer
                    and not is_of_the_device(self.answer))

    @property
    def wins_nothing(self):
        """Changed, and the compiler makes no more of it than before. Sizes alone may win time only; values that the user
        gives make another model."""
        if self.bound or not (self.fixed.steps and self.before and self.answer) or self.is_lost:
            return False
        if "error" in self.before or "error" in self.answer:
            return "error" in self.before and "error" in self.answer and not is_unloadable(self.answer)
        if set(self.fixed.applied) <= {"bind"}:
            return False
        return rank_of(self.answer) >= rank_of(self.before)

    @property
    def agrees(self):
        """The count of partitions, or that the session fails."""
        if "error" in self.answer:
            return self.predicted["verdict"] == "fails"
        return self.predicted["verdict"] != "fails" and self.predicted["partitions"] == self.answer["partitions"]


def is_of_the_device(answer):
    error = answer.get("error", "")
    return "EP-subgraph_" not in error.partition("operations:")[2] and any(text in error for text in OF_THE_DEVICE)


def is_unloadable(answer):
    """No answer of the provider: a crash, the time limit, or a model that the runtime itself does not load."""
    error = answer.get("error")
    return is_of_the_device(answer) or bool(error) and not ("EP_FAIL" in error or "was inserted using the NHWC" in error or
                                "OpenVINO" in error or "openvino" in error)


def short(answer):
    if "error" in answer:
        return {"error": answer["error"][:400] + (" ... " + answer["error"][-400:] if len(answer["error"]) > 800 else "")}
    if isinstance(answer["partitions"], int):
        return answer
    on_cpu = [node for node in answer["nodes"] if node["ep"].startswith("CPU")]
    return {"partitions": len(answer["partitions"]), "nodes": len(answer["nodes"]), "cpu": len(on_cpu),
            "on_cpu": [f"{node['op']}#{node['index']}" for node in on_cpu[:12]]}


def rank_of(answer):
    """The smaller the better; no partition at all is the worst."""
    return answer["partitions"] or float("inf"), answer["cpu"]


def is_whole(answer):
    return answer.get("partitions") == 1 and answer["cpu"] == 0


# ---- asking ------------------------------------------------------------------------------------------------------


class Oracle:
    def __init__(self, args):
        self.args = args
        self.end = time.monotonic() + args.minutes * 60
        self.left = 0

    def limit(self):
        resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))
        os.nice(5)

    def kept(self, path, dims):
        text = f"{self.args.ep} {sorted(dims.items())} all 60"
        return self.args.cache / (hashlib.sha256(path.read_bytes() + text.encode()).hexdigest() + ".json")

    def ask(self, path, dims):
        kept = self.kept(path, dims)
        if not kept.exists():
            if time.monotonic() > self.end:
                self.left += 1
                return None
            command = [self.args.python, str(self.args.oracle), str(path), "--ep", self.args.ep, "--level", "all",
                       "--timeout", str(self.args.seconds), *fix_tool.dim_options(dims)]
            run = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=self.limit)
            lines = [line for line in run.stdout.splitlines() if line.startswith("{")]
            answer = json.loads(lines[-1]) if lines else {"error": f"crash: {run.stderr.strip()[-200:]}"}
            kept.write_text(json.dumps(short(answer)), encoding="utf-8")
        return json.loads(kept.read_text(encoding="utf-8"))


def known_answers(args):
    """By model: what the truth has for level all."""
    answers = {}
    path = args.truth / TRUTH[args.ep] if args.truth else None
    if path and path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                if row["level"] == "all":
                    answers[row["model"]] = short(row)
    return answers


# ---- fixing ------------------------------------------------------------------------------------------------------


def bindings(path):
    import onnx
    model = onnx.load(path, load_external_data=False)
    names = [value.name for value in model.graph.input if value.name == "use_cache_branch"]
    return [["--bind", f"{name}={word}"] for name in names for word in ("true", "false")] or [[]]


def predict(args, path):
    command = [str(args.tool), str(path), "-t", args.target, "--format", "json", "--detail", "summary", *GATES[args.ep]]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        return None
    summary = json.loads(run.stdout)["targets"][0]["summary"]
    return {key: summary[key] for key in ("partitions", "verdict", "failed", "live", "refused")}


def fixed_path(args, case):
    word = case.way.replace(",", "-")
    name = f"{case.name.replace(' ', '.')}.{args.ep}.{word}.onnx"
    return args.cache / "fixed" / name


def linked(args, path):
    """The model beside where its fixed form goes; its weights are absent."""
    there = args.cache / "fixed" / path.name
    if not there.exists():
        there.symlink_to(path.resolve())
    return there


def prepare(args, path, known):
    cases = []
    for bound in bindings(path):
        for way, options in WAYS.items():
            case = Case(path, way, bound, before=known.get(path.name))
            out = fixed_path(args, case)
            out.unlink(missing_ok=True)
            words = fix_tool.dim_options(fix_tool.sizes_of(path)) + bound + options + GATES[args.ep] + args.option
            case.fixed = fix_tool.fix(args.tool, linked(args, path), args.fix_target, out, words, 300)
            if case.fixed.status == 0 and out.exists():
                case.predicted = predict(args, out)
            cases.append(case)
    return cases


def answer(args, oracle, case):
    out = fixed_path(args, case)
    if case.before is None:
        case.before = oracle.ask(case.model, fix_tool.sizes_of(case.model))
    if case.predicted is not None:
        case.answer = oracle.ask(out, {})
    show(case)


# ---- telling -----------------------------------------------------------------------------------------------------


def text_of(told):
    if told is None:
        return "not asked"
    if "error" in told:  # by its name alone, as where the oracle keeps a model is of this machine
        error = re.sub(rf"{re.escape(tempfile.gettempdir())}/[^/\s]*/", "", told["error"])
        return "fails: " + error[:70].replace("|", "/")
    return f"{told['partitions']}p {told['nodes'] - told['cpu']}/{told['nodes']}"


def show(case):
    word = "-----" if not case.is_answered else "equal" if case.agrees else "OTHER"
    problem = "" if case.fixed.status == 0 else f" fix: exit status {case.fixed.status} {case.fixed.message[-200:]}"
    predicted = case.predicted and f"{case.predicted['partitions']}p {case.predicted['verdict']}"
    print(f"{word} {case.name} [{case.way}]: before {text_of(case.before)}; predicted {predicted}; after "
          f"{text_of(case.answer)}"
          f" {case.answer.get('on_cpu', '') if case.answer and case.answer.get('cpu') else ''}{problem} "
          f"{case.fixed.seconds:.1f} s", flush=True)


def totals(cases):
    """Of one way, the first binding of each model."""
    first, seen = [], set()
    for case in cases:
        if case.model not in seen:
            seen.add(case.model)
            first.append(case)
    loads = [case for case in first if case.before and "error" not in case.before]
    after = [case for case in first if case.answer and "error" not in case.answer]
    both = [case for case in loads if case.answer and "error" not in case.answer]
    answered = [case for case in cases if case.is_answered]
    mended = [case.name for case in first if case.before and "error" in case.before and case in after]
    lost = [case.name for case in loads if case.answer and "error" in case.answer]
    worse = [case.name for case in both if case.answer["partitions"] > case.before["partitions"]]
    return {
        "models": len(first), "asked": sum(case.answer is not None for case in first),
        "partitions before": sum(case.before["partitions"] for case in loads),
        "of them asked again, before": sum(case.before["partitions"] for case in both),
        "and after": sum(case.answer["partitions"] for case in both),
        "whole before": sum(is_whole(case.before) for case in loads),
        "whole after": sum(is_whole(case.answer) for case in after),
        "one partition before": sum(case.before["partitions"] == 1 for case in loads),
        "one partition after": sum(case.answer["partitions"] == 1 for case in after),
        "failed before": sum(bool(case.before and "error" in case.before) for case in first),
        "load now": mended, "failed after": [case.name for case in first if case.answer and "error" in case.answer],
        "fail now that loaded": lost, "more partitions than before": worse,
        "predicted as answered": f"{sum(case.agrees for case in answered)} of {len(answered)}",
    }


def bars_of(cases):
    """The three figures, each with whether it is met: (text, met)."""
    answered = [case for case in cases if case.is_answered]
    lost = [f"{case.name} [{case.way}]" for case in cases if case.is_lost]
    idle = [f"{case.name} [{case.way}]" for case in cases if case.wins_nothing]
    right = sum(case.agrees for case in answered)
    share = right / len(answered) if answered else 1
    return [(f"sessions lost: {len(lost)} {', '.join(lost)}".rstrip(), not lost),
            (f"changed for nothing: {len(idle)} {', '.join(idle)}".rstrip(), not idle),
            (f"predicted as answered: {right} of {len(answered)} ({100 * share:.1f} %, at least {100 * SHARE:.0f} %)",
             share >= SHARE)]


def page_of(args, by_way):
    lines = [f"### {args.target}, asked of {'the HTP compiler' if args.ep == 'qnn' else 'the OpenVINO provider'}", "",
             "| figure | " + " | ".join(by_way) + " |",
             "|---|" + "---|" * len(by_way)]
    told = {way: totals(cases) for way, cases in by_way.items()}
    for figure in next(iter(told.values())):
        cells = [told[way][figure] for way in by_way]
        lines.append(f"| {figure} | " + " | ".join(", ".join(cell) or "none" if isinstance(cell, list) else str(cell) for cell in cells) + " |")
    lines += ["", "| model | before | " + " | ".join(f"`{way}`" for way in by_way) + " | predicted |",
              "|---|---|" + "---|" * (len(by_way) + 1)]
    for cases in zip(*by_way.values()):
        changed = any(case.fixed.steps for case in cases)
        other = any(case.is_answered and not case.agrees for case in cases)
        if changed or other:
            last = cases[-1].predicted
            lines.append(f"| {cases[0].name} | {text_of(cases[0].before)} | " + " | ".join(text_of(case.answer) for case in cases) +
                         f" | {last and last['partitions']} ({last and last['verdict']}){' **' if other else ''} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--oracle", type=pathlib.Path, required=True)
    parser.add_argument("--python", required=True, help="the Python that has what the oracle needs")
    parser.add_argument("--cache", type=pathlib.Path, required=True)
    parser.add_argument("--ep", default="qnn", choices=list(TARGETS))
    parser.add_argument("--fix-target", help="another target than the provider's, to fix for")
    parser.add_argument("--option", action="append", default=[], help="a further word for fix")
    parser.add_argument("--truth", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1, choices=[1, 2])
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--only", default="")
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    args = parser.parse_args()
    args.target = TARGETS[args.ep]
    args.fix_target = args.fix_target or args.target
    (args.cache / "fixed").mkdir(parents=True, exist_ok=True)
    oracle, known, by_way = Oracle(args), known_answers(args), {way: [] for way in WAYS}
    paths = [path for path in sorted(args.models.glob("*.onnx")) if not path.name.startswith("aihub-") and args.only in path.name]
    cases = [case for path in paths for case in prepare(args, path, known)]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(lambda case: answer(args, oracle, case), cases))
    for case in cases:
        by_way[case.way].append(case)
    lines = page_of(args, by_way)
    print("\n".join(lines))
    if oracle.left:
        print(f"{oracle.left} questions are left: run it again")
    if args.page:
        args.page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    bars = bars_of(cases)
    for text, met in bars:
        print(f"{'met' if met else 'MISSED'}: {text}")
    return not all(met for _, met in bars)


if __name__ == "__main__":
    sys.exit(main())
