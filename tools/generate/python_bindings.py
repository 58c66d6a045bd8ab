#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write python/src/npu_partition/_native.py from the public headers: their constants, structs, callbacks and
functions for ctypes. Or, with --layout, a C program that prints where the compiler puts the members of every struct,
which a test compares.

usage: python_bindings.py [--layout] HEADER... > FILE

Needs the PyPI package pycparser, and a C compiler (CC) that expands macros.
"""
from __future__ import annotations

import keyword
import os
import pathlib
import re
import subprocess
import sys

from pycparser import c_ast, c_parser

# What the header takes from the standard's headers, as far as a parser needs it.
STANDARD_TYPES = {
    "bool": "c_bool", "size_t": "c_size_t", "ptrdiff_t": "c_ssize_t", "int32_t": "c_int32", "uint32_t": "c_uint32",
    "int64_t": "c_int64", "uint64_t": "c_uint64", "uint8_t": "c_uint8",
}
BASIC_TYPES = {"int": "c_int", "unsigned int": "c_uint", "float": "c_float", "double": "c_double", "char": "c_char",
               "unsigned": "c_uint"}
HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""Constants, structs and functions of the public headers for ctypes, under their C names.

Written by tools/generate/python_bindings.py from the header; do not edit.
"""
from __future__ import annotations

from ctypes import (
    CDLL,
    CFUNCTYPE,
    POINTER,
    Structure,
%s)
from typing import Any

