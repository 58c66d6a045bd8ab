# SPDX-License-Identifier: Apache-2.0
"""Pattern models of rewrites of structure: sizes, constants, functions, control flow, experts; see fix_patterns.py."""
import numpy as np

from fix_pattern_model import HEXAGON, INTEL, normal, pattern

SIZES = {"n": 3}


def ints(*values):
    return np.array(values, np.int64)


# ---- sizes, constants, shapes ------------------------------------------------------------------------------------


def in_order():
    """as_strided, as dynamo exports it: the Reshape to one axis between Transposes ends the session."""
    text = ("(float[2,5,3] x) => (z) { t = Transpose<perm=[0,2,1]>(x)\n f = Reshape(t, one)\n g = Gather(f, i)\n "
            "z = Transpose<perm=[PERM]>(g) }")
    for name, dims, perm, applies in (("row", (1, 30), "1,0", True), ("three", (2, 3, 5), "0,2,1", True),
                                      ("image", (1, 30, 1, 1), "0,2,3,1", True), ("matrix", (5, 6), "1,0", False)):
        pattern("gather-in-order", name, text.replace("PERM", perm),
                {"one": ints(-1), "i": np.arange(30, dtype=np.int64).reshape(dims)}, applies=applies)
    pattern("gather-in-order", "another-order", text.replace("PERM", "1,0"),
            {"one": ints(-1), "i": np.arange(30, dtype=np.int64)[::-1].copy().reshape(1, 30)}, applies=False)
    pattern("gather-in-order", "fewer", text.replace("PERM", "1,0"),
            {"one": ints(-1), "i": np.arange(29, dtype=np.int64).reshape(1, 29)}, applies=False)
    pattern("gather-in-order", "negative", text.replace("PERM", "1,0"),
            {"one": ints(-1), "i": np.arange(-30, 0, dtype=np.int64).reshape(1, 30)}, applies=False)


def bind():
    def one(name, text, weights=None, dims=None, options=None, **more):
        dims = dims or SIZES
        options = options or [word for symbol, size in dims.items() for word in ("--dim", f"{symbol}={size}")]
        pattern("bind", name, text, weights, dims=dims, options=options, is_varied=False, **more)

    one("batch", '(float["n",8] x) => (z) { r = Add(x, x)\n z = Mul(r, w) }', {"w": normal(8)})
    one("declared-output", '(float["n",8] x) => (float["n",8] z) { r = Add(x, x)\n z = Mul(r, w) }', {"w": normal(8)})
    one("reshape", '(float["n",4,6] x) => (z) { r = Add(x, x)\n h = Shape(r)\n b = Gather(h, zero)\n u = '
        'Unsqueeze(b, first)\n '
        's = Concat<axis=0>(u, rest)\n z = Reshape(r, s) }', {"zero": np.int64(0), "first": ints(0), "rest": ints(24)})
    one("two-inputs", '(float["n",8] x, float["n",8] y) => (z) { r = Add(x, y)\n z = Mul(r, r) }')
    one("two-symbols", '(float["n","s",8] x, int64["n","s"] m) => (z) { f = Cast<to=1>(m)\n u = Unsqueeze(f, a)\n z '
        '= Mul(x, u) }',
        {"a": ints(-1)}, dims={"n": 2, "s": 5}, feeds={"m": "mask"})
    one("one-of-two", '(float["n","s",8] x) => (z) { r = Add(x, x)\n z = Mul(r, r) }', dims={"n": 2, "s": 5},
        options=["--dim", "n=2"],
        applies=None)
    one("unnamed", "(float[?,8] x) => (z) { r = Add(x, x)\n z = Mul(r, r) }", dims={"x.0": 3})
    one("constant-of-shape", '(float["n",8] x) => (z) { h = Shape(x)\n o = ConstantOfShape<value=float[1]{0.5}>(h)\n '
        'r = Add(x, o)\n z = Mul(r, r) }')
    one("range-mask", '(float["n",8] x) => (z) { h = Shape(x)\n b = Gather(h, zero)\n q = Range(zero, b, one)\n f = '
        'Cast<to=1>(q)\n u = Unsqueeze(f, a)\n z = Add(x, u) }',
        {"zero": np.int64(0), "one": np.int64(1), "a": ints(1)})
    one("conv", '(float["n",3,8,8] x) => (z) { c = Conv<pads=[1,1,1,1]>(x, w)\n g = GlobalAveragePool(c)\n z = '
        'Flatten(g) }', {"w": normal(4, 3, 3, 3)})
    one("past", '(float[2,"p",8] past, float[2,3,8] x) => (z) { r = Add(x, x)\n c = Concat<axis=1>(past, r)\n z = '
        'Mul(c, c) }', dims={"p": 4})
    one("output-is-input-dims", '(float["n",8] x) => (z, s) { z = Add(x, x)\n s = Shape(z) }')
    one("if-body", '(float["n",8] x, bool c) => (z) { r = Add(x, x)\n z = If(c) <then_branch = t () => (p) { p = '
        'Neg(r) }, else_branch = e () => (q) { q = Abs(r) }> }',
        applies=None)


