#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A decoder of 4.3 GB in float16, which is no file to keep: made here, cut so that it fits a session, and run in parts.

usage: decoder.py --tool build/npu-partition --folder FOLDER [--target T] [--layers N] [--wide N]
Needs:  pip install onnx onnxruntime numpy; 9 GB of disk and memory

The weights are one sparse file: zeros, but for norms, embeddings, and the first rows of every matrix, which are random,
so that all of them have a part in the results. The plan must say that the model does not fit one session, and tell cuts
after which it does; parts that `split` writes with these must pass onnx.checker, fit when they are planned again, and
run one after the other in ONNX Runtime with the results of the whole, bit for bit. So it computes in float32: of float16
the CPU provider keeps float32 from node to node, and a tensor that leaves a part is rounded where the whole does not.
Exit status 1 when something is wrong.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import split

HEADS, CACHED_HEADS, HEAD, VOCABULARY, PAST = 20, 5, 128, 32000, 15
HIDDEN, ROWS, PAGE = HEADS * HEAD, 16, 4096


class Decoder:
    """One step of a model with rotary embeddings, grouped queries and a gated perceptron, and its sparse weights."""

    def __init__(self, folder, layers, wide):
        self.folder, self.layers, self.wide = folder, layers, wide
        self.nodes, self.weights, self.end = [], [], 0
        self.inputs = [helper.make_tensor_value_info("token", TensorProto.INT64, [1, 1])]
        self.outputs = []
        self.random = np.random.default_rng(1)
        self.data = (folder / "weights.bin").open("wb")

    def weight(self, name, *dims, rows=ROWS, about=0.0):
        """In the file, of which only the first rows are written."""
        tensor = TensorProto(name=name, dims=dims, data_type=TensorProto.FLOAT16,
                             data_location=TensorProto.EXTERNAL)
        count = int(np.prod(dims))
        filled = self.random.standard_normal((min(rows, dims[0]), *dims[1:])) * 0.1 + about
        self.data.seek(self.end)
        self.data.write(filled.astype(np.float16).tobytes())
        for key, value in (("location", "weights.bin"), ("offset", self.end), ("length", 2 * count)):
            tensor.external_data.add(key=key, value=str(value))
        self.end += -(-2 * count // PAGE) * PAGE
        self.weights.append(tensor)
        return name

    def wide_weight(self, name, *dims, **options):
        """Float16 in the file, float32 to compute with."""
        narrow = self.weight(name + ".weight", *dims, **options)
        return self.node("Cast", [narrow], name + "/wide", to=TensorProto.FLOAT)

    def constant(self, name, array):
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op, inputs, name, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [name], name=name + "/" + op, **attributes))
        return name

    def norm(self, x, name):
        square = self.node("Mul", [x, x], name + "/square")
        mean = self.node("ReduceMean", [square], name + "/mean", axes=[-1], keepdims=1)
        root = self.node("Sqrt", [self.node("Add", [mean, "epsilon"], name + "/add")], name + "/root")
        scaled = self.node("Div", [x, root], name + "/scaled")
        return self.node("Mul", [scaled, self.wide_weight(name, HIDDEN, rows=HIDDEN, about=1)], name)

    def product(self, x, name, rows, columns):
        return self.node("MatMul", [x, self.wide_weight(name, rows, columns)], name)

    def heads(self, x, name, count):
        dims = self.constant(name + "/dims", np.array([1, 1, count, HEAD]))
        shaped = self.node("Reshape", [x, dims], name + "/shaped")
        return self.node("Transpose", [shaped], name + "/turned", perm=[0, 2, 1, 3])

    def rotary(self, x, name):
        left = self.node("Slice", [x, "zero", "half", "last"], name + "/left")
        right = self.node("Slice", [x, "half", "whole", "last"], name + "/right")
        turned = self.node("Concat", [self.node("Neg", [right], name + "/minus"), left], name + "/halves", axis=-1)
        return self.node("Add", [self.node("Mul", [x, "cosine"], name + "/cosine"),
                                 self.node("Mul", [turned, "sine"], name + "/sine")], name + "/rotated")

    def cached(self, x, name):
        """With the cache before it, and repeated for all heads that share it."""
        past, present = "past." + name, "present." + name
        for values, key, length in ((self.inputs, past, PAST), (self.outputs, present, PAST + 1)):
            values.append(helper.make_tensor_value_info(key, TensorProto.FLOAT, [1, CACHED_HEADS, length, HEAD]))
        self.node("Concat", [past, x], present, axis=2)
        each = self.node("Reshape", [present, "single"], name + "/single")
        repeated = self.node("Expand", [each, "repeated"], name + "/repeated")
        return self.node("Reshape", [repeated, "all"], name + "/all")

    def layer(self, x, name):
        h = self.norm(x, name + ".input_norm")
        query = self.rotary(self.heads(self.product(h, name + ".q", HIDDEN, HIDDEN), name + ".q", HEADS), name + ".q")
        key, value = (self.heads(self.product(h, f"{name}.{one}", HIDDEN, CACHED_HEADS * HEAD), f"{name}.{one}",
                                 CACHED_HEADS) for one in "kv")
        key = self.node("Transpose", [self.cached(self.rotary(key, name + ".k"), name + ".key")], name + ".k/last",
                        perm=[0, 1, 3, 2])
        scores = self.node("Mul", [self.node("MatMul", [query, key], name + ".scores"), "scale"], name + ".scaled")
        mixed = self.node("MatMul", [self.node("Softmax", [scores], name + ".softmax", axis=-1),
                                     self.cached(value, name + ".value")], name + ".mixed")
        joined = self.node("Reshape", [self.node("Transpose", [mixed], name + ".back", perm=[0, 2, 1, 3]), "flat"],
                           name + ".joined")
        x = self.node("Add", [x, self.product(joined, name + ".o", HIDDEN, HIDDEN)], name + ".attended")
        h = self.norm(x, name + ".post_norm")
        gate = self.product(h, name + ".gate", HIDDEN, self.wide)
        gate = self.node("Mul", [gate, self.node("Sigmoid", [gate], name + ".sigmoid")], name + ".silu")
        gated = self.node("Mul", [gate, self.product(h, name + ".up", HIDDEN, self.wide)], name + ".gated")
        return self.node("Add", [x, self.product(gated, name + ".down", self.wide, HIDDEN)], name + ".out")

    def save(self):
        groups = HEADS // CACHED_HEADS
        angles = np.tile(PAST / 10000 ** (np.arange(HEAD // 2) / (HEAD // 2)), 2)
        self.constant("epsilon", np.float32(1e-5))
        self.constant("scale", np.float32(HEAD ** -0.5))
        self.constant("cosine", np.cos(angles).astype(np.float32))
        self.constant("sine", np.sin(angles).astype(np.float32))
        for name, dims in (("zero", [0]), ("half", [HEAD // 2]), ("whole", [HEAD]), ("last", [3]),
                           ("flat", [1, 1, HIDDEN]), ("single", [1, CACHED_HEADS, 1, PAST + 1, HEAD]), ("all", [1, HEADS, PAST + 1, HEAD]),
                           ("repeated", [1, CACHED_HEADS, groups, PAST + 1, HEAD])):
            self.constant(name, np.array(dims))
        rows = self.node("Gather", [self.weight("embedding", VOCABULARY, HIDDEN), "token"], "rows")
        x = self.node("Cast", [rows], "embedded", to=TensorProto.FLOAT)
        for index in range(self.layers):
            x = self.layer(x, f"layers.{index}")
        self.product(self.norm(x, "norm"), "logits", HIDDEN, VOCABULARY)
        self.outputs.insert(0, helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 1, VOCABULARY]))
        self.data.truncate(self.end)
        self.data.close()
        graph = helper.make_graph(self.nodes, "decoder", self.inputs, self.outputs, self.weights)
        path = self.folder / "decoder.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
        return path

    def feeds(self):
        caches = {value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim] for value in self.inputs[1:]}
        return {"token": np.array([[ROWS - 3]])} | {
            name: self.random.standard_normal(dims).astype(np.float32) for name, dims in caches.items()}


def run(args, path, options, feeds):
    """What is wrong with the parts, each in a session of its own, against the whole."""
    out = args.folder / "parts"
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run([args.tool, "split", str(path), "-o", str(out), "--weights", "copy", *options], check=True,
                   capture_output=True)
    manifest = json.loads((out / "manifest.json").read_text())
    wrong = [f"{one}: {said}" for one in [path, *sorted(out.glob("*.onnx"))] if (said := split.checked(one))]
    whole = split.run_whole(path, feeds)
    parts, problems = split.run_parts(out, manifest, feeds)
    logits = whole["logits"].astype(np.float64)
    print(f"logits {logits.min():.3f} to {logits.max():.3f}, {len(np.unique(logits))} different")
    # Zeros or what is no number would be equal whatever the parts compute.
    if not np.isfinite(logits).all() or len(np.unique(logits)) < 100:
        wrong.append("the logits say nothing")
    return wrong + problems + [f"{name} differs" for name, array in whole.items()
                               if array.tobytes() != parts[name].tobytes()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--target", default="hexagon")
    parser.add_argument("--layers", type=int, default=28)
    parser.add_argument("--wide", type=int, default=7168)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    decoder = Decoder(args.folder, args.layers, args.wide)
    path, target = decoder.save(), ["-t", args.target]
    found = split.asked(args.tool, path, target)
    wrong = [] if found["summary"]["fits"] is False else ["the plan does not say that it does not fit"]
    print(f"{decoder.end / 1e9:.2f} GB in {len(decoder.nodes)} nodes; "
          f"{(args.folder / 'weights.bin').stat().st_blocks * 512 / 1e6:.0f} MB on disk; "
          f"fits: {found['summary']['fits']}, {found['summary']['verdict']}")
    cuts = [step for step in found["advice"] if step["action"] == "cut" and step["after"]["fits"] and not step["needs"]]
    if not cuts:
        print("wrong:", *wrong, "no cut is told after which it fits")
        return 1
    words = cuts[0]["run"]
    at = words.index("--cut")
    print(cuts[0]["text"])
    wrong += run(args, path, [*target, *words[at:at + 2]], decoder.feeds())
    parts = sorted((args.folder / "parts").glob("*.onnx"))
    for part in parts:
        plan = split.asked(args.tool, part, target)
        print(f"{part.name}: fits {plan['summary']['fits']}, {plan['summary']['verdict']}, "
              f"{plan['memory']['weight_bytes_npu'] / 1e9:.2f} GB of weights")
        if not plan["summary"]["fits"]:
            wrong.append(f"{part.name} does not fit")
    print(f"{len(parts)} parts,", "results equal" if not wrong else "wrong: " + "; ".join(wrong))
    return 1 if wrong or len(parts) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
