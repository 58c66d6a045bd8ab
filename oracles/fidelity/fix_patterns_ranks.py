# SPDX-License-Identifier: Apache-2.0
"""Pattern models of rewrites of ranks, pools and normalization; see fix_patterns.py."""
import numpy as np

from fix_pattern_model import INTEL, normal, pattern, unary


def halves(*dims, dtype=np.float32):
    return (np.abs(normal(*dims)) + 0.25).astype(dtype)


# ---- rank --------------------------------------------------------------------------------------------------------


def transposes():
    text = "(float[D] x) => (z) { r = Add(x, x)\n a = Reshape(r, s)\n t = TRANSPOSE\n b = Reshape(t, u)\n z = Add(b, b) }"

    def one(name, dims, shape, perm, back, kind="float", applies=True, **more):
        op = f"Transpose<perm={list(perm)}>(a)" if perm else "Transpose(a)"
        line = text.replace("float[D]", f"{kind}[{dims}]").replace("TRANSPOSE", op)
        pattern("rank", f"transpose-{name}", line, {"s": np.array(shape), "u": np.array(back)}, applies=applies, **more)

    one("window", "2,8,8,6", (2, 2, 4, 2, 4, 6), (0, 1, 3, 2, 4, 5), (8, 16, 6))
    one("window-back", "8,16,6", (2, 2, 2, 4, 4, 6), (0, 1, 3, 2, 4, 5), (2, 8, 8, 6))
    one("window-batch1", "1,8,8,6", (1, 2, 4, 2, 4, 6), (0, 1, 3, 2, 4, 5), (4, 16, 6), applies=None)
    one("pixel-shuffle", "2,8,3,4", (2, 2, 2, 2, 3, 4), (0, 1, 4, 2, 5, 3), (2, 2, 6, 8))
    one("absent-perm", "2,8,3,4", (2, 2, 2, 2, 3, 4), (), (48, 4), applies=None)
    one("absent-perm-units", "2,12", (1, 2, 1, 3, 1, 4), (), (4, 6))
    one("unit-dims", "2,12", (2, 1, 1, 3, 1, 4), (5, 1, 3, 4, 2, 0), (4, 6), applies=None)
    one("all-units", "1,1", (1, 1, 1, 1, 1, 1), (5, 4, 3, 2, 1, 0), (1, 1), applies=None)
    one("rank7", "2,24", (1, 2, 2, 3, 1, 2, 2), (0, 2, 1, 3, 4, 6, 5), (4, 12))
    one("rank8", "4,24", (2, 2, 1, 3, 2, 1, 2, 2), (2, 0, 1, 4, 3, 5, 6, 7), (4, 24))
    one("identity", "4,24", (2, 2, 2, 3, 2, 2), (0, 1, 2, 3, 4, 5), (4, 24), applies=None)
    one("not-joinable", "8,8", (2, 2, 2, 2, 2, 2), (5, 4, 3, 2, 1, 0), (8, 8), applies=False)
    one("not-joinable7", "8,16", (2, 2, 2, 2, 2, 2, 2), (6, 4, 2, 0, 5, 3, 1), (8, 16), applies=False)
    one("float16", "2,8,8,6", (2, 2, 4, 2, 4, 6), (0, 1, 3, 2, 4, 5), (8, 16, 6), kind="float16")
    one("int32", "2,8,8,6", (2, 2, 4, 2, 4, 6), (0, 1, 3, 2, 4, 5), (8, 16, 6), kind="int32")
    one("dim-of-0", "0,8,8,6", (0, 2, 4, 2, 4, 6), (0, 1, 3, 2, 4, 5), (-1,), applies=False)
    pattern("rank", "transpose-dynamic",
            '(float["n",2,4,2,4,6] x) => (z) { r = Add(x, x)\n z = Transpose<perm=[0,1,3,2,4,5]>(r) }',
            applies=False, dims={"n": 2}, is_varied=False)
    for kind in ("uint8", "int64", "bool", "double"):
        pattern("rank", f"transpose-{kind}",
                f"({kind}[2,2,4,2,4,3] x) => (z) {{ z = Transpose<perm=[0,1,3,2,4,5]>(x) }}",
                applies=None)


