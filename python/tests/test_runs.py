# SPDX-License-Identifier: Apache-2.0
"""Plans beside real runs: the package says what the tool says."""
from __future__ import annotations

import json
import pathlib
import subprocess

import pytest

import npu_partition
from npu_partition import analyze, runs


def nodes_of(model: pathlib.Path) -> list[str]:
    return [node.name for node in analyze(model, "hexagon").targets[0].nodes]


def record(path: pathlib.Path, model: pathlib.Path, provider: str) -> pathlib.Path:
    """Of all nodes on one side."""
    nodes = [{"name": name, "ep": provider} for name in nodes_of(model)]
    path.write_text(json.dumps({"nodes": nodes}), encoding="utf-8")
    return path


def test_verify_is_the_tools(tool: str, detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    run = record(tmp_path / "record.json", detector, "CPUExecutionProvider")
    done = subprocess.run([tool, "verify", detector, "-t", "hexagon", "--profile", run, "--format", "json",
                           "--write-cases", tmp_path / "cases"], capture_output=True, text=True, check=False)
    found = runs.verify(detector, run, "hexagon")
    assert done.returncode == 1
    assert found.to_dict() == json.loads(done.stdout)
    assert not found.is_same
    assert found.cases() == (tmp_path / "cases").read_text(encoding="utf-8")
    done = subprocess.run([tool, "verify", detector, "-t", "hexagon", "--profile", run], capture_output=True, text=True,
                          check=False)
    assert str(found) == done.stdout
    assert runs.Run(run).kind == "record"
    assert runs.Run(run).providers == ("CPUExecutionProvider",)


def test_a_run_of_another_model(detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    run = tmp_path / "record.json"
    run.write_text(json.dumps({"nodes": [{"name": f"other{i}", "ep": "Q"} for i in range(9)]}), encoding="utf-8")
    with pytest.raises(npu_partition.ArgumentError, match="it is of another model"):
        runs.verify(detector, run, "hexagon")
    run.write_text("[{", encoding="utf-8")
    with pytest.raises(npu_partition.MalformedError, match="event 1: string or '}' expected near end of file"):
        runs.verify(detector, run, "hexagon")


def test_calibrate_is_the_tools(tool: str, detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    model = detector.with_name("mobilenetv2.dynamo.onnx")
    table = f"model,ms\n{model},4\n{model},5\n{model},6\n"
    (tmp_path / "runs.csv").write_text(table, encoding="utf-8")
    done = subprocess.run([tool, "calibrate", tmp_path / "runs.csv", "-t", "hexagon:v73", "--format", "json"],
                          capture_output=True, text=True, check=False)
    rows = runs.read_table(table.encode())
    assert runs.begins_table(table.encode())
    assert [row.ms for row in rows] == [4, 5, 6]
    analysis = analyze(model, "hexagon")
    found = runs.calibrate([runs.Measurement(analysis, row.ms) for row in rows])
    assert found.to_dict() == json.loads(done.stdout)
    assert runs.calibrate_table(tmp_path / "runs.csv", "hexagon:v73").to_dict() == found.to_dict()
    assert not found.is_accepted
    assert found.costs is None
    assert "NOT ACCEPTED: one model cannot show" in str(found)
    with pytest.raises(npu_partition.ArgumentError, match="a time is none"):
        runs.calibrate([runs.Measurement(analysis, -1)])


def test_a_selftest_is_the_tools(tool: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = subprocess.run([tool, "selftest", "hexagon:v73", "-o", "s.onnx", "--format", "json"], capture_output=True,
                          text=True, check=True)
    told, found = json.loads(done.stdout), runs.selftest("hexagon:v73", "s.onnx")
    assert found is not None
    assert (found.ops, found.run, found.check) == (told["ops"], told["run"], told["check"])
    assert found.model == (tmp_path / "s.onnx").read_bytes()
    assert found.json == done.stdout
    done = subprocess.run([tool, "selftest", "hexagon:v73", "-o", "s.onnx"], capture_output=True, text=True, check=True)
    assert found.text == done.stdout
