#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Limits by name: each of the tool's own is tested at its edge: here, by command lines that are as long as may be and one
longer, or in a unit test.

usage: limits.py TOOL
"""
from __future__ import annotations

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def commas(word: str, count: int) -> str:
    return ",".join([word] * count)


# By limit: what of the command line holds n of it, after --version, which reads the line and does nothing.
LINES = {
    "targets": lambda n: ["--target", commas("hexagon", n)],
    "dims": lambda n: ["--dim", "a=1"] * n,
    "inputs": lambda n: ["--input", "a=1"] * n,
    "input-rank": lambda n: ["--input", "a=" + "x".join(["1"] * n)],
    "overrides": lambda n: ["--assume", "Relu=npu", "--assume-node", "a=cpu"] * (n // 2) + ["--assume", "Relu=npu"] * (n % 2),
    "cuts": lambda n: ["--cut", commas("a", n)],
    "bound-inputs": lambda n: ["--bind", "a=1"] * n,
    "bound-values": lambda n: ["--bind", "a=" + commas("1", n)],
    "rewrites": lambda n: ["fix", "--only", commas("a", n)],
    "figures": lambda n: ["place", *(["--gpu", "a=1"] * n)],
    "links": lambda n: ["place", *(["--link", "a:b=c:d"] * n)],
}

# Those of files: a unit test, and a text that it has.
ELSEWHERE = {
    "project-bytes": ("test_toml.c", "the file has more than 1048576 bytes"),
    "project-values": ("test_toml.c", "there are more than 16384 values"),
    "project-depth": ("test_toml.c", "nested more than 64 deep"),
    "pattern-bytes": ("test_glob.c", "the path has more than 4096 bytes"),
    "pattern-depth": ("test_glob.c", "folders are nested more than 64 deep"),
    "pattern-files": ("test_glob.c", "the paths match more than 100000 files"),
    "json-bytes": ("test_profile.c", "takes more than 64 MiB"),
    "profile-nodes": ("test_profile.c", "too many different nodes"),
    "profile-providers": ("test_profile.c", "too many execution providers"),
    "log-line-bytes": ("test_profile.c", "NPART_MOST_RUN_LOG_LINE"),
    "runs": ("test_runs.c", "too many runs"),
    "measurements": ("test_calibrate.c", "from 1 to 64 measurements are taken"),
    "run-line-bytes": ("test_runs.c", "MOST_RUN_LINE"),
}
# A million entries of a folder and 2 GiB of reports are in no test.
UNTESTED = {"pattern-entries", "report-bytes"}

ROW = re.compile(r"  (\S+) +(\d+) (.{16}) (\w+) +(.*)")


def listed(tool: str) -> list[tuple[str, int, str, str, str]]:
    text = subprocess.run([tool, "--list-limits"], capture_output=True, text=True, check=True).stdout
    found = [ROW.fullmatch(line) for line in text.splitlines() if line.startswith("  ")]
    return [(row[1], int(row[2]), row[3].strip(), row[4], row[5]) for row in found if row]


def check_line(tool: str, name: str, value: int) -> list[str]:
    """As many as may be, and one more."""
    make = LINES[name]
    at = subprocess.run([tool, "--version", *make(value)], capture_output=True, text=True)
    past = subprocess.run([tool, "--version", *make(value + 1)], capture_output=True, text=True)
    wrong = []
    if at.returncode != 0:
        wrong.append(f"{name}: {value} are refused: {at.stderr[-200:]}")
    if past.returncode != 2 or not past.stderr:
        wrong.append(f"{name}: {value + 1} are taken")
    return wrong


def main() -> int:
    tool = sys.argv[1]
    rows = listed(tool)
    first_own = [row[0] for row in rows].index("targets")
    wrong = []
    for name, value, _unit, _past, _text in rows[first_own:]:
        if name in LINES:
            wrong += check_line(tool, name, value)
        elif name in ELSEWHERE:
            file, text = ELSEWHERE[name]
            if text not in (ROOT / "test/unit" / file).read_text():
                wrong.append(f"{name}: {file} does not have \"{text}\"")
        elif name not in UNTESTED:
            wrong.append(f"{name}: no test at its edge")
    for line in wrong:
        print(line)
    print(f"{len(rows)} limits, {len(wrong)} of them wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
