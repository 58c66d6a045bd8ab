# SPDX-License-Identifier: Apache-2.0
"""What an analysis tells, as frozen dataclasses. They are made from the tool's JSON, whose fields they are.

Times are milliseconds, sizes bytes, shares between 0 and 1. None stands for "none" or "not known", as said. Ids of
nodes, partitions and causes are places in ``Target.nodes``, ``.partitions`` and ``.causes``.
"""
from __future__ import annotations

import dataclasses
import functools
import json
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar, Union

from ._errors import MalformedError

Figure = Union[int, str, None]  # an expression over the model's symbols where sizes are dynamic


class Range(NamedTuple):
    """Milliseconds: eight of ten runs take between low and high."""

    low_ms: float
    typical_ms: float
    high_ms: float


# ---- from records.table ----------------------------------------------------------------------------------------

Verdict = Literal["cpu", "npu", "fail", "unknown", "folded", "fused"]
"""What becomes of a node."""
PlanVerdict = Literal["whole", "edge", "split", "none", "fails", "empty"]
"""A plan in a word."""
ReleaseStanding = Literal["listed", "between", "newer", "older"]
"""How much the list knows of the release of the toolchain that was asked for."""
CompiledVerdict = Literal["loads", "recompile", "refused", "unknown"]
"""Whether a graph that is compiled already can be loaded, by what the file says of it."""
Level = Literal["basic", "off"]
"""What a session does before it partitions."""
Outcome = Literal["no", "fail", "unknown", "note", "elsewhere"]
"""How a rule came out for a node."""
Equality = Literal["bits", "bits-if", "ulp", "step", "approx"]
"""How equal a model is afterwards, from the strongest."""
SlotOrder = Literal["right", "any", "left"]
"""Where slots of a cache may be that are used."""
Present = Literal["new", "shift"]
"""What the outputs of a cache are."""
PortRole = Literal["tokens", "positions", "mask", "bias", "rows", "past", "present", "other", "state"]
"""What the host of a model with a fixed cache does with an input or output."""
PartSide = Literal["head", "model", "rest", "caller"]
"""Which part of a model that was ended, or begun, at some tensors."""
Change = Literal["same", "different", "better", "worse"]
"""What a comparison says of a figure, a root or a node."""
Fate = Literal["live", "constant", "shape-arithmetic", "inlined", "untaken", "identity", "dropout", "fused", "no-op"]
"""What a session does with a node of the file."""
WorkClass = Literal["none", "matrix", "product", "depthwise", "normalize", "function", "elementwise", "move", "convert"]
"""Which of an NPU's units does the work of a node, and so at which rate."""
CauseKind = Literal["op", "dtype", "rank", "shape", "dynamic", "constant", "attribute", "policy"]
"""What a rule is about, and so the cause that it makes."""
Happening = Literal["native", "dequantized", "vector", "cpu", "fails", "unknown"]
"""What becomes of a format of weights."""
FusionState = Literal["fused", "separate", "nearly"]
"""Whether nodes that can be fused are."""
Worth = Literal["yes", "probably", "after_fix", "equal", "probably_not", "no", "none"]
"""Whether the NPU is worth it."""
Choice = Literal["npu", "mend", "cpu", "undecided"]
"""What to do about a target."""
Pays = Literal["mends", "faster", "fewer_partitions", "more_on_npu"]
"""What a step brings over the one before it: the first of these that holds."""
Limited = Literal["file", "one-file", "weights", "tensors", "activations", "session", "partition-weights", "partitions",
                  "ram", "flash"]
"""What a format, a device or its tools have no room for beyond some bytes, or some number."""
Attention = Literal["multi-head", "grouped-query", "multi-query"]
"""How many heads of queries share keys and values."""
PartDevice = Literal["npu", "cpu", "gpu"]
"""Where a part of a set of models runs."""
RunsFrom = Literal["user", "tokens", "once"]
"""Who says how often a part runs."""
CostBasis = Literal["documents", "measured_family", "measured"]
"""What the rates of a run stand on."""
LinkKind = Literal["tensor", "cache", "application"]
"""What passes from one part to another."""
LinkOrigin = Literal["name", "shape", "user"]
"""What a link was found by."""
Format = Literal["text", "json", "sarif", "github", "markdown", "junit", "csv", "dot", "svg", "html", "model-explorer",
                 "gitlab"]
"""What a report or document is written as. A new one is a row here, of lib/report/documents.def and of
tools/formats.def."""
CauseChangeState = Literal["new", "more", "lost", "fewer", "same"]
"""What became of a root."""
NodeChangeState = Literal["moved", "replaced", "added", "removed"]
"""What became of a node."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the model that is odd but no error."""

    code: str
    """A stable word: ``unsorted``, ``shadowed-name``, ``tensor-data``, ``unknown-operator``, ``unknown-domain``,
    ``unused-function``, ``training-info``, ``shape-contradiction``, ``input-shape``, ... ``invalid``: no release
    of ONNX Runtime loads the model; ``newer-runtime``: the newest does, older ones do not, and a target whose
    provider is built into one of these fails; ``sparse``: weights that stand sparse in the file, and are planned
    dense; ``compiled``: a node holds a graph that is compiled already."""
    text: str
    """A sentence."""
    at: str
    """The node or byte it is about."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The model as a whole."""

    path: str
    """As given; ``-`` for standard input, or a word in ``<>`` for what has no path."""
    ir_version: int
    """As the file says."""
    producer: str
    opsets: Mapping[str, int]
    """Version by domain; the default domain is called ``ai.onnx``."""
    nodes: int
    """Of all graphs, those of inlined functions included."""
    bytes: int
    """Of the file or stream."""
    weight_bytes: int
    """Of all constant tensors by dims and type, external ones included."""


@dataclass(frozen=True, slots=True)
class Release:
    """The release of the toolchain that was asked for, and what a newer one takes besides."""

    standing: ReleaseStanding
    """Whether the list has rules for it: ``listed``: it has rules for it; ``between``: the rules are those of the
    release before it; ``newer``: it is newer than all that the list has; the rules are those of the newest;
    ``older``: it is older than all that the list has: what the oldest takes is undecided."""
    rules: str
    """The release whose rules these are."""
    newer: str | None
    """The first newer release that takes most nodes; None: none takes more, or the release is ``older``."""
    newer_nodes: int
    """Nodes that fall back, fail or are undecided, and that it takes."""
    newer_ops: tuple[str, ...]
    """Their operators, in the order of the nodes."""


