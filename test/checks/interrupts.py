#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ends the tool by signals while it writes: nothing that is not whole stays, what stood at the place before does, and the
parent sees which signal it was.

usage: interrupts.py TOOL FIXTURES
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
from growth_shapes import graph, info, model, node, tensor  # noqa: E402

TOOL, FIXTURES = (os.path.abspath(path) for path in sys.argv[1:3])
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
COLUMNS = 1 << 22  # of a weight, 64 MiB: long enough to be seen while it is written
TRIES = 60
problems = 0


def complain(text):
    global problems
    problems += 1
    print("interrupts:", text, file=sys.stderr)


def make_model():
    """Two partitions with as many weights, and a node between them that falls back."""
    nodes = [node("Add", ["x", "w"], ["a"]), node("NonZeroish", ["a"], ["b"]), node("Mul", ["b", "w"], ["y"])]
    data = [tensor("w", [4, COLUMNS])]
    return model(graph(nodes, [info("x", (4, COLUMNS))], [info("y", (4, COLUMNS))], data,
                       [info("b", (4, COLUMNS))]))


def unfinished(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.part"))


def stop_while_writing(words, folder, number, action):
    """Its return code; None: it was never seen to write. It is stopped while there is such a file, so that it stays."""
    for _ in range(TRIES):
        process = subprocess.Popen([TOOL, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: [signal.signal(one, action) for one in SIGNALS])
        while process.poll() is None:
            if not unfinished(folder):
                time.sleep(0.0002)
                continue
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            is_writing = bool(unfinished(folder))
            process.send_signal(number)
            process.send_signal(signal.SIGCONT)
            code = process.wait()
            if is_writing:
                return code
    return None


def check(name, words, out, folder):
    """`out` stands there before, with a content of its own."""
    for number in SIGNALS:
        if out:
            (folder / out).write_text("old")
        code = stop_while_writing(words, folder, number, signal.SIG_DFL)
        left = unfinished(folder)
        for path in left:
            (folder / path).unlink()
        if code != -number:
            complain(f"{name}: {number.name} while it writes: exit status {code}")
        if left:
            complain(f"{name}: {number.name} leaves {', '.join(left)}")
        if code == -number and out and (folder / out).read_text() != "old":
            complain(f"{name}: {number.name}: what stood at {out} is gone")


def main():
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "model.onnx").write_bytes(make_model())
        target = ["model.onnx", "-t", "hexagon", "--quiet"]
        check("fix", ["fix", *target, "-o", "out.onnx"], "out.onnx", folder)
        check("fix --weights external", ["fix", *target, "--weights", "external", "-o", "out.onnx"], "out.onnx", folder)
        check("split", ["split", *target, "-o", "parts"], None, folder)
        check("annotate", ["annotate", *target, "-o", "out.onnx"], "out.onnx", folder)
        models = sorted(str(path) for path in pathlib.Path(FIXTURES).glob("*.onnx"))[:12]
        check("a report", [*models, "-t", "hexagon,rknn", "--format", "json", "-o", "out.json"], "out.json", folder)
        # nohup: a request that is ignored stays so.
        code = stop_while_writing(["fix", *target, "-o", "out.onnx"], folder, signal.SIGHUP, signal.SIG_IGN)
        if code != 0 or unfinished(folder) or (folder / "out.onnx").read_bytes() == b"old":
            complain(f"nohup: exit status {code}")
    print(f"interrupts: {problems} problems")
    return problems > 0


if __name__ == "__main__":
    sys.exit(main())
