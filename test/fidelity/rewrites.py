# SPDX-License-Identifier: Apache-2.0
"""Rewrites that are advised, carried out on a model, for first_action.py.

Each takes an Edit and the indices of the nodes it is for. Weights need not be there: of constants, only those whose
elements lie in the file itself are read.
"""
import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

# Iterations that an unrolled Loop gets whose trip count is an input.
TRIPS = 8


class NotDone(Exception):
    """The model is not as the rewrite needs it."""


class Edit:
    """A main graph whose nodes are replaced one by one; `types` is what `npu-partition --shapes` says of tensors."""

    def __init__(self, model, types):
        self.model, self.graph, self.types = model, model.graph, types
        self.nodes = [[node] for node in model.graph.node]
        self.count = 0
        self.initializers = {tensor.name: tensor for tensor in model.graph.initializer}
        self.producers = {name: node for node in model.graph.node for name in node.output}
        self.inputs = {value.name for value in model.graph.input}

    def node(self, index):
        return self.graph.node[index]

    def name(self, word):
        self.count += 1
        return f"mended_{word}_{self.count}"

    def constant(self, array, word="constant"):
        tensor = numpy_helper.from_array(np.asarray(array), self.name(word))
        self.graph.initializer.append(tensor)
        return tensor.name

    def is_constant(self, name):
        producer = self.producers.get(name)
        return name in self.initializers or producer is not None and producer.op_type == "Constant"

    def array(self, name):
        """Elements of a constant, or None where it is none or they lie in another file."""
        tensor, producer = self.initializers.get(name), self.producers.get(name)
        if tensor is None and producer is not None and producer.op_type == "Constant":
            tensor = next((attribute.t for attribute in producer.attribute if attribute.name == "value"), None)
            for attribute in producer.attribute:
                if attribute.name in ("value_int", "value_ints", "value_float", "value_floats"):
                    kind = np.int64 if "int" in attribute.name else np.float32
                    return np.array(helper.get_attribute_value(attribute), kind)
        if tensor is None or tensor.data_location == TensorProto.EXTERNAL:
            return None
        return numpy_helper.to_array(tensor)

    def typed(self):
        return [(name, told) for name, told in self.types.items() if name not in ("names", "?") and told]

    def dims(self, name):
        if name in self.initializers:
            return list(self.initializers[name].dims)
        dims = self.types.get(name, [0, None])[1]
        if dims is None or not all(isinstance(dim, int) for dim in dims):
            raise NotDone(f"the shape of {name} is not known")
        return dims

    def element_type(self, name):
        return self.initializers[name].data_type if name in self.initializers else self.types[name][0]

    def reshape(self, source, dims, result=None):
        result = result or self.name("reshaped")
        return helper.make_node("Reshape", [source, self.constant(np.array(dims, np.int64), "dims")], [result])

    def finish(self):
        """What nothing uses any more goes."""
        nodes = [node for place in self.nodes for node in place]
        were_used = used_names(self.graph.node)
        results = {value.name for value in self.graph.output}
        while True:
            dead = were_used - used_names(nodes) - results
            kept = [node for node in nodes if not dead.issuperset(filter(None, node.output))]
            if len(kept) == len(nodes):
                break
            nodes = kept
        del self.graph.node[:]
        self.graph.node.extend(nodes)


def attributes_of(node):
    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}


def used_names(nodes):
    """Of tensors that nodes or their bodies read."""
    names = set()
    for node in nodes:
        names.update(node.input)
        for attribute in node.attribute:
            for body in [attribute.g, *attribute.graphs]:
                names |= used_names(body.node) | {value.name for value in body.output}
    return names


# ---- one node for another ------------------------------------------------------------------------------------


def swap_operands(edit, indices):
    """mul-order: the weight second."""
    for index in indices:
        node = edit.node(index)
        if node.op_type != "Mul" or not edit.is_constant(node.input[0]):
            raise NotDone(f"{node.name} has no constant in front")
        node.input[0], node.input[1] = node.input[1], node.input[0]


