# SPDX-License-Identifier: Apache-2.0
"""What the Spark job does in a Python worker and on the driver, without Spark."""
from __future__ import annotations

import pathlib
import shutil
import sys
import types
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from npu_partition import analyze, rows
from npu_partition import spark as job

if TYPE_CHECKING:
    from npu_partition._arguments import Options

pandas = pytest.importorskip("pandas")


def rows_of(frames: Any) -> list[dict[str, Any]]:
    return [row for frame in frames for row in frame.to_dict("records")]


def test_a_path_that_is_null(detector: pathlib.Path) -> None:
    made = job._job("hexagon", {"advice": False}, 0)
    for found in (rows_of(made.of_paths([pandas.DataFrame({"path": [None, str(detector)]})])),
                  rows_of(made.of_files([pandas.DataFrame({"path": [None, str(detector)], "length": [3, 4],
                                                           "content": [b"no", detector.read_bytes()]})]))):
        assert [(row["path"], row["error_code"], row["error_text"], row["target"]) for row in found] == [
            ("", "read", "the path is NULL or not a string", None), (str(detector), None, None, "hexagon:v73")]
        assert list(found[0]) == list(rows.ROW)


def test_hidden_names_by_their_paths(detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """As of --list: Spark's own lists of folders leave these out."""
    names = ["_decoder.onnx", "_old/m.onnx", ".hidden.onnx"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(detector, tmp_path / name)
    found = rows_of(job._job("hexagon", {}, 0, str(tmp_path)).of_paths([pandas.DataFrame({"path": names})]))
    assert [(row["path"], row["target"]) for row in found] == [(name, "hexagon:v73") for name in names]


def test_every_model_has_all_names(detector: pathlib.Path) -> None:
    cut = analyze(detector, "hexagon").targets[0].nodes[0].name
    options: Options = {"cuts": iter([cut]), "gates": iter(["builder"]), "advice": False}
    found = rows_of(job._job("hexagon", options, 0).of_paths([pandas.DataFrame({"path": [str(detector)] * 2})]))
    expected = analyze(detector, "hexagon", cuts=[cut], gates=["builder"], advice=False)
    assert [row["partitions"] for row in found] == [expected.targets[0].summary.partitions] * 2


class Length:
    """The column: a comparison of it tells what it is compared with."""

    def __le__(self, most: object) -> Any:
        return "at most", most

    def __gt__(self, most: object) -> Any:
        return "more than", most


@pytest.mark.parametrize(("given", "most"), [({}, job.MOST_CONTENT_BYTES), ({"max_bytes": 0}, job.MOST_CONTENT_BYTES),
                                             ({"max_bytes": 7}, 7)])
def test_sizes_of_content(given: dict[str, Any], most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    functions = types.SimpleNamespace(col=lambda _name: Length(), lit=mock.MagicMock())
    monkeypatch.setitem(sys.modules, "pyspark", types.ModuleType("pyspark"))
    monkeypatch.setitem(sys.modules, "pyspark.sql", types.SimpleNamespace(functions=functions))
    monkeypatch.setattr(job, "schema", lambda: None)
    files = mock.MagicMock()
    job.analyze_binary_files(files, "hexagon", **given)
    assert [call.args[0] for call in files.where.call_args_list] == [("at most", most), ("more than", most)]


# ---- the command line -----------------------------------------------------------------------------------------------

def given(*words: str) -> Any:
    return job._parser().parse_args(["zoo", "--target", "hexagon", "--output", "results", *words])


def test_dims_are_split_as_by_the_tool() -> None:
    options = job._options(given("--dim", "batch=1", "--dim", "a=b=4", "--dim", "sequence=..128"))
    assert options["dims"] == {"batch": "1", "a=b": "4", "sequence": "..128"}


@pytest.mark.parametrize("word", ["batch", "batch=", "=3", "batch=x", "batch=0", "batch=-1", "batch=...3", "batch=1x"])
def test_dims_that_are_none(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        given("--dim", word)
    assert caught.value.code == 2
    assert f"argument --dim: {word}: expected NAME=SIZE or NAME=..SIZE" in capsys.readouterr().err
