# SPDX-License-Identifier: Apache-2.0
"""Models with the sizes that were asked for, for the scripts that ask a compiler."""


def with_sizes(model, dims):
    for value in model.graph.input:
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            size = dims.get(dim.dim_param) or dims.get(f"{value.name}.{axis}")
            if size and not dim.HasField("dim_value"):
                dim.dim_value = size
    if dims:
        del model.graph.value_info[:]
        for value in model.graph.output:
            value.type.tensor_type.ClearField("shape")