def gather_by_reshape(edit, indices):
    """gathernd: Reshape where all elements are taken in order, else Gather between two."""
    for index in indices:
        node = edit.node(index)
        data, places = edit.dims(node.input[0]), edit.array(node.input[1])
        if places is None or attributes_of(node).get("batch_dims", 0) or 0 in data:
            raise NotDone(f"indices of {node.name} are not constant")
        depth = places.shape[-1]
        front, rest = data[:depth], data[depth:]
        flat = np.ravel_multi_index(tuple(np.moveaxis(np.where(places < 0, places + front, places), -1, 0)), front)
        result = list(places.shape[:-1]) + rest
        if np.array_equal(flat.ravel(), np.arange(math.prod(front))):
            edit.nodes[index] = [edit.reshape(node.input[0], result, node.output[0])]
            continue
        joined = edit.reshape(node.input[0], [math.prod(front), *rest])
        gather = helper.make_node("Gather", [joined.output[0], edit.constant(flat.ravel())], [edit.name("gathered")])
        edit.nodes[index] = [joined, gather, edit.reshape(gather.output[0], result, node.output[0])]


def compare_with_itself(edit, indices):
    """isnan-eq"""
    for index in indices:
        node = edit.node(index)
        equal = helper.make_node("Equal", [node.input[0], node.input[0]], [edit.name("equal")])
        edit.nodes[index] = [equal, helper.make_node("Not", equal.output, node.output)]


def compare_strictly(edit, indices):
    """ge-le: Not(Less) for integers; floats may be NaN."""
    for index in indices:
        node = edit.node(index)
        greater = node.op_type == "GreaterOrEqual"
        if edit.element_type(node.input[0]) in (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE):
            strict = helper.make_node("Greater" if greater else "Less", node.input, [edit.name("strict")])
            equal = helper.make_node("Equal", node.input, [edit.name("equal")])
            either = helper.make_node("Or", [strict.output[0], equal.output[0]], node.output)
            edit.nodes[index] = [strict, equal, either]
        else:
            strict = helper.make_node("Less" if greater else "Greater", node.input, [edit.name("strict")])
            edit.nodes[index] = [strict, helper.make_node("Not", strict.output, node.output)]


def raise_rank_of_scale(edit, indices):
    """scale-softmax: the scalar in front of a Softmax gets rank 1."""
    for index in indices:
        node = edit.node(index)
        for place, name in enumerate(node.input):
            value = edit.array(name)
            if value is not None and value.ndim == 0:
                node.input[place] = edit.constant(value.reshape(1))


def mask_by_addition(edit, indices):
    """attn-floatmask"""
    masks = {}
    for index in indices:
        node = edit.node(index)
        mask = node.input[3]
        if mask not in masks:
            kind = helper.tensor_dtype_to_np_dtype(edit.element_type(node.input[0]))
            zero, low = edit.constant(np.array(0, kind)), edit.constant(np.array(-np.inf, kind))
            where = helper.make_node("Where", [mask, zero, low], [edit.name("mask")])
            edit.nodes[index] = [where, node]
            masks[mask] = where.output[0]
        node.input[3] = masks[mask]


def cast_by_type(edit, indices):
    """castlike"""
    for index in indices:
        node = edit.node(index)
        edit.nodes[index] = [helper.make_node("Cast", node.input[:1], node.output, to=edit.element_type(node.input[1]))]


