# SPDX-License-Identifier: Apache-2.0
"""What an analysis tells, as frozen dataclasses. They are made from the tool's JSON, whose fields they are.

Times are milliseconds, sizes bytes, shares between 0 and 1. None stands for "none" or "not known", as said. Ids of
nodes, partitions and causes are places in ``Target.nodes``, ``.partitions`` and ``.causes``.
"""
from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar, Union

Verdict = Literal["npu", "cpu", "fail", "unknown", "folded", "fused"]
Figure = Union[int, str, None]  # an expression over the model's symbols where sizes are dynamic


# Fields that the JSON calls by a word of Python's.
JSON_NAMES = {"work_class": "class", "from_partition": "from", "to_partition": "to", "from_layout": "from",
              "to_layout": "to"}


class Range(NamedTuple):
    """Milliseconds: eight of ten runs take between low and high."""

    low_ms: float
    typical_ms: float
    high_ms: float


@dataclass(frozen=True, slots=True)
class Finding:
    """Something odd about the model that is no error."""

    code: str
    """A stable word: ``unsorted``, ``shape-contradiction``, ... ``invalid``: ONNX Runtime does not load the model."""
    text: str
    at: str
    """The node or byte that it is about."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The model as a whole."""

    path: str
    """As given; ``-`` or a word in ``<>`` for what has no path."""
    ir_version: int
    producer: str
    opsets: Mapping[str, int]
    """Versions by domain; the default domain is called ``ai.onnx``."""
    nodes: int
    """Of all graphs, those of inlined functions included."""
    bytes: int
    """Of the file."""
    weight_bytes: int
    """Of all constant tensors by dims and type, external ones included."""


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
    """``accepted`` + ``refused`` + ``unknown``."""
    accepted: int
    """On the NPU."""
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
    """How often control passes from NPU to CPU or back."""
    coverage: float
    """``accepted`` / ``live``; 1 where nothing is live."""
    macs: int | None
    """Multiply-accumulates of the live nodes; None where a size that they depend on is not known."""
    macs_on_npu: int | None
    mac_coverage: float | None
    """``macs_on_npu`` / ``macs``."""
    verdict: Literal["whole", "edge", "split", "none", "fails", "empty"]
    """``whole``: one partition, all on the NPU; ``edge``: but for QuantizeLinear and DequantizeLinear at the graph's
    edge; ``split``; ``none``: nothing on the NPU; ``fails``: fails to compile; ``empty``: nothing is live."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A rule that a node does not meet, may not meet, or that has something to say of it."""

    gate: str
    """The stage of the target; ``fold`` for a folded node."""
    rule: str
    """A stable id."""
    text: str
    """The requirement as a sentence."""
    found: str
    """What was found where it is not met."""
    source: str
    """Where the requirement comes from."""
    because: str | None = None
    outcome: Literal["no", "unknown", "fail", "note"] | None = None
    """None for a folded node."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a node computes and moves. A figure is a number, an expression where sizes are dynamic, or not known."""

    work_class: str
    """Which unit does it: ``matrix``, ``product``, ``elementwise``, ``move``, ..."""
    macs: Figure
    operations: Figure
    """Arithmetic operations beside multiply-accumulates."""
    bytes_in: Figure
    bytes_out: Figure
    weight_bytes: Figure
    rows: Figure
    columns: Figure
    depth: Figure
    taps: Figure
    groups: Figure
    """``macs`` is the product of rows, columns, depth, taps and groups; all 0 where there is no product."""
    activation_type: int
    """ONNX's number of the element type; 0: there is none, or it is not known."""
    weight_type: int


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a node comes from, as far as the exporter left that."""

    file: str | None = None
    line: int | None = None
    module: str | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the file, and what became of it."""

    id: int
    """Its place in ``Target.nodes``, which partitions and causes use."""
    index: int
    """Its place in the node list of its graph."""
    graph: str
    """``""``: the main graph; else ``<node index>:<attribute or function>``, joined by ``/``."""
    name: str
    op: str
    domain: str
    """``""`` is ai.onnx."""
    verdict: Verdict
    into: int | None
    """Of a fused node the id of the one that it is part of."""
    partition: int | None
    reasons: tuple[Reason, ...]
    cause: int | None
    """Id of the cause why it falls back."""
    work: Work | None
    """None for a folded or fused node."""
    structure: str
    """Where it stands in its graph, by structure alone, which `diff` recognizes it by: 32 hexadecimal digits."""
    at: Origin
    module: int | None
    """The innermost module that it stands in, by its place in ``Target.modules``."""
    inputs: tuple[int | None, ...]
    """Places in ``Target.tensors``; None for an operand that is left out."""
    outputs: tuple[int | None, ...]
    ms: float | None = None
    """What it typically takes where it runs."""


