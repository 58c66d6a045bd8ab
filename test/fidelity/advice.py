#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is advised for real models: every report of a model of which a node falls back has an action for each cause.

usage: advice.py TOOL FOLDER [TARGET...]      targets: hexagon and intel-npu

Prints for each target how many reports lack an action, how many actions there are of each kind, and how many that have
a command bring what they say when it is run. With status 1 where an action lacks or says something else.
"""
import collections
import glob
import json
import os
import shlex
import subprocess
import sys


def ask(tool, path, options):
    """The report of one target, or None where the model cannot be read."""
    run = subprocess.run([tool, path, "--format", "json", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(run.stdout)["targets"][0] if run.returncode in (0, 1) else None


def is_kept(tool, path, name, action):
    """Whether the tool says of the model what the action said would be left; None where nothing can be run."""
    if not action["command"] or action["needs"] or action["action"] == "cut":
        return None
    options = shlex.split(action["command"])
    target = ask(tool, path, options if "-t" in options else ["-t", name, *options])
    keys = ("partitions", "coverage", "verdict", "mac_coverage")
    return bool(target) and all(target["summary"][key] == action["after"][key] for key in keys)


def lacking(target):
    """Ids of causes that no action names, or None where nothing at all is advised although something falls back."""
    if target["summary"]["accepted"] == target["summary"]["live"] and target["summary"]["verdict"] != "fails":
        return []
    if not target["advice"]:
        return None
    told = {cause for action in target["advice"] for cause in action["causes"]}
    return [cause["id"] for cause in target["causes"] if cause["id"] not in told]


def main():
    tool, folder, *targets = sys.argv[1:]
    models = [path for path in sorted(glob.glob(os.path.join(folder, "*.onnx")))
              if not os.path.basename(path).startswith("aihub-")]
    missing = 0
    for name in targets or ["hexagon", "intel-npu"]:
        kinds, ends, said, reports = collections.Counter(), collections.Counter(), collections.Counter(), 0
        for path in models:
            target = ask(tool, path, ["-t", name])
            if not target:
                continue
            kept = [is_kept(tool, path, name, action) for action in target["advice"]]
            said.update(answer for answer in kept if answer is not None)
            if False in kept:
                missing += 1
                print(f"{name}: {os.path.basename(path)}: {target['advice'][kept.index(False)]}")
            lacks = lacking(target)
            way = [action for action in target["advice"] if action["instead_of"] is None]
            steps = [action for action in way if action["action"] != "none"]
            reports += bool(way)
            kinds.update(action["action"] for action in way)
            ends.update(action["after"]["verdict"] for action in steps[-1:])
            if lacks or lacks is None:
                missing += 1
                print(f"{name}: {os.path.basename(path)}: no action" + (f" for causes {lacks}" if lacks else ""))
        print(f"{name}: {reports} reports with actions of {len(models)} models; steps: "
              + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
              + "; verdict after the last step: " + ", ".join(f"{count} {end}" for end, count in ends.most_common())
              + f"; commands run: {said[True]} of {said[True] + said[False]} bring what they say")
    print(f"reports without an action where a node falls back, or with one that says something else: {missing}")
    return 1 if missing or not models else 0


if __name__ == "__main__":
    sys.exit(main())
