#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzes all targets for a number of CPU seconds, and goes on after what it finds.

usage: long.py --programs build/fuzz/test/fuzz --corpus test/fuzz/corpus --found build/fuzz-found
               [--cpu-seconds N] [--jobs N] [--round SECONDS] [--state] TARGET...

Rounds of libFuzzer, --jobs at a time, each of the target that has had the least. CPU seconds are user time of the
programs as the system counts it, whatever else the machine does. Totals are kept in FOUND/long.json after each round, so
that a run that was stopped (by SIGINT or SIGTERM) goes on; they begin anew when the programs are others. --state prints
them and ends.

FOUND/TARGET is what covers more, FOUND/TARGET-crash-* and the like are findings, with their logs beside them. An input
counts as too slow when it takes more than 10 CPU seconds. Exit status 1 when there is a finding.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

MOST_UNIT_CPU_SECONDS = 10
UNIT_SECONDS = 300  # on the clock, on a machine that does much else
STATUS = re.compile(r"^#(\d+)\s.*cov: (\d+) ft: (\d+) corp: (\d+)", re.M)
UNITS = re.compile(r"number_of_executed_units: (\d+)")


class Campaign:
    """What is known of all targets, and the rounds that run."""

    def __init__(self, options):
        self.options = options
        self.path = options.found / "long.json"
        self.lock, self.children, self.is_stopped = threading.Lock(), {}, False
        digest = hashlib.sha256()
        for target in options.targets:
            digest.update(self.program(target).read_bytes())
        self.state = {"programs": digest.hexdigest(), "targets": {}}
        if self.path.exists():
            kept = json.loads(self.path.read_text())
            if kept["programs"] == self.state["programs"]:
                self.state = kept
        for target in options.targets:
            self.state["targets"].setdefault(target, {"cpu_seconds": 0.0, "executions": 0, "edges": 0, "features": 0,
                                                      "corpus": 0, "findings": []})

    def program(self, target):
        return self.options.programs / f"run-{target}"

    def spent(self):
        return sum(row["cpu_seconds"] for row in self.state["targets"].values())

    def findings(self):
        return sum(len(row["findings"]) for row in self.state["targets"].values())

    def table(self):
        """All that is known, a line a target."""
        lines = [f"{'target':16} {'CPU s':>8} {'executions':>11} {'per CPU s':>9} {'edges':>7} {'features':>9} "
                 f"{'corpus':>7} {'findings':>8}"]
        total = {"cpu_seconds": 0.0, "executions": 0, "edges": "", "features": "", "corpus": 0, "findings": []}
        for target, row in sorted(self.state["targets"].items()):
            lines.append(self.line(target, row))
            for name in ("cpu_seconds", "executions", "corpus", "findings"):
                total[name] = total[name] + row[name]
        return "\n".join([*lines, self.line("all", total)])

    @staticmethod
    def line(target, row):
        rate = row["executions"] / row["cpu_seconds"] if row["cpu_seconds"] else 0
        return (f"{target:16} {row['cpu_seconds']:8.0f} {row['executions']:11} {rate:9.1f} {row['edges']:>7} "
                f"{row['features']:>9} {row['corpus']:>7} {len(row['findings']):>8}")

    # ---- rounds ----------------------------------------------------------------------------------------------------

    def next_target(self):
        """The one that has had the least and does not run; None: enough, or told to stop."""
        with self.lock:
            idle = [target for target in self.options.targets if target not in self.children]
            if self.is_stopped or not idle or self.spent() >= self.options.cpu_seconds:
                return None
            target = min(idle, key=lambda name: self.state["targets"][name]["cpu_seconds"])
            self.children[target] = None
            return target

    def run(self, command, log, target):
        """Exit status and CPU seconds."""
        environment = dict(os.environ, TMPDIR=str(self.options.found / "tmp"))
        with open(log, "wb") as file, self.lock:
            child = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=environment)
            self.children[target] = child
            if self.is_stopped:
                child.terminate()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        return child.returncode, usage.ru_utime

    def is_slow(self, target, artifact):
        log = self.options.found / f"{target}.slow.log"
        command = [str(self.program(target)), f"-timeout={10 * UNIT_SECONDS}", str(artifact)]
        return self.run(command, log, target)[1] > MOST_UNIT_CPU_SECONDS

    def round(self, target):
        found = self.options.found
        (found / target).mkdir(parents=True, exist_ok=True)
        log, before = found / f"{target}.log", set(found.glob(f"{target}-*"))
        command = [str(self.program(target)), f"-max_total_time={self.options.round}", f"-timeout={UNIT_SECONDS}",
                   "-rss_limit_mb=2048", "-max_len=16384", "-print_final_stats=1", f"-artifact_prefix={found}/{target}-",
                   str(found / target), str(self.options.corpus / target)]
        status, seconds = self.run(command, log, target)
        text = log.read_text(errors="replace")
        findings = [str(path) for path in sorted(set(found.glob(f"{target}-*")) - before)
                    if "-slow-unit-" not in path.name and path.suffix != ".log"]
        findings = [path for path in findings if "-timeout-" not in path or self.is_slow(target, path)]
        if status and not findings and not self.is_stopped and "libFuzzer: timeout" not in text:
            findings = [f"exit status {status}"]
        if findings:
            log.rename(found / f"{target}-{int(time.time())}.log")
        with self.lock:
            self.note(target, seconds, text, findings)
            del self.children[target]

    def note(self, target, seconds, text, findings):
        row, states, units = self.state["targets"][target], STATUS.findall(text), UNITS.findall(text)
        row["cpu_seconds"] += seconds
        row["executions"] += int(units[-1] if units else states[-1][0] if states else 0)
        for at, name in enumerate(("edges", "features", "corpus"), 1):
            row[name] = max(row[name], int(states[-1][at])) if states else row[name]
        row["findings"] += findings
        for finding in findings:
            print(f"{target}: {finding}", flush=True)
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.state, indent=1) + "\n")
        new.replace(self.path)
        print(f"{target}: {seconds:.0f} CPU seconds; {self.spent():.0f} of {self.options.cpu_seconds:.0f}", flush=True)

    def work(self):
        while (target := self.next_target()) is not None:
            self.round(target)

    def stop(self, *_):
        """Rounds end by themselves when told, and are counted."""
        self.is_stopped = True
        for child in list(self.children.values()):
            if child is not None and child.returncode is None:
                child.terminate()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--found", type=pathlib.Path, required=True)
    parser.add_argument("--cpu-seconds", type=float, default=7200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--round", type=int, default=300, help="seconds on the clock")
    parser.add_argument("--state", action="store_true")
    parser.add_argument("targets", nargs="+")
    options = parser.parse_args()
    (options.found / "tmp").mkdir(parents=True, exist_ok=True)
    options.found = options.found.resolve()
    campaign = Campaign(options)
    if not options.state:
        signal.signal(signal.SIGINT, campaign.stop)
        signal.signal(signal.SIGTERM, campaign.stop)
        workers = [threading.Thread(target=campaign.work) for _ in range(options.jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            while worker.is_alive():
                worker.join(1)
    print(campaign.table())
    return 1 if campaign.findings() else 0


if __name__ == "__main__":
    sys.exit(main())