Bytes = bytes  # some members have that name
'''


def parse(paths: list[str]) -> tuple[str, c_ast.FileAST]:
    """The text of the header and of those that it includes, and its declarations once macros are expanded."""
    text = "".join(pathlib.Path(path).read_text(encoding="utf-8") for path in paths)
    types = "".join(f"typedef int {name};\n" for name in STANDARD_TYPES)
    source = "#define __attribute__(what)\n" + types + re.sub(r"^#include .*", "", text, flags=re.M)
    compiler = os.environ.get("CC", "cc").split()
    done = subprocess.run([*compiler, "-E", "-P", "-"], input=source, capture_output=True, text=True, check=True)
    return text, c_parser.CParser().parse(done.stdout)


class Types:
    """Which ctypes type a C type is."""

    def __init__(self) -> None:
        self.opaque: set[str] = set()
        self.callbacks: set[str] = set()
        self.structs: set[str] = set()
        self.used = {"c_void_p", "c_char_p"}

    def basic(self, name: str) -> str:
        self.used.add(name)
        return name

    def of(self, node: c_ast.Node, is_plain_text: bool = True) -> str:
        """`is_plain_text`: a char * ends with a NUL; if not, it is an address."""
        if isinstance(node, c_ast.TypeDecl):
            return self.of(node.type)
        if isinstance(node, c_ast.ArrayDecl):
            is_name = isinstance(node.dim, c_ast.ID)
            return f"{self.of(node.type)} * {node.dim.name if is_name else node.dim.value.rstrip('uU')}"
        if isinstance(node, c_ast.PtrDecl):
            return self.pointer(node.type, is_plain_text)
        if isinstance(node, c_ast.Enum):
            return self.basic("c_int")
        if isinstance(node, c_ast.Struct):
            return str(node.name)
        name = " ".join(node.names)
        if name in self.callbacks:
            return name
        if name in STANDARD_TYPES:
            return self.basic(STANDARD_TYPES[name])
        return self.basic(BASIC_TYPES.get(name, "c_int"))  # else a typedef of an enum

    def pointer(self, to: c_ast.Node, is_plain_text: bool) -> str:
        if isinstance(to, c_ast.FuncDecl):
            return self.callback(to)
        inner = to.type if isinstance(to, c_ast.TypeDecl) else None
        if isinstance(inner, c_ast.IdentifierType):
            name = " ".join(inner.names)
            if name == "void" or name in self.opaque:
                return "c_void_p"
            if name == "char":
                return "c_char_p" if is_plain_text else "c_void_p"
        return f"POINTER({self.of(to)})"

    def callback(self, function: c_ast.FuncDecl) -> str:
        """Texts that callbacks are given are addresses, since they need not end with a NUL."""
        arguments = [self.of(argument.type, is_plain_text=False) for argument in function.args.params]
        return f"CFUNCTYPE({', '.join([self.result(function.type), *arguments])})"

    def result(self, node: c_ast.Node) -> str:
        is_void = isinstance(node, c_ast.TypeDecl) and getattr(node.type, "names", None) == ["void"]
        return "None" if is_void else self.of(node)


def hint(kind: str) -> str:
    """What Python code sees of a struct's member."""
    numbers = {"c_bool": "bool", "c_float": "float", "c_double": "float", "c_char_p": "Bytes | None"}
    if kind in numbers:
        return numbers[kind]
    if kind.startswith("c_char * "):
        return "Bytes"
    is_other = kind == "c_void_p" or "(" in kind or " * " in kind or not kind.startswith("c_")
    return "Any" if is_other else "int"


def write_struct(types: Types, struct: c_ast.Struct) -> list[str]:
    members, before = [], []
    names = {member.name for member in struct.decls}
    for member in struct.decls:
        kind = types.of(member.type, is_plain_text=member.name + "_bytes" not in names)
        if kind.startswith("CFUNCTYPE"):
            before += ["", "", f"{struct.name}_{member.name} = {kind}"]
            kind = f"{struct.name}_{member.name}"
        members.append((member.name + "_" * keyword.iskeyword(member.name), kind))
    lines = [*before, "", "", f"class {struct.name}(Structure):"]
    lines += [f"    {name}: {hint(kind)}" for name, kind in members]
    lines += ["    _fields_ = ["]
    lines += [f'        ("{name}", {kind}),' for name, kind in members]
    return [*lines, "    ]"]


def write_enum(enum: c_ast.Enum) -> list[str]:
    lines, value = [""], 0
    for item in enum.values.enumerators:
        if item.value is not None:
            is_negative = isinstance(item.value, c_ast.UnaryOp)
            value = int(item.value.expr.value) * -1 if is_negative else int(item.value.value)
        lines.append(f"{item.name} = {value}")
        value += 1
    return lines


def initializers(text: str) -> list[str]:
    """The _INIT macros, as the members that they name; and numbers."""
    lines = ["", "NPART_NONE = 0xFFFFFFFF"]
    for name, number in re.findall(r"^#define (NPART_[A-Z_]+) (\d+)u?$", text, re.M):
        lines.append(f"{name} = {number}")
    numbers = re.findall(r"^#define NPART_VERSION_[A-Z]+ (\d+)$", text, re.M)
    lines.append(f'VERSION = "{".".join(numbers)}"')
    for name, items in re.findall(r"^#define (NPART_\w+_INIT) \{(.*)\}$", text, re.M):
        members = re.sub(r"\.(\w+) = ", r'"\1": ', items)
        lines.append(f"{name} = {{{members}}}")
    return lines


def wrapped(name: str, result: str, arguments: list[str]) -> list[str]:
    line = f'    "{name}": ({result}, [{", ".join(arguments)}]),'
    if len(line) <= 120:
        return [line]
    return [f'    "{name}": (', f"        {result},", "        [", *[f"            {item}," for item in arguments],
            "        ],", "    ),"]


def write_module(text: str, tree: c_ast.FileAST) -> str:
    types, body, functions = Types(), [], []
    constants: list[str] = []
    for item in tree.ext:
        kind = item.type
        is_typedef = isinstance(item, c_ast.Typedef)
        if is_typedef and isinstance(kind, c_ast.TypeDecl) and isinstance(kind.type, c_ast.Struct):
            types.opaque.add(item.name)
        elif is_typedef and isinstance(kind, c_ast.PtrDecl):
            body += ["", "", f"{item.name} = {types.callback(kind.type)}"]
            types.callbacks.add(item.name)
        elif isinstance(kind, c_ast.Struct) and kind.decls:
            body += write_struct(types, kind)
        elif isinstance(kind, c_ast.FuncDecl):
            arguments = [types.of(argument.type) for argument in kind.args.params]
            functions += wrapped(item.name, types.result(kind.type), [] if arguments == ["c_int"] and not
                                 kind.args.params[0].name else arguments)
        else:
            enum = kind if isinstance(kind, c_ast.Enum) else getattr(kind, "type", None)
            if isinstance(enum, c_ast.Enum) and enum.values:
                constants += write_enum(enum)
    imports = "".join(f"    {name},\n" for name in sorted(types.used))
    return HEAD % imports + "\n".join([
        *constants, *initializers(text), *body, "", "", "# Of each function, what it returns and takes.",
        "FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {", *functions, "}", "", "",
        "def declare(library: CDLL) -> None:",
        '    """Tells ctypes what the functions of a library return and take."""',
        "    for name, (result, arguments) in FUNCTIONS.items():", "        function = getattr(library, name)",
        "        function.restype, function.argtypes = result, arguments", ""])


def write_layout(tree: c_ast.FileAST) -> str:
    lines = ["#include <stdio.h>", '#include "npu_partition.h"', "int main(void)", "{"]
    for item in tree.ext:
        struct = item.type
        if not isinstance(struct, c_ast.Struct) or not struct.decls:
            continue
        lines.append(f'    printf("{struct.name} %zu\\n", sizeof(struct {struct.name}));')
        for member in struct.decls:
            place = f"struct {struct.name}, {member.name}"
            lines.append(f'    printf("{struct.name}.{member.name} %zu %zu\\n", offsetof({place}), '
                         f"sizeof(((struct {struct.name} *)0)->{member.name}));")
    return "\n".join([*lines, "    return 0;", "}", ""])


def main() -> None:
    paths = [argument for argument in sys.argv[1:] if argument != "--layout"]
    if not paths:
        sys.exit(__doc__)
    text, tree = parse(paths)
    sys.stdout.write(write_layout(tree) if "--layout" in sys.argv else write_module(text, tree))


main()
