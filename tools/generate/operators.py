#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write lib/target/schema/operators.def: operand names, types and attributes of every operator version.

usage: operators.py > lib/target/schema/operators.def
Needs:  pip install onnx onnxruntime   (ONNX's own operators come from the first, com.microsoft's from the second)
"""
import sys

import onnx
import onnx.defs
import onnxruntime
from onnx import AttributeProto, TensorProto
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

# That onnxruntime inlines; it does not tell of a schema whether it has a body: see lib/target/schema/contrib.def.
CONTRIB_FUNCTIONS = {"FastGelu", "Gelu", "QuickGelu"}
DOMAINS = {"": 0, "ai.onnx.ml": 1, "ai.onnx.preview": 2, "ai.onnx.preview.training": 3, "com.microsoft": 4}
KIND_LETTERS = {
    AttributeProto.FLOAT: "f", AttributeProto.INT: "i", AttributeProto.STRING: "s", AttributeProto.TENSOR: "t",
    AttributeProto.GRAPH: "g", AttributeProto.FLOATS: "F", AttributeProto.INTS: "I", AttributeProto.STRINGS: "S",
    AttributeProto.TENSORS: "T", AttributeProto.GRAPHS: "G", AttributeProto.SPARSE_TENSOR: "p",
    AttributeProto.SPARSE_TENSORS: "P", AttributeProto.TYPE_PROTO: "y", AttributeProto.TYPE_PROTOS: "Y"}


def kind_letter(kind):
    """ONNX and ONNX Runtime count attribute kinds alike, in enums of their own."""
    return KIND_LETTERS[int(getattr(kind, "value", kind))]


def default_text(value):
    """The default of an attribute, '' where there is none; blanks and braces never occur in ONNX's."""
    kind = value.type
    if kind == AttributeProto.FLOAT:
        return f":{value.f:.9g}"
    if kind == AttributeProto.INT:
        return f":{value.i}"
    if kind == AttributeProto.STRING:
        return ":" + value.s.decode()
    if kind == AttributeProto.FLOATS:
        return ":" + ",".join(f"{v:.9g}" for v in value.floats)
    if kind == AttributeProto.INTS:
        return ":" + ",".join(str(v) for v in value.ints)
    if kind == AttributeProto.STRINGS:
        return ":" + ",".join(v.decode() for v in value.strings)
    return ""


def attribute_text(name, attribute):
    raw = attribute._default_value if hasattr(attribute, "_default_value") else attribute.default_value
    if isinstance(raw, bytes):  # ONNX Runtime hands the default over as serialized protobuf
        parsed = AttributeProto()
        parsed.ParseFromString(raw)
        raw = parsed
    text = default_text(raw) if raw is not None else ""
    text = text.replace(" ", "\\s")
    return f"{name}={kind_letter(attribute.type)}{'!' if attribute.required else ''}{text}"


def operand_text(operand):
    option = int(getattr(operand.option, "value", operand.option))
    mark = {0: "", 1: "?", 2: "*"}[option]
    text = operand.typeStr if hasattr(operand, "typeStr") else operand.type_str
    if text.startswith("tensor("):
        text = text[len("tensor("):-1]
    return f"{operand.name}{mark}:{text.replace(' ', '')}"


def determinism(schema):
    value = getattr(schema, "node_determinism", None)
    return value is not None and "NonDeterministic" in str(value)


TYPE_KINDS = [("t", "tensor("), ("s", "seq(tensor("), ("o", "optional(tensor("), ("q", "optional(seq(tensor("),
              ("p", "sparse_tensor("), ("m", "map("), ("n", "seq(map(")]


def type_set(names):
    """Types as letters of kinds with the numbers of their element types as a mask; of maps only the kind."""
    masks = {}
    for name in names:
        kind, start = next((kind, start) for kind, start in TYPE_KINDS if name.startswith(start))
        element = "float" if kind in "mn" else name[len(start):].rstrip(")")
        number = {"float": 1, "double": 11}.get(element) or TensorProto.DataType.Value(element.upper())
        masks[kind] = masks.get(kind, 0) | 1 << number
    return "".join(f"{kind}{'' if kind in 'mn' else format(masks[kind], 'x')}," for kind, _ in TYPE_KINDS if kind in masks)


def types_text(schema):
    """The types that each variable stands for; ! where a variadic operand's are of a type each."""
    loose = {getattr(o, "typeStr", None) or o.type_str for o in list(schema.inputs) + list(schema.outputs)
             if not getattr(o, "isHomogeneous", getattr(o, "is_homogeneous", True))}
    words = []
    for constraint in schema.type_constraints:
        name = constraint.type_param_str
        words.append(f"{name}{'!' if name in loose else ''}={type_set(constraint.allowed_type_strs)}")
    return " ".join(words)


def row(schema):
    flags = ("d" if schema.deprecated else "") + ("f" if getattr(schema, "has_function", False) else "")
    flags += "f" if getattr(schema, "has_context_dependent_function", False) and "f" not in flags else ""
    flags += "f" if schema.domain == "com.microsoft" and schema.name in CONTRIB_FUNCTIONS else ""
    flags += "r" if determinism(schema) else ""
    flags += "" if schema.has_type_and_shape_inference_function else "u"
    inputs = " ".join(operand_text(o) for o in schema.inputs)
    outputs = " ".join(operand_text(o) for o in schema.outputs)
    attributes = " ".join(attribute_text(n, a) for n, a in sorted(schema.attributes.items()))
    return (f'OPERATOR("{schema.domain}", "{schema.name}", {schema.since_version}, "{flags}", "{inputs}", "{outputs}", '
            f'"{attributes}", {schema.min_input}, {schema.min_output}, "{types_text(schema)}")')


def main():
    schemas = {(s.domain, s.name, s.since_version): s for s in onnx.defs.get_all_schemas_with_history()}
    for schema in runtime.get_all_operator_schema():
        key = (schema.domain, schema.name, schema.since_version)
        wanted = schema.domain == "com.microsoft" or (schema.domain == "" and not any(
            k[0] == "" and k[1] == schema.name for k in schemas))
        if wanted:
            schemas.setdefault(key, schema)
    print("/* SPDX-License-Identifier: Apache-2.0")
    print(" *")
    print(" * Every operator version: what its operands and attributes are called. Generated, do not edit:")
    print(" *     tools/generate/operators.py > lib/target/schema/operators.def")
    print(f" * from the schemas registered in onnx {onnx.__version__} (ai.onnx up to opset "
          f"{onnx.defs.onnx_opset_version()}) and onnxruntime {onnxruntime.__version__} (com.microsoft).")
    print(" *")
    print(" * OPERATOR(domain, name, since version, flags, inputs, outputs, attributes, least inputs, least outputs, types),")
    print(" * sorted by the first three")
    print(" *   flags       d deprecated, f defined as a function, r not deterministic, u without shape inference")
    print(" *   operands    name:type; ? optional, * variadic; equal type variables are equal types")
    print(" *   attributes  name=kind:default; ! required; kinds f i s t g F I S T G p P y Y (capitals: lists)")
    print(" *   types       variable=kinds, each with a mask of element types in hex: t tensor, s sequence, o optional,")
    print(" *               q optional sequence, p sparse tensor, m map, n sequence of maps; ! operands need not agree")
    print(" */")
    for key in sorted(schemas):
        print(row(schemas[key]))
    print("#undef OPERATOR")
    return 0


if __name__ == "__main__":
    sys.exit(main())
