#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generate tokens with decoders as their caches grow, and with what `fix --cache` makes of them, in ONNX Runtime.

usage: generate.py --tool build/npu-partition --folder FOLDER [--cache N] [--steps N] MODEL[:DIM=SIZE,...]...
Needs:  pip install onnx onnxruntime numpy

Weights are random. The growing original takes the tokens one by one from an empty cache; each of the forms must choose
the same token in each step, with logits that differ by no more than 1e-5 (float16: 5e-3), or four times what the
original differs from itself when it takes all tokens at once, which is what another order of a sum explains: one token a
run and several, outputs as new keys and values and as the cache of the next run, and left as `fix` left it after
rewrites for the target. Mutants must be noticed: a mask that hides nothing, positions that are doubled, and slots at
the left where the contract says right. What a model is refused for is told; that is no failure. Exit status 1 when
something differs, or a mutant is not noticed.
"""
import argparse
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python" / "examples"))
import generate as host  # noqa: E402

MOST = {np.float32: 1e-5, np.float16: 5e-3}  # of logits, as a share of the largest
NOTICED = 10  # times that, a mutant has to differ by at least
ANGLES = {"RotaryEmbedding": 2, "GroupQueryAttention": 7}  # operands that are tables of cosines and sines
OWN = 4  # times what the original differs from itself, where that is more
TOKENS, PROMPT = 4, 10


def options():
    made = onnxruntime.SessionOptions()
    made.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    made.intra_op_num_threads = made.inter_op_num_threads = 1
    made.log_severity_level = 3
    return {"sess_options": made, "providers": ["CPUExecutionProvider"]}


# ---- models ------------------------------------------------------------------------------------------------------

def tensors_of(graph):
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR:
                yield attribute.t
            elif attribute.type == onnx.AttributeProto.GRAPH:
                yield from tensors_of(attribute.g)


def tables_of(graph):
    """Names of what is looked up: embeddings are of unit variance, and small tables of positions get values, too."""
    for node in graph.node:
        if node.op_type == "Gather":
            yield node.input[0]
        if node.op_type in ANGLES:
            yield from node.input[ANGLES[node.op_type]:][:2]
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from tables_of(attribute.g)


def fill(path, folder):
    """A copy of a model without its weights, with random ones beside it."""
    model = onnx.load(path, load_external_data=False)
    chance = np.random.default_rng(7)
    tables = set(tables_of(model.graph))
    for node in model.graph.node:  # with integers for activations one rounding may become a whole step
        for attribute in node.attribute:
            if attribute.name == "accuracy_level":
                attribute.i = 1
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "weights.bin").open("wb") as data:
        for tensor in tensors_of(model.graph):
            dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
            is_outside = tensor.data_location == onnx.TensorProto.EXTERNAL
            is_table = tensor.name in tables and len(tensor.dims) == 2
            if np.dtype(dtype).kind != "f" or not (is_outside or is_table):
                if is_outside:
                    place = {entry.key: entry.value for entry in tensor.external_data}
                    data.seek(int(place.get("offset", 0)))
                    data.write(chance.integers(0, 256, int(place["length"]), dtype=np.uint8).tobytes())
                continue
            numbers = chance.standard_normal(int(np.prod(tensor.dims)), dtype=np.float32)
            if len(tensor.dims) < 2:
                numbers = np.abs(numbers) * 0.02
            elif not is_table:
                numbers *= 1.2 / np.sqrt(tensor.dims[-2])
            numbers = numbers.astype(dtype)
            if is_outside:
                place = {entry.key: entry.value for entry in tensor.external_data}
                data.seek(int(place.get("offset", 0)))
                data.write(numbers.tobytes())
                for entry in tensor.external_data:
                    if entry.key == "location":
                        entry.value = "weights.bin"
            else:
                tensor.ClearField("float_data")
                tensor.raw_data = numbers.tobytes()
    onnx.save(model, folder / "model.onnx")
    return folder / "model.onnx"


def fix(args, path, out, words):
    command = [args.tool, "fix", path, "-t", args.target, "--cache", str(args.cache), "-o", out, *words, "-q"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600)
    return None if out.exists() else (done.stdout + done.stderr).strip() or f"exit status {done.returncode}"


# ---- the original ------------------------------------------------------------------------------------------------

class Growing:
    """The original, told what its inputs are by the contract of a fixed form."""

    def __init__(self, path, model, others, bound):
        self.session = onnxruntime.InferenceSession(str(path), **options())
        self.bound = {i.name: np.full(i.shape, bound[i.name] == "true") for i in self.session.get_inputs()
                      if i.name in bound}
        self.model, self.others = model, others
        self.inputs = [tensor for tensor in model.inputs if not tensor["is_added"]]
        self.used = 0
        self.cache = {}
        for tensor in self.inputs:
            if tensor["role"] == "past":
                dims = list(tensor["dims"])
                dims[tensor["axis"]] = 0
                self.cache[tensor["name"]] = np.zeros(dims, host.TYPES[tensor["type"]])

    def run(self, token):
        """The logits of one token, or of the last of several."""
        count = len(token) if isinstance(token, list) else 1
        feeds = dict(self.bound)
        known = {tensor["name"] for tensor in self.inputs} | feeds.keys()
        for i in self.session.get_inputs():  # the mask of GroupQueryAttention, which the fixed form has no use for
            if i.name not in known:
                feeds[i.name] = np.ones([1, self.used + count], np.int64)
        for tensor in self.inputs:
            name, role, dims = tensor["name"], tensor["role"], list(tensor["dims"])
            dtype = host.TYPES[tensor["type"]]
            if role == "past":
                feeds[name] = self.cache[name]
            elif role == "tokens":
                feeds[name] = np.array(token, dtype).reshape([*dims[:-1], count])
            elif role == "positions":
                feeds[name] = np.arange(self.used, self.used + count, dtype=dtype).reshape([*dims[:-1], count])
            elif role in ("mask", "rows"):
                dims[-1] = self.used + count
                feeds[name] = np.full(dims, role == "mask", dtype)
            else:
                feeds[name] = self.others[name].astype(dtype)
        names = [tensor["name"] for tensor in self.model.outputs]
        results = dict(zip(names, self.session.run(names, feeds)))
        for tensor in self.model.outputs:
            if tensor["role"] == "present":
                self.cache[tensor["past"]] = results.pop(tensor["name"])
        self.used += count
        return host.logits_of(self.model, results, count)[-1].astype(np.float32)


def others_of(model):
    """The same values for each form, of inputs that are none of the cache's."""
    out = {}
    for tensor in model.inputs:
        if tensor["role"] == "other":
            dtype, chance = host.TYPES[tensor["type"]], np.random.default_rng(len(tensor["name"]))
            is_float = np.dtype(dtype).kind == "f"
            out[tensor["name"]] = (chance.standard_normal(tensor["dims"]) if is_float else np.ones(tensor["dims"])).astype(dtype)
    return out


