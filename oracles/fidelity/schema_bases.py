# SPDX-License-Identifier: Apache-2.0
"""Models of one node for each version of each operator, made from their schemas: node tests have few of the old ones.

Of each formal parameter a type that it allows is taken, and shapes and attributes are tried until the standard's strict
inference accepts the node; kept is that of which it knows most.
"""
import itertools

import onnx
import onnx.defs
import onnx.shape_inference
from onnx import TensorProto, helper

DOMAINS = ("", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training")
KEPT_A_VERSION = 2
ENOUGH_ACCEPTED = 24
MOST_TRIED = 6000

# What is tried first as the type of a parameter that allows several: one order after the other.
TYPE_ORDERS = (
    ("tensor(float)", "seq(tensor(float))", "tensor(int64)", "tensor(int8)", "tensor(bool)"),
    ("tensor(int64)", "tensor(float)", "tensor(string)"),
    ("tensor(uint8)", "tensor(int8)", "tensor(float)"),
    ("tensor(string)", "tensor(int64)", "tensor(float)"),
    ("seq(tensor(float))", "optional(tensor(float))", "tensor(float)"),
)

# Attributes by name, or by operator and name, as functions of the first operand's rank: those that shapes depend on.
ATTRIBUTES = {
    "axes": lambda rank: [rank - 1] if rank > 1 else [0], "axis": lambda rank: 1 if rank > 1 else 0,
    "kernel_shape": lambda rank: [2] * max(rank - 2, 1), "starts": lambda rank: [0], "ends": lambda rank: [1],
    "pads": lambda rank: [1] * max(2 * (rank - 2), 2), "output_shape": lambda rank: [4] * max(rank - 2, 1),
    "split": lambda rank: [1, 1], "k": lambda rank: 1, "keepdims": lambda rank: 0, "pooled_shape": lambda rank: [2, 2],
    "perm": lambda rank: list(range(rank))[::-1], "shape": lambda rank: [2, 3], "hidden_size": lambda rank: 2,
    "blocksize": lambda rank: 2, "to": lambda rank: TensorProto.INT32, "dtype": lambda rank: TensorProto.FLOAT16,
    "equation": lambda rank: "ij,jk->ik", "num_outputs": lambda rank: 2, "scales": lambda rank: [2.0] * rank,
    "value": lambda rank: helper.make_tensor("value", TensorProto.FLOAT, [1], [1.0]), "sample_size": lambda rank: 3,
    "num_heads": lambda rank: 2, "kv_num_heads": lambda rank: 2, "q_num_heads": lambda rank: 2,
    "output_height": lambda rank: 2, "output_width": lambda rank: 2, "noop_with_empty_axes": lambda rank: 1,
    "allowzero": lambda rank: 1, "reduction": lambda rank: "none", "block_size": lambda rank: 2,
    "ceil_mode": lambda rank: 1, "broadcast": lambda rank: 1, "is_test": lambda rank: 1, "auto_pad": lambda rank:
    "SAME_UPPER", "width_scale": lambda rank: 2.0, "height_scale": lambda rank: 2.0, "transA": lambda rank: 1,
    "cats_int64s": lambda rank: [1, 2, 3], "inputdimensions": lambda rank: [2], "int64_vocabulary": lambda rank: [1, 2],
    "string_vocabulary": lambda rank: ["a", "b"], "coefficients": lambda rank: [1.0, 2.0], "targets": lambda rank: 2,
    "classlabels_ints": lambda rank: [0, 1], "classlabels_int64s": lambda rank: [0, 1], "n_targets": lambda rank: 2,
    "imputed_value_floats": lambda rank: [1.0], "imputed_value_int64s": lambda rank: [1], "direction": lambda rank:
    "bidirectional", "value_float": lambda rank: 1.0, "value_ints": lambda rank: [1, 2], "layout": lambda rank: 1,
    "cats_strings": lambda rank: ["a", "b", "c"], "keys_int64s": lambda rank: [1], "values_floats": lambda rank: [1.0],
    "value_int": lambda rank: 1, "value_floats": lambda rank: [1.0], "value_string": lambda rank: "a",
    "value_strings": lambda rank: ["a"], "type": lambda rank: helper.make_tensor_type_proto(1, [2]),
    ("Pad", "pads"): lambda rank: [1] * (2 * rank), ("Reshape", "shape"): lambda rank: [-1],
    ("Pad", "paddings"): lambda rank: [1] * (2 * rank), ("DepthToSpace", "blocksize"): lambda rank: 1,
}

# Attributes that a node must have although the schema does not say so, and a shape other than what is tried of all.
REQUIRED = {"CategoryMapper": ("cats_int64s", "cats_strings")}
SIZES = {("MaxRoiPool", 1): [2, 5], ("GroupNormalization", 1): [2], ("GroupNormalization", 2): [2]}


def default_of(attribute):
    kinds = onnx.defs.OpSchema.AttrType
    return {kinds.INT: 1, kinds.FLOAT: 1.0, kinds.STRING: "a", kinds.INTS: [1], kinds.FLOATS: [1.0],
            kinds.STRINGS: ["a"], kinds.TENSOR: helper.make_tensor("value", TensorProto.FLOAT, [1], [1.0]),
            kinds.TYPE_PROTO: helper.make_tensor_type_proto(TensorProto.FLOAT, [2])}.get(attribute.type)


def attribute_sets(schema, rank):
    """The required attributes alone, then with each other one that shapes depend on; none where one cannot be made."""
    values = {name: ATTRIBUTES.get((schema.name, name), ATTRIBUTES.get(name, lambda _, a=attribute: default_of(a)))(rank)
              for name, attribute in schema.attributes.items()}
    required = {name: values[name] for name, attribute in schema.attributes.items() if attribute.required or
                name in REQUIRED.get(schema.name, ())}
    if any(value is None for value in required.values()):
        return
    yield required
    known = [name for name, attribute in schema.attributes.items() if not attribute.required and
             ((schema.name, name) in ATTRIBUTES or name in ATTRIBUTES)]
    for name in known:
        yield {**required, name: values[name]}
    for a, b in itertools.combinations(known, 2):
        yield {**required, a: values[a], b: values[b]}


def make_type(text, sizes):
    """The type that a schema writes as tensor(float), seq(tensor(int64)), map(int64, tensor(float)), ..."""
    head, _, rest = text.partition("(")
    inside = rest[:-1]
    if head == "seq":
        return helper.make_sequence_type_proto(make_type(inside, sizes))
    if head == "optional":
        return helper.make_optional_type_proto(make_type(inside, sizes))
    if head == "map":
        key, _, value = inside.partition(",")
        value = value.strip()
        return helper.make_map_type_proto(getattr(TensorProto, key.strip().upper()), make_type(
            value if "(" in value else f"tensor({value})", [] if "(" not in value else sizes))
    return helper.make_tensor_type_proto(getattr(TensorProto, inside.upper()), sizes)


def chosen_types(schema, order):
    """{type variable: a type that it allows}."""
    chosen = {}
    for constraint in schema.type_constraints:
        allowed = constraint.allowed_type_strs
        chosen[constraint.type_param_str] = next((text for text in order if text in allowed), sorted(allowed)[0])
    return chosen


def sides(schema):
    """How many operands and results: those that must be there, all, and one more than must."""
    def counts(formals, least, most):
        most = min(most, len(formals) + 1)
        return [c for c in dict.fromkeys((least, most, least + 1, least + 2)) if least <= c <= most]
    for outputs in counts(schema.outputs, max(schema.min_output, 1), schema.max_output)[::-1]:
        for inputs in counts(schema.inputs, schema.min_input, schema.max_input):
            yield inputs, outputs


def rank_choices(count):
    uniform = [(rank,) * count for rank in (4, 3, 2, 1, 5, 0)]
    mixed = itertools.product((4, 3, 2, 1, 0), repeat=count) if count <= 3 else \
        ((*first, *(1,) * (count - 2)) for first in itertools.product((4, 3, 2, 1), repeat=2))
    return dict.fromkeys([*uniform, *mixed]) if count else {(): None}


def attempts(schema):
    for order in TYPE_ORDERS:
        types = chosen_types(schema, order)
        for inputs, outputs in sides(schema):
            formals = [schema.inputs[min(i, len(schema.inputs) - 1)] for i in range(inputs)]
            texts = [types.get(formal.type_str, formal.type_str) for formal in formals]
            for ranks in rank_choices(inputs):
                for sizes in ([2, 2, 2, 2, 2], [1, 4, 2, 3, 2]):
                    for attributes in attribute_sets(schema, ranks[0] if ranks else 2):
                        yield texts, ranks, sizes, attributes, outputs


def build(schema, texts, ranks, sizes, attributes, outputs):
    operands = [f"x{i}" for i in range(len(texts))]
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(schema.name, operands, results, domain=schema.domain, **attributes)
    given = [helper.make_value_info(name, make_type(text, SIZES.get((schema.name, i), sizes)[:rank]))
             for i, (name, text, rank) in enumerate(zip(operands, texts, ranks))]
    graph = helper.make_graph([node], "graph", given, [onnx.ValueInfoProto(name=name) for name in results])
    opsets = {"": 20, schema.domain: schema.since_version}
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid(*o) for o in opsets.items()])


