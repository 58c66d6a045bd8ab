# SPDX-License-Identifier: Apache-2.0
"""Reports as rows of a table, and as Parquet."""
from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any

import pytest
from conftest import MODELS, ROOT

import npu_partition
from npu_partition import parquet, rows

REPORT: dict[str, Any] = {
    "schema": 2, "findings": [{"code": "unsorted"}, {"code": "invalid"}],
    "model": {"path": "a.onnx", "opsets": {"ai.onnx": 17, "com.microsoft": 1}, "bytes": 5, "nodes": 3},
    "targets": [{
        "name": "hexagon:v73", "summary": {"nodes": 3, "coverage": 1, "partitions_if_unknown": [1, 2], "macs": None},
        "cost": {"alternatives": {"cpu": [1.5, 2.5, 4.0]}, "low_ms": None},
        "roots": [{"kind": "op", "rule": None, "op": "Erf", "text": "Erf", "causes": [0, 2], "nodes": 1, "victims": 4},
                  {"kind": "rank", "rule": "r", "op": None, "text": "rank", "causes": [1], "nodes": 0, "victims": 1}],
        "advice": [{"id": "a1", "action": "rewrite", "text": "Replace Erf", "fixable": True, "causes": [1, 2],
                    "after": {"partitions": 1, "coverage": 0.5, "verdict": "whole", "cost": {"typical_ms": 3.25}}},
                   {"id": "a2", "action": "none", "causes": []}],
    }, {"name": "tidl:am68a"}],
}


def test_a_row_for_each_target() -> None:
    first, second = rows.rows_of(REPORT)
    assert (first["path"], first["opset"], first["is_invalid"], first["target"]) == ("a.onnx", 17, True, "hexagon:v73")
    assert first["coverage"] == 1.0 and isinstance(first["coverage"], float)
    assert (first["partitions_low"], first["partitions_high"], first["cpu_ms"]) == (1, 2, 2.5)
    assert (first["macs"], first["low_ms"], first["error_code"]) == (None, None, None)
    assert (second["bytes"], second["target"], second["verdict"], second["roots"], second["advice"]) == (
        5, "tidl:am68a", None, [], [])
    assert list(first) == list(second) == list(rows.ROW)
    assert rows.rows_of(json.dumps(REPORT)) == rows.rows_of(json.dumps(REPORT).encode()) == [first, second]


def test_two_toolchains_of_a_target_are_two() -> None:
    targets = [{"name": "n", "toolchain": "t 1"}, {"name": "n", "toolchain": "t 2"}, {"name": "m", "toolchain": "t 1"}]
    assert [row["target"] for row in rows.rows_of({**REPORT, "targets": targets})] == ["n@t 1", "n@t 2", "m"]
    assert [row["target"] for row in rows.rows_of({**REPORT, "targets": [targets[0]] * 2})] == ["n", "n"]


def test_lists_of_a_row() -> None:
    row = rows.rows_of(REPORT)[0]
    assert row["roots"][1] == {"root": 1, "kind": "rank", "rule": "r", "op": None, "text": "rank", "nodes": 0,
                               "victims": 1}
    assert [action["roots"] for action in row["advice"]] == [[0, 1], []]
    assert row["advice"][0]["is_fixable"] is True and row["advice"][0]["after_typical_ms"] == 3.25
    for name in ("roots", "advice"):
        kind = rows.ROW[name]
        assert isinstance(kind, dict)
        assert all(list(item) == list(kind) for item in row[name])


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.name)
def test_figures_of_models(model: pathlib.Path) -> None:
    analysis = npu_partition.analyze(model, ["hexagon", "tidl"])
    found = rows.rows_of(analysis.to_dict("summary"))
    assert found == rows.rows_of(analysis.to_json("nodes"))
    for row, target in zip(found, analysis.targets):
        assert (row["path"], row["target"], row["nodes"]) == (str(model), target.name, analysis.model.nodes)
        assert (row["target_nodes"], row["live"]) == (target.summary.nodes, target.summary.live)
        assert (row["verdict"], row["partitions"], row["macs"]) == (
            target.summary.verdict, target.summary.partitions, target.summary.macs)
        assert (row["typical_ms"], row["recommendation"]) == (target.cost.typical_ms, target.cost.recommendation)
        assert [action["text"] for action in row["advice"]] == [action.text for action in target.advice]


