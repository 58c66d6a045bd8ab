#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the exports that stand in for PyTorch in tests: those beside this file, and docs/tutorial's.

usage: make.py     Needs torch (2.15.0), onnx, onnxscript: the environment of `make check-exporters`.
"""
from __future__ import annotations

import importlib
import pathlib
import re
import sys
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
TUTORIAL = HERE.parents[2] / "docs" / "tutorial"


def without_machine_paths(text: str) -> str:
    """File names as a project would have them, whatever folder the export ran in."""
    text = text.replace(f"{HERE}/", "").replace(f"{TUTORIAL}/", "")
    text = re.sub(r'(^|"|\n)[^"\n]*/(site|dist)-packages/', r"\1/usr/lib/python3/site-packages/", text)
    return re.sub(r'(^|"|\n)/[^"\n]*/lib/python3\.\d+/', r"\1/usr/lib/python3/", text)


def clean(path: pathlib.Path) -> None:
    """Takes this machine out of a model."""
    onnx = importlib.import_module("onnx")
    model: Any = onnx.load(path)
    for node in model.graph.node:
        node.doc_string = without_machine_paths(node.doc_string)
        for entry in node.metadata_props:
            entry.value = without_machine_paths(entry.value)
    onnx.save(model, path)


def export_unsupported(torch: Any) -> None:
    """The same model by both exporters."""
    net = importlib.import_module("unsupported").Net().eval()
    image = (torch.zeros(1, 3, 16, 16),)
    torch.onnx.export(net, image, HERE / "unsupported.dynamo.onnx", dynamo=True, external_data=False)
    torch.onnx.export(net, image, str(HERE / "unsupported.ts.onnx"), dynamo=False, verbose=True)


def export_tutorial(torch: Any) -> None:
    """As docs/tutorial/export.py does, before and after its change to the model."""
    for name, line in (("model", None), ("changed", CHANGED)):
        module: dict[str, Any] = {"__name__": "model"}
        text = (TUTORIAL / "model.py").read_text()
        if line is not None:
            text = text.replace(*line)
        exec(compile(text, str(TUTORIAL / "model.py"), "exec"), module)
        torch.manual_seed(0)
        torch.onnx.export(module["Encoder"]().eval(), (torch.randint(1, 50, (2, 16)),), TUTORIAL / f"{name}.onnx",
                          dynamo=True, external_data=False, dynamic_shapes=({0: torch.export.Dim("batch")},))


CHANGED = ("        x[tokens == 0] = self.blank\n",
           "        x = torch.where((tokens == 0)[..., None], self.blank, x)\n")


def main() -> None:
    """Writes all."""
    torch = importlib.import_module("torch")
    sys.path.insert(0, str(HERE))
    torch.manual_seed(0)
    export_unsupported(torch)
    export_tutorial(torch)
    for path in sorted([*HERE.glob("*.onnx"), *TUTORIAL.glob("*.onnx")]):
        clean(path)
        print(f"{path.relative_to(HERE.parents[2])}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
