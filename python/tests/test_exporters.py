# SPDX-License-Identifier: Apache-2.0
"""Pipelines with the real exporters: PyTorch, Olive, optimum. `make check-exporters` installs them; elsewhere this file
is skipped."""
from __future__ import annotations

import importlib
import json
import os
import pathlib
import runpy
import subprocess
import sys
from typing import Any

import pytest

import npu_partition
import npu_partition.torch
from npu_partition.testing import ThresholdError, assert_partitions

if "NPU_PARTITION_EXPORTERS" not in os.environ:
    pytest.skip("needs PyTorch, Olive and optimum: make check-exporters", allow_module_level=True)

torch = importlib.import_module("torch")
TESTS = pathlib.Path(__file__).resolve().parent
TUTORIAL = TESTS.parents[1] / "docs" / "tutorial"
SOURCE = TESTS / "exports" / "unsupported.py"
LINE = 1 + next(i for i, line in enumerate(SOURCE.read_text().splitlines()) if "det(" in line)
BOTH = ["hexagon", "intel-npu"]


@pytest.fixture
def unsupported(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A model with an operator that no NPU takes."""
    monkeypatch.syspath_prepend(str(SOURCE.parent))
    return importlib.import_module("unsupported").Net().eval()


# ---- lines of source ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("dynamo", [True, False], ids=["dynamo", "torchscript"])
def test_line_of_the_refused_node(unsupported: Any, dynamo: bool) -> None:
    with pytest.raises(ThresholdError) as caught:
        npu_partition.torch.export(unsupported, (torch.zeros(1, 3, 16, 16),), targets=BOTH, dynamo=dynamo)
    for checked in caught.value.checks:
        assert [(node.op, node.file, node.line, node.module) for node in checked.refused] == [
            ("Det", str(SOURCE), LINE, "volume")]
    assert "torch.linalg.det(spread)" in str(caught.value)


@pytest.mark.parametrize("dynamo", [True, False], ids=["dynamo", "torchscript"])
def test_sarif_names_the_line(unsupported: Any, dynamo: bool, tmp_path: pathlib.Path) -> None:
    report = npu_partition.torch.export(unsupported, (torch.zeros(1, 3, 16, 16),), targets="hexagon", dynamo=dynamo,
                                        output=tmp_path / "model.onnx", check=False)
    run = json.loads(report.analysis.to_sarif(root=SOURCE.parent))["runs"][0]
    assert len(run["results"]) == 1
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("unsupported.py", LINE)


def test_committed_exports_are_of_these_models(unsupported: Any) -> None:
    """Beyond PyTorch's version and paths: the same nodes, from the same lines."""
    for name, dynamo in (("unsupported.dynamo.onnx", True), ("unsupported.ts.onnx", False)):
        report = npu_partition.torch.export(unsupported, (torch.zeros(1, 3, 16, 16),), targets="hexagon", check=False,
                                            dynamo=dynamo)
        committed = npu_partition.analyze(SOURCE.with_name(name), "hexagon")
        ours = [(node.op, node.verdict, node.at.line, node.at.module) for node in committed.targets[0].nodes]
        assert ours == [(node.op, node.verdict, node.at.line, node.at.module)
                        for node in report.analysis.targets[0].nodes]


# ---- fixing ------------------------------------------------------------------------------------------------------

def test_fixed_export_computes_the_same(tmp_path: pathlib.Path) -> None:
    make = runpy.run_path(str(TESTS / "exports" / "make.py"))
    module: dict[str, Any] = {"__name__": "model"}
    exec((TUTORIAL / "model.py").read_text().replace(*make["CHANGED"]), module)
    model, tokens = module["Encoder"]().eval(), torch.randint(0, 50, (1, 16))
    options: dict[str, Any] = {"dynamic_shapes": ({0: torch.export.Dim("batch")},)}
    args = (torch.randint(1, 50, (2, 16)),)
    as_is, fixed = tmp_path / "as-is.onnx", tmp_path / "fixed.onnx"
    npu_partition.torch.export(model, args, targets=BOTH, max_partitions=None, output=as_is, **options)
    report = npu_partition.torch.export(model, args, targets=BOTH, dims={"batch": 1}, output=fixed, fix="bits",
                                        **options)
    assert report.is_met and report.fix
    runtime = importlib.import_module("onnxruntime")
    results = [runtime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"tokens": tokens.numpy()})
               for path in (as_is, fixed)]
    assert results[0][0].tobytes() == results[1][0].tobytes()


