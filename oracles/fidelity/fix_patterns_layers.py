# SPDX-License-Identifier: Apache-2.0
"""Pattern models of rewrites of layers, padding, elementwise functions and quantized forms; see fix_patterns.py."""
import numpy as np

from fix_pattern_model import COREML, DLA, HEXAGON, INTEL, NNAPI, RKNN, WEBNN, XDNA, normal, pattern, unary


def ints(*values):
    return np.array(values, np.int64)


# ---- recurrent, convolutions, Gemm -------------------------------------------------------------------------------


def recurrent():
    def one(name, op, gates, activations, direction="forward", **more):
        count = 2 if direction == "bidirectional" else 1
        weights = {"w": normal(count, gates * 4, 3), "rr": normal(count, gates * 4, 4), "b": normal(count, gates * 8)}
        attributes = f'hidden_size=4, direction="{direction}"'
        if activations:
            attributes += ", activations=[" + ", ".join(f'"{word}"' for word in activations) + "]"
        attributes += more.pop("attributes", "")
        state = ", c" if op == "LSTM" else ""
        pattern("rnn-activations", f"{op.lower()}-{name}", f"""(float[5,2,3] x) => (z) {{ q = Add(x, x)
            y, h{state} = {op}<{attributes}>(q, w, rr, b)\n z = Add(y, y) }}""", weights, **more)

    lstm, gru = ["Sigmoid", "Tanh", "Tanh"], ["Sigmoid", "Tanh"]
    one("spelled", "LSTM", 4, lstm)
    one("spelled", "GRU", 3, gru)
    one("both", "LSTM", 4, lstm * 2, "bidirectional")
    one("both", "GRU", 3, gru * 2, "bidirectional", applies=None)
    one("reverse", "LSTM", 4, lstm, "reverse")
    one("alpha", "LSTM", 4, lstm, attributes=", activation_alpha=[0.5], activation_beta=[0.5]", applies=None)
    one("upper-case", "LSTM", 4, ["SIGMOID", "TANH", "TANH"], applies=None)
    one("lower-case", "LSTM", 4, ["sigmoid", "tanh", "tanh"], applies=None)
    one("linear-before-reset", "GRU", 3, gru, attributes=", linear_before_reset=1", applies=None)
    one("other", "LSTM", 4, ["Sigmoid", "Tanh", "Relu"], applies=False)
    one("order", "LSTM", 4, ["Tanh", "Sigmoid", "Tanh"], applies=False)
    one("second-direction", "LSTM", 4, lstm + ["Sigmoid", "Relu", "Tanh"], "bidirectional", applies=False)
    one("other", "GRU", 3, ["Sigmoid", "Relu"], applies=False)
    one("hard", "GRU", 3, ["HardSigmoid", "Tanh"], applies=False,
        attributes=", activation_alpha=[0.2], activation_beta=[0.5]")


def convolutions():
    def conv(identity, name, op, dims, shape, attributes, kind="float", bias=True, **more):
        dtype = np.float16 if kind == "float16" else np.float32
        weights = {"w": normal(*shape, dtype=dtype)}
        channels = shape[0] if op == "Conv" else shape[1]
        if bias:
            weights["b"] = normal(more.pop("bias_size", channels), dtype=dtype)
        pattern(identity, name, f"({kind}[{dims}] x) => (z) {{ r = Add(x, x)\n m = {op}<{attributes}>(r, "
                f"w{', b' if bias else ''})\n z = Add(m, m) }}",
                weights, **more)

    three = lambda name, attributes, shape=(4, 3, 2, 2, 2), dims="1,3,7,7,7", **more: conv(
        "conv-dilated", name, "Conv", dims, shape, attributes, **more)
    three("depth", "dilations=[2,1,1]")
    three("depth-kernel-shape", "kernel_shape=[2,2,2], dilations=[2,1,1]")
    three("depth3", "dilations=[3,1,1], pads=[1,0,0,1,0,0]")
    three("all", "dilations=[2,2,2]")
    three("pads-strides", "dilations=[2,1,2], strides=[2,1,2], pads=[2,1,1,1,1,0]")
    three("no-bias", "dilations=[2,1,1]", bias=False)
    three("one-channel", "dilations=[2,1,1]", (4, 1, 2, 2, 2), "1,1,7,7,7", equality="bits", applies=None)
    three("groups", "dilations=[2,1,1], group=3", (3, 1, 2, 2, 2))
    three("fp16", "dilations=[2,1,1]", kind="float16", applies=None)
    three("default-class", "dilations=[2,1,1]", equality="bits", applies=False)
    three("not-dilated", "dilations=[1,1,1]", applies=False)
    text = "(float[1,3,7,7,7] x) => (z) { r = Add(x, x)\n m = Conv<dilations=[2,1,1]>(r, w)\n n = Conv<dilations=[1,1,1]>(r, w)\n k = Add(m, c)\n z = ReduceMean<axes=[2,3,4]>(n)\n y = Add(z, c) }"
    pattern("conv-dilated", "shared-weight", text.replace("=> (z)", "=> (y, k)"),
            {"w": normal(4, 3, 2, 2, 2), "c": np.float32(1)})
    pattern("conv-dilated", "runtime-weight",
            "(float[1,3,7,7,7] x, float[4,3,2,2,2] w) => (z) { r = Add(x, x)\n m = Conv<dilations=[2,1,1]>(r, w)\n z "
            "= Add(m, m) }",
            applies=False)
    two = lambda name, attributes, shape=(3, 4, 3, 3), dims="1,3,6,6", **more: conv(
        "convtranspose-dilated", name, "ConvTranspose", dims, shape, attributes, **more)
    two("plain", "dilations=[2,2]")
    two("kernel-shape", "kernel_shape=[3,3], dilations=[2,1]")
    two("strides-pads", "dilations=[2,2], strides=[2,2], pads=[1,2,1,0], output_padding=[1,1]")
    two("group", "dilations=[2,2], group=3", (3, 2, 3, 3), bias=False)
    two("no-bias", "dilations=[1,3]", bias=False)
    two("rank3", "dilations=[2]", (3, 4, 3), "1,3,6", applies=None)
    two("auto-pad", 'dilations=[2,2], auto_pad="SAME_UPPER", strides=[2,2]', applies=None)
    two("output-shape", "dilations=[2,2], output_shape=[10,10]", applies=None)
    pattern("convtranspose-dilated", "runtime-weight",
            "(float[1,3,6,6] x, float[3,4,3,3] w) => (z) { r = Add(x, x)\n m = ConvTranspose<dilations=[2,2]>(r, "
            "w)\n z = Add(m, m) }",
            applies=False)
    two("not-dilated", "dilations=[1,1]", applies=False)


