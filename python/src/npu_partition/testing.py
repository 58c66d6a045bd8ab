# SPDX-License-Identifier: Apache-2.0
"""For tests: a model runs on its targets in as few partitions as it should.

    from npu_partition.testing import assert_partitions

    def test_model_stays_whole() -> None:
        assert_partitions("model.onnx", "hexagon", max_partitions=1, dims={"batch": 1})
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ._analysis import Analysis, analyze
from ._checks import ThresholdError, Thresholds, check, explain
from ._input import ModelSource

if TYPE_CHECKING:
    import sys

    from ._arguments import Options

    if sys.version_info >= (3, 11):
        from typing import Unpack
    else:
        from typing_extensions import Unpack

__all__ = ["ThresholdError", "assert_partitions"]


def assert_partitions(
    model: ModelSource,
    targets: str | Iterable[str],
    *,
    max_partitions: int | None = 1,
    min_coverage: float | None = None,
    min_mac_coverage: float | None = None,
    **options: Unpack[Options],
) -> Analysis:
    """Fails unless every target takes the model in at most so many partitions.

    Args:
        model: as of `npu_partition.analyze`: a path, bytes, an ``onnx.ModelProto``, a ``torch.onnx.ONNXProgram``, ...
        targets: such as ``"hexagon"``, or several.
        max_partitions: None: any number.
        min_coverage: share of the live nodes that must run on the NPU, 0 to 1.
        min_mac_coverage: the same of multiply-accumulates.
        options: as of `npu_partition.analyze`, such as ``dims={"batch": 1}``.

    Returns:
        the analysis, for assertions of your own.

    Raises:
        ThresholdError: an AssertionError that names, for each target, what is not met, the nodes that fall back with
            the lines of the model's source, and the first thing to do.
    """
    __tracebackhide__ = True
    thresholds = Thresholds(max_partitions, min_coverage, min_mac_coverage)
    analysis = analyze(model, targets, **options)
    checks = check(analysis, thresholds)
    if not all(item.is_met for item in checks):
        raise ThresholdError(f"{analysis._title}\n{explain(checks)}", checks)
    return analysis
