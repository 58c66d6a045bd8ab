# SPDX-License-Identifier: Apache-2.0
"""Sums over many models: the package says what the tool says."""
from __future__ import annotations

import ctypes
import json
import pathlib
import subprocess

import pytest

import npu_partition
from npu_partition import _native, analyze
from npu_partition._library import library
from npu_partition.many import Sums, find_models, overview, spread


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
    assert sums.last["options"] == fingerprint_of("hexagon")
    assert done.stdout.startswith(sums.to_text())
    again = Sums()
    for model in (encoder, detector):
        again.add(analyze(model, "hexagon").to_dict())
    assert str(again) == str(sums)
    with pytest.raises(npu_partition.MalformedError):
        sums.add("[")


def fingerprint_of(label: str) -> str:
    """Of a scan without options of its own."""
    labels = (ctypes.c_char_p * 1)(label.encode())
    read = _native.npart_read_options(**_native.NPART_READ_OPTIONS_INIT)
    sizes = _native.npart_inference_options(**_native.NPART_INFERENCE_OPTIONS_INIT)
    plan = _native.npart_plan_options(**_native.NPART_PLAN_OPTIONS_INIT)
    options = _native.npart_scan_options(version=1, labels=labels, label_count=1, read=ctypes.pointer(read),
                                         sizes=ctypes.pointer(sizes), plan=ctypes.pointer(plan),
                                         detail=_native.NPART_DETAIL_SUMMARY)
    text = ctypes.create_string_buffer(17)
    assert library.npart_scan_fingerprint(ctypes.byref(options), text, len(text)) == 16
    return text.value.decode()


def test_a_scan_goes_on_as_the_tools(tool: str, detector: pathlib.Path, encoder: pathlib.Path,
                                     tmp_path: pathlib.Path) -> None:
    lines, words = tmp_path / "scan.jsonl", ["-t", "hexagon", "--no-advice", "-o"]
    subprocess.run([tool, "scan", detector, tmp_path / "none.onnx", *words, lines], capture_output=True, check=False)
    sums = Sums()
    assert sums.resume(lines) == [str(detector), str(tmp_path / "none.onnx")]
    assert sums.resume(lines, sums.last["options"]) == [str(detector), str(tmp_path / "none.onnx")]
    sums = Sums()
    sums.resume(lines)
    done = subprocess.run([tool, "scan", detector, tmp_path / "none.onnx", encoder, *words, lines, "--resume"],
                          capture_output=True, text=True, check=False)
    first, last = done.stdout.splitlines()[-2:]
    told = sums.totals(1, 2).splitlines()
    assert told == ["2 models, 2 of them in earlier scans; 1.0 s, 0.0 models a second", last]
    assert first.startswith("3 models, 2 of them in earlier scans; ")
    with pytest.raises(npu_partition.MalformedError, match="made with other targets"):
        Sums().resume(lines, "0123456789abcdef")
    other = subprocess.run([tool, "scan", detector, *words, lines, "--resume", "--level", "off"], capture_output=True,
                           text=True, check=False)
    assert other.returncode == 2 and ":1: made with other targets or options" in other.stderr


def test_an_overview_is_the_tools(tool: str, detector: pathlib.Path, encoder: pathlib.Path) -> None:
    done = subprocess.run([tool, detector, encoder, "-t", "hexagon:v73", "-q", "--summary"], capture_output=True,
                          text=True, check=True)
    assert done.stdout == overview(analyze(model, "hexagon:v73") for model in (detector, encoder))


def test_models_are_found_as_scan_finds_them(tool: str, detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    zoo = tmp_path / "zoo"
    for name in ("b.onnx", "a/c.ONNX", "a/.hidden.onnx", "a/notes.txt"):
        (zoo / name).parent.mkdir(parents=True, exist_ok=True)
        (zoo / name).write_bytes(detector.read_bytes())
    (zoo / "gone.onnx").symlink_to("nowhere")
    arguments = [zoo, zoo / "a", zoo / "no*thing"]
    done = subprocess.run([tool, "scan", *arguments, "-t", "hexagon", "--no-advice"], capture_output=True, text=True,
                          check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    found = find_models(arguments)
    assert [item.path for item in found] == [line["model"]["path"] for line in lines]
    assert [(item.code, item.problem) for item in found] == [
        (line["error"]["code"], line["error"]["text"]) if "error" in line else (None, None) for line in lines]
    sums = Sums()
    for line in lines:
        sums.add(line)
    assert sums.failures == {"read": 2}
    assert done.stderr.endswith("2 could not be analyzed: 2 read\n")
    told: list[tuple[str, str]] = []
    (tmp_path / "empty").mkdir()
    assert [item.path for item in find_models([zoo, tmp_path / "empty"], own=zoo / "b.onnx",
                                              tell=lambda about, text: told.append((about, text)))] == [
        str(zoo / "a" / "c.ONNX"), str(zoo / "gone.onnx")]
    assert told == [(str(tmp_path / "empty"), "note: no models in it")]
    with pytest.raises(npu_partition.ArgumentError, match=r"\*\* stands alone"):
        find_models([str(zoo / "**.onnx")])


def test_lines_are_spread_as_those_of_a_scan(tool: str, detector: pathlib.Path, encoder: pathlib.Path) -> None:
    models = [detector, encoder, detector.with_name("none.onnx"), encoder, detector]
    done = subprocess.run([tool, "scan", *models[:2], "-t", "hexagon", "--no-advice", "-j", "2"], capture_output=True,
                          text=True, check=True)
    told = [json.loads(line)["targets"][0]["summary"] for line in done.stdout.splitlines()]

    def make(job: int) -> bytes:
        found = analyze(models[job], "hexagon", advice=False).to_dict()
        return json.dumps(found["targets"][0]["summary"]).encode()

    lines = spread(2, make, workers=2)
    assert [json.loads(line) for line in lines] == told
    assert spread(0, make) == []
    assert sorted(spread(40, lambda job: b"%d" % job, workers=3, in_order=False)) == sorted(
        b"%d" % job for job in range(40))
    assert spread(40, lambda job: b"%d" % job, workers=3) == [b"%d" % job for job in range(40)]
    with pytest.raises(npu_partition.ReadError):
        spread(len(models), make, workers=2)