def multiply_matrices(edit, indices):
    """einsum: of two operands without a label that only one of them sums."""
    for index in indices:
        node = edit.node(index)
        terms, result = attributes_of(node)["equation"].decode().replace(" ", "").split("->")
        terms = terms.split(",")
        if len(terms) == 1 and sorted(terms[0]) == sorted(set(result)):
            edit.nodes[index] = [helper.make_node("Transpose", node.input, node.output,
                                                  perm=[terms[0].index(label) for label in result])]
            continue
        if len(terms) != 2 or any(len(set(term)) < len(term) or "." in term for term in terms):
            raise NotDone(f"equation of {node.name}")
        left, right = terms
        sizes = {label: dim for term, name in zip(terms, node.input) for label, dim in zip(term, edit.dims(name))}
        batch = [label for label in result if label in left and label in right]
        rows = [label for label in result if label in left and label not in right]
        columns = [label for label in result if label in right and label not in left]
        summed = [label for label in left if label in right and label not in result]
        if len(batch + rows + summed) != len(left) or len(batch + columns + summed) != len(right):
            raise NotDone(f"equation of {node.name}")
        made, operands = [], []
        product = lambda labels: math.prod(sizes[label] for label in labels)
        for term, name, parts in zip(terms, node.input, ((batch, rows, summed), (batch, summed, columns))):
            order = [label for part in parts for label in part]
            made.append(helper.make_node("Transpose", [name], [edit.name("turned")],
                                         perm=[term.index(label) for label in order]))
            made.append(edit.reshape(made[-1].output[0], [product(part) for part in parts]))
            operands.append(made[-1].output[0])
        made.append(helper.make_node("MatMul", operands, [edit.name("product")]))
        order = batch + rows + columns
        made.append(edit.reshape(made[-1].output[0], [sizes[label] for label in order]))
        made.append(helper.make_node("Transpose", made[-1].output, node.output,
                                     perm=[order.index(label) for label in result]))
        edit.nodes[index] = made


def join_front(edit, indices):
    """rank: a first dimension of 1 joins the second, in all nodes that depend on those."""
    joined = {}
    wide = {name for name, (_, dims) in edit.typed() if dims is not None and len(dims) > 5}
    indices = sorted({*indices, *(i for i, node in enumerate(edit.graph.node) if wide & {*node.input, *node.output})})

    def lower(name):
        return joined.get(name, name)

    for index in indices:
        node, result = edit.node(index), onnx.NodeProto.FromString(edit.node(index).SerializeToString())
        dims = edit.dims(node.output[0])
        for name in [*node.input, *node.output]:
            if name in edit.types and len(edit.dims(name)) > 5 and (edit.dims(name)[0] != 1 or len(dims) < 5):
                raise NotDone(f"dimensions of {node.name}")
        if len(dims) > 5:
            joined[node.output[0]] = result.output[0] = edit.name("joined")
        if node.op_type in ("Reshape", "Unsqueeze"):
            edit.nodes[index] = [edit.reshape(node.input[0], dims[1:], result.output[0])]
            continue
        for place, name in enumerate(node.input):
            result.input[place] = lower(name)
        edit.nodes[index] = [result]
        if node.op_type == "Slice":
            axes = edit.array(node.input[3])
            result.input[3] = edit.constant(np.where(axes > 0, axes - 1, axes))
        elif node.op_type == "Gather":
            axis = attributes_of(node)["axis"]
            del result.attribute[:]
            result.attribute.append(helper.make_attribute("axis", axis - 1 if axis > 0 else axis))
            result.output[0] = edit.name("gathered")
            edit.nodes[index].append(edit.reshape(result.output[0], dims, node.output[0]))
        elif node.op_type not in ("Add", "Sub", "Mul", "Div"):
            raise NotDone(node.op_type)
    if used_names(node for place in edit.nodes for node in place) & set(joined):
        raise NotDone("other nodes use a tensor of rank 6")


def fold(edit, indices):
    for index in indices:
        node = edit.node(index)
        value = evaluate(edit, node.output[0])
        edit.graph.initializer.append(numpy_helper.from_array(value, node.output[0]))
        edit.nodes[index] = []


def evaluate(edit, result):
    """The elements of a tensor that depends on nothing but constants, and on shapes that are known."""
    nodes, given, todo, seen = [], [], [result], set()
    while todo:
        name = todo.pop()
        node = edit.producers.get(name)
        if not name or name in seen:
            continue
        seen.add(name)
        if node is not None and node.op_type == "Shape":
            given.append(numpy_helper.from_array(np.array(edit.dims(node.input[0]), np.int64), name))
        elif node is not None:
            nodes.append(node)
            todo += node.input
        elif edit.array(name) is None:
            raise NotDone(f"{name} is not constant")
        else:
            given.append(edit.initializers[name])
    nodes.sort(key=list(edit.graph.node).index)
    graph = helper.make_graph(nodes, "folded", [], [onnx.ValueInfoProto(name=result)], given)
    model = helper.make_model(graph, opset_imports=edit.model.opset_import)
    return np.asarray(ReferenceEvaluator(model).run(None, {})[0])


