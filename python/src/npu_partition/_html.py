# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows: the first screen of the page (`to_html`), without its script. The elements are those that
web/page/header.js and verdict.js make, in the page's styles; a test compares them. Every text from a model is escaped.
"""
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import _markup
from ._library import plain_text
from ._markup import NOT_KNOWN, Child, Markup, element, joined, sentence
from ._page_css import CSS
from ._source import Live
from ._words import NPU, on_unit

if TYPE_CHECKING:
    from ._analysis import Analysis, Target
    from .results import Action, After, Cost, Decided, Finding, ModelInfo, Node, Summary

ANSWERS = {
    "whole": ("Whole", "\u25a0", "good", ""),
    "edge": ("Edge", "\u25a0", "good", "one partition; only input and output quantization on the CPU"),
    "split": ("Split", "\u25e7", "warning", ""),
    "none": ("None", "\u25a1", "bad", ""),
    "fails": ("Fails", "\u2716", "bad",
              "the session does not start: a node fails to compile, or the model is refused"),
    "empty": ("Empty", "\u25cb", "plain", "nothing is left to run once constants are folded"),
}
ADVICE = {"npu": "good", "mend": "warning", "cpu": "bad", "undecided": "unknown"}
EQUALITIES = {
    "bits": "the results stay equal bit for bit (optimizations off)",
    "bits-if": "the results stay equal, for values that the file cannot promise",
    "ulp": "the last digits of the results differ, as sums run in another order",
    "step": "the results stay within one quantization step for each op",
    "approx": "the results are an approximation",
    "other": "the results are others",
}
DONE = ("whole", "edge", "empty")
MOST_CAUSES, MOST_FINDINGS = 5, 200
LANE_PIXELS, ROW_PIXELS = 720, 18  # where there are more nodes, neighbours share a pixel
ROWS = (("npu",), ("fail", "unknown"), ("cpu",))  # from above; one that is empty is left out
WORDS = {"npu": NPU, "cpu": "CPU", "fail": "fails to compile", "unknown": "undecided"}
FILLS = {"npu": "#146c3c", "cpu": "#954c00", "fail": "#b91c2b", "unknown": "#7a3cad"}  # where styles are taken away


# ---- the verdict (verdict.js) -------------------------------------------------------------------------------------


def _answer_mark(summary: Summary) -> Markup:
    word, sign, kind, _text = ANSWERS[summary.verdict]
    return element("span", {"class": f"answer answer-{kind}"},
                   element("span", {"class": "sign", "aria-hidden": "true"}, sign), word)


def _answer(summary: Summary, place: str) -> str:
    live, is_later = _markup.count(summary.live, "node"), bool(summary.placed_later)
    if summary.verdict == "whole":
        return f"{'' if summary.live == 1 else 'all '}{live} {'taken' if is_later else place}, in one partition"
    if summary.verdict == "none":
        return f"none of {live} runs {place}"
    if summary.verdict == "fails" and summary.failed:
        return (f"{_markup.count_of(summary.failed, summary.live, 'node')} "
                f"{'fails' if summary.failed == 1 else 'fail'} to compile: the session does not start")
    if summary.verdict == "split":
        left = _markup.whole(summary.live - summary.accepted)
        low, high = summary.partitions_if_unknown
        partitions = (_markup.count(high, "partition") if low == high
                      else f"{_markup.whole(low)} to {_markup.count(high, 'partition')}")
        return ", ".join([partitions, _switches(summary),
                          f"{left} of {live} {'left to the CPU' if is_later else f'not {place}'}"])
    return ANSWERS[summary.verdict][3]


def _switches(summary: Summary) -> str:
    return f"{_markup.whole(summary.switches)} device {'switch' if summary.switches == 1 else 'switches'}"


def _decided(decided: Decided | None) -> Child:
    if decided is None:
        return None
    npu, told = decided.units[0], ", ".join(decided.units)
    reasons = [element("li", None, plain_text(f"{_markup.count(reason.nodes, 'node')} not on the {npu}: {reason.text}"),
                       plain_text(f"; {reason.advice}") if reason.advice else None) for reason in decided.reasons]
    return element("div", {"class": "muted"},
                   element("p", None, plain_text(f"{decided.by} decides later which unit runs them: {told}.")),
                   element("ul", None, reasons) if reasons else None)


def _recommendation(cost: Cost) -> Child:
    if not cost.reason:
        return None
    answer, colon, rest = cost.reason.partition(": ")
    return element("p", {"class": "recommendation"}, "Worth it: ",
                   element("strong", {"class": f"answer-{ADVICE.get(cost.recommendation, 'plain')}"},
                           plain_text(answer)), plain_text(colon + rest))


def _figure(name: str, value: str, note: str | None, bar: Child = None) -> Markup:
    is_known = value != NOT_KNOWN
    return element("div", {"class": "figure"}, element("dt", None, name), element(
        "dd", None, element("span", {"class": "value"}, value if is_known else _markup.unknown_mark()), bar,
        element("span", {"class": "note"}, note or (None if is_known else NOT_KNOWN))))


def _figures(target: Target) -> Markup:
    summary, fixed = target.summary, target.if_fixed
    total, ways, (low, high) = _run_times(target), target.cost.alternatives, summary.partitions_if_unknown

    def when_fixed(text: str | None) -> str | None:
        return f"not known; {text} with sizes fixed" if fixed and text and text != NOT_KNOWN else None

    macs = (f"of {_markup.amount(summary.macs)}" if summary.mac_coverage is not None and summary.macs is not None
            else when_fixed(_markup.share_text(fixed.summary.mac_coverage) if fixed else None))
    has_time = total[1] is not None or (ways.fixed is not None and ways.fixed[1] is not None)
    return element(
        "dl", {"class": "figures"},
        _figure("Partitions", _markup.whole(summary.partitions),
                _switches(summary) if low == high else f"{low} to {high}, by undecided nodes"),
        _figure("Coverage (MACs)", _markup.share_text(summary.mac_coverage), macs,
                None if summary.mac_coverage is None else _markup.share_bar(summary.mac_coverage)),
        _figure("Coverage (nodes)", _markup.share_text(summary.coverage),
                _markup.count_of(summary.accepted, summary.live, "node"), _markup.share_bar(summary.coverage)),
        _figure("Time a run", _markup.estimate_of(total), _markup.bounds_of(total) or when_fixed(
            _markup.estimate_of(ways.fixed))) if has_time else None,
        _figure("CPU alone", _markup.estimate_of(ways.cpu), _markup.bounds_of(ways.cpu)) if ways.cpu else None)


def _run_times(target: Target) -> tuple[float | None, float | None, float | None]:
    """Of a run as it is planned, as the line has it; what fails to compile has none."""
    cost = target.cost
    return (None, None, None) if target.summary.verdict == "fails" else (cost.low_ms, cost.typical_ms, cost.high_ms)


# ---- what to do first (advice.js) -----------------------------------------------------------------------------------


def _first_step(target: Target, path: str) -> Child:
    first = next((action for action in target.advice if action.instead_of is None), None)
    if first is None:
        return None if target.summary.verdict in DONE else element("p", {"class": "recommendation"}, "Fix: none known")
    command = _command(first, target, path)
    told = element("p", {"class": "action-command"}, _markup.command_line(command)) if command else None
    after = None if first.action == "none" else element(
        "p", {"class": "muted"}, f"It {_after(first.after, target)}",
        f"; {EQUALITIES.get(first.equality, plain_text(first.equality))}." if first.equality else ".")
    return element("div", {"class": "first-action"},
                   element("h3", None, "What stays as it is" if first.action == "none" else "Fix"),
                   told, element("p", {"class": "action-text"}, sentence(first.text)), after)


def _command(action: Action, target: Target, path: str) -> str | None:
    if action.run:
        return " ".join(map(_markup.shell_word, action.run))
    names = f"--target {_markup.shell_word(target.name)}"
    if action.command:
        has_target = re.search(r"(^|\s)(-t|--target)\s", action.command)
        return " ".join(["npu-partition", _markup.shell_word(path), *([] if has_target else [names]), action.command])
    if not action.fixable:
        return None
    weaker = [] if action.equality in (None, "bits", "other") else ["--allow", str(action.equality)]
    out = "fixed.onnx" if path == "-" else re.sub(r"(\.onnx)?$", ".fixed.onnx", path, count=1, flags=re.I)
    return " ".join(["npu-partition fix", _markup.shell_word(path), names, *weaker, "--output",
                     _markup.shell_word(out)])


def _after(after: After, target: Target) -> str:
    cost, decided = after.cost, target.decided
    time = _markup.estimate((cost.low_ms, cost.typical_ms, cost.high_ms))
    macs = "" if after.mac_coverage is None else f"{_markup.share_text(after.mac_coverage)} of MACs, "
    side = f"taken by {plain_text(decided.by)}" if decided else on_unit(target.unit)
    shares = (f"all nodes {side}" if after.verdict == "whole" else
              f"coverage {macs}{_markup.share_text(after.coverage)} of nodes")
    failing = "; still fails to compile" if after.verdict == "fails" else ""
    taking = "" if time == NOT_KNOWN else f"; {time}"
    return f"leaves {_markup.count(after.partitions, 'partition')}, {shares}{failing}{taking}"


def _findings(findings: Sequence[Finding]) -> Child:
    def line(finding: Finding) -> Markup:
        return element("li", {"class": "problem" if finding.code == "invalid" else None},
                       element("code", None, plain_text(finding.code)), " ", sentence(finding.text),
                       element("span", {"class": "muted"}, " \u2013 ", plain_text(finding.at)) if finding.at else None)

    def listed(items: list[Finding]) -> Child:
        more = [element("li", {"class": "muted"}, f"and {len(items) - MOST_FINDINGS} more")]
        return element("ul", {"class": "findings"}, map(line, items[:MOST_FINDINGS]),
                       more if len(items) > MOST_FINDINGS else None)

    severe = [finding for finding in findings if finding.code == "invalid"]
    others = [finding for finding in findings if finding.code != "invalid"]
    title = f"{_markup.count(len(others), 'finding')} about the model"
    return [listed(severe) if severe else None,
            element("details", {"class": "prints"}, element("summary", None, title), listed(others))
            if others else None]


def verdict(target: Target, path: str, findings: Sequence[Finding]) -> Markup:
    """The page's first section, without its title and what may be opened."""
    summary, place = target.summary, on_unit(target.unit)
    return joined([
        element("p", {"class": "headline-verdict"}, _answer_mark(summary), " ",
                element("span", None, _answer(summary, place))),
        _decided(target.decided), _recommendation(target.cost), _first_step(target, path), _figures(target),
        _findings(findings)])


