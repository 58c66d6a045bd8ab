# SPDX-License-Identifier: Apache-2.0
"""The wire form of an onnx.ModelProto that is in memory, without a copy of its weights.

SerializeToString would copy all of them, and fails above 2 GiB. The library never looks at a payload that is larger
than what it keeps, so here such payloads are holes: addresses of a private mapping that nobody touches, for which the
system never finds memory. All else stands where it would stand in the file, so that sizes and places that are
reported are the file's.
"""
from __future__ import annotations

import math
import mmap
import sys
from collections.abc import Callable, Iterable
from typing import Any

KEEP_BYTES = 64 << 10  # what the library keeps of INT64 tensors, which are its longest
EXACT_BYTES = 1 << 20  # up to here the length of raw_data is looked at; beyond, dims and type tell it
HOLE = "npu-partition:hole"  # the location of external data whose place is a hole

# Bits of an element by ONNX's number of its type. Strings have none.
ELEMENT_BITS = {
    1: 32, 2: 8, 3: 8, 4: 16, 5: 16, 6: 32, 7: 64, 9: 8, 10: 16, 11: 64, 12: 32, 13: 64, 14: 64, 15: 128, 16: 16,
    17: 8, 18: 8, 19: 8, 20: 8, 21: 4, 22: 4, 23: 4, 24: 8, 25: 2, 26: 2, 27: 6, 28: 6,
}
# Of the messages that may hold a large tensor, the fields where it is. All else of them is serialized as it is.
HOLDERS = {
    "onnx.ModelProto": ("graph", "functions"),
    "onnx.GraphProto": ("node", "initializer", "sparse_initializer"),
    "onnx.FunctionProto": ("node",),
    "onnx.NodeProto": ("attribute",),
    "onnx.AttributeProto": ("t", "g", "tensors", "graphs", "sparse_tensor", "sparse_tensors"),
    "onnx.SparseTensorProto": ("values", "indices"),
}
# Attribute types that those fields belong to: TENSOR, GRAPH, TENSORS, GRAPHS, SPARSE_TENSOR, SPARSE_TENSORS. 0 is said
# by old exporters, and tells nothing.
HOLDING_TYPES = frozenset((0, 4, 5, 9, 10, 11, 12))
NUMBER_BYTES = {"float_data": 4, "double_data": 8}  # of numbers of fixed width
VARINTS = ("int32_data", "int64_data", "uint64_data")


class _Pieces:
    """Bytes and holes, one after the other."""

    __slots__ = ("parts", "size")

    def __init__(self) -> None:
        self.parts: list[bytes | int] = []  # an int is a hole of so many bytes
        self.size = 0

    def add(self, data: bytes) -> None:
        self.parts.append(data)
        self.size += len(data)

    def add_hole(self, size: int) -> None:
        self.parts.append(size)
        self.size += size

    def add_message(self, number: int, inner: _Pieces) -> None:
        self.add(_head(number, inner.size))
        self.parts += inner.parts
        self.size += inner.size


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _head(number: int, size: int) -> bytes:
    """What stands before a field with a length."""
    return _varint(number << 3 | 2) + _varint(size)


def wire_form(model: Any, keep_bytes: int = 0) -> mmap.mmap:
    """The model as it would be in a file, to be closed by the caller. Of payloads above `keep_bytes` only the addresses
    are there."""
    try:
        pieces = _Writer(max(keep_bytes, KEEP_BYTES)).message(model)
    except UnicodeDecodeError:  # a name that is no UTF-8, which only serializing copies
        pieces = _Pieces()
        pieces.add(model.SerializeToString())
    memory = _reserve(pieces.size)
    at = 0
    for part in pieces.parts:
        if isinstance(part, int):
            at += part
        else:
            memory[at:at + len(part)] = part
            at += len(part)
    return memory


def _reserve(size: int) -> mmap.mmap:
    """Addresses without memory, even where they are more than the machine has."""
    if sys.platform == "win32":
        return mmap.mmap(-1, max(size, 1))
    no_reserve = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)
    return mmap.mmap(-1, max(size, 1), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve)


