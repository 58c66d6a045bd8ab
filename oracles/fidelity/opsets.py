#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rewrite `opset` on ONNX's own node tests: said by other opsets, and run by ONNX Runtime before and after.

usage: opsets.py --tool build/npu-partition --folder FOLDER [--only TEXT]
Needs:  pip install onnx onnxruntime

A target is made up that takes every operator of one opset alone, so that `fix` must get there. Operands that a test
feeds and that were attributes once are constants of the model. Each model goes to every opset of OPSETS, and from
there back to its own: so attributes become operands as well as the other way round. Both must pass onnx.checker, and
give what the first model gives, bit for bit. Exit status 1 on any miss.
"""
import argparse
import collections
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

import fix_tool

OPSETS = (7, 8, 9, 10, 11, 12, 13, 17, 18, 19, 20, 21)
# Operands that are made constants: what an attribute said once.
MOVED = {"Reshape": "1", "Slice": "1234", "TopK": "1", "Clip": "12", "Pad": "123", "Dropout": "12", "Squeeze": "1",
         "Unsqueeze": "1", "Split": "1"}


def op_list(opset):
    names = sorted({schema.name for schema in onnx.defs.get_all_schemas_with_history() if schema.domain == ""})
    return "\n".join(["format 1", f'target only{opset} "One opset"', 'toolchain "none"', 'standing "made up"',
                      'source "made up"', "partitioner waves", f'every opset: opset = {opset} "the opset must be {opset}"',
                      *(f"op {name}" for name in names)]) + "\n"


def with_constants(model, arrays):
    """The model with operands as initializers, and what is left to feed."""
    node, feeds = model.graph.node[0], {}
    is_moved = node.op_type in MOVED or node.op_type.startswith("Reduce")
    places = MOVED.get(node.op_type, "1" if is_moved else "")
    constants = {node.input[int(place)] for place in places if int(place) < len(node.input)}
    for value, array in zip(list(model.graph.input), arrays):
        if value.name in constants:
            model.graph.initializer.append(numpy_helper.from_array(np.asarray(array), value.name))
            model.graph.input.remove(value)
        else:
            feeds[value.name] = array
    return feeds


def run(path, feeds):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"]).run(None, feeds)


def is_same(first, second):
    """By bytes, for NaN and the signs of zeros; of texts an array holds addresses alone."""
    return len(first) == len(second) and all(
        isinstance(b, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape
        and (a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes())
        for a, b in zip(first, second))


def convert(args, source, out, opset):
    """Whether `fix` said the model by the opset."""
    out.unlink(missing_ok=True)
    lists = args.folder / f"only{opset}.ops"
    if not lists.exists():
        lists.write_text(op_list(opset), encoding="utf-8")
    fixed = fix_tool.fix(args.tool, source, f"only{opset}", out,
                         ["--oplist", str(lists), "--cost", str(args.folder / "favourable.cost"), "--only", "opset"])
    return fixed.status == 0 and fixed.applied == ["opset"] and out.exists()


def problem_of(path, expected, feeds):
    problem = fix_tool.checker_problem(path)
    if problem:
        return f"onnx.checker: {problem}"
    try:
        return "" if is_same(expected, run(path, feeds)) else "other outputs"
    except Exception as error:  # the runtime's words, of whatever kind
        return f"does not run: {str(error)[:160]}"


def judge(args, case, counts, misses):
    model, own = onnx.ModelProto(), {entry.domain: entry.version for entry in case.model.opset_import}.get("")
    model.CopyFrom(case.model)
    source, there, back = (args.folder / name for name in ("source.onnx", "there.onnx", "back.onnx"))
    feeds = with_constants(model, case.data_sets[0][0])
    model.ir_version = min(model.ir_version, 10)
    source.write_bytes(model.SerializeToString())
    try:
        expected = run(source, feeds)
    except Exception:  # the runtime has no kernel, or no such type
        expected = [None]
    if not all(isinstance(result, np.ndarray) for result in expected):
        counts["not run before, or no tensor"] += 1
        return
    op = model.graph.node[0].op_type
    for opset in OPSETS:
        if opset == own or not convert(args, source, there, opset):
            continue
        counts[op] += 1
        problem = problem_of(there, expected, feeds)
        if "Could not find an implementation" in problem or "NOT_IMPLEMENTED" in problem:
            counts["no kernel there"] += 1
            problem = ""
        if not problem and convert(args, there, back, own):
            counts["and back"] += 1
            problem = problem_of(back, expected, feeds)
            problem = problem and f"back: {problem}"
        if problem:
            misses.append(f"{case.name} from {own} to {opset}: {problem}")
            print("MISS", misses[-1], flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    (args.folder / "favourable.cost").write_text("format 1\n" + "".join(
        f"param {name} {value} {value} {value}\n" for name, value in (
            ("launch_ms", 0), ("runtime_ms", 0), ("map_ms", 0), ("cpu_node_us", 0), ("cpu_memory_gb_per_s", 1e-6),
            ("cpu_element_ns", 1e6), ("cpu_slow_element_ns", 1e6))), encoding="utf-8")
    counts, misses = collections.Counter(), []
    for case in collect_testcases(None):
        if args.only in case.name and len(case.model.graph.node) == 1 and case.data_sets and \
                not case.model.graph.node[0].domain:
            judge(args, case, counts, misses)
    print(", ".join(f"{word} {count}" for word, count in sorted(counts.items())))
    print(f"{len(misses)} misses")
    return bool(misses)


if __name__ == "__main__":
    sys.exit(main())
