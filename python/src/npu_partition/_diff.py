# SPDX-License-Identifier: Apache-2.0
"""What changed between two plans: of two versions of a model, or of one on two targets."""
from __future__ import annotations

import ctypes
import dataclasses
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union, get_args, overload

from . import _native
from ._analysis import Analysis, Target
from ._errors import ArgumentError
from ._library import Handle, decoded, initialized, items, library, make, reader_of, sized
from ._report import AnyPrinted, Plan, Printed, look
from ._source import Kept
from .results import CauseChangeState, Change, NodeChangeState, Verdict

Report = Union[Analysis, Mapping[str, Any]]


@dataclasses.dataclass(frozen=True, slots=True)
class FigureChange:
    """A figure that is another."""

    change: Change
    what: str
    """``verdict``, ``partitions``, ``mac-coverage``, ... (docs/diff.md)."""
    text: str
    """"partitions: 1 -> 3"."""
    before: float | None
    """None: not known, or no number."""
    after: float | None


@dataclasses.dataclass(frozen=True, slots=True)
class CauseChange:
    """A cause of either side."""

    change: Change
    state: CauseChangeState
    before: int | None
    """Its id; None where it is not there."""
    after: int | None
    affected_before: int
    affected_after: int
    kind: str
    rule: str
    text: str
    action: str | None
    """What to do about it."""


@dataclasses.dataclass(frozen=True, slots=True)
class NodeChange:
    """A node that is not as it was."""

    change: Change
    state: NodeChangeState
    """``moved``: its verdict is another; ``replaced``: by another operator."""
    before: int | None
    """Its id; None where it is not there."""
    after: int | None
    name: str
    op: str
    graph: str
    place: str
    """Where the model's source makes it: "model.py:41 (encoder.fc1)"."""
    name_before: str
    op_before: str
    index: int
    verdict_before: Verdict
    verdict: Verdict
    cause: int | None
    """Its place in ``Diff.causes``."""


class _Told:
    """What has a report."""

    __slots__ = ()
    _printed: AnyPrinted

    def to_dict(self) -> dict[str, Any]:
        """The tool's JSON (docs/json.md, "Diff") as a dictionary."""
        found: dict[str, Any] = json.loads(self._printed.read(_native.NPART_FORMAT_JSON))
        return found

    def to_markdown(self) -> str:
        """A comment for a pull request."""
        return self._printed.read(_native.NPART_FORMAT_MARKDOWN)

    def to_text(self, *, verbose: bool = False, width: int = 80, color: bool = False, ascii_only: bool = False) -> str:
        """The tool's report. `width` is in columns."""
        return self._printed.read(_native.NPART_FORMAT_TEXT, look(verbose=verbose, width=width, color=color,
                                                                  ascii_only=ascii_only))

    def __str__(self) -> str:
        return self.to_text().removesuffix("\n")


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Diff(_Told):
    """What changed for one target; lists begin with what is worse."""

    change: Change
    """Of all: ``worse`` where anything is."""
    matched: int
    """Nodes of both sides."""
    by_name: int
    """Of these by name alone."""
    altered: int
    """Of these with other attributes, types or constants."""
    removed: int
    added: int
    left: int
    """Nodes of both sides that are not on the NPU any more."""
    came: int
    """Nodes of both sides that are there now."""
    figures: tuple[FigureChange, ...]
    causes: tuple[CauseChange, ...]
    nodes: tuple[NodeChange, ...]
    _printed: AnyPrinted = dataclasses.field(repr=False, compare=False)

    @property
    def is_worse(self) -> bool:
        """Whether anything is worse than before."""
        return self.change == "worse"

    def __repr__(self) -> str:
        return f"<Diff: {_headline(self)}>"


class Diffs(_Told, tuple[Diff, ...]):
    """What changed for each target, in their order; ``str()`` of it is the tool's report of all of them."""

    @staticmethod
    def of(diffs: Iterable[Diff], printed: AnyPrinted) -> Diffs:
        """With what their report is."""
        made = Diffs(diffs)
        made._printed = printed
        return made

    @property
    def is_worse(self) -> bool:
        """Whether anything is worse than before, on any target."""
        return any(item.is_worse for item in self)

    def __repr__(self) -> str:
        return f"<Diffs: {'; '.join(map(_headline, self))}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Diffs.of, (tuple(self), self._printed)


def _headline(found: Diff) -> str:
    first = [figure.text for figure in found.figures[:3]]
    return ", ".join([found.change, *first])


def _printed(handles: Sequence[Handle]) -> Printed:
    def members(handles: Sequence[Handle]) -> dict[str, Any]:
        pointers = (ctypes.c_void_p * len(handles))(*(handle.pointer for handle in handles))
        return {"count": len(handles), "diffs": pointers}

    return Printed(_native.NPART_SUBJECT_DIFFS, (_native.NPART_FORMAT_JSON, _native.NPART_FORMAT_TEXT,
                                                 _native.NPART_FORMAT_MARKDOWN), handles, members)


