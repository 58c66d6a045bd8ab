# SPDX-License-Identifier: Apache-2.0
"""Reports in the formats of code hosts: one document over one model or many."""
from __future__ import annotations

import codecs
import ctypes
import dataclasses
import io
import os
import types
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol, get_args

from . import _native
from ._arguments import encoded
from ._errors import ArgumentError, NpuPartitionError
from ._library import Handle, call, initialized, library, make
from ._report import DETAILS, Detail, pairs_of
from .results import Format

if TYPE_CHECKING:
    from ._analysis import Analysis
    from ._diff import Diff
    from ._fix import Fix

# By their words, in the order of enum npart_format; of text and JSON there are no documents.
FORMATS = {word: value for value, word in enumerate(get_args(Format)) if value > _native.NPART_FORMAT_JSON}


class Writes(Protocol):
    """An open text file, or what is like one."""

    def write(self, text: str, /) -> object:
        """Takes a piece of text."""


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """What a threshold of yours says of a model on a target."""

    threshold: str
    """A stable name: ``max-partitions``."""
    text: str
    """A sentence: "13 partitions, threshold: at most 1"."""
    is_met: bool
    target: int | None = None
    """Its place in ``Analysis.targets``; None: it is about the model."""
    waiver: str | None = None
    """Why it is accepted though it is not met."""


class Document:
    """One document over many models, written as they come (docs/formats.md).

        with open("report.sarif", "w") as file, npu_partition.Document("sarif", file) as document:
            for analysis in npu_partition.analyze_all(models, "hexagon"):
                document.add(analysis)

    Args:
        format: any but ``"text"`` and ``"json"``; ``"model-explorer"`` takes one model on one target.
        file: an open text file, or what has ``write``.
        detail: of CSV: a row for each ``"nodes"``, ``"causes"`` or, by default, plan; of pictures ``"nodes"``: every
            box; of HTML: what its reports hold, as of `Analysis.to_json`, by default all that a page draws.
        root: paths in this folder are told relative to it.
    """

    def __init__(self, format: Format, file: Writes, *, detail: Detail | None = None,
                 root: str | os.PathLike[str] | None = None) -> None:
        detail = detail or ("tensors" if format == "html" else "summary")
        if format not in FORMATS or detail not in DETAILS:
            raise ArgumentError(f"format must be one of {', '.join(FORMATS)}, detail one of {', '.join(DETAILS)}")
        options = initialized(_native.npart_document_options, _native.NPART_DOCUMENT_OPTIONS_INIT)
        options.detail = DETAILS[detail]
        options.root = None if root is None else os.fsencode(os.path.abspath(root))
        self._failures: list[BaseException] = []
        self._callback = _native.npart_write_callback(self._writer(file))
        self._document: Handle | None = None
        self._document = self._told(lambda: make(
            library.npart_document_start, library.npart_document_free, FORMATS[format], ctypes.byref(options),
            self._callback, None))

    def _writer(self, file: Writes) -> Callable[[int | None, int, int], bool]:
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        failures = self._failures

        def write(_payload: int | None, text: int, size: int) -> bool:
            try:
                file.write(decode(ctypes.string_at(text, size)))
                return True
            except BaseException as error:  # carried past the library, and raised again
                failures.append(error)
                return False

        return write

    def _told(self, run: Callable[[], Handle | None]) -> Handle | None:
        try:
            return run()
        except NpuPartitionError:
            if self._failures:
                raise self._failures.pop() from None
            raise

    def _entry(self, entry: _native.npart_entry) -> None:
        if self._document is None:
            raise ValueError("the document is closed")
        pointer = self._document.pointer
        self._told(lambda: call(library.npart_document_add, pointer, ctypes.byref(entry)))

    def add(self, analysis: Analysis, outcomes: Iterable[Outcome] = (), *, path: str | None = None) -> None:
        """Tells of a model. `path`: what it is called there; None: as in its reports."""
        plans = pairs_of(analysis._source.live().plans)
        items = list(outcomes)
        told = (_native.npart_threshold_outcome * len(items))()
        for struct, item in zip(told, items):
            struct.size = ctypes.sizeof(struct)
            struct.plan = _native.NPART_NONE if item.target is None else item.target
            struct.is_met, struct.threshold, struct.text = item.is_met, encoded(item.threshold), encoded(item.text)
            struct.waiver = None if item.waiver is None else encoded(item.waiver)
        entry = initialized(_native.npart_entry, _native.NPART_ENTRY_INIT)
        entry.path = os.fsencode(analysis.model.path if path is None else path)
        entry.plans, entry.plan_count = plans, len(plans)
        entry.outcomes, entry.outcome_count = told, len(items)
        self._entry(entry)

    def add_error(self, path: str | os.PathLike[str], error: NpuPartitionError) -> None:
        """Tells of a model that cannot be analyzed."""
        struct = _native.npart_error(_native.NPART_ERROR_MALFORMED)
        struct.message = cut(error.message, 231)
        struct.place = cut(error.place, 151)
        entry = initialized(_native.npart_entry, _native.NPART_ENTRY_INIT)
        entry.path, entry.error = os.fsencode(path), ctypes.pointer(struct)
        self._entry(entry)

    def add_diff(self, *diffs: Diff) -> None:
        """Tells what changed between the two reports that were added last, by target. Of HTML alone."""
        handles = (ctypes.c_void_p * len(diffs))(*(handle.pointer for diff in diffs
                                                  for handle in diff._printed.handles))
        self._page(library.npart_document_add_diff, handles, len(diffs))

    def add_fix(self, fix: Fix) -> None:
        """Tells by which steps the last report that was added comes from the one before it. Of HTML alone."""
        handle, = fix._printed.handles
        self._page(library.npart_document_add_fix, handle.pointer, fix._written)

    def add_report(self, report: str | bytes) -> None:
        """Puts in a report that was saved: what `Analysis.to_json` returned. Of HTML alone."""
        rest = io.BytesIO(report.encode("utf-8", "surrogatepass") if isinstance(report, str) else report)

        def read(_payload: int | None, into: int, size: int) -> int:
            piece = rest.read(size)
            ctypes.memmove(into, piece, len(piece))
            return len(piece)

        self._page(library.npart_document_add_report, _native.npart_read_callback(read), None)

    def _page(self, add: Any, *arguments: Any) -> None:
        if self._document is None:
            raise ValueError("the document is closed")
        pointer = self._document.pointer
        self._told(lambda: call(add, pointer, *arguments))

    def close(self) -> None:
        """Writes what is left. The file stays open."""
        document, self._document = self._document, None
        if document is not None:
            pointer = document.pointer
            self._told(lambda: call(library.npart_document_end, pointer))

    def __enter__(self) -> Document:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: types.TracebackType | None) -> None:
        if kind is None:
            self.close()
        self._document = None


def cut(text: str, most: int) -> bytes:
    """The text in so many bytes, not within a character."""
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore").encode()
