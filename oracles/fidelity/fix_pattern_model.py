# SPDX-License-Identifier: Apache-2.0
"""How pattern models are told and made; see fix_patterns.py.

A pattern is a graph in the text form of onnx.parser. From each that a rewrite is meant for, others are made: the same
twice in one graph, every tensor a graph output too, constants by Constant nodes, initializers that are graph inputs too
(which the caller may set, so that they are not constant), and the same in a branch of an If.
"""
import copy
import dataclasses

import numpy as np
import onnx
import onnx.parser
from onnx import TensorProto, helper, numpy_helper

import fix_feeds

# What a rewrite promises where nothing weakens it (a step may say less of itself: bits of integers, ulp of floats).
CLASSES = {
    "bind": "bits", "fold": "bits", "annotate": "bits", "inline": "bits", "castlike": "bits", "if-const": "bits",
    "if-where": "bits", "unroll": "bits", "moe-dense": "bits-if", "ge-le": "bits", "mul-order": "bits",
    "scale-softmax": "bits", "gathernd": "bits", "gathernd-batch": "bits", "isnan-eq": "bits", "isnan-drop": "bits-if",
    "attn-floatmask": "bits", "attn-decompose": "ulp", "unfuse": "ulp", "rms-decompose": "ulp", "einsum": "bits",
    "gelu-qdq": "approx", "erf-tanh": "approx", "onehot": "bits", "neg-int": "bits", "pow-int": "bits",
    "equal-bool": "bits", "isinf": "bits", "trilu": "bits", "hardmax": "bits-if", "rank": "bits",
    "layernorm-rank": "bits", "instancenorm-rank": "bits", "batchnorm-rank": "bits", "groupnorm": "ulp", "mvn": "ulp",
    "maxpool3d": "bits-if", "globalmaxpool3d": "bits-if", "globallppool": "ulp", "drop-output": "bits",
    "rnn-activations": "bits", "conv-dilated": "ulp", "convtranspose-dilated": "bits-if", "averagepool-dilated": "ulp",
    "gemm-scale": "ulp", "pad-axes": "bits", "pad-wrap": "bits", "clip": "bits-if", "cumsum": "ulp",
    "resize-nhwc": "bits", "resize-antialias": "ulp", "col2im": "bits-if", "reduce-composite": "ulp",
    "reduce-prod": "bits", "argmax-last": "bits-if", "celu": "ulp", "shrink": "bits", "softsign": "ulp",
    "mod-fmod": "approx", "logsoftmax": "ulp", "trig": "approx", "gather-dequantize": "bits", "qoperator": "step",
    "gather-in-order": "bits", "tile-once": "bits", "allowzero": "bits", "selu": "ulp", "mish": "bits", "thresholdedrelu": "bits",
    "gelu": "bits", "gelu-div": "ulp", "hardswish": "bits", "hardsigmoid": "bits", "hardsigmoid-relu6": "ulp",
    "no-op": "bits", "no-elements": "bits", "float32": "ulp", "cast-back": "bits",
    "group-query": "bits-if", "causal-conv": "ulp", "rotary": "ulp", "gather-blocks": "bits-if",
    "tensor-scatter": "bits", "attention-past": "ulp", "sum": "bits", "neg": "bits", "reciprocal": "bits",
}
# Largest error relative to the largest output, by id, for float, double and float16.
TOLERANCES = {
    "attn-decompose": (6e-7, 6e-7, 2e-3), "unfuse": (3e-7, 3e-7, 2e-3), "rms-decompose": (3e-7, 3e-7, 2e-3),
    "groupnorm": (4e-7, 4e-7, 2e-3), "globallppool": (3e-7, 3e-7, 2e-3),
    "conv-dilated": (4e-7, 4e-7, 4e-4), "averagepool-dilated": (3e-7, 3e-7, 1e-3), "gemm-scale": (2e-7, 2e-7, 1e-3),
    "cumsum": (2e-7, 2e-7, 1e-3), "resize-antialias": (1e-6, 1e-6, 6e-4), "reduce-composite": (2e-7, 2e-7, 1e-3),
    "softsign": (2e-7, 2e-7, 1e-3), "logsoftmax": (2e-7, 2e-7, 2e-3), "mod-fmod": (2e-6, 2e-6, 2e-3),
    "trig": (2e-4, 2e-4, 2e-3), "erf-tanh": (1e-3, 1e-3, 2e-3), "gelu-qdq": (5e-2, 5e-2, 5e-2),
    "layernorm-rank": (3e-7, 3e-7, 1e-3), "resize-nhwc": (3e-7, 3e-7, 1e-3), "celu": (2e-7, 2e-7, 1e-3),
    "selu": (2e-7, 2e-7, 1e-3), "mish": (3e-7, 3e-7, 2e-3), "gelu": (3e-7, 3e-7, 2e-3),
    "gelu-div": (3e-7, 3e-7, 2e-3), "hardswish": (2e-7, 2e-7, 1e-3), "hardsigmoid": (2e-7, 2e-7, 1e-3),
    "hardsigmoid-relu6": (3e-7, 3e-7, 2e-3), "rank": (4e-7, 4e-7, 2e-3),
    "causal-conv": (6e-7, 6e-7, 2e-3),
    "group-query": (6e-7, 6e-7, 2e-3), "rotary": (3e-7, 3e-7, 1e-3), "attention-past": (6e-7, 6e-7, 2e-3), "float32": (2e-5, 2e-5, 2e-3),
    "attn-floatmask": (0, 0, 2e-3), "instancenorm-rank": (0, 0, 1e-3), "mvn": (3e-7, 3e-7, 1e-3), "reduce-prod": (3e-7, 3e-7, 2e-3),
    # One step of 0.05 where the largest output is 0.5.
    "qoperator": (0.1, 0.1, 0.1),
}
HEXAGON, INTEL = "hexagon:60", "intel-npu:4000"
# Before Attention had a conversion there; and one that has none of the runtime's own operators.
OLD_INTEL, NNAPI = "intel-npu:4000@openvino 2026.0.0", "nnapi"
COREML, DLA, RKNN, WEBNN, XDNA = "coreml-mlprogram", "dla", "rknn", "webnn", "xdna"


