#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the parts that `npu-partition split` writes one after the other, against the whole model, in ONNX Runtime.

usage: split.py --tool build/npu-partition --folder FOLDER [--target T,...] [--most-bytes N] [--room SHARE]
                [MODEL|FOLDER...]
Needs:  pip install onnx onnxruntime numpy

On models that are made here, for what is hard to split, and on those that are given, with random weights. Sessions do
not optimize, so results must be the same bit for bit. ONNX Runtime's CPU provider computes FLOAT16 in float32 and
rounds only where something takes the float16 itself, as a border between parts does: the whole has an Identity there,
and hands the border out, to be compared too. Every part must pass onnx.checker, take what the manifest says, and each
partition of the main graph has a part. With --room SHARE each given model is cut as its report tells where a session
has room for that share of what the model takes, and each part must fit by itself. Exit status 1 when something differs.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import fix_equality
import fix_feeds
import fix_tool


# Of 65 models three hold more by themselves: 8 bytes, 8 bytes, and 18 kB of 40 MB (whisper-tiny-decoder-past).
EDGE_SHARE = 1e-3


def session_of(path):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


# ---- models that are hard to split -------------------------------------------------------------------------------


def weight(name, *dims, dtype=np.float32):
    return numpy_helper.from_array(np.random.default_rng(len(name)).standard_normal(dims).astype(dtype), name)


def model_of(nodes, inputs, outputs, weights=(), functions=(), domains=()):
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [value(*one) for one in inputs], [value(*one) for one in outputs], weights)
    imports = [helper.make_opsetid("", 17), *(helper.make_opsetid(name, 1) for name in domains)]
    return helper.make_model(graph, opset_imports=imports, functions=functions, ir_version=9)


def made_models():
    node, value, f32 = helper.make_node, helper.make_tensor_value_info, TensorProto.FLOAT
    # CPU in the middle (Det and NonZero run nowhere else), weights used on either side, an unused node, a second output.
    yield "middle", model_of(
        [node("MatMul", ["x", "w"], ["a"], name="first"), node("Erf", ["a"], ["b"]), node("Det", ["a"], ["unused"]),
         node("CumSum", ["b", "axis"], ["c"]), node("MatMul", ["c", "w"], ["d"]), node("Relu", ["d"], ["y"])],
        [("x", f32, [64, 64])], [("y", f32, [64, 64]), ("a", f32, [64, 64])],
        [weight("w", 64, 64), numpy_helper.from_array(np.int64(1), "axis")])
    # Sizes are folded: a later part needs a number that an earlier tensor has, and a constant that is computed.
    yield "sizes", model_of(
        [node("Relu", ["x"], ["a"]), node("CumSum", ["a", "axis"], ["b"]), node("Shape", ["a"], ["s"]),
         node("Gather", ["s", "zero"], ["n"]), node("Unsqueeze", ["n", "zero1"], ["n1"]),
         node("Concat", ["n1", "minus"], ["to"], axis=0), node("Transpose", ["w"], ["wt"]),
         node("Reshape", ["b", "to"], ["c"]), node("MatMul", ["c", "wt"], ["d"]), node("CumSum", ["d", "axis"], ["e"]),
         node("MatMul", ["e", "wt"], ["y"]), node("Identity", ["y"], ["z"])],
        [("x", f32, [2, 8, 8])], [("y", f32, None), ("z", f32, None), ("to", TensorProto.INT64, [2]),
                                  ("wt", f32, [64, 64])],
        [weight("w", 64, 64), numpy_helper.from_array(np.int64(1), "axis"),
         numpy_helper.from_array(np.int64(0), "zero"), numpy_helper.from_array(np.array([0]), "zero1"),
         numpy_helper.from_array(np.array([-1]), "minus")])
    # Bodies use names from outside, hide one, and hold an initializer.
    inner = helper.make_graph([node("Mul", ["b", "w"], ["q"])], "then", [], [value("q", f32, None)])
    other = helper.make_graph([node("Add", ["b", "a"], ["r"])], "else", [], [value("r", f32, None)],
                              [weight("a", 4, 4)])
    yield "bodies", model_of(
        [node("Relu", ["x"], ["a"]), node("Sigmoid", ["a"], ["b"]),
         node("If", ["c"], ["d"], then_branch=inner, else_branch=other), node("Tanh", ["d"], ["y"])],
        [("x", f32, [4, 4]), ("c", TensorProto.BOOL, [])], [("y", f32, [4, 4])], [weight("w", 4, 4)])
    # A function whose nodes fall on either side.
    function = helper.make_function(
        "own", "Both", ["p"], ["q", "r"],
        [node("Relu", ["p"], ["q"]), node("Det", ["q"], ["s"]), node("Neg", ["s"], ["r"])],
        [helper.make_opsetid("", 17)])
    yield "functions", model_of(
        [node("Relu", ["x"], ["a"]), node("Both", ["a"], ["b", "c"], domain="own"), node("Sigmoid", ["b"], ["d"]),
         node("Add", ["d", "c"], ["y"])],
        [("x", f32, [4, 4])], [("y", f32, [4, 4])], functions=[function], domains=["own"])
    # Quantized: one DequantizeLinear for two users on different devices.
    scale = [numpy_helper.from_array(np.float32(0.05), "s"), numpy_helper.from_array(np.uint8(7), "z")]
    yield "quantized", model_of(
        [node("QuantizeLinear", ["x", "s", "z"], ["xq"]), node("DequantizeLinear", ["xq", "s", "z"], ["xd"]),
         node("MatMul", ["xd", "w"], ["a"]), node("QuantizeLinear", ["a", "s", "z"], ["aq"]),
         node("DequantizeLinear", ["aq", "s", "z"], ["ad"]), node("Det", ["xd"], ["b"]), node("Add", ["ad", "b"], ["y"])],
        [("x", f32, [8, 8])], [("y", f32, [8, 8])], [weight("w", 8, 8), *scale])
    # Outputs that no node makes, and nothing but constants.
    yield "constants", model_of(
        [node("Constant", [], ["k"], value=weight("k", 3)), node("Neg", ["k"], ["y"])], [("x", f32, [2])],
        [("y", f32, [3]), ("x", f32, [2])])


