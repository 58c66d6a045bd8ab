# SPDX-License-Identifier: Apache-2.0
"""Results that leave the process, and come back."""
from __future__ import annotations

import contextlib
import functools
import json
import multiprocessing
import pathlib
import pickle
import random
import shutil
import subprocess
import sys
from typing import Any

import pytest
from conftest import FIXTURES, MODELS, ROOT, Ask

import npu_partition
from npu_partition import Analysis, analyze, diff, fix
from npu_partition.rows import rows_of

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


WRONG: list[tuple[list[Any], Any, str]] = [
    (["model"], 3, "model: no report of npu-partition: expected an object, found 3"),
    (["findings", 0], "x", 'findings\\[0\\]: .* expected an object, found "x"'),
    (["targets"], {}, "targets: .* expected a list, found an object"),
    (["targets", 1, "summary", "nodes"], "many", "targets\\[1\\].summary.nodes: .* expected a whole number"),
    (["targets", 0, "summary", "nodes"], 1 << 64, "targets\\[0\\].summary.nodes: .* expected a whole number"),
    (["targets", 0, "summary", "partitions_if_unknown"], [1], "partitions_if_unknown: .* expected a list of 2"),
    (["targets", 0, "summary", "verdict"], None, "summary.verdict: .* expected a text, found null"),
    (["targets", 0, "cost", "parts", "cpu"], [1.0, "x", 2.0], r"cost.parts.cpu\[1\]: .* expected a number"),
    (["targets", 0, "nodes", 2, "reasons"], None, r"nodes\[2\].reasons: .* expected a list"),
    (["targets", 0, "nodes", 2, "partition"], 99, r"targets\[0\].nodes\[2\].partition: .* partitions have no place 99"),
    (["targets", 0, "order", 0], -1, r"targets\[0\].order: .* nodes have no place -1"),
    (["targets", 0, "advice"], [{"causes": [99]}], r"advice\[0\].causes: .* causes have no place 99"),
]


@pytest.mark.parametrize(("path", "value", "match"), WRONG, ids=lambda item: ".".join(map(str, item))
                         if isinstance(item, list) else "")
def test_the_place_of_what_is_wrong(path: list[Any], value: Any, match: str, detector: pathlib.Path) -> None:
    data: Any = analyze(detector, "hexagon,tidl").to_dict()
    data["findings"] = data["findings"] or [{}]
    at: Any = data
    for name in path[:-1]:
        at = at[name]
    at[path[-1]] = value
    with pytest.raises(npu_partition.MalformedError, match=match) as raised:
        Analysis.from_dict(data)
    assert str(raised.value).startswith(raised.value.place)


def test_one_kind_of_error(detector: pathlib.Path) -> None:
    """Whatever stands in place of a report, or of a member: also what JSON cannot hold, and what Python does not
    print."""
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    odd: list[Any] = [None, 3, 0.5, "a text", b"bytes", [], {}, (1,), {1: 2}, deep, {"a": {1}}, float("nan"), 10**5000,
                      object(), range(3)]
    base: Any = analyze(detector, "hexagon").to_dict()
    for item in odd:
        with pytest.raises(npu_partition.MalformedError):
            Analysis.from_dict(item)
        for name in ("model", "targets"):
            with pytest.raises(npu_partition.MalformedError):
                Analysis.from_dict({**base, name: item})


def test_what_a_report_lacks(detector: pathlib.Path) -> None:
    """Another version's has all results but those that it does not know."""
    data = analyze(detector, "hexagon,tidl").to_dict()
    del data["targets"][1]["summary"]["fits"], data["targets"][0]["nodes"][3]["reasons"], data["targets"][0]["level"]
    found = Analysis.from_dict(data)
    assert found.targets[0].summary.nodes == data["targets"][0]["summary"]["nodes"]
    for place, ask in ((r"targets\[1\].summary.fits", lambda: found.targets[1].summary),
                       (r"targets\[0\].nodes\[3\].reasons", lambda: found.targets[0].nodes),
                       (r"targets\[0\].level", lambda: found.targets[0].level)):
        with pytest.raises(npu_partition.MalformedError, match=f"^{place}: the report lacks it"):
            ask()


def ask_all(found: Analysis, live: Analysis) -> None:
    str(found), found.findings, found.to_dict(), diff(found, live)
    for target in found.targets:
        for name in LISTS:
            with contextlib.suppress(npu_partition.ArgumentError):  # a report of less detail
                getattr(target, name)
        with contextlib.suppress(npu_partition.ArgumentError):
            target._repr_html_(), target.to_dataframe()


@pytest.mark.parametrize("seed", range(60))
def test_whatever_a_report_says(seed: int, detector: pathlib.Path) -> None:
    """Members that are gone, or hold something else: an error of the package, or none."""
    draw = random.Random(seed)
    live = analyze(detector, "hexagon,coreml-mlprogram")
    data: Any = live.to_dict(DETAILS[seed % len(DETAILS)])
    at: Any = data
    while True:
        name: Any = draw.choice(list(at) if isinstance(at, dict) else range(len(at)))
        if not isinstance(at[name], (dict, list)) or not at[name] or draw.random() < 0.1:
            break
        at = at[name]
    at[name] = draw.choice([None, 5, -1, 1.5, "x", [], {}, [1], [None], {"a": 1}, True, 10**30, [[]]])
    if isinstance(at, dict) and draw.random() < 0.3:
        del at[name]
    with contextlib.suppress(npu_partition.MalformedError):
        ask_all(Analysis.from_dict(data), live)
    with contextlib.suppress(npu_partition.MalformedError):
        rows_of(data)


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
