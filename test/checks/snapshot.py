#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the tool says of every fixture and of the models of every file of text cases, for all targets, against
test/snapshot.txt: no answer changes unseen.

A line of a fixture and a target has the verdict in words and a digest of each part of the JSON report; a line of a file
of cases has a digest of its models for each target, and of their shapes; another one of what else is said of them, to
two targets that use most of the language. A line of a target has how it is described. After an intended change run
`make accept-snapshot` and read the diff: each changed line is one that the change was to reach, or a surprise.

usage: snapshot.py TOOL FIXTURES CASE_MODELS SNAPSHOT [--accept]
"""
import collections
import difflib
import glob
import hashlib
import json
import os
import re
import subprocess
import sys

TWO = "hexagon,intel-npu"
PARTS = ("nodes", "partitions", "causes", "roots", "crossings", "cost", "advice")
TARGET = re.compile(rb'\{"target": ?"([^"]*)"')
PATH = re.compile(rb'"path": ?"(?:[^"\\]|\\.)*"')
CASE = re.compile(rb"[^\s\"]*-\d{5}\.onnx")  # files of cases have numbers, which a new case moves
MOST_SHOWN = 40


def digest(*pieces):
    total = hashlib.sha256()
    for piece in pieces:
        total.update(piece)
    return total.hexdigest()[:8]


def run(tool, *arguments):
    """What it prints, without the places of files; an error is an answer too."""
    done = subprocess.run([tool, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return PATH.sub(b"\"path\":\"\"", done.stdout)


def lines_of_fixture(tool, path):
    name = os.path.basename(path).removesuffix(".onnx")
    for target in json.loads(run(tool, path, "--target", "all", "--format", "json"))["targets"]:
        summary = target["summary"]
        rest = {key: value for key, value in target.items() if key not in PARTS}
        digests = [f"{part} {digest(json.dumps(target[part]).encode())}" for part in PARTS]
        yield (f"{name} {target['target']}:{target['variant'] or ''} {summary['verdict']}, "
               f"{summary['partitions']} partitions, {summary['accepted']} of {summary['live']} nodes: "
               + ", ".join(digests) + f", rest {digest(json.dumps(rest).encode())}")
    text = run(tool, path, "--target", "all", "--verbose").replace(path.encode(), b"")
    off = run(tool, path, "--target", "all", "--level", "off", "--format", "json")
    told = run(tool, path, "--target", TWO, "--verbose", "--explain", "e").replace(path.encode(), b"")
    yield (f"{name}: text {digest(text)}, level off {digest(off)}, shapes {digest(run(tool, path, '--shapes'))}, "
           f"explained {digest(told)}")


def lines_of_cases(tool, folder):
    files = collections.defaultdict(list)
    for path in sorted(glob.glob(os.path.join(folder, "*.onnx"))):
        files[os.path.basename(path).rsplit("-", 1)[0]].append(path)
    for name, paths in sorted(files.items()):
        of_target = collections.defaultdict(hashlib.sha256)
        for line in run(tool, *paths, "--target", "all", "--format", "json").splitlines():
            pieces = TARGET.split(line)  # what is the model's, then names and texts by turns
            of_target["model"].update(pieces[0])
            for target, text in zip(pieces[1::2], pieces[2::2]):
                of_target[target.decode()].update(text)
        shapes = digest(run(tool, *paths, "--shapes"))
        yield (f"{name}.cases, {len(paths)} models: shapes {shapes}, "
               + ", ".join(f"{target} {total.hexdigest()[:8]}" for target, total in of_target.items()))
        ways = {"text": ["--verbose"], "explained": ["--explain", "e"], "level off": ["--level", "off", "--format", "json"],
                "runs": ["--partitioner", "runs", "--format", "json"]}
        yield f"{name}.cases, {TWO}: " + ", ".join(
            f"{way} {digest(CASE.sub(b'', run(tool, *paths, '--target', TWO, *options)))}"
            for way, options in ways.items())


def lines_of_targets(tool):
    for target in re.findall(r"^(\S+) ", run(tool, "--list-targets").decode(), re.M):
        yield f"target {target}: described {digest(run(tool, '--describe', target))}"


def main():
    tool, fixtures, case_models, snapshot = sys.argv[1:5]
    lines = []
    for path in sorted(glob.glob(os.path.join(fixtures, "*.onnx"))):
        lines += lines_of_fixture(tool, path)
    lines += lines_of_cases(tool, case_models)
    lines += lines_of_targets(tool)
    if not lines:
        sys.exit("snapshot: nothing was looked at")
    if sys.argv[5:] == ["--accept"]:
        with open(snapshot, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return
    with open(snapshot, encoding="utf-8") as file:
        before = file.read().splitlines()
    changes = [line for line in difflib.unified_diff(before, lines, "expected", "printed", n=0)
               if not line.startswith("@@")]
    for line in changes[:MOST_SHOWN]:
        print(line.rstrip(), file=sys.stderr)
    if len(changes) > MOST_SHOWN:
        print(f"and {len(changes) - MOST_SHOWN} more", file=sys.stderr)
    print(f"snapshot: {len(lines)} lines, {sum(line[0] == '+' for line in changes[2:])} differ"
          + (" (intended? `make accept-snapshot`, then read the diff)" if changes else ""))
    sys.exit(1 if changes else 0)


if __name__ == "__main__":
    main()