def fold():
    """GreaterOrEqual before opset 16 is what makes folding count: from it on, no shape is known."""
    tail = "b = GreaterOrEqual(k, half)\n r = Add(x, x)\n z = Where(b, r, x)"

    def one(name, lines, weights=None, dims="2,8", last=tail, opset=14, applies=None, **more):
        pattern("fold", name, f"(float[{dims}] x) => (z) {{ {lines}\n {last} }}",
                {"half": np.float32(0.5), **(weights or {})}, opset=opset,
                applies=applies, **more)

    scalars = lambda dtype, **values: {name: dtype(value) for name, value in values.items()}
    one("float-range", "k = Range(lo, hi, step)", scalars(np.float32, lo=0, hi=0.75, step=0.1))
    one("float-range-down", "k = Range(lo, hi, step)", scalars(np.float32, lo=1.6, hi=0, step=-0.2))
    add = "r = Add(x, x)\n z = Add(r, k)"
    one("float-range-added", "k0 = Range(lo, hi, step)\n k = Mul(k0, k0)", scalars(np.float32, lo=0, hi=0.75, step=0.1),
        last=add)
    one("int-div", "k0 = Div(p, q)\n k = Cast<to=1>(k0)",
        {"p": ints(-7, 7, -1, 1, 9, -9, 0, 5), "q": ints(2, -2, 2, -2, -4, 4, 3, 5)}, last=add)
    one("int-mod", "k0 = Mod(p, q)\n k = Cast<to=1>(k0)",
        {"p": ints(-7, 7, -1, 1, 9, -9, 0, 5), "q": ints(2, -2, 2, -2, -4, 4, 3, 5)}, last=add)
    one("int-fmod", "k0 = Mod<fmod=1>(p, q)\n k = Cast<to=1>(k0)",
        {"p": ints(-7, 7, -1, 1, 9, -9, 0, 5), "q": ints(2, -2, 2, -2, -4, 4, 3, 5)}, last=add)
    one("int-overflow", "k0 = Mul(p, p)\n k1 = Add(k0, p)\n k = Cast<to=1>(k1)",
        {"p": ints(2 ** 62, -2 ** 63, 2 ** 33, 3, -1, 0, 1, 2)}, last=add)
    one("trilu", "o = ConstantOfShape<value=float[1]{1.0}>(s)\n k = Trilu<upper=0>(o)", {"s": ints(8, 8)}, dims="8,8")
    one("expand", "k = Expand(c, s)", {"c": normal(1, 8), "s": ints(2, 8)})
    one("expand-too-large", "k0 = Expand(c, s)\n k = ReduceMean<axes=[0]>(k0)",
        {"c": normal(1, 8), "s": ints(40000, 8)}, last=add)
    one("tile", "k = Tile(c, s)", {"c": normal(1, 4), "s": ints(2, 2)})
    one("where", "m = Less(c, half)\n k = Where(m, c, half)", {"c": normal(2, 8)})
    one("cast-special", "k0 = Cast<to=10>(c)\n k = Cast<to=1>(k0)",
        {"c": np.array([np.nan, np.inf, -np.inf, -0.0, 65519, 65520, 1e-8, 6e-8], np.float32)}, last=add)
    one("cast-nan-to-int", "k0 = Cast<to=7>(c)\n k = Cast<to=1>(k0)",
        {"c": np.array([np.nan, np.inf, -np.inf, 1e30, 1.5, -1.5, 2.5, -0.5], np.float32)}, last=add)
    one("shape", "h = Shape(x)\n f = Cast<to=1>(h)\n k0 = ReduceProd<keepdims=0>(f)\n k = Sqrt(k0)", last=add)
    one("shape-start", "h = Shape<start=1>(x)\n f = Cast<to=1>(h)\n k = ReduceSum(f)", opset=15, last=add)
    one("shape-end", "h = Shape<start=-2, end=-1>(x)\n f = Cast<to=1>(h)\n k = ReduceSum(f)", opset=15, last=add)
    one("size", "h = Size(x)\n k = Cast<to=1>(h)", last=add)
    one("shape-of-input-too", "h = Shape(x)\n k0 = Cast<to=1>(h)\n k = ReduceMax(k0)", last=add + "\n y = Add(z, k)")
    one("random", "k = RandomUniform<shape=[2,8], low=0.0, high=0.0>()", last=add, applies=False)
    one("dequantize", "k = DequantizeLinear(c, s, p)",
        {"c": np.arange(8, dtype=np.uint8), "s": np.float32(0.1), "p": np.uint8(3)}, last=add, applies=False)
    one("result-is-output", "k = Mul(c, c)", {"c": normal(8)}, last=add)
    one("erf-exp", "k0 = Exp(c)\n k1 = Erf(k0)\n k2 = Tanh(k1)\n k = Sigmoid(k2)", {"c": normal(8)}, last=add)
    one("pow-sqrt", "k0 = Pow(c, half)\n k1 = Sqrt(k0)\n k2 = Reciprocal(k1)\n k = Log(k2)",
        {"c": np.abs(normal(8)) + 1}, last=add)
    one("matmul", "k0 = MatMul(c, d)\n k = Softmax(k0)", {"c": normal(2, 33), "d": normal(33, 8)}, last=add)
    one("reduce", "k0 = ReduceMean<axes=[0]>(c)\n k = LayerNormalization(k0, g)", {"c": normal(9, 8), "g": normal(8)},
        opset=17, last=add)
    one("cumsum-onehot", "k0 = CumSum(i, zero)\n k1 = OneHot(k0, d, v)\n k = ReduceSum<keepdims=0>(k1, a)",
        {"i": ints(0, 1, 2, 1), "zero": np.int64(0), "d": ints(8),
                                                                                                        "v": np.array([0, 1], np.float32), "a": ints(0)}, last=add)
    one("gather-slice", "k0 = Slice(c, b, e, a, t)\n k1 = Gather(k0, i)\n k2 = Squeeze(k1, sq)\n k = Neg(k2)",
        {"c": normal(9, 8), "b": ints(8), "e": ints(-99), "a": ints(0), "t": ints(-3), "i": ints(-1), "sq": ints(0)},
        last=add)
    one("if-constant-captures", """k = If(c) <then_branch = t () => (p) { p = Mul(w, w) }, else_branch = e () => (q) { q = Neg(w) }>""",
        {"c": np.array(True), "w": normal(8)}, last=add)