@dataclasses.dataclass
class Pattern:
    id: str
    name: str
    text: str  # "(float[2,3] x) => (z) { ... }"
    weights: dict = dataclasses.field(default_factory=dict)
    opset: int = 17
    applies: object = True  # False: must not; None: may, if it is equal
    feeds: dict = dataclasses.field(default_factory=dict)  # input -> kind (fix_feeds.py); "*" for all others
    target: str = HEXAGON
    options: list = dataclasses.field(default_factory=list)
    dims: dict = dataclasses.field(default_factory=dict)  # symbol -> size of the run
    functions: str = ""
    imports: dict = dataclasses.field(default_factory=dict)
    ir_version: int = 8
    is_varied: bool = True
    equality: str = ""  # where it is another than the id's
    override: float = 1.25  # factor for initializers that are inputs too, where the caller sets them
    variant: str = ""
    model: object = None
    tolerance: float = None

    def kind(self, name):
        return self.feeds.get(name, self.feeds.get("*", ""))

    def entry(self, file):
        return {"file": file, "id": self.id, "name": self.name, "variant": self.variant, "applies": self.applies,
                "target": self.target,
                "class": self.equality or CLASSES[self.id], "own class": bool(self.equality), "options": self.options, "dims": self.dims,
                "tolerance": self.tolerance, "override": self.override, "feeds": {value.name: self.kind(value.name)
                                                       for value in self.model.graph.input}}


REGISTER = []


def pattern(identity, name, text, weights=None, **more):
    REGISTER.append(Pattern(identity, name, text, weights or {}, **more))


def unary(identity, name, lines, dims, kind="float", after=None, **more):
    """An op on `r` that makes `m`, between two Adds, which every target takes."""
    after = after or "z = Add(m, m)"
    pattern(identity, name, f"({kind}[{dims}] x) => (z) {{ r = Add(x, x)\n {lines}\n {after} }}", **more)


def normal(*dims, dtype=np.float32, scale=0.5):
    """Weights: the same at every call with these sizes."""
    return (fix_feeds.chance_of("weights", *dims).standard_normal(dims) * scale).astype(dtype)


# ---- making ------------------------------------------------------------------------------------------------------


def build(this):
    graph = onnx.parser.parse_graph("pattern " + this.text.replace("[]", ""))
    for name, array in this.weights.items():
        graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
    imports = {"": this.opset, **this.imports}
    domains = {node.domain for node in graph.node}
    if "com.microsoft" in domains:
        imports.setdefault("com.microsoft", 1)
    functions = []
    for text in filter(None, map(str.strip, this.functions.split("\n\n"))):
        functions.append(onnx.parser.parse_function(text))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid(*entry) for entry in imports.items()],
                              ir_version=this.ir_version, functions=functions, producer_name="fix_patterns")
    return model


def session_of(model):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def feeds_of(model, this, turn):
    """Initializers that are inputs too get other values where those are floats."""
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    feeds = {}
    for value in model.graph.input:
        if value.name in constants:
            array = numpy_helper.to_array(constants[value.name])
            if array.dtype.kind == "f":
                feeds[value.name] = np.asarray(array * array.dtype.type(this.override))
            continue
        tensor = value.type.tensor_type
        dims = [dim.dim_value if dim.HasField("dim_value") else this.dims[dim.dim_param or f"{value.name}.{axis}"]
                for axis, dim in enumerate(tensor.shape.dim)]
        feeds[value.name] = fix_feeds.draw(this.kind(value.name), tensor.elem_type, dims,
                                           fix_feeds.chance_of(this.name, value.name, turn), turn)
    return feeds


