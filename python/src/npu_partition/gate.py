# SPDX-License-Identifier: Apache-2.0
"""What a merge is held to: thresholds on plans, as `npu-partition check` and the options of the tool have them."""
from __future__ import annotations

import ctypes
import dataclasses
import os
import pathlib
from collections.abc import Iterable, Mapping
from typing import Any, Union

from . import _native
from ._analysis import Analysis
from ._errors import ArgumentError, MalformedError
from ._library import call, decoded, library, make, sized

Path = Union[str, "os.PathLike[str]"]

CONDITIONS = tuple(decoded(library.npart_condition_text(i)) for i in range(_native.NPART_CONDITIONS))
"""What a plan may fail for: ``"none"``, ``"split"``, ..."""


def _bounds() -> dict[str, int]:
    info = _native.npart_bound_info()
    info.size = ctypes.sizeof(info)
    found = {}
    for bound in range(_native.NPART_BOUNDS):
        library.npart_bound_info(bound, ctypes.byref(info))
        found[decoded(info.threshold)] = bound
    return found


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """What one threshold says of a plan."""

    target: str | None
    """None: it is about the model, whatever the target."""
    threshold: str
    is_met: bool
    text: str


def outcomes(analysis: Analysis, *, max_partitions: int | None = None, min_coverage: float | None = None,
             min_mac_coverage: float | None = None, bounds: Mapping[str, float] | None = None,
             allow_none: bool = False, fail_on: Iterable[str] = ()) -> tuple[Outcome, ...]:
    """Holds all plans of an analysis to thresholds.

    Args:
        analysis: what is held to them.
        max_partitions, min_coverage, min_mac_coverage, allow_none: as the tool's options.
        bounds: by the name of a threshold, such as ``"max-ms"``.
        fail_on: some of `CONDITIONS`. ``"fail"`` includes ``"invalid"``.
    """
    asked = _native.npart_thresholds(version=1)
    asked.max_partitions = -1 if max_partitions is None else max_partitions
    asked.min_coverage = -1 if min_coverage is None else min_coverage
    asked.min_mac_coverage = -1 if min_mac_coverage is None else min_mac_coverage
    asked.allows_none = allow_none
    names = _bounds()
    asked.bounds[:] = [-1] * _native.NPART_BOUNDS
    for name, value in (bounds or {}).items():
        if name not in names:
            raise ArgumentError(f"there is no threshold {name}; there is {', '.join(names)}")
        asked.bounds[names[name]] = value
    for word in fail_on:
        if word not in CONDITIONS:
            raise ArgumentError(f"there is no condition {word}; there is {', '.join(CONDITIONS)}")
        asked.fails_on[CONDITIONS.index(word)] = True
    asked.fails_on[CONDITIONS.index("invalid")] |= asked.fails_on[CONDITIONS.index("fail")]
    room = (_native.npart_gate_outcome * _native.NPART_MOST_OUTCOMES)()
    live = analysis._source.live()
    found: list[Outcome] = []

    def take(target: str | None, count: int) -> None:
        found.extend(Outcome(target, decoded(at.threshold), bool(at.is_met), decoded(at.text)) for at in room[:count])

    take(None, library.npart_inference_outcomes(live._inference.pointer, ctypes.byref(asked), room, len(room)))
    for target, plan in zip(analysis.targets, live.plans, strict=True):
        take(target.name, library.npart_plan_outcomes(plan.plan.pointer, ctypes.byref(asked), room, len(room)))
    return tuple(found)


@dataclasses.dataclass(frozen=True, slots=True)
class Compared:
    """A plan beside a baseline."""

    target: str
    is_known: bool
    """The baseline has the model and target."""
    is_worse: bool
    text: str
    changed: str
    """Of it the first node that is worse; "" where none is."""
    figures: str


