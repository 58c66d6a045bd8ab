# SPDX-License-Identifier: Apache-2.0
"""Pattern models of rewrites of masks, comparisons and attention; see fix_patterns.py."""
import numpy as np

from fix_pattern_model import INTEL, normal, pattern, unary

INF = np.float32(np.inf)


def ints(*values):
    return np.array(values, np.int64)


# ---- comparisons -------------------------------------------------------------------------------------------------


def ge_le():
    for op in ("GreaterOrEqual", "LessOrEqual"):
        short = op[0].lower() + "e"
        for kind in ("float", "float16", "int32"):
            pattern("ge-le", f"{short}-{kind}", f"""({kind}[2,8] x, {kind}[2,8] y, float[2,8] p) => (z)
                {{ r = Add(x, x)\n s = Add(y, y)\n b = {op}(r, s)\n q = Add(p, p)\n z = Where(b, q, p) }}""",
                    opset=14, feeds={"*": "special", "p": ""})
        for kind in ("int64", "uint8", "int8", "double", "int16", "uint32"):
            pattern("ge-le", f"{short}-{kind}", f"""({kind}[2,8] x, {kind}[2,8] y, float[2,8] p) => (z)
                {{ b = {op}(x, y)\n q = Add(p, p)\n z = Where(b, q, p) }}""",
                    opset=14, applies=None, feeds={"*": "special", "p": ""})
        pattern("ge-le", f"{short}-broadcast", f"""(float[2,1,8] x, float[3,1] y, float[2,3,8] p) => (z)
            {{ r = Add(x, x)\n b = {op}(r, y)\n q = Add(p, p)\n z = Where(b, q, p) }}""", opset=12,
                feeds={"*": "special"})
        pattern("ge-le", f"{short}-scalar", f"""(float[2,8] x) => (z) <float s = {{0.5}}>
            {{ r = Add(x, x)\n b = {op}(r, s)\n q = Add(r, r)\n z = Where(b, q, r) }}""", opset=13,
                feeds={"*": "special"})
        pattern("ge-le", f"{short}-16", f"""(float[2,8] x, float[2,8] y) => (z)
            {{ r = Add(x, x)\n b = {op}(r, y)\n q = Add(r, r)\n z = Where(b, q, r) }}""", opset=16, applies=False,
                feeds={"*": "special"})
    pattern("ge-le", "result-is-output", """(float[2,8] x, float[2,8] y) => (b, z)
        { r = Add(x, x)\n b = GreaterOrEqual(r, y)\n z = Where(b, r, y) }""", opset=14, applies=None,
            feeds={"*": "special"})
    pattern("ge-le", "same-operand", """(float[2,8] x) => (z)
        { r = Add(x, x)\n b = LessOrEqual(r, r)\n q = Add(r, r)\n z = Where(b, q, r) }""", opset=12,
            feeds={"*": "special"})


def equal_bool():
    for opset in (11, 17):
        pattern("equal-bool", f"opset{opset}", """(float[2,8] x, float[2,8] y) => (z) { a = Greater(x, y)
            r = Add(x, x)\n b = Greater(r, y)\n e = Equal(a, b)\n z = Where(e, r, y) }""", opset=opset)
    pattern("equal-bool", "broadcast", """(float[2,3,8] x, float[3,1] y) => (z) { a = Greater(x, y)
        b = Less(y, x)\n e = Equal(a, b)\n r = Add(x, x)\n z = Where(e, r, x) }""")
    pattern("equal-bool", "output", "(bool[2,8] x, bool[2,8] y) => (e) { n = Not(x)\n e = Equal(n, y) }", applies=None)
    pattern("equal-bool", "int", """(int32[2,8] x, int32[2,8] y, float[2,8] p) => (z) { e = Equal(x, y)
        z = Where(e, p, p) }""", applies=False, feeds={"x": "special", "y": "special"})


