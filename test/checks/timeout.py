#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What goes on past --timeout: models and op lists that would take minutes, in loops that ask for no memory.

usage: timeout.py TOOL CLOCK [--shapes SCALE [NAME ...]]

CLOCK is cpu_clock.so, by which seconds are those of the CPU, whatever else the machine does. With --shapes the models of
growth.py instead, of SCALE times their size, by each of its commands, ended after several shares of what it takes: an
hour and more.
"""
import argparse
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
from growth import command_of, prepare  # noqa: E402
from growth_commands import COMMANDS  # noqa: E402
from growth_shapes import HEAD, SHAPES, X, chain, graph, info, int64s, model, node, tensor  # noqa: E402

TIMEOUT = 0.5
MOST_AFTER = 1.0  # ten times what is seen; what was made is freed in it, too
GIVE_UP = 10
problems = 0


def complain(text):
    global problems
    problems += 1
    print("timeout:", text, file=sys.stderr)


def run(arguments, words, timeout=None):
    """Seconds, exit status, and the last line of what was told."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([arguments.tool, *words, *(["--timeout", f"{timeout:.3f}"] if timeout else [])],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                          env={**os.environ, "LD_PRELOAD": arguments.clock},
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (GIVE_UP, GIVE_UP + 1)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, done.returncode, done.stderr.decode(errors="replace").strip().rpartition("\n")[2]


def is_told(code, told, timeout):
    return code == 3 and told.endswith(f": not finished after {timeout:.3f} s (timeout)")


# ---- each where loops are longest --------------------------------------------------------------------------------


def leaky_relus(count, rules, head=""):
    """No two nodes are alike, so none takes the verdict of another; the rules of an op are as many as a list may have."""
    nodes, last = chain(count, lambda i, before, out: node("LeakyRelu", [before], [out], alpha=float(i)))
    return (model(graph(nodes, X, [info(last)])),
            HEAD + head + "op LeakyRelu\n" + "".join(f'  {rules.format(i=i)} "alpha must {i}"\n' for i in range(500)))


def conditions():
    return leaky_relus(20000, "need " + " and ".join(["(static(*) or rank(*) = 3)"] * 20))


def producers():
    return leaky_relus(40000, "need origin(X) != Conv and producer(X) != Conv and users(X) < 5 and qorigin(X) != Conv")


def limits():
    """The last of as many limits as a list may have."""
    return leaky_relus(20000, "need rank(X) <= limit(n7999)", "".join(f"limit n{i} {i}\n" for i in range(8000)))


def other_units():
    return leaky_relus(40000, "elsewhere users(X) < 5 and producer(X) != Conv and attr(alpha) >= 0",
                       'decided by "x" among "NPU" "CPU"\n')


def consumers():
    """Each rule looks at all that read the one value."""
    nodes = [node("Relu", ["x"], ["y"])]
    nodes += [node("LeakyRelu", ["y"], [f"v{i}"], alpha=float(i)) for i in range(5000)]
    return (model(graph(nodes, X, [info("v0")])),
            HEAD + "op Relu\nop LeakyRelu\n" + "  need consumers(X) != Conv and casts(X) != int8\n" * 500)


def constants():
    """Each rule looks at all numbers of a constant."""
    nodes = [node("Gather", ["x", "w"], [f"v{i}"], axis=0, k=float(i)) for i in range(2000)]
    return (model(graph(nodes, X, [info("v0")], [int64s("w", range(512))])),
            HEAD + "op Gather\n" + "  need value(indices) >= 0 and value(indices) < 600\n" * 500)


def patterns():
    """Adds of Adds, in as many ways as a pattern of 31 has."""
    def tree(depth):
        return f"Add({tree(depth - 1)}, {tree(depth - 1)})" if depth else "Erf(x)"
    nodes = [node("Add", [f"v{i - 1}" if i else "x", f"v{i - 2}" if i > 1 else "x"], [f"v{i}"]) for i in range(2000)]
    return (model(graph(nodes, X, [info("v1999")])),
            HEAD + "".join(f'pattern p{i} "s must"\n  match {tree(5)}\n' for i in range(2000)) + "op Add\n")


def partitions():
    """A line of policy after the other, each for all partitions."""
    nodes, last = chain(40000, lambda i, before, out: node("Relu" if i % 2 else "Erf", [before], [out]))
    lines = "".join(f'partitions drop only Add Sub Mul Div "p must {i}"\n' for i in range(8000))
    return model(graph(nodes, X, [info(last)])), HEAD + lines + "op Relu\nop Erf\n"


