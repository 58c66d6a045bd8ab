# SPDX-License-Identifier: Apache-2.0
"""Which nodes of an ONNX graph an NPU takes, in how many partitions, and why not.

    import npu_partition
    report = npu_partition.analyze("model.onnx", targets=["hexagon"])
    print(report)
"""
from ._analysis import Analysis, Target, analyze
from ._diff import Diff, diff
from ._documents import Document, Outcome
from ._errors import (
    ArgumentError,
    LimitError,
    MalformedError,
    NpuPartitionError,
    OplistError,
    OutOfMemoryError,
    OutOfTimeError,
    ReadError,
    UnprovenError,
    WriteError,
)
from ._fix import Fix, FixSet, annotate, fix, fix_set, split
from ._many import analyze_all
from ._native import VERSION as __version__
from ._targets import TargetInfo, targets

__all__ = [
    "Analysis",
    "ArgumentError",
    "Diff",
    "Document",
    "Fix",
    "FixSet",
    "LimitError",
    "MalformedError",
    "NpuPartitionError",
    "OplistError",
    "OutOfMemoryError",
    "OutOfTimeError",
    "Outcome",
    "ReadError",
    "Target",
    "TargetInfo",
    "UnprovenError",
    "WriteError",
    "__version__",
    "analyze",
    "analyze_all",
    "annotate",
    "diff",
    "fix",
    "fix_set",
    "split",
    "targets",
    "version",
]


def version() -> str:
    """The library's version, which is the package's."""
    return __version__
