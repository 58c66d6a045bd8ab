#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold lib/read/onnx/onnx.proto, and the table that the scan goes by, against the official schema.

usage: check_proto.py DESCRIBE_PROTO
Needs:  pip install onnx

DESCRIBE_PROTO is the program that prints both. Messages, field names, numbers, labels and types, and enum values must
be the same as in the descriptor inside the package; every difference is printed, exit status 1.
"""
import subprocess
import sys

from onnx import onnx_ml_pb2

TYPES = {1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 8: "bool", 9: "string", 11: "message",
         12: "bytes", 13: "uint32", 14: "enum"}
SCAN_KINDS = {"double": "fixed64", "float": "fixed32", "int64": "varint", "uint64": "varint", "int32": "varint",
              "uint32": "varint", "bool": "varint", "enum": "varint", "string": "text", "bytes": "bytes",
              "message": "message"}


def label(field):
    if getattr(field, "is_repeated", None) is not None:
        return "repeated" if field.is_repeated else "required" if field.is_required else "optional"
    return {1: "optional", 2: "required", 3: "repeated"}[field.label]


def scan_kind(kind, how_often):
    """What the scan's table calls it: numbers, bytes and messages that repeat are of a kind of their own."""
    if how_often != "repeated" or kind == "string":
        return SCAN_KINDS[kind]
    return "strings" if kind == "bytes" else SCAN_KINDS[kind] + "s"


def official():
    """The lines that DESCRIBE_PROTO should print."""
    lines = set()

    def add_enum(enum):
        lines.update(f"value {enum.full_name} {value.number} {value.name}" for value in enum.values)

    def add_message(message):
        lines.add(f"message {message.full_name}")
        for field in message.fields:
            kind = TYPES[field.type]
            named = field.message_type or field.enum_type
            lines.add(f"field {message.full_name} {field.number} {field.name} {label(field)} {kind} "
                      f"{named.full_name if named else '-'}")
            short = message.full_name.removeprefix("onnx.")
            child = field.message_type.full_name.removeprefix("onnx.") if field.message_type else "-"
            lines.add(f"scan {short} {field.number} {field.name} {scan_kind(kind, label(field))} {child}")
        for enum in message.enum_types:
            add_enum(enum)
        for nested in message.nested_types:
            add_message(nested)

    for message in onnx_ml_pb2.DESCRIPTOR.message_types_by_name.values():
        add_message(message)
    for enum in onnx_ml_pb2.DESCRIPTOR.enum_types_by_name.values():
        add_enum(enum)
    return lines


def main():
    ours = set(subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout.splitlines())
    theirs = official()
    for line in sorted(theirs - ours):
        print(f"missing: {line}")
    for line in sorted(ours - theirs):
        print(f"not in the official schema: {line}")
    if ours == theirs:
        print(f"{len(ours)} lines of schema the same")
    return 0 if ours == theirs else 1


if __name__ == "__main__":
    sys.exit(main())
