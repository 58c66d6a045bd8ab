# SPDX-License-Identifier: Apache-2.0
"""Which nodes of an ONNX graph an NPU takes, in how many partitions, and why not.

    import npu_partition
    report = npu_partition.analyze("model.onnx", targets=["hexagon"])
    print(report)
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _native

if TYPE_CHECKING:
    from . import results as results
    from ._analysis import Analysis as Analysis
    from ._analysis import Target as Target
    from ._analysis import analyze as analyze
    from ._diff import Diff as Diff
    from ._diff import Diffs as Diffs
    from ._diff import diff as diff
    from ._documents import Document as Document
    from ._documents import Outcome as Outcome
    from ._errors import ArgumentError as ArgumentError
    from ._errors import LimitError as LimitError
    from ._errors import MalformedError as MalformedError
    from ._errors import NpuPartitionError as NpuPartitionError
    from ._errors import OplistError as OplistError
    from ._errors import OutOfMemoryError as OutOfMemoryError
    from ._errors import OutOfTimeError as OutOfTimeError
    from ._errors import ReadError as ReadError
    from ._errors import TargetError as TargetError
    from ._errors import UnprovenError as UnprovenError
    from ._errors import WriteError as WriteError
    from ._fix import Fix as Fix
    from ._fix import FixSet as FixSet
    from ._fix import annotate as annotate
    from ._fix import fix as fix
    from ._fix import fix_hint as fix_hint
    from ._fix import fix_set as fix_set
    from ._fix import split as split
    from ._many import analyze_all as analyze_all
    from ._session import SessionOptions as SessionOptions
    from ._session import session_options as session_options
    from ._session import tool_settings as tool_settings
    from ._targets import TargetInfo as TargetInfo
    from ._targets import targets as targets

__version__ = _native.VERSION

# Where each name is, imported when it is first asked for: what a program does not use costs it no time.
_MODULES = {
    "_analysis": ("Analysis", "Target", "analyze"),
    "_diff": ("Diff", "Diffs", "diff"),
    "_documents": ("Document", "Outcome"),
    "_errors": ("ArgumentError", "LimitError", "MalformedError", "NpuPartitionError", "OplistError",
                "OutOfMemoryError", "OutOfTimeError", "ReadError", "TargetError", "UnprovenError", "WriteError"),
    "_fix": ("Fix", "FixSet", "annotate", "fix", "fix_hint", "fix_set", "split"),
    "_many": ("analyze_all",),
    "_session": ("SessionOptions", "session_options", "tool_settings"),
    "_targets": ("TargetInfo", "targets"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}
__all__ = sorted(["__version__", "version", *_HOME])


def version() -> str:
    """The library's version, which is the package's."""
    return __version__


def __getattr__(name: str) -> Any:
    if name == "results":
        return importlib.import_module(".results", __name__)
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
