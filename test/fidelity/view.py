#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold what the tool says that ONNX Runtime knows of shapes against the standard's own inference, operator by operator.

usage: view.py --tool build/npu-partition MODELS [--verbose]
Needs:  pip install onnx, and onnx-node-tests.tar.gz in the folder MODELS.

Each node test of one node is taken at every version of its operator that the standard's inference accepts. Then each
operand in turn, and each pair of them, is given an unknown rank, unknown dims, or symbolic dims; and integer
parameters become constants. ONNX Runtime asks the same inference functions when it loads a model, so at --level off
the tool may not know a result's rank or a dim that onnx.shape_inference does not: that would be a node called taken
which is refused. The other way round is told, and counted.
"""
import argparse
import collections
import copy
import itertools
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import onnx
import onnx.defs
import onnx.shape_inference
from onnx import TensorProto, helper

NEWEST_OPSET = 26 # of ONNX Runtime 1.31
BASES_A_VERSION = 3
LARGEST_ELEMENTS = 1 << 16
TARGET = "webnn" # a list for ONNX Runtime, without inlining
LEAST_KNOWN_SHARE = 0.9

# Where the standard's number is not what a run makes: that a size is known is all that is compared.
OTHER_NUMBERS = {"STFT": "both sides of the spectrum are counted, whatever onesided says"}


# ---- configurations -----------------------------------------------------------------------------------------------

def shape_of(value):
    return [dim.dim_value for dim in value.type.tensor_type.shape.dim]


def is_tensor(value):
    return value.type.HasField("tensor_type")


def bare(model):
    """Without anything that the file says of results but their element type."""
    made = copy.deepcopy(model)
    del made.graph.value_info[:]
    for value in made.graph.output:
        if is_tensor(value):
            value.type.tensor_type.ClearField("shape")
    return made


def bases(folder):
    """(name, version, model): a few node tests of each operator's version and ranks, with static inputs."""
    versions = collections.defaultdict(list)
    for schema in onnx.defs.get_all_schemas_with_history():
        versions[schema.domain, schema.name].append(schema)
    kept = collections.Counter()
    for path in sorted(folder.glob("*.onnx")):
        model = onnx.load(path)
        if len(model.graph.node) != 1 or model.functions:
            continue
        node = model.graph.node[0]
        model.ir_version = 8 # initializers need not be inputs
        for opset in model.opset_import:
            if opset.domain == "":
                opset.version = min(opset.version, NEWEST_OPSET)
        newest = max((o.version for o in model.opset_import if o.domain == node.domain), default=0)
        looks = tuple(len(shape_of(v)) if is_tensor(v) else -1 for v in model.graph.input)
        for schema in versions[node.domain, node.op_type]:
            key = (node.op_type, schema.since_version)
            known = {a.name for a in node.attribute} <= set(schema.attributes)
            fits = schema.min_input <= len(node.input) <= schema.max_input and len(node.output) <= schema.max_output
            if schema.since_version > newest or schema.deprecated or not known or not fits or kept[key, looks] or \
                    kept[key] >= BASES_A_VERSION:
                continue
            at = bare(model)
            for opset in at.opset_import:
                if opset.domain == node.domain:
                    opset.version = schema.since_version
            kept[key, looks] += 1
            kept[key] += 1
            yield path.stem, schema.since_version, at


def constants(model):
    """The model, and the same with its integer parameters as constants that do no harm."""
    yield "", model
    made = copy.deepcopy(model)
    names = []
    for value in list(made.graph.input):
        sizes, kind = shape_of(value), value.type.tensor_type.elem_type
        count = 1
        for size in sizes:
            count *= size
        if not is_tensor(value) or len(sizes) > 1 or count > 16 or kind not in (TensorProto.INT64, TensorProto.INT32):
            continue
        numbers = NUMBERS.get((model.graph.node[0].op_type, list(model.graph.node[0].input).index(value.name)),
                              lambda n: [1] * n)(count)
        made.graph.input.remove(value)
        made.graph.initializer.append(helper.make_tensor(value.name, kind, sizes, numbers))
        names.append(value.name)
    if names:
        yield f" constant {','.join(names)}", made


# Parameters that must be other than ones, by operator and operand.
NUMBERS = {("Slice", 1): lambda n: [0] * n, ("Slice", 3): lambda n: list(range(n)), ("Pad", 3): lambda n: list(range(n)),
           ("Squeeze", 1): lambda n: [0] * n, ("Unsqueeze", 1): lambda n: list(range(n)),
           ("CumSum", 1): lambda n: [0] * n, ("STFT", 1): lambda n: [8], ("STFT", 3): lambda n: [16],
           ("AffineGrid", 1): lambda n: [2] + [1] * (n - 1)}


def unrank(value):
    value.type.tensor_type.ClearField("shape")


def undim(value):
    for dim in value.type.tensor_type.shape.dim:
        dim.Clear()


def symbols(value):
    for i, dim in enumerate(value.type.tensor_type.shape.dim):
        dim.dim_param = f"{value.name}_{i}"


def first_open(value):
    for dim in value.type.tensor_type.shape.dim[:1]:
        dim.dim_param = "n"


WAYS = {"unknown rank": unrank, "unknown dims": undim, "symbolic dims": symbols, "symbolic first dim": first_open}


