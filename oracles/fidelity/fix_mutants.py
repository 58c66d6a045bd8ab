#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changed models through `npu-partition fix`: it must end in a file or a message, soon, and the file must be a model.

usage: fix_mutants.py --tool build/npu-partition --sanitized build/asan/npu-partition --maker build/test/fuzz/make_mutants
                      [--first N] [--count N] [--keep FOLDER] FOLDER...
Needs:  pip install onnx

Mutants (test/fuzz/make_mutants.c: made by a generator, changed as models, changed as bytes) of the models of the folders
go through the sanitized build one by one, for one target after another, with the default class or all of them. The exit
status is 0 to 4; a file is there where it is 0 and never else, unless a threshold was given; the file parses, and
onnx.checker takes it where it took the mutant. Every tenth mutant goes through the plain build too, which must write
the same bytes. Exit status 1 when one fails.
"""
import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import onnx

import fix_tool

BATCH = 100
MOST_SECONDS = 20
MOST_BYTES = 1 << 30
EVERY = 10
TARGETS = ("hexagon:60", "intel-npu:4000", "nnapi", "hexagon:60,intel-npu:4000")
os.environ.setdefault("ASAN_OPTIONS", "quarantine_size_mb=16:exitcode=99")
os.environ.setdefault("UBSAN_OPTIONS", "print_stacktrace=1:exitcode=99")


def is_taken(model):
    try:
        onnx.checker.check_model(model)
    except Exception:  # whatever it raises: it does not take it
        return False
    return True


def read(path):
    try:
        return onnx.load_model(str(path), load_external_data=False)
    except Exception:
        return None


class Campaign:
    def __init__(self, options):
        self.options = options
        self.counts, self.rewrites = collections.Counter(), collections.Counter()
        self.failures, self.slowest, self.largest = [], 0.0, 0

    def way(self, number):
        words = [[], ["--allow", "bits-if,ulp,step,approx"], ["--dim", "n=2", "--dim", "batch=1"],
                 ["--allow", "bits-if,ulp", "--level", "off"]]
        return TARGETS[number % len(TARGETS)], words[number // len(TARGETS) % len(words)]

    def problem(self, number, file, out):
        target, options = self.way(number)
        out.unlink(missing_ok=True)
        fixed = fix_tool.fix(self.options.sanitized, file, target, out, options, MOST_SECONDS)
        self.slowest, self.largest = max(self.slowest, fixed.seconds), max(self.largest, fixed.bytes)
        self.counts[f"exit {fixed.status}"] += 1
        if fixed.status not in range(5):
            lines = [line for line in fixed.message.splitlines() if "ERROR" in line or "runtime error" in line]
            return f"exit {fixed.status}: {' '.join(lines[:1]) or fixed.message[-200:]}"
        if fixed.status and out.exists() and fixed.status != 1:
            return f"exit {fixed.status}, and a file is there"
        if fixed.status == 4:
            self.counts["not proved"] += 1
            return f"exit 4: {fixed.message[-200:]}"
        if fixed.status in (2, 3):
            return None if "npu-partition: " in fixed.message else f"exit {fixed.status} without a message"
        self.rewrites.update(fixed.applied)
        if not out.exists():
            return "exit 0 without a file"
        return self.file_problem(file, out, fixed) or self.repeated(number, file, out, target, options)

    def file_problem(self, file, out, fixed):
        before, after = read(file), read(out)
        if after is None:
            return None if before is None and not fixed.steps else "the file does not parse"
        if before is not None and is_taken(before):
            self.counts["taken by the checker"] += 1
            if fixed.steps:
                self.counts["of them changed"] += 1
            if not is_taken(after):
                return f"onnx.checker: {fix_tool.checker_problem(out)}; steps {fixed.applied}"
        return None

    def repeated(self, number, file, out, target, options):
        if number % EVERY:
            return None
        again = out.with_name("again.onnx")
        again.unlink(missing_ok=True)
        fixed = fix_tool.fix(self.options.tool, file, target, again, options, MOST_SECONDS)
        if fixed.status not in (0, 1) or not again.exists() or again.read_bytes() != out.read_bytes():
            return f"the plain build ends with {fixed.status} or writes other bytes"
        return f"{fixed.bytes >> 20} MiB" if fixed.bytes > MOST_BYTES else None

    def keep(self, number, file, why):
        kept = pathlib.Path(self.options.keep)
        kept.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, kept)
        target, options = self.way(number)
        self.failures.append(number)
        print(f"mutants: {why}\n  {fix_tool.command_of(self.options.sanitized, kept / file.name, target, '/tmp/out.onnx', options)}", flush=True)

    def batch(self, first, count, folder, models):
        subprocess.run([self.options.maker, str(folder), str(first), str(count), *models], check=True)
        for number in range(first, first + count):
            file = folder / f"{number}.onnx"
            why = self.problem(number, file, folder / "out.onnx")
            if why:
                self.keep(number, file, why)
            file.unlink()


def models_in(folders):
    for folder in folders:
        for path in sorted(folder.glob("*.onnx")):
            if path.stat().st_size <= 512 << 10:
                yield str(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--sanitized", required=True)
    parser.add_argument("--maker", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--minutes", type=float, default=1e6, help="stop then, and say how many were done")
    parser.add_argument("--keep", default="build/fix-mutants-found", help="where mutants go that fail")
    parser.add_argument("folders", nargs="+", type=pathlib.Path, help="with the models to change")
    options = parser.parse_args()
    models, campaign, start, done = list(models_in(options.folders)), Campaign(options), time.monotonic(), 0
    with tempfile.TemporaryDirectory() as folder:
        for first in range(options.first, options.first + options.count, BATCH):
            if time.monotonic() - start > options.minutes * 60:
                break
            count = min(BATCH, options.first + options.count - first)
            campaign.batch(first, count, pathlib.Path(folder), models)
            done += count
    print(f"mutants: {done} of {len(models)} models and the generator through fix, {len(TARGETS)} targets: "
          f"{json.dumps(dict(sorted(campaign.counts.items())))}, "
          f"most {campaign.slowest:.2f} s, {campaign.largest >> 20} MiB (sanitized), {len(campaign.failures)} "
          f"failed; {time.monotonic() - start:.0f} s")
    print("steps:", " ".join(f"{name} {count}" for name, count in campaign.rewrites.most_common()))
    return bool(campaign.failures)


if __name__ == "__main__":
    sys.exit(main())