def average_pools():
    def one(name, attributes, dims="1,3,8,8", **more):
        unary("averagepool-dilated", name, f"m = AveragePool<{attributes}>(r)", dims, opset=more.pop("opset", 19),
              **more)

    one("plain", "kernel_shape=[2,2], dilations=[2,2]")
    one("strides", "kernel_shape=[3,2], dilations=[2,1], strides=[2,2]")
    one("pads-counted", "kernel_shape=[3,3], dilations=[2,2], pads=[1,1,1,1], count_include_pad=1")
    one("pads-not-counted", "kernel_shape=[3,3], dilations=[2,2], pads=[1,1,1,1]", applies=False)
    one("ceil", "kernel_shape=[2,2], dilations=[2,2], strides=[2,2], ceil_mode=1", applies=False)
    one("auto-pad", 'kernel_shape=[2,2], dilations=[2,2], auto_pad="SAME_UPPER"', applies=False)
    one("not-dilated", "kernel_shape=[2,2], dilations=[1,1]", applies=False)
    one("default-class", "kernel_shape=[2,2], dilations=[2,2]", equality="bits", applies=False)
    one("fp16", "kernel_shape=[2,2], dilations=[2,2]", kind="float16", applies=None)


def gemms():
    def one(name, attributes, c=(5,), kind="float", inner=4, **more):
        dtype = {"float": np.float32, "double": np.float64, "float16": np.float16}[kind]
        weights = {"w": normal(inner, 5, dtype=dtype)}
        if c is not None:
            weights["c"] = normal(*c, dtype=dtype)
        if "transB=1" in attributes:
            weights["w"] = weights["w"].T.copy()
        dims = f"{inner},3" if "transA=1" in attributes else f"3,{inner}"
        pattern("gemm-scale", name, f"({kind}[{dims}] x) => (z) {{ r = Add(x, x)\n m = Gemm<{attributes}>(r, "
                f"w{', c' if c is not None else ''})\n z = Add(m, m) }}",
                weights, **more)

    one("alpha", "alpha=0.3")
    one("beta", "beta=0.7")
    one("both", "alpha=0.3, beta=0.7")
    one("power-of-two", "alpha=0.5, beta=2.0", equality="bits")
    one("transposed", "alpha=0.3, transA=1, transB=1")
    one("beta0", "alpha=0.3, beta=0.0")
    one("beta0-infinite", "alpha=0.5, beta=0.0", equality="bits")
    one("no-c", "alpha=0.3", c=None)
    one("c-scalar", "beta=0.7", c=())
    one("c-column", "beta=0.7", c=(3, 1))
    one("c-matrix", "beta=0.7", c=(3, 5))
    one("inner512", "alpha=0.3, beta=0.7", inner=512)
    one("fp16", "alpha=0.3, beta=0.7", kind="float16", applies=None)
    one("double", "alpha=0.3, beta=0.7", kind="double", applies=None)
    one("default-class", "alpha=0.3", equality="bits", applies=False)
    one("plain", "alpha=1.0, beta=1.0", applies=False)
    pattern("gemm-scale", "c-nan-beta0",
            "(float[3,4] x, float[5] c) => (z) { r = Add(x, x)\n m = Gemm<beta=0.0>(r, w, c)\n z = Add(m, m) }",
            {"w": normal(4, 5)}, feeds={"c": "special"}, applies=None)


# ---- padding, Clip, CumSum, Resize -------------------------------------------------------------------------------