def annotate():
    for op in ("GreaterOrEqual", "LessOrEqual"):
        text = f"(float[2,8] x, float[2,8] y) => (z) {{ b = {op}(x, y)\n r = Add(x, x)\n z = Where(b, r, y) }}"
        for opset in (12, 14):
            pattern("annotate", f"{op[0].lower()}e-{opset}", text, opset=opset, feeds={"*": "special"})
        pattern("annotate", f"{op[0].lower()}e-16", text, opset=16, applies=False)
        pattern("annotate", f"{op[0].lower()}e-broadcast", text.replace("float[2,8] y", "float[3,1,1] y"), opset=13)
    pattern("annotate", "relu-where",
            """(float[2,8] x, float[2,8] y) => (z) { p = Relu(x)\n b = GreaterOrEqual(p, y)\n n = Not(b)
        r = Add(x, x)\n w = Where(n, r, y)\n t = Transpose(w)\n z = Add(t, t) }""", opset=12)
    pattern("annotate", "dynamic", """(float["n",8] x, float[2,8] y) => (z) { b = GreaterOrEqual(x, y)\n z = Where(b, x, y) }""", opset=12, applies=None,
            dims={"n": 2}, is_varied=False)


# ---- functions ---------------------------------------------------------------------------------------------------

FUNCTIONS = """<opset_import: ["" : 17, "npu.local" : 1], domain: "npu.local">
Leaky <alpha: float = 0.25> (x) => (y) { y = LeakyRelu<alpha: float = @alpha>(x) }

<opset_import: ["" : 17, "npu.local" : 1], domain: "npu.local">
Scaled <axis> (x, w, b) => (y) { s = Softmax<axis: int = @axis>(x)\n m = Mul(s, w)\n y = Add(m, b) }

<opset_import: ["" : 17, "npu.local" : 1], domain: "npu.local">
Outer (x, w) => (y, t) { l = npu.local.Leaky<alpha = 0.1>(x)\n s = npu.local.Scaled<axis = 0>(l, w, x)\n k = npu.local.Leaky(s)\n y = Add(k, l)\n t = Identity(x) }

<opset_import: ["" : 17, "npu.local" : 1], domain: "npu.local">
Clamped (x, lo, hi) => (y) { c = Clip(x, lo, hi)\n y = Add(c, c) }

<opset_import: ["" : 17, "npu.local" : 1], domain: "npu.local">
Branch (x, c) => (y) { y = If(c) <then_branch = t () => (p) { h = Neg(x)\n p = Abs(h) }, else_branch = e () => (q) { h = Abs(x)\n q = Neg(h) }> }
"""


def inline():
    def one(name, lines, inputs="", target=INTEL, applies=None, **more):
        pattern("inline", name, f"(float[2,8] x{inputs}) => (z) {{ r = Add(x, x)\n {lines} }}", {"w": normal(8)},
                functions=more.pop("functions", FUNCTIONS),
                imports={"npu.local": 1}, target=target, applies=applies, **more)

    for target in (INTEL, HEXAGON):
        end = target.split(":")[0]
        one(f"default-{end}", "z = npu.local.Leaky(r)", target=target)
        one(f"value-{end}", "z = npu.local.Leaky<alpha = 0.75>(r)", target=target)
        one(f"twice-{end}", "a = npu.local.Leaky<alpha = 0.75>(r)\n z = npu.local.Leaky(a)", target=target)
        one(f"attribute-dropped-{end}", "z = npu.local.Scaled(r, w, x)", target=target)
        one(f"nested-{end}", "a, t = npu.local.Outer(r, w)\n z = Add(a, t)", target=target)
        one(f"unused-output-{end}", 'a, "" = npu.local.Outer(r, w)\n z = Add(a, a)', target=target)
        one(f"absent-operand-{end}", 'z = npu.local.Clamped(r, "", h)', ", float h", target=target)
        one(f"absent-at-end-{end}", "z = npu.local.Clamped(r, h)", ", float h", target=target)
        one(f"branch-{end}", "z = npu.local.Branch(r, c)", ", bool c", target=target)
        one(f"same-name-{end}", "y = Neg(r)\n s = npu.local.Leaky(y)\n l = npu.local.Leaky(s)\n z = Add(l, y)",
            target=target)
        one(f"in-if-{end}", "z = If(c) <then_branch = t () => (p) { p = npu.local.Leaky(r) }, else_branch = e () => "
            "(q) { q, u = npu.local.Outer(r, w) }>",
            ", bool c", target=target)
    one("kernel-of-that-name", "z = com.microsoft.Gelu(r)", applies=False,
        functions='<opset_import: ["" : 17], domain: "com.microsoft">\nGelu (x) => (y) { y = Neg(x) }\n')