class Baseline:
    """What models were: a baseline of `check --update-baseline`, or saved reports."""

    def __init__(self, path: Path) -> None:
        """Reads the file, and of a baseline the cache beside it.

        Raises:
            ReadError, MalformedError: as they say.
        """
        options = _native.npart_sides_options(version=1)
        data = pathlib.Path(path).read_bytes()
        beside = pathlib.Path(os.fsdecode(path) + ".cache")
        cache = _reader(beside.read_bytes()) if beside.is_file() else None
        if cache is not None:
            options.read_cache = cache
        options.cache_problem = b"is missing"
        self._handle = make(library.npart_sides_read, library.npart_sides_free, _reader(data), None,
                            ctypes.byref(options), about=os.fspath(path))
        self.note = decoded(library.npart_sides_note(self._handle.pointer))
        """What is to be told of the cache; "" where there is nothing."""

    @property
    def models(self) -> tuple[str, ...]:
        """The models that it has, each once."""
        count = ctypes.c_uint32()
        sides = library.npart_sides_all(self._handle.pointer, ctypes.byref(count))
        return tuple(dict.fromkeys(decoded(sides[i].model) for i in range(count.value)))

    def compare(self, analysis: Analysis, model: str) -> tuple[Compared, ...]:
        """Holds each plan of an analysis against what it was. `model`: its path, as the baseline has it."""
        found = []
        for target, plan in zip(analysis.targets, analysis._source.live().plans, strict=True):
            record = make(library.npart_record_make, library.npart_record_free, plan.plan.pointer, None)
            side = library.npart_record_side(record.pointer)
            before = library.npart_sides_find(self._handle.pointer, model.encode(), side.contents.target,
                                              side.contents.toolchain, None)
            compared = sized(_native.npart_compared)
            if before:
                call(library.npart_sides_compare, self._handle.pointer, before, side, ctypes.byref(compared))
            found.append(Compared(target.name, bool(before), bool(compared.is_worse), decoded(compared.text),
                                  decoded(compared.changed), decoded(compared.figures)))
        return tuple(found)


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """What a project file says of a model."""

    targets: tuple[str, ...]
    dims: dict[str, int]
    """Limits such as ``"..512"`` are left out."""
    inputs: dict[str, tuple[int, ...]]
    max_partitions: int | None
    min_coverage: float | None
    min_mac_coverage: float | None
    fail_on: tuple[str, ...]


class Project:
    """A project file, npu-partition.toml (docs/project-file.md)."""

    def __init__(self, path: Path) -> None:
        """Reads the file.

        Raises:
            MalformedError: it has mistakes; `mistakes` of the error's text are a line each.
        """
        mistakes: list[str] = []

        def tell(_payload: int | None, line: int, column: int, text: int) -> None:
            mistakes.append(f"{line}:{column}: {decoded(ctypes.string_at(text))}")

        data = pathlib.Path(path).read_bytes()
        try:
            self._handle = make(library.npart_project_read, library.npart_project_free, data, len(data),
                                _native.npart_project_callback(tell), None, None, about=os.fspath(path))
        except MalformedError as error:
            raise MalformedError("\n".join(mistakes), "", os.fsdecode(path)) from error

    def settings(self, model: str | None = None, target: str | None = None) -> Settings:
        """What it says of a model, by its path relative to the file's folder, and of a target."""
        found = sized(_native.npart_project_settings)
        path = None if model is None else model.encode()
        call(library.npart_project_settle, self._handle.pointer, path, ctypes.byref(found))
        asked = found.thresholds
        if target is not None:
            library.npart_project_settle_target(self._handle.pointer, path, target.encode(), ctypes.byref(asked))
        dims = [found.dims[i].binding for i in range(found.dim_count)]
        shapes = [found.inputs[i].shape for i in range(found.input_count)]
        return Settings(
            tuple(decoded(found.targets.items[i].text) for i in range(found.targets.count)),
            {decoded(dim.name): int(dim.size) for dim in dims if not dim.is_limit},
            {decoded(at.input): tuple(at.dims[i] for i in range(at.rank)) for at in shapes},
            None if asked.max_partitions < 0 else int(asked.max_partitions),
            None if asked.min_coverage < 0 else float(asked.min_coverage),
            None if asked.min_mac_coverage < 0 else float(asked.min_mac_coverage),
            tuple(word for word, is_on in zip(CONDITIONS, asked.fails_on, strict=True) if is_on))


def _reader(data: bytes) -> Any:
    """A callback that reads from a text in memory."""
    rest = memoryview(data)

    def read(_payload: int | None, into: int, size: int) -> int:
        nonlocal rest
        piece, rest = bytes(rest[:size]), rest[size:]
        ctypes.memmove(into, piece, len(piece))
        return len(piece)

    return _native.npart_read_callback(read)
