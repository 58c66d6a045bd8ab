# SPDX-License-Identifier: Apache-2.0
"""Formats of code hosts, and what a notebook shows."""
from __future__ import annotations

import csv
import io
import json
import pathlib
import re
import subprocess
from typing import Any

import pytest

import npu_partition
from npu_partition import Document, Outcome, analyze


def test_csv(detector: pathlib.Path) -> None:
    analysis = analyze(detector, ["hexagon", "tidl"])
    rows = list(csv.DictReader(io.StringIO(analysis.to_csv())))
    assert [int(row["partitions"]) for row in rows] == [target.summary.partitions for target in analysis.targets]
    nodes = list(csv.DictReader(io.StringIO(analysis.to_csv("nodes"))))
    assert len(nodes) == sum(len(target.nodes) for target in analysis.targets)


@pytest.mark.parametrize("format", ["sarif", "github", "markdown", "junit", "csv", "dot", "svg", "html", "gitlab"])
def test_formats_are_the_tools(format: Any, tool: str, detector: pathlib.Path, encoder: pathlib.Path,
                               monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one model and of two; the tool tells paths relative to where it is."""
    monkeypatch.chdir(detector.parent)

    def printed(*models: pathlib.Path) -> str:
        words = ["-t", "hexagon,tidl", "--format", format]
        done = subprocess.run([tool, *models, *words], capture_output=True, check=True)
        return done.stdout.decode()

    text = io.StringIO(newline="")
    with Document(format, text, root=".") as document:
        for analysis in npu_partition.analyze_all([detector, encoder], "hexagon,tidl"):
            document.add(analysis)
    assert text.getvalue() == printed(detector, encoder)
    own = analyze(detector, "hexagon,tidl")
    found = getattr(own, f"to_{format}")(**({} if format in ("csv", "dot", "svg", "html") else {"root": "."}))
    assert found == printed(detector)


def blocks(page: str) -> list[tuple[str, str]]:
    """Kind and text of what a page shows."""
    pattern = re.compile(r'<script type="application/json" class="npart-data" data-kind="(\w+)">(.*?)</script>', re.S)
    return [(found[1], found[2].replace("\\u003c", "<")) for found in pattern.finditer(page)]


def test_page_of_a_comparison(tool: str, detector: pathlib.Path, encoder: pathlib.Path) -> None:
    """What the tool's page holds of the same comparison, also of reports that were saved."""
    done = subprocess.run([tool, "diff", detector, encoder, "-t", "hexagon", "--format", "html"], capture_output=True)
    wanted = blocks(done.stdout.decode())
    before, after = (analyze(path, "hexagon") for path in (detector, encoder))
    changed = npu_partition.diff(before.targets[0], after.targets[0])
    for is_saved in (False, True):
        text = io.StringIO()
        with Document("html", text) as document:
            for analysis in (before, after):
                if is_saved:
                    document.add_report(analysis.to_json("tensors"))
                else:
                    document.add(analysis)
            document.add_diff(changed)
        found = blocks(text.getvalue())
        assert [kind for kind, _ in found] == ["report", "report", "diff"]
        assert found[:2] == wanted[:2]
        assert json.loads(found[2][1])["change"] == json.loads(wanted[2][1])["change"]
    with pytest.raises(npu_partition.ArgumentError, match="HTML"), Document("csv", io.StringIO()) as document:
        document.add_diff(changed)


def test_page_of_a_fix(detector: pathlib.Path) -> None:
    fixed = npu_partition.fix(detector, "hexagon")
    text = io.StringIO()
    with Document("html", text) as document:
        document.add(analyze(detector, "hexagon"))
        document.add_fix(fixed)
    assert [kind for kind, _ in blocks(text.getvalue())] == ["report", "fix"]
    assert json.loads(blocks(text.getvalue())[1][1]) == fixed.to_dict()


def test_one_document_over_many_models(detector: pathlib.Path, encoder: pathlib.Path) -> None:
    text = io.StringIO()
    with Document("csv", text) as document:
        for analysis in npu_partition.analyze_all([detector, encoder], "hexagon"):
            document.add(analysis, [Outcome("max-partitions", "more than 1", False, 0)])
        document.add_error("broken.onnx", npu_partition.MalformedError("an é" * 100, "byte 7"))
    rows = list(csv.DictReader(io.StringIO(text.getvalue())))
    assert [row["model"] for row in rows[:2]] == [str(detector), str(encoder)]
    with pytest.raises(ValueError, match="closed"):
        document.add(analysis)


def test_what_a_file_raises_is_raised(detector: pathlib.Path) -> None:
    class Full:
        def write(self, text: str) -> None:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"), Document("csv", Full()) as document:
        document.add(analyze(detector, "hexagon"))


def test_formats_that_are_not() -> None:
    word: Any = "pdf"
    with pytest.raises(npu_partition.ArgumentError, match="sarif"):
        Document(word, io.StringIO())


def test_tables(detector: pathlib.Path) -> None:
    pandas = pytest.importorskip("pandas")
    analysis = npu_partition.analyze(detector, "hexagon,tidl")
    for name in ("causes", "partitions"):
        frame = analysis.to_dataframe(name)
        assert list(frame["target"]) == [target.name for target in analysis for _ in getattr(target, name)]
        one = analysis["hexagon"].to_dataframe(name)
        items = getattr(analysis["hexagon"], name)
        assert len(one) == len(items) > 0
        assert list(one["id"]) == [item.id for item in items]
        assert list(one["nodes"]) == [item.nodes for item in items]
        assert isinstance(one["id"].dtype, pandas.Int64Dtype)
    causes = analysis["hexagon"].to_dataframe("causes")
    assert list(causes["text"]) == [cause.text for cause in analysis["hexagon"].causes]
    assert causes["cpu_ms"].isna().tolist() == [cause.cpu_ms is None for cause in analysis["hexagon"].causes]
    with pytest.raises(npu_partition.ArgumentError, match="nodes, causes, partitions, not of 'tensors'"):
        analysis.to_dataframe("tensors")  # type: ignore[arg-type]


def test_dataframe(detector: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = analyze(detector, ["hexagon", "tidl"])
    try:
        import pandas
    except ImportError:
        with pytest.raises(ImportError, match="pip install pandas"):
            analysis.to_dataframe()
        return
    frame = analysis.to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == 28
    assert list(analysis.targets[0].to_dataframe()["verdict"]) == [node.verdict for node in analysis.targets[0].nodes]


def test_dataframes_have_one_none(encoder: pathlib.Path) -> None:
    """Types are nullable and the same in every frame, and what is not there is NA: not None, NaN, -1 or ""."""
    pandas = pytest.importorskip("pandas")
    analysis = analyze(encoder, ["hexagon", "coreml-mlprogram"])
    frame, nodes = analysis.to_dataframe(), analysis.targets[0].nodes
    types = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert set(types.values()) == {"Int64", "Float64", "string", "object"}
    assert {name for name, kind in types.items() if kind == "object"} == {"inputs", "outputs"}
    empty = analyze(b"\x08\x08\x3a\x03\x12\x01g\x42\x02\x10\x11", "hexagon").to_dataframe()
    assert dict(empty.dtypes) == dict(frame.dtypes) and len(empty) == 0
    first = frame[frame.target == analysis.targets[0].name]
    for name in ("partition", "cause", "into", "ms"):
        column = [getattr(node, name) for node in nodes]
        assert None in column
        assert [None if item is pandas.NA else item for item in first[name]] == column
    assert first.reason.isna().sum() == sum(not node.reasons for node in nodes) > 0
    macs = [node.work and node.work.macs for node in nodes]
    assert any(isinstance(item, str) for item in macs)  # an expression, which is no number
    assert [None if item is pandas.NA else item for item in first.macs] == [
        item if isinstance(item, int) else None for item in macs]
    held = {type(value) for name in frame.columns for value in frame[name]}
    assert type(None) not in held
    assert not any(isinstance(value, float) and value != value for name in frame.columns for value in frame[name])


def test_dataframe_without_pandas(detector: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        analyze(detector, "hexagon").to_dataframe()