@pytest.mark.parametrize(("error", "code"), [
    (npu_partition.ReadError("no", "", "m"), "read"), (npu_partition.MalformedError("no", "byte 7", "m"), "malformed"),
    (npu_partition.LimitError("no"), "limit"), (npu_partition.OutOfMemoryError("no"), "memory"),
    (npu_partition.WriteError("no"), "write"), (npu_partition.ArgumentError("no"), "other"),
    (PermissionError("no"), "read"), (TimeoutError("no"), "timeout"),
    (MemoryError("no"), "memory"), (ZeroDivisionError("no"), "other"),
], ids=lambda item: item if isinstance(item, str) else type(item).__name__)
def test_a_row_for_a_failed_model(error: Exception, code: str) -> None:
    document = rows.document_of_error("m.onnx", error)
    assert document["error"] == {"code": code, "place": "byte 7" if code == "malformed" else "", "text": "no"}
    assert document["tool"] == npu_partition.analyze(MODELS[0], "tidl").to_dict("summary")["tool"]
    [row] = rows.rows_of(document)
    assert {name: value for name, value in row.items() if value is not None} == {
        "path": "m.onnx", "is_invalid": False, "error_code": code, "error_place": document["error"]["place"],
        "error_text": "no"}


@pytest.mark.parametrize(("budget", "code"), [
    ({"max_memory_bytes": 100_000}, "max-memory"), ({"timeout_s": 1e-4}, "timeout"),
])
def test_models_past_a_budget(budget: dict[str, Any], code: str) -> None:
    with pytest.raises(npu_partition.NpuPartitionError) as caught:
        npu_partition.analyze(ROOT / "fixtures" / "gpt2-decode.ts13.p127.onnx", "hexagon", **budget)
    assert rows.document_of_error("m", caught.value)["error"]["code"] == code


def test_a_code_that_is_given() -> None:
    assert rows.document_of_error("m", ValueError("no"), "max-bytes")["error"]["code"] == "max-bytes"


@pytest.mark.parametrize("change", [
    {"model": {}}, {"model": None}, {"model": {"path": 5}}, {"targets": None}, {"targets": [5]}, {"targets": {}},
    {"findings": 1}, {"findings": [5]}, {"targets": [{"name": 5}]}, {"targets": [{"summary": {"nodes": "3"}}]},
    {"targets": [{"summary": {"nodes": 1 << 63}}]}, {"targets": [{"summary": {"nodes": True}}]},
    {"targets": [{"roots": 3}]}, {"targets": [{"advice": [3]}]}, {"targets": [{"advice": [{"causes": [[]]}]}]},
    {"targets": [{"summary": {"partitions_if_unknown": []}}]}, {"error": {"code": 1}},
], ids=json.dumps)
def test_what_is_no_report(change: dict[str, Any]) -> None:
    with pytest.raises(npu_partition.MalformedError, match="report"):
        rows.rows_of({**REPORT, **change})


@pytest.mark.parametrize("line", ["", "{", "5", "[]", "null", "[" * 100_000], ids=lambda line: line[:3])
def test_lines_that_are_no_report(line: str) -> None:
    with pytest.raises(npu_partition.MalformedError, match="report"):
        rows.rows_of(line)


def test_text_that_arrow_cannot_hold() -> None:
    report = {**REPORT, "model": {"path": "a\ud800.onnx"}}
    assert {row["path"] for row in rows.rows_of(json.dumps(report))} == {"a?.onnx"}
    assert rows.rows_of({**REPORT, "model": {"path": "é\0.onnx"}})[0]["path"] == "é\0.onnx"


