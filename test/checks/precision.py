#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold that the `precision` lines of a target and the verdicts of its rules agree.

usage: precision.py TOOL FOLDER-OF-MODELS TARGET...

`--describe TARGET` prints the lines. For each of them the models, which are those of the text cases, are planned for a
target for which the line counts: its variants, with its switches and of its releases. Of a format that it calls native
some node must be on the NPU, and of one that it calls cpu none; of one that it calls fails none, but where the model
fails. Some model must have a node of the format. A line that later ones make void is found by this, too.

Exit status: 0 when all lines agree, 1 when one does not, 2 when a target cannot be asked.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys

HEAD = re.compile(r"precision (?P<formats>.*?)(?: for (?P<variants>[^:]*?))?(?P<when>(?: (?:with|unless) \S+"
                  r"| (?:since|before) '[^']*')*): (?P<happens>\w+)(?: (?P<share>[\d.]+))?(?P<assumed>, assumed)?")
CHUNK = 400  # models for which the tool is started at once


class Line:
    def __init__(self, match, text):
        self.formats = match["formats"].split()
        self.variants = (match["variants"] or "").split()
        self.when = re.findall(r"(with|unless|since|before) ('[^']*'|\S+)", match["when"])
        self.happens, self.text = match["happens"], text

    def targets(self, name, releases):
        """Texts of targets for which it counts."""
        switches = "".join(("+" if word == "with" else "-") + what for word, what in self.when
                           if word in ("with", "unless"))
        release = ""
        for word, what in self.when:
            if word == "since":
                release = "@" + what.strip("'")
            elif word == "before":
                release = "@" + releases[releases.index(what.strip("'")) - 1]
        return [f"{name}{':' if variant else ''}{variant}{switches}{release}" for variant in self.variants or [""]]


def describe(tool, name):
    """The lines of a target, and its releases, oldest first."""
    done = subprocess.run([tool, "--describe", name], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(2)
    rows = done.stdout.splitlines()
    releases = [row[len("toolchain "):] for row in rows if row.startswith("toolchain ")][::-1]
    lines = []
    for row, after in zip(rows, rows[1:]):
        match = HEAD.fullmatch(row)
        if match:
            lines.append(Line(match, after.strip()))
        elif row.startswith("precision "):
            sys.exit(f"precision.py: cannot read {row}")
    return lines, releases


def is_of(format_name, pattern):
    """Whether "w4-block32-packed" is of "w4", "w4-block" or "w4-packed"."""
    parts, wanted = format_name.split("-"), pattern.split("-")
    return parts[0] == wanted[0] and all(
        part in parts or (part == "block" and any(other.startswith("block") for other in parts)) for part in wanted)


def counted(tool, models, target):
    """By (format, what happens, sentence) how many nodes of all models there are, and how many on the NPU."""
    found = collections.Counter(), collections.Counter()
    for first in range(0, len(models), CHUNK):
        done = subprocess.run([tool, *models[first:first + CHUNK], "-t", target, "--format", "json", "--detail",
                               "summary", "--no-advice"], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 3):  # some cases are models that cannot be read
            sys.exit(f"precision.py: {target}: {done.stderr}")
        for document in map(json.loads, done.stdout.splitlines()):
            for at in document["targets"][0]["precision"]:
                key = at["format"], at["happens"], at["text"]
                has_failed = at["happens"] == "fails" and document["targets"][0]["summary"]["verdict"] == "fails"
                found[0][key] += at["nodes"]
                found[1][key] += 0 if has_failed else at["nodes_on_npu"]
    return found


def check_line(line, target, found, complain):
    nodes, taken = found
    for pattern in line.formats:
        of_line = [key for key in nodes if is_of(key[0], pattern) and key[1:] == (line.happens, line.text)]
        is_there = any(is_of(key[0], pattern) for key in nodes)
        where = f"{target}: precision {pattern} {line.happens} \"{line.text}\""
        on_npu = sum(taken[key] for key in of_line)
        if line.happens in ("native", "dequantized", "vector") and not on_npu:
            complain(f"{where}: no case has a node of it on the NPU")
        elif line.happens in ("cpu", "fails") and on_npu:
            complain(f"{where}: {on_npu} nodes are on the NPU")
        elif not is_there:
            complain(f"{where}: no case has it")


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    tool, folder, *names = sys.argv[1:]
    models = sorted(glob.glob(os.path.join(folder, "*.onnx")))
    if not models:
        sys.exit("precision.py: there are no models")
    complaints, checked = [], 0
    for name in names:
        lines, releases = describe(tool, name)
        if not lines:
            complaints.append(f"{name} has no precision lines")
        asked = {}
        for line in lines:
            for target in line.targets(name, releases):
                if target not in asked:
                    asked[target] = counted(tool, models, target)
                check_line(line, target, asked[target], complaints.append)
                checked += 1
    for complaint in complaints:
        print(complaint)
    print(f"precision: {checked} lines of {len(names)} targets, each for its variants; {len(complaints)} do not agree")
    return 1 if complaints or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
