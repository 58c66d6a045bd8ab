# SPDX-License-Identifier: Apache-2.0
"""Commands that write models: fix, split, annotate."""
from __future__ import annotations

import ctypes
import json
import os
import pathlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

from . import _native, results
from ._analysis import analyze
from ._arguments import FixOptions, Number, PlanOptions, Sizes, Targets, encoded, end_time, names
from ._errors import ArgumentError, UnprovenError
from ._library import Handle, call, decoded, library, make, sized
from ._report import AnyPrinted, Printed, look

Path = Union[str, "os.PathLike[str]"]

if TYPE_CHECKING:
    import sys

    from ._arguments import Options

    if sys.version_info >= (3, 11):
        from typing import TypedDict, Unpack
    else:
        from typing_extensions import TypedDict, Unpack

    class SearchOptions(TypedDict, total=False):
        """The keyword arguments that `fix` and `fix_set` share."""

        allow: str | Iterable[str]
        only: str | Iterable[str] | None
        without: str | Iterable[str] | None
        max_growth: float
        present: Literal["new", "shift"]
        window_cache: bool
        end_at: str | Iterable[str] | None
        begin_at: str | Iterable[str] | None
        dims: Mapping[str, int | str] | None
        inputs: Mapping[str, Sequence[int]] | None
        values: Mapping[str, Number | Sequence[Number]] | None
        level: Literal["basic", "off"]
        partitioner: str | None
        oplist: Path | None
        cost: Path | None
        runtime: str | None
        keep_bytes: int
        max_memory_bytes: int
        timeout_s: float
        limits: Mapping[str, int] | None
        progress: Callable[[str, int], object] | None

Weights = Literal["stay", "link", "copy", "external"]
WEIGHTS = {"stay": _native.NPART_WEIGHTS_STAY, "link": _native.NPART_WEIGHTS_LINK,
           "copy": _native.NPART_WEIGHTS_COPY, "external": _native.NPART_WEIGHTS_EXTERNAL}


class Fix:
    """What `fix` has found and written. ``str()`` of it is the tool's report."""

    def __init__(self, printed: AnyPrinted, written: bytes | None) -> None:
        self._printed, self._written = printed, written
        data = self.to_dict()
        # Not of the JSON, where bytes of a path that are no UTF-8 are replaced: this one can be opened.
        self.output: str | None = None if written is None else os.fsdecode(written)
        """The model that was written."""
        self.harm: str | None = data["harm"]
        """On which target the model would be worse than it is, and how. Then nothing was written."""
        self.absent: tuple[str, ...] = tuple(data["absent"])
        """External data that the model refers to and that is not there."""
        self.targets = tuple(results.build(results.FixTarget, item) for item in data["targets"])
        self.steps = tuple(results.build(results.FixStep, item) for item in data["steps"])
        self.taken_back = tuple(results.build(results.TakenBack, item) for item in data["taken_back"])
        self.cache = None if data["cache"] is None else results.build(results.Cache, data["cache"])
        """How the host keeps the cache of fixed size that was asked for; None: none was."""
        self.ends = None if data["ends"] is None else results.build(results.Ends, data["ends"])
        """What is before and after the model, and what passes between; None: it was not asked to begin or end."""
        self.decode = tuple(results.build(results.Decode, item) for item in data["decode"])
        """By target what a run of it takes; empty where no cache was asked for."""
        self.plans: int = data["plans"]
        """How many plans the search has made."""

    def write(self, output: Path, *, weights: Weights = "stay", rest: Path | None = None,
              head: Path | None = None) -> Fix:
        """Writes what was found, as `fix` does with an output, and returns it.

        Raises:
            UnprovenError, ArgumentError, WriteError: as of `fix`.
            UnprovenError: also where the model would be worse than it is (`harm`).
        """
        if self.harm is not None:
            raise UnprovenError(self.harm)
        handle, *files = self._printed.handles
        written = os.fsencode(output)
        _write(handle, written, self.ends, weights, rest, head)
        return _fix_of(handle, written, files)

    def to_dict(self) -> dict[str, Any]:
        """The tool's JSON (docs/json.md, "Fix") as a dictionary."""
        found: dict[str, Any] = json.loads(self._printed.read(_native.NPART_FORMAT_JSON))
        return found

    def to_text(self, *, verbose: bool = False, width: int = 80, color: bool = False, ascii_only: bool = False) -> str:
        """The tool's report. `width` is in columns."""
        return self._printed.read(_native.NPART_FORMAT_TEXT, look(verbose=verbose, width=width, color=color,
                                                                  ascii_only=ascii_only))

    def __str__(self) -> str:
        return self.to_text().removesuffix("\n")

    def __reduce__(self) -> tuple[Any, ...]:
        return Fix, (self._printed, self._written)

    def __repr__(self) -> str:
        first = self.targets[0]
        return (f"<Fix for {first.target}: {len(self.steps)} steps, partitions {first.before.partitions} -> "
                f"{first.after.partitions}>")


