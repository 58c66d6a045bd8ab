# SPDX-License-Identifier: Apache-2.0
"""Nodes, causes and partitions as pandas tables. Their types are nullable, and pandas.NA is what stands for "none" and
"not known" in all of them."""
from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, Union

from . import results
from ._errors import ArgumentError

if TYPE_CHECKING:
    import pandas

    from ._analysis import Target

Table = Literal["nodes", "causes", "partitions"]
DTYPES = {int: "Int64", float: "Float64", bool: "boolean", str: "string"}
LEFT_OUT = ("reasons", "work", "at")  # what is in them has columns of its own
ADDED: dict[str, Any] = {"reason": str, "macs": int, "file": str, "line": int, "module": str}


def _kind(hint: Any) -> Any:
    """The type of a column: without None, that of a Literal's words; tuple where it is a list."""
    if typing.get_origin(hint) in (Union, types.UnionType):
        hint = next(part for part in typing.get_args(hint) if part is not type(None))
    if typing.get_origin(hint) is typing.Literal:
        return str
    return typing.get_origin(hint) or hint


def columns() -> dict[str, Any]:
    """The columns of a node and their types."""
    hints = typing.get_type_hints(results.Node)
    own = {item.name: _kind(hints[item.name]) for item in dataclasses.fields(results.Node)
           if item.name not in LEFT_OUT and item.name not in ADDED}
    return {"target": str, **own, **ADDED}


def _row(target: str, node: results.Node) -> dict[str, Any]:
    macs = node.work.macs if node.work else None
    return {"target": target, **{item.name: getattr(node, item.name) for item in dataclasses.fields(node)},
            "reason": "; ".join(reason.text for reason in node.reasons) or None,
            "macs": macs if isinstance(macs, int) else None,  # an expression is no number
            "file": node.at.file, "line": node.at.line, "module": node.at.module}


def _nodes(targets: Iterable[Target]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    return columns(), [_row(target.name, node) for target in targets for node in target.nodes]


def _items(kind: Any, name: str, targets: Iterable[Target]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Columns and rows of a list that every target has, such as ``causes``: a column a field."""
    hints = typing.get_type_hints(kind)
    fields = {item.name: _kind(hints[item.name]) for item in dataclasses.fields(kind)}
    return {"target": str, **fields}, [{"target": target.name, **{field: getattr(item, field) for field in fields}}
                                       for target in targets for item in getattr(target, name)]


def frame_of(targets: Iterable[Target], of: Table = "nodes") -> pandas.DataFrame:
    """A row for each target and each of its nodes, causes or partitions.

    Raises:
        ArgumentError: there is no such table.
    """
    if of not in typing.get_args(Table):
        raise ArgumentError(f"a table is of {', '.join(typing.get_args(Table))}, not of {of!r}")
    try:
        import pandas
    except ImportError:
        raise ImportError("to_dataframe() needs pandas: pip install pandas") from None
    kinds, rows = _nodes(targets) if of == "nodes" else _items(
        results.Cause if of == "causes" else results.Partition, of, targets)
    return pandas.DataFrame({
        name: pandas.array([row[name] for row in rows], dtype=DTYPES[kind]) if kind in DTYPES
        else pandas.Series([row[name] for row in rows], dtype=object) for name, kind in kinds.items()})
