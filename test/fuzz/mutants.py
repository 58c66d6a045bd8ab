# SPDX-License-Identifier: Apache-2.0
"""Changed models through the tool: whatever a file holds, it must end in an answer or a message, soon.

Of each mutant (test/fuzz/make_mutants.c): under address and undefined-behaviour sanitizers the exit status is 0, 1 or
3 and standard output is JSON in UTF-8; without them the output is the same, and it takes at most 1 s of CPU time and
256 MiB. Mutants go through the tool by the batch, each batch for the next target and level; those of a batch that
fails, or as a whole passes a limit, again one by one.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

BATCH = 50
MOST_SECONDS = 1.0
MOST_BYTES = 256 << 20
TIMEOUT_SECONDS = 20
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="quarantine_size_mb=16:exitcode=99",
                   UBSAN_OPTIONS="print_stacktrace=1:exitcode=99")


class Run:
    """One process: exit status (None: stopped), output, CPU seconds, bytes at the peak."""

    def __init__(self, command, seconds):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            limit = int(seconds) + 1
            child = subprocess.Popen(command, stdout=out, stderr=err, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            self.out, self.err = out.read(), err.read().decode("utf-8", "replace")
        self.status = child.returncode
        self.seconds = usage.ru_utime + usage.ru_stime
        self.bytes = usage.ru_maxrss << 10


def json_problem(text):
    """None, or what is wrong with lines of JSON."""
    try:
        lines = text.decode("utf-8").split("\n")
        if lines.pop():
            return "the last line has no end"
        for line in lines:
            json.loads(line)
    except ValueError as error:
        return f"standard output: {error}"
    return None


def problem(plain, sanitized):
    """What a run of both builds breaks, limits apart; None: nothing."""
    for run, name in ((sanitized, "sanitized"), (plain, "plain")):
        if run.status not in (0, 1, 3):
            lines = [line for line in run.err.splitlines() if "ERROR" in line or "runtime error" in line]
            return f"{name}: exit {run.status}: {' '.join(lines[:1]) or run.err[-200:]}"
        if "npu-partition: " not in run.err and run.status == 3:
            return f"{name}: exit 3 without a message"
    return json_problem(plain.out) or (None if plain.out == sanitized.out else "the builds print different answers")


def limits(run, share=1):
    if run.seconds > MOST_SECONDS * share:
        return f"{run.seconds:.2f} s"
    return f"{run.bytes >> 20} MiB" if run.bytes > MOST_BYTES else None


def make_mutants(maker, folder, first, count, models):
    """Their files, in the folder."""
    subprocess.run([maker, str(folder), str(first), str(count), *models], check=True)
    return [pathlib.Path(folder) / f"{number}.onnx" for number in range(first, first + count)]


class Campaign:
    def __init__(self, options, models):
        self.options, self.models = options, models
        self.kept = pathlib.Path(options.keep)
        self.failures, self.analysed, self.unreadable = [], 0, 0
        self.slowest = self.largest = self.seconds = 0
        names = subprocess.run([options.tool, "--list-targets"], capture_output=True, text=True, check=True).stdout
        targets = [line.split()[0] for line in names.splitlines() if line and not line.startswith(" ")]
        self.ways = [["-t", target, "--format", "json", "--level", level]
                     for level in ("basic", "off") for target in targets]
        self.targets = targets

    def both(self, files, way):
        names = [str(file) for file in files]
        seconds = TIMEOUT_SECONDS * (1 if len(files) == 1 else 6)
        return (Run([self.options.tool, *way, "--", *names], seconds),
                Run([self.options.sanitized, *way, "--", *names], seconds))

    def alone(self, file, way):
        plain, sanitized = self.both([file], way)
        self.slowest, self.largest = max(self.slowest, plain.seconds), max(self.largest, plain.bytes)
        broken = problem(plain, sanitized) or limits(plain)
        if broken:
            self.kept.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, self.kept)
            self.failures.append(file.name)
            print(f"mutants: {self.kept / file.name} {' '.join(way)}: {broken}", flush=True)

    def batch(self, first, count, folder):
        way = self.ways[first // BATCH % len(self.ways)]
        files = make_mutants(self.options.maker, folder, first, count, self.models)
        plain, sanitized = self.both(files, way)
        self.seconds += plain.seconds + sanitized.seconds
        if problem(plain, sanitized) or limits(plain):
            for file in files:
                self.alone(file, way)
        else:
            self.slowest, self.largest = max(self.slowest, plain.seconds / count), max(self.largest, plain.bytes)
        answers = plain.out.count(b"\n")
        self.analysed += answers
        self.unreadable += count - answers
        for file in files:
            file.unlink()


def models_in(folders):
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("*.onnx")):
            if path.stat().st_size <= 512 << 10:
                yield str(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--sanitized", required=True, help="the tool as `make asan` builds it")
    parser.add_argument("--maker", required=True, help="test/fuzz/make_mutants, built")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100000)
    parser.add_argument("--keep", default="build/mutants-found", help="where mutants go that fail")
    parser.add_argument("folders", nargs="+", help="with the models to change")
    options = parser.parse_args()
    started, last = time.monotonic(), options.first + options.count
    campaign = Campaign(options, list(models_in(options.folders)))
    if not campaign.models:
        sys.exit("mutants: no models to change")
    with tempfile.TemporaryDirectory() as folder:
        for first in range(options.first, last, BATCH):
            campaign.batch(first, min(BATCH, last - first), pathlib.Path(folder))
            if (first - options.first) % 10000 == 0:
                print(f"mutants: {first - options.first} of {options.count}, {len(campaign.failures)} failed", flush=True)
    print(f"mutants: {options.count} of {len(campaign.models)} models and the generator, {len(campaign.targets)} targets,"
          f" both levels: {campaign.analysed} analysed, {campaign.unreadable} unreadable,"
          f" {len(campaign.failures)} failed; {campaign.seconds:.0f} s of CPU time,"
          f" most {campaign.largest >> 20} MiB, {time.monotonic() - started:.0f} s")
    sys.exit(1 if campaign.failures else 0)


if __name__ == "__main__":
    main()
