#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/tutorial.md is what happens: its commands are run one after the other, and print what stands there.

Files that it shows are those of docs/tutorial; a change of a file (```diff) is made; Python that is marked to be run is
run. Without --export the exports that are committed take the place of the export commands.

usage: tutorial.py PAGE TOOL [--export] [--accept]
    --export   export with PyTorch, by the Python that runs this; what is printed may be wrapped otherwise, as paths are
               longer
    --accept   write down what is printed and the files shown; lines of "..." stay
"""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(?:<!-- (?P<mark>[^>]*) -->\n)?```(?P<kind>\w+)\n(?P<text>.*?)```\n", re.S)
EXPORT = re.compile(r"python export\.py (\S+)$")


def printed(command: str, folder: pathlib.Path, tool: pathlib.Path) -> str:
    """What a command prints, with the paths of its folder left out; it must succeed."""
    environment = {**os.environ, "PATH": f"{tool.parent}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"tutorial: this command fails ({done.returncode}): {command}\n{done.stdout}{done.stderr}")
    return "".join(line.rstrip() + "\n" for line in done.stdout.replace(f"{folder}/", "").splitlines())


def agrees(shown: str, found: str, may_wrap: bool) -> bool:
    """Whether what is shown is what was found; a line of "..." stands for any lines."""
    if may_wrap:
        shown, found = (" ".join(text.split()) + " " for text in (shown, found))
        parts = shown.split("... ") if shown != "... " else ["", ""]
    else:
        parts = re.split(r"^\.\.\.\n", shown, flags=re.M)
    pattern = ".*".join(re.escape(part) for part in parts)
    return re.fullmatch(pattern, found, re.S) is not None


def accepted(shown: str, found: str) -> str:
    """What was found; where lines were left out, what is shown stays."""
    return shown if "...\n" in shown else found


class Tutorial:
    """The page, carried out in a folder."""

    def __init__(self, page: pathlib.Path, tool: pathlib.Path, folder: pathlib.Path, exports: bool, accepts: bool):
        self.page, self.tool, self.folder, self.exports, self.accepts = page, tool, folder, exports, accepts
        self.commands = 0
        self.wrong: list[str] = []
        for name in ("model.py", "export.py"):
            shutil.copy(page.parent / "tutorial" / name, folder)

    def block(self, match: re.Match[str]) -> str:
        """Carries out one block, and returns it as it should be."""
        mark, kind, text = match["mark"] or "", match["kind"], match["text"]
        if mark.startswith("file: "):
            text = self.file(text, mark.removeprefix("file: "))
        elif mark.startswith("run"):
            self.run(text, needs_torch=mark == "run: export")
        elif kind == "console":
            text = self.console(text)
        elif kind == "diff":
            self.change(text)
        else:
            self.wrong.append(f"a block of {kind} that nobody checks")
        return (f"<!-- {mark} -->\n" if mark else "") + f"```{kind}\n{text}```\n"

    def file(self, shown: str, name: str) -> str:
        """A file that is shown whole."""
        text = (self.page.parent / name).read_text()
        if shown != text and not self.accepts:
            self.wrong.append(f"{name} is shown otherwise than it is")
        return text

    def run(self, text: str, needs_torch: bool) -> None:
        """Python that must run through; functions named test_... are called."""
        if needs_torch and not self.exports:
            compile(text, self.page.name, "exec")
            return
        calls = "".join(f"{name}()\n" for name in re.findall(r"^def (test_\w+)\(", text, re.M))
        (self.folder / "run.py").write_text(text + calls)
        printed("python run.py", self.folder, self.tool)

    def console(self, text: str) -> str:
        """Commands, each with what it prints."""
        result = ""
        for part in re.split(r"^(?=\$ )", text, flags=re.M):
            if not part:
                continue
            line, _, shown = part.partition("\n")
            command = line.removeprefix("$ ")
            found = self.command(command)
            self.commands += 1
            if not self.accepts and not agrees(shown, found, self.exports):
                self.wrong.append(f"{command}\nprints\n{found}and not\n{shown}")
            result += f"{line}\n{accepted(shown, found)}"
        return result

    def command(self, command: str) -> str:
        """What it prints."""
        exported = EXPORT.match(command)
        if exported and not self.exports:
            shutil.copy(self.page.parent / "tutorial" / exported[1], self.folder)
            return ""
        return printed(command, self.folder, self.tool)

    def change(self, text: str) -> None:
        """Lines with - give way to those with +."""
        lines = {sign: "".join(line[1:] + "\n" for line in text.splitlines() if line[0] == sign) for sign in "-+"}
        path = self.folder / "model.py"
        before = path.read_text()
        if before.count(lines["-"]) != 1:
            self.wrong.append(f"model.py has not once\n{lines['-']}")
        path.write_text(before.replace(lines["-"], lines["+"]))


def main() -> None:
    """Checks the page, or writes it."""
    options, (page, tool) = set(sys.argv[3:]), map(pathlib.Path, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        tutorial = Tutorial(page, tool.resolve(), pathlib.Path(folder).resolve(), "--export" in options,
                            "--accept" in options)
        text = BLOCK.sub(tutorial.block, page.read_text())
    if tutorial.wrong:
        sys.exit("tutorial: " + "\ntutorial: ".join(tutorial.wrong))
    if tutorial.accepts:
        page.write_text(text)
    print(f"tutorial: {tutorial.commands} commands as they are shown")


if __name__ == "__main__":
    main()
