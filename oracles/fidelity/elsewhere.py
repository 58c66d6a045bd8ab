#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Published speeds of language models on GPUs, and with a vendor's toolkit for such models: fits the rates by which the
tool prices both (lib/plan/cost/elsewhere.c), each chip by itself, and says how far off models left out are.

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
# Where each fit begins, and how far from there it may be, as a deviation of the logarithm: a chip has few rows.
BEGUN = {"gpu": (4., 40., 1500., 20., 500.), "toolkit": (5., 20., 700.)}
FREE = (.7, 1., 1., .5, .5)
MOST_ERROR = .5
ROW = .15  # of one row by the others
SOURCES = {"gpu": "llama.cpp on Adreno: q4_0, qai-hub-models v0.65.0",
           "toolkit": "RKLLM 1.3.0: all cores, W8A8, airockchip/rknn-llm's benchmark"}


def family_of(model):
    """`qwen3_vl_4b_instruct` and `qwen3_0_6b` are of one, as are sizes of others."""
    return model.replace("-", "_").split("_")[0].replace("2.5", "2")


class Quantities:
    """Of a decoder's run: bytes and operations of each product of weights, then of two activations."""

    def __init__(self, asker, model, kind, slots, tokens):
        path = asker.path(model, kind, slots, tokens)
        answer = json.loads(subprocess.run([asker.tool, path, "-t", "hexagon", "--no-advice", "--format", "json"], check=True,
                                           capture_output=True, text=True).stdout)
        works = [node["work"] for node in answer["targets"][0]["nodes"] if node.get("work")]
        half = {1: .5, 11: .25}
        self.weights = np.array([(w["weight_bytes"] * half.get(w["weight_type"], 1), 2 * w["macs"]) for w in works
                                 if w["class"] == "matrix"], float).reshape(-1, 2)
        self.products = np.array([(w["bytes_in"], 2 * w["macs"]) for w in works if w["class"] == "product"], float).reshape(-1, 2)

    def milliseconds(self, values):
        run, weights, matrix = values[:3]
        cache, product = values[3:] if len(values) > 3 else (weights, matrix)
        return run + np.maximum(self.weights[:, 0] / weights, self.weights[:, 1] / matrix).sum() / 1e6 + \
            np.maximum(self.products[:, 0] / cache, self.products[:, 1] / product).sum() / 1e6


class Asker:
    def __init__(self, tool, maker, folder):
        self.tool, self.maker, self.folder, self.known = tool, maker, folder, {}

    def path(self, model, kind, slots, tokens):
        path = self.folder / f"{model}.{kind}.{slots}.{tokens}.onnx"
        if not path.exists():
            self.maker.build(dict(zip(llm.KEYS, llm.SIZES[model])), kind, slots, tokens, 32, str(path))
        return path

    def of(self, *key):
        if key not in self.known:
            self.known[key] = Quantities(self, *key)
        return self.known[key]


def fit(rows, begun):
    """Values with the least sum of absolute errors of logarithms, and of how far each is from where it began."""
    start = np.log(begun)
    free = np.array(FREE[:len(begun)])

    def price(z):
        values = np.exp(start + free * z)
        return sum(abs(math.log(of.milliseconds(values) / ms)) for *_, of, ms in rows) / ROW + (z ** 2).sum() / 2

    z, step = np.zeros(len(begun)), 1.
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
            if row["unit"] != "gpu" or row["precision"] != "q4_0" or row["model"] not in llm.SIZES or row["device"] not in llm.CHIPS:
                continue
            for what, tokens, column in (("decode", 1, "decode_tokens_per_s"), ("prompt", llm.PROMPT, "prompt_tokens_per_s")):
                if row[column]:
                    of = asker.of(row["model"], "nbits", int(row["context"]), tokens)
                    rows["gpu", "hexagon:" + llm.CHIPS[row["device"]]].append(
                        (family_of(row["model"]), row["model"], what, of, 1000 * tokens / float(row[column])))
    with gzip.open(args.truth / "llm/other.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            if row["source"].startswith("rkllm"):
                what, tokens = ("prompt", llm.PROMPT) if row["what"] == "ttft" else ("decode", 1)
                of = asker.of(row["model"], "qdq8", llm.SLOTS, tokens)
                rows["toolkit", row["target"]].append((row["model"], row["model"], what, of, float(row["published_ms"])))
    return rows


def left_out(rows, engine):
    """(family, what, told over published) of each row, by a fit to the other families."""
    for family in sorted({row[0] for row in rows}):
        others = [row for row in rows if row[0] != family]
        values = fit(others, BEGUN[engine]) if others else BEGUN[engine]
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
        values = fit(of_chip, BEGUN[engine])
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
                                          for what in ("decode", "prompt")) > MOST_ERROR:
            continue
        wide = math.exp(Z80 * sigma)
        for name, value in zip(GPU if engine == "gpu" else TOOLKIT, values):
            lines.append((target, f"param {name} for {target.partition(':')[2]} {shorter(value / wide)} {shorter(value)} {shorter(value * wide)} "
                                  f"\"{SOURCES[engine]}\""))
        print(f"{engine} {target}: fitted {100 * fitted:.1f} %", file=sys.stderr)
    text = PAGE + "\n".join(table) + "\n"
    print("\n".join(line for _, line in lines) if args.lines else text)
    if args.page:
        args.page.write_text(text)
    return 0


PAGE = """# Language models on GPUs, and with a vendor's toolkit

Written by `make fidelity-elsewhere TRUTH=folder`. What a report says of a decoder beside NPU and CPU: on the device's GPU, and
of Rockchip's chips with RKLLM, which is another toolkit than this tool's `rknn`, takes all of a model from another format
than ONNX, and uses all cores of the NPU. Rates are whole engines' (`gpu_...` and `toolkit_...` of op lists), fitted chip by
chip to published speeds: llama.cpp with `q4_0` (qai-hub-models 0.65.0), RKLLM 1.3.0 with W8A8 (airockchip/rknn-llm, 128 tokens
in, 64 out). Errors are of families of models left out of the fit, all sizes of a generation being one (of RKLLM: models, of
which there are one to three a chip; with one the fit is where it began). Where families
left out are off by more than 50 %, rows contradict each other, and lists have no rates (qcs9075). Intervals are from these, as those of networks are
(`sigma_of_families` in `oracles/fidelity/cost_model.py`). A cache of so many slots is charged whole; what was published filled it
in part. Nothing else is known of GPUs: of networks beside language models the tables have too few rows on any of them,
and of Mali, Arc and Apple's none.

| engine | target | what | rows | families | median error | 90 % within | said / published | high/low |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""

if __name__ == "__main__":
    sys.exit(main())