def cast_like():
    for target in (INTEL, HEXAGON):
        end = target.split(":")[0]
        one = lambda name, lines, head="(float[2,8] x)", weights=None, **more: pattern(
            "castlike", f"{name}-{end}", f"{head} => (z) {{ r = Add(x, x)\n {lines} }}", weights, target=target,
            opset=more.pop("opset", 18), applies=None, **more)
        one("scalar", "c = CastLike(k, r)\n m = Mul(r, c)\n z = Add(m, m)", weights={"k": np.float32(0.3)})
        one("int-scalar", "c = CastLike(k, r)\n m = Mul(r, c)\n z = Add(m, m)", weights={"k": np.int64(3)})
        one("double-scalar", "c = CastLike(k, r)\n m = Mul(r, c)\n z = Add(m, m)", weights={"k": np.float64(0.1)})
        one("fp16", "c = CastLike(k, r)\n m = Mul(r, c)\n z = Add(m, m)", "(float16[2,8] x)",
            weights={"k": np.float32(0.1)})
        one("runtime", "c = CastLike(i, r)\n z = Mul(r, c)", "(float[2,8] x, int32[2,8] i)", feeds={"i": "special"})
        one("to-int", "c = CastLike(r, k)\n f = Cast<to=1>(c)\n z = Add(r, f)", weights={"k": np.int32(0)})
        one("to-bool", "c = CastLike(r, k)\n z = Where(c, r, x)", weights={"k": np.array(True)})
        one("opset15", "c = CastLike(k, r)\n m = Mul(r, c)\n z = Add(m, m)", weights={"k": np.float64(0.1)}, opset=15)


# ---- control flow ------------------------------------------------------------------------------------------------

BRANCHES = "z = If(c) <then_branch = t () => (p) { h = Mul(r, w)\n p = Add(h, r) }, else_branch = e () => (q) { h = Neg(r)\n q = Abs(h) }>"


def if_const():
    def one(name, lines, inputs="", weights=None, options=(), **more):
        pattern("if-const", name, f"(float[2,8] x{inputs}) => (z) {{ r = Add(x, x)\n {lines} }}",
                {"w": normal(8), **(weights or {})},
                options=list(options), is_varied=more.pop("is_varied", False), applies=more.pop("applies", None),
                **more)

    for value in (True, False):
        word = str(value).lower()
        one(f"constant-{word}", BRANCHES, weights={"c": np.array(value)})
        one(f"constant-rank1-{word}", BRANCHES, weights={"c": np.array([value])})
        one(f"bound-{word}", BRANCHES, ", bool c", options=["--bind", f"c={word}"], feeds={"c": f"value:{int(value)}"},
            applies=True)
        one(f"bound-rank1-{word}", BRANCHES, ", bool[1] c", options=["--bind", f"c={word}"],
            feeds={"c": f"value:{int(value)}"}, applies=True)
        one(f"bound-with-reader-{word}", BRANCHES.replace("z =", "y =") + "\n f = Cast<to=1>(c)\n z = Add(y, f)",
            ", bool c", options=["--bind", f"c={word}"],
            feeds={"c": f"value:{int(value)}"})
        one(f"shapes-differ-{word}", "z = If(c) <then_branch = t () => (p) { p = Mul(r, w) }, else_branch = e () => "
            "(q) { q = ReduceSum(r) }>", ", bool c",
            options=["--bind", f"c={word}"], feeds={"c": f"value:{int(value)}"}, applies=True)
        one(f"two-ifs-{word}", BRANCHES.replace("z =", "y =") + "\n " + BRANCHES.replace("r", "y").replace("then_byanch", "then_branch").replace(
            "else_byanch", "else_branch").replace("Mul(y", "Mul(y"), ", bool c", options=["--bind", f"c={word}"],
            feeds={"c": f"value:{int(value)}"})
        one(f"nested-{word}", "z = If(c) <then_branch = t () => (p) { p = If(c) <then_branch = t2 () => (u) { u = "
            "Neg(r) }, else_branch = e2 () => (v) { v = Abs(r) }> }, "
            "else_branch = e () => (q) { q = If(d) <then_branch = t3 () => (u) { u = Mul(r, w) }, else_branch = e3 "
            "() => (v) { v = Add(r, w) }> }>", ", bool c, bool d",
            options=["--bind", f"c={word}"], feeds={"c": f"value:{int(value)}"})
        one(f"branch-without-node-{word}",
            "z = If(c) <then_branch = t () => (p) <float[2,8] p = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}> { }, "
            "else_branch = e () => (q) { q = Identity(r) }>", ", bool c", options=["--bind", f"c={word}"],
            feeds={"c": f"value:{int(value)}"})
    one("computed", "size = Size(x)\n c = Greater(size, k)\n " + BRANCHES, weights={"k": np.int64(4)})
    one("overridable", BRANCHES, ", bool c", weights={"c": np.array(True)}, applies=False, feeds={"c": "value:1"})
    one("two-outputs", "z0, y = If(c) <then_branch = t () => (p, p2) { p = Mul(r, w)\n p2 = Neg(p) }, else_branch = "
        "e () => (q, q2) { q2 = Neg(r)\n q = Abs(q2) }>\n z = Add(z0, y)",
        ", bool c", options=["--bind", "c=true"], feeds={"c": "value:1"}, applies=True)
    one("int-input", "c = Cast<to=9>(i)\n " + BRANCHES, ", int64 i", options=["--bind", "i=1"], feeds={"i": "value:1"})


