# SPDX-License-Identifier: Apache-2.0
"""Where a model may come from, and what is said of one that cannot be read."""
from __future__ import annotations

import gzip
import io
import mmap
import os
import pathlib
import sys
import threading
from typing import Any

import pytest
from conftest import ROOT

import npu_partition
from npu_partition import analyze


def answer(source: Any, **options: Any) -> dict[str, Any]:
    """All of it but the files that lines to paste name."""
    found = analyze(source, "hexagon", name="model", **options).to_dict()
    for target in found["targets"]:
        for action in target["advice"] or []:
            action["run"] = action["run"] and [word for word in action["run"]
                                                if word != "model" and not word.endswith(".onnx")]
    return found


def test_all_sources_say_the_same(detector: pathlib.Path) -> None:
    """The advice, too: what is in no file is searched as it was read."""
    expected = answer(detector)
    assert any(action["run"] for target in expected["targets"] for action in target["advice"])
    data = detector.read_bytes()
    assert answer(str(detector)) == expected
    assert answer(data) == expected
    assert answer(bytearray(data)) == expected
    assert answer(memoryview(data)) == expected
    assert answer(io.BytesIO(data)) == expected
    with open(detector, "rb") as file:
        assert answer(file) == expected
        assert file.tell() == 0
    with open(detector, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert answer(mapped) == expected


def test_budgets(detector: pathlib.Path) -> None:
    expected = answer(detector)
    assert answer(detector, max_memory_bytes=1 << 30, timeout_s=3600) == expected
    with pytest.raises(npu_partition.LimitError, match="max-memory"):
        analyze(detector, "hexagon", max_memory_bytes=100000)
    with pytest.raises(npu_partition.OutOfTimeError, match="timeout"):
        analyze(detector, "all", timeout_s=0.001)
    with pytest.raises(npu_partition.LimitError, match="max-memory"):
        npu_partition.fix(detector, "hexagon", max_memory_bytes=100000)
    assert answer(detector, limits={"nodes": 100000, "rank": 64}) == expected
    with pytest.raises(npu_partition.LimitError, match="limit nodes"):
        analyze(detector, "hexagon", limits={"nodes": 10})
    for wrong in ({"max_memory_bytes": -1}, {"limits": {"node": 10}}, {"limits": {"nodes": -1}}, {"timeout_s": -1},
                  {"timeout_s": float("nan")}):
        with pytest.raises(npu_partition.ArgumentError):
            analyze(detector, "hexagon", **wrong)


def test_files_are_read_from_where_they_stand(detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    longer = tmp_path / "longer"
    longer.write_bytes(b"head" + detector.read_bytes())
    with open(longer, "rb") as file:
        file.seek(4)
        assert answer(file) == answer(detector)


def test_files_of_another_content_than_their_path(detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """A GzipFile has the name and the descriptor of the compressed file."""
    with gzip.open(tmp_path / "model.onnx.gz", "wb") as file:
        file.write(detector.read_bytes())
    with gzip.open(tmp_path / "model.onnx.gz") as file:
        assert answer(file) == answer(detector)
    with open(detector, "rb", buffering=0) as bare, open(detector, "rb+") as both:
        assert answer(bare) == answer(both) == answer(detector)
        assert bare.tell() == both.tell() == 0  # read by the path


def test_maps_are_memory(detector: pathlib.Path) -> None:
    expected = answer(detector)
    with open(detector, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert [answer(mapped), answer(mapped)] == [expected, expected]
        assert mapped.tell() == 0


def test_pipes(detector: pathlib.Path) -> None:
    reader, writer = os.pipe()

    def fill() -> None:
        with os.fdopen(writer, "wb") as file:
            file.write(detector.read_bytes())

    thread = threading.Thread(target=fill)
    thread.start()
    with os.fdopen(reader, "rb") as file:
        assert answer(file) == answer(detector)
    thread.join()


def test_names(detector: pathlib.Path) -> None:
    data = detector.read_bytes()
    assert analyze(detector, "hexagon").model.path == str(detector)
    assert analyze(data, "hexagon").model.path == "<bytes>"
    assert analyze(io.BytesIO(data), "hexagon").model.path == "-"
    assert analyze(data, "hexagon", name="mine").model.path == "mine"
    with open(detector, "rb") as file:
        assert analyze(file, "hexagon").model.path == str(detector)


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names of files are Unicode there")
def test_paths_that_are_no_text(detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.onnx")
    path.write_bytes(detector.read_bytes())
    analysis = analyze(path, "hexagon")
    assert analysis.model.path == str(path)
    with open(analysis.model.path, "rb"):
        pass
    shown = analysis.to_dict("summary")["model"]["path"]
    assert shown.endswith("caf\ufffd.onnx") and shown in repr(analysis) and shown in analysis._repr_html_()
    assert analyze(path, "hexagon", name="mine").model.path == "mine"
    fixed = npu_partition.fix(path, "hexagon", tmp_path / os.fsdecode(b"fixed\xe9.onnx"))
    assert fixed.output == str(tmp_path / os.fsdecode(b"fixed\xe9.onnx"))
    assert analyze(fixed.output, "hexagon").targets[0].summary == fixed.targets[0].after


def test_proto(detector: pathlib.Path) -> None:
    onnx = pytest.importorskip("onnx")
    model = onnx.load(detector)
    assert answer(model) == answer(model.SerializeToString())
    assert analyze(model, "hexagon").model.path == "<ModelProto>"


class Failing(io.RawIOBase):
    def read(self, size: int = -1) -> Any:
        raise KeyboardInterrupt("told on")


def test_what_a_file_raises_is_raised() -> None:
    with pytest.raises(KeyboardInterrupt, match="told on"):
        analyze(Failing(), "hexagon")
    with pytest.raises(TypeError):
        analyze(io.StringIO("text"), "hexagon")


def test_what_is_no_model() -> None:
    with pytest.raises(TypeError, match="not int"):
        analyze(7, "hexagon")
    with pytest.raises(npu_partition.ReadError, match=r"/nowhere\.onnx: cannot open the file: No such file") as caught:
        analyze("/nowhere.onnx", "hexagon")
    assert isinstance(caught.value, OSError)
    assert caught.value.about == "/nowhere.onnx"
    with pytest.raises(npu_partition.MalformedError, match="<bytes>: byte 0: the input is empty") as broken:
        analyze(b"", "hexagon")
    assert isinstance(broken.value, ValueError)
    assert (broken.value.place, broken.value.message) == ("byte 0", "the input is empty")
    with pytest.raises(npu_partition.MalformedError):
        analyze(b"no model at all", "hexagon")


@pytest.mark.parametrize(("arguments", "message"), [
    ({"targets": "hexagno"}, "did you mean hexagon"),
    ({"targets": []}, "no target"),
    ({"targets": None}, "no target"),
    ({"targets": "hexagon\0"}, "NUL"),
    ({"targets": "hexagon", "dims": {"nope": 1}}, "nope"),
    ({"targets": "hexagon", "dims": {"batch": "many"}}, "must be a number"),
    ({"targets": "hexagon", "level": "all"}, "level must be"),
    ({"targets": "hexagon", "assume": {"Erf": "gpu"}}, "not \"gpu\""),
    ({"targets": "hexagon", "partitioner": "magic"}, "magic"),
    ({"targets": "hexagon", "cuts": ["nowhere"]}, "nowhere"),
    ({"targets": "dla", "cost": ROOT / "oplists" / "hexagon.cost"}, "hexagon"),
])
def test_arguments_that_cannot_be(arguments: dict[str, Any], message: str, encoder: pathlib.Path) -> None:
    with pytest.raises(npu_partition.ArgumentError, match=message):
        analyze(encoder, **arguments)


def test_mistakes_in_an_op_list_have_a_place(detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (tmp_path / "mine.ops").write_text("target mine\nnonsense here\n")
    with pytest.raises(npu_partition.OplistError) as caught:
        analyze(detector, oplist=tmp_path / "mine.ops")
    assert ".ops:" in caught.value.place


def test_errors_can_be_pickled() -> None:
    import pickle

    error = npu_partition.MalformedError("message", "byte 1", "model.onnx")
    assert str(pickle.loads(pickle.dumps(error))) == "model.onnx: byte 1: message"


def test_many(detector: pathlib.Path, encoder: pathlib.Path) -> None:
    models = [detector, encoder, detector, encoder, detector]
    found = [analysis.model.path for analysis in npu_partition.analyze_all(models, "hexagon", threads=2)]
    assert found == [str(model) for model in models]


def test_many_take_the_same_iterators(detector: pathlib.Path) -> None:
    cut = analyze(detector, "hexagon").targets[0].nodes[0].name
    expected = analyze(detector, "hexagon", cuts=[cut], gates=["builder"]).to_dict()
    assert expected != analyze(detector, "hexagon").to_dict()
    found = npu_partition.analyze_all([detector] * 3, iter(["hexagon"]), cuts=iter([cut]), gates=iter(["builder"]))
    assert [analysis.to_dict() for analysis in found] == [expected] * 3


def test_many_with_errors(detector: pathlib.Path) -> None:
    told: list[tuple[Any, Exception]] = []

    def tell(model: Any, error: npu_partition.NpuPartitionError) -> None:
        told.append((model, error))

    models: list[Any] = [detector, b"", detector]
    found = list(npu_partition.analyze_all(models, "hexagon", on_error=tell))
    assert len(found) == 2
    assert [model for model, _error in told] == [b""]
    with pytest.raises(npu_partition.MalformedError):
        list(npu_partition.analyze_all(models, "hexagon"))


def test_many_as_they_come(detector: pathlib.Path) -> None:
    """A model that takes its time holds nobody up, unless the order is asked for."""
    go_on = threading.Event()

    class Slow(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            go_on.wait(60)
            return b""

    models: list[Any] = [Slow(), *[detector.read_bytes()] * 4]
    told: list[tuple[int, int | None]] = []
    left: list[Any] = []
    found = npu_partition.analyze_all(
        models, "hexagon", threads=2, in_order=False, advice=False,
        progress=lambda done, total: told.append((done, total)), on_error=lambda model, _error: left.append(model))
    assert [next(found).model.path for _item in range(4)] == ["<bytes>"] * 4
    assert told == [(1, 5), (2, 5), (3, 5), (4, 5)]
    assert left == []
    go_on.set()
    assert list(found) == []
    assert told[-1] == (5, 5) and left == models[:1]


def test_progress_of_many(detector: pathlib.Path) -> None:
    told: list[tuple[int, int | None]] = []
    models = (model for model in [detector] * 3)
    found = npu_partition.analyze_all(models, "hexagon", progress=lambda *numbers: told.append(numbers))
    assert next(found).model.path == str(detector)
    assert told == [(1, None)]  # before the model that it counts
    assert len(list(found)) == 2
    assert told == [(1, None), (2, None), (3, None)]
