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


class GroupQuery:
    """A node of GroupQueryAttention over a cache that is full: seqlens_k is one less than the length with the new
    tokens. A cache of no slots is none where `has_past` is not said."""

    def __init__(self, batch=1, length=1, past=5, heads=4, kept=2, size=16, kind="float", is_packed=False, turned=None,
                 has_past=True):
        self.batch, self.length, self.total, self.heads = batch, length, past + length, heads
        self.kind, self.dtype = kind, np.float16 if kind == "float16" else np.float32
        self.inputs, self.weights = [], {}
        self.operands = ["q", *(["", ""] if is_packed else "kv"), *(["pk", "pv"] if has_past else ["", ""]), "n", "t"]
        self.declare("q", batch, length, (heads + 2 * kept * is_packed) * size)
        for part in "" if is_packed else "kv":
            self.declare(part, batch, length, kept * size)
        for part in ("pk", "pv") if has_past else ():
            self.declare(part, batch, kept, past, size)
        self.weights |= {"n": np.full(batch, self.total - 1, np.int32), "t": np.array(self.total, np.int32)}
        self.present = f"{kind}[{batch},{kept},{self.total},{size}]"
        self.kept, self.size, self.turned = kept, size, turned or size

    def declare(self, name, *dims):
        self.inputs.append(f"{self.kind}[{','.join(map(str, dims))}] {name}")

    def operand(self, index, name, array=None):
        self.operands += [""] * (index + 1 - len(self.operands))
        self.operands[index] = name
        if array is not None:
            self.weights[name] = array.astype(self.dtype) if array.dtype.kind == "f" else array

    def rotary(self, positions=None):
        half = self.turned // 2
        angles = np.outer(np.arange(self.total + 6), 1 / 100 ** (np.arange(half) / half))
        self.operand(7, "c", np.cos(angles))
        self.operand(8, "s", np.sin(angles))
        if positions is not None:
            self.operand(9, "p", np.array(positions))

    def bias(self, rows=1, heads=1):
        self.operand(10, "bias")
        self.declare("bias", rows, heads, self.length, self.total)

    def write(self, name, attributes="", **more):
        outputs = "o, a, b" + more.pop("outputs", "")
        pattern("group-query", name, f"({', '.join(self.inputs)}) => ({self.kind}[{self.batch},{self.length},"
                f"{self.heads * self.size}] o, {self.present} a, {self.present} b) {{ {outputs} = "
                f"com.microsoft.GroupQueryAttention<num_heads={self.heads}, kv_num_heads={self.kept}{attributes}>"
                f"({', '.join(self.operands)}) }}", self.weights, target=NNAPI, **more)


