# SPDX-License-Identifier: Apache-2.0
"""A model with what its targets make of it."""
from __future__ import annotations

import ctypes
import dataclasses
import functools
import io
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

from . import _native, results
from ._arguments import Device, FixOptions, Number, PlanOptions, ReadOptions, Sizes, Targets, encoded, end_time
from ._documents import Document, Format, Outcome
from ._errors import ArgumentError
from ._html import analysis_html, target_html
from ._input import ModelSource, read_model
from ._library import Handle, call, initialized, library, make, read_text

if TYPE_CHECKING:
    import pandas

    from ._fix import Fix

Root = Union[str, "os.PathLike[str]", None]
Detail = Literal["nodes", "causes", "summary", "tensors"]
DETAILS = {"nodes": _native.NPART_DETAIL_NODES, "causes": _native.NPART_DETAIL_CAUSES,
           "summary": _native.NPART_DETAIL_SUMMARY, "tensors": _native.NPART_DETAIL_TENSORS}


@dataclasses.dataclass(frozen=True)
class _Plan:
    """What the library has for one target."""

    plan: Handle
    fixed: Handle | None
    advice: Handle | None
    mend: Callable[..., Fix] | None = None  # fix() of the file as this target was asked for


@dataclasses.dataclass(frozen=True)
class _Lists:
    """Of a target what is long, and made only when somebody asks."""

    nodes: tuple[results.Node, ...]
    order: tuple[int, ...]
    modules: tuple[results.Module, ...]
    tensors: tuple[results.Tensor, ...]
    partitions: tuple[results.Partition, ...]
    crossings: tuple[results.Crossing, ...]
    layouts: tuple[results.Layout, ...]
    fusions: tuple[results.Fusion, ...]
    memory: results.Memory
    compiled: tuple[results.Compiled, ...]


def _pairs(plans: Sequence[_Plan]) -> Any:
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


def _json(plans: Sequence[_Plan], detail: Detail) -> bytes:
    options = report_options(detail=DETAILS[detail])
    return read_report(_native.NPART_SUBJECT_PLANS, _native.NPART_FORMAT_JSON, options, plans=_pairs(plans),
                       count=len(plans))


def _text(plans: Sequence[_Plan], **look: Any) -> str:
    return read_report(_native.NPART_SUBJECT_PLANS, _native.NPART_FORMAT_TEXT, report_options(**look),
                       plans=_pairs(plans), count=len(plans)).decode("utf-8", "replace")


def _explanation(plans: Sequence[_Plan], node: str | int) -> str:
    return read_report(_native.NPART_SUBJECT_NODE, _native.NPART_FORMAT_TEXT, plans=_pairs(plans), count=len(plans),
                       node=encoded(str(node))).decode("utf-8", "replace").removesuffix("\n")


def _shapes(inference: Any) -> dict[str, Any]:
    found: dict[str, Any] = _loads(read_report(_native.NPART_SUBJECT_SHAPES, _native.NPART_FORMAT_JSON,
                                               inference=inference))
    return found


def _loads(text: bytes) -> Any:
    return json.loads(text.decode("utf-8", "replace"))


