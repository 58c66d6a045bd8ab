# SPDX-License-Identifier: Apache-2.0
"""Pipelines on exports that PyTorch 2.15 wrote (exports/make.py): which line of the model does not fit."""
from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import linecache
import os
import pathlib
import pickle
import shutil
import sys
import types
from typing import Any

import pytest

import npu_partition
import npu_partition.torch
from npu_partition import analyze
from npu_partition._checks import RefusedNode, Thresholds, check, distinct_names
from npu_partition.testing import ThresholdError, assert_partitions

pytest_plugins = ["pytester"]

EXPORTS = pathlib.Path(__file__).resolve().parent / "exports"
TUTORIAL = EXPORTS.parents[2] / "docs" / "tutorial"
DYNAMO, TORCHSCRIPT = EXPORTS / "unsupported.dynamo.onnx", EXPORTS / "unsupported.ts.onnx"
MODEL, CHANGED = TUTORIAL / "model.onnx", TUTORIAL / "changed.onnx"
LINE = 1 + next(i for i, line in enumerate((EXPORTS / "unsupported.py").read_text().splitlines()) if "det(" in line)


# ---- lines of source ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("model", [DYNAMO, TORCHSCRIPT], ids=["dynamo", "torchscript"])
def test_line_of_the_refused_node(model: pathlib.Path) -> None:
    target = npu_partition.analyze(model, "hexagon").targets[0]
    refused = [node for node in target.nodes if node.verdict == "cpu"]
    assert [(node.op, node.at.file, node.at.line, node.at.module) for node in refused] == [
        ("Det", "unsupported.py", LINE, "volume")]


@pytest.mark.parametrize("model", [DYNAMO, TORCHSCRIPT], ids=["dynamo", "torchscript"])
def test_every_node_has_a_line(model: pathlib.Path) -> None:
    source = (EXPORTS / "unsupported.py").read_text().splitlines()
    for node in npu_partition.analyze(model, "hexagon").targets[0].nodes:
        if node.op == "Constant":
            continue
        assert node.at.file == "unsupported.py" and node.at.line
        assert source[node.at.line - 1].strip() and not source[node.at.line - 1].strip().startswith(("#", "def"))


@pytest.mark.parametrize("model", [DYNAMO, TORCHSCRIPT], ids=["dynamo", "torchscript"])
def test_sarif_names_the_line(model: pathlib.Path) -> None:
    run = json.loads(npu_partition.analyze(model, "hexagon").to_sarif())["runs"][0]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert {(place["artifactLocation"]["uri"], place["region"]["startLine"]) for place in places} == {
        ("unsupported.py", LINE)}


@pytest.mark.parametrize("model", [DYNAMO, TORCHSCRIPT, MODEL, CHANGED], ids=lambda path: path.stem)
def test_no_machine_in_exports(model: pathlib.Path) -> None:
    data = model.read_bytes()
    assert len(data) < 200_000
    for path in (b"/home/", b"/root/", b"/work/", b"/tmp/", b"/opt/"):
        assert path not in data


# ---- thresholds --------------------------------------------------------------------------------------------------

def test_a_model_that_meets_them() -> None:
    analysis = assert_partitions(CHANGED, "hexagon", dims={"batch": 1}, min_coverage=1, min_mac_coverage=1)
    assert analysis.targets[0].summary.verdict == "whole"


def test_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXPORTS)
    with pytest.raises(AssertionError) as caught:
        assert_partitions(DYNAMO, ["hexagon", "intel-npu"])
    lines = str(caught.value).splitlines()
    assert lines[0] == str(DYNAMO)
    assert lines[1].startswith("hexagon:v73: 2 partitions, at most 1 allowed (2 partitions, ")
    assert "Det" in lines[2]
    assert lines[3] == f"    unsupported.py:{LINE} in volume: Det n0"
    assert lines[4] == "        torch.linalg.det(spread))"
    assert lines[5].startswith("  First action: ")
    assert lines[6].startswith("intel-npu:4000: 2 partitions, at most 1 allowed")


def source_of(file: str | os.PathLike[str], line: int = 1) -> str:
    """The line that is shown where a model names this file."""
    return RefusedNode("n0", "Det", "cpu", os.fspath(file), line, None, "", "", None, True).source


