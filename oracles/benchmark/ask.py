# SPDX-License-Identifier: Apache-2.0
"""Puts exports to a compiler through an oracle script, and keeps its answers: a file for each, never asked twice.

Scripts for hexagon and intel-npu are called as oracles/fidelity/campaign_ask.py does: MODEL --ep --level all --soc
--timeout --dim NAME=SIZE. Those for xnnpack and ethos-u are oracles/fidelity/ask_TARGET.py.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

import table

HERE = pathlib.Path(__file__).resolve().parent
SOC = "60"  # of hexagon: Snapdragon 8 Gen 2, v73, the tool's default
ARGUMENTS = {"hexagon": ["--level", "all", "--ep", "qnn", "--soc", SOC],
             "intel-npu": ["--level", "all", "--ep", "openvino", "--soc", SOC],
             "xnnpack": ["--level", "basic"],
             "ethos-u": ["--level", "basic", "--chips", "ethos-u55-256"]}
KEEPS_TIME = ("hexagon", "intel-npu")  # scripts with --timeout


def script_of(target):
    """The one that is in this repository; None: there is none."""
    path = HERE.parent / "fidelity" / f"ask_{target}.py"
    return str(path) if path.exists() else None


def ask(export, target, oracle, python, seconds):
    """A line of JSON; what the script does not say is an error."""
    command = [python, oracle, export["path"], *ARGUMENTS[target]]
    command += ["--timeout", str(seconds)] if target in KEEPS_TIME else []
    for name, size in export["dims"].items():
        command += ["--dim", f"{name}={size}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=2 * seconds + 60)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        answer = json.loads(lines[-1]) if lines else {"error": f"no answer: {done.stderr[-200:]}"}
    except subprocess.TimeoutExpired:
        answer = {"error": "no answer: the script took too long"}
    answer.pop("seconds", None)
    return {"level": ARGUMENTS[target][1], **answer}


def ask_all(exports, folder, target, oracle, python, seconds, minutes):
    """Asks until all have answers or the minutes are over."""
    folder.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * minutes
    for export in sorted(exports, key=lambda e: (os.path.getsize(e["path"]), e["name"])):  # small ones first
        path = folder / (export["name"] + ".json")
        if path.exists():
            continue
        if time.monotonic() > end:
            print(f"{target}: the time for asking is over; a rerun goes on", file=sys.stderr)
            return
        answer = ask(export, target, oracle, python, seconds)
        table.write_json(path, answer)
        print(f"{target} {export['name']}: {answer.get('error', 'loaded')[:100]}", flush=True)
