# SPDX-License-Identifier: Apache-2.0
"""Puts exports to a compiler through an oracle script, and keeps its answers: a file for each, never asked twice.

The script is called as test/fidelity/campaign_ask.py does: MODEL --ep --level all --soc --timeout --dim NAME=SIZE.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

PROVIDERS = {"hexagon": "qnn", "intel-npu": "openvino"}
SOC = "60"  # of hexagon: Snapdragon 8 Gen 2, v73, the tool's default


def ask(export, target, oracle, python, seconds):
    """A line of JSON; what the script does not say is an error."""
    command = [python, oracle, export["path"], "--ep", PROVIDERS[target], "--level", "all", "--soc", SOC, "--timeout",
               str(seconds)]
    for name, size in export["dims"].items():
        command += ["--dim", f"{name}={size}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=2 * seconds + 60)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        answer = json.loads(lines[-1]) if lines else {"error": f"no answer: {done.stderr[-200:]}"}
    except subprocess.TimeoutExpired:
        answer = {"error": "no answer: the script took too long"}
    answer.pop("seconds", None)
    return {"level": "all", **answer}


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
        new = pathlib.Path(f"{path}.new")
        new.write_text(json.dumps(answer, sort_keys=True) + "\n", encoding="utf-8")
        os.replace(new, path)
        print(f"{target} {export['name']}: {answer.get('error', 'loaded')[:100]}", flush=True)