def is_inf():
    for name, attributes in (("both", ""), ("positive", "<detect_negative=0>"), ("negative", "<detect_positive=0>"),
                             ("none", "<detect_negative=0, detect_positive=0>")):
        pattern("isinf", name, f"""(float[2,8] x) => (z) {{ r = Add(x, x)\n b = IsInf{attributes}(r)
            z = Where(b, x, r) }}""", feeds={"*": "special"}, applies=None if name == "none" else True)
    pattern("isinf", "opset10", "(float[2,8] x, float[2,8] y) => (z) { r = Add(x, x)\n b = IsInf(r)\n z = Where(b, "
            "y, r) }",
            opset=10, feeds={"*": "special"}, applies=None)
    pattern("isinf", "opset20", "(float[8] x) => (z) { r = Add(x, x)\n b = IsInf(r)\n z = Where(b, x, r) }",
            opset=20, feeds={"*": "special"})
    pattern("isinf", "double", "(double[2,8] x, float[2,8] y) => (z) { b = IsInf(x)\n q = Add(y, y)\n z = Where(b, "
            "y, q) }",
            feeds={"*": "special"}, applies=None)
    pattern("isinf", "fp16", "(float16[2,8] x) => (z) { r = Add(x, x)\n b = IsInf(r)\n z = Where(b, x, r) }",
            opset=20, feeds={"*": "special"}, applies=None)


def is_nan():
    for kind in ("float", "float16"):
        unary("isnan-eq", kind, "b = IsNaN(r)", "2,3,8", kind, after="z = Where(b, x, r)", target=INTEL,
              feeds={"*": "special"})
    unary("isnan-eq", "double", "b = IsNaN(r)", "2,8", "double", after="z = Where(b, x, r)", target=INTEL,
          feeds={"*": "special"}, applies=None)
    unary("isnan-eq", "rank0", "b = IsNaN(r)", "", after="z = Where(b, x, r)", target=INTEL, feeds={"*": "special"},
          applies=None)
    unary("isnan-eq", "empty", "b = IsNaN(r)", "0,3", after="z = Where(b, x, r)", target=INTEL, applies=None)
    unary("isnan-eq", "opset10", "b = IsNaN(r)", "2,8", after="z = Where(b, x, r)", target=INTEL, opset=10,
          applies=False, feeds={"*": "special"})
    unary("isnan-eq", "hexagon", "b = IsNaN(r)", "2,8", after="z = Where(b, x, r)", applies=None,
          feeds={"*": "special"})
    safe = """(float[2,4,8] x, bool[2,1,8] m) => (z) <float zero = {0.0}, float[1] low = {LOW}>
        { s = Where(m, x, low)\n p = Softmax<axis=-1>(s)\n b = IsNaN(p)\n g = Where(b, zero, p)\n z = Add(g, g) }"""
    text = safe.replace("<float zero = {0.0}, float[1] low = {LOW}>", "")
    weights = {"zero": np.float32(0), "low": np.array([-INF])}
    pattern("isnan-eq", "safe-softmax", text, weights, target=INTEL)
    pattern("isnan-eq", "safe-softmax-opset13", text, weights, target=INTEL, opset=13)
    pattern("isnan-eq", "two-readers",
            text.replace("z = Add(g, g)", "n = Not(b)\n h = Where(n, p, zero)\n z = Add(g, h)"),
            weights, target=INTEL)
    finite = text.replace("bool[2,1,8] m", "float[2,1,8] m").replace("Where(m, x, low)", "Add(x, m)")
    pattern("isnan-drop", "finite-scores", finite, {"zero": np.float32(0)}, target=INTEL, applies=None,
            options=["--not", "isnan-eq"])
    pattern("isnan-drop", "masked-rows", text, weights, target=INTEL, applies=False,
            options=["--not", "isnan-eq"], equality="bits")
    pattern("isnan-drop", "not-softmax", """(float[2,8] x) => (z) <float zero = {0.0}> { r = Add(x, x)
        b = IsNaN(r)\n g = Where(b, zero, r)\n z = Add(g, g) }""", target=INTEL, applies=False, feeds={"*": "special"},
            options=["--not", "isnan-eq"])


