#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the tool's --shapes with what others say about the same models.

usage: shapes.py [--tool build/npu-partition] [--verbose] [--summary docs/evidence/fidelity-shapes.md --date 2026-01-31] MODELS

MODELS is a folder of NAME.onnx files with oracles beside them, each gzipped JSON, {tensor: [elem_type, dims] or null}:

    NAME.shapes.json.gz       onnx's inference, the file's own value_info kept
    NAME.shapes_novi.json.gz  the same with value_info removed first; we are asked the same way
    NAME.symshapes.json.gz    onnxruntime's symbolic inference
    NAME.run.json.gz          {"bind": {dim: size}, "tensors": {...}}: what a run really saw with these sizes
    onnx-node-tests.*         one-operator models (a tar) and the shapes of their test data (JSON); asked with the
                              declared types of their outputs removed, so that only inference can know them

A contradiction: element types or ranks differ, or both give an integer for a dim and these differ. What is no tensor
counts neither as static nor as ranked. Exit status 1 when there is a contradiction that is not excused below, when
a model has fewer static tensors or known ranks than its better oracle, when a bound model leaves a tensor unknown
that no data-dependent operator stands before, or when too few node tests are inferred.
"""
import argparse
import collections
import concurrent.futures
import gzip
import json
import pathlib
import subprocess
import sys
import tarfile

import page

# Where an oracle is wrong: (oracle, how the model's name begins, how the tensor's name begins) -> why.
WRONG_ORACLES = {
    ("shapes", "qwen2-0.5b.genai-", "/model/constants/INT64/["):
        "a Constant of rank 1, as its tensor's dims say and the run saw; onnx's data propagation made it a scalar",
    ("node test", "test_identity_opt", "opt_out"):
        "the type is an optional of a sequence; the test's data hold what is in it",
    ("node test", "test_if_opt", "sequence"):
        "the type is an optional of a sequence; the test's data hold what is in it",
}

# Operands whose numbers decide the size of a result: a node test feeds them at run time, so nobody can infer it.
VALUE_OPERANDS = {
    "AffineGrid": [1], "BlackmanWindow": [0], "CenterCropPad": [1], "Col2Im": [1, 2], "Compress": [1],
    "ConstantOfShape": [0], "DFT": [1, 2], "Expand": [1], "HammingWindow": [0], "HannWindow": [0], "ImageDecoder": [0],
    "Loop": [0, 1], "MaxUnpool": [2], "MelWeightMatrix": [0, 1], "NonMaxSuppression": [0], "NonZero": [0],
    "OneHot": [1], "Pad": [1, 3], "Range": [0, 1, 2], "Reshape": [1], "Resize": [2, 3], "STFT": [1, 3], "SequenceAt": [1],
    "Slice": [1, 2, 3, 4], "Split": [1], "SplitToSequence": [1], "Squeeze": [1], "StringNormalizer": [0],
    "StringSplit": [0], "Tile": [1], "TopK": [1], "Unique": [0], "Unsqueeze": [1], "Upsample": [1],
    **{f"Reduce{kind}": [1] for kind in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum",
                                         "SumSquare")},
}

# Operators whose results have a size that only the data decide.
DATA_DEPENDENT = {"Compress", "If", "Loop", "NonMaxSuppression", "NonZero", "Unique"}

LEAST_NODE_TEST_SHARE = 0.98


# ---- the wire format, as far as it is needed ----------------------------------------------------------------------

GRAPH, NODE, OUTPUT, VALUE_INFO, VALUE_TYPE = 7, 1, 12, 13, 2
NODE_INPUT, NODE_OUTPUT, NODE_OP, NODE_ATTRIBUTE, ATTRIBUTE_GRAPH = 1, 2, 4, 5, 6


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, whole field, payload) of each field of a message; the payload is None where it is a number."""
    at = 0
    while at < len(data):
        start = at
        tag, at = read_varint(data, at)
        payload = None
        if tag & 7 == 0:
            _, at = read_varint(data, at)
        elif tag & 7 == 2:
            length, at = read_varint(data, at)
            payload = data[at:at + length]
            at += length
        else:
            at += 8 if tag & 7 == 1 else 4
        yield tag >> 3, data[start:at], payload


