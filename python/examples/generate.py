#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generate tokens with a decoder whose cache has a fixed size, as `npu-partition fix --cache` writes it.

usage: generate.py MANIFEST.json|DECODE.onnx [--prefill PREFILL.onnx] [--prompt 1,2,3] [--count N]
Needs:  pip install onnx onnxruntime numpy

    npu-partition fix model.onnx -t hexagon --cache 512 --tokens 1,32 -o decoder
    python generate.py decoder/manifest.json --prompt 15496,11,995

The prompt is read by the model that takes the most tokens in a run, filled up where the contract lets it, and the rest
one by one. The contract in a model's
metadata says what each input and output is (docs/decoder-cache.md), so this runs any such model. Inputs that the
original has beside tokens, positions, masks and caches are given as zeros here; those of an encoder are yours to give.
"""
import argparse
import json
import pathlib

import numpy as np
import onnx
import onnxruntime

TYPES = {"float32": np.float32, "float16": np.float16, "int64": np.int64, "int32": np.int32, "bool": np.bool_,
         "uint8": np.uint8, "int8": np.int8}


def contract_of(path):
    """The contract of a model file. Weights are not read."""
    for entry in onnx.load(path, load_external_data=False).metadata_props:
        if entry.key == "npu-partition.cache":
            return json.loads(entry.value)
    raise ValueError(f"{path} has no contract of a fixed cache")


class Model:
    """One file, with its session."""

    def __init__(self, path, **options):
        self.contract = contract_of(path)
        self.session = onnxruntime.InferenceSession(str(path), **options)
        self.tensors = self.contract["tensors"]
        self.inputs = [tensor for tensor in self.tensors if not tensor["is_output"]]
        self.outputs = [tensor for tensor in self.tensors if tensor["is_output"]]
        self.most_tokens = self.contract["tokens"]
        self.past = self.contract["past"]
        self.counts_all = self.contract.get("counts_all", True)  # the first ones may depend on what stands after them
        self.has_states = any(tensor["role"] == "state" for tensor in self.inputs)


class Generator:
    """Keeps the cache, for models that share it: all of `slots` slots, however many tokens a run of each takes."""

    def __init__(self, models, others=None):
        self.models = sorted(models, key=lambda model: -model.most_tokens)
        self.others = others or {}
        self.slots = models[0].contract["slots"]
        self.order = next((model.contract["order"] for model in models if model.contract["order"] != "any"), "any")
        self.used = 0
        self.cache = {}
        self.states = {tensor["name"]: np.zeros(tensor["dims"], TYPES[tensor["type"]])
                       for tensor in models[0].inputs if tensor["role"] == "state"}
        for tensor in models[0].inputs:
            if tensor["role"] == "past":
                dims = list(tensor["dims"])
                dims[tensor["axis"]] = max(self.kept_of(model, tensor["name"]) for model in models)
                self.cache[tensor["name"]] = np.zeros(dims, TYPES[tensor["type"]])  # zeros: empty slots are finite

    def kept_of(self, model, name):
        """How many slots of a cache are of use to a model: all, or those that the window of a layer shows."""
        past = next(tensor["dims"][tensor["axis"]] for tensor in model.inputs if tensor["name"] == name)
        return self.slots if past == model.past else past

    def in_use(self, model):
        """By slot of a run whether it is in use; new tokens are."""
        used = np.zeros(self.slots, bool)
        first = model.past - self.used if self.order == "right" else 0
        used[first:first + self.used] = True
        new = self.used if self.order == "left" else model.past
        used[new:new + model.most_tokens] = True
        return used

    def past_of(self, model, tensor):
        """The slots that a run is given: the first ones where they may be anywhere, else the last ones."""
        cache, past = self.cache[tensor["name"]], tensor["dims"][tensor["axis"]]
        slots = np.arange(cache.shape[tensor["axis"]])
        some = slots[len(slots) - past:] if self.order == "right" else slots[:past]
        return np.take(cache, some, tensor["axis"])

    def value_of(self, model, tensor, tokens):
        role, dtype, dims = tensor["role"], TYPES[tensor["type"]], tensor["dims"]
        used, closed = self.in_use(model), model.contract["mask_value"]
        if role == "tokens":
            return np.array(tokens, dtype).reshape(dims)
        if role == "positions":
            return (self.used + tensor["offset"] + np.arange(np.prod(dims, dtype=int))).astype(dtype).reshape(dims)
        if role == "mask":
            return np.broadcast_to(used, dims).astype(dtype)
        if role == "bias":
            return np.broadcast_to(np.where(used, 0, closed), dims).astype(dtype)
        if role == "rows":
            later = np.arange(self.slots) > model.past + np.arange(model.most_tokens)[:, None]
            return np.broadcast_to(np.where(used & ~later, 0, closed), dims).astype(dtype)
        if role == "past":
            return self.past_of(model, tensor)
        if role == "state":
            return self.states[tensor["name"]]
        return np.broadcast_to(np.asarray(self.others.get(tensor["name"], 0), dtype), dims)

    def run(self, model, tokens):
        """One run with as many tokens as it takes, or fewer; the other outputs of the model."""
        real = len(tokens)
        if model.counts_all and real < model.most_tokens:
            raise ValueError(f"all tokens of a run count, so it must have {model.most_tokens}")
        if self.used + real > self.slots:
            raise ValueError(f"the cache has {self.slots} slots")
        padded = list(tokens) + [0] * (model.most_tokens - real)  # what no token before them depends on
        feeds = {tensor["name"]: self.value_of(model, tensor, padded) for tensor in model.inputs}
        names = [tensor["name"] for tensor in model.outputs]
        results = dict(zip(names, model.session.run(names, feeds)))
        for tensor in model.outputs:
            if tensor["role"] == "present":
                self.keep(model, tensor, results.pop(tensor["name"]), real)
            elif tensor["role"] == "state":
                self.states[tensor["past"]] = results.pop(tensor["name"])
        self.used += real
        return results

    def keep(self, model, tensor, present, real):
        """Puts the new keys or values into the cache."""
        axis, cache = tensor["axis"], self.cache[tensor["past"]]
        if model.contract["present"] == "shift":  # its last slots are the new ones
            present = np.take(present, np.arange(present.shape[axis] - model.most_tokens, present.shape[axis]), axis)
        present = np.take(present, np.arange(real), axis)
        if self.order != "right":
            place = [slice(None)] * cache.ndim
            place[axis] = slice(self.used, self.used + real)
            cache[tuple(place)] = present
        else:
            both = np.concatenate([cache, present], axis)
            self.cache[tensor["past"]] = np.take(both, np.arange(real, both.shape[axis]), axis)

    def feed(self, tokens):
        """All tokens, in as few runs as the models allow; the outputs for each, along the axis of the tokens."""
        rows = []
        while tokens:
            model = next((m for m in self.models if m.most_tokens <= len(tokens)), self.models[-1])
            most = self.models[0]
            if model.most_tokens == 1 and len(tokens) > 1 and self.fits(most) and not most.counts_all:
                model = most  # filled up
            now, tokens = tokens[:model.most_tokens], tokens[model.most_tokens:]
            rows.append((len(now), self.run(model, now)))
        return rows

    def fits(self, model):
        """Whether a run of the model has room for what is in use."""
        return self.used <= model.past


def logits_of(model, results, real):
    """By token, of the output with the vocabulary: the first one that is no cache."""
    first = results[next(t["name"] for t in model.outputs if t["role"] not in ("present", "state"))]
    return first.reshape(-1, first.shape[-1])[:real]


def files_of(path):
    """Of a manifest the models beside it, else the path itself."""
    if path.suffix != ".json":
        return [path]
    return [path.parent / file["file"] for file in json.loads(path.read_text())["files"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path, help="a manifest of several models, or a model")
    parser.add_argument("--prefill")
    parser.add_argument("--prompt", default="11,12,13", help="ids of tokens")
    parser.add_argument("--count", type=int, default=16, help="of tokens to generate")
    args = parser.parse_args()
    models = [Model(path) for path in files_of(args.model) + [args.prefill] * bool(args.prefill)]
    decode = models[0]
    generator = Generator(models)
    tokens = [int(token) for token in args.prompt.split(",")]
    real, results = generator.feed(tokens)[-1]
    for _ in range(args.count):
        token = int(logits_of(decode, results, real)[-1].argmax())
        print(token, flush=True)
        real, results = generator.feed([token])[-1]


if __name__ == "__main__":
    main()
