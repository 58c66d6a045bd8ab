#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a target's own compiler says of one-operator models and of whole ones, beside what the tool says.

usage: verify.py --tool build/npu-partition --target TARGET (--answers FILE.jsonl.gz | --oracle SCRIPT --python PYTHON)
                 [--arguments "..."] [--together N] [--write FILE.jsonl.gz] [--counts] [--level LEVEL] [--models DIR] [MODEL...]

Answers are lines as the oracle scripts print them: {"model", "level", "dims", "partitions": N, "nodes": [{"index", "op",
"ep"}]}, with "target" where a script asks for several chips at once, and "error" where there is no answer. They are
read from a file, or had by asking the script about each MODEL (all .onnx of a folder); --write keeps them.

A session that the provider refuses is agreed upon when the tool calls any node `fail`; errors of other kinds are left out.
--counts: whole models, whose answer names a fused node by no name, so the number of partitions alone is compared. Else
nodes are, too: ours are those of the file that the answer names. What the tool calls unknown never agrees.
Prints the figures and each disagreement. Exit status: 0 when 97 % of nodes, counts and refused sessions agree, or what
--least says, else 1; 2 when nothing was compared.

ask_xnnpack.py asks ONNX Runtime's XNNPACK provider, and xnnpack_probes.py writes models for it; ask_ethos-u.py asks
onnx2tf and Vela, and ethos-u_probes.py draws models for them.
"""
import argparse
import dataclasses
import gzip
import json
import pathlib
import re
import subprocess
import sys

from fidelity import Answer, Result, Score, Tool, main_nodes, print_score

ENOUGH = 0.97
MOST_LINES = 40  # of disagreements
# What a session says that cannot be made of what the provider has claimed.
REFUSALS = ("EP_FAIL", "XnnpackExecutionProvider_", "Invalid model. Node input", "IExecutionProvider::Compile", "status -11")


def ask(script, python, arguments, models, together):
    """Lines of the script, few models at a time: the real thing crashes now and then."""
    for first in range(0, len(models), together):
        asked = models[first:first + together]
        done = subprocess.run([python, script, *arguments, *map(str, asked)], capture_output=True, text=True, check=False)
        answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        yield from answers
        for name in {model.name for model in asked} - {answer["model"] for answer in answers}:
            yield {"model": name, "error": f"status {done.returncode}: {done.stderr[-200:]}"}


@dataclasses.dataclass
class Told(Answer):
    """What a script printed of one model."""

    stage: str = ""  # where a script asks several tools in a row, the one that ended with an error

    @property
    def was_refused(self):
        if self.stage == "vela":
            return "Failed to allocate" not in self.error  # that depends on the memory it was told of
        return any(words in self.error for words in REFUSALS)


def told(row, report, with_nodes):
    """Without nodes that ours is gone before the partitioning, and without all where a fused one has no name."""
    live = {index for index, node in main_nodes(report).items() if node["verdict"] not in ("folded", "fused")}
    nodes = {node["index"]: (node["op"], "cpu" if node["ep"].startswith("CPU") else "npu")
             for node in row.get("nodes", ()) if with_nodes and node["index"] in live}
    return Told(row["model"], row.get("level", ""), row.get("dims", {}), nodes, row.get("partitions", 0),
                error=row.get("error", ""), stage=row.get("stage", ""))


def status_of(score, least):
    """0 where enough agrees."""
    if not score.models:
        return 2
    exact, _, counted = score.partition_shares()
    refused = sum(score.sessions.values()) + len(score.false_alarms)
    verdicts, counts, sessions = least
    return int(score.agreed() < verdicts * score.compared() or exact < counts * counted
               or score.sessions[True] < sessions * refused)


def answers_of(options, models):
    if options.answers:
        with gzip.open(options.answers, "rt", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]
    answers = list(ask(options.oracle, options.python, options.arguments.split(), models, options.together))
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
    parser.add_argument("--together", type=int, default=1, help="models that the script is asked about at once")
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--least", nargs=3, type=float, default=(ENOUGH, ENOUGH, ENOUGH),
                        help="shares of verdicts, of equal counts and of refused sessions")
    parser.add_argument("--level", help="of the tool; else the answer's, `basic` for `all`")
    parser.add_argument("--models", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("model", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if bool(options.answers) == bool(options.oracle):
        parser.error("either --answers or --oracle")
    models = [path for at in options.model for path in (sorted(at.glob("*.onnx")) if at.is_dir() else [at])]
    by_name = {path.name: path for path in models}
    name, switches = re.match(r"([^+@]*)(.*)", options.target).groups()
    tool, score = Tool(options.tool), Score()
    for answer in answers_of(options, models):
        path = by_name.get(answer["model"], options.models / answer["model"])
        if not path.is_file():
            continue
        target = answer.get("target", name) + switches
        level = options.level or ("off" if answer.get("level") == "off" else "basic")
        report = tool.run([str(path)], target, level, answer.get("dims", {})).get(str(path))
        answer = report and told(answer, report, not options.counts)
        if answer and answer.counts:
            score.add(answer, report)
        else:
            score.left_out["models without an answer"] += 1
    print_score(Result(options.target, score), MOST_LINES, sys.stdout)
    sys.exit(status_of(score, options.least))


if __name__ == "__main__":
    main()
