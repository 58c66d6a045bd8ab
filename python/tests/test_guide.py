# SPDX-License-Identifier: Apache-2.0
"""Every example of the guide runs, and prints what stands there."""
from __future__ import annotations

import doctest
import pathlib
import shutil

import pytest
from conftest import FIXTURES, ROOT

import npu_partition


def run_examples(page: pathlib.Path, folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """In a folder with two models; returns how many examples there were."""
    shutil.copy(FIXTURES / "distilbert-base.ts14.dyn.onnx", folder / "model.onnx")
    shutil.copy(FIXTURES / "detector.dynamo.onnx", folder / "detector.onnx")
    monkeypatch.chdir(folder)
    test = doctest.DocTestParser().get_doctest(page.read_text(encoding="utf-8"), {}, page.name, str(page), 0)
    told: list[str] = []
    doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(test, out=told.append)
    assert told == [], "".join(told)
    return len(test.examples)


@pytest.mark.parametrize(("page", "least"), [("docs/python.md", 25), ("python/README.md", 5)])
def test_examples(page: str, least: int, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_examples(ROOT / page, tmp_path, monkeypatch) >= least


def test_every_public_name_is_in_the_guide() -> None:
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    hidden = {"__version__", "Analysis", "Diff", "Fix", "Target", "TargetInfo", "version"}
    names = [name for name in npu_partition.__all__ if name not in hidden]
    assert [name for name in names if f"`{name}`" not in text and f"npu_partition.{name}" not in text] == []
    methods = {name for kind in (npu_partition.Analysis, npu_partition.Target) for name in dir(kind)
               if not name.startswith("_")}
    assert [name for name in sorted(methods) if f"`{name}" not in text and f".{name}" not in text] == []
