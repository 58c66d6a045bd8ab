#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold that every rule and every failure of a target has a case that it refuses, and every op one that is taken.

usage: rule_cases.py TOOL TARGET FILE.cases...

TOOL is npu-partition: `--describe TARGET OP` says which rules there are. In the cases of that target, a rule counts
as tried when an `expect reason` names it, and an entry of an op (a name and its opsets) as taken when some node of it
has `expect verdict ... npu`, or `unknown` where one of its rules is a `maybe`. An op that a rule labelled
`never` refuses in every configuration needs no node that is taken. Where a target has gates in series, an op has an
entry in each that names it, and what is taken counts for the gates that the case applies.

Exit status: 0 when nothing lacks, 1 when something does, 2 when the target cannot be described.
"""
import dataclasses
import re
import subprocess
import sys

DEFAULT_OPSET = 21  # a case without `opset` has none of the ops whose entries differ by it
REFUSED_FOR_GOOD = ("never", "affinity")  # labels of rules that no node passes


@dataclasses.dataclass
class Entry:
    """An op of the list, at a range of opsets, in one gate."""

    op: str  # with its domain
    gate: str = ""  # none where the list has only one
    first: int = 0
    last: int = 1 << 30
    rules: list = dataclasses.field(default_factory=list)
    is_open: bool = False  # a `maybe` may keep the verdict from being more than unknown

    @property
    def never_taken(self):
        return any(rule.rsplit("/", 1)[-1] in REFUSED_FOR_GOOD for rule in self.rules)

    def holds(self, op, opset, gates):
        is_asked = not gates or not self.gate or self.gate in gates
        return op == self.op and self.first <= opset <= self.last and is_asked

    def __str__(self):
        name = self.op if self.last > 1 << 20 else f"{self.op} up to opset {self.last}"
        return f"{name} by the gate {self.gate}" if self.gate else name


# ---- what the list has ---------------------------------------------------------------------------------------------


def described(tool, target, *op):
    done = subprocess.run([tool, "--describe", target, *op], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"rule_cases.py: {tool} cannot describe {target} {' '.join(op)}: {done.stderr}")
    return done.stdout.splitlines()


def entry_of(heading):
    """An unindented line: "Abs  opset 7 on", "LogSoftmax  opset 7 to 12", "com.microsoft:Gelu", "If  gate compiler"."""
    match = re.fullmatch(r"(\S+)(?:  opset (\d+)(?: on| to (\d+))?)?(?:  gate (\S+))?", heading)
    if not match:
        return None
    op, first, last, gate = match.groups()
    return Entry(op, gate or "", int(first or 0), int(last) if last else 1 << 30)


def entries_of(tool, target):
    lines = described(tool, target)
    start = lines.index("every op") if "every op" in lines else 0
    names = sorted({line.split()[0] for line in lines[start + 1:] if re.match(r"\S+(  opset|  gate|$)", line)})
    entries = []
    is_open = any(line.startswith("  maybe ") for line in lines[start:lines.index(next(
        (line for line in lines[start + 1:] if not line.startswith(" ")), lines[-1]))])
    for name in names:
        for line in described(tool, target, name):
            if line.startswith("  maybe ") and entries:
                entries[-1].is_open = True
            rule = re.match(r" +(\S+/\S+/\S+), line \d+", line)
            if rule:
                entries[-1].rules.append(rule[1])
            elif not line.startswith(" "):
                entry = entry_of(line)
                if entry and entry.op == name:
                    entry.is_open = is_open
                    entries.append(entry)
    return entries


def failures_of(tool, target):
    """The rules of the list's failures and refusals, each under its heading "failure NAME"."""
    return [f"{target}/{line.split()[0]}.{line.split()[1]}" for line in described(tool, target)
            if line.startswith(("failure ", "refusal "))]


# ---- what the cases have -------------------------------------------------------------------------------------------


class Cases:
    """The expectations of all files about one target."""

    def __init__(self, target):
        self.target = target
        self.tried = set()  # rules
        self.taken = set()  # (op, opset, gates or none for all, verdict)

    def read(self, path):
        case = []
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("== "):
                    self.add(case)
                    case = []
                case.append(line.split())
        self.add(case)

    def add(self, case):
        words = [line for line in case if line]
        if not any(line[0] == "target" and re.split("[:+@]", line[1])[0] == self.target for line in words):
            return
        opset = {"": DEFAULT_OPSET}
        op_of, gates = {}, frozenset()
        for line in words:
            if line[0] == "opset":
                opset[line[1] if len(line) > 2 else ""] = int(line[-1])
            elif line[0] == "gates":
                gates = frozenset(line[1].split(","))
            elif line[0] == "node":
                text = " ".join(line[1:])
                outputs, call = f" {text}".split(" = ", 1)  # one without a name has nothing before it
                op_of.update({output.strip(): call.split("(")[0] for output in outputs.split(",")})
        for line in words:
            if line[:2] == ["expect", "reason"]:
                self.tried.add(line[3])
            elif line[:2] == ["expect", "verdict"] and line[3] in ("npu", "unknown"):
                op = op_of.get(line[2], "")
                domain = op.rsplit(":", 1)[0] if ":" in op else ""
                self.taken.add((op, opset.get(domain, 1), gates, line[3]))

    def has_taken(self, entry):
        """`unknown` is enough where a `maybe` may leave it at that."""
        found = {verdict for op, opset, gates, verdict in self.taken if entry.holds(op, opset, gates)}
        return "npu" in found or ("unknown" in found and entry.is_open)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    tool, target, *files = sys.argv[1:]
    entries = entries_of(tool, target)
    cases = Cases(target)
    for path in files:
        cases.read(path)
    rules = sorted({rule for entry in entries for rule in entry.rules}.union(failures_of(tool, target)))
    untried = [rule for rule in rules if rule not in cases.tried]
    untaken = [entry for entry in entries if not entry.never_taken and not cases.has_taken(entry)]
    for rule in untried:
        print(f"no case is refused by {rule}")
    for entry in untaken:
        print(f"no case is taken of {entry}")
    print(f"{target}: {len(rules) - len(untried)} of {len(rules)} rules refuse a case, "
          f"{len(entries) - len(untaken)} of {len(entries)} ops have one that is taken or are never taken")
    return 1 if untried or untaken or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
