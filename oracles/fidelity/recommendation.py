# SPDX-License-Identifier: Apache-2.0
"""Whether the recommendation is the one that published pairs of latencies give.

usage: recommendation.py TOOL MODELS LATENCY.csv.gz [--verbose]

A pair is one network at one precision on one chip, measured in two of three ways: wholly on the NPU, wholly on the CPU,
and with some layers on the CPU. Whichever runtimes they were measured with, the lesson is the same:

  whole and CPU      the NPU is right (npu, or mend where our plan is fragmented) if it took less time, else cpu is
  whole and mixed    mend is right if the whole took less than half of the mixed
  mixed and CPU      npu or mend is right if the mixed took less, else cpu or mend is

Of models without their weights the constants of Gelu are filled in (gelu_constants.py), since what `fix` could do hangs
on them. Needs onnx and numpy.

`undecided` is neither right nor wrong. Rows of the table that are not for scoring are left out. Exit status 1 when any
recommendation is wrong.
"""
import collections
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile

import gelu_constants


def read_pairs(path):
    """{graph: {soc: {"whole" | "cpu" | "mixed": ms}}}: of several measurements of one kind the shortest."""
    pairs = collections.defaultdict(lambda: collections.defaultdict(dict))
    with gzip.open(path, "rt") as file:
        for row in csv.DictReader(file):
            npu, gpu, cpu = (int(row["layers_" + unit] or 0) for unit in ("npu", "gpu", "cpu"))
            kind = "mixed" if npu and cpu else "whole" if npu else "cpu" if cpu else None
            if gpu or not kind or "not for scoring" in row["note"] or row["soc"] == "sa7255p":
                continue
            found = pairs[row["graph"]][row["soc"]]
            found[kind] = min(float(row["ms"]), found.get(kind, float("inf")))
    return pairs


def right_answers(found):
    """What may be said, or None where the pair says nothing."""
    if "whole" in found and "cpu" in found:
        return {"npu", "mend"} if found["whole"] < found["cpu"] else {"cpu"}
    if "whole" in found and "mixed" in found:
        return {"mend"} if found["whole"] < found["mixed"] / 2 else None
    if "mixed" in found and "cpu" in found:
        return {"npu", "mend"} if found["mixed"] < found["cpu"] else {"cpu", "mend"}
    return None


def main(folder):
    tool, models, table = sys.argv[1:4]
    counts, missing = collections.Counter(), set()
    for graph, chips in sorted(read_pairs(table).items()):
        answers = {soc: right_answers(found) for soc, found in sorted(chips.items())}
        asked = [soc for soc, right in answers.items() if right]
        path = os.path.join(models, graph)
        if not asked or not os.path.exists(path):
            continue
        filled = os.path.join(folder, graph)
        path = filled if gelu_constants.fill(path, filled) else path
        run = subprocess.run([tool, path, "--target", ",".join("hexagon:" + soc for soc in asked), "--format", "json",
                              "--detail", "summary"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if run.returncode:
            missing.add(run.stderr.strip().splitlines()[0])
            continue
        for soc, target in zip(asked, json.loads(run.stdout)["targets"]):
            said = target["cost"]["recommendation"]
            outcome = "right" if said in answers[soc] else "undecided" if said == "undecided" else "wrong"
            counts[outcome] += 1
            if outcome != "right" or "--verbose" in sys.argv:
                measured = ", ".join(f"{kind} {ms:g}" for kind, ms in sorted(chips[soc].items()))
                print(f"{outcome:9} {graph} {soc}: {said} ({target['cost']['reason']}); measured: {measured}")
    for text in sorted(missing):
        print("not asked:", text)
    print(f"{sum(counts.values())} pairs: {counts['right']} right, {counts['undecided']} undecided, "
          f"{counts['wrong']} wrong")
    return 1 if counts["wrong"] or not counts["right"] else 0


with tempfile.TemporaryDirectory() as scratch:
    sys.exit(main(scratch))