def test_only_sources_of_ones_own_are_read(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    project, other = tmp_path / "project", tmp_path / "other"
    for folder in (project / "nets", other):
        folder.mkdir(parents=True)
        (folder / "net.py").write_text(f"in_{folder.name} = 1\n")
        (folder / "secret.txt").write_text("password\n")
    (project / "link.py").symlink_to(other / "net.py")
    (project / "text.py").symlink_to(project / "nets" / "secret.txt")
    monkeypatch.chdir(project)
    assert source_of("nets/net.py") == source_of(project / "nets" / "net.py") == "in_nets = 1"
    refused: list[str | os.PathLike[str]] = [
        other / "net.py", "../other/net.py", "nets/../../other/net.py", "link.py", "text.py",
        project / "nets" / "secret.txt", "/dev/zero", "fifo.py", "nets", "gone.py", "", "net.py\0"]
    if hasattr(os, "mkfifo"):
        os.mkfifo("fifo.py")
    with monkeypatch.context() as patch:  # opening some of these would never end
        patch.setattr(linecache, "getline", lambda file, _line: f"opened {file}")
        assert [source_of(file) for file in refused] == [""] * len(refused)
    monkeypatch.setitem(sys.modules, "other_net", types.SimpleNamespace(__file__=str(other / "net.py")))
    assert source_of(other / "net.py") == "in_other = 1"
    monkeypatch.setitem(linecache.cache, "<cell 7>", (9, None, ["cell()\n"], "<cell 7>"))
    assert source_of("<cell 7>") == "cell()"


def test_targets_of_two_toolchains() -> None:
    targets = npu_partition.analyze(DYNAMO, "hexagon,intel-npu@2026.0.0,intel-npu@2026.4.1", advice=False).targets
    assert distinct_names(targets) == ["hexagon:v73", "intel-npu:4000@openvino 2026.0.0",
                                       "intel-npu:4000@openvino 2026.4.1"]
    assert distinct_names(targets[:2]) == ["hexagon:v73", "intel-npu:4000"]


def test_what_is_decided_later() -> None:
    """Core ML takes a dynamic graph as a whole, and does not run it on the Neural Engine."""
    path = EXPORTS.parents[2] / "fixtures" / "resnet50.ts17.dyn.onnx"
    later, here = npu_partition.analyze(path, "coreml-neuralnetwork,hexagon").targets
    fixed = npu_partition.analyze(path, "coreml-neuralnetwork", dims={"batch": 1}).targets[0]
    decided = later.decided
    assert decided and decided.by == "Core ML" and decided.units[0] == "Neural Engine"
    assert later.summary.verdict == "whole" and later.summary.placed_later == decided.taken == decided.elsewhere
    assert decided.most_on_npu == 0
    assert [reason.rule for reason in decided.reasons] == ["coreml-neuralnetwork/every/sizes"]
    assert {node.placed for node in later.nodes if node.partition is not None} == {"elsewhere"}
    assert all(partition.placed == "runtime" for partition in later.partitions)
    assert later.advice[0].action == "dims" and "taken by Core ML" in repr(later)
    assert later.cost.worth == "after_fix" and later.cost.typical_ms is None
    assert fixed.decided and fixed.decided.elsewhere == 0 and fixed.decided.most_on_npu == 1
    assert {node.placed for node in fixed.nodes if node.partition is not None} == {"runtime"}
    assert here.decided is None and here.summary.placed_later == 0
    assert all(node.placed is None for node in here.nodes)


def test_a_release_and_what_a_newer_one_takes() -> None:
    newest, older, oldest = npu_partition.analyze(DYNAMO, "intel-npu,intel-npu@2026.0.0,intel-npu@2025.1",
                                                  advice=False).targets
    assert newest.release is None
    assert older.release and older.release.standing == "listed" and older.release.rules == "openvino 2026.0.0"
    assert older.release.newer_nodes == max(0, newest.summary.accepted - older.summary.accepted)
    assert oldest.release and oldest.release.standing == "older" and oldest.toolchain == "openvino 2025.1"
    assert oldest.summary.accepted == 0 and oldest.summary.unknown > 0
    with pytest.raises(npu_partition.ArgumentError, match="intel-npu has no toolchain \"new\""):
        npu_partition.analyze(DYNAMO, "intel-npu@new")


def test_what_is_missed() -> None:
    summary = npu_partition.analyze(DYNAMO, "hexagon").targets[0].summary
    assert Thresholds(2).missed(summary) == ()
    assert Thresholds(None, summary.coverage).missed(summary) == ()
    assert Thresholds(None, 1).missed(summary)[0].startswith("coverage 9")
    assert [text.split()[0] for text in Thresholds(1, 1, 1).missed(summary)] == ["2", "coverage"]
    unknown = npu_partition.analyze(MODEL, "hexagon").targets[0].summary
    assert "coverage of MACs is not known, at least 50.0% required" in Thresholds(None, None, 0.5).missed(unknown)
    with pytest.raises(npu_partition.ArgumentError, match="min_coverage must be from 0 to 1, not 95"):
        Thresholds(min_coverage=95)


def test_error_has_all_nodes() -> None:
    with pytest.raises(ThresholdError) as caught:
        assert_partitions(DYNAMO, "hexagon")
    error = pickle.loads(pickle.dumps(caught.value))
    node = error.checks[0].refused[0]
    assert (node.name, node.op, node.verdict, node.line, node.is_root) == ("n0", "Det", "cpu", LINE, True)
    assert str(error) == str(caught.value)


def test_error_shows_no_control_characters() -> None:
    data = DYNAMO.read_bytes()
    assert data.count(b"\x02n0") == 1  # the name of the node that falls back
    with pytest.raises(ThresholdError) as caught:
        assert_partitions(data.replace(b"\x02n0", b"\x02\x1b0"), "hexagon")
    assert "\x1b" not in str(caught.value) and r"Det \u001b0" in str(caught.value)


# ---- pytest ------------------------------------------------------------------------------------------------------

def test_plugin(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(npu_partition.__file__).parents[1]))
    pytester.makepyfile(f"""
        from npu_partition.testing import assert_partitions

        def test_met(npu_partition):
            assert npu_partition.analyze({str(DYNAMO)!r}, "hexagon").targets
            npu_partition.assert_partitions({str(CHANGED)!r}, "hexagon", dims={{"batch": 1}})

        def test_not_met():
            assert_partitions({str(DYNAMO)!r}, "hexagon", max_partitions=1)
    """)
    is_installed = bool(importlib.metadata.entry_points(group="pytest11", name="npu_partition"))
    result = pytester.runpytest_subprocess(*([] if is_installed else ["-p", "npu_partition.pytest_plugin"]))
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([
        f"E   *ThresholdError: {DYNAMO}",
        "E   *hexagon:v73: 2 partitions, at most 1 allowed*",
        f"E   *unsupported.py:{LINE} in volume: Det n0",
        "E   *First action: *"])
    assert "__tracebackhide__" not in result.stdout.str()


