# SPDX-License-Identifier: Apache-2.0
"""Lines of the tool's JSON as a Parquet file: a row for each model and target.

    npu-partition scan models --target hexagon --output results.jsonl
    python -m npu_partition.parquet results.jsonl --output results.parquet

Memory does not grow with the number of lines. Needs pyarrow: ``pip install npu-partition[parquet]``.
"""
from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO

from ._native import VERSION
from .rows import ROW, SCHEMA, Type, rows_of

ROWS_PER_GROUP = 4096
"""How many rows are in memory, and in a row group of the file."""


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise ImportError("Parquet needs pyarrow: pip install npu-partition[parquet]") from None
    return pyarrow


def schema() -> Any:
    """The columns of `rows.ROW` as a ``pyarrow.Schema``, with the tool's version in the metadata."""
    arrow = _arrow()
    simple = {"TEXT": arrow.string(), "INTEGER": arrow.int64(), "REAL": arrow.float64(), "BOOLEAN": arrow.bool_(),
              "INTEGERS": arrow.list_(arrow.int64())}

    def typed(kind: Type) -> Any:
        if isinstance(kind, str):
            return simple[kind]
        return arrow.list_(arrow.struct([(name, typed(member)) for name, member in kind.items()]))

    metadata = {"npu-partition.version": VERSION, "npu-partition.schema": str(SCHEMA)}
    return arrow.schema([arrow.field(name, typed(kind), nullable=name != "path") for name, kind in ROW.items()],
                        metadata)


def write(rows: Iterable[dict[str, Any]], path: str | os.PathLike[str]) -> int:
    """Writes rows to a Parquet file, which is put in place when it is complete. Returns how many there were."""
    arrow = _arrow()
    import pyarrow.parquet

    columns, count, new = schema(), 0, f"{os.fspath(path)}.new"
    try:
        with pyarrow.parquet.ParquetWriter(new, columns, compression="zstd") as writer:
            for group in _groups(rows):
                writer.write_table(arrow.Table.from_pylist(group, schema=columns))
                count += len(group)
        os.replace(new, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(new)
        raise
    return count


def _groups(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    group: list[dict[str, Any]] = []
    for row in rows:
        group.append(row)
        if len(group) == ROWS_PER_GROUP:
            yield group
            group = []
    if group:
        yield group


def read_lines(file: BinaryIO, name: str) -> Iterator[dict[str, Any]]:
    """The rows of a file with a report a line. A line that is none is a ValueError that says where it stands."""
    for number, line in enumerate(file, 1):
        if line.isspace():
            continue
        try:
            yield from rows_of(line)
        except ValueError as error:
            raise ValueError(f"{name}:{number}: {error}") from None


def _read_all(paths: Sequence[str]) -> Iterator[dict[str, Any]]:
    for path in paths:
        if path == "-":
            yield from read_lines(sys.stdin.buffer, "standard input")
        else:
            with open(path, "rb") as file:
                yield from read_lines(file, path)


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m npu_partition.parquet``. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m npu_partition.parquet",
                                     description="Lines of npu-partition's JSON as a Parquet file.")
    parser.add_argument("lines", nargs="+", metavar="LINES", help="a file with a report a line; -: standard input")
    parser.add_argument("--output", "-o", required=True, metavar="FILE", help="the Parquet file")
    given = parser.parse_args(arguments)
    try:
        write(_read_all(given.lines), given.output)
    except (OSError, ValueError, ImportError) as error:
        print(f"npu_partition.parquet: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
