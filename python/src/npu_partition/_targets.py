# SPDX-License-Identifier: Apache-2.0
"""What targets there are."""
from __future__ import annotations

import dataclasses

from ._arguments import Targets, built_in_names, oplist_info


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
            name, _text(info.title), _text(info.toolchain), _text(info.standing), _text(info.partitioner),
            _text(info.default_variant), info.variant_count, info.op_count, info.rule_count))
    return tuple(found)


def _text(text: bytes | None) -> str:
    return (text or b"").decode("utf-8", "replace")
