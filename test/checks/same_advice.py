#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A model gets the same advice however it is asked for: as a path, on standard input, from memory in Python, in a scan,
with the same actions in the same order, what is left after each, and the same commands but for the file's name. What the
tool says in a browser is held to these bytes by web_engine.js.

usage: same_advice.py TOOL FIXTURES      NPU_PARTITION_LIBRARY: the library of the Python package
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import npu_partition

WRITTEN = ("-o", "--rest", "--head")  # options with a file that is called as the model is
MEMBERS = ("action", "text", "command", "rewrites", "equality", "pays", "causes", "needs", "instead_of", "after")


def advice_of(report, path):
    """By target the actions, with the file called the same however it was read."""
    told = {}
    for target in report["targets"]:
        actions = told[target["target"]] = []
        for action in target["advice"]:
            run = action["run"]
            if run is not None:
                run = ["MODEL" if word in (path, "model.onnx") else word for word in run]
                for at in [i + 1 for i, word in enumerate(run) if word in WRITTEN]:
                    stem = next(name for name in (pathlib.Path(path).stem, "model") if run[at].startswith(f"{name}."))
                    run[at] = "OUT" + run[at][len(stem):]
            actions.append({**{name: action[name] for name in MEMBERS}, "run": run})
    return told


def run(tool, *words, stdin=None):
    done = subprocess.run([tool, *words], stdin=stdin, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout


def differences(told, expected):
    """In words, where they differ."""
    for target, actions in expected.items():
        other = told.get(target, [])
        if len(other) != len(actions):
            yield f"{target}: {len(other)} actions, not {len(actions)}"
        for number, (one, two) in enumerate(zip(other, actions), 1):
            yield from (f"{target}: a{number}: {name} is {one[name]!r}, not {two[name]!r}"
                        for name in two if one[name] != two[name])


def main():
    tool, fixtures = sys.argv[1], pathlib.Path(sys.argv[2])
    paths = [str(path) for path in sorted(fixtures.glob("*.onnx"))]
    asked, failed, actions, commands = ["--target", "all", "--detail", "causes"], 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        scan = pathlib.Path(folder) / "scan.jsonl"
        run(tool, "scan", *paths, *asked, "--quiet", "-o", str(scan))
        scanned = dict(zip(paths, map(json.loads, scan.read_bytes().splitlines())))
    for path in paths:
        expected = advice_of(json.loads(run(tool, path, *asked, "--format", "json")), path)
        with open(path, "rb") as file:
            piped = json.loads(run(tool, "-", *asked, "--format", "json", stdin=file))
        in_memory = npu_partition.analyze(pathlib.Path(path).read_bytes(), "all").to_dict()
        for way, report in (("standard input", piped), ("memory in Python", in_memory), ("scan", scanned[path])):
            for difference in differences(advice_of(report, path), expected):
                failed += 1
                print(f"same advice: {path}: {way}: {difference}")
        told = [action for of_target in expected.values() for action in of_target]
        actions += len(told)
        commands += sum(action["run"] is not None for action in told)
        guesses = [action for action in told if "rewrite" in action["action"] and not (action["run"] or action["command"])]
        failed += len(guesses)
        for action in guesses:
            print(f"same advice: {path}: a rewrite that nobody tried: {action['text']}")
    # So that the check does not pass where nothing is advised.
    assert len(paths) > 20 and actions > 10 * len(paths) and commands > 2 * len(paths), (len(paths), actions, commands)
    print(f"{len(paths)} models: {actions} actions, {commands} with a command; {failed} differ")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
