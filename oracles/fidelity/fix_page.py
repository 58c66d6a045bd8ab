#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Put the tables that the fix_* scripts wrote into docs/evidence/fidelity-fix.md.

usage: fix_page.py PAGE.md TITLE=TABLE.md...

A part of the page begins with `## TITLE`; from its first line that begins with `|` or `### ` on it becomes the table's file,
up to the next part. What is written before that is kept, as are other parts.
"""
import pathlib
import sys


def with_table(part, table):
    lines = part.splitlines()
    start = next((place for place, line in enumerate(lines) if line.startswith(("|", "### "))), len(lines))
    return "\n".join([*lines[:start], *([""] if start and lines[start - 1] else []), table.strip(), ""])


def main():
    page, tables = pathlib.Path(sys.argv[1]), dict(word.split("=", 1) for word in sys.argv[2:])
    parts = page.read_text(encoding="utf-8").split("\n## ")
    for place, part in enumerate(parts):
        title = part.split("\n", 1)[0]
        if title in tables:
            parts[place] = with_table(part, pathlib.Path(tables.pop(title)).read_text(encoding="utf-8"))
    if tables:
        sys.exit(f"{page} has no part {' or '.join(tables)}")
    page.write_text("\n## ".join(part.rstrip() + "\n" for part in parts), encoding="utf-8")


if __name__ == "__main__":
    main()
