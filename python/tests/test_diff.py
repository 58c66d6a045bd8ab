# SPDX-License-Identifier: Apache-2.0
"""What changed between two plans."""
from __future__ import annotations

import dataclasses
import json
import pathlib
import subprocess
from typing import Any

import pytest

from npu_partition import ArgumentError, Diff, MalformedError, analyze, diff, fix


def test_the_same_model_is_the_same(encoder: pathlib.Path) -> None:
    first, second = analyze(encoder, "hexagon,tidl"), analyze(encoder, "hexagon,tidl")
    for found in diff(first, second):
        assert (found.change, found.figures, found.nodes) == ("same", (), ())
        assert not found.is_worse
        assert found.matched == len(first.targets[0].nodes)
        assert {cause.state for cause in found.causes} <= {"same"}


def test_sizes_bring_more(encoder: pathlib.Path) -> None:
    dynamic = analyze(encoder, "hexagon").targets[0]
    fixed = analyze(encoder, "hexagon", dims={"batch": 1, "sequence": 128}).targets[0]
    found = diff(dynamic, fixed)
    partitions = next(figure for figure in found.figures if figure.what == "partitions")
    assert (partitions.before, partitions.after) == (dynamic.summary.partitions, fixed.summary.partitions)
    assert partitions.change == "better"
    assert found.came > 0
    assert found.came >= sum(node.verdict == "npu" and node.verdict_before == "cpu" for node in found.nodes) > 0
    back = diff(fixed, dynamic)
    assert back.is_worse
    worse = max((cause for cause in back.causes if cause.change == "worse"), key=lambda cause: cause.affected_after)
    assert (worse.text, worse.affected_after) == (dynamic.causes[0].text, dynamic.causes[0].victims)
    assert worse.action == dynamic.advice[0].text
    assert {figure.what for figure in back.figures} == {figure.what for figure in found.figures}