def declare_outputs(model, this):
    """Types and shapes of the outputs are those of a run; a sequence or map has been declared in the text."""
    if all(value.type.WhichOneof("value") for value in model.graph.output):
        return
    results = session_of(model).run(None, feeds_of(model, this, 0))
    for value, array in zip(model.graph.output, results):
        if value.type.WhichOneof("value"):
            continue
        dims = [None] * array.ndim if this.dims else array.shape
        made = helper.make_tensor_value_info(value.name, helper.np_dtype_to_tensor_dtype(array.dtype), dims)
        value.CopyFrom(made)


def finish(this):
    """Completes and runs it; raises what the checker or the runtime says against it."""
    this.model = this.model or build(this)
    declare_outputs(this.model, this)
    try:
        onnx.checker.check_model(this.model)
    except onnx.checker.ValidationError as error:  # the runtime still has what the standard took back
        if "deprecated" not in str(error):
            raise
    session = session_of(this.model)
    kinds = {array.dtype.name for array in session.run(None, feeds_of(this.model, this, 0)) if hasattr(array, "dtype")}
    by_kind = dict(zip(("float32", "float64", "float16"), TOLERANCES.get(this.id, (0, 0, 0))))
    this.tolerance = max([by_kind.get(kind, 0) for kind in kinds] or [0])


# ---- variants ----------------------------------------------------------------------------------------------------


def bodies_of(attribute):
    return [attribute.g] if attribute.type == onnx.AttributeProto.GRAPH else attribute.graphs


def renamed(nodes, names):
    """Copies whose tensors have the names that are told; bodies too, as all names differ."""
    copies = []
    for node in nodes:
        node = onnx.NodeProto.FromString(node.SerializeToString())
        for place, name in enumerate(node.input):
            node.input[place] = names.get(name, name)
        for place, name in enumerate(node.output):
            node.output[place] = names.get(name, name)
        for attribute in node.attribute:
            for body in bodies_of(attribute):
                inner = renamed(body.node, names)
                del body.node[:]
                body.node.extend(inner)
                for value in body.output:
                    value.name = names.get(value.name, value.name)
        copies.append(node)
    return copies


def made_names(nodes):
    names = []
    for node in nodes:
        names += filter(None, node.output)
        for attribute in node.attribute:
            for body in bodies_of(attribute):
                names += made_names(body.node)
    return names


def twice(model):
    graph = model.graph
    names = {name: f"{name}_again" for name in made_names(graph.node)}
    graph.node.extend(renamed(graph.node, names))
    for value in list(graph.output):
        other = copy.deepcopy(value)
        other.name = names[value.name]
        graph.output.append(other)


def outputs(model):
    """What a node makes is a graph output too."""
    there = {value.name for value in model.graph.output}
    for node in model.graph.node:
        for name in filter(None, node.output):
            if name not in there:
                model.graph.output.append(onnx.ValueInfoProto(name=name))


def constants(model):
    nodes = [helper.make_node("Constant", [], [tensor.name], name=f"constant_{tensor.name}",
                              value=TensorProto.FromString(tensor.SerializeToString()))
             for tensor in model.graph.initializer]
    rest = list(model.graph.node)
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.node.extend(nodes + rest)


def overridable(model):
    for tensor in model.graph.initializer:
        model.graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))


def nested(model):
    """The graph is both branches of an If, with other names in the second, whose results change their sign or stay."""
    graph = model.graph
    names = {name: f"{name}_else" for name in made_names(graph.node)}
    bodies = []
    for suffix, nodes in (("then", list(graph.node)), ("else", renamed(graph.node, names))):
        body = onnx.GraphProto(name=f"{suffix}_body")
        body.node.extend(nodes)
        body.output.extend(copy.deepcopy(value) for value in graph.output)
        bodies.append(body)
    for value in bodies[1].output:
        value.name = names[value.name]
    results = [f"{value.name}_of_if" for value in graph.output]
    choose = helper.make_node("If", ["choose_branch"], results, name="choose", then_branch=bodies[0],
                              else_branch=bodies[1])
    for value, result in zip(graph.output, results):
        value.name = result
    del graph.node[:]
    graph.node.append(choose)
    graph.input.append(helper.make_tensor_value_info("choose_branch", TensorProto.BOOL, []))


# By name: how, what `applies` becomes of a pattern that a rewrite applies to.
VARIANTS = {"twice": (twice, True), "outputs": (outputs, None), "constants": (constants, True),
            "overridable": (overridable, None), "nested": (nested, None)}


def variants(this):
    """The pattern itself and what is made of it; one that the runtime does not load is left out."""
    yield this
    if not this.is_varied or this.applies is False:
        return
    for word, (change, applies) in VARIANTS.items():
        other = dataclasses.replace(this, name=f"{this.name}.{word}", variant=word, model=None,
                                    applies=applies and this.applies, feeds=dict(this.feeds))
        other.model = onnx.ModelProto.FromString(this.model.SerializeToString())
        if word in ("constants", "overridable") and not other.model.graph.initializer:
            continue
        change(other.model)
        yield other
