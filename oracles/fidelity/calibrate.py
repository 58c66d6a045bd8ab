#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `calibrate` brings: fitted to k networks of a chip, how far off it is for the chip's other networks.

usage: calibrate.py --tool TOOL --models FOLDER --truth FOLDER [--draws N] [--seed N]

Rows of TRUTH/latency.csv.gz that ran wholly on the NPU, by chip, runtime and precision. Of each such set k networks
are drawn; `calibrate` sees these alone and decides whether to accept; the error is that of all others: the median of
|ln(predicted / measured)|, as a share, and of draws the mean. Two starting points: the figures that the list has for the chip, which were
fitted with rows of the same chip among them, and those of another chip, as for one that the list does not know.
"""
import argparse
import collections
import csv
import gzip
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

RUNTIMES = {"onnx": "onnxruntime", "qnn_dlc": "bare"}
# Another chip for each: the nearest of another generation, or of another class of devices.
OTHERS = {"sm8450": "sm8550", "sm8550": "sm8650", "qcs8550": "sm8650", "sm8650": "sm8750", "sm8750": "sm8650",
          "sm8850": "sm8750", "sc8380xp": "sm8650", "qcs9075": "sm8550", "sa8775p": "sm8550", "qcs8275": "sm8450"}
FEWEST_NETWORKS = 12


def read_sets(truth):
    sets = collections.defaultdict(dict)
    with gzip.open(os.path.join(truth, "latency.csv.gz"), "rt") as file:
        for row in csv.DictReader(file):
            is_whole = row["layers_cpu"] == row["layers_gpu"] == "0" and int(row["layers_npu"] or 0) > 0
            if is_whole and row["graph"] and "not for scoring" not in row["note"] and row["runtime"] in RUNTIMES:
                key = row["soc"].lower(), row["runtime"], row["precision"]
                sets[key].setdefault(row["graph"], float(row["ms"]))
    return {key: rows for key, rows in sets.items() if len(rows) >= FEWEST_NETWORKS and key[0] in OTHERS}


def is_known(tool, model, chip):
    return subprocess.run([tool, "--quiet", model, "--target", f"hexagon:{chip}"], capture_output=True).returncode != 2


def write_table(path, models, rows, target, runtime):
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["model", "target", "runtime", "ms"])
        for graph, ms in rows:
            table.writerow([os.path.abspath(os.path.join(models, graph)), target, RUNTIMES[runtime], ms])


def calibrate(tool, table, *options):
    done = subprocess.run([tool, "calibrate", table, "--format", "json", *options], capture_output=True, text=True)
    if done.returncode > 1:
        sys.exit(f"{table}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def error_of(tool, table, *options):
    """Of all rows as they are predicted; nothing is fitted to them that is used."""
    return math.log1p(calibrate(tool, table, *options)["error_before"])


def draw(tool, models, folder, key, rows, prior, k, rng):
    graphs = sorted(rows)
    rng.shuffle(graphs)
    target = f"hexagon:{prior}"
    seen, unseen, cost = (os.path.join(folder, name) for name in ("seen.csv", "unseen.csv", "fitted.cost"))
    write_table(seen, models, [(graph, rows[graph]) for graph in graphs[:k]], target, key[1])
    write_table(unseen, models, [(graph, rows[graph]) for graph in graphs[k:]], target, key[1])
    answer = calibrate(tool, seen, "--output", cost)
    before = error_of(tool, unseen)
    after = error_of(tool, unseen, "--cost", cost) if answer["accepted"] else before
    return before, after, answer["accepted"]


def percent(values):
    return f"{math.expm1(statistics.mean(values)) * 100:.0f} %" if values else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("tool", "models", "truth"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    sets = read_sets(args.truth)
    chips = {chip: is_known(args.tool, os.path.join(args.models, next(iter(next(iter(sets.values()))))), chip)
             for chip in {*OTHERS, *OTHERS.values()}} if sets else {}
    sets = {key: rows for key, rows in sets.items() if chips[key[0]] and chips[OTHERS[key[0]]]}
    if not sets:
        sys.exit("no rows of chips that the list knows")
    print(f"{len(sets)} sets of a chip, a runtime and a precision; {args.draws} draws of each, seed {args.seed}\n")
    print("| figures before | networks seen | draws | error of others before | after | accepted | of these before | after "
          "| worse after |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("of the chip", "of another chip"):
            for k in (2, 4, 8):
                results = []
                for key, rows in sorted(sets.items()):
                    prior = key[0] if name == "of the chip" else OTHERS[key[0]]
                    for number in range(args.draws):
                        rng = random.Random(f"{args.seed} {key} {k} {number}")
                        results.append(draw(args.tool, args.models, folder, key, rows, prior, k, rng))
                taken = [result for result in results if result[2]]
                print(f"| {name} | {k} | {len(results)} | {percent([r[0] for r in results])} "
                      f"| {percent([r[1] for r in results])} | {len(taken)} | {percent([r[0] for r in taken])} "
                      f"| {percent([r[1] for r in taken])} | {sum(r[1] > r[0] for r in taken)} |", flush=True)


if __name__ == "__main__":
    main()
