#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changed models through each stage that a fuzzer has, many in a process, under sanitizers.

usage: stages.py --programs build/asan/test/fuzz --keep FOLDER [--first N] [--count N] [--minutes N] FOLDER...
Needs:  pip install onnx

Mutant N (test/fuzz/mutant.h) goes through advice, diff, all formats, fix or split, one batch after another
(test/fuzz/through.c), with a target, sizes, placements and options by chance. What the fuzzer of the stage requires
must hold; what fix and split write, onnx.checker takes where it took the mutant. A run that was stopped goes on, as long
as programs and models are the same: KEEP/state.json says where. Exit status 1 when there is a finding: KEEP/found has
its log, and the command that repeats it is printed.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import onnx

BATCH = 200
# ONNX's checker wants a shape of every input and output; of a tensor where a split cuts none may be known.
NO_SHAPE = "Field 'shape' of 'type' is required but missing"
STAGES = {"advice": 1, "diff": 2, "documents": 1, "fix": 1, "split": 1}  # how many models each takes
NEXT = re.compile(rb"^mutant (\d+)$", re.M)


def models_in(folders):
    return [str(path) for folder in folders for path in sorted(folder.glob("*.onnx"))
            if path.stat().st_size <= 512 << 10]


def checker_problem(path):
    """None, or why onnx.checker does not take a file."""
    try:
        onnx.checker.check_model(str(path))  # by its path, so that weights beside it are found
    except Exception as error:  # whatever it raises: it does not take it
        return str(error).strip().replace("\n", " ")[:300] or type(error).__name__
    return None


def written(folder):
    """Models that a stage wrote beside in/m.onnx."""
    for out in (folder / "out", folder / "in" / "out"):
        if out.is_dir():
            yield from sorted(out.glob("*.onnx"))
        elif out.is_file():
            yield out


class Campaign:
    def __init__(self, options):
        self.options, self.models = options, models_in(options.folders)
        self.scratch, self.path = options.keep / "scratch", options.keep / "state.json"
        self.found = options.keep / "found"
        self.found.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256("\n".join([*self.models, str(options.first)]).encode())
        for stage in STAGES:
            digest.update((options.programs / f"through-{stage}").read_bytes())
        self.state = {"digest": digest.hexdigest(), "next": options.first, "findings": [], "counts": {}}
        if self.path.exists():
            kept = json.loads(self.path.read_text())
            self.state = kept if kept["digest"] == self.state["digest"] else self.state
        self.counts = collections.Counter(self.state["counts"])

    def run(self, stage, first, count):
        """Status and log of a process that goes through these mutants."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        (self.scratch / "tmp").mkdir(parents=True)
        environment = dict(os.environ, TMPDIR=str((self.scratch / "tmp").resolve()),
                           ASAN_OPTIONS="quarantine_size_mb=16", UBSAN_OPTIONS="print_stacktrace=1")
        command = [str(self.options.programs / f"through-{stage}"), str(first), str(count), str(STAGES[stage]),
                   str(self.scratch.resolve()), *self.models]
        with open(self.options.keep / "log", "w+b") as log:
            status = subprocess.run(command, stdout=log, stderr=log, env=environment, check=False).returncode
            log.seek(0)
            return status, log.read()

    def note(self, stage, number, why, log=b""):
        name = f"{stage}-{number}"
        self.state["findings"].append(f"{name}: {why}")
        (self.found / f"{name}.log").write_bytes(log)
        print(f"stages: {why}\n  through-{stage} {number} 1 {STAGES[stage]} FOLDER MODELS: see {self.found / name}.log",
              flush=True)

    def check_written(self, stage):
        for folder in self.scratch.iterdir():
            source = folder / "in" / "m.onnx"
            files = list(written(folder)) if source.is_file() else []
            if not files or checker_problem(source):
                continue
            self.counts[f"{stage}: files that the checker has seen"] += len(files)
            for file in files:
                problem = checker_problem(file)
                if problem and stage == "split" and NO_SHAPE in problem:
                    self.counts["split: files cut where no shape is known"] += 1
                elif problem:
                    kept = self.found / f"{stage}-{folder.name}"
                    shutil.copytree(folder, kept, dirs_exist_ok=True)
                    self.note(stage, int(folder.name), f"onnx.checker, {file.name}: {problem}")
                    break

    def batch(self, stage, first, count):
        last = first + count
        while first < last:
            status, log = self.run(stage, first, last - first)
            seen = NEXT.findall(log)
            if not seen:
                sys.exit(f"stages: {stage}: {log[-500:].decode(errors='replace')}")
            self.check_written(stage)
            number = int(seen[-1])
            if status:
                wrong = [line for line in log.decode(errors="replace").splitlines()
                         if "ERROR:" in line or "runtime error" in line or "not true" in line]
                self.note(stage, number, wrong[0] if wrong else f"exit status {status}", log[log.rfind(b"mutant "):])
            self.counts[stage] += number + 1 - first
            first = number + 1

    def save(self):
        self.state["counts"] = dict(sorted(self.counts.items()))
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.state, indent=1) + "\n")
        new.replace(self.path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=pathlib.Path, required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200000)
    parser.add_argument("--minutes", type=float, default=1e6, help="stop then, and say how far it is")
    parser.add_argument("folders", nargs="+", type=pathlib.Path, help="with the models to change")
    options = parser.parse_args()
    campaign, start = Campaign(options), time.monotonic()
    if not campaign.models:
        sys.exit("stages: no models to change")
    names, last = list(STAGES), options.first + options.count
    while campaign.state["next"] < last and time.monotonic() - start < options.minutes * 60:
        first = campaign.state["next"]
        count = min(BATCH, last - first)
        campaign.batch(names[first // BATCH % len(names)], first, count)
        campaign.state["next"] = first + count
        campaign.save()
    shutil.rmtree(campaign.scratch, ignore_errors=True)
    print(f"stages: {campaign.state['next'] - options.first} mutants of {len(campaign.models)} models and the"
          f" generator: {json.dumps(campaign.state['counts'])}, {len(campaign.state['findings'])} findings")
    for finding in campaign.state["findings"]:
        print(f"  {finding}")
    return 1 if campaign.state["findings"] else 0


if __name__ == "__main__":
    sys.exit(main())
