#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ask compilers about decoders with a fixed cache: is each one partition, and is the prediction right?

usage: decoder_compilers.py --tool build/npu-partition --folder FOLDER --oracle ort_assign.py --cache N
                            [--window-cache] [--qnn PYTHON] [--openvino PYTHON]
                            MODEL[:DIM=SIZE,...]...
Needs:  an environment with onnxruntime-qnn, one with onnxruntime-openvino, as the oracle says

`fix --cache` writes a file for hexagon and one for intel-npu, with rewrites that round otherwise allowed. Each is put
to the provider's compiler, and its partitions and nodes on the CPU are compared with those of the plan. Prints a line
for each, and at the end how many are whole and how many were predicted. Exit status 1 where one was not.
"""
import argparse
import json
import pathlib
import subprocess
import sys

TARGETS = {"qnn": "hexagon", "openvino": "intel-npu"}


def fix(args, target, text, out):
    """What went wrong, or None."""
    name, _, sizes = text.partition(":")
    command = [args.tool, "fix", name, "-t", target, "--cache", str(args.cache), "--tokens", str(args.tokens),
               "--allow", "ulp", "-o", str(out), "-q", *["--window-cache"] * args.window_cache]
    for pair in filter(None, sizes.split(",")):
        command += ("--bind", pair[5:]) if pair.startswith("bind.") else ("-d", pair)
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    return None if out.exists() else (done.stdout + done.stderr).strip()


def predicted(args, target, path):
    done = subprocess.run([args.tool, str(path), "-t", target, "--format", "json", "--detail", "summary"],
                          capture_output=True, text=True, timeout=600, check=False)
    summary = json.loads(done.stdout)["targets"][0]["summary"]
    return summary["partitions"], summary["live"] - summary["accepted"], summary["verdict"]


def asked(args, ep, python, path):
    done = subprocess.run([python, args.oracle, str(path), "--ep", ep, "--level", "all", "--timeout", "280"],
                          capture_output=True, text=True, timeout=600, check=False)
    found = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not found:
        return None, None, done.stderr[-200:]
    answer = json.loads(found[-1])
    if answer.get("error"):
        return None, None, answer["error"][:200]
    return (len(answer["partitions"]), sum(node["ep"].startswith("CPU") for node in answer["nodes"]), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--folder", required=True, type=pathlib.Path)
    parser.add_argument("--oracle", required=True)
    parser.add_argument("--cache", type=int, default=128)
    parser.add_argument("--tokens", type=int, default=1)
    parser.add_argument("--window-cache", action="store_true", help="as of fix")
    parser.add_argument("--qnn")
    parser.add_argument("--openvino")
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    whole = right = count = 0
    for text in args.models:
        for ep, target in TARGETS.items():
            python = getattr(args, ep)
            if not python:
                continue
            count += 1
            stem = pathlib.Path(text.partition(":")[0]).stem
            out = args.folder / f"{stem}.{ep}.onnx"
            out.unlink(missing_ok=True)
            refused = fix(args, target, text, out)
            if refused:
                print(f"{stem} {ep}: not written: {refused[:200]}", flush=True)
                continue
            plan = predicted(args, target, out)
            partitions, on_cpu, error = asked(args, ep, python, out)
            is_right = plan[2] == "fails" if error else (partitions, on_cpu) == plan[:2]
            whole += error is None and (partitions, on_cpu) == (1, 0)
            right += is_right
            print(f"{stem} {ep}: predicted {plan[0]}/{plan[1]} {plan[2]}, found "
                  f"{error or f'{partitions}/{on_cpu}'}{'' if is_right else '  DIFFERS'}", flush=True)
            out.unlink()
    print(f"{count} asked, {whole} whole, {right} as predicted")
    sys.exit(0 if right == count else 1)


if __name__ == "__main__":
    main()