# ---- control flow --------------------------------------------------------------------------------------------


def copy_body(edit, body, given):
    """Nodes of a body in the names of the graph round it, and the names of its results."""
    names, nodes = dict(given), []
    for tensor in body.initializer:
        copy = TensorProto.FromString(tensor.SerializeToString())
        copy.name = names[tensor.name] = edit.name("weight")
        edit.graph.initializer.append(copy)
    for node in body.node:
        copy = onnx.NodeProto.FromString(node.SerializeToString())
        copy.name = ""
        rename_captured(copy, names)
        for place, name in enumerate(node.output):
            if name:
                copy.output[place] = names[name] = edit.name(name)
        nodes.append(copy)
    return nodes, [names.get(value.name, value.name) for value in body.output]


def rename_captured(node, names):
    for place, name in enumerate(node.input):
        node.input[place] = names.get(name, name)
    for attribute in node.attribute:
        for body in [attribute.g, *attribute.graphs]:
            own = {value.name for value in body.input} | {tensor.name for tensor in body.initializer}
            own |= {name for inner in body.node for name in inner.output}
            seen = {name: new for name, new in names.items() if name not in own}
            for inner in body.node:
                rename_captured(inner, seen)
            for value in body.output:
                value.name = seen.get(value.name, value.name)


def identities(sources, results):
    return [helper.make_node("Identity", [source], [result]) for source, result in zip(sources, results) if result]


def take_branch(branch):
    """if-const: one branch in place of the If."""
    def rewrite(edit, indices):
        for index in indices:
            node = edit.node(index)
            nodes, results = copy_body(edit, attributes_of(node)[branch], {})
            edit.nodes[index] = nodes + identities(results, node.output)
    return rewrite


def choose_results(edit, indices):
    """if-where"""
    for index in indices:
        node = edit.node(index)
        bodies = attributes_of(node)
        taken, yes = copy_body(edit, bodies["then_branch"], {})
        other, no = copy_body(edit, bodies["else_branch"], {})
        condition, made = node.input[0], []
        if len(edit.dims(condition)) > min(len(edit.dims(result)) for result in node.output):
            made.append(edit.reshape(condition, []))
            condition = made[0].output[0]
        made += [helper.make_node("Where", [condition, *pair], [result])
                 for *pair, result in zip(yes, no, node.output)]
        edit.nodes[index] = [*taken, *other, *made]


def unroll_loop(edit, index):
    node = edit.node(index)
    body = attributes_of(node)["body"]
    trips = edit.array(node.input[0])
    trips = TRIPS if trips is None else int(trips)
    carried, made = list(node.input[2:]), []
    scanned = [[] for _ in range(len(body.output) - 1 - len(carried))]
    for trip in range(trips):
        given = [edit.constant(np.array(trip, np.int64)), edit.constant(np.array(True)), *carried]
        nodes, results = copy_body(edit, body, dict(zip((value.name for value in body.input), given)))
        made += nodes
        carried = results[1:1 + len(carried)]
        for values, name in zip(scanned, results[1 + len(carried):]):
            values.append(name)
    made += join_scanned(edit, scanned, node.output[len(carried):])
    edit.nodes[index] = made + identities(carried, node.output)


