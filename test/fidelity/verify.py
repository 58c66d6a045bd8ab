#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a target's own compiler says of one-operator models and of whole ones, beside what the tool says.

usage: verify.py --tool build/npu-partition --target TARGET (--answers FILE.jsonl.gz | --oracle SCRIPT --python PYTHON)
                 [--arguments "..."] [--write FILE.jsonl.gz] [--counts] [--level LEVEL] [--models DIR] [MODEL...]

Answers are lines as the oracle scripts print them: {"model", "level", "dims", "partitions": N, "nodes": [{"index", "op",
"ep"}]}, with "target" where a script asks for several chips at once, and "error" where there is no answer. They are
read from a file, or had by asking the script about each MODEL (all .onnx of a folder); --write keeps them.

A session that the provider refuses is agreed upon when the tool calls any node `fail`; errors of other kinds are left out.
--counts: whole models, whose answer names a fused node by no name, so the number of partitions alone is compared. Else
nodes are, too: ours are those of the file that the answer names. What the tool calls unknown never agrees.
Prints the figures and each disagreement. Exit status: 0 when 97 % of nodes and counts agree, else 1; 2 when nothing was
compared.

ask_xnnpack.py asks ONNX Runtime's XNNPACK provider, and xnnpack_probes.py writes models for it.
"""
import argparse
import collections
import gzip
import json
import pathlib
import subprocess
import sys

from fidelity import Tool, main_nodes, rules_of, share

ENOUGH = 0.97
# What a session says that cannot be made of what the provider has claimed.
REFUSALS = ("EP_FAIL", "XnnpackExecutionProvider_", "Invalid model. Node input", "IExecutionProvider::Compile")


def ask(script, python, arguments, models):
    """Lines of the script, a model at a time: the real thing crashes now and then."""
    for model in models:
        done = subprocess.run([python, script, *arguments, str(model)], capture_output=True, text=True, check=False)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        yield from (json.loads(line) for line in lines)
        if not lines:
            yield {"model": model.name, "error": f"status {done.returncode}: {done.stderr[-200:]}"}


class Comparison:
    def __init__(self, with_nodes):
        self.with_nodes = with_nodes
        self.pairs = collections.Counter()
        self.sessions = collections.Counter()  # (refused, called so) -> models
        self.equal = self.models = self.left_out = 0
        self.uneven, self.differences = [], collections.defaultdict(list)

    def add(self, answer, report):
        is_refused = any(words in answer.get("error", "") for words in REFUSALS)
        if report is None or (answer.get("error") and not is_refused):
            self.left_out += 1
            return
        fails = any(node["verdict"] == "fail" for node in report["nodes"])
        if is_refused or fails:
            self.sessions[is_refused, fails] += 1
            if is_refused != fails:
                self.uneven.append(f"{answer['model']}: {'refused' if is_refused else 'loads'}, and {'called' if fails else 'not called'} so")
            return
        self.models += 1
        ours, theirs = report["summary"]["partitions"], answer["partitions"]
        self.equal += ours == theirs
        if ours != theirs:
            self.uneven.append(f"{answer['model']}: {ours} instead of {theirs}")
        nodes = main_nodes(report)
        for told in answer["nodes"] if self.with_nodes else ():
            node = nodes.get(told["index"])
            if node is None or node["op"] != told["op"] or node["verdict"] in ("folded", "fused"):
                continue
            truth = "cpu" if told["ep"].startswith("CPU") else "npu"
            self.pairs[truth, node["verdict"]] += 1
            if node["verdict"] != truth:
                self.differences[truth, node["verdict"], node["op"], rules_of(node)].append(answer["model"])

    def print(self):
        agreed = self.pairs["npu", "npu"] + self.pairs["cpu", "cpu"]
        print(f"models {self.models}, without an answer {self.left_out}")
        if self.with_nodes:
            print(f"nodes agree: {share(agreed, sum(self.pairs.values()))}")
        print(f"partitions equal: {share(self.equal, self.models)}")
        refused = self.sessions[True, True] + self.sessions[True, False]
        print(f"refused sessions seen: {share(self.sessions[True, True], refused)}, false alarms {self.sessions[False, True]}")
        for (truth, ours, op, rules), models in sorted(self.differences.items(), key=lambda item: -len(item[1])):
            print(f"  {truth}, told {ours}: {len(models)} {op} ({rules}), as in {models[0]}")
        for line in self.uneven:
            print(f"  {line}")
        if not self.models + sum(self.sessions.values()):
            return 2
        return int(agreed < ENOUGH * sum(self.pairs.values()) or self.equal < ENOUGH * self.models
                   or self.sessions[True, True] < ENOUGH * sum(self.sessions.values()))


def answers_of(options, models):
    if options.answers:
        with gzip.open(options.answers, "rt", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]
    answers = list(ask(options.oracle, options.python, options.arguments.split(), models))
    if options.write:
        with gzip.open(options.write, "wt", encoding="utf-8") as out:
            out.writelines(json.dumps(answer) + "\n" for answer in answers)
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--target", required=True, help="with its switches: xnnpack, ethos-u+onnx2tf")
    parser.add_argument("--answers", type=pathlib.Path)
    parser.add_argument("--oracle")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--arguments", default="", help="of the oracle's script")
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--level", help="of the tool; else the answer's, `basic` for `all`")
    parser.add_argument("--models", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("model", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if bool(options.answers) == bool(options.oracle):
        parser.error("either --answers or --oracle")
    models = [path for at in options.model for path in (sorted(at.glob("*.onnx")) if at.is_dir() else [at])]
    by_name = {path.name: path for path in models}
    name, plus, switches = options.target.partition("+")
    tool, comparison = Tool(options.tool), Comparison(not options.counts)
    for answer in answers_of(options, models):
        path = by_name.get(answer["model"], options.models / answer["model"])
        if not path.is_file():
            continue
        target = answer.get("target", name) + plus + switches
        level = options.level or ("off" if answer.get("level") == "off" else "basic")
        report = tool.run([str(path)], target, level, answer.get("dims", {})).get(str(path))
        comparison.add(answer, report)
    sys.exit(comparison.print())


main()
