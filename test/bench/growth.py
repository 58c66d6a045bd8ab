#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How time, memory and what is written grow: each shape of a model, op list or command line, and each command.

usage: growth.py --tool TOOL --measure HELPER --out FOLDER [--targets T,...] [--shapes S,...] [--commands C,...]
                 [--sizes N,N] [--most EXPONENT] [--scale F] [--rounds N] [--seconds N]

Two sweeps. The first puts all shapes (growth_shapes.py) to a plain analysis for each of the targets, at a size of the
shape's own and at twice that; no exponent may be above 1.2. The second puts some shapes to every command and format
(growth_commands.py), for the first target, at the two of --sizes (2500,10000); none may be above --most (1.3). With
--commands there is the second alone, for these (all: every one), and for any shape.

Prints CPU seconds, peak memory and the bytes of all that was written, and how these grow, less those of a model of one
node: the exponent of n, of which 1 is in proportion and 2 the square. Seconds depend on what else the machine does, and
on how much of the model its caches hold, so they can clear a shape but not condemn it:

- one run of each is enough where the exponent is clearly below what it may be;
- else the best of N (3) runs counts, and where that is above it, the best of as many again;
- then instructions decide, which valgrind counts the same in every run: at a quarter of both sizes, and where these
  grow by an exponent above 1.04, at the sizes themselves. What grows with the square and makes an exponent of 1.2 of
  the large pair makes 1.05 of the small.

Without valgrind (or with --seconds, after which a run is given up), seconds do, where they are more than a tenth. A
command that refuses the model is told by its exit status. Exits with 1 when an exponent is above what it may be. Needs
nothing but Python.
"""
import argparse
import dataclasses
import json
import math
import os
import re
import resource
import shutil
import subprocess
import sys

from growth_commands import COMMANDS
from growth_shapes import HEAD, IN_EVERY_WAY, ONE_NODE, SHAPES

MOST_AT_A_QUARTER = 1.04
MOST_BYTES = 8 << 30  # of one run; what takes more fails

# ---- what is asked -------------------------------------------------------------------------------------------


def other_operators(data):
    """The same model with other operators, whose names are as long."""
    for one, other in ((b"Relu", b"Selu"), (b"Erf", b"Exp"), (b"Concat", b"Concap")):
        data = data.replace(one, other)
    return data


def record(n):
    """Where a run placed the nodes: every other one on the CPU."""
    places = ("QNNExecutionProvider", "CPUExecutionProvider")
    return json.dumps({"nodes": [{"index": i, "ep": places[i % 2]} for i in range(n)]}).encode()


def made(name, n):
    """A shape's model, and what else stands in the command line; 1 is a model of one node, which a shape adds to."""
    if n > 1:
        model = SHAPES[name][0](n)
        return model if isinstance(model, tuple) else (model, [])
    return ONE_NODE, ["--oplist", HEAD + "op Relu\n"] if name.startswith("oplist-") else []


