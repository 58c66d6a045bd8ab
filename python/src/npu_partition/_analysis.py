# SPDX-License-Identifier: Apache-2.0
"""A model with what its targets make of it."""
from __future__ import annotations

import ctypes
import functools
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union, cast

from ._arguments import FixOptions, PlanOptions, ReadOptions, Sizes, Targets, encoded, end_time, precisions, reusable
from ._errors import ArgumentError, TargetError
from ._later import Later
from ._library import Handle, library, make, plain_text
from ._report import Detail, Plan, loads, look
from ._source import Kept, Live, Request, Source
from ._words import on_unit, several

if TYPE_CHECKING:
    import pandas

    from . import _documents, _fix, _frame, _html, _input, _session, results
    from ._arguments import Device, Number, Options
    from ._documents import Outcome
    from ._fix import Fix
    from ._frame import Table
    from ._input import ModelSource
    from ._session import SessionOptions
    from .results import Format
else:
    _documents, _fix, _frame, _html, _input, _session, results = map(
        Later, ("._documents", "._fix", "._frame", "._html", "._input", "._session", ".results"))

Root = Union[str, "os.PathLike[str]", None]
FIXING = ("inputs", "values", "level", "partitioner", "oplist", "cost", "runtime", "keep_bytes", "max_memory_bytes",
          "timeout_s", "limits")  # options of `analyze` that `fix` has, too


class _Lists(NamedTuple):
    """Of a target what is long, and made only when somebody asks."""

    nodes: tuple[results.Node, ...]
    order: tuple[int, ...]
    modules: tuple[results.Module, ...]
    partitions: tuple[results.Partition, ...]
    crossings: tuple[results.Crossing, ...]
    layouts: tuple[results.Layout, ...]
    fusions: tuple[results.Fusion, ...]
    memory: results.Memory
    compiled: tuple[results.Compiled, ...]


