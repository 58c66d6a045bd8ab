# SPDX-License-Identifier: Apache-2.0
"""Weights that lie beside a model and are not there, for the scripts that ask a compiler."""
import pathlib

import onnx


def tensors_of(graph):
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from tensors_of(attribute.g)
            elif attribute.type == onnx.AttributeProto.TENSOR:
                yield attribute.t


def write_zeros(model, folder):
    """The files of external data, as long as they must be."""
    sizes = {}
    for tensor in tensors_of(model.graph):
        told = {entry.key: entry.value for entry in tensor.external_data}
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            end = int(told.get("offset", 0)) + int(told.get("length", 0))
            sizes[told["location"]] = max(sizes.get(told["location"], 0), end)
    for name, size in sizes.items():
        with open(folder / pathlib.Path(name).name, "wb") as file:
            file.truncate(size)