def model_title(model: ModelInfo, path: str) -> Markup:
    """The file's name, large, and what is known of the model (header.js)."""
    shown, name = plain_text(path), plain_text(re.sub(r"^.*[/\\]", "", re.sub(r"[/\\]+$", "", path)) or path)
    facts = [_markup.count(model.nodes, "node"), f"{_markup.bytes_text(model.bytes)} file",
             f"{_markup.bytes_text(model.weight_bytes)} of weights",
             *(f"opset {version}" if domain == "ai.onnx" else f"{plain_text(domain)} {version}"
               for domain, version in model.opsets.items()), plain_text(model.producer)]
    return element("div", {"class": "model"},
                   element("h1", {"tabindex": "-1"}, "Model from standard input" if path == "-" else name),
                   element("p", {"class": "muted"}, None if shown == name else
                           [element("span", {"class": "code path"}, shown),
                            element("span", {"class": "divider"}, " \u00b7 ")],
                           " \u00b7 ".join(filter(None, facts))))


# ---- what a notebook has besides ------------------------------------------------------------------------------------


def _runs(nodes: Sequence[Node], order: Sequence[int]) -> list[tuple[str, int]]:
    """In the order that they run: a verdict, and how many nodes have it one after the other."""
    runs: list[tuple[str, int]] = []
    for index in order:
        found = nodes[index].verdict
        if runs and runs[-1][0] == found:
            runs[-1] = (found, runs[-1][1] + 1)
        else:
            runs.append((found, 1))
    return runs


