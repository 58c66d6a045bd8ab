# SPDX-License-Identifier: Apache-2.0
"""Names that a stranger may give to whatever a model or a pull request has, and a model that has them everywhere."""
from __future__ import annotations

import os

NAMES: list[bytes] = [text.encode("utf-8", "surrogatepass") for text in (
    # Commands of a log: GitHub's in both forms, after blanks and line ends of all kinds, Azure's, TeamCity's.
    "::set-output name=report;::/proc/self/environ", "##[set-output name=report;]/proc/self/environ",
    "x ##[add-mask]a", "###[set-env name=PATH;]x", "##[ERROR]x", "##[stop-commands]x", "::stop-commands::x",
    "::add-matcher::m.json", "\u00a0\u3000::warning::x", " ::notice::x", "\t::debug::x", "\n::error::x",
    "a\r\n::set-env name=PATH::x", "a\r##[set-env name=PATH]x", "\x0b::save-state name=a::x", "%0A::error::x",
    "%0D%0A##[group]x", "a\u2028::error::x", "##vso[task.setvariable variable=a]b", "##teamcity[buildStatus text='x']",
    "section_start:1:x\r\x1b[0K", "\x1b]8;;https://example.test\x07x", "#", "##", "[x]", ":", "::", "]",
    # Markup, addresses, mentions and references.
    "@everyone", "@octocat", "org/team@x", "#123", "!45", "GH-12", "gl-12", "%milestone", "~label", "&7", "$3",
    "www.example.test", "https://example.test/x", "ftp://example.test", "mailto:a@example.test", "name@example.test",
    ":+1:", "[x](javascript:alert(1))", "![x](y)", "![x][y]", "<img src=x>", "<script>alert(1)</script>", "</details>",
    "`a`b``", "`@a` @b `@c", "|a|b|", "a\\|b", "```" * 100, "~~~", "---", "# x", "- [ ] x", "&lt;b&#65;",
    "&#64;octocat",
    "&amp;&#64;", "-->", "<!-- npu-partition check -->", "*/-->", "<!--<script>", "</script><script>alert(1)</script>",
    "$x^2$", "$`x`$", "~~a~~", "**a**", "/close", "^x^", "\\@a", "\\`", "a\\",
    # Spreadsheets, DOT, JSON, XML, SARIF, TOML.
    "=cmd|'/c calc'!A1", "-2+3", "\t=1", '"];}digraph{x', "\\", "\\N\\G\\l", "}{", "name\\\\", "{0}{{1}",
    '"quoted",', "]]>",
    "\ufffe\uffff", "\u202egnp.exe", "\u2028\u2029</\u2028", "\\u003c\\", "a" * 4000, "\x00\x01\x1b[31m", "\ud800", " ",
    '"""', "'", "a = 1 # b", "$(touch x)", "`touch x`", "; touch x;", "../../x", "-o")] + [b"\xff\xfe\x80", b"a,b\";c"]


def field(number: int, value: bytes | int) -> bytes:
    """A field of protobuf: a number below 2^28, or bytes."""
    def varint(rest: int) -> bytes:
        return bytes([rest]) if rest < 128 else bytes([rest & 127 | 128]) + varint(rest >> 7)

    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(name: bytes, dim: bytes) -> bytes:
    """A ValueInfoProto of float32[1,dim]."""
    dims = field(1, field(1, 1)) + field(1, field(2, dim))
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)))


def hostile_model(name: bytes, folder: str) -> bytes:
    """A model whose nodes, operators, tensors, dims, modules and source are called so."""
    trace = b'File "' + os.fsencode(folder) + b"/" + name.replace(b'"', b"") + b'.py", line 7, in f'
    scopes = b"['', '" + name.replace(b"'", b"") + b"', 'x']"
    meta = b"".join(field(9, field(1, key) + field(2, value)) for key, value in
                    ((b"pkg.torch.onnx.stack_trace", trace), (b"pkg.torch.onnx.name_scopes", scopes)))
    nodes = [(b"Relu", b"", b"x", b"a", b""), (b"Erf", b"", b"a", b"b" + name, meta), (b"My" + name, b"my", b"b" + name,
             b"c", meta), (b"Relu", b"", b"c", b"y", b"")]
    graph = b"".join(field(1, field(1, source) + field(2, result) + field(3, name + str(i).encode()) + field(4, op) +
                           (field(7, domain) if domain else b"") + more)
                     for i, (op, domain, source, result, more) in enumerate(nodes))
    graph += field(2, name) + field(11, tensor(b"x", b"n" + name)) + field(12, tensor(b"y", b"n" + name))
    return field(1, 8) + field(7, graph) + field(8, field(2, 17)) + field(8, field(1, b"my") + field(2, 1))
