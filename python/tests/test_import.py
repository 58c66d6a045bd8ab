# SPDX-License-Identifier: Apache-2.0
"""``import npu_partition`` loads little, and each public name is there all the same."""
from __future__ import annotations

import ast
import pathlib
import subprocess
import sys

import pytest

import npu_partition

# What `import npu_partition` brings in beside what an interpreter and its packages have loaded already.
MOST_MODULES = 40


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_few_modules_are_imported() -> None:
    """Time follows from what is loaded, and that is the same on every machine."""
    modules = run("import sys; before = {*sys.modules}; import npu_partition; print(*{*sys.modules} - before)").split()
    assert "npu_partition" in modules
    assert len(modules) <= MOST_MODULES


@pytest.mark.parametrize("code", ["import npu_partition", "import npu_partition; npu_partition.analyze"])
def test_what_is_not_imported(code: str) -> None:
    loaded = set(run(f"{code}; import sys; print(*sys.modules)").split())
    assert loaded & {"dataclasses", "inspect", "concurrent.futures", "pandas", "onnx", "npu_partition.results",
                     "npu_partition._fix", "npu_partition._diff", "npu_partition._html"} == set()


def test_every_name_is_there() -> None:
    """What type checkers are told is what there is."""
    text = pathlib.Path(npu_partition.__file__).read_text(encoding="utf-8")
    guarded = next(item for item in ast.parse(text).body if isinstance(item, ast.If))
    told = {name.asname for item in guarded.body if isinstance(item, ast.ImportFrom) for name in item.names}
    assert told == {*npu_partition.__all__, "results"} - {"__version__", "version"}
    assert all(hasattr(npu_partition, name) for name in npu_partition.__all__)
    assert set(npu_partition.__all__) <= set(dir(npu_partition))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        npu_partition.nothing  # noqa: B018
    starred: dict[str, object] = {}
    exec("from npu_partition import *", starred)
    assert set(npu_partition.__all__) <= set(starred)
