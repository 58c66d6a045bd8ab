# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows: a line for each target, a strip of its nodes, and why nodes fall back. Every text from a model
is escaped; colours are the notebook's own but for the strip."""
from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._analysis import Analysis, Target
    from .results import Node

COLOURS = {"npu": "#2a78d6", "cpu": "#d9a441", "fail": "#c8373c", "unknown": "#8a8a8a"}
WORDS = {"npu": "NPU", "cpu": "CPU", "fail": "fails to compile", "unknown": "undecided"}
STRIP_PIXELS = 640  # of width; where there are more nodes, neighbours share a pixel
MOST_CAUSES = 5


def _cells(kind: str, cells: Iterable[object]) -> str:
    style = "text-align:left;padding:2px 10px"
    return "<tr>" + "".join(f'<{kind} style="{style}">{html.escape(str(cell))}</{kind}>' for cell in cells) + "</tr>"


def _runs(nodes: Sequence[Node]) -> list[tuple[str, int]]:
    """Live nodes in their order: a verdict, and how many have it one after the other."""
    runs: list[tuple[str, int]] = []
    for node in nodes:
        if node.verdict not in COLOURS:
            continue
        if runs and runs[-1][0] == node.verdict:
            runs[-1] = (node.verdict, runs[-1][1] + 1)
        else:
            runs.append((node.verdict, 1))
    return runs


def _strip(nodes: Sequence[Node]) -> str:
    runs = _runs(nodes)
    whole = sum(count for _verdict, count in runs) or 1
    bars, at = [], 0
    for verdict, count in runs:
        bars.append(f'<rect x="{at * STRIP_PIXELS / whole:.2f}" width="{count * STRIP_PIXELS / whole:.2f}" height="14" '
                    f'fill="{COLOURS[verdict]}"><title>{count} {WORDS[verdict]}</title></rect>')
        at += count
    shown = [verdict for verdict in COLOURS if any(verdict == run[0] for run in runs)]
    legend = " ".join(f'<span style="color:{COLOURS[verdict]}">&#9632;</span> {WORDS[verdict]}' for verdict in shown)
    return (f'<svg width="{STRIP_PIXELS}" height="14" role="img" aria-label="nodes in the order of the file">'
            f'{"".join(bars)}</svg><div style="font-size:smaller">{legend}</div>')


def _share(share: float | None) -> str:
    return "" if share is None else f"{share * 100:.1f} %"


def _summary_row(target: Target) -> list[object]:
    summary, cost = target.summary, target.cost
    time = "" if cost.typical_ms is None else f"{cost.typical_ms:.2f} ms ({cost.low_ms:.2f} to {cost.high_ms:.2f})"
    first = target.advice[0].text if target.advice else ""
    most = "\u2264 " if summary.placed_later else ""  # what is taken is not yet on the NPU
    return [target.name, summary.verdict, summary.partitions,
            f"{most}{_share(summary.coverage)} of {summary.live} nodes", most + _share(summary.mac_coverage), time,
            first]


HEADINGS = ["target", "verdict", "partitions", "on the NPU", "of MACs", "a run (80 % of runs)", "do first"]


def _details(target: Target) -> str:
    rows = "".join(_cells("td", (cause.victims, len(cause.cuts), cause.text)) for cause in target.causes[:MOST_CAUSES])
    more = len(target.causes) - MOST_CAUSES
    causes = "<table>" + _cells("th", ("nodes", "ends partitions", "why")) + rows + "</table>" if rows else ""
    return _strip(target.nodes) + causes + (f"<div>{more} more causes</div>" if more > 0 else "")


def target_html(target: Target) -> str:
    """One target."""
    return "<table>" + _cells("th", HEADINGS) + _cells("td", _summary_row(target)) + "</table>" + _details(target)


def analysis_html(analysis: Analysis) -> str:
    """All targets, with the details of each folded where there are several."""
    model = analysis.model
    title = f"{analysis._title}: {model.nodes} nodes, {model.weight_bytes / 1e6:.1f} MB of weights"
    rows = "".join(_cells("td", _summary_row(target)) for target in analysis.targets)
    table = "<table>" + _cells("th", HEADINGS) + rows + "</table>"
    findings = "".join(f"<div>{html.escape(f'{item.code}: {item.text}')}</div>" for item in analysis.findings)
    if len(analysis.targets) == 1:
        details = _details(analysis.targets[0])
    else:
        details = "".join(f"<details><summary>{html.escape(target.name)}</summary>{_details(target)}</details>"
                          for target in analysis.targets)
    return f"<div><b>{html.escape(title)}</b></div>{findings}{table}{details}"
