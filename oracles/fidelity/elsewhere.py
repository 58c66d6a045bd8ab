#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Published speeds of language models on GPUs and CPUs, and with a vendor's toolkit for such models: fits the rates by
which the tool prices these (lib/plan/cost/elsewhere.c; of CPUs node.c), each chip by itself, and says how far off models
left out are.

usage: elsewhere.py --tool build/npu-partition --truth DIR [--lines] [--page docs/evidence/fidelity-elsewhere.md]
Needs:  pip install onnx numpy

DIR is as llm.py has it. A time is a run, and of each product of weights and of two activations the longer of what it
streams and what it computes: quantities are `nodes[].work` of the tool's JSON. Families of models are left out in turn;
sizes of one generation are one family. --lines prints the `param` lines of lists.
"""
import argparse
import collections
import csv
import gzip
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import llm
from cost import shorter
from cost_model import Z80, sigma_of_families

GPU = ("gpu_run_ms", "gpu_weights_gb_per_s", "gpu_matrix_gops", "gpu_cache_gb_per_s", "gpu_product_gops")
TOOLKIT = ("toolkit_run_ms", "toolkit_weights_gb_per_s", "toolkit_matrix_gops")
# One memory, one bandwidth: of weights and of what nodes read and write.
CPU = ("cpu_weights_gb_per_s, cpu_memory_gb_per_s", "cpu_packed_gops", "cpu_matrix_gops of float32, cpu_matrix_gops of float16",
       "cpu_row_gops")
NAMES = {"gpu": GPU, "toolkit": TOOLKIT, "cpu": CPU}
# Of a CPU, which are not fitted: nanoseconds of an element, microseconds of a node. By how many cores of which width.
CPU_STARTS = {"qcs8275": (.1, 5.), "qcs9075": (.075, 2.5), "sm8750": (.06, 1.25), "sm8850": (.06, 1.25), "sc8380xp": (.04, 1.5),
              "soc88": (.02, .75)}
FEW_ROWS = 16
# Where each fit begins, and how far from there it may be, as a deviation of the logarithm: a chip has few rows.
BEGUN = {"gpu": (4., 40., 1500., 20., 500.), "toolkit": (5., 20., 700.), "cpu": (60., 1500., 200., 40.)}
FREE = {"gpu": (.7, 1., 1., .5, .5), "toolkit": (.7, 1., 1.), "cpu": (.7, 1., 1., 1.5)}
MOST_ERROR = .5
ROW = .15  # of one row by the others
SOURCES = {"gpu": "llama.cpp on Adreno: q4_0, qai-hub-models v0.65.0",
           "toolkit": "RKLLM 1.3.0: all cores, W8A8, airockchip/rknn-llm's benchmark",
           "FastFlowLM": "FastFlowLM: Q4_1, its own benchmark of XDNA2",
           "cpu": "llama.cpp, q4_0, of 13 decoders: qai-hub-models v0.65.0 (make fidelity-elsewhere)"}


def source_of(engine, target):
    return "FastFlowLM" if target.startswith("xdna") else engine


def family_of(model):
    """`qwen3_vl_4b_instruct` and `qwen3_0_6b` are of one, as are sizes of others."""
    return model.replace("-", "_").split("_")[0].replace("2.5", "2")


class Quantities:
    """Of a decoder's run: bytes and operations of each product of weights, then of two activations."""

    def __init__(self, asker, model, kind, slots, tokens):
        self.works, self.kernels = works, _ = asker.works(model, kind, slots, tokens)
        half = {1: .5, 11: .25}
        self.weights = np.array([(w["weight_bytes"] * half.get(w["weight_type"], 1), 2 * w["macs"]) for w in works
                                 if w["class"] == "matrix"], float).reshape(-1, 2)
        self.products = np.array([(w["bytes_in"], 2 * w["macs"]) for w in works if w["class"] == "product"], float).reshape(-1, 2)

    def milliseconds(self, values):
        run, weights, matrix = values[:3]
        cache, product = values[3:] if len(values) > 3 else (weights, matrix)
        return run + np.maximum(self.weights[:, 0] / weights, self.weights[:, 1] / matrix).sum() / 1e6 + \
            np.maximum(self.products[:, 0] / cache, self.products[:, 1] / product).sum() / 1e6