@dataclass(frozen=True, slots=True)
class Decided:
    """Who decides, once the runtime has taken nodes, which unit runs them, and what surely is not run by the NPU."""

    by: str
    """``Core ML``, ..."""
    units: tuple[str, ...]
    """Among which units, the NPU first."""
    taken: int
    """Nodes that it is handed."""
    elsewhere: int
    """Of these those surely not on the NPU, as is documented or published."""
    most_on_npu: float
    """At most this share of the multiply-accumulates, or else of nodes."""
    reasons: tuple[Elsewhere, ...]
    """By requirement, that of most nodes first."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What nodes that are not on the NPU do not meet."""

    rule: str
    """The rule's id."""
    text: str
    """The requirement as a sentence."""
    because: str
    """Why it is required; ``""`` where the list does not say."""
    source: str
    """Where it stands."""
    advice: str | None
    """What to change in the model; None: not said."""
    nodes: int
    """How many nodes do not meet it."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """The same model once its dynamic dimensions have sizes."""

    dims: Mapping[str, int]
    """The size chosen for each."""
    summary: Summary


@dataclass(frozen=True, slots=True)
class Summary:
    """A target's answer in numbers, counted over the nodes of all graphs."""

    nodes: int
    """``folded`` + ``live``."""
    folded: int
    """Removed before partitioning."""
    fused: int
    """Of the folded ones: fused into other nodes."""
    live: int
    """The others: ``accepted`` + ``refused`` + ``unknown``."""
    accepted: int
    """On the NPU, or handed to who decides that later."""
    refused: int
    """Fall back to the CPU; includes ``failed``."""
    failed: int
    """Claimed by the provider, then fail to compile."""
    unknown: int
    """Undecided."""
    partitions: int
    """On the NPU."""
    partitions_if_unknown: tuple[int, int]
    """Their number with every undecided node left to the CPU and accepted, the smaller first."""
    switches: int
    """How often control passes from NPU to CPU or back in execution order; the first and last hand-over count only
    where a CPU node stands there."""
    coverage: float
    """``accepted`` / ``live``; 1 where nothing is live."""
    macs: int | None
    """Multiply-accumulates of the live nodes; None where a shape that they depend on is not known, or how often a
    body of ``If``, ``Loop`` or ``Scan`` runs."""
    macs_on_npu: int | None
    """Of these those in partitions, or None."""
    mac_coverage: float | None
    """``macs_on_npu`` / ``macs``; None where they are not known, or there are none."""
    verdict: PlanVerdict
    """Of the plan. It ``fails``, too, where the target's runtime refuses the model (``invalid``), or creates no
    session for it (the target's own ``findings``): ``whole``: all on the NPU, or handed to who decides that
    later, in one partition; ``edge``: one partition, and only QuantizeLinear of inputs and DequantizeLinear of
    outputs on the CPU; ``split``: several partitions, or nodes on the CPU; ``none``: nothing on the NPU;
    ``fails``: some node fails to compile; ``empty``: nothing is live."""
    fits: bool | None
    """Whether all of ``memory.limits`` are kept, but for ``one-file``; None: not known, or the op list states none."""
    placed_later: int
    """Of the accepted nodes those whose unit another than the runtime decides, see ``decided``."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A rule that a node does not meet, may not meet, or that has something to say of it."""

    gate: str
    """The stage of the target by its name; ``fold`` for a folded node."""
    rule: str
    """A stable id, ``hexagon/Conv/rank(X)``; for a folded node ``constant``, ``shape-arithmetic``, ``inlined`` (a
    call, or an If whose condition is constant), ``untaken`` (in the branch that such an If never takes),
    ``identity``, ``dropout``, ``fused``, ``no-op``."""
    text: str
    """The requirement as a sentence."""
    found: str
    """What was found where it is not met, as a sentence; for a fused node the one that it is part of."""
    source: str
    """Where the requirement comes from."""
    because: str | None = None
    """Why it is required; absent where the list does not say."""
    standing: str | None = None
    """How far that is verified: ``compiler``, ``source``, ``reported`` by users, or ``documents``; absent for a
    folded node."""
    outcome: Outcome | None = None
    """Absent for a folded node."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A node that holds a graph that is compiled already, and what becomes of it on the target."""

    node: int | None
    """Its id."""
    verdict: CompiledVerdict
    """By what the file says of itself alone: the device is not asked: ``loads``: for this generation of chips, by a
    compiler that is not too new; ``recompile``: it loads, and is slower than one that is compiled for this chip;
    ``refused``: the runtime does not load it; ``unknown``: the file does not say enough."""
    provider: str
    """As the file writes it; ``""`` where it does not say."""
    file: str | None
    """In which the graph is, or None: it is in the model."""
    text: str
    """The verdict in a sentence."""
    remedy: str | None
    """What to do about it; begins with a verb; None: nothing."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a node computes and moves, with what is fused into it; all 0 for one that is not live. In the body of an
    If, Loop or Scan it is for one pass."""

    work_class: WorkClass
    """Which unit does it; see "Work": ``none``: nothing is computed or moved: Reshape, Identity; a Q or DQ of a QDQ
    node unit; ``matrix``: products with constant weights: Conv, Gemm, MatMul, recurrent operators; ``product``:
    products of two activations: MatMul in attention, Attention itself; ``depthwise``: few channels a group:
    depthwise Conv, pooling; ``normalize``: Softmax, LayerNormalization, reductions: several passes over an axis;
    ``function``: Erf, Exp, Tanh, Gelu, ...: many operations an element; ``elementwise``: arithmetic, comparisons,
    Where, Clip; ``move``: Transpose, Concat, Slice, Gather, Pad, Resize by nearest: elements change their place;
    ``convert``: QuantizeLinear, DequantizeLinear, Cast that stand alone."""
    macs: Figure
    """Multiply-accumulates."""
    operations: Figure
    """Arithmetic operations besides."""
    bytes_in: Figure
    """Of activations, by their types in the file; of what is quantized by its own, scales included."""
    bytes_out: Figure
    weight_bytes: Figure
    """Of constants, likewise."""
    rows: Figure
    """The product: that of rows, columns, depth, taps and groups is ``macs``; all are 0 where there is none."""
    columns: Figure
    depth: Figure
    taps: Figure
    groups: Figure
    activation_type: int
    """ONNX's number of the element type; 0: there is none, or it is not known."""
    weight_type: int


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a node comes from, as far as the exporter left that."""

    file: str | None = None
    """Where the model's source made it; left away where it is not noted."""
    line: int | None = None
    module: str | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the file, and what became of it."""

    id: int
    """Its place in ``nodes``, which partitions and causes use."""
    index: int
    """Its place in the node list of its graph."""
    graph: str
    """``""`` is the main one, else ``<node index>:<attribute>`` (a body) or ``<node index>:<function>`` (an inlined
    call), joined by ``/``."""
    name: str
    """As the file says; domain ``""`` is ai.onnx."""
    op: str
    domain: str
    verdict: Verdict
    """``npu``, ``cpu``, ``fail``, ``unknown``, ``folded``, or ``fused``: fused into another node before
    partitioning."""
    into: int | None
    """Of a ``fused`` node the id of the one that it is part of, whose verdict holds for both."""
    partition: int | None
    """Id, or None."""
    reasons: tuple[Reason, ...]
    """Every rule that did not hold, could not be told, or has something to say."""
    cause: int | None
    """Id of the cause why it falls back, or None."""
    work: Work | None
    """None for a folded or fused node."""
    structure: str
    """Where it stands in its graph, by structure alone: four numbers of 32 bits in hexadecimal digits, which
    ``npu-partition diff`` recognizes a node by (docs/diff.md)."""
    at: Origin
    module: int | None
    """The innermost module that it stands in, by its place in ``modules``, or None."""
    inputs: tuple[int | None, ...]
    """With ``--detail tensors`` what it reads and makes, by places in ``tensors``; None for an operand that is left
    out."""
    outputs: tuple[int | None, ...]
    ms: float | None = None
    """Its typical time in milliseconds where it runs; absent where that is not known."""
    placed: str | None = None
    """Of a node in a partition, where there is ``decided``: ``runtime``: which unit runs it is decided later;
    ``elsewhere``: not on the NPU. Else absent."""


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the model's source, by what exporters write into the names of nodes, with all modules inside it."""

    path: str
    """``encoder.layers.3.fc1`` of PyTorch, and of others with the slashes of the names:
    ``model_1/block_1/batchnorm``; the body of a function of the model is a module, called as the node that calls
    it."""
    parent: int | None
    """The module that it is in, by its place in this list, which is before its own; or None."""
    nodes: int
    """Nodes as in ``summary``."""
    live: int
    accepted: int
    macs: int | None
    """Multiply-accumulates as in ``summary``, or None."""
    macs_on_npu: int | None
    npu_ms: float | None
    """The typical time of its nodes on the NPU, without switches, or None."""
    cpu_ms: float | None
    """The same of its other live ones."""
    switches: int
    """Of ``summary.switches`` those that lead to a node of it."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor, or a sequence, map or optional."""

    name: str
    """As the file says; graphs may use a name again."""
    type: str | None
    """``float32``, ``int64``, ...; ``sequence``, ``map`` or ``optional`` for what is none; None: not known."""
    dims: tuple[int | str | None, ...] | None
    """A number, an expression over the model's symbols as text, or None where it is not known; None as a whole where
    the rank is not known."""
    constant: bool
    """Known before the model runs: a weight, or what is computed of constants."""


