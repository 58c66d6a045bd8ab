#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines and branches of lib/ that were run, from the counts that a build with --coverage writes.

Prints a table by stage and the files with the most branches that were never taken. A line that belongs to several
objects (an inline function of a header) counts once, and was run when one of them ran it. --missing FILE prints that
file with what was not run: `####` a line, `N/M` branches of a line.

usage: coverage.py BUILD [--gcov PROGRAM] [--lines PERCENT] [--branches PERCENT] [--files N] [--missing FILE...]
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys


def read_counts(build, gcov):
    """{file: {line: [times, {branch: times}]}} of everything below lib/."""
    files = collections.defaultdict(dict)
    notes = sorted(str(path) for path in pathlib.Path(build, "lib").rglob("*.gcno"))
    if not notes:
        sys.exit(f"nothing was measured in {build}")
    told = subprocess.run([gcov, "--json-format", "--stdout", "--branch-probabilities", *notes], check=True, stdout=-1)
    for text in told.stdout.splitlines():
        for file in json.loads(text)["files"]:
            if not file["file"].startswith("lib/"):
                continue
            lines = files[file["file"]]
            for line in file["lines"]:
                counts = lines.setdefault(line["line_number"], [0, {}])
                counts[0] += line["count"]
                for i, branch in enumerate(line["branches"]):
                    # Functions of one line, and copies of one function, are told apart by the function's name.
                    key = line.get("function_name"), i
                    counts[1][key] = counts[1].get(key, 0) + branch["count"]
    return files


class Sum:
    def __init__(self):
        self.lines = self.run_lines = self.branches = self.taken = 0

    def add(self, lines):
        for times, branches in lines.values():
            self.lines += 1
            self.run_lines += times > 0
            self.branches += len(branches)
            self.taken += sum(count > 0 for count in branches.values())

    def row(self, name):
        def percent(part, whole):
            # Rounded down, so that 100 means all.
            return f"{part * 1000 // whole / 10:.1f} %" if whole else "-"

        return (
            f"{name:30}{self.run_lines:7} of {self.lines:6}{percent(self.run_lines, self.lines):>9}"
            f"{self.taken:9} of {self.branches:6}{percent(self.taken, self.branches):>9}"
        )


def summed(files):
    total = Sum()
    for lines in files:
        total.add(lines)
    return total


def print_table(files, most):
    stages = collections.defaultdict(list)
    for name, lines in files.items():
        stages[name.split("/")[-2]].append(lines)
    print(f"{'stage':30}{'lines run':>26}{'branches taken at least once':>33}")
    for stage in sorted(stages):
        print(summed(stages[stage]).row(stage))
    print(summed(files.values()).row("all of lib/"))
    sums = {name: summed([lines]) for name, lines in files.items()}
    worst = sorted(sums, key=lambda name: sums[name].taken - sums[name].branches)[:most]
    print("\nmost branches not taken")
    for name in worst:
        print(sums[name].row(name))


def print_missing(name, lines):
    with open(name, encoding="utf-8") as source:
        for number, text in enumerate(source, 1):
            times, branches = lines.get(number, (1, {}))
            taken = sum(count > 0 for count in branches.values())
            mark = "####" if times == 0 else f"{taken}/{len(branches)}" if taken < len(branches) else ""
            print(f"{mark:>7} {number:4} {text}", end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--gcov", default="gcov")
    parser.add_argument("--lines", type=float, default=0)
    parser.add_argument("--branches", type=float, default=0)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--missing", nargs="*")
    options = parser.parse_args()
    files = read_counts(options.build, options.gcov)
    for name in options.missing or ():
        print_missing(name, files[name])
    if options.missing:
        return
    print_table(files, options.files)
    total = summed(files.values())
    if total.run_lines * 100 < options.lines * total.lines or total.taken * 100 < options.branches * total.branches:
        sys.exit(f"fewer than {options.lines:g} % of lines or {options.branches:g} % of branches")


if __name__ == "__main__":
    main()
