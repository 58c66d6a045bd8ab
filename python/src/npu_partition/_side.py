# SPDX-License-Identifier: Apache-2.0
"""A saved report as a side of a comparison: what npart_record_make says of a plan, from the plan's JSON."""
from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from . import _native
from ._errors import MalformedError
from ._library import initialized
from .results import PlanVerdict, Verdict

Data = Mapping[str, Any]
VERDICTS, PLAN_VERDICTS = get_args(Verdict), get_args(PlanVerdict)  # in the order of the enums
FITS = {None: _native.NPART_FIT_UNKNOWN, False: _native.NPART_FIT_NO, True: _native.NPART_FIT_YES}
NOT_KNOWN_BYTES = 0xFFFFFFFFFFFFFFFF
# Members that are called as in the JSON.
COUNTS = ("nodes", "folded", "live", "fused", "accepted", "refused", "unknown", "failed", "partitions", "switches")


def sides_of(report: Data) -> list[_native.npart_side]:
    """One for each target. Each keeps alive what it points to."""
    try:
        return [_side(report, target) for target in report["targets"]]
    except MalformedError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise MalformedError("no report of npu-partition (to_dict() or --format json)") from error


def _side(report: Data, target: Data) -> _native.npart_side:
    side: _native.npart_side = initialized(_native.npart_side, _native.NPART_SIDE_INIT)
    side.model, side.target = _bytes(report["model"]["path"]), _bytes(target.get("name") or target["target"])
    side.toolchain = _bytes(target["toolchain"])
    side.is_invalid = any(finding["code"] == "invalid" for finding in report["findings"])
    _fill_summary(side.summary, target["summary"])
    nodes = target.get("nodes")
    side.listing = _native.NPART_LISTING_NONE if nodes is None else _native.NPART_LISTING_ALL
    side.nodes = (_native.npart_side_node * len(nodes or ()))(*map(_node, nodes or ()))
    side.node_count = len(nodes or ())
    causes = target.get("causes", ())
    advice = target.get("advice", ())
    side.causes = (_native.npart_side_cause * len(causes))(
        *(_cause(cause, advice, nodes is not None) for cause in causes))
    side.cause_count = len(causes)
    cost = target["cost"]
    side.cost = _range([cost["low_ms"], cost["typical_ms"], cost["high_ms"]])
    side.npu_whole = _range(cost["alternatives"]["npu_whole"])
    side.parts = _parts(cost["parts"])
    side.unit = _bytes(target.get("unit"))
    _fill_memory(side, target["memory"])
    return side


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")


def _id(number: int | None) -> int:
    return _native.NPART_NONE if number is None else number


def _parts(parts: Data) -> _native.npart_side_parts:
    typical = {name: (range_ or [0.0, 0.0])[1] or 0.0 for name, range_ in parts.items()}
    return _native.npart_side_parts(
        cpu_ms=typical["cpu"], npu_ms=typical["npu_compute"] + typical["npu_bandwidth"], launch_ms=typical["switch"],
        copy_ms=typical["copy"], layout_ms=typical["layout"], quantize_ms=typical["quantize"])


def _range(numbers: Sequence[float | None] | None) -> _native.npart_cost_range:
    known = [-1.0 if number is None else number for number in numbers or (None, None, None)]
    return _native.npart_cost_range(*known)


def _fill_summary(out: _native.npart_summary, data: Data) -> None:
    out.size = ctypes.sizeof(out)
    for name in COUNTS:
        setattr(out, name, data[name])
    out.partitions_low, out.partitions_high = data["partitions_if_unknown"]
    out.coverage, verdict = data["coverage"], data["verdict"]
    out.verdict = PLAN_VERDICTS.index(verdict) if verdict in PLAN_VERDICTS else _native.NPART_PLAN_UNKNOWN
    out.has_macs = data["macs"] is not None
    out.macs, out.macs_on_npu = data["macs"] or 0, data["macs_on_npu"] or 0
    out.mac_coverage = data["mac_coverage"] or 0
    out.fits, out.placed_later = FITS[data.get("fits")], data.get("placed_later", 0)  # an older report has neither


def _node(data: Data) -> _native.npart_side_node:
    node = _native.npart_side_node()
    node.name, node.op, node.graph = _bytes(data["name"]), _bytes(data["op"]), _bytes(data["graph"])
    node.place = _bytes(_place(data["at"]))
    node.index, node.verdict = data["index"], VERDICTS.index(data["verdict"])
    node.partition, node.cause = _id(data["partition"]), _id(data["cause"])
    structure = data.get("structure") or "0" * 32
    node.up, node.down, node.around, node.itself = (int(structure[at:at + 8], 16) for at in (0, 8, 16, 24))
    return node


def _place(at: Data) -> str:
    line = f"{at['file']}:{at.get('line', 0)}" if "file" in at else ""
    if "module" not in at:
        return line
    return f"{line} ({at['module']})" if line else str(at["module"])


def _cause(data: Data, advice: Sequence[Data], has_nodes: bool) -> _native.npart_side_cause:
    cause = _native.npart_side_cause()
    cause.kind, cause.rule, cause.text = _bytes(data["kind"]), _bytes(data["rule"]), _bytes(data["text"])
    cause.action = next((_bytes(action["text"]) for action in advice
                         if action["instead_of"] is None and data["id"] in action["causes"]), None)
    ids = data["nodes"] if has_nodes else []
    cause.nodes, cause.node_count = (ctypes.c_uint32 * len(ids))(*ids), len(ids)
    cause.affected_count = data["victims"]
    return cause


def _fill_memory(side: _native.npart_side, memory: Data) -> None:
    for member, name in (("weight_bytes", "weight_bytes"), ("npu_weight_bytes", "weight_bytes_npu"),
                         ("peak_bytes", "activation_peak_bytes"), ("npu_peak_bytes", "activation_peak_bytes_npu")):
        setattr(side, member, NOT_KNOWN_BYTES if memory[name] is None else memory[name])
    partitions, limits = memory.get("partitions"), memory.get("limits")
    side.off_chip = _id(None if partitions is None else sum(item["fits_on_chip"] is False for item in partitions))
    side.limits = _id(None if limits is None else sum(item["fits"] is False for item in limits))