@dataclass(frozen=True, slots=True)
class Partition:
    """Nodes that the NPU compiles together."""

    id: int
    """Its number."""
    graph: str
    """The graph it lies in, written as for nodes."""
    nodes: tuple[int, ...]
    """Node ids, in execution order; those of bodies that are compiled with their node last."""
    inputs: tuple[str, ...]
    """Names of its boundary tensors; constants do not count."""
    outputs: tuple[str, ...]
    cause_of_end: tuple[int, ...]
    """Ids of the nodes that keep it from going on; empty where the graph ends."""
    cut_behind: tuple[str, ...]
    """Names of the tensors at which a cut of the user's (``--cut``) ends it."""
    macs: int | None
    """Multiply-accumulates of its nodes, or None as in ``summary``."""
    compile_ms: Range | None
    """Compiling it on an x86 computer, an order of magnitude; None: not known."""
    placed: str
    """``npu``; ``runtime``: another than the runtime decides later which unit runs it, see ``decided``."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why nodes fall back, fail to compile or are undecided; the most harmful first."""

    id: int
    """Most harmful first."""
    kind: CauseKind
    """What the rule is about: ``op``: the operator itself, or the version of it; ``dtype``: element types, also
    those before dequantizing; ``rank``: ranks, whether or not dims of 1 count; ``shape``: sizes, numbers of
    elements or scales, which operands there are; ``dynamic``: whether sizes are fixed, or bounded; ``constant``:
    whether an operand is constant, and how its elements lie; ``attribute``: attributes, elements of constants,
    scales; ``policy``: what stands around the node, where it stands, what the user chose."""
    nodes: tuple[int, ...]
    """Ids of the nodes where it lies; empty for a dim of a graph input."""
    victims: int
    """How many nodes it affects."""
    text: str
    """A sentence."""
    rule: str
    """The rule's id. A cut of the user's is a cause of kind ``policy`` that affects no node, whose node is the one
    before it."""
    cuts: tuple[int, ...]
    """Ids of the partitions that it ends."""
    cpu_ms: float | None
    """The typical time of its affected nodes on the CPU, or None."""


@dataclass(frozen=True, slots=True)
class Root:
    """Causes that are one in every model."""

    kind: CauseKind
    """What its rules are about: ``op``: the operator itself, or the version of it; ``dtype``: element types, also
    those before dequantizing; ``rank``: ranks, whether or not dims of 1 count; ``shape``: sizes, numbers of
    elements or scales, which operands there are; ``dynamic``: whether sizes are fixed, or bounded; ``constant``:
    whether an operand is constant, and how its elements lie; ``attribute``: attributes, elements of constants,
    scales; ``policy``: what stands around the node, where it stands, what the user chose."""
    rule: str | None
    """The rule's id, or a word where it is no rule: ``dynamic-dimension``, ``unknown-input-shape``,
    ``data-dependent-shape``, ``unknown-shape``, ``unknown-rank``, ``not-inferred``, ``declared-shape``,
    ``no-shape-inference``, ``rank-6`` and ``float16`` of several ops."""
    op: str | None
    """With its domain; None: it is no one op."""
    text: str
    """A sentence without names of the model. Causes of one kind, rule and op are one root, with one text in all
    models of a target."""
    causes: tuple[int, ...]
    """Ids of its causes."""
    nodes: int
    """How many nodes it lies in: a sum over its causes. The roots with most nodes of both kinds come first."""
    victims: int
    """How many it affects, likewise."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """A boundary tensor: it is transferred between CPU and NPU, or between two partitions."""

    tensor: str
    """A tensor that passes between CPU and NPU or between two partitions."""
    from_partition: int | None
    """The partition; None is the CPU."""
    to_partition: int | None
    bytes: int | None
    """Its size, or None when that is not known."""
    layout: str
    """``plain``, or the target's own (``nhwc``) when the tensor is in it there."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A tensor that changes between the model's layout and the target's, wherever it is; constants are laid out when
    the session is created."""

    tensor: str
    """Its name."""
    from_layout: str
    """``plain``, or the target's own, as in ``crossings[].layout``."""
    to_layout: str
    bytes: int | None
    """Its size, or None when that is not known."""
    node: int | None
    """The first node that needs it in the other layout; None: it is an output of the graph."""
    text: str
    """Why, as a sentence."""


