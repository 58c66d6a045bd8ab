#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generate tokens with decoders as their caches grow, and with what `fix --cache` makes of them, in ONNX Runtime.

usage: generate.py --tool build/npu-partition --folder FOLDER [--cache N] [--steps N] MODEL[:DIM=SIZE,...][@VARIANT,...]...
Needs:  pip install onnx onnxruntime numpy

Weights are random. The growing original takes the tokens one by one from an empty cache; each of the forms must choose
the same token in each step, with logits that differ by no more than 1e-5, or four times what the original differs from
itself when it takes all tokens at once, which is what another order of a sum explains: one token a run and several,
outputs as new keys and values and as the cache of the next run, and left as `fix` left it after rewrites for the
target. Fed the same padded cache, the original must give the same bits, where the form has its inputs and no operator
was replaced. Mutants must be noticed: a mask that hides nothing, positions that are doubled, and slots at any place where
the contract says right. Where caches of layers with a window may be shorter (`--window-cache`) that is asked, too. What a model is refused for is told; that is no failure. Exit status 1 when something differs, or a
mutant is not noticed.

A model in float16 is judged twice. In float32, all its types changed before `fix` reads it, rounding is small, and the
limits are those of float32: that is the proof of what `fix` does. As it is, its logits may differ from the original's
by 5e-3, or by twice what the original differs from itself in float32, which is as far as two can be from each other
that are equally right.

After @ a model of ONNX Runtime's GenAI builder is given another attention before it is filled (generate_variants.py).
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as states

import generate_variants

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python" / "examples"))
import generate as host  # noqa: E402

MOST = {np.float32: 1e-5, np.float16: 5e-3}  # of logits, as a share of the largest
NOTICED = 10  # times that, a mutant has to differ by at least
ANGLES = {"RotaryEmbedding": 2, "GroupQueryAttention": 7}  # operands that are tables of cosines and sines
OWN = 4  # times what the original differs from itself, where that is more
WIDE = 2  # the same of one in float16, and itself in float32
STEP = 5  # what an integer of four bits is, beside its middle, on the average
TOKENS, PROMPT = 4, 10
EVICTING = 40  # slots of a cache that evicts, where the window is shorter


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


def scales_of(graph):
    """By name of what integers of four bits are scaled by: what makes the numbers those of other weights."""
    for node in graph.node:
        size = next((attribute.i for attribute in node.attribute if attribute.name == "K"), 1)
        if node.op_type in ("MatMulNBits", "GatherBlockQuantized"):
            yield node.input[2], 1 / (STEP * np.sqrt(size))


def gains_of(graph):
    """Names of what a normalization is multiplied by, which is about 1: with less nothing is left of attention."""
    for node in graph.node:
        if node.op_type == "Mul":
            yield from node.input
        elif node.op_type.endswith("LayerNormalization"):
            yield node.input[2 if node.op_type.startswith("Skip") else 1]


def fill(path, folder):
    """A copy of a model without its weights, with random ones beside it."""
    model = onnx.load(path, load_external_data=False)
    chance = np.random.default_rng(7)
    tables, scales, gains = set(tables_of(model.graph)), dict(scales_of(model.graph)), set(gains_of(model.graph))
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
            if tensor.name in scales:
                # Signs, as integers of four bits have a mean, which after some layers would be all that is left.
                numbers = (0.5 + chance.random(len(numbers), np.float32)) * np.sign(numbers) * scales[tensor.name]
            elif len(tensor.dims) < 2 and tensor.name in gains:
                numbers = 0.5 + chance.random(len(numbers), np.float32)
            elif len(tensor.dims) < 2:
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


