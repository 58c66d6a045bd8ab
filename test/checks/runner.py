# SPDX-License-Identifier: Apache-2.0
"""What a runner of GitHub takes out of a step's log, in both forms of a command.

As in ActionCommand.cs and ActionCommandManager.cs of actions/runner: the newer form stands where a line begins, after
blanks of Unicode; the older one anywhere in it. Between `stop-commands` and its word none is obeyed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

REGISTERED = {
    "internal-set-repo-path", "set-env", "set-output", "save-state", "add-path", "add-mask", "add-matcher",
    "remove-matcher", "warning", "error", "notice", "debug", "group", "endgroup", "echo", "stop-commands",
}  # fmt: skip
ANNOTATIONS = {"error", "warning", "notice"}


class Command(NamedTuple):
    name: str
    properties: dict[str, str]
    data: str


def unescape(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for escape, character in pairs:
        text = text.replace(escape, character)
    return text


def parts(text: str, separator: str) -> dict[str, str]:
    found = {}
    for part in text.split(separator):
        key, equals, value = part.partition("=")
        if equals:
            found[key.strip()] = unescape(
                value, (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))
            )
    return found


def parse(line: str, registered: set[str]) -> Command | None:
    text = line.lstrip()  # of Python as of .NET: all that Unicode calls a blank
    end = text.find("::", 2)
    if text.startswith("::") and end >= 0:
        name, _, properties = text[2:end].partition(" ")
        if name.lower() in registered:
            return Command(name.lower(), parts(properties, ","), text[end + 2 :])
    begin = line.find("##[")
    end = line.find("]", begin)
    if begin >= 0 and end >= 0:
        name, _, properties = line[begin + 3 : end].partition(" ")
        if name.lower() in registered:
            return Command(name.lower(), parts(properties, ";"), line[end + 1 :])
    return None


class Log:
    """The lines of one step; what the runner obeys of them, and what it would, were it not told to stop."""

    def __init__(self) -> None:
        self.word = ""
        self.obeyed: list[Command] = []
        self.ignored: list[Command] = []

    def read(self, text: str) -> None:
        for line in re.split("\r\n|\r|\n", text):
            command = parse(line, REGISTERED | {self.word.lower()})
            if command is None:
                continue
            if self.word:
                if command.name == self.word.lower():
                    self.word = ""
                else:
                    self.ignored.append(command)
                continue
            self.obeyed.append(command)
            if command.name == "stop-commands":
                self.word = command.data

    def outputs(self) -> dict[str, str]:
        return {command.properties.get("name", ""): command.data for command in self.obeyed
                if command.name == "set-output"}  # fmt: skip
