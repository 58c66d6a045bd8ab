#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the one comment of npu-partition on a pull or merge request, or updates it in place.

usage: python -I -m npu_partition.merge_comment CHECK REPORT [--print]

With -I, Python runs nothing of the folder that it is called from, which holds what a stranger proposes.

CHECK is what `npu-partition check --format json` wrote, REPORT what `--format markdown` did. The code host is found by
its environment variables; of GitHub: GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_EVENT_PATH and the token GH_TOKEN; of
GitLab: CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID and the token NPU_PARTITION_TOKEN. Outside of a pull or merge
request nothing happens. Where nothing fails and nothing changed, no comment is begun; one that is there, and that the
token's owner wrote, is updated. `--print` prints the comment and asks nobody.
Python 3.8 and its standard library: the file runs by itself, too.
"""
from __future__ import annotations

import json
import os
import re
import sys
import urllib.request
from collections.abc import Iterator
from typing import Any

MARK = "<!-- npu-partition check -->"
MOST_CHARACTERS = 60000  # GitHub takes 65536, GitLab a million
MOST_ROWS = 50
SAME_TIME = 0.1  # estimates that differ by less are equal, as in diff


# A word that neither Markdown nor a code host takes for anything: letters, a number, an arrow, with what stands round
# it in a sentence. All others may be addresses, mentions, references, HTML, and stand as code, where nothing is obeyed.
WORD = re.compile(r"[(\"]*(?:[A-Za-z]+(?:['-][A-Za-z]+)*|[0-9]+(?:[.][0-9]+)?|->|-|%)?[)\",.;:?]*")


def code(text: str, is_cell: bool = False) -> str:
    """A code span of any text: its fence is longer than the longest run of backticks within."""
    text = "".join(letter if letter.isprintable() else " " for letter in text).strip() or " "
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return fence + pad + (text.replace("|", "\\|") if is_cell else text) + pad + fence


def sentence(text: str) -> str:
    """Text from a model, a project file or a file's name, which must not become markup or call anybody."""
    return " ".join(shown(word) for word in text.split())


def shown(word: str) -> str:
    """A word as it is, or as code: "`act`," and "net.py:44," keep the comma outside."""
    if WORD.fullmatch(word):
        return word
    core = word.rstrip(")\",.;:?")
    return code(core.strip("`")) + word[len(core):] if core.strip("`") else code(word)


def change(before: Any, after: Any, form: str, tolerance: float = 0) -> str:
    """What became of a figure: "1 -> 2", or "2" where nothing changed or nothing is known of before."""
    told = form.format(after) if after is not None else "unknown"
    was = form.format(before) if before is not None else "unknown"
    is_near = before is not None and after is not None and abs(after - before) <= tolerance * abs(before)
    return told if before is None or was == told or is_near else f"**{was} -> {told}**"


def read(path: str) -> list[dict[str, Any]]:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line)["check"] for line in file if line.strip()]


def rows(models: list[dict[str, Any]]) -> Iterator[tuple[bool, str]]:
    """By model and target whether it changed, and its row."""
    for model in models:
        for target in model["targets"]:
            before = target["before"] or {}
            cells = [change(before.get("partitions"), target["partitions"], "{}"),
                     change(percent(before), percent(target), "{:.1f} %"),
                     change(before.get("ms"), target["ms"], "{:.2f} ms", SAME_TIME)]
            told = f"| {code(model['model'], True)} | {code(target['target'], True)} | " + " | ".join(cells) + " |"
            yield any("->" in cell for cell in cells) or target["status"] in ("worse", "fails"), told


def percent(target: dict[str, Any]) -> float | None:
    share = target.get("mac_coverage")
    share = target.get("coverage") if share is None else share
    return None if share is None else 100 * share


def failures(models: list[dict[str, Any]]) -> Iterator[str]:
    for model in models:
        name = code(model["model"])
        if model["error"]:
            yield f"- {name}: cannot be read: {sentence(model['error'])}"
        for outcome in model["outcomes"]:
            if not outcome["met"] and not outcome["waiver"]:
                yield f"- {name}: {sentence(outcome['text'])}"
        for target in model["targets"]:
            yield from (f"- {name}, {code(target['target'])}: {text}" for text in reasons(target))


def reasons(target: dict[str, Any]) -> list[str]:
    """One a regression: where the comparison with the baseline fails, it tells of the thresholds as well."""
    unmet = [item for item in target["outcomes"] if not item["met"] and not item["waiver"]]
    compared = [item for item in unmet if item["threshold"] == "baseline"]
    texts = [sentence(item["text"]) for item in compared or unmet]
    todo = target["action"]
    if texts and todo:
        lines = target["config"] or target["command"]
        options = ", ".join(code(line) for line in lines.strip().splitlines()) if lines else ""
        texts[-1] += f". Do first: {sentence(todo)}" + (f" ({options})" if options else "")
    return texts