def graphs_of(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from graphs_of(attribute.g)


def widen_types(graph):
    """Of float16 float32: what is declared, and what nodes say that they make."""
    half, single = onnx.TensorProto.FLOAT16, onnx.TensorProto.FLOAT
    for value in [*graph.input, *graph.output, *graph.value_info]:
        if value.type.tensor_type.elem_type == half:
            value.type.tensor_type.elem_type = single
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.name in ("to", "dtype") and attribute.i == half:
                attribute.i = single


def widen(path, folder):
    """The same model in float32; None where none of it is in float16."""
    model = onnx.load(path, load_external_data=False)
    if not any(tensor.data_type == onnx.TensorProto.FLOAT16 for tensor in tensors_of(model.graph)):
        return None
    folder.mkdir(parents=True, exist_ok=True)
    with (path.parent / "weights.bin").open("rb") as source, (folder / "weights.bin").open("wb") as data:
        for tensor in tensors_of(model.graph):
            is_half = tensor.data_type == onnx.TensorProto.FLOAT16
            if tensor.data_location != onnx.TensorProto.EXTERNAL:
                if is_half:
                    tensor.CopyFrom(onnx.numpy_helper.from_array(
                        onnx.numpy_helper.to_array(tensor).astype(np.float32), tensor.name))
                continue
            place = {entry.key: entry.value for entry in tensor.external_data}
            source.seek(int(place.get("offset", 0)))
            numbers = source.read(int(place["length"]))
            if is_half:
                numbers = np.frombuffer(numbers, np.float16).astype(np.float32).tobytes()
                tensor.data_type = onnx.TensorProto.FLOAT
            data.seek(-data.tell() % 64, 1)
            tensor.ClearField("external_data")
            for key, value in (("location", "weights.bin"), ("offset", data.tell()), ("length", len(numbers))):
                tensor.external_data.add(key=key, value=str(value))
            data.write(numbers)
    for graph in graphs_of(model.graph):
        widen_types(graph)
    onnx.save(model, folder / "model.onnx")
    return folder / "model.onnx"


def fix(args, path, out, words):
    command = [args.tool, "fix", path, "-t", args.target, "--cache", str(args.cache), "-o", out, *words, "-q"]
    if args.allow:
        command += ["--allow", args.allow]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600)
    return None if out.exists() else (done.stdout + done.stderr).strip() or f"exit status {done.returncode}"


def rounds_elsewhere(args, path, words):
    """Whether steps beside that of the cache itself are no bits: operators were replaced."""
    command = [args.tool, "fix", path, "-t", args.target, "--cache", str(args.cache), "--dry-run", *words, "--format",
               "json"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600)
    return any(step["equality"] != "bits" and step["rewrite"] != "cache" for step in json.loads(done.stdout)["steps"])


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
        declared = {i.name: i.shape for i in self.session.get_inputs()}
        for tensor in self.inputs:
            if tensor["role"] == "past":
                dims = list(tensor["dims"])
                # A cache from which GroupQueryAttention evicts slots has all it will ever have from the start on.
                dims[tensor["axis"]] = EVICTING if "sliding" in str(declared[tensor["name"]][tensor["axis"]]) else 0
                self.cache[tensor["name"]] = np.zeros(dims, host.TYPES[tensor["type"]])
            elif tensor["role"] == "state":
                self.cache[tensor["name"]] = np.zeros(tensor["dims"], host.TYPES[tensor["type"]])

    def run(self, token):
        """The logits of one token, or of the last of several."""
        return self.rows(token)[-1]

    def rows(self, token):
        """By token its logits."""
        count = len(token) if isinstance(token, list) else 1
        feeds = dict(self.bound)
        known = {tensor["name"] for tensor in self.inputs} | feeds.keys()
        for i in self.session.get_inputs():  # the mask of GroupQueryAttention, which the fixed form has no use for
            if i.name not in known:
                feeds[i.name] = np.ones([1, self.used + count], np.int64)
        for tensor in self.inputs:
            name, role, dims = tensor["name"], tensor["role"], list(tensor["dims"])
            dtype = host.TYPES[tensor["type"]]
            if role in ("past", "state"):
                feeds[name] = self.cache[name]
            elif role == "tokens":
                feeds[name] = np.array(token, dtype).reshape([*dims[:-1], count])
            elif role == "positions":
                feeds[name] = np.arange(self.used, self.used + count, dtype=dtype).reshape([*dims[:-1], count])
            elif role in ("mask", "rows"):
                dims[-2:] = [count if role == "rows" else dims[-2], self.used + count]
                feeds[name] = np.full(dims, role == "mask", dtype)
            else:
                feeds[name] = np.broadcast_to(self.others[name], dims)
        names = [tensor["name"] for tensor in self.model.outputs]
        results = dict(zip(names, self.session.run(names, feeds)))
        for tensor in self.model.outputs:
            if tensor["role"] in ("present", "state"):
                self.cache[tensor["past"]] = results.pop(tensor["name"])
        self.used += count
        return host.logits_of(self.model, results, count).astype(np.float32)