def unroll_scan(edit, index):
    node = edit.node(index)
    told = attributes_of(node)
    body, count = told["body"], told["num_scan_inputs"]
    if any(any(told.get(f"scan_{word}", [])) for word in
           ("input_directions", "output_directions", "input_axes", "output_axes")):
        raise NotDone(f"directions of {node.name}")
    carried, sources = list(node.input[:-count]), node.input[-count:]
    made, scanned = [], [[] for _ in range(len(body.output) - len(carried))]
    for trip in range(edit.dims(sources[0])[0]):
        places = edit.constant(np.array(trip, np.int64))
        items = [helper.make_node("Gather", [source, places], [edit.name("item")]) for source in sources]
        given = carried + [item.output[0] for item in items]
        nodes, results = copy_body(edit, body, dict(zip((value.name for value in body.input), given)))
        made += items + nodes
        carried = results[:len(carried)]
        for values, name in zip(scanned, results[len(carried):]):
            values.append(name)
    made += join_scanned(edit, scanned, node.output[len(carried):])
    edit.nodes[index] = made + identities(carried, node.output)


def join_scanned(edit, scanned, results):
    made = []
    axes = edit.constant(np.array([0], np.int64)) if scanned else None
    for values, result in zip(scanned, results):
        if result:
            parts = [helper.make_node("Unsqueeze", [value, axes], [edit.name("part")]) for value in values]
            made += parts + [helper.make_node("Concat", [part.output[0] for part in parts], [result], axis=0)]
    return made


def unroll(edit, indices):
    for index in indices:
        {"Loop": unroll_loop, "Scan": unroll_scan}[edit.node(index).op_type](edit, index)


# ---- quantization --------------------------------------------------------------------------------------------


def wrap_pools(edit, indices):
    """qoperator, of MaxPool: the scale and zero point of what makes its operand."""
    for index in indices:
        node = edit.node(index)
        maker = edit.producers[node.input[0]]
        if node.op_type != "MaxPool" or maker.op_type != "QLinearConv":
            raise NotDone(f"{node.op_type} after {maker.op_type}")
        parameters = maker.input[6:8]
        floats = helper.make_node("DequantizeLinear", [node.input[0], *parameters], [edit.name("float")])
        pool = onnx.NodeProto.FromString(node.SerializeToString())
        pool.input[0], pool.output[0] = floats.output[0], edit.name("pooled")
        back = helper.make_node("QuantizeLinear", [pool.output[0], *parameters], node.output)
        edit.nodes[index] = [floats, pool, back]


def fuse_gelu(edit, indices):
    """gelu-qdq: from the first Div to the last Mul, with all pairs of Q and DQ between."""
    pairs = ("QuantizeLinear", "DequantizeLinear")
    readers = {}
    for node in edit.graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)

    for index in indices:
        node = edit.producers[edit.node(index).input[0]]
        while node.op_type in pairs:
            node = edit.producers[node.input[0]]
        source, wanted, last = node.input[0], ["Add", "Mul", "Mul"], edit.node(index)
        if node.op_type != "Div":
            raise NotDone(f"{node.op_type} in front of Erf")
        while wanted:
            last, = readers[last.output[0]]
            if last.op_type == wanted[0]:
                del wanted[0]
            elif last.op_type not in pairs:
                raise NotDone(f"{last.op_type} after Erf")
        place = next(i for i, other in enumerate(edit.graph.node) if other is last or other == last)
        edit.nodes[place] = [helper.make_node("Gelu", [source], last.output, domain="com.microsoft")]
    if all(entry.domain != "com.microsoft" for entry in edit.model.opset_import):
        edit.model.opset_import.append(helper.make_opsetid("com.microsoft", 1))


# By name: the operators that it rewrites ("" for all), and how. Other nodes of the same cause come with them.
BY_NAME = {
    "gelu-qdq": ("Erf", fuse_gelu),
    "rank": ("", join_front),
    "fold": ("", fold),
    "mul-order": ("Mul", swap_operands),
    "gathernd": ("GatherND", gather_by_reshape),
    "isnan-eq": ("IsNaN", compare_with_itself),
    "ge-le": ("GreaterOrEqual LessOrEqual", compare_strictly),
    "scale-softmax": ("Mul", raise_rank_of_scale),
    "attn-floatmask": ("Attention", mask_by_addition),
    "castlike": ("CastLike", cast_by_type),
    "einsum": ("Einsum", multiply_matrices),
    "if-where": ("If", choose_results),
    "unroll": ("Loop Scan", unroll),
    "qoperator": ("MaxPool", wrap_pools),
}
