#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write pattern models: for every rewrite of `npu-partition fix` graphs that it is meant for, and graphs that break its
precondition once each.

usage: fix_patterns.py FOLDER [--only ID,...] [--tool build/npu-partition]

FOLDER gets the models, `patterns.json` (what each is for) and nothing else. With --tool, how many patterns that a rewrite
should apply to have a node that their target does not take: one without shows nothing. Exit status 1 when a pattern is
no valid model, or does not run.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

import fix_pattern_model as model
import fix_patterns_attention  # noqa: F401: fills the register
import fix_patterns_layers  # noqa: F401
import fix_patterns_masks  # noqa: F401
import fix_patterns_ranks  # noqa: F401
import fix_patterns_structure  # noqa: F401


def make(folder, only):
    """Entries of patterns.json, and what could not be made."""
    entries, problems, names = [], [], set()
    for one in model.REGISTER:
        if only and one.id not in only:
            continue
        try:
            model.finish(one)
        except Exception as error:  # the runtime's words, of whatever kind
            problems.append(f"{one.id}/{one.name}: {str(error).strip()[:300]}")
            continue
        for variant in model.variants(one):
            try:
                if variant is not one:
                    model.finish(variant)
            except Exception as error:
                problems.append(f"{variant.id}/{variant.name} (left out): {str(error).strip()[:160]}")
                continue
            file = f"{variant.id}.{variant.name}.onnx"
            if file in names:
                raise SystemExit(f"two patterns {file}")
            names.add(file)
            (folder / file).write_bytes(variant.model.SerializeToString())
            entries.append(variant.entry(file))
    return entries, problems


def without_refusal(tool, folder, entries):
    """Patterns whose every node their target takes."""
    missing = []
    for entry in entries:
        if entry["applies"] is not True:
            continue
        run = subprocess.run([tool, str(folder / entry["file"]), "-t", entry["target"], "--format", "json", "--detail",
                              "summary"], capture_output=True, text=True, check=False)
        if run.returncode not in (0, 1):
            missing.append(f"{entry['file']}: {run.stderr.strip()[:200]}")
            continue
        summary = json.loads(run.stdout)["targets"][0]["summary"]
        if not summary["refused"]:
            missing.append(entry["file"])
    return missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--tool")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for old in args.folder.glob("*.onnx"):
        old.unlink()
    entries, problems = make(args.folder, set(filter(None, args.only.split(","))))
    (args.folder / "patterns.json").write_text(json.dumps(entries, indent=0), encoding="utf-8")
    for problem in problems:
        print("NOT MADE", problem)
    if args.tool:
        for missing in without_refusal(args.tool, args.folder, entries):
            print("NO REFUSAL", missing)
    counts = collections.Counter(entry["id"] for entry in entries)
    print(f"{len(entries)} patterns of {len(counts)} rewrites, {len(problems)} not made")
    missing = sorted(set(model.CLASSES) - set(counts))
    if missing and not args.only:
        print("no pattern of:", " ".join(missing))
    return any("left out" not in problem for problem in problems)


if __name__ == "__main__":
    sys.exit(main())