def trilu():
    for name, attributes, dims in (("upper", "", "2,4,4"), ("lower", "<upper=0>", "2,4,6"), ("wide", "", "3,5")):
        unary("trilu", name, f"m = Trilu{attributes}(r)", dims, feeds={"*": "special"})
    for k in (-1, 2, 9, -9):
        pattern("trilu", f"k{k}", "(float[2,4,5] x) => (z) { r = Add(x, x)\n m = Trilu<upper=0>(r, k)\n z = Add(m, m) }",
                {"k": np.int64(k)}, feeds={"*": "special"})
    pattern("trilu", "bool", """(float[4,4] x, float[4,4] y) => (z) { b = Greater(x, y)\n m = Trilu(b)
        z = Where(m, x, y) }""")
    pattern("trilu", "int64", "(int64[4,4] x) => (m) { m = Trilu(x) }", applies=None, feeds={"*": "special"})
    unary("trilu", "fp16", "m = Trilu(r)", "4,4", "float16", feeds={"*": "special"})
    pattern("trilu", "k-is-input", "(float[4,4] x, int64 k) => (z) { r = Add(x, x)\n m = Trilu(r, k)\n z = Add(m, m) }",
            applies=False)
    pattern("trilu", "dynamic-matrix", """(float["n","n"] x) => (z) { r = Add(x, x)\n m = Trilu(r)\n z = Add(m, m) }""",
            applies=False, dims={"n": 3}, is_varied=False)


def hardmax():
    for axis in (-1, 1, 0):
        unary("hardmax", f"axis{axis}", f"m = Hardmax<axis={axis}>(r)", "2,3,5", feeds={"*": "distinct"})
    unary("hardmax", "default-13", "m = Hardmax(r)", "2,3,5", opset=13)
    unary("hardmax", "ties", "m = Hardmax(r)", "2,40", feeds={"*": "below:3"}, kind="float")
    unary("hardmax", "infinite-rows", "m = Hardmax(r)", "4,8", feeds={"*": "rowinf"})
    unary("hardmax", "last-11", "m = Hardmax<axis=2>(r)", "2,3,5", opset=11)
    unary("hardmax", "flattens-11", "m = Hardmax(r)", "2,3,5", opset=11, applies=False)
    unary("hardmax", "flattens-axis1-11", "m = Hardmax<axis=1>(r)", "2,3,5", opset=11, applies=False)
    unary("hardmax", "nan-default-class", "m = Hardmax(r)", "4,8", feeds={"*": "special"}, equality="bits",
          applies=False)


# ---- numbers -----------------------------------------------------------------------------------------------------


def integer_ops():
    for kind in ("int32", "int64", "int8"):
        applies = True if kind == "int32" else None
        pattern("neg-int", kind, f"({kind}[2,8] x, float[2,8] y) => (z, m) {{ m = Neg(x)\n z = Add(y, y) }}",
                applies=applies, feeds={"x": "special"})
    pattern("neg-int", "between", """(int32[2,8] x) => (z) { r = Add(x, x)\n m = Neg(r)\n z = Add(m, r) }""",
            feeds={"x": "special"})
    unary("neg-int", "float", "m = Neg(r)", "2,8", applies=False, feeds={"*": "special"})
    for exponent in (2, 3):
        pattern("pow-int", f"int32-{exponent}",
                "(int32[2,8] x) => (z) { r = Add(x, x)\n m = Pow(r, e)\n z = Add(m, r) }",
                {"e": np.int32(exponent)})
        pattern("pow-int", f"int64-{exponent}", "(int64[2,8] x) => (z) { m = Pow(x, e)\n z = Cast<to=1>(m) }",
                {"e": np.int64(exponent)}, applies=None)
    pattern("pow-int", "float-exponent", "(int32[2,8] x) => (z) { r = Add(x, x)\n m = Pow(r, e)\n z = Add(m, r) }",
            {"e": np.float32(2)}, applies=None)
    pattern("pow-int", "exponent-rank1", "(int32[2,8] x) => (z) { r = Add(x, x)\n m = Pow(r, e)\n z = Add(m, r) }",
            {"e": np.array([2], np.int32)}, applies=None)
    pattern("pow-int", "exponent-raises-rank", "(int32[8] x) => (z) { r = Add(x, x)\n m = Pow(r, e)\n z = Add(m, r) }",
            {"e": np.array([[[2]]], np.int32)}, applies=None)
    for value in (0, 1, 4):
        pattern("pow-int", f"exponent{value}",
                "(int32[2,8] x) => (z) { r = Add(x, x)\n m = Pow(r, e)\n z = Add(m, r) }",
                {"e": np.int32(value)}, applies=False)
    pattern("pow-int", "fraction", "(int32[2,8] x) => (z) { r = Add(x, x)\n m = Pow(r, e)\n z = Add(m, r) }",
            {"e": np.float32(2.5)}, applies=False)
    pattern("pow-int", "vector", "(int32[2,2] x) => (z) { r = Add(x, x)\n m = Pow(r, e)\n z = Add(m, r) }",
            {"e": np.array([2, 3], np.int32)}, applies=False)
    pattern("pow-int", "runtime", "(int32[2,8] x, int32 e) => (z) { r = Add(x, x)\n m = Pow(r, e)\n z = Add(m, r) }",
            applies=False, feeds={"e": "value:2"})