def _lane(target: Target) -> Child:
    """Nodes as they run, those that are taken above; all equally wide."""
    runs = [(word, number) for word, number in _runs(target.nodes, target.order) if word in WORDS]
    found = {word for word, _number in runs} | {"npu", "cpu"}
    shown = [words for words in ROWS if not found.isdisjoint(words)]
    row_of = {word: row for row, words in enumerate(shown) for word in words}
    scale, at, bars = LANE_PIXELS / max(sum(number for _word, number in runs), 1), 0, []
    for word, number in runs:
        name = target.unit if word == "npu" else WORDS[word]
        bars.append(element("rect", {
            "class": f"lane-{word}", "x": f"{at * scale:.1f}", "y": str(row_of[word] * ROW_PIXELS),
            "width": f"{number * scale:.1f}", "height": str(ROW_PIXELS), "fill": FILLS[word]},
            element("title", None, f"{_markup.count(number, 'node')}: {plain_text(name)}")))
        at += number
    label = f"{_markup.count(at, 'node')} in execution order, {plain_text(target.unit)} above, CPU below"
    return [element("svg", {"class": "strip", "width": str(LANE_PIXELS), "height": str(len(shown) * ROW_PIXELS),
                            "role": "img", "aria-label": label}, bars),
            element("p", {"class": "muted"}, label)]


