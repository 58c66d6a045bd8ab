# SPDX-License-Identifier: Apache-2.0
"""The arguments of an analysis as the structs that the library takes. Each keeps alive what its struct points to."""
from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union, cast

from . import _native
from ._errors import ArgumentError
from ._library import Handle, decoded, initialized, library, make, sized

if TYPE_CHECKING:
    if sys.version_info >= (3, 11):
        from typing import TypedDict
    else:
        from typing_extensions import TypedDict

    class Options(TypedDict, total=False):
        """The keyword arguments of `analyze`."""

        as_: str | Iterable[str] | None
        dims: Mapping[str, int | str] | None
        strict_dims: bool
        lengths: Sequence[int] | Mapping[str, int] | None
        inputs: Mapping[str, Sequence[int]] | None
        values: Mapping[str, Number | Sequence[Number]] | None
        level: Literal["basic", "off"]
        partitioner: str | None
        gates: str | Iterable[str] | None
        assume: Mapping[str, Device] | None
        assume_nodes: Mapping[str, Device] | None
        cuts: str | Iterable[str] | None
        oplist: str | os.PathLike[str] | None
        cost: str | os.PathLike[str] | None
        runtime: str | None
        sustained: bool
        ram: int | str
        prompt: int
        keep_bytes: int
        max_memory_bytes: int
        timeout_s: float
        limits: Mapping[str, int] | None
        advice: bool
        name: str | None

Device = Literal["npu", "cpu"]
Number = Union[int, float, bool]
LEVELS = {"basic": _native.NPART_LEVEL_BASIC, "off": _native.NPART_LEVEL_OFF}


def encoded(text: str, what: str = "name") -> bytes:
    """A text as C has it."""
    if "\0" in text:
        raise ArgumentError(f"a {what} cannot hold a NUL character")
    return text.encode("utf-8", "surrogateescape")


def precisions(value: str | Iterable[str] | None) -> list[str | None]:
    """Those that are asked for, None being the model as it is; all that there are where that is "all"."""
    if value is None:
        return [None]
    if value == "all":
        found: list[str | None] = [None]
        while (name := library.npart_precision_name(len(found) - 1, None)) is not None:
            found.append(decoded(name))
        return found
    wanted = names(value)
    if not wanted:
        raise ArgumentError("as_ names no precision")
    return list(wanted)


def names(value: str | Iterable[str] | None) -> list[str]:
    """Several names, or one, or names with commas between them."""
    if value is None:
        return []
    return [name.strip() for name in value.split(",")] if isinstance(value, str) else list(value)


def reusable(options: Options) -> Options:
    """Options for several models: an iterator would serve the first of them alone. What changes later is copied."""
    kept = cast("Options", {name: dict(value) if isinstance(value, Mapping) else value
                            for name, value in options.items()})
    if (gates := options.get("gates")) is not None:
        kept["gates"] = names(gates)
    if (cuts := options.get("cuts")) is not None:
        kept["cuts"] = names(cuts)
    return kept


class ReadOptions:
    """How a model is read."""

    def __init__(self, values: Mapping[str, Number | Sequence[Number]] | None, keep_bytes: int, name: str | None,
                 max_memory_bytes: int = 0, timeout_s: float = 0, limits: Mapping[str, int] | None = None):
        self.struct = initialized(_native.npart_read_options, _native.NPART_READ_OPTIONS_INIT)
        self.struct.keep_bytes = keep_bytes
        self.struct.name = None if name is None else encoded(name)
        bound = bound_values(values)
        self.struct.values, self.struct.value_count = bound, len(bound)
        set_budget(self.struct, max_memory_bytes, timeout_s, limits)


def set_budget(options: Any, max_memory_bytes: int, timeout_s: float, limits: Mapping[str, int] | None) -> None:
    """What a model and all that is made from it may take and hold; 0: any."""
    if max_memory_bytes < 0 or not 0 <= timeout_s < 1e9:
        raise ArgumentError("max_memory_bytes and timeout_s must be positive, or 0 for none")
    if any(value < 0 or value >= 1 << 64 for value in (limits or {}).values()):
        raise ArgumentError("a limit cannot be negative or above 64 bits")
    named = (_native.npart_limit * len(limits or {}))()
    for item, (name, value) in zip(named, (limits or {}).items()):
        item.name, item.value = encoded(name), value
    options.limits, options.limit_count = named, len(named)
    options.max_memory_bytes = max_memory_bytes
    options.max_ms = max(int(timeout_s * 1000), 1 if timeout_s else 0)