def one_hot():
    text = "(int64[2,4] i, float[2,4,D] y) => (z) { h = OneHot<axis=-1>(i, d, v)\n f = Cast<to=1>(h)\n z = Add(f, y) }"
    for depth in (6, 3):
        pattern("onehot", f"depth{depth}", text.replace("D", str(depth)),
                {"d": np.int64(depth), "v": ints(0, 1)}, feeds={"i": "below:6"})
    pattern("onehot", "values", text.replace("D", "5"), {"d": ints(5), "v": ints(-3, 7)}, feeds={"i": "below:6"})
    pattern("onehot", "wide-values", text.replace("D", "5"), {"d": ints(5), "v": ints(1 << 24, (1 << 24) + 1)},
            feeds={"i": "below:6"}, applies=False, equality="bits")
    pattern("onehot", "axis0", text.replace("axis=-1", "axis=0").replace("2,4,D", "5,2,4"),
            {"d": ints(5), "v": ints(0, 1)},
            feeds={"i": "below:6"})
    pattern("onehot", "result-is-output", "(int64[2,4] i) => (h) { h = OneHot(i, d, v) }",
            {"d": ints(5), "v": ints(0, 1)},
            feeds={"i": "below:6"}, applies=None)
    pattern("onehot", "float", text.replace("D", "5"), {"d": ints(5), "v": np.array([0, 1], np.float32)},
            feeds={"i": "below:6"}, applies=False)
    pattern("onehot", "runtime-values", text.replace("D", "5").replace("(int64[2,4] i", "(int64[2] v, int64[2,4] i"),
            {"d": ints(5)}, feeds={"i": "below:6"}, applies=False)


def erf():
    unary("erf-tanh", "alone", "m = Erf(r)", "2,8")
    unary("erf-tanh", "default-class", "m = Erf(r)", "2,8", equality="bits", applies=False)
    unary("erf-tanh", "gelu", """q = Div(r, s)\n e = Erf(q)\n a = Add(e, one)\n b = Mul(r, a)\n m = Mul(b, half)""",
          "2,8", weights={"s": np.float32(2 ** 0.5), "one": np.float32(1), "half": np.float32(0.5)}, applies=False)


def gelu_qdq():
    pair = lambda name, made: f"{made}_q = QuantizeLinear({name}, sc, zp)\n {made} = DequantizeLinear({made}_q, sc, zp)\n"
    lines = (pair("x", "a") + "b0 = Div(a, s)\n" + pair("b0", "b") + "c0 = Erf(b)\n" + pair("c0", "c") +
             "d0 = Add(c, one)\n" + pair("d0", "d") + "e0 = Mul(a, d)\n" + pair("e0", "e") + "f0 = Mul(e, half)\n" +
             pair("f0", "f") + "z = Add(f, f)")
    weights = {"sc": np.float32(0.02), "zp": np.uint8(128), "s": np.float32(2 ** 0.5), "one": np.float32(1),
               "half": np.float32(0.5)}
    text = "(float[2,8] x) => (z) {" + lines + "}"
    pattern("gelu-qdq", "pairs", text, weights, feeds={"*": "unit"})
    pattern("gelu-qdq", "default-class", text, weights, feeds={"*": "unit"}, equality="bits", applies=False)
    pattern("gelu-qdq", "second-reader", text.replace("z = Add(f, f)", "z = Add(f, c)"), weights, feeds={"*": "unit"},
            applies=False)


# ---- GatherND, Einsum --------------------------------------------------------------------------------------------


def grid(*dims):
    return np.stack(np.meshgrid(*map(np.arange, dims), indexing="ij"), -1).astype(np.int64)