def test_a_model_that_was_fixed(detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    fix(detector, "hexagon", tmp_path / "fixed.onnx")
    before, after = analyze(detector, "hexagon").targets[0], analyze(tmp_path / "fixed.onnx", "hexagon").targets[0]
    found = diff(before, after)
    assert (found.change, found.added, found.removed, found.came) == ("better", 10, 0, 2)
    lost, = (cause for cause in found.causes if cause.state == "lost")
    assert (lost.text, lost.after) == (before.causes[lost.before or 0].text, None)
    replaced = [node for node in found.nodes if node.state == "replaced"]
    assert [(node.op_before, node.op, node.verdict_before, node.verdict) for node in replaced] == [
        ("Pad", "Concat", "cpu", "npu")] * 2
    assert [before.nodes[node.before or 0].name for node in replaced] == ["node_pad", "node_pad_1"]
    assert [after.nodes[node.after or 0].op for node in replaced] == ["Concat", "Concat"]


def test_two_targets(detector: pathlib.Path) -> None:
    analysis = analyze(detector, "hexagon,dla")
    found = diff(*analysis.targets)
    assert found.is_worse
    assert found.matched == len(analysis.targets[0].nodes)


@pytest.mark.parametrize("detail", ["nodes", "causes", "summary"])
def test_saved_reports(detail: Any, encoder: pathlib.Path, detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """With all nodes a report says as much as the analysis that it is of; with less, its figures are compared."""
    fix(detector, "hexagon", tmp_path / "fixed.onnx", allow="approx")
    pairs = [(analyze(encoder, "hexagon,tidl"), analyze(encoder, "hexagon,tidl", dims={"batch": 1, "sequence": 128})),
             (analyze(detector, "hexagon"), analyze(tmp_path / "fixed.onnx", "hexagon"))]
    for before, after in pairs:
        expected = diff(before, after)
        saved = json.loads(before.to_json(detail)), json.loads(after.to_json(detail))
        found = diff(*saved)
        if detail == "nodes":
            assert [rounded(item) for item in found] == [rounded(item) for item in expected]
            assert [rounded(item) for item in diff(saved[0], after)] == [rounded(item) for item in expected]
        assert [[figure.what for figure in item.figures if figure.what == "partitions"] for item in found] == [
            [figure.what for figure in item.figures if figure.what == "partitions"] for item in expected]


def test_summaries_have_no_causes(encoder: pathlib.Path) -> None:
    """A report without causes is no report of a model that has none."""
    report = analyze(encoder, "hexagon")
    for found in (diff(report, report.to_dict("summary")), diff(report.to_dict("summary"), report)):
        assert (found[0].change, found[0].causes) == ("same", ())
    fixed = analyze(encoder, "hexagon", dims={"batch": 1, "sequence": 128}).to_dict("summary")
    found = diff(report, fixed)
    assert found[0].change == "better" and found[0].causes == ()
    assert "partitions: 8 -> 7" in [figure.text for figure in found[0].figures]


def test_reports_are_the_tools(tool: str, encoder: pathlib.Path, detector: pathlib.Path,
                               tmp_path: pathlib.Path) -> None:
    fix(detector, "hexagon", tmp_path / "fixed.onnx", allow="approx")
    before = analyze(detector, "hexagon", advice=False)  # the tool asks for none of OLD
    found = diff(before.targets[0], analyze(tmp_path / "fixed.onnx", "hexagon").targets[0])

    def printed(*words: str) -> str:
        done = subprocess.run([tool, "diff", detector, tmp_path / "fixed.onnx", "-t", "hexagon", *words],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert str(found) + "\n" == found.to_text() == printed()
    assert found.to_text(verbose=True) == printed("--verbose")
    assert found.to_markdown() == printed("--format", "markdown")
    assert found.to_dict() == json.loads(printed("--format", "json"))


def test_several_targets_are_one_report(tool: str, encoder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    before = analyze(encoder, "hexagon,tidl", advice=False)
    after = analyze(encoder, "hexagon,tidl", dims={"batch": 1, "sequence": 128})
    saved = tmp_path / "before.json"
    saved.write_text(before.to_json(), encoding="utf-8")
    done = subprocess.run([tool, "diff", saved, encoder, "-d", "batch=1", "-d", "sequence=128", "--format", "json"],
                          capture_output=True, text=True)
    found = diff(before.to_dict(), after)
    assert found.to_dict() == json.loads(done.stdout)
    assert [f"{target.name}: better" in str(found) for target in after.targets] == [True, True]
    assert (found.is_worse, len(found), found[1].change) == (False, 2, "better")
    assert repr(found).startswith("<Diffs: better, ")


def rounded(found: Diff) -> Diff:
    """A report has six digits."""
    def short(number: float | None) -> float | None:
        return None if number is None else float(f"{number:.4g}")

    return dataclasses.replace(found, figures=tuple(
        dataclasses.replace(figure, before=short(figure.before), after=short(figure.after))
        for figure in found.figures))


def test_tolerances(encoder: pathlib.Path) -> None:
    before, after = (analyze(encoder, "hexagon", dims={"batch": 1, "sequence": size}, advice=False).targets[0]
                     for size in (128, 127))
    assert diff(before, after).figures == ()  # both within 10 %
    assert [figure.what for figure in diff(before, after, cost_tolerance=0).figures] == ["cost"]
    assert "peak" in [figure.what for figure in diff(before, after, memory_tolerance=0).figures]
    assert diff(before, before, cost_tolerance=0, memory_tolerance=0).change == "same"
    for name in ("cost_tolerance", "memory_tolerance"):
        for wrong in (-0.1, float("nan")):
            with pytest.raises(ValueError, match=f"{name} must be 0 or more"):
                diff(before, after, **{name: wrong})


def test_what_is_no_report(detector: pathlib.Path) -> None:
    with pytest.raises(MalformedError, match="no report"):
        diff({"targets": [{}]}, analyze(detector, "hexagon"))


def test_what_cannot_be_compared(detector: pathlib.Path) -> None:
    one, two = analyze(detector, "hexagon"), analyze(detector, "hexagon,tidl")
    with pytest.raises(ArgumentError, match="1 targets before, 2 after"):
        diff(one, two)
    with pytest.raises(TypeError):
        diff(one, two.targets[0])  # type: ignore[call-overload]
