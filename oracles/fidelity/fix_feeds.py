# SPDX-License-Identifier: Apache-2.0
"""Random inputs for models, and how two results are compared. Used by the fix_* scripts.

A kind says what an input may hold: "" (floats of either sign with zeros, integers 0 to 9, booleans), "special" (from the
fourth draw on NaN, inf, -inf, -0 and the extremes of integers too), "positive", "unit" (between -1 and 1), "big"
(around 1e30), "rowinf" (from the fourth draw on, whole rows of -inf), "mask" (ones; in every second draw padded to the
right), "finite" (as "", with entries of -0), "below:N" (integers), "value:V", "distinct" (no two equal).
"""
import zlib

import numpy as np
from onnx import helper

DRAWS = 5
# From this draw on kinds show what is rare.
RARE = 3
EQUAL = ("bits", "zeros", "other")


def chance_of(*words):
    return np.random.default_rng(zlib.crc32("/".join(map(str, words)).encode()))


def floats(kind, dtype, dims, chance, turn):
    values = chance.standard_normal(dims)
    if kind == "positive":
        values = np.abs(values) + 1e-3
    elif kind == "unit":
        values = np.tanh(values) * 0.999
    elif kind == "big":
        values = values * (1e4 if dtype == np.float16 else 1e30)
    elif kind == "distinct":
        values = chance.permutation(values.size).reshape(dims) * 0.25 - values.size / 9
    if turn == 2 and kind in ("", "special", "finite"):
        values = np.where(chance.random(dims) < 0.3, 0.0, values)
    if turn >= 1 and kind in ("finite", "special"):
        values = np.where(chance.random(dims) < 0.1, -0.0, values)
    if turn >= RARE and kind == "special":
        rare = chance.choice([np.nan, np.inf, -np.inf, -0.0, 0.0], dims)
        values = np.where(chance.random(dims) < 0.25, rare, values)
    if turn >= RARE and kind == "rowinf" and values.ndim:
        values[chance.random(dims[:-1]) < 0.5] = -np.inf
    return np.asarray(values).astype(dtype)


def integers(kind, dtype, dims, chance, turn):
    if kind.startswith("below:"):
        return chance.integers(0, int(kind[6:]), dims).astype(dtype)
    values = np.asarray(chance.integers(0, 10, dims)).astype(dtype)
    if turn >= RARE and kind == "special":
        info = np.iinfo(dtype)
        rare = chance.choice(np.array([info.min, info.max, 0, 1, info.max // 2], dtype), dims)
        values = np.where(chance.random(dims) < 0.4, rare, values)
    if kind == "distinct":
        values = chance.permutation(values.size).reshape(dims)
    return np.asarray(values).astype(dtype)


def draw(kind, element_type, dims, chance, turn):
    """One input; element_type is ONNX's number."""
    return np.asarray(drawn(kind, element_type, dims, chance, turn))


def drawn(kind, element_type, dims, chance, turn):
    dtype = np.dtype(helper.tensor_dtype_to_np_dtype(element_type))
    if kind.startswith("value:"):
        return np.full(dims, float(kind[6:])).astype(dtype)
    if kind == "mask":
        values = np.ones(dims, dtype)
        if turn % 2 and dims:
            values[..., dims[-1] - max(1, dims[-1] // 3):] = 0
        return values
    if dtype == np.bool_:
        return np.full(dims, turn == RARE) if turn >= RARE else chance.random(dims) < 0.5
    if dtype.kind in "iu":
        return integers(kind, dtype, dims, chance, turn)
    return floats(kind, dtype, dims, chance, turn)


# ---- comparing ---------------------------------------------------------------------------------------------------


def is_same(left, right):
    """Bit for bit, any NaN for another."""
    if left.tobytes() == right.tobytes():
        return True
    if left.dtype.kind != "f":
        return False
    word = {2: np.uint16, 4: np.uint32, 8: np.uint64}[left.dtype.itemsize]
    equal = np.ascontiguousarray(left).view(word) == np.ascontiguousarray(right).view(word)
    return bool(np.all(equal | (np.isnan(left) & np.isnan(right))))


def is_same_but_zeros(left, right):
    """Bit for bit but for the sign of zeros."""
    return is_same(np.where(left == 0, 0, left).astype(left.dtype), np.where(right == 0, 0, right).astype(right.dtype))


def error_of(left, right):
    """Largest difference relative to the largest finite entry of `left`; inf where others than finite ones differ."""
    left, right = (np.asarray(side).astype(np.float64) for side in (left, right))
    finite = np.isfinite(left)
    if not np.array_equal(finite, np.isfinite(right)):
        return float("inf")
    if not np.array_equal(left[~finite], right[~finite], equal_nan=True):
        return float("inf")
    if not finite.any():
        return 0.0
    largest = np.max(np.abs(left[finite]))
    worst = np.max(np.abs(left[finite] - right[finite]))
    return float(worst / largest) if largest else float(worst)


def compare(before, after):
    """Of two dictionaries of outputs: how equal ("bits", "zeros": but for the sign of zeros, "other"), the error, and
    what is wrong with their form or None."""
    if set(before) != set(after):
        return "other", float("inf"), f"outputs {sorted(set(before) ^ set(after))}"
    worst, error = 0, 0.0
    for name, left in before.items():
        right = after[name]
        if isinstance(left, (list, dict)):
            worst = max(worst, 0 if repr(left) == repr(right) else 2)
            continue
        if left.dtype != right.dtype or left.shape != right.shape:
            return "other", float("inf"), f"{name}: {left.dtype}{left.shape} became {right.dtype}{right.shape}"
        if left.dtype == object:
            worst = max(worst, 0 if np.array_equal(left, right) else 2)
        elif not is_same(left, right):
            worst = max(worst, 1 if is_same_but_zeros(left, right) else 2)
            error = max(error, error_of(left, right))
    return EQUAL[worst], error, None