def _fix_of(handle: Handle, written: bytes | None = None, files: Sequence[Handle] = ()) -> Fix:
    """`files`: all of its set."""
    def members(handles: Sequence[Handle]) -> dict[str, Any]:
        tries = (_native.npart_cache_try * len(files))(*(_native.npart_cache_try(fix=at.pointer) for at in handles[1:]))
        return {"fix": handles[0].pointer, "written": written, "tries": tries, "count": len(files)}

    return Fix(Printed(_native.NPART_SUBJECT_FIX, (_native.NPART_FORMAT_JSON, _native.NPART_FORMAT_TEXT),
                       [handle, *files], members), written)


def _write(handle: Handle, written: bytes, ends: results.Ends | None, weights: Weights, rest: Path | None,
           head: Path | None, about: str | None = None) -> None:
    """With what is before and after the model, and a manifest beside it, where it begins or ends somewhere."""
    more = {} if about is None else {"about": about}
    if ends is None:
        if rest is not None or head is not None:
            raise ArgumentError("rest goes with end_at, and head with begin_at")
        call(library.npart_fix_write, handle.pointer, written, _weights(weights), **more)
        return
    paths = _native.npart_side_paths()
    paths.size = ctypes.sizeof(paths)
    paths.model = written
    paths.head = None if head is None else os.fsencode(head)
    paths.rest = None if rest is None else os.fsencode(rest)
    paths.manifest = written.removesuffix(b".onnx") + b".manifest.json"
    call(library.npart_fix_write_sides, handle.pointer, ctypes.byref(paths), _weights(weights), **more)