def end_time(plan: Any) -> None:
    """What was to be done in time is done: what is asked of it later has all the time there is."""
    info = sized(_native.npart_plan_info)
    library.npart_plan_info(plan, ctypes.byref(info))
    library.npart_budget_end_time(info.allocator)


def bound_values(values: Mapping[str, Number | Sequence[Number]] | None) -> Any:
    """Inputs that are the same in every run."""
    bound = (_native.npart_bound_value * len(values or {}))()
    for item, (name, given) in zip(bound, (values or {}).items()):
        numbers = [given] if isinstance(given, (int, float)) else list(given)
        item.input = encoded(name)
        item.numbers, item.count = (ctypes.c_double * len(numbers))(*numbers), len(numbers)
    return bound


class Sizes:
    """Sizes of dimensions and shapes of inputs."""

    def __init__(self, dims: Mapping[str, int | str] | None, inputs: Mapping[str, Sequence[int]] | None,
                 is_strict: bool = True, lengths: Sequence[int] | Mapping[str, int] | None = None):
        self.struct = initialized(_native.npart_inference_options, _native.NPART_INFERENCE_OPTIONS_INIT)
        bound = (_native.npart_dim_binding * len(dims or {}))()
        for item, (name, size) in zip(bound, (dims or {}).items()):
            item.name, item.is_limit = encoded(name), isinstance(size, str) and size.startswith("..")
            item.size = _size(name, size)
        shapes = (_native.npart_input_shape * len(inputs or {}))()
        for shape, (name, sizes) in zip(shapes, (inputs or {}).items()):
            shape.input, shape.rank = encoded(name), len(sizes)
            shape.dims = (ctypes.c_int64 * len(sizes))(*sizes)
        self.struct.dims, self.struct.dim_count = bound, len(bound)
        self.struct.may_lack_dims = not is_strict
        self.struct.inputs, self.struct.input_count = shapes, len(shapes)
        if lengths is not None:
            self.struct.lengths = ctypes.pointer(_lengths(lengths))


def _lengths(lengths: Sequence[int] | Mapping[str, int]) -> Any:
    found = _native.npart_lengths()
    if isinstance(lengths, Mapping):
        found.quantiles = (_native.npart_quantile * len(lengths))(
            *(_native.npart_quantile(_percent(name) / 100, length) for name, length in lengths.items()))
        found.quantile_count = len(lengths)
    else:
        found.samples, found.sample_count = (ctypes.c_int64 * len(lengths))(*lengths), len(lengths)
    return found


def _percent(name: str) -> float:
    try:
        return float(name.removeprefix("p"))
    except ValueError:
        raise ArgumentError(f'a quantile is called as "p95", not {name}') from None


def _size(name: str, size: int | str) -> int:
    try:
        return int(size[2:] if isinstance(size, str) and size.startswith("..") else size)
    except ValueError:
        raise ArgumentError(f'the size of {name} must be a number, or an upper bound such as "..128"') from None


class PlanOptions:
    """How nodes are judged and partitioned."""

    def __init__(self, level: str, partitioner: str | None, gates: str | Iterable[str] | None,
                 assume: Mapping[str, Device] | None, assume_nodes: Mapping[str, Device] | None,
                 cuts: str | Iterable[str] | None, runtime: str | None, sustained: bool,
                 ram: int | str = 0, prompt: int = 0):
        if level not in LEVELS:
            raise ArgumentError(f'level must be "basic" or "off", not "{level}"')
        self.struct = plan = initialized(_native.npart_plan_options, _native.NPART_PLAN_OPTIONS_INIT)
        plan.level, plan.is_sustained = LEVELS[level], sustained
        plan.ram_bytes, plan.device_class = (0, encoded(ram)) if isinstance(ram, str) else (ram, None)
        plan.prompt_tokens = prompt
        plan.partitioner = None if partitioner is None else encoded(partitioner)
        plan.runtime = None if runtime is None else encoded(runtime)
        plan.gates = None if gates is None else encoded(",".join(names(gates)))
        overrides: list[tuple[bytes | None, bytes | None, bool]]
        overrides = [(encoded(op), None, _is_npu(device)) for op, device in (assume or {}).items()]
        overrides += [(None, encoded(node), _is_npu(device)) for node, device in (assume_nodes or {}).items()]
        plan.assumptions = (_native.npart_assumption * len(overrides))(
            *(_native.npart_assumption(*item) for item in overrides))
        plan.assumption_count = len(overrides)
        points = [encoded(name) for name in names(cuts)]
        plan.cuts, plan.cut_count = (ctypes.c_char_p * len(points))(*points), len(points)