@dataclass(frozen=True, slots=True)
class Fusion:
    """Nodes that are fused into one, or that compilers fuse where they find them (``lib/plan/fusions.def``)."""

    pattern: str
    """``layer-norm``, ``attention``, ``gelu``, ...; of the session the ops (``Conv+BatchNormalization``); of the op
    list its pattern."""
    nodes: tuple[int, ...]
    """Node ids."""
    state: FusionState
    """Whether they are fused: ``fused``: by the session, or taken as one by the target; ``separate``: all is there,
    and each is a node of its own for the target's compiler; ``nearly``: one thing stops it."""
    stopped_by: str | None
    """Of ``nearly``: what, as a sentence; else None."""
    node: int | None
    """The node that stops it, or None."""


@dataclass(frozen=True, slots=True)
class Precision:
    """Nodes with weights in one format, and what the target does with it."""

    format: str | None
    """``float32``, ``w8a8-channel``, ``w4-block32-asymmetric``, ...: see ``docs/oplist-format.md``, "Precision";
    ``unknown`` for types that are not known or in no format."""
    native: bool | None
    """It ``happens`` to be native; None: not known."""
    happens: Happening
    """What becomes of it: ``native``: computed at the rate of the matrix unit; ``dequantized``: weights become wider
    on the way; ``vector``: on the vector unit; ``cpu``: the nodes fall back; ``fails``: they are claimed, and
    then fail to compile; ``unknown``: not known."""
    rate_share: float | None
    """Of ``vector``, and of ``dequantized`` where it is known: of the matrix unit's rate; else None."""
    nodes: int
    """Of the model."""
    nodes_on_npu: int
    """Of these those in partitions or accepted."""
    macs: int | None
    """Multiply-accumulates of these nodes, or None."""
    text: str | None
    """A sentence."""
    because: str | None
    """Why, or None."""
    source: str | None
    """Where it stands, or None."""
    assumed: bool
    """It has not been tried."""
    instead: str | None
    """Where it is not native: the nearest format that is native on the same target, or None."""
    variant: str | None
    """Where it is not native: a variant of the target on which it is, or None."""


@dataclass(frozen=True, slots=True)
class CostTotal:
    """Milliseconds: eight of ten runs lie between low and high. All negative where it is not known."""

    low_ms: float | None
    """What a run takes then, or None."""
    typical_ms: float | None
    high_ms: float | None


@dataclass(frozen=True, slots=True)
class After:
    """What is left of a plan once something is done, by planning again."""

    partitions: int
    """As in ``summary``."""
    coverage: float
    mac_coverage: float | None
    """The share of multiply-accumulates on the NPU, or None."""
    verdict: PlanVerdict
    """As in ``summary``: ``whole``: all on the NPU, or handed to who decides that later, in one partition; ``edge``:
    one partition, and only QuantizeLinear of inputs and DequantizeLinear of outputs on the CPU; ``split``:
    several partitions, or nodes on the CPU; ``none``: nothing on the NPU; ``fails``: some node fails to compile;
    ``empty``: nothing is live."""
    cost: CostTotal
    """What a run takes then."""
    fits: bool | None
    """As in ``summary``; of cuts, each part; None: not known, as of what is only tried."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something to do; the steps come first, the best first."""

    id: str
    """``a1``, ``a2``, ..."""
    action: str
    """``dims``: fix sizes; ``opset``; ``exporter``: export otherwise; ``rewrite``: change the graph; ``quantize``;
    ``variant``: another chip; ``switch``: another way of the target; ``release``: another release of the
    toolchain; ``cut``: run a part apart; ``end``, ``begin``: end or begin the model at some tensors, the host
    runs the rest; ``option``: of the session or provider; ``none``: no step is known, or none was looked for."""
    text: str
    """What to do; begins with a verb, and names the thing."""
    command: str | None
    """Options of the tool that show what it brings, or None."""
    rewrites: tuple[str, ...]
    """Names of the rewrites that do it."""
    fixable: bool
    """Whether the tool can do it."""
    equality: str | None
    """Of the model's results: as ``steps[].equality`` of a fix, ``other``, or None."""
    pays: Pays | None
    """What it brings over the step before it, or None: ``mends``: fewer nodes fail to compile; ``faster``: the
    typical time of a run is lower, by 2 % or more; ``fewer_partitions``: or one where there was none;
    ``more_on_npu``: fewer nodes fall back to the CPU, or run elsewhere though they are taken."""
    run: tuple[str, ...] | None
    """The command that does it, word by word, or None: what a person pastes into a shell; the result is written into
    the current folder."""
    causes: tuple[int, ...]
    """Ids of the causes that it is for."""
    needs: tuple[str, ...]
    """Actions that must be done, too, for what ``after`` says."""
    instead_of: str | None
    """The step whose place it may take, or None."""
    after: After


@dataclass(frozen=True, slots=True)
class CostParts:
    """What a run's time goes to."""

    switch: Range | None
    """Starting partitions; formulas: ``docs/inside/architecture.md``, "Cost"."""
    copy: Range | None
    """Boundary tensors."""
    layout: Range | None
    """Changes of layout."""
    quantize: Range | None
    """QuantizeLinear, DequantizeLinear and Cast that stand alone, on either side."""
    cpu: Range | None
    """Nodes on the CPU."""
    npu_compute: Range | None
    """Nodes on the NPU limited by computing."""
    npu_bandwidth: Range | None
    """Or by memory. The typical values of all parts add up to ``typical_ms``; their bounds need not."""


@dataclass(frozen=True, slots=True)
class CostAlternatives:
    """A run as it could be."""

    as_is: Range | None
    """As planned, None where it fails to compile."""
    cpu: Range | None
    """All nodes on the CPU, whether the NPU takes them or not."""
    npu_whole: Range | None
    """All on the NPU in one partition, whether it takes them or not."""
    gpu: Range | None
    """A language model on the device's GPU, with the engine of ``gpu_by``."""
    gpu_by: str | None
    """Who published it, or None."""
    toolkit: Range | None
    """With the vendor's toolkit for language models, which reads no ONNX."""
    toolkit_by: str | None
    fixed: Range | None
    """With all sizes fixed, as in ``if_fixed``; None where nothing is dynamic."""


@dataclass(frozen=True, slots=True)
class SlowNodes:
    """Nodes that fall back for which the CPU has no fast kernel, which makes the range wide."""

    text: str
    """A sentence."""
    nodes: int
    """How many nodes."""
    typical_ms: float | None
    """What they take, or None."""


@dataclass(frozen=True, slots=True)
class CpuOperator:
    """What a run on the CPU alone spends its time in, by kernel."""

    op: str
    """The operator, or what ONNX Runtime fuses several nodes into: ``Gelu``, ``FusedMatMul``."""
    nodes: int
    """How many kernels."""
    typical_ms: float | None
    """What they take, or None."""


