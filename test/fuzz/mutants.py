# SPDX-License-Identifier: Apache-2.0
"""Changed models through the tool: whatever a file holds, it must end in an answer or a message, soon.

Of each mutant (test/fuzz/make_mutants.c): under address and undefined-behaviour sanitizers the exit status is one that
the command has for models, and standard output is UTF-8, and JSON where that is asked for; without them the output is
the same, and it takes at most so many seconds of CPU time and 256 MiB. Mutants go through the tool by the batch, each
batch by the next way: a target and level, a format, or a command (WAYS). Those of a batch that fails, or as a whole
passes a limit, go again one by one.
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
MOST_BYTES = 256 << 20
TIMEOUT_SECONDS = 20
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="quarantine_size_mb=16:exitcode=99",
                   UBSAN_OPTIONS="print_stacktrace=1:exitcode=99")


class Way:
    """How models are put to the tool: the words before them; {out} stands for a new place, {next} for another model."""

    def __init__(self, *words, alone=False, statuses=(0, 1, 3), seconds=1.0):
        self.words, self.is_alone, self.statuses, self.seconds = words, alone, statuses, seconds

    def command(self, tool, names, scratch):
        words = [word.format(out=f"{scratch}/out", next=names[-1]) for word in self.words]
        return [tool, *words, "--", *(names[:1] if self.is_alone else names)]

    def prints_json(self):
        return "json" in self.words


FORMATS = ("json", "sarif", "github", "gitlab", "markdown", "junit", "csv", "dot", "svg", "html")
ONE = "hexagon"
WAYS = [
    *(Way("-t", f"{ONE},tidl", "--format", form, "--max-partitions", "1") for form in FORMATS),
    Way("-t", ONE, "-v"), Way("-t", ONE, "--summary"), Way("-t", ONE, "--modules"),
    Way("--shapes"), Way("-t", ONE, "--shapes", "-v"),
    Way("-t", ONE, "--format", "json", "--detail", "tensors"), Way("-t", ONE, "--format", "csv", "--detail", "nodes"),
    Way("check", "-t", ONE, "--max-partitions", "1"),
    Way("check", "-t", ONE, "--max-partitions", "1", "--format", "json"),
    Way("check", "-t", ONE, "--baseline", "{out}", "--update-baseline", "-q"),
    Way("scan", "-t", ONE, "-q"),
    Way("-t", ONE, "--explain", "n0", alone=True, statuses=(0, 1, 2, 3)),
    Way("-t", ONE, "--format", "model-explorer", alone=True),
    Way("fix", "-t", ONE, "-o", "{out}.onnx", "--format", "json", alone=True, statuses=(0, 1, 2, 3, 4), seconds=10.0),
    Way("fix", "-t", ONE, "-o", "{out}.onnx", "--cache", "64", alone=True, statuses=(0, 1, 2, 3, 4), seconds=10.0),
    Way("fix", "-t", "intel-npu", "-o", "{out}.onnx", "--allow", "approx", alone=True, statuses=(0, 1, 2, 3, 4),
        seconds=10.0),
    Way("split", "-t", ONE, "-o", "{out}", alone=True, statuses=(0, 1, 2, 3, 4)),
    Way("annotate", "-t", ONE, "-o", "{out}.onnx", alone=True, statuses=(0, 1, 2, 3, 4)),
    Way("diff", "-t", ONE, "--format", "json", "{next}", alone=True, statuses=(0, 1, 2, 3)),
    Way("place", "-t", ONE, "{next}", alone=True, statuses=(0, 1, 2, 3, 4), seconds=2.0),
]


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


def problem(plain, sanitized, way):
    """What a run of both builds breaks, limits apart; None: nothing."""
    for run, name in ((sanitized, "sanitized"), (plain, "plain")):
        if run.status not in way.statuses:
            lines = [line for line in run.err.splitlines() if "ERROR" in line or "runtime error" in line]
            return f"{name}: exit {run.status}: {' '.join(lines[:1]) or run.err[-200:]}"
        if run.status == 3 and "npu-partition: " not in run.err and b"error" not in run.out:
            return f"{name}: exit 3 without a message"
    told = json_problem(plain.out) if way.prints_json() else text_problem(plain.out)
    return told or (None if plain.out == sanitized.out else "the builds print different answers")


def text_problem(text):
    try:
        text.decode("utf-8")
    except ValueError as error:
        return f"standard output: {error}"
    return None


def limits(run, way):
    if run.seconds > way.seconds:
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
        self.ways = [Way("-t", target, "--format", "json", "--level", level)
                     for level in ("basic", "off") for target in targets] + WAYS
        self.targets = targets

    def both(self, files, way):
        names = [str(file) for file in files]
        seconds = TIMEOUT_SECONDS * (1 if len(files) == 1 or way.is_alone else 6)
        runs = []
        with tempfile.TemporaryDirectory() as folder:
            scratch = pathlib.Path(folder) / "scratch"  # the same for both, as it is told
            for tool in (self.options.tool, self.options.sanitized):
                scratch.mkdir()
                runs.append(Run(way.command(tool, names, scratch), seconds))
                shutil.rmtree(scratch)
        return runs

    def alone(self, files, way):
        plain, sanitized = self.both(files, way)
        self.slowest, self.largest = max(self.slowest, plain.seconds), max(self.largest, plain.bytes)
        self.seconds += plain.seconds + sanitized.seconds
        broken = problem(plain, sanitized, way) or limits(plain, way)
        if broken:
            self.kept.mkdir(parents=True, exist_ok=True)
            for file in files:
                shutil.copy(file, self.kept)
            self.failures.append(files[0].name)
            print(f"mutants: {self.kept / files[0].name} {' '.join(way.words)}: {broken}", flush=True)
        return plain.status != 3

    def batch(self, first, count, folder):
        way = self.ways[first // BATCH % len(self.ways)]
        files = make_mutants(self.options.maker, folder, first, count, self.models)
        if way.is_alone:
            answers = sum(self.alone([file, other], way) for file, other in zip(files, files[1:] + files[:1]))
        else:
            plain, sanitized = self.both(files, way)
            self.seconds += plain.seconds + sanitized.seconds
            if problem(plain, sanitized, way) or limits(plain, way):
                for file in files:
                    self.alone([file], way)
            else:
                self.slowest, self.largest = max(self.slowest, plain.seconds / count), max(self.largest, plain.bytes)
            answers = count - plain.err.count("npu-partition: ") if plain.err else count
        self.analysed += max(answers, 0)
        self.unreadable += count - max(answers, 0)
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
          f" both levels, {len(WAYS)} other ways: {campaign.analysed} analysed, {campaign.unreadable} unreadable,"
          f" {len(campaign.failures)} failed; {campaign.seconds:.0f} s of CPU time,"
          f" most {campaign.largest >> 20} MiB, {time.monotonic() - started:.0f} s")
    sys.exit(1 if campaign.failures else 0)


if __name__ == "__main__":
    main()
