# SPDX-License-Identifier: Apache-2.0
"""Words that several modules need."""
from __future__ import annotations

NPU = "NPU"  # the unit of most targets, in the JSON's ``unit``


def on_unit(unit: str) -> str:
    """Where nodes are that are taken, in a sentence: "on the NPU", "in XNNPACK"; as npart_plan_info.on_unit."""
    return "on the NPU" if unit == NPU else f"in {unit}"


def several(count: int, thing: str) -> str:
    """ "1 node", "2 nodes"."""
    return f"{count} {thing}{'' if count == 1 else 's'}"