def own_error(path, model, others, bound, tokens, expected):
    """How far the original is from itself where it takes all tokens in one run; 0 where it takes one alone."""
    try:
        found = Growing(path, model, others, bound).run(tokens)
    except (RuntimeError, ValueError, onnxruntime.capi.onnxruntime_pybind11_state.RuntimeException,
            onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument):
        return 0
    return np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-30)


def grow(path, model, others, bound, steps):
    """The tokens: a prompt, and what follows it; and the logits of each step."""
    original = Growing(path, model, others, bound)
    chance = np.random.default_rng(3)
    logits, tokens = [], []
    for step in range(steps):
        if step < PROMPT:
            tokens.append(int(chance.integers(5, 500)))
        else:
            tokens.append(int(logits[-1].argmax()))
        logits.append(original.run(tokens[-1]))
    return tokens, logits


# ---- forms -------------------------------------------------------------------------------------------------------

class Shifted(host.Generator):
    """What comes out is what the next run is given, as it is."""

    def __init__(self, models, others):
        super().__init__(models, others)
        self.order = "right"

    def keep(self, model, tensor, present, real):
        before = np.zeros_like(np.take(self.cache[tensor["past"]], np.arange(self.slots - model.past), tensor["axis"]))
        self.cache[tensor["past"]] = np.concatenate([before, present], tensor["axis"])


class Blind(host.Generator):
    """A mutant: nothing is hidden."""

    def in_use(self, model):
        return np.ones(self.slots, bool)


class Doubled(host.Generator):
    """A mutant: positions are twice what they are."""

    def value_of(self, model, tensor, tokens):
        value = super().value_of(model, tensor, tokens)
        return np.asarray(2 * value, value.dtype) if tensor["role"] == "positions" else value


