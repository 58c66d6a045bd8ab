#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws which folders of lib/ include which: docs/includes.svg, by Graphviz.

An arrow goes from a folder to one that it includes. Arrows that follow from others are left out, so that the drawing
can be read. Exits with 1, and draws nothing, where folders include each other in a circle, or one that stands later in
the order of test/checks/structure.sh: all arrows go down.

usage: includes.py OUT.svg        (OUT.dot: the text that Graphviz reads)
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What a folder makes, for its box; architecture.md says more.
MAKES = {
    "base": "memory, strings, text, types",
    "wire": "bytes to skeleton",
    "onnx": "skeleton to objects",
    "schema": "the standard's operators",
    "release": "what runtimes have, by release",
    "oplist": "the language of op lists",
    "graph": "objects to arrays",
    "infer": "types, shapes, elements",
    "compiled": "what is compiled already",
    "session": "the graph as the runtime runs it",
    "judge": "verdicts and reasons",
    "partition": "verdicts to partitions",
    "precision": "formats of weights",
    "cause": "why nodes fall back",
    "cost": "milliseconds",
    "plan": "all of it for one target",
    "onnxruntime": "what it does by itself",
    "openvino": "what its provider does",
    "qnn": "what its provider does",
    "runtime": "a row for each product",
    "advice": "what to do about it",
    "memory": "weights and peaks",
    "work": "what operators compute",
    "module": "sums by module",
    "edit": "the next version of a model",
    "rewrite": "what replaces a node",
    "choose": "which change is best",
    "fix": "the best version, a file",
    "split": "a model for each partition",
    "diff": "two plans",
    "place": "a device for each model",
    "report": "text and JSON",
    "runs": "plans beside real runs",
    "many": "sums over many models",
    "gate": "what a merge is held to",
    "api": "the public handles",
}


def stages():
    """In their order, with the folder of lib/ that each is in; \"\": it is one itself."""
    text = (ROOT / "test/checks/structure.sh").read_text()
    return dict(name.rpartition("/")[::-2] for name in re.search(r'^stages="([^"]*)"', text, re.M).group(1).split())


def includes():
    """By folder the folders that its files include."""
    found = {}
    for file in sorted(ROOT.glob("lib/**/*.[ch]")):
        here = found.setdefault(file.parent.name, set())
        here.update(re.findall(r'^#include "([a-z]+)/', file.read_text(), re.M))
        here.discard(file.parent.name)
    return found


def reached(edges, start):
    seen, rest = set(), list(edges[start])
    while rest:
        at = rest.pop()
        if at not in seen:
            seen.add(at)
            rest.extend(edges[at])
    return seen


def reduced(edges):
    """Without the arrows that follow from others."""
    return {
        folder: {to for to in targets if not any(to in reached(edges, other) for other in targets - {to})}
        for folder, targets in edges.items()
    }


def drawing(edges, groups):
    lines = [
        "digraph includes {",
        '  rankdir=TB; nodesep=0.3; ranksep=0.3; bgcolor="white";',
        '  node [shape=box, style="rounded,filled", fillcolor="#eef3f8", color="#4a6785", fontname="Helvetica",'
        " fontsize=11, margin=\"0.16,0.07\"];",
        '  edge [color="#4a6785", arrowsize=0.7];',
    ]
    for group in sorted(set(groups.values()) - {""}):
        inside = "; ".join(f'"{stage}"' for stage in groups if group in (groups[stage], stage))
        lines.append(f'  subgraph "cluster_{group}" {{ label="{group}"; labeljust=l; fontname="Helvetica";'
                     f' color="#9fb3c8"; {inside} }}')
    for folder in sorted(edges):
        makes = f'<br/><font point-size="10">{MAKES[folder]}</font>' if folder in MAKES else ""
        lines.append(f'  "{folder}" [label=<<b>{folder}</b>{makes}>];')
    for folder, targets in sorted(reduced(edges).items()):
        lines.extend(f'  "{folder}" -> "{to}";' for to in sorted(targets))
    return "\n".join(lines) + "\n}\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    edges, order, wrong = includes(), stages(), []
    places = list(order)
    for folder, targets in sorted(edges.items()):
        wrong += [f"{folder} includes {to}, a later folder" for to in targets
                  if places.index(to) > places.index(folder)]
        if folder in reached(edges, folder):
            wrong.append(f"{folder} includes itself in a circle")
    for text in wrong:
        print(f"includes: {text}", file=sys.stderr)
    if wrong:
        sys.exit(1)
    out = pathlib.Path(sys.argv[1])
    if out.suffix == ".dot":
        out.write_text(drawing(edges, order))
    else:
        subprocess.run(["dot", f"-T{out.suffix[1:]}", "-o", str(out)], input=drawing(edges, order), text=True,
                       check=True)


main()