# ---- Parquet ----------------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def arrow() -> Any:
    """pyarrow, without which the tests of Parquet are skipped."""
    return pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """Reports of some models, and of one that cannot be analyzed."""
    found = [npu_partition.analyze(model, ["hexagon", "tidl"]).to_json("summary") for model in MODELS[:6]]
    return [*found, json.dumps(rows.document_of_error("nowhere.onnx", OSError("no"))) + "\n"]


def run(*arguments: str, given: str = "") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "npu_partition.parquet", *arguments]
    return subprocess.run(command, input=given.encode(), capture_output=True, check=False)


def test_parquet_has_the_rows(arrow: Any, lines: list[str], tmp_path: pathlib.Path) -> None:
    first, second, output = tmp_path / "first.jsonl", tmp_path / "second.jsonl", tmp_path / "results.parquet"
    first.write_text("".join(lines[:2]), encoding="utf-8")
    second.write_text("".join(lines[5:]), encoding="utf-8")
    done = run(str(first), "-", str(second), "-o", str(output), given="".join(lines[2:5]))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    table = arrow.read_table(output)
    assert table.to_pylist() == [row for line in lines for row in rows.rows_of(line)]
    assert table.schema.equals(parquet.schema())
    assert table.schema.metadata == {b"npu-partition.version": npu_partition.__version__.encode(),
                                     b"npu-partition.schema": b"2"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.jsonl", "results.parquet", "second.jsonl"]


def test_parquet_is_written_group_by_group(arrow: Any, tmp_path: pathlib.Path) -> None:
    row, most = rows.rows_of(REPORT)[0], parquet.ROWS_PER_GROUP
    taken = 0

    def endless() -> Any:
        nonlocal taken
        for taken in range(1, 2 * most + 2):
            yield {**row, "nodes": taken}

    groups = parquet._groups(endless())
    assert len(next(groups)) == most == taken  # no more than a group is held
    assert parquet.write(endless(), tmp_path / "results.parquet") == 2 * most + 1
    metadata = arrow.read_metadata(tmp_path / "results.parquet")
    assert [metadata.row_group(at).num_rows for at in range(metadata.num_row_groups)] == [most, most, 1]


def test_no_lines_are_an_empty_table(arrow: Any, tmp_path: pathlib.Path) -> None:
    assert run("-", "-o", str(tmp_path / "results.parquet")).returncode == 0
    assert arrow.read_table(tmp_path / "results.parquet").schema.equals(parquet.schema())


def test_a_line_that_is_cut_off(arrow: Any, lines: list[str], tmp_path: pathlib.Path) -> None:
    output = tmp_path / "results.parquet"
    output.write_bytes(b"as it was")
    done = run("-", "-o", str(output), given=lines[0] + "\n" + lines[1][:-20])
    assert done.returncode == 1
    assert done.stderr.startswith(b"npu_partition.parquet: standard input:3: ") and done.stderr.count(b"\n") == 1
    assert output.read_bytes() == b"as it was" and list(tmp_path.iterdir()) == [output]


def test_files_that_are_not_there(arrow: Any, tmp_path: pathlib.Path) -> None:
    done = run(str(tmp_path / "nowhere.jsonl"), "-o", str(tmp_path / "results.parquet"))
    assert done.returncode == 1 and b"nowhere.jsonl" in done.stderr
    done = run("-", "-o", str(tmp_path / "nowhere" / "results.parquet"))
    assert done.returncode == 1 and b"nowhere" in done.stderr and list(tmp_path.iterdir()) == []


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path,
                         capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "lines").write_text("")
    assert parquet.main([str(tmp_path / "lines"), "-o", str(tmp_path / "results.parquet")]) == 1
    assert "pip install npu-partition[parquet]" in capsys.readouterr().err