@dataclass(frozen=True, slots=True)
class Move:
    """What moves or converts elements and computes nothing, where all of it takes more than a tenth of a run as it
    is planned; else there are none."""

    what: str
    """``transpose``, ``channels`` (one that brings channels first or last), ``view`` (Reshape and its like),
    ``cast``, ``quantize``, ``dequantize``, or ``layout``: tensors that change their layout."""
    nodes: int
    """How many take time."""
    typical_ms: float
    """What they take."""
    module: str | None
    """The module that most of it is in, ``*`` for numbers in its name, or None."""
    module_ms: float
    """What of it is in that module."""
    removed_by: str | None
    """What takes them away, or None: nothing is known."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run takes, once the model is loaded; the typical value is the sum of the parts'."""

    low_ms: float | None
    """A run as it is planned, once the model is loaded, if it compiled."""
    typical_ms: float | None
    high_ms: float | None
    calibrated: bool
    """Whether ``basis`` is another than ``documents``."""
    basis: CostBasis
    """What the rates stand on, by the precision of most of the NPU's time; ``documents`` too where most of it is
    assumed: ``documents``: single figures and assumptions, or networks that held out were off by more than 25 %
    in the median; ``measured_family``: networks on a sister of the chip, which held out were off by less;
    ``measured``: the same on this chip."""
    cpu_measured: bool
    """Whether a run on the CPU alone rests on measurements of your own (``--cost``)."""
    runtime: str
    """What starts partitions: ``bare``, ``onnxruntime``, ``tflite`` or ``coreml``."""
    parts: CostParts
    alternatives: CostAlternatives
    recommendation: Choice
    """``npu``: use it as it is; ``mend``: take the first steps of ``advice`` first; ``cpu``: do without;
    ``undecided``: it takes about as long on either, or too little is known."""
    reason: str
    """A sentence."""
    worth: Worth
    """The answer in a word: ``yes``, ``probably``, ``after_fix``: once the steps of ``mend`` are done, ``equal``,
    ``probably_not``, ``no``, ``none``: not known."""
    worth_missing: str | None
    """Of ``none``: what is not known."""
    cold: Range | None
    """What the first run takes besides; compiling is not counted."""
    tile_fill: float | None
    """The share of the matrix unit's tiles that products on the NPU fill; None where there are none."""
    break_even_macs: int | None
    """A partition with fewer multiply-accumulates takes longer than its nodes on the CPU, or None."""
    slow: tuple[SlowNodes, ...]
    """What the CPU has no fast kernel for among the nodes that fall back."""
    tokens_per_s: float | None
    """New tokens a second, typical, of a decoder with a cache of known size: of a prompt where ``memory.run_tokens``
    is not 1."""
    bound_tokens_per_s: float | None
    """The same where buffers stay bound between runs (I/O binding): the runtime copies none."""
    mended_tokens_per_s: float | None
    """Of a decoder that ``mend`` gives a cache of a fixed size: the same after it."""
    mended_slots: int | None
    """The slots of that cache."""
    first_token_ms: float | None
    """Typical, of runs of ``memory.run_tokens`` that read a prompt; None also where a run takes one token: another
    file reads prompts."""
    prompt_tokens: int | None
    """Of that prompt: ``--prompt``, else 1,024, or half of the slots where these are fewer."""
    moves: tuple[Move, ...]
    """What moves and converts, where that takes more than a tenth of the run."""
    cpu_operators: tuple[CpuOperator, ...]
    """What a run on the CPU alone spends its time in, most first."""
    bytes_to_npu: int
    """Of all boundary tensors with a known size; one from partition to partition counts both ways."""
    bytes_to_cpu: int
    unknown_sizes: int
    """Boundary tensors whose size is not known."""
    unknown_nodes: int
    """Nodes of which it is not known what they take."""
    layout_conversions: int
    """Tensors whose layout is changed."""
    compile_ms: Range | None
    """Compiling all partitions, likewise, in no other time."""
    held_out_error: float | None
    """How far off families of networks left out of the rates were, or None."""


@dataclass(frozen=True, slots=True)
class Padding:
    """What fixed sizes compute for nothing, where it was said how long inputs are (``--lengths``); left away else."""

    dim: str
    """The dynamic dimension."""
    mean: float
    """Its mean."""
    most: int
    """The size that takes all: its upper bound."""
    most_padding: float
    """The share of padding with that one."""
    less: int
    """A second, smaller one: that which leaves least padding."""
    less_runs: float
    """The share of runs that take it."""
    two_padding: float
    """The share of padding with both."""


@dataclass(frozen=True, slots=True)
class Sizing:
    """Rule of thumb: what the weights take in other types."""

    parameters: int
    """Their elements, without integers of 32 and 64 bits; ``memory.sizing`` is None where most weights are packed
    bytes."""
    float16_bytes: int
    """Rule of thumb: 2, 1 and half a byte for each parameter, without scales."""
    int8_bytes: int
    int4_bytes: int


@dataclass(frozen=True, slots=True)
class AtLeast:
    """Sums of the sizes that are known."""

    weight_bytes_npu: int
    """The sum of what is known."""
    weight_bytes_cpu: int
    activation_peak_bytes: int
    activation_peak_bytes_cpu: int
    activation_peak_bytes_npu: int


@dataclass(frozen=True, slots=True)
class MemoryLimit:
    """What may be no larger."""

    what: Limited
    """What is limited: ``file``: the model file, as protobuf has it; ``one-file``: the same with all weights in it;
    ``weights``: all weights on the NPU; ``tensors``: those inside one partition; ``activations``: the peak of the
    partition that takes most; ``session``: what one session holds on the NPU: all weights, and that peak;
    ``partition-weights``: the weights of one partition; ``partitions``: how many a process holds; ``ram``:
    weights and activations of the session, of NPU and CPU, where it was said how much there is; ``flash``:
    weights, where a class of devices has them there."""
    needed_bytes: int | None
    """What the model takes; None: not known, or a number."""
    limit_bytes: int | None
    """Of a range its end where that is passed, else its beginning; None: a number."""
    safe_bytes: int | None
    """Up to this it is sure to fit: the beginning of the range; None: a number."""
    needed_count: int | None
    """What there is and may be of a number, or None."""
    limit_count: int | None
    fits: bool | None
    """Whether it fits; None: not known."""
    source: str
    """Where the limit comes from."""


@dataclass(frozen=True, slots=True)
class PartitionMemory:
    """What a partition takes."""

    id: int
    """A partition; these lists are only with ``--detail nodes``."""
    weight_bytes: int | None
    """As above, for one partition."""
    peak_bytes: int | None
    fits_on_chip: bool | None
    """Whether both together fit on the chip; None where that is not known."""


