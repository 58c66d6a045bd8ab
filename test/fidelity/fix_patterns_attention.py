# SPDX-License-Identifier: Apache-2.0
"""Pattern models of rewrites of normalization, attention and the runtime's own fused operators; see fix_patterns.py."""
import numpy as np

from fix_pattern_model import HEXAGON, INTEL, OLD_INTEL, NNAPI, normal, pattern, unary


# ---- RMSNorm and Softmax as the exporters write them -------------------------------------------------------------


def mul_order():
    body = """p = Pow(x, two)\n v = ReduceMean<axes=[-1]>(p)\n a = Add(v, eps)\n s = Sqrt(a)\n q = Reciprocal(s)
        h = Mul(x, q)\n z = Mul(w, h)"""
    weights = {"two": np.float32(2), "eps": np.float32(1e-6)}

    def one(name, dims, lines=body, kind="float", applies=True, inputs="", **more):
        given = {**{key: value.astype(np.float16) if kind == "float16" else value for key, value in weights.items()},
                 **more.pop("weights", {})}
        pattern("mul-order", name, f"({kind}[{dims}] x{inputs}) => (z) {{ {lines} }}", given, applies=applies, **more)

    for dims in ("2,4,64", "1,1,1", "64", "2,64", "1,2,4,16"):
        last = int(dims.split(",")[-1])
        one(f"rank{dims.count(',') + 1}-{last}", dims, weights={"w": normal(last)})
    one("special", "2,4,64", weights={"w": normal(64)}, feeds={"*": "special"}, is_varied=False)
    axes = {"w": normal(64), "axes": np.array([-1])}
    one("opset18", "2,4,64", body.replace("ReduceMean<axes=[-1]>(p)", "ReduceMean(p, axes)"), weights=axes, opset=18)
    # Compiles, and then every row is multiplied with the first one of the weight.
    one("full-shape", "2,4,64", weights={"w": normal(2, 4, 64)}, applies=False)
    one("fp16-cast", "2,4,64", "w = Cast<to=1>(w16)\n" + body, weights={"w16": normal(64, dtype=np.float16)})
    one("weight-nan", "2,4,64", weights={"w": np.where(np.arange(64) == 3, np.nan, normal(64)).astype(np.float32)})
    one("weight-twice", "2,4,64", body + "\n y = Add(z, w)", weights={"w": normal(64)}, applies=True)
    one("weight-second", "2,4,64", body.replace("Mul(w, h)", "Mul(h, w)"), weights={"w": normal(64)}, applies=False)
    one("weight-is-input", "2,4,64", inputs=", float[64] w", applies=False)
    one("mul-r-x", "2,4,64", body.replace("Mul(x, q)", "Mul(q, x)"), weights={"w": normal(64)}, applies=False)
    one("mul-x-x", "2,4,64", body.replace("Pow(x, two)", "Mul(x, x)"), weights={"w": normal(64)}, applies=False)
    one("div", "2,4,64", body.replace("q = Reciprocal(s)\n        h = Mul(x, q)", "h = Div(x, s)"),
        weights={"w": normal(64)}, applies=False)
    one("fp16", "2,4,64", kind="float16", weights={"w": normal(64, dtype=np.float16), "eps": np.float16(1e-3)},
        applies=False)