def fix(
    model: Path,
    targets: str | Iterable[str] | None = None,
    output: Path | None = None,
    *,
    allow: str | Iterable[str] = (),
    only: str | Iterable[str] | None = None,
    without: str | Iterable[str] | None = None,
    max_growth: float = 0.25,
    cache: int | None = None,
    tokens: int = 1,
    present: Literal["new", "shift"] = "new",
    window_cache: bool = False,
    end_at: str | Iterable[str] | None = None,
    begin_at: str | Iterable[str] | None = None,
    rest: Path | None = None,
    head: Path | None = None,
    weights: Weights = "stay",
    dims: Mapping[str, int | str] | None = None,
    inputs: Mapping[str, Sequence[int]] | None = None,
    values: Mapping[str, Number | Sequence[Number]] | None = None,
    level: Literal["basic", "off"] = "basic",
    partitioner: str | None = None,
    oplist: Path | None = None,
    cost: Path | None = None,
    runtime: str | None = None,
    keep_bytes: int = 0,
    max_memory_bytes: int = 0,
    timeout_s: float = 0,
    limits: Mapping[str, int] | None = None,
    progress: Callable[[str, int], object] | None = None,
) -> Fix:
    """Rewrites nodes that targets do not take, so that more of the model runs on the NPU (docs/fix.md).

    Args:
        model: the path of the model. It is never written over.
        targets: as of `analyze`. No target gets worse.
        output: where to write; None: nothing is written, nor where the model would be worse than it is (`harm`).
        allow: classes of equality beside ``"bits"``: ``"bits-if"``, ``"ulp"``, ``"step"``, ``"approx"``.
        only: ids of rewrites (docs/inside/rewrites.md); None: all.
        without: rewrites that are not used.
        max_growth: how much the file with its weights may grow, as a share; negative: by any amount.
        cache: of a decoder whose cache grows: the slots that it has from then on (docs/decoder-cache.md).
        tokens: new ones in a run of such a model.
        present: its outputs are the new keys and values, or with ``"shift"`` the cache of the next run.
        window_cache: caches of its layers with a window have the slots alone that it shows.
        end_at, begin_at: tensors, or nodes, at which the model that is written ends and begins (docs/fix.md).
        rest, head: where what is after and before it is written; None: it is not.
        weights: of external data where `output` stands in another folder: ``"link"`` or ``"copy"`` bring it there
            (``onnx.load`` refuses hard links, under either name);
            ``"external"`` moves weights out of the model, as they must above 2 GiB.
        dims: sizes that are written into the model; so are `inputs` and `values`.
        level, partitioner, oplist, cost, runtime, keep_bytes, max_memory_bytes, timeout_s, limits: as of `analyze`.
        progress: called after each plan, with the rewrite and how many plans there were.

    Raises:
        UnprovenError: what was written is not planned as predicted; nothing is put in place.
        ArgumentError: no such target, rewrite or input, or `output` is the model itself.
        ReadError, MalformedError, LimitError, OutOfTimeError, WriteError: as they say.
    """
    options: SearchOptions = {
        "allow": allow, "only": only, "without": without, "max_growth": max_growth, "present": present,
        "window_cache": window_cache, "end_at": end_at, "begin_at": begin_at, "dims": dims, "inputs": inputs,
        "values": values, "level": level,
        "partitioner": partitioner, "oplist": oplist, "cost": cost, "runtime": runtime, "keep_bytes": keep_bytes,
        "max_memory_bytes": max_memory_bytes, "timeout_s": timeout_s, "limits": limits, "progress": progress}
    handle = _search(model, targets, cache or 0, tokens, **options)
    written = None if output is None else os.fsencode(output)
    found = _fix_of(handle)
    if found.harm is not None:
        written = None
    if written is not None:
        _write(handle, written, found.ends, weights, rest, head, os.fspath(model))
    end_time(library.npart_fix_plan(handle.pointer, 0))
    return _fix_of(handle, written)


class FixSet:
    """What `fix_set` has found and written: a model for each number of new tokens, which share their weights."""

    def __init__(self, fixes: tuple[Fix, ...], manifest: str | None) -> None:
        self.fixes = fixes
        """In the order of the numbers."""
        self.manifest = manifest
        """The path of the manifest, which names the files beside it; None: nothing was written."""
        self.caches = tuple(item.cache for item in fixes if item.cache is not None)
        """The contracts of all of them, in that order."""
        self.harm: str | None = next((item.harm for item in fixes if item.harm is not None), None)
        """On which target a model would be worse than it is, and how. Then nothing was written."""

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.fixes))

    def __repr__(self) -> str:
        counts = ", ".join(str(cache.tokens) for cache in self.caches)
        return f"<FixSet of {self.caches[0].slots} slots: {counts} tokens>"