class _Writer:
    """Serializes one model."""

    def __init__(self, keep_bytes: int) -> None:
        self.keep_bytes = keep_bytes
        self.fields: dict[str, list[tuple[bool, bool, str, int]]] = {}

    def message(self, message: Any) -> _Pieces:
        """A message that may hold large tensors, field by field in the order of their numbers, as protobuf does it.
        What lies between two holding fields is serialized at once."""
        pieces = _Pieces()
        kind = message.DESCRIPTOR
        if kind.full_name == "onnx.TensorProto":
            self.tensor(message, pieces)
            return pieces
        stub = type(message)()
        is_stub_filled = False
        for is_holding, is_repeated, name, number in self.fields_of(kind):
            if not is_holding:
                is_stub_filled |= _copy_field(message, stub, name, is_repeated)
                continue
            items: Iterable[Any] = ()
            if is_repeated:
                items = getattr(message, name)
            elif message.HasField(name):
                items = (getattr(message, name),)
            if items and is_stub_filled:
                pieces.add(stub.SerializePartialToString())
                stub, is_stub_filled = type(message)(), False
            self.items(items, number, pieces)
        if is_stub_filled:
            pieces.add(stub.SerializePartialToString())
        return pieces

    def fields_of(self, kind: Any) -> list[tuple[bool, bool, str, int]]:
        """Of a message its fields by number: whether it may hold large tensors, whether it repeats, name, number."""
        if kind.full_name not in self.fields:
            holding = HOLDERS[kind.full_name]
            self.fields[kind.full_name] = [
                (field.name in holding, _is_repeated(field), field.name, field.number)
                for field in sorted(kind.fields, key=lambda field: field.number)]
        return self.fields[kind.full_name]

    def items(self, items: Iterable[Any], number: int, pieces: _Pieces) -> None:
        """Messages of one field. Most hold nothing large, and are serialized as they are."""
        for item in items:
            if self.is_heavy(item):
                pieces.add_message(number, self.message(item))
            else:
                data = item.SerializePartialToString()
                pieces.add(_head(number, len(data)) + data)

    def is_heavy(self, message: Any) -> bool:
        """Whether it may hold a tensor that is too large to be copied. Nodes come by the hundred thousand."""
        name = message.DESCRIPTOR.name
        if name == "NodeProto":
            return any(attribute.type in HOLDING_TYPES and self.is_heavy_attribute(attribute)
                       for attribute in message.attribute)
        if name == "TensorProto":
            return self.hidden_bytes(message) > 0
        return name != "AttributeProto" or self.is_heavy_attribute(message)

    def is_heavy_attribute(self, attribute: Any) -> bool:
        if attribute.HasField("t"):
            return self.is_heavy(attribute.t)
        return bool(attribute.HasField("g") or attribute.HasField("sparse_tensor") or len(attribute.tensors) or
                    len(attribute.graphs) or len(attribute.sparse_tensors))

    # ---- tensors ------------------------------------------------------------------------------------------------

    def hidden_bytes(self, tensor: Any) -> int:
        """Of the payload that becomes a hole; 0: none does."""
        size = self.raw_bytes(tensor)
        for name, width in NUMBER_BYTES.items():
            size = max(size, len(getattr(tensor, name)) * width)
        for name in VARINTS:
            if len(getattr(tensor, name)) > self.keep_bytes // 10:
                size = max(size, _varints_bytes(tensor, name))
        return size if size > self.keep_bytes else 0

    def raw_bytes(self, tensor: Any) -> int:
        """How long raw_data is. Reading it would copy it, so that is done only where it is short."""
        if not tensor.HasField("raw_data"):
            return _marked_bytes(tensor)
        size = _payload_bytes(tensor)
        return len(tensor.raw_data) if size <= EXACT_BYTES else size

    def tensor(self, tensor: Any, pieces: _Pieces) -> None:
        """A tensor with holes for its large payloads."""
        is_marked = _marked_bytes(tensor) > 0
        stub = type(tensor)()

        def flush() -> None:
            nonlocal stub
            pieces.add(stub.SerializePartialToString())
            stub = type(tensor)()

        for field in sorted(tensor.DESCRIPTOR.fields, key=lambda field: field.number):
            name = field.name
            size = self.raw_bytes(tensor) if name == "raw_data" else self.numbers_bytes(tensor, name)
            if size > self.keep_bytes:
                flush()
                pieces.add(_head(field.number, size))
                pieces.add_hole(size)
            elif not (is_marked and name in ("external_data", "data_location")):
                _copy_field(tensor, stub, name, _is_repeated(field))
        flush()

    def numbers_bytes(self, tensor: Any, name: str) -> int:
        if name in NUMBER_BYTES:
            return len(getattr(tensor, name)) * NUMBER_BYTES[name]
        if name in VARINTS and len(getattr(tensor, name)) > self.keep_bytes // 10:
            return _varints_bytes(tensor, name)
        return 0


def _is_repeated(field: Any) -> bool:
    """Newer releases of protobuf lack `label`, older ones `is_repeated`."""
    known = getattr(field, "is_repeated", None)
    return bool(field.label == field.LABEL_REPEATED if known is None else known)


def _copy_field(message: Any, stub: Any, name: str, is_repeated: bool) -> bool:
    """False when it is not set."""
    if is_repeated:
        values = getattr(message, name)
        if not len(values):
            return False
        getattr(stub, name).MergeFrom(values)
        return True
    if not message.HasField(name):
        return False
    value = getattr(message, name)
    copy: Callable[[Any], None] | None = getattr(getattr(stub, name), "CopyFrom", None)
    if copy:
        copy(value)
    else:
        setattr(stub, name, value)
    return True


def _payload_bytes(tensor: Any) -> int:
    """By dims and type."""
    bits = ELEMENT_BITS.get(tensor.data_type, 0)
    return (math.prod(tensor.dims) * bits + 7) // 8 if all(dim >= 0 for dim in tensor.dims) else 0


def _marked_bytes(tensor: Any) -> int:
    """Of external data that stands for a hole."""
    if tensor.data_location != 1 or not len(tensor.external_data):
        return 0
    return _payload_bytes(tensor) if tensor.external_data[0].value == HOLE else 0


def _varints_bytes(tensor: Any, name: str) -> int:
    """How long numbers of no fixed width are; only serializing them tells. That is forgotten at once."""
    stub = type(tensor)()
    getattr(stub, name).MergeFrom(getattr(tensor, name))
    whole = len(stub.SerializePartialToString())
    head = 1
    while len(_varint(whole - head - 1)) > head:
        head += 1
    return whole - 1 - head