def scale_softmax():
    text = "(float[D] x) => (z) { m = Mul(x, s)\n z = Softmax<axis=A>(m) }"
    for name, dims, axis in (("rank3", "2,3,4", 1), ("rank4-1", "1,8,16,32", 1), ("rank4-2", "1,8,16,32", 2),
                             ("rank2", "8,32", 0), ("negative", "2,3,4", -2)):
        pattern("scale-softmax", name, text.replace("[D]", f"[{dims}]").replace("axis=A", f"axis={axis}"),
                {"s": np.float32(0.125)}, feeds={"*": "special"})
    base = text.replace("[D]", "[2,3,4]").replace("axis=A", "axis=1")
    pattern("scale-softmax", "first-operand", base.replace("Mul(x, s)", "Mul(s, x)"), {"s": np.float32(0.3)})
    pattern("scale-softmax", "big", base, {"s": np.float32(2)}, feeds={"*": "big"})
    pattern("scale-softmax", "shared-scale", base.replace("z = Soft", "o = Add(x, s)\n y = Soft").replace(
        " }", "\n z = Add(y, o) }"), {"s": np.float32(0.3)})
    pattern("scale-softmax", "scale-as-scalar", base.replace("z = Soft", "o = Expand(s, d)\n y = Soft").replace(
        " }", "\n z = Add(y, o) }"), {"s": np.float32(0.3), "d": np.array([4])}, applies=None)
    for name, change in (("last-axis", ("axis=1", "axis=2")), ("div", ("Mul(x, s)", "Div(x, s)")),
                         ("mul-x-x", ("Mul(x, s)", "Mul(x, x)")),
                         ("two-readers", ("z = Soft", "t = Abs(m)\n z = Soft"))):
        more = {"is_varied": False}
        pattern("scale-softmax", name, base.replace(*change), {"s": np.float32(0.3)}, applies=False, **more)
    pattern("scale-softmax", "rank1-constant", base, {"s": np.array([0.3], np.float32)}, applies=False)
    pattern("scale-softmax", "output-too", base.replace("=> (z)", "=> (z, m)"), {"s": np.float32(0.3)}, applies=False)
    pattern("scale-softmax", "scale-is-input", base.replace("x) =>", "x, float s) =>"), applies=False)
    pattern("scale-softmax", "fp16", base.replace("float", "float16"), {"s": np.float16(0.3)}, applies=False)


# ---- Attention of the standard -----------------------------------------------------------------------------------


def attention(identity, name, shapes, *, kind="float", mask="bool[4,6]", attributes="", more_inputs="", outputs="y",
              lines="", **more):
    q, k, v = (f"{kind}[{dims}]" for dims in shapes)
    declared = f", {mask} m" if mask else ""
    text = f"""({q} a, {k} k, {v} v{declared}{more_inputs}) => (z, {outputs}) {{ {lines} q = Add(a, a)
        {outputs} = Attention<{attributes}>(q, k, v{', m' if mask or 'm =' in lines or 'm' in more.get('weights', {}) else ''}
        {more.pop('last', '')})\n z = Add(y, y) }}""".replace("Attention<>", "Attention")
    pattern(identity, name, text, opset=more.pop("opset", 23), ir_version=10, **more)


SHAPES = ("2,3,4,8", "2,3,6,8", "2,3,6,8")
WHOLE_ROWS = np.array([[1, 1, 1, 1, 1, 1], [0] * 6, [1, 0, 0, 0, 0, 0], [0, 1, 1, 0, 1, 0]], bool)


