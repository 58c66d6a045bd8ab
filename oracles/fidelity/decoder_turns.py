#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two turns of a chat with decoders of a fixed cache, whose prompts no number of tokens divides, in ONNX Runtime.

usage: decoder_turns.py --tool TOOL --folder FOLDER [--cache N] [--tokens 1,C] [--window-cache] MODEL[:DIM=SIZE,...]...
Needs:  pip install onnx onnxruntime numpy

The models are those of decoder_exports.py, whose weights are as they are. `fix --cache N --tokens 1,C` makes a set of
each; the example's host reads the prompt of each turn with it, filled up where the contract lets it, and generates
between the turns token by token. The original takes all tokens one by one, as its cache grows: logits must be equal by
1e-5, or four times what the original differs from itself when it takes all at once, and never more than 1e-4. Where
`counts_all` is said what a token is may depend on those in the run with it, in the original as in what is made of it:
then it takes as many in each run as the set did, all of them real; and a host that fills runs up all the same is tried,
too, which is told. Exit status 1 when something differs; what is refused is told with the reason.
"""
import argparse
import importlib.util
import pathlib
import subprocess
import sys

import numpy as np

# The example, which it runs as a host, has the same name.
spec = importlib.util.spec_from_file_location("decoder_generate", pathlib.Path(__file__).with_name("generate.py"))
tester = importlib.util.module_from_spec(spec)
sys.path[0] = str(pathlib.Path(__file__).resolve().parents[2] / "python" / "examples")
sys.path.append(str(pathlib.Path(__file__).parent))
spec.loader.exec_module(tester)
host = tester.host

# Lengths of a prompt, and of what is generated after it, by turn.
CHATS = {"from the beginning": [(43, 6)], "two turns": [(13, 5), (11, 3), (21, 4)],
         "short ones": [(3, 2), (2, 1), (9, 9), (5, 3)]}
MOST_OF_ITSELF = 1e-4  # where it takes other angles for many tokens than for a few, it differs from itself by more


def chat(models, others, tokens, lengths, fills_up):
    """By token its logits, and how many tokens each run had."""
    generator, rows, runs, at = host.Generator(models, others), [], [], 0
    for model in generator.models:
        model.counts_all &= not fills_up
    for prompt, answer in lengths:
        for some in [tokens[at:at + prompt]] + [[token] for token in tokens[at + prompt:at + prompt + answer]]:
            for real, results in generator.feed(some):
                rows.extend(host.logits_of(generator.models[0], results, real).astype(np.float32))
                runs.append(real)
        at += prompt + answer
    return rows, runs


def grow_in(path, new, others, bound, tokens, runs):
    """The original's, with as many tokens in each run."""
    original, rows, at = tester.Growing(path, new, others, bound), [], 0
    for count in runs:
        rows.extend(original.rows(tokens[at:at + count]))
        at += count
    return rows


def judge(args, path, words):
    """A line about a model, and whether it is wrong."""
    out = args.folder / path.name.removesuffix(".onnx")
    written = out / "manifest.json" if "," in args.tokens else out / "decode.onnx"
    out.mkdir(exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    command = [args.tool, "fix", path, "-t", args.target, "--cache", args.cache, "--tokens", args.tokens, *words, "-o",
               out if "," in args.tokens else written, "-q", *["--window-cache"] * args.window_cache]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, check=False)
    if not written.exists():
        said = " ".join((done.stdout + done.stderr).split())
        return f"refused: {said or f'exit status {done.returncode}'}", False
    try:
        tester.onnxruntime.InferenceSession(str(path), **tester.options())
    except tester.states.NotImplemented as error:  # as bfloat16
        return f"refused: ONNX Runtime does not run the original: {' '.join(str(error).split())}", False
    models = [host.Model(file, **tester.options()) for file in host.files_of(written)]
    new = min(models, key=lambda model: model.most_tokens)
    others = tester.others_of(new)
    longest = max(sum(prompt + answer for prompt, answer in lengths) for lengths in CHATS.values())
    tokens = [int(token) for token in np.random.default_rng(args.seed).integers(5, 500, longest)]
    bound = dict(pair.split("=") for option, pair in zip(words, words[1:]) if option == "--bind")
    _, expected = tester.grow(path, new, others, bound, longest, tokens)
    own = tester.own_error(path, new, others, bound, tokens, expected[-1])
    most, told, wrong = max(tester.MOST[np.float32], min(tester.OWN * own, MOST_OF_ITSELF)), [], False
    counts_all = any(model.counts_all for model in models)
    for name, lengths in CHATS.items():
        found, runs = chat(models, others, tokens, lengths, False)
        right = grow_in(path, new, others, bound, tokens, runs) if counts_all else expected
        errors = [np.abs(a - b).max() / np.abs(a).max() for a, b in zip(right, found)]
        is_wrong = not max(errors) <= most
        wrong |= is_wrong
        told.append(f"{max(errors):.1e}" + (f" {name} WRONG, {sum(e <= most for e in errors)} of {len(errors)} tokens"
                                            if is_wrong else ""))
    text = f"{', '.join(told)} (at most {most:.1e}), {len({int(row.argmax()) for row in expected})} distinct tokens"
    if counts_all:
        filled = [] if new.has_states else CHATS.values()
        errors = [np.abs(a - b).max() / np.abs(a).max() for lengths in filled
                  for a, b in zip(expected, chat(models, others, tokens, lengths, True)[0])]
        text += f"; counts_all{f', filled up all the same {max(errors):.1e}' if errors else ''}"
    return text, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, type=pathlib.Path)
    parser.add_argument("--folder", required=True, type=pathlib.Path)
    parser.add_argument("--target", default="hexagon")
    parser.add_argument("--cache", type=int, default=72)
    parser.add_argument("--tokens", default="1,8")
    parser.add_argument("--window-cache", action="store_true", help="caches of layers with a window are shorter")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("models", nargs="+", help="MODEL, or MODEL:DIM=SIZE,...")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    equal = refused = wrong = 0
    for text in args.models:
        name, _, sizes = text.partition(":")
        words = [word for pair in sizes.split(",") if pair for word in ("-d", pair)]
        said, is_wrong = judge(args, pathlib.Path(name), words)
        refused += said.startswith("refused")
        wrong += is_wrong
        equal += not is_wrong and not said.startswith("refused")
        print(f"{pathlib.Path(name).name}: {said}", flush=True)
    print(f"{len(args.models)} models: {equal} equal, {refused} refused, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
