#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models of one operator for the target ethos-u, drawn by lot: ranks, sizes, attributes, constant operands. Written for
verify.py. A seed that no rule was mended with is an examination.

usage: ethos-u_probes.py FOLDER [--seed 39] [--each 2] [--only OP,...]
"""
import argparse
import pathlib
import random

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

OPSET = 17
NEWER = {"Gelu": 20, "Mish": 18, "GroupNormalization": 21, "HardSwish": 17, "BitwiseAnd": 18}


class Probe:
    """One node, as far as it has grown."""

    def __init__(self, lot):
        self.lot, self.inputs, self.constants, self.operands = lot, [], [], []

    def input(self, shape, kind=T.FLOAT):
        name = f"x{len(self.operands)}"
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        self.operands.append(name)

    def constant(self, numbers, kind=np.int64):
        name = f"x{len(self.operands)}"
        self.constants.append(numpy_helper.from_array(np.asarray(numbers, kind), name))
        self.operands.append(name)

    def weight(self, *shape):
        state = np.random.default_rng(self.lot.getrandbits(32))
        self.constant(state.random(shape) * 0.9 + 0.1, np.float32)

    def none(self):
        self.operands.append("")

    def either(self, shape):
        """A weight or an input."""
        self.weight(*shape) if self.lot.random() < 0.5 else self.input(shape)

    # ---- what is drawn

    def shape(self, *ranks):
        rank = self.lot.choice(ranks or (1, 2, 3, 4, 4, 4, 5))
        batch = [1 if self.lot.random() < 0.75 else self.lot.choice([2, 3])] if rank > 1 else []
        return batch + [self.lot.choice([1, 2, 3, 4, 5, 8, 12, 16]) for _ in range(rank - len(batch))]

    def image(self):
        return [1 if self.lot.random() < 0.85 else 2, self.lot.choice([1, 3, 4, 8, 16]),
                *self.lot.choices([7, 8, 9, 12, 16, 20, 31], k=2)]

    def axis(self, shape):
        return self.lot.randrange(-len(shape), len(shape))

    def axes(self, shape):
        return sorted(self.lot.sample(range(len(shape)), self.lot.randint(1, len(shape))))

    def of(self, *choices):
        return self.lot.choice(choices)


def save(path, op, probe, outputs=1, domain="", **attributes):
    names = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op, probe.operands, names, domain=domain, **attributes)
    results = [helper.make_tensor_value_info(name, T.UNDEFINED, None) for name in names]
    graph = helper.make_graph([node], "g", probe.inputs, results, probe.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", NEWER.get(op, OPSET))], ir_version=8)
    inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    if not inferred.graph.output[0].type.tensor_type.elem_type:
        raise ValueError("no type")
    onnx.save(inferred, path)


# ---- makers: each gives the node's attributes, and the number of outputs as `outputs` ----------------------------------

UNARY = ("Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Erf Exp Floor HardSwish Identity Log Mish Neg Reciprocal "
         "Relu Round Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Tan Tanh Dropout").split()
WITH_ALPHA = {"Celu": "alpha", "Elu": "alpha", "LeakyRelu": "alpha", "ThresholdedRelu": "alpha", "Selu": "alpha"}
BINARY = "Add Sub Mul Div Pow Max Min Mod PRelu".split()
COMPARED = "Equal Greater GreaterOrEqual Less LessOrEqual".split()
LOGICAL = "And Or Xor".split()
REDUCED = ("ReduceMean ReduceMax ReduceMin ReduceSum ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp "
           "ReduceSumSquare").split()
INPUT_AXES = {"ReduceSum"}


def unary(p, op):
    p.input(p.shape())
    return {"fmod": 1} if op == "Mod" else {}


def alpha(p, op):
    p.input(p.shape())
    return {} if p.lot.random() < 0.4 else {"alpha": p.of(0.1, 0.5, 2.0)}


def like(p, shape):
    """A shape that can be spread to that one."""
    if p.lot.random() < 0.4:
        return shape
    some = [size if p.lot.random() < 0.5 else 1 for size in shape]
    return some[p.lot.choice([0, 0, 1, len(some) - 1]):] if p.lot.random() < 0.8 else []


def binary(p, op, kind=T.FLOAT):
    shape = p.shape()
    other = like(p, shape)
    if kind == T.FLOAT and (op == "PRelu" or p.lot.random() < 0.45):
        first = op != "PRelu" and p.lot.random() < 0.25
        p.weight(*other) if first else p.input(shape)
        p.input(shape) if first else p.weight(*other)
    else:
        p.input(shape, kind)
        p.input(other, kind)
    return {"fmod": 1} if op == "Mod" else {}


def logical(p, op):
    return binary(p, op, T.BOOL)


def logical_not(p, op):
    p.input(p.shape(), T.BOOL)
    return {}


def several(p, op):
    shape = p.shape()
    for _ in range(p.of(1, 2, 3, 4)):
        p.either(shape) if p.operands else p.input(shape)
    return {}


def where(p, op):
    shape = p.shape()
    p.input(shape, T.BOOL)
    p.either(shape)
    p.either(shape)
    return {}


def clip(p, op):
    p.input(p.shape())
    low, high = p.of((0, 6), (0, 1), (-1, 1), (0, 4), (-2, 2), (None, 3), (0, None), (0.1, 0.9))
    p.none() if low is None else p.constant(low, np.float32)
    p.none() if high is None else p.constant(high, np.float32)
    return {}


def hard_sigmoid(p, op):
    p.input(p.shape())
    return p.of({}, {"alpha": 1 / 6}, {"beta": 0.4})


def shrink(p, op):
    p.input(p.shape())
    return {"lambd": 0.5, "bias": p.of(0.0, 0.5)}


def gelu(p, op):
    p.input(p.shape())
    return {"approximate": p.of("none", "tanh")}


def reduced(p, op):
    shape = p.shape()
    p.input(shape)
    given = {"keepdims": p.of(0, 1)}
    axes = p.axes(shape)
    if p.lot.random() < 0.3 and len(shape) == 4:
        axes = p.of([2, 3], [1], [2], [3], [-1], [-2, -1], [1, 2, 3])
    if op in INPUT_AXES:
        p.constant(axes)
    elif p.lot.random() < 0.9:
        given["axes"] = axes
    return given


def arg(p, op):
    shape = p.shape()
    p.input(shape)
    return {"axis": p.axis(shape), "keepdims": p.of(0, 1), "select_last_index": p.of(0, 0, 0, 1)}


def softmax(p, op):
    shape = p.shape()
    p.input(shape)
    return {"axis": p.of(-1, p.axis(shape))}


def window(p, count, shape, with_kernel=True):
    kernel = p.lot.choices([1, 2, 3, 3, 5, 7], k=count) if p.lot.random() < 0.4 else [p.of(1, 2, 3, 3, 5, 7)] * count
    strides = p.lot.choices([1, 2, 3, 4], k=count) if p.lot.random() < 0.3 else [p.of(1, 1, 2, 2, 3, 4)] * count
    given = {"kernel_shape": kernel, "strides": strides}
    kind = p.lot.random()
    if kind < 0.2:
        given["auto_pad"] = p.of("SAME_UPPER", "SAME_LOWER", "VALID")
    elif kind < 0.75:
        begin = [p.of(size // 2, p.lot.randint(0, size // 2)) for size in kernel]
        end = begin if p.lot.random() < 0.7 else [p.lot.randint(0, size // 2) for size in kernel]
        given["pads"] = begin + end
    return given


def conv(p, op):
    count = p.of(1, 2, 2, 2, 2, 2, 3)
    shape = p.image()[:2] + p.lot.choices([8, 9, 12, 16, 20], k=count)
    given = window(p, count, shape)
    channels = shape[1]
    group = p.of(1, 1, channels, p.of(*[n for n in (1, 2, 4) if channels % n == 0]))
    out = group * p.of(1, 1, 2, 4)
    if p.lot.random() < 0.2:
        given["dilations"] = [2] * count
    p.input(shape)
    p.either([out, channels // group, *given["kernel_shape"]]) if p.lot.random() < 0.1 else \
        p.weight(out, channels // group, *given["kernel_shape"])
    if p.lot.random() < 0.6:
        p.weight(out)
    return dict(given, group=group)


def conv_transpose(p, op):
    count = p.of(1, 2, 2, 2, 2, 2, 3)
    shape = p.image()[:2] + p.lot.choices([4, 5, 8], k=count)
    given = window(p, count, shape)
    given.pop("auto_pad", None)
    group = p.of(1, 1, 1, *[n for n in (2, shape[1]) if shape[1] % n == 0])
    p.input(shape)
    p.weight(shape[1], p.of(1, 2, 4), *given["kernel_shape"])
    if p.lot.random() < 0.15:
        given["dilations"] = [2] * count
    if p.lot.random() < 0.3 and min(given["strides"]) > 1:
        given["output_padding"] = [1] * count
    return dict(given, group=group)


def pool(p, op):
    count = p.of(1, 2, 2, 2, 2, 2, 3)
    shape = p.image()[:2] + p.lot.choices([8, 9, 12, 16, 20], k=count)
    p.input(shape)
    given = dict(window(p, count, shape), ceil_mode=p.of(0, 0, 1))
    if "auto_pad" in given:
        given["ceil_mode"] = 0
    if op == "AveragePool":
        given["count_include_pad"] = p.of(0, 1)
    if op == "MaxPool" and p.lot.random() < 0.1:
        given["dilations"] = [2] * count
    if op == "LpPool":
        given.pop("ceil_mode")
    return given


def global_pool(p, op):
    p.input(p.shape(3, 4, 4, 4, 4, 5))
    return {}


def resize(p, op):
    shape = p.image()[:2] + p.lot.choices([1, 4, 5, 8], k=2)
    p.input(shape)
    p.none()
    scales = p.of((2, 2), (2, 2), (4, 4), (8, 8), (3, 3), (1.5, 1.5), (2, 1), (0.5, 0.5), (16, 16))
    if p.lot.random() < 0.5:
        p.constant([1, 1, *scales], np.float32)
    else:
        p.none()
        p.constant(shape[:2] + [max(1, int(size * scale)) for size, scale in zip(shape[2:], scales)])
    mode = p.of("nearest", "nearest", "linear", "linear", "cubic")
    given = {"mode": mode, "coordinate_transformation_mode": p.of("half_pixel", "asymmetric", "align_corners",
                                                                  "pytorch_half_pixel")}
    return dict(given, nearest_mode=p.of("round_prefer_floor", "floor", "ceil")) if mode == "nearest" else given


def normalized(p, op):
    shape = p.shape(3, 4, 4, 4)
    p.input(shape)
    p.weight(shape[1])
    p.weight(shape[1])
    if op == "BatchNormalization":
        p.weight(shape[1])
        p.weight(shape[1])
    return {}


def layer_norm(p, op):
    shape = p.shape(2, 3, 3, 4)
    axis = p.of(-1, -1, -1, len(shape) - 2)
    p.input(shape)
    p.weight(*shape[axis:])
    if p.lot.random() < 0.7:
        p.weight(*shape[axis:])
    return {"axis": axis}


def lrn(p, op):
    p.input(p.image())
    return {"size": p.of(3, 5)}


def lp(p, op):
    shape = p.shape()
    p.input(shape)
    return {"axis": p.axis(shape), "p": p.of(1, 2)}


def gemm(p, op):
    rows, inner, columns = p.of(1, 1, 4), p.of(4, 16, 64), p.of(3, 8, 10)
    given = {"transA": p.of(0, 0, 0, 1), "transB": p.of(0, 1)}
    p.input([inner, rows] if given["transA"] else [rows, inner])
    shape = [columns, inner] if given["transB"] else [inner, columns]
    p.weight(*shape) if p.lot.random() < 0.8 else p.input(shape)
    if p.lot.random() < 0.7:
        p.either([columns]) if p.lot.random() < 0.2 else p.weight(columns)
    return dict(given, **p.of({}, {}, {"alpha": 0.5}, {"beta": 0.5}))


def matmul(p, op):
    rows, inner, columns = p.of(1, 4, 7), p.of(4, 16), p.of(3, 8)
    front = p.of([], [1], [2], [1, 2], [2, 3], [1, 1])
    p.input([*front, rows, inner])
    other = [*(front if p.lot.random() < 0.6 else []), inner, columns]
    p.weight(*other) if p.lot.random() < 0.5 else p.input(other)
    return {}


def einsum(p, op):
    equation, first, second = p.of(("bij,bjk->bik", [2, 4, 8], [2, 8, 3]), ("bhqd,bhkd->bhqk", [1, 2, 4, 8], [1, 2, 4, 8]),
                                   ("ij,jk->ik", [4, 8], [8, 3]), ("bij->bji", [2, 4, 8], None),
                                   ("bc,bc->b", [2, 8], [2, 8]), ("nchw,co->nohw", [1, 4, 5, 5], [4, 6]))
    p.input(first)
    if second:
        p.either(second)
    return {"equation": equation}


def recurrent(p, op):
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
    steps, batch, size, hidden = p.of(1, 3, 5), p.of(1, 1, 2), p.of(4, 8), p.of(4, 6)
    direction = p.of("forward", "forward", "reverse", "bidirectional")
    count = 2 if direction == "bidirectional" else 1
    p.input([steps, batch, size])
    p.weight(count, gates * hidden, size)
    p.weight(count, gates * hidden, hidden)
    if p.lot.random() < 0.6:
        p.weight(count, 2 * gates * hidden)
    given = {"hidden_size": hidden, "direction": direction}
    return dict(given, linear_before_reset=p.of(0, 1)) if op == "GRU" else given


def reshape(p, op):
    shape = p.shape()
    p.input(shape)
    whole = int(np.prod(shape))
    p.constant(p.of([-1], [1, -1], [whole, 1], [1, 1, -1], [0, -1], [1, whole, 1, 1]))
    return {}


def flatten(p, op):
    shape = p.shape()
    p.input(shape)
    return {"axis": p.of(1, p.axis(shape))}


def transpose(p, op):
    shape = p.shape(2, 3, 4, 4, 5, 6)
    p.input(shape)
    order = list(range(len(shape)))
    p.lot.shuffle(order)
    return {"perm": order}


def squeeze(p, op):
    shape = p.shape(3, 4, 5)
    shape[p.of(1, 2)] = 1
    p.input(shape)
    p.constant([p.of(*[at for at, size in enumerate(shape) if size == 1])])
    return {}


def unsqueeze(p, op):
    shape = p.shape(1, 2, 3, 4)
    p.input(shape)
    p.constant([p.lot.randint(0, len(shape))])
    return {}


def expand(p, op):
    shape = p.shape(1, 2, 3, 4, 4)
    p.input([size if p.lot.random() < 0.5 else 1 for size in shape])
    p.constant(shape if p.lot.random() < 0.7 else [2, *shape])
    return {}


def tile(p, op):
    shape = p.shape(1, 2, 3, 4, 4)
    p.input(shape)
    p.constant([p.of(1, 1, 2, 3) for _ in shape])
    return {}


def concat(p, op):
    shape = p.shape()
    axis = p.axis(shape)
    for at in range(p.of(1, 2, 3)):
        other = list(shape)
        other[axis] = p.of(1, 2, 4)
        p.either(other) if at else p.input(other)
    return {"axis": axis}


def split(p, op):
    shape = p.shape(2, 3, 4, 4)
    axis, count = p.of(1, 1, p.axis(shape)), p.of(2, 3)
    parts = [p.of(1, 2, 4)] * count if p.lot.random() < 0.5 else [p.of(1, 2, 3) for _ in range(count)]
    shape[axis] = sum(parts)
    p.input(shape)
    p.constant(parts)
    return {"axis": axis, "outputs": count}


def slice_(p, op):
    shape = [size + 3 for size in p.shape()]
    axes = p.axes(shape)[:2]
    p.input(shape)
    p.constant([p.of(0, 1, -3) for _ in axes])
    p.constant([p.of(2**31 - 1, 3, -1) if p.operands[1] else 0 for _ in axes])
    p.constant(axes)
    p.constant([p.of(1, 1, 1, 2) for _ in axes])
    return {}


def pad(p, op):
    shape = [size + 2 for size in p.shape()]
    p.input(shape)
    mode = p.of("constant", "constant", "reflect", "edge")
    sides = [[p.of(0, 1) if len(shape) < 3 or at > 1 or p.lot.random() < 0.2 else 0 for at in range(len(shape))]
             for _ in "be"]
    p.constant(sides[0] + sides[1])
    if mode == "constant" and p.lot.random() < 0.5:
        p.constant(p.of(0, 1, -0.5), np.float32)
    return {"mode": mode}


def gather(p, op):
    shape = p.shape()
    axis = p.axis(shape)
    most = shape[axis]
    p.input(shape)
    p.constant(p.of(0, [0], [0, most - 1], [[0], [most - 1]])) if p.lot.random() < 0.8 else p.input([2], T.INT64)
    return {"axis": axis}


def gather_elements(p, op):
    shape = p.shape(2, 3, 4)
    axis = p.axis(shape)
    p.input(shape)
    p.constant(np.zeros(shape))
    return {"axis": axis}


def gather_nd(p, op):
    p.input([3, 4, 5])
    p.constant(p.of([[0, 1], [2, 3]], [[0], [1]], [[0, 1, 2]]))
    return {}


def scatter_nd(p, op):
    p.input([4, 5])
    p.constant([[1], [3]])
    p.either([2, 5])
    return {}


def scatter_elements(p, op):
    p.input([4, 5])
    p.constant([[0, 1, 2, 3, 0]])
    p.either([1, 5])
    return {"axis": 0}


def depth_to_space(p, op):
    shape = p.image()
    shape[1] *= 4
    p.input(shape)
    return {"blocksize": 2, "mode": p.of("DCR", "CRD")}


def space_to_depth(p, op):
    shape = p.image()
    p.input(shape[:2] + [8, 12])
    return {"blocksize": 2}


def trilu(p, op):
    p.input(p.shape(2, 3, 4))
    return {"upper": p.of(0, 1)}


def cast(p, op):
    kind = p.of(T.FLOAT, T.INT32, T.BOOL)
    p.input(p.shape(), kind)
    return {"to": p.of(T.INT32, T.INT64, T.BOOL, T.FLOAT16) if kind == T.FLOAT else T.FLOAT}


def top_k(p, op):
    shape = [size + 2 for size in p.shape()]
    p.input(shape)
    p.constant([2])
    return {"axis": p.of(-1, p.axis(shape)), "outputs": 2}


def cum_sum(p, op):
    shape = p.shape()
    p.input(shape)
    p.constant(p.axis(shape))
    return {}


def one_hot(p, op):
    p.input([4], T.INT64)
    p.constant(5)
    p.constant([0, 1], np.float32)
    return {}


def grid_sample(p, op):
    shape = p.image()
    p.input(shape)
    p.input([shape[0], 5, 6, 2])
    return {"mode": p.of("bilinear", "nearest"), "align_corners": p.of(0, 1)}


def shape_of(p, op):
    p.input(p.shape())
    return {}


MAKERS = {**{op: unary for op in UNARY}, **{op: alpha for op in WITH_ALPHA}, **{op: binary for op in BINARY + COMPARED},
          **{op: logical for op in LOGICAL}, "Not": logical_not, **{op: reduced for op in REDUCED},
          **{op: several for op in ("Sum", "Mean")}, "Where": where, "Clip": clip, "HardSigmoid": hard_sigmoid,
          "Shrink": shrink, "Gelu": gelu, "ArgMax": arg, "ArgMin": arg, "Softmax": softmax, "LogSoftmax": softmax,
          "Hardmax": softmax, "Conv": conv, "ConvTranspose": conv_transpose, "MaxPool": pool, "AveragePool": pool,
          "LpPool": pool, "GlobalAveragePool": global_pool, "GlobalMaxPool": global_pool, "GlobalLpPool": global_pool,
          "Resize": resize, "BatchNormalization": normalized, "InstanceNormalization": normalized,
          "LayerNormalization": layer_norm, "LRN": lrn, "LpNormalization": lp, "Gemm": gemm, "MatMul": matmul,
          "Einsum": einsum, "LSTM": recurrent, "GRU": recurrent, "RNN": recurrent, "Reshape": reshape,
          "Flatten": flatten, "Transpose": transpose, "Squeeze": squeeze, "Unsqueeze": unsqueeze, "Expand": expand,
          "Tile": tile, "Concat": concat, "Split": split, "Slice": slice_, "Pad": pad, "Gather": gather,
          "GatherElements": gather_elements, "GatherND": gather_nd, "ScatterND": scatter_nd,
          "ScatterElements": scatter_elements, "DepthToSpace": depth_to_space, "SpaceToDepth": space_to_depth,
          "Trilu": trilu, "Cast": cast, "TopK": top_k, "CumSum": cum_sum, "OneHot": one_hot,
          "GridSample": grid_sample, "Shape": shape_of, "Size": shape_of}
MORE = {"Conv": 4, "ConvTranspose": 3, "MaxPool": 2, "AveragePool": 3, "Resize": 3, "ReduceMean": 3, "Slice": 2, "Split": 2,
        "Add": 2, "Mul": 2, "Div": 2, "Pad": 2, "Gather": 2, "Transpose": 2, "MatMul": 2, "Gemm": 2, "Softmax": 2, "Clip": 2,
        "Sub": 2}  # times as many


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=39)
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for op, maker in MAKERS.items():
        if options.only and op not in options.only.split(","):
            continue
        for number in range(options.each * MORE.get(op, 1)):
            for attempt in range(20):
                probe = Probe(random.Random(f"{options.seed}/{op}/{number}/{attempt}"))
                try:
                    save(options.folder / f"{op}__s{options.seed}-{number}.onnx", op, probe, **maker(probe, op))
                    break
                except (onnx.shape_inference.InferenceError, ValueError, IndexError, onnx.checker.ValidationError):
                    continue  # sizes that do not fit


if __name__ == "__main__":
    main()
