# SPDX-License-Identifier: Apache-2.0
"""Plans beside real runs, and costs that are fitted to them: what `npu-partition verify` and `calibrate` tell."""
from __future__ import annotations

import ctypes
import dataclasses
import os
import pathlib
from collections.abc import Sequence
from typing import Any, Union

from . import _native
from ._analysis import Analysis, analyze
from ._errors import ArgumentError
from ._library import Handle, decoded, library, make, read_text, reader_of, sized
from ._report import loads

Path = Union[str, "os.PathLike[str]"]


class Run:
    """What a session, a provider or a vendor's compiler left of a run (docs/real-runs.md)."""

    def __init__(self, path: Path) -> None:
        """Reads a profile, a log, a record, a trace, a report or a table, whichever it is.

        Raises:
            ReadError, MalformedError: as they say.
        """
        self.path = os.fsdecode(path)
        with open(path, "rb") as file:
            def read(_payload: int | None, into: int, size: int) -> int:
                data = file.read(size)
                ctypes.memmove(into, data, len(data))
                return len(data)

            self._handle = make(library.npart_run_read, library.npart_run_free, _native.npart_read_callback(read), None,
                                None, about=self.path)
        info = sized(_native.npart_run_info)
        library.npart_run_info(self._handle.pointer, ctypes.byref(info))
        self.kind = decoded(info.kind)
        """``"profile"``, ``"log"``, ``"record"``, ``"trace"``, or whose output it is: ``"rknn-log"``."""
        self.providers = tuple(decoded(info.providers[i]) for i in range(info.provider_count))
        self.runs = int(info.runs)
        """Of the model, with their time."""
        self.warm_ms = float(info.warm_ms) if self.runs else None
        """A run, of those after the first where there are any."""


@dataclasses.dataclass(frozen=True, slots=True)
class SelfTest:
    """A small model that is whole on a target: where it does not run there, the installation is the cause."""

    model: bytes
    ops: str
    run: str | None
    """A line that runs it; None: none is known."""
    check: str | None
    """A line that tells where it ran."""
    text: str
    """What is printed of it."""
    json: str


def selftest(target: str, path: Path) -> SelfTest | None:
    """What `npu-partition selftest` writes and tells. None: no model of it is whole on the target.

    Args:
        target: as of `analyze`.
        path: where the model will be.
    """
    name = target.split(":")[0].split("@")[0].split("+")[0]
    oplist = make(library.npart_oplist_find, library.npart_oplist_free, name.encode(), None)
    made = make(library.npart_selftest_make, library.npart_selftest_free, oplist.pointer, target.encode(),
                os.fsencode(path), None, None)
    info = sized(_native.npart_selftest_info)
    if not library.npart_selftest_info(made.pointer, ctypes.byref(info)):
        return None
    lines = [None if line is None else decoded(line) for line in (info.run, info.check)]
    told = decoded(read_text(library.npart_selftest_text, made.pointer))
    return SelfTest(ctypes.string_at(info.bytes, info.byte_count), decoded(info.ops), lines[0], lines[1], told,
                    decoded(read_text(library.npart_selftest_json, made.pointer)))


class Verification:
    """A plan beside a run."""

    def __init__(self, analysis: Analysis, run: Run) -> None:
        plan, = analysis._source.live().plans
        self._run = run
        self._names = _native.npart_verification_names(os.fsencode(analysis.model.path), os.fsencode(run.path))
        self._handle = make(library.npart_verification_make, library.npart_verification_free, plan.plan.pointer,
                            run._handle.pointer, about=run.path)
        info = sized(_native.npart_verification_info)
        library.npart_verification_info(self._handle.pointer, ctypes.byref(info))
        self.is_same = bool(info.is_same)
        """No node, and not the number of partitions, is different."""

    def to_dict(self) -> dict[str, Any]:
        """What `verify --format json` prints."""
        found: dict[str, Any] = loads(read_text(library.npart_verification_json, self._handle.pointer,
                                                ctypes.byref(self._names)))
        return found

    def to_text(self, *, verbose: bool = False) -> str:
        """What `verify` prints."""
        return decoded(read_text(library.npart_verification_text, self._handle.pointer, ctypes.byref(self._names),
                                 verbose))

    def cases(self) -> str:
        """The nodes that differ as text cases, whose source is for the user to name."""
        return decoded(read_text(library.npart_verification_cases, self._handle.pointer))

    def __str__(self) -> str:
        return self.to_text()


def verify(model: Any, run: Run | Path, target: str, **options: Any) -> Verification:
    """Holds a plan against what a real run left.

    Args:
        model: as of `analyze`.
        run: what it left, or the path of that.
        target: one target.
        **options: as of `analyze`.

    Raises:
        ArgumentError: the run names nodes, and the model has none of them.
        ReadError, MalformedError: as they say.
    """
    return Verification(analyze(model, [target], **{"advice": False, **options}),
                        run if isinstance(run, Run) else Run(run))


