#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what models were before a pull or merge request, for `npu-partition check --before`.

usage: python -I -m npu_partition.merge_base TOOL CHECK BEFORE [ARGUMENT...]

With -I, Python runs nothing of the folder that it is called from, which holds what a stranger proposes.

CHECK is what `npu-partition check --format json ARGUMENT...` wrote, by the program TOOL, in the same folder. Where the
project's baseline does not tell what changed in a model, and git has another version of it at the merge base, that
version is analyzed with the project file as it is now. BEFORE is the baseline of these; it is not written where nothing
is to be told. The base is found by NPU_PARTITION_BASE, the id of a commit, or the variables of GitHub and GitLab; of a
shallow clone its commit is fetched. What cannot be had is told, and left out: the exit status is 0 all the same.
Python 3.8 and its standard library: the file runs by itself, too.
"""
from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

LFS = b"version https://git-lfs.github.com/spec/"
# What a project file is, and what it may name.
BESIDE = ("*.toml", "*.ops", "*.cost")


def say(text: str) -> None:
    print(f"npu-partition: {text}", file=sys.stderr)


# Nothing that a checkout holds is run: no hooks of a folder in it, no repository that is made of its files.
SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "safe.bareRepository=explicit")


def git(*arguments: str, given: bytes | None = None) -> bytes | None:
    """What git prints; None where it fails."""
    try:
        done = subprocess.run(["git", *SAFE, *arguments], input=given, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def text_of(*arguments: str) -> str | None:
    printed = git(*arguments)
    return None if printed is None else printed.decode(errors="surrogateescape").strip()


# ---- the merge base ------------------------------------------------------------------------------------------------


def named_base() -> str | None:
    """The commit that the host says the request is compared with; None: there is no request."""
    environment = os.environ
    named = environment.get("NPU_PARTITION_BASE") or environment.get("CI_MERGE_REQUEST_DIFF_BASE_SHA")
    if named or not environment.get("GITHUB_EVENT_PATH"):
        return named or None
    with open(environment["GITHUB_EVENT_PATH"], encoding="utf-8") as file:
        request = json.load(file).get("pull_request") or {}
    if not request:
        return None
    # What GitHub checks out is the request merged into the base: the base is its first parent.
    merged = (text_of("cat-file", "commit", "HEAD") or "").split("\n\n")[0]
    parents = re.findall(r"(?m)^parent ([0-9a-f]+)$", merged)
    return parents[0] if len(parents) == 2 else (request.get("base") or {}).get("sha")


def has(commit: str) -> bool:
    return git("cat-file", "-e", f"{commit}^{{commit}}") is not None


def find_base() -> str | None:
    named = named_base()
    if not named:
        return None
    # Whole, as a name could be an option of git, and a branch is what its owner makes it.
    if not re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", named):
        say("what changed is not told: NPU_PARTITION_BASE is no commit id of 40 or 64 digits (git rev-parse REF)")
        return None
    if not has(named):
        git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", named)
    if not has(named):
        say(f"what changed is not told: the merge base {named[:12]} cannot be fetched")
        return None
    return text_of("merge-base", named, "HEAD") or text_of("rev-parse", f"{named}^{{commit}}")


# ---- its models ----------------------------------------------------------------------------------------------------


def is_untold(target: dict[str, Any]) -> bool:
    """Whether the baseline does not tell what changed: it lacks the model, or knows no nodes."""
    return target["before"] is None or (target["status"] == "worse" and target["changed"] is None)


def untold_models(path: str) -> Iterator[str]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            model = json.loads(line)["check"] if line.strip() else {"targets": []}
            if any(is_untold(target) for target in model["targets"]):
                yield model["model"]


def changed_paths(base: str) -> dict[str, str]:
    """By the path of a file that differs from the base what it was called there. Paths are relative to the root."""
    printed = git("diff", "--name-status", "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=all",
                  "-z", "-M", base, "--")
    words = (printed or b"").decode(errors="surrogateescape").split("\0")
    found, at = {}, 0
    while at + 1 < len(words):
        is_moved = words[at][:1] in ("R", "C")
        if words[at][:1] in ("M", "R", "T"):
            found[words[at + 1 + is_moved]] = words[at + 1]
        at += 2 + is_moved
    return found


def model_at(base: str, path: str) -> bytes | None:
    data = git("cat-file", "blob", f"{base}:{path}")
    if data is not None and data.startswith(LFS):
        data = git("lfs", "smudge", "--", path, given=data)
        if data is None or data.startswith(LFS):
            say(f"{path}: what changed is not told: at the merge base it is a pointer of Git LFS, not to be fetched")
            return None
    if data is None:
        say(f"{path}: what changed is not told: git does not have it at the merge base")
    return data


def write_tree(base: str, root: pathlib.Path, models: list[str], tree: pathlib.Path) -> int:
    """The models as they were, by the names that they have now, beside what the project says now; how many."""
    count, changed = 0, changed_paths(base)
    for model in models:
        path = os.path.relpath(os.path.realpath(model), root).replace(os.sep, "/")
        data = model_at(base, changed[path]) if path in changed else None
        if data is not None:
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(data)
            count += 1
    listed = git("-C", str(root), "ls-files", "-z", "--", *BESIDE) if count else b""
    for name in (listed or b"").decode(errors="surrogateescape").split("\0"):
        # What a link leads to outside of the checkout, or to git's own files, is nothing that the project says.
        real = (root / name).resolve()
        if name and root in real.parents and root / ".git" not in real.parents and real.is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_bytes((root / name).read_bytes())
    return count


def main() -> int:
    tool, found, before, arguments = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve(), sys.argv[4:]
    if any(argument.split("=")[0] in ("--before", "--update-baseline") for argument in arguments):
        return 0
    models = list(untold_models(found)) if os.path.exists(found) else []  # a check that ended early writes nothing
    base = find_base() if models else None
    top = text_of("rev-parse", "--show-toplevel") if base else None
    if not base or not top:
        return 0
    root = pathlib.Path(top).resolve()
    with tempfile.TemporaryDirectory(prefix="npu-partition-base-") as folder:
        tree = pathlib.Path(folder).resolve()
        if not write_tree(base, root, models, tree):
            return 0
        here = tree / pathlib.Path.cwd().resolve().relative_to(root)
        here.mkdir(parents=True, exist_ok=True)
        ran = subprocess.run([tool, "check", "--quiet", "--update-baseline", "--baseline", str(before), *arguments],
                             cwd=here, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if not before.is_file():
        sys.stderr.write(ran.stderr.decode(errors="replace"))
        say("what changed is not told: the models of the merge base cannot be analyzed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