def float_mask():
    attention("attn-floatmask", "mask2d", SHAPES)
    attention("attn-floatmask", "mask4d", SHAPES, mask="bool[2,1,4,6]")
    attention("attn-floatmask", "heads-mask", SHAPES, mask="bool[2,3,4,6]")
    attention("attn-floatmask", "rows-masked", SHAPES, mask=None, weights={"m": WHOLE_ROWS})
    attention("attn-floatmask", "scale", SHAPES, attributes="scale=0.3")
    attention("attn-floatmask", "softcap", SHAPES, attributes="softcap=2.0")
    attention("attn-floatmask", "causal", ("2,3,6,8",) * 3, mask="bool[6,6]", attributes="is_causal=1")
    attention("attn-floatmask", "gqa", ("2,6,4,8", "2,3,6,8", "2,3,6,8"))
    attention("attn-floatmask", "rank3", ("2,4,24", "2,6,24", "2,6,24"), attributes="q_num_heads=3, kv_num_heads=3")
    attention("attn-floatmask", "past", SHAPES, mask="bool[4,11]", outputs="y, present_k, present_v",
              more_inputs=", float[2,3,5,8] pk, float[2,3,5,8] pv", last=", pk, pv")
    attention("attn-floatmask", "fp16", SHAPES, kind="float16")
    attention("attn-floatmask", "double", SHAPES, kind="double", applies=None)
    attention("attn-floatmask", "opset24", SHAPES, opset=24, applies=None)
    attention("attn-floatmask", "computed-mask", SHAPES, mask="float[4,6]", lines="mm = Abs(m)",
              applies=False)  # a float mask: nothing to do
    for mode in (0, 1, 3):
        attention("attn-floatmask", f"fourth-output-mode{mode}", SHAPES, attributes=f"qk_matmul_output_mode={mode}",
                  outputs='y, "", "", qk'.replace('"", "", qk', "k1, k2, qk"), applies=None,
                  more_inputs=", float[2,3,0,8] pk, float[2,3,0,8] pv", last=", pk, pv")
    attention("attn-floatmask", "fourth-output-mode2", SHAPES, attributes="qk_matmul_output_mode=2", applies=None,
              outputs="y, k1, k2, qk", more_inputs=", float[2,3,0,8] pk, float[2,3,0,8] pv", last=", pk, pv")


def attention_decomposed():
    one = lambda name, shapes=SHAPES, **more: attention("attn-decompose", name, shapes, target=OLD_INTEL, **more)
    one("mask2d")
    one("no-mask", mask=None)
    one("float-mask", mask="float[4,6]")
    one("mask4d", mask="bool[2,1,4,6]")
    one("rows-masked", mask=None, weights={"m": WHOLE_ROWS})
    one("infinite-mask", mask=None, weights={"m": np.where(WHOLE_ROWS, 0, -np.inf).astype(np.float32)})
    one("scale", attributes="scale=0.3")
    one("fp16", kind="float16", applies=None)
    one("other-value-size", ("2,3,4,8", "2,3,6,8", "2,3,6,5"))
    one("gqa", ("2,6,4,8", "2,3,6,8", "2,3,6,8"), applies=None)
    one("rank3", ("2,4,24", "2,6,24", "2,6,24"), attributes="q_num_heads=3, kv_num_heads=3", applies=None)
    one("softcap", attributes="softcap=2.0", applies=False)
    one("causal", ("2,3,6,8",) * 3, mask=None, attributes="is_causal=1", applies=False)
    one("softmax-precision", kind="float16", attributes="softmax_precision=1", applies=None)
    one("past", mask="bool[4,11]", outputs="y, present_k, present_v", applies=False,
        more_inputs=", float[2,3,5,8] pk, float[2,3,5,8] pv", last=", pk, pv")
    one("default-class", equality="bits", applies=False)


def rms():
    for name, dims, size in (("rank3", "2,4,8", "8"), ("rank4", "2,2,4,8", "8"), ("scalar-scale", "2,4,8", "1")):
        pattern("rms-decompose", name, f"(float[{dims}] x) => (z) {{ r = Add(x, x)\n m = RMSNormalization(r, w)\n z "
                f"= Add(m, m) }}",
                {"w": normal(int(size))}, opset=23, ir_version=10, target=INTEL)
    text = "(float[2,4,8] x) => (z) { r = Add(x, x)\n m = RMSNormalization<ATTR>(r, w)\n z = Add(m, m) }"
    attr = lambda words: text.replace("<ATTR>", f"<{words}>")
    more = {"opset": 23, "ir_version": 10, "target": INTEL}
    pattern("rms-decompose", "epsilon", attr("epsilon=0.01"), {"w": normal(8)}, **more)
    pattern("rms-decompose", "axis2", attr("axis=2"), {"w": normal(8)}, **more)
    pattern("rms-decompose", "axis1", attr("axis=1"), {"w": normal(4, 8)}, applies=None, **more)
    pattern("rms-decompose", "axis1-broadcast", attr("axis=1"), {"w": normal(8)}, applies=None, **more)
    pattern("rms-decompose", "fp16", attr("axis=-1").replace("float[", "float16["), {"w": normal(8, dtype=np.float16)},
            applies=None, **more)
    pattern("rms-decompose", "fp16-stash-fp16", attr("stash_type=10").replace("float[", "float16["),
            {"w": normal(8, dtype=np.float16)}, applies=None, **more)
    pattern("rms-decompose", "double", attr("axis=-1").replace("float[", "double["), {"w": normal(8, dtype=np.float64)},
            applies=None, **more)
    pattern("rms-decompose", "default-class", attr("axis=-1"), {"w": normal(8)}, applies=False, equality="bits", **more)
    pattern("rms-decompose", "runtime-scale", attr("axis=-1").replace(") =>", ", float[8] w) =>"), **more)