def if_where():
    def one(name, then, other, kind="float", cond="bool", dims="2,8", last=None, weights=None, applies=True, inputs="",
            **more):
        text = (f"({kind}[{dims}] x, {cond} c{inputs}) => (z) {{ r = Identity(x)\n y = If(c) <then_branch = t () => "
                f"(p) {{ {then} }}, else_branch = e () => (q) "
                f"{{ {other} }}>\n {last or 'z = Identity(y)'} }}")
        pattern("if-where", name, text, weights, applies=applies,
                is_varied=more.pop("is_varied", name in ("float", "captures")), **more)

    add = "z = Add(y, y)"
    one("float", "p = Neg(r)", "h = Abs(r)\n q = Sqrt(h)", last=add, feeds={"x": "special"})
    one("same-names", "h = Neg(r)\n p = Add(h, r)", "h = Abs(r)\n q = Mul(h, r)", last=add)
    one("captures", "p = Mul(r, w)", "q = Add(r, w)", weights={"w": normal(8)}, last=add)
    one("cond-rank1", "p = Neg(r)", "q = Abs(r)", cond="bool[1]", last=add)
    one("cond-rank1-scalar", "p = ReduceSum<keepdims=0>(r)", "q = ReduceMax<keepdims=0>(r)", cond="bool[1]")
    one("cond-rank3-matrix", "p = Neg(r)", "q = Abs(r)", cond="bool[1,1,1]", last=add)
    one("deep", "p0 = Neg(r)\n p1 = Tanh(p0)\n p = Mul(p1, w)", "q = Abs(r)", weights={"w": normal(8)}, last=add)
    for kind in ("float16", "int32", "double", "int64", "uint8", "int8"):
        one(kind, "p = Identity(r)", "q = Add(r, r)" if kind not in ("uint8", "int8") else "q = Min(r, k)", kind,
            weights={"k": np.array([3], kind)} if kind in ("uint8", "int8") else None, applies=None,
            feeds={"x": "special"})
    one("bool-output", "p = Greater(r, w)", "q = Less(r, w)", weights={"w": normal(8)}, last="z = Where(y, x, r)",
        applies=None)
    one("bool-output-graph", "p = Greater(r, w)", "q = Less(r, w)", weights={"w": normal(8)}, last="z = Not(y)",
        applies=None)
    one("outer-tensor", "p = Identity(r)", "q = Neg(r)", applies=None)
    one("branch-initializer", "p = Mul(r, w)", "q = Add(r, w)", weights={"w": normal(2, 8)})
    pattern("if-where", "no-node", """(float[2] x, bool c) => (z) { r = Add(x, x)\n y = If(c) <then_branch = t () => (p) <float[2] p = {1.5, 2.5}> { },
        else_branch = e () => (q) { q = Neg(r) }>\n z = Add(y, r) }""", is_varied=False, applies=None)
    pattern("if-where", "own-initializers",
            """(float[2] x, bool c) => (z) { r = Add(x, x)\n y = If(c) <then_branch = t () => (p) <float[2] k = {1.5, 2.5}> { p = Mul(r, k) },
        else_branch = e () => (q) <float[2] k = {-1.0, 4.0}> { q = Add(r, k) }>\n z = Add(y, r) }""", is_varied=False,
        applies=True)
    pattern("if-where", "two-outputs",
            """(float[2,8] x, bool c) => (z, y2) { r = Add(x, x)\n y, y2 = If(c) <then_branch = t () => (p, p2) { p = Neg(r)\n p2 = ReduceSum(p) },
        else_branch = e () => (q, q2) { q = Abs(r)\n q2 = ReduceMax(q) }>\n z = Add(y, r) }""", is_varied=False)
    one("computed-condition", "p = Neg(r)", "q = Abs(r)", last=add)
    pattern("if-where", "condition-from-data",
            """(float[2,8] x) => (z) { s = ReduceSum<keepdims=0>(x)\n c = Greater(s, k)\n r = Add(x, x)\n y = If(c) <then_branch = t () => (p)
        { p = Neg(r) }, else_branch = e () => (q) { q = Tanh(r) }>\n z = Add(y, r) }""", {"k": np.float32(0)})
    # Where the rewrite must not apply.
    one("shapes-differ", "p = Neg(r)", "q = ReduceSum(r)", applies=False)
    one("shapes-broadcast", "p = Neg(r)", "q = Mul(s, s)", weights={"s": normal(8)}, applies=False)
    one("random", "p = Neg(r)", "u = RandomUniformLike<low=0.0, high=0.0>(r)\n q = Add(u, r)", applies=False)
    one("gather-range", "p = Gather<axis=1>(r, i)", "q = Gather<axis=1>(r, k)", inputs=", int64[2] i",
        weights={"k": ints(0, 1)}, applies=False,
        feeds={"i": "below:8"})
    pattern("if-where", "div-by-0",
            """(int32[2,8] x, int32[2,8] d, bool c) => (z) { z = If(c) <then_branch = t () => (p) { p = Div(x, d) }, else_branch = e () => (q)
        { q = Add(x, d) }> }""", feeds={"c": "value:0", "d": "value:0"}, applies=False, is_varied=False)
    pattern("if-where", "mod-by-0",
            """(int32[2,8] x, int32[2,8] d, bool c) => (z) { z = If(c) <then_branch = t () => (p) { p = Mod(x, d) }, else_branch = e () => (q)
        { q = Add(x, d) }> }""", feeds={"c": "value:0", "d": "value:0"}, applies=False, is_varied=False)
    one("loop-inside", "p = Loop(n, t1, r) <body = b (int64 i, bool ci, float[2,8] s) => (co, so) { co = "
        "Identity(ci)\n so = Add(s, s) }>", "q = Abs(r)",
        weights={"n": np.int64(2), "t1": np.array(True)}, applies=False)
    pattern("if-where", "dynamic", '(float["n",8] x, bool c) => (z) { z = If(c) <then_branch = t () => (p) { p = '
            'Neg(x) }, else_branch = e () => (q) { q = Abs(x) }> }',
            applies=False, dims={"n": 3}, is_varied=False)
    one("opset8", "p = Neg(r)", "q = Abs(r)", opset=8, applies=False)
    for op in ("Softmax", "Relu"):
        one(f"infinite-{op.lower()}", f"p = {op}(r)", "q = Neg(r)", feeds={"x": "special"}, last=add, applies=None)