def pads():
    def one(identity, name, line, dims="2,3,4,5", kind="float", weights=None, **more):
        unary(identity, name, line, dims, kind, weights=weights, opset=more.pop("opset", 18), **more)

    for mode in ("constant", "reflect", "edge", "wrap"):
        one("pad-axes", mode, f'm = Pad<mode="{mode}">(r, p, "", a)', weights={"p": ints(1, 2, 2, 1), "a": ints(2, 3)},
            opset=19, applies=None if mode == "wrap" else True, options=["--not", "pad-wrap"] if mode == "wrap" else [])
    one("pad-axes", "value", "m = Pad(r, p, v, a)", weights={"p": ints(1, 1), "a": ints(3), "v": np.float32(2.5)})
    one("pad-axes", "negative-axes", 'm = Pad(r, p, "", a)', weights={"p": ints(1, 2, 0, 3), "a": ints(-1, -3)})
    one("pad-axes", "unordered", 'm = Pad(r, p, "", a)', weights={"p": ints(1, 2, 3, 4), "a": ints(3, 0)})
    one("pad-axes", "negative-pads", 'm = Pad(r, p, "", a)', weights={"p": ints(-1, 2, 1, -2), "a": ints(2, 3)})
    for kind in ("int32", "float16"):
        one("pad-axes", kind, 'm = Pad(r, p, "", a)', kind=kind, weights={"p": ints(1, 1), "a": ints(1)}, applies=None)
    for kind in ("int64", "uint8", "bool", "double"):
        pattern("pad-axes", kind, f'({kind}[2,3] x) => (z) {{ z = Pad(x, p, "", a) }}', {"p": ints(1, 1), "a": ints(1)},
                opset=18,
                applies=None)
    pattern("pad-axes", "runtime-pads",
            '(float[2,3,4,5] x, int64[2] p) => (z) { r = Add(x, x)\n m = Pad(r, p, "", a)\n z = Add(m, m) }',
            {"a": ints(1)}, opset=18, feeds={"p": "value:1"}, applies=False)
    pattern("pad-axes", "runtime-axes",
            '(float[2,3,4,5] x, int64[1] a) => (z) { r = Add(x, x)\n m = Pad(r, p, "", a)\n z = Add(m, m) }',
            {"p": ints(1, 1)}, opset=18, feeds={"a": "value:2"}, applies=False)
    one("pad-axes", "none", "m = Pad(r, p)", weights={"p": ints(0, 0, 1, 1, 0, 0, 1, 1)}, applies=False)
    wrap = 'm = Pad<mode="wrap">(r, p)'
    one("pad-wrap", "two-axes", wrap, weights={"p": ints(0, 0, 1, 2, 0, 0, 2, 1)}, opset=19)
    one("pad-wrap", "begin", wrap, weights={"p": ints(0, 0, 3, 0, 0, 0, 0, 0)}, opset=19)
    one("pad-wrap", "end", wrap, weights={"p": ints(0, 0, 0, 0, 0, 0, 0, 4)}, opset=19)
    one("pad-wrap", "whole", wrap, weights={"p": ints(0, 0, 4, 5, 0, 0, 4, 5)}, opset=19, applies=None)
    one("pad-wrap", "longer", wrap, weights={"p": ints(0, 0, 7, 0, 0, 0, 9, 0)}, opset=19, applies=None)
    one("pad-wrap", "negative", wrap, weights={"p": ints(0, 0, -1, 2, 0, 0, 2, -1)}, opset=19, applies=None)
    one("pad-wrap", "axes", 'm = Pad<mode="wrap">(r, p, "", a)', weights={"p": ints(1, 1), "a": ints(-2)}, opset=19,
        applies=None)
    one("pad-wrap", "int32", wrap, kind="int32", weights={"p": ints(0, 0, 1, 2, 0, 0, 2, 1)}, opset=19, applies=None)
    pattern("pad-wrap", "runtime", '(float[2,3,4,5] x, int64[8] p) => (z) { r = Add(x, x)\n m = Pad<mode="wrap">(r, '
            'p)\n z = Add(m, m) }',
            opset=19, feeds={"p": "value:1"}, applies=False)


def clips():
    def one(name, line, inputs="", kind="float", **more):
        pattern("clip", name, f"({kind}[2,8] x{inputs}) => (z) {{ r = Add(x, x)\n m = {line}\n z = Add(m, m) }}",
                **more)

    one("both", "Clip(r, lo, hi)", ", float lo, float hi", feeds={"x": "special"})
    one("lo-above-hi", "Clip(r, lo, hi)", ", float lo, float hi",
        feeds={"lo": "value:2", "hi": "value:-1", "x": "special"})
    one("nan", "Clip(r, lo, hi)", ", float lo, float hi", feeds={"*": "special"}, applies=None)
    one("low", "Clip(r, lo)", ", float lo")
    one("high", 'Clip(r, "", hi)', ", float hi")
    one("one-constant", "Clip(r, lo, hi)", ", float hi", weights={"lo": np.float32(-0.5)}, feeds={"x": "special"})
    one("int32", "Clip(r, lo, hi)", ", int32 lo, int32 hi", "int32",
        feeds={"x": "special", "hi": "value:5", "lo": "value:-5"}, applies=None)
    one("fp16", "Clip(r, lo, hi)", ", float16 lo, float16 hi", "float16", applies=None)
    one("constant", "Clip(r, lo, hi)", weights={"lo": np.float32(-0.5), "hi": np.float32(0.5)}, applies=False)
    one("opset11", "Clip(r, lo, hi)", ", float lo, float hi", opset=11, applies=None)


