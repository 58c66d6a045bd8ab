# SPDX-License-Identifier: Apache-2.0
"""Thresholds: the package says what the tool says."""
from __future__ import annotations

import datetime
import json
import pathlib
import shutil
import subprocess

import pytest

import npu_partition
from npu_partition import analyze
from npu_partition.gate import CONDITIONS, Baseline, Checked, Project, assumption_note, checklist, outcomes


def test_outcomes_are_the_tools(tool: str, detector: pathlib.Path) -> None:
    found = outcomes(analyze(detector, "hexagon"), max_partitions=1, min_coverage=0.99, bounds={"max-ms": 0.001},
                     fail_on=["split", "fail"])
    done = subprocess.run([tool, detector, "-t", "hexagon:v73", "--max-partitions", "1", "--min-coverage", "0.99",
                           "--max-ms", "0.001", "--fail-on", "split,fail"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    for at in found:
        assert (f"npu-partition: {detector}: {at.target}: {at.text}\n" in done.stderr) is not at.is_met
    assert {at.threshold for at in found} == {"fail-on invalid", "max-partitions", "min-coverage", "max-ms",
                                              "fail-on split", "fail-on fail"}
    assert "slower" in CONDITIONS
    with pytest.raises(npu_partition.ArgumentError, match="no threshold most-ms"):
        outcomes(analyze(detector, "hexagon"), bounds={"most-ms": 1})


def test_a_baseline_is_the_tools(tool: str, detector: pathlib.Path, tmp_path: pathlib.Path) -> None:
    shutil.copy(detector, tmp_path / "m.onnx")
    project = 'targets = ["hexagon"]\n[[models]]\npath = "*.onnx"\n'
    (tmp_path / "npu-partition.toml").write_text(project, encoding="utf-8")
    subprocess.run([tool, "check", "--update-baseline", "--baseline", "baseline"], cwd=tmp_path, check=True,
                   capture_output=True)
    baseline = Baseline(tmp_path / "baseline")
    assert baseline.models == ("m.onnx",)
    assert not baseline.note
    same, = baseline.compare(analyze(tmp_path / "m.onnx", "hexagon"), "m.onnx")
    assert (same.is_known, same.is_worse, same.text) == (True, False, "no worse than the baseline")
    worse, = baseline.compare(analyze(tmp_path / "m.onnx", "hexagon", assume={"Conv": "cpu"}), "m.onnx")
    assert worse.is_worse
    assert worse.text.startswith("worse than the baseline: ")
    other, = baseline.compare(analyze(tmp_path / "m.onnx", "hexagon"), "other.onnx")
    assert not other.is_known
    (tmp_path / "baseline.cache").unlink()
    assert "is missing" in Baseline(tmp_path / "baseline").note


def test_a_report_of_several_models_is_the_tools(tool: str, detector: pathlib.Path, encoder: pathlib.Path,
                                                 tmp_path: pathlib.Path) -> None:
    report = tmp_path / "old.json"
    subprocess.run([tool, detector, encoder, "-t", "hexagon,intel-npu", "-f", "json", "-o", report], check=True)
    saved = Baseline(report)
    assert saved.model(f"elsewhere/{encoder.name}") == str(encoder)
    with pytest.raises(npu_partition.ArgumentError, match="it has several models"):
        saved.model()
    with pytest.raises(npu_partition.ArgumentError, match="it has no model none"):
        saved.model("none")
    done = subprocess.run([tool, "diff", report, detector, "-f", "json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    compared = json.loads(done.stdout)["targets"]
    assert [target["before"]["target"] for target in compared] == list(saved.targets(str(detector)))
    assert saved.targets("none") == ()


def test_a_project_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "npu-partition.toml"
    path.write_text('''targets = ["hexagon"]
dims = {batch = 1}
[thresholds]
max-partitions = 4
[thresholds.on.hexagon]
min-coverage = "95%"
fail-on = ["fail"]
[[models]]
path = "a/*.onnx"
dims = {batch = 8}
inputs = {x = [1, 3]}
''', encoding="utf-8")
    project = Project(path)
    assert project.settings().dims == {"batch": 1}
    found = project.settings("a/m.onnx", "hexagon:v73")
    assert (found.targets, found.dims, found.inputs) == (("hexagon",), {"batch": 8}, {"x": (1, 3)})
    assert (found.max_partitions, found.min_coverage, found.fail_on) == (4, 0.95, ("fail", "invalid"))
    path.write_text("target = 3", encoding="utf-8")
    with pytest.raises(npu_partition.MalformedError, match="1:1: there is no key target here; did you"):
        Project(path)


def test_a_check_is_the_tools(tool: str, detector: pathlib.Path, tmp_path: pathlib.Path,
                              monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(detector, tmp_path / "m.onnx")
    toml = tmp_path / "npu-partition.toml"
    toml.write_text('targets = ["hexagon:v73"]\nthresholds.max-partitions = 1\nthresholds.fail-on = ["fail"]\n'
                    '[[models]]\npath = "*.onnx"\n[[waivers]]\nmodels = "*"\nreason = "was so"\nexpires = 2026-01-31\n'
                    'thresholds.max-partitions = 99\n', encoding="utf-8")

    def asked(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([tool, "check", "--today", "2026-12-01", *words], capture_output=True, text=True,
                              check=False)

    def checked() -> Checked:
        return Checked(analyze("m.onnx", "hexagon:v73"), "m.onnx", project=Project(toml), path="m.onnx",
                       today=datetime.date(2026, 12, 1))

    found, told = checked(), json.loads(asked("--format", "json").stdout)
    assert found.standing == told["check"]["status"] == "fails"
    assert found.to_dict() == told
    assert found.notes == ["this waiver expired on 2026-01-31 and holds no more for m.onnx on hexagon:v73: was so"]
    assert found.to_text().splitlines()[:6] == asked().stdout.splitlines()[:6]
    with toml.open("a", encoding="utf-8") as file:
        file.write("\n" + found.waiver(0))
    assert asked("--format", "json").returncode == 0
    assert checked().standing == "waived"


def test_a_checklist_is_the_tools(tool: str, detector: pathlib.Path, tmp_path: pathlib.Path,
                                  monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("zoo/a.onnx", "zoo/deep/b.onnx", "zoo/old/c.onnx", "apart.onnx"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(detector, tmp_path / name)
    toml = tmp_path / "zoo/npu-partition.toml"
    toml.write_text('targets = ["hexagon:v73"]\nexclude = "old/*"\n[[models]]\npath = ["**/*.onnx", "none/*"]\n',
                    encoding="utf-8")
    monkeypatch.chdir(tmp_path / "zoo/deep")

    def asked(*words: str) -> tuple[list[str], list[str]]:
        done = subprocess.run([tool, "check", "--format", "json", *words], capture_output=True, text=True, check=False)
        notes = [line for line in done.stderr.splitlines() if not line.endswith("no threshold holds for it")]
        return ([json.loads(line)["check"]["model"] for line in done.stdout.splitlines()],
                [line.removeprefix("npu-partition: ") for line in notes])

    def listed(*words: str) -> tuple[list[str], list[str]]:
        told: list[str] = []
        return [item.path for item in checklist(words, tell=told.append)], told

    assert listed() == asked() == (["../a.onnx", "../deep/b.onnx"],
                                   ["../npu-partition.toml:4:22: note: no file matches none/*"])
    assert listed("b.onnx", "../old/c.onnx", "../npu-partition.toml") == asked(
        "b.onnx", "../old/c.onnx", "../npu-partition.toml")
    first = checklist(["b.onnx"])[0]
    assert (first.path, first.relative, first.project) == ("b.onnx", "deep/b.onnx", "../npu-partition.toml")
    apart = checklist(["../../apart.onnx"])[0]
    assert (apart.relative, apart.project) == (None, None)
    apart = checklist(["../../apart.onnx"], config=toml)[0]
    assert apart.relative is None and apart.project == "../npu-partition.toml"
    monkeypatch.chdir(tmp_path)
    with pytest.raises(npu_partition.ArgumentError, match=r"no npu-partition\.toml here"):
        checklist()
    toml.write_text("target = 3", encoding="utf-8")
    with pytest.raises(npu_partition.MalformedError):
        checklist(["zoo/a.onnx"])


def test_an_override_is_noted_as_the_tools(tool: str, detector: pathlib.Path) -> None:
    done = subprocess.run([tool, detector, "-t", "hexagon:v73", "-q", "--assume", "Convs=npu", "--assume", "Conv=npu"],
                          capture_output=True, text=True, check=True)
    found = analyze(detector, "hexagon:v73")
    assert assumption_note(found, "Conv") == ""
    assert done.stderr == f"npu-partition: {detector}: note: {assumption_note(found, 'Convs')}\n"
    assert "did you mean Conv" in done.stderr
