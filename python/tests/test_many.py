# SPDX-License-Identifier: Apache-2.0
"""Sums over many models: the package says what the tool says."""
from __future__ import annotations

import pathlib
import subprocess

import pytest

import npu_partition
from npu_partition import analyze
from npu_partition.many import Sums, overview


def test_sums_are_the_tools(tool: str, detector: pathlib.Path, encoder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    lines = tmp_path / "scan.jsonl"
    done = subprocess.run([tool, "scan", detector, encoder, "-t", "hexagon", "-o", lines], capture_output=True,
                          text=True, check=True)
    sums = Sums()
    for line in lines.read_text(encoding="utf-8").splitlines():
        sums.add(line)
    assert sums.models == 2
    assert (sums.last["path"], sums.last["error"]) == (str(encoder), None)
    assert len(sums.last["options"] or "") == 16
    assert done.stdout.startswith(sums.to_text())
    again = Sums()
    for model in (encoder, detector):
        again.add(analyze(model, "hexagon").to_dict())
    assert str(again) == str(sums)
    with pytest.raises(npu_partition.MalformedError):
        sums.add("[")


def test_an_overview_is_the_tools(tool: str, detector: pathlib.Path, encoder: pathlib.Path) -> None:
    done = subprocess.run([tool, detector, encoder, "-t", "hexagon:v73", "-q", "--summary"], capture_output=True,
                          text=True, check=True)
    assert done.stdout == overview(analyze(model, "hexagon:v73") for model in (detector, encoder))
