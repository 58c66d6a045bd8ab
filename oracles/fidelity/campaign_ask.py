#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Put the models of campaign_export.py to the compiler and collect its answers where fidelity.py looks for them.

usage: campaign_ask.py FOLDER TRUTH --oracle ort_assign.py --python PYTHON [--ep qnn|openvino] [--soc 60,37]
                       [--timeout 200] [--exported] [--reasons]

Each model is asked at level all with its symbols bound to the sizes of FOLDER/exported.json; --exported leaves the
symbols in, and asks those models that have any. Answers go to TRUTH/models.hexagon.socN.jsonl.gz,
models_as_exported.hexagon.socN.jsonl.gz or models.intel-provider.jsonl.gz; models that have an answer there are not
asked again. --reasons asks why each node is refused, too, and writes that where reasons.py looks for it:
TRUTH/reasons.hexagon.jsonl.gz, reasons_as_exported.hexagon.jsonl.gz.
"""
import argparse
import gzip
import json
import pathlib
import subprocess
import sys


def row_of(args, row, soc):
    """What the compiler says about one model, as a line of JSON; None where it says nothing."""
    command = [args.python, args.oracle, str(args.folder / row["model"]), "--ep", args.ep, "--level", "all", "--soc",
               soc, "--timeout", str(args.timeout)]
    command += ["--reasons"] if args.reasons else []
    for name, size in () if args.exported else row["dims"].items():
        command += ["--dim", f"{name}={size}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not found:
        print(f"{row['model']}: no answer: {done.stderr[-200:]}", file=sys.stderr)
    return found[-1] if found else None


def append(path, line):
    with gzip.open(path, "at", encoding="utf-8") as file:
        file.write(line + "\n")


def reasons_of(line):
    """Of an answer what reasons.py reads."""
    answer = json.loads(line)
    return json.dumps({key: answer.get(key) for key in ("model", "dims", "reasons", "error")})


def ask_all(args, rows, soc):
    """Puts every model that has no answer there yet to one provider and SoC."""
    kind = "models_as_exported" if args.exported else "models"
    whose = f"hexagon.soc{soc}" if args.ep == "qnn" else "intel-provider"
    path = args.truth / f"{kind}.{whose}.jsonl.gz"
    answered = set()
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            answered = {json.loads(line)["model"] for line in lines}
    for row in rows:
        if row["model"] in answered or (args.exported and not row["symbols"]):
            continue
        line = row_of(args, row, soc)
        if line:
            append(path, line)
            if args.reasons:
                append(args.truth / f"{kind.replace('models', 'reasons')}.hexagon.jsonl.gz", reasons_of(line))
            print(row["model"], soc, json.loads(line).get("error", "loaded")[:100], flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("truth", type=pathlib.Path)
    parser.add_argument("--oracle", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--ep", choices=("qnn", "openvino"), default="qnn", help="the provider that is asked")
    parser.add_argument("--soc", default="60", help="with --ep qnn: one, or several with commas between; default 60")
    parser.add_argument("--timeout", type=int, default=200)
    parser.add_argument("--exported", action="store_true")
    parser.add_argument("--reasons", action="store_true", help="with --ep qnn and one SoC")
    args = parser.parse_args()
    args.truth.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in open(args.folder / "exported.json", encoding="utf-8")]
    for soc in args.soc.split(",") if args.ep == "qnn" else ["60"]:  # OpenVINO's provider reads none
        ask_all(args, rows, soc)
    return 0


if __name__ == "__main__":
    sys.exit(main())
