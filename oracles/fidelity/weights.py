# SPDX-License-Identifier: Apache-2.0
"""What `npu-partition weights` says of the weights of models, beside what numpy says of them in double precision.

    python oracles/fidelity/weights.py TOOL MODEL...

A line for each model: weights, values compared, the largest difference in dB, and which one it is of. Needs onnx and
numpy. Exits with 1 where a difference is 0.01 dB or more.
"""
import json
import subprocess
import sys

import numpy as np
import onnx
from onnx import numpy_helper

NF4 = np.array([-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
                -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
                0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
                0.7229568362236023, 1.0])
MIDDLES = (NF4[1:] + NF4[:-1]) / 2
PRODUCTS = ("MatMul", "FusedMatMul", "Attention")


def integers(limit):
    return lambda w, most: np.clip(np.rint(w / (most / limit)), -limit, limit) * (most / limit)


def nf4(w, most):
    return NF4[np.searchsorted(MIDDLES, w / most)] * most


def fp8(w, most):
    scale = most / 448
    x = w / scale
    exponent = np.maximum(np.floor(np.log2(np.maximum(np.abs(x), 1e-300))), -6) - 3
    return np.clip(np.rint(x / 2.0 ** exponent) * 2.0 ** exponent, -448, 448) * scale


def rows_of(tensor, node, operand):
    """[channels, contracted], as lib/change/weights/operators.def has them."""
    w = tensor.astype(np.float64)
    op = node.op_type
    if op in PRODUCTS and operand == 0:
        return w.reshape(-1, w.shape[-1])
    if op in PRODUCTS or (op in ("Gemm", "FusedGemm") and not transposed(node)):
        return np.swapaxes(w, -1, -2).reshape(-1, w.shape[-2])
    if op == "ConvTranspose":
        return np.moveaxis(w, 1, 0).reshape(w.shape[1], -1)
    if op in ("LSTM", "GRU", "RNN"):
        return w.reshape(w.shape[0] * w.shape[1], -1)
    return w.reshape(w.shape[0], -1)


def transposed(node):
    return any(attribute.name == "transB" and attribute.i for attribute in node.attribute)


def lost(w, most, rounding):
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(((w - np.where(most > 0, rounding(w, np.where(most > 0, most, 1)), 0)) ** 2).sum())


def in_blocks(rows, size, rounding):
    total = 0.0
    for begin in range(0, rows.shape[1], size):
        block = rows[:, begin:begin + size]
        total += lost(block, np.abs(block).max(axis=1, keepdims=True), rounding)
    return total


def own_decibels(rows, whole, shares):
    if not np.isfinite(whole).all():
        return {}
    channel = np.abs(rows).max(axis=1, keepdims=True)
    most = np.abs(whole).max()
    if shares:  # a matrix of each batch has the same scales by channel
        channel = np.tile(channel.reshape(-1, whole.shape[-1]).max(axis=0), rows.shape[0] // whole.shape[-1])[:, None]
    square = float((rows ** 2).sum())
    half = np.clip(rows, -65504, 65504).astype(np.float16).astype(np.float64)
    errors = {"int8-tensor": lost(rows, most, integers(127)), "int8-channel": lost(rows, channel, integers(127)),
              "int4-channel": lost(rows, channel, integers(7)), "nf4-block64": in_blocks(rows, 64, nf4),
              "fp8-tensor": lost(rows, most, fp8), "float16": float(((rows - half) ** 2).sum())}
    errors.update({f"int4-block{size}": in_blocks(rows, size, integers(7)) for size in (32, 64, 128)})
    return {name: 10 * np.log10(square / error) for name, error in errors.items() if error > 0 and square > 0}


def weights_of(graph, outer, known):
    """Each weight of a graph and its bodies by its name and node: the tensor, the node, the operand."""
    tensors = dict(outer)
    tensors.update({tensor.name: tensor for tensor in graph.initializer})
    tensors.update({node.output[0]: attribute.t for node in graph.node if node.op_type == "Constant"
                    for attribute in node.attribute if attribute.HasField("t")})
    for node in graph.node:
        for operand, name in enumerate(node.input):
            if name in tensors:
                known.setdefault((name, node.name, node.op_type), (tensors[name], node, operand))
        for attribute in node.attribute:
            for body in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                weights_of(body, tensors, known)
    return known


def compare(tool, path):
    run = subprocess.run([tool, "weights", path, "--format", "json"], capture_output=True, text=True, check=True)
    known = weights_of(onnx.load(path).graph, {}, {})
    worst, of, values = 0.0, "", 0
    told = json.loads(run.stdout)["weights"]
    for weight in told:
        tensor, node, operand = known[weight["name"], weight["node"], weight["op"]]
        whole = numpy_helper.to_array(tensor)
        shares = whole.ndim > 2 and node.op_type in PRODUCTS and operand == 1
        wanted = own_decibels(rows_of(whole, node, operand), whole, shares)
        for name, found in weight["db"].items():
            if found is None or name not in wanted:
                continue
            values += 1
            if abs(found - wanted[name]) > worst:
                worst, of = abs(found - wanted[name]), f'{weight["name"]} {name}'
    print(f"{path}: {len(told)} weights, {values} values, at most {worst:.6f} dB apart {of}", flush=True)
    return worst < 0.01 and (values > 0 or not told)


def main():
    return 0 if all([compare(sys.argv[1], path) for path in sys.argv[2:]]) else 1


if __name__ == "__main__":
    sys.exit(main())