# ---- comparing ---------------------------------------------------------------------------------------------------


def with_borders(path, manifest):
    """The model, or a copy of it in which each FLOAT16 tensor between parts is rounded, and an output."""
    borders = {value["name"] for part in manifest["parts"] for value in part["inputs"]
               if value["from"] is not None and value["type"] in ("float16", "bfloat16")}
    if not borders:
        return path
    model = onnx.load(path, load_external_data=False)
    outputs, nodes = {value.name for value in model.graph.output}, list(model.graph.node)
    for node in nodes:
        for i, name in enumerate(node.output):
            if name not in borders:
                continue
            node.output[i] = name + ".unrounded"
            model.graph.node.append(helper.make_node("Identity", [node.output[i]], [name]))
            if name not in outputs:
                model.graph.output.append(onnx.ValueInfoProto(name=name))
    onnx.save(model, path.with_name("borders.onnx"))
    return path.with_name("borders.onnx")


def run_whole(path, feeds):
    session = session_of(path)
    names = [output.name for output in session.get_outputs()]
    taken = {value.name for value in session.get_inputs()}
    return dict(zip(names, session.run(names, {name: feeds[name] for name in taken if name in feeds})))


def run_parts(folder, manifest, feeds):
    """The outputs of the parts in their order, and what is wrong with a part."""
    known, problems = dict(feeds), []
    for order, part in enumerate(manifest["parts"]):
        path = folder / part["file"]
        if part["order"] != order:
            problems.append(f"{part['file']}: order {part['order']}")
        session = session_of(path)
        wanted = [value["name"] for value in part["inputs"]]
        if sorted(wanted) != sorted(value.name for value in session.get_inputs()):
            problems.append(f"{part['file']}: other inputs than the manifest says")
        for value in part["inputs"]:
            made = value["from"] is not None and value["name"] in {
                output["name"] for output in manifest["parts"][value["from"]]["outputs"]}
            if value["from"] is not None and (not made or value["from"] >= order):
                problems.append(f"{part['file']}: {value['name']} does not come from part {value['from']}")
            array = known.get(value["name"])
            if array is not None and value["bytes"] is not None and array.nbytes != value["bytes"]:
                problems.append(f"{part['file']}: {value['name']} has {array.nbytes} bytes, not {value['bytes']}")
        names = [output["name"] for output in part["outputs"]]
        known.update(zip(names, session.run(names, {name: known[name] for name in wanted if name in known})))
    return known, problems


def checked(path):
    try:
        onnx.checker.check_model(str(path))
    except Exception as error:  # whatever it is
        return str(error).splitlines()[0]
    return ""


def planned(tool, path, options):
    """The partitions that have nodes of the main graph itself."""
    run = subprocess.run([tool, str(path), "--format", "json", *options], capture_output=True, text=True, check=True)
    nodes = json.loads(run.stdout)["targets"][0]["nodes"]
    return {node["partition"] for node in nodes if node["graph"] == "" and node["partition"] is not None}


def asked(tool, path, options):
    run = subprocess.run([tool, str(path), "--format", "json", *options], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)["targets"][0]


def cut_to_fit(args, path, target, options):
    """Options that cut the model so that each part fits into the share; the room in bytes. None: no cut is told."""
    costs = args.folder / "room.cost"

    def write(mb):
        costs.write_text(f'format 1\ncost {target.split(":")[0]}\nparam most_session_mb {mb} {mb} {mb} "a share"\n'
                         'param most_sessions 64 64 64 "any"\n')
        return ["-t", target, "--cost", str(costs), *options]

    needed = next((limit for limit in asked(args.tool, path, write(1))["memory"]["limits"]
                   if limit["what"] == "session"), None)
    if needed is None:
        return None  # nothing runs there
    found = asked(args.tool, path, write(needed["needed_bytes"] * args.room / (1 << 20)))
    cuts = [step for step in found["advice"] if step["action"] == "cut" and step["after"]["fits"] and not step["needs"]]
    return (cuts[0]["run"][cuts[0]["run"].index("--cut"):][:2], needed["needed_bytes"] * args.room) if cuts else None


