# SPDX-License-Identifier: Apache-2.0
"""A model is run on this machine's CPU, and what it took is what calibrate reads."""
from __future__ import annotations

import csv
import json
import pathlib
import subprocess

import pytest
from conftest import FIXTURES

import npu_partition
from npu_partition import measure

EVENTS = [{"cat": "Node", "name": f"{name}_kernel_time", "dur": took, "args": {"op_name": op}}
          for took_by_run in (900, 800, 20, 10, 30)
          for name, op, took in (("a", "Gelu", took_by_run), ("b", "Gelu", 5), ("c", "MatMul", 7))]


def test_kernels_by_their_medians() -> None:
    found = measure.kernels_of([{"cat": "Session", "name": "model_run", "dur": 1}, *EVENTS])
    assert {op: count for op, (count, _) in found.items()} == {"Gelu": 2, "MatMul": 1}
    assert [round(found[op][1], 6) for op in ("Gelu", "MatMul")] == [0.025, 0.007]


def test_figures() -> None:
    assert [measure.shown(ms) for ms in (None, 0.001, 0.0123, 1.26, 431.4)] == ["-", "<0.01 ms", "0.012 ms", "1.3 ms",
                                                                             "431 ms"]
    assert [measure.times_as_long(*pair) for pair in ((2, 1), (1, None), (None, 1))] == ["2x", "-", "-"]


@pytest.mark.parametrize("words", [["--dim", "batch"], ["--dim", "=1"], ["--input", "x=1xa"]])
def test_sizes_that_are_none(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert measure.main([str(FIXTURES / "detector.dynamo.onnx"), *words]) == 3
    assert "expected NAME=" in capsys.readouterr().err


def test_weights_outside_of_the_folder(tmp_path: pathlib.Path) -> None:
    onnx = pytest.importorskip("onnx")
    tensor = onnx.TensorProto(name="w", data_type=1, dims=[2], data_location=onnx.TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="../w.bin")
    graph = onnx.helper.make_graph([], "g", [], [], [tensor])
    (tmp_path / "m.onnx").write_bytes(onnx.helper.make_model(graph).SerializeToString())
    (tmp_path / "run").mkdir()
    with pytest.raises(npu_partition.ArgumentError, match="outside"):
        measure.with_weights(tmp_path / "m.onnx", tmp_path / "run")


def test_runs(tool: str, encoder: pathlib.Path, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its weights are absent, its sizes those that are proposed."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    table = tmp_path / "runs.csv"
    words = [str(encoder), "-d", "sequence=8", "--runs", "2", "--threads", "1", "-o", str(table)]
    assert measure.main([*words, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["dims"] == {"batch": 1, "sequence": 8} and told["ms"] > 0 and told["predicted"][1] > 0
    operators = {item["op"]: item for item in told["operators"]}
    assert operators["Gelu"]["kernels"] == 6 and operators["Gelu"]["ms"] > 0 and operators["Gelu"]["predicted_ms"] > 0
    with open(table, encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["on"] == "cpu" and row["target"] == "hexagon" and set(row["dims"].split()) == {"batch=1", "sequence=8"}
    assert (tmp_path / row["model"]).resolve() == encoder.resolve()
    done = subprocess.run([tool, "calibrate", table, "--format", "json"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and json.loads(done.stdout)["runs"] == 1  # one model shows nothing of others