def cum_sums():
    for name, attributes, dims, axis in (("exclusive", "exclusive=1", "2,8", 1), ("reverse", "reverse=1", "2,8", -1),
                                         ("both", "exclusive=1, reverse=1", "2,8", 1),
                                         ("mid-axis", "exclusive=1", "2,4,3", 1),
                                         ("first-axis", "reverse=1", "4,2,3", 0), ("vector", "reverse=1", "9", 0),
                                         ("rank4", "exclusive=1", "2,2,3,4", 3)):
        unary("cumsum", name, f"m = CumSum<{attributes}>(r, a)", dims, weights={"a": np.int64(axis)},
              applies=None if name == "vector" else True)
    unary("cumsum", "axis-rank1", "m = CumSum<exclusive=1>(r, a)", "2,8", weights={"a": ints(1)}, applies=None)
    unary("cumsum", "axis-int32", "m = CumSum<exclusive=1>(r, a)", "2,8", weights={"a": np.int32(1)})
    unary("cumsum", "default-class", "m = CumSum<exclusive=1>(r, a)", "2,8", weights={"a": np.int64(1)},
          equality="bits", applies=False)
    unary("cumsum", "plain", "m = CumSum(r, a)", "2,8", weights={"a": np.int64(1)}, applies=False)
    unary("cumsum", "int32", "m = CumSum<exclusive=1>(r, a)", "2,8", "int32", weights={"a": np.int64(1)}, applies=False)
    pattern("cumsum", "runtime-axis",
            "(float[2,8] x, int32 a) => (z) { r = Add(x, x)\n m = CumSum<exclusive=1>(r, a)\n z = Add(m, m) }",
            feeds={"a": "value:1"}, applies=False)


def resizes():
    def one(identity, name, attributes, dims, scales=None, sizes=None, opset=18, kind="float", **more):
        weights = {"s": np.array(scales, np.float32)} if scales else {"n": ints(*sizes)}
        operands = 'r, "", s' if scales else 'r, "", "", n'
        unary(identity, name, f"m = Resize<{attributes}>({operands})", dims, kind, weights=weights, opset=opset,
              override=1, **more)

    nhwc = lambda name, attributes, scales=None, **more: one("resize-nhwc", name, attributes, "1,4,6,3", scales, **more)
    nhwc("nearest", 'mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"', (1, 2, 2, 1))
    nhwc("linear", 'mode="linear"', (1, 2, 2, 1))
    nhwc("linear-opset13", 'mode="linear", coordinate_transformation_mode="align_corners"', (1, 2, 3, 1), opset=13)
    nhwc("sizes", 'mode="linear", coordinate_transformation_mode="half_pixel"', sizes=(1, 7, 9, 3))
    nhwc("one-axis", 'mode="nearest"', (1, 1, 2, 1), applies=None)
    nhwc("cubic", 'mode="cubic"', (1, 2, 2, 1), applies=None)
    nhwc("nchw-too", 'mode="nearest"', (1, 2, 2, 2), applies=False)
    nhwc("axes", 'mode="nearest", axes=[1,2]', (2, 2), applies=None)
    one("resize-nhwc", "nchw", 'mode="nearest"', "1,3,4,6", (1, 1, 2, 2), applies=False)
    pattern("resize-nhwc", "runtime-scales",
            '(float[1,4,6,3] x, float[4] s) => (z) { r = Add(x, x)\n m = Resize(r, "", s)\n z = Abs(m) }',
            feeds={"s": "value:1"}, applies=False)
    anti = lambda name, attributes, scales=None, **more: one("resize-antialias", name,
                                                             f'mode="linear", antialias=1{attributes}', "1,3,8,10",
                                                            scales, **more)
    anti("half", "", (1, 1, 0.5, 0.5))
    anti("no-integer", "", (1, 1, 0.6, 0.7))
    anti("sizes", "", sizes=(1, 3, 5, 3))
    anti("up", "", (1, 1, 2, 1.5))
    anti("one-axis", "", (1, 1, 0.5, 1))
    anti("exclude-outside", ", exclude_outside=1", (1, 1, 0.5, 0.4))
    for mode in ("asymmetric", "align_corners", "pytorch_half_pixel", "half_pixel_symmetric"):
        anti(mode, f', coordinate_transformation_mode="{mode}"', (1, 1, 0.5, 0.4))
    anti("fp16", "", (1, 1, 0.5, 0.5), kind="float16", applies=None)
    anti("axes", ", axes=[2,3]", (0.5, 0.5), applies=None)
    anti("default-class", "", (1, 1, 0.5, 0.5), equality="bits", applies=False)
    anti("keep-ratio", ', keep_aspect_ratio_policy="not_larger", axes=[2,3]', sizes=(5, 5), applies=None)
    one("resize-antialias", "cubic", 'mode="cubic", antialias=1', "1,3,8,10", (1, 1, 0.5, 0.5), applies=False)
    pattern("resize-antialias", "uint8",
            '(uint8[1,3,8,10] x) => (z) { z = Resize<mode="linear", antialias=1>(x, "", s) }',
            {"s": np.array([1, 1, 0.5, 0.5], np.float32)}, opset=18, applies=False)


def col2im():
    def one(name, dims, image, block, attributes="", **more):
        unary("col2im", name, f"m = Col2Im{attributes}(r, i, k)", dims, weights={"i": ints(*image), "k": ints(*block)},
              opset=18, **more)

    one("plain", "2,8,6", (4, 6), (2, 2), "<strides=[2,2]>")
    one("uneven", "1,18,6", (4, 9), (2, 3), "<strides=[2,3]>")
    one("batch1", "1,12,4", (4, 4), (2, 2), "<strides=[2,2]>")
    one("default-attributes", "2,3,16", (4, 4), (1, 1), applies=None)
    one("overlap", "2,4,9", (4, 4), (2, 2), applies=False)
    one("gaps", "2,4,4", (5, 5), (2, 2), "<strides=[3,3]>", applies=False)
    one("pads", "2,4,9", (4, 4), (2, 2), "<strides=[2,2], pads=[1,1,1,1]>", applies=False)
    one("dilated", "2,4,1", (3, 3), (2, 2), "<strides=[2,2], dilations=[2,2]>", applies=False)
    one("remainder", "2,4,4", (5, 5), (2, 2), "<strides=[2,2]>", applies=False)
    one("rank3-image", "2,8,8", (4, 4, 4), (2, 2, 2), "<strides=[2,2,2]>", applies=None)