class Target:
    """What one target makes of the model. Lists are read from the library when they are first asked for."""

    def __init__(self, source: Source, at: int) -> None:
        self._source, self._at = source, at

    def _document(self, detail: Detail) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._source.document(detail, self._at)["targets"][0]
        return found

    @functools.cached_property
    def _short(self) -> Mapping[str, Any]:
        return self._document("summary")

    @functools.cached_property
    def _lists(self) -> _Lists:
        data = self._document(_longest(self._source))
        for place, node in enumerate(data["nodes"]):
            node.setdefault("id", place)
            node.setdefault("inputs", ())
            node.setdefault("outputs", ())

        def every(kind: type[results.T], name: str) -> tuple[results.T, ...]:
            return tuple(results.build(kind, item) for item in data[name])

        return _Lists(every(results.Node, "nodes"), tuple(data["order"]), every(results.Module, "modules"),
                      every(results.Partition, "partitions"), every(results.Crossing, "crossings"),
                      every(results.Layout, "layouts"), every(results.Fusion, "fusions"),
                      results.build(results.Memory, data["memory"]),
                      tuple(results.build(results.Compiled, item) for item in data.get("compiled", ())))

    @property
    def name(self) -> str:
        """As it could be asked for again, but for the toolchain: ``hexagon:v73+float``."""
        return str(self._short["name"])

    @property
    def as_(self) -> str | None:
        """The precision that the model was looked at in, as if it had been quantized so; None: its own."""
        found = self._short.get("as")
        return None if found is None else str(found)

    @property
    def kept(self) -> tuple[str, ...]:
        """Nodes that `as_` leaves in float (``"w8a8:keep=softmax"``): their names, or those of their first results."""
        return tuple(self._short.get("kept", ()))

    @property
    def wide(self) -> tuple[str, ...]:
        """Nodes whose activations `as_` gives 16 bits where others have 8 (``"w8a8:keep16=softmax"``)."""
        return tuple(self._short.get("wide", ()))

    @property
    def widened(self) -> tuple[str, ...]:
        """Weights that `as_` gives 8 bits where others have 4 (``"w4a16:min-db=20"``)."""
        return tuple(self._short.get("widened", ()))

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

    def fix(self, output: str | os.PathLike[str] | None = None, *, allow: str | Iterable[str] | None = None,
            **options: Any) -> Fix:
        """What the first line to paste does (`run` of an action): `npu_partition.fix` for this target, with the sizes
        of the analysis and those that it has chosen. `options` are the other ones of `npu_partition.fix`.

        Args:
            output: where to write; None: nothing is written (`Fix.write` does it).
            allow: classes of equality; None: those of that line.

        Raises:
            ArgumentError: the model was no file, or was analyzed without advice.
        """
        return _mend(self._source, [self], output, allow, options)

    def session_options(self) -> SessionOptions:
        """The provider and the options by which a session of ONNX Runtime does what this plan says.

        Raises:
            ArgumentError: ONNX Runtime has no provider for the target.
        """
        return _session.session_options(self)

    @functools.cached_property
    def if_fixed(self) -> results.Fixed | None:
        """The answer once dynamic dimensions have sizes; None where nothing is dynamic, or without advice."""
        found = self._short.get("if_fixed")
        return None if found is None else results.build(results.Fixed, found)

    @functools.cached_property
    def causes(self) -> tuple[results.Cause, ...]:
        """Why nodes fall back, the most harmful first."""
        return tuple(results.build(results.Cause, item) for item in self._document("causes")["causes"])

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

    @functools.cached_property
    def tensors(self) -> tuple[results.Tensor, ...]:
        """Tensors of all graphs, as the target's runtime knows them."""
        return tuple(results.build(results.Tensor, item) for item in self._document("tensors")["tensors"])

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
        return self._source.explain(node, self._at)

    def shapes(self) -> dict[str, Any]:
        """As `Analysis.shapes`, of what the target's runtime knows."""
        return self._source.shapes(self._at)

    def to_dict(self) -> dict[str, Any]:
        """This target's part of the tool's JSON (docs/json.md)."""
        found: dict[str, Any] = loads(self._source.json(None))["targets"][self._at]
        return found

    def to_dataframe(self, of: Table = "nodes") -> pandas.DataFrame:
        """Nodes, ``"causes"`` or ``"partitions"`` as a pandas table of nullable types: a row for each, whose id is also
        the index."""
        return _frame.frame_of([self], of)

    def to_text(self, *, verbose: bool = False, width: int = 80, color: bool = False, ascii_only: bool = False) -> str:
        """The tool's report. `width` is in columns."""
        return self._source.text(look(verbose=verbose, width=width, color=color, ascii_only=ascii_only), self._at)

    def _repr_html_(self) -> str:
        return _html.target_html(self)

    def __str__(self) -> str:
        return _text(self._source, self._at) or _short_text(self)

    def __repr__(self) -> str:
        return f"<Target {self._headline}>"

    @property
    def _headline(self) -> str:
        summary, decided = self.summary, self.decided
        where = f"taken by {decided.by}" if decided else on_unit(self.unit)
        return (f"{self.name}: {summary.verdict}, {several(summary.partitions, 'partition')}, "
                f"{summary.accepted} of {summary.live} nodes {where}")