@dataclass(frozen=True, slots=True)
class LayerMemory:
    """A node with weights that does not fit on the chip as a whole."""

    node: int
    """A node with weights that does not fit on the chip as a whole, the largest weights first."""
    partition: int
    """Its partition."""
    weight_bytes: int
    """Its weights."""
    activation_bytes: int
    """Its other operands and results."""
    passes: int | None
    """How often all weights are read when it is computed in tiles; None where not even a row fits."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What a plan takes of memory: weights, and peaks of activations by liveness while nodes run one after the
    other. A sum is not known where a size that is part of it is not."""

    weight_bytes: int
    """All constant tensors of the model, by their dims and types."""
    weight_bytes_by_type: Mapping[str, int]
    """The same for each element type."""
    sizing: Sizing | None
    weight_bytes_npu: int | None
    """Constants that partitions use, as the NPU holds them, once for each partition."""
    weight_bytes_cpu: int | None
    """Constants that live nodes on the CPU use."""
    activation_peak_bytes: int | None
    """The peak of the whole model run by ONNX Runtime's CPU provider."""
    activation_peak_node: int | None
    """The node that runs then."""
    activation_peak_bytes_cpu: int | None
    """The peak of what this plan leaves to the CPU, boundary tensors included."""
    activation_peak_bytes_npu: int | None
    """The peak of the partition that takes most, boundary tensors included."""
    activation_peak_node_npu: int | None
    """The node that runs then."""
    at_least: AtLeast
    cache_bytes_per_token: int | None
    """What a token of one sequence takes in a decoder's cache; None where no cache is seen or a size is not known."""
    cache_tensors: int
    """Inputs that hold it."""
    cache_slots: int | None
    """Tokens that a run reads of it, its own included; None where a size is not known."""
    run_tokens: int
    """Tokens that a run adds to it; 0 where a size is not known."""
    attention: Attention | None
    """How heads of queries share keys and values; None: not known, or layers differ: ``multi-head``: none;
    ``grouped-query``: some; ``multi-query``: all."""
    query_heads: int | None
    """Heads of queries, or None."""
    key_heads: int | None
    """Heads of keys, or None."""
    window_slots: int | None
    """What layers with a window look at; None: none is known."""
    window_tensors: int
    """Their tensors of the cache."""
    cross_tensors: int
    """Inputs that hold cross-attention's cache."""
    cross_bytes: int | None
    """Of all of them."""
    onchip_bytes: int | None
    """The typical size of the memory on the chip that the NPU works in (``sram_mb`` of the op list), or None."""
    onchip_assumed: bool
    """Whether that is an assumption."""
    limits: tuple[MemoryLimit, ...]
    partitions: tuple[PartitionMemory, ...]
    layers: tuple[LayerMemory, ...]
    held_bytes_cpu: tuple[int | None, ...]
    """Activations that the CPU holds while the node at this position of ``order`` runs, boundary tensors included;
    the same for all nodes of a partition; None: not known."""
    held_bytes_npu: tuple[int | None, ...]
    """The same of the node's partition; 0 for a node on the CPU."""


@dataclass(frozen=True, slots=True)
class FixTarget:
    """What the steps bring one target."""

    target: str
    """As it was planned."""
    before: Summary
    """As ``targets[].summary`` of an analysis: of the model as it was, without the sizes given, and of what was
    written."""
    after: Summary
    before_ms: float | None
    """The typical time of a run in milliseconds; None: not known."""
    after_ms: float | None
    left: tuple[Cause, ...]
    """The causes that are left, as ``targets[].causes`` of an analysis of what was written."""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A rewrite that was tried and not kept."""

    rewrite: str
    """What was tried and not kept."""
    why: str


@dataclass(frozen=True, slots=True)
class StepAfter:
    """A target's plan after a step."""

    partitions: int
    """The plan of the first target after this step, in ``after_by_target`` of each: as in ``summary``; ``left`` are
    the live nodes that are not on the NPU."""
    coverage: float
    failed: int
    left: int
    verdict: PlanVerdict
    """": ``whole``: all on the NPU, or handed to who decides that later, in one partition; ``edge``: one partition,
    and only QuantizeLinear of inputs and DequantizeLinear of outputs on the CPU; ``split``: several partitions,
    or nodes on the CPU; ``none``: nothing on the NPU; ``fails``: some node fails to compile; ``empty``: nothing
    is live."""
    typical_ms: float | None


@dataclass(frozen=True, slots=True)
class Ends:
    """What is before and after a model that was ended, or begun, at some tensors."""

    head_nodes: int
    """That run before the model."""
    rest_nodes: int
    """That run after it."""
    head_ops: str | None
    """Their operators, those of most nodes first; None: there are none."""
    rest_ops: str | None
    host_ms: float | None
    """Typical, of both on the CPU of the first target; None: not known."""
    tensors: tuple[Passing, ...]
    """What passes to each part."""


@dataclass(frozen=True, slots=True)
class Passing:
    """A tensor that a part is given."""

    name: str
    """As the file says."""
    from_part: PartSide
    """Who makes it: ``head``: what is before the model; ``model``: the model between; ``rest``: what is after it;
    ``caller``: the caller, who has the inputs of the whole."""
    to: PartSide
    """Who is given it: ``head``: what is before the model; ``model``: the model between; ``rest``: what is after it;
    ``caller``: the caller, who has the inputs of the whole."""
    type: str | None
    """Its element type: ``float32``, ``int64``, ...; None: not known, or it is no tensor."""
    dims: tuple[int | None, ...] | None
    """Numbers; negative, in JSON null, for one that is not known; None as a whole where the rank is not known."""
    bytes: int | None
    """Its size, or None."""


@dataclass(frozen=True, slots=True)
class Cache:
    """How the host keeps the cache of a model that --cache has given a fixed size; see docs/decoder-cache.md."""

    slots: int
    """That attention looks at, new tokens included: no more may ever be used."""
    tokens: int
    """New tokens in a run; where ``counts_all`` is not fewer may count, the first ones."""
    past: int
    """Slots that a run is given: ``slots`` - ``tokens``."""
    order: SlotOrder
    """Where slots that are used may be: ``right``: at the right end of the past, the latest last; ``any``: anywhere
    in the past, in any order; ``left``: at the left end, the latest last; new ones follow, as the past has all
    slots."""
    present: Present
    """What the outputs of a cache are: ``new``: the keys and values of the new tokens, which the host writes into
    its cache; ``shift``: the past of the next run: its slots but the first, and the new ones at its end."""
    mask_value: float
    """Of a float mask, where a slot is empty."""
    tensors: tuple[CachePort, ...]
    """Inputs, then outputs."""
    counts_all: bool
    """All tokens of a run count: it must not be filled up, as the first ones may depend on later ones."""