@dataclass(frozen=True, slots=True)
class Partition:
    """Nodes that the NPU compiles together."""

    id: int
    graph: str
    nodes: tuple[int, ...]
    """Ids, in execution order."""
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    cause_of_end: tuple[int, ...]
    """Ids of the nodes that keep it from going on; none where the graph ends."""
    cut_behind: tuple[str, ...]
    """Tensors at which a cut point of the caller's ends it."""
    macs: int | None


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor, or a sequence, map or optional."""

    name: str
    type: str | None
    """``float32``, ...; ``sequence``, ``map`` or ``optional``; None: not known."""
    dims: tuple[int | str | None, ...] | None
    """A number, an expression where it is dynamic, or None; None as a whole where the rank is not known."""
    constant: bool
    """Known before the model runs."""


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the model's source, by the names of nodes, with all modules inside it."""

    path: str
    parent: int | None
    """The module that it is in, by its place in ``Target.modules``."""
    nodes: int
    live: int
    accepted: int
    macs: int | None
    macs_on_npu: int | None
    npu_ms: float | None
    """What its nodes on the NPU typically take."""
    cpu_ms: float | None
    switches: int
    """Device switches that lead to a node of it."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why nodes fall back, fail to compile or are undecided; the most harmful has id 0."""

    id: int
    kind: Literal["op", "dtype", "rank", "shape", "dynamic", "constant", "attribute", "policy"]
    nodes: tuple[int, ...]
    """Ids of the nodes where it lies; none for a dimension of an input."""
    victims: int
    """How many nodes it affects."""
    text: str
    rule: str
    cuts: tuple[int, ...]
    """Ids of the partitions that it ends."""
    cpu_ms: float | None
    """What its affected nodes typically take on the CPU."""


@dataclass(frozen=True, slots=True)
class Root:
    """Causes that are one in every model: `kind`, `rule` and `op` are the same wherever it is met, and so is `text`."""

    kind: Literal["op", "dtype", "rank", "shape", "dynamic", "constant", "attribute", "policy"]
    rule: str | None
    """The rule's id, or a word where it is no rule, such as ``dynamic-dimension`` (docs/json.md)."""
    op: str | None
    """With its domain; None where it is no one op."""
    text: str
    causes: tuple[int, ...]
    """Ids of its causes."""
    nodes: int
    """How many nodes it lies in."""
    victims: int
    """How many nodes it affects."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """A boundary tensor: it is transferred between CPU and NPU, or between two partitions."""

    tensor: str
    from_partition: int | None
    """None is the CPU."""
    to_partition: int | None
    bytes: int | None
    layout: str


@dataclass(frozen=True, slots=True)
class Layout:
    """A tensor that changes between the model's layout and the target's."""

    tensor: str
    from_layout: str
    to_layout: str
    bytes: int | None
    node: int | None
    """The first node that needs it in the other layout; None: it is an output of the graph."""
    text: str


@dataclass(frozen=True, slots=True)
class Fusion:
    """Nodes that are fused into one, or that compilers fuse where they find them."""

    pattern: str
    nodes: tuple[int, ...]
    state: Literal["fused", "separate", "nearly"]
    stopped_by: str | None
    node: int | None
    """That stops it."""


@dataclass(frozen=True, slots=True)
class CostParts:
    """What a run's time goes to."""

    switch: Range | None
    copy: Range | None
    layout: Range | None
    quantize: Range | None
    cpu: Range | None
    npu_compute: Range | None
    npu_bandwidth: Range | None


@dataclass(frozen=True, slots=True)
class CostAlternatives:
    """A run as it could be."""

    as_is: Range | None
    cpu: Range | None
    npu_whole: Range | None
    """All on the NPU in one partition, whether it takes the nodes or not."""
    fixed: Range | None
    """With all sizes fixed."""


