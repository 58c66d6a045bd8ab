# SPDX-License-Identifier: Apache-2.0
"""Models in memory reach the library as they would stand in a file, without a copy of their weights."""
from __future__ import annotations

import pathlib
from typing import Any

import pytest
from conftest import MODELS

import npu_partition
from npu_partition import _proto

onnx = pytest.importorskip("onnx")
helper = onnx.helper


def assert_same_wire(model: Any, keep_bytes: int) -> int:
    """Every byte that is there is the one of the serialized model. Returns how many are holes."""
    pieces = _proto._Writer(keep_bytes).message(model)
    expected, at, hidden = model.SerializeToString(), 0, 0
    assert pieces.size == len(expected)
    for part in pieces.parts:
        if isinstance(part, int):
            hidden += part
            at += part
        else:
            assert part == expected[at:at + len(part)]
            at += len(part)
    return hidden


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.name)
def test_wire_form_of_fixtures(model: pathlib.Path) -> None:
    loaded = onnx.load(model, load_external_data=False)
    assert_same_wire(loaded, 0)
    assert_same_wire(loaded, _proto.KEEP_BYTES)


def graph_with(initializers: list[Any], nodes: list[Any] | None = None) -> Any:
    value = helper.make_tensor_value_info("x", 1, [1])
    out = helper.make_tensor_value_info("y", 1, [1])
    return helper.make_graph([*(nodes or []), helper.make_node("Identity", ["x"], ["y"])], "graph", [value], [out],
                             initializers)


def raw(name: str, kind: int, size: int) -> Any:
    bits = _proto.ELEMENT_BITS[kind]
    dims = [3, size]
    return onnx.TensorProto(name=name, data_type=kind, dims=dims, raw_data=bytes((3 * size * bits + 7) // 8),
                            doc_string="a text after the payload")


def test_every_place_and_form_of_a_tensor() -> None:
    """Raw and typed data, external ones, sparse ones, in constants, bodies and functions."""
    tensors = [raw(f"raw{kind}", kind, 50_001) for kind in _proto.ELEMENT_BITS]
    tensors += [
        helper.make_tensor("floats", 1, [300_000], [1.0] * 300_000),
        helper.make_tensor("doubles", 11, [20_000], [1.0] * 20_000),
        helper.make_tensor("int32s", 3, [100_000], [*range(100)] * 1000),
        helper.make_tensor("int64s", 7, [40_000], [*range(-20_000, 20_000)]),
        helper.make_tensor("uint64s", 13, [40_000], [2 ** 63] * 40_000),
        helper.make_tensor("strings", 8, [2], [b"a", b"b" * 100_000]),
        onnx.TensorProto(name="outside", data_type=1, dims=[100_000], data_location=1,
                         external_data=[onnx.StringStringEntryProto(key="location", value="weights.bin")]),
    ]
    sparse = onnx.SparseTensorProto(values=raw("values", 1, 50_000), indices=raw("indices", 7, 50_000),
                                    dims=[10_000_000])
    body = graph_with([raw("inner", 1, 60_000)])
    nodes = [
        helper.make_node("Constant", [], ["c"], value=raw("", 1, 70_000)),
        helper.make_node("Constant", [], ["s"], sparse_value=sparse),
        helper.make_node("If", ["x"], ["z"], then_branch=body, else_branch=graph_with([])),
        helper.make_node("Custom", ["x"], ["w"], domain="own", tensors=[raw("t", 1, 80_000)], graphs=[body]),
    ]
    graph = graph_with(tensors, nodes)
    graph.sparse_initializer.append(sparse)
    function = helper.make_function("own", "Call", ["a"], ["b"], [nodes[0]], [helper.make_opsetid("", 21)])
    model = helper.make_model(graph, functions=[function], opset_imports=[helper.make_opsetid("", 21)])
    assert assert_same_wire(model, _proto.KEEP_BYTES) > len(model.SerializeToString()) * 0.9
    assert assert_same_wire(model, 10 << 20) == 0
    analysis = npu_partition.analyze(model, "hexagon", name="model")
    assert analysis.to_dict() == npu_partition.analyze(model.SerializeToString(), "hexagon", name="model").to_dict()


def test_payloads_that_are_not_what_dims_say() -> None:
    """Up to 1 MB their length is looked at; and what has no dims that are known has no hole."""
    short, long = raw("short", 1, 50_000), raw("long", 1, 1)
    short.raw_data, long.raw_data = bytes(100_000), bytes(200_000)
    odd = onnx.TensorProto(name="odd", data_type=999, dims=[-1], raw_data=bytes(70_000))
    for tensor in (short, long, odd):
        model = helper.make_model(graph_with([tensor]))
        assert_same_wire(model, _proto.KEEP_BYTES)
        expected = npu_partition.analyze(model.SerializeToString(), "hexagon", name="model")
        assert npu_partition.analyze(model, "hexagon", name="model").to_dict() == expected.to_dict()


def test_names_that_are_no_text() -> None:
    """protobuf's own getters fail on these; the library does not."""
    model = helper.make_model(graph_with([raw("name_of_it", 1, 50_000)]))
    broken = onnx.ModelProto.FromString(model.SerializeToString().replace(b"name_of_it", b"name\xff\xfe__it"))
    expected = npu_partition.analyze(broken.SerializeToString(), "hexagon", name="model")
    assert npu_partition.analyze(broken, "hexagon", name="model").to_dict() == expected.to_dict()


def test_keep_bytes() -> None:
    model = helper.make_model(graph_with([raw("large", 1, 50_000)]))
    for keep_bytes in (1, 1 << 20):
        expected = npu_partition.analyze(model.SerializeToString(), "hexagon", name="model", keep_bytes=keep_bytes)
        found = npu_partition.analyze(model, "hexagon", name="model", keep_bytes=keep_bytes)
        assert found.to_dict() == expected.to_dict()