class OnCpu:
    """The same where an engine computes what the graph has, kernel by kernel: products of weights, of two activations (by how
    many rows), what moves, elements and kernels. A Transpose of the cache is its product's, as the tool has it."""

    def __init__(self, of, chip):
        half = {1: 2, 10: 2}
        self.starts, works, self.kernels = CPU_STARTS[chip], of.works, of.kernels
        self.weights = np.array([(w["weight_bytes"], w["bytes_in"] + w["bytes_out"], 2 * w["macs"]) for w in works
                                 if w["class"] == "matrix"], float)
        self.products = np.array([(w["bytes_in"] + w["bytes_out"], 2 * w["macs"], w["rows"]) for w in works
                                  if w["class"] == "product"], float)
        others = [w for w in works if w["class"] not in ("matrix", "product")]
        self.moved = sum(min(w["bytes_in"], w["bytes_out"]) + w["bytes_out"] for w in others
                         if w["class"] == "move" and w["op"] != "Transpose")
        self.elements = sum(w["bytes_out"] / half.get(w["activation_type"], 4) for w in others if w["class"] != "move")

    def milliseconds(self, values):
        memory, packed, matrix, row = values
        weights = np.maximum((self.weights[:, 0] + self.weights[:, 1]) / memory, self.weights[:, 2] / packed).sum()
        rate = np.where(self.products[:, 2] < FEW_ROWS, row, matrix)
        products = np.maximum(self.products[:, 0] / memory, self.products[:, 1] / rate).sum()
        return (weights + products + self.moved / memory + self.elements * self.starts[0]) / 1e6 + self.kernels * self.starts[1] / 1e3


class Asker:
    def __init__(self, tool, maker, folder):
        self.tool, self.maker, self.folder, self.known = tool, maker, folder, {}

    def path(self, model, kind, slots, tokens):
        path = self.folder / f"{model}.{kind}.{slots}.{tokens}.onnx"
        if not path.exists():
            self.maker.build(dict(zip(llm.KEYS, llm.SIZES[model])), kind, slots, tokens, 32, str(path))
        return path

    def works(self, *key):
        """Of each node, and how many kernels the CPU runs."""
        answer = json.loads(subprocess.run([self.tool, self.path(*key), "-t", "hexagon", "--no-advice", "--format", "json"],
                                           check=True, capture_output=True, text=True).stdout)
        target = answer["targets"][0]
        return ([{**node["work"], "op": node["op"]} for node in target["nodes"] if node.get("work")],
                sum(operator["nodes"] for operator in target["cost"]["cpu_operators"] if operator["typical_ms"]))

    def of(self, *key):
        if key not in self.known:
            self.known[key] = Quantities(self, *key)
        return self.known[key]


def fit(rows, engine):
    """Values with the least sum of absolute errors of logarithms, and of how far each is from where it began."""
    start, free = np.log(BEGUN[engine]), np.array(FREE[engine])

    def price(z):
        values = np.exp(start + free * z)
        return sum(abs(math.log(of.milliseconds(values) / ms)) for *_, of, ms in rows) / ROW + (z ** 2).sum() / 2

    z, step = np.zeros(len(start)), 1.
    best = price(z)
    while step > 1e-3:
        moved = False
        for k in range(len(z)):
            for way in (step, -step):
                to = z.copy()
                to[k] += way
                if (found := price(to)) < best:
                    z, best, moved = to, found, True
        step *= 1 if moved else .5
    return np.exp(start + free * z)


