# SPDX-License-Identifier: Apache-2.0
"""The JSON of a model as rows of a table: one for each target, and one for a model that cannot be analyzed.

The tables and columns are those of the databases that the tool writes (docs/results.md). `table` makes Parquet of these
rows, and `spark` makes them on many machines.
"""
from __future__ import annotations

import ctypes
import json
from collections.abc import Mapping
from typing import Any, NamedTuple, Union, cast

from . import _errors, _native
from ._arguments import encoded
from ._documents import cut
from ._library import library, read_text, sized

SCHEMA = 2
"""Of the JSON."""


class Column(NamedTuple):
    """A column, and where its value is: names of members and places in lists with / between them, from the document,
    the target, or the element of the target's list. A place that begins with @ is of the row itself."""

    name: str
    type: str
    where: str


def _columns(text: str) -> tuple[Column, ...]:
    return tuple(Column(*line.split()) for line in text.strip().splitlines())


# From include/records.table (make records).
TABLES: dict[str, tuple[Column, ...]] = {
    "models": _columns("""
        path                    TEXT     model/path
        bytes                   INTEGER  model/bytes
        weight_bytes            INTEGER  model/weight_bytes
        nodes                   INTEGER  model/nodes
        ir_version              INTEGER  model/ir_version
        producer                TEXT     model/producer
        opset                   INTEGER  model/opsets/ai.onnx
        is_invalid              BOOLEAN  @invalid
        error_code              TEXT     error/code
        error_place             TEXT     error/place
        error_text              TEXT     error/text
    """),
    "targets": _columns("""
        path                    TEXT     @path
        target                  TEXT     name
        verdict                 TEXT     summary/verdict
        partitioner             TEXT     partitioner
        nodes                   INTEGER  summary/nodes
        folded                  INTEGER  summary/folded
        fused                   INTEGER  summary/fused
        live                    INTEGER  summary/live
        accepted                INTEGER  summary/accepted
        refused                 INTEGER  summary/refused
        failed                  INTEGER  summary/failed
        unknown                 INTEGER  summary/unknown
        partitions              INTEGER  summary/partitions
        partitions_low          INTEGER  summary/partitions_if_unknown/0
        partitions_high         INTEGER  summary/partitions_if_unknown/1
        switches                INTEGER  summary/switches
        coverage                REAL     summary/coverage
        macs                    INTEGER  summary/macs
        macs_on_npu             INTEGER  summary/macs_on_npu
        fits                    BOOLEAN  summary/fits
        mac_coverage            REAL     summary/mac_coverage
        low_ms                  REAL     cost/low_ms
        typical_ms              REAL     cost/typical_ms
        high_ms                 REAL     cost/high_ms
        cpu_ms                  REAL     cost/alternatives/cpu/1
        recommendation          TEXT     cost/recommendation
        weight_bytes_npu        INTEGER  memory/weight_bytes_npu
        activation_peak_bytes   INTEGER  memory/activation_peak_bytes
    """),
    "roots": _columns("""
        path                    TEXT     @path
        target                  TEXT     @target
        root                    INTEGER  @place
        kind                    TEXT     kind
        rule                    TEXT     rule
        op                      TEXT     op
        text                    TEXT     text
        nodes                   INTEGER  nodes
        victims                 INTEGER  victims
    """),
    "advice": _columns("""
        path                    TEXT     @path
        target                  TEXT     @target
        advice                  TEXT     id
        action                  TEXT     action
        text                    TEXT     text
        command                 TEXT     command
        equality                TEXT     equality
        is_fixable              BOOLEAN  fixable
        after_partitions        INTEGER  after/partitions
        after_coverage          REAL     after/coverage
        after_mac_coverage      REAL     after/mac_coverage
        after_verdict           TEXT     after/verdict
        after_typical_ms        REAL     after/cost/typical_ms
    """),
    "advice_roots": _columns("""
        path                    TEXT     @path
        target                  TEXT     @target
        advice                  TEXT     @advice
        root                    INTEGER  @root
    """),
}

_PYTHON_TYPES: dict[str, tuple[type, ...]] = {"TEXT": (str,), "INTEGER": (int,), "REAL": (float, int),
                                              "BOOLEAN": (bool,)}
_KEYS = ("path", "target")  # of roots and advice: those of the row that they stand in
_MODEL = TABLES["models"]
# Both tables have `nodes`, which differ where a target takes a function as a whole.
_TARGET = tuple(column._replace(name="target_nodes") if column.name == "nodes" else column
                for column in TABLES["targets"] if column.name != "path")
_ROOT, _ADVICE = (tuple(column for column in TABLES[name] if column.name not in _KEYS) for name in ("roots", "advice"))

Type = Union[str, dict[str, str]]
ROW: dict[str, Type] = {
    **{column.name: column.type for column in (*_MODEL, *_TARGET)},
    "roots": {column.name: column.type for column in _ROOT},
    "advice": {**{column.name: column.type for column in _ADVICE}, "roots": "INTEGERS"},
}
"""The columns of a row in their order, those of the tables ``models`` and ``targets``. Types are TEXT, INTEGER, REAL,
BOOLEAN, and INTEGERS, a list of them; a dictionary is a list of structs. Any value but ``path`` may be None."""