def delimited(number, payload):
    out = bytearray()
    for value in (number << 3 | 2, len(payload)):
        while value >= 0x80:
            out.append(value & 0x7f | 0x80)
            value >>= 7
        out.append(value)
    return bytes(out) + payload


def without_declarations(model, outputs_too):
    """The model without value_info of its main graph and, if asked, without the types of its outputs."""
    def strip_output(value):
        return b"".join(whole for number, whole, _ in fields(value) if number != VALUE_TYPE)

    def strip_graph(graph):
        for number, whole, payload in fields(graph):
            if number == OUTPUT and outputs_too:
                yield delimited(OUTPUT, strip_output(payload))
            elif number != VALUE_INFO:
                yield whole

    return b"".join(delimited(GRAPH, b"".join(strip_graph(payload))) if number == GRAPH else whole
                    for number, whole, payload in fields(model))


def nodes_of_graph(graph):
    """(op, inputs, outputs) of each node; what its bodies read counts as its inputs too."""
    for kind, _, node in fields(graph):
        if kind != NODE:
            continue
        parts = collections.defaultdict(list)
        for field, _, payload in fields(node):
            if payload is not None:
                parts[field].append(payload)
        inputs = [name.decode() for name in parts[NODE_INPUT]]
        for attribute in parts[NODE_ATTRIBUTE]:
            for field, _, body in fields(attribute):
                if field == ATTRIBUTE_GRAPH:
                    inputs += [name for _, names, _ in nodes_of_graph(body) for name in names]
        yield parts[NODE_OP][0].decode(), inputs, [name.decode() for name in parts[NODE_OUTPUT]]


def nodes_of(model):
    """The nodes of the main graph."""
    for number, _, graph in fields(model):
        if number == GRAPH:
            yield from nodes_of_graph(graph)


def downstream_of_data(model):
    """The tensors after a data-dependent operator; nodes need not be in order."""
    tainted = set()
    nodes = list(nodes_of(model))
    before = -1
    while before != len(tainted):
        before = len(tainted)
        for op, inputs, outputs in nodes:
            if op in DATA_DEPENDENT or not tainted.isdisjoint(inputs):
                tainted.update(outputs)
    return tainted


# ---- comparing ----------------------------------------------------------------------------------------------------

def read_json(path):
    with gzip.open(path) as file:
        return json.load(file)


