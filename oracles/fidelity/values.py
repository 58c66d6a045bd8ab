#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the elements that inference computes with what ONNX Runtime's kernels compute.

usage: values.py --printer build/test/checks/print_elements [--draws N] [--seed N] [--only OP] [--verbose]

Each case is a model of one node over constants: an operator, at one version of it, with operands of one element type
that are drawn by lot: scalars, empty tensors, broadcast, negative axes, extremes, NaN and infinity. It is run by ONNX
Runtime's CPU provider with all rewriting disabled; where that has no kernel, by onnx's reference evaluator. Elements
that the printer calls exact must be equal; those that it says may be off must be so near. What is refused by both, or
by us not known, is counted. Exit status 1 when an element is wrong, or when an operator is never known that
docs/inside/architecture.md does not list among those without a value.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

FLOATS = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16]
SIGNED = [np.int64, np.int32, np.int8, np.int16]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
INTEGERS = SIGNED + UNSIGNED
NUMBERS = FLOATS + INTEGERS
ALL = NUMBERS + [np.bool_]
SHAPES = [(), (1,), (3,), (2, 3), (2, 1, 3), (0,), (2, 0), (5,), (4, 4)]

onnxruntime.set_default_logger_severity(4)


class Lot:
    """Draws operands."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def one_of(self, choices):
        return choices[int(self.random.integers(len(choices)))]

    def shape(self, least_rank=0, empty=True):
        return self.one_of([s for s in SHAPES if len(s) >= least_rank and (empty or 0 not in s)])

    def array(self, kind, shape, low=None, high=None, extremes=True):
        kind = np.dtype(kind)
        count = int(np.prod(shape))
        if kind == np.bool_:
            return (self.random.integers(0, 2, count) == 1).reshape(shape)
        if kind.kind in "iu":
            info = np.iinfo(kind)
            low = max(info.min, -20) if low is None else low
            values = self.random.integers(low, 20 if high is None else high, count).astype(kind)
            if extremes and count and self.random.random() < 0.1:
                values[0] = self.one_of([info.min, info.max, 0])
            return values.reshape(shape)
        style = self.random.integers(4)
        if style == 0:
            values = self.random.integers(-8 if low is None else low, 9 if high is None else high, count).astype(float)
        elif style == 1:
            values = self.random.integers(-32, 33, count) / 4
        else:
            values = self.random.uniform(-6, 6, count) * (100 if style == 3 else 1)
        if low is not None and low >= 0:
            values = np.abs(values)
        if extremes and count and self.random.random() < 0.2:
            values[0] = self.one_of([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e30, 3e38])
        with np.errstate(all="ignore"):
            return values.astype(kind).reshape(shape)

    def pair(self, kind, **limits):
        """Two shapes that broadcast."""
        a, b = self.one_of([((2, 3), (3,)), ((2, 3), ()), ((), ()), ((3,), (3,)), ((2, 1), (1, 3)), ((0, 3), (3,)),
                            ((1,), (4, 1)), ((2, 1, 3), (4, 1)), ((16,), (16,))])
        if self.random.random() < 0.5:
            a, b = b, a
        return self.array(kind, a, **limits), self.array(kind, b, **limits)


def i64(values):
    return np.array(values, dtype=np.int64)


# ---- cases: each function yields (operands, attributes, number of outputs) ------------------------------------------

def unary(lot, kind, version):
    yield [lot.array(kind, lot.shape())], {}, 1


def unary_alpha(lot, kind, version):
    attributes = {} if lot.random.random() < 0.5 else {"alpha": float(lot.one_of([0.5, 0.2, 2.0]))}
    yield [lot.array(kind, lot.shape())], attributes, 1


def binary(lot, kind, version):
    yield list(lot.pair(kind)), {}, 1


def variadic(lot, kind, version):
    count = int(lot.random.integers(1, 5))
    shape = lot.shape()
    yield [lot.array(kind, shape if lot.random.random() < 0.7 else ()) for _ in range(count)], {}, 1


def without_zeros(array):
    """Kernels of integer division end the process at 0, and at the least number divided by -1."""
    return np.where((array == 0) | (array == -1), np.array(3, array.dtype), array) if array.dtype.kind in "iu" else array


def quotient(lot, kind, version):
    a, b = lot.pair(kind)
    yield [a, without_zeros(b)], {}, 1


def mod(lot, kind, version):
    a, b = lot.pair(kind)
    b = without_zeros(b)
    yield [a, b], {"fmod": 1} if np.dtype(kind).kind not in "iu" else {"fmod": int(lot.random.integers(2))}, 1


def power(lot, kind, version):
    a, b = lot.pair(kind, extremes=False)
    other = kind if version < 12 else lot.one_of([kind, np.float32, np.int64, np.int32])
    if np.dtype(kind).kind in "iu" and lot.random.random() < 0.8:
        b = np.abs(b.astype(np.int64)) % 5
    elif lot.random.random() < 0.5:
        b = lot.array(np.int64, b.shape, low=-3, high=5, extremes=False)
    yield [a, b.astype(other)], {}, 1


def shift(lot, kind, version):
    a, b = lot.pair(kind)
    bits = np.dtype(kind).itemsize * 8
    yield [a, (b % (bits + (1 if lot.random.random() < 0.1 else 0))).astype(kind)], \
        {"direction": lot.one_of(["LEFT", "RIGHT"])}, 1


def is_infinite(lot, kind, version):
    x = lot.array(kind, (4,))
    x[:2] = [np.inf, -np.inf]
    yield [x], lot.one_of([{}, {"detect_negative": 0}, {"detect_positive": 0}]), 1


def clip(lot, kind, version):
    x = lot.array(kind, lot.shape())
    if version < 11:
        yield [x], lot.one_of([{}, {"min": -1.5, "max": 2.0}, {"max": 1.0}]), 1
    else:
        bounds = [np.array(2, dtype=kind), np.array(5, dtype=kind)]
        yield [x] + lot.one_of([[], bounds, bounds[:1], [None, bounds[1]]]), {}, 1


def cast(lot, kind, version):
    targets = [k for k in ALL if version >= 13 or k is not ml_dtypes.bfloat16]
    limits = {"low": 0} if lot.random.random() < 0.5 else {}
    yield [lot.array(kind, lot.shape(), **limits)], \
        {"to": helper.np_dtype_to_tensor_dtype(np.dtype(lot.one_of(targets)))}, 1


def cast_like(lot, kind, version):
    yield [lot.array(kind, lot.shape()), lot.array(lot.one_of(ALL), (1,), low=0, extremes=False)], {}, 1


def where(lot, kind, version):
    a, b = lot.pair(kind)
    yield [lot.array(np.bool_, lot.one_of([a.shape, b.shape, ()])), a, b], {}, 1


def reduction(first_with_input):
    def cases(lot, kind, version):
        x = lot.array(kind, lot.shape(1), extremes=lot.random.random() < 0.3)
        rank = x.ndim
        axes = lot.one_of([None, [0], [-1], list(range(rank)), [rank - 1], []])
        attributes = {"keepdims": int(lot.random.integers(2))}
        if version < first_with_input:
            if axes:
                attributes["axes"] = axes
            yield [x], attributes, 1
            return
        if lot.random.random() < 0.3:
            attributes["noop_with_empty_axes"] = int(lot.random.integers(2))
        yield [x] + ([] if axes is None else [i64(axes)]), attributes, 1
    return cases


def arg_extreme(lot, kind, version):
    x = lot.array(kind, lot.shape(1, empty=False), low=-3 if np.dtype(kind).kind != "u" else 0, high=4, extremes=False)
    attributes = {"keepdims": int(lot.random.integers(2)), "axis": int(lot.random.integers(-x.ndim, x.ndim))}
    if version < 11:
        attributes["axis"] %= x.ndim
    if version >= 12:
        attributes["select_last_index"] = int(lot.random.integers(2))
    yield [x], attributes, 1


def top_k(lot, kind, version):
    x = lot.array(kind, lot.shape(1, empty=False), low=-3 if np.dtype(kind).kind != "u" else 0, high=4)
    axis = int(lot.random.integers(-x.ndim if version >= 11 else 0, x.ndim))
    k = int(lot.random.integers(0, x.shape[axis] + 1))
    attributes = {"axis": axis}
    if version < 10:
        yield [x], {**attributes, "k": k}, 2
        return
    if version >= 11:
        attributes.update(largest=int(lot.random.integers(2)), sorted=int(lot.random.random() < 0.8))
    yield [x, i64([k])], attributes, 2


def cumulative(lot, kind, version):
    x = lot.array(kind, lot.shape(1))
    axis = int(lot.random.integers(-x.ndim, x.ndim))
    yield [x, np.array(axis, dtype=lot.one_of([np.int64, np.int32]))], \
        {"exclusive": int(lot.random.integers(2)), "reverse": int(lot.random.integers(2))}, 1


def pad(lot, kind, version):
    x = lot.array(kind, lot.shape(1))
    modes = ["constant", "reflect", "edge"] + (["wrap"] if version >= 19 else [])
    mode = lot.one_of(modes)
    pads = [int(p) for p in lot.random.integers(-1 if lot.random.random() < 0.3 else 0, 3, 2 * x.ndim)]
    if version < 11:
        yield [x], {"pads": pads, "mode": mode, "value": float(lot.one_of([0, 1.5, -2]))}, 1
        return
    operands = [x, i64(pads)]
    if lot.random.random() < 0.6:
        operands.append(lot.array(kind, ()))
    if version >= 18 and lot.random.random() < 0.4:
        operands += [None] * (3 - len(operands)) + [i64([-1])]
        operands[1] = i64([1, 2])
    yield operands, {"mode": mode}, 1


def trilu(lot, kind, version):
    x = lot.array(kind, lot.one_of([(3, 4), (2, 3, 3), (4, 2), (0, 3)]))
    yield [x] + lot.one_of([[], [np.array(1, np.int64)], [np.array(-1, np.int64)]]), {"upper": int(lot.random.integers(2))}, 1


def compress(lot, kind, version):
    x = lot.array(kind, lot.shape(1))
    axis = lot.one_of([None, 0, -1] if version >= 11 else [None, 0])
    extent = x.size if axis is None else x.shape[axis]
    condition = lot.array(np.bool_, (max(0, extent - int(lot.random.integers(2))),))
    yield [x, condition], {} if axis is None else {"axis": axis}, 1


def one_hot(lot, kind, version):
    depth = int(lot.random.integers(1, 5))
    indices = lot.array(lot.one_of([np.int64, np.int32, np.float32]), lot.shape(), low=-depth - 1, high=depth + 2,
                        extremes=False)
    indices = np.floor(indices).astype(indices.dtype) if indices.dtype.kind == "f" else indices
    yield [indices, np.array(lot.one_of([depth, [depth]]), np.int64), lot.array(kind, (2,))], \
        {"axis": int(lot.random.integers(-1, indices.ndim + 1))}, 1


def value_range(lot, kind, version):
    start, limit, delta = (lot.array(kind, (), extremes=False) for _ in range(3))
    if np.dtype(kind).kind == "f" and lot.random.random() < 0.5:
        delta = np.array(lot.one_of([0.1, 0.25, -0.3, 1 / 3]), kind)
    yield [start, limit, delta], {}, 1


def eye_like(lot, kind, version):
    x = lot.array(kind, lot.one_of([(3, 4), (2, 2), (4, 1)]))
    yield [x], {"k": int(lot.random.integers(-2, 3)),
                **lot.one_of([{}, {"dtype": helper.np_dtype_to_tensor_dtype(np.dtype(lot.one_of(ALL[:-1])))}])}, 1


def reverse_sequence(lot, kind, version):
    x = lot.array(kind, lot.one_of([(3, 4), (4, 3, 2)]))
    batch = int(lot.random.integers(2))
    yield [x, lot.array(np.int64, (x.shape[batch],), low=1, high=x.shape[1 - batch] + 1, extremes=False)], \
        {"batch_axis": batch, "time_axis": 1 - batch}, 1


def unique(lot, kind, version):
    x = lot.array(kind, lot.shape(1, empty=False), low=0, high=4, extremes=False)
    attributes = {"sorted": int(lot.random.integers(2))}
    if lot.random.random() < 0.3:
        attributes["axis"] = int(lot.random.integers(-x.ndim, x.ndim))
    yield [x], attributes, 4


def matmul(lot, kind, version):
    a, b = lot.one_of([((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 1, 2, 3), (4, 3, 1)),
                       ((0, 3), (3, 2)), ((2, 0), (0, 3))])
    yield [lot.array(kind, a, extremes=False), lot.array(kind, b, extremes=False)], {}, 1


def gemm(lot, kind, version):
    flips = [int(lot.random.integers(2)) for _ in range(2)]
    a, b = lot.array(kind, (2, 3), extremes=False), lot.array(kind, (3, 4), extremes=False)
    yield [a.T.copy() if flips[0] else a, b.T.copy() if flips[1] else b] + \
        lot.one_of([[], [lot.array(kind, (4,), extremes=False)]] if version >= 11 else
                   [[lot.array(kind, (4,), extremes=False)]]), \
        {"transA": flips[0], "transB": flips[1], "alpha": float(lot.one_of([1, 0.5, 0.3]))}, 1


def einsum(lot, kind, version):
    equation, shapes = lot.one_of([("ij,jk->ik", [(2, 3), (3, 2)]), ("i,i->", [(3,), (3,)]), ("ii->i", [(3, 3)]),
                                   ("ij->ji", [(2, 3)]), ("i,j->ij", [(2,), (3,)]), ("...i->...", [(2, 3)]),
                                   ("ij->", [(2, 3)]), ("bij,bjk->bik", [(2, 2, 3), (2, 3, 1)])])
    yield [lot.array(kind, s, extremes=False) for s in shapes], {"equation": equation}, 1


def soften(lot, kind, version):
    x = lot.array(kind, lot.shape(1, empty=False), extremes=False)
    yield [x], {"axis": int(lot.random.integers(-x.ndim if version >= 11 else 0, x.ndim))}, 1


def gather(lot, kind, version):
    x = lot.array(kind, lot.shape(1, empty=False))
    axis = int(lot.random.integers(-x.ndim, x.ndim))
    extent = x.shape[axis]
    yield [x, lot.array(lot.one_of([np.int64, np.int32]), lot.one_of([(), (2,), (2, 2), (0,)]),
                        low=-extent if version >= 11 else 0, high=extent, extremes=False)], {"axis": axis}, 1


def gather_elements(lot, kind, version):
    x = lot.array(kind, lot.shape(1, empty=False))
    axis = int(lot.random.integers(-x.ndim, x.ndim))
    yield [x, lot.array(np.int64, x.shape, low=-x.shape[axis], high=x.shape[axis], extremes=False)], {"axis": axis}, 1


def gather_nd(lot, kind, version):
    x = lot.array(kind, (2, 3, 2))
    batch = int(lot.random.integers(2)) if version >= 12 else 0
    shape = lot.one_of([(2, 1), (2, 2), (2, 2, 1)])
    yield [x, lot.array(np.int64, shape, low=-2, high=2, extremes=False)], {"batch_dims": batch} if batch else {}, 1


def scatter_elements(lot, kind, version):
    x = lot.array(kind, lot.shape(1, empty=False), extremes=False)
    axis = int(lot.random.integers(-x.ndim if version >= 11 else 0, x.ndim))
    indices = lot.array(np.int64, x.shape, low=-x.shape[axis] if version >= 11 else 0, high=x.shape[axis],
                        extremes=False)
    attributes = {"axis": axis}
    if version >= 16:
        attributes["reduction"] = lot.one_of(["none", "add", "mul"] + (["max", "min"] if version >= 18 else []))
    if attributes.get("reduction", "none") == "none":  # of equal indices none is the last
        order = np.argsort(lot.random.random(x.shape), axis=axis)
        indices = order.astype(np.int64)
    yield [x, indices, lot.array(kind, x.shape, extremes=False)], attributes, 1


def scatter_nd(lot, kind, version):
    x = lot.array(kind, (4, 2), extremes=False)
    indices = i64([[lot.one_of([0, 1])], [lot.one_of([2, 3, -1])]])
    attributes = {}
    if version >= 16:
        attributes["reduction"] = lot.one_of(["none", "add", "mul"] + (["max", "min"] if version >= 18 else []))
    yield [x, indices, lot.array(kind, (2, 2), extremes=False)], attributes, 1


def expand(lot, kind, version):
    yield [lot.array(kind, (3, 1)), i64(lot.one_of([[2, 1, 4], [3, 4], [1], [2, 3, 1]]))], {}, 1


def tile(lot, kind, version):
    x = lot.array(kind, lot.shape(1))
    yield [x, lot.array(np.int64, (x.ndim,), low=0, high=3, extremes=False)], {}, 1


def concat(lot, kind, version):
    x = lot.array(kind, (2, 3))
    axis = int(lot.random.integers(-2 if version >= 11 else 0, 2))
    yield [x, lot.array(kind, (2, 3)), lot.array(kind, (2, 3))], {"axis": axis}, 1


def split(lot, kind, version):
    x = lot.array(kind, (4, 6))
    axis = int(lot.random.integers(-2 if version >= 11 else 0, 2))
    sizes = lot.one_of([None, [1, x.shape[axis] - 1]])
    if version < 13:
        yield [x], {"axis": axis, **({"split": sizes} if sizes else {})}, 2
    else:
        yield [x] + ([i64(sizes)] if sizes else []), {"axis": axis, **({"num_outputs": 2} if version >= 18 and not sizes else {})}, 2


def slices(lot, kind, version):
    x = lot.array(kind, (4, 5))
    starts, ends, axes, steps = [int(lot.random.integers(-6, 6))], [int(lot.random.integers(-7, 7))], [0], [1]
    axes = [int(lot.random.integers(-2, 2))]
    if version < 10:
        yield [x], {"starts": starts, "ends": ends, "axes": [axes[0] % 2]}, 1
    else:
        steps = [int(lot.one_of([1, 2, -1, -2]))]
        yield [x, i64(starts), i64(ends), i64(axes), i64(steps)], {}, 1


def transpose(lot, kind, version):
    yield [lot.array(kind, (2, 3, 4))], {"perm": [int(a) for a in lot.random.permutation(3)]}, 1


def reshape(lot, kind, version):
    yield [lot.array(kind, (2, 6)), i64(lot.one_of([[3, -1], [12], [0, 3, 2]]))], {}, 1


def squeeze(lot, kind, version):
    x = lot.array(kind, (1, 3, 1))
    if version < 13:
        yield [x], lot.one_of([{}, {"axes": [0]}]), 1
    else:
        yield [x] + lot.one_of([[], [i64([-1])]]), {}, 1


def unsqueeze(lot, kind, version):
    x = lot.array(kind, lot.shape())
    if version < 13:
        yield [x], {"axes": [0]}, 1
    else:
        yield [x, i64([0, -1])], {}, 1


def flatten(lot, kind, version):
    yield [lot.array(kind, (2, 3, 2))], {"axis": int(lot.random.integers(0, 4))}, 1


def shape_of(lot, kind, version):
    attributes = {} if version < 15 else lot.one_of([{}, {"start": -2}, {"start": 1, "end": 2}, {"end": -9}])
    yield [lot.array(kind, lot.shape())], attributes, 1


def constant_of_shape(lot, kind, version):
    value = lot.array(kind, (1,))
    yield [lot.array(np.int64, (2,), low=0, high=4, extremes=False)], {"value": numpy_helper.from_array(value)}, 1


def dropout(lot, kind, version):
    yield [lot.array(kind, lot.shape())], {}, 1


def slope(lot, kind, version):
    yield [lot.array(kind, (2, 3)), lot.array(kind, lot.one_of([(3,), (1,), (2, 3)]))], {}, 1


ONE = "Abs Ceil Floor Neg Relu Round Sign Identity".split()
FRACTIONS = ("Acos Acosh Asin Asinh Atan Atanh Cos Cosh Erf Exp Gelu HardSwish IsNaN Log Mish Reciprocal Sigmoid Sin "
             "Sinh Softplus Softsign Sqrt Tan Tanh").split()
ALPHA = "Celu Elu HardSigmoid LeakyRelu Selu Swish ThresholdedRelu".split()
CASES = {
    **{op: (unary, NUMBERS) for op in ONE}, **{op: (unary, FLOATS) for op in FRACTIONS},
    **{op: (unary_alpha, FLOATS) for op in ALPHA}, "Shrink": (unary, NUMBERS), "PRelu": (slope, NUMBERS),
    "NonZero": (unary, ALL), "Size": (unary, ALL),
    **{op: (binary, NUMBERS) for op in "Add Mul Sub Greater GreaterOrEqual Less LessOrEqual".split()},
    "Div": (quotient, NUMBERS), "Equal": (binary, ALL), **{op: (binary, [np.bool_]) for op in "And Or Xor".split()}, "Not": (unary, [np.bool_]),
    **{op: (binary, INTEGERS) for op in "BitwiseAnd BitwiseOr BitwiseXor".split()}, "BitwiseNot": (unary, INTEGERS),
    "BitShift": (shift, UNSIGNED), "Mod": (mod, NUMBERS), "Pow": (power, FLOATS + [np.int64, np.int32]),
    **{op: (variadic, NUMBERS) for op in "Max Min Sum Mean".split()}, "IsInf": (is_infinite, FLOATS),
    "Clip": (clip, NUMBERS), "Cast": (cast, ALL), "CastLike": (cast_like, ALL), "Where": (where, ALL),
    **{f"Reduce{kind}": (reduction(18), NUMBERS) for kind in
       "L1 L2 LogSum LogSumExp Max Mean Min Prod SumSquare".split()}, "ReduceSum": (reduction(13), NUMBERS),
    "ArgMax": (arg_extreme, NUMBERS), "ArgMin": (arg_extreme, NUMBERS), "TopK": (top_k, NUMBERS),
    "CumSum": (cumulative, NUMBERS), "CumProd": (cumulative, NUMBERS), "Pad": (pad, ALL), "Trilu": (trilu, ALL),
    "Compress": (compress, ALL), "OneHot": (one_hot, NUMBERS), "Range": (value_range, [np.float32, np.float64,
                                                                                     np.int16, np.int32, np.int64]),
    "EyeLike": (eye_like, ALL), "ReverseSequence": (reverse_sequence, ALL), "Unique": (unique, NUMBERS),
    "MatMul": (matmul, NUMBERS), "Gemm": (gemm, NUMBERS), "Einsum": (einsum, NUMBERS), "Softmax": (soften, FLOATS),
    "LogSoftmax": (soften, FLOATS), "Hardmax": (soften, FLOATS), "Gather": (gather, ALL),
    "GatherElements": (gather_elements, ALL), "GatherND": (gather_nd, ALL), "Scatter": (scatter_elements, ALL),
    "ScatterElements": (scatter_elements, ALL), "ScatterND": (scatter_nd, ALL), "Expand": (expand, ALL),
    "Tile": (tile, ALL), "Concat": (concat, ALL), "Split": (split, ALL), "Slice": (slices, ALL),
    "Transpose": (transpose, ALL), "Reshape": (reshape, ALL), "Squeeze": (squeeze, ALL), "Unsqueeze": (unsqueeze, ALL),
    "Flatten": (flatten, ALL), "Shape": (shape_of, ALL), "ConstantOfShape": (constant_of_shape, ALL),
    "Dropout": (dropout, FLOATS),
}

# Where the reference evaluator stands in for a kernel and is no reference: (operator, before this version) -> why.
ROUGH = {
    ("Hardmax", 13): "does as from version 13 on",
    ("LogSoftmax", 99): "the logarithm of a rounded Softmax; before version 13 as above",
    ("OneHot", 99): "multiplies and adds where the standard chooses",
    ("Softmax", 13): "does as from version 13 on",
    ("Unique", 99): "with an axis, makes other shapes than the standard",
}


def versions_of(op):
    """The versions of an operator that ONNX Runtime serves; what is older is served as opset 7."""
    newest = 24
    found = sorted({s.since_version for s in onnx.defs.get_all_schemas_with_history()
                    if s.name == op and s.domain == "" and not s.deprecated})
    return sorted({max(7, v) for v in found if v <= newest})


def is_served(op, version):
    try:
        return not onnx.defs.get_schema(op, version).deprecated
    except onnx.defs.SchemaError:
        return False


def build(op, version, operands, attributes, outputs):
    names = ["" if operand is None else f"i{k}" for k, operand in enumerate(operands)]
    results = [f"o{k}" for k in range(outputs)]
    tensors = [numpy_helper.from_array(np.asarray(operand), name) for operand, name in zip(operands, names) if name]
    graph = helper.make_graph([helper.make_node(op, names, results, **attributes)], "g", [],
                              [helper.make_empty_tensor_value_info(name) for name in results], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=10)


def run(op, version, model):
    """(who, results), or (None, why not)."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return "ort", [np.asarray(value) for value in session.run(None, {})]
    except Exception as error:  # noqa: BLE001: its exceptions have no common base
        text = str(error)
        if "NOT_IMPLEMENTED" not in text and "bfloat16" not in text.lower():
            return None, text
    if any(op == name and version < before for name, before in ROUGH):
        return None, "no reference"
    try:
        with np.errstate(all="ignore"):
            return "reference", [np.asarray(value) for value in ReferenceEvaluator(model).run(None, {})]
    except Exception as error:  # noqa: BLE001
        return None, str(error)