def _record(plan: Plan) -> Handle:
    return make(library.npart_record_make, library.npart_record_free, plan.plan.pointer,
                plan.advice.pointer if plan.advice else None)


def _word(words: Any, number: int) -> Any:
    """Of one of the sets of `results`, by its number in C."""
    return get_args(words)[number]


def _id(number: int) -> int | None:
    return None if number == _native.NPART_NONE else number


def _figure(item: _native.npart_diff_figure) -> FigureChange:
    known = [None if number < 0 else number for number in (item.before, item.after)]
    return FigureChange(_word(Change, item.change), decoded(item.what), decoded(item.text), known[0], known[1])


def _cause(item: _native.npart_diff_cause) -> CauseChange:
    return CauseChange(_word(Change, item.change), _word(CauseChangeState, item.state), _id(item.before),
                       _id(item.after), item.affected_before, item.affected_after, decoded(item.kind),
                       decoded(item.rule), decoded(item.text), None if item.action is None else decoded(item.action))


def _node(item: _native.npart_diff_node) -> NodeChange:
    return NodeChange(_word(Change, item.change), _word(NodeChangeState, item.state), _id(item.before),
                      _id(item.after), decoded(item.name), decoded(item.op), decoded(item.graph),
                      decoded(item.place), decoded(item.name_before), decoded(item.op_before), item.index,
                      _word(Verdict, item.verdict_before), _word(Verdict, item.verdict), _id(item.cause))


def _compare(before: Any, after: Any, options: _native.npart_diff_options) -> Diff:
    """Two sides; nothing of them is needed afterwards."""
    handle = make(library.npart_diff_make, library.npart_diff_free, before, after, ctypes.byref(options))
    info = sized(_native.npart_diff_info)
    library.npart_diff_info(handle.pointer, ctypes.byref(info))
    return Diff(
        _word(Change, info.change), info.matched, info.by_name, info.altered, info.removed, info.added, info.left,
        info.came,
        tuple(map(_figure, items(handle, library.npart_diff_figure, _native.npart_diff_figure))),
        tuple(map(_cause, items(handle, library.npart_diff_cause, _native.npart_diff_cause))),
        tuple(map(_node, items(handle, library.npart_diff_node, _native.npart_diff_node))), _printed([handle]))


def _sides(item: Analysis | Target | Mapping[str, Any]) -> tuple[list[Any], list[Handle]]:
    """Sides by target, and what keeps them alive."""
    if isinstance(item, Mapping):
        text = json.dumps(item).encode()
        read = make(library.npart_sides_read, library.npart_sides_free, reader_of(text), None, None)
        count = ctypes.c_uint32()
        first = library.npart_sides_all(read.pointer, ctypes.byref(count))
        return [ctypes.pointer(first[at]) for at in range(count.value)], [read]
    source, at = item._source, item._at if isinstance(item, Target) else None
    if isinstance(source, Kept):
        return _sides(source.document("summary", at))
    records = [_record(plan) for plan in (source.plans if at is None else source.plans[at:at + 1])]
    return [library.npart_record_side(record.pointer) for record in records], records


def _tolerance(name: str, share: float) -> float:
    """As the library takes it, where 0 is the default: no two figures differ by as little as what stands for 0."""
    if not share >= 0:  # NaN is not
        raise ArgumentError(f"{name} must be 0 or more, not {share}")
    return share or sys.float_info.min


@overload
def diff(before: Target, after: Target, *, cost_tolerance: float = ..., memory_tolerance: float = ...) -> Diff: ...
@overload
def diff(before: Report, after: Report, *, cost_tolerance: float = ...,
         memory_tolerance: float = ...) -> Diffs: ...
def diff(before: Report | Target, after: Report | Target, *, cost_tolerance: float = 0.1,
         memory_tolerance: float = 0.1) -> Diff | Diffs:
    """Tells what changed. Nodes are recognized by structure, then by name (docs/diff.md).

    Args:
        before: a target of an analysis; or an analysis or a saved report (``to_dict()``, or the tool's JSON), whose
            targets are compared in their order.
        after: the same of the other version of the model, or of the same model on another target.
        cost_tolerance: estimates of time that differ by no more than this share are equal; 0: only the same are.
        memory_tolerance: the same of peaks of memory.

    Returns:
        What changed for the target; of two analyses or reports, one for each target.
    """
    options = initialized(_native.npart_diff_options, _native.NPART_DIFF_OPTIONS_INIT)
    options.cost_tolerance = _tolerance("cost_tolerance", cost_tolerance)
    options.memory_tolerance = _tolerance("memory_tolerance", memory_tolerance)
    if isinstance(before, Target) != isinstance(after, Target):
        raise TypeError("diff compares two targets, or two analyses or reports")
    (old, _old_records), (new, _new_records) = _sides(before), _sides(after)
    if len(old) != len(new):
        raise ArgumentError(f"{len(old)} targets before, {len(new)} after")
    found = [_compare(one, other, options) for one, other in zip(old, new)]
    if isinstance(before, Target):
        return found[0]
    return Diffs.of(found, _printed([handle for item in found for handle in item._printed.handles]))