def group_queries():
    def one(name, attributes="", positions=None, bias=None, sink=False, applies=True, **more):
        options = {key: more.pop(key) for key in ("equality", "outputs", "is_varied") if key in more}
        node = GroupQuery(**more)
        if "do_rotary=1" in attributes:
            node.rotary(positions)
        if bias:
            node.bias(*bias)
        if sink:
            node.operand(11, "sink", normal(node.heads))
        node.write(name, attributes, applies=applies, **options)

    turns = ", do_rotary=1"
    one("decode")
    one("rotary", turns)
    one("rotary-packed", turns, is_packed=True)
    one("batch", turns, batch=3)
    one("scale", ", scale=0.5")
    one("one-group", heads=4, kept=4)
    one("one-key", heads=6, kept=1)
    one("several", turns, length=3)
    one("prompt", turns, length=4, past=0)
    one("prompt-no-past", turns, length=4, past=0, has_past=False)
    one("prompt-batch", turns, length=4, past=0, batch=2)
    one("interleaved", turns + ", rotary_interleaved=1")
    one("interleaved-packed", turns + ", rotary_interleaved=1", is_packed=True, length=3)
    one("partial", turns, size=32, turned=16)
    one("partial-interleaved", turns + ", rotary_interleaved=1", size=32, turned=16, length=2)
    one("positions", turns, positions=[[7]])
    one("positions-several", turns, positions=[[7, 3, 9]], length=3)
    one("positions-prompt", turns, positions=[[2, 7, 0]], length=3, past=0)
    one("positions-batch", turns, positions=[[7], [3]], batch=2)
    one("positions-prompt-batch", turns, positions=[[2, 7, 0], [1, 1, 1]], length=3, past=0, batch=2)
    for length in (1, 3):
        end = f"-{length}"
        one("window" + end, ", local_window_size=3", length=length)
        one("window-one" + end, ", local_window_size=1", length=length)
        one("window-all" + end, ", local_window_size=20", length=length)
        one("softcap" + end, ", softcap=2.0", length=length)
        one("smooth" + end, ", smooth_softmax=1", length=length)
        one("sink" + end, sink=True, length=length)
        one("sink-smooth" + end, ", smooth_softmax=1", sink=True, length=length)
        one("bias" + end, bias=(1, 1), length=length)
        one("bias-heads" + end, bias=(1, 4), length=length)
        one("all" + end, turns + ", local_window_size=4, softcap=3.0", sink=True, bias=(1, 4), length=length)
        one("bidirectional" + end, ", causal=0", length=length)
        one("half-all" + end, turns + ", local_window_size=4, softcap=3.0", sink=True, bias=(1, 1), length=length,
            kind="float16", applies=None)
    one("batch-all", turns + ", local_window_size=4, softcap=3.0", sink=True, bias=(2, 4), batch=2)
    one("batch-bias", bias=(1, 1), batch=2)
    one("smooth-two", ", smooth_softmax=2")
    one("window-none", ", local_window_size=0", applies=False)
    one("half", turns, kind="float16", applies=None)
    one("default-class", equality="bits", applies=False)


def attention_past():
    def one(name, heads=4, kept=2, length=3, past=5, size=8, mask=None, attributes="", opset=23, is_flat=False, kind="float",
            batch=2, **more):
        total = past + length
        parts = [f"{kind}[{batch},{length},{count * size}] {part}" if is_flat else
                 f"{kind}[{batch},{count},{length},{size}] {part}" for count, part in ((heads, "q"), (kept, "k"), (kept, "v"))]
        parts += [f"{kind}[{batch},{kept},{past},{size}] {part}" for part in ("pk", "pv")] + ([f"{mask} m"] if mask else [])
        if is_flat:
            attributes += f", q_num_heads={heads}, kv_num_heads={kept}"
        present = f"{kind}[{batch},{kept},{total},{size}]"
        result = f"{batch},{length},{heads * size}" if is_flat else f"{batch},{heads},{length},{size}"
        pattern("attention-past", name, f"({', '.join(parts)}) => ({kind}[{result}] y, {present} a, {present} b) {{ y, a, b = "
                f"Attention<{attributes.lstrip(', ')}>(q, k, v, {'m' if mask else ''}, pk, pv) }}".replace("<>", ""), opset=opset,
                ir_version=11, target=NNAPI, equality="bits-if" if mask else "", **more)

    for is_flat in (False, True):
        end = "-flat" * is_flat
        one("plain" + end, is_flat=is_flat)
        one("one-token" + end, is_flat=is_flat, length=1, attributes=", is_causal=1")
        one("causal" + end, is_flat=is_flat, attributes=", is_causal=1")
        one("scale" + end, is_flat=is_flat, attributes=", scale=0.3")
        one("softcap" + end, is_flat=is_flat, attributes=", softcap=2.0")
        one("mask" + end, is_flat=is_flat, mask="float[3,8]")
        one("mask-heads" + end, is_flat=is_flat, mask="float[2,4,3,8]", attributes=", is_causal=1", opset=24)
        one("mask-rank3" + end, is_flat=is_flat, mask="float[4,3,8]")
        one("mask-one-token" + end, is_flat=is_flat, length=1, mask="float[1,6]")
    one("softcap-mask", mask="float[3,8]", attributes=", softcap=2.0", applies=False)
    one("half", kind="float16", applies=None)
    weights = {"m": np.array([[1, 0, 1, 1, 0, 1, 0, 0], [0, 0, 0, 0, 0, 1, 1, 0], [1] * 8], bool)}
    pattern("attention-past", "visible", "(float[1,4,3,8] q, float[1,2,3,8] k, float[1,2,3,8] v, float[1,2,5,8] pk, "
            "float[1,2,5,8] pv) => (float[1,4,3,8] y, float[1,2,8,8] a, float[1,2,8,8] b) { y, a, b = Attention<is_causal=1>"
            "(q, k, v, m, pk, pv) }", weights, opset=23, ir_version=11, target=NNAPI, equality="bits-if")
    text = ("(float[2,3,32] q, float[2,3,32] k, float[2,3,32] v, float[2,4,5,8] pk, float[2,4,5,8] pv MORE) => (float[2,3,32] y, "
            "float[2,4,8,8] a, float[2,4,8,8] b) { y, a, b = com.microsoft.MultiHeadAttention<num_heads=4 ATTR>(q, k, v, , , BIAS"
            ", pk, pv) }")
    pattern("attention-past", "contrib-projections", text.replace(" ATTR", "").replace(" MORE", "").replace(
        "(q, k, v, , ,", "(q, k, v, bias, ,").replace("BIAS", ""), {"bias": normal(96)}, target=NNAPI)
    for name, attributes, more, bias in (("contrib", "", "", ""), ("contrib-causal", ", unidirectional=1", "", ""),
                                         ("contrib-bias", ", scale=0.4", ", float[1,4,3,8] b0", "b0")):
        pattern("attention-past", name, text.replace(" ATTR", attributes).replace(" MORE", more).replace("BIAS", bias),
                target=NNAPI, equality="bits-if" if bias else "")