# ---- Olive -------------------------------------------------------------------------------------------------------

def run_olive(folder: pathlib.Path, **options: Any) -> Any:
    """A workflow of our pass alone, on the tutorial's changed model."""
    workflow = importlib.import_module("olive.workflows")
    ours = importlib.import_module("npu_partition.olive")
    config = {"input_model": {"type": "OnnxModel", "model_path": str(TUTORIAL / "changed.onnx")},
              "passes": {"npu": {"type": "NpuPartition", "targets": BOTH, "dims": {"batch": 1}, **options}},
              "output_dir": str(folder / "out"), "cache_dir": str(folder / "cache"), "evaluate_input_model": False}
    return workflow.run(config, package_config=ours.package_config())


def test_olive_fixes_and_records(tmp_path: pathlib.Path) -> None:
    model = run_olive(tmp_path, fix="bits").get_best_candidate()
    figures = model.model_config["model_attributes"]["npu_partition"]
    assert sorted(figures) == ["hexagon:v73", "intel-npu:4000"]
    for target in figures.values():
        assert (target["partitions"], target["coverage"], target["missed"]) == (1, 1.0, [])
    assert_partitions(model.model_path, BOTH)


def test_olive_stops(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ThresholdError, match=r"model.py:20 in blocks.0: IsNaN"):
        run_olive(tmp_path)


def test_olive_only_records(tmp_path: pathlib.Path) -> None:
    model = run_olive(tmp_path, fail=False).get_best_candidate()
    figures = model.model_config["model_attributes"]["npu_partition"]
    assert figures["intel-npu:4000"]["missed"] == ["3 partitions, at most 1 allowed"]


# ---- optimum, pytest ---------------------------------------------------------------------------------------------

def test_optimum_example(tmp_path: pathlib.Path) -> None:
    example = TESTS.parent / "examples" / "optimum_export.py"
    done = subprocess.run([sys.executable, str(example), str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().endswith(f"Written: {tmp_path / 'fixed.onnx'}")
    assert_partitions(tmp_path / "fixed.onnx", BOTH)


def test_pytest_finds_the_fixture(tmp_path: pathlib.Path) -> None:
    (tmp_path / "test_model.py").write_text(
        "def test_whole(npu_partition):\n"
        f"    npu_partition.assert_partitions({str(TUTORIAL / 'changed.onnx')!r}, 'hexagon', dims={{'batch': 1}})\n")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


# ---- memory ------------------------------------------------------------------------------------------------------

MEASURE = """
import sys
import torch
import npu_partition

def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))

class Wide(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(*(torch.nn.Linear(8192, 8192) for _ in range(4)))
    def forward(self, x):
        return self.layers(x)

model = Wide().eval()
program = torch.onnx.export(model, (torch.zeros(1, 8192),), dynamo=True, verbose=False)
npu_partition.analyze(sys.argv[1], "hexagon")
open("/proc/self/clear_refs", "w").write("5")  # the peak so far no longer counts
before = peak()
weights = npu_partition.analyze(program, "hexagon").model.weight_bytes
print(weights, (peak() - before) * 1024)
"""


def test_weights_of_a_program_are_not_copied() -> None:
    done = subprocess.run([sys.executable, "-c", MEASURE, str(TUTORIAL / "changed.onnx")], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    weights, grown = map(int, done.stdout.split()[-2:])
    assert weights > 1 << 30
    assert grown < weights // 20
    print(f"weights {weights} bytes, peak grew by {grown}")