# ---- reductions and functions ------------------------------------------------------------------------------------


def reductions():
    for op, target in (("ReduceL1", HEXAGON), ("ReduceL2", COREML), ("ReduceSumSquare", HEXAGON),
                       ("ReduceLogSum", HEXAGON), ("ReduceLogSumExp", XDNA)):
        more = {"target": target, "feeds": {"*": "positive"} if op == "ReduceLogSum" else {}}
        name = op[6:].lower()
        unary("reduce-composite", name, f"m = {op}<axes=[1]>(r)", "2,4,5", **more)
        unary("reduce-composite", f"{name}-no-keep", f"m = {op}<axes=[-1], keepdims=0>(r)", "2,4,5", **more)
        unary("reduce-composite", f"{name}-all", f"m = {op}(r)", "2,4,5", **more, applies=None)
        unary("reduce-composite", f"{name}-18", f"m = {op}(r, a)", "2,4,5", opset=18, weights={"a": ints(0, 2)},
              **more)
        unary("reduce-composite", f"{name}-18-none", f"m = {op}<noop_with_empty_axes=1>(r)", "2,4,5", opset=18,
              **more, applies=None)
        unary("reduce-composite", f"{name}-11", f"m = {op}<axes=[2]>(r)", "2,4,5", opset=11, **more, applies=None)
        unary("reduce-composite", f"{name}-default-class", f"m = {op}<axes=[1]>(r)", "2,4,5", **more,
              equality="bits", applies=False)
        pattern("reduce-composite", f"{name}-runtime-axes",
                f"(float[2,4,5] x, int64[1] a) => (z) {{ r = Add(x, x)\n m = {op}(r, a)\n z = Add(m, m) }}",
                opset=18, target=target, feeds={**more["feeds"], "a": "value:1"}, applies=False)
    for size in (1, 2, 7, 16):
        unary("reduce-prod", f"size{size}", "m = ReduceProd<axes=[1]>(r)", f"2,{size},3",
              feeds={"*": "special"} if size == 7 else {},
              is_varied=size == 7, applies=None if size == 1 else True)
    unary("reduce-prod", "no-keep", "m = ReduceProd<axes=[-1], keepdims=0>(r)", "2,3,6")
    unary("reduce-prod", "opset18", "m = ReduceProd(r, a)", "2,3,6", opset=18, weights={"a": ints(2)})
    unary("reduce-prod", "middle", "m = ReduceProd<axes=[1], keepdims=0>(r)", "3,5,2")
    unary("reduce-prod", "opset11", "m = ReduceProd<axes=[1]>(r)", "3,5,2", opset=11, applies=None)
    unary("reduce-prod", "size17", "m = ReduceProd<axes=[1]>(r)", "2,17,3", applies=False)
    unary("reduce-prod", "two-axes", "m = ReduceProd<axes=[0,1]>(r)", "2,3,4", applies=False)
    unary("reduce-prod", "all", "m = ReduceProd(r)", "2,3", applies=False)
    unary("reduce-prod", "vector-all", "m = ReduceProd<keepdims=0>(r)", "6", applies=None)
    for axis in (1, -1, 0):
        pattern("argmax-last", f"axis{axis}",
                f"(float[2,6,4] x) => (z) {{ r = Add(x, x)\n m = ArgMax<axis={axis}, select_last_index=1>(r)\n f = "
                f"Cast<to=1>(m)\n z = Add(f, r0) }}",
                {"r0": np.float32(1)}, feeds={"x": "below:3"})
    ties = "(float[3,9] x) => (z) { r = Round(x)\n m = ArgMax<axis=1, select_last_index=1, keepdims=KEEP>(r)\n f = Cast<to=1>(m)\n z = Add(f, f) }"
    pattern("argmax-last", "ties", ties.replace("KEEP", "1"))
    pattern("argmax-last", "no-keep", ties.replace("KEEP", "0"))
    pattern("argmax-last", "nan", ties.replace("KEEP", "1"), feeds={"*": "special"}, applies=None)
    pattern("argmax-last", "argmin", ties.replace("ArgMax", "ArgMin").replace("KEEP", "1"), applies=None)
    pattern("argmax-last", "result-is-output",
            "(float[3,9] x) => (m) { r = Round(x)\n m = ArgMax<select_last_index=1>(r) }", applies=None)
    pattern("argmax-last", "first", ties.replace("select_last_index=1", "select_last_index=0").replace("KEEP", "1"),
            applies=False)
    pattern("argmax-last", "dynamic",
            '(float[2,"n"] x) => (z) { m = ArgMax<axis=1, select_last_index=1>(x)\n z = Cast<to=1>(m) }', applies=False,
            dims={"n": 5}, is_varied=False)