@dataclasses.dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured of a plan: warm runs, in milliseconds."""

    analysis: Analysis
    """Of one target, the same for all measurements."""
    ms: float | None = None
    """A whole run; None: as `run` says."""
    run: Run | None = None
    """A profile, which tells the times of kernels, too."""


class Calibration:
    """Parameters of costs that were fitted to runs."""

    def __init__(self, handle: Handle, target: str) -> None:
        self._handle = handle
        self._names = _native.npart_calibration_names(os.fsencode(target), 0, None)
        info = sized(_native.npart_calibration_info)
        library.npart_calibration_info(handle.pointer, ctypes.byref(info))
        self.is_accepted = bool(info.is_accepted)
        """The error of models that are left out is at most half of what it was."""
        self.costs = None if info.costs is None else decoded(info.costs)
        """Where it is accepted, a cost file: `cost` of `analyze` takes its path."""

    def to_dict(self) -> dict[str, Any]:
        """What `calibrate --format json` prints."""
        found: dict[str, Any] = loads(read_text(library.npart_calibration_json, self._handle.pointer,
                                                ctypes.byref(self._names)))
        return found

    def to_text(self) -> str:
        """What `calibrate` prints."""
        return decoded(read_text(library.npart_calibration_text, self._handle.pointer, ctypes.byref(self._names)))

    def __str__(self) -> str:
        return self.to_text()


def calibrate(measurements: Sequence[Measurement]) -> Calibration:
    """Fits costs to measured runs of plans of one target.

    Raises:
        ArgumentError: none or too many, a time that is none, a plan whose time is not known.
    """
    if not measurements:
        raise ArgumentError("from 1 to 64 measurements are taken")
    rows = (_native.npart_measurement * len(measurements))()
    for row, measurement in zip(rows, measurements, strict=True):
        plan, = measurement.analysis._source.live().plans
        row.plan = plan.plan.pointer
        row.total_ms = measurement.ms or 0
        row.run = None if measurement.run is None else measurement.run._handle.pointer
    handle = make(library.npart_calibration_make, library.npart_calibration_free, rows, len(rows))
    return Calibration(handle, measurements[0].analysis.targets[0].name)


def calibrate_table(path: Path, target: str) -> Calibration:
    """Fits costs to the runs of a table on a target, as `npu-partition calibrate RUNS.csv -t TARGET` does.

    Raises:
        ReadError, MalformedError: as they say.
        ArgumentError: as of `calibrate`, or a row has sizes that its model lacks.
    """
    folder = pathlib.Path(path).parent
    name = target.split(":")[0].split("@")[0].split("+")[0]
    oplist = make(library.npart_oplist_find, library.npart_oplist_free, name.encode(), None)
    asked = _native.npart_run_asked(ctypes.sizeof(_native.npart_run_asked), oplist.pointer, target.encode(), None, None)
    kept: list[tuple[Handle, Handle | None, float]] = []
    for row in read_table(pathlib.Path(path).read_bytes()):
        if row.target not in (None, target):
            continue
        file = os.fsdecode(folder / row.model)
        model = make(library.npart_model_read_file, library.npart_model_free, os.fsencode(file), None, about=file)
        run = _native.npart_measured_run(ctypes.sizeof(_native.npart_measured_run), is_on_cpu=row.is_on_cpu)
        run.runtime, run.dims = (None if text is None else text.encode() for text in (row.runtime, row.dims))
        plan = make(library.npart_run_plan, library.npart_plan_free, model.pointer, ctypes.byref(run),
                    ctypes.byref(asked), None, about=file)
        kept.append((plan, Run(folder / row.profile)._handle if row.profile else None, row.ms or 0))
    rows = (_native.npart_measurement * len(kept))()
    for into, (plan, profile, ms) in zip(rows, kept, strict=True):
        into.plan, into.total_ms, into.run = plan.pointer, ms, None if profile is None else profile.pointer
    return Calibration(make(library.npart_calibration_make, library.npart_calibration_free, rows, len(rows)), target)


def begins_table(beginning: bytes) -> bool:
    """Whether a file is a table of measured runs, by its beginning."""
    return bool(library.npart_run_table_begins(beginning))


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """Of a table of measured runs; None where it says nothing."""

    model: str
    target: str | None
    runtime: str | None
    dims: str | None
    profile: str | None
    is_on_cpu: bool
    ms: float | None


def read_table(data: bytes) -> tuple[Row, ...]:
    """The rows of a table as CSV or JSON (docs/real-runs.md).

    Raises:
        MalformedError: it is none.
    """
    def said(text: bytes | None) -> str | None:
        return None if text is None else decoded(text)

    handle = make(library.npart_run_table_read, library.npart_run_table_free, reader_of(data), None, None)
    rows: list[Row] = []
    row = sized(_native.npart_measured_run)
    while library.npart_run_table_row(handle.pointer, len(rows), ctypes.byref(row)):
        rows.append(Row(decoded(row.model), said(row.target), said(row.runtime), said(row.dims), said(row.profile),
                        bool(row.is_on_cpu), None if row.ms < 0 else float(row.ms)))
    return tuple(rows)
