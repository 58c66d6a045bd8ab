# SPDX-License-Identifier: Apache-2.0
"""Writes the models that the page is tried on, beside those of fixtures/.

usage: make_models.py OUT

OUT/hostile.onnx      names that would be more than names: markup, quotes, controls, bytes that are no text, keys of
                      JavaScript's objects, and very long ones
OUT/refused.onnx      a name with a NUL and markup, which the tool refuses in a sentence
OUT/small.onnx, OUT/changed.onnx   a network before and after a change, for comparisons
OUT/large.onnx        20,000 nodes in 400 modules, of which some fall back
Needs:  pip install onnx
"""
import sys
from pathlib import Path

import onnx
from onnx import TensorProto, helper

from names import HOSTILE

LARGE_NODES = 20000
IR_VERSION = 10
# In place of this name come bytes that are no UTF-8, equally many: a lone byte, an overlong slash, a surrogate.
NO_TEXT = (b"<no-text-here>", b"<no\xff\xc0\xaf-\xed\xa0\x80her>")


def save(model: onnx.ModelProto, path: Path) -> None:
    written = model.SerializeToString(deterministic=True)
    path.write_bytes(written.replace(*NO_TEXT))


def annotate(node: onnx.NodeProto, key: str, value: str) -> None:
    entry = node.metadata_props.add()
    entry.key, entry.value = key, value


def hostile_model() -> onnx.ModelProto:
    """A chain of nodes with each name in each place that a report shows; every third falls back."""
    nodes, before = [], "x" + HOSTILE[0]
    for number, name in enumerate(HOSTILE):
        op, domain = (("Relu", ""), ("Sigmoid", ""), (name[:60] or "Odd", name[:40]))[number % 3]
        node = helper.make_node(op, [before], [f"y{number}{name}"], name=name, domain=domain, doc_string=name)
        annotate(node, "pkg.torch.onnx.name_scopes", repr(["", name, f"{name}.inner", f"n{number}"]))
        annotate(node, "pkg.torch.onnx.class_hierarchy", repr([name, name, name, "aten.relu.default"]))
        annotate(node, "pkg.torch.onnx.stack_trace", f'  File "{name}.py", line {number + 1}, in forward\n    {name}')
        nodes.append(node)
        before = node.output[0]
    dims = [HOSTILE[0], HOSTILE[10], HOSTILE[15], 8]
    graph = helper.make_graph(
        nodes,
        HOSTILE[1],
        [helper.make_tensor_value_info("x" + HOSTILE[0], TensorProto.FLOAT, dims)],
        [helper.make_tensor_value_info(before, TensorProto.FLOAT, dims)],
    )
    domains = sorted({node.domain for node in nodes if node.domain})
    opsets = [helper.make_opsetid("", 17)] + [helper.make_opsetid(domain, 1) for domain in domains]
    return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name=HOSTILE[4])


def refused_model() -> onnx.ModelProto:
    name = f"zero\0{HOSTILE[0]}"
    value = helper.make_tensor_value_info(name, TensorProto.FLOAT, [1])
    graph = helper.make_graph([helper.make_node("Relu", [name], [name + "y"], name=name)], name, [value], [value])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=IR_VERSION)


def block(number: int, before: str, odd: bool) -> tuple[list[onnx.NodeProto], str]:
    """Fifty nodes of one module; one in the middle that targets do not take, where it is odd."""
    nodes = []
    ops = ("Conv", "Relu", "Add", "Sigmoid", "Mul")
    for step in range(50):
        op = "Cosh" if odd and step == 25 else ops[step % len(ops)]
        made = f"b{number}.{step}"
        inputs = {"Conv": [before, "weight"], "Add": [before, "bias"], "Mul": [before, "bias"]}.get(op, [before])
        name = f"/stages.{number // 40}/blocks.{number % 40}/{('norm', 'attention', 'mlp')[step % 3]}/{op}_{step}"
        nodes.append(helper.make_node(op, inputs, [made], name=name))
        before = made
    return nodes, before


def chain_model(blocks: int, odd_every: int) -> onnx.ModelProto:
    nodes, before = [], "image"
    for number in range(blocks):
        more, before = block(number, before, number % odd_every == odd_every - 1)
        nodes += more
    shape = [1, 8, 16, 16]
    graph = helper.make_graph(
        nodes,
        "chain",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(before, TensorProto.FLOAT, shape)],
        [
            helper.make_tensor("weight", TensorProto.FLOAT, [8, 8, 1, 1], [0.0] * 64),
            helper.make_tensor("bias", TensorProto.FLOAT, [1, 8, 1, 1], [0.0] * 8),
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=IR_VERSION)


def main() -> None:
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    save(hostile_model(), out / "hostile.onnx")
    save(refused_model(), out / "refused.onnx")
    save(chain_model(4, 4), out / "small.onnx")
    save(chain_model(4, 2), out / "changed.onnx")
    save(chain_model(LARGE_NODES // 50, 20), out / "large.onnx")


if __name__ == "__main__":
    main()
