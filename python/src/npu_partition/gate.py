# SPDX-License-Identifier: Apache-2.0
"""What a merge is held to: thresholds on plans, as `npu-partition check` and the options of the tool have them."""
from __future__ import annotations

import ctypes
import dataclasses
import datetime
import json
import os
import pathlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Union

from . import _native
from ._analysis import Analysis
from ._arguments import encoded
from ._errors import ArgumentError, MalformedError
from ._library import call, decoded, items, library, make, read_text, reader_of, sized
from ._report import report_options

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


def _thresholds(max_partitions: int | None, min_coverage: float | None, min_mac_coverage: float | None,
                bounds: Mapping[str, float] | None, allow_none: bool, fail_on: Iterable[str]) -> Any:
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
    return asked


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
    asked = _thresholds(max_partitions, min_coverage, min_mac_coverage, bounds, allow_none, fail_on)
    room = (_native.npart_gate_outcome * _native.NPART_MOST_OUTCOMES)()
    live = analysis._source.live()
    found: list[Outcome] = []

    def take(target: str | None, count: int) -> None:
        found.extend(Outcome(target, decoded(at.threshold), bool(at.is_met), decoded(at.text)) for at in room[:count])

    take(None, library.npart_inference_outcomes(live._inference.pointer, ctypes.byref(asked), room, len(room)))
    for target, plan in zip(analysis.targets, live.plans, strict=True):
        take(target.name, library.npart_plan_outcomes(plan.plan.pointer, ctypes.byref(asked), room, len(room)))
    return tuple(found)


def assumption_note(analysis: Analysis, op: str) -> str:
    """Why an override of this op (`assume`) changes nothing: neither the model has it, nor what a plan makes of it; ""
    where one does."""
    live = analysis._source.live()
    plans = (ctypes.c_void_p * len(live.plans))(*(plan.plan.pointer for plan in live.plans))
    model = library.npart_inference_model(live._inference.pointer)
    text = ctypes.create_string_buffer(1024)
    library.npart_assumption_note(encoded(op), model, plans, len(live.plans), text, len(text))
    return decoded(text.value)


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
        cache = reader_of(beside.read_bytes()) if beside.is_file() else None
        if cache is not None:
            options.read_cache = cache
        options.cache_problem = b"is missing"
        self._handle = make(library.npart_sides_read, library.npart_sides_free, reader_of(data), None,
                            ctypes.byref(options), about=os.fspath(path))
        self.note = decoded(library.npart_sides_note(self._handle.pointer))
        """What is to be told of the cache; "" where there is nothing."""
        self._made = make(library.npart_baseline_make, library.npart_baseline_free, self._handle.pointer, False, None,
                          about=os.fspath(path))

    @property
    def models(self) -> tuple[str, ...]:
        """The models that it has, each once."""
        count = ctypes.c_uint32()
        sides = library.npart_sides_all(self._handle.pointer, ctypes.byref(count))
        return tuple(dict.fromkeys(decoded(sides[i].model) for i in range(count.value)))

    def model(self, wanted: str | None = None) -> str | None:
        """The model that is meant: `wanted`, or the one that alone ends as it does; None where there is but one.

        Raises:
            ArgumentError: there are several, and `wanted` is none of them, or more than one.
        """
        found = ctypes.c_char_p()
        if not library.npart_sides_model(self._handle.pointer, None if wanted is None else encoded(wanted),
                                         ctypes.byref(found)):
            raise ArgumentError("it has several models" if wanted is None else f"it has no model {wanted}")
        return None if found.value is None else decoded(found.value)

    def targets(self, model: str | None = None) -> tuple[str, ...]:
        """The targets of a model, or of any, each once, as `diff` names them."""
        at, text = ctypes.c_uint32(), ctypes.create_string_buffer(512)
        asked = None if model is None else encoded(model)
        found = []
        while library.npart_sides_plan(self._handle.pointer, asked, ctypes.byref(at), text, len(text)):
            found.append(decoded(text.value))
        return tuple(found)

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


@dataclasses.dataclass(frozen=True, slots=True)
class Listed:
    """A model that a check is of."""

    path: str
    relative: str | None
    """To the folder of its project file; None: it is not in it."""
    project: str | None
    """The project file that it stands under; None: none."""