def functions():
    for name, attributes in (("alpha", "<alpha=0.7>"), ("default", ""), ("two", "<alpha=2.0>"),
                             ("negative", "<alpha=-0.5>")):
        unary("celu", name, f"m = Celu{attributes}(r)", "2,8", feeds={"*": "special"},
              applies=None if name == "negative" else True)
    for name, attributes in (("default", ""), ("bias", "<lambd=0.4, bias=0.2>"), ("zero", "<lambd=0.0>"),
                             ("negative", "<lambd=-0.5, bias=0.1>")):
        unary("shrink", name, f"m = Shrink{attributes}(r)", "2,8", feeds={"*": "special"}, applies=True)
    unary("shrink", "fp16", "m = Shrink<lambd=0.4, bias=0.2>(r)", "2,8", "float16", feeds={"*": "special"},
          applies=None)
    unary("shrink", "int32", "m = Shrink<lambd=2.0, bias=1.0>(r)", "2,8", "int32", applies=None)
    for name, attributes in (("default", ""), ("both", "<alpha=0.7, gamma=1.5>"), ("negative", "<alpha=-0.5>")):
        unary("selu", name, f"m = Selu{attributes}(r)", "2,8", target=WEBNN, feeds={"*": "special"})
    unary("selu", "fp16", "m = Selu(r)", "2,8", "float16", target=WEBNN, applies=None)
    unary("selu", "default-class", "m = Selu(r)", "2,8", target=WEBNN, equality="bits", applies=False)
    unary("mish", "plain", "m = Mish(r)", "2,8", opset=18, target=WEBNN)
    unary("mish", "special", "m = Mish(r)", "2,8", opset=18, target=WEBNN, feeds={"*": "special"}, applies=None)
    for kind in ("float", "float16"):
        for feeds in ("normal", "special"):
            more = {"kind": kind, "feeds": {} if feeds == "normal" else {"*": feeds},
                    "applies": None if kind == "float16" else True}
            name = f"{kind}-{feeds}"
            unary("gelu", name, "m = Gelu(r)", "3,37", opset=20, target=XDNA, **more)
            unary("gelu", f"tanh-{name}", 'm = Gelu<approximate="tanh">(r)', "3,37", opset=20, target=XDNA, **more)
            unary("gelu-div", name, "m = Gelu(r)", "3,37", opset=20, target=XDNA, **more)
            unary("hardswish", name, "m = HardSwish(r)", "3,37", opset=14, target=XDNA, **more)
            for identity in ("hardsigmoid", "hardsigmoid-relu6"):
                target = NNAPI if identity.endswith("relu6") else DLA
                unary(identity, name, "m = HardSigmoid<alpha=0.16666667163372>(r)", "1,3,4,37", opset=13,
                      **{**more, "target": target})
                unary(identity, f"swish-{name}", "m = HardSwish(r)", "1,3,4,37", opset=14, **{**more, "target": target})
    for name, kind in (("float", "float"), ("double", "double"), ("half", "float16")):
        for count in (2, 3, 4, 5):
            others = ", ".join("xyvw"[:count - 1] + "x" * (count > 5))
            unary("sum", f"{name}{count}", f"y = Neg(r)\n v = Exp(r)\n w = Abs(r)\n m = Sum(r, {others})", "1,3,4,37", kind,
                  target=RKNN, applies=name == "float" and count < 5 or None, feeds={"*": "special"})
        unary("neg", name, "m = Neg(r)", "1,3,4,37", kind, target=RKNN, applies=name == "float" or None,
              feeds={"*": "special"})
        unary("reciprocal", name, "m = Reciprocal(r)", "1,3,4,37", kind, target=RKNN, applies=name == "float" or None,
              feeds={"*": "special"})
    unary("sum", "broadcast", "m = Sum(r, a, b)", "1,3,4,37", target=RKNN, weights={"a": normal(4, 1), "b": normal(37)})
    unary("hardsigmoid", "beta", "m = HardSigmoid<alpha=0.3, beta=0.4>(r)", "1,3,4,37", opset=13, target=DLA)
    for name, line, weights in (
            ("concat", "m = Concat<axis=0>(r)", {}), ("max", "m = Max(r)", {}), ("cast", "m = Cast<to=1>(r)", {}),
            ("reshape", "m = Reshape(r, s)", {"s": ints(1, 3, 4, 1)}), ("transpose", "m = Transpose<perm=[3,1,2,0]>(r)", {}),
            ("slice", "m = Slice(r, s, e)", {"s": ints(0), "e": ints(9)}), ("pad", "m = Pad(r, p)", {"p": ints(*[0] * 8)}),
            ("dropout", "m = Dropout(r)", {})):
        unary("no-op", name, line, "1,3,4,1", opset=13, weights=weights, target=COREML, feeds={"*": "special"},
              applies=None)
    unary("no-op", "backwards", "m = Slice(r, s, e, a, k)", "1,3,4,1", opset=13, target=COREML,
          weights={"s": ints(-1), "e": ints(-9), "a": ints(1), "k": ints(-1)}, applies=False)
    unary("gelu", "ms", "m = com.microsoft.Gelu(r)", "3,37", target=XDNA)
    unary("gelu", "ms-bias", "m = com.microsoft.BiasGelu(r, b)", "3,37", weights={"b": normal(37)}, target=XDNA)
    unary("gelu", "default-class", "m = Gelu(r)", "2,8", opset=20, target=XDNA, equality="bits")
    unary("hardsigmoid-relu6", "default-class", "m = HardSwish(r)", "1,3,4,8", opset=14, target=NNAPI, equality="bits",
          applies=False)
    for name, attributes in (("default", ""), ("zero", "<alpha=0.0>"), ("negative", "<alpha=-0.5>")):
        unary("thresholdedrelu", name, f"m = ThresholdedRelu{attributes}(r)", "2,8", target=WEBNN,
              feeds={"*": "special"})
    unary("softsign", "plain", "m = Softsign(r)", "2,8")
    unary("softsign", "fp16", "m = Softsign(r)", "2,8", "float16", applies=None)
    unary("softsign", "infinite", "m = Softsign(r)", "2,8", feeds={"*": "special"}, applies=None)
    unary("softsign", "default-class", "m = Softsign(r)", "2,8", equality="bits", applies=False)
    pattern("mod-fmod", "plain", "(float[2,8] x, float[2,8] y) => (z) { r = Add(x, x)\n m = Mod<fmod=1>(r, y)\n z = "
            "Add(m, m) }", feeds={"y": "value:1.7"})
    pattern("mod-fmod", "negative",
            "(float[2,8] x, float[2,8] y) => (z) { r = Add(x, x)\n m = Mod<fmod=1>(r, y)\n z = Add(m, m) }",
            feeds={"y": "value:-1.7"})
    pattern("mod-fmod", "default-class",
            "(float[2,8] x, float[2,8] y) => (z) { r = Add(x, x)\n m = Mod<fmod=1>(r, y)\n z = Add(m, m) }",
            feeds={"y": "value:1.7"}, equality="bits", applies=False)
    pattern("mod-fmod", "int32", "(int32[2,8] x, int32[2,8] y) => (z) { r = Add(x, x)\n m = Mod<fmod=1>(r, y)\n z = "
            "Add(m, m) }",
            feeds={"y": "value:3"}, applies=False)
    for name, dims, attributes, applies in (("rank4", "2,3,4,8", "", True), ("axis3", "2,3,4,8", "<axis=3>", None),
                                            ("rank3", "2,4,8", "", False),
                                            ("axis1", "2,3,4,8", "<axis=1>", False)):
        for opset in (13, 17):
            unary("logsoftmax", f"{name}-{opset}", f"m = LogSoftmax{attributes}(r)", dims, target=INTEL, opset=opset,
                  applies=applies)
    unary("logsoftmax", "infinite", "m = LogSoftmax(r)", "2,3,4,8", target=INTEL, feeds={"*": "rowinf"}, applies=None)
    unary("logsoftmax", "flattens-11", "m = LogSoftmax(r)", "2,3,4,8", target=INTEL, opset=11, applies=False)
    unary("logsoftmax", "axis3-11", "m = LogSoftmax<axis=3>(r)", "2,3,4,8", target=INTEL, opset=11, applies=None)
    unary("logsoftmax", "default-class", "m = LogSoftmax(r)", "2,3,4,8", target=INTEL, equality="bits", applies=False)
    half = "r = Mul(x, h)\n m = OP(r)\n z = Add(m, m)"
    for op in ("Sinh", "Cosh", "Tan", "Asinh", "Acosh", "Atanh", "Asin", "Acos"):
        kind, lines = ("positive", "r = Add(x, h)") if op == "Acosh" else ("unit", "r = Mul(x, h)")
        text = f"(float[2,8] x) => (z) {{ {half.replace('OP', op).replace('r = Mul(x, h)', lines)} }}"
        pattern("trig", op.lower(), text, {"h": np.float32(1.1 if op == "Acosh" else 0.9)}, feeds={"*": kind},
                target=COREML if op == "Tan" else HEXAGON)
        pattern("trig", f"{op.lower()}-default-class", text, {"h": np.float32(1.1 if op == "Acosh" else 0.9)},
                feeds={"*": kind}, equality="bits",
                applies=False)