def variations(model):
    """Each operand in turn, and pairs, with less known of it."""
    yield "static", model
    values = [i for i, value in enumerate(model.graph.input) if is_tensor(value)]
    for count in (1, 2):
        for chosen in itertools.combinations(values[:6], count):
            for way, change in WAYS.items():
                made = copy.deepcopy(model)
                for i in chosen:
                    change(made.graph.input[i])
                names = ",".join(model.graph.input[i].name for i in chosen)
                yield f"{way} of {names}", made


# ---- asking -------------------------------------------------------------------------------------------------------

def fact_of(kind):
    """[element type, dims or None], as --shapes writes it; None for what is no tensor, or of unknown type."""
    if kind.WhichOneof("value") != "tensor_type" or not kind.tensor_type.elem_type:
        return None
    if not kind.tensor_type.HasField("shape"):
        return [kind.tensor_type.elem_type, None]
    dims = [dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None
            for dim in kind.tensor_type.shape.dim]
    return [kind.tensor_type.elem_type, dims]


def ask_onnx(model):
    """What the standard's inference knows of the results; None where it refuses the model."""
    try:
        inferred = onnx.shape_inference.infer_shapes(model, check_type=False, strict_mode=True, data_prop=False)
    except Exception:  # pylint: disable=broad-except  InferenceError is no public class of every version
        return None
    return {value.name: fact_of(value.type) for value in [*inferred.graph.output, *inferred.graph.value_info]}


def ask_tool(tool, paths):
    """What the runtime is said to know, by path; files that are refused are asked one by one."""
    answers = {}
    for start in range(0, len(paths), 400):
        chunk = paths[start:start + 400]
        command = [tool, *map(str, chunk), "--shapes", "--target", TARGET, "--level", "off"]
        lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
        if len(lines) == len(chunk):
            answers.update(zip(chunk, map(json.loads, lines)))
            continue
        for path in chunk:
            done = subprocess.run([tool, str(path), *command[-5:]], capture_output=True, text=True, check=False)
            answers[path] = json.loads(done.stdout) if done.returncode == 0 else None
    return answers


def known_count(fact):
    """How much is known: nothing, the rank, and each dim that is a number."""
    return 0 if not fact or fact[1] is None else 1 + sum(isinstance(dim, int) for dim in fact[1])


def is_more(op, ours, theirs):
    """Whether we know a rank or a number that they do not."""
    if not ours or ours[1] is None:
        return False
    if not theirs or theirs[1] is None:
        return True
    is_excused = op.rsplit("-", 1)[0] in OTHER_NUMBERS
    return len(ours[1]) != len(theirs[1]) or any(
        isinstance(a, int) and a != b and not (is_excused and isinstance(b, int)) for a, b in zip(ours[1], theirs[1]))


# ---- the whole ----------------------------------------------------------------------------------------------------

def generate(folder, scratch):
    """(path, operator and version, what was changed, the standard's answer)."""
    for name, version, base in bases(folder):
        for constant, model in constants(base):
            for what, made in variations(model):
                theirs = ask_onnx(made)
                if theirs is None:
                    continue
                path = scratch / f"{name}.{version}.{abs(hash((constant, what)))}.onnx"
                path.write_bytes(made.SerializeToString())
                node = made.graph.node[0]
                yield path, f"{node.domain + ':' if node.domain else ''}{node.op_type}-{version}", \
                    f"{name}{constant}, {what}", {out: theirs.get(out) for out in node.output if out}


def compare(tool, folder, verbose):
    counts, more, less = collections.Counter(), collections.defaultdict(list), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as temporary:
        asked = list(generate(folder, pathlib.Path(temporary)))
        answers = ask_tool(tool, [path for path, *_ in asked])
    for path, op, what, theirs in asked:
        ours = answers[path]
        counts["models"] += 1
        for out, fact in theirs.items() if ours else []:
            own = ours.get(out)
            counts["results"] += 1
            counts["known by onnx"] += known_count(fact)
            counts["of these by us"] += min(known_count(own), known_count(fact))
            if is_more(op, own, fact):
                more[op].append(f"{what}: {out}: onnx {json.dumps(fact)}, we {json.dumps(own)}")
            elif known_count(own) < known_count(fact):
                less[op].append(f"{what}: {out}: onnx {json.dumps(fact)}, we {json.dumps(own)}")
    for word, found in (("we know more", more), ("we know less", less)):
        for op, lines in sorted(found.items()):
            shown = lines if verbose else lines[:2] if word == "we know more" else lines[:1]
            for line in shown:
                print(f"{word}: {op} {line}")
            if len(shown) < len(lines):
                print(f"{word}: {op}: {len(lines) - len(shown)} more")
    print(f"view: {counts['models']} models of one node, {counts['results']} results; we know more: "
          f"{sum(map(len, more.values()))} ({len(more)} operators' versions), less: {sum(map(len, less.values()))} "
          f"({len(less)}); of the ranks and dims that onnx knows, we do {counts['of these by us']} of "
          f"{counts['known by onnx']}")
    return bool(more) or counts["of these by us"] < LEAST_KNOWN_SHARE * counts["known by onnx"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--tool", default="build/npu-partition")
    parser.add_argument("--verbose", action="store_true", help="every difference")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        with tarfile.open(arguments.models / "onnx-node-tests.tar.gz") as tar:
            for member in tar.getmembers():
                if member.isfile():
                    (folder / pathlib.PurePath(member.name).name).write_bytes(tar.extractfile(member).read())
        return 1 if compare(arguments.tool, folder, arguments.verbose) else 0


if __name__ == "__main__":
    sys.exit(main())
