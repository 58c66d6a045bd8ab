# SPDX-License-Identifier: Apache-2.0
"""What targets there are."""
from __future__ import annotations

import dataclasses

from ._arguments import Targets, built_in_names, oplist_info
from ._library import decoded


@dataclasses.dataclass(frozen=True, slots=True)
class TargetInfo:
    """A target with a list in the library."""

    name: str
    """What `analyze` takes."""
    title: str
    toolchain: str
    """What the list describes; empty where it names none."""
    standing: str
    """How far the list is verified."""
    partitioner: str
    default_variant: str
    """Empty where there are none."""
    variants: int
    ops: int
    rules: int


def targets() -> tuple[TargetInfo, ...]:
    """All targets, in alphabetical order."""
    found = []
    for name, oplist in Targets(built_in_names(), None, None).items:
        info = oplist_info(oplist)
        found.append(TargetInfo(
            name, decoded(info.title), decoded(info.toolchain), decoded(info.standing), decoded(info.partitioner),
            decoded(info.default_variant), info.variant_count, info.op_count, info.rule_count))
    return tuple(found)
