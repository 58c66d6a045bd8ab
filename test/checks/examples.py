#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples of a page: each block ```sh that is followed by another block prints what stands there. With --accept
puts what is printed there.

usage: examples.py PAGE [--accept]
"""
import re
import subprocess
import sys

EXAMPLE = re.compile(r"^```sh\n(?P<command>[^`]*?)```\n\n(?P<fence>```+)(?P<kind>\w+)\n(?P<shown>.*?)^(?P=fence)$",
                     flags=re.MULTILINE | re.DOTALL)


def main() -> int:
    """Runs them from the repository's root, as a reader would."""
    path, accepts = sys.argv[1], "--accept" in sys.argv
    with open(path, encoding="utf-8") as file:
        page = file.read()
    count = wrong = 0

    def run(match: "re.Match[str]") -> str:
        nonlocal count, wrong
        count += 1
        done = subprocess.run(["sh", "-c", match["command"]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              encoding="utf-8", check=False)
        if done.stdout != match["shown"]:
            wrong += 1
            if not accepts:
                print(f"{path}: this prints something else: {match['command']}{done.stdout}", file=sys.stderr)
        return f"```sh\n{match['command']}```\n\n{match['fence']}{match['kind']}\n{done.stdout}{match['fence']}"

    page = EXAMPLE.sub(run, page)
    if accepts:
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
    print(f"{path}: {count} examples, {wrong} differ")
    return 1 if count == 0 or (wrong and not accepts) else 0


sys.exit(main())