@dataclass(frozen=True, slots=True)
class CachePort:
    """An input or output of a model with a fixed cache."""

    name: str
    """As the file says."""
    role: PortRole
    """What the host does with it: ``tokens``: the ids of the new tokens; ``positions``: of the new tokens: the
    number of slots in use + ``offset``, and one more for each; ``mask``: by slot 1 where it is used or new, 0
    where it is empty; ``bias``: by slot 0, or the mask's value where it is empty; ``rows``: the same for each new
    token, with the mask's value for those after it, too; ``past``: the keys or values of the slots before; empty
    ones are finite numbers, as zeros; ``present``: what becomes of a past; ``other``: as in the original model;
    ``state``: of a fixed size: an output is what the next run is given for the input that it belongs to."""
    is_output: bool
    """An output."""
    is_added: bool
    """An input that the original does not have."""
    type: str
    """Its element type: ``float32``, ``int64``, ..."""
    dims: tuple[int, ...] | None
    """Numbers; None: not known."""
    axis: int | None
    """That of the slots; None: it has none."""
    past: str | None
    """Of an output: the ``past`` or ``state`` that it belongs to; None: of none."""
    offset: int
    """Of ``positions``: the first element is the number of slots in use + this, and each is 1 more than the one
    before."""


@dataclass(frozen=True, slots=True)
class Decode:
    """What a run of a model with a fixed cache takes on a target."""

    target: str
    """The target."""
    slots: int
    """Of the cache."""
    tokens: int
    """New tokens in a run."""
    partitions: int
    """On the NPU."""
    left: int
    """Live nodes that are not on the NPU."""
    run_ms: Range | None
    """Estimated time of a run; null in JSON where it is not known."""
    tokens_per_s: float | None
    """Of the typical time; None: not known."""
    prompt_tokens: int
    """Of a prompt."""
    prompt_run: int
    """New tokens in a run of the file that reads it: of a set's the soonest."""
    prompt_ms: float | None
    """Time to the first token, typical: runs that read the prompt, the last filled up; None: not known, or it may
    not be."""
    bytes_in: int
    """What a run is given, the slots before included."""
    bytes_out: int
    """What it gives back."""
    cache_bytes: int
    """Of all slots, as the host keeps them."""
    weight_bytes: int
    """All constant tensors of the model."""
    peak_bytes: int | None
    """The peak of activations in the partition that takes most."""


@dataclass(frozen=True, slots=True)
class FixStep:
    """One rewrite at all nodes that it suits."""

    id: str
    """``s1``, ``s2``, ..."""
    rewrite: str
    """The rewrite ([inside/rewrites.md](inside/rewrites.md)); ``bind``: sizes and values that were given."""
    equality: Equality
    """How equal the model is, at the weakest of its sites: ``bits``: the same bits on all inputs; ``bits-if``: the
    same bits under a condition on values that the file cannot prove; ``ulp``: the same formula; the last digits
    differ, as sums run in another order; ``step``: within one quantization step an operator; ``approx``: an
    approximation."""
    argument: str
    """Why the model is equal, as a sentence."""
    sites: int
    """At how many places."""
    nodes_removed: tuple[str, ...]
    """Names of nodes, or of the first result of those without a name."""
    nodes_added: tuple[str, ...]
    after: StepAfter
    after_by_target: tuple[StepAfter, ...]
    caveats: tuple[str, ...]
    """What a user must know of it, as sentences; ends with NULL."""


@dataclass(frozen=True, slots=True)
class Split:
    """What ``split`` has written: the manifest of the folder."""

    folder: str
    """Where it is written."""
    schema: int
    """1."""
    model: str
    """The model that it is of."""
    target: str
    """The list's name."""
    variant: str
    """As it was asked for, or the default; empty where the target has none."""
    parts: tuple[SplitPart, ...]
    """In the order in which they run."""
    outputs: tuple[SplitOutput, ...]
    """The model's outputs."""


@dataclass(frozen=True, slots=True)
class SplitPart:
    """A model that was written, and what it is handed and hands on."""

    order: int
    """Its place in ``parts``."""
    device: Literal["npu", "cpu"]
    """Where it runs."""
    partition: int | None
    """Its id in the report; None on the CPU."""
    file: str
    """Its name in the folder."""
    nodes: int
    """In the part, copies of folded ones included."""
    inputs: tuple[SplitTensor, ...]
    """Tensors that it has to be given."""
    outputs: tuple[SplitTensor, ...]
    """Tensors that later parts or the caller take."""


@dataclass(frozen=True, slots=True)
class SplitTensor:
    """A tensor that passes from one part to another."""

    name: str
    """As the file says."""
    type: str | None
    """None: not known, or it is no tensor."""
    shape: tuple[int | str | None, ...] | None
    """A number, a name or formula, or None for each dim; None as a whole where the rank is not known."""
    bytes: int | None
    """None: not known."""
    from_part: int | None = None
    """Of an input: the part that makes it; None: the caller gives it."""


@dataclass(frozen=True, slots=True)
class SplitOutput:
    """An output of the model."""

    name: str
    """As the file says."""
    from_part: int | None
    """The part that has it; None: it is an input of the model."""


# Fields that the JSON calls by a word of Python's.
JSON_NAMES = {
    "work_class": "class",
    "from_partition": "from",
    "to_partition": "to",
    "from_layout": "from",
    "to_layout": "to",
    "from_part": "from",
}


# ---- from JSON -------------------------------------------------------------------------------------------------

T = TypeVar("T")
Convert = Callable[[Any], Any]


def build(kind: type[T], data: Mapping[str, Any]) -> T:
    """A dataclass of this module from a JSON object; fields that it does not know are passed over."""
    return typing.cast(T, _reader(kind)(data))


def with_path(model: ModelInfo, path: str) -> ModelInfo:
    """The same under another path."""
    return dataclasses.replace(model, path=path)


def _reader(kind: Any) -> Convert:
    """What makes it of a JSON object; found once."""
    if kind not in _readers:
        _readers[kind] = _make_reader(kind)
    return _readers[kind]


_readers: dict[Any, Convert] = {}


def _make_reader(kind: Any) -> Convert:
    hints = typing.get_type_hints(kind)
    needed: list[tuple[str, Convert | None]] = []
    optional: list[tuple[str, str, Convert | None]] = []
    for item in dataclasses.fields(kind):
        name, convert = JSON_NAMES.get(item.name, item.name), _converter(hints[item.name])
        if item.default is dataclasses.MISSING:
            needed.append((name, convert))
        else:
            optional.append((item.name, name, convert))

    def read(data: Mapping[str, Any]) -> Any:
        values = [data[name] if convert is None else convert(data[name]) for name, convert in needed]
        more = {own: data[name] if convert is None else convert(data[name])
                for own, name, convert in optional if name in data}
        return kind(*values, **more)

    return read


