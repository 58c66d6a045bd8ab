#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a reader of reports gets: whether steps pay, whether the NPU is worth it, and how long a report is.

usage: reports.py TOOL FOLDER... [--targets TARGET,...] [--pasted TARGET,...] [--show KIND]      targets: all

Reads the JSON and the text report of each model for each target, prints how often each of these is so, and ends with
status 1 where one is past its bar:

  first-slower    the first step is predicted slower than doing nothing
  later-slower    a later step is predicted slower than the step before
  failure-left    the model fails to compile, and the first step leaves that without saying so
  restates        a step's text contains the sentence of a rule that an affected node does not meet
  no-answer       there is no estimate; how many of these do not say what is missing is printed, too
  run-differs     a line to paste does not leave the partitions, verdict and classes of results that its step says;
                  of --pasted targets
  long, wide      a report has more than 40 lines, or a line of more than 80 columns

A step that makes a failing model compile is never slower: what fails takes no time. --show prints each case of a kind.
"""
import argparse
import collections
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

MOST_LINES, MOST_COLUMNS, MOST_MEDIAN = 40, 80, 22
# Of reports, steps or failing models, whatever is counted: the share that may be so.
BARS = {"first-slower": 0, "later-slower": 0, "failure-left": 0, "restates": 0.05, "no-answer": 0.02,
        "unexplained": 0, "run-differs": 0, "long": 0, "wide": 0}
CLASSES = ["bits", "bits-if", "ulp", "step", "approx"]
# Milliseconds are printed with six digits after the point.
SLACK_MS = 1e-5


def ask(tool, path, targets):
    run = subprocess.run([tool, path, "--format", "json", "-t", targets], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    return json.loads(run.stdout)["targets"] if run.returncode in (0, 1) else []


def text_of(tool, path, target):
    run = subprocess.run([tool, path, "-t", target], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return run.stdout.decode(errors="replace").splitlines()


def typical(cost):
    """Milliseconds of a run, or None where they are not known."""
    figure = (cost or {}).get("typical_ms")
    return figure if figure is not None and figure >= 0 else None


def slower(before, after):
    """Of two states (milliseconds, verdict), whether going from one to the other is known to lose time."""
    if before[1] == "fails" or before[0] is None or after[0] is None:
        return False
    return after[0] > before[0] + SLACK_MS


def sentences(target):
    """By cause, the sentences of the rules that its nodes do not meet."""
    told = collections.defaultdict(set)
    for node in target["nodes"]:
        if node["cause"] is not None:
            told[node["cause"]].update(reason["text"] for reason in node["reasons"] if len(reason["text"]) > 12)
    return told


class Counts:
    def __init__(self, show):
        self.show, self.is_so, self.of = show, collections.Counter(), collections.Counter()

    def add(self, kind, is_so, what=""):
        self.of[kind] += 1
        self.is_so[kind] += is_so
        if is_so and self.show == kind:
            print(f"{kind}: {what}")

    def print(self):
        """The table; whether every figure keeps to its bar."""
        kept = True
        for kind, bar in BARS.items():
            share = self.is_so[kind] / self.of[kind] if self.of[kind] else 0
            kept &= share <= bar
            print(f"{kind:13} {self.is_so[kind]:6} of {self.of[kind]:6}  {100 * share:5.1f} %  at most {100 * bar:g} %"
                  + ("" if share <= bar else "  MISSED"))
        return kept


def steps(counts, place, target):
    way = [step for step in target["advice"] if step["instead_of"] is None and step["action"] != "none"]
    verdict = target["summary"]["verdict"]
    at = (typical(target["cost"]), verdict)
    told = sentences(target)
    for number, step in enumerate(way):
        after = (typical(step["after"]["cost"]), step["after"]["verdict"])
        counts.add("later-slower" if number else "first-slower", slower(at, after),
                   f"{place}: {step['text']}: {at[0]} ms, then {after[0]}")
        counts.add("restates", any(sentence in step["text"] for cause in step["causes"] for sentence in told[cause]),
                   f"{place}: {step['text']}")
        at = after
    if verdict == "fails":
        first = way[0]["after"]["verdict"] if way else "fails"
        counts.add("failure-left", first == "fails" and not says_none(target),
                   f"{place}: {way[0]['text'] if way else 'no step'}")


def says_none(target):
    """Whether the report says that no step is known that makes the model compile."""
    return any(step["action"] == "none" and "no known step" in step["text"].lower() for step in target["advice"])


def pasted(counts, options, place, target, folder):
    """Each line to paste, carried out and analyzed."""
    for step in target["advice"]:
        if not step["run"] or step["run"][1] != "fix" or target["target"] not in options.pasted.split(","):
            continue
        made = os.path.join(folder, step["run"][-1])
        words = step["run"][1:-1]
        done = subprocess.run([options.tool, *words, made, "--format", "json"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        fix = json.loads(done.stdout) if done.returncode in (0, 1) else None
        left = ask(options.tool, made, words[words.index("-t") + 1]) if fix and os.path.exists(made) else []
        said, weakest = step["after"], max([step["equality"] for step in fix["steps"]], key=CLASSES.index) if fix else None
        is_so = left and (left[0]["summary"]["partitions"] == said["partitions"] and
                          left[0]["summary"]["verdict"] == said["verdict"] and weakest == step["equality"])
        counts.add("run-differs", not is_so, f"{place}: {' '.join(step['run'])}: said {said['partitions']} "
                   f"{said['verdict']} {step['equality']}, left "
                   f"{left[0]['summary']['partitions'] if left else None} {weakest}")


def worth(counts, place, target):
    if target["summary"]["live"] == 0:
        return
    reason = target["cost"].get("reason") or ""
    about_equal = target["cost"].get("recommendation") == "undecided" and reason.startswith("about equal")
    is_open = target["cost"].get("recommendation") == "undecided" and not about_equal
    counts.add("no-answer", is_open, f"{place}: {reason}")
    counts.add("unexplained", is_open and not reason.partition(": ")[2], place)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--targets")
    parser.add_argument("--pasted", default="hexagon,intel-npu")
    parser.add_argument("--show", choices=list(BARS))
    options = parser.parse_args()
    listed = subprocess.run([options.tool, "--list-targets"], stdout=subprocess.PIPE, check=True).stdout.decode()
    targets = options.targets or ",".join(line.split()[0] for line in listed.splitlines() if line[:1].strip())
    models = sorted(path for folder in options.folders for path in glob.glob(os.path.join(folder, "*.onnx")))
    counts, lengths = Counts(options.show), []
    folder = tempfile.mkdtemp()
    for path in models:
        for target in ask(options.tool, path, targets):
            place = f"{os.path.basename(path)}, {target['name']}"
            steps(counts, place, target)
            worth(counts, place, target)
            pasted(counts, options, place, target, folder)
            lines = text_of(options.tool, path, target["name"])
            lengths.append(len(lines))
            counts.add("long", len(lines) > MOST_LINES, f"{place}: {len(lines)} lines")
            counts.add("wide", any(len(line) > MOST_COLUMNS for line in lines), place)
    shutil.rmtree(folder)
    if not lengths:
        print("no reports")
        return 1
    kept = counts.print()
    median = statistics.median(lengths)
    print(f"{len(lengths)} reports of {len(models)} models; median {median:g} lines, at most {MOST_MEDIAN}")
    return 0 if kept and median <= MOST_MEDIAN else 1


if __name__ == "__main__":
    sys.exit(main())
