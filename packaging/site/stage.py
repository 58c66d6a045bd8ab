#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gathers what the site is made of, in the repository's own folders, so that links of the documents hold: README.md (as
index.md, with contents.md after it), docs/, and every document that they lead to.

usage: stage.py OUT     run in the repository's folder; OUT is made anew
"""
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
# [text](path#anchor), [text](<path>) and ![picture](path)
LINK = re.compile(r"\]\(<?([^)\s>#]+)")
SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def linked(document: pathlib.Path) -> list[pathlib.Path]:
    """Files that it links to, whether they are there or not."""
    text = FENCE.sub("", document.read_text())
    return [document.parent / path for path in LINK.findall(text) if not SCHEME.match(path)]


def gather(root: pathlib.Path) -> list[pathlib.Path]:
    """The documents, and what they lead to. What is missing is left to the check of links."""
    waiting = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    found: set[pathlib.Path] = set()
    while waiting:
        path = waiting.pop().resolve()
        if path in found or not path.is_file() or not path.is_relative_to(root):
            continue
        found.add(path)
        if path.suffix == ".md":
            waiting += linked(path)
    return sorted(found)


def copy(path: pathlib.Path, root: pathlib.Path, out: pathlib.Path) -> None:
    """The first page is the README: links to it lead there."""
    place = path.relative_to(root)
    to = out / ("index.md" if place == pathlib.Path("README.md") else place)
    to.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix != ".md":
        shutil.copyfile(path, to)
        return
    up = "../" * (len(place.parts) - 1)
    text = path.read_text().replace(f"]({up}README.md", f"]({up}index.md")
    if to.name == "index.md" and to.parent == out:
        text += (HERE / "contents.md").read_text()
    to.write_text(text)


def main() -> None:
    out, root = pathlib.Path(sys.argv[1]), pathlib.Path.cwd()
    shutil.rmtree(out, ignore_errors=True)
    for path in gather(root):
        copy(path, root, out)


main()