# ---- what ONNX Runtime's own optimizer writes --------------------------------------------------------------------


def unfuse(name, text, weights=None, **more):
    for opset in more.pop("opsets", (17,)):
        pattern("unfuse", f"{name}-{opset}", text, weights, opset=opset, target=more.get("target", HEXAGON),
                **{key: value for key, value in more.items() if key != "target"})


def skip_norms():
    both = (14, 17)
    layer = {"g": normal(8), "b": normal(8), "bias": normal(8)}
    head = "(float[2,4,8] x, float[2,4,8] y) => (z) { r = Add(x, x)\n "
    for kind, name in (("SkipLayerNormalization", "skip"), ("SkipSimplifiedLayerNormalization", "skip-rms")):
        beta = ", b" if name == "skip" else ""
        unfuse(name, f"{head} m = com.microsoft.{kind}<epsilon=0.001>(r, y, g{beta})\n z = Add(m, m) }}", layer,
               opsets=both)
        unfuse(f"{name}-bias", f"{head} m = com.microsoft.{kind}(r, y, g{beta}, bias)\n z = Add(m, m) }}", layer)
        unfuse(f"{name}-sum", f"{head} m, \"\", \"\", s = com.microsoft.{kind}(r, y, g{beta}, bias)\n z = Add(m, s) }}",
               layer,
               opsets=both)
        unfuse(f"{name}-mean", f"{head} m, mean, var, s = com.microsoft.{kind}(r, y, g{beta})\n z = Add(m, s) }}",
               layer,
               applies=None)
    unfuse("skip-no-beta", f"{head} m = com.microsoft.SkipLayerNormalization(r, y, g)\n z = Add(m, m) }}", layer)
    unfuse("skip-broadcast", "(float[2,4,8] x, float[1,4,8] y) => (z) { r = Add(x, x)\n m = "
           "com.microsoft.SkipLayerNormalization(r, y, g, b)\n z = Add(m, m) }", layer)
    unfuse("skip-rank2-skip", "(float[2,4,8] x, float[4,8] y) => (z) { r = Add(x, x)\n m = "
           "com.microsoft.SkipLayerNormalization(r, y, g, b)\n z = Add(m, m) }", layer)
    fp16 = {key: value.astype(np.float16) for key, value in layer.items()}
    unfuse("skip-fp16", "(float16[2,4,8] x, float16[2,4,8] y) => (z) { r = Add(x, x)\n m = "
           "com.microsoft.SkipLayerNormalization(r, y, g, b)\n z = Add(m, m) }", fp16, applies=None)


def gelus():
    for op in ("Gelu", "FastGelu", "QuickGelu"):
        for opset in (14, 20):
            unary("unfuse", f"{op.lower()}-{opset}", f"m = com.microsoft.{op}(r)", "2,4,8", opset=opset,
                  target=HEXAGON if op == "FastGelu" else NNAPI, applies=None if op == "Gelu" else True)
    unary("unfuse", "quickgelu-alpha", "m = com.microsoft.QuickGelu<alpha=0.5>(r)", "2,4,8", target=NNAPI)
    unary("unfuse", "quickgelu-special", "m = com.microsoft.QuickGelu(r)", "2,4,8", feeds={"*": "special"},
          applies=None)
    unary("unfuse", "fastgelu-bias", "m = com.microsoft.FastGelu(r, b)", "2,4,8", weights={"b": normal(8)})
    for opset in (14, 20):
        unary("unfuse", f"biasgelu-{opset}", "m = com.microsoft.BiasGelu(r, b)", "2,4,8", weights={"b": normal(8)},
              opset=opset)


