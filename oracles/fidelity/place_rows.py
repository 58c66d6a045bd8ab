#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `place` says of each model of a set beside the report of that file alone: one question, one answer.

usage: place_rows.py --tool build/npu-partition --models DIR [--targets hexagon,...]

A row with a line to paste is held against the file that this line writes, another against the model with the row's sizes,
or, where it has no time on the NPU, as it was exported.
Verdict and partitions are equal, and so is the time of a run, but for what a linked tensor saves that stays on the NPU: at
most the report's own copies. Exit status 1 when a row differs, or none was compared.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

SETS = {
    "whisper": ["whisper-tiny-encoder.optimum", "whisper-tiny-decoder.optimum", "whisper-tiny-decoder-past.optimum"],
    "m2m100": ["m2m100-418m-encoder.optimum", "m2m100-418m-decoder.optimum", "m2m100-418m-decoder-past.optimum"],
    "m2m100 without a cache": ["m2m100-418m-encoder.optimum", "m2m100-418m-decoder.optimum"],
    "t5": ["t5-small-encoder.optimum", "t5-small-decoder.optimum", "t5-small-decoder-past.optimum"],
    "clip": ["clip-b32-text.ts14.dyn", "clip-b32-vision.dynamo.dyn"],
    "stable diffusion": ["clip-b32-text.ts14.dyn", "sd15-unet.ts14.dyn"],
    "images and text": ["clip-b32-vision.dynamo.dyn", "qwen2-0.5b-past.optimum"],
    "search and answer": ["bert-base.dynamo.dyn", "qwen2-0.5b-past.optimum"],
    "speech": ["t5-small-encoder.optimum", "wav2vec2-base.ts14.dyn"],
    "qwen2": ["qwen2-0.5b-past.optimum"], "gpt2": ["gpt2-past.optimum"],
    "qwen2 int4": ["qwen2-0.5b.genai-int4-cpu"],
}


def ask(tool, *arguments):
    done = subprocess.run([tool, *map(str, arguments), "--format", "json"], capture_output=True, text=True, check=False)
    if not done.stdout:
        raise SystemExit(f"place_rows: {' '.join(map(str, arguments))}: {done.stderr}")
    return json.loads(done.stdout)


def written(tool, row, model, folder):
    """The file that the row's line writes for the tokens of its run."""
    line = [model if pathlib.Path(word).name == model.name else word for word in row["run"][1:]]
    out = folder / "out"
    line[line.index("-o") + 1] = str(out) if "--tokens" in line else f"{out}.onnx"
    subprocess.run([tool, *map(str, line)], capture_output=True, check=False)
    return out / f"tokens-{row['cache_tokens']}.onnx" if out.is_dir() else out.with_suffix(".onnx")


def alone(tool, row, model, target):
    """Verdict, partitions, the range of a run and what its copies take, by the report of the file."""
    with tempfile.TemporaryDirectory() as name:
        if row["run"]:
            asked = [written(tool, row, model, pathlib.Path(name))]
        elif row["costs"]["npu"] is None:
            asked = [model]
        else:
            asked = [model, *(word for dim, size in row["dims"].items() for word in ("-d", f"{dim}={size}"))]
        found = ask(tool, *asked, "-t", target, "--detail", "causes")["targets"][0]
    cost, summary = found["cost"], found["summary"]
    moved = sum((cost["parts"][part] or [0] * 3)[1] for part in ("copy", "layout"))
    return summary["verdict"], summary["partitions"], [cost[f"{which}_ms"] for which in ("low", "typical", "high")], moved


def is_same(row, report):
    verdict, partitions, times, moved = report
    if row["costs"]["npu"] is None:
        return None in times or verdict in ("fail", "none")
    if None in times or (row["verdict"], row["partitions"]) != (verdict, partitions):
        return False
    said, expected = row["costs"]["npu"][1], times[1]
    return expected - moved - 0.001 * expected <= said <= 1.001 * expected


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--targets", default="hexagon,intel-npu,xdna")
    arguments = parser.parse_args()
    same, other = 0, 0
    for target in arguments.targets.split(","):
        for name, members in SETS.items():
            paths = [arguments.models / f"{member}.onnx" for member in members]
            for row in ask(arguments.tool, "place", *paths, "-t", target)["parts"]:
                model = arguments.models / row["part"].split(":")[0]
                report = alone(arguments.tool, row, model, target)
                is_equal = is_same(row, report)
                same, other = same + is_equal, other + (not is_equal)
                if not is_equal:
                    print(f"{target}, {name}: {row['part']}: {row['verdict']}, {row['partitions']}, {row['costs']['npu']}; "
                          f"alone {report}")
    print(f"place: {same} rows as the report of the file, {other} otherwise")
    return 1 if other or not same else 0


if __name__ == "__main__":
    sys.exit(main())