class Target:
    """What one target makes of the model. Lists are read from the library when they are first asked for."""

    def __init__(self, plan: _Plan) -> None:
        self._plan = plan

    @functools.cached_property
    def _short(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = _loads(_json([self._plan], "summary"))["targets"][0]
        return found

    @functools.cached_property
    def _lists(self) -> _Lists:
        data = _loads(_json([self._plan], "tensors"))["targets"][0]
        nodes = tuple(results.build(results.Node, {"id": place, **node}) for place, node in enumerate(data["nodes"]))

        def several(kind: type[results.T], name: str) -> tuple[results.T, ...]:
            return tuple(results.build(kind, item) for item in data[name])

        return _Lists(nodes, tuple(data["order"]), several(results.Module, "modules"),
                      several(results.Tensor, "tensors"), several(results.Partition, "partitions"),
                      several(results.Crossing, "crossings"), several(results.Layout, "layouts"),
                      several(results.Fusion, "fusions"), results.build(results.Memory, data["memory"]),
                      tuple(results.build(results.Compiled, item) for item in data.get("compiled", ())))

    @property
    def name(self) -> str:
        """As it could be asked for again, but for the toolchain: ``hexagon:v73+float``."""
        return str(self._short["name"])

    @property
    def target(self) -> str:
        """The name of the target's list: ``hexagon``."""
        return str(self._short["target"])

    @property
    def variant(self) -> str:
        """As it was asked for, or the default; empty where the target has none."""
        return str(self._short["variant"])

    @property
    def toolchain(self) -> str:
        """The release that was asked for, or the newest that the list describes."""
        return str(self._short["toolchain"])

    @property
    def release(self) -> results.Release | None:
        """What a newer release of the toolchain takes besides; None where the newest was asked for."""
        found = self._short.get("release")
        return results.build(results.Release, found) if found else None

    @property
    def decided(self) -> results.Decided | None:
        """Who decides later which unit runs what is taken, and what is not on the NPU; None: the runtime does."""
        found = self._short.get("decided")
        return results.build(results.Decided, found) if found else None

    @property
    def switches_on(self) -> tuple[str, ...]:
        """Switches that are on, the variant's own included."""
        return tuple(self._short["switches_on"])

    @property
    def partitioner(self) -> str:
        """The policy that formed partitions."""
        return str(self._short["partitioner"])

    @property
    def unit(self) -> str:
        """What computes the nodes that are taken: ``NPU``, or a library of kernels for the CPU by its name."""
        return str(self._short["unit"])

    @property
    def level(self) -> str:
        """Graph optimizations before partitioning: ``basic`` or ``off``."""
        return str(self._short["level"])

    @functools.cached_property
    def summary(self) -> results.Summary:
        """The answer in numbers."""
        return results.build(results.Summary, self._short["summary"])

    @functools.cached_property
    def cost(self) -> results.Cost:
        """What a run takes, in milliseconds."""
        return results.build(results.Cost, self._short["cost"])

    @functools.cached_property
    def precision(self) -> tuple[results.Precision, ...]:
        """The formats of weights, and what becomes of each."""
        return tuple(results.build(results.Precision, item) for item in self._short["precision"])

    @functools.cached_property
    def advice(self) -> tuple[results.Action, ...]:
        """What to do about it, the best first."""
        return tuple(results.build(results.Action, item) for item in self._short["advice"])

    def fix(self, output: str | os.PathLike[str] | None = None, *, allow: str | Iterable[str] = (),
            **options: Any) -> Fix:
        """What the first line to paste does (`run` of an action): `npu_partition.fix` for this target, with the sizes
        of the analysis and those that it has chosen. `options` are the other ones of `npu_partition.fix`.

        Raises:
            ArgumentError: the model was no file, or was analyzed without advice.
        """
        if self._plan.mend is None:
            raise ArgumentError("only a model that was analyzed from a file, with advice, can be fixed")
        chosen = self.if_fixed
        return self._plan.mend(chosen.dims if chosen else {}, output, allow=allow, **options)

    @functools.cached_property
    def if_fixed(self) -> results.Fixed | None:
        """The answer once dynamic dimensions have sizes; None where nothing is dynamic, or without advice."""
        found = self._short.get("if_fixed")
        return None if found is None else results.build(results.Fixed, found)

    @functools.cached_property
    def causes(self) -> tuple[results.Cause, ...]:
        """Why nodes fall back, the most harmful first."""
        data = _loads(_json([self._plan], "causes"))["targets"][0]
        return tuple(results.build(results.Cause, item) for item in data["causes"])

    @functools.cached_property
    def roots(self) -> tuple[results.Root, ...]:
        """Causes by what is the same in every model, those with the most nodes first."""
        return tuple(results.build(results.Root, item) for item in self._short["roots"])

    @property
    def nodes(self) -> tuple[results.Node, ...]:
        """Every node of the file; its place here is its id."""
        return self._lists.nodes

    @property
    def order(self) -> tuple[int, ...]:
        """Ids of the live nodes in the order that they run."""
        return self._lists.order

    @property
    def modules(self) -> tuple[results.Module, ...]:
        """Modules of the model's source, in the order that they run; none where names do not tell."""
        return self._lists.modules

    @property
    def tensors(self) -> tuple[results.Tensor, ...]:
        """Tensors of all graphs, as the target's runtime knows them."""
        return self._lists.tensors

    @property
    def partitions(self) -> tuple[results.Partition, ...]:
        """What the NPU compiles together."""
        return self._lists.partitions

    @property
    def crossings(self) -> tuple[results.Crossing, ...]:
        """Boundary tensors, which are transferred between devices."""
        return self._lists.crossings

    @property
    def layouts(self) -> tuple[results.Layout, ...]:
        """Tensors that change their layout."""
        return self._lists.layouts

    @property
    def fusions(self) -> tuple[results.Fusion, ...]:
        """Nodes that are fused, or could be."""
        return self._lists.fusions

    @property
    def compiled(self) -> tuple[results.Compiled, ...]:
        """Nodes that hold a graph which is compiled already, and whether it loads."""
        return self._lists.compiled

    @property
    def memory(self) -> results.Memory:
        """What weights and activations take, in bytes."""
        return self._lists.memory

    def explain(self, node: str | int) -> str:
        """Every rule that speaks of a node, with its outcome and the values that it looked at.

        Args:
            node: its name, one of its outputs, or its number in the main graph.
        """
        return _explanation([self._plan], node)

    def shapes(self) -> dict[str, Any]:
        """As `Analysis.shapes`, of what the target's runtime knows."""
        return _shapes(library.npart_plan_view(self._plan.plan.pointer))

    def to_dict(self) -> dict[str, Any]:
        """This target's part of the tool's JSON (docs/json.md)."""
        found: dict[str, Any] = _loads(_json([self._plan], "nodes"))["targets"][0]
        return found

    def to_dataframe(self) -> pandas.DataFrame:
        """The nodes as a pandas table, a row a node, with its id as the index."""
        return _dataframe({"target": self.name, **_row(node)} for node in self.nodes)

    def to_text(self, *, verbose: bool = False, width: int = 80, color: bool = False, ascii_only: bool = False) -> str:
        """The tool's report. `width` is in columns."""
        return _text([self._plan], is_verbose=verbose, width=width, use_color=color, use_ascii=ascii_only)

    def _repr_html_(self) -> str:
        return target_html(self)

    def __str__(self) -> str:
        return self.to_text().removesuffix("\n")

    def __repr__(self) -> str:
        summary = self.summary
        count = f"{summary.partitions} partition{'' if summary.partitions == 1 else 's'}"
        decided = self.decided
        where = f"taken by {decided.by}" if decided else "on the NPU" if self.unit == "NPU" else f"in {self.unit}"
        return f"<Target {self.name}: {summary.verdict}, {count}, {summary.accepted} of {summary.live} nodes {where}>"


class Analysis:
    """A model with what each target makes of it; made by `analyze`. Threads may share it.

    ``str()`` of it is the tool's report. Attributes: ``targets``, in the order in which they were asked for.
    """

    def __init__(self, model: Handle, inference: Handle, plans: Sequence[_Plan], path: str | None = None) -> None:
        self._model, self._inference, self._plans, self._path = model, inference, tuple(plans), path
        self.targets: tuple[Target, ...] = tuple(Target(plan) for plan in plans)

    @functools.cached_property
    def _short(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = _loads(_json(self._plans[:1], "summary"))
        return found

    def _pairs(self) -> Any:
        return _pairs(self._plans)

    @functools.cached_property
    def model(self) -> results.ModelInfo:
        """The model as a whole."""
        found = results.build(results.ModelInfo, self._short["model"])
        return found if self._path is None else dataclasses.replace(found, path=self._path)

    @property
    def _title(self) -> str:
        """The path as reports show it. `model.path` may hold bytes that cannot be printed."""
        return str(self._short["model"]["path"])

    @functools.cached_property
    def findings(self) -> tuple[results.Finding, ...]:
        """What is odd about the model without being an error."""
        return tuple(results.build(results.Finding, item) for item in self._short["findings"])

    def shapes(self) -> dict[str, Any]:
        """Every input and node output of the main graph: ``[element type, dims]`` by name, or None where nothing is
        known; a dim is an int, an expression, or None (docs/json.md, "Shapes")."""
        return _shapes(self._inference.pointer)

    def explain(self, node: str | int) -> str:
        """`Target.explain` for every target."""
        return _explanation(self._plans, node)

    def to_json(self, detail: Detail = "nodes") -> str:
        """The tool's JSON, a line with a newline at its end. `detail` leaves out long lists (docs/json.md)."""
        return _json(self._plans, detail).decode("utf-8", "replace")

    def to_dict(self, detail: Detail = "nodes") -> dict[str, Any]:
        """The tool's JSON (docs/json.md) as a dictionary."""
        found: dict[str, Any] = json.loads(self.to_json(detail))
        return found

    def to_dataframe(self) -> pandas.DataFrame:
        """The nodes of all targets as a pandas table, a row a node and target."""
        return _dataframe({"target": target.name, **_row(node)} for target in self.targets for node in target.nodes)

    def to_text(self, *, verbose: bool = False, width: int = 80, color: bool = False, ascii_only: bool = False) -> str:
        """The tool's report. `width` is in columns; `verbose` adds all causes and notes."""
        return _text(self._plans, is_verbose=verbose, width=width, use_color=color, use_ascii=ascii_only)

    def to_csv(self, detail: Detail = "summary") -> str:
        """A table with a line of names: a row for each target, or of ``"causes"`` or ``"nodes"`` for each of them."""
        return self._document("csv", (), None, detail)

    def to_html(self, outcomes: Iterable[Outcome] = ()) -> str:
        """A page for a browser, in one file that loads nothing (docs/formats.md)."""
        return self._document("html", outcomes, None, None)

    def to_sarif(self, outcomes: Iterable[Outcome] = (), *, root: Root = None) -> str:
        """SARIF 2.1.0 for code scanning: a result for each cause and target. Paths in `root` are relative to it."""
        return self._document("sarif", outcomes, root)

    def to_markdown(self, outcomes: Iterable[Outcome] = (), *, root: Root = None) -> str:
        """A comment for a pull request."""
        return self._document("markdown", outcomes, root)

    def to_junit(self, outcomes: Iterable[Outcome] = (), *, root: Root = None) -> str:
        """JUnit XML."""
        return self._document("junit", outcomes, root)

    def to_github(self, outcomes: Iterable[Outcome] = (), *, root: Root = None) -> str:
        """Annotations of GitHub Actions."""
        return self._document("github", outcomes, root)

    def to_dot(self, detail: Detail = "summary") -> str:
        """A picture of each target for Graphviz: partitions, and what runs on the CPU between them. With many of them
        those that repeat others are one; with ``"nodes"`` each is there."""
        return self._document("dot", (), None, detail)

    def to_svg(self, detail: Detail = "summary") -> str:
        """The same pictures as `to_dot`, drawn: one below the other, without any other program."""
        return self._document("svg", (), None, detail)

    def _document(self, format: Format, outcomes: Iterable[Outcome], root: Root,
                  detail: Detail | None = None) -> str:
        text = io.StringIO(newline="")  # CSV ends its lines with both characters
        with Document(format, text, detail=detail, root=root) as document:
            document.add(self, outcomes)
        return text.getvalue()

    def _repr_html_(self) -> str:
        return analysis_html(self)

    def __str__(self) -> str:
        return self.to_text().removesuffix("\n")

    def __repr__(self) -> str:
        return f"<Analysis of {self._title}: {', '.join(repr(target) for target in self.targets)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("an Analysis cannot be pickled; to_dict() can")


def _row(node: results.Node) -> dict[str, Any]:
    row = {item.name: getattr(node, item.name) for item in dataclasses.fields(node)
           if item.name not in ("reasons", "work", "at")}
    row["reason"] = "; ".join(reason.text for reason in node.reasons)
    row.update({"macs": node.work.macs if node.work else None, "file": node.at.file, "line": node.at.line,
                "module": node.at.module})
    return row


def _dataframe(rows: Iterable[Mapping[str, Any]]) -> pandas.DataFrame:
    try:
        import pandas
    except ImportError:
        raise ImportError("to_dataframe() needs pandas: pip install pandas") from None
    return pandas.DataFrame.from_records(list(rows))


def _advise(inference: Handle, plans: Sequence[Handle], targets: Targets, options: PlanOptions, search: FixOptions,
            path: bytes | None) -> list[_Plan]:
    """What to do about each plan, and what it is with all sizes fixed. Of a file rewrites are searched for."""
    fixed_inference = make(library.npart_inference_make_fixed, library.npart_inference_free, inference.pointer)
    advised = []
    for plan, (text, oplist) in zip(plans, targets.items):
        fixed = _plan(fixed_inference, oplist, text, options) if fixed_inference else None
        pair = plan.pointer, fixed.pointer if fixed else None
        fixes = (ctypes.c_void_p * _native.NPART_MOST_PROPOSALS)()
        count = ctypes.c_uint32()
        try:
            if path is not None:
                call(library.npart_fix_propose, fixes, ctypes.byref(count), path, *pair, encoded(text),
                     ctypes.byref(search.struct))
            advice = make(library.npart_advice_make, library.npart_advice_free, *pair, fixes, count)
        finally:
            for made in fixes[:count.value]:
                library.npart_fix_free(made)
        advised.append(_Plan(plan, fixed, advice))
    return advised


def _mending(path: str, target: str, dims: Mapping[str, int | str] | None, settings: Mapping[str, Any]
             ) -> Callable[..., Fix]:
    def mend(chosen: Mapping[str, int], output: str | os.PathLike[str] | None, **options: Any) -> Fix:
        from ._fix import fix

        return fix(path, target, output, dims={**chosen, **(dims or {})}, **{**settings, **options})

    return mend


def _plan(inference: Handle, oplist: Handle, target: str, options: PlanOptions) -> Handle:
    return make(library.npart_plan_make, library.npart_plan_free, inference.pointer, oplist.pointer,
                encoded(target, "target"), ctypes.byref(options.struct))


def analyze(
    model: ModelSource,
    targets: str | Iterable[str] | Targets | None = None,
    *,
    dims: Mapping[str, int | str] | None = None,
    strict_dims: bool = True,
    inputs: Mapping[str, Sequence[int]] | None = None,
    values: Mapping[str, Number | Sequence[Number]] | None = None,
    level: Literal["basic", "off"] = "basic",
    partitioner: str | None = None,
    gates: str | Iterable[str] | None = None,
    assume: Mapping[str, Device] | None = None,
    assume_nodes: Mapping[str, Device] | None = None,
    cuts: str | Iterable[str] | None = None,
    oplist: str | os.PathLike[str] | None = None,
    cost: str | os.PathLike[str] | None = None,
    runtime: str | None = None,
    sustained: bool = False,
    keep_bytes: int = 0,
    max_memory_bytes: int = 0,
    timeout_s: float = 0,
    limits: Mapping[str, int] | None = None,
    advice: bool = True,
    name: str | None = None,
) -> Analysis:
    """Tells which nodes of an ONNX model each target takes, in how many partitions, and why not the others.

    Weights are neither read nor copied. The interpreter's lock is free meanwhile, so threads analyze side by side.

    Args:
        model: a path, bytes or anything with the buffer protocol, an open binary file, an ``onnx.ModelProto`` of any
            size, a ``torch.onnx.ONNXProgram`` or its ``onnx_ir.Model``.
        targets: such as ``"hexagon"``, ``["hexagon:v73", "intel-npu+openvino"]`` or ``"all"``; see `targets`.
        dims: sizes of dynamic dimensions, by symbol or ``INPUT.AXIS``; ``"..128"`` is an upper bound.
        strict_dims: a dimension in `dims` that the model lacks is an error.
        inputs: whole shapes of inputs.
        values: inputs that are the same in every run, and become constants.
        level: graph optimizations before partitioning, ``"basic"`` (what sessions do) or ``"off"``.
        partitioner: ``waves``, ``runs``, ``connected``, ... instead of the target's own.
        gates: names of the target's stages; the others do not count.
        assume: placement overrides, ``"npu"`` or ``"cpu"`` by op, whatever the rules say.
        assume_nodes: the same by node.
        cuts: tensors, or nodes for all their results, after which the graph is cut.
        oplist: an op list of your own (docs/oplist-format.md), for all targets.
        cost: a cost file, whose parameters count before the list's own.
        runtime: what starts partitions: ``bare``, ``onnxruntime``, ``tflite`` or ``coreml``.
        sustained: costs of a device that has run for minutes.
        keep_bytes: tensors up to this size are read; 0: 4096.
        max_memory_bytes: that the model and all that is made from it may take, reports included; 0: any.
        timeout_s: seconds after which the model is given up, from when it is read; 0: never.
        limits: other limits on what the model may hold, by name (docs/security.md).
        advice: also finds what to do about it, by planning again; without it this is faster.
        name: what reports call the model; None: its path.

    Raises:
        ReadError: the model cannot be read.
        MalformedError, LimitError: it is no model, or too deep, or needs more memory than it may take.
        OutOfTimeError: `timeout_s` is over.
        ArgumentError: no such target, dimension or input.
        OplistError: a list or cost file has a mistake.
    """
    read = ReadOptions(values, keep_bytes, name, max_memory_bytes, timeout_s, limits)
    sizes = Sizes(dims, inputs, strict_dims)
    options = PlanOptions(level, partitioner, gates, assume, assume_nodes, cuts, runtime, sustained)
    wanted = targets if isinstance(targets, Targets) else Targets(targets, oplist, cost)
    loaded = read_model(model, read.struct)
    inference = make(library.npart_inference_make, library.npart_inference_free, loaded.pointer,
                     ctypes.byref(sizes.struct))
    plans = [_plan(inference, one, text, options) for text, one in wanted.items]
    # As given, so that it can be opened: in the JSON, bytes that are no UTF-8 are replaced.
    path = os.fsdecode(model) if name is None and isinstance(model, (str, os.PathLike)) else None
    file = path if path is not None and os.path.isfile(path) else None
    if advice:
        search = FixOptions(sizes, options, values, keep_bytes, max_memory_bytes, timeout_s, limits, oplist, cost)
        advised = _advise(inference, plans, wanted, options, search, None if file is None else os.fsencode(file))
    else:
        advised = [_Plan(plan, None, None) for plan in plans]
    if advice and file is not None:
        settings = {"inputs": inputs, "values": values, "level": level, "partitioner": partitioner, "oplist": oplist,
                    "cost": cost, "runtime": runtime, "keep_bytes": keep_bytes, "max_memory_bytes": max_memory_bytes,
                    "timeout_s": timeout_s, "limits": limits}
        advised = [dataclasses.replace(plan, mend=_mending(file, text, dims, settings))
                   for plan, (text, _oplist) in zip(advised, wanted.items)]
    end_time(plans[0].pointer)
    return Analysis(loaded, inference, advised, path)
