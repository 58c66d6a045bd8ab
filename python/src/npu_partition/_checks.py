# SPDX-License-Identifier: Apache-2.0
"""What a pipeline asks of a model, and the answer in words: which nodes fall back, which lines made them."""
from __future__ import annotations

import dataclasses
import linecache
import os
import pathlib
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from . import results
from ._errors import ArgumentError, NpuPartitionError
from ._library import plain_text
from ._words import NPU, on_unit, several

if TYPE_CHECKING:
    from ._analysis import Analysis, Target

MOST_CAUSES = 3
MOST_LINES = 5


@dataclasses.dataclass(frozen=True, slots=True)
class Thresholds:
    """What each target must reach. A target whose compilation fails, or which takes no node, never does."""

    max_partitions: int | None = 1
    """None: any number."""
    min_coverage: float | None = None
    """Share of the live nodes that run on the NPU, 0 to 1."""
    min_mac_coverage: float | None = None
    """Share of the multiply-accumulates, 0 to 1. Not reached where their number is not known."""

    def __post_init__(self) -> None:
        for name in ("min_coverage", "min_mac_coverage"):
            share = getattr(self, name)
            if share is not None and not 0 <= share <= 1:
                raise ArgumentError(f"{name} must be from 0 to 1, not {share}")

    def missed(self, summary: results.Summary, unit: str = NPU) -> tuple[str, ...]:
        """A sentence for each threshold that is not met. `unit`: of the target (`Target.unit`)."""
        return tuple(self._missed(summary, unit))

    def _missed(self, summary: results.Summary, unit: str) -> Iterator[str]:
        if summary.failed:
            yield f"{summary.failed} nodes fail to compile"
        if self.max_partitions is not None and summary.partitions > self.max_partitions:
            yield f"{summary.partitions} partitions, at most {self.max_partitions} allowed"
        if summary.live and not summary.accepted:
            yield f"no node runs {on_unit(unit)}"
        if self.min_coverage is not None and summary.coverage < self.min_coverage:
            yield f"coverage {summary.coverage:.1%} of nodes, at least {self.min_coverage:.1%} required"
        if self.min_mac_coverage is not None and summary.mac_coverage is None:
            yield f"coverage of MACs is not known, at least {self.min_mac_coverage:.1%} required"
        elif self.min_mac_coverage is not None and (summary.mac_coverage or 0) < self.min_mac_coverage:
            yield f"coverage {summary.mac_coverage:.1%} of MACs, at least {self.min_mac_coverage:.1%} required"


@dataclasses.dataclass(frozen=True, slots=True)
class RefusedNode:
    """A live node that is not on the NPU, with the line of the model's source that made it."""

    name: str
    op: str
    verdict: results.Verdict
    """``cpu``, ``fail`` or ``unknown``."""
    file: str | None
    """As the exporter recorded it; None where it did not."""
    line: int | None
    module: str | None
    """``encoder.layers.3``; None for the model itself, and where the exporter recorded none."""
    reason: str
    """The requirement that it does not meet; empty where there is none of its own."""
    found: str
    cause: int | None
    """Id of the cause in ``Target.causes``."""
    is_root: bool
    """The cause lies in this node; others fall back for what stands before or beside them."""

    @property
    def source(self) -> str:
        """The line of Python; empty where the file is neither of a loaded module nor in the current directory."""
        path = _own_source(self.file) if self.file else None
        return linecache.getline(path, self.line or 0).strip() if path else ""

    @property
    def place(self) -> str:
        """For instance ``model.py:24 in encoder.layers.3``; empty where nothing is recorded."""
        parts = [f"{self.file}:{self.line}" if self.file else "", f"in {self.module}" if self.module else ""]
        return " ".join(part for part in parts if part)


def _own_source(file: str) -> str | None:
    """Where to read a file that a model names; None: nowhere. A stranger's model may name any file of this machine, so
    only Python that this process has loaded counts, and what is in the current directory."""
    if file in linecache.cache:  # already read; cells of a notebook are nowhere else
        return file
    try:
        path = os.path.abspath(file)
        if not path.endswith(".py"):
            return None
        if any(getattr(module, "__dict__", {}).get("__file__") == path for module in list(sys.modules.values())):
            return path
        # By its text first: on Windows a look at a file of the network tells another machine who is looking.
        folder = pathlib.Path.cwd()
        if not pathlib.Path(path).is_relative_to(folder) or not os.path.isfile(path):
            return None
        real = pathlib.Path(path).resolve()  # of a link
        return path if real.suffix == ".py" and real.is_relative_to(folder.resolve()) else None
    except OSError:  # the current directory is gone
        return None