def elementwise():
    dims6 = "2,2,3,2,2,3"
    for op in ("Mul", "Add", "Sub", "Div"):
        pattern("rank", op.lower(), f"(float[{dims6}] x, float[{dims6}] y) => (z) {{ z = {op}(x, y) }}",
                feeds={"y": "positive"})
    for name, other in (("last", "3"), ("first", "2,1,1,1,1,1"), ("mid", "3,1,1,1"), ("mixed", "2,1,3,1,2,1"),
                        ("scalar", "")):
        pattern("rank", f"broadcast-{name}", f"(float[{dims6}] x, float[{other}] y) => (z) {{ z = Mul(x, y) }}",
                applies=None if name == "mixed" else True)
    pattern("rank", "broadcast-both", "(float[2,1,3,1,1,3] x, float[1,2,3,2,2,1] y) => (z) { z = Mul(x, y) }",
            applies=None)
    pattern("rank", "broadcast-constant", f"(float[{dims6}] x) => (z) {{ z = Mul(x, c) }}", {"c": normal(2, 3)})
    pattern("rank", "where", f"(bool[{dims6}] c, float[{dims6}] x, float[3] y) => (z) {{ z = Where(c, x, y) }}",
            applies=None)
    pattern("rank", "between", "(float[4,36] x) => (z) { r = Add(x, x)\n a = Reshape(r, s)\n m = Mul(a, a)\n b = "
            "Reshape(m, t)\n z = Add(b, b) }",
            {"s": np.array([2, 2, 3, 2, 2, 3]), "t": np.array([4, 36])})
    pattern("rank", "between-chain", """(float[4,36] x) => (z) { r = Add(x, x)\n a = Reshape(r, s)\n m = Mul(a, c)
        n = Add(m, a)\n o = Mul(n, m)\n b = Reshape(o, t)\n z = Add(b, b) }""",
            {"s": np.array([2, 2, 3, 2, 2, 3]), "t": np.array([4, 36]), "c": normal(2, 3)})
    for op in ("Tanh", "Sqrt", "Log", "Neg", "Sign"):
        unary("rank", f"{op.lower()}5", f"m = {op}(r)", "2,2,3,2,3",
              feeds={"*": "positive" if op in ("Sqrt", "Log") else "special"})
    for op in ("Max", "Min"):
        pattern("rank", f"{op.lower()}5",
                f"(float[2,2,3,2,3] x, float[2,2,3,2,3] y) => (z) {{ r = Add(x, x)\n m = {op}(r, y)\n z = Add(m, m) }}",
                feeds={"*": "special"})
    pattern("rank", "max5-broadcast",
            "(float[2,2,3,2,3] x, float[3,1,1] y) => (z) { r = Add(x, x)\n m = Max(r, y)\n z = Add(m, m) }")
    pattern("rank", "max5-three", "(float[2,2,3,2,3] x, float[3,1,1] y, float[3] w) => (z) { r = Add(x, x)\n m = "
            "Max(r, y, w)\n z = Add(m, m) }",
            applies=None)
    pattern("rank", "dim-of-0", "(float[2,0,3,2,2,3] x, float[2,0,3,2,2,3] y) => (z) { z = Mul(x, y) }", applies=None)
    pattern("rank", "dynamic", '(float["n",2,3,2,2,3] x) => (z) { z = Mul(x, x) }', applies=None, dims={"n": 2},
            is_varied=False)
    unary("rank", "prelu5", "m = PRelu(r, s)", "2,2,3,2,3", weights={"s": normal(2, 1, 1, 1)}, applies=None)
    unary("rank", "cast6", "m = Cast<to=10>(r)", "2,2,3,2,2,3", after="z = Cast<to=1>(m)", applies=None)


