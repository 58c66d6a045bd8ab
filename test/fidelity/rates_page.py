#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far the tool's times are from published ones, target by target, for chips beside Hexagon's.

usage: rates_page.py --tool TOOL --rows latency_other.csv.gz [--page docs/fidelity-rates.md]

Each row that has a graph and a chip of a list is asked with the whole graph on the NPU. What was held out while rates
were fitted (fit_rates.py --folds) stands with the rates in the op list, and is read there. Rows of one network by several
hosts stay apart, as readers have any of them.
"""
import argparse
import collections
import csv
import gzip
import json
import math
import os
import pathlib
import re
import statistics
import subprocess

OTHER_UNITS = ("cpu", "gpu", "vx")
NO_CHIPS = ("xnnpack",)  # whose list has none: rows without a chip count
LISTS = pathlib.Path(__file__).resolve().parents[2] / "oplists"
HEAD = """# Published times of other chips

Written by `make fidelity-rates ROWS=FILE`. A row is one published latency of a network on a chip, beside the time that
this tool says for our own export of the same architecture, all on the NPU. Rates of the targets with a figure under
"held out" were fitted to these rows (`make fit-rates`): that figure is the median error of families of networks that
took no part. The others' rates are from documents. Whatever the figure, nothing here is told as measured: a report says
"estimated".

| target | rows | networks | median error | 90 % within | inside the range | held out |
| --- | --- | --- | --- | --- | --- | --- |
"""


def ask(options, target, graph):
    """(low, typical, high) in ms, or None."""
    command = [options.tool, os.path.join(os.path.dirname(options.rows), "models", graph), "-t", target, "--no-advice",
               "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        return None
    return json.loads(done.stdout)["targets"][0]["cost"]["alternatives"]["npu_whole"]


def held_out(target):
    """What the list says of it, in percent; None where it says nothing."""
    found = re.search(r"held out: (\d+) %", (LISTS / f"{target}.ops").read_text(encoding="utf-8"))
    return found and found[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--rows", required=True)
    parser.add_argument("--page")
    options = parser.parse_args()
    with gzip.open(options.rows, "rt", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["graph"] and row["target"] not in OTHER_UNITS
                and (row["variant"] or row["target"] in NO_CHIPS) and "not for scoring" not in row["note"]]
    known, found = {}, collections.defaultdict(list)
    for row in rows:
        target = row["target"] + (":" + row["variant"] if row["variant"] else "")
        key = target, row["graph"]
        if key not in known:
            known[key] = ask(options, *key)
        if known[key] and known[key][1] is not None:
            found[row["target"]].append((known[key], float(row["ms"]), row["graph"]))
    lines = []
    for target, all_of in sorted(found.items()):
        errors = sorted(abs(ms[1] / published - 1) for ms, published, _ in all_of)
        inside = sum(ms[0] <= published <= ms[2] for ms, published, _ in all_of) / len(all_of)
        out = held_out(target)
        within = errors[min(len(errors) - 1, math.ceil(0.9 * len(errors)) - 1)]
        lines.append(f"| {target} | {len(all_of)} | {len({graph for _, _, graph in all_of})} | "
                     f"{statistics.median(errors):.0%} | {within:.0%} | {inside:.2f} | {out + '%' if out else '-'} |")
    print("\n".join(lines))
    if options.page:
        with open(options.page, "w", encoding="utf-8") as file:
            file.write(HEAD + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