def knowledge(model):
    """How many types, ranks and dims the standard's inference knows of results; None where it refuses the model."""
    try:
        inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True)
    except Exception:  # pylint: disable=broad-except  InferenceError is no public class of every version
        return None
    known = 0
    for value in inferred.graph.output:
        kind = value.type.tensor_type
        known += value.type.WhichOneof("value") is not None
        known += kind.HasField("shape") + sum(dim.HasField("dim_value") for dim in kind.shape.dim)
    return known


def bases_of(schema):
    """Models of one node of this version of the operator, those of which most is known."""
    accepted = {}
    for texts, ranks, sizes, attributes, outputs in itertools.islice(attempts(schema), MOST_TRIED):
        try:
            model = build(schema, texts, ranks, sizes, attributes, outputs)
        except (TypeError, ValueError, AttributeError):
            continue
        known = knowledge(model)
        if known is None:
            continue
        looks = (tuple(texts), ranks, tuple(sorted(attributes)), outputs)
        if looks not in accepted:
            accepted[looks] = (known, model)
        if len(accepted) >= ENOUGH_ACCEPTED:
            break
    best = sorted(accepted.items(), key=lambda item: -item[1][0])
    kept = {}
    for looks, (_, model) in best:  # one of each set of attributes first: they are what versions differ in
        kept.setdefault(looks[2], model)
    rest = [model for _, (_, model) in best if all(model is not other for other in kept.values())]
    return [*kept.values(), *rest][:KEPT_A_VERSION + len(kept) // 4]


def schema_bases(newest):
    """([(name, version, model)], {(domain, operator, version) of which none can be built})."""
    made, lacking = [], set()
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain not in DOMAINS or schema.deprecated or \
                (schema.domain == "" and schema.since_version > newest):
            continue
        models = bases_of(schema)
        made += [(f"schema_{i}", schema.since_version, model) for i, model in enumerate(models)]
        if not models:
            lacking.add((schema.domain, schema.name, schema.since_version))
    return made, lacking
