#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits cost parameters of a target's chips to published latencies, by asking the tool itself.

Each chip has parameters of its own; a fit begins at those of the chip before it, and is drawn back to them where the
rows say little. What counts is the logarithm of predicted over published time, of the graph all on the NPU. Families of
networks are held out in turn, and those figures are what a list may say of itself.

usage: fit_rates.py --tool TOOL --rows latency_other.csv.gz --target rknn --chips rk3588,rk3576 \\
           --parameters 'launch_ms=0.3,matrix_tops of w8a8=1.2' [--folds] [--write]

Prints `param` lines for the list with --write; with --folds how far off families are that were held out.
"""
import argparse
import csv
import gzip
import json
import math
import os
import statistics
import subprocess
import tempfile

SPREAD = 1.3        # a parameter's low and high, as a share of its typical value
PULL = 0.004        # what the loss grows by where a parameter is e times the one that it began at
STEPS = (2, 1.5, 1.2)
TURNS = 4           # at one size of step


class Fit:
    def __init__(self, options):
        self.tool, self.target = options.tool, options.target
        self.folder = os.path.join(os.path.dirname(options.rows), "models")
        with gzip.open(options.rows, "rt", encoding="utf-8") as file:
            self.rows = [row for row in csv.DictReader(file)
                         if row["target"] == options.target and row["graph"] and row["variant"]
                         and "not for scoring" not in row["note"]]

    def predict(self, values, chip, graphs):
        """{graph: milliseconds} with these parameters."""
        with tempfile.NamedTemporaryFile("w", suffix=".cost") as file:
            lines = [f"param {name} {value / SPREAD:.4g} {value:.4g} {value * SPREAD:.4g}"
                     for name, value in values.items()]
            file.write("\n".join(["format 1", f"cost {self.target}", 'source "a fit"', *lines, ""]))
            file.flush()
            return {graph: self.ask(graph, chip, file.name) for graph in graphs}

    def ask(self, graph, chip, cost):
        command = [self.tool, os.path.join(self.folder, graph), "-t", f"{self.target}:{chip}", "--cost", cost,
                   "--no-advice", "--format", "json"]
        report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        return report["targets"][0]["cost"]["alternatives"]["npu_whole"][1]

    def loss(self, values, begun, chip, rows):
        found = self.predict(values, chip, {row["graph"] for row in rows})
        errors = [abs(math.log(found[row["graph"]] / float(row["ms"]))) for row in rows]
        return sum(errors) / len(errors) + PULL * sum(abs(math.log(values[name] / begun[name])) for name in values)

    def fit(self, begun, chip, rows):
        """One parameter after the other, by ever smaller steps."""
        values, best = dict(begun), self.loss(begun, begun, chip, rows)
        for step in STEPS:
            for _ in range(TURNS):
                before = best
                for name in values:
                    for factor in (step, 1 / step):
                        tried = {**values, name: values[name] * factor}
                        loss = self.loss(tried, begun, chip, rows)
                        if loss < best - 1e-4:
                            values, best = tried, loss
                            break
                if best == before:
                    break
        return values

    def fit_chips(self, begun, chips, held_out=None):
        """{chip: values}; each chip begins at the first one's."""
        out = {}
        for chip in chips:
            rows = [row for row in self.rows if row["variant"] == chip and row["family"] != held_out]
            out[chip] = self.fit(out[chips[0]] if out else begun, chip, rows)
        return out

    def ratios(self, fits, families):
        """Predicted over published, of the rows of these families."""
        out = []
        for chip, values in fits.items():
            rows = [row for row in self.rows if row["variant"] == chip and row["family"] in families]
            found = self.predict(values, chip, {row["graph"] for row in rows})
            out += [(chip, row["graph"], found[row["graph"]] / float(row["ms"])) for row in rows]
        return out


def tell(what, ratios):
    errors = sorted(abs(ratio - 1) for _, _, ratio in ratios)
    spread = math.sqrt(sum(math.log(ratio) ** 2 for _, _, ratio in ratios) / len(ratios))
    print(f"{what}: {len(errors)} rows, median {statistics.median(errors):.0%}, "
          f"nine of ten within {errors[int(0.9 * len(errors))]:.0%}, spread of the logarithm {spread:.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--rows", required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--chips", required=True)
    parser.add_argument("--parameters", required=True)
    parser.add_argument("--folds", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    chips = options.chips.split(",")
    begun = {name: float(value) for name, value in (pair.split("=") for pair in options.parameters.split(","))}
    fit = Fit(options)
    families = sorted({row["family"] for row in fit.rows if row["variant"] in chips})
    if options.folds:
        held_out = []
        for family in families:
            ratios = fit.ratios(fit.fit_chips(begun, chips, family), {family})
            tell(f"without {family}", ratios)
            held_out += ratios
        tell("held out", held_out)
    if options.write:
        fits = fit.fit_chips(begun, chips)
        tell("fitted", fit.ratios(fits, set(families)))
        for name in begun:
            base, _, precision = name.partition(" ")
            for chip in chips:
                value = fits[chip][name]
                print(f"param {base}{' ' + precision if precision else ''} for {chip} "
                      f"{value / SPREAD:.3g} {value:.3g} {value * SPREAD:.3g}")


if __name__ == "__main__":
    main()
