#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold the report's causes against the compiler's own reasons, node by node, by class.

usage: reasons.py --truth DIR --models DIR --tool build/npu-partition [--target hexagon[:60]] [--most 40]

Two comparisons, each only where its file is there: with sizes bound as the answers had them
(TRUTH/reasons.TARGET.jsonl.gz), and as exported (TRUTH/reasons_as_exported.TARGET.jsonl.gz). Each line has a model, its
`dims`, and `reasons`: the provider's words for each node that it refuses. campaign_ask.py --reasons collects such lines
for models of one's own.

One item is a node that the compiler refuses and the tool sends to the CPU: the kind of its cause in the report
(docs/json.md, `causes[].kind`) has to be one of those that the compiler's words may mean. CLASSES is the table; words
that are in no row agree with nothing, so a new release of the compiler shows. Where the tool takes a node, or folds it,
the verdicts differ, which fidelity.py counts: such nodes are counted apart. Nodes that the runtime made are left out.
--summary writes the figures into the part "Reasons" of a page.
Exit status: 0 when both agree for at least 98 %, 1 when not, 2 when nothing could be compared.
"""
import argparse
import collections
import gzip
import json
import pathlib
import re
import sys

import fidelity

LEAST_SHARE = 0.98

# Class of the compiler's words, the words, and the kinds of our causes that say the same. The first row that is found
# counts. "Failed to add node" and "Failed to create GatherND node" are the validator's No to a node that the provider's
# builder had nothing against: it does not say whether to types, ranks, sizes or attributes. q_num_heads is an attribute
# that every Attention of ONNX with 3-D inputs has: one without it is com.microsoft's, which has the same builder.
CLASSES = (
    ("operator", r"^Operators of type `\w+` are not supported", {"op"}),
    ("operator", r"only supports standard ONNX RotaryEmbedding", {"op"}),
    ("operator", r"not supported by HTP backend|GPU backend only", {"op"}),
    ("operator", r"^Attention: q_num_heads attribute required", {"op"}),
    ("operator", r"filtered off QNN by the op_affinity provider option", {"op"}),
    ("dynamic shape", r"Cannot get shape|output shape must be static", {"dynamic"}),
    ("constant", r"must be (a )?constant|Dynamic \w+ inputs are not supported", {"constant"}),
    ("element type", r"boolean attn_mask is not supported|activation must be INT16-quantized", {"dtype"}),
    ("attribute", r"unsupported equation", {"attribute"}),
    ("scales", r"block_size=\d+ must be|standalone DQ op with per-channel", {"shape", "attribute"}),
    ("operands", r"requires at least \d+ inputs", {"shape"}),
    ("placement", r"QNN EP is configured to not take|is produced outside the QNN partition", {"policy"}),
    ("validator", r"^Failed to add node|^Failed to create GatherND node", {"dtype", "rank", "shape", "attribute", "constant"}),
)


def class_of(words):
    """(class, kinds) of the compiler's words; without kinds where no row has them."""
    for name, pattern, kinds in CLASSES:
        if re.search(pattern, words):
            return name, kinds
    return "not in the table", set()


class Score:
    """What one comparison found."""

    def __init__(self):
        self.agreed = self.compared = self.models = 0
        self.left_out = collections.Counter()
        self.differences = collections.defaultdict(list)  # (class, our kind, rule, op) -> examples

    def add(self, row, report):
        self.models += 1
        nodes, causes = fidelity.main_nodes(report), {cause["id"]: cause for cause in report["causes"]}
        for reason in row["reasons"]:
            node = nodes.get(reason["index"])
            if node is None or node["op"] != reason["op"]:
                self.left_out["nodes that the runtime made"] += 1
            elif node["cause"] is None:
                self.left_out["nodes that the tool does not leave to the CPU"] += 1
            else:
                self.add_node(f"{row['model']}#{reason['index']}", node, causes[node["cause"]], reason["reason"])

    def add_node(self, example, node, cause, words):
        name, kinds = class_of(words)
        self.compared += 1
        if cause["kind"] in kinds:
            self.agreed += 1
        else:
            self.differences[name, cause["kind"], cause["rule"], node["op"]].append((example, words))

    def is_enough(self):
        return self.agreed >= LEAST_SHARE * self.compared


def read_rows(path):
    """The lines of a file that have reasons; of several for one model and its sizes the last."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return list({(row["model"], str(row["dims"])): row for row in rows if row.get("reasons")}.values())


def compare(tool, target, folder, rows):
    score = Score()
    rows = [row for row in rows if (folder / row["model"]).exists()]
    jobs = [(str(folder / row["model"]), "basic", row["dims"]) for row in rows]
    reports = fidelity.run_tool(tool, target, jobs)
    for row, (path, level, dims) in zip(rows, jobs):
        report = reports[path, level, tuple(sorted(dims.items()))]
        if report is None:
            score.left_out["models that the tool cannot read"] += 1
        else:
            score.add(row, report)
    return score


def print_score(title, score, most):
    print(f"== {title}: {score.models} models")
    print(f"  reasons of the same class  {fidelity.share(score.agreed, score.compared)}")
    for what, count in sorted(score.left_out.items()):
        print(f"  left out: {count} {what}")
    ranked = sorted(score.differences.items(), key=lambda item: (-len(item[1]), item[0]))
    for (name, kind, rule, op), examples in ranked[:most]:
        example, words = examples[0]
        print(f"  {len(examples):>5}  compiler: {name}, tool: {kind}  {op}  {rule}  {example}  \"{words[:80]}\"")


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", type=pathlib.Path, required=True, help="folder of the compiler's reasons")
    parser.add_argument("--models", type=pathlib.Path, required=True, help="folder of the models")
    parser.add_argument("--tool", default="build/npu-partition", help="default build/npu-partition")
    parser.add_argument("--target", default="hexagon", help="NAME or NAME:SOC, default hexagon")
    parser.add_argument("--most", type=int, default=40, help="kinds of disagreement to print, default 40")
    return parser.parse_args()


def run(args):
    name, _, soc = args.target.partition(":")
    target, scores = f"{name}:{soc or fidelity.DEFAULT_SOC}", []
    for prefix, title in (("reasons", "sizes bound"), ("reasons_as_exported", "as exported")):
        path = args.truth / f"{prefix}.{name}.jsonl.gz"
        if path.exists():
            score = compare(fidelity.Tool(args.tool), target, args.models, read_rows(path))
            print_score(title, score, args.most)
            scores.append(score)
    if not any(score.compared for score in scores):
        raise fidelity.CannotCompare(f"nothing to compare: no reasons of {name} in {args.truth}")
    return 0 if all(score.is_enough() for score in scores) else 1


def main():
    try:
        return run(read_arguments())
    except (fidelity.CannotCompare, OSError, ValueError, KeyError) as problem:
        print(f"reasons.py: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