def judge_fit(args, path, options, most_bytes):
    """Parts for the NPU that do not fit, or hold more than the plan of the whole says of their partition, but for what
    the runtime removes inside of a model and not at its edge, such as an Add of 0 with its constant."""
    planned_parts = asked(args.tool, path, options)["memory"]["partitions"]
    for part in json.loads((args.folder / "parts" / "manifest.json").read_text())["parts"]:
        if part["device"] == "npu":
            memory = asked(args.tool, args.folder / "parts" / part["file"], options[:2])["memory"]
            held = memory["weight_bytes_npu"] + memory["activation_peak_bytes_npu"]
            plan = planned_parts[part["partition"]]
            if held > most_bytes:
                yield f"{part['file']} does not fit"
            if held > (plan["weight_bytes"] + plan["peak_bytes"]) * (1 + EDGE_SHARE):
                yield f"{part['file']} holds {held} bytes, planned {plan['weight_bytes'] + plan['peak_bytes']}"


def judge(args, path, options, feeds, has_functions):
    """What is wrong; how many parts there are; and how many more than partitions and stretches between them."""
    out = args.folder / "parts"
    shutil.rmtree(out, ignore_errors=True)
    run = subprocess.run([args.tool, "split", str(path), "-o", str(out), "--weights", "copy", *options],
                         capture_output=True, text=True, check=False)
    if run.returncode:
        return [f"exit status {run.returncode}: {run.stderr.strip()}"], 0, 0
    manifest = json.loads((out / "manifest.json").read_text())
    problems = [] if checked(path) else [
        f"{part['file']}: {problem}" for part in manifest["parts"] if (problem := checked(out / part["file"]))]
    devices = [(part["device"], part["partition"]) for part in manifest["parts"]]
    if any(left == right for left, right in zip(devices, devices[1:])):
        problems.append("two parts of one device follow one another")
    found = sorted(partition for device, partition in devices if device == "npu")
    wanted = sorted(planned(args.tool, path, options))
    if set(found) != set(wanted) and not has_functions: # a call may be in several: it stays whole, on the CPU
        problems.append(f"parts of partitions {found}, planned {wanted}")
    try:
        whole = run_whole(with_borders(path, manifest), feeds)
    except Exception as error:  # ONNX Runtime cannot run it, whole or not
        return problems + [f"NOT RUN {str(error)[:150]}"], len(devices), len(found) - len(set(found))
    try:
        known, more = run_parts(out, manifest, feeds)
    except Exception as error:
        return problems + [f"the parts do not run: {str(error)[:300]}"], len(devices), 0
    same, error, form = fix_feeds.compare(whole, {key: known.get(key) for key in whole})
    wrong = [] if same == "bits" else [f"other results: {form or error}"]
    return problems + more + wrong, len(devices), len(found) - len(set(found))


def draw_feeds(model, shapes, name):
    feeds = {}
    weights = {tensor.name for tensor in model.graph.initializer}
    for value in model.graph.input:
        dims = shapes.get(value.name)
        if value.name in weights or dims is None:
            continue
        kind = value.type.tensor_type.elem_type
        feeds[value.name] = fix_feeds.draw(fix_equality.kind_of(value.name, kind), kind,
                                           [size if isinstance(size, int) else 1 for size in dims],
                                           fix_feeds.chance_of(name, value.name), 0)
    return feeds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--target", default="hexagon,tidl")
    parser.add_argument("--most-bytes", type=int, default=400 << 20)
    parser.add_argument("--room", type=float)
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    equal = missed = parts = not_run = parted = 0
    for name, path, dims, _ in fix_equality.jobs(args, () if args.room else made_models()):
        model = onnx.load(path, load_external_data=False)
        feeds = draw_feeds(model, fix_equality.input_shapes(args.tool, path, model, dims), name)
        for target in args.target.split(","):
            cuts, room = cut_to_fit(args, path, target, dims) or ([], 0) if args.room else ([], 0)
            if args.room and not cuts:
                print("no cut", name, target, flush=True)
                continue
            options = ["-t", target, *dims, *cuts]
            problems, count, more = judge(args, path, options, feeds, bool(model.functions))
            problems += judge_fit(args, path, options, room) if args.room else ()
            parts += count
            parted += more > 0
            not_run += any(problem.startswith("NOT RUN") for problem in problems)
            wrong = [problem for problem in problems if not problem.startswith("NOT RUN")]
            missed += bool(wrong)
            equal += not problems
            print("MISS" if wrong else "not run" if problems else "equal", name, target, f"{count} parts", *problems,
                  flush=True)
    print(f"{equal} equal ({parts} parts), {missed} not, {not_run} not run by ONNX Runtime; in {parted} a "
          "partition is more than one part")
    return 1 if missed or not equal else 0


if __name__ == "__main__":
    sys.exit(main())