def gather_nd():
    text = "(float[D] x, float[D] y, float[R] p) => (z) { b = Greater(x, y)\n g = GatherND(b, i)\n q = Add(p, p)\n z = Where(g, q, p) }"

    def one(name, dims, result, indices, applies=True, **more):
        line = text.replace("[D]", f"[{dims}]").replace("[R]", f"[{result}]")
        pattern("gathernd", name, line, {"i": np.array(indices, np.int64)}, applies=applies, **more)

    one("in-order-k2", "2,3,4", "2,3,4", grid(2, 3))
    one("in-order-k1", "4,5", "4,5", grid(4))
    one("in-order-all", "2,3", "2,3", grid(2, 3))
    one("in-order-rank4", "2,8", "2,1,1,8", grid(2, 8).reshape(2, 1, 1, 8, 2))
    one("in-order-negative", "2,3", "2,3", grid(2, 3) - [2, 3])
    one("opset12", "2,3,4", "2,3,4", grid(2, 3), opset=12)
    one("permuted", "2,3,4", "3,2,4", grid(2, 3).transpose(1, 0, 2))
    one("repeated", "2,3,4", "5,4", [[0, 1], [0, 1], [1, 2], [1, 0], [0, 0]])
    one("negative", "2,3,4", "2,4", [[-1, 2], [0, -3]])
    one("prefix", "4,5", "2,5", [[0], [1]])
    one("prefix-k2", "2,3,4", "3,4", [[0, 0], [0, 1], [0, 2]])
    one("rank4-indices", "4,5", "2,1,3,5", np.array([3, 0, 2, 1, 1, 0]).reshape(2, 1, 3, 1))
    one("one-element", "4,5", "1", [[2, 3]])
    one("scalar-result", "2,3", "", np.array([1, 2]))
    one("dim-of-0", "0,3", "0,3", np.zeros((0, 1)), applies=None)
    one("empty-indices", "2,3", "0,3", np.zeros((0, 1)), applies=None)
    pattern("gathernd", "runtime-indices", text.replace("[D]", "[2,3]").replace("[R]", "[4]").replace(
        ") =>", ", int64[4,2] i) =>"), feeds={"i": "below:2"}, applies=False)
    pattern("gathernd", "dynamic-data", text.replace("[D]", '["n",3]').replace("[R]", "[2,3]"), {"i": ints([0], [1])},
            applies=False, dims={"n": 4}, is_varied=False)
    for kind in ("int32", "uint8", "int8", "int64", "float16", "double"):
        pattern("gathernd", kind, f"({kind}[2,3,4] x) => (z) {{ z = GatherND(x, i) }}", {"i": grid(2, 3)[::-1].copy()},
                applies=None, feeds={"*": "special"})
    batch = "(float[2,3] x, float[2,3] y, float[2,2] p) => (z) { b = Greater(x, y)\n g = GatherND<batch_dims=1>(b, i)\n q = Add(p, p)\n z = Where(g, q, p) }"
    pattern("gathernd", "batch-dims", batch, {"i": np.array([[[0], [2]], [[1], [1]]])}, applies=False)


def gather_nd_batch():
    text = "(float[D] x, float[R] p) => (z) { r = Add(x, x)\n g = GatherND<batch_dims=1>(r, i)\n z = Add(g, p) }"
    for name, dims, result, shape, size in (("rank2", "2,5", "2,3", (2, 3, 1), 5),
                                            ("rank3", "2,5,4", "2,3,4", (2, 3, 1), 5),
                                            ("rank4-indices", "2,5,4", "2,3,2,4", (2, 3, 2, 1), 5),
                                            ("one", "2,5,4", "2,4", (2, 1), 5)):
        indices = np.arange(int(np.prod(shape))).reshape(shape) * 7 % size
        line = text.replace("[D]", f"[{dims}]").replace("[R]", f"[{result}]")
        pattern("gathernd-batch", name, line, {"i": indices}, applies=True if name.startswith("rank3") else None)
        pattern("gathernd-batch", f"{name}-negative", line, {"i": indices - size}, applies=None)
    pattern("gathernd-batch", "runtime", text.replace("[D]", "[2,5,4]").replace("[R]", "[2,3,4]").replace(
        ") =>", ", int64[2,3,1] i) =>"), feeds={"i": "below:5"}, applies=None)
    pattern("gathernd-batch", "runtime-bool", """(float[2,5] x, int64[2,3,1] i, float[2,3] p) => (z) { b = Greater(x, o)
        g = GatherND<batch_dims=1>(b, i)\n q = Add(p, p)\n z = Where(g, q, p) }""", {"o": np.float32(0)},
            feeds={"i": "below:5"}, applies=None)
    pattern("gathernd-batch", "index-size2", text.replace("[D]", "[2,5,4]").replace("[R]", "[2,2]"),
            {"i": np.array([[[0, 1], [2, 3]], [[4, 0], [1, 1]]])}, applies=False)
    pattern("gathernd-batch", "batch-dims2", text.replace("[D]", "[2,3,4]").replace("[R]", "[2,3]").replace(
        "batch_dims=1", "batch_dims=2"), {"i": np.ones((2, 3, 1), np.int64)}, applies=False)