# ---- npu_partition.torch, with an exporter that copies -----------------------------------------------------------

class Exporter:
    """What stands in for torch.onnx: `export` writes a committed file, and notes how it was called."""

    def __init__(self, model: pathlib.Path) -> None:
        self.model, self.options = model, dict[str, Any]()

    def export(self, model: Any, args: Any, path: str | None = None, **options: Any) -> Any:
        """As of torch.onnx; what dynamo returns saves itself."""
        self.options = options
        if path is not None:
            print("the exported graph, at length")
            shutil.copy(self.model, path)
            return None
        program = types.SimpleNamespace(save=lambda to: shutil.copy(self.model, to))
        program.read = self.model.open("rb").read
        return program


def stand_in(monkeypatch: pytest.MonkeyPatch, model: pathlib.Path) -> Exporter:
    """Put in place of torch."""
    exporter = Exporter(model)
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(onnx=exporter))
    return exporter


def test_export_that_is_met(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    exporter = stand_in(monkeypatch, CHANGED)
    output = tmp_path / "model.onnx"
    report = npu_partition.torch.export(None, targets="hexagon", dims={"batch": 1}, output=output, opset_version=20)
    assert report.is_met and report.output == output and output.read_bytes() == CHANGED.read_bytes()
    assert exporter.options == {"dynamo": True, "verbose": False, "opset_version": 20}
    assert str(report).splitlines()[0].startswith("hexagon:v73: met (1 partition, ")
    assert str(report).splitlines()[-1] == f"Written: {output}"


def test_export_that_is_not_met(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    exporter = stand_in(monkeypatch, TORCHSCRIPT)
    with pytest.raises(ThresholdError, match=f"unsupported.py:{LINE} in volume: Det /volume/Det"):
        npu_partition.torch.export(None, targets=["hexagon"], dynamo=False)
    assert exporter.options == {"dynamo": False, "verbose": True}
    assert capsys.readouterr().out == ""
    report = npu_partition.torch.export(None, targets=["hexagon"], dynamo=False, check=False)
    assert not report.is_met and report.output is None and len(report.checks[0].refused) == 1


def test_export_without_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, DYNAMO)
    report = npu_partition.torch.export(None, targets="hexagon", max_partitions=2)
    assert report.is_met and report.program is not None


def test_export_is_fixed(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    stand_in(monkeypatch, CHANGED)
    output = tmp_path / "model.onnx"
    both = ["hexagon", "intel-npu"]
    with pytest.raises(ThresholdError, match="IsNaN"):
        npu_partition.torch.export(None, targets=both, dims={"batch": 1}, output=output)
    report = npu_partition.torch.export(None, targets=both, dims={"batch": 1}, output=output, fix="bits")
    assert report.is_met and "Fixed: bind, isnan-eq" in str(report)
    assert [path.name for path in tmp_path.iterdir()] == ["model.onnx"]
    assert_partitions(output, both)
    with pytest.raises(npu_partition.ArgumentError, match="needs output"):
        npu_partition.torch.export(None, targets=both, fix="bits")


def test_checks_say_what_takes_nodes(detector: pathlib.Path) -> None:
    """XNNPACK is a library of kernels, and no NPU."""
    found, = check(analyze(detector, "xnnpack"), Thresholds(max_partitions=1, min_coverage=1))
    assert "nodes in XNNPACK)" in str(found) and "not in XNNPACK" in str(found)
    assert "NPU" not in str(found)
    none = dataclasses.replace(found.summary, accepted=0)
    assert "no node runs in XNNPACK" in Thresholds().missed(none, found.unit)
