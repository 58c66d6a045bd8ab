# SPDX-License-Identifier: Apache-2.0
"""A pass for Microsoft Olive that checks what an NPU makes of the model, and rewrites what it does not take.

    from olive.workflows import run
    import npu_partition.olive

    run({"input_model": {"type": "OnnxModel", "model_path": "model.onnx"},
         "passes": {"npu": {"type": "NpuPartition", "targets": ["hexagon"], "fix": "bits"}},
         "output_dir": "out"}, package_config=npu_partition.olive.package_config())

The same for Olive's command line:

    python -m npu_partition.olive > passes.json
    olive run --config run.json --package-config passes.json
"""
from __future__ import annotations

import json
import pathlib
from typing import Any, Union

from olive.hardware import AcceleratorSpec
from olive.model import ONNXModelHandler
from olive.model.utils import resolve_onnx_path
from olive.package_config import OlivePackageConfig
from olive.passes import Pass
from olive.passes.pass_config import BasePassConfig, PassConfigParam

from ._analysis import analyze
from ._checks import TargetCheck, ThresholdError, Thresholds, check, distinct_names, explain
from ._fix import fix

__all__ = ["NpuPartition", "ThresholdError", "package_config"]


class NpuPartition(Pass):  # type: ignore[misc]
    """Checks how many partitions targets make of a model, and fixes it where that is asked for.

    The figures are recorded in the model's attributes as ``npu_partition``: by target (``hexagon:v73``, or
    ``intel-npu:4000@openvino 2026.4.1`` where two differ in their toolchain alone) ``partitions``, ``coverage``,
    ``mac_coverage``, ``typical_ms``, ``verdict`` and ``missed``.
    """

    @classmethod
    def _default_config(cls, accelerator_spec: AcceleratorSpec) -> dict[str, PassConfigParam]:
        def option(kind: Any, default: Any, description: str) -> PassConfigParam:
            return PassConfigParam(type_=kind, default_value=default, description=description)

        return {
            "targets": PassConfigParam(type_=list[str], required=True, description='Such as ["hexagon", "intel-npu"].'),
            "max_partitions": option(int, 1, "More partitions are a failure; negative: any number."),
            "min_coverage": option(float, 0.0, "Share of the nodes that must run on the NPU, 0 to 1."),
            "dims": option(dict[str, Union[int, str]], None, "Sizes of dynamic dimensions; a fixed model keeps them."),
            "fix": option(Union[str, list[str]], None,
                          'Rewrite what targets do not take: "bits", or classes of equality such as ["bits", "ulp"].'),
            "fail": option(bool, True, "Stop the workflow where a threshold is not met; else only record it."),
        }

    def _run_for_config(self, model: ONNXModelHandler, config: BasePassConfig,
                        output_model_path: str) -> ONNXModelHandler:
        thresholds = Thresholds(config.max_partitions if config.max_partitions >= 0 else None, config.min_coverage)
        analysis = analyze(model.model_path, config.targets, dims=config.dims)
        checks = check(analysis, thresholds)
        path = model.model_path
        if config.fix and not all(item.is_met for item in checks):
            path = resolve_onnx_path(output_model_path, pathlib.Path(path).name)
            classes = [config.fix] if isinstance(config.fix, str) else config.fix
            made = fix(model.model_path, config.targets, path, dims=config.dims, weights="copy",
                       allow=[name for name in classes if name != "bits"])
            path = made.output or path
            analysis = analyze(path, config.targets)
            checks = check(analysis, thresholds)
        if config.fail and not all(item.is_met for item in checks):
            raise ThresholdError(explain(checks), checks)
        figures = {name: _figures(item, target.cost.typical_ms)
                   for name, item, target in zip(distinct_names(analysis.targets), checks, analysis.targets)}
        attributes = {**(model.model_attributes or {}), "npu_partition": figures}
        return ONNXModelHandler(model_path=path, model_attributes=attributes)


def _figures(checked: TargetCheck, typical_ms: float | None) -> dict[str, Any]:
    summary = checked.summary
    return {"partitions": summary.partitions, "coverage": summary.coverage, "mac_coverage": summary.mac_coverage,
            "typical_ms": typical_ms, "verdict": summary.verdict, "missed": list(checked.missed)}


def package_config() -> dict[str, Any]:
    """Olive's own passes and this one, for ``olive.workflows.run(..., package_config=...)``."""
    with open(OlivePackageConfig.get_default_config_path(), encoding="utf-8") as file:
        known: dict[str, Any] = json.load(file)
    known["passes"]["NpuPartition"] = {
        "module_path": f"{__package__}.olive.NpuPartition",
        "supported_providers": ["*"], "supported_accelerators": ["*"], "supported_precisions": ["*"],
        "supported_algorithms": [], "supported_quantization_encodings": [],
    }
    return known


if __name__ == "__main__":
    print(json.dumps(package_config(), indent=4))
