# SPDX-License-Identifier: Apache-2.0
"""The shared library inside this package: loading it, its errors, its handles, its texts.

ctypes gives the interpreter's lock back for the time of each call, so threads analyze side by side.
"""
from __future__ import annotations

import ctypes
import os
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from . import _native
from ._errors import BY_STATUS, NpuPartitionError

FILE_NAMES = {"win32": "npu_partition.dll", "darwin": "libnpu_partition.dylib"}


def _load() -> ctypes.CDLL:
    """The library of the wheel, or the one that NPU_PARTITION_LIBRARY names."""
    beside = pathlib.Path(__file__).with_name(FILE_NAMES.get(sys.platform, "libnpu_partition.so"))
    path = os.environ.get("NPU_PARTITION_LIBRARY") or str(beside)
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"cannot load npu-partition's library {path}: {error}. Install a wheel, or run "
                          "`pip install ./python` in a clone; NPU_PARTITION_LIBRARY names another file.") from error
    library.npart_version.restype = ctypes.c_char_p
    found = library.npart_version().decode()
    if found != _native.VERSION:
        raise ImportError(f"{path} is version {found} of npu-partition, this package is {_native.VERSION}")
    _native.declare(library)
    return library


library = _load()


def plain_text(text: str) -> str:
    """A text that may hold anything, such as a name from a model, as a person may read it."""
    data = text.encode("utf-8", "surrogateescape")
    room = library.npart_plain_text(data, None, 0) + 1
    shown = ctypes.create_string_buffer(room)
    library.npart_plain_text(data, shown, room)
    return shown.value.decode()


def sized(struct: type[Any]) -> Any:
    """A struct for results, which begins with its size."""
    made = struct()
    made.size = ctypes.sizeof(struct)
    return made


def decoded(text: bytes | None) -> str:
    """A text of the library's; "" where there is none."""
    return (text or b"").decode("utf-8", "replace")


def items(handle: Handle, getter: Callable[..., bool], struct: type[Any]) -> Iterator[Any]:
    """What a getter tells by its place, one after the other; always the same struct."""
    item, index = sized(struct), 0
    while getter(handle.pointer, index, ctypes.byref(item)):
        yield item
        index += 1


def initialized(struct: type[Any], values: dict[str, Any]) -> Any:
    """A struct for options with the members of its _INIT."""
    return struct(**values)


class Handle:
    """Something of the library's, which is freed with this object."""

    __slots__ = ("_free", "pointer")

    def __init__(self, pointer: int | None, free: Callable[[int | None], None]) -> None:
        self.pointer, self._free = pointer, free

    def __bool__(self) -> bool:
        return self.pointer is not None

    def __del__(self) -> None:
        if self.pointer is not None:
            self._free(self.pointer)
            self.pointer = None


def check(status: int, error: _native.npart_error, about: str = "") -> None:
    """Raises what a failed call has told."""
    if status != _native.NPART_OK:
        kind = BY_STATUS.get(status, NpuPartitionError)
        raise kind(error.message.decode("utf-8", "replace"), error.place.decode("utf-8", "replace"), about)


def make(function: Any, free: Any, *arguments: Any, about: str = "") -> Handle:
    """Calls a function that makes a handle: its first argument takes it, its last an error."""
    out, error = ctypes.c_void_p(), _native.npart_error()
    check(function(ctypes.byref(out), *arguments, ctypes.byref(error)), error, about)
    return Handle(out.value, free)


def call(function: Any, *arguments: Any, about: str = "") -> None:
    """Calls a function whose last argument takes an error."""
    error = _native.npart_error()
    check(function(*arguments, ctypes.byref(error)), error, about)


def read_text(function: Any, *arguments: Any) -> bytes:
    """What a report writes, all of it: its last arguments are a callback, its payload and an error."""
    pieces: list[bytes] = []

    def take(_payload: int | None, text: int, size: int) -> bool:
        pieces.append(ctypes.string_at(text, size))
        return True

    call(function, *arguments, _native.npart_write_callback(take), None)
    return b"".join(pieces)


def reader_of(data: bytes) -> Any:
    """A callback that reads from a text in memory."""
    rest = memoryview(data)

    def read(_payload: int | None, into: int, size: int) -> int:
        nonlocal rest
        piece, rest = bytes(rest[:size]), rest[size:]
        ctypes.memmove(into, piece, len(piece))
        return len(piece)

    return _native.npart_read_callback(read)