def one_axis():
    dims = "2,2,3,2,2,5"

    def one(name, op, weights=None, applies=True, **more):
        pattern("rank", name, f"(float[{dims}] x) => (z) {{ {op} }}", weights, applies=applies, **more)

    for axis, start, end in ((5, 1, 4), (2, 0, 2), (-1, -3, 99), (0, 1, 2)):
        one(f"slice{axis}", "z = Slice(x, b, e, a)",
            {"b": np.array([start]), "e": np.array([end]), "a": np.array([axis])})
    one("slice-step", "z = Slice(x, b, e, a, t)",
        {"b": np.array([4]), "e": np.array([-99]), "a": np.array([5]), "t": np.array([-2])})
    one("slice-two-axes", "z = Slice(x, b, e, a)",
        {"b": np.array([0, 1]), "e": np.array([1, 3]), "a": np.array([0, 5])},
        applies=None)
    one("slice-no-axes", "z = Slice(x, b, e)", {"b": np.array([1]), "e": np.array([2])}, applies=None)
    for axis, name, indices in ((1, "scalar", np.array(1)), (5, "vector", np.array([3, 0, -1, 2])),
                                (-2, "negative", np.array([-1])),
                                (2, "one", np.array([2]))):
        one(f"gather-{name}", f"z = Gather<axis={axis}>(x, i)", {"i": indices})
    one("gather-matrix", "z = Gather<axis=2>(x, i)", {"i": np.array([[0, 1], [2, 0]])}, applies=None)
    pattern("rank", "gather-runtime", f"(float[{dims}] x, int64[3] i) => (z) {{ z = Gather<axis=5>(x, i) }}",
            feeds={"i": "below:5"},
            applies=None)
    one("concat", "y = Neg(x)\n z = Concat<axis=2>(x, y)", applies=None)
    pattern("rank", "concat-inputs",
            "(float[2,2,3,2,2,5] x, float[2,2,1,2,2,5] y) => (z) { z = Concat<axis=-4>(x, y, x) }")
    one("split", "p, q = Split<axis=5>(x, s)\n z = Concat<axis=5>(q, p)", {"s": np.array([2, 3])})
    one("split-outputs", "z, q = Split<axis=2>(x, s)", {"s": np.array([1, 2])})
    one("softmax-last", "z = Softmax(x)", feeds={"*": "rowinf"})
    one("softmax-mid", "z = Softmax<axis=2>(x)")
    one("softmax-11", "z = Softmax<axis=5>(x)", opset=11, applies=None)
    one("softmax-11-flattens", "z = Softmax<axis=2>(x)", opset=11, applies=None)
    one("rtdetr", "b = Slice(x, s, e, a)\n c = Slice(x, e, n, a)\n m = Mul(b, b)\n z = Add(m, c)",
        {"s": np.array([0]), "e": np.array([1]), "n": np.array([2]), "a": np.array([0])}, applies=None)
    pattern("rank", "softmax-dynamic", '(float["n",2,3,2,2,5] x) => (z) { z = Softmax<axis=2>(x) }', applies=None,
            dims={"n": 2},
            is_varied=False)


