#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold what the tool says that ONNX Runtime knows of shapes against the standard's own inference, operator by operator.

usage: view.py --tool build/npu-partition MODELS [--verbose] [--runtime PYTHON [--draws N] [--seed N]]
               [--summary docs/evidence/fidelity-shapes.md --date 2026-01-31]
Needs:  pip install onnx, and onnx-node-tests.tar.gz in the folder MODELS.

Each node test of one node is taken at every version of its operator that the standard's inference accepts, and of each
version nodes are made from its schema besides. Then each operand in turn, and each pair of them, is given an unknown
rank, unknown dims, or symbolic dims; each in turn, and all, and each result of a body has no type, as the result of an
operator that nobody knows; and parameters become constants. Each of our views is held against what it stands for:

  onnx in a session   ONNX Runtime asks the same inference functions when it loads a model, so at --level off the tool
                      may not know a result's rank or a dim that onnx.shape_inference does not: that would be a node
                      called taken which is refused. Operands without a type are no part of this: no session has any.
  onnx by itself      what a tool is told that asks onnx's inference, as the usability checker of ONNX Runtime does, of
                      operands with and without a type: nor may a type be known, or another one. A type without a
                      shape is what such a tool takes for a scalar, and what it is compared as.

What we do not know although they do is told, and counted.

--runtime asks ONNX Runtime itself about some of these models, drawn by the seed, and whether it makes a session of any
in which an operand has no type: PYTHON is one with onnxruntime.
"""
import argparse
import collections
import copy
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile

import onnx
import onnx.defs
import onnx.shape_inference
from onnx import TensorProto, helper

import page
from schema_bases import schema_bases

NEWEST_OPSET = 26 # of ONNX Runtime 1.31
BASES_A_VERSION = 3
LARGEST_ELEMENTS = 1 << 16
TARGET = "webnn" # a list for ONNX Runtime, without inlining
INFERRING_TARGET = "nnapi+checker" # a list for a tool that asks onnx's inference; a type without a shape is a scalar
NOBODY = "nobody" # a domain of which nobody knows anything
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


def node_test_bases(folder):
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
        looks = tuple(len(shape_of(v)) if is_tensor(v) else -1 for v in model.graph.input)
        for schema in versions[node.domain, node.op_type]:
            key = (node.op_type, schema.since_version)
            known = {a.name for a in node.attribute} <= set(schema.attributes)
            fits = schema.min_input <= len(node.input) <= schema.max_input and len(node.output) <= schema.max_output
            if schema.deprecated or not known or not fits or kept[key, looks] or kept[key] >= BASES_A_VERSION or \
                    (schema.domain == "" and schema.since_version > NEWEST_OPSET):
                continue
            at = bare(model)
            for opset in at.opset_import:
                if opset.domain == node.domain:
                    opset.version = schema.since_version
                elif opset.domain == "":
                    opset.version = min(opset.version, NEWEST_OPSET)
            if all(ask_onnx(made) is None for _, made in constants(at)):
                continue
            kept[key, looks] += 1
            kept[key] += 1
            yield path.stem, schema.since_version, at


def bases(folder):
    """Those of node tests, and of schemas; and what neither has."""
    tested = list(node_test_bases(folder))
    made, lacking = schema_bases(NEWEST_OPSET)
    covered = {(model.graph.node[0].domain, model.graph.node[0].op_type, version) for _, version, model in tested}
    return tested + made, sorted(lacking - covered), len({*covered, *(
        (model.graph.node[0].domain, model.graph.node[0].op_type, version) for _, version, model in made)})


def constants(model):
    """The model, and the same with its parameters as constants that do no harm."""
    yield "", model
    made = copy.deepcopy(model)
    names = []
    for value in list(made.graph.input):
        sizes, kind = shape_of(value), value.type.tensor_type.elem_type
        count = 1
        for size in sizes:
            count *= size
        operands = list(model.graph.node[0].input) # a body may be what reads it
        place = model.graph.node[0].op_type, operands.index(value.name) if value.name in operands else None
        is_parameter = kind in (TensorProto.INT64, TensorProto.INT32) or (kind == TensorProto.FLOAT and place in SCALES)
        if not is_tensor(value) or len(sizes) > 1 or count > 16 or not is_parameter:
            continue
        numbers = NUMBERS.get(place, lambda n: [1] * n)(count)
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
SCALES = {("Resize", 1), ("Resize", 2), ("Upsample", 1)}


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


def untyped(model, chosen):
    """The model whose inputs of these indices come from an operator of which nobody knows what it makes."""
    made = bare(model)
    for value in made.graph.output:
        value.ClearField("type")
    names = [model.graph.input[i].name for i in chosen]
    for name in names:
        made.graph.input.remove(next(value for value in made.graph.input if value.name == name))
    made.graph.node.insert(0, helper.make_node("Source", [], names, domain=NOBODY))
    made.opset_import.append(helper.make_opsetid(NOBODY, 1))
    return made


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


def untyped_bodies(model):
    """Each result of each body in turn without a type."""
    for a, attribute in enumerate(model.graph.node[-1].attribute):
        for k, result in enumerate(attribute.g.output):
            made = untyped(model, ())
            made.graph.node[0].output.append(NOBODY)
            body = made.graph.node[-1].attribute[a].g
            if any(result.name in node.input for node in body.node):
                continue
            for node in body.node:
                node.output[:] = ["" if name == result.name else name for name in node.output]
            body.node.append(helper.make_node("Identity", [NOBODY], [result.name]))
            body.output[k].ClearField("type")
            yield f"no type of {result.name} of {attribute.name}", made


def untyped_variations(model):
    """Each operand in turn, and all of them, without a type; and results of bodies."""
    count = len(model.graph.input)
    for chosen in dict.fromkeys([*((i,) for i in range(min(count, 6))), tuple(range(count))] if count else []):
        yield f"no type of {','.join(model.graph.input[i].name for i in chosen)}", untyped(model, chosen)
    yield from untyped_bodies(model)


# ---- asking -------------------------------------------------------------------------------------------------------

def fact_of(kind):
    """[element type, dims or None], as --shapes writes it; None where the type is not known."""
    name = kind.WhichOneof("value")
    if name != "tensor_type":
        return [name.removesuffix("_type"), None] if name else None
    if not kind.tensor_type.elem_type:
        return None
    if not kind.tensor_type.HasField("shape"):
        return [kind.tensor_type.elem_type, None]
    dims = [dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None
            for dim in kind.tensor_type.shape.dim]
    return [kind.tensor_type.elem_type, dims]


def ask_onnx(model, strict=True):
    """What the standard's inference knows of the results; None where it refuses the model."""
    try:
        inferred = onnx.shape_inference.infer_shapes(model, check_type=False, strict_mode=strict, data_prop=False)
    except Exception:  # pylint: disable=broad-except  InferenceError is no public class of every version
        return None
    return {value.name: fact_of(value.type) for value in [*inferred.graph.output, *inferred.graph.value_info]}