def fix_set(
    model: Path,
    targets: str | Iterable[str] | None = None,
    folder: Path | None = None,
    *,
    cache: int,
    tokens: Iterable[int] = (1, 32),
    weights: Weights = "stay",
    **options: Unpack[SearchOptions],
) -> FixSet:
    """Gives a decoder whose cache grows one of a fixed size, for several numbers of new tokens (docs/decoder-cache.md).

    Args:
        model: the path of the model. It is never written over.
        targets: as of `analyze`. No target gets worse.
        folder: where to write ``tokens-N.onnx``, ``weights.data`` and ``manifest.json``; None: nothing is written,
            nor where a model would be worse than it is (`FixSet.harm`).
        cache: the slots that the cache has, new tokens included.
        tokens: new ones in a run, a model for each number.
        weights: as of `fix`.
        **options: as of `fix`.

    Raises:
        ArgumentError: also where the cache cannot be fixed for one of the numbers; then nothing is written.
        UnprovenError, ReadError, MalformedError, LimitError, OutOfTimeError, WriteError: as of `fix`.
    """
    counts = tuple(tokens)
    if not cache or not counts:
        raise ArgumentError("cache must be a number of slots, and tokens one number at least")
    handles = [_search(model, targets, cache, count, **options) for count in counts]
    fixes = tuple(_fix_of(handle, None, handles) for handle in handles)
    manifest = None
    if folder is not None and all(item.harm is None for item in fixes):
        pointers = (ctypes.c_void_p * len(handles))(*(handle.pointer for handle in handles))
        call(library.npart_fix_write_set, pointers, len(handles), os.fsencode(folder), _weights(weights),
             about=os.fspath(model))
        manifest = os.path.join(os.fspath(folder), "manifest.json")
        fixes = tuple(_fix_of(handle, os.fsencode(os.path.join(os.fspath(folder), f"tokens-{count}.onnx")), handles)
                      for handle, count in zip(handles, counts))
    for handle in handles:
        end_time(library.npart_fix_plan(handle.pointer, 0))
    return FixSet(fixes, manifest)


def _search(
    model: Path,
    targets: str | Iterable[str] | None,
    cache: int,
    tokens: int,
    **given: Unpack[SearchOptions],
) -> Handle:
    """What `fix` finds, before anything is written."""
    path, asked, _kept = _asked(model, targets, cache, tokens, **given)
    return make(library.npart_fix_make, library.npart_fix_free, os.fsencode(path), *asked, about=path)


def fix_hint(model: Path, targets: str | Iterable[str] | None = None, *, with_sizes: bool = False,
             **options: Unpack[SearchOptions]) -> tuple[str, str] | None:
    """Where `fix` finds nothing: what to ask it for besides, and what that brings, as the tool tells it; else None.

    Args:
        model, targets, **options: as of `fix`.
        with_sizes: what sizes for dynamic dimensions bring; else more classes of rewrites.
    """
    path, asked, _kept = _asked(model, targets, 0, 1, **options)
    found = make(library.npart_fix_make, library.npart_fix_free, os.fsencode(path), *asked, about=path)
    if library.npart_fix_is_done(found.pointer):
        return None
    hint, out = sized(_native.npart_fix_hint), ctypes.c_void_p()
    call(library.npart_fix_find_hint, ctypes.byref(out), ctypes.byref(hint), found.pointer, os.fsencode(path), *asked,
         with_sizes, about=path)
    better = Handle(out.value, library.npart_fix_free)
    return (decoded(hint.words), decoded(hint.text)) if better else None


