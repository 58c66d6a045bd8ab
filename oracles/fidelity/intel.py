#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the target intel-npu with what OpenVINO's NPU compiler and its ONNX Runtime provider answered.

usage: intel.py --truth DIR --models DIR [--tool build/npu-partition] [--oplist FILE] [--only node-tests|models]
                [--most N] [--summary FILE.md]

  node-tests  MODELS/onnx-node-tests.tar.gz against TRUTH/onnx-node-tests.intel-npu.jsonl.gz, level off. A test counts
              once: the compiler takes a whole graph or nothing, so we take it when no live node is refused or unknown.
              The provider was asked node by node, so what a partitioner gives back does not count as refused.
              Compared apart: the provider's gate, the frontend's and compiler's gates for each platform, and all three
              gates for each platform. CRASH and READFAIL count as refused; ERR (the runtime cannot load the model, or
              the session breaks after the provider's answer) is left out.
  models      the provider's answer about whole models, dims bound as there: TRUTH/models.intel-provider.jsonl.gz
              against `--gates provider`, level basic: each node that survives under its own name, and the subgraphs,
              member by member: a model agrees when both put the nodes that both have into the same sets.

--summary replaces FILE.md down to its part "Causes"; what follows people write.
Exit status: 0 when the comparison ran, 1 when fewer than 98 % of the models have the same sets of nodes (contents.py),
2 when it could not run.
"""
import argparse
import collections
import datetime
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

import contents

PLATFORMS = ("3720", "4000", "5010", "5020")
MODELS_A_CALL = 500  # models in one command line
SUMMARY_KINDS = 8  # kinds of disagreement of one comparison that the page lists
# Rules of the partitioner, not of a gate, and of graphs of one node: the provider was asked of nodes with neighbours.
GIVEN_BACK = re.compile(r"[\w-]+/(partition(s|er)-|(Expand|Reshape|RoiAlign)/alone$)")
ANSWERED_BY = "openvino 2026.4.1 (the NPU compiler of its Windows wheel), onnxruntime-openvino 1.24.1; onnx 1.23.2"


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
        command = [args.tool, *paths[start:start + MODELS_A_CALL], "--target", target, "--level", level,
                   "--format", "json"]
        command += ["--gates", gates] if gates else []
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


def against(node):
    """The reasons of the gates that a node is refused for, or may be."""
    return [r for r in node["reasons"] if r.get("outcome", "no") != "note" and not GIVEN_BACK.match(r["rule"])]


def verdict_by_gates(node):
    """The node's verdict before the partitioner gives anything back."""
    return node["verdict"] if node["verdict"] not in ("cpu", "unknown") or against(node) else "npu"


def verdict_of(nodes):
    """npu when every live node is taken, else cpu, or unknown where only unknown nodes stand against it."""
    verdicts = {verdict_by_gates(node) for node in nodes}
    return "cpu" if verdicts & {"cpu", "fail"} else "unknown" if "unknown" in verdicts else "npu"


def rules_of(reasons):
    return " ".join(sorted({reason["rule"].split("/", 1)[-1] for reason in reasons})) or "-"


# ---- scores ----------------------------------------------------------------------------------------------------


class Score:
    """How often two verdicts agree, and where they do not."""

    def __init__(self, title):
        self.title = title
        self.pairs = collections.Counter()  # (theirs, ours)
        self.left_out = collections.Counter()
        self.differences = collections.defaultdict(list)  # (theirs, ours, op, rules) -> examples

    def add(self, truth, ours, op, rules, example):
        self.pairs[truth, ours] += 1
        if truth != ours:
            self.differences[truth, ours, op, rules].append(example)

    def figures(self):
        """Agreed, compared, refusals found, refusals."""
        agreed = self.pairs["npu", "npu"] + self.pairs["cpu", "cpu"]
        refused = sum(count for (truth, _), count in self.pairs.items() if truth == "cpu")
        return agreed, sum(self.pairs.values()), self.pairs["cpu", "cpu"], refused

    def ranked(self):
        return sorted(self.differences.items(), key=lambda item: (-len(item[1]), item[0]))

    def print(self, most):
        agreed, compared, found, refused = self.figures()
        print(f"\n== {self.title}")
        print(f"  agree           {share(agreed, compared)}")
        print(f"  refusals found  {share(found, refused)}")
        for (truth, ours), count in sorted(self.pairs.items()):
            if truth != ours:
                print(f"  theirs {truth}, ours {ours}: {count}")
        for what, count in sorted(self.left_out.items()):
            print(f"  left out: {count} {what}")
        ranked = self.ranked()
        for (truth, ours, op, rules), examples in ranked[:most]:
            print(f"  {len(examples):>5}  {truth:<4} {ours:<8} {op}  {rules[:90]}  {' '.join(examples[:3])}")
        if len(ranked) > most:
            print(f"  {sum(len(e) for _, e in ranked[most:]):>5}  in {len(ranked) - most} more kinds (--most)")


def share(part, whole):
    return f"{part} of {whole} ({part / whole:.2%})" if whole else "none"


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
    scores = []
    with tempfile.TemporaryDirectory() as into:
        with tarfile.open(args.models / "onnx-node-tests.tar.gz") as tar:
            tar.extractall(into, filter="data")
        paths = {row["model"]: str(pathlib.Path(into) / row["model"]) for row in rows}
        kinds = [("provider", "intel-npu", "provider", lambda row: of_provider(row["provider"]))]
        for platform in PLATFORMS:
            if not any(platform in row for row in rows):
                continue
            target = f"intel-npu:{platform}"
            kinds.append((f"frontend and compiler, {platform}", f"{target}+openvino", "",
                          lambda row, platform=platform: of_compiler(row.get(platform))))
            kinds.append((f"all gates, {platform}", target, "provider frontend,compiler",
                          lambda row, platform=platform: of_both(row, platform)))
        for title, target, gates, truth_of in kinds:
            scores.append(compare_one(args, rows, paths, Score(f"node tests, {title}"), target, gates, truth_of))
    return scores


def compare_one(args, rows, paths, score, target, gates, truth_of):
    asked = [row for row in rows if truth_of(row)]
    score.left_out["tests without an answer"] += len(rows) - len(asked)
    # A node that a gate refuses is not asked about at the next, so gates are asked by themselves.
    reports = [run_tool(args, [paths[row["model"]] for row in asked], target, asking, level="off")
               for asking in gates.split() or [""]]
    for row in asked:
        found = [report.get(paths[row["model"]]) for report in reports]
        if None in found:
            score.left_out["models that the tool cannot read"] += 1
            continue
        nodes = [node for report in found for node in report["nodes"]]
        refused = [node for node in nodes if verdict_by_gates(node) in ("cpu", "fail", "unknown")]
        ops = sorted({node["op"] for node in refused or nodes})
        reasons = [reason for node in refused for reason in against(node)]
        score.add(truth_of(row), verdict_of(nodes), " ".join(ops)[:60], rules_of(reasons), row["model"])
    score.print(args.most)
    return score


# ---- whole models ----------------------------------------------------------------------------------------------


class Subgraphs:
    """How often both form the same sets of nodes."""

    def __init__(self):
        self.contents = []

    def add(self, row, report, nodes):
        number = {number_of(name): i for i, names in enumerate(row["partitions"]) for name in names}
        theirs = {node["index"]: (node["op"], number.get(node["index"])) for node in row["nodes"] if node["index"] >= 0}
        self.contents.append(contents.compare(row["model"], theirs, nodes, len(row["partitions"]),
                                              report["summary"]["partitions"]))

    def figures(self):
        same_number = sum(one.count_theirs == one.count_ours for one in self.contents)
        return [("the same sets of nodes, member by member", *contents.counts(self.contents)),
                ("of these, models with two subgraphs or more", *contents.counts(self.contents, split_only=True)),
                ("the same number of subgraphs", same_number, len(self.contents))]

    def print(self):
        print("\n== models, the provider's subgraphs")
        for what, count, of in self.figures():
            print(f"  {what:<44} {share(count, of)}")
        for model, numbers, only_theirs, only_ours, cut in contents.different_rows(self.contents):
            print(f"  {model}: theirs, ours {numbers}; only theirs: {only_theirs or '-'}; "
                  f"only ours: {only_ours or '-'}; cut elsewhere: {cut or '-'}")


def number_of(name):
    """The place of a node that the oracle named n<place>_, or -1 for one that the runtime made."""
    match = re.fullmatch(r"n(\d+)_", name)
    return int(match[1]) if match else -1


def compare_models(args):
    score, subgraphs = Score("models, the provider's node mask"), Subgraphs()
    for row in read_lines(args.truth / "models.intel-provider.jsonl.gz"):
        path = args.models / row["model"]
        if "error" in row or not path.exists():
            score.left_out["sessions that ended in an error, or models that are not there"] += 1
            continue
        report = run_tool(args, [str(path)], "intel-npu", "provider", row.get("dims")).get(str(path))
        if report is None:
            score.left_out["models that the tool cannot read"] += 1
            continue
        nodes = {node["index"]: node for node in report["nodes"] if node["graph"] == ""}
        add_nodes(score, row, nodes)
        subgraphs.add(row, report, nodes)
    score.print(args.most)
    subgraphs.print()
    return score, subgraphs


def add_nodes(score, row, nodes):
    for theirs in row["nodes"]:
        ours = nodes.get(theirs["index"])
        if theirs["index"] < 0 or ours is None or ours["op"] != theirs["op"]:
            score.left_out["nodes that the runtime made or renamed"] += 1
            continue
        truth = "cpu" if theirs["ep"].startswith("CPU") else "npu"
        reasons = [reason for reason in ours["reasons"] if reason.get("outcome", "no") != "note"]
        score.add(truth, ours["verdict"], ours["op"], rules_of(reasons), f"{row['model']}#{theirs['index']}")


# ---- the page --------------------------------------------------------------------------------------------------


def page_of(args, scores, subgraphs, causes):
    describe = subprocess.run([args.tool, "--describe", "intel-npu"], capture_output=True, text=True, check=False)
    toolchains = [line.split(" ", 1)[1] for line in describe.stdout.splitlines() if line.startswith("toolchain ")]
    lines = [
        "# Fidelity: intel-npu", "",
        "How often `npu-partition` says what Intel's NPU compiler and the OpenVINO provider themselves said.",
        "`oracles/fidelity/intel.py --summary` writes this page down to \"Causes\". Nothing was run on a device.",
        "",
        f"The list: `intel-npu`, describing {toolchains[0] if toolchains else 'an op list given by the user'}.  ",
        f"The answers: {ANSWERED_BY}.  ", f"The figures: {datetime.date.today()}.", "",
        "Of onnx's node tests each graph is one item, at level off: the compiler takes a whole graph or nothing. Of",
        "whole models each node is one that the runtime left under its own name, at the level that users get.", "",
        "## Figures", "", "| comparison | verdicts agree | refusals found |", "|---|---|---|"]
    for score in scores:
        agreed, compared, found, refused = score.figures()
        lines.append(f"| {score.title} | {share(agreed, compared)} | {share(found, refused)} |")
    if subgraphs:
        lines += ["", "| the provider's subgraphs | models |", "|---|---|"]
        lines += [f"| {what} | {share(count, of)} |" for what, count, of in subgraphs.figures()]
    lines += ["", "## Disagreements", ""]
    kinds = [(score, kind) for score in scores for kind in score.ranked()[:SUMMARY_KINDS]]
    if kinds:
        lines += ["| comparison | items | theirs | ours | op | rules | example |", "|---|---|---|---|---|---|---|"]
        lines += [f"| {score.title} | {len(found)} | {truth} | {ours} | {op} | {rules[:60]} | {found[0]} |"
                  for score, ((truth, ours, op, rules), found) in kinds]
    different = contents.different_rows(subgraphs.contents) if subgraphs else []
    if different:
        lines += ["", f"| {' | '.join(contents.HEADS)} |", "|---|---|---|---|---|"]
        lines += [f"| {' | '.join(row)} |" for row in different]
    return "\n".join(lines) + "\n\n" + causes


def write_page(args, scores, subgraphs):
    old = args.summary.read_text(encoding="utf-8") if args.summary.exists() else ""
    start = old.find("## Causes")
    causes = old[start:] if start >= 0 else "## Causes\n"
    args.summary.write_text(page_of(args, scores, subgraphs, causes), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", type=pathlib.Path, required=True, help="folder of the answers")
    parser.add_argument("--models", type=pathlib.Path, required=True, help="folder of the models")
    parser.add_argument("--tool", default="build/npu-partition", help="default build/npu-partition")
    parser.add_argument("--oplist", default="", help="an op list in place of the built-in one")
    parser.add_argument("--only", choices=["node-tests", "models"], help="one comparison only")
    parser.add_argument("--most", type=int, default=40, help="kinds of disagreement to print, default 40")
    parser.add_argument("--summary", type=pathlib.Path, help="a page to write the figures to")
    args = parser.parse_args()
    if args.summary and args.only:
        parser.error("a summary is of all comparisons")
    try:
        scores = compare_node_tests(args) if args.only != "models" else []
        mask, subgraphs = compare_models(args) if args.only != "node-tests" else (None, None)
        if args.summary:
            write_page(args, scores + [mask], subgraphs)
        if subgraphs and not contents.are_enough(subgraphs.contents):
            print(f"intel.py: subgraphs are equal in fewer than {contents.LEAST_SHARE:.0%} of models", file=sys.stderr)
            return 1
    except (CannotCompare, OSError, ValueError, KeyError) as problem:
        print(f"intel.py: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
