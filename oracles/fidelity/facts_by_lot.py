#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw facts about each target by lot, to be held by hand against their source and against the op list.

usage: facts_by_lot.py --facts FOLDER [--seed N] [--each 2] [--target NAME]...

FOLDER holds fact sheets of your own: Markdown, a target (or several) to a section. A fact is a row of a table, an item
of a list or a sentence. A section belongs to the targets whose names its heading has, or the heading above it; a row of
a table that compares targets belongs to the one that its first cell names. Sections about oracles, hardware,
complaints and recommendations are left out, and sheets about cost.

Prints each fact with its place; what was found of it goes into docs/evidence/facts-checked.md. The same seed draws the same
facts of the same sheets. Exit status: 0, or 2 when the sheets say nothing of a target.
"""
import argparse
import pathlib
import random
import re
import sys
import time

# What a heading, or a first cell, says of a target. The first expression that is found counts; Core ML has two lists.
NAMES = {
    "coreml-mlprogram": r"core ?ml", "coreml-neuralnetwork": r"core ?ml", "dla": r"\bdla\b", "edgetpu": r"edge tpu",
    "ethos-u": r"ethos-u|\bvela\b", "hexagon": r"hexagon", "intel-npu": r"intel npu", "mdla": r"\bmdla\b",
    "neutron": r"neutron", "nnapi": r"nnapi", "rknn": r"rknn", "stm32n6": r"stm32n6", "tidl": r"tidl",
    "webnn": r"webnn", "xdna": r"xdna|vitisai", "xnnpack": r"xnnpack",
}
LEFT_OUT = re.compile(r"oracle|provenance|come from|hardware|complaint|recommend|running a real|could not establish"
                      r"|not available|must express|cost-model|device facts|generations|baseline|licen[cs]e", re.I)
SHORTEST = 25  # characters: less is a heading of its own


def targets_of(text):
    return [target for target, pattern in NAMES.items() if re.search(pattern, text, re.I)]


def sentences(paragraph):
    """Divided after a full stop or semicolon, but not within parentheses; where the sheet comes from is no fact."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(paragraph):
        depth += (character == "(") - (character == ")")
        if depth == 0 and re.match(r"[.;]\s+[A-Z0-9*`]", paragraph[i:]):
            parts.append(paragraph[start:i + 1])
            start = i + 1
    parts = [part.strip() for part in [*parts, paragraph[start:]]]
    return [part for part in parts if len(part) >= SHORTEST and not re.match(r"\**sources?\b", part, re.I)]


class Sheet:
    """One file, read line by line: the headings above, the head of the table at hand, the paragraph so far."""

    def __init__(self, path):
        self.path, self.facts, self.headings = path, [], []
        self.table, self.paragraph, self.start = None, "", 0
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            self.read(number, line.rstrip())
        self.end_paragraph()

    def owners(self):
        if len(self.headings) < 2 or self.is_left_out():
            return []
        for _, title in reversed(self.headings):
            if targets_of(title):
                return targets_of(title)
        return []

    def is_left_out(self):
        return any(LEFT_OUT.search(title) for _, title in self.headings[1:]) or "cost" in self.path.name

    def add(self, number, text, owners=None):
        owners = self.owners() if owners is None else owners
        if owners and len(text) >= SHORTEST:
            place = f"{self.path.name}:{number}, {self.headings[-1][1].split(' (')[0]}"
            self.facts += [(owner, place, text) for owner in owners]

    def end_paragraph(self):
        for sentence in sentences(self.paragraph):
            self.add(self.start, sentence)
        self.paragraph = ""

    def read(self, number, line):
        heading = re.match(r"(#+) +(.*)", line)
        item = re.match(r" *(?:[-*]|\d+\.) +(.*)", line)
        if heading or item or line.startswith("|") or not line or line.startswith("---"):
            self.end_paragraph()
        if not line.startswith("|"):
            self.table = None
        if heading:
            level = len(heading[1])
            self.headings = [h for h in self.headings if h[0] < level] + [(level, heading[2])]
        elif line.startswith("|"):
            self.read_row(number, line)
        elif line and not line.startswith(("---", "```")):
            self.start = number if not self.paragraph else self.start
            self.paragraph = f"{self.paragraph} {item[1] if item else line}".strip()

    def read_row(self, number, line):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
        if self.table is None:
            self.table = cells
        elif not re.fullmatch(r"[-: ]*", "".join(cells)):
            compares = self.table[0].lower() == "target" and not self.is_left_out()
            text = "; ".join(f"{head}: {cell}" for head, cell in zip(self.table, cells) if cell not in ("", "–", "-"))
            self.add(number, text, targets_of(cells[0]) if compares else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--facts", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--target", action="append", choices=sorted(NAMES))
    options = parser.parse_args()
    facts = [fact for path in sorted(options.facts.glob("*.md")) for fact in Sheet(path).facts]
    print(f"seed {options.seed}")
    for target in options.target or sorted(NAMES):
        own = [fact for fact in facts if fact[0] == target]
        if len(own) < options.each:
            print(f"facts_by_lot.py: {len(own)} facts about {target} in {options.facts}", file=sys.stderr)
            return 2
        print(f"\n{target}: {options.each} of {len(own)}")
        for _, place, text in random.Random(f"{options.seed} {target}").sample(own, options.each):
            print(f"  {place}\n    {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