def reductions():
    """Attributes before opset 18 (ReduceSum: 13), operands since."""
    def one(name, dims, line, weights=None, **more):
        unary("rank", name, line, dims, weights=weights, **more)

    six = "2,2,3,2,1,5"
    for op in ("Max", "Min", "Mean", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare"):
        feeds = {"*": "positive" if op == "LogSum" else "special" if op in ("Max", "Min") else ""}
        one(f"reduce-{op.lower()}", six, f"m = Reduce{op}<axes=[-1,2,3]>(r)", feeds=feeds)
        # From opset 18 on the provider has no L1, LogSum, Prod and SumSquare, of whatever rank.
        one(f"reduce-{op.lower()}-18", six, f"m = Reduce{op}<keepdims=0>(r, a)", {"a": np.array([-1, 2, 3])}, opset=18,
            feeds=feeds, applies=None if op in ("L1", "LogSum", "Prod", "SumSquare") else True)
    one("reduce-sum", six, "m = ReduceSum(r, a)", {"a": np.array([1, 2, 5])}, applies=None)
    one("reduce-sum-11", six, "m = ReduceSum<axes=[1,2,5], keepdims=0>(r)", opset=11, applies=None)
    one("reduce-all", six, "m = ReduceMax(r)")
    one("reduce-all-flat", six, "m = ReduceMax<keepdims=0>(r)")
    one("reduce-unit", six, "m = ReduceSumSquare<axes=[4]>(r)")
    one("reduce-units", "2,1,3,2,1,5", "m = ReduceL2<axes=[1,4], keepdims=0>(r)")
    one("reduce-first", six, "m = ReduceMax<axes=[0]>(r)", feeds={"*": "special"})
    one("reduce-nothing", six, "m = ReduceMax<noop_with_empty_axes=1>(r)", opset=18, applies=None)
    one("reduce-alternating", "2,2,2,2,2,2,2,2", "m = ReduceMax<axes=[0,2,4,6]>(r)", applies=None)
    one("reduce-dim-of-0", "2,0,3,2,2,5", "m = ReduceSum(r, a)", {"a": np.array([2])}, applies=None)
    one("reduce-half", six, "m = ReduceMean<axes=[2,3]>(r)", kind="float16", applies=None)
    for kind in ("int32", "int64", "double"):
        one(f"reduce-{kind}", six, "m = ReduceMax<axes=[2,3]>(r)", kind=kind, applies=None)
        one(f"reduce-sum-{kind}", six, "m = ReduceSum(r, a)", {"a": np.array([2, 3])}, kind=kind, applies=None)
    pattern("rank", "reduce-runtime-axes", f"(float[{six}] x, int64[2] a) => (z) {{ r = Add(x, x)\n m = ReduceSum(r, a)\n "
            "z = Add(m, m) }", feeds={"a": "below:4"}, applies=None, is_varied=False)
    for axis in (0, 2, -1, 4):
        one(f"argmax{axis}", six, f"m = ArgMax<axis={axis}>(r)", after="z = Cast<to=1>(m)", feeds={"*": "distinct"})
        one(f"argmin-flat{axis}", six, f"m = ArgMin<axis={axis}, keepdims=0, select_last_index=1>(r)",
            after="z = Cast<to=1>(m)", feeds={"*": "special"}, applies=None)
    for op in ("ArgMax", "ArgMin", "ReduceMax", "ReduceMin"):
        one(f"{op.lower()}-last-unit", "2,2,3,2,5,1", f"m = {op}<{'axis=4' if op[0] == 'A' else 'axes=[4]'}>(r)",
            after="z = Cast<to=1>(m)", feeds={"*": "special"})
    one("topk-last-unit", "2,2,3,2,5,1", "m, i = TopK<axis=4>(r, k)", {"k": np.array([2])}, feeds={"*": "special"})
    for axis in (0, 2, -1):
        one(f"topk{axis}", six, f"m, i = TopK<axis={axis}>(r, k)", {"k": np.array([2])}, feeds={"*": "distinct"})
    one("topk-smallest", six, "m, i = TopK<axis=2, largest=0>(r, k)", {"k": np.array([2])},
        after="j = Cast<to=1>(i)\n z = Mul(m, j)", applies=None)
    one("topk-attribute", six, "m, i = TopK<axis=2, k=2>(r)", opset=9, applies=None)
    for axis in (1, -1):
        one(f"cumsum{axis}", six, "m = CumSum(r, a)", {"a": np.array(axis)})
        one(f"cumsum-exclusive{axis}", six, "m = CumSum<exclusive=1, reverse=1>(r, a)", {"a": np.array([axis], np.int32)})
    one("cumsum-int", six, "m = CumSum(r, a)", {"a": np.array(1)}, kind="int32", applies=None)


# ---- normalization -----------------------------------------------------------------------------------------------


def layer_norms():
    def one(name, dims, axis, sizes, bias=True, kind="float", outputs="m", last="z = Add(m, m)", **more):
        dtype = {"float": np.float32, "double": np.float64, "float16": np.float16}[kind]
        weights = {"g": normal(*sizes, dtype=dtype)}
        if bias:
            weights["b"] = normal(*sizes, dtype=dtype, scale=0.25)
        op = f"{outputs} = LayerNormalization<axis={axis}, epsilon=0.001>(r, g{', b' if bias else ''})"
        pattern("layernorm-rank", name, f"({kind}[{dims}] x) => (z) {{ r = Add(x, x)\n {op}\n {last} }}", weights,
                **more)

    one("rank5", "2,2,3,2,8", -1, (8,), feeds={"*": "special"})
    one("rank5-axis4", "2,2,3,2,8", 4, (8,))
    one("rank5-no-bias", "2,2,3,2,8", -1, (8,), bias=False)
    one("rank6", "2,2,3,1,2,8", -1, (8,), applies=None)
    one("axis1", "2,4,8", 1, (4, 8), feeds={"*": "special"})
    one("axis-2", "2,3,4,8", -2, (4, 8))
    one("axis0", "4,8", 0, (4, 8), applies=None)
    one("axis1-rank5", "2,2,3,2,8", 1, (2, 3, 2, 8), applies=None)
    one("axis1-broadcast", "2,4,8", 1, (8,), equality="ulp")
    one("axis1-broadcast-ones", "2,4,8", 1, (4, 1), equality="ulp", applies=None)
    one("axis1-no-bias", "2,4,8", 1, (4, 8), bias=False)
    one("mean", "2,2,3,2,8", -1, (8,), outputs="m, mean, dev", last="a = Add(m, mean)\n z = Mul(a, dev)",
        applies=None)
    one("mean-axis1", "2,4,8", 1, (4, 8), outputs="m, mean", last="z = Add(m, mean)", applies=None)
    one("float16", "2,2,3,2,8", -1, (8,), kind="float16", applies=None)
    one("double", "2,2,3,2,8", -1, (8,), kind="double", applies=None)
    one("last-rank3", "2,4,8", -1, (8,), applies=False)
    pattern("layernorm-rank", "runtime-scale",
            "(float[2,2,3,2,8] x, float[8] g) => (z) { r = Add(x, x)\n m = LayerNormalization(r, g)\n z = Add(m, m) }")
    pattern("layernorm-rank", "runtime-scale-axis1",
            "(float[2,4,8] x, float[4,8] g) => (z) { r = Add(x, x)\n m = LayerNormalization<axis=1>(r, g)\n z = "
            "Add(m, m) }",
            applies=None)
    pattern("layernorm-rank", "dynamic",
            '(float["n",2,3,2,8] x) => (z) { r = Add(x, x)\n m = LayerNormalization(r, g)\n z = Add(m, m) }',
            {"g": normal(8)}, applies=None, dims={"n": 2}, is_varied=False)


def other_norms():
    per = {"g": normal(3), "b": normal(3), "mean": normal(3, scale=0.3), "var": halves(3)}
    for name, dims in (("rank5", "2,3,4,5,6"), ("unit-dims", "1,3,1,5,6")):
        unary("instancenorm-rank", name, "m = InstanceNormalization<epsilon=0.001>(r, g, b)", dims,
              weights={k: per[k] for k in "gb"})
    unary("instancenorm-rank", "special", "m = InstanceNormalization(r, g, b)", "2,3,4,5,6",
          weights={k: per[k] for k in "gb"},
          feeds={"*": "special"}, is_varied=False)
    unary("instancenorm-rank", "rank4", "m = InstanceNormalization(r, g, b)", "2,3,4,5",
          weights={k: per[k] for k in "gb"}, applies=False)
    unary("instancenorm-rank", "fp16", "m = InstanceNormalization(r, g, b)", "2,3,4,5,6", "float16", applies=None,
          weights={k: per[k].astype(np.float16) for k in "gb"})
    pattern("instancenorm-rank", "dynamic",
            '(float["n",3,4,5,6] x) => (z) { r = Add(x, x)\n z = InstanceNormalization(r, g, b) }',
            {k: per[k] for k in "gb"}, applies=None, dims={"n": 2}, is_varied=False)
    normalized = "m = BatchNormalization<epsilon=0.001>(r, g, b, mean, var)"
    unary("batchnorm-rank", "rank5", normalized, "2,3,4,5,6", weights=per)
    unary("batchnorm-rank", "variance0", normalized, "2,3,4,5,6",
          weights={**per, "var": np.array([0, 1, 2], np.float32)})
    unary("batchnorm-rank", "opset9", normalized, "2,3,4,5,6", weights=per, opset=9)
    unary("batchnorm-rank", "default-class", normalized, "2,3,4,5,6", weights=per)
    unary("batchnorm-rank", "fp16", normalized, "2,3,4,5,6", "float16",
          weights={k: v.astype(np.float16) for k, v in per.items()},
          applies=None)
    unary("batchnorm-rank", "rank4", normalized, "2,3,4,5", weights=per, applies=False)
    pattern("batchnorm-rank", "runtime-statistics",
            f"(float[2,3,4,5,6] x, float[3] mean) => (z) {{ r = Add(x, x)\n {normalized}\n z = Add(m, m) }}",
            {k: per[k] for k in ("g", "b", "var")}, applies=False)
    unary("batchnorm-rank", "training", "m, om, ov = BatchNormalization<training_mode=1>(r, g, b, mean, var)",
          "2,3,4,5,6",
          weights=per, opset=15, applies=False)
    four = {"g": normal(4), "b": normal(4)}
    for name, kind, opset, weights in (("opset18", "num_groups=2", 18, {"g": normal(2), "b": normal(2)}),
                                       ("opset21", "num_groups=2", 21, four),
                                       ("epsilon", "num_groups=2, epsilon=0.01", 18,
                                                                               {"g": normal(2), "b": normal(2)})):
        unary("groupnorm", name, f"m = GroupNormalization<{kind}>(r, g, b)", "2,4,6,6", opset=opset, weights=weights,
              applies=None if opset > 20 else True)
    unary("groupnorm", "rank3", "m = GroupNormalization<num_groups=4>(r, g, b)", "2,4,6", opset=18, weights=four)
    unary("groupnorm", "rank5", "m = GroupNormalization<num_groups=2>(r, g, b)", "2,4,3,4,5", opset=18, applies=None,
          weights={"g": normal(2), "b": normal(2)})
    unary("groupnorm", "intel", "m = GroupNormalization<num_groups=2>(r, g, b)", "2,4,6,6", opset=18, target=INTEL,
          applies=None,
          weights={"g": normal(2), "b": normal(2)})
    unary("groupnorm", "default-class", "m = GroupNormalization<num_groups=2>(r, g, b)", "2,4,6,6", opset=18,
          applies=False,
          equality="bits", weights={"g": normal(2), "b": normal(2)})
    pattern("groupnorm", "runtime-scale",
            "(float[2,4,6,6] x, float[2] g) => (z) { r = Add(x, x)\n m = GroupNormalization<num_groups=2>(r, g, b)\n "
            "z = Add(m, m) }",
            {"b": normal(2)}, opset=18, applies=None)
    for name, dims, axes in (("rank4", "2,3,4,5", ""), ("axes", "2,3,4,5", "<axes=[1,2,3]>"),
                             ("negative", "2,3,4,5", "<axes=[-1,-2]>"),
                             ("rank3", "2,3,4", "<axes=[0,2]>")):
        for opset in (13, 18):
            unary("mvn", f"{name}-{opset}", f"m = MeanVarianceNormalization{axes}(r)", dims, opset=opset,
                  applies=None if name != "rank4" else True)


# ---- pools -------------------------------------------------------------------------------------------------------


def pools():
    text = "(float[D] x) => (z) { m = MaxPool<ATTR>(x)\n z = Add(m, m) }"

    def pool(name, attributes, dims="2,3,6,7,8", applies=True, **more):
        pattern("maxpool3d", name, text.replace("[D]", f"[{dims}]").replace("ATTR", attributes), applies=applies,
                **more)

    pool("plain", "kernel_shape=[2,2,2], strides=[2,2,2]", feeds={"*": "special"})
    pool("no-strides", "kernel_shape=[2,3,2]")
    pool("pads", "kernel_shape=[3,3,3], strides=[2,1,2], pads=[1,1,1,1,1,1]")
    pool("uneven-pads", "kernel_shape=[3,3,3], strides=[2,2,2], pads=[0,1,1,1,0,1]")
    pool("negative-values", "kernel_shape=[3,3,3], pads=[1,1,1,1,1,1]", feeds={"*": "distinct"})
    pool("infinite-rows", "kernel_shape=[2,2,2]", feeds={"*": "rowinf"}, is_varied=False)
    pool("dilated", "kernel_shape=[2,2,2], dilations=[2,1,1]", applies=False)
    pool("auto-pad", 'kernel_shape=[3,3,3], auto_pad="SAME_UPPER"', applies=None)
    pool("ceil", "kernel_shape=[3,3,3], strides=[2,2,2], ceil_mode=1", applies=None)
    pool("ceil-pads", "kernel_shape=[3,3,3], strides=[3,3,3], pads=[1,1,1,1,1,1], ceil_mode=1", dims="2,3,7,8,9",
         applies=None)
    pattern("maxpool3d", "indices", "(float[2,3,6,7,8] x) => (m, i) { m, i = MaxPool<kernel_shape=[2,2,2]>(x) }",
            applies=False)
    pattern("maxpool3d", "dynamic",
            '(float["n",3,6,7,8] x) => (z) { m = MaxPool<kernel_shape=[2,2,2]>(x)\n z = Add(m, m) }',
            applies=None, dims={"n": 2}, is_varied=False)
    pattern("maxpool3d", "double", "(double[2,3,6,7,8] x) => (z) { z = MaxPool<kernel_shape=[2,2,2]>(x) }",
            applies=None)
    for opset in (13, 18):
        unary("globalmaxpool3d", f"opset{opset}", "m = GlobalMaxPool(r)", "2,3,4,5,6", opset=opset,
              feeds={"*": "distinct"})
    unary("globalmaxpool3d", "default-class", "m = GlobalMaxPool(r)", "2,3,4,5,6", equality="bits", applies=False)
    unary("globalmaxpool3d", "rank4", "m = GlobalMaxPool(r)", "2,3,4,5", applies=False)
    for name, dims, attributes in (("rank4", "2,3,4,5", ""), ("rank3", "2,3,4", ""), ("p2", "2,3,4,5", "<p=2>"),
                                   ("rank5", "2,3,4,5,3", "")):
        unary("globallppool", name, f"m = GlobalLpPool{attributes}(r)", dims, applies=None if name == "rank5" else True)
    unary("globallppool", "opset18", "m = GlobalLpPool(r)", "2,3,4,5", opset=18)
    unary("globallppool", "p1", "m = GlobalLpPool<p=1>(r)", "2,3,4,5", applies=False)
    unary("globallppool", "p3", "m = GlobalLpPool<p=3>(r)", "2,3,4,5", applies=False)
    unary("globallppool", "default-class", "m = GlobalLpPool(r)", "2,3,4,5", equality="bits", applies=False)
    for dims, kernel in (("2,3,8,8", "[2,2]"), ("2,3,8", "[2]")):
        unary("drop-output", f"maxpool-rank{dims.count(',') + 1}", f"m, i = MaxPool<kernel_shape={kernel}>(r)", dims,
              applies=True if dims.count(",") == 3 else None)
    normalized = "LayerNormalization<axis=-1>(r, g, b)"
    per = {"g": normal(8), "b": normal(8)}
    unary("drop-output", "layernorm", f"m, mean, inverse = {normalized}", "2,8", opset=17, weights=per)
    unary("drop-output", "layernorm-mean", f"m, mean = {normalized}", "2,8", opset=17, weights=per)
    unary("drop-output", "layernorm-mean-read", f"n, mean = {normalized}\n m = Mul(n, mean)", "2,8", opset=17,
          weights=per, applies=False)
    unary("drop-output", "dropout", "m, k = Dropout(r)", "2,8", applies=None)
    unary("drop-output", "dropout-ratio", "m, k = Dropout(r, ratio)", "2,8", weights={"ratio": np.float32(0.3)},
          applies=None)
    pattern("drop-output", "dropout-read",
            "(float[2,8] x, float[2,8] y) => (z) { r = Add(x, x)\n m, k = Dropout(r)\n z = Where(k, m, y) }",
            applies=False)
    pattern("drop-output", "maxpool-output",
            "(float[2,3,8,8] x) => (z, i) { r = Add(x, x)\n m, i = MaxPool<kernel_shape=[2,2]>(r)\n z = Add(m, m) }",
            applies=False)
    pattern("drop-output", "maxpool-captured",
            """(float[2,3,8,8] x, bool c) => (z) { r = Add(x, x)\n m, i = MaxPool<kernel_shape=[2,2]>(r)
        o = If(c) <then_branch = t () => (p) { p = Cast<to=1>(i) }, else_branch = e () => (q) { q = Neg(m) }>\n z = Add(m, o) }""", applies=False)


def tiles():
    def one(name, dims, repeats, **more):
        unary("tile-once", name, "m = Tile(r, n)", dims, weights={"n": np.array(repeats, np.int64)}, **more)

    one("rank5", "2,3,1,2,4", [1] * 5, feeds={"*": "special"})
    one("rank4", "2,3,2,4", [1] * 4, applies=None)
    one("rank5-twice", "2,3,1,2,4", [1, 1, 2, 1, 1], applies=False)
    pattern("tile-once", "dynamic", '(float["n",3,1,2,4] x) => (z) { r = Add(x, x)\n m = Tile(r, n)\n z = Add(m, m) }',
            {"n": np.ones(5, np.int64)}, dims={"n": 2}, applies=None, is_varied=False)
    unary("tile-once", "runtime", "n = Cast<to=7>(k)\n m = Tile(r, n)", "2,3,1,2,4", weights={"k": np.ones(5, np.int32)},
          opset=13, applies=None)


def zeros():
    unary("allowzero", "sizes", "m = Reshape<allowzero=1>(r, n)", "1,3,4", weights={"n": np.array([1, -1], np.int64)},
          target="stm32n6+quantize")
    unary("allowzero", "zero", "m = Reshape<allowzero=1>(r, n)", "0,3", weights={"n": np.array([0, 3], np.int64)},
          applies=False, target="stm32n6+quantize")


def without_elements():
    slices = {"s": np.array([3]), "e": np.array([9]), "a": np.array([1])}
    for name, operands in (("after", "r, n"), ("before", "n, r")):
        pattern("no-elements", f"concat-{name}",
                f"(float[2,3] x) => (z) {{ r = Add(x, x)\n n = Slice(x, s, e, a)\n c = Concat<axis=1>({operands})\n"
                " z = Mul(c, c) }", slices)
    pattern("no-elements", "concat-some", "(float[2,3] x) => (z) { r = Add(x, x)\n n = Slice(x, s, e, a)\n"
            " z = Concat<axis=1>(r, n) }", {**slices, "s": np.array([2])}, applies=False)
    written = {"s": np.array([0]), "e": np.array([0]), "a": np.array([0]), "i": np.zeros([0, 1], np.int64)}
    for op, line in (("reshape", "u = Reshape(n, d)"), ("transpose", "u = Transpose<perm=[0,1]>(n)")):
        pattern("no-elements", f"scatter-{op}",
                f"(float[2,3] x) => (z) {{ r = Add(x, x)\n n = Slice(x, s, e, a)\n {line}\n"
                " z = ScatterND(r, i, u) }", {**written, "d": np.array([0, 3])} if op == "reshape" else written)


for _make in (transposes, elementwise, one_axis, reductions, layer_norms, other_norms, pools, tiles, zeros,
              without_elements):
    _make()
