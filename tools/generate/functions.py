#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write lib/target/schema/functions.def: the bodies of operators that the standard defines by functions.

usage: functions.py > lib/target/schema/functions.def
Needs:  pip install onnx onnxruntime   (bodies come from the first, the CPU provider's kernels from the second)

Listed are the operators that ONNX Runtime's CPU provider has no kernel for, or none for some element type: only these
are ever inlined. Where a body depends on the node, every variant is asked for, and the variants are written as one
body whose statements carry conditions. Attributes and element types that a body repeats are found by asking with
values that stand nowhere else.
"""
import difflib
import itertools
import sys

import onnx
import onnx.defs
import onnxruntime
from onnx import AttributeProto, TensorProto, helper, numpy_helper
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

# Bodies that this script cannot write, or that are of no use: attention and normalizations lack a CPU kernel for double
# and bfloat16 alone; a window's type is an attribute; the bodies of AffineGrid and SequenceMap hold graphs.
LEFT_OUT = {"AffineGrid", "Attention", "BlackmanWindow", "Celu", "DynamicQuantizeLinear", "HammingWindow", "HannWindow",
            "LayerNormalization", "RMSNormalization", "RotaryEmbedding", "SequenceMap", "Shrink"}
OLD = {("NegativeLogLikelihoodLoss", 12), ("SoftmaxCrossEntropyLoss", 12)}  # have constants of INT32
OLDEST = 12  # from here on Constant takes numbers, which is how this writes them
NEWEST = 26  # opset that this onnxruntime loads models of
TYPES = [TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.INT16]  # of inputs, by place: none stands in a body
PROBES = {AttributeProto.INT: 7717, AttributeProto.FLOAT: 0.1875, AttributeProto.INTS: [7718, 7719],
          AttributeProto.STRING: "probe", "stash_type": TensorProto.BFLOAT16, "dtype": TensorProto.COMPLEX128}
WORDS = {"reduction": ["mean", "none", "sum"], "approximate": ["none", "tanh"]}  # that bodies depend on


def probe(name, attribute):
    """What a node is given for an attribute; None where nothing is."""
    return PROBES.get(name, PROBES.get(attribute.type))


class Variants:
    """The ways in which nodes of an operator differ: (name of an input, output or attribute, values)."""

    def __init__(self, schema):
        self.schema = schema
        self.axes = [(schema.inputs[0].name + ":float", [True, False])]
        for operand in list(schema.inputs) + list(schema.outputs)[1:]:
            if int(operand.option.value) == 1:
                self.axes.append((operand.name, [True, False]))
        for name, attribute in sorted(schema.attributes.items()):
            if name in WORDS:
                self.axes.append((name, WORDS[name]))
            elif not attribute.required and not attribute.default_value.type:
                self.axes.append((name, [True, False]))

    def __iter__(self):
        for values in itertools.product(*(values for _, values in self.axes)):
            yield dict(zip((name for name, _ in self.axes), values))

    def node(self, variant):
        inputs = [o.name if variant.get(o.name, True) else "" for o in self.schema.inputs]
        outputs = [o.name if variant.get(o.name, True) else "" for o in self.schema.outputs]
        while inputs and not inputs[-1]:
            inputs.pop()
        while outputs and not outputs[-1]:
            outputs.pop()
        attributes = {}
        for name, attribute in self.schema.attributes.items():
            if name in WORDS:
                attributes[name] = variant[name]
            elif variant.get(name, True):
                attributes[name] = probe(name, attribute)
        return helper.make_node(self.schema.name, inputs, outputs, **attributes)

    def types(self, variant):
        """Element types of the inputs; the first is float or not, which some bodies cast to."""
        types = [TYPES[i % len(TYPES)] for i in range(len(self.schema.inputs))]
        if variant[self.axes[0][0]]:
            types[0] = TensorProto.FLOAT
        return types

    def literals(self):
        """Conditions, as text and as what they ask of a variant."""
        for name, values in self.axes:
            if values == [True, False]:
                yield name, lambda v, n=name: v[n]
                yield "!" + name, lambda v, n=name: not v[n]
            else:
                for value in values:
                    yield f"{name}:{value}", lambda v, n=name, x=value: v[n] == x
                    yield f"!{name}:{value}", lambda v, n=name, x=value: v[n] != x


def bodies(schema, opset):
    """[(variant, statements)] of the body that serves models of an opset."""
    variants = Variants(schema) if schema.has_context_dependent_function else None
    if not variants:
        function = schema.get_function_with_opset_version(opset)
        if isinstance(function, bytes):
            function = onnx.FunctionProto.FromString(function)
        return None, [({}, [statement(schema, node, []) for node in function.node])]
    found = []
    for variant in variants:
        types = variants.types(variant)
        node = variants.node(variant)
        raw = schema.get_context_dependent_function_with_opset_version(opset, node.SerializeToString(),
                                                                       [helper.make_tensor_type_proto(t, None)
                                                                        .SerializeToString()
                                                                        for t in types[:len(node.input)]])
        function = onnx.FunctionProto.FromString(raw)
        found.append((variant, [statement(schema, node, types) for node in function.node]))
    return variants, found


def plain(value):
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def probe_of(schema, value):
    """"@name" of the attribute that was given this value, or None."""
    for name, attribute in schema.attributes.items():
        if name not in WORDS and probe(name, attribute) == value:
            return "@" + name
    return None


def element(schema, name, value, types):
    found = probe_of(schema, value)
    if found and (found != "@stash_type" or name == "to"):
        return found
    if name in ("to", "dtype") and value in types:
        return "$" + schema.inputs[types.index(value)].name
    return plain(value)


def attribute_text(schema, attribute, types):
    name = attribute.name
    if attribute.ref_attr_name:
        return f"{name}=@{attribute.ref_attr_name}"
    value = helper.get_attribute_value(attribute)
    if attribute.type == AttributeProto.TENSOR:
        array = numpy_helper.to_array(value)
        kinds = {TensorProto.INT64: ("int", "i"), TensorProto.FLOAT: ("float", "f")}
        if value.data_type not in kinds or array.ndim > 1 or name != "value":
            raise SystemExit(f"{schema.name}: a constant of type {value.data_type} with {array.ndim} dims")
        word, letter = kinds[value.data_type]
        name = "value_" + word + ("s" if array.ndim else "")
        value = array.tolist()
        letter = letter.upper() if array.ndim else letter
    else:
        letter = {AttributeProto.INT: "i", AttributeProto.FLOAT: "f", AttributeProto.STRING: "s",
                  AttributeProto.INTS: "I", AttributeProto.FLOATS: "F"}[attribute.type]
        value = value.decode() if letter == "s" else value
    if letter in "IF":
        whole = probe_of(schema, list(value))
        each = ",".join(element(schema, name, v, types) for v in value)
        return f"{name}={whole}" if whole else f"{name}={letter}:{each}"
    return f"{name}={letter}:{element(schema, name, value, types)}"


def statement(schema, node, types):
    words = [",".join(node.output) + "=" + node.op_type]
    words += [name or "-" for name in node.input]
    words += [attribute_text(schema, attribute, types) for attribute in node.attribute]
    return " ".join(words)


def merged(found):
    """All statements in an order that every variant keeps."""
    order = []
    for _, statements in found:
        matcher = difflib.SequenceMatcher(None, order, statements, autojunk=False)
        together = []
        for what, a, b, c, d in matcher.get_opcodes():
            together += order[a:b]
            together += statements[c:d] if what != "equal" else []
        order = together
    return order


def condition(variants, present, everywhere):
    """The shortest conjunctions that hold for just these variants; several where one does not do."""
    if len(present) == len(everywhere):
        return [""]
    literals = list(variants.literals())
    for size in (1, 2, 3):
        for chosen in itertools.combinations(literals, size):
            holds = [i for i, v in enumerate(everywhere) if all(test(v) for _, test in chosen)]
            if holds == present:
                return ["&".join(text for text, _ in chosen) + "?"]
    best = None  # the conjunction that covers most without covering another
    for size in (1, 2, 3, 4):
        for chosen in itertools.combinations(literals, size):
            holds = [i for i, v in enumerate(everywhere) if all(test(v) for _, test in chosen)]
            if holds and set(holds) <= set(present) and (best is None or len(holds) > len(best[0])):
                best = (holds, "&".join(text for text, _ in chosen) + "?")
    rest = [i for i in present if i not in best[0]]
    return [best[1]] + (condition(variants, rest, everywhere) if rest else [])


def body_text(schema, opset):
    variants, found = bodies(schema, opset)
    everywhere = [variant for variant, _ in found]
    lines = []
    order = merged(found)
    if not all(statements for _, statements in found):
        raise SystemExit(f"{schema.name}: there is no body for a variant")
    # A statement that stands twice in the order, for different variants, is looked at once for each.
    taken = [0] * len(found)
    for text in order:
        present = []
        for i, (_, statements) in enumerate(found):
            if taken[i] < len(statements) and statements[taken[i]] == text:
                taken[i] += 1
                present.append(i)
        if present:
            lines += [guard + text for guard in condition(variants, present, everywhere)]
    if any(taken[i] != len(statements) for i, (_, statements) in enumerate(found)):
        raise SystemExit(f"{schema.name}: the variants' statements have no common order")
    return ";".join(lines)


def kernel_types(schema):
    """Element types of the first input that the CPU provider has a kernel for."""
    variable = schema.inputs[0].type_str
    found = set()
    for kernel in runtime.get_all_opkernel_def():
        if kernel.provider != "CPUExecutionProvider" or kernel.op_name != schema.name or kernel.domain:
            continue
        first, last = kernel.version_range
        if first != schema.since_version and (first > schema.since_version or last >= 2**31 - 1 or
                                              last < schema.since_version):
            continue
        found |= {str(t)[len("tensor("):-1] for t in kernel.type_constraints.get(variable, [])}
    return sorted(found)


def is_wanted(schema):
    is_function = schema.has_function or schema.has_context_dependent_function
    key = (schema.name, schema.since_version)
    if schema.domain or not is_function or schema.name in LEFT_OUT or key in OLD or schema.since_version > NEWEST:
        return False
    first = schema.inputs[0].type_str
    allowed = next((c.allowed_type_strs for c in schema.type_constraints if c.type_param_str == first), [])
    lacking = {t[len("tensor("):-1] for t in allowed} - set(kernel_types(schema))
    return bool(lacking - {"bfloat16", "string", "complex64", "complex128"})


def opsets(schema):
    listed = schema.context_dependent_function_opset_versions if schema.has_context_dependent_function \
        else schema.function_opset_versions
    return [opset for opset in listed if OLDEST <= opset <= NEWEST]


HEADER = """/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators of ai.onnx that the standard defines by a function, and that ONNX Runtime's CPU provider has no kernel
 * for (lib/target/release/kernels.def), or none for some element type. Generated, do not edit:
 *     tools/generate/functions.py > lib/target/schema/functions.def
 * from the functions registered in onnx {onnx} and the kernels of onnxruntime {onnxruntime}.
 *
 * FUNCTION(name, since version, opset of the body, flags, body), sorted. A row holds up to the next one of its
 * operator; without a body it has none any more.
 *   flags       f the body is fixed, and serves models to whose opset its operators have not changed
 *   body        statements with ; between: [conditions?]outputs=Op inputs attributes; - is an absent input
 *   conditions  with & between: [!]name of an input, output or attribute that is there; name:value
 *   attributes  name=kind:values, or name=@attribute of the node; values may be @attribute, $input: its type
 */"""


def rows_of(schema):
    """(opset, flags, body) of a version; one without a body where it has none."""
    if schema.domain or not (schema.has_function or schema.has_context_dependent_function):
        return []
    if not is_wanted(schema):
        return [(schema.since_version, "", "")]
    flags = "" if schema.has_context_dependent_function else "f"
    return [(opset, flags, body_text(schema, opset)) for opset in opsets(schema)]


def print_row(schema, opset, flags, text):
    print(f'FUNCTION("{schema.name}", {schema.since_version}, {opset}, "{flags}",')
    pieces = text.split(";")
    line = ""
    for i, piece in enumerate(pieces):
        piece += ";" if i + 1 < len(pieces) else ""
        if line and len(line) + len(piece) > 108:
            print(f'         "{line}"')
            line = ""
        line += piece
    print(f'         "{line}")')


def main():
    schemas = sorted(onnx.defs.get_all_schemas_with_history(), key=lambda s: (s.name, s.since_version))
    print(HEADER.format(onnx=onnx.__version__, onnxruntime=onnxruntime.__version__))
    before = {}  # by name: what the row before says, with the opset where that counts
    for schema in schemas:
        for opset, flags, text in rows_of(schema):
            says = (flags, text, opset if flags else 0)
            if says != before.get(schema.name, ("", "", 0)):
                before[schema.name] = says
                print_row(schema, opset, flags, text)
    print("#undef FUNCTION")
    return 0


if __name__ == "__main__":
    sys.exit(main())