class FixOptions:
    """How rewrites are searched for, of a model that is analyzed in this way."""

    def __init__(self, sizes: Sizes, plan: PlanOptions, values: Mapping[str, Number | Sequence[Number]] | None,
                 keep_bytes: int, max_memory_bytes: int, timeout_s: float, limits: Mapping[str, int] | None,
                 oplist: str | os.PathLike[str] | None, cost: str | os.PathLike[str] | None):
        options = self.struct = initialized(_native.npart_fix_options, _native.NPART_FIX_OPTIONS_INIT)
        options.sizes, options.plan = ctypes.pointer(sizes.struct), ctypes.pointer(plan.struct)
        bound = bound_values(values)
        options.values, options.value_count, options.keep_bytes = bound, len(bound), keep_bytes
        set_budget(options, max_memory_bytes, timeout_s, limits)
        words = [word for name, file in ((b"--oplist", oplist), (b"--cost", cost)) if file is not None
                 for word in (name, os.fsencode(file))]
        options.words, options.word_count = (ctypes.c_char_p * len(words))(*words), len(words)


def _is_npu(device: str) -> bool:
    if device not in ("npu", "cpu"):
        raise ArgumentError(f'a placement is "npu" or "cpu", not "{device}"')
    return device == "npu"


# ---- targets ----------------------------------------------------------------------------------------------------

_built_in: dict[str, Handle] = {}  # op lists never change, and are taken by any number of threads


def built_in_names() -> list[str]:
    """The targets that have a list in the library."""
    found: list[str] = []
    while (name := library.npart_builtin_oplist(len(found))) is not None:
        found.append(name.decode())
    return found


def _find(target: str) -> Handle:
    """The list of a target text. Those of variants are their target's."""
    name = next((name for name in built_in_names() if name == target), None)
    if name is None:
        return make(library.npart_oplist_find, library.npart_oplist_free, encoded(target, "target"), None)
    if name not in _built_in:
        _built_in[name] = make(library.npart_oplist_find, library.npart_oplist_free, encoded(target), None)
    return _built_in[name]


class Targets:
    """Targets by their texts, each with its op list."""

    def __init__(self, targets: str | Iterable[str] | None, oplist: str | os.PathLike[str] | None,
                 cost: str | os.PathLike[str] | None):
        texts = names(targets)
        if texts == ["all"]:
            texts = built_in_names()
        if oplist is not None:
            own = make(library.npart_oplist_read_file, library.npart_oplist_free, os.fsencode(oplist), None)
            texts = texts or [_oplist_name(own)]
            lists = [own] * len(texts)
        else:
            lists = [_find(text) for text in texts]
        if not texts:
            raise ArgumentError('no target; targets=["hexagon"], "all", or an op list of your own (oplist=)')
        if cost is not None:
            lists = _with_costs(lists, os.fsencode(cost))
        self.items = list(zip(texts, lists))


def _oplist_name(oplist: Handle) -> str:
    info = oplist_info(oplist)
    return decoded(info.name)


def oplist_info(oplist: Handle) -> Any:
    """What a list is as a whole."""
    info = sized(_native.npart_oplist_info)
    library.npart_oplist_info(oplist.pointer, ctypes.byref(info))
    return info


def _with_costs(lists: list[Handle], path: bytes) -> list[Handle]:
    """The figures count for the targets that they are for, of which there must be one."""
    changed, refused = [], None
    for oplist in lists:
        try:
            changed.append(make(library.npart_oplist_add_cost, library.npart_oplist_free, oplist.pointer, path))
        except ArgumentError as error:
            refused = error
            changed.append(oplist)
    if refused and all(new is old for new, old in zip(changed, lists)):
        raise refused
    return changed


