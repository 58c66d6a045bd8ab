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
SIGMA = re.compile(r'^param model_sigma\b.* ([0-9.]+) [0-9.]+ [0-9.]+ "families of networks held out"', re.MULTILINE)
FAMILIES = re.compile(r'(\d+) families held out, ([0-9.]+) inside')
HEAD = """# Published times of other chips

Written by `make fidelity-rates ROWS=FILE`. A row is one published latency of a network on a chip, beside the time that
this tool says for our own export of the same architecture, all on the NPU. Rates of these targets are fitted to these very
rows (`make fit-rates`; what of each target is a row of `oracles/fidelity/fits.csv`), with the same priors for all of them, so the
figures on the left flatter. Those on the right are of families that took no part:

- *held out*: the median error, each family counting the same; of fewer than nine families what it is at most, at four of
  five draws of so many; no less than that of the last look (fidelity-cost.md). Where it is at most 25 % a report calls the rates measured (`cost.basis`). Of two families nothing is
  sure (dla, tidl, xnnpack): a report says "estimated, from assumed speeds" there, as where nothing was measured.
- *families inside*: the share of rows inside the interval that the other families make, each family counting the same.
- *model_sigma*: what makes the interval: of one more family four of five rows are to lie inside it (`sigma_of_families` in
  `cost_model.py`). Where it is 0.49 there are two families, which say nothing of a third, and it is Hexagon's, of 18.

Until this page had these columns, an interval was of rows instead of families, and settings of each fit were chosen by what
did best on the same families (2 to 8 settings a target). Starts of edgetpu, stm32n6 and tidl are of an earlier fit to all
rows, so what is said of them flatters still; coreml-mlprogram starts at Hexagon's rates.

edgetpu: six rows by a Raspberry Pi 3 are asked as `usb2`, as all its ports are USB 2. What transfers take there is from
USB's specification and not from these rows. What is left of large errors: Inception-ResNet V2 is published faster than
Inception V4, though it has more weights to stream.

| target | rows | networks | median error | 90 % within | inside | held out | families | families inside | model_sigma |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def of_list(target):
    """What the list says of families held out: error, families, share inside, model_sigma; - where it says nothing."""
    text = (LISTS / f"{target}.ops").read_text(encoding="utf-8")
    errors, sigmas, families = ERROR.findall(text), SIGMA.findall(text), FAMILIES.findall(text)
    return (f"{max(map(float, errors)):.0%}" if errors else "-", *(families[0] if families else ("-", "-")),
            max(sigmas, key=float) if sigmas else "-")


def line_of(target, answers):
    """answers: the tool's range, the published time and the graph."""
    errors = sorted(abs(ms[1] / published_ms - 1) for ms, published_ms, _ in answers)
    inside = sum(ms[0] <= published_ms <= ms[2] for ms, published_ms, _ in answers) / len(answers)
    within = errors[math.ceil(0.9 * len(errors)) - 1]
    return (f"| {target} | {len(answers)} | {len({graph for _, _, graph in answers})} | {statistics.median(errors):.0%} "
            f"| {within:.0%} | {inside:.2f} | {' | '.join(of_list(target))} |")


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