def embed():
    weights = {"words": normal(32, 8), "places": normal(16, 8), "kinds": normal(2, 8), "g": normal(8), "b": normal(8)}
    text = """(int32[2,6] i, int32[2,6] t) => (z) { m, k = com.microsoft.EmbedLayerNormalization<epsilon=0.001>
        (i, t, words, places, kinds, g, b)\n z = Add(m, m) }"""
    feeds = {"i": "below:32", "t": "below:2"}
    unfuse("embed", text, weights, opsets=(14, 17), feeds=feeds)
    unfuse("embed-no-segment", text.replace(", int32[2,6] t)", ")").replace("(i, t, words, places, kinds",
                                                                         '(i, "", words, places, ""'), weights,
                                                                         feeds=feeds)
    unfuse("embed-mask", text.replace(", int32[2,6] t)", ", int32[2,6] t, int32[2,6] k0)").replace("g, b)", "g, b, k0)").replace(
        "z = Add(m, m)", "c = Cast<to=1>(k)\n s = ReduceSum<keepdims=0>(c)\n n = Add(m, s)\n z = Add(n, n)"), weights,
           feeds={**feeds, "k0": "mask"}, applies=None)
    unfuse("embed-sum", text.replace("m, k =", "m, k, e =").replace("z = Add(m, m)", "z = Add(m, e)"), weights,
           feeds=feeds,
           applies=None)
    unfuse("embed-positions", text.replace(", int32[2,6] t)", ", int32[2,6] t, int32[2,6] o)").replace("g, b)", 'g, b, "", o)'),
           weights, feeds={**feeds, "o": "below:16"}, applies=None)


def fused_attention():
    weights = {"w": normal(8, 24), "b": normal(24)}
    text = "(float[2,6,8] x MASK) => (z) { r = Add(x, x)\n m = com.microsoft.Attention<num_heads=2 ATTR>(r, w, b LAST)\n z = Add(m, m) }"

    def one(name, mask="", attributes="", last="", **more):
        line = text.replace(" MASK", f", {mask}" if mask else "").replace(" ATTR", attributes).replace(" LAST", last)
        unfuse(f"attention-{name}", line, {**weights, **more.pop("weights", {})}, **more)

    one("plain")
    one("mask2d", "int32[2,6] k", "", ", k", feeds={"k": "mask"})
    one("lengths", "int32[2] k", "", ", k", feeds={"k": "value:4"})
    one("lengths-1", "int32[2] k", "", ", k", feeds={"k": "value:1"})
    one("mask-filter", "int32[2,6] k", ", mask_filter_value=-100.0", ", k", feeds={"k": "mask"})
    one("scale", attributes=", scale=0.5")
    one("starts-and-ends", "int32[4] k", "", ", k", feeds={"k": "value:3"}, applies=None)
    one("mask3d", "int32[2,6,6] k", "", ", k", feeds={"k": "mask"}, applies=False)
    one("unidirectional", attributes=", unidirectional=1", applies=False)
    one("bias", last=', "", "", bias', weights={"bias": normal(1, 2, 6, 6)}, applies=False)
    one("qkv-sizes", attributes=", qkv_hidden_sizes=[8,8,8]", applies=None)
    past = text.replace("m =", "m, present =").replace(" MASK", ", float[2,2,2,3,4] p").replace(" ATTR", "")
    unfuse("attention-past", past.replace(" LAST", ', "", p'), weights, applies=False)
    one("runtime-weight", "float[8,24] w2", "", "", applies=None)


