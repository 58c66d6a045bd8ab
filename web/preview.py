#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a page from saved JSON reports, so that the page can be worked on without building the tool.

usage: preview.py [KIND=]REPORT.json... > page.html      (KIND: report, diff, fix; default report)
"""
import json
import pathlib
import subprocess
import sys


def blocks(argument: str) -> str:
    """One for each document of the file; several models have a line each."""
    kind, _, path = argument.rpartition("=")
    made = []
    for text in pathlib.Path(path).read_text().strip().split("\n"):
        json.loads(text)
        for character in "<\u2028\u2029":
            text = text.replace(character, f"\\u{ord(character):04x}")
        made.append(f'<script type="application/json" class="npart-data" data-kind="{kind or "report"}">{text}</script>')
    return "\n".join(made)


def main() -> None:
    bundle = pathlib.Path(__file__).parent / "bundle.sh"
    page = subprocess.run(["sh", str(bundle), "page"], check=True, capture_output=True, text=True).stdout
    head, tail = page.split("@DATA@\n")
    sys.stdout.write(head + "\n".join(map(blocks, sys.argv[1:])) + "\n" + tail)


main()
