# SPDX-License-Identifier: Apache-2.0
"""Reports of the library, and what is left of them when they are pickled."""
from __future__ import annotations

import ctypes
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, NoReturn, Union

from . import _native
from ._arguments import encoded
from ._errors import ArgumentError
from ._library import Handle, initialized, library, read_text

Detail = Literal["nodes", "causes", "summary", "tensors"]
DETAILS = {"nodes": _native.NPART_DETAIL_NODES, "causes": _native.NPART_DETAIL_CAUSES,
           "summary": _native.NPART_DETAIL_SUMMARY, "tensors": _native.NPART_DETAIL_TENSORS}


class Plan(NamedTuple):
    """What the library has for one target."""

    plan: Handle
    fixed: Handle | None
    advice: Handle | None


def pairs_of(plans: Sequence[Plan]) -> Any:
    """As npart_subject takes them."""
    pairs = (_native.npart_plan_pair * len(plans))()
    for pair, plan in zip(pairs, plans):
        pair.plan = plan.plan.pointer
        pair.fixed = plan.fixed.pointer if plan.fixed else None
        pair.advice = plan.advice.pointer if plan.advice else None
    return pairs


def read_report(kind: int, form: int, options: Any = None, **members: Any) -> bytes:
    """A report, all of it; `members` are those of npart_subject that the kind asks for."""
    subject = _native.npart_subject(size=ctypes.sizeof(_native.npart_subject), kind=kind)
    for name, value in members.items():
        setattr(subject, name, value)
    return read_text(library.npart_report, ctypes.byref(subject), form, options and ctypes.byref(options))


def report_options(**members: Any) -> Any:
    """How a report looks: members of npart_report_options."""
    options = initialized(_native.npart_report_options, _native.NPART_REPORT_OPTIONS_INIT)
    for name, value in members.items():
        setattr(options, name, value)
    return options


def json_of(plans: Sequence[Plan], detail: Detail) -> bytes:
    """The tool's JSON, a line."""
    return read_report(_native.NPART_SUBJECT_PLANS, _native.NPART_FORMAT_JSON, report_options(detail=DETAILS[detail]),
                       plans=pairs_of(plans), count=len(plans))


def text_of(plans: Sequence[Plan], look: Mapping[str, Any]) -> str:
    """The tool's report; `look` are members of npart_report_options."""
    return read_report(_native.NPART_SUBJECT_PLANS, _native.NPART_FORMAT_TEXT, report_options(**look),
                       plans=pairs_of(plans), count=len(plans)).decode("utf-8", "replace")


def explanation_of(plans: Sequence[Plan], node: str | int) -> str:
    """Every rule that speaks of a node."""
    return read_report(_native.NPART_SUBJECT_NODE, _native.NPART_FORMAT_TEXT, plans=pairs_of(plans), count=len(plans),
                       node=encoded(str(node))).decode("utf-8", "replace").removesuffix("\n")


def shapes_of(inference: Any) -> dict[str, Any]:
    """Types and shapes as JSON has them."""
    found: dict[str, Any] = loads(read_report(_native.NPART_SUBJECT_SHAPES, _native.NPART_FORMAT_JSON,
                                              inference=inference))
    return found


def loads(text: bytes) -> Any:
    """What a report in JSON says."""
    return json.loads(text.decode("utf-8", "replace"))


def look(*, verbose: bool, width: int, color: bool, ascii_only: bool) -> dict[str, Any]:
    """How a text looks; empty: as it does by default."""
    asked = {"is_verbose": verbose, "width": width, "use_color": color, "use_ascii": ascii_only}
    return {} if asked == {"is_verbose": False, "width": 80, "use_color": False, "use_ascii": False} else asked


# ---- reports of a handle ------------------------------------------------------------------------------------------


class Printed:
    """The reports of a handle. Pickled, it is what they say in each of its forms by default."""

    def __init__(self, kind: int, forms: Sequence[int], handles: Sequence[Handle],
                 members: Callable[[Sequence[Handle]], Mapping[str, Any]]) -> None:
        self._kind, self._forms, self._members = kind, tuple(forms), members
        self.handles = tuple(handles)

    def read(self, form: int, asked: Mapping[str, Any] = {}) -> str:
        """A report; `asked` are members of npart_report_options."""
        return read_report(self._kind, form, report_options(**asked) if asked else None,
                           **self._members(self.handles)).decode("utf-8", "replace")

    def __reduce__(self) -> tuple[Any, ...]:
        return Unpickled, ({form: packed(self.read(form).encode()) for form in self._forms},)


class Unpickled:
    """The same once it was pickled."""

    def __init__(self, texts: Mapping[int, bytes]) -> None:
        self._texts = texts

    def read(self, form: int, asked: Mapping[str, Any] = {}) -> str:
        """A report as it was when it was pickled."""
        if asked:
            raise ArgumentError("what was pickled has its report as it looks by default, and in no other way")
        return unpacked(self._texts[form]).decode()

    @property
    def handles(self) -> NoReturn:
        """There are none."""
        raise ArgumentError("what was pickled tells its results, and cannot be written or added to a page")

    def __reduce__(self) -> tuple[Any, ...]:
        return Unpickled, (self._texts,)


AnyPrinted = Union[Printed, Unpickled]


def packed(text: bytes) -> bytes:
    """For a pickle. Reports repeat themselves: a tenth of the bytes go to another process."""
    return zlib.compress(text, 1)


def unpacked(data: bytes) -> bytes:
    """What was packed."""
    return zlib.decompress(data)