def fused_matmul():
    text = "(float[A] x, float[B] y) => (z) { r = Add(x, x)\n m = com.microsoft.FusedMatMul<ATTR>(r, y)\n z = Add(m, m) }"
    for name, left, right, attributes in (
            ("scale", "2,3,4", "2,4,5", "alpha=0.125"), ("left", "2,4,3", "2,4,5", "transA=1"),
            ("right", "2,3,4", "2,5,4", "transB=1"),
            ("both", "2,4,3", "2,5,4", "transA=1, transB=1, alpha=0.3"),
            ("rank4", "2,2,3,4", "2,2,5,4", "transB=1, alpha=0.5"),
            ("broadcast", "2,3,4", "4,5", "alpha=2.0"), ("plain", "3,4", "4,5", "alpha=1.0")):
        unfuse(f"fusedmatmul-{name}", text.replace("[A]", f"[{left}]").replace("[B]", f"[{right}]").replace("ATTR", attributes),
               target=NNAPI, applies=None if name in ("broadcast", "plain") else True)
    for name, left, right, attributes in (("batch-left", "3,2,4", "2,4,5", "transBatchA=1"),
                                          ("batch-both", "3,2,4", "4,2,5", "transBatchA=1, transBatchB=1")):
        unfuse(f"fusedmatmul-{name}", text.replace("[A]", f"[{left}]").replace("[B]", f"[{right}]").replace("ATTR", attributes),
               applies=None, target=NNAPI)


def group_queries():
    """Caches that are full: seqlens_k is one less than the length with the new tokens."""
    def one(name, batch=1, length=1, past=5, heads=4, kept=2, size=16, attributes="", kind="float", is_packed=False, full=0,
            **more):
        total, rotary = past + length, "do_rotary=1" in attributes
        width = (heads + 2 * kept * is_packed) * size
        inputs = f"{kind}[{batch},{length},{width}] q"
        if not is_packed:
            inputs += "".join(f", {kind}[{batch},{length},{kept * size}] {part}" for part in "kv")
        inputs += "".join(f", {kind}[{batch},{kept},{past},{size}] {part}" for part in ("pk", "pv"))
        dtype = np.float16 if kind == "float16" else np.float32
        angles = np.outer(np.arange(total + 3), 1 / 100 ** (np.arange(size // 2) / (size // 2)))
        weights = {"n": np.full(batch, total - 1 - full, np.int32), "t": np.array(total, np.int32)}
        if rotary:
            weights |= {"c": np.cos(angles).astype(dtype), "s": np.sin(angles).astype(dtype)}
        operands = f"q, {'' if is_packed else 'k'}, {'' if is_packed else 'v'}, pk, pv, n, t" + ", c, s" * rotary
        pattern("group-query", name, f"({inputs}) => (o, {kind}[{batch},{kept},{total},{size}] a, "
                f"{kind}[{batch},{kept},{total},{size}] b) {{ o, a, b = com.microsoft.GroupQueryAttention<num_heads={heads}, "
                f"kv_num_heads={kept}{attributes}>({operands}) }}", weights, target=NNAPI, **more)

    one("decode")
    one("rotary", attributes=", do_rotary=1")
    one("rotary-packed", attributes=", do_rotary=1", is_packed=True)
    one("batch", batch=3, attributes=", do_rotary=1")
    one("scale", attributes=", scale=0.5")
    one("one-group", heads=4, kept=4)
    one("one-key", heads=6, kept=1)
    one("several", length=3, attributes=", do_rotary=1", applies=None)
    one("interleaved", attributes=", do_rotary=1, rotary_interleaved=1", applies=False)
    one("window", attributes=", local_window_size=3", applies=False)
    one("softcap", attributes=", softcap=20.0", applies=False)
    one("half", kind="float16", attributes=", do_rotary=1", applies=None)
    one("default-class", equality="bits", applies=False)


for _make in (group_queries, mul_order, scale_softmax, float_mask, attention_decomposed, rms, skip_norms, gelus, embed,
              fused_attention,
              fused_matmul):
    _make()
