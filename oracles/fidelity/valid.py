#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold the findings `invalid` against what ONNX Runtime refuses to load.

usage: valid.py --tool build/npu-partition MODELS [--truth FOLDER] [--verbose] [--summary docs/evidence/fidelity-shapes.md]
Needs:  pip install onnx onnxruntime, and onnx-node-tests.tar.gz in the folder MODELS.

First the collected answers, where there are any: no model that was loaded may have the finding. Then models of one node,
made of onnx's node tests at every version of their operator that ONNX Runtime loads, each with one mistake: both are
asked. A finding where ONNX Runtime loads the model is a false alarm; the other way round it is missed.
"""
import argparse
import collections
import copy
import gzip
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import onnx
import onnx.defs
import onnxruntime
from onnx import TensorProto, helper

import page

# The release that the collected answers are of, and its limits, which models that are made here keep to.
RELEASE = "1.31"
NEWEST_IR, NEWEST_OPSET = 13, 26
LARGEST_ELEMENTS = 4096
BASES_A_VERSION = 2
ELEMENT_TYPES = [TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING, TensorProto.BOOL, TensorProto.INT8]
LEAST_SHARE = {"attribute": 0.99, "count": 0.96, "type": 0.99, "axis": 0.88, "rank": 0.7, "dim": 0.7, "constant": 0.5}


# ---- asking -------------------------------------------------------------------------------------------------------

def is_load_error(message):
    """Whether a session failed because the model itself is refused, not for want of a kernel or in a provider."""
    return any(text in message for text in ("Load model from", "INVALID_GRAPH", "Type Error", "InferenceError",
                                            "Unsupported model IR", "is not a registered function",
                                            "ValidateOpsetForDomain", "does not match", "INVALID_PROTOBUF"))


def load(path):
    """'' when ONNX Runtime loads it; else why not. Kernels that are lacking are no reason, nor is what they refuse of
    their attributes, but for a `perm` that is none whatever the rank is."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # pylint: disable=broad-except  the package has no common class
        message = str(error)
        is_later = "NOT_IMPLEMENTED" in message or ("Exception during initialization" in message
                                                    and "TransposeBase" not in message)
        return "" if is_later else message
    return ""


def answer_forever():
    """The worker: a path a line in, its answer a line out. It is a process of its own since some models abort it."""
    onnxruntime.set_default_logger_severity(4)
    for line in sys.stdin:
        print(json.dumps(load(line.rstrip("\n"))), flush=True)