def _converter(hint: Any) -> Convert | None:
    """None where a value is taken as it is."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        converters = [made for made in map(_converter, arguments) if made]
        return (lambda value: None if value is None else converters[0](value)) if converters else None
    if hint is Range:
        return lambda value: Range(*value)
    if dataclasses.is_dataclass(hint):
        return _reader(hint)
    if origin is tuple:
        inner = _converter(arguments[0])
        return tuple if inner is None else lambda values: tuple(map(inner, values))
    return dict if origin is Mapping else None


# ---- JSON of others --------------------------------------------------------------------------------------------

Check = Callable[[Any], None]
_NAMES = {int: "a whole number", float: "a number", str: "a text", bool: "true or false", type(None): "null"}


class _Misfit(Exception):
    """What stands where something else is expected, with its place from the inside out."""

    def __init__(self, expected: str, found: Any) -> None:
        self.expected, self.found, self.place = expected, found, [""]


def check(kind: type, data: Any) -> None:
    """Whether JSON of others has what a class is made from: a dataclass of this module, or one whose properties its
    members are. Members that are not there are none that is wrong, and words may be others: versions differ.

    Raises:
        MalformedError: something is of another type; the place is ``targets[0].summary.nodes``.
    """
    try:
        _checker(kind)(data)
    except _Misfit as misfit:
        raise MalformedError(f"no report of npu-partition: expected {misfit.expected}, found {_told(misfit.found)}",
                             place="".join(reversed(misfit.place)).removeprefix(".")) from None


def _told(value: Any) -> str:
    """A value in a message: whatever it is, in a few words."""
    if isinstance(value, (list, tuple, Mapping)):
        return "an object" if isinstance(value, Mapping) else "a list"
    try:
        return f"{json.dumps(value, default=repr):.60}"
    except ValueError:  # an integer of more digits than Python prints
        return "a number of many digits"


def _hints(kind: type) -> dict[str, Any]:
    """The members of the JSON with their types."""
    hints = typing.get_type_hints(kind)
    for name, item in vars(kind).items():
        get = item.fget if isinstance(item, property) else getattr(item, "func", None)
        if get and not name.startswith("_"):
            hints[name] = typing.get_type_hints(get)["return"]
    return {JSON_NAMES.get(name, name): hint for name, hint in hints.items()}


@functools.cache
def _checker(hint: Any) -> Check:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        others = [argument for argument in arguments if argument not in _NAMES]
        inner = _checker(others[0]) if others else _check_scalar(*arguments)
        return (lambda value: None if value is None else inner(value)) if others else inner
    if hint is Range:
        return _check_list([_checker(float)] * 3)
    if origin is tuple:
        return _check_list(_checker(arguments[0]) if arguments[-1] is ... else list(map(_checker, arguments)))
    if origin is Mapping:
        return _check_object({}, _checker(arguments[1]))
    if origin is Literal:
        return _check_scalar(str)
    if hint in _NAMES:
        return _check_scalar(hint)
    return _check_object({name: _checker(inner) for name, inner in _hints(hint).items()})


def _check_scalar(*kinds: type) -> Check:
    allowed = {*kinds, int} if float in kinds else {*kinds}
    expected = " or ".join(_NAMES[kind] for kind in kinds)

    def check_scalar(value: Any) -> None:
        if type(value) not in allowed or (type(value) is int and not -1 << 63 <= value < 1 << 64):
            raise _Misfit(expected, value)
    return check_scalar


def _check_list(inner: Check | list[Check]) -> Check:
    """Of any number of items, or of one for each check."""
    def check_list(values: Any) -> None:
        if not isinstance(values, (list, tuple)):
            raise _Misfit("a list", values)
        if isinstance(inner, list) and len(inner) != len(values):
            raise _Misfit(f"a list of {len(inner)}", values)
        for at, value in enumerate(values):
            try:
                (inner[at] if isinstance(inner, list) else inner)(value)
            except _Misfit as misfit:
                misfit.place.append(f"[{at}]")
                raise
    return check_list


def _check_object(members: Mapping[str, Check], others: Check | None = None) -> Check:
    def check_object(value: Any) -> None:
        if not isinstance(value, Mapping):
            raise _Misfit("an object", value)
        for name in members if others is None else value:
            inner = others or members[name]
            try:
                if name in value:
                    inner(value[name])
            except _Misfit as misfit:
                misfit.place.append(f".{name}")
                raise
    return check_object


# Which members are places in which list of the same target. Ends of partitions are not: a node that a runtime puts in,
# which is none of the file's, may end one.
IDS: Mapping[str, Mapping[str, str]] = {
    "nodes": {"partition": "partitions", "cause": "causes", "into": "nodes", "module": "modules", "inputs": "tensors",
              "outputs": "tensors"},
    "modules": {"parent": "modules"},
    "partitions": {"nodes": "nodes"},
    "causes": {"nodes": "nodes", "cuts": "partitions"},
    "roots": {"causes": "causes"},
    "crossings": {"from": "partitions", "to": "partitions"},
    "layouts": {"node": "nodes"},
    "fusions": {"nodes": "nodes", "node": "nodes"},
    "compiled": {"node": "nodes"},
    "advice": {"causes": "causes"},
}


def check_ids(target: Mapping[str, Any], place: str) -> None:
    """Whether there is what ids of a target mean; lists that a report of less detail lacks are not asked for.

    Raises:
        MalformedError: there is none.
    """
    found = [("order", "nodes", target.get("order"))]
    found += [(f"{name}[{at}].{member}", of, item.get(member)) for name, members in IDS.items()
              for at, item in enumerate(target.get(name, ())) for member, of in members.items()]
    for where, of, value in found:
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if one is not None and of in target and not 0 <= one < len(target[of]):
                raise MalformedError(f"no report of npu-partition: {of} have no place {one}", place=f"{place}.{where}")


def parse(text: str) -> Any:
    """JSON that `check` has passed. Members that it lacks are told with their place when they are asked for."""
    class Members(dict[str, Any]):
        def __missing__(self, name: str) -> Any:
            place = _place_of(whole[0], self)
            raise MalformedError("the report lacks it: it is of another version, or was changed",
                                 place=f"{place}.{name}".removeprefix("."))

        def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
            return dict, ({**self},)  # pickles need a class that has a name

    whole = [json.loads(text, object_hook=Members)]
    return whole[0]


def _place_of(whole: Any, wanted: Any) -> str:
    left: list[tuple[str, Any]] = [("", whole)]
    while left:
        place, value = left.pop()
        if value is wanted:
            return place
        if isinstance(value, dict):
            left += [(f"{place}.{name}", item) for name, item in value.items()]
        elif isinstance(value, list):
            left += [(f"{place}[{at}]", item) for at, item in enumerate(value)]
    return ""
