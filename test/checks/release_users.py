# SPDX-License-Identifier: Apache-2.0
"""How a release reaches its users, from build/release/dist as if it were published: pre-commit by the mirror repository
and its wheel, the action's packaging/get.sh by checksum, by wheel, and never what has another checksum.

usage: release_users.py DIST VERSION
"""

import os
import pathlib
import shutil
import sys
import tempfile
import time

from hooks import ROOT, check_pre_commit, git, must, run

DIST, VERSION = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
NO_COMPILER = ("cc", "gcc", "clang", "make", "protoc-c")


def path_without_compiler(scratch: pathlib.Path) -> str:
    """The programs of this machine, without those of a build."""
    folder = scratch / "bin"
    folder.mkdir()
    for place in reversed(os.environ["PATH"].split(":")):
        for program in pathlib.Path(place).iterdir() if pathlib.Path(place).is_dir() else []:
            if program.name not in NO_COMPILER:
                (folder / program.name).unlink(missing_ok=True)
                (folder / program.name).symlink_to(program)
    return str(folder)


def check_mirror(scratch: pathlib.Path, path: str) -> None:
    mirror = scratch / "mirror"
    mirror.mkdir()
    git(mirror, "init", "-q")
    git(mirror, "config", "user.name", "test")
    git(mirror, "config", "user.email", "test@test.invalid")
    for _ in range(2):  # the second time nothing is left to do
        status, output = run(["sh", str(ROOT / "packaging/pre-commit/mirror.sh"), VERSION, str(mirror)], ROOT)
        must(status == 0, "the mirror", output)
    must(git(mirror, "tag") == f"v{VERSION}" and git(mirror, "rev-list", "--count", "HEAD") == "1", "the mirror's tag")
    os.environ["PIP_FIND_LINKS"] = str(DIST)
    started = time.monotonic()
    check_pre_commit(mirror, scratch, "npu-partition-check", path)
    print(f"check-release: pre-commit by the mirror, without a compiler: {time.monotonic() - started:.0f} s for 5 runs")


def get(checkout: pathlib.Path, folder: pathlib.Path, settings: dict[str, str]) -> tuple[int, str]:
    return run(["sh", str(checkout / "packaging/get.sh"), str(folder)], checkout, settings)


def check_get(scratch: pathlib.Path, path: str) -> None:
    checkout = scratch / "checkout"
    shutil.copytree(ROOT / "packaging", checkout / "packaging")
    shutil.copytree(ROOT / "include", checkout / "include")
    sums = checkout / "packaging" / "SHA256SUMS"
    shutil.copy(DIST / "SHA256SUMS", sums)
    settings = {"PATH": path, "RELEASES": f"file://{DIST}", "WHEELS": f"--no-index --find-links {DIST}"}
    status, output = get(checkout, scratch / "binary", settings)
    tool = output.splitlines()[-1]
    must(status == 0 and tool.endswith("linux-x86_64/npu-partition"), "the binary by its checksum", output)
    must(run([tool, "--version"], ROOT) == (0, f"npu-partition {VERSION}\n"), "the binary runs")
    status, output = get(checkout, scratch / "wheel", settings | {"RELEASES": "file:///nowhere"})
    tool = output.splitlines()[-1]
    must(status == 0 and tool.endswith("environment/bin/npu-partition"), "the wheel by its checksum", output)
    must(run([tool, "--version"], ROOT) == (0, f"npu-partition {VERSION}\n"), "the wheel's tool runs")
    text = sums.read_text()
    sums.write_text("".join(f"{'0' * 64}  {line.split('  ')[1]}\n" for line in text.splitlines()))
    status, output = get(checkout, scratch / "wrong", settings)
    must(status != 0 or "linux-x86_64/npu-partition" not in output.splitlines()[-1], "a wrong checksum", output)
    must("another checksum" in output, "a wrong checksum is told", output)
    print("check-release: the action's binary by checksum, its wheel by checksum, none with another one")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="npu-partition-release-") as folder:
        scratch = pathlib.Path(folder)
        path = path_without_compiler(scratch)
        check_get(scratch, path)
        check_mirror(scratch, path)


main()