def causal_conv():
    for activation in ("none", "silu", "swish"):
        for channels, taps, tokens in ((5, 4, 3), (8, 3, 1), (6, 2, 7)):
            text = (f"(float[1,{channels},{tokens}] x, float[1,{channels},{taps - 1}] s) => (float[1,{channels},{tokens}] y, "
                    f"float[1,{channels},{taps - 1}] p) {{ y, p = com.microsoft.CausalConvWithState<activation=\"{activation}\">"
                    "(x, w, BIAS, s) }")
            weights = {"w": normal(channels, 1, taps), "b": normal(channels)}
            name = f"{activation}-{channels}-{taps}-{tokens}"
            pattern("causal-conv", name, text.replace("BIAS", "b"), weights)
            pattern("causal-conv", name + "-plain", text.replace("BIAS", ""), {"w": weights["w"]})


def tensor_scatter():
    def one(name, cache="2,3,8,4", update="2,3,2,4", axis=-2, where=(3, 5), mode="linear", kind="float", target=HEXAGON,
            applies=True, **more):
        weights = {"w": np.array(where)} if where is not None else {}
        pattern("tensor-scatter", name, f"({kind}[{cache}] c, {kind}[{update}] u) => ({kind}[{cache}] z) {{ p = "
                f"TensorScatter<axis={axis}, mode=\"{mode}\">(c, u{', w' if weights else ''})\n z = Identity(p) }}", weights,
                opset=24, ir_version=11, target=target, applies=applies, **more)

    one("rows")
    one("one-token", "1,4,16,8", "1,4,1,8", where=(7,))
    one("from-start", where=None)
    one("circular", mode="circular", where=(7, 6))
    one("circular-later", mode="circular", where=(23, 8))
    one("rank3", "2,8,6", "2,3,6", axis=1)
    one("last-axis", "2,3,8", "2,3,2", axis=-1)
    one("half", kind="float16")
    one("whole", kind="int32")


