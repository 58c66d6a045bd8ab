# SPDX-License-Identifier: Apache-2.0
"""The bindings are those of the header, and lie where the C compiler lays them."""
from __future__ import annotations

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

from npu_partition import _library, _native

GENERATOR = ROOT / "tools" / "generate" / "python_bindings.py"
COMPILER = os.environ.get("CC", "cc").split()
HEADER = ROOT / "include" / "npu_partition.h"
HEADERS = [HEADER, *(HEADER.parent / name for name in re.findall(r'^#include "(.*)"', HEADER.read_text(), re.M))]


def generate(*options: str) -> str:
    pytest.importorskip("pycparser")
    if not shutil.which(COMPILER[0]):
        pytest.skip("no C compiler")
    done = subprocess.run([sys.executable, GENERATOR, *HEADERS, *options], capture_output=True, text=True, check=True)
    return done.stdout


def test_bindings_are_up_to_date() -> None:
    committed = pathlib.Path(_native.__file__).read_text(encoding="utf-8")
    assert committed == generate(), "make python-bindings writes them again"


def test_layout_is_the_compilers(tmp_path: pathlib.Path) -> None:
    (tmp_path / "layout.c").write_text(generate("--layout"))
    subprocess.run([*COMPILER, "-I", HEADER.parent, tmp_path / "layout.c", "-o", tmp_path / "layout"], check=True)
    done = subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=True)
    wrong, members = [], 0
    for line in done.stdout.splitlines():
        name, *expected = line.split()
        struct, _, member = name.partition(".")
        kind = getattr(_native, struct)
        if member:
            place = getattr(kind, member, None) or getattr(kind, member + "_")
            found = [place.offset, place.size]
            members += 1
        else:
            found = [ctypes.sizeof(kind)]
        if found != [int(number) for number in expected]:
            wrong.append(f"{line}: ctypes has {found}")
    assert not wrong
    assert members > 400


def test_every_function_is_declared() -> None:
    promised = (ROOT / "test" / "checks" / "symbols.txt").read_text()
    names = {line.split()[1] for line in promised.splitlines() if line.startswith("function ") and line[-1] != "-"}
    assert names == set(_native.FUNCTIONS)
    assert all(getattr(_library.library, name).argtypes is not None for name in names)


def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_native, "VERSION", "9.9.9")
    with pytest.raises(ImportError, match=r"this package is 9\.9\.9"):
        _library._load()


def test_a_library_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPU_PARTITION_LIBRARY", "/nowhere/lib.so")
    with pytest.raises(ImportError, match=r"/nowhere/lib\.so"):
        _library._load()


def test_the_license_is_the_projects() -> None:
    """A wheel's license must lie in its own folder."""
    assert (ROOT / "python" / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