class Analysis:
    """A model with what each target makes of it; made by `analyze`. Threads may share it.

    ``str()`` of it is the tool's report. Attributes: ``targets``, in the order in which they were asked for.

    It pickles with all results. What only the model can tell then (`explain`, other formats) analyzes the file again.
    """

    targets: tuple[Target, ...]

    def __init__(self, source: Source, path: str | None = None) -> None:
        self._source, self._path = source, path
        self.targets = tuple(Target(source, at) for at in range(source.count()))

    def __getitem__(self, target: str | int) -> Target:
        """A target by its name (``report["hexagon:v73"]``), that of its list (``report["hexagon"]``), or its place; in
        a precision as ``report["hexagon as w8a8"]``.

        Raises:
            TargetError: the report has none of that name, or several. It is a `KeyError`, too.
        """
        if not isinstance(target, str):
            return self.targets[target]

        def as_text(name: str, item: Target) -> str:
            return f"{name} as {item.as_}" if item.as_ else name

        found = [item for item in self.targets if target in (as_text(item.name, item), as_text(item.target, item))]
        found = found or [item for item in self.targets if target in (item.name, item.target)]
        exact = [item for item in found if as_text(item.name, item) == target]
        if len(exact or found) == 1:
            return (exact or found)[0]
        names = ", ".join(as_text(item.name, item) for item in found or self.targets)
        raise TargetError(f"the report has several of them: {names}" if found else f"the report has {names}",
                          about=target)

    def __contains__(self, target: object) -> bool:
        try:
            return isinstance(target, str) and self[target] is not None
        except TargetError:
            return False

    def __iter__(self) -> Iterator[Target]:
        return iter(self.targets)

    def __len__(self) -> int:
        return len(self.targets)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Analysis:
        """What `to_dict` has returned, at any detail, or a line of the tool's JSON, with the results that it has.

        Raises:
            MalformedError: it is no report; the place says where, such as ``targets[0].summary.nodes``. A result that a
                report of another version lacks raises it once it is asked for.
        """
        return cls(Kept.of(data))

    @functools.cached_property
    def _short(self) -> Mapping[str, Any]:
        return self._source.document("summary", 0)

    @functools.cached_property
    def model(self) -> results.ModelInfo:
        """The model as a whole."""
        found = results.build(results.ModelInfo, self._short["model"])
        return found if self._path is None else results.with_path(found, self._path)

    @property
    def _title(self) -> str:
        """The path as reports show it. `model.path` may hold bytes that cannot be printed."""
        return str(self._short["model"]["path"])

    @functools.cached_property
    def findings(self) -> tuple[results.Finding, ...]:
        """What is odd about the model without being an error."""
        return tuple(results.build(results.Finding, item) for item in self._short["findings"])

    @functools.cached_property
    def padding(self) -> results.Padding | None:
        """What fixed sizes compute for nothing; None: it was not said how long inputs are (`lengths`)."""
        return results.build(results.Padding, self._short["padding"]) if "padding" in self._short else None

    def shapes(self) -> dict[str, Any]:
        """Every input and node output of the main graph: ``[element type, dims]`` by name, or None where nothing is
        known; a dim is an int, an expression, or None (docs/json.md, "Shapes")."""
        return self._source.shapes()

    def explain(self, node: str | int) -> str:
        """`Target.explain` for every target."""
        return self._source.explain(node)

    def fix(self, output: str | os.PathLike[str] | None = None, *, allow: str | Iterable[str] | None = None,
            **options: Any) -> Fix:
        """Does what the report advises, for all its targets, as `Target.fix` does for one."""
        return _mend(self._source, self.targets, output, allow, options)

    def to_json(self, detail: Detail | None = None) -> str:
        """The tool's JSON, a line with a newline at its end. `detail` leaves out long lists (docs/json.md); None:
        ``"nodes"``, or of a saved report what it has."""
        return self._source.json(detail).decode("utf-8", "replace")

    def to_dict(self, detail: Detail | None = None) -> dict[str, Any]:
        """The tool's JSON (docs/json.md) as a dictionary, of which `from_dict` makes an analysis again."""
        found: dict[str, Any] = loads(self._source.json(detail))
        return found

    def to_dataframe(self, of: Table = "nodes") -> pandas.DataFrame:
        """`Target.to_dataframe` of all targets, one after the other."""
        return _frame.frame_of(self.targets, of)

    def to_text(self, *, verbose: bool = False, width: int = 80, color: bool = False, ascii_only: bool = False) -> str:
        """The tool's report. `width` is in columns; `verbose` adds all causes and notes."""
        return self._source.text(look(verbose=verbose, width=width, color=color, ascii_only=ascii_only))

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

    def to_gitlab(self, outcomes: Iterable[Outcome] = (), *, root: Root = None) -> str:
        """GitLab's Code Quality report."""
        return self._document("gitlab", outcomes, root)

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
        with _documents.Document(format, text, detail=detail, root=root) as document:
            document.add(self, outcomes)
        return text.getvalue()

    def _repr_html_(self) -> str:
        return _html.analysis_html(self)

    def __str__(self) -> str:
        return _text(self._source) or "\n".join([self._title, *map(_short_text, self.targets)])

    def __repr__(self) -> str:
        return f"<Analysis of {self._title}: {', '.join(repr(target) for target in self.targets)}>"


