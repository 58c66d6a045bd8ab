# SPDX-License-Identifier: Apache-2.0
"""Fixtures of all tests. NPU_PARTITION_TOOL names the tool whose answers Python's are compared with."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
MODELS = sorted(FIXTURES.rglob("*.onnx"))

Ask = Callable[..., list[Any]]


@pytest.fixture(scope="session")
def tool() -> str:
    """The command-line tool."""
    path = os.environ.get("NPU_PARTITION_TOOL", str(ROOT / "build" / "npu-partition"))
    if not os.access(path, os.X_OK):
        pytest.skip(f"no tool at {path}")
    return path


@pytest.fixture(scope="session")
def ask(tool: str) -> Ask:
    """What the tool says, as JSON: a list, one item a model."""

    def run(*arguments: str | os.PathLike[str], **options: Any) -> list[Any]:
        done = subprocess.run([tool, *arguments, "--format", "json"], capture_output=True, check=True, **options)
        return [json.loads(line) for line in done.stdout.decode("utf-8", "replace").splitlines()]

    return run


@pytest.fixture(scope="session")
def detector() -> pathlib.Path:
    """A small model whose exporter left stack traces."""
    return FIXTURES / "detector.dynamo.onnx"


@pytest.fixture(scope="session")
def encoder() -> pathlib.Path:
    """A model with dynamic dimensions."""
    return FIXTURES / "distilbert-base.ts14.dyn.onnx"
