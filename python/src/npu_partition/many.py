# SPDX-License-Identifier: Apache-2.0
"""What reports of many models say together: the table that `npu-partition scan` ends with."""
from __future__ import annotations

import ctypes
import dataclasses
import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _native
from ._analysis import Analysis
from ._arguments import encoded
from ._library import call, decoded, initialized, items, library, make, read_text, reader_of, sized
from ._report import report_options


def overview(analyses: Iterable[Analysis], *, color: bool = False) -> str:
    """A table over models and targets, a line each with what to do first: what ``--summary`` prints."""
    table = make(library.npart_overview_make, library.npart_overview_free, None)
    for analysis in analyses:
        for target, plan in zip(analysis.targets, analysis._source.live().plans, strict=True):
            call(library.npart_overview_add, table.pointer, analysis.model.path.encode(), target.name.encode(),
                 plan.plan.pointer, plan.advice.pointer if plan.advice else None)
    look = report_options(use_color=color)
    return decoded(read_text(library.npart_overview_text, table.pointer, ctypes.byref(look)))


@dataclasses.dataclass(frozen=True, slots=True)
class ModelFile:
    """A model that `find_models` has found."""

    path: str
    code: str | None
    """Why it, or a folder, cannot be looked at: ``read`` or ``limit``."""
    problem: str | None
    """... as a sentence."""


def find_models(arguments: Iterable[str | os.PathLike[str]], *, own: str | os.PathLike[str] | None = None,
                tell: Callable[[str, str], None] | None = None) -> list[ModelFile]:
    """The models that folders, patterns and paths stand for, in the order in which ``npu-partition scan`` takes them.

    Args:
        own: a file that is none of them, by whatever name: where results go.
        tell: is told what is strange of an argument or path.
    """
    texts = [encoded(os.fspath(argument)) for argument in arguments]
    options = initialized(_native.npart_files_options, _native.NPART_FILES_OPTIONS_INIT)
    options.own = None if own is None else encoded(os.fspath(own))
    if tell:
        def told(_payload: int | None, about: int, text: int) -> None:
            tell(decoded(ctypes.string_at(about)), decoded(ctypes.string_at(text)))

        options.tell = _native.npart_files_options_tell(told)
    files = make(library.npart_files_find, library.npart_files_free, (ctypes.c_char_p * len(texts))(*texts), len(texts),
                 ctypes.byref(options))
    return [ModelFile(decoded(item.path), item.code and decoded(item.code), item.problem and decoded(item.problem))
            for item in items(files, library.npart_files_file, _native.npart_file)]


class Sums:
    """Counts reports of models, in any order."""

    def __init__(self) -> None:
        self._handle = make(library.npart_many_make, library.npart_many_free, None)

    def add(self, report: str | bytes | Mapping[str, Any]) -> None:
        """Counts a model: its report as JSON, or as `Analysis.to_dict` has it; or a line of `scan`.

        Raises:
            MalformedError: it is no JSON.
        """
        text = json.dumps(report) if isinstance(report, Mapping) else report
        data = text.encode() if isinstance(text, str) else text
        call(library.npart_many_add, self._handle.pointer, data, len(data))

    def resume(self, path: str | os.PathLike[str], options: str | None = None) -> list[str]:
        """Counts the lines of an earlier scan, and gives the models that they are of.

        Args:
            options: by which they must have been made, as `last` has them; None: any.

        Raises:
            MalformedError: a line is of no scan, of another version or of other options; its place is the number.
        """
        paths: list[str] = []

        def found(_payload: int | None, text: int) -> None:
            paths.append(decoded(ctypes.string_at(text)))

        how = initialized(_native.npart_resume_options, _native.NPART_RESUME_OPTIONS_INIT)
        how.options = None if options is None else options.encode()
        how.found = _native.npart_resume_options_found(found)
        with open(path, "rb") as file:
            call(library.npart_many_resume, self._handle.pointer, reader_of(file.read()), None, ctypes.byref(how), None,
                 about=os.fspath(path))
        return paths

    def totals(self, seconds: float, earlier: int = 0) -> str:
        """How many models there are, `earlier` of them of earlier scans, how fast they were, and which failed."""
        return decoded(read_text(library.npart_many_totals, self._handle.pointer, earlier, ctypes.c_double(seconds)))

    @property
    def last(self) -> dict[str, str | None]:
        """What the report that was counted last says of itself: path, version, options, error; {} before the first."""
        line = sized(_native.npart_many_line)
        if not library.npart_many_line(self._handle.pointer, ctypes.byref(line)):
            return {}
        names = ("path", "version", "options", "error")
        return {name: None if getattr(line, name) is None else decoded(getattr(line, name)) for name in names}

    @property
    def models(self) -> int:
        """How many were counted."""
        info = sized(_native.npart_many_info)
        library.npart_many_info(self._handle.pointer, ctypes.byref(info))
        return int(info.models)

    @property
    def failures(self) -> dict[str, int]:
        """Why models could not be analyzed, and how many."""
        return {decoded(item.code): int(item.models)
                for item in items(self._handle, library.npart_many_failure, _native.npart_many_failure)}

    def to_text(self, *, width: int = 0, color: bool = False) -> str:
        """The table: models by verdict, then for each target the causes that keep models from being whole."""
        look = report_options(width=width, use_color=color)
        return decoded(read_text(library.npart_many_text, self._handle.pointer, ctypes.byref(look)))

    def __str__(self) -> str:
        return self.to_text()


def spread(jobs: int, make: Callable[[int], bytes], *, workers: int = 0, in_order: bool = True) -> list[bytes]:
    """What each of so many jobs makes, by the library's threads, as ``npu-partition scan`` does it.

    Args:
        make: is called with 0, 1, ... in any thread.
        workers: threads; 0: one for each processor.
        in_order: of the jobs; False: as they are finished.

    Raises:
        Exception: what `make` has raised first; no more jobs are begun then.
    """
    made: dict[int, bytes] = {}
    taken: list[bytes] = []
    failed: list[Exception] = []

    def make_one(_payload: int | None, job: int, _worker: int, out: Any) -> None:
        try:
            made[job] = make(job)
            out.contents.text, out.contents.bytes = job + 1, len(made[job])
        except Exception as error:
            failed.append(error)

    def take(_payload: int | None, line: Any) -> bool:
        if line and not failed:
            taken.append(made.pop(line.contents.text - 1))
        return not failed

    options = initialized(_native.npart_spread_options, _native.NPART_SPREAD_OPTIONS_INIT)
    options.workers, options.is_unordered = workers, not in_order
    options.make, options.take = _native.npart_spread_options_make(make_one), _native.npart_spread_options_take(take)
    call(library.npart_spread, jobs, ctypes.byref(options))
    if failed:
        raise failed[0]
    return taken