def _longest(source: Source) -> Detail:
    """What long lists are read from: tensors are asked for by themselves where they are not there."""
    return "tensors" if isinstance(source, Live) or source.has("tensors") else "nodes"


def _text(source: Source, at: int | None = None) -> str:
    """The tool's report; empty where it was not kept."""
    return "" if isinstance(source, Kept) and not source.has_text() else source.text({}, at).removesuffix("\n")


def _short_text(target: Target) -> str:
    """Of a saved report, which is no text."""
    first = target.advice[0].text if target.advice else ""
    lines = [target._headline, *(f"  {cause.text}: {several(cause.victims, 'node')}" for cause in target.roots[:3]),
             *([f"  First: {first}"] if first else [])]
    return "\n".join(map(plain_text, lines))


def _mend(source: Source, targets: Sequence[Target], output: str | os.PathLike[str] | None,
          allow: str | Iterable[str] | None, options: Mapping[str, Any]) -> Fix:
    """`fix` as the report advises it."""
    request = source.request
    if request is None or request.file is None or not request.options.get("advice", True):
        raise ArgumentError("only a model that was analyzed from a file, with advice, can be fixed")
    given = request.options
    chosen = {name: size for target in targets if target.if_fixed for name, size in target.if_fixed.dims.items()}
    settings: dict[str, Any] = {name: value for name, value in given.items() if name in FIXING}
    settings["dims"] = {**chosen, **(given.get("dims") or {})}
    if allow is None:
        allow = sorted({name for target in targets for name in _allowed(target.advice)})
    if len(targets) == 1 and not {"end_at", "begin_at"} & options.keys():
        settings |= _ends(targets[0].advice, output)
    return _fix.fix(request.file, [request.targets[target._at] for target in targets], output, allow=allow,
                    **{**settings, **options})


def _ends(advice: Sequence[results.Action], output: str | os.PathLike[str] | None) -> dict[str, Any]:
    """Where the first line to paste ends or begins the model, with files of the other parts beside the output."""
    run = next((action.run for action in advice if action.run and action.run[1:2] == ("fix",)), ())
    found: dict[str, Any] = {}
    for option, name, file, suffix in (("--end-at", "end_at", "rest", ".host.onnx"),
                                       ("--begin-at", "begin_at", "head", ".head.onnx")):
        if option in run:
            found[name] = run[run.index(option) + 1].split(",")
            if output is not None:
                found[file] = os.fspath(output).removesuffix(".onnx") + suffix
    return found


def _allowed(advice: Sequence[results.Action]) -> list[str]:
    """The classes that the first line to paste which fixes the model has."""
    run = next((action.run for action in advice if action.run and action.run[1:2] == ("fix",)), ())
    return run[run.index("--allow") + 1].split(",") if "--allow" in run else []


def _advise(inference: Handle, plans: Sequence[Handle], targets: Targets, options: PlanOptions,
            search: FixOptions) -> list[Plan]:
    """What to do about each plan, and what it is with all sizes fixed."""
    fixed_inference = make(library.npart_inference_make_fixed, library.npart_inference_free, inference.pointer)
    advised = []
    for plan, (text, oplist) in zip(plans, targets.items):
        fixed = _plan(fixed_inference, oplist, text, options) if fixed_inference else None
        pair = plan.pointer, fixed.pointer if fixed else None
        advice = make(library.npart_advice_find, library.npart_advice_free, *pair, encoded(text),
                      ctypes.byref(search.struct))
        advised.append(Plan(plan, fixed, advice))
    return advised