def checklist(paths: Iterable[Path] = (), *, config: Path | None = None,
              tell: Callable[[str], None] | None = None) -> tuple[Listed, ...]:
    """The models that `npu-partition check` checks: those of the paths; of a project file, or of that of the working
    directory where there are none, all that it names.

    Args:
        config: the project file of all of them; None: that beside a model, or in the nearest folder above.
        tell: is told what is wrong or strange, a line each.

    Raises:
        ArgumentError: a project file cannot be read, or names no model.
        MalformedError, ReadError, LimitError: as they say.
    """
    texts = [encoded(os.fspath(path)) for path in paths]
    options = _native.npart_checklist_options(version=1)
    options.config = None if config is None else encoded(os.fspath(config))

    def told(_payload: int | None, path: int | None, line: int, column: int, text: int) -> None:
        about = decoded(ctypes.string_at(path)) if path else ""
        place = f"{about}:{line}:{column}: " if line else f"{about}: " if about else ""
        if tell:
            tell(place + decoded(ctypes.string_at(text)))

    options.tell = _native.npart_checklist_options_tell(told)
    made = make(library.npart_checklist_make, library.npart_checklist_free, (ctypes.c_char_p * len(texts))(*texts),
                len(texts), ctypes.byref(options))
    projects = [decoded(at.path) for at in items(made, library.npart_checklist_project,
                                                 _native.npart_checklist_project)]
    return tuple(Listed(decoded(at.path), None if at.relative is None else decoded(at.relative),
                        None if at.project == _native.NPART_NONE else projects[at.project])
                 for at in items(made, library.npart_checklist_model, _native.npart_checklist_model))


class Checked:
    """A model with its plans, held to thresholds, waivers and a baseline: what `npu-partition check` says of it."""

    def __init__(self, analysis: Analysis, name: str, *, project: Project | None = None, path: str | None = None,
                 baseline: Baseline | None = None, today: datetime.date | None = None,
                 max_partitions: int | None = None, min_coverage: float | None = None,
                 min_mac_coverage: float | None = None, bounds: Mapping[str, float] | None = None,
                 allow_none: bool = False, fail_on: Iterable[str] = ()) -> None:
        """Judges each plan of an analysis.

        Args:
            analysis: what is judged. It is analyzed with the sizes and targets that the caller has given it.
            name: of the model, as it is told.
            project: the project file whose thresholds and waivers hold.
            path: of the model relative to that file's folder; None: it is not in it.
            baseline: than which no plan may be worse.
            today: the day for which waivers hold; None: today, in UTC.
            max_partitions, min_coverage, min_mac_coverage, bounds, allow_none, fail_on: as of `outcomes`; they count
                before those of the project file.
        """
        day = today or datetime.datetime.now(datetime.timezone.utc).date()
        asked = _thresholds(max_partitions, min_coverage, min_mac_coverage, bounds, allow_none, fail_on)
        options = _native.npart_gate_options(version=1, name=name.encode(), today=day.isoformat().encode())
        options.path = None if path is None else path.encode()
        options.asked = ctypes.pointer(asked)
        options.project = None if project is None else project._handle.pointer
        options.project_path = b"npu-partition.toml"
        options.baseline = None if baseline is None else baseline._made.pointer
        self.notes: list[str] = []
        """What is told beside: waivers that have expired, models that moved."""

        def tell(_payload: int | None, _line: int, _column: int, text: int) -> None:
            self.notes.append(decoded(ctypes.string_at(text)))

        options.tell = _native.npart_project_callback(tell)
        live = analysis._source.live()
        self._kept: list[Any] = [options, project, baseline, live]
        self._handle = make(library.npart_gate_make, library.npart_gate_free, live._inference.pointer,
                            ctypes.byref(options))
        for target, plan in zip(analysis.targets, live.plans, strict=True):
            one = _native.npart_gate_plan(version=1, plan=plan.plan.pointer, label=target.name.encode())
            one.advice = plan.advice.pointer if plan.advice else None
            self._kept.append(one)
            call(library.npart_gate_add, self._handle.pointer, ctypes.byref(one))
        library.npart_gate_settle(self._handle.pointer)

    @property
    def standing(self) -> str:
        """``"ok"``, ``"known"``, ``"waived"``, ``"worse"`` or ``"fails"``."""
        info = sized(_native.npart_gate_info)
        library.npart_gate_info(self._handle.pointer, ctypes.byref(info))
        return decoded(library.npart_standing_text(info.standing))

    def to_dict(self) -> Any:
        """What `npu-partition check --format json` prints of the model."""
        return json.loads(read_text(library.npart_gate_json, self._handle.pointer))

    def to_text(self, *, width: int = 0, color: bool = False, others: bool = False) -> str:
        """A block for each target that fails; "" where none does. `others`: a line for each that is fine, too."""
        look = report_options(width=width, use_color=color)
        parts = _native.NPART_GATE_FAILING | (_native.NPART_GATE_OTHERS if others else 0)
        return decoded(read_text(library.npart_gate_text, self._handle.pointer, ctypes.byref(look), parts))

    def waiver(self, target: int | None = None) -> str:
        """Lines for the project file that accept what fails on a target, by its place; None: of the model as such.

        Raises:
            ArgumentError: no waiver can.
        """
        at = _native.NPART_NONE if target is None else target
        return decoded(read_text(library.npart_gate_accept, self._handle.pointer, at)).lstrip("\n")