def prepare(arguments, name, n, commands, kind="files"):
    """The files of a shape, and what stands in place of the words in braces."""
    folder = os.path.join(arguments.out, f"{kind}-{name}-{n}")
    files = ("out", "said", "kept", "model", "other", "smaller", "record", "list")
    words = {file: os.path.join(folder, file) for file in files}
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(words["kept"])
    asked = str([COMMANDS[command] for command in commands])
    model, options = made(name, n)
    contents = {"model": lambda: model, "other": lambda: other_operators(model),
                "smaller": lambda: made(name, n - n // 10)[0], "record": lambda: record(n)}
    for file, content in contents.items():
        if f"{{{file}}}" in asked:
            write(words[file], content())
    if "--oplist" in options:
        write(words["list"], options[1].encode())
        options = ["--oplist", words["list"]]
    return words | {"tool": arguments.tool, "middle": n // 2, "options": options, "folder": folder}


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def command_of(words, command, target):
    """The words of a command line; what goes before it is done."""
    row = COMMANDS[command]
    line, before = (row, "") if isinstance(row, str) else row
    words = words | {"target": "t" if words["options"][:1] == ["--oplist"] else target}
    if before:
        subprocess.run(before.format(**words), shell=True, check=False, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    return [words["tool"]] + [word.format(**words) for word in line.split()] + words["options"]


# ---- measuring -----------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Run:
    seconds: float
    peak: int  # bytes
    written: int  # bytes, of standard output and of all files
    status: int

    def best(self, other):
        return Run(min(self.seconds, other.seconds), min(self.peak, other.peak), self.written, self.status)


def run(arguments, words, command):
    """The helper is small: a child's peak begins with that of its parent."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        if arguments.seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (arguments.seconds, arguments.seconds))
    shutil.rmtree(words["out"], ignore_errors=True)
    os.makedirs(words["out"])
    said = subprocess.run([arguments.measure, "-o", words["said"]] + command, stdout=subprocess.PIPE, check=True,
                          text=True, preexec_fn=limit).stdout.split()
    written = sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(words["out"])
                  for name in names)
    return Run(float(said[0]), int(said[1]) * 1024, written + os.path.getsize(words["said"]), int(said[2]))


def measure(arguments, words, command, rounds, best=None):
    """The best of so many runs, and of those before."""
    for _ in range(rounds):
        one = run(arguments, words, command)
        best = best.best(one) if best else one
        if one.seconds > 5:
            break
    return best


def instructions(command):
    counter = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    said = subprocess.run(counter + command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                          text=True).stderr
    found = re.search(r"I +refs: +([\d,]+)", said)
    if not found:
        sys.exit(f"valgrind says nothing of {' '.join(command)[:300]}")
    return int(found.group(1).replace(",", ""))


@dataclasses.dataclass
class Case:
    """One shape in two sizes, one command, one target."""
    arguments: argparse.Namespace
    shape: str
    sizes: tuple
    command: str
    target: str
    most: float
    pair: list  # of words, one for each size
    idle: dict  # words of a model of one node

    def exponent(self, one, two):
        return math.log(two / one) / math.log(self.sizes[1] / self.sizes[0])

    def exponents(self, runs, base):
        """Of seconds, peak and what is written, without what any model takes."""
        less = [(max(r.seconds - base.seconds, 0.001), max(r.peak - base.peak, 65536), max(r.written - base.written, 1))
                for r in runs]
        return [self.exponent(one, two) for one, two in zip(*less)]

    def look(self, base):
        """The runs of both sizes, and how they grow."""
        a = self.arguments
        commands = [command_of(words, self.command, self.target) for words in self.pair]
        runs = [measure(a, words, command, 1) for words, command in zip(self.pair, commands)]
        grows = self.exponents(runs, base)
        for rounds, most in ((a.rounds - 1, self.most - 0.07), (a.rounds, self.most)):
            if grows[0] > most and runs[1].seconds - base.seconds > 0.1:
                runs = [measure(a, *one, rounds, best) for *one, best in zip(self.pair, commands, runs)]
                grows = self.exponents(runs, base)
        return runs, grows

    def count(self):
        """How instructions grow; of the last pair of sizes that was needed."""
        base = instructions(command_of(self.idle, self.command, self.target))
        quarter = [prepare(self.arguments, self.shape, n // 4, [self.command], "quarter") for n in self.sizes]
        for pair, most in ((quarter, MOST_AT_A_QUARTER), (self.pair, 0)):
            counts = [max(instructions(command_of(words, self.command, self.target)) - base, 1) for words in pair]
            grows = self.exponent(*counts)
            if grows <= most:
                break
        for words in quarter:
            shutil.rmtree(words["folder"])
        return grows

    def tell(self, base):
        """Prints a line; whether something is above. A few megabytes, and a few hundredths of a second, say nothing."""
        (_, two), grows = self.look(base)
        counted = None
        is_slow = grows[0] > self.most and two.seconds - base.seconds > 0.1
        if is_slow and two.status < 128 and shutil.which("valgrind") and not self.arguments.seconds:
            counted = self.count()
            is_slow = counted > self.most
        is_above = (is_slow or two.status > 3 or (grows[1] > self.most and two.peak - base.peak > 8 << 20) or
                    (grows[2] > self.most and two.written - base.written > 1 << 16))
        print(f"{self.shape:32} {self.command:18} {self.target:10} {self.sizes[1]:7} {two.seconds:8.2f} "
              f"{two.peak / 1e6:7.0f} {two.written / 1e6:8.2f} {grows[0]:6.2f} "
              f"{f'{counted:6.2f}' if counted else '     -'} {grows[1]:6.2f} {grows[2]:6.2f}"
              f"{'   above' if is_above else ''}{'' if two.status == 0 else f'   exit {two.status}'}", flush=True)
        return is_above


# ---- both sweeps ---------------------------------------------------------------------------------------------


def sweeps(arguments):
    """Each shape with its sizes, commands, target and bar."""
    shapes = [s for s in arguments.shapes.split(",") if s]
    commands = [c for c in arguments.commands.split(",") if c]
    targets = arguments.targets.split(",")
    for shape in () if commands else shapes or SHAPES:
        for target in targets[:1] if shape.startswith("oplist-") else targets:
            n = int(SHAPES[shape][1] * arguments.scale / (8 if target == "all" else 1))
            yield shape, (n, 2 * n), ["text"], target, 1.2
    for shape in shapes or IN_EVERY_WAY:
        sizes = tuple(int(n) // IN_EVERY_WAY.get(shape, 1) for n in arguments.sizes.split(","))
        if shape in IN_EVERY_WAY or commands:
            yield shape, sizes, list(COMMANDS) if commands in ([], ["all"]) else commands, targets[0], arguments.most


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--measure", required=True, help="the helper that measures")
    parser.add_argument("--out", required=True)
    parser.add_argument("--targets", default="hexagon,intel-npu,all")
    parser.add_argument("--shapes", default="")
    parser.add_argument("--commands", default="")
    parser.add_argument("--sizes", default="2500,10000")
    parser.add_argument("--most", type=float, default=1.3)
    parser.add_argument("--scale", type=float, default=1.0, help="sizes of the first sweep times this")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=0)
    arguments = parser.parse_args()
    bases = {}
    above = 0
    print(f"{'shape':32} {'command':18} {'target':10} {'n':>7} {'CPU s':>8} {'MB':>7} {'MB out':>8} {'time':>6} "
          f"{'instr.':>6} {'memory':>6} {'out':>6}", flush=True)
    for shape, sizes, commands, target, most in sweeps(arguments):
        idle = prepare(arguments, shape, 1, commands)
        pair = [prepare(arguments, shape, n, commands) for n in sizes]
        for command in commands:
            key = (command, target, shape.startswith("oplist-"))
            if key not in bases:
                bases[key] = measure(arguments, idle, command_of(idle, command, target), arguments.rounds)
            above += Case(arguments, shape, sizes, command, target, most, pair, idle).tell(bases[key])
        for words in (idle, *pair):
            shutil.rmtree(words["folder"])
    print(f"{above} above")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
