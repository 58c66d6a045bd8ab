#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far the tool's times are from published ones, target by target, for chips beside Hexagon's.

usage: rates_page.py --tool TOOL --rows latency_other.csv.gz [--page docs/evidence/fidelity-rates.md]
Needs:  pip install onnx

Each row that has a graph and a chip of a list is asked with the whole graph on the NPU. What was held out while rates
were fitted (fit_rates.py) stands with the rates in the op list, as `held_out_error`. Rows of one network by several
hosts stay apart, as readers have any of them.
"""
import argparse
import collections
import math
import pathlib
import re
import statistics

import published

LISTS = pathlib.Path(__file__).resolve().parents[2] / "oplists"
ERROR = re.compile(r'^param held_out_error\b.* ([0-9.]+) [0-9.]+ [0-9.]+ "', re.MULTILINE)  # `assumed` is none
HEAD = """# Published times of other chips

Written by `make fidelity-rates ROWS=FILE`. A row is one published latency of a network on a chip, beside the time that
this tool says for our own export of the same architecture, all on the NPU. Rates of the targets with a figure under
"held out" were fitted to these rows (`make fit-rates`): that figure is the median error of families of networks that
took no part, and where it is at most 30 % a report calls the rates measured (`cost.basis`). The others' rates are from
documents, and a report says "estimated, from assumed speeds".

How far rates may move from where they start, the tile of the matrix unit and, of intel-npu, what has a rate of its own
for 8 bits were chosen by what did best on the same families (2 to 8 settings a target): networks of families that are not
here are likely off by more. With other settings the figures were 9 to 14 % for tidl, 10 to 31 for edgetpu, 11 to 30 for
intel-npu, 9 to 20 for stm32n6, 13 to 17 for dla, 12 to 20 for rknn, 15 to 29 for coreml-mlprogram. dla, tidl and xnnpack
have 3 or 4 networks; intel-npu has nine, of two publishers on two chips, and two of them in 8 bits.

edgetpu: six rows by a Raspberry Pi 3 are asked as `usb2`, as all its ports are USB 2. What transfers take there is from
USB's specification and not from these rows. What is left of large errors: Inception-ResNet V2 is published faster than
Inception V4, though it has more weights to stream.

| target | rows | networks | median error | 90 % within | inside the range | held out |
| --- | --- | --- | --- | --- | --- | --- |
"""


def held_out(target):
    """What the list says of it: the worst of its precisions; None where it says nothing."""
    found = ERROR.findall((LISTS / f"{target}.ops").read_text(encoding="utf-8"))
    return max(map(float, found)) if found else None


def line_of(target, answers):
    """answers: the tool's range, the published time and the graph."""
    errors = sorted(abs(ms[1] / published_ms - 1) for ms, published_ms, _ in answers)
    inside = sum(ms[0] <= published_ms <= ms[2] for ms, published_ms, _ in answers) / len(answers)
    within = errors[math.ceil(0.9 * len(errors)) - 1]
    out = held_out(target)
    return (f"| {target} | {len(answers)} | {len({graph for _, _, graph in answers})} | {statistics.median(errors):.0%} "
            f"| {within:.0%} | {inside:.2f} | {f'{out:.0%}' if out else '-'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--rows", required=True)
    parser.add_argument("--page")
    options = parser.parse_args()
    tool = published.Tool(options.tool, options.rows)
    known, found = {}, collections.defaultdict(list)
    for row in published.read_rows(options.rows):
        key = row["asked"], row["graph"], row["precision"]
        if key not in known:
            known[key] = tool.npu_whole(row)
        if known[key]:
            found[row["target"]].append((known[key], float(row["ms"]), row["graph"]))
    lines = [line_of(target, answers) for target, answers in sorted(found.items())]
    print("\n".join(lines))
    if options.page:
        pathlib.Path(options.page).write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
