# SPDX-License-Identifier: Apache-2.0
"""A model of onnx_ir, which torch.onnx.ONNXProgram holds, as an onnx.ModelProto without its weights."""
from __future__ import annotations

import contextlib
import importlib
import math
from collections.abc import Iterator
from typing import Any

from ._proto import HOLE, KEEP_BYTES


def to_proto(model: Any, keep_bytes: int) -> Any:
    """Large initializers stand there as external data whose place is a hole (`_proto`)."""
    onnx_ir = importlib.import_module("onnx_ir")

    with _without_weights(model, max(keep_bytes, KEEP_BYTES), onnx_ir):
        return onnx_ir.serde.serialize_model(model)


@contextlib.contextmanager
def _without_weights(model: Any, keep_bytes: int, onnx_ir: Any) -> Iterator[None]:
    """Takes the large initializers' tensors out for the time of the block."""
    taken = []
    try:
        for graph in _graphs(model):
            for value in graph.initializers.values():
                tensor = value.const_value
                if tensor is None or isinstance(tensor, onnx_ir.ExternalTensor) or tensor.nbytes <= keep_bytes:
                    continue
                taken.append((value, tensor))
                value.const_value = onnx_ir.ExternalTensor(
                    HOLE, 0, math.ceil(tensor.nbytes), tensor.dtype, shape=tensor.shape, name=tensor.name)
        yield
    finally:
        for value, tensor in taken:
            value.const_value = tensor


def _graphs(model: Any) -> Iterator[Any]:
    """All graphs that have initializers."""
    yield model.graph
    yield from model.graph.subgraphs()