def others_of(model):
    """The same values for each form, of inputs that are none of the cache's."""
    out = {}
    for tensor in model.inputs:
        if tensor["role"] == "other":
            dtype, chance = host.TYPES[tensor["type"]], np.random.default_rng(len(tensor["name"]))
            is_float = np.dtype(dtype).kind == "f"
            out[tensor["name"]] = (chance.standard_normal(tensor["dims"]) if is_float else np.ones([])).astype(dtype)
    return out


def own_error(path, model, others, bound, tokens, expected):
    """How far the original is from itself where it takes all tokens in one run; 0 where it takes one alone."""
    try:
        found = Growing(path, model, others, bound).run(tokens)
    except (RuntimeError, ValueError, states.RuntimeException, states.InvalidArgument, states.Fail):
        return 0
    return np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-30)


def grow(path, model, others, bound, steps, given=None):
    """The tokens: a prompt, and what follows it, or those that are given; and the logits of each step."""
    original = Growing(path, model, others, bound)
    chance = np.random.default_rng(3)
    logits, tokens = [], []
    for step in range(steps):
        if given:
            tokens.append(given[step])
        elif step < PROMPT:
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
        cache, axis = self.cache[tensor["past"]], tensor["axis"]
        before = np.zeros_like(np.take(cache, np.arange(cache.shape[axis] - present.shape[axis]), axis))
        self.cache[tensor["past"]] = np.concatenate([before, present], axis)


class Scattered(host.Generator):
    """Each new slot is put at a place that is drawn: right where they may be anywhere, else a mutant. Of one model."""

    def __init__(self, models, others):
        super().__init__(models, others)
        self.order = "any"
        self.places = np.random.default_rng(11).permutation(models[0].past)

    def in_use(self, model):
        used = np.zeros(self.slots, bool)
        used[self.places[:self.used]] = used[model.past:] = True
        return used

    def keep(self, model, tensor, present, real):
        for i, place in enumerate(self.places[self.used:self.used + real]):  # the last run's need no place any more
            at = [slice(None)] * present.ndim
            at[tensor["axis"]] = place
            self.cache[tensor["past"]][tuple(at)] = np.take(present, i, tensor["axis"])


class Beside:
    """A session of the fixed form that gives the original what the form is given, and counts results of other bits."""

    def __init__(self, model, path, bound):
        self.model, self.fixed, self.differ = model, model.session, 0
        self.original = onnxruntime.InferenceSession(str(path), **options())
        self.bound = {i.name: np.full(i.shape, bound[i.name] == "true") for i in self.original.get_inputs()
                      if i.name in bound}

    def run(self, names, feeds):
        fixed = self.fixed.run(names, feeds)
        for tensor, a, b in zip(self.model.outputs, fixed, self.original.run(names, {**feeds, **self.bound})):
            if tensor["role"] == "present":  # all slots, of which the last are the new ones
                b = np.take(b, np.arange(b.shape[tensor["axis"]] - a.shape[tensor["axis"]], b.shape[tensor["axis"]]),
                            tensor["axis"])
            self.differ += a.tobytes() != np.ascontiguousarray(b).tobytes()
        return fixed


