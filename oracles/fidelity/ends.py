#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Paste the lines of reports that end, or begin, a model at some tensors, and run the parts against the whole.

usage: ends.py --tool build/npu-partition --folder FOLDER [--target T,...] [--most-bytes N] [MODEL|FOLDER...]
Needs:  pip install onnx onnxruntime numpy

For each model and target whose first step is to end or begin the model, the line that the report tells is run. Of what
it writes the plan of the model must be what the step says, every part must pass onnx.checker where the whole does and
all shapes are known, and take what the manifest says, and the parts, one after the other, must give the results of the
whole bit for bit with optimizations off. Models that are made here have a tail that targets do not take, and a head;
real ones get random weights. Exit status 1 when something differs, or when a model that is made here fails to compile
and is not ended.
"""
import argparse
import json
import pathlib
import shlex
import shutil
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import fix_equality
import fix_feeds
import fix_tool
import split


# ---- models with a tail, or a head, that some target does not take -------------------------------------------------


class Graph:
    """A convolutional model, operator by operator."""

    def __init__(self, seed):
        self.nodes, self.weights, self.random = [], [], np.random.default_rng(seed)

    def constant(self, array):
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weight(self, *dims):
        return self.constant((self.random.standard_normal(dims) * 0.1).astype(np.float32))

    def add(self, op, *operands, outputs=1, **attributes):
        names = [f"{op.lower()}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(operands), names, name=f"n{len(self.nodes)}_{op}", **attributes))
        return names[0] if outputs == 1 else names

    def conv(self, x, inputs, outputs, size=3, stride=1, group=1):
        made = self.add("Conv", x, self.weight(outputs, inputs // group, size, size), self.weight(outputs),
                        kernel_shape=[size] * 2, strides=[stride] * 2, pads=[size // 2] * 4, group=group)
        return made

    def block(self, x, inputs, outputs, stride=1):
        return self.add("Relu", self.conv(x, inputs, outputs, 3, stride))

    def ints(self, *numbers):
        return self.constant(np.array(numbers, np.int64))

    def finish(self, results, dims=(1, 3, 128, 128), opset=17, kind=TensorProto.FLOAT):
        value = helper.make_tensor_value_info
        for name, result in results:
            self.nodes.append(helper.make_node("Identity", [result], [name], name=f"out_{name}"))
        graph = helper.make_graph(self.nodes, "g", [value("image", kind, list(dims))],
                                  [onnx.ValueInfoProto(name=name) for name, _ in results], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
        return onnx.shape_inference.infer_shapes(declared(model))


def declared(model):
    """With the types of the outputs, which inference finds for values alone."""
    found = {value.name: value for value in onnx.shape_inference.infer_shapes(model).graph.value_info}
    for output in model.graph.output:
        source = next(node.input[0] for node in model.graph.node if output.name in node.output)
        output.type.CopyFrom(found[source].type)
    return model


def backbone(graph, x="image", width=16):
    """Features at strides 8, 16 and 32."""
    x = graph.block(graph.block(x, 3, width, 2), width, width * 2, 2)
    levels = []
    for i in range(3):
        inputs = width * 2 * (2 ** min(i, 2)) if i else width * 2
        x = graph.block(x, inputs, width * 2 * 2 ** i, 2)
        x = graph.add("Add", x, graph.block(x, width * 2 * 2 ** i, width * 2 * 2 ** i))
        levels.append((x, width * 2 * 2 ** i))
        inputs = width * 2 * 2 ** i
        if i < 2:
            x = graph.block(x, inputs, width * 2 * 2 ** (i + 1))
            levels[-1] = (levels[-1][0], inputs)
    return levels


def yolo(seed, classes=8, distances=1, objectness=False, kept=0, topk=0, opset=17):
    """Heads by strides, boxes decoded in the graph; then perhaps NonMaxSuppression or TopK."""
    graph = Graph(seed)
    boxes, scores = [], []
    for x, channels in backbone(graph):
        box = graph.conv(graph.block(x, channels, 32), 32, 4 * distances, 1)
        score = graph.conv(graph.block(x, channels, 32), 32, classes + objectness, 1)
        boxes.append(graph.add("Reshape", box, graph.ints(1, 4 * distances, -1)))
        scores.append(graph.add("Reshape", score, graph.ints(1, classes + objectness, -1)))
    box, score = graph.add("Concat", *boxes, axis=2), graph.add("Concat", *scores, axis=2)
    if distances > 1:  # a distribution over distances, whose mean counts
        box = graph.add("Reshape", box, graph.ints(1, 4, distances, -1))
        box = graph.add("Softmax", graph.add("Transpose", box, perm=[0, 2, 1, 3]), axis=1)
        box = graph.add("Conv", box, graph.constant(np.arange(distances, dtype=np.float32).reshape(1, -1, 1, 1)))
        box = graph.add("Reshape", box, graph.ints(1, 4, -1))
    left, right = graph.add("Split", box, outputs=2, axis=1)
    box = graph.add("Concat", graph.add("Neg", left), right, axis=1)
    score = graph.add("Sigmoid", score)
    if objectness:
        own, rest = graph.add("Split", score, graph.ints(1, classes), outputs=2, axis=1)
        score = graph.add("Mul", own, rest)
    results = [("boxes", box), ("scores", score)]
    if kept:
        turned = graph.add("Transpose", box, perm=[0, 2, 1])
        results = [("picked", graph.add("NonMaxSuppression", turned, score, graph.constant(np.int64(kept)),
                                        graph.constant(np.float32(0.5)), graph.constant(np.float32(0.3)))),
                   *results]
    if topk:
        best = graph.add("ReduceMax", score, axes=[1], keepdims=0)
        values, places = graph.add("TopK", best, graph.ints(topk), outputs=2)
        results = [("values", values), ("places", places), ("boxes", graph.add("Gather", box, graph.add(
            "Squeeze", places, graph.ints(0)), axis=2))]
    return graph.finish(results, opset=opset)


def segmenter(seed, head=False, turns=False):
    graph = Graph(seed)
    image = "image"
    if head:  # bytes, channels last, as a camera gives them
        image = graph.add("Cast", image, to=TensorProto.FLOAT)
        image = graph.add("Div", graph.add("Sub", image, graph.constant(np.float32(127.5))),
                          graph.constant(np.float32(128)))
        image = graph.add("Transpose", image, perm=[0, 3, 1, 2]) if turns else image
    x, channels = backbone(graph, image)[0]
    x = graph.conv(graph.block(x, channels, 32), 32, 6, 1)
    x = graph.add("Resize", x, "", graph.constant(np.array([1, 1, 4, 4], np.float32)), mode="linear")
    labels = graph.add("Cast", graph.add("ArgMax", x, axis=1, keepdims=0), to=TensorProto.INT32)
    return graph.finish([("labels", labels)], (1, 128, 128, 3) if turns else (1, 3, 128, 128),
                        kind=TensorProto.UINT8 if head else TensorProto.FLOAT)


def pose(seed, samples=False):
    """Heat maps, of which the peaks are found."""
    graph = Graph(seed)
    x, channels = backbone(graph)[0]
    maps = graph.conv(graph.block(x, channels, 48), 48, 17, 1)
    flat = graph.add("Reshape", maps, graph.ints(1, 17, -1))
    if samples:
        grid = graph.constant(graph.random.uniform(-1, 1, (1, 17, 2, 2)).astype(np.float32))
        return graph.finish([("peaks", graph.add("GridSample", maps, grid))])
    values, places = graph.add("TopK", flat, graph.ints(2), outputs=2)
    row = graph.add("Div", places, graph.ints(16))
    return graph.finish([("values", values), ("rows", row), ("columns", graph.add("Mod", places, graph.ints(16)))])


def keywords(seed):
    """A keyword spotter: features of a clip, and which words are in it."""
    graph = Graph(seed)
    x = graph.block(graph.block("image", 1, 32, 2), 32, 64, 2)
    x = graph.block(x, 64, 64)
    x = graph.add("Flatten", graph.add("GlobalAveragePool", x))
    logits = graph.add("Gemm", x, graph.weight(64, 12), graph.weight(12))
    likely = graph.add("Softmax", logits, axis=-1)
    values, places = graph.add("TopK", likely, graph.ints(3), outputs=2)
    return graph.finish([("values", values), ("places", places)], (1, 1, 49, 40))


def reader(seed):
    """OCR with the greedy part of CTC: repeated and empty labels go."""
    graph = Graph(seed)
    x = graph.block(graph.block("image", 1, 32, 2), 32, 64, 2)
    x = graph.block(x, 64, 64)
    x = graph.add("AveragePool", x, kernel_shape=[8, 1], strides=[8, 1])
    x = graph.conv(x, 64, 40, 1)
    labels = graph.add("ArgMax", graph.add("Squeeze", x, graph.ints(2)), axis=1, keepdims=0)
    before = graph.add("Slice", labels, graph.ints(0), graph.ints(-1), graph.ints(1))
    after = graph.add("Slice", labels, graph.ints(1), graph.ints(1 << 30), graph.ints(1))
    isnew = graph.add("Not", graph.add("Equal", before, after))
    return graph.finish([("text", graph.add("Compress", graph.add("Reshape", after, graph.ints(-1)),
                                            graph.add("Reshape", isnew, graph.ints(-1))))], (1, 1, 32, 128))


def anchors(seed):
    """SSD: classes and boxes from anchors, then NonMaxSuppression."""
    graph = Graph(seed)
    boxes, scores = [], []
    for x, channels in backbone(graph):
        box = graph.add("Transpose", graph.conv(x, channels, 12), perm=[0, 2, 3, 1])
        score = graph.add("Transpose", graph.conv(x, channels, 15), perm=[0, 2, 3, 1])
        boxes.append(graph.add("Reshape", box, graph.ints(1, -1, 4)))
        scores.append(graph.add("Reshape", score, graph.ints(1, -1, 5)))
    box = graph.add("Exp", graph.add("Concat", *boxes, axis=1))
    score = graph.add("Transpose", graph.add("Softmax", graph.add("Concat", *scores, axis=1), axis=2), perm=[0, 2, 1])
    picked = graph.add("NonMaxSuppression", box, score, graph.constant(np.int64(20)), graph.constant(np.float32(0.5)),
                       graph.constant(np.float32(0.2)))
    return graph.finish([("picked", picked), ("boxes", box)])


def made_models():
    yield "yolo5", yolo(1, objectness=True, kept=10)
    yield "yolo6", yolo(2, kept=20)
    yield "yolo7", yolo(3, objectness=True, topk=20)
    yield "yolo8-nms", yolo(4, distances=8, kept=20)
    yield "yolo9-topk", yolo(5, distances=8, topk=30)
    yield "yolo10", yolo(6, distances=8, topk=50, opset=16)
    yield "yolo11-opset18", yolo(7, classes=12, kept=30)
    yield "ssd", anchors(8)
    yield "pose-peaks", pose(9)
    yield "pose-samples", pose(10, samples=True)
    yield "segmenter-argmax", segmenter(11)
    yield "segmenter-bytes", segmenter(12, head=True)
    yield "segmenter-camera", segmenter(13, head=True, turns=True)
    yield "keyword-spotter", keywords(14)
    yield "ocr-ctc", reader(15)


# ---- judging -------------------------------------------------------------------------------------------------------


def advised(tool, path, options):
    run = subprocess.run([tool, str(path), "--format", "json", "--detail", "summary", *options], capture_output=True,
                         text=True, check=True)
    return json.loads(run.stdout)["targets"][0]


def has_shapes(part):
    """Where nobody knows a rank, as after an operator of a library of its own, the checker misses it in the part's
    inputs and outputs; in the whole it does not look at values."""
    return all(tensor["shape"] is not None for tensor in [*part["inputs"], *part["outputs"]])


def judge(args, path, options, feeds):
    """What is wrong, and the step; a step of None is not one that ends or begins the model."""
    target = advised(args.tool, path, options)
    step = target["advice"][0] if target["advice"] else None
    if not step or step["action"] not in ("end", "begin"):
        return [], None, target
    out = args.folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    words = [str(args.tool.resolve()), *step["run"][1:], "--weights", "copy"]
    run = subprocess.run(words, cwd=out, capture_output=True, text=True, check=False)
    if run.returncode:
        return [f"{shlex.join(words)}: exit status {run.returncode}: {run.stderr.strip()}"], step, target
    manifest = json.loads(next(out.glob("*.manifest.json")).read_text())
    written = out / step["run"][step["run"].index("-o") + 1]
    problems = []
    plan = advised(args.tool, written, ["-t", step["run"][step["run"].index("-t") + 1]])["summary"]
    if (plan["verdict"], plan["partitions"]) != (step["after"]["verdict"], step["after"]["partitions"]):
        problems.append(f"planned {plan['verdict']} {plan['partitions']}, told {step['after']}")
    if not split.checked(path):
        problems += [f"{part['file']}: {problem}" for part in manifest["parts"] if has_shapes(part)
                     if (problem := split.checked(out / part["file"]))]
    try:
        whole = split.run_whole(split.with_borders(path, manifest), feeds)
    except Exception as error:  # ONNX Runtime cannot run it, whole or not
        return problems + [f"NOT RUN {str(error)[:150]}"], step, target
    try:
        known, more = split.run_parts(out, manifest, feeds)
    except Exception as error:
        return problems + [f"the parts do not run: {str(error)[:300]}"], step, target
    same, error, form = fix_feeds.compare(whole, {key: known.get(key) for key in whole})
    return problems + more + ([] if same == "bits" else [f"other results: {form or error}"]), step, target


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True, type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--target", default="rknn,edgetpu,stm32n6,hexagon")
    parser.add_argument("--most-bytes", type=int, default=400 << 20)
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    args.folder = args.folder.resolve()
    args.folder.mkdir(parents=True, exist_ok=True)
    equal = missed = not_run = whole = 0
    for name, path, dims, is_made in fix_equality.jobs(args, made_models()):
        model = onnx.load(path, load_external_data=False)
        feeds = split.draw_feeds(model, fix_equality.input_shapes(args.tool, path, model, dims), name)
        for target in args.target.split(","):
            problems, step, found = judge(args, path, ["-t", target, *dims], feeds)
            if not step:
                is_missed = is_made and found["summary"]["verdict"] == "fails"
                missed += is_missed
                print("MISS" if is_missed else "not ended", name, target, found["summary"]["verdict"], found["cost"]["worth"],
                      *(action["action"] for action in found["advice"][:1]), flush=True)
                continue
            not_run += any(problem.startswith("NOT RUN") for problem in problems)
            wrong = [problem for problem in problems if not problem.startswith("NOT RUN")]
            missed += bool(wrong)
            equal += not problems
            whole += step["after"]["verdict"] == "whole"
            print("MISS" if wrong else "not run" if problems else "equal", name, target,
                  f"{found['summary']['verdict']} -> {step['after']['verdict']}", step["text"], *problems, flush=True)
    print(f"{equal} equal, {missed} not, {not_run} not run by ONNX Runtime; {whole} whole on the NPU")
    return 1 if missed or not equal else 0


if __name__ == "__main__":
    sys.exit(main())