def loops():
    body = "body = b (int64 i, bool ci, float[2,8] s) => (co, so, y) { co = Identity(ci)\n f = Cast<to=1>(i)\n g = Mul(s, w)\n so = Add(g, f)\n y = Neg(so) }"

    def one(name, lines, inputs="", weights=None, applies=True, options=(), **more):
        pattern("unroll", name, f"(float[2,8] x{inputs}) => (z) {{ r = Add(x, x)\n {lines} }}",
                {"w": normal(8), "n": np.int64(4), "t": np.array(True), **(weights or {})}, applies=applies,
                options=list(options),
                is_varied=more.pop("is_varied", name == "loop"), override=1, **more)

    loop = f"e, ys = Loop(n, t, r) <{body}>\n q = ReduceSum<keepdims=0>(ys, a)\n z = Add(e, q)"
    axis = {"a": ints(0)}
    one("loop", loop, weights=axis)
    one("one-trip", loop, weights={**axis, "n": np.int64(1)})
    one("no-trip", f"e, ys = Loop(n, t, r) <{body}>\n z = Add(e, r)", weights={"n": np.int64(0)}, applies=None)
    one("trips64", loop, weights={**axis, "n": np.int64(64)})
    one("trips65", loop, weights={**axis, "n": np.int64(65)}, applies=False)
    one("condition-false", f"e, ys = Loop(n, t, r) <{body}>\n z = Add(e, r)", weights={"t": np.array(False)},
        applies=None)
    one("no-condition", loop.replace("Loop(n, t, r)", 'Loop(n, "", r)'), weights=axis)
    one("trip-rank1", loop, weights={**axis, "n": ints(4)})
    one("scan-only", "ys = Loop(n, t) <body = b (int64 i, bool ci) => (co, y) { co = Identity(ci)\n f = "
        "Cast<to=1>(i)\n y = Mul(r, f) }>\n z = ReduceSum<keepdims=0>(ys, a)", weights=axis)
    one("state-only", "e = Loop(n, t, r) <body = b (int64 i, bool ci, float[2,8] s) => (co, so) { co = "
        "Identity(ci)\n so = Mul(s, w) }>\n z = Add(e, e)")
    one("scan-is-output", f"e, z = Loop(n, t, r) <{body}>")
    one("growing", "e = Loop(n, t, r) <body = b (int64 i, bool ci, s) => (co, so) { co = Identity(ci)\n h = Add(s, "
        "s)\n so = Concat<axis=0>(h, r) }>\n z = Add(e, e)", applies=None)
    one("swap", "e, g = Loop(n, t, r, x) <body = b (int64 i, bool ci, float[2,8] s, float[2,8] u) => (co, so, uo) { "
        "co = Identity(ci)\n so = Identity(u)\n uo = Add(s, w) }>\n z = Sub(e, g)")
    one("state-unchanged", "e, g = Loop(n, t, r, x) <body = b (int64 i, bool ci, float[2,8] s, float[2,8] u) => (co, "
        "so, u) { co = Identity(ci)\n so = Add(s, u) }>\n z = Sub(e, g)", applies=None)
    one("nested", """e = Loop(n, t, r) <body = b (int64 i, bool ci, float[2,8] s) => (co, so) { co = Identity(ci)\n so = Loop(m, t, s) <body = b2 (int64 j, bool cj, float[2,8] v) =>
        (dj, vo) { dj = Identity(cj)\n k = Add(v, s)\n vo = Mul(k, w) }> }>\n z = Add(e, e)""",
        weights={"m": np.int64(2)}, applies=None)
    one("if-inside", """e = Loop(n, t, r) <body = b (int64 i, bool ci, float[2,8] s) => (co, so) { co = Identity(ci)\n k = Mod(i, two)\n d = Cast<to=9>(k)\n so = If(d) <then_branch = tb () => (p)
        { p = Add(s, w) }, else_branch = eb () => (q) { q = Mul(s, w) }> }>\n z = Add(e, e)""",
        weights={"two": np.int64(2)}, applies=None)
    one("bound-trip", loop.replace("Loop(n,", "Loop(trips,"), ", int64 trips", weights=axis,
        options=["--bind", "trips=4"], feeds={"trips": "value:4"})
    one("runtime-trip", loop.replace("Loop(n,", "Loop(trips,"), ", int64 trips", weights=axis, applies=False,
        feeds={"trips": "value:3"})
    one("overridable-trip", loop, ", int64 n", weights=axis, applies=False, feeds={"n": "value:3"})
    stop = loop.replace("co = Identity(ci)\n", "co = Less(i, two)\n")
    one("body-stops", stop, weights={**axis, "two": np.int64(2)}, applies=False)
    one("body-condition-from-data",
        loop.replace("co = Identity(ci)\n", "u = ReduceMax<keepdims=0>(s)\n co = Less(u, two)\n"),
        weights={**axis, "two": np.float32(2)}, applies=False)
    one("body-constant-true", loop.replace("co = Identity(ci)\n", "co = Constant<value = bool {1}>()\n"), weights=axis)
    one("while", loop.replace("Loop(n,", 'Loop("",').replace("co = Identity(ci)\n", "co = Less(i, two)\n"),
        weights={**axis, "two": np.int64(2)}, applies=False)
    scans()