def count_other_bits(path, model, others, bound, tokens):
    """Of the original with the same padded cache, in each step; None where the form has other inputs, so that no
    padded cache is right for the original."""
    fed = {tensor["name"] for tensor in model.inputs} | set(bound)
    asked = {i.name for i in onnxruntime.InferenceSession(str(path), **options()).get_inputs()}
    if fed != asked:
        return None
    beside = Beside(model, path, bound)
    model.session = beside
    feed(host.Generator([model], others), tokens)
    model.session = beside.fixed
    return beside.differ


class Forgetful(host.Generator):
    """A mutant: states are those of the beginning."""

    def value_of(self, model, tensor, tokens):
        value = super().value_of(model, tensor, tokens)
        return np.zeros_like(value) if tensor["role"] == "state" else value


class Blind(host.Generator):
    """A mutant: nothing is hidden."""

    def in_use(self, model):
        return np.ones(self.slots, bool)


class Doubled(host.Generator):
    """A mutant: positions are twice what they are."""

    def value_of(self, model, tensor, tokens):
        value = super().value_of(model, tensor, tokens)
        return np.asarray(2 * value, value.dtype) if tensor["role"] == "positions" else value


class Moved(host.Generator):
    """A mutant: caches of layers with a window are those of the slots before."""

    def past_of(self, model, tensor):
        past = super().past_of(model, tensor)
        is_short = tensor["dims"][tensor["axis"]] < model.past
        return np.roll(past, 1, tensor["axis"]) if is_short else past


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


def most_of(path, new, others, bound, tokens, expected, wide):
    """How far logits may differ; prints why. `wide`: those of the original in float32, for the same tokens."""
    dtype = host.TYPES[next(tensor["type"] for tensor in new.inputs if tensor["role"] == "past")]
    if wide:
        own = compare(wide, expected)[0]
        print(f"  the original against itself in float32: {own:.1e}")
        return max(MOST.get(dtype, MOST[np.float32]), WIDE * own)
    own = own_error(path, new, others, bound, tokens, expected[-1])
    print(f"  the original against itself, all tokens at once: {own:.1e}")
    return max(MOST.get(dtype, MOST[np.float32]), OWN * own)


