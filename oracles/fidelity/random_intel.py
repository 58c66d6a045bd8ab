#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Put random one-node models to a compiler itself and compare its answer with ours.

usage: random_intel.py --oracle FOLDER [--home FOLDER] [--provider PYTHON] [--target intel-npu:4000] [--count 2000]
                       [--seed N] [--only OPS]

--oracle is the folder with intel_npu/intel_npu.py and ort_assign.py. With --home (what intel_npu/setup.sh made) the
gates of frontend and compiler are compared, with --provider (a Python with onnxruntime-openvino) the provider's. Needs
the PyPI packages onnx and numpy.

Op, opset, element types, ranks, dims, attributes and which operands are constant are drawn by lot; what ONNX's own
checker refuses is drawn again. The seed is printed; equal seeds draw equal models.
"""
import argparse
import collections
import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from intel import against, rules_of, verdict_of

OPSETS = (11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
COMMON = ("float", "float16", "int32", "int64")


# ---- one configuration ------------------------------------------------------------------------------------------


class Node:
    """A node being drawn: operands in order, attributes, and the constants among the operands."""

    def __init__(self, lot, op, opset):
        self.lot, self.op, self.opset = lot, op, opset
        self.schema = onnx.defs.get_schema(op, opset, "")
        self.chosen = {}  # type variable -> type
        self.inputs, self.attributes, self.constants = [], {}, {}

    def type_of(self, operand):
        allowed = sorted(str(t)[7:-1] for t in operand.types if str(t).startswith("tensor("))
        allowed = [t for t in allowed if t not in ("string", "complex64", "complex128")] or ["float"]
        name = operand.type_str
        if name not in self.chosen:
            common = [t for t in COMMON if t in allowed]
            self.chosen[name] = self.lot.choice(common if common and self.lot.random() < 0.6 else allowed)
        return self.chosen[name]

    def add(self, shape, values=None, kind=None, constant=None):
        """The next operand; with values it is a constant, unless the lot makes it a runtime input."""
        index = min(len(self.inputs), len(self.schema.inputs) - 1)
        kind = kind or self.type_of(self.schema.inputs[index])
        name = f"i{len(self.inputs)}"
        if constant is None:
            constant = self.lot.random() < (0.85 if values is not None else 0.12)
        self.inputs.append((name, kind, list(shape)))
        if constant:
            self.constants[name] = values if values is not None else 1
        return self

    def skip(self):
        self.inputs.append(("", None, None))
        return self

    def set(self, **attributes):
        self.attributes.update({k: v for k, v in attributes.items() if v is not None and k in self.schema.attributes})
        return self


def elem_type(kind):
    return {"float": TensorProto.FLOAT, "double": TensorProto.DOUBLE}.get(kind) or getattr(TensorProto, kind.upper())


def constant_of(name, kind, shape, values):
    array = np.broadcast_to(np.asarray(values), shape)
    number = elem_type(kind)
    if kind in ("float", "float16", "double", "bool") or kind.lstrip("u").startswith("int") and kind[-1] not in "24t":
        return numpy_helper.from_array(array.astype(helper.tensor_dtype_to_np_dtype(number)), name)
    return helper.make_tensor(name, number, shape, array.astype(np.float32).ravel())


def model_of(node):
    if node.inputs and all(name in node.constants for name, _, _ in node.inputs if name):
        node.constants.pop(node.inputs[0][0], None)  # a graph of constants is folded away
    names = [name for name, _, _ in node.inputs]
    inputs = [helper.make_tensor_value_info(n, elem_type(k), s) for n, k, s in node.inputs
              if n and n not in node.constants]
    initializers = [constant_of(n, k, s, node.constants[n]) for n, k, s in node.inputs if n in node.constants]
    count = max(1, node.attributes.pop("_outputs", 1))
    outputs = [f"o{i}" for i in range(count)]
    made = helper.make_node(node.op, names, outputs, **node.attributes)
    graph = helper.make_graph([made], "g", inputs, [helper.make_empty_tensor_value_info(o) for o in outputs],
                              initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", node.opset)], ir_version=10)
    model = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    onnx.checker.check_model(model, full_check=True)
    return model


# ---- what the operators want --------------------------------------------------------------------------------------


def shape_of(lot, low=1, high=5):
    rank = lot.randint(low, high) if lot.random() < 0.93 else lot.choice((low, high + 1))
    return [lot.choice((1, 2, 3, 4, 5, 8)) for _ in range(rank)]


def of_one(node, low=1, high=5):
    node.add(shape_of(node.lot, low, high))
    for name, attribute in node.schema.attributes.items():
        if attribute.type == onnx.defs.OpSchema.AttrType.FLOAT and node.lot.random() < 0.4:
            node.set(**{name: round(node.lot.uniform(0.1, 2), 2)})


def of_axis(node):
    shape = shape_of(node.lot)
    node.add(shape)
    node.set(axis=node.lot.randrange(-len(shape), len(shape)) if shape else None)


def of_two(node):
    lot, a = node.lot, shape_of(node.lot)
    b = [d if lot.random() < 0.8 else 1 for d in a][lot.choice((0, 0, 0, 1)):] if lot.random() < 0.6 else list(a)
    node.add(a).add(b)
    node.set(direction=lot.choice(("LEFT", "RIGHT")) if node.op == "BitShift" else None)
    is_float = node.op == "Mod" and node.chosen["T"].startswith(("f", "d", "b"))
    node.set(fmod=1 if is_float or lot.random() < 0.3 else None)


def of_many(node):
    shape = shape_of(node.lot)
    kind = node.type_of(node.schema.inputs[0])
    for _ in range(node.lot.randint(1, 3)):
        node.add(shape, kind=kind)
    node.set(axis=node.lot.randrange(-len(shape), len(shape)) if node.op == "Concat" else None)


def of_reduction(node):
    lot, shape = node.lot, shape_of(node.lot)
    axes = lot.sample(range(-len(shape), 0), lot.randint(1, len(shape)))
    node.add(shape).set(keepdims=lot.choice((0, 1)))
    if lot.random() < 0.15:
        return
    if len(node.schema.inputs) > 1:
        node.add([len(axes)], axes, "int64")
    else:
        node.set(axes=axes)


def spatial(lot):
    return lot.choice((1, 2, 2, 2, 3))


def of_pool(node):
    lot, n = node.lot, spatial(node.lot)
    node.add([lot.choice((1, 1, 2)), lot.choice((1, 3, 4, 16))] + [lot.choice((6, 8, 9))] * n)
    if node.op.startswith("Global"):
        return
    node.set(kernel_shape=[lot.choice((1, 2, 3))] * n, strides=lot.choice((None, [1] * n, [2] * n)),
             pads=lot.choice((None, None, [1] * 2 * n)), ceil_mode=lot.choice((None, 1)),
             dilations=lot.choice((None, None, [2] * n)), count_include_pad=lot.choice((None, 1)),
             _outputs=None)
    if node.op == "MaxPool" and lot.random() < 0.3:
        node.attributes["_outputs"] = 2


def of_conv(node):
    lot, n = node.lot, spatial(node.lot)
    group, depth, made = lot.choice(((1, 4, 3), (1, 1, 2), (4, 1, 4), (2, 2, 4)))
    node.add([lot.choice((1, 2)), group * depth] + [lot.choice((7, 8))] * n)
    first, second = (group * depth, made // group) if node.op == "ConvTranspose" else (made, depth)
    node.add([first, second] + [lot.choice((1, 2, 3))] * n, constant=lot.random() < 0.7)
    if node.op != "ConvInteger" and lot.random() < 0.5:
        node.add([made])
    node.set(group=group, strides=lot.choice((None, [2] * n)), dilations=lot.choice((None, None, [2] * n)),
             pads=lot.choice((None, [1] * 2 * n)))


def of_matmul(node):
    lot = node.lot
    m, k, n = (lot.choice((1, 2, 4, 8)) for _ in range(3))
    batch = shape_of(lot, 0, 2)
    if node.op == "Gemm":
        a, b = lot.choice((0, 1)), lot.choice((0, 1))
        node.add([k, m] if a else [m, k]).add([n, k] if b else [k, n], constant=lot.random() < 0.5)
        if lot.random() < 0.6:
            node.add(lot.choice(([n], [m, n], [1])))
        node.set(transA=a, transB=b, alpha=lot.choice((None, 0.5)))
    else:
        node.add(batch + [m, k]).add(lot.choice((batch, [])) + [k, n], constant=lot.random() < 0.4)


def of_shape_target(node):
    lot, shape = node.lot, shape_of(node.lot)
    if node.op == "ConstantOfShape":
        node.add([len(shape)], shape)
        node.set(value=helper.make_tensor("v", elem_type(node.type_of(node.schema.outputs[0])), [1], [1]))
    elif node.op == "Reshape":
        target = lot.choice((shape[::-1], [-1], [int(np.prod(shape)), 1], [1] + shape))
        node.add(shape).add([len(target)], target)
    elif node.op == "Expand":
        node.add([d if lot.random() < 0.5 else 1 for d in shape]).add([len(shape)], shape)
    elif node.op == "Tile":
        node.add(shape).add([len(shape)], [lot.choice((1, 2)) for _ in shape], "int64")
    else:
        mode = lot.choice((None, "constant", "edge", "reflect"))
        pads = [min(lot.choice((0, 1, 2)), d - 1 if mode == "reflect" else 2) for d in shape * 2]
        node.add(shape).add([len(pads)], pads)
        if lot.random() < 0.4:
            node.add([], 0)
        node.set(mode=mode)


def of_indices(node):
    lot, shape = node.lot, shape_of(node.lot)
    axis = lot.randrange(len(shape))
    node.add(shape)
    if node.op == "Gather":
        node.add(shape_of(lot, 0, 2), 0, constant=lot.random() < 0.5).set(axis=axis)
    elif node.op in ("GatherElements", "ScatterElements", "Scatter"):
        node.add(shape, 0, constant=lot.random() < 0.4).set(axis=axis)
    else:
        depth = lot.randint(1, len(shape))
        node.add([2, depth], 0, constant=lot.random() < 0.4)
        if node.op == "ScatterND":
            node.add([2] + shape[depth:])
    if node.op.endswith("Elements") and "Scatter" in node.op or node.op == "Scatter":
        node.add(shape)
    if "Scatter" in node.op and lot.random() < 0.3:
        node.set(reduction=lot.choice(("none", "add", "mul", "max", "min")))


def of_axes_operand(node):
    lot, shape = node.lot, shape_of(node.lot, 1, 5)
    axis = lot.randrange(len(shape))
    if node.op == "Unsqueeze":
        axes = sorted(lot.sample(range(len(shape) + 1), 1))
    else:
        shape[axis], axes = 1, [axis]
    node.add(shape)
    if len(node.schema.inputs) > 1:
        node.add([1], axes, "int64")
    else:
        node.set(axes=axes)


def of_slice(node):
    lot, shape = node.lot, shape_of(node.lot)
    kind = lot.choice(("int64", "int32"))
    constant = None if lot.random() < 0.85 else False
    count = lot.randint(1, len(shape))
    axes = list(range(count))
    ends = [max(1, shape[a] - 1) for a in axes]
    node.add(shape).add([count], [0] * count, kind, constant).add([count], ends, kind, constant)
    if lot.random() < 0.7:
        node.add([count], axes, kind, constant)
        if lot.random() < 0.4:
            node.add([count], lot.choice((1, 2)), kind, constant)


def of_split(node):
    lot, shape = node.lot, shape_of(node.lot)
    axis = lot.randrange(len(shape))
    shape[axis] = 6
    node.add(shape).set(axis=axis, _outputs=None)
    node.attributes["_outputs"] = 2
    if len(node.schema.inputs) > 1 and lot.random() < 0.6:
        node.add([2], lot.choice(([3, 3], [2, 4])), "int64")
    else:
        node.set(num_outputs=2)


def of_topk(node):
    lot, shape = node.lot, shape_of(node.lot)
    node.add(shape).add([1], 1, "int64").set(axis=lot.randrange(-len(shape), len(shape)), largest=lot.choice((0, 1)))
    node.attributes["_outputs"] = 2


def of_normalization(node):
    lot, shape = node.lot, shape_of(node.lot, 2, 5)
    if node.op == "LayerNormalization":
        axis = lot.randrange(1, len(shape))
        node.add(shape).add(shape[axis:], 1).set(axis=axis)
        if lot.random() < 0.7:
            node.add(shape[axis:], 0)
        return
    shape = shape if len(shape) > 2 else shape + [4]
    node.add(shape)
    for value in (1, 0, 0, 1)[:2 if node.op == "InstanceNormalization" else 4]:
        node.add([shape[1]], value)


def of_resize(node):
    lot = node.lot
    shape = [1, lot.choice((1, 3))] + [lot.choice((2, 4))] * lot.choice((1, 2, 2, 3))
    node.add(shape).skip() if lot.random() < 0.8 else node.add(shape).add([0], [], "float", True)
    scales = [1.0, 1.0] + [lot.choice((0.5, 2.0))] * (len(shape) - 2)
    if lot.random() < 0.5:
        node.add([len(shape)], scales, "float")
    else:
        node.skip().add([len(shape)], [int(d * s) for d, s in zip(shape, scales)], "int64")
    node.set(mode=lot.choice(("nearest", "linear", "cubic")),
             coordinate_transformation_mode=lot.choice((None, "asymmetric", "align_corners", "pytorch_half_pixel")))


def of_blocks(node):
    lot = node.lot
    node.add([lot.choice((1, 1, 2)), 8, 4, 4]).set(blocksize=2, mode=lot.choice((None, "CRD")))


def of_recurrent(node):
    lot, gates = node.lot, {"LSTM": 4, "GRU": 3, "RNN": 1}[node.op]
    both = lot.choice((1, 1, 2))
    node.add([3, 2, 4]).add([both, gates * 5, 4], 0.1).add([both, gates * 5, 5], 0.1)
    if lot.random() < 0.6:
        node.add([both, 2 * gates * 5], 0)
    elif lot.random() < 0.5:
        node.skip()
    if len(node.inputs) == 4 and lot.random() < 0.4:
        node.add([2], lot.choice((3, 2, [2, 3])), "int32")
    node.set(hidden_size=5, direction="bidirectional" if both == 2 else lot.choice((None, "reverse")),
             clip=lot.choice((None,) * 6 + (3.0,)), linear_before_reset=lot.choice((None, 1)))
    node.attributes["_outputs"] = 2


def of_einsum(node):
    equation, shapes = node.lot.choice((
        ("ij,jk->ik", ([2, 4], [4, 3])), ("bij,bjk->bik", ([2, 3, 4], [2, 4, 5])), ("ij->ji", ([3, 4],)),
        ("ij->i", ([3, 4],)), ("bhqd,bhkd->bhqk", ([1, 2, 3, 4], [1, 2, 5, 4]))))
    kind = node.type_of(node.schema.inputs[0])
    for shape in shapes:
        node.add(shape, kind=kind)
    node.set(equation=equation)


def of_image(node):
    lot = node.lot
    if node.op == "GridSample":
        node.add([lot.choice((1, 2)), 3, 6, 6]).add([lot.choice((1, 1)), 4, 5, 2])
        node.inputs[1][2][0] = node.inputs[0][2][0]
        node.set(mode=lot.choice((None, "nearest")), padding_mode=lot.choice((None, "border", "reflection")),
                 align_corners=lot.choice((0, 1)))
    elif node.op == "RoiAlign":
        node.add([1, 3, 8, 8]).add([2, 4]).add([2], 0)
        node.set(output_height=2, output_width=2, mode=lot.choice((None, "max")))
    elif node.op == "LRN":
        node.add(shape_of(lot, 3, 5)).set(size=3)
    else:
        node.add([1, 6, 4]).add([1, 1, 6])
        for values, kind in ((3, "int64"), (0.5, "float"), (0.1, "float"))[:lot.randint(1, 3)]:
            node.add(lot.choice(([], [1])), values, kind)


def of_misc(node):
    lot, shape = node.lot, shape_of(node.lot)
    kind = None
    if node.op == "Where":
        node.add(shape).add(shape).add(lot.choice((shape, [1])))
    elif node.op == "Clip":
        node.add(shape)
        if lot.random() < 0.8:
            node.add([], 0).add([], 1)
    elif node.op == "CumSum":
        node.add(shape).add([], 0).set(exclusive=lot.choice((0, 1)), reverse=lot.choice((0, 1)))
    elif node.op == "Trilu":
        node.add(shape if len(shape) > 1 else [4, 4])
        if lot.random() < 0.5:
            node.add([], 0, "int64")
        node.set(upper=lot.choice((0, 1)))
    elif node.op == "Transpose":
        node.add(shape).set(perm=lot.sample(range(len(shape)), len(shape)))
    elif node.op in ("Cast", "CastLike"):
        node.add(shape)
        kind = node.type_of(node.schema.outputs[0])
        node.set(to=int(elem_type(kind))) if node.op == "Cast" else node.add([1])
    elif node.op == "OneHot":
        node.add(shape_of(lot, 1, 3)).add([], 5).add([2], [0, 1])
    elif node.op == "PRelu":
        node.add(shape).add(lot.choice((shape, [shape[-1]], [1])), 0.25)
    elif node.op == "EyeLike":
        node.add([3, 4])
    elif node.op == "Range":
        kind = node.type_of(node.schema.inputs[0])
        node.add([], 0, kind).add([], 5, kind).add([], 1, kind)
    elif node.op in ("QuantizeLinear", "DequantizeLinear"):
        per_channel = node.opset >= 13 and lot.random() < 0.4
        node.add(shape).add([shape[-1]] if per_channel else [], 0.5).set(axis=-1 if per_channel else None)
        if lot.random() < 0.7:
            node.add([shape[-1]] if per_channel else [], 0)
    else:
        node.add(shape)


FAMILIES = {
    of_one: "Abs Acos Acosh Asin Asinh Atan Atanh Ceil Celu Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish "
            "Identity IsInf IsNaN LeakyRelu Log Mish Neg Not Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh "
            "Softplus Softsign Sqrt Tan Tanh ThresholdedRelu BitwiseNot NonZero Shape Size",
    of_axis: "Softmax LogSoftmax Hardmax ArgMax ArgMin LpNormalization Flatten",
    of_two: "Add Sub Mul Div Pow Mod Equal Greater GreaterOrEqual Less LessOrEqual And Or Xor BitShift BitwiseAnd "
            "BitwiseOr BitwiseXor",
    of_many: "Max Min Sum Mean Concat",
    of_reduction: "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum "
                  "ReduceSumSquare",
    of_pool: "AveragePool MaxPool LpPool GlobalAveragePool GlobalMaxPool GlobalLpPool",
    of_conv: "Conv ConvTranspose ConvInteger",
    of_matmul: "MatMul Gemm MatMulInteger",
    of_shape_target: "ConstantOfShape Reshape Expand Tile Pad",
    of_indices: "Gather GatherElements GatherND ScatterElements ScatterND",
    of_axes_operand: "Squeeze Unsqueeze",
    of_slice: "Slice", of_split: "Split", of_topk: "TopK", of_resize: "Resize",
    of_normalization: "LayerNormalization InstanceNormalization BatchNormalization",
    of_blocks: "DepthToSpace SpaceToDepth", of_recurrent: "LSTM GRU RNN", of_einsum: "Einsum",
    of_image: "GridSample RoiAlign LRN NonMaxSuppression",
    of_misc: "Where Clip CumSum Trilu Transpose Cast Cast Cast CastLike OneHot PRelu EyeLike Range QuantizeLinear "
             "DequantizeLinear MeanVarianceNormalization DynamicQuantizeLinear",
}


def draw(lot, only):
    ops = [(op, family) for family, names in FAMILIES.items() for op in names.split() if not only or op in only]
    while True:
        op, family = lot.choice(ops)
        try:
            node = Node(lot, op, lot.choice(OPSETS))
            family(node)
            return model_of(node)
        except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, onnx.defs.SchemaError):
            continue
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            continue


# ---- asking and comparing -----------------------------------------------------------------------------------------


def tool_verdicts(args, paths, gates):
    command = [args.tool, *paths, "--target", args.target, "--gates", gates, "--level", "off", "--format", "json"]
    command += ["--oplist", args.oplist] if args.oplist else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = {}
    for line in done.stdout.splitlines():
        report = json.loads(line)
        nodes = report["targets"][0]["nodes"]
        rules = rules_of([reason for node in nodes for reason in against(node)])
        found[report["model"]["path"]] = verdict_of(nodes), rules
    return found


def describe(model):
    graph = model.graph
    constants = {t.name: t for t in graph.initializer}
    kinds = {v.name: v.type.tensor_type for v in list(graph.input) + list(graph.output)}

    def operand(name):
        if not name:
            return "-"
        kind = kinds[name].elem_type if name in kinds else constants[name].data_type
        dims = [d.dim_value if d.HasField("dim_value") else "?" for d in kinds[name].shape.dim] if name in kinds \
            else list(constants[name].dims)
        word = TensorProto.DataType.Name(kind).lower() + str(dims).replace(" ", "")
        return f"const {word}" if name in constants else word

    node = graph.node[0]
    attributes = " ".join(f"{a.name}={helper.get_attribute_value(a)}" for a in node.attribute if a.name != "value")
    return f"{node.op_type}-{model.opset_import[0].version}({', '.join(map(operand, node.input))}) -> " \
           f"{', '.join(map(operand, node.output))} {attributes}"


def padded(model):
    """The node after three others: of smaller graphs the provider takes none that begins with certain ops."""
    longer = onnx.ModelProto()
    longer.CopyFrom(model)
    names = ["chain_in", "chain_0", "chain_1", "chain_out"]
    chain = [helper.make_node("Relu", [names[i]], [names[i + 1]]) for i in range(3)]
    nodes = chain + list(longer.graph.node)
    del longer.graph.node[:]
    longer.graph.node.extend(nodes)
    longer.graph.input.append(helper.make_tensor_value_info("chain_in", TensorProto.FLOAT, [2]))
    longer.graph.output.append(helper.make_tensor_value_info("chain_out", TensorProto.FLOAT, [2]))
    return longer


def provider_answers(args, models, folder):
    """For each model npu, cpu, or None when the runtime cannot say."""
    paths = []
    for i, model in enumerate(models):
        paths.append(str(pathlib.Path(folder) / f"padded{i}.onnx"))
        onnx.save(padded(model), paths[-1])
    command = [args.provider, os.path.join(args.oracle, "ort_assign.py"), "--ep", "openvino", "--level", "off", *paths]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    answers = []
    for row in (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")):
        ours = [n for n in row.get("nodes", ()) if n["index"] == 3 or n["index"] < 0]
        answers.append(("cpu" if any(n["ep"].startswith("CPU") for n in ours) else "npu") if ours else None)
    return answers


def compiler_answers(args, paths):
    script = os.path.join(args.oracle, "intel_npu/intel_npu.py")
    specification = importlib.util.spec_from_file_location("intel_npu", script)
    oracle = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(oracle)
    compiler = oracle.Compiler(args.home, args.target.split(":")[1])
    for path in paths:
        yield "npu" if compiler.ask(path, 60)["ok"] else "cpu"
    compiler.close()


def compare(who, answers, ours, drawn, paths):
    pairs = collections.Counter()
    for path, model, truth in zip(paths, drawn, answers):
        verdict, rules = ours.get(path, ("unread", ""))
        if truth is None:
            continue
        pairs[truth, verdict] += 1
        if verdict != truth:
            print(f"{who} {truth}, ours {verdict}: {describe(model)}  {rules}", flush=True)
    agreed, compared = pairs["npu", "npu"] + pairs["cpu", "cpu"], sum(pairs.values())
    print(f"{who}: agree {agreed} of {compared} ({agreed / max(compared, 1):.2%}), it takes "
          f"{pairs['npu', 'npu'] + pairs['npu', 'cpu']}", flush=True)


def run(args):
    lot = random.Random(args.seed)
    print(f"seed {args.seed}, {args.count} models, {args.target}", flush=True)
    with tempfile.TemporaryDirectory() as into:
        drawn = [draw(lot, args.only.split()) for _ in range(args.count)]
        paths = [str(pathlib.Path(into) / f"{i}.onnx") for i in range(args.count)]
        for path, model in zip(paths, drawn):
            onnx.save(model, path)
        if args.provider:
            compare("provider", provider_answers(args, drawn, into), tool_verdicts(args, paths, "provider"), drawn,
                    paths)
        if args.home:
            compare("compiler", compiler_answers(args, paths), tool_verdicts(args, paths, "frontend,compiler"), drawn,
                    paths)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="intel-npu:4000", help="intel-npu:PLATFORM, default intel-npu:4000")
    parser.add_argument("--oracle", required=True, help="folder with intel_npu/intel_npu.py")
    parser.add_argument("--home", help="folder that intel_npu/setup.sh made")
    parser.add_argument("--provider", help="a Python with onnxruntime-openvino")
    parser.add_argument("--tool", default="build/npu-partition", help="default build/npu-partition")
    parser.add_argument("--oplist", default="", help="an op list in place of the built-in one")
    parser.add_argument("--count", type=int, default=2000, help="models, default 2000")
    parser.add_argument("--seed", type=int, default=None, help="default: by the clock")
    parser.add_argument("--only", default="", help="these ops only, separated by blanks")
    args = parser.parse_args()
    if args.seed is None:
        args.seed = random.SystemRandom().randrange(1 << 31)
    run(args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