def ask_onnx_apart(models):
    """The same of several models in a process of its own: some inference functions end it where there is no type. Such
    a model has no answer; the next process goes on after it.
    """
    answers = []
    while len(answers) < len(models):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            with os.fdopen(writer, "w") as pipe:
                for model in models[len(answers):]:
                    pipe.write(json.dumps(ask_onnx(model, strict=False)) + "\n")
                    pipe.flush()
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            answers += [json.loads(line) for line in pipe.read().splitlines()]
        os.waitpid(child, 0)
        if len(answers) < len(models):
            answers.append(None)
    return answers


def ask_tool(tool, paths, target):
    """What the target's runtime is said to know, by path; files that are refused are asked one by one."""
    answers = {}
    for start in range(0, len(paths), 400):
        chunk = paths[start:start + 400]
        command = [tool, *map(str, chunk), "--shapes", "--target", target, "--level", "off"]
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


# ---- the runtime itself -------------------------------------------------------------------------------------------

# What runs in the other environment: a path a line in; out, the types and shapes of the session's results, if it loads.
WORKER = """
import json, sys
import onnxruntime
onnxruntime.set_default_logger_severity(4)
for line in sys.stdin:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(line.rstrip(), options, providers=["CPUExecutionProvider"])
        print(json.dumps([[o.name, o.type, o.shape] for o in session.get_outputs()]), flush=True)
    except Exception as error:
        print("null", flush=True)
"""