def judge(args, path, words, wide=None, source=None):
    """Problems of one model, the tokens and the original's logits; prints a line for each form. `wide`: the latter two
    of the same model in float32. `source`: what is fixed, where it is not what runs as the original."""
    problems, forms = [], {}
    kinds = (("new", []), ("shift", ["--present", "shift"]), ("chunks", ["--tokens", str(TOKENS)]))
    for name, more in (*kinds, *((f"window {name}", [*more, "--window-cache"]) for name, more in kinds)):
        is_window = name.startswith("window")
        if is_window and ("new" not in forms or forms["new"].contract["order"] != "right"):
            continue
        out = path.with_name(f"{name}.onnx".replace(" ", "-"))
        out.unlink(missing_ok=True)
        refused = fix(args, source or path, out, [*words, *more])
        sizes = re.search(r"fixed size already: only --cache (\d+) --tokens (\d+)", refused or "")
        if sizes:
            return judge_fixed(args, path, words, sizes.groups()), None
        if refused and not (is_window and "no layer was found to have a window" in refused):
            print(f"  {name}: {refused}")
        if not refused:
            forms[name] = host.Model(out, **options())
            forms[name].rewritten = rounds_elsewhere(args, path, words)
    if "new" not in forms:
        return [], None
    new = forms["new"]
    others = others_of(new)
    bound = dict(pair.split("=") for option, pair in zip(words, words[1:]) if option == "--bind")
    tokens, expected = grow(path, new, others, bound, args.steps, wide and wide[0])
    most = most_of(path, new, others, bound, tokens, expected, wide and wide[1])
    print(f"  order {new.contract['order']}, {len(set(tokens[PROMPT:]))} distinct tokens, inputs added: "
          f"{', '.join(t['role'] for t in new.inputs if t['is_added']) or 'none'}")

    def check(name, generator, is_mutant=False):
        error, same, draws = compare(expected, feed(generator, tokens))
        is_right = error >= NOTICED * most if is_mutant else error <= most and same + draws == len(tokens)
        print(f"  {name:28s} {same} of {len(tokens)} tokens{f', {draws} drawn' if draws and not is_mutant else ''}, "
              f"logits {error:.1e}{'' if is_right else '  WRONG'}")
        if not is_right:
            problems.append(name)

    check("new", host.Generator([new], others))
    differ = count_other_bits(path, new, others, bound, tokens)
    if differ is not None:
        print(f"  {'the original, padded':28s} {'the same bits' if not differ else f'{differ} results of other bits'}")
        if differ and not new.rewritten:
            problems.append("padded")
    check("shift", Shifted([forms["shift"]], others))
    if new.contract["order"] == "any":
        check("new, slots anywhere", Scattered([new], others))
    if "chunks" in forms:
        check(f"{TOKENS} tokens, then 1", host.Generator([new, forms["chunks"]], others))
    check("mutant: nothing hidden", Blind([new], others), True)
    if any(tensor["role"] == "positions" for tensor in new.inputs):
        check("mutant: positions doubled", Doubled([new], others), True)
    if new.has_states:
        check("mutant: states forgotten", Forgetful([new], others), True)
    if new.contract["order"] == "right":
        check("mutant: slots anywhere", Scattered([new], others), True)
    if "window new" in forms:
        window = forms["window new"]
        kept = {new.past} | {t["dims"][t["axis"]] for t in window.inputs if t["role"] == "past"}
        check(f"windows, {' and '.join(map(str, sorted(kept)))} slots", host.Generator([window], others))
        check("windows, shift", Shifted([forms["window shift"]], others))
        if "window chunks" in forms:
            check(f"windows, {TOKENS} tokens, then 1", host.Generator([window, forms["window chunks"]], others))
        check("mutant: windows moved", Moved([window], others), True)
    return problems, (tokens, expected)


class Misplaced(host.Generator):
    """A mutant: new slots are written one place further on."""

    def keep(self, model, tensor, present, real):
        super().keep(model, tensor, present, real)
        self.cache[tensor["past"]] = np.roll(self.cache[tensor["past"]], 1, tensor["axis"])


