# SPDX-License-Identifier: Apache-2.0
"""Results that leave the process, and come back."""
from __future__ import annotations

import functools
import json
import multiprocessing
import pathlib
import pickle
import shutil
import subprocess
import sys
from typing import Any

import pytest
from conftest import FIXTURES, MODELS, ROOT, Ask

import npu_partition
from npu_partition import Analysis, analyze, diff, fix

LISTS = ("causes", "roots", "advice", "precision", "nodes", "order", "modules", "tensors", "partitions", "crossings",
         "layouts", "fusions", "compiled", "memory", "cost", "if_fixed", "summary", "release", "decided")
DETAILS: list[Any] = ["summary", "causes", "nodes", "tensors"]


def assert_same(found: Analysis, expected: Analysis) -> None:
    assert (repr(found), str(found), found.model, found.findings) == (
        repr(expected), str(expected), expected.model, expected.findings)
    assert [found.to_json(detail) for detail in DETAILS] == [expected.to_json(detail) for detail in DETAILS]
    for one, other in zip(found.targets, expected.targets):
        assert (str(one), one.to_dict()) == (str(other), other.to_dict())
        for name in LISTS:
            assert getattr(one, name) == getattr(other, name), name


@pytest.mark.parametrize("model", MODELS[::4], ids=lambda path: path.name)
def test_analyses_pickle(model: pathlib.Path) -> None:
    expected = analyze(model, "hexagon,xnnpack,coreml-mlprogram")
    data = pickle.dumps(expected)
    found = pickle.loads(data)
    assert_same(found, expected)
    assert_same(pickle.loads(pickle.dumps(found)), expected)
    assert len(data) < len(expected.to_json("tensors")) / 2
    assert pickle.loads(pickle.dumps(expected.targets[1])).nodes == expected.targets[1].nodes


def test_other_processes(encoder: pathlib.Path, detector: pathlib.Path) -> None:
    ask = functools.partial(analyze, targets="hexagon")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.map(ask, [encoder, detector])
    for item, model in zip(found, (encoder, detector)):
        assert_same(item, analyze(model, "hexagon"))


def test_joblib(encoder: pathlib.Path, detector: pathlib.Path) -> None:
    joblib = pytest.importorskip("joblib")
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(analyze)(model, "hexagon") for model in (encoder, detector))
    for item, model in zip(found, (encoder, detector)):
        assert_same(item, analyze(model, "hexagon"))


