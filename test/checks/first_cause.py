# SPDX-License-Identifier: Apache-2.0
"""`check` names the first cause that the report names, and none of its lines is wider than 80 columns.

usage: first_cause.py TOOL FOLDER [TARGET...]
"""

import pathlib
import re
import subprocess
import sys
import tempfile

TARGETS = ["hexagon", "intel-npu", "rknn", "coreml", "ethos-u"]
LIMITS = ["--max-partitions", "0", "--min-coverage", "1", "--fail-on", "fail"]  # whatever falls back fails


def run(arguments: list[str], folder: str) -> str:
    done = subprocess.run(arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    return done.stdout.decode(errors="replace")


def core(text: str) -> str:
    """Without what was found and where, which the report leaves out where there is no room for it."""
    text = " ".join(text.split())
    for end in ("; found ", ". First: ", ". At ", " ..."):
        text = text.split(end)[0]
    return text.removesuffix("...")


def first_of_report(text: str) -> str:
    """What stands after `Why 1`; else the requirement in the headline, or what stands at `-->`."""
    lines = text.splitlines()
    for place, line in enumerate(lines):
        if not re.match(r"  Why     1  ", line):
            continue
        rest = []
        for more in lines[place + 1 :]:
            if not more.startswith(" " * 13):
                break
            rest.append(more)
        return core(" ".join([line[13:], *rest]))
    headline = re.search(r"FAILS: (.*?)\n\n", text + "\n\n", re.S)
    arrow = re.search(r"  --> (.*?)\n\n", text, re.S)
    return core(arrow.group(1) if arrow else headline.group(1) if headline else "")


def first_of_check(text: str) -> str:
    found = re.search(r"^  first cause  (.*?)$(?=\n  \S|\n\n)", text, re.S | re.M)
    return core(found.group(1)) if found else ""


def is_same(a: str, b: str) -> bool:
    shorter = min(len(a), len(b))
    return a[:shorter] == b[:shorter] and (shorter >= 20 or a == b)


def main() -> None:
    tool = str(pathlib.Path(sys.argv[1]).resolve())
    models = sorted(pathlib.Path(sys.argv[2]).resolve().rglob("*.onnx"))
    targets = sys.argv[3:] or TARGETS
    compared, failures = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            for target in targets:
                checked = run([tool, "check", str(model), "-t", target, *LIMITS, "-v"], folder)
                if "cannot be read" in checked:
                    continue
                reported = run([tool, str(model), "-t", target], folder)
                ours, theirs = first_of_check(checked), first_of_report(reported)
                wide = [line for line in checked.splitlines() if len(line) > 80 and not line.startswith("npu-partition")]
                compared += 1
                if wide:
                    failures.append(f"{model.name} {target}: wider than 80 columns: {wide[0]}")
                is_edge = not theirs and " EDGE" in reported  # the report has no reason then
                if not is_edge and not is_same(ours, theirs):
                    failures.append(f"{model.name} {target}:\n  check   {ours!r}\n  report  {theirs!r}")
    print("\n".join(failures[:20]))
    print(f"{compared} plans compared, {len(failures)} differ")
    sys.exit(1 if failures else 0)


main()
