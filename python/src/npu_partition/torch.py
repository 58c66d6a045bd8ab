# SPDX-License-Identifier: Apache-2.0
"""Export a PyTorch model, and learn at once whether the NPU takes it whole, and which line of it does not fit.

    import npu_partition.torch

    report = npu_partition.torch.export(model, (x,), targets=["hexagon"], output="model.onnx")
    print(report)
"""
from __future__ import annotations

import contextlib
import importlib
import io
import os
import pathlib
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

from ._analysis import Analysis, analyze
from ._checks import TargetCheck, ThresholdError, Thresholds, check, explain
from ._errors import ArgumentError

if TYPE_CHECKING:
    from ._fix import Fix

Path = Union[str, "os.PathLike[str]"]
__all__ = ["ExportReport", "ThresholdError", "export"]


class ExportReport:
    """What `export` made of a model. ``str()`` of it says for each target whether it meets the thresholds, and where it
    does not, which lines of the model's source made the nodes that fall back, and what to do first.

    Attributes:
        analysis: of what is in `output`, so after fixing.
        checks: one `TargetCheck` a target; ``checks[0].refused`` has every node that is not on the NPU.
        fix: what fixing changed; None where nothing was to be fixed.
        output: the file that was written, or None.
        program: the exporter's own result (``torch.onnx.ONNXProgram``); None with ``dynamo=False``.
    """

    def __init__(self, analysis: Analysis, checks: tuple[TargetCheck, ...], fix: Fix | None,
                 output: pathlib.Path | None, program: Any) -> None:
        self.analysis, self.checks, self.fix, self.output, self.program = analysis, checks, fix, output, program

    @property
    def is_met(self) -> bool:
        """Whether every target meets the thresholds."""
        return all(item.is_met for item in self.checks)

    def __str__(self) -> str:
        lines = [explain(self.checks)]
        if self.fix is not None:
            rewrites = ", ".join(step.rewrite for step in self.fix.steps) or "nothing that can be proven equal"
            lines.append(f"Fixed: {rewrites}")
        if self.output is not None:
            lines.append(f"Written: {self.output}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<ExportReport {'met' if self.is_met else 'not met'}: {self.analysis!r}>"


def export(
    model: Any,
    args: tuple[Any, ...] = (),
    *,
    targets: str | Iterable[str],
    output: Path | None = None,
    max_partitions: int | None = 1,
    min_coverage: float | None = None,
    min_mac_coverage: float | None = None,
    fix: Literal["bits"] | Iterable[str] | None = None,
    dims: Mapping[str, int | str] | None = None,
    inputs: Mapping[str, Sequence[int]] | None = None,
    dynamo: bool = True,
    check: bool = True,
    **export_options: Any,
) -> ExportReport:
    """Exports a model with ``torch.onnx.export``, and checks what the targets make of it.

    Args:
        model, args: as of ``torch.onnx.export``.
        targets: such as ``"hexagon"``, or several.
        output: where to write the model. It is written whether the thresholds are met or not.
        max_partitions: None: any number.
        min_coverage: share of the live nodes that must run on the NPU, 0 to 1.
        min_mac_coverage: the same of multiply-accumulates.
        fix: where a threshold is not met, rewrite what can be (docs/fix.md): ``"bits"``: only by what computes the same
            bits; or several classes of equality, such as ``["bits", "ulp"]``. Needs `output`. `dims` and `inputs` are
            written into the model then.
        dims: sizes of dynamic dimensions, such as ``{"batch": 1}``.
        inputs: shapes of inputs.
        dynamo: the exporter; False is TorchScript. That one notes lines of source in the model's documentation, with
            full paths; ``verbose=False`` leaves them out.
        check: raise where a threshold is not met; False: only report.
        export_options: anything else for ``torch.onnx.export``, such as ``opset_version`` or ``dynamic_shapes``.

    Raises:
        ThresholdError: a threshold is not met; its text is the report.
        ArgumentError: `fix` without `output`, no such target or dimension.
    """
    if fix is not None and output is None:
        raise ArgumentError("fix writes a model, so it needs output")
    thresholds = Thresholds(max_partitions, min_coverage, min_mac_coverage)
    wanted = [targets] if isinstance(targets, str) else list(targets)
    with tempfile.TemporaryDirectory(prefix="npu-partition-") as scratch:
        path = pathlib.Path(output) if output is not None else pathlib.Path(scratch) / "model.onnx"
        program = _export(model, args, path, dynamo, output is not None, export_options)
        report = _check(program if output is None and program else path, wanted, thresholds, dims, inputs)
        if fix is not None and not report.is_met:
            report = _fix(path, pathlib.Path(scratch), wanted, thresholds, fix, dims, inputs)
    report.program, report.output = program, pathlib.Path(output) if output is not None else None
    if check and not report.is_met:
        raise ThresholdError(str(report), report.checks)
    return report


def _export(model: Any, args: tuple[Any, ...], path: pathlib.Path, dynamo: bool, is_kept: bool,
            options: dict[str, Any]) -> Any:
    """Dynamo's program, which needs no file to be analyzed; of TorchScript there is only the file."""
    torch = importlib.import_module("torch")
    if dynamo:
        program = torch.onnx.export(model, args, dynamo=True, **{"verbose": False, **options})
        if is_kept:
            program.save(path)
        return program
    with contextlib.redirect_stdout(io.StringIO()):  # verbose is what keeps lines of source, and prints the graph
        torch.onnx.export(model, args, str(path), dynamo=False, **{"verbose": True, **options})
    return None


def _check(model: Any, targets: list[str], thresholds: Thresholds, dims: Mapping[str, int | str] | None,
           inputs: Mapping[str, Sequence[int]] | None) -> ExportReport:
    analysis = analyze(model, targets, dims=dims, inputs=inputs)
    return ExportReport(analysis, check(analysis, thresholds), None, None, None)


def _fix(path: pathlib.Path, scratch: pathlib.Path, targets: list[str], thresholds: Thresholds,
         allow: str | Iterable[str], dims: Mapping[str, int | str] | None,
         inputs: Mapping[str, Sequence[int]] | None) -> ExportReport:
    """Into the place of what was exported. Weights beside the model stay there: its folder is the same."""
    from ._fix import fix

    classes = [name for name in ([allow] if isinstance(allow, str) else allow) if name != "bits"]
    fixed = path.with_name(path.name + ".fixed")
    made = fix(path, targets, fixed, allow=classes, dims=dims, inputs=inputs)
    os.replace(fixed, path)
    report = _check(path, targets, thresholds, None, None)
    report.fix = made
    return report