def _asked(
    model: Path,
    targets: str | Iterable[str] | None,
    cache: int,
    tokens: int,
    **given: Unpack[SearchOptions],
) -> tuple[str, tuple[Any, ...], Any]:
    """The path; what follows it in a search: lists, targets, how many, options; what has to be there as long."""
    oplist, cost = given.get("oplist"), given.get("cost")
    wanted = Targets(targets, oplist, cost)
    plan = PlanOptions(given.get("level", "basic"), given.get("partitioner"), None, None, None, None,
                       given.get("runtime"), False)
    options = FixOptions(Sizes(given.get("dims"), given.get("inputs")), plan, given.get("values"),
                         given.get("keep_bytes", 0), given.get("max_memory_bytes", 0), given.get("timeout_s", 0),
                         given.get("limits"), oplist, cost).struct
    options.allowed, options.most_growth = _allowed(names(given.get("allow", ()))), given.get("max_growth", 0.25)
    options.only, options.only_count = _texts(names(given.get("only")))
    options.without, options.without_count = _texts(names(given.get("without")))
    present = given.get("present", "new")
    if present not in ("new", "shift"):
        raise ArgumentError(f"present must be new or shift, not {present}")
    options.cache_slots, options.cache_tokens, options.cache_shifts = cache, tokens, present == "shift"
    options.cuts_windows = given.get("window_cache", False)
    options.end_at, options.end_count = _texts(names(given.get("end_at")))
    options.begin_at, options.begin_count = _texts(names(given.get("begin_at")))
    told, report = None, given.get("progress")
    if report is not None:

        def told(_payload: int | None, rewrite: bytes, plans: int) -> None:
            report(ctypes.string_at(rewrite).decode("utf-8", "replace"), plans)

        options.progress = _native.npart_fix_options_progress(told)
    count = len(wanted.items)
    lists = (ctypes.c_void_p * count)(*(item.pointer for _text, item in wanted.items))
    texts = (ctypes.c_char_p * count)(*(encoded(text) for text, _item in wanted.items))
    return os.fspath(model), (lists, texts, count, ctypes.pointer(options)), (wanted, plan, told)


def _allowed(classes: list[str]) -> int:
    known: list[str] = []
    while (text := library.npart_equality_text(len(known))) is not None:
        known.append(text.decode())
    for name in classes:
        if name not in known:
            raise ArgumentError(f"allow must be of {', '.join(known)}, not {name}")
    return sum(1 << known.index(name) for name in set(classes))


def _texts(items: list[str]) -> tuple[Any, int]:
    return (ctypes.c_char_p * len(items))(*map(encoded, items)), len(items)


def _weights(weights: str) -> int:
    if weights not in WEIGHTS:
        raise ArgumentError(f"weights must be of {', '.join(WEIGHTS)}, not {weights}")
    return WEIGHTS[weights]


def split(model: Path, target: str, folder: Path, *, weights: Weights = "stay",
          **options: Unpack[Options]) -> results.Split:
    """Writes each partition, and what runs on the CPU between them, as a model of its own (docs/split.md).

    Args:
        model: the path of the model.
        target: one target.
        folder: where to write; it is made where it is not there.
        weights: as of `fix`.
        **options: as of `analyze`, without values.

    Returns:
        The manifest: the parts in their order, and what passes from one to another. Its `folder` has the files.
    """
    options["advice"] = False
    analysis = analyze(os.fspath(model), [target], **options)
    plan, = analysis._source.live().plans
    call(library.npart_plan_split, plan.plan.pointer, os.fsencode(model), os.fsencode(folder), _weights(weights),
         about=os.fspath(model))
    manifest = json.loads((pathlib.Path(folder) / "manifest.json").read_text(encoding="utf-8"))
    return results.build(results.Split, {"folder": os.fsdecode(folder), **manifest})


def annotate(model: Path, targets: str | Iterable[str], output: Path, *, weights: Weights = "stay",
             **options: Unpack[Options]) -> None:
    """Writes the model with what each target makes of its nodes as their metadata, which viewers show (docs/split.md).

    Args:
        model: the path of the model.
        targets: as of `analyze`.
        output: where to write.
        weights: as of `fix`.
        **options: as of `analyze`, without values.
    """
    options["advice"] = False
    analysis = analyze(os.fspath(model), targets, **options)
    made = analysis._source.live().plans
    plans = (ctypes.c_void_p * len(made))(*(item.plan.pointer for item in made))
    call(library.npart_plan_annotate, plans, len(plans), os.fsencode(model), os.fsencode(output), _weights(weights),
         about=os.fspath(model))