@dataclasses.dataclass(frozen=True)
class TargetCheck:
    """One target, held against the thresholds."""

    name: str
    """``hexagon:v73``."""
    summary: results.Summary
    missed: tuple[str, ...]
    """A sentence for each threshold that is not met."""
    causes: tuple[results.Cause, ...]
    """Why nodes fall back, the most harmful first."""
    refused: tuple[RefusedNode, ...]
    """Every node that is not on the NPU, roots first."""
    action: results.Action | None
    """What to do first."""
    unit: str = NPU
    """What computes the nodes that are taken (`Target.unit`)."""

    @property
    def is_met(self) -> bool:
        """Whether all thresholds are met."""
        return not self.missed

    def __str__(self) -> str:
        summary = self.summary
        state = "; ".join(self.missed) if self.missed else "met"
        lines = [f"{self.name}: {state} ({several(summary.partitions, 'partition')}, "
                 f"{summary.accepted} of {summary.live} nodes "
                 f"{'taken' if summary.placed_later else on_unit(self.unit)})"]
        if self.missed:
            lines += [f"  {line}" for line in self._why()]
            if self.action:
                command = f" ({self.action.command})" if self.action.command else ""
                lines.append(f"  First action: {self.action.text}{command}")
        return "\n".join(plain_text(line) for line in lines)

    def _why(self) -> Iterator[str]:
        for cause in self.causes[:MOST_CAUSES]:
            yield f"{cause.text}: {several(cause.victims, 'node')} not {on_unit(self.unit)}"
            yield from (f"  {line}" for line in _lines(self._nodes_of(cause)))
        if len(self.causes) > MOST_CAUSES:
            yield f"and {several(len(self.causes) - MOST_CAUSES, 'cause')} more"

    def _nodes_of(self, cause: results.Cause) -> list[RefusedNode]:
        """The nodes where it lies; of a dimension of an input, the nodes that it affects."""
        affected = [node for node in self.refused if node.cause == cause.id]
        return [node for node in affected if node.is_root] or affected


def _lines(nodes: Sequence[RefusedNode]) -> Iterator[str]:
    """Each line of source once, with the first of its nodes."""
    first: dict[tuple[str | None, int | None, str], RefusedNode] = {}
    for node in nodes:
        first.setdefault((node.file, node.line, "" if node.file else node.name), node)
    for node in list(first.values())[:MOST_LINES]:
        yield f"{node.place + ': ' if node.place else ''}{node.op} {node.name}".rstrip()
        if node.source:
            yield f"    {node.source}"
    if len(first) > MOST_LINES:
        yield f"and {several(len(first) - MOST_LINES, 'line')} more"


def check_target(target: Target, thresholds: Thresholds) -> TargetCheck:
    """One target against the thresholds."""
    causes, nodes = target.causes, target.nodes
    roots = {node for cause in causes for node in cause.nodes}
    refused = []
    for node in nodes:
        if node.verdict not in ("cpu", "fail", "unknown"):
            continue
        reason = next((item for item in node.reasons if item.outcome != "note"), None)
        refused.append(RefusedNode(node.name, node.op, node.verdict, node.at.file, node.at.line, node.at.module,
                                   reason.text if reason else "", reason.found if reason else "", node.cause,
                                   node.id in roots))
    refused.sort(key=lambda node: not node.is_root)
    return TargetCheck(target.name, target.summary, thresholds.missed(target.summary, target.unit), causes,
                       tuple(refused), target.advice[0] if target.advice else None, target.unit)


def distinct_names(targets: Sequence[Target]) -> list[str]:
    """Names of targets; with the toolchain where several have the same name, which does not tell it."""
    names = [target.name for target in targets]
    return [f"{target.name}@{target.toolchain}" if names.count(target.name) > 1 else target.name
            for target in targets]


class ThresholdError(NpuPartitionError, AssertionError):
    """A threshold is not met.

    Attributes:
        checks: one `TargetCheck` a target.
    """

    def __init__(self, message: str, checks: tuple[TargetCheck, ...] = ()) -> None:
        super().__init__(message)
        self.checks = checks

    def __reduce__(self) -> tuple[type[ThresholdError], tuple[str, tuple[TargetCheck, ...]]]:  # type: ignore[override]
        return type(self), (self.message, self.checks)


def check(analysis: Analysis, thresholds: Thresholds) -> tuple[TargetCheck, ...]:
    """Every target against the thresholds."""
    return tuple(check_target(target, thresholds) for target in analysis.targets)


def explain(checks: Sequence[TargetCheck]) -> str:
    """All targets in words, those that miss a threshold first."""
    return "\n".join(str(item) for item in sorted(checks, key=lambda item: item.is_met))
