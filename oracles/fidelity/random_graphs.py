#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the tool's --shapes with what ONNX Runtime really computes, on random graphs of random operators.

usage: random_graphs.py [--tool build/npu-partition] [--count 2000] [--seed N] [--verbose]

Each graph is grown node by node: a node is drawn with operands and attributes that mostly fit, run alone with random
values, and kept when ONNX Runtime takes it; so all its results are known as arrays. Then the tool is asked three ways,
never with a declared type of a result:

    static     every input has its whole shape
    bound      some dims of inputs are symbols, and --dim gives their sizes
    symbolic   the same without sizes; the formulas that come out are worked out with them

A contradiction is another element type or rank, or another size where the tool gives a number or a formula of inputs'
symbols. Exit status 1 when there is one; the seed of the graph is printed, and `--seed N --count 1 --save FILE` makes it
again.
"""
import argparse
import collections
import concurrent.futures
import fractions
import json
import math
import os
import random
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import helper

from random_nodes import grow

SYMBOLS = "abcdefgh"


# ---- comparing -------------------------------------------------------------------------------------------------------


def with_symbols(g):
    """Dims of inputs of which some are symbols, equal sizes often under one name; and what the symbols stand for."""
    dims, sizes = {}, {}
    for name in g.inputs:
        dims[name] = list(g.shape(name))
        if g.arrays[name].dtype != np.float32:
            continue
        for axis, size in enumerate(dims[name]):
            if g.rng.random() < 0.4:
                symbol = f"{g.rng.choice(SYMBOLS)}{size}"
                dims[name][axis] = symbol
                sizes[symbol] = size
    return dims, sizes


def ask(tool, model, sizes):
    command = [tool, "-", "--shapes", *(f"--dim={name}={size}" for name, size in sizes.items())]
    done = subprocess.run(command, input=model.SerializeToString(), capture_output=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.decode(errors="replace").strip()
    return json.loads(done.stdout), None


def worked_out(dim, sizes):
    """The number that a dim stands for; None where nobody knows."""
    if dim is None or isinstance(dim, int):
        return dim
    if "?" in dim:
        return None
    text = re.sub(r"(?<![\w.])(\d+)(?![\w.])", r"Fraction(\1)", dim)
    names = {"Fraction": fractions.Fraction, "floor": lambda a: fractions.Fraction(math.floor(a)), "max": max,
             "min": min, **{name: fractions.Fraction(size) for name, size in sizes.items()}}
    try:
        value = eval(text, {"__builtins__": {}}, names)  # a formula that the tool printed
    except NameError:
        return None
    return int(value) if value.denominator == 1 else f"{dim} = {value}"


def compare(g, answer, sizes, counts, way):
    """Lines that say what contradicts."""
    lines = []
    for name in g.results:
        array, fact = g.arrays[name], answer.get(name)
        counts[way, "tensors"] += 1
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        producer = next(node.op_type for node in g.nodes if name in node.output)
        dims = [worked_out(dim, sizes) for dim in fact[1]] if fact and fact[1] is not None else None
        if fact is None or not fact[0] or dims is None or None in dims:
            counts[way, "not known"] += 1
            counts[way, "not known", producer] += 1
        wrong = fact and ((fact[0] and fact[0] != kind) or (dims is not None and (
            len(dims) != array.ndim or any(a is not None and a != b for a, b in zip(dims, array.shape)))))
        if wrong:
            counts[way, "contradictions"] += 1
            lines.append(f"{name} = {producer}: ONNX Runtime makes [{kind}, {list(array.shape)}], {way} we say "
                         f"{json.dumps(fact)}")
    return lines


def check(tool, seed, nodes, save=None):
    counts, lines = collections.Counter(), []
    g = grow(seed, nodes)
    counts["nodes"] = len(g.nodes)
    for node in g.nodes:
        counts["op", node.op_type] += 1
    dims, sizes = with_symbols(g)
    for way, declared, given in (("static", None, {}), ("bound", dims, sizes), ("symbolic", dims, {})):
        model = g.model(g.nodes, g.inputs, g.constants, g.results[-1:], declared)
        if save and way == "symbolic":
            onnx.save(model, save)
        answer, error = ask(tool, model, given)
        if answer is None:
            counts[way, "contradictions"] += 1
            lines.append(f"seed {seed}, opset {g.opset}: {way}: {error}")
            continue
        lines += [f"seed {seed}, opset {g.opset}: {line}" for line in compare(g, answer, sizes, counts, way)]
    return counts, lines


def main():
    parser = argparse.ArgumentParser(description="Compare the tool's --shapes with ONNX Runtime on random graphs.")
    parser.add_argument("--tool", default="build/npu-partition", help="default %(default)s")
    parser.add_argument("--count", type=int, default=2000, help="graphs, default %(default)s")
    parser.add_argument("--nodes", type=int, default=8, help="attempts a graph, default %(default)s")
    parser.add_argument("--seed", type=int, help="of the first graph; a random one by default")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes, default %(default)s")
    parser.add_argument("--save", help="write the last graph to this file")
    parser.add_argument("--verbose", action="store_true", help="count operators, and what is not known by operator")
    arguments = parser.parse_args()
    first = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(2 ** 31)
    print(f"seed {first}", flush=True)
    total = collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        tasks = [pool.submit(check, arguments.tool, first + i, arguments.nodes, arguments.save)
                 for i in range(arguments.count)]
        for task in tasks:
            counts, lines = task.result()
            total += counts
            for line in lines:
                print(line, flush=True)
    operators = sum(1 for key in total if isinstance(key, tuple) and key[0] == "op")
    print(f"{arguments.count} graphs, {total['nodes']} nodes of {operators} operators")
    failed = False
    for way in ("static", "bound", "symbolic"):
        print(f"{way}: {total[way, 'contradictions']} contradictions, {total[way, 'not known']} not known of "
              f"{total[way, 'tensors']} tensors")
        failed |= total[way, "contradictions"] > 0
    if arguments.verbose:
        for key, number in sorted(total.items(), key=str):
            if isinstance(key, tuple) and (key[0] == "op" or len(key) == 3):
                print(*key, number)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