def gather_blocks():
    def one(name, bits=4, size=16, blocks=4, dims="2,3", kind="float", zeros=False, whole="int64", applies=True,
            attributes="", **more):
        chance, dtype = np.random.default_rng(3), np.float16 if kind == "float16" else np.float32
        width = blocks * size * bits // 8
        weights = {"d": chance.integers(0, 256, (20, width), dtype=np.uint8),
                   "s": (0.1 + chance.random((20, blocks))).astype(dtype)}
        if zeros:
            weights["zp"] = chance.integers(0, 256, (20, -(-blocks * bits // 8)), dtype=np.uint8)
        out = f"{dims},{blocks * size}" if dims else f"{blocks * size}"
        pattern("gather-blocks", name, f"({whole}[{dims}] i) => ({kind}[{out}] z) {{ m = com.microsoft.GatherBlockQuantized"
                f"<bits={bits}, block_size={size}, quantize_axis=1, gather_axis=0{attributes}>(d, i, s{', zp' * zeros})\n"
                f" z = Add(m, m) }}", weights, feeds={"i": "below:20"}, applies=applies, **more)

    for bits in (2, 4, 8):
        one(f"bits{bits}", bits)
        one(f"bits{bits}-zeros", bits, zeros=True)
        one(f"bits{bits}-fp16", bits, kind="float16", applies=None)
    one("one-token", dims="1,1")
    one("rank1", dims="5", whole="int32")
    one("rank3", dims="2,1,2", size=32)
    one("opset21", opset=21, ir_version=10)
    one("zeros-filled-up", blocks=3, zeros=True, applies=False)
    one("default-class", equality="bits", applies=False)


def rotary():
    def one(name, attributes="", dims="2,3,32", rank=2, half=4, domain="com.microsoft.", kind="float", applies=True,
            has_positions=True, **more):
        angles = np.outer(np.arange(20), 1 / 100 ** (np.arange(half) / half))
        dtype = np.float16 if kind == "float16" else np.float32
        places = np.array([[3, 9, 1], [2, 5, 6]]) if rank == 2 else np.array([4])
        tables = [np.cos(angles), np.sin(angles)] if has_positions else [np.cos(angles)[places], np.sin(angles)[places]]
        weights = {"p": places, "c": tables[0].astype(dtype), "s": tables[1].astype(dtype)}
        if not has_positions:
            del weights["p"]
        operands = "r, p, c, s" if domain else "r, c, s" + ", p" * has_positions
        pattern("rotary", name, f"({kind}[{dims}] x) => ({kind}[{dims}] z) {{ r = Add(x, x)\n z = {domain}RotaryEmbedding"
                f"<interleaved={int('interleaved' in name)}{attributes}>({operands}) }}", weights, target=NNAPI,
                applies=applies, **more)

    for more in ({}, {"domain": "", "opset": 23, "ir_version": 10}):
        end = "-standard" if more else ""
        heads = ", num_heads=4"
        one("rank3" + end, heads, **more)
        one("rank4" + end, dims="2,4,3,8", **more)
        one("interleaved" + end, heads, **more)
        one("interleaved-rank4" + end, dims="2,4,3,8", **more)
        one("partial" + end, heads + ", rotary_embedding_dim=4", half=2, **more)
        one("partial-interleaved" + end, heads + ", rotary_embedding_dim=4", half=2, **more)
        one("partial-rank4" + end, heads + ", rotary_embedding_dim=4", dims="2,4,3,8", half=2, **more)
        one("half" + end, heads, kind="float16", applies=None, **more)
    one("no-heads")
    one("first-position", rank=1)
    one("first-position-rank4-interleaved", rank=1, dims="2,4,3,8")
    one("rows-standard", ", num_heads=4", has_positions=False, domain="", opset=23, ir_version=10)
    one("scale", ", scale=0.5", applies=False)
    one("ragged", ", is_packed_batching=1", applies=False)
    one("default-class", equality="bits", applies=False)


for _make in (group_queries, rotary, gather_blocks, causal_conv, tensor_scatter, attention_past, mul_order, scale_softmax, float_mask, attention_decomposed, rms, skip_norms, gelus, embed,
              fused_attention,
              fused_matmul):
    _make()