def _causes(target: Target) -> Child:
    causes = target.causes
    if not causes:
        return None
    row = [element("tr", None, element("td", {"class": "number"}, _markup.whole(cause.victims)),
                   element("td", {"class": "number"}, str(len(cause.cuts))), element("td", None, sentence(cause.text)))
           for cause in causes[:MOST_CAUSES]]
    head = element("tr", None, [element("th", {"scope": "col"}, name) for name in ("Nodes", "Ends partitions", "Why")])
    more = [element("p", {"class": "muted"}, f"and {len(causes) - MOST_CAUSES} more")]
    return element("details", None, element("summary", None, _markup.count(len(causes), "cause")),
                   element("table", None, element("thead", None, head), element("tbody", None, row)),
                   more if len(causes) > MOST_CAUSES else None)


def _details(target: Target) -> Child:
    source = target._source
    has = {name: isinstance(source, Live) or source.has(name) for name in ("nodes", "causes")}
    return [_lane(target) if has["nodes"] else None, _causes(target) if has["causes"] else None]


def _frame(*children: Child) -> str:
    return element("div", {"class": "npu-partition"}, Markup(f"<style>{CSS}</style>"), children)


def target_html(target: Target) -> str:
    """One target."""
    path = str(target._source.document("summary", target._at)["model"]["path"])
    return _frame(element("h2", None, plain_text(target.name)), verdict(target, path, ()), _details(target))


def analysis_html(analysis: Analysis) -> str:
    """All targets; of several a row each, and the rest of each folded."""
    path, targets, findings = analysis._title, analysis.targets, analysis.findings
    title = model_title(analysis.model, path)
    if len(targets) == 1:
        return _frame(title, element("h2", None, plain_text(targets[0].name)), verdict(targets[0], path, findings),
                      _details(targets[0]))
    return _frame(title, _overview(targets, path), _findings(findings), [
        element("details", None, element("summary", None, plain_text(target.name)), verdict(target, path, ()),
                _details(target)) for target in targets])


def _overview(targets: Sequence[Target], path: str) -> Markup:
    """The page's table of several results (overview.js), of one model."""
    names = ("Target", "Verdict", "Partitions", "Coverage (MACs)", "Coverage (nodes)", "Time a run", "CPU alone",
             "Do first")
    head = [element("th", {"scope": "col", "class": "number" if 2 <= at <= 6 else None}, name)
            for at, name in enumerate(names)]
    rows = [_overview_row(target, path) for target in targets]
    return element("div", {"class": "scroll"}, element("table", {"class": "overview"}, element(
        "thead", None, element("tr", None, head)), element("tbody", None, rows)))


def _overview_row(target: Target, path: str) -> Markup:
    def number(value: str) -> Markup:
        return element("td", {"class": "number"}, _markup.unknown_mark() if value == NOT_KNOWN else value)

    summary, cost, first = target.summary, target.cost, target.advice[0] if target.advice else None
    return element(
        "tr", None, element("th", {"scope": "row", "class": "name"}, plain_text(target.name)),
        element("td", None, _answer_mark(summary)), number(str(summary.partitions)),
        number(_markup.share_text(summary.mac_coverage)), number(_markup.share_text(summary.coverage)),
        number(_markup.estimate(_run_times(target))), number(_markup.estimate_of(cost.alternatives.cpu)),
        element("td", {"class": "first-step"}, _first_line(first, target, path)))


def _first_line(first: Action | None, target: Target, path: str) -> Child:
    """The line that does it, as `print` has it, then what it does."""
    if first is None:
        return "nothing to do" if target.summary.verdict in DONE else "none known"
    command = _command(first, target, path)
    return [element("p", {"class": "action-command"}, _markup.command_line(command)) if command else None,
            sentence(first.text)]