def same(found, error, wanted, is_float):
    if not is_float:
        return isinstance(found, int) and found == int(wanted)
    wanted = float(wanted)
    found = float(found)
    if np.isnan(wanted) or np.isnan(found):
        return np.isnan(wanted) and np.isnan(found)
    return found == wanted or abs(found - wanted) <= error


def compare(printed, wanted):
    """None when not known, True, or what is wrong."""
    if printed is None or printed["elements"] is None or None in printed["elements"]:
        return None
    is_float = wanted.dtype.kind not in "iub"
    flat = wanted.reshape(-1)
    if len(flat) != len(printed["elements"]) or list(wanted.shape) != printed["dims"]:
        return f"shape {printed['dims']} with {len(printed['elements'])} elements, not {list(wanted.shape)}"
    for i, (found, want) in enumerate(zip(printed["elements"], flat)):
        if not same(found, printed["error"], want, is_float):
            return f"element {i} is {found} (error {printed['error']:g}), not {want!r}"
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--printer", required=True)
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    lot = Lot(options.seed)
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        for op, (draw, kinds) in sorted(CASES.items()):
            if options.only and op not in options.only:
                continue
            for version in versions_of(op):
                if not is_served(op, version):
                    continue
                for kind in kinds:
                    for _ in range(options.draws):
                        for operands, attributes, outputs in draw(lot, kind, version):
                            path = pathlib.Path(folder) / f"{len(cases)}.onnx"
                            model = build(op, version, operands, attributes, outputs)
                            path.write_bytes(model.SerializeToString())
                            cases.append((op, version, np.dtype(kind).name, operands, attributes, model, path))
        printed = subprocess.run([options.printer], input="".join(f"{case[-1]}\n" for case in cases), text=True,
                                 stdout=subprocess.PIPE, check=True).stdout.splitlines()
        results = [json.loads(line, parse_constant=float) for line in printed]
    counts = collections.defaultdict(collections.Counter)
    wrong = 0
    for (op, version, kind, operands, attributes, model, _), outputs in zip(cases, results):
        who, wanted = run(op, version, model)
        if who is None:
            counts[op]["refused"] += 1
            continue
        for k, array in enumerate(wanted):
            answer = compare(outputs.get(f"o{k}"), array)
            if answer is None:
                counts[op]["unknown"] += 1
                if options.verbose:
                    print(f"{op}-{version} {kind} {attributes}: not known: {operands}")
                continue
            counts[op][f"by {who}"] += 1
            counts[op]["near" if outputs[f"o{k}"]["error"] else "exact"] += 1
            if answer is not True:
                wrong += 1
                counts[op]["WRONG"] += 1
                print(f"WRONG {op}-{version} {kind} {attributes} by {who}: {answer}\n   of {operands}")
    report(counts, wrong)
    sys.exit(1 if wrong else 0)


def report(counts, wrong):
    total = collections.Counter()
    for op, count in sorted(counts.items()):
        total.update(count)
        known = count["exact"] + count["near"]
        asked = known + count["unknown"]
        print(f"{op:20} known {known:5} of {asked:5} ({100 * known / max(1, asked):5.1f} %), near {count['near']:4}, "
              f"refused by all {count['refused']:4}" + (f", WRONG {count['WRONG']}" if count["WRONG"] else ""))
    known = total["exact"] + total["near"]
    asked = known + total["unknown"]
    print(f"\n{len(counts)} operators: known {known} of {asked} ({100 * known / max(1, asked):.2f} %), of these "
          f"{total['near']} to their last digits; {total['by reference']} by the reference evaluator, the others by "
          f"ONNX Runtime {onnxruntime.__version__}; wrong {wrong}")


if __name__ == "__main__":
    main()
