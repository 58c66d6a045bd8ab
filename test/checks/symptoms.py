#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is the file that is wrong found by its name? Draws commits that mended something, for a reader who answers before the
files are shown: which file would I open, by names alone, and with "Where to look" of docs/inside/architecture.md?
What was answered stands below that table.

A commit mends something if it changes code of lib/ or tools/ and a test with it, and its subject begins with the name of
a stage. A subject is told without that name, which would give the folder away.

usage: symptoms.py [--seed N] [--count N] [--since DATE] [--until DATE] [--files]

--files prints the files of code that each touched, by their names of today, those with most lines changed first.
"""
import argparse
import collections
import random
import re
import subprocess

CODE = re.compile(r"(lib|tools)/.*\.(c|h|def|table|inc)$")
TEST = re.compile(r"test/(unit|cases|cli|rewrites)/")
MOST_FILES = 6  # of code: what touches more is no one symptom
OTHERS = re.compile(r"\b(move|moved|moves|rename|renamed|renames|split|splits|names?|called|lines?|comments?|words?)\b")


def git(*arguments):
    return subprocess.run(("git", *arguments), stdout=subprocess.PIPE, text=True, check=True).stdout


def commits(since, until):
    """By subject: the lines changed in each file."""
    found, at = {}, None
    log = git("log", "--no-merges", "--reverse", "--no-renames", "--numstat", "--format=commit %H %s",
              f"--since={since}", f"--until={until}")
    for line in log.splitlines():
        if line.startswith("commit "):
            _, commit, subject = line.split(" ", 2)
            at = found.setdefault(subject, (commit, collections.Counter()))[1]
        elif line:
            added, removed, path = line.split("\t")
            at[path] += int(added) + int(removed) if added != "-" else 0
    return found


def names_of_today(since):
    """Old name to new, of all renames since then."""
    now = {}
    for line in git("log", "--reverse", "-M40%", "--diff-filter=R", "--name-status", "--format=", f"--since={since}").splitlines():
        _, old, new = line.split("\t")
        for name, later in now.items():
            if later == old:
                now[name] = new
        now[old] = new
    return now


def is_mend(subject, files):
    code = [path for path in files if CODE.match(path)]
    return (re.match(r"[a-z_, -]+: ", subject) and 0 < len(code) <= MOST_FILES
            and any(TEST.match(path) for path in files) and not OTHERS.search(subject))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=62)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--since", default="2026-11-25T00:00:00Z")
    parser.add_argument("--until", default="2026-12-01T00:00:00Z")
    parser.add_argument("--files", action="store_true")
    options = parser.parse_args()
    found = commits(options.since, options.until)
    mends = sorted(subject for subject, (_, files) in found.items() if is_mend(subject, files))
    today = names_of_today(options.since)
    print(f"{len(mends)} commits that mended something; seed {options.seed}")
    for number, subject in enumerate(random.Random(options.seed).sample(mends, options.count), 1):
        commit, files = found[subject]
        print(f"{number:2} {subject.split(': ', 1)[1]}" + (f"  ({commit[:8]})" if options.files else ""))
        for path, lines in files.most_common():
            if options.files and CODE.match(path):
                print(f"     {lines:4} {today.get(path, path)}")


if __name__ == "__main__":
    main()