def einsum():
    text = "(float[A] x, float[B] y) => (z) { r = Add(x, x)\n m = Einsum<equation=\"E\">(r, y)\n z = Add(m, m) }"
    for name, equation, left, right in (
            ("xlnet-scores", "bind,bjnd->bnij", "2,5,3,4", "2,6,3,4"),
            ("xlnet-head", "ibh,hnd->ibnd", "5,2,6", "6,3,4"),
            ("xlnet-value", "bnij,bjnd->bind", "2,3,5,6", "2,6,3,4"),
            ("xlnet-out", "ibnd,hnd->ibh", "5,2,3,4", "6,3,4"),
            ("outer", "i,j->ij", "3", "4"), ("no-batch", "ia,bj->iabj", "2,3", "4,5"),
            ("all-summed", "ij,ij->", "3,4", "3,4"),
            ("turned", "bij,bkj->kbi", "2,3,4", "2,5,4"), ("vector", "bij,j->bi", "2,3,4", "4"),
            ("hadamard", "ij,ij->ij", "3,4", "3,4"), ("implicit", "ij,jk", "3,4", "4,5"),
            ("spaces", " b i d , b j d -> b j i ",
                                                                                         "2,3,4", "2,5,4"),
            ("capitals", "Bij,BjK->BKi", "2,3,4", "2,4,5")):
        pattern("einsum", name, text.replace("[A]", f"[{left}]").replace("[B]", f"[{right}]").replace("E\"", equation + '"'),
                applies=None if name in ("implicit", "all-summed", "vector", "outer", "no-batch") else True)
    unary("einsum", "one-turned", 'm = Einsum<equation="ijk->kij">(r)', "2,3,4", applies=None)
    unary("einsum", "one-summed", 'm = Einsum<equation="ijk->ki">(r)', "2,3,4", applies=None)
    unary("einsum", "one-diagonal", 'm = Einsum<equation="ii->i">(r)', "3,3", applies=False)
    unary("einsum", "one-trace", 'm = Einsum<equation="ii">(r)', "3,3", applies=False)
    for name, equation, left, right in (
            ("ellipsis", "...ij,...jk->...ik", "2,3,4", "2,4,5"), ("summed-alone", "bij,bk->bk", "2,3,4", "2,5"),
            ("repeated", "bii,bj->bj", "2,3,3", "2,5"), ("broadcast-1", "bij,bjk->bik", "1,3,4", "2,4,5")):
        pattern("einsum", name, text.replace("[A]", f"[{left}]").replace("[B]", f"[{right}]").replace("E\"", equation + '"'),
                applies=None if name == "ellipsis" else False)
    pattern("einsum", "three", """(float[2,3] x, float[3,4] y, float[4,5] w) => (z) { r = Add(x, x)
        m = Einsum<equation="ij,jk,kl->il">(r, y, w)\n z = Add(m, m) }""", applies=False)
    pattern("einsum", "int64", '(int64[2,3] x, int64[3,4] y) => (z) { z = Einsum<equation="ij,jk->ki">(x, y) }',
            applies=None)
    pattern("einsum", "fp16", '(float16[2,3,4] x, float16[2,5,4] y) => (z) { z = Einsum<equation="bij,bkj->bki">(x, '
            'y) }',
            applies=None)
    pattern("einsum", "dynamic", text.replace("[A]", '["b",3,4]').replace("[B]", '["b",5,4]').replace("E\"", 'bij,bkj->kbi"'),
            applies=False, dims={"b": 2}, is_varied=False)


for _make in (ge_le, equal_bool, is_inf, is_nan, trilu, hardmax, integer_ops, one_hot, erf, gelu_qdq, gather_nd,
              gather_nd_batch, einsum):
    _make()