# ---- quantized forms ---------------------------------------------------------------------------------------------


def codes(*dims, low=0, high=255, dtype=np.uint8):
    return (np.arange(int(np.prod(dims))).reshape(dims) * 37 % (high - low) + low).astype(dtype)


def tables():
    text = "(int64[2,4] i) => (z) { g = Gather(t, i)\n d = DequantizeLinear(g, s, p)\n z = Add(d, d) }"
    weights = {"t": codes(16, 8), "s": np.float32(0.02), "p": np.uint8(128)}
    feeds = {"i": "below:16"}
    pattern("gather-dequantize", "uint8", text, weights, feeds=feeds)
    pattern("gather-dequantize", "no-zero-point", text.replace(", p)", ")"), {k: weights[k] for k in "ts"}, feeds=feeds)
    pattern("gather-dequantize", "int8", text,
            {"t": codes(16, 8, low=-128, high=127, dtype=np.int8), "s": np.float32(0.02), "p": np.int8(3)},
            feeds=feeds, applies=None)
    pattern("gather-dequantize", "axis1", text.replace("Gather(t", "Gather<axis=1>(t"), weights, feeds={"i": "below:8"},
            applies=None)
    pattern("gather-dequantize", "two-readers", text.replace("z = Add(d, d)", "c = Cast<to=1>(g)\n z = Add(d, c)"),
            weights, feeds=feeds, applies=False)
    pattern("gather-dequantize", "per-row", text.replace("(g, s, p)", "<axis=2>(g, s, p)"),
            {**weights, "s": np.abs(normal(8)) + np.float32(0.01), "p": codes(8)},
            feeds=feeds, applies=None)
    pattern("gather-dequantize", "runtime-scale", text.replace("i) =>", "i, float s) =>"),
            {k: weights[k] for k in "tp"}, feeds={**feeds, "s": "positive"},
            applies=None)
    pattern("gather-dequantize", "runtime-codes", text.replace("i) =>", "i, uint8[16,8] t) =>"),
            {k: weights[k] for k in "sp"}, feeds=feeds, applies=None)