def scans():
    def one(name, attributes="", inputs="r", states="s0", dims="4,2,8", last="z = Add(e, e)", body=None, applies=True,
            **more):
        body = body or "body = b (float[2,8] s, float[2,8] v) => (so, y) { g = Mul(s, w)\n so = Add(g, v)\n y = Tanh(so) }"
        pattern("unroll", f"scan-{name}",
                f"(float[{dims}] x) => (z, ys) {{ r = Add(x, x)\n e, ys = Scan<num_scan_inputs=1{attributes}, "
                f"{body}>({states}, {inputs})\n {last} }}",
                {"w": normal(8), "s0": normal(2, 8, scale=0.25)}, applies=applies, is_varied=name == "plain", **more)

    one("plain")
    one("one-step", dims="1,2,8")
    one("reverse", ", scan_input_directions=[1]", applies=None)
    one("reverse-output", ", scan_output_directions=[1]", applies=None)
    one("axis1", ", scan_input_axes=[1]", dims="2,4,8", applies=None)
    one("axis-last", ", scan_input_axes=[-1], scan_output_axes=[1]", dims="2,8,4", applies=None)
    one("output-axis", ", scan_output_axes=[-1]", applies=None)
    one("long", dims="65,2,8", applies=False)
    pattern("unroll", "scan-dynamic",
            """(float["n",2,8] x) => (z) { e = Scan<num_scan_inputs=1, body = b (float[2,8] s, float[2,8] v) => (so) { so = Add(s, v) }>(s0, x)
        z = Add(e, e) }""", {"s0": normal(2, 8)}, dims=SIZES, applies=False, is_varied=False)


# ---- experts -----------------------------------------------------------------------------------------------------

EXPERT = """g# = Gather<axis=0>(mask, e#)\n b# = Cast<to=9>(g#)\n n# = NonZero(b#)\n t# = Transpose<perm=[1,0]>(n#)\n p#, q# = Split<axis=1>(t#, ones)
    place# = Squeeze(p#, one)\n row# = Squeeze(q#, one)\n y# = Gather<axis=1>(xu, row#)\n x# = Reshape(y#, rows)\n s# = MatMul(x#, gate#)\n
    act# = Sigmoid(s#)\n a# = Mul(s#, act#)\n u# = MatMul(x#, up#)\n h# = Mul(a#, u#)\n d# = MatMul(h#, down#)\n m# = Mul(row#, topk)\n i# = Add(place#, m#)
    v# = Gather<axis=0>(weights, i#)\n w# = Reshape(v#, column)\n o# = Mul(d#, w#)\n wide# = Expand(o#, wide)\n j# = Unsqueeze(row#, one)\n shape# = Shape(wide#)
    k# = Expand(j#, shape#)\n z# = ScatterElements<axis=0>(zeros, k#, wide#)\n"""