def read(args, asker):
    """{(engine, chip): [(family, model, what, quantities, ms)]}"""
    rows = collections.defaultdict(list)
    with gzip.open(args.truth / "llm/aihub_v0.65.0.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            unit, chip = row["unit"], llm.CHIPS.get(row["device"])
            if unit not in ("gpu", "cpu") or row["precision"] != "q4_0" or row["model"] not in llm.SIZES or not chip:
                continue
            for what, tokens, column in (("decode", 1, "decode_tokens_per_s"), ("prompt", llm.PROMPT, "prompt_tokens_per_s")):
                if row[column]:
                    slots = int(row["context"])
                    used = llm.IN_USE.get(slots, slots) if what == "decode" else slots
                    of = asker.of(row["model"], "nbits", used, tokens)
                    rows[unit, "hexagon:" + chip].append(
                        (family_of(row["model"]), row["model"], what, of if unit == "gpu" else OnCpu(of, chip),
                         1000 * tokens / float(row[column])))
    with gzip.open(args.truth / "llm/other.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            if row["source"].startswith("rkllm"):
                what, tokens = ("prompt", llm.PROMPT) if row["what"] == "ttft" else ("decode", 1)
                of = asker.of(row["model"], "qdq8", llm.SLOTS, tokens)
                rows["toolkit", row["target"]].append((row["model"], row["model"], what, of, float(row["published_ms"])))
            elif row["source"] == "FastFlowLM":
                of = asker.of(row["model"], "nbits", int(row["what"].partition("@")[2]), 1)
                rows["toolkit", "xdna:bf16"].append((row["model"], row["model"], "decode", of, float(row["published_ms"])))
    return rows


def left_out(rows, engine):
    """(family, what, told over published) of each row, by a fit to the other families."""
    for family in sorted({row[0] for row in rows}):
        others = [row for row in rows if row[0] != family]
        values = fit(others, engine) if others else BEGUN[engine]
        for name, _, what, of, ms in rows:
            if name == family:
                yield family, what, of.milliseconds(values) / ms


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--truth", type=pathlib.Path, required=True)
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("--page", type=pathlib.Path)
    args = parser.parse_args()
    sys.path.insert(0, str(args.truth / "llm"))
    import make_llm
    with tempfile.TemporaryDirectory() as folder:
        rows = read(args, Asker(args.tool, make_llm, pathlib.Path(folder)))
    table, lines = [], []
    for (engine, target), of_chip in sorted(rows.items()):
        held = list(left_out(of_chip, engine))
        logs, families = np.array([abs(math.log(ratio)) for *_, ratio in held]), [family for family, *_ in held]
        sigma = sigma_of_families(logs, np.zeros(len(logs)), np.ones(len(logs)), families)
        values = fit(of_chip, engine)
        fitted = np.median([abs(of.milliseconds(values) / ms - 1) for *_, of, ms in of_chip])
        for what in ("decode", "prompt"):
            some = [(family, abs(ratio - 1), ratio) for family, w, ratio in held if w == what]
            if some:
                errors = np.array([error for _, error, _ in some])
                table.append(f"| {engine} | {target} | {what} | {len(some)} | {len({f for f, *_ in some})} | "
                             f"{100 * np.median(errors):.1f} % | {100 * np.quantile(errors, .9):.0f} % | "
                             f"{np.median([r for *_, r in some]):.2f} | {math.exp(2 * Z80 * sigma):.1f} |")
        # Of several families, where left out their error says that rows contradict each other: not known.
        if len(set(families)) > 1 and max(np.median([abs(ratio - 1) for _, w, ratio in held if w == what])
                                          for what in {w for _, w, _ in held}) > MOST_ERROR:
            continue
        wide = math.exp(Z80 * sigma)
        for names, value in zip(NAMES[engine], values):
            if names == TOOLKIT[2] and all(what == "decode" for _, _, what, *_ in of_chip):
                continue  # no prompt says how fast products are
            for name in names.split(", "):
                lines.append(f"param {name} for {target.partition(':')[2]} {shorter(value / wide)} {shorter(value)} "
                             f"{shorter(value * wide)} \\\n    \"{SOURCES[source_of(engine, target)]}\"")
        print(f"{engine} {target}: fitted {100 * fitted:.1f} %", file=sys.stderr)
    text = PAGE + "\n".join(table) + "\n"
    print("\n".join(lines) if args.lines else text)
    if args.page:
        args.page.write_text(text)
    return 0


PAGE = """# Language models on CPUs and GPUs, and with a vendor's toolkit

Written by `make fidelity-elsewhere TRUTH=folder`. What a report says of a decoder beside the NPU: on the device's CPU and GPU, and
with a toolkit for such models alone, which takes all of one from another format than ONNX: of Rockchip's chips RKLLM, which
uses all cores of the NPU, of AMD's XDNA2 FastFlowLM. Rates are whole engines' (`cpu_...`, `gpu_...` and `toolkit_...` of op
lists), fitted chip by chip to published speeds: llama.cpp with `q4_0` (qai-hub-models 0.65.0), RKLLM 1.3.0 with W8A8
(airockchip/rknn-llm, 128 tokens in, 64 out), FastFlowLM (two sizes of one model, with 1 to 4 thousand slots in use; no
prompts, so a prompt there is not known). Errors are of families of models left out of the fit, all sizes of a generation
being one (of toolkits: models, of which there are one to three a chip; with one the fit is where it began).

A CPU has one bandwidth, of weights and of all else, and two rates of products of activations: a prompt's rows fill the
kernels, a step's few rows do not, and heads of queries that share keys fetch them anew. So what 4,096 slots add to a step goes by
heads of queries: 28 layers of 16 heads add 0.39 times what 36 layers of 32 heads do, in the median of six chips, as there are
0.39 times the heads; both have 8 heads of keys, and 0.78 times the bytes. (Qwen2.5-VL's 28 heads on 4 of keys add 0.4 to 1.2 times
what Qwen3 1.7B's 16 on 8 do.) By bytes, as rates went before, steps were 16.5 % off on the rows that these were set by. The publisher's
scripts (`qai_hub_models/utils/llm/geniex/jobs.py`) read the context less 128 tokens and write 128, so 448 of 512 and 4,032 of 4,096
slots are in use in the mean. Taken are half of 512 and all of 4,096 (`IN_USE` in `llm.py`): steps of families left out are 8.8 % off so, by
the scripts' slots 9.6 %, and the CPU of an 8 Elite would get 76 GB/s, 89 % of what its memory's pins carry, instead of 61. So a slot of
a short cache takes less than one of a long; which caches are short no row tells. `granite_4_0_micro` is left out: its `manifest.yaml`
calls it a hybrid with Mamba-2, and 4,096 slots add less than a tenth of what attention in all layers would. Kernels are counted as the tool
counts them (a cache's Transpose is part of its product); as nodes, families left out were 11.0 % off on the same rows. Where families
left out are off by more than 50 %, rows contradict each other, and lists have no rates (qcs9075). Intervals are from these, as those of networks are
(`sigma_of_families` in `oracles/fidelity/cost_model.py`). A cache of so many slots is charged whole; what was published filled it
in part. Nothing else is known of GPUs: of networks beside language models the tables have too few rows on any of them,
and of Mali, Arc and Apple's none.

| engine | target | what | rows | families | median error | 90 % within | said / published | high/low |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""

if __name__ == "__main__":
    sys.exit(main())
