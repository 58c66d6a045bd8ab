#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold the `+checker` flavours against what ONNX Runtime's mobile usability checker says of real models.

usage: mobile.py --tool build/npu-partition --models DIR [--target NAME] [--only TEXT]
Needs:  pip install onnx onnxruntime

The checker is asked about the raw graph with fixed shapes required, after ONNX's own strict shape inference, as it asks
itself: which nodes it takes and which partitions they make. The same question goes to the tool, of the same file, with
`--level off` and the list as it is built in. Masks and partitions of the main graph must be the same node by node; of
bodies, the number of nodes of each partition.

A model counts as not answered when ONNX's inference or the checker fails on it, and when it has functions, which the
checker does not inline. Prints what differs and the totals; exit status 1 when anything differs.
"""
import argparse
import json
import logging
import pathlib
import subprocess
import sys

import onnx
from onnxruntime.tools.mobile_helpers import usability_checker as checker

from waves import rename

ASKED = {
    "nnapi": lambda model: checker.check_nnapi_partitions(model, True),
    "coreml-neuralnetwork": lambda model: checker.check_coreml_partitions(
        model, True, "coreml_supported_neuralnetwork_ops.md"),
    "coreml-mlprogram": lambda model: checker.check_coreml_partitions(
        model, True, "coreml_supported_mlprogram_ops.md"),
}


# ---- theirs --------------------------------------------------------------------------------------------------


def their_partitions(model, target):
    groups = [[int(node.name) for node in group] for group in ASKED[target](model).supported_groups]
    return (sorted(sorted(group) for group in groups if -1 not in group),
            sorted(len(group) for group in groups if -1 in group))


# ---- ours ----------------------------------------------------------------------------------------------------


def our_partitions(tool, target, path):
    answer = subprocess.run([tool, path, "--target", f"{target}+checker", "--level", "off", "--format", "json"],
                            capture_output=True, text=True, check=False)
    if answer.returncode not in (0, 1):
        return answer.stderr.strip(), {}
    main, bodies, reasons = {}, {}, {}
    for node in json.loads(answer.stdout)["targets"][0]["nodes"]:
        if node["partition"] is None:
            reasons[node["index"]] = (node["op"], node["verdict"], [r.get("rule") for r in node.get("reasons", [])])
        elif node["graph"]:
            bodies[node["partition"]] = bodies.get(node["partition"], 0) + 1
        else:
            main.setdefault(node["partition"], []).append(node["index"])
    return (sorted(sorted(group) for group in main.values()), sorted(bodies.values())), reasons


def describe(ours, theirs, reasons, model):
    if isinstance(ours, str):
        return f"  ours: {ours}"
    mine, their = {n for group in ours[0] for n in group}, {n for group in theirs[0] for n in group}
    lines = [f"  {len(ours[0])}+{len(ours[1])} partitions, theirs {len(theirs[0])}+{len(theirs[1])}"]
    for name, nodes in (("only we take", mine - their), ("only they take", their - mine)):
        if nodes:
            first = [f"{n} {model.graph.node[n].op_type} {reasons.get(n, '')}" for n in sorted(nodes)[:5]]
            lines.append(f"  {name} {len(nodes)}: " + "; ".join(first))
    if ours[1] != theirs[1]:
        lines.append(f"  in bodies {ours[1]}, theirs {theirs[1]}")
    return "\n".join(lines)


def load(path):
    """The model with its shapes inferred as the checker infers them, or None where it has no answer."""
    try:
        model = onnx.load(path, load_external_data=False)
        rename(model.graph, None)
        return None if model.functions else onnx.shape_inference.infer_shapes(model, strict_mode=True)
    except Exception as error:  # pylint: disable=broad-except
        print(f"{path.name}: {type(error).__name__}: {str(error)[:100]}")
        return None


def compare(args, path, totals):
    model = load(path)
    for target, total in totals.items():
        try:
            theirs = their_partitions(model, target) if model else None
        except Exception as error:  # pylint: disable=broad-except
            print(f"{path.name}: {target}: no answer: {type(error).__name__}: {str(error)[:100]}")
            theirs = None
        if theirs is None:
            total[2] += 1
            continue
        ours, reasons = our_partitions(args.tool, target, path)
        total[0] += ours == theirs
        total[1] += 1
        if ours != theirs:
            print(f"{path.name}: {target}\n{describe(ours, theirs, reasons, model)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--target", choices=ASKED, action="append")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    logging.disable(logging.CRITICAL)
    totals = {target: [0, 0, 0] for target in args.target or ASKED}  # the same, asked, not answered
    for path in sorted(pathlib.Path(args.models).glob("*.onnx")):
        if args.only in path.name:
            compare(args, path, totals)
    for target, (same, asked, unanswered) in totals.items():
        print(f"{target}: {same} of {asked} models the same, {unanswered} not answered")
    return 0 if all(same == asked for same, asked, _ in totals.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