def ask_runtime(python, paths):
    """What ONNX Runtime knows of the results, by path; None where there is no session (a kernel is lacking, mostly).
    Its interface tells a scalar as it does a tensor of unknown rank: neither is compared.
    """
    answers, worker = {}, None
    for path in paths:
        worker = worker or subprocess.Popen([python, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)
        worker.stdin.write(f"{path}\n")
        worker.stdin.flush()
        line = worker.stdout.readline()
        results = json.loads(line) if line else None
        answers[path] = {name: [kind, shape or None] if kind.startswith("tensor") else None
                         for name, kind, shape in results} if results is not None else None
        if not line: # some models abort it
            worker.wait()
            worker = None
    if worker:
        worker.stdin.close()
        worker.wait()
    return answers


# ---- the whole ----------------------------------------------------------------------------------------------------

def generate(made_bases, scratch):
    """(path, operator and version, what was changed, the standard's answer, whether an operand has no type)."""
    count = 0
    for name, version, base in made_bases:
        for constant, model in constants(base):
            if ask_onnx(model) is None:
                continue
            typed, without = list(variations(model)), list(untyped_variations(model))
            answers = [ask_onnx(made) for _, made in typed] + ask_onnx_apart([made for _, made in without])
            for (what, made), theirs in zip(typed + without, answers):
                if theirs is None:
                    continue
                path = scratch / f"{count}.onnx"
                count += 1
                path.write_bytes(made.SerializeToString())
                node = made.graph.node[-1]
                yield path, f"{node.domain + ':' if node.domain else ''}{node.op_type}-{version}", \
                    f"{name}{constant}, {what}", {out: theirs.get(out) for out in node.output if out}, \
                    len(made.graph.node) > 1


class Tally:
    """Differences, by operator and version, and how much is known."""

    def __init__(self, whose):
        self.whose, self.counts = whose, collections.Counter()
        self.found = {"we know more": collections.defaultdict(list), "we know less": collections.defaultdict(list)}

    def add(self, op, what, ours, theirs, types=False):
        """The facts of one model's results; of types, too, where they count."""
        self.counts["models"] += 1
        if ours is None:
            self.counts["refused"] += 1
            return
        for out, fact in theirs.items():
            own = ours.get(out)
            self.counts["results"] += 1
            self.counts["theirs"] += known_count(fact)
            self.counts["ours"] += min(known_count(own), known_count(fact))
            is_typed = types and own and (not fact or own[0] != fact[0])
            word = "we know more" if is_typed or is_more(op, own, fact) else "we know less"
            is_less = known_count(own) < known_count(fact) or (types and fact and not own)
            if word == "we know more" or is_less:
                self.found[word][op].append(f"{what}: {out}: {self.whose} {json.dumps(fact)}, we {json.dumps(own)}")

    def more(self):
        """How often we know more."""
        return sum(map(len, self.found["we know more"].values()))

    def row(self):
        """The figures, for a page."""
        more, less = self.found["we know more"], self.found["we know less"]
        return (self.whose, self.counts["models"], self.counts["results"], self.more(), sum(map(len, less.values())),
                f"{self.counts['ours']} of {self.counts['theirs']}", len({*more, *less}))

    def is_good(self):
        """We know no more, and not much less: a tool that knows nothing would pass otherwise."""
        is_blind = self.counts["ours"] < LEAST_KNOWN_SHARE * self.counts["theirs"]
        return not self.more() and not self.counts["refused"] and not is_blind

    def tell(self, verbose):
        """Print the differences, and how many there are."""
        for word, found in self.found.items():
            for op, lines in sorted(found.items()):
                shown = lines if verbose else lines[:2] if word == "we know more" else []
                for line in shown:
                    print(f"{self.whose}: {word}: {op} {line}")
                if 0 < len(shown) < len(lines):
                    print(f"{self.whose}: {word}: {op}: {len(lines) - len(shown)} more")
        more, less = self.found["we know more"], self.found["we know less"]
        print(f"{self.whose}: {self.counts['models']} models, {self.counts['results']} results; we know more: "
              f"{self.more()} ({len(more)} operators' versions), less: {sum(map(len, less.values()))} ({len(less)}); of "
              f"the ranks and dims that are known to it, we know {self.counts['ours']} of {self.counts['theirs']}; "
              f"models that we refuse to read: {self.counts['refused']}")


def without_scalars(facts):
    """What is told where a type without a shape looks like a scalar: no more than the type."""
    return facts and {name: [fact[0], fact[1] or None] if fact else None for name, fact in facts.items()}


def compare(tool, asked):
    """The tallies of both views."""
    session, by_itself = Tally("onnx in a session"), Tally("onnx by itself")
    in_session = ask_tool(tool, [path for path, *_, is_untyped in asked if not is_untyped], TARGET)
    told = ask_tool(tool, [path for path, *_ in asked], INFERRING_TARGET)
    for path, op, what, theirs, is_untyped in asked:
        if not is_untyped:
            session.add(op, what, in_session[path], theirs)
        by_itself.add(op, what, without_scalars(told[path]), without_scalars(theirs), types=True)
    print(f"operands without a type: {sum(row[-1] for row in asked)} of these models")
    return session, by_itself


def untyped_inputs(model):
    """The same where operands without a type are inputs of the model."""
    made = copy.deepcopy(model)
    for name in dict.fromkeys(made.graph.node[0].output):
        made.graph.input.append(onnx.ValueInfoProto(name=name))
    del made.graph.node[0]
    return made


def untyped_sessions(asked, python, draws, seed, scratch):
    """Of how many of some models in which an operand has no type ONNX Runtime makes a session: none, as we say."""
    drawn = [path for path, *_, is_untyped in asked if is_untyped]
    random.Random(seed).shuffle(drawn)
    paths = drawn[:draws]
    for path in drawn[:draws]:
        paths.append(scratch / f"input-{path.name}")
        paths[-1].write_bytes(untyped_inputs(onnx.load(path)).SerializeToString())
    made = [path for path, answer in ask_runtime(python, paths).items() if answer is not None]
    print(f"ONNX Runtime: {len(made)} sessions of {len(paths)} models in which an operand has no type"
          f"{': ' if made else ''}{', '.join(path.name for path in made)}")
    return len(made)


def compare_runtime(tool, asked, python, draws, seed):
    """The tally of some models of which ONNX Runtime makes a session."""
    tally, failed = Tally("ONNX Runtime"), 0
    drawn = [row for row in asked if not row[-1]]
    random.Random(seed).shuffle(drawn)
    for start in range(0, len(drawn), draws):
        rows = drawn[start:start + draws]
        theirs = ask_runtime(python, [row[0] for row in rows])
        ours = ask_tool(tool, [row[0] for row in rows], TARGET)
        for path, op, what, known, _ in rows:
            if theirs[path] is None:
                failed += 1
            elif tally.counts["models"] < draws:
                tally.add(op, what, without_scalars(ours[path]),
                          {out: theirs[path][out] for out in known if out in theirs[path]})
        if tally.counts["models"] >= draws:
            break
    print(f"ONNX Runtime: no session of {failed} other models that were drawn")
    return tally


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--tool", default="build/npu-partition")
    parser.add_argument("--verbose", action="store_true", help="every difference")
    parser.add_argument("--operator", action="append", help="only this one; may be repeated")
    parser.add_argument("--runtime", metavar="PYTHON", help="ask the onnxruntime of this Python, too")
    parser.add_argument("--draws", type=int, default=100, help="of so many models, drawn from all")
    parser.add_argument("--seed", type=int, default=1)
    page.add_arguments(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder, scratch = pathlib.Path(temporary), pathlib.Path(temporary) / "made"
        scratch.mkdir()
        with tarfile.open(arguments.models / "onnx-node-tests.tar.gz") as tar:
            for member in tar.getmembers():
                if member.isfile():
                    (folder / pathlib.PurePath(member.name).name).write_bytes(tar.extractfile(member).read())
        made_bases, lacking, versions = bases(folder)
        print(f"{len(made_bases)} nodes of {versions} versions of operators; of {len(lacking)} none could be made: "
              f"{', '.join(f'{domain}:{name}-{version}'.lstrip(':') for domain, name, version in lacking) or '-'}")
        if arguments.operator:
            made_bases = [base for base in made_bases if base[2].graph.node[0].op_type in arguments.operator]
        asked = list(generate(made_bases, scratch))
        tallies = list(compare(arguments.tool, asked))
        session_count = 0
        if arguments.runtime:
            tallies.append(compare_runtime(arguments.tool, asked, arguments.runtime, arguments.draws, arguments.seed))
            session_count = untyped_sessions(asked, arguments.runtime, arguments.draws, arguments.seed, scratch)
    for tally in tallies:
        tally.tell(arguments.verbose)
    if arguments.summary:
        heads = ("held against", "models", "results", "we know more", "less", "ranks and dims known",
                 "versions that differ")
        page.rewrite(arguments.summary, page.VIEWS, heads, [tally.row() for tally in tallies], page.origin(
            arguments.date, f"onnx {onnx.__version__}, of {versions} versions of operators"))
    return 0 if session_count == 0 and all(tally.is_good() for tally in tallies) else 1


if __name__ == "__main__":
    sys.exit(main())
