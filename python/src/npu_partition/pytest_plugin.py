# SPDX-License-Identifier: Apache-2.0
"""The fixture ``npu_partition``, which pytest finds by itself where this package is installed.

    def test_model_stays_whole(npu_partition):
        npu_partition.assert_partitions("model.onnx", "hexagon", dims={"batch": 1})
"""
from __future__ import annotations

from types import SimpleNamespace

import pytest


@pytest.fixture(scope="session")
def npu_partition() -> SimpleNamespace:
    """`npu_partition.analyze` and `npu_partition.testing.assert_partitions`."""
    from ._analysis import analyze
    from .testing import assert_partitions

    return SimpleNamespace(analyze=analyze, assert_partitions=assert_partitions)