@dataclass(frozen=True, slots=True)
class SlowNodes:
    """Nodes that fall back for which the CPU has no fast kernel."""

    text: str
    nodes: int
    typical_ms: float


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run takes, once the model is loaded."""

    low_ms: float | None
    typical_ms: float | None
    high_ms: float | None
    calibrated: bool
    """False when more than half of the time rests on assumed parameters."""
    runtime: str
    parts: CostParts
    alternatives: CostAlternatives
    recommendation: Literal["npu", "mend", "cpu", "undecided"]
    reason: str
    cold: Range | None
    """What the first run takes besides."""
    tile_fill: float | None
    break_even_macs: int | None
    slow: tuple[SlowNodes, ...]
    bytes_to_npu: int
    bytes_to_cpu: int
    unknown_sizes: int
    unknown_nodes: int
    layout_conversions: int


@dataclass(frozen=True, slots=True)
class Sizing:
    """Rule of thumb: what the weights take in other types."""

    parameters: int
    float16_bytes: int
    int8_bytes: int
    int4_bytes: int


@dataclass(frozen=True, slots=True)
class AtLeast:
    """Sums of the sizes that are known."""

    weight_bytes_npu: int
    weight_bytes_cpu: int
    activation_peak_bytes: int
    activation_peak_bytes_cpu: int
    activation_peak_bytes_npu: int


@dataclass(frozen=True, slots=True)
class MemoryLimit:
    """What may be no larger."""

    of: str
    bytes: int | None
    most_bytes: int
    fits: bool | None


@dataclass(frozen=True, slots=True)
class PartitionMemory:
    """What a partition takes."""

    id: int
    weight_bytes: int | None
    peak_bytes: int | None
    fits_on_chip: bool | None


@dataclass(frozen=True, slots=True)
class LayerMemory:
    """A node with weights that does not fit on the chip as a whole."""

    node: int
    partition: int
    weight_bytes: int
    activation_bytes: int
    passes: int | None
    """How often all weights are read when it is computed in tiles; None where not even a row fits."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Weights and peaks of activations. A sum is None where a size that is part of it is not known."""

    weight_bytes: int
    weight_bytes_by_type: Mapping[str, int]
    sizing: Sizing | None
    weight_bytes_npu: int | None
    weight_bytes_cpu: int | None
    activation_peak_bytes: int | None
    activation_peak_node: int | None
    activation_peak_bytes_cpu: int | None
    activation_peak_bytes_npu: int | None
    activation_peak_node_npu: int | None
    at_least: AtLeast
    cache_bytes_per_token: int | None
    cache_tensors: int
    onchip_bytes: int | None
    onchip_assumed: bool
    limits: tuple[MemoryLimit, ...]
    partitions: tuple[PartitionMemory, ...]
    layers: tuple[LayerMemory, ...]
    held_bytes_cpu: tuple[int | None, ...]
    """Activations that the CPU holds while the node at this position of ``Target.order`` runs."""
    held_bytes_npu: tuple[int | None, ...]
    """The same of the node's partition; 0 for a node on the CPU."""


@dataclass(frozen=True, slots=True)
class Precision:
    """Nodes with weights in one format, and what the target does with it."""

    format: str
    native: bool | None
    happens: str
    rate_share: float | None
    nodes: int
    nodes_on_npu: int
    macs: int | None
    text: str
    because: str | None
    source: str | None
    assumed: bool
    instead: str | None
    """The nearest format that is native on the same target."""
    variant: str | None
    """A variant of the target on which it is native."""


@dataclass(frozen=True, slots=True)
class CostTotal:
    """What a run takes then."""

    low_ms: float | None
    typical_ms: float | None
    high_ms: float | None


@dataclass(frozen=True, slots=True)
class After:
    """What is left once an action is done, by planning again."""

    partitions: int
    coverage: float
    mac_coverage: float | None
    verdict: str
    cost: CostTotal


@dataclass(frozen=True, slots=True)
class Action:
    """Something to do; the steps come first, the best first."""

    id: str
    action: str
    """``dims``, ``opset``, ``exporter``, ``rewrite``, ``quantize``, ``variant``, ``switch``, ``cut``, ``option`` or
    ``none``."""
    text: str
    command: str | None
    """Options of the tool that show what it brings."""
    rewrites: tuple[str, ...]
    fixable: bool
    """``fix`` can do it."""
    equality: str | None
    """``bits``, ``bits-if``, ``ulp``, ``step``, ``approx`` or ``other``."""
    causes: tuple[int, ...]
    needs: tuple[str, ...]
    instead_of: str | None
    after: After


@dataclass(frozen=True, slots=True)
class Fixed:
    """The same model once its dynamic dimensions have sizes."""

    dims: Mapping[str, int]
    """The size chosen for each."""
    summary: Summary


# ---- from JSON -------------------------------------------------------------------------------------------------

T = TypeVar("T")
Convert = Callable[[Any], Any]


def build(kind: type[T], data: Mapping[str, Any]) -> T:
    """A dataclass of this module from a JSON object; fields that it does not know are passed over."""
    return typing.cast(T, _reader(kind)(data))


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
