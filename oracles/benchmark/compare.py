#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What got worse between two runs of the benchmark, by exporter and target, and which operators did it.

usage: compare.py OLD NEW [--state sized] [--target hexagon] [--most 10]

OLD and NEW are folders with results.csv and roots.csv. Rows are joined by the name of the export and the target without
its variant, so a new release of an exporter or of the tool is compared with the one before. Worse is another verdict in
the order whole, edge, split, none, fails, or more partitions, or more nodes on the CPU with no fewer partitions; an
export that succeeded before and fails now is worse on all targets. Exit status: 1 where something got worse.
"""
import argparse
import collections
import pathlib
import sys

import table
from table import target_of


def read(folder, target):
    """{(name, target): row}, and {(name, target): {(rule, op): root}} of the roots with sizes or as exported."""
    rows = {(row["name"], target_of(row["target"])): row
            for row in table.read_csv(folder / "results.csv", table.COLUMNS)
            if target in ("", target_of(row["target"])) or not row["target"]}
    roots = collections.defaultdict(dict)
    for root in table.read_csv(folder / "roots.csv", table.ROOTS):
        roots[root["name"], target_of(root["target"]), root["state"]][root["rule"], root["op"]] = root
    return rows, roots


def change(old, new, state):
    """worse, better or equal, and what changed."""
    before, after = ([row[f"{state}_{name}"] for name in ("verdict", "partitions", "cpu_nodes")] for row in (old, new))
    if before == after or None in (before[0], after[0]):
        return "equal", ""
    ranks = {verdict: place for place, verdict in enumerate(table.VERDICTS)}
    key_before, key_after = ((ranks.get(v, len(ranks)), p, c) for v, p, c in (before, after))
    words = [f"{a}, {b} partition{'' if b == 1 else 's'}, {c} nodes on the CPU" for a, b, c in (before, after)]
    return ("worse" if key_after > key_before else "better"), f"{words[0]} -> {words[1]}"


def grown(old, new):
    """Roots that affect more nodes than before."""
    found = {}
    for key, root in new.items():
        more = root["nodes"] - (old[key]["nodes"] if key in old else 0)
        if more > 0:
            found[root["text"]] = more
    return found


def compare(old, new, state):
    """Rows (exporter, target, name, change, what, {root: nodes more}) of all that is in both."""
    (rows_old, roots_old), (rows_new, roots_new) = old, new
    failed = {row["name"]: row for row in rows_new.values() if row["export_error"]}
    found = []
    for (name, target), row in sorted(rows_old.items()):
        if name in failed and not row["export_error"] and target:
            why = f"can no longer be exported: {failed[name]['export_error']}"
            found.append((row["exporter"], target, name, "worse", why, {}))
        elif (name, target) in rows_new and target:
            kind, what = change(row, rows_new[name, target], state)
            place = (name, target, "exported" if state == "exported" else "sized")
            found.append((row["exporter"], target, name, kind, what, grown(roots_old[place], roots_new[place])))
    return found


def lines_of(found, most):
    groups = collections.defaultdict(list)
    for row in found:
        groups[row[0], row[1]].append(row)
    lines = []
    for (exporter, target), rows in sorted(groups.items()):
        kinds = collections.Counter(row[3] for row in rows)
        if not kinds["worse"] and not kinds["better"]:
            continue
        lines.append(f"{exporter} on {target}: {kinds['worse']} worse, {kinds['better']} better, "
                     f"{kinds['equal']} equal")
        worse = [row for row in rows if row[3] == "worse"]
        blamed = collections.defaultdict(list)
        for row in worse:
            for text, nodes in row[5].items():
                blamed[text].append(nodes)
        ranked = sorted(blamed.items(), key=lambda item: (-len(item[1]), -sum(item[1]), item[0]))
        lines += [f"  {len(nodes)} exports, {sum(nodes)} nodes more: {text}" for text, nodes in ranked[:most]]
        lines += [f"    {row[2]}: {row[4]}" for row in worse[:most]]
        lines += [f"    and {len(worse) - most} more"] if len(worse) > most else []
    return lines or ["nothing changed"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--state", choices=table.STATES, default="sized")
    parser.add_argument("--target", default="", help="one target; default all")
    parser.add_argument("--most", type=int, default=10, help="rows of a list; default 10")
    args = parser.parse_args()
    old, new = read(args.old, args.target), read(args.new, args.target)
    found = compare(old, new, args.state)
    only = [len(set(a[0]) - set(b[0])) for a, b in ((old, new), (new, old))]
    print("\n".join(lines_of(found, args.most)))
    print(f"{len(found)} rows in both; {only[0]} only in {args.old}, {only[1]} only in {args.new}")
    return 1 if any(row[3] == "worse" for row in found) else 0


if __name__ == "__main__":
    sys.exit(main())
