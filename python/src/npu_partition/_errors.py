# SPDX-License-Identifier: Apache-2.0
"""What can go wrong: one exception a status of the library."""
from __future__ import annotations

from . import _native


class NpuPartitionError(Exception):
    """What the library cannot do. That an NPU does not take a node is a verdict, and no error.

    Attributes:
        message: one line without the place.
        place: where it went wrong, such as ``byte 4711``, ``mine.ops:12:7`` or ``node 12 (Conv conv1)``; empty where
            there is no place.
        about: what was read, such as a model's path; empty where nothing was.
    """

    def __init__(self, message: str, place: str = "", about: str = "") -> None:
        self.message, self.place, self.about = message, place, about
        super().__init__(": ".join(part for part in (about, place, message) if part))

    def __reduce__(self) -> tuple[type[NpuPartitionError], tuple[str, str, str]]:
        return type(self), (self.message, self.place, self.about)


class ReadError(NpuPartitionError, OSError):
    """A file or stream cannot be read."""


class MalformedError(NpuPartitionError, ValueError):
    """The bytes are no ONNX model, or the model contradicts itself."""


class LimitError(NpuPartitionError, ValueError):
    """The model passes a limit, such as of nesting, or needs more memory than it may take (``max_memory_bytes``)."""


class OutOfTimeError(NpuPartitionError, TimeoutError):
    """The analysis is not finished in time (``timeout_s``)."""


class OutOfMemoryError(NpuPartitionError, MemoryError):
    """There is no memory left."""


class ArgumentError(NpuPartitionError, ValueError):
    """An argument that cannot be, such as an unknown target or a dimension that the model lacks."""


class TargetError(ArgumentError, KeyError):
    """A report has no target of that name, or several."""

    __str__ = Exception.__str__  # not that of KeyError, which puts the message in quotes


class OplistError(NpuPartitionError, ValueError):
    """An op list or cost file has a mistake; the place is ``file:line:column``."""


class WriteError(NpuPartitionError, OSError):
    """A file cannot be written."""


class UnprovenError(NpuPartitionError):
    """What was written is not planned as it was predicted, so it was not put in place."""


BY_STATUS: dict[int, type[NpuPartitionError]] = {
    _native.NPART_ERROR_READ: ReadError,
    _native.NPART_ERROR_MALFORMED: MalformedError,
    _native.NPART_ERROR_LIMIT: LimitError,
    _native.NPART_ERROR_MEMORY: OutOfMemoryError,
    _native.NPART_ERROR_ARGUMENT: ArgumentError,
    _native.NPART_ERROR_OPLIST: OplistError,
    _native.NPART_ERROR_WRITE: WriteError,
    _native.NPART_ERROR_UNPROVEN: UnprovenError,
    _native.NPART_ERROR_TIMEOUT: OutOfTimeError,
}