def rows_of(document: Mapping[str, Any] | str | bytes) -> list[dict[str, Any]]:
    """The rows of a model, in the order of its targets.

    Args:
        document: what `Analysis.to_dict` returns, or a line of the tool's JSON, at any detail.

    Raises:
        MalformedError: it is no such document; the place is that of a value of another type.
    """
    try:
        if not isinstance(document, Mapping):
            document = json.loads(document.decode("utf-8", "replace") if isinstance(document, bytes) else document)
        return _rows(document)
    except _errors.MalformedError:
        raise
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise _errors.MalformedError(f"not a report of npu-partition: {error}") from None


def _rows(document: Any) -> list[dict[str, Any]]:
    if not isinstance(document["model"]["path"], str) or not isinstance(document["targets"], list):
        raise TypeError("model.path is no text, or targets no list")
    is_invalid = any(finding["code"] == "invalid" for finding in document.get("findings") or ())
    model = {column.name: _value(column, document, {"@invalid": is_invalid}) for column in _MODEL}
    targets = document["targets"]
    return [{**model, **_of_target(target, _name(target, targets), f"targets/{at}/")}
            for at, target in enumerate(targets or (None,))]


def _name(target: Mapping[str, Any] | None, targets: Any) -> Any:
    """With the toolchain where another target differs in it alone, as in the tool's databases."""
    if target is None:
        return None
    name, toolchain = target.get("name"), target.get("toolchain")
    if isinstance(name, str) and isinstance(toolchain, str):
        others = [other.get("toolchain") for other in targets if other.get("name") == name]
        if any(isinstance(other, str) and other != toolchain for other in others):
            return f"{name}@{toolchain}"
    return name


def _of_target(target: Mapping[str, Any] | None, name: Any, at: str) -> dict[str, Any]:
    row = {column.name: _value(column, target, {"name": name}, at) for column in _TARGET}
    if target is None:
        return {**row, "roots": None, "advice": None}
    roots = target.get("roots") or ()
    row["roots"] = [{column.name: _value(column, root, {"@place": place}, f"{at}roots/{place}/") for column in _ROOT}
                    for place, root in enumerate(roots)]
    row["advice"] = [{**{column.name: _value(column, action, {}, f"{at}advice/{place}/") for column in _ADVICE},
                      "roots": _roots_of(action, roots)} for place, action in enumerate(target.get("advice") or ())]
    return row


def _roots_of(action: Mapping[str, Any], roots: Any) -> list[int]:
    """The roots that have one of the action's causes."""
    causes = set(action.get("causes") or ())
    return [place for place, root in enumerate(roots) if not causes.isdisjoint(root.get("causes") or ())]


def _at(value: Any, where: str) -> Any:
    """What is there, or None."""
    for name in where.split("/"):
        if isinstance(value, Mapping):
            value = value.get(name)
        elif isinstance(value, list):
            value = value[int(name)]
        else:
            return None
    return value


def _value(column: Column, item: Any, own: Mapping[str, Any], at: str = "") -> Any:
    """A value of the column's type, or None. `at`: where the item stands."""
    value = own[column.where] if column.where in own else _at(item, column.where)
    if value is None:
        return None
    if type(value) not in _PYTHON_TYPES[column.type]:
        raise _errors.MalformedError(f"not a report of npu-partition: expected {column.type}, not "
                                     f"{json.dumps(value):.60}", at + column.where)
    if column.type == "INTEGER" and not -(1 << 63) <= value < 1 << 63:
        raise _errors.MalformedError("not a report of npu-partition: a number of more than 64 bits", at + column.where)
    if column.type == "TEXT":
        return value.encode("utf-8", "replace").decode()  # half a surrogate pair is no text to Arrow
    return float(value) if column.type == "REAL" else value


# ---- failures ---------------------------------------------------------------------------------------------------

_STATUSES: dict[type[BaseException], int] = {
    _errors.ReadError: _native.NPART_ERROR_READ,
    _errors.MalformedError: _native.NPART_ERROR_MALFORMED,
    _errors.LimitError: _native.NPART_ERROR_LIMIT,
    _errors.WriteError: _native.NPART_ERROR_WRITE,
    MemoryError: _native.NPART_ERROR_MEMORY,
    TimeoutError: _native.NPART_ERROR_TIMEOUT,
    OSError: _native.NPART_ERROR_READ,
}


def document_of_error(path: str, error: BaseException, code: str | None = None) -> dict[str, Any]:
    """What stands for a model that cannot be analyzed, as the lines of ``npu-partition scan`` (docs/json.md).

    Args:
        path: the model's.
        error: what was raised.
        code: a word for it, such as ``max-bytes``; None: by the kind of error.
    """
    why = _native.npart_error(message=cut(str(getattr(error, "message", error)), 231),
                              place=cut(getattr(error, "place", ""), 151))
    why.status = next((status for kind, status in _STATUSES.items() if isinstance(error, kind)), _native.NPART_OK)
    subject = sized(_native.npart_subject)
    subject.kind, subject.model, subject.why = _native.NPART_SUBJECT_FAILURE, encoded(path), ctypes.pointer(why)
    subject.code = None if code is None else encoded(code)
    text = read_text(library.npart_report, ctypes.byref(subject), _native.NPART_FORMAT_JSON, None)
    return cast("dict[str, Any]", json.loads(text))
