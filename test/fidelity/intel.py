#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the target intel-npu with what OpenVINO's NPU compiler and its ONNX Runtime provider answered.

usage: intel.py --truth DIR --models DIR [--tool build/npu-partition] [--oplist FILE] [--only node-tests|models]

  node-tests  MODELS/onnx-node-tests.tar.gz against TRUTH/onnx-node-tests.intel-npu.jsonl.gz. A test counts once: the
              compiler takes a whole graph or nothing, so we take it when no live node is refused or unknown. What the
              provider said, it said with the runtime's rewriting off; the compiler folds constants by itself (basic).
              Compared apart: the provider's gate, the frontend's and compiler's gates for each platform, and all three
              gates for each platform. CRASH and READFAIL count as refused; ERR (the runtime cannot load the model, or
              the session breaks after the provider's answer) is left out.
  models      the provider's node mask of whole models, dims bound as there: TRUTH/models.intel-provider.jsonl.gz
              against `--gates provider`, level basic, for the nodes that survive under their own name.

Exit status: 0 when the comparison ran, whatever it found; 2 when it could not.
"""
import argparse
import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

PLATFORMS = ("3720", "4000", "5010", "5020")
MODELS_A_CALL = 500  # models in one command line
# The provider answered with the runtime's rewriting off; the compiler folds constants by itself.
LEVELS = {"provider": "off", "frontend,compiler": "basic"}


class CannotCompare(Exception):
    """The comparison itself could not run."""


def read_lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


# ---- the tool --------------------------------------------------------------------------------------------------


def run_tool(args, paths, target, gates, dims=None, level="basic"):
    """{path: its part of the report}, without those that cannot be read."""
    reports = {}
    for start in range(0, len(paths), MODELS_A_CALL):
        command = [args.tool, *paths[start:start + MODELS_A_CALL], "--target", target, "--gates", gates,
                   "--level", level, "--format", "json"]
        command += ["--oplist", args.oplist] if args.oplist else []
        for name, size in (dims or {}).items():
            command += ["--dim", f"{name}={size}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 3):
            raise CannotCompare(f"{args.tool} ended with {done.returncode}: {done.stderr[:500]}")
        for line in done.stdout.splitlines():
            report = json.loads(line)
            reports[report["model"]["path"]] = report["targets"][0]
    return reports


def verdict_of(nodes):
    """npu when every live node is taken, else cpu, or unknown where only unknown nodes stand against it."""
    verdicts = {node["verdict"] for node in nodes}
    return "cpu" if verdicts & {"cpu", "fail"} else "unknown" if "unknown" in verdicts else "npu"


def rules_of(nodes):
    rules = [reason["rule"] for node in nodes for reason in node["reasons"] if reason.get("outcome", "no") != "note"]
    return " ".join(sorted({rule.split("/", 1)[-1] for rule in rules})) or "-"


# ---- scores ----------------------------------------------------------------------------------------------------


class Score:
    def __init__(self, title):
        self.title = title
        self.pairs = collections.Counter()  # (compiler's, tool's) verdict
        self.left_out = collections.Counter()
        self.differences = collections.defaultdict(list)  # (compiler's, tool's, op, rules) -> examples

    def add(self, truth, ours, op, rules, example):
        self.pairs[truth, ours] += 1
        if truth != ours:
            self.differences[truth, ours, op, rules].append(example)

    def print(self, most):
        compared = sum(self.pairs.values())
        agreed = self.pairs["npu", "npu"] + self.pairs["cpu", "cpu"]
        refused = sum(count for (truth, _), count in self.pairs.items() if truth == "cpu")
        print(f"\n== {self.title}")
        if not compared:
            print("  nothing to compare")
            return
        print(f"  agree           {agreed} of {compared} ({agreed / compared:.2%})")
        if refused:
            found = self.pairs["cpu", "cpu"]
            print(f"  refusals found  {found} of {refused} ({found / refused:.2%})")
        for (truth, ours), count in sorted(self.pairs.items()):
            if truth != ours:
                print(f"  theirs {truth}, ours {ours}: {count}")
        for what, count in sorted(self.left_out.items()):
            print(f"  left out: {count} {what}")
        ranked = sorted(self.differences.items(), key=lambda item: (-len(item[1]), item[0]))
        for (truth, ours, op, rules), examples in ranked[:most]:
            print(f"  {len(examples):>5}  {truth:<4} {ours:<8} {op}  {rules[:90]}  {' '.join(examples[:3])}")
        if len(ranked) > most:
            print(f"  {sum(len(e) for _, e in ranked[most:]):>5}  in {len(ranked) - most} more kinds (--most)")


# ---- node tests ------------------------------------------------------------------------------------------------


def of_compiler(answer):
    return None if answer is None else "npu" if answer == "OK" else "cpu"


def of_provider(answer):
    return "npu" if answer == "ACC" else "cpu" if answer.startswith("REJ") else None


def of_both(row, platform):
    compiler, provider = of_compiler(row.get(platform)), of_provider(row["provider"])
    if provider == "cpu" or compiler == "cpu":
        return "cpu" if provider else None
    return "npu" if provider and compiler else None


def compare_node_tests(args):
    rows = read_lines(args.truth / "onnx-node-tests.intel-npu.jsonl.gz")
    with tempfile.TemporaryDirectory() as into:
        with tarfile.open(args.models / "onnx-node-tests.tar.gz") as tar:
            tar.extractall(into, filter="data")
        paths = {row["model"]: str(pathlib.Path(into) / row["model"]) for row in rows}
        kinds = [("provider", "intel-npu", ["provider"], lambda row: of_provider(row["provider"]))]
        for platform in PLATFORMS:
            if not any(platform in row for row in rows):
                continue
            target = f"intel-npu:{platform}"
            kinds.append((f"compiler {platform}", target, ["frontend,compiler"],
                          lambda row, platform=platform: of_compiler(row.get(platform))))
            kinds.append((f"combined {platform}", target, ["provider", "frontend,compiler"],
                          lambda row, platform=platform: of_both(row, platform)))
        for title, target, gates, truth_of in kinds:
            compare_one(args, rows, paths, Score(f"node tests, {title}"), target, gates, truth_of)


def compare_one(args, rows, paths, score, target, gates, truth_of):
    asked = [row for row in rows if truth_of(row)]
    score.left_out["tests without an answer"] += len(rows) - len(asked)
    files = [paths[row["model"]] for row in asked]
    runs = [run_tool(args, files, target, names, level=LEVELS[names]) for names in gates]
    for row in asked:
        reports = [found.get(paths[row["model"]]) for found in runs]
        if None in reports:
            score.left_out["models that the tool cannot read"] += 1
            continue
        nodes = [node for report in reports for node in report["nodes"]]
        refused = [node for node in nodes if node["verdict"] in ("cpu", "fail", "unknown")]
        ops = sorted({node["op"] for node in refused or nodes})
        score.add(truth_of(row), verdict_of(nodes), " ".join(ops)[:60], rules_of(refused), row["model"])
    score.print(args.most)


# ---- whole models ----------------------------------------------------------------------------------------------


def compare_models(args):
    score = Score("models, the provider's node mask")
    partitions = collections.Counter()
    for row in read_lines(args.truth / "models.intel-provider.jsonl.gz"):
        path = args.models / row["model"]
        if "error" in row or not path.exists():
            score.left_out["sessions that ended in an error, or models that are not there"] += 1
            continue
        report = run_tool(args, [str(path)], "intel-npu", "provider", row.get("dims")).get(str(path))
        if report is None:
            score.left_out["models that the tool cannot read"] += 1
            continue
        add_nodes(score, row, {node["index"]: node for node in report["nodes"] if node["graph"] == ""})
        partitions[report["summary"]["partitions"] - len(row["partitions"])] += 1
    score.print(args.most)
    exact, near = partitions[0], partitions[0] + partitions[1] + partitions[-1]
    print(f"  partitions equal {exact}, within one {near}, of {sum(partitions.values())} models")


def add_nodes(score, row, nodes):
    for theirs in row["nodes"]:
        ours = nodes.get(theirs["index"])
        if theirs["index"] < 0 or ours is None or ours["op"] != theirs["op"]:
            score.left_out["nodes that the runtime made or renamed"] += 1
            continue
        truth = "cpu" if theirs["ep"].startswith("CPU") else "npu"
        score.add(truth, ours["verdict"], ours["op"], rules_of([ours]), f"{row['model']}#{theirs['index']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", type=pathlib.Path, required=True, help="folder of the answers")
    parser.add_argument("--models", type=pathlib.Path, required=True, help="folder of the models")
    parser.add_argument("--tool", default="build/npu-partition", help="default build/npu-partition")
    parser.add_argument("--oplist", default="", help="an op list in place of the built-in one")
    parser.add_argument("--only", choices=["node-tests", "models"], help="one comparison only")
    parser.add_argument("--most", type=int, default=40, help="kinds of disagreement to print, default 40")
    args = parser.parse_args()
    try:
        if args.only != "models":
            compare_node_tests(args)
        if args.only != "node-tests":
            compare_models(args)
    except (CannotCompare, OSError, ValueError, KeyError) as problem:
        print(f"intel.py: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