class Left(host.Generator):
    """A mutant where slots are to be at the right."""

    def __init__(self, models, others):
        super().__init__(models, others)
        self.order = "any"


def feed(generator, tokens):
    """By token its logits; the prompt at once, the rest one by one."""
    rows = []
    for some in [tokens[:PROMPT]] + [[token] for token in tokens[PROMPT:]]:
        for real, results in generator.feed(some):
            rows.extend(host.logits_of(generator.models[0], results, real).astype(np.float32))
    return rows


def compare(expected, found):
    """The largest difference as a share; how many steps choose the same token, and how many another one whose logit is
    no further from the largest than that difference: with float16 a draw."""
    errors = [np.abs(a - b).max() / max(np.abs(a).max(), 1e-30) for a, b in zip(expected, found)]
    same = sum(int(a.argmax() == b.argmax()) for a, b in zip(expected, found))
    draws = sum(int(a.argmax() != b.argmax() and a.max() - a[b.argmax()] <= 2 * error * np.abs(a).max())
                for a, b, error in zip(expected, found, errors))
    return max(errors), same, draws


def judge(args, path, words):
    """Problems of one model; prints a line for each form."""
    problems, forms = [], {}
    for name, more in (("new", []), ("shift", ["--present", "shift"]), ("chunks", ["--tokens", str(TOKENS)])):
        out = path.with_name(f"{name}.onnx")
        out.unlink(missing_ok=True)
        refused = fix(args, path, out, [*words, *more])
        print(f"  {name}: {refused}" if refused else "", end="\n" if refused else "")
        if not refused:
            forms[name] = host.Model(out, **options())
    if "new" not in forms:
        return []
    new = forms["new"]
    others = others_of(new)
    bound = dict(pair.split("=") for option, pair in zip(words, words[1:]) if option == "--bind")
    tokens, expected = grow(path, new, others, bound, args.steps)
    own = own_error(path, new, others, bound, tokens, expected[-1])
    most = max(MOST[host.TYPES[next(t["type"] for t in new.inputs if t["role"] == "past")]], OWN * own)
    print(f"  the original against itself, all tokens at once: {own:.1e}")
    print(f"  order {new.contract['order']}, {len(set(tokens[PROMPT:]))} distinct tokens, inputs added: "
          f"{', '.join(t['role'] for t in new.inputs if t['is_added']) or 'none'}")

    def check(name, generator, is_mutant=False):
        error, same, draws = compare(expected, feed(generator, tokens))
        is_right = error >= NOTICED * most if is_mutant else error <= most and same + draws == len(tokens)
        print(f"  {name:28s} {same} of {len(tokens)} tokens{f', {draws} draws' if draws and not is_mutant else ''}, "
              f"logits {error:.1e}{'' if is_right else '  WRONG'}")
        if not is_right:
            problems.append(name)

    check("new", host.Generator([new], others))
    check("shift", Shifted([forms["shift"]], others))
    if "chunks" in forms:
        check(f"{TOKENS} tokens, then 1", host.Generator([new, forms["chunks"]], others))
    check("mutant: nothing hidden", Blind([new], others), True)
    if any(tensor["role"] == "positions" for tensor in new.inputs):
        check("mutant: positions doubled", Doubled([new], others), True)
    if new.contract["order"] == "right":
        check("mutant: slots at the left", Left([new], others), True)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, type=pathlib.Path)
    parser.add_argument("--folder", required=True, type=pathlib.Path)
    parser.add_argument("--target", default="hexagon")
    parser.add_argument("--cache", type=int, default=48)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("models", nargs="+", help="MODEL, or MODEL:DIM=SIZE,bind.INPUT=VALUE,...")
    args = parser.parse_args()
    failed = 0
    for text in args.models:
        name, _, sizes = text.partition(":")
        words = [word for pair in sizes.split(",") if pair
                 for word in (("--bind", pair[5:]) if pair.startswith("bind.") else ("-d", pair))]
        print(f"{pathlib.Path(name).name}", flush=True)
        folder = args.folder / pathlib.Path(name).stem
        problems = judge(args, fill(name, folder), words)
        (folder / "weights.bin").unlink(missing_ok=True)
        failed += bool(problems)
    print(f"{len(args.models)} models, {failed} wrong")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
