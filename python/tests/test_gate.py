# SPDX-License-Identifier: Apache-2.0
"""Thresholds: the package says what the tool says."""
from __future__ import annotations

import pathlib
import subprocess

import pytest

import npu_partition
from npu_partition import analyze
from npu_partition.gate import CONDITIONS, outcomes


def test_outcomes_are_the_tools(tool: str, detector: pathlib.Path) -> None:
    found = outcomes(analyze(detector, "hexagon"), max_partitions=1, min_coverage=0.99, bounds={"max-ms": 0.001},
                     fail_on=["split", "fail"])
    done = subprocess.run([tool, detector, "-t", "hexagon", "--max-partitions", "1", "--min-coverage", "0.99",
                           "--max-ms", "0.001", "--fail-on", "split,fail"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    told = [line for line in done.stderr.splitlines() if "first " not in line]
    assert told == [f"npu-partition: {detector}: {at.target}: {at.text}" for at in found if not at.is_met]
    assert {at.threshold for at in found} == {"fail-on invalid", "max-partitions", "min-coverage", "max-ms",
                                              "fail-on split", "fail-on fail"}
    assert "slower" in CONDITIONS
    with pytest.raises(npu_partition.ArgumentError, match="no threshold most-ms"):
        outcomes(analyze(detector, "hexagon"), bounds={"most-ms": 1})
