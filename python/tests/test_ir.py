# SPDX-License-Identifier: Apache-2.0
"""Models of onnx_ir, as torch.onnx.ONNXProgram holds them."""
from __future__ import annotations

import pathlib
import types
from typing import Any

import pytest
from conftest import MODELS

from npu_partition import _ir, analyze

onnx = pytest.importorskip("onnx")
onnx_ir = pytest.importorskip("onnx_ir")


def answer(source: Any) -> dict[str, Any]:
    return analyze(source, "hexagon,tidl", name="model").to_dict()


@pytest.mark.parametrize("name", ["detector.dynamo.onnx", "early-exit-cnn.ts14.if.onnx",
                                  "local-functions-convnet-attrs.dyn.onnx", "greedy-decode-gru.ts14.loop.onnx"])
def test_models_say_what_their_files_say(name: str) -> None:
    path = next(path for path in MODELS if path.name == name)
    model = onnx_ir.load(path)
    written = onnx_ir.serde.serialize_model(model).SerializeToString()
    assert answer(model) == answer(written)
    program = types.SimpleNamespace(model=model)
    assert answer(program) == answer(written)
    assert analyze(program, "hexagon").model.path == "<ONNXProgram>"


class Weight(onnx_ir.Tensor):  # type: ignore[misc, name-defined]
    """A tensor whose bytes nobody should ask for."""

    asked = 0

    def tobytes(self) -> bytes:
        Weight.asked += 1
        return bytes(self.nbytes)


def test_weights_are_not_serialized() -> None:
    numpy = pytest.importorskip("numpy")
    weights = {name: Weight(numpy.zeros(size, dtype=kind), name=name)
               for name, size, kind in (("large", (300, 300), numpy.float32), ("deep", (200, 100), numpy.int64),
                                        ("small", (7,), numpy.float32))}
    x = onnx_ir.val("x", onnx_ir.DataType.FLOAT, [1])
    inner = onnx_ir.Graph([], [onnx_ir.val("deep", const_value=weights["deep"])], nodes=[], name="inner",
                          initializers=[onnx_ir.val("deep", const_value=weights["deep"])])
    values = [onnx_ir.val(name, const_value=weights[name]) for name in ("large", "small")]
    node = onnx_ir.node("If", [x], {"then_branch": inner}, num_outputs=1)
    graph = onnx_ir.Graph([x], node.outputs, nodes=[node], initializers=values, opset_imports={"": 21}, name="main")
    model = onnx_ir.Model(graph, ir_version=10)
    Weight.asked = 0
    proto = _ir.to_proto(model, 0)
    assert Weight.asked == 1, "the small one alone"
    assert all(value.const_value is weights[value.name] for value in values), "all are put back"
    found = analyze(model, "hexagon").model
    assert found.weight_bytes == 300 * 300 * 4 + 200 * 100 * 8 + 7 * 4
    assert found.bytes > found.weight_bytes
    assert len(proto.SerializeToString()) < 2000


def test_weights_are_put_back_after_a_failure(monkeypatch: pytest.MonkeyPatch, detector: pathlib.Path) -> None:
    model = onnx_ir.load(detector)
    before = {name: value.const_value for name, value in model.graph.initializers.items()}

    def fail(_model: Any) -> Any:
        raise RuntimeError("no")

    monkeypatch.setattr(onnx_ir.serde, "serialize_model", fail)
    monkeypatch.setattr(_ir, "KEEP_BYTES", 0)
    with pytest.raises(RuntimeError):
        analyze(model, "hexagon")
    assert {name: value.const_value for name, value in model.graph.initializers.items()} == before