def differing(kind, path, fixed, bound, steps):
    """How many results of the fixed form, and caches of a host of that kind, are not the original's, bit for bit."""
    chance, differ = np.random.default_rng(13), 0
    original = onnxruntime.InferenceSession(str(path), **options())
    others = {tensor["name"]: chance.standard_normal(tensor["dims"]).astype(host.TYPES[tensor["type"]])
              if np.dtype(host.TYPES[tensor["type"]]).kind == "f" else np.ones(tensor["dims"], np.int64)
              for tensor in fixed.inputs if tensor["role"] == "other"}
    generator = kind([fixed], others)
    for name in generator.cache:
        generator.cache[name] = chance.standard_normal(generator.cache[name].shape).astype(generator.cache[name].dtype)
    for _ in range(min(steps, fixed.contract["slots"] // fixed.most_tokens - 1)):
        tokens = [int(token) for token in chance.integers(5, 500, fixed.most_tokens)]
        feeds = {t["name"]: generator.value_of(fixed, t, tokens) for t in fixed.inputs} | bound
        asked = [tensor["name"] for tensor in fixed.outputs]
        expected = dict(zip(asked, original.run(asked, feeds)))
        found = generator.run(fixed, tokens)
        differ += sum(found[name].tobytes() != expected[name].tobytes() for name in found)
        for tensor in (one for one in fixed.outputs if one["role"] == "present"):
            whole, kept = expected[tensor["name"]], generator.cache[tensor["past"]]
            last = np.arange(whole.shape[tensor["axis"]])[-generator.past_of(fixed, by_name(fixed, tensor["past"]))
                                                          .shape[tensor["axis"]]:]
            kept = np.take(kept, np.arange(kept.shape[tensor["axis"]])[-len(last):], tensor["axis"])
            differ += np.take(whole, last, tensor["axis"]).tobytes() != kept.tobytes()
    return differ


def by_name(model, name):
    return next(tensor for tensor in model.inputs if tensor["name"] == name)


def judge_fixed(args, path, words, sizes):
    """Problems of a model whose cache has these sizes in the file: its outputs alone become others."""
    out = path.with_name("new.onnx")
    out.unlink(missing_ok=True)
    args.cache, tokens = (int(number) for number in sizes)
    refused = fix(args, path, out, [*words, "--tokens", str(tokens)])
    if refused:
        print(f"  new: {refused}")
        return ["new"]
    fixed = host.Model(out, **options())
    bound = {i.name: np.full(i.shape, value == "true") for i in onnxruntime.InferenceSession(str(path)).get_inputs()
             for option, pair in zip(words, words[1:]) if option == "--bind"
             for name, value in [pair.split("=")] if name == i.name}
    right = differing(host.Generator, path, fixed, bound, args.steps)
    mutant = differing(Misplaced, path, fixed, bound, 4)
    print(f"  fixed, {args.cache} slots, order {fixed.contract['order']}: {right} results of other bits; "
          f"mutant, slots elsewhere: {mutant}")
    return ["fixed"] * bool(right) + ["mutant"] * (not mutant)


def make_variant(name, variant, folder):
    """The model as it runs, and as it is fixed where that is written otherwise, each filled with the same weights."""
    folder.mkdir(parents=True, exist_ok=True)
    bare, source = folder / "bare.onnx", None
    if generate_variants.make(name, variant, bare, False):
        source = fill(bare, folder).rename(folder / "source.onnx")
        generate_variants.make(name, variant, bare)
    return fill(bare, folder), source


def judge_model(args, name, words, variant=()):
    """Problems of a model, in float32 first where it is in float16."""
    folder = args.folder / "-".join([pathlib.Path(name).stem, *variant])
    path, source = make_variant(name, variant, folder) if variant else (fill(name, folder), None)
    wide, problems = None, []
    wide_source = source and widen(source, folder / "wide")
    if wide_source:
        wide_source = wide_source.rename(wide_source.with_name("source.onnx"))
    wide_path = widen(path, folder / "wide")
    if wide_path:
        print("  -- in float32")
        problems, wide = judge(args, wide_path, words, source=wide_source)
        wide_path.with_name("weights.bin").unlink()
        print("  -- as it is")
    problems += judge(args, path, words, wide, source)[0]
    path.with_name("weights.bin").unlink(missing_ok=True)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, type=pathlib.Path)
    parser.add_argument("--folder", required=True, type=pathlib.Path)
    parser.add_argument("--target", default="hexagon")
    parser.add_argument("--cache", type=int, default=72)
    parser.add_argument("--steps", type=int, default=64)
    parser.add_argument("--allow", help="classes of rewrites beside the cache's own")
    parser.add_argument("models", nargs="+", help="MODEL, or MODEL:DIM=SIZE,bind.INPUT=VALUE,...@VARIANT,...")
    args = parser.parse_args()
    failed = 0
    for text in args.models:
        whole, _, variant = text.partition("@")
        name, _, sizes = whole.partition(":")
        words = [word for pair in sizes.split(",") if pair
                 for word in (("--bind", pair[5:]) if pair.startswith("bind.") else ("-d", pair))]
        print(f"{pathlib.Path(name).name} {variant}".strip(), flush=True)
        failed += bool(judge_model(args, name, words, [word for word in variant.split(",") if word]))
    print(f"{len(args.models)} models, {failed} wrong")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