def moe():
    tokens, hidden, inner, experts = 6, 8, 5, 3
    constants = {"gate": normal(hidden, experts), "k": ints(2), "depth": np.int64(experts), "values": ints(0, 1),
                 "zero": ints(0), "one": ints(1),
                 "ones": ints(1, 1), "rows": ints(-1, hidden), "column": ints(-1, 1), "topk": np.int64(2),
                 "two": ints(2),
                 "wide": ints(1, hidden), "zeros": np.zeros((tokens, hidden), np.float32)}
    for expert in range(experts):
        constants |= {f"e_{expert}": np.int64(expert), f"gate_{expert}": normal(hidden, inner) + np.float32(expert),
                      f"up_{expert}": normal(hidden, inner),
                      f"down_{expert}": normal(inner, hidden)}

    def one(name, *change, applies=True, head="", weights=None, mask="Transpose<perm=[2,1,0]>(hot)", **more):
        lines = "".join(EXPERT.replace(*change or ("#", "#")).replace("#", f"_{expert}") +
                        f"sum_{expert} = Add({f'sum_{expert - 1}' if expert else 'zeros0'}, z_{expert})\n" for expert in range(experts))
        text = f"""(float[{tokens},{hidden}] x{head}) => (z) {{ r = Add(x, x)\n scores = MatMul(r, gate)\n p = Softmax<axis=1>(scores)\n v, i = TopK<axis=-1>(p, k)
            hot = OneHot<axis=-1>(i, depth, values)\n mask = {mask}\n xu = Unsqueeze(r, zero)\n last = Unsqueeze(v, two)\n weights = Flatten<axis=2>(last)\n {lines}
            z = Add(sum_{experts - 1}, r) }}"""
        pattern("moe-dense", name, text, {**constants, "zeros0": constants["zeros"], **(weights or {})},
                applies=applies, is_varied=False, **more)

    one("olmoe")
    one("default-class", applies=False, equality="bits")
    one("scatter-adds", "<axis=0>(zeros", '<axis=0, reduction="add">(zeros', applies=None, opset=18)
    one("scatter-into-others", weights={"zeros": normal(tokens, hidden)}, applies=None)
    one("expert-mixes-rows", "Sigmoid(s#)", "Softmax<axis=0>(s#)", applies=False)
    one("mask-is-input", mask="Min(given, most)", head=f", int64[{experts},2,{tokens}] given",
        weights={"most": np.int64(1)}, applies=False)


def doubles():
    def one(name, lines, weights=None, graph="(double[4,8] x) => (double[N] z)", size="4,8", **more):
        pattern("float32", name, f"{graph.replace('N', size)} {{ {lines} }}", weights, **more)

    wide = np.float64
    one("matmul", "a = MatMul(x, w)\n z = Relu(a)", {"w": normal(8, 3, dtype=wide)}, size="4,3")
    one("weights", "a = MatMul(x, w)\n z = MatMul(a, v)",
        {"w": normal(8, 1100, dtype=wide), "v": normal(1100, 8, dtype=wide)})
    one("layer", """a = MatMul(x, w)\n b = LayerNormalization(a, g, h)\n c = Softmax(b)\n d = Mul(c, k)
        z = Add(d, x)""", {"w": normal(8, 8, dtype=wide), "g": normal(8, dtype=wide), "h": normal(8, dtype=wide),
                           "k": wide(0.7)})
    one("elementwise", "a = Sigmoid(x)\n b = Tanh(a)\n c = Exp(b)\n d = Div(c, b)\n z = Sqrt(c)", applies=None)
    one("reduced", "a = ReduceMean<axes=[1]>(x)\n b = Sub(x, a)\n z = Mul(b, b)", opset=13)
    one("whole-input", "a = Cast<to=11>(x)\n z = Sqrt(a)", graph="(int32[4,8] x) => (double[N] z)")
    one("float-edges", "a = Cast<to=11>(x)\n b = Mul(a, k)\n c = Tanh(b)\n z = Cast<to=1>(c)", {"k": wide(1 / 3)},
        graph="(float[4,8] x) => (float[N] z)")
    one("float-edge-weights", "a = Cast<to=11>(x)\n b = MatMul(a, w)\n z = Cast<to=1>(b)", {"w": normal(8, 8, dtype=wide)},
        graph="(float[4,8] x) => (float[N] z)", feeds={"*": "finite"})
    one("half", "a = Cast<to=10>(x)\n b = Add(a, a)\n z = Cast<to=11>(b)", applies=None)
    one("where", "a = Greater(x, k)\n z = Where(a, x, k)", {"k": wide(0.1)}, applies=None)
    one("floor", "a = Floor(x)\n z = Add(a, x)", applies=None)
    one("whole-output", "a = Mul(x, k)\n b = Cast<to=7>(a)\n z = Cast<to=11>(b)", {"k": wide(3.3)}, applies=None)
    one("argmax", "z = ArgMax<axis=1, keepdims=0>(x)", graph="(double[4,8] x) => (int64[4] z)", applies=None,
        feeds={"*": "distinct"})
    one("gather", "a = Gather<axis=1>(x, i)\n b = Concat<axis=1>(a, x)\n z = Transpose(b)", {"i": ints(1, 3)}, size="10,4",
        applies=None)
    one("special", "a = Add(x, x)\n z = Mul(a, a)", feeds={"*": "special"})
    one("two-results", "a, b = Split<axis=1>(x, s)\n z = Mul(a, b)", {"s": ints(4, 4)}, size="4,4", applies=None)
    one("default-class", "z = Sqrt(x)", equality="bits", applies=False)
    one("intel", "a = MatMul(x, w)\n z = Relu(a)", {"w": normal(8, 3, dtype=wide)}, size="4,3", target=INTEL)
    for name, to, back in (("float", 11, 1), ("half", 10, 1), ("whole", 7, 1)):
        pattern("cast-back", name, f"(float[4,8] x) => (z) {{ r = Add(x, x)\n a = Cast<to={to}>(r)\n b = Cast<to={back}>(a)\n "
                "z = Add(b, b) }", applies=None if to == 11 else False, feeds={"*": "special"})
    pattern("cast-back", "intel", "(float[4,8] x) => (z) { r = Add(x, x)\n a = Cast<to=11>(r)\n b = Cast<to=1>(a)\n "
            "z = Add(b, b) }", target=INTEL, feeds={"*": "special"})


for _make in (doubles, in_order, bind, fold, annotate, inline, cast_like, if_const, if_where, loops, moe):
    _make()
