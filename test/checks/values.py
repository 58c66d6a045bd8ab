#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that docs/inside/architecture.md lists the operators without a value: those of the standard, no more and no less.

usage: values.py build/generated/include/operator_rows.def docs/inside/architecture.md CASES...

An operator has a value when a text case of inference expects elements of a result of one of its nodes. Each operator
of that table either has one, or stands in the table below the heading "Operators without a value".
"""
import re
import sys

HEADING = "## Operators without a value"


def operators(rows):
    return set(re.findall(r'^(?:ROW|LATER|PATTERN)\("", "(\w+)"', rows, re.M))


def listed(page):
    table = page.split(HEADING)[1].split("\n## ")[0]
    return [op for line in table.splitlines() if line.startswith("| ") and not line.startswith("| why")
            for op in re.findall(r"`(\w+)`", line.split("|")[2])]


def shown(cases):
    """The operators of which a case expects elements."""
    found = set()
    for case in re.split(r"^== ", cases, flags=re.M):
        makers = {}
        for results, op in re.findall(r"^node (.+?) = (\w+)\(", case, re.M):
            for result in results.split(","):
                makers[result.strip()] = op
        for name in re.findall(r"^expect value (\S+) \S+ = (?!\?)\S", case, re.M):
            found.add(makers.get(name))
    return found


def main():
    rows, page, *files = sys.argv[1:]
    every = operators(open(rows).read())
    without = listed(open(page).read())
    known = shown("\n".join(open(file).read() for file in files))
    problems = [f"{op} is listed twice" for op in sorted(set(without)) if without.count(op) > 1]
    problems += [f"{op} is listed and is no operator of operators.table" for op in sorted(set(without) - every)]
    problems += [f"{op} is listed as without a value, and a case shows one" for op in sorted(set(without) & known)]
    problems += [f"{op} is not listed, and no case shows a value" for op in sorted(every - set(without) - known)]
    for problem in problems:
        print(f"{page}: {problem}", file=sys.stderr)
    print(f"{len(every)} operators of the standard, {len(every & known)} with a value, {len(set(without))} without")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