def products():
    """Of constants, which are computed."""
    nodes, last = chain(50000, lambda _, before, out: node("MatMul", [before, "c"], [out]), "c")
    weight = tensor("c", [16, 16], 1, struct.pack("<256f", *[0.0625] * 256))
    nodes.append(node("Add", ["x", last], ["y"]))
    return model(graph(nodes, [info("x", (16, 16))], [info("y", (16, 16))], [weight])), HEAD + "op Add\n"


def write(path, data, text):
    """The model and the op list, as words of a command line."""
    with open(path, "wb") as file:
        file.write(data)
    with open(path + ".ops", "w", encoding="utf-8") as file:
        file.write(text)
    return [path, "--oplist", path + ".ops"]


def check_worst(arguments, folder):
    for make in (conditions, producers, limits, other_units, consumers, constants, patterns, partitions, products):
        data, text = make()
        words = write(str(folder / "model.onnx"), data, text)
        for command in ([], ["fix", "--dry-run"]):
            seconds, code, told = run(arguments, [*command, *words], TIMEOUT)
            if not is_told(code, told, TIMEOUT):
                complain(f"{make.__name__}: {' '.join(command)}: exit status {code}: {told}")
            if seconds > TIMEOUT + MOST_AFTER:
                complain(f"{make.__name__}: {' '.join(command)}: {seconds:.1f} s")


def check_late(arguments, folder):
    """What comes last of several things, each of which takes less: a page after a search, advice after a report."""
    nodes, last = chain(20000, lambda i, before, out: node("NonZeroish" if i % 2 else "Erf", [before], [out]))
    path = write(str(folder / "model.onnx"), model(graph(nodes, X, [info(last)])), "")[0]
    for words in (["fix", path, "-t", "hexagon", "--dry-run", "--format", "html"],
                  [path, "-t", "hexagon", "--modules", "--summary"]):
        whole, code, told = run(arguments, words)
        if code not in (0, 1):
            complain(f"{' '.join(words)}: exit status {code}: {told}")
        timeout = round(whole * 0.7, 3)
        seconds, code, told = run(arguments, words, timeout)
        if not is_told(code, told, timeout) or seconds > timeout + MOST_AFTER:
            complain(f"{' '.join(words)}, given {timeout:.3f} s of {whole:.3f} s: {seconds:.3f} s, "
                     f"exit status {code}: {told}")


# ---- all shapes, by all commands ---------------------------------------------------------------------------------

SHARES = (0.1, 0.4, 0.8)


def renew(words):
    shutil.rmtree(words["out"], ignore_errors=True)
    os.makedirs(words["out"])


def check_shape(arguments, folder, name, scale):
    arguments.out = str(folder)
    size = SHAPES[name][1]
    words = prepare(arguments, name, min(int(size * scale), 2 * size - 2) if name.endswith("of-the-caller")
                    else int(size * scale), COMMANDS)
    for command in COMMANDS:
        line = command_of(words, command, "hexagon")[1:]
        renew(words)
        whole, code, told = run(arguments, line)
        if code not in (0, 1, -24):
            print(f"{name}: {command}: {told}")
            continue
        for share in SHARES:
            timeout = round(max(whole * share, 0.01), 3)
            renew(words)
            seconds, code, told = run(arguments, line, timeout)
            # The lists of check and scan say it on standard output.
            if code not in (0, 1) and not (code == 3 if command.startswith(("check", "scan")) else is_told(code, told, timeout)):
                complain(f"{name}: {command}: exit status {code}: {told}")
            if code not in (0, 1) and seconds > timeout + whole / 5 + 0.5:
                complain(f"{name}: {command}: {seconds:.1f} s, after {timeout:.3f} s of {whole:.1f} s")
    shutil.rmtree(words["folder"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool", type=os.path.abspath)
    parser.add_argument("clock", type=os.path.abspath)
    parser.add_argument("--shapes", nargs="+", metavar=("SCALE", "NAME"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        if not arguments.shapes:
            check_worst(arguments, folder)
            check_late(arguments, folder)
        for name in (arguments.shapes[1:] or SHAPES) if arguments.shapes else []:
            check_shape(arguments, folder, name, float(arguments.shapes[0]))
    print(f"timeout: {problems} problems")
    return problems > 0


if __name__ == "__main__":
    sys.exit(main())