def quantized():
    q = {"xs": np.float32(0.02), "xz": np.uint8(120), "ws": np.float32(0.01), "wz": np.uint8(128),
         "ys": np.float32(0.05), "yz": np.uint8(110)}
    edges = lambda lines, last: f"a = QuantizeLinear(x, xs, xz)\n {lines}\n z = DequantizeLinear({last}, ys, yz)"

    def one(name, dims, lines, weights=None, last="m", inputs="", **more):
        pattern("qoperator", name, f"(float[{dims}] x{inputs}) => (z) {{ {edges(lines, last)} }}",
                {**q, **(weights or {})}, **more)

    conv = {"w": codes(4, 3, 3, 3), "b": (np.arange(4) * 50 - 70).astype(np.int32)}
    one("conv", "1,3,6,6", "m = QLinearConv(a, xs, xz, w, ws, wz, ys, yz, b)", conv, applies=None)
    one("conv-no-bias", "1,3,6,6", "m = QLinearConv<pads=[1,1,1,1]>(a, xs, xz, w, ws, wz, ys, yz)", conv, applies=None)
    per = {"w": codes(4, 3, 3, 3, low=-127, high=127, dtype=np.int8),
           "ws": (np.abs(normal(4)) * 0.02 + 0.01).astype(np.float32), "wz": np.zeros(4, np.int8)}
    one("conv-per-channel", "1,3,6,6", "m = QLinearConv<strides=[2,2]>(a, xs, xz, w, ws, wz, ys, yz, b)",
        {**conv, **per}, applies=None)
    add = "m = com.microsoft.QLinearAdd(a, xs, xz, a, xs, xz, ys, yz)"
    one("add", "2,8", add)
    one("matmul", "2,8", "m = QLinearMatMul(a, xs, xz, w, ws, wz, ys, yz)", {"w": codes(8, 5)},
        applies=None)
    one("pool", "1,3,6,6", "m = com.microsoft.QLinearGlobalAveragePool(a, xs, xz, ys, yz)")
    one("pool-channels-last", "1,6,6,3",
        "m = com.microsoft.QLinearGlobalAveragePool<channels_last=1>(a, xs, xz, ys, yz)", applies=None)
    one("gemm", "2,8", "m = com.microsoft.QGemm(a, xs, xz, w, ws, wz, b, ys, yz)", {"w": codes(8, 4), "b": conv["b"]})
    one("gemm-alpha", "2,8", "m = com.microsoft.QGemm<alpha=0.5, transB=1>(a, xs, xz, w, ws, wz, b, ys, yz)",
        {"w": codes(4, 8), "b": conv["b"]}, applies=None)
    one("gemm-float", "2,8", "m0 = com.microsoft.QGemm(a, xs, xz, w, ws, wz, b)\n m = QuantizeLinear(m0, ys, yz)",
        {"w": codes(8, 4), "b": conv["b"]}, applies=None)
    one("max-pool", "1,3,6,6", "m0 = QLinearConv(a, xs, xz, w, ws, wz, ys, yz, b)\n m = MaxPool<kernel_shape=[2,2], "
        "strides=[2,2]>(m0)", conv)
    one("reshape", "1,3,6,6", "m0 = QLinearConv(a, xs, xz, w, ws, wz, ys, yz, b)\n m1 = "
        "com.microsoft.QLinearGlobalAveragePool(m0, ys, yz, ys, yz)\n m2 = Flatten(m1)\n "
        "m = com.microsoft.QGemm(m2, ys, yz, v, ws, wz, c, ys, yz)", {**conv, "v": codes(4, 4), "c": conv["b"]})
    one("residual", "1,3,6,6", "m0 = QLinearConv<pads=[1,1,1,1]>(a, xs, xz, w, ws, wz, ys, yz, b)\n m = "
        "com.microsoft.QLinearAdd(m0, ys, yz, a, xs, xz, ys, yz)",
        {"w": codes(3, 3, 3, 3), "b": conv["b"][:3]})
    soft = {"ys": np.float32(1 / 256), "yz": np.uint8(0)}
    one("softmax", "2,8", "m = com.microsoft.QLinearSoftmax<opset=13, axis=-1>(a, xs, xz, ys, yz)", soft)
    one("softmax-rank3", "2,3,8", "m = com.microsoft.QLinearSoftmax<opset=12, axis=2>(a, xs, xz, ys, yz)", soft)
    one("softmax-mid", "2,3,8", "m = com.microsoft.QLinearSoftmax<opset=13, axis=1>(a, xs, xz, ys, yz)", soft,
        applies=None)
    one("where", "2,8", "m = com.microsoft.QLinearWhere(c, a, xs, xz, a, xs, xz, ys, yz)", inputs=", bool[2,8] c",
        applies=None)
    one("default-class", "2,8", add, equality="bits", applies=False)
    one("runtime-scale", "2,8", "m = com.microsoft.QLinearAdd(a, s2, xz, a, xs, xz, ys, yz)", inputs=", float s2",
        feeds={"s2": "positive"}, applies=None)
    one("intel-add", "2,8", add, target=INTEL, applies=None)


for _make in (recurrent, convolutions, average_pools, gemms, pads, clips, cum_sums, resizes, col2im, reductions,
              functions, tables, quantized):
    _make()
