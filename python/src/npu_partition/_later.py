# SPDX-License-Identifier: Apache-2.0
"""Modules that are imported when they are first used, so that ``import npu_partition`` takes little time."""
from __future__ import annotations

import importlib
from typing import Any


class Later:
    """Stands for a module of this package, or of the standard library. Type checkers are told the module itself."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self._name, __package__), name)
