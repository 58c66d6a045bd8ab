# SPDX-License-Identifier: Apache-2.0
"""The tool's TOML reader beside Python's tomllib: documents that are written at random, then changed at random.

Both must take the same documents and find the same values in them. The differences that are known are few: numbers of
more than 64 bits, which Python has, and the mark at the start of a file that some editors write.

usage: toml.py PROGRAM [COUNT [SEED]]        (PROGRAM: test/checks/toml_values)
"""

import datetime
import json
import random
import subprocess
import sys
import tomllib
from typing import Any

KEYS = ["a", "b", "c", "d-1", "1", '"a"', "'b'", '"x y"', '""', '"\\u00e9"', "é", "a.b", "b . c", "a.b.c", "c.a"]
SCALARS = """
1 +1 -0 007 1_000 1__0 _1 1_ 0x1F 0xf_F 0o17 0b101 0x_1 0X1 +0x1 9223372036854775807 -9223372036854775808 1.5 -0.0
1e5 1E+05 1e-3 1. .5 1.e5 1_0.0_1 1._5 1e_5 1e400 inf -inf +nan nan Inf 01.5 6.626e-34 1e06 0e0 true false True
truely 1979-05-27 1979-05-27T07:32:00Z 1979-05-27t07:32:00.999999-07:30 07:32:00 24:00:00 23:59:60 2023-02-29
2024-02-29 1900-02-29 2000-02-29 0000-01-01 1979-13-01 1979-05-27T07:32 07:32:00.5 07:32:00. 07:32:00.1234567
1979-05-27T00:00:00+24:00 1979-05-27T23:59:59.5+23:59 1979-5-27 1979-05-27T 1979-05-27Z 07:32:00Z "" "a" 'a' '''a'''
'a"b' "a\\"b" "\\b\\t\\n\\f\\r\\\\" "\\u00e9\\U0001F600" "\\ud800" "\\U00110000" "\\x41" "\\e" "\\u12" [] [1] [1,]
[,] [1,,2] [1 2] {} {a=1} {a=1,} {a=1,a=2} {a.b=1,a.c=2} {a={b=1},a.c=2} {a=[{b=1}]} [[1],["a",{}]] [{},{a=1}]
""".split() + [
    "1979-05-27 07:32:00", "1979-05-27 07:32:00.5Z", "1979-05-27  07:32:00", '"""\na\n"""', '"""a\\\n   b"""',
    "'''\n'a'\n'''",
    '"""a""b"""', '"""a"""""', '"""a""""""', "''''a'''''", '"""\\\n\n  """', '"""a\\ b"""', '"a\tb"',
    '"a\nb"', '"\x01"',
    "[ # c\n 1 , # d\n 2\n]", "[\n\n]", "{ a = 1 , b = 2 }", "{\na=1}", "[{a=1}, {b = [\n]}]", '"""\r\na\r\nb"""',
    '"é😀"', "'\x7f'",
    '"""a\\  \n  \t\n b\\\n"""', "{a=1 b=2}", "{a}", "[a]", '"\\', '"""\\', '"', "'", '"""', "1979-05-27 07:32",
    "-1_0", "+0", "-0x1",
    "123456789012345678901234567890", "-9223372036854775809", "0xffffffffffffffff", "0x7fffffffffffffff",
]  # fmt: skip
CHARACTERS = list("ab1_-.=[]{}\"'#,:+\\ \t\n\r")
CHARACTERS += ["\x00", "\x0b", "\x7f", "é", "\u2028", "T", "e", "0", "\r\n", '"""']
PLAIN = ["1", "[]", "{}", '"x"', "{b.c = 1}", "[{}]"]
OTHERS = ["# é comment\t", "", "  ", "#\x01", "[a", "[[a]", "a", "= 1", "a = 1 b = 2", "[a] # c"]
LEAST_TAKEN, LEAST_REJECTED = 0.15, 0.15  # of all documents, so that a comparison is one