def test_example(tmp_path: pathlib.Path, detector: pathlib.Path) -> None:
    shutil.copy(detector, tmp_path / "model.onnx")
    done = subprocess.run([sys.executable, ROOT / "python" / "examples" / "processes.py", tmp_path, "hexagon", "tidl"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    model = tmp_path / "model.onnx"
    assert done.stdout == f"{model}\thexagon:v73\tsplit\t4\n{model}\ttidl:am68a\tsplit\t1\n"
    assert done.stderr == f"1 of 1: {model}\n"


def test_the_file_is_asked_again(encoder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """What only the model can tell; never of another file than the one that was analyzed."""
    model = tmp_path / "model.onnx"
    shutil.copy(encoder, model)
    live = analyze(model, "hexagon", dims={"batch": 1}, assume={"Erf": "cpu"}, cuts=iter([]))
    kept = pickle.loads(pickle.dumps(live))
    assert kept.explain(3) == live.explain(3)
    assert kept.shapes() == live.shapes()
    assert kept.targets[0].shapes() == live.targets[0].shapes()
    assert kept.to_text(verbose=True) == live.to_text(verbose=True)
    assert kept.to_sarif() == live.to_sarif()
    assert kept.to_html() == live.to_html()
    kept = pickle.loads(pickle.dumps(live))
    assert kept.fix().to_dict() == live.fix().to_dict()
    shutil.copy(FIXTURES / "detector.dynamo.onnx", model)
    assert kept.targets[0].nodes == live.targets[0].nodes
    with pytest.raises(npu_partition.NpuPartitionError, match="batch"):
        kept.explain(3)
    shutil.copy(encoder, model)
    other = pickle.loads(pickle.dumps(analyze(model, "hexagon")))
    shutil.copy(FIXTURES / "detector.dynamo.onnx", model)
    with pytest.raises(npu_partition.ArgumentError, match="another than the one that was analyzed"):
        other.explain(3)
    model.unlink()
    with pytest.raises(npu_partition.ReadError):
        pickle.loads(pickle.dumps(live)).explain(3)


def test_models_of_memory_have_their_results(detector: pathlib.Path) -> None:
    live = analyze(detector.read_bytes(), "hexagon,tidl")
    kept = pickle.loads(pickle.dumps(live))
    assert_same(kept, live)
    with pytest.raises(npu_partition.ArgumentError, match="analyze the model again"):
        kept.explain(3)
    with pytest.raises(npu_partition.ArgumentError, match="from a file"):
        kept.fix()


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("model", MODELS[1::6], ids=lambda path: path.name)
def test_dictionaries(model: pathlib.Path, detail: Any) -> None:
    live = analyze(model, "hexagon,tidl")
    saved = live.to_dict(detail)
    found = Analysis.from_dict(json.loads(json.dumps(saved)))
    assert found.to_dict(detail) == saved
    assert found.to_dict() == (saved if detail != "tensors" else found.to_dict("tensors"))
    assert Analysis.from_dict(found.to_dict()).to_dict() == found.to_dict()
    assert pickle.loads(pickle.dumps(found)).to_dict() == found.to_dict()
    assert repr(found) == repr(live)
    assert [target.summary for target in found.targets] == [target.summary for target in live.targets]
    assert live.targets[0].name in str(found)
    if detail == "summary":
        with pytest.raises(npu_partition.ArgumentError, match='without causes: to_dict\\("causes"\\)'):
            assert found.targets[0].causes
        with pytest.raises(npu_partition.ArgumentError, match='detail "summary"'):
            found.to_dict("nodes")
    else:
        assert found.targets[0].causes == live.targets[0].causes
    if detail == "nodes":
        assert found.targets[1].partitions == live.targets[1].partitions
        assert [node.reasons for node in found.targets[0].nodes] == [node.reasons for node in live.targets[0].nodes]
        with pytest.raises(npu_partition.ArgumentError, match="without tensors"):
            assert found.targets[0].tensors
    if detail == "tensors":
        assert found.targets[0].nodes == live.targets[0].nodes


def test_lines_of_the_tool(detector: pathlib.Path, ask: Ask) -> None:
    line, = ask(detector, "--target", "hexagon")
    assert Analysis.from_dict(line).targets[0].nodes[3].op == line["targets"][0]["nodes"][3]["op"]
    wrong: list[Any] = [{}, {"targets": []}, {"targets": [{}]}, {"targets": [{"summary": {}}]}, [], None]
    for item in wrong:
        with pytest.raises(npu_partition.MalformedError, match="no report"):
            Analysis.from_dict(item)


def test_what_changed_pickles(encoder: pathlib.Path) -> None:
    before = analyze(encoder, "hexagon,tidl")
    after = analyze(encoder, "hexagon,tidl", dims={"batch": 1, "sequence": 128})
    expected = diff(before, after)
    found = pickle.loads(pickle.dumps(expected))
    assert found == expected
    assert (str(found), found.to_dict(), found.to_markdown(), repr(found)) == (
        str(expected), expected.to_dict(), expected.to_markdown(), repr(expected))
    assert str(found[1]) == str(expected[1])
    with pytest.raises(npu_partition.ArgumentError, match="as it looks by default"):
        found.to_text(verbose=True)
    kept = diff(pickle.loads(pickle.dumps(before)), after)
    assert [item.nodes for item in kept] == [item.nodes for item in expected]


def test_fixes_pickle(detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    expected = fix(detector, "hexagon", tmp_path / "fixed.onnx")
    found = pickle.loads(pickle.dumps(expected))
    assert (str(found), repr(found), found.to_dict(), found.steps, found.output) == (
        str(expected), repr(expected), expected.to_dict(), expected.steps, expected.output)
    with pytest.raises(npu_partition.ArgumentError, match="cannot be written"):
        found.write(tmp_path / "again.onnx")