def ask(tool, model, arguments=()):
    """The tool's answer about a path or the bytes of a model; None with the message where it fails."""
    is_path = isinstance(model, pathlib.Path)
    command = [tool, str(model) if is_path else "-", "--shapes", *arguments]
    done = subprocess.run(command, input=None if is_path else model, capture_output=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.decode(errors="replace").strip()
    return json.loads(done.stdout), None


def rank_is_known(fact):
    return bool(fact) and isinstance(fact[0], int) and fact[1] is not None


def is_static(fact):
    return rank_is_known(fact) and all(isinstance(dim, int) for dim in fact[1])


def contradicts(ours, theirs):
    if not ours or not theirs:
        return False
    if ours[0] and theirs[0] and ours[0] != theirs[0]:
        return True
    if not rank_is_known(ours) or not rank_is_known(theirs):
        return False
    return len(ours[1]) != len(theirs[1]) or any(
        isinstance(a, int) and isinstance(b, int) and a != b for a, b in zip(ours[1], theirs[1]))


def excuse(oracle, model, tensor):
    for (kind, model_start, tensor_start), why in WRONG_ORACLES.items():
        if kind == oracle and model.startswith(model_start) and tensor.startswith(tensor_start):
            return why
    return None


class Result:
    """What was found about one model, or about all of them."""

    def __init__(self):
        self.lines = []
        self.counts = collections.Counter()
        self.failed = False

    def problem(self, line, fails=True):
        self.lines.append(line)
        self.failed |= fails

    def add(self, other):
        self.lines += other.lines
        self.counts += other.counts
        self.failed |= other.failed


def compare(result, model, oracle, ours, theirs):
    """Counts contradictions between two answers."""
    for tensor, fact in theirs.items():
        result.counts["compared", oracle] += 1
        if not contradicts(ours.get(tensor), fact):
            continue
        if excuse(oracle, model, tensor):
            result.counts["excused", oracle] += 1
            continue
        result.counts["contradictions", oracle] += 1
        result.problem(f"{model}: {tensor}: {oracle} says {json.dumps(fact)}, we say {json.dumps(ours[tensor])}")


def compare_knowledge(result, model, ours, oracles, kind):
    """Counts static tensors and known ranks, ours and the better oracle's, over the tensors of the oracles."""
    tensors = set().union(*oracles)
    result.counts["tensors", kind] += len(tensors)
    for what, test in (("static", is_static), ("ranked", rank_is_known)):
        known = sum(test(ours.get(tensor)) for tensor in tensors)
        best = max(sum(test(fact) for fact in oracle.values()) for oracle in oracles)
        result.counts[what, kind] += known
        result.counts[what + " by the better oracle", kind] += best
        if known < best:
            result.problem(f"{model}: {what}{kind}: {known} of {len(tensors)}, the better oracle {best}")


def compare_run(result, tool, path, run, verbose):
    """Binds what a run bound and compares all that is known with what was seen."""
    model = path.name.removesuffix(".onnx")
    ours, error = ask(tool, path, [f"--dim={name}={size}" for name, size in run["bind"].items()])
    if ours is None:
        result.problem(f"{model}: bound as in the run: {error}")
        return
    compare(result, model, "run", ours, run["tensors"])
    unknown = [tensor for tensor, fact in run["tensors"].items()
               if isinstance(fact[0], int) and not is_static(ours.get(tensor))]
    result.counts["tensors", "run"] += len(run["tensors"])
    result.counts["unknown", "run"] += len(unknown)
    if not unknown:
        return
    tainted = downstream_of_data(path.read_bytes())
    clean = [tensor for tensor in unknown if tensor not in tainted]
    result.counts["unknown without a data-dependent operator before", "run"] += len(clean)
    if clean:
        result.problem(f"{model}: {len(clean)} tensors stay unknown when bound, from {clean[0]} on")
    elif verbose:
        result.problem(f"{model}: {len(unknown)} tensors after data-dependent operators stay unknown", False)


def check_model(tool, path, verbose):
    result = Result()
    model = path.name.removesuffix(".onnx")

    def oracle(kind):
        beside = path.with_name(f"{model}.{kind}.json.gz")
        return read_json(beside) if beside.exists() else None

    ours, error = ask(tool, path)
    if ours is None:
        result.problem(f"{model}: {error}")
        return result
    result.counts["models", ""] += 1
    oracles = []
    for kind in ("shapes", "symshapes"):
        theirs = oracle(kind)
        if theirs is not None:
            compare(result, model, kind, ours, theirs)
            oracles.append(theirs)
    if oracles:
        compare_knowledge(result, model, ours, oracles, "")
    theirs = oracle("shapes_novi")
    if theirs is not None:
        bare, error = ask(tool, without_declarations(path.read_bytes(), False))
        if bare is None:
            result.problem(f"{model}: without value_info: {error}")
        else:
            compare(result, model, "shapes_novi", bare, theirs)
            compare_knowledge(result, model, bare, [theirs], " without value_info")
    run = oracle("run")
    if run is not None:
        compare_run(result, tool, path, run, verbose)
    return result


# ---- node tests ---------------------------------------------------------------------------------------------------

def depends_on_values(model, inputs):
    """Whether the size of a result depends on the numbers of an input that only a run has, or on what nodes make of
    them."""
    if any(fact is None or isinstance(fact[0], str) for fact in inputs.values()):  # sequences, optionals
        return True
    values = set(inputs)
    for op, operands, results in nodes_of(model):
        if any(index < len(operands) and operands[index] in values for index in VALUE_OPERANDS.get(op, ())):
            return True
        if op not in ("Shape", "Size") and not values.isdisjoint(operands):
            values.update(results)
    return False


def check_node_test(tool, name, model, expected):
    result = Result()
    ours, error = ask(tool, without_declarations(model, True))
    if ours is None:
        result.problem(f"{name}: {error}")
        return result
    result.counts["models", "node test"] += 1
    compare(result, name, "node test", ours, expected["outputs"])
    for tensor, fact in expected["outputs"].items():
        if not is_static(fact):
            continue
        known = is_static(ours.get(tensor))
        kind = "value-dependent" if depends_on_values(model, expected["inputs"]) else "value-independent"
        result.counts[kind, "node test"] += 1
        result.counts[kind + " inferred", "node test"] += known
        if not known and kind == "value-independent":
            result.problem(f"{name}: {tensor}: {json.dumps(fact)} not inferred, only {json.dumps(ours.get(tensor))}",
                           False)
    return result


def check_node_tests(pool, tool, folder):
    archive, described = folder / "onnx-node-tests.tar.gz", folder / "onnx-node-tests.json.gz"
    total = Result()
    if not archive.exists() or not described.exists():
        return total
    expected = read_json(described)
    with tarfile.open(archive) as tar:
        models = {pathlib.PurePath(member.name).name.removesuffix(".onnx"): tar.extractfile(member).read()
                  for member in tar.getmembers() if member.isfile()}
    tasks = [pool.submit(check_node_test, tool, name, model, expected[name]) for name, model in models.items()
             if name in expected]
    for task in tasks:
        total.add(task.result())
    inferred, possible = (total.counts[kind, "node test"] for kind in ("value-independent inferred",
                                                                       "value-independent"))
    if inferred < LEAST_NODE_TEST_SHARE * possible:
        total.problem(f"node tests: {inferred} of {possible} value-independent outputs inferred")
    return total


# ---- the report ---------------------------------------------------------------------------------------------------

def share(part, whole):
    return f"{part} of {whole} ({100 * part / whole:.2f} %)" if whole else "none"


def totals(counts):
    """(what, figure) of all that was compared."""
    rows = [("models", counts["models", ""]), ("node tests", counts["models", "node test"])]
    for oracle in ("shapes", "symshapes", "shapes_novi", "run", "node test"):
        rows.append((f"contradictions with {oracle}", f"{counts['contradictions', oracle]} of "
                     f"{counts['compared', oracle]} tensors, {counts['excused', oracle]} more excused"))
    for kind in ("", " without value_info"):
        for what in ("static", "ranked"):
            rows.append((f"{what}{kind}", f"{share(counts[what, kind], counts['tensors', kind])}, the better oracle "
                         f"{share(counts[what + ' by the better oracle', kind], counts['tensors', kind])}"))
    tensors, unknown = counts["tensors", "run"], counts["unknown", "run"]
    rows.append(("bound as in the run, known", share(tensors - unknown, tensors)))
    rows.append(("of these, unknown without a data-dependent operator before",
                 counts["unknown without a data-dependent operator before", "run"]))
    for kind in ("value-independent", "value-dependent"):
        rows.append((f"node tests, {kind} outputs inferred",
                     share(counts[kind + " inferred", "node test"], counts[kind, "node test"])))
    return rows


def main():
    parser = argparse.ArgumentParser(description="Compare the tool's --shapes with what others say about the models.")
    parser.add_argument("models", type=pathlib.Path, help="a folder of models and oracles")
    parser.add_argument("--tool", default="build/npu-partition", help="default %(default)s")
    parser.add_argument("--jobs", type=int, default=2, help="models at a time, default %(default)s")
    parser.add_argument("--verbose", action="store_true", help="name what is unknown for a good reason too")
    page.add_arguments(parser)
    arguments = parser.parse_args()
    total = Result()
    paths = sorted(arguments.models.glob("*.onnx"))
    if not paths:
        parser.error(f"{arguments.models}: no models there")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for result in pool.map(lambda path: check_model(arguments.tool, path, arguments.verbose), paths):
            total.add(result)
        total.add(check_node_tests(pool, arguments.tool, arguments.models))
    for line in total.lines:
        print(line)
    rows = totals(total.counts)
    for what, figure in rows:
        print(f"{what}: {figure}")
    if arguments.summary:
        page.rewrite(arguments.summary, page.SHAPES, ("what", "figure"), rows,
                     page.origin(arguments.date, "collected, beside the models"))
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