def write_document(draw: random.Random) -> str:
    lines = []
    for _ in range(draw.randrange(1, 7)):
        kind = draw.randrange(12)
        key = ".".join(draw.choice(KEYS) for _ in range(draw.choice([1, 1, 2])))
        if kind < 2:
            lines.append(f"[{key}]")
        elif kind < 4:
            lines.append(f"[[{key}]]")
        elif kind == 4:
            lines.append(draw.choice(OTHERS))
        elif kind == 5:
            lines.append(f"{key} = {{ {draw.choice(KEYS)} = {draw.choice(SCALARS)}, {draw.choice(KEYS)} = 1 }}")
        elif kind == 6:
            lines.append(f"{key} = [{draw.choice(SCALARS)}, {draw.choice(SCALARS)}]")
        elif kind == 7:
            lines.append(f"{key}={draw.choice(SCALARS)}")
        else:
            lines.append(f"{key} = {draw.choice([*PLAIN, draw.choice(SCALARS)])}")
    return draw.choice(["\n", "\n", "\r\n"]).join(lines) + draw.choice(["", "\n"])


def change(draw: random.Random, document: str) -> bytes:
    text = list(document)
    for _ in range(draw.choice([0, 0, 0, 1, 2])):
        at = draw.randrange(len(text) + 1)
        if draw.random() < 0.5:
            text.insert(at, draw.choice(CHARACTERS))
        elif at < len(text):
            text[at] = draw.choice(["", draw.choice(CHARACTERS)])
    data = "".join(text).encode()
    if draw.random() < 0.05 and data:
        at = draw.randrange(len(data))
        data = data[:at] + bytes([draw.randrange(256)]) + data[at + 1 :]
    return data


class TooLarge(Exception):
    pass


def as_json(value: Any) -> Any:
    """What the program prints of such a value."""
    if isinstance(value, bool) or isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {"of": {key: as_json(child) for key, child in value.items()}}
    if isinstance(value, list):
        return [as_json(child) for child in value]
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise TooLarge
        return {"": str(value)}
    if isinstance(value, float):
        return {"": "nan" if value != value else value}
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return {"": value.isoformat()}
    if isinstance(value, datetime.datetime):
        return {"": value.isoformat("T", "microseconds")}
    return {"": "T" + value.isoformat("microseconds")}


def floats(answer: Any) -> Any:
    """C's hexadecimal floats as numbers, so that both sides may write them in their own way."""
    if isinstance(answer, list):
        return [floats(child) for child in answer]
    if isinstance(answer, dict) and set(answer) == {""}:
        text = answer[""]
        return {"": float.fromhex(text)} if "0x" in text or "inf" in text else answer
    if isinstance(answer, dict) and set(answer) == {"of"}:
        return {"of": {key: floats(child) for key, child in answer["of"].items()}}
    return answer


def expected(document: bytes) -> Any:
    """None: it is to be rejected."""
    try:
        return as_json(tomllib.loads(document.decode().removeprefix("\ufeff")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, TooLarge, RecursionError):
        return None


def main() -> int:
    program = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    if tomllib.loads("a = 1").get("a") != 1 or expected(b"a = {\n}") is not None:
        print("toml: this Python's tomllib reads a later TOML than 1.0: not compared", file=sys.stderr)
        return 0
    documents = [f"a = {scalar}\n".encode() for scalar in SCALARS]
    documents += [change(draw, write_document(draw)) for _ in range(count)]
    sent = b"".join(b"%d\n%s" % (len(document), document) for document in documents)
    ran = subprocess.run([program], input=sent, capture_output=True, check=True)
    lines = ran.stdout.split(b"\n")[:-1]
    taken = failed = 0
    for document, line in zip(documents, lines, strict=True):
        wanted, found = expected(document), json.loads(line)
        is_rejected = isinstance(found, dict) and "problem" in found
        taken += not is_rejected
        if (None if is_rejected else floats(found)) != wanted:
            failed += 1
            if failed <= 10:
                print(f"toml: {document!r}\n  tomllib {wanted}\n  ours    {found}", file=sys.stderr)
    rejected = len(documents) - taken
    print(f"toml: {len(documents)} documents, {taken} taken, {rejected} rejected, {failed} differ from tomllib")
    is_lopsided = taken < LEAST_TAKEN * len(documents) or rejected < LEAST_REJECTED * len(documents)
    return 1 if failed or is_lopsided else 0


sys.exit(main())