def load_all(paths):
    """The answers in the order of the paths; None where the runtime aborted."""
    answers, worker = [], None
    for path in paths:
        if worker is None:
            worker = subprocess.Popen([sys.executable, __file__, "--worker"], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        worker.stdin.write(f"{path}\n")
        worker.stdin.flush()
        line = worker.stdout.readline()
        answers.append(json.loads(line) if line else None)
        if not line:
            worker.wait()
            worker = None
    if worker:
        worker.stdin.close()
        worker.wait()
    return answers


def ask_tool(tool, paths):
    """What each model is refused for by the release that gave the answers, by path; None where the tool cannot read it."""
    found = {str(path): None for path in paths}
    for start in range(0, len(paths), 400):
        command = [tool, *map(str, paths[start:start + 400]), "--target", "webnn", "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        for line in done.stdout.splitlines():
            document = json.loads(line)
            found[document["model"]["path"]] = [
                f["text"] for f in document["findings"]
                if f["code"] == "invalid" or f["text"].startswith(f"ONNX Runtime {RELEASE} and older refuse")]
    return found


# ---- collected answers --------------------------------------------------------------------------------------------

def compare_collected(tool, models, truth, folder):
    """Lines of false alarms, of what is missed, and the figures, over the node tests and the models as exported."""
    false, missed, loaded, refused = [], [], 0, 0
    answers = {}
    for name in ("onnx-node-tests.hexagon.soc60.jsonl.gz", "models_as_exported.hexagon.soc60.jsonl.gz",
                 "models.hexagon.soc60.jsonl.gz"):
        if not (truth / name).exists():
            continue
        with gzip.open(truth / name, "rt") as file:
            for line in file:
                row = json.loads(line)
                if not row.get("dims"):
                    answers.setdefault(row["model"], row.get("error", ""))
    paths = [path for path in [*folder.glob("*.onnx"), *models.glob("*.onnx")] if path.name in answers]
    for path, findings in ask_tool(tool, paths).items():
        error = answers[pathlib.Path(path).name]
        if is_load_error(error):
            refused += 1
            if not findings:
                missed.append(f"missed: {path}: {error[:200]!r}")
        else:
            loaded += 1
            if findings:
                false.append(f"false alarm: {path}: {findings[0]}")
    print(f"collected answers: {loaded} models loaded, false alarms: {len(false)}; {refused} refused, told: "
          f"{refused - len(missed)}")
    return false, missed, ("collected answers", loaded, len(false), refused, refused - len(missed))


# ---- mistakes -----------------------------------------------------------------------------------------------------

def candidates(folder):
    """(name, version, model) of node tests with one node, at each version of their operator."""
    versions = collections.defaultdict(list)
    for schema in onnx.defs.get_all_schemas_with_history():
        versions[schema.domain, schema.name].append(schema.since_version)
    for path in sorted(folder.glob("*.onnx")):
        model = onnx.load(path)
        if len(model.graph.node) != 1 or any(v.type.HasField("tensor_type") and elements(v) > LARGEST_ELEMENTS
                                             for v in model.graph.input):
            continue
        node = model.graph.node[0]
        model.ir_version = min(model.ir_version, 10)
        for opset in model.opset_import:
            if opset.domain == "":
                opset.version = min(opset.version, NEWEST_OPSET)
        newest = max((o.version for o in model.opset_import if o.domain == node.domain), default=0)
        for version in sorted(v for v in versions[node.domain, node.op_type] if v <= newest):
            at = copy.deepcopy(model)
            for opset in at.opset_import:
                if opset.domain == node.domain:
                    opset.version = version
            yield path.stem, version, at


def bases(folder, scratch):
    """Those that the runtime loads, a few of each operator's version and ranks of inputs."""
    made = list(candidates(folder))
    for i, (_, _, model) in enumerate(made):
        (scratch / f"base{i}.onnx").write_bytes(model.SerializeToString())
    kept = collections.Counter()
    for (name, version, model), error in zip(made, load_all([scratch / f"base{i}.onnx" for i in range(len(made))])):
        op = model.graph.node[0].op_type
        looks = (op, version, tuple(len(v.type.tensor_type.shape.dim) for v in model.graph.input))
        if error != "" or kept[looks] or kept[op, version] >= BASES_A_VERSION:
            continue
        kept[looks] += 1
        kept[op, version] += 1
        yield name, version, model


def elements(value):
    count = 1
    for dim in value.type.tensor_type.shape.dim:
        count *= dim.dim_value
    return count


def without_outputs(model):
    """A copy in which the file says nothing of the shapes of results."""
    made = copy.deepcopy(model)
    for value in made.graph.output:
        if value.type.HasField("tensor_type"):
            value.type.tensor_type.ClearField("shape")
    return made


def attribute_mistakes(model):
    node = model.graph.node[0]

    def with_attributes(attributes):
        made = copy.deepcopy(model)
        del made.graph.node[0].attribute[:]
        made.graph.node[0].attribute.extend(attributes)
        return made

    yield "unknown", with_attributes([*node.attribute, helper.make_attribute("no_such_attribute", 1)])
    for attribute in node.attribute:
        others = [a for a in node.attribute if a.name != attribute.name]
        yield f"without {attribute.name}", with_attributes(others)
        for value in (1, 1.5, "text", [1, 2], [1.5]):
            yield f"{attribute.name} of type {type(value).__name__}", with_attributes(
                [*others, helper.make_attribute(attribute.name, value)])


def count_mistakes(model):
    made = copy.deepcopy(model)
    made.graph.node[0].input.append(made.graph.node[0].input[0] if made.graph.node[0].input else "")
    yield "one input more", made
    made = copy.deepcopy(model)
    made.graph.node[0].output.append("one_more")
    yield "one output more", made
    for i in range(len(model.graph.node[0].input)):
        made = copy.deepcopy(model)
        made.graph.node[0].input[i] = ""
        yield f"without input {i}", made
    if model.graph.node[0].input:
        made = copy.deepcopy(model)
        del made.graph.node[0].input[-1]
        yield "one input less", made


def type_mistakes(model):
    for side in ("input", "output"):
        for i, value in enumerate(getattr(model.graph, side)):
            if not value.type.HasField("tensor_type"):
                continue
            for element_type in ELEMENT_TYPES:
                if element_type == value.type.tensor_type.elem_type:
                    continue
                made = copy.deepcopy(model)
                getattr(made.graph, side)[i].type.tensor_type.elem_type = element_type
                yield f"{side} {i} of type {element_type}", made


def axis_mistakes(model):
    version = next(o.version for o in model.opset_import if o.domain == model.graph.node[0].domain)
    schema = onnx.defs.get_schema(model.graph.node[0].op_type, version, model.graph.node[0].domain)
    shapes = [v.type.tensor_type.shape.dim for v in model.graph.input if v.type.HasField("tensor_type")]
    rank = len(shapes[0]) if shapes else 0
    for name, attribute in schema.attributes.items():
        if name == "perm":
            values = [[-1, *range(1, rank)], [0] * rank, list(range(rank - 1)), list(range(rank + 1)),
                      list(range(1, rank + 1))]
        elif name == "axes" and attribute.type == onnx.defs.OpSchema.AttrType.INTS:
            values = [[-rank - 1], [-rank], [-1], [rank - 1], [rank], [rank + 1], [0, 0], [0, -rank]]
        elif name in ("axis", "batch_axis", "time_axis"):
            values = [-rank - 1, -rank, -1, 0, rank - 1, rank, rank + 1]
        else:
            continue
        for value in values:
            if value == []:
                continue
            made = without_outputs(model)
            others = [a for a in made.graph.node[0].attribute if a.name != name]
            del made.graph.node[0].attribute[:]
            made.graph.node[0].attribute.extend([*others, helper.make_attribute(name, value)])
            yield f"{name}={value}", made


def rank_mistakes(model):
    for i, value in enumerate(model.graph.input):
        if not value.type.HasField("tensor_type"):
            continue
        sizes = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        for others in (sizes[1:], [1, *sizes], [*sizes, 2], []):
            if others != sizes:
                yield f"input {i} of shape {others}", with_shape(model, i, others)


def dim_mistakes(model):
    for i, value in enumerate(model.graph.input):
        if not value.type.HasField("tensor_type"):
            continue
        sizes = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        for axis, size in enumerate(sizes):
            yield f"input {i} of one more along {axis}", with_shape(model, i, [*sizes[:axis], size + 1,
                                                                              *sizes[axis + 1:]])


def with_shape(model, i, sizes):
    made = without_outputs(model)
    kind = made.graph.input[i].type.tensor_type
    kind.shape.ClearField("dim")
    for size in sizes:
        kind.shape.dim.add().dim_value = size
    return made


def constant_mistakes(model):
    """Integer parameters as initializers, with numbers that they hardly can have."""
    for i, value in enumerate(model.graph.input):
        kind = value.type.tensor_type
        sizes = [dim.dim_value for dim in kind.shape.dim]
        if kind.elem_type not in (TensorProto.INT64, TensorProto.INT32) or len(sizes) > 1 or elements(value) > 8:
            continue
        count = elements(value)
        for numbers in ([100] * count, [-100] * count, [0] * count, [-1] * count, list(range(count)), [1] * count):
            made = without_outputs(model)
            del made.graph.input[i]
            made.graph.initializer.append(helper.make_tensor(value.name, kind.elem_type, sizes, numbers))
            yield f"{value.name} = {numbers}", made


MISTAKES = {"attribute": attribute_mistakes, "count": count_mistakes, "type": type_mistakes, "axis": axis_mistakes,
            "rank": rank_mistakes, "dim": dim_mistakes, "constant": constant_mistakes}


# ---- comparing ----------------------------------------------------------------------------------------------------

def compare_mistakes(tool, folder, kinds):
    """{kind: counts}, with a line for each difference."""
    counts, lines = collections.defaultdict(collections.Counter), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as temporary:
        scratch, asked = pathlib.Path(temporary), []
        for name, version, model in bases(folder, scratch):
            for kind in kinds:
                for what, made in MISTAKES[kind](model):
                    path = scratch / f"{len(asked)}.onnx"
                    path.write_bytes(made.SerializeToString())
                    asked.append((path, kind, f"{name} {model.graph.node[0].op_type}-{version} {what}"))
        paths = [path for path, *_ in asked]
        found, errors = ask_tool(tool, paths), load_all(paths)
    for (path, kind, what), error in zip(asked, errors):
        if error is None:
            counts[kind]["aborted"] += 1
            continue
        findings = found[str(path)]
        is_told = findings is None or bool(findings)
        word = ("told" if is_told else "missed") if error else ("false alarm" if is_told else "loaded")
        counts[kind][word] += 1
        if word in ("missed", "false alarm"):
            detail = error[-170:].replace("\n", " ") if error else (findings or ["cannot be read"])[0]
            lines[kind, word].append(f"{word}: {what}: {detail}")
    return counts, lines


def main():
    if sys.argv[1:] == ["--worker"]:
        return answer_forever()
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--tool", default="build/npu-partition")
    parser.add_argument("--truth", type=pathlib.Path)
    parser.add_argument("--only", choices=MISTAKES, action="append", help="this kind of mistakes; may be repeated")
    parser.add_argument("--verbose", action="store_true", help="name what is missed")
    page.add_arguments(parser)
    arguments = parser.parse_args()
    failed, rows = False, []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        with tarfile.open(arguments.models / "onnx-node-tests.tar.gz") as tar:
            for member in tar.getmembers():
                if member.isfile():
                    (folder / pathlib.PurePath(member.name).name).write_bytes(tar.extractfile(member).read())
        if arguments.truth:
            false, missed, row = compare_collected(arguments.tool, arguments.models, arguments.truth, folder)
            rows.append(row)
            print("\n".join(false + missed))
            failed |= bool(false)
        counts, lines = compare_mistakes(arguments.tool, folder, arguments.only or MISTAKES)
    for (kind, word), text in sorted(lines.items()):
        for line in text if arguments.verbose or word == "false alarm" else []:
            print(f"{kind}: {line}")
    for kind, count in counts.items():
        refused = count["told"] + count["missed"]
        print(f"{kind}: {count['loaded'] + count['false alarm']} models loaded, false alarms: {count['false alarm']}; "
              f"{refused} refused, told: {count['told']}; aborted: {count['aborted']}")
        failed |= count["false alarm"] > 0 or count["told"] < LEAST_SHARE[kind] * refused
        rows.append((f"mistakes: {kind}", count["loaded"] + count["false alarm"], count["false alarm"], refused,
                     count["told"]))
    if arguments.summary:
        page.rewrite(arguments.summary, page.VALID, ("models", "loaded", "false alarms", "refused", "told"), rows,
                     page.origin(arguments.date, f"onnxruntime {onnxruntime.__version__}, onnx {onnx.__version__}"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