def body(models: list[dict[str, Any]], report: str) -> tuple[str, bool]:
    """The comment, and whether it has anything to say."""
    told = list(failures(models))
    table = list(rows(models))
    changed = [row for is_changed, row in table if is_changed]
    bad = sum(model["status"] in ("worse", "fails", "error") for model in models)
    count = f"{len(models)} model{'' if len(models) == 1 else 's'}"
    parts = [MARK, f"### npu-partition: {f'{bad} of {count} fail' if bad else f'{count}, nothing fails'}", *told]
    if changed:
        parts += ["", "| model | target | partitions | coverage | a run |", "|---|---|---|---|---|",
                  *changed[:MOST_ROWS]]
    if len(changed) > MOST_ROWS:
        parts += ["", f"and {len(changed) - MOST_ROWS} more"]
    if len(table) > len(changed):
        parts += ["", f"{len(table) - len(changed)} of {len(table)} checks are as they were."]
    head = "\n".join(parts)
    if len(head) > MOST_CHARACTERS:
        head = head[:MOST_CHARACTERS].rsplit("\n", 1)[0] + "\n\nThe rest is in the job's summary."
    details = f"\n\n<details><summary>All models</summary>\n\n{report}\n</details>\n"
    whole = head + (details if len(head) + len(details) <= MOST_CHARACTERS + 4000 else "\n")
    return whole, bool(told or changed)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Where an interface sends a request on to, the token does not go."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Host:
    """Where comments are: a list of them, and the names of their members."""

    def __init__(self, comments: str, headers: dict[str, str], one: str, method: str) -> None:
        self.comments, self.headers, self.one, self.method = comments, headers, one, method
        self.opener = urllib.request.build_opener(NoRedirect)

    def ask(self, method: str, url: str, payload: Any = None) -> Any:
        data = None if payload is None else json.dumps(payload).encode()
        request = urllib.request.Request(url, data, {**self.headers, "Content-Type": "application/json"}, method=method)
        with self.opener.open(request, timeout=60) as answer:
            return json.load(answer)

    def is_own(self, comment: dict[str, Any]) -> bool:
        """Whether the token's owner wrote it: anybody can write one that begins with the mark."""
        raise NotImplementedError

    def find(self) -> dict[str, Any] | None:
        for page in range(1, 101):
            found: list[dict[str, Any]] = self.ask("GET", f"{self.comments}?per_page=100&page={page}")
            for comment in found:
                if (comment.get("body") or "").startswith(MARK) and self.is_own(comment):
                    return comment
            if len(found) < 100:
                break
        return None

    def write(self, text: str, is_worth_it: bool) -> str:
        comment = self.find()
        if comment is None and not is_worth_it:
            return "nothing to say"
        if comment is None:
            self.ask("POST", self.comments, {"body": text})
            return "written"
        if comment["body"].strip() == text.strip():
            return "as it was"
        self.ask(self.method, f"{self.one}/{comment['id']}", {"body": text})
        return "updated"


class GitHub(Host):
    """The owner is a user, or an application, which GraphQL alone tells of: the job's own is github-actions[bot]."""

    owner = ""

    def is_own(self, comment: dict[str, Any]) -> bool:
        if not self.owner:
            address = os.environ.get("GITHUB_GRAPHQL_URL") or f"{os.environ['GITHUB_API_URL']}/graphql"
            try:
                answer = self.ask("POST", address, {"query": "query { viewer { login } }"})
                self.owner = answer["data"]["viewer"]["login"]
            except (OSError, ValueError, KeyError, TypeError):
                self.owner = "github-actions[bot]"
        user = comment.get("user") or {}
        return user.get("login") in (self.owner, f"{self.owner}[bot]" if user.get("type") == "Bot" else self.owner)


class GitLab(Host):
    owner: Any = None

    def is_own(self, comment: dict[str, Any]) -> bool:
        if self.owner is None:
            self.owner = self.ask("GET", f"{os.environ['CI_API_V4_URL']}/user")["id"]
        return bool((comment.get("author") or {}).get("id") == self.owner)


def find_host() -> Host | None:
    environment = os.environ
    if environment.get("CI_MERGE_REQUEST_IID"):
        comments = (f"{environment['CI_API_V4_URL']}/projects/{environment['CI_PROJECT_ID']}/merge_requests/"
                    f"{environment['CI_MERGE_REQUEST_IID']}/notes")
        return GitLab(comments, {"PRIVATE-TOKEN": environment["NPU_PARTITION_TOKEN"]}, comments, "PUT")
    event = environment.get("GITHUB_EVENT_PATH")
    if not event:
        return None
    with open(event, encoding="utf-8") as file:
        number = (json.load(file).get("pull_request") or {}).get("number")
    if number is None:
        return None
    issues = f"{environment['GITHUB_API_URL']}/repos/{environment['GITHUB_REPOSITORY']}/issues"
    headers = {"Authorization": f"Bearer {environment['GH_TOKEN']}", "Accept": "application/vnd.github+json"}
    return GitHub(f"{issues}/{int(number)}/comments", headers, f"{issues}/comments", "PATCH")


def main() -> int:
    models = read(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        text, is_worth_it = body(models, file.read().strip())
    if "--print" in sys.argv[3:]:
        print(text)
        return 0
    host = find_host()
    try:
        print("comment:", host.write(text, is_worth_it) if host else "no pull or merge request")
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"comment: not written: {type(error).__name__} {getattr(error, 'code', '')}".strip())
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
