#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a report says of a target does not depend on which others are asked for beside it. Targets share an inference
that reads elements of constants when the first asks, so an answer that looks at what was read shows here.

usage: independent.py TOOL MODEL...
"""
import json
import subprocess
import sys


def targets_of(tool: str, model: str, target: str) -> list[dict]:
    done = subprocess.run([tool, model, "--target", target, "--format", "json"], check=True, capture_output=True)
    found: list[dict] = json.loads(done.stdout)["targets"]
    for step in (step for target in found for step in target["advice"] if step["run"]):
        step["run"].remove(step["run"][step["run"].index("-t") + 1])  # as it was asked for
    return found


def main() -> int:
    tool, *models = sys.argv[1:]
    compared = different = 0
    for model in models:
        for together in targets_of(tool, model, "all"):
            alone = targets_of(tool, model, together["name"])[0]
            fields = [name for name in together if together[name] != alone.get(name)]
            compared += 1
            if fields:
                different += 1
                print(f"{model}: {together['name']} alone has other {', '.join(fields)}")
    print(f"targets: {compared} alone and beside all others, {different} differ")
    return 1 if different or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