def _plan(inference: Handle, oplist: Handle, target: str, options: PlanOptions) -> Handle:
    return make(library.npart_plan_make, library.npart_plan_free, inference.pointer, oplist.pointer,
                encoded(target, "target"), ctypes.byref(options.struct))


def analyze(
    model: ModelSource,
    targets: str | Iterable[str] | Targets | None = None,
    *,
    as_: str | Iterable[str] | None = None,
    dims: Mapping[str, int | str] | None = None,
    strict_dims: bool = True,
    lengths: Sequence[int] | Mapping[str, int] | None = None,
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
    ram: int | str = 0,
    prompt: int = 0,
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
        as_: precisions in which each target is asked, as if the model had been quantized so: ``"w8a8"``,
            ``["w8a16", "w4a16:block=64"]`` or ``"all"``, which has the model as it is, too; None: as it is.
        dims: sizes of dynamic dimensions, by symbol or ``INPUT.AXIS``; ``"..128"`` is an upper bound.
        strict_dims: a dimension in `dims` that the model lacks is an error.
        lengths: how long inputs are along the one with an upper bound, ``[17, 40, 9]`` or ``{"p50": 40, "p95": 128}``.
        inputs: whole shapes of inputs.
        values: inputs that are the same in every run, and become constants.
        level: graph optimizations before partitioning, ``"basic"`` (what sessions do) or ``"off"``.
        partitioner: ``waves``, ``runs``, ``connected``, ... instead of the target's own.
        gates: names of the target's stages; the others do not count.
        assume: placement overrides, ``"npu"`` or ``"cpu"`` by op, whatever the rules say.
        assume_nodes: the same by node.
        cuts: tensors, or nodes for all their results, after which the graph is cut.
        oplist: an op list of your own (docs/oplist-format.md), for all targets.
        cost: a cost file, whose parameters replace those of the list.
        runtime: what starts partitions: ``bare``, ``onnxruntime``, ``tflite`` or ``coreml``.
        sustained: costs of a device that has run for minutes.
        ram: bytes that there are for weights and activations, or a class of devices such as ``"phone"``; 0: not asked.
        prompt: of a decoder, tokens of the prompt whose time is told; 0: 1024, or half of its slots.
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
    given = reusable(cast("Options", {name: value for name, value in locals().items()
                                      if name not in ("model", "targets")}))
    gates, cuts = given["gates"], given["cuts"]
    read = ReadOptions(values, keep_bytes, name, max_memory_bytes, timeout_s, limits)
    sizes = Sizes(dims, inputs, strict_dims, lengths)
    options = PlanOptions(level, partitioner, gates, assume, assume_nodes, cuts, runtime, sustained, ram,
                          prompt)
    wanted = targets if isinstance(targets, Targets) else Targets(targets, oplist, cost)
    loaded = _input.read_model(model, read.struct)
    inference = make(library.npart_inference_make, library.npart_inference_free, loaded.pointer,
                     ctypes.byref(sizes.struct))
    # As given, so that it can be opened: in the JSON, bytes that are no UTF-8 are replaced.
    path = os.fsdecode(model) if name is None and isinstance(model, (str, os.PathLike)) else None
    file = path if path is not None and os.path.isfile(path) else None
    search = FixOptions(sizes, options, values, keep_bytes, max_memory_bytes, timeout_s, limits, oplist, cost)
    looks = []
    for precision in precisions(given["as_"]):
        seen = inference
        if precision is not None:
            seen_model = make(library.npart_model_as, library.npart_model_free, loaded.pointer, encoded(precision))
            seen = make(library.npart_inference_make, library.npart_inference_free, seen_model.pointer,
                        ctypes.byref(sizes.struct))
        plans = [_plan(seen, one, text, options) for text, one in wanted.items]
        looks.append(_advise(seen, plans, wanted, options, search) if advice
                     else [Plan(plan, None, None) for plan in plans])
    advised = [plan for of_target in zip(*looks) for plan in of_target]
    end_time(advised[0].plan.pointer)
    request = Request(file, tuple(text for text, _oplist in wanted.items for _look in looks), given)
    return Analysis(Live(loaded, inference, advised, request), path)
