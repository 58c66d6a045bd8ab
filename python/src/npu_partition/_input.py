# SPDX-License-Identifier: Apache-2.0
"""Where a model may come from, and how each reaches the library without a copy of its weights."""
from __future__ import annotations

import contextlib
import ctypes
import io
import os
import stat
from collections.abc import Iterator
from typing import Any, BinaryIO, Union

from . import _ir, _native, _proto
from ._library import Handle, library, make

# Anything with the buffer protocol, an onnx.ModelProto, an onnx_ir.Model or a torch.onnx.ONNXProgram may stand for Any.
ModelSource = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, BinaryIO, Any]


class _PyBuffer(ctypes.Structure):
    """Python's own Py_buffer, part of its stable interface: ctypes has no other way to memory that is read-only."""

    _fields_ = [
        ("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int), ("ndim", ctypes.c_int), ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p), ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p),
    ]


@contextlib.contextmanager
def memory_of(data: Any) -> Iterator[tuple[int | None, int]]:
    """Address and size of what has the buffer protocol, for the time of the block."""
    buffer = _PyBuffer()
    get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
    get(ctypes.py_object(data), ctypes.byref(buffer), ctypes.c_int(0))
    try:
        yield buffer.buf, buffer.len
    finally:
        release(ctypes.byref(buffer))


def read_model(source: ModelSource, options: _native.npart_read_options) -> Handle:
    """Reads a model. `options` has no name yet where the caller gave none."""
    if isinstance(source, (str, os.PathLike)):
        return _read_path(source, options)
    if _is_proto(source):
        return _read_proto(source, options, "<ModelProto>")
    if _is_buffer(source):  # before read(), which an mmap has too: that would copy weights, and move where it stands
        return _read_memory(source, options, "<bytes>")
    if hasattr(source, "read"):
        return _read_file(source, options)
    program_model = getattr(source, "model", None)
    if hasattr(program_model, "graph") or hasattr(source, "graph"):
        return _read_ir(source if program_model is None else program_model, options)
    raise TypeError(f"a model is a path, bytes, an open binary file, an onnx.ModelProto, an onnx_ir.Model or a "
                    f"torch.onnx.ONNXProgram, not {type(source).__name__}")


def _is_proto(source: Any) -> bool:
    return getattr(getattr(type(source), "DESCRIPTOR", None), "full_name", "") == "onnx.ModelProto"


def _is_buffer(source: Any) -> bool:
    try:
        memoryview(source).release()
    except TypeError:
        return False
    return True


def _name(options: _native.npart_read_options, otherwise: str) -> str:
    if options.name is None:
        options.name = otherwise.encode("utf-8", "surrogateescape")
    return options.name.decode("utf-8", "replace")


def _read_path(path: str | os.PathLike[str], options: _native.npart_read_options) -> Handle:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("a path cannot hold a NUL character")
    return make(library.npart_model_read_file, library.npart_model_free, encoded, ctypes.byref(options),
                about=os.fsdecode(path))


def _read_memory(data: Any, options: _native.npart_read_options, name: str) -> Handle:
    about = _name(options, name)
    with memory_of(data) as (address, size):
        return make(library.npart_model_read_memory, library.npart_model_free, address, size, ctypes.byref(options),
                    about=about)


def _read_file(file: Any, options: _native.npart_read_options) -> Handle:
    """A file that stands at its beginning is read by its path, where weights are not read. Others are streams."""
    name = getattr(file, "name", None)
    if isinstance(name, str) and _stands_for_path(file, name):
        return _read_path(name, options)
    about = _name(options, name if isinstance(name, str) else "-")
    failures: list[BaseException] = []

    def read(_payload: int | None, into: int, size: int) -> int:
        try:
            piece = file.read(size)
            if piece is None or len(piece) > size:
                raise ValueError("read() must return bytes, at most as many as asked for")
            ctypes.memmove(into, bytes(piece), len(piece))
            return len(piece)
        except BaseException as error:  # carried past the library, and raised again below
            failures.append(error)
            return -1

    try:
        return make(library.npart_model_read_stream, library.npart_model_free, _native.npart_read_callback(read), None,
                    ctypes.byref(options), about=about)
    except Exception:
        if failures:
            raise failures[0] from None
        raise


def _stands_for_path(file: Any, path: str) -> bool:
    try:
        if not isinstance(getattr(file, "raw", file), io.FileIO):
            return False  # such as GzipFile, whose name and descriptor are those of the compressed file
        status = os.fstat(file.fileno())
        return stat.S_ISREG(status.st_mode) and file.tell() == 0 and os.path.samestat(status, os.stat(path))
    except (OSError, AttributeError, ValueError):
        return False


def _read_proto(model: Any, options: _native.npart_read_options, name: str) -> Handle:
    with contextlib.closing(_proto.wire_form(model, options.keep_bytes)) as data:
        return _read_memory(data, options, name)


def _read_ir(model: Any, options: _native.npart_read_options) -> Handle:
    return _read_proto(_ir.to_proto(model, options.keep_bytes), options, "<ONNXProgram>")
